/* The derivative of a step of stabilised index 2.
 *
 * The step's equations (soi2.h) are varied in the order in which they are solved. Corrections (15),
 * (16) are linear: da_alpha, d(M a_alpha). M1 is taken at q_M = q0 o exp(y), y = h (1 + alpha) z0,
 * so that with T the tangent operator of the frame
 *
 *   dq_M = T(y) (T(y)^-T dq0 + h (1 + alpha) dz0),     dq1 = T(D) (T(D)^-T dq0 + dD)
 *
 * because the carrying of dq0 along an exponential is T T^-T in either frame. For a stage, with m =
 * (M1 w)_q dq_M + (M1 w)_p what moves the inertia force at constant w, and _p the pseudo-loads:
 *
 *   M1 dw + m + dload - df = 0,   -df = C dz + K dq1 + R_lambda dlambda - f_p.
 *
 * First stage: unknown e = dq1, dD = T^-1 e - T^-T dq0, x' and x'' of family.h with
 *
 *   dw = beta' T^-1 e + b_w,    b_w = -beta' (T^-T dq0 + h dz0 + h^2 (1/2 - beta) da_alpha)
 *   dz = gamma' T^-1 e + b_z,   b_z = dz0 + h (1 - gamma) da_alpha + (gamma'/beta') b_w
 *
 *   right-hand sides -s (M1 b_w + C b_z + m + dload + R_p), -(k_z b_z + rows_p).
 *
 * Second stage: unknown u = dz1 at known dq1, dw = (u - dz0 - h (1 - gamma) da_alpha)/(h gamma
 * share),
 *
 *   right-hand sides -h gamma (M1 (dw at u = 0) + K dq1 + m + dload + R_p), -(rows_q dq1 + rows_p).
 *
 * What is kept follows: da = share dw, d(M1 a) = share (M1 dw + m), df1 = M1 dw + m + dload. */
#include "method/alpha/soi2.h"
#include "method/variation.h"

#include <string.h>

typedef struct linear {
    nt_soi2 w;
    nt_matrix M;     /* M1                                                           */
    double *scratch; /* [2 n]                                                        */
    double *z_first; /* [nv] ~z1                                                     */
    double *T_M, *T_M_inverse, *T_inverse; /* [r][9] at y, at y, at D                */
    double *q_M;                           /* [count][nv] dq_M                       */
    double *m;                             /* [count][nv]                            */
    double *b_w, *b_z;                     /* [count][nv] of the stage, then dw, dz  */
    double *z;                             /* [count][n]                             */
} linear;

static size_t soi2_entries(const nt_problem *p)
{
    return (size_t)p->pattern->offset[p->pattern->n_slots];
}

size_t nt_soi2_linear_scratch(const nt_problem *p)
{
    return soi2_entries(p) + 2 * (size_t)p->n + (size_t)p->nv + 27 * (size_t)p->space.n_rotations;
}

size_t nt_soi2_linear_scratch_each(const nt_problem *p) { return 4 * (size_t)p->nv + (size_t)p->n; }

static linear soi2_linear_of(const nt_stepper *s, const nt_directions *directions, double h)
{
    const nt_problem *p = s->problem;
    size_t nv = (size_t)p->nv, nine = 9 * (size_t)p->space.n_rotations;
    size_t all = (size_t)directions->count * nv;
    linear l = {.w = nt_soi2_bind(s, h), .scratch = directions->scratch};
    l.z_first = l.scratch + 2 * (size_t)p->n;
    l.T_M = l.z_first + nv;
    l.T_M_inverse = l.T_M + nine;
    l.T_inverse = l.T_M_inverse + nine;
    l.q_M = l.T_inverse + nine;
    l.m = l.q_M + all;
    l.b_w = l.m + all;
    l.b_z = l.b_w + all;
    l.z = l.b_z + all;
    l.M = (nt_matrix){.pattern = p->pattern,
                      .values = l.z + (size_t)directions->count * (size_t)p->n};
    return l;
}

/* ---- the state ------------------------------------------------------------------------------ */

