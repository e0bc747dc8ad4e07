/* Velocities behind an impact, with the impulses P that act and all rows G that take part: those
 * that hold, and those that are met,
 *
 *   M dv + G^T L = P,      g = G v,
 *
 * so that momentum changes by P and by what the ground takes alone. A row that is met has a
 * coefficient of restitution e; a row that holds has none. By Newton's law the rates that meet are
 * reversed in one go,
 *
 *   g+ = -e g-,
 *
 * by Poisson's law the impact has two phases, in the first of which P acts and the rates vanish,
 * while in the second each row that is met gives back the part e of its impulse L_C:
 *
 *   g_C = 0,      L_E = e L_C        (g = 0 of rows that hold, in both).
 *
 * One row that is met, or one e for all of them, gives the same by both. A row that is met from one
 * side can only push: with s the sign of g-,
 *
 *   s L >= 0,     s (g+ + e g-) <= 0,    one of them an equality       (Newton),
 *   s L_C >= 0,   s g_C <= 0,            one of them an equality       (Poisson, first phase),
 *   s (L_E - e L_C) >= 0,   s g_E <= 0,  one of them an equality       (Poisson, second phase).
 *
 * Each such problem is solved by letting go of rows that pull, the strongest first, and taking back
 * those that are passed, until neither is left. A row that meets at no speed has no side: it
 * pushes and pulls, but for one that can only push from one side whatever its rate (a stop): there
 * s is given, and e = 0 where it does not meet with speed. */
#include "base/error.h"
#include "method/integrator.h"

#include <math.h>
#include <string.h>

/* Pulls and passages below this part of the largest impulse, or rate, are rounding. */
static const double ROUNDING = 1e-10;

/* Where dependent rows ask for rates that differ by more than this part of the largest one, no
 * velocities meet them all. */
static const double CONTRADICTS = 1e-6;

/* ---- which rows take part ------------------------------------------------------------------- */

static bool is_met(const nt_stops *s, int row) { return s->restitution[row] >= 0; }

static bool is_poisson(const nt_stops *s, int row)
{
    return is_met(s, row) && (s->law[row] & NT_IMPACT_POISSON);
}

/* It is met and goes away behind the impact. */
static bool rebounds(const nt_stops *s, int row) { return s->restitution[row] > 0; }

/* Rows that take part are those that hold or are met, and have not been let go. */
static void take_part(nt_integrator *it, bool all)
{
    nt_problem *p = it->problem;
    const nt_stops *s = &it->stops;
    p->n_off = 0;
    for (int row = 0; row < p->nc; row++)
        if ((s->off[row] && !is_met(s, row)) || (!all && s->apart[row]))
            p->off[p->n_off++] = row;
}

/* ---- positions and rates -------------------------------------------------------------------- */

/* What rows miss at a level, those that are off being zero. */
static nt_status rows_at(nt_integrator *it, const nt_phase *phase, nt_level level, double *rows)
{
    nt_point at = nt_phase_point(phase);
    nt_terms terms = {.level = level, .rows = rows};
    return nt_problem_evaluate(it->problem, &at, &terms);
}

/* Rounding of positions, relative to the largest coordinate: it is not worth closing. */
static const double OPEN = 1e-15;

/* Newton steps that close them. */
enum { ROUNDS = 4 };

/* What is left of gaps, of the same, where other joints do not let them close. */
static const double STAYS_OPEN = 1e-9;

static nt_status cannot_close(nt_integrator *it, const nt_phase *phase, int row, double gap,
                              nt_error *error)
{
    const nt_problem *p = it->problem;
    char name[160];
    nt_problem_equation_name(p, p->nv + row, name, sizeof name);
    return nt_fail(error, NT_INCONSISTENT,
                   "at t = %.9g s %s is open by %.6g %s where it is to hold, and the other joints "
                   "do not let it close",
                   phase->all[NT_PHASE_T], name, gap,
                   p->quantity[p->nv + row] == NT_LENGTH ? "m" : "rad");
}

