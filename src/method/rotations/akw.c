/* The momentum-conserving midpoint rule of Austin, Krishnaprasad and Wang.
 *
 *   Austin, Krishnaprasad & Wang 1993, J. Comp. Phys. 107, 105, with torque by the trapezoidal rule
 *   as in Krysl's comparison (2005, section 4)
 *
 *   Pi1 = Pi + h Pi_m x W_m + (h/2) (T_0 + T_1),   W_m = J^-1 Pi_m,  Pi_m = (Pi + Pi1)/2
 *   R1 = R cay(theta),   theta = h W_m,            cay(theta) = (I - theta~/2)^-1 (I + theta~/2)
 *
 * and for translations the trapezoidal rule. Second order, symmetric; without torque energy and
 * momentum are kept. The unknown is theta: Pi1 = 2 J theta/h - Pi. */
#include "method/rotations/implicit_stage.h"

#include <math.h>

/* (1, theta/2) made a unit */
static quat cayley(v3 theta) { return quat_unit((quat){1, theta.x / 2, theta.y / 2, theta.z / 2}); }

/* The equation times 2/h: rest = (4/h) J (W_m - W) - 2 (J W_m) x W_m.
 * dR1 = R1 e~ with e = (I - theta~/2) dtheta/(1 + |theta|^2/4), so X = I + theta~/2 +
 * theta theta^T/4, and dW_m = X e/h. */
static nt_turn trapezoid(double h, m3 J, v3 W, v3 theta)
{
    v3 mean = v3_scale(1 / h, theta), Pi = m3_apply(J, mean), half = v3_scale(0.5, theta);
    nt_turn turn = {.by = cayley(theta)};
    turn.X = m3_add(m3_add(m3_identity(), m3_skew(half)), m3_dyad(half, half));
    turn.rest =
        v3_sub(v3_scale(4 / h, m3_apply(J, v3_sub(mean, W))), v3_scale(2, v3_cross(Pi, mean)));
    m3 of_mean =
        m3_sub(m3_scale(4 / h, J), m3_scale(2, m3_sub(m3_skew(Pi), m3_skew_multiply(mean, J))));
    turn.slope = m3_scale(1 / h, m3_multiply(of_mean, turn.X));
    return turn;
}

static v3 trapezoid_moved(double h, m3 J, v3 W, v3 theta, const nt_moved_turn *moved)
{
    v3 mean = v3_scale(1 / h, theta), dPi = m3_apply(moved->dJ, mean);
    v3 inertia = v3_sub(m3_apply(moved->dJ, v3_sub(mean, W)), m3_apply(J, moved->dW));
    return v3_sub(v3_scale(4 / h, inertia), v3_scale(2, v3_cross(dPi, mean)));
}

/* The push at the start, of which T_0 is made, is that of the last step's end. */
static const nt_stage stage = {.time = 1,
                               .place = 1,
                               .rate = 2,
                               .start = -1,
                               .inertia = 4,
                               .earlier = 1,
                               .turn = trapezoid,
                               .vary = trapezoid_moved};

static nt_status akw_step(nt_stepper *s, double h)
{
    const nt_problem *p = s->problem;
    nt_phase *next = &s->next;
    nt_staged found;
    nt_momenta_begin(s, h);
    nt_status status = nt_stage_solve(s, &stage, h, &found);
    if (status != NT_OK)
        return status;
    for (int i = 0; i < p->nv; i++) {
        next->method[i] = found.push[i];
        next->v[i] = s->now.v[i] + h / 2 * (s->now.method[i] + found.push[i]);
    }
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        int n = nt_vector_entries(block), i = block->v + n, q = block->q + n;
        for (int k = 0; k < n; k++)
            next->q[block->q + k] = s->now.q[block->q + k] + found.psi[block->v + k];
        if (block->rotation < 0)
            continue;
        v3 theta = v3_load(found.psi + i), mean = v3_scale(1 / h, theta);
        m3 J = nt_inertia_of(p, block->rotation);
        quat_store(next->q + q, quat_unit(quat_multiply(quat_load(s->now.q + q), cayley(theta))));
        /* the kick is in next->v; h J^-1 (Pi_m x W_m) is what is left */
        v3_accumulate(next->v + i, v3_scale(h, m3_solve(J, v3_cross(m3_apply(J, mean), mean))));
    }
    nt_momenta_acceleration(p, next->v, next->method, next->vdot);
    return NT_OK;
}

const nt_method nt_method_akw = {
    .name = "akw",
    .summary = "implicit midpoint rule for body momenta with Cayley's map, order 2",
    .reference = "Austin, Krishnaprasad & Wang 1993; Krysl 2005, section 4",
    NT_STAGE_SLOTS,
    .scheme = &stage,
    .start = nt_momenta_start,
    .step = akw_step,
};
