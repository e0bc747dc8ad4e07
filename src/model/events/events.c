/* What happens in a model at one instant: nt_events of its system.
 *
 * The discrete memory holds, behind what elements keep: the values of switches (switches.h), what
 * events have made of joints and parameters and when they are due (event_actions.c), and the sides
 * of indicators, which the integrator writes. Not a number stands for what is not known yet.
 * Indicators are those of switches, of contacts that stick, of rigid limits, and then those of
 * events that have a `when`. */
#include "model/events/events.h"

#include "model/contacts/grip.h"
#include "model/evaluate.h"
#include "model/events/dry_friction.h"
#include "model/events/limits.h"
#include "model/events/onsets.h"
#include "model/events/sliding.h"
#include "model/events/switches.h"
#include "model/quantities/quantity_kind.h"
#include "model/states/delay.h"
#include "system/indicator.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- looking -------------------------------------------------------------------------------- */

/* The variables of loads at a point with another memory: in run->variables. */
static void events_look(nt_run *run, const nt_point *at, const double *memory)
{
    nt_point point = *at;
    nt_view view;
    nt_terms terms = {0};
    point.memory = memory;
    nt_run_look(run, &point, &terms, &view);
}

/* The variables of expressions of everything recorded, at a point. */
static nt_status look_at_columns(nt_run *run, const nt_point *at, bool energy, double *variables)
{
    const nt_model *model = run->model;
    nt_sampler sampler = {.run = run};
    nt_state state = {.t = at->t,
                      .q = at->q,
                      .v = at->v,
                      .vdot = at->vdot,
                      .lambda = at->lambda,
                      .mu = at->mu,
                      .memory = at->memory};
    nt_status status = nt_sampler_look(&sampler, &state, NULL, energy, false, NULL);
    for (int i = 0; i < model->n_parameters; i++)
        variables[i] = run->parameters[i].value;
    variables[nt_model_time_variable(model)] = at->t;
    for (int k = 0; k < model->n_columns && status == NT_OK; k++)
        if (!model->columns[k].needs_drift)
            nt_sampler_values(&sampler, &model->columns[k],
                              variables + nt_model_time_variable(model) + 1 + k);
    return status;
}

nt_status nt_events_variables(nt_run *run, const nt_point *at, const double **variables)
{
    bool energy = false;
    for (int k = 0; k < run->model->n_columns; k++)
        energy = energy || run->model->columns[k].needs_energy;
    *variables = run->named_variables;
    return look_at_columns(run, at, energy, run->named_variables);
}

/* ---- known stops ---------------------------------------------------------------------------- */

static nt_status events_begin(void *self, const nt_point *at, double nudge, double *memory)
{
    nt_run *run = self;
    if (!memory || !nt_run_can_look(run, at, false))
        return NT_INVALID;
    const nt_model *model = run->model;
    double *held = memory + model->switch_memory;
    nt_point point = *at;
    point.t += nudge;
    nt_actions_forget_notes(run);
    nt_actions_begin(run, at, memory);
    for (int k = 0; k < model->n_switches; k++) {
        if (!isnan(held[k]) || model->switches[k].bends)
            continue;
        events_look(run, &point, memory);
        held[k] = nt_switch_value(run, k, run->variables);
        if (isnan(held[k]))
            return NT_NOT_FINITE;
    }
    for (int k = 0; k < model->n_switches; k++)
        if (model->switches[k].bends)
            held[k] = 0;
    if (model->side_memory >= 0)
        nt_switches_forget_sides(model, memory);
    if (model->onset_memory >= 0)
        nt_onsets_forget_sides(model, memory);
    nt_slides_begin(run, memory);
    nt_grips_begin(run, at, memory);
    return NT_OK;
}

/* What is held, as variables that arguments of switches may depend on. */
static void take_held(nt_run *run, const double *memory)
{
    const nt_model *model = run->model;
    double *signals = run->variables + nt_model_time_variable(model) + 1;
    for (int k = 0; k < model->n_switches; k++)
        if (model->switches[k].signal >= 0)
            signals[model->switches[k].signal] = memory[model->switch_memory + k];
}

