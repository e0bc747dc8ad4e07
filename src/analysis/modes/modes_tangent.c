/* Derivatives of eigenvalues and shapes in a parameter.
 *
 * A group of m modes whose eigenvalues are one, or next to one, is an invariant pair: vectors
 * X[n][m] and S = diag(s_k) with M X S^2 + C X S + K X = 0. (Most groups have one member.) With
 * A(s) = s^2 M
 * + s C + K in bordered form and L = X^H its derivative in the parameter is, column by column,
 *
 *   [ A(s_k)  B_k ] [ X'_k ]     [ A_p(s_k) X_k ]
 *   [   L      0  ] [ S'_k ] = - [      0       ],   column l of B_k: ((s_k + s_l) M + C) X_l.
 *
 * The matrix is regular where the group as a whole is apart from others, however close its members
 * are to each other. Eigenvalues of S' are the derivatives of those that part there; of one mode S'
 * is ds/dp itself, and X' is then normalised so that the entry which is 1 stays so.
 *
 * A_p is a difference of fourth order of M, C and K at states that follow the parameter. No
 * difference knows its own error, and where contacts open beside the state long steps are wrong:
 * several steps are tried, and each group takes the one with which others agree best. How far these
 * are is the derivative's doubt. */
#include "analysis/lapack.h"
#include "analysis/pencil/pencil.h"
#include "analysis/reference.h"
#include "base/error.h"
#include "model/model.h"

#include <nutate/analysis.h>

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef double _Complex number;

enum { MOST_UNKNOWNS = 1500, TRIED = 4, BESIDE = 4 };

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
    double *base[3];         /* [n][n] K, C, M row by row                      */
    double *value[3];        /* [size] the same, block by block                */
    double *slope[TRIED][3]; /* [size] their derivatives, by each of the steps */
    double *part[4];         /* [n] scratch: real and imaginary parts          */
    double *q;               /* of the state itself: those beside are looked for near it */
    size_t size;
    int n, n_dropped, *dropped;
} work;

/* Steps of differences, relative to the parameter's own size: of the longest fourth order leaves
 * 1e-11 where all is smooth, and so does rounding. */
static const double STEP[TRIED] = {1e-3, 1e-4, 1e-5, 1e-6};

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

static nt_status make_room(work *w)
{
    size_t n = (size_t)w->pencil->n;
    const nt_pattern *pattern = w->pencil->K.pattern;
    w->size = (size_t)pattern->offset[pattern->n_slots];
    w->dropped = NT_TAKE(&w->arena, w->pencil->nh + w->pencil->nn, int);
    bool taken = w->dropped != NULL;
    for (int k = 0; k < 3; k++) {
        taken &= (w->base[k] = NT_TAKE(&w->arena, n * n, double)) != NULL;
        taken &= (w->value[k] = NT_TAKE(&w->arena, w->size, double)) != NULL;
        for (int i = 0; i < TRIED; i++)
            taken &= (w->slope[i][k] = NT_TAKE(&w->arena, w->size, double)) != NULL;
    }
    for (int i = 0; i < 4; i++)
        taken &= (w->part[i] = NT_TAKE(&w->arena, n, double)) != NULL;
    return taken ? NT_OK : NT_NO_MEMORY;
}

static nt_status take_slope(work *w, const char *name, double value, double step,
                            double *const slope[3], nt_error *error)
{
    static const double at[BESIDE] = {-2, -1, 1, 2}, weight[BESIDE] = {1, -8, 8, -1};
    nt_pencil *p = w->pencil;
    const nt_matrix *matrices[3] = {&p->K, &p->C, &p->M};
    for (int i = 0; i < BESIDE; i++) {
        nt_status status = fill_at(w, name, value + at[i] * step, error);
        if (status != NT_OK)
            return status;
        if (p->n_dropped != w->n_dropped ||
            memcmp(p->dropped, w->dropped, (size_t)w->n_dropped * sizeof *w->dropped) != 0)
            return nt_fail(error, NT_UNSUPPORTED,
                           "other constraint rows are redundant near %s = %.9g: modes have no "
                           "derivative there",
                           name, value);
        for (int k = 0; k < 3; k++)
            for (size_t j = 0; j < w->size; j++)
                slope[k][j] += weight[i] * matrices[k]->values[j] / (12 * step);
    }
    return NT_OK;
}

