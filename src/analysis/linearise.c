/* State-space models in independent coordinates.
 *
 * nt_linear_respond gives x0' = A x0 + b0 u + b1 u' + b2 u'' for the displacements and velocities
 * x0 = (p, s), and with the direction in which recorded quantities change
 * y = C x0 + d0 u + d1 u' + d2 u''. Under way these are the matrices: B1 = b1 and B2 = b2 stand
 * beside B = b0. Where the state rests or is steady, all of them are constant, and
 * x = x0 - b2 u' - (b1 + A b2) u has x' = A x + B u alone:
 *
 *   B = b0 + A (b1 + A b2),   D = d0 + C (b1 + A b2),   D1 = d1 + C b2,   D2 = d2. */
#include "analysis/lapack.h"
#include "analysis/linear/linear.h"
#include "method/state.h"
#include "system/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = NT_LINEAR_NAME, MOST_UNKNOWNS = 3000 };

/* ---- outputs
 * ---------------------------------------------------------------------------------------- */

/* out[rows] += factor A x */
static void add_times(const nt_columns *A, double factor, const double *x, double *out)
{
    for (int j = 0; j < A->columns; j++)
        for (int i = 0; i < A->rows; i++)
            out[i] += factor * *nt_entry(A, i, j) * x[j];
}

/* s0' = S x0' + t0 u' + t1 u'' is part of y''. */
static void add_massless(nt_linear *l, int i, int k, nt_linear_direction *to)
{
    const nt_reduced *r = &l->r;
    int nv = l->pencil->nv;
    double *s = l->s, *rate = l->s0, *a = l->scratch;
    memset(rate, 0, (size_t)l->massless * sizeof *rate);
    add_times(&l->S, 1, to->rate, rate);
    for (int j = 0; i >= 0 && k > 0 && j < l->massless; j++)
        rate[j] += *nt_entry(&l->t[k - 1], j, i);
    memset(s, 0, (size_t)r->d * sizeof *s);
    memset(a, 0, (size_t)nv * sizeof *a);
    add_times(&l->N, 1, rate, s);
    add_times(&r->Y, 1, s, a);
    add_times(&r->Z, 1, a, to->y[2]);
}

/* What follows of x0, or of the kth derivative of input i, in the system's terms. */
static nt_status follow(nt_linear *l, const double *x, int i, int k, nt_linear_direction *to)
{
    const nt_reduced *r = &l->r;
    int nv = l->pencil->nv;
    nt_linear_respond(l, x, i, k, to);
    if (l->S.a)
        add_massless(l, i, k, to);
    memset(to->forces, 0, (size_t)(l->pencil->nh + l->pencil->nn) * sizeof *to->forces);
    nt_reduced_forces(r, to->left, to->forces, to->z);
    for (int m = 0; m < 3; m++)
        for (int j = 0; j < nv; j++)
            to->y[m][j] /= r->weight[j];
    return nt_pencil_rates(l->pencil, &l->at, l->turn, to->y[0], to->y[1], to->y[2], to->dv,
                           to->dvdot);
}

static nt_status sample(nt_linear *l, const nt_linear_direction *of, int parameter, double *out,
                        nt_error *error)
{
    const nt_state_rate rate = {.dq = of->y[0],
                                .dv = of->dv,
                                .dvdot = of->dvdot,
                                .dlambda = of->forces,
                                .dmu = of->forces + l->pencil->nh,
                                .parameter = parameter};
    return l->n_quantities == 0 ? NT_OK
                                : nt_run_sample_tangent(l->run, l->quantities, l->n_quantities,
                                                        &l->state, NULL, &rate, NULL, out, error);
}

static nt_status find_outputs(nt_linear *l, const nt_linear_setup *setup, nt_error *error)
{
    l->n_quantities = setup->n_outputs;
    l->quantities = NT_TAKE(&l->arena, l->n_quantities, nt_quantity_info);
    if (!l->quantities)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    for (int i = 0; i < l->n_quantities; i++) {
        nt_status status =
            nt_model_quantity(l->run->model, setup->outputs[i], &l->quantities[i], error);
        if (status != NT_OK)
            return status;
        l->n_outputs += l->quantities[i].columns;
    }
    l->outputs = nt_arena_take(&l->arena, (size_t)l->n_outputs, sizeof *l->outputs);
    if (!l->outputs)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    for (int i = 0, k = 0; i < l->n_quantities; i++)
        for (int j = 0; j < l->quantities[i].columns; j++) {
            char unit[NAME], meaning[NAME];
            nt_model_quantity_column(l->run->model, &l->quantities[i], j, l->outputs[k++], unit,
                                     meaning, NAME);
        }
    return NT_OK;
}

