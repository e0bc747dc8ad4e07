/* Constrained systems by IDA: the residual F1 ... F4 of bdf.h. In y and F
 *
 *   y = (q, v, (lambda, mu), eta),   F = (F1 with |q|^2 - 1 first of each quaternion, F2, F4, F3).
 */
#include "group/block.h"
#include "group/rotation.h"
#include "method/bdf/bdf.h"

#include <ida/ida.h>
#include <ida/ida_ls.h>
#include <string.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>

/* ---- equations ------------------------------------------------------------------------------ */

/* w of the quaternion at a place of rate[nq]; b->q is q/|q|. */
static v3 ida_turn_rate(const nt_bdf *b, int at, const double *rate)
{
    quat c = quat_conjugate(quat_load(b->q + at)), d = quat_load(rate + at);
    d = b->problem->frame == NT_BODY ? quat_multiply(c, d) : quat_multiply(d, c);
    return v3_scale(2, v3_of(d.x, d.y, d.z));
}

/* b->vdot = w - v */
static void ida_excess_rate(nt_bdf *b, double *y, const double *rate)
{
    const nt_problem *p = b->problem;
    const double *v = nt_bdf_v(b, y);
    nt_space_clear_first(&p->space, b->vdot);
    for (int k = 0; k < p->space.n_blocks; k++) {
        const nt_block *block = &p->space.blocks[k];
        int plain = nt_block_places(block);
        for (int j = 0; j < plain; j++)
            b->vdot[block->v + j] = rate[block->q + j] - v[block->v + j];
        if (block->rotation < 0)
            continue;
        int i = block->v + plain;
        v3_store(b->vdot + i, v3_sub(ida_turn_rate(b, block->q + plain, rate), v3_load(v + i)));
    }
}

static nt_point ida_point_at(nt_bdf *b, double t, double *y, double *rate)
{
    const double *lambda = nt_bdf_lambda(b, y);
    return (nt_point){.t = t,
                      .q = b->q,
                      .v = nt_bdf_v(b, y),
                      .vdot = nt_bdf_v(b, rate),
                      .lambda = lambda,
                      .mu = lambda + b->problem->nh,
                      .memory = b->kept};
}

/* F1 and F3 */
static nt_status ida_position_equations(nt_bdf *b, const nt_point *at, double *y, double *F)
{
    const nt_problem *p = b->problem;
    double *r = b->residual;
    nt_point position = *at;
    position.vdot = b->vdot;
    position.lambda = nt_bdf_eta(b, y);
    position.mu = b->none;
    nt_terms terms = {
        .parts = NT_MASS | NT_REACTIONS, .level = NT_POSITION, .residual = r, .rows = r + p->nv};
    memset(r, 0, (size_t)p->nv * sizeof(double));
    nt_status status = nt_problem_evaluate(p, &position, &terms);
    memcpy(nt_bdf_eta(b, F), r + p->nv, (size_t)p->nh * sizeof(double));
    for (int k = 0; k < p->space.n_blocks; k++) {
        const nt_block *block = &p->space.blocks[k];
        int plain = nt_block_places(block), at_q = block->q + plain;
        memcpy(F + block->q, r + block->v, (size_t)plain * sizeof(double));
        if (block->rotation < 0)
            continue;
        quat q = quat_load(y + at_q);
        F[at_q] = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1;
        memcpy(F + at_q + 1, r + block->v + plain, 3 * sizeof(double));
    }
    return status;
}

/* F2 and F4 */
static nt_status ida_velocity_equations(nt_bdf *b, const nt_point *at, double *F)
{
    const nt_problem *p = b->problem;
    nt_terms terms = {.parts = NT_ALL_PARTS,
                      .level = NT_VELOCITY,
                      .residual = nt_bdf_v(b, F),
                      .rows = nt_bdf_lambda(b, F)};
    memset(terms.residual, 0, (size_t)p->nv * sizeof(double));
    b->stepper->statistics->evaluations++;
    return nt_problem_evaluate(p, at, &terms);
}

