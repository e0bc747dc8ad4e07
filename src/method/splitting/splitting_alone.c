/* The accelerations of blocks that explicit forces alone act on; see splitting_own.h. Four rigid
 * bodies at a time are lanes of vectors. */
#include "base/target.h"
#include "base/vector3.h"
#include "linalg/dense.h"
#include "linalg/lanes.h"
#include "method/splitting/splitting_own.h"

#include <string.h>

/* ---- damping of a block -----------------------------------------------------------------------
 */

void nt_splitting_clear_damping(const nt_splitting_own *own)
{
    enum { N = NT_SPLITTING_DAMPED };
    for (int k = 0; k < own->n_alone; k++) {
        const int *entry = own->entries + N * N * k;
        for (int i = 0; i < 4 && own->in_parts[k]; i++)
            memset(own->damping.values + entry[3 * N * (i / 2) + 3 * (i % 2)], 0,
                   9 * sizeof(double));
        for (int i = 0; i < N * N && !own->in_parts[k]; i++)
            if (entry[i] >= 0)
                own->damping.values[entry[i]] = 0;
    }
}

int nt_splitting_damped(const nt_splitting_own *own, int k, int colour)
{
    int n = own->whole->space.blocks[own->alone[k]].nv;
    return own->colour[k] == colour && n <= NT_SPLITTING_DAMPED ? n : 0;
}

void nt_splitting_add_damping(const nt_splitting_own *own, int k, const nt_matrix *matrix)
{
    enum { N = NT_SPLITTING_DAMPED };
    const int *entry = own->entries + N * N * k;
    for (int i = 0; i < N * N; i++) /* a single number of a packed pattern has three places */
        if (entry[i] >= 0 && (i < N + 1 || entry[i] != entry[i - N - 1]))
            matrix->values[entry[i]] += own->damping.values[entry[i]];
}

void nt_splitting_apply_damping(const nt_splitting_own *own, int k, double factor, const double *x,
                                double *y)
{
    enum { N = NT_SPLITTING_DAMPED };
    const int *entry = own->entries + N * N * k;
    int first = own->whole->space.blocks[own->alone[k]].v;
    for (int i = 0; i < N * N; i++)
        if (entry[i] >= 0)
            y[first + i / N] += factor * own->damping.values[entry[i]] * x[first + i % N];
}

/* ---- one block --------------------------------------------------------------------------------
 */

/* M a = f of a block. */
static nt_status splitting_solve_mass(const nt_problem *p, const nt_block *block, const double *f,
                                      double *a)
{
    const nt_momenta *momenta = p->system->momenta;
    int plain = block->rotation < 0 ? block->nv : block->nv - 3;
    for (int i = block->v; i < block->v + plain; i++) {
        if (!(momenta->mass[i] > 0))
            return NT_SINGULAR;
        a[i] = f[i] / momenta->mass[i];
    }
    if (block->rotation < 0)
        return NT_OK;
    const double *J = momenta->inertia + 9 * (size_t)block->rotation;
    int r = block->v + plain;
    if (nt_splitting_is_spherical(J)) {
        for (int i = r; i < r + 3 && J[0] > 0; i++)
            a[i] = f[i] / J[0];
        return J[0] > 0 ? NT_OK : NT_SINGULAR;
    }
    v3 turn = m3_solve(m3_load(J), v3_load(f + r));
    v3_store(a + r, turn);
    return isfinite(turn.x + turn.y + turn.z) ? NT_OK : NT_SINGULAR;
}

/* Solves for one block, with pivots. */
static nt_status splitting_solve_damped(const nt_splitting_own *own, int k, const double *f,
                                        const double *a_p, double *a)
{
    enum { N = NT_SPLITTING_DAMPED };
    const nt_problem *p = own->whole;
    const nt_momenta *momenta = p->system->momenta;
    const nt_block *block = &p->space.blocks[own->alone[k]];
    int n = block->nv, plain = block->rotation < 0 ? n : n - 3, pivot[N];
    double S[N * N], d[N];
    for (int i = 0; i < n; i++) {
        const int *entry = own->entries + N * N * k + N * i;
        double Ma = 0;
        for (int j = 0; j < n; j++) {
            double M = 0;
            if (i < plain)
                M = i == j ? momenta->mass[block->v + i] : 0;
            else if (j >= plain)
                M = momenta->inertia[9 * block->rotation + 3 * (i - plain) + j - plain];
            Ma += M * a_p[block->v + j];
            S[n * i + j] = M + (entry[j] >= 0 ? own->damping.values[entry[j]] : 0);
        }
        d[i] = f[block->v + i] - Ma;
    }
    if (nt_dense_factor(n, S, pivot) >= 0)
        return NT_SINGULAR;
    nt_dense_solve(n, S, pivot, d);
    for (int i = 0; i < n; i++)
        a[block->v + i] = a_p[block->v + i] + d[i];
    return NT_OK;
}

