/* All eigenvalues of small problems, in independent coordinates (reduce.h). Where C = 0 and there
 * are no nonholonomic rows the problem is K p = -s^2 M p, symmetric in most models.
 *
 * Displacements that nothing resists give eigenvalues zero in Jordan blocks, which rounding would
 * scatter by its square root and more. So they are split off first: with N a nt_basis of the null
 * space of A and V of its complement, (N V)^T A (N V) = [0 N^T A V; 0 V^T A V], and so on with V^T
 * A V while it is singular. All transformations are orthogonal. */
#include "analysis/lapack.h"
#include "analysis/pairs.h"
#include "analysis/reduce.h"
#include "base/error.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- pairs ------------------------------------------------------------------------------------
 */

/* The multipliers that the displacements of a pair need: least squares of the rows of motion. */
static void add_multipliers(const nt_reduced *r, double sr, double si, double *xr, double *xi,
                            double *scratch)
{
    int nv = r->pencil->nv, n = r->pencil->n;
    double *rr = scratch, *ri = scratch + nv, pr = 1, pi = 0;
    memset(scratch, 0, 2 * (size_t)nv * sizeof *scratch);
    for (int k = 0; k < 3; k++) {
        for (int j = 0; j < nv; j++) {
            double yr = xr[j] * r->weight[j], yi = xi[j] * r->weight[j];
            double cr = pr * yr - pi * yi, ci = pr * yi + pi * yr;
            const double *column = r->full[k].a + (size_t)j * (size_t)n;
            for (int i = 0; i < nv; i++)
                rr[i] += column[i] * cr, ri[i] += column[i] * ci;
        }
        double next = pr * sr - pi * si;
        pi = pr * si + pi * sr, pr = next;
    }
    nt_reduced_forces(r, rr, xr + nv, scratch + 2 * nv);
    nt_reduced_forces(r, ri, xi + nv, scratch + 2 * nv);
}

/* One more pair from coordinates p[f] = (pr, pi); pi may be NULL. */
static nt_status add_pair(const nt_reduced *r, double sr, double si, const double *pr,
                          const double *pi, nt_pairs *pairs)
{
    int nv = r->pencil->nv, n = r->pencil->n;
    double *scratch = malloc(4 * (size_t)n * sizeof *scratch + 1);
    if (!scratch)
        return NT_NO_MEMORY;
    double *x = pairs->x + 2 * (size_t)pairs->n * (size_t)n;
    memset(x, 0, 2 * (size_t)n * sizeof *x);
    for (int part = 0; part < (pi ? 2 : 1); part++)
        for (int j = 0; j < r->f; j++) {
            double c = part ? pi[j] : pr[j];
            const double *z = nt_entry(&r->Z, 0, j);
            for (int i = 0; i < nv; i++)
                x[part * n + i] += z[i] * c;
        }
    for (int i = 0; i < nv; i++)
        x[i] /= r->weight[i], x[n + i] /= r->weight[i];
    pairs->s[2 * pairs->n] = sr, pairs->s[2 * pairs->n + 1] = si;
    pairs->n++;
    add_multipliers(r, sr, si, x, x + n, scratch);
    free(scratch);
    return NT_OK;
}

/* ---- symmetric: K p = -s^2 M p ------------------------------------------------------------------
 */

/* What rounding leaves of symmetry, relative to the largest entry. */
static const double ASYMMETRY = 1e-9;

static bool is_symmetric(const nt_columns *a)
{
    double size = 0, off = 0;
    for (int j = 0; j < a->columns; j++)
        for (int i = 0; i < a->rows; i++) {
            size = fmax(size, fabs(*nt_entry(a, i, j)));
            off = fmax(off, fabs(*nt_entry(a, i, j) - *nt_entry(a, j, i)));
        }
    return off <= ASYMMETRY * size;
}

static nt_columns symmetrised(nt_arena *arena, const nt_columns *a)
{
    nt_columns out = nt_columns_take(arena, a->rows, a->columns);
    for (int j = 0; out.a && j < a->columns; j++)
        for (int i = 0; i < a->rows; i++)
            *nt_entry(&out, i, j) = (*nt_entry(a, i, j) + *nt_entry(a, j, i)) / 2;
    return out;
}

/* Eigenvalues K p = w M p, rising; vectors in K, M spoiled. done: false where M is not positive
 * definite. */
