/* Values of a model at changed parameters, and how they change: initial values against assemblies
 * at changed parameters, parameters that follow others, energies, records along a direction. */
#include "parameter_cases.h"

/* ---- initial values ------------------------------------------------------------------------- */

/* Increments from the base placement, then velocities, then memory. */
static void initial_values(nt_run *run, void *context, double *out)
{
    const nt_system *s = nt_run_system(run);
    double q[100], v[100];
    nt_run_initial(run, q, v, out + 2 * s->space.nv);
    nt_space_difference(&s->space, NT_INERTIAL, context, q, out);
    memcpy(out + s->space.nv, v, (size_t)s->space.nv * sizeof(double));
}

static void check_initial(const char *text, double tolerance)
{
    nt_run *run = read_model(text);
    const nt_system *s = nt_run_system(run);
    int nv = s->space.nv, n = 2 * nv + s->n_memory;
    double base[100], v[100], memory[20];
    assert_true(n <= MOST);
    nt_run_initial(run, base, v, memory);
    for (int k = 0; k < s->n_parameters; k++) {
        double exact[MOST], reference[MOST], p[20];
        nt_error error;
        s->get_parameters(s->self, p);
        if (nt_run_initial_tangent(run, k, exact, exact + nv, exact + 2 * nv, &error) != NT_OK)
            fail_msg("%s", error.message);
        differences(run, k, fmin(1, fabs(p[k]) + 0.1), initial_values, base, n, reference);
        for (int i = 0; i < n; i++)
            if (!(fabs(exact[i] - reference[i]) <= tolerance * fmax(1, largest(exact, n))))
                fail_msg("%s, entry %d: %.15g, expected %.15g", s->parameter_names[k], i, exact[i],
                         reference[i]);
    }
    destroy_run(run);
}

/* Both sides are differences, of different kinds; 1e-11 is their common rounding. */
static void initial_values_follow(void **state)
{
    (void)state;
    check_initial("nutate: 1\n"
                  "parameters: {m: 15, arm: 1, spin: 150, tilt: 0.2}\n"
                  "bodies:\n"
                  "  top: {mass: m, inertia: [0.24, 0.47, 0.24], position: [0, arm*cos(tilt), "
                  "arm*sin(tilt)], orientation: {axis: [1, 0, 0], angle: tilt}, "
                  "angular_velocity: [0, spin, -4.6]}\n"
                  "joints: {pivot: {type: spherical, between: [ground, top], at: [0, 0, 0]}}\n",
                  1e-11);
    /* a driven crank, and a loop that is closed by the assembly */
    check_initial(
        "nutate: 1\n"
        "parameters: {throw: 0.3, length: 0.9, start: 0.4, speed: 3}\n"
        "bodies:\n"
        "  crank: {mass: 1, inertia: [0.1, 0.1, 0.1], orientation: {axis: [0, 0, 1], angle: "
        "start}}\n"
        "  rod: {mass: 2, inertia: [0.1, 0.2, 0.2]}\n"
        "  slider: {mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
        "joints:\n"
        "  a: {type: revolute, between: [ground, crank], points: [[0, 0, 0], [0, 0, 0]], axes: "
        "[[0, "
        "0, 1], [0, 0, 1]], motion: speed*t}\n"
        "  b: {type: revolute, between: [crank, rod], points: [[throw, 0, 0], [0, 0, 0]], axes: "
        "[[0, 0, 1], [0, 0, 1]]}\n"
        "  c: {type: universal, between: [rod, slider], points: [[length, 0, 0], [0, 0, 0]], axes: "
        "[[0, 0, 1], [0, 1, 0]]}\n"
        "  d: {type: prismatic, between: [ground, slider], points: [[0, 0, 0], [0, 0, 0]], axes: "
        "[[1, 0, 0], [1, 0, 0]]}\n",
        1e-10);
}

/* Derivatives of residual and rows at a random point, and of initial values, in parameter 1 of a
 * model whose parameter 0 is `scale`; into out[MOST]. */