int nt_bdf_residual(double t, N_Vector y_now, N_Vector y_rate, N_Vector out, void *own)
{
    nt_bdf *b = own;
    const nt_problem *p = b->problem;
    double *y = N_VGetArrayPointer(y_now), *rate = N_VGetArrayPointer(y_rate);
    double *F = N_VGetArrayPointer(out);
    nt_bdf_normalise(b, y);
    ida_excess_rate(b, y, rate);
    nt_point at = ida_point_at(b, t, y, rate);
    nt_status status = ida_position_equations(b, &at, y, F);
    if (status == NT_OK)
        status = ida_velocity_equations(b, &at, F);
    for (int i = 0; i < b->stepper->factors->n_dropped; i++) {
        int row = b->stepper->factors->dropped[i] - p->nv;
        nt_bdf_lambda(b, F)[row] = nt_bdf_lambda(b, y)[row];
        if (row < p->nh)
            nt_bdf_eta(b, F)[row] = nt_bdf_eta(b, y)[row];
    }
    return nt_bdf_outcome(b, status);
}

int nt_bdf_jacobian(double t, double c_j, N_Vector y_now, N_Vector y_rate, N_Vector F,
                    SUNMatrix matrix, void *own, N_Vector scratch1, N_Vector scratch2,
                    N_Vector scratch3)
{
    (void)F, (void)matrix, (void)scratch1, (void)scratch2, (void)scratch3;
    nt_bdf *b = own;
    double *y = N_VGetArrayPointer(y_now), *rate = N_VGetArrayPointer(y_rate);
    nt_bdf_normalise(b, y);
    ida_excess_rate(b, y, rate);
    nt_point at = ida_point_at(b, t, y, rate);
    memcpy(b->newton.at_q, y, (size_t)b->counted * sizeof(double)); /* and v, which follows */
    return nt_bdf_outcome(b, nt_bdf_newton_fill(b, &at, b->vdot, nt_bdf_eta(b, y), 1 / c_j));
}

/* ---- Newton's linear systems ---------------------------------------------------------------- */

/* Right-hand sides scaled as bdf_newton.c says. */
static void ida_scale_right(nt_bdf *b, const double *right)
{
    const nt_problem *p = b->problem;
    nt_bdf_newton *w = &b->newton;
    const double *of_v = right + p->nq, *of_lambda = of_v + p->nv, *of_eta = of_lambda + p->nc;
    for (int k = 0; k < p->space.n_blocks; k++) {
        const nt_block *block = &p->space.blocks[k];
        int plain = nt_block_places(block);
        for (int j = 0; j < block->nv; j++) /* the first of a quaternion is its length */
            w->z[w->first[block->v + j]] =
                block->kind == NT_FIRST ? 0 : right[block->q + j + (j >= plain)];
        if (block->rotation >= 0) /* d|q|^2 = 2 s at |q| = 1 */
            w->length[block->rotation] = right[block->q + plain] / 2;
    }
    for (int i = 0; i < p->nv; i++)
        w->z[w->second[i]] = w->gamma * of_v[i];
    for (int i = 0; i < p->nc; i++) {
        w->z[w->first[p->nv + i]] = i < p->nh ? of_eta[i] / w->gamma : 0;
        w->z[w->second[p->nv + i]] = of_lambda[i];
    }
    for (int i = 0; i < b->stepper->factors->n_dropped; i++)
        w->z[w->first[b->stepper->factors->dropped[i]]] =
            w->z[w->second[b->stepper->factors->dropped[i]]] = 0;
}

