/* The derivative of a step in its length; see step_length.h. */
#include "sensitivity/step_length.h"

#include "base/error.h"
#include "group/block.h"
#include "sensitivity/forward.h"

#include <stdlib.h>
#include <string.h>

/* ---- the direction -------------------------------------------------------------------------- */

/* The distance in E between the points of the difference formula. */
static const double STEP = 2e-3;

size_t nt_length_direction_work(const nt_problem *p)
{
    return 3 * (size_t)p->nv + (size_t)p->nc + (size_t)p->n;
}

/* How often each entry of v changes with the unit of time: once, unknowns of first order never. */
static void powers_of(const nt_problem *p, double *power)
{
    for (int i = 0; i < p->nv; i++)
        power[i] = 1;
    nt_space_clear_first(&p->space, power);
}

/* d += sign (0, v, 2 vdot, 2 lambda, 2 a)/h, a what the method keeps */
static void add_change_of_unit(const nt_length_direction *l, const nt_phase *at, double sign,
                               const nt_variation *d)
{
    const nt_problem *p = l->stepper->problem;
    double *power = l->work, factor = sign / l->h;
    powers_of(p, power);
    for (int i = 0; i < p->nv; i++) {
        d->v[i] += factor * power[i] * at->v[i];
        d->vdot[i] += factor * (1 + power[i]) * at->vdot[i];
    }
    for (int i = 0; i < p->nc; i++) /* mu follows lambda */
        d->lambda[i] += 2 * factor * at->lambda[i];
    for (size_t i = 0; i < l->kept; i++)
        d->method[i] += factor * (1 + power[i % (size_t)p->nv]) * at->method[i];
}

/* The variation at the begin of the step, before linearise. */
static void length_direction_begin(const nt_length_direction *l, const nt_variation *before)
{
    size_t all = (size_t)(before->method - before->q) + l->kept;
    memset(before->q, 0, all * sizeof(double));
    add_change_of_unit(l, &l->stepper->now, 1, before);
}

/* What linearise gave becomes the derivative of the step's end, per s. */
static void length_direction_end(const nt_length_direction *l, const nt_variation *after)
{
    nt_space_clear_first(&l->stepper->problem->space, after->q);
    add_change_of_unit(l, &l->stepper->next, -1, after);
}

/* Residual and rows in the unit E, into values[n]. */
static nt_status values_in_unit(const nt_length_direction *l, const nt_point *at,
                                const nt_terms *wanted, double E, double *values)
{
    const nt_problem *p = l->stepper->problem;
    double *power = l->work, *v = power + p->nv, *vdot = v + p->nv, *multipliers = vdot + p->nv;
    double t0 = l->origin;
    bool rates = wanted->residual || wanted->level == NT_ACCELERATION;
    nt_point point = *at;
    point.t = t0 + E * (at->t - t0);
    for (int i = 0; i < p->nv; i++) {
        double of_v = power[i] > 0 ? E : 1;
        v[i] = at->v[i] / of_v;
        vdot[i] = rates && at->vdot ? at->vdot[i] / (E * of_v) : 0;
    }
    for (int i = 0; i < p->nc; i++)
        multipliers[i] = (i < p->nh ? at->lambda[i] : at->mu[i - p->nh]) / (E * E);
    point.v = v, point.vdot = vdot, point.lambda = multipliers, point.mu = multipliers + p->nh;
    nt_terms terms = {.parts = wanted->parts,
                      .level = wanted->level,
                      .residual = wanted->residual ? values : NULL,
                      .rows = wanted->rows ? values + p->nv : NULL,
                      .step = E * wanted->step};
    memset(values, 0, (size_t)p->n * sizeof *values);
    nt_status status = nt_problem_evaluate(p, &point, &terms);
    const double of_rows[3] = {1, E, E * E};
    for (int i = 0; i < p->nv; i++)
        values[i] *= power[i] > 0 ? E * E : E;
    for (int i = 0; i < p->nc; i++) /* kappa is a velocity at the level of positions too */
        values[p->nv + i] *= i < p->nh || wanted->level > NT_POSITION ? of_rows[wanted->level] : E;
    return status;
}

