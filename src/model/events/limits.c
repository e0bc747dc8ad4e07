#include "model/events/limits.h"

#include "base/error.h"
#include "model/evaluate.h"
#include "model/joints/joint.h"
#include "system/indicator.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a limit that is met may be off, of the model's length or of 1 rad: it is closed by moving
 * the bodies. */
static const double CLOSED = 1e-6;

/* At a start what is nearer than this, of the same, and slower than so much in a second, lies at
 * the limit. */
static const double LIES = 1e-9;

/* m/s or rad/s, where the model gives none: slower ones do not rebound. */
static const double REST_SPEED = 1e-3;

/* Bodies that meet again within so many times what tells the side of a zero, or part by less than
 * FLAT of the model's length or of 1 rad, stay together. */
static const double SEEN = 10, FLAT = 1e-12;

enum { LOWER, UPPER };
enum { HITS, RESTS, LEAVES };

/* ---- the joints ----------------------------------------------------------------------------- */

static const nt_element *element_of(const nt_model *model, int i)
{
    return &model->elements[model->limits[i].joint];
}

static const nt_joint *joint_of(const nt_run *run, int i)
{
    return nt_joint_of(run, element_of(run->model, i));
}

static bool has_side(const nt_joint *joint, int side)
{
    return joint->given & (side == UPPER ? NT_GIVEN_UPPER : NT_GIVEN_LOWER);
}

static double bound(const nt_joint *joint, int side)
{
    return side == UPPER ? joint->limits.upper : joint->limits.lower;
}

/* The sign of the rate at which it is met, and of the multiplier that pushes. */
static double toward(int side) { return side == UPPER ? 1 : -1; }

static int bears(int side) { return side == UPPER ? NT_JOINT_AT_UPPER : NT_JOINT_AT_LOWER; }

/* The row of limits among those of the system. */
static int row_of(const nt_run *run, int i)
{
    const nt_element *e = element_of(run->model, i);
    for (int r = 0; r < e->n_rows; r++)
        if (nt_joint_row_limits(nt_joint_of(run, e), r))
            return nt_element_row(e, r);
    return -1;
}

/* m or 1 rad. */
static double size_of(const nt_run *run, const nt_joint *joint)
{
    return joint->slides ? run->length : 1;
}

static const char *unit_of(const nt_joint *joint) { return joint->slides ? "m" : "rad"; }

static nt_coordinate coordinate_of(const nt_run *run, const nt_view *view, int i)
{
    return nt_joint_coordinate(element_of(run->model, i), view, joint_of(run, i)->slides);
}

/* The numbers of joint i where it has rigid limits; NULL: it has none. */
static nt_joint *limited_joint(nt_model *model, int i)
{
    const nt_element *e = &model->elements[i];
    if (!nt_element_as_joint(model->origin, e))
        return NULL;
    nt_joint *joint = nt_element_numbers(model->origin, e);
    return nt_joint_is_limited(joint) ? joint : NULL;
}

static bool find_words(nt_model *model, nt_limit_words *limit)
{
    static const char *const sides[] = {"lower", "upper"};
    static const char *const words[] = {"hits", "rests on", "leaves"};
    for (int k = 0; k < NT_LIMIT_SIDES * NT_LIMIT_WORDS; k++) {
        char text[240];
        int length = snprintf(text, sizeof text, "joint %.150s %s its %s limit",
                              model->elements[limit->joint].name, words[k % NT_LIMIT_WORDS],
                              sides[k / NT_LIMIT_WORDS]);
        limit->words[k] = nt_arena_text(&model->arena, text, (size_t)length);
        if (!limit->words[k])
            return false;
    }
    return true;
}

nt_status nt_model_find_limits(nt_model *model)
{
    int count = 0;
    for (int i = 0; i < model->n_joints; i++)
        count += limited_joint(model, i) != NULL;
    model->limits = NT_TAKE(&model->arena, count, nt_limit_words);
    if (!model->limits && count > 0)
        return NT_NO_MEMORY;
    for (int i = 0; i < model->n_joints; i++) {
        nt_joint *joint = limited_joint(model, i);
        if (!joint)
            continue;
        nt_limit_words *limit = &model->limits[model->n_limits++];
        *limit = (nt_limit_words){.joint = i};
        if (!find_words(model, limit))
            return NT_NO_MEMORY;
        joint->locks = true;
        model->joints_change = true;
    }
    return NT_OK;
}

/* ---- words ---------------------------------------------------------------------------------- */

void nt_limit_word(const nt_model *model, int indicator, char *text, int size)
{
    snprintf(text, (size_t)size, "%s limit of joint %s",
             indicator % NT_LIMIT_SIDES == UPPER ? "upper" : "lower",
             element_of(model, indicator / NT_LIMIT_SIDES)->name);
}