static nt_status ida_solve(nt_bdf *b, const double *right, double *x)
{
    const nt_problem *p = b->problem;
    nt_bdf_newton *w = &b->newton;
    double *of_v = x + p->nq, *of_lambda = of_v + p->nv, *of_eta = of_lambda + p->nc;
    ida_scale_right(b, right);
    nt_status status = nt_solver_solve(w->solver, w->z, 1);
    if (status != NT_OK)
        return status;
    nt_bdf_newton_positions(b, w->length, x);
    for (int i = 0; i < p->nv; i++)
        of_v[i] = w->z[w->second[i]];
    for (int i = 0; i < p->nc; i++)
        of_lambda[i] = w->z[w->second[p->nv + i]] / w->gamma;
    for (int i = 0; i < p->nh; i++)
        of_eta[i] = w->z[w->first[p->nv + i]];
    return NT_OK;
}

/* ---- IDA ------------------------------------------------------------------------------------ */

/* Which entries of y the error test looks at. */
static bool ida_choose_entries(nt_bdf *b)
{
    N_Vector looked_at = N_VClone(b->y);
    if (!looked_at)
        return false;
    N_VConst(0, looked_at);
    for (int i = 0; i < b->counted; i++)
        N_VGetArrayPointer(looked_at)[i] = 1;
    bool done = IDASetId(b->memory, looked_at) == IDA_SUCCESS &&
                IDASetSuppressAlg(b->memory, 1) == IDA_SUCCESS;
    N_VDestroy(looked_at);
    return done;
}

/* Below this part of the tolerance increments that no longer shrink, by a matrix of this step, are
 * rounding. */
static const double ROUNDED = 1e-2;
enum { ITERATIONS = 60 };

/* Newton's iteration has converged when an increment is that small. IDA itself would trust the rate
 * at which it converged in some step before: with an old matrix it leaves a thousand times more. */
static int ida_has_converged(SUNNonlinearSolver newton, N_Vector y, N_Vector increment,
                             double allowed, N_Vector weights, void *own)
{
    (void)y;
    nt_bdf *b = own;
    int iteration = 0;
    double size = N_VWrmsNorm(increment, weights), before = b->increment;
    SUNNonlinSolGetCurIter(newton, &iteration);
    b->increment = size;
    if (size <= allowed || (b->fresh && iteration > 0 && size >= before && size <= ROUNDED))
        return SUN_NLS_SUCCESS;
    return iteration > 0 && size >= before ? SUN_NLS_CONV_RECVR : SUN_NLS_CONTINUE;
}

static bool ida_iterate_to(nt_bdf *b, double part)
{
    b->iteration = SUNNonlinSol_Newton(b->y, b->context);
    return b->iteration && IDASetNonlinearSolver(b->memory, b->iteration) == IDA_SUCCESS &&
           SUNNonlinSolSetConvTestFn(b->iteration, ida_has_converged, b) == SUN_NLS_SUCCESS &&
           IDASetNonlinConvCoef(b->memory, part) == IDA_SUCCESS &&
           IDASetMaxNonlinIters(b->memory, ITERATIONS) == IDA_SUCCESS;
}

static nt_status ida_create(nt_bdf *b)
{
    const nt_options *option = b->stepper->options;
    b->memory = IDACreate(b->context);
    if (!b->memory || IDASetErrHandlerFn(b->memory, nt_bdf_silent, NULL) != IDA_SUCCESS ||
        IDAInit(b->memory, nt_bdf_residual, 0, b->y, b->rate) != IDA_SUCCESS ||
        IDASetUserData(b->memory, b) != IDA_SUCCESS ||
        IDAWFtolerances(b->memory, nt_bdf_weights) != IDA_SUCCESS ||
        IDASetLinearSolver(b->memory, b->linear, b->matrix) != IDA_SUCCESS ||
        IDASetJacFn(b->memory, nt_bdf_jacobian) != IDA_SUCCESS ||
        IDASetMaxOrd(b->memory, (int)nt_options_get(option, NT_OPTION_MAX_ORDER)) != IDA_SUCCESS ||
        !ida_choose_entries(b))
        return NT_NO_MEMORY;
    double newton = nt_options_get(option, NT_OPTION_NEWTON_TOLERANCE);
    if (newton > 0 && !ida_iterate_to(b, newton))
        return NT_NO_MEMORY;
    return NT_OK;
}

