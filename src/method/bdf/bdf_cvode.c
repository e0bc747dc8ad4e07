/* Unconstrained systems by CVODE: q' = E(q) v, v' = a(t, q, v).
 *
 * Newton's matrix I - gamma J, J = d(q', v')/d(q, v), in the unknowns of bdf_newton.c. Write a
 * change of a quaternion as dq -> q (s, e/2) in the body frame, (s, e/2) q in the inertial one, and
 * a right-hand side b in the same way with (s_b, e_b/2). With c = +-gamma w/2
 *
 *   (s, e/2) - gamma ((s, e/2) (0, w/2) + (0, u/2)) = (s_b, e_b/2)
 *
 *   e + c x e - gamma s w - gamma u = e_b                     (body)
 *   s + gamma w . e/4 = s_b
 *
 * and, s put into the first, X e - gamma u = e_b + gamma s_b w with X = I + c~ + c c^T. Times M
 * c_j this is the first row of the matrix, and M (v' - a) = 0 gives the second:
 *
 *   M u + gamma (K e + C u) = M b_v,   K, C the derivatives of R = M a - f. */
#include "group/block.h"
#include "group/rotation.h"
#include "method/bdf/bdf.h"

#include <cvode/cvode.h>
#include <cvode/cvode_ls.h>
#include <string.h>

/* ---- equations ------------------------------------------------------------------------------ */

static nt_point cvode_point_at(const nt_bdf *b, double t, double *y)
{
    return (nt_point){.t = t,
                      .q = b->q,
                      .v = nt_bdf_v(b, y),
                      .vdot = b->none,
                      .lambda = b->none,
                      .mu = b->none,
                      .memory = b->kept};
}

int nt_bdf_rate(double t, N_Vector y_now, N_Vector y_rate, void *own)
{
    nt_bdf *b = own;
    const nt_problem *p = b->problem;
    double *y = N_VGetArrayPointer(y_now), *rate = N_VGetArrayPointer(y_rate);
    nt_bdf_normalise(b, y);
    nt_space_rate(&p->space, p->frame, y, nt_bdf_v(b, y), rate);
    nt_effort effort = {.unknown = -1};
    nt_point at = cvode_point_at(b, t, y);
    memcpy(b->vdot, b->stepper->now.vdot, (size_t)p->nv * sizeof(double)); /* a guess */
    nt_status status =
        nt_factors_accelerate(b->stepper->factors, &at, b->vdot, NULL, NULL, &effort);
    b->stepper->statistics->evaluations += effort.evaluations;
    b->stepper->statistics->factorisations += effort.factorisations;
    b->stepper->statistics->solves += effort.solves;
    memcpy(nt_bdf_v(b, rate), b->vdot, (size_t)p->nv * sizeof(double));
    return nt_bdf_outcome(b, status);
}

int nt_bdf_linear_system(double t, N_Vector y_now, N_Vector y_rate, SUNMatrix matrix,
                         int old_would_do, int *current, double gamma, void *own, N_Vector scratch1,
                         N_Vector scratch2, N_Vector scratch3)
{
    (void)matrix, (void)scratch1, (void)scratch2, (void)scratch3;
    nt_bdf *b = own;
    double *y = N_VGetArrayPointer(y_now), *rate = N_VGetArrayPointer(y_rate);
    *current = !old_would_do;
    if (old_would_do) {
        nt_bdf_normalise(b, b->newton.at_q);
        nt_point before = cvode_point_at(b, t, b->newton.at_q);
        before.vdot = b->none;
        return nt_bdf_outcome(b, nt_bdf_newton_refill(b, &before, gamma));
    }
    nt_bdf_normalise(b, y);
    nt_point at = cvode_point_at(b, t, y);
    at.vdot = nt_bdf_v(b, rate);
    memcpy(b->newton.at_q, y, (size_t)b->counted * sizeof(double)); /* and v, which follows */
    return nt_bdf_outcome(b, nt_bdf_newton_fill(b, &at, b->none, b->none, gamma));
}

/* ---- Newton's linear systems ---------------------------------------------------------------- */

/* 2 vec and the scalar of q* b/|q|^2 (b q* in the inertial frame). */
static v3 cvode_turn_of(nt_frame frame, quat q, const double *right, double *length)
{
    quat c = quat_conjugate(q), r = quat_load(right);
    double square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    quat d = frame == NT_BODY ? quat_multiply(c, r) : quat_multiply(r, c);
    *length = d.w / square;
    return v3_scale(2 / square, v3_of(d.x, d.y, d.z));
}

