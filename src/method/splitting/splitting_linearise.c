/* The derivative of a splitting step; see splitting.h for the step and splitting.c for its maps.
 *
 * With y = sigma h^2 da and e = T(beta x) y the first stage is
 *
 *   dq_m = beta e + [Ad(beta x) dq0 + beta h T(beta x) dv0],   dv_m = dv0 + beta gamma' y,
 *   dq1  = Y e    + [Ad(x) dq0 + h T(x) dv0],                  da~ = beta' y,
 *
 * with the matrix of its Newton iteration and on the right minus
 *
 *   scale (K_A dq_A + C_A dv0 + K_m [..]_m + C_m dv0 + R_p),
 *   Phi_q [..]_1 + Phi_p,   kappa_q [..]_m + kappa_v dv0 + kappa_p,
 *
 * dq_A = Ad(alpha h v0) dq0 + alpha h T(alpha h v0) dv0: here the tangent of A is needed. The
 * second stage has dq_m and dq1 known, and dv_m = dv0 + beta h da, dv1 = dv0 + h da.
 *
 * Of second order (semi_explicit.c) A is taken at q0 o exp(x_A), x_A = h v0/2 + h^2 a_p/8, and v_p:
 *
 *   dq_A = Ad(x_A) dq0 + T(x_A)(h dv0/2 + h^2 da_p/8),   dv_p = dv0 + h da_p/2.
 *
 * Blocks that are alone have M + h/2 D in the matrix, and on the right besides
 *
 *   h/2 (D da_p - dD (a - a_p)),
 *
 * where D w = R_v w, w = a - a_p, is the derivative of their rows of R along w. So that of D is the
 * difference of the tangents of R at v_p + eps w and v_p - eps w, for blocks that do not act on
 * each other at a time. Their T(beta x) is the identity: nothing of theirs is taken at the middle.
 */
#include "method/splitting/splitting.h"

#include "base/vector3.h"
#include "linalg/dense.h"
#include "method/splitting/splitting_own.h"
#include "method/variation.h"

#include <string.h>

typedef struct linear {
    const nt_splitting *c;
    const nt_splitting_own *own;
    double h, share;                           /* see nt_splitting_share */
    double *x, *beta_x, *alpha_x, *v_m;        /* [nv]             */
    double *q_m, *q_A;                         /* [nq]             */
    double *a_p, *v_A, *w;                     /* [nv] w: a - a_p  */
    double *lambda_A;                          /* [nc]             */
    double ahead;                              /* see nt_splitting_predict_multipliers */
    double *scratch;                           /* [nv]             */
    double *T_A, *T_x, *T_m, *T_m_inverse, *Y; /* [r][9]     */
    double *dq_m, *dq_A, *da_p, *dv_A;         /* [count][nv]      */
    double *dlambda_A;                         /* [count][nc]      */
    double *rows;                              /* [count][nc] at the middle */
    double *force;                             /* [count][n] K_A dq_A + C_A dv0 + A_p */
    double *z;                                 /* [count][n]       */
    double *beside;                            /* [count][n] tangents beside v_p */
} linear;

static linear splitting_bind(const nt_problem *p, const nt_splitting *c, double h,
                             const nt_directions *directions)
{
    size_t nv = (size_t)p->nv, nq = (size_t)p->nq, n = (size_t)p->n;
    size_t r = 9 * (size_t)p->space.n_rotations, count = (size_t)directions->count;
    linear l = {.c = c, .h = h, .x = directions->scratch};
    l.beta_x = l.x + nv;
    l.alpha_x = l.beta_x + nv;
    l.v_m = l.alpha_x + nv;
    l.q_m = l.v_m + nv;
    l.q_A = l.q_m + nq;
    l.a_p = l.q_A + nq;
    l.v_A = l.a_p + nv;
    l.w = l.v_A + nv;
    l.scratch = l.w + nv;
    l.lambda_A = l.scratch + nv;
    l.T_A = l.lambda_A + (n - nv);
    l.T_x = l.T_A + r;
    l.T_m = l.T_x + r;
    l.T_m_inverse = l.T_m + r;
    l.Y = l.T_m_inverse + r;
    l.dq_m = l.Y + r;
    l.dq_A = l.dq_m + count * nv;
    l.da_p = l.dq_A + count * nv;
    l.dv_A = l.da_p + count * nv;
    l.dlambda_A = l.dv_A + count * nv;
    l.rows = l.dlambda_A + count * (n - nv);
    l.force = l.rows + count * (n - nv);
    l.z = l.force + count * n;
    l.beside = l.z + count * n;
    return l;
}