/* T at y and D, q_M, ~z1: from what the two states hold. */
static void recall(const nt_stepper *s, linear *l)
{
    const nt_problem *p = s->problem;
    const nt_family *c = &l->w.n.c;
    double h = c->h, *x = l->scratch;
    for (int i = 0; i < p->nv; i++)
        x[i] = (1 + l->w.alpha) * h * s->now.v[i];
    nt_space_compose(&p->space, p->frame, s->now.q, x, l->w.q_M);
    nt_space_tangent(&p->space, p->frame, x, l->T_M, l->T_M_inverse);
    for (int i = 0; i < p->nv; i++) {
        double a_alpha = l->w.next.a_used[i], a = c->share * l->w.next.w_first[i];
        x[i] = h * s->now.v[i] + h * h * ((0.5 - c->beta) * a_alpha + c->beta * a);
        l->z_first[i] = s->now.v[i] + h * ((1 - c->gamma) * a_alpha + c->gamma * a);
    }
    nt_space_tangent(&p->space, p->frame, x, NULL, l->T_inverse);
}

/* The points at which a stage evaluates the mass matrix M1 and the forces f. */
typedef struct stage {
    nt_point mass, force;
    nt_level level;
} stage;

static stage stage_of(const nt_stepper *s, const linear *l, bool first, const double *w)
{
    const nt_problem *p = s->problem;
    stage g = {.force = nt_phase_point(&s->next), .level = first ? NT_POSITION : NT_VELOCITY};
    g.force.memory = s->now.memory;
    g.force.vdot = w;
    if (first) {
        g.force.v = l->z_first;
        g.force.lambda = l->w.next.lambda_first;
        g.force.mu = g.force.lambda + p->nh;
    }
    g.mass = g.force;
    g.mass.t = nt_soi2_mass_time(s, &l->w);
    g.mass.q = l->w.q_M;
    return g;
}

/* ---- pieces --------------------------------------------------------------------------------- */

/* T^-T dq0 for rotations, dq0 elsewhere, into out. */
static void pull(const nt_space *space, const double *T_inverse, const double *dq0, double *out)
{
    memcpy(out, dq0, (size_t)space->nv * sizeof *out);
    for (int b = 0; b < space->n_blocks; b++) {
        const nt_block *block = &space->blocks[b];
        const double *A = T_inverse + 9 * block->rotation, *x = dq0 + block->v + block->nv - 3;
        for (int i = 0; block->rotation >= 0 && i < 3; i++)
            out[block->v + block->nv - 3 + i] = A[i] * x[0] + A[3 + i] * x[1] + A[6 + i] * x[2];
    }
}

/* da_alpha, d(M a_alpha) into their places in `to`, with the correction's own derivative; dq_M; b_w
 * and b_z of the first stage. */
static void known_part(const nt_stepper *s, const linear *l, int k, const nt_const_variation *from,
                       const nt_variation *to, double of_correction)
{
    const nt_problem *p = s->problem;
    const nt_family *c = &l->w.n.c;
    size_t nv = (size_t)p->nv;
    double h = c->h, *q_M = l->q_M + (size_t)k * nv;
    double *b_w = l->b_w + (size_t)k * nv, *b_z = l->b_z + (size_t)k * nv;
    nt_soi2_memory new = nt_soi2_memory_of(p, to->method);
    const double *a = from->method, *a_used = a + nv, *Ma = a_used + nv, *Ma_used = Ma + nv;
    pull(&p->space, l->T_M_inverse, from->q, q_M);
    pull(&p->space, l->T_inverse, from->q, b_w);
    for (size_t i = 0; i < nv; i++) {
        new.a_used[i] = a[i] + l->w.correction *(a[i] - a_used[i]);
        new.Ma_used[i] = Ma[i] + l->w.correction *(Ma[i] - Ma_used[i]);
        new.a_used[i] += of_correction *(l->w.now.a[i] - l->w.now.a_used[i]);
        new.Ma_used[i] += of_correction *(l->w.now.Ma[i] - l->w.now.Ma_used[i]);
        q_M[i] += h * (1 + l->w.alpha) * from->v[i];
        double x = b_w[i] + h * from->v[i] + h * h * (0.5 - c->beta) * new.a_used[i];
        b_w[i] = -c->beta_prime * x;
        b_z[i] = from->v[i] + h * (1 - c->gamma) * new.a_used[i] - c->gamma_prime *x;
    }
    nt_variation_map(p, l->T_M, q_M, q_M);
}

