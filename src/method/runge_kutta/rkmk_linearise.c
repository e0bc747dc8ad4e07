/* The derivative of a Runge-Kutta-Munthe-Kaas step: every stage is differentiated.
 *
 *   dx_i = h sum a_ij dK_j,x        dv_i = dv_n + h sum a_ij dK_j,v
 *   dq_i = Ad dq_n + T(x_i) dx_i    Ad: what exp(x_i) does to an increment before it
 *   dK_i,x = T^-1 dv_i + d(T^-1 v_i)/dx dx_i
 *
 *   [ M  R_lambda ] [ dK_i,v ]     [ C dv_i + K dq_i + R_p ]
 *   [ G     0     ] [   .    ] = - [  the same of the rows ]
 *
 * with the factors of the stage's own accelerations. The way back to the constraints at the end
 * goes along columns of those of the last stage, index f: from (q~, v~) by e and g,
 *
 *   q_1 = q~ o exp(-e),  M_f e + B_f Y = 0,  Phi(q_1) = 0          B = R_lambda
 *   v_1 = v~ - g,        M_f g + B_f Z = 0,  dPhi/dt = 0 and kappa = 0 at (q_1, v_1)
 *
 * up to terms of e^2 (the corrections of the iteration are composed one after the other). So
 *
 *   M_f de + B_f dY = -((M e + B Y)_q dq_f + (M e + B Y)_p),   Phi_q dq_1 + Phi_p = 0,
 *   dq_1 = Ad(-e) dq~ - de,
 *
 * likewise dv_1. Phi_q is that of q_1, the factors have that of q_f: a few rounds, each shrinking
 * what is left by about the distance of the two. Where the step itself had to make its factors anew
 * (it went so far that a round shrank the miss by less than ten) what is left out is of the size of
 * the way back. The same holds for reactions that are not linear in their multipliers. */
#include "base/error.h"
#include "group/rotation.h"
#include "method/runge_kutta/rkmk.h"
#include "method/variation.h"

#include <math.h>
#include <string.h>

/* Directions have `each` doubles: z[n], dx[nv], dv[nv], dq[nv], back[2][nv], dK[kept][2 nv]. The
 * dK stay for dense output. */
typedef struct work {
    const nt_rkmk_table *table;
    const nt_directions *directions;
    const nt_phase *from, *to; /* the step ...                                           */
    double h;
    const double *before;          /* ... and the variations at its start                 */
    double *turned;                /* [nv] */
    double *T, *T_inverse, *curve; /* [n_rotations][9], curve = d(T^-1 v)/dx             */
    double *x, *v, *q;             /* of a stage                                         */
    double *vdot, *multipliers;    /* its accelerations                                   */
    double *e;                     /* [2][n] (e, Y) and (g, Z)                            */
    double *all;                   /* [count][each]                                       */
    size_t each;
} work;

typedef struct slice {
    double *z, *dx, *dv, *dq, *dK;
    double *back[2]; /* (M e + B Y)_q dq_f + (M e + B Y)_p, the same of (g, Z) */
} slice;

static size_t each_of(const nt_rkmk_table *table, const nt_problem *p)
{
    return (size_t)p->n + (5 + 2 * (size_t)table->kept) * (size_t)p->nv;
}

void nt_rkmk_linear_layout(const nt_rkmk_table *table, const nt_problem *p, nt_layout *sizes)
{
    size_t nv = (size_t)p->nv, n = (size_t)p->n;
    sizes->linear = 27 * (size_t)p->space.n_rotations + 4 * nv + (size_t)p->nq + 3 * n;
    sizes->linear_each = each_of(table, p);
}

static work rkmk_vary_work_of(const nt_rkmk_table *table, const nt_problem *p,
                              const nt_directions *directions)
{
    size_t nv = (size_t)p->nv, n = (size_t)p->n, many = 9 * (size_t)p->space.n_rotations;
    work w = {.table = table, .directions = directions, .turned = directions->scratch};
    w.T = w.turned + nv;
    w.T_inverse = w.T + many;
    w.curve = w.T_inverse + many;
    w.x = w.curve + many;
    w.v = w.x + 2 * nv; /* x is followed by what combine makes of v */
    w.q = w.v + nv;
    w.vdot = w.q + p->nq;
    w.multipliers = w.vdot + nv;
    w.e = w.multipliers + p->nc;
    w.all = w.e + 2 * n;
    w.each = each_of(table, p);
    return w;
}