static double events_stop_after(void *self, double t, double end, double h, const double *memory)
{
    nt_run *run = self;
    if (!run || !memory)
        return (double)NAN;
    const nt_model *model = run->model;
    double same = 32 * 2.3e-16 * fmax(fabs(t), fabs(end)), first = nt_actions_next(run, t, memory);
    if (fabs(first - end) <= same) /* they are one time */
        first = end;
    take_held(run, memory);
    double behind = t + nt_switches_leave_by(run, t, 1);
    for (int k = 0; k < model->n_switches; k++)
        first = fmin(first, nt_switch_next(run, k, t, behind, end, h));
    double kink = nt_run_delay_stop(run, t, memory);
    first = kink > t ? fmin(first, fabs(kink - end) <= same ? end : kink) : first;
    for (int i = 0; i < model->n_elements; i++) {
        const nt_element *e = &model->elements[i];
        double at = nt_element_stop_after(run, e, t, memory);
        if (fabs(at - end) <= same)
            at = end;
        first = at > t ? fmin(first, at) : first;
    }
    return first <= end ? first : (double)INFINITY;
}

static void events_take_side(void *self, double t, int behind, double *memory)
{
    nt_run *run = self;
    if (!run || !memory || run->model->side_memory < 0)
        return;
    take_held(run, memory);
    nt_switches_take_side(run, t, behind, memory);
}

static double events_clock(void *self, double t, const double *memory)
{
    const nt_run *run = self;
    return run ? nt_switch_clock(run->model, t, memory) : t;
}

static double events_gap(void *self, int row, double value, const char **unit)
{
    const nt_run *run = self;
    return run && unit ? nt_model_row_gap(run->model, row, value, unit) : value;
}

/* Elements whose time has come. */
static bool elements_stop(nt_run *run, nt_instant *instant)
{
    const nt_model *model = run->model;
    nt_view view;
    nt_terms terms = {0};
    bool some = false;
    nt_run_look(run, instant->at, &terms, &view);
    for (int i = 0; i < model->n_elements; i++) {
        if (nt_element_at_stop(&model->elements[i], &view, instant->memory))
            some = true;
    }
    return some;
}

/* The side of a known time is told by what follows so soon behind it, s. */
static double just_after(const nt_instant *instant)
{
    return fmax(1e-3 * instant->nudge, 256 * 2.3e-16 * fabs(instant->at->t));
}

/* A switch of known times whose value is another from now on; -1: none. All those switch with it
 * whose times are its own whatever parameters are: between them is no motion, and what is large
 * there has no part in derivatives. */
static int known_switch(nt_run *run, nt_instant *instant)
{
    const nt_model *model = run->model;
    double *held = instant->memory + model->switch_memory;
    nt_point after = *instant->at;
    int first = -1;
    after.t += just_after(instant);
    for (int k = 0; k < model->n_switches; k++) {
        if (!model->switches[k].known || model->switches[k].bends)
            continue;
        events_look(run, &after, instant->memory);
        double value = nt_switch_value(run, k, run->variables);
        if (value == held[k] ||
            (first >= 0 && !nt_switches_pass_alike(run, first, k, instant->at->t)))
            continue;
        held[k] = value;
        first = first < 0 ? k : first;
    }
    return first;
}

/* ---- indicators ----------------------------------------------------------------------------- */

/* Whether a switch is where its value is another than the one that is held, without being beyond
 * its zero: there it is zero to the last bit, or what it compares is, with a number too small to be
 * told from rounding elsewhere. Such a g becomes zero. */
static bool is_at_edge(const nt_run *run, int k, double held, double *g)
{
    const nt_expression *argument = run->model->switches[k].argument;
    int time = nt_model_time_variable(run->model);
    if (*g > 0 || *g < -NT_INDICATOR_LEFT || nt_switch_value(run, k, run->variables) == held ||
        (*g < 0 && !nt_expression_stands_off_zero(argument, run->variables, time)))
        return false;
    *g = 0;
    return true;
}

