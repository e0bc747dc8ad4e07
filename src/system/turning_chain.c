/* Chains of nodes whose factors are kept; see turning_chain.h. */
#include "system/turning_chain.h"

#include "base/target.h"

#include <stdlib.h>

/* A node with the piece that leads to it from the one before. */
typedef struct piece {
    int at, block; /* first of its six unknowns */
    bool first;    /* of its chain: Q is its own rotation, and there is no piece */
    m3 Q;
    v3 c_then, c_now; /* half of the piece, where the factors were made and at the point */
    m3 R_then, R_now; /* axes of its rotations, in the body frame */
} piece;

struct nt_chains {
    piece *piece; /* [n] chain after chain, each from its first node on */
    int n;
    bool in_body; /* rotations are in axes of the node */
};

/* Can the block be in a chain: are its unknowns two nodes of three? of_three[nv]: where such nodes
 * begin. */
static bool is_jointed(const nt_block *block, const bool *of_three)
{
    return block->kind == NT_R3SO3 && of_three[block->v] && of_three[block->v + 3];
}

static void find_nodes_of_three(const nt_pattern *pattern, bool *of_three)
{
    for (int node = 0; node < pattern->n_primary; node++) {
        int at = pattern->node_start[node];
        of_three[at] = pattern->node_start[node + 1] - at == 3;
    }
}

nt_status nt_chains_take(nt_chains **out, nt_arena *arena, const nt_problem *problem, bool *chained)
{
    const int *carrier = problem->system->carriers;
    int n = problem->space.n_blocks, count = 0;
    nt_chains *c = NT_TAKE(arena, 1, nt_chains);
    piece *pieces = NT_TAKE(arena, n, piece);
    bool *of_three = calloc((size_t)problem->n + 1, sizeof *of_three);
    if (!c || !pieces || !of_three) {
        free(of_three);
        return NT_NO_MEMORY;
    }
    find_nodes_of_three(problem->pattern, of_three);
    for (int b = 0; b < n;) {
        int end = b + 1;
        while (end < n && carrier[b] == b && carrier[end] == b)
            end++;
        bool whole = end > b + 1 && problem->frame != NT_SE3;
        for (int k = b; k < end; k++)
            whole = whole && is_jointed(&problem->space.blocks[k], of_three);
        for (int k = b; k < end; k++) {
            chained[k] = whole;
            if (whole)
                pieces[count++] =
                    (piece){.at = problem->space.blocks[k].v, .block = k, .first = k == b};
        }
        b = end;
    }
    free(of_three);
    *c = (nt_chains){.piece = pieces, .n = count, .in_body = problem->frame == NT_BODY};
    *out = count > 0 ? c : NULL;
    return NT_OK;
}

/* ---- rotations ------------------------------------------------------------------------------- */

/* Half-way from A to B, which are near each other: the rotation next to their mean. One step of
 * Newton's iteration for the polar factor, X (3 - X^T X)/2, is good to the fourth power of the
 * angle between them. */
static m3 half_way(m3 A, m3 B)
{
    m3 X = m3_scale(0.5, m3_add(A, B));
    m3 S = m3_multiply(m3_transpose(X), X);
    S = m3_scale(-0.5, S);
    S.xx += 1.5, S.yy += 1.5, S.zz += 1.5;
    return m3_multiply(X, S);
}

NT_HOT void nt_chains_find(nt_chains *chains, const nt_problem *problem, const m3 *Q,
                           const double *then, const double *q)
{
    for (int i = 0; chains && i < chains->n; i++) {
        piece *p = &chains->piece[i];
        const nt_block *block = &problem->space.blocks[p->block];
        p->Q = Q[p->block];
        if (chains->in_body) {
            p->R_then = quat_matrix(quat_load(then + block->q + 3));
            p->R_now = quat_matrix(quat_load(q + block->q + 3));
        }
        if (p->first)
            continue;
        const nt_block *before = &problem->space.blocks[p->block - 1];
        p->Q = half_way(Q[p->block - 1], Q[p->block]);
        p->c_then = v3_scale(0.5, v3_sub(v3_load(then + block->q), v3_load(then + before->q)));
        p->c_now = v3_scale(0.5, v3_sub(v3_load(q + block->q), v3_load(q + before->q)));
    }
}

/* ---- solving --------------------------------------------------------------------------------- */

/* From the outermost node in: force and moment that pass, at the new place and at the old one. What
 * nodes bear there is the difference of what passes on both sides of them. */
NT_HOT static void turn_forces(const nt_chains *chains, double *z)
{
    const v3 zero = v3_of(0, 0, 0);
    v3 F = zero, M = zero, F_then = zero, M_then = zero;
    for (int i = chains->n - 1; i >= 0; i--) {
        const piece *p = &chains->piece[i];
        v3 force = v3_load(z + p->at), moment = v3_load(z + p->at + 3);
        F = v3_add(F, force);
        M = v3_add(M, chains->in_body ? m3_apply(p->R_now, moment) : moment);
        if (!p->first)
            M = v3_add(M, v3_cross(p->c_now, F)); /* about the middle */
        v3 passing = m3_apply_transposed(p->Q, F), bending = m3_apply_transposed(p->Q, M);
        v3 lever = p->first ? zero : v3_cross(p->c_then, passing);
        moment = v3_sub(v3_sub(bending, lever), M_then);
        v3_store(z + p->at, v3_sub(passing, F_then));
        v3_store(z + p->at + 3, chains->in_body ? m3_apply_transposed(p->R_then, moment) : moment);
        F_then = passing, M_then = v3_add(bending, lever);
        if (p->first)
            F = M = F_then = M_then = zero;
        else
            M = v3_add(M, v3_cross(p->c_now, F));
    }
}

/* From the first node out: what pieces are deformed by is added up. */
NT_HOT static void turn_displacements(const nt_chains *chains, double *z)
{
    const v3 zero = v3_of(0, 0, 0);
    v3 x = zero, theta = zero, x_then = zero, theta_then = zero;
    for (int i = 0; i < chains->n; i++) {
        const piece *p = &chains->piece[i];
        v3 x_new = v3_load(z + p->at), theta_new = v3_load(z + p->at + 3);
        if (chains->in_body)
            theta_new = m3_apply(p->R_then, theta_new);
        if (p->first) {
            x = m3_apply(p->Q, x_new);
            theta = m3_apply(p->Q, theta_new);
        } else {
            v3 u =
                v3_sub(v3_sub(x_new, x_then), v3_cross(v3_add(theta_then, theta_new), p->c_then));
            v3 outer = v3_add(theta, m3_apply(p->Q, v3_sub(theta_new, theta_then)));
            x = v3_add(v3_add(x, m3_apply(p->Q, u)), v3_cross(v3_add(theta, outer), p->c_now));
            theta = outer;
        }
        x_then = x_new, theta_then = theta_new;
        v3_store(z + p->at, x);
        v3_store(z + p->at + 3, chains->in_body ? m3_apply_transposed(p->R_now, theta) : theta);
    }
}

void nt_chains_turn(const nt_chains *chains, bool after, double *z)
{
    if (!chains)
        return;
    if (after)
        turn_displacements(chains, z);
    else
        turn_forces(chains, z);
}
