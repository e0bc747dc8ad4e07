/* Pseudo-loads: what a parameter changes in the equations where the state is held.
 *
 * By the best route there is. A system that differentiates itself (parameter_tangent) is asked; the
 * others are differenced: sixth-order central differences of residual and rows at the converged
 * state. Their truncation error is h^6 R^(7)/140 and their rounding error about 1e-16 |R|/h, so
 * that steps of 1e-2 of the parameter's natural scale leave about 1e-14 of |R|/scale of either.
 * Where the parameter enters more sharply, a smaller step is chosen at the start: that at which
 * formulas of sixth and fourth order agree best. Where it enters linearly any step is exact. */
#include "base/difference.h"
#include "base/error.h"
#include "sensitivity/forward.h"

#include <math.h>
#include <string.h>

const double nt_stencil[NT_STENCIL] = {45.0 / 60, -9.0 / 60, 1.0 / 60};

/* The weights of fourth order, for the estimate of the error. */
static const double fourth[NT_STENCIL] = {8.0 / 12, -1.0 / 12, 0};

/* ---- differences ---------------------------------------------------------------------------- */

/* Residual and rows at a point into out[n], with parameter k at p_k + offset. */
static nt_status pseudo_load_values_at(nt_sensitivity *s, const nt_point *at,
                                       const nt_terms *wanted, int k, double offset, double *out)
{
    const nt_problem *p = s->integrator->problem;
    const nt_system *system = p->system;
    nt_terms terms = {.parts = wanted->parts,
                      .level = wanted->level,
                      .residual = wanted->residual ? out : NULL,
                      .rows = wanted->rows ? out + p->nv : NULL,
                      .step = wanted->step};
    memcpy(s->varied, s->p, (size_t)system->n_parameters * sizeof *s->p);
    s->varied[k] += offset;
    memset(out, 0, (size_t)p->n * sizeof *out);
    nt_status status = system->set_parameters(system->self, s->varied);
    return status == NT_OK ? nt_problem_evaluate(p, at, &terms) : status;
}

/* Adds the derivative in parameter k to terms; *off receives the largest difference between the two
 * orders, relative to the largest derivative. The parameters are put back. */
static nt_status pseudo_load_difference(nt_sensitivity *s, const nt_point *at,
                                        const nt_terms *terms, int k, double step, double *off)
{
    const nt_problem *p = s->integrator->problem;
    const nt_system *system = p->system;
    int n = p->n;
    double *value = s->values, *sum = value + n, *low = sum + n;
    nt_status status = NT_OK;
    memset(sum, 0, 2 * (size_t)n * sizeof *sum);
    for (int j = 0; j < 2 * NT_STENCIL && status == NT_OK; j++) {
        int distance = j / 2 + 1, sign = j % 2 ? -1 : 1;
        status = pseudo_load_values_at(s, at, terms, k, sign * distance * step, value);
        for (int i = 0; i < n; i++) {
            sum[i] += sign * nt_stencil[distance - 1] * value[i] / step;
            low[i] += sign * fourth[distance - 1] * value[i] / step;
        }
    }
    nt_status back = system->set_parameters(system->self, s->p);
    if (status != NT_OK || back != NT_OK)
        return status != NT_OK ? status : back;
    double largest = 0, worst = 0;
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, fabs(sum[i]));
        worst = fmax(worst, fabs(sum[i] - low[i]));
    }
    *off = largest > 0 ? worst / largest : 0;
    for (int i = 0; terms->residual && i < p->nv; i++)
        terms->residual[i] += sum[i];
    for (int i = 0; terms->rows && i < p->nc; i++)
        terms->rows[i] += sum[p->nv + i];
    return NT_OK;
}

/* How far from a point memory may move along dmemory to either side, within `reach`, before a
 * place is passed where a force begins or bends: by the secant. */
