/* Kick and drift; see momenta.h. */
#include "method/rotations/momenta.h"

#include "group/rotation.h"

#include <math.h>
#include <string.h>

const nt_option_key nt_push_options[NT_PUSH_OPTIONS] = {NT_PUSH_OPTION_KEYS};

/* A whole turn within one drift: beyond it the implicit equation has several solutions. rad */
static const double WHOLE_TURN = 6.283185307179586;

/* A correction d below this is the last, rad. The second derivative of J Psi - h E(-Psi/2) Pi is
 * about |J| |Psi|/4, so that Newton's method leaves |Psi| cond(J) d^2/8: 1e-18 cond(J) of Psi. */
static const double LAST_CORRECTION = 3e-9;

enum { MOST_TURN_ITERATIONS = 30 };

size_t nt_momenta_scratch(const nt_problem *problem) { return 3 * (size_t)problem->nv; }

void nt_momenta_begin(nt_stepper *s, double h)
{
    s->next.all[NT_PHASE_T] = s->now.all[NT_PHASE_T] + h;
    s->report = (nt_report){.unknown = -1};
    memcpy(s->next.memory, s->now.memory,
           (size_t)s->problem->system->n_memory * sizeof *s->next.memory);
}

/* ---- push ----------------------------------------------------------------------------------- */

/* a = M^-1 f */
static void divide_by_mass(const nt_problem *p, double *a)
{
    const double *mass = p->system->momenta->mass;
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        for (int i = block->v; i < block->v + nt_vector_entries(block); i++)
            a[i] /= mass[i];
        if (block->rotation < 0)
            continue;
        double *T = a + nt_rotation_entry(block);
        v3_store(T, m3_solve(nt_inertia_of(p, block->rotation), v3_load(T)));
    }
}

/* The first entry that is not finite, or -1. */
static int not_finite(const double *a, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(a[i]))
            return i;
    return -1;
}

static nt_point momenta_point_at(const nt_stepper *s, double t, const double *q, const double *v,
                                 const double *vdot)
{
    return (nt_point){.t = t,
                      .q = q,
                      .v = v,
                      .vdot = vdot,
                      .lambda = s->next.lambda,
                      .mu = s->next.mu,
                      .memory = s->now.memory};
}

nt_status nt_push_at(nt_stepper *s, double t, const double *q, const double *v, double *a)
{
    const nt_problem *p = s->problem;
    size_t bytes = (size_t)p->nv * sizeof *a;
    double *zero = s->scratch; /* forces do not depend on vdot */
    memset(zero, 0, bytes);
    memset(a, 0, bytes);
    nt_point at = momenta_point_at(s, t, q, v, zero);
    nt_terms terms = {.parts = NT_EXPLICIT | NT_IMPLICIT, .residual = a};
    s->statistics->evaluations++;
    nt_status status = nt_problem_evaluate(p, &at, &terms);
    if (status != NT_OK)
        return status;
    for (int i = 0; i < p->nv; i++)
        a[i] = -a[i];
    divide_by_mass(p, a);
    s->report.unknown = not_finite(a, p->nv);
    return s->report.unknown < 0 ? NT_OK : NT_NOT_FINITE;
}

double nt_worst_increment(nt_stepper *s, const nt_options *options, int absolute,
                          const double size[2], double scale, const double *increment)
{
    const nt_problem *p = s->problem;
    double worst = 0;
    for (int i = 0; i < p->nv; i++) {
        nt_quantity kind = p->quantity[i];
        double tolerance = nt_options_get(options, absolute + (int)kind) +
                           nt_options_get(options, NT_OPTION_TOLERANCE_RELATIVE) * size[kind];
        double ratio = fabs(scale * increment[i]) / tolerance;
        if (!(ratio <= worst)) {
            worst = ratio;
            s->report.unknown = i;
            s->report.increment = true;
        }
        if (isnan(ratio))
            break;
    }
    return s->report.worst = worst;
}

/* The largest ratio of h da to its tolerance: absolute and relative to the largest velocity and
 * kick of its kind. */
