/* Newton's method for one implicit stage; see implicit_stage.h. */
#include "method/rotations/implicit_stage.h"

#include "group/rotation.h"
#include "method/variation.h"

#include <math.h>
#include <string.h>

const nt_option_key nt_stage_options[NT_STAGE_OPTIONS] = {
    {"tolerance_length", NT_REAL, 1e-12, 1e-300, 1, "m", NULL,
     "absolute tolerance of displacements within a step"},
    {"tolerance_angle", NT_REAL, 1e-12, 1e-300, 1, "rad", NULL,
     "absolute tolerance of rotations within a step"},
    {"tolerance_relative", NT_REAL, 1e-12, 1e-14, 1e-2, "", NULL,
     "relative to the largest displacement and to the largest "
     "rotation of the step"},
    {"max_iterations", NT_INTEGER, 20, 1, 1000, "", NULL,
     "Newton iterations before a step is rejected"},
};

/* A rotation vector of a whole turn is where tangent operators are singular. rad */
static const double WHOLE_TURN = 6.283185307179586;

/* ---- work ----------------------------------------------------------------------------------- */

typedef struct work {
    double *psi, *push;
    double *e;           /* [nv] residual, then the correction                        */
    double *v_at, *vdot; /* [nv] vdot: of translations alone                          */
    double *q_at;        /* [nq]                                                      */
    double *X, *none;    /* [n_rotations][9]; none: zeros, no inertia from the system */
    double *slope;       /* [n_rotations][9]                                          */
} work;

nt_status nt_stage_layout(const nt_problem *p, const nt_options *options, nt_layout *sizes,
                          nt_error *error)
{
    (void)error;
    const nt_stage *stage = options->method->scheme;
    size_t nv = (size_t)p->nv, n_rotations = (size_t)p->space.n_rotations;
    sizes->memory = stage->earlier != 0 ? nv : 0;
    sizes->scratch = nt_momenta_scratch(p) + 5 * nv + (size_t)p->nq + 27 * n_rotations;
    sizes->linear = 2 * nv;
    sizes->linear_each = (size_t)p->n + 9 * n_rotations;
    return NT_OK;
}

static work stage_work_of(const nt_stepper *s)
{
    const nt_problem *p = s->problem;
    size_t nv = (size_t)p->nv, maps = 9 * (size_t)p->space.n_rotations;
    work w = {.psi = s->scratch + nt_momenta_scratch(p)};
    w.push = w.psi + nv;
    w.e = w.push + nv;
    w.v_at = w.e + nv;
    w.vdot = w.v_at + nv;
    w.q_at = w.vdot + nv;
    w.X = w.q_at + p->nq;
    w.none = w.X + maps;
    w.slope = w.none + maps;
    return w;
}

/* ---- the equations -------------------------------------------------------------------------- */

/* Where forces are taken at the present psi, and the rotations' part of the equations into e. */
static void stage_place(const nt_stepper *s, const nt_stage *stage, double h, const work *w)
{
    const nt_problem *p = s->problem;
    const double *v = s->now.v, *early = s->now.method;
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        int n = nt_vector_entries(block);
        for (int k = 0; k < n; k++) {
            int i = block->v + k;
            w->q_at[block->q + k] = s->now.q[block->q + k] + stage->place * w->psi[i];
            w->vdot[i] = stage->inertia / (h * h) * (w->psi[i] - h * v[i]);
            if (stage->earlier != 0)
                w->vdot[i] -= stage->earlier * early[i];
            w->e[i] = 0;
        }
        if (block->rotation < 0)
            continue;
        int i = block->v + n;
        m3 J = nt_inertia_of(p, block->rotation);
        nt_turn turn = stage->turn(h, J, v3_load(v + i), v3_load(w->psi + i));
        if (stage->earlier != 0)
            turn.rest = v3_axpy(-stage->earlier, m3_apply(J, v3_load(early + i)), turn.rest);
        quat_store(w->q_at + block->q + n,
                   quat_unit(quat_multiply(quat_load(s->now.q + block->q + n), turn.by)));
        m3_store(w->X + 9 * block->rotation, turn.X);
        m3_store(w->slope + 9 * block->rotation, turn.slope);
        v3_store(w->e + i, turn.rest);
        v3_store(w->vdot + i, v3_of(0, 0, 0));
    }
    for (int i = 0; i < p->nv; i++)
        w->v_at[i] = stage->rate / h * w->psi[i] + stage->start * v[i];
}

