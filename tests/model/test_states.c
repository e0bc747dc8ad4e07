/* States of the user's own: a first-order lag against its exact solution with every method, a
 * controlled carriage against the exponential of its matrix, tangents, rest, and what is refused.
 */
#include <nutate/nutate.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/read_run.h"

/* A run of the text to its end; the value of a record there. */
static double last_of(const char *text, const char *method, const char *frame, double tolerance,
                      double step, double end, const char *record)
{
    nt_error error = {0};
    nt_run *run;
    nt_integrator *integrator;
    nt_integrator_setup setup = {0};
    nt_quantity_info quantity;
    char in_frame[40];
    double value;
    snprintf(in_frame, sizeof in_frame, "%s", frame);
    const nt_setting settings[] = {{"simulation.frame", in_frame}};
    if (read_run_text(&run, text, strlen(text), "states", NULL, settings, frame[0] != '\0',
                      &error) != NT_OK ||
        nt_run_setup(run, &setup, &error) != NT_OK)
        fail_msg("%s", error.message);
    setup.method = nt_method_find(method);
    for (int i = 0; i < 4; i++)
        setup.tolerance[i] = tolerance;
    if (nt_integrator_create(&integrator, &setup, &error) != NT_OK ||
        nt_integrator_start(integrator, 0, NULL, NULL, NULL, &error) != NT_OK ||
        nt_integrator_run(integrator, end, step, NULL, NULL, &error) != NT_OK)
        fail_msg("%s: %s", method, error.message);
    nt_state now = nt_integrator_state(integrator);
    if (nt_model_quantity(nt_run_model(run), record, &quantity, &error) != NT_OK ||
        nt_run_sample(run, &quantity, &now, NULL, &value, &error) != NT_OK)
        fail_msg("%s", error.message);
    nt_integrator_destroy(integrator);
    destroy_run(run);
    return value;
}

/* ---- a lag ---------------------------------------------------------------------------------- */

/* T x' = sin(w t) - x, x(0) = x0:
 * x = (x0 + w T / D) e^(-t/T) + (sin(w t) - w T cos(w t)) / D,   D = 1 + (w T)^2 */
static const char lag[] = "nutate: 1\n"
                          "parameters: {T: 0.4, w: 5, x0: 0.7}\n"
                          "gravity: [0, 0, 0]\n"
                          "bodies: {rest: {mass: 1, point: true}}\n"
                          "states: {x: {rate: (sin(w*t) - x)/T, initial: x0}}\n"
                          "simulation: {duration: 1, step: 1e-2}\n";

static double lag_exact(double t)
{
    double T = 0.4, w = 5, x0 = 0.7, D = 1 + w * T * w * T;
    return (x0 + w * T / D) * exp(-t / T) + (sin(w * t) - w * T * cos(w * t)) / D;
}

/* Where the error of no method happens to vanish. */
static const double END = 0.8;

static void a_lag_follows_its_solution_with_each_methods_order(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        double order, step;
    } methods[] = {
        {"generalized-alpha", 2, 0.01},
        {"generalized-alpha-linear", 2, 0.01},
        {"generalized-alpha-soi2", 2, 0.01},
        {"generalized-alpha-residual", 2, 0.01},
        {"semi-explicit", 1, 0.001},
        {"semi-explicit-2", 2, 0.01},
        {"theta", 2, 0.01},
        {"rkmk-dopri5", 5, 0.05},
        {"rkmk-dop853", 8, 0.2},
    };
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        const char *method = methods[i].method;
        double h = methods[i].step, off[2];
        for (int k = 0; k < 2; k++, h /= 2)
            off[k] = fabs(last_of(lag, method, "", 0, h, END, "x") - lag_exact(END));
        double order = log2(off[0] / off[1]);
        print_message("%-26s h = %-6g off by %.1e, order %.2f\n", method, methods[i].step, off[0],
                      order);
        assert_true(off[0] < 2e-3);
        assert_true(fabs(order - methods[i].order) < (methods[i].order > 4 ? 0.5 : 0.1));
    }
    for (double tolerance = 1e-5; tolerance > 1e-10; tolerance /= 100) {
        double off = fabs(last_of(lag, "bdf", "", tolerance, 1e-3, 1, "x") - lag_exact(1));
        print_message("bdf at %g off by %.1e\n", tolerance, off);
        assert_true(off < 100 * tolerance);
    }
}

/* ---- a controlled carriage ------------------------------------------------------------------ */

