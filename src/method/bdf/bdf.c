/* `bdf`: backward differentiation formulas of variable order and step.
 *
 *   Hindmarsh et al. 2005, SUNDIALS: CVODE for systems without constraints, penalty joints
 *   included; IDA for constrained ones, in the form of Gear, Leimkuhler & Gupta 1985
 *
 * The equations stand in bdf.h. A step is one of SUNDIALS' own, never beyond the end that the
 * driver names, where the system may have no value. The state shown at its end is brought onto the
 * constraints (nt_problem_settle) and given the accelerations and multipliers that belong to it;
 * SUNDIALS goes on from what it had, whose constraints are met to the tolerance of its Newton
 * iteration. Between steps its own polynomial serves; see bdf_state.c.
 *
 * It begins anew, at order one, where `now` is not the state that it left: after a start, a
 * refresh, a restore, and a failure; and a thousand steps after that, so that a state saved there,
 * which cannot hold SUNDIALS' history, needs none: a run that goes on from it has the bits of one
 * that was never stopped. That costs some thirty small steps of a thousand. SUNDIALS estimates its
 * first step; the step that the caller gave is an upper bound for that one. (Taken as it is it
 * would be a guess of the caller's that an error estimate of first order need not notice.)
 *
 * Errors are measured in the mean square over q and v of error/(tolerance (1 + |value|)); of
 * quaternions error/(|q| tolerance/2), for a turn by psi moves a quaternion by |q| psi/2. Kinds
 * (With `indentation` d the error of a position is measured in tolerance d: contact forces follow
 * from differences of positions that are far smaller than these.) Kinds
 * without a tolerance of their own still enter Newton's convergence, a thousand times more loosely
 * than the loosest given.
 *
 * What the system remembers between steps is held at its value at the start of each. So that it
 * does not grow old, steps of such a system turn no body by more than a radian (counters of turns:
 * NT_DISCRETE_MEMORY) or are no longer than the step that the caller gave (the rest).
 *
 * Memory is allocated by `start`, or by the first step of an integrator that was restored without
 * one: by SUNDIALS too. */
#include "method/bdf/bdf.h"
#include "base/error.h"

#include "group/block.h"

#include <float.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>

/* Steps from one beginning to the next, and by which the pace is measured. */
enum { ANEW = 1000 };

/* Memory of the method: the end that the present steps lead to, s, and the number of the step at
 * which it became that; where the steps began by which the pace is measured, s, and their number.
 */
enum { AIM_END, AIM_STEPS, PACE_T, PACE_STEPS, MEMORY };

static const nt_option_key options[] = {
    {"tolerance", NT_REAL, 1e-6, 1e-14, 1, "", NULL,
     "of the local error relative to 1 + |value|, where the simulation gives "
     "no tolerance"},
    {"max_order", NT_INTEGER, 5, 1, 5, "", NULL,
     "highest order of the formulas; from 3 on undamped fast oscillations are "
     "unstable"},
    {"max_steps", NT_INTEGER, 1e7, 1, 1e9, "", NULL, "steps of a run, at most"},
    {"newton_tolerance", NT_REAL, 0, 0, 1, "", NULL,
     "what Newton's iteration may leave, as a part of the tolerance; 0: SUNDIALS' own choice, 0.1 "
     "without constraints, else 0.33"},
    {"indentation", NT_REAL, 0, 0, 1, "m", NULL,
     "size of the indentations of contacts: the tolerance of positions is relative to it, wherever "
     "a body is; 0: to 1 m + |position|"},
};

const char *const nt_bdf_words[NT_BDF_WORDS] = {
    [NT_BDF_ERROR] = "the error of a step is above its tolerance, however small the step was made",
    [NT_BDF_CONVERGENCE] = "Newton's iteration does not converge, however small the step was made",
    [NT_BDF_LINEAR] = "Newton's matrix is singular, however small the step was made",
    [NT_BDF_EVALUATION] = "the equations cannot be evaluated, however small the step was made",
    [NT_BDF_ACCURACY] = "the tolerance is below what rounding allows",
    [NT_BDF_OTHER] = "SUNDIALS refuses the step",
};

/* ---- tolerances ----------------------------------------------------------------------------- */

/* The tolerance of kinds that are given none, relative to the loosest that is given. */
static const double LOOSE = 1e3;

