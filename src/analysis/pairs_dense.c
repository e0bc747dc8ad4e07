/* All eigenvalues of small problems.
 *
 * Independent coordinates p: y = Z p with Phi_q Z = 0, forces by the null space Zl of R_lambda^T.
 * Nonholonomic rows N1 p' + N0 p = 0 leave p' = Y s - P p with N1 Y = 0, P = N1^+ N0. In x = (p, s)
 *
 *   p'   = -P p + Y s
 *   Mr s' = -Yl^T ((K - D P) p + D Y s),   D = C - M P,   Mr = Yl^T M Y,
 *
 * where M, C, K stand for Zl^T M Z and so on. Where C = 0 and there are no such rows the problem is
 * K p = -s^2 M p, symmetric in most models.
 *
 * Displacements that nothing resists give eigenvalues zero in Jordan blocks, which rounding would
 * scatter by its square root and more. So they are split off first: with N a basis of the null
 * space of A and V of its complement, (N V)^T A (N V) = [0 N^T A V; 0 V^T A V], and so on with V^T
 * A V while it is singular. All transformations are orthogonal. */
#include "analysis/lapack.h"
#include "analysis/pairs.h"
#include "base/error.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- matrices, column by column ---------------------------------------------------------------
 */

typedef struct dense {
    int rows, columns;
    double *a; /* [columns][rows] */
} dense;

static double *at(const dense *m, int i, int j) { return m->a + (size_t)j * (size_t)m->rows + i; }

static dense take(nt_arena *arena, int rows, int columns)
{
    return (dense){rows, columns, NT_TAKE(arena, (size_t)rows * (size_t)columns + 1, double)};
}

/* op(A) op(B); the transposed of A where ta. */
static dense product(nt_arena *arena, bool ta, const dense *a, const dense *b)
{
    int m = ta ? a->columns : a->rows, k = b->rows, n = b->columns;
    dense c = take(arena, m, n);
    const double one = 1, zero = 0;
    int lda = a->rows > 0 ? a->rows : 1, ldb = k > 0 ? k : 1, ldc = m > 0 ? m : 1;
    if (c.a && m > 0 && n > 0 && k > 0)
        dgemm_(ta ? "T" : "N", "N", &m, &n, &k, &one, a->a, &lda, b->a, &ldb, &zero, c.a, &ldc, 1,
               1);
    return c;
}

/* An orthogonal basis whose first `rank` vectors span the columns of A, with the triangle R and the
 * order of columns. */
typedef struct basis {
    dense Q, R;
    int *order; /* [columns], from 1 */
    int rank;
} basis;

static nt_status basis_of(nt_arena *arena, const dense *a, double tolerance, basis *out)
{
    int m = a->rows, n = a->columns, k = m < n ? m : n, info = 0, room = 64 * (m + n) + 64;
    size_t bytes = (size_t)m * sizeof(double);
    out->Q = take(arena, m, m);
    out->R = take(arena, m, n);
    out->order = NT_TAKE(arena, n + 1, int);
    out->rank = 0;
    double *tau = NT_TAKE(arena, k + 1, double), *work = NT_TAKE(arena, room, double);
    if (!out->Q.a || !out->R.a || !out->order || !tau || !work)
        return NT_NO_MEMORY;
    if (m == 0)
        return NT_OK;
    memcpy(out->R.a, a->a, bytes * (size_t)n);
    if (n > 0)
        dgeqp3_(&m, &n, out->R.a, &m, out->order, tau, work, &room, &info);
    for (int j = 0; j < k; j++)
        memcpy(at(&out->Q, 0, j), at(&out->R, 0, j), bytes);
    double first = n > 0 ? fabs(*at(&out->R, 0, 0)) : 0;
    while (out->rank < k && fabs(*at(&out->R, out->rank, out->rank)) > tolerance * first)
        out->rank++;
    dorgqr_(&m, &m, &k, out->Q.a, &m, tau, work, &room, &info);
    return info == 0 ? NT_OK : NT_NOT_CONVERGED;
}

/* The vectors of a basis beyond its rank: perpendicular to all columns. */
static dense complement(const basis *b)
{
    int rows = b->Q.rows;
    return (dense){rows, rows - b->rank, b->Q.a + (size_t)rows * (size_t)b->rank};
}
static dense range_of(const basis *b) { return (dense){b->Q.rows, b->rank, b->Q.a}; }

