/* A sphere of B against a surface of A: where they touch, and what they do to each other.
 *
 * The surface is the set at the distance R from a skeleton: a plane (R = 0), a point (a sphere), a
 * line (a cylinder) or a circle of radius C (a torus: the groove of a ball bearing). The sphere of
 * radius rho is outside of it (sigma = 1) or inside (sigma = -1: bore, groove, pocket). With the
 * sphere's centre c, y = c - o from the skeleton's origin o, its axis a, z = a . y, f = y - z a,
 * r = |f|, e = f/r:
 *
 *             l, distance from it         m = grad l            H = grad grad l
 *   plane     z                           a                     0
 *   point     |y|                         y/l                   (I - m m^T)/l
 *   line      r                           e                     (I - e e^T - a a^T)/l
 *   circle    sqrt((r - C)^2 + z^2)       ((r - C) e + z a)/l   (I - m m^T - t t^T)/l + m.e/r t t^T
 *
 * with t = a x e. Then
 *
 *   delta = rho + sigma (R - l) - lift        n = sigma m, from A to B
 *   ddelta = -n . dy,  dy = dc - dx_A - dtheta_A x (c - x_A),  dn = sigma H dy + dtheta_A x n
 *
 * lift: by how much the surface has been taken off there (a flaw). The force acts at the middle of
 * the overlap, p = c - h n, h = rho - delta/2, r = p - x of either body:
 *
 *   u      = v_B + w_B x r_B - v_A - w_A x r_A          how B's matter moves past A's
 *   delta' = -n . u,    w = u + delta' n                sliding
 *   N      = K delta^k phi(1 + d delta')
 *   F      = N n - N phi_t(s) w,   s = sqrt(|w|^2 + slip^2),   phi_t = kappa(s)/s
 *
 * phi(y) = y is the damping of Hunt & Crossley (Coefficient of restitution interpreted as damping
 * in vibroimpact, Journal of Applied Mechanics 42, 1975): the force is continuous at the onset of
 * contact and at its end. Surfaces that are torn apart faster than 1/d would stick to each other;
 * so phi turns over to zero within |y| < b, by the parabola (y + b)^2/(4 b). A body that rebounds
 * by the contact alone leaves with y > b unless it keeps less than an eighth of its speed
 * (restitution.h), and always with y > -b: there is no force left that could take it further.
 *
 * The patch of contact, of the semi-axes a >= b ~ sqrt(delta), turns on the surface with
 * w_n = n . (w_B - w_A). Its full slip has the arm ell = (3/8) a E (Johnson, Contact Mechanics):
 *
 *   M = -N phi_t(s_n) ell^2 w_n n,   s_n = sqrt((ell w_n)^2 + slip^2)
 *
 * Rolling, w_t the part of w_B - w_A across n, meets the moment -f N w_t/sqrt(|w_t|^2 + w_r^2), f a
 * length. Power of all that is not elastic:
 *
 *   (K delta^k - N) delta' - N phi_t |w|^2 + M . (w_B - w_A) <= 0
 *
 * The functions have no branches but those on constants: they stand in loops over lanes. */
#ifndef NUTATE_MODEL_TOUCH_H
#define NUTATE_MODEL_TOUCH_H

#include "base/vector3.h"
#include "model/contacts/traction.h"

#include <stdbool.h>

typedef enum nt_skeleton { NT_PLANE, NT_POINT, NT_LINE, NT_CIRCLE } nt_skeleton;

typedef struct nt_surface {
    double side;   /* sigma                        */
    double offset; /* R, m                         */
    double circle; /* C, m                         */
    double radius; /* rho, m, of the sphere        */
} nt_surface;

typedef struct nt_touch_law {
    double stiffness, exponent, damping; /* K, N/m^k; k; d, s/m                   */
    double semi_axis, ratio;             /* a/sqrt(delta), m^.5; b/a              */
    double spin_arm;                     /* ell/sqrt(delta), m^.5; 0: no spin     */
    double rolling, rolling_slip;        /* f, m; w_r, rad/s                      */
    nt_traction traction;
} nt_touch_law;

/* What is fixed where the code is compiled. */
typedef struct nt_touch_kind {
    nt_skeleton skeleton;
    nt_traction_law law;
    bool is_hertz;     /* k = 1.5              */
    bool spins, rolls; /* there are such moments */
    bool centred;      /* b = 0                  */
} nt_touch_kind;

