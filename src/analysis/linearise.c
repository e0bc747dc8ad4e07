/* State-space models in independent coordinates.
 *
 * An input u enters R by R_u, Phi by Phi_u, kappa by kappa_u. In the coordinates of reduce.h
 *
 *   y  = Z p + Yu u,                      Yu = -Phi_q^+ Phi_u
 *   p' = Y s - P p - Q0 u - Q1 u',        Q0 = N1^+ (kappa_q Yu + kappa_u), Q1 = N1^+ kappa_v Yu
 *   Mr s' = -Yl^T (Kp p + Cs s + (g0 - D Q0) u + (g1 - D Q1) u' + g2 u''),
 *   g0 = Zl^T (R_u + K Yu),   g1 = Zl^T C Yu - M Q0,   g2 = Zl^T M Yu - M Q1,
 *
 * x0' = A x0 + b0 u + b1 u' + b2 u'' for x0 = (p, s). With x = x0 - b2 u' - (b1 + A b2) u this is
 *
 *   x' = A x + B u,   B = b0 + A (b1 + A b2).
 *
 * Outputs are linear in (x0, u, u', u''), which give y, y', y'', multipliers and with them the
 * direction in which recorded quantities change: y = C x0 + d0 u + d1 u' + d2 u'', so
 *
 *   D = d0 + C (b1 + A b2),   D1 = d1 + C b2,   D2 = d2. */
#include "analysis/lapack.h"
#include "analysis/pencil/reduce.h"
#include "method/state.h"
#include "model/elements.h"
#include "model/model.h"
#include "system/check.h"

#include <nutate/analysis.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 300, MOST_UNKNOWNS = 3000 };

typedef struct input {
    char name[NAME];
    int parameter; /* -1: a function of an element */
    const nt_element *element;
    const nt_expression *function, **place; /* and where the key has it; NULL: a number is there */
    double *number;
    double *R;            /* [n] R_u weighed, then Phi_u and kappa_u */
    double *Yu, *Q0, *Q1; /* [nv], [f], [f] */
} input;

struct nt_linear {
    nt_arena arena;
    nt_run *run;
    nt_pencil *pencil;
    nt_reduced r;
    nt_point at;
    nt_state state;
    double turn[3];
    input *inputs;
    nt_quantity_info *quantities;
    char (*outputs)[NAME];
    int n_inputs, n_quantities, n_outputs, n;
    nt_columns A, b[3], B, C, D[3];
    double *rows; /* all matrices, row by row */
    nt_linear_matrices matrices;
};

/* ---- inputs
 * --------------------------------------------------------------------------------------- */

static bool is_function(const nt_key *key)
{
    return key->type == NT_KEY_FUNCTION || key->type == NT_KEY_FUNCTIONS || key->type == NT_KEY_LAW;
}

/* The function that "push.value.x" or "hinge.motion" names, or the number of a law; false: none. */
static bool find_function(nt_run *run, const char *name, input *in)
{
    const nt_model *model = run->model;
    for (int i = 0; i < model->n_elements; i++) {
        const nt_element *e = &model->elements[i];
        size_t length = strlen(e->name);
        if (strncmp(name, e->name, length) != 0 || name[length] != '.')
            continue;
        const char *rest = name + length + 1;
        for (const nt_key *key = e->type->keys; key->name; key++) {
            size_t word = strlen(key->name);
            bool several = key->type == NT_KEY_FUNCTIONS;
            if (!is_function(key) || strncmp(rest, key->name, word) != 0)
                continue;
            const char *end = rest + word;
            bool fits = several ? end[0] == '.' && end[1] >= 'x' && end[1] < 'x' + key->high &&
                                      end[2] == '\0'
                                : end[0] == '\0';
            if (!fits)
                continue;
            char *data = nt_element_numbers(run, e);
            void *at = data + key->offset;
            bool given = key->bit < 0 || *(const unsigned *)(const void *)data >> key->bit & 1;
            if (key->type == NT_KEY_LAW) {
                nt_law *law = at;
                *in = (input){.element = e,
                              .function = law->function,
                              .place = &law->function,
                              .number = &law->value};
                return given;
            }
            const nt_expression **place = at;
            place += several ? end[1] - 'x' : 0;
            *in = (input){.element = e, .function = *place, .place = place};
            return in->function;
        }
    }
    return false;
}

