/* Rotations by value: exponential, logarithm and tangent operator of SO(3).
 *
 * What hot loops use; the public functions of nutate/group.h wrap these. Symbols, with x = |psi|
 * and s = x^2 (Bruls & Eberhard 2008, section 3):
 *
 *   a = sin x / x,   b = (1 - cos x) / s,   c = (x - sin x) / x^3,   e = (1 - (x/2) cot(x/2)) / s
 *
 *   exp(psi~) = (cos(x/2), sin(x/2)/x psi)  as a quaternion
 *   T(psi)    = I - b psi~ + c psi~ psi~    = a I - b psi~ + c psi psi^T              (35)
 *   T^-1      = I + psi~/2 + e psi~ psi~    = (1 - e s) I + psi~/2 + e psi psi^T
 *
 * The right-hand forms follow from psi~ psi~ = psi psi^T - s I and c s = 1 - a; they are the ones
 * evaluated, since no two large terms cancel in them.
 *
 * All coefficients are even in x, so they are functions of s: power series in s for the small
 * increments of a time step, without a square root, a division or a trigonometric call; sine and
 * cosine of x/2 above. When psi is so small that s underflows the series return their first
 * coefficient, which is the limit: no case is special down to zero. */
#ifndef NUTATE_GROUP_ROTATION_H
#define NUTATE_GROUP_ROTATION_H

#include <nutate/group.h>

#include "base/target.h"
#include "base/vector3.h"

/* Each series has eight terms. It is used while the first term left out is below 2^-54 of the sum:
 * half an ulp of rounding is then all that is lost. The bounds are on s, in rad^2. */
#define SO3_SERIES_EXP 1.0      /* next term  s^8 / (4^8 16!)            = 7e-19 */
#define SO3_SERIES_TANGENT 0.5  /* next terms s^8 / 18!, s^8 / 19!       = 6e-19 */
#define SO3_SERIES_INVERSE 0.25 /* next term  2 s^8 / (2 pi)^18          = 1e-19 */
#define SO3_SERIES_LOG 0.01     /* on tan(x/2)^2: next term s^8 / 17     = 6e-18 */
#define SO3_ROUNDED 1e-8        /* of |q|^2 - 1, see so3_normalize */

/* c0 + c1 s + ... + c7 s^7 by Estrin's scheme: four short chains instead of one of fourteen
 * operations. c0 is added last, so that the sum carries a single rounding of its own size. */
NT_INLINE double so3_series(double s, double c0, double c1, double c2, double c3, double c4,
                            double c5, double c6, double c7)
{
    double s2 = s * s;
    double low = c1 * s + (c2 + c3 * s) * s2;
    double high = (c4 + c5 * s) + (c6 + c7 * s) * s2;
    return c0 + (low + high * (s2 * s2));
}

/* a I + b psi~ + c psi psi^T, the form of every isotropic matrix function of psi. */
NT_INLINE m3 so3_isotropic(double a, double b, double c, v3 psi)
{
    v3 p = v3_scale(c, psi), r = v3_scale(b, psi);
    double xy = p.x * psi.y, xz = p.x * psi.z, yz = p.y * psi.z;
    return (m3){a + p.x * psi.x, xy - r.z, xz + r.y, xy + r.z,       a + p.y * psi.y,
                yz - r.x,        xz - r.y, yz + r.x, a + p.z * psi.z};
}

/* ---- coefficients --------------------------------------------------------------------------- */

typedef struct so3_half_angle {
    double cosine; /* cos(x/2)     */
    double ratio;  /* sin(x/2) / x */
} so3_half_angle;

typedef struct so3_tangent_coefficients {
    double a, b, c;
} so3_tangent_coefficients;

typedef struct so3_inverse_coefficients {
    double g, e; /* g = 1 - e s = (x/2) cot(x/2) */
} so3_inverse_coefficients;

/* The same above the bounds of the series, from sine and cosine; so3.c. */
so3_half_angle nt_so3_half_angle_large(double s);
so3_tangent_coefficients nt_so3_tangent_coefficients_large(double s);
so3_inverse_coefficients nt_so3_inverse_coefficients_large(double s);

/* cos(x/2) = sum (-1)^k s^k / (4^k (2k)!),  sin(x/2)/x = sum (-1)^k s^k / (2 4^k (2k+1)!) */
NT_INLINE so3_half_angle so3_half_angle_small(double s)
{
    return (so3_half_angle){
        .cosine = so3_series(s, 1.0, -1.0 / 8, 1.0 / 384, -1.0 / 46080, 1.0 / 10321920,
                             -1.0 / 3715891200, 1.0 / 1961990553600, -1.0 / 1428329123020800),
        .ratio = so3_series(s, 1.0 / 2, -1.0 / 48, 1.0 / 3840, -1.0 / 645120, 1.0 / 185794560,
                            -1.0 / 81749606400, 1.0 / 51011754393600, -1.0 / 42849873690624000),
    };
}

static inline so3_half_angle so3_half_angle_of(double s)
{
    return s < SO3_SERIES_EXP ? so3_half_angle_small(s) : nt_so3_half_angle_large(s);
}

