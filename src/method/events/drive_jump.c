/* Prescribed motions that jump, or whose rates do, at a stop.
 *
 * With the rows of a state (q, v) at the times just before and just behind,
 *
 *   dPhi = Phi(q, t+) - Phi(q, t-),      dg = g(v, q, t+) - g(v, q, t-),      g = Phi_q v + Phi_t,
 *
 * a motion with dPhi other than zero asks for an infinite velocity: there is none, and the run ends
 * in words. One with dg other than zero asks for an impulse: velocities jump as in an impact
 * (impact.c) in which nothing is met, but for rigid limits that bear or are met: these push and
 * never pull,
 *
 *   M dv + G^T L = 0,    g(v + dv, q, t+) = 0,
 *
 * and the method begins anew with them. A method that takes rows of positions alone would go after
 * such a jump with velocities that swing about those that the rows ask for, and reactions that grow
 * like the inverse of the step. Where accelerations that rows ask for jump velocities stay, and the
 * method begins anew as well: reactions jump. What rows change by anyway in so short a time is
 * known from the time after. */
#include "base/error.h"
#include "method/integrator.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Of its measure: a row that jumps by less is what a start lets pass. */
static const double JUMPS = 1e-8;

/* The time beside a stop, in roundings of the stop's time, or of the step. */
static const double ROUNDINGS = 256, OF_NUDGE = 1e-6;

/* Rows at another time than that of the phase, with the switches of some memory. */
static nt_status rows_beside(nt_integrator *it, const nt_phase *phase, const double *memory,
                             nt_level level, double t, double *rows)
{
    nt_point at = nt_phase_point(phase);
    nt_terms terms = {.level = level, .rows = rows};
    at.t = t, at.memory = memory;
    return nt_problem_evaluate(it->problem, &at, &terms);
}

/* What jumps of rows are measured by: turns by 1 rad and lengths by the largest coordinate,
 * velocities and accelerations of both kinds by the largest one of their kind, 1 at least. */
static void scales_of(const nt_problem *p, const nt_phase *at, nt_level level, double scale[2])
{
    scale[NT_LENGTH] = scale[NT_ANGLE] = 1;
    for (int i = 0; i < p->nq && level == NT_POSITION; i++)
        scale[NT_LENGTH] = fmax(scale[NT_LENGTH], fabs(at->q[i]));
    const double *rates = level == NT_ACCELERATION ? at->vdot : at->v;
    for (int i = 0; i < p->nv && level != NT_POSITION; i++)
        scale[p->quantity[i]] = fmax(scale[p->quantity[i]], fabs(rates[i]));
}

/* The row that jumps most at a level and is missed just behind, and by how much it jumps; -1: none
 * does. Rows take part that hold before and behind (s->apart: not so). */
static nt_status find_jump(nt_integrator *it, const nt_phase *from, const nt_phase *behind,
                           nt_level level, double e, int *which, double *jump)
{
    nt_stops *s = &it->stops;
    const nt_problem *p = it->problem;
    double t = behind->all[NT_PHASE_T], scale[2], *rows[3] = {s->rates_behind, s->reached, s->met};
    scales_of(p, behind, level, scale);
    nt_status status = rows_beside(it, behind, from->memory, level, t - e, rows[0]);
    if (status == NT_OK)
        status = rows_beside(it, behind, behind->memory, level, t + e, rows[1]);
    if (status == NT_OK)
        status = rows_beside(it, behind, behind->memory, level, t + 3 * e, rows[2]);
    *which = -1, *jump = 0;
    for (int row = 0; row < (level == NT_POSITION ? p->nh : p->nc) && status == NT_OK; row++) {
        double by = rows[1][row] - rows[0][row], slope = rows[2][row] - rows[1][row];
        double seen = JUMPS * scale[p->quantity[p->nv + row]] + 4 * fabs(slope);
        if (s->apart[row] || !(fabs(by) > seen) || !(fabs(rows[1][row]) > 0.5 * fabs(by)) ||
            fabs(by) <= fabs(*jump))
            continue; /* it is none, or velocities have jumped with it already */
        *which = row, *jump = by;
    }
    return status;
}

static nt_status motion_jumps(nt_integrator *it, int row, double jump, double t, nt_error *error)
{
    const nt_problem *p = it->problem;
    const nt_events *events = it->stops.events;
    const char *unit = p->quantity[p->nv + row] == NT_LENGTH ? "m" : "rad";
    char name[160];
    nt_error place = {0};
    if (events->gap)
        jump = events->gap(p->system->self, row, jump, &unit);
    nt_problem_equation_name(p, p->nv + row, name, sizeof name);
    if (p->system->place)
        p->system->place(p->system->self, p->nv + row, &place);
    nt_fail_at(error, NT_INCONSISTENT, place.file, place.line, place.column,
               "at t = %.9g s: %s jumps by %.6g %s; expected a motion without jumps, such as "
               "step(t, ...) or a table",
               t, name, fabs(jump), unit);
    if (error)
        error->time = t;
    return NT_INCONSISTENT;
}

/* Stops that bear take part, and push from their side alone: in the restitutions and laws of rows,
 * and in memory. */
static nt_status stops_join(nt_integrator *it, nt_phase *phase, bool *meets, nt_error *error)
{
    nt_stops *s = &it->stops;
    const nt_problem *p = it->problem;
    nt_point at = nt_stops_point(it, phase);
    nt_instant instant = nt_instant_begin(it, &at, -1, phase->memory);
    nt_status status = NT_OK;
    *meets = false;
    if (s->events->join)
        status = s->events->join(p->system->self, &instant, error);
    for (int i = 0; i < p->nc; i++)
        *meets = *meets || s->restitution[i] >= 0;
    return status;
}

