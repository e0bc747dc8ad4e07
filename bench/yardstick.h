/* Hand-written programs that nutate is measured against, and what they have in common.
 *
 * Each integrates one mechanism with the Lie-group generalized-alpha method in the inertial frame
 * (Bruls, Cardona & Arnold 2012, algorithm 1), everything written out for that mechanism: no
 * system interface, no model, no sparse matrix, no options. Same equations, same predictor, same
 * test of convergence with the same tolerances as the method `generalized-alpha` of the library,
 * so iterations agree and results differ by rounding. The rotation kernels and the vectors are
 * the library's own: what is measured is the cost of generality, not of a sine. */
#ifndef NUTATE_BENCH_YARDSTICK_H
#define NUTATE_BENCH_YARDSTICK_H

#include "group/rotation.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

typedef struct yardstick_state {
    double t;
    long steps, iterations;
    double tip[3];    /* m: top: centre of mass; chain: free end            */
    double lambda[3]; /* N: reaction on the first body at its joint to ground */
} yardstick_state;

/* The heavy top of Bruls & Cardona. start: consistent; run: false when a step did not converge. */
void top_yardstick_start(void);
bool top_yardstick_run(double h, long steps);
yardstick_state top_yardstick_state(void);

/* A chain of n equal bodies along x, joined by spherical joints, the first to ground. */
typedef struct chain_yardstick chain_yardstick;
chain_yardstick *chain_yardstick_create(int n); /* NULL: out of memory */
void chain_yardstick_destroy(chain_yardstick *chain);
/* turn: angular velocity of the whole chain about y at the start, rad/s. */
void chain_yardstick_start(chain_yardstick *chain, double turn);
bool chain_yardstick_run(chain_yardstick *chain, double h, long steps);
yardstick_state chain_yardstick_state(const chain_yardstick *chain);

/* ---- the method ----------------------------------------------------------------------------- */

typedef struct alpha {
    double h, alpha_m, alpha_f, beta, gamma;
    double beta_prime, gamma_prime, scale, share; /* share = (1 - alpha_f)/(1 - alpha_m) */
} alpha;

static inline alpha alpha_of(double rho, double h)
{
    alpha c = {.h = h, .alpha_m = (2 * rho - 1) / (rho + 1), .alpha_f = rho / (rho + 1)};
    c.gamma = 0.5 + c.alpha_f - c.alpha_m;
    c.beta = (c.gamma + 0.5) * (c.gamma + 0.5) / 4;
    c.scale = c.beta * h * h;
    c.beta_prime = (1 - c.alpha_m) / (c.scale * (1 - c.alpha_f));
    c.gamma_prime = c.gamma / (h * c.beta);
    c.share = (1 - c.alpha_f) / (1 - c.alpha_m);
    return c;
}

/* One triple of velocities, its accelerations, and the auxiliary ones. */
typedef struct motion {
    v3 v, vdot, a;
} motion;

/* What a step iterates on: base is a1 without its share of vdot, increment is h Dq, per is one
 * over the tolerance of its corrections. */
typedef struct trial {
    v3 v, vdot, base, increment, per;
} trial;

static inline trial predict(const alpha *c, const motion *m)
{
    trial t = {.vdot = m->vdot};
    t.base = v3_scale(1 / (1 - c->alpha_m),
                      v3_sub(v3_scale(c->alpha_f, m->vdot), v3_scale(c->alpha_m, m->a)));
    v3 a1 = v3_axpy(c->share, t.vdot, t.base);
    t.v = v3_axpy(c->h * c->gamma, a1, v3_axpy(c->h * (1 - c->gamma), m->a, m->v));
    v3 Dq = v3_axpy(c->h * c->beta, a1, v3_axpy(c->h * (0.5 - c->beta), m->a, m->v));
    t.increment = v3_scale(c->h, Dq);
    return t;
}

static inline void correct(const alpha *c, trial *t, v3 Dx)
{
    t->increment = v3_add(t->increment, Dx);
    t->v = v3_axpy(c->gamma_prime, Dx, t->v);
    t->vdot = v3_axpy(c->beta_prime, Dx, t->vdot);
}

static inline void accept(const alpha *c, const trial *t, motion *m)
{
    *m = (motion){.v = t->v, .vdot = t->vdot, .a = v3_axpy(c->share, t->vdot, t->base)};
}

/* ---- a turning body ------------------------------------------------------------------------- */

/* R diag(J) R^T */
static inline m3 turned_inertia(m3 R, v3 J)
{
    m3 RJ = {R.xx * J.x, R.xy * J.y, R.xz * J.z, R.yx * J.x, R.yy * J.y,
             R.yz * J.z, R.zx * J.x, R.zy * J.y, R.zz * J.z};
    double xx = RJ.xx * R.xx + RJ.xy * R.xy + RJ.xz * R.xz;
    double xy = RJ.xx * R.yx + RJ.xy * R.yy + RJ.xz * R.yz;
    double xz = RJ.xx * R.zx + RJ.xy * R.zy + RJ.xz * R.zz;
    double yy = RJ.yx * R.yx + RJ.yy * R.yy + RJ.yz * R.yz;
    double yz = RJ.yx * R.zx + RJ.yy * R.zy + RJ.yz * R.zz;
    double zz = RJ.zx * R.zx + RJ.zy * R.zy + RJ.zz * R.zz;
    return (m3){xx, xy, xz, xy, yy, yz, xz, yz, zz};
}

