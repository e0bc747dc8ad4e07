/* Local parameterisations of SO(3) by value: what the rotation vector and the conformal rotation
 * vector have in common.
 *
 * Bruls & Eberhard 2008, sections 3.2, 3.3 and appendix A. A rotation near R_ref is R_ref mu(phi)
 * (body frame) or mu(phi) R_ref (inertial frame), and
 *
 *   body:      dTheta = T(phi) dphi,      inertial:  dtheta = T(phi)^T dphi = T(-phi) dphi.
 *
 * T and T^-1 of both parameterisations are of the form
 *
 *   F(phi) = g I + p phi~ + r phi~ phi~
 *
 * with g, p, r functions of s = |phi|^2: the operator of rotation_derivative.h with a multiple of
 * the identity besides, so that
 *
 *   DF[u]              gains g1 (phi . u) I
 *   d(F k)/dphi        gains g1 k phi^T
 *   d(DF[u] k)/dphi    gains g1 k u^T + g2 (phi . u) k phi^T,    g1 = 2 dg/ds, g2 = 2 dg1/ds.
 *
 * For the rotation vector g = 1. For the conformal vector (38) and c c^T = c~ c~ + s I give, with
 * w = 1/(2 + s/8) and so 2 dw/ds = -w^2/4,
 *
 *   T:     g = 2 w,         p = -2 w^2,    r = w^2/2
 *   T^-1:  g = 1 + s/16,    p = 1/2,       r = 1/8. */
#ifndef NUTATE_GROUP_CHART_H
#define NUTATE_GROUP_CHART_H

#include "group/rotation_derivative.h"

typedef enum chart { CHART_ROTATION_VECTOR, CHART_CONFORMAL } chart_kind;

typedef struct chart_operator {
    double g, g1, g2;
    so3_operator f;
} chart_operator;

static inline chart_operator conformal_operator_tangent(double s)
{
    double w = 1 / (2 + s / 8), ww = w * w, www = ww * w, wwww = ww * ww;
    return (chart_operator){.g = 2 * w,
                            .g1 = -0.5 * ww,
                            .g2 = 0.25 * www,
                            .f = {.p = -2 * ww,
                                  .r = 0.5 * ww,
                                  .p1 = www,
                                  .r1 = -0.25 * www,
                                  .p2 = -0.75 * wwww,
                                  .r2 = 3.0 / 16 * wwww}};
}

static inline chart_operator conformal_operator_inverse(double s)
{
    return (chart_operator){.g = 1 + s / 16, .g1 = 0.125, .f = {.p = 0.5, .r = 0.125}};
}

/* The coefficients of T and of T^-1 at |phi|^2 = s. */
static inline chart_operator chart_tangent(chart_kind kind, double s)
{
    return kind == CHART_CONFORMAL ? conformal_operator_tangent(s)
                                   : (chart_operator){.g = 1, .f = nt_so3_operator_tangent(s)};
}

static inline chart_operator chart_inverse(chart_kind kind, double s)
{
    return kind == CHART_CONFORMAL ? conformal_operator_inverse(s)
                                   : (chart_operator){.g = 1, .f = nt_so3_operator_inverse(s)};
}

static inline chart_operator chart_transpose(chart_operator o)
{
    o.f = so3_operator_transpose(o.f);
    return o;
}

/* The coefficients of T(phi) in the body frame, of T(phi)^T in the inertial one; of the inverse. */
static inline chart_operator chart_frame_tangent(chart_kind kind, nt_frame frame, double s)
{
    chart_operator o = chart_tangent(kind, s);
    return frame == NT_BODY ? o : chart_transpose(o);
}

static inline chart_operator chart_frame_inverse(chart_kind kind, nt_frame frame, double s)
{
    chart_operator o = chart_inverse(kind, s);
    return frame == NT_BODY ? o : chart_transpose(o);
}

/* F */
static inline m3 chart_matrix(chart_operator o, v3 phi)
{
    m3 linear = m3_add(m3_diagonal(o.g, o.g, o.g), m3_skew(v3_scale(o.f.p, phi)));
    return m3_add(linear, m3_scale(o.f.r, m3_skew_skew(phi, phi)));
}

/* DF[u] */
static inline m3 chart_along(chart_operator o, v3 phi, v3 u)
{
    double d = o.g1 * v3_dot(phi, u);
    return m3_add(m3_diagonal(d, d, d), so3_operator_along(o.f, phi, u));
}

/* d(F k)/dphi */
static inline m3 chart_derivative(chart_operator o, v3 phi, v3 k)
{
    return m3_add(m3_dyad(v3_scale(o.g1, k), phi), so3_operator_derivative(o.f, phi, k));
}

/* d(DF[u] k)/dphi */
static inline m3 chart_second(chart_operator o, v3 phi, v3 u, v3 k)
{
    v3 row = v3_axpy(o.g2 * v3_dot(phi, u), phi, v3_scale(o.g1, u));
    return m3_add(m3_dyad(k, row), so3_operator_second(o.f, phi, k, u));
}

/* The unit quaternion of mu(phi). */
static inline quat chart_exp(chart_kind kind, v3 phi)
{
    if (kind == CHART_ROTATION_VECTOR)
        return so3_exp(phi);
    double s = v3_dot(phi, phi), f = 8 / (16 + s);
    return (quat){(16 - s) / (16 + s), f * phi.x, f * phi.y, f * phi.z};
}

/* q mu(phi) in the body frame, mu(phi) q in the inertial one; unit length. */
static inline quat chart_compose(chart_kind kind, nt_frame frame, quat q, v3 phi)
{
    quat d = chart_exp(kind, phi);
    return so3_normalize(frame == NT_BODY ? quat_multiply(q, d) : quat_multiply(d, q));
}

#endif
