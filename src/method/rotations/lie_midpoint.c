/* The implicit midpoint rule on the rotation group, LIEMID[I].
 *
 *   Krysl, Explicit Newmark algorithm for rotational dynamics (2005), section 3; the increment's
 *   equation with the torque impulse in the axes of the midpoint
 *
 *   J Psi/h = E(-Psi/2) Pi + (h/2) T_mid,        T_mid = T(R E(Psi/2), t + h/2)
 *   R1 = R E(Psi),   Pi1 = E(-Psi) Pi + h E(-Psi/2) T_mid
 *
 * and for translations the midpoint rule. Psi/h is the angular velocity of the midpoint, at which
 * forces that depend on velocities are taken. Second order, symmetric; keeps momentum. One
 * evaluation more per step is for the acceleration at its end. */
#include "method/rotations/implicit_stage.h"

#include "group/rotation.h"

/* The equation times 2/h: rest = (2/h) (J Psi/h - y), y = E(-Psi/2) Pi. With e = T(Psi/2) dPsi,
 * dy = y~ e/2, so slope = (2/h^2) J X - (1/h) y~. */
static nt_turn midpoint(double h, m3 J, v3 W, v3 psi)
{
    v3 half = v3_scale(0.5, psi);
    nt_turn turn = {.by = so3_exp(half), .X = so3_tangent_inverse(half)};
    v3 y = m3_apply_transposed(quat_matrix(turn.by), m3_apply(J, W));
    turn.rest = v3_scale(2 / h, v3_sub(v3_scale(1 / h, m3_apply(J, psi)), y));
    turn.slope = m3_sub(m3_scale(2 / (h * h), m3_multiply(J, turn.X)), m3_skew(v3_scale(1 / h, y)));
    return turn;
}

static v3 midpoint_moved(double h, m3 J, v3 W, v3 psi, const nt_moved_turn *moved)
{
    (void)J, (void)W;
    m3 E = quat_matrix(so3_exp(v3_scale(0.5, psi)));
    v3 dy = m3_apply_transposed(E, moved->dPi);
    return v3_scale(2 / h, v3_sub(v3_scale(1 / h, m3_apply(moved->dJ, psi)), dy));
}

static const nt_stage stage = {
    .time = 0.5, .place = 0.5, .rate = 1, .inertia = 2, .turn = midpoint, .vary = midpoint_moved};

const nt_method nt_method_lie_midpoint = {
    .name = "lie-midpoint",
    .summary = "implicit midpoint rule on the rotation group (LIEMID[I]), order 2",
    .reference = "Krysl 2005, Explicit Newmark algorithm for rotational dynamics, section 3",
    NT_STAGE_SLOTS,
    .scheme = &stage,
    .start = nt_start_without_memory,
    .step = nt_stage_step_by_midpoint,
};
