/* The derivative of the work, by the rule of the integrator (method/work.c).
 *
 * At each node the power is differentiated along the variation of the state there. Between the ends
 * of a step that is the variation of the dense output: the method's own, or that of the cubic
 * between states at the ends, which move by theirs. */
#include "method/work.h"
#include "sensitivity/forward.h"

#include <math.h>
#include <string.h>

/* ---- power ---------------------------------------------------------------------------------- */

/* Power at a state moved along direction i, the parameter too when `with_parameter`. */
static nt_status power_beside(nt_sensitivity *s, int i, const nt_phase *at, const nt_variation *d,
                              double offset, bool with_parameter, double *power)
{
    nt_problem *p = s->integrator->problem;
    nt_phase varied = nt_sensitivity_phase(s, 0);
    nt_energy energy = {0};
    nt_status status = with_parameter ? nt_sensitivity_move_parameter(s, i, offset) : NT_OK;
    nt_sensitivity_move(p, at, d, offset, s->values, &varied);
    varied.all[NT_PHASE_T] = at->all[NT_PHASE_T];
    nt_point point = nt_sensitivity_point(s, &varied);
    if (status == NT_OK)
        status = p->system->energy(p->system->self, &point, &energy);
    *power = energy.power;
    return status;
}

/* d(power) along direction i at a state, by differences of a step; *doubt receives what formulas of
 * sixth and fourth order differ by. */
static nt_status difference_power(nt_sensitivity *s, int i, const nt_phase *at,
                                  const nt_variation *d, double step, bool with_parameter,
                                  double *derivative, double *doubt)
{
    static const double fourth[NT_STENCIL] = {8.0 / 12, -1.0 / 12, 0};
    nt_status status = NT_OK;
    double low = 0;
    *derivative = 0;
    for (int j = 0; j < 2 * NT_STENCIL && status == NT_OK; j++) {
        int distance = j / 2 + 1, sign = j % 2 ? -1 : 1;
        double power;
        status = power_beside(s, i, at, d, sign * distance * step, with_parameter, &power);
        *derivative += sign * nt_stencil[distance - 1] / step * power;
        low += sign * fourth[distance - 1] / step * power;
    }
    *doubt = fabs(*derivative - low);
    return status;
}

/* Contacts are thinner than any step that suits the motion as a whole: steps a hundred times
 * smaller are tried until two orders agree. */
static const double AGREED = 1e-9;

/* d(power) along direction i at a state. */
static nt_status vary_power(nt_sensitivity *s, int i, const nt_phase *at, const nt_variation *d,
                            double *derivative)
{
    nt_problem *p = s->integrator->problem;
    const nt_system *system = p->system;
    int k = s->route[i].parameter;
    nt_energy own = {0};
    nt_point point = nt_sensitivity_point(s, at);
    nt_status status = system->energy_tangent
                           ? system->energy_tangent(system->self, &point, k, &own)
                           : NT_UNSUPPORTED;
    bool differenced = status == NT_UNSUPPORTED;
    double step = nt_sensitivity_reach(p, at, d);
    if (differenced) {
        step = fmin(step, 1e-2 * nt_parameter_scale(s, k));
        status = NT_OK;
    }
    double best = 0, least = (double)INFINITY;
    for (int attempt = 0; attempt < 4 && status == NT_OK; attempt++, step *= 1e-2) {
        double derivative_here, doubt;
        status = difference_power(s, i, at, d, step, differenced, &derivative_here, &doubt);
        if (doubt < least) {
            least = doubt;
            best = derivative_here;
        }
        if (doubt <= AGREED * fabs(derivative_here))
            break;
    }
    *derivative = own.power + best;
    nt_status back = differenced ? system->set_parameters(system->self, s->p) : NT_OK;
    return status != NT_OK ? status : back;
}

/* ---- states within a step ------------------------------------------------------------------- */

enum { WITHIN = NT_WORK_NODES - 2 };

/* The variation of one of them in s->inner; memory is that of the start. */
static nt_variation inner_variation(const nt_sensitivity *s, const nt_variation *first)
{
    const nt_problem *p = s->integrator->problem;
    nt_variation d = {.q = s->inner};
    d.v = d.q + p->nv;
    d.vdot = d.v + p->nv;
    d.lambda = d.vdot + p->nv;
    d.mu = d.lambda + p->nh;
    d.memory = first->memory;
    return d;
}

/* Add weight times (moved - middle) to a variation. */
static void add_difference(nt_sensitivity *s, const nt_phase *moved, const nt_phase *middle,
                           double weight, const nt_variation *d)
{
    const nt_problem *p = s->integrator->problem;
    nt_space_difference(&p->space, p->frame, middle->q, moved->q, s->values);
    for (int i = 0; i < p->nv; i++) {
        d->q[i] += weight * s->values[i];
        d->v[i] += weight * (moved->v[i] - middle->v[i]);
        d->vdot[i] += weight * (moved->vdot[i] - middle->vdot[i]);
    }
    for (int i = 0; i < p->nc; i++)
        d->lambda[i] += weight * (moved->lambda[i] - middle->lambda[i]); /* mu follows */
}