/* The scheme's own blocks: d rest/de on the diagonal of each rotation. The diagonal entries of its
 * node are a row's length and one apart. */
static void add_slopes(const nt_problem *p, const work *w, nt_matrix *matrix)
{
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        if (block->rotation < 0)
            continue;
        const int *diagonal = p->diagonal + nt_rotation_entry(block);
        int width = diagonal[1] - diagonal[0] - 1;
        const double *slope = w->slope + 9 * block->rotation;
        for (int k = 0; k < 3; k++)
            v3_accumulate(matrix->values + diagonal[0] + k * width, v3_load(slope + 3 * k));
    }
}

static nt_point stage_point(const nt_stepper *s, const nt_stage *stage, double h, const work *w)
{
    return (nt_point){.t = s->now.all[NT_PHASE_T] + stage->time * h,
                      .q = w->q_at,
                      .v = w->v_at,
                      .vdot = w->vdot,
                      .lambda = s->next.lambda,
                      .mu = s->next.mu,
                      .memory = s->now.memory};
}

/* The matrix S of Newton's method where `place` has put the stage, factorised; the system's part of
 * the residual is added, where it is wanted. */
static nt_status stage_factorise(nt_stepper *s, const nt_stage *stage, double h, const work *w,
                                 double *residual)
{
    const nt_problem *p = s->problem;
    nt_point at = stage_point(s, stage, h, w);
    nt_combination combination = {.mass = stage->inertia / (h * h),
                                  .damping = stage->rate / h,
                                  .stiffness = stage->place,
                                  .map = p->space.n_rotations ? w->X : NULL,
                                  .map_mass = p->space.n_rotations ? w->none : NULL};
    nt_terms terms = {.parts = NT_MASS | NT_EXPLICIT | NT_IMPLICIT,
                      .residual = residual,
                      .matrix = &s->factors->matrix,
                      .combination = &combination};
    nt_factors_begin(s->factors);
    s->statistics->evaluations++;
    nt_status status = nt_problem_evaluate(p, &at, &terms);
    if (status != NT_OK)
        return status;
    add_slopes(p, w, &s->factors->matrix);
    s->statistics->factorisations++;
    return nt_solver_factor_clear(s->factors->solver, &s->factors->matrix);
}

/* e from S e = -residual */
static nt_status correction(nt_stepper *s, const nt_stage *stage, double h, const work *w)
{
    stage_place(s, stage, h, w);
    nt_status status = stage_factorise(s, stage, h, w, w->e);
    if (status != NT_OK)
        return status;
    for (int i = 0; i < s->problem->nv; i++)
        w->e[i] = -w->e[i];
    s->statistics->solves++;
    return nt_solver_solve(s->factors->solver, w->e, 1);
}

/* psi += X e; the largest ratio of an increment to its tolerance. */
static double stage_correct(nt_stepper *s, const work *w)
{
    const nt_problem *p = s->problem;
    double size[2] = {0, 0};
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        if (block->rotation < 0)
            continue;
        double *e = w->e + nt_rotation_entry(block);
        v3_store(e, m3_apply(m3_load(w->X + 9 * block->rotation), v3_load(e)));
    }
    for (int i = 0; i < p->nv; i++) {
        w->psi[i] += w->e[i];
        size[p->quantity[i]] = fmax(size[p->quantity[i]], fabs(w->psi[i]));
    }
    return nt_worst_increment(s, s->options, NT_OPTION_TOLERANCE_LENGTH, size, 1, w->e);
}

static int stage_too_large_a_turn(const nt_problem *p, const double *psi)
{
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        int i = nt_rotation_entry(block);
        if (block->rotation >= 0 && !(v3_norm(v3_load(psi + i)) < WHOLE_TURN))
            return i;
    }
    return -1;
}