static nt_status ida_begin(nt_bdf *b, double t)
{
    return IDAReInit(b->memory, t, b->y, b->rate) == IDA_SUCCESS ? NT_OK : NT_NOT_CONVERGED;
}

static int ida_go(nt_bdf *b, double end, double smallest, double longest, double *reached)
{
    b->fresh = false;
    /* bounds are set one after the other, and must not contradict each other in between */
    IDASetMinStep(b->memory, 0);
    IDASetMaxStep(b->memory, longest);
    IDASetMinStep(b->memory, smallest);
    IDASetStopTime(b->memory, end);
    return IDASolve(b->memory, end, reached, b->y, b->rate, IDA_ONE_STEP);
}

static const char *ida_words(int flag)
{
    switch (flag) {
    case IDA_ERR_FAIL:
        return nt_bdf_words[NT_BDF_ERROR];
    case IDA_CONV_FAIL:
        return nt_bdf_words[NT_BDF_CONVERGENCE];
    case IDA_LSETUP_FAIL:
    case IDA_LSOLVE_FAIL:
        return nt_bdf_words[NT_BDF_LINEAR];
    case IDA_RES_FAIL:
    case IDA_REP_RES_ERR:
    case IDA_FIRST_RES_FAIL:
        return nt_bdf_words[NT_BDF_EVALUATION];
    case IDA_TOO_MUCH_ACC:
        return nt_bdf_words[NT_BDF_ACCURACY];
    default:
        return nt_bdf_words[NT_BDF_OTHER];
    }
}

static int ida_look(const nt_bdf *b, double t, int derivative, N_Vector y)
{
    return IDAGetDky(b->memory, t, derivative, y);
}

static void ida_count(const nt_bdf *b, long *iterations, long *failures)
{
    long errors = 0, solves = 0;
    IDAGetNumNonlinSolvIters(b->memory, iterations);
    IDAGetNumErrTestFails(b->memory, &errors);
    IDAGetNumStepSolveFails(b->memory, &solves);
    *failures = errors + solves;
}

static double ida_pace(const nt_bdf *b)
{
    long steps = 0;
    double h = 0;
    IDAGetNumSteps(b->memory, &steps);
    IDAGetCurrentStep(b->memory, &h);
    return steps > 0 ? h : 0;
}

static double ida_tried(const nt_bdf *b)
{
    double h = 0;
    IDAGetCurrentStep(b->memory, &h);
    return h;
}

static void ida_destroy(nt_bdf *b)
{
    IDAFree(&b->memory);
    if (b->iteration)
        SUNNonlinSolFree(b->iteration);
}

/* ---- linearised steps ----------------------------------------------------------------------- */

static void ida_told(const nt_bdf *b, double *h, int *order, int *next_order)
{
    IDAGetLastStep(b->memory, h);
    IDAGetLastOrder(b->memory, order);
    IDAGetCurrentOrder(b->memory, next_order);
}

static nt_status ida_fill(nt_bdf *b, double t, double c_j)
{
    const nt_space *space = &b->problem->space;
    const double *y = N_VGetArrayPointer(b->y), *rate = N_VGetArrayPointer(b->rate);
    b->newton.exact = true;
    for (int k = 0; k < space->n_blocks; k++) {
        const nt_block *block = &space->blocks[k];
        int at = block->q + block->nq - 4;
        if (block->rotation < 0)
            continue;
        quat q = quat_load(y + at), d = quat_load(rate + at);
        b->newton.stretch[block->rotation] = q.w * d.w + q.x * d.x + q.y * d.y + q.z * d.z;
    }
    return nt_bdf_jacobian(t, c_j, b->y, b->rate, NULL, NULL, b, NULL, NULL, NULL) == 0 ? NT_OK
                                                                                        : b->status;
}