nt_status nt_impact_close_gaps(nt_integrator *it, nt_phase *phase, nt_error *error)
{
    const nt_problem *p = it->problem;
    nt_stops *s = &it->stops;
    double *increment = it->dense, scale = 1;
    memset(s->apart, 0, (size_t)p->nc);
    take_part(it, true);
    for (int i = 0; i < p->nq; i++)
        scale = fmax(scale, fabs(phase->q[i]));
    for (int round = 0; round <= ROUNDS; round++) {
        int worst = 0;
        nt_status status = rows_at(it, phase, NT_POSITION, s->z);
        for (int i = 0; i < p->nh; i++)
            worst = fabs(s->z[i]) > fabs(s->z[worst]) ? i : worst;
        double gap = p->nh > 0 ? s->z[worst] : 0;
        if (status != NT_OK || fabs(gap) <= OPEN * scale)
            return status;
        if (round == ROUNDS)
            return fabs(gap) <= STAYS_OPEN * scale ? NT_OK
                                                   : cannot_close(it, phase, worst, gap, error);
        for (int i = 0; i < p->nc; i++)
            s->z[i] = i < p->nh ? -s->z[i] : 0;
        nt_point at = nt_phase_point(phase);
        const nt_projection least = {.kinetic = true, .holonomic_only = true, .rhs = s->z};
        if ((status = nt_factors_project(it->factors, &at, &least, increment)) != NT_OK)
            return status;
        nt_space_compose(&p->space, p->frame, phase->q, increment, phase->q);
    }
    return NT_OK;
}

/* Rates of all rows of the impact. */
static nt_status rates_of(nt_integrator *it, const nt_phase *phase, double *rates)
{
    take_part(it, true);
    return it->problem->nc > 0 ? rows_at(it, phase, NT_VELOCITY, rates) : NT_OK;
}

/* ---- one phase ------------------------------------------------------------------------------ */

/* dv in z[nv] and multipliers behind it from impulses z[nv] and changes of rates behind them, with
 * the rows that take part. */
static nt_status solve(nt_integrator *it, const nt_phase *phase)
{
    nt_factors *f = it->factors;
    nt_point at = nt_phase_point(phase);
    nt_status status = nt_factors_choose_rows(f, &at);
    if (status == NT_OK)
        status = nt_factors_of_accelerations(f, &at);
    if (status != NT_OK)
        return status;
    nt_factors_clear_dropped(f, it->stops.z);
    return nt_solver_solve(f->solver, it->stops.z, 1);
}

/* The row of those that are met from one side for which side * value is largest and above rounding:
 * -1 for none. let_go: whether it is looked for among those that are let go, or among the others.
 */
static int find_worst(const nt_integrator *it, const double *value, bool let_go, double sign)
{
    const nt_stops *s = &it->stops;
    const nt_problem *p = it->problem;
    double largest = 0, most = 0;
    int worst = -1;
    for (int row = 0; row < p->nc; row++)
        largest = fmax(largest, fabs(value[row]));
    for (int row = 0; row < p->nc; row++) {
        double size = sign * s->toward[row] * value[row];
        if (s->toward[row] == 0 || (s->apart[row] != 0) != let_go || s->apart[row] == 2 ||
            size <= fmax(most, ROUNDING * largest))
            continue;
        most = size, worst = row;
    }
    return worst;
}

/* The rate of a row is to become zero, or by Newton's law -e times that before. */
static double coefficient(const nt_stops *s, int row)
{
    return is_met(s, row) && !is_poisson(s, row) ? s->restitution[row] : 0;
}

/* Rows that rebound, follow from others and were left out want what these give. */
static nt_status check_dependent(nt_integrator *it, const double *rates, double t, nt_error *error)
{
    const nt_problem *p = it->problem;
    const nt_factors *f = it->factors;
    const nt_stops *s = &it->stops;
    double largest = 0;
    for (int row = 0; row < p->nc; row++)
        largest = fmax(largest, fabs(s->met[row]));
    for (int i = 0; i < f->n_dropped; i++) {
        int row = f->dropped[i] - p->nv;
        if (row < 0 || !(s->restitution[row] > 0) || s->apart[row])
            continue; /* what holds, or sticks, is held by the others as far as it can be */
        double missed = s->toward[row] == 0 ? fabs(rates[row]) : s->toward[row] * rates[row];
        if (missed > CONTRADICTS * largest)
            return nt_fail(error, NT_SINGULAR,
                           "the impact at t = %.9g s: joints that are met depend on each other, "
                           "and their restitutions contradict each other",
                           t);
    }
    return NT_OK;
}

