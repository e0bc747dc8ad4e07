/* Numbers that are none (negative counts, numbers of things that there are not, NaN and infinite
 * values), given to every public function that takes a count, an index or a number. A function with
 * a status refuses them with NT_INVALID and, where it takes an error, words that name the number
 * that it was given; the others return what their headers say of a thing that is not there. */
#include "api/numbers.h"

#include <stdlib.h>

static double more[ROOM];

/* ---- what stands below the model ------------------------------------------------------------ */

static void in_linalg(void **state)
{
    nt_pattern *p;
    const int wrong_sizes[2] = {0, -3}, huge[2] = {INT_MAX, INT_MAX}, one[1] = {7};
    unsigned char dependent[ROOM];
    int n, slots[] = {-1, 1, 77, INT_MIN, INT_MAX};
    (void)state;
    INVALID(nt_pattern_create(&p, -1, 0, sizes));
    assert_null(p);
    INVALID(nt_pattern_create(&p, 1, -1, sizes));
    INVALID(nt_pattern_create(&p, 1, 2, sizes));
    INVALID(nt_pattern_create(&p, INT_MAX, 1, sizes));
    INVALID(nt_pattern_create(&p, 1, 1, &wrong_sizes[0]));
    INVALID(nt_pattern_create(&p, 1, 1, &wrong_sizes[1]));
    INVALID(nt_pattern_create(&p, 2, 2, huge));
    for (int i = 0; i < 5; i++) {
        assert_int_equal(nt_pattern_add(pattern, slots[i], 0, NT_FULL), -1);
        assert_int_equal(nt_pattern_add(pattern, 0, slots[i], NT_FULL), -1);
        assert_int_equal(nt_pattern_find(pattern, slots[i], 0), -1);
        assert_int_equal(nt_pattern_find(pattern, 0, slots[i]), -1);
        assert_int_equal(nt_pattern_is_single(pattern, slots[i]), 0);
        assert_null(nt_matrix_block(matrix, slots[i]));
    }
    double *block = nt_matrix_block(matrix, 0);
    assert_non_null(block);
    block[0] = block[3] = 2;
    assert_int_equal(nt_solver_factor(solver, matrix), NT_OK);
    numbers[0] = numbers[1] = 4;
    INVALID(nt_solver_solve(solver, numbers, -1));
    INVALID(nt_solver_solve_transposed(solver, numbers, -1));
    INVALID(nt_solver_solve_beside(solver, numbers, -1));
    INVALID(nt_solver_solve_beside(solver, numbers, 5));
    assert_int_equal(nt_solver_solve(solver, numbers, 0), NT_OK);
    assert_true(numbers[0] == 4 && numbers[1] == 4);
    assert_int_equal(nt_solver_solve(solver, numbers, 1), NT_OK);
    assert_true(numbers[0] == 2 && numbers[1] == 2);
    foreach (tolerance, negative)
        INVALID(nt_solver_factor_dependent(solver, matrix, tolerance, dependent, &n));
    INVALID(nt_solver_drop(solver, one, -1));
    INVALID(nt_solver_drop(solver, one, 1));
    INVALID(nt_solver_drop(solver, sizes, 1)); /* none but multipliers can be left out */
    block[1] = (double)NAN;
    assert_int_equal(nt_solver_factor(solver, matrix), NT_NOT_FINITE);
    assert_int_equal(nt_solver_factor_clear(solver, matrix), NT_NOT_FINITE);
    nt_matrix_zero(matrix);
}

