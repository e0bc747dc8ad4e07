/* Linear models against modes, formulas and differences of whole runs. */
#include "analysis/found_modes.h"

#include <complex.h>

typedef struct linear {
    found f;
    nt_linear *l;
    nt_linear_matrices m;
} linear;

static void open_linear(linear *o, const char *text, nt_about about, const char *const *inputs,
                        int n_inputs, const char *const *outputs, int n_outputs)
{
    found_open(&o->f, text, about, (nt_modes_setup){0});
    const nt_linear_setup setup = {.run = o->f.run,
                                   .state = &o->f.state,
                                   .turn = o->f.turn,
                                   .inputs = inputs,
                                   .n_inputs = n_inputs,
                                   .outputs = outputs,
                                   .n_outputs = n_outputs,
                                   .steady = about != NT_ABOUT_INITIAL};
    if (nt_linear_create(&o->l, &setup, &o->f.error) != NT_OK)
        fail_msg("%s", o->f.error.message);
    o->m = nt_linear_get(o->l);
}

static void close_linear(linear *o)
{
    nt_linear_destroy(o->l);
    found_close(&o->f);
}

/* ---- modes are eigenvectors of A
 * ------------------------------------------------------------------- */

static void compare_with_modes(linear *o)
{
    int n = o->m.states, nv = o->m.velocities;
    double *x = calloc(4 * (size_t)n + 2 * (size_t)nv, sizeof *x);
    double *dv = x + 4 * n, *unused = dv + nv;
    assert_non_null(x);
    (void)unused;
    for (int i = 0; i < nt_modes_count(o->f.modes); i++) {
        nt_mode mode = nt_modes_at(o->f.modes, i);
        double sr = mode.eigenvalue[0], si = mode.eigenvalue[1], size = 0, off = 0;
        for (int part = 0; part < 2; part++) { /* about a state of rest dv = s y */
            for (int j = 0; j < nv; j++)
                dv[j] = part ? sr * mode.shape[1][j] + si * mode.shape[0][j]
                             : sr * mode.shape[0][j] - si * mode.shape[1][j];
            assert_int_equal(nt_linear_from_motion(o->l, mode.shape[part], dv, x + part * n),
                             NT_OK);
        }
        for (int row = 0; row < n; row++) {
            double re = 0, im = 0, wr = sr * x[row] - si * x[n + row];
            double wi = sr * x[n + row] + si * x[row];
            for (int k = 0; k < n; k++) {
                re += o->m.A[row * n + k] * x[k];
                im += o->m.A[row * n + k] * x[n + k];
                size = fmax(size, fabs(o->m.A[row * n + k]) * hypot(x[k], x[n + k]));
            }
            off = fmax(off, hypot(re - wr, im - wi));
        }
        if (!(off <= 1e-11 * size))
            fail_msg("mode %d: A x differs from s x by %g of %g", i, off, size);
    }
    free(x);
}

static const char mount[] =
    "nutate: 1\ngravity: [0, 0, -9.81]\nparameters: {push: 0}\n"
    "bodies:\n"
    "  crank: {mass: 2, inertia: [0.02, 0.03, 0.04], position: [0.3, 0, 0]}\n"
    "  rod: {mass: 1, inertia: [0.01, 0.02, 0.02], position: [0.8, 0, -0.1]}\n"
    "joints:\n"
    "  hinge: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 1, 0],\n"
    "    friction: {dry: 0, viscous: 0.4, slip: 1}}\n"
    "  knee: {type: spherical, between: [crank, rod], at: [0.6, 0, 0]}\n"
    "forces:\n"
    "  mount: {type: bushing, between: [ground, rod], at: [0.9, 0, -0.1],\n"
    "    stiffness: [900, 500, 700, 5, 6, 7], damping: [3, 2, 4, 0.1, 0.1, 0.1]}\n"
    "  shove: {type: force, on: rod, at: [1, 0, -0.1], value: [push, 0.5*push, 0]}\n"
    "simulation: {duration: 0.5, method: rkmk-dop853, step: 1e-3, tolerance: 1e-12}\n";

static void test_modes_are_eigenvectors(void **state)
{
    linear o;
    (void)state;
    open_linear(&o, mount, NT_ABOUT_STATIC, NULL, 0, NULL, 0);
    assert_int_equal(o.m.positions, 4);
    assert_int_equal(o.m.states, 8);
    compare_with_modes(&o);
    close_linear(&o);
}

