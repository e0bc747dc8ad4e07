/* `bdf` differentiated: columns dy/dp on the steps that SUNDIALS took, their sizes and orders held.
 *
 * The formula of a step is dy' = c_j dy - delta, delta from the history of the column
 * (bdf_columns.c), so that with F(t, y, y', p) = 0 where Newton's iteration converged
 *
 *   (F_y + c_j F_y') dy = F_y' delta - F_p:
 *
 * one matrix for all columns, filled where the step ended and kept apart from that of SUNDIALS,
 * which goes on from its own. The history is part of the method, not of a state: it begins with the
 * variation of `now` where SUNDIALS begins anew, after a save and a restore too.
 *
 * The state that is shown is y, brought onto the constraints, with its accelerations. The way onto
 * the constraints is as short as Newton's tolerance (within a step, as the interpolation's error),
 * so that its own change with y is left out:
 *
 *   M de + B dY = 0,   Phi_q (dq - de) + Phi_p = 0,   likewise dv,
 *
 * with the factors of the accelerations that follow:
 *
 *   [ M  R_lambda ] [ dvdot  ]     [ C dv + K dq + R_p      ]
 *   [ G     0     ] [dlambda ] = - [ the same of the rows   ]. */
#include "group/rotation.h"
#include "method/bdf/bdf.h"
#include "method/dense_output.h"
#include "method/variation.h"

#include <math.h>
#include <string.h>

typedef struct work {
    nt_factors *factors; /* of the sensitivities */
    const nt_directions *directions;
    double *delta, *right; /* [size] */
    double *vdot;          /* [nv + nc] with multipliers, of a point                             */
    double *phase;         /* of dense output                                                   */
    double *all;           /* [count][each]                                                      */
    size_t each, size;
} work;

/* Of one direction: history[NT_BDF_HISTORY][size], dy[size], then these. */
typedef struct slice {
    double *dy, *z, *dq, *dv;
} slice;

static size_t bdf_size_of(const nt_problem *p) { return (size_t)(p->nq + p->nv + p->nc + p->nh); }

static size_t bdf_phase_size(const nt_problem *p)
{
    return NT_PHASE_HEAD + (size_t)(p->nq + 2 * p->nv + p->nc + p->system->n_memory);
}

void nt_bdf_linear_layout(const nt_problem *p, nt_layout *sizes)
{
    sizes->linear = 2 * bdf_size_of(p) + (size_t)p->n + bdf_phase_size(p);
    sizes->linear_each = (NT_BDF_HISTORY + 1) * bdf_size_of(p) + (size_t)p->n + 2 * (size_t)p->nv;
}

static work bdf_work_of(const nt_stepper *s, const nt_directions *directions)
{
    const nt_problem *p = s->problem;
    work w = {.factors = s->factors,
              .directions = directions,
              .size = bdf_size_of(p),
              .delta = directions->scratch};
    nt_layout sizes;
    nt_bdf_linear_layout(p, &sizes);
    w.right = w.delta + w.size;
    w.vdot = w.right + w.size;
    w.phase = w.vdot + p->n;
    w.all = directions->scratch + sizes.linear;
    w.each = sizes.linear_each;
    return w;
}

static slice bdf_slice_of(const nt_problem *p, const work *w, int i)
{
    slice d = {.dy = w->all + (size_t)i * w->each + NT_BDF_HISTORY * w->size};
    d.z = d.dy + w->size;
    d.dq = d.z + p->n;
    d.dv = d.dq + p->nv;
    return d;
}

/* ---- coordinates ---------------------------------------------------------------------------- */

/* dq of an increment at unit quaternions, and E(dq) v of the quaternions, added to rate. */
static void bdf_spread(const nt_problem *p, const double *q, const double *increment,
                       const double *v, double *dq, double *scratch, double *rate)
{
    nt_space_rate(&p->space, p->frame, q, increment, dq);
    nt_space_rate(&p->space, p->frame, dq, v, scratch);
    for (int k = 0; k < p->space.n_blocks; k++) {
        const nt_block *block = &p->space.blocks[k];
        int first = block->q + block->nq - 4;
        for (int j = first; block->rotation >= 0 && j < first + 4; j++)
            rate[j] += scratch[j];
    }
}

/* The increment of q/|q| that goes with dq. */
static void bdf_collect(const nt_problem *p, const double *q, const double *dq, double *increment)
{
    for (int k = 0; k < p->space.n_blocks; k++) {
        const nt_block *block = &p->space.blocks[k];
        int plain = block->rotation < 0 ? block->nv : block->nv - 3;
        memcpy(increment + block->v, dq + block->q, (size_t)plain * sizeof *dq);
        if (block->rotation < 0)
            continue;
        quat c = quat_load(q + block->q + plain), d = quat_load(dq + block->q + plain);
        double square = c.w * c.w + c.x * c.x + c.y * c.y + c.z * c.z;
        c = quat_conjugate(c);
        d = p->frame == NT_BODY ? quat_multiply(c, d) : quat_multiply(d, c);
        v3_store(increment + block->v + plain, v3_scale(2 / square, v3_of(d.x, d.y, d.z)));
    }
}

