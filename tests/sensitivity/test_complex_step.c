/* The derivative of the scheme itself, by another way: generalized-alpha on the heavy top written
 * out in complex numbers. With a parameter p + i e, e = 1e-30, the imaginary part of any result is
 * e times its derivative to the last bit: no difference is taken (Squire & Trapp 1998).
 *
 *   m (x'' - g) - lambda = 0,  J W' + W x J W + X x R^T lambda = 0,  R X - x = 0   (body frame)
 *   Bruls & Eberhard 2008, section 6; scheme: Bruls, Cardona & Arnold 2012, algorithm 1 */
#include "../model/mechanism.h"
#include "tests/read_run.h"

#include <complex.h>

typedef double complex number;
enum { N = 9 };
static const double E = 1e-30;

/* ---- vectors -------------------------------------------------------------------------------- */

static void cross(const number a[3], const number b[3], number out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static void apply(const number R[3][3], const number x[3], bool transposed, number out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = 0;
        for (int j = 0; j < 3; j++)
            out[i] += (transposed ? R[j][i] : R[i][j]) * x[j];
    }
}

/* out = R exp(x), Rodrigues */
static void turn(const number R[3][3], const number x[3], number out[3][3])
{
    number s2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2], s = csqrt(s2);
    number a = csin(s) / s, half = csin(s / 2) / (s / 2), b = half * half / 2;
    for (int i = 0; i < 3; i++) { /* row r of R: r + a r x~ + b r x~ x~, r x~ = -(x x r) */
        number once[3], twice[3], row[3] = {R[i][0], R[i][1], R[i][2]};
        cross(row, x, once);
        cross(once, x, twice);
        for (int j = 0; j < 3; j++)
            out[i][j] = row[j] + a * once[j] + b * twice[j];
    }
}

/* A x = b with partial pivoting; b becomes x. */
static void solve(number A[N][N], number b[N])
{
    for (int k = 0; k < N; k++) {
        int best = k;
        for (int i = k + 1; i < N; i++)
            if (cabs(A[i][k]) > cabs(A[best][k]))
                best = i;
        for (int j = 0; j < N; j++) {
            number t = A[k][j];
            A[k][j] = A[best][j], A[best][j] = t;
        }
        number t = b[k];
        b[k] = b[best], b[best] = t;
        for (int i = k + 1; i < N; i++) {
            number factor = A[i][k] / A[k][k];
            for (int j = k; j < N; j++)
                A[i][j] -= factor * A[k][j];
            b[i] -= factor * b[k];
        }
    }
    for (int k = N - 1; k >= 0; k--) {
        for (int j = k + 1; j < N; j++)
            b[k] -= A[k][j] * b[j];
        b[k] /= A[k][k];
    }
}

/* ---- the top -------------------------------------------------------------------------------- */

typedef struct top {
    number m, J[3], arm;
    number x[3], R[3][3], v[6], vdot[6], a[6], lambda[3];
} top;

/* Equations of motion and, at position or acceleration level, the constraint. */
static void equations(const top *s, bool accelerations, number out[N])
{
    const number X[3] = {0, s->arm, 0}, *W = s->v + 3, *A = s->vdot + 3;
    const number JW[3] = {s->J[0] * W[0], s->J[1] * W[1], s->J[2] * W[2]};
    number local[3], arm[3], gyroscopic[3], moment[3];
    apply(s->R, s->lambda, true, local);
    cross(X, local, moment);
    cross(W, JW, gyroscopic);
    for (int i = 0; i < 3; i++) {
        out[i] = s->m * (s->vdot[i] + (i == 2 ? 9.81 : 0)) - s->lambda[i];
        out[3 + i] = s->J[i] * A[i] + gyroscopic[i] + moment[i];
    }
    if (accelerations) {
        number swing[3], twice[3], sum[3];
        cross(W, X, swing);
        cross(W, swing, twice);
        cross(A, X, sum);
        for (int i = 0; i < 3; i++)
            sum[i] += twice[i];
        apply(s->R, sum, false, arm);
    } else
        apply(s->R, X, false, arm);
    for (int i = 0; i < 3; i++)
        out[6 + i] = arm[i] - (accelerations ? s->vdot[i] : s->x[i]);
}