/* The places of the step: x from v0 and a~, the middle, where A was taken, and their maps. */
static void splitting_places(const nt_stepper *s, linear *l, const double *a_first)
{
    const nt_problem *p = s->problem;
    const nt_splitting *c = l->c;
    double h = l->h;
    l->ahead = nt_splitting_predict_multipliers(p, c, &s->now, h, l->lambda_A);
    memset(l->a_p, 0, (size_t)p->nv * sizeof(double));
    if (c->second) {
        nt_splitting_predict_rate(p, &s->now, h, l->a_p);
        l->share = nt_splitting_share(p, &s->now, h);
    }
    for (int i = 0; i < p->nv; i++) {
        l->x[i] = h * s->now.v[i] + c->sigma * h * h * a_first[i];
        l->alpha_x[i] = c->alpha * h * s->now.v[i] + h * h / 8 * l->a_p[i];
        l->v_A[i] = s->now.v[i] + h / 2 * l->a_p[i];
        l->w[i] = a_first[i] - l->a_p[i];
    }
    for (int k = 0; k < l->own->n_alone && c->second; k++) {
        const nt_block *block = &p->space.blocks[l->own->alone[k]];
        for (int i = block->v; i < block->v + block->nv; i++)
            l->x[i] -= h * h / 2 * l->share * (a_first[i] - s->now.vdot[i]);
    }
    for (int i = 0; i < p->nv; i++)
        l->beta_x[i] = c->beta * l->x[i];
    nt_space_compose(&p->space, p->frame, s->now.q, l->beta_x, l->q_m);
    nt_space_compose(&p->space, p->frame, s->now.q, l->alpha_x, l->q_A);
    nt_space_tangent(&p->space, p->frame, l->x, l->T_x, NULL);
    nt_space_tangent(&p->space, p->frame, l->beta_x, l->T_m, l->T_m_inverse);
    for (int k = 0; k < l->own->n_alone; k++) {
        int r = p->space.blocks[l->own->alone[k]].rotation;
        if (r < 0)
            continue;
        m3_store(l->T_m + 9 * r, m3_identity());
        m3_store(l->T_m_inverse + 9 * r, m3_identity());
    }
    for (int k = 0; k < p->space.n_rotations; k++)
        m3_store(l->Y + 9 * k,
                 m3_multiply(m3_load(l->T_x + 9 * k), m3_load(l->T_m_inverse + 9 * k)));
}

/* out = Ad(x) dq0 + factor T dv0 */
static void splitting_carried(const nt_problem *p, const double *x, const double *T, double factor,
                              const nt_const_variation *from, double *scratch, double *out)
{
    nt_variation_carry(p, x, from->q, out);
    nt_variation_map(p, T, from->v, scratch);
    for (int i = 0; i < p->nv; i++)
        out[i] += factor * scratch[i];
}

static nt_push splitting_push_of(const nt_problem *p, const nt_point *at, int count,
                                 const double *x, double *y)
{
    return (nt_push){.at = at,
                     .level = NT_POSITION,
                     .count = count,
                     .x = x,
                     .y = y,
                     .x_stride = (size_t)p->nv,
                     .y_stride = (size_t)p->n};
}