/* X := R^-T ... of the least-norm solution: with A^T Pi = Q R, A z = b has z = Q (R^T)^-1 Pi^T b.
 */
static void solve_transposed_triangle(const basis *b, const double *rhs, double *z)
{
    for (int i = 0; i < b->rank; i++) {
        double sum = rhs[b->order[i] - 1];
        for (int j = 0; j < i; j++)
            sum -= *at(&b->R, j, i) * z[j];
        z[i] = sum / *at(&b->R, i, i);
    }
}

/* ---- independent coordinates --------------------------------------------------------------------
 */

typedef struct reduced {
    const nt_pencil *pencil;
    nt_arena *arena;
    double *weight;        /* [nv] y_i = p_i / weight_i */
    dense full[3];         /* K, C, M of motion alone, weighed */
    dense Z, Zl, Y, Yl, P; /* as in the head */
    dense K, C, M;         /* in independent coordinates */
    basis forces;          /* of all multipliers' columns, weighed */
    int *active;           /* [n_active] multipliers in use, from 0 at the first */
    int n_active, n_holonomic;
    int f, d;
} reduced;

static nt_status take_full(reduced *r)
{
    const nt_pencil *p = r->pencil;
    const nt_matrix *matrices[3] = {&p->K, &p->C, &p->M};
    double *all = malloc((size_t)p->n * (size_t)p->n * sizeof *all + 1);
    if (!all)
        return NT_NO_MEMORY;
    for (int k = 0; k < 3; k++) {
        r->full[k] = take(r->arena, p->n, p->n);
        if (!r->full[k].a) {
            free(all);
            return NT_NO_MEMORY;
        }
        nt_matrix_dense(matrices[k], all);
        for (int i = 0; i < p->n; i++)
            for (int j = 0; j < p->n; j++) {
                double wi = i < p->nv ? r->weight[i] : 1, wj = j < p->nv ? r->weight[j] : 1;
                *at(&r->full[k], i, j) = all[(size_t)i * (size_t)p->n + (size_t)j] / (wi * wj);
            }
    }
    free(all);
    return NT_OK;
}

/* Rows (or, transposed, columns) of the multipliers active[from..to-1] as columns of nv entries. */
static dense take_rows(const reduced *r, const dense *from, int first, int end, bool columns)
{
    int nv = r->pencil->nv;
    dense out = take(r->arena, nv, end - first);
    for (int k = first; out.a && k < end; k++)
        for (int i = 0; i < nv; i++) {
            int row = nv + r->active[k];
            *at(&out, i, k - first) = columns ? *at(from, i, row) : *at(from, row, i);
        }
    return out;
}

static void list_active(reduced *r)
{
    const nt_pencil *p = r->pencil;
    for (int i = 0, k = 0; i < p->nh + p->nn; i++) {
        if (k < p->n_dropped && p->dropped[k] == p->nv + i) {
            k++;
            continue;
        }
        r->active[r->n_active++] = i;
        r->n_holonomic += i < p->nh;
    }
}

/* A row counts as dependent below this part of the first one; those that are, were left out before.
 */
static const double DEPENDENT = 1e-13;

static nt_status reduce_holonomic(reduced *r)
{
    int n = r->pencil->n, nv = r->pencil->nv;
    basis rows, forces;
    dense G = take_rows(r, &r->full[0], 0, r->n_holonomic, false);
    dense B = take_rows(r, &r->full[0], 0, r->n_holonomic, true);
    dense all = take_rows(r, &r->full[0], 0, r->n_active, true);
    if (!G.a || !B.a || !all.a)
        return NT_NO_MEMORY;
    nt_status status = basis_of(r->arena, &G, DEPENDENT, &rows);
    if (status == NT_OK)
        status = basis_of(r->arena, &B, DEPENDENT, &forces);
    if (status == NT_OK)
        status = basis_of(r->arena, &all, DEPENDENT, &r->forces);
    if (status != NT_OK)
        return status;
    bool same = memcmp(G.a, B.a, (size_t)nv * (size_t)r->n_holonomic * sizeof *G.a) == 0;
    r->Z = complement(&rows);
    r->Zl = same ? r->Z : complement(&forces);
    if (r->Zl.columns != r->Z.columns)
        return NT_SINGULAR;
    r->f = r->Z.columns;
    dense *to[3] = {&r->K, &r->C, &r->M};
    for (int k = 0; k < 3; k++) {
        dense motion = take(r->arena, nv, nv);
        if (!motion.a)
            return NT_NO_MEMORY;
        for (int j = 0; j < nv; j++)
            memcpy(at(&motion, 0, j), r->full[k].a + (size_t)j * (size_t)n,
                   (size_t)nv * sizeof *motion.a);
        dense half = product(r->arena, false, &motion, &r->Z);
        *to[k] = half.a ? product(r->arena, true, &r->Zl, &half) : half;
        if (!to[k]->a)
            return NT_NO_MEMORY;
    }
    return NT_OK;
}

