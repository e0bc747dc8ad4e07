/* Records of a run: which quantities, at which times, into which writer, with which derivatives. */
#include "output/record.h"
#include "method/state.h"
#include "model/quantities/quantity_kind.h"
#include "output/digest.h"
#include "output/scene/scene.h"
#include "output/turning.h"
#include "system/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ATTRIBUTES = 64, TEXT_ROOM = 256 };

/* ---- columns -------------------------------------------------------------------------------- */

/* A whole orientation: a quaternion, whose derivative is a rotation too. */
static bool is_rotation(const nt_quantity_info *quantity)
{
    return nt_quantity_kinds[quantity->kind].needs & NT_IS_ROTATION;
}

static nt_status find_quantities(nt_record *record, nt_error *error)
{
    const nt_simulation *simulation = nt_model_simulation(record->model);
    record->n_quantities = simulation->n_record;
    record->n_columns = record->n_first;
    record->quantities = NT_TAKE(&record->arena, simulation->n_record, nt_quantity_info);
    if (!record->quantities)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    for (int i = 0; i < record->n_quantities; i++) {
        nt_quantity_info *quantity = &record->quantities[i];
        nt_status status =
            nt_quantity_find(record->model, simulation->record[i], false, NULL, quantity, error);
        if (status != NT_OK)
            return status;
        record->n_values += quantity->columns;
        record->n_columns += quantity->columns * (1 + record->n_parameters);
        if (is_rotation(quantity))
            record->n_columns += 3 * record->n_parameters;
        record->needs_reactions |= quantity->needs_reactions != 0;
        record->needs_energy |= quantity->needs_energy != 0;
        record->needs_drift |= quantity->needs_drift != 0;
        record->needs_accelerations |= quantity->needs_accelerations != 0;
    }
    return NT_OK;
}

/* Finds the parameters: the sensitivity's, or those whose derivatives come with each row. */
static nt_status find_parameters(nt_record *record, const nt_record_setup *setup, nt_error *error)
{
    nt_sensitivity *s = record->sensitivity;
    record->n_parameters = s ? nt_sensitivity_count(s) : setup->n_parameters;
    record->parameters = NT_TAKE(&record->arena, record->n_parameters, int);
    if (!record->parameters)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    for (int i = 0; i < record->n_parameters; i++)
        record->parameters[i] = s ? nt_sensitivity_parameter(s, i) : setup->parameters[i];
    return NT_OK;
}

static const char *parameter_name(const nt_record *record, int k)
{
    return nt_run_system(record->run)->parameter_names[record->parameters[k]];
}

/* The texts live in scratch: the writer needs them only while it opens. */
static bool put_column(nt_result_column *column, nt_arena *scratch, const char *name,
                       const char *unit, const char *meaning)
{
    column->name = nt_arena_text(scratch, name, strlen(name));
    column->unit = nt_arena_text(scratch, unit, strlen(unit));
    column->meaning = nt_arena_text(scratch, meaning, strlen(meaning));
    return column->name && column->unit && column->meaning;
}

/* Appends the columns of the derivatives of column `name`, one for each parameter. */
static bool put_derivatives(const nt_record *record, nt_arena *scratch, const char *name,
                            const char *unit, const char *meaning, nt_result_column **at)
{
    char text[2][3 * TEXT_ROOM];
    bool good = true;
    for (int k = 0; k < record->n_parameters && good; k++) {
        const char *parameter = parameter_name(record, k);
        snprintf(text[0], sizeof text[0], "d(%s)/d(%s)", name, parameter);
        snprintf(text[1], sizeof text[1], "derivative of %s, per unit of parameter %s", meaning,
                 parameter);
        good = put_column((*at)++, scratch, text[0], unit, text[1]);
    }
    return good;
}