static void in_spaces(void **state)
{
    nt_block blocks[2] = {{.kind = NT_R3SO3}, {.kind = NT_RN, .nv = 2}};
    nt_block large[2] = {{.kind = NT_RN, .nv = INT_MAX}, {.kind = NT_RN, .nv = 1}};
    const nt_frame none[] = {(nt_frame)77, (nt_frame)-1};
    nt_space space;
    double q[9], v[8] = {0}, out[9] = {5}, T[9];
    (void)state;
    INVALID(nt_space_init(&space, large, 2));
    INVALID(nt_space_init(&space, blocks, -1));
    assert_int_equal(nt_space_init(&space, blocks, 2), NT_OK);
    assert_int_equal(nt_space_identity(&space, q), NT_OK);
    for (int i = 0; i < 2; i++) {
        INVALID(nt_space_compose(&space, none[i], q, v, out));
        INVALID(nt_space_difference(&space, none[i], q, q, out));
        INVALID(nt_space_tangent(&space, none[i], v, T, NULL));
        INVALID(nt_space_change_frame(&space, none[i], NT_BODY, q, v, out));
        INVALID(nt_space_change_frame(&space, NT_BODY, none[i], q, v, out));
        INVALID(nt_space_change_frame(&space, none[i], none[i], q, v, out));
        INVALID(nt_space_rate(&space, none[i], q, v, out));
    }
    assert_true(out[0] == 5);
}

/* A count that is negative, of each that a system has. */
static void in_system(void **state)
{
    nt_point at = {.q = now.q, .v = now.v, .vdot = now.vdot, .lambda = now.lambda};
    nt_system other;
    double difference;
    int *const counts[] = {&other.space.nv, &other.space.nq, &other.space.n_blocks, &other.nh,
                           &other.nn,       &other.n_memory, &other.n_parameters};
    const char *const names[] = {"nv", "nq", "n_blocks", "nh", "nn", "n_memory", "n_parameters"};
    (void)state;
    for (int i = 0; i < 7; i++) {
        char words[40];
        other = *s;
        *counts[i] = -1;
        snprintf(words, sizeof words, "%s is -1", names[i]);
        NOT_TAKEN(words, nt_system_check(&other, e));
    }
    other = *s;
    foreach (length, negative) {
        other.length = length;
        NOT_TAKEN("length is", nt_system_check(&other, e));
    }
    foreach (step, not_positive)
        NOT_TAKEN("step is", nt_system_check_tangent(s, &at, step, &difference, e));
}

/* ---- methods -------------------------------------------------------------------------------- */

static void in_methods(void **state)
{
    static const char *const values[] = {"nan", "inf", "-1", "1e999", "77", ""};
    char out[ROOM] = "x";
    const int none[] = {-1, INT_MIN, INT_MAX, nt_method_count()};
    (void)state;
    for (int i = 0; i < 4; i++)
        assert_null(nt_method_at(none[i]));
    assert_string_equal(nt_method_needs(setup.method, out, -1), "");
    assert_string_equal(out, "x");
    for (int i = 0; i < 6; i++) {
        const nt_option option = {"rho_inf", values[i]};
        NOT_TAKEN("rho_inf", nt_method_check_option(setup.method, &option, e));
    }
}

static void in_setups_of_integrators(void **state)
{
    nt_integrator *out;
    nt_integrator_setup other = setup;
    (void)state;
    other.n_options = -1;
    NOT_TAKEN("setup.n_options is -1", nt_integrator_create(&out, &other, e));
    assert_null(out);
    other = setup;
    foreach (step, negative) {
        other.minimum_step = step;
        NOT_TAKEN("minimum step", nt_integrator_create(&out, &other, e));
        other.minimum_step = 0, other.maximum_step = step;
        NOT_TAKEN("maximum step", nt_integrator_create(&out, &other, e));
        other.maximum_step = 0;
    }
    other.minimum_step = 2, other.maximum_step = 1;
    NOT_TAKEN("minimum step 2", nt_integrator_create(&out, &other, e));
    other = setup, other.frame = (nt_frame)77;
    IS_UNKNOWN("setup.frame", nt_integrator_create(&out, &other, e));
    other = setup;
    other.method = nt_method_find("rkmk-dopri5");
    other.n_options = 0;
    assert_non_null(other.method);
    for (int i = 0; i < 4; i++)
        foreach (tolerance, negative) {
            other.tolerance[i] = tolerance;
            NOT_TAKEN("tolerance", nt_integrator_create(&out, &other, e));
            other.tolerance[i] = 0;
        }
}

