/* Runge-Kutta-Munthe-Kaas steps; see rkmk.h for the equations and symbols. */
#include "method/runge_kutta/rkmk.h"
#include "base/error.h"

#include "base/target.h"
#include "group/block.h"
#include "group/rotation.h"
#include "method/dense_output.h"
#include "method/step_control.h"

#include <math.h>
#include <string.h>

/* ---- work ----------------------------------------------------------------------------------- */

typedef struct work {
    double *z; /* [2 nv] h sum a_ij K_j: x of a stage, and its v - v_n */
    double *v; /* [nv] of a stage                                      */
    double *q; /* [nq] of a stage                                      */
} work;

static work rkmk_work_of(const nt_stepper *s)
{
    work w = {.z = s->scratch};
    w.v = w.z + 2 * s->problem->nv;
    w.q = w.v + s->problem->nv;
    return w;
}

nt_status nt_rkmk_layout(const nt_problem *p, const nt_options *options, nt_layout *sizes,
                         nt_error *error)
{
    (void)error;
    const nt_rkmk_table *table = options->method->scheme;
    size_t nv = (size_t)p->nv;
    sizes->memory = NT_RKMK_HEAD + 2 * nv * (size_t)(table->kept + 1);
    sizes->scratch = 4 * nv + (size_t)p->nq + 2 * (size_t)p->nc;
    sizes->variation = 1; /* nothing of a step's stages reaches the next */
    nt_rkmk_linear_layout(table, p, sizes);
    return NT_OK;
}

/* ---- kernels -------------------------------------------------------------------------------- */

/* A few entries at a time stay in registers while the rows of K pass; `lanes` is a constant. */
NT_INLINE void combine_lanes(const double *restrict K, size_t n, const double *weight, int count,
                             double h, double *restrict z, int lanes)
{
    double sum[8] = {0};
    for (int j = 0; j < count; j++) {
        if (weight[j] == 0)
            continue;
        for (int l = 0; l < lanes; l++)
            sum[l] += weight[j] * K[(size_t)j * n + (size_t)l];
    }
    for (int l = 0; l < lanes; l++)
        z[l] = h * sum[l];
}

NT_WIDE static void combine(const double *restrict K, size_t n, const double *weight, int count,
                            double h, double *restrict z)
{
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        combine_lanes(K + i, n, weight, count, h, z + i, 8);
    for (; i + 4 <= n; i += 4)
        combine_lanes(K + i, n, weight, count, h, z + i, 4);
    for (; i < n; i++)
        combine_lanes(K + i, n, weight, count, h, z + i, 1);
}

void nt_rkmk_combine(const double *K, int n, const double *weight, int count, double h, double *z)
{
    combine(K, (size_t)n, weight, count, h, z);
}

/* T^-1 v = g v + psi x v/2 + e psi (psi . v), of the body frame; that of -psi in the inertial. */
static inline v3 rotation_rate(nt_frame frame, v3 psi, double square, v3 v)
{
    so3_inverse_coefficients f = so3_inverse_coefficients_of(square);
    v3 turn = v3_scale(frame == NT_BODY ? 0.5 : -0.5, v3_cross(psi, v));
    return v3_add(v3_axpy(f.g, v, turn), v3_scale(f.e * v3_dot(psi, v), psi));
}

/* rate = T(x)^-1 v; the first v entry of a rotation by more than 6 rad, or -1. T is singular at
 * 2 pi. */
static int rkmk_rate(const nt_space *space, nt_frame frame, const double *x, const double *v,
                     double *rate)
{
    int too_large = -1;
    for (int b = 0; b < space->n_blocks; b++) {
        const nt_block *block = &space->blocks[b];
        int plain = block->rotation < 0 ? block->nv : block->nv - 3, i = block->v + plain;
        for (int j = block->v; j < i; j++)
            rate[j] = v[j];
        if (block->rotation < 0)
            continue;
        v3 psi = v3_load(x + i);
        double square = v3_dot(psi, psi);
        if (!(square < 36))
            too_large = i;
        v3_store(rate + i, rotation_rate(frame, psi, square, v3_load(v + i)));
    }
    nt_space_clear_first(space, rate);
    return too_large;
}

/* ---- stages --------------------------------------------------------------------------------- */

static void count_effort(nt_stepper *s, const nt_effort *effort)
{
    s->statistics->evaluations += effort->evaluations;
    s->statistics->factorisations += effort->factorisations;
    s->statistics->solves += effort->solves;
    s->statistics->iterations += effort->iterations;
    s->report.iterations += (int)effort->iterations;
    s->report.unknown = effort->unknown;
    s->report.worst = effort->worst;
}