static nt_status solve_symmetric(nt_arena *arena, nt_columns *K, nt_columns *M, double *w,
                                 bool *done)
{
    int n = K->rows, type = 1, info = 0, room = 64 * n + 64;
    double *work = NT_TAKE(arena, room, double);
    *done = false;
    if (!work)
        return NT_NO_MEMORY;
    if (n > 0)
        dsygv_(&type, "V", "U", &n, K->a, &n, M->a, &n, w, work, &room, &info, 1, 1);
    if (info > n)
        return NT_OK;
    *done = info == 0;
    return info == 0 ? NT_OK : NT_NOT_CONVERGED;
}

/* Whether K resists p by no more than its rounding. */
static bool is_free(const nt_columns *K, const double *p)
{
    double sum = 0, size = 0;
    for (int j = 0; j < K->columns; j++)
        for (int i = 0; i < K->rows; i++) {
            double term = p[i] * *nt_entry(K, i, j) * p[j];
            sum += term, size += fabs(term);
        }
    return fabs(sum) <= 8 * DBL_EPSILON * size;
}

/* Below this part of the largest eigenvalue they are found anew, from M p = (K + shift M)
 * p/(w + shift): rounding leaves the lowest few digits beside the largest, those of bending beside
 * stretch and shear in slender beams. */
static const double LOW_PART = 1e-6;

/* Nothing changes where K + shift M is not positive definite. */
static nt_status refine_low(const nt_reduced *r, double most, double *w, nt_columns *vectors)
{
    int n = r->f;
    bool done;
    double shift = NT_FREE_PART * most, *inverse = NT_TAKE(r->arena, n + 1, double);
    nt_columns K = symmetrised(r->arena, &r->K), M = symmetrised(r->arena, &r->M);
    if (!K.a || !M.a || !inverse)
        return NT_NO_MEMORY;
    for (int i = 0; i < n * n; i++)
        K.a[i] += shift * M.a[i];
    nt_status status = solve_symmetric(r->arena, &M, &K, inverse, &done);
    for (int i = 0; status == NT_OK && done && i < n && w[i] < LOW_PART * most; i++) {
        double *p = nt_entry(vectors, 0, i), largest = inverse[n - 1 - i];
        if (!(largest > 0))
            continue;
        memcpy(p, nt_entry(&M, 0, n - 1 - i), (size_t)n * sizeof *p);
        w[i] = is_free(&r->K, p) ? 0 : 1 / largest - shift;
    }
    return status;
}

/* done: false where M is not positive definite, and the general way must be taken. */
static nt_status find_symmetric(const nt_reduced *r, nt_pairs *pairs, bool *done)
{
    int n = r->f;
    nt_columns K = symmetrised(r->arena, &r->K), M = symmetrised(r->arena, &r->M);
    double *w = NT_TAKE(r->arena, n + 1, double), most = 0;
    *done = false;
    if (!K.a || !M.a || !w)
        return NT_NO_MEMORY;
    nt_status status = solve_symmetric(r->arena, &K, &M, w, done);
    if (status != NT_OK || !*done)
        return status;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(w[i]));
    bool low = n > 0 && w[0] < LOW_PART * most;
    if (low)
        status = refine_low(r, most, w, &K);
    for (int i = 0; i < n && status == NT_OK; i++) {
        const double *p = nt_entry(&K, 0, i);
        double root = sqrt(fabs(w[i]));
        if (w[i] == 0 || is_free(&r->K, p))
            status = add_pair(r, 0, 0, p, NULL, pairs);
        else if (w[i] > 0)
            status = add_pair(r, 0, root, p, NULL, pairs);
        else if ((status = add_pair(r, -root, 0, p, NULL, pairs)) == NT_OK)
            status = add_pair(r, root, 0, p, NULL, pairs);
    }
    return status;
}

/* ---- general: E x' = A x
 * -------------------------------------------------------------------------- */