/* dload into its place, that of df, in `to` */
static void vary_load(const nt_problem *p, const nt_family *c, const nt_const_variation *from,
                      const nt_variation *to)
{
    nt_soi2_memory new = nt_soi2_memory_of(p, to->method);
    const double *f = from->method + (new.f - new.a);
    for (int i = 0; i < p->nv; i++)
        new.f[i] = (c->alpha_m * new.Ma_used[i] - c->alpha_f *f[i]) / (1 - c->alpha_f);
}

/* M1, once for the step. */
static nt_status fill_mass(const nt_problem *p, const linear *l, const nt_point *at)
{
    nt_combination combination = {.mass = 1};
    nt_terms terms = {.parts = NT_MASS, .matrix = &l->M, .combination = &combination};
    memset(l->M.values, 0, soi2_entries(p) * sizeof(double));
    return nt_problem_evaluate(p, at, &terms);
}

/* y[nv] = M1 x */
static void apply_mass(const nt_problem *p, const linear *l, const double *x, double *y)
{
    double *all = l->scratch, *product = all + p->n;
    memset(all, 0, (size_t)p->n * sizeof *all);
    memcpy(all, x, (size_t)p->nv * sizeof *all);
    nt_matrix_apply(&l->M, all, product);
    memcpy(y, product, (size_t)p->nv * sizeof *y);
}

/* m of all directions, into m[count][nv]. (M1 w)_q comes through z, which is n long. */
static nt_status move_inertia(nt_factors *f, const linear *l, const nt_directions *directions,
                              const stage *g)
{
    const nt_problem *p = f->problem;
    size_t nv = (size_t)p->nv, n = (size_t)p->n, count = (size_t)directions->count;
    nt_push push = {.at = &g->mass,
                    .parts = NT_MASS,
                    .stiffness = 1,
                    .count = directions->count,
                    .x = l->q_M,
                    .y = l->z,
                    .x_stride = nv,
                    .y_stride = n};
    memset(l->z, 0, count * n * sizeof *l->z);
    nt_status status = nt_variation_push(f, &push);
    for (size_t k = 0; k < count && status == NT_OK; k++) {
        double *z = l->z + k * n;
        nt_terms terms = {.parts = NT_MASS, .residual = z};
        status = directions->load(directions->context, (int)k, &g->mass, &terms);
        memcpy(l->m + k * nv, z, nv * sizeof *z);
    }
    return status;
}

/* z = M1 b_w + m + dload + R_p, rows_p */
static nt_status soi2_right_hand_sides(nt_factors *f, const linear *l,
                                       const nt_directions *directions, const stage *g,
                                       double *after)
{
    const nt_problem *p = f->problem;
    size_t nv = (size_t)p->nv, n = (size_t)p->n;
    nt_status status = move_inertia(f, l, directions, g);
    for (int k = 0; k < directions->count && status == NT_OK; k++) {
        double *z = l->z + (size_t)k * n;
        nt_variation to = nt_variation_at(p, directions, after, k);
        const double *dload = nt_soi2_memory_of(p, to.method).f, *m = l->m + (size_t)k * nv;
        memset(z, 0, n * sizeof *z);
        apply_mass(p, l, l->b_w + (size_t)k * nv, z);
        for (size_t i = 0; i < nv; i++)
            z[i] += m[i] + dload[i];
        nt_terms terms = {
            .parts = NT_SOI2_FORCES, .level = g->level, .residual = z, .rows = z + nv};
        status = directions->load(directions->context, k, &g->force, &terms);
    }
    return status;
}

/* The stage's matrix, factorised, and z = matrix^-1 (-scale z, -z). */
static nt_status soi2_solve(nt_stepper *s, const linear *l, const nt_directions *directions,
                            const stage *g, const nt_combination *c, double scale)
{
    const nt_problem *p = s->problem;
    nt_combination mass = {.mass = c->mass, .map = c->map}, force = *c;
    nt_terms terms = {.parts = NT_MASS, .matrix = &s->factors->matrix, .combination = &mass};
    force.mass = 0;
    nt_factors_begin(s->factors);
    nt_status status = nt_problem_evaluate(p, &g->mass, &terms);
    terms = (nt_terms){.parts = NT_SOI2_FORCES,
                       .level = g->level,
                       .matrix = &s->factors->matrix,
                       .combination = &force};
    if (status == NT_OK)
        status = nt_problem_evaluate(p, &g->force, &terms);
    if (status == NT_OK)
        status = nt_solver_factor_clear(s->factors->solver, &s->factors->matrix);
    for (int k = 0; k < directions->count; k++) {
        double *z = l->z + (size_t)k * (size_t)p->n;
        for (int i = 0; i < p->n; i++)
            z[i] *= i < p->nv ? -scale : -1;
        for (int i = 0; i < s->factors->n_dropped; i++)
            z[s->factors->dropped[i]] = 0;
    }
    return status == NT_OK ? nt_solver_solve(s->factors->solver, l->z, directions->count) : status;
}

