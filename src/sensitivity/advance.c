/* Forward sensitivities from step to step, and between steps. */
#include "group/block.h"
#include "method/dense_output.h"
#include "method/state.h"
#include "method/variation.h"
#include "method/work.h"
#include "sensitivity/forward.h"
#include "system/check.h"

#include <math.h>
#include <string.h>

/* ---- moved states --------------------------------------------------------------------------- */

void nt_sensitivity_move(const nt_problem *p, const nt_phase *from, const nt_variation *d,
                         double offset, double *increment, const nt_phase *out)
{
    for (int i = 0; i < p->nv; i++) {
        increment[i] = offset * d->q[i];
        out->v[i] = from->v[i] + offset * d->v[i];
        out->vdot[i] = from->vdot[i] + offset * d->vdot[i];
    }
    for (int i = 0; i < p->nc; i++)
        out->lambda[i] = from->lambda[i] + offset * d->lambda[i]; /* mu follows */
    for (int i = 0; i < p->system->n_memory; i++)
        out->memory[i] = from->memory[i] + offset * d->memory[i];
    nt_space_compose(&p->space, p->frame, from->q, increment, out->q);
}

double nt_sensitivity_reach(const nt_problem *p, nt_point at, nt_const_variation d)
{
    double largest = 0;
    for (int i = 0; i < p->nv; i++) {
        largest = fmax(largest, fabs(d.q[i]));
        largest = fmax(largest, fabs(d.v[i]) / (1 + fabs(at.v[i])));
        largest = fmax(largest, fabs(d.vdot[i]) / (1 + fabs(at.vdot[i])));
    }
    for (int i = 0; i < p->nc; i++)
        largest = fmax(largest, fabs(d.lambda[i]) / (1 + fabs(at.lambda[i])));
    return largest > 0 ? 1e-2 / largest : 1e-2;
}

nt_point nt_sensitivity_point(nt_sensitivity *s, const nt_phase *phase)
{
    const nt_problem *p = s->integrator->problem;
    nt_point at = nt_phase_point(phase);
    double *v = s->shown, *vdot = v + p->nv;
    nt_problem_rates(p, p->system->frame, phase->q, phase->v, phase->vdot, v, vdot);
    at.v = v, at.vdot = vdot;
    return at;
}

nt_phase nt_sensitivity_phase(const nt_sensitivity *s, int which)
{
    const nt_integrator *it = s->integrator;
    const nt_phase *now = &it->stepper.now;
    nt_phase phase = {.all = s->dense + (size_t)which * it->size};
    phase.q = phase.all + (now->q - now->all);
    phase.v = phase.all + (now->v - now->all);
    phase.vdot = phase.all + (now->vdot - now->all);
    phase.lambda = phase.all + (now->lambda - now->all);
    phase.mu = phase.all + (now->mu - now->all);
    phase.memory = phase.all + (now->memory - now->all);
    phase.method = phase.all + (now->method - now->all);
    return phase;
}

nt_status nt_sensitivity_move_parameter(nt_sensitivity *s, int i, double offset)
{
    const nt_system *system = s->integrator->problem->system;
    memcpy(s->varied, s->p, (size_t)system->n_parameters * sizeof *s->p);
    s->varied[s->route[i].parameter] += offset;
    return system->set_parameters(system->self, s->varied);
}

/* The derivative of `accept` as the system gives it; NT_UNSUPPORTED where it does not. */
static nt_status own_memory_tangent(nt_sensitivity *s, int i, const nt_phase *at,
                                    const nt_variation *d, double *dnext)
{
    const nt_problem *p = s->integrator->problem;
    const nt_system *system = p->system;
    double *q = s->dense_shown, *v = q + p->nv, *vdot = v + p->nv;
    const double *const from[3] = {d->q, d->v, d->vdot};
    double *const to[3] = {q, v, vdot};
    if (!system->accept_tangent)
        return NT_UNSUPPORTED;
    const nt_point here = nt_phase_point(at);
    nt_sensitivity_change_frame(p, p->frame, system->frame, &here, from, to);
    nt_point point = nt_sensitivity_point(s, at);
    nt_point_tangent along = {
        .q = q, .v = v, .vdot = vdot, .lambda = d->lambda, .mu = d->mu, .memory = d->memory};
    return system->accept_tangent(system->self, &point, s->route[i].parameter, &along, dnext);
}

