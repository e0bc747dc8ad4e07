/* What events do: joints let go, hold and lock, parameters and states are set, bodies are struck,
 * other events are started, the run ends. All of it is remembered in the discrete memory:
 *
 *   joint_memory[n_joints]     0: off, 1: on, 2: on and latched, 3 and 4: at a limit (limits.h)
 *   lock_memory[7 n_joints]    the angle, displacements and rotation at which it is latched, rad, m
 *   set_memory[2 n_parameters] 1 for a parameter that is set, and its value
 *   due_memory[n_happenings]   when an event that another one has started happens, s
 *
 * with the first two where an event, or `active: false`, is about joints; the third where one sets
 * parameters. */
#include "base/decimal.h"
#include "base/error.h"
#include "model/contacts/grip.h"
#include "model/evaluate.h"
#include "model/events/events.h"
#include "model/events/limits.h"
#include "model/events/sliding.h"
#include "model/joints/joint.h"
#include "model/quantities/quantity_kind.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { OFF = NT_JOINT_OFF, ON = NT_JOINT_ON, LATCHED = NT_JOINT_LATCHED };

/* s, of an event that is not due; finite, so that differences of memories have a value. */
static const double NEVER = 1e300;

/* What an engaged joint may be open, of the model's length or of 1 rad: it is closed by moving the
 * bodies. */
static const double CLOSED = 1e-6;

/* Far from the origin rounding opens joints: this part of the distance adds to the length. */
static const double FAR = 1e-6;

/* m/s or rad/s, where the model gives no other: slower ones do not rebound. */
static const double REST_SPEED = 1e-3;

/* ---- places --------------------------------------------------------------------------------- */

int nt_actions_lay_out(nt_model *model, int first)
{
    model->joint_memory = first;
    model->lock_memory = first + (model->joints_change ? model->n_joints : 0);
    model->set_memory =
        model->lock_memory + (model->joints_change ? NT_JOINT_LOCKS * model->n_joints : 0);
    model->due_memory =
        model->set_memory + (model->parameters_change ? 2 * model->n_parameters : 0);
    for (int i = 0; i < model->n_joints && model->joints_change; i++) {
        const nt_element *e = &model->elements[i];
        if (!nt_element_as_switched(model->origin, e))
            continue;
        nt_joint *joint = nt_element_numbers(model->origin, e);
        joint->hold_memory = model->joint_memory + i;
        joint->lock_memory = model->lock_memory + NT_JOINT_LOCKS * i;
    }
    return model->due_memory + model->n_happenings;
}

static bool active_at_first(const nt_run *run, int i)
{
    const nt_joint *joint = nt_element_as_switched(run, &run->model->elements[i]);
    return !joint || nt_joint_holds_at_first(joint);
}

static bool is_of_latch(const nt_joint *joint, int r)
{
    return joint && joint->locks && nt_joint_row_locks(joint, r);
}

void nt_actions_begin(nt_run *run, const nt_point *at, double *memory)
{
    const nt_model *model = run->model;
    bool begins = false;
    for (int i = 0; i < model->n_joints && model->joints_change; i++) {
        if (!isnan(memory[model->joint_memory + i]))
            continue;
        begins = true;
        memory[model->joint_memory + i] = active_at_first(run, i) ? ON : OFF;
        for (int k = 0; k < NT_JOINT_LOCKS; k++)
            memory[model->lock_memory + NT_JOINT_LOCKS * i + k] = 0;
    }
    if (begins)
        nt_limits_begin(run, at, memory);
    for (int i = 0; i < 2 * model->n_parameters && model->parameters_change; i++)
        if (isnan(memory[model->set_memory + i]))
            memory[model->set_memory + i] = 0;
    for (int i = 0; i < model->n_happenings; i++)
        if (isnan(memory[model->due_memory + i]))
            memory[model->due_memory + i] = NEVER;
}

