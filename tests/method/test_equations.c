/* Generalized-alpha on equations that mechanisms seldom have and the interface allows: multipliers
 * that enter nonlinearly, a mass matrix that is not symmetric, nonholonomic constraints. */
#include <nutate/nutate.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "runs.h"

#define CLOSE(a, b, tolerance) close_to((a), (b), (tolerance), #a, __LINE__)

static void close_to(double a, double b, double tolerance, const char *what, int line)
{
    if (!(fabs(a - b) <= tolerance)) {
        print_error("%s is %.15g, expected %.15g within %.3g\n", what, a, b, tolerance);
        _fail(__FILE__, line);
    }
}

/* ---- general equations ---------------------------------------------------------------------- */

/* Two coordinates, M = [[2, 1], [0.3, 1]] not symmetric, Phi = y - x^2 - 0.1 sin(t), and the
 * multiplier in cubic: R = M (x'', y'') + (3 x, 10) + (-2 x, 1) (lambda + 0.01 lambda^3). */
typedef struct general {
    nt_block block;
    nt_system system;
} general;

static const double M[2][2] = {{2, 1}, {0.3, 1}};

static nt_status general_evaluate(void *self, const nt_point *at, const nt_terms *terms)
{
    (void)self;
    const nt_combination *c = terms->combination;
    double x = at->q[0], y = at->q[1], vx = at->v[0], vy = at->v[1], l = at->lambda[0];
    double bend = l + 0.01 * l * l * l, bend_l = 1 + 0.03 * l * l;
    if (terms->residual) {
        for (int i = 0; i < 2 && terms->parts & NT_MASS; i++)
            terms->residual[i] += M[i][0] * at->vdot[0] + M[i][1] * at->vdot[1];
        if (terms->parts & NT_IMPLICIT) {
            terms->residual[0] += 3 * x;
            terms->residual[1] += 10;
        }
        if (terms->parts & NT_REACTIONS) {
            terms->residual[0] -= 2 * x * bend;
            terms->residual[1] += bend;
        }
    }
    if (terms->rows)
        terms->rows[0] = terms->level == NT_POSITION ? y - x * x - 0.1 * sin(at->t)
                         : terms->level == NT_VELOCITY
                             ? vy - 2 * x * vx - 0.1 * cos(at->t)
                             : at->vdot[1] - 2 * x * at->vdot[0] - 2 * vx * vx + 0.1 * sin(at->t);
    if (!terms->matrix)
        return NT_OK;
    double *vv = nt_matrix_block(terms->matrix, 0), *vl = nt_matrix_block(terms->matrix, 1);
    double *lv = nt_matrix_block(terms->matrix, 2);
    for (int i = 0; i < 4 && terms->parts & NT_MASS; i++)
        vv[i] += c->mass * M[i / 2][i % 2];
    if (terms->parts & NT_IMPLICIT)
        vv[0] += c->stiffness * 3;
    if (terms->parts & NT_REACTIONS) {
        vv[0] -= c->stiffness * 2 * bend;
        vl[0] -= c->multiplier * 2 * x * bend_l;
        vl[1] += c->multiplier * bend_l;
    }
    double k = c->row_stiffness, d = c->row_damping, m = c->row_mass;
    double first = terms->level == NT_POSITION ? k : terms->level == NT_VELOCITY ? d : m;
    lv[1] += first;
    lv[0] -= 2 * x * first;
    if (terms->level == NT_VELOCITY)
        lv[0] -= 2 * vx * k;
    if (terms->level == NT_ACCELERATION)
        lv[0] -= 4 * vx * d + 2 * at->vdot[0] * k;
    return NT_OK;
}

static void general_init(general *s)
{
    s->block = (nt_block){.kind = NT_RN, .nv = 2};
    s->system = (nt_system){.name = "general",
                            .nh = 1,
                            .capabilities = NT_HAS_TANGENT | NT_ALL_LEVELS,
                            .self = s,
                            .evaluate = general_evaluate};
    nt_space_init(&s->system.space, &s->block, 1);
}

