/* Accelerations at a point, and the way back to the constraints: what explicit methods ask for.
 *
 * Accelerations and multipliers solve  R(vdot, ...) = 0,  d2 Phi/dt2 = 0,  d kappa/dt = 0:
 *
 *   [ M  R_lambda ] [  Dvdot  ]     [      R       ]
 *   [ G     0     ] [ Dlambda ] = - [ d2 Phi, dkap ]
 *
 * with G = d(d2 Phi/dt2)/dvdot = Phi_q, and kappa_v in the rows of kappa: in one step where the
 * system is affine, by Newton's method in general (multipliers may enter nonlinearly).
 *
 * An explicit step leaves the constraints by its own error. With the same matrix
 *
 *   [ M  R_lambda ] [ dq ]     [  0  ]              [ dv ]     [          0         ]
 *   [ G     0     ] [ .  ] = - [ Phi ],      then   [ .  ] = - [ dPhi/dt and kappa  ]
 *
 * is the correction of least kinetic energy (where R_lambda = G^T): the motion along the
 * constraints is not disturbed (Hairer & Wanner, Solving ODEs II, section VII.2). Factors from
 * near by make it a simplified Newton iteration: each correction shrinks the miss by about the
 * distance from where they were made, and costs a look at the rows and one solve. */
#include "group/rotation.h"
#include "system/factors.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- accelerations -------------------------------------------------------------------------- */

static const nt_combination accelerations = {.mass = 1, .multiplier = 1, .row_mass = 1};

/* The matrix, and with `r` the residual and rows at the present vdot and multipliers. */
static nt_status motion_assemble(nt_factors *f, const nt_point *at, double *r, nt_effort *effort)
{
    const nt_problem *p = f->problem;
    nt_terms terms = {.parts = NT_ALL_PARTS,
                      .level = NT_ACCELERATION,
                      .residual = r,
                      .rows = r ? r + p->nv : NULL,
                      .matrix = &f->matrix,
                      .combination = &accelerations};
    nt_factors_begin(f);
    effort->evaluations++;
    nt_status status = nt_problem_evaluate(p, at, &terms);
    if (status == NT_OK && f->resting)
        status = nt_factors_rest(f, at, &terms);
    if (r)
        nt_factors_clear_resting(f, r);
    return status;
}

static nt_status motion_factorise(nt_factors *f, const nt_point *at, nt_effort *effort)
{
    nt_status status = motion_assemble(f, at, NULL, effort);
    effort->factorisations++;
    return status == NT_OK ? nt_solver_factor_clear(f->solver, &f->matrix) : status;
}

nt_status nt_factors_matrix_of_accelerations(nt_factors *f, const nt_point *at)
{
    nt_effort effort = {0};
    return motion_assemble(f, at, NULL, &effort);
}

nt_status nt_factors_of_accelerations(nt_factors *f, const nt_point *at)
{
    nt_effort effort = {0};
    return motion_factorise(f, at, &effort);
}

/* The multipliers of rows that are left out are zero. */
static void clear_dropped(const nt_factors *f, double *lambda, double *mu)
{
    const nt_problem *p = f->problem;
    for (int i = 0; i < f->n_dropped; i++) {
        int row = f->dropped[i] - p->nv;
        *(row < p->nh ? &lambda[row] : &mu[row - p->nh]) = 0;
    }
}

/* x -= d; the sum of |d|: not finite where a d is not. */
static double motion_subtract(double *restrict x, const double *restrict d, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        x[i] -= d[i];
        sum += fabs(d[i]);
    }
    return sum;
}

static double motion_largest_of(const double *x, int n)
{
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = fabs(x[i]) > largest ? fabs(x[i]) : largest;
    return largest;
}

static double largest_acceleration(const nt_problem *p, const double *vdot, const double *lambda,
                                   const double *mu)
{
    return fmax(motion_largest_of(vdot, p->nv),
                fmax(motion_largest_of(lambda, p->nh), motion_largest_of(mu, p->nn)));
}

/* A determinant below this part of the trace's cube is that of a point or a thin rod and rounding:
 * about some axis nothing resists. */
static const double NO_INERTIA = 1e-14;

static bool is_singular(m3 J)
{
    v3 x = {J.xx, J.yx, J.zx}, y = {J.xy, J.yy, J.zy}, z = {J.xz, J.yz, J.zz};
    double trace = J.xx + J.yy + J.zz;
    return v3_dot(x, v3_cross(y, z)) <= NO_INERTIA * trace * trace * trace;
}