/* ---- the shown state ------------------------------------------------------------------------ */

/* z of all directions: what dq, dv and the parameters change in the residual (parts) and in the
 * rows at a level; zero for rows that are left out, and for R where there are no parts. */
static nt_status bdf_change(const nt_problem *p, const work *w, const nt_point *at, unsigned parts,
                            nt_level level)
{
    const nt_directions *all = w->directions;
    slice first = bdf_slice_of(p, w, 0);
    size_t nv = (size_t)p->nv;
    nt_push push = {.at = at,
                    .parts = parts,
                    .level = level,
                    .stiffness = 1,
                    .count = all->count,
                    .x = first.dq,
                    .y = first.z,
                    .x_stride = w->each,
                    .y_stride = w->each};
    for (int i = 0; i < all->count; i++)
        memset(bdf_slice_of(p, w, i).z, 0, (size_t)p->n * sizeof(double));
    nt_status status = nt_variation_push(w->factors, &push);
    push.stiffness = 0, push.damping = 1, push.x = first.dv;
    if (status == NT_OK && level != NT_POSITION)
        status = nt_variation_push(w->factors, &push);
    for (int i = 0; i < all->count && status == NT_OK; i++) {
        double *z = bdf_slice_of(p, w, i).z;
        nt_terms terms = {
            .parts = parts, .level = level, .residual = parts ? z : NULL, .rows = z + nv};
        status = all->load(all->context, i, at, &terms);
        if (parts == 0)
            memset(z, 0, nv * sizeof *z);
        for (int j = level == NT_POSITION ? p->nh : p->nc; j < p->nc; j++)
            z[p->nv + j] = 0;
        nt_factors_clear_dropped(w->factors, z);
    }
    return status;
}

/* Accelerations and multipliers at a point, in w->vdot, and their factors; at->vdot is a guess. */
static nt_status bdf_accelerate(const nt_problem *p, const work *w, nt_point *at)
{
    nt_effort effort = {0};
    double *lambda = w->vdot + p->nv, *mu = lambda + p->nh;
    memcpy(w->vdot, at->vdot, (size_t)p->nv * sizeof(double));
    memcpy(lambda, at->lambda, (size_t)p->nh * sizeof(double));
    memcpy(mu, at->mu, (size_t)p->nn * sizeof(double));
    at->vdot = w->vdot, at->lambda = lambda, at->mu = mu;
    return nt_factors_accelerate(w->factors, at, w->vdot, lambda, mu, &effort);
}

/* dvdot and multipliers, times -1, in z. */
static nt_status bdf_vary_accelerations(const nt_problem *p, const work *w, const nt_point *at)
{
    nt_status status = bdf_change(p, w, at, NT_ALL_PARTS, NT_ACCELERATION);
    for (int i = 0; i < w->directions->count && status == NT_OK; i++)
        status = nt_solver_solve(w->factors->solver, bdf_slice_of(p, w, i).z, 1);
    return status;
}

/* dq and dv onto the constraints; a second round where the first one's rounding is left. */
static nt_status bdf_settle(const nt_problem *p, const work *w, const nt_point *at)
{
    nt_status status = NT_OK;
    for (int k = p->nh > 0 ? 0 : 2; k < 4 && status == NT_OK; k++) {
        nt_level level = k < 2 ? NT_POSITION : NT_VELOCITY;
        status = bdf_change(p, w, at, 0, level);
        for (int i = 0; i < w->directions->count && status == NT_OK; i++) {
            slice d = bdf_slice_of(p, w, i);
            status = nt_solver_solve(w->factors->solver, d.z, 1);
            double *x = level == NT_POSITION ? d.dq : d.dv;
            for (int j = 0; j < p->nv; j++)
                x[j] -= d.z[j];
        }
    }
    return status;
}

/* Variations of a shown state from dq and dv. */
static nt_status bdf_show(const nt_problem *p, const work *w, const nt_point *at, double *out)
{
    nt_status status = p->nc > 0 ? bdf_settle(p, w, at) : NT_OK;
    if (status == NT_OK)
        status = bdf_vary_accelerations(p, w, at);
    for (int i = 0; i < w->directions->count && status == NT_OK; i++) {
        slice d = bdf_slice_of(p, w, i);
        nt_variation next = nt_variation_at(p, w->directions, out, i);
        memcpy(next.q, d.dq, (size_t)p->nv * sizeof(double));
        memcpy(next.v, d.dv, (size_t)p->nv * sizeof(double));
        for (int j = 0; j < p->n; j++)
            next.vdot[j] = -d.z[j]; /* multipliers follow */
    }
    return status;
}