/* Chung & Hulbert, spectral radius 0.8 */
typedef struct scheme {
    double h, alpha_m, alpha_f, beta, gamma, share;
} scheme;

static scheme scheme_of(double h)
{
    double rho = 0.8, alpha_m = (2 * rho - 1) / (rho + 1), alpha_f = rho / (rho + 1);
    double gamma = 0.5 + alpha_f - alpha_m, beta = (gamma + 0.5) * (gamma + 0.5) / 4;
    return (scheme){h, alpha_m, alpha_f, beta, gamma, (1 - alpha_f) / (1 - alpha_m)};
}

/* The state after a step from `from` with vdot and lambda = u. */
static top after(const top *from, const scheme *c, const number u[N])
{
    top to = *from;
    number increment[6];
    memcpy(to.vdot, u, sizeof to.vdot);
    memcpy(to.lambda, u + 6, sizeof to.lambda);
    for (int i = 0; i < 6; i++) {
        to.a[i] = (c->alpha_f * from->vdot[i] - c->alpha_m * from->a[i]) / (1 - c->alpha_m) +
                  c->share * u[i];
        to.v[i] = from->v[i] + c->h * ((1 - c->gamma) * from->a[i] + c->gamma * to.a[i]);
        increment[i] =
            c->h * from->v[i] + c->h * c->h * ((0.5 - c->beta) * from->a[i] + c->beta * to.a[i]);
    }
    for (int i = 0; i < 3; i++)
        to.x[i] = from->x[i] + increment[i];
    turn(from->R, increment + 3, to.R);
    return to;
}

static void residual(const top *from, const scheme *c, const number u[N], number out[N])
{
    top to = *from;
    if (c)
        to = after(from, c, u);
    else {
        memcpy(to.vdot, u, sizeof to.vdot);
        memcpy(to.lambda, u + 6, sizeof to.lambda);
    }
    equations(&to, !c, out);
}

/* Newton with a tangent by differences, good to 1e-6: ten iterations reach rounding in the real and
 * the imaginary part. Without a scheme: the initial accelerations. */
static void find(const top *from, const scheme *c, number u[N])
{
    for (int iteration = 0; iteration < 10; iteration++) {
        number A[N][N], r[N], plus[N], minus[N], moved[N];
        residual(from, c, u, r);
        for (int j = 0; j < N; j++) {
            double step = 1e-3 * (1 + cabs(u[j]));
            memcpy(moved, u, sizeof moved);
            moved[j] = u[j] + step;
            residual(from, c, moved, plus);
            moved[j] = u[j] - step;
            residual(from, c, moved, minus);
            for (int i = 0; i < N; i++)
                A[i][j] = (plus[i] - minus[i]) / (2 * step);
        }
        solve(A, r);
        for (int i = 0; i < N; i++)
            u[i] -= r[i];
    }
}

static top run(int parameter, double h, int steps)
{
    number p[4] = {15, 0.46875, 1, 150}, u[N] = {0};
    p[parameter] += (number)I * E;
    top s = {.m = p[0], .J = {0.234375, p[1], 0.234375}, .arm = p[2]};
    s.x[1] = s.arm;
    s.v[0] = 4.61538 * s.arm;
    s.v[4] = p[3];
    s.v[5] = -4.61538;
    for (int i = 0; i < 3; i++)
        s.R[i][i] = 1;
    find(&s, NULL, u);
    memcpy(s.vdot, u, sizeof s.vdot);
    memcpy(s.a, u, sizeof s.a);
    memcpy(s.lambda, u + 6, sizeof s.lambda);
    scheme c = scheme_of(h);
    for (int i = 0; i < steps; i++) {
        find(&s, &c, u);
        s = after(&s, &c, u);
    }
    return s;
}

/* ---- against the library -------------------------------------------------------------------- */

static const char text[] = "nutate: 1\n"
                           "parameters: {m: 15, J: 0.46875, arm: 1, w: 150}\n"
                           "gravity: [0, 0, -9.81]\n"
                           "bodies:\n"
                           "  top:\n"
                           "    mass: m\n"
                           "    inertia: [0.234375, J, 0.234375]\n"
                           "    position: [0, arm, 0]\n"
                           "    angular_velocity: [0, w, -4.61538]\n"
                           "joints:\n"
                           "  pivot: {type: spherical, between: [ground, top], at: [0, 0, 0]}\n";