/* ---- differences of whole runs
 * ---------------------------------------------------------------------- */

/* The end of a run from the state that the linear model is about, with the parameter set: `record`
 * of it, out[columns]. */
static void run_from(linear *o, const char *parameter, double value, double end, const char *record,
                     double *out)
{
    nt_error error = {0};
    nt_integrator *integrator = NULL;
    nt_integrator_setup setup = {0};
    nt_quantity_info quantity;
    const nt_system *system = nt_run_system(o->f.run);
    double *numbers = calloc(nt_state_room(system) + 1, sizeof *numbers);
    nt_state start;
    assert_non_null(numbers);
    nt_state_copy(&start, numbers, system, &o->f.state);
    if (nt_model_set(o->f.run, parameter, value, &error) ||
        nt_run_setup(o->f.run, &setup, &error) ||
        nt_integrator_create(&integrator, &setup, &error) ||
        nt_integrator_start(integrator, 0, start.q, start.v, start.memory, &error) ||
        nt_integrator_run(integrator, end, 1e-3, NULL, NULL, &error) ||
        nt_model_quantity(o->f.model, record, &quantity, &error))
        fail_msg("%s", error.message);
    nt_state last = nt_integrator_state(integrator);
    assert_int_equal(nt_run_sample(o->f.run, &quantity, &last, NULL, out, &error), NT_OK);
    nt_integrator_destroy(integrator);
    free(numbers);
}

/* x' = A x + B u(t) from zero by Runge and Kutta's classical method; then the outputs. */
static void follow_linear(const linear *o, double (*u)(double t, int derivative), double end,
                          double *out)
{
    enum { STEPS = 4000 };
    int n = o->m.states;
    double *x = calloc(6 * (size_t)n, sizeof *x), h = end / STEPS;
    assert_non_null(x);
    for (int step = 0; step < STEPS; step++) {
        static const double at[4] = {0, 0.5, 0.5, 1}, part[4] = {1, 2, 2, 1};
        double *sum = x + 4 * n, *rate = x + n, *from = x + 2 * n;
        memset(sum, 0, (size_t)n * sizeof *sum);
        memset(rate, 0, (size_t)n * sizeof *rate);
        for (int k = 0; k < 4; k++) {
            double now = u((step + at[k]) * h, 0);
            for (int i = 0; i < n; i++)
                from[i] = x[i] + at[k] * h * rate[i];
            for (int i = 0; i < n; i++) {
                rate[i] = o->m.B[i] * now;
                for (int j = 0; j < n; j++)
                    rate[i] += o->m.A[i * n + j] * from[j];
                sum[i] += part[k] * rate[i];
            }
        }
        for (int i = 0; i < n; i++)
            x[i] += h / 6 * sum[i];
    }
    for (int i = 0; i < o->m.outputs; i++) {
        out[i] = o->m.D[i] * u(end, 0) + o->m.D1[i] * u(end, 1) + o->m.D2[i] * u(end, 2);
        for (int j = 0; j < n; j++)
            out[i] += o->m.C[i * n + j] * x[j];
    }
    free(x);
}

static double constant(double t, int derivative) { return (void)t, derivative == 0; }
static double swing(double t, int derivative) /* from rest */
{
    return derivative == 0 ? 1 - cos(9 * t) : derivative == 1 ? 9 * sin(9 * t) : 81 * cos(9 * t);
}

static void compare_with_runs(const char *text, const char *parameter, const char *input,
                              double (*u)(double, int), const char *const *outputs, int n_outputs)
{
    static const double end = 0.37, h = 1e-3;
    linear o;
    double expected[64], runs[4][16];
    open_linear(&o, text, NT_ABOUT_STATIC, &input, 1, outputs, n_outputs);
    follow_linear(&o, u, end, expected);
    for (int i = 0, k = 0; i < n_outputs; i++) {
        nt_quantity_info quantity;
        assert_int_equal(nt_model_quantity(o.f.model, outputs[i], &quantity, NULL), NT_OK);
        for (int r = 0; r < 4; r++)
            run_from(&o, parameter, (r < 2 ? 1 : 2) * (r % 2 ? -h : h), end, outputs[i], runs[r]);
        double size = 0;
        for (int j = 0; j < quantity.columns; j++)
            size = fmax(size, fabs(expected[k + j]));
        for (int j = 0; j < quantity.columns; j++, k++) {
            double slope = (8 * (runs[0][j] - runs[1][j]) - (runs[2][j] - runs[3][j])) / (12 * h);
            if (!(fabs(slope - expected[k]) <= 2e-7 * fmax(size, 1e-3)))
                fail_msg("%s, column %d: runs give %.12g, the linear model %.12g", outputs[i], j,
                         slope, expected[k]);
        }
    }
    close_linear(&o);
}

