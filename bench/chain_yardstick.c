/* A chain of equal bodies along x, the first on a spherical joint to ground, written out.
 *
 * Body j has its joints at s = (-L/2, 0, 0) and -s; u = R s. Joint j holds it to body j - 1:
 *
 *   Phi_j = (x_{j-1} - u_{j-1}) - (x_j + u_j),       lambda_j the force on body j,
 *   m x'' - m g - lambda_j + lambda_{j+1} = 0,
 *   J w' + w x J w - u x (lambda_j + lambda_{j+1}) = 0.
 *
 * With p = lambda_j + lambda_{j+1} a Newton step solves, for every body and joint,
 *
 *   d e_x + z_{j+1} - z_j              = b_x,        d = s beta' m
 *   A e_theta - u~ (z_j + z_{j+1})     = b_theta,    A = s (turning tangent - p~ u~)
 *   e_x{j-1} + u~ e_theta{j-1} - e_x{j} + u~ e_theta{j} = b_Phi.
 *
 * Bodies first: with P = u~ A^-1 u~, what is left is block tridiagonal in z = s Dlambda; body j
 * adds to the rows of its two joints (j above j + 1)
 *
 *   [  P - I/d   P + I/d ] [ z_j     ]
 *   [  P + I/d   P - I/d ] [ z_{j+1} ]
 *
 * and is eliminated from the first joint to the last (the free end has no z). */
#include "yardstick.h"

#include <stdlib.h>

static const double MASS = 0.078125, HALF = 0.125, GRAVITY = -9.81, SPIN = 5;
static const v3 INERTIA = {8.138020833e-6, 4.109700521e-4, 4.109700521e-4};

typedef struct body {
    v3 x, lambda; /* lambda of the joint before it */
    quat q;
    motion linear, angular;
} body;

/* A body on trial, its eliminated block and its joint's equation. */
struct link {
    trial linear, angular;
    v3 x, lambda, u;
    quat q;
    m3 J, T_inverse, A_inverse;
    v3 R_linear, R_angular, Phi;
    v3 diagonal;
    v3 b_x, b; /* b_x / d, A^-1 b_theta                                         */
    m3 D, up;  /* joint: inverse of its pivot; coupling to the joint after it   */
    v3 z;
};

struct chain_yardstick {
    int n;
    long steps, iterations;
    double t;
    body *body;
    struct link *link;
};

chain_yardstick *chain_yardstick_create(int n)
{
    chain_yardstick *chain = calloc(1, sizeof *chain);
    if (!chain)
        return NULL;
    chain->n = n;
    chain->body = calloc((size_t)n, sizeof *chain->body);
    chain->link = calloc((size_t)n, sizeof *chain->link);
    if (!chain->body || !chain->link) {
        chain_yardstick_destroy(chain);
        return NULL;
    }
    return chain;
}

void chain_yardstick_destroy(chain_yardstick *chain)
{
    if (!chain)
        return;
    free(chain->body);
    free(chain->link);
    free(chain);
}

/* ---- elimination ---------------------------------------------------------------------------- */

/* By cofactors: the blocks are diagonally dominant or nearly symmetric. */
static m3 inverse(m3 a)
{
    double xx = a.yy * a.zz - a.yz * a.zy, yx = a.yz * a.zx - a.yx * a.zz,
           zx = a.yx * a.zy - a.yy * a.zx;
    double s = 1 / (a.xx * xx + a.xy * yx + a.xz * zx);
    return (m3){s * xx, s * (a.xz * a.zy - a.xy * a.zz), s * (a.xy * a.yz - a.xz * a.yy),
                s * yx, s * (a.xx * a.zz - a.xz * a.zx), s * (a.xz * a.yx - a.xx * a.yz),
                s * zx, s * (a.xy * a.zx - a.xx * a.zy), s * (a.xx * a.yy - a.xy * a.yx)};
}

/* Solve with body blocks d I and A_inverse for z and the right-hand sides b_x, b and -Phi. */
static void eliminate(struct link *link, int n, double d)
{
    m3 carry = {0};       /* to the pivot of a joint from the body and joint before it */
    v3 right = {0, 0, 0}; /* and to its right-hand side                                */
    double loose = 1 / d;
    for (int j = 0; j < n; j++) {
        struct link *k = &link[j];
        m3 P = m3_skew_multiply(k->u, m3_multiply_skew(k->A_inverse, k->u));
        m3 minus = m3_sub(P, m3_diagonal(loose, loose, loose));
        m3 plus = m3_add(P, m3_diagonal(loose, loose, loose));
        v3 turn = v3_cross(k->u, k->b);
        k->D = inverse(m3_add(carry, minus));
        k->up = plus;
        k->z = v3_add(v3_sub(right, k->Phi), v3_sub(k->b_x, turn));
        m3 factor = m3_multiply(plus, k->D);
        carry = m3_sub(minus, m3_multiply(factor, plus));
        right = v3_neg(v3_add(v3_add(k->b_x, turn), m3_apply(factor, k->z)));
    }
    v3 after = {0, 0, 0};
    for (int j = n - 1; j >= 0; j--) {
        struct link *k = &link[j];
        after = k->z = m3_apply(k->D, v3_sub(k->z, m3_apply(k->up, after)));
    }
}

