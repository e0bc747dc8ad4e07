/* Stops: the times between which the equations are smooth.
 *
 * A step ends at every stop. Known stops are asked for before the steps are laid out. Events are
 * found after a step is made: indicators are looked at within it, at NT_SAMPLES places, its end
 * among them, on the method's own dense output, and where they may pass zero twice between two of
 * these (dips.c); the first zero is located there to 1e-12 of the step, and the step
 * is made again up to it. Dense output and a shorter step differ by their errors, so the length is
 * corrected until the indicator vanishes at the end of the step itself.
 *
 * Then everything that is due happens, one thing after the other, each on the state that the one
 * before has left, and the method begins anew from consistent accelerations. What happens may make
 * an indicator pass zero, so that more follows at the same time; at the thousandth within a step
 * the run ends. */
#include "method/events/stops.h"
#include "base/error.h"
#include "base/target.h"
#include "method/integrator.h"
#include "system/indicator.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The side of a zero is told by what follows within this part of a step. */
static const double NUDGE = 1e-6;

/* How an indicator has passed its zero: as the state moved there, so that its zero is the time, or
 * by a jump of what happened before at the same time. */
enum { PASSED = 1, CARRIED };

/* ---- memory --------------------------------------------------------------------------------- */

nt_status nt_stops_create(nt_integrator *it, size_t phase_size, size_t scratch_size)
{
    const nt_problem *p = it->problem;
    nt_stops *s = &it->stops;
    const nt_events *events = p->system->events;
    if (!events)
        return NT_OK;
    nt_arena *arena = &it->arena;
    size_t n = (size_t)events->n, nv = (size_t)p->nv, nc = (size_t)p->nc;
    bool good = NT_DOUBLES(arena, phase_size, &s->at.all, &s->from.all, &s->beyond.all) &&
                NT_DOUBLES(arena, phase_size, &s->shown.all) &&
                NT_DOUBLES(arena, n, &s->g[0], &s->g[1], &s->g[2], &s->left, &s->left_at) &&
                NT_DOUBLES(arena, n, &s->size) && NT_DOUBLES(arena, 2 * n, &s->side) &&
                NT_DOUBLES(arena, (NT_SAMPLES + 1) * n, &s->samples) &&
                NT_DOUBLES(arena, (size_t)p->system->n_onsets, &s->onset_side) &&
                NT_DOUBLES(arena, nv, &s->v, &s->impulse, &s->beyond_v) &&
                NT_DOUBLES(arena, 2 * nv, &s->rates) && NT_DOUBLES(arena, nc, &s->restitution) &&
                NT_DOUBLES(arena, nc, &s->toward, &s->met, &s->rates_behind, &s->reached) &&
                NT_DOUBLES(arena, nc, &s->driven) && (s->law = NT_TAKE(arena, nc, unsigned char)) &&
                (s->apart = NT_TAKE(arena, nc, unsigned char)) &&
                NT_DOUBLES(arena, (size_t)p->system->n_memory, &s->memory) &&
                NT_DOUBLES(arena, scratch_size, &s->scratch) &&
                (s->way = NT_TAKE(arena, n, unsigned char)) &&
                (s->fired = NT_TAKE(arena, n, unsigned char)) &&
                (s->off = NT_TAKE(arena, nc, unsigned char)) &&
                NT_DOUBLES(arena, (size_t)p->n, &s->z);
    if (!good || nt_problem_prepare_off(it->problem) != NT_OK)
        return NT_NO_MEMORY;
    s->scratch_size = scratch_size;
    s->events = events;
    return NT_OK;
}

/* ---- sides ---------------------------------------------------------------------------------- */

/* A branch that is held is left where its indicator is below this: the place is that of the zero.
 */
static const double LEFT = NT_INDICATOR_LEFT;

/* Whether a value, behind one on a side, is where something happens. */
static bool passes(unsigned char way, double side, double g)
{
    if (way & NT_INSIDE) /* rounding is taken out of g */
        return g < (way & NT_SHARP ? 0 : -LEFT) || (way & NT_AT_EDGE);
    return ((way & NT_RISING) && side < 0 && g >= 0) || ((way & NT_FALLING) && side > 0 && g <= 0);
}

static double side_of(double g) { return (g > 0) - (g < 0); }

/* Smaller parts of the largest value are zero. */
static const double ZERO = NT_INDICATOR_ZERO;

