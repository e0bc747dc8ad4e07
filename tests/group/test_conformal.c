/* The conformal rotation vector against the rotation vector and against 113-bit differences. */
#include "quad.h"

#include <string.h>

#include <nutate/group.h>

/* Bounds relative to the Frobenius norm of the exact result. c0 = 2 - |c|^2/8 and 2 + |c|^2/8 are
 * good to 2 ulp of the larger, and no result is smaller than they make it: 4 ulp holds for all,
 * 8 ulp for the derivative, which has the inverse third power of 2 + |c|^2/8. */
#define BOUND (4 * ULP)
#define BOUND_DERIVATIVE (8 * ULP)

/* tan(psi/4) at psi = 6.2, close to the end of the range */
#define LARGEST 192.0

static quad dot(const quad a[3], const quad b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* T(c) by (38), in 113 bits; checked below against what T means. */
static qm tangent(const quad c[3])
{
    quad c0 = 2 - dot(c, c) / 8, f = 2 / ((4 - c0) * (4 - c0));
    qm T = qm_skew(c);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            T.a[i][j] = f * ((i == j ? c0 : 0) + c[i] * c[j] / 4 - T.a[i][j]);
    return T;
}

/* R(c) by (37) with c0 = constant + sign |c|^2/8 */
static qm rotation(const quad c[3], int constant, int sign)
{
    quad c0 = constant + sign * dot(c, c) / 8, f = 1 / ((4 - c0) * (4 - c0));
    qm R = qm_skew(c);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            R.a[i][j] =
                f * ((i == j ? c0 * c0 + 8 * c0 - 16 : 0) + 2 * c[i] * c[j] + 2 * c0 * R.a[i][j]);
    return R;
}

static double qm_distance(const qm *a, const qm *b)
{
    qm d = qm_axpy(-1, a, b);
    return qm_norm(&d);
}

/* The exact rotation has the vector psi = 4 atan(|c|/4) n. Printed formula (37) is one with
 * c0 = 2 - |c|^2/8; the sign + gives no rotation. */
static void test_definition(void **unused)
{
    (void)unused;
    const double angles[] = {0.01, 0.5, 1, 2, 3, 3.1415926535897932, 4, 5, 6};
    const double n[3] = {2.0 / 3, -1.0 / 3, 2.0 / 3};
    for (size_t k = 0; k < sizeof angles / sizeof *angles; k++) {
        quad psi[3], c[3];
        double t = 4 * tan(angles[k] / 4), q[4], cd[3];
        for (int i = 0; i < 3; i++) {
            psi[i] = angles[k] * n[i];
            cd[i] = t * n[i];
            c[i] = cd[i];
        }
        qm skew = qm_skew(psi), exact = qm_exp(&skew), R = rotation(c, 2, -1);
        nt_conformal_exp(cd, q);
        qm ours = qm_rotation(q);
        /* tan amplifies the rounding of the angle: |c| (1 + t^2/16) in c, back to one in psi */
        assert_true(qm_distance(&R, &exact) <= 8 * ULP * (1 + angles[k]));
        assert_true(qm_distance(&R, &ours) <= BOUND);
        R = rotation(c, 2, 1);
        assert_true(qm_distance(&R, &exact) > 1e-6);
    }
}

static worst exp_error = {.what = "conformal exp"}, exp_vector = {.what = "vector part of exp"},
             log_error = {.what = "log of exp"}, tangent_error = {.what = "T"},
             inverse_error = {.what = "T^-1"}, derivative_error = {.what = "derivative of T a"},
             inverse_derivative_error = {.what = "derivative of T^-1 a"},
             along_error = {.what = "derivative of T along u"},
             second_error = {.what = "second derivative of T a"};

static void check_exp_log(const double c[3], double x)
{
    double q[4], back[3];
    quad e[3] = {c[0], c[1], c[2]}, cc = dot(e, e);
    quad exact[4] = {(16 - cc) / (16 + cc)};
    for (int i = 0; i < 3; i++)
        exact[1 + i] = 8 * e[i] / (16 + cc);
    nt_conformal_exp(c, q);
    within(&exp_error, vector_distance(q, exact, 4), 2 * ULP, x);
    double size = vector_norm(c, 3) * 8 / (16 + (double)cc);
    within(&exp_vector, vector_distance(q + 1, exact + 1, 3), 3 * ULP * size + 1e-323, x);
    /* log gives the vector of at most half a turn, for either sign of q */
    if (x > 4)
        for (int i = 0; i < 3; i++)
            e[i] *= -16 / cc;
    double bound = BOUND * fmin(x, 4) + (x > 4 ? 2 * BOUND : 0) + 2e-323;
    nt_conformal_log(q, back);
    within(&log_error, vector_distance(back, e, 3), bound, x);
    double minus[4] = {-q[0], -q[1], -q[2], -q[3]};
    nt_conformal_log(minus, back);
    within(&log_error, vector_distance(back, e, 3), bound, x);
}

static void check_tangent(const double c[3], double x)
{
    double T[9], V[9];
    quad e[3] = {c[0], c[1], c[2]};
    qm exact = tangent(e), inverse = qm_inverse(&exact);
    nt_conformal_tangent(c, T);
    nt_conformal_tangent_inverse(c, V);
    within(&tangent_error, distance(T, &exact), BOUND * qm_norm(&exact), x);
    within(&inverse_error, distance(V, &inverse), BOUND * qm_norm(&inverse), x);
}

/* Central differences with a step of 1e-10 of max(1, |c|): exact to 1e-19 of the result. */
static void check_derivative(const double c[3], double x)
{
    static uint64_t state = 23;
    double a[3], D[9];
    for (int i = 0; i < 3; i++)
        a[i] = 2 * uniform(&state);
    nt_conformal_tangent_derivative(c, a, D);
    quad b[3] = {a[0], a[1], a[2]}, plus[3], minus[3], step = (quad)(1e-10 * fmax(1, x));
    qm exact = qm_zero(3);
    for (int j = 0; j < 3; j++) {
        quad e[3] = {c[0], c[1], c[2]};
        e[j] += step;
        qm P = tangent(e);
        e[j] -= 2 * step;
        qm M = tangent(e);
        qm_apply(&P, b, plus), qm_apply(&M, b, minus);
        for (int i = 0; i < 3; i++)
            exact.a[i][j] = (plus[i] - minus[i]) / (2 * step);
    }
    /* the terms of (119) have the size |a| (1 + |c|)/(2 + |c|^2/8)^2 */
    double size = vector_norm(a, 3) * (1 + x) / ((2 + x * x / 8) * (2 + x * x / 8));
    within(&derivative_error, distance(D, &exact), BOUND_DERIVATIVE * size, x);
}

/* d(T^-1 a)/dc in 113 bits: differences as above, T^-1 by elimination. Its terms have the size
 * |a| (1 + |c|). */
static void check_inverse_derivative(const double c[3], double x)
{
    static uint64_t state = 37;
    double a[3], D[9];
    for (int i = 0; i < 3; i++)
        a[i] = 2 * uniform(&state);
    nt_conformal_tangent_inverse_derivative(c, a, D);
    quad b[3] = {a[0], a[1], a[2]}, plus[3], minus[3], step = (quad)(1e-10 * fmax(1, x));
    qm exact = qm_zero(3);
    for (int j = 0; j < 3; j++) {
        quad e[3] = {c[0], c[1], c[2]};
        e[j] += step;
        qm P = tangent(e);
        e[j] -= 2 * step;
        qm M = tangent(e);
        P = qm_inverse(&P), M = qm_inverse(&M);
        qm_apply(&P, b, plus), qm_apply(&M, b, minus);
        for (int i = 0; i < 3; i++)
            exact.a[i][j] = (plus[i] - minus[i]) / (2 * step);
    }
    double size = vector_norm(a, 3) * (1 + x);
    within(&inverse_derivative_error, distance(D, &exact), BOUND * size, x);
}

/* DT[u] a is d(T a)/dc u; the second derivative is the mixed central difference of T a along u and
 * e_j. With steps of 1e-8 of max(1, |c|) it is exact to 1e-16 of the result's terms, which have the
 * sizes |u| |a| w^2 and, those with the second derivatives of the coefficients, |u| |a| w^3 |c|^2,
 * w = 1/(2 + |c|^2/8). */
static void check_second_derivative(const double c[3], double x)
{
    static uint64_t state = 31;
    double a[3], u[3], D[9], S[9], along[9], difference[3];
    for (int i = 0; i < 3; i++)
        a[i] = uniform(&state), u[i] = uniform(&state);
    nt_conformal_tangent_along(c, u, along);
    nt_conformal_tangent_derivative(c, a, D);
    nt_conformal_tangent_second_derivative(c, u, a, S);
    for (int i = 0; i < 3; i++) {
        difference[i] = 0;
        for (int j = 0; j < 3; j++)
            difference[i] += along[3 * i + j] * a[j] - D[3 * i + j] * u[j];
    }
    double w = 1 / (2 + x * x / 8), size = vector_norm(a, 3) * vector_norm(u, 3) * w * w;
    double size_second = size * (1 + x * x * w);
    within(&along_error, vector_norm(difference, 3), BOUND_DERIVATIVE * size * (1 + x), x);
    quad b[3] = {a[0], a[1], a[2]}, step = (quad)(1e-8 * fmax(1, x));
    qm exact = qm_zero(3);
    for (int j = 0; j < 3; j++)
        for (int corner = 0; corner < 4; corner++) {
            int s = corner & 1 ? -1 : 1, r = corner & 2 ? -1 : 1;
            quad e[3], Ta[3];
            for (int i = 0; i < 3; i++)
                e[i] = c[i] + s * step * u[i] + (i == j ? r * step : 0);
            qm T = tangent(e);
            qm_apply(&T, b, Ta);
            for (int i = 0; i < 3; i++)
                exact.a[i][j] += s * r * Ta[i] / (4 * step * step);
        }
    within(&second_error, distance(S, &exact), BOUND_DERIVATIVE * size_second, x);
}

static void test_sweep(void **unused)
{
    (void)unused;
    double x[MAX_LENGTHS];
    uint64_t state = 19;
    int n = lengths(LARGEST, x);
    x[n++] = 4, x[n++] = 4 * (1 - ULP), x[n++] = 1e6;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 11; k++) {
            double d[3];
            direction(k, &state, d);
            double c[3] = {x[i] * d[0], x[i] * d[1], x[i] * d[2]};
            /* at half a turn the sign of log is a matter of rounding */
            if (fabs(x[i] - 4) > 1e-12)
                check_exp_log(c, x[i]);
            check_tangent(c, x[i]);
            check_derivative(c, x[i]);
            check_inverse_derivative(c, x[i]);
            check_second_derivative(c, x[i]);
        }
    report(&exp_error), report(&exp_vector), report(&log_error);
    report(&tangent_error), report(&inverse_error), report(&derivative_error);
    report(&inverse_derivative_error), report(&along_error), report(&second_error);
}