/* Rows that a push at a point other than the step's end has added are out of the way: in `kept`
 * [count][nc], or, NULL, not wanted. */
static void splitting_take_rows(const nt_problem *p, int count, double *y, double *kept)
{
    size_t bytes = (size_t)p->nc * sizeof *y;
    for (int k = 0; k < count; k++) {
        double *rows = y + (size_t)k * (size_t)p->n + p->nv;
        if (kept)
            memcpy(kept + (size_t)k * (size_t)p->nc, rows, bytes);
        memset(rows, 0, bytes);
    }
}

/* dlambda_A of a direction. What memory varies by: that of a_2, lambda_2 and lambda_3. */
static void splitting_vary_multipliers(const nt_stepper *s, const linear *l,
                                       const nt_const_variation *from, bool length, double *to)
{
    const nt_problem *p = s->problem;
    nt_splitting_memory m = nt_splitting_memory_of(p, &s->now);
    bool three = *m.further > 0;
    double by_length = length && l->ahead > 0 ? 0.5 / (*m.apart + *m.further) : 0;
    const double *last = three ? m.lambda_3 : m.lambda_2;
    const double *dlast = from->method + p->nv + (three ? p->nc : 0);
    for (int i = 0; i < p->nc; i++) {
        to[i] = from->lambda[i];
        if (l->ahead > 0)
            to[i] +=
                l->ahead * (from->lambda[i] - dlast[i]) + by_length * (s->now.lambda[i] - last[i]);
    }
}

/* dq_A, dv_A, da_p and dlambda_A of all directions. The weights of a_p and lambda_A change with the
 * length of the step. */
static void splitting_vary_place(const nt_stepper *s, const linear *l,
                                 const nt_directions *directions, const double *before)
{
    const nt_problem *p = s->problem;
    nt_splitting_memory m = nt_splitting_memory_of(p, &s->now);
    double h = l->h, ahead = *m.apart > 0 ? (h / 4 + *m.since) / *m.apart : 0;
    nt_space_tangent(&p->space, p->frame, l->alpha_x, l->T_A, NULL);
    for (int k = 0; k < directions->count; k++) {
        nt_const_variation from = nt_const_variation_at(p, directions, before, k);
        double *da_p = l->da_p + (size_t)k * (size_t)p->nv;
        double *dv_A = l->dv_A + (size_t)k * (size_t)p->nv;
        bool length = directions->length && k == directions->count - 1;
        for (int i = 0; i < p->nv; i++) {
            da_p[i] = 0;
            if (l->c->second)
                da_p[i] = from.vdot[i] + ahead * (from.vdot[i] - from.method[i]);
            if (l->c->second && length && *m.apart > 0)
                da_p[i] += 0.25 / *m.apart * (s->now.vdot[i] - m.a_before[i]);
            dv_A[i] = from.v[i] + h / 4 * da_p[i]; /* of the increment to q_A */
        }
        nt_const_variation along = {.q = from.q, .v = dv_A};
        splitting_carried(p, l->alpha_x, l->T_A, l->c->alpha * h, &along, l->scratch,
                          l->dq_A + (size_t)k * (size_t)p->nv);
        for (int i = 0; i < p->nv; i++)
            dv_A[i] = from.v[i] + h / 2 * da_p[i];
        if (nt_splitting_follows(p) > 0)
            splitting_vary_multipliers(s, l, &from, length,
                                       l->dlambda_A + (size_t)k * (size_t)p->nc);
    }
}

/* Where A was taken, with velocities v[nv]. */
static nt_point splitting_point_of_explicit(const nt_stepper *s, const linear *l, const double *v)
{
    nt_point at = nt_phase_point(&s->now);
    at.q = l->q_A, at.v = v;
    at.lambda = l->lambda_A, at.mu = l->lambda_A + s->problem->nh;
    at.t += l->c->alpha * l->h;
    return at;
}