static int occurrence(const nt_model *model, int i, int side, int what)
{
    return nt_model_event_count(model) + nt_model_sliding_count(model) +
           (i * NT_LIMIT_SIDES + side) * NT_LIMIT_WORDS + what;
}

const char *nt_limit_occurrence(const nt_model *model, int i)
{
    enum { EACH = NT_LIMIT_SIDES * NT_LIMIT_WORDS };
    return i >= 0 && i < EACH * model->n_limits ? model->limits[i / EACH].words[i % EACH] : NULL;
}

int nt_model_limit_count(const nt_model *model)
{
    return model ? NT_LIMIT_SIDES * NT_LIMIT_WORDS * model->n_limits : 0;
}

/* ---- at a start ----------------------------------------------------------------------------- */

void nt_limits_begin(nt_run *run, const nt_point *at, double *memory)
{
    const nt_model *model = run->model;
    nt_view view;
    nt_terms none = {0};
    nt_point point = *at;
    point.memory = memory;
    if (model->n_limits > 0)
        nt_run_look(run, &point, &none, &view);
    for (int i = 0; i < model->n_limits; i++) {
        const nt_joint *joint = joint_of(run, i);
        nt_coordinate x = coordinate_of(run, &view, i);
        double near = LIES * size_of(run, joint);
        for (int side = 0; side < NT_LIMIT_SIDES; side++)
            if (memory[joint->hold_memory] == NT_JOINT_ON && has_side(joint, side) &&
                fabs(x.value - bound(joint, side)) <= near && fabs(x.rate) <= near)
                memory[joint->hold_memory] = bears(side);
    }
}

static nt_status refuse_placement(const nt_run *run, int i, int side, double x, nt_error *error)
{
    const nt_element *e = element_of(run->model, i);
    const nt_joint *joint = joint_of(run, i);
    return nt_fail_at(error, NT_BAD_MODEL, run->model->file, e->place.line, e->place.column,
                      "joint %s (%s) is placed at %.9g %s, beyond its %s limit of %.9g %s by "
                      "%.6g %s: expected a placement within limits that are rigid",
                      e->name, e->type->name, x, unit_of(joint), side == UPPER ? "upper" : "lower",
                      bound(joint, side), unit_of(joint), toward(side) * (x - bound(joint, side)),
                      unit_of(joint));
}

nt_status nt_limits_check_placement(nt_run *run, nt_error *error)
{
    const nt_model *model = run->model;
    const nt_system *system = &run->system;
    if (model->n_limits == 0)
        return NT_OK;
    size_t nq = (size_t)system->space.nq, nv = (size_t)system->space.nv;
    size_t n = nq + nv + (size_t)system->n_memory;
    double *q = calloc(n + 1, sizeof *q);
    if (!q)
        return nt_fail(error, NT_NO_MEMORY, "out of memory for the placement");
    nt_run_initial(run, q, q + nq, q + nq + nv);
    nt_point at = {.t = model->simulation.start, .q = q, .v = q + nq, .memory = q + nq + nv};
    nt_view view;
    nt_terms none = {0};
    nt_status status = NT_OK;
    nt_run_look(run, &at, &none, &view);
    for (int i = 0; i < model->n_limits; i++) {
        const nt_joint *joint = joint_of(run, i);
        double x = coordinate_of(run, &view, i).value, room = CLOSED * size_of(run, joint);
        for (int side = 0; side < NT_LIMIT_SIDES && status == NT_OK; side++)
            if (nt_joint_holds_at_first(joint) && has_side(joint, side) &&
                toward(side) * (x - bound(joint, side)) > room)
                status = refuse_placement(run, i, side, x, error);
    }
    free(q);
    return status;
}

/* ---- indicators ----------------------------------------------------------------------------- */

/* Whether a limit bears, is free, or is of a joint that holds nothing or is latched. */
typedef enum limit_state { AWAY, FREE, BEARS } limit_state;

static limit_state state_of(const nt_joint *joint, int side, const double *memory)
{
    double holds = memory[joint->hold_memory];
    if (isnan(holds)) /* nothing has begun yet */
        holds = nt_joint_holds_at_first(joint) ? NT_JOINT_ON : NT_JOINT_OFF;
    if (!has_side(joint, side))
        return AWAY;
    return holds == bears(side) ? BEARS : holds == NT_JOINT_ON ? FREE : AWAY;
}

static double rest_speed(const nt_joint *joint)
{
    return joint->given & NT_GIVEN_LIMIT_REST_SPEED ? joint->limits.rest_speed : REST_SPEED;
}