/* M (c_j e_b + s_b w) and M b_v; s_b into w->length */
static void cvode_right_hand_sides(nt_bdf *b, const double *right, double *first, double *second)
{
    const nt_problem *p = b->problem;
    nt_bdf_newton *w = &b->newton;
    memset(w->z, 0, 2 * (size_t)p->n * sizeof(double));
    for (int k = 0; k < p->space.n_blocks; k++) {
        const nt_block *block = &p->space.blocks[k];
        int plain = nt_block_places(block);
        for (int j = 0; j < plain; j++)
            w->z[w->second[block->v + j]] = right[block->q + j] / w->gamma;
        if (block->rotation < 0)
            continue;
        int i = block->v + plain, at = block->q + plain;
        double s;
        v3 e = cvode_turn_of(p->frame, quat_load(w->at_q + at), right + at, &s);
        w->length[block->rotation] = s;
        v3 sum = v3_axpy(s, v3_load(w->at_v + i), v3_scale(1 / w->gamma, e));
        for (int j = 0; j < 3; j++)
            w->z[w->second[i + j]] = v3_component(sum, j);
    }
    nt_bdf_mass_times(b, first);
    for (int i = 0; i < p->nv; i++)
        w->z[w->second[i]] = right[p->nq + i];
    nt_bdf_mass_times(b, second);
}

static nt_status cvode_solve(nt_bdf *b, const double *right, double *x)
{
    const nt_problem *p = b->problem;
    nt_bdf_newton *w = &b->newton;
    double *first = b->residual, *second = b->vdot;
    cvode_right_hand_sides(b, right, first, second);
    for (int i = 0; i < p->nv; i++) {
        w->z[w->first[i]] = first[i];
        w->z[w->second[i]] = second[i];
    }
    nt_status status = nt_solver_solve(w->solver, w->z, 1);
    if (status != NT_OK)
        return status;
    for (int i = 0; i < p->nv; i++)
        x[p->nq + i] = w->z[w->second[i]];
    for (int k = 0; k < p->space.n_blocks; k++) { /* s = s_b - gamma w . e/4 */
        const nt_block *block = &p->space.blocks[k];
        int i = block->v + block->nv - 3;
        for (int j = i; block->rotation >= 0 && j < i + 3; j++)
            w->length[block->rotation] -= w->gamma * w->gamma / 4 * w->z[w->first[j]] * w->at_v[j];
    }
    nt_bdf_newton_positions(b, w->length, x);
    return NT_OK;
}

/* ---- CVODE ---------------------------------------------------------------------------------- */

static nt_status cvode_create(nt_bdf *b)
{
    const nt_options *option = b->stepper->options;
    b->memory = CVodeCreate(CV_BDF, b->context);
    if (!b->memory || CVodeSetErrHandlerFn(b->memory, nt_bdf_silent, NULL) != CV_SUCCESS ||
        CVodeInit(b->memory, nt_bdf_rate, 0, b->y) != CV_SUCCESS ||
        CVodeSetUserData(b->memory, b) != CV_SUCCESS ||
        CVodeWFtolerances(b->memory, nt_bdf_weights) != CV_SUCCESS ||
        CVodeSetLinearSolver(b->memory, b->linear, b->matrix) != CV_SUCCESS ||
        CVodeSetLinSysFn(b->memory, nt_bdf_linear_system) != CV_SUCCESS ||
        CVodeSetMaxOrd(b->memory, (int)nt_options_get(option, NT_OPTION_MAX_ORDER)) != CV_SUCCESS)
        return NT_NO_MEMORY;
    double newton = nt_options_get(option, NT_OPTION_NEWTON_TOLERANCE);
    if (newton > 0)
        CVodeSetNonlinConvCoef(b->memory, newton);
    return NT_OK;
}

static nt_status cvode_begin(nt_bdf *b, double t)
{
    return CVodeReInit(b->memory, t, b->y) == CV_SUCCESS ? NT_OK : NT_NOT_CONVERGED;
}

static int cvode_go(nt_bdf *b, double end, double smallest, double longest, double *reached)
{
    /* bounds are set one after the other, and must not contradict each other in between */
    CVodeSetMinStep(b->memory, 0);
    CVodeSetMaxStep(b->memory, longest);
    CVodeSetMinStep(b->memory, smallest);
    CVodeSetStopTime(b->memory, end);
    return CVode(b->memory, end, b->y, reached, CV_ONE_STEP);
}