void nt_actions_rows_off(void *self, const double *memory, unsigned char *off)
{
    const nt_run *run = self;
    if (!run || !off)
        return;
    const nt_model *model = run->model;
    memset(off, 0, (size_t)(model->system.nh + model->system.nn));
    for (int k = 0; k < model->n_switches; k++)
        if (model->switches[k].slide >= 0)
            off[nt_element_row(&model->elements[model->switches[k].slide], 0)] =
                !nt_slide_is_on(model, k, memory);
    for (int i = 0; i < model->n_grips; i++)
        for (int r = 0; r < nt_grip_rates(model, nt_grip_element(model, i)); r++)
            off[nt_element_row(nt_grip_element(model, i), r)] = !nt_grip_is_on(model, i, memory);
    for (int i = 0; i < model->n_joints && model->joints_change; i++) {
        const nt_element *e = &model->elements[i];
        const nt_joint *joint = nt_element_as_switched(run, e);
        double known = memory ? memory[model->joint_memory + i] : (double)NAN;
        int state = isnan(known) ? (active_at_first(run, i) ? ON : OFF) : (int)known;
        int rows = e->n_rows + e->n_rates;
        for (int r = 0; r < rows; r++)
            if (state == OFF || (state == ON && is_of_latch(joint, r)) ||
                (state == LATCHED && r >= e->n_rows) || /* that it does not slip is in the latch */
                (state > LATCHED && is_of_latch(joint, r) && !nt_joint_row_limits(joint, r)))
                off[nt_element_row(e, r)] = 1;
    }
}

bool nt_run_row_is_off(const nt_run *run, int row)
{
    const nt_model *model = run->model;
    for (int i = model->n_elements - model->n_slides; i < model->n_elements; i++)
        if (nt_element_find_row(&model->elements[i], row) >= 0)
            return true;
    for (int i = 0; i < model->n_grips; i++)
        if (nt_element_find_row(nt_grip_element(model, i), row) >= 0)
            return true;
    for (int i = 0; i < model->n_joints && model->joints_change; i++) {
        const nt_element *e = &model->elements[i];
        const nt_joint *joint = nt_element_as_switched(run, e);
        int own = nt_element_find_row(e, row);
        if (own >= 0)
            return !active_at_first(run, i) || is_of_latch(joint, own);
    }
    return false;
}

/* Times that differ by less are one. */
static double rounding_of(double t) { return 4 * NT_TIME_ROUNDING * fabs(t); }

double nt_actions_next(const nt_run *run, double t, const double *memory)
{
    const nt_model *model = run->model;
    double first = (double)INFINITY;
    for (int i = 0; i < model->n_happenings; i++) {
        double due = memory[model->due_memory + i];
        if (due < NEVER && due > t + rounding_of(t))
            first = fmin(first, due);
    }
    return first;
}

bool nt_actions_is_due(const nt_run *run, int i, const nt_instant *instant)
{
    double t = instant->at->t;
    return instant->memory[run->model->due_memory + i] <= t + rounding_of(t);
}

/* ---- joints --------------------------------------------------------------------------------- */

/* Whether row r of a joint takes hold where it is latched, or where it is engaged. */
static bool takes_hold(const nt_run *run, const nt_element *e, int r, bool latches)
{
    return is_of_latch(nt_element_as_switched(run, e), r) == latches;
}

/* The rates of a joint's equations that take hold, with the memory as it is now: the largest. */
static nt_status largest_rate(nt_run *run, const nt_instant *instant, const nt_element *e,
                              bool latches, double *largest)
{
    nt_point at = *instant->at;
    nt_terms terms = {.level = NT_VELOCITY, .rows = run->events_rows};
    at.memory = instant->memory;
    nt_status status = nt_run_evaluate(run, &at, &terms);
    *largest = 0;
    for (int r = 0; r < e->n_rows && status == NT_OK; r++) {
        double row = run->events_rows[nt_element_row(e, r)];
        if (takes_hold(run, e, r, latches) && !(fabs(row) <= fabs(*largest)))
            *largest = row;
    }
    return status;
}

/* Bodies that meet again within so many times what tells the side of a zero, or part by less than
 * FLAT of the model's length and their distance from the origin, stay together: where they are
 * would be lost in rounding. */
static const double SEEN = 10, FLAT = 1e-12;

static double rest_speed_of(const nt_joint *joint)
{
    return joint && joint->given & NT_GIVEN_REST_SPEED ? joint->rest_speed : REST_SPEED;
}