static nt_status events_indicate(void *self, const nt_point *at, double *g, unsigned char *way)
{
    static const unsigned char ways[] = {NT_RISING, NT_FALLING, NT_RISING | NT_FALLING};
    nt_run *run = self;
    if (!g || !way || !nt_run_can_look(run, at, true) || !at->memory)
        return NT_INVALID;
    const nt_model *model = run->model;
    const double *held = at->memory + model->switch_memory, *variables;
    if (model->n_switches > 0)
        events_look(run, at, at->memory);
    for (int k = 0; k < model->n_switches; k++) {
        const nt_switch *s = &model->switches[k];
        way[k] = s->known || s->bends || nt_switch_waits(run, k, at->memory) ? 0 : NT_INSIDE;
        if (nt_slide_is_on(model, k, at->memory))
            g[k] = nt_slide_inside(run, k, held[k]);
        else {
            g[k] = nt_switch_inside(run, k, held[k], run->variables);
            if (way[k])
                way[k] |= NT_MAY_STAND;
            if (way[k] && is_at_edge(run, k, held[k], &g[k]))
                way[k] |= NT_AT_EDGE;
        }
    }
    nt_view view;
    nt_terms none = {0};
    int next = model->n_switches + model->n_grips;
    if (model->n_grips + model->n_limits > 0)
        nt_run_look(run, at, &none, &view);
    if (model->n_limits > 0)
        nt_limits_indicate(run, &view, g + next, way + next);
    for (int i = 0; i < model->n_grips; i++) {
        way[model->n_switches + i] = NT_INSIDE;
        g[model->n_switches + i] = nt_grip_inside(run, &view, i);
    }
    if (model->n_indicated == 0)
        return NT_OK;
    nt_status status = nt_events_variables(run, at, &variables);
    for (int i = 0; i < model->n_happenings && status == NT_OK; i++) {
        const nt_event *event = &model->happenings[i];
        if (event->indicator < 0)
            continue;
        way[event->indicator] = ways[event->direction];
        g[event->indicator] = nt_expression_value(event->when, variables);
    }
    return status;
}

/* A switch that depends on the motion has left its branch: the value of the point a little later.
 */
static nt_status move_switch(nt_run *run, nt_instant *instant, int k)
{
    const nt_system *system = &run->system;
    const nt_point *at = instant->at;
    double e = instant->nudge;
    nt_point after = *at;
    double *q = run->events_work, *v = q + system->space.nq, *increment = v + system->space.nv;
    double *held = instant->memory + run->model->switch_memory;
    if (nt_slide_is_on(run->model, k, instant->memory)) {
        events_look(run, at, instant->memory);
        nt_slide_leaves(run, k, instant);
        return NT_OK;
    }
    for (int i = 0; i < system->space.nv; i++) {
        increment[i] = e * at->v[i] + e * e / 2 * at->vdot[i];
        v[i] = at->v[i] + e * at->vdot[i];
    }
    nt_space_compose(&system->space, system->frame, at->q, increment, q);
    after.t += e, after.q = q, after.v = v;
    events_look(run, at, instant->memory);
    double x = nt_switch_argument_now(run, k);
    events_look(run, &after, instant->memory);
    double value = nt_switch_value(run, k, run->variables);
    double rate = (nt_switch_argument_now(run, k) - x) / e;
    if (value == held[k] &&
        instant->beyond) { /* it leaves so gently that a little later is too soon */
        events_look(run, instant->beyond, instant->memory);
        value = nt_switch_value(run, k, run->variables);
    }
    if (isnan(value))
        return NT_NOT_FINITE;
    instant->happened = true;
    if (nt_slide_takes(run->model, k, held[k], value, rate, instant))
        return NT_OK;
    instant->happened = value != held[k];
    held[k] = value;
    return NT_OK;
}