/* m x'' = kp e + ki I + kd N (e - d), e = r - x, I' = e, d' = N (e - d): beside a body that turns,
 * so that frames differ. */
static const char carriage[] =
    "nutate: 1\n"
    "parameters: {m: 2, kp: 30, ki: 25, kd: 9, N: 40, r: 0.5}\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  cart: {mass: m, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
    "  top: {mass: 1, inertia: [1, 2, 3], position: [5, 0, 0], angular_velocity: [1, 2, 3]}\n"
    "joints: {rail: {type: prismatic, between: [ground, cart], at: [0, 0, 0], axis: [1, 0, 0]}}\n"
    "quantities: {e: r - rail.displacement, D: \"kd*N*(e - d)\"}\n"
    "states: {I: {rate: e}, d: {rate: N*(e - d), initial: r/2}}\n"
    "forces: {motor: {type: joint_force, joint: rail, value: kp*e + ki*I + D}}\n"
    "simulation: {duration: 1, step: 1e-3}\n";

/* The same with a ready block, whose limits it does not reach. */
static const char with_block[] =
    "nutate: 1\n"
    "parameters: {m: 2, kp: 30, ki: 25, kd: 9, N: 40, r: 0.5}\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  cart: {mass: m, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
    "  top: {mass: 1, inertia: [1, 2, 3], position: [5, 0, 0], angular_velocity: [1, 2, 3]}\n"
    "joints: {rail: {type: prismatic, between: [ground, cart], at: [0, 0, 0], axis: [1, 0, 0]}}\n"
    "blocks: {pid: {type: pid, error: r - rail.displacement, proportional: kp, integral: ki, "
    "derivative: kd, filter: 1/N, initial_error: r/2, limits: [-200, 200]}}\n"
    "forces: {motor: {type: joint_force, joint: rail, value: pid}}\n"
    "simulation: {duration: 1, step: 1e-3}\n";

enum { N = 5 };

/* out = e^(A t) x by halving until A is small, Taylor's series, squaring. */
static void exponential(const double A[N][N], double t, const double *x, double *out)
{
    long double E[N][N], B[N][N], C[N][N], small = t / 1024;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            E[i][j] = B[i][j] = i == j;
    for (int k = 1; k < 30; k++) {
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                C[i][j] = 0;
                for (int l = 0; l < N; l++)
                    C[i][j] += B[i][l] * (long double)A[l][j] * small / k;
            }
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                E[i][j] += B[i][j] = C[i][j];
    }
    for (int k = 0; k < 10; k++) {
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                C[i][j] = 0;
                for (int l = 0; l < N; l++)
                    C[i][j] += E[i][l] * E[l][j];
            }
        memcpy(E, C, sizeof E);
    }
    for (int i = 0; i < N; i++) {
        long double sum = 0;
        for (int j = 0; j < N; j++)
            sum += E[i][j] * (long double)x[j];
        out[i] = (double)sum;
    }
}

/* x, x', I, d, 1 */
static void carriage_exact(double t, double *out)
{
    double m = 2, kp = 30, ki = 25, kd = 9, f = 40, r = 0.5;
    const double A[N][N] = {
        {0, 1, 0, 0, 0},  {-(kp + kd * f) / m, 0, ki / m, -kd * f / m, (kp + kd * f) * r / m},
        {-1, 0, 0, 0, r}, {-f, 0, 0, -f, f * r},
        {0, 0, 0, 0, 0},
    };
    const double begin[N] = {0, 0, 0, r / 2, 1};
    exponential(A, t, begin, out);
}

