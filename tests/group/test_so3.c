/* SO(3) with the rotation vector against matrix series in 113-bit arithmetic. */
#include "quad.h"

#include <string.h>

#include "group/rotation_derivative.h"

/* Bounds, relative to the Frobenius norm of the exact result.
 * Every entry is a sum of at most four terms of the size of that norm, each with a coefficient and
 * two products rounded to half an ulp: 2 ulp at the most if all conspire, and 1 ulp over a matrix
 * in which they do not. To this comes the rounding of s = |psi|^2 and of its root, together at
 * most 1 ulp of |psi|, times the derivative of the result (for T^-1 and its derivative this grows
 * like 1/(2 pi - |psi|) next to the singularity: the argument itself is not known better). */
#define ROUNDING (1.0 * ULP)
#define ARGUMENT (1.0 * ULP)

/* T has the derivative 1/2 at zero and below 1 everywhere. */
#define BOUND_SMOOTH(x) (ROUNDING + ARGUMENT * (x))

/* The transversal eigenvalue of T^-1 is (x/2)/sin(x/2); its derivative relative to itself is below
 * 1/(2 pi - x) + 1/2; that of the derivative of T^-1 twice as much. */
#define BOUND_SINGULAR(x) (ROUNDING + ARGUMENT * (x) * (2 / (6.2831853 - (x)) + 1))

#define RANGE 6.0
#define DIRECTIONS 11

typedef void visit(const double psi[3], double x);

/* psi over all lengths; all directions for each. */
static void sweep(visit *f, double largest)
{
    double x[MAX_LENGTHS];
    uint64_t state = 7;
    int n = lengths(largest, x);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < DIRECTIONS; k++) {
            double d[3];
            direction(k, &state, d);
            double psi[3] = {x[i] * d[0], x[i] * d[1], x[i] * d[2]};
            f(psi, vector_norm(psi, 3));
        }
}

static qm quad_skew(const double psi[3])
{
    quad p[3] = {psi[0], psi[1], psi[2]};
    return qm_skew(p);
}

/* ---- coefficients --------------------------------------------------------------------------- */

/* sum_k (-1)^k s^k / (2k + n)! in 113 bits */
static quad stumpff_series(int n, quad s)
{
    quad term = 1, sum = 0;
    for (int k = 2; k <= n; k++)
        term /= k;
    for (int k = 0; k < 60; k++) {
        sum += term;
        term *= -s / ((2 * k + n + 1) * (2 * k + n + 2));
    }
    return sum;
}

static double relative(double value, quad exact)
{
    return fabs((double)(((quad)value - exact) / exact));
}

/* The series alone, relative to themselves: one rounding of the sum, one of its correction. A last
 * term left out, or a bound moved outwards, is an ulp or more at the upper end. */
static void test_series(void **unused)
{
    (void)unused;
    worst w[6] = {{.what = "cos(x/2), series"}, {.what = "sin(x/2)/x, series"},
                  {.what = "a, series"},        {.what = "b, series"},
                  {.what = "c, series"},        {.what = "e, series"}};
    const double bound = 0.75 * ULP;
    for (int i = 1; i < 4000; i++) {
        double s = i / 4000.0;
        quad t = s, a = stumpff_series(1, t), b = stumpff_series(2, t);
        so3_half_angle h = so3_half_angle_of(s);
        within(&w[0], relative(h.cosine, stumpff_series(0, t / 4)), bound, s);
        within(&w[1], relative(h.ratio, stumpff_series(1, t / 4) / 2), bound, s);
        if (s < SO3_SERIES_TANGENT) {
            so3_tangent_coefficients f = so3_tangent_coefficients_of(s);
            within(&w[2], relative(f.a, a), bound, s);
            within(&w[3], relative(f.b, b), bound, s);
            within(&w[4], relative(f.c, stumpff_series(3, t)), bound, s);
        }
        if (s < SO3_SERIES_INVERSE)
            within(&w[5], relative(so3_inverse_coefficients_of(s).e, (1 - a / (2 * b)) / t), bound,
                   s);
    }
    for (int i = 0; i < 6; i++)
        report(&w[i]);
}

/* ---- exponential and logarithm -------------------------------------------------------------- */

static worst exp_error = {.what = "exp"}, exp_vector = {.what = "vector part of exp"},
             matrix_error = {.what = "matrix of exp"}, length_error = {.what = "length of exp"};