static const char *cvode_words(int flag)
{
    switch (flag) {
    case CV_ERR_FAILURE:
        return nt_bdf_words[NT_BDF_ERROR];
    case CV_CONV_FAILURE:
        return nt_bdf_words[NT_BDF_CONVERGENCE];
    case CV_LSETUP_FAIL:
    case CV_LSOLVE_FAIL:
        return nt_bdf_words[NT_BDF_LINEAR];
    case CV_RHSFUNC_FAIL:
    case CV_REPTD_RHSFUNC_ERR:
    case CV_FIRST_RHSFUNC_ERR:
        return nt_bdf_words[NT_BDF_EVALUATION];
    case CV_TOO_MUCH_ACC:
        return nt_bdf_words[NT_BDF_ACCURACY];
    default:
        return nt_bdf_words[NT_BDF_OTHER];
    }
}

static int cvode_look(const nt_bdf *b, double t, int derivative, N_Vector y)
{
    return CVodeGetDky(b->memory, t, derivative, y);
}

static void cvode_count(const nt_bdf *b, long *iterations, long *failures)
{
    long errors = 0, solves = 0;
    CVodeGetNumNonlinSolvIters(b->memory, iterations);
    CVodeGetNumErrTestFails(b->memory, &errors);
    CVodeGetNumStepSolveFails(b->memory, &solves);
    *failures = errors + solves;
}

static double cvode_pace(const nt_bdf *b) /* there are no multipliers */
{
    (void)b;
    return 0;
}

static double cvode_tried(const nt_bdf *b)
{
    long steps = 0;
    double h = 0;
    CVodeGetNumSteps(b->memory, &steps);
    if (steps > 0)
        CVodeGetCurrentStep(b->memory, &h);
    else
        CVodeGetActualInitStep(b->memory, &h);
    return h;
}

static void cvode_destroy(nt_bdf *b) { CVodeFree(&b->memory); }

/* ---- linearised steps ----------------------------------------------------------------------- */

static void cvode_told(const nt_bdf *b, double *h, int *order, int *next_order)
{
    CVodeGetLastStep(b->memory, h);
    CVodeGetLastOrder(b->memory, order);
    CVodeGetCurrentOrder(b->memory, next_order);
}

/* The accelerations are those of the state that is shown. */
static nt_status cvode_fill(nt_bdf *b, double t, double c_j)
{
    int current;
    memcpy(nt_bdf_v(b, N_VGetArrayPointer(b->rate)), b->stepper->next.vdot,
           (size_t)b->problem->nv * sizeof(double));
    return nt_bdf_linear_system(t, b->y, b->rate, NULL, 0, &current, 1 / c_j, b, NULL, NULL,
                                NULL) == 0
               ? NT_OK
               : b->status;
}

/* dy' = J dy + f_p = c_j dy - delta: (1 - gamma J) dy = gamma (delta + f_p), M f_p = -R_p by the
 * factors of the accelerations. */
static nt_status cvode_vary(nt_bdf *b, const nt_directions *directions, int i, double t,
                            const double *delta, double *right)
{
    const nt_problem *p = b->problem;
    nt_point at = cvode_point_at(b, t, N_VGetArrayPointer(b->y));
    at.vdot = b->stepper->next.vdot;
    double *r = b->residual;
    memset(r, 0, (size_t)p->n * sizeof *r);
    nt_terms terms = {.parts = NT_ALL_PARTS, .residual = r};
    nt_status status = directions->load(directions->context, i, &at, &terms);
    if (status == NT_OK)
        status = nt_solver_solve(b->stepper->factors->solver, r, 1);
    for (int j = 0; j < b->size; j++)
        right[j] = delta[j] * b->newton.gamma;
    for (int j = 0; j < p->nv; j++)
        right[p->nq + j] -= b->newton.gamma * r[j];
    return status;
}

const nt_bdf_code nt_bdf_cvode = {.create = cvode_create,
                                  .begin = cvode_begin,
                                  .go = cvode_go,
                                  .words = cvode_words,
                                  .look = cvode_look,
                                  .count = cvode_count,
                                  .solve = cvode_solve,
                                  .pace = cvode_pace,
                                  .tried = cvode_tried,
                                  .destroy = cvode_destroy,
                                  .told = cvode_told,
                                  .fill = cvode_fill,
                                  .vary = cvode_vary};