static void a_controlled_carriage_is_an_exponential(void **state)
{
    (void)state;
    static const struct {
        const char *method, *frame;
        double tolerance, step, error;
    } runs[] = {
        {"rkmk-dop853", "inertial", 1e-12, 1e-3, 1e-11},
        {"rkmk-dop853", "body", 1e-12, 1e-3, 1e-11},
        {"rkmk-dopri5", "inertial", 1e-11, 1e-3, 1e-9},
        {"bdf", "inertial", 1e-10, 1e-4, 1e-7},
        {"bdf", "body", 1e-10, 1e-4, 1e-7},
        {"generalized-alpha", "inertial", 0, 5e-4, 1e-5},
        {"generalized-alpha", "body", 0, 5e-4, 1e-5},
        {"generalized-alpha", "se3", 0, 5e-4, 1e-5},
        {"generalized-alpha-soi2", "inertial", 0, 5e-4, 1e-5},
        {"generalized-alpha-soi2", "body", 0, 5e-4, 1e-5},
    };
    static const char *const records[] = {"rail.displacement", "rail.rate", "I", "d"};
    double exact[N];
    carriage_exact(1, exact);
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        double off = 0;
        for (int k = 0; k < 4; k++)
            off = fmax(off, fabs(last_of(carriage, runs[i].method, runs[i].frame, runs[i].tolerance,
                                         runs[i].step, 1, records[k]) -
                                 exact[k]));
        print_message("%-24s %-8s off by %.1e\n", runs[i].method, runs[i].frame, off);
        assert_true(off < runs[i].error);
    }
    static const char *const of_block[] = {"rail.displacement", "rail.rate", "pid.I",
                                           "pid.filtered"};
    for (int k = 0; k < 4; k++) { /* of the block I is a share of the force */
        double value = last_of(with_block, "rkmk-dop853", "inertial", 1e-12, 1e-3, 1, of_block[k]);
        assert_true(fabs(value - exact[k] * (k == 2 ? 25 : 1)) < 1e-11);
    }
}

/* ---- blocks --------------------------------------------------------------------------------- */

/* The step response of w^2/(s^2 + 2 z w s + w^2), and of (s^2 + 3 s + 4)/(s^2 + 3 s + 2): with
 * 2/((s + 1)(s + 2)) = 2/(s + 1) - 2/(s + 2) it is 2 - 2 e^-t + e^-2t. */
static const char linear_blocks[] =
    "nutate: 1\n"
    "parameters: {w: 6, z: 0.3}\n"
    "bodies: {rest: {mass: 1, point: true}}\n"
    "blocks:\n"
    "  lag: {type: transfer_function, input: 1, numerator: [w^2], denominator: [1, 2*z*w, w^2]}\n"
    "  lead: {type: transfer_function, input: 1, numerator: [1, 3, 4], denominator: [1, 3, 2]}\n"
    "  space: {type: state_space, inputs: [1, 0], A: [[0, 1], [-2, -3]], B: [[0, 5], [1, 5]],\n"
    "          C: [[2, 0], [0, 1]], D: [[1, 0], [0, 1]]}\n"
    "  both: {type: state_space, inputs: [lag], A: [[-2]], B: [3], C: [4], initial: [z]}\n"
    "simulation: {duration: 1, step: 1e-3}\n";

static void blocks_respond_as_their_formulas(void **state)
{
    (void)state;
    double t = 1, w = 6, z = 0.3, d = w * sqrt(1 - z * z);
    double lag_of = 1 - exp(-z * w * t) * (cos(d * t) + z * w / d * sin(d * t));
    double lead = 2 - 2 * exp(-t) + exp(-2 * t), rate = exp(-t) - exp(-2 * t);
    const struct {
        const char *record;
        double value;
    } expected[] = {{"lag", lag_of},        {"lead", lead},    {"space.y1", lead},
                    {"space.y2", rate},     {"lead.x2", rate}, {"lag.highest", 0},
                    {"lag.x1", lag_of / 36}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        double value =
            last_of(linear_blocks, "rkmk-dop853", "", 1e-12, 1e-3, t, expected[i].record);
        if (strcmp(expected[i].record, "lag.highest") == 0)
            value -= last_of(linear_blocks, "rkmk-dop853", "", 1e-12, 1e-3, t, "lag.input") -
                     36 * last_of(linear_blocks, "rkmk-dop853", "", 1e-12, 1e-3, t, "lag.x1") -
                     3.6 * last_of(linear_blocks, "rkmk-dop853", "", 1e-12, 1e-3, t, "lag.x2");
        assert_true(fabs(value - expected[i].value) < 1e-11);
    }
}

/* Full force for long, a wish beyond reach: the integral stays near what the limits allow, and the
 * output comes back as soon as the error turns. */
static const char windup[] =
    "nutate: 1\n"
    "parameters: {tracking: 0.5}\n"
    "bodies: {rest: {mass: 1, point: true}}\n"
    "blocks: {pid: {type: pid, error: \"if(t < 5, 3, -3)\", proportional: 1, integral: 2, "
    "limits: [-4, 4], tracking: tracking}}\n"
    "simulation: {duration: 5, step: 1e-3}\n";

