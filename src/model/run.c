/* Runs: made from a model, and their parameters by name. */
#include "model/run.h"

#include "base/error.h"
#include "base/suggest.h"
#include "model/contacts/bounce.h"
#include "model/contacts/meeting.h"
#include "model/evaluate.h"
#include "model/events/events.h"
#include "model/events/onsets.h"
#include "model/events/overstepped.h"
#include "model/events/passings.h"
#include "model/forces/load.h"
#include "model/joints/joint.h"
#include "model/parameters/parameter.h"
#include "model/side_by_side.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the numbers ---------------------------------------------------------------------------- */

/* Every part of the numbers begins at a multiple of this, a cache line: what an element reads at
 * its front then lies in as few lines as it can. */
enum { ALIGNMENT = 64 };

static size_t place_of(size_t *bytes, size_t count, size_t size)
{
    size_t at = *bytes;
    *bytes += (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return at;
}

/* The numbers of a model, and where each kind of them begins. Elements learn their places. */
typedef struct layout {
    size_t gravity, bodies, markers, all;
} layout;

static layout lay_out(const nt_model *model, nt_element *elements)
{
    layout at = {0};
    at.gravity = place_of(&at.all, 3, sizeof(double));
    at.bodies = place_of(&at.all, (size_t)model->n_bodies, sizeof(nt_body));
    at.markers = place_of(&at.all, (size_t)model->n_markers, sizeof(nt_marker));
    for (int i = 0; elements && i < model->n_elements; i++)
        elements[i].data = place_of(&at.all, 1, elements[i].bytes);
    return at;
}

static void bind_numbers(nt_run *run, char *numbers)
{
    layout at = lay_out(run->model, NULL);
    run->numbers = numbers;
    run->gravity = (double *)(void *)(numbers + at.gravity);
    run->bodies = (nt_body *)(void *)(numbers + at.bodies);
    run->markers = (nt_marker *)(void *)(numbers + at.markers);
}

/* Where no parameter can change them, all runs read those of the origin. */
static nt_status take_numbers(nt_run *run)
{
    const nt_model *model = run->model;
    bool shared = run != model->origin && model->n_parameters == 0;
    char *numbers = shared ? model->origin->numbers : NT_TAKE(&run->arena, model->numbers, char);
    if (!numbers)
        return NT_NO_MEMORY;
    if (run != model->origin && !shared)
        memcpy(numbers, model->origin->numbers, model->numbers);
    bind_numbers(run, numbers);
    for (int i = 0; i < NT_SHARES; i++)
        run->share[i] = 1;
    return NT_OK;
}

nt_status nt_run_own_numbers(nt_run *run)
{
    const char *shared = run->model->origin->numbers;
    if (run->numbers != shared)
        return NT_OK;
    char *own = NT_TAKE(&run->arena, run->model->numbers, char);
    if (!own)
        return NT_NO_MEMORY;
    memcpy(own, shared, run->model->numbers);
    bind_numbers(run, own);
    run->view.bodies = run->bodies;
    return NT_OK;
}

nt_status nt_model_take_numbers(nt_model *model)
{
    model->numbers = lay_out(model, model->elements).all;
    model->origin = calloc(1, sizeof *model->origin);
    if (!model->origin)
        return NT_NO_MEMORY;
    model->origin->model = model;
    nt_status status = take_numbers(model->origin);
    model->bodies = model->origin->bodies;
    model->markers = model->origin->markers;
    return status;
}

nt_status nt_model_more_numbers(nt_model *model)
{
    nt_run *origin = model->origin;
    size_t before = model->numbers;
    model->numbers = lay_out(model, model->elements).all;
    char *numbers = NT_TAKE(&origin->arena, model->numbers, char);
    if (!numbers)
        return NT_NO_MEMORY;
    memcpy(numbers, origin->numbers, before);
    bind_numbers(origin, numbers);
    model->bodies = origin->bodies;
    model->markers = origin->markers;
    return NT_OK;
}

/* ---- memory --------------------------------------------------------------------------------- */

nt_status nt_run_take_variables(nt_run *run)
{
    const nt_model *model = run->model;
    nt_arena *arena = &run->arena;
    run->parameters = NT_TAKE(arena, model->n_parameters, nt_parameter_value);
    run->variables = NT_TAKE(arena, nt_model_variable_count(model), double);
    run->values = NT_TAKE(arena, 2 * (size_t)model->n_parameters, double);
    if (!run->values || !run->parameters || !run->variables)
        return NT_NO_MEMORY;
    for (int i = 0; i < model->n_parameters; i++) {
        double value = model->parameters[i].value;
        run->parameters[i] = (nt_parameter_value){.value = value, .asked = value};
        run->variables[i] = value;
    }
    run->variables[nt_model_time_variable(model)] = model->simulation.start;
    return NT_OK;
}

static void bind_system(nt_run *run)
{
    nt_system *s = &run->system;
    *s = run->model->system;
    s->self = run;
    s->evaluate = nt_run_evaluate;
    s->energy = nt_run_energy;
    s->energies = nt_run_energies;
    s->energy_gained = nt_run_energy_gained;
    s->pool = &run->pool;
    for (int i = 0; i < run->model->n_elements; i++) {
        if (nt_element_carries(&run->model->elements[i]))
            s->carry = nt_run_carry;
        if (nt_element_is_passive_body(run->model, &run->model->elements[i]))
            s->powers = nt_run_powers;
        if (nt_element_may_rest(&run->model->elements[i]))
            s->rests = nt_run_rests;
        if (nt_element_has_warnings(&run->model->elements[i]))
            s->noticed = nt_run_noticed;
        if (run->model->elements[i].type->touches) {
            s->fastest_damping = nt_run_fastest_damping;
            s->damping_name = nt_run_damping_name;
            s->stiffest = nt_run_stiffest;
        }
        run->overstepped |= nt_can_be_overstepped(run->model->origin, &run->model->elements[i]);
        if (nt_element_touches(&run->model->elements[i]) || run->overstepped) {
            s->met = nt_run_met;
            s->met_name = nt_run_met_name;
        }
    }
    s->onsets = s->n_onsets > 0 ? nt_run_onsets : NULL;
    s->hold_onsets = s->n_onsets > 0 ? nt_run_hold_onsets : NULL;
    s->bounces = s->n_bounces > 0 ? nt_run_bounces : NULL;
    s->met_name = s->bounces ? nt_run_met_name : s->met_name;
    s->given = s->given_rows ? nt_run_given_rotation : NULL;
    s->accept = s->n_memory > 0 ? nt_run_accept : NULL;
    s->accept_tangent = nt_run_accept_tangent;
    s->set_parameters = nt_run_set_parameters;
    s->get_parameters = nt_run_get_parameters;
    s->initial = nt_run_consistent_initial;
    s->parameter_tangent = nt_run_parameter_tangent;
    s->initial_tangent = nt_run_own_initial_tangent;
    s->energy_tangent = nt_run_energy_tangent;
    s->momenta = &run->momenta;
    s->coordinate_name = nt_run_coordinate_name;
    s->equation_name = nt_run_equation_name;
    s->failure = nt_run_failure;
    s->place = nt_run_place;
    s->events = s->events ? &run->model->events : NULL;
    s->feature = nt_run_feature;
    s->ill_posed = nt_run_ill_posed;
    nt_run_renew_promises(run);
}

/* Motions of all bodies, one number behind the start of a cache line: two neighbouring numbers of a
 * position, a velocity or a row of R, which are written at once, are then never in two lines. Where
 * these are in two pages of memory, a single such write takes as long as all of R does. */
static nt_motion *run_take_motions(nt_run *run)
{
    size_t numbers = (size_t)run->model->n_bodies * (sizeof(nt_motion) / sizeof(double));
    double *all = NT_TAKE(&run->work, 1 + numbers, double);
    return all ? (nt_motion *)(all + 1) : NULL;
}

nt_status nt_run_take_state(nt_run *run)
{
    const nt_model *model = run->model;
    const nt_system *s = &model->system;
    nt_arena *arena = &run->arena;
    int rows = s->nh + s->nn;
    bind_system(run);
    run->initial_q = NT_TAKE(arena, s->space.nq, double);
    run->initial_v = NT_TAKE(arena, s->space.nv, double);
    run->initial_memory = NT_TAKE(arena, s->n_memory, double);
    run->redundant = NT_TAKE(arena, rows, int);
    run->passings = nt_passings_take(model, arena);
    run->event_notes = NT_TAKE(arena, model->n_happenings, nt_event_note);
    bool notes = run->system.noticed != NULL;
    bool damps = run->system.fastest_damping != NULL;
    run->notes = notes ? NT_TAKE(arena, model->n_elements, nt_run_note) : NULL;
    run->dampings = damps ? NT_TAKE(arena, model->n_elements, nt_run_damping) : NULL;
    size_t one =
        1 + sizeof(nt_motion) / sizeof(double); /* with a pose of its own, for finding it */
    run->carried =
        damps ? NT_TAKE(arena, one * (size_t)model->n_bodies + (size_t)s->space.nq, double) : NULL;
    run->onsets = NT_TAKE(arena, 4 * (size_t)s->n_onsets, double);
    for (int i = 0; i < 3 && run->onsets; i++)
        run->onsets_beside[i] = run->onsets + (i + 1) * s->n_onsets;
    run->mass = NT_TAKE(arena, s->space.nv, double);
    run->inertia = NT_TAKE(arena, 9 * (size_t)s->space.n_rotations, double);
    run->motion = run_take_motions(run);
    bool steps = run->system.met || run->system.bounces;
    run->motion_before = steps ? run_take_motions(run) : NULL;
    run->motion_within = run->overstepped ? run_take_motions(run) : NULL;
    for (int i = 0; i < 2 && run->overstepped; i++)
        run->onsets_at_end[i] = NT_TAKE(&run->work, s->n_onsets, double);
    run->onsets_within = run->overstepped ? NT_TAKE(&run->work, s->n_onsets, double) : NULL;
    run->multipliers = NT_TAKE(&run->work, rows, double);
    run->scratch = NT_TAKE(&run->work, model->scratch, double);
    run->events_rows = NT_TAKE(&run->work, rows, double);
    run->set_now = NT_TAKE(&run->work, 2 * (size_t)model->n_parameters, double);
    run->events_work = NT_TAKE(&run->work, s->space.nq + 2 * s->space.nv, double);
    run->named_variables = NT_TAKE(&run->work, model->n_parameters + 1 + model->n_columns, double);
    if (nt_local_take(&run->local, &run->work, model->most_entries, model->most_in_table,
                      model->most_ports) != NT_OK)
        return NT_NO_MEMORY;
    for (int i = 0; s->events && i < s->n_memory - model->switch_memory; i++)
        run->initial_memory[model->switch_memory + i] = (double)NAN; /* nothing is held yet */
    run->local.aside = nt_aside_take(model, &run->work);
    if ((model->n_followed > 0 && !run->local.aside) || (steps && !run->motion_before) ||
        (run->overstepped && (!run->motion_within || !run->onsets_at_end[0] ||
                              !run->onsets_at_end[1] || !run->onsets_within)))
        return NT_NO_MEMORY;
    if (!run->onsets || !run->initial_q || !run->initial_v || !run->initial_memory ||
        !run->redundant || !run->mass || !run->inertia || !run->motion || !run->multipliers ||
        !run->scratch || !run->passings || !run->event_notes || !run->named_variables ||
        !run->events_work || !run->set_now || !run->events_rows || (notes && !run->notes) ||
        (damps && (!run->dampings || !run->carried)) || !nt_parameter_rates_init(run))
        return NT_NO_MEMORY;
    nt_actions_forget_notes(run);
    nt_motion_init(run->motion);
    run->view = (nt_view){.run = run,
                          .model = model,
                          .motion = run->motion,
                          .bodies = run->bodies,
                          .variables = run->variables,
                          .scratch = run->scratch,
                          .local = &run->local,
                          .pair = {NT_T_A, NT_T_B}};
    run->momenta = (nt_momenta){.mass = run->mass, .inertia = run->inertia};
    return NT_OK;
}

/* ---- from a model --------------------------------------------------------------------------- */

/* What the assembly of the origin found. */
void nt_run_copy_state(nt_run *run, const nt_run *from)
{
    const nt_system *s = &run->model->system;
    memcpy(run->initial_q, from->initial_q, (size_t)s->space.nq * sizeof(double));
    memcpy(run->initial_v, from->initial_v, (size_t)s->space.nv * sizeof(double));
    memcpy(run->initial_memory, from->initial_memory, (size_t)s->n_memory * sizeof(double));
    memcpy(run->redundant, from->redundant, (size_t)from->n_redundant * sizeof(int));
    memcpy(run->mass, from->mass, (size_t)s->space.nv * sizeof(double));
    if (run->carried)
        memcpy(run->carried, from->carried, (size_t)run->model->n_bodies * sizeof(double));
    memcpy(run->inertia, from->inertia, 9 * (size_t)s->space.n_rotations * sizeof(double));
    run->n_redundant = from->n_redundant;
    run->length = run->system.length = from->length;
    run->corrections = from->corrections;
}

nt_status nt_run_create(nt_run **out, const nt_model *model, nt_error *error)
{
    NT_NEED(error, "run", out);
    *out = NULL;
    NT_NEED(error, "model", model);
    nt_run *run = calloc(1, sizeof *run);
    if (!run)
        return nt_fail(error, NT_NO_MEMORY, "out of memory for a run");
    run->model = model;
    nt_status status = take_numbers(run);
    if (status == NT_OK)
        status = nt_run_take_variables(run);
    if (status == NT_OK)
        status = nt_run_take_state(run);
    if (status != NT_OK) {
        nt_run_destroy(run);
        return nt_fail(error, status, "out of memory for a run");
    }
    nt_run_copy_state(run, model->origin);
    *out = run;
    return NT_OK;
}

void nt_run_rest(nt_run *run)
{
    nt_parameter_rates_forget(run);
    nt_arena_free(&run->work);
    run->rates = NULL;
    run->motion = run->motion_before = run->motion_within = NULL;
    run->onsets_at_end[0] = run->onsets_at_end[1] = run->onsets_within = NULL;
    run->multipliers = run->scratch = run->named_variables = NULL;
    run->sides = NULL;
}

void nt_run_destroy(nt_run *run)
{
    if (!run)
        return;
    nt_side_by_side_free(run->side_by_side);
    nt_run_rest(run);
    nt_arena_free(&run->arena);
    free(run);
}

/* ---- what it shows -------------------------------------------------------------------------- */

const nt_model *nt_run_model(const nt_run *run) { return run ? run->model : NULL; }
const nt_system *nt_run_system(nt_run *run) { return run ? &run->system : NULL; }

void nt_run_stop_when(nt_run *run, int (*requested)(void *context), void *context)
{
    if (!run)
        return;
    run->stop = (nt_stop_request){requested, context};
    run->system.stop = requested ? &run->stop : NULL;
}

double nt_run_length(const nt_run *run) { return run ? run->length : 0; }

const char *nt_run_corrections(const nt_run *run)
{
    return run && run->corrections ? run->corrections : "";
}

void nt_run_initial(const nt_run *run, double *q, double *v, double *memory)
{
    if (!run || !q || !v || (run->system.n_memory > 0 && !memory))
        return;
    const nt_system *s = &run->system;
    memcpy(q, run->initial_q, (size_t)s->space.nq * sizeof *q);
    memcpy(v, run->initial_v, (size_t)s->space.nv * sizeof *v);
    if (s->n_memory > 0)
        memcpy(memory, run->initial_memory, (size_t)s->n_memory * sizeof *memory);
}

/* ---- for the functions of element types ----------------------------------------------------- */

const void *nt_element_data_in(const nt_run *run, const nt_element *element)
{
    return run && element ? nt_element_data(run, element) : NULL;
}

const void *nt_element_data_of(const nt_model *model, const nt_element *element)
{
    return model && element ? nt_model_data(model, element) : NULL;
}

void *nt_element_numbers_in(nt_run *run, const nt_element *element)
{
    return run && element ? nt_element_numbers(run, element) : NULL;
}

nt_status nt_element_point(const nt_run *run, const nt_element *element,
                           const nt_place_of_point *point, int body, bool validate,
                           double offset[3], nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "run element point offset", run, element, point, offset);
    NT_NEED_NUMBER(error, "body", body, 0, run->model->n_bodies - 1);
    v3 found;
    nt_status status = nt_load_point(run, element, point, body, validate, &found, error);
    if (status == NT_OK)
        v3_store(offset, found);
    return nt_said(error, status);
}