static v3 z_after(const struct link *link, int n, int j)
{
    return j + 1 < n ? link[j + 1].z : v3_of(0, 0, 0);
}

static v3 solved_x(const struct link *k, double d, v3 z_next)
{
    return v3_axpy(1 / d, v3_sub(k->z, z_next), k->b_x);
}

static v3 solved_theta(const struct link *k, v3 z_next)
{
    return v3_add(k->b, m3_apply(k->A_inverse, v3_cross(k->u, v3_add(k->z, z_next))));
}

/* ---- start ---------------------------------------------------------------------------------- */

/* Every body spins about its axis while the whole chain turns about y, v = w x r. Accelerations
 * follow from the same equations with M for the tangent: in the joints' rows stand u'' = w x (w x
 * u) of both bodies. */
void chain_yardstick_start(chain_yardstick *chain, double turn)
{
    v3 u = v3_of(-HALF, 0, 0), w = v3_of(SPIN, turn, 0);
    v3 Jw = {INERTIA.x * w.x, INERTIA.y * w.y, INERTIA.z * w.z};
    v3 centripetal = v3_cross(w, v3_cross(w, u));
    chain->t = 0;
    chain->steps = chain->iterations = 0;
    for (int j = 0; j < chain->n; j++) {
        struct link *k = &chain->link[j];
        k->u = u;
        k->A_inverse = m3_diagonal(1 / INERTIA.x, 1 / INERTIA.y, 1 / INERTIA.z);
        k->b_x = v3_of(0, GRAVITY, 0);
        k->b = v3_neg(m3_apply(k->A_inverse, v3_cross(w, Jw)));
        k->Phi = v3_scale(j > 0 ? -2 : -1, centripetal);
    }
    eliminate(chain->link, chain->n, MASS);
    for (int j = 0; j < chain->n; j++) {
        struct link *k = &chain->link[j];
        v3 z_next = z_after(chain->link, chain->n, j);
        v3 linear = solved_x(k, MASS, z_next), angular = solved_theta(k, z_next);
        v3 x = v3_of(HALF + 2 * HALF * j, 0, 0);
        v3 v = v3_of(0, 0, -turn * x.x);
        chain->body[j] = (body){.x = x,
                                .lambda = k->z,
                                .q = {.w = 1},
                                .linear = {.v = v, .vdot = linear, .a = linear},
                                .angular = {.v = w, .vdot = angular, .a = angular}};
    }
}

/* ---- one step ------------------------------------------------------------------------------- */

static v3 lambda_after(const chain_yardstick *chain, int j)
{
    return j + 1 < chain->n ? chain->link[j + 1].lambda : v3_of(0, 0, 0);
}

static void equilibrium(chain_yardstick *chain, int j)
{
    struct link *k = &chain->link[j];
    v3 next = lambda_after(chain, j), p = v3_add(k->lambda, next);
    k->x = v3_add(chain->body[j].x, k->linear.increment);
    k->q = so3_compose(NT_INERTIAL, chain->body[j].q, k->angular.increment);
    m3 R = quat_matrix(k->q);
    k->u = v3_of(-HALF * R.xx, -HALF * R.yx, -HALF * R.zx);
    k->J = turned_inertia(R, INERTIA);
    k->R_linear = v3_axpy(MASS, k->linear.vdot, v3_sub(next, k->lambda));
    k->R_linear.y -= MASS * GRAVITY;
    k->R_angular = v3_sub(turning_residual(k->J, k->angular.v, k->angular.vdot), v3_cross(k->u, p));
    v3 end = v3_of(0, 0, 0);
    if (j > 0)
        end = v3_sub(chain->link[j - 1].x, chain->link[j - 1].u);
    k->Phi = v3_sub(end, v3_add(k->x, k->u));
}

static void assemble(const alpha *c, chain_yardstick *chain, int j)
{
    struct link *k = &chain->link[j];
    v3 p = v3_add(k->lambda, lambda_after(chain, j));
    k->T_inverse = so3_frame_tangent_inverse(NT_INERTIAL, k->angular.increment);
    m3 A = m3_sub(turning_tangent(c, k->J, k->angular.v, k->angular.vdot, k->T_inverse),
                  m3_scale(c->scale, m3_skew_skew(p, k->u)));
    k->diagonal = v3_scale(1 / c->scale, v3_of(fabs(A.xx), fabs(A.yy), fabs(A.zz)));
    k->A_inverse = inverse(A);
    k->b_x = v3_scale(-1 / (c->beta_prime * MASS), k->R_linear);
    k->b = m3_apply(k->A_inverse, v3_scale(-c->scale, k->R_angular));
}

