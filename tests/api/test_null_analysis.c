/* The same as test_null.c for analyses: static states, modes, linear models, orbits. */
#include "api/null.h"

static void in_static_states(void **state)
{
    nt_static *st, *out;
    nt_static_setup of = {.system = s};
    nt_stability stability;
    (void)state;
    IS_NULL("state", nt_static_create(NULL, &of, e));
    out = (nt_static *)numbers;
    IS_NULL("setup", nt_static_create(&out, NULL, e));
    assert_null(out);
    nt_static_setup other = {0};
    IS_NULL("setup.system", nt_static_create(&out, &other, e));
    other = of, other.version = 77;
    IS_UNKNOWN("setup.version", nt_static_create(&out, &other, e));
    other = of, other.solver = (nt_solver_kind)77;
    IS_UNKNOWN("setup.solver", nt_static_create(&out, &other, e));
    other = of, other.n_held = 1;
    IS_NULL("setup.held", nt_static_create(&out, &other, e));
    require(nt_static_create(&st, &of, e));
    IS_NULL("state", nt_static_start(NULL, 0, now.q, NULL, NULL, e));
    IS_NULL("q", nt_static_start(st, 0, NULL, NULL, NULL, e));
    IS_NULL("state", nt_static_solve(NULL, e));
    nt_static_friction friction;
    IS_NULL("state", nt_static_friction_at(NULL, 0, &friction, e));
    IS_NULL("out", nt_static_friction_at(st, 0, NULL, e));
    INVALID(nt_static_solve(st, NULL)); /* nothing to begin from */
    assert_true(isnan(nt_static_state(NULL).t));
    assert_int_equal(nt_static_free_count(NULL), 0);
    assert_int_equal(nt_static_rest_count(NULL), 0);
    assert_int_equal(nt_static_lost_rows(NULL), 0);
    assert_int_equal(nt_static_friction_count(NULL), 0);
    assert_int_equal(nt_static_free_entry(NULL, 0), -1);
    assert_int_equal(nt_static_free_entry(st, 0), -1);
    nt_static_path path = {.to = 1};
    nt_loading *loading;
    nt_load_range range = {NULL, 0, 1};
    nt_state_tangent d = {0};
    IS_NULL("run", nt_run_static_setup(NULL, &of, e));
    IS_NULL("setup", nt_run_static_setup(run, NULL, e));
    other.version = 77;
    IS_UNKNOWN("setup.version", nt_run_static_setup(run, &other, e));
    IS_NULL("state", nt_static_follow(NULL, &path, e));
    IS_NULL("path", nt_static_follow(st, NULL, e));
    INVALID(nt_static_follow(st, &path, NULL)); /* no loads */
    path.version = 77;
    IS_UNKNOWN("path.version", nt_static_follow(st, &path, e));
    assert_true(isnan(nt_static_load(NULL)));
    IS_NULL("loading", nt_loading_create(NULL, run, NULL, 0, e));
    IS_NULL("run", nt_loading_create(&loading, NULL, NULL, 0, e));
    assert_null(loading);
    IS_NULL("ranges", nt_loading_create(&loading, run, NULL, 1, e));
    IS_NULL("ranges.name", nt_loading_create(&loading, run, &range, 1, e));
    nt_loading_destroy(NULL);
    INVALID(nt_loading_apply(NULL, 1));
    IS_NULL("state", nt_static_tangent(NULL, 0, &d, e));
    IS_NULL("tangent", nt_static_tangent(st, 0, NULL, e));
    INVALID(nt_static_tangent(st, 0, &d, NULL)); /* nothing was found */
    IS_NULL("state", nt_static_reaction_rates(NULL, 0, &d, 1, numbers, e));
    IS_NULL("tangent", nt_static_reaction_rates(st, 0, NULL, 1, numbers, e));
    IS_NULL("out", nt_static_reaction_rates(st, 0, &d, 1, NULL, e));
    IS_NULL("tangent.q", nt_static_reaction_rates(st, 0, &d, 1, numbers, e));
    IS_NULL("state", nt_static_stability(NULL, &stability, e));
    IS_NULL("stability", nt_static_stability(st, NULL, e));
    IS_NULL("state", nt_static_reactions(NULL, 1, numbers, e));
    IS_NULL("out", nt_static_reactions(st, 1, NULL, e));
    int entries[8];
    assert_int_equal(nt_static_held_count(NULL), 0);
    IS_NULL("state", nt_static_held_forces(NULL, entries, numbers, e));
    IS_NULL("entries", nt_static_held_forces(st, NULL, numbers, e));
    IS_NULL("forces", nt_static_held_forces(st, entries, NULL, e));
    nt_static_destroy(st);
    nt_static_destroy(NULL);
}