static void round_off(const nt_stops *s, const double *largest, double *g)
{
    for (int i = 0; i < s->events->n; i++)
        if (fabs(g[i]) <= ZERO * largest[i])
            g[i] = 0;
}

/* A side that cannot be told so soon is looked for later by this factor, up to this part of the
 * step that was asked for: short steps and slow motions move an indicator by rounding alone. */
static const double LATER = 8, LATEST = 1e-3;

/* The sides of indicators at a zero from which nothing has moved them yet. */
static nt_status look_further(nt_integrator *it)
{
    nt_stops *s = &it->stops;
    double *side = it->stepper.now.memory + s->events->sides, *largest = side + s->events->n;
    double *before = s->g[0], *after = s->g[1], latest = LATEST * s->stretch.h;
    double least = fmax(s->nudge, 1e-9 * latest); /* ten times at most */
    nt_status status = NT_OK;
    for (double e = LATER * least; e <= latest && status == NT_OK; e *= LATER) {
        bool all = true;
        for (int i = 0; i < s->events->n; i++)
            all = all && (side[i] != 0 || s->way[i] == 0 || (s->way[i] & NT_INSIDE));
        if (all)
            break;
        status = nt_stops_soon(it, e, after);
        for (int i = 0; i < s->events->n && status == NT_OK; i++)
            if (side[i] == 0 && fabs(after[i] - before[i]) > ZERO * largest[i])
                side[i] = side_of(after[i] - before[i]);
    }
    return status;
}

/* A zero is missed by less than this part of the largest value, and by less than what the indicator
 * changes by in this part of a step. One that does not move from where it is may be held there, to
 * what a joint leaves. */
static const double BY_ROUNDING = 1e-12, OF_A_STEP = 4e-12;
static const double HELD = 1e-10;

/* At the start bodies may lie at limits and move against them: they hit them in the first step,
 * where everybody is told. */
static bool waits_for_step(const nt_stops *s, int i)
{
    int limit = i - s->events->limits;
    return s->beginning && limit >= 0 && limit < s->events->n_limits && !(s->g[0][i] < -LEFT);
}

/* Whether what has happened has itself moved indicator i to this value, from which it goes on by
 * `change` in the nudge, by more than location leaves of a zero. */
static nt_status set_beside(nt_integrator *it, int i, double value, double change, bool *set)
{
    nt_stops *s = &it->stops;
    double largest = it->stepper.now.memory[s->events->sides + s->events->n + i];
    double rounding = change > ZERO * largest ? BY_ROUNDING : HELD;
    double least = fmax(rounding * largest, OF_A_STEP / NUDGE * change);
    *set = false;
    if ((s->way[i] & NT_INSIDE) || !(fabs(value) > least))
        return NT_OK;
    nt_instant_take_rows(it, s->from.memory);
    nt_status status = nt_stops_indicators(it, &s->from, s->g[2]);
    nt_instant_take_rows(it, it->stepper.now.memory);
    *set = status == NT_OK && fabs(value - s->g[2][i]) > least;
    return status;
}

/* The side on which each indicator is just behind the present state: that of its value, or, near
 * the zero of the one that was just passed (`handled`, -1 for none) and from which what happened
 * has not moved it, that of where it goes. Those that the change itself has carried over their zero
 * are due, and so are those that have come to their zero at the same time and go on across it; one
 * that holds a branch and leaves it at once is due again. measures: what rounding makes of zeros
 * may be another than before. */