static void in_integrators(void **state)
{
    nt_state shown, at = now;
    double q[ROOM], v[ROOM];
    const int nq = s->space.nq, nv = s->space.nv, rows[] = {-1, s->nh + s->nn, 77};
    (void)state;
    memcpy(q, now.q, (size_t)nq * sizeof *q);
    memcpy(v, now.v, (size_t)nv * sizeof *v);
    foreach (t, wrong)
        NOT_TAKEN("t is", nt_integrator_start(it, t, q, v, NULL, e));
    foreach (x, wrong) {
        for (int i = 0; i < nq; i++) {
            q[i] = x;
            NOT_TAKEN("q[", nt_integrator_start(it, 0, q, v, NULL, e));
            q[i] = now.q[i];
        }
        for (int i = 0; i < nv; i++) {
            v[i] = x;
            NOT_TAKEN("v[", nt_integrator_start(it, 0, q, v, NULL, e));
            v[i] = now.v[i];
        }
    }
    require(nt_integrator_start(it, 0, NULL, NULL, NULL, e));
    now = nt_integrator_state(it);
    foreach (h, not_positive) {
        NOT_TAKEN("step size is", nt_integrator_step(it, h, e));
        NOT_TAKEN("step size is", nt_integrator_run(it, 1, h, NULL, NULL, e));
        NOT_TAKEN("length is", nt_integrator_reactions(it, &now, h, numbers, e));
    }
    foreach (end, negative)
        NOT_TAKEN("end time is", nt_integrator_run(it, end, 1e-3, NULL, NULL, e));
    NOT_TAKEN("n is -1", nt_integrator_switch_rows(it, rows, -1, 0, e));
    for (int i = 0; i < 3; i++) {
        NOT_TAKEN("no constraint row", nt_integrator_switch_rows(it, &rows[i], 1, 0, e));
        assert_int_equal(nt_integrator_row_is_on(it, rows[i]), 0);
    }
    require(nt_integrator_step(it, 1e-3, e));
    const double outside[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, -1, 2e-3};
    foreach (t, outside) {
        INVALID(nt_integrator_dense(it, t, &shown));
        nt_state_tangent d;
        INVALID(nt_sensitivity_dense(sensitivity, 0, t, &d));
    }
    now = at = nt_integrator_state(it);
    size_t whole = nt_integrator_saved_size(it);
    char *saved = calloc(whole + 1, 1);
    assert_non_null(saved);
    nt_integrator_save(it, saved);
    INVALID(nt_integrator_restore(it, saved, 0, e));
    INVALID(nt_integrator_restore(it, saved, whole - 1, e));
    INVALID(nt_integrator_restore(it, saved, whole + 1, e));
    free(saved);
    int index[1] = {5};
    nt_integrator_redundant(it, index, -1);
    nt_integrator_redundant(it, index, 0);
    assert_int_equal(index[0], 5);
    char out[2] = "x";
    nt_integrator_energy_warning(it, out, -1);
    nt_integrator_energy_warning(it, out, 0);
    assert_string_equal(out, "x");
}

static void in_sensitivities(void **state)
{
    nt_sensitivity *out;
    nt_integrator *other;
    nt_state_tangent d = nt_sensitivity_state(sensitivity, 0), none;
    const int parameters[] = {-1, -2, 77, INT_MIN, INT_MAX}, numbers_of[] = {-1, 1, 77, INT_MIN};
    (void)state;
    require(nt_integrator_create(&other, &setup, e));
    NOT_TAKEN("n is -1", nt_sensitivity_create(&out, other, parameters, -1, e));
    assert_null(out);
    for (int i = 0; i < 5; i++)
        NOT_TAKEN("no parameter", nt_sensitivity_create(&out, other, &parameters[i], 1, e));
    nt_integrator_destroy(other);
    for (int k = 0; k < 4; k++) {
        int i = numbers_of[k];
        assert_int_equal(nt_sensitivity_parameter(sensitivity, i), -1);
        none = nt_sensitivity_state(sensitivity, i);
        assert_true(!none.q && isnan(none.work));
        assert_true(nt_sensitivity_event_time(sensitivity, i) == 0);
        assert_true(isnan(nt_sensitivity_difference_error(sensitivity, i)));
        INVALID(nt_sensitivity_dense(sensitivity, i, now.t, &none));
        NOT_TAKEN("sensitivity ", nt_sensitivity_balance(sensitivity, i, &now, &d, e));
        NOT_TAKEN("sensitivity ",
                  nt_sensitivity_reactions(sensitivity, i, &now, &d, 1, numbers, e));
    }
    foreach (length, not_positive)
        NOT_TAKEN("length is",
                  nt_sensitivity_reactions(sensitivity, 0, &now, &d, length, numbers, e));
    INVALID(nt_sensitivity_restore(sensitivity, numbers, 0, e));
}