/* The derivatives of an orientation as rotation vectors. */
static bool put_rotations(const nt_record *record, nt_arena *scratch, const char *component,
                          nt_result_column **at)
{
    char text[2][3 * TEXT_ROOM];
    bool good = true;
    int length = (int)strlen(component) - 2; /* without ".w" */
    for (int i = 0; i < 3 * record->n_parameters && good; i++) {
        const char *parameter = parameter_name(record, i / 3);
        snprintf(text[0], sizeof text[0], "d(%.*s)/d(%s).%c", length, component, parameter,
                 'x' + i % 3);
        snprintf(text[1], sizeof text[1],
                 "derivative of %.*s as a rotation vector, %c, ground axes, per unit of "
                 "parameter %s",
                 length, component, 'x' + i % 3, parameter);
        good = put_column((*at)++, scratch, text[0], "rad", text[1]);
    }
    return good;
}

static nt_status name_columns(const nt_record *record, nt_arena *scratch, nt_result_column *columns,
                              nt_error *error)
{
    char name[TEXT_ROOM], unit[TEXT_ROOM], meaning[TEXT_ROOM];
    nt_result_column *at = columns + record->n_first; /* which are there */
    for (int i = 0; i < record->n_quantities; i++) {
        const nt_quantity_info *quantity = &record->quantities[i];
        bool good = true;
        for (int j = 0; j < quantity->columns && good; j++) {
            nt_model_quantity_column(record->model, quantity, j, name, unit, meaning, TEXT_ROOM);
            good = put_column(at++, scratch, name, unit, meaning) &&
                   put_derivatives(record, scratch, name, unit, meaning, &at);
        }
        if (good && is_rotation(quantity)) {
            nt_model_quantity_column(record->model, quantity, 0, name, unit, meaning, TEXT_ROOM);
            good = put_rotations(record, scratch, name, &at);
        }
        if (!good)
            return nt_fail(error, NT_NO_MEMORY, "out of memory");
    }
    return NT_OK;
}

/* ---- provenance ----------------------------------------------------------------------------- */

static void record_add(nt_result_attribute *attributes, int *n, const char *name, const char *value,
                       size_t length)
{
    if (*n < MOST_ATTRIBUTES)
        attributes[(*n)++] = (nt_result_attribute){name, value, length};
}

/* What every result says about itself, then the caller's NAME=VALUE lines. */
static nt_status record_describe(const nt_record *record, nt_arena *scratch, const char *provenance,
                                 nt_result_attribute *attributes, int *n, nt_error *error)
{
    size_t length;
    const char *text = nt_model_text(record->model, &length);
    const char *title = nt_model_title(record->model);
    char *digest = nt_arena_take(scratch, NT_DIGEST_ROOM, 1);
    if (!digest)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    nt_digest(text, length, digest);
    if (title)
        record_add(attributes, n, "title", title, strlen(title));
    record_add(attributes, n, "source", "nutate", strlen("nutate"));
    record_add(attributes, n, "result_version", "1", 1);
    record_add(attributes, n, "nutate_version", nt_version(), strlen(nt_version()));
    record_add(attributes, n, "model", text, length);
    record_add(attributes, n, "model_sha256", digest, strlen(digest));
    for (const char *line = provenance; line && *line;) {
        size_t size = strcspn(line, "\n"), name = strcspn(line, "=\n");
        if (name > 0 && name < size) {
            const char *word = nt_arena_text(scratch, line, name);
            if (!word)
                return nt_fail(error, NT_NO_MEMORY, "out of memory");
            record_add(attributes, n, word, line + name + 1, size - name - 1);
        }
        line += size + (line[size] == '\n');
    }
    return NT_OK;
}

/* Values of the parameters whose derivatives are recorded, NAME=VALUE lines: what a change of one
 * per cent is cannot be read from a model whose parameters are expressions. */
static nt_status record_parameters(const nt_record *record, nt_arena *scratch,
                                   nt_result_attribute *attributes, int *n, nt_error *error)
{
    const nt_system *system = nt_run_system(record->run);
    double *values = NT_TAKE(scratch, system->n_parameters, double);
    size_t room = 1, used = 0;
    for (int k = 0; k < record->n_parameters; k++)
        room += strlen(parameter_name(record, k)) + 30;
    char *text = nt_arena_take(scratch, room, 1);
    if (!values || !text)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    system->get_parameters(system->self, values);
    for (int k = 0; k < record->n_parameters; k++)
        used += (size_t)snprintf(text + used, room - used, "%s%s=%.17g", k > 0 ? "\n" : "",
                                 parameter_name(record, k), values[record->parameters[k]]);
    record_add(attributes, n, "parameters", text, used);
    return NT_OK;
}