static nt_status look_behind(nt_integrator *it, int handled, bool measures)
{
    nt_stops *s = &it->stops;
    const nt_phase *now = &it->stepper.now;
    double *before = s->g[0], *after = s->g[1];
    double *side = now->memory + s->events->sides, *largest = side + s->events->n;
    nt_status status = measures ? nt_stops_find_balances(it) : NT_OK;
    if (status == NT_OK)
        status = nt_stops_indicators(it, now, before);
    if (status == NT_OK && measures)
        status = nt_stops_measure(it, handled >= 0 ? &s->from : NULL, before, largest);
    if (status == NT_OK)
        status = nt_stops_soon(it, s->nudge, after);
    if (status == NT_OK)
        round_off(s, largest, before);
    bool set = false;
    if (status == NT_OK && measures && handled >= 0)
        status =
            set_beside(it, handled, before[handled], fabs(after[handled] - before[handled]), &set);
    for (int i = 0; i < s->events->n && status == NT_OK; i++) {
        double was = side[i];
        largest[i] = fmax(largest[i], fabs(before[i]));
        if (fabs(after[i] - before[i]) <= ZERO * largest[i])
            after[i] = before[i];
        double change = fabs(after[i] - before[i]);
        unsigned char due = s->fired[i];
        bool near = (s->way[i] & NT_INSIDE) ||
                    (!(i == handled && set) &&
                     fabs(before[i]) <= fmax(change, NT_ZERO_MISSED * largest[i]));
        bool at_zero = before[i] == 0 || (i == handled && near) ||
                       ((s->way[i] & NT_INSIDE) && fabs(before[i]) <= LEFT);
        side[i] = at_zero ? side_of(after[i] - before[i]) : side_of(before[i]);
        bool stands = (s->way[i] & NT_AT_EDGE) && before[i] == 0;
        if (s->way[i] & NT_INSIDE)
            s->fired[i] =
                stands ? i != handled : after[i] < -LEFT && (i != handled || after[i] < before[i]);
        else if (i != handled && passes(s->way[i], was, before[i]) &&
                 (before[i] != 0 || side[i] * was < 0))
            s->fired[i] = PASSED;
        if (waits_for_step(s, i))
            s->fired[i] = 0;
        bool beyond = s->way[i] & NT_INSIDE ? before[i] < -LEFT || stands : before[i] != 0;
        if (s->fired[i] && due != PASSED && i != handled && beyond)
            s->fired[i] = CARRIED;
    }
    return status == NT_OK ? look_further(it) : status;
}

/* ---- location ------------------------------------------------------------------------------- */

/* An indicator that changes by this part of its change within a bracket, where that is as short as
 * location makes it, and by more than rounding, jumps there. */
static const double JUMPS = 0.1;

/* Whether an indicator is zero at part b of the step, to the last bit, and has been so for this
 * part of the bracket that ends there: it has jumped onto it. One whose branch ends before its zero
 * may have come to it smoothly, to stay: its first zero is looked for. */
static const double FOR_A_WHILE = 1e-3;

/* Not where it comes from no more than so many roundings beside: it may be zero by them. */
static const double FAR = 1e4;

static nt_status stands_at_zero(nt_integrator *it, int i, double h, double a, double b, bool far,
                                bool *stands)
{
    const double *g = it->stops.g[2];
    nt_status status = nt_stops_within(it, b, h, it->stops.g[2]);
    bool edge = it->stops.way[i] & NT_AT_EDGE;
    *stands = status == NT_OK && g[i] == 0 && (edge || far);
    if (*stands && !edge)
        status = nt_stops_within(it, b - FOR_A_WHILE * (b - a), h, it->stops.g[2]);
    *stands = *stands && status == NT_OK && g[i] == 0;
    return status;
}

/* The part of the step where indicator i passes zero, between parts a and b: by the secant, and
 * halving where that gains too little, or where the value at b is zero, which it may have been for
 * a while. *slope: its change per part, there; infinite where it jumps, or is zero up to there or
 * from there on, so that its value does not tell how far off it is. */
static nt_status locate(nt_integrator *it, int i, double h, double a, double ga, double b,
                        double gb, double *part, double *slope)
{
    double *g = it->stops.g[2], sign = gb > 0 || (gb == 0 && ga < 0) ? 1 : -1;
    double least = ZERO * it->stops.side[it->stops.events->n + i];
    bool leaves = (it->stops.way[i] & NT_MAY_STAND) && ga == 0 && gb < 0, stands = false;
    if (ga * sign > -least) /* it left its zero within the bracket: the sample before is zero */
        ga = 0;
    double change = gb - ga;
    bool far = fabs(ga) > FAR * least;
    nt_status status = gb == 0 ? stands_at_zero(it, i, h, a, b, far, &stands) : NT_OK;
    *slope = change / (b - a);
    bool there = gb == 0 && !stands;
    for (int round = 0; b - a > NT_ZERO_LOCATED && !there && round < 200 && status == NT_OK;
         round++) {
        bool halves = round % 3 == 2 || gb == ga || ga == 0 || stands;
        double middle = halves ? (a + b) / 2 : b - gb * (b - a) / (gb - ga);
        middle = fmin(fmax(middle, a + NT_ZERO_LOCATED / 4), b - NT_ZERO_LOCATED / 4);
        if ((status = nt_stops_within(it, middle, h, g)) != NT_OK)
            return status;
        bool told = leaves || stands; /* zeros are no sign of it */
        if (told ? nt_indicator_passed(it->stops.way[i], g[i], sign) : g[i] * sign >= 0) {
            if (b - middle > 1e-7)
                *slope = (gb - g[i]) / (b - middle);
            b = middle, gb = g[i];
        } else {
            if (middle - a > 1e-7)
                *slope = (g[i] - ga) / (middle - a);
            a = middle, ga = g[i];
        }
        if (gb == 0 && !stands)
            status = stands_at_zero(it, i, h, a, b, far, &stands);
        there = gb == 0 && !stands;
    }
    *part = b;
    if (!there && (leaves || stands || fabs(gb - ga) > fmax(JUMPS * fabs(change), FAR * least)))
        *slope = sign * (double)INFINITY;
    return status;
}

