/* Conditions on what is zero on one side: the force of a spring or contact that acts on one side, a
 * depth max(0, x), a number that an event sets. A body flies against a spring that waits for it,
 * and while the spring acts a constant force pushes it back as well. Then it comes back as
 *
 *   x = 2 a - v (END - T),   T = 2/w atan(v sqrt(k m)/F),   w = sqrt(k/m),
 *
 * with the place a at which the spring begins, the speed v, the stiffness k and the force F. */
#include <nutate/method.h>
#include <nutate/sensitivity.h>

#include "run_of.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HEAD                                                                                       \
    "nutate: 1\n"                                                                                  \
    "gravity: [0, 0, 0]\n"                                                                         \
    "parameters: {a: 0.31, v: 2.7, k: 3000, F: 40}\n"                                              \
    "quantities: {depth: 'max(0, b.position.x - a)'}\n"                                            \
    "bodies: {b: {mass: 1.3, inertia: [1, 1, 1], position: [0, 0, 0], velocity: [v, 0, 0]}}\n"     \
    "joints: {rail: {type: prismatic, between: [ground, b], at: [0, 0, 0], axis: [1, 0, 0]}}\n"    \
    "contacts: {c: {type: sphere_plane, between: [ground, b], radius: 0.1, stiffness: 0*k + %s,\n" \
    "  plane: {normal: [-1, 0, 0], point: [a + 0.1, 0, 0]}, exponent: %s}}\n"                      \
    "forces:\n"                                                                                    \
    "  s: {type: joint_spring, joint: rail, stiffness: %s, displacement: a, only: tension}\n"      \
    "  f: {type: joint_force, joint: rail, value: '%s'}\n"

enum { PLACE, SPEED, STIFFNESS, FORCE, PARAMETERS };
static const double A = 0.31, V = 2.7, K = 3000, F = 40, M = 1.3, END = 1;

/* The first operand of `if` stands for the force. */
static const struct {
    const char *value;
    bool of_contact;
    double off; /* of derivatives by rkmk-dop853 at a tolerance of 1e-11; 0: not tried */
} laws[] = {
    {"if(depth > 0, -F, 0)", false, 1e-8},
    {"if(0 < depth, -F, 0)", false, 1e-8},
    {"if(depth <= 0, 0, -F)", false, 1e-8},
    {"if(depth == 0, 0, -F)", false, 1e-6},
    {"if(depth != 0, -F, 0)", false, 1e-6},
    {"-F*(min(0, a - b.position.x) < 0)", false, 1e-8},
    {"if(clamp(b.position.x - a, 0, 10) > 0, -F, 0)", false, 1e-8},
    {"if(depth > 0 and not (depth == 0), -F, 0)", false, 1e-6},
    {"if(max(depth, -1, 0) > 0 and not (depth == 0), -F, 0)", false, 1e-6},
    {"if(3*depth > 0, -F, 0)", false, 1e-6},
    {"if(s.thrust < 0, -F, 0)", false, 1e-6},
    {"if(s.thrust == 0, 0, -F)", false, 1e-6},
    {"if(s.thrust != 0, -F, 0)", false, 1e-6},
    {"if(s.thrust < -1e-10, -F, 0)", false, 1e-8}, /* of what rounding is elsewhere */
    {"if(1e-300 <= -s.thrust, -F, 0)", false, 1e-8},
    {"if(s.thrust < -1e-6, -F, 0)", false, 1e-8}, /* nearer to the begin than differences reach */
    {"if(3*depth > 1e-10, -F, 0)", false, 1e-7},
    {"if(c.normal_force > 0, -F, 0)", true, 1e-6},
    {"-F*ceil(clamp(c.normal_force, 0, 0.5))", true, 0},
};
enum { LAWS = sizeof laws / sizeof laws[0] };

static void by_hand(double *x, double d[PARAMETERS])
{
    double w = sqrt(K / M), r = V * sqrt(K * M) / F, angle = atan(r), T = 2 / w * angle;
    double per_r = 2 / w / (1 + r * r);
    *x = 2 * A - V * (END - T);
    d[PLACE] = 2;
    d[SPEED] = T - END + V * per_r * r / V;
    d[STIFFNESS] = V * (per_r * r / (2 * K) - T / (2 * K));
    d[FORCE] = -V * per_r * r / F;
}

static run_of begin(int law, const char *exponent, const char *method, int n)
{
    static const int wanted[] = {PLACE, SPEED, STIFFNESS, FORCE};
    const double tolerance = 1e-11;
    bool contact = laws[law].of_contact;
    char text[2000];
    snprintf(text, sizeof text, HEAD, contact ? "k" : "1e-30", exponent, contact ? "0" : "k",
             laws[law].value);
    run_of r = run_of_text(text, NULL);
    run_of_start(&r,
                 (nt_integrator_setup){.method = nt_method_find(method),
                                       .tolerance = {tolerance, tolerance, tolerance, tolerance}},
                 wanted, n);
    return r;
}

static void motions_know_when_what_they_look_at_is_zero_again(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        double off;
    } methods[] = {{"rkmk-dop853", 1e-9}, {"generalized-alpha-soi2", 2e-5}, {"bdf", 1e-6}};
    double x, d[PARAMETERS];
    by_hand(&x, d);
    for (int m = 0; m < 3; m++)
        for (int law = 0; law < LAWS; law++) {
            run_of r = begin(law, "1", methods[m].method, 0);
            run_to(&r, END, 1e-2);
            double got = nt_integrator_state(r.integrator).q[0];
            if (!(fabs(got - x) <= methods[m].off))
                fail_msg("%s, %s: %.12g for %.12g", methods[m].method, laws[law].value, got, x);
            end(&r);
        }
}