/* The velocities at which every row that takes part has the rate that is wanted, or pushes no
 * longer; impulses of rows are left in s->z + nv. */
static nt_status push(nt_integrator *it, nt_phase *phase, bool strikes, nt_error *error)
{
    nt_stops *s = &it->stops;
    const nt_problem *p = it->problem;
    double *rows = s->z + p->nv, *rates = s->rates_behind;
    nt_status status = rates_of(it, phase, rates);
    memcpy(s->v, phase->v, (size_t)p->nv * sizeof *s->v);
    for (int round = 0; status == NT_OK && round <= 4 * p->nc + 4; round++) {
        if (strikes)
            nt_space_change_frame(&p->space, p->system->frame, p->frame, phase->q, s->impulse,
                                  s->z);
        else
            memset(s->z, 0, (size_t)p->nv * sizeof *s->z);
        memcpy(phase->v, s->v, (size_t)p->nv * sizeof *s->v);
        take_part(it, false);
        for (int row = 0; row < p->nc; row++)
            rows[row] = nt_problem_is_off(p, row) ? 0 : -(1 + coefficient(s, row)) * rates[row];
        if ((status = solve(it, phase)) != NT_OK)
            return status;
        int worst = find_worst(it, rows, false, -1);
        if (worst >= 0) {
            s->apart[worst] = 1;
            continue;
        }
        for (int i = 0; i < p->nv; i++)
            phase->v[i] += s->z[i];
        if (s->n_one_sided + it->factors->n_dropped == 0)
            return NT_OK;
        double *behind = s->reached;
        if ((status = rates_of(it, phase, behind)) != NT_OK)
            return status;
        for (int row = 0; row < p->nc; row++)
            behind[row] += coefficient(s, row) * rates[row];
        worst = find_worst(it, behind, true, 1);
        if (worst < 0)
            return check_dependent(it, behind, phase->all[NT_PHASE_T], error);
        s->apart[worst] = 0;
    }
    return status == NT_OK ? NT_NOT_CONVERGED : status;
}

/* ---- both phases ---------------------------------------------------------------------------- */

/* The sides from which rows are met, before anything pushes. */
static nt_status look_at_sides(nt_integrator *it, const nt_phase *phase)
{
    nt_stops *s = &it->stops;
    int nc = it->problem->nc;
    double largest = 0;
    nt_status status = rates_of(it, phase, s->met);
    for (int row = 0; row < nc; row++)
        largest = fmax(largest, is_met(s, row) ? fabs(s->met[row]) : 0);
    s->n_one_sided = 0;
    for (int row = 0; row < nc; row++) {
        double rate = s->met[row];
        bool one = is_met(s, row) && (s->law[row] & NT_IMPACT_ONE_SIDED) &&
                   fabs(rate) > ROUNDING * largest;
        bool stops = s->law[row] & (NT_IMPACT_ABOVE | NT_IMPACT_BELOW);
        s->toward[row] = one ? copysign(1, rate) : 0;
        if (stops)
            s->toward[row] = s->law[row] & NT_IMPACT_ABOVE ? 1 : -1;
        s->n_one_sided += one || stops;
        s->apart[row] = 0;
    }
    return status;
}

/* Impulses of dependent rows are not determined, only what they do together: that is enough where
 * one part of all of them is given back. */
static bool gives_back_one_part(const nt_integrator *it)
{
    const nt_stops *s = &it->stops;
    const nt_problem *p = it->problem;
    double least = 1, most = 0;
    bool dependent = false;
    for (int row = 0; row < p->nc; row++)
        if (is_poisson(s, row) && rebounds(s, row) && s->apart[row] == 0) {
            least = fmin(least, s->restitution[row]);
            most = fmax(most, s->restitution[row]);
        }
    for (int i = 0; i < it->factors->n_dropped; i++) {
        int row = it->factors->dropped[i] - p->nv;
        dependent = dependent || (is_poisson(s, row) && s->apart[row] == 0);
    }
    return !dependent || least >= most;
}

