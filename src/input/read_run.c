/* What a run computes and records: the sections simulation, output and initial. */
#include "input/reader.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

/* ---- checks -------------------------------------------------------------------------------------
 */

static const nt_node *find(const nt_reader *reader, const char *section, const char *key)
{
    const nt_node *node = nt_node_find(reader->root, section);
    return node ? nt_node_find(node, key) : NULL;
}

/* A number that a section gives must be positive, or at least zero. */
static nt_status check_sign(nt_reader *reader, const char *section, const char *key, double value,
                            bool zero_allowed)
{
    const nt_node *node = find(reader, section, key);
    if (!node || value > 0 || (zero_allowed && value == 0))
        return NT_OK;
    return nt_node_fail(reader->error, node, "%s: expected a positive number%s, got %g", key,
                        zero_allowed ? " or zero" : "", value);
}

static nt_status check_tolerance(nt_reader *reader)
{
    static const char *const names[] = {"position", "rotation", "velocity", "angular_velocity"};
    const nt_node *node = find(reader, "simulation", "tolerance");
    if (node && node->kind == NT_NODE_MAPPING && node->count == 0)
        return nt_node_fail(reader->error, node,
                            "tolerance: expected a number, or one of position, rotation, velocity, "
                            "angular_velocity, got an empty mapping");
    for (int i = 0; node && i < 4; i++) {
        const nt_node *member = node->kind == NT_NODE_MAPPING ? nt_node_find(node, names[i]) : node;
        if (member && !(reader->run.tolerance[i] > 0))
            return nt_node_fail(reader->error, member,
                                "tolerance: expected a positive number, got %g",
                                reader->run.tolerance[i]);
    }
    return NT_OK;
}

static nt_status check(nt_reader *reader)
{
    const nt_run_data *run = &reader->run;
    nt_status status = check_sign(reader, "simulation", "duration", run->duration, true);
    if (status == NT_OK)
        status = check_sign(reader, "simulation", "step", run->step, false);
    if (status == NT_OK)
        status = check_sign(reader, "output", "every", run->every, false);
    if (status == NT_OK)
        status = check_sign(reader, "simulation", "minimum_step", run->minimum_step, false);
    if (status == NT_OK)
        status = check_sign(reader, "simulation", "maximum_step", run->maximum_step, false);
    if (status == NT_OK && run->maximum_step > 0 && run->minimum_step > run->maximum_step)
        return nt_node_fail(reader->error, find(reader, "simulation", "minimum_step"),
                            "minimum_step: expected at most the maximum_step %g, got %g",
                            run->maximum_step, run->minimum_step);
    return status == NT_OK ? check_tolerance(reader) : status;
}

/* ---- records ------------------------------------------------------------------------------------
 */

/* Without a list: position and, but for points, orientation of every body, and the energy. */
static nt_status record_everything(nt_reader *reader, nt_simulation *simulation)
{
    nt_model *model = reader->model;
    int n = 2 * (model->n_bodies - 1) + 1, used = 0;
    const char **record = NT_TAKE(&model->arena, n, const char *);
    if (!record)
        return nt_read_no_memory(reader);
    for (int i = 1; i < model->n_bodies; i++)
        for (int k = 0; k < (model->bodies[i].point ? 1 : 2); k++) {
            char name[NT_WORDS];
            int length = snprintf(name, sizeof name, "%s.%s", model->bodies[i].name,
                                  k ? "orientation" : "position");
            record[used] = nt_arena_text(&model->arena, name, (size_t)length);
            if (!record[used++])
                return nt_read_no_memory(reader);
        }
    record[used++] = "energy";
    simulation->record = record;
    simulation->n_record = used;
    return NT_OK;
}

/* Where the records stand, for messages when the document is gone. */
static nt_status keep_record_places(nt_reader *reader)
{
    const nt_texts *record = &reader->run.record;
    reader->record_places = NT_TAKE(&reader->model->arena, record->n, nt_place);
    if (!reader->record_places)
        return nt_read_no_memory(reader);
    for (int i = 0; i < record->n; i++)
        reader->record_places[i] = nt_read_place(reader, record->node->values[i]);
    return NT_OK;
}

nt_status nt_read_check_records(nt_reader *reader)
{
    const nt_model *model = reader->model;
    for (int i = 0; reader->record_places && i < model->simulation.n_record; i++) {
        nt_quantity_info quantity;
        nt_error error = {0};
        nt_status status = nt_model_quantity(model, model->simulation.record[i], &quantity, &error);
        nt_place place = reader->record_places[i];
        if (status != NT_OK)
            return nt_fail_at(reader->error, status, model->file, place.line, place.column,
                              "record: %.600s", error.message);
    }
    return NT_OK;
}

/* ---- the sections --------------------------------------------------------------------------- */

/* These numbers do not follow when parameters change later: a run keeps its times and tolerances.
 */
static nt_status read_section(nt_reader *reader, const nt_key *key)
{
    const nt_node *section = nt_node_find(reader->root, key->name);
    if (!section)
        return NT_OK;
    reader->binds = false;
    nt_status status = nt_read_keys(reader, key->group, section, section, key->name, key->name,
                                    false, &reader->run);
    reader->binds = true;
    return status;
}

nt_status nt_read_run(nt_reader *reader)
{
    nt_model *model = reader->model;
    nt_run_data *run = &reader->run;
    nt_status status = NT_OK;
    for (const nt_key *key = nt_file_keys; key->name && status == NT_OK; key++)
        if (key->type == NT_KEY_GROUP)
            status = read_section(reader, key);
    if (status == NT_OK)
        status = check(reader);
    if (status != NT_OK)
        return status;
    model->correct_initial = run->correct;
    const nt_node *place = find(reader, "simulation", "method");
    if (place && place->source != reader->source)
        place = NULL; /* of --set */
    model->simulation = (nt_simulation){
        .start = run->start,
        .duration = run->duration,
        .step = run->step,
        .method = run->method ? run->method : "generalized-alpha",
        .method_line = place ? place->line : 0,
        .method_column = place ? place->column : 0,
        .frame = run->frame ? NT_BODY : NT_INERTIAL,
        .frame_given = find(reader, "simulation", "frame") != NULL,
        .options = run->options.option,
        .n_options = run->options.n,
        .option_place = run->options.place,
        .minimum_step = run->minimum_step,
        .maximum_step = run->maximum_step,
        .every = run->every,
        .record = run->record.text,
        .n_record = run->record.n,
    };
    memcpy(model->simulation.tolerance, run->tolerance, sizeof run->tolerance);
    return run->record.node ? keep_record_places(reader)
                            : record_everything(reader, &model->simulation);
}