static void bdf_fill_tolerances(nt_bdf *b)
{
    const nt_problem *p = b->problem;
    double *given = b->given, loosest = 0;
    for (int i = 0; i < 4; i++)
        loosest = fmax(loosest, b->stepper->tolerance[i]);
    for (int i = 0; i < 4; i++) {
        double own = b->stepper->tolerance[i];
        given[i] = loosest == 0 ? nt_options_get(b->stepper->options, NT_OPTION_TOLERANCE)
                   : own > 0    ? own
                                : LOOSE * loosest;
    }
    for (int k = 0; k < p->space.n_blocks; k++) {
        const nt_block *block = &p->space.blocks[k];
        int plain = nt_block_places(block);
        for (int j = 0; j < plain; j++)
            b->allowed[block->q + j] = given[p->quantity[block->v + j] == NT_ANGLE];
        for (int j = plain; j < block->nq; j++)
            b->allowed[block->q + j] = given[1] / 2; /* of the parts of a quaternion */
    }
    for (int i = 0; i < p->nv; i++)
        b->allowed[p->nq + i] = given[2 + (p->quantity[i] == NT_ANGLE)];
}

/* Of multipliers: forces and moments that change velocities and positions by their tolerance in a
 * second, where the largest inertia of that kind feels them. */
static nt_status bdf_fill_multiplier_tolerances(nt_bdf *b, const nt_point *at)
{
    const nt_problem *p = b->problem;
    nt_combination mass = {.mass = 1};
    nt_terms terms = {
        .parts = NT_MASS, .matrix = &b->stepper->factors->matrix, .combination = &mass};
    double largest[2] = {0};
    nt_factors_begin(b->stepper->factors);
    nt_status status = nt_problem_evaluate(p, at, &terms);
    for (int i = 0; i < p->nv; i++)
        if (p->diagonal[i] >= 0)
            largest[p->quantity[i]] = fmax(
                largest[p->quantity[i]], fabs(b->stepper->factors->matrix.values[p->diagonal[i]]));
    for (int i = 0; i < p->nc; i++) {
        nt_quantity kind = p->quantity[p->nv + i];
        double m = largest[kind] > 0 ? largest[kind] : largest[!kind];
        m = m > 0 ? m : 1; /* none at all: any will do, nothing is integrated */
        b->allowed[b->counted + i] = m * b->given[2 + kind];
        if (i < p->nh)
            b->allowed[b->counted + p->nc + i] = m * b->given[kind];
    }
    return status;
}

static double bdf_quaternion_length(const double *q)
{
    return sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
}

/* Whether all quaternions are near enough to unit length to go on with. */
static bool bdf_lengths_are_near_one(const nt_bdf *b, const double *y)
{
    const nt_space *space = &b->problem->space;
    for (int k = 0; k < space->n_blocks; k++) {
        const nt_block *block = &space->blocks[k];
        double length =
            block->rotation < 0 ? 1 : bdf_quaternion_length(y + block->q + block->nq - 4);
        if (!(length > 0.5 && length < 2))
            return false;
    }
    return true;
}

int nt_bdf_weights(N_Vector y_now, N_Vector weights, void *own)
{
    nt_bdf *b = own;
    const nt_problem *p = b->problem;
    const double *y = N_VGetArrayPointer(y_now);
    double *weight = N_VGetArrayPointer(weights);
    /* SUNDIALS takes the mean over all entries of y */
    double share = sqrt((double)b->size / b->counted);
    for (int i = 0; i < b->counted; i++)
        weight[i] = share / (b->allowed[i] * (1 + fabs(y[i])));
    for (int k = 0; k < p->space.n_blocks; k++) {
        const nt_block *block = &p->space.blocks[k];
        int first = block->q + block->nq - 4;
        if (block->rotation < 0)
            continue;
        double length = bdf_quaternion_length(y + first);
        for (int j = first; j < first + 4; j++)
            weight[j] = share / (b->allowed[j] * length);
    }
    double indentation = nt_options_get(b->stepper->options, NT_OPTION_INDENTATION);
    for (int k = 0; k < p->space.n_blocks && indentation > 0; k++) {
        const nt_block *block = &p->space.blocks[k];
        for (int j = 0; j < nt_block_places(block); j++)
            if (p->quantity[block->v + j] == NT_LENGTH)
                weight[block->q + j] = share / (b->allowed[block->q + j] * indentation);
    }
    double h = b->code->pace(b);
    for (int i = b->counted; i < b->size; i++)
        weight[i] = share * h / b->allowed[i];
    return 0;
}