nt_status nt_linear_take_direction(nt_linear *l, nt_linear_direction *to)
{
    size_t nv = (size_t)l->pencil->nv, nc = (size_t)(l->pencil->nh + l->pencil->nn);
    double *a = NT_TAKE(&l->arena, 6 * nv + 2 * nc + (size_t)(l->n + l->massless), double);
    if (!a)
        return NT_NO_MEMORY;
    for (int m = 0; m < 3; m++, a += nv)
        to->y[m] = a;
    to->dv = a, to->dvdot = a + nv, to->left = a + 2 * nv;
    to->forces = a + 3 * nv, to->z = to->forces + nc;
    to->rate = to->z + nc, to->massless = to->rate + l->n;
    return NT_OK;
}

/* S and t, by which s0 follows; nothing where all has mass. */
static nt_status take_massless(nt_linear *l, double *x, nt_linear_direction *along)
{
    size_t bytes = (size_t)l->massless * sizeof *x;
    nt_columns S = nt_columns_take(&l->arena, l->massless, l->n);
    if (l->massless == 0)
        return NT_OK;
    bool good = S.a;
    for (int k = 0; k < 3; k++) {
        l->t[k] = nt_columns_take(&l->arena, l->massless, l->n_inputs);
        good = good && l->t[k].a;
    }
    if (!good)
        return NT_NO_MEMORY;
    for (int j = 0; j < l->n; j++) {
        memset(x, 0, (size_t)l->n * sizeof *x);
        x[j] = 1;
        nt_linear_respond(l, x, -1, 0, along);
        memcpy(nt_entry(&S, 0, j), along->massless, bytes);
    }
    for (int i = 0; i < l->n_inputs; i++)
        for (int k = 0; k < 3; k++) {
            nt_linear_respond(l, NULL, i, k, along);
            memcpy(nt_entry(&l->t[k], 0, i), along->massless, bytes);
        }
    l->S = S;
    return NT_OK;
}

/* A, b, C and d: a column of each for every state, and for every input with its two rates. */
static nt_status make_columns(nt_linear *l, nt_error *error)
{
    nt_linear_direction along;
    size_t n = (size_t)l->n;
    double *x = NT_TAKE(&l->arena, n, double);
    l->A = nt_columns_take(&l->arena, l->n, l->n);
    l->C = nt_columns_take(&l->arena, l->n_outputs, l->n);
    bool good = x && l->A.a && l->C.a && nt_linear_take_direction(l, &along) == NT_OK;
    for (int k = 0; k < 3; k++) {
        l->b[k] = nt_columns_take(&l->arena, l->n, l->n_inputs);
        l->D[k] = nt_columns_take(&l->arena, l->n_outputs, l->n_inputs);
        good = good && l->b[k].a && l->D[k].a;
    }
    good = good && take_massless(l, x, &along) == NT_OK;
    nt_status status = good ? NT_OK : nt_fail(error, NT_NO_MEMORY, "out of memory");
    for (int j = 0; j < l->n && status == NT_OK; j++) {
        memset(x, 0, n * sizeof *x);
        x[j] = 1;
        if ((status = follow(l, x, -1, 0, &along)) != NT_OK)
            break;
        memcpy(nt_entry(&l->A, 0, j), along.rate, n * sizeof *x);
        status = sample(l, &along, -1, nt_entry(&l->C, 0, j), error);
    }
    for (int i = 0; i < l->n_inputs; i++)
        for (int k = 0; k < 3 && status == NT_OK; k++) {
            if ((status = follow(l, NULL, i, k, &along)) != NT_OK)
                break;
            memcpy(nt_entry(&l->b[k], 0, i), along.rate, n * sizeof *x);
            status = sample(l, &along, k == 0 ? l->inputs[i].parameter : -1,
                            nt_entry(&l->D[k], 0, i), error);
        }
    return status == NT_OK ? NT_OK : nt_said(error, status);
}