/* J w' + w x J w */
static inline v3 turning_residual(m3 J, v3 w, v3 wdot)
{
    return v3_add(m3_apply(J, wdot), v3_cross(w, m3_apply(J, w)));
}

/* scale (beta' J T^-1 + gamma' C T^-1 + K) with C = w~ J - (J w)~ and
 * K = J w'~ - (J w')~ + w~ (J w~ - (J w)~). */
static inline m3 turning_tangent(const alpha *c, m3 J, v3 w, v3 wdot, m3 T_inverse)
{
    m3 Jw = m3_skew(m3_apply(J, w));
    m3 C = m3_sub(m3_skew_multiply(w, J), Jw);
    m3 MC = m3_add(m3_scale(c->scale * c->beta_prime, J), m3_scale(c->scale * c->gamma_prime, C));
    m3 K = m3_sub(m3_multiply_skew(J, wdot), m3_skew(m3_apply(J, wdot)));
    K = m3_add(K, m3_skew_multiply(w, m3_sub(m3_multiply_skew(J, w), Jw)));
    return m3_add(m3_multiply(MC, T_inverse), m3_scale(c->scale, K));
}

/* ---- the test of convergence ---------------------------------------------------------------- */

#define TOLERANCE_POSITION 1e-10 /* m and rad: increments and constraint rows */
#define TOLERANCE_FORCE 1e-8     /* N and N m: residuals and multipliers      */
#define TOLERANCE_RELATIVE 1e-8
#define MOST_ITERATIONS 12

/* Sizes that tolerances are relative to, taken once a step, at its prediction: the largest inertia
 * force or multiplier, and the force that rounding of a position makes; [0] forces, [1] moments. */
typedef struct force_sizes {
    double force[2], noise[2];
} force_sizes;

static inline double larger(double a, double b) { return a <= b ? b : a; }
static inline double largest(v3 a) { return larger(fabs(a.x), larger(fabs(a.y), fabs(a.z))); }

/* S: diagonal of the scaled matrix over the scale; size: of the positions it acts on. */
static inline void measure(force_sizes *f, int kind, const alpha *c, v3 S, v3 vdot, v3 size)
{
    v3 force = {S.x * vdot.x, S.y * vdot.y, S.z * vdot.z};
    v3 noise = {S.x * size.x, S.y * size.y, S.z * size.z};
    f->force[kind] = larger(f->force[kind], largest(force) / c->beta_prime);
    f->noise[kind] = larger(f->noise[kind], 16 * DBL_EPSILON * largest(noise));
}

static inline double per_force(const force_sizes *f, int kind)
{
    return 1 / (TOLERANCE_FORCE + TOLERANCE_RELATIVE * f->force[kind] + f->noise[kind]);
}

static inline void set_tolerance(trial *t)
{
    t->per = v3_of(1 / (TOLERANCE_POSITION + TOLERANCE_RELATIVE * fabs(t->increment.x)),
                   1 / (TOLERANCE_POSITION + TOLERANCE_RELATIVE * fabs(t->increment.y)),
                   1 / (TOLERANCE_POSITION + TOLERANCE_RELATIVE * fabs(t->increment.z)));
}

/* Largest correction over its tolerance. */
static inline double correction_ratio(const trial *t, v3 e)
{
    return largest(v3_of(e.x * t->per.x, e.y * t->per.y, e.z * t->per.z));
}

/* Where an iteration stands. */
typedef struct settling {
    double last, residual; /* size of the last increment and of the residual before it, 0: none */
    bool settled, hoped;   /* hoped: because errors square, which the residual has to show      */
} settling;

/* After an increment: it is within tolerance, or what is left of the geometric series is, or the
 * next one is, if it is smaller by the square of their ratio. */
static inline void settle(settling *s, double size)
{
    double ratio = s->last > 0 ? size / s->last : 1;
    s->settled = size <= 1 || (ratio < 0.5 && ratio / (1 - ratio) * size <= 1);
    s->hoped = !s->settled && ratio < 0.5 && ratio * ratio * size <= 0.01;
    s->settled = s->settled || s->hoped;
    s->last = size;
}

/* Whether a step ends where the worst ratio of a residual to its tolerance is this. */
static inline bool ends(settling *s, double residual)
{
    bool shrunk = !s->hoped || residual * s->last <= s->residual;
    s->residual = residual;
    return s->settled && shrunk && residual <= 1;
}

#endif
