/* NULL, and numbers that no enumeration has, given to every public function in each place: a
 * function with a status refuses them with NT_INVALID and, where it takes an error, words that name
 * itself and the argument; the others return what their headers say. tools/check_names sees to it
 * that no function is missing here. */
#include "api/null.h"

static double more[ROOM];

/* ---- layer by layer ------------------------------------------------------------------------- */

static void in_status(void **state)
{
    char out[ROOM] = "x";
    (void)state;
    assert_int_equal(nt_error_text(NULL, out, ROOM), 0);
    assert_string_equal(out, "");
    assert_int_equal(nt_error_text(&error, NULL, ROOM), 0);
    assert_null(nt_suggest(NULL, 1, (const char *const *)&e, 1));
    assert_null(nt_suggest("word", 4, NULL, 1));
    assert_string_equal(nt_status_text((nt_status)77), "unknown status");
    assert_string_equal(nt_version(), NT_VERSION);
}

static void in_linalg(void **state)
{
    nt_pattern *p = pattern;
    nt_matrix *m = matrix;
    nt_solver *out = solver;
    unsigned char dependent[ROOM];
    int n;
    (void)state;
    INVALID(nt_pattern_create(NULL, 1, 1, sizes));
    INVALID(nt_pattern_create(&p, 1, 1, NULL));
    assert_null(p);
    assert_int_equal(nt_pattern_add(NULL, 0, 0, NT_FULL), -1);
    assert_int_equal(nt_pattern_add(pattern, 1, 0, NT_FULL), -1);
    assert_int_equal(nt_pattern_add(pattern, 0, -1, NT_FULL), -1);
    assert_int_equal(nt_pattern_add(pattern, 0, 0, (nt_block_shape)77), -1);
    assert_int_equal(nt_pattern_find(NULL, 0, 0), -1);
    assert_int_equal(nt_pattern_is_single(NULL, 0), 0);
    nt_pattern_pack(NULL);
    nt_pattern_destroy(NULL);
    INVALID(nt_matrix_create(NULL, pattern));
    INVALID(nt_matrix_create(&m, NULL));
    assert_null(m);
    assert_null(nt_matrix_block(NULL, 0));
    numbers[0] = 5;
    nt_matrix_zero(NULL);
    nt_matrix_apply(NULL, numbers, more);
    nt_matrix_apply(matrix, NULL, numbers);
    nt_matrix_apply(matrix, numbers, NULL);
    nt_matrix_dense(NULL, numbers);
    nt_matrix_dense(matrix, NULL);
    assert_true(numbers[0] == 5);
    nt_matrix_destroy(NULL);

    IS_NULL("solver", nt_solver_create(NULL, pattern, NT_SOLVER_AUTO, e));
    IS_NULL("pattern", nt_solver_create(&out, NULL, NT_SOLVER_AUTO, e));
    assert_null(out);
    IS_UNKNOWN("kind", nt_solver_create(&out, pattern, (nt_solver_kind)77, e));
    INVALID(nt_solver_factor(NULL, matrix));
    INVALID(nt_solver_factor(solver, NULL));
    INVALID(nt_solver_factor_clear(NULL, matrix));
    INVALID(nt_solver_factor_clear(solver, NULL));
    INVALID(nt_solver_factor_solve(NULL, matrix, numbers));
    INVALID(nt_solver_factor_solve(solver, NULL, numbers));
    INVALID(nt_solver_factor_solve(solver, matrix, NULL));
    INVALID(nt_solver_solve(NULL, numbers, 1));
    INVALID(nt_solver_solve(solver, NULL, 1));
    INVALID(nt_solver_solve_beside(NULL, numbers, 1));
    INVALID(nt_solver_solve_beside(solver, NULL, 1));
    INVALID(nt_solver_solve_transposed(NULL, numbers, 1));
    INVALID(nt_solver_solve_transposed(solver, NULL, 1));
    INVALID(nt_solver_reserve(NULL));
    INVALID(nt_solver_factor_dependent(NULL, matrix, 1e-9, dependent, &n));
    INVALID(nt_solver_factor_dependent(solver, NULL, 1e-9, dependent, &n));
    INVALID(nt_solver_factor_dependent(solver, matrix, 1e-9, NULL, &n));
    INVALID(nt_solver_factor_dependent(solver, matrix, 1e-9, dependent, NULL));
    INVALID(nt_solver_drop(NULL, NULL, 0));
    INVALID(nt_solver_drop(solver, NULL, 1));
    nt_solver_forget(NULL);
    assert_null(nt_solver_get_statistics(NULL));
    assert_string_equal(nt_solver_name(NULL), "none");
    assert_int_equal(nt_solver_singular_unknown(NULL), -1);
    nt_solver_destroy(NULL);
}