/* Everything but limits. */
static nt_status happen(nt_run *run, nt_instant *instant, nt_error *error)
{
    const nt_model *model = run->model;
    if (instant->indicator >= 0 && instant->indicator < model->n_switches)
        return move_switch(run, instant, instant->indicator);
    if (instant->indicator >= 0 && instant->indicator < model->n_switches + model->n_grips) {
        nt_view view;
        nt_terms none = {0};
        nt_run_look(run, instant->at, &none, &view);
        nt_grip_changes(run, &view, instant->indicator - model->n_switches, instant);
        return NT_OK;
    }
    for (int i = 0; i < model->n_happenings; i++)
        if (instant->indicator >= 0 ? model->happenings[i].indicator == instant->indicator
                                    : nt_actions_is_due(run, i, instant))
            return nt_actions_happen(run, i, instant, error);
    nt_run_delay_returns(run, instant);
    if (instant->happened)
        return NT_OK;
    instant->timed_by = known_switch(run, instant);
    instant->happened = instant->timed_by >= 0 || elements_stop(run, instant);
    instant->bends = nt_run_delay_bends(run, instant->at->t, instant->memory);
    if (!instant->happened) {
        take_held(run, instant->memory);
        bool some = nt_switches_bend(run, instant->at->t, &instant->timed_by);
        instant->bends |= some && instant->timed_by < 0;
    }
    return NT_OK;
}

static nt_status events_happen(void *self, nt_instant *instant, nt_error *error)
{
    nt_run *run = self;
    if (!instant || !instant->memory || !nt_run_can_look(run, instant->at, true) ||
        !instant->at->vdot || instant->indicator < -1 || instant->indicator >= run->model->events.n)
        return NT_INVALID;
    int limit = instant->indicator - run->model->n_switches - run->model->n_grips;
    if (limit >= 0 && limit < NT_LIMIT_SIDES * run->model->n_limits)
        return nt_limit_changes(run, limit, instant, error);
    nt_status status = happen(run, instant, error);
    return status == NT_OK ? nt_limits_join(run, instant, error) : status;
}

static void events_settle(void *self, const nt_point *at, double time, const double *as,
                          double *memory)
{
    nt_run *run = self;
    nt_point point = *at;
    nt_view view;
    nt_terms terms = {0};
    point.memory = memory;
    nt_run_look(run, &point, &terms, &view);
    for (int k = 0; k < run->model->n_delays; k++)
        nt_delay_settle(run, &view, k, time, as, memory);
}

/* "turn at arm.yaml:12:3" */
static void place_event(const nt_model *model, int i, char *text, int size)
{
    const nt_event *event = &model->happenings[i];
    snprintf(text, (size_t)size, "%s at %s:%d:%d", event->name, model->file, event->place.line,
             event->place.column);
}

static void event_word(void *self, int number, char *text, int size)
{
    const nt_run *run = self;
    const char *name = run ? nt_model_event_name(run->model, number) : NULL;
    if (!nt_run_can_say(run, text, size) || !name)
        return;
    if (number < run->model->n_happenings)
        place_event(run->model, number, text, size);
    else
        snprintf(text, (size_t)size, "%s", name);
}

/* The first indicator of those that have a `when`. */
static int first_of_events(const nt_model *model)
{
    return model->n_switches + model->n_grips + NT_LIMIT_SIDES * model->n_limits;
}

static void indicator_word(void *self, int indicator, char *text, int size)
{
    nt_run *run = self;
    if (!nt_run_can_say(run, text, size) || indicator < 0)
        return;
    const nt_model *model = run->model;
    if (indicator < model->n_switches)
        nt_switch_word(model, indicator, text, size);
    else if (indicator < model->n_switches + model->n_grips)
        snprintf(text, (size_t)size, "friction of contact %s",
                 nt_grip_element(model, indicator - model->n_switches)->name);
    else if (indicator < first_of_events(model))
        nt_limit_word(model, indicator - model->n_switches - model->n_grips, text, size);
    for (int i = 0; i < model->n_happenings; i++)
        if (model->happenings[i].indicator == indicator) {
            int used = snprintf(text, (size_t)size, "event ");
            place_event(model, i, text + used, size - used);
        }
}

/* ---- the model ------------------------------------------------------------------------------ */