static slice rkmk_slice_of(const nt_problem *p, const work *w, int k)
{
    slice d = {.z = w->all + (size_t)k * w->each};
    d.dx = d.z + p->n;
    d.dv = d.dx + p->nv;
    d.dq = d.dv + p->nv;
    d.back[0] = d.dq + p->nv;
    d.back[1] = d.back[0] + p->nv;
    d.dK = d.back[1] + p->nv;
    return d;
}

/* ---- parts ---------------------------------------------------------------------------------- */

/* z += stiffness K dq or damping C dv of all directions: those of the residual (parts) and of the
 * rows at a level. */
static nt_status rkmk_push(nt_factors *f, const work *w, const nt_point *at, unsigned parts,
                           nt_level level, bool of_q)
{
    const nt_problem *p = f->problem;
    slice first = rkmk_slice_of(p, w, 0);
    nt_push push = {.at = at,
                    .parts = parts,
                    .level = level,
                    .stiffness = of_q,
                    .damping = !of_q,
                    .count = w->directions->count,
                    .x = of_q ? first.dq : first.dv,
                    .y = first.z,
                    .x_stride = w->each,
                    .y_stride = w->each};
    return nt_variation_push(f, &push);
}

/* What is not asked for in z: multiplier rows that a level does not have or that are left out. */
static void clear_rows(nt_factors *f, nt_level level, double *z)
{
    const nt_problem *p = f->problem;
    for (int i = level == NT_POSITION ? p->nh : p->nc; i < p->nc; i++)
        z[p->nv + i] = 0;
    for (int i = 0; i < f->n_dropped; i++)
        z[f->dropped[i]] = 0;
}

/* z of all directions: what dq, dv and the parameters change in the residual (parts) and in the
 * rows at a level. */
static nt_status rkmk_change(nt_factors *f, const work *w, const nt_point *at, unsigned parts,
                             nt_level level)
{
    const nt_problem *p = f->problem;
    const nt_directions *directions = w->directions;
    size_t nv = (size_t)p->nv;
    for (int k = 0; k < directions->count; k++)
        memset(rkmk_slice_of(p, w, k).z, 0, (size_t)p->n * sizeof(double));
    nt_status status = rkmk_push(f, w, at, parts, level, true);
    if (status == NT_OK && level != NT_POSITION)
        status = rkmk_push(f, w, at, parts, level, false);
    for (int k = 0; k < directions->count && status == NT_OK; k++) {
        double *z = rkmk_slice_of(p, w, k).z;
        nt_terms terms = {
            .parts = parts, .level = level, .residual = parts ? z : NULL, .rows = z + nv};
        status = directions->load(directions->context, k, at, &terms);
        if (parts == 0) /* the rows alone */
            memset(z, 0, nv * sizeof *z);
        clear_rows(f, level, z);
    }
    return status;
}

/* The same, solved by the factors at hand. */
static nt_status rkmk_solve(nt_factors *f, const work *w, const nt_point *at)
{
    const nt_problem *p = f->problem;
    nt_status status = rkmk_change(f, w, at, NT_ALL_PARTS, NT_ACCELERATION);
    for (int k = 0; k < w->directions->count && status == NT_OK; k++)
        status = nt_solver_solve(f->solver, rkmk_slice_of(p, w, k).z, 1);
    return status;
}

/* Accelerations, multipliers and factors at a point whose vdot is about `vdot`. */
static nt_status rkmk_vary_accelerate(nt_factors *f, const work *w, const double *vdot,
                                      nt_point *at)
{
    const nt_problem *p = f->problem;
    nt_effort effort = {0};
    memcpy(w->vdot, vdot, (size_t)p->nv * sizeof *vdot);
    at->vdot = w->vdot;
    at->lambda = w->multipliers;
    at->mu = w->multipliers + p->nh;
    return nt_factors_accelerate(f, at, w->vdot, w->multipliers, w->multipliers + p->nh, &effort);
}