static void in_system(void **state)
{
    nt_system other = *s;
    nt_point at = {.q = now.q, .v = now.v, .vdot = now.vdot, .lambda = now.lambda};
    double difference;
    (void)state;
    IS_NULL("system", nt_system_check(NULL, e));
    other.space.blocks = NULL;
    IS_NULL("system.space.blocks", nt_system_check(&other, e));
    other = *s;
    other.version = 77;
    IS_UNKNOWN("system.version", nt_system_check(&other, e));
    other.version = -1;
    INVALID(nt_system_check(&other, NULL));
    other = *s;
    other.frame = (nt_frame)77;
    IS_UNKNOWN("system.frame", nt_system_check(&other, e));
    nt_terms terms = {.level = (nt_level)77};
    INVALID(s->evaluate(s->self, &at, &terms));
    terms.level = NT_POSITION;
    INVALID(s->evaluate(NULL, &at, &terms));
    INVALID(s->evaluate(s->self, NULL, &terms));
    INVALID(s->evaluate(s->self, &at, NULL));
    IS_NULL("system", nt_system_check_tangent(NULL, &at, 1e-6, &difference, e));
    IS_NULL("at", nt_system_check_tangent(s, NULL, 1e-6, &difference, e));
    at.q = NULL;
    IS_NULL("at.q", nt_system_check_tangent(s, &at, 1e-6, &difference, e));
    at.q = now.q;
    INVALID(nt_system_check_tangent(s, &at, (double)NAN, &difference, e));
    IS_NULL("difference", nt_system_check_tangent(s, &at, 1e-6, NULL, e));
}

static void in_methods(void **state)
{
    const nt_method *method = setup.method;
    nt_option option = {"rho_inf", "0.8"};
    char out[ROOM] = "x";
    int n = 3;
    (void)state;
    assert_null(nt_method_at(-1));
    assert_null(nt_method_at(nt_method_count()));
    assert_null(nt_method_find(NULL));
    assert_string_equal(nt_method_name(NULL), "");
    assert_string_equal(nt_method_summary(NULL), "");
    assert_string_equal(nt_method_reference(NULL), "");
    assert_int_equal(nt_method_controls_error(NULL), 0);
    assert_int_equal(nt_method_keeps_history(NULL), 0);
    assert_int_equal(nt_method_is_linearised(NULL), 0);
    assert_string_equal(nt_method_needs(NULL, out, ROOM), "");
    assert_string_equal(nt_method_needs(method, NULL, ROOM), "");
    assert_null(nt_method_options(NULL, &n));
    assert_int_equal(n, 0);
    assert_non_null(nt_method_options(method, NULL));
    assert_int_equal(nt_method_has_frame(NULL, NT_BODY), 0);
    assert_int_equal(nt_method_has_frame(method, (nt_frame)77), 0);
    IS_NULL("method", nt_method_check_system(NULL, s, e));
    IS_NULL("system", nt_method_check_system(method, NULL, e));
    IS_NULL("method", nt_method_check_tolerance(NULL, s, e));
    IS_NULL("system", nt_method_check_tolerance(method, NULL, e));
    IS_NULL("method", nt_method_check_option(NULL, &option, e));
    IS_NULL("option", nt_method_check_option(method, NULL, e));
    option.name = NULL;
    IS_NULL("option.name", nt_method_check_option(method, &option, e));
    option = (nt_option){"rho_inf", NULL};
    IS_NULL("option.value", nt_method_check_option(method, &option, e));
}

static void in_integrators(void **state)
{
    nt_integrator *out = it;
    nt_integrator_setup other = setup;
    nt_state shown = now;
    const double *q = now.q, *v = now.v;
    (void)state;
    nt_integrator_observe_events(NULL, NULL, NULL);
    nt_integrator_observe_behind(NULL, NULL, NULL);
    assert_int_equal(nt_integrator_ended_by(NULL), -1);
    assert_int_equal(nt_integrator_began_anew(NULL), 0);
    assert_int_equal(nt_integrator_ended_by(it), -1);
    IS_NULL("integrator", nt_integrator_create(NULL, &setup, e));
    IS_NULL("setup", nt_integrator_create(&out, NULL, e));
    assert_null(out);
    other.system = NULL;
    IS_NULL("setup.system", nt_integrator_create(&out, &other, e));
    other = setup, other.method = NULL;
    IS_NULL("setup.method", nt_integrator_create(&out, &other, e));
    other = setup, other.options = NULL, other.n_options = 1;
    IS_NULL("setup.options", nt_integrator_create(&out, &other, e));
    const nt_option nameless = {NULL, "1"}, empty = {"rho_inf", NULL};
    other.options = &nameless;
    IS_NULL("setup.options.name", nt_integrator_create(&out, &other, e));
    other.options = &empty;
    IS_NULL("setup.options.value", nt_integrator_create(&out, &other, e));
    other = setup, other.frame = (nt_frame)77;
    IS_UNKNOWN("setup.frame", nt_integrator_create(&out, &other, e));
    other = setup, other.solver = (nt_solver_kind)77;
    IS_UNKNOWN("setup.solver", nt_integrator_create(&out, &other, e));
    other = setup, other.energy_check = (nt_energy_check)77;
    IS_UNKNOWN("setup.energy_check", nt_integrator_create(&out, &other, e));
    other = setup, other.version = 77;
    IS_UNKNOWN("setup.version", nt_integrator_create(&out, &other, e));

    IS_NULL("integrator", nt_integrator_start(NULL, 0, NULL, NULL, NULL, e));
    IS_NULL("q", nt_integrator_start(it, 0, NULL, v, NULL, e));
    IS_NULL("v", nt_integrator_start(it, 0, q, NULL, NULL, e));
    IS_NULL("integrator", nt_integrator_step(NULL, 1e-3, e));
    IS_NULL("integrator", nt_integrator_refresh(NULL, e));
    IS_NULL("integrator", nt_integrator_switch_rows(NULL, NULL, 0, 1, e));
    assert_int_equal(nt_integrator_row_is_on(NULL, 0), 0);
    IS_NULL("integrator", nt_integrator_run(NULL, 1, 1e-3, NULL, NULL, e));
    assert_int_equal(nt_integrator_is_variable(NULL), 0);
    assert_int_equal(nt_integrator_ends_at_onsets(NULL), 0);
    shown = nt_integrator_state(NULL);
    assert_true(isnan(shown.t) && !shown.q);
    INVALID(nt_state_copy(NULL, numbers, s, &now));
    INVALID(nt_state_copy(&shown, NULL, s, &now));
    INVALID(nt_state_copy(&shown, numbers, NULL, &now));
    INVALID(nt_state_copy(&shown, numbers, s, NULL));
    assert_int_equal(nt_state_room(NULL), 0);
    INVALID(nt_integrator_dense(NULL, 0, &shown));
    INVALID(nt_integrator_dense(it, 0, NULL));
    IS_NULL("integrator", nt_integrator_balance(NULL, &now, &shown, e));
    IS_NULL("state", nt_integrator_balance(it, NULL, &shown, e));
    IS_NULL("balanced", nt_integrator_balance(it, &now, NULL, e));
    assert_int_equal(nt_integrator_saved_size(NULL), 0);
    assert_int_equal(nt_integrator_saves_whole(NULL), 0);
    nt_integrator_save(NULL, numbers);
    nt_integrator_save(it, NULL);
    IS_NULL("integrator", nt_integrator_restore(NULL, numbers, sizeof numbers, e));
    IS_NULL("bytes", nt_integrator_restore(it, NULL, sizeof numbers, e));
    assert_null(nt_integrator_statistics(NULL));
    assert_null(nt_integrator_system(NULL));
    INVALID(nt_integrator_drift(NULL, numbers, more));
    INVALID(nt_integrator_drift(it, NULL, more));
    INVALID(nt_integrator_drift(it, numbers, NULL));
    IS_NULL("integrator", nt_integrator_reactions(NULL, &now, 1, numbers, e));
    IS_NULL("state", nt_integrator_reactions(it, NULL, 1, numbers, e));
    IS_NULL("out", nt_integrator_reactions(it, &now, 1, NULL, e));
    shown = (nt_state){0};
    IS_NULL("state.q", nt_integrator_reactions(it, &shown, 1, numbers, e));
    shown = now, shown.lambda = NULL;
    IS_NULL("state.lambda", nt_integrator_reactions(it, &shown, 1, numbers, e));
    INVALID(nt_integrator_reactions(it, &now, (double)NAN, numbers, e));
    INVALID(nt_integrator_reactions(it, &now, 0, numbers, e));
    assert_int_equal(nt_integrator_redundant(NULL, NULL, 0), 0);
    IS_NULL("integrator", nt_integrator_check_energy(NULL, e));
    assert_int_equal(nt_integrator_energy_warning(NULL, NULL, 0), 0);
    assert_int_equal(nt_integrator_step_warning(NULL, NULL, 0), 0);
    assert_int_equal(nt_integrator_failed_unknown(NULL), -1);
    nt_integrator_destroy(NULL);
}

