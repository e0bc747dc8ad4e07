/* Steps in which bodies turn by more than half a turn: what is shown between their ends is what
 * happened, not the short way round. */
#include "../model/mechanism.h"

/* A wheel that turns at 200 rad/s for ever, and an event that never comes. */
static const char wheel[] =
    "nutate: 1\ngravity: [0, 0, 0]\n"
    "bodies: {b: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], angular_velocity: [0, 0, "
    "200]}}\n"
    "events: {slow: {when: 'b.angular_velocity.z - 100', direction: falling, then: [{stop: "
    "slowed}]}}\n";

/* A bar that tumbles under a wheel of 200 rad/s, both about a hinge. */
static const char tumbler[] =
    "nutate: 1\n"
    "bodies:\n"
    "  b: {mass: 2, inertia: [0.02, 0.02, 0.03], position: [0.3, 0, 0], velocity: [0, 1, 0], "
    "angular_velocity: [0, 1, 0]}\n"
    "  r: {mass: 1, inertia: [0.001, 0.002, 0.002], position: [0.3, 0.1, 0.1], "
    "angular_velocity: [200, 1, 0]}\n"
    "joints: {j: {type: revolute, between: [b, r], at: [0.3, 0.1, 0.1], axis: [1, 0, 0]}}\n";

static nt_status open_in(const char *text, const char *method, nt_frame frame, double tolerance,
                         mechanism *m)
{
    nt_error error = {0};
    *m = mechanism_read(text);
    nt_integrator_setup setup = {.system = nt_run_system(m->run),
                                 .method = nt_method_find(method),
                                 .frame = frame,
                                 .tolerance = {tolerance, tolerance, tolerance, tolerance}};
    if (!nt_method_has_frame(setup.method, frame) ||
        nt_method_check_system(setup.method, setup.system, NULL) != NT_OK)
        return NT_UNSUPPORTED;
    if (nt_integrator_create(&m->integrator, &setup, &error) != NT_OK ||
        nt_integrator_start(m->integrator, 0, m->q, m->v, m->memory, &error) != NT_OK)
        fail_msg("%s", error.message);
    return NT_OK;
}

/* Steps of 3 to 20 rad in every frame, by every method but those in local parameters, which end at
 * a turn, and Cayley's map, which ends at half a turn: within each step the turn is uniform, and
 * nothing seems to slow down. */
static void a_wheel_turns_on(void **state)
{
    (void)state;
    static const double steps[] = {0.0155, 0.0315, 0.05, 0.1};
    int tried = 0;
    for (int i = 0; i < nt_method_count(); i++)
        for (int k = 0; k < 12; k++) {
            const char *name = nt_method_name(nt_method_at(i));
            mechanism m;
            nt_error error = {0};
            double h = steps[k % 4];
            bool short_of_it = strcmp(name, "generalized-alpha-linear") == 0 ||
                               strcmp(name, "generalized-alpha-residual") == 0 ||
                               strcmp(name, "akw") == 0;
            if (open_in(wheel, name, (nt_frame)(k / 4), 0, &m) == NT_OK && !short_of_it) {
                nt_status status = nt_integrator_run(m.integrator, 4 * h, h, NULL, NULL, &error);
                if (status != NT_OK)
                    fail_msg("%s: %s", name, error.message);
                if (!(fabs(nt_integrator_state(m.integrator).t - 4 * h) <= 1e-12))
                    fail_msg("%s, frame %d, step %g: ended at t = %g", name, k / 4, h,
                             nt_integrator_state(m.integrator).t);
                double last = nt_integrator_state(m.integrator).step;
                for (double s = 0; s < 1; s += 0.07) {
                    nt_state at;
                    double t = 4 * h - s * last;
                    assert_int_equal(nt_integrator_dense(m.integrator, t, &at), NT_OK);
                    CLOSE(at.v[5], 200, 1e-8);
                    CLOSE(fabs(at.q[3] * cos(100 * t) + at.q[6] * sin(100 * t)), 1, 1e-9);
                }
                tried++;
            }
            mechanism_close(&m);
        }
    assert_true(tried > 60);
}

/* Rates of the wheel between the ends of steps of up to 4 rad, and of the bar beside it, are off by
 * the order of the method: of second order, as at the ends. */
static void what_precesses_is_of_the_order_of_the_method(void **state)
{
    (void)state;
    mechanism exact, m;
    assert_int_equal(open_in(tumbler, "rkmk-dop853", NT_INERTIAL, 1e-11, &exact), NT_OK);
    double off[3] = {0};
    for (int k = 0; k < 3; k++) {
        double h = 0.02 / (1 << k);
        mechanism_close(&exact);
        assert_int_equal(open_in(tumbler, "rkmk-dop853", NT_INERTIAL, 1e-11, &exact), NT_OK);
        assert_int_equal(open_in(tumbler, "generalized-alpha", NT_INERTIAL, 0, &m), NT_OK);
        for (int i = 1; i <= (5 << k); i++) {
            nt_error error = {0};
            assert_int_equal(nt_integrator_run(m.integrator, i * h, h, NULL, NULL, &error), NT_OK);
            for (int j = 1; j <= 4; j++) {
                nt_state at, right;
                double t = (i - 1 + j / 4.0) * h;
                assert_int_equal(nt_integrator_run(exact.integrator, t, 1e-3, NULL, NULL, &error),
                                 NT_OK);
                right = nt_integrator_state(exact.integrator);
                assert_int_equal(nt_integrator_dense(m.integrator, t, &at), NT_OK);
                for (int c = 0; c < 12; c++)
                    off[k] = fmax(off[k], fabs(at.v[c] - right.v[c]));
            }
        }
        mechanism_close(&m);
    }
    mechanism_close(&exact);
    if (!(off[0] < 10 && off[1] < 0.3 * off[0] && off[2] < 0.3 * off[1]))
        fail_msg("velocities are off by %g, %g, %g", off[0], off[1], off[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wheel_turns_on),
        cmocka_unit_test(what_precesses_is_of_the_order_of_the_method),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