static nt_status take_matrices(work *w, const char *name, double value, double size,
                               nt_error *error)
{
    nt_pencil *p = w->pencil;
    const nt_matrix *matrices[3] = {&p->K, &p->C, &p->M};
    if (make_room(w) != NT_OK)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    nt_status status = fill_at(w, name, value, error);
    if (status != NT_OK)
        return status;
    w->n_dropped = p->n_dropped;
    memcpy(w->dropped, p->dropped, (size_t)p->n_dropped * sizeof *w->dropped);
    for (int k = 0; k < 3; k++) {
        nt_matrix_dense(matrices[k], w->base[k]);
        memcpy(w->value[k], matrices[k]->values, w->size * sizeof *w->value[k]);
    }
    for (int i = 0; i < TRIED && status == NT_OK; i++)
        status = take_slope(w, name, value, STEP[i] * size, w->slope[i], error);
    return status;
}

static bool is_dropped(const work *w, int row)
{
    for (int i = 0; i < w->n_dropped; i++)
        if (w->dropped[i] == row)
            return true;
    return false;
}

/* out[n] = (a K + b C + c M) x of the matrices or their slopes. */
static void apply(const work *w, double *const values[3], number a, number b, number c,
                  const number *x, number *out)
{
    const number factor[3] = {a, b, c};
    for (int i = 0; i < w->n; i++) {
        out[i] = 0;
        w->part[0][i] = creal(x[i]), w->part[1][i] = cimag(x[i]);
    }
    for (int k = 0; k < 3; k++) {
        const nt_matrix matrix = {.pattern = w->pencil->K.pattern, .values = values[k]};
        if (factor[k] == 0)
            continue;
        nt_matrix_apply(&matrix, w->part[0], w->part[2]);
        nt_matrix_apply(&matrix, w->part[1], w->part[3]);
        for (int i = 0; i < w->n; i++)
            out[i] += factor[k] * CMPLX(w->part[2][i], w->part[3][i]);
    }
    for (int i = 0; i < w->n_dropped; i++)
        out[w->dropped[i]] = 0;
}

/* ---- one group
 * ------------------------------------------------------------------------------------- */

typedef struct group {
    const int *members; /* [m] */
    int m;
    number *s;           /* [m]                                          */
    number *X;           /* [m][n] vectors                               */
    number *dX[TRIED];   /* [m][n] by each of the steps                  */
    number *dS[TRIED];   /* [m][m] column by column                      */
    number *A, *b;       /* [n + m][n + m] and [TRIED][n + m], by column */
    number *roots, *way; /* [m], [m][m]: eigenvalues of S', each way as a combination of members */
    int *pivots;         /* [n + m]                                      */
    void *memory;
} group;

static number at_entry(const nt_mode *mode, int nv, int i)
{
    return i < nv ? CMPLX(mode->shape[0][i], mode->shape[1][i])
                  : CMPLX(mode->multipliers[0][i - nv], mode->multipliers[1][i - nv]);
}

static nt_status open_group(group *g, const work *w, const int *members, int m)
{
    size_t n = (size_t)w->n, k = (size_t)m, order = n + k;
    number *at = calloc(order * (order + TRIED) + n * k * (1 + TRIED) + k * k * (1 + TRIED) + 2 * k,
                        sizeof *at);
    *g = (group){.members = members, .m = m, .memory = at};
    g->pivots = calloc(order, sizeof *g->pivots);
    if (!at || !g->pivots)
        return NT_NO_MEMORY;
    g->A = at, at += order * order;
    g->b = at, at += order * TRIED;
    g->X = at, at += n * k;
    g->way = at, at += k * k;
    g->roots = at, at += k;
    g->s = at, at += k;
    for (int i = 0; i < TRIED; i++, at += n * k + k * k)
        g->dX[i] = at, g->dS[i] = at + n * k;
    for (int l = 0; l < m; l++) {
        nt_mode mode = nt_modes_at(w->modes, members[l]);
        g->s[l] = CMPLX(mode.eigenvalue[0], mode.eigenvalue[1]);
        for (int i = 0; i < w->n; i++)
            g->X[(size_t)l * n + (size_t)i] =
                is_dropped(w, i) ? 0 : at_entry(&mode, w->pencil->nv, i);
    }
    return NT_OK;
}

