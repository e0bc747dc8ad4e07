/* What a model finds when it is read: where it begins at rest (initial: {static: true}), and
 * unknown parameters (solve); with derivatives, and with words where it cannot. */
#include "analysis/bench.h"

static const char car[] =
    "nutate: 1\n"
    "parameters: {k: 20000, m: 1000, height: 0.3, twice: 2*preload}\n"
    "gravity: [0, 0, -10]\n"
    "solve: {unknowns: {preload: 1000}, conditions: [\"car.position.z - height\"]}\n"
    "initial: {static: true}\n"
    "bodies: {car: {mass: m, inertia: [300, 1200, 1400], position: [0, 0, 0.5]}}\n"
    "joints: {guide: {type: prismatic, between: [ground, car], at: [0, 0, 0.5], axis: [0, 0, 1]}}\n"
    "forces:\n"
    "  spring: {type: spring, between: [ground, car], at: [[0, 0, 0], [0, 0, 0.5]], stiffness: k,\n"
    "           length: 0.4}\n"
    "  lift: {type: force, on: car, value: [0, 0, twice/2]}\n"
    "simulation: {duration: 1, step: 1e-3}\n"
    "output: {record: [car.position]}\n";

static double parameter(const nt_system *system, const char *name)
{
    double p[16];
    system->get_parameters(system->self, p);
    for (int i = 0; i < system->n_parameters; i++)
        if (strcmp(system->parameter_names[i], name) == 0)
            return p[i];
    fail_msg("no parameter %s", name);
    return 0;
}

static int number_of(const nt_system *system, const char *name)
{
    int i = 0;
    while (strcmp(system->parameter_names[i], name) != 0)
        i++;
    return i;
}

/* preload = m g - k (0.4 - height) */
static void unknowns_are_found(void **state)
{
    bench b;
    (void)state;
    open_bench(&b, car, (nt_static_setup){0});
    is_close("preload", parameter(b.system, "preload"), 1e4 - 2e4 * 0.1, 1e-8);
    is_close("twice", parameter(b.system, "twice"), 2 * (1e4 - 2e4 * 0.1), 1e-8);
    is_close("start", b.numbers[2], 0.3, 1e-12);
    assert_int_equal(nt_model_set(b.run, "height", 0.35, &b.error), NT_OK);
    is_close("preload", parameter(b.system, "preload"), 1e4 - 2e4 * 0.05, 1e-8);
    nt_run_initial(b.run, b.numbers, b.numbers + 7, NULL);
    is_close("start", b.numbers[2], 0.35, 1e-12);
    /* the unknown as a first guess changes nothing */
    assert_int_equal(nt_model_set(b.run, "preload", 3, &b.error), NT_OK);
    is_close("preload", parameter(b.system, "preload"), 1e4 - 2e4 * 0.05, 1e-8);
    close_bench(&b);
}

/* The unknowns enter numbers of elements, and where a run of them begins. */
static void numbers_follow(void **state)
{
    static const char spring[] =
        "nutate: 1\n"
        "parameters: {k: 100, weight: 10}\n"
        "gravity: [0, 0, -10]\n"
        "solve: {unknowns: {length: 1}, conditions: [\"a.position.z + 0.2\"]}\n"
        "bodies: {a: {mass: weight/10, point: true, position: [0, 0, 0.1*length]}}\n"
        "joints: {guide: {type: inline, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
        "forces: {s: {type: spring, between: [ground, a], at: [[0, 0, 1], [0, 0, 0.1*length]],\n"
        "  stiffness: k, length: length}}\n";
    bench b;
    (void)state;
    open_bench(&b, spring, (nt_static_setup){0}); /* k (1.2 - length) = weight */
    is_close("length", parameter(b.system, "length"), 1.1, 1e-9);
    is_close("start", b.numbers[2], 0.11, 1e-9);
    solve(&b);
    is_close("height", number(&b, "a.position.z"), -0.2, 1e-9);
    close_bench(&b);
}

static void derivatives_follow(void **state)
{
    static const struct {
        const char *name;
        double start; /* of the height at the start */
    } cases[] = {{"k", 0}, {"m", 0}, {"height", 1}, {"preload", 0}};
    bench b;
    double dq[6], dv[6];
    (void)state;
    open_bench(&b, car, (nt_static_setup){0});
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int k = number_of(b.system, cases[i].name);
        if (nt_run_initial_tangent(b.run, k, dq, dv, NULL, &b.error))
            fail_msg("%s", b.error.message);
        is_close(cases[i].name, dq[2], cases[i].start, 1e-9);
        is_close(cases[i].name, dv[2], 0, 0);
    }
    close_bench(&b);
}

/* A run that begins at rest stays there, to rounding. */
static void run_stays_at_rest(void **state)
{
    bench b;
    nt_integrator_setup setup = {0};
    nt_integrator *it;
    (void)state;
    open_bench(&b, car, (nt_static_setup){0});
    assert_int_equal(nt_run_setup(b.run, &setup, &b.error), NT_OK);
    assert_int_equal(nt_integrator_create(&it, &setup, &b.error), NT_OK);
    assert_int_equal(nt_integrator_start(it, 0, NULL, NULL, NULL, &b.error), NT_OK);
    assert_int_equal(nt_integrator_run(it, 1, 1e-3, NULL, NULL, &b.error), NT_OK);
    is_close("height", nt_integrator_state(it).q[2], 0.3, 1e-12);
    is_close("velocity", nt_integrator_state(it).v[2], 0, 1e-12);
    nt_integrator_destroy(it);
    close_bench(&b);
}

/* ---- what cannot be ------------------------------------------------------------------------- */

static void is_refused(const char *from, const char *to, nt_status status, const char *words)
{
    char text[2000], *at;
    nt_model *model;
    nt_error error = {0};
    strcpy(text, car);
    at = strstr(text, from);
    assert_non_null(at);
    char rest[2000];
    strcpy(rest, at + strlen(from));
    strcpy(at, to);
    strcat(text, rest);
    nt_status got = nt_model_read_text(&model, text, strlen(text), "car", NULL, NULL, 0, &error);
    if (got != status || !strstr(error.message, words))
        fail_msg("status %d, \"%s\"; expected %d, \"%s\"", (int)got, error.message, (int)status,
                 words);
    assert_null(model);
}

static void refusals(void **state)
{
    (void)state;
    is_refused("car.position.z - height", "car.position.x - 1", NT_SINGULAR,
               "the unknowns do not change the condition 'car.position.x - 1'");
    is_refused("mass: m,", "mass: preload/100 + 1,", NT_BAD_MODEL,
               "solve: the conditions lead to preload = -1");
    is_refused("{preload: 1000}", "{preload: 1000, other: 1}", NT_BAD_MODEL,
               "2 unknowns and 1 condition, expected as many of both");
    is_refused("car.position.z - height", "car.place.z - height", NT_BAD_MODEL,
               "'car' has no 'place'");
    is_refused("initial: {static: true}", "static: {hold: [car.rotation.w]}", NT_BAD_MODEL,
               "hold: expected");
    is_refused("initial: {static: true}", "static: {hold: [cart.rotation.z]}", NT_BAD_MODEL,
               "hold: expected");
    is_refused("joints: {guide: {type: prismatic, between: [ground, car], at: [0, 0, 0.5], axis: "
               "[0, 0, 1]}}\n",
               "", NT_SINGULAR, "can move freely");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknowns_are_found), cmocka_unit_test(numbers_follow),
        cmocka_unit_test(derivatives_follow), cmocka_unit_test(run_stays_at_rest),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