/* ---- poses ---------------------------------------------------------------------------------- */

/* Finds the poses of all bodies but the ground, where a file can hold them. */
static nt_status find_poses(nt_record *record, const nt_record_setup *setup, nt_error *error)
{
    const nt_model *model = record->model;
    bool wanted = false;
    for (int i = 0; i < setup->n_files; i++)
        wanted |= setup->files[i].format == NT_NETCDF;
    if (!wanted || !nt_model_simulation(model)->poses || model->n_bodies < 2)
        return NT_OK;
    record->n_bodies = model->n_bodies - 1;
    record->poses = NT_TAKE(&record->arena, 2 * record->n_bodies, nt_quantity_info);
    if (!record->poses)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    for (int i = 0; i < 2 * record->n_bodies; i++) {
        const nt_body *body = &model->bodies[1 + i / 2];
        char name[TEXT_ROOM];
        snprintf(name, sizeof name, "%s.%s", body->name, i % 2 ? "orientation" : "position");
        if (i % 2 && body->point)
            continue;
        nt_status status = nt_quantity_find(model, name, false, NULL, &record->poses[i], error);
        if (status != NT_OK)
            return status;
    }
    record->loads = NT_TAKE(&record->arena, model->n_elements, int);
    if (!record->loads)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    record->n_loads = nt_scene_loads(model, record->loads);
    record->accounts = setup->account && !setup->first;
    return nt_inner_find(&record->inner, model, &record->arena, error);
}

/* point[n_loads][3], then force[n_loads][3]: zeros where it has none. */
static void take_loads(const nt_record *record, double *point)
{
    const nt_view *view = record->sampler.view;
    double *force = point + 3 * record->n_loads;
    for (int i = 0; i < record->n_loads; i++) {
        const nt_element *e = &record->model->elements[record->loads[i]];
        v3 at, f;
        e->type->arrow(e, view, &at, &f);
        bool good = isfinite(v3_dot(at, at)) && isfinite(v3_dot(f, f));
        v3_store(point + 3 * i, good ? at : v3_of(0, 0, 0));
        v3_store(force + 3 * i, good ? f : v3_of(0, 0, 0));
    }
}

/* position[n_bodies][3], then orientation[n_bodies][4]: of a point that of the ground. Of the state
 * that was looked at, so before derivatives are taken: these look at states beside it. */
static void take_poses(const nt_record *record)
{
    double *position = record->row + record->n_columns, *orientation = position;
    orientation += 3 * record->n_bodies;
    for (int i = 0; i < record->n_bodies; i++) {
        const nt_quantity_info *pose = &record->poses[2 * i];
        double *q = orientation + 4 * i;
        nt_sampler_values(&record->sampler, &pose[0], position + 3 * i);
        q[0] = 1, q[1] = q[2] = q[3] = 0;
        if (pose[1].columns > 0)
            nt_sampler_values(&record->sampler, &pose[1], q);
    }
    double *at = orientation + 4 * record->n_bodies;
    if (record->n_loads > 0)
        take_loads(record, at);
    at += 6 * record->n_loads;
    if (record->n_bodies > 0)
        nt_inner_take(&record->inner, &record->sampler, at);
    at += nt_inner_count(&record->inner);
    if (record->accounts)
        memcpy(at, record->account, sizeof record->account);
}

/* Energies and drift of the state that was looked at, NaN where the model does not give them, and
 * the counts of the run; integrator may be NULL. */
static void take_account(nt_record *record, const nt_integrator *integrator, const nt_state *state,
                         bool known)
{
    const nt_statistics *statistics = nt_integrator_statistics(integrator);
    const nt_sampler *s = &record->sampler;
    double *out = record->account;
    for (int i = 0; i < ACCOUNT; i++)
        out[i] = (double)NAN;
    if (known) {
        out[0] = s->energy.kinetic, out[1] = s->energy.potential;
        out[2] = out[0] + out[1];
        out[4] = s->drift[0], out[5] = s->drift[1];
    }
    out[3] = state->work;
    out += ENERGIES + LEVELS;
    out[0] = state->step;
    if (!statistics)
        return;
    out[1] = (double)statistics->steps;
    out[2] = (double)statistics->rejected;
    out[3] = (double)statistics->iterations;
}