static double worst_ratio(nt_stepper *s, const nt_options *options, double h, const double *v,
                          const double *a, const double *da)
{
    const nt_problem *p = s->problem;
    double size[2] = {0, 0};
    for (int i = 0; i < p->nv; i++)
        size[p->quantity[i]] = fmax(size[p->quantity[i]], fabs(v[i]) + fabs(h * a[i]));
    return nt_worst_increment(s, options, NT_OPTION_TOLERANCE_VELOCITY, size, h, da);
}

/* da from (M + h C) da = -R(a, v + h a), all with the parts that are in the push */
static nt_status newton_correction(nt_stepper *s, const nt_point *at, double h, double *da)
{
    const nt_problem *p = s->problem;
    bool momenta = p->system->capabilities & NT_HAS_MOMENTA;
    unsigned forces = NT_EXPLICIT | NT_IMPLICIT | (momenta ? 0u : (unsigned)NT_GYROSCOPIC);
    nt_combination combination = {.mass = 1, .damping = h};
    nt_terms terms = {.parts = NT_MASS | forces,
                      .residual = da,
                      .matrix = &s->factors->matrix,
                      .combination = &combination};
    memset(da, 0, (size_t)p->nv * sizeof *da);
    nt_factors_begin(s->factors);
    s->statistics->evaluations++;
    nt_status status = nt_problem_evaluate(p, at, &terms);
    if (status != NT_OK)
        return status;
    for (int i = 0; i < p->nv; i++)
        da[i] = -da[i];
    s->statistics->factorisations++;
    s->statistics->solves++;
    if ((status = nt_solver_factor_clear(s->factors->solver, &s->factors->matrix)) != NT_OK)
        return status;
    return nt_solver_solve(s->factors->solver, da, 1);
}

/* da = M^-1 f(q, v + h a, t) - a, for systems without a tangent */
static nt_status repetition(nt_stepper *s, const nt_point *at, const double *a, double *da)
{
    nt_status status = nt_push_at(s, at->t, at->q, at->v, da);
    for (int i = 0; i < s->problem->nv; i++)
        da[i] -= a[i];
    return status;
}

nt_status nt_push_end(nt_stepper *s, const nt_options *options, double h, double t, const double *q,
                      const double *v, double *a)
{
    const nt_problem *p = s->problem;
    unsigned has = p->system->capabilities;
    if ((has & NT_HAS_MOMENTA) && (has & NT_POSITION_FORCES))
        return nt_push_at(s, t, q, v, a);
    double *v1 = s->scratch + p->nv, *da = v1 + p->nv, last = 0; /* nt_push_at has the first */
    int most = (int)nt_options_get(options, NT_OPTION_MAX_ITERATIONS);
    for (int i = 0; i < most; i++) {
        nt_kick(p, h, v, a, v1);
        nt_point at = momenta_point_at(s, t, q, v1, a);
        nt_status status =
            has & NT_HAS_TANGENT ? newton_correction(s, &at, h, da) : repetition(s, &at, a, da);
        if (status != NT_OK)
            return status;
        for (int k = 0; k < p->nv; k++)
            a[k] += da[k];
        s->statistics->iterations++;
        s->report.iterations++;
        /* what is left after this correction, from the geometric series; a kick of no length has
         * nothing left */
        double size = worst_ratio(s, options, h, v, a, da), ratio = i > 0 ? size / last : 1;
        if (!isfinite(size))
            return NT_NOT_FINITE;
        if (size <= 1 || (ratio < 0.5 && ratio / (1 - ratio) * size <= 1)) {
            s->report.unknown = -1;
            return NT_OK;
        }
        if (ratio > 2)
            break;
        last = size;
    }
    return NT_NOT_CONVERGED;
}

/* ---- kick and drift ------------------------------------------------------------------------- */

void nt_kick(const nt_problem *problem, double h, const double *v, const double *a, double *v1)
{
    for (int i = 0; i < problem->nv; i++)
        v1[i] = v[i] + h * a[i];
}