/* One derivative by differences over steps of `step`: dnext[n_memory]. */
static nt_status difference_accept(nt_sensitivity *s, int i, const nt_phase *from,
                                   const nt_variation *d, double step, double *dnext)
{
    const nt_problem *p = s->integrator->problem;
    nt_phase varied = nt_sensitivity_phase(s, 0);
    nt_status status = NT_OK;
    memset(dnext, 0, (size_t)p->system->n_memory * sizeof *dnext);
    for (int j = 0; j < 2 * NT_STENCIL && status == NT_OK; j++) {
        int distance = j / 2 + 1, sign = j % 2 ? -1 : 1;
        double weight = sign * nt_stencil[distance - 1] / step;
        status = nt_sensitivity_move_parameter(s, i, sign * distance * step);
        nt_sensitivity_move(p, from, d, sign * distance * step, s->values, &varied);
        varied.all[NT_PHASE_T] = from->all[NT_PHASE_T];
        nt_point at = nt_sensitivity_point(s, &varied);
        p->system->accept(p->system->self, &at, s->probe);
        for (int k = 0; k < p->system->n_memory; k++)
            dnext[k] += weight * s->probe[k];
    }
    return status;
}

/* Steps are made shorter so often, by this factor, until two of them give each number alike. */
enum { FINER = 3 };
static const double FINE = 0.0625, ALIKE = 1e-9;

/* Numbers of memory may bend within much less than the state does (how a contact slips, where it
 * is about to stick), so each is taken with the step that agrees best with the one before. */
static nt_status difference_memory(nt_sensitivity *s, int i, const nt_phase *from,
                                   const nt_variation *d, double step, double *dnext)
{
    const nt_system *system = s->integrator->problem->system;
    int n = system->n_memory;
    double *coarse = s->probe + n, *off = coarse + n, *fine = off + n;
    nt_status status = difference_accept(s, i, from, d, step, dnext);
    memcpy(coarse, dnext, (size_t)n * sizeof *coarse);
    for (int k = 0; k < n; k++)
        off[k] = (double)INFINITY;
    bool differ = true;
    for (int level = 0; level < FINER && differ && status == NT_OK; level++) {
        step *= FINE;
        status = difference_accept(s, i, from, d, step, fine);
        differ = false;
        for (int k = 0; k < n; k++) {
            double apart = fabs(fine[k] - coarse[k]);
            bool alike = apart <= ALIKE * (1 + fabs(fine[k]));
            if (apart < off[k] && off[k] > ALIKE * (1 + fabs(dnext[k])))
                dnext[k] = alike ? coarse[k] : fine[k], off[k] = apart;
            differ = differ || !alike;
            coarse[k] = fine[k];
        }
    }
    nt_status back = system->set_parameters(system->self, s->p);
    return status != NT_OK ? status : back;
}

/* The derivative of what `accept` makes of the memory. */
static nt_status vary_memory(nt_sensitivity *s, int i, const nt_variation *before,
                             const nt_variation *after)
{
    nt_integrator *it = s->integrator;
    const nt_problem *p = it->problem;
    int n_memory = p->system->n_memory;
    memset(after->memory, 0, (size_t)n_memory * sizeof(double));
    if (!p->system->accept || (p->system->capabilities & NT_DISCRETE_MEMORY)) {
        if (!p->system->accept)
            memcpy(after->memory, before->memory, (size_t)n_memory * sizeof(double));
        return NT_OK;
    }
    nt_phase from = it->stepper.next;
    from.memory = it->stepper.now.memory;
    nt_variation d = *after;
    d.memory = before->memory;
    nt_status status = own_memory_tangent(s, i, &from, &d, after->memory);
    if (status != NT_UNSUPPORTED)
        return status;
    double step = fmin(nt_sensitivity_reach(p, nt_phase_point(&from), nt_variation_to_read(&d)),
                       1e-2 * nt_parameter_scale(s, s->route[i].parameter));
    return difference_memory(s, i, &from, &d, step, after->memory);
}

/* What methods carry along as increments of unknowns of first order means nothing. */
static void clear_first(nt_sensitivity *s, double *all)
{
    for (int i = 0; i < s->n; i++) {
        nt_variation d = nt_sensitivity_variation(s, all, i, NT_APART_STATE);
        nt_space_clear_first(&s->integrator->problem->space, d.q);
        nt_sensitivity_write(s, all, i, d.q);
    }
}