/* How long the bodies are apart behind a rebound, s, as they are pulled together just before it:
 * infinite where they are not. Found from the equation that is met fastest. */
static nt_status flight(nt_run *run, const nt_instant *instant, const nt_element *e, bool latches,
                        double restitution, double *length)
{
    nt_point at = *instant->at;
    nt_terms terms = {.level = NT_VELOCITY, .rows = run->events_rows};
    int met = -1;
    at.memory = instant->memory;
    nt_status status = nt_run_evaluate(run, &at, &terms);
    for (int r = 0; r < e->n_rows && status == NT_OK; r++) {
        int row = nt_element_row(e, r);
        if (takes_hold(run, e, r, latches) &&
            (met < 0 || fabs(terms.rows[row]) > fabs(terms.rows[met])))
            met = row;
    }
    *length = (double)INFINITY;
    if (met < 0 || status != NT_OK)
        return status;
    double rate = terms.rows[met];
    terms.level = NT_ACCELERATION;
    status = nt_run_evaluate(run, &at, &terms);
    double pull = terms.rows[met];
    *length = rate * pull > 0 ? 2 * restitution * rate / pull : (double)INFINITY;
    return status;
}

/* m, how far from the origin bodies are. */
static double farthest(const nt_run *run, const nt_point *at)
{
    double largest = 0;
    for (int i = 1; i < run->model->n_bodies; i++)
        if (run->bodies[i].t_node >= 0)
            largest = fmax(largest, v3_norm(v3_load(at->q + run->bodies[i].q)));
    return largest;
}

/* Whether what takes hold of a joint is met so closely that it may; words where it is not. */
static nt_status check_closed(nt_run *run, const nt_event *event, const nt_instant *instant,
                              const nt_element *e, bool latches, nt_error *error)
{
    const nt_model *model = run->model;
    nt_point at = *instant->at;
    nt_terms terms = {.level = NT_POSITION, .rows = run->events_rows};
    at.memory = instant->memory;
    double largest = 0, size = run->length + FAR * farthest(run, &at);
    int worst = -1;
    nt_status status = nt_run_evaluate(run, &at, &terms);
    for (int r = 0; r < e->n_rows && status == NT_OK; r++) {
        int row = nt_element_row(e, r);
        if (!takes_hold(run, e, r, latches))
            continue;
        double gap = terms.rows[row] / (model->row_quantity[row] == NT_LENGTH ? size : 1);
        if (!(fabs(gap) <= largest))
            largest = fabs(gap), worst = row;
    }
    if (status != NT_OK || largest <= CLOSED)
        return status;
    const char *unit;
    double gap = nt_model_row_gap(model, worst, terms.rows[worst], &unit);
    return nt_fail_at(error, NT_INCONSISTENT, model->file, event->place.line, event->place.column,
                      "event %s engages joint %s at t = %.9g s, which is not closed: %s is off by "
                      "%.6g %s",
                      event->name, e->name, at.t, nt_model_row_name(model, e, worst), gap, unit);
}

/* Joint i holds from now on, or its latch does (latches); or the bodies rebound, where they are
 * faster than it takes. */
static nt_status take_hold(nt_run *run, const nt_event *event, nt_instant *instant, int i,
                           bool latches, nt_error *error)
{
    const nt_model *model = run->model;
    const nt_element *e = &model->elements[i];
    const nt_joint *joint = nt_element_as_switched(run, e);
    double speed, before = instant->memory[model->joint_memory + i];
    instant->memory[model->joint_memory + i] = latches ? LATCHED : ON;
    nt_status status = check_closed(run, event, instant, e, latches, error);
    if (status == NT_OK)
        status = largest_rate(run, instant, e, latches, &speed);
    if (status != NT_OK)
        return status;
    double restitution = joint ? joint->restitution : 0;
    bool rebounds = restitution > 0 && fabs(speed) > rest_speed_of(joint);
    double apart = (double)INFINITY;
    if (rebounds && (status = flight(run, instant, e, latches, restitution, &apart)) != NT_OK)
        return status;
    double height = restitution * fabs(speed) * apart / 4;
    double size = fmax(1, run->length) + farthest(run, instant->at);
    rebounds = rebounds && apart > SEEN * instant->nudge && height > FLAT * size;
    int law = nt_joint_law(joint) == NT_POISSON ? NT_IMPACT_POISSON : 0;
    int rows = 0;
    for (int r = 0; r < e->n_rows + e->n_rates; r++)
        rows += takes_hold(run, e, r, latches);
    if (rows == 1)
        law |= NT_IMPACT_ONE_SIDED;
    for (int r = 0; r < e->n_rows + e->n_rates; r++) {
        if (!takes_hold(run, e, r, latches))
            continue;
        instant->restitution[nt_element_row(e, r)] = rebounds ? restitution : 0;
        instant->law[nt_element_row(e, r)] = (unsigned char)law;
    }
    if (rebounds)
        instant->memory[model->joint_memory + i] = before;
    return NT_OK;
}