/* "; the model has v, tilt and push.value.x": as many as there is room for. */
static void list_inputs(nt_run *run, char *text, size_t size)
{
    const nt_model *model = run->model;
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < model->n_parameters && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "",
                                 model->parameters[i].name);
    for (int i = 0; i < model->n_elements; i++) {
        const nt_element *e = &model->elements[i];
        for (const nt_key *key = e->type->keys; key->name && used < size; key++) {
            char name[NAME];
            input in;
            bool several = key->type == NT_KEY_FUNCTIONS;
            snprintf(name, sizeof name, "%s.%s%s", e->name, key->name, several ? ".x" : "");
            if (is_function(key) && find_function(run, name, &in))
                used +=
                    (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", name);
        }
    }
}

static nt_status find_input(nt_linear *l, const char *name, input *in, nt_error *error)
{
    const nt_system *system = &l->run->system;
    bool found = find_function(l->run, name, in);
    in->parameter = -1;
    for (int i = 0; i < system->n_parameters; i++)
        if (strcmp(system->parameter_names[i], name) == 0)
            in->parameter = i;
    snprintf(in->name, sizeof in->name, "%s", name);
    if (in->parameter >= 0 || found)
        return NT_OK;
    char known[400];
    const char *hint =
        nt_suggest(name, (int)strlen(name), system->parameter_names, system->n_parameters);
    list_inputs(l->run, known, sizeof known);
    return nt_fail(error, NT_INVALID, "input '%s' is none%s%s%s; the model has %s", name,
                   hint ? "; did you mean `" : "", hint ? hint : "", hint ? "`?" : "",
                   known[0] ? known : "no parameters, loads or motions");
}

static nt_status residual_of(nt_linear *l, double *out)
{
    const nt_pencil *p = l->pencil;
    nt_terms terms = {
        .parts = NT_ALL_PARTS, .level = NT_POSITION, .residual = out, .rows = out + p->nv};
    memset(out, 0, (size_t)p->n * sizeof *out);
    return nt_problem_evaluate(p->problem, &l->at, &terms);
}

/* In the key's place, and where the type keeps it besides. */
static void exchange(nt_run *run, const input *in, const nt_expression *from,
                     const nt_expression *to)
{
    *in->place = to;
    nt_element_input(run, in->element, from, to);
}

/* Residuals are affine in the functions of loads, and smooth in those of motions (the row of a
 * driven angle is a sine of the difference): a difference of fourth order between constants. */
static nt_status function_column(nt_linear *l, input *in)
{
    static const double at[] = {-2, -1, 1, 2}, weight[] = {1, -8, 8, -1};
    const nt_expression *kept = in->function, *constant;
    double now = kept ? nt_expression_value(kept, l->run->variables) : *in->number;
    double h = (in->element->type->is_load ? 1 : 1e-3) * fmax(1, fabs(now));
    double *value = NT_TAKE(&l->arena, l->pencil->n, double);
    nt_status status = value ? NT_OK : NT_NO_MEMORY;
    for (int i = 0; i < 4 && status == NT_OK; i++) {
        char text[60];
        int length = snprintf(text, sizeof text, "%.17g", now + at[i] * h);
        status = nt_expression_parse(text, length, NULL, &l->arena, &constant, NULL);
        if (status != NT_OK)
            break;
        if (kept)
            exchange(l->run, in, kept, constant);
        else
            *in->number = now + at[i] * h;
        status = residual_of(l, value);
        if (kept)
            exchange(l->run, in, constant, kept);
        else
            *in->number = now;
        for (int k = 0; k < l->pencil->n; k++)
            in->R[k] += weight[i] * value[k] / (12 * h);
    }
    return status;
}

static nt_status parameter_column(nt_linear *l, input *in, nt_error *error)
{
    const nt_pencil *p = l->pencil;
    nt_terms terms = {
        .parts = NT_ALL_PARTS, .level = NT_POSITION, .residual = in->R, .rows = in->R + p->nv};
    nt_status status = nt_run_prepare_parameters(l->run, &in->parameter, 1, error);
    return status == NT_OK ? nt_problem_parameter_tangent(p->problem, &l->at, in->parameter, &terms)
                           : status;
}

