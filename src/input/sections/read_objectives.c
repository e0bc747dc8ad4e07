/* Objectives: read when the model is built, because only then all recorded quantities are known. */
#include "input/reader.h"

#include <stdio.h>

static nt_status check_name(nt_reader *reader, const nt_node *name)
{
    char shown[NT_WORDS];
    const char *fault = nt_name_fault(name->text, name->length, true);
    nt_read_words(name, shown, sizeof shown);
    if (fault)
        return nt_node_fail(reader->error, name, "objective name %s %s", shown, fault);
    return NT_OK;
}

static nt_status read_objective(nt_reader *reader, const nt_node *name, const nt_node *value,
                                nt_objective *objective)
{
    char what[NT_WORDS];
    nt_status status = check_name(reader, name);
    if (status != NT_OK)
        return status;
    objective->place = nt_read_place(reader, name);
    objective->name = nt_read_copy(reader, name);
    if (!objective->name)
        return nt_read_no_memory(reader);
    snprintf(what, sizeof what, "objective '%.60s'", name->text);
    return nt_read_keys(reader, nt_objective_keys, name, value, what, NT_SCOPE_RECORD, false,
                        objective);
}

nt_status nt_read_objectives(nt_reader *reader)
{
    nt_model *model = reader->model;
    const nt_node *section = nt_node_find(reader->root, "objectives");
    if (!section)
        return NT_OK;
    nt_status status = nt_read_check_section(reader, "objectives", section);
    if (status != NT_OK)
        return status;
    model->objectives = NT_TAKE(&model->arena, section->count, nt_objective);
    if (!model->objectives)
        return nt_read_no_memory(reader);
    for (int i = 0; i < section->count && status == NT_OK; i++)
        status =
            read_objective(reader, section->keys[i], section->values[i], &model->objectives[i]);
    model->n_objectives = status == NT_OK ? section->count : 0;
    return status;
}
