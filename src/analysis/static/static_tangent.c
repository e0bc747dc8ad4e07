/* How a static state changes with a parameter: by the implicit function theorem,
 *
 *   [ K      B^T ] (dq, dlambda) = -(R_p, Phi_p),
 *   [ Phi_q   0  ]
 *
 * with the derivative at the state itself. What is held, and what sticks, stays where it was
 * placed: with the placement's own derivative dq_0 that is e . dq = e . dq_0 along a held direction
 * e, and kappa_v dq = kappa_v dq_0. */
#include "analysis/static/static.h"

#include "system/check.h"

#include <math.h>
#include <string.h>

/* Sixth-order differences at +-1, +-2, +-3 steps. */
enum { STENCIL = 3 };
static const double stencil[STENCIL] = {45.0 / 60, -9.0 / 60, 1.0 / 60};

static double parameter_step(const nt_static *s, const double *p, int k)
{
    const nt_system *system = s->problem->system;
    return 1e-2 * (system->parameter_scale ? system->parameter_scale[k] : fmax(fabs(p[k]), 1));
}

/* out[n] += d(R, rows)/dp_k by differences, for a system that gives none. */
static nt_status difference(nt_static *s, int k, double *out)
{
    const nt_problem *p = s->problem;
    const nt_system *system = p->system;
    nt_status status = NT_OK;
    double *varied = s->parameters, h;
    system->get_parameters(system->self, varied);
    double value = varied[k];
    h = parameter_step(s, varied, k);
    for (int j = 0; j < 2 * STENCIL && status == NT_OK; j++) {
        int distance = j / 2 + 1, sign = j % 2 ? -1 : 1;
        varied[k] = value + sign * distance * h;
        status = system->set_parameters(system->self, varied);
        if (status == NT_OK)
            status = nt_static_evaluate(s, s->other, false);
        for (int i = 0; i < p->n; i++)
            out[i] += sign * stencil[distance - 1] / h * s->other[i];
    }
    varied[k] = value;
    nt_status back = system->set_parameters(system->self, varied);
    return status != NT_OK ? status : back;
}

static nt_status pseudo_load(nt_static *s, int k, double *out)
{
    const nt_problem *p = s->problem;
    nt_point at = nt_static_point(s);
    const nt_terms terms = {
        .parts = NT_ALL_PARTS, .level = NT_POSITION, .residual = out, .rows = out + p->nv};
    memset(out, 0, (size_t)p->n * sizeof *out);
    nt_status status = nt_problem_parameter_tangent(p, &at, k, &terms);
    return status == NT_UNSUPPORTED ? difference(s, k, out) : status;
}

static nt_status check_parameter(const nt_static *s, int k, nt_error *error)
{
    const nt_system *system = s->problem->system;
    if (!s->solved)
        return nt_fail(error, NT_INVALID, "there is no static state to differentiate");
    if (k < 0 || k >= system->n_parameters)
        return nt_fail(error, NT_INVALID, "parameter %d, expected a number from 0 to %d", k,
                       system->n_parameters - 1);
    return NT_OK;
}

/* What holds a body about its own axis d turns with the body: R - d (d . R) = 0 changes with
 * -(theta x d)(d . R) besides K. */
static void turn_held(nt_static *s)
{
    const nt_pattern *pattern = s->pattern;
    for (int k = 0; k < s->n_holds; k++) {
        const nt_hold *h = &s->holds[k];
        double d[3], moment = 0;
        nt_static_hold_direction(s, h, d);
        int at = h->first - pattern->node_start[h->node], slot = s->diagonal[h->node];
        if (h->quaternion < 0 || s->problem->frame != NT_INERTIAL || slot < 0)
            continue;
        int n = pattern->node_start[h->node + 1] - pattern->node_start[h->node];
        double *block = nt_matrix_block(s->derivative, slot);
        const double skew[3][3] = {{0, -d[2], d[1]}, {d[2], 0, -d[0]}, {-d[1], d[0], 0}};
        for (int i = 0; i < 3; i++)
            moment += d[i] * s->residual[h->first + i];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                block[(at + i) * n + at + j] += moment * skew[i][j];
    }
}

/* Into d[n], the right side, what the placement does along held directions, whose part of dq goes
 * into held[nv], in rows of velocities, and where nothing but the shift holds a state. Without any
 * of them it does nothing. *moved: the largest of the last. */