/* Yu, Q0 and Q1. */
static nt_status find_offsets(nt_linear *l, input *in)
{
    const nt_reduced *r = &l->r;
    int nv = l->pencil->nv, m = r->n_active - r->n_holonomic;
    double *rhs = NT_TAKE(&l->arena, 2 * r->n_active + 2 * nv, double);
    in->Yu = NT_TAKE(&l->arena, nv, double);
    in->Q0 = NT_TAKE(&l->arena, r->f, double);
    in->Q1 = NT_TAKE(&l->arena, r->f, double);
    if (!rhs || !in->Yu || !in->Q0 || !in->Q1)
        return NT_NO_MEMORY;
    double *z = rhs + r->n_active, *parts[2] = {in->Q0, in->Q1};
    for (int i = 0; i < r->n_holonomic; i++)
        rhs[i] = -in->R[nv + r->active[i]];
    nt_basis_solve_rows(&r->rows, rhs, z);
    for (int k = 0; k < r->rows.rank; k++)
        for (int i = 0; i < nv; i++)
            in->Yu[i] += *nt_entry(&r->rows.Q, i, k) * z[k];
    for (int part = 0; part < 2 && m > 0; part++) {
        const nt_columns *rows = part ? &r->rate_rows : &r->place_rows;
        for (int j = 0; j < m; j++) {
            rhs[j] = part ? 0 : in->R[nv + r->active[r->n_holonomic + j]];
            for (int i = 0; i < nv; i++)
                rhs[j] += *nt_entry(rows, i, j) * in->Yu[i];
        }
        nt_basis_solve_rows(&r->rates, rhs, z);
        for (int k = 0; k < r->rates.rank; k++)
            for (int i = 0; i < r->f; i++)
                parts[part][i] += *nt_entry(&r->rates.Q, i, k) * z[k];
    }
    return NT_OK;
}

static nt_status make_inputs(nt_linear *l, const nt_linear_setup *setup, nt_error *error)
{
    const nt_pencil *p = l->pencil;
    nt_status status = NT_OK;
    l->n_inputs = setup->n_inputs;
    l->inputs = NT_TAKE(&l->arena, l->n_inputs, input);
    if (!l->inputs)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    for (int i = 0; i < l->n_inputs && status == NT_OK; i++) {
        input *in = &l->inputs[i];
        status = find_input(l, setup->inputs[i], in, error);
        if (status != NT_OK)
            return status;
        in->R = NT_TAKE(&l->arena, p->n, double);
        status = !in->R               ? NT_NO_MEMORY
                 : in->parameter >= 0 ? parameter_column(l, in, error)
                                      : function_column(l, in);
        for (int j = 0; j < p->nv && status == NT_OK; j++)
            in->R[j] /= l->r.weight[j];
        if (status == NT_OK)
            status = find_offsets(l, in);
        if (status != NT_OK)
            return nt_fail(error, status, "input %s has no derivative here: %s", in->name,
                           nt_status_text(status));
    }
    return status;
}

/* ---- A, b0, b1, b2
 * ---------------------------------------------------------------------------------- */

/* out[f] += factor Zl^T (full x), full one of M, C, K of motion alone; NULL: the identity. */
static void add_reduced(const nt_linear *l, const nt_columns *full, const double *x, double *out)
{
    const nt_reduced *r = &l->r;
    int nv = l->pencil->nv;
    for (int j = 0; j < r->f; j++)
        for (int i = 0; i < nv; i++) {
            double sum = full ? 0 : x[i];
            for (int k = 0; full && k < nv; k++)
                sum += *nt_entry(full, i, k) * x[k];
            out[j] += *nt_entry(&r->Zl, i, j) * sum;
        }
}

/* out[rows] += factor A x */
static void add_times(const nt_columns *A, double factor, const double *x, double *out)
{
    for (int j = 0; j < A->columns; j++)
        for (int i = 0; i < A->rows; i++)
            out[i] += factor * *nt_entry(A, i, j) * x[j];
}

