/* Functions of time alone that bend or jump where what they are made of is curved: a cart is driven
 * along a rail and a pendulum hangs on it. Between the stops, which are known by hand, a fine
 * integration of the pendulum's own equation is what the runs are compared with. */
#include "tests/model/mechanism.h"

#include <nutate/method.h>
#include <nutate/sensitivity.h>

#define MODEL(motion)                                                                              \
    "nutate: 1\n"                                                                                  \
    "parameters: {w: 3}\n"                                                                         \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "bodies:\n"                                                                                    \
    "  cart: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0]}\n"                           \
    "  bob: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0, -0.5]}\n"                      \
    "joints:\n"                                                                                    \
    "  rail: {type: prismatic, between: [ground, cart], at: [0, 0, 0], axis: [1, 0, 0],\n"         \
    "         motion: \"" motion "\"}\n"                                                           \
    "  pin: {type: revolute, between: [cart, bob], at: [0, 0, 0], axis: [0, -1, 0]}\n"

static const double L = 0.5, J = 0.01 + 0.25, G = 9.81, A = 0.2, END = 2;

/* The drive is A max(0, sin(w t - 1))^power: its zeros, and what it does between them. */
static double zero_of(int k, double w) { return (k * acos(-1.0) + 1) / w; }

static double acceleration(int power, double w, double t)
{
    double s = sin(w * t - 1), c = cos(w * t - 1);
    return power == 1 ? -A * w * w * s : 2 * A * w * w * (c * c - s * s);
}

static void swing(const double y[2], double a, double out[2])
{
    out[0] = y[1];
    out[1] = -(L * G * sin(y[0]) + L * a * cos(y[0])) / J;
}

/* By RK4 with steps so short that it is exact to 1e-11. */
static void advance_by_hand(int power, double w, double from, double to, bool on, double y[2])
{
    int n = 4000;
    double h = (to - from) / n;
    for (int i = 0; i < n; i++) {
        double k[4][2], z[2];
        for (int j = 0; j < 4; j++) {
            double c = j == 0 ? 0 : j == 3 ? 1 : 0.5, t = from + (i + c) * h;
            for (int m = 0; m < 2; m++)
                z[m] = y[m] + (j == 0 ? 0 : c * h * k[j - 1][m]);
            swing(z, on ? acceleration(power, w, t) : 0, k[j]);
        }
        for (int m = 0; m < 2; m++)
            y[m] += h / 6 * (k[0][m] + 2 * k[1][m] + 2 * k[2][m] + k[3][m]);
    }
}

static void by_hand(int power, double w, double y[2])
{
    double t = 0;
    y[0] = y[1] = 0;
    for (int k = 0; t < END; k++) {
        double next = fmin(zero_of(k, w), END);
        advance_by_hand(power, w, t, next, k % 2 == 1, y);
        if (power == 1 && next < END) /* the cart's speed jumps by A w */
            y[1] -= L * cos(y[0]) * A * w / J;
        t = next;
    }
}

static void reach(const char *model, const char *method, double tolerance, double *angle,
                  double *rate, double *derivative, const char *refused)
{
    const int parameter = 0;
    mechanism m = mechanism_read(model);
    nt_error error = {0};
    nt_integrator *it;
    nt_sensitivity *s = NULL;
    nt_integrator_setup setup = {.system = nt_run_system(m.run),
                                 .method = nt_method_find(method),
                                 .tolerance = {tolerance, tolerance, tolerance, tolerance}};
    assert_int_equal(nt_integrator_create(&it, &setup, &error), NT_OK);
    if (derivative || refused)
        assert_int_equal(nt_sensitivity_create(&s, it, &parameter, 1, &error), NT_OK);
    assert_int_equal(nt_integrator_start(it, 0, NULL, NULL, NULL, &error), NT_OK);
    if (s)
        assert_int_equal(nt_sensitivity_start(s, &error), NT_OK);
    nt_status status = nt_integrator_run(it, END, 0.01, NULL, NULL, &error);
    if (refused) {
        assert_int_equal(status, NT_UNSUPPORTED);
        assert_non_null(strstr(error.message, refused));
    } else if (status != NT_OK)
        fail_msg("%s: %s", method, error.message);
    nt_state state = nt_integrator_state(it);
    if (!refused) {
        *angle = 2 * atan2(-state.q[7 + 5], state.q[7 + 3]);
        *rate = -state.v[6 + 4];
    }
    if (derivative)
        *derivative = -nt_sensitivity_state(s, 0).q[6 + 4];
    if (s)
        nt_sensitivity_destroy(s);
    nt_integrator_destroy(it);
    mechanism_close(&m);
}

static void rates_jump_at_zeros(void **state)
{
    (void)state;
    const char *model = MODEL("0.2*max(0, sin(w*t - 1))");
    double wanted[2], angle, rate;
    by_hand(1, 3, wanted);
    reach(model, "rkmk-dop853", 1e-11, &angle, &rate, NULL, NULL);
    CLOSE(angle, wanted[0], 1e-9);
    CLOSE(rate, wanted[1], 1e-9);
    reach(model, "bdf", 1e-9, &angle, &rate, NULL, NULL);
    CLOSE(angle, wanted[0], 1e-6);
    reach(model, "generalized-alpha", 0, &angle, &rate, NULL, NULL);
    CLOSE(angle, wanted[0], 2e-3); /* O(h^2) */
    double beside[2][2], derivative, e = 1e-4;
    by_hand(1, 3 + e, beside[0]);
    by_hand(1, 3 - e, beside[1]);
    double slope = (beside[0][0] - beside[1][0]) / (2 * e);
    reach(model, "rkmk-dop853", 1e-11, &angle, &rate, &derivative, NULL);
    CLOSE(derivative, slope, 1e-6);
}

