/* Generalized-alpha on Lie groups, index 3.
 *
 *   Bruls, Cardona & Arnold 2012, algorithm 1 (as documented for Kynema); Arnold & Bruls 2007
 *   Bruls & Eberhard 2008, algorithm 4
 *
 * Symbols: q, v, vdot, lambda, mu as everywhere; a the auxiliary acceleration (method memory);
 * Dq the mean velocity of the step, q1 = q o exp(h Dq). In the words of family.h:
 *
 *   x = h Dq,   x' = v,   x'' = vdot,   X = Y = T^-1,
 *
 * T the tangent operator at h Dq in the frame of the increments. The unknown of the Newton
 * iteration is the increment e of the configuration itself, e = T Dx, so that
 *
 *   dq = e,  dv = gamma' T^-1 e,  dvdot = beta' T^-1 e:
 *
 * T^-1 meets only inertia and damping, and the constraint Jacobian needs no T. */
#include "method/family.h"
#include "method/variation.h"

#include <string.h>

static const nt_option_key options[NT_FAMILY_OPTIONS] = {NT_FAMILY_OPTION_KEYS};

static size_t linear_size(const nt_problem *problem)
{
    return (size_t)problem->nv + 2 * (size_t)problem->n + 18 * (size_t)problem->space.n_rotations;
}

static nt_status layout(const nt_problem *problem, const double *option, nt_layout *sizes,
                        nt_error *error)
{
    sizes->memory = (size_t)problem->nv;
    sizes->scratch = nt_newton_size(problem);
    sizes->linear = linear_size(problem);
    sizes->linear_each = 2 * (size_t)problem->nv + (size_t)problem->n;
    return nt_family_check(problem, option, error);
}

/* a_0 = vdot_0: an O(h) choice that leaves the order of positions at 2 (Kynema's). */
static nt_status start(nt_stepper *s)
{
    memcpy(s->next.method, s->next.vdot, (size_t)s->problem->nv * sizeof(double));
    return NT_OK;
}

/* Residual and rows at q1 = q o exp(h Dq), and the tangent when it is wanted. */
static nt_status equilibrium(nt_stepper *s, const nt_newton *w, bool tangent)
{
    const nt_problem *p = s->problem;
    nt_space_compose(&p->space, p->frame, s->now.q, w->increment, s->next.q);
    if (nt_newton_needs_maps(s, tangent))
        nt_space_tangent(&p->space, p->frame, w->increment, NULL, w->T_inverse);
    return nt_newton_evaluate(s, w, w->T_inverse, NULL, tangent);
}

static nt_status step(nt_stepper *s, double h)
{
    nt_newton w;
    nt_newton_bind(&w, s, h);
    s->next.all[NT_PHASE_T] = s->now.all[NT_PHASE_T] + h;
    memcpy(w.acceleration, s->now.vdot, (size_t)s->problem->nv * sizeof(double));
    nt_status status = nt_newton_predict(s, &w, true);
    if (status == NT_OK)
        status = nt_newton_iterate(s, &w, equilibrium);
    if (status == NT_OK)
        nt_newton_finish(s, &w);
    return status;
}

/* ---- the derivative of the step -------------------------------------------------------------
 *
 * Bruls & Eberhard 2008, (57), (108). With Ad the carrying of q0's increment along the step,
 *
 *   dq1 = Ad dq0 + T dx,   dx = c_x + h^2 beta da_1',   dv1 = c_v + h gamma da_1',
 *   da_1 = c_a + da_1',    da_1' = (1 - alpha_f)/(1 - alpha_m) dvdot1,
 *   c_a = (alpha_f dvdot0 - alpha_m da_0)/(1 - alpha_m),
 *   c_x = h dv0 + h^2 (1/2 - beta) da_0 + h^2 beta c_a,   c_v = dv0 + h (1 - gamma) da_0 + h gamma
 * c_a.
 *
 * In the unknown e = dq1 of the iteration, dv1 = gamma' T^-1 e + b_v, dvdot1 = beta' T^-1 e + b_a,
 *
 *   b_a = -beta' y,  b_v = c_v - gamma' y,  y = T^-1 Ad dq0 + c_x:
 *
 * the matrix of the iteration and -s (M b_a + C b_v + R_p), -(kappa_v b_v + rows_p) on the right.
 * With beta = 0 dq1 = Ad dq0 + T c_x is known, K dq1 is on the right and y = 0. */

typedef struct linear {
    double *x, *scratch;   /* [nv] h Dq, [2 n]    */
    double *T, *T_inverse; /* [r][9]              */
    double *b_a, *b_v;     /* [count][nv]         */
    double *z;             /* [count][n]          */
} linear;

static linear linear_of(const nt_problem *p, const nt_directions *directions)
{
    size_t nv = (size_t)p->nv, n = (size_t)p->n, count = (size_t)directions->count;
    linear l = {.x = directions->scratch};
    l.scratch = l.x + nv;
    l.T = l.scratch + 2 * n;
    l.T_inverse = l.T + 9 * (size_t)p->space.n_rotations;
    l.b_a = l.T_inverse + 9 * (size_t)p->space.n_rotations;
    l.b_v = l.b_a + count * nv;
    l.z = l.b_v + count * nv;
    return l;
}