static void close_group(group *g)
{
    free(g->memory);
    free(g->pivots);
}

/* Column k of X' and S', by each of the steps. */
static nt_status find_column(work *w, group *g, int k)
{
    int n = w->n, size = n + g->m, tried = TRIED, info = 0;
    size_t order = (size_t)size, width = (size_t)n;
    number s = g->s[k];
    memset(g->A, 0, order * order * sizeof *g->A);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            size_t place = (size_t)i * width + (size_t)j;
            g->A[(size_t)j * order + (size_t)i] =
                (s * w->base[2][place] + w->base[1][place]) * s + w->base[0][place];
        }
    for (int d = 0; d < w->n_dropped; d++)
        for (int i = 0; i < n; i++) {
            size_t row = (size_t)w->dropped[d];
            g->A[row * order + (size_t)i] = g->A[(size_t)i * order + row] = (int)row == i;
        }
    for (int l = 0; l < g->m; l++) {
        const number *x = g->X + (size_t)l * width;
        apply(w, w->value, 0, 1, s + g->s[l], x, g->A + (width + (size_t)l) * order);
        for (int i = 0; i < w->pencil->nv; i++)
            g->A[(size_t)i * order + width + (size_t)l] = conj(x[i]);
    }
    memset(g->b, 0, order * TRIED * sizeof *g->b);
    for (int i = 0; i < TRIED; i++)
        apply(w, w->slope[i], -1, -s, -s * s, g->X + (size_t)k * width, g->b + (size_t)i * order);
    zgesv_(&size, &tried, (double *)g->A, &size, g->pivots, (double *)g->b, &size, &info);
    for (int i = 0; i < TRIED; i++) {
        const number *x = g->b + (size_t)i * order;
        memcpy(g->dX[i] + (size_t)k * width, x, width * sizeof *x);
        memcpy(g->dS[i] + k * g->m, x + n, (size_t)g->m * sizeof *x);
    }
    return info == 0 ? NT_OK : NT_SINGULAR;
}

/* How far the derivatives of two steps are apart. */
static double steps_apart(const group *g, int i, int j)
{
    double apart = 0;
    for (int k = 0; k < g->m * g->m; k++)
        apart = fmax(apart, cabs(g->dS[i][k] - g->dS[j][k]));
    return apart;
}

/* The step with which most others agree: the one whose second nearest other step is the nearest.
 * Two may agree by chance. */
static int choose_step(const group *g, double *doubt)
{
    int best = 0;
    *doubt = (double)INFINITY;
    for (int i = 0; i < TRIED; i++) {
        double first = (double)INFINITY, second = (double)INFINITY;
        for (int j = 0; j < TRIED; j++) {
            double apart = j == i ? (double)INFINITY : steps_apart(g, i, j);
            second = fmin(second, fmax(first, apart));
            first = fmin(first, apart);
        }
        if (second < *doubt)
            *doubt = second, best = i;
    }
    return best;
}