static void in_sensitivities(void **state)
{
    nt_sensitivity *out = sensitivity;
    nt_state_tangent d = nt_sensitivity_state(sensitivity, 0);
    (void)state;
    IS_NULL("sensitivity", nt_sensitivity_create(NULL, it, sizes, 1, e));
    IS_NULL("integrator", nt_sensitivity_create(&out, NULL, sizes, 1, e));
    assert_null(out);
    IS_NULL("parameters", nt_sensitivity_create(&out, it, NULL, 1, e));
    IS_NULL("sensitivity", nt_sensitivity_start(NULL, e));
    IS_NULL("sensitivity", nt_sensitivity_start_from(NULL, numbers, more, e));
    IS_NULL("sensitivity", nt_sensitivity_restore(NULL, numbers, sizeof numbers, e));
    IS_NULL("bytes", nt_sensitivity_restore(sensitivity, NULL, sizeof numbers, e));
    assert_int_equal(nt_sensitivity_saved_size(NULL), 0);
    nt_sensitivity_save(NULL, numbers);
    nt_sensitivity_save(sensitivity, NULL);
    assert_int_equal(nt_sensitivity_count(NULL), 0);
    assert_int_equal(nt_sensitivity_parameter(NULL, 0), -1);
    assert_int_equal(nt_sensitivity_parameter(sensitivity, 1), -1);
    assert_null(nt_sensitivity_state(NULL, 0).q);
    assert_true(nt_sensitivity_event_time(NULL, 0) == 0);
    assert_null(nt_sensitivity_state(sensitivity, 1).q);
    INVALID(nt_state_tangent_copy(NULL, numbers, s, &d));
    INVALID(nt_state_tangent_copy(&d, NULL, s, &d));
    INVALID(nt_state_tangent_copy(&d, numbers, NULL, &d));
    INVALID(nt_state_tangent_copy(&d, numbers, s, NULL));
    nt_state_rate still = nt_state_rate_along(NULL, 2);
    assert_true(!still.dq && !still.dmemory && still.work == 0 && still.parameter == 2);
    INVALID(nt_sensitivity_dense(NULL, 0, 0, &d));
    INVALID(nt_sensitivity_dense(sensitivity, 1, 0, &d));
    INVALID(nt_sensitivity_dense(sensitivity, 0, 0, NULL));
    nt_state at = nt_integrator_state(it);
    IS_NULL("sensitivity", nt_sensitivity_balance(NULL, 0, &at, &d, e));
    INVALID(nt_sensitivity_balance(sensitivity, 1, &at, &d, e));
    IS_NULL("state", nt_sensitivity_balance(sensitivity, 0, NULL, &d, e));
    IS_NULL("tangent", nt_sensitivity_balance(sensitivity, 0, &at, NULL, e));
    IS_NULL("sensitivity", nt_sensitivity_reactions(NULL, 0, &now, &d, 1, numbers, e));
    IS_NULL("state", nt_sensitivity_reactions(sensitivity, 0, NULL, &d, 1, numbers, e));
    IS_NULL("tangent", nt_sensitivity_reactions(sensitivity, 0, &now, NULL, 1, numbers, e));
    IS_NULL("out", nt_sensitivity_reactions(sensitivity, 0, &now, &d, 1, NULL, e));
    INVALID(nt_sensitivity_reactions(sensitivity, 1, &now, &d, 1, numbers, e));
    INVALID(nt_sensitivity_reactions(sensitivity, 0, &now, &d, (double)NAN, numbers, e));
    const nt_state empty = {0};
    const nt_state_tangent none = nt_sensitivity_state(sensitivity, 1);
    IS_NULL("state.q", nt_sensitivity_reactions(sensitivity, 0, &empty, &d, 1, numbers, e));
    IS_NULL("tangent.q", nt_sensitivity_reactions(sensitivity, 0, &now, &none, 1, numbers, e));
    assert_true(isnan(nt_sensitivity_difference_error(NULL, 0)));
    nt_sensitivity_destroy(NULL);
}

