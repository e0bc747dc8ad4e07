/* What a run computes and records: the sections simulation, output and initial. */
#include "input/reader.h"

#include "base/error.h"
#include "model/quantities/quantity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- checks -------------------------------------------------------------------------------------
 */

static const nt_node *setup_find(const nt_reader *reader, const char *section, const char *key)
{
    const nt_node *node = nt_node_find(reader->root, section);
    return node ? nt_node_find(node, key) : NULL;
}

/* A number that a section gives must be positive. */
static nt_status check_sign(nt_reader *reader, const char *section, const char *key, double value)
{
    const nt_node *node = setup_find(reader, section, key);
    if (!node || value > 0)
        return NT_OK;
    return nt_node_fail(reader->error, node, "%s: expected a positive number, got %g", key, value);
}

static nt_status check_tolerance(nt_reader *reader)
{
    static const char *const names[] = {"position", "rotation", "velocity", "angular_velocity"};
    const nt_node *node = setup_find(reader, "simulation", "tolerance");
    for (int i = 0; node && i < 4; i++) {
        const nt_node *member = node->kind == NT_NODE_MAPPING ? nt_node_find(node, names[i]) : node;
        if (member && !(reader->run.tolerance[i] > 0))
            return nt_node_fail(reader->error, member,
                                "tolerance: expected a positive number, got %g",
                                reader->run.tolerance[i]);
    }
    return NT_OK;
}

static nt_status setup_check(nt_reader *reader)
{
    const nt_run_data *run = &reader->run;
    nt_status status = check_sign(reader, "simulation", "duration", run->duration);
    if (status == NT_OK)
        status = check_sign(reader, "simulation", "step", run->step);
    if (status == NT_OK)
        status = check_sign(reader, "output", "every", run->every);
    if (status == NT_OK)
        status = check_sign(reader, "simulation", "minimum_step", run->minimum_step);
    if (status == NT_OK)
        status = check_sign(reader, "simulation", "maximum_step", run->maximum_step);
    if (status == NT_OK && run->maximum_step > 0 && run->minimum_step > run->maximum_step)
        return nt_node_fail(reader->error, setup_find(reader, "simulation", "minimum_step"),
                            "minimum_step: expected at most the maximum_step %g, got %g",
                            run->maximum_step, run->minimum_step);
    return status == NT_OK ? check_tolerance(reader) : status;
}

/* ---- records ------------------------------------------------------------------------------------
 */

/* Without a list: position and, but for points, orientation of every body, named quantities, and
 * the energy. */
static nt_status record_everything(nt_reader *reader, nt_simulation *simulation)
{
    nt_model *model = reader->model;
    int n = 2 * (model->n_bodies - 1) + 1 + model->n_named, used = 0;
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
    for (int i = 0; i < model->n_named; i++)
        record[used++] = model->named[i].name;
    record[used++] = "energy";
    simulation->record = record;
    simulation->n_record = used;
    return NT_OK;
}

/* Keeps the places of the records in the file: messages need them after the document is freed. */
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

typedef struct recorded {
    nt_quantity_info quantity;
    int number; /* in the list */
} recorded;

/* By what they are, then by their place in the list. */
static int compare_recorded(const void *first, const void *second)
{
    const recorded *a = first, *b = second;
    int order = a->quantity.kind - b->quantity.kind;
    order = order ? order : a->quantity.object - b->quantity.object;
    order = order ? order : a->quantity.first - b->quantity.first;
    return order ? order : a->number - b->number;
}

/* A column that is there twice would be one name for two things. */
static nt_status refuse_repeats(nt_reader *reader, recorded *list, int n)
{
    const nt_model *model = reader->model;
    qsort(list, (size_t)n, sizeof *list, compare_recorded);
    for (int i = 1; i < n; i++) {
        const nt_quantity_info *a = &list[i - 1].quantity, *b = &list[i].quantity;
        if (a->kind != b->kind || a->object != b->object || b->first >= a->first + a->columns)
            continue;
        int later = list[i].number > list[i - 1].number ? i : i - 1;
        char column[NT_WORDS], unit[NT_WORDS], meaning[NT_WORDS];
        nt_place place = reader->record_places[list[later].number];
        nt_model_quantity_column(model, b, 0, column, unit, meaning, NT_WORDS);
        return nt_fail_at(reader->error, NT_BAD_MODEL, model->file, place.line, place.column,
                          "record: '%s' is recorded twice", column);
    }
    return NT_OK;
}

nt_status nt_read_check_records(nt_reader *reader)
{
    const nt_model *model = reader->model;
    int n = reader->record_places ? model->simulation.n_record : 0;
    recorded *list = calloc((size_t)n + 1, sizeof *list);
    nt_status status = list ? NT_OK : nt_read_no_memory(reader);
    for (int i = 0; i < n && status == NT_OK; i++) {
        nt_error error = {0};
        nt_place place = reader->record_places[i];
        list[i].number = i;
        status = nt_quantity_find(model, model->simulation.record[i], false, NULL,
                                  &list[i].quantity, &error);
        if (status != NT_OK)
            nt_fail_at(reader->error, status, model->file, place.line, place.column,
                       "record: %.600s", error.message);
    }
    if (status == NT_OK)
        status = refuse_repeats(reader, list, n);
    free(list);
    return status;
}

/* ---- places -------------------------------------------------------------------------------------
 */

static nt_status keep_place(nt_reader *reader, const char *path, const nt_node *node)
{
    nt_model *model = reader->model;
    nt_key_place *to = &model->key_places[model->n_key_places++];
    to->place = nt_read_place(reader, node);
    to->path = nt_arena_text(&model->arena, path, strlen(path));
    return to->path ? NT_OK : nt_read_no_memory(reader);
}