/* b_a, b_v and the known part of da_1 (in its place in `after`); with beta = 0 dq1 too. */
static void known_part(const nt_stepper *s, const nt_family *c, const linear *l, double *b_a,
                       double *b_v, const nt_variation *from, const nt_variation *to)
{
    const nt_problem *p = s->problem;
    double h = c->h, part = 1 / (1 - c->alpha_m), *y = b_a;
    nt_variation_carry(p, l->x, from->q, to->q);
    nt_variation_map(&p->space, l->T_inverse, to->q, y);
    for (int i = 0; i < p->nv; i++) {
        double a = from->method[i], c_a = part * (c->alpha_f * from->vdot[i] - c->alpha_m * a);
        to->method[i] = c_a;
        y[i] += h * from->v[i] + h * h * ((0.5 - c->beta) * a + c->beta * c_a);
        b_v[i] = from->v[i] + h * ((1 - c->gamma) * a + c->gamma * c_a);
    }
    if (c->position == 0)
        nt_variation_map(&p->space, l->T, y, to->q);
    for (int i = 0; i < p->nv; i++) {
        b_v[i] -= c->position * c->gamma_prime * y[i];
        b_a[i] = -c->position * c->beta_prime * y[i];
    }
}

/* z = -(s (M b_a + C b_v + (1 - position) K dq1 + R_p), rows) */
static nt_status right_hand_sides(nt_stepper *s, const nt_family *c, const linear *l,
                                  const nt_directions *directions, const nt_point *at,
                                  const double *after)
{
    nt_problem *p = s->problem;
    size_t nv = (size_t)p->nv, n = (size_t)p->n, count = (size_t)directions->count;
    nt_push push = {.at = at,
                    .parts = NT_MASS,
                    .level = NT_POSITION,
                    .mass = 1,
                    .count = directions->count,
                    .x = l->b_a,
                    .y = l->z,
                    .x_stride = nv,
                    .y_stride = n,
                    .scratch = l->scratch};
    memset(l->z, 0, count * n * sizeof *l->z);
    nt_status status = nt_variation_push(p, &push);
    push.parts = NT_ALL_PARTS;
    push.mass = 0, push.damping = 1, push.x = l->b_v;
    if (status == NT_OK)
        status = nt_variation_push(p, &push);
    push.damping = 0, push.stiffness = 1, push.x = after, push.x_stride = directions->stride;
    if (status == NT_OK && c->position == 0)
        status = nt_variation_push(p, &push);
    for (size_t k = 0; k < count && status == NT_OK; k++) {
        double *z = l->z + k * n;
        nt_terms terms = {
            .parts = NT_ALL_PARTS, .level = NT_POSITION, .residual = z, .rows = z + nv};
        status = directions->load(directions->context, (int)k, at, &terms);
        for (size_t i = 0; i < n; i++)
            z[i] *= i < nv ? -c->scale : -1;
        for (int i = 0; i < p->n_dropped; i++)
            z[p->dropped[i]] = 0;
    }
    return status;
}

/* (e, s dlambda) into all of `after`. */
static void take_solution(const nt_problem *p, const nt_family *c, const linear *l, double *z,
                          const double *b_a, const double *b_v, const nt_variation *to)
{
    double unscale = 1 / c->scale;
    if (c->position > 0)
        memcpy(to->q, z, (size_t)p->nv * sizeof *z);
    nt_variation_map(&p->space, l->T_inverse, z, z);
    for (int i = 0; i < p->nv; i++) {
        to->v[i] = c->gamma_prime * z[i] + b_v[i];
        to->vdot[i] = c->beta_prime * z[i] + b_a[i];
        to->method[i] += c->share * to->vdot[i];
    }
    for (int i = 0; i < p->nc; i++)
        to->lambda[i] = unscale * z[p->nv + i]; /* mu follows lambda */
}

static nt_status linearise(nt_stepper *s, double h, const nt_directions *directions,
                           const double *before, double *after)
{
    nt_problem *p = s->problem;
    int count = directions->count, nv = p->nv;
    if (h == 0) { /* a_0 = vdot_0 */
        for (int k = 0; k < count; k++) {
            nt_variation d = nt_variation_at(p, directions, after, k);
            memcpy(d.method, d.vdot, (size_t)nv * sizeof(double));
        }
        return NT_OK;
    }
    nt_family c = nt_family_of_step(s->options, h);
    linear l = linear_of(p, directions);
    nt_point at = nt_phase_point(&s->next);
    at.memory = s->now.memory;
    for (int i = 0; i < nv; i++) /* h Dq */
        l.x[i] = h * s->now.v[i] +
                 h * h * ((0.5 - c.beta) * s->now.method[i] + c.beta * s->next.method[i]);
    nt_space_tangent(&p->space, p->frame, l.x, l.T, l.T_inverse);
    for (int k = 0; k < count; k++) {
        nt_variation from = nt_variation_at(p, directions, before, k);
        nt_variation to = nt_variation_at(p, directions, after, k);
        known_part(s, &c, &l, l.b_a + k * nv, l.b_v + k * nv, &from, &to);
    }
    nt_status status = right_hand_sides(s, &c, &l, directions, &at, after);
    if (status == NT_OK)
        status = nt_family_factor(s, &c, &at, l.T_inverse, NULL);
    if (status == NT_OK)
        status = nt_solver_solve(p->solver, l.z, count);
    for (int k = 0; k < count && status == NT_OK; k++) {
        nt_variation to = nt_variation_at(p, directions, after, k);
        take_solution(p, &c, &l, l.z + k * p->n, l.b_a + k * nv, l.b_v + k * nv, &to);
    }
    return status;
}

const nt_method nt_method_generalized_alpha = {
    .name = "generalized-alpha",
    .summary = "Lie-group generalized-alpha, index 3",
    .reference = "Bruls, Cardona & Arnold 2012, algorithm 1",
    .needs = NT_NEEDS_TANGENT | NT_HOLONOMIC | NT_NONHOLONOMIC,
    .options = options,
    .n_options = NT_FAMILY_OPTIONS,
    .frames = NT_IN_BOTH_FRAMES,
    .layout = layout,
    .start = start,
    .step = step,
    .linearise = linearise,
};
