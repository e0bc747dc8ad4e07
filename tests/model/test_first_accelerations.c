/* The first accelerations and reactions of models, with and without inertia about an axis. */
#include "model/mechanism.h"

/* Values that follow from a few sums and one solve; numbers of size 1 to 100. */
static const double ROUNDING = 1e-12;

/* ---- accelerations -------------------------------------------------------------------------- */

static const char top_text[] = "nutate: 1\n"
                               "gravity: [0, 0, -9.81]\n"
                               "bodies:\n"
                               "  top: {mass: 15, inertia: [0.234375, 0.46875, 0.234375],\n"
                               "        position: [0, 1, 0], angular_velocity: [0, 150, "
                               "-4.61538]}\n"
                               "joints:\n"
                               "  pivot: {type: spherical, between: [ground, top], at: [0, 0, 0]}\n"
                               "simulation: {duration: 1, step: 1e-3}\n";

static void heavy_top_at_rest(void **state)
{
    (void)state;
    for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++) {
        mechanism m = mechanism_read(top_text);
        mechanism_start(&m, NULL, 0, frame);
        double a[16], alpha[16], f[16], e[16];
        mechanism_get(&m, "top.acceleration", a);
        mechanism_get(&m, "top.angular_acceleration", alpha);
        mechanism_get(&m, "pivot.force", f);
        mechanism_get(&m, "energy", e);
        const double a0[3] = {0, -21.3017325444, -30.9608307692};
        const double alpha0[3] = {661.34616923077, 0, 0};
        const double f0[3] = {0, -319.525988166, -317.262461538462};
        for (int i = 0; i < 3; i++) { /* as many digits as the reference has */
            CLOSE(a[i], a0[i], 1e-10);
            CLOSE(alpha[i], alpha0[i], 1e-10);
            CLOSE(f[i], f0[i], 1e-9);
        }
        CLOSE(e[2], 5435.69679086554687, 1e-10);
        mechanism_close(&m);
    }
}

/* ---- no inertia ----------------------------------------------------------------------------- */

static const char no_inertia_text[] = "nutate: 1\n"
                                      "gravity: [0, 0, -10]\n"
                                      "bodies:\n"
                                      "  bob: {mass: 2, inertia: [%s], position: [1, 0, 0]}\n"
                                      "joints:\n"
                                      "  pivot: {type: %s}\n"
                                      "simulation: {duration: 1, step: 1e-3}\n";

/* On a ball joint a point mass may turn about the rod without inertia: refused, in words and at the
 * body's place. */
static void undetermined_spin_is_refused(void **state)
{
    (void)state;
    static const char *const inertia[] = {"0, 0, 0", "0, 0.1, 0.1"};
    for (int i = 0; i < 2; i++) {
        char text[1024];
        snprintf(text, sizeof text, no_inertia_text, inertia[i],
                 "spherical, between: [ground, bob], at: [0, 0, 0]");
        mechanism m = mechanism_read(text);
        nt_integrator_setup setup = {.system = nt_run_system(m.run),
                                     .method = nt_method_find("generalized-alpha")};
        nt_error error = {0};
        assert_int_equal(nt_integrator_create(&m.integrator, &setup, &error), NT_OK);
        assert_int_equal(nt_integrator_start(m.integrator, 0, m.q, m.v, m.memory, &error),
                         NT_SINGULAR);
        assert_non_null(strstr(error.message, "bob"));
        assert_non_null(strstr(error.message, "no inertia or constraint determines it"));
        assert_string_equal(error.file, "test");
        assert_int_equal(error.line, 4);
        assert_int_equal(error.column, 3);
        mechanism_close(&m);
    }
}

/* The error names the force `pull` at its place in the file. */
static void blames_the_pull(const nt_error *error)
{
    assert_non_null(strstr(error->message, "force pull"));
    assert_string_equal(error->file, "test");
    assert_int_equal(error->line, 6);
    assert_int_equal(error->column, 3);
}

/* A force that has no value where an integrator starts, or where energies are looked at, is refused
 * at its own place. */
static void force_without_value_is_refused(void **state)
{
    (void)state;
    mechanism m = mechanism_read("nutate: 1\n"
                                 "bodies:\n"
                                 "  bob: {mass: 2, inertia: [1, 1, 1]}\n"
                                 "forces:\n"
                                 "  weight: {type: force, on: bob, value: [0, 0, -20]}\n"
                                 "  pull: {type: force, on: bob, value: [1/(t - 1), 0, 0]}\n");
    nt_integrator_setup setup = {.system = nt_run_system(m.run),
                                 .method = nt_method_find("generalized-alpha")};
    nt_error error = {0};
    assert_int_equal(nt_integrator_create(&m.integrator, &setup, &error), NT_OK);
    assert_int_equal(nt_integrator_start(m.integrator, 1, m.q, m.v, m.memory, &error),
                     NT_NOT_FINITE);
    blames_the_pull(&error);
    nt_quantity_info energy;
    const nt_state pole = {.t = 1, .q = m.q, .v = m.v, .vdot = m.v};
    double out[16];
    assert_int_equal(nt_model_quantity(nt_run_model(m.run), "energy", &energy, &error), NT_OK);
    assert_int_equal(nt_run_sample(m.run, &energy, &pole, NULL, out, &error), NT_NOT_FINITE);
    blames_the_pull(&error);
    mechanism_close(&m);
}

/* Where joints determine the turning a point mass is a pendulum: acceleration g, reaction 0 at the
 * horizontal position, angular acceleration g/l. */
static void determined_points_move(void **state)
{
    (void)state;
    static const char *const joints[] = {
        "universal, between: [ground, bob], at: [0, 0, 0], axes: [[0, 1, 0], [0, 0, 1]]",
        "revolute, between: [ground, bob], at: [0, 0, 0], axis: [0, 1, 0]"};
    static const char *const inertia[] = {"0, 0, 0", "0, 1e-30, 1e-30"};
    for (int i = 0; i < 4; i++) {
        char text[1024];
        snprintf(text, sizeof text, no_inertia_text, inertia[i / 2], joints[i % 2]);
        mechanism m = mechanism_open(text);
        double a[16], alpha[16], f[16];
        mechanism_get(&m, "bob.acceleration", a);
        mechanism_get(&m, "bob.angular_acceleration", alpha);
        mechanism_get(&m, "pivot.force", f);
        CLOSE(a[2], -10, ROUNDING);
        CLOSE(alpha[1], 10, ROUNDING);
        CLOSE(f[2], 0, ROUNDING * 10);
        mechanism_run(&m, 1, 1e-3);
        mechanism_get(&m, "energy", a);
        CLOSE(a[2], 0, 1e-3); /* O(h^2) of an energy of 20 J */
        mechanism_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heavy_top_at_rest),
        cmocka_unit_test(undetermined_spin_is_refused),
        cmocka_unit_test(force_without_value_is_refused),
        cmocka_unit_test(determined_points_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
