/* Some eigenvalues of large problems, those nearest to zero, by ARPACK about a real shift sigma.
 *
 * Where the problem is one of symmetric K and M alone, of lambda = s^2 about -sigma^2:
 *
 *   (K + sigma^2 M) u + R l = M a,  G u = 0,     u = OP a,    lambda = -sigma^2 + 1/theta,
 *
 * in the inner product of M. In general of s, with w = y':
 *
 *   (sigma^2 M + sigma C + K) u + R l = -(M (b + sigma a) + C a),   w = a + sigma u,
 *
 * takes (a, b) to (u, w) = (A - sigma E)^-1 E (a, b), s = sigma + 1/theta; rows of kappa have
 * -kappa_v a on their right side. Both keep the constraints whatever a is.
 *
 * A pair that is found goes through the last map once more, which gives its multipliers and one
 * step of inverse iteration. */
#include "analysis/lapack.h"
#include "analysis/modes/pairs.h"
#include "base/error.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ARPACK keeps variables between its calls. */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

typedef struct search {
    nt_pencil *pencil;
    double sigma, tau; /* 1/s; s, the unit of time for w */
    bool symmetric;
    double *b, *c, *d; /* [n] scratch */
    int applied;
} search;

/* ---- the maps -----------------------------------------------------------------------------------
 */

static nt_status apply_symmetric(search *s, const double *a, double *u)
{
    nt_pencil *p = s->pencil;
    memcpy(s->b, a, (size_t)p->nv * sizeof *a);
    memset(s->b + p->nv, 0, (size_t)(p->n - p->nv) * sizeof *a);
    nt_matrix_apply(&p->M, s->b, s->c);
    nt_status status = nt_pencil_solve(p, s->c);
    memcpy(u, s->c, (size_t)p->nv * sizeof *u);
    s->applied++;
    return status;
}

/* x[n] := what (a, b) of nv entries each is taken to, multipliers behind. */
static nt_status apply_general(search *s, const double *a, const double *b, double *x)
{
    nt_pencil *p = s->pencil;
    double *sum = s->b, *product = s->d;
    memset(sum + p->nv, 0, (size_t)(p->n - p->nv) * sizeof *sum);
    for (int i = 0; i < p->nv; i++)
        sum[i] = b[i] + s->sigma * a[i];
    nt_matrix_apply(&p->M, sum, x);
    memcpy(sum, a, (size_t)p->nv * sizeof *sum);
    nt_matrix_apply(&p->C, sum, product);
    for (int i = 0; i < p->n; i++)
        x[i] = -(x[i] + product[i]);
    s->applied++;
    return nt_pencil_solve(p, x);
}

static nt_status apply(search *s, const double *from, double *to)
{
    int nv = s->pencil->nv;
    if (s->symmetric)
        return apply_symmetric(s, from, to);
    double *b = to + nv; /* scratch until it is written */
    for (int i = 0; i < nv; i++)
        b[i] = from[nv + i] / s->tau;
    nt_status status = apply_general(s, from, b, s->c);
    for (int i = 0; i < nv; i++) {
        to[i] = s->c[i];
        to[nv + i] = s->tau * (from[i] + s->sigma * s->c[i]);
    }
    return status;
}

/* ---- the iteration
 * -------------------------------------------------------------------------------- */

typedef struct krylov {
    int n, nev, ncv, lworkl, iparam[11], ipntr[14], info;
    double *resid, *v, *workd, *workl;
    nt_arena arena;
} krylov;

static nt_status take_krylov(krylov *k, int n, int nev, int ncv)
{
    *k = (krylov){.n = n, .nev = nev, .ncv = ncv};
    k->lworkl = ncv * (3 * ncv + 8);
    k->resid = NT_TAKE(&k->arena, n, double);
    k->v = NT_TAKE(&k->arena, (size_t)n * (size_t)ncv, double);
    k->workd = NT_TAKE(&k->arena, 3 * (size_t)n, double);
    k->workl = NT_TAKE(&k->arena, k->lworkl, double);
    return k->resid && k->v && k->workd && k->workl ? NT_OK : NT_NO_MEMORY;
}

/* A start in which every mode has its part, always the same one. */
static nt_status begin(search *s, krylov *k)
{
    unsigned long long state = 1;
    for (int i = 0; i < k->n; i++) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        k->workd[i] = (double)(state >> 11) / 4503599627370496.0 - 1;
    }
    return apply(s, k->workd, k->resid);
}

enum { MOST_RESTARTS = 300 };
/* The relative error of theta at which iteration ends; refine improves pairs from there. */
static const double TOLERANCE = 1e-11;