/* ---- a step --------------------------------------------------------------------------------- */

nt_status nt_sensitivity_attend(void *context, nt_integrator *it, double h)
{
    nt_sensitivity *s = context;
    nt_stepper *stepper = &it->stepper;
    if (s->t != stepper->now.all[NT_PHASE_T])
        return NT_INCONSISTENT; /* not begun, or the state was restored without it */
    nt_stepper own;
    nt_status status = nt_sensitivity_stepper(s, &own);
    if (status == NT_OK)
        status = it->method->linearise(&own, h, &s->directions, s->now, s->next);
    if (it->problem->space.n_first > 0 && status == NT_OK)
        clear_first(s, s->next);
    bool remembers = it->problem->system->n_memory > 0;
    for (int i = 0; remembers && i < s->n && status == NT_OK; i++) {
        nt_variation before = nt_sensitivity_variation(s, s->now, i, NT_APART_FIRST);
        nt_variation after = nt_sensitivity_variation(s, s->next, i, NT_APART_LAST);
        status = vary_memory(s, i, &before, &after);
        nt_sensitivity_write(s, s->next, i, after.q);
    }
    if (status == NT_OK && it->track_work)
        status = nt_sensitivity_vary_work(s, h);
    if (status != NT_OK)
        return status;
    double *old = s->before;
    s->before = s->now;
    s->now = s->next;
    s->next = old;
    s->t = stepper->next.all[NT_PHASE_T];
    s->linearised_t = s->t;
    s->between_t = (double)NAN;
    return NT_OK;
}

/* ---- looking -------------------------------------------------------------------------------- */

/* Whether there is a parameter of this number. */
static bool sensitivity_has(const nt_sensitivity *s, int i) { return s && i >= 0 && i < s->n; }

double nt_sensitivity_difference_error(const nt_sensitivity *s, int i)
{
    return sensitivity_has(s, i) ? s->route[i].difference : (double)NAN;
}

int nt_sensitivity_count(const nt_sensitivity *s) { return s ? s->n : 0; }

int nt_sensitivity_parameter(const nt_sensitivity *s, int i)
{
    return sensitivity_has(s, i) ? s->route[i].parameter : -1;
}

nt_state_tangent nt_sensitivity_state(nt_sensitivity *s, int i)
{
    if (!sensitivity_has(s, i))
        return (nt_state_tangent){.work = (double)NAN};
    const nt_problem *p = s->integrator->problem;
    const nt_phase *now = &s->integrator->stepper.now;
    nt_variation d = nt_sensitivity_variation(s, s->now, i, NT_APART_STATE);
    double *q = s->shown, *v = q + p->nv, *vdot = v + p->nv;
    const double *const from[3] = {d.q, d.v, d.vdot};
    double *const to[3] = {q, v, vdot};
    const nt_point at = nt_phase_point(now);
    nt_sensitivity_change_frame(p, p->frame, p->system->frame, &at, from, to);
    return (nt_state_tangent){.q = q,
                              .v = v,
                              .vdot = vdot,
                              .lambda = d.lambda,
                              .mu = d.mu,
                              .memory = d.memory,
                              .work = s->work[i]};
}

/* Rotations alone curve the interpolation: everything else goes into it linearly, and may move far,
 * which keeps small variations above the rounding of places. */
static const double LINEAR = 1e-8;

/* The step of differences of the interpolation over a step of length h along the variations of its
 * two ends: it turns nothing by more than 1e-2 rad. */
static double dense_reach(const nt_problem *p, double h, const nt_variation *first,
                          const nt_variation *last)
{
    double largest = 0;
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        int end = block->v + block->nv;
        for (int i = block->v; i < end; i++) {
            double weight = block->rotation >= 0 && i >= end - 3 ? 1 : LINEAR;
            double q = fmax(fabs(first->q[i]), fabs(last->q[i]));
            double v = fmax(fabs(first->v[i]), fabs(last->v[i]));
            largest = fmax(largest, weight * fmax(q, h * v));
        }
    }
    return largest > 0 ? 1e-2 / largest : 1e-2;
}

