/* Sensitivities of whole runs against differences of runs and against exact values. */
#include "run_of.h"

/* The heavy top with its mass, arm and moment of inertia as parameters. Exact sensitivities at t =
 * 0.1 s: 34-digit Taylor series of the variational equations. */
static const char top[] = "nutate: 1\n"
                          "parameters: {m: 15, J: 0.46875, arm: 1, w: 150}\n"
                          "gravity: [0, 0, -9.81]\n"
                          "bodies:\n"
                          "  top:\n"
                          "    mass: m\n"
                          "    inertia: [0.234375, J, 0.234375]\n"
                          "    position: [0, arm, 0]\n"
                          "    angular_velocity: [0, w, -4.61538]\n"
                          "joints:\n"
                          "  pivot: {type: spherical, between: [ground, top], at: [0, 0, 0]}\n"
                          "simulation: {duration: 0.1, step: 1e-3}\n";

static const double dx_dm[3] = {.0025536094044625, -.0001472450821071, .0063292842269713};
static const double dx_dJ[3] = {-.083274036967465, .0046611015992139, -.20724328593118};
static const double dforce_dm[3] = {-2.8939588869155, -22.520709062818, -4.438442442078};

/* Newton down to rounding: the derivative of the scheme, not of its tolerance. */
static const nt_option tight[] = {{"tolerance_relative", "1e-14"},
                                  {"tolerance_length", "1e-14"},
                                  {"tolerance_angle", "1e-14"},
                                  {"tolerance_force", "1e-12"},
                                  {"tolerance_moment", "1e-12"}};
enum { TIGHT = sizeof tight / sizeof tight[0] };

static bool has_tolerances(const char *method)
{
    return nt_method_check_option(nt_method_find(method), &tight[0], NULL) == NT_OK;
}

static run_of begin(const char *text, const char *method, nt_frame frame, const double *p,
                    const int *wanted, int n)
{
    nt_integrator_setup setup = {.method = nt_method_find(method),
                                 .options = tight,
                                 .n_options = has_tolerances(method) ? TIGHT : 0,
                                 .frame = frame};
    run_of r = run_of_text(text, p);
    run_of_start(&r, setup, wanted, n);
    return r;
}

/* x, velocities and the reaction on the top at time `look`, inside the last step or at its end, by
 * a whole run to t with parameter k at p + offset */
static void whole(const char *method, nt_frame frame, int k, double offset, double h, double t,
                  double look, double out[12])
{
    double p[4] = {15, 0.46875, 1, 150};
    p[k] += offset;
    run_of r = begin(top, method, frame, p, NULL, 0);
    nt_state state;
    run_to(&r, t, h);
    assert_int_equal(nt_integrator_dense(r.integrator, look, &state), NT_OK);
    memcpy(out, state.q, 3 * sizeof *out);
    memcpy(out + 3, state.v, 6 * sizeof *out);
    memcpy(out + 9, state.lambda, 3 * sizeof *out);
    end(&r);
}

/* Sixth-order differences of such runs, steps of 0.4 to 1.2 % of each parameter, against the
 * sensitivities: truncation and rounding below 1e-9. Multipliers of implicit methods carry a
 * rounding of eps m/(beta h^2), about 5e-9 N, which the quotient divides by steps from 0.002. */
static void compare(run_of *r, const char *method, nt_frame frame, int k, double h, double t,
                    double look, bool explicit)
{
    static const double scale[4] = {15, 0.46875, 1, 150}, weight[3] = {.75, -.15, 1.0 / 60};
    double derivative[12] = {0}, moved[12], step = 0.004 * scale[k], size[4] = {0}, off[4] = {0};
    for (int j = 1; j <= 3; j++)
        for (int sign = -1; sign <= 1; sign += 2) {
            whole(method, frame, k, sign * j * step, h, t, look, moved);
            for (int i = 0; i < 12; i++)
                derivative[i] += sign * weight[j - 1] / step * moved[i];
        }
    nt_state_tangent d;
    assert_int_equal(nt_sensitivity_dense(r->sensitivity, k, look, &d), NT_OK);
    for (int i = 0; i < 12; i++) {
        double value = i < 3 ? d.q[i] : i < 9 ? d.v[i - 3] : d.lambda[i - 9];
        size[i / 3] = fmax(size[i / 3], fabs(derivative[i]));
        off[i / 3] = fmax(off[i / 3], fabs(value - derivative[i]));
    }
    for (int part = 0; part < 4; part++)
        if (!(off[part] <= (part < 3 || explicit ? 1e-9 : 5e-7) * size[part]))
            fail_msg("%s, frame %d, parameter %d, part %d at %g s: off by %.3g of %.3g", method,
                     (int)frame, k, part, look, off[part], size[part]);
}