/* y += K_A dq_A + C_A dv_A + A_lambda dlambda_A + R_p with velocities v[nv] where A was taken, of
 * the parts given. */
static nt_status splitting_push_explicit(nt_stepper *s, const linear *l, unsigned parts,
                                         const nt_directions *directions, const double *v,
                                         double *y)
{
    const nt_problem *p = s->problem;
    int count = directions->count;
    nt_point at = splitting_point_of_explicit(s, l, v);
    nt_push push = splitting_push_of(p, &at, count, l->dq_A, y);
    push.parts = parts;
    push.stiffness = 1;
    nt_status status = nt_variation_push(s->factors, &push);
    push.stiffness = 0, push.damping = 1, push.x = l->dv_A;
    if (status == NT_OK)
        status = nt_variation_push(s->factors, &push);
    push.x = l->dlambda_A, push.x_stride = (size_t)p->nc;
    if (status == NT_OK && nt_splitting_follows(p) > 0)
        status = nt_variation_push_multipliers(s->factors, &push);
    for (int k = 0; k < count && status == NT_OK; k++) {
        nt_terms terms = {.parts = parts, .residual = y + (size_t)k * (size_t)p->n};
        status = directions->load(directions->context, k, &at, &terms);
    }
    return status;
}

/* Of 1 + |v|: the part by which an entry of v_p is moved at most to find how D changes. Where
 * friction turns over within 0.05 m/s the error is 1e-5 of a term that is of the order of h^3. */
static const double ASIDE = 1e-5;

/* force += h/2 dD w of the blocks of one colour, by central differences: of the forces in D. */
static nt_status splitting_vary_damping(nt_stepper *s, const linear *l,
                                        const nt_directions *directions, int colour)
{
    const nt_problem *p = s->problem;
    size_t n = (size_t)p->n;
    unsigned parts = l->c->explicit_parts | NT_OWN_DAMPERS;
    double eps = INFINITY;
    for (int k = 0; k < l->own->n_alone; k++)
        for (int j = 0; j < nt_splitting_damped(l->own, k, colour); j++) {
            int i = p->space.blocks[l->own->alone[k]].v + j;
            eps = fmin(eps, ASIDE * (1 + fabs(l->v_A[i])) / fabs(l->w[i]));
        }
    nt_status status = NT_OK;
    for (int side = 0; side < 2 && isfinite(eps) && status == NT_OK; side++) {
        double by = side ? -eps : eps;
        memcpy(l->scratch, l->v_A, (size_t)p->nv * sizeof(double));
        for (int k = 0; k < l->own->n_alone; k++)
            for (int j = 0; j < nt_splitting_damped(l->own, k, colour); j++) {
                int i = p->space.blocks[l->own->alone[k]].v + j;
                l->scratch[i] += by * l->w[i];
            }
        memset(l->beside, 0, (size_t)directions->count * n * sizeof(double));
        status = splitting_push_explicit(s, l, parts, directions, l->scratch, l->beside);
        for (int d = 0; d < directions->count; d++)
            for (int k = 0; k < l->own->n_alone; k++)
                for (int j = 0; j < nt_splitting_damped(l->own, k, colour); j++) {
                    size_t i = (size_t)(p->space.blocks[l->own->alone[k]].v + j);
                    l->force[(size_t)d * n + i] +=
                        l->h / 2 * l->beside[(size_t)d * n + i] / (2 * by);
                }
    }
    return status;
}

/* force += h/2 dD w, of what D has beside the derivative of the forces (NT_OWN_CHORDS): nothing
 * where that makes nothing of w, for it is a sum of squares. */
