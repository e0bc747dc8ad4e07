/* Derivatives of bearings in what their geometry is made of: small differences of large lengths. */
#include "tests/model/mechanism.h"
#include "tests/model/parameter_cases.h"

#include <nutate/method.h>
#include <nutate/sensitivity.h>

static const char preloaded[] =
    "nutate: 1\n"
    "gravity: [0, 0, 0]\n"
    "bodies: {shaft: {mass: 0.8, inertia: [2e-3, 2e-3, 1e-4]}}\n"
    "bearings:\n"
    "  b: {balls: 9, ball_diameter: 9.525e-3, pitch_diameter: 46e-3, outer: ground, inner: shaft,\n"
    "      at: [0, 0, -0.05], axis: [0, 0, 1], clearance: play}\n";

/* The value of a quantity after a run of `steps` steps of size h, and its derivative in the first
 * parameter. */
static void value_and_derivative(const char *text, nt_frame frame, int steps, double h,
                                 const char *name, double *f, double *derivative)
{
    static const int first = 0;
    mechanism m = mechanism_read(text);
    nt_error error = {0};
    nt_sensitivity *sensitivity;
    nt_quantity_info quantity;
    nt_integrator_setup setup = {.system = nt_run_system(m.run),
                                 .method = nt_method_find("semi-explicit-2"),
                                 .frame = frame,
                                 .track_work = 1};
    assert_int_equal(nt_integrator_create(&m.integrator, &setup, &error), NT_OK);
    assert_int_equal(nt_sensitivity_create(&sensitivity, m.integrator, &first, 1, &error), NT_OK);
    assert_int_equal(nt_integrator_start(m.integrator, 0, m.q, m.v, m.memory, &error), NT_OK);
    assert_int_equal(nt_sensitivity_start(sensitivity, &error), NT_OK);
    if (steps > 0)
        mechanism_run(&m, steps * h, h);
    nt_state now = nt_integrator_state(m.integrator);
    nt_state_tangent t = nt_sensitivity_state(sensitivity, 0);
    nt_state_rate rate = {
        .dq = t.q, .dv = t.v, .dvdot = t.vdot, .dlambda = t.lambda, .work = t.work, .parameter = 0};
    assert_int_equal(nt_model_quantity(nt_run_model(m.run), name, &quantity, &error), NT_OK);
    assert_int_equal(nt_run_sample(m.run, &quantity, &now, NULL, f, &error), NT_OK);
    assert_int_equal(
        nt_run_sample_tangent(m.run, &quantity, 1, &now, NULL, &rate, NULL, derivative, &error),
        NT_OK);
    nt_sensitivity_destroy(sensitivity);
    mechanism_close(&m);
}

/* Balls of a preloaded bearing at rest press both rings with K (-play)^1.5, so that the derivative
 * is 1.5 N/play, however small the preload is beside the lengths that differences are taken over:
 * beyond no preload balls have play, and no difference that reaches there is right. */
static void derivatives_of_a_preload(void **state)
{
    (void)state;
    static const char *const names[] = {"b.ball1.inner.force", "b.ball5.outer.force"};
    for (double play = -2e-5; play < -1e-7; play /= 3)
        for (int i = 0; i < 2; i++) {
            char text[1000];
            double N, derivative;
            snprintf(text, sizeof text, "%sparameters: {play: %.17g}\n", preloaded, play);
            value_and_derivative(text, NT_INERTIAL, 0, 1, names[i], &N, &derivative);
            CLOSE(derivative, 1.5 * N / play, 1e-6 * fabs(1.5 * N / play));
        }
}

/* A 6305 under some 10 kN whose friction is taken along its chord in steps of 1 us, with a ring
 * that is driven, or free. */
static const char loaded[] =
    "nutate: 1\n"
    "gravity: [0, 0, 0]\n"
    "parameters: {%s}\n"
    "bodies: {ring: {mass: 0.1, inertia: [1e-5, 1e-5, 1e-5], position: [0, -1.1e-4, 1e-5],\n"
    "         angular_velocity: [0, 0, 1047]}}\n"
    "forces: {load: {type: force, on: ring, value: [0, -1e4*(1 + a), 500]}}\n"
    "bearings: {set: {designation: \"6305\", outer: ground, inner: ring, axes: [[0, 0, 1], [0, 0, "
    "1]],\n"
    "           points: [[0, 0, 0], [0, 0, 0]], clearance: 5e-5,\n"
    "           ball_diameter: 11.509e-3*(1 + 1e-2*b), material: {density: 7800*(1 + c)},\n"
    "           pitch_diameter: 43.5e-3*(1 + 1e-2*d), inner_flaw: {angle: -1.6, width: 0.6,\n"
    "           depth: 5e-6*(1 + e)}, %s}}\n"
    "%s";