/* ---- helpers of the equations --------------------------------------------------------------- */

void nt_bdf_normalise(nt_bdf *b, const double *q)
{
    const nt_problem *p = b->problem;
    memcpy(b->q, q, (size_t)p->nq * sizeof(double));
    for (int k = 0; k < p->space.n_blocks; k++) {
        const nt_block *block = &p->space.blocks[k];
        double *part = b->q + block->q + block->nq - 4;
        if (block->rotation >= 0)
            quat_store(part, quat_unit(quat_load(part)));
    }
}

void nt_bdf_silent(int code, const char *module, const char *function, char *message, void *own)
{
    (void)code, (void)module, (void)function, (void)message, (void)own;
}

int nt_bdf_outcome(nt_bdf *b, nt_status status)
{
    if (status == NT_OK)
        return 0;
    b->status = status;
    return status == NT_NOT_FINITE || status == NT_SINGULAR || status == NT_NOT_CONVERGED ? 1 : -1;
}

/* ---- memory --------------------------------------------------------------------------------- */

/* Where memory is out SUNDIALS (6.4) writes into copies of vectors that it did not get, and gives
 * others back twice. So its vectors come from here: it gets `spare` then, which nobody reads, and
 * that this was so is known when all have been asked for; and what it gives back stays until the
 * end. It asks for none in a step. */
typedef struct bdf_vector {
    struct _N_VectorContent_Serial serial; /* first: the operations are those of serial vectors */
    nt_bdf *owner;
    N_Vector next;
    double entries[];
} bdf_vector;

static void vector_destroy(N_Vector v) { (void)v; }

static N_Vector vector_clone(N_Vector other);

/* What SUNDIALS asks for before all else, to log and to profile by; nothing of either is built in,
 * and it keeps nothing. It does not look at what malloc gives its log, and stops there if that is
 * nothing; so there is one for all, from when the library is loaded. */
static SUNContext context;

__attribute__((constructor)) static void make_context(void)
{
    if (SUNContext_Create(NULL, &context) != 0)
        context = NULL;
}

__attribute__((destructor)) static void free_context(void)
{
    if (context)
        SUNContext_Free(&context);
}

static N_Vector vector_create(nt_bdf *b)
{
    N_Vector v = N_VNewEmpty_Serial(b->size, b->context);
    bdf_vector *content = v ? calloc(1, sizeof *content + (size_t)b->size * sizeof(double)) : NULL;
    if (!content) {
        if (v)
            N_VDestroy(v);
        return NULL;
    }
    content->serial = *(N_VectorContent_Serial)v->content;
    content->serial.data = content->entries;
    content->owner = b;
    content->next = b->vectors;
    free(v->content);
    v->content = content;
    v->ops->nvclone = vector_clone;
    v->ops->nvdestroy = vector_destroy;
    return b->vectors = v;
}

static N_Vector vector_clone(N_Vector other)
{
    nt_bdf *b = ((bdf_vector *)other->content)->owner;
    N_Vector v = vector_create(b);
    b->no_memory = b->no_memory || !v;
    return v ? v : b->spare;
}

static void vectors_free(nt_bdf *b)
{
    while (b->vectors) {
        N_Vector v = b->vectors;
        bdf_vector *content = v->content;
        b->vectors = content->next;
        free(content);
        v->content = NULL;
        N_VFreeEmpty(v);
    }
}

static void bdf_destroy(nt_bdf *b)
{
    if (!b)
        return;
    if (b->memory)
        b->code->destroy(b);
    nt_bdf_newton_destroy(b);
    vectors_free(b);
    nt_arena_free(&b->arena);
    free(b);
}

static bool bdf_take_arrays(nt_bdf *b)
{
    const nt_problem *p = b->problem;
    b->allowed = NT_TAKE(&b->arena, b->size, double);
    b->q = NT_TAKE(&b->arena, p->nq, double);
    b->vdot = NT_TAKE(&b->arena, p->nv, double);
    b->none = NT_TAKE(&b->arena, p->n, double);
    b->residual = NT_TAKE(&b->arena, p->n, double);
    b->kept = NT_TAKE(&b->arena, p->system->n_memory, double);
    b->end = NT_TAKE(&b->arena, b->counted, double);
    if (!b->allowed || !b->q || !b->vdot || !b->none || !b->residual || !b->kept || !b->end)
        return false;
    return true;
}

