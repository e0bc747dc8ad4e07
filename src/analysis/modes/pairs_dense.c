/* All eigenvalues of small problems, in independent coordinates (reduce.h). Where C = 0 and there
 * are no nonholonomic rows the problem is K p = -s^2 M p, symmetric in most models.
 *
 * Displacements that nothing resists give eigenvalues zero in Jordan blocks, which rounding would
 * scatter by its square root and more. So they are split off first: with N a nt_basis of the null
 * space of A and V of its complement, (N V)^T A (N V) = [0 N^T A V; 0 V^T A V], and so on with V^T
 * A V while it is singular. All transformations are orthogonal. */
#include "analysis/lapack.h"
#include "analysis/modes/pairs.h"
#include "analysis/pencil/reduce.h"
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

/* What rounding leaves of x^T K x where nothing resists x, relative to the sizes of its terms. */
static const double NOTHING = 1e-13;

static bool is_free(const nt_columns *K, const double *x)
{
    double sum = 0, size = 0;
    for (int j = 0; j < K->columns; j++)
        for (int i = 0; i < K->rows; i++) {
            double term = x[i] * *nt_entry(K, i, j) * x[j];
            sum += term;
            size += fabs(term);
        }
    return fabs(sum) <= NOTHING * size;
}

/* Where stiffnesses are far apart, as of slender beams, rounding of the largest eigenvalues w hides
 * the smallest ones: these are found from M x = x (K + sigma M)/(w + sigma), in which they are the
 * largest, with sigma as small as K + sigma M can be made positive definite with. Those below the
 * geometric mean are put in place of w[n] ascending and of their vectors. */
static const double FAR_APART = 1e4;

static nt_status find_smallest(const nt_reduced *r, const nt_columns *K, const nt_columns *M,
                               double *w, nt_columns *vectors)
{
    int n = r->f, type = 1, info = 1, room = 64 * n + 64;
    double most = fmax(fabs(w[0]), fabs(w[n - 1])), sigma = DBL_EPSILON * most;
    nt_columns A = nt_columns_take(r->arena, n, n), B = nt_columns_take(r->arena, n, n);
    double *theta = NT_TAKE(r->arena, n, double), *work = NT_TAKE(r->arena, room, double);
    if (!A.a || !B.a || !theta || !work)
        return NT_NO_MEMORY;
    for (; info != 0 && sigma < most; sigma *= 10) {
        for (int i = 0; i < n * n; i++) {
            A.a[i] = M->a[i];
            B.a[i] = K->a[i] + sigma * M->a[i];
        }
        dsygv_(&type, "V", "U", &n, A.a, &n, B.a, &n, theta, work, &room, &info, 1, 1);
        if (info == 0)
            break;
    }
    if (info != 0 || !(theta[n - 1] > 0)) /* the small theta may be below 0 by rounding */
        return NT_OK;
    double least = 1 / theta[n - 1], middle = sqrt(least * most);
    for (int i = 0; i < n && w[i] + sigma < middle; i++) {
        int j = n - 1 - i; /* theta ascends */
        w[i] = 1 / theta[j] - sigma;
        memcpy(nt_entry(vectors, 0, i), nt_entry(&A, 0, j), (size_t)n * sizeof *A.a);
    }
    return NT_OK;
}

