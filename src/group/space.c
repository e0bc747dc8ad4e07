/* Configuration spaces: products of R^n, SO(3) and R^3 x SO(3), looped over block by block. */
#include <string.h>

#include "base/target.h"
#include "group/block.h"
#include "group/rotation.h"

#include <limits.h>
#include <stdbool.h>

static bool is_frame(nt_frame frame) { return (int)frame >= NT_INERTIAL && (int)frame <= NT_SE3; }

static bool is_space(const nt_space *space)
{
    return space && (space->blocks || space->n_blocks <= 0);
}

nt_status nt_space_init(nt_space *space, nt_block *blocks, int n_blocks)
{
    if (!space || n_blocks < 0 || (!blocks && n_blocks > 0))
        return NT_INVALID;
    for (int i = 0, left = INT_MAX; i < n_blocks; i++) {
        const nt_block *b = &blocks[i];
        bool open = b->kind == NT_RN || b->kind == NT_FIRST;
        if ((int)b->kind < NT_RN || (int)b->kind > NT_FIRST || (open && b->nv < 0))
            return NT_INVALID;
        int more = open ? b->nv : b->kind == NT_SO3 ? 4 : 7;
        if (more > left)
            return NT_INVALID;
        left -= more;
    }
    *space = (nt_space){.blocks = blocks, .n_blocks = n_blocks};
    for (int i = 0; i < n_blocks; i++) {
        nt_block *b = &blocks[i];
        switch (b->kind) {
        case NT_RN:
            b->nq = b->nv;
            break;
        case NT_SO3:
            b->nq = 4, b->nv = 3;
            break;
        case NT_R3SO3:
            b->nq = 7, b->nv = 6;
            break;
        case NT_FIRST:
            b->nq = 0;
            space->n_first += b->nv;
            break;
        }
        b->q = space->nq;
        b->v = space->nv;
        b->rotation = b->kind == NT_SO3 || b->kind == NT_R3SO3 ? space->n_rotations++ : -1;
        space->nq += b->nq;
        space->nv += b->nv;
    }
    return NT_OK;
}

/* ---- four bodies at a time ---------------------------------------------------------------------
 *
 * Models are long runs of R^3 x SO(3) blocks: 7 numbers of q and 6 of v each. Four of them whose
 * rotations are within the series go through one loop without branches, which becomes vector
 * instructions; each lane does what a block alone does, to the bit. */

enum { LANES = 4, NQ = 7, NV = 6 };

static bool is_run(const nt_block *b, int left)
{
    return left >= LANES && b[0].kind == NT_R3SO3 && b[1].kind == NT_R3SO3 &&
           b[2].kind == NT_R3SO3 && b[3].kind == NT_R3SO3;
}

static double largest_square(const double *dq)
{
    double largest = 0;
    for (int l = 0; l < LANES; l++) {
        v3 psi = v3_load(dq + NV * l + 3);
        double s = v3_dot(psi, psi);
        largest = s <= largest ? largest : s;
    }
    return largest;
}

/* exp(psi~) for four increments: e[component][lane] */
NT_HOT NT_WIDE static void exp_lanes(const double *restrict dq, double e[restrict 4][LANES])
{
    for (int l = 0; l < LANES; l++) {
        v3 psi = v3_load(dq + NV * l + 3);
        so3_half_angle h = so3_half_angle_small(v3_dot(psi, psi));
        e[0][l] = h.cosine;
        e[1][l] = h.ratio * psi.x, e[2][l] = h.ratio * psi.y, e[3][l] = h.ratio * psi.z;
    }
}

/* q exp(psi~), or exp(psi~) q in the inertial frame, lane by lane, and back to unit length as
 * so3_normalize does it where only rounding is away from it: far[l], of the square of a length. */
NT_HOT NT_WIDE static void turn_lanes(nt_frame frame, double e[restrict 4][LANES],
                                      double q[restrict 4][LANES], double far[restrict LANES])
{
    const bool after = frame == NT_BODY;
    for (int l = 0; l < LANES; l++) {
        quat a = {q[0][l], q[1][l], q[2][l], q[3][l]}, b = {e[0][l], e[1][l], e[2][l], e[3][l]};
        quat c = quat_multiply(after ? a : b, after ? b : a);
        far[l] = c.w * c.w + c.x * c.x + c.y * c.y + c.z * c.z - 1;
        double f = 1 - far[l] / 2;
        q[0][l] = f * c.w, q[1][l] = f * c.x, q[2][l] = f * c.y, q[3][l] = f * c.z;
    }
}

