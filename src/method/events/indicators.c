/* Indicators at a state, as the system gives them. */
#include "method/integrator.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A point in the system's frame, for its functions. */
nt_point nt_stops_point(nt_integrator *it, const nt_phase *phase)
{
    nt_point at = nt_phase_point(phase);
    nt_integrator_rates(it, phase, &at.v, &at.vdot);
    return at;
}

nt_phase nt_stops_phase_like(const nt_phase *like, double *all)
{
    return (nt_phase){.all = all,
                      .q = all + (like->q - like->all),
                      .v = all + (like->v - like->all),
                      .vdot = all + (like->vdot - like->all),
                      .lambda = all + (like->lambda - like->all),
                      .mu = all + (like->mu - like->all),
                      .memory = all + (like->memory - like->all),
                      .method = all + (like->method - like->all)};
}

static nt_status indicate(nt_integrator *it, const nt_phase *phase, double *g)
{
    nt_point at = nt_stops_point(it, phase);
    const nt_system *system = it->problem->system;
    return it->stops.events->indicate(system->self, &at, g, it->stops.way);
}

/* Of a method whose accelerations and multipliers are those within a step, half a step late at its
 * end, those of the forces at the state itself, where an indicator is of such. */
nt_status nt_stops_indicators(nt_integrator *it, const nt_phase *phase, double *g)
{
    nt_stops *s = &it->stops;
    if (!s->stretch.balances)
        return indicate(it, phase, g);
    nt_phase shown = nt_stops_phase_like(phase, s->shown.all);
    memcpy(shown.all, phase->all, it->size * sizeof(double));
    nt_status status = nt_integrator_accelerate(it, &shown);
    return status == NT_OK ? indicate(it, &shown, g) : status;
}

/* Indicators at the part s of the step now -> next. */
nt_status nt_stops_within(nt_integrator *it, double part, double h, double *g)
{
    nt_stepper *s = &it->stepper;
    if (part >= 1)
        return nt_stops_indicators(it, &s->next, g);
    nt_phase at = nt_stops_phase_like(&s->now, it->stops.at.all);
    double t = s->now.all[NT_PHASE_T] + part * h;
    nt_status status = nt_integrator_between(it, &s->now, &s->next, t, &at);
    return status == NT_OK ? nt_stops_indicators(it, &at, g) : status;
}

/* As the present state moves and accelerates. */
nt_status nt_stops_soon(nt_integrator *it, double e, double *g)
{
    const nt_problem *p = it->problem;
    const nt_phase *now = &it->stepper.now;
    nt_phase moved = nt_stops_phase_like(now, it->stops.at.all);
    double *increment = it->dense;
    memcpy(moved.all, now->all, it->size * sizeof(double));
    for (int i = 0; i < p->nv; i++) {
        increment[i] = e * now->v[i] + e * e / 2 * now->vdot[i];
        moved.v[i] = now->v[i] + e * now->vdot[i];
    }
    moved.all[NT_PHASE_T] += e;
    nt_space_compose(&p->space, p->frame, now->q, increment, moved.q);
    return nt_stops_indicators(it, &moved, g);
}

void nt_stops_say_without_value(nt_integrator *it, int i)
{
    const nt_system *system = it->problem->system;
    char words[200] = "";
    if (it->stops.events->indicator_word)
        it->stops.events->indicator_word(system->self, i, words, sizeof words);
    snprintf(it->failed, sizeof it->failed,
             "the expression of %s, which is to pass zero, has no finite value",
             words[0] ? words : "what is looked at");
}

/* Whether an indicator changes with accelerations or multipliers. */
nt_status nt_stops_find_balances(nt_integrator *it)
{
    nt_stops *s = &it->stops;
    const nt_problem *p = it->problem;
    const nt_phase *now = &it->stepper.now;
    unsigned needs = it->method->needs;
    s->stretch.balances = 0;
    if (!(needs & NT_RATES_WITHIN) || (needs & NT_OWN_STEPS) || s->events->n == 0)
        return NT_OK;
    nt_phase moved = nt_stops_phase_like(now, s->at.all);
    memcpy(moved.all, now->all, it->size * sizeof(double));
    nt_status status = indicate(it, now, s->g[0]);
    for (int i = 0; i < p->nv; i++)
        moved.vdot[i] += 1 + fabs(moved.vdot[i]);
    for (int i = 0; i < p->nc; i++)
        moved.lambda[i] += 1 + fabs(moved.lambda[i]);
    if (status == NT_OK)
        status = indicate(it, &moved, s->g[1]);
    for (int i = 0; i < s->events->n && status == NT_OK; i++)
        if (s->way[i] != 0 && s->g[0][i] != s->g[1][i])
            s->stretch.balances = 1;
    return status;
}
