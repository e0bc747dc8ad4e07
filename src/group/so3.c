/* SO(3) with the rotation vector: coefficients away from zero, and the public functions.
 *
 * Symbols and series: group/rotation.h and group/rotation_derivative.h. */
#define NT_ARRAYS NT_API /* NULL is looked for: see nutate/group.h */
#include "group/rotation_derivative.h"

/* ---- coefficients from sine and cosine of x/2 -------------------------------------------------
 */

so3_half_angle nt_so3_half_angle_large(double s)
{
    double x = sqrt(s);
    return (so3_half_angle){.cosine = cos(x / 2), .ratio = sin(x / 2) / x};
}

/* a = 2 sin(x/2) cos(x/2) / x,  b = 2 sin(x/2)^2 / s; c enters T only as c psi psi^T, of size
 * c s = 1 - a, so the subtraction costs no more than the rounding of 1. */
so3_tangent_coefficients nt_so3_tangent_coefficients_large(double s)
{
    double x = sqrt(s), f = sin(x / 2), g = cos(x / 2), a = 2 * f * g / x;
    return (so3_tangent_coefficients){.a = a, .b = 2 * f * f / s, .c = (1 - a) / s};
}

/* g = (x/2) cot(x/2); e s = 1 - g as above. */
so3_inverse_coefficients nt_so3_inverse_coefficients_large(double s)
{
    double x = sqrt(s), g = x / 2 * cos(x / 2) / sin(x / 2);
    return (so3_inverse_coefficients){.g = g, .e = (1 - g) / s};
}

/* ---- coefficients of the derivatives -----------------------------------------------------------
 */

/* b, c and their derivatives b1 = 2 db/ds, b2 = 2 db1/ds, c1, c2. */
typedef struct so3_stumpff {
    double b, c, b1, c1, b2, c2;
} so3_stumpff;

/* The series of C_6 and C_7, then downwards by C_n = 1/n! - s C_n+2, which is the last steps of
 * Horner's rule for C_2 and C_3. Nine terms: at s = 4 the next are s^9/24! = 4e-19 and
 * s^9/25! = 2e-20; with the factors 8 |psi|^3 and 15 |psi|^4 that they get in a second derivative,
 * 3e-17 at the most beside terms of size 1. */
#define STUMPFF_SERIES 4.0

static so3_stumpff stumpff_small(double s)
{
    double s2 = s * s, s4 = s2 * s2, s8 = s4 * s4;
    double C6 =
        so3_series(s, 1.0 / 720, -1.0 / 40320, 1.0 / 3628800, -1.0 / 479001600, 1.0 / 87178291200,
                   -1.0 / 20922789888000, 1.0 / 6402373705728000, -1.0 / 2432902008176640000) +
        s8 * (1.0 / 1124000727777607680000.0);
    double C7 = so3_series(s, 1.0 / 5040, -1.0 / 362880, 1.0 / 39916800, -1.0 / 6227020800,
                           1.0 / 1307674368000, -1.0 / 355687428096000, 1.0 / 121645100408832000,
                           -1.0 / 51090942171709440000.0) +
                s8 * (1.0 / 25852016738884976640000.0);
    double C4 = 1.0 / 24 - s * C6, C5 = 1.0 / 120 - s * C7;
    double C2 = 1.0 / 2 - s * C4, C3 = 1.0 / 6 - s * C5;
    return (so3_stumpff){
        .b = C2,
        .c = C3,
        .b1 = 2 * C4 - C3,
        .c1 = 3 * C5 - C4,
        .b2 = 8 * C6 - 5 * C5 + C4,
        .c2 = 15 * C7 - 7 * C6 + C5,
    };
}

/* From 2 dC_n/ds = (C_n-1 - n C_n)/s with C_1 = a, and 2 da/ds = c - b. */
static so3_stumpff stumpff_large(double s)
{
    so3_tangent_coefficients f = nt_so3_tangent_coefficients_large(s);
    double b1 = (f.a - 2 * f.b) / s, c1 = (f.b - 3 * f.c) / s;
    return (so3_stumpff){
        .b = f.b,
        .c = f.c,
        .b1 = b1,
        .c1 = c1,
        .b2 = (f.c - f.b - 4 * b1) / s,
        .c2 = (b1 - 5 * c1) / s,
    };
}

static so3_stumpff stumpff(double s)
{
    return s < STUMPFF_SERIES ? stumpff_small(s) : stumpff_large(s);
}

so3_operator nt_so3_operator_tangent(double s)
{
    so3_stumpff f = stumpff(s);
    return (so3_operator){-f.b, f.c, -f.b1, f.c1, -f.b2, f.c2};
}

