/* Derivatives through times at which functions of time bend and which parameters move: forces,
 * prescribed motions whose rates jump, and such whose accelerations do, against motions by hand. */
#include "tests/model/mechanism.h"

#include <nutate/method.h>
#include <nutate/sensitivity.h>

/* A carriage on a rail carries a motor that turns an arm by phi(t - T); nothing else acts along the
 * rail:
 *   (mc + ma) x' + ma L phi' cos(phi) = 0,      x = -ma L sin(phi)/(mc + ma). */
#define CARRIAGE(motion)                                                                           \
    "nutate: 1\n"                                                                                  \
    "parameters: {T: 0.1037, w: 3}\n"                                                              \
    "gravity: [0, 0, 0]\n"                                                                         \
    "bodies:\n"                                                                                    \
    "  carriage: {mass: 2, inertia: [1, 1, 1], position: [0, 0, 0]}\n"                             \
    "  arm: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0], center_of_mass: [0, 0, "      \
    "0.5]}\n"                                                                                      \
    "joints:\n"                                                                                    \
    "  rail: {type: prismatic, between: [ground, carriage], at: [0, 0, 0], axis: [1, 0, 0]}\n"     \
    "  motor: {type: revolute, between: [carriage, arm], at: [0, 0, 0], axis: [0, 1, 0],\n"        \
    "          motion: \"" motion "\"}\n"

static const double T = 0.1037, W = 3, END = 0.3, M = 3, ML = 0.5, J = 0.35;

/* phi and phi' of each motion. */
typedef void motion(double tau, double w, double phi[2]);

static void rate_jumps(double tau, double w, double phi[2]) { phi[0] = w * tau, phi[1] = w; }

static void acceleration_jumps(double tau, double w, double phi[2])
{
    phi[0] = 5 * w * tau * tau, phi[1] = 10 * w * tau;
}

static void pulses(double tau, double w, double phi[2])
{
    acceleration_jumps(tau, w, phi);
    phi[0] -= 5 * w * (tau - 0.0831) * (tau - 0.0831), phi[1] -= 10 * w * (tau - 0.0831);
}

/* x and the energy, which is the work of the motor. */
static void carriage_by_hand(motion *of, const double p[2], double out[2])
{
    double phi[2];
    of(END - p[0], p[1], phi);
    out[0] = -ML * sin(phi[0]) / M;
    out[1] = J * phi[1] * phi[1] / 2 - pow(ML * phi[1] * cos(phi[0]), 2) / (2 * M);
}

/* d(displacement, work) in the parameters at END. False: the method does not take the model. */
static bool differentiate(const char *text, const nt_method *method, double step, double out[2][2])
{
    const int parameters[2] = {0, 1};
    mechanism m = mechanism_read(text);
    nt_error error = {0};
    nt_sensitivity *s;
    double tolerance = strcmp(nt_method_name(method), "bdf") == 0 ? 1e-9 : 0;
    nt_integrator_setup setup = {.system = nt_run_system(m.run),
                                 .method = method,
                                 .tolerance = {tolerance, tolerance, tolerance, tolerance},
                                 .track_work = 1};
    if (nt_method_check_system(method, setup.system, NULL) != NT_OK ||
        nt_integrator_create(&m.integrator, &setup, &error) != NT_OK ||
        nt_sensitivity_create(&s, m.integrator, parameters, 2, &error) != NT_OK) {
        mechanism_close(&m);
        return false;
    }
    if (nt_integrator_start(m.integrator, 0, NULL, NULL, NULL, &error) != NT_OK ||
        nt_sensitivity_start(s, &error) != NT_OK ||
        nt_integrator_run(m.integrator, END, step, NULL, NULL, &error) != NT_OK)
        fail_msg("%s: %s", nt_method_name(method), error.message);
    for (int k = 0; k < 2; k++) {
        nt_state_tangent d = nt_sensitivity_state(s, k);
        out[0][k] = d.q[0]; /* along the rail, where the carriage does not turn */
        out[1][k] = d.work;
    }
    nt_sensitivity_destroy(s);
    mechanism_close(&m);
    return true;
}