static void in_modes(void **state)
{
    nt_reference *reference, *out;
    nt_modes *modes, *found;
    nt_campbell *campbell;
    double turn[3], value = 15;
    char words[8];
    int n[2];
    (void)state;
    IS_NULL("reference", nt_reference_create(NULL, run, NT_ABOUT_INITIAL, e));
    IS_NULL("run", nt_reference_create(&out, NULL, NT_ABOUT_INITIAL, e));
    IS_UNKNOWN("about", nt_reference_create(&out, run, (nt_about)77, e));
    require(nt_reference_create(&reference, run, NT_ABOUT_INITIAL, e));
    assert_null(nt_reference_state(NULL).q);
    nt_reference_turn(NULL, turn);
    nt_reference_turn(reference, NULL);
    assert_true(turn[0] == 0 && nt_reference_unrest(NULL) == 0 &&
                nt_reference_lost_rows(NULL) == 0);
    assert_true(isnan(nt_reference_rate(NULL, 0)) && isnan(nt_reference_rate(reference, 0)));
    assert_null(nt_reference_rate_name(NULL, 0));
    nt_state at = nt_reference_state(reference);
    nt_modes_setup of = {.system = s, .state = &at}, other = {0};
    IS_NULL("modes", nt_modes_create(NULL, &of, e));
    IS_NULL("setup", nt_modes_create(&found, NULL, e));
    IS_NULL("setup.system", nt_modes_create(&found, &other, e));
    other.system = s;
    IS_NULL("setup.state", nt_modes_create(&found, &other, e));
    other.version = 77;
    IS_UNKNOWN("setup.version", nt_modes_create(&found, &other, e));
    require(nt_modes_create(&modes, &of, e));
    assert_int_equal(nt_modes_count(NULL), 0);
    assert_null(nt_modes_at(NULL, 0).shape[0]);
    assert_null(nt_modes_at(modes, 100).shape[0]);
    nt_modes_words(NULL, 0, words, sizeof words);
    assert_string_equal(words, "");
    nt_modes_words(modes, 0, NULL, 0);
    assert_string_equal(nt_modes_finder(NULL), "none");
    nt_modes_freedom(NULL, &n[0], &n[1]);
    nt_modes_freedom(modes, NULL, NULL);
    assert_int_equal(n[0] + n[1], 0);
    nt_mode_rates *rates;
    IS_NULL("rates", nt_mode_rates_create(NULL, modes, run, NT_ABOUT_INITIAL, "m", e));
    IS_NULL("modes", nt_mode_rates_create(&rates, NULL, run, NT_ABOUT_INITIAL, "m", e));
    IS_NULL("run", nt_mode_rates_create(&rates, modes, NULL, NT_ABOUT_INITIAL, "m", e));
    IS_NULL("parameter", nt_mode_rates_create(&rates, modes, run, NT_ABOUT_INITIAL, NULL, e));
    IS_UNKNOWN("about", nt_mode_rates_create(&rates, modes, run, (nt_about)77, "m", e));
    INVALID(nt_mode_rates_create(&rates, modes, run, NT_ABOUT_INITIAL, "none", e));
    assert_null(nt_mode_rates_at(NULL, 0).shape[0]);
    nt_mode_rates_destroy(NULL);
    nt_modes_destroy(modes);
    nt_modes_destroy(NULL);
    assert_string_equal(nt_model_body_name(NULL, 1), "");
    assert_string_equal(nt_model_body_name(model, 9), "");
    INVALID(nt_run_displacement(NULL, 1, at.q, at.v, numbers));
    INVALID(nt_run_displacement(run, 1, NULL, at.v, numbers));
    INVALID(nt_run_displacement(run, 1, at.q, NULL, numbers));
    INVALID(nt_run_displacement(run, 1, at.q, at.v, NULL));
    INVALID(nt_run_displacement(run, 9, at.q, at.v, numbers));
    nt_campbell_setup over = {.run = run, .parameter = "m", .values = &value, .n_values = 1};
    IS_NULL("campbell", nt_campbell_create(NULL, &over, e));
    IS_NULL("setup", nt_campbell_create(&campbell, NULL, e));
    over.parameter = NULL;
    IS_NULL("setup.parameter", nt_campbell_create(&campbell, &over, e));
    over.parameter = "m", over.about = (nt_about)77;
    IS_UNKNOWN("setup.about", nt_campbell_create(&campbell, &over, e));
    over.about = NT_ABOUT_INITIAL, over.n_values = 0;
    INVALID(nt_campbell_create(&campbell, &over, e));
    assert_int_equal(nt_campbell_count(NULL), 0);
    nt_campbell_at(NULL, 0, 0, turn, &value);
    assert_true(isnan(turn[0]) && isnan(value));
    nt_campbell_words(NULL, 0, words, sizeof words);
    nt_campbell_destroy(NULL);
    nt_reference_destroy(reference);
    nt_reference_destroy(NULL);
}