/* The states at the nodes within. */
static nt_status find_nodes(nt_sensitivity *s, double h)
{
    nt_integrator *it = s->integrator;
    const nt_phase *now = &it->stepper.now;
    nt_status status = NT_OK;
    for (int k = 0; k < WITHIN && status == NT_OK; k++) {
        nt_phase node = nt_sensitivity_phase(s, NT_SENSITIVITY_NODES + k);
        if (nt_work_looks(it->method, k + 1))
            status = nt_integrator_between(it, now, &it->stepper.next,
                                           now->all[NT_PHASE_T] + nt_work_node[k + 1] * h, &node);
    }
    return status;
}

/* The variation along direction i of the cubic at a node, from those at the ends. */
static nt_status vary_cubic(nt_sensitivity *s, const nt_phase *node, const nt_variation *first,
                            const nt_variation *last, const nt_variation *d)
{
    nt_integrator *it = s->integrator;
    nt_problem *p = it->problem;
    const nt_phase *now = &it->stepper.now, *next = &it->stepper.next;
    const nt_phase ends[2] = {nt_sensitivity_phase(s, 0), nt_sensitivity_phase(s, 1)};
    nt_phase moved = nt_sensitivity_phase(s, 2);
    double step = fmin(nt_sensitivity_reach(p, now, first), nt_sensitivity_reach(p, next, last));
    memcpy(ends[0].all, now->all, it->size * sizeof(double));
    memcpy(ends[1].all, next->all, it->size * sizeof(double));
    memset(d->q, 0, (3 * (size_t)p->nv + (size_t)p->nc) * sizeof(double));
    nt_status status = NT_OK;
    for (int j = 0; j < 2 * NT_STENCIL && status == NT_OK; j++) {
        int distance = j / 2 + 1, sign = j % 2 ? -1 : 1;
        nt_sensitivity_move(p, now, first, sign * distance * step, s->values, &ends[0]);
        nt_sensitivity_move(p, next, last, sign * distance * step, s->values, &ends[1]);
        status = nt_integrator_between(it, &ends[0], &ends[1], node->all[NT_PHASE_T], &moved);
        add_difference(s, &moved, node, sign * nt_stencil[distance - 1] / step, d);
    }
    return status;
}

/* d(power) at node k within the step, of all directions. */
static nt_status vary_within(nt_sensitivity *s, int k)
{
    nt_integrator *it = s->integrator;
    nt_stepper *stepper = &it->stepper;
    nt_phase node = nt_sensitivity_phase(s, NT_SENSITIVITY_NODES + k);
    nt_status status = NT_UNSUPPORTED;
    if (s->between)
        status =
            it->method->vary_dense(stepper, &stepper->now, &stepper->next, node.all[NT_PHASE_T],
                                   &s->directions, s->now, s->next, s->between);
    bool cubic = status == NT_UNSUPPORTED;
    if (cubic)
        status = NT_OK;
    for (int i = 0; i < s->n && status == NT_OK; i++) {
        nt_variation first = nt_variation_at(stepper->problem, &s->directions, s->now, i), d;
        if (cubic) {
            nt_variation last = nt_variation_at(stepper->problem, &s->directions, s->next, i);
            d = inner_variation(s, &first);
            status = vary_cubic(s, &node, &first, &last, &d);
        } else {
            d = nt_variation_at(stepper->problem, &s->directions, s->between, i);
            d.memory = first.memory;
        }
        if (status == NT_OK)
            status = vary_power(s, i, &node, &d, &s->power[NT_WORK_NODES * i + k + 1]);
    }
    return status;
}

/* ---- work ----------------------------------------------------------------------------------- */

nt_status nt_sensitivity_vary_work(nt_sensitivity *s, double h)
{
    nt_stepper *stepper = &s->integrator->stepper;
    nt_status status = find_nodes(s, h);
    for (int k = 0; k < WITHIN && status == NT_OK; k++)
        if (nt_work_looks(s->integrator->method, k + 1))
            status = vary_within(s, k);
    for (int i = 0; i < s->n && status == NT_OK; i++) {
        double *power = s->power + NT_WORK_NODES * i;
        nt_variation first = nt_variation_at(stepper->problem, &s->directions, s->now, i);
        nt_variation last = nt_variation_at(stepper->problem, &s->directions, s->next, i);
        status = vary_power(s, i, &stepper->now, &first, &power[0]);
        if (status == NT_OK)
            status = vary_power(s, i, &stepper->next, &last, &power[NT_WORK_NODES - 1]);
        nt_work_fill(s->integrator->method, power);
        s->work_before[i] = s->work[i];
        s->work[i] += h * nt_work_within(power, 1);
    }
    return status;
}