/* d(T^-1 v)/dx of the frame, for each rotation */
static void find_curve(const nt_problem *p, const double *x, const double *v, double *curve)
{
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        int i = block->v + block->nv - 3;
        if (block->rotation < 0)
            continue;
        if (p->frame == NT_BODY)
            nt_so3_tangent_inverse_derivative(x + i, v + i, curve + 9 * block->rotation);
        else
            nt_so3_tangent_inverse_transposed_derivative(x + i, v + i, curve + 9 * block->rotation);
    }
}

/* dq at the local coordinate x from dx; dv from what is added to dv_n */
static void rkmk_place(const nt_problem *p, const work *w)
{
    int nv = p->nv;
    nt_space_tangent(&p->space, p->frame, w->x, w->T, w->T_inverse);
    for (int k = 0; k < w->directions->count; k++) {
        slice d = rkmk_slice_of(p, w, k);
        nt_const_variation now = nt_const_variation_at(p, w->directions, w->before, k);
        for (int j = 0; j < nv; j++)
            d.dv[j] += now.v[j];
        nt_variation_map(p, w->T, d.dx, w->turned);
        nt_variation_carry(p, w->x, now.q, d.dq);
        for (int j = 0; j < nv; j++)
            d.dq[j] += w->turned[j];
    }
}

/* The same of row i of the table. */
static void rkmk_gather(const nt_problem *p, const work *w, int i)
{
    const double *weight = w->table->a + i * w->table->kept;
    for (int k = 0; k < w->directions->count; k++) {
        slice d = rkmk_slice_of(p, w, k);
        nt_rkmk_combine(d.dK, 2 * p->nv, weight, i, w->h, d.dx); /* dx, and dv behind it */
    }
    rkmk_place(p, w);
}

/* rate[nv] = T^-1 dv + d(T^-1 v)/dx dx */
static void vary_rate(const nt_problem *p, const work *w, const double *dv, const double *dx,
                      double *rate)
{
    nt_variation_map(p, w->T_inverse, dv, rate);
    nt_variation_map(p, w->curve, dx, w->turned); /* x' of translations is v alone */
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        int j = block->v + block->nv - 3;
        if (block->rotation >= 0)
            v3_accumulate(rate + j, v3_load(w->turned + j));
    }
}

/* ---- stages --------------------------------------------------------------------------------- */

static nt_status rkmk_vary_stage(nt_factors *f, const work *w, int i)
{
    const nt_problem *p = f->problem;
    int nv = p->nv;
    size_t n = 2 * (size_t)nv;
    const double *K = nt_rkmk_K(p, w->to, 0), *a = w->table->a + i * w->table->kept;
    nt_rkmk_combine(K, (int)n, a, i, w->h, w->x);
    for (int j = 0; j < nv; j++)
        w->v[j] = w->from->v[j] + w->x[nv + j];
    nt_space_compose(&p->space, p->frame, w->from->q, w->x, w->q);
    nt_point at = {.t = w->from->all[NT_PHASE_T] + w->table->c[i] * w->h,
                   .q = w->q,
                   .v = w->v,
                   .memory = w->from->memory};
    nt_status status = rkmk_vary_accelerate(f, w, K + n * (size_t)i + nv, &at);
    if (status != NT_OK)
        return status;
    rkmk_gather(p, w, i);
    if ((status = rkmk_solve(f, w, &at)) != NT_OK)
        return status;
    find_curve(p, w->x, w->v, w->curve);
    for (int k = 0; k < w->directions->count; k++) {
        slice d = rkmk_slice_of(p, w, k);
        double *dK = d.dK + n * (size_t)i;
        vary_rate(p, w, d.dv, d.dx, dK);
        for (int j = 0; j < nv; j++)
            dK[nv + j] = -d.z[j];
    }
    return NT_OK;
}

/* dK_0 = (dv_n, dvdot_n); made anew where the step makes K_0 anew. */
static nt_status rkmk_vary_first_stage(nt_factors *f, const work *w)
{
    const nt_problem *p = f->problem;
    size_t bytes = (size_t)p->nv * sizeof(double);
    if (p->system->n_memory > 0)
        return rkmk_vary_stage(f, w, 0);
    for (int k = 0; k < w->directions->count; k++) {
        nt_const_variation now = nt_const_variation_at(p, w->directions, w->before, k);
        memcpy(rkmk_slice_of(p, w, k).dK, now.v, bytes);
        memcpy(rkmk_slice_of(p, w, k).dK + p->nv, now.vdot, bytes);
    }
    return NT_OK;
}

