/* Objectives over a run: of expressions whose integrals and tops are known. */
#include "../model/mechanism.h"

/* Parabolas in t, so that parabolas through step ends are exact; a sine; the tops of the first and
 * of the height lie between step ends. c moves nothing. */
static const char text[] = "nutate: 1\n"
                           "parameters: {c: 3, g: 9.81}\n"
                           "gravity: [0, 0, -g]\n"
                           "bodies: {ball: {mass: 1, inertia: [1, 1, 1], velocity: [0, 0, 5]}}\n"
                           "objectives:\n"
                           "  top: {type: maximum, of: c*(t - t^2)}\n"
                           "  area: {type: integral, of: c*(t - t^2)}\n"
                           "  mean: {type: rms, of: c*t}\n"
                           "  end: {type: final, of: c*t^2 + ball.position.z}\n"
                           "  height: {type: maximum, of: ball.position.z}\n"
                           "  wave: {type: integral, of: sin(c*t)}\n"
                           "  last: {type: maximum, of: c*t}\n";

enum { TOP, AREA, MEAN, END, HEIGHT, WAVE, LAST, OBJECTIVES, C = 0, G = 1 };
static const double c = 3, g = 9.81;

/* value, d/dc, d/dg */
typedef struct outcome {
    double of[OBJECTIVES][3];
} outcome;

static void advance(mechanism *m, nt_objectives *o, double end, int steps)
{
    nt_error error = {0};
    double begin = nt_integrator_state(m->integrator).t;
    for (int i = 1; i <= steps; i++) {
        double t = nt_integrator_state(m->integrator).t, to = begin + (end - begin) * i / steps;
        assert_int_equal(nt_integrator_run(m->integrator, to, to - t, NULL, NULL, &error), NT_OK);
        assert_int_equal(nt_objectives_advance(o, &error), NT_OK);
    }
}

/* 7 k steps up to 0.7 s, 6 k smaller ones up to 1 s. */
static outcome run(int k)
{
    static const int parameters[2] = {C, G};
    nt_error error = {0};
    nt_sensitivity *s;
    nt_objectives *o;
    outcome out;
    mechanism m = mechanism_open(text);
    assert_int_equal(nt_sensitivity_create(&s, m.integrator, parameters, 2, &error), NT_OK);
    assert_int_equal(nt_sensitivity_start(s, &error), NT_OK);
    assert_int_equal(nt_objectives_create(&o, m.run, m.integrator, s, &error), NT_OK);
    assert_int_equal(nt_objectives_advance(o, &error), NT_OK);
    nt_objectives_restart(o); /* nothing of this stays */
    assert_int_equal(nt_objectives_advance(o, &error), NT_OK);
    advance(&m, o, 0.7, 7 * k);
    advance(&m, o, 1, 6 * k);
    for (int i = 0; i < OBJECTIVES; i++) {
        out.of[i][0] = nt_objectives_value(o, i);
        out.of[i][1] = nt_objectives_derivative(o, i, C);
        out.of[i][2] = nt_objectives_derivative(o, i, G);
    }
    nt_objectives_destroy(o);
    nt_sensitivity_destroy(s);
    mechanism_close(&m);
    return out;
}

/* Rounding of sums of some ten numbers of size one; derivatives in g are differences of the
 * records, good to 1e-12 of the height. */
static const double rounding = 1e-11;

static void check(const outcome *o, int i, double value, double by_c, double by_g)
{
    CLOSE(o->of[i][0], value, rounding);
    CLOSE(o->of[i][1], by_c, rounding);
    CLOSE(o->of[i][2], by_g, rounding);
}

static void parabolas_are_exact(void **state)
{
    (void)state;
    outcome o = run(1);
    check(&o, TOP, c / 4, 0.25, 0);
    check(&o, AREA, c / 6, 1.0 / 6, 0);
    check(&o, MEAN, c / sqrt(3), 1 / sqrt(3), 0);
    check(&o, END, c + 5 - g / 2, 1, -0.5);
    check(&o, HEIGHT, 25 / (2 * g), 0, -25 / (2 * g * g));
    check(&o, LAST, c, 1, 0);
}

/* Third order: a parabola through three step ends is off by h^3, and errors of neighbouring steps
 * do not cancel. */
