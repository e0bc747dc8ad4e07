/* Objectives of a model file: values at a state, derivatives, messages. */
#include "model/mechanism.h"
#include "tests/read_run.h"

static const char text[] =
    "nutate: 1\n"
    "parameters: {m: 2, arm: 0.5, weight: 3}\n"
    "bodies:\n"
    "  top: {mass: m, inertia: [1, 1.1, 1.2], position: [0, arm, 0], angular_velocity: [1, 2, 3]}\n"
    "joints: {pivot: {type: spherical, between: [ground, top], at: [0, 0, 0]}}\n"
    "objectives:\n"
    "  height: {type: final, of: weight*top.position.y^2 + t}\n"
    "  effort: {type: integral, of: sqrt(pivot.force.x^2 + pivot.force.z^2)}\n"
    "  peak: {type: maximum, of: energy.kinetic/m}\n"
    "  spin: {type: rms, of: top.angular_velocity.x*top.velocity.z}\n";

enum { HEIGHT, EFFORT, PEAK, SPIN, OBJECTIVES };

/* The state (everything random but the orientation, the identity) and its values. */
static const double q[7] = {0.1, 0.7, -0.2, 1, 0, 0, 0}, v[6] = {0.3, -0.4, 0.9, 1.5, 0.2, -0.8};
static const double vdot[6] = {0}, lambda[3] = {3, 7, 4};

static nt_state here(void)
{
    return (nt_state){.t = 1.5, .q = q, .v = v, .vdot = vdot, .lambda = lambda};
}

static void values_and_types(void **state)
{
    (void)state;
    mechanism m = mechanism_read(text);
    nt_state now = here();
    nt_error error;
    double out[OBJECTIVES];
    assert_int_equal(nt_model_objective_count(nt_run_model(m.run)), OBJECTIVES);
    assert_string_equal(nt_model_objective(nt_run_model(m.run), PEAK).name, "peak");
    assert_int_equal(nt_model_objective(nt_run_model(m.run), HEIGHT).type, NT_OBJECTIVE_FINAL);
    assert_int_equal(nt_model_objective(nt_run_model(m.run), EFFORT).type, NT_OBJECTIVE_INTEGRAL);
    assert_int_equal(nt_model_objective(nt_run_model(m.run), PEAK).type, NT_OBJECTIVE_MAXIMUM);
    assert_int_equal(nt_model_objective(nt_run_model(m.run), SPIN).type, NT_OBJECTIVE_RMS);
    assert_int_equal(nt_model_objective(nt_run_model(m.run), EFFORT).needs_reactions, 1);
    assert_int_equal(nt_model_objective(nt_run_model(m.run), PEAK).needs_reactions, 0);
    assert_null(nt_model_objective(nt_run_model(m.run), OBJECTIVES).name);
    assert_int_equal(nt_run_objective_values(m.run, &now, NULL, out, &error), NT_OK);
    double moment = 1 * v[3] * v[3] + 1.1 * v[4] * v[4] + 1.2 * v[5] * v[5];
    CLOSE(out[HEIGHT], 3 * 0.49 + 1.5, 1e-14);
    CLOSE(out[EFFORT], 5, 1e-14);
    CLOSE(out[PEAK], (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2 + moment / 4, 1e-14);
    CLOSE(out[SPIN], v[3] * v[2], 1e-14);
    mechanism_close(&m);
}

/* Explicit in m through the kinetic energy and the expression, in `weight` through the expression
 * alone; along the state by hand. Differences of sixth order are good to 1e-12 here. */
static void derivatives(void **state)
{
    (void)state;
    mechanism m = mechanism_read(text);
    nt_state now = here();
    nt_error error;
    const double dq[6] = {0, 0.2, 0, 0, 0, 0}, dv[6] = {0, 0, 0.5, 0.25, 0, 0};
    const double dlambda[3] = {1, 0, -2};
    double out[OBJECTIVES];
    nt_state_rate rate = {.parameter = 0};
    assert_int_equal(nt_run_objective_tangent(m.run, &now, NULL, &rate, NULL, out, &error), NT_OK);
    double moment = 1 * v[3] * v[3] + 1.1 * v[4] * v[4] + 1.2 * v[5] * v[5];
    CLOSE(out[PEAK], -moment / 8, 1e-12); /* (m v^2 + w J w)/(2 m), m = 2 */
    CLOSE(out[HEIGHT], 0, 1e-12);
    rate.parameter = 2;
    assert_int_equal(nt_run_objective_tangent(m.run, &now, NULL, &rate, NULL, out, &error), NT_OK);
    CLOSE(out[HEIGHT], 0.49, 1e-14);
    rate = (nt_state_rate){.dq = dq, .dv = dv, .dlambda = dlambda, .parameter = -1};
    assert_int_equal(nt_run_objective_tangent(m.run, &now, NULL, &rate, NULL, out, &error), NT_OK);
    CLOSE(out[HEIGHT], 3 * 2 * 0.7 * 0.2, 1e-12);
    CLOSE(out[EFFORT], (3 * 1 - 4 * 2) / 5.0, 1e-12);
    CLOSE(out[SPIN], v[3] * 0.5 + 0.25 * v[2], 1e-12);
    rate.parameter = 3;
    assert_int_equal(nt_run_objective_tangent(m.run, &now, NULL, &rate, NULL, out, &error),
                     NT_INVALID);
    mechanism_close(&m);
}

/* What has no value says so, by its name. */
static void what_has_no_value_is_named(void **state)
{
    (void)state;
    mechanism m = mechanism_read("nutate: 1\n"
                                 "bodies: {top: {mass: 1}}\n"
                                 "objectives: {o: {type: final, of: 1/top.position.x}}\n");
    const double zero[7] = {0, 0, 0, 1, 0, 0, 0};
    nt_state now = {.q = zero, .v = zero, .vdot = zero};
    nt_error error;
    double out;
    assert_int_equal(nt_run_objective_values(m.run, &now, NULL, &out, &error), NT_NOT_FINITE);
    assert_non_null(strstr(error.message, "objective o"));
    mechanism_close(&m);
}

static void refused(const char *objective, int column, const char *const *words)
{
    char model[500];
    nt_run *none = NULL;
    nt_error error = {0};
    snprintf(model, sizeof model, "nutate: 1\nbodies: {top: {mass: 1}}\nobjectives:\n%s\n",
             objective);
    mechanism_refused(model, words);
    read_run_text(&none, model, strlen(model), "test", NULL, NULL, 0, &error);
    assert_int_equal(error.line, 4);
    assert_int_equal(error.column, column);
}

static void messages(void **state)
{
    (void)state;
    refused("  o: {type: final, of: top.position}", 24,
            (const char *const[]){"is 3 numbers", "top.position.x", NULL});
    refused("  o: {type: final, of: 2*top.positon.x}", 26,
            (const char *const[]){"did you mean 'position'", NULL});
    refused("  o: {type: final, of: bop.position.x}", 24,
            (const char *const[]){"there is no 'bop'", NULL});
    refused("  o: {type: rmse, of: t}", 13, (const char *const[]){"did you mean 'rms'", NULL});
    refused("  o: {type: rms}", 3, (const char *const[]){"objective 'o'", "of", NULL});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_and_types),
        cmocka_unit_test(derivatives),
        cmocka_unit_test(what_has_no_value_is_named),
        cmocka_unit_test(messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