/* Accelerations jump, at times that follow w: the pendulum gets a part of the velocity. */
static void derivatives_go_through_bends(void **state)
{
    (void)state;
    const char *model = MODEL("0.2*max(0, sin(w*t - 1))^2");
    double wanted[2], beside[2][2], angle, rate, derivative, e = 1e-4;
    by_hand(2, 3, wanted);
    by_hand(2, 3 + e, beside[0]);
    by_hand(2, 3 - e, beside[1]);
    double slope = (beside[0][0] - beside[1][0]) / (2 * e);
    reach(model, "rkmk-dop853", 1e-11, &angle, &rate, &derivative, NULL);
    CLOSE(angle, wanted[0], 1e-9);
    CLOSE(derivative, slope, 1e-7);
    reach(model, "generalized-alpha", 0, &angle, &rate, &derivative, NULL);
    CLOSE(derivative, slope, 2e-3); /* O(h^2) */
}

/* What is held of an `if` stands in the motion's derivatives too. */
static void derivatives_know_what_is_held(void **state)
{
    (void)state;
    const char *with_if = MODEL("0.2*if(w*t > 1, 1, 0)*(w*t - 1)^2");
    const char *with_max = MODEL("0.2*max(0, w*t - 1)^2");
    double angle, rate, derivative[2], e = 1e-4, y[2][2];
    for (int i = 0; i < 2; i++) {
        double w = 3 + (i ? -e : e);
        y[i][0] = y[i][1] = 0;
        advance_by_hand(2, w, 0, 1 / w, false, y[i]);
        for (int n = 0, N = 20000; n < N; n++) { /* a = 2 A w^2 */
            double h = (END - 1 / w) / N, k[4][2], z[2];
            for (int j = 0; j < 4; j++) {
                for (int m = 0; m < 2; m++)
                    z[m] = y[i][m] + (j == 0 ? 0 : (j == 3 ? 1 : 0.5) * h * k[j - 1][m]);
                swing(z, 2 * A * w * w, k[j]);
            }
            for (int m = 0; m < 2; m++)
                y[i][m] += h / 6 * (k[0][m] + 2 * k[1][m] + 2 * k[2][m] + k[3][m]);
        }
    }
    double slope = (y[0][0] - y[1][0]) / (2 * e);
    reach(with_if, "rkmk-dop853", 1e-11, &angle, &rate, &derivative[0], NULL);
    reach(with_max, "rkmk-dop853", 1e-11, &angle, &rate, &derivative[1], NULL);
    CLOSE(derivative[0], slope, 1e-6);
    CLOSE(derivative[1], slope, 1e-6);
    reach(MODEL("0.2*max(0, w*t - 1)^2 + 0.1*max(0, t - 1/3)^2"), "rkmk-dop853", 0, NULL, NULL,
          NULL, "several functions of time bend at once");
}

#define PULSES(level)                                                                              \
    "nutate: 1\n"                                                                                  \
    "gravity: [0, 0, 0]\n"                                                                         \
    "parameters: {w: 20}\n"                                                                        \
    "bodies: {cart: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0]}}\n"                   \
    "joints: {rail: {type: prismatic, between: [ground, cart], at: [0, 0, 0], axis: [1, 0, 0]}}\n" \
    "forces:\n"                                                                                    \
    "  push: {type: joint_force, joint: rail, value: \"if(sin(w*t) > " level ", 100, 0)\"}\n"      \
    "  never: {type: joint_force, joint: rail,\n"                                                  \
    "          value: \"1e9*floor(sin(w*t))*heaviside(sin(w*t))\"}\n"

/* Pulses within a step, such as one step goes through from end to end, a point that is only
 * touched, and two factors that jump at one time, between which there would be a large force. */
static void are_met(const char *model, double level)
{
    static const char *const methods[] = {"generalized-alpha", "rkmk-dopri5", "bdf"};
    double length = 2 * acos(level) / 20, wanted = 4 * 100 * length;
    double slope = -wanted / 20;
    for (int i = 0; i < 3; i++) {
        const int parameter = 0;
        mechanism m = mechanism_read(model);
        nt_error error = {0};
        nt_integrator *it;
        nt_sensitivity *s;
        nt_integrator_setup setup = {.system = nt_run_system(m.run),
                                     .method = nt_method_find(methods[i])};
        assert_int_equal(nt_integrator_create(&it, &setup, &error), NT_OK);
        assert_int_equal(nt_sensitivity_create(&s, it, &parameter, 1, &error), NT_OK);
        assert_int_equal(nt_integrator_start(it, 0, NULL, NULL, NULL, &error), NT_OK);
        assert_int_equal(nt_sensitivity_start(s, &error), NT_OK);
        if (nt_integrator_run(it, 1.1, 0.05, NULL, NULL, &error) != NT_OK)
            fail_msg("%s: %s", methods[i], error.message);
        CLOSE(nt_integrator_state(it).v[0], wanted, 1e-9);
        CLOSE(nt_sensitivity_state(s, 0).v[0], slope, 1e-8);
        nt_sensitivity_destroy(s);
        nt_integrator_destroy(it);
        mechanism_close(&m);
    }
}

static void pulses_are_met(void **state)
{
    (void)state;
    are_met(PULSES("0.999"), 0.999);
    are_met(PULSES("0.9"), 0.9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_jump_at_zeros), cmocka_unit_test(derivatives_go_through_bends),
        cmocka_unit_test(derivatives_know_what_is_held), cmocka_unit_test(pulses_are_met)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