/* Time is measured in units tau = 1/size, so that both halves of A are of one size. */
static nt_status state_matrices(const nt_reduced *r, nt_columns *E, nt_columns *A)
{
    nt_columns Mr, Kp, Cs;
    int f = r->f, d = r->d;
    double tau = 1 / r->pencil->size, m = 0;
    nt_status status = nt_reduced_blocks(r, &Mr, &Kp, &Cs);
    if (status != NT_OK)
        return status;
    *E = nt_columns_identity(r->arena, f + d);
    *A = nt_columns_take(r->arena, f + d, f + d);
    if (!E->a || !A->a)
        return NT_NO_MEMORY;
    for (int i = 0; i < d * d; i++)
        m = fmax(m, fabs(Mr.a[i]));
    m = m > 0 ? m : 1;
    for (int j = 0; j < f + d; j++)
        for (int i = 0; i < f; i++)
            *nt_entry(A, i, j) = j < f ? -tau * *nt_entry(&r->P, i, j) : *nt_entry(&r->Y, i, j - f);
    for (int j = 0; j < f + d; j++)
        for (int i = 0; i < d; i++) {
            *nt_entry(A, f + i, j) =
                j < f ? -tau * tau / m * *nt_entry(&Kp, i, j) : -tau / m * *nt_entry(&Cs, i, j - f);
            if (j >= f)
                *nt_entry(E, f + i, j) = *nt_entry(&Mr, i, j - f) / m;
        }
    return NT_OK;
}

/* A := E^-1 A; false where E is singular as far as can be told. */
static nt_status divide(nt_arena *arena, const nt_columns *E, nt_columns *A, bool *done)
{
    int n = A->rows, info = 0, room = 64 * n + 64;
    nt_basis b;
    nt_status status = nt_basis_find(arena, E, 1e-13, &b);
    *done = status == NT_OK && b.rank == n;
    if (!*done)
        return status;
    nt_columns copy = nt_columns_take(arena, n, n);
    int *pivots = NT_TAKE(arena, room, int);
    if (!copy.a || !pivots)
        return NT_NO_MEMORY;
    memcpy(copy.a, E->a, (size_t)n * (size_t)n * sizeof *copy.a);
    dgesv_(&n, &n, copy.a, &n, pivots, A->a, &n, &info);
    *done = info == 0;
    return NT_OK;
}

/* One stage of splitting zeros off: A = V^T A V of the stage before. */
typedef struct stage {
    nt_columns N, V, NAV;
} stage;

enum { MOST_STAGES = 8 };

static nt_status split_zeros(nt_arena *arena, nt_columns *A, stage *stages, int *n_stages)
{
    nt_status status = NT_OK;
    for (*n_stages = 0; *n_stages < MOST_STAGES && A->rows > 0; ++*n_stages) {
        nt_basis b;
        nt_columns T = nt_columns_transposed(arena, A);
        if (!T.a || (status = nt_basis_find(arena, &T, NT_FREE_PART, &b)) != NT_OK)
            return T.a ? status : NT_NO_MEMORY;
        if (b.rank == A->rows)
            return NT_OK;
        stage *s = &stages[*n_stages];
        s->V = nt_basis_range(&b), s->N = nt_basis_complement(&b);
        nt_columns AV = nt_columns_product(arena, false, A, &s->V);
        s->NAV = nt_columns_product(arena, true, &s->N, &AV);
        nt_columns next = nt_columns_product(arena, true, &s->V, &AV);
        if (!AV.a || !s->NAV.a || !next.a)
            return NT_NO_MEMORY;
        *A = next;
    }
    return NT_OK;
}

/* An eigenvector of the last A, u = (ur, ui) with s = (sr, si), to one of the first:
 * x = N (1/s) (N^T A V) u + V u. In and out in x[2][rows]. */
static nt_status join_zeros(nt_arena *arena, const stage *stages, int n_stages, double sr,
                            double si, double *x, int rows)
{
    for (int k = n_stages - 1; k >= 0; k--) {
        const stage *s = &stages[k];
        int m = s->V.columns, n = s->V.rows, z = s->N.columns;
        double *u = NT_TAKE(arena, 2 * (m + n + z), double), size = sr * sr + si * si;
        if (!u)
            return NT_NO_MEMORY;
        double *a = u + 2 * m, *y = a + 2 * z;
        memcpy(u, x, (size_t)m * sizeof *u);
        memcpy(u + m, x + rows, (size_t)m * sizeof *u);
        for (int part = 0; part < 2; part++)
            for (int j = 0; j < m; j++)
                for (int i = 0; i < z; i++)
                    a[part * z + i] += *nt_entry(&s->NAV, i, j) * u[part * m + j];
        for (int i = 0; i < z; i++) { /* (ar + i ai)/(sr + i si) */
            double ar = a[i], ai = a[z + i];
            a[i] = (ar * sr + ai * si) / size, a[z + i] = (ai * sr - ar * si) / size;
        }
        for (int part = 0; part < 2; part++)
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < z; j++)
                    y[part * n + i] += *nt_entry(&s->N, i, j) * a[part * z + j];
                for (int j = 0; j < m; j++)
                    y[part * n + i] += *nt_entry(&s->V, i, j) * u[part * m + j];
            }
        memcpy(x, y, (size_t)n * sizeof *x);
        memcpy(x + rows, y + n, (size_t)n * sizeof *x);
    }
    return NT_OK;
}

