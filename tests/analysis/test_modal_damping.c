/* Damping by modes: every mode gets its ratio, runs decay as the formula says, the tangent is that
 * of differences, and what cannot be is refused with words. */
#include "analysis/bench.h"

static const double PI = 3.14159265358979323846;

/* Three masses in a row of springs: omega_j = 2 sqrt(k/m) sin((2 j - 1) pi/14), and the mass i of
 * mode j stands at sin((2 j - 1) i pi/7). */
static const char row[] =
    "nutate: 1\n"
    "parameters: {k: 400, zeta: 0.02, v: 1}\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  a: {mass: 1, point: true, position: [1, 0, 0], velocity: [v*sin(pi/7), 0, 0]}\n"
    "  b: {mass: 1, point: true, position: [2, 0, 0], velocity: [v*sin(2*pi/7), 0, 0]}\n"
    "  c: {mass: 1, point: true, position: [3, 0, 0], velocity: [v*sin(3*pi/7), 0, 0]}\n"
    "joints:\n"
    "  ga: {type: inline, between: [ground, a], at: [1, 0, 0], axis: [1, 0, 0]}\n"
    "  gb: {type: inline, between: [ground, b], at: [2, 0, 0], axis: [1, 0, 0]}\n"
    "  gc: {type: inline, between: [ground, c], at: [3, 0, 0], axis: [1, 0, 0]}\n"
    "forces:\n"
    "  s1: {type: spring, between: [ground, a], at: [[0, 0, 0], [1, 0, 0]], stiffness: k}\n"
    "  s2: {type: spring, between: [a, b], at: [[1, 0, 0], [2, 0, 0]], stiffness: k}\n"
    "  s3: {type: spring, between: [b, c], at: [[2, 0, 0], [3, 0, 0]], stiffness: k}\n"
    "simulation: {duration: 2, step: 1e-3, method: rkmk-dop853, modal_damping: zeta}\n";

/* Bodies that turn, with reactions that bend what they hold: a pendulum of three links. */
static const char links[] =
    "nutate: 1\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: [0.01, 0.09, 0.08], position: [0, 0, -0.5],\n"
    "      angular_velocity: [0.3, 0.2, 0]}\n"
    "  b: {mass: 1, inertia: [0.01, 0.09, 0.08], position: [0, 0, -1.5]}\n"
    "  c: {mass: 1, inertia: [0.01, 0.09, 0.08], position: [0, 0, -2.5]}\n"
    "joints:\n"
    "  ga: {type: universal, between: [ground, a], at: [0, 0, 0], axes: [[1, 0, 0], [0, 1, 0]]}\n"
    "  gb: {type: universal, between: [a, b], at: [0, 0, -1], axes: [[1, 0, 0], [0, 1, 0]]}\n"
    "  gc: {type: revolute, between: [b, c], at: [0, 0, -2], axis: [1, 0, 0]}\n"
    "simulation: {duration: 2, step: 1e-3, modal_damping: 0.03}\n";

static nt_status read_row(nt_model **model, const char *damping, nt_error *error)
{
    char text[2400];
    strcpy(text, row);
    strcpy(strstr(text, "zeta}\n"), damping);
    strcat(text, "}\n");
    return nt_model_read_text(model, text, strlen(text), "row", NULL, NULL, 0, error);
}

/* Ratios of all modes about the static state. */
static void are_damped(nt_run *run, const double *ratios, int n)
{
    nt_reference *reference;
    nt_modes *modes;
    nt_error error = {0};
    if (nt_reference_create(&reference, run, NT_ABOUT_STATIC, &error))
        fail_msg("%s", error.message);
    nt_state state = nt_reference_state(reference);
    const nt_modes_setup setup = {.system = nt_run_system(run), .state = &state};
    if (nt_modes_create(&modes, &setup, &error))
        fail_msg("%s", error.message);
    assert_int_equal(nt_modes_count(modes), n);
    for (int i = 0; i < n; i++)
        is_close("ratio", nt_modes_at(modes, i).damping_ratio, ratios[i], 1e-12);
    nt_modes_destroy(modes);
    nt_reference_destroy(reference);
}