/* Indicators at the next sample; *any: those that are marked have passed their zero since the one
 * before. */
static nt_status look_at(nt_integrator *it, double h, double part, bool *any)
{
    nt_stops *s = &it->stops;
    double *g = s->g[0], *largest = s->side + s->events->n;
    nt_status status = nt_stops_within(it, part, h, g);
    *any = false;
    if (status == NT_OK)
        round_off(s, largest, g);
    for (int i = 0; i < s->events->n && status == NT_OK; i++) {
        largest[i] = fmax(largest[i], fabs(g[i]));
        bool leaves =
            g[i] == 0 && fabs(s->left[i]) <= ZERO * largest[i] && !(s->way[i] & NT_AT_EDGE);
        s->fired[i] = !leaves && passes(s->way[i], s->side[i], g[i]);
        *any = *any || s->fired[i];
        s->size[i] = fmax(s->size[i], fabs(g[i]) / h);
        if (!isfinite(g[i])) {
            nt_stops_say_without_value(it, i);
            status = NT_NOT_FINITE;
        }
    }
    return status;
}

/* The first sample at which something has happened, as a part of the step; 0: there is none. What
 * indicators are before that is in nt_stops.left. also: a place that is a sample too; 0: none. *n:
 * so many were looked at. */
static nt_status look_along(nt_integrator *it, double h, double also, double *sample, int *n)
{
    nt_stops *s = &it->stops;
    const double *side = it->stepper.now.memory + s->events->sides;
    size_t count = (size_t)s->events->n;
    double *g = s->g[0], begin = 0;
    memcpy(s->side, side, 2 * count * sizeof *side);
    nt_status status = nt_stops_indicators(it, &it->stepper.now, s->left);
    bool any = false, looks = false; /* those that known times decide are not looked at */
    for (size_t i = 0; i < count; i++) {
        s->size[i] = fabs(s->left[i]) / h;
        s->left_at[i] = 0;
        looks = looks || s->way[i] != 0;
    }
    memcpy(s->samples, s->left, count * sizeof *g);
    for (*n = 0; looks && *n < NT_SAMPLES && !any && status == NT_OK;) {
        double part = (*n + 1.0) / NT_SAMPLES;
        bool here = also > begin && also < part;
        part = here ? also : part;
        status = look_at(it, h, part, &any);
        if (!here)
            memcpy(s->samples + (size_t)++ * n * count, g, count * sizeof *g);
        *sample = part;
        if (any || status != NT_OK)
            break;
        begin = part;
        for (size_t i = 0; i < count; i++) {
            s->side[i] = g[i] != 0 ? side_of(g[i]) : s->side[i];
            if ((s->way[i] & NT_INSIDE) && g[i] < 0) /* beyond its zero, by too little to tell */
                continue;
            s->left[i] = g[i];
            s->left_at[i] = begin;
        }
    }
    if (!any)
        *sample = 0;
    return status;
}

/* The same, also where something has happened twice between two samples. */
static nt_status find_sample(nt_integrator *it, double h, double *sample)
{
    int n;
    double dip = 0;
    nt_status status = look_along(it, h, 0, sample, &n);
    if (status == NT_OK)
        status = nt_stops_find_dip(it, h, n, &dip);
    return status == NT_OK && dip > 0 ? look_along(it, h, dip, sample, &n) : status;
}

