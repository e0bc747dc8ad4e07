/* The derivative of a step of generalized-alpha on Lie groups; see generalized_alpha.c.
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
#include "method/generalized_alpha.h"

#include "base/target.h"
#include "base/vector3.h"
#include "group/rotation.h"
#include "linalg/lanes.h"
#include "method/variation.h"

#include <string.h>

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

void nt_generalized_alpha_linear_layout(const nt_problem *problem, nt_layout *sizes)
{
    size_t nv = (size_t)problem->nv, each = 18 + sizeof(turn) / sizeof(double);
    sizes->linear = 2 * nv + each * (size_t)problem->space.n_rotations;
    sizes->linear_each = 2 * nv + (size_t)problem->n;
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

NT_INLINE void put_three(lanes x, double *out) { out[0] = x[0], out[1] = x[1], out[2] = x[2]; }

/* Four bodies, component by component: loops over them become vector instructions. */
enum { FOUR = 4 };

typedef struct bundle {
    const nt_block *block[FOUR];
    double q[4][FOUR], w[3][FOUR], J[9][FOUR]; /* J in body axes, then in those of the frame  */
    double C[9][FOUR], of_y[9][FOUR];          /* -(beta' J + gamma' C)                       */
} bundle;

NT_INLINE m3 get(double from[9][FOUR], int l)
{
    return (m3){from[0][l], from[1][l], from[2][l], from[3][l], from[4][l],
                from[5][l], from[6][l], from[7][l], from[8][l]};
}

NT_INLINE void set(double to[9][FOUR], int l, m3 a)
{
    to[0][l] = a.xx, to[1][l] = a.xy, to[2][l] = a.xz;
    to[3][l] = a.yx, to[4][l] = a.yy, to[5][l] = a.yz;
    to[6][l] = a.zx, to[7][l] = a.zy, to[8][l] = a.zz;
}

/* J in the axes of the frame: R J R^T or J. */
NT_WIDE static void turn_inertia(bundle *restrict b)
{
    for (int l = 0; l < FOUR; l++) {
        m3 R = quat_matrix((quat){b->q[0][l], b->q[1][l], b->q[2][l], b->q[3][l]});
        set(b->J, l, m3_multiply(m3_multiply(R, get(b->J, l)), m3_transpose(R)));
    }
}

/* The torque J w' + w x J w of a rigid body: M = J, C = w~ J - (J w)~. */
NT_WIDE static void differentiate_torque(bundle *restrict b, double beta_prime, double gamma_prime)
{
    for (int l = 0; l < FOUR; l++) {
        m3 J = get(b->J, l);
        v3 w = v3_of(b->w[0][l], b->w[1][l], b->w[2][l]);
        m3 C = m3_sub(m3_skew_multiply(w, J), m3_skew(m3_apply(J, w)));
        set(b->C, l, C);
        set(b->of_y, l, m3_scale(-1, m3_add(m3_scale(beta_prime, J), m3_scale(gamma_prime, C))));
    }
}

static void gather(bundle *b, int l, const nt_block *block, const nt_point *at,
                   const double *inertia)
{
    const double *q = at->q + block->q + block->nq - 4, *w = at->v + block->v + block->nv - 3;
    b->block[l] = block;
    for (int k = 0; k < 4; k++)
        b->q[k][l] = q[k];
    for (int k = 0; k < 3; k++)
        b->w[k][l] = w[k];
    for (int k = 0; k < 9; k++)
        b->J[k][l] = inertia[9 * block->rotation + k];
}

/* Rows of a bundle to columns of four. */
static void scatter(double from[9][FOUR], int l, double *to)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            to[4 * j + i] = from[3 * i + j][l];
}

/* The first n bodies of a bundle; all of it is computed. */
static void find_some(const nt_problem *p, const nt_family *c, const linear *l, bundle *b, int n)
{
    if (p->frame == NT_INERTIAL)
        turn_inertia(b);
    differentiate_torque(b, c->beta_prime, c->gamma_prime);
    for (int k = 0; k < n; k++) {
        turn *t = &l->turns[b->block[k]->rotation];
        scatter(b->C, k, t->of_v);
        scatter(b->of_y, k, t->of_y);
        memset(l->mass + b->block[k]->v + b->block[k]->nv - 3, 0, 3 * sizeof *l->mass);
    }
}

static void find_turns(const nt_problem *p, const nt_family *c, const linear *l, const nt_point *at)
{
    const nt_momenta *m = nt_generalized_alpha_is_rigid(p) ? p->system->momenta : NULL;
    bundle some = {.block = {NULL}};
    int n = 0;
    for (int i = 0; m && i < p->nv; i++)
        l->mass[i] = c->scale * c->beta_prime * m->mass[i];
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        if (block->rotation < 0)
            continue;
        const double *T_inverse = l->T_inverse + 9 * block->rotation;
        double *push = l->turns[block->rotation].push;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                push[4 * j + i] = T_inverse[3 * i + j];
        if (!m)
            continue;
        gather(&some, n++, block, at, m->inertia);
        if (n == FOUR) {
            find_some(p, c, l, &some, n);
            n = 0;
        }
    }
    if (n > 0)
        find_some(p, c, l, &some, n);
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
    return nt_generalized_alpha_is_rigid(p) && c->position > 0 && count > FOUR ? FOUR : count;
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
    bool rigid = nt_generalized_alpha_is_rigid(p) && c->position > 0;
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

nt_status nt_generalized_alpha_linearise(nt_stepper *s, double h, const nt_directions *directions,
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