/* R(c)^T dR(c) = (T(c) dc)~, by differences of (37): (38) is the tangent of (37). */
static void test_tangent_meaning(void **unused)
{
    (void)unused;
    const double c[3] = {0.9, -1.7, 2.2};
    const quad step = (quad)1e-12;
    double T[9];
    nt_conformal_tangent(c, T);
    for (int j = 0; j < 3; j++) {
        quad e[3] = {c[0], c[1], c[2]};
        qm R = rotation(e, 2, -1), zero = qm_zero(3);
        e[j] += step;
        qm P = rotation(e, 2, -1);
        e[j] -= 2 * step;
        qm M = rotation(e, 2, -1), d = qm_axpy(-1, &M, &P), Rt = qm_transpose(&R);
        d = qm_axpy(1 / (2 * step), &d, &zero);
        qm w = qm_multiply(&Rt, &d);
        quad axial[3] = {w.a[2][1], w.a[0][2], w.a[1][0]};
        double column[3] = {T[j], T[3 + j], T[6 + j]};
        assert_true(vector_distance(column, axial, 3) <= BOUND);
    }
}

/* Both parameterisations of the same rotation: c = 4 tan(psi/4) n gives the quaternion of psi, and
 * T(c) dc = T(psi) dpsi, so T(c) dc/dpsi = T(psi). */