nt_status nt_stage_solve(nt_stepper *s, const nt_stage *stage, double h, nt_staged *found)
{
    const nt_problem *p = s->problem;
    work w = stage_work_of(s);
    *found = (nt_staged){.psi = w.psi, .push = w.push};
    memset(w.none, 0, 9 * (size_t)p->space.n_rotations * sizeof *w.none);
    for (int i = 0; i < p->nv; i++)
        w.psi[i] = h * s->now.v[i] + h * h / 2 * s->now.vdot[i];
    double last = 0;
    bool settled = false;
    for (int i = 0; !settled; i++) {
        int turned = stage_too_large_a_turn(p, w.psi);
        if (turned >= 0) {
            s->report.unknown = turned;
            s->report.increment = true;
            s->report.worst = (double)INFINITY;
        }
        if (turned >= 0 || i == (int)nt_options_get(s->options, NT_OPTION_MAX_ITERATIONS))
            return NT_NOT_CONVERGED;
        nt_status status = correction(s, stage, h, &w);
        if (status != NT_OK)
            return status;
        s->statistics->iterations++;
        s->report.iterations++;
        double size = stage_correct(s, &w), ratio = i > 0 ? size / last : 1;
        if (!isfinite(size))
            return NT_NOT_FINITE;
        /* what is left after this correction, from the geometric series */
        settled = size <= 1 || (ratio < 0.5 && ratio / (1 - ratio) * size <= 1);
        if (!settled && i > 0 && ratio > 2)
            return NT_NOT_CONVERGED;
        last = size;
    }
    s->report.unknown = -1;
    /* forces at the psi that was found: then the balance of momentum holds to rounding whatever
     * Newton left */
    stage_place(s, stage, h, &w);
    return nt_push_at(s, s->now.all[NT_PHASE_T] + stage->time * h, w.q_at, w.v_at, w.push);
}

/* The end of a step whose forces are those of the midpoint, R_at = R E(psi/2):
 *
 *   x1 = x + psi,       m v1 = m v + h f_at
 *   R1 = R E(psi),  J W1 = E(-psi) J W + h E(-psi/2) T_at
 *
 * into `next`, and its acceleration, which takes one evaluation more. */
static nt_status end_of_midpoint(nt_stepper *s, double h, const nt_staged *found)
{
    const nt_problem *p = s->problem;
    nt_phase *next = &s->next;
    nt_space_compose(&p->space, NT_BODY, s->now.q, found->psi, next->q);
    nt_kick(p, h, s->now.v, found->push, next->v);
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        if (block->rotation < 0)
            continue;
        int i = nt_rotation_entry(block);
        m3 J = nt_inertia_of(p, block->rotation);
        m3 E = quat_matrix(so3_exp(v3_scale(0.5, v3_load(found->psi + i))));
        v3 Pi = m3_apply(J, v3_load(s->now.v + i)), T = m3_apply(J, v3_load(found->push + i));
        v3 middle = v3_axpy(h, T, m3_apply_transposed(E, Pi));
        v3_store(next->v + i, m3_solve(J, m3_apply_transposed(E, middle)));
    }
    nt_status status = nt_push_at(s, next->all[NT_PHASE_T], next->q, next->v, found->push);
    if (status == NT_OK)
        nt_momenta_acceleration(p, next->v, found->push, next->vdot);
    return status;
}

nt_status nt_stage_step_by_midpoint(nt_stepper *s, double h)
{
    nt_staged found;
    nt_momenta_begin(s, h);
    nt_status status = nt_stage_solve(s, s->options->method->scheme, h, &found);
    return status == NT_OK ? end_of_midpoint(s, h, &found) : status;
}

/* ---- the linearised step ---------------------------------------------------------------------
 *
 * A direction varies the state before the step by (dq, dW, da) and the inertia by dJ. With psi held
 * the stage moves by x = (dq, by^T dTheta) and its velocity by y = `start` dv; then
 *
 *   S e = -(K x + C y + load + known),
 *   known   translations  -m (`inertia`/h dv + `earlier` da)
 *           rotations     vary(dJ, dW) - `earlier` (J da + dJ a)
 *
 * and dpsi = X e. From there each scheme's own end is differentiated. */

typedef struct linear {
    double *unit; /* [2 nv]                   */
    double *z;    /* [count][n]               */
    double *dJ;   /* [count][n_rotations][9] */
} linear;