/* Of what is lost after some steps: by parameter k at `value`, with its derivative. */
static double loss_by(const char *law, const char *joints, nt_frame frame, int k, double value,
                      double *derivative)
{
    char text[2000], values[200];
    double loss;
    int used = snprintf(values, sizeof values, "%c: %.17g", 'a' + k, value);
    for (char name = 'a'; name <= 'g'; name++)
        if (name != 'a' + k)
            used += snprintf(values + used, sizeof values - (size_t)used, ", %c: 0", name);
    snprintf(text, sizeof text, loaded, values, law, joints);
    value_and_derivative(text, frame, 20, 1e-6, "set.power", &loss, derivative);
    return loss;
}

/* Derivatives are those of the steps, what the chords change among it: without that they were off
 * by half of themselves and more. */
static void derivatives_along_chords(void **state)
{
    (void)state;
    static const char *const laws[] = {
        "traction: {friction: 0.05*(1 + f), slip: 0.05*(1 + g)}",
        "traction: {law: film, slip: 0.005*(1 + g)}, lubricant: {viscosity: 0.02*(1 + f)}",
        "traction: {law: four_parameter, curve: [-0.02, 0.25*(1 + f), 2, 0.02], slip: "
        "1e-3*(1 + g)}"};
    static const char *const joints[] = {
        "", "joints: {drive: {type: parallel, between: [ground, ring], at: [0, 0, 0],\n"
            "         axis: [0, 0, 1], motion: 1047*t}}\n"};
    static const double BY = 1e-5;
    for (int i = 0; i < 12; i++)
        for (int k = 0; k < 7; k++) {
            double exact, other;
            const char *law = laws[i / 4], *with = joints[i % 2];
            nt_frame frame = i % 4 < 2 ? NT_INERTIAL : NT_BODY;
            double loss = loss_by(law, with, frame, k, 0, &exact);
            double change = loss_by(law, with, frame, k, BY, &other) -
                            loss_by(law, with, frame, k, -BY, &other);
            CLOSE(exact, change / (2 * BY), 1e-5 * fabs(exact) + 1e-6 * fabs(loss));
        }
}

/* Numbers of all kinds; each parameter moves indentations by a small part of themselves. */
static const char varied[] =
    "nutate: 1\n"
    "gravity: [0, 0, 0]\n"
    "parameters: {a: 0, b: 0, c: 0, d: 0, e: 0, f: 0, g: 0, h: 0, i: 0, j: 0, k: 0}\n"
    "bodies: {shaft: {mass: 0.8, inertia: [2e-3, 2e-3, 1e-4], angular_velocity: [0, 0, 300]}}\n"
    "bearings:\n"
    "  set: {balls: 3, ball_diameter: 12e-3*(1 + 1e-3*a), pitch_diameter: 50e-3*(1 + 1e-3*b),\n"
    "      inner_groove: 0.52 + 1e-4*c, outer_groove: 0.53 - 1e-4*d, contact_angle: 0.2 + 1e-2*e,\n"
    "      clearance: -1.2e-4*(1 + 0.1*f), outer: ground, inner: shaft,\n"
    "      points: [[1e-5*g, 0, 2e-5*g], [0, 1e-5*g, 0]], axes: [[1e-3*h, 0, 1], [0, 1e-3*h, 1]],\n"
    "      material: {E: 2e11*(1 + 0.3*i), nu: 0.3 + 0.1*i}, damping: 0.3*(1 + i),\n"
    "      outer_flaw: {angle: 0.1*j - 0.02, width: 0.2*(1 + j), depth: 1e-5*(1 + j)},\n"
    "      inner_waviness: {orders: [3, 7], amplitudes: [3e-6, 2e-6*(1 + j)], phases: [j, 0.3]},\n"
    "      cage: {mass: 6e-3, inertia: [1.7e-6, 1.7e-6, 3.2e-6], pocket: %s,\n"
    "             pocket_clearance: 2e-4*(1 + 0.1*k), friction: 0.1 + k, slip: 0.03 + 0.01*k},\n"
    "      rolling: {resistance: %s, slip: 1 + i}, %s}\n";

