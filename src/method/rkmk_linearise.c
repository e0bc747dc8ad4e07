/* The derivative of a Runge-Kutta-Munthe-Kaas step: every stage is differentiated.
 *
 *   dx_i = h sum a_ij dK_j,x        dv_i = dv_n + h sum a_ij dK_j,v
 *   dq_i = Ad dq_n + T(x_i) dx_i    Ad: what exp(x_i) does to an increment before it
 *   dK_i,x = T^-1 dv_i + d(T^-1 v_i)/dx dx_i
 *
 *   [ M  R_lambda ] [ dK_i,v ]     [ C dv_i + K dq_i + R_p ]
 *   [ G     0     ] [   .    ] = - [  the same of the rows ]
 *
 * with the factors of the stage's own accelerations. At the end the way back to the constraints is
 * the oblique projection that it is to first order: with dq~, dv~ from the weights b,
 *
 *   [ M  R_lambda ] [ e ]   [         0         ]
 *   [ G     0     ] [ . ] = [ Phi_q dq~ + Phi_p ],    dq_1 = dq~ - e,
 *
 * likewise for dv with the rows at velocity level. What is left out, the change of that matrix
 * times the distance of the way back, is of the size of the step's error, and sensitivities have an
 * error of that size anyway. */
#include "group/rotation.h"
#include "method/rkmk.h"
#include "method/variation.h"

#include <string.h>

/* Directions have `each` doubles: z[n], dx[nv], dv[nv], dq[nv], dK[stages][2 nv]. */
typedef struct work {
    const nt_rkmk_table *table;
    const nt_directions *directions;
    double *push;                  /* [2 n] */
    double *T, *T_inverse, *curve; /* [n_rotations][9], curve = d(T^-1 v)/dx             */
    double *x, *v, *q;             /* of a stage                                         */
    double *vdot, *multipliers;    /* its accelerations                                   */
    double *all;                   /* [count][each]                                       */
    size_t each;
} work;

typedef struct slice {
    double *z, *dx, *dv, *dq, *dK;
} slice;

void nt_rkmk_linear_layout(const nt_rkmk_table *table, const nt_problem *p, nt_layout *sizes)
{
    size_t nv = (size_t)p->nv, n = (size_t)p->n;
    sizes->linear = 2 * n + 27 * (size_t)p->space.n_rotations + 3 * nv + (size_t)p->nq + n;
    sizes->linear_each = n + 3 * nv + 2 * nv * (size_t)table->stages;
}

static work work_of(const nt_rkmk_table *table, const nt_problem *p,
                    const nt_directions *directions)
{
    size_t nv = (size_t)p->nv, n = (size_t)p->n, many = 9 * (size_t)p->space.n_rotations;
    work w = {.table = table, .directions = directions, .push = directions->scratch};
    w.T = w.push + 2 * n;
    w.T_inverse = w.T + many;
    w.curve = w.T_inverse + many;
    w.x = w.curve + many;
    w.v = w.x + 2 * nv; /* x is followed by what combine makes of v */
    w.q = w.v + nv;
    w.vdot = w.q + p->nq;
    w.multipliers = w.vdot + nv;
    w.all = w.multipliers + p->nc;
    w.each = n + 3 * nv + 2 * nv * (size_t)table->stages;
    return w;
}

static slice slice_of(const nt_problem *p, const work *w, int k)
{
    slice d = {.z = w->all + (size_t)k * w->each};
    d.dx = d.z + p->n;
    d.dv = d.dx + p->nv;
    d.dq = d.dv + p->nv;
    d.dK = d.dq + p->nv;
    return d;
}

/* ---- parts ---------------------------------------------------------------------------------- */

/* z += stiffness K dq or damping C dv of all directions: those of the residual (parts) and of the
 * rows at a level. */
static nt_status push(nt_problem *p, const work *w, const nt_point *at, unsigned parts,
                      nt_level level, bool of_q)
{
    slice first = slice_of(p, w, 0);
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
    return nt_variation_push(p, &push);
}

/* z of all directions: what dq, dv and the parameters change in the residual (parts) and in the
 * rows at a level; then solved by the factors at hand. */