void nt_sensitivity_difference_dense(nt_sensitivity *s, const nt_phase *from,
                                     const nt_variation *first, const nt_phase *to,
                                     const nt_variation *last, double t, const nt_phase *middle,
                                     double *sum)
{
    nt_integrator *it = s->integrator;
    const nt_problem *p = it->problem;
    nt_phase ends[2] = {nt_sensitivity_phase(s, 0), nt_sensitivity_phase(s, 1)};
    nt_phase varied = nt_sensitivity_phase(s, 2);
    double *work = it->dense;
    double h = to->all[NT_PHASE_T] - from->all[NT_PHASE_T];
    double step = dense_reach(p, h, first, last);
    memset(sum, 0, (3 * (size_t)p->nv + (size_t)p->nc) * sizeof *sum);
    for (int j = 0; j < 2 * NT_STENCIL; j++) {
        int distance = j / 2 + 1, sign = j % 2 ? -1 : 1;
        double offset = sign * distance * step, weight = sign * nt_stencil[distance - 1] / step;
        nt_sensitivity_move(p, from, first, offset, s->values, &ends[0]);
        nt_sensitivity_move(p, to, last, offset, s->values, &ends[1]);
        for (int k = 0; k < 2; k++)
            memcpy(ends[k].all, k ? to->all : from->all, NT_PHASE_HEAD * sizeof(double));
        nt_dense_output(p, &ends[0], &ends[1], t, work, &varied);
        nt_space_difference(&p->space, p->frame, middle->q, varied.q, s->values);
        for (int k = 0; k < p->nv; k++) {
            sum[k] += weight * s->values[k];
            sum[p->nv + k] += weight * varied.v[k];
            sum[2 * p->nv + k] += weight * varied.vdot[k];
        }
        for (int k = 0; k < p->nc; k++)
            sum[3 * p->nv + k] += weight * varied.lambda[k];
    }
}

/* The method's own dense output, of all directions at once. Pseudo-loads read the variation of
 * memory from `now`: inside the step memory is that of its start. */
static nt_status vary_between(nt_sensitivity *s, double t)
{
    nt_integrator *it = s->integrator;
    double *after = s->now;
    if (!s->between)
        return NT_UNSUPPORTED;
    if (s->between_t == t)
        return NT_OK;
    if (s->linearised_t != it->stepper.now.all[NT_PHASE_T])
        return NT_INVALID;
    nt_stepper own;
    nt_status status = nt_sensitivity_stepper(s, &own);
    s->now = s->before;
    if (status == NT_OK)
        status = it->method->vary_dense(&own, &it->before, &it->stepper.now, t, &s->directions,
                                        s->before, after, s->between);
    s->now = after;
    s->between_t = status == NT_OK ? t : (double)NAN;
    return status;
}

nt_status nt_sensitivity_dense(nt_sensitivity *s, int i, double t, nt_state_tangent *tangent)
{
    NT_NEED(NULL, "sensitivity tangent", s, tangent);
    if (!sensitivity_has(s, i))
        return NT_INVALID;
    nt_integrator *it = s->integrator;
    const nt_problem *p = it->problem;
    const nt_phase *from = &it->before, *to = &it->stepper.now, middle = it->stepper.next;
    if (!(t >= from->all[NT_PHASE_T] && t <= to->all[NT_PHASE_T]))
        return NT_INVALID;
    *tangent = nt_sensitivity_state(s, i);
    if (t == to->all[NT_PHASE_T])
        return NT_OK;
    nt_state between; /* in `next` */
    nt_status status = nt_integrator_dense(it, t, &between);
    if (status == NT_OK)
        status = vary_between(s, t);
    double *d = status == NT_OK ? s->between + (size_t)i * s->directions.stride : s->dense_shown;
    nt_variation first = nt_sensitivity_variation(s, s->before, i, NT_APART_FIRST);
    nt_variation last = nt_sensitivity_variation(s, s->now, i, NT_APART_LAST);
    if (status == NT_UNSUPPORTED)
        nt_sensitivity_difference_dense(s, from, &first, to, &last, t, &middle, d);
    else if (status != NT_OK)
        return status;
    double *q = s->shown;
    const double *const inner[3] = {d, d + p->nv, d + 2 * p->nv};
    double *const outer[3] = {q, q + p->nv, q + 2 * p->nv};
    const nt_point at = nt_phase_point(&middle);
    nt_sensitivity_change_frame(p, p->frame, p->system->frame, &at, inner, outer);
    tangent->lambda = d + 3 * p->nv;
    tangent->mu = tangent->lambda + p->nh;
    double t0 = from->all[NT_PHASE_T], h = to->all[NT_PHASE_T] - t0;
    tangent->work =
        s->work_before[i] + h * nt_work_within(s->power + NT_WORK_NODES * i, (t - t0) / h);
    return NT_OK;
}

