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
#include "method/rotations/composition.h"

static const nt_composition phi = {.part = nt_whole_step, .stages = 1, .drifts = 1, .first = 1};
static const nt_composition phi_adjoint = {
    .part = nt_whole_step, .stages = 1, .drifts = 1, .last = 1};

const nt_method nt_method_lie_euler = {
    .name = "lie-euler",
    .summary = "explicit midpoint Lie, impulse at the start (EMID2), symplectic, order 1",
    .reference = "Krysl 2005, Explicit Newmark algorithm for rotational dynamics, section 3",
    .needs = NT_NEEDS_MOMENTA | NT_RATES_WITHIN | NT_STAGGERED,
    .frames = NT_IN_FRAME(NT_BODY),
    .scheme = &phi,
    .layout = nt_composition_layout,
    .start = nt_momenta_start,
    .step = nt_composition_step,
    .linearise = nt_composition_linearise,
};

const nt_method nt_method_lie_euler_adjoint = {
    .name = "lie-euler-adjoint",
    .summary = "explicit midpoint Lie, impulse at the end (EMID1), symplectic, order 1",
    .reference = "Krysl 2005, Explicit Newmark algorithm for rotational dynamics, section 3",
    .needs = NT_NEEDS_MOMENTA | NT_RATES_WITHIN | NT_STAGGERED,
    .options = nt_push_options,
    .n_options = NT_PUSH_OPTIONS,
    .frames = NT_IN_FRAME(NT_BODY),
    .scheme = &phi_adjoint,
    .layout = nt_composition_layout,
    .start = nt_momenta_start,
    .step = nt_composition_step,
    .linearise = nt_composition_linearise,
};