/* ---- open and close ------------------------------------------------------------------------- */

typedef struct saved {
    long next;
    double last;
} saved;

static nt_status open_result(nt_record *record, const nt_record_setup *setup, nt_error *error)
{
    nt_arena scratch = {0};
    nt_result_attribute attributes[MOST_ATTRIBUTES];
    nt_result_column *columns = NT_TAKE(&scratch, record->n_columns, nt_result_column);
    int n_bodies = record->n_bodies, n_loads = record->n_loads;
    const char **names = NT_TAKE(&scratch, n_bodies + n_loads, const char *);
    for (int i = 0; names && i < n_bodies; i++)
        names[i] = record->model->bodies[1 + i].name;
    for (int i = 0; names && i < n_loads; i++)
        names[n_bodies + i] = record->model->elements[record->loads[i]].name;
    const char *const *loads = names ? names + n_bodies : NULL;
    static const char *const whole[] = {"whole"};
    const nt_result_array account[3] = {
        {"run.energy", "J", "kinetic, potential, total energy, work of loads", "run", "energies", 1,
         ENERGIES, whole},
        {"run.drift", "m, m/s", "largest constraint equation of positions, of velocities", "run",
         "levels", 1, LEVELS, whole},
        {"run.steps", "s, 1", "size of the last step; steps, rejected ones, iterations so far",
         "run", "counts", 1, COUNTS, whole}};
    nt_result_array poses[7 + NT_INNER_ARRAYS] = {
        {"bodies.position", "m", "position of the body frame's origin, ground axes", "body",
         "vector", record->n_bodies, 3, names},
        {"bodies.orientation", "1", "unit quaternion w, x, y, z from body axes to ground axes",
         "body", "quaternion", record->n_bodies, 4, names},
        {"loads.point", "m", "where a force acts, ground axes", "load", "vector", n_loads, 3,
         loads},
        {"loads.force", "N or N m", "a force, or of a torque the moment, ground axes", "load",
         "vector", n_loads, 3, loads}};
    nt_result_setup result = {.files = setup->files,
                              .n_files = setup->n_files,
                              .columns = columns,
                              .n_columns = record->n_columns,
                              .arrays = poses,
                              .n_arrays = n_loads > 0    ? 4
                                          : n_bodies > 0 ? 2
                                                         : 0,
                              .attributes = attributes};
    if (n_bodies > 0)
        result.n_arrays += nt_inner_arrays(&record->inner, poses + result.n_arrays);
    for (int i = 0; record->accounts && i < 3; i++)
        poses[result.n_arrays++] = account[i];
    static const nt_result_column time = {"time", "s", "time"};
    for (int i = 0; columns && i < record->n_first; i++)
        columns[i] = setup->first ? setup->first[i] : time;
    nt_status status = columns && names ? name_columns(record, &scratch, columns, error)
                                        : nt_fail(error, NT_NO_MEMORY, "out of memory");
    if (status == NT_OK)
        status = record_describe(record, &scratch, setup->provenance, attributes,
                                 &result.n_attributes, error);
    if (status == NT_OK && record->n_parameters > 0)
        status = record_parameters(record, &scratch, attributes, &result.n_attributes, error);
    nt_bytes scene = {0};
    if (status == NT_OK && n_bodies > 0) {
        status = nt_scene_write(record->run, &scene, error);
        record_add(attributes, &result.n_attributes, "scene", scene.at, scene.used);
    }
    if (setup->saved) {
        saved place;
        if (setup->saved_size < sizeof place)
            status = nt_fail(error, NT_INVALID, "the saved record is too short");
        else
            memcpy(&place, setup->saved, sizeof place);
        record->next = place.next;
        record->last = place.last;
        result.saved = (const char *)setup->saved + sizeof place;
        result.saved_size = setup->saved_size - sizeof place;
    }
    for (int i = 0; setup->take_column && status == NT_OK && i < record->n_columns; i++)
        setup->take_column(setup->taker, &columns[i]);
    if (status == NT_OK && setup->n_files > 0)
        status = nt_result_create(&record->result, &result, error);
    nt_bytes_free(&scene);
    nt_arena_free(&scratch);
    return status;
}