/* Exact derivatives of the forces of contacts against differences, beside preloads that press balls
 * in by 30 um and pockets by 50 um. Places are rounded to 1e-18 m, and forces with them to 1e-10 N.
 */
static void derivatives_in_all_numbers(void **state)
{
    (void)state;
    static const char *const laws[][3] = {
        {"cylindrical", "1e-5*(1 + i)", "traction: {friction: 0.1 + 0.1*i, slip: 0.02 + 0.01*i}"},
        {"spherical", "0",
         "traction: {law: four_parameter, curve: [-0.02, 0.25*(1 + i), 2 + i, "
         "0.02]}"},
        {"cylindrical", "1e-5*i",
         "traction: {law: film}, lubricant: {viscosity: 0.03*(1 + i), "
         "limit: 0.08 + 0.1*i, pressure_coefficient: 2e-8*(1 + i)}"}};
    for (int i = 0; i < 3; i++) {
        char text[3000];
        double memory[400], dq[MOST] = {0};
        unsigned seed = 3;
        snprintf(text, sizeof text, varied, laws[i][0], laws[i][1], laws[i][2]);
        nt_run *run = read_model(text);
        const nt_system *s = nt_run_system(run);
        int nv = s->space.nv;
        double *q = memory, *v = q + s->space.nq, *zero = v + nv, *kept = zero + nv;
        memset(memory, 0, sizeof memory);
        nt_run_initial(run, q, v, kept);
        for (int k = 0; k < nv; k++) {
            bool turns = k / 3 % 2 == 1, is_ball = k >= 6 && k < nv - 6;
            dq[k] = (!turns ? 2e-6 : is_ball ? 0.3 : 1e-4) * random_number(&seed);
            v[k] += random_number(&seed);
        }
        dq[nv - 6] += 1.5e-4; /* the cage */
        nt_space_compose(&s->space, NT_INERTIAL, q, dq, q);
        nt_point at = {.q = q, .v = v, .vdot = zero, .lambda = zero, .mu = zero, .memory = kept};
        for (int k = 0; k < s->n_parameters; k++) {
            double exact[MOST] = {0}, reference[MOST];
            evaluation by = {&at, NT_EXPLICIT, NT_VELOCITY};
            nt_terms terms = {.parts = NT_EXPLICIT, .residual = exact};
            assert_int_equal(s->parameter_tangent(s->self, &at, k, &terms), NT_OK);
            differences(run, k, 1, residual_and_rows, &by, nv, reference);
            for (int x = 0; x < nv; x++)
                CLOSE(exact[x], reference[x], 3e-7 * largest(reference, nv));
        }
        /* the last parameter is the pockets' alone, which are not among a ball's own damping */
        double own[MOST] = {0};
        nt_terms dampers = {.parts = NT_EXPLICIT | NT_OWN_DAMPERS, .residual = own};
        assert_int_equal(s->parameter_tangent(s->self, &at, s->n_parameters - 1, &dampers), NT_OK);
        for (int x = 0; x < nv; x++)
            CLOSE(own[x], 0, 0);
        destroy_run(run);
    }
}

/* What the pitch diameter moves and what that presses in cancel to seven digits; the rest is that
 * of differences of whole runs over steps of 30 um to 1 mm, which agree to 1e-4. */
static void derivatives_that_almost_cancel(void **state)
{
    (void)state;
    static const char pair[] =
        "nutate: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "parameters: {dm: 46e-3}\n"
        "bodies: {shaft: {mass: 0.8, inertia: [2e-3, 2e-3, 1e-4], angular_velocity: [0, 0, 600]}}\n"
        "forces: {pull: {type: force, on: shaft, value: [150, -200, 80]}}\n"
        "bearings:\n"
        "  l: {balls: 9, ball_diameter: 9.525e-3, pitch_diameter: dm, outer: ground, inner: "
        "shaft,\n"
        "      at: [0, 0, -0.05], axis: [0, 0, 1], clearance: -6e-6}\n"
        "  r: {balls: 9, ball_diameter: 9.525e-3, pitch_diameter: dm, outer: ground, inner: "
        "shaft,\n"
        "      at: [0, 0, 0.05], axis: [0, 0, 1], clearance: -6e-6}\n";
    double load[3], derivative[3];
    value_and_derivative(pair, NT_INERTIAL, 500, 1e-6, "r.load", load, derivative);
    CLOSE(derivative[0], -35.94395, 1e-4);
    CLOSE(derivative[1], 29.39773, 1e-4);
}