/* B, B1 and B2: b themselves under way; else, from (x0, u, u', u'') to (x, u), B alone, and what D
 * and D1 gain. */
static nt_status take_inputs(nt_linear *l, bool steady)
{
    double *a = NT_TAKE(&l->arena, l->n, double);
    if (!a)
        return NT_NO_MEMORY;
    for (int k = 0; k < 3; k++) {
        l->B[k] = steady ? nt_columns_take(&l->arena, l->n, l->n_inputs) : l->b[k];
        if (!l->B[k].a)
            return NT_NO_MEMORY;
    }
    for (int i = 0; i < l->n_inputs && steady; i++) {
        const double *b2 = nt_entry(&l->b[2], 0, i);
        double *B = nt_entry(&l->B[0], 0, i);
        memcpy(a, nt_entry(&l->b[1], 0, i), (size_t)l->n * sizeof *a);
        add_times(&l->A, 1, b2, a); /* b1 + A b2 */
        memcpy(B, nt_entry(&l->b[0], 0, i), (size_t)l->n * sizeof *a);
        add_times(&l->A, 1, a, B);
        add_times(&l->C, 1, a, nt_entry(&l->D[0], 0, i));
        add_times(&l->C, 1, b2, nt_entry(&l->D[1], 0, i));
    }
    return NT_OK;
}

/* ---- create
 * ----------------------------------------------------------------------------------------- */

static const double *put_rows(const nt_columns *m, int first, int rows, int columns, double **to)
{
    double *out = *to;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            *(*to)++ = *nt_entry(m, first + i, j);
    return out;
}

/* Without the weights of rows and columns. */
static const double *put_whole(const nt_linear *l, int k, int first, int rows, double **to)
{
    int nv = l->pencil->nv;
    double *out = *to;
    for (int i = first; i < first + rows; i++)
        for (int j = 0; j < nv; j++)
            *(*to)++ =
                *nt_entry(&l->r.full[k], i, j) * l->r.weight[j] * (i < nv ? l->r.weight[i] : 1);
    return out;
}

static nt_status show(nt_linear *l)
{
    size_t n = (size_t)l->n, in = (size_t)l->n_inputs, out = (size_t)l->n_outputs;
    size_t nv = (size_t)l->pencil->nv, nc = (size_t)(l->pencil->n - l->pencil->nv);
    double *to = l->rows = NT_TAKE(
        &l->arena, n * n + 3 * n * in + out * n + 3 * out * in + 3 * nv * nv + 2 * nc * nv, double);
    if (!to)
        return NT_NO_MEMORY;
    nt_linear_matrices *m = &l->matrices;
    int states = l->n, inputs = l->n_inputs, outputs = l->n_outputs;
    *m = (nt_linear_matrices){.states = states,
                              .positions = l->r.f,
                              .inputs = inputs,
                              .outputs = outputs,
                              .velocities = (int)nv,
                              .rows = (int)nc};
    m->A = put_rows(&l->A, 0, states, states, &to);
    m->B = put_rows(&l->B[0], 0, states, inputs, &to);
    m->B1 = put_rows(&l->B[1], 0, states, inputs, &to);
    m->B2 = put_rows(&l->B[2], 0, states, inputs, &to);
    m->C = put_rows(&l->C, 0, outputs, states, &to);
    m->D = put_rows(&l->D[0], 0, outputs, inputs, &to);
    m->D1 = put_rows(&l->D[1], 0, outputs, inputs, &to);
    m->D2 = put_rows(&l->D[2], 0, outputs, inputs, &to);
    m->stiffness = put_whole(l, 0, 0, (int)nv, &to);
    m->damping = put_whole(l, 1, 0, (int)nv, &to);
    m->mass = put_whole(l, 2, 0, (int)nv, &to);
    m->constraints = put_whole(l, 0, (int)nv, (int)nc, &to);
    m->constraint_rates = put_whole(l, 1, (int)nv, (int)nc, &to);
    return NT_OK;
}