static void derivatives_at_scale(const char *text, const char *scale, double *out)
{
    nt_setting setting = {"s", scale};
    nt_run *run;
    nt_error error;
    if (read_run_text(&run, text, strlen(text), "case", NULL, &setting, 1, &error) != NT_OK)
        fail_msg("%s", error.message);
    const nt_system *s = nt_run_system(run);
    int nv = s->space.nv, n = nv + s->nh + s->nn;
    double memory[400];
    unsigned seed = 7;
    assert_true(n + 2 * nv <= MOST);
    memset(out, 0, MOST * sizeof *out);
    nt_point at = random_point(run, &seed, memory);
    nt_terms terms = {.parts = NT_ALL_PARTS, .residual = out, .rows = out + nv};
    assert_int_equal(s->parameter_tangent(s->self, &at, 1, &terms), NT_OK);
    assert_int_equal(nt_run_initial_tangent(run, 1, out + n, out + n + nv, NULL, &error), NT_OK);
    destroy_run(run);
}

/* A direction says the same at every length, and its derivatives too. */
static void directions_at_every_length(void **state)
{
    (void)state;
    static const char text[] =
        "nutate: 1\n"
        "parameters: {s: 1, u: 0.1}\n"
        "bodies:\n"
        "  arm: {mass: 1, inertia: [0.1, 0.2, 0.2], position: [0.5, 0, 0]}\n"
        "  leg: {mass: 1, inertia: [0.1, 0.2, 0.2], position: [0, 2, 0.9],\n"
        "        orientation: {quaternion: [s, u*s, 0, -u*s]}, angular_velocity: [1, 0, 2]}\n"
        "  fin: {mass: 1, inertia: [0.1, 0.2, 0.2], orientation: {axis: [s, u*s, 0], angle: 1}}\n"
        "joints:\n"
        "  hinge: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, s, u*s]}\n"
        "contacts:\n"
        "  floor: {type: sphere_plane, between: [ground, leg], plane: {normal: [u*s, 0, s]},\n"
        "          radius: 4, stiffness: 10}\n";
    static const char *const scales[] = {"1e-6", "1e-200", "1e6", "1e200"};
    double expected[MOST], got[MOST];
    derivatives_at_scale(text, "1", expected);
    assert_true(largest(expected, MOST) > 1);
    for (int i = 0; i < 4; i++) {
        derivatives_at_scale(text, scales[i], got);
        for (int k = 0; k < MOST; k++)
            if (!(fabs(got[k] - expected[k]) <= TOLERANCE * largest(expected, MOST)))
                fail_msg("length %s: derivative %d is %.15g, expected %.15g", scales[i], k, got[k],
                         expected[k]);
    }
}

/* Velocities of least kinetic energy depend on the ratio of masses, however small these are. */
static void masses_of_every_size(void **state)
{
    (void)state;
    static const char text[] =
        "nutate: 1\n"
        "parameters: {s: 1, f: 1}\n"
        "gravity: [0, 0, 0]\n"
        "bodies:\n"
        "  a: {mass: s, inertia: [s, s, s], velocity: [0, 0, 1]}\n"
        "  b: {mass: s*f, inertia: [s, 2*s*f, 2*s], position: [1, 0, 0]}\n"
        "joints:\n"
        "  hinge: {type: revolute, between: [a, b], at: [0.5, 0, 0], axis: [0, 1, 0]}\n";
    static const char *const scales[] = {"1e-4", "1e-12", "1e6"};
    enum { V = 12, FIRST = 12 + 5 + V }; /* of dv */
    double expected[MOST], got[MOST];
    derivatives_at_scale(text, "1", expected);
    assert_true(largest(expected + FIRST, V) > 0.1);
    for (int i = 0; i < 3; i++) {
        derivatives_at_scale(text, scales[i], got);
        for (int k = FIRST; k < FIRST + V; k++)
            if (!(fabs(got[k] - expected[k]) <= TOLERANCE))
                fail_msg("masses of %s: derivative %d is %.15g, expected %.15g", scales[i], k,
                         got[k], expected[k]);
    }
}

/* Placement given as numbers cannot follow the point of a joint. */
static void what_cannot_follow_is_named(void **state)
{
    (void)state;
    nt_run *run =
        read_model("nutate: 1\n"
                   "parameters: {arm: 1}\n"
                   "bodies: {top: {mass: 1, inertia: [1, 1, 1]}}\n"
                   "joints: {pivot: {type: spherical, between: [ground, top], points: [[0, 0, 0], "
                   "[0, -arm, 0]]}}\n");
    double dq[6], dv[6];
    nt_error error;
    assert_int_equal(nt_run_initial_tangent(run, 0, dq, dv, NULL, &error), NT_OK);
    destroy_run(run);
    run = read_model("nutate: 1\n"
                     "parameters: {arm: 1}\n"
                     "bodies: {top: {mass: 1, inertia: [1, 1, 1], position: [0, 1, 0], "
                     "orientation: {axis: [1, 0, 0], angle: 0}}}\n"
                     "joints: {pivot: {type: spherical, between: [ground, top], points: [[0, 0, "
                     "0], [0, -arm, 0]]}}\n");
    assert_int_equal(nt_run_initial_tangent(run, 0, dq, dv, NULL, &error), NT_INCONSISTENT);
    assert_non_null(strstr(error.message, "joint pivot"));
    assert_non_null(strstr(error.message, "arm"));
    destroy_run(run);
}

