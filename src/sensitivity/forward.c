/* Forward sensitivities of a run: the start, the steps, and the state as the system sees it.
 *
 * A variation (dq, dv, dvdot, dlambda, dmu, dmemory, dmethod) for each parameter goes through the
 * method's own linearised step. At the start, with dq0, dv0 from the initial values,
 *
 *   M dvdot + R_lambda dlambda = -(R_q dq + R_v dv + R_p),
 *
 * and the same holds of the rows at the level of accelerations: this is the derivative of the
 * consistent accelerations (Bruls & Eberhard 2008, (116), (117)). */
#include "sensitivity/forward.h"
#include "base/error.h"
#include "group/block.h"
#include "method/dense_output.h"
#include "method/variation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory --------------------------------------------------------------------------------- */

static nt_status forward_take_memory(nt_sensitivity *s)
{
    nt_integrator *it = s->integrator;
    const nt_problem *p = it->problem;
    const nt_system *system = p->system;
    size_t n = (size_t)p->n, nv = (size_t)p->nv, nq = (size_t)p->nq, count = (size_t)s->n;
    size_t n_memory = (size_t)system->n_memory, n_parameters = (size_t)system->n_parameters;
    size_t varies = it->layout.variation > 0 ? it->layout.variation : it->layout.memory;
    bool fours = it->layout.fours && s->n > 1;
    size_t room = fours ? (count + 3) / 4 * 4 : count;
    size_t linear = it->layout.linear + room * it->layout.linear_each;
    size_t start = count * n; /* of the start's own solve */
    nt_arena *arena = &s->arena;
    s->directions = (nt_directions){.count = s->n,
                                    .fours = fours,
                                    .stride = 3 * nv + (size_t)p->nc + n_memory + varies,
                                    .load = nt_pseudo_load,
                                    .context = s};
    size_t each = s->directions.stride;
    s->directions.group = 4 * each + 3 * NT_GROUP_GAP;
    size_t all = s->all = fours ? room / 4 * s->directions.group : count * each;
    size_t inner = it->track_work ? all : 0, ends = (it->track_work ? 4 : 3) * it->size;
    s->route = NT_TAKE(arena, count, nt_load_route);
    bool good =
        s->route && NT_DOUBLES(arena, linear > start ? linear : start, &s->directions.scratch) &&
        NT_DOUBLES(arena, all, &s->now, &s->next, &s->before) &&
        (!it->stops.events || NT_DOUBLES(arena, all, &s->kept)) &&
        (!it->method->vary_dense || NT_DOUBLES(arena, all, &s->between)) &&
        NT_DOUBLES(arena, count, &s->work, &s->work_before, &s->event_time) &&
        NT_DOUBLES(arena, count, &s->jump_time) &&
        NT_DOUBLES(arena, n_parameters, &s->p, &s->varied) &&
        NT_DOUBLES(arena, 3 * n, &s->values) &&
        NT_DOUBLES(arena, nq + 2 * nv + (size_t)p->nc + n_memory, &s->point) &&
        NT_DOUBLES(arena, 3 * nv, &s->shown) &&
        NT_DOUBLES(arena, 2 * (nq + nv) + 4 * n_memory, &s->probe) &&
        NT_DOUBLES(arena, 6 * nv + 3 * n_memory + 2, &s->refined) &&
        NT_DOUBLES(arena, count * NT_WORK_NODES, &s->power) &&
        NT_DOUBLES(arena, inner, &s->inner) && NT_DOUBLES(arena, NT_APART * each, &s->apart) &&
        NT_DOUBLES(arena, ends, &s->dense) &&
        NT_DOUBLES(arena, 3 * nv + (size_t)p->nc, &s->dense_shown) &&
        NT_DOUBLES(arena, 9 * nv + 2 * (size_t)p->nc, &s->balanced) &&
        NT_DOUBLES(arena, nt_length_direction_work(p), &s->length.work);
    if (!good)
        return NT_NO_MEMORY;
    nt_status status = nt_factors_create(&s->factors, p, it->factors->kind, NULL);
    if (status == NT_OK && it->factors->resting)
        status = nt_factors_let_rest(s->factors);
    return status == NT_OK ? nt_solver_reserve(s->factors->solver) : status;
}

