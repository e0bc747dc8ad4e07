/* Sensitivities through what happens in an instant (saltation).
 *
 * Where an indicator g passes zero at t*, and t* follows the parameters, with the variation dx of
 * the state just before at that fixed time
 *
 *   dg + g' dt* = 0,     g' = g_t + g_x x'           along the motion just before,
 *   dx+ = J (dx + x'- dt*) - x'+ dt*,
 *
 * with x' = (v, vdot) on either side, and J the derivative of the state just behind in that just
 * before, along all that varies. dg and g' are sixth-order central differences of the indicator.
 * Multipliers, accelerations and the memory of the method follow from dx+ as at a start. */
#include "base/error.h"
#include "group/block.h"
#include "sensitivity/forward.h"

#include <math.h>
#include <string.h>

/* A rate of an indicator below this part of what its value changes with the motion as a whole is
 * rounding: the motion only touches the zero, and t* has no derivative. */
static const double GRAZES = 1e-9;

/* The indicator at a state that has moved by offset times a variation, parameters included
 * (direction -1: they stay). */
static nt_status indicator_beside(nt_sensitivity *s, const nt_jump_of_state *jump, int direction,
                                  const nt_variation *d, double offset, double *g)
{
    nt_integrator *it = s->integrator;
    const nt_problem *p = it->problem;
    nt_phase varied = nt_sensitivity_phase(s, 0);
    nt_status status = NT_OK;
    memcpy(varied.all, jump->from->all, it->size * sizeof(double));
    nt_sensitivity_move(p, jump->from, d, offset, s->values, &varied);
    if (direction < 0)
        varied.all[NT_PHASE_T] += offset;
    else if (s->route[direction].parameter >= 0)
        status = nt_sensitivity_move_parameter(s, direction, offset);
    if (status != NT_OK)
        return status;
    nt_point at = nt_sensitivity_point(s, &varied);
    status = it->stops.events->indicate(p->system->self, &at, it->stops.g[0], it->stops.way);
    *g = it->stops.g[0][jump->indicator];
    return status;
}

/* Its derivative along a variation; direction -1: along the motion itself. */
static nt_status indicator_rate(nt_sensitivity *s, const nt_jump_of_state *jump, int direction,
                                const nt_variation *d, double *rate)
{
    const nt_problem *p = s->integrator->problem;
    const nt_system *system = p->system;
    double step = nt_sensitivity_reach(p, nt_phase_point(jump->from), nt_variation_to_read(d));
    bool parameter = direction >= 0 && s->route[direction].parameter >= 0;
    if (parameter)
        step = fmin(step, 1e-2 * nt_parameter_scale(s, s->route[direction].parameter));
    nt_status status = NT_OK, back = NT_OK;
    *rate = 0;
    for (int j = 0; j < 2 * NT_STENCIL && status == NT_OK; j++) {
        int distance = j / 2 + 1, sign = j % 2 ? -1 : 1;
        double g = 0;
        status = indicator_beside(s, jump, direction, d, sign * distance * step, &g);
        *rate += sign * nt_stencil[distance - 1] * g / step;
    }
    if (parameter)
        back = system->set_parameters(system->self, s->p);
    return status != NT_OK ? status : back;
}

/* The motion as a variation per second, in rates[stride]. */
static nt_variation motion_of(nt_sensitivity *s, const nt_phase *phase, double *rates)
{
    const nt_problem *p = s->integrator->problem;
    size_t nv = (size_t)p->nv;
    memset(rates, 0, s->directions.stride * sizeof *rates);
    memcpy(rates, phase->v, nv * sizeof *rates);
    nt_space_clear_first(&p->space, rates);
    memcpy(rates + nv, phase->vdot, nv * sizeof *rates);
    return nt_variation_at(p, &s->directions, rates, 0);
}

static nt_status power_of(nt_sensitivity *s, const nt_phase *phase, double *power)
{
    const nt_system *system = s->integrator->problem->system;
    nt_energy energy = {0};
    nt_point at = nt_sensitivity_point(s, phase);
    nt_status status =
        s->integrator->track_work ? system->energy(system->self, &at, &energy) : NT_OK;
    *power = energy.power;
    return status;
}

static nt_status grazes(const nt_sensitivity *s, const nt_jump_of_state *jump, nt_error *error)
{
    const nt_system *system = s->integrator->problem->system;
    char words[160] = "an event";
    if (s->integrator->stops.events->indicator_word)
        s->integrator->stops.events->indicator_word(system->self, jump->indicator, words,
                                                    sizeof words);
    return nt_fail(error, NT_UNSUPPORTED,
                   "at t = %.9g s %s only touches its zero: its time has no derivative, and what "
                   "follows has none",
                   jump->from->all[NT_PHASE_T], words);
}

/* How the time of what happens varies in direction i. */
static nt_status time_rate(nt_sensitivity *s, const nt_jump_of_state *jump, int i,
                           const nt_variation *d, double passes, double *rate, nt_error *error)
{
    double change = 0;
    nt_status status = indicator_rate(s, jump, i, d, &change);
    if (status != NT_OK)
        return nt_fail(error, status, "the time of an event at t = %.9g s: %s",
                       jump->from->all[NT_PHASE_T], nt_status_text(status));
    *rate = -change / passes;
    return NT_OK;
}