/* ---- parameters that follow, and that come back --------------------------------------------- */

static void parameters_follow_and_return(void **state)
{
    (void)state;
    nt_run *run = read_model("nutate: 1\n"
                             "parameters: {a: 0.3, b: 2*a, c: a*b}\n"
                             "bodies: {x: {mass: c, inertia: [1, 1, 1], position: [b, a, 0], "
                             "center_of_mass: [a, 0, 0]}}\n");
    const nt_system *s = nt_run_system(run);
    double p[3], now[3], q[7], v[6], q0[7], v0[6];
    nt_run_initial(run, q0, v0, NULL);
    s->get_parameters(s->self, p);
    for (int side = 1; side >= -1; side -= 2) { /* to one side, then straight to the other */
        double moved[3] = {0.3 + 0.1 * side, p[1], p[2]};
        assert_int_equal(s->set_parameters(s->self, moved), NT_OK);
        s->get_parameters(s->self, now);
        assert_true(now[1] == 2 * moved[0] && now[2] == moved[0] * now[1]);
    }
    double alone[3] = {0.3, 5, p[2]}; /* b alone: c follows it */
    assert_int_equal(s->set_parameters(s->self, alone), NT_OK);
    s->get_parameters(s->self, now);
    assert_true(now[0] == 0.3 && now[1] == 5 && now[2] == 0.3 * 5);
    double then[3] = {0.4, 5, p[2]}; /* b stays where it was put */
    assert_int_equal(s->set_parameters(s->self, then), NT_OK);
    s->get_parameters(s->self, now);
    assert_true(now[1] == 5 && now[2] == 0.4 * 5);
    assert_int_equal(s->set_parameters(s->self, p), NT_OK);
    s->get_parameters(s->self, now);
    assert_memory_equal(now, p, sizeof p);
    nt_run_initial(run, q, v, NULL);
    assert_memory_equal(q, q0, sizeof q);
    double moved[3] = {0.4, p[1], p[2]}; /* and b follows again */
    assert_int_equal(s->set_parameters(s->self, moved), NT_OK);
    s->get_parameters(s->self, now);
    assert_true(now[1] == 0.8);
    destroy_run(run);
}

/* Preparing derivatives leaves every number of the model as it was. */
static void preparing_changes_nothing(void **state)
{
    (void)state;
    char text[4000];
    write_case(text, sizeof text, &cases[3], "a, b");
    nt_run *run = read_model(text);
    const nt_system *s = nt_run_system(run);
    double memory[400], before[MOST] = {0}, after[MOST] = {0}, q[100], v[100], q0[100], v0[100];
    double m[20], m0[20];
    unsigned seed = 9;
    nt_point at = random_point(run, &seed, memory);
    evaluation e = {&at, NT_ALL_PARTS, NT_ACCELERATION};
    nt_run_initial(run, q0, v0, m0);
    residual_and_rows(run, &e, before);
    nt_error error;
    assert_int_equal(nt_run_prepare_parameters(run, NULL, 0, &error), NT_OK);
    for (int k = 0; k < s->n_parameters; k++) {
        double out[MOST];
        nt_terms terms = {.parts = NT_ALL_PARTS, .residual = out, .rows = out + s->space.nv};
        assert_int_equal(s->parameter_tangent(s->self, &at, k, &terms), NT_OK);
    }
    residual_and_rows(run, &e, after);
    nt_run_initial(run, q, v, m);
    assert_memory_equal(before, after, sizeof before);
    assert_memory_equal(q, q0, (size_t)s->space.nq * sizeof(double));
    assert_memory_equal(v, v0, (size_t)s->space.nv * sizeof(double));
    assert_int_equal(nt_run_prepare_parameters(run, (const int[]){99}, 1, &error), NT_INVALID);
    destroy_run(run);
}

/* ---- energies ------------------------------------------------------------------------------- */

