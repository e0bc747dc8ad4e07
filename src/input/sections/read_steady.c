/* The section `steady`: a motion that repeats itself at every moment, as rates by name. */
#include "input/reader.h"

#include <stdio.h>

/* Two of `axis`, `along` and the name of a joint would be two motions. */
static nt_status check_kind(nt_reader *reader, const nt_node *name, const nt_steady *steady)
{
    bool turns = steady->given & 1u << NT_STEADY_AXIS,
         moves = steady->given & 1u << NT_STEADY_ALONG;
    char shown[NT_WORDS], hint[NT_WORDS];
    nt_read_words(name, shown, sizeof shown);
    if (steady->joint >= 0 && (turns || moves))
        return nt_node_fail(reader->error, name,
                            "steady %s: the rate of a joint, expected neither axis nor along",
                            shown);
    if (steady->joint >= 0 || turns != moves)
        return NT_OK;
    if (turns)
        return nt_node_fail(reader->error, name,
                            "steady %s: expected one of axis and along, got both", shown);
    const char *best =
        nt_names_suggest(&reader->objects, name->text, name->length, 1u << NT_NAME_JOINT);
    return nt_node_fail(reader->error, name,
                        "steady %s: expected the name of a joint, or an axis to turn about, or a "
                        "direction to move along%s",
                        shown, best ? nt_read_hint(best, hint, sizeof hint) : "");
}

/* A motion that goes on as it is has rates that stay as they are. */
static nt_status check_rate(nt_reader *reader, const nt_node *value, const nt_steady *steady)
{
    const nt_node *rate = nt_node_find(value, "rate");
    if (!rate || !steady->rate ||
        !nt_expression_uses(steady->rate, nt_model_time_variable(reader->model)))
        return NT_OK;
    return nt_node_fail(
        reader->error, rate,
        "steady '%s': the rate depends on the time t, expected one that stays as it "
        "is: a number or an expression of parameters, or none for one that is "
        "found",
        steady->name);
}

static nt_status read_one(nt_reader *reader, const nt_node *name, const nt_node *value,
                          nt_steady *steady)
{
    char what[NT_WORDS], shown[NT_WORDS];
    const char *fault = nt_name_fault(name->text, name->length, true);
    nt_read_words(name, shown, sizeof shown);
    if (fault)
        return nt_node_fail(reader->error, name, "steady name %s %s", shown, fault);
    const nt_name *object = nt_names_find(&reader->objects, name->text, name->length);
    steady->joint = object && object->kind == NT_NAME_JOINT ? object->index : -1;
    steady->place = nt_read_place(reader, name);
    steady->name = nt_read_copy(reader, name);
    if (!steady->name)
        return nt_read_no_memory(reader);
    snprintf(what, sizeof what, "steady '%.60s'", name->text);
    nt_status status =
        nt_read_keys(reader, nt_steady_keys, name, value, what, NT_SCOPE_MOTION, false, steady);
    if (status == NT_OK)
        status = check_kind(reader, name, steady);
    return status == NT_OK ? check_rate(reader, value, steady) : status;
}

nt_status nt_read_steady(nt_reader *reader)
{
    nt_model *model = reader->model;
    const nt_node *section = nt_node_find(reader->root, "steady");
    if (!section)
        return NT_OK;
    nt_status status = nt_read_check_section(reader, "steady", section);
    if (status != NT_OK)
        return status;
    model->steady = NT_TAKE(&model->arena, section->count, nt_steady);
    if (!model->steady)
        return nt_read_no_memory(reader);
    for (int i = 0; i < section->count && status == NT_OK; i++)
        status = read_one(reader, section->keys[i], section->values[i], &model->steady[i]);
    model->n_steady = status == NT_OK ? section->count : 0;
    return status;
}