/* The first unknown without inertia of a free system with momenta, or -1. */
static int without_inertia(const nt_problem *p)
{
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        if (block->rotation >= 0 &&
            is_singular(m3_load(p->system->momenta->inertia + 9 * (size_t)block->rotation)))
            return block->v + block->nv - 3;
    }
    return -1;
}

/* A free system that gives momenta needs no matrix: vdot = -M^-1 R at vdot = 0, with the
 * inertia of rotations in body axes. */
static nt_status divide_by_momenta(nt_factors *f, const nt_point *at, double *vdot,
                                   nt_effort *effort)
{
    const nt_problem *p = f->problem;
    const nt_momenta *momenta = p->system->momenta;
    double *r = f->work;
    nt_terms terms = {.parts = NT_ALL_PARTS, .level = NT_ACCELERATION, .residual = r};
    memset(r, 0, (size_t)p->nv * sizeof *r);
    memset(vdot, 0, (size_t)p->nv * sizeof *vdot);
    effort->evaluations++;
    nt_status status = nt_problem_evaluate(p, at, &terms);
    if (status != NT_OK)
        return status;
    nt_space_change_frame(&p->space, p->frame, NT_BODY, at->q, r, r);
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        int end = block->v + block->nv, rotation = block->rotation < 0 ? end : end - 3;
        for (int i = block->v; i < rotation; i++)
            vdot[i] = -r[i] / momenta->mass[i];
        if (block->rotation >= 0)
            v3_store(vdot + rotation,
                     v3_neg(m3_solve(m3_load(momenta->inertia + 9 * (size_t)block->rotation),
                                     v3_load(r + rotation))));
    }
    for (int i = 0; i < p->nv; i++)
        if (!isfinite(vdot[i])) {
            effort->unknown = i;
            return isfinite(r[i]) ? NT_SINGULAR : NT_NOT_FINITE;
        }
    nt_space_change_frame(&p->space, NT_BODY, p->frame, at->q, vdot, vdot);
    return NT_OK;
}

enum { FAR = 1000 };

/* Whether accelerations or multipliers have come down from beyond a thousand times what they are,
 * when `change` was subtracted: their rounding is then a thousand times that of a solve. */
static bool guess_was_huge(const nt_problem *p, const double *change, const double *vdot,
                           const double *lambda, const double *mu)
{
    double most = fmax(motion_largest_of(lambda, p->nh), motion_largest_of(mu, p->nn));
    return motion_largest_of(change, p->nv) > FAR * motion_largest_of(vdot, p->nv) ||
           motion_largest_of(change + p->nv, p->nc) > FAR * most;
}

nt_status nt_factors_accelerate(nt_factors *f, const nt_point *at, double *vdot, double *lambda,
                                double *mu, nt_effort *effort)
{
    const nt_problem *p = f->problem;
    enum { MOST = 25 };
    unsigned has = p->system->capabilities & (NT_HAS_TANGENT | NT_HAS_MOMENTA);
    bool affine = p->system->capabilities & NT_AFFINE;
    double *r = f->work, last = (double)INFINITY;
    nt_point point = *at;
    point.vdot = vdot, point.lambda = lambda, point.mu = mu;
    effort->unknown = -1;
    if (!f->resting && (has & NT_HAS_MOMENTA) && p->nc == 0 &&
        (effort->unknown = without_inertia(p)) >= 0)
        return NT_SINGULAR;
    if (has == NT_HAS_MOMENTA && p->nc == 0) /* with a tangent: callers go on with the factors */
        return divide_by_momenta(f, &point, vdot, effort);
    clear_dropped(f, lambda, mu);
    for (int iteration = 0; iteration < MOST; iteration++) {
        memset(r, 0, (size_t)p->nv * sizeof *r);
        nt_status status = motion_assemble(f, &point, r, effort);
        for (int i = 0; i < f->n_dropped; i++)
            r[f->dropped[i]] = 0;
        if (status == NT_OK && effort->is_start && !f->resting &&
            (effort->unknown = nt_factors_find_undetermined(f)) >= 0)
            return NT_SINGULAR;
        effort->factorisations++;
        effort->solves++;
        if (status == NT_OK)
            status = nt_solver_factor_solve(f->solver, &f->matrix, r);
        if (status == NT_SINGULAR && (has & NT_HAS_MOMENTA) && p->nc == 0)
            effort->unknown = without_inertia(p); /* what rests is not asked for before */
        if (status != NT_OK)
            return status;
        double sum = motion_subtract(vdot, r, p->nv) + motion_subtract(lambda, r + p->nv, p->nh) +
                     motion_subtract(mu, r + p->nv + p->nh, p->nn);
        if (!isfinite(sum))
            return NT_NOT_FINITE;
        /* One solve, checked by the solver's residual, is the answer, unless the guess was so far
         * off that its rounding is left in it; and so on, where a guess was further off than a
         * solve has digits. */
        bool far = iteration == 0 ? guess_was_huge(p, r, vdot, lambda, mu)
                                  : motion_largest_of(r, p->n) >
                                        FAR * largest_acceleration(p, vdot, lambda, mu);
        if (affine && !far)
            return NT_OK;
        if (affine)
            continue;
        effort->iterations++;
        double change = motion_largest_of(r, p->n),
               size = largest_acceleration(p, vdot, lambda, mu);
        /* at rounding: a relative change of 1e-13, or no longer shrinking below 1e-9 */
        if (change <= 1e-13 * size || (change <= 1e-9 * size && change >= 0.5 * last))
            return NT_OK;
        last = change;
    }
    return NT_NOT_CONVERGED;
}

