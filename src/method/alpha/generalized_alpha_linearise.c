/* The derivative of a step of generalized-alpha on Lie groups; see generalized_alpha.c.
 *
 * Bruls & Eberhard 2008, (57), (108). With Ad the carrying of q0's increment along the step,
 *
 *   dq1 = Ad dq0 + T dx,   dx = c_x + h^2 beta da_1',   dv1 = c_v + h gamma da_1',
 *   da_1 = c_a + da_1',    da_1' = (1 - alpha_f)/(1 - alpha_m) dvdot1,
 *   c_a = (alpha_f dvdot0 - alpha_m da_0)/(1 - alpha_m),
 *   c_x = h dv0 + h^2 (1/2 - beta) da_0 + h^2 beta c_a,
 *   c_v = dv0 + h (1 - gamma) da_0 + h gamma c_a.
 *
 * In the unknown e = dq1 of the iteration
 *
 *   dvdot1 = beta' w,  dv1 = gamma' w + c_v,  w = T^-1 e - y,  y = T^-1 Ad dq0 + c_x:
 *
 * the matrix of the iteration and -s (C c_v - (beta' M + gamma' C) y + R_p), -(kappa_v (c_v -
 * gamma' y) + rows_p) on the right. With beta = 0 dq1 = Ad dq0 + T c_x is known, K dq1 is on the
 * right and y = 0. T^-1 Ad = T^-T, since Ad = T T^-T in either frame. Of rigid motions
 * Ad = exp(-ad) = T(x) T(-x)^-1 with T(x)^-1 = 1 + ad/2 + even powers of ad = ad(x), so that
 * T^-1 Ad = T^-1 - ad. */
#include "method/alpha/generalized_alpha.h"

#include "base/target.h"
#include "base/vector3.h"
#include "group/rotation.h"
#include "linalg/lanes.h"
#include "method/variation.h"

#include <string.h>

typedef nt_generalized_alpha_torques torques;
typedef nt_generalized_alpha_linear linear;

/* Products with M and C are known without tangents, and K does not appear. */
static bool is_rigid(const nt_problem *p, const nt_family *c)
{
    return nt_generalized_alpha_is_rigid(p) && c->position > 0;
}

static size_t fours_of(size_t count) { return (count + 3) / 4 * 4; }

void nt_generalized_alpha_linear_layout(const nt_problem *problem, const nt_options *option,
                                        nt_layout *sizes)
{
    size_t nv = (size_t)problem->nv, rotations = (size_t)problem->space.n_rotations;
    size_t of_torques = fours_of(rotations) / 4 * (sizeof(torques) / sizeof(double));
    nt_family c = nt_family_of_step(option, 1);
    sizes->fours = is_rigid(problem, &c);
    sizes->linear = fours_of(2 * nv + 2 * nt_problem_map_size(problem) * rotations) + of_torques +
                    2 * NT_GROUP_GAP;
    sizes->linear_each = 2 * nv + (size_t)problem->n;
    if (sizes->fours)
        sizes->linear += 2 * (4 * nv + (size_t)problem->nc + (size_t)problem->system->n_memory);
}

static linear alpha_linear_of(const nt_problem *p, const nt_directions *directions)
{
    size_t nv = (size_t)p->nv, rotations = (size_t)p->space.n_rotations;
    size_t count = directions->fours ? 4 : (size_t)directions->count;
    size_t maps = nt_problem_map_size(p) * rotations;
    linear l = {.x = directions->scratch};
    l.T = l.x + nv;
    l.T_inverse = l.T + maps;
    l.mass = l.T_inverse + maps;
    l.torques = (torques *)(l.x + fours_of((size_t)(l.mass + nv - l.x)));
    l.y = (double *)(l.torques + fours_of(rotations) / 4);
    l.c_v = l.y + count * nv + NT_GROUP_GAP;
    l.z = l.c_v + count * nv + NT_GROUP_GAP;
    l.one = directions->fours ? l.z + 4 * (size_t)p->n : NULL;
    return l;
}

