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
#include "method/rotations/composition.h"

static const nt_composition xi = {
    .part = nt_whole_step, .stages = 1, .drifts = 2, .first = 0.5, .last = 0.5};

const nt_method nt_method_lie_newmark = {
    .name = "lie-newmark",
    .summary = "explicit Newmark on the rotation group (LIEMID[EA]), symplectic, order 2",
    .reference = "Krysl 2005, Explicit Newmark algorithm for rotational dynamics, section 3",
    .needs = NT_NEEDS_MOMENTA | NT_RATES_WITHIN,
    .options = nt_push_options,
    .n_options = NT_PUSH_OPTIONS,
    .frames = NT_IN_FRAME(NT_BODY),
    .scheme = &xi,
    .layout = nt_composition_layout,
    .start = nt_momenta_start,
    .step = nt_composition_step,
    .linearise = nt_composition_linearise,
};