/* F_y' delta, (M dw, 0), (M dv') */
static void ida_mass_of(nt_bdf *b, const double *delta, double *right)
{
    const nt_problem *p = b->problem;
    nt_bdf_newton *w = &b->newton;
    double *first = b->residual;
    memset(right, 0, (size_t)b->size * sizeof *right);
    memset(w->z, 0, 2 * (size_t)p->n * sizeof(double));
    for (int k = 0; k < p->space.n_blocks; k++) {
        const nt_block *block = &p->space.blocks[k];
        int plain = block->rotation < 0 ? block->nv : block->nv - 3;
        for (int j = 0; j < plain; j++)
            w->z[w->second[block->v + j]] = delta[block->q + j];
        int i = block->v + plain, at = block->q + plain;
        for (int j = 0; block->rotation >= 0 && j < 3; j++)
            w->z[w->second[i + j]] = v3_component(ida_turn_rate(b, at, delta), j);
    }
    nt_bdf_mass_times(b, first);
    for (int k = 0; k < p->space.n_blocks; k++) { /* the length of a quaternion comes first */
        const nt_block *block = &p->space.blocks[k];
        int plain = block->rotation < 0 ? block->nv : block->nv - 3;
        for (int j = 0; j < block->nv; j++)
            right[block->q + j + (j >= plain)] = first[block->v + j];
    }
    for (int i = 0; i < p->nv; i++)
        w->z[w->second[i]] = delta[p->nq + i];
    nt_bdf_mass_times(b, nt_bdf_v(b, right));
}

/* (F_y + c_j F_y') dy = F_y' delta - F_p */
static nt_status ida_vary(nt_bdf *b, const nt_directions *directions, int i, double t,
                          const double *delta, double *right)
{
    const nt_problem *p = b->problem;
    double *y = N_VGetArrayPointer(b->y), *rate = N_VGetArrayPointer(b->rate), *r = b->residual;
    nt_bdf_normalise(b, y);
    ida_excess_rate(b, y, rate);
    ida_mass_of(b, delta, right);
    nt_point at = ida_point_at(b, t, y, rate), position = at;
    position.vdot = b->vdot, position.lambda = nt_bdf_eta(b, y), position.mu = b->none;
    for (nt_level level = NT_POSITION; level <= NT_VELOCITY; level++) {
        bool first = level == NT_POSITION;
        nt_terms terms = {.parts = first ? NT_MASS | NT_REACTIONS : NT_ALL_PARTS,
                          .level = level,
                          .residual = r,
                          .rows = r + p->nv};
        memset(r, 0, (size_t)p->n * sizeof *r);
        nt_status status =
            directions->load(directions->context, i, first ? &position : &at, &terms);
        if (status != NT_OK)
            return status;
        for (int k = 0; k < p->space.n_blocks && first; k++) {
            const nt_block *block = &p->space.blocks[k];
            int plain = block->rotation < 0 ? block->nv : block->nv - 3;
            for (int j = 0; j < block->nv; j++)
                right[block->q + j + (j >= plain)] -= r[block->v + j];
        }
        for (int j = 0; j < p->nv && !first; j++)
            nt_bdf_v(b, right)[j] -= r[j];
        double *rows = first ? nt_bdf_eta(b, right) : nt_bdf_lambda(b, right);
        for (int j = 0; j < (first ? p->nh : p->nc); j++)
            rows[j] -= r[p->nv + j];
    }
    return NT_OK;
}

const nt_bdf_code nt_bdf_ida = {.create = ida_create,
                                .begin = ida_begin,
                                .go = ida_go,
                                .words = ida_words,
                                .look = ida_look,
                                .count = ida_count,
                                .solve = ida_solve,
                                .pace = ida_pace,
                                .tried = ida_tried,
                                .destroy = ida_destroy,
                                .told = ida_told,
                                .fill = ida_fill,
                                .vary = ida_vary};