/* ---- stages --------------------------------------------------------------------------------- */

/* dq1 and dlambda into `after`, dw and dz in place of b_w and b_z. */
static nt_status soi2_linearise_first_stage(nt_stepper *s, const linear *l,
                                            const nt_directions *directions, double *after)
{
    const nt_problem *p = s->problem;
    const nt_family *c = &l->w.n.c;
    size_t nv = (size_t)p->nv, n = (size_t)p->n;
    stage g = stage_of(s, l, true, l->w.next.w_first);
    nt_status status = fill_mass(p, l, &g.mass);
    if (status == NT_OK)
        status = soi2_right_hand_sides(s->factors, l, directions, &g, after);
    nt_push push = {.at = &g.force,
                    .parts = NT_SOI2_FORCES,
                    .level = NT_POSITION,
                    .damping = 1,
                    .count = directions->count,
                    .x = l->b_z,
                    .y = l->z,
                    .x_stride = nv,
                    .y_stride = n};
    if (status == NT_OK)
        status = nt_variation_push(s->factors, &push);
    nt_combination combination =
        nt_soi2_first_combination(c, p->space.n_rotations ? l->T_inverse : NULL);
    if (status == NT_OK)
        status = soi2_solve(s, l, directions, &g, &combination, c->scale);
    for (int k = 0; k < directions->count && status == NT_OK; k++) {
        nt_variation to = nt_variation_at(p, directions, after, k);
        double *z = l->z + (size_t)k * n, *dw = l->b_w + (size_t)k * nv;
        double *dz = l->b_z + (size_t)k * nv;
        memcpy(to.q, z, nv * sizeof *z);
        nt_variation_map(p, l->T_inverse, z, z);
        for (size_t i = 0; i < nv; i++) {
            dw[i] += c->beta_prime * z[i];
            dz[i] += c->gamma_prime * z[i];
        }
        for (int i = 0; i < p->nc; i++) /* mu follows lambda */
            to.lambda[i] = z[p->nv + i] / c->scale;
    }
    return status;
}

/* dlambda into `after`, dw and dz in place of b_w and b_z. */
static nt_status soi2_linearise_second_stage(nt_stepper *s, const linear *l,
                                             const nt_directions *directions, const double *before,
                                             double *after)
{
    const nt_problem *p = s->problem;
    const nt_family *c = &l->w.n.c;
    size_t nv = (size_t)p->nv, n = (size_t)p->n;
    double scale = c->h * c->gamma, of_velocity = 1 / (scale * c->share), *w = l->w.spare;
    for (size_t i = 0; i < nv; i++)
        w[i] = l->w.next.a[i] / c->share;
    stage g = stage_of(s, l, false, w);
    for (int k = 0; k < directions->count; k++) {
        nt_const_variation from = nt_const_variation_at(p, directions, before, k);
        nt_variation to = nt_variation_at(p, directions, after, k);
        const double *a_alpha = nt_soi2_memory_of(p, to.method).a_used;
        double *b_w = l->b_w + (size_t)k * nv;
        for (size_t i = 0; i < nv; i++)
            b_w[i] = -of_velocity * (from.v[i] + c->h * (1 - c->gamma) * a_alpha[i]);
    }
    nt_status status = soi2_right_hand_sides(s->factors, l, directions, &g, after);
    nt_push push = {.at = &g.force,
                    .parts = NT_SOI2_FORCES,
                    .level = NT_VELOCITY,
                    .stiffness = 1,
                    .count = directions->count,
                    .x = after, /* dq1 comes first in a variation */
                    .y = l->z,
                    .x_stride = directions->stride,
                    .y_stride = n};
    if (status == NT_OK)
        status = nt_variation_push(s->factors, &push);
    nt_combination combination = {
        .mass = 1 / c->share, .damping = scale, .multiplier = 1, .row_damping = 1};
    if (status == NT_OK)
        status = soi2_solve(s, l, directions, &g, &combination, scale);
    for (int k = 0; k < directions->count && status == NT_OK; k++) {
        nt_variation to = nt_variation_at(p, directions, after, k);
        const double *z = l->z + (size_t)k * n;
        double *dw = l->b_w + (size_t)k * nv;
        memcpy(l->b_z + (size_t)k * nv, z, nv * sizeof *z);
        for (size_t i = 0; i < nv; i++)
            dw[i] += of_velocity * z[i];
        for (int i = 0; i < p->nc; i++)
            to.lambda[i] = z[p->nv + i] / scale;
    }
    return status;
}

