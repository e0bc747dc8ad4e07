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
#include "base/target.h"
#include "base/vector3.h"
#include "group/rotation.h"
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

/* T^-1 Ad dq0 = T^-T dq0, since Ad = T T^-T in either frame; dq0 where there is no rotation. */
static void pull_back(const nt_space *space, const double *T_inverse, const double *dq0,
                      double *out)
{
    memcpy(out, dq0, (size_t)space->nv * sizeof *out);
    for (int b = 0; b < space->n_blocks; b++) {
        const nt_block *block = &space->blocks[b];
        int i = block->v + block->nv - 3;
        if (block->rotation >= 0)
            v3_store(out + i, m3_apply_transposed(m3_load(T_inverse + 9 * block->rotation),
                                                  v3_load(dq0 + i)));
    }
}

/* y += c_x, b_v = c_v, c_a */
NT_WIDE static void add_known(const nt_family *c, int nv, const double *restrict v,
                              const double *restrict vdot, const double *restrict a,
                              double *restrict y, double *restrict b_v, double *restrict c_a)
{
    double h = c->h, part = 1 / (1 - c->alpha_m);
    double of_vdot = part * c->alpha_f, of_a = -part * c->alpha_m;
    double x_a = h * h * (0.5 - c->beta), x_c = h * h * c->beta;
    double v_a = h * (1 - c->gamma), v_c = h * c->gamma;
    for (int i = 0; i < nv; i++) {
        double known = of_vdot * vdot[i] + of_a * a[i];
        y[i] += h * v[i] + (x_a * a[i] + x_c * known);
        b_v[i] = v[i] + (v_a * a[i] + v_c * known);
        c_a[i] = known;
    }
}

/* b_v -= of_v y, b_a = of_a y, for y in the place of b_a */
NT_WIDE static void share_known(int nv, double of_v, double of_a, double *restrict b_a,
                                double *restrict b_v)
{
    for (int i = 0; i < nv; i++) {
        b_v[i] -= of_v * b_a[i];
        b_a[i] *= of_a;
    }
}

/* b_a, b_v and the known part of da_1 (in its place in `after`); with beta = 0 dq1 too. */
static void known_part(const nt_stepper *s, const nt_family *c, const linear *l, double *b_a,
                       double *b_v, const nt_variation *from, const nt_variation *to)
{
    const nt_problem *p = s->problem;
    double *y = b_a;
    pull_back(&p->space, l->T_inverse, from->q, y);
    add_known(c, p->nv, from->v, from->vdot, from->method, y, b_v, to->method);
    if (c->position == 0)
        nt_variation_map(&p->space, l->T, y, to->q);
    double of_v = c->position * c->gamma_prime, of_a = -c->position * c->beta_prime;
    share_known(p->nv, of_v, of_a, b_a, b_v);
}

/* Whether M and C are those of rigid bodies and nothing else: then their products need no tangent.
 */
static bool is_rigid(const nt_problem *p)
{
    unsigned promised = NT_HAS_MOMENTA | NT_POSITION_FORCES;
    return p->nn == 0 && p->system->momenta && (p->system->capabilities & promised) == promised;
}

/* z = M b_a + C b_v: m b_a of translations, and of rotations with J in the axes of the frame and
 * the angular velocity w, from J w' + w x J w,
 *
 *   J b_a + b_v x J w + w x J b_v. */
static void add_inertia(const nt_problem *p, const linear *l, const nt_point *at, int count)
{
    const nt_momenta *m = p->system->momenta;
    size_t nv = (size_t)p->nv, n = (size_t)p->n;
    for (size_t k = 0; k < (size_t)count; k++)
        for (size_t i = 0; i < nv; i++) /* entries of rotations are replaced below */
            l->z[k * n + i] = m->mass[i] * l->b_a[k * nv + i];
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        size_t r = (size_t)(block->v + block->nv - 3);
        if (block->rotation < 0)
            continue;
        m3 J = m3_load(m->inertia + 9 * block->rotation);
        if (p->frame == NT_INERTIAL) {
            m3 R = quat_matrix(quat_load(at->q + block->q + block->nq - 4));
            J = m3_multiply(m3_multiply(R, J), m3_transpose(R));
        }
        v3 w = v3_load(at->v + r), momentum = m3_apply(J, w);
        for (size_t k = 0; k < (size_t)count; k++) {
            v3 b_a = v3_load(l->b_a + k * nv + r), b_v = v3_load(l->b_v + k * nv + r);
            v3 sum = v3_add(m3_apply(J, b_a), v3_cross(b_v, momentum));
            v3_store(l->z + k * n + r, v3_add(sum, v3_cross(w, m3_apply(J, b_v))));
        }
    }
}