/* Whether any of them is a parameter; with none at all it is parameters that are missed. */
static bool names_parameters(const int *parameters, int n)
{
    bool some = n == 0;
    for (int i = 0; i < n; i++)
        some |= parameters[i] >= 0;
    return some;
}

nt_status nt_sensitivity_create_along(nt_sensitivity **out, nt_integrator *it,
                                      const int *parameters, int n, nt_error *error)
{
    const nt_system *system = it->problem->system;
    *out = NULL;
    if (!it->method->linearise)
        return nt_fail(error, NT_UNSUPPORTED, "method %s has no linearised step", it->method->name);
    if (names_parameters(parameters, n) && (!(system->capabilities & NT_HAS_PARAMETERS) ||
                                            !system->set_parameters || !system->get_parameters))
        return nt_fail(error, NT_UNSUPPORTED, "the system has no parameters (NT_HAS_PARAMETERS)");
    if (!(system->capabilities & NT_HAS_TANGENT))
        return nt_fail(error, NT_UNSUPPORTED, "the system gives no tangents (NT_HAS_TANGENT)");
    if (it->attend)
        return nt_fail(error, NT_INVALID, "the integrator carries sensitivities already");
    for (int i = 0; i < n; i++)
        if (parameters[i] >= system->n_parameters)
            return nt_fail(error, NT_INVALID, "there is no parameter %d, the system has %d",
                           parameters[i], system->n_parameters);
    nt_sensitivity *s = calloc(1, sizeof *s);
    if (!s)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    s->integrator = it;
    s->n = n;
    s->t = s->between_t = s->linearised_t = s->event_t = (double)NAN;
    nt_status status = forward_take_memory(s);
    if (status != NT_OK) {
        nt_sensitivity_destroy(s);
        return nt_fail(error, status, "out of memory");
    }
    for (int i = 0; i < n; i++)
        s->route[i].parameter = parameters[i];
    s->directions.length = n > 0 && parameters[n - 1] == NT_ALONG_TIME;
    s->length.stepper = &it->stepper;
    s->length.h = 1;
    it->attend = nt_sensitivity_attend;
    it->attend_jump = nt_sensitivity_jump;
    it->attendant = s;
    it->stepper.linear = s->factors;
    *out = s;
    return NT_OK;
}

nt_status nt_sensitivity_create(nt_sensitivity **out, nt_integrator *it, const int *parameters,
                                int n, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "sensitivity", out);
    *out = NULL;
    NT_NEED(error, "integrator", it);
    NT_NEED_COUNT(error, "n", n);
    if (n > 0)
        NT_NEED(error, "parameters", parameters);
    for (int i = 0; i < n; i++)
        if (parameters[i] < 0)
            return nt_fail(error, NT_INVALID, "there is no parameter %d, the system has %d",
                           parameters[i], it->problem->system->n_parameters);
    nt_status status = nt_sensitivity_create_along(out, it, parameters, n, error);
    return nt_said(error, status);
}

void nt_sensitivity_destroy(nt_sensitivity *s)
{
    if (!s)
        return;
    if (s->integrator->attendant == s) {
        s->integrator->attend = NULL;
        s->integrator->attend_jump = NULL;
        s->integrator->attendant = NULL;
        s->integrator->stepper.linear = NULL;
        s->integrator->stepper.has_tangent = false;
    }
    nt_minimum_norm_destroy(s->reactions);
    nt_factors_destroy(s->factors);
    nt_arena_free(&s->arena);
    free(s);
}