/* A ball that presses into a floor by delta = 1e-6 m and sinks at 0.2 m/s: with k of stiffness,
 * n = 1.5 and d = 0.5 of damping,
 *
 *   V = k delta^(n+1) / (n+1),    P = (V' - N) delta' = -k d delta'^2 delta^n,
 *   dV/dz = k delta^n,            dP/dz = -k d delta'^2 n delta^(n-1),
 *   dV/dk = V / k,                dP/dk = P / k.
 *
 * One per cent of a length is ten thousand indentations. */
static void energy_of_a_contact(void **state)
{
    (void)state;
    nt_run *run =
        read_model("nutate: 1\ngravity: [0, 0, 0]\nparameters: {z: 0, k: 2e7}\n"
                   "bodies: {ball: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 1]}}\n"
                   "contacts: {floor: {type: sphere_plane, between: [ground, ball], radius: 1, "
                   "plane: {point: [0, 0, z], normal: [0, 0, 1]}, stiffness: k, damping: 0.5}}\n");
    const nt_system *s = nt_run_system(run);
    double q[7], v[6] = {0, 0, -0.2}, vdot[6] = {0}, delta = 1e-6, k = 2e7;
    nt_run_initial(run, q, vdot, NULL); /* at rest */
    q[2] = 1 - delta;
    delta = 1 - q[2];
    nt_point at = {.q = q, .v = v, .vdot = vdot};
    nt_energy d;
    double V = k * pow(delta, 2.5) / 2.5, P = -k * 0.5 * 0.04 * pow(delta, 1.5);
    assert_int_equal(s->energy_tangent(s->self, &at, 0, &d), NT_OK);
    /* the indentation is a difference from 1: to 1e-10 of itself; differences of it to 1e-8 */
    assert_true(fabs(d.potential / (k * pow(delta, 1.5)) - 1) < 1e-8);
    assert_true(fabs(d.power / (1.5 * P / delta) - 1) < 1e-8);
    assert_true(d.kinetic == 0);
    assert_int_equal(s->energy_tangent(s->self, &at, 1, &d), NT_OK);
    assert_true(fabs(d.potential / (V / k) - 1) < 1e-10);
    assert_true(fabs(d.power / (P / k) - 1) < 1e-10);
    destroy_run(run);
}

/* A ball that just touches the floor, by 2e-16 m as rounding has it: N = k delta^1.5 has the
 * derivative 1.5 k delta^0.5 = 2e-4 N/m in the floor's height. Differences of a step s have about
 * k s^0.5: of 1e-8 m 1 N/m, and the ball seems to rest on a spring; of 1e-14 m 1e-3 N/m. */
static void force_of_a_contact_that_touches(void **state)
{
    (void)state;
    nt_run *run =
        read_model("nutate: 1\ngravity: [0, 0, 0]\nparameters: {z: 0}\n"
                   "bodies: {ball: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 1]}}\n"
                   "contacts: {floor: {type: sphere_plane, between: [ground, ball], radius: 1, "
                   "plane: {point: [0, 0, z], normal: [0, 0, 1]}, stiffness: 1e4}}\n");
    const nt_system *s = nt_run_system(run);
    double q[7], v[6], residual[6] = {0};
    nt_run_initial(run, q, v, NULL);
    q[2] = 1 - DBL_EPSILON;
    nt_point at = {.q = q, .v = v, .vdot = v};
    nt_terms terms = {.parts = NT_ALL_PARTS, .residual = residual};
    assert_int_equal(s->parameter_tangent(s->self, &at, 0, &terms), NT_OK);
    assert_true(fabs(residual[2]) < 2e-3);
    destroy_run(run);
}

/* ---- records -------------------------------------------------------------------------------- */

typedef struct recording {
    const nt_quantity_info *quantities;
    int n;
    const nt_state *state;
} recording;

static void records(nt_run *run, void *context, double *out)
{
    const recording *r = context;
    nt_error error;
    for (int i = 0; i < r->n; out += r->quantities[i++].columns)
        assert_int_equal(nt_run_sample(run, &r->quantities[i], r->state, NULL, out, &error), NT_OK);
}

enum { N_RECORDS = 15 };

/* In the parameter at a fixed state against set_parameters; along the state against a polynomial
 * that is known: both to 1e-11 of the largest derivative. */