static nt_status room_along_memory(nt_sensitivity *s, const nt_point *at, const double *dmemory,
                                   double reach, double room[2])
{
    nt_integrator *it = s->integrator;
    const nt_problem *p = it->problem;
    const nt_system *system = p->system;
    double **g = it->onsets.g;
    nt_point varied = *at;
    room[0] = room[1] = reach;
    if (!system->onsets || !at->v)
        return NT_OK;
    if (nt_problem_changes_frame(p)) {
        double *v = s->shown, *vdot = v + p->nv;
        nt_problem_rates(p, system->frame, at->q, at->v, at->vdot, v, vdot);
        varied.v = v, varied.vdot = at->vdot ? vdot : NULL;
    }
    varied.memory = s->point;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < system->n_memory; i++)
            s->point[i] = at->memory[i] + (k - 1) * reach * dmemory[i];
        nt_status status = system->onsets(system->self, &varied, g[k]);
        if (status != NT_OK) /* they have no value there: nothing is known of them */
            return nt_is_final(status) ? status : NT_OK;
    }
    for (int i = 0; i < system->n_onsets; i++)
        for (int side = 0; side < 2; side++) {
            double here = g[1][i], there = g[2 * side][i];
            if ((here > 0) != (there > 0) && isfinite(here - there))
                room[side] = fmin(room[side], reach * here / (here - there));
        }
    return NT_OK;
}

/* Adds weight times R and rows at a point whose memory is moved along dmemory. */
static nt_status add_beside(nt_sensitivity *s, const nt_point *at, const nt_terms *wanted,
                            const double *dmemory, double offset, double weight)
{
    const nt_problem *p = s->integrator->problem;
    double *value = s->values;
    nt_point varied = *at;
    nt_terms terms = {.parts = wanted->parts,
                      .level = wanted->level,
                      .residual = wanted->residual ? value : NULL,
                      .rows = wanted->rows ? value + p->nv : NULL,
                      .step = wanted->step};
    varied.memory = s->point;
    for (int i = 0; i < p->system->n_memory; i++)
        s->point[i] = at->memory[i] + offset * dmemory[i];
    memset(value, 0, (size_t)p->n * sizeof *value);
    nt_status status = nt_problem_evaluate(p, &varied, &terms);
    if (status != NT_OK)
        return status;
    for (int i = 0; wanted->residual && i < p->nv; i++)
        wanted->residual[i] += weight * value[i];
    for (int i = 0; wanted->rows && i < p->nc; i++)
        wanted->rows[i] += weight * value[p->nv + i];
    return NT_OK;
}

/* Adds R and rows differentiated along dmemory, at fixed parameters. Steps end a hair before places
 * where forces bend: differences look to where none is passed. */
static nt_status along_memory(nt_sensitivity *s, const nt_point *at, const nt_terms *wanted,
                              const double *dmemory)
{
    const nt_problem *p = s->integrator->problem;
    int n_memory = p->system->n_memory;
    double largest = 0, room[2];
    for (int i = 0; i < n_memory; i++)
        largest = fmax(largest, fabs(dmemory[i]) / (1 + fabs(at->memory[i])));
    if (largest == 0)
        return NT_OK;
    double step = 1e-2 / largest;
    nt_status status = room_along_memory(s, at, dmemory, (NT_ONE_SIDED - 1) * step, room);
    bool open = status == NT_OK && fmin(room[0], room[1]) > NT_STENCIL * step;
    int side = status == NT_OK && !open ? nt_difference_side(room, &step) : 0;
    if (side != 0) {
        for (int j = 0; j < NT_ONE_SIDED && status == NT_OK; j++)
            status =
                add_beside(s, at, wanted, dmemory, side * j * step, side * NT_SIDE_SIXTH[j] / step);
        return status;
    }
    for (int j = 0; j < 2 * NT_STENCIL && status == NT_OK; j++) {
        int distance = j / 2 + 1, sign = j % 2 ? -1 : 1;
        status = add_beside(s, at, wanted, dmemory, sign * distance * step,
                            sign * nt_stencil[distance - 1] / step);
    }
    return status;
}

/* ---- routes --------------------------------------------------------------------------------- */

nt_status nt_pseudo_load(void *context, int i, const nt_point *at, const nt_terms *terms)
{
    nt_sensitivity *s = context;
    const nt_problem *p = s->integrator->problem;
    nt_load_route *route = &s->route[i];
    nt_status status = NT_OK;
    if (route->parameter == NT_ALONG_TIME)
        status = nt_length_direction_load(&s->length, at, terms);
    else if (route->differenced) {
        double off = 0;
        status = pseudo_load_difference(s, at, terms, route->parameter, route->step, &off);
        route->difference = fmax(route->difference, off);
    } else if (route->parameter >= 0)
        status = nt_problem_parameter_tangent(p, at, route->parameter, terms);
    if (status != NT_OK || p->system->n_memory == 0 ||
        (p->system->capabilities & NT_DISCRETE_MEMORY))
        return status;
    nt_variation d = nt_sensitivity_variation(s, s->now, i, NT_APART_LOAD);
    return along_memory(s, at, terms, d.memory);
}