/* Whether what takes hold of a joint is met in this instant. */
static bool takes_part(const nt_run *run, const nt_instant *instant, const nt_element *e,
                       bool latches)
{
    for (int r = 0; r < e->n_rows + e->n_rates; r++)
        if (takes_hold(run, e, r, latches) && instant->restitution[nt_element_row(e, r)] >= 0)
            return true;
    return false;
}

/* By Poisson's law what meets at no speed gives back the impulse that it takes from the others: of
 * the joints of one event all that can rebound do where one meets with speed. */
static nt_status rebound_together(nt_run *run, const nt_event *event, nt_instant *instant)
{
    const nt_model *model = run->model;
    bool fast = false;
    nt_status status = NT_OK;
    for (int k = 0; k < 2 * event->n_actions && status == NT_OK; k++) {
        const nt_action *a = &event->actions[k % event->n_actions];
        bool latches = a->given >> NT_ACTION_LATCH & 1;
        if (!latches && !(a->given >> NT_ACTION_ENGAGE & 1))
            continue;
        int i = latches ? a->latch : a->engage;
        const nt_element *e = &model->elements[i];
        const nt_joint *joint = nt_element_as_switched(run, e);
        if (nt_joint_law(joint) != NT_POISSON || !takes_part(run, instant, e, latches))
            continue;
        double speed;
        status = largest_rate(run, instant, e, latches, &speed);
        fast = fast || fabs(speed) > rest_speed_of(joint);
        if (k < event->n_actions || !fast || !(joint->restitution > 0))
            continue;
        instant->memory[model->joint_memory + i] = latches ? ON : OFF;
        for (int r = 0; r < e->n_rows + e->n_rates; r++)
            if (takes_hold(run, e, r, latches))
                instant->restitution[nt_element_row(e, r)] = joint->restitution;
    }
    return status;
}

/* What an action would do to its joint has been done: nothing happens, which is said at the end. */
static void find_idle(nt_run *run, const nt_event *event, const nt_instant *instant)
{
    double *first = &run->event_notes[event - run->model->happenings].idle;
    *first = isnan(*first) ? instant->at->t : *first;
}

int nt_actions_reacting(const nt_model *model, int variable)
{
    int column = variable - nt_model_time_variable(model) - 1;
    const nt_quantity_info *of = column >= 0 ? &model->columns[column] : NULL;
    return of && nt_quantity_kinds[of->kind].of == NT_OF_LOADED && of->object < model->n_joints
               ? of->object
               : -1;
}

static bool looks_at(const nt_model *model, const nt_event *event, int joint)
{
    int n = 0;
    const int *variables = event->when ? nt_expression_variables(event->when, &n) : NULL;
    for (int i = 0; i < n; i++)
        if (nt_actions_reacting(model, variables[i]) == joint)
            return true;
    return false;
}

static bool releases(const nt_event *event, int joint)
{
    for (int k = 0; k < event->n_actions; k++)
        if (event->actions[k].given >> NT_ACTION_RELEASE & 1 && event->actions[k].release == joint)
            return true;
    return false;
}

/* Events that wait for the reaction of a joint see none from its release on, until it is engaged
 * again (t: not a number). One that would release the same joint has nothing to wait for. */
