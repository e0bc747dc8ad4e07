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
        for (int i = 0; i < 2 && own->in_parts[k]; i++) {
            double *left = own->damping.values + entry[3 * N * i];
            double *right = own->damping.values + entry[3 * N * i + 3];
            memset(left, 0, 9 * sizeof *left);
            memset(right, 0, 9 * sizeof *right);
        }
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

enum { LANES = NT_SPLITTING_LANES, SIX = NT_SPLITTING_DAMPED };

typedef struct group {
    lanes S[SIX][SIX], d[SIX];
    lanes_mask kept; /* true: no pivot was lost */
} group;

/* A pivot below this part of its diagonal entry counts as lost. */
static const double LOST = 1e-6;

/* S = M + h/2 D,  d = f - M a_p */
NT_WIDE static void splitting_fill(const nt_splitting_group *from, const double *f,
                                   const double *a_last, group *restrict g)
{
    const int *v = from->v;
    const double *const force[LANES] = {f + v[0], f + v[1], f + v[2], f + v[3]};
    const double *const rate[LANES] = {a_last + v[0], a_last + v[1], a_last + v[2], a_last + v[3]};
    lanes block[9], J[9], mass[3], explicit[SIX], a_p[SIX];
    lanes_beside(9, from->J, 1, (double *)(void *)J);
    lanes_beside(3, from->mass, 1, (double *)(void *)mass);
    lanes_beside(SIX, force, 1, (double *)(void *)explicit);
    lanes_beside(SIX, rate, 1, (double *)(void *)a_p);
    for (int part = 0; part < 4; part++) {
        lanes_beside(9, from->D[part], 1, (double *)(void *)block);
        for (int k = 0; k < 9; k++)
            g->S[part / 2 * 3 + k / 3][part % 2 * 3 + k % 3] = block[k];
    }
    for (int i = 0; i < 3; i++) {
        g->S[i][i] += mass[i];
        g->d[i] = -explicit[i] - mass[i] * a_p[i];
        for (int j = 0; j < 3; j++)
            g->S[3 + i][3 + j] += J[3 * i + j];
        g->d[3 + i] =
            -explicit[3 + i] - (J[3 * i] * a_p[3] + J[3 * i + 1] * a_p[4] + J[3 * i + 2] * a_p[5]);
    }
}

/* d becomes S^-1 d. */
NT_WIDE static void splitting_eliminate(group *restrict g)
{
    lanes inverse[SIX], diagonal[SIX];
    for (int k = 0; k < SIX; k++)
        diagonal[k] = g->S[k][k];
    g->kept = (lanes_mask){-1, -1, -1, -1};
    for (int k = 0; k < SIX; k++) {
        inverse[k] = 1 / g->S[k][k];
        g->kept &= g->S[k][k] / diagonal[k] > LOST;
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

/* Whether it found all of them. */
static bool splitting_solve_group(const nt_splitting_group *bodies, const double *explicit,
                                  const double *a_p, double *a)
{
    group g;
    splitting_fill(bodies, explicit, a_p, &g);
    splitting_eliminate(&g);
    bool found = g.kept[0] && g.kept[1] && g.kept[2] && g.kept[3];
    for (int l = 0; l < bodies->n && found; l++) {
        int v = bodies->v[l];
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
    for (int k = 0, i = 0; k < own->n_alone && status == NT_OK;) {
        const nt_splitting_group *bodies =
            a_p && i < own->n_groups && own->groups[i].first == k ? &own->groups[i++] : NULL;
        int end = k + (bodies ? bodies->n : 1);
        if (bodies && splitting_solve_group(bodies, explicit, a_p, a)) {
            k = end;
            continue;
        }
        for (; k < end && status == NT_OK; k++) {
            const nt_block *block = &p->space.blocks[own->alone[k]];
            for (int j = block->v; j < block->v + block->nv; j++)
                a[j] = -explicit[j];
            status = a_p && block->nv <= NT_SPLITTING_DAMPED
                         ? splitting_solve_damped(own, k, a, a_p, a)
                         : splitting_solve_mass(p, block, a, a);
        }
    }
    return status;
}