static void check_exp(const double psi[3], double x)
{
    double q[4], R[9];
    nt_so3_exp(psi, q);
    /* q = exp of the quaternion (0, psi/2): first column of the exponential of its left matrix */
    quad half[4] = {0, (quad)psi[0] / 2, (quad)psi[1] / 2, (quad)psi[2] / 2};
    qm L = qm_left(half);
    qm E = qm_exp(&L);
    quad reference[4] = {E.a[0][0], E.a[1][0], E.a[2][0], E.a[3][0]};
    within(&exp_error, vector_distance(q, reference, 4), ULP + ARGUMENT * x / 2, x);
    /* the vector part alone, relative to itself; below the normal numbers, to their spacing */
    if (x < 1)
        within(&exp_vector, vector_distance(q + 1, reference + 1, 3), ULP * x / 2 + 5e-324, x);
    double norm = vector_norm(q, 4);
    within(&length_error, fabs(norm - 1), 2 * ULP, x);

    qm skew = quad_skew(psi), exact = qm_exp(&skew);
    nt_so3_matrix(q, R);
    within(&matrix_error, distance(R, &exact), 4 * ULP + ARGUMENT * x * 1.5, x);
}

static void test_exp(void **unused)
{
    (void)unused;
    sweep(check_exp, 12.0);
    report(&exp_error), report(&exp_vector), report(&length_error), report(&matrix_error);
}

static worst log_error = {.what = "log of exp"}, log_of_minus = {.what = "log of -exp"};

/* log(exp(psi)) = psi up to pi. An error of 2 ulp in a unit quaternion is one of 4 ulp in the
 * angle; below 1 the error is relative to |psi|: 2 ulp of exp, 4 of log. */
static void check_log(const double psi[3], double x)
{
    if (x > 3.1415926)
        return;
    double q[4], back[3];
    quad exact[3] = {psi[0], psi[1], psi[2]};
    nt_so3_exp(psi, q);
    nt_so3_log(q, back);
    double bound = x < 1 ? 6 * ULP * x + 2e-323 : 6 * ULP + ARGUMENT * x;
    within(&log_error, vector_distance(back, exact, 3), bound, x);
    double minus[4] = {-q[0], -q[1], -q[2], -q[3]};
    nt_so3_log(minus, back);
    within(&log_of_minus, vector_distance(back, exact, 3), bound, x);
}

static worst log_long = {.what = "log beyond pi"};

/* Beyond pi the shorter way round, with the same rotation. */
static void check_log_long(const double psi[3], double x)
{
    if (x <= 3.1415927 || x > 9)
        return;
    double q[4], back[3];
    nt_so3_exp(psi, q);
    nt_so3_log(q, back);
    assert_true(vector_norm(back, 3) <= 3.1415926535897932 * (1 + ULP));
    qm before = quad_skew(psi), after = quad_skew(back);
    qm R = qm_exp(&before), S = qm_exp(&after), d = qm_axpy(-1, &R, &S);
    within(&log_long, qm_norm(&d), 12 * ULP + 2 * ARGUMENT * x, x);
}

/* log of (1, t, 0, 0), any length allowed: 2 atan t, on both sides of the series' bound t = 0.1. */
static void test_log_series(void **unused)
{
    (void)unused;
    worst error = {.what = "2 atan t"};
    for (int i = 1; i <= 1500; i++) {
        double t = i * 2e-4, q[4] = {1, t, 0, 0}, psi[3];
        quad tt = (quad)t * t, power = t, exact = 0;
        for (int k = 0; k < 60; k++, power *= -tt)
            exact += 2 * power / (2 * k + 1);
        nt_so3_log(q, psi);
        within(&error, relative(psi[0], exact), 1.5 * ULP, t);
        assert_true(psi[1] == 0 && psi[2] == 0);
    }
    report(&error);
}

/* Next to pi on both sides, and quaternions with w = 0, of either sign of zero. */
static void test_log_near_pi(void **unused)
{
    (void)unused;
    worst error = {.what = "log near pi"};
    uint64_t state = 3;
    for (int k = 0; k < DIRECTIONS; k++) {
        double n[3];
        direction(k, &state, n);
        for (int e = -330; e <= -1; e++) {
            for (int sign = -1; sign <= 1; sign += 2) {
                double w = sign * pow(10, e);
                double q[4] = {w, n[0], n[1], n[2]}, psi[3]; /* length 1 to rounding if w < 1e-8 */
                nt_so3_log(q, psi);
                /* the rotation of q, whatever its length */
                qm skew = quad_skew(psi), R = qm_exp(&skew), S = qm_rotation(q);
                qm d = qm_axpy(-1, &R, &S);
                within(&error, qm_norm(&d), 12 * ULP, w);
                assert_true(vector_norm(psi, 3) <= 3.1415926535897932 * (1 + ULP));
            }
        }
    }
    report(&error);
}