/* a x for columns a */
NT_INLINE lanes product(const lanes a[3], const double *x)
{
    return (a[0] * x[0] + a[1] * x[1]) + a[2] * x[2];
}

/* The fourth number of a column may be anything, but it must be there. */
NT_INLINE void load_columns(const double *from, lanes a[3])
{
    for (int j = 0; j < 3; j++)
        a[j] = *(const lanes_anywhere *)(from + 3 * j);
}

NT_INLINE void put_three(lanes x, double *out) { out[0] = x[0], out[1] = x[1], out[2] = x[2]; }

enum { FOUR = 4 };

/* Four bodies side by side; J in body axes, then in those of the frame. */
typedef struct bodies {
    double q[4][FOUR], w[4][FOUR], J[9][FOUR];
} bodies;

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
NT_WIDE static void turn_inertia(bodies *restrict b)
{
    for (int l = 0; l < FOUR; l++) {
        m3 R = quat_matrix((quat){b->q[0][l], b->q[1][l], b->q[2][l], b->q[3][l]});
        set(b->J, l, m3_multiply(m3_multiply(R, get(b->J, l)), m3_transpose(R)));
    }
}

/* The torque J w' + w x J w of a rigid body: M = J, C = w~ J - (J w)~. */
NT_WIDE static void differentiate_torques(bodies *restrict b, double beta_prime, double gamma_prime,
                                          torques *restrict t)
{
    for (int l = 0; l < FOUR; l++) {
        m3 J = get(b->J, l);
        v3 w = v3_of(b->w[0][l], b->w[1][l], b->w[2][l]);
        m3 C = m3_sub(m3_skew_multiply(w, J), m3_skew(m3_apply(J, w)));
        set(t->of_v, l, C);
        set(t->of_y, l, m3_scale(-1, m3_add(m3_scale(beta_prime, J), m3_scale(gamma_prime, C))));
    }
}

/* The fourth number of w is that of the body or array that follows. */
NT_WIDE static void gather(const double *const q[FOUR], const double *const w[FOUR],
                           const double *const J[FOUR], bodies *b)
{
    lanes_beside(4, q, 1, b->q[0]);
    lanes_beside(4, w, 1, b->w[0]);
    lanes_beside(8, J, 1, b->J[0]);
    for (int l = 0; l < FOUR; l++)
        b->J[8][l] = J[l][8];
}

/* Masses and torques of rigid bodies; where there are fewer than four, one stands for the others.
 */
static void find_rigid(const nt_problem *p, const nt_family *c, const linear *l, const nt_point *at)
{
    const nt_momenta *m = p->system->momenta;
    const double *q[FOUR], *w[FOUR], *J[FOUR];
    for (int i = 0; i < p->nv; i++)
        l->mass[i] = c->scale * c->beta_prime * m->mass[i];
    for (int b = 0, r = 0; r < p->space.n_rotations; b++) {
        const nt_block *block = &p->space.blocks[b];
        if (block->rotation < 0)
            continue;
        for (int k = r % FOUR; k < FOUR; k++) {
            q[k] = at->q + block->q + block->nq - 4;
            w[k] = at->v + block->v + block->nv - 3;
            J[k] = m->inertia + 9 * r;
        }
        memset(l->mass + block->v + block->nv - 3, 0, 3 * sizeof *l->mass);
        if (++r % FOUR != 0 && r < p->space.n_rotations)
            continue;
        bodies some;
        gather(q, w, J, &some);
        if (p->frame == NT_INERTIAL)
            turn_inertia(&some);
        differentiate_torques(&some, c->beta_prime, c->gamma_prime, &l->torques[(r - 1) / FOUR]);
    }
}