/* What happens at the state just before, moved by a variation: the memory that it leaves. */
static nt_status memory_beside(nt_sensitivity *s, const nt_jump_of_state *jump, int direction,
                               const nt_variation *d, double offset, nt_error *error)
{
    nt_integrator *it = s->integrator;
    const nt_problem *p = it->problem;
    nt_stops *stops = &it->stops;
    nt_phase varied = nt_sensitivity_phase(s, 0);
    nt_status status = NT_OK;
    memcpy(varied.all, jump->from->all, it->size * sizeof(double));
    nt_sensitivity_move(p, jump->from, d, offset, s->values, &varied);
    if (s->route[direction].parameter >= 0)
        status = nt_sensitivity_move_parameter(s, direction, offset);
    if (status != NT_OK)
        return status;
    nt_point at = nt_sensitivity_point(s, &varied);
    memcpy(stops->memory, at.memory, (size_t)p->system->n_memory * sizeof(double));
    memcpy(stops->v, at.v, (size_t)p->nv * sizeof(double));
    memset(stops->impulse, 0, (size_t)p->nv * sizeof(double));
    nt_instant instant = {.at = &at,
                          .indicator = jump->due,
                          .nudge = stops->nudge,
                          .memory = stops->memory,
                          .v = stops->v,
                          .impulse = stops->impulse,
                          .restitution = stops->restitution,
                          .timed_by = -1,
                          .number = -1};
    return stops->events->happen(p->system->self, &instant, error);
}

/* d->memory becomes its variation behind the instant, by differences; what is discrete has none. */
static nt_status vary_held(nt_sensitivity *s, const nt_jump_of_state *jump, int i,
                           const nt_variation *d, nt_error *error)
{
    const nt_problem *p = s->integrator->problem;
    const nt_system *system = p->system;
    int n = system->n_memory;
    double *sum = s->probe, step, weight;
    if (system->capabilities & NT_DISCRETE_MEMORY)
        return NT_OK;
    step = nt_sensitivity_reach(p, nt_phase_point(jump->from), nt_variation_to_read(d));
    bool parameter = s->route[i].parameter >= 0;
    if (parameter)
        step = fmin(step, 1e-2 * nt_parameter_scale(s, s->route[i].parameter));
    for (int k = 0; k < n; k++)
        if (d->memory[k] != 0)
            step = fmin(step, 1e-2 * (1 + fabs(jump->from->memory[k])) / fabs(d->memory[k]));
    nt_status status = NT_OK, back = NT_OK;
    memset(sum, 0, (size_t)n * sizeof *sum);
    for (int j = 0; j < 2 * NT_STENCIL && status == NT_OK; j++) {
        int distance = j / 2 + 1, sign = j % 2 ? -1 : 1;
        weight = sign * nt_stencil[distance - 1] / step;
        status = memory_beside(s, jump, i, d, sign * distance * step, error);
        for (int k = 0; k < n; k++)
            sum[k] += weight * s->integrator->stops.memory[k];
    }
    if (parameter)
        back = system->set_parameters(system->self, s->p);
    for (int k = 0; k < n; k++)
        d->memory[k] = isfinite(sum[k]) ? sum[k] : 0;
    return status != NT_OK ? status : back;
}

nt_status nt_sensitivity_jump(void *context, nt_integrator *it, const nt_jump_of_state *jump,
                              nt_error *error)
{
    nt_sensitivity *s = context;
    const nt_problem *p = it->problem;
    const nt_phase *behind = &it->stepper.now;
    size_t nv = (size_t)p->nv;
    double passes = 0, power[2] = {0};
    if (s->t != jump->from->all[NT_PHASE_T])
        return nt_fail(error, NT_INCONSISTENT, "sensitivities have not begun");
    nt_variation motion = motion_of(s, jump->from, s->next);
    nt_status status = NT_OK;
    if (jump->indicator >= 0)
        status = indicator_rate(s, jump, -1, &motion, &passes);
    if (status == NT_OK)
        status = power_of(s, jump->from, &power[0]);
    if (status == NT_OK)
        status = power_of(s, behind, &power[1]);
    if (status != NT_OK)
        return nt_fail(error, status, "sensitivities of an event at t = %.9g s: %s", s->t,
                       nt_status_text(status));
    if (jump->indicator >= 0 && !(fabs(passes) > GRAZES * jump->scale))
        return grazes(s, jump, error);
    for (int i = 0; i < s->n; i++) {
        nt_variation d = nt_sensitivity_variation(s, s->now, i, NT_APART_FIRST);
        double dt = 0;
        if (jump->indicator >= 0)
            status = time_rate(s, jump, i, &d, passes, &dt, error);
        if (status == NT_OK)
            status = vary_held(s, jump, i, &d, error);
        if (status != NT_OK)
            return status;
        for (size_t k = 0; k < nv; k++) {
            d.q[k] += (jump->from->v[k] - behind->v[k]) * dt;
            d.v[k] += (jump->from->vdot[k] - behind->vdot[k]) * dt;
        }
        nt_space_clear_first(&p->space, d.q);
        s->work[i] += (power[0] - power[1]) * dt;
        nt_sensitivity_write(s, s->now, i, d.q);
    }
    return nt_sensitivity_begin_again(s, error);
}