/* (x/2) cot(x/2) = a/(2b), hence e = (1 - a/(2b))/s = -b1/(2b) and
 * e1 = -b2/(2b) + b1^2/(2b^2) = 2 e^2 - b2/(2b). */
so3_operator nt_so3_operator_inverse(double s)
{
    so3_stumpff f = stumpff(s);
    double half = 0.5 / f.b, e = -f.b1 * half;
    return (so3_operator){.p = 0.5, .r = e, .r1 = 2 * e * e - f.b2 * half};
}

/* ---- public functions --------------------------------------------------------------------------
 */

void nt_so3_exp(const double psi[3], double q[4])
{
    if (!psi || !q)
        return;
    quat_store(q, so3_exp(v3_load(psi)));
}

void nt_so3_log(const double q[4], double psi[3])
{
    if (!q || !psi)
        return;
    v3_store(psi, so3_log(quat_load(q)));
}

void nt_so3_multiply(const double a[4], const double b[4], double ab[4])
{
    if (!a || !b || !ab)
        return;
    quat_store(ab, quat_multiply(quat_load(a), quat_load(b)));
}

void nt_so3_matrix(const double q[4], double R[9])
{
    if (!q || !R)
        return;
    m3_store(R, quat_matrix(quat_load(q)));
}

/* The outer product q q^T is linear in R: 4 w q, 4 x q, 4 y q, 4 z q are the four candidates below.
 * The one with the largest diagonal has length 4 |q_i| >= 2, so that nothing cancels; normalising
 * also averages over the errors of an R that is not quite orthogonal. */
void nt_so3_from_matrix(const double R[9], double q[4])
{
    if (!R || !q)
        return;
    m3 m = m3_load(R);
    double trace = m.xx + m.yy + m.zz;
    quat p;
    if (trace >= m.xx && trace >= m.yy && trace >= m.zz)
        p = (quat){1 + trace, m.zy - m.yz, m.xz - m.zx, m.yx - m.xy};
    else if (m.xx >= m.yy && m.xx >= m.zz)
        p = (quat){m.zy - m.yz, 1 + m.xx - m.yy - m.zz, m.yx + m.xy, m.xz + m.zx};
    else if (m.yy >= m.zz)
        p = (quat){m.xz - m.zx, m.yx + m.xy, 1 - m.xx + m.yy - m.zz, m.zy + m.yz};
    else
        p = (quat){m.yx - m.xy, m.xz + m.zx, m.zy + m.yz, 1 - m.xx - m.yy + m.zz};
    if (p.w < 0)
        p = (quat){-p.w, -p.x, -p.y, -p.z};
    quat_store(q, quat_unit(p));
}

void nt_so3_tangent(const double psi[3], double T[9])
{
    if (!psi || !T)
        return;
    m3_store(T, so3_tangent(v3_load(psi)));
}

void nt_so3_tangent_inverse(const double psi[3], double Tinv[9])
{
    if (!psi || !Tinv)
        return;
    m3_store(Tinv, so3_tangent_inverse(v3_load(psi)));
}

void nt_so3_tangent_derivative(const double psi[3], const double a[3], double D[9])
{
    if (!psi || !a || !D)
        return;
    m3_store(D, so3_tangent_derivative(v3_load(psi), v3_load(a)));
}

void nt_so3_tangent_transposed_derivative(const double psi[3], const double a[3], double D[9])
{
    if (!psi || !a || !D)
        return;
    m3_store(D, so3_tangent_transposed_derivative(v3_load(psi), v3_load(a)));
}

void nt_so3_tangent_inverse_derivative(const double psi[3], const double a[3], double D[9])
{
    if (!psi || !a || !D)
        return;
    m3_store(D, so3_tangent_inverse_derivative(v3_load(psi), v3_load(a)));
}

void nt_so3_tangent_inverse_transposed_derivative(const double psi[3], const double a[3],
                                                  double D[9])
{
    if (!psi || !a || !D)
        return;
    m3_store(D, so3_tangent_inverse_transposed_derivative(v3_load(psi), v3_load(a)));
}

void nt_so3_tangent_along(const double psi[3], const double u[3], double D[9])
{
    if (!psi || !u || !D)
        return;
    v3 p = v3_load(psi);
    m3_store(D, so3_operator_along(nt_so3_operator_tangent(v3_dot(p, p)), p, v3_load(u)));
}

void nt_so3_tangent_second_derivative(const double psi[3], const double u[3], const double a[3],
                                      double D[9])
{
    if (!psi || !u || !a || !D)
        return;
    v3 p = v3_load(psi);
    so3_operator f = nt_so3_operator_tangent(v3_dot(p, p));
    m3_store(D, so3_operator_second(f, p, v3_load(a), v3_load(u)));
}