static void an_integral_does_not_wind_up(void **state)
{
    (void)state;
    /* beyond the limit w = e + I: I' = 2 e + (4 - e - I)/T rests at I = 4 - e + 2 e T */
    double I = last_of(windup, "generalized-alpha", "", 0, 1e-3, 4.9, "pid.I");
    double out = last_of(windup, "generalized-alpha", "", 0, 1e-3, 4.9, "pid");
    assert_true(fabs(I - (4 - 3 + 2 * 3 * 0.5)) < 1e-3);
    assert_true(out == 4);
    assert_true(last_of(windup, "generalized-alpha", "", 0, 1e-3, 5.3, "pid") < 0);
}

/* ---- sampled values -------------------------------------------------------------------------- */

/* A mass that a sampled controller holds: x+ = x + T v + T^2/2 u, v+ = v + T u, with
 * u = -k x - c (x - x_before)/T found at each sample. */
static const char sampled[] =
    "nutate: 1\n"
    "parameters: {T: 0.1, k: 2, c: 1.5, x0: 1}\n"
    "gravity: [0, 0, 0]\n"
    "bodies: {cart: {mass: 1, point: true, position: [x0, 0, 0]}}\n"
    "sampled:\n"
    "  pilot:\n"
    "    every: T\n"
    "    values: {u: \"-k*cart.position.x - c*(cart.position.x - old)/T\", old: cart.position.x,\n"
    "             count: count + 1, twice: count}\n"
    "    initial: {old: x0, count: 5}\n"
    "forces: {push: {type: force, on: cart, value: [u, 0, 0]}}\n"
    "simulation: {duration: 2, step: 1e-2}\n";

static void a_sampled_controller_is_a_difference_equation(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        double tolerance, step, error;
    } runs[] = {
        {"generalized-alpha", 0, 1e-2, 1e-13},
        {"generalized-alpha", 0, 0.037, 1e-13},
        {"generalized-alpha-soi2", 0, 1e-2, 1e-13},
        {"rkmk-dop853", 1e-9, 1e-2, 1e-13},
        {"rkmk-dopri5", 1e-9, 1e-2, 1e-13},
        {"semi-explicit-2", 0, 1e-2, 1e-13},
        {"theta", 0, 1e-2, 1e-13},
        {"stormer-verlet", 0, 1e-2, 1e-13},
        {"lie-newmark", 0, 1e-2, 1e-13},
        {"bdf", 1e-9, 1e-2, 1e-7},
    };
    double T = 0.1, k = 2, c = 1.5, x = 1, v = 0, old = 1, u = 0;
    for (int i = 0; i < 20; i++) {
        u = -k * x - c * (x - old) / T;
        old = x;
        x += T * v + T * T / 2 * u;
        v += T * u;
    }
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        double got = last_of(sampled, runs[i].method, "", runs[i].tolerance, runs[i].step, 2,
                             "cart.position.x");
        print_message("%-24s off by %.1e\n", runs[i].method, fabs(got - x));
        assert_true(fabs(got - x) < runs[i].error);
    }
    /* between samples the last one is held; those before stand at hand */
    assert_true(fabs(last_of(sampled, "rkmk-dop853", "", 1e-9, 1e-2, 1.95, "pilot.u") - u) < 1e-12);
    assert_true(last_of(sampled, "rkmk-dop853", "", 1e-9, 1e-2, 1.95, "count") == 25);
    assert_true(last_of(sampled, "rkmk-dop853", "", 1e-9, 1e-2, 1.95, "twice") == 24);
}

static void samplers_are_refused_at_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *sampler, *message;
        int column;
    } bad[] = {
        {"p: {every: 2, values: {u: 1}}",
         "sampled p.u: every: 2 s is longer than the run, which takes 1 s: no sample follows the "
         "first",
         26},
        {"p: {every: 0, values: {u: 1}}", "sampled p.u: every: 0 s, expected a time above zero",
         26},
        {"p: {every: 0.1, values: {u: y}}", "value: unknown name 'y'", 31},
        {"p: {every: 0.1, values: {e: 1}}",
         "sampled value 'e': quantities has this name already at 2:14", 28},
        {"p: {every: 0.1, values: {}}",
         "values of sampler 'p': expected expressions by name, got a mapping", 27},
        {"p: {every: 0.1}", "sampler 'p' lacks the key 'values'", 3},
        {"p: {every: 0.1, values: {u: 1}, initial: {v: 1}}",
         "initial of sampler 'p': 'v' is none of its values", 45},
        {"p: {every: 0.1, values: {u: rest.acceleration.x}}",
         "value: 'rest.acceleration.x' follows from the loads", 31},
        {"p: {every: t, values: {u: 1}}", "every: 't' is the time", 14},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[400];
        nt_run *run;
        nt_error error = {0};
        int length = snprintf(text, sizeof text,
                              "nutate: 1\nquantities: {e: t}\nsampled:\n  %s\n"
                              "simulation: {duration: 1, step: 1e-2}\n"
                              "bodies: {rest: {mass: 1, point: true}}\n",
                              bad[i].sampler);
        nt_status status = read_run_text(&run, text, (size_t)length, "bad", NULL, NULL, 0, &error);
        if (strncmp(error.message, bad[i].message, strlen(bad[i].message)) != 0)
            assert_string_equal(error.message, bad[i].message);
        assert_int_equal(status, NT_BAD_MODEL);
        assert_int_equal(error.line, 4);
        assert_int_equal(error.column, bad[i].column);
    }
}