static void test_log(void **unused)
{
    (void)unused;
    sweep(check_log, 3.1415926);
    sweep(check_log_long, 9);
    report(&log_error), report(&log_of_minus), report(&log_long);
    /* exactly the identity */
    double one[4] = {1, 0, 0, 0}, minus[4] = {-1, 0, 0, 0}, psi[3];
    nt_so3_log(one, psi);
    assert_true(psi[0] == 0 && psi[1] == 0 && psi[2] == 0);
    nt_so3_log(minus, psi);
    assert_true(psi[0] == 0 && psi[1] == 0 && psi[2] == 0);
}

/* ---- matrices ------------------------------------------------------------------------------- */

static worst from_matrix_error = {.what = "from_matrix"};

static void check_from_matrix(const double psi[3], double x)
{
    double q[4], R[9], p[4];
    nt_so3_exp(psi, q);
    nt_so3_matrix(q, R);
    nt_so3_from_matrix(R, p);
    assert_true(p[0] >= 0);
    double sign = q[0] * p[0] + q[1] * p[1] + q[2] * p[2] + q[3] * p[3] < 0 ? -1 : 1;
    quad exact[4] = {sign * q[0], sign * q[1], sign * q[2], sign * q[3]};
    within(&from_matrix_error, vector_distance(p, exact, 4), 4 * ULP, x);
}

static void test_from_matrix(void **unused)
{
    (void)unused;
    sweep(check_from_matrix, 6.28);
    report(&from_matrix_error);
    /* half turns about the axes and diagonals: trace -1, one candidate only is not zero */
    uint64_t state = 5;
    for (int k = 0; k < 40; k++) {
        double n[3];
        direction(k, &state, n);
        double q[4] = {0, n[0], n[1], n[2]}, R[9], p[4];
        nt_so3_matrix(q, R);
        nt_so3_from_matrix(R, p);
        qm S = qm_rotation(p), exact = qm_rotation(q), d = qm_axpy(-1, &S, &exact);
        within(&from_matrix_error, qm_norm(&d), 8 * ULP, 3.14159);
    }
    /* an R that is off by 1e-7 still gives a quaternion of unit length */
    double rough[9] = {1, 1e-7, 0, 0, 1 - 1e-7, 0, 0, 2e-7, 1}, p[4];
    nt_so3_from_matrix(rough, p);
    assert_true(fabs(vector_norm(p, 4) - 1) <= 2 * ULP);
}

static void test_multiply(void **unused)
{
    (void)unused;
    uint64_t state = 11;
    for (int k = 0; k < 200; k++) {
        double a[4], b[4], ab[4], n[3], m[3];
        direction(8, &state, n), direction(8, &state, m);
        for (int i = 0; i < 3; i++)
            n[i] *= 3 * uniform(&state), m[i] *= 3 * uniform(&state);
        nt_so3_exp(n, a), nt_so3_exp(m, b);
        nt_so3_multiply(a, b, ab);
        qm A = qm_rotation(a), B = qm_rotation(b), AB = qm_rotation(ab);
        qm product = qm_multiply(&A, &B), d = qm_axpy(-1, &AB, &product);
        assert_true(qm_norm(&d) <= 8 * ULP);
        nt_so3_multiply(a, b, a); /* overlap is allowed */
        assert_memory_equal(a, ab, sizeof a);
    }
}

/* ---- tangent operator ----------------------------------------------------------------------- */

static worst tangent_error = {.what = "T"}, inverse_error = {.what = "T^-1"},
             product_error = {.what = "T T^-1 = I"}, adjoint_error = {.what = "T = T^T exp(-psi~)"};

static void check_tangent(const double psi[3], double x)
{
    double T[9], V[9];
    qm skew = quad_skew(psi), exact = qm_tangent(&skew), inverse = qm_inverse(&exact);
    nt_so3_tangent(psi, T);
    nt_so3_tangent_inverse(psi, V);
    within(&tangent_error, distance(T, &exact), qm_norm(&exact) * BOUND_SMOOTH(x), x);
    within(&inverse_error, distance(V, &inverse), qm_norm(&inverse) * BOUND_SINGULAR(x), x);

    qm t = qm_zero(3), v = t, one = qm_identity(3);
    for (int i = 0; i < 9; i++)
        t.a[i / 3][i % 3] = T[i], v.a[i / 3][i % 3] = V[i];
    qm product = qm_multiply(&t, &v), d = qm_axpy(-1, &one, &product);
    double size = qm_norm(&t) * qm_norm(&v);
    within(&product_error, qm_norm(&d), size * BOUND_SINGULAR(x), x);

    /* exp(-psi~) = I - psi~ T, so T commutes with it and T^T = T exp(psi~) */
    qm E = qm_exp(&skew), tt = qm_transpose(&t), te = qm_multiply(&t, &E);
    d = qm_axpy(-1, &te, &tt);
    within(&adjoint_error, qm_norm(&d), qm_norm(&t) * 2 * BOUND_SMOOTH(x), x);
}