/* Where the two bodies are; ground axes. */
typedef struct nt_touch_pose {
    v3 y, axis;      /* from o to c; a                            */
    v3 arm_a, arm_b; /* c - x_A, c - x_B                          */
    v3 v_a, w_a, v_b, w_b;
    double lift; /* m                                         */
} nt_touch_pose;

typedef struct nt_touch {
    double delta, rate;                 /* m, m/s                                              */
    v3 m, e;                            /* e: of line and circle                               */
    double l, r;                        /* m                                                   */
    double inverse_l, inverse_r;        /* 1/m; 0 where there is none                          */
    v3 n, r_a, r_b, u, w;               /* w: sliding, m/s                                     */
    double elastic, N, N_delta, N_rate; /* N; derivatives                                    */
    double s, phi_t;
    nt_traction_value traction;
    double arm, w_n;    /* ell, m; rad/s                                      */
    double spin, phi_n; /* s_n; phi_t there */
    nt_traction_value spin_traction;
    double rolling; /* u_m, m/s, films alone                               */
    v3 mean;        /* its velocity, along the surface                     */
    v3 F, M;        /* on B at p; N, N m                                   */
    double power;   /* W                                                   */
} nt_touch;

/* b above: how much of the damping's range the turn to no adhesion takes. Hunt and Crossley's force
 * is exact for a separation slower than (1 - b)/d. */
static const double NT_TURN = 1e-3;

/* By how much more of itself a stiffness counts where surfaces swing (contact_damping.c). */
static const double NT_TOUCH_TO_SEE = 24;

/* l, m, e, r. A centre on the skeleton has no normal: m is 0 there. */
NT_INLINE void nt_touch_place(nt_touch *t, nt_skeleton skeleton, const nt_surface *s,
                              const nt_touch_pose *at)
{
    double z = v3_dot(at->axis, at->y);
    if (skeleton == NT_PLANE) {
        t->l = z;
        t->m = at->axis;
    } else if (skeleton == NT_POINT) {
        t->l = v3_norm(at->y);
        t->inverse_l = t->l > 0 ? 1 / t->l : 0;
        t->m = v3_scale(t->inverse_l, at->y);
    } else {
        v3 f = v3_axpy(-z, at->axis, at->y);
        t->r = v3_norm(f);
        if (skeleton == NT_LINE) {
            t->inverse_l = t->inverse_r = t->r > 0 ? 1 / t->r : 0;
            t->l = t->r;
            t->m = t->e = v3_scale(t->inverse_r, f);
            return;
        }
        double beyond = t->r - s->circle;
        t->l = sqrt(beyond * beyond + z * z);
        double product = t->r * t->l, inverse = product > 0 ? 1 / product : 0; /* one division */
        t->inverse_l = t->r * inverse;
        t->inverse_r = t->l * inverse;
        t->e = v3_scale(t->inverse_r, f);
        t->m = v3_axpy(t->inverse_l * beyond, t->e, v3_scale(t->inverse_l * z, at->axis));
    }
}

/* H x of x along the surface: m . x = 0. */
NT_INLINE v3 nt_touch_bend_along(const nt_touch *t, nt_skeleton skeleton, v3 axis, v3 x)
{
    if (skeleton == NT_PLANE)
        return v3_of(0, 0, 0);
    double inverse = t->inverse_l;
    if (skeleton == NT_POINT)
        return v3_scale(inverse, x);
    if (skeleton == NT_LINE)
        return v3_scale(inverse, v3_axpy(-v3_dot(axis, x), axis, x));
    v3 along = v3_cross(axis, t->e);
    double around = t->inverse_r * v3_dot(t->m, t->e);
    return v3_axpy(v3_dot(along, x) * (around - inverse), along, v3_scale(inverse, x));
}

/* H x. */
NT_INLINE v3 nt_touch_bend(const nt_touch *t, nt_skeleton skeleton, v3 axis, v3 x)
{
    return nt_touch_bend_along(t, skeleton, axis, v3_axpy(-v3_dot(t->m, x), t->m, x));
}

/* The mean velocity of both surfaces past the point of contact, which moves with p' = c' - h n':
 * with W = w_B - w_A, g = w + h W x n the part of c' - v_A - w_A x (c - x_A) along the surface,
 *
 *   n' - w_A x n = sigma H g,   u_m = -w/2 - h W x n + h sigma H g
 *
 * It is linear in (w, W), so this gives its changes with velocities too; w is along the surface. */
