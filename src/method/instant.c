/* The state behind what happens in an instant.
 *
 * Positions stay but for what an engaged joint is open by. Velocities follow from the equations of
 * impact, with the impulses P that act and the rows G that hold behind it or are met,
 *
 *   M (v+ - v-) + G^T L = P,      G v+ = -e G v-  (prescribed rates beside),
 *
 * e the restitution of each row, zero where it holds (Newton's law; with one row that is met, or
 * with one e for all, Poisson's law says the same). So all joints take part, and momentum changes
 * by P and by what the ground takes alone. */
#include "base/error.h"
#include "method/integrator.h"

#include <math.h>
#include <string.h>

void nt_instant_take_rows(nt_integrator *it, const double *memory)
{
    nt_problem *p = it->problem;
    nt_stops *s = &it->stops;
    if (!s->events->rows_off || p->nc == 0)
        return;
    s->events->rows_off(p->system->self, memory, s->off);
    p->n_off = 0;
    for (int row = 0; row < p->nc; row++)
        if (s->off[row])
            p->off[p->n_off++] = row;
}

/* What happens at a state, as the system describes it: *at is that state in the system's frame. */
static nt_status instant_ask(nt_integrator *it, int which, const nt_phase *phase, nt_point *at,
                             nt_instant *instant, nt_error *error)
{
    nt_stops *s = &it->stops;
    const nt_problem *p = it->problem;
    size_t nv = (size_t)p->nv;
    nt_point beyond = {0};
    if (s->seen && which >= 0) {
        beyond = nt_phase_point(&s->beyond);
        nt_integrator_rates(it, &s->beyond, &beyond.v, &beyond.vdot);
        memcpy(s->beyond_v, beyond.v, nv * sizeof(double));
        beyond.v = s->beyond_v, beyond.vdot = NULL;
    }
    *at = nt_phase_point(phase);
    nt_integrator_rates(it, phase, &at->v, &at->vdot);
    memcpy(s->rates, at->v, nv * sizeof(double));
    memcpy(s->rates + nv, at->vdot, nv * sizeof(double));
    at->v = s->rates, at->vdot = s->rates + nv;
    memcpy(s->memory, at->memory, (size_t)p->system->n_memory * sizeof(double));
    memcpy(s->v, at->v, nv * sizeof(double));
    memset(s->impulse, 0, nv * sizeof(double));
    for (int i = 0; i < p->nc; i++)
        s->restitution[i] = -1;
    *instant = (nt_instant){.at = at,
                            .beyond = beyond.q ? &beyond : NULL,
                            .indicator = which,
                            .nudge = s->nudge,
                            .memory = s->memory,
                            .v = s->v,
                            .impulse = s->impulse,
                            .restitution = s->restitution,
                            .timed_by = -1,
                            .number = -1};
    nt_status status = s->events->happen(p->system->self, instant, error);
    instant->beyond = NULL; /* it is of this call */
    return status;
}

/* What rows miss at a level, those that are off being zero. */
static nt_status rows_at(nt_integrator *it, const nt_phase *phase, nt_level level, double *rows)
{
    nt_point at = nt_phase_point(phase);
    nt_terms terms = {.level = level, .rows = rows};
    return nt_problem_evaluate(it->problem, &at, &terms);
}

/* Rounding of positions, relative to the largest coordinate: it is not worth closing. */
static const double OPEN = 1e-15;