/* The work by what moves the races: balls meet a race within the last steps, by nanometres at
 * places where the power is taken. The power changes by 3e7 W/m with the race and by as much with
 * where the ball is, but for one part in ten thousand. Beside differences of whole runs. */
static void derivative_of_work_where_balls_meet_a_race(void **state)
{
    (void)state;
    static const char driven[] =
        "nutate: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  shaft: {mass: 0.4, inertia: [4e-4, 4e-4, 1e-4], angular_velocity: [0, 0, 600]}\n"
        "joints:\n"
        "  drive: {type: parallel, between: [ground, shaft], at: [0, 0, 0], axis: [0, 0, 1],\n"
        "          motion: 600*t - 4e5*t^2}\n"
        "forces: {axial: {type: force, on: shaft, value: [30, 20*sin(3000*t), 400]}}\n"
        "bearings:\n"
        "  p: {balls: 11, ball_diameter: 8e-3, pitch_diameter: d, inner_groove: 0.52,\n"
        "      outer_groove: 0.525, contact_angle: 0.35, clearance: 0, outer: ground, inner: "
        "shaft,\n"
        "      at: [0, 0, 0], axis: [0, 0, 1], traction: {law: film, slip: 0.03},\n"
        "      lubricant: {viscosity: 0.03, pressure_coefficient: 1.8e-8},\n"
        "      rolling: {resistance: 2e-6}, inner_waviness: {orders: [5], amplitudes: [4e-7]},\n"
        "      outer_flaw: {angle: 0.3, width: 0.05, depth: 2e-6},\n"
        "      cage: {mass: 0.01, inertia: [2e-6, 2e-6, 4e-6], pocket: spherical,\n"
        "             pocket_clearance: 2.4e-4, friction: 0.2}, start: {cage: 0.96}}\n";
    const double pitch = 48e-3, aside = 1e-7;
    double work[3], derivative[3];
    for (int i = 0; i < 3; i++) {
        char text[2000];
        snprintf(text, sizeof text, "%sparameters: {d: %.17g}\n", driven, pitch + (i - 1) * aside);
        value_and_derivative(text, NT_INERTIAL, 160, 1e-6, "energy.work", &work[i], &derivative[i]);
    }
    CLOSE(derivative[1], (work[2] - work[0]) / (2 * aside), 1e-4);
}

/* A law of an exponent that happens to be that of Hertz changes with it. */
static void derivative_in_an_exponent(void **state)
{
    (void)state;
    static const char pressed[] =
        "nutate: 1\n"
        "parameters: {n: 1.5}\n"
        "bodies: {ball: {mass: 2, inertia: [0.8, 0.8, 0.8], position: [0, 0, 0.99]}}\n"
        "contacts: {floor: {type: sphere_plane, between: [ground, ball], radius: 1,\n"
        "           plane: {normal: [0, 0, 1]}, stiffness: 2e4, exponent: n}}\n";
    double N, derivative;
    value_and_derivative(pressed, NT_INERTIAL, 0, 1, "floor.normal_force", &N, &derivative);
    CLOSE(derivative, N * log(0.01), 1e-9 * N);
    value_and_derivative(pressed, NT_INERTIAL, 100, 1e-5, "ball.velocity.z", &N, &derivative);
    CLOSE(derivative, 2e4 / 2 * pow(0.01, 1.5) * log(0.01) * 1e-3, 2e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_along_chords),
        cmocka_unit_test(derivatives_in_all_numbers),
        cmocka_unit_test(derivatives_that_almost_cancel),
        cmocka_unit_test(derivative_of_work_where_balls_meet_a_race),
        cmocka_unit_test(derivative_in_an_exponent),
        cmocka_unit_test(derivatives_of_a_preload),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