static nt_status follow_placement(nt_static *s, int k, double shift, double *d, double *held,
                                  double *moved)
{
    const nt_problem *p = s->problem;
    double *placed = s->vector[0], *x = s->other, *of_held = s->step;
    memset(held, 0, (size_t)p->nv * sizeof *held);
    memset(placed, 0, (size_t)p->nv * sizeof *placed);
    if (!s->placement_rates || (s->n_holds == 0 && p->nn == 0 && shift == 0))
        return NT_OK;
    nt_status status = s->placement_rates(s->placed_by, k, placed);
    if (status != NT_OK)
        return status;
    for (int i = 0; i < p->nv; i++)
        if (s->is_first[i]) {
            double move = shift * s->drag[i] * placed[i];
            d[i] -= move;
            *moved = fmax(*moved, fabs(move));
            placed[i] = 0;
        }
    nt_static_along_held(s, placed, held);
    memset(x, 0, (size_t)p->n * sizeof *x);
    memcpy(x, held, (size_t)p->nv * sizeof *x);
    nt_matrix_apply(s->derivative, x, of_held);
    memcpy(x, placed, (size_t)p->nv * sizeof *x);
    for (int i = 0; i < p->n; i++)
        d[i] += of_held[i];
    nt_matrix_apply(s->derivative, x, of_held);
    for (int i = p->nv + p->nh; i < p->n; i++)
        d[i] -= of_held[i];
    return NT_OK;
}

/* Factors of the derivative; where a state has no rate at all, as one that counts, with a shift
 * that keeps it where it is. */
static nt_status factor_tangent(nt_static *s, double *shift)
{
    *shift = 0;
    nt_status status = nt_static_factor(s, 0);
    if (status == NT_SINGULAR && s->problem->space.n_first > 0)
        status = nt_static_factor(s, *shift = NT_STATIC_NEARLY_NONE);
    return status;
}

/* The shift may carry nothing of what changes with the parameter, b being the largest of that, but
 * what it makes of states that begin elsewhere. */
static nt_status judge_shift(const nt_static *s, double shift, double b, double moved,
                             const double *d)
{
    for (int i = 0; i < s->problem->nv && shift > 0; i++)
        if (!(fabs(shift * s->drag[i] * d[i]) <= fmax(1e-9 * b, 2 * moved)))
            return NT_SINGULAR;
    return NT_OK;
}

/* What a row that is left out may miss, relative to its terms: rounding of the rank's choice. */
static const double MISSES = 1e-6;

/* A row that depends on others goes along with these as far as its own change with the parameter
 * does the same. At a dead centre it need not: the rod that is stretched there can get longer only
 * as the others let go of theirs, by the root of it, and nothing has a derivative. Names the first
 * such row. */
static nt_status follow_dropped_rows(nt_static *s, int k, const double *d, nt_error *error)
{
    const nt_problem *p = s->problem;
    double *change = s->other, *moved = s->step, angle, length;
    char name[160] = "";
    if (s->factors->n_dropped == 0)
        return NT_OK;
    nt_status status = pseudo_load(s, k, change);
    if (status != NT_OK)
        return nt_fail(error, status, "derivative of the static state: %s", nt_status_text(status));
    nt_matrix_apply(s->derivative, d, moved);
    nt_static_reach(s, d, &angle, &length);
    for (int i = 0; i < s->factors->n_dropped; i++) {
        int row = s->factors->dropped[i];
        double off = fabs(change[row] + moved[row]);
        double reach =
            p->quantity[row] == NT_LENGTH ? length + angle * p->length : angle + length / p->length;
        if (row >= p->nv + p->nh || off <= MISSES * (fabs(change[row]) + reach))
            continue;
        nt_problem_equation_name(p, row, name, sizeof name);
        return nt_fail(error, NT_UNSUPPORTED,
                       "the static state has no derivative in parameter %s: at a dead centre %s "
                       "depends on others, and the parameter changes it otherwise than these",
                       p->system->parameter_names ? p->system->parameter_names[k] : "", name);
    }
    return NT_OK;
}