/* ---- the end -------------------------------------------------------------------------------- */

/* e and g of the step from its coordinates before and after the way back, and the multipliers that
 * belong to them by the factors at hand. */
static nt_status find_way(nt_factors *f, const work *w, const nt_point *y1)
{
    const nt_problem *p = f->problem;
    int nv = p->nv;
    double *e = w->e, *g = e + p->n, *change = w->turned;
    const double *D = nt_rkmk_D(w->to);
    nt_status status = NT_OK;
    for (int j = 0; j < nv; j++)
        change[j] = w->x[j] - D[j];
    nt_space_tangent(&p->space, p->frame, w->x, w->T, w->T_inverse);
    nt_variation_map(p, w->T, change, e);
    for (int j = 0; j < nv; j++)
        g[j] = w->x[nv + j] - D[nv + j];
    for (int level = NT_POSITION; level <= NT_VELOCITY && status == NT_OK; level++) {
        double *z = level == NT_POSITION ? e : g;
        nt_push push = {.at = y1,
                        .level = (nt_level)level,
                        .stiffness = level == NT_POSITION,
                        .damping = level == NT_VELOCITY,
                        .count = 1,
                        .x = change,
                        .y = z,
                        .x_stride = (size_t)p->n,
                        .y_stride = (size_t)p->n};
        memcpy(change, z, (size_t)nv * sizeof *z);
        memset(z, 0, (size_t)p->n * sizeof *z);
        status = nt_variation_push(f, &push);
        memset(z, 0, (size_t)nv * sizeof *z);
        clear_rows(f, (nt_level)level, z);
        if (status == NT_OK)
            status = nt_solver_solve(f->solver, z, 1);
    }
    return status;
}

/* (M e + B Y)_q dq_f + (M e + B Y)_p of all directions, and the same of (g, Z), while dq_f and dv_f
 * are in their places. */
static nt_status vary_way(nt_factors *f, const work *w, const nt_point *y1)
{
    const nt_problem *p = f->problem;
    nt_status status = NT_OK;
    for (int which = 0; which < 2 && status == NT_OK; which++) {
        const double *e = w->e + which * p->n;
        nt_point along = *y1;
        along.vdot = e, along.lambda = e + p->nv, along.mu = along.lambda + p->nh;
        status = rkmk_change(f, w, &along, NT_MASS | NT_REACTIONS, NT_VELOCITY);
        for (int k = 0; k < w->directions->count && status == NT_OK; k++) {
            slice d = rkmk_slice_of(p, w, k);
            memcpy(d.back[which], d.z, (size_t)p->nv * sizeof(double));
        }
    }
    return status;
}

/* Rounds end when a round changes nothing but rounding of every direction. */
static const double ROUNDED = 1e-16;
enum { ROUNDS = 12 };

/* x -= z; the largest change relative to the largest x */
static double rkmk_subtract(int n, const double *z, double *x)
{
    double change = 0, size = 0;
    for (int j = 0; j < n; j++) {
        x[j] -= z[j];
        change = fmax(change, fabs(z[j]));
        size = fmax(size, fabs(x[j]));
    }
    return size > 0 ? change / size : 0;
}

/* dq or dv back to the constraints at a level. */
static nt_status rkmk_vary_settle(nt_factors *f, const work *w, const nt_point *at, nt_level level)
{
    const nt_problem *p = f->problem;
    double last = (double)INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        double largest = 0;
        nt_status status = rkmk_change(f, w, at, 0, level);
        for (int k = 0; k < w->directions->count && status == NT_OK; k++) {
            slice d = rkmk_slice_of(p, w, k);
            const double *back = d.back[level == NT_VELOCITY];
            for (int j = 0; j < p->nv && round == 0; j++)
                d.z[j] = -back[j];
            status = nt_solver_solve(f->solver, d.z, 1);
            largest = fmax(largest, rkmk_subtract(p->nv, d.z, level == NT_POSITION ? d.dq : d.dv));
        }
        if (status != NT_OK)
            return status;
        if (largest <= ROUNDED || largest > 0.5 * last)
            break;
        last = largest;
    }
    return NT_OK;
}