static void test_load_against_runs(void **state)
{
    static const char *const outputs[] = {
        "rod.position",         "rod.velocity", "rod.acceleration", "crank.orientation",
        "rod.angular_velocity", "knee.force",   "hinge.angle",      "hinge.torque"};
    (void)state;
    compare_with_runs(mount, "push", "push", constant, outputs, 8);
}

/* The hinge is driven: the input is the motion itself, and accelerations follow its second
 * derivative. */
static void test_motion_against_runs(void **state)
{
    static const char *const outputs[] = {"rod.position", "rod.velocity", "rod.acceleration",
                                          "knee.force", "hinge.torque"};
    char text[2000];
    const char *friction = strstr(mount, "friction: {dry"), *end = strstr(mount, "  knee:");
    (void)state;
    snprintf(text, sizeof text, "%.*smotion: \"push*(1 - cos(9*t))\"}\n%s", (int)(friction - mount),
             mount, end);
    char *shove = strstr(text, "value: [push, 0.5*push, 0]");
    assert_non_null(shove);
    memcpy(shove, "value: [0, 0, 0]          ", 26);
    char *closed = strchr(shove, '}');
    assert_non_null(closed);
    compare_with_runs(text, "push", "hinge.motion", swing, outputs, 5);
}

/* ---- transfer functions
 * ------------------------------------------------------------------------------- */

/* m s^2 + c s + k */
static void test_response(void **state)
{
    const char *text =
        "nutate: 1\ngravity: [0, 0, 0]\nbodies: {cart: {mass: 2, point: true, position: [0, 0, "
        "0]}}\n"
        "joints: {rail: {type: inline, between: [ground, cart], at: [0, 0, 0], axis: [1, 0, 0]}}\n"
        "forces:\n"
        "  spring: {type: spring, between: [ground, cart], at: [[-1, 0, 0], [0, 0, 0]],\n"
        "    stiffness: 50, damping: 3, length: 1}\n"
        "  push: {type: force, on: cart, value: [0, 0, 0]}\n";
    static const char *const input[] = {"push.value.x"}, *const output[] = {"cart.position",
                                                                            "cart.acceleration"};
    linear o;
    double out[12];
    (void)state;
    open_linear(&o, text, NT_ABOUT_STATIC, input, 1, output, 2);
    assert_string_equal(nt_linear_output(o.l, 0), "cart.position.x");
    for (double w = 0.5; w < 50; w *= 1.7) {
        double re = 50 - 2 * w * w, im = 3 * w, size = re * re + im * im;
        assert_int_equal(nt_linear_response(o.l, w, out), NT_OK);
        found_close_to(out[0] * size / 100, re / 100, 1e-12);
        found_close_to(out[1] * size / 100, -im / 100, 1e-12);
        found_close_to(out[6], -w * w * out[0], 1e-12);
    }
    assert_int_equal(o.m.states, 2);
    close_linear(&o);
}

static void test_refusals(void **state)
{
    static const char *const names[] = {"pusch"};
    found f;
    nt_linear *l;
    (void)state;
    found_open(&f, mount, NT_ABOUT_STATIC, (nt_modes_setup){0});
    nt_linear_setup setup = {.run = f.run, .state = &f.state, .inputs = names, .n_inputs = 1};
    assert_int_equal(nt_linear_create(&l, &setup, &f.error), NT_INVALID);
    assert_non_null(strstr(f.error.message, "did you mean `push`?"));
    assert_non_null(strstr(f.error.message, "shove.value.x"));
    setup.n_inputs = 0, setup.outputs = names, setup.n_outputs = 1;
    assert_int_equal(nt_linear_create(&l, &setup, &f.error), NT_BAD_MODEL);
    found_close(&f);
}

/* The value of a torque along a joint, a number or a function: y'' of its angle is u/(J + m l^2),
 * the product C A B. Other runs of the model see nothing of it. */