/* What an iteration gains at least, or the factors are not from near enough; and what is left of
 * the largest acceleration or multiplier where rounding ends it, as above. */
static const double GAIN = 0.1, ROUNDED = 1e-13;

nt_status nt_factors_reaccelerate(nt_factors *f, const nt_point *at, double *vdot, double *lambda,
                                  double *mu, nt_effort *effort)
{
    const nt_problem *p = f->problem;
    enum { MOST = 8 };
    double *r = f->work, last;
    nt_point point = *at;
    point.vdot = vdot, point.lambda = lambda, point.mu = mu;
    nt_terms terms = {
        .parts = NT_ALL_PARTS, .level = NT_ACCELERATION, .residual = r, .rows = r + p->nv};
    clear_dropped(f, lambda, mu);
    last = largest_acceleration(p, vdot, lambda, mu);
    for (int i = 0; i < MOST; i++) {
        memset(r, 0, (size_t)p->nv * sizeof *r);
        effort->evaluations++;
        effort->solves++;
        nt_status status = nt_problem_evaluate(p, &point, &terms);
        for (int k = 0; k < f->n_dropped; k++)
            r[f->dropped[k]] = 0;
        if (status != NT_OK || (status = nt_solver_solve(f->solver, r, 1)) != NT_OK)
            return status;
        double sum = motion_subtract(vdot, r, p->nv) + motion_subtract(lambda, r + p->nv, p->nh) +
                     motion_subtract(mu, r + p->nv + p->nh, p->nn);
        if (!isfinite(sum))
            return NT_NOT_FINITE;
        double change = motion_largest_of(r, p->n),
               size = largest_acceleration(p, vdot, lambda, mu);
        bool slow = change > GAIN * last, rounded = change * change <= DBL_EPSILON * size * last;
        if (rounded || (slow && change <= ROUNDED * size))
            return NT_OK; /* what follows is smaller by change/last, and below rounding */
        if (slow)
            break;
        last = change;
    }
    return nt_factors_accelerate(f, at, vdot, lambda, mu, effort);
}

/* ---- back to the constraints ---------------------------------------------------------------- */

/* A row is met when it misses by no more than this many roundings of the largest coordinate or
 * velocity (1 m, 1 rad/s at least): a row is a sum of a dozen products of that size. A row of
 * angles has none of the lengths in it: of a planet far from the origin a joint turns as exactly as
 * of another body. */
static const double ROUNDINGS = 16;

/* Where corrections no longer shrink the miss although the factors are fresh, rounding is amplified
 * (near singular positions); up to this relative miss the end is taken as it is. */
static const double ACCEPTABLE = 1e-11;

/* A row that was left out is met when it misses by no more than a given start may. */
static const double LEFT_OUT = 1e-8;

enum { CORRECTIONS = 12 };

/* What rows of lengths and of angles are compared with, by nt_quantity. */
typedef struct scales {
    double of[2];
} scales;

/* Places q are those of the position level, velocities v those of the other. */
static scales scales_of(const nt_problem *p, nt_level level, const double *q, const double *v)
{
    double all = level == NT_POSITION ? motion_largest_of(q, p->nq) : motion_largest_of(v, p->nv);
    double angles = 0;
    bool turns = false;
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        for (int i = 0; i < block->nv; i++) {
            bool is_plain = block->rotation < 0 || i < block->nv - 3;
            if (p->quantity[block->v + i] != NT_ANGLE)
                continue;
            turns = true;
            if (level != NT_POSITION)
                angles = fmax(angles, fabs(v[block->v + i]));
            else if (is_plain) /* a rotation has numbers up to 1 */
                angles = fmax(angles, fabs(q[block->q + i]));
        }
    }
    return (scales){{fmax(all, 1), fmax(turns ? angles : all, 1)}};
}