static nt_status bdf_create(nt_stepper *s)
{
    const nt_problem *p = s->problem;
    nt_bdf *b = calloc(1, sizeof *b);
    if (!b)
        return NT_NO_MEMORY;
    nt_status status = NT_NO_MEMORY;
    b->stepper = s;
    b->problem = p;
    b->code = p->nc > 0 ? &nt_bdf_ida : &nt_bdf_cvode;
    b->counted = p->nq + p->nv;
    b->size = b->counted + p->nc + p->nh;
    if (!bdf_take_arrays(b) || !context)
        goto failed;
    b->context = context;
    b->spare = vector_create(b);
    b->y = vector_create(b);
    b->rate = vector_create(b);
    b->between = vector_create(b);
    if (!b->spare || !b->y || !b->rate || !b->between)
        goto failed;
    bdf_fill_tolerances(b);
    if ((status = nt_bdf_newton_create(b)) != NT_OK)
        goto failed;
    if ((status = b->code->create(b)) == NT_OK && b->no_memory)
        status = NT_NO_MEMORY;
    if (status != NT_OK)
        goto failed;
    s->own = b;
    return NT_OK;
failed:
    bdf_destroy(b);
    return status;
}

static void bdf_close_own(nt_stepper *s)
{
    bdf_destroy(s->own);
    s->own = NULL;
}

static nt_status bdf_layout(const nt_problem *problem, const nt_options *option, nt_layout *sizes,
                            nt_error *error)
{
    (void)option, (void)error;
    /* the rest is SUNDIALS' own, which no state holds */
    *sizes = (nt_layout){.memory = MEMORY, .variation = 1};
    nt_bdf_linear_layout(problem, sizes);
    return NT_OK;
}

/* For the derivative of a step in its length. */
static nt_status bdf_provide_past(nt_bdf *b)
{
    const nt_problem *p = b->problem;
    size_t size = (size_t)b->size;
    double *all, *longer, *power;
    if (b->longer)
        return NT_OK;
    if (!NT_DOUBLES(&b->arena, NT_BDF_HISTORY * size, &all) ||
        !NT_DOUBLES(&b->arena, size, &longer, &power))
        return NT_NO_MEMORY;
    for (int i = 0; i < b->size; i++)
        power[i] = i < p->nq ? 0 : i < b->counted ? 1 : 2;
    nt_space_clear_first(&p->space, nt_bdf_v(b, power));
    b->past = (nt_bdf_columns){.all = all, .each = NT_BDF_HISTORY * size, .size = size, .count = 1};
    b->longer = longer, b->power = power;
    return NT_OK;
}

/* All memory, where there is none yet. */
static nt_status bdf_provide(nt_stepper *s)
{
    nt_status status = s->own ? NT_OK : bdf_create(s);
    if (status == NT_OK && (s->linear || s->lengthwise))
        status = nt_bdf_newton_create_other(s->own);
    return status == NT_OK && s->lengthwise ? bdf_provide_past(s->own) : status;
}

/* What the system asks of the next step is new: so is SUNDIALS' history. */
static nt_status bdf_start(nt_stepper *s)
{
    nt_status status = bdf_provide(s);
    if (status == NT_OK)
        ((nt_bdf *)s->own)->stands = false;
    return status;
}

/* ---- the step ------------------------------------------------------------------------------- */

/* y and y' at `now`, with the multipliers of the rows that are in use. Nothing of what the solvers
 * remember reaches what follows. */
static nt_status bdf_begin(nt_bdf *b)
{
    nt_stepper *s = b->stepper;
    nt_solver_forget(b->newton.solver);
    nt_solver_forget(b->other.solver);
    const nt_problem *p = b->problem;
    nt_phase *now = &s->now, *work = &s->next;
    double t = now->all[NT_PHASE_T];
    double *y = N_VGetArrayPointer(b->y), *rate = N_VGetArrayPointer(b->rate);
    size_t bytes = (size_t)p->nv * sizeof(double);
    memcpy(work->vdot, now->vdot, bytes);
    memcpy(work->lambda, now->lambda, (size_t)p->nc * sizeof(double));
    nt_point at = nt_phase_point(now);
    nt_status status = nt_bdf_accelerate(b, &at, work);
    if (status == NT_OK)
        status = nt_bdf_newton_choose_rows(b);
    if (status == NT_OK)
        status = bdf_fill_multiplier_tolerances(b, &at);
    if (status != NT_OK)
        return status;
    N_VConst(0, b->y);
    N_VConst(0, b->rate);
    memcpy(y, now->q, (size_t)p->nq * sizeof(double));
    memcpy(y + p->nq, now->v, bytes);
    memcpy(y + b->counted, work->lambda, (size_t)p->nc * sizeof(double));
    nt_space_rate(&p->space, p->frame, y, y + p->nq, rate);
    memcpy(rate + p->nq, work->vdot, bytes);
    b->failures = b->iterations = b->since = 0;
    if ((b->remembers = b->longer))
        nt_bdf_columns_begin(&b->past, 0, y, rate);
    return b->code->begin(b, t);
}

