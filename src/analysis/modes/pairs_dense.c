/* All eigenvalues of small problems, in independent coordinates (reduce.h). Where C = 0 and there
 * are no nonholonomic rows the problem is K p = -s^2 M p, symmetric in most models.
 *
 * Displacements that nothing resists give eigenvalues zero in Jordan blocks, which rounding would
 * scatter by its square root and more. So they are split off first: with N a basis of the null
 * space of A, V of its complement, U1 of the range of E N and U2 of its complement,
 *
 *   (U1 U2)^T (s E - A) (N V) = [s U1^T E N   U1^T (s E - A) V; 0   U2^T (s E - A) V],
 *
 * and so on with the last block while its A is singular. All of these are orthogonal, and nothing
 * is divided by E before: light masses in stiff parts would hide in E^-1 A what resists a slow
 * motion. */
#include "analysis/lapack.h"
#include "analysis/modes/pairs.h"
#include "analysis/modes/pairs_plain.h"
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

/* ---- symmetric: K p = -s^2 M p (pairs_plain.c) ----------------------------------------------- */

static nt_status find_symmetric(const nt_reduced *r, nt_plain *all, nt_pairs *pairs, bool *done)
{
    nt_status status = nt_plain_find(r, all);
    *done = all->is_found;
    for (int i = 0; *done && i < r->f && status == NT_OK; i++) {
        const double *p = nt_entry(&all->vectors, 0, i);
        double root = sqrt(fabs(all->w[i]));
        if (root == 0)
            status = add_pair(r, 0, 0, p, NULL, pairs);
        else if (all->w[i] > 0)
            status = add_pair(r, 0, root, p, NULL, pairs);
        else if ((status = add_pair(r, -root, 0, p, NULL, pairs)) == NT_OK)
            status = add_pair(r, root, 0, p, NULL, pairs);
    }
    return status;
}

/* Stiffnesses below this part of the largest one are lost in rounding of K, unless they stand alone
 * in their row. */
static const double SOFT = 1e-9;

/* How many displacements have s = 0; least -1: nobody knows yet. */
typedef struct zeros {
    int least, most;
} zeros;

/* Where nothing resists in axes that turn, K is what stiffness leaves of inertia: x^T M x times the
 * square of the rate of turning, which C x tells beside M x. */
static double of_turning(const nt_reduced *r, const double *x)
{
    double kinetic = 0, gyroscopic = 0, inertial = 0;
    for (int i = 0; i < r->f; i++) {
        double Mx = 0, Cx = 0;
        for (int j = 0; j < r->f; j++) {
            Mx += *nt_entry(&r->M, i, j) * x[j];
            Cx += *nt_entry(&r->C, i, j) * x[j];
        }
        kinetic += x[i] * Mx;
        gyroscopic += Cx * Cx;
        inertial += Mx * Mx;
    }
    return inertial > 0 ? kinetic * gyroscopic / inertial : 0;
}

/* What is damped, does not turn, and has soft parts, as foils that bend, is looked at in the
 * displacements of its modes without damping, in which K is diagonal: r is then told in these, and
 * zeros[] are how many have no stiffness, and no damping either; else they stay as they are. Also
 * what turns, where there is stiffness for all: gyroscopic forces mix what has none. */
static nt_status take_plain(nt_reduced *r, nt_plain *all, bool turns, zeros zeros_of[2])
{
    nt_columns C, M, K = nt_columns_take(r->arena, r->f, r->f);
    bool soft = false;
    int n = r->f, still = 0, restless = 0;
    nt_status status = K.a ? nt_plain_find(r, all) : NT_NO_MEMORY;
    if (status != NT_OK || !all->is_found || n == 0)
        return status;
    double most = fmax(fabs(all->w[0]), fabs(all->w[n - 1]));
    for (int i = 0; i < n; i++) {
        double *p = nt_entry(&all->vectors, 0, i), mass = 0;
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                mass += p[k] * *nt_entry(&r->M, k, j) * p[j];
        for (int j = 0; j < n; j++)
            p[j] /= sqrt(mass);
        if (turns && nt_plain_is_free(&r->K, p, of_turning(r, p)))
            all->w[i] = 0;
        *nt_entry(&K, i, i) = all->w[i];
        soft |= all->w[i] != 0 && fabs(all->w[i]) < SOFT * most;
        restless += all->w[i] == 0;
    }
    if (!soft || (turns && restless > 0))
        return NT_OK;
    const nt_columns *V = &all->vectors;
    nt_columns CV = nt_columns_product(r->arena, false, &r->C, V);
    nt_columns MV = nt_columns_product(r->arena, false, &r->M, V);
    nt_columns Z = nt_columns_product(r->arena, false, &r->Z, V);
    if (!CV.a || !MV.a || !Z.a)
        return NT_NO_MEMORY;
    C = nt_columns_product(r->arena, true, V, &CV);
    M = nt_columns_product(r->arena, true, V, &MV);
    if (!C.a || !M.a)
        return NT_NO_MEMORY;
    for (int i = 0; i < n; i++)
        if (all->w[i] == 0 && nt_plain_is_free(&r->C, nt_entry(V, 0, i), 0)) {
            still++;
            for (int j = 0; j < n; j++)
                *nt_entry(&C, i, j) = *nt_entry(&C, j, i) = 0;
        }
    r->Z = Z, r->K = K, r->C = C, r->M = M;
    zeros_of[0] = (zeros){restless, restless};
    zeros_of[1] = (zeros){still, still};
    return NT_OK;
}