/* The rows of a level as a right-hand side b[n], and the largest of those in use relative to its
 * scale. NT_NOT_CONVERGED where one that was left out is not met. */
static nt_status look_at_rows(nt_factors *f, const nt_point *at, nt_level level,
                              const scales *scale, double *b, nt_effort *effort)
{
    const nt_problem *p = f->problem;
    int count = level == NT_POSITION ? p->nh : p->nc; /* kappa has no position level */
    nt_terms terms = {.level = level, .rows = b + p->nv};
    nt_status status = nt_problem_evaluate(p, at, &terms);
    if (status != NT_OK)
        return status;
    memset(b, 0, (size_t)p->nv * sizeof *b);
    memset(b + p->nv + count, 0, (size_t)(p->nc - count) * sizeof *b);
    for (int i = 0; i < f->n_dropped; i++) {
        double *row = &b[f->dropped[i]], allowed = LEFT_OUT * scale->of[p->quantity[f->dropped[i]]];
        if (!(fabs(*row) <= allowed)) {
            effort->unknown = f->dropped[i];
            effort->worst = fabs(*row) / allowed;
            return NT_NOT_CONVERGED;
        }
        *row = 0;
    }
    double largest = 0, worst = 0;
    for (int i = p->nv; i < p->nv + count; i++) {
        double miss = fabs(b[i]) / scale->of[p->quantity[i]];
        largest = fmax(largest, fabs(b[i]));
        if (!(miss <= worst) && !isnan(worst)) {
            worst = miss;
            effort->unknown = i;
        }
    }
    effort->worst = worst;
    if (level == NT_POSITION)
        effort->drift = largest;
    return isfinite(worst) ? NT_OK : NT_NOT_FINITE;
}

/* x -= T(x)^-1 dq: the increment of the local coordinate that belongs to one of q. */
static void motion_move(const nt_space *space, nt_frame frame, const double *dq, double *x)
{
    for (int b = 0; b < space->n_blocks; b++) {
        const nt_block *block = &space->blocks[b];
        int plain = block->rotation < 0 ? block->nv : block->nv - 3, i = block->v + plain;
        for (int j = block->v; j < i; j++)
            x[j] -= dq[j];
        if (block->rotation >= 0) {
            v3 psi = v3_load(x + i);
            m3 T_inverse = so3_frame_tangent_inverse(frame, psi);
            v3_store(x + i, v3_sub(psi, m3_apply(T_inverse, v3_load(dq + i))));
        }
    }
}

/* The end of the corrections, whose miss is told relative to what would have been taken. */
static nt_status end_as_it_is(nt_effort *effort)
{
    if (effort->worst <= ACCEPTABLE)
        return NT_OK;
    effort->worst /= ACCEPTABLE;
    return NT_NOT_CONVERGED;
}

static nt_status settle_level(nt_factors *f, nt_level level, const nt_point *at, const double *q0,
                              double *x, double *q, double *v, nt_effort *effort)
{
    const nt_problem *p = f->problem;
    double *b = f->work, last = (double)INFINITY;
    bool fresh = false;
    for (int i = 0; i <= CORRECTIONS; i++) {
        scales scale = scales_of(p, level, q, v); /* from far away it follows what is corrected */
        nt_status status = look_at_rows(f, at, level, &scale, b, effort);
        if (status != NT_OK)
            return status;
        double miss = effort->worst * scale.of[NT_LENGTH];
        if (effort->worst <= ROUNDINGS * DBL_EPSILON)
            return NT_OK;
        if (miss > 0.5 * last && fresh)
            return end_as_it_is(effort);
        if (miss > 0.1 * last && !fresh) {
            if ((status = motion_factorise(f, at, effort)) != NT_OK)
                return status;
            fresh = true;
        }
        last = miss;
        effort->solves++;
        if ((status = nt_solver_solve(f->solver, b, 1)) != NT_OK)
            return status;
        if (level == NT_POSITION) {
            motion_move(&p->space, p->frame, b, x);
            nt_space_compose(&p->space, p->frame, q0, x, q);
        } else
            for (int j = 0; j < p->nv; j++)
                v[j] -= b[j];
    }
    return end_as_it_is(effort);
}

nt_status nt_factors_settle(nt_factors *f, const nt_point *at, const double *q0, double *x,
                            double *q, double *v, nt_effort *effort)
{
    const nt_problem *p = f->problem;
    nt_status status = NT_OK;
    if (p->nh > 0)
        status = settle_level(f, NT_POSITION, at, q0, x, q, v, effort);
    if (status == NT_OK && p->nc > 0)
        status = settle_level(f, NT_VELOCITY, at, q0, x, q, v, effort);
    return status;
}