/* What stands beside Kp p + Cs s for u, u' and u'': in[3][f]. */
static nt_status force_columns(nt_linear *l, const input *in, double *out)
{
    const nt_reduced *r = &l->r;
    int f = r->f, nv = l->pencil->nv;
    double *a = NT_TAKE(&l->arena, 2 * f + nv, double);
    if (!a)
        return NT_NO_MEMORY;
    memset(out, 0, 3 * (size_t)f * sizeof *out);
    add_reduced(l, NULL, in->R, out);
    for (int k = 0; k < 3; k++) /* K, C, M times Yu; a product with all of them at once */
        add_reduced(l, &r->full[k], in->Yu, out + k * f);
    const double *Q[2] = {in->Q0, in->Q1};
    for (int k = 0; k < 2; k++) {
        add_times(&r->M, -1, Q[k], out + (k + 1) * f); /* of p'' */
        add_times(&r->C, -1, Q[k], out + k * f);       /* D Q = (C - M P) Q */
        memset(a, 0, (size_t)f * sizeof *a);
        add_times(&r->P, 1, Q[k], a);
        add_times(&r->M, 1, a, out + k * f);
    }
    return NT_OK;
}

/* What constraints that change with the motion do: where it neither rests nor is steady. */
static nt_status follow_motion(nt_linear *l, nt_error *error)
{
    nt_pencil *rows = NULL;
    nt_reduced *r = &l->r;
    if (r->n_holonomic == 0)
        return NT_OK;
    nt_status status = nt_pencil_create(&rows, &l->run->system, error);
    if (status != NT_OK)
        return status;
    status = nt_reduced_follow_rows(r, rows, &l->at, l->turn);
    nt_pencil_destroy(rows);
    if (status != NT_OK)
        return nt_fail(error, status, "constraints of the motion: %s", nt_status_text(status));
    if (!r->rows_move)
        return NT_OK;
    if (r->n_active > r->n_holonomic)
        return nt_fail(error, NT_UNSUPPORTED,
                       "the state neither rests nor is steady, and constraints of velocities "
                       "(rolling, friction that sticks) hold beside joints: expected --about "
                       "static or steady");
    for (int i = 0; i < l->n_inputs; i++)
        for (int j = 0; j < l->pencil->nv; j++)
            if (l->inputs[i].Yu[j] != 0)
                return nt_fail(error, NT_UNSUPPORTED,
                               "input %s moves joints of a model that neither rests nor is steady: "
                               "expected one that acts by forces",
                               l->inputs[i].name);
    return NT_OK;
}

static nt_status make_states(nt_linear *l, nt_error *error)
{
    nt_reduced *r = &l->r;
    int f = r->f, d = r->d, n = f + d, info = 0, count = n + 3 * l->n_inputs;
    nt_columns Mr, Kp, Cs;
    nt_status status = nt_reduced_blocks(r, &Mr, &Kp, &Cs);
    if (status == NT_OK && r->rows_move)
        status = nt_reduced_add_moving(r, &Kp, &Cs);
    nt_columns right = nt_columns_take(&l->arena, d, count);
    double *g = NT_TAKE(&l->arena, 3 * f, double);
    int *pivots = NT_TAKE(&l->arena, d, int);
    l->n = n;
    l->A = nt_columns_take(&l->arena, n, n);
    for (int k = 0; k < 3; k++)
        l->b[k] = nt_columns_take(&l->arena, n, l->n_inputs);
    if (status != NT_OK || !right.a || !g || !pivots || !l->A.a || !l->b[2].a)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    for (int j = 0; j < n; j++)
        for (int i = 0; i < d; i++)
            *nt_entry(&right, i, j) = j < f ? -*nt_entry(&Kp, i, j) : -*nt_entry(&Cs, i, j - f);
    for (int i = 0; i < l->n_inputs && status == NT_OK; i++) {
        status = force_columns(l, &l->inputs[i], g);
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < d; j++)
                for (int m = 0; m < f; m++)
                    *nt_entry(&right, j, n + 3 * i + k) -= *nt_entry(&r->Yl, m, j) * g[k * f + m];
    }
    if (status == NT_OK && d > 0)
        dgesv_(&d, &count, Mr.a, &d, pivots, right.a, &d, &info);
    if (status != NT_OK || info != 0)
        return nt_fail(error, status != NT_OK ? status : NT_SINGULAR,
                       "no states: some independent displacement has no mass");
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            *nt_entry(&l->A, i, j) = i >= f  ? *nt_entry(&right, i - f, j)
                                     : j < f ? -*nt_entry(&r->P, i, j)
                                             : *nt_entry(&r->Y, i, j - f);
    for (int i = 0; i < l->n_inputs; i++)
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < n; j++)
                *nt_entry(&l->b[k], j, i) = j >= f   ? *nt_entry(&right, j - f, n + 3 * i + k)
                                            : k == 0 ? -l->inputs[i].Q0[j]
                                            : k == 1 ? -l->inputs[i].Q1[j]
                                                     : 0;
    return NT_OK;
}