/* z[n]: minus how vdot and the multipliers vary with x = (dq, dv) and direction i at a point. */
static nt_status balance_solve(nt_sensitivity *s, int i, nt_factors *f, const nt_point *at,
                               const double *x, double *z)
{
    const nt_problem *p = s->integrator->problem;
    nt_push push = {.at = at,
                    .parts = NT_ALL_PARTS,
                    .level = NT_ACCELERATION,
                    .stiffness = 1,
                    .count = 1,
                    .x = x,
                    .y = z};
    memset(z, 0, (size_t)p->n * sizeof *z);
    nt_status status = nt_variation_push(f, &push);
    push.stiffness = 0, push.damping = 1, push.x = x + p->nv;
    if (status == NT_OK)
        status = nt_variation_push(f, &push);
    nt_terms terms = {
        .parts = NT_ALL_PARTS, .level = NT_ACCELERATION, .residual = z, .rows = z + p->nv};
    if (status == NT_OK)
        status = nt_pseudo_load(s, i, at, &terms);
    nt_factors_clear_dropped(f, z);
    if (status == NT_OK)
        status = nt_factors_of_accelerations(f, at);
    return status == NT_OK ? nt_solver_solve(f->solver, z, 1) : status;
}

/* The state and its tangent go to the problem's frame, in which vdot and the multipliers are varied
 * with q and v, and back. Pseudo-loads read the variation of memory from `now`: inside the step
 * memory is that of its start. */
nt_status nt_sensitivity_balance(nt_sensitivity *s, int i, const nt_state *state,
                                 nt_state_tangent *tangent, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "sensitivity state tangent", s, state, tangent);
    if (!sensitivity_has(s, i))
        return nt_fail(error, NT_INVALID, "sensitivity %d, expected a number from 0 to %d", i,
                       s->n - 1);
    nt_integrator *it = s->integrator;
    if (!nt_integrator_balances(it, state->t))
        return NT_OK;
    const nt_problem *p = it->problem;
    size_t nv = (size_t)p->nv, nc = (size_t)p->nc;
    double *out = s->balanced, *d = out + 3 * nv + nc, *v = d + 3 * nv, *vdot = v + nv,
           *z = vdot + nv, *at_end = s->now;
    const nt_point given = {.q = state->q, .v = state->v, .vdot = state->vdot};
    nt_problem_rates_from(p, p->system->frame, state->q, state->v, state->vdot, v, vdot);
    const double *const from[3] = {tangent->q, tangent->v, tangent->vdot};
    double *const inner[3] = {d, d + nv, d + 2 * nv};
    nt_sensitivity_change_frame(p, p->system->frame, p->frame, &given, from, inner);
    nt_point at = {.t = state->t,
                   .q = state->q,
                   .v = v,
                   .vdot = vdot,
                   .lambda = state->lambda,
                   .mu = state->mu,
                   .memory = state->memory};
    nt_stepper looking;
    nt_status status = nt_integrator_looking(it, &looking);
    if (state->t < it->stepper.now.all[NT_PHASE_T])
        s->now = s->before;
    if (status == NT_OK)
        status = balance_solve(s, i, it->look, &at, d, z);
    s->now = at_end;
    if (nt_has_no_rates(status))
        return NT_OK;
    if (status != NT_OK)
        return nt_fail(error, status, "derivatives of accelerations at t = %g s: %s", state->t,
                       nt_status_text(status));
    for (size_t k = 0; k < nv; k++)
        d[2 * nv + k] = -z[k];
    for (size_t k = 0; k < nc; k++)
        out[3 * nv + k] = -z[nv + k];
    const nt_point shown = {.q = state->q, .v = v, .vdot = vdot};
    const double *const of_d[3] = {d, d + nv, d + 2 * nv};
    double *const to[3] = {out, out + nv, out + 2 * nv};
    nt_sensitivity_change_frame(p, p->frame, p->system->frame, &shown, of_d, to);
    tangent->q = out, tangent->v = out + nv, tangent->vdot = out + 2 * nv;
    tangent->lambda = out + 3 * nv;
    tangent->mu = tangent->lambda + p->nh;
    return NT_OK;
}

