/* First and second derivatives of the tangent operator of SO(3), by value.
 *
 * T, T^T, T^-1 and T^-T are all of the form
 *
 *   F(psi) = I + p psi~ + r psi~ psi~
 *
 * with p and r functions of s = |psi|^2. For such a function write p1 = 2 dp/ds, so that
 * dp = p1 (psi . dpsi), and p2 = 2 dp1/ds in the same way. Then, for constant vectors k and u,
 *
 *   DF[u]            = p u~ + r (u~ psi~ + psi~ u~) + (psi . u) (p1 psi~ + r1 psi~ psi~)
 *   d(F k)/dpsi      = -p k~ - r ((psi x k)~ + psi~ k~) + (p1 psi x k + r1 psi x (psi x k)) psi^T
 *
 * and d(DF[u] k)/dpsi is the sum of four kinds of terms, written out at so3_operator_second.
 *
 * The coefficients are Stumpff functions C_n(s) = sum (-1)^k s^k / (2k + n)!: b = C_2, c = C_3 and
 * 2 dC_n/ds = n C_n+2 - C_n+1, which involves no division by s. */
#ifndef NUTATE_GROUP_ROTATION_DERIVATIVE_H
#define NUTATE_GROUP_ROTATION_DERIVATIVE_H

#include "group/rotation.h"

typedef struct so3_operator {
    double p, r, p1, r1, p2, r2;
} so3_operator;

/* The coefficients of T(psi), and those of T(psi)^-1 (its p2 = 0 and r2 is not formed: 0). */
so3_operator nt_so3_operator_tangent(double s);
so3_operator nt_so3_operator_inverse(double s);

/* The coefficients of the transposed operator. */
static inline so3_operator so3_operator_transpose(so3_operator f)
{
    return (so3_operator){-f.p, f.r, -f.p1, f.r1, -f.p2, f.r2};
}

/* DF[u], the derivative of the matrix F in the direction u. */
static inline m3 so3_operator_along(so3_operator f, v3 psi, v3 u)
{
    double d = v3_dot(psi, u);
    m3 linear = m3_skew(v3_axpy(f.p1 * d, psi, v3_scale(f.p, u)));
    m3 mixed = m3_add(m3_skew_skew(u, psi), m3_skew_skew(psi, u));
    m3 square = m3_skew_skew(psi, psi);
    return m3_add(linear, m3_add(m3_scale(f.r, mixed), m3_scale(f.r1 * d, square)));
}

/* d(F k)/dpsi. */
static inline m3 so3_operator_derivative(so3_operator f, v3 psi, v3 k)
{
    v3 pk = v3_cross(psi, k), ppk = v3_cross(psi, pk);
    m3 skew = m3_skew(v3_axpy(-f.r, pk, v3_scale(-f.p, k)));
    m3 mixed = m3_scale(-f.r, m3_skew_skew(psi, k));
    m3 outer = m3_dyad(v3_axpy(f.r1, ppk, v3_scale(f.p1, pk)), psi);
    return m3_add(m3_add(skew, mixed), outer);
}

/* d(DF[u] k)/dpsi. With d = psi . u, differentiating
 *
 *   DF[u] k = p u x k + r (u x (psi x k) + psi x (u x k)) + d (p1 psi x k + r1 psi x (psi x k))
 *
 * gives
 *
 *   (p1 u x k + r1 (u x (psi x k) + psi x (u x k)) + d (p2 psi x k + r2 psi x (psi x k))) psi^T
 *   + (p1 psi x k + r1 psi x (psi x k)) u^T
 *   - r (u~ k~ + (u x k)~)
 *   - d (p1 k~ + r1 ((psi x k)~ + psi~ k~)) */
static inline m3 so3_operator_second(so3_operator f, v3 psi, v3 k, v3 u)
{
    double d = v3_dot(psi, u);
    v3 pk = v3_cross(psi, k), ppk = v3_cross(psi, pk), uk = v3_cross(u, k);
    v3 mixed = v3_add(v3_cross(u, pk), v3_cross(psi, uk));
    v3 first = v3_axpy(f.r1, ppk, v3_scale(f.p1, pk));
    v3 second = v3_axpy(f.r2, ppk, v3_scale(f.p2, pk));
    v3 radial = v3_add(v3_axpy(f.r1, mixed, v3_scale(f.p1, uk)), v3_scale(d, second));
    m3 outer = m3_add(m3_dyad(radial, psi), m3_dyad(first, u));
    m3 constant = m3_scale(-f.r, m3_add(m3_skew_skew(u, k), m3_skew(uk)));
    m3 skew = m3_skew(v3_axpy(-d * f.r1, pk, v3_scale(-d * f.p1, k)));
    m3 square = m3_scale(-d * f.r1, m3_skew_skew(psi, k));
    return m3_add(m3_add(outer, constant), m3_add(skew, square));
}

/* d(T(psi) k)/dpsi. */
static inline m3 so3_tangent_derivative(v3 psi, v3 k)
{
    return so3_operator_derivative(nt_so3_operator_tangent(v3_dot(psi, psi)), psi, k);
}

/* d(T(psi)^T k)/dpsi. */
static inline m3 so3_tangent_transposed_derivative(v3 psi, v3 k)
{
    so3_operator f = so3_operator_transpose(nt_so3_operator_tangent(v3_dot(psi, psi)));
    return so3_operator_derivative(f, psi, k);
}

/* d(T(psi)^-1 k)/dpsi. */
static inline m3 so3_tangent_inverse_derivative(v3 psi, v3 k)
{
    return so3_operator_derivative(nt_so3_operator_inverse(v3_dot(psi, psi)), psi, k);
}

/* d(T(psi)^-T k)/dpsi. */
static inline m3 so3_tangent_inverse_transposed_derivative(v3 psi, v3 k)
{
    so3_operator f = so3_operator_transpose(nt_so3_operator_inverse(v3_dot(psi, psi)));
    return so3_operator_derivative(f, psi, k);
}

#endif