/* What `keep` does. */
static void soi2_linearise_keep(const nt_problem *p, const linear *l, int k, const nt_variation *to)
{
    const nt_family *c = &l->w.n.c;
    size_t nv = (size_t)p->nv;
    const double *dw = l->b_w + (size_t)k * nv, *m = l->m + (size_t)k * nv;
    nt_soi2_memory new = nt_soi2_memory_of(p, to->method);
    memcpy(to->v, l->b_z + (size_t)k * nv, nv * sizeof(double));
    apply_mass(p, l, dw, new.Ma);
    for (size_t i = 0; i < nv; i++) {
        double inertia = new.Ma[i] + m[i];
        new.a[i] = c->share *dw[i];
        new.Ma[i] = c->share *inertia;
        new.f[i] += inertia;
        to->vdot[i] = new.a[i] - l->w.alpha *(new.a[i] - new.a_used[i]);
    }
}

/* ---- the step ------------------------------------------------------------------------------- */

/* The derivative of `start`, which sets a_alpha = vdot and M a_alpha = f = M vdot. */
static nt_status soi2_linearise_start(nt_stepper *s, const nt_directions *directions, double *after)
{
    const nt_problem *p = s->problem;
    size_t nv = (size_t)p->nv, bytes = nv * sizeof(double), n = (size_t)p->n;
    double *product = directions->scratch;
    nt_point at = nt_phase_point(&s->next);
    nt_variation first = nt_variation_at(p, directions, after, 0);
    nt_push push = {.at = &at,
                    .parts = NT_MASS,
                    .stiffness = 1,
                    .count = directions->count,
                    .x = first.q,
                    .y = product,
                    .x_stride = directions->stride,
                    .y_stride = n};
    memset(product, 0, (size_t)directions->count * n * sizeof(double));
    nt_status status = nt_variation_push(s->factors, &push);
    push.stiffness = 0, push.mass = 1, push.x = first.vdot;
    if (status == NT_OK)
        status = nt_variation_push(s->factors, &push);
    for (int k = 0; k < directions->count && status == NT_OK; k++) {
        nt_variation d = nt_variation_at(p, directions, after, k);
        nt_soi2_memory m = nt_soi2_memory_of(p, d.method);
        double *Ma = product + (size_t)k * n;
        nt_terms terms = {.parts = NT_MASS, .residual = Ma};
        status = directions->load(directions->context, k, &at, &terms);
        memcpy(m.a, d.vdot, bytes);
        memcpy(m.a_used, d.vdot, bytes);
        memcpy(m.Ma, Ma, bytes);
        memcpy(m.Ma_used, Ma, bytes);
        memcpy(m.f, Ma, bytes);
    }
    return status;
}

nt_status nt_soi2_linearise(nt_stepper *s, double h, const nt_directions *directions,
                            const double *before, double *after)
{
    const nt_problem *p = s->problem;
    if (h == 0)
        return soi2_linearise_start(s, directions, after);
    linear l = soi2_linear_of(s, directions, h);
    recall(s, &l);
    for (int k = 0; k < directions->count; k++) {
        nt_const_variation from = nt_const_variation_at(p, directions, before, k);
        nt_variation to = nt_variation_at(p, directions, after, k);
        bool length = directions->length && k == directions->count - 1;
        known_part(s, &l, k, &from, &to, length ? l.w.of_correction : 0);
        vary_load(p, &l.w.n.c, &from, &to);
    }
    nt_status status = soi2_linearise_first_stage(s, &l, directions, after);
    if (status == NT_OK && !nt_soi2_one_stage(p))
        status = soi2_linearise_second_stage(s, &l, directions, before, after);
    for (int k = 0; k < directions->count && status == NT_OK; k++) {
        nt_variation to = nt_variation_at(p, directions, after, k);
        soi2_linearise_keep(p, &l, k, &to);
    }
    return status;
}