static nt_status record_take_memory(nt_record *record, nt_error *error)
{
    const nt_system *system = nt_run_system(record->run);
    int rows = record->needs_reactions ? system->nh + system->nn : 0;
    nt_arena *arena = &record->arena;
    if (!NT_DOUBLES(arena,
                    record->n_columns + 7 * record->n_bodies + 6 * record->n_loads +
                        nt_inner_count(&record->inner) + ACCOUNT,
                    &record->row) ||
        nt_seen_init(&record->seen, system, record->n_columns, arena) != NT_OK ||
        nt_record_take_rounding(record) != NT_OK || nt_record_take_unbalanced(record) != NT_OK ||
        !NT_DOUBLES(arena, rows, &record->reactions))
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    nt_status status = nt_sampler_init(&record->sampler, record->run, arena, error);
    if (record->n_parameters == 0 || status != NT_OK)
        return status;
    size_t n = (size_t)record->n_values;
    if (!NT_DOUBLES(arena, n, &record->values) ||
        !NT_DOUBLES(arena, n * (size_t)record->n_parameters, &record->derivatives) ||
        !NT_DOUBLES(arena, rows, &record->reaction_rates))
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    return nt_tangent_sampler_init(&record->tangents, record->run, record->n_values, arena, error);
}

nt_status nt_record_open(nt_record **record, nt_run *run, const char *path, nt_record_format format,
                         const char *provenance, nt_error *error)
{
    NT_NEED(error, "record", record);
    *record = NULL;
    NT_NEED(error, "run path", run, path);
    NT_NEED_NUMBER(error, "format", format, NT_CSV, NT_NETCDF);
    const nt_result_file file = {path, format};
    const nt_record_setup setup = {
        .run = run, .files = &file, .n_files = 1, .provenance = provenance};
    return nt_record_create(record, &setup, error);
}

nt_status nt_record_create(nt_record **record, const nt_record_setup *setup, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "record", record);
    *record = NULL;
    NT_NEED(error, "setup", setup);
    NT_NEED_VERSION(error, "setup", setup->version);
    NT_NEED(error, "setup.run", setup->run);
    NT_NEED_COUNT(error, "setup.n_files", setup->n_files);
    NT_NEED_COUNT(error, "setup.n_first", setup->n_first);
    NT_NEED_COUNT(error, "setup.n_parameters", setup->n_parameters);
    if (!setup->take_row || setup->n_files > 0)
        NT_NEED(error, "setup.files", setup->files);
    for (int i = 0; i < setup->n_files; i++) {
        NT_NEED(error, "setup.files.path", setup->files[i].path);
        NT_NEED_NUMBER(error, "setup.files.format", setup->files[i].format, NT_CSV, NT_NETCDF);
    }
    for (int i = 0; setup->first && i < setup->n_first; i++)
        NT_NEED(error, "setup.first.name setup.first.unit setup.first.meaning",
                setup->first[i].name, setup->first[i].unit, setup->first[i].meaning);
    if (!setup->sensitivity && setup->n_parameters > 0)
        NT_NEED(error, "setup.parameters", setup->parameters);
    for (int i = 0; !setup->sensitivity && i < setup->n_parameters; i++)
        NT_NEED_NUMBER(error, "setup.parameters[i]", setup->parameters[i], 0,
                       nt_run_system(setup->run)->n_parameters - 1);
    if (!setup->take_row && setup->n_files < 1)
        return nt_fail(error, NT_INVALID, "a record has %d files and no taker of its rows",
                       setup->n_files);
    if (setup->saved && setup->n_files < 1)
        return nt_fail(error, NT_INVALID, "a record without files has no rows to go on after");
    nt_record *r = calloc(1, sizeof *r);
    if (!r)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    r->run = setup->run;
    r->model = nt_run_model(r->run);
    r->sensitivity = setup->sensitivity;
    r->take_row = setup->take_row;
    r->taker = setup->taker;
    r->stop = setup->stop;
    r->context = setup->context;
    r->start = nt_model_simulation(r->model)->start;
    r->every = nt_model_simulation(r->model)->every;
    r->last = (double)NAN;
    r->length = nt_run_length(r->run);
    r->n_first = setup->first ? setup->n_first : 1;
    nt_status status = find_parameters(r, setup, error);
    if (status == NT_OK)
        status = find_quantities(r, error);
    if (status == NT_OK)
        status = find_poses(r, setup, error);
    if (status == NT_OK)
        status = record_take_memory(r, error);
    if (status == NT_OK)
        status = open_result(r, setup, error);
    if (status != NT_OK) {
        nt_arena_free(&r->arena);
        free(r);
        return nt_said(error, status);
    }
    *record = r;
    return NT_OK;
}