static void in_models(void **state)
{
    nt_model *out = model;
    nt_setting setting = {NULL, "2"};
    const size_t n = strlen(text);
    char a[ROOM], b[ROOM], c[ROOM];
    int line = 3, column = 3;
    size_t length = 3;
    (void)state;
    IS_NULL("model", nt_model_read(NULL, "a.yaml", NULL, 0, e));
    IS_NULL("path", nt_model_read(&out, NULL, NULL, 0, e));
    assert_null(out);
    IS_NULL("settings", nt_model_read(&out, "a.yaml", NULL, 1, e));
    IS_NULL("model", nt_model_read_text(NULL, text, n, "a", NULL, NULL, 0, e));
    IS_NULL("text", nt_model_read_text(&out, NULL, n, "a", NULL, NULL, 0, e));
    IS_NULL("name", nt_model_read_text(&out, text, n, NULL, NULL, NULL, 0, e));
    IS_NULL("settings", nt_model_read_text(&out, text, n, "a", NULL, NULL, 1, e));
    IS_NULL("settings.key", nt_model_read_text(&out, text, n, "a", NULL, &setting, 1, e));
    setting = (nt_setting){"m", NULL};
    IS_NULL("settings.value", nt_model_read_text(&out, text, n, "a", NULL, &setting, 1, e));
    assert_null(nt_model_table_file(NULL, 0));
    assert_null(nt_model_simulation(NULL));
    assert_int_equal(nt_model_key_place(NULL, "simulation", &line, &column), 0);
    assert_int_equal(nt_model_key_place(model, NULL, &line, &column), 0);
    assert_int_equal(line, 0);
    assert_int_equal(nt_model_key_place(model, "simulation", NULL, NULL), 1);
    assert_null(nt_model_title(NULL));
    assert_null(nt_model_text(NULL, &length));
    assert_int_equal(length, 0);
    assert_non_null(nt_model_text(model, NULL));
    IS_NULL("model", nt_model_quantity(NULL, "energy", &quantity, e));
    IS_NULL("name", nt_model_quantity(model, NULL, &quantity, e));
    IS_NULL("quantity", nt_model_quantity(model, "energy", NULL, e));
    nt_model_quantity_column(NULL, &quantity, 0, a, b, c, ROOM);
    nt_model_quantity_column(model, NULL, 0, a, b, c, ROOM);
    assert_true(!*a && !*b && !*c);
    nt_model_quantity_column(model, &quantity, 0, NULL, b, c, ROOM);
    nt_model_quantity_column(model, &quantity, 0, a, NULL, c, ROOM);
    nt_model_quantity_column(model, &quantity, 0, a, b, NULL, ROOM);
    assert_int_equal(nt_model_objective_count(NULL), 0);
    assert_null(nt_model_objective(NULL, 0).name);
    assert_int_equal(nt_model_has_power(NULL), 0);
    assert_int_equal(nt_model_count(NULL).bodies, 0);
    nt_model_redundant_text(NULL, 0, a, ROOM);
    nt_model_redundant_text(model, 0, a, ROOM);
    assert_string_equal(a, "");
    nt_model_redundant_text(model, 0, NULL, ROOM);
    assert_int_equal(nt_model_remark(NULL, 0, e), 0);
    assert_int_equal(nt_model_remark(model, 0, NULL), 0);
    assert_int_equal(nt_plugin_load(NULL, e), NT_INVALID);
    assert_null(nt_plugin_file(0));
    assert_null(nt_plugin_file(-1));
    assert_int_equal(nt_model_rough_motion(NULL, 0, e), 0);
    assert_int_equal(nt_model_rough_motion(model, 0, NULL), 0);
    assert_int_equal(nt_model_pulse(NULL, 0, 1, 1, 0, e), 0);
    assert_int_equal(nt_model_pulse(model, 0, 1, 1, 0, NULL), 0);
    assert_int_equal(nt_run_warning(NULL, 0, a, ROOM), 0);
    assert_int_equal(nt_model_event_count(NULL), 0);
    assert_int_equal(nt_model_sliding_count(NULL), 0);
    assert_int_equal(nt_model_limit_count(NULL), 0);
    assert_int_equal(nt_model_creeps(NULL, 0, a, ROOM), 0);
    assert_int_equal(nt_model_creeps(model, 0, NULL, ROOM), 0);
    assert_int_equal(nt_model_event_count(model), 0);
    assert_null(nt_model_event_name(NULL, 0));
    assert_null(nt_model_event_name(model, 0));
    assert_null(nt_model_event_end(NULL, 0));
    assert_null(nt_model_event_end(model, 0));
    assert_int_equal(nt_model_jump(NULL, 0, e), 0);
    assert_int_equal(nt_model_jump(model, 0, NULL), 0);
    assert_int_equal(nt_model_clock(NULL, e), 0);
    assert_int_equal(nt_model_clock(model, NULL), 0);
    assert_int_equal(nt_model_schema(NULL, ROOM), nt_model_schema(NULL, 0));
    nt_model_destroy(NULL);
    char *imported = NULL, *notes = NULL;
    IS_NULL("format", nt_model_import(NULL, "x", NULL, &imported, &notes, e));
    IS_NULL("path", nt_model_import("windio", NULL, NULL, &imported, &notes, e));
    IS_NULL("text", nt_model_import("windio", "x", NULL, NULL, &notes, e));
    IS_NULL("notes", nt_model_import("windio", "x", NULL, &imported, NULL, e));
}