/* Newton down to rounding: the derivative of the scheme, not of its tolerance. */
static const nt_option tight[] = {{"tolerance_relative", "1e-14"},
                                  {"tolerance_length", "1e-15"},
                                  {"tolerance_angle", "1e-15"},
                                  {"tolerance_force", "1e-12"},
                                  {"tolerance_moment", "1e-12"}};

/* Velocities and increments in ground axes: dtheta~ = dR R^T, w = R W. */
static void ground(const top *s, double dq[6], double dv[6])
{
    number w[3];
    double spin[3][3] = {{0}};
    apply(s->R, s->v + 3, false, w);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                spin[i][j] += cimag(s->R[i][k]) / E * creal(s->R[j][k]);
    for (int i = 0; i < 3; i++) {
        dq[i] = cimag(s->x[i]) / E;
        dv[i] = cimag(s->v[i]) / E;
        dv[3 + i] = cimag(w[i]) / E;
    }
    dq[3] = spin[2][1], dq[4] = spin[0][2], dq[5] = spin[1][0];
}

static void compare(const double *got, const double *expected, int n, double relative,
                    const char *what, int parameter)
{
    double size = 0, off = 0;
    for (int i = 0; i < n; i++) {
        size = fmax(size, fabs(expected[i]));
        off = fmax(off, fabs(got[i] - expected[i]));
    }
    print_message("parameter %d, %s: %.2g of %.3g\n", parameter, what, off / size, size);
    if (!(off <= relative * size))
        fail_msg("parameter %d, %s: off by %.3g of %.3g", parameter, what, off, size);
}

/* Positions and velocities agree to 1e-12; multipliers carry a rounding of the positions divided by
 * beta h^2, 1e-16 m/(0.3 h^2) = 1e-8 N, beside derivatives of 1 to 500: 1e-8. */
static void equals_the_complex_step(void **state)
{
    (void)state;
    static const int wanted[4] = {0, 1, 2, 3};
    nt_error error = {0};
    nt_run *own;
    nt_integrator *integrator;
    nt_sensitivity *sensitivity;
    assert_int_equal(read_run_text(&own, text, sizeof text - 1, "top", NULL, NULL, 0, &error),
                     NT_OK);
    nt_integrator_setup setup = {.system = nt_run_system(own),
                                 .method = nt_method_find("generalized-alpha"),
                                 .options = tight,
                                 .n_options = sizeof tight / sizeof tight[0],
                                 .frame = NT_BODY};
    assert_int_equal(nt_integrator_create(&integrator, &setup, &error), NT_OK);
    assert_int_equal(nt_sensitivity_create(&sensitivity, integrator, wanted, 4, &error), NT_OK);
    assert_int_equal(nt_integrator_start(integrator, 0, NULL, NULL, NULL, &error), NT_OK);
    assert_int_equal(nt_sensitivity_start(sensitivity, &error), NT_OK);
    assert_int_equal(nt_integrator_run(integrator, 0.05, 1e-3, NULL, NULL, &error), NT_OK);
    for (int k = 0; k < 4; k++) {
        top s = run(k, 1e-3, 50);
        nt_state_tangent d = nt_sensitivity_state(sensitivity, k);
        double dq[6], dv[6], force[3];
        ground(&s, dq, dv);
        for (int i = 0; i < 3; i++)
            force[i] = cimag(s.lambda[i]) / E;
        compare(d.q, dq, 3, 1e-12, "position", k);
        compare(d.q + 3, dq + 3, 3, 1e-12, "orientation", k);
        compare(d.v, dv, 3, 1e-12, "velocity", k);
        compare(d.v + 3, dv + 3, 3, 1e-12, "angular velocity", k);
        compare(d.lambda, force, 3, 1e-8, "reaction", k);
    }
    nt_sensitivity_destroy(sensitivity);
    nt_integrator_destroy(integrator);
    destroy_run(own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(equals_the_complex_step)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
