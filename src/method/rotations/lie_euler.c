/* The two explicit midpoint maps on the rotation group, each a method of first order.
 *
 *   Krysl, Explicit Newmark algorithm for rotational dynamics (2005), section 3
 *
 *   lie-euler          Phi_h, explicit midpoint Lie variant 2 (EMID2): the whole impulse at the
 *                      start of the step
 *     J Psi/h = E(-Psi/2) (Pi + h T_0),   R1 = R E(Psi),   Pi1 = E(-Psi) (Pi + h T_0)
 *
 *   lie-euler-adjoint  Phi*_h, variant 1 (EMID1): the whole impulse at the end. (The text prints
 *                      E(-Psi) before h T_1 as well, which is not the adjoint.)
 *     J Psi/h = E(-Psi/2) Pi,   R1 = R E(Psi),   Pi1 = E(-Psi) Pi + h T(R1, t1)
 *
 * Both are symplectic. Forces that depend on velocities are taken at the start by the first, at the
 * end by the second, which is implicit then. On a vector space they are symplectic Euler and its
 * adjoint. The push at the end of a step is kept: lie-euler begins the next with it. */
#include "method/rotations/momenta.h"

#include <string.h>

static const double whole[] = {1};

/* ---- Phi_h ---------------------------------------------------------------------------------- */

static nt_status lie_euler_step(nt_stepper *s, double h)
{
    const nt_phase *now = &s->now;
    nt_phase *next = &s->next;
    nt_momenta_begin(s, h);
    nt_kick(s->problem, h, now->v, now->method, next->v);
    nt_status status = nt_drift(s, h, now->q, next->v, next->q, next->v, NULL);
    if (status != NT_OK)
        return status;
    status = nt_push_at(s, next->all[NT_PHASE_T], next->q, next->v, next->method);
    if (status == NT_OK)
        nt_momenta_acceleration(s->problem, next->v, next->method, next->vdot);
    return status;
}

static nt_status lie_euler_linearise(nt_stepper *s, double h, const nt_directions *directions,
                                     const double *before, double *after)
{
    static const nt_composition phi = {.part = whole, .stages = 1, .drifts = 1, .first = 1};
    return nt_composition_linearise(s, &phi, h, directions, before, after);
}

/* ---- Phi*_h --------------------------------------------------------------------------------- */

static nt_status step_adjoint(nt_stepper *s, double h)
{
    const nt_phase *now = &s->now;
    nt_phase *next = &s->next;
    nt_momenta_begin(s, h);
    memcpy(next->method, now->method, (size_t)s->problem->nv * sizeof(double)); /* a guess */
    nt_status status = nt_drift(s, h, now->q, now->v, next->q, next->v, NULL);
    if (status != NT_OK)
        return status;
    status = nt_push_end(s, s->options, h, next->all[NT_PHASE_T], next->q, next->v, next->method);
    if (status != NT_OK)
        return status;
    nt_kick(s->problem, h, next->v, next->method, next->v);
    nt_momenta_acceleration(s->problem, next->v, next->method, next->vdot);
    return NT_OK;
}

static nt_status linearise_adjoint(nt_stepper *s, double h, const nt_directions *directions,
                                   const double *before, double *after)
{
    static const nt_composition phi = {.part = whole, .stages = 1, .drifts = 1, .last = 1};
    return nt_composition_linearise(s, &phi, h, directions, before, after);
}

const nt_method nt_method_lie_euler = {
    .name = "lie-euler",
    .summary = "explicit midpoint Lie, impulse at the start (EMID2), symplectic, order 1",
    .reference = "Krysl 2005, Explicit Newmark algorithm for rotational dynamics, section 3",
    .needs = NT_NEEDS_MOMENTA,
    .frames = NT_IN_FRAME(NT_BODY),
    .layout = nt_momenta_layout,
    .start = nt_momenta_start,
    .step = lie_euler_step,
    .linearise = lie_euler_linearise,
};

const nt_method nt_method_lie_euler_adjoint = {
    .name = "lie-euler-adjoint",
    .summary = "explicit midpoint Lie, impulse at the end (EMID1), symplectic, order 1",
    .reference = "Krysl 2005, Explicit Newmark algorithm for rotational dynamics, section 3",
    .needs = NT_NEEDS_MOMENTA,
    .options = nt_push_options,
    .n_options = NT_PUSH_OPTIONS,
    .frames = NT_IN_FRAME(NT_BODY),
    .layout = nt_momenta_layout,
    .start = nt_momenta_start,
    .step = step_adjoint,
    .linearise = linearise_adjoint,
};