static nt_status solve(nt_problem *p, const work *w, const nt_point *at, unsigned parts,
                       nt_level level)
{
    const nt_directions *directions = w->directions;
    size_t nv = (size_t)p->nv;
    int rows = level == NT_POSITION ? p->nh : p->nc;
    for (int k = 0; k < directions->count; k++)
        memset(slice_of(p, w, k).z, 0, (size_t)p->n * sizeof(double));
    nt_status status = push(p, w, at, parts, level, true);
    if (status == NT_OK && level != NT_POSITION)
        status = push(p, w, at, parts, level, false);
    for (int k = 0; k < directions->count && status == NT_OK; k++) {
        double *z = slice_of(p, w, k).z;
        nt_terms terms = {
            .parts = parts, .level = level, .residual = parts ? z : NULL, .rows = z + nv};
        status = directions->load(directions->context, k, at, &terms);
        if (parts == 0) /* the rows alone */
            memset(z, 0, nv * sizeof *z);
        for (int i = rows; i < p->nc; i++)
            z[nv + (size_t)i] = 0;
        for (int i = 0; i < p->n_dropped; i++)
            z[p->dropped[i]] = 0;
        if (status == NT_OK)
            status = nt_solver_solve(p->solver, z, 1);
    }
    return status;
}

/* Accelerations, multipliers and factors at a point whose vdot is about `vdot`. */
static nt_status accelerate(nt_problem *p, const work *w, const double *vdot, nt_point *at)
{
    nt_effort effort = {0};
    memcpy(w->vdot, vdot, (size_t)p->nv * sizeof *vdot);
    at->vdot = w->vdot;
    at->lambda = w->multipliers;
    at->mu = w->multipliers + p->nh;
    return nt_problem_accelerate(p, at, w->vdot, w->multipliers, w->multipliers + p->nh, &effort);
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

/* dx and dv of row i of the table, and dq at the local coordinate x */
static void gather(const nt_problem *p, const work *w, int i, double h, const double *before)
{
    int nv = p->nv;
    nt_space_tangent(&p->space, p->frame, w->x, w->T, w->T_inverse);
    for (int k = 0; k < w->directions->count; k++) {
        slice d = slice_of(p, w, k);
        nt_variation now = nt_variation_at(p, w->directions, before, k);
        const double *weight = w->table->a + i * w->table->kept;
        nt_rkmk_combine(d.dK, 2 * nv, weight, i, h, d.dx); /* dx, and dv behind it */
        for (int j = 0; j < nv; j++)
            d.dv[j] += now.v[j];
        nt_variation_map(&p->space, w->T, d.dx, w->push);
        nt_variation_carry(p, w->x, now.q, d.dq);
        for (int j = 0; j < nv; j++)
            d.dq[j] += w->push[j];
    }
}

/* ---- stages --------------------------------------------------------------------------------- */

static nt_status stage(nt_stepper *s, const work *w, double h, int i, const double *before)
{
    nt_problem *p = s->problem;
    int nv = p->nv;
    size_t n = 2 * (size_t)nv;
    const double *K = nt_rkmk_K(p, &s->next, 0), *a = w->table->a + i * w->table->kept;
    nt_rkmk_combine(K, (int)n, a, i, h, w->x);
    for (int j = 0; j < nv; j++)
        w->v[j] = s->now.v[j] + w->x[nv + j];
    nt_space_compose(&p->space, p->frame, s->now.q, w->x, w->q);
    nt_point at = {.t = s->now.all[NT_PHASE_T] + w->table->c[i] * h,
                   .q = w->q,
                   .v = w->v,
                   .memory = s->now.memory};
    nt_status status = accelerate(p, w, K + n * (size_t)i + nv, &at);
    if (status != NT_OK)
        return status;
    gather(p, w, i, h, before);
    if ((status = solve(p, w, &at, NT_ALL_PARTS, NT_ACCELERATION)) != NT_OK)
        return status;
    find_curve(p, w->x, w->v, w->curve);
    for (int k = 0; k < w->directions->count; k++) {
        slice d = slice_of(p, w, k);
        double *dK = d.dK + n * (size_t)i;
        nt_variation_map(&p->space, w->T_inverse, d.dv, dK);
        nt_variation_map(&p->space, w->curve, d.dx, dK + nv); /* x' of translations is v alone */
        for (int b = 0; b < p->space.n_blocks; b++) {
            const nt_block *block = &p->space.blocks[b];
            int j = block->v + block->nv - 3;
            if (block->rotation >= 0)
                v3_accumulate(dK + j, v3_load(dK + nv + j));
        }
        for (int j = 0; j < nv; j++)
            dK[nv + j] = -d.z[j];
    }
    return NT_OK;
}

/* dK_0 = (dv_n, dvdot_n); made anew where the step makes K_0 anew. */
static nt_status first_stage(nt_stepper *s, const work *w, double h, const double *before)
{
    nt_problem *p = s->problem;
    size_t bytes = (size_t)p->nv * sizeof(double);
    if (p->system->n_memory > 0)
        return stage(s, w, h, 0, before);
    for (int k = 0; k < w->directions->count; k++) {
        nt_variation now = nt_variation_at(p, w->directions, before, k);
        memcpy(slice_of(p, w, k).dK, now.v, bytes);
        memcpy(slice_of(p, w, k).dK + p->nv, now.vdot, bytes);
    }
    return NT_OK;
}

/* ---- the end -------------------------------------------------------------------------------- */

/* dq and dv back to the constraints at a level */
static nt_status settle(nt_problem *p, const work *w, const nt_point *at, nt_level level)
{
    nt_status status = solve(p, w, at, 0, level);
    for (int k = 0; k < w->directions->count && status == NT_OK; k++) {
        slice d = slice_of(p, w, k);
        double *changed = level == NT_POSITION ? d.dq : d.dv;
        for (int j = 0; j < p->nv; j++)
            changed[j] -= d.z[j];
    }
    return status;
}

static nt_status finish(nt_stepper *s, const work *w, double h, const double *before, double *after)
{
    nt_problem *p = s->problem;
    int nv = p->nv;
    nt_point at = nt_phase_point(&s->next);
    at.memory = s->now.memory; /* the driver may have renewed it already */
    nt_status status = accelerate(p, w, s->next.vdot, &at);
    if (status != NT_OK)
        return status;
    memcpy(w->x, nt_rkmk_D(&s->next), (size_t)nv * sizeof *w->x);
    gather(p, w, w->table->stages, h, before);
    if (p->nh > 0)
        status = settle(p, w, &at, NT_POSITION);
    if (status == NT_OK && p->nc > 0)
        status = settle(p, w, &at, NT_VELOCITY);
    if (status == NT_OK)
        status = solve(p, w, &at, NT_ALL_PARTS, NT_ACCELERATION);
    for (int k = 0; k < w->directions->count && status == NT_OK; k++) {
        slice d = slice_of(p, w, k);
        nt_variation next = nt_variation_at(p, w->directions, after, k);
        memcpy(next.q, d.dq, (size_t)nv * sizeof(double));
        memcpy(next.v, d.dv, (size_t)nv * sizeof(double));
        for (int j = 0; j < p->n; j++)
            next.vdot[j] = -d.z[j]; /* multipliers follow */
        next.method[0] = 0;
    }
    return status;
}

nt_status nt_rkmk_linearise(const nt_rkmk_table *table, nt_stepper *s, double h,
                            const nt_directions *directions, const double *before, double *after)
{
    nt_problem *p = s->problem;
    if (h == 0) {
        for (int k = 0; k < directions->count; k++)
            nt_variation_at(p, directions, after, k).method[0] = 0;
        return NT_OK;
    }
    work w = work_of(table, p, directions);
    memcpy(w.multipliers, s->now.lambda, (size_t)p->nc * sizeof(double));
    nt_status status = first_stage(s, &w, h, before);
    for (int i = 1; i < table->stages && status == NT_OK; i++)
        status = stage(s, &w, h, i, before);
    return status == NT_OK ? finish(s, &w, h, before, after) : status;
}