/* The same by the system's tangents. */
static nt_status push_inertia(nt_problem *p, const linear *l, const nt_point *at, int count)
{
    nt_push push = {.at = at,
                    .parts = NT_MASS,
                    .level = NT_POSITION,
                    .mass = 1,
                    .count = count,
                    .x = l->b_a,
                    .y = l->z,
                    .x_stride = (size_t)p->nv,
                    .y_stride = (size_t)p->n,
                    .scratch = l->scratch};
    nt_status status = nt_variation_push(p, &push);
    push.parts = NT_ALL_PARTS;
    push.mass = 0, push.damping = 1, push.x = l->b_v;
    return status == NT_OK ? nt_variation_push(p, &push) : status;
}

NT_WIDE static void negate(const nt_problem *p, double scale, double *z)
{
    int nv = p->nv, n = p->n;
    for (int i = 0; i < nv; i++)
        z[i] *= -scale;
    for (int i = nv; i < n; i++)
        z[i] = -z[i];
}

/* z = -(s (M b_a + C b_v + (1 - position) K dq1 + R_p), rows) */
static nt_status right_hand_sides(nt_stepper *s, const nt_family *c, const linear *l,
                                  const nt_directions *directions, const nt_point *at,
                                  const double *after)
{
    nt_problem *p = s->problem;
    size_t nv = (size_t)p->nv, n = (size_t)p->n, count = (size_t)directions->count;
    nt_push push = {.at = at,
                    .parts = NT_ALL_PARTS,
                    .level = NT_POSITION,
                    .stiffness = 1,
                    .count = directions->count,
                    .x = after, /* dq1 comes first in a variation */
                    .y = l->z,
                    .x_stride = directions->stride,
                    .y_stride = n,
                    .scratch = l->scratch};
    nt_status status = NT_OK;
    memset(l->z, 0, count * n * sizeof *l->z);
    if (is_rigid(p))
        add_inertia(p, l, at, directions->count);
    else
        status = push_inertia(p, l, at, directions->count);
    if (status == NT_OK && c->position == 0)
        status = nt_variation_push(p, &push);
    for (size_t k = 0; k < count && status == NT_OK; k++) {
        double *z = l->z + k * n;
        nt_terms terms = {
            .parts = NT_ALL_PARTS, .level = NT_POSITION, .residual = z, .rows = z + nv};
        status = directions->load(directions->context, (int)k, at, &terms);
        negate(p, c->scale, z);
        for (int i = 0; i < p->n_dropped; i++)
            z[p->dropped[i]] = 0;
    }
    return status;
}

NT_WIDE static void add_solution(const nt_family *c, int nv, const double *restrict x,
                                 const double *restrict b_a, const double *restrict b_v,
                                 double *restrict v, double *restrict vdot, double *restrict a)
{
    double of_v = c->gamma_prime, of_a = c->beta_prime, share = c->share;
    for (int i = 0; i < nv; i++) {
        double acceleration = of_a * x[i] + b_a[i];
        v[i] = of_v * x[i] + b_v[i];
        vdot[i] = acceleration;
        a[i] += share * acceleration;
    }
}

/* (e, s dlambda) into all of `after`. */
static void take_solution(const nt_problem *p, const nt_family *c, const linear *l, double *z,
                          const double *b_a, const double *b_v, const nt_variation *to)
{
    double unscale = 1 / c->scale;
    if (c->position > 0)
        memcpy(to->q, z, (size_t)p->nv * sizeof *z);
    nt_variation_map(&p->space, l->T_inverse, z, z);
    add_solution(c, p->nv, z, b_a, b_v, to->v, to->vdot, to->method);
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
    nt_space_tangent(&p->space, p->frame, l.x, c.position > 0 ? NULL : l.T, l.T_inverse);
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