/* Rotation entries of `count` vectors: out = T^-T x. */
NT_WIDE static void turn_all(const nt_space *space, const double *T_inverse, int count,
                             const double *x, size_t x_stride, double *out, size_t out_stride)
{
    for (int b = 0; b < space->n_blocks; b++) {
        const nt_block *block = &space->blocks[b];
        if (block->rotation < 0)
            continue;
        size_t r = (size_t)(block->v + block->nv - 3);
        lanes a[3];
        load_columns(T_inverse + 9 * block->rotation, a);
        for (size_t k = 0; k < (size_t)count; k++)
            put_three(product(a, x + k * x_stride + r), out + k * out_stride + r);
    }
}

/* T^-1 - ad(x) of rigid motions instead: ad(u, psi) (k, l) = (psi x k + u x l, psi x l). */
static void turn_motions(const nt_problem *p, const linear *l, double *y)
{
    const nt_space *space = &p->space;
    for (int b = 0; b < space->n_blocks; b++) {
        const nt_block *block = &space->blocks[b];
        if (block->rotation < 0)
            continue;
        const double *x = l->x + block->v;
        double *at = y + block->v;
        v3 u = v3_load(x), psi = v3_load(x + 3), k = v3_load(at), turn = v3_load(at + 3);
        nt_motion_map(l->T_inverse + 36 * block->rotation, at);
        v3 moves = v3_add(v3_cross(psi, k), v3_cross(u, turn));
        v3_store(at, v3_sub(v3_load(at), moves));
        v3_store(at + 3, v3_sub(v3_load(at + 3), v3_cross(psi, turn)));
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

/* y, c_v and the known parts of da_1 (in their places in `after`); with beta = 0 dq1 too. */
static void known_parts(const nt_problem *p, const nt_family *c, const linear *l,
                        const nt_directions *directions, const double *before, double *after)
{
    size_t nv = (size_t)p->nv, stride = directions->stride;
    int count = directions->count;
    for (size_t k = 0; k < (size_t)count; k++) /* dq comes first in a variation */
        memcpy(l->y + k * nv, before + k * stride, nv * sizeof *before);
    for (size_t k = 0; p->frame == NT_SE3 && k < (size_t)count; k++)
        turn_motions(p, l, l->y + k * nv);
    if (p->frame != NT_SE3)
        turn_all(&p->space, l->T_inverse, count, before, stride, l->y, nv);
    for (int k = 0; k < count; k++) {
        nt_const_variation from = nt_const_variation_at(p, directions, before, k);
        nt_variation to = nt_variation_at(p, directions, after, k);
        double *y = l->y + (size_t)k * nv;
        add_known(c, p->nv, from.v, from.vdot, from.method, y, l->c_v + (size_t)k * nv, to.method);
        if (c->position == 0) {
            nt_variation_map(p, l->T, y, to.q);
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
        torques *t = &l->torques[block->rotation / FOUR];
        size_t r = (size_t)(block->v + block->nv - 3);
        m3 of_y = get(t->of_y, block->rotation % FOUR), of_v = get(t->of_v, block->rotation % FOUR);
        for (size_t k = 0; k < (size_t)count; k++)
            v3_accumulate(l->z + k * n + r, v3_add(m3_apply(of_y, v3_load(l->y + k * nv + r)),
                                                   m3_apply(of_v, v3_load(l->c_v + k * nv + r))));
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
static nt_status add_inertia(nt_factors *f, const nt_family *c, const linear *l,
                             const nt_directions *directions, const nt_point *at,
                             const double *after)
{
    const nt_problem *p = f->problem;
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
    nt_status status = c->position > 0 ? nt_variation_push(f, &push) : NT_OK;
    push.mass = 0, push.damping = 1, push.x = l->c_v;
    if (status == NT_OK)
        status = nt_variation_push(f, &push);
    push.damping = 0, push.stiffness = 1;
    push.x = after, push.x_stride = directions->stride; /* dq1 comes first in a variation */
    return status == NT_OK && c->position == 0 ? nt_variation_push(f, &push) : status;
}

static nt_status finish_any(nt_factors *f, const nt_family *c, const linear *l,
                            const nt_directions *directions, const nt_point *at,
                            const double *after)
{
    const nt_problem *p = f->problem;
    nt_status status = add_inertia(f, c, l, directions, at, after);
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

/* (e, s dlambda) of all directions into all of `after`. */
static void take_solutions(const nt_problem *p, const nt_family *c, const linear *l,
                           const nt_directions *directions, double *after)
{
    size_t nv = (size_t)p->nv, n = (size_t)p->n;
    int count = directions->count;
    for (size_t k = 0; k < (size_t)count && c->position > 0; k++)
        memcpy(after + k * directions->stride, l->z + k * n, nv * sizeof *after);
    for (int k = 0; k < count; k++) {
        nt_variation to = nt_variation_at(p, directions, after, k);
        double *x = l->z + (size_t)k * n;
        nt_variation_map(p, l->T_inverse, x, x);
        add_solution(c, p->nv, p->nc, x, l->y + (size_t)k * nv, l->c_v + (size_t)k * nv, to.v,
                     to.vdot, to.method, to.lambda);
    }
}

/* The matrix of the iteration, where the step has not left it there. */
static nt_status make_tangent(nt_stepper *s, const nt_family *c, const linear *l,
                              const nt_point *at)
{
    bool left = s->has_tangent;
    s->has_tangent = false;
    return left ? NT_OK : nt_newton_tangent(s, c, at, l->T_inverse, NULL);
}

static nt_status alpha_solve(nt_stepper *s, const nt_family *c, const linear *l, const nt_point *at,
                             int count)
{
    nt_factors *f = s->factors;
    nt_status status = make_tangent(s, c, l, at);
    if (status != NT_OK || count == 1)
        return status == NT_OK ? nt_solver_factor_solve(f->solver, &f->matrix, l->z) : status;
    status = nt_solver_factor_clear(f->solver, &f->matrix);
    return status == NT_OK ? nt_solver_solve(f->solver, l->z, count) : status;
}

/* All directions, one after the other; the first is `first` for its load. */
static nt_status linearise_all(nt_stepper *s, const nt_family *c, const linear *l,
                               const nt_directions *directions, const nt_point *at, int first,
                               const double *before, double *after)
{
    const nt_problem *p = s->problem;
    size_t n = (size_t)p->n;
    int count = directions->count;
    nt_status status = NT_OK;
    known_parts(p, c, l, directions, before, after);
    memset(l->z, 0, (size_t)count * n * sizeof *l->z);
    for (int k = 0; k < count && status == NT_OK; k++) {
        double *z = l->z + (size_t)k * n;
        status = add_load(directions, first + k, at, z, z + p->nv);
    }
    if (status == NT_OK && is_rigid(p, c))
        finish_rigid(p, c, l, count);
    else if (status == NT_OK) {
        s->has_tangent = false; /* products with other tangents take its place */
        status = finish_any(s->factors, c, l, directions, at, after);
    }
    for (int k = 0; k < count; k++)
        for (int i = 0; i < s->factors->n_dropped; i++)
            l->z[(size_t)k * n + (size_t)s->factors->dropped[i]] = 0;
    if (status == NT_OK)
        status = alpha_solve(s, c, l, at, count);
    if (status == NT_OK)
        take_solutions(p, c, l, directions, after);
    return status;
}

/* The four from `first` on, of which some may be beyond the end; solved for in `after` itself. The
 * matrix is made and factorised for the first of all. */
static nt_status linearise_four(nt_stepper *s, const nt_family *c, const linear *l,
                                const nt_directions *directions, const nt_point *at, int first,
                                const double *before, double *after)
{
    const nt_problem *p = s->problem;
    size_t n = (size_t)p->n;
    int left = directions->count - first, count = left < FOUR ? left : FOUR;
    nt_const_variation from = nt_const_variation_group(p, directions, before, first / FOUR);
    nt_variation to = nt_variation_group(p, directions, after, first / FOUR);
    nt_status status = NT_OK;
    memset(l->z, 0, FOUR * n * sizeof *l->z);
    for (int k = 0; k < count && status == NT_OK; k++) {
        double *z = l->z + (size_t)k * n;
        status = add_load(directions, first + k, at, z, z + p->nv);
    }
    nt_generalized_alpha_known_beside(p, c, l, &from, &to);
    for (int i = 0; i < s->factors->n_dropped; i++)
        memset(to.q + FOUR * s->factors->dropped[i], 0, FOUR * sizeof *to.q);
    if (status == NT_OK && first == 0)
        status = make_tangent(s, c, l, at);
    if (status == NT_OK && first == 0)
        status = nt_solver_factor_clear(s->factors->solver, &s->factors->matrix);
    if (status == NT_OK)
        status = nt_solver_solve_beside(s->factors->solver, to.q, count);
    if (status == NT_OK)
        nt_generalized_alpha_take_beside(p, c, l, &to);
    return status;
}

/* The system took the promises back that side by side relies on (damping began with a change of
 * parameters): copies of each, as if it were alone. */
static nt_status linearise_each(nt_stepper *s, const nt_family *c, const linear *l,
                                const nt_directions *directions, const nt_point *at,
                                const double *before, double *after)
{
    const nt_problem *p = s->problem;
    nt_directions alone = *directions;
    double *from = l->one, *to = from + directions->stride;
    nt_status status = NT_OK;
    alone.fours = false;
    alone.count = 1;
    for (int i = 0; i < directions->count && status == NT_OK; i++) {
        nt_variation_read(p, directions, before, i, from);
        status = linearise_all(s, c, l, &alone, at, i, from, to);
        nt_variation_write(p, directions, after, i, to);
    }
    return status;
}

/* a_0 = vdot_0 */
static void alpha_linearise_start(const nt_problem *p, const nt_directions *directions,
                                  double *after)
{
    size_t bytes = (size_t)p->nv * sizeof(double);
    for (int k = 0; k < directions->count; k += directions->fours ? FOUR : 1) {
        nt_variation d = directions->fours ? nt_variation_group(p, directions, after, k / FOUR)
                                           : nt_variation_at(p, directions, after, k);
        memcpy(d.method, d.vdot, directions->fours ? FOUR * bytes : bytes);
    }
}

nt_status nt_generalized_alpha_linearise(nt_stepper *s, double h, const nt_directions *directions,
                                         const double *before, double *after)
{
    const nt_problem *p = s->problem;
    int nv = p->nv;
    if (h == 0) {
        alpha_linearise_start(p, directions, after);
        return NT_OK;
    }
    nt_family c = nt_family_of_step(s->options, h);
    linear l = alpha_linear_of(p, directions);
    nt_point at = nt_phase_point(&s->next);
    at.memory = s->now.memory;
    if (s->has_tangent) { /* and its T^-1 */
        nt_newton w;
        nt_newton_bind(&w, s, &c);
        l.T_inverse = w.T_inverse;
    } else {
        for (int i = 0; i < nv; i++) /* h Dq */
            l.x[i] = h * s->now.v[i] +
                     h * h * ((0.5 - c.beta) * s->now.method[i] + c.beta * s->next.method[i]);
        nt_space_tangent(&p->space, p->frame, l.x, c.position > 0 ? NULL : l.T, l.T_inverse);
    }
    bool rigid = is_rigid(p, &c);
    if (rigid)
        find_rigid(p, &c, &l, &at);
    if (!directions->fours)
        return linearise_all(s, &c, &l, directions, &at, 0, before, after);
    if (!rigid)
        return linearise_each(s, &c, &l, directions, &at, before, after);
    nt_status status = NT_OK;
    for (int first = 0; first < directions->count && status == NT_OK; first += FOUR)
        status = linearise_four(s, &c, &l, directions, &at, first, before, after);
    return status;
}
