/* How stiff a static state is: the smallest eigenvalue of K x = rho D x on what may move.
 *
 * D >= |K| bounds rho from below by -1, so that K + s D with s > 1 is positive definite. Lanczos'
 * method on its inverse finds negative eigenvalues that are far from zero; the same with s = 0 but
 * for rounding finds those near zero, of either sign: so together they miss none. */
#include "analysis/static/static.h"

#include "base/chance.h"
#include "base/error.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Lanczos' method ------------------------------------------------------------------------ */

enum { MOST_VECTORS = 40, FEW_VECTORS = 5 };

typedef struct lanczos {
    int m;                                     /* vectors so far                */
    double *v;                                 /* [m + 1][nv]                   */
    double T[MOST_VECTORS][MOST_VECTORS];      /* projected operator, symmetric */
    double vector[MOST_VECTORS][MOST_VECTORS]; /* its eigenvectors, by column   */
} lanczos;

/* x = (K + shift D)^-1 D x, on what may move. sound: the matrix is far from singular, so that
 * factors that were right once need no further look. */
static nt_status apply(nt_static *s, bool sound, const double *x, double *out)
{
    const nt_problem *p = s->problem;
    double *b = s->other;
    memset(b, 0, (size_t)p->n * sizeof *b);
    for (int i = 0; i < p->nv; i++)
        b[i] = s->drag[i] * x[i];
    nt_status status = sound ? nt_static_solve_kept(s, b) : nt_static_solve_linear(s, b);
    memcpy(out, b, (size_t)p->nv * sizeof *out);
    return status;
}

/* w is made orthogonal to the first k vectors, twice, which is enough; returns its length. */
static double orthogonalise(const nt_static *s, const lanczos *l, int k, double *w)
{
    size_t nv = (size_t)s->problem->nv;
    for (int pass = 0; pass < 2; pass++)
        for (int j = 0; j < k; j++) {
            const double *v = l->v + (size_t)j * nv;
            double along = nt_static_dot(s, v, w);
            for (size_t i = 0; i < nv; i++)
                w[i] -= along * v[i];
        }
    return sqrt(fmax(nt_static_dot(s, w, w), 0));
}

static void scale(double *x, double by, int n)
{
    for (int i = 0; i < n; i++)
        x[i] *= by;
}

/* Begins with the same numbers every time, none of them small. */
static void begin(const nt_static *s, double *x)
{
    unsigned seed = 1;
    for (int i = 0; i < s->problem->nv; i++) {
        double size = 1 + 0.5 * (1 + nt_chance(&seed));
        x[i] = s->is_first[i] ? 0 : size / sqrt(s->drag[i]);
        x[i] *= seed & 128 ? 1 : -1;
    }
}

static nt_status build(nt_static *s, bool sound, lanczos *l, int most)
{
    int nv = s->problem->nv;
    double *v = l->v, scale_of = 0;
    begin(s, v);
    nt_status status = apply(s, sound, v, v); /* now it keeps the constraints */
    double length = status == NT_OK ? sqrt(nt_static_dot(s, v, v)) : 0;
    memset(l->T, 0, sizeof l->T);
    l->m = 0;
    while (status == NT_OK && length > 1e-13 * scale_of && length > 0 && l->m < most) {
        double *w = v + (size_t)(l->m + 1) * (size_t)nv, *now = v + (size_t)l->m * (size_t)nv;
        scale(now, 1 / length, nv);
        status = apply(s, sound, now, w);
        l->T[l->m][l->m] = nt_static_dot(s, now, w);
        length = orthogonalise(s, l, l->m + 1, w);
        scale_of = fmax(scale_of, fmax(length, fabs(l->T[l->m][l->m])));
        l->m++;
        if (l->m < most)
            l->T[l->m][l->m - 1] = l->T[l->m - 1][l->m] = length;
    }
    return status;
}