NT_INLINE v3 nt_touch_mean(const nt_touch *t, nt_skeleton skeleton, const nt_surface *s, v3 axis,
                           v3 w, v3 W)
{
    double h = s->radius - 0.5 * t->delta;
    v3 turn = v3_scale(h, v3_cross(W, t->n));
    v3 bent = v3_scale(h * s->side, nt_touch_bend_along(t, skeleton, axis, v3_add(w, turn)));
    return v3_sub(v3_axpy(-0.5, w, bent), turn);
}

/* Everything. Surfaces apart have no force: N, F and M are zero, and delta is the distance. */
NT_INLINE nt_touch nt_touch_find(nt_touch_kind kind, const nt_surface *s, const nt_touch_law *law,
                                 const nt_touch_pose *at)
{
    nt_touch t = {.l = 0};
    const nt_traction *traction = &law->traction;
    nt_touch_place(&t, kind.skeleton, s, at);
    t.n = v3_scale(s->side, t.m);
    t.delta = s->radius + s->side * (s->offset - t.l) - at->lift;
    double depth = t.delta > 0 ? t.delta : 0, h = s->radius - 0.5 * t.delta;
    v3 turning = v3_sub(at->w_b, at->w_a), turn = v3_scale(h, v3_cross(turning, t.n));
    v3 of_b = kind.centred ? at->v_b : v3_add(at->v_b, v3_cross(at->w_b, at->arm_b));
    t.r_a = v3_axpy(-h, t.n, at->arm_a);
    t.r_b = kind.centred ? v3_scale(-h, t.n) : v3_axpy(-h, t.n, at->arm_b);
    t.u = v3_sub(v3_sub(of_b, v3_add(at->v_a, v3_cross(at->w_a, at->arm_a))), turn);
    t.rate = -v3_dot(t.n, t.u);
    t.w = v3_axpy(t.rate, t.n, t.u);

    double root = sqrt(depth), y = 1 + law->damping * t.rate, lifted = y + NT_TURN;
    double phi = y >= NT_TURN ? y : y <= -NT_TURN ? 0 : lifted * lifted * (1 / (4 * NT_TURN));
    double slope = y >= NT_TURN ? 1 : y <= -NT_TURN ? 0 : lifted * (1 / (2 * NT_TURN));
    double power = kind.is_hertz ? root : pow(depth, law->exponent - 1);
    if (!kind.is_hertz)
        power = depth > 0 ? power : 0;
    t.elastic = law->stiffness * depth * power;
    t.N = t.elastic * phi;
    t.N_delta = law->exponent * law->stiffness * power * phi;
    t.N_rate = t.elastic * law->damping * slope;

    double slip2 = traction->slip * traction->slip, w2 = v3_dot(t.w, t.w);
    double s2 = w2 + slip2;
    t.s = sqrt(s2);
    nt_film film = {0};
    if (kind.law == NT_TRACTION_FILM) {
        t.mean = nt_touch_mean(&t, kind.skeleton, s, at->axis, t.w, turning);
        double rolling2 = v3_dot(t.mean, t.mean) + NT_LEAST_ROLLING * NT_LEAST_ROLLING;
        t.rolling = sqrt(rolling2);
        film = nt_film_at(traction, rolling2, root);
    }
    t.w_n = v3_dot(t.n, turning);
    if (kind.spins) {
        t.arm = law->spin_arm * root;
        double speed = t.arm * t.w_n, spin2 = speed * speed + slip2;
        t.spin = sqrt(spin2);
        nt_traction_both(traction, kind.law, &film, s2, spin2, &t.traction, &t.spin_traction);
        t.phi_n = t.spin_traction.phi;
    } else
        t.traction = nt_traction_at(traction, kind.law, &film, s2);
    t.phi_t = t.traction.phi;
    t.F = v3_scale(t.N, v3_axpy(-t.phi_t, t.w, t.n));
    t.power = (t.elastic - t.N) * t.rate - t.N * t.phi_t * w2;
    if (!kind.spins && !kind.rolls)
        return t;
    if (kind.spins)
        t.M = v3_scale(-t.N * t.phi_n * t.arm * (t.arm * t.w_n), t.n);
    if (kind.rolls) {
        v3 across = v3_axpy(-t.w_n, t.n, turning);
        double size = sqrt(v3_dot(across, across) + law->rolling_slip * law->rolling_slip);
        t.M = v3_axpy(-law->rolling * t.N / size, across, t.M);
    }
    t.power += v3_dot(t.M, turning);
    return t;
}

/* One contact, of a kind that is chosen at run time: that of the law as it is now, whose numbers
 * may be moved along with a parameter. */
nt_touch nt_touch_of(nt_touch_kind kind, const nt_surface *surface, const nt_touch_law *law,
                     const nt_touch_pose *at);

