/* Quantities: expressions that have a name. Where one is used its text stands in its place, so that
 * what it may depend on is what may be used there; as a record it may depend on all that is
 * recorded.
 */
#include "input/reader.h"

#include "model/quantity_kind.h"

#include <stdio.h>
#include <string.h>

nt_status nt_read_declare_quantities(nt_reader *reader)
{
    nt_model *model = reader->model;
    const nt_node *section = reader->quantity_section;
    if (!section)
        return NT_OK;
    model->named = NT_TAKE(&model->arena, section->count, nt_named);
    if (!nt_names_init(&reader->quantities, section->count, &reader->scratch) || !model->named)
        return nt_read_no_memory(reader);
    for (int i = 0; i < section->count; i++) {
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
    return NT_OK;
}

/* Whether a name of its own kind is none of the others: `others` is terminated by NULL. */
static nt_status check_name(nt_reader *reader, const nt_node *node, const char *word,
                            const nt_names *const *others)
{
    for (; *others; others++) {
        char where[NT_WORDS] = "";
        const nt_name *first = nt_names_find(*others, node->text, node->length);
        if (first && first->place.line > 0)
            snprintf(where, sizeof where, " at %d:%d", first->place.line, first->place.column);
        if (first)
            return nt_node_fail(reader->error, node,
                                "%s '%s': there is a %s of this name already%s", word, node->text,
                                nt_name_kind_word(first->kind), where);
    }
    return NT_OK;
}

nt_status nt_read_check_names(nt_reader *reader)
{
    const nt_names *const of_table[] = {&reader->parameters, NULL};
    const nt_names *const of_quantity[] = {&reader->parameters, &reader->tables, &reader->objects,
                                           NULL};
    const nt_node *tables = nt_node_find(reader->root, "tables");
    nt_status status = NT_OK;
    for (int i = 0; tables && i < tables->count && status == NT_OK; i++)
        status = check_name(reader, tables->keys[i], "table", of_table);
    for (int i = 0; i < reader->quantities.n && status == NT_OK; i++) {
        const nt_node *node = reader->quantity_section->keys[i];
        if (nt_name_is_reserved(node->text, node->length) || nt_node_is(node, "ground"))
            return nt_node_fail(reader->error, node,
                                "a quantity cannot be named '%s': the model has that of its own",
                                node->text);
        status = check_name(reader, node, "quantity", of_quantity);
    }
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
    }
    return needs;
}

nt_status nt_read_quantities(nt_reader *reader)
{
    nt_model *model = reader->model;
    nt_status status = NT_OK;
    model->names_quantities = true;
    for (int i = 0; i < model->n_named && status == NT_OK; i++) {
        nt_named *named = &model->named[i];
        status = nt_read_expression(reader, named->name, reader->quantity_section->values[i],
                                    NT_SCOPE_RECORD, &model->arena, &named->of);
        if (status == NT_OK)
            named->needs = needs_of(model, named->of);
    }
    return status;
}