static void note_blind(nt_run *run, int joint, double t)
{
    const nt_model *model = run->model;
    for (int i = 0; i < model->n_happenings; i++) {
        nt_event_note *note = &run->event_notes[i];
        const nt_event *event = &model->happenings[i];
        bool other = !isnan(note->blind) && note->joint != joint;
        if (!other && !releases(event, joint) && looks_at(model, event, joint))
            note->blind = isnan(t) || isnan(note->blind) ? t : note->blind, note->joint = joint;
    }
}

void nt_actions_forget_notes(nt_run *run)
{
    for (int i = 0; i < run->model->n_happenings; i++)
        run->event_notes[i] = (nt_event_note){.idle = (double)NAN, .blind = (double)NAN};
}

int nt_actions_note(const nt_run *run, int i, int kind, char *text, int size)
{
    const nt_event *event = &run->model->happenings[i];
    const nt_event_note *note = &run->event_notes[i];
    const nt_place *place = &event->place;
    if (isnan(kind == 0 ? note->idle : note->blind))
        return 0;
    if (kind == 0)
        return snprintf(
            text, (size_t)size,
            "event %s at %s:%d:%d finds a joint at t = %.9g s that it would release, engage "
            "or latch, but which is so already: nothing happens to it",
            event->name, run->model->file, place->line, place->column, note->idle);
    return snprintf(text, (size_t)size,
                    "event %s at %s:%d:%d looks at the reaction of joint %s, which was released "
                    "at t = %.9g s: it is zero from then on",
                    event->name, run->model->file, place->line, place->column,
                    run->model->elements[note->joint].name, note->blind);
}

static nt_status engage(nt_run *run, const nt_event *event, nt_instant *instant, int i,
                        nt_error *error)
{
    if (instant->memory[run->model->joint_memory + i] != OFF) {
        find_idle(run, event, instant);
        return NT_OK;
    }
    note_blind(run, i, (double)NAN);
    return take_hold(run, event, instant, i, false, error);
}

static nt_status latch(nt_run *run, const nt_event *event, nt_instant *instant, int i,
                       nt_error *error)
{
    const nt_element *e = &run->model->elements[i];
    double *state = &instant->memory[run->model->joint_memory + i];
    nt_view view;
    nt_terms terms = {0};
    if (*state == LATCHED) {
        find_idle(run, event, instant);
        return NT_OK;
    }
    if (*state == OFF)
        return nt_fail_at(error, NT_INCONSISTENT, run->model->file, event->place.line,
                          event->place.column,
                          "event %s latches joint %s at t = %.9g s, which does not hold its "
                          "bodies: expected one that is engaged",
                          event->name, e->name, instant->at->t);
    nt_run_look(run, instant->at, &terms, &view);
    const nt_joint *joint = nt_element_as_switched(run, e);
    double *lock = &instant->memory[joint->lock_memory];
    nt_joint_find_lock(e, &view, lock);
    return take_hold(run, event, instant, i, true, error);
}

/* ---- other actions -------------------------------------------------------------------------- */

static void strike(nt_run *run, const nt_action *action, nt_instant *instant, const double p[3])
{
    const nt_body *body = &run->bodies[action->impulse.on];
    nt_view view;
    nt_terms terms = {0};
    v3 push = v3_load(p), arm = v3_of(0, 0, 0);
    nt_run_look(run, instant->at, &terms, &view);
    if (action->given >> (16 + NT_IMPULSE_AT) & 1)
        arm = m3_apply(view.motion[action->impulse.on].R,
                       nt_joint_point(run, &action->impulse.at, action->impulse.on, false));
    v3 moment = v3_cross(arm, push);
    int next = body->v;
    if (body->t_node >= 0) {
        v3_store(instant->impulse + next, v3_add(v3_load(instant->impulse + next), push));
        next += 3;
    }
    if (body->r_node >= 0)
        v3_store(instant->impulse + next, v3_add(v3_load(instant->impulse + next), moment));
}

