/* Quantities: expressions that have a name. Where one is used its text stands in its place, so that
 * what it may depend on is what may be used there; as a record it may depend on all that is
 * recorded.
 */
#include "input/reader.h"

#include "model/quantities/quantity.h"
#include "model/quantities/quantity_kind.h"

#include <stdio.h>
#include <string.h>

/* The list of output.record, where there is one. */
static const nt_node *recorded_list(const nt_reader *reader)
{
    const nt_node *output = nt_node_find(reader->root, "output");
    const nt_node *record =
        output && output->kind == NT_NODE_MAPPING ? nt_node_find(output, "record") : NULL;
    return record && record->kind == NT_NODE_LIST ? record : NULL;
}

static bool is_expression(const nt_node *value)
{
    return value->kind == NT_NODE_SCALAR && nt_quantity_is_expression(value->text);
}

nt_status nt_read_declare_quantities(nt_reader *reader)
{
    nt_model *model = reader->model;
    const nt_node *section = reader->quantity_section, *record = recorded_list(reader);
    int n = section ? section->count : 0;
    model->named = NT_TAKE(&model->arena, n + (record ? record->count : 0), nt_named);
    if (!nt_names_init(&reader->quantities, n, &reader->scratch) || !model->named)
        return nt_read_no_memory(reader);
    for (int i = 0; i < n; i++) {
        const nt_node *name = section->keys[i], *value = section->values[i];
        char got[NT_WORDS];
        if (value->kind != NT_NODE_SCALAR || nt_node_is_empty(value))
            return nt_node_fail(reader->error, nt_node_is_empty(value) ? name : value,
                                "quantity '%s': expected an expression, got %s", name->text,
                                nt_read_words(value, got, sizeof got));
        const char *text = nt_read_copy(reader, name);
        if (!text)
            return nt_read_no_memory(reader);
        nt_place place = nt_read_place(reader, name);
        model->named[model->n_named++] = (nt_named){.name = text, .place = place};
        nt_names_add(&reader->quantities,
                     (nt_name){.text = text, .kind = NT_NAME_QUANTITY, .index = i, .place = place});
    }
    for (int i = 0; record && i < record->count; i++) {
        const nt_node *value = record->values[i];
        if (!is_expression(value))
            continue;
        nt_named named = {.name = nt_read_copy(reader, value),
                          .place = nt_read_place(reader, value)};
        if (!named.name)
            return nt_read_no_memory(reader);
        model->named[model->n_named++] = named;
    }
    return NT_OK;
}

/* Whether a name of its own kind is none of the others: `others` is terminated by NULL. A steady
 * motion is named like the joint whose rate it gives. */
static nt_status check_name(nt_reader *reader, const nt_node *node, nt_name_kind kind,
                            const nt_names *const *others)
{
    for (; *others; others++) {
        char where[NT_WORDS] = "";
        const nt_name *first = nt_names_find(*others, node->text, node->length);
        if (!first || (kind == NT_NAME_STEADY && first->kind == NT_NAME_JOINT))
            continue;
        const char *word = nt_name_kind_word(first->kind);
        if (first->place.line > 0)
            snprintf(where, sizeof where, " at %d:%d", first->place.line, first->place.column);
        return nt_node_fail(reader->error, node, "%s '%s': there is %s %s of this name already%s",
                            nt_name_kind_word(kind), node->text,
                            strchr("aeio", word[0]) ? "an" : "a", word, where);
    }
    return NT_OK;
}

static nt_status check_reserved(nt_reader *reader, const nt_node *node, nt_name_kind kind)
{
    if (nt_name_is_reserved(node->text, node->length) || nt_node_is(node, "ground"))
        return nt_node_fail(reader->error, node,
                            "a %s cannot be named '%s': the model has that of its own",
                            nt_name_kind_word(kind), node->text);
    return NT_OK;
}

/* Sections whose names stand for no object. Those of blocks, being quantities too, are compared
 * before quantities are; a sampler's begins the names of what it holds. */
static const struct {
    const char *section;
    nt_name_kind kind;
} late[] = {{"blocks", NT_NAME_BLOCK},
            {"sampled", NT_NAME_SAMPLER},
            {"steady", NT_NAME_STEADY},
            {"objectives", NT_NAME_OBJECTIVE},
            {"events", NT_NAME_EVENT}};
enum { N_LATE = sizeof late / sizeof *late };