static void in_runs(void **state)
{
    nt_run *out = run;
    nt_integrator_setup other = {0};
    nt_state_rate rate = {.parameter = -1};
    const double *r = NULL;
    (void)state;
    IS_NULL("run", nt_run_create(NULL, model, e));
    IS_NULL("model", nt_run_create(&out, NULL, e));
    assert_null(out);
    assert_null(nt_run_model(NULL));
    assert_null(nt_run_system(NULL));
    IS_NULL("run", nt_model_set(NULL, "m", 1, e));
    IS_NULL("name", nt_model_set(run, NULL, 1, e));
    const int first = 0;
    IS_NULL("run", nt_model_set_several(NULL, &first, numbers, 1, e));
    IS_NULL("parameters", nt_model_set_several(run, NULL, numbers, 1, e));
    IS_NULL("values", nt_model_set_several(run, &first, NULL, 1, e));
    IS_NULL("run", nt_run_set_threads(NULL, 1, e));
    IS_NULL("run", nt_run_setup(NULL, &other, e));
    IS_NULL("setup", nt_run_setup(run, NULL, e));
    IS_NULL("run", nt_run_bound_steps(NULL, 0, 1, &other, e));
    IS_NULL("setup", nt_run_bound_steps(run, 0, 1, NULL, e));
    other.version = 77;
    IS_UNKNOWN("setup.version", nt_run_setup(run, &other, e));
    nt_run_initial(NULL, numbers, more, NULL);
    nt_run_initial(run, NULL, more, NULL);
    nt_run_initial(run, numbers, NULL, NULL);
    IS_NULL("run", nt_run_prepare_parameters(NULL, NULL, 0, e));
    IS_NULL("run", nt_run_initial_tangent(NULL, 0, numbers, more, NULL, e));
    IS_NULL("dq", nt_run_initial_tangent(run, 0, NULL, more, NULL, e));
    IS_NULL("dv", nt_run_initial_tangent(run, 0, numbers, NULL, NULL, e));
    assert_true(nt_run_parameter_error(NULL) == 0);
    assert_string_equal(nt_run_corrections(NULL), "");
    assert_true(nt_run_length(NULL) == 0);
    IS_NULL("run", nt_run_sample(NULL, &quantity, &now, r, numbers, e));
    IS_NULL("quantity", nt_run_sample(run, NULL, &now, r, numbers, e));
    IS_NULL("state", nt_run_sample(run, &quantity, NULL, r, numbers, e));
    IS_NULL("out", nt_run_sample(run, &quantity, &now, r, NULL, e));
    IS_NULL("run", nt_run_sample_tangent(NULL, &quantity, 1, &now, r, &rate, r, numbers, e));
    IS_NULL("quantities", nt_run_sample_tangent(run, NULL, 1, &now, r, &rate, r, numbers, e));
    IS_NULL("state", nt_run_sample_tangent(run, &quantity, 1, NULL, r, &rate, r, numbers, e));
    IS_NULL("rate", nt_run_sample_tangent(run, &quantity, 1, &now, r, NULL, r, numbers, e));
    IS_NULL("out", nt_run_sample_tangent(run, &quantity, 1, &now, r, &rate, r, NULL, e));
    IS_NULL("run", nt_run_objective_values(NULL, &now, r, numbers, e));
    IS_NULL("state", nt_run_objective_values(run, NULL, r, numbers, e));
    IS_NULL("out", nt_run_objective_values(run, &now, r, NULL, e));
    IS_NULL("run", nt_run_objective_tangent(NULL, &now, r, &rate, r, numbers, e));
    IS_NULL("state", nt_run_objective_tangent(run, NULL, r, &rate, r, numbers, e));
    IS_NULL("rate", nt_run_objective_tangent(run, &now, r, NULL, r, numbers, e));
    IS_NULL("out", nt_run_objective_tangent(run, &now, r, &rate, r, NULL, e));
    const nt_state empty = {0};
    nt_state half = now;
    half.lambda = NULL;
    IS_NULL("state.q", nt_run_sample(run, &quantity, &empty, r, numbers, e));
    IS_NULL("state.lambda", nt_run_sample(run, &quantity, &half, r, numbers, e));
    IS_NULL("state.q", nt_run_sample_tangent(run, &quantity, 1, &empty, r, &rate, r, numbers, e));
    IS_NULL("state.q", nt_run_objective_values(run, &empty, r, numbers, e));
    IS_NULL("state.q", nt_run_objective_tangent(run, &empty, r, &rate, r, numbers, e));
    const nt_quantity_info none[] = {{0},
                                     {.kind = 77000, .columns = 1},
                                     {.kind = quantity.kind, .object = 77, .columns = 1},
                                     {.kind = quantity.kind, .object = -1, .columns = 1},
                                     {.kind = quantity.kind, .first = 2, .columns = 3}};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        char name[ROOM] = "x", unit[ROOM], meaning[ROOM];
        INVALID(nt_run_sample(run, &none[i], &now, r, numbers, e));
        assert_non_null(strstr(error.message, "nt_run_sample: quantity 0 is none of this model"));
        INVALID(nt_run_sample_tangent(run, &none[i], 1, &now, r, &rate, r, numbers, e));
        nt_model_quantity_column(model, &none[i], 0, name, unit, meaning, ROOM);
        assert_string_equal(name, "");
    }
    rate.version = 77;
    IS_UNKNOWN("rate.version",
               nt_run_sample_tangent(run, &quantity, 1, &now, r, &rate, r, numbers, e));
    IS_UNKNOWN("rate.version", nt_run_objective_tangent(run, &now, r, &rate, r, numbers, e));
    nt_run_stop_when(NULL, NULL, NULL); /* nothing */
    nt_run_destroy(NULL);
}

