/* Chains of nodes whose factors are kept; see turning_chain.h. */
#include "system/turning_chain.h"

#include "base/target.h"
#include "linalg/four.h"

#include <stdlib.h>

enum { LANES = 4 };

/* A node of each of four chains, with the piece that leads to it from the one before. Behind the
 * end of a chain, and where there is none, all is zero. */
typedef struct pieces {
    int at[LANES], block[LANES]; /* first of the six unknowns, -1 where there is no node */
    four_m3 Q;                   /* of the first node its own rotation: there is no piece */
    four_v3 c_then, c_now; /* half of the piece, where the factors were made and at the point */
    four_m3 R_then, R_now; /* axes of the node's rotations, in the body frame */
} pieces;

/* Four chains side by side, from their first nodes on. */
typedef struct bundle {
    pieces *piece; /* [n] */
    int n;         /* nodes of the longest */
} bundle;

struct nt_chains {
    bundle *bundle; /* [n] */
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

/* Whether the blocks from `first` on that one block carries, it itself, are a chain; *end: behind
 * them. */
static bool is_chain(const nt_problem *problem, const bool *of_three, int first, int *end)
{
    const int *carrier = problem->system->carriers;
    int last = first + 1;
    while (last < problem->space.n_blocks && carrier[first] == first && carrier[last] == first)
        last++;
    bool whole = last > first + 1 && problem->frame != NT_SE3;
    for (int k = first; k < last; k++)
        whole = whole && is_jointed(&problem->space.blocks[k], of_three);
    *end = last;
    return whole;
}

/* Puts chains into lanes, as far as these have been taken, and counts the nodes of the longest of
 * each bundle. */
static void list_chains(nt_chains *c, const nt_problem *problem, const bool *of_three,
                        bool *chained)
{
    int count = 0;
    for (int first = 0, end; first < problem->space.n_blocks; first = end) {
        bool whole = is_chain(problem, of_three, first, &end);
        for (int k = first; k < end; k++)
            chained[k] = whole;
        if (!whole)
            continue;
        bundle *to = &c->bundle[count / LANES];
        int lane = count++ % LANES;
        to->n = end - first > to->n ? end - first : to->n;
        for (int k = first; to->piece && k < end; k++) {
            to->piece[k - first].at[lane] = problem->space.blocks[k].v;
            to->piece[k - first].block[lane] = k;
        }
    }
    c->n = (count + LANES - 1) / LANES;
}

nt_status nt_chains_take(nt_chains **out, nt_arena *arena, const nt_problem *problem, bool *chained)
{
    nt_chains *c = NT_TAKE(arena, 1, nt_chains);
    bool *of_three = calloc((size_t)problem->n + 1, sizeof *of_three);
    nt_status status = NT_NO_MEMORY;
    if (!c || !of_three || !(c->bundle = NT_TAKE(arena, problem->space.n_blocks + 1, bundle)))
        goto done;
    c->in_body = problem->frame == NT_BODY;
    find_nodes_of_three(problem->pattern, of_three);
    list_chains(c, problem, of_three, chained);
    for (int i = 0; i < c->n; i++) {
        if (!(c->bundle[i].piece = NT_TAKE(arena, c->bundle[i].n, pieces)))
            goto done;
        for (int k = 0; k < c->bundle[i].n; k++)
            for (int l = 0; l < LANES; l++)
                c->bundle[i].piece[k].at[l] = -1;
    }
    list_chains(c, problem, of_three, chained);
    *out = c->n > 0 ? c : NULL;
    status = NT_OK;
done:
    free(of_three);
    return status;
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

static void put_vector(four_v3 *to, int l, v3 a) { to->x[l] = a.x, to->y[l] = a.y, to->z[l] = a.z; }
static void put_matrix(four_m3 *to, int l, m3 a)
{
    to->xx[l] = a.xx, to->xy[l] = a.xy, to->xz[l] = a.xz;
    to->yx[l] = a.yx, to->yy[l] = a.yy, to->yz[l] = a.yz;
    to->zx[l] = a.zx, to->zy[l] = a.zy, to->zz[l] = a.zz;
}

/* The piece in a lane that leads to a block. */
static void find_piece(pieces *p, int l, bool first, bool in_body, const nt_block *block,
                       const m3 *Q, const double *then, const double *q)
{
    if (in_body) {
        put_matrix(&p->R_then, l, quat_matrix(quat_load(then + block->q + 3)));
        put_matrix(&p->R_now, l, quat_matrix(quat_load(q + block->q + 3)));
    }
    if (first) {
        put_matrix(&p->Q, l, Q[0]);
        return;
    }
    int before = block[-1].q;
    put_matrix(&p->Q, l, half_way(Q[-1], Q[0]));
    put_vector(&p->c_then, l,
               v3_scale(0.5, v3_sub(v3_load(then + block->q), v3_load(then + before))));
    put_vector(&p->c_now, l, v3_scale(0.5, v3_sub(v3_load(q + block->q), v3_load(q + before))));
}

NT_HOT void nt_chains_find(nt_chains *chains, const nt_problem *problem, const m3 *Q,
                           const double *then, const double *q)
{
    for (int i = 0; chains && i < chains->n; i++)
        for (int k = 0; k < chains->bundle[i].n; k++) {
            pieces *p = &chains->bundle[i].piece[k];
            for (int l = 0; l < LANES; l++)
                if (p->at[l] >= 0)
                    find_piece(p, l, k == 0, chains->in_body, &problem->space.blocks[p->block[l]],
                               &Q[p->block[l]], then, q);
        }
}

/* ---- solving --------------------------------------------------------------------------------- */

/* Six unknowns of each node are two vectors of four that overlap. */
NT_INLINE void load_nodes(const pieces *p, const double *z, four_v3 *x, four_v3 *theta)
{
    lanes a[LANES], b[LANES];
    for (int l = 0; l < LANES; l++) {
        a[l] = b[l] = (lanes){0};
        if (p->at[l] < 0)
            continue;
        a[l] = *(const lanes_anywhere *)(z + p->at[l]);
        b[l] = *(const lanes_anywhere *)(z + p->at[l] + 2);
    }
    lanes_transpose(a);
    lanes_transpose(b);
    *x = (four_v3){a[0], a[1], a[2]};
    *theta = (four_v3){b[1], b[2], b[3]};
}

NT_INLINE void store_nodes(const pieces *p, four_v3 x, four_v3 theta, double *z)
{
    lanes a[LANES] = {x.x, x.y, x.z, theta.x}, b[LANES] = {x.z, theta.x, theta.y, theta.z};
    lanes_transpose(a);
    lanes_transpose(b);
    for (int l = 0; l < LANES; l++) {
        if (p->at[l] < 0)
            continue;
        *(lanes_anywhere *)(z + p->at[l]) = a[l];
        *(lanes_anywhere *)(z + p->at[l] + 2) = b[l];
    }
}

/* From the outermost node in: force and moment that pass, at the new place and at the old one. What
 * nodes bear there is the difference of what passes on both sides of them. */
NT_HOT NT_WIDE static void turn_forces(const bundle *chains, bool in_body, double *z)
{
    const four_v3 zero = four_same(v3_of(0, 0, 0));
    four_v3 F = zero, M = zero, F_then = zero, M_then = zero;
    for (int i = chains->n - 1; i >= 0; i--) {
        const pieces *p = &chains->piece[i];
        four_v3 force, moment;
        load_nodes(p, z, &force, &moment);
        F = four_add(F, force);
        M = four_add(M, in_body ? four_apply(&p->R_now, moment) : moment);
        if (i > 0)
            M = four_add(M, four_cross(p->c_now, F)); /* about the middle */
        four_v3 passing = four_apply_transposed(&p->Q, F);
        four_v3 bending = four_apply_transposed(&p->Q, M);
        four_v3 lever = i > 0 ? four_cross(p->c_then, passing) : zero;
        moment = four_sub(four_sub(bending, lever), M_then);
        if (in_body)
            moment = four_apply_transposed(&p->R_then, moment);
        store_nodes(p, four_sub(passing, F_then), moment, z);
        F_then = passing, M_then = four_add(bending, lever);
        M = four_add(M, four_cross(p->c_now, F));
    }
}

/* From the first node out: what pieces are deformed by is added up. */
NT_HOT NT_WIDE static void turn_displacements(const bundle *chains, bool in_body, double *z)
{
    const four_v3 zero = four_same(v3_of(0, 0, 0));
    four_v3 x = zero, theta = zero, x_then = zero, theta_then = zero;
    for (int i = 0; i < chains->n; i++) {
        const pieces *p = &chains->piece[i];
        four_v3 x_new, theta_new;
        load_nodes(p, z, &x_new, &theta_new);
        if (in_body)
            theta_new = four_apply(&p->R_then, theta_new);
        if (i == 0) {
            x = four_apply(&p->Q, x_new);
            theta = four_apply(&p->Q, theta_new);
        } else {
            four_v3 u = four_sub(four_sub(x_new, x_then),
                                 four_cross(four_add(theta_then, theta_new), p->c_then));
            four_v3 outer = four_add(theta, four_apply(&p->Q, four_sub(theta_new, theta_then)));
            x = four_add(four_add(x, four_apply(&p->Q, u)),
                         four_cross(four_add(theta, outer), p->c_now));
            theta = outer;
        }
        x_then = x_new, theta_then = theta_new;
        store_nodes(p, x, in_body ? four_apply_transposed(&p->R_now, theta) : theta, z);
    }
}

void nt_chains_turn(const nt_chains *chains, bool after, double *z)
{
    for (int i = 0; chains && i < chains->n; i++)
        if (after)
            turn_displacements(&chains->bundle[i], chains->in_body, z);
        else
            turn_forces(&chains->bundle[i], chains->in_body, z);
}