/* The way back, by the factors of the last stage, whose variations are in their places. */
static nt_status vary_end(nt_factors *f, const work *w, const nt_point *at)
{
    const nt_problem *p = f->problem;
    int nv = p->nv, end = w->table->stages;
    nt_point y1 = *at;
    y1.q = w->q, y1.v = w->v;
    nt_rkmk_combine(nt_rkmk_K(p, w->to, 0), 2 * nv, w->table->a + end * w->table->kept, end, w->h,
                    w->x);
    nt_status status = NT_OK;
    if (p->nc > 0)
        status = find_way(f, w, &y1);
    if (status == NT_OK && p->nc > 0)
        status = vary_way(f, w, &y1);
    rkmk_gather(p, w, end);
    for (int j = 0; j < nv; j++)
        w->turned[j] = -w->e[j];
    for (int k = 0; k < w->directions->count && p->nh > 0; k++) {
        slice d = rkmk_slice_of(p, w, k);
        nt_variation_carry(p, w->turned, d.dq, d.dq);
    }
    if (status == NT_OK && p->nh > 0)
        status = rkmk_vary_settle(f, w, at, NT_POSITION);
    if (status == NT_OK && p->nc > 0)
        status = rkmk_vary_settle(f, w, at, NT_VELOCITY);
    return status;
}

static nt_status rkmk_finish(nt_factors *f, const work *w, double *after)
{
    const nt_problem *p = f->problem;
    int nv = p->nv;
    nt_point at = nt_phase_point(w->to);
    at.memory = w->from->memory; /* the driver may have renewed it already */
    nt_status status = vary_end(f, w, &at);
    if (status == NT_OK)
        status = rkmk_vary_accelerate(f, w, w->to->vdot, &at);
    if (status == NT_OK)
        status = rkmk_solve(f, w, &at);
    for (int k = 0; k < w->directions->count && status == NT_OK; k++) {
        slice d = rkmk_slice_of(p, w, k);
        nt_variation next = nt_variation_at(p, w->directions, after, k);
        memcpy(next.q, d.dq, (size_t)nv * sizeof(double));
        memcpy(next.v, d.dv, (size_t)nv * sizeof(double));
        for (int j = 0; j < p->n; j++)
            next.vdot[j] = -d.z[j]; /* multipliers follow */
        next.method[0] = 0;
    }
    return status;
}

nt_status nt_rkmk_linearise(nt_stepper *s, double h, const nt_directions *directions,
                            const double *before, double *after)
{
    const nt_rkmk_table *table = s->options->method->scheme;
    const nt_problem *p = s->problem;
    if (h == 0) {
        for (int k = 0; k < directions->count; k++)
            nt_variation_at(p, directions, after, k).method[0] = 0;
        return NT_OK;
    }
    work w = rkmk_vary_work_of(table, p, directions);
    w.from = &s->now, w.to = &s->next, w.h = h, w.before = before;
    memcpy(w.multipliers, s->now.lambda, (size_t)p->nc * sizeof(double));
    nt_status status = rkmk_vary_first_stage(s->factors, &w);
    for (int i = 1; i < table->stages && status == NT_OK; i++)
        status = rkmk_vary_stage(s->factors, &w, i);
    return status == NT_OK ? rkmk_finish(s->factors, &w, after) : status;
}

/* ---- dense output ---------------------------------------------------------------------------- */

/* dD (in the place of `back`) and dK_end = (T^-1 dv_1 + d(T^-1 v_1)/dx dx_1, dvdot_1), with
 * dx_1 = T^-1 (dq_1 - Ad dq_n) at the coordinate x_1 of the step. */