nt_status nt_sensitivity_stepper(const nt_sensitivity *s, nt_stepper *stepper)
{
    *stepper = s->integrator->stepper;
    stepper->factors = s->factors;
    stepper->linear = NULL;
    return nt_factors_take_rows(s->factors, s->integrator->factors);
}

/* ---- variations ----------------------------------------------------------------------------- */

void nt_sensitivity_write(nt_sensitivity *s, double *all, int i, const double *from)
{
    nt_variation_write(s->integrator->problem, &s->directions, all, i, from);
}

nt_variation nt_sensitivity_variation(const nt_sensitivity *s, double *all, int i, int place)
{
    const nt_problem *p = s->integrator->problem;
    if (!s->directions.fours)
        return nt_variation_at(p, &s->directions, all, i);
    nt_variation_read(p, &s->directions, all, i, s->apart + (size_t)place * s->directions.stride);
    return nt_variation_at(p, &s->directions, s->apart, place);
}

/* ---- frames --------------------------------------------------------------------------------- */

/* Of a rigid motion, V and V' in its own axes: with A = V' + W x V (system/rigid.c)
 *
 *   dv = R (dV - V x psi),   dv' = R (dV' + W x dV - V x dW - A x psi).
 *
 * `own` and `ground` are (dq, dv, dvdot) at the body's first entry, in frame se3 and with
 * translations in ground axes; R dV and R dV', or R^T dv and R^T dv', are there already. */
static void leave_motion(m3 R, v3 V, v3 W, v3 A, const double *const own[3],
                         double *const ground[3])
{
    v3 psi = v3_load(own[0] + 3), dV = v3_load(own[1]), dW = v3_load(own[1] + 3);
    v3 turned = v3_sub(v3_sub(v3_cross(W, dV), v3_cross(V, dW)), v3_cross(A, psi));
    v3_accumulate(ground[1], m3_apply(R, v3_cross(psi, V)));
    v3_accumulate(ground[2], m3_apply(R, turned));
}

static void enter_motion(v3 V, v3 W, v3 A, double *const own[3])
{
    v3 psi = v3_load(own[0] + 3), dW = v3_load(own[1] + 3);
    v3_accumulate(own[1], v3_cross(V, psi));
    v3 turned = v3_add(v3_cross(v3_load(own[1]), W), v3_add(v3_cross(V, dW), v3_cross(A, psi)));
    v3_accumulate(own[2], turned);
}

static void change_motions(const nt_problem *p, nt_frame from, nt_frame to, const nt_point *at,
                           const double *const d[3], double *const out[3])
{
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        if (block->kind != NT_R3SO3)
            continue;
        int i = block->v;
        m3 R = quat_matrix(quat_load(at->q + block->q + 3));
        v3 V = v3_load(at->v + i), W = v3_load(at->v + i + 3), A = v3_load(at->vdot + i);
        double *const to_here[3] = {out[0] + i, out[1] + i, out[2] + i};
        if (from == NT_SE3) {
            const double *const here[3] = {d[0] + i, d[1] + i, d[2] + i};
            leave_motion(R, V, W, v3_add(A, v3_cross(W, V)), here, to_here);
        } else if (to == NT_SE3) {
            W = from == NT_BODY ? W : m3_apply_transposed(R, W);
            enter_motion(m3_apply_transposed(R, V), W, m3_apply_transposed(R, A), to_here);
        }
    }
}

/* A variation of q, v and vdot from one frame to the other at a state (q, v, vdot in frame `from`).
 * Rates are w_i = Q w_o, so dw_i = Q dw_o + s w_i~ e_i with e_i = Q e_o; see system/adapter.c. */