/* The same reduced to x: y'' = 2 x x'' + 2 x'^2 - 0.1 sin t; eliminate the multiplier's force F:
 * first row + 2 x second row = 0. */
static void reduced(double t, double x, double v, double *a, double *force)
{
    double rest = 2 * v * v - 0.1 * sin(t);
    double factor = M[0][0] + 2 * x * M[0][1] + 2 * x * (M[1][0] + 2 * x * M[1][1]);
    *a = -(3 * x + 20 * x + (M[0][1] + 2 * x * M[1][1]) * rest) / factor;
    *force = -(M[1][0] * *a + M[1][1] * (2 * x * *a + rest) + 10);
}

static void nonlinear_multipliers_and_unsymmetric_mass(void **state)
{
    (void)state;
    general s;
    general_init(&s);
    double x = 0.8, v = 0.5, t = 0, a, force, off[2][2];
    const double q0[2] = {x, x * x}, v0[2] = {v, 2 * x * v + 0.1};
    nt_error error = {0};
    double difference = 1;
    nt_point at = {.t = 0.3,
                   .q = (double[]){0.7, 0.2},
                   .v = (double[]){1.3, -0.4},
                   .vdot = (double[]){0.6, 2},
                   .lambda = (double[]){-3}};
    at.mu = at.lambda;
    assert_int_equal(nt_system_check_tangent(&s.system, &at, 1e-6, &difference, &error), NT_OK);
    assert_true(difference < 1e-8);
    int n = 20000;
    double h = 1.0 / n;
    for (int i = 0; i < n; i++, t += h) {
        double k1, k2, k3, k4, f;
        reduced(t, x, v, &k1, &f);
        reduced(t + h / 2, x + h / 2 * v, v + h / 2 * k1, &k2, &f);
        reduced(t + h / 2, x + h / 2 * v + h * h / 4 * k1, v + h / 2 * k2, &k3, &f);
        reduced(t + h, x + h * v + h * h / 2 * k2, v + h * k3, &k4, &f);
        x += h * v + h * h / 6 * (k1 + k2 + k3);
        v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    reduced(1, x, v, &a, &force);
    for (int k = 0; k < 2; k++) {
        nt_integrator_setup setup = setup_of(&s.system, NULL, 0);
        nt_integrator *it = begin(&setup, q0, v0);
        nt_state start = nt_integrator_state(it);
        double a0, f0, l0 = start.lambda[0];
        reduced(0, q0[0], v0[0], &a0, &f0);
        CLOSE(start.vdot[0], a0, 1e-11);
        CLOSE(l0 + 0.01 * l0 * l0 * l0, f0, 1e-10);
        run_to(it, 1, k == 0 ? 2e-3 : 1e-3);
        nt_state end = nt_integrator_state(it);
        double l = end.lambda[0];
        off[0][k] = fabs(end.q[0] - x);
        off[1][k] = fabs(l + 0.01 * l * l * l - force);
        CLOSE(end.q[1] - end.q[0] * end.q[0] - 0.1 * sin(1), 0, 1e-12);
        nt_integrator_destroy(it);
    }
    assert_true(off[0][1] < 1e-4 && off[1][1] < 1e-2);
    CLOSE(log2(off[0][0] / off[0][1]), 2, 0.1);
    CLOSE(log2(off[1][0] / off[1][1]), 2, 0.2);
}

/* ---- a blade on ice ------------------------------------------------------------------------- */

/* Chaplygin's sleigh: (x, y) of the blade's contact, theta; the centre of mass is a = 0.3 m ahead;
 * kappa = y' cos(theta) - x' sin(theta). m = 1, J = 0.25:
 *   M(theta) with m (x'' - a theta'' sin - a theta'^2 cos) and so on, force mu (-sin, cos, 0). */
typedef struct sleigh {
    nt_block block;
    nt_system system;
} sleigh;

static const double AHEAD = 0.3, TURN_INERTIA = 0.25;

static nt_status sleigh_evaluate(void *self, const nt_point *at, const nt_terms *terms)
{
    (void)self;
    const nt_combination *k = terms->combination;
    double c = cos(at->q[2]), s = sin(at->q[2]), w = at->v[2], a = AHEAD, mu = at->mu[0];
    const double *A = at->vdot, *V = at->v;
    double J = TURN_INERTIA + a * a;
    if (terms->residual) {
        double *r = terms->residual;
        if (terms->parts & NT_MASS) {
            r[0] += A[0] - a * s * A[2];
            r[1] += A[1] + a * c * A[2];
            r[2] += J * A[2] + a * (c * A[1] - s * A[0]);
        }
        if (terms->parts & NT_GYROSCOPIC) {
            r[0] -= a * c * w * w;
            r[1] -= a * s * w * w;
        }
        if (terms->parts & NT_REACTIONS) {
            r[0] -= mu * s;
            r[1] += mu * c;
        }
    }
    if (terms->rows)
        terms->rows[0] = terms->level != NT_ACCELERATION
                             ? c * V[1] - s * V[0]
                             : c * A[1] - s * A[0] - w * (s * V[1] + c * V[0]);
    if (!terms->matrix)
        return NT_OK;
    double *b = nt_matrix_block(terms->matrix, 0), *force = nt_matrix_block(terms->matrix, 1);
    double *row = nt_matrix_block(terms->matrix, 2);
    if (terms->parts & NT_MASS) {
        b[0] += k->mass, b[4] += k->mass, b[8] += k->mass * J;
        b[2] -= k->mass * a * s, b[6] -= k->mass * a * s;
        b[5] += k->mass * a * c, b[7] += k->mass * a * c;
        b[2] -= k->stiffness * a * c * A[2];
        b[5] -= k->stiffness * a * s * A[2];
        b[8] -= k->stiffness * a * (s * A[1] + c * A[0]);
    }
    if (terms->parts & NT_GYROSCOPIC) {
        b[2] += -k->damping * 2 * a * c * w + k->stiffness * a * s * w * w;
        b[5] += -k->damping * 2 * a * s * w - k->stiffness * a * c * w * w;
    }
    if (terms->parts & NT_REACTIONS) {
        b[2] -= k->stiffness * mu * c;
        b[5] -= k->stiffness * mu * s;
        force[0] -= k->multiplier * s;
        force[1] += k->multiplier * c;
    }
    bool third = terms->level == NT_ACCELERATION;
    double first = third ? k->row_mass : k->row_damping;
    row[0] -= s * first;
    row[1] += c * first;
    if (!third)
        row[2] -= k->row_stiffness * (s * V[1] + c * V[0]);
    else {
        row[0] -= k->row_damping * w * c;
        row[1] -= k->row_damping * w * s;
        row[2] -= k->row_damping * (s * V[1] + c * V[0]) +
                  k->row_stiffness * (s * A[1] + c * A[0] + w * (c * V[1] - s * V[0]));
    }
    return NT_OK;
}

static void blade_on_ice(void **state)
{
    (void)state;
    sleigh s;
    s.block = (nt_block){.kind = NT_RN, .nv = 3};
    s.system = (nt_system){.name = "sleigh",
                           .nn = 1,
                           .v_quantity = (const nt_quantity[]){NT_LENGTH, NT_LENGTH, NT_ANGLE},
                           .capabilities = NT_HAS_TANGENT | NT_ALL_LEVELS | NT_AFFINE,
                           .self = &s,
                           .evaluate = sleigh_evaluate};
    nt_space_init(&s.system.space, &s.block, 1);
    nt_error error = {0};
    double difference = 1;
    nt_point at = {.q = (double[]){0.7, 0.2, 0.4},
                   .v = (double[]){1.3, -0.4, 0.8},
                   .vdot = (double[]){0.6, 2, -1},
                   .mu = (double[]){-3}};
    at.lambda = at.mu;
    assert_int_equal(nt_system_check_tangent(&s.system, &at, 1e-6, &difference, &error), NT_OK);
    assert_true(difference < 1e-8);
    static const double exact[3] = {.51838033713826, .66460865677526, 1.44183055106165};
    const double q[3] = {0}, v[3] = {0.5, 0, 2};
    double off[2];
    for (int k = 0; k < 2; k++) {
        nt_integrator_setup setup = setup_of(&s.system, NULL, 0);
        nt_integrator *it = begin(&setup, q, v);
        CLOSE(nt_integrator_state(it).vdot[2], -0.3 * 0.5 * 2 / 0.34, 1e-13);
        run_to(it, 1, k == 0 ? 4e-3 : 2e-3);
        nt_state end = nt_integrator_state(it);
        double position, velocity, sum = 0;
        assert_int_equal(nt_integrator_drift(it, &position, &velocity), NT_OK);
        assert_true(position == 0 && velocity < 1e-9);
        for (int i = 0; i < 3; i++)
            sum += pow(end.q[i] - exact[i], 2);
        off[k] = sqrt(sum);
        nt_integrator_destroy(it);
    }
    assert_true(off[1] < 1e-5);
    CLOSE(log2(off[0] / off[1]), 2, 0.1);
    /* sideways on ice: refused, with the amount */
    nt_integrator_setup setup = setup_of(&s.system, NULL, 0);
    nt_integrator *it;
    assert_int_equal(nt_integrator_create(&it, &setup, &error), NT_OK);
    assert_int_equal(nt_integrator_start(it, 0, q, (const double[]){0.5, 0.25, 2}, NULL, &error),
                     NT_INCONSISTENT);
    assert_non_null(strstr(error.message, "0.25"));
    nt_integrator_destroy(it);
}

/* ---- a mass that is next to nothing ---------------------------------------------------------- */

/* R = m x'' + F(x) - 60, F = 1000 x (1 - 1/(2 sqrt(1 + x^2))): the first acceleration, 60/m, is of
 * no use as a measure of the step. */
typedef struct light {
    double mass;
    nt_block block;
    nt_system system;
} light;

static double light_force(double x) { return 1000 * x * (1 - 0.5 / sqrt(1 + x * x)); }

static nt_status light_evaluate(void *self, const nt_point *at, const nt_terms *terms)
{
    const light *s = self;
    const nt_combination *c = terms->combination;
    double m = terms->parts & NT_MASS ? s->mass : 0, k = terms->parts & NT_IMPLICIT ? 1 : 0;
    double x = at->q[0];
    if (terms->residual)
        terms->residual[0] += m * at->vdot[0] + k * (light_force(x) - 60);
    if (terms->matrix)
        *nt_matrix_block(terms->matrix, 0) +=
            c->mass * m + c->stiffness * k * 1000 * (1 - 0.5 * pow(1 + x * x, -1.5));
    return NT_OK;
}

static void a_mass_next_to_nothing(void **state)
{
    (void)state;
    static const char *const methods[] = {"generalized-alpha", "generalized-alpha-soi2"};
    for (int k = 0; k < 2; k++) {
        double end[2];
        for (int i = 0; i < 2; i++) {
            light s = {.mass = i ? 1e-20 : 1e-12, .block = {.kind = NT_RN, .nv = 1}};
            s.system = (nt_system){.self = &s,
                                   .evaluate = light_evaluate,
                                   .capabilities = NT_HAS_TANGENT | NT_ALL_LEVELS | NT_AFFINE};
            nt_space_init(&s.system.space, &s.block, 1);
            nt_integrator_setup setup = setup_of(&s.system, NULL, 0);
            setup.method = nt_method_find(methods[k]);
            nt_integrator *it = begin(&setup, (const double[]){0}, (const double[]){0});
            run_to(it, 1e-3, 1e-3);
            nt_state now = nt_integrator_state(it);
            double x = end[i] = now.q[0];
            if (k == 0)
                CLOSE(s.mass * now.vdot[0] + light_force(x), 60, 60e-9);
            nt_integrator_destroy(it);
        }
        CLOSE(end[1], end[0], 1e-7 * fabs(end[0])); /* m/(beta h^2) is 1e-9 of the stiffness */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nonlinear_multipliers_and_unsymmetric_mass),
        cmocka_unit_test(blade_on_ice),
        cmocka_unit_test(a_mass_next_to_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