/* Jacobi's rotations: T becomes diagonal. */
static void diagonalise(lanczos *l)
{
    int m = l->m;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            l->vector[i][j] = i == j;
    for (int sweep = 0; sweep < 30; sweep++) {
        double off = 0, on = 0;
        for (int i = 0; i < m; i++)
            for (int j = 0; j < m; j++)
                *(i == j ? &on : &off) += l->T[i][j] * l->T[i][j];
        if (off <= DBL_EPSILON * DBL_EPSILON * on)
            return;
        for (int a = 0; a < m; a++)
            for (int b = a + 1; b < m; b++) {
                if (l->T[a][b] == 0)
                    continue;
                double theta = (l->T[b][b] - l->T[a][a]) / (2 * l->T[a][b]);
                double t = copysign(1, theta) / (fabs(theta) + sqrt(1 + theta * theta));
                double c = 1 / sqrt(1 + t * t), sine = c * t;
                for (int k = 0; k < m; k++) {
                    double x = l->T[k][a], y = l->T[k][b];
                    l->T[k][a] = c * x - sine * y, l->T[k][b] = sine * x + c * y;
                    x = l->vector[k][a], y = l->vector[k][b];
                    l->vector[k][a] = c * x - sine * y, l->vector[k][b] = sine * x + c * y;
                }
                for (int k = 0; k < m; k++) {
                    double x = l->T[a][k], y = l->T[b][k];
                    l->T[a][k] = c * x - sine * y, l->T[b][k] = sine * x + c * y;
                }
            }
    }
}

/* Because |rho| <= 1, any theta that is smaller is rounding. */
static const double LEAST_THETA = 0.4;

/* The smallest rho of those found, its vector into x. */
static double smallest(const nt_static *s, const lanczos *l, double shift, double least, double *x)
{
    int best = 0, nv = s->problem->nv;
    double rho = (double)INFINITY;
    for (int k = 0; k < l->m; k++) {
        double theta = l->T[k][k], r = 1 / theta - shift;
        if (fabs(theta) > least && r < rho) {
            rho = r;
            best = k;
        }
    }
    memset(x, 0, (size_t)nv * sizeof *x);
    for (int j = 0; j < l->m; j++)
        for (int i = 0; i < nv; i++)
            x[i] += l->vector[j][best] * l->v[(size_t)j * (size_t)nv + (size_t)i];
    return rho;
}

/* The first makes the matrix positive definite, the second all but singular where it is free. */
static const double SHIFTS[2] = {1.05, 1e-13};

nt_status nt_static_find_softest(nt_static *s, bool roughly, double *value)
{
    int nv = s->problem->nv, wanted = roughly ? FEW_VECTORS : MOST_VECTORS;
    int most = nv < wanted ? nv : wanted;
    lanczos *l = malloc(sizeof *l);
    double *v = malloc(((size_t)most + 1) * (size_t)nv * sizeof *v);
    nt_status status = l && v ? nt_static_find_drag(s) : NT_NO_MEMORY;
    *value = (double)INFINITY;
    for (int pass = 0; pass < (roughly ? 1 : 2) && status == NT_OK; pass++) {
        l->v = v;
        if (pass > 0)
            nt_solver_forget(s->solver);
        status = nt_static_factor(s, SHIFTS[pass]);
        if (status == NT_OK)
            status = build(s, SHIFTS[pass] > 1, l, most);
        if (status != NT_OK)
            break;
        diagonalise(l);
        double rho = smallest(s, l, SHIFTS[pass], LEAST_THETA, s->vector[0]);
        if (l->m > 0 && rho < *value) {
            *value = rho;
            memcpy(s->softest, s->vector[0], (size_t)nv * sizeof *s->softest);
        }
    }
    free(v);
    free(l);
    return status;
}

/* By how much x grows in two inverse iterations with the factors of Newton's last one. */
static nt_status grows(nt_static *s, double *x, double *growth)
{
    double first = sqrt(nt_static_dot(s, x, x));
    nt_status status = apply(s, true, x, x);
    double second = sqrt(nt_static_dot(s, x, x));
    if (status == NT_OK)
        status = apply(s, true, x, x);
    *growth = fmax(second / first, second > 0 ? sqrt(nt_static_dot(s, x, x)) / second : 0);
    return status;
}

/* Below it no direction is free, whatever the random vector missed. */
static const double SMALL_GROWTH = 1e5, GROWS_FREELY = 1e10;

/* Inverse iterations; and how many where the stiffness comes out next to none. Where forces turn
 * with what they push, a translation that nothing resists takes a share of a rotation along, which
 * falls as one over the iterations. */
enum { ITERATIONS = 4, MOST_ITERATIONS = 32 };