long nt_record_rows(const nt_record *record)
{
    if (!record)
        return 0;
    return record->result ? nt_result_written(record->result) : record->taken;
}

void nt_record_restart(nt_record *record)
{
    if (!record || record->result)
        return;
    record->next = record->taken = record->rounding.rows = record->unbalanced.rows = 0;
    record->last = (double)NAN;
    nt_seen_forget(&record->seen);
}

size_t nt_record_saved_size(const nt_record *record)
{
    if (!record)
        return 0;
    return sizeof(saved) + (record->result ? nt_result_saved_size(record->result) : 0);
}

nt_status nt_record_save(nt_record *record, void *bytes, int to_disk, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "record bytes", record, bytes);
    const saved place = {.next = record->next, .last = record->last};
    memcpy(bytes, &place, sizeof place);
    if (!record->result)
        return NT_OK;
    return nt_result_save(record->result, (char *)bytes + sizeof place, to_disk, error);
}

nt_status nt_record_close(nt_record *record, nt_error *error)
{
    nt_error_clear(error);
    if (!record)
        return NT_OK;
    nt_status status = record->result ? nt_result_finish(record->result, error) : NT_OK;
    nt_arena_free(&record->arena);
    free(record);
    return nt_said(error, status);
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Hands the row on: to the files, then to the program. */
static nt_status put_row(nt_record *record, nt_error *error)
{
    nt_status status = record->result ? nt_result_write(record->result, record->row, error) : NT_OK;
    if (status == NT_OK && record->take_row) {
        status = record->take_row(record->taker, record->row, record->n_columns);
        if (status != NT_OK)
            nt_fail(error, status, "a row was not taken: %s", nt_status_text(status));
    }
    record->taken += status == NT_OK;
    return status;
}

static nt_status keep_up(const nt_record *r, nt_error *error)
{
    return r->result ? nt_result_keep_up(r->result, error) : NT_OK;
}
/* Number of the first output time after t. */
static long after(const nt_record *record, double t)
{
    double k = record->every > 0 ? floor((t - record->start) / record->every + 1e-6) + 1 : 0;
    return k > 0 ? (long)fmin(k, 9e18) : 0;
}

/* A result does not hold what is no number: too large, or a difference of such. The values, or
 * (k >= 0) their derivatives with respect to parameter k. */
static nt_status check_numbers(const nt_record *record, const double *numbers, int k, double t,
                               nt_error *error)
{
    char name[TEXT_ROOM], unit[TEXT_ROOM], meaning[TEXT_ROOM];
    for (int i = 0; i < record->n_quantities; i++)
        for (int j = 0; j < record->quantities[i].columns; j++) {
            if (isfinite(*numbers++))
                continue;
            nt_model_quantity_column(record->model, &record->quantities[i], j, name, unit, meaning,
                                     TEXT_ROOM);
            const char *of = k < 0 ? "" : parameter_name(record, k);
            return nt_fail(error, NT_NOT_FINITE, "%s%s%s%s%s is not finite at t = %.9g s",
                           k < 0 ? "" : "d(", name, k < 0 ? "" : ")/d(", of, k < 0 ? "" : ")", t);
        }
    return NT_OK;
}

/* How all values vary at a state with parameter k, along `rate`, into out[n_values]. */
static nt_status derive(nt_record *record, const nt_state *state, int k, const nt_state_rate *rate,
                        const double *reaction_rates, double *out, nt_error *error)
{
    const nt_sample_direction direction = {
        .quantities = record->quantities,
        .n = record->n_quantities,
        .state = state,
        .reactions = record->needs_reactions ? record->reactions : NULL,
        .reaction_rates = record->needs_reactions ? reaction_rates : NULL,
        .rate = rate};
    nt_status status = nt_tangent_sampler_take(&record->tangents, &direction, out, error);
    return status == NT_OK ? check_numbers(record, out, k, state->t, error) : status;
}

/* The derivatives of a row in parameter k of the sensitivity. */
static nt_status find_derivatives(nt_record *record, const nt_integrator *integrator,
                                  const nt_state *state, int k, double *out, nt_error *error)
{
    nt_sensitivity *s = record->sensitivity;
    nt_state_tangent d = nt_sensitivity_state(s, k);
    bool inside = state->t != nt_integrator_state(integrator).t;
    nt_status status = inside ? nt_sensitivity_dense(s, k, state->t, &d) : NT_OK;
    if (status != NT_OK)
        return nt_fail(error, status, "no derivatives at t = %.17g s: %s", state->t,
                       nt_status_text(status));
    if (record->needs_accelerations)
        status = nt_sensitivity_balance(s, k, state, &d, error);
    if (status == NT_OK && record->needs_reactions)
        status = nt_sensitivity_reactions(s, k, state, &d, record->length, record->reaction_rates,
                                          error);
    const nt_state_rate rate = nt_state_rate_along(&d, record->parameters[k]);
    return status == NT_OK ? derive(record, state, k, &rate, record->reaction_rates, out, error)
                           : status;
}

/* The row from the values and their derivatives. */
static void put_derived_values(nt_record *record)
{
    size_t n = (size_t)record->n_values;
    double *out = record->row + record->n_first;
    const double *value = record->values, *derivative = record->derivatives;
    for (int i = 0; i < record->n_quantities; i++) {
        const nt_quantity_info *quantity = &record->quantities[i];
        for (int j = 0; j < quantity->columns; j++) {
            *out++ = value[j];
            for (int k = 0; k < record->n_parameters; k++)
                *out++ = derivative[(size_t)k * n + (size_t)j];
        }
        for (int k = 0; is_rotation(quantity) && k < record->n_parameters; k++, out += 3)
            nt_record_turning(value, derivative + (size_t)k * n, out);
        value += quantity->columns;
        derivative += quantity->columns;
    }
}

/* All values at a state into the row, or where derivatives come between them beside it, and what
 * it shows beside its columns; the reactions stand in the record. */
static nt_status take_values(nt_record *record, const nt_integrator *integrator,
                             const nt_state *state, nt_error *error)
{
    const double *reactions = record->needs_reactions ? record->reactions : NULL;
    bool known = record->accounts &&
                 nt_sampler_look(&record->sampler, state, reactions, true, true, NULL) == NT_OK;
    nt_status status = NT_OK;
    if (!known)
        status = nt_sampler_look(&record->sampler, state, reactions, record->needs_energy,
                                 record->needs_drift, error);
    if (status != NT_OK)
        return status;
    if (record->accounts)
        take_account(record, integrator, state, known);
    take_poses(record);
    double *values = record->n_parameters > 0 ? record->values : record->row + record->n_first;
    for (int i = 0, at = 0; i < record->n_quantities; i++) {
        nt_sampler_values(&record->sampler, &record->quantities[i], values + at);
        at += record->quantities[i].columns;
    }
    status = check_numbers(record, values, -1, state->t, error);
    if (status == NT_OK)
        nt_record_keep_largest(record, values);
    return status;
}

nt_status nt_record_put(nt_record *record, const nt_record_row *row, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "record row", record, row);
    NT_NEED_VERSION(error, "row", row->version);
    NT_NEED(error, "row.state", row->state);
    NT_NEED_STATE(error, "row.state", &record->run->system, row->state);
    int rows = record->run->system.nh + record->run->system.nn;
    if (record->n_first > 0)
        NT_NEED(error, "row.first", row->first);
    if (record->n_parameters > 0)
        NT_NEED(error, "row.rates", row->rates);
    if (record->needs_reactions && rows > 0) {
        NT_NEED(error, "row.reactions", row->reactions);
        memcpy(record->reactions, row->reactions, (size_t)rows * sizeof(double));
    }
    if (record->n_first > 0)
        memcpy(record->row, row->first, (size_t)record->n_first * sizeof(double));
    nt_status status = take_values(record, NULL, row->state, error);
    size_t n = (size_t)record->n_values;
    for (int k = 0; k < record->n_parameters && status == NT_OK; k++)
        status = derive(record, row->state, k, &row->rates[k],
                        row->reaction_rates ? row->reaction_rates + (size_t)k * (size_t)rows : NULL,
                        record->derivatives + (size_t)k * n, error);
    if (status == NT_OK && record->n_parameters > 0)
        put_derived_values(record);
    if (status == NT_OK)
        status = put_row(record, error);
    return nt_said(error, status);
}