static nt_status splitting_vary_chords(nt_stepper *s, const linear *l,
                                       const nt_directions *directions)
{
    const nt_problem *p = s->problem;
    size_t n = (size_t)p->n, size = (size_t)directions->count * n;
    nt_point at = splitting_point_of_explicit(s, l, l->v_A);
    at.vdot = l->w;
    nt_push push = splitting_push_of(p, &at, directions->count, l->dq_A, l->beside);
    nt_terms load = {.parts = NT_OWN_CHORDS, .step = l->h};
    memset(l->beside, 0, size * sizeof *l->beside);
    load.residual = l->beside;
    nt_status status = nt_problem_evaluate(p, &at, &load);
    if (status != NT_OK || nt_vanishes(l->beside, (size_t)p->nv))
        return status;
    memset(l->beside, 0, size * sizeof *l->beside);
    push.parts = NT_OWN_CHORDS, push.step = l->h;
    push.stiffness = 1;
    status = nt_variation_push(s->factors, &push);
    push.stiffness = 0, push.damping = 1, push.x = l->dv_A;
    if (status == NT_OK)
        status = nt_variation_push(s->factors, &push);
    for (int d = 0; d < directions->count && status == NT_OK; d++) {
        load.residual = l->beside + (size_t)d * n;
        status = directions->load(directions->context, d, &at, &load);
    }
    for (size_t i = 0; i < size; i++)
        l->force[i] += l->h / 2 * l->beside[i];
    return status;
}

/* force -= h/2 D da_p, with h/2 D left in own->damping for the stages' matrices. */
static nt_status splitting_damp_rate(nt_stepper *s, const linear *l,
                                     const nt_directions *directions)
{
    const nt_problem *p = s->problem;
    nt_matrix *damping = &((nt_splitting_own *)s->own)->damping;
    nt_combination half = {.damping = l->h / 2, .own_blocks = 1};
    nt_terms terms = {
        .parts = l->c->explicit_parts, .matrix = damping, .combination = &half, .step = l->h};
    nt_point at = splitting_point_of_explicit(s, l, l->v_A);
    nt_splitting_clear_damping(l->own);
    nt_status status = nt_problem_evaluate(p, &at, &terms);
    for (int d = 0; d < directions->count; d++)
        for (int k = 0; k < l->own->n_alone; k++)
            nt_splitting_apply_damping(l->own, k, -1, l->da_p + (size_t)d * (size_t)p->nv,
                                       l->force + (size_t)d * (size_t)p->n);
    return status;
}

/* What A changes: the same in both stages. */
static nt_status splitting_explicit_change(nt_stepper *s, const linear *l,
                                           const nt_directions *directions, const double *before)
{
    const nt_problem *p = s->problem;
    int count = directions->count;
    memset(l->force, 0, (size_t)count * (size_t)p->n * sizeof *l->force);
    if (l->c->explicit_parts == 0)
        return NT_OK;
    splitting_vary_place(s, l, directions, before);
    nt_status status =
        splitting_push_explicit(s, l, l->c->explicit_parts, directions, l->v_A, l->force);
    for (int colour = 0; status == NT_OK && l->c->second && colour < l->own->n_colours; colour++)
        status = splitting_vary_damping(s, l, directions, colour);
    if (status == NT_OK && l->own->damping.values)
        status = splitting_vary_chords(s, l, directions);
    if (status == NT_OK && l->own->damping.values)
        status = splitting_damp_rate(s, l, directions);
    splitting_take_rows(p, count, l->force, NULL);
    return status;
}

/* z += K_m dq_m + C_m dv0 + R_p at the middle point; rows: the same of the rows there */
static nt_status splitting_middle_change(nt_stepper *s, const linear *l,
                                         const nt_directions *directions, const nt_point *at,
                                         const double *before)
{
    const nt_problem *p = s->problem;
    int count = directions->count;
    unsigned parts = NT_MASS | NT_REACTIONS | l->c->implicit_parts;
    nt_push push = splitting_push_of(p, at, count, l->dq_m, l->z);
    push.parts = parts;
    push.stiffness = 1;
    nt_status status = nt_variation_push(s->factors, &push);
    push.stiffness = 0, push.damping = 1;
    push.x = before + p->nv, push.x_stride = directions->stride;
    if (status == NT_OK)
        status = nt_variation_push(s->factors, &push);
    for (int k = 0; k < count && status == NT_OK; k++) {
        double *z = l->z + (size_t)k * (size_t)p->n;
        nt_terms terms = {.parts = parts, .level = NT_POSITION, .residual = z, .rows = z + p->nv};
        status = directions->load(directions->context, k, at, &terms);
    }
    splitting_take_rows(p, count, l->z, l->rows);
    return status;
}