/* The second phase of Poisson's law. */
static nt_status give_back(nt_integrator *it, nt_phase *phase, nt_error *error)
{
    nt_stops *s = &it->stops;
    const nt_problem *p = it->problem;
    double *rows = s->z + p->nv, *impulse = s->rates_behind;
    if (!gives_back_one_part(it))
        return nt_fail(error, NT_SINGULAR,
                       "the impact at t = %.9g s: joints that are met depend on each other, so "
                       "their impulses are not determined, and Poisson's law with different "
                       "restitutions has no solution; expected one restitution for all of them",
                       phase->all[NT_PHASE_T]);
    nt_factors_clear_dropped(it->factors, s->z);
    for (int row = 0; row < p->nc; row++) {
        bool gives = is_poisson(s, row) && rebounds(s, row);
        impulse[row] = gives && s->apart[row] == 0 ? s->restitution[row] * rows[row] : 0;
        s->apart[row] = gives ? 2 : s->apart[row];
    }
    nt_point at = nt_phase_point(phase);
    nt_terms terms = {.parts = NT_REACTIONS, .residual = s->z};
    at.lambda = impulse, at.mu = impulse + p->nh;
    memset(s->z, 0, (size_t)p->nv * sizeof *s->z);
    take_part(it, true);
    nt_status status = nt_problem_evaluate(p, &at, &terms);
    if (status == NT_OK)
        status = rates_of(it, phase, s->reached);
    take_part(it, false);
    for (int i = 0; i < p->nv; i++)
        s->z[i] = -s->z[i];
    for (int row = 0; row < p->nc; row++)
        rows[row] = nt_problem_is_off(p, row) ? 0 : -s->reached[row];
    if (status == NT_OK)
        status = solve(it, phase);
    for (int i = 0; i < p->nv && status == NT_OK; i++)
        phase->v[i] += s->z[i];
    for (int row = 0; row < p->nc; row++)
        if (s->apart[row] == 2 && s->toward[row] != 0)
            s->apart[row] = 1;
    return status == NT_OK ? push(it, phase, false, error) : status;
}

/* Which rows have pushed and which hold behind: where that is another beside, the impact has no
 * derivative. */
static void remember(nt_stops *s, int nc)
{
    for (int row = 0; row < nc; row++)
        s->pattern = 31 * s->pattern + 4u * (s->off[row] != 0) + s->apart[row] + 1;
}

/* Stops from which the bodies part, in s->apart. */
nt_status nt_impact_part(nt_integrator *it, const nt_phase *phase, double *memory)
{
    nt_stops *s = &it->stops;
    const nt_problem *p = it->problem;
    double largest = 0, *rates = s->reached;
    bool some = false;
    for (int row = 0; row < p->nc; row++)
        some = some || (s->law[row] & (NT_IMPACT_ABOVE | NT_IMPACT_BELOW));
    if (!some || !s->events->part)
        return NT_OK;
    nt_status status = rates_of(it, phase, rates);
    for (int row = 0; row < p->nc; row++)
        largest = fmax(largest, fmax(is_met(s, row) ? fabs(s->met[row]) : 0, fabs(rates[row])));
    for (int row = 0; row < p->nc && status == NT_OK; row++) {
        bool stops = s->law[row] & (NT_IMPACT_ABOVE | NT_IMPACT_BELOW);
        s->apart[row] = stops && s->toward[row] * rates[row] < -ROUNDING * largest;
    }
    if (status == NT_OK)
        s->events->part(p->system->self, s->apart, memory);
    remember(s, p->nc);
    return status;
}

nt_status nt_impact(nt_integrator *it, nt_phase *phase, bool strikes, nt_error *error)
{
    nt_stops *s = &it->stops;
    int nc = it->problem->nc;
    bool poisson = false;
    for (int row = 0; row < nc; row++)
        poisson = poisson || (is_poisson(s, row) && rebounds(s, row));
    nt_status status = look_at_sides(it, phase);
    if (status == NT_OK)
        status = push(it, phase, strikes, error);
    remember(s, nc);
    if (status == NT_OK && poisson)
        status = give_back(it, phase, error);
    remember(s, nc);
    if (status == NT_OK || (error && error->message[0]))
        return status;
    return nt_fail(error, status, "the impact at t = %.9g s: %s", phase->all[NT_PHASE_T],
                   nt_status_text(status));
}