NT_HOT static void compose_run(nt_frame frame, const double *q0, const double *dq, double *q1)
{
    double e[4][LANES], q[4][LANES], far[LANES];
    exp_lanes(dq, e);
    for (int l = 0; l < LANES; l++)
        for (int k = 0; k < 4; k++)
            q[k][l] = q0[NQ * l + 3 + k];
    turn_lanes(frame, e, q, far);
    for (int l = 0; l < LANES; l++, q0 += NQ, q1 += NQ, dq += NV) {
        v3_store(q1, v3_add(v3_load(q0), v3_load(dq)));
        quat to = {q[0][l], q[1][l], q[2][l], q[3][l]};
        if (!(fabs(far[l]) < SO3_ROUNDED))
            to = so3_compose(frame, quat_load(q0 + 3), v3_load(dq + 3));
        quat_store(q1 + 3, to);
    }
}

/* The last blocks of a space, fewer than four, with as many before them as make four: those come
 * out as they were. False, and nothing done: they make no run. */
NT_HOT static bool compose_end(const nt_space *space, nt_frame frame, const double *q0,
                               const double *dq, double *q1, int i)
{
    const nt_block *b = &space->blocks[space->n_blocks - LANES];
    if (space->n_blocks - i < 2 || space->n_blocks < LANES || q1 == q0 || frame == NT_SE3 ||
        !is_run(b, LANES) || !(largest_square(dq + b->v) < SO3_SERIES_EXP))
        return false;
    compose_run(frame, q0 + b->q, dq + b->v, q1 + b->q);
    return true;
}

/* T^-1 of four increments; sign -1 transposes it (inertial frame) */
NT_HOT NT_WIDE static void inverse_lanes(const double *restrict dq, double sign,
                                         double T[restrict 9][LANES])
{
    for (int l = 0; l < LANES; l++) {
        v3 psi = v3_scale(sign, v3_load(dq + NV * l + 3));
        so3_inverse_coefficients f = so3_inverse_coefficients_small(v3_dot(psi, psi));
        m3 t = so3_isotropic(f.g, 0.5, f.e, psi);
        T[0][l] = t.xx, T[1][l] = t.xy, T[2][l] = t.xz;
        T[3][l] = t.yx, T[4][l] = t.yy, T[5][l] = t.yz;
        T[6][l] = t.zx, T[7][l] = t.zy, T[8][l] = t.zz;
    }
}

NT_HOT static void inverse_run(nt_frame frame, const double *dq, double *Tinv)
{
    double T[9][LANES];
    inverse_lanes(dq, frame == NT_BODY ? 1 : -1, T);
    for (int l = 0; l < LANES; l++)
        for (int k = 0; k < 9; k++)
            Tinv[9 * l + k] = T[k][l];
}

/* A block that moves as a rigid motion. */
static bool is_motion(const nt_block *b, nt_frame frame)
{
    return frame == NT_SE3 && b->kind == NT_R3SO3;
}

static void compose_motion(const double *q0, const double *xi, double *q1)
{
    double h[7];
    nt_se3_exp(xi, h);
    nt_se3_compose(q0, h, q1);
}

static void motion_difference(const double *q0, const double *q1, double *xi)
{
    double inverse[7], h[7];
    nt_se3_inverse(q0, inverse);
    nt_se3_compose(inverse, q1, h);
    nt_se3_log(h, xi);
}

NT_HOT nt_status nt_space_compose(const nt_space *space, nt_frame frame, const double *q0,
                                  const double *dq, double *q1)
{
    if (!is_space(space) || !is_frame(frame) || (space->nq > 0 && (!q0 || !dq || !q1)))
        return NT_INVALID;
    for (int i = 0; i < space->n_blocks; i++) {
        const nt_block *b = &space->blocks[i];
        if (is_motion(b, frame)) {
            compose_motion(q0 + b->q, dq + b->v, q1 + b->q);
            continue;
        }
        if (is_run(b, space->n_blocks - i) && largest_square(dq + b->v) < SO3_SERIES_EXP) {
            compose_run(frame, q0 + b->q, dq + b->v, q1 + b->q);
            i += LANES - 1;
            continue;
        }
        if (space->n_blocks - i < LANES && compose_end(space, frame, q0, dq, q1, i))
            break;
        int n = nt_block_places(b);
        if (b->kind == NT_R3SO3)
            v3_store(q1 + b->q, v3_add(v3_load(q0 + b->q), v3_load(dq + b->v)));
        else
            for (int j = 0; j < n; j++)
                q1[b->q + j] = q0[b->q + j] + dq[b->v + j];
        if (b->rotation >= 0) {
            quat q = quat_load(q0 + b->q + n);
            quat_store(q1 + b->q + n, so3_compose(frame, q, v3_load(dq + b->v + n)));
        }
    }
    return NT_OK;
}