static void others_converge(void **state)
{
    (void)state;
    double value = (1 - cos(c)) / c, by_c = sin(c) / c - value / c;
    outcome coarse = run(2), fine = run(4);
    for (int k = 0; k < 2; k++) {
        double exact = k == 0 ? value : by_c;
        double off[2] = {fabs(coarse.of[WAVE][k] - exact), fabs(fine.of[WAVE][k] - exact)};
        print_message("sine: %.3g, %.3g, order %.2f\n", off[0], off[1], log2(off[0] / off[1]));
        assert_true(log2(off[0] / off[1]) > 2.7);
        assert_true(off[1] < 1e-4);
    }
}

/* One step: the straight line. No step: values as they stand. */
static void few_points(void **state)
{
    (void)state;
    nt_error error = {0};
    nt_objectives *o;
    mechanism m = mechanism_open(text);
    assert_int_equal(nt_objectives_create(&o, m.run, m.integrator, NULL, &error), NT_OK);
    assert_int_equal(nt_objectives_advance(o, &error), NT_OK);
    CLOSE(nt_objectives_value(o, MEAN), 0, 0);
    CLOSE(nt_objectives_value(o, WAVE), 0, 0);
    advance(&m, o, 0.5, 1);
    CLOSE(nt_objectives_value(o, WAVE), 0.5 * sin(1.5) / 2, rounding);
    CLOSE(nt_objectives_value(o, TOP), c / 4, rounding);
    advance(&m, o, 1, 1);
    CLOSE(nt_objectives_value(o, AREA), c / 6, rounding); /* the first step is done again */
    nt_objectives_destroy(o);
    mechanism_close(&m);
}

static int look(void *context, const nt_integrator *integrator)
{
    (void)integrator;
    return nt_objectives_advance(context, NULL) != NT_OK;
}

/* x'' = -k x by steps of high order, some ten in an oscillation: integrals, which tolerances of the
 * motion say nothing of, and their derivatives follow it, as do the top of a half-wave
 * and those at which an expression bends. */
static void long_steps_are_looked_at_within(void **state)
{
    (void)state;
    static const char oscillator[] =
        "nutate: 1\n"
        "parameters: {k: 4}\n"
        "gravity: [0, 0, 0]\n"
        "bodies: {b: {mass: 1, position: [1, 0, 0], point: true}}\n"
        "forces: {f: {type: force, on: b, value: [-k*b.position.x, 0, 0]}}\n"
        "objectives:\n"
        "  top: {type: maximum, of: -b.position.x}\n"
        "  area: {type: integral, of: b.position.x^2}\n"
        "  mean: {type: rms, of: b.position.x}\n"
        "  bent: {type: maximum, of: \"min(1 + b.position.x, 1.2 - k*b.position.x/10)\"}\n"
        "  near: {type: minimum, of: abs(b.position.x)}\n";
    static const int k = 0;
    const double T = 2.9, w = 2, dw = 1 / (2 * w), s = sin(2 * w * T), c2 = cos(2 * w * T);
    const double area = T / 2 + s / (4 * w), by_k = dw * (2 * T * c2 - s / w) / (4 * w);
    static const char *const methods[] = {"rkmk-dop853", "rkmk-dopri5"};
    for (int i = 0; i < 2; i++) {
        nt_error error = {0};
        nt_sensitivity *sensitivity;
        nt_objectives *o;
        mechanism m = mechanism_read(oscillator);
        const nt_integrator_setup setup = {.system = nt_run_system(m.run),
                                           .method = nt_method_find(methods[i]),
                                           .tolerance = {1e-10, 1e-10, 1e-10, 1e-10}};
        nt_integrator *it;
        assert_int_equal(nt_integrator_create(&it, &setup, &error), NT_OK);
        assert_int_equal(nt_integrator_start(it, 0, NULL, NULL, NULL, &error), NT_OK);
        assert_int_equal(nt_sensitivity_create(&sensitivity, it, &k, 1, &error), NT_OK);
        assert_int_equal(nt_sensitivity_start(sensitivity, &error), NT_OK);
        assert_int_equal(nt_objectives_create(&o, m.run, it, sensitivity, &error), NT_OK);
        assert_int_equal(nt_objectives_advance(o, &error), NT_OK);
        assert_int_equal(nt_integrator_run(it, T, 0.1, look, o, &error), NT_OK);
        CLOSE(nt_objectives_value(o, 1), area, 1e-7);
        CLOSE(nt_objectives_derivative(o, 1, 0), by_k, 1e-6);
        CLOSE(nt_objectives_value(o, 2), sqrt(area / T), 1e-7);
        CLOSE(nt_objectives_derivative(o, 2, 0), by_k / (2 * T * sqrt(area / T)), 1e-6);
        /* tops are followed: what is left is the motion's, tolerance 1e-10 over 2.9 s */
        CLOSE(nt_objectives_value(o, 0), 1, 1e-9);
        CLOSE(nt_objectives_derivative(o, 0, 0), 0, 1e-8);
        CLOSE(nt_objectives_value(o, 3), 1 + 0.2 / 1.4, 1e-9); /* where both are equal */
        CLOSE(nt_objectives_derivative(o, 3, 0), -0.02 / (1.4 * 1.4), 1e-8);
        CLOSE(nt_objectives_value(o, 4), 0, 1e-9);
        CLOSE(nt_objectives_derivative(o, 4, 0), 0, 1e-8);
        nt_objectives_destroy(o);
        nt_sensitivity_destroy(sensitivity);
        nt_integrator_destroy(it);
        mechanism_close(&m);
    }
}