/* ---- delays --------------------------------------------------------------------------------- */

/* x' = -x(t - T), x = 1 until t = 0: by the method of steps
 * x = sum over k with t > (k - 1) T of (-1)^k (t - (k - 1) T)^k / k!. */
static const char delayed[] = "nutate: 1\n"
                              "parameters: {T: 0.5}\n"
                              "gravity: [0, 0, 0]\n"
                              "bodies: {rest: {mass: 1, point: true}}\n"
                              "states: {x: {rate: \"-delay(x, T)\", initial: 1}}\n"
                              "quantities: {past: \"delay(x, T)\"}\n"
                              "simulation: {duration: 2, step: 1e-2}\n";

static double delayed_exact(double t)
{
    double sum = 1, T = 0.5, factor = -1;
    for (int k = 1; t > (k - 1) * T; k++, factor /= -k)
        sum += factor * pow(t - (k - 1) * T, k);
    return sum;
}

static void a_delay_agrees_with_the_method_of_steps(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        double tolerance, step, error, order;
    } runs[] = {
        {"generalized-alpha", 0, 0.0125, 1e-3, 2},
        {"generalized-alpha-soi2", 0, 0.0125, 1e-3, 2},
        {"semi-explicit-2", 0, 0.0125, 1e-3, 2},
        {"theta", 0, 0.0125, 1e-3, 2},
        {"rkmk-dopri5", 1e-9, 0.0125, 1e-7, 0},
        {"rkmk-dop853", 1e-9, 0.0125, 1e-7, 0},
        {"bdf", 1e-8, 0.0125, 1e-5, 0},
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        double off[2];
        for (int k = 0; k < 2; k++)
            off[k] = fabs(last_of(delayed, runs[i].method, "", runs[i].tolerance,
                                  runs[i].step / (1 + k), 2, "x") -
                          delayed_exact(2));
        print_message("%-24s off by %.1e, %.1e with half the step\n", runs[i].method, off[0],
                      off[1]);
        assert_true(off[0] < runs[i].error);
        if (runs[i].order > 0)
            assert_true(log2(off[0] / off[1]) > runs[i].order - 0.1);
    }
    double past = last_of(delayed, "rkmk-dop853", "", 1e-9, 0.0125, 1.7, "past");
    assert_true(fabs(past - delayed_exact(1.2)) < 1e-7);
}

/* y = t until 0.237 s, then 2 + t - 0.237; z' = y(t - 0.3), y = 0 before the start. */
static void a_jump_comes_back(void **state)
{
    static const char reset[] = "nutate: 1\n"
                                "bodies: {rest: {mass: 1, point: true}}\n"
                                "gravity: [0, 0, 0]\n"
                                "states: {y: {rate: 1}, z: {rate: \"delay(y, 0.3)\"}}\n"
                                "events: {reset: {when: t - 0.237, then: [{set: {y: 2}}]}}\n"
                                "simulation: {duration: 1, step: 2e-2}\n";
    static const struct {
        const char *method;
        double tolerance, error, order;
    } runs[] = {{"generalized-alpha", 0, 1e-5, 2},
                {"generalized-alpha-soi2", 0, 1e-5, 2},
                {"theta", 0, 1e-13, 0},
                {"semi-explicit-2", 0, 1e-13, 0},
                {"rkmk-dopri5", 0, 1e-13, 0},
                {"rkmk-dop853", 0, 1e-13, 0},
                {"bdf", 1e-8, 1e-6, 0}};
    const double exact = 0.237 * 0.237 / 2 + 2 * 0.463 + 0.463 * 0.463 / 2;
    (void)state;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        double off[2];
        for (int k = 0; k < 2; k++)
            off[k] =
                fabs(last_of(reset, runs[i].method, "", runs[i].tolerance, 0.02 / (1 + k), 1, "z") -
                     exact);
        print_message("%-24s off by %.1e, %.1e with half the step\n", runs[i].method, off[0],
                      off[1]);
        assert_true(off[0] < runs[i].error);
        if (runs[i].order > 0)
            assert_true(log2(off[0] / off[1]) > runs[i].order - 0.3);
    }
}