void nt_model_lay_out_events(nt_model *model)
{
    nt_system *system = &model->system;
    bool any = model->n_switches + model->n_grips + model->n_delays + model->n_happenings > 0 ||
               model->joints_change;
    for (int i = 0; i < model->n_elements; i++)
        any = any || nt_element_stops(&model->elements[i]);
    model->switch_memory = system->n_memory;
    model->side_memory = model->onset_memory = -1;
    if (!any)
        return;
    for (int i = 0; i < model->n_happenings; i++)
        if (model->happenings[i].indicator >= 0)
            model->happenings[i].indicator += first_of_events(model);
    model->slide_memory = system->n_memory + model->n_switches;
    model->grip_memory = model->slide_memory + NT_SLIDE_MEMORY * model->n_slides;
    int sliding = model->n_slides;
    for (int i = 0; i < model->n_grips; i++)
        sliding += nt_grip_rates(model, nt_grip_element(model, i));
    int next = nt_actions_lay_out(model, model->grip_memory + NT_GRIP_MEMORY * model->n_grips);
    for (int k = 0; k < model->n_switches && model->side_memory < 0; k++)
        if (model->switches[k].bends)
            model->side_memory = next, next += NT_SIDE_MEMORY;
    bool passes = first_of_events(model) + model->n_indicated > 0; /* a zero of the motion */
    if (passes && system->n_onsets > 0)
        model->onset_memory = next, next += nt_onset_memory(system);
    model->events =
        (nt_events){.n = first_of_events(model) + model->n_indicated,
                    .sides = next,
                    .begin = events_begin,
                    .stop_after = events_stop_after,
                    .indicate = events_indicate,
                    .happen = events_happen,
                    .settle = model->n_delays > 0 ? events_settle : NULL,
                    .n_sliding = sliding,
                    .part = model->n_limits > 0 ? nt_limits_part : NULL,
                    .join = model->n_limits > 0 ? nt_limits_bear_in : NULL,
                    .limits = model->n_switches + model->n_grips,
                    .n_limits = NT_LIMIT_SIDES * model->n_limits,
                    .bear = model->n_limits > 0 ? nt_limits_bear : NULL,
                    .take_side = model->side_memory >= 0 ? events_take_side : NULL,
                    .clock = model->side_memory >= 0 ? events_clock : NULL,
                    .hold_sides = model->onset_memory >= 0 ? nt_run_hold_sides : NULL,
                    .gap = events_gap,
                    .rows_off = model->joints_change || model->n_slides + model->n_grips > 0
                                    ? nt_actions_rows_off
                                    : NULL,
                    .word = event_word,
                    .indicator_word = indicator_word,
                    .n_dry = nt_dry_count(model),
                    .dry_look = nt_dry_look,
                    .dry_hold = nt_dry_hold,
                    .dry_word = nt_dry_word};
    system->n_memory = next + 2 * model->events.n;
    system->events = &model->events;
}

void nt_run_keep_held(const nt_run *run, const double *memory, double *next)
{
    const nt_model *model = run->model;
    size_t count = (size_t)(model->system.n_memory - model->switch_memory);
    if (memory && memory != next && model->system.events)
        memcpy(next + model->switch_memory, memory + model->switch_memory, count * sizeof *next);
}

int nt_model_event_count(const nt_model *model) { return model ? model->n_happenings : 0; }

int nt_model_sliding_count(const nt_model *model)
{
    return model ? 2 * (model->n_slides + model->n_grips) : 0;
}

const char *nt_model_event_name(const nt_model *model, int i)
{
    if (!model || i < 0)
        return NULL;
    int grip = i - model->n_happenings - 2 * model->n_slides;
    if (grip >= 2 * model->n_grips)
        return nt_limit_occurrence(model, grip - 2 * model->n_grips);
    if (grip >= 0)
        return model->grips[grip / 2].words[grip % 2];
    return i < model->n_happenings ? model->happenings[i].name : nt_slide_word(model, i);
}

const char *nt_model_event_end(const nt_model *model, int i)
{
    if (!model || i < 0 || i >= model->n_happenings)
        return NULL;
    const nt_event *event = &model->happenings[i];
    for (int k = 0; k < event->n_actions; k++)
        if (event->actions[k].given >> NT_ACTION_STOP & 1)
            return event->actions[k].stop;
    return "";
}