static nt_status make(nt_linear *l, const nt_linear_setup *setup, nt_error *error)
{
    nt_status status = nt_system_refuse_past(&l->run->system, "linear models", error);
    if (status == NT_OK)
        status = nt_pencil_create(&l->pencil, &l->run->system, error);
    if (status == NT_OK && l->pencil->n > MOST_UNKNOWNS)
        status =
            nt_fail(error, NT_UNSUPPORTED,
                    "the model has %d unknowns, expected at most %d for a linear model of full "
                    "matrices",
                    l->pencil->n, MOST_UNKNOWNS);
    if (status == NT_OK)
        status = find_outputs(l, setup, error);
    if (status == NT_OK)
        status = nt_pencil_fill(l->pencil, &l->at, l->turn, error);
    if (status == NT_OK && (status = nt_reduce(&l->r, l->pencil, &l->arena)) != NT_OK)
        nt_fail(error, status, "no independent coordinates: %s", nt_status_text(status));
    if (status == NT_OK)
        status = nt_linear_make_inputs(l, setup, error);
    if (status == NT_OK)
        status = nt_linear_follow(l, error);
    if (status == NT_OK)
        status = make_columns(l, error);
    if (status == NT_OK && (status = take_inputs(l, setup->steady)) == NT_OK)
        status = show(l);
    return status == NT_OK ? NT_OK : nt_said(error, status);
}

nt_status nt_linear_create(nt_linear **out, const nt_linear_setup *setup, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "linear", out);
    *out = NULL;
    NT_NEED(error, "setup", setup);
    NT_NEED_VERSION(error, "setup", setup->version);
    NT_NEED(error, "setup.run setup.state", setup->run, setup->state);
    NT_NEED_STATE(error, "setup.state", nt_run_system(setup->run), setup->state);
    NT_NEED_COUNT(error, "setup.n_inputs", setup->n_inputs);
    NT_NEED_COUNT(error, "setup.n_outputs", setup->n_outputs);
    for (int i = 0; setup->turn && i < 3; i++)
        NT_NEED_FINITE(error, "setup.turn[i]", setup->turn[i]);
    for (int i = 0; i < setup->n_inputs; i++)
        NT_NEED(error, "setup.inputs setup.inputs[i]", setup->inputs,
                setup->inputs ? setup->inputs[i] : NULL);
    for (int i = 0; i < setup->n_outputs; i++)
        NT_NEED(error, "setup.outputs setup.outputs[i]", setup->outputs,
                setup->outputs ? setup->outputs[i] : NULL);
    nt_linear *l = calloc(1, sizeof *l);
    if (!l)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    double *numbers = NT_TAKE(&l->arena, nt_state_room(nt_run_system(setup->run)), double);
    l->run = setup->run;
    l->steady = setup->steady;
    for (int i = 0; i < 3; i++)
        l->turn[i] = setup->turn ? setup->turn[i] : 0;
    nt_status status =
        numbers ? nt_state_copy(&l->state, numbers, nt_run_system(setup->run), setup->state)
                : nt_fail(error, NT_NO_MEMORY, "out of memory");
    if (status == NT_OK && nt_run_own_numbers(l->run) != NT_OK) /* functions are exchanged there */
        status = nt_fail(error, NT_NO_MEMORY, "out of memory");
    l->at = nt_state_point(&l->state);
    if (status == NT_OK)
        status = make(l, setup, error);
    status = nt_system_ends(nt_run_system(setup->run), status, error);
    if (status != NT_OK) {
        nt_linear_destroy(l);
        return nt_said(error, status);
    }
    *out = l;
    return NT_OK;
}

void nt_linear_destroy(nt_linear *l)
{
    if (!l)
        return;
    nt_pencil_destroy(l->pencil);
    nt_arena_free(&l->arena);
    free(l);
}

/* ---- looking
 * ---------------------------------------------------------------------------------------- */

nt_linear_matrices nt_linear_get(const nt_linear *l)
{
    return l ? l->matrices : (nt_linear_matrices){0};
}

const char *nt_linear_input(const nt_linear *l, int i)
{
    return l && i >= 0 && i < l->n_inputs ? l->inputs[i].name : "";
}

const char *nt_linear_output(const nt_linear *l, int i)
{
    return l && i >= 0 && i < l->n_outputs ? l->outputs[i] : "";
}