/* Solve g(Psi) = J Psi - h y = 0, y = E(-Psi/2) Pi, by Newton's method. With dE = E (T dx)~,
 * d(E(-x) Pi) = y~ T(x) dx, so that
 *
 *   dg = (J - (h/2) y~ T(Psi/2)) dPsi.
 *
 * First guess: Psi = h W - (h^2/2) J^-1 (W x Pi), the first terms of the solution's series. */
static nt_status free_turn(double h, m3 J, v3 W, v3 Pi, v3 *psi, int *iterations)
{
    v3 x = v3_axpy(-h * h / 2, m3_solve(J, v3_cross(W, Pi)), v3_scale(h, W));
    for (*iterations = 1; *iterations <= MOST_TURN_ITERATIONS; ++*iterations) {
        v3 half = v3_scale(0.5, x);
        m3 E = quat_matrix(so3_exp(half));
        v3 y = m3_apply_transposed(E, Pi), g = v3_axpy(-h, y, m3_apply(J, x));
        m3 slope = m3_sub(J, m3_scale(h / 2, m3_skew_multiply(y, so3_tangent(half))));
        v3 correction = m3_solve(slope, g);
        x = v3_sub(x, correction);
        double size = v3_norm(x), change = v3_norm(correction);
        if (!isfinite(size))
            return NT_NOT_FINITE;
        if (change <= LAST_CORRECTION) {
            *psi = x;
            return size < WHOLE_TURN ? NT_OK : NT_NOT_CONVERGED;
        }
    }
    return NT_NOT_CONVERGED;
}

nt_status nt_drift(nt_stepper *s, double h, const double *q, const double *v, double *q1,
                   double *v1, double *psi)
{
    const nt_problem *p = s->problem;
    int most = 0;
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        int n = nt_vector_entries(block);
        for (int i = 0; i < n; i++) {
            double x = h * v[block->v + i];
            q1[block->q + i] = q[block->q + i] + x;
            v1[block->v + i] = v[block->v + i];
            if (psi)
                psi[block->v + i] = x;
        }
        if (block->rotation < 0)
            continue;
        int iterations, entry = block->v + n;
        m3 J = nt_inertia_of(p, block->rotation);
        v3 W = v3_load(v + entry), Pi = m3_apply(J, W), turn;
        nt_status status = free_turn(h, J, W, Pi, &turn, &iterations);
        if (iterations > most)
            most = iterations;
        if (status != NT_OK) {
            s->report =
                (nt_report){.iterations = iterations, .unknown = entry, .worst = (double)INFINITY};
            return status;
        }
        quat E = so3_exp(turn);
        quat_store(q1 + block->q + n, so3_normalize(quat_multiply(quat_load(q + block->q + n), E)));
        v3_store(v1 + entry, m3_solve(J, m3_apply_transposed(quat_matrix(E), Pi)));
        if (psi)
            v3_store(psi + entry, turn);
    }
    s->statistics->iterations += most;
    s->report.iterations += most;
    return NT_OK;
}

/* ---- accelerations -------------------------------------------------------------------------- */

/* out = x + s J^-1 (W x J W) */
static void add_gyroscopic(const nt_problem *p, double s, const double *v, const double *x,
                           double *out)
{
    memmove(out, x, (size_t)p->nv * sizeof *out);
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        if (block->rotation < 0)
            continue;
        m3 J = nt_inertia_of(p, block->rotation);
        v3 W = v3_load(v + nt_rotation_entry(block));
        v3 moment = v3_cross(W, m3_apply(J, W));
        v3_accumulate(out + nt_rotation_entry(block), v3_scale(s, m3_solve(J, moment)));
    }
}

void nt_momenta_acceleration(const nt_problem *problem, const double *v, const double *a,
                             double *vdot)
{
    add_gyroscopic(problem, -1, v, a, vdot);
}

nt_status nt_momenta_start(nt_stepper *s)
{
    add_gyroscopic(s->problem, 1, s->next.v, s->next.vdot, s->next.method);
    return NT_OK;
}

nt_status nt_start_without_memory(nt_stepper *s)
{
    (void)s;
    return NT_OK;
}