/* Follows the polynomials of y over the step just made. */
static void bdf_remember(nt_bdf *b)
{
    b->past_c_j = nt_bdf_columns_advance(b, &b->past, b->stepper->next.all[NT_PHASE_T]);
    nt_bdf_columns_longer(b, &b->past, b->past_c_j, b->power, b->longer);
    nt_bdf_columns_correct(b, &b->past, 0, N_VGetArrayPointer(b->y));
}

static void bdf_count(nt_bdf *b)
{
    long iterations = 0, failures = 0;
    b->code->count(b, &iterations, &failures);
    b->stepper->statistics->iterations += iterations - b->iterations;
    b->stepper->statistics->rejected += failures - b->failures;
    b->stepper->report.iterations = (int)(iterations - b->iterations);
    b->iterations = iterations;
    b->failures = failures;
}

/* rad, by one step of a system that counts turns: a third of what makes a count doubtful. */
static const double LARGEST_TURN = 1;

static double bdf_least(double a, double b) { return a > 0 && b > 0 ? fmin(a, b) : fmax(a, b); }

/* The largest step, s; 0: any. */
static double bdf_longest(const nt_bdf *b, bool first)
{
    const nt_stepper *s = b->stepper;
    const nt_problem *p = b->problem;
    double allowed = bdf_least(s->maximum_step, first ? s->asked_step : 0);
    if (p->system->n_memory == 0)
        return allowed;
    if (!(p->system->capabilities & NT_DISCRETE_MEMORY))
        return bdf_least(allowed, s->asked_step);
    double fastest = 0;
    for (int k = 0; k < p->space.n_blocks; k++) {
        const nt_block *block = &p->space.blocks[k];
        if (block->rotation >= 0)
            fastest = fmax(fastest, v3_norm(v3_load(s->now.v + block->v + block->nv - 3)));
    }
    return fastest > 0 ? bdf_least(allowed, LARGEST_TURN / fastest) : allowed;
}

/* Units in the last place of t by which a step advances it at least. */
static const double UNITS = 16;

/* SUNDIALS by one step toward `end`. */
static nt_status bdf_advance(nt_bdf *b, double end, bool first)
{
    nt_stepper *s = b->stepper;
    double t = s->now.all[NT_PHASE_T], largest = bdf_longest(b, first);
    double smallest = fmax(s->minimum_step, UNITS * DBL_EPSILON * fabs(t));
    b->status = NT_OK;
    int flag = b->code->go(b, end, largest > 0 ? fmin(smallest, largest) : smallest, largest,
                           &s->next.all[NT_PHASE_T]);
    bdf_count(b);
    if (flag >= 0)
        return NT_OK;
    s->report.step = b->code->tried(b);
    if (b->status == NT_NOT_FINITE || nt_is_final(b->status)) /* these have words of their own */
        return b->status;
    s->report.words = b->code->words(flag);
    return NT_NOT_CONVERGED;
}

static nt_status bdf_one_step(nt_bdf *b, double end, bool goes_on)
{
    nt_stepper *s = b->stepper;
    const nt_problem *p = b->problem;
    s->report = (nt_report){.unknown = -1};
    nt_status status = goes_on ? NT_OK : bdf_begin(b);
    b->columns.anew = b->past.anew = !goes_on;
    b->stands = b->current = false;
    if (status == NT_OK)
        status = bdf_advance(b, end, !goes_on);
    if (status != NT_OK)
        return status;
    if (b->remembers)
        bdf_remember(b);
    nt_phase *next = &s->next;
    memcpy(next->vdot, s->now.vdot, (size_t)p->nv * sizeof(double));
    memcpy(next->memory, b->kept, (size_t)p->system->n_memory * sizeof(double));
    if ((status = nt_bdf_state(b, b->y, next)) != NT_OK)
        return status;
    memcpy(b->end, next->q, (size_t)p->nq * sizeof(double));
    memcpy(b->end + p->nq, next->v, (size_t)p->nv * sizeof(double));
    b->end_t = next->all[NT_PHASE_T];
    b->current = true;
    b->stands = bdf_lengths_are_near_one(b, N_VGetArrayPointer(b->y)) && ++b->since < ANEW;
    memcpy(next->method, s->now.method, MEMORY * sizeof(double));
    return NT_OK;
}

