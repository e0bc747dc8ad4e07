/* SE(3) against the exponential of 4 x 4 matrices and the series of the 6 x 6 ad, in 113 bits. */
#include "quad.h"

#include <string.h>

#include <nutate/group.h>

/* Bounds. Blocks are compared one by one, each relative to its own size, since u may be far larger
 * or smaller than an angle: blocks linear in u relative to |u|, the others to 1. Each entry is a
 * sum of up to seven terms, most of them far below the largest, with coefficients good to an ulp:
 * 2 ulp, plus the argument's rounding as in test_so3.c. */
#define BOUND(x) ((2 + (x)) * ULP)
#define BOUND_SINGULAR(x) ((2 + (x) * (2 / (6.2831853 - (x)) + 1)) * ULP)

#define RANGE 6.0

/* [psi~ u; 0 0], whose exponential is the 4 x 4 matrix of the motion */
static qm hat(const double xi[6])
{
    quad psi[3] = {xi[3], xi[4], xi[5]};
    qm p = qm_skew(psi), r = qm_zero(4);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            r.a[i][j] = p.a[i][j];
        r.a[i][3] = xi[i];
    }
    return r;
}

static qm ad(const quad xi[6])
{
    qm u = qm_skew(xi), psi = qm_skew(xi + 3), r = qm_zero(6);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            r.a[i][j] = r.a[3 + i][3 + j] = psi.a[i][j];
            r.a[i][3 + j] = u.a[i][j];
        }
    return r;
}

static qm tangent(const quad xi[6])
{
    qm x = ad(xi);
    return qm_tangent(&x);
}

/* 4 x 4 matrix of h */
static qm motion(const double h[7])
{
    qm R = qm_rotation(h + 3), r = qm_identity(4);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            r.a[i][j] = R.a[i][j];
        r.a[i][3] = h[i];
    }
    return r;
}

/* Norm of the block at (i, j) of x - y for 6 x 6 matrices, and of x alone. */
static double block_distance(const double *x, const qm *y, int i, int j)
{
    double b[9];
    quad r[9];
    for (int k = 0; k < 9; k++) {
        b[k] = x[6 * (i + k / 3) + j + k % 3];
        r[k] = y->a[i + k / 3][j + k % 3];
    }
    return vector_distance(b, r, 9);
}

static worst position_error = {.what = "position of exp"}, rotation_error = {.what = "rotation"},
             log_error = {.what = "log of exp, u"}, log_angle = {.what = "log of exp, psi"};

static void check_exp_log(const double xi[6], double u, double x)
{
    double h[7], back[6];
    qm H = hat(xi), exact = qm_exp(&H);
    nt_se3_exp(xi, h);
    quad position[3] = {exact.a[0][3], exact.a[1][3], exact.a[2][3]};
    within(&position_error, vector_distance(h, position, 3), u * BOUND(x) + 1e-323, x);
    qm M = motion(h), d = qm_axpy(-1, &exact, &M);
    for (int i = 0; i < 3; i++)
        d.a[i][3] = 0;
    within(&rotation_error, qm_norm(&d), BOUND(x), x);
    if (x > 3.1415926)
        return;
    quad original[6];
    for (int i = 0; i < 6; i++)
        original[i] = xi[i];
    nt_se3_log(h, back);
    /* u = T^-T x: both operators' errors, and T^-1 is below 2 up to pi */
    within(&log_error, vector_distance(back, original, 3), 4 * u * BOUND(x) + 5e-323, x);
    within(&log_angle, vector_distance(back + 3, original + 3, 3),
           fmin(8 * ULP * x, BOUND(x)) + 5e-323, x);
}

static worst tangent_error = {.what = "T, upper right"}, tangent_angle = {.what = "T, diagonal"},
             inverse_error = {.what = "T^-1, upper right"},
             inverse_angle = {.what = "T^-1, diagonal"};

static void check_tangent(const double xi[6], double u, double x)
{
    double T[36], V[36];
    quad e[6];
    for (int i = 0; i < 6; i++)
        e[i] = xi[i];
    qm exact = tangent(e), inverse = qm_inverse(&exact);
    nt_se3_tangent(xi, T);
    nt_se3_tangent_inverse(xi, V);
    within(&tangent_error, block_distance(T, &exact, 0, 3), u * BOUND(x) + 1e-323, x);
    within(&tangent_angle, block_distance(T, &exact, 0, 0), BOUND(x), x);
    within(&tangent_angle, block_distance(T, &exact, 3, 3), BOUND(x), x);
    double size = 0; /* of the rotational block of T^-1; the derivative is of that size squared */
    for (int i = 0; i < 9; i++)
        size = fmax(size, fabs(V[6 * (i / 3) + i % 3]));
    within(&inverse_angle, block_distance(V, &inverse, 0, 0), 2 * size * BOUND_SINGULAR(x), x);
    within(&inverse_angle, block_distance(V, &inverse, 3, 3), 2 * size * BOUND_SINGULAR(x), x);
    within(&inverse_error, block_distance(V, &inverse, 0, 3),
           u * size * size * BOUND_SINGULAR(x) + 1e-323, x);
    for (int i = 0; i < 9; i++) /* exactly zero */
        assert_true(T[6 * (3 + i / 3) + i % 3] == 0 && V[6 * (3 + i / 3) + i % 3] == 0);
}