/* ---- general: E x' = A x --------------------------------------------------------------------- */

static double largest_entry(const nt_columns *a)
{
    double most = 0;
    for (int i = 0; i < a->rows * a->columns; i++)
        most = fmax(most, fabs(a->a[i]));
    return most;
}

/* Time is measured in units tau = 1/size, so that both halves of A are of one size; where there are
 * soft parts at least in those in which damping is no larger than stiffness. */
static nt_status state_matrices(const nt_reduced *r, bool soft, nt_columns *E, nt_columns *A,
                                double *unit)
{
    nt_columns Mr, Kp, Cs;
    int f = r->f, d = r->d;
    double tau = 1 / r->pencil->size, m = 0;
    nt_status status = nt_reduced_blocks(r, &Mr, &Kp, &Cs);
    if (status != NT_OK)
        return status;
    if (soft)
        tau = fmax(tau, largest_entry(&Cs) / largest_entry(&Kp));
    *unit = tau;
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

/* What counts as singular: of masses; and of what is left when zeros have been split off, where
 * slender parts have 1e-16 of the stiffness that others have. */
static const double MASSLESS = 1e-13, RESTLESS = 1e-20;

/* B := A^-1 B; false where A is singular as far as can be told. Both keep their places. */
static nt_status divide(nt_arena *arena, const nt_columns *A, nt_columns *B, double tolerance,
                        bool *done)
{
    int n = A->rows, columns = B->columns, info = 0;
    nt_basis b;
    nt_status status = nt_basis_find(arena, A, tolerance, &b);
    *done = status == NT_OK && b.rank == n;
    if (!*done || n == 0) /* of no rows LAPACK would end the process */
        return status;
    nt_columns copy = nt_columns_take(arena, n, n);
    int *pivots = NT_TAKE(arena, n, int);
    if (!copy.a || !pivots)
        return NT_NO_MEMORY;
    memcpy(copy.a, A->a, (size_t)n * (size_t)n * sizeof *copy.a);
    dgesv_(&n, &columns, copy.a, &n, pivots, B->a, &n, &info);
    *done = info == 0;
    return NT_OK;
}

/* One stage of splitting zeros off: x = N a + V u with a = GA u/s - GE u, G = U1^T E N,
 * GA = G^-1 U1^T A V, GE = G^-1 U1^T E V. */
typedef struct stage {
    nt_columns N, V, GA, GE;
} stage;

enum { MOST_STAGES = 8 };

/* Whether nothing resists any of these displacements, which are the first rows of N, of length 1 at
 * most: to rounding of their own terms, or of the largest ones, as entries of K are what cancelling
 * loads and inertia leave. */
static bool are_free(const nt_columns *K, const nt_columns *N)
{
    double most = 0;
    bool good = true;
    for (int i = 0; i < K->rows * K->columns; i++)
        most = fmax(most, fabs(K->a[i]));
    for (int j = 0; j < N->columns && good; j++)
        good = nt_plain_is_free(K, nt_entry(N, 0, j), most);
    return good;
}

/* Turns N, an orthonormal basis of what is free or as soft as rounding of the whole K is, so that
 * the `free` last columns are what nothing resists: by the stationary values of x^T K x within it.
 */
static nt_status sort_free(nt_arena *arena, const nt_columns *K, nt_columns *N, int *free)
{
    int z = N->columns, info = 0, room = 64 * z + 64;
    double most = 0;
    *free = z;
    if (are_free(K, N))
        return NT_OK;
    nt_columns x = nt_columns_take(arena, K->rows, z), H = nt_columns_take(arena, z, z);
    double *w = NT_TAKE(arena, z + 1, double), *work = NT_TAKE(arena, room, double);
    if (!x.a || !H.a || !w || !work)
        return NT_NO_MEMORY;
    for (int i = 0; i < K->rows * K->columns; i++)
        most = fmax(most, fabs(K->a[i]));
    for (int j = 0; j < z; j++)
        memcpy(nt_entry(&x, 0, j), nt_entry(N, 0, j), (size_t)K->rows * sizeof *x.a);
    nt_columns Kx = nt_columns_product(arena, false, K, &x);
    nt_columns xKx = Kx.a ? nt_columns_product(arena, true, &x, &Kx) : Kx;
    if (!xKx.a)
        return NT_NO_MEMORY;
    for (int j = 0; j < z; j++)
        for (int i = 0; i < z; i++)
            *nt_entry(&H, i, j) = (*nt_entry(&xKx, i, j) + *nt_entry(&xKx, j, i)) / 2;
    dsyev_("V", "U", &z, H.a, &z, w, work, &room, &info, 1, 1);
    nt_columns turned = nt_columns_product(arena, false, N, &H);
    if (info != 0 || !turned.a)
        return turned.a ? NT_NOT_CONVERGED : NT_NO_MEMORY;
    size_t bytes = (size_t)N->rows * sizeof *N->a;
    for (int j = 0, soft = 0, last = z; j < z; j++) {
        const double *column = nt_entry(&turned, 0, j);
        bool nothing = nt_plain_is_free(K, column, most);
        *free -= !nothing;
        memcpy(nt_entry(N, 0, nothing ? --last : soft++), column, bytes);
    }
    return NT_OK;
}

/* With constraints of velocities more positions are free than rates, f > d, and s = 0 belongs to
 *
 *   P p = 0,  Kp p = 0:   f - d - rank P displacements at least, whatever the stiffness is,
 *
 * as what sticks, or does not slip, stays wherever it is put: its stiffness is not small, but the
 * constraints balance it. About rest, P = 0, there are besides as many as nothing resists among
 * those that the constraints let move, p = Y a. */
static nt_status count_zeros(const nt_reduced *r, zeros *out)
{
    nt_columns Mr, Kp, Cs, PT = nt_columns_transposed(r->arena, &r->P);
    nt_basis of_P, of_rows;
    *out = (zeros){0, r->f + r->d};
    if (r->d == r->f)
        return NT_OK;
    nt_status status = PT.a ? nt_reduced_blocks(r, &Mr, &Kp, &Cs) : NT_NO_MEMORY;
    if (status == NT_OK)
        status = nt_basis_find(r->arena, &PT, NT_FREE_PART, &of_P);
    if (status != NT_OK)
        return status;
    out->least = r->f - r->d - of_P.rank;
    if (of_P.rank > 0)
        return NT_OK;
    nt_columns K = nt_columns_product(r->arena, false, &Kp, &r->Y);
    nt_columns KT = K.a ? nt_columns_transposed(r->arena, &K) : K;
    status = KT.a ? nt_basis_find(r->arena, &KT, NT_FREE_PART, &of_rows) : NT_NO_MEMORY;
    if (status != NT_OK)
        return status;
    nt_columns N = nt_basis_complement(&of_rows);
    int free;
    status = sort_free(r->arena, &K, &N, &free);
    out->least += free;
    out->most = out->least;
    return status;
}

/* The next stage; `split`: false where nothing is free, or E resists none of what is. K: at the
 * first stage that of the displacements, which tells what is free from what is only soft; else
 * NULL. `of`: what is known of their number. */
static nt_status split_stage(nt_arena *arena, const nt_columns *K, zeros of, nt_columns *E,
                             nt_columns *A, stage *s, bool *split)
{
    nt_basis of_rows, of_free;
    nt_columns T = nt_columns_transposed(arena, A);
    *split = false;
    nt_status status = T.a ? nt_basis_find(arena, &T, NT_FREE_PART, &of_rows) : NT_NO_MEMORY;
    if (status != NT_OK)
        return status;
    if (of_rows.rank < A->rows - of.most)
        of_rows.rank = A->rows - of.most;
    s->N = nt_basis_complement(&of_rows);
    if (K && s->N.columns > of.least) {
        int free;
        status = sort_free(arena, K, &s->N, &free);
        if (status != NT_OK)
            return status;
        of_rows.rank += s->N.columns - (free > of.least ? free : of.least);
        s->N = nt_basis_complement(&of_rows);
    }
    if (of_rows.rank == A->rows)
        return NT_OK;
    s->V = nt_basis_range(&of_rows);
    nt_columns EN = nt_columns_product(arena, false, E, &s->N);
    status = EN.a ? nt_basis_find(arena, &EN, 1e-13, &of_free) : NT_NO_MEMORY;
    if (status != NT_OK || of_free.rank < s->N.columns)
        return status;
    nt_columns U1 = nt_basis_range(&of_free), U2 = nt_basis_complement(&of_free);
    nt_columns EV = nt_columns_product(arena, false, E, &s->V);
    nt_columns AV = nt_columns_product(arena, false, A, &s->V);
    if (!EV.a || !AV.a)
        return NT_NO_MEMORY;
    nt_columns G = nt_columns_product(arena, true, &U1, &EN);
    s->GA = nt_columns_product(arena, true, &U1, &AV);
    s->GE = nt_columns_product(arena, true, &U1, &EV);
    *E = nt_columns_product(arena, true, &U2, &EV);
    *A = nt_columns_product(arena, true, &U2, &AV);
    if (!G.a || !s->GA.a || !s->GE.a || !E->a || !A->a)
        return NT_NO_MEMORY;
    bool regular;
    status = divide(arena, &G, &s->GA, MASSLESS, &regular);
    if (status == NT_OK)
        status = divide(arena, &G, &s->GE, MASSLESS, &regular);
    *split = true;
    return status;
}

/* known: as take_plain says. */
static nt_status split_zeros(const nt_reduced *r, const zeros known[2], nt_columns *E,
                             nt_columns *A, stage *stages, int *n_stages)
{
    bool split = true, unknown = known[0].least < 0;
    zeros first = known[0];
    nt_status status = unknown ? count_zeros(r, &first) : NT_OK;
    *n_stages = 0;
    while (status == NT_OK && split && *n_stages < MOST_STAGES && A->rows > 0) {
        const zeros none = {0, 0}, any = {0, A->rows};
        zeros later = unknown ? any : *n_stages == 1 ? known[1] : none;
        status = *n_stages == 0
                     ? split_stage(r->arena, &r->K, first, E, A, &stages[0], &split)
                     : split_stage(r->arena, NULL, later, E, A, &stages[*n_stages], &split);
        *n_stages += split;
    }
    return status;
}

/* y := y + B x */
static void add_product(const nt_columns *B, const double *x, double *y)
{
    for (int j = 0; j < B->columns; j++)
        for (int i = 0; i < B->rows; i++)
            y[i] += *nt_entry(B, i, j) * x[j];
}

/* An eigenvector of the last pencil, u = (ur, ui) with s = (sr, si), to one of the first. In and
 * out in x[2][rows]. */
static nt_status join_zeros(nt_arena *arena, const stage *stages, int n_stages, double sr,
                            double si, double *x, int rows)
{
    for (int k = n_stages - 1; k >= 0; k--) {
        const stage *s = &stages[k];
        int n = s->V.rows, z = s->N.columns;
        double size = sr * sr + si * si, *y = NT_TAKE(arena, 2 * n, double);
        double *a = NT_TAKE(arena, 4 * z, double), *e = a + 2 * z;
        if (!y || !a)
            return NT_NO_MEMORY;
        for (int part = 0; part < 2; part++) {
            add_product(&s->GA, x + part * rows, a + part * z);
            add_product(&s->GE, x + part * rows, e + part * z);
            add_product(&s->V, x + part * rows, y + part * n);
        }
        for (int i = 0; i < z; i++) { /* (ar + i ai)/(sr + i si) - e */
            double ar = a[i], ai = a[z + i];
            a[i] = (ar * sr + ai * si) / size - e[i];
            a[z + i] = (ai * sr - ar * si) / size - e[z + i];
        }
        for (int part = 0; part < 2; part++) {
            add_product(&s->N, a + part * z, y + part * n);
            memcpy(x + part * rows, y + part * n, (size_t)n * sizeof *x);
        }
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
    return least * NT_FAR_APART < most;
}

/* How many unknowns the first `count` roots stand for: couples for two. */
static int unknowns_of(const root *roots, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += roots[i].xi ? 2 : 1;
    return sum;
}

/* Those far below the largest ones, which rounding of these hides, are found from A^-1 E, where
 * they are largest: roots[count] up to the geometric mean are exchanged, as many unknowns of the
 * one kind for as many of the other. Of a couple x + i y belongs to 1/s = (sr - i si)/|s|^2: its
 * conjugate, x - i y, to s. */
static nt_status exchange_smallest(nt_arena *arena, const nt_columns *E, const nt_columns *A,
                                   root *roots, int *count)
{
    int n = A->rows, from = 0, to = 0;
    bool regular;
    if (n == 0)
        return NT_OK;
    nt_columns inverse = nt_columns_take(arena, n, n), vectors;
    double *w = NT_TAKE(arena, 3 * n, double);
    root *other = NT_TAKE(arena, n, root), *both = NT_TAKE(arena, 2 * n, root);
    if (!inverse.a || !w || !other || !both)
        return NT_NO_MEMORY;
    memcpy(inverse.a, E->a, (size_t)n * (size_t)n * sizeof *inverse.a);
    nt_status status = divide(arena, A, &inverse, RESTLESS, &regular);
    if (status != NT_OK || !regular)
        return status;
    status = eigenvalues(arena, &inverse, NULL, w, w + n, w + 2 * n, &vectors);
    if (status != NT_OK)
        return status == NT_NO_MEMORY ? status : NT_OK;
    int found = take_roots(w, w + n, w + 2 * n, &vectors, true, other);
    qsort(other, (size_t)found, sizeof *other, by_size);
    qsort(roots, (size_t)*count, sizeof *roots, by_size);
    double middle = found > 0 ? sqrt(other[0].size * roots[*count - 1].size) : 0;
    for (int i = 1, j = 0; i <= found && other[i - 1].size < middle; i++) {
        while (j < *count && unknowns_of(roots, j) < unknowns_of(other, i))
            j++;
        if (unknowns_of(roots, j) == unknowns_of(other, i) &&
            (j == *count || other[i - 1].size < roots[j].size))
            from = i, to = j;
    }
    for (int i = 0; i < from; i++) {
        double *y = other[i].xi;
        for (int j = 0; y && j < n; j++)
            y[j] = -y[j];
        both[i] = other[i];
    }
    memcpy(both + from, roots + to, (size_t)(*count - to) * sizeof *roots);
    *count += from - to;
    memcpy(roots, both, (size_t)*count * sizeof *roots);
    return NT_OK;
}

/* The pencil without its zeros, and how it came about. */
typedef struct split {
    nt_columns E, A;
    stage stages[MOST_STAGES];
    int n_stages;
} split;

static nt_status find_roots(nt_arena *arena, const split *p, root *roots, int *count)
{
    int n = p->A.rows;
    bool regular = false;
    double *w = NT_TAKE(arena, 3 * n + 1, double);
    nt_columns A = nt_columns_take(arena, n, n), E = nt_columns_take(arena, n, n), vectors;
    if (!w || !A.a || !E.a)
        return NT_NO_MEMORY;
    memcpy(A.a, p->A.a, (size_t)n * (size_t)n * sizeof *A.a);
    memcpy(E.a, p->E.a, (size_t)n * (size_t)n * sizeof *E.a);
    nt_status status = divide(arena, &E, &A, MASSLESS, &regular);
    if (status == NT_OK)
        status = eigenvalues(arena, &A, regular ? NULL : &E, w, w + n, w + 2 * n, &vectors);
    if (status != NT_OK)
        return status;
    *count = take_roots(w, w + n, w + 2 * n, &vectors, false, roots);
    return are_far_apart(roots, *count) ? exchange_smallest(arena, &p->E, &p->A, roots, count)
                                        : NT_OK;
}

/* A basis N[f + d][z] of what has s = 0 into one whose first vectors are motions that the
 * constraints let go on, N1 N = 0; the others stay where they are put. */
static nt_status part_zeros(const nt_reduced *r, nt_columns *N)
{
    if (r->d == r->f)
        return NT_OK;
    nt_columns Q = nt_basis_range(&r->rates), p = nt_columns_take(r->arena, r->f, N->columns);
    if (!p.a)
        return NT_NO_MEMORY;
    for (int j = 0; j < N->columns; j++)
        memcpy(nt_entry(&p, 0, j), nt_entry(N, 0, j), (size_t)r->f * sizeof *p.a);
    nt_columns rates = nt_columns_product(r->arena, true, &p, &Q); /* (N1 N)^T, but for its scale */
    nt_basis stay;
    if (!rates.a)
        return NT_NO_MEMORY;
    nt_status status = nt_basis_find(r->arena, &rates, NT_FREE_PART, &stay);
    if (status != NT_OK)
        return status;
    nt_columns turned = nt_columns_product(r->arena, false, N, &stay.Q);
    if (!turned.a)
        return NT_NO_MEMORY;
    size_t column = (size_t)N->rows;
    int go = N->columns - stay.rank;
    memcpy(N->a, turned.a + column * (size_t)stay.rank, column * (size_t)go * sizeof *N->a);
    memcpy(N->a + column * (size_t)go, turned.a, column * (size_t)stay.rank * sizeof *N->a);
    return NT_OK;
}

/* Pairs of what nothing resists: but for rates whose position is another coordinate's affair. */
static nt_status add_free(const nt_reduced *r, split *p, nt_pairs *pairs)
{
    nt_columns *N = &p->stages[0].N;
    nt_status status = p->n_stages > 0 ? part_zeros(r, N) : NT_OK;
    for (int i = 0; p->n_stages > 0 && i < N->columns && status == NT_OK; i++) {
        const double *x = nt_entry(N, 0, i);
        double size = 0;
        for (int k = 0; k < r->f; k++)
            size = fmax(size, fabs(x[k]));
        if (size > 1e-8)
            status = add_pair(r, 0, 0, x, NULL, pairs);
    }
    return status;
}

/* n_zeros: how many eigenvalues were taken for zero. */
static nt_status find_general(const nt_reduced *r, const zeros known[2], nt_pairs *pairs,
                              int *n_zeros)
{
    nt_arena *arena = r->arena;
    split p = {0};
    int rows = r->f + r->d, count = 0;
    double tau = 1, *x = NT_TAKE(arena, 2 * rows + 1, double);
    root *roots = NT_TAKE(arena, rows + 1, root);
    if (!x || !roots)
        return NT_NO_MEMORY;
    nt_status status = state_matrices(r, known[0].least >= 0, &p.E, &p.A, &tau);
    if (status == NT_OK)
        status = split_zeros(r, known, &p.E, &p.A, p.stages, &p.n_stages);
    if (status == NT_OK)
        status = find_roots(arena, &p, roots, &count);
    *n_zeros = rows - p.A.rows;
    for (int i = 0; i < count && status == NT_OK; i++) {
        int n = p.A.rows;
        memset(x, 0, 2 * (size_t)rows * sizeof *x);
        memcpy(x, roots[i].xr, (size_t)n * sizeof *x);
        if (roots[i].xi)
            memcpy(x + rows, roots[i].xi, (size_t)n * sizeof *x);
        status = join_zeros(arena, p.stages, p.n_stages, roots[i].sr, roots[i].si, x, rows);
        if (status == NT_OK)
            status = add_pair(r, roots[i].sr / tau, roots[i].si / tau, x, x + rows, pairs);
    }
    return status == NT_OK ? add_free(r, &p, pairs) : status;
}

nt_status nt_pairs_dense(const nt_pencil *pencil, nt_pairs *pairs, nt_error *error)
{
    nt_arena arena = {0};
    nt_reduced r;
    nt_plain all = {0};
    bool done = false;
    int n_zeros = 0;
    nt_status status = nt_reduce(&r, pencil, &arena);
    if (status == NT_OK)
        status = nt_pairs_take(pairs, 3 * r.f + 1, pencil->n);
    bool symmetric = status == NT_OK && pencil->nn == 0 && pencil->problem->space.n_first == 0 &&
                     nt_columns_are_symmetric(&r.K) && nt_columns_are_symmetric(&r.M);
    if (symmetric)
        status = nt_plain_is_symmetric(&r, &all, &symmetric);
    zeros known[2] = {{-1, -1}, {-1, -1}};
    if (status == NT_OK && symmetric && pencil->is_plain)
        status = find_symmetric(&r, &all, pairs, &done);
    bool turns = symmetric && !nt_columns_are_symmetric(&r.C);
    if (status == NT_OK && symmetric && !turns && !pencil->is_plain)
        status = take_plain(&r, &all, false, known);
    if (status == NT_OK && !done)
        status = find_general(&r, known, pairs, &n_zeros);
    if (status == NT_OK && n_zeros > 0 && turns) {
        status = take_plain(&r, &all, true, known);
        if (status == NT_OK && known[0].least >= 0) {
            pairs->n = 0;
            status = find_general(&r, known, pairs, &n_zeros);
        }
    }
    nt_arena_free(&arena);
    return status == NT_OK ? NT_OK
                           : nt_fail(error, status, "no eigenvalues: %s", nt_status_text(status));
}