static nt_status iterate(search *s, krylov *k)
{
    const double tolerance = TOLERANCE;
    int ido = 0;
    nt_status status = begin(s, k);
    k->iparam[0] = 1, k->iparam[2] = MOST_RESTARTS, k->iparam[3] = 1;
    k->iparam[6] = s->symmetric ? 3 : 1;
    k->info = 1;
    while (status == NT_OK && ido != 99) {
        if (nt_problem_stops(s->pencil->problem))
            return NT_INTERRUPTED;
        if (s->symmetric)
            dsaupd_(&ido, "G", &k->n, "LM", &k->nev, &tolerance, k->resid, &k->ncv, k->v, &k->n,
                    k->iparam, k->ipntr, k->workd, k->workl, &k->lworkl, &k->info, 1, 2);
        else
            dnaupd_(&ido, "I", &k->n, "LM", &k->nev, &tolerance, k->resid, &k->ncv, k->v, &k->n,
                    k->iparam, k->ipntr, k->workd, k->workl, &k->lworkl, &k->info, 1, 2);
        double *x = k->workd + k->ipntr[0] - 1, *y = k->workd + k->ipntr[1] - 1;
        if (ido == 2) { /* y = M x */
            nt_pencil *p = s->pencil;
            memcpy(s->b, x, (size_t)p->nv * sizeof *x);
            memset(s->b + p->nv, 0, (size_t)(p->n - p->nv) * sizeof *x);
            nt_matrix_apply(&p->M, s->b, s->c);
            memcpy(y, s->c, (size_t)p->nv * sizeof *y);
        } else if (ido == 1 && s->symmetric && k->ipntr[2] > 0) { /* y = OP x, M x is there */
            nt_pencil *p = s->pencil;
            memset(s->c, 0, (size_t)p->n * sizeof *s->c);
            memcpy(s->c, k->workd + k->ipntr[2] - 1, (size_t)p->nv * sizeof *s->c);
            status = nt_pencil_solve(p, s->c);
            memcpy(y, s->c, (size_t)p->nv * sizeof *y);
            s->applied++;
        } else if (ido == -1 || ido == 1) {
            status = apply(s, x, y);
        }
    }
    bool all = k->info >= 0 && k->iparam[4] >= k->nev; /* that have converged */
    return status != NT_OK ? status : all ? NT_OK : NT_NOT_CONVERGED;
}

/* ---- pairs
 * ---------------------------------------------------------------------------------------- */

/* The pair once more through the general map: x[2][n], s it came with. */
static nt_status refine(search *s, double sr, double si, double *x)
{
    nt_pencil *p = s->pencil;
    int nv = p->nv, n = p->n;
    double *a[2] = {x, x + n}, *b = malloc(4 * (size_t)n * sizeof *b + 1);
    if (!b)
        return NT_NO_MEMORY;
    double *out[2] = {b + 2 * n, b + 3 * n};
    for (int i = 0; i < nv; i++) { /* b = s a */
        b[i] = sr * a[0][i] - si * a[1][i];
        b[n + i] = sr * a[1][i] + si * a[0][i];
    }
    nt_status status = apply_general(s, a[0], b, out[0]);
    if (status == NT_OK)
        status = apply_general(s, a[1], b + n, out[1]);
    for (int i = 0; i < n && status == NT_OK; i++) {
        double dr = sr - s->sigma;
        x[i] = dr * out[0][i] - si * out[1][i];
        x[n + i] = dr * out[1][i] + si * out[0][i];
    }
    free(b);
    return status;
}

/* Eigenvalues that are zero come out as small as rounding makes them, those of Jordan blocks as its
 * square root: below this part of the shift they are none where K alone leaves nothing of the
 * vector.
 */
static const double LITTLE = 1e-4, NOTHING = 4e-15;