/* The earliest zero of those that were passed before a sample: its part of the step, which it is,
 * and its slope. All that pass there remain marked. */
static nt_status find_first(nt_integrator *it, double h, double sample, double *part, int *first,
                            double *slope)
{
    nt_stops *s = &it->stops;
    int n = s->events->n;
    double *right = s->g[0], *where = s->g[1];
    *part = 2;
    for (int i = 0; i < n; i++) {
        double at, rate;
        if (!s->fired[i])
            continue;
        nt_status status =
            locate(it, i, h, s->left_at[i], s->left[i], sample, right[i], &at, &rate);
        if (status != NT_OK)
            return status;
        where[i] = at;
        if (at < *part)
            *part = at, *first = i, *slope = rate;
    }
    for (int i = 0; i < n; i++)
        s->fired[i] = s->fired[i] && where[i] <= *part + NT_ZERO_LOCATED;
    return NT_OK;
}

/* Steps that are shorter than this part of the one that was made are not made again: dense output
 * near the begin of a step is as good. */
static const double SHORT = 1e-4;

/* The state of a sample, before the step is made again. */
static nt_status keep_beyond(nt_integrator *it, double part, double h)
{
    nt_stops *s = &it->stops;
    nt_stepper *stepper = &it->stepper;
    double t = stepper->now.all[NT_PHASE_T] + h * part;
    s->beyond = nt_stops_phase_like(&stepper->now, s->beyond.all);
    s->seen = true;
    if (part < 1)
        return nt_integrator_between(it, &stepper->now, &stepper->next, t, &s->beyond);
    memcpy(s->beyond.all, stepper->next.all, it->size * sizeof(double));
    return NT_OK;
}

NT_HOT nt_status nt_stops_find(nt_integrator *it, double *h, double *to, bool *found)
{
    nt_stops *s = &it->stops;
    nt_stepper *stepper = &it->stepper;
    const bool keeps = it->attend != NULL;
    double part = 1, slope = 0, t = stepper->now.all[NT_PHASE_T], length = *h;
    double sample = 0;
    int first = -1;
    *found = false;
    if (!s->events)
        return NT_OK;
    s->touched = -1;
    s->nudge = NUDGE * *h;
    stepper->next.all[NT_PHASE_T] = *to; /* dense output reads them */
    stepper->next.all[NT_PHASE_STEP] = *h;
    if (s->events->n == 0) /* all there is happens at known times */
        return NT_OK;
    if (keeps) /* what the step left there is differentiated */
        memcpy(s->scratch, stepper->scratch, s->scratch_size * sizeof(double));
    nt_status status = find_sample(it, length, &sample);
    if (status == NT_OK && sample > 0)
        status = find_first(it, length, sample, &part, &first, &slope);
    if (status == NT_OK && sample > 0)
        status = nt_stops_find_sides(it, part, length);
    if (status == NT_OK && sample > 0)
        status = keep_beyond(it, sample, length);
    if (keeps)
        memcpy(stepper->scratch, s->scratch, s->scratch_size * sizeof(double));
    if (status != NT_OK || sample == 0)
        return status;
    *found = true;
    bool own = it->method->needs & NT_OWN_STEPS;
    if (part >= 1)
        return s->sided && !own ? nt_stops_step_to_end(it, length) : NT_OK;
    *h = part * length;
    if (part <= 2 * NT_ZERO_LOCATED || t + *h <= t + 4 * DBL_EPSILON * fabs(t)) {
        *h = 0;
        *to = t;
        nt_integrator_roll_back(it);
        return NT_OK;
    }
    if (own || part < SHORT)
        status = nt_stops_step_by_dense_output(it, part, length);
    else
        status = nt_stops_step_to(it, first, length, part, slope, h);
    *to = t + *h;
    return status;
}

/* ---- what happens --------------------------------------------------------------------------- */

/* The accelerations and multipliers of the forces just before what happens, for methods whose
 * state holds those within the step that led here: half a step off they would make the motion
 * before, and with it how times of events and what follows vary, wrong by the order of the step.
 */
static nt_status rates_before(nt_integrator *it, const nt_phase *from, nt_error *error)
{
    if (!(it->method->needs & NT_RATES_WITHIN) || !(from->all[NT_PHASE_STEP] > 0))
        return NT_OK;
    nt_status status = nt_integrator_accelerate(it, from);
    return status == NT_OK ? NT_OK
                           : nt_fail(error, status, "accelerations before t = %g s: %s",
                                     from->all[NT_PHASE_T], nt_status_text(status));
}