/* ---- models and runs ------------------------------------------------------------------------ */

static void in_models(void **state)
{
    nt_model *out;
    const nt_setting setting = {"m", "2"};
    char a[ROOM] = "x", b[ROOM], c[ROOM];
    nt_error remark = {.line = 7};
    (void)state;
    NOT_TAKEN("n_settings is -1", nt_model_read(&out, "null.yaml", &setting, -1, e));
    NOT_TAKEN("n_settings is -1",
              nt_model_read_text(&out, text, strlen(text), "a", NULL, &setting, -1, e));
    assert_null(out);
    const int none[] = {-1, 77, INT_MIN, INT_MAX};
    for (int k = 0; k < 4; k++) {
        int i = none[k];
        assert_null(nt_model_table_file(model, i));
        assert_null(nt_model_objective(model, i).name);
        nt_model_redundant_text(model, i, a, ROOM);
        assert_string_equal(a, "");
        assert_int_equal(nt_model_remark(model, i, &remark), 0);
        assert_int_equal(nt_model_jump(model, i, &remark), 0);
        assert_int_equal(nt_model_rough_motion(model, i, &remark), 0);
        assert_int_equal(nt_model_pulse(model, 0, 1, 1e-2, i, &remark), 0);
        assert_int_equal(remark.line, 7);
        assert_null(nt_model_event_name(model, i));
        assert_null(nt_model_event_end(model, i));
        assert_int_equal(nt_model_creeps(model, i, a, ROOM), 0);
        assert_int_equal(nt_run_warning(run, i, a, ROOM), 0);
        assert_string_equal(nt_model_body_name(model, i), "");
        assert_null(nt_element_type_at(i));
        assert_null(nt_plugin_file(i));
        strcpy(a, "x"), strcpy(b, "x"), strcpy(c, "x");
        nt_model_quantity_column(model, &quantity, i, a, b, c, ROOM);
        assert_true(!*a && !*b && !*c);
        INVALID(nt_run_displacement(run, i, now.q, now.v, numbers));
    }
    foreach (x, not_positive) {
        assert_int_equal(nt_model_pulse(model, 0, x, 1e-2, 0, &remark), 0);
        assert_int_equal(nt_model_pulse(model, 0, 1, x, 0, &remark), 0);
    }
    strcpy(a, "x");
    nt_model_quantity_column(model, &quantity, 0, a, b, c, -1);
    nt_model_redundant_text(model, 0, a, -1);
    nt_model_creeps(model, 0, a, -1);
    nt_run_warning(run, 0, a, -1);
    assert_int_equal(nt_model_schema(a, -1), nt_model_schema(NULL, 0));
    assert_string_equal(a, "x");
}

/* Which tables, creeping joints and warnings there are is counted from 0 on. */
static void in_models_with_parts(void **state)
{
    static const char creeping[] =
        "nutate: 1\n"
        "bodies: {cart: {mass: 1, inertia: [1, 1, 1]}}\n"
        "joints: {rail: {type: prismatic, between: [ground, cart], at: [0, 0, 0],\n"
        "                axis: [1, 0, 0], friction: {dry: 1}}}\n"
        "forces: {push: {type: force, on: cart, value: [\"table(rise, t)\", 0, 0]}}\n"
        "tables: {rise: numbers.csv}\n";
    nt_model *own;
    char words[ROOM];
    FILE *table = fopen("numbers.csv", "w");
    (void)state;
    assert_non_null(table);
    fputs("t,x\n0,1\n1,2\n", table);
    assert_int_equal(fclose(table), 0);
    require(nt_model_read_text(&own, creeping, strlen(creeping), "a", ".", NULL, 0, e));
    assert_non_null(nt_model_table_file(own, 0));
    assert_null(nt_model_table_file(own, 1));
    assert_null(nt_model_table_file(own, -1));
    assert_int_equal(nt_model_creeps(own, 0, words, ROOM), 1);
    assert_int_equal(nt_model_creeps(own, 1, words, ROOM), 0);
    assert_int_equal(nt_model_creeps(own, -1, words, ROOM), 0);
    assert_string_equal(words, "");
    nt_model_destroy(own);
}