static void in_output(void **state)
{
    nt_record *out = record;
    nt_objectives *other = objectives;
    const nt_result_file file = {"a.csv", NT_CSV};
    (void)state;
    IS_NULL("record", nt_record_open(NULL, run, "a.csv", NT_CSV, NULL, e));
    IS_NULL("run", nt_record_open(&out, NULL, "a.csv", NT_CSV, NULL, e));
    assert_null(out);
    IS_NULL("path", nt_record_open(&out, run, NULL, NT_CSV, NULL, e));
    IS_UNKNOWN("format", nt_record_open(&out, run, "a.csv", (nt_record_format)77, NULL, e));
    nt_record_setup of = {.run = run, .files = &file, .n_files = 1};
    IS_NULL("record", nt_record_create(NULL, &of, e));
    IS_NULL("setup", nt_record_create(&out, NULL, e));
    of.run = NULL;
    IS_NULL("setup.run", nt_record_create(&out, &of, e));
    of.run = run, of.files = NULL;
    IS_NULL("setup.files", nt_record_create(&out, &of, e));
    nt_result_file bad = {NULL, NT_CSV};
    nt_result_column first = {"load", "", NULL};
    of.files = &bad;
    IS_NULL("setup.files.path", nt_record_create(&out, &of, e));
    bad = (nt_result_file){"null_bad.csv", (nt_record_format)77};
    IS_UNKNOWN("setup.files.format", nt_record_create(&out, &of, e));
    of.files = &file, of.first = &first, of.n_first = 1;
    IS_NULL("setup.first.meaning", nt_record_create(&out, &of, e));
    of.first = NULL, of.n_first = 0, of.n_parameters = 1;
    IS_NULL("setup.parameters", nt_record_create(&out, &of, e));
    const int no_parameter = 77;
    of.parameters = &no_parameter;
    IS_UNKNOWN("setup.parameters[i]", nt_record_create(&out, &of, e));
    of.version = 77;
    IS_UNKNOWN("setup.version", nt_record_create(&out, &of, e));
    assert_int_equal(nt_record_saved_size(NULL), 0);
    IS_NULL("record", nt_record_save(NULL, numbers, 0, e));
    IS_NULL("bytes", nt_record_save(record, NULL, 0, e));
    nt_record_row row = {0};
    char said[80];
    IS_NULL("record", nt_record_put(NULL, &row, e));
    IS_NULL("row", nt_record_put(record, NULL, e));
    IS_NULL("row.state", nt_record_put(record, &row, e));
    const nt_state empty = {0};
    row.state = &empty;
    IS_NULL("row.state.q", nt_record_put(record, &row, e));
    IS_NULL("state.q", nt_record_write(record, it, &empty, e));
    row.state = &now;
    IS_NULL("row.first", nt_record_put(record, &row, e));
    row.version = 77;
    IS_UNKNOWN("row.version", nt_record_put(record, &row, e));
    IS_NULL("record", nt_record_write(NULL, it, &now, e));
    IS_NULL("integrator", nt_record_write(record, NULL, &now, e));
    IS_NULL("state", nt_record_write(record, it, NULL, e));
    IS_NULL("record", nt_record_advance(NULL, it, e));
    IS_NULL("integrator", nt_record_advance(record, NULL, e));
    assert_int_equal(nt_record_rows(NULL), 0);
    assert_int_equal(nt_record_warning(NULL, it, &now, said, sizeof said), 0);
    assert_int_equal(nt_record_warning(record, it, NULL, said, sizeof said), 0);
    assert_int_equal(nt_record_warning(record, it, &empty, said, sizeof said), 0);
    assert_int_equal(nt_record_warning(record, it, &now, NULL, 0), 0);
    assert_int_equal(nt_record_close(NULL, e), NT_OK);
    IS_NULL("objectives", nt_objectives_create(NULL, run, it, NULL, e));
    IS_NULL("run", nt_objectives_create(&other, NULL, it, NULL, e));
    assert_null(other);
    IS_NULL("integrator", nt_objectives_create(&other, run, NULL, NULL, e));
    nt_objectives_restart(NULL);
    assert_int_equal(nt_objectives_saved_size(NULL), 0);
    nt_objectives_save(NULL, numbers);
    nt_objectives_save(objectives, NULL);
    IS_NULL("objectives", nt_objectives_restore(NULL, numbers, sizeof numbers, e));
    IS_NULL("bytes", nt_objectives_restore(objectives, NULL, sizeof numbers, e));
    IS_NULL("objectives", nt_objectives_advance(NULL, e));
    assert_true(isnan(nt_objectives_value(NULL, 0)));
    assert_true(isnan(nt_objectives_value(objectives, 1)));
    assert_true(isnan(nt_objectives_derivative(NULL, 0, 0)));
    assert_true(isnan(nt_objectives_derivative(objectives, 0, 1)));
    nt_objectives_destroy(NULL);
}

