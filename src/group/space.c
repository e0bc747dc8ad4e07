/* Configuration spaces: products of R^n, SO(3) and R^3 x SO(3), looped over block by block. */
#include <string.h>

#include "group/rotation.h"

void nt_space_init(nt_space *space, nt_block *blocks, int n_blocks)
{
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
        }
        b->q = space->nq;
        b->v = space->nv;
        b->rotation = b->kind == NT_RN ? -1 : space->n_rotations++;
        space->nq += b->nq;
        space->nv += b->nv;
    }
}

/* Every block is a vector part followed by at most one rotation: n numbers, none, or three. The
 * rotation then starts at q + n of the configuration and v + n of the velocity. */
static int vector_size(const nt_block *b) { return b->kind == NT_RN ? b->nv : b->nv - 3; }

void nt_space_compose(const nt_space *space, nt_frame frame, const double *q0, const double *dq,
                      double *q1)
{
    for (int i = 0; i < space->n_blocks; i++) {
        const nt_block *b = &space->blocks[i];
        int n = vector_size(b);
        for (int j = 0; j < n; j++)
            q1[b->q + j] = q0[b->q + j] + dq[b->v + j];
        if (b->rotation >= 0) {
            quat q = quat_load(q0 + b->q + n);
            quat_store(q1 + b->q + n, so3_compose(frame, q, v3_load(dq + b->v + n)));
        }
    }
}

void nt_space_difference(const nt_space *space, nt_frame frame, const double *q0, const double *q1,
                         double *dq)
{
    for (int i = 0; i < space->n_blocks; i++) {
        const nt_block *b = &space->blocks[i];
        int n = vector_size(b);
        for (int j = 0; j < n; j++)
            dq[b->v + j] = q1[b->q + j] - q0[b->q + j];
        if (b->rotation >= 0) {
            quat a = quat_load(q0 + b->q + n), c = quat_load(q1 + b->q + n);
            v3_store(dq + b->v + n, so3_difference(frame, a, c));
        }
    }
}

void nt_space_tangent(const nt_space *space, nt_frame frame, const double *dq, double *T,
                      double *Tinv)
{
    for (int i = 0; i < space->n_blocks; i++) {
        const nt_block *b = &space->blocks[i];
        if (b->rotation < 0)
            continue;
        v3 psi = v3_load(dq + b->v + vector_size(b));
        if (T)
            m3_store(T + 9 * (size_t)b->rotation, so3_frame_tangent(frame, psi));
        if (Tinv)
            m3_store(Tinv + 9 * (size_t)b->rotation, so3_frame_tangent_inverse(frame, psi));
    }
}

void nt_space_change_frame(const nt_space *space, nt_frame from, nt_frame to, const double *q,
                           const double *v, double *out)
{
    if (out != v && space->nv > 0)
        memcpy(out, v, (size_t)space->nv * sizeof *v);
    if (from == to)
        return;
    for (int i = 0; i < space->n_blocks; i++) {
        const nt_block *b = &space->blocks[i];
        if (b->rotation < 0)
            continue;
        int n = vector_size(b);
        m3 R = quat_matrix(quat_load(q + b->q + n));
        v3 w = v3_load(v + b->v + n);
        v3_store(out + b->v + n, from == NT_BODY ? m3_apply(R, w) : m3_apply_transposed(R, w));
    }
}

void nt_space_identity(const nt_space *space, double *q)
{
    for (int i = 0; i < space->n_blocks; i++) {
        const nt_block *b = &space->blocks[i];
        for (int j = 0; j < b->nq; j++)
            q[b->q + j] = 0;
        if (b->rotation >= 0)
            q[b->q + vector_size(b)] = 1;
    }
}