static void test_tangent(void **unused)
{
    (void)unused;
    sweep(check_tangent, RANGE);
    report(&tangent_error), report(&inverse_error);
    report(&product_error), report(&adjoint_error);
}

/* What T means: R(psi + dpsi) = R(psi) exp((T dpsi)~) in the body frame, and
 * R(psi + dpsi) = exp((T^T dpsi)~) R(psi) in the inertial one, to first order. */
static void test_tangent_meaning(void **unused)
{
    (void)unused;
    double psi[3] = {0.7, -1.1, 0.4};
    const quad step = (quad)1e-12;
    for (int j = 0; j < 3; j++) {
        quad plus[3] = {psi[0], psi[1], psi[2]}, minus[3] = {psi[0], psi[1], psi[2]};
        plus[j] += step, minus[j] -= step;
        qm skew = quad_skew(psi), P = qm_skew(plus), M = qm_skew(minus);
        qm R = qm_exp(&skew), RP = qm_exp(&P), RM = qm_exp(&M), zero = qm_zero(3);
        qm dR = qm_axpy(-1, &RM, &RP), Rt = qm_transpose(&R);
        dR = qm_axpy(1 / (2 * step), &dR, &zero);
        qm body = qm_multiply(&Rt, &dR), inertial = qm_multiply(&dR, &Rt);
        for (int frame = 0; frame < 2; frame++) {
            const qm *w = frame == NT_BODY ? &body : &inertial;
            m3 T = so3_frame_tangent((nt_frame)frame, v3_load(psi));
            double t[9];
            m3_store(t, T);
            quad axial[3] = {w->a[2][1], w->a[0][2], w->a[1][0]};
            double column[3] = {t[j], t[3 + j], t[6 + j]};
            assert_true(vector_distance(column, axial, 3) <= 4 * ULP);
            m3 V = so3_frame_tangent_inverse((nt_frame)frame, v3_load(psi));
            m3 one = m3_sub(m3_multiply(T, V), m3_identity());
            double e[9];
            m3_store(e, one);
            assert_true(vector_norm(e, 9) <= 8 * ULP);
        }
    }
}

/* ---- derivatives ---------------------------------------------------------------------------- */

/* Which of the four operators: bit 0 inverse, bit 1 transposed. */
static qm operator_at(int which, const quad psi[3])
{
    qm skew = qm_skew(psi), T = qm_tangent(&skew);
    if (which & 1)
        T = qm_inverse(&T);
    return which & 2 ? qm_transpose(&T) : T;
}

/* Central difference with step 1e-10: its error is 1e-20 of the third derivative, and the rounding
 * of 113 bits divided by the step 1e-24. */
static qm difference_quotient(int which, const double psi[3], const double a[3])
{
    const quad step = (quad)1e-10;
    qm D = qm_zero(3);
    quad b[3] = {a[0], a[1], a[2]}, plus[3], minus[3], x[3];
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 3; i++)
            x[i] = psi[i];
        x[j] += step;
        qm P = operator_at(which, x);
        x[j] -= 2 * step;
        qm M = operator_at(which, x);
        qm_apply(&P, b, plus), qm_apply(&M, b, minus);
        for (int i = 0; i < 3; i++)
            D.a[i][j] = (plus[i] - minus[i]) / (2 * step);
    }
    return D;
}

typedef void derivative(const double psi[3], const double a[3], double D[9]);
static derivative *const derivatives[4] = {
    nt_so3_tangent_derivative, nt_so3_tangent_inverse_derivative,
    nt_so3_tangent_transposed_derivative, nt_so3_tangent_inverse_transposed_derivative};
static worst derivative_error[4] = {{.what = "derivative of T a"},
                                    {.what = "derivative of T^-1 a"},
                                    {.what = "derivative of T^T a"},
                                    {.what = "derivative of T^-T a"}};

/* Relative to the larger of the derivative and |a| |F|/2, F the operator, which is what it is at
 * zero. Twice the bound of F itself: each entry has twice as many terms. */