static nt_status act(nt_run *run, const nt_event *event, const nt_action *action,
                     nt_instant *instant, const double *variables, nt_error *error)
{
    const nt_model *model = run->model;
    double *memory = instant->memory;
    if (action->given >> NT_ACTION_RELEASE & 1) {
        if (memory[model->joint_memory + action->release] == OFF)
            find_idle(run, event, instant);
        else
            note_blind(run, action->release, instant->at->t);
        memory[model->joint_memory + action->release] = OFF;
        nt_slide_release(model, action->release, memory);
    }
    if (action->given >> NT_ACTION_ENGAGE & 1)
        return engage(run, event, instant, action->engage, error);
    if (action->given >> NT_ACTION_LATCH & 1)
        return latch(run, event, instant, action->latch, error);
    if (action->given >> NT_ACTION_SET & 1) {
        double value = nt_expression_value(action->value, variables);
        if (!isfinite(value))
            return NT_NOT_FINITE;
        if (action->state >= 0)
            instant->v[model->elements[action->state].own_v] = value;
        else {
            memory[model->set_memory + action->target] = 1;
            memory[model->set_memory + model->n_parameters + action->target] = value;
        }
    }
    if (action->given >> NT_ACTION_IMPULSE & 1) {
        double p[3];
        for (int i = 0; i < 3; i++)
            p[i] = nt_expression_value(action->impulse.value[i], variables);
        strike(run, action, instant, p);
    }
    if (action->given >> NT_ACTION_START & 1) {
        double after = action->after ? nt_expression_value(action->after, variables) : 0;
        if (!(after >= 0))
            return nt_fail_at(
                error, NT_NOT_FINITE, model->file, action->place.line, action->place.column,
                "event %s starts %s after %g s at t = %.9g s, expected a time of zero "
                "or more",
                event->name, model->happenings[action->started].name, after, instant->at->t);
        memory[model->due_memory + action->started] = nt_decimal(instant->at->t + after);
    }
    if (action->given >> NT_ACTION_STOP & 1)
        instant->ends = 1;
    return NT_OK;
}

/* Numbers that an event sets are to be such as a file may give: with a negative mass, or nodes that
 * do not go with a mesh, the motion would go on and mean nothing. Values of a caller that are
 * outside already, as those of a difference beside a limit may be, are left to it. */
static nt_status check_values(nt_run *run, const nt_event *event, const nt_instant *instant,
                              nt_error *error)
{
    nt_error why = {0}, before = {0};
    nt_run_take_set(run, instant->memory);
    if (nt_run_prepare(run, true, &why) == NT_OK)
        return NT_OK;
    nt_run_take_set(run, instant->at->memory);
    bool were_outside = nt_run_prepare(run, true, &before) != NT_OK;
    nt_run_prepare(run, false, NULL); /* what a refusal has left out */
    if (were_outside)
        return NT_OK;
    char text[sizeof why.message + 300];
    nt_error_text(&why, text, sizeof text);
    return nt_fail_at(error, NT_INCONSISTENT, run->model->file, event->place.line,
                      event->place.column,
                      "event %s sets values at t = %.9g s that no model has: %s", event->name,
                      instant->at->t, text);
}

static bool sets_parameters(const nt_event *event)
{
    for (int k = 0; k < event->n_actions; k++)
        if (event->actions[k].given >> NT_ACTION_SET & 1 && event->actions[k].state < 0)
            return true;
    return false;
}

nt_status nt_actions_happen(nt_run *run, int i, nt_instant *instant, nt_error *error)
{
    const nt_event *event = &run->model->happenings[i];
    const double *variables;
    nt_status status = nt_events_variables(run, instant->at, &variables);
    if (nt_actions_is_due(run, i, instant)) {
        if (instant->indicator < 0)
            instant->kept_at = run->model->due_memory + i;
        instant->memory[run->model->due_memory + i] = NEVER;
    }
    instant->happened = 1;
    instant->number = i;
    for (int k = 0; k < event->n_actions && status == NT_OK; k++)
        status = act(run, event, &event->actions[k], instant, variables, error);
    if (status == NT_OK && sets_parameters(event))
        status = check_values(run, event, instant, error);
    if (status == NT_OK)
        status = rebound_together(run, event, instant);
    if (status != NT_OK && !(error && error->message[0]))
        nt_fail_at(error, status, run->model->file, event->place.line, event->place.column,
                   "event %s has no value at t = %.9g s: %s", event->name, instant->at->t,
                   nt_status_text(status));
    return status;
}
