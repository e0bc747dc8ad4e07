/* nt_model_set: the same as reading the file with NAME=VALUE, and nothing where it is refused. */
#include <nutate/nutate.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char text[] =
    "nutate: 1\n"
    "parameters: {m: 2, l: 0.7, half: l/2, tilt: 0.1}\n"
    "bodies:\n"
    "  crank: {mass: m, inertia: [0.1, 0.1, m*l^2/12], center_of_mass: [half, 0, 0]}\n"
    "  rod: {mass: 1, inertia: [0.1, 0.1, 0.1], center_of_mass: [0.5, 0, 0]}\n"
    "  slide: {mass: 3, inertia: [0.1, 0.1, 0.1]}\n"
    "joints:\n"
    "  main: {type: revolute, between: [ground, crank], points: [[0, 0, 0], [0, 0, 0]],\n"
    "         axes: [[0, 0, 1], [0, 0, 1]]}\n"
    "  pin: {type: spherical, between: [crank, rod], points: [[l, 0, 0], [0, 0, 0]]}\n"
    "  end: {type: universal, between: [rod, slide], points: [[1.4, 0, 0], [0, 0, 0]],\n"
    "        axes: [[0, 1, 0], [0, 0, 1]]}\n"
    "  rail: {type: prismatic, between: [ground, slide], points: [[0, 0, 0], [0, 0, 0]],\n"
    "         axes: [[1, tilt, 0], [1, 0, 0]]}\n"
    "forces: {push: {type: spring, between: [ground, slide], at: [[3, 0, 0], [1, 0, 0]],\n"
    "                stiffness: 50*m, length: 1}}\n"
    "simulation: {duration: 1, step: 1e-2}\n";

enum { ROOM = 256 };

static nt_model *read_with(const nt_setting *settings, int n)
{
    nt_model *model;
    nt_error error = {0};
    if (nt_model_read_text(&model, text, strlen(text), "set", NULL, settings, n, &error) != NT_OK)
        fail_msg("%s", error.message);
    return model;
}

static nt_run *run_of(const nt_model *model)
{
    nt_run *run;
    assert_int_equal(nt_run_create(&run, model, NULL), NT_OK);
    return run;
}

/* The state after ten steps; returns how many numbers. */
static int motion(nt_run *run, double *out)
{
    nt_integrator_setup setup = {0};
    nt_integrator *integrator;
    nt_error error = {0};
    const nt_system *system = nt_run_system(run);
    assert_int_equal(nt_run_setup(run, &setup, &error), NT_OK);
    assert_int_equal(nt_integrator_create(&integrator, &setup, &error), NT_OK);
    if (nt_integrator_start(integrator, 0, NULL, NULL, NULL, &error) != NT_OK ||
        nt_integrator_run(integrator, 0.1, 1e-2, NULL, NULL, &error) != NT_OK)
        fail_msg("%s", error.message);
    nt_state state = nt_integrator_state(integrator);
    int nq = system->space.nq, nv = system->space.nv, nh = system->nh;
    memcpy(out, state.q, (size_t)nq * sizeof *out);
    memcpy(out + nq, state.v, (size_t)nv * sizeof *out);
    memcpy(out + nq + nv, state.lambda, (size_t)nh * sizeof *out);
    nt_integrator_destroy(integrator);
    return nq + nv + nh;
}

static void setting_is_reading_with_the_value(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
        double value;
    } rows[] = {{"m", "3.25", 3.25}, {"l", "0.9", 0.9}, {"tilt", "-0.2", -0.2}};
    nt_model *plain = read_with(NULL, 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        nt_setting setting = {rows[i].name, rows[i].text};
        nt_model *model = read_with(&setting, 1);
        nt_run *read = run_of(model), *set = run_of(plain);
        nt_error error = {0};
        double one[ROOM], two[ROOM];
        if (nt_model_set(set, rows[i].name, rows[i].value, &error) != NT_OK)
            fail_msg("%s", error.message);
        int n = motion(read, one);
        assert_int_equal(motion(set, two), n);
        for (int k = 0; k < n; k++)
            if (one[k] != two[k])
                fail_msg("%s: number %d is %.17g as read, %.17g as set", rows[i].name, k, one[k],
                         two[k]);
        nt_run_destroy(read);
        nt_run_destroy(set);
        nt_model_destroy(model);
    }
    nt_model_destroy(plain);
}

static void what_is_refused_changes_nothing(void **state)
{
    (void)state;
    nt_model *model = read_with(NULL, 0);
    nt_run *run = run_of(model);
    nt_error error = {0};
    double before[ROOM], after[ROOM];
    int n = motion(run, before);
    assert_int_equal(nt_model_set(run, "tlit", 1, &error), NT_INVALID);
    assert_non_null(strstr(error.message, "did you mean 'tilt'"));
    assert_int_equal(nt_model_set(run, "m", -1, &error), NT_BAD_MODEL);
    assert_non_null(strstr(error.message, "mass"));
    assert_true(error.line == 4);
    assert_int_equal(nt_model_set(run, "l", 30, &error), NT_BAD_MODEL); /* does not close */
    assert_int_equal(nt_model_set(run, "l", (double)NAN, &error), NT_INVALID);
    assert_int_equal(motion(run, after), n);
    assert_memory_equal(before, after, (size_t)n * sizeof *before);
    nt_run_destroy(run);
    nt_model_destroy(model);
}

/* Runs of one model know nothing of each other. */
static void runs_are_apart(void **state)
{
    (void)state;
    nt_model *model = read_with(NULL, 0);
    nt_run *one = run_of(model), *two = run_of(model);
    double before[ROOM], after[ROOM];
    int n = motion(one, before);
    assert_int_equal(nt_model_set(two, "m", 4, NULL), NT_OK);
    motion(two, after);
    assert_memory_not_equal(before, after, (size_t)n * sizeof *before);
    motion(one, after);
    assert_memory_equal(before, after, (size_t)n * sizeof *before);
    nt_run_destroy(two);
    motion(one, after);
    assert_memory_equal(before, after, (size_t)n * sizeof *before);
    nt_run_destroy(one);
    nt_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(setting_is_reading_with_the_value),
        cmocka_unit_test(what_is_refused_changes_nothing),
        cmocka_unit_test(runs_are_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