/* The acceleration at a point whose vdot, lambda and mu are a guess and then the values. */
static nt_status rkmk_accelerate(nt_stepper *s, const nt_point *at, double *vdot,
                                 nt_phase *multipliers)
{
    nt_effort effort = {.unknown = -1};
    nt_status status =
        nt_factors_accelerate(s->factors, at, vdot, multipliers->lambda, multipliers->mu, &effort);
    count_effort(s, &effort);
    return status;
}

static nt_status rkmk_too_large_a_turn(nt_stepper *s, int unknown)
{
    s->report.unknown = unknown;
    s->report.increment = true;
    s->report.worst = (double)INFINITY;
    return NT_NOT_CONVERGED;
}

/* K_i of the step from `from`, its rows before i being there. `guess` has the multipliers. */
static nt_status rkmk_stage(const nt_rkmk_table *table, nt_stepper *s, const nt_phase *from,
                            double *K, double h, int i, nt_phase *guess)
{
    const nt_problem *p = s->problem;
    work w = rkmk_work_of(s);
    int nv = p->nv;
    size_t n = 2 * (size_t)nv;
    double *Ki = K + n * (size_t)i, *x = w.z;
    combine(K, n, table->a + i * table->kept, i, h, w.z);
    for (int j = 0; j < nv; j++)
        w.v[j] = from->v[j] + w.z[nv + j];
    int turn = rkmk_rate(&p->space, p->frame, x, w.v, Ki);
    if (turn >= 0)
        return rkmk_too_large_a_turn(s, turn);
    nt_space_compose(&p->space, p->frame, from->q, x, w.q);
    memcpy(Ki + nv, Ki - nv, (size_t)nv * sizeof *Ki); /* guess: that of the stage before */
    nt_point at = {.t = from->all[NT_PHASE_T] + table->c[i] * h,
                   .q = w.q,
                   .v = w.v,
                   .vdot = Ki + nv,
                   .lambda = guess->lambda,
                   .mu = guess->mu,
                   .memory = from->memory};
    return rkmk_accelerate(s, &at, Ki + nv, guess);
}

/* K_0 = (v_n, vdot_n). Where the system has memory it may have changed when the step before was
 * accepted, and the acceleration with it. */
static nt_status rkmk_first_stage(nt_stepper *s, double *K)
{
    const nt_problem *p = s->problem;
    size_t bytes = (size_t)p->nv * sizeof(double);
    memcpy(K, s->now.v, bytes);
    nt_space_clear_first(&p->space, K);
    memcpy(K + p->nv, s->now.vdot, bytes);
    memcpy(s->next.lambda, s->now.lambda, (size_t)p->nc * sizeof(double));
    if (p->system->n_memory == 0)
        return NT_OK;
    nt_point at = nt_phase_point(&s->now);
    return rkmk_accelerate(s, &at, K + p->nv, &s->next);
}

/* ---- the step ------------------------------------------------------------------------------- */

/* No step yet, or loads that changed since: nothing to interpolate. */
nt_status nt_rkmk_start(nt_stepper *s)
{
    s->next.method[NT_RKMK_ROWS] = 0;
    return NT_OK;
}

/* y_1 from y_1~ in z: back to the constraints by the factors of the last stage, which lies at the
 * same time. */
static nt_status rkmk_settle(nt_stepper *s, double *x)
{
    const nt_problem *p = s->problem;
    nt_phase *next = &s->next;
    nt_effort effort = {.unknown = -1};
    nt_point at = nt_phase_point(next);
    nt_space_compose(&p->space, p->frame, s->now.q, x, next->q);
    nt_status status = nt_factors_settle(s->factors, &at, s->now.q, x, next->q, next->v, &effort);
    count_effort(s, &effort);
    s->report.position_drift = effort.drift;
    return status;
}