static void in_results(void **state)
{
    nt_result_writer *writer = (nt_result_writer *)numbers, *none = writer;
    nt_result *result = NULL;
    nt_result_file file = {NULL, NT_CSV};
    const nt_result_column column = {"t", "s", "time"};
    nt_result_setup of = {.files = &file, .n_files = 1, .columns = &column, .n_columns = 1};
    (void)state;
    IS_NULL("writer", nt_result_create(NULL, &of, e));
    IS_NULL("setup", nt_result_create(&none, NULL, e));
    assert_null(none);
    IS_NULL("setup.files.path", nt_result_create(&none, &of, e));
    file = (nt_result_file){"null.csv", (nt_record_format)77};
    IS_UNKNOWN("setup.files.format", nt_result_create(&none, &of, e));
    of.files = NULL;
    IS_NULL("setup.files", nt_result_create(&none, &of, e));
    of.files = &file, of.columns = NULL;
    IS_NULL("setup.columns", nt_result_create(&none, &of, e));
    nt_result_column nameless = {"t", NULL, "time"};
    nt_result_array array = {"a", "m", "array", "body", "vector", 1, 3, NULL};
    nt_result_attribute attribute = {"title", NULL, 0};
    nt_result_words words = {0, NULL, 1};
    file = (nt_result_file){"null_result.nc", NT_NETCDF};
    of.columns = &nameless;
    IS_NULL("setup.columns[0].unit", nt_result_create(&none, &of, e));
    of.columns = &column, of.n_arrays = 1;
    IS_NULL("setup.arrays", nt_result_create(&none, &of, e));
    of.arrays = &array;
    IS_NULL("setup.arrays[0].item_names", nt_result_create(&none, &of, e));
    array.item_names = &(const char *){NULL};
    IS_NULL("setup.arrays[0].item_names", nt_result_create(&none, &of, e));
    array.component = NULL;
    IS_NULL("setup.arrays[0].component", nt_result_create(&none, &of, e));
    of.n_arrays = 0, of.n_attributes = 1;
    IS_NULL("setup.attributes", nt_result_create(&none, &of, e));
    of.attributes = &attribute;
    IS_NULL("setup.attributes[0].value", nt_result_create(&none, &of, e));
    of.n_attributes = 0, of.n_words = 1;
    IS_NULL("setup.words", nt_result_create(&none, &of, e));
    of.words = &words;
    IS_NULL("setup.words[0].words", nt_result_create(&none, &of, e));
    words.words = &(const char *){NULL};
    IS_NULL("setup.words[0].words[0]", nt_result_create(&none, &of, e));
    of.n_words = 0;
    of.version = 77;
    IS_UNKNOWN("setup.version", nt_result_create(&none, &of, e));
    IS_NULL("writer", nt_result_write(NULL, numbers, e));
    IS_NULL("values", nt_result_write(writer, NULL, e));
    IS_NULL("writer", nt_result_keep_up(NULL, e));
    assert_int_equal(nt_result_saved_size(NULL), 0);
    IS_NULL("writer", nt_result_save(NULL, numbers, 0, e));
    IS_NULL("bytes", nt_result_save(writer, NULL, 0, e));
    assert_int_equal(nt_result_written(NULL), 0);
    assert_int_equal(nt_result_finish(NULL, e), NT_OK);
    assert_null(nt_result_beside(NULL, "events"));
    assert_null(nt_result_beside("a.csv", NULL));

    IS_NULL("result", nt_result_open(NULL, "null.csv", e));
    IS_NULL("path", nt_result_open(&result, NULL, e));
    assert_null(result);
    assert_int_equal(nt_result_format(NULL), NT_CSV);
    assert_int_equal(nt_result_rows(NULL), 0);
    assert_int_equal(nt_result_column_count(NULL), 0);
    assert_null(nt_result_column_at(NULL, 0).name);
    assert_int_equal(nt_result_array_count(NULL), 0);
    assert_null(nt_result_array_at(NULL, 0).name);
    assert_int_equal(nt_result_attribute_count(NULL), 0);
    assert_null(nt_result_attribute_at(NULL, 0).name);
    assert_int_equal(nt_result_find(NULL, "t"), -1);
    assert_null(nt_result_text(NULL, 0, 0));
    assert_string_equal(nt_result_failure(NULL, 0), "");
    IS_NULL("result", nt_result_read(NULL, 0, 1, numbers, e));
    IS_NULL("values", nt_result_read((nt_result *)numbers, 0, 1, NULL, e));
    IS_NULL("result", nt_result_read_array(NULL, 0, 0, 1, numbers, e));
    IS_NULL("values", nt_result_read_array((nt_result *)numbers, 0, 0, 1, NULL, e));
    IS_NULL("values", nt_fourier_transform(NULL, 2, e));
    IS_NULL("result", nt_result_draw(NULL, "x", NT_GLTF, 0, NULL, 0, e));
    IS_NULL("path", nt_result_draw((nt_result *)numbers, NULL, NT_GLTF, 0, NULL, 0, e));
    IS_NULL("samples", nt_spectrum(NULL, 2, NT_WINDOW_HANN, numbers, e));
    IS_NULL("amplitude", nt_spectrum(numbers, 2, NT_WINDOW_HANN, NULL, e));
    nt_result_close(NULL);

    const char *const results[] = {"null.csv"};
    nt_report_setup page = {.path = "a.html", .page = "report.html", .results = results};
    IS_NULL("setup", nt_report_write(NULL, e));
    page.path = NULL;
    IS_NULL("setup.path", nt_report_write(&page, e));
    page.path = "a.html";
    page.page = NULL;
    IS_NULL("setup.page", nt_report_write(&page, e));
    page.page = "report.html";
    page.results = NULL;
    IS_NULL("setup.results", nt_report_write(&page, e));
    page.version = 77;
    IS_UNKNOWN("setup.version", nt_report_write(&page, e));
}