/* ---- a step --------------------------------------------------------------------------------- */

/* The history begins with (dy, dy') at `now`, as that of y does: the multipliers' rates are zero.
 */
static nt_status bdf_begin(nt_bdf *b, const work *w, const double *before)
{
    const nt_problem *p = b->problem;
    const nt_phase *now = &b->stepper->now;
    nt_point at = nt_phase_point(now);
    size_t bytes = (size_t)p->nv * sizeof(double);
    for (int i = 0; i < w->directions->count; i++) {
        slice d = bdf_slice_of(p, w, i);
        nt_const_variation now_varied = nt_const_variation_at(p, w->directions, before, i);
        memcpy(d.dq, now_varied.q, bytes);
        memcpy(d.dv, now_varied.v, bytes);
    }
    nt_status status = bdf_accelerate(p, w, &at);
    if (status == NT_OK)
        status = bdf_vary_accelerations(p, w, &at);
    for (int i = 0; i < w->directions->count && status == NT_OK; i++) {
        slice d = bdf_slice_of(p, w, i);
        double *dy = d.dy, *rate = w->right;
        memset(dy, 0, w->size * sizeof *dy);
        memset(rate, 0, w->size * sizeof *rate);
        nt_space_rate(&p->space, p->frame, now->q, d.dv, rate);
        bdf_spread(p, now->q, d.dq, now->v, dy, w->delta, rate);
        memcpy(nt_bdf_v(b, dy), d.dv, bytes);
        for (int j = 0; j < p->nv; j++)
            nt_bdf_v(b, rate)[j] = -d.z[j];
        for (int j = 0; j < p->nc; j++)
            nt_bdf_lambda(b, dy)[j] = -d.z[p->nv + j];
        nt_bdf_columns_begin(&b->columns, i, dy, rate);
    }
    return status == NT_OK ? nt_bdf_newton_choose_rows(b) : status;
}

/* dy of all directions at the end of the step, into their history too. */
static nt_status bdf_correct(nt_bdf *b, const work *w, double t)
{
    const nt_problem *p = b->problem;
    bool alone = w->directions->alone;
    double c_j = alone ? b->past_c_j : nt_bdf_columns_advance(b, &b->columns, t);
    nt_status status = b->code->fill(b, t, c_j);
    if (status == NT_OK)
        status = nt_solver_factor(b->newton.solver, &b->newton.matrix);
    b->stepper->statistics->factorisations++;
    for (int i = 0; i < w->directions->count && status == NT_OK; i++) {
        double *dy = bdf_slice_of(p, w, i).dy;
        if (!alone)
            nt_bdf_columns_predicted(b, &b->columns, i, c_j, w->delta);
        status = b->code->vary(b, w->directions, i, t, alone ? b->longer : w->delta, w->right);
        if (status == NT_OK)
            status = b->code->solve(b, w->right, dy);
        if (status == NT_OK && !alone)
            nt_bdf_columns_correct(b, &b->columns, i, dy);
    }
    return status;
}

/* dq and dv of the directions from their dy at y. */
static void bdf_take(nt_bdf *b, const work *w, const double *y)
{
    const nt_problem *p = b->problem;
    for (int i = 0; i < w->directions->count; i++) {
        slice d = bdf_slice_of(p, w, i);
        bdf_collect(p, y, d.dy, d.dq);
        memcpy(d.dv, nt_bdf_v(b, d.dy), (size_t)p->nv * sizeof(double));
    }
}

/* ---- within a step -------------------------------------------------------------------------- */

static nt_phase bdf_scratch_phase(const nt_problem *p, const work *w)
{
    nt_phase phase = {.all = w->phase, .q = w->phase + NT_PHASE_HEAD};
    phase.v = phase.q + p->nq;
    phase.vdot = phase.v + p->nv;
    phase.lambda = phase.vdot + p->nv;
    phase.mu = phase.lambda + p->nh;
    phase.memory = phase.mu + p->nn;
    return phase;
}

/* The state that is shown of y at a time of the last step, which began at `from`. */
static nt_status bdf_shown_at(nt_bdf *b, double t, N_Vector y, const nt_phase *from, nt_phase *out)
{
    const nt_problem *p = b->problem;
    out->all[NT_PHASE_T] = t;
    memcpy(out->vdot, from->vdot, (size_t)p->nv * sizeof(double));
    memcpy(out->memory, b->kept, (size_t)p->system->n_memory * sizeof(double));
    return nt_bdf_state(b, y, out);
}