static void test_laws_are_inputs(void **state)
{
    static const char *const values[] = {"0", "2 - 2*cos(t)"}, *const input[] = {"motor.value"};
    static const char *const output[] = {"pin.angle"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "nutate: 1\n"
                 "bodies: {rod: {mass: 2, inertia: [0.01, 0.5, 0.5], position: [0, 0, -1]}}\n"
                 "joints: {pin: {type: revolute, between: [ground, rod], at: [0, 0, 0], "
                 "axis: [0, 1, 0]}}\n"
                 "forces: {motor: {type: joint_torque, joint: pin, value: %s}}\n"
                 "simulation: {duration: 1, step: 1e-3}\n",
                 values[k]);
        linear o;
        double product = 0;
        open_linear(&o, text, NT_ABOUT_INITIAL, input, 1, output, 1);
        int n = o.m.states;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                product += o.m.C[i] * o.m.A[i * n + j] * o.m.B[j];
        assert_true(fabs(product - 1 / 2.5) < 1e-9);
        nt_run *other;
        double q[7], v[6], zero[6] = {0}, R[6] = {0};
        assert_int_equal(nt_run_create(&other, o.f.model, &o.f.error), NT_OK);
        nt_run_initial(other, q, v, NULL);
        nt_point at = {.q = q, .v = v, .vdot = zero, .lambda = zero, .mu = zero};
        nt_terms terms = {.parts = NT_EXPLICIT | NT_IMPLICIT, .residual = R};
        const nt_system *s = nt_run_system(other);
        assert_int_equal(s->evaluate(s->self, &at, &terms), NT_OK);
        assert_true(fabs(R[4]) < 1e-14);
        nt_run_destroy(other);
        close_linear(&o);
    }
}

/* ---- about a motion ---------------------------------------------------------------------------
 */

static const char folding[] =
    "nutate: 1\n"
    "parameters: {u: 0}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  a: {mass: 2, inertia: [0.1, 0.3, 0.2], position: [0.5, 0, 0], velocity: [0, 0, 0.5],\n"
    "      angular_velocity: [0, -1, 0]}\n"
    "  b: {mass: 1.5, inertia: [0.1, 0.2, 0.2], position: [1, 0, -0.4], velocity: [1.2, 0, 1],\n"
    "      angular_velocity: [0, -3, 0]}\n"
    "joints:\n"
    "  p: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, -1, 0]}\n"
    "  q: {type: revolute, between: [a, b], at: [1, 0, 0], axis: [0, -1, 0]}\n"
    "forces: {m: {type: joint_torque, joint: q, value: u - 0.2*q.rate}}\n"
    "simulation: {duration: 1, step: 1e-3}\n";

/* Outputs of the state that lies by h x beside that of the linear model, from the accelerations
 * there. */
static void beside(linear *o, nt_integrator *integrator, const double *x, double h,
                   const char *const *records, int n, double *out)
{
    nt_error error = {0};
    const nt_system *system = nt_run_system(o->f.run);
    double q[20], v[12], dq[12], dv[12];
    assert_int_equal(nt_linear_to_motion(o->l, x, dq, dv), NT_OK);
    for (int i = 0; i < system->space.nv; i++) {
        dq[i] *= h;
        v[i] = o->f.state.v[i] + h * dv[i];
    }
    nt_space_compose(&system->space, system->frame, o->f.state.q, dq, q);
    if (nt_integrator_start(integrator, 0, q, v, o->f.state.memory, &error))
        fail_msg("%s", error.message);
    nt_state at = nt_integrator_state(integrator);
    for (int i = 0; i < n; i++) {
        nt_quantity_info quantity;
        assert_int_equal(nt_model_quantity(o->f.model, records[i], &quantity, NULL), NT_OK);
        assert_int_equal(nt_run_sample(o->f.run, &quantity, &at, NULL, out, &error), NT_OK);
        out += quantity.columns;
    }
}

/* A double pendulum under way: C against differences of states beside it. The angles' rates are
 * theta' = c E p + c Z s with c constant, so that with Z' = E their second derivatives have
 * c Z A_s + 2 c E in the columns of s. */