nt_status nt_static_find_free(nt_static *s, bool *free_motion)
{
    double length = 0, growth = 0, stiffness = 0, *x = s->softest;
    *free_motion = false;
    nt_status status = NT_OK;
    begin(s, x);
    if (s->has_factors && (status = grows(s, x, &growth)) == NT_OK && growth < SMALL_GROWTH)
        return NT_OK;
    begin(s, x);
    status = nt_static_find_drag(s);
    nt_solver_forget(s->solver); /* the matrix is next to singular: the best pivots are wanted */
    if (status == NT_OK)
        status = nt_static_factor(s, SHIFTS[1]);
    for (int i = 0; i < MOST_ITERATIONS && status == NT_OK && !*free_motion; i++) {
        status = apply(s, false, x, x);
        length = sqrt(nt_static_dot(s, x, x));
        if (!(length > 0)) /* nothing can move */
            return status;
        scale(x, 1 / length, s->problem->nv);
        if (i + 1 < ITERATIONS)
            continue;
        if (status != NT_OK || length < GROWS_FREELY)
            return status;
        /* its stiffness is more exact than its growth, which rounding of the factors bounds */
        memcpy(s->shown, x, (size_t)s->problem->nv * sizeof *x);
        stiffness = fabs(nt_static_stiffness_along(s, s->shown));
        *free_motion = stiffness <= NT_STATIC_FREE;
        if (stiffness > SHIFTS[1])
            break;
    }
    return status;
}

nt_status nt_static_find_slowest(nt_static *s, double shift)
{
    int nv = s->problem->nv, most = nv < MOST_VECTORS ? nv : MOST_VECTORS;
    double *drag = s->drag, *weight = s->vector[1], largest[2] = {0, 0};
    for (int i = 0; i < nv; i++)
        largest[s->problem->quantity[i]] = fmax(largest[s->problem->quantity[i]], s->mass[i]);
    for (int i = 0; i < nv; i++) {
        double size = largest[s->problem->quantity[i]];
        weight[i] = fmax(s->mass[i], 1e-9 * (size > 0 ? size : 1));
    }
    lanczos *l = malloc(sizeof *l);
    double *v = malloc(((size_t)most + 1) * (size_t)nv * sizeof *v);
    nt_solver_forget(s->solver);
    s->drag = weight;
    nt_status status = l && v ? nt_static_factor(s, shift) : NT_NO_MEMORY;
    if (status == NT_OK) {
        l->v = v;
        status = build(s, false, l, most);
    }
    if (status == NT_OK && l->m > 0) {
        double largest_theta = 0; /* those far below it are rounding, of either sign */
        diagonalise(l);
        for (int k = 0; k < l->m; k++)
            largest_theta = fmax(largest_theta, fabs(l->T[k][k]));
        smallest(s, l, shift, 1e-6 * largest_theta, s->softest);
    }
    s->drag = drag;
    free(v);
    free(l);
    return status;
}

/* Rounding makes K less unsymmetric than that, relative to the drag, where forces have a potential.
 * Loads that follow a slender part may be less as well, and still all that bends it: along the
 * softest direction the antisymmetric part is to be small beside the softness, too, or rounding. */
static const double SYMMETRIC = 1e-14, BESIDE_SOFTNESS = 1e-3;

/* x^T (K - K^T) y, relative to the drag; x and y keep the constraints. */
static double antisymmetry(nt_static *s, const double *x, const double *y)
{
    const nt_problem *p = s->problem;
    double sum = 0, size = sqrt(nt_static_dot(s, x, x) * nt_static_dot(s, y, y));
    for (int k = 0; k < 2; k++) {
        memset(s->other, 0, (size_t)p->n * sizeof *s->other);
        nt_matrix_apply_primary(s->derivative, k ? x : y, (size_t)p->n, s->other, (size_t)p->n, 1);
        for (int i = 0; i < p->nv; i++)
            sum += (k ? -1 : 1) * (k ? y : x)[i] * s->other[i];
    }
    return size > 0 ? fabs(sum) / size : 0;
}

nt_status nt_static_is_symmetric(nt_static *s, double softness, bool *symmetric)
{
    const nt_problem *p = s->problem;
    double *x = s->vector[0], *y = s->vector[1];
    nt_status status = nt_static_find_drag(s);
    if (status == NT_OK)
        status = nt_static_factor(s, SHIFTS[0]);
    begin(s, x);
    if (status == NT_OK)
        status = apply(s, true, x, x);
    for (int i = 0; i < p->nv; i++) /* another direction: of other signs */
        y[i] = i % 3 == 0 ? -x[i] : x[i];
    if (status == NT_OK)
        status = apply(s, true, y, y);
    *symmetric =
        status != NT_OK || (antisymmetry(s, x, y) <= SYMMETRIC &&
                            antisymmetry(s, s->softest, y) <=
                                fmax(DBL_EPSILON, fmin(SYMMETRIC, BESIDE_SOFTNESS * softness)));
    return status;
}