nt_status nt_record_write(nt_record *record, nt_integrator *integrator, const nt_state *state,
                          nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "record integrator state", record, integrator, state);
    NT_NEED_STATE(error, "state", &record->run->system, state);
    const nt_state end = *state;
    if (end.t == record->last && !nt_seen_differs(&record->seen, integrator, state))
        return NT_OK;
    nt_state shown = *state;
    bool balances = record->needs_accelerations;
    nt_status status = balances ? nt_integrator_balance(integrator, state, &shown, error) : NT_OK;
    state = &shown;
    if (status == NT_OK && balances && nt_integrator_lacks_rates(integrator))
        nt_record_keep_unbalanced(record, state);
    if (status == NT_OK && record->needs_reactions)
        status =
            nt_integrator_reactions(integrator, state, record->length, record->reactions, error);
    if (status != NT_OK)
        return nt_said(error, status);
    record->row[0] = state->t;
    status = take_values(record, integrator, state, error);
    if (status == NT_NOT_FINITE)
        nt_integrator_add_reach(integrator, error);
    size_t n = (size_t)record->n_values;
    for (int k = 0; k < record->n_parameters && status == NT_OK; k++)
        status = find_derivatives(record, integrator, state, k, record->derivatives + (size_t)k * n,
                                  error);
    if (status == NT_OK && record->n_parameters > 0)
        put_derived_values(record);
    if (status == NT_OK && end.t == record->last && nt_seen_shows(&record->seen, record->row))
        return NT_OK;
    if (status != NT_OK || (status = put_row(record, error)) != NT_OK)
        return nt_said(error, status);
    record->last = state->t;
    nt_seen_keep(&record->seen, &end, record->row);
    record->next = after(record, state->t);
    return NT_OK;
}

