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
#include "linalg/lanes.h"
#include "method/family.h"
#include "method/variation.h"

#include <string.h>

static const nt_option_key options[NT_FAMILY_OPTIONS] = {NT_FAMILY_OPTION_KEYS};

static size_t linear_size(const nt_problem *problem);

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

/* Whether M and C are those of rigid bodies and nothing else: then their products need no tangent.
 */
static bool is_rigid(const nt_problem *p)
{
    unsigned promised = NT_HAS_MOMENTA | NT_POSITION_FORCES;
    return p->nn == 0 && p->system->momenta && (p->system->capabilities & promised) == promised;
}

static nt_status step(nt_stepper *s, double h)
{
    nt_newton w;
    nt_newton_bind(&w, s, h);
    w.keeps_tangent = s->differentiated && w.c.position > 0 && is_rigid(s->problem);
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
 * In the unknown e = dq1 of the iteration
 *
 *   dvdot1 = beta' w,  dv1 = gamma' w + c_v,  w = T^-1 e - y,  y = T^-1 Ad dq0 + c_x:
 *
 * the matrix of the iteration and -s (C c_v - (beta' M + gamma' C) y + R_p), -(kappa_v (c_v -
 * gamma' y) + rows_p) on the right. With beta = 0 dq1 = Ad dq0 + T c_x is known, K dq1 is on the
 * right and y = 0. T^-1 Ad = T^-T, since Ad = T T^-T in either frame. */

/* Matrices of a rotation, by columns of four numbers: a product is three vector instructions. */
typedef struct turn {
    double push[12];           /* T^-1                                           */
    double of_y[12], of_v[12]; /* -(beta' M + gamma' C) and C, of a rigid body   */
} turn;

typedef struct linear {
    double *x;             /* [nv] h Dq                   */
    double *T, *T_inverse; /* [r][9]; rows of T^-1 are columns of T^-T */
    turn *turns;           /* [r]                         */
    double *mass;          /* [nv] s beta' m of a rigid system, 0 for rotations */
    double *y, *c_v;       /* [count][nv], see `together` */
    double *z;             /* [count][n]                  */
} linear;

static size_t linear_size(const nt_problem *problem)
{
    size_t each = 18 + sizeof(turn) / sizeof(double);
    return 2 * (size_t)problem->nv + each * (size_t)problem->space.n_rotations;
}

static linear linear_of(const nt_problem *p, const nt_directions *directions)
{
    size_t nv = (size_t)p->nv, rotations = (size_t)p->space.n_rotations;
    linear l = {.x = directions->scratch};
    l.T = l.x + nv;
    l.T_inverse = l.T + 9 * rotations;
    l.turns = (turn *)(l.T_inverse + 9 * rotations);
    l.mass = (double *)(l.turns + rotations);
    l.y = l.mass + nv;
    l.c_v = l.y + (size_t)directions->count * nv;
    l.z = l.c_v + (size_t)directions->count * nv;
    return l;
}

/* a x for columns a */
NT_INLINE lanes product(const lanes a[3], const double *x)
{
    return (a[0] * x[0] + a[1] * x[1]) + a[2] * x[2];
}

/* The fourth number of a column may be anything, but it must be there. */
NT_INLINE void load_columns(const double *from, int stride, lanes a[3])
{
    for (int j = 0; j < 3; j++)
        a[j] = *(const lanes_anywhere *)(from + stride * j);
}

/* The columns of a matrix given by rows. */
NT_INLINE void transpose(const double *a, lanes columns[3])
{
    const double transposed[12] = {a[0], a[3], a[6], 0, a[1], a[4], a[7], 0, a[2], a[5], a[8], 0};
    load_columns(transposed, 4, columns);
}

NT_INLINE void put(lanes x, double *out) { *(lanes_anywhere *)out = x; }
NT_INLINE void put_three(lanes x, double *out) { out[0] = x[0], out[1] = x[1], out[2] = x[2]; }

/* w~ by columns */
NT_INLINE void load_skew(const double *w, lanes a[3])
{
    const double columns[12] = {0, w[2], -w[1], 0, -w[2], 0, w[0], 0, w[1], -w[0], 0, 0};
    load_columns(columns, 4, a);
}

/* J in the axes of the frame: R J R^T or J. */
NT_INLINE void turn_inertia(const double *inertia, const double *q, bool inertial, lanes J[3])
{
    double R[9], part[4];
    lanes own[3], columns[3];
    transpose(inertia, own); /* symmetric; its end may be that of the array */
    m3_store(R, quat_matrix(quat_load(q)));
    transpose(R, columns);
    for (int j = 0; j < 3; j++) {
        put(product(own, R + 3 * j), part);
        J[j] = inertial ? product(columns, part) : own[j];
    }
}

/* The torque J w' + w x J w of a rigid body: M = J, C = w~ J - (J w)~. */
NT_INLINE void put_inertia(const nt_family *c, const lanes J[3], const double *w, turn *t)
{
    double Jw[4], column[4];
    lanes turning[3], skew[3];
    put(product(J, w), Jw);
    load_skew(w, turning);
    load_skew(Jw, skew);
    for (int j = 0; j < 3; j++) {
        put(J[j], column);
        lanes C = product(turning, column) - skew[j];
        put(C, t->of_v + 4 * j);
        put(-(J[j] * c->beta_prime + C * c->gamma_prime), t->of_y + 4 * j);
    }
}

NT_WIDE static void find_turns(const nt_problem *p, const nt_family *c, const linear *l,
                               const nt_point *at)
{
    const nt_momenta *m = is_rigid(p) ? p->system->momenta : NULL;
    for (int i = 0; m && i < p->nv; i++)
        l->mass[i] = c->scale * c->beta_prime * m->mass[i];
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        if (block->rotation < 0)
            continue;
        turn *t = &l->turns[block->rotation];
        lanes push[3], J[3];
        transpose(l->T_inverse + 9 * block->rotation, push);
        for (int j = 0; j < 3; j++)
            put(push[j], t->push + 4 * j);
        if (!m)
            continue;
        turn_inertia(m->inertia + 9 * block->rotation, at->q + block->q + block->nq - 4,
                     p->frame == NT_INERTIAL, J);
        put_inertia(c, J, at->v + block->v + block->nv - 3, t);
        memset(l->mass + block->v + block->nv - 3, 0, 3 * sizeof *l->mass);
    }
}

/* Rotation entries of `count` vectors: out = T^-T x, with `push` T^-1 x. */
NT_WIDE static void turn_all(const nt_space *space, const linear *l, bool push, int count,
                             const double *x, size_t x_stride, double *out, size_t out_stride)
{
    for (int b = 0; b < space->n_blocks; b++) {
        const nt_block *block = &space->blocks[b];
        if (block->rotation < 0)
            continue;
        size_t r = (size_t)(block->v + block->nv - 3);
        lanes a[3];
        load_columns(push ? l->turns[block->rotation].push : l->T_inverse + 9 * block->rotation,
                     push ? 4 : 3, a);
        for (size_t k = 0; k < (size_t)count; k++)
            put_three(product(a, x + k * x_stride + r), out + k * out_stride + r);
    }
}

/* y += c_x, c_v, c_a */
NT_WIDE static void add_known(const nt_family *c, int nv, const double *restrict v,
                              const double *restrict vdot, const double *restrict a,
                              double *restrict y, double *restrict c_v, double *restrict c_a)
{
    double h = c->h, part = 1 / (1 - c->alpha_m);
    double of_vdot = part * c->alpha_f, of_a = -part * c->alpha_m;
    double x_a = h * h * (0.5 - c->beta), x_c = h * h * c->beta;
    double v_a = h * (1 - c->gamma), v_c = h * c->gamma;
    for (int i = 0; i < nv; i++) {
        double known = of_vdot * vdot[i] + of_a * a[i];
        y[i] += h * v[i] + (x_a * a[i] + x_c * known);
        c_v[i] = v[i] + (v_a * a[i] + v_c * known);
        c_a[i] = known;
    }
}

/* y, c_v and the known parts of da_1 (in their places in `after`) of `count` directions; with beta
 * = 0 dq1 too. */
static void known_parts(const nt_problem *p, const nt_family *c, const linear *l,
                        const nt_directions *directions, int count, const double *before,
                        double *after)
{
    size_t nv = (size_t)p->nv, stride = directions->stride;
    for (size_t k = 0; k < (size_t)count; k++) /* dq comes first in a variation */
        memcpy(l->y + k * nv, before + k * stride, nv * sizeof *before);
    turn_all(&p->space, l, false, count, before, stride, l->y, nv);
    for (int k = 0; k < count; k++) {
        nt_variation from = nt_variation_at(p, directions, before, k);
        nt_variation to = nt_variation_at(p, directions, after, k);
        double *y = l->y + (size_t)k * nv;
        add_known(c, p->nv, from.v, from.vdot, from.method, y, l->c_v + (size_t)k * nv, to.method);
        if (c->position == 0) {
            nt_variation_map(&p->space, l->T, y, to.q);
            memset(y, 0, nv * sizeof *y);
        }
    }
}

/* z = -(s (z + C c_v - (beta' M + gamma' C) y), z) of rigid bodies */
NT_WIDE static void finish_rigid(const nt_problem *p, const nt_family *c, const linear *l,
                                 int count)
{
    const double *restrict mass = l->mass;
    size_t nv = (size_t)p->nv, n = (size_t)p->n;
    double scale = -c->scale;
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        if (block->rotation < 0)
            continue;
        const turn *t = &l->turns[block->rotation];
        size_t r = (size_t)(block->v + block->nv - 3);
        lanes of_y[3], of_v[3];
        load_columns(t->of_y, 4, of_y);
        load_columns(t->of_v, 4, of_v);
        for (size_t k = 0; k < (size_t)count; k++) {
            double *z = l->z + k * n + r;
            lanes force = product(of_y, l->y + k * nv + r) + product(of_v, l->c_v + k * nv + r);
            z[0] += force[0], z[1] += force[1], z[2] += force[2];
        }
    }
    for (size_t k = 0; k < (size_t)count; k++) {
        const double *restrict y = l->y + k * nv;
        double *restrict z = l->z + k * n;
        for (size_t i = 0; i < nv; i++)
            z[i] = scale * z[i] + mass[i] * y[i];
        for (size_t i = nv; i < n; i++)
            z[i] = -z[i];
    }
}

/* The same by the system's tangents, with kappa_v (c_v - gamma' y), and with beta = 0 K dq1. */
static nt_status add_inertia(nt_problem *p, const nt_family *c, const linear *l,
                             const nt_directions *directions, const nt_point *at,
                             const double *after)
{
    nt_push push = {.at = at,
                    .parts = NT_ALL_PARTS,
                    .level = NT_POSITION,
                    .mass = -c->beta_prime,
                    .damping = -c->gamma_prime,
                    .count = directions->count,
                    .x = l->y,
                    .y = l->z,
                    .x_stride = (size_t)p->nv,
                    .y_stride = (size_t)p->n};
    nt_status status = c->position > 0 ? nt_variation_push(p, &push) : NT_OK;
    push.mass = 0, push.damping = 1, push.x = l->c_v;
    if (status == NT_OK)
        status = nt_variation_push(p, &push);
    push.damping = 0, push.stiffness = 1;
    push.x = after, push.x_stride = directions->stride; /* dq1 comes first in a variation */
    return status == NT_OK && c->position == 0 ? nt_variation_push(p, &push) : status;
}

static nt_status finish_any(nt_problem *p, const nt_family *c, const linear *l,
                            const nt_directions *directions, const nt_point *at,
                            const double *after)
{
    nt_status status = add_inertia(p, c, l, directions, at, after);
    for (int k = 0; k < directions->count; k++) {
        double *z = l->z + (size_t)k * (size_t)p->n;
        for (int i = 0; i < p->n; i++)
            z[i] *= i < p->nv ? -c->scale : -1;
    }
    return status;
}

/* R_p and rows_p of direction k, added to z */
static nt_status add_load(const nt_directions *directions, int k, const nt_point *at, double *z,
                          double *rows)
{
    nt_terms terms = {.parts = NT_ALL_PARTS, .level = NT_POSITION, .residual = z, .rows = rows};
    return directions->load(directions->context, k, at, &terms);
}

/* dv1, dvdot1, da_1 from w = T^-1 e - y, and dlambda */
NT_WIDE static void add_solution(const nt_family *c, int nv, int nc, const double *restrict x,
                                 const double *restrict y, const double *restrict c_v,
                                 double *restrict v, double *restrict vdot, double *restrict a,
                                 double *restrict lambda)
{
    double of_v = c->gamma_prime, of_a = c->beta_prime, share = c->share;
    for (int i = 0; i < nv; i++) {
        double w = x[i] - y[i], acceleration = of_a * w;
        v[i] = of_v * w + c_v[i];
        vdot[i] = acceleration;
        a[i] += share * acceleration;
    }
    double unscale = 1 / c->scale;
    for (int i = 0; i < nc; i++) /* mu follows lambda */
        lambda[i] = unscale * x[nv + i];
}

/* (e, s dlambda) of `count` directions into all of `after`. */
static void take_solutions(const nt_problem *p, const nt_family *c, const linear *l,
                           const nt_directions *directions, int count, double *after)
{
    size_t nv = (size_t)p->nv, n = (size_t)p->n;
    for (size_t k = 0; k < (size_t)count && c->position > 0; k++)
        memcpy(after + k * directions->stride, l->z + k * n, nv * sizeof *after);
    turn_all(&p->space, l, true, count, l->z, n, l->z, n);
    for (int k = 0; k < count; k++) {
        nt_variation to = nt_variation_at(p, directions, after, k);
        const double *x = l->z + (size_t)k * n;
        add_solution(c, p->nv, p->nc, x, l->y + (size_t)k * nv, l->c_v + (size_t)k * nv, to.v,
                     to.vdot, to.method, to.lambda);
    }
}

/* Directions that are treated at once: what the solver takes at once, which stays in the cache; all
 * where tangents are multiplied by them, which are made before the matrix of the iteration. */
static int together(const nt_problem *p, const nt_family *c, int count)
{
    enum { FOUR = 4 };
    return is_rigid(p) && c->position > 0 && count > FOUR ? FOUR : count;
}

/* The matrix of the iteration, where the step has not left it, is made and factorised for the first
 * of all directions. */
static nt_status solve(nt_stepper *s, const nt_family *c, const linear *l, const nt_point *at,
                       int first, int count)
{
    nt_problem *p = s->problem;
    nt_status status = NT_OK;
    if (first > 0)
        return nt_solver_solve(p->solver, l->z, count);
    if (!s->has_tangent)
        status = nt_family_tangent(s, c, at, l->T_inverse, NULL);
    s->has_tangent = false;
    p->factored_for = NULL;
    if (status != NT_OK || count == 1)
        return status == NT_OK ? nt_solver_factor_solve(p->solver, &p->matrix, l->z) : status;
    status = nt_solver_factor_clear(p->solver, &p->matrix);
    return status == NT_OK ? nt_solver_solve(p->solver, l->z, count) : status;
}

/* `count` directions from `first` on; before, after: of the first. */
static nt_status linearise_some(nt_stepper *s, const nt_family *c, const linear *l,
                                const nt_directions *directions, const nt_point *at, int first,
                                int count, const double *before, double *after)
{
    nt_problem *p = s->problem;
    size_t n = (size_t)p->n;
    bool rigid = is_rigid(p) && c->position > 0;
    nt_status status = NT_OK;
    known_parts(p, c, l, directions, count, before, after);
    memset(l->z, 0, (size_t)count * n * sizeof *l->z);
    for (int k = 0; k < count && status == NT_OK; k++) {
        double *z = l->z + (size_t)k * n;
        status = add_load(directions, first + k, at, z, z + p->nv);
    }
    if (status == NT_OK && rigid)
        finish_rigid(p, c, l, count);
    else if (status == NT_OK) {
        s->has_tangent = false; /* products with other tangents take its place */
        status = finish_any(p, c, l, directions, at, after);
    }
    for (int k = 0; k < count; k++)
        for (int i = 0; i < p->n_dropped; i++)
            l->z[(size_t)k * n + (size_t)p->dropped[i]] = 0;
    if (status == NT_OK)
        status = solve(s, c, l, at, first, count);
    if (status == NT_OK)
        take_solutions(p, c, l, directions, count, after);
    return status;
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
    if (s->has_tangent) { /* and its T^-1 */
        nt_newton w;
        nt_newton_bind(&w, s, h);
        l.T_inverse = w.T_inverse;
    } else {
        for (int i = 0; i < nv; i++) /* h Dq */
            l.x[i] = h * s->now.v[i] +
                     h * h * ((0.5 - c.beta) * s->now.method[i] + c.beta * s->next.method[i]);
        nt_space_tangent(&p->space, p->frame, l.x, c.position > 0 ? NULL : l.T, l.T_inverse);
    }
    find_turns(p, &c, &l, &at);
    nt_status status = NT_OK;
    int most = together(p, &c, count);
    for (int first = 0; first < count && status == NT_OK; first += most) {
        int some = count - first < most ? count - first : most;
        size_t start = (size_t)first * directions->stride;
        status =
            linearise_some(s, &c, &l, directions, &at, first, some, before + start, after + start);
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