static void records_have_derivatives(void **state)
{
    (void)state;
    static const char *const names[N_RECORDS] = {
        "a.position", "a.velocity",       "b.acceleration", "c.position",       "p.position",
        "p.velocity", "p.acceleration",   "e.force",        "e.torque",         "e.angle",
        "e.rate",     "energy.potential", "momentum",       "angular_momentum", "energy.kinetic"};
    char text[4000];
    write_case(text, sizeof text, &cases[5], "a, b"); /* a penalty joint with a motion */
    nt_run *run = read_model(text);
    const nt_system *s = nt_run_system(run);
    nt_quantity_info quantities[N_RECORDS];
    nt_error error;
    int columns = 0;
    for (int i = 0; i < N_RECORDS; i++) {
        assert_int_equal(nt_model_quantity(nt_run_model(run), names[i], &quantities[i], &error),
                         NT_OK);
        columns += quantities[i].columns;
    }
    unsigned seed = 3;
    double memory[400], exact[MOST], reference[MOST];
    nt_point at = random_point(run, &seed, memory);
    nt_state now = {.t = at.t,
                    .q = at.q,
                    .v = at.v,
                    .vdot = at.vdot,
                    .lambda = at.lambda,
                    .mu = at.mu,
                    .memory = at.memory};
    recording r = {quantities, N_RECORDS, &now};
    for (int k = 0; k < s->n_parameters; k++) {
        nt_state_rate rate = {.parameter = k};
        assert_int_equal(nt_run_sample_tangent(run, quantities, N_RECORDS, &now, NULL, &rate, NULL,
                                               exact, &error),
                         NT_OK);
        differences(run, k, 1, records, &r, columns, reference);
        for (int i = 0; i < columns; i++)
            if (!(fabs(exact[i] - reference[i]) <= 1e-11 * fmax(10, largest(reference, columns))))
                fail_msg("%s, column %d: %.15g, expected %.15g", s->parameter_names[k], i, exact[i],
                         reference[i]);
    }
    destroy_run(run);
}

/* d(position)/ds = dx + dtheta x r, d(W)/ds of a body's own angular velocity = R^T (dw + w x
 * dtheta), and work as it is. */
static void records_follow_the_state(void **state)
{
    (void)state;
    nt_run *run = read_model("nutate: 1\n"
                             "bodies: {x: {mass: 2, inertia: [1, 1.1, 1.2], center_of_mass: "
                             "[0.3, 0.1, -0.2]}}\n");
    double q[7], v[6] = {1, 2, 3, 0.4, -0.5, 0.6}, vdot[6] = {0};
    double dq[6] = {0.1, 0.2, 0.3, -1, 0.7, 0.4}, dv[6] = {1, 0, 2, 0.3, 0.1, -0.2};
    nt_run_initial(run, q, vdot, NULL); /* identity orientation, at rest */
    nt_quantity_info quantities[3];
    nt_error error;
    assert_int_equal(nt_model_quantity(nt_run_model(run), "x.position", &quantities[0], &error),
                     NT_OK);
    assert_int_equal(
        nt_model_quantity(nt_run_model(run), "x.angular_velocity", &quantities[1], &error), NT_OK);
    assert_int_equal(nt_model_quantity(nt_run_model(run), "energy.work", &quantities[2], &error),
                     NT_OK);
    nt_state now = {.q = q, .v = v, .vdot = vdot, .work = 4};
    nt_state_rate rate = {.dq = dq, .dv = dv, .work = 2.5, .parameter = -1};
    double out[7];
    assert_int_equal(
        nt_run_sample_tangent(run, quantities, 3, &now, NULL, &rate, NULL, out, &error), NT_OK);
    const double r[3] = {-0.3, -0.1, 0.2}, *th = dq + 3, *w = v + 3;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double position = dq[i] + th[j] * r[k] - th[k] * r[j];
        double rotation = dv[3 + i] + w[j] * th[k] - w[k] * th[j];
        assert_true(fabs(out[i] - position) < 1e-13);
        assert_true(fabs(out[3 + i] - rotation) < 1e-13);
    }
    assert_true(fabs(out[6] - 2.5) < 1e-13);
    destroy_run(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(initial_values_follow),
        cmocka_unit_test(directions_at_every_length),
        cmocka_unit_test(masses_of_every_size),
        cmocka_unit_test(what_cannot_follow_is_named),
        cmocka_unit_test(parameters_follow_and_return),
        cmocka_unit_test(preparing_changes_nothing),
        cmocka_unit_test(energy_of_a_contact),
        cmocka_unit_test(force_of_a_contact_that_touches),
        cmocka_unit_test(records_have_derivatives),
        cmocka_unit_test(records_follow_the_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