static void test_against_rotation_vector(void **unused)
{
    (void)unused;
    const double n[3] = {0.48, -0.6, 0.64};
    for (double psi = 0.05; psi < 6; psi += 0.11) {
        double t = tan(psi / 4), p[3], c[3], q[4], r[4], Tc[9], Tp[9], product[9];
        for (int i = 0; i < 3; i++)
            p[i] = psi * n[i], c[i] = 4 * t * n[i];
        nt_so3_exp(p, q);
        nt_conformal_exp(c, r);
        for (int i = 0; i < 4; i++)
            assert_true(fabs(q[i] - r[i]) <= 2 * ULP * (1 + psi));
        nt_conformal_tangent(c, Tc);
        nt_so3_tangent(p, Tp);
        /* dc/dpsi = (4 t/psi) (I - n n^T) + (1 + t^2) n n^T */
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                product[3 * i + j] = 0;
                for (int k = 0; k < 3; k++)
                    product[3 * i + j] += Tc[3 * i + k] * (4 * t / psi * ((k == j) - n[k] * n[j]) +
                                                           (1 + t * t) * n[k] * n[j]);
            }
        /* rounding of t, amplified like t itself, and that of a unit vector */
        for (int i = 0; i < 9; i++)
            assert_true(fabs(product[i] - Tp[i]) <= 8 * ULP * (1 + t));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definition),
        cmocka_unit_test(test_sweep),
        cmocka_unit_test(test_tangent_meaning),
        cmocka_unit_test(test_against_rotation_vector),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