/* Eigenvalues of A, or with E of the pencil; vectors[n][n]; beta 0 stands for an infinite one. */
static nt_status eigenvalues(nt_arena *arena, nt_columns *A, nt_columns *E, double *wr, double *wi,
                             double *beta, nt_columns *vectors)
{
    int n = A->rows, info = 0, room = 80 * n + 64, one = 1;
    double unused = 0, *work = NT_TAKE(arena, room, double);
    *vectors = nt_columns_take(arena, n, n);
    if (!work || !vectors->a)
        return NT_NO_MEMORY;
    for (int i = 0; i < n; i++)
        beta[i] = 1;
    if (n > 0 && !E)
        dgeev_("N", "V", &n, A->a, &n, wr, wi, &unused, &one, vectors->a, &n, work, &room, &info, 1,
               1);
    else if (n > 0)
        dggev_("N", "V", &n, A->a, &n, E->a, &n, wr, wi, beta, &unused, &one, vectors->a, &n, work,
               &room, &info, 1, 1);
    return info == 0 ? NT_OK : NT_NOT_CONVERGED;
}

static nt_status find_general(const nt_reduced *r, nt_pairs *pairs)
{
    nt_arena *arena = r->arena;
    nt_columns E, A, vectors;
    stage stages[MOST_STAGES];
    int n_stages = 0, rows = r->f + r->d;
    bool regular = false;
    nt_status status = state_matrices(r, &E, &A);
    if (status == NT_OK)
        status = divide(arena, &E, &A, &regular);
    if (status == NT_OK && regular)
        status = split_zeros(arena, &A, stages, &n_stages);
    double *w = NT_TAKE(arena, 3 * rows + 1, double), *x = NT_TAKE(arena, 2 * rows + 1, double);
    if (status == NT_OK && (!w || !x))
        status = NT_NO_MEMORY;
    int n = A.rows;
    double *wi = w + rows, *beta = w + 2 * rows;
    if (status == NT_OK)
        status = eigenvalues(arena, &A, regular ? NULL : &E, w, wi, beta, &vectors);
    for (int i = 0; n_stages > 0 && i < stages[0].N.columns && status == NT_OK; i++) {
        const double *p = nt_entry(&stages[0].N, 0, i);
        double size = 0;
        for (int k = 0; k < r->f; k++)
            size = fmax(size, fabs(p[k]));
        if (size > 1e-8) /* else a rate whose position is another coordinate's affair */
            status = add_pair(r, 0, 0, p, NULL, pairs);
    }
    for (int i = 0; i < n && status == NT_OK; i++) {
        if (wi[i] < 0 || fabs(beta[i]) <= DBL_EPSILON * n * hypot(w[i], wi[i]))
            continue;
        double sr = w[i] / beta[i], si = wi[i] / beta[i], tau = 1 / r->pencil->size;
        memset(x, 0, 2 * (size_t)rows * sizeof *x);
        memcpy(x, nt_entry(&vectors, 0, i), (size_t)n * sizeof *x);
        if (wi[i] > 0)
            memcpy(x + rows, nt_entry(&vectors, 0, i + 1), (size_t)n * sizeof *x);
        status = join_zeros(arena, stages, n_stages, sr, si, x, rows);
        if (status == NT_OK)
            status = add_pair(r, sr / tau, si / tau, x, x + rows, pairs);
    }
    return status;
}

nt_status nt_pairs_dense(const nt_pencil *pencil, nt_pairs *pairs, nt_error *error)
{
    nt_arena arena = {0};
    nt_reduced r;
    bool done = false;
    nt_status status = nt_reduce(&r, pencil, &arena);
    if (status == NT_OK)
        status = nt_pairs_take(pairs, 3 * r.f + 1, pencil->n);
    if (status == NT_OK && pencil->is_plain && pencil->problem->space.n_first == 0 &&
        is_symmetric(&r.K) && is_symmetric(&r.M))
        status = find_symmetric(&r, pairs, &done);
    if (status == NT_OK && !done)
        status = find_general(&r, pairs);
    nt_arena_free(&arena);
    return status == NT_OK ? NT_OK
                           : nt_fail(error, status, "no eigenvalues: %s", nt_status_text(status));
}