/* A body that meets a spring at x = 0 with the speed v0, w^2 = k for its mass of 1. Behind that
 *
 *   x = v0/w sin w t,   v + b x = v0 (cos w t + b/w sin w t),   at most v0 sqrt(1 + b^2/k)
 *
 * soon behind: the step to the place and one of 1e-13 of it across end before, and the step in
 * which the top is begins there. */
static void a_top_right_behind_a_place(void **state)
{
    (void)state;
    static const char text_of_spring[] =
        "nutate: 1\n"
        "parameters: {k: 40, v0: 0.7, b: 0.3}\n"
        "gravity: [0, 0, 0]\n"
        "bodies: {a: {mass: 1, position: [-0.1, 0, 0], velocity: [v0, 0, 0], point: true}}\n"
        "forces: {f: {type: force, on: a, value: [\"-k*max(0, a.position.x)\", 0, 0]}}\n"
        "objectives:\n"
        "  top: {type: maximum, of: a.velocity.x + b*a.position.x}\n"
        "  low: {type: minimum, of: -a.velocity.x - b*a.position.x}\n";
    static const int of[] = {0, 1, 2};
    static const double tolerances[] = {1e-7, 1e-9, 1e-11};
    const double k = 40, v0 = 0.7, b = 0.3, root = sqrt(1 + b * b / k);
    const double by[] = {-v0 * b * b / (2 * k * k * root), root, v0 * b / (k * root)};
    for (int i = 0; i < 6; i++) {
        double tolerance = tolerances[i / 2];
        nt_error error = {0};
        nt_sensitivity *sensitivity;
        nt_objectives *o;
        mechanism m = mechanism_read(text_of_spring);
        const nt_integrator_setup setup = {
            .system = nt_run_system(m.run),
            .method = nt_method_find(i % 2 ? "rkmk-dopri5" : "rkmk-dop853"),
            .tolerance = {tolerance, tolerance, tolerance, tolerance}};
        nt_integrator *it;
        assert_int_equal(nt_integrator_create(&it, &setup, &error), NT_OK);
        assert_int_equal(nt_integrator_start(it, 0, m.q, m.v, m.memory, &error), NT_OK);
        assert_int_equal(nt_sensitivity_create(&sensitivity, it, of, 3, &error), NT_OK);
        assert_int_equal(nt_sensitivity_start(sensitivity, &error), NT_OK);
        assert_int_equal(nt_objectives_create(&o, m.run, it, sensitivity, &error), NT_OK);
        assert_int_equal(nt_objectives_advance(o, &error), NT_OK);
        assert_int_equal(nt_integrator_run(it, 0.4, 0.1, look, o, &error), NT_OK);
        for (int j = 0; j < 2; j++) {
            double sign = j ? -1 : 1;
            CLOSE(nt_objectives_value(o, j), sign * v0 * root, tolerance);
            for (int p = 0; p < 3; p++)
                CLOSE(nt_objectives_derivative(o, j, p), sign * by[p], 20 * tolerance);
        }
        nt_objectives_destroy(o);
        nt_sensitivity_destroy(sensitivity);
        nt_integrator_destroy(it);
        mechanism_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parabolas_are_exact),
        cmocka_unit_test(others_converge),
        cmocka_unit_test(few_points),
        cmocka_unit_test(long_steps_are_looked_at_within),
        cmocka_unit_test(a_top_right_behind_a_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