/* Rows at the end: their derivative along dq1 (and dv0 at the level of velocities) and p, into z.
 */
static nt_status splitting_end_change(nt_stepper *s, const linear *l,
                                      const nt_directions *directions, nt_level level,
                                      const double *before, const double *after)
{
    const nt_problem *p = s->problem;
    nt_point at = nt_phase_point(&s->next);
    at.memory = s->now.memory;
    nt_push push = splitting_push_of(p, &at, directions->count, after, l->z);
    push.level = level;
    push.stiffness = 1;
    push.x_stride = directions->stride;
    nt_status status = nt_variation_push(s->factors, &push);
    push.stiffness = 0, push.damping = 1, push.x = before + p->nv;
    if (status == NT_OK && level == NT_VELOCITY)
        status = nt_variation_push(s->factors, &push);
    for (int k = 0; k < directions->count && status == NT_OK; k++) {
        nt_terms terms = {.level = level, .rows = l->z + (size_t)k * (size_t)p->n + p->nv};
        status = directions->load(directions->context, k, &at, &terms);
    }
    return status;
}

/* The matrix of a stage, as its Newton iteration has it; then z = -matrix^-1 z. */
static nt_status splitting_solve(nt_stepper *s, const linear *l, const nt_point *middle, bool first,
                                 const nt_combination *at_middle, int count)
{
    const nt_problem *p = s->problem;
    nt_combination row = {.row_damping = l->h};
    nt_terms forces = {.parts = NT_MASS | NT_REACTIONS | l->c->implicit_parts,
                       .level = first ? NT_POSITION : NT_VELOCITY,
                       .matrix = &s->factors->matrix,
                       .combination = at_middle};
    nt_terms rows = {.level = NT_VELOCITY, .matrix = &s->factors->matrix, .combination = &row};
    nt_point end = nt_phase_point(&s->next);
    end.memory = s->now.memory;
    nt_factors_begin(s->factors);
    nt_status status = nt_problem_evaluate(p, middle, &forces);
    for (int k = 0; k < l->own->n_alone && l->own->damping.values; k++)
        nt_splitting_add_damping(l->own, k, &s->factors->matrix);
    if (status == NT_OK && first)
        status = nt_splitting_holonomic_rows(p, &end, p->space.n_rotations ? l->Y : NULL,
                                             &s->factors->matrix);
    else if (status == NT_OK)
        status = nt_problem_evaluate(p, &end, &rows);
    if (status == NT_OK)
        status = nt_solver_factor_clear(s->factors->solver, &s->factors->matrix);
    for (int k = 0; k < count; k++) {
        double *z = l->z + (size_t)k * (size_t)p->n;
        for (int i = 0; i < p->n; i++)
            z[i] = -z[i];
        for (int i = 0; i < s->factors->n_dropped; i++)
            z[s->factors->dropped[i]] = 0;
    }
    return status == NT_OK ? nt_solver_solve(s->factors->solver, l->z, count) : status;
}

/* Of blocks that are alone y, h^2/2 da, becomes the change of h^2/2 (a - share (a - a_1)). */
static void splitting_vary_share(const nt_stepper *s, const linear *l, const double *a,
                                 const nt_const_variation *from, bool length, double *y)
{
    const nt_problem *p = s->problem;
    double h = l->h, since = *nt_splitting_memory_of(p, &s->now).since, to_middle = h / 2 + since;
    double by_length = length ? since / (6 * to_middle * to_middle) : 0;
    for (int k = 0; k < l->own->n_alone; k++) {
        const nt_block *block = &p->space.blocks[l->own->alone[k]];
        for (int i = block->v; i < block->v + block->nv; i++)
            y[i] += h * h / 2 * (l->share * from->vdot[i] - by_length * (a[i] - s->now.vdot[i])) -
                    l->share * y[i];
    }
}