void nt_sensitivity_change_frame(const nt_problem *p, nt_frame from, nt_frame to,
                                 const nt_point *at, const double *const d[3], double *const out[3])
{
    const double *q = at->q, *v = at->v, *vdot = at->vdot;
    for (int i = 0; i < 3; i++)
        nt_space_change_frame(&p->space, from, to, q, d[i], out[i]);
    nt_space_clear_first(&p->space, out[0]);
    double s = to == NT_INERTIAL ? -1 : 1;
    bool turns = (from == NT_INERTIAL) != (to == NT_INERTIAL);
    for (int b = 0; turns && b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        int i = block->v + block->nv - 3;
        if (block->rotation < 0)
            continue;
        m3 R = quat_matrix(quat_load(q + block->q + block->nq - 4));
        m3 Q = to == NT_INERTIAL ? R : m3_transpose(R);
        v3 e = v3_load(out[0] + i);
        v3 rates[2] = {m3_apply(Q, v3_load(v + i)), m3_apply(Q, v3_load(vdot + i))};
        for (int k = 0; k < 2; k++)
            v3_store(out[k + 1] + i,
                     v3_add(v3_load(out[k + 1] + i), v3_scale(s, v3_cross(rates[k], e))));
    }
    if ((from == NT_SE3) != (to == NT_SE3))
        change_motions(p, from, to, at, d, out);
}

/* ---- start ---------------------------------------------------------------------------------- */

/* dvdot, dlambda, dmu of all directions from their dq, dv. */
static nt_status forward_accelerations(nt_sensitivity *s, const nt_point *at)
{
    const nt_problem *p = s->integrator->problem;
    nt_factors *f = s->factors;
    size_t n = (size_t)p->n, nv = (size_t)p->nv, count = (size_t)s->n;
    double *z = s->directions.scratch, *each = s->next;
    for (int i = 0; i < s->n; i++)
        nt_variation_read(p, &s->directions, s->now, i, each + (size_t)i * s->directions.stride);
    nt_push push = {.at = at,
                    .parts = NT_ALL_PARTS,
                    .level = NT_ACCELERATION,
                    .stiffness = 1,
                    .count = s->n,
                    .x = each,
                    .y = z,
                    .x_stride = s->directions.stride,
                    .y_stride = n};
    memset(z, 0, count * n * sizeof *z);
    nt_status status = nt_variation_push(f, &push);
    push.stiffness = 0, push.damping = 1, push.x = each + nv;
    if (status == NT_OK)
        status = nt_variation_push(f, &push);
    for (size_t i = 0; i < count && status == NT_OK; i++) {
        nt_terms terms = {.parts = NT_ALL_PARTS,
                          .level = NT_ACCELERATION,
                          .residual = z + i * n,
                          .rows = z + i * n + nv};
        status = nt_pseudo_load(s, (int)i, at, &terms);
        nt_factors_clear_dropped(f, z + i * n);
    }
    if (status == NT_OK)
        status = nt_factors_of_accelerations(f, at);
    for (size_t i = 0; i < count && status == NT_OK; i++)
        nt_factors_clear_resting(f, z + i * n);
    if (status == NT_OK)
        status = nt_solver_solve(f->solver, z, s->n);
    for (size_t i = 0; i < count && status == NT_OK; i++) {
        nt_variation d = nt_variation_at(p, &s->directions, each, (int)i);
        for (size_t j = 0; j < n; j++)
            d.vdot[j] = -z[i * n + j]; /* multipliers follow */
        nt_sensitivity_write(s, s->now, (int)i, d.q);
    }
    return status;
}

/* dq and dv of the given state in the system's frame become those of direction i. */
static void forward_enter(nt_sensitivity *s, int i, const double *dq, const double *dv)
{
    const nt_problem *p = s->integrator->problem;
    const nt_phase *now = &s->integrator->stepper.now;
    nt_variation d = nt_sensitivity_variation(s, s->now, i, NT_APART_STATE);
    double *zero = s->values, *v = s->shown; /* v in the system's frame */
    memset(zero, 0, (size_t)p->nv * sizeof *zero);
    nt_space_change_frame(&p->space, p->frame, p->system->frame, now->q, now->v, v);
    const nt_point at = {.q = now->q, .v = v, .vdot = zero};
    const double *const from[3] = {dq ? dq : zero, dv ? dv : zero, zero};
    double *const to[3] = {d.q, d.v, d.vdot};
    nt_sensitivity_change_frame(p, p->system->frame, p->frame, &at, from, to);
    nt_sensitivity_write(s, s->now, i, d.q);
}