void nt_stops_take_side(nt_integrator *it, double t, bool behind, double *memory)
{
    const nt_events *events = it->stops.events;
    if (events->take_side)
        events->take_side(it->problem->system->self, t, behind, memory);
}

/* What prescribed motions jump by happens as well, with what else does or by itself. */
static nt_status jump_with_drives(nt_integrator *it, nt_phase *behind, nt_instant *instant,
                                  bool *jumps, nt_error *error)
{
    if (!instant->happened)
        memcpy(behind->all, it->stops.from.all, it->size * sizeof(double));
    nt_stops_take_side(it, behind->all[NT_PHASE_T], true, behind->memory);
    nt_status status = nt_drive_jump(it, &it->stops.from, behind, jumps, error);
    if (*jumps && !instant->happened)
        instant->number = instant->kept_at = -1;
    return status;
}

/* Nothing happens but that functions bend. Methods that go on from earlier steps begin anew where
 * derivatives that such a step cannot see bend lower: those in a delay do where the start comes
 * back; and where they carry derivatives, which jump there. */
static nt_status bend(nt_integrator *it, const nt_instant *instant, nt_error *error)
{
    nt_stops *s = &it->stops;
    nt_phase *now = &it->stepper.now;
    bool own = it->method->needs & NT_OWN_STEPS;
    if (!instant->bends && (instant->timed_by < 0 || (own && !it->attend_jump)))
        return NT_OK;
    nt_stops_take_side(it, now->all[NT_PHASE_T], true, now->memory);
    nt_status status = own ? nt_integrator_refresh(it, error) : NT_OK;
    const nt_jump_of_state bend = {
        .from = &s->from, .indicator = instant->bends ? -1 : instant->timed_by, .bends = 1};
    if (status != NT_OK || !it->attend_jump)
        return status;
    return it->attend_jump(it->attendant, it, &bend, error);
}

/* It becomes the present state. */
static nt_status apply(nt_integrator *it, int which, nt_instant *instant, nt_error *error)
{
    nt_stops *s = &it->stops;
    const nt_system *system = it->problem->system;
    nt_phase *now = &it->stepper.now, behind = nt_stops_phase_like(now, s->at.all);
    nt_energy energy[2];
    nt_status status = NT_OK;
    nt_point at = nt_stops_point(it, now);
    memset(energy, 0, sizeof energy);
    if (system->capabilities & NT_HAS_ENERGY)
        system->energy(system->self, &at, &energy[0]);
    s->from = nt_stops_phase_like(now, s->from.all);
    memcpy(s->from.all, now->all, it->size * sizeof(double));
    if (s->stretch.at_once == 0)
        status = rates_before(it, &s->from, error);
    if (status == NT_OK)
        status = nt_instant_behind(it, which, &s->from, 0, &behind, instant, error);
    bool drives = false;
    if (status == NT_OK && !s->beginning)
        status = jump_with_drives(it, &behind, instant, &drives, error);
    if (status == NT_OK && s->waits) {
        nt_instant_take_rows(it, now->memory);
        return NT_OK;
    }
    bool alone = drives && !instant->happened;
    instant->happened |= drives;
    if (status == NT_OK && !instant->happened)
        return bend(it, instant, error);
    if (status != NT_OK)
        return status;
    memcpy(now->all, behind.all, it->size * sizeof(double));
    at = nt_stops_point(it, now);
    if (system->capabilities & NT_HAS_ENERGY)
        system->energy(system->self, &at, &energy[1]);
    nt_occurrence happened = {.t = at.t,
                              .number = instant->number,
                              .energy = {energy[0].kinetic + energy[0].potential,
                                         energy[1].kinetic + energy[1].potential}};
    if (it->track_work)
        now->all[NT_PHASE_WORK] += happened.energy[1] - happened.energy[0];
    if (instant->ends) {
        s->stretch.ended = 1;
        s->stretch.ended_by = instant->number;
    }
    if ((status = nt_integrator_refresh(it, error)) != NT_OK ||
        (status = nt_stops_hold_behind(it)) != NT_OK)
        return status;
    bool carried = which >= 0 && s->fired[which] == CARRIED;
    int timed_by = instant->smooth || carried ? -1 : which >= 0 ? which : instant->timed_by;
    nt_jump_of_state jump = {.from = &s->from,
                             .indicator = timed_by,
                             .asked = which,
                             .timed_by = instant->timed_by,
                             .ends = instant->ends,
                             .pattern = s->pattern,
                             .number = instant->number,
                             .kept_at = timed_by < 0 ? instant->kept_at : -1,
                             .carried = carried,
                             .touches = timed_by >= 0 && timed_by == s->touched,
                             .drives = drives,
                             .alone = alone,
                             .scale = timed_by >= 0 ? s->size[timed_by] : 0};
    if (it->attend_jump && !s->beginning)
        status = it->attend_jump(it->attendant, it, &jump, error);
    s->number = instant->number;
    if (instant->number >= 0 && !s->beginning) {
        it->statistics.events++;
        if (status == NT_OK && it->observe_event)
            it->observe_event(it->event_context, &happened);
    }
    return status;
}