/* (a~, lambda~): dq_m, dq1 and, where nothing is constrained, da. */
static nt_status splitting_first_stage(nt_stepper *s, const linear *l,
                                       const nt_directions *directions, const double *a,
                                       const double *lambda, const double *before, double *after)
{
    const nt_problem *p = s->problem;
    const nt_splitting *c = l->c;
    double h = l->h, scale = c->sigma * h * h, gamma_prime = 1 / (c->sigma * h);
    size_t nv = (size_t)p->nv, n = (size_t)p->n;
    nt_point middle = nt_phase_point(&s->next);
    middle.t = s->now.all[NT_PHASE_T] + c->beta * h;
    middle.q = l->q_m, middle.v = l->v_m, middle.vdot = a;
    middle.lambda = lambda, middle.mu = lambda + p->nh;
    middle.memory = s->now.memory;
    for (int i = 0; i < p->nv; i++)
        l->v_m[i] = s->now.v[i] + c->beta * h * a[i];
    for (int k = 0; k < directions->count; k++) {
        nt_const_variation from = nt_const_variation_at(p, directions, before, k);
        nt_variation to = nt_variation_at(p, directions, after, k);
        splitting_carried(p, l->beta_x, l->T_m, c->beta * h, &from, l->scratch,
                          l->dq_m + (size_t)k * nv);
        splitting_carried(p, l->x, l->T_x, h, &from, l->scratch, to.q);
    }
    memcpy(l->z, l->force, (size_t)directions->count * n * sizeof *l->z);
    nt_status status = splitting_middle_change(s, l, directions, &middle, before);
    for (int k = 0; k < directions->count; k++)
        for (size_t i = 0; i < nv; i++)
            l->z[(size_t)k * n + i] *= scale;
    if (status == NT_OK && p->nh > 0)
        status = splitting_end_change(s, l, directions, NT_POSITION, before, after);
    for (int k = 0; k < directions->count; k++)
        memcpy(l->z + (size_t)k * n + nv + p->nh, l->rows + (size_t)k * (size_t)p->nc + p->nh,
               (size_t)p->nn * sizeof *l->rows);
    bool rows = p->nn > 0; /* of Phi there is nothing to remove without those of kappa */
    nt_combination mid = {.mass = 1,
                          .damping = scale * c->beta * gamma_prime,
                          .stiffness = scale * c->beta,
                          .multiplier = 1,
                          .row_damping = rows ? c->beta * gamma_prime : 0,
                          .row_stiffness = rows ? c->beta : 0,
                          .map = p->space.n_rotations ? l->T_m_inverse : NULL};
    if (status == NT_OK)
        status = splitting_solve(s, l, &middle, true, &mid, directions->count);
    for (int k = 0; k < directions->count && status == NT_OK; k++) {
        nt_const_variation from = nt_const_variation_at(p, directions, before, k);
        nt_variation to = nt_variation_at(p, directions, after, k);
        double *e = l->z + (size_t)k * n, *dq_m = l->dq_m + (size_t)k * nv;
        for (size_t i = 0; i < nv; i++)
            dq_m[i] += c->beta * e[i];
        nt_variation_map(p, l->T_m_inverse, e, e); /* y */
        memcpy(to.vdot, e, nv * sizeof *e);
        if (c->second)
            splitting_vary_share(s, l, a, &from, directions->length && k == directions->count - 1,
                                 to.vdot);
        nt_variation_map(p, l->T_x, to.vdot, to.vdot);
        for (size_t i = 0; i < nv; i++) {
            to.q[i] += to.vdot[i];
            to.vdot[i] = e[i] / scale;
            to.v[i] = from.v[i] + h * to.vdot[i];
        }
    }
    return status;
}