/* done: false where M is not positive definite, and the general way must be taken. */
static nt_status find_symmetric(const nt_reduced *r, nt_pairs *pairs, bool *done)
{
    int n = r->f, type = 1, info = 0, room = 64 * n + 64;
    nt_columns K = symmetrised(r->arena, &r->K), M = symmetrised(r->arena, &r->M);
    double *w = NT_TAKE(r->arena, n + 1, double), *work = NT_TAKE(r->arena, room, double);
    *done = false;
    if (!K.a || !M.a || !w || !work)
        return NT_NO_MEMORY;
    if (n > 0)
        dsygv_(&type, "V", "U", &n, K.a, &n, M.a, &n, w, work, &room, &info, 1, 1);
    if (info > n)
        return NT_OK;
    if (info != 0)
        return NT_NOT_CONVERGED;
    *done = true;
    double most = n > 0 ? fmax(fabs(w[0]), fabs(w[n - 1])) : 0;
    nt_status status = NT_OK;
    nt_columns stiffness = symmetrised(r->arena, &r->K), mass = symmetrised(r->arena, &r->M);
    if (!stiffness.a || !mass.a)
        return NT_NO_MEMORY;
    if (n > 0 && fabs(w[0]) < most / FAR_APART)
        status = find_smallest(r, &stiffness, &mass, w, &K);
    for (int i = 0; i < n && status == NT_OK; i++) {
        const double *p = nt_entry(&K, 0, i);
        double root = sqrt(fabs(w[i]));
        if (fabs(w[i]) < most / FAR_APART && is_free(&stiffness, p))
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
    if (!*done || n == 0) /* of no rows LAPACK would end the process */
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

/* `first`: before the division by E, which has the same null space with less rounding. */
static nt_status split_zeros(nt_arena *arena, const nt_columns *first, nt_columns *A, stage *stages,
                             int *n_stages)
{
    nt_status status = NT_OK;
    for (*n_stages = 0; *n_stages < MOST_STAGES && A->rows > 0; ++*n_stages) {
        nt_basis b;
        nt_columns T = nt_columns_transposed(arena, *n_stages == 0 ? first : A);
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

/* One eigenvalue with its vector, of a couple the upper one. */
typedef struct root {
    double sr, si, size;
    double *xr, *xi; /* xi NULL: real */
} root;

static int by_size(const void *a, const void *b)
{
    const root *p = a, *q = b;
    return p->size < q->size ? -1 : p->size > q->size;
}

/* The roots of what eigenvalues() found; `inverse`: of 1/s. Infinite ones are left out. */
static int take_roots(const double *wr, const double *wi, const double *beta,
                      const nt_columns *vectors, bool inverse, root *out)
{
    int n = vectors->columns, count = 0;
    for (int i = 0; i < n; i++) {
        double size = hypot(wr[i], wi[i]), b = beta[i];
        if (wi[i] < 0 || fabs(b) <= DBL_EPSILON * n * size || (inverse && !(size > 0)))
            continue;
        root *to = &out[count++];
        *to = (root){.xr = nt_entry(vectors, 0, i)};
        to->sr = inverse ? wr[i] / (size * size) : wr[i] / b;
        to->si = inverse ? wi[i] / (size * size) : wi[i] / b;
        to->size = hypot(to->sr, to->si);
        if (wi[i] > 0)
            to->xi = nt_entry(vectors, 0, i + 1);
    }
    return count;
}

static bool are_far_apart(const root *roots, int count)
{
    double least = (double)INFINITY, most = 0;
    for (int i = 0; i < count; i++) {
        least = fmin(least, roots[i].size);
        most = fmax(most, roots[i].size);
    }
    return least * FAR_APART < most;
}

/* Those far below the largest ones, which rounding of these hides, are found from A^-1, where they
 * are largest: roots[count] below the geometric mean are exchanged. Of a couple x + i y belongs to
 * 1/s = (sr - i si)/|s|^2: its conjugate, x - i y, to s. */
static nt_status exchange_smallest(nt_arena *arena, const nt_columns *A, root *roots, int count)
{
    int n = A->rows, info = 0, k = 0;
    if (n == 0)
        return NT_OK;
    nt_columns copy = nt_columns_take(arena, n, n), inverse = nt_columns_identity(arena, n),
               vectors;
    int *pivots = NT_TAKE(arena, n, int);
    double *w = NT_TAKE(arena, 3 * n, double);
    root *other = NT_TAKE(arena, n, root);
    if (!copy.a || !inverse.a || !pivots || !w || !other)
        return NT_NO_MEMORY;
    memcpy(copy.a, A->a, (size_t)n * (size_t)n * sizeof *copy.a);
    dgesv_(&n, &n, copy.a, &n, pivots, inverse.a, &n, &info);
    if (info != 0)
        return NT_OK;
    nt_status status = eigenvalues(arena, &inverse, NULL, w, w + n, w + 2 * n, &vectors);
    if (status != NT_OK)
        return status == NT_NO_MEMORY ? status : NT_OK;
    int found = take_roots(w, w + n, w + 2 * n, &vectors, true, other);
    qsort(other, (size_t)found, sizeof *other, by_size);
    qsort(roots, (size_t)count, sizeof *roots, by_size);
    double middle = found > 0 ? sqrt(other[0].size * roots[count - 1].size) : 0;
    while (k < found && k < count && roots[k].size < middle && other[k].size < middle &&
           (roots[k].xi != NULL) == (other[k].xi != NULL))
        k++;
    for (int i = 0; i < k; i++) {
        double *y = other[i].xi;
        for (int j = 0; y && j < n; j++)
            y[j] = -y[j];
        roots[i] = other[i];
    }
    return NT_OK;
}

static nt_status find_general(const nt_reduced *r, nt_pairs *pairs)
{
    nt_arena *arena = r->arena;
    nt_columns E, A, vectors;
    stage stages[MOST_STAGES];
    int n_stages = 0, rows = r->f + r->d, count = 0;
    bool regular = false;
    nt_status status = state_matrices(r, &E, &A);
    nt_columns first = nt_columns_take(arena, rows, rows), last = {0};
    if (status == NT_OK && first.a) {
        memcpy(first.a, A.a, (size_t)rows * (size_t)rows * sizeof *A.a);
        status = divide(arena, &E, &A, &regular);
    }
    if (status == NT_OK && regular)
        status = split_zeros(arena, &first, &A, stages, &n_stages);
    double *w = NT_TAKE(arena, 3 * rows + 1, double), *x = NT_TAKE(arena, 2 * rows + 1, double);
    root *roots = NT_TAKE(arena, rows + 1, root);
    int n = A.rows;
    if (status == NT_OK)
        last = nt_columns_take(arena, n, n);
    if (status == NT_OK && (!w || !x || !first.a || !roots || !last.a))
        status = NT_NO_MEMORY;
    double *wi = w + rows, *beta = w + 2 * rows;
    if (status == NT_OK) {
        memcpy(last.a, A.a, (size_t)n * (size_t)n * sizeof *A.a);
        status = eigenvalues(arena, &A, regular ? NULL : &E, w, wi, beta, &vectors);
    }
    for (int i = 0; n_stages > 0 && i < stages[0].N.columns && status == NT_OK; i++) {
        const double *p = nt_entry(&stages[0].N, 0, i);
        double size = 0;
        for (int k = 0; k < r->f; k++)
            size = fmax(size, fabs(p[k]));
        if (size > 1e-8) /* else a rate whose position is another coordinate's affair */
            status = add_pair(r, 0, 0, p, NULL, pairs);
    }
    if (status == NT_OK)
        count = take_roots(w, wi, beta, &vectors, false, roots);
    if (status == NT_OK && regular && are_far_apart(roots, count))
        status = exchange_smallest(arena, &last, roots, count);
    for (int i = 0; i < count && status == NT_OK; i++) {
        double tau = 1 / r->pencil->size;
        memset(x, 0, 2 * (size_t)rows * sizeof *x);
        memcpy(x, roots[i].xr, (size_t)n * sizeof *x);
        if (roots[i].xi)
            memcpy(x + rows, roots[i].xi, (size_t)n * sizeof *x);
        status = join_zeros(arena, stages, n_stages, roots[i].sr, roots[i].si, x, rows);
        if (status == NT_OK)
            status = add_pair(r, roots[i].sr / tau, roots[i].si / tau, x, x + rows, pairs);
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