static void test_motion_under_way(void **state)
{
    enum { COLUMNS = 4 + 3 + 3 };
    static const char *const input[] = {"u"};
    static const char *const records[] = {
        "p.angle", "q.angle", "p.rate", "q.rate", "a.angular_acceleration", "q.force"};
    const double h = 1e-5;
    linear o;
    nt_integrator_setup setup = {0};
    nt_integrator *integrator = NULL;
    nt_error error = {0};
    (void)state;
    open_linear(&o, folding, NT_ABOUT_INITIAL, input, 1, records, 6);
    if (nt_run_setup(o.f.run, &setup, &error) || nt_integrator_create(&integrator, &setup, &error))
        fail_msg("%s", error.message);
    assert_int_equal(o.m.states, 4);
    assert_int_equal(o.m.outputs, COLUMNS);
    const double *C = o.m.C, *A = o.m.A;
    for (int k = 0; k < 4; k++) {
        double x[4] = {k == 0, k == 1, k == 2, k == 3}, there[COLUMNS], back[COLUMNS];
        beside(&o, integrator, x, h, records, 6, there);
        beside(&o, integrator, x, -h, records, 6, back);
        for (int i = 0; i < COLUMNS; i++)
            found_close_to(C[4 * i + k], (there[i] - back[i]) / (2 * h), 2e-8);
    }
    for (int k = 2; k < 4; k++) { /* p'' is minus the angular acceleration about y */
        double second = 2 * C[4 * 2 + k - 2];
        for (int j = 0; j < 2; j++)
            second += C[4 * 0 + j] * A[4 * (2 + j) + k];
        found_close_to(second, -C[4 * 5 + k], 1e-11);
    }
    nt_integrator_destroy(integrator);
    close_linear(&o);
}

/* Without mass a velocity is no state: that of a node between dampers, and of unknowns of first
 * order. Against M s^2 + C s + K by hand, accelerations and reactions included. */
static void test_without_mass(void **state)
{
    const char *text =
        "nutate: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  a: {mass: 2, inertia: [0.01, 0.01, 0.01]}\n"
        "  m: {mass: 0, position: [0.5, 0, 0]}\n"
        "  b: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [1, 0, 0]}\n"
        "joints:\n"
        "  ra: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: [1, 0, 0],\n"
        "       motion: 0*t}\n"
        "  rm: {type: prismatic, between: [ground, m], at: [0.5, 0, 0], axis: [1, 0, 0]}\n"
        "  rb: {type: prismatic, between: [ground, b], at: [1, 0, 0], axis: [1, 0, 0]}\n"
        "states: {y: {rate: (rb.displacement + 0.3*ra.rate - y)/0.1}}\n"
        "forces:\n"
        "  s2: {type: spring, between: [a, m], stiffness: 200, damping: 3}\n"
        "  s3: {type: spring, between: [m, b], stiffness: 300, damping: 0.5}\n"
        "  f: {type: joint_force, joint: rb, value: -20*y}\n";
    static const char *const input[] = {"ra.motion"};
    static const char *const outputs[] = {"rm.displacement",  "rb.displacement", "m.velocity.x",
                                          "m.acceleration.x", "ra.force.x",      "y"};
    linear o;
    (void)state;
    open_linear(&o, text, NT_ABOUT_STATIC, input, 1, outputs, 6);
    assert_int_equal(o.m.states, 4);
    assert_int_equal(o.m.positions, 3);
    for (int i = 0; i < 3; i++) {
        const double complex j = CMPLX(0, 1);
        double complex s = j * pow(10, i - 0.5), a = 200 + 3 * s, b = 300 + 0.5 * s;
        double complex y = 1 / (0.1 * s + 1), c = b + s * s + 20 * y; /* of rb, rate of ra apart */
        double complex rb = (b * a / (a + b) - 20 * y * 0.3 * s) / (c - b * b / (a + b));
        double complex m = (a + b * rb) / (a + b);
        double complex expected[] = {
            m, rb, s * m, s * s * m, 2 * s * s + a * (1 - m), y * (rb + 0.3 * s)};
        double out[12];
        assert_int_equal(nt_linear_response(o.l, cimag(s), out), NT_OK);
        for (int k = 0; k < 6; k++) {
            double size = cabs(expected[k]);
            if (!(cabs(out[2 * k] + j * out[2 * k + 1] - expected[k]) <= 1e-9 * size))
                fail_msg("%s at %g rad/s: %.12g %+.12g i, expected %.12g %+.12g i", outputs[k],
                         cimag(s), out[2 * k], out[2 * k + 1], creal(expected[k]),
                         cimag(expected[k]));
        }
    }
    for (int i = 0; i < 4; i++) {
        double x[4] = {i == 0, i == 1, i == 2, i == 3}, dq[64], dv[64], back[4];
        assert_true(o.m.velocities <= 64);
        assert_int_equal(nt_linear_to_motion(o.l, x, dq, dv), NT_OK);
        assert_int_equal(nt_linear_from_motion(o.l, dq, dv, back), NT_OK);
        for (int k = 0; k < 4; k++)
            found_close_to(1 + back[k], 1 + x[k], 1e-12);
    }
    close_linear(&o);
}