/* How much more than `max_steps` the rest of the way would
 * take at it until there is no hope. A mechanism that jams, where no error is small enough, is then
 * given up after some thousand steps; the sharpest transient lets steps grow again within a few
 * hundred. */
static const double HOPELESS = 1e5;

static void bdf_measure_from(double *m, double t, double steps)
{
    m[PACE_T] = t;
    m[PACE_STEPS] = steps;
}

/* What forbids one more step toward `end`; NULL for nothing. */
static const char *bdf_forbids(const nt_stepper *s, double end)
{
    double *m = s->now.method, t = s->now.all[NT_PHASE_T], begun = m[PACE_T],
           steps = (double)s->statistics->steps,
           most = nt_options_get(s->options, NT_OPTION_MAX_STEPS);
    if (fabs(end - m[AIM_END]) > 1e-13 * fabs(end)) { /* now + h, rounded at every step */
        m[AIM_END] = end;
        m[AIM_STEPS] = steps;
        bdf_measure_from(m, t, steps);
    }
    if (steps - m[AIM_STEPS] >= most)
        return "more steps than the option max_steps allows";
    if (steps - m[PACE_STEPS] < ANEW)
        return NULL;
    bdf_measure_from(m, t, steps);
    return (end - t) * ANEW > HOPELESS * most * (t - begun)
               ? "at the pace of the last 1000 steps the end is out of reach"
               : NULL;
}

/* At the next step, whatever SUNDIALS holds. */
static bool bdf_begins_anew(const nt_stepper *s)
{
    const nt_bdf *b = s->own;
    return !b || !b->stands || s->stale || s->resumed;
}

static nt_status bdf_step(nt_stepper *s, double h)
{
    nt_status status = bdf_provide(s);
    if (status != NT_OK)
        return status;
    nt_bdf *b = s->own;
    b->stepper = s;
    double end = s->now.all[NT_PHASE_T] + h;
    const char *forbidden = bdf_forbids(s, end);
    if (forbidden) {
        double steps = (double)s->statistics->steps; /* asked once more, it tries again */
        s->now.method[AIM_STEPS] = steps;
        bdf_measure_from(s->now.method, s->now.all[NT_PHASE_T], steps);
        s->report = (nt_report){.unknown = -1, .step = b->code->tried(b), .words = forbidden};
        return NT_NOT_CONVERGED;
    }
    memcpy(b->kept, s->now.memory, (size_t)b->problem->system->n_memory * sizeof(double));
    bool goes_on = !bdf_begins_anew(s) && nt_bdf_ended_at(b, &s->now);
    status = bdf_one_step(b, end, goes_on);
    /* what came before may not fit what comes: a jump in the equations, a change of rows */
    bool again = status != NT_OK && !nt_is_final(status) && goes_on;
    return again ? bdf_one_step(b, end, false) : status;
}

const nt_method nt_method_bdf = {
    .name = "bdf",
    .summary = "backward differentiation formulas by SUNDIALS: CVODE, IDA where there are "
               "constraints (stabilised index 2)",
    .reference = "Hindmarsh et al. 2005; Gear, Leimkuhler & Gupta 1985",
    .needs = NT_NEEDS_TANGENT | NT_HOLONOMIC | NT_NONHOLONOMIC | NT_CONTROLS_ERROR | NT_OWN_STEPS |
             NT_FIRST_ORDER,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .frames = NT_IN_BOTH_FRAMES,
    .layout = bdf_layout,
    .start = bdf_start,
    .step = bdf_step,
    .interpolate = nt_bdf_interpolate,
    .linearise = nt_bdf_linearise,
    .vary_dense = nt_bdf_vary_dense,
    .whole = bdf_begins_anew,
    .close = bdf_close_own,
};