/* At the end of a step and twice inside it. Runge-Kutta methods turn the top by 0.6 rad in a step:
 * differentiated to first order alone their way back to the constraints is off by 2e-5, and cubic
 * interpolation by 1e-4. */
static void equals_differences_of_runs(void **unused)
{
    (void)unused;
    static const char *const methods[] = {"generalized-alpha",
                                          "generalized-alpha-linear",
                                          "generalized-alpha-residual",
                                          "generalized-alpha-soi2",
                                          "semi-explicit",
                                          "semi-explicit-2",
                                          "theta",
                                          "rkmk-dopri5",
                                          "rkmk-dop853"};
    static const int wanted[4] = {0, 1, 2, 3};
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++)
        for (nt_frame frame = NT_INERTIAL; frame <= NT_SE3; frame++) {
            if (!nt_method_has_frame(nt_method_find(methods[m]), frame))
                continue;
            bool explicit = strncmp(methods[m], "rkmk", 4) == 0;
            double h = explicit ? 4e-3 : 1e-3, t = 0.02;
            run_of r = begin(top, methods[m], frame, NULL, wanted, 4);
            run_to(&r, t, h);
            for (int k = 0; k < 4; k++) {
                compare(&r, methods[m], frame, k, h, t, t, explicit);
                compare(&r, methods[m], frame, k, h, t, t - 0.3 * h, explicit);
                compare(&r, methods[m], frame, k, h, t, t - 0.8 * h, explicit);
            }
            end(&r);
        }
}

/* Second order towards the exact sensitivities of the motion. */
static void converges_to_the_exact_values(void **unused)
{
    (void)unused;
    static const int wanted[2] = {0, 1};
    double off[2][3] = {{0}};
    for (int level = 0; level < 2; level++) {
        run_of r = begin(top, "generalized-alpha", NT_INERTIAL, NULL, wanted, 2);
        run_to(&r, 0.1, level == 0 ? 5e-4 : 2.5e-4);
        nt_state_tangent m = nt_sensitivity_state(r.sensitivity, 0);
        for (int i = 0; i < 3; i++) {
            off[level][0] = fmax(off[level][0], fabs(m.q[i] - dx_dm[i]));
            off[level][1] = fmax(off[level][1], fabs(m.lambda[i] - dforce_dm[i]));
        }
        nt_state_tangent J = nt_sensitivity_state(r.sensitivity, 1);
        for (int i = 0; i < 3; i++)
            off[level][2] = fmax(off[level][2], fabs(J.q[i] - dx_dJ[i]));
        end(&r);
    }
    for (int i = 0; i < 3; i++)
        CLOSE(log2(off[0][i] / off[1][i]), 2, 0.1);
    assert_true(off[1][0] < 1e-4 && off[1][2] < 1e-2);
}

/* A body held twice at the same point, so that rows are left out, with another one and a point on a
 * spring: blocks of both kinds, more parameters than go side by side. */
static const char several[] =
    "nutate: 1\n"
    "parameters: {m: 2, J: 0.3, L: 0.7, w: 3, k: 40, n: 1.5, d: 0}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  a: {mass: m, inertia: [J, 0.4, 0.5], position: [L, 0, 0], angular_velocity: [0.3, w, 0.2]}\n"
    "  b: {mass: n, inertia: [0.2, 0.3, 0.25], position: [2*L, 0.1, 0]}\n"
    "  c: {mass: 0.5, point: true, position: [2*L, 1, 0.2]}\n"
    "joints:\n"
    "  pivot: {type: spherical, between: [ground, a], at: [0, 0, 0]}\n"
    "  again: {type: spherical, between: [ground, a], at: [0, 0, 0]}\n"
    "  elbow: {type: spherical, between: [a, b], at: [1.5*L, 0, 0]}\n"
    "forces:\n"
    "  spring: {type: spring, between: [b, c], at: [[2*L, 0.3, 0], [2*L, 1, 0.2]], stiffness: k,\n"
    "           damping: d, length: 0.5}\n"
    "simulation: {duration: 0.1, step: 2e-3}\n";