static dense identity(nt_arena *arena, int n)
{
    dense out = take(arena, n, n);
    for (int i = 0; out.a && i < n; i++)
        *at(&out, i, i) = 1;
    return out;
}

static nt_status reduce_nonholonomic(reduced *r)
{
    int m = r->n_active - r->n_holonomic;
    r->P = take(r->arena, r->f, r->f);
    r->Y = r->Yl = identity(r->arena, r->f);
    r->d = r->f;
    if (!r->P.a || !r->Y.a)
        return NT_NO_MEMORY;
    if (m == 0)
        return NT_OK;
    dense rates = take_rows(r, &r->full[1], r->n_holonomic, r->n_active, false);
    dense places = take_rows(r, &r->full[0], r->n_holonomic, r->n_active, false);
    dense forces = take_rows(r, &r->full[0], r->n_holonomic, r->n_active, true);
    if (!rates.a || !places.a || !forces.a)
        return NT_NO_MEMORY;
    dense N1 = product(r->arena, true, &r->Z, &rates); /* transposed: f x m */
    dense N0 = product(r->arena, true, &places, &r->Z);
    dense F = product(r->arena, true, &r->Zl, &forces);
    basis of_rows, of_forces;
    if (!N1.a || !N0.a || !F.a)
        return NT_NO_MEMORY;
    nt_status status = basis_of(r->arena, &N1, DEPENDENT, &of_rows);
    if (status == NT_OK)
        status = basis_of(r->arena, &F, DEPENDENT, &of_forces);
    if (status != NT_OK)
        return status;
    r->Y = complement(&of_rows);
    r->Yl = complement(&of_forces);
    r->d = r->Y.columns;
    if (r->Yl.columns != r->d)
        return NT_SINGULAR;
    dense z = take(r->arena, of_rows.rank, r->f), Q = range_of(&of_rows);
    if (!z.a)
        return NT_NO_MEMORY;
    for (int j = 0; j < r->f; j++)
        solve_transposed_triangle(&of_rows, at(&N0, 0, j), at(&z, 0, j));
    r->P = product(r->arena, false, &Q, &z);
    return r->P.a ? NT_OK : NT_NO_MEMORY;
}

static nt_status reduce(reduced *r, const nt_pencil *pencil, nt_arena *arena)
{
    *r = (reduced){.pencil = pencil, .arena = arena};
    r->weight = NT_TAKE(arena, pencil->nv, double);
    r->active = NT_TAKE(arena, pencil->nh + pencil->nn, int);
    if (!r->weight || !r->active)
        return NT_NO_MEMORY;
    for (int i = 0; i < pencil->nv; i++)
        r->weight[i] = nt_problem_weight(pencil->problem, i);
    list_active(r);
    nt_status status = take_full(r);
    if (status == NT_OK)
        status = reduce_holonomic(r);
    return status == NT_OK ? reduce_nonholonomic(r) : status;
}

/* ---- pairs ------------------------------------------------------------------------------------
 */

/* The multipliers that the displacements of a pair need: least squares of the rows of motion. */
static void add_multipliers(const reduced *r, double sr, double si, double *xr, double *xi,
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
    const basis *b = &r->forces;
    double *parts[2] = {rr, ri}, *to[2] = {xr + nv, xi + nv}, *z = scratch + 2 * nv;
    for (int part = 0; part < 2; part++) {
        for (int k = 0; k < b->rank; k++) {
            z[k] = 0;
            for (int i = 0; i < nv; i++)
                z[k] -= *at(&b->Q, i, k) * parts[part][i];
        }
        for (int k = b->rank - 1; k >= 0; k--) {
            for (int j = k + 1; j < b->rank; j++)
                z[k] -= *at(&b->R, k, j) * z[j];
            z[k] /= *at(&b->R, k, k);
            to[part][r->active[b->order[k] - 1]] = z[k];
        }
    }
}

