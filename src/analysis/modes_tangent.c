/* Derivatives of eigenvalues and shapes in a parameter.
 *
 * With A(s, p) = s^2 M + s C + K in bordered form, X[n][m] the vectors of a group of m modes with
 * one eigenvalue s (most groups have one member) and L = X^H,
 *
 *   [ A   A_s X ] [ X' ]     [ A_p X ]
 *   [ L     0   ] [ G  ] = - [   0   ].
 *
 * The matrix is regular where the eigenvalue is semisimple. Eigenvalues of G are the derivatives of
 * those that part from s; of one mode it is ds/dp itself, and X' is then normalised so that the
 * entry which is 1 stays so. A_p is a difference of fourth order of M, C and K at states that
 * follow the parameter. */
#include "analysis/lapack.h"
#include "analysis/pencil.h"
#include "analysis/reference.h"
#include "base/error.h"
#include "model/model.h"

#include <nutate/analysis.h>

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef double _Complex number;

enum { MOST_UNKNOWNS = 1500, STEPS = 4 };

struct nt_mode_rates {
    nt_arena arena;
    nt_mode_rate *rate; /* [n] */
    int n;
};

typedef struct work {
    const nt_modes *modes;
    nt_run *run;
    nt_about about;
    nt_pencil *pencil;
    nt_arena arena;
    double *base[3], *slope[3]; /* [n][n] K, C, M row by row, and their derivatives */
    double *q;                  /* of the state itself: those beside are looked for near it */
    int n, n_dropped, *dropped;
} work;

/* ---- matrices along the parameter --------------------------------------------------------------
 */

static nt_status fill_at(work *w, const char *name, double value, nt_error *error)
{
    nt_reference *reference = NULL;
    nt_status status = nt_model_set(w->run, name, value, error);
    if (status == NT_OK)
        status = nt_reference_create_near(&reference, w->run, w->about, w->q, error);
    if (status == NT_OK) {
        double turn[3];
        nt_state s = nt_reference_state(reference);
        const nt_point at = {s.t, s.q, s.v, s.vdot, s.lambda, s.mu, s.memory};
        if (!w->q && (w->q = NT_TAKE(&w->arena, w->pencil->problem->nq, double)) != NULL)
            memcpy(w->q, s.q, (size_t)w->pencil->problem->nq * sizeof *w->q);
        nt_reference_turn(reference, turn);
        status = nt_pencil_fill(w->pencil, &at, turn, error);
    }
    nt_reference_destroy(reference);
    return status;
}

static nt_status take_matrices(work *w, const char *name, double value, double step,
                               nt_error *error)
{
    static const double at[STEPS] = {-2, -1, 1, 2}, weight[STEPS] = {1, -8, 8, -1};
    nt_pencil *p = w->pencil;
    size_t size = (size_t)p->n * (size_t)p->n;
    double *one = NT_TAKE(&w->arena, size, double);
    const nt_matrix *matrices[3] = {&p->K, &p->C, &p->M};
    w->dropped = NT_TAKE(&w->arena, p->nh + p->nn, int);
    for (int k = 0; k < 3; k++) {
        w->base[k] = NT_TAKE(&w->arena, size, double);
        w->slope[k] = NT_TAKE(&w->arena, size, double);
    }
    if (!one || !w->dropped || !w->slope[2])
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    nt_status status = fill_at(w, name, value, error);
    if (status != NT_OK)
        return status;
    w->n_dropped = p->n_dropped;
    memcpy(w->dropped, p->dropped, (size_t)p->n_dropped * sizeof *w->dropped);
    for (int k = 0; k < 3; k++)
        nt_matrix_dense(matrices[k], w->base[k]);
    for (int i = 0; i < STEPS; i++) {
        if ((status = fill_at(w, name, value + at[i] * step, error)) != NT_OK)
            return status;
        if (p->n_dropped != w->n_dropped ||
            memcmp(p->dropped, w->dropped, (size_t)w->n_dropped * sizeof *w->dropped) != 0)
            return nt_fail(error, NT_UNSUPPORTED,
                           "other constraint rows are redundant near %s = %.9g: modes have no "
                           "derivative there",
                           name, value);
        for (int k = 0; k < 3; k++) {
            nt_matrix_dense(matrices[k], one);
            for (size_t j = 0; j < size; j++)
                w->slope[k][j] += weight[i] * one[j] / (12 * step);
        }
    }
    return NT_OK;
}

static bool is_dropped(const work *w, int row)
{
    for (int i = 0; i < w->n_dropped; i++)
        if (w->dropped[i] == row)
            return true;
    return false;
}