static void measure_link(const alpha *c, struct link *k, force_sizes *f)
{
    double m = c->beta_prime * MASS;
    v3 increment = k->linear.increment;
    v3 size = {fabs(k->x.x) + fabs(increment.x), fabs(k->x.y) + fabs(increment.y),
               fabs(k->x.z) + fabs(increment.z)};
    measure(f, 0, c, v3_of(m, m, m), k->linear.vdot, size);
    measure(f, 1, c, k->diagonal, k->angular.vdot, v3_of(1, 1, 1));
    f->force[0] = larger(f->force[0], largest(k->lambda));
    set_tolerance(&k->linear);
    set_tolerance(&k->angular);
}

/* Residuals at a trial over their tolerances. */
static double residual_ratio(chain_yardstick *chain, const double per[2])
{
    double force = 0, moment = 0, gap = 0;
    for (int j = 0; j < chain->n; j++) {
        struct link *k = &chain->link[j];
        equilibrium(chain, j);
        force = larger(force, largest(k->R_linear));
        moment = larger(moment, largest(k->R_angular));
        gap = larger(gap, largest(k->Phi));
    }
    return larger(larger(force * per[0], moment * per[1]), gap / TOLERANCE_POSITION);
}

/* Correct the trial by the solution; the largest correction over its tolerance. */
static double apply(const alpha *c, chain_yardstick *chain, const double per[2])
{
    double size = 0, change = 0, d = c->scale * c->beta_prime * MASS;
    for (int j = 0; j < chain->n; j++) {
        struct link *k = &chain->link[j];
        v3 z_next = z_after(chain->link, chain->n, j);
        v3 e = solved_x(k, d, z_next), turn = solved_theta(k, z_next);
        v3 Dlambda = v3_scale(1 / c->scale, k->z);
        size = larger(size, correction_ratio(&k->linear, e));
        size = larger(size, correction_ratio(&k->angular, turn));
        change = larger(change, largest(Dlambda));
        correct(c, &k->linear, e);
        correct(c, &k->angular, m3_apply(k->T_inverse, turn));
        k->lambda = v3_add(k->lambda, Dlambda);
    }
    return larger(size, change * per[0]);
}

static bool iterate(const alpha *c, chain_yardstick *chain)
{
    double per[2] = {0, 0};
    settling found = {0};
    for (int i = 0; i <= MOST_ITERATIONS; i++) {
        if (i > 0 && ends(&found, residual_ratio(chain, per)))
            return true;
        force_sizes f = {{0}, {0}};
        for (int j = 0; j < chain->n; j++) {
            if (i == 0)
                equilibrium(chain, j);
            assemble(c, chain, j);
            if (i == 0)
                measure_link(c, &chain->link[j], &f);
        }
        if (i == 0)
            per[0] = per_force(&f, 0), per[1] = per_force(&f, 1);
        eliminate(chain->link, chain->n, c->scale * c->beta_prime * MASS);
        chain->iterations++;
        double size = apply(c, chain, per);
        settle(&found, size);
    }
    return false;
}

static bool step(const alpha *c, chain_yardstick *chain)
{
    for (int j = 0; j < chain->n; j++) {
        struct link *k = &chain->link[j];
        k->linear = predict(c, &chain->body[j].linear);
        k->angular = predict(c, &chain->body[j].angular);
        k->lambda = chain->body[j].lambda;
    }
    if (!iterate(c, chain))
        return false;
    for (int j = 0; j < chain->n; j++) {
        struct link *k = &chain->link[j];
        body *b = &chain->body[j];
        accept(c, &k->linear, &b->linear);
        accept(c, &k->angular, &b->angular);
        b->x = k->x, b->q = k->q, b->lambda = k->lambda;
    }
    return true;
}

bool chain_yardstick_run(chain_yardstick *chain, double h, long steps)
{
    alpha c = alpha_of(0.8, h);
    for (long i = 0; i < steps; i++) {
        if (!step(&c, chain))
            return false;
        chain->t += h;
        chain->steps++;
    }
    return true;
}

yardstick_state chain_yardstick_state(const chain_yardstick *chain)
{
    yardstick_state s = {.t = chain->t, .steps = chain->steps, .iterations = chain->iterations};
    const body *b = &chain->body[chain->n - 1];
    m3 R = quat_matrix(b->q);
    v3_store(s.tip, v3_add(b->x, v3_of(HALF * R.xx, HALF * R.yx, HALF * R.zx)));
    v3_store(s.lambda, chain->body[0].lambda);
    return s;
}