/* One more pair from coordinates p[f] = (pr, pi); pi may be NULL. */
static nt_status add_pair(const reduced *r, double sr, double si, const double *pr,
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
            const double *z = at(&r->Z, 0, j);
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

static bool is_symmetric(const dense *a)
{
    double size = 0, off = 0;
    for (int j = 0; j < a->columns; j++)
        for (int i = 0; i < a->rows; i++) {
            size = fmax(size, fabs(*at(a, i, j)));
            off = fmax(off, fabs(*at(a, i, j) - *at(a, j, i)));
        }
    return off <= ASYMMETRY * size;
}

static dense symmetrised(nt_arena *arena, const dense *a)
{
    dense out = take(arena, a->rows, a->columns);
    for (int j = 0; out.a && j < a->columns; j++)
        for (int i = 0; i < a->rows; i++)
            *at(&out, i, j) = (*at(a, i, j) + *at(a, j, i)) / 2;
    return out;
}

/* done: false where M is not positive definite, and the general way must be taken. */
static nt_status find_symmetric(const reduced *r, nt_pairs *pairs, bool *done)
{
    int n = r->f, type = 1, info = 0, room = 64 * n + 64;
    dense K = symmetrised(r->arena, &r->K), M = symmetrised(r->arena, &r->M);
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
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(w[i]));
    nt_status status = NT_OK;
    for (int i = 0; i < n && status == NT_OK; i++) {
        const double *p = at(&K, 0, i);
        double root = sqrt(fabs(w[i]));
        if (fabs(w[i]) <= NT_FREE_PART * most)
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

/* Mr and the rows of -(Kp p + Cs s). */
static nt_status state_blocks(const reduced *r, dense *Mr, dense *Kp, dense *Cs)
{
    nt_arena *arena = r->arena;
    dense MP = product(arena, false, &r->M, &r->P), D = take(arena, r->f, r->f);
    if (!MP.a || !D.a)
        return NT_NO_MEMORY;
    for (int i = 0; i < r->f * r->f; i++)
        D.a[i] = r->C.a[i] - MP.a[i];
    dense DP = product(arena, false, &D, &r->P), KD = take(arena, r->f, r->f);
    if (!DP.a || !KD.a)
        return NT_NO_MEMORY;
    for (int i = 0; i < r->f * r->f; i++)
        KD.a[i] = r->K.a[i] - DP.a[i];
    dense DY = product(arena, false, &D, &r->Y), MY = product(arena, false, &r->M, &r->Y);
    if (!DY.a || !MY.a)
        return NT_NO_MEMORY;
    *Mr = product(arena, true, &r->Yl, &MY);
    *Kp = product(arena, true, &r->Yl, &KD);
    *Cs = product(arena, true, &r->Yl, &DY);
    return Mr->a && Kp->a && Cs->a ? NT_OK : NT_NO_MEMORY;
}

/* Time is measured in units tau = 1/size, so that both halves of A are of one size. */
static nt_status state_matrices(const reduced *r, dense *E, dense *A)
{
    dense Mr, Kp, Cs;
    int f = r->f, d = r->d;
    double tau = 1 / r->pencil->size, m = 0;
    nt_status status = state_blocks(r, &Mr, &Kp, &Cs);
    if (status != NT_OK)
        return status;
    *E = identity(r->arena, f + d);
    *A = take(r->arena, f + d, f + d);
    if (!E->a || !A->a)
        return NT_NO_MEMORY;
    for (int i = 0; i < d * d; i++)
        m = fmax(m, fabs(Mr.a[i]));
    m = m > 0 ? m : 1;
    for (int j = 0; j < f + d; j++)
        for (int i = 0; i < f; i++)
            *at(A, i, j) = j < f ? -tau * *at(&r->P, i, j) : *at(&r->Y, i, j - f);
    for (int j = 0; j < f + d; j++)
        for (int i = 0; i < d; i++) {
            *at(A, f + i, j) =
                j < f ? -tau * tau / m * *at(&Kp, i, j) : -tau / m * *at(&Cs, i, j - f);
            if (j >= f)
                *at(E, f + i, j) = *at(&Mr, i, j - f) / m;
        }
    return NT_OK;
}

/* A := E^-1 A; false where E is singular as far as can be told. */
static nt_status divide(nt_arena *arena, const dense *E, dense *A, bool *done)
{
    int n = A->rows, info = 0, room = 64 * n + 64;
    basis b;
    nt_status status = basis_of(arena, E, 1e-13, &b);
    *done = status == NT_OK && b.rank == n;
    if (!*done)
        return status;
    dense copy = take(arena, n, n);
    int *pivots = NT_TAKE(arena, room, int);
    if (!copy.a || !pivots)
        return NT_NO_MEMORY;
    memcpy(copy.a, E->a, (size_t)n * (size_t)n * sizeof *copy.a);
    dgesv_(&n, &n, copy.a, &n, pivots, A->a, &n, &info);
    *done = info == 0;
    return NT_OK;
}

static dense transposed(nt_arena *arena, const dense *a)
{
    dense out = take(arena, a->columns, a->rows);
    for (int j = 0; out.a && j < a->columns; j++)
        for (int i = 0; i < a->rows; i++)
            *at(&out, j, i) = *at(a, i, j);
    return out;
}

/* One stage of splitting zeros off: A = V^T A V of the stage before. */
typedef struct stage {
    dense N, V, NAV;
} stage;

enum { MOST_STAGES = 8 };

static nt_status split_zeros(nt_arena *arena, dense *A, stage *stages, int *n_stages)
{
    nt_status status = NT_OK;
    for (*n_stages = 0; *n_stages < MOST_STAGES && A->rows > 0; ++*n_stages) {
        basis b;
        dense T = transposed(arena, A);
        if (!T.a || (status = basis_of(arena, &T, NT_FREE_PART, &b)) != NT_OK)
            return T.a ? status : NT_NO_MEMORY;
        if (b.rank == A->rows)
            return NT_OK;
        stage *s = &stages[*n_stages];
        s->V = range_of(&b), s->N = complement(&b);
        dense AV = product(arena, false, A, &s->V);
        s->NAV = product(arena, true, &s->N, &AV);
        dense next = product(arena, true, &s->V, &AV);
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
                    a[part * z + i] += *at(&s->NAV, i, j) * u[part * m + j];
        for (int i = 0; i < z; i++) { /* (ar + i ai)/(sr + i si) */
            double ar = a[i], ai = a[z + i];
            a[i] = (ar * sr + ai * si) / size, a[z + i] = (ai * sr - ar * si) / size;
        }
        for (int part = 0; part < 2; part++)
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < z; j++)
                    y[part * n + i] += *at(&s->N, i, j) * a[part * z + j];
                for (int j = 0; j < m; j++)
                    y[part * n + i] += *at(&s->V, i, j) * u[part * m + j];
            }
        memcpy(x, y, (size_t)n * sizeof *x);
        memcpy(x + rows, y + n, (size_t)n * sizeof *x);
    }
    return NT_OK;
}