static void vary_last_row(const nt_problem *p, const work *w, const double *after)
{
    size_t nv = (size_t)p->nv;
    const double *D = nt_rkmk_D(w->to);
    nt_space_tangent(&p->space, p->frame, D, w->T, w->T_inverse);
    find_curve(p, D, w->to->v, w->curve);
    for (int k = 0; k < w->directions->count; k++) {
        slice d = rkmk_slice_of(p, w, k);
        nt_const_variation now = nt_const_variation_at(p, w->directions, w->before, k);
        nt_const_variation next = nt_const_variation_at(p, w->directions, after, k);
        double *dD = d.back[0], *dK = d.dK + 2 * nv * (size_t)w->table->stages;
        nt_variation_carry(p, D, now.q, dD);
        for (size_t j = 0; j < nv; j++) {
            dD[j] = next.q[j] - dD[j];
            dD[nv + j] = next.v[j] - now.v[j];
        }
        nt_variation_map(p, w->T_inverse, dD, dD);
        vary_rate(p, w, next.v, dD, dK);
        memcpy(dK + nv, next.vdot, nv * sizeof *dK);
    }
}

/* vdot and multipliers where the equations cannot be solved, as in nt_rkmk_interpolate */
static void take_linear(const nt_problem *p, const work *w, double theta, const double *after)
{
    for (int k = 0; k < w->directions->count; k++) {
        nt_const_variation now = nt_const_variation_at(p, w->directions, w->before, k);
        nt_const_variation next = nt_const_variation_at(p, w->directions, after, k);
        for (int j = 0; j < p->n; j++)
            rkmk_slice_of(p, w, k).z[j] = -(1 - theta) * now.vdot[j] - theta * next.vdot[j];
    }
}

nt_status nt_rkmk_vary_dense(nt_stepper *s, const nt_phase *from, const nt_phase *to, double t,
                             const nt_directions *directions, const double *before,
                             const double *after, double *between)
{
    const nt_rkmk_table *table = s->options->method->scheme;
    const nt_problem *p = s->problem;
    int nv = p->nv;
    if (to->method[NT_RKMK_ROWS] == 0)
        return NT_UNSUPPORTED;
    work w = rkmk_vary_work_of(table, p, directions);
    w.from = from, w.to = to, w.h = to->all[NT_PHASE_STEP], w.before = before;
    memcpy(w.multipliers, from->lambda, (size_t)p->nc * sizeof(double));
    vary_last_row(p, &w, after);
    nt_status status = NT_OK;
    for (int i = table->stages + 1; i < table->kept && status == NT_OK; i++)
        status = rkmk_vary_stage(s->factors, &w, i);
    if (status != NT_OK)
        return status;
    double theta = (t - from->all[NT_PHASE_T]) / w.h;
    double weight[NT_RKMK_MOST], of_D = nt_rkmk_weights(table, theta, weight);
    nt_rkmk_combine(nt_rkmk_K(p, to, 0), 2 * nv, weight, table->kept, w.h, w.x);
    for (int j = 0; j < 2 * nv; j++)
        w.x[j] += of_D * nt_rkmk_D(to)[j];
    for (int k = 0; k < directions->count; k++) {
        slice d = rkmk_slice_of(p, &w, k);
        nt_rkmk_combine(d.dK, 2 * nv, weight, table->kept, w.h, d.dx);
        for (int j = 0; j < 2 * nv; j++)
            d.dx[j] += of_D * d.back[0][j];
    }
    rkmk_place(p, &w);
    nt_space_compose(&p->space, p->frame, from->q, w.x, w.q);
    for (int j = 0; j < nv; j++)
        w.v[j] = from->v[j] + w.x[nv + j];
    nt_point at = {.t = t, .q = w.q, .v = w.v, .memory = from->memory};
    status = rkmk_vary_accelerate(s->factors, &w, from->vdot, &at);
    if (nt_is_final(status))
        return status;
    if (status != NT_OK)
        take_linear(p, &w, theta, after);
    else if ((status = rkmk_solve(s->factors, &w, &at)) != NT_OK)
        return status;
    for (int k = 0; k < directions->count; k++) {
        slice d = rkmk_slice_of(p, &w, k);
        nt_variation out = nt_variation_at(p, directions, between, k);
        memcpy(out.q, d.dq, (size_t)nv * sizeof(double));
        memcpy(out.v, d.dv, (size_t)nv * sizeof(double));
        for (int j = 0; j < p->n; j++)
            out.vdot[j] = -d.z[j]; /* multipliers follow */
    }
    return NT_OK;
}