/* A fast spring with a delayed part: steps as long as its swings would leave the past to cubics
 * that are off by parts in a thousand, whatever the tolerance. */
static void a_tolerance_holds_with_a_delay(void **state)
{
    static const char spring[] =
        "nutate: 1\n"
        "gravity: [0, 0, 0]\n"
        "bodies: {b: {mass: 1, point: true, position: [1, 0, 0]}}\n"
        "forces: {f: {type: force, on: b, value: [\"-400*b.position.x - 60*delay(b.position.x, "
        "0.1)\", 0, 0]}}\n"
        "simulation: {duration: 2, step: 1e-3}\n";
    (void)state;
    double exact = last_of(spring, "rkmk-dop853", "", 0, 1e-4, 2, "b.position.x");
    double off = fabs(last_of(spring, "rkmk-dop853", "", 1e-9, 1e-3, 2, "b.position.x") - exact);
    print_message("off by %.1e of swings of 13 m\n", off);
    assert_true(off < 1e-7);
}

static void delays_are_refused_at_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *rate, *message;
    } bad[] = {
        {"-delay(x, 0)", "rate: a delay of 0 s, expected a time above zero"},
        {"-delay(x, 1e-3)",
         "rate: a delay of 0.001 s is shorter than the step of 0.01 s, expected one as long at "
         "least"},
        {"-delay(x, t)", "rate: delay of a time that changes: expected an expression of the "
                         "parameters behind the comma"},
        {"-delay(x, x)", "rate: delay of a time that changes: expected an expression of the "
                         "parameters behind the comma"},
        {"-delay(y, 1)", "rate: unknown name 'y'"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[400];
        nt_run *run;
        nt_error error = {0};
        int length = snprintf(text, sizeof text,
                              "nutate: 1\nbodies: {rest: {mass: 1, point: true}}\n"
                              "states:\n  x: {rate: \"%s\"}\n"
                              "simulation: {duration: 1, step: 1e-2}\n",
                              bad[i].rate);
        nt_status status = read_run_text(&run, text, (size_t)length, "bad", NULL, NULL, 0, &error);
        if (strncmp(error.message, bad[i].message, strlen(bad[i].message)) != 0)
            assert_string_equal(error.message, bad[i].message);
        assert_int_equal(status, NT_BAD_MODEL);
        assert_int_equal(error.line, 4);
    }
}

/* ---- tangents ------------------------------------------------------------------------------- */

/* States with motions of bodies, markers and joints, forces of all kinds with states. */
static const char tangled[] =
    "nutate: 1\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: [1, 2, 3], position: [0, 0, 0], angular_velocity: [1, 0.4, 2]}\n"
    "  b: {mass: 2, inertia: [2, 2, 3], position: [1, 0, 0]}\n"
    "  c: {mass: 1, point: true, position: [0, 2, 0], velocity: [0.3, 0.1, 0.2]}\n"
    "markers: {tip: {on: b, at: [0.2, 0.3, 0.1]}}\n"
    "joints:\n"
    "  pin: {type: spherical, between: [ground, a], at: [0, 0, 0.3]}\n"
    "  hinge: {type: revolute, between: [a, b], at: [0.5, 0, 0], axis: [0, 0.6, 0.8]}\n"
    "states:\n"
    "  x: {rate: \"sin(y) + hinge.angle*hinge.rate - c.velocity.y\", initial: 0.3}\n"
    "  y: {rate: \"tip.velocity.x*x - y^2 + a.angular_velocity.z\", initial: 0.6}\n"
    "  z: {rate: \"-z + x*y + cos(t)\", part: explicit}\n"
    "forces:\n"
    "  pull: {type: force, on: b, at: tip, value: [x, y*z, 1 + x^2], frame: body}\n"
    "  push: {type: force, on: c, value: [x*y, y, z], frame: ground}\n"
    "  twist: {type: torque, on: a, value: [y, x, x*tip.position.z]}\n"
    "  motor: {type: joint_torque, joint: hinge, value: x*hinge.rate - y}\n"
    "  cord: {type: line_force, between: [b, c], at: [tip, [0, 2, 0]], value: \"2*x - "
    "cord.length\"}\n"
    "  mount: {type: torsion_spring, joint: hinge, stiffness: 3 + x^2, damping: 1 + 0.1*y}\n"
    "simulation: {duration: 1, step: 1e-3}\n";