void nt_limits_indicate(const nt_run *run, const nt_view *view, double *g, unsigned char *way)
{
    for (int i = 0; i < run->model->n_limits; i++) {
        const nt_joint *joint = joint_of(run, i);
        nt_coordinate x = coordinate_of(run, view, i);
        for (int side = 0; side < NT_LIMIT_SIDES; side++) {
            int k = NT_LIMIT_SIDES * i + side;
            limit_state state = state_of(joint, side, view->at->memory);
            double pushes = view->lambda ? view->lambda[row_of(run, i)] : 0;
            way[k] = state == AWAY ? 0 : NT_INSIDE;
            if (state == FREE && toward(side) * x.rate > rest_speed(joint))
                way[k] |= NT_SHARP; /* it is about to rebound, however flat it has flown */
            g[k] = state == AWAY   ? 1
                   : state == FREE ? toward(side) * (bound(joint, side) - x.value)
                                   : toward(side) * pushes;
        }
    }
}

/* ---- impacts -------------------------------------------------------------------------------- */

static bool is_poisson(const nt_joint *joint)
{
    return (joint->given & NT_GIVEN_LIMIT_LAW) && joint->limits.impact_law == NT_POISSON;
}

/* Limit i of a side takes part in the impact. */
static void take_part(const nt_run *run, int i, int side, nt_instant *instant)
{
    const nt_joint *joint = joint_of(run, i);
    int row = row_of(run, i);
    instant->memory[joint->hold_memory] = bears(side);
    instant->restitution[row] = 0;
    instant->law[row] = (unsigned char)((side == UPPER ? NT_IMPACT_ABOVE : NT_IMPACT_BELOW) |
                                        (is_poisson(joint) ? NT_IMPACT_POISSON : 0));
}

static bool takes_part(const nt_run *run, const nt_instant *instant, int i)
{
    return instant->law[row_of(run, i)] & (NT_IMPACT_ABOVE | NT_IMPACT_BELOW);
}

/* All that bear, and those that are met within the time that tells the side of a zero. */
static void gather(nt_run *run, nt_instant *instant)
{
    const nt_model *model = run->model;
    nt_view view;
    nt_terms none = {0};
    nt_run_look(run, instant->at, &none, &view);
    for (int i = 0; i < model->n_limits; i++) {
        const nt_joint *joint = joint_of(run, i);
        nt_coordinate x = coordinate_of(run, &view, i);
        for (int side = 0; side < NT_LIMIT_SIDES; side++) {
            limit_state state = state_of(joint, side, instant->memory);
            double gap = toward(side) * (bound(joint, side) - x.value);
            double speed = toward(side) * x.rate;
            bool met = state == FREE && speed > 0 && gap <= speed * instant->nudge;
            if (state == BEARS || met)
                take_part(run, i, side, instant);
        }
    }
}

static nt_status rows_at(nt_run *run, const nt_instant *instant, nt_level level)
{
    nt_point at = *instant->at;
    nt_terms terms = {.level = level, .rows = run->events_rows};
    at.memory = instant->memory;
    return nt_run_evaluate(run, &at, &terms);
}

/* Those that are met so fast that they rebound; by Poisson's law also those that others press then.
 */
static nt_status rebound(nt_run *run, nt_instant *instant)
{
    const nt_model *model = run->model;
    bool fast = false;
    nt_status status = rows_at(run, instant, NT_VELOCITY);
    for (int i = 0; i < model->n_limits && status == NT_OK; i++) {
        const nt_joint *joint = joint_of(run, i);
        int row = row_of(run, i);
        double sign = instant->law[row] & NT_IMPACT_ABOVE ? 1 : -1;
        double speed = sign * run->events_rows[row];
        if (!takes_part(run, instant, i) || !(speed > rest_speed(joint)))
            continue;
        fast = true;
        instant->restitution[row] = joint->limits.restitution;
    }
    for (int i = 0; i < model->n_limits && fast; i++)
        if (takes_part(run, instant, i) && is_poisson(joint_of(run, i)))
            instant->restitution[row_of(run, i)] = joint_of(run, i)->limits.restitution;
    return status;
}

/* Rebounds that are over at once are none: so a fall of ever shorter ones comes to an end. */
static nt_status stay(nt_run *run, nt_instant *instant, int i)
{
    const nt_joint *joint = joint_of(run, i);
    int row = row_of(run, i);
    double e = instant->restitution[row];
    if (!(e > 0))
        return NT_OK;
    nt_status status = rows_at(run, instant, NT_VELOCITY);
    double rate = run->events_rows[row];
    if (status == NT_OK)
        status = rows_at(run, instant, NT_ACCELERATION);
    double pull = run->events_rows[row];
    double apart = rate * pull > 0 ? 2 * e * rate / pull : (double)INFINITY;
    double height = e * fabs(rate) * apart / 4;
    if (apart <= SEEN * instant->nudge || height <= FLAT * fmax(1, size_of(run, joint)))
        instant->restitution[row] = 0;
    return status;
}