nt_status nt_state_tangent_copy(nt_state_tangent *copy, double *numbers, const nt_system *system,
                                const nt_state_tangent *tangent)
{
    NT_NEED(NULL, "copy numbers system tangent", copy, numbers, system, tangent);
    nt_state_tangent c = *tangent;
    c.q = nt_copy_numbers(&numbers, tangent->q, system->space.nv);
    c.v = nt_copy_numbers(&numbers, tangent->v, system->space.nv);
    c.vdot = nt_copy_numbers(&numbers, tangent->vdot, system->space.nv);
    c.lambda = nt_copy_numbers(&numbers, tangent->lambda, system->nh);
    c.mu = nt_copy_numbers(&numbers, tangent->mu, system->nn);
    c.memory = nt_copy_numbers(&numbers, tangent->memory, system->n_memory);
    *copy = c;
    return NT_OK;
}

/* The constraint matrix beside a state, differenced along the tangent of direction i. */
static nt_status vary_matrix(nt_sensitivity *s, int i, const nt_point *at,
                             const nt_state_tangent *d, double step)
{
    const nt_problem *p = s->integrator->problem;
    const nt_system *system = p->system;
    double *q = s->point, *increment = s->values;
    nt_point beside = *at;
    beside.q = q;
    nt_status status = NT_OK;
    nt_minimum_norm_begin(s->reactions);
    for (int j = 0; j < 2 * NT_STENCIL && status == NT_OK; j++) {
        int distance = j / 2 + 1, sign = j % 2 ? -1 : 1;
        double offset = sign * distance * step, weight = sign * nt_stencil[distance - 1] / step;
        status = nt_sensitivity_move_parameter(s, i, offset);
        for (int k = 0; k < p->nv; k++)
            increment[k] = offset * d->q[k];
        nt_space_compose(&p->space, system->frame, at->q, increment, q);
        if (status == NT_OK)
            status = nt_minimum_norm_add(s->reactions, p, &beside, weight);
    }
    nt_status back = system->set_parameters(system->self, s->p);
    return status != NT_OK ? status : back;
}

nt_status nt_sensitivity_reactions(nt_sensitivity *s, int i, const nt_state *state,
                                   const nt_state_tangent *d, double length, double *out,
                                   nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "sensitivity state tangent out", s, state, d, out);
    NT_NEED_STATE(error, "state", s->integrator->problem->system, state);
    NT_NEED_STATE(error, "tangent", s->integrator->problem->system, d);
    NT_NEED_LENGTH(error, "length", length);
    if (!sensitivity_has(s, i))
        return nt_fail(error, NT_INVALID, "sensitivity %d, expected a number from 0 to %d", i,
                       s->n - 1);
    const nt_problem *p = s->integrator->problem;
    memcpy(out, d->lambda, (size_t)p->nh * sizeof *out);
    memcpy(out + p->nh, d->mu, (size_t)p->nn * sizeof *out);
    if (s->integrator->factors->n_dropped == 0)
        return NT_OK;
    double *multipliers = s->point + p->nq;
    memcpy(multipliers, state->lambda, (size_t)p->nh * sizeof *out);
    memcpy(multipliers + p->nh, state->mu, (size_t)p->nn * sizeof *out);
    nt_point at = nt_state_point(state);
    const nt_const_variation along = {d->q, d->v, d->vdot, d->lambda, d->mu, d->memory, NULL};
    double step = fmin(nt_sensitivity_reach(p, at, along),
                       1e-2 * nt_parameter_scale(s, s->route[i].parameter));
    nt_status status = s->reactions ? NT_OK : nt_minimum_norm_create(&s->reactions, p);
    if (status == NT_OK)
        status = nt_minimum_norm_find(s->reactions, p, &at, length, multipliers);
    if (status == NT_OK)
        status = vary_matrix(s, i, &at, d, step);
    if (status == NT_OK)
        status = nt_minimum_norm_rates(s->reactions, out);
    return status == NT_OK ? NT_OK
                           : nt_fail(error, status, "sensitivities of reactions at t = %g s: %s",
                                     state->t, nt_status_text(status));
}