/* The sections whose numbers are looked at together, once all of them have been read: the places of
 * all their keys are kept. */
static const char *const kept_whole[] = {"beams", "bearings", "cables", "contacts"};
enum { KEPT_WHOLE = sizeof kept_whole / sizeof *kept_whole };

static nt_status keep_places_within(nt_reader *reader, const char *path, const nt_node *node)
{
    nt_status status = NT_OK;
    for (int i = 0; node->keys && i < node->count && status == NT_OK; i++) {
        char longer[4 * NT_WORDS];
        int used = snprintf(longer, sizeof longer, "%s.%s", path, node->keys[i]->text);
        if (used < 0 || (size_t)used >= sizeof longer)
            continue;
        status = keep_place(reader, longer, node->values[i]);
        if (status == NT_OK)
            status = keep_places_within(reader, longer, node->values[i]);
    }
    return status;
}

static int count_places_within(const nt_node *node)
{
    int count = 0;
    for (int i = 0; node && node->keys && i < node->count; i++)
        count += 1 + count_places_within(node->values[i]);
    return count;
}

/* Keeps the places of sections and keys in the file, for messages about how they go together. */
static nt_status keep_key_places(nt_reader *reader)
{
    nt_model *model = reader->model;
    const nt_node *whole[KEPT_WHOLE];
    nt_status status = NT_OK;
    int count = 0;
    for (int i = 0; i < KEPT_WHOLE; i++) {
        whole[i] = nt_node_find(reader->root, kept_whole[i]);
        count += count_places_within(whole[i]);
    }
    for (const nt_key *key = nt_file_keys; key->name; key++) {
        const nt_node *section = nt_node_find(reader->root, key->name);
        count += key->type == NT_KEY_GROUP && section ? 1 + section->count : 0;
    }
    model->key_places = NT_TAKE(&model->arena, count, nt_key_place);
    if (!model->key_places)
        return nt_read_no_memory(reader);
    for (const nt_key *key = nt_file_keys; key->name; key++) {
        const nt_node *section = nt_node_find(reader->root, key->name);
        for (int i = -1; key->type == NT_KEY_GROUP && section && i < section->count; i++) {
            char path[NT_WORDS];
            const nt_node *node = i < 0 ? section : section->values[i];
            snprintf(path, sizeof path, "%s%s%s", key->name, i < 0 ? "" : ".",
                     i < 0 ? "" : section->keys[i]->text);
            if (keep_place(reader, path, node) != NT_OK)
                return NT_NO_MEMORY;
        }
    }
    for (int i = 0; i < KEPT_WHOLE && status == NT_OK; i++)
        if (whole[i])
            status = keep_places_within(reader, kept_whole[i], whole[i]);
    return status;
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
    nt_status status = nt_read_keys(reader, key->group, section, section, key->name, NT_SCOPE_LOAD,
                                    false, &reader->run);
    reader->binds = true;
    return status;
}

/* What is held, by body and direction. */
static nt_status read_holds(nt_reader *reader)
{
    nt_simulation *simulation = &reader->model->simulation;
    const nt_texts *hold = &reader->run.hold;
    reader->model->holds = NT_TAKE(&reader->model->arena, hold->n, nt_hold_name);
    if (!reader->model->holds)
        return nt_read_no_memory(reader);
    for (int i = 0; i < hold->n; i++) {
        nt_hold_name *to = &reader->model->holds[reader->model->n_holds];
        if (nt_hold_read(reader->model, hold->text[i], to, &simulation->hold_free)) {
            reader->model->n_holds += to->count > 0;
            continue;
        }
        char shown[NT_WORDS];
        return nt_node_fail(reader->error, hold->node->values[i],
                            "hold: expected free, BODY.translation or BODY.rotation, perhaps with "
                            ".x, .y or .z, of a body that can move so, got %s",
                            nt_read_words(hold->node->values[i], shown, sizeof shown));
    }
    return NT_OK;
}

nt_status nt_read_run(nt_reader *reader)
{
    nt_model *model = reader->model;
    nt_run_data *run = &reader->run;
    nt_status status = NT_OK;
    run->energy_check = true;
    for (const nt_key *key = nt_file_keys; key->name && status == NT_OK; key++)
        if (key->type == NT_KEY_GROUP)
            status = read_section(reader, key);
    if (status == NT_OK)
        status = setup_check(reader);
    if (status == NT_OK)
        status = keep_key_places(reader);
    if (status != NT_OK)
        return status;
    model->correct_initial = run->correct;
    model->simulation = (nt_simulation){
        .start = run->start,
        .duration = run->duration,
        .step = run->step,
        .method = run->method ? run->method : "generalized-alpha",
        .frame = (nt_frame)run->frame,
        .frame_given = setup_find(reader, "simulation", "frame") != NULL,
        .options = run->options.option,
        .n_options = run->options.n,
        .option_place = run->options.place,
        .minimum_step = run->minimum_step,
        .maximum_step = run->maximum_step,
        .energy_check = run->energy_check,
        .every = run->every,
        .record = run->record.text,
        .n_record = run->record.n,
        .poses = run->poses || !setup_find(reader, "output", "poses"),
        .stable = run->stable,
        .static_initial = run->static_initial,
    };
    memcpy(model->simulation.tolerance, run->tolerance, sizeof run->tolerance);
    if ((status = read_holds(reader)) != NT_OK)
        return status;
    return run->record.node ? keep_record_places(reader)
                            : record_everything(reader, &model->simulation);
}