/* What follows the others at once, or has no mass under way, is named. */
static void test_without_mass_refused(void **state)
{
    static const char text[] =
        "nutate: 1\nparameters: {c: %d}\n"
        "bodies: {m: {mass: 0}, b: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}}\n"
        "joints:\n"
        "  rm: {type: prismatic, between: [ground, m], axis: [1, 0, 0], at: [0, 0, 0]}\n"
        "  rb: {type: prismatic, between: [ground, b], axis: [1, 0, 0], at: [1, 0, 0]}\n"
        "forces:\n"
        "  s: {type: spring, between: [m, b], stiffness: 300, damping: c}\n"
        "  g: {type: spring, between: [ground, m], at: [[-1, 0, 0], [0, 0, 0]], stiffness: 300}\n";
    static const struct {
        int damping;
        const char *word;
        nt_about about;
        nt_status status;
    } wrong[] = {{0, "neither mass nor damping", NT_ABOUT_STATIC, NT_SINGULAR},
                 {1, "under way", NT_ABOUT_INITIAL, NT_UNSUPPORTED}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        char whole[1200];
        found f;
        nt_linear *l = NULL;
        snprintf(whole, sizeof whole, text, wrong[i].damping);
        found_open(&f, whole, NT_ABOUT_STATIC, (nt_modes_setup){0});
        const nt_linear_setup setup = {
            .run = f.run, .state = &f.state, .steady = wrong[i].about == NT_ABOUT_STATIC};
        assert_int_equal(nt_linear_create(&l, &setup, &f.error), wrong[i].status);
        assert_null(l);
        assert_non_null(strstr(f.error.message, wrong[i].word));
        assert_non_null(strstr(f.error.message, "translation of body m along x"));
        found_close(&f);
    }
}

/* With a delay of 50 N/m the carriage rests at 10/(100 + 50) m; what is held of it at the start is
 * its place there. */
static void test_delays_refused(void **state)
{
    const char *text =
        "nutate: 1\ngravity: [0, 0, 0]\nbodies: {a: {mass: 2, inertia: [1, 1, 1]}}\n"
        "joints: {r: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: [1, 0, 0]}}\n"
        "forces:\n"
        "  s: {type: joint_spring, joint: r, stiffness: 100}\n"
        "  f: {type: joint_force, joint: r, value: '10 - 50*delay(r.displacement, 0.05)'}\n";
    nt_model *model;
    nt_run *run;
    nt_error error = {0};
    nt_reference *reference = NULL;
    nt_linear *l = NULL;
    nt_modes *modes = NULL;
    (void)state;
    if (nt_model_read_text(&model, text, strlen(text), "model", NULL, NULL, 0, &error) ||
        nt_run_create(&run, model, &error))
        fail_msg("%s", error.message);
    assert_int_equal(nt_reference_create(&reference, run, NT_ABOUT_STATIC, &error), NT_UNSUPPORTED);
    assert_non_null(strstr(error.message, "a delay"));
    assert_int_equal(nt_reference_create(&reference, run, NT_ABOUT_INITIAL, &error), NT_OK);
    nt_state initial = nt_reference_state(reference);
    const nt_modes_setup of_modes = {.system = nt_run_system(run), .state = &initial};
    assert_int_equal(nt_modes_create(&modes, &of_modes, &error), NT_UNSUPPORTED);
    const nt_linear_setup setup = {.run = run, .state = &initial};
    assert_int_equal(nt_linear_create(&l, &setup, &error), NT_UNSUPPORTED);
    assert_non_null(strstr(error.message, "a delay"));
    nt_reference_destroy(reference);
    nt_run_destroy(run);
    nt_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_motion_under_way),
        cmocka_unit_test(test_modes_are_eigenvectors),
        cmocka_unit_test(test_load_against_runs),
        cmocka_unit_test(test_motion_against_runs),
        cmocka_unit_test(test_response),
        cmocka_unit_test(test_laws_are_inputs),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_without_mass),
        cmocka_unit_test(test_without_mass_refused),
        cmocka_unit_test(test_delays_refused),
    };
    return cmocka_run_group_tests_name("linearise", tests, NULL, NULL);
}