static void in_linear_models(void **state)
{
    nt_linear *l, *out;
    nt_linear_setup of = {.run = run, .state = &now}, other = {0};
    (void)state;
    IS_NULL("linear", nt_linear_create(NULL, &of, e));
    IS_NULL("setup", nt_linear_create(&out, NULL, e));
    IS_NULL("setup.run", nt_linear_create(&out, &other, e));
    other.run = run;
    IS_NULL("setup.state", nt_linear_create(&out, &other, e));
    other = of, other.n_inputs = 1;
    IS_NULL("setup.inputs", nt_linear_create(&out, &other, e));
    other = of, other.n_outputs = 1;
    IS_NULL("setup.outputs", nt_linear_create(&out, &other, e));
    other = of, other.version = 77;
    IS_UNKNOWN("setup.version", nt_linear_create(&out, &other, e));
    require(nt_linear_create(&l, &of, e));
    assert_int_equal(nt_linear_get(NULL).states, 0);
    assert_string_equal(nt_linear_input(NULL, 0), "");
    assert_string_equal(nt_linear_output(l, 0), "");
    INVALID(nt_linear_to_motion(NULL, numbers, numbers, numbers));
    INVALID(nt_linear_to_motion(l, NULL, numbers, numbers));
    INVALID(nt_linear_from_motion(NULL, numbers, numbers, numbers));
    INVALID(nt_linear_from_motion(l, numbers, numbers, NULL));
    INVALID(nt_linear_response(NULL, 1, numbers));
    INVALID(nt_linear_response(l, 1, NULL));
    nt_linear_destroy(l);
    nt_linear_destroy(NULL);
}

static int see(void *context, const nt_orbit *orbit, double value, nt_orbit_event event)
{
    (void)context, (void)orbit, (void)value, (void)event;
    return 0;
}

static void in_orbits(void **state)
{
    nt_integrator_setup steps = setup, none = {0};
    steps.method = nt_method_find("rkmk-dop853");
    steps.n_options = 0;
    nt_orbit_setup of = {
        .integrator = &steps, .q = now.q, .v = now.v, .period = 1, .steps = 8, .n_advances = 0};
    nt_orbit *out = NULL, *orbit = NULL;
    char words[ROOM] = "x";
    (void)state;
    IS_NULL("orbit", nt_orbit_create(NULL, &of, e));
    IS_NULL("setup", nt_orbit_create(&out, NULL, e));
    of.version = 77;
    IS_UNKNOWN("setup.version", nt_orbit_create(&out, &of, e));
    of.version = 0, of.q = NULL;
    IS_NULL("setup.q", nt_orbit_create(&out, &of, e));
    of.q = now.q, of.v = NULL;
    IS_NULL("setup.v", nt_orbit_create(&out, &of, e));
    of.v = now.v, of.integrator = NULL;
    IS_NULL("setup.integrator", nt_orbit_create(&out, &of, e));
    of.integrator = &none;
    IS_NULL("setup.integrator.system", nt_orbit_create(&out, &of, e));
    of.integrator = &steps, of.n_advances = 1;
    IS_NULL("setup.advances", nt_orbit_create(&out, &of, e));
    of.n_advances = 0;
    require(nt_orbit_create(&orbit, &of, e));
    IS_NULL("orbit", nt_orbit_guess_period(NULL, 1, 0.1, e));
    IS_NULL("orbit", nt_orbit_find(NULL, e));
    IS_NULL("orbit", nt_orbit_begin_again(NULL, e));
    assert_int_equal(nt_orbit_state(NULL).dimension, 0);
    assert_string_equal(nt_orbit_words(NULL, words, ROOM), "");
    assert_string_equal(nt_orbit_words(orbit, NULL, ROOM), "");
    IS_NULL("orbit", nt_orbit_check_steps(NULL, numbers, e));
    IS_NULL("miss", nt_orbit_check_steps(orbit, NULL, e));
    IS_NULL("orbit", nt_orbit_tangent(NULL, 0, numbers, NULL, NULL, e));
    IS_NULL("out", nt_orbit_tangent(orbit, 0, NULL, NULL, NULL, e));
    INVALID(nt_orbit_tangent(orbit, 0, numbers, NULL, NULL, e));
    IS_NULL("orbit", nt_orbit_follow(NULL, 0, 1, 1, 2, see, NULL, e));
    IS_NULL("visit", nt_orbit_follow(orbit, 0, 1, 1, 2, NULL, NULL, e));
    nt_orbit_destroy(orbit);
    nt_orbit_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_static_states),
        cmocka_unit_test(in_modes),
        cmocka_unit_test(in_linear_models),
        cmocka_unit_test(in_orbits),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