/* out[n] = (a K + b C + c M) x of the matrices or their slopes. */
static void apply(const work *w, double *const matrices[3], number a, number b, number c,
                  const number *x, number *out)
{
    size_t n = (size_t)w->n;
    for (size_t i = 0; i < n; i++) {
        out[i] = 0;
        for (size_t j = 0; j < n && !is_dropped(w, (int)i); j++)
            out[i] += (a * matrices[0][i * n + j] + b * matrices[1][i * n + j] +
                       c * matrices[2][i * n + j]) *
                      x[j];
    }
}

/* ---- one group
 * ------------------------------------------------------------------------------------- */

static number at_entry(const nt_mode *mode, int nv, int i)
{
    return i < nv ? CMPLX(mode->shape[0][i], mode->shape[1][i])
                  : CMPLX(mode->multipliers[0][i - nv], mode->multipliers[1][i - nv]);
}

/* Eigenvalues of G[m][m], column by column, into roots[m], with vectors[m][m]. */
static nt_status split(int m, number *G, number *roots, number *vectors)
{
    if (m == 1) {
        roots[0] = G[0], vectors[0] = 1;
        return NT_OK;
    }
    int info = 0, room = 8 * m;
    number *scratch = calloc((size_t)room, sizeof *scratch);
    double *more = calloc(2 * (size_t)m, sizeof *more);
    bool taken = scratch && more;
    if (taken)
        zgeev_("N", "V", &m, (double *)G, &m, (double *)roots, (double *)vectors, &m,
               (double *)vectors, &m, (double *)scratch, &room, more, &info, 1, 1);
    free(scratch);
    free(more);
    return !taken ? NT_NO_MEMORY : info == 0 ? NT_OK : NT_NOT_CONVERGED;
}

/* Of modes members[m], one eigenvalue. */
static nt_status differentiate(work *w, const int *members, int m, nt_mode_rates *out)
{
    int n = w->n, nv = w->pencil->nv, size = n + m, info = 0;
    size_t order = (size_t)size;
    nt_mode first = nt_modes_at(w->modes, members[0]);
    number s = CMPLX(first.eigenvalue[0], first.eigenvalue[1]);
    number *A =
        calloc(order * order + 2 * order * (size_t)m + 3 * (size_t)(m * m) + (size_t)m, sizeof *A);
    int *pivots = calloc(order, sizeof *pivots);
    if (!A || !pivots) {
        free(A);
        free(pivots);
        return NT_NO_MEMORY;
    }
    number *b = A + order * order, *X = b + order * (size_t)m, *G = X + order * (size_t)m;
    number *roots = G + m * m, *vectors = roots + m;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            size_t place = (size_t)i * (size_t)n + (size_t)j;
            bool off = is_dropped(w, i) || is_dropped(w, j);
            A[(size_t)j * order + (size_t)i] =
                off ? i == j : (s * w->base[2][place] + w->base[1][place]) * s + w->base[0][place];
        }
    for (int k = 0; k < m; k++) {
        nt_mode mode = nt_modes_at(w->modes, members[k]);
        number *x = X + (size_t)k * order;
        for (int i = 0; i < n; i++)
            x[i] = is_dropped(w, i) ? 0 : at_entry(&mode, nv, i);
        apply(w, w->base, 0, 1, 2 * s, x, A + (order - (size_t)m + (size_t)k) * order);
        for (int i = 0; i < nv; i++)
            A[(size_t)i * order + (size_t)(n + k)] = conj(x[i]);
        apply(w, w->slope, -1, -s, -s * s, x, b + (size_t)k * order);
    }
    zgesv_(&size, &m, (double *)A, &size, pivots, (double *)b, &size, &info);
    nt_status status = info == 0 ? NT_OK : NT_SINGULAR;
    for (int k = 0; k < m; k++)
        memcpy(G + (size_t)k * (size_t)m, b + (size_t)k * order + n, (size_t)m * sizeof *G);
    if (status == NT_OK)
        status = split(m, G, roots, vectors);
    for (int k = 0; k < m && status == NT_OK; k++) {
        nt_mode_rate *rate = &out->rate[members[k]];
        double *shape = NT_TAKE(&out->arena, 2 * (size_t)nv, double), most = 0;
        number x = 1, dx = 0;
        if (!shape) {
            status = NT_NO_MEMORY;
            break;
        }
        int largest = 0;
        for (int i = 0; i < nv; i++) { /* the entry that is 1: of the direction within the group */
            number at = 0;
            for (int l = 0; l < m; l++)
                at += vectors[k * m + l] * X[(size_t)l * order + (size_t)i];
            double part = cabs(at) * nt_problem_weight(w->pencil->problem, i);
            if (part > most * (1 + 1e-9))
                most = part, largest = i, x = at;
        }
        for (int l = 0; l < m; l++)
            dx += vectors[k * m + l] * b[(size_t)l * order + (size_t)largest];
        for (int i = 0; i < nv; i++) {
            number y = 0, dy = 0;
            for (int l = 0; l < m; l++) {
                y += vectors[k * m + l] * X[(size_t)l * order + (size_t)i];
                dy += vectors[k * m + l] * b[(size_t)l * order + (size_t)i];
            }
            number d = (dy - y * dx / x) / x / nt_problem_weight(w->pencil->problem, largest);
            shape[i] = creal(d), shape[nv + i] = cimag(d);
        }
        number ds = roots[k];
        double modulus = cabs(s);
        *rate = (nt_mode_rate){.eigenvalue = {creal(ds), cimag(ds)},
                               .frequency = cimag(ds) / 6.283185307179586476925286766559,
                               .shape = {shape, shape + nv},
                               .repeated = m > 1};
        if (modulus > 0) /* of -Re(s)/|s| */
            rate->damping_ratio = -creal(ds) / modulus +
                                  creal(s) * creal(conj(s) * ds) / (modulus * modulus * modulus);
    }
    free(A);
    free(pivots);
    return status;
}