static void in_runs(void **state)
{
    const int parameters[] = {-1, 77, INT_MIN, INT_MAX};
    const double value = 15;
    nt_integrator_setup steps = {0};
    nt_state_rate rate = {.parameter = -2};
    nt_quantity_info other;
    (void)state;
    foreach (x, wrong) {
        const int m = 0;
        NOT_TAKEN("parameter m = ", nt_model_set(run, "m", x, e));
        NOT_TAKEN("parameter m = ", nt_model_set_several(run, &m, &x, 1, e));
    }
    NOT_TAKEN("n is -1", nt_model_set_several(run, parameters, &value, -1, e));
    NOT_TAKEN("n is -1", nt_run_prepare_parameters(run, parameters, -1, e));
    for (int i = 0; i < 4; i++) {
        int k = parameters[i];
        NOT_TAKEN("no parameter", nt_model_set_several(run, &k, &value, 1, e));
        NOT_TAKEN("parameter", nt_run_prepare_parameters(run, &k, 1, e));
        NOT_TAKEN("parameter", nt_run_initial_tangent(run, k, numbers, more, NULL, e));
    }
    NOT_TAKEN("0 threads", nt_run_set_threads(run, 0, e));
    NOT_TAKEN("-1 threads", nt_run_set_threads(run, -1, e));
    NOT_TAKEN("threads", nt_run_set_threads(run, INT_MAX, e));
    require(nt_run_setup(run, &steps, e));
    foreach (t, wrong) {
        NOT_TAKEN("start is", nt_run_bound_steps(run, t, 1, &steps, e));
        NOT_TAKEN("end is", nt_run_bound_steps(run, 0, t, &steps, e));
    }
    NOT_TAKEN("end - start is -1", nt_run_bound_steps(run, 1, 0, &steps, e));
    NOT_TAKEN("n is -1",
              nt_run_sample_tangent(run, &quantity, -1, &now, NULL, &rate, NULL, numbers, e));
    NOT_TAKEN("parameter -2",
              nt_run_sample_tangent(run, &quantity, 1, &now, NULL, &rate, NULL, numbers, e));
    NOT_TAKEN("parameter -2", nt_run_objective_tangent(run, &now, NULL, &rate, NULL, numbers, e));
    rate.parameter = 77;
    NOT_TAKEN("parameter 77",
              nt_run_sample_tangent(run, &quantity, 1, &now, NULL, &rate, NULL, numbers, e));
    NOT_TAKEN("parameter 77", nt_run_objective_tangent(run, &now, NULL, &rate, NULL, numbers, e));
    int *const fields[] = {&other.kind, &other.object, &other.first, &other.columns};
    for (int i = 0; i < 16; i++) {
        other = quantity;
        *fields[i / 4] = parameters[i % 4];
        NOT_TAKEN("quantity 0 is none", nt_run_sample(run, &other, &now, NULL, numbers, e));
        NOT_TAKEN("quantity 0 is none",
                  nt_run_sample_tangent(run, &other, 1, &now, NULL, &rate, NULL, numbers, e));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_linalg),
        cmocka_unit_test(in_spaces),
        cmocka_unit_test(in_system),
        cmocka_unit_test(in_methods),
        cmocka_unit_test(in_setups_of_integrators),
        cmocka_unit_test(in_integrators),
        cmocka_unit_test(in_sensitivities),
        cmocka_unit_test(in_models),
        cmocka_unit_test(in_models_with_parts),
        cmocka_unit_test(in_runs),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