/* dy of the length h of a step that was cut short at t: the one that it is part of stays as it is.
 */
static nt_status bdf_look_along(nt_bdf *b, double t, double h, double *dy)
{
    const double *y = N_VGetArrayPointer(b->between);
    if (b->code->look(b, t, 1, b->between) != 0)
        return NT_UNSUPPORTED;
    memcpy(dy, y, (size_t)b->size * sizeof *y);
    b->code->look(b, t, 0, b->between);
    for (int j = 0; j < b->size; j++)
        dy[j] += b->power[j] * y[j] / h;
    return NT_OK;
}

/* Variations within the last step, whose columns are known. */
static nt_status bdf_vary_within(nt_bdf *b, const work *w, const nt_phase *from, double t,
                                 double *between)
{
    const nt_problem *p = b->problem;
    nt_phase shown = bdf_scratch_phase(p, w);
    if (b->code->look(b, t, 0, b->between) != 0)
        return NT_UNSUPPORTED;
    nt_status status = bdf_shown_at(b, t, b->between, from, &shown);
    nt_point at = nt_phase_point(&shown);
    if (status == NT_OK)
        status = bdf_accelerate(p, w, &at);
    bool alone = w->directions->alone;
    if (status == NT_OK && alone)
        status = bdf_look_along(b, t, t - from->all[NT_PHASE_T], bdf_slice_of(p, w, 0).dy);
    for (int i = 0; i < w->directions->count && !alone; i++)
        nt_bdf_columns_look(b, &b->columns, i, t, bdf_slice_of(p, w, i).dy);
    bdf_take(b, w, N_VGetArrayPointer(b->between));
    return status == NT_OK ? bdf_show(p, w, &at, between) : status;
}

/* ---- the method's own slots --------------------------------------------------------------------
 */

/* Nothing of the method's memory varies. */
static void bdf_hold_memory(const nt_problem *p, const nt_directions *directions, double *after)
{
    for (int i = 0; i < directions->count; i++)
        *nt_variation_at(p, directions, after, i).method = 0;
}

static void bdf_lay_out_columns(nt_bdf_columns *c, const work *w)
{
    c->all = w->all, c->each = w->each, c->size = w->size, c->count = w->directions->count;
}

/* A step that an event has cut short ends within the one that SUNDIALS has made: the columns go to
 * the end of that, and what is shown of them is looked at where the event is. */
nt_status nt_bdf_linearise(nt_stepper *s, double h, const nt_directions *directions,
                           const double *before, double *after)
{
    nt_bdf *b = s->own;
    const nt_problem *p = s->problem;
    bdf_hold_memory(p, directions, after);
    if (h == 0)
        return NT_OK;
    if (directions->alone && !b->remembers)
        return NT_UNSUPPORTED;
    work w = bdf_work_of(s, directions);
    if (!directions->alone)
        bdf_lay_out_columns(&b->columns, &w);
    nt_stepper made = *s, *stepping = b->stepper;
    bool within = !nt_bdf_ended_at(b, &s->next);
    b->stepper = &made;
    nt_bdf_newton_exchange(b);
    nt_status status = directions->alone ? nt_bdf_newton_choose_rows(b)
                       : b->columns.anew ? bdf_begin(b, &w, before)
                                         : NT_OK;
    if (within && status == NT_OK) {
        made.next = bdf_scratch_phase(p, &w);
        status = bdf_shown_at(b, b->end_t, b->y, &s->now, &made.next);
    }
    nt_point at = nt_phase_point(&made.next);
    at.memory = b->kept;
    if (status == NT_OK)
        status = bdf_accelerate(p, &w, &at);
    if (status == NT_OK)
        status = bdf_correct(b, &w, at.t);
    nt_bdf_newton_exchange(b);
    if (status == NT_OK && within)
        status = bdf_vary_within(b, &w, &s->now, s->next.all[NT_PHASE_T], after);
    b->stepper = stepping;
    if (status != NT_OK || within)
        return status;
    bdf_take(b, &w, N_VGetArrayPointer(b->y));
    return bdf_show(p, &w, &at, after);
}

nt_status nt_bdf_vary_dense(nt_stepper *s, const nt_phase *from, const nt_phase *to, double t,
                            const nt_directions *directions, const double *before,
                            const double *after, double *between)
{
    (void)before, (void)after;
    nt_bdf *b = s->own;
    if (!nt_bdf_ended_at(b, to) || directions->alone)
        return NT_UNSUPPORTED;
    work w = bdf_work_of(s, directions);
    nt_report report = s->report;
    nt_stepper *stepping = b->stepper;
    b->stepper = s;
    nt_status status = bdf_vary_within(b, &w, from, t, between);
    b->stepper = stepping;
    s->report = report;
    return status;
}