/* ---- outputs
 * ---------------------------------------------------------------------------------------- */

/* A direction: displacements with two rates, weighed, and the state's variation. */
typedef struct direction {
    double *y[3];         /* [nv] */
    double *dv, *dvdot;   /* [nv] */
    double *forces;       /* [nh + nn] */
    double *left, *z, *p; /* scratch [nv], [n], [3 f] */
} direction;

/* Of x0[n] (NULL: none) and of one derivative (0, 1, 2) of input `in` (NULL: none), to its kth. */
static nt_status follow(nt_linear *l, const double *x, int i, int k, direction *to)
{
    const nt_reduced *r = &l->r;
    const input *in = i >= 0 ? &l->inputs[i] : NULL;
    int nv = l->pencil->nv, f = r->f, n = l->n;
    double *p = to->p, *rate = p + f, *second = rate + f, *s = to->z;
    memset(p, 0, 3 * (size_t)f * sizeof *p);
    memset(s, 0, (size_t)n * sizeof *s);
    if (x) {
        memcpy(p, x, (size_t)f * sizeof *p);
        add_times(&l->A, 1, x, s);
    } else
        memcpy(s, nt_entry(&l->b[k], 0, i), (size_t)n * sizeof *s);
    memcpy(rate, s, (size_t)f * sizeof *rate); /* p' */
    add_times(&r->Y, 1, s + f, second);        /* p'' = Y s' - P p' - Q0 u' - Q1 u'' */
    add_times(&r->P, -1, rate, second);
    for (int j = 0; j < f && in; j++)
        second[j] -= k == 1 ? in->Q0[j] : k == 2 ? in->Q1[j] : 0;
    memset(to->left, 0, (size_t)nv * sizeof *to->left);
    for (int m = 0; m < 3; m++) {
        memset(to->y[m], 0, (size_t)nv * sizeof *to->y[m]);
        add_times(&r->Z, 1, p + m * f, to->y[m]);
        if (r->rows_move && m > 0)
            add_times(m == 1 ? &r->E : &r->F0, 1, p, to->y[m]);
        if (r->rows_move && m == 2)
            add_times(&r->F1, 1, rate, to->y[m]);
        for (int j = 0; j < nv && in && m == k; j++)
            to->y[m][j] += in->Yu[j];
        for (int j = 0; j < nv; j++)
            for (int q = 0; q < nv; q++)
                to->left[q] += *nt_entry(&r->full[m], q, j) * to->y[m][j];
    }
    for (int j = 0; j < nv && in && k == 0; j++)
        to->left[j] += in->R[j];
    memset(to->forces, 0, (size_t)(l->pencil->nh + l->pencil->nn) * sizeof *to->forces);
    nt_reduced_forces(r, to->left, to->forces, to->z);
    for (int m = 0; m < 3; m++)
        for (int j = 0; j < nv; j++)
            to->y[m][j] /= r->weight[j];
    return nt_pencil_rates(l->pencil, &l->at, l->turn, to->y[0], to->y[1], to->y[2], to->dv,
                           to->dvdot);
}