/* The names of one of these sections against the others, and then among them. */
static nt_status check_late(nt_reader *reader, int which, nt_names *known,
                            const nt_names *const *others)
{
    const nt_node *section = nt_node_find(reader->root, late[which].section);
    nt_name_kind kind = late[which].kind;
    nt_status status = NT_OK;
    if (!section || section->kind != NT_NODE_MAPPING)
        return NT_OK;
    for (int i = 0; i < section->count && status == NT_OK; i++) {
        const nt_node *node = section->keys[i];
        if (kind == NT_NAME_BLOCK || kind == NT_NAME_SAMPLER)
            status = check_reserved(reader, node, kind);
        if (status == NT_OK)
            status = check_name(reader, node, kind, others);
        if (status == NT_OK && !nt_names_find(known, node->text, node->length))
            nt_names_add(known, (nt_name){.text = node->text,
                                          .kind = kind,
                                          .index = i,
                                          .place = nt_read_place(reader, node)});
    }
    return status;
}

nt_status nt_read_check_names(nt_reader *reader)
{
    nt_names known;
    const nt_names *const of_table[] = {&reader->parameters, NULL};
    const nt_names *const of_quantity[] = {&reader->parameters, &reader->tables, &reader->objects,
                                           NULL};
    const nt_names *const of_late[] = {
        &reader->parameters, &reader->tables, &reader->objects, &known, &reader->quantities, NULL};
    const nt_node *tables = nt_node_find(reader->root, "tables");
    nt_status status = NT_OK;
    int room = 0;
    for (int k = 0; k < N_LATE; k++) {
        const nt_node *section = nt_node_find(reader->root, late[k].section);
        room += section && section->kind == NT_NODE_MAPPING ? section->count : 0;
    }
    if (!nt_names_init(&known, room, &reader->scratch))
        return nt_read_no_memory(reader);
    for (int i = 0; tables && i < tables->count && status == NT_OK; i++)
        status = check_name(reader, tables->keys[i], NT_NAME_TABLE, of_table);
    if (status == NT_OK)
        status = check_late(reader, 0, &known, of_quantity);
    for (int i = 0; i < reader->quantities.n && status == NT_OK; i++) {
        const nt_node *node = reader->quantity_section->keys[i];
        status = check_reserved(reader, node, NT_NAME_QUANTITY);
        if (status == NT_OK)
            status = check_name(reader, node, NT_NAME_QUANTITY, of_quantity);
    }
    for (int k = 1; k < N_LATE && status == NT_OK; k++)
        status = check_late(reader, k, &known, of_late);
    return status;
}

const nt_node *nt_read_quantity_text(const nt_reader *reader, const char *name, int length)
{
    const nt_name *found = nt_names_find(&reader->quantities, name, length);
    return found ? reader->quantity_section->values[found->index] : NULL;
}

const nt_node *nt_read_quantity_of_text(const nt_reader *reader, const char *text,
                                        const char **name)
{
    for (int i = 0; text && i < reader->quantities.n; i++) {
        const nt_node *value = reader->quantity_section->values[i];
        if (value->text == text) {
            *name = reader->quantities.list[i].text;
            return value;
        }
    }
    return NULL;
}

/* What the columns of an expression need. */
static int needs_of(const nt_model *model, const nt_expression *of)
{
    int needs = 0;
    for (int k = 0; k < model->n_columns; k++) {
        const nt_quantity_info *column = &model->columns[k];
        if (!nt_expression_uses(of, nt_model_time_variable(model) + 1 + k))
            continue;
        needs |= column->needs_reactions ? NT_NEEDS_REACTIONS : 0;
        needs |= column->needs_energy ? NT_NEEDS_ENERGY : 0;
        needs |= column->needs_drift ? NT_NEEDS_DRIFT : 0;
        needs |= column->needs_accelerations ? NT_NEEDS_ACCELERATIONS : 0;
    }
    return needs;
}

nt_status nt_read_quantities(nt_reader *reader)
{
    nt_model *model = reader->model;
    nt_status status = NT_OK;
    model->names_quantities = true;
    /* A value at a time has its derivative on either side of a jump; what is summed up over time,
     * or makes another expression, has its own text for a remark. */
    int n_jumps = model->n_jumps;
    const nt_node *record = recorded_list(reader);
    for (int i = 0, next = 0; i < model->n_named && status == NT_OK; i++) {
        nt_named *named = &model->named[i];
        const nt_node *value =
            i < reader->quantities.n ? reader->quantity_section->values[i] : NULL;
        while (!value) /* those of the list of records follow in its order */
            if (is_expression(record->values[next++]))
                value = record->values[next - 1];
        status = nt_read_expression(reader, i < reader->quantities.n ? named->name : "record",
                                    value, NT_SCOPE_RECORD, &model->arena, &named->of);
        if (status == NT_OK)
            named->needs = needs_of(model, named->of);
    }
    model->n_jumps = n_jumps;
    return status;
}