static double product_of(const double *x, const double *y, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* The last pair: s = 0 where it is that; left out again where it repeats one that is there. */
static void settle_zero(const search *s, nt_pairs *pairs, double *scratch)
{
    int k = pairs->n - 1, n = s->pencil->n, nv = s->pencil->nv;
    double *x = pairs->x + 2 * (size_t)k * (size_t)n, *root = pairs->s + 2 * k;
    if (hypot(root[0], root[1]) > LITTLE * s->sigma ||
        nt_pencil_residual(s->pencil, 0, 0, x, x + n, scratch) > NOTHING)
        return;
    root[0] = root[1] = 0;
    for (int i = 0; i < k; i++) {
        const double *y = pairs->x + 2 * (size_t)i * (size_t)n;
        double xx = product_of(x, x, nv) + product_of(x + n, x + n, nv);
        double yy = product_of(y, y, nv) + product_of(y + n, y + n, nv);
        double re = product_of(x, y, nv) + product_of(x + n, y + n, nv);
        double im = product_of(x, y + n, nv) - product_of(x + n, y, nv);
        if (pairs->s[2 * i] == 0 && pairs->s[2 * i + 1] == 0 &&
            re * re + im * im > (1 - 1e-6) * xx * yy)
            pairs->n = k;
    }
}

static nt_status take_symmetric(search *s, krylov *k, nt_pairs *pairs)
{
    const int vectors = 1, n = s->pencil->n, nv = s->pencil->nv;
    const double shift = -s->sigma * s->sigma, tolerance = TOLERANCE;
    int *select = NT_TAKE(&k->arena, k->ncv, int);
    double *d = NT_TAKE(&k->arena, k->ncv, double);
    if (!select || !d)
        return NT_NO_MEMORY;
    int info = 0, found = k->iparam[4];
    dseupd_(&vectors, "A", select, d, k->v, &k->n, &shift, "G", &k->n, "LM", &k->nev, &tolerance,
            k->resid, &k->ncv, k->v, &k->n, k->iparam, k->ipntr, k->workd, k->workl, &k->lworkl,
            &info, 1, 1, 2);
    if (info != 0)
        return NT_NOT_CONVERGED;
    nt_status status = nt_pairs_take(pairs, 2 * found, n);
    for (int i = 0; i < found && status == NT_OK; i++) {
        double root = sqrt(fabs(d[i]));
        for (int sign = -1; sign <= 1 && status == NT_OK; sign += 2) {
            if (d[i] >= 0 && sign < 0)
                continue;
            double sr = d[i] < 0 ? sign * root : 0, si = d[i] < 0 ? 0 : root;
            double *x = pairs->x + 2 * (size_t)pairs->n * (size_t)n;
            memcpy(x, k->v + (size_t)i * (size_t)k->n, (size_t)nv * sizeof *x);
            pairs->s[2 * pairs->n] = sr, pairs->s[2 * pairs->n + 1] = si;
            pairs->n++;
            status = refine(s, sr, si, x);
            settle_zero(s, pairs, s->d + n);
        }
    }
    return status;
}

static nt_status take_general(search *s, krylov *k, nt_pairs *pairs)
{
    const int vectors = 1, n = s->pencil->n, nv = s->pencil->nv;
    const double zero = 0, tolerance = TOLERANCE;
    int *select = NT_TAKE(&k->arena, k->ncv, int);
    double *d = NT_TAKE(&k->arena, 5 * (size_t)k->ncv + 8, double);
    double *z = NT_TAKE(&k->arena, (size_t)k->n * (size_t)(k->nev + 1), double);
    if (!select || !d || !z)
        return NT_NO_MEMORY;
    double *di = d + k->nev + 1, *workev = di + k->nev + 1;
    int info = 0, found = k->iparam[4];
    dneupd_(&vectors, "A", select, d, di, z, &k->n, &zero, &zero, workev, "I", &k->n, "LM", &k->nev,
            &tolerance, k->resid, &k->ncv, k->v, &k->n, k->iparam, k->ipntr, k->workd, k->workl,
            &k->lworkl, &info, 1, 1, 2);
    if (info != 0)
        return NT_NOT_CONVERGED;
    nt_status status = nt_pairs_take(pairs, found + 1, n);
    for (int i = 0; i < found && status == NT_OK; i += di[i] != 0 ? 2 : 1) {
        double size = d[i] * d[i] + di[i] * di[i]; /* s = sigma + 1/theta */
        double sr = s->sigma + d[i] / size, si = -di[i] / size;
        bool couple = di[i] != 0;
        double *x = pairs->x + 2 * (size_t)pairs->n * (size_t)n, sign = si < 0 ? -1 : 1;
        memcpy(x, z + (size_t)i * (size_t)k->n, (size_t)nv * sizeof *x);
        for (int j = 0; couple && j < nv; j++)
            x[n + j] = sign * z[(size_t)(i + 1) * (size_t)k->n + (size_t)j];
        si = fabs(si);
        pairs->s[2 * pairs->n] = sr, pairs->s[2 * pairs->n + 1] = si;
        pairs->n++;
        status = refine(s, sr, si, x);
        settle_zero(s, pairs, s->d + n);
    }
    return status;
}

/* Whether K is symmetric along displacements that the constraints allow, by three of them. */
static nt_status look_for_symmetry(search *s)
{
    nt_pencil *p = s->pencil;
    krylov k;
    double *Ku[3], *u[3], off = 0, size = 0;
    nt_status status = take_krylov(&k, p->nv, 1, 1);
    double *room = malloc(6 * (size_t)p->n * sizeof *room + 1);
    if (!room || status != NT_OK) {
        free(room);
        nt_arena_free(&k.arena);
        return NT_NO_MEMORY;
    }
    s->symmetric = true;
    if ((status = begin(s, &k)) == NT_OK)
        memcpy(k.workd, k.resid, (size_t)p->nv * sizeof *k.resid);
    for (int i = 0; i < 3 && status == NT_OK; i++) {
        u[i] = room + (size_t)i * (size_t)p->n, Ku[i] = u[i] + 3 * (size_t)p->n;
        memset(u[i], 0, (size_t)p->n * sizeof *u[i]);
        memcpy(u[i], k.workd, (size_t)p->nv * sizeof *u[i]);
        nt_matrix_apply(&p->K, u[i], Ku[i]);
        status = apply(s, k.workd, k.resid);
        memcpy(k.workd, k.resid, (size_t)p->nv * sizeof *k.resid);
    }
    for (int i = 0; i < 3 && status == NT_OK; i++)
        for (int j = 0; j < 3; j++) {
            double ij = 0, ji = 0, sum = 0;
            for (int l = 0; l < p->nv; l++) {
                ij += u[i][l] * Ku[j][l], ji += u[j][l] * Ku[i][l];
                sum += fabs(u[i][l] * Ku[j][l]);
            }
            off = fmax(off, fabs(ij - ji) / (sum > 0 ? sum : 1));
            size = fmax(size, sum);
        }
    s->symmetric = off <= 1e-10;
    free(room);
    nt_arena_free(&k.arena);
    return status;
}

static nt_status find(search *s, int count, nt_pairs *pairs)
{
    nt_pencil *p = s->pencil;
    int positions, velocities;
    nt_pencil_freedom(p, &positions, &velocities);
    nt_status status = nt_pencil_factor(p, s->sigma);
    s->symmetric = false;
    if (status == NT_OK && p->is_plain && p->problem->space.n_first == 0)
        status = look_for_symmetry(s);
    int n = s->symmetric ? p->nv : 2 * p->nv;
    int states = s->symmetric ? positions : positions + velocities;
    int nev = s->symmetric ? count : 2 * count;
    nev = nev < states - 2 ? nev : states - 2;
    int ncv = 2 * nev + 12 < states ? 2 * nev + 12 : states;
    krylov k = {0};
    if (status == NT_OK)
        status = nev < 1 ? NT_INVALID : take_krylov(&k, n, nev, ncv);
    if (status == NT_OK) {
        pthread_mutex_lock(&one_at_a_time);
        status = iterate(s, &k);
        if (status == NT_OK)
            status = s->symmetric ? take_symmetric(s, &k, pairs) : take_general(s, &k, pairs);
        pthread_mutex_unlock(&one_at_a_time);
    }
    nt_arena_free(&k.arena);
    return status;
}

/* The magnitude of the pair in the middle of those found, free motions (below `least`) aside. */
static double typical(const nt_pairs *pairs, double least)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < pairs->n; i++) {
        double size = hypot(pairs->s[2 * i], pairs->s[2 * i + 1]);
        if (size > least)
            sum += log(size), n++;
    }
    return n > 0 ? exp(sum / n) : 0;
}