static nt_status differentiate_all(work *w, nt_mode_rates *out, nt_error *error)
{
    int *members = NT_TAKE(&w->arena, out->n, int);
    nt_status status = members ? NT_OK : NT_NO_MEMORY;
    for (int i = 0; i < out->n && status == NT_OK; i++) {
        int m = 0;
        if (nt_modes_at(w->modes, i).group != i)
            continue;
        for (int j = i; j < out->n; j++)
            if (nt_modes_at(w->modes, j).group == i)
                members[m++] = j;
        if (nt_modes_at(w->modes, i).moves_freely) { /* it goes on so, as far as is known here */
            for (int j = 0; j < m; j++)
                out->rate[members[j]].repeated = 1;
            continue;
        }
        status = differentiate(w, members, m, out);
        if (status != NT_OK && status != NT_NO_MEMORY)
            return nt_fail(error, status, "mode %d has no derivative: its eigenvalue is defective",
                           i + 1);
    }
    return status == NT_OK ? NT_OK : nt_fail(error, status, "out of memory");
}

/* ---- public
 * ------------------------------------------------------------------------------------------ */

/* A step of differences, relative to the parameter's own size: fourth order leaves 1e-11, rounding
 * too.
 */
static const double STEP = 1e-3;

nt_status nt_mode_rates_create(nt_mode_rates **rates, const nt_modes *modes, nt_run *run,
                               nt_about about, const char *parameter, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "rates", rates);
    *rates = NULL;
    NT_NEED(error, "modes run parameter", modes, run, parameter);
    NT_NEED_NUMBER(error, "about", about, NT_ABOUT_STATIC, NT_ABOUT_STEADY);
    const nt_system *system = &run->system;
    int number_of = -1;
    for (int i = 0; i < system->n_parameters; i++)
        if (strcmp(system->parameter_names[i], parameter) == 0)
            number_of = i;
    if (number_of < 0)
        return nt_fail(error, NT_INVALID, "the model has no parameter '%s'", parameter);
    double value = run->parameters[number_of].value;
    double size =
        system->parameter_scale ? system->parameter_scale[number_of] : fmax(fabs(value), 1);
    work w = {.modes = modes, .run = run, .about = about};
    nt_mode_rates *out = calloc(1, sizeof *out);
    if (!out)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    out->n = nt_modes_count(modes);
    out->rate = NT_TAKE(&out->arena, out->n, nt_mode_rate);
    nt_status status = out->rate ? nt_pencil_create(&w.pencil, system, error)
                                 : nt_fail(error, NT_NO_MEMORY, "out of memory");
    if (status == NT_OK && (w.n = w.pencil->n) > MOST_UNKNOWNS)
        status = nt_fail(error, NT_UNSUPPORTED,
                         "the model has %d unknowns, expected at most %d for derivatives of modes",
                         w.n, MOST_UNKNOWNS);
    if (status == NT_OK) {
        status = take_matrices(&w, parameter, value, STEP * size, error);
        nt_error why = {0};
        nt_status back = nt_model_set(run, parameter, value, &why);
        if (back != NT_OK && status == NT_OK)
            status = nt_fail(error, back, "%s cannot be set back to %.9g: %s", parameter, value,
                             why.message);
    }
    if (status == NT_OK)
        status = differentiate_all(&w, out, error);
    nt_pencil_destroy(w.pencil);
    nt_arena_free(&w.arena);
    if (status != NT_OK) {
        nt_mode_rates_destroy(out);
        return nt_said(error, status);
    }
    *rates = out;
    return NT_OK;
}

void nt_mode_rates_destroy(nt_mode_rates *rates)
{
    if (!rates)
        return;
    nt_arena_free(&rates->arena);
    free(rates);
}

nt_mode_rate nt_mode_rates_at(const nt_mode_rates *rates, int i)
{
    return rates && i >= 0 && i < rates->n ? rates->rate[i] : (nt_mode_rate){0};
}