nt_status nt_sensitivity_begin_again(nt_sensitivity *s, nt_error *error)
{
    nt_integrator *it = s->integrator;
    nt_phase *now = &it->stepper.now;
    nt_point at = nt_phase_point(now);
    nt_stepper stepper;
    nt_solver_forget(s->factors->solver); /* what begins depends on the state alone */
    nt_status status = nt_sensitivity_stepper(s, &stepper);
    if (status == NT_OK)
        status = forward_accelerations(s, &at);
    nt_solver_forget(s->factors->solver); /* a fallback here says nothing of the steps */
    if (status == NT_OK) {                /* linearise looks at the start in `next` */
        memcpy(it->stepper.next.all, now->all, it->size * sizeof(double));
        status = it->method->linearise(&stepper, 0, &s->directions, s->now, s->now);
    }
    memcpy(s->work_before, s->work, (size_t)s->n * sizeof *s->work);
    memset(s->power, 0, (size_t)s->n * NT_WORK_NODES * sizeof *s->power);
    memcpy(s->before, s->now, s->all * sizeof *s->now);
    s->t = now->all[NT_PHASE_T];
    s->between_t = s->linearised_t = (double)NAN;
    return status == NT_OK ? NT_OK
                           : nt_fail(error, status,
                                     "sensitivities of the initial accelerations at t = %g s: %s",
                                     s->t, nt_status_text(status));
}

static nt_status finish_start(nt_sensitivity *s, nt_error *error)
{
    memset(s->work, 0, (size_t)s->n * sizeof *s->work);
    s->event_t = (double)NAN;
    return nt_sensitivity_begin_again(s, error);
}

static nt_status forward_begin(nt_sensitivity *s, nt_error *error)
{
    nt_integrator *it = s->integrator;
    if (!it->started)
        return nt_fail(error, NT_INVALID, "the integrator was not started");
    nt_point at = nt_phase_point(&it->stepper.now);
    memset(s->now, 0, s->all * sizeof *s->now);
    s->length.origin = at.t;
    return nt_pseudo_load_prepare(s, &at, error);
}

nt_status nt_sensitivity_start(nt_sensitivity *s, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "sensitivity", s);
    const nt_problem *p = s->integrator->problem;
    nt_status status = forward_begin(s, error);
    if (status != NT_OK)
        return nt_said(error, status);
    double t = s->integrator->stepper.now.all[NT_PHASE_T];
    for (int i = 0; i < s->n; i++) {
        double *dq = s->dense_shown, *dv = dq + p->nv;
        nt_variation d = nt_sensitivity_variation(s, s->now, i, NT_APART_STATE);
        if ((status = nt_initial_tangent(s, i, t, dq, dv, d.memory)) != NT_OK)
            return nt_fail(error, status,
                           "the initial values cannot be differentiated at t = %g s: %s", t,
                           nt_status_text(status));
        nt_sensitivity_write(s, s->now, i, d.q);
        forward_enter(s, i, dq, dv);
    }
    return nt_said(error, finish_start(s, error));
}

nt_status nt_sensitivity_start_from(nt_sensitivity *s, const double *dq, const double *dv,
                                    nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "sensitivity", s);
    size_t nv = (size_t)s->integrator->problem->nv;
    nt_status status = forward_begin(s, error);
    if (status != NT_OK)
        return nt_said(error, status);
    for (int i = 0; i < s->n; i++)
        forward_enter(s, i, dq ? dq + (size_t)i * nv : NULL, dv ? dv + (size_t)i * nv : NULL);
    return nt_said(error, finish_start(s, error));
}