nt_status nt_linear_to_motion(const nt_linear *l, const double *x, double *dq, double *dv)
{
    NT_NEED(NULL, "linear x dq dv", l, x, dq, dv);
    int nv = l->pencil->nv;
    double *rate = calloc(3 * (size_t)nv + (size_t)l->n + 1, sizeof *rate);
    if (!rate)
        return NT_NO_MEMORY;
    double *second = rate + nv, *unused = second + nv, *p = unused + nv;
    memset(dq, 0, (size_t)nv * sizeof *dq);
    add_times(&l->A, 1, x, p); /* its first f entries are p' */
    add_times(&l->r.Z, 1, x, dq);
    add_times(&l->r.Z, 1, p, rate);
    add_times(&l->E, 1, x, rate);
    for (int i = 0; i < nv; i++)
        dq[i] /= l->r.weight[i], rate[i] /= l->r.weight[i];
    nt_status status = nt_pencil_rates(l->pencil, &l->at, l->turn, dq, rate, second, dv, unused);
    free(rate);
    return status;
}

nt_status nt_linear_from_motion(const nt_linear *l, const double *dq, const double *dv, double *x)
{
    NT_NEED(NULL, "linear dq dv x", l, dq, dv, x);
    int nv = l->pencil->nv, f = l->r.f;
    double *room = calloc(4 * (size_t)nv + 2 * (size_t)f + 1, sizeof *room);
    if (!room)
        return NT_NO_MEMORY;
    double *zeros = room, *shift = zeros + nv, *unused = shift + nv, *p = unused + 2 * nv;
    double *s = l->massless > 0 ? p + f : x + f;
    nt_status status = nt_pencil_rates(l->pencil, &l->at, l->turn, dq, zeros, zeros, shift, unused);
    memset(x, 0, (size_t)l->n * sizeof *x);
    for (int j = 0; j < f; j++)
        for (int i = 0; i < nv; i++) {
            double z = *nt_entry(&l->r.Z, i, j) * l->r.weight[i];
            bool first = l->pencil->first_order[i];
            x[j] += z * (first ? dv[i] : dq[i]);
            p[j] += first ? 0 : z * (dv[i] - shift[i]); /* p' */
        }
    for (int j = 0; j < l->r.d; j++)
        for (int i = 0; i < f; i++)
            s[j] += *nt_entry(&l->r.Y, i, j) * p[i]; /* s = Y^T a */
    for (int j = 0; f + j < l->n; j++)
        for (int i = 0; i < l->r.d && l->massless > 0; i++)
            x[f + j] += *nt_entry(&l->R, i, j) * s[i];
    free(room);
    return status;
}

nt_status nt_linear_response(const nt_linear *l, double frequency, double *out)
{
    NT_NEED(NULL, "linear out", l, out);
    NT_NEED_FINITE(NULL, "frequency", frequency);
    int n = l->n, m = l->n_inputs, info = 0;
    double *a = calloc(2 * (size_t)n * (size_t)(n + m) + 1, sizeof *a);
    int *pivots = calloc((size_t)n + 1, sizeof *pivots);
    if (!a || !pivots) {
        free(a);
        free(pivots);
        return NT_NO_MEMORY;
    }
    double *b = a + 2 * (size_t)n * (size_t)n;
    for (int i = 0; i < n * n; i++)
        a[2 * i] = -l->A.a[i];
    for (int i = 0; i < n; i++)
        a[2 * (i * n + i) + 1] = frequency;
    for (int i = 0; i < n * m; i++) { /* B + i w B1 - w^2 B2 */
        b[2 * i] = l->B[0].a[i] - frequency * frequency * l->B[2].a[i];
        b[2 * i + 1] = frequency * l->B[1].a[i];
    }
    if (n > 0 && m > 0)
        zgesv_(&n, &m, a, &n, pivots, b, &n, &info);
    for (int o = 0; o < l->n_outputs; o++)
        for (int i = 0; i < m; i++) {
            double re =
                *nt_entry(&l->D[0], o, i) - frequency * frequency * *nt_entry(&l->D[2], o, i);
            double im = frequency * *nt_entry(&l->D[1], o, i);
            for (int k = 0; k < n; k++) {
                re += *nt_entry(&l->C, o, k) * b[2 * (i * n + k)];
                im += *nt_entry(&l->C, o, k) * b[2 * (i * n + k) + 1];
            }
            out[2 * (o * m + i)] = re, out[2 * (o * m + i) + 1] = im;
        }
    free(a);
    free(pivots);
    return info == 0 ? NT_OK : NT_SINGULAR;
}