/* Moves the bodies, by what is least in kinetic energy, until every row is met. */
static nt_status close_gaps(nt_integrator *it, nt_phase *phase)
{
    const nt_problem *p = it->problem;
    nt_stops *s = &it->stops;
    double *increment = it->dense, scale = 1;
    for (int i = 0; i < p->nq; i++)
        scale = fmax(scale, fabs(phase->q[i]));
    for (int round = 0; round < 4; round++) {
        double largest = 0;
        nt_status status = rows_at(it, phase, NT_POSITION, s->z);
        for (int i = 0; i < p->nh; i++)
            largest = fmax(largest, fabs(s->z[i]));
        if (status != NT_OK || largest <= OPEN * scale)
            return status;
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

/* v+ - v- is added to the velocities. */
static nt_status impact(nt_integrator *it, nt_phase *phase)
{
    nt_stops *s = &it->stops;
    const nt_problem *p = it->problem;
    nt_factors *f = it->factors;
    double *rows = s->z + p->nv;
    nt_status status = p->nc > 0 ? rows_at(it, phase, NT_VELOCITY, rows) : NT_OK;
    nt_point at = nt_phase_point(phase);
    if (status == NT_OK)
        status = nt_factors_choose_rows(f, &at);
    if (status == NT_OK)
        status = nt_factors_of_accelerations(f, &at);
    if (status != NT_OK)
        return status;
    nt_space_change_frame(&p->space, p->system->frame, p->frame, phase->q, s->impulse, s->z);
    for (int i = 0; i < p->nc; i++)
        rows[i] *= -(1 + fmax(0, s->restitution[i]));
    nt_factors_clear_dropped(f, s->z);
    status = nt_solver_solve(f->solver, s->z, 1);
    for (int i = 0; i < p->nv && status == NT_OK; i++)
        phase->v[i] += s->z[i];
    return status;
}

/* Whether one of the rows of sliding modes is on. */
static bool instant_slides(const nt_problem *p)
{
    const nt_events *events = nt_system_events(p->system);
    for (int row = p->nc - events->n_sliding; row < p->nc; row++)
        if (!nt_problem_is_off(p, row))
            return true;
    return false;
}

static nt_status cannot_slide(nt_integrator *it, int which, double t, nt_error *error)
{
    const nt_system *system = it->problem->system;
    char words[160] = "what is due";
    if (which >= 0 && it->stops.events->indicator_word)
        it->stops.events->indicator_word(system->self, which, words, sizeof words);
    return nt_fail(error, NT_UNSUPPORTED,
                   "at t = %.12g s both sides of %s push back, and method %s treats no sliding "
                   "mode; where friction is meant, expected `friction` with `slip`",
                   t, words, it->method->name);
}

nt_status nt_instant_behind(nt_integrator *it, int which, const nt_phase *from, nt_phase *behind,
                            nt_instant *instant, nt_error *error)
{
    nt_stops *s = &it->stops;
    nt_problem *p = it->problem;
    nt_point at;
    bool strikes = false, meets = false;
    nt_status status = instant_ask(it, which, from, &at, instant, error);
    if (status != NT_OK || !instant->happened)
        return status;
    memcpy(behind->all, from->all, it->size * sizeof(double));
    memcpy(behind->memory, s->memory, (size_t)p->system->n_memory * sizeof(double));
    for (int b = 0; p->space.n_first > 0 && b < p->space.n_blocks; b++)
        if (p->space.blocks[b].kind == NT_FIRST)
            memcpy(behind->v + p->space.blocks[b].v, s->v + p->space.blocks[b].v,
                   (size_t)p->space.blocks[b].nv * sizeof(double));
    for (int i = 0; i < p->nv; i++)
        strikes = strikes || s->impulse[i] != 0;
    for (int i = 0; i < p->nc; i++)
        meets = meets || s->restitution[i] >= 0;
    nt_instant_take_rows(it, s->memory);
    unsigned needs = it->method->needs;
    if (instant_slides(p) && ((needs & NT_NO_SLIDING) || !(needs & NT_NONHOLONOMIC)))
        return cannot_slide(it, which, at.t, error);
    if (!strikes && !meets)
        return NT_OK;
    int n_off =
        0; /* rows that are met take part in the impact, whether they hold behind it or not */
    for (int i = 0; i < p->n_off; i++)
        if (s->restitution[p->off[i]] < 0)
            p->off[n_off++] = p->off[i];
    p->n_off = n_off;
    if (meets)
        status = close_gaps(it, behind);
    if (status == NT_OK)
        status = impact(it, behind);
    nt_instant_take_rows(it, s->memory);
    return status == NT_OK ? NT_OK
                           : nt_fail(error, status, "the impact at t = %.9g s: %s", at.t,
                                     nt_status_text(status));
}