/* Eigenvalues of S' in the order of the members that they have most of. */
static nt_status split(group *g, const number *dS)
{
    int m = g->m, info = 0, room = 8 * m;
    if (m == 1) {
        g->roots[0] = dS[0], g->way[0] = 1;
        return NT_OK;
    }
    size_t square = (size_t)m * (size_t)m;
    number *scratch = calloc((size_t)room + 2 * square + (size_t)m, sizeof *scratch);
    double *more = calloc(2 * (size_t)m, sizeof *more);
    bool *used = calloc(2 * (size_t)m, sizeof *used);
    bool taken = scratch && more && used;
    if (taken) {
        number *copy = scratch + room, *vectors = copy + square, *roots = vectors + square;
        memcpy(copy, dS, square * sizeof *copy);
        zgeev_("N", "V", &m, (double *)copy, &m, (double *)roots, (double *)vectors, &m,
               (double *)vectors, &m, (double *)scratch, &room, more, &info, 1, 1);
        for (int pass = 0; pass < m && info == 0; pass++) {
            int k = -1, l = -1;
            for (int i = 0; i < m * m; i++)
                if (!used[i / m] && !used[m + i % m] &&
                    (k < 0 || cabs(vectors[i]) > cabs(vectors[k * m + l])))
                    k = i / m, l = i % m;
            used[k] = used[m + l] = true;
            g->roots[l] = roots[k];
            memcpy(g->way + l * m, vectors + k * m, (size_t)m * sizeof *vectors);
        }
    }
    free(scratch);
    free(more);
    free(used);
    return !taken ? NT_NO_MEMORY : info == 0 ? NT_OK : NT_NOT_CONVERGED;
}

/* The derivative of the direction `way` within the group, the entry that is 1 kept. */
static void take_shape(const work *w, const group *g, const number *way, const number *dX, int nv,
                       double *shape)
{
    const nt_problem *problem = w->pencil->problem;
    size_t n = (size_t)w->n;
    number x = 1, dx = 0;
    double most = 0;
    int largest = 0;
    for (int i = 0; i < nv; i++) {
        number at = 0;
        for (int l = 0; l < g->m; l++)
            at += way[l] * g->X[(size_t)l * n + (size_t)i];
        double part = cabs(at) * nt_problem_weight(problem, i);
        if (part > most * (1 + 1e-9))
            most = part, largest = i, x = at;
    }
    for (int l = 0; l < g->m; l++)
        dx += way[l] * dX[(size_t)l * n + (size_t)largest];
    for (int i = 0; i < nv; i++) {
        number y = 0, dy = 0;
        for (int l = 0; l < g->m; l++) {
            y += way[l] * g->X[(size_t)l * n + (size_t)i];
            dy += way[l] * dX[(size_t)l * n + (size_t)i];
        }
        number d = (dy - y * dx / x) / x / nt_problem_weight(problem, largest);
        shape[i] = creal(d), shape[nv + i] = cimag(d);
    }
}

static nt_status differentiate(work *w, const int *members, int m, nt_mode_rates *out)
{
    int nv = w->pencil->nv, chosen = 0;
    double doubt = 0;
    group g;
    nt_status status = open_group(&g, w, members, m);
    for (int k = 0; k < m && status == NT_OK; k++)
        status = find_column(w, &g, k);
    if (status == NT_OK) {
        chosen = choose_step(&g, &doubt);
        status = split(&g, g.dS[chosen]);
    }
    for (int k = 0; k < m && status == NT_OK; k++) {
        double *shape = NT_TAKE(&out->arena, 2 * (size_t)nv, double), modulus = cabs(g.s[k]);
        number ds = g.roots[k];
        if (!shape) {
            status = NT_NO_MEMORY;
            break;
        }
        take_shape(w, &g, g.way + k * m, g.dX[chosen], nv, shape);
        nt_mode_rate *rate = &out->rate[members[k]];
        *rate = (nt_mode_rate){.eigenvalue = {creal(ds), cimag(ds)},
                               .frequency = cimag(ds) / 6.283185307179586476925286766559,
                               .shape = {shape, shape + nv},
                               .repeated = m > 1,
                               .doubt = doubt};
        if (modulus > 0) /* of -Re(s)/|s| */
            rate->damping_ratio = -creal(ds) / modulus + creal(g.s[k]) * creal(conj(g.s[k]) * ds) /
                                                             (modulus * modulus * modulus);
    }
    close_group(&g);
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
        if (status != NT_OK && !nt_is_final(status))
            return nt_fail(error, status, "mode %d has no derivative: its eigenvalue is defective",
                           i + 1);
    }
    return status == NT_OK ? NT_OK : nt_fail(error, status, "out of memory");
}

/* ---- public
 * ------------------------------------------------------------------------------------------ */

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
        status = take_matrices(&w, parameter, value, size, error);
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
    status = nt_system_ends(system, status, error);
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