static void tangents_with_states_are_exact(void **state)
{
    (void)state;
    enum { ROOM = 40 };
    nt_run *run;
    nt_error error = {0};
    double q[ROOM], v[ROOM], vdot[ROOM], memory[ROOM], difference;
    if (read_run_text(&run, tangled, strlen(tangled), "tangled", NULL, NULL, 0, &error) != NT_OK)
        fail_msg("%s", error.message);
    const nt_system *s = nt_run_system(run);
    assert_int_equal(s->space.n_first, 3);
    nt_run_initial(run, q, v, memory);
    for (int i = 0; i < ROOM; i++)
        vdot[i] = 0.1 * (i % 7) - 0.2;
    v[3] = 0.7, v[8] = -0.4;
    nt_point at = {
        .t = 0.2, .q = q, .v = v, .vdot = vdot, .lambda = vdot, .mu = vdot, .memory = memory};
    if (nt_system_check_tangent(s, &at, 1e-6, &difference, &error) != NT_OK)
        fail_msg("%s", error.message);
    print_message("tangent off by %.1e\n", difference);
    assert_true(difference < 1e-8);
    char name[100];
    s->coordinate_name(s->self, s->space.nv - 1, name, sizeof name);
    assert_string_equal(name, "state z");
    destroy_run(run);
}

/* ---- what is refused ------------------------------------------------------------------------ */

static void what_makes_no_sense_is_refused_at_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *states, *message;
        int line, column;
    } bad[] = {
        {"x: {initial: 1}", "state 'x' lacks the key 'rate', expected a number or an expression", 4,
         3},
        {"x: {rate: -y}", "rate: unknown name 'y'; known here: m, t, x", 4, 14},
        {"x: {rate: b.acceleration.x}",
         "rate: 'b.acceleration.x' follows from the loads, so none can depend on it: expected an "
         "expression of t, parameters, positions and velocities",
         4, 13},
        {"b: {rate: 1}", "state 'b': there is a body of this name already at 6:10", 4, 3},
        {"m: {rate: 1}", "state 'm': there is a parameter of this name already at 2:14", 4, 3},
        {"x-y: {rate: 1}",
         "state name 'x-y' has a '-', which would subtract in an expression; expected letters, "
         "digits and _",
         4, 3},
        {"t: {rate: 1}", "a state cannot be named 't': that is the time in expressions", 4, 3},
        {"x: {rate: -x, initial: x}",
         "initial: 'x' changes with the motion: expected an expression of the parameters", 4, 26},
        {"x: -x", "state 'x': expected a mapping of keys, got '-x'", 4, 6},
        {"x: {rate: -x, inital: 2}", "unknown key 'inital' in state 'x'; did you mean 'initial'?",
         4, 17},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[400];
        nt_run *run;
        nt_error error = {0};
        int length = snprintf(text, sizeof text,
                              "nutate: 1\nparameters: {m: 1}\nstates:\n  %s\n"
                              "simulation: {duration: 1, step: 1e-2}\n"
                              "bodies: {b: {mass: m, point: true}}\n",
                              bad[i].states);
        nt_status status = read_run_text(&run, text, (size_t)length, "bad", NULL, NULL, 0, &error);
        assert_string_equal(error.message, bad[i].message);
        assert_int_equal(status, NT_BAD_MODEL);
        assert_int_equal(error.line, bad[i].line);
        assert_int_equal(error.column, bad[i].column);
    }
}