static void check_derivative(const double psi[3], double x)
{
    static uint64_t state = 17;
    double a[3], D[9];
    for (int i = 0; i < 3; i++)
        a[i] = 3 * uniform(&state);
    quad p[3] = {psi[0], psi[1], psi[2]};
    for (int which = 0; which < 4; which++) {
        derivatives[which](psi, a, D);
        qm exact = difference_quotient(which, psi, a), F = operator_at(which, p);
        double size = fmax(qm_norm(&exact), vector_norm(a, 3) * qm_norm(&F) / 2);
        double bound = 2 * (which & 1 ? BOUND_SINGULAR(x) : BOUND_SMOOTH(x));
        within(&derivative_error[which], distance(D, &exact), size * bound, x);
    }
}

static void test_derivatives(void **unused)
{
    (void)unused;
    sweep(check_derivative, RANGE);
    for (int which = 0; which < 4; which++)
        report(&derivative_error[which]);
    /* at zero exactly: DT[v] a = -v x a / 2 = a~ v / 2, and the opposite for the inverse */
    double zero[3] = {0}, a[3] = {2, 4, 8}, D[9], expected[9] = {0, -4, 2, 4, 0, -1, -2, 1, 0};
    nt_so3_tangent_derivative(zero, a, D);
    for (int i = 0; i < 9; i++)
        assert_true(D[i] == expected[i]);
    nt_so3_tangent_inverse_derivative(zero, a, D);
    for (int i = 0; i < 9; i++)
        assert_true(D[i] == -expected[i]);
}

/* ---- second derivatives ---------------------------------------------------------------------- */

/* The mixed central difference of T a along u and e_j, steps 1e-8: it is off by 1e-16 of the fourth
 * derivative, which is below 1/20 of |u| |a| (that of c psi~ psi~ at zero), and by the rounding of
 * 113 bits over the steps' product, 1e-18. */
static qm second_difference(const double psi[3], const double u[3], const double a[3])
{
    const quad step = (quad)1e-8;
    qm D = qm_zero(3);
    quad b[3] = {a[0], a[1], a[2]};
    for (int j = 0; j < 3; j++)
        for (int corner = 0; corner < 4; corner++) {
            int along = corner & 1 ? -1 : 1, across = corner & 2 ? -1 : 1;
            quad x[3], Ta[3];
            for (int i = 0; i < 3; i++)
                x[i] = psi[i] + along * step * u[i] + (i == j ? across * step : 0);
            qm T = operator_at(0, x);
            qm_apply(&T, b, Ta);
            for (int i = 0; i < 3; i++)
                D.a[i][j] += along * across * Ta[i] / (4 * step * step);
        }
    return D;
}

static worst along_error = {.what = "derivative of T along u"},
             second_error = {.what = "second derivative of T a"};

/* DT[u] a = d(T a)/dpsi u, two functions that are written apart; sizes at zero are |u|/2 and
 * |u| |a|/6 (of psi~ psi~/6). Twice and four times the bound of T: so many terms more. */
static void check_second_derivative(const double psi[3], double x)
{
    static uint64_t state = 29;
    double u[3], a[3], D[9], S[9], along[9];
    for (int i = 0; i < 3; i++)
        u[i] = uniform(&state), a[i] = uniform(&state);
    nt_so3_tangent_along(psi, u, along);
    nt_so3_tangent_derivative(psi, a, D);
    nt_so3_tangent_second_derivative(psi, u, a, S);
    double difference[3], lu = vector_norm(u, 3), la = vector_norm(a, 3);
    for (int i = 0; i < 3; i++) {
        difference[i] = 0;
        for (int j = 0; j < 3; j++)
            difference[i] += along[3 * i + j] * a[j] - D[3 * i + j] * u[j];
    }
    within(&along_error, vector_norm(difference, 3), lu * la * 2 * BOUND_SMOOTH(x), x);
    qm exact = second_difference(psi, u, a);
    double size = fmax(qm_norm(&exact), lu * la / 6);
    within(&second_error, distance(S, &exact), size * 4 * BOUND_SMOOTH(x), x);
}

static void test_second_derivatives(void **unused)
{
    (void)unused;
    sweep(check_second_derivative, RANGE);
    report(&along_error), report(&second_error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_series),
        cmocka_unit_test(test_exp),
        cmocka_unit_test(test_log),
        cmocka_unit_test(test_log_series),
        cmocka_unit_test(test_log_near_pi),
        cmocka_unit_test(test_from_matrix),
        cmocka_unit_test(test_multiply),
        cmocka_unit_test(test_tangent),
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_tangent_meaning),
        cmocka_unit_test(test_second_derivatives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