double nt_parameter_scale(const nt_sensitivity *s, int k)
{
    const nt_system *system = s->integrator->problem->system;
    return system->parameter_scale ? system->parameter_scale[k] : fmax(fabs(s->p[k]), 1);
}

nt_status nt_pseudo_load_prepare(nt_sensitivity *s, const nt_point *at, nt_error *error)
{
    const nt_problem *p = s->integrator->problem;
    const nt_system *system = p->system;
    double *ignored = s->point;
    if (system->get_parameters)
        system->get_parameters(system->self, s->p);
    for (int i = 0; i < s->n; i++) {
        nt_load_route *route = &s->route[i];
        if (route->parameter < 0)
            continue;
        nt_terms terms = {.parts = NT_ALL_PARTS,
                          .level = NT_ACCELERATION,
                          .residual = ignored,
                          .rows = ignored + p->nv};
        memset(ignored, 0, (size_t)p->n * sizeof *ignored);
        nt_status status = nt_problem_parameter_tangent(p, at, route->parameter, &terms);
        route->differenced = status == NT_UNSUPPORTED;
        route->difference = 0;
        double best = (double)INFINITY, scale = nt_parameter_scale(s, route->parameter);
        for (double step = 1e-2 * scale; route->differenced && step > 1e-5 * scale; step /= 4) {
            double off;
            status = pseudo_load_difference(s, at, &terms, route->parameter, step, &off);
            if (status == NT_OK && off < best) {
                best = off;
                route->step = step;
            }
        }
        if (route->differenced && isfinite(best))
            status = NT_OK;
        if (status != NT_OK)
            return nt_fail(error, status, "the equations cannot be differentiated in parameter %s",
                           system->parameter_names ? system->parameter_names[route->parameter]
                                                   : "(without a name)");
    }
    return NT_OK;
}

/* ---- initial values ------------------------------------------------------------------------- */

/* q, v and memory of the system's own start with parameter k at p_k + offset. */
static nt_status initial_at(nt_sensitivity *s, double t, int k, double offset, double *out)
{
    const nt_problem *p = s->integrator->problem;
    const nt_system *system = p->system;
    memcpy(s->varied, s->p, (size_t)system->n_parameters * sizeof *s->p);
    s->varied[k] += offset;
    nt_status status = system->set_parameters(system->self, s->varied);
    return status == NT_OK ? system->initial(system->self, t, out, out + p->nq, out + p->nq + p->nv)
                           : status;
}

nt_status nt_initial_tangent(nt_sensitivity *s, int i, double t, double *dq, double *dv,
                             double *dmemory)
{
    const nt_problem *p = s->integrator->problem;
    const nt_system *system = p->system;
    size_t nv = (size_t)p->nv, n_memory = (size_t)system->n_memory;
    int k = s->route[i].parameter;
    memset(dq, 0, nv * sizeof *dq);
    memset(dv, 0, nv * sizeof *dv);
    memset(dmemory, 0, n_memory * sizeof *dmemory);
    if (!system->initial)
        return NT_OK;
    nt_status status = system->initial_tangent
                           ? system->initial_tangent(system->self, t, k, dq, dv, dmemory)
                           : NT_UNSUPPORTED;
    if (status != NT_UNSUPPORTED)
        return status;
    double *base = s->probe, *varied = base + p->nq + p->nv + system->n_memory;
    double step = 1e-2 * nt_parameter_scale(s, k);
    status = initial_at(s, t, k, 0, base);
    for (int j = 0; j < 2 * NT_STENCIL && status == NT_OK; j++) {
        int distance = j / 2 + 1, sign = j % 2 ? -1 : 1;
        double weight = sign * nt_stencil[distance - 1] / step;
        status = initial_at(s, t, k, sign * distance * step, varied);
        /* increments from the base point: the logarithm's own curvature is even in them */
        nt_space_difference(&p->space, system->frame, base, varied, s->values);
        for (size_t j2 = 0; j2 < nv; j2++) {
            dq[j2] += weight * s->values[j2];
            dv[j2] += weight * varied[(size_t)p->nq + j2];
        }
        for (size_t j2 = 0; j2 < n_memory; j2++)
            dmemory[j2] += weight * varied[(size_t)p->nq + nv + j2];
    }
    nt_status back = system->set_parameters(system->self, s->p);
    return status != NT_OK ? status : back;
}