static linear stage_linear_of(const nt_problem *p, const nt_directions *directions)
{
    linear l = {.unit = directions->scratch};
    l.z = l.unit + 2 * p->nv;
    l.dJ = l.z + (size_t)directions->count * (size_t)p->n;
    return l;
}

/* x and y of a direction into the arrays q and v of its variation after the step */
static void carry(const nt_stepper *s, const nt_stage *stage, double h, const work *w,
                  const nt_const_variation *from, const nt_variation *to)
{
    const nt_problem *p = s->problem;
    memcpy(to->q, from->q, (size_t)p->nv * sizeof(double));
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        if (block->rotation < 0)
            continue;
        int i = nt_rotation_entry(block);
        m3 J = nt_inertia_of(p, block->rotation);
        nt_turn turn = stage->turn(h, J, v3_load(s->now.v + i), v3_load(w->psi + i));
        v3_store(to->q + i, m3_apply_transposed(quat_matrix(turn.by), v3_load(to->q + i)));
    }
    for (int i = 0; i < p->nv; i++)
        to->v[i] = stage->start * from->v[i];
}

/* d rest with psi held */
static v3 rest_of(const nt_stepper *s, const nt_stage *stage, double h, const work *w,
                  const linear *l, int k, const nt_block *block, const nt_const_variation *from)
{
    const nt_problem *p = s->problem;
    int i = nt_rotation_entry(block);
    nt_moved_turn moved = {.dJ = nt_varied_inertia(p, l->dJ, k, block->rotation),
                           .dW = v3_load(from->v + i)};
    m3 J = nt_inertia_of(p, block->rotation);
    v3 W = v3_load(s->now.v + i);
    moved.dPi = v3_add(m3_apply(J, moved.dW), m3_apply(moved.dJ, W));
    v3 rest = stage->vary(h, J, W, v3_load(w->psi + i), &moved);
    if (stage->earlier == 0)
        return rest;
    v3 torque = v3_add(m3_apply(J, v3_load(from->method + i)),
                       m3_apply(moved.dJ, v3_load(s->now.method + i)));
    return v3_axpy(-stage->earlier, torque, rest);
}

/* z holds K x + C y: add the rest and change the sign */
static nt_status right_hand_side(nt_stepper *s, const nt_stage *stage, double h, const work *w,
                                 const linear *l, const nt_directions *directions, int k,
                                 const nt_const_variation *from)
{
    const nt_problem *p = s->problem;
    double *z = l->z + (size_t)k * (size_t)p->n;
    nt_point at = stage_point(s, stage, h, w);
    nt_terms load = {.parts = NT_MASS | NT_EXPLICIT | NT_IMPLICIT, .residual = z};
    nt_status status = directions->load(directions->context, k, &at, &load);
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        for (int i = block->v; i < block->v + nt_vector_entries(block); i++) {
            double vdot = -stage->inertia / h * from->v[i];
            if (stage->earlier != 0)
                vdot -= stage->earlier * from->method[i];
            z[i] += p->system->momenta->mass[i] * vdot;
        }
        if (block->rotation >= 0)
            v3_accumulate(z + nt_rotation_entry(block), rest_of(s, stage, h, w, l, k, block, from));
    }
    for (int i = 0; i < p->nv; i++)
        z[i] = -z[i];
    return status;
}

/* The stage's increments: z[count][n] becomes e. */
static nt_status vary_stage(nt_stepper *s, const nt_stage *stage, double h, const work *w,
                            const linear *l, const nt_directions *directions, const double *before,
                            double *after)
{
    const nt_problem *p = s->problem;
    size_t n = (size_t)p->n;
    for (int k = 0; k < directions->count; k++) {
        nt_const_variation from = nt_const_variation_at(p, directions, before, k);
        nt_variation to = nt_variation_at(p, directions, after, k);
        carry(s, stage, h, w, &from, &to);
    }
    memset(l->z, 0, (size_t)directions->count * n * sizeof *l->z);
    nt_point at = stage_point(s, stage, h, w);
    nt_variation first = nt_variation_at(p, directions, after, 0);
    nt_push terms = {.at = &at,
                     .parts = NT_EXPLICIT | NT_IMPLICIT,
                     .stiffness = 1,
                     .count = directions->count,
                     .x = first.q,
                     .x_stride = directions->stride,
                     .y = l->z,
                     .y_stride = n};
    nt_status status = nt_variation_push(s->factors, &terms);
    if (status == NT_OK && stage->start != 0) {
        terms.stiffness = 0, terms.damping = 1, terms.x = first.v;
        status = nt_variation_push(s->factors, &terms);
    }
    for (int k = 0; k < directions->count && status == NT_OK; k++) {
        nt_const_variation from = nt_const_variation_at(p, directions, before, k);
        status = right_hand_side(s, stage, h, w, l, directions, k, &from);
    }
    if (status == NT_OK)
        status = stage_factorise(s, stage, h, w, NULL);
    return status == NT_OK ? nt_solver_solve(s->factors->solver, l->z, directions->count) : status;
}