/* Rounding, four times what was seen: of positions and velocities; of accelerations and
 * multipliers, eps/h^2 with h = 2e-3 over sixty steps; and where interpolation is differenced, in
 * the frame se3 that of 6 x 6 maps. */
static const double TOGETHER = 5e-12, TOGETHER_FORCES = 5e-9, BETWEEN = 5e-10, BETWEEN_SE3 = 2e-9;

static void same(const double *a, const double *b, int n, double tolerance)
{
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(b[i]));
    for (int i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) <= tolerance * largest))
            fail_msg("number %d: %.17g instead of %.17g", i, a[i], b[i]);
}

static void compare_all(run_of *all, run_of alone[], int n, double t, double tolerance)
{
    const nt_system *system = nt_run_system(all->run);
    for (int k = 0; k < n; k++) {
        nt_state_tangent a, b;
        assert_int_equal(nt_sensitivity_dense(all->sensitivity, k, t, &a), NT_OK);
        assert_int_equal(nt_sensitivity_dense(alone[k].sensitivity, 0, t, &b), NT_OK);
        same(a.q, b.q, system->space.nv, tolerance);
        same(a.v, b.v, system->space.nv, tolerance);
        same(a.vdot, b.vdot, system->space.nv, TOGETHER_FORCES);
        same(a.lambda, b.lambda, system->nh, TOGETHER_FORCES);
    }
}

/* From here on the spring has a damper. */
static void damp(run_of *r)
{
    nt_error error = {0};
    double p[7];
    const nt_system *system = nt_run_system(r->run);
    system->get_parameters(system->self, p);
    p[6] = 2;
    assert_int_equal(system->set_parameters(system->self, p), NT_OK);
    assert_int_equal(nt_integrator_refresh(r->integrator, &error), NT_OK);
}

/* Carried with others, each derivative is that of a run for itself: at a step's end and within, and
 * after damping has begun. */
static void together_as_alone(void **unused)
{
    (void)unused;
    static const int wanted[7] = {4, 0, 2, 6, 5, 1, 3};
    const double h = 2e-3;
    for (nt_frame frame = NT_INERTIAL; frame <= NT_SE3; frame++)
        for (int n = 2; n <= 7; n++) {
            run_of all = begin(several, "generalized-alpha", frame, NULL, wanted, n), alone[7];
            for (int k = 0; k < n; k++)
                alone[k] = begin(several, "generalized-alpha", frame, NULL, wanted + k, 1);
            for (int part = 1; part <= 3; part++) {
                double t = 0.04 * part;
                run_to(&all, t, h);
                for (int k = 0; k < n; k++)
                    run_to(&alone[k], t, h);
                compare_all(&all, alone, n, t, TOGETHER);
                compare_all(&all, alone, n, t - 0.3 * h, frame == NT_SE3 ? BETWEEN_SE3 : BETWEEN);
                if (part == 2)
                    damp(&all);
                for (int k = 0; k < n && part == 2; k++)
                    damp(&alone[k]);
            }
            for (int k = 0; k < n; k++)
                end(&alone[k]);
            end(&all);
        }
}

/* Saved, gone on, restored and gone on again: the same bits, also for one of the parameters alone
 * at once after restoring. Bytes of another time and without a parameter are refused. */