/* (a, lambda): dv1. */
static nt_status splitting_second_stage(nt_stepper *s, const linear *l,
                                        const nt_directions *directions, const double *before,
                                        double *after)
{
    const nt_problem *p = s->problem;
    const nt_splitting *c = l->c;
    double h = l->h;
    size_t nv = (size_t)p->nv, n = (size_t)p->n;
    nt_point middle = nt_phase_point(&s->next);
    middle.t = s->now.all[NT_PHASE_T] + c->beta * h;
    middle.q = l->q_m, middle.v = l->v_m;
    middle.memory = s->now.memory;
    for (int i = 0; i < p->nv; i++)
        l->v_m[i] = s->now.v[i] + c->beta * h * s->next.vdot[i];
    memcpy(l->z, l->force, (size_t)directions->count * n * sizeof *l->z);
    nt_status status = splitting_middle_change(s, l, directions, &middle, before);
    if (status == NT_OK)
        status = splitting_end_change(s, l, directions, NT_VELOCITY, before, after);
    nt_combination mid = {.mass = 1, .damping = c->beta * h, .multiplier = 1};
    if (status == NT_OK)
        status = splitting_solve(s, l, &middle, false, &mid, directions->count);
    for (int k = 0; k < directions->count && status == NT_OK; k++) {
        nt_const_variation from = nt_const_variation_at(p, directions, before, k);
        nt_variation to = nt_variation_at(p, directions, after, k);
        const double *z = l->z + (size_t)k * n;
        for (size_t i = 0; i < nv; i++) {
            to.vdot[i] = z[i];
            to.v[i] = from.v[i] + h * z[i];
        }
        memcpy(to.lambda, z + nv, (n - nv) * sizeof *z); /* mu follows */
    }
    return status;
}

/* Of first order nothing that varies is kept: (a, lambda) are guesses, and what A's stiffness
 * chooses are steps. Of second order a_1 becomes a_2, and the multipliers likewise, where A follows
 * them; h = 0: there is none. */
static void splitting_vary_memory(const nt_problem *p, const nt_splitting *c, double h,
                                  const nt_directions *directions, const double *before,
                                  double *after)
{
    for (int k = 0; k < directions->count; k++) {
        nt_const_variation from = nt_const_variation_at(p, directions, before, k);
        nt_variation to = nt_variation_at(p, directions, after, k);
        size_t others = (size_t)(to.method - to.q);
        memset(to.method, 0, (directions->stride - others) * sizeof(double));
        if (!c->second || !(h > 0))
            continue;
        size_t followed = (size_t)nt_splitting_follows(p) * sizeof(double);
        memcpy(to.method, from.vdot, (size_t)p->nv * sizeof(double));
        memcpy(to.method + p->nv, from.lambda, followed);
        memcpy(to.method + p->nv + nt_splitting_follows(p), from.method + p->nv, followed);
    }
}

nt_status nt_splitting_linearise(nt_stepper *s, const nt_splitting *c, double h,
                                 const nt_directions *directions, const double *before,
                                 double *after)
{
    const nt_problem *p = s->problem;
    splitting_vary_memory(p, c, h, directions, before, after);
    if (h == 0)
        return NT_OK;
    linear l = splitting_bind(p, c, h, directions);
    l.own = s->own;
    nt_splitting_memory found = nt_splitting_memory_of(p, &s->next);
    splitting_places(s, &l, found.a_first);
    nt_status status = splitting_explicit_change(s, &l, directions, before);
    if (status == NT_OK)
        status = splitting_first_stage(s, &l, directions, found.a_first, found.lambda_first, before,
                                       after);
    if (status == NT_OK && p->nc > 0)
        status = splitting_second_stage(s, &l, directions, before, after);
    return status;
}
