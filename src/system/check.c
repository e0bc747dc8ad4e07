/* Tangents against central differences, entry by entry. */
#include "system/check.h"
#include "system/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct check {
    const nt_problem *problem;
    nt_matrix matrix;
    nt_point at;
    double step;
    double *q, *x, *increment, *plus, *minus, *column, *dense;
    double worst;
} check;

enum variable { IN_VDOT, IN_V, IN_Q, IN_MULTIPLIERS };

static nt_status system_check_equations(check *c, const nt_point *at, nt_level level, double *out)
{
    nt_terms terms = {
        .parts = NT_ALL_PARTS, .level = level, .residual = out, .rows = out + c->problem->nv};
    memset(out, 0, (size_t)c->problem->n * sizeof *out);
    return nt_problem_evaluate(c->problem, at, &terms);
}

/* The point with entry j of one variable moved by delta. */
static nt_point moved(check *c, enum variable variable, int j, double delta)
{
    const nt_problem *p = c->problem;
    nt_point at = c->at;
    if (variable == IN_Q) {
        memset(c->increment, 0, (size_t)p->nv * sizeof(double));
        c->increment[j] = delta;
        nt_space_compose(&p->space, p->frame, at.q, c->increment, c->q);
        at.q = c->q;
        return at;
    }
    const double **target = variable == IN_VDOT ? &at.vdot
                            : variable == IN_V  ? &at.v
                            : j < p->nh         ? &at.lambda
                                                : &at.mu;
    int size = variable != IN_MULTIPLIERS ? p->nv : j < p->nh ? p->nh : p->nn;
    if (variable == IN_MULTIPLIERS && j >= p->nh)
        j -= p->nh;
    memcpy(c->x, *target, (size_t)size * sizeof(double));
    c->x[j] += delta;
    *target = c->x;
    return at;
}

static double scale_of(const check *c, enum variable variable, int j)
{
    const nt_problem *p = c->problem;
    double x = variable == IN_VDOT ? c->at.vdot[j]
               : variable == IN_V  ? c->at.v[j]
               : variable == IN_Q  ? 1
               : j < p->nh         ? c->at.lambda[j]
                                   : c->at.mu[j - p->nh];
    return fmax(1, fabs(x));
}

static nt_status check_variable(check *c, enum variable variable, nt_level level)
{
    const nt_problem *p = c->problem;
    nt_combination one = {.mass = variable == IN_VDOT,
                          .damping = variable == IN_V,
                          .stiffness = variable == IN_Q,
                          .multiplier = variable == IN_MULTIPLIERS,
                          .row_mass = variable == IN_VDOT,
                          .row_damping = variable == IN_V,
                          .row_stiffness = variable == IN_Q};
    nt_terms terms = {
        .parts = NT_ALL_PARTS, .level = level, .matrix = &c->matrix, .combination = &one};
    nt_matrix_zero(&c->matrix);
    nt_status status = nt_problem_evaluate(p, &c->at, &terms);
    if (status != NT_OK)
        return status;
    nt_matrix_dense(&c->matrix, c->dense);
    int first = variable == IN_MULTIPLIERS ? p->nv : 0;
    int count = variable == IN_MULTIPLIERS ? p->nc : p->nv;
    for (int j = 0; j < count; j++) {
        double delta = c->step * scale_of(c, variable, j), size = 1e-300, worst = 0;
        nt_point at = moved(c, variable, j, delta);
        if ((status = system_check_equations(c, &at, level, c->plus)) != NT_OK)
            return status;
        at = moved(c, variable, j, -delta);
        if ((status = system_check_equations(c, &at, level, c->minus)) != NT_OK)
            return status;
        double noise = 0; /* what rounding of the two evaluations leaves in a difference */
        for (int i = 0; i < p->n; i++) {
            double difference = (c->plus[i] - c->minus[i]) / (2 * delta);
            double exact = c->dense[(size_t)i * (size_t)p->n + (size_t)(first + j)];
            size = fmax(size, fmax(fabs(difference), fabs(exact)));
            worst = fmax(worst, fabs(difference - exact));
            noise = fmax(noise, 4e-16 * fmax(fabs(c->plus[i]), fabs(c->minus[i])) / delta);
        }
        c->worst = fmax(c->worst, fmax(0, worst - noise) / fmax(size, 1));
    }
    return NT_OK;
}

nt_status nt_problem_check_tangent(const nt_problem *problem, const nt_point *at, double step,
                                   double *difference, nt_error *error)
{
    size_t n = (size_t)problem->n, nq = (size_t)problem->nq;
    check c = {.problem = problem, .at = *at, .step = step};
    double *memory = calloc(nq + 5 * n + n * n, sizeof(double));
    if (!memory || nt_matrix_init(&c.matrix, problem->pattern) != NT_OK) {
        free(memory);
        return nt_fail(error, NT_NO_MEMORY, "out of memory for a check of %zu unknowns", n);
    }
    c.q = memory, c.x = c.q + nq, c.increment = c.x + n, c.plus = c.increment + n;
    c.minus = c.plus + n, c.dense = c.minus + 2 * n;
    nt_level last = problem->system->capabilities & NT_ALL_LEVELS ? NT_ACCELERATION : NT_POSITION;
    nt_status status = NT_OK;
    for (nt_level level = NT_POSITION; status == NT_OK && level <= last; level++)
        for (enum variable variable = IN_VDOT; status == NT_OK && variable <= IN_MULTIPLIERS;
             variable++)
            status = check_variable(&c, variable, level);
    *difference = c.worst;
    nt_matrix_free(&c.matrix);
    free(memory);
    return status == NT_OK
               ? NT_OK
               : nt_fail(error, status, "evaluation failed: %s", nt_status_text(status));
}

nt_status nt_system_check_tangent(const nt_system *system, const nt_point *at, double step,
                                  double *difference, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "system at difference", system, at, difference);
    NT_NEED_SYSTEM(error, "system", system);
    NT_NEED_STATE(error, "at", system, at);
    if (!(step > 0) || !isfinite(step))
        return nt_fail(error, NT_INVALID, "%s: step is %g, expected a positive number", __func__,
                       step);
    nt_problem *problem;
    nt_status status = nt_problem_create(&problem, system, system->frame, error);
    if (status != NT_OK)
        return nt_said(error, status);
    status = nt_problem_check_tangent(problem, at, step, difference, error);
    nt_problem_destroy(problem);
    return nt_said(error, status);
}