/* What follows is no part of a run that ends there; one that goes on from there meets it. */
static bool waits(const nt_stops *s, double t)
{
    const nt_stretch *stretch = &s->stretch;
    return stretch->laid_out && stretch->known && t == stretch->end && t == s->until;
}

/* Velocities that the rows ask for at a time beside that of the phase, by impulses. */
static nt_status meet_rates(nt_integrator *it, nt_phase *phase, double t, nt_error *error)
{
    bool meets;
    double at = phase->all[NT_PHASE_T];
    nt_status status = stops_join(it, phase, &meets, error);
    nt_instant_take_rows(it, phase->memory);
    if (status == NT_OK && meets)
        status = nt_impact_close_gaps(it, phase, error);
    phase->all[NT_PHASE_T] = t;
    if (status == NT_OK)
        status = nt_impact(it, phase, false, error);
    if (status == NT_OK)
        status = nt_impact_part(it, phase, phase->memory);
    phase->all[NT_PHASE_T] = at;
    nt_instant_take_rows(it, phase->memory);
    return status;
}

/* The time beside a stop at which rows are looked at, s. */
static double beside(const nt_integrator *it, double t)
{
    return fmax(ROUNDINGS * DBL_EPSILON * fabs(t), OF_NUDGE * it->stops.nudge);
}

/* Rows that do not hold before and behind, in s->apart; p->off is that behind. */
static void find_rows(nt_integrator *it, const nt_phase *from, const nt_phase *behind)
{
    nt_stops *s = &it->stops;
    nt_problem *p = it->problem;
    nt_instant_take_rows(it, from->memory);
    for (int i = 0; i < p->nc; i++)
        s->apart[i] = nt_problem_is_off(p, i);
    nt_instant_take_rows(it, behind->memory);
    for (int i = 0; i < p->nc; i++)
        s->apart[i] |= nt_problem_is_off(p, i);
}

/* A motion has no value beside a stop: its place, and why. */
static nt_status no_value_beside(const nt_integrator *it, nt_status status, double t,
                                 nt_error *error)
{
    const nt_system *system = it->problem->system;
    char why[300] = "";
    nt_error place = {0};
    if (status == NT_NOT_FINITE && system->failure)
        system->failure(system->self, why, sizeof why);
    if (why[0] && system->place)
        system->place(system->self, -1, &place);
    return nt_fail_at(error, status, place.file, place.line, place.column,
                      "constraints beside t = %.9g s: %s%s%s", t, nt_status_text(status),
                      why[0] ? ": " : "", why);
}

nt_status nt_drive_jump(nt_integrator *it, const nt_phase *from, nt_phase *behind, bool *jumps,
                        nt_error *error)
{
    nt_stops *s = &it->stops;
    nt_problem *p = it->problem;
    double t = behind->all[NT_PHASE_T], jump;
    double e = beside(it, t);
    int row;
    *jumps = false;
    if (p->nc == 0)
        return NT_OK;
    find_rows(it, from, behind);
    nt_status status = find_jump(it, from, behind, NT_POSITION, e, &row, &jump);
    s->waits = status == NT_OK && row >= 0 && waits(s, t);
    if (status == NT_OK && row >= 0)
        return s->waits ? NT_OK : motion_jumps(it, row, jump, t, error);
    if (status == NT_OK)
        status = find_jump(it, from, behind, NT_VELOCITY, e, &row, &jump);
    bool rates_jump = row >= 0;
    for (int i = 0; i < p->nc; i++)
        s->driven[i] = !rates_jump || s->apart[i] ? 0 : s->reached[i] - s->rates_behind[i];
    if (status == NT_OK && !rates_jump)
        status = find_jump(it, from, behind, NT_ACCELERATION, e, &row, &jump);
    if (status != NT_OK)
        return no_value_beside(it, status, t, error);
    *jumps = row >= 0;
    return !rates_jump ? NT_OK : meet_rates(it, behind, t + e, error);
}

/* Rates beside jump as here where they differ by less than this part of the largest jump: a motion
 * that bends at another time beside jumps there by nothing. */
static const double ALIKE = 0.25;

/* How a bend's time varies is known by differences: beside, rows are looked at as far from it as
 * this part of a step, which what is left of these does not reach. */
static const double FURTHER = 1e-8;

nt_status nt_drive_jump_beside(nt_integrator *it, const nt_phase *from, nt_phase *behind,
                               bool *other, nt_error *error)
{
    nt_stops *s = &it->stops;
    const nt_problem *p = it->problem;
    double t = behind->all[NT_PHASE_T], largest = 0;
    double e = fmax(beside(it, t), FURTHER * s->stretch.h);
    double *before = s->rates_behind, *after = s->reached;
    for (int i = 0; i < p->nc; i++)
        largest = fmax(largest, fabs(s->driven[i]));
    if (largest == 0) /* accelerations alone have jumped */
        return NT_OK;
    find_rows(it, from, behind);
    nt_status status = rows_beside(it, behind, from->memory, NT_VELOCITY, t - e, before);
    if (status == NT_OK)
        status = rows_beside(it, behind, behind->memory, NT_VELOCITY, t + e, after);
    for (int i = 0; i < p->nc && status == NT_OK; i++)
        *other =
            *other || (!s->apart[i] && fabs(after[i] - before[i] - s->driven[i]) > ALIKE * largest);
    return status == NT_OK && !*other ? meet_rates(it, behind, t + e, error) : status;
}
