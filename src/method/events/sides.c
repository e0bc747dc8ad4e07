/* Forces that begin or bend where something happens.
 *
 * A step ends where something happens. Where a force begins or bends at the same place, its onset g
 * (nt_system.onsets) is zero there by rounding, of either sign, and derivatives of the force at the
 * end of the step, and at the begin of the next, could be those of the other side: a part of the
 * step's weight in every derivative in a parameter. So all that is evaluated at that time sees the
 * side on which the step lies: where g comes from for the one that ends, where it goes for the one
 * that begins. */
#include "method/events/stops.h"
#include "method/integrator.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* g is zero up to so many times what location leaves, and so many roundings of the largest
 * coordinate or of the system's length. */
static const double LOCATED = 4 * NT_ZERO_LOCATED, ROUNDINGS = 64 * DBL_EPSILON;

/* Where g comes from is looked at so far before the place, as a part of the step; where it goes so
 * far behind it, as a part of the step that was asked for. */
static const double BEFORE = 1e-3, BEHIND = 1e-6;

/* Times of stages at an end of a step of length h are that end by less than this part of it. */
static const double AT_END = 1e-9;

static bool has_sides(const nt_integrator *it)
{
    const nt_events *events = it->stops.events;
    return events && events->hold_sides && it->problem->system->onsets;
}

static double rounding_of_places(const nt_integrator *it)
{
    double largest = it->problem->length;
    for (int i = 0; i < it->problem->nq; i++)
        largest = fmax(largest, fabs(it->stepper.now.q[i]));
    return ROUNDINGS * largest;
}

/* g at a part of the step now -> next. */
static nt_status sides_within(nt_integrator *it, double part, double h, double *g)
{
    nt_stepper *s = &it->stepper;
    if (part >= 1)
        return nt_onsets_at(it, &s->next, 0, g);
    nt_phase at = nt_stops_phase_like(&s->now, it->stops.at.all);
    double t = s->now.all[NT_PHASE_T] + part * h;
    nt_status status = nt_integrator_between(it, &s->now, &s->next, t, &at);
    return status == NT_OK ? nt_onsets_at(it, &at, 0, g) : status;
}

nt_status nt_stops_find_sides(nt_integrator *it, double part, double h)
{
    nt_stops *s = &it->stops;
    double *before = it->onsets.g[0], *there = it->onsets.g[1];
    double on = fmin(BEFORE, part / 2), rounding = rounding_of_places(it);
    s->sided = false;
    if (!has_sides(it))
        return NT_OK;
    nt_status status = sides_within(it, part - on, h, before);
    if (status == NT_OK)
        status = sides_within(it, part, h, there);
    for (int i = 0; i < it->problem->system->n_onsets && status == NT_OK; i++) {
        double change = fabs(there[i] - before[i]) / on; /* in the whole of the step */
        bool zero = fabs(there[i]) <= LOCATED * change + rounding;
        bool comes = zero && fabs(before[i]) > 2 * rounding;
        s->onset_side[i] = comes ? (before[i] > 0 ? 1 : -1) : 0;
        s->sided = s->sided || comes;
    }
    return status;
}

void nt_stops_hold_before(nt_integrator *it, double length)
{
    const nt_stops *s = &it->stops;
    const nt_phase *now = &it->stepper.now;
    double end = now->all[NT_PHASE_T] + length, by = fmax(AT_END * length, DBL_EPSILON * fabs(end));
    if (s->sided)
        s->events->hold_sides(it->problem->system->self, end, by, 0, s->onset_side, now->memory);
}

nt_status nt_stops_hold_behind(nt_integrator *it)
{
    nt_stops *s = &it->stops;
    const nt_phase *now = &it->stepper.now;
    double *here = it->onsets.g[0], *behind = it->onsets.g[1], rounding = rounding_of_places(it);
    double h = s->stretch.h, t = now->all[NT_PHASE_T], by = DBL_EPSILON * fabs(t);
    if (!has_sides(it))
        return NT_OK;
    memset(s->onset_side, 0, (size_t)it->problem->system->n_onsets * sizeof *s->onset_side);
    s->events->hold_sides(it->problem->system->self, t, by, 1, s->onset_side, now->memory);
    nt_status status = nt_onsets_at(it, now, 0, here);
    if (status == NT_OK)
        status = nt_onsets_at(it, now, BEHIND * h, behind);
    for (int i = 0; i < it->problem->system->n_onsets && status == NT_OK; i++) {
        double change = behind[i] - here[i];
        bool zero = fabs(here[i]) <= LOCATED * fabs(change) / BEHIND + rounding;
        bool goes = zero && fabs(change) > rounding / ROUNDINGS * DBL_EPSILON;
        s->onset_side[i] = goes ? (change > 0 ? 1 : -1) : 0;
    }
    if (status == NT_OK)
        s->events->hold_sides(it->problem->system->self, t, by, 1, s->onset_side, now->memory);
    return status;
}
