/* Body-fixed vectors through two time derivatives, and how scalars made of them vary.
 *
 * A vector fixed in a body is r = R X (a direction), or x + R X (a point). In the inertial frame
 *
 *   r'  = w x r,                 r'' = alpha x r + w x (w x r),
 *   dr  = dtheta x r,
 *   dr' = dw x r + w x (dtheta x r),
 *   dr''= dalpha x r + alpha x (dtheta x r) + dw x (w x r) + w x (dw x r) + w x (w x (dtheta x r)).
 *
 * A scalar with dPhi = c0 . dr + c1 . dr' + c2 . dr'' therefore has the gradient
 *
 *   in dtheta:  r x (c0 + c1 x w + c2 x alpha + (c2 x w) x w)
 *   in dw:      r x c1 + (w x r) x c2 + r x (c2 x w)
 *   in dalpha:  r x c2
 *
 * by the triple product u . (v x r) = v . (r x u). A direction that also turns by itself in its
 * body (prescribed motion), with r_t and r_tt its own derivatives in ground axes, adds r_t to r',
 * 2 w x r_t + r_tt to r'', and to the gradient
 *
 *   in dtheta:  r_t x (c1 + 2 c2 x w) + r_tt x c2,      in dw:  2 r_t x c2. */
#ifndef NUTATE_MODEL_ROWS_H
#define NUTATE_MODEL_ROWS_H

#include "model/model.h"

typedef struct body_vector {
    v3 r, r1, r2; /* with derivatives; a point's include those of x */
    v3 arm;       /* R X: equals r for a direction                  */
    v3 r_t, r_tt; /* own motion                                     */
} body_vector;

static inline body_vector body_direction(const nt_motion *m, v3 X)
{
    body_vector a = {0};
    a.r = a.arm = m3_apply(m->R, X);
    a.r1 = v3_cross(m->w, a.r);
    a.r2 = v3_add(v3_cross(m->alpha, a.r), v3_cross(m->w, a.r1));
    return a;
}

static inline body_vector body_point(const nt_motion *m, v3 X)
{
    body_vector a = body_direction(m, X);
    a.r = v3_add(m->x, a.r);
    a.r1 = v3_add(m->v, a.r1);
    a.r2 = v3_add(m->a, a.r2);
    return a;
}

/* The gradient of a scalar in one body's variations. */
typedef struct body_gradient {
    v3 x, theta; /* of dx, dtheta      */
    v3 v, w;     /* of dv, dw          */
    v3 a, alpha; /* of da, dalpha      */
} body_gradient;

/* Add c0 . dr + c1 . dr' + c2 . dr''. */
static inline void add_gradient(body_gradient *g, const nt_motion *m, const body_vector *vector,
                                bool point, v3 c0, v3 c1, v3 c2)
{
    v3 r = vector->arm, w = m->w;
    v3 c2w = v3_cross(c2, w);
    v3 inner =
        v3_add(v3_add(c0, v3_cross(c1, w)), v3_add(v3_cross(c2, m->alpha), v3_cross(c2w, w)));
    v3 own = v3_add(v3_cross(vector->r_t, v3_axpy(2, c2w, c1)), v3_cross(vector->r_tt, c2));
    g->theta = v3_add(g->theta, v3_add(v3_cross(r, inner), own));
    v3 rate = v3_add(v3_cross(r, v3_add(c1, c2w)), v3_cross(v3_cross(w, r), c2));
    g->w = v3_add(g->w, v3_add(rate, v3_scale(2, v3_cross(vector->r_t, c2))));
    g->alpha = v3_add(g->alpha, v3_cross(r, c2));
    if (point) {
        g->x = v3_add(g->x, c0);
        g->v = v3_add(g->v, c1);
        g->a = v3_add(g->a, c2);
    }
}

/* A scalar constraint between two bodies at some level, with its gradient. `force` is the gradient
 * in dx and dtheta of the position-level scalar: the direction in which its multiplier acts. */
typedef struct joint_row {
    double value;
    double explicit_rate; /* partial derivative in time of the position-level scalar */
    body_gradient a, b;
    v3 force_a, moment_a, force_b, moment_b;
} joint_row;

#endif
