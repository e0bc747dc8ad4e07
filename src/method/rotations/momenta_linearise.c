/* Derivatives of what integrators of body momenta share: inertia, push, acceleration; momenta.h.
 *
 * A direction varies the state by (dq, dW, da), dq an increment in the body frame, and the inertia
 * by dJ (what M dp loads). Of a push,
 *
 *   M a = f(q, v + h a, t):   (M + h C) da = -(K dq + C dv + dM a - df)
 *
 * where the last two terms are the direction's load and C is absent for forces of position. */
#include "method/rotations/momenta.h"

#include "method/variation.h"

#include <string.h>

/* ---- dJ ------------------------------------------------------------------------------------- */

/* Column k of all dJ at once: what a direction changes in M vdot at the unit vector k of every
 * rotation. Inertia is block diagonal and constant, so one point tells all. */
nt_status nt_momenta_vary_inertia(nt_stepper *s, const nt_directions *directions,
                                  const nt_point *at, double *work, double *dJ)
{
    const nt_problem *p = s->problem;
    double *unit = work, *load = work + p->nv;
    nt_point probe = *at;
    probe.vdot = unit;
    nt_terms terms = {.parts = NT_MASS, .residual = load};
    for (int k = 0; k < 3; k++) {
        memset(unit, 0, (size_t)p->nv * sizeof *unit);
        for (int b = 0; b < p->space.n_blocks; b++)
            if (p->space.blocks[b].rotation >= 0)
                unit[nt_rotation_entry(&p->space.blocks[b]) + k] = 1;
        for (int i = 0; i < directions->count && p->space.n_rotations > 0; i++) {
            memset(load, 0, (size_t)p->nv * sizeof *load);
            nt_status status = directions->load(directions->context, i, &probe, &terms);
            if (status != NT_OK)
                return status;
            double *column = dJ + 9 * (size_t)i * (size_t)p->space.n_rotations + k;
            for (int b = 0; b < p->space.n_blocks; b++) {
                const nt_block *block = &p->space.blocks[b];
                for (int row = 0; row < 3 && block->rotation >= 0; row++)
                    column[9 * block->rotation + 3 * row] = load[nt_rotation_entry(block) + row];
            }
        }
    }
    return NT_OK;
}

/* ---- push ----------------------------------------------------------------------------------- */

nt_status nt_push_vary(nt_stepper *s, const nt_point *at, double h, const nt_directions *directions,
                       const double *dq, const double *dv, double *z)
{
    const nt_problem *p = s->problem;
    size_t n = (size_t)p->n;
    unsigned has = p->system->capabilities;
    bool momenta = has & NT_HAS_MOMENTA, rates = !momenta || !(has & NT_POSITION_FORCES);
    unsigned forces = NT_EXPLICIT | NT_IMPLICIT | (momenta ? 0u : (unsigned)NT_GYROSCOPIC);
    memset(z, 0, (size_t)directions->count * n * sizeof *z);
    nt_push terms = {.at = at,
                     .parts = momenta ? forces : NT_MASS | forces,
                     .stiffness = 1,
                     .count = directions->count,
                     .x = dq,
                     .x_stride = directions->stride,
                     .y = z,
                     .y_stride = n};
    nt_status status = nt_variation_push(s->factors, &terms);
    if (status == NT_OK && rates) {
        terms.stiffness = 0, terms.damping = 1, terms.x = dv;
        status = nt_variation_push(s->factors, &terms);
    }
    for (int k = 0; k < directions->count && status == NT_OK; k++) {
        double *one = z + (size_t)k * n;
        nt_terms load = {.parts = NT_MASS | forces, .residual = one};
        status = directions->load(directions->context, k, at, &load);
        for (int i = 0; i < p->nv; i++)
            one[i] = -one[i];
    }
    if (status != NT_OK)
        return status;
    nt_combination combination = {.mass = 1, .damping = rates ? h : 0};
    nt_terms matrix = {.parts = NT_MASS | (rates ? forces : 0u),
                       .matrix = &s->factors->matrix,
                       .combination = &combination};
    nt_factors_begin(s->factors);
    if ((status = nt_problem_evaluate(p, at, &matrix)) != NT_OK ||
        (status = nt_solver_factor_clear(s->factors->solver, &s->factors->matrix)) != NT_OK)
        return status;
    return nt_solver_solve(s->factors->solver, z, directions->count);
}

/* ---- acceleration --------------------------------------------------------------------------- */

void nt_momenta_vary_acceleration(const nt_problem *p, const double *dJ, int direction, double sign,
                                  const nt_phase *at, const double *a, const double *dv,
                                  const double *from, double *out)
{
    memmove(out, from, (size_t)p->nv * sizeof *out);
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        if (block->rotation < 0)
            continue;
        int i = nt_rotation_entry(block);
        m3 J = nt_inertia_of(p, block->rotation);
        m3 change = nt_varied_inertia(p, dJ, direction, block->rotation);
        v3 W = v3_load(at->v + i), dW = v3_load(dv + i), JW = m3_apply(J, W);
        v3 dPi = v3_add(m3_apply(J, dW), m3_apply(change, W));
        v3 gyroscopic = v3_add(v3_cross(dW, JW), v3_cross(W, dPi));
        v3 rest = m3_apply(change, v3_sub(v3_load(at->vdot + i), v3_load(a + i)));
        v3_accumulate(out + i, v3_scale(sign, m3_solve(J, v3_add(gyroscopic, rest))));
    }
}
