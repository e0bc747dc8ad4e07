/* SE(3), rigid motions h = (x, R), increments xi = (u, psi) in the body frame.
 *
 * The operator that plays the part of psi~ is
 *
 *   ad(xi) = [ psi~  u~   ]
 *            [ 0     psi~ ]
 *
 * and T(xi) = sum (-1)^k ad^k / (k+1)!. A block matrix [A B; 0 A] multiplies like the number
 * A + eps B with eps^2 = 0: the upper right block of any power series in ad is the derivative of
 * the same series in psi~ in the direction u. Hence, with T and its derivatives from SO(3),
 *
 *   T(xi)    = [ T(psi)  DT(psi)[u] ]      T(xi)^-1 = [ T(psi)^-1  D(T^-1)(psi)[u] ]
 *              [ 0       T(psi)     ]                 [ 0          T(psi)^-1       ]
 *
 * and nothing more has to be said about small angles. */
#define NT_ARRAYS NT_API /* NULL is looked for: see nutate/group.h */
#include <string.h>

#include "group/rotation_derivative.h"

/* Put block into rows i.. and columns j.. of the 6 x 6 matrix A. */
static void se3_put_block(double A[36], int i, int j, m3 block)
{
    double *p = A + 6 * i + j;
    p[0] = block.xx, p[1] = block.xy, p[2] = block.xz;
    p[6] = block.yx, p[7] = block.yy, p[8] = block.yz;
    p[12] = block.zx, p[13] = block.zy, p[14] = block.zz;
}

/* [diagonal upper; 0 diagonal] */
static void put_triangular(double A[36], m3 diagonal, m3 upper)
{
    memset(A, 0, 36 * sizeof *A);
    se3_put_block(A, 0, 0, diagonal);
    se3_put_block(A, 0, 3, upper);
    se3_put_block(A, 3, 3, diagonal);
}

void nt_se3_exp(const double xi[6], double h[7])
{
    if (!xi || !h)
        return;
    v3 u = v3_load(xi), psi = v3_load(xi + 3);
    v3_store(h, m3_apply_transposed(so3_tangent(psi), u));
    quat_store(h + 3, so3_exp(psi));
}

void nt_se3_log(const double h[7], double xi[6])
{
    if (!h || !xi)
        return;
    v3 x = v3_load(h), psi = so3_log(quat_load(h + 3));
    v3_store(xi, m3_apply_transposed(so3_tangent_inverse(psi), x));
    v3_store(xi + 3, psi);
}

void nt_se3_compose(const double a[7], const double b[7], double ab[7])
{
    if (!a || !b || !ab)
        return;
    quat qa = quat_load(a + 3), qb = quat_load(b + 3);
    v3 x = v3_add(v3_load(a), m3_apply(quat_matrix(qa), v3_load(b)));
    v3_store(ab, x);
    quat_store(ab + 3, so3_normalize(quat_multiply(qa, qb)));
}

void nt_se3_inverse(const double a[7], double inverse[7])
{
    if (!a || !inverse)
        return;
    quat q = quat_load(a + 3);
    v3_store(inverse, v3_neg(m3_apply_transposed(quat_matrix(q), v3_load(a))));
    quat_store(inverse + 3, quat_conjugate(q));
}

void nt_se3_tangent(const double xi[6], double T[36])
{
    if (!xi || !T)
        return;
    v3 u = v3_load(xi), psi = v3_load(xi + 3);
    so3_operator f = nt_so3_operator_tangent(v3_dot(psi, psi));
    put_triangular(T, so3_tangent(psi), so3_operator_along(f, psi, u));
}

void nt_se3_tangent_inverse(const double xi[6], double Tinv[36])
{
    if (!xi || !Tinv)
        return;
    v3 u = v3_load(xi), psi = v3_load(xi + 3);
    so3_operator f = nt_so3_operator_inverse(v3_dot(psi, psi));
    put_triangular(Tinv, so3_tangent_inverse(psi), so3_operator_along(f, psi, u));
}

/* With a = (k, l): T(xi) a = (T k + DT[u] l, T l), and DT[u] l = (d(T l)/dpsi) u. */
void nt_se3_tangent_derivative(const double xi[6], const double a[6], double D[36])
{
    if (!xi || !a || !D)
        return;
    v3 u = v3_load(xi), psi = v3_load(xi + 3), k = v3_load(a), l = v3_load(a + 3);
    so3_operator f = nt_so3_operator_tangent(v3_dot(psi, psi));
    m3 of_l = so3_operator_derivative(f, psi, l);
    m3 of_k = so3_operator_derivative(f, psi, k);
    put_triangular(D, of_l, m3_add(of_k, so3_operator_second(f, psi, l, u)));
    se3_put_block(D, 3, 3, of_l);
}