static void blocks_are_refused_at_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *block, *message;
        int column;
    } bad[] = {
        {"b: {type: transfer_function, input: y, numerator: [1], denominator: [1, 1]}",
         "b.input: unknown name 'y'", 39},
        {"b: {type: transfer_function, input: b, numerator: [1, 1], denominator: [1, 1]}",
         "b: 'b.highest' depends on itself: b.highest -> b.input -> b -> b.highest, expected no "
         "way back",
         39},
        {"b: {type: transfer_function, input: e, numerator: [1, 1, 3], denominator: [1, 1]}",
         "numerator of block 'b': of degree 2 over a denominator of degree 1, expected at most the "
         "same",
         53},
        {"b: {type: transfer_function, input: e, numerator: [1], denominator: [0, 1]}",
         "denominator of block 'b': the coefficient of its highest power is 0", 72},
        {"b: {type: transfer_func, input: e, numerator: [1], denominator: [1, 1]}",
         "type: expected one of transfer_function, state_space, pid, got 'transfer_func'; did you "
         "mean 'transfer_function'?",
         13},
        {"b: {type: state_space, inputs: [e], A: [[1, 2]], B: [1], C: [1]}",
         "A of block 'b': expected 1 row of 1 number, got a list of 1", 42},
        {"b: {type: pid, error: e}",
         "block 'b' has no gain, expected proportional, integral or derivative", 3},
        {"b: {type: pid, error: e, derivative: 3}",
         "derivative of block 'b': expected `filter`, a time constant, or `rate`, the rate of the "
         "error",
         40},
        {"b: {type: pid, error: e, integral: 3, limits: [2, 1], tracking: 1}",
         "limits of block 'b': 2 is not below 1", 49},
        {"e: {type: pid, error: 1, integral: 3}",
         "block 'e': quantities has this name already at 2:14", 3},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[400];
        nt_run *run;
        nt_error error = {0};
        int length = snprintf(text, sizeof text,
                              "nutate: 1\nquantities: {e: t}\nblocks:\n  %s\n"
                              "simulation: {duration: 1, step: 1e-2}\n"
                              "bodies: {rest: {mass: 1, point: true}}\n",
                              bad[i].block);
        nt_status status = read_run_text(&run, text, (size_t)length, "bad", NULL, NULL, 0, &error);
        if (strncmp(error.message, bad[i].message, strlen(bad[i].message)) != 0)
            assert_string_equal(error.message, bad[i].message);
        assert_int_equal(status, NT_BAD_MODEL);
        assert_int_equal(error.line, 4);
        if (i != 1) /* a circle may be entered anywhere */
            assert_int_equal(error.column, bad[i].column);
    }
}

/* Methods without a formula for x' = g name the state. */
static void methods_without_a_formula_refuse_by_name(void **state)
{
    (void)state;
    static const char *const methods[] = {"lie-newmark",    "lie-newmark-4",      "lie-newmark-6",
                                          "lie-euler",      "lie-euler-adjoint",  "lie-midpoint",
                                          "simo-wong",      "simo-wong-explicit", "akw",
                                          "stormer-verlet", "symplectic-euler"};
    nt_error error = {0};
    nt_run *run;
    assert_int_equal(read_run_text(&run, lag, strlen(lag), "lag", NULL, NULL, 0, &error), NT_OK);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        nt_integrator *integrator;
        nt_integrator_setup setup = {0};
        assert_int_equal(nt_run_setup(run, &setup, &error), NT_OK);
        setup.method = nt_method_find(methods[i]);
        assert_int_equal(nt_integrator_create(&integrator, &setup, &error), NT_UNSUPPORTED);
        assert_non_null(strstr(error.message, methods[i]));
        assert_non_null(
            strstr(error.message, "treats no unknowns of first order, the system has 1"));
        assert_int_equal(error.line, 5);
    }
    destroy_run(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lag_follows_its_solution_with_each_methods_order),
        cmocka_unit_test(a_controlled_carriage_is_an_exponential),
        cmocka_unit_test(blocks_respond_as_their_formulas),
        cmocka_unit_test(an_integral_does_not_wind_up),
        cmocka_unit_test(a_sampled_controller_is_a_difference_equation),
        cmocka_unit_test(samplers_are_refused_at_their_place),
        cmocka_unit_test(a_delay_agrees_with_the_method_of_steps),
        cmocka_unit_test(a_jump_comes_back),
        cmocka_unit_test(a_tolerance_holds_with_a_delay),
        cmocka_unit_test(delays_are_refused_at_their_place),
        cmocka_unit_test(tangents_with_states_are_exact),
        cmocka_unit_test(what_makes_no_sense_is_refused_at_its_place),
        cmocka_unit_test(blocks_are_refused_at_their_place),
        cmocka_unit_test(methods_without_a_formula_refuse_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