static nt_status sample(nt_linear *l, const direction *of, int parameter, double *out,
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

static nt_status take_direction(nt_linear *l, direction *to)
{
    size_t nv = (size_t)l->pencil->nv, nc = (size_t)(l->pencil->nh + l->pencil->nn);
    double *a = NT_TAKE(&l->arena, 6 * nv + 2 * nc + 3 * (size_t)l->r.f + (size_t)l->n, double);
    if (!a)
        return NT_NO_MEMORY;
    for (int m = 0; m < 3; m++, a += nv)
        to->y[m] = a;
    to->dv = a, to->dvdot = a + nv, to->left = a + 2 * nv;
    to->forces = a + 3 * nv, to->p = to->forces + nc;
    to->z = to->p + 3 * l->r.f;
    return NT_OK;
}

static nt_status make_outputs(nt_linear *l, nt_error *error)
{
    direction along;
    double *x = NT_TAKE(&l->arena, l->n, double);
    l->C = nt_columns_take(&l->arena, l->n_outputs, l->n);
    for (int k = 0; k < 3; k++)
        l->D[k] = nt_columns_take(&l->arena, l->n_outputs, l->n_inputs);
    nt_status status = x && l->C.a && l->D[2].a ? take_direction(l, &along) : NT_NO_MEMORY;
    if (status != NT_OK)
        return nt_fail(error, status, "out of memory");
    for (int j = 0; j < l->n && status == NT_OK; j++) {
        memset(x, 0, (size_t)l->n * sizeof *x);
        x[j] = 1;
        status = follow(l, x, -1, 0, &along);
        if (status == NT_OK)
            status = sample(l, &along, -1, nt_entry(&l->C, 0, j), error);
    }
    for (int i = 0; i < l->n_inputs; i++)
        for (int k = 0; k < 3 && status == NT_OK; k++) {
            status = follow(l, NULL, i, k, &along);
            if (status == NT_OK)
                status = sample(l, &along, k == 0 ? l->inputs[i].parameter : -1,
                                nt_entry(&l->D[k], 0, i), error);
        }
    return status == NT_OK ? NT_OK : nt_said(error, status);
}

/* From (x0, u, u', u'') to (x, u): B, and what D and D1 gain. */
static nt_status absorb_rates(nt_linear *l)
{
    l->B = nt_columns_take(&l->arena, l->n, l->n_inputs);
    double *a = NT_TAKE(&l->arena, l->n, double);
    if (!l->B.a || !a)
        return NT_NO_MEMORY;
    for (int i = 0; i < l->n_inputs; i++) {
        const double *b2 = nt_entry(&l->b[2], 0, i);
        memcpy(a, nt_entry(&l->b[1], 0, i), (size_t)l->n * sizeof *a);
        add_times(&l->A, 1, b2, a); /* b1 + A b2 */
        memcpy(nt_entry(&l->B, 0, i), nt_entry(&l->b[0], 0, i), (size_t)l->n * sizeof *a);
        add_times(&l->A, 1, a, nt_entry(&l->B, 0, i));
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
        &l->arena, n * n + n * in + out * n + 3 * out * in + 3 * nv * nv + 2 * nc * nv, double);
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
    m->B = put_rows(&l->B, 0, states, inputs, &to);
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
    nt_status status = nt_pencil_create(&l->pencil, &l->run->system, error);
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
        status = make_inputs(l, setup, error);
    if (status == NT_OK)
        status = follow_motion(l, error);
    if (status == NT_OK)
        status = make_states(l, error);
    if (status == NT_OK)
        status = make_outputs(l, error);
    if (status == NT_OK && (status = absorb_rates(l)) == NT_OK)
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
    int nv = l->pencil->nv, f = l->r.f;
    double *rate = calloc(3 * (size_t)nv + (size_t)l->n + 1, sizeof *rate);
    if (!rate)
        return NT_NO_MEMORY;
    double *second = rate + nv, *unused = second + nv, *p = unused + nv;
    memset(dq, 0, (size_t)nv * sizeof *dq);
    add_times(&l->A, 1, x, p); /* its first f entries are p' */
    add_times(&l->r.Z, 1, x, dq);
    for (int j = 0; j < f; j++)
        for (int i = 0; i < nv; i++)
            rate[i] += *nt_entry(&l->r.Z, i, j) * p[j];
    if (l->r.rows_move)
        add_times(&l->r.E, 1, x, rate);
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
    nt_status status = nt_pencil_rates(l->pencil, &l->at, l->turn, dq, zeros, zeros, shift, unused);
    memset(x, 0, (size_t)l->n * sizeof *x);
    for (int j = 0; j < f; j++)
        for (int i = 0; i < nv; i++) {
            double z = *nt_entry(&l->r.Z, i, j) * l->r.weight[i];
            bool first = l->pencil->first_order[i];
            x[j] += z * (first ? dv[i] : dq[i]);
            p[j] += first ? 0 : z * (dv[i] - shift[i]); /* p' */
        }
    memcpy(p + f, x, (size_t)f * sizeof *p); /* s = Y^T (p' + P p) */
    add_times(&l->r.P, 1, p + f, p);
    for (int j = 0; j < l->r.d; j++)
        for (int i = 0; i < f; i++)
            x[f + j] += *nt_entry(&l->r.Y, i, j) * p[i];
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
    for (int i = 0; i < n * m; i++)
        b[2 * i] = l->B.a[i];
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