nt_status nt_element_refuse(const nt_run *run, const nt_element *element, nt_error *error,
                            const char *words)
{
    nt_error_clear(error);
    NT_NEED(error, "run element words", run, element, words);
    return nt_said(error, nt_load_refuse(run->model, element, error, "%s", words));
}

/* ---- parameters by name --------------------------------------------------------------------- */

/* Where the new values are refused the run stands as it was. */
nt_status nt_model_set_several(nt_run *run, const int *parameters, const double *values, int n,
                               nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "run", run);
    NT_NEED_COUNT(error, "n", n);
    if (n == 0)
        return NT_OK;
    NT_NEED(error, "parameters values", parameters, values);
    int all = run->model->n_parameters;
    double *before = run->values, *after = run->values + all;
    nt_run_get_parameters(run, before);
    memcpy(after, before, (size_t)all * sizeof *after);
    for (int i = 0; i < n; i++) {
        int k = parameters[i];
        if (k < 0 || k >= all)
            return nt_fail(error, NT_INVALID, "there is no parameter %d, the model has %d", k, all);
        if (!isfinite(values[i]))
            return nt_fail(error, NT_INVALID, "parameter %s = %g, expected a finite number",
                           run->model->parameters[k].name, values[i]);
        after[k] = values[i];
    }
    nt_status status = nt_run_set_values(run, after, true, error);
    if (status != NT_OK)
        nt_run_set_values(run, before, false, NULL);
    return nt_said(error, status);
}

nt_status nt_model_set(nt_run *run, const char *name, double value, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "run name", run, name);
    const nt_model *model = run->model;
    nt_suggestion search;
    int k = 0;
    while (k < model->n_parameters && strcmp(model->parameters[k].name, name) != 0)
        k++;
    if (k < model->n_parameters)
        return nt_model_set_several(run, &k, &value, 1, error);
    nt_suggest_start(&search, name, (int)strlen(name));
    for (int i = 0; i < model->n_parameters; i++)
        nt_suggest_offer(&search, model->parameters[i].name);
    if (search.best)
        return nt_fail(error, NT_INVALID, "the model has no parameter '%s'; did you mean '%s'?",
                       name, search.best);
    return nt_fail(error, NT_INVALID, "the model has no parameter '%s'", name);
}