nt_status nt_length_direction_load(const nt_length_direction *l, const nt_point *at,
                                   const nt_terms *terms)
{
    const nt_problem *p = l->stepper->problem;
    double *values = l->work + 3 * p->nv + p->nc;
    nt_status status = NT_OK;
    powers_of(p, l->work);
    for (int j = 0; j < 2 * NT_STENCIL && status == NT_OK; j++) {
        int distance = j / 2 + 1, sign = j % 2 ? -1 : 1;
        double weight = sign * nt_stencil[distance - 1] / (STEP * l->h);
        status = values_in_unit(l, at, terms, 1 + sign * distance * STEP, values);
        for (int i = 0; terms->residual && i < p->nv; i++)
            terms->residual[i] += weight * values[i];
        for (int i = 0; terms->rows && i < p->nc; i++)
            terms->rows[i] += weight * values[p->nv + i];
    }
    return status;
}

/* ---- of the last step ----------------------------------------------------------------------- */

struct nt_step_length {
    nt_integrator *integrator;
    nt_stepper stepper; /* the last step, with factors of its own */
    nt_factors *factors;
    nt_length_direction length;
    nt_directions directions;
    double *before, *after; /* [stride] */
    nt_arena arena;
};

static nt_status load(void *context, int i, const nt_point *at, const nt_terms *terms)
{
    (void)i;
    const nt_step_length *s = context;
    return nt_length_direction_load(&s->length, at, terms);
}

static nt_status step_length_take_memory(nt_step_length *s)
{
    const nt_integrator *it = s->integrator;
    const nt_problem *p = it->problem;
    size_t varies = it->layout.variation > 0 ? it->layout.variation : it->layout.memory;
    size_t others = 3 * (size_t)p->nv + (size_t)p->nc + (size_t)p->system->n_memory;
    s->directions = (nt_directions){

        .count = 1,
        .length = true,
        .alone = true,
        .stride = others + varies,
        .load = load,
        .context = s};
    s->length.kept = varies < (size_t)p->nv ? 0 : varies; /* fewer: a place that never varies */
    s->length.stepper = &s->stepper;
    if (!NT_DOUBLES(&s->arena, it->layout.linear + it->layout.linear_each,
                    &s->directions.scratch) ||
        !NT_DOUBLES(&s->arena, s->directions.stride, &s->before, &s->after) ||
        !NT_DOUBLES(&s->arena, nt_length_direction_work(p), &s->length.work))
        return NT_NO_MEMORY;
    nt_status status = nt_factors_create(&s->factors, p, it->factors->kind, NULL);
    return status == NT_OK ? nt_solver_reserve(s->factors->solver) : status;
}

nt_status nt_step_length_create(nt_step_length **out, nt_integrator *it, nt_error *error)
{
    *out = NULL;
    const char *name = it->method->name;
    if (!it->method->linearise || !(it->problem->system->capabilities & NT_HAS_TANGENT))
        return nt_fail(error, NT_UNSUPPORTED,
                       "a step of method %s has no derivative in its length: expected a method "
                       "with a linearised step, and tangents",
                       name);
    nt_step_length *s = calloc(1, sizeof *s);
    if (!s)
        return nt_fail(error, NT_NO_MEMORY, "out of memory for the derivative of a step");
    s->integrator = it;
    nt_status status = step_length_take_memory(s);
    if (status != NT_OK) {
        nt_step_length_destroy(s);
        return nt_fail(error, status, "out of memory for the derivative of a step");
    }
    it->stepper.lengthwise = true;
    *out = s;
    return NT_OK;
}

void nt_step_length_destroy(nt_step_length *s)
{
    if (!s)
        return;
    nt_factors_destroy(s->factors);
    nt_arena_free(&s->arena);
    free(s);
}

nt_status nt_step_length_tangent(nt_step_length *s, nt_variation *tangent)
{
    const nt_integrator *it = s->integrator;
    const nt_problem *p = it->problem;
    double h = it->stepper.now.all[NT_PHASE_STEP];
    if (!it->started || !(h > 0))
        return NT_INVALID;
    s->stepper = it->stepper;
    s->stepper.factors = s->factors;
    s->stepper.linear = NULL;
    s->stepper.has_tangent = false;
    s->stepper.now = it->before;
    s->stepper.next = it->stepper.now;
    s->length.h = h;
    s->length.origin = s->stepper.now.all[NT_PHASE_T];
    nt_status status = nt_factors_take_rows(s->factors, it->factors);
    if (status != NT_OK)
        return status;
    nt_variation before = nt_variation_at(p, &s->directions, s->before, 0);
    *tangent = nt_variation_at(p, &s->directions, s->after, 0);
    memset(s->after, 0, s->directions.stride * sizeof *s->after);
    length_direction_begin(&s->length, &before);
    status = it->method->linearise(&s->stepper, h, &s->directions, s->before, s->after);
    if (status == NT_OK)
        length_direction_end(&s->length, tangent);
    return status;
}