static double worst_residual(const nt_pencil *p, const nt_pairs *pairs, double *scratch)
{
    double worst = 0;
    for (int i = 0; i < pairs->n; i++) {
        const double *x = pairs->x + 2 * (size_t)i * (size_t)p->n;
        worst = fmax(worst, nt_pencil_residual(p, pairs->s[2 * i], pairs->s[2 * i + 1], x, x + p->n,
                                               scratch));
    }
    return worst;
}

/* The first shift lies far below the largest frequency, where soft and stiff parts are thousands
 * apart; from the pairs found with it follows one that fits. */
static const double FIRST = 1e-3, FIT = 0.5;
static const double GOOD = 1e-11; /* residual, relative */

nt_status nt_pairs_sparse(nt_pencil *p, int count, nt_pairs *pairs, nt_error *error)
{
    double *scratch = calloc(9 * (size_t)p->n + 1, sizeof *scratch);
    if (!scratch)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    search s = {.pencil = p, .sigma = FIRST * p->size, .tau = 1 / p->size};
    s.b = scratch, s.c = scratch + p->n, s.d = s.c + p->n;
    nt_status status = NT_OK;
    for (int turn = 0; turn < 3; turn++) {
        *pairs = (nt_pairs){0};
        status = find(&s, count, pairs);
        double fitting = FIT * typical(pairs, 1e-4 * s.sigma);
        if (nt_is_final(status) || status == NT_INVALID ||
            (status == NT_OK && worst_residual(p, pairs, s.d + p->n) <= GOOD) || turn == 2)
            break;
        s.sigma = fitting > 0 && (fitting < 0.5 * s.sigma || fitting > 2 * s.sigma) ? fitting
                                                                                    : 0.3 * s.sigma;
        s.tau = 1 / s.sigma;
        nt_pairs_free(pairs);
    }
    free(scratch);
    if (status == NT_INVALID)
        return nt_fail(error, status, "the model has too few degrees of freedom for ARPACK");
    return status == NT_OK ? NT_OK
                           : nt_fail(error, status, "ARPACK found no %d modes: %s", count,
                                     nt_status_text(status));
}