/* The end of a step by forces of the midpoint: end_of_midpoint, T_at = rest. */
static void vary_end_of_midpoint(const nt_stepper *s, const nt_stage *stage, double h,
                                 const work *w, const linear *l, int k,
                                 const nt_const_variation *from, const nt_variation *to)
{
    const nt_problem *p = s->problem;
    const double *z = l->z + (size_t)k * (size_t)p->n;
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        for (int i = block->v; i < block->v + nt_vector_entries(block); i++) {
            to->q[i] = from->q[i] + z[i];
            to->v[i] = from->v[i] + stage->inertia / h * (z[i] - h * from->v[i]);
        }
        if (block->rotation < 0)
            continue;
        int i = nt_rotation_entry(block);
        m3 J = nt_inertia_of(p, block->rotation);
        m3 dJ = nt_varied_inertia(p, l->dJ, k, block->rotation);
        v3 W = v3_load(s->now.v + i), psi = v3_load(w->psi + i), half = v3_scale(0.5, psi);
        v3 e = v3_load(z + i), dpsi = m3_apply(m3_load(w->X + 9 * block->rotation), e);
        m3 E_half = quat_matrix(so3_exp(half)), E = quat_matrix(so3_exp(psi));
        v3 turned = m3_apply(so3_tangent(psi), dpsi);
        v3_store(to->q + i, v3_add(m3_apply_transposed(E, v3_load(from->q + i)), turned));
        /* J W1 = E^T Pi + h E_half^T T, d(E(-x) a) = (E(-x) a)~ T(x) dx */
        v3 T = m3_apply(J, v3_load(w->push + i));
        v3 dT = v3_add(m3_apply(m3_load(w->slope + 9 * block->rotation), e),
                       rest_of(s, stage, h, w, l, k, block, from));
        v3 Pi = m3_apply(J, W);
        v3 dPi = v3_add(m3_apply(J, v3_load(from->v + i)), m3_apply(dJ, W));
        v3 impulse = v3_add(m3_apply_transposed(E_half, dT),
                            v3_cross(m3_apply_transposed(E_half, T), v3_scale(0.5, e)));
        v3 dPi1 = v3_add(m3_apply_transposed(E, dPi), v3_cross(m3_apply_transposed(E, Pi), turned));
        dPi1 = v3_axpy(h, impulse, dPi1);
        v3_store(to->v + i, m3_solve(J, v3_sub(dPi1, m3_apply(dJ, v3_load(s->next.v + i)))));
    }
}

/* The end of AKW: M a1 is what balances the stage, W1 = W + (h/2)(a + a1) + h u,
 * J u = Pi_m x W_m. */
