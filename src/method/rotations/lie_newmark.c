/* Explicit Newmark on the rotation group, LIEMID[EA].
 *
 *   Krysl, Explicit Newmark algorithm for rotational dynamics (2005), section 3
 *
 * The alternating composition of the two explicit midpoint maps, Xi_h = Phi*_{h/2} o Phi_{h/2}:
 *
 *   Phi_h    J Psi/h = E(-Psi/2) (Pi + h T_0),   R1 = R E(Psi),   Pi1 = E(-Psi) (Pi + h T_0)
 *   Phi*_h   J Psi/h = E(-Psi/2) Pi,             R1 = R E(Psi),   Pi1 = E(-Psi) Pi + h T_1
 *
 * so a kick, two drifts of half the step, and a kick; on a vector space that is the explicit
 * Newmark method with gamma = 1/2, beta = 0. Second order, symmetric, symplectic. The push
 * a = M^-1 (f, T) that ends a step begins the next: method memory, one evaluation per step. Where
 * forces depend on velocities the end kick is implicit, which keeps the method symmetric. */
#include "method/rotations/lie_newmark.h"

#include <string.h>

nt_status nt_lie_newmark_substep(nt_stepper *s, const nt_options *options, double h, double t,
                                 double *q, double *v, double *a)
{
    nt_kick(s->problem, h / 2, v, a, v); /* Phi_{h/2}  */
    nt_status status = nt_drift(s, h / 2, q, v, q, v, NULL);
    if (status != NT_OK)
        return status;
    status = nt_drift(s, h / 2, q, v, q, v, NULL); /* Phi*_{h/2} */
    if (status != NT_OK)
        return status;
    status = nt_push_end(s, options, h / 2, t + h, q, v, a);
    nt_kick(s->problem, h / 2, v, a, v);
    return status;
}

static nt_status lie_newmark_step(nt_stepper *s, double h)
{
    const nt_problem *p = s->problem;
    nt_phase *next = &s->next;
    nt_momenta_begin(s, h);
    memcpy(next->q, s->now.q, (size_t)p->nq * sizeof(double));
    memcpy(next->v, s->now.v, (size_t)p->nv * sizeof(double));
    memcpy(next->method, s->now.method, (size_t)p->nv * sizeof(double));
    nt_status status = nt_lie_newmark_substep(s, s->options, h, s->now.all[NT_PHASE_T], next->q,
                                              next->v, next->method);
    if (status == NT_OK)
        nt_momenta_acceleration(p, next->v, next->method, next->vdot);
    return status;
}

static nt_status lie_newmark_linearise(nt_stepper *s, double h, const nt_directions *directions,
                                       const double *before, double *after)
{
    static const double whole[] = {1};
    static const nt_composition xi = {
        .part = whole, .stages = 1, .drifts = 2, .first = 0.5, .last = 0.5};
    return nt_composition_linearise(s, &xi, h, directions, before, after);
}

const nt_method nt_method_lie_newmark = {
    .name = "lie-newmark",
    .summary = "explicit Newmark on the rotation group (LIEMID[EA]), symplectic, order 2",
    .reference = "Krysl 2005, Explicit Newmark algorithm for rotational dynamics, section 3",
    .needs = NT_NEEDS_MOMENTA,
    .options = nt_push_options,
    .n_options = NT_PUSH_OPTIONS,
    .frames = NT_IN_FRAME(NT_BODY),
    .layout = nt_momenta_layout,
    .start = nt_momenta_start,
    .step = lie_newmark_step,
    .linearise = lie_newmark_linearise,
};