static void modes_have_their_ratios(void **state)
{
    static const struct {
        const char *damping;
        double expected[3];
    } cases[] = {
        {"zeta", {0.02, 0.02, 0.02}},
        {"{ratio: [0.1, 0.2]}", {0.1, 0.2, 0}},
        {"{ratio: [zeta], modes: 1, about: initial}", {0.02, 0, 0}},
    };
    bench b;
    nt_model *model;
    nt_run *run;
    nt_error error = {0};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (read_row(&model, cases[i].damping, &error) || nt_run_create(&run, model, &error))
            fail_msg("%s", error.message);
        are_damped(run, cases[i].expected, 3);
        nt_run_destroy(run);
        nt_model_destroy(model);
    }
    open_bench(&b, links, (nt_static_setup){0});
    are_damped(b.run, (double[]){0.03, 0.03, 0.03, 0.03, 0.03}, 5);
    close_bench(&b);
}

/* Begun in a mode with the velocity v phi: x = phi v/omega_d exp(-zeta omega t) sin(omega_d t). */
static void runs_decay(void **state)
{
    nt_model *model;
    nt_run *run;
    nt_integrator *it;
    nt_integrator_setup setup = {0};
    nt_error error = {0};
    (void)state;
    if (read_row(&model, "zeta", &error) || nt_run_create(&run, model, &error) ||
        nt_run_setup(run, &setup, &error) || nt_integrator_create(&it, &setup, &error) ||
        nt_integrator_start(it, 0, NULL, NULL, NULL, &error) ||
        nt_integrator_run(it, 2, 1e-3, NULL, NULL, &error))
        fail_msg("%s", error.message);
    double omega = 40 * sin(PI / 14), damped = omega * sqrt(1 - 0.02 * 0.02);
    double x = exp(-0.02 * omega * 2) * sin(damped * 2) / damped;
    for (int i = 0; i < 3; i++)
        is_close("place", nt_integrator_state(it).q[3 * i] - (i + 1), x * sin((i + 1) * PI / 7),
                 1e-9);
    nt_integrator_destroy(it);
    nt_run_destroy(run);
    nt_model_destroy(model);
}

static void tangent_is_that_of_differences(void **state)
{
    bench b;
    double difference, vdot[18], v[18], multipliers[20] = {0};
    (void)state;
    open_bench(&b, links, (nt_static_setup){0});
    for (int i = 0; i < 18; i++) {
        v[i] = sin(1 + i);
        vdot[i] = cos(3 + i);
    }
    const nt_point at = {.q = b.numbers,
                         .v = v,
                         .vdot = vdot,
                         .lambda = multipliers,
                         .mu = multipliers + b.system->nh,
                         .memory = b.numbers};
    if (nt_system_check_tangent(b.system, &at, 1e-6, &difference, &b.error))
        fail_msg("%s", b.error.message);
    assert_true(difference < 1e-7);
    close_bench(&b);
}

static void is_refused(const char *damping, const char *words)
{
    nt_model *model;
    nt_error error = {0};
    nt_status status = read_row(&model, damping, &error);
    if (status == NT_OK || !strstr(error.message, words) || error.line != 16)
        fail_msg("status %d, line %d, \"%s\"; expected \"%s\"", (int)status, error.line,
                 error.message, words);
}

static void refusals(void **state)
{
    (void)state;
    is_refused("{ratio: [0.1, 0.1, 0.1, 0.1]}", "more modes are damped than the model has");
    is_refused("{ratio: [0.1], modes: 7}", "more modes are damped than the model has");
    is_refused("{ratio: [0.1], modes: 1.5}", "modes: expected a whole number");
    is_refused("-0.1", "ratio: expected none below 0");
    is_refused("{modes: 2}", "lacks the key 'ratio'");
    is_refused("{ratio: [0.1], mode: 2}", "unknown key 'mode'");
    is_refused("[0.1]", "expected a number");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_have_their_ratios),
        cmocka_unit_test(runs_decay),
        cmocka_unit_test(tangent_is_that_of_differences),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