nt_status nt_space_difference(const nt_space *space, nt_frame frame, const double *q0,
                              const double *q1, double *dq)
{
    if (!is_space(space) || !is_frame(frame) || (space->nq > 0 && (!q0 || !q1)) ||
        (space->nv > 0 && !dq))
        return NT_INVALID;
    for (int i = 0; i < space->n_blocks; i++) {
        const nt_block *b = &space->blocks[i];
        int n = nt_block_places(b);
        if (is_motion(b, frame)) {
            motion_difference(q0 + b->q, q1 + b->q, dq + b->v);
            continue;
        }
        for (int j = 0; j < n; j++)
            dq[b->v + j] = q1[b->q + j] - q0[b->q + j];
        if (b->rotation >= 0) {
            quat a = quat_load(q0 + b->q + n), c = quat_load(q1 + b->q + n);
            v3_store(dq + b->v + n, so3_difference(frame, a, c));
        }
    }
    nt_space_clear_first(space, dq);
    return NT_OK;
}

NT_HOT nt_status nt_space_tangent(const nt_space *space, nt_frame frame, const double *dq,
                                  double *T, double *Tinv)
{
    if (!is_space(space) || !is_frame(frame) || (space->n_rotations > 0 && !dq))
        return NT_INVALID;
    for (int i = 0; i < space->n_blocks; i++) {
        const nt_block *b = &space->blocks[i];
        if (b->rotation < 0)
            continue;
        if (is_motion(b, frame)) {
            if (T)
                nt_se3_tangent(dq + b->v, T + 36 * (size_t)b->rotation);
            if (Tinv)
                nt_se3_tangent_inverse(dq + b->v, Tinv + 36 * (size_t)b->rotation);
            continue;
        }
        if (!T && Tinv && is_run(b, space->n_blocks - i) &&
            largest_square(dq + b->v) < SO3_SERIES_INVERSE) {
            inverse_run(frame, dq + b->v, Tinv + 9 * (size_t)b->rotation);
            i += LANES - 1;
            continue;
        }
        v3 psi = v3_load(dq + b->v + nt_block_places(b));
        if (T)
            m3_store(T + 9 * (size_t)b->rotation, so3_frame_tangent(frame, psi));
        if (Tinv)
            m3_store(Tinv + 9 * (size_t)b->rotation, so3_frame_tangent_inverse(frame, psi));
    }
    return NT_OK;
}

nt_status nt_space_change_frame(const nt_space *space, nt_frame from, nt_frame to, const double *q,
                                const double *v, double *out)
{
    if (!is_space(space) || !is_frame(from) || !is_frame(to) || (space->nv > 0 && (!v || !out)) ||
        (space->n_rotations > 0 && !q))
        return NT_INVALID;
    if (out != v && space->nv > 0)
        memcpy(out, v, (size_t)space->nv * sizeof *v);
    if (from == to)
        return NT_OK;
    for (int i = 0; i < space->n_blocks; i++) {
        const nt_block *b = &space->blocks[i];
        if (b->rotation < 0)
            continue;
        int n = nt_block_places(b);
        m3 R = quat_matrix(quat_load(q + b->q + n));
        v3 w = v3_load(v + b->v + n), x = v3_load(v + b->v);
        if (is_motion(b, from))
            v3_store(out + b->v, m3_apply(R, x));
        else if (is_motion(b, to))
            v3_store(out + b->v, m3_apply_transposed(R, x));
        if ((from == NT_INERTIAL) != (to == NT_INERTIAL))
            v3_store(out + b->v + n,
                     from == NT_INERTIAL ? m3_apply_transposed(R, w) : m3_apply(R, w));
    }
    return NT_OK;
}

nt_status nt_space_identity(const nt_space *space, double *q)
{
    if (!is_space(space) || (space->nq > 0 && !q))
        return NT_INVALID;
    for (int i = 0; i < space->n_blocks; i++) {
        const nt_block *b = &space->blocks[i];
        for (int j = 0; j < b->nq; j++)
            q[b->q + j] = 0;
        if (b->rotation >= 0)
            q[b->q + nt_block_places(b)] = 1;
    }
    return NT_OK;
}

nt_status nt_space_rate(const nt_space *space, nt_frame frame, const double *q, const double *v,
                        double *qdot)
{
    if (!is_space(space) || !is_frame(frame) || (space->nq > 0 && (!q || !v || !qdot)))
        return NT_INVALID;
    for (int i = 0; i < space->n_blocks; i++) {
        const nt_block *b = &space->blocks[i];
        int n = nt_block_places(b);
        for (int j = 0; j < n; j++)
            qdot[b->q + j] = v[b->v + j];
        if (is_motion(b, frame))
            v3_store(qdot + b->q,
                     m3_apply(quat_matrix(quat_load(q + b->q + n)), v3_load(v + b->v)));
        if (b->rotation >= 0) {
            v3 w = v3_scale(0.5, v3_load(v + b->v + n));
            quat half = {0, w.x, w.y, w.z}, r = quat_load(q + b->q + n);
            quat_store(qdot + b->q + n,
                       frame == NT_INERTIAL ? quat_multiply(half, r) : quat_multiply(r, half));
        }
    }
    return NT_OK;
}
