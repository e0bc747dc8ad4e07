/* The state behind what happens in an instant.
 *
 * Positions stay but for what an engaged joint is open by. Velocities follow from the equations of
 * impact (impact.c). */
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

nt_instant nt_instant_begin(nt_integrator *it, const nt_point *at, int which, double *memory)
{
    nt_stops *s = &it->stops;
    for (int i = 0; i < it->problem->nc; i++)
        s->restitution[i] = -1, s->law[i] = 0;
    return (nt_instant){.at = at,
                        .indicator = which,
                        .nudge = s->nudge,
                        .memory = memory,
                        .v = s->v,
                        .impulse = s->impulse,
                        .restitution = s->restitution,
                        .law = s->law,
                        .timed_by = -1,
                        .number = -1,
                        .kept_at = -1};
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
    s->pattern = 0;
    *instant = nt_instant_begin(it, at, which, s->memory);
    instant->beyond = beyond.q ? &beyond : NULL;
    nt_status status = s->events->happen(p->system->self, instant, error);
    instant->beyond = NULL; /* it is of this call */
    return status;
}

/* Whether one of the rows of sliding modes is on. */
static bool instant_slides(const nt_problem *p)
{
    const nt_events *events = p->system->events;
    for (int row = p->nc - events->n_sliding; row < p->nc; row++)
        if (!nt_problem_is_off(p, row))
            return true;
    return false;
}

static nt_status cannot_slide(nt_integrator *it, int which, double t, nt_error *error)
{
    const nt_system *system = it->problem->system;
    char words[512] = "what is due";
    if (which >= 0 && it->stops.events->indicator_word)
        it->stops.events->indicator_word(system->self, which, words, sizeof words);
    return nt_fail(
        error, NT_UNSUPPORTED,
        "at t = %.12g s both sides of %s push back, and method %s treats no sliding "
        "mode; expected a method that does (nutate methods), or, where friction is meant, "
        "`friction` with `slip`",
        t, words, it->method->name);
}

nt_status nt_instant_behind(nt_integrator *it, int which, const nt_phase *from, double later,
                            nt_phase *behind, nt_instant *instant, nt_error *error)
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
    behind->all[NT_PHASE_T] += later;
    if (meets)
        status = nt_impact_close_gaps(it, behind, error);
    if (status == NT_OK)
        status = nt_impact(it, behind, strikes, error);
    if (status == NT_OK)
        status = nt_impact_part(it, behind, s->memory);
    behind->all[NT_PHASE_T] = from->all[NT_PHASE_T];
    memcpy(behind->memory, s->memory, (size_t)p->system->n_memory * sizeof(double));
    nt_instant_take_rows(it, s->memory);
    return status;
}

nt_status nt_instant_settle(nt_integrator *it, bool begins, nt_error *error)
{
    nt_stops *s = &it->stops;
    const nt_phase stands = it->stepper.now;
    const nt_system *system = it->problem->system;
    size_t n = (size_t)system->n_memory;
    nt_status status = NT_OK;
    if (!s->events->settle)
        return NT_OK;
    bool within = it->method->needs & NT_RATES_WITHIN;
    if (!begins && within && (system->capabilities & NT_KEEPS_RATES)) {
        memcpy(it->balanced.all, stands.all, it->size * sizeof(double));
        it->stepper.now = it->balanced;
        status = nt_integrator_accelerate(it, &it->stepper.now);
        if (status != NT_OK)
            nt_fail(error, status, "accelerations at t = %g s: %s", stands.all[NT_PHASE_T],
                    nt_status_text(status));
    }
    nt_point at = nt_stops_point(it, &it->stepper.now);
    memcpy(s->memory, stands.memory, n * sizeof *s->memory);
    if (status == NT_OK)
        s->events->settle(system->self, &at, at.t, NULL, s->memory);
    const nt_jump_of_state kept = {.from = &s->from, .indicator = -1, .settled = s->memory};
    if (status == NT_OK && it->attend_jump && !s->beginning)
        status = it->attend_jump(it->attendant, it, &kept, error);
    it->stepper.now = stands;
    memcpy(stands.memory, s->memory, n * sizeof *s->memory);
    return status;
}