static void vary_end_of_trapezoid(const nt_stepper *s, const nt_stage *stage, double h,
                                  const work *w, const linear *l, int k,
                                  const nt_const_variation *from, const nt_variation *to)
{
    const nt_problem *p = s->problem;
    const double *z = l->z + (size_t)k * (size_t)p->n;
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        for (int i = block->v; i < block->v + nt_vector_entries(block); i++) {
            to->q[i] += z[i];
            to->method[i] = stage->inertia / (h * h) * (z[i] - h * from->v[i]) - from->method[i];
            to->v[i] = from->v[i] + h / 2 * (from->method[i] + to->method[i]);
        }
        if (block->rotation < 0)
            continue;
        int i = nt_rotation_entry(block);
        m3 J = nt_inertia_of(p, block->rotation);
        m3 dJ = nt_varied_inertia(p, l->dJ, k, block->rotation);
        v3 e = v3_load(z + i), mean = v3_scale(1 / h, v3_load(w->psi + i));
        v3_accumulate(to->q + i, e);
        v3 dT = v3_add(m3_apply(m3_load(w->slope + 9 * block->rotation), e),
                       rest_of(s, stage, h, w, l, k, block, from));
        v3 da = m3_solve(J, v3_sub(dT, m3_apply(dJ, v3_load(s->next.method + i))));
        v3 dmean = v3_scale(1 / h, m3_apply(m3_load(w->X + 9 * block->rotation), e));
        v3 Pi = m3_apply(J, mean), dPi = v3_add(m3_apply(J, dmean), m3_apply(dJ, mean));
        v3 u = m3_solve(J, v3_cross(Pi, mean));
        v3 moment = v3_add(v3_cross(dPi, mean), v3_cross(Pi, dmean));
        v3 du = m3_solve(J, v3_sub(moment, m3_apply(dJ, u)));
        v3 kick = v3_scale(h / 2, v3_add(v3_load(from->method + i), da));
        v3_store(to->method + i, da);
        v3_store(to->v + i, v3_add(v3_load(from->v + i), v3_axpy(h, du, kick)));
    }
}

static nt_status vary_step(nt_stepper *s, const nt_stage *stage, double h, const linear *l,
                           const nt_directions *directions, const double *before, double *after)
{
    const nt_problem *p = s->problem;
    const nt_phase *next = &s->next;
    work w = stage_work_of(s);
    nt_staged found;
    bool trapezoid = stage->earlier != 0;
    nt_status status = nt_stage_solve(s, stage, h, &found); /* again: its arrays were lost */
    if (status == NT_OK)
        status = vary_stage(s, stage, h, &w, l, directions, before, after);
    for (int k = 0; k < directions->count && status == NT_OK; k++) {
        nt_const_variation from = nt_const_variation_at(p, directions, before, k);
        nt_variation to = nt_variation_at(p, directions, after, k);
        if (trapezoid)
            vary_end_of_trapezoid(s, stage, h, &w, l, k, &from, &to);
        else
            vary_end_of_midpoint(s, stage, h, &w, l, k, &from, &to);
    }
    if (status != NT_OK || trapezoid)
        return status;
    status = nt_push_at(s, next->all[NT_PHASE_T], next->q, next->v, w.push);
    nt_point at = nt_phase_point(next);
    at.vdot = w.push, at.memory = s->now.memory;
    nt_variation first = nt_variation_at(p, directions, after, 0);
    return status == NT_OK ? nt_push_vary(s, &at, 0, directions, first.q, first.v, l->z) : status;
}

nt_status nt_stage_linearise(nt_stepper *s, double h, const nt_directions *directions,
                             const double *before, double *after)
{
    const nt_stage *stage = s->options->method->scheme;
    const nt_problem *p = s->problem;
    const nt_phase *next = &s->next;
    linear l = stage_linear_of(p, directions);
    bool trapezoid = stage->earlier != 0;
    if (h == 0 && !trapezoid)
        return NT_OK;
    nt_point at = nt_phase_point(next);
    at.memory = h != 0 ? s->now.memory : next->memory;
    nt_status status = nt_momenta_vary_inertia(s, directions, &at, l.unit, l.dJ);
    if (h != 0 && status == NT_OK) {
        nt_statistics counted = *s->statistics; /* of the step, not of its repetition */
        nt_report report = s->report;
        status = vary_step(s, stage, h, &l, directions, before, after);
        *s->statistics = counted;
        s->report = report;
    }
    const double *a = trapezoid ? next->method : stage_work_of(s).push;
    for (int k = 0; k < directions->count && status == NT_OK; k++) {
        nt_variation d = nt_variation_at(p, directions, after, k);
        const double *da = trapezoid ? d.method : l.z + (size_t)k * (size_t)p->n;
        if (h == 0)
            nt_momenta_vary_acceleration(p, l.dJ, k, 1, next, a, d.v, d.vdot, d.method);
        else
            nt_momenta_vary_acceleration(p, l.dJ, k, -1, next, a, d.v, da, d.vdot);
    }
    return status;
}