/* Eigenvalues of A, or with E of the pencil; vectors[n][n]; beta 0 stands for an infinite one. */
static nt_status eigenvalues(nt_arena *arena, dense *A, dense *E, double *wr, double *wi,
                             double *beta, dense *vectors)
{
    int n = A->rows, info = 0, room = 80 * n + 64, one = 1;
    double unused = 0, *work = NT_TAKE(arena, room, double);
    *vectors = take(arena, n, n);
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

static nt_status find_general(const reduced *r, nt_pairs *pairs)
{
    nt_arena *arena = r->arena;
    dense E, A, vectors;
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
        const double *p = at(&stages[0].N, 0, i);
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
        memcpy(x, at(&vectors, 0, i), (size_t)n * sizeof *x);
        if (wi[i] > 0)
            memcpy(x + rows, at(&vectors, 0, i + 1), (size_t)n * sizeof *x);
        status = join_zeros(arena, stages, n_stages, sr, si, x, rows);
        if (status == NT_OK)
            status = add_pair(r, sr / tau, si / tau, x, x + rows, pairs);
    }
    return status;
}

nt_status nt_pairs_dense(const nt_pencil *pencil, nt_pairs *pairs, nt_error *error)
{
    nt_arena arena = {0};
    reduced r;
    bool done = false;
    nt_status status = reduce(&r, pencil, &arena);
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