/* ---- tangent ----------------------------------------------------------------------------------
 */

/* How ln(u_m) of a film changes where velocities do: u by du, W by dW. */
NT_INLINE double nt_touch_rolling_change(const nt_touch *t, nt_skeleton skeleton,
                                         const nt_surface *s, v3 axis, v3 du, v3 dW)
{
    v3 dw = v3_axpy(-v3_dot(t->n, du), t->n, du);
    v3 dmean = nt_touch_mean(t, skeleton, s, axis, dw, dW);
    return v3_dot(t->mean, dmean) * (1 / (t->rolling * t->rolling));
}

/* What velocities change of F and M: du, d(w_B - w_A) and dr, of ln(u_m), are given. */
NT_INLINE void nt_touch_vary_rates(nt_touch_kind kind, const nt_touch_law *law, const nt_touch *t,
                                   v3 turning, v3 du, v3 dturning, double dr, v3 *dF, v3 *dM)
{
    const nt_traction_value *k = &t->traction, *k_n = &t->spin_traction;
    double drate = -v3_dot(t->n, du), dN = t->N_rate * drate;
    v3 dw = v3_axpy(drate, t->n, du);
    double ds = v3_dot(t->w, dw) * k->inverse;
    double dphi = ((k->by_s - k->phi) * ds + k->by_rolling * dr) * k->inverse;
    v3 along = v3_axpy(-t->phi_t, t->w, t->n); /* F / N */
    *dF = v3_axpy(-t->N, v3_axpy(t->phi_t, dw, v3_scale(dphi, t->w)), v3_scale(dN, along));
    *dM = v3_of(0, 0, 0);
    double dw_n = v3_dot(t->n, dturning);
    if (kind.spins) {
        double speed = t->arm * t->w_n, dspeed = t->arm * dw_n;
        double ds_n = speed * k_n->inverse * dspeed;
        double dphi_n = ((k_n->by_s - k_n->phi) * ds_n + k_n->by_rolling * dr) * k_n->inverse;
        double P = t->phi_n * t->arm * speed;
        double dP = t->arm * (speed * dphi_n + t->phi_n * dspeed);
        *dM = v3_scale(-(P * dN + t->N * dP), t->n);
    }
    if (kind.rolls) {
        v3 w_t = v3_axpy(-t->w_n, t->n, turning), dw_t = v3_axpy(-dw_n, t->n, dturning);
        double S2 = v3_dot(w_t, w_t) + law->rolling_slip * law->rolling_slip;
        v3 across = v3_axpy(-v3_dot(w_t, dw_t) / S2, w_t, dw_t);
        v3 roll = v3_axpy(dN, w_t, v3_scale(t->N, across));
        *dM = v3_axpy(-law->rolling / sqrt(S2), roll, *dM);
    }
}

/* Along X = (x_A, theta_A, x_B, theta_B), columns i, at fixed velocities, and along the velocities:
 * derivatives of the force on B, of the moment M on it and of p. */
typedef struct nt_touch_tangent {
    m3 F_q[4], M_q[4], p[4];
    m3 F_v[4], M_v[4];
} nt_touch_tangent;

/* What is wanted of a tangent: derivatives in places, in what of A and of B moves. */
enum { NT_TOUCH_PLACES = 1, NT_TOUCH_OF_A = 2, NT_TOUCH_OF_B = 4 };

/* lift_gradient: ground axes, along dy. What is not wanted is not written. */
void nt_touch_differentiate(nt_touch_kind kind, const nt_surface *surface, const nt_touch_law *law,
                            const nt_touch_pose *at, const nt_touch *touch, v3 lift_gradient,
                            unsigned wanted, nt_touch_tangent *out);

/* How the numbers of a contact change with a parameter, its bodies where they are; ground axes. */
typedef struct nt_touch_rates {
    nt_surface surface;
    nt_touch_law law;
    v3 origin, axis; /* of o and a */
    v3 center;       /* of c       */
    double lift;     /* m, at the place of c before it changes */
} nt_touch_rates;

/* The derivatives of the force on B, of the moment on it and of p. What the surface and the places
 * change is exact, and so is right to rounding however small the indentation is beside the radii;
 * so is what the law's numbers change, in the turn to no adhesion as well. */
void nt_touch_vary_numbers(nt_touch_kind kind, const nt_surface *surface, const nt_touch_law *law,
                           const nt_touch_pose *at, const nt_touch *touch, v3 lift_gradient,
                           const nt_touch_rates *rates, v3 *F, v3 *M, v3 *p);

#endif
