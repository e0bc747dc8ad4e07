/* Newton's method for one implicit stage; see implicit_stage.h. */
#include "method/implicit_stage.h"

#include "group/rotation.h"

#include <math.h>
#include <string.h>

const nt_option_key nt_stage_options[NT_STAGE_OPTIONS] = {
    [NT_STAGE_TOLERANCE_LENGTH] = {"tolerance_length", NT_REAL, 1e-12, 1e-300, 1, "m", NULL,
                                   "absolute tolerance of displacements within a step"},
    [NT_STAGE_TOLERANCE_ANGLE] = {"tolerance_angle", NT_REAL, 1e-12, 1e-300, 1, "rad", NULL,
                                  "absolute tolerance of rotations within a step"},
    [NT_STAGE_TOLERANCE_RELATIVE] = {"tolerance_relative", NT_REAL, 1e-12, 1e-14, 1e-2, "", NULL,
                                     "relative to the largest displacement and to the largest "
                                     "rotation of the step"},
    [NT_STAGE_MAX_ITERATIONS] = {"max_iterations", NT_INTEGER, 20, 1, 1000, "", NULL,
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

size_t nt_stage_scratch(const nt_problem *p)
{
    return nt_momenta_scratch(p) + 5 * (size_t)p->nv + (size_t)p->nq +
           27 * (size_t)p->space.n_rotations;
}

static work work_of(const nt_stepper *s)
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
static void place(const nt_stepper *s, const nt_stage *stage, double h, const work *w)
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
static void add_slopes(nt_problem *p, const work *w)
{
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        if (block->rotation < 0)
            continue;
        const int *diagonal = p->diagonal + nt_rotation_entry(block);
        int width = diagonal[1] - diagonal[0] - 1;
        const double *slope = w->slope + 9 * block->rotation;
        for (int k = 0; k < 3; k++)
            v3_accumulate(p->matrix.values + diagonal[0] + k * width, v3_load(slope + 3 * k));
    }
}

/* e from S e = -residual */
static nt_status correction(nt_stepper *s, const nt_stage *stage, double h, const work *w)
{
    nt_problem *p = s->problem;
    place(s, stage, h, w);
    nt_point at = {.t = s->now.all[NT_PHASE_T] + stage->time * h,
                   .q = w->q_at,
                   .v = w->v_at,
                   .vdot = w->vdot,
                   .lambda = s->next.lambda,
                   .mu = s->next.mu,
                   .memory = s->now.memory};
    nt_combination combination = {.mass = stage->inertia / (h * h),
                                  .damping = stage->rate / h,
                                  .stiffness = stage->place,
                                  .map = p->space.n_rotations ? w->X : NULL,
                                  .map_mass = p->space.n_rotations ? w->none : NULL};
    nt_terms terms = {.parts = NT_MASS | NT_EXPLICIT | NT_IMPLICIT,
                      .residual = w->e,
                      .matrix = &p->matrix,
                      .combination = &combination};
    nt_matrix_zero(&p->matrix);
    s->statistics->evaluations++;
    nt_status status = nt_problem_evaluate(p, &at, &terms);
    if (status != NT_OK)
        return status;
    add_slopes(p, w);
    for (int i = 0; i < p->nv; i++)
        w->e[i] = -w->e[i];
    s->statistics->factorisations++;
    s->statistics->solves++;
    p->factored_for = NULL;
    if ((status = nt_solver_factor_clear(p->solver, &p->matrix)) != NT_OK)
        return status;
    return nt_solver_solve(p->solver, w->e, 1);
}

/* psi += X e; the largest ratio of an increment to its tolerance. */
static double correct(nt_stepper *s, const work *w)
{
    const nt_problem *p = s->problem;
    double size[2] = {0, 0}, worst = 0;
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
    for (int i = 0; i < p->nv; i++) {
        nt_quantity kind = p->quantity[i];
        double ratio = fabs(w->e[i]) / (s->options[NT_STAGE_TOLERANCE_LENGTH + kind] +
                                        s->options[NT_STAGE_TOLERANCE_RELATIVE] * size[kind]);
        if (!(ratio <= worst)) {
            worst = ratio;
            s->report.unknown = i;
        }
        if (isnan(ratio))
            break;
    }
    return s->report.worst = worst;
}

static int too_large_a_turn(const nt_problem *p, const double *psi)
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
    nt_problem *p = s->problem;
    work w = work_of(s);
    *found = (nt_staged){.psi = w.psi, .push = w.push};
    memset(w.none, 0, 9 * (size_t)p->space.n_rotations * sizeof *w.none);
    for (int i = 0; i < p->nv; i++)
        w.psi[i] = h * s->now.v[i] + h * h / 2 * s->now.vdot[i];
    double last = 0;
    bool settled = false;
    for (int i = 0; !settled; i++) {
        int turned = too_large_a_turn(p, w.psi);
        if (turned >= 0) {
            s->report.unknown = turned;
            s->report.worst = (double)INFINITY;
        }
        if (turned >= 0 || i == (int)s->options[NT_STAGE_MAX_ITERATIONS])
            return NT_NOT_CONVERGED;
        nt_status status = correction(s, stage, h, &w);
        if (status != NT_OK)
            return status;
        s->statistics->iterations++;
        s->report.iterations++;
        double size = correct(s, &w), ratio = i > 0 ? size / last : 1;
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
    place(s, stage, h, &w);
    return nt_push_at(s, s->now.all[NT_PHASE_T] + stage->time * h, w.q_at, w.v_at, w.push);
}

nt_status nt_stage_end_of_midpoint(nt_stepper *s, double h, const nt_staged *found)
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