nt_status nt_rkmk_step(nt_stepper *s, double h)
{
    const nt_rkmk_table *table = s->options->method->scheme;
    const nt_problem *p = s->problem;
    nt_phase *next = &s->next;
    int nv = p->nv, end = table->stages;
    double *K = nt_rkmk_K(p, next, 0), *K_end = nt_rkmk_K(p, next, end), *D = nt_rkmk_D(next);
    s->report = (nt_report){.unknown = -1};
    next->all[NT_PHASE_T] = s->now.all[NT_PHASE_T] + h;
    next->method[NT_RKMK_ROWS] = 0;
    memcpy(next->memory, s->now.memory, (size_t)p->system->n_memory * sizeof(double));
    memcpy(next->q, s->now.q, (size_t)p->nq * sizeof(double));
    memcpy(next->v, s->now.v, (size_t)nv * sizeof(double));
    nt_status status = rkmk_first_stage(s, K);
    for (int i = 1; status == NT_OK && i < table->stages; i++)
        status = rkmk_stage(table, s, &s->now, K, h, i, next);
    if (status != NT_OK)
        return status;

    combine(K, 2 * (size_t)nv, table->a + end * table->kept, end, h, D);
    for (int j = 0; j < nv; j++)
        next->v[j] = s->now.v[j] + D[nv + j];
    if ((status = rkmk_settle(s, D)) != NT_OK)
        return status;
    for (int j = 0; j < nv; j++)
        D[nv + j] = next->v[j] - s->now.v[j];
    int turn = rkmk_rate(&p->space, p->frame, D, next->v, K_end);
    if (turn >= 0)
        return rkmk_too_large_a_turn(s, turn);
    memcpy(next->vdot, K_end - nv, (size_t)nv * sizeof(double)); /* guess: the last stage's */
    nt_point at = nt_phase_point(next);
    if ((status = rkmk_accelerate(s, &at, next->vdot, next)) != NT_OK)
        return status;
    memcpy(K_end + nv, next->vdot, (size_t)nv * sizeof(double));
    next->method[NT_RKMK_ROWS] = end + 1;
    /* what dense output would add is not there yet: equal states are equal bytes */
    memset(K_end + 2 * nv, 0, 2 * (size_t)(nv * (table->kept - end - 1)) * sizeof *K_end);
    return NT_OK;
}

/* ---- step sizes ----------------------------------------------------------------------------- */

/* Two estimates E and F of different order become E |E|/sqrt(|E|^2 + 0.01 |F|^2) (Hairer, Norsett
 * & Wanner 1993, (10.17) of section II.10), with the largest entry of each kind in |.|: the factor
 * is a matter of order, not of an entry that happens to vanish. `second` is lost. */
static void combine_estimates(const nt_problem *p, double *first, const double *second)
{
    double largest[2][4] = {{0}};
    int n = 2 * p->nv;
    for (int i = 0; i < n; i++) {
        int kind = 2 * (i >= p->nv) + (p->quantity[i % p->nv] == NT_ANGLE);
        largest[0][kind] = fmax(largest[0][kind], fabs(first[i]));
        largest[1][kind] = fmax(largest[1][kind], fabs(second[i]));
    }
    for (int i = 0; i < n; i++) {
        int kind = 2 * (i >= p->nv) + (p->quantity[i % p->nv] == NT_ANGLE);
        double size =
            sqrt(largest[0][kind] * largest[0][kind] + 0.01 * largest[1][kind] * largest[1][kind]);
        if (size > 0)
            first[i] *= largest[0][kind] / size;
    }
}

/* The way back to the constraints takes the part of an error e that lies across them away:
 *
 *   [ M  R_lambda ] [ de ]     [         0          ]
 *   [ G     0     ] [ .  ] = - [ Phi_q e, kappa_v e ],     e + de is left
 *
 * at the end of the step. Where a stage comes near a singular position, in which the constraints
 * hardly determine some velocities, its K is far off in these, and the estimate with it; at the end
 * they are determined again. A step that jumps over the position is right, then. Were it refused,
 * steps would shrink into the singular position, where rounding decides how the bodies go on.
 * rest[n], at_rest[nc] scratch. */
static nt_status project_estimate(nt_stepper *s, double *rest, double *at_rest, double *estimate)
{
    const nt_problem *p = s->problem;
    nt_point at = nt_phase_point(&s->next);
    nt_terms terms = {.level = NT_VELOCITY, .rows = at_rest};
    nt_status status = nt_factors_of_accelerations(s->factors, &at);
    s->statistics->evaluations++;
    s->statistics->factorisations++;
    memset(rest, 0, (size_t)p->n * sizeof *rest);
    at.v = rest; /* rows at rest: what depends on time alone */
    if (status == NT_OK)
        status = nt_problem_evaluate(p, &at, &terms);
    for (int part = 0; part < 2 && status == NT_OK; part++) {
        double *e = estimate + part * p->nv, *rows = rest + p->nv;
        at.v = e;
        terms.rows = rows;
        if ((status = nt_problem_evaluate(p, &at, &terms)) != NT_OK)
            break;
        for (int i = 0; i < p->nc; i++)
            rows[i] -= at_rest[i];
        memset(rest, 0, (size_t)p->nv * sizeof *rest);
        for (int i = 0; i < s->factors->n_dropped; i++)
            rest[s->factors->dropped[i]] = 0;
        s->statistics->solves++;
        status = nt_solver_solve(s->factors->solver, rest, 1);
        for (int i = 0; i < p->nv; i++)
            e[i] -= rest[i];
    }
    return status;
}

