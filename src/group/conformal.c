/* SO(3) with the conformal rotation vector (Wiener-Milenkovic), c = 4 tan(psi/4) n.
 *
 * Bruls & Eberhard 2008, section 3 and appendix A, with c0 = 2 - |c|^2/8:
 *
 *   T = 2 (c0 I + c c^T/4 - c~) / (4 - c0)^2                                             (38)
 *
 * Only rational functions: neither series nor thresholds are needed. 4 - c0 = 2 + |c|^2/8 is
 * evaluated in the second form. |c|^2 overflows beyond |c| = 1e154, far past any angle that differs
 * from 2 pi in double precision. */
#define NT_ARRAYS NT_API /* NULL is looked for: see nutate/group.h */
#include "group/chart.h"

/* (16 - |c|^2, 8 c) / (16 + |c|^2): cosine and sine of psi/2 = 2 (psi/4) from tan(psi/4). */
void nt_conformal_exp(const double c[3], double q[4])
{
    if (!c || !q)
        return;
    v3 k = v3_load(c);
    double cc = v3_dot(k, k), f = 8 / (16 + cc);
    quat_store(q, (quat){(16 - cc) / (16 + cc), f * k.x, f * k.y, f * k.z});
}

/* tan(psi/4) = sin(psi/2) / (1 + cos(psi/2)), with the sign of q for which the cosine is not
 * negative, so that |c| <= 4; |q| in place of 1 allows for any length of q. */
void nt_conformal_log(const double q[4], double c[3])
{
    if (!q || !c)
        return;
    quat p = quat_load(q);
    double length = sqrt(p.w * p.w + p.x * p.x + p.y * p.y + p.z * p.z);
    double f = (p.w < 0 ? -4 : 4) / (length + fabs(p.w));
    v3_store(c, v3_of(f * p.x, f * p.y, f * p.z));
}

/* c0 I + c c^T/4 + sign c~ */
static m3 conformal_numerator(v3 c, double c0, double sign)
{
    return m3_add(m3_add(m3_diagonal(c0, c0, c0), m3_scale(0.25, m3_dyad(c, c))),
                  m3_skew(v3_scale(sign, c)));
}

void nt_conformal_tangent(const double c[3], double T[9])
{
    if (!c || !T)
        return;
    v3 k = v3_load(c);
    double cc = v3_dot(k, k) / 8, c0 = 2 - cc, f = 2 / ((2 + cc) * (2 + cc));
    m3_store(T, m3_scale(f, conformal_numerator(k, c0, -1)));
}

/* The numerator N of T has the eigenvalues c0 + |c|^2/4 = 4 - c0 along c and c0 +- i |c| across, of
 * modulus 4 - c0 too: c0^2 + |c|^2 = (4 - c0)^2. So N is 4 - c0 times a rotation,
 * T^T T = (2/(4 - c0))^2 I, and T^-1 = ((4 - c0)/2)^2 T^T = N^T/2. */
void nt_conformal_tangent_inverse(const double c[3], double Tinv[9])
{
    if (!c || !Tinv)
        return;
    v3 k = v3_load(c);
    m3_store(Tinv, m3_scale(0.5, conformal_numerator(k, 2 - v3_dot(k, k) / 8, 1)));
}

/* (119) applied to a constant vector a, as a matrix on the direction v:
 *   (c v^T/4 + v c^T/4 - v~) a = (c a^T/4 + (c . a)/4 I + a~) v. */
void nt_conformal_tangent_derivative(const double c[3], const double a[3], double D[9])
{
    if (!c || !a || !D)
        return;
    v3 k = v3_load(c), b = v3_load(a);
    double cc = v3_dot(k, k) / 8, c0 = 2 - cc, f = 1 / (2 + cc), ca = v3_dot(k, b) / 4;
    m3 first = m3_add(m3_add(m3_scale(0.25, m3_dyad(k, b)), m3_diagonal(ca, ca, ca)), m3_skew(b));
    v3 second = v3_sub(v3_axpy(2 + c0 / 2, b, v3_scale(ca, k)), v3_cross(k, b));
    m3_store(D, m3_sub(m3_scale(2 * f * f, first), m3_scale(f * f * f, m3_dyad(second, k))));
}

/* The rest from the common form of the operators; chart.h. */
void nt_conformal_tangent_inverse_derivative(const double c[3], const double a[3], double D[9])
{
    if (!c || !a || !D)
        return;
    v3 k = v3_load(c);
    m3_store(D, chart_derivative(conformal_operator_inverse(v3_dot(k, k)), k, v3_load(a)));
}

void nt_conformal_tangent_along(const double c[3], const double u[3], double D[9])
{
    if (!c || !u || !D)
        return;
    v3 k = v3_load(c);
    m3_store(D, chart_along(conformal_operator_tangent(v3_dot(k, k)), k, v3_load(u)));
}

void nt_conformal_tangent_second_derivative(const double c[3], const double u[3], const double a[3],
                                            double D[9])
{
    if (!c || !u || !a || !D)
        return;
    v3 k = v3_load(c);
    chart_operator o = conformal_operator_tangent(v3_dot(k, k));
    m3_store(D, chart_second(o, k, v3_load(u), v3_load(a)));
}