static void in_element_types(void **state)
{
    nt_element element = {.n_ports = 1};
    nt_place_of_point point = {.marker = -1};
    double offset[3];
    (void)state;
    IS_NULL("type", nt_element_type_add(NULL, e));
    assert_true(nt_element_type_count() > 0);
    assert_null(nt_element_type_at(-1));
    assert_null(nt_element_type_at(nt_element_type_count()));
    assert_null(nt_element_data_in(NULL, &element));
    assert_null(nt_element_data_in(run, NULL));
    assert_null(nt_element_data_of(NULL, &element));
    assert_null(nt_element_data_of(model, NULL));
    assert_null(nt_element_numbers_in(NULL, &element));
    assert_null(nt_element_numbers_in(run, NULL));
    IS_NULL("run", nt_element_point(NULL, &element, &point, 0, true, offset, e));
    IS_NULL("element", nt_element_point(run, NULL, &point, 0, true, offset, e));
    IS_NULL("point", nt_element_point(run, &element, NULL, 0, true, offset, e));
    IS_NULL("offset", nt_element_point(run, &element, &point, 0, true, NULL, e));
    IS_UNKNOWN("body", nt_element_point(run, &element, &point, 77, true, offset, e));
    IS_NULL("run", nt_element_refuse(NULL, &element, e, "words"));
    IS_NULL("element", nt_element_refuse(run, NULL, e, "words"));
    IS_NULL("words", nt_element_refuse(run, &element, e, NULL));
    nt_model *own = (nt_model *)numbers; /* not looked into */
    const nt_view view = {.run = run};
    assert_int_equal(nt_element_port_of_body(NULL, &element, 0), -1);
    assert_int_equal(nt_element_port_of_body(own, NULL, 0), -1);
    assert_int_equal(nt_element_port_of_body(own, &element, -1), -1);
    assert_int_equal(nt_element_port_of_own(NULL, &element), -1);
    assert_int_equal(nt_element_port_of_own(own, NULL), -1);
    assert_int_equal(nt_view_port_of_body(NULL, 0), -1);
    assert_int_equal(nt_view_port_of_own(NULL), -1);
    assert_true(nt_view_rate_map(NULL, 0, 2, 3).xx == 2);
    assert_true(nt_view_acceleration_map(NULL, 0, 2, 3).yy == 2);
    INVALID(nt_element_couple(NULL, &element, 0, 0, NT_FULL));
    INVALID(nt_element_couple(own, NULL, 0, 0, NT_FULL));
    INVALID(nt_element_couple(own, &element, 1, 0, NT_FULL));
    INVALID(nt_element_couple(own, &element, 0, -1, NT_FULL));
    INVALID(nt_element_couple(own, &element, 0, 0, (nt_block_shape)77));
    INVALID(nt_element_couple_pair(NULL, &element));
    INVALID(nt_element_couple_pair(own, NULL));
    INVALID(nt_element_couple_rows(NULL, &element));
    INVALID(nt_element_couple_rows(own, NULL));
    INVALID(nt_element_add_pair(NULL, &view, NULL));
    INVALID(nt_element_add_pair(&element, NULL, NULL));
    INVALID(nt_element_add_pair(&element, &view, NULL));
    INVALID(nt_element_add_rows(NULL, &view, NULL));
    INVALID(nt_element_add_rows(&element, NULL, NULL));
    INVALID(nt_element_add_rows(&element, &view, NULL));
    nt_v3 force = {0}, torque = {0};
    nt_element_pair_reaction(NULL, &view, NULL, &force, &torque);
    assert_true(isnan(force.x) && isnan(torque.z));
    nt_element_pair_reaction(&element, &view, NULL, NULL, NULL);
    force = torque = (nt_v3){0};
    nt_element_rows_reaction(&element, NULL, NULL, &force, &torque);
    assert_true(isnan(force.x) && isnan(torque.z));
    nt_element_rows_reaction(&element, &view, NULL, NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_status),        cmocka_unit_test(in_linalg),
        cmocka_unit_test(in_system),        cmocka_unit_test(in_methods),
        cmocka_unit_test(in_integrators),   cmocka_unit_test(in_sensitivities),
        cmocka_unit_test(in_models),        cmocka_unit_test(in_runs),
        cmocka_unit_test(in_output),        cmocka_unit_test(in_results),
        cmocka_unit_test(in_element_types),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