/* Whether some row prescribes a motion at a time of the step's stages: bodies at rest would leave
 * it. Then the part across the constraints is the error with which the stages follow that motion:
 * the step's end is put on it, but dense output is as far from it. rest[nv], rows[nc] scratch. */
static bool is_driven(nt_stepper *s, double h, double *rest, double *rows)
{
    const nt_problem *p = s->problem;
    const nt_rkmk_table *table = s->options->method->scheme;
    nt_point at = nt_phase_point(&s->next);
    nt_terms terms = {.level = NT_VELOCITY, .rows = rows};
    double begin = at.t - h;
    memset(rest, 0, (size_t)p->nv * sizeof *rest);
    at.v = rest;
    for (int k = 0; k <= table->stages; k++) {
        at.t = begin + table->c[k] * h;
        s->statistics->evaluations++;
        if (nt_problem_evaluate(p, &at, &terms) != NT_OK)
            return true;
        for (int i = 0; i < p->nc; i++)
            if (rows[i] != 0)
                return true;
    }
    return false;
}

/* Elsewhere the part across the constraints is of the size of the rest, and steps follow tolerances
 * more closely with it: it is left out where without it no more than this part of the error is
 * left. */
static const double MOSTLY_ACROSS = 0.01;

static nt_status relieve_estimate(nt_stepper *s, double h, double *estimate)
{
    const nt_problem *p = s->problem;
    double *rest = s->scratch, *at_rest = rest + p->n, *along = at_rest + p->nc;
    size_t bytes = 2 * (size_t)p->nv * sizeof *along;
    double size = nt_step_error_of(s, estimate).size;
    if (size <= 1)
        return NT_OK;
    memcpy(along, estimate, bytes);
    nt_status status = project_estimate(s, rest, at_rest, along);
    if (status == NT_OK && nt_step_error_of(s, along).size <= MOSTLY_ACROSS * size &&
        !is_driven(s, h, rest, at_rest))
        memcpy(estimate, along, bytes);
    return status;
}

/* Some stages bear on later ones alone, neither on the end nor on its estimate. A force that they
 * alone meet would be passed unseen: where a stiff stop begins, a long step's first stages are
 * thrown so far by it that all others are apart from it again. Their accelerations count as an
 * error of all of the step where they are so many times what the same translation or rotation
 * accelerates by in any other stage. */
static const double UNSEEN = 10;

static bool is_lost(const nt_rkmk_table *table, int i)
{
    return table->a[table->stages * table->kept + i] == 0 && table->error[i] == 0;
}

/* The largest accelerations of entries first ... end - 1, in lost stages and in others. */
static void find_lost(const nt_rkmk_table *table, const double *K, int nv, int first, int end,
                      double *seen, double *lost)
{
    *seen = *lost = 0;
    for (int i = 0; i < table->stages; i++) {
        const double *a = K + 2 * (size_t)nv * (size_t)i + nv;
        double *most = is_lost(table, i) ? lost : seen;
        for (int j = first; j < end; j++)
            *most = fmax(*most, fabs(a[j]));
    }
}

static void see_lost_stages(const nt_rkmk_table *table, const nt_problem *p, const double *K,
                            double h, double *estimate)
{
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        int end = block->v + block->nv, turn = block->rotation < 0 ? end : end - 3;
        const int from[2] = {block->v, turn}, to[2] = {turn, end};
        for (int part = 0; part < 2; part++) {
            double seen, lost;
            find_lost(table, K, p->nv, from[part], to[part], &seen, &lost);
            if (!(lost > UNSEEN * seen))
                continue;
            for (int j = p->nv + from[part]; j < p->nv + to[part]; j++)
                estimate[j] = fmax(fabs(estimate[j]), h * lost);
        }
    }
}