static worst derivative_error = {.what = "derivative of T a"};

/* Central differences in 113 bits with a step of 1e-10; errors below 1e-19. */
static void check_derivative(const double xi[6], double u, double x)
{
    static uint64_t state = 29;
    const quad step = (quad)1e-10;
    double a[6], D[36];
    quad b[6], plus[6], minus[6];
    for (int i = 0; i < 6; i++)
        b[i] = a[i] = 2 * uniform(&state);
    qm exact = qm_zero(6);
    for (int j = 0; j < 6; j++) {
        quad e[6];
        for (int i = 0; i < 6; i++)
            e[i] = xi[i];
        e[j] += step;
        qm P = tangent(e);
        e[j] -= 2 * step;
        qm M = tangent(e);
        qm_apply(&P, b, plus), qm_apply(&M, b, minus);
        for (int i = 0; i < 6; i++)
            exact.a[i][j] = (plus[i] - minus[i]) / (2 * step);
    }
    nt_se3_tangent_derivative(xi, a, D);
    double k = vector_norm(a, 3), l = vector_norm(a + 3, 3);
    within(&derivative_error, block_distance(D, &exact, 0, 0), l * BOUND(x), x);
    within(&derivative_error, block_distance(D, &exact, 0, 3), (k + l * u) * BOUND(x), x);
    within(&derivative_error, block_distance(D, &exact, 3, 3), l * BOUND(x), x);
    for (int i = 0; i < 9; i++)
        assert_true(D[6 * (3 + i / 3) + i % 3] == 0);
}

/* |psi| over all lengths; u of four sizes, 0 among them, in random directions. */
static void test_sweep(void **unused)
{
    (void)unused;
    static const double sizes[] = {0, 1, 1e-9, 1e6};
    double x[MAX_LENGTHS];
    uint64_t state = 31;
    int n = lengths(RANGE, x);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 4; k++) {
            double d[3], f[3], xi[6];
            direction((i + 3 * k) % 10, &state, d);
            direction(8, &state, f);
            for (int j = 0; j < 3; j++)
                xi[j] = sizes[k] * f[j], xi[3 + j] = x[i] * d[j];
            double u = vector_norm(xi, 3), angle = vector_norm(xi + 3, 3);
            check_exp_log(xi, u, angle);
            check_tangent(xi, u, angle);
            if (i % 4 == k || x[i] == 0)
                check_derivative(xi, u, angle);
        }
    report(&position_error), report(&rotation_error), report(&log_error), report(&log_angle);
    report(&tangent_error), report(&tangent_angle), report(&inverse_error);
    report(&inverse_angle), report(&derivative_error);
}

static void random_motion(uint64_t *state, double h[7])
{
    double xi[6];
    for (int i = 0; i < 6; i++)
        xi[i] = 2 * uniform(state);
    nt_se3_exp(xi, h);
}

/* compose is the product of the 4 x 4 matrices; inverse is its inverse; both with overlap-free
 * output. Positions are of size 8 at the most. */
static void test_group(void **unused)
{
    (void)unused;
    uint64_t state = 37;
    for (int k = 0; k < 300; k++) {
        double a[7], b[7], ab[7], inverse[7], one[7];
        random_motion(&state, a), random_motion(&state, b);
        nt_se3_compose(a, b, ab);
        qm A = motion(a), B = motion(b), product = qm_multiply(&A, &B), AB = motion(ab);
        qm d = qm_axpy(-1, &AB, &product);
        assert_true(qm_norm(&d) <= 16 * ULP);
        assert_true(fabs(vector_norm(ab + 3, 4) - 1) <= 2 * ULP);
        nt_se3_inverse(a, inverse);
        nt_se3_compose(a, inverse, one);
        quad identity[7] = {0, 0, 0, 1, 0, 0, 0};
        assert_true(vector_distance(one, identity, 7) <= 16 * ULP);
    }
}

/* What T means in the body frame: H^-1 dH = (T dxi)^ with H = exp(xi^). */
static void test_tangent_meaning(void **unused)
{
    (void)unused;
    const double xi[6] = {0.4, -2.0, 1.1, 1.3, 0.2, -0.8}, step = 0x1p-40;
    double T[36];
    nt_se3_tangent(xi, T);
    qm x = hat(xi), H = qm_exp(&x), inverse = qm_inverse(&H), zero = qm_zero(4);
    for (int j = 0; j < 6; j++) {
        double plus[6], minus[6];
        memcpy(plus, xi, sizeof plus), memcpy(minus, xi, sizeof minus);
        plus[j] += step, minus[j] -= step; /* exact: a power of two */
        qm p = hat(plus), m = hat(minus), P = qm_exp(&p), M = qm_exp(&m);
        qm d = qm_axpy(-1, &M, &P);
        d = qm_axpy(1 / (2 * (quad)step), &d, &zero);
        qm w = qm_multiply(&inverse, &d);
        quad twist[6] = {w.a[0][3], w.a[1][3], w.a[2][3], w.a[2][1], w.a[0][2], w.a[1][0]};
        double column[6];
        for (int i = 0; i < 6; i++)
            column[i] = T[6 * i + j];
        assert_true(vector_distance(column, twist, 6) <= 16 * ULP);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sweep),
        cmocka_unit_test(test_group),
        cmocka_unit_test(test_tangent_meaning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
