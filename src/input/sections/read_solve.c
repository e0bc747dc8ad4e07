/* Unknown parameters and the conditions that they have to meet: the section solve. */
#include "input/reader.h"

#include "analysis/static/run_static.h"

#include <stdio.h>
#include <string.h>

static const nt_node *find(const nt_reader *reader, const char *key)
{
    const nt_node *solve = nt_node_find(reader->root, "solve");
    return solve && solve->kind == NT_NODE_MAPPING ? nt_node_find(solve, key) : NULL;
}

nt_status nt_read_with_unknowns(nt_reader *reader, const nt_node **section)
{
    const nt_node *unknowns = find(reader, "unknowns"), *parameters = *section;
    if (!unknowns || unknowns->kind != NT_NODE_MAPPING ||
        (parameters && parameters->kind != NT_NODE_MAPPING))
        return NT_OK;
    int room = unknowns->count + (parameters ? parameters->count : 0), n = 0;
    nt_node *all = NT_TAKE(&reader->scratch, 1, nt_node);
    nt_node **keys = NT_TAKE(&reader->scratch, room, nt_node *);
    nt_node **values = NT_TAKE(&reader->scratch, room, nt_node *);
    if (!all || !keys || !values)
        return nt_read_no_memory(reader);
    for (int i = 0; parameters && i < parameters->count; i++)
        if (!nt_node_find(unknowns, parameters->keys[i]->text)) {
            keys[n] = parameters->keys[i];
            values[n++] = parameters->values[i];
        }
    for (int i = 0; i < unknowns->count; i++) {
        keys[n] = unknowns->keys[i];
        values[n++] = unknowns->values[i];
    }
    *all = parameters ? *parameters : *unknowns;
    all->keys = keys;
    all->values = values;
    all->count = n;
    all->index = NULL;
    *section = all;
    return NT_OK;
}

static nt_status read_unknowns(nt_reader *reader, const nt_node *unknowns)
{
    nt_model *model = reader->model;
    model->unknowns = NT_TAKE(&model->arena, unknowns->count, int);
    if (!model->unknowns)
        return nt_read_no_memory(reader);
    for (int i = 0; i < unknowns->count; i++)
        for (int k = 0; k < model->n_parameters; k++)
            if (nt_node_is(unknowns->keys[i], model->parameters[k].name)) {
                model->parameters[k].expression = NULL; /* a first guess follows nothing */
                model->unknowns[model->n_unknowns++] = k;
            }
    return NT_OK;
}

static nt_status read_conditions(nt_reader *reader, const nt_node *conditions)
{
    nt_model *model = reader->model;
    model->conditions = NT_TAKE(&model->arena, conditions->count, nt_objective);
    if (!model->conditions)
        return nt_read_no_memory(reader);
    for (int i = 0; i < conditions->count; i++) {
        const nt_node *node = conditions->values[i];
        nt_objective *condition = &model->conditions[i];
        condition->place = nt_read_place(reader, node);
        condition->name = nt_read_copy(reader, node);
        if (!condition->name)
            return nt_read_no_memory(reader);
        nt_status status = nt_read_expression(reader, "conditions", node, NT_SCOPE_RECORD,
                                              &model->arena, &condition->of);
        if (status != NT_OK)
            return status;
        model->n_conditions++;
    }
    return NT_OK;
}

nt_status nt_read_solve(nt_reader *reader)
{
    const nt_node *unknowns = find(reader, "unknowns"), *conditions = find(reader, "conditions");
    nt_model *model = reader->model;
    nt_status status = NT_OK;
    if (unknowns)
        status = read_unknowns(reader, unknowns);
    if (status == NT_OK && conditions)
        status = read_conditions(reader, conditions);
    if (status != NT_OK)
        return status;
    if (model->n_unknowns != model->n_conditions)
        return nt_node_fail(reader->error, conditions ? conditions : unknowns,
                            "solve: %d unknown%s and %d condition%s, expected as many of both",
                            model->n_unknowns, model->n_unknowns == 1 ? "" : "s",
                            model->n_conditions, model->n_conditions == 1 ? "" : "s");
    if (model->n_unknowns == 0 && !model->simulation.static_initial)
        return NT_OK;
    return nt_model_settle(model, reader->error);
}