nt_status nt_rkmk_error(nt_stepper *s, double h, double *estimate)
{
    const nt_rkmk_table *table = s->options->method->scheme;
    const nt_problem *p = s->problem;
    const double *K = nt_rkmk_K(p, &s->next, 0);
    size_t n = 2 * (size_t)p->nv;
    combine(K, n, table->error, table->stages + 1, h, estimate);
    if (table->errors > 1) {
        double *second = s->scratch;
        combine(K, n, table->error + table->kept, table->stages + 1, h, second);
        combine_estimates(p, estimate, second);
    }
    see_lost_stages(table, p, K, h, estimate);
    return p->nc > 0 ? relieve_estimate(s, h, estimate) : NT_OK;
}

/* A rotation about a fixed axis has no error at all and would let steps grow to where T is
 * singular (2 pi rad): no step is to turn a body by more than this, in rad. */
static const double LARGEST_TURN = 3;

double nt_rkmk_propose(nt_stepper *s, double h)
{
    (void)h;
    double fastest = 0;
    for (int b = 0; b < s->problem->space.n_blocks; b++) {
        const nt_block *block = &s->problem->space.blocks[b];
        if (block->rotation >= 0)
            fastest = fmax(fastest, v3_norm(v3_load(s->next.v + block->v + block->nv - 3)));
    }
    return fastest > 0 ? LARGEST_TURN / fastest : 0;
}

/* ---- dense output --------------------------------------------------------------------------- */

double nt_rkmk_weights(const nt_rkmk_table *table, double s, double *weight)
{
    double r = 1 - s, share[4];
    share[0] = s * s * r * r;
    share[1] = share[0] * s;
    share[2] = share[1] * r;
    share[3] = share[2] * s;
    for (int j = 0; j < table->kept; j++) {
        weight[j] = 0;
        for (int k = 0; k < table->dense_rows; k++)
            weight[j] += share[k] * table->dense[k * table->kept + j];
    }
    weight[0] += s * r * r;
    weight[table->stages] -= s * s * r;
    return s * s * (3 - 2 * s);
}

/* The rows of K that dense output alone needs are made when it is first asked for in a step. */
static nt_status complete(const nt_rkmk_table *table, nt_stepper *s, const nt_phase *from,
                          const nt_phase *to, double h, nt_phase *guess)
{
    double *K = nt_rkmk_K(s->problem, to, 0);
    for (int i = (int)to->method[NT_RKMK_ROWS]; i < table->kept; i++) {
        nt_status status = rkmk_stage(table, s, from, K, h, i, guess);
        if (status != NT_OK)
            return status;
        to->method[NT_RKMK_ROWS] = i + 1;
    }
    return NT_OK;
}

/* q and v of the order of the continuous extension; vdot and multipliers are the accelerations
 * there, as good as q and v, or linear in time where the equations cannot be solved. */
nt_status nt_rkmk_interpolate(nt_stepper *s, const nt_phase *from, const nt_phase *to, double t,
                              nt_phase *out)
{
    const nt_rkmk_table *table = s->options->method->scheme;
    const nt_problem *p = s->problem;
    int nv = p->nv;
    double h = to->all[NT_PHASE_STEP], theta = (t - from->all[NT_PHASE_T]) / h;
    double *linear = out->vdot; /* vdot, lambda and mu follow each other */
    size_t many = (size_t)(out->memory - out->vdot);
    if (to->method[NT_RKMK_ROWS] == 0) {
        nt_dense_output(p, from, to, t, s->scratch, out);
        return NT_OK;
    }
    memcpy(linear, from->vdot, many * sizeof(double));
    nt_status status = complete(table, s, from, to, h, out);
    if (status != NT_OK)
        return status;
    work w = rkmk_work_of(s);
    double weight[NT_RKMK_MOST], of_D = nt_rkmk_weights(table, theta, weight);
    const double *D = nt_rkmk_D(to);
    combine(nt_rkmk_K(p, to, 0), 2 * (size_t)nv, weight, table->kept, h, w.z);
    for (int i = 0; i < 2 * nv; i++)
        w.z[i] += of_D * D[i];
    nt_space_compose(&p->space, p->frame, from->q, w.z, out->q);
    for (int i = 0; i < nv; i++)
        out->v[i] = from->v[i] + w.z[nv + i];
    for (size_t i = 0; i < many; i++)
        linear[i] = (1 - theta) * from->vdot[i] + theta * to->vdot[i];
    nt_point at = nt_phase_point(out);
    status = rkmk_accelerate(s, &at, out->vdot, out);
    if (nt_is_final(status))
        return status;
    if (status != NT_OK)
        for (size_t i = 0; i < many; i++)
            linear[i] = (1 - theta) * from->vdot[i] + theta * to->vdot[i];
    return NT_OK;
}