/* Output times do not dictate steps: a row between two step ends is interpolated. One that is as
 * good as a step end, to a millionth of the step, is that step end with its own time. */
nt_status nt_record_advance(nt_record *record, nt_integrator *integrator, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "record integrator", record, integrator);
    nt_state end = nt_integrator_state(integrator);
    if (record->every <= 0) {
        nt_status status = nt_record_write(record, integrator, &end, error);
        return nt_said(error, status == NT_OK ? keep_up(record, error) : status);
    }
    double near = 1e-6 * fmin(end.step, record->every);
    for (;;) {
        double t = record->start + (double)record->next * record->every;
        if (t > end.t + near)
            return nt_said(error, keep_up(record, error));
        if (record->stop && record->stop(record->context))
            return nt_fail(error, NT_INTERRUPTED,
                           "interrupted at t = %.9g s, before the row of %.9g s", end.t, t);
        nt_state state = nt_integrator_state(integrator); /* looks share v and vdot */
        bool inside = t < end.t - near;
        nt_status status = inside ? nt_integrator_dense(integrator, t, &state) : NT_OK;
        if (status != NT_OK)
            return nt_fail(error, status, "no values between steps at t = %.17g s: %s", t,
                           nt_status_text(status));
        long before = record->next;
        status = nt_record_write(record, integrator, &state, error);
        if (status != NT_OK)
            return nt_said(error, status);
        if (record->next <= before)
            record->next = before + 1;
    }
}