static nt_status happen(nt_integrator *it, nt_error *error)
{
    nt_stops *s = &it->stops;
    bool changed = false;
    double t = it->stepper.now.all[NT_PHASE_T], last = s->stretch.last;
    s->waits = false;
    s->stretch.at_once = t == s->stretch.last ? s->stretch.at_once : 0;
    s->stretch.last = t;
    if (!(t <= s->stretch.window + s->stretch.h))
        s->stretch.window = t, s->stretch.within = 0;
    for (;; s->stretch.at_once++) { /* over calls too: a step of no length makes no time pass */
        nt_instant instant;
        int which = -1;
        for (int i = s->events->n - 1; i >= 0; i--)
            which = s->fired[i] ? i : which;
        if (s->stretch.at_once == NT_STOPS_MOST || s->stretch.within == NT_STOPS_MOST)
            return nt_stops_never_settles(it, which, error);
        double from = which >= 0 ? it->stepper.now.memory[s->events->sides + which] : 0;
        nt_status status = NT_OK;
        if (which >= 0 && which == s->indicator)
            status = nt_stops_check_again(it, which, from, last, error);
        if (status == NT_OK)
            status = apply(it, which, &instant, error);
        if (which >= 0 || instant.happened)
            s->indicator = which;
        s->seen = false;
        if (status != NT_OK || s->waits)
            return status;
        bool moved = instant.happened && !nt_stops_found_nothing(it);
        bool stays = instant.happened || instant.bends || instant.timed_by >= 0;
        if (stays && (status = nt_instant_settle(it, instant.happened, error)) != NT_OK)
            return status;
        if (which < 0 && !instant.happened)
            break;
        changed = changed || instant.happened;
        s->stretch.within += instant.happened && (which >= 0 || instant.number >= 0);
        if (which >= 0)
            s->fired[which] = 0;
        status = look_behind(it, which >= 0 ? which : instant.timed_by,
                             instant.happened && (which >= 0 || instant.number >= 0));
        if (status != NT_OK)
            return nt_fail(error, status, "events at t = %.9g s: %s",
                           it->stepper.now.all[NT_PHASE_T], nt_status_text(status));
        if (which >= 0 && moved && !instant.ends &&
            (status = nt_stops_check_return(it, which, from, error)) != NT_OK)
            return status;
    }
    memset(s->fired, 0, (size_t)s->events->n);
    nt_stops_take_side(it, t, true, it->stepper.now.memory);
    s->stretch.laid_out = 0;
    s->busy = false;
    if (changed)
        memcpy(it->before.all, it->stepper.now.all, it->size * sizeof(double));
    return NT_OK;
}

nt_status nt_stops_happen(nt_integrator *it, nt_error *error)
{
    it->problem->unasked = true; /* half of it would be a state that no motion has */
    nt_status status = happen(it, error);
    it->problem->unasked = false;
    return status;
}

/* ---- from stop to stop ---------------------------------------------------------------------- */