static void so_do_derivatives(void **state)
{
    (void)state;
    double x, d[PARAMETERS];
    by_hand(&x, d);
    for (int law = 0; law < LAWS; law++) {
        if (laws[law].off == 0)
            continue;
        run_of r = begin(law, "1", "rkmk-dop853", PARAMETERS);
        run_to(&r, END, 1e-2);
        for (int k = 0; k < PARAMETERS; k++) {
            double got = nt_sensitivity_state(r.sensitivity, k).q[0];
            if (!(fabs(got - d[k]) <= laws[law].off * fabs(d[k])))
                fail_msg("%s, parameter %d: %.12g for %.12g", laws[law].value, k, got, d[k]);
        }
        end(&r);
    }
}

/* A force that begins as a power above 1 has no slope where it begins: its time is no root. */
static void what_begins_without_a_slope_is_refused(void **state)
{
    (void)state;
    nt_error error = {0};
    run_of r = begin(LAWS - 2, "1.5", "rkmk-dop853", PARAMETERS);
    assert_int_equal(nt_integrator_run(r.integrator, END, 1e-2, NULL, NULL, &error),
                     NT_UNSUPPORTED);
    assert_non_null(strstr(error.message, "only touches its zero, or leaves it without a slope"));
    end(&r);
}

/* Numbers that events set are met to the last digit. */
static void numbers_that_are_set_decide(void **state)
{
    (void)state;
    static const char text[] =
        "nutate: 1\n"
        "gravity: [0, 0, 0]\n"
        "bodies: {b: {point: true, mass: 1, position: [0, 0, 0]}}\n"
        "states: {mode: {rate: 0}}\n"
        "events:\n"
        "  go: {when: t - 0.25, then: [{set: {mode: 2}}]}\n"
        "  back: {when: t - 0.5, then: [{set: {mode: 1}}]}\n"
        "forces: {f: {type: force, on: b, value: ['if(mode == 2, 1, 0)', 'if(mode > 1, 1, 0)',\n"
        "  'floor(mode/2) + ceil(mode/2) + 10*(mode != 0)']}}\n";
    run_of r = run_of_text(text, NULL);
    run_of_start(&r, (nt_integrator_setup){.method = nt_method_find("generalized-alpha-soi2")},
                 NULL, 0);
    run_to(&r, 1, 1e-2);
    const double *v = nt_integrator_state(r.integrator).v;
    assert_true(fabs(v[0] - 0.25) <= 1e-12);
    assert_true(fabs(v[1] - 0.25) <= 1e-12);
    assert_true(fabs(v[2] - (0.25 * 12 + 0.5 * 11)) <= 1e-11);
    end(&r);
}

/* A map by `previous` jumps in each of its variables: of a body that flies through its cells, which
 * passes x = 1/s at 1/(s v) and meets what the time brings at 0.6 s. */
static void maps_of_steps_jump(void **state)
{
    (void)state;
    FILE *file = fopen("steps.csv", "w");
    assert_non_null(file);
    fputs("map, 0, 0.6, 0.9\n-1, 0, 0, 0\n1, 2, 5, 5\n2, 2, 5, 5\n", file);
    fclose(file);
    static const char text[] =
        "nutate: 1\n"
        "gravity: [0, 0, 0]\n"
        "parameters: {s: 1.6, v: 2.5}\n"
        "tables: {T: {file: steps.csv, map: true, interpolation: previous}}\n"
        "bodies: {b: {point: true, mass: 1, position: [0, 0, 0], velocity: [v, 0, 0]}}\n"
        "forces: {f: {type: force, on: b, value: [0, 'table(T, s*b.position.x, t)', 0]}}\n";
    static const char *const methods[] = {"rkmk-dop853", "generalized-alpha-soi2"};
    static const int wanted[] = {0, 1};
    const double s = 1.6, v = 2.5, T = 0.8, at = 1 / (s * v);
    const double y = (T - at) * (T - at) + 3 * (T - 0.6) * (T - 0.6) / 2;
    const double d[2] = {2 * (T - at) * at / s, 2 * (T - at) * at / v};
    for (int m = 0; m < 2; m++) {
        run_of r = run_of_text(text, NULL);
        run_of_start(&r,
                     (nt_integrator_setup){.method = nt_method_find(methods[m]),
                                           .tolerance = {1e-10, 1e-10, 1e-10, 1e-10}},
                     wanted, 2);
        run_to(&r, T, 1e-2);
        assert_true(fabs(nt_integrator_state(r.integrator).q[1] - y) <= 1e-10);
        for (int k = 0; k < 2; k++)
            assert_true(fabs(nt_sensitivity_state(r.sensitivity, k).q[1] - d[k]) <= 1e-9);
        end(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motions_know_when_what_they_look_at_is_zero_again),
        cmocka_unit_test(so_do_derivatives),
        cmocka_unit_test(what_begins_without_a_slope_is_refused),
        cmocka_unit_test(numbers_that_are_set_decide),
        cmocka_unit_test(maps_of_steps_jump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