nt_status nt_static_tangent(nt_static *s, int k, nt_state_tangent *out, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "state tangent", s, out);
    const nt_problem *p = s->problem;
    *out = (nt_state_tangent){0};
    nt_status status = check_parameter(s, k, error);
    if (status != NT_OK)
        return nt_said(error, status);
    double *d = s->shown, *held = s->rates, shift = 0, largest = 0, moved = 0;
    status = nt_static_evaluate(s, s->residual, true);
    if (status == NT_OK)
        status = nt_static_find_drag(s);
    nt_solver_forget(s->solver);
    if (status == NT_OK) {
        turn_held(s);
        status = factor_tangent(s, &shift);
    }
    if (status == NT_OK)
        status = pseudo_load(s, k, d);
    for (int i = 0; i < p->n; i++)
        largest = fmax(largest, fabs(d[i]));
    if (status == NT_OK)
        status = follow_placement(s, k, shift, d, held, &moved);
    if (status == NT_OK)
        status = nt_static_correct(s, d, d);
    if (status == NT_OK)
        status = judge_shift(s, shift, largest, moved, d);
    if (nt_problem_stops(p))
        status = NT_INTERRUPTED;
    if (status != NT_OK)
        return nt_fail(error, status, "derivative of the static state in parameter %s: %s",
                       p->system->parameter_names ? p->system->parameter_names[k] : "",
                       nt_status_text(status));
    for (int i = 0; i < p->nv; i++)
        d[i] += held[i];
    if ((status = follow_dropped_rows(s, k, d, error)) != NT_OK)
        return nt_said(error, status);
    memset(s->rates, 0, (size_t)p->nv * sizeof *s->rates);
    for (int i = 0; i < p->nv; i++)
        if (s->is_first[i]) {
            s->rates[i] = d[i];
            d[i] = 0;
        }
    *out = (nt_state_tangent){.q = d,
                              .v = s->rates,
                              .vdot = s->zero,
                              .lambda = d + p->nv,
                              .mu = d + p->nv + p->nh,
                              .memory = s->no_memory};
    return NT_OK;
}

/* The constraint matrix beside the state, along its tangent. */
static nt_status vary_matrix(nt_static *s, int k, const nt_state_tangent *d)
{
    const nt_problem *p = s->problem;
    const nt_system *system = p->system;
    double *varied = s->parameters, angle, length;
    system->get_parameters(system->self, varied);
    double value = varied[k], h = parameter_step(s, varied, k);
    nt_static_reach(s, d->q, &angle, &length);
    double reach = fmax(angle, length / p->length);
    if (reach > 0)
        h = fmin(h, 1e-2 / reach);
    nt_point beside = nt_static_point(s);
    nt_status status = NT_OK;
    nt_static_keep(s, s->kept[1]);
    nt_minimum_norm_begin(s->reactions);
    for (int j = 0; j < 2 * STENCIL && status == NT_OK; j++) {
        int distance = j / 2 + 1, sign = j % 2 ? -1 : 1;
        double offset = sign * distance * h;
        varied[k] = value + offset;
        status = system->set_parameters(system->self, varied);
        for (int i = 0; i < p->nv; i++)
            s->increment[i] = offset * d->q[i];
        nt_space_compose(&p->space, p->frame, s->kept[1], s->increment, s->q);
        if (status == NT_OK)
            status =
                nt_minimum_norm_add(s->reactions, p, &beside, sign * stencil[distance - 1] / h);
    }
    varied[k] = value;
    nt_static_go_back(s, s->kept[1]);
    nt_status back = system->set_parameters(system->self, varied);
    return status != NT_OK ? status : back;
}

nt_status nt_static_reaction_rates(nt_static *s, int k, const nt_state_tangent *d, double length,
                                   double *out, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "state tangent out", s, d, out);
    NT_NEED_STATE(error, "tangent", s->problem->system, d);
    NT_NEED_LENGTH(error, "length", length);
    const nt_problem *p = s->problem;
    nt_status status = check_parameter(s, k, error);
    if (status != NT_OK)
        return nt_said(error, status);
    memcpy(out, d->lambda, (size_t)p->nh * sizeof *out);
    memcpy(out + p->nh, d->mu, (size_t)p->nn * sizeof *out);
    if (s->factors->n_dropped == 0)
        return NT_OK;
    status = nt_static_reactions(s, length, s->other, error);
    if (status == NT_OK)
        status = vary_matrix(s, k, d);
    if (status == NT_OK)
        status = nt_minimum_norm_rates(s->reactions, out);
    return status == NT_OK
               ? NT_OK
               : nt_fail(error, status, "derivatives of the reactions: %s", nt_status_text(status));
}