static void goes_back_with(const char *method)
{
    static const int wanted[3] = {0, 2, 3}, other[1] = {1};
    nt_error error;
    run_of r = begin(top, method, NT_INERTIAL, NULL, wanted, 3);
    run_to(&r, 0.01, 1e-3);
    size_t size = nt_integrator_saved_size(r.integrator);
    size_t more = nt_sensitivity_saved_size(r.sensitivity);
    char *state = malloc(size + more);
    assert_non_null(state);
    nt_integrator_save(r.integrator, state);
    nt_sensitivity_save(r.sensitivity, state + size);
    double at_save[3], once[3], again[3];
    memcpy(at_save, nt_sensitivity_state(r.sensitivity, 1).q, sizeof at_save);
    run_to(&r, 0.02, 1e-3);
    memcpy(once, nt_sensitivity_state(r.sensitivity, 1).q, sizeof once);
    assert_int_equal(nt_sensitivity_restore(r.sensitivity, state + size, more, &error), NT_INVALID);
    assert_non_null(strstr(error.message, "t = 0.01"));
    assert_int_equal(nt_integrator_restore(r.integrator, state, size, &error), NT_OK);
    assert_int_equal(nt_sensitivity_restore(r.sensitivity, state + size, more, &error), NT_OK);
    run_to(&r, 0.02, 1e-3);
    memcpy(again, nt_sensitivity_state(r.sensitivity, 1).q, sizeof again);
    assert_memory_equal(once, again, sizeof once);
    end(&r);

    r = begin(top, method, NT_INERTIAL, NULL, wanted + 1, 1);
    assert_int_equal(nt_integrator_restore(r.integrator, state, size, &error), NT_OK);
    assert_int_equal(nt_sensitivity_restore(r.sensitivity, state + size, more, &error), NT_OK);
    assert_memory_equal(at_save, nt_sensitivity_state(r.sensitivity, 0).q, sizeof at_save);
    assert_int_equal(nt_sensitivity_restore(r.sensitivity, state + size, more - 1, &error),
                     NT_INVALID);
    end(&r);

    r = begin(top, method, NT_INERTIAL, NULL, other, 1);
    assert_int_equal(nt_integrator_restore(r.integrator, state, size, &error), NT_OK);
    assert_int_equal(nt_sensitivity_restore(r.sensitivity, state + size, more, &error), NT_INVALID);
    assert_non_null(strstr(error.message, "parameter J"));
    end(&r);
    free(state);
}

static void goes_back(void **unused)
{
    (void)unused;
    goes_back_with("rkmk-dop853");
    goes_back_with("generalized-alpha"); /* carries several side by side, and one by itself */
}

/* Within a step derivatives are interpolated as the motion is, however small they are beside those
 * of accelerations elsewhere: a slow turn beside a blow, x = theta = p t^2/2 times force over mass.
 * In a step of 1e-3 s the turn varies by 5e-7 rad where the acceleration varies by 1e10 m/s^2. */
static void small_ones_within_steps(void **state)
{
    (void)state;
    static const char text[] = "nutate: 1\n"
                               "parameters: {p: 0}\n"
                               "gravity: [0, 0, 0]\n"
                               "bodies:\n"
                               "  wheel: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], "
                               "angular_velocity: [0, 0, 30]}\n"
                               "  light: {mass: 1e-6, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
                               "forces:\n"
                               "  turn: {type: torque, on: wheel, value: [0, 0, p]}\n"
                               "  blow: {type: force, on: light, value: [1e4*p, 0, 0]}\n";
    static const int wanted[1] = {0};
    const double h = 1e-3;
    run_of r = run_of_text(text, NULL);
    run_of_start(&r, (nt_integrator_setup){.method = nt_method_find("generalized-alpha")}, wanted,
                 1);
    run_to(&r, 3 * h, h);
    const double places[3] = {2.25, 2.5, 2.875};
    for (int k = 0; k < 3; k++) {
        double t = places[k] * h;
        nt_state at;
        nt_state_tangent d;
        assert_int_equal(nt_integrator_dense(r.integrator, t, &at), NT_OK);
        assert_int_equal(nt_sensitivity_dense(r.sensitivity, 0, t, &d), NT_OK);
        const double got[3] = {d.q[5], d.v[5], d.q[6]};
        const double expected[3] = {t * t / 2, t, 1e10 * t * t / 2};
        for (int i = 0; i < 3; i++)
            if (!(fabs(got[i] - expected[i]) <= 1e-9 * expected[i]))
                fail_msg("at %g: %d is %.12g, expected %.12g", t, i, got[i], expected[i]);
    }
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_differences_of_runs),
        cmocka_unit_test(converges_to_the_exact_values),
        cmocka_unit_test(together_as_alone),
        cmocka_unit_test(small_ones_within_steps),
        cmocka_unit_test(goes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