nt_status nt_stops_begin(nt_integrator *it, nt_error *error)
{
    nt_stops *s = &it->stops;
    nt_phase *next = &it->stepper.next;
    const nt_system *system = it->problem->system;
    if (!s->events)
        return NT_OK;
    s->stretch = (nt_stretch){
        .origin = next->all[NT_PHASE_T], .last = -(double)INFINITY, .window = -(double)INFINITY};
    s->busy = false;
    s->indicator = -1;
    s->touched = -1;
    s->nudge = 1e-9;
    s->seen = false;
    memset(s->fired, 0, (size_t)s->events->n);
    nt_point at = nt_stops_point(it, next);
    nt_status status = NT_OK;
    if (s->events->begin)
        status = s->events->begin(system->self, &at, s->nudge, next->memory);
    if (status != NT_OK)
        return nt_fail(error, status, "events cannot begin at t = %g s: %s", at.t,
                       nt_status_text(status));
    nt_instant_take_rows(it, next->memory);
    return NT_OK;
}

nt_status nt_stops_begin_sides(nt_integrator *it, nt_error *error)
{
    nt_stops *s = &it->stops;
    if (!s->events)
        return NT_OK;
    double *side = it->stepper.now.memory + s->events->sides;
    memset(side, 0, 2 * (size_t)s->events->n * sizeof *side);
    s->beginning = true;
    nt_status status = look_behind(it, -1, true);
    s->beginning = false;
    if (status != NT_OK)
        return nt_fail(error, status, "events have no value at t = %g s: %s",
                       it->stepper.now.all[NT_PHASE_T], nt_status_text(status));
    bool due = false; /* what sticks at the start may not hold */
    bool holds = s->events->n_sliding > 0 || s->events->part;
    for (int i = 0; i < s->events->n && holds; i++)
        due = due || s->fired[i];
    s->beginning = true;
    if (due)
        status = nt_stops_happen(it, error);
    s->beginning = false;
    memset(s->fired, 0, (size_t)s->events->n);
    memcpy(it->before.all, it->stepper.now.all, it->size * sizeof(double));
    return status;
}

/* To the end of the stretch, or to the event before it. */
static nt_status advance_stretch(nt_integrator *it, double h, nt_observer observer, void *context,
                                 nt_error *error)
{
    nt_stretch *stretch = &it->stops.stretch;
    if (it->variable)
        return nt_integrator_advance_variable(it, stretch->end, h, observer, context, error);
    while (stretch->laid_out && stretch->done < stretch->count) {
        double target = nt_stretch_step_end(stretch, stretch->done + 1);
        nt_status status = nt_integrator_advance(it, target, observer, context, error);
        if (status != NT_OK)
            return status;
    }
    return NT_OK;
}

/* At a known stop whose events have not happened yet: there a run can be stopped, saved and gone on
 * with, to another end too. */
static bool is_due(const nt_integrator *it)
{
    const nt_stretch *stretch = &it->stops.stretch;
    return stretch->laid_out && stretch->known && !it->stops.busy &&
           it->stepper.now.all[NT_PHASE_T] == stretch->end;
}

/* Behind what has happened, where the run goes on: its next step is the first of a stretch. */
static nt_status show_behind(nt_integrator *it, nt_error *error)
{
    if (!it->observe_behind || it->observe_behind(it->behind_context, it) == 0)
        return NT_OK;
    return nt_fail(error, NT_INTERRUPTED, "interrupted at t = %.9g s",
                   it->stepper.now.all[NT_PHASE_T]);
}

nt_status nt_stops_advance(nt_integrator *it, double end, double h, nt_observer observer,
                           void *context, nt_error *error)
{
    nt_stops *s = &it->stops;
    nt_status status = NT_OK;
    s->until = end;
    while (status == NT_OK && it->stepper.now.all[NT_PHASE_T] < end && !s->stretch.ended) {
        bool due = is_due(it);
        if (!due && (status = nt_stretch_lay_out(it, end, h, error)) != NT_OK)
            return status;
        s->nudge = NUDGE * fmin(h, s->stretch.end - s->stretch.begin);
        if (!due)
            status = advance_stretch(it, h, observer, context, error);
        /* an event that was found has happened already, and the stretch is no longer laid out */
        if (status == NT_OK && s->stretch.laid_out && s->stretch.known &&
            it->stepper.now.all[NT_PHASE_T] == s->stretch.end)
            status = nt_stops_happen(it, error);
        bool goes_on = it->stepper.now.all[NT_PHASE_T] < end && !s->stretch.ended;
        if (status == NT_OK && !s->stretch.laid_out && goes_on)
            status = show_behind(it, error);
    }
    return status;
}

bool nt_stops_whole(const nt_integrator *it) { return !it->stops.events || !it->stops.busy; }