static bool is_of_first_order(const nt_method *method)
{
    const char *name = nt_method_name(method);
    return strcmp(name, "semi-explicit") == 0 || strcmp(name, "generalized-alpha-residual") == 0;
}

static double allowed(const nt_method *method)
{
    const char *name = nt_method_name(method);
    return strncmp(name, "rkmk", 4) == 0 ? 1e-7 : is_of_first_order(method) ? 0.1 : 4e-3;
}

static void motions_that_jump_move(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        motion *of;
    } rows[] = {{CARRIAGE("max(0, w*(t - T))"), rate_jumps},
                {CARRIAGE("if(t > T, w*(t - T), 0)"), rate_jumps},
                {CARRIAGE("0.5*w*(t - T + abs(t - T))"), rate_jumps},
                {CARRIAGE("5*w*max(0, t - T)^2"), acceleration_jumps},
                {CARRIAGE("5*w*if(t > T, 1, 0)*(t - T)^2"), acceleration_jumps},
                {CARRIAGE("5*if(w*t > w*T, w, 0)*(t - T)^2"), acceleration_jumps},
                {CARRIAGE("5*w*max(0, t - T)^2 - 5*w*max(0, t - T - 0.0831)^2"), pulses}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        int tried = 0;
        double wanted[2][2];
        for (int k = 0; k < 2; k++) {
            const double step = 1e-5;
            double p[2] = {T, W}, beside[2][2];
            for (int i = 0; i < 2; i++) {
                p[k] += i == 0 ? step : -2 * step;
                carriage_by_hand(rows[r].of, p, beside[i]);
            }
            for (int j = 0; j < 2; j++)
                wanted[j][k] = (beside[0][j] - beside[1][j]) / (2 * step);
        }
        for (int i = 0; i < nt_method_count(); i++) {
            const nt_method *method = nt_method_at(i);
            double got[2][2];
            if (!differentiate(rows[r].text, method, 4e-3, got))
                continue;
            tried++;
            for (int j = 0; j < 2; j++)
                for (int k = 0; k < 2; k++)
                    if (!(fabs(got[j][k] - wanted[j][k]) <=
                          allowed(method) * fmax(fabs(wanted[j][k]), 0.1)))
                        fail_msg("motion %d, %s: d(%s)/d(%s) is %.9g, expected %.9g", (int)r,
                                 nt_method_name(method), j ? "work" : "x", k ? "w" : "T", got[j][k],
                                 wanted[j][k]);
        }
        assert_true(tried >= 7);
    }
}

/* A force that grows from T on: x = t + k (t - T)^3/6. Equal steps that took accelerations before T
 * for those behind would be off by half a step. */
static void forces_that_bend_move(void **state)
{
    (void)state;
    static const char text[] =
        "nutate: 1\n"
        "parameters: {T: 0.1037, k: 30}\n"
        "gravity: [0, 0, 0]\n"
        "bodies: {cart: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], velocity: [1, 0, 0]}}\n"
        "joints: {rail: {type: prismatic, between: [ground, cart], at: [0, 0, 0], "
        "axis: [1, 0, 0]}}\n"
        "forces: {push: {type: joint_force, joint: rail, value: 'k*max(0, t - T)'}}\n";
    const double tau = END - T, v = 1 + 15 * tau * tau;
    const double wanted[2][2] = {{-15 * tau * tau, tau * tau * tau / 6},
                                 {-v * 30 * tau, v * tau * tau / 2}};
    int tried = 0;
    for (int i = 0; i < nt_method_count(); i++) {
        const nt_method *method = nt_method_at(i);
        double got[2][2];
        if (!differentiate(text, method, 1e-2, got))
            continue;
        tried++;
        for (int j = 0; j < 2; j++)
            for (int k = 0; k < 2; k++)
                if (!(fabs(got[j][k] - wanted[j][k]) <=
                      (is_of_first_order(method) ? 0.1 : 5e-3) * fabs(wanted[j][k])))
                    fail_msg("%s: d(%s)/d(%s) is %.9g, expected %.9g", nt_method_name(method),
                             j ? "work" : "x", k ? "k" : "T", got[j][k], wanted[j][k]);
    }
    assert_true(tried >= 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(motions_that_jump_move),
                                       cmocka_unit_test(forces_that_bend_move)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