/* What rebounds at once does so by one law. */
static nt_status check_laws(const nt_run *run, const nt_instant *instant, nt_error *error)
{
    const nt_system *system = &run->system;
    int laws = 0;
    for (int row = 0; row < system->nh + system->nn; row++)
        if (instant->restitution[row] > 0)
            laws |= instant->law[row] & NT_IMPACT_POISSON ? 2 : 1;
    if (laws != 3)
        return NT_OK;
    return nt_fail(error, NT_UNSUPPORTED,
                   "at t = %.9g s joints meet at once, by Newton's law of impact and by "
                   "Poisson's: expected one `impact_law` for all of them",
                   instant->at->t);
}

nt_status nt_limits_join(nt_run *run, nt_instant *instant, nt_error *error)
{
    const nt_system *system = &run->system;
    bool jumps = false;
    for (int i = 0; i < system->nh + system->nn; i++)
        jumps = jumps || instant->restitution[i] >= 0;
    for (int i = 0; i < system->space.nv; i++)
        jumps = jumps || instant->impulse[i] != 0;
    return run->model->n_limits == 0 || !jumps ? NT_OK : nt_limits_bear_in(run, instant, error);
}

nt_status nt_limits_bear_in(void *self, nt_instant *instant, nt_error *error)
{
    nt_run *run = self;
    if (!run || !instant || !instant->memory || !nt_run_can_look(run, instant->at, false))
        return NT_INVALID;
    gather(run, instant);
    nt_status status = rebound(run, instant);
    return status == NT_OK ? check_laws(run, instant, error) : status;
}

/* A limit is met that bodies have passed by more than rounding and location explain. */
static nt_status refuse_passed(const nt_run *run, int i, int side, double gap, double t,
                               nt_error *error)
{
    const nt_element *e = element_of(run->model, i);
    return nt_fail_at(error, NT_INCONSISTENT, run->model->file, e->place.line, e->place.column,
                      "joint %s is beyond its %s limit by %.6g %s at t = %.9g s: expected limits "
                      "that no event moves past it, and no joint engaged beyond them",
                      e->name, side == UPPER ? "upper" : "lower", -gap, unit_of(joint_of(run, i)),
                      t);
}

static nt_status meet(nt_run *run, int i, int side, nt_instant *instant, nt_error *error)
{
    const nt_joint *joint = joint_of(run, i);
    nt_view view;
    nt_terms none = {0};
    nt_run_look(run, instant->at, &none, &view);
    double x = coordinate_of(run, &view, i).value, gap = toward(side) * (bound(joint, side) - x);
    if (fabs(gap) > CLOSED * fmax(size_of(run, joint), fabs(x)))
        return refuse_passed(run, i, side, gap, instant->at->t, error);
    take_part(run, i, side, instant);
    gather(run, instant);
    nt_status status = rebound(run, instant);
    if (status == NT_OK)
        status = stay(run, instant, i);
    if (status == NT_OK)
        status = check_laws(run, instant, error);
    bool hits = instant->restitution[row_of(run, i)] > 0;
    instant->number = occurrence(run->model, i, side, hits ? HITS : RESTS);
    instant->happened = 1;
    return status;
}

nt_status nt_limit_changes(nt_run *run, int indicator, nt_instant *instant, nt_error *error)
{
    int i = indicator / NT_LIMIT_SIDES, side = indicator % NT_LIMIT_SIDES;
    const nt_joint *joint = joint_of(run, i);
    limit_state state = state_of(joint, side, instant->memory);
    if (state == FREE)
        return meet(run, i, side, instant, error);
    if (state == BEARS) {
        instant->memory[joint->hold_memory] = NT_JOINT_ON;
        instant->number = occurrence(run->model, i, side, LEAVES);
        instant->smooth = 1;
        instant->happened = 1;
    }
    return NT_OK;
}

int nt_limits_bear(void *self, int i, int on, double *memory)
{
    const nt_run *run = self;
    if (!run || !memory || i < 0 || i >= NT_LIMIT_SIDES * run->model->n_limits)
        return 0;
    const nt_joint *joint = joint_of(run, i / NT_LIMIT_SIDES);
    int side = i % NT_LIMIT_SIDES;
    limit_state state = state_of(joint, side, memory);
    if (on > 0 || (on == 0 && state == BEARS))
        memory[joint->hold_memory] = on > 0 ? bears(side) : NT_JOINT_ON;
    return state == BEARS;
}

void nt_limits_part(void *self, const unsigned char *parted, double *memory)
{
    const nt_run *run = self;
    if (!run || !parted || !memory)
        return;
    for (int i = 0; i < run->model->n_limits; i++) {
        double *holds = &memory[joint_of(run, i)->hold_memory];
        if (*holds >= NT_JOINT_AT_LOWER && parted[row_of(run, i)])
            *holds = NT_JOINT_ON;
    }
}