/* b = sum (-1)^k s^k / (2k+2)!,  c = sum (-1)^k s^k / (2k+3)! */
static inline so3_tangent_coefficients so3_tangent_coefficients_of(double s)
{
    if (!(s < SO3_SERIES_TANGENT))
        return nt_so3_tangent_coefficients_large(s);
    double b = so3_series(s, 1.0 / 2, -1.0 / 24, 1.0 / 720, -1.0 / 40320, 1.0 / 3628800,
                          -1.0 / 479001600, 1.0 / 87178291200, -1.0 / 20922789888000);
    double c = so3_series(s, 1.0 / 6, -1.0 / 120, 1.0 / 5040, -1.0 / 362880, 1.0 / 39916800,
                          -1.0 / 6227020800, 1.0 / 1307674368000, -1.0 / 355687428096000);
    return (so3_tangent_coefficients){.a = 1 - s * c, .b = b, .c = c};
}

/* y cot y = sum (-1)^k B_2k (2y)^2k / (2k)! at y = x/2, hence e = sum |B_2k+2| s^k / (2k+2)!
 * with the Bernoulli numbers 1/6, -1/30, 1/42, ...; its radius of convergence is x = 2 pi. */
NT_INLINE so3_inverse_coefficients so3_inverse_coefficients_small(double s)
{
    double e = so3_series(s, 1.0 / 12, 1.0 / 720, 1.0 / 30240, 1.0 / 1209600, 1.0 / 47900160,
                          691.0 / 1307674368000, 1.0 / 74724249600, 3617.0 / 10670622842880000);
    return (so3_inverse_coefficients){.g = 1 - s * e, .e = e};
}

static inline so3_inverse_coefficients so3_inverse_coefficients_of(double s)
{
    return s < SO3_SERIES_INVERSE ? so3_inverse_coefficients_small(s)
                                  : nt_so3_inverse_coefficients_large(s);
}

/* ---- exponential and logarithm -------------------------------------------------------------- */

/* The unit quaternion of exp(psi~). */
static inline quat so3_exp(v3 psi)
{
    so3_half_angle h = so3_half_angle_of(v3_dot(psi, psi));
    return (quat){h.cosine, h.ratio * psi.x, h.ratio * psi.y, h.ratio * psi.z};
}

/* The rotation vector of q, |psi| <= pi; q and -q give the same. q need not have unit length,
 * since only the ratio of its parts enters: with v = (q.x, q.y, q.z),
 * psi = 2 atan(|v|/w)/|v| v, and atan(r)/r = sum (-1)^k r^2k / (2k+1). */
static inline v3 so3_log(quat q)
{
    double vv = q.x * q.x + q.y * q.y + q.z * q.z, ww = q.w * q.w, f;
    if (vv < SO3_SERIES_LOG * ww) {
        f = 2 / q.w *
            so3_series(vv / ww, 1.0, -1.0 / 3, 1.0 / 5, -1.0 / 7, 1.0 / 9, -1.0 / 11, 1.0 / 13,
                       -1.0 / 15);
    } else {
        double n = sqrt(vv);
        f = (q.w < 0 ? -2 : 2) * atan2(n, fabs(q.w)) / n;
    }
    return (v3){f * q.x, f * q.y, f * q.z};
}

/* Unit length again. After a product of unit quaternions |q|^2 - 1 = d is of the size of rounding
 * and 1/sqrt(1 + d) = 1 - d/2 + 3 d^2/8: below |d| = 1e-8 the last term is under 2^-54. */
static inline quat so3_normalize(quat q)
{
    double d = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1;
    if (!(fabs(d) < SO3_ROUNDED))
        return quat_unit(q);
    double f = 1 - d / 2;
    return (quat){f * q.w, f * q.x, f * q.y, f * q.z};
}

/* q exp(psi~) in the body frame, exp(psi~) q in the inertial one; unit length. */
static inline quat so3_compose(nt_frame frame, quat q, v3 psi)
{
    quat d = so3_exp(psi);
    return so3_normalize(frame == NT_BODY ? quat_multiply(q, d) : quat_multiply(d, q));
}

/* psi with so3_compose(frame, q0, psi) = q1. */
static inline v3 so3_difference(nt_frame frame, quat q0, quat q1)
{
    quat c = quat_conjugate(q0);
    return so3_log(frame == NT_BODY ? quat_multiply(c, q1) : quat_multiply(q1, c));
}

/* A vector in the axes of a body before it turned by psi, in those after: exp(-psi~) a. In the
 * inertial frame it turns with the body: exp(psi~) a. */
static inline v3 so3_carry(nt_frame frame, v3 psi, v3 a)
{
    m3 R = quat_matrix(so3_exp(psi));
    return frame == NT_BODY ? m3_apply_transposed(R, a) : m3_apply(R, a);
}

/* ---- tangent operator ----------------------------------------------------------------------- */

/* T(psi) of the body frame. */
static inline m3 so3_tangent(v3 psi)
{
    so3_tangent_coefficients f = so3_tangent_coefficients_of(v3_dot(psi, psi));
    return so3_isotropic(f.a, -f.b, f.c, psi);
}

static inline m3 so3_tangent_inverse(v3 psi)
{
    so3_inverse_coefficients f = so3_inverse_coefficients_of(v3_dot(psi, psi));
    return so3_isotropic(f.g, 0.5, f.e, psi);
}

/* The operator of a frame: T(psi) for the body, T(psi)^T = T(-psi) for the inertial one. */
static inline m3 so3_frame_tangent(nt_frame frame, v3 psi)
{
    return so3_tangent(frame == NT_BODY ? psi : v3_neg(psi));
}

static inline m3 so3_frame_tangent_inverse(nt_frame frame, v3 psi)
{
    return so3_tangent_inverse(frame == NT_BODY ? psi : v3_neg(psi));
}

#endif