/* ---- four rigid bodies ------------------------------------------------------------------------
 *
 * (M + h/2 D) d = f - M a_p,  a = a_p + d. Elimination without pivots: M is symmetric and positive,
 * and what D adds takes energy but for a small part. Where a pivot is lost nevertheless the blocks
 * are solved one by one. */

enum { LANES = 4, SIX = NT_SPLITTING_DAMPED };

typedef struct group {
    lanes S[SIX][SIX], d[SIX], pivot[SIX];
} group;

/* A pivot below this part of its diagonal entry counts as lost. */
static const double LOST = 1e-6;

/* d becomes S^-1 d; pivot: what was left of each diagonal entry. */
NT_WIDE static void splitting_eliminate(group *restrict g)
{
    lanes inverse[SIX];
    for (int k = 0; k < SIX; k++)
        g->pivot[k] = g->S[k][k];
    for (int k = 0; k < SIX; k++) {
        inverse[k] = 1 / g->S[k][k];
        g->pivot[k] = g->S[k][k] / g->pivot[k];
        for (int i = k + 1; i < SIX; i++) {
            lanes factor = g->S[i][k] * inverse[k];
            for (int j = k + 1; j < SIX; j++)
                g->S[i][j] -= factor * g->S[k][j];
            g->d[i] -= factor * g->d[k];
        }
    }
    for (int i = SIX - 1; i >= 0; i--) {
        for (int j = i + 1; j < SIX; j++)
            g->d[i] -= g->S[i][j] * g->d[j];
        g->d[i] *= inverse[i];
    }
}

/* Block k of those that are alone becomes lane l. */
static void splitting_fill_lane(const nt_splitting_own *own, int k, const double *explicit,
                                const double *a_p, group *g, int l)
{
    const nt_momenta *momenta = own->whole->system->momenta;
    const nt_block *block = &own->whole->space.blocks[own->alone[k]];
    const double *mass = momenta->mass + block->v, *J = momenta->inertia + 9 * block->rotation;
    const int *entry = own->entries + SIX * SIX * k;
    const double *f = explicit + block->v, *guess = a_p + block->v;
    double *S = (double *)(void *)g->S + l, *d = (double *)(void *)g->d + l;
    for (int part = 0; part < 4; part++) {
        int first = SIX * 3 * (part / 2) + 3 * (part % 2);
        const double *from = own->damping.values + entry[first];
        double *to = S + LANES * first;
        for (int i = 0; i < 3; i++, from += 3, to += LANES * SIX)
            to[0] = from[0], to[LANES] = from[1], to[2 * LANES] = from[2];
    }
    for (int i = 0; i < 3; i++, J += 3) {
        double *row = S + LANES * (SIX * (3 + i) + 3);
        row[0] += J[0], row[LANES] += J[1], row[2 * LANES] += J[2];
        S[LANES * (SIX + 1) * i] += mass[i];
        d[LANES * i] = -f[i] - mass[i] * guess[i];
        d[LANES * (3 + i)] = -f[3 + i] - (J[0] * guess[3] + J[1] * guess[4] + J[2] * guess[5]);
    }
}

/* Blocks first to first + n - 1, rigid bodies; lanes that are left over repeat the last. Whether it
 * found all of them. */
static bool splitting_solve_group(const nt_splitting_own *own, int first, int n,
                                  const double *explicit, const double *a_p, double *a)
{
    group g;
    bool found = true;
    for (int l = 0; l < LANES; l++)
        splitting_fill_lane(own, first + (l < n ? l : n - 1), explicit, a_p, &g, l);
    splitting_eliminate(&g);
    const double *pivot = (const double *)(const void *)g.pivot;
    for (int k = 0; k < SIX * LANES; k++)
        found &= pivot[k] > LOST;
    for (int l = 0; l < n && found; l++) {
        int v = own->whole->space.blocks[own->alone[first + l]].v;
        const double *d = (const double *)(const void *)g.d + l;
        for (int i = 0; i < SIX; i++)
            a[v + i] = a_p[v + i] + d[LANES * i];
    }
    return found;
}

/* ---- all of them ------------------------------------------------------------------------------
 */

nt_status nt_splitting_solve_alone(const nt_splitting_own *own, const double *explicit,
                                   const double *a_p, double *a)
{
    const nt_problem *p = own->whole;
    nt_status status = NT_OK;
    for (int k = 0; k < own->n_alone && status == NT_OK;) {
        int n = 0;
        while (a_p && n < LANES && k + n < own->n_alone && own->in_parts[k + n])
            n++;
        if (n > 0 && splitting_solve_group(own, k, n, explicit, a_p, a)) {
            k += n;
            continue;
        }
        for (int end = k + (n > 0 ? n : 1); k < end && status == NT_OK; k++) {
            const nt_block *block = &p->space.blocks[own->alone[k]];
            for (int i = block->v; i < block->v + block->nv; i++)
                a[i] = -explicit[i];
            status = a_p && block->nv <= NT_SPLITTING_DAMPED
                         ? splitting_solve_damped(own, k, a, a_p, a)
                         : splitting_solve_mass(p, block, a, a);
        }
    }
    return status;
}
