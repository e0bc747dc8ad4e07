/* The same as test_numbers.c for results, analyses and sweeps. */
#include "api/numbers.h"

#include <stdlib.h>

static const int none[] = {-1, 77, INT_MIN, INT_MAX};
enum { NONE = 4 };

static void put_file(const char *path, const char *words)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(words, file);
    assert_int_equal(fclose(file), 0);
}

static void in_words(void **state)
{
    const char *const candidates[] = {"word"};
    char out[ROOM] = "x";
    (void)state;
    for (int i = 0; i < NONE; i++)
        if (none[i] != 77)
            assert_string_equal(nt_status_text((nt_status)none[i]), "unknown status");
    assert_int_equal(nt_error_text(&error, out, -1), 0);
    assert_string_equal(out, "x");
    assert_null(nt_suggest("word", -1, candidates, 1));
    assert_null(nt_suggest("word", 4, candidates, -1));
    assert_string_equal(nt_suggest("wort", 4, candidates, 1), "word");
}

/* ---- results -------------------------------------------------------------------------------- */

static void in_writers(void **state)
{
    nt_result_writer *out;
    const nt_result_file file = {"numbers_none.nc", NT_NETCDF};
    const nt_result_column column = {"t", "s", "time"};
    const char *const word = "word";
    nt_result_array array = {"a", "m", "array", "body", "vector", 1, 3, &word};
    nt_result_words words = {0, &word, 1};
    const nt_result_setup good = {.files = &file, .n_files = 1, .columns = &column, .n_columns = 1};
    nt_result_setup of = good;
    (void)state;
    of.n_files = -1;
    NOT_TAKEN("-1 files", nt_result_create(&out, &of, e));
    of = good, of.n_columns = -1;
    NOT_TAKEN("-1 columns", nt_result_create(&out, &of, e));
    of = good, of.arrays = &array, of.n_arrays = -1;
    NOT_TAKEN("setup.n_arrays is -1", nt_result_create(&out, &of, e));
    of = good, of.n_attributes = -1;
    NOT_TAKEN("setup.n_attributes is -1", nt_result_create(&out, &of, e));
    of = good, of.words = &words, of.n_words = -1;
    NOT_TAKEN("setup.n_words is -1", nt_result_create(&out, &of, e));
    of = good, of.arrays = &array, of.n_arrays = 1;
    array.items = -1;
    NOT_TAKEN("-1 items", nt_result_create(&out, &of, e));
    array.items = 1, array.components = 0;
    NOT_TAKEN("0 components", nt_result_create(&out, &of, e));
    of = good, of.words = &words, of.n_words = 1;
    words.n = -1;
    NOT_TAKEN("-1 words", nt_result_create(&out, &of, e));
    words.n = 1, words.column = 1;
    NOT_TAKEN("of column 1", nt_result_create(&out, &of, e));
    words.column = -1;
    NOT_TAKEN("of column -1", nt_result_create(&out, &of, e));
    assert_null(out);
    words.column = 0;
    require(nt_result_create(&out, &of, e));
    const double values[] = {(double)NAN, (double)INFINITY, -1, 1, 0.5};
    foreach (value, values)
        INVALID(nt_result_write(out, &value, e));
    assert_int_equal(nt_result_written(out), 0);
    require(nt_result_finish(out, e));
}

static void in_readers(void **state)
{
    nt_result *result;
    (void)state;
    put_file("numbers_rows.csv", "t [s],event [-]\n0,floor\n1,wall\n");
    require(nt_result_open(&result, "numbers_rows.csv", e));
    assert_int_equal(nt_result_rows(result), 2);
    for (int i = 0; i < NONE; i++) {
        assert_null(nt_result_column_at(result, none[i]).name);
        assert_null(nt_result_array_at(result, none[i]).name);
        assert_null(nt_result_attribute_at(result, none[i]).name);
        assert_null(nt_result_text(result, none[i], 0));
        assert_string_equal(nt_result_failure(result, none[i]), "");
        NOT_TAKEN("has 2 rows", nt_result_read(result, none[i], 1, numbers, e));
        NOT_TAKEN("has 2 rows", nt_result_read(result, 0, none[i], numbers, e));
        NOT_TAKEN("arrays", nt_result_read_array(result, none[i], 0, 1, numbers, e));
    }
    NOT_TAKEN("has 2 rows", nt_result_read(result, 1, LONG_MAX, numbers, e));
    const double values[] = {(double)NAN, (double)INFINITY, -1, 2, 0.5, 1e300};
    assert_string_equal(nt_result_text(result, 1, 1), "wall");
    foreach (value, values)
        assert_null(nt_result_text(result, 1, value));
    NOT_TAKEN("most_rows is -1", nt_result_draw(result, "none.glb", NT_GLTF, -1, NULL, 0, e));
    nt_result_close(result);
    const char *const results[] = {"numbers_rows.csv"};
    nt_report_setup page = {.path = "a.html", .page = "none.html", .results = results};
    page.n_results = -1;
    NOT_TAKEN("setup.n_results is -1", nt_report_write(&page, e));
    page.n_results = 1, page.most_rows = -1;
    NOT_TAKEN("setup.most_rows is -1", nt_report_write(&page, e));
}

static void in_spectra(void **state)
{
    const long lengths[] = {-1, 0, LONG_MIN, LONG_MAX};
    (void)state;
    for (int i = 0; i < 4; i++) {
        NOT_TAKEN("a transform of", nt_fourier_transform(numbers, lengths[i], e));
        NOT_TAKEN("a spectrum of", nt_spectrum(numbers, lengths[i], NT_WINDOW_HANN, numbers, e));
    }
    NOT_TAKEN("a spectrum of 1", nt_spectrum(numbers, 1, NT_WINDOW_HANN, numbers, e));
    IS_UNKNOWN("window", nt_spectrum(numbers, 8, (nt_window)77, numbers, e));
}

static nt_status take(void *taker, const double *values, int n)
{
    (void)taker, (void)values, (void)n;
    return NT_OK;
}

static void in_records(void **state)
{
    nt_record *out;
    const nt_result_file file = {"numbers_record.csv", NT_CSV};
    const nt_result_column first = {"load", "-", "load"};
    const nt_record_setup good = {.run = run, .take_row = take};
    nt_record_setup of = good;
    (void)state;
    of.files = &file, of.n_files = -1;
    NOT_TAKEN("setup.n_files is -1", nt_record_create(&out, &of, e));
    of = good, of.first = &first, of.n_first = -1;
    NOT_TAKEN("setup.n_first is -1", nt_record_create(&out, &of, e));
    of = good, of.parameters = none, of.n_parameters = -1;
    NOT_TAKEN("setup.n_parameters is -1", nt_record_create(&out, &of, e));
    for (int i = 0; i < NONE; i++) {
        of.parameters = &none[i], of.n_parameters = 1;
        NOT_TAKEN("setup.parameters[i] is", nt_record_create(&out, &of, e));
        assert_true(isnan(nt_objectives_value(objectives, none[i])));
        assert_true(isnan(nt_objectives_derivative(objectives, none[i], 0)));
        assert_true(isnan(nt_objectives_derivative(objectives, 0, none[i])));
    }
    assert_null(out);
    INVALID(nt_objectives_restore(objectives, numbers, 0, e));
}

/* ---- analyses ------------------------------------------------------------------------------- */

static void in_static_states(void **state)
{
    nt_static *st, *out;
    nt_loading *loading;
    const nt_static_setup good = {.system = s};
    nt_static_setup of = good;
    nt_state_tangent d = {0};
    nt_static_friction friction;
    (void)state;
    of.held = none, of.n_held = -1;
    NOT_TAKEN("setup.n_held is -1", nt_static_create(&out, &of, e));
    for (int i = 0; i < NONE; i++) {
        of.held = &none[i], of.n_held = 1;
        NOT_TAKEN("held entry", nt_static_create(&out, &of, e));
    }
    assert_null(out);
    NOT_TAKEN("n is -1", nt_loading_create(&loading, run, NULL, -1, e));
    foreach (load, wrong) {
        nt_load_range range = {"m", 0, load};
        if (isnan(load))
            continue; /* stands for the present value */
        NOT_TAKEN("along 'm'", nt_loading_create(&loading, run, &range, 1, e));
        range = (nt_load_range){"m", load, 1};
        NOT_TAKEN("along 'm'", nt_loading_create(&loading, run, &range, 1, e));
    }
    require(nt_loading_create(&loading, run, NULL, 0, e));
    foreach (load, wrong)
        INVALID(nt_loading_apply(loading, load));
    of = good, of.set_load = nt_loading_apply, of.context = loading;
    require(nt_static_create(&st, &of, e));
    double q[ROOM];
    memcpy(q, now.q, (size_t)s->space.nq * sizeof *q);
    foreach (x, wrong) {
        NOT_TAKEN("t is", nt_static_start(st, x, now.q, NULL, NULL, e));
        q[1] = x;
        NOT_TAKEN("q[1] is", nt_static_start(st, 0, q, NULL, NULL, e));
    }
    require(nt_static_start(st, 0, now.q, NULL, NULL, e));
    nt_static_path path = {.to = 1};
    foreach (load, wrong) {
        path.to = load;
        NOT_TAKEN("a path from load", nt_static_follow(st, &path, e));
        path.to = 1, path.from = load;
        NOT_TAKEN("a path from load", nt_static_follow(st, &path, e));
        path.from = 0;
    }
    foreach (step, negative) {
        path.step = step;
        NOT_TAKEN("path.step is", nt_static_follow(st, &path, e));
    }
    path.step = 0, path.most_points = -1;
    NOT_TAKEN("path.most_points is -1", nt_static_follow(st, &path, e));
    foreach (length, not_positive)
        NOT_TAKEN("length is", nt_static_reactions(st, length, numbers, e));
    for (int i = 0; i < NONE; i++) {
        assert_int_equal(nt_static_free_entry(st, none[i]), -1);
        NOT_TAKEN("friction", nt_static_friction_at(st, none[i], &friction, e));
        INVALID(nt_static_tangent(st, none[i], &d, e));
    }
    nt_static_destroy(st);
    nt_loading_destroy(loading);
}

static void in_modes(void **state)
{
    nt_modes *modes, *out;
    nt_campbell *campbell;
    nt_mode_rates *rates;
    double turn[3] = {0}, likeness = 0, value = 15, values[2];
    char words[ROOM] = "x";
    nt_modes_setup of = {.system = s, .state = &now, .count = -1};
    (void)state;
    NOT_TAKEN("-1 modes", nt_modes_create(&out, &of, e));
    of.count = 77;
    NOT_TAKEN("77", nt_modes_create(&out, &of, e));
    of.count = 0, of.turn = turn;
    foreach (x, wrong)
        for (int i = 0; i < 3; i++) {
            turn[i] = x;
            NOT_TAKEN("setup.turn[i] is", nt_modes_create(&out, &of, e));
            turn[i] = 0;
        }
    assert_null(out);
    require(nt_modes_create(&modes, &of, e));
    require(nt_mode_rates_create(&rates, modes, run, NT_ABOUT_INITIAL, "m", e));
    for (int i = 0; i < NONE; i++) {
        assert_null(nt_modes_at(modes, none[i]).shape[0]);
        assert_null(nt_mode_rates_at(rates, none[i]).shape[0]);
        nt_modes_words(modes, none[i], words, ROOM);
        assert_string_equal(words, "");
    }
    strcpy(words, "x");
    nt_modes_words(modes, 0, words, -1);
    assert_string_equal(words, "x");
    nt_mode_rates_destroy(rates);
    nt_modes_destroy(modes);
    nt_campbell_setup over = {
        .run = run, .parameter = "m", .values = &value, .n_values = -1, .about = NT_ABOUT_INITIAL};
    NOT_TAKEN("-1 values", nt_campbell_create(&campbell, &over, e));
    over.n_values = 1, over.count = -1;
    NOT_TAKEN("-1 modes", nt_campbell_create(&campbell, &over, e));
    over.count = 0;
    foreach (x, wrong) {
        value = x;
        NOT_TAKEN("setup.values[i] is", nt_campbell_create(&campbell, &over, e));
    }
    assert_null(campbell);
    value = 15;
    require(nt_campbell_create(&campbell, &over, e));
    for (int i = 0; i < 2 * NONE; i++) {
        values[0] = likeness = 0;
        nt_campbell_at(campbell, i < NONE ? none[i] : 0, i < NONE ? 0 : none[i - NONE], values,
                       &likeness);
        assert_true(isnan(values[0]) && isnan(likeness));
        nt_campbell_words(campbell, none[i % NONE], words, ROOM);
        assert_string_equal(words, "");
    }
    nt_campbell_destroy(campbell);
    nt_reference *reference;
    require(nt_reference_create(&reference, run, NT_ABOUT_INITIAL, e));
    for (int i = 0; i < NONE; i++) {
        assert_true(isnan(nt_reference_rate(reference, none[i])));
        assert_null(nt_reference_rate_name(reference, none[i]));
    }
    nt_reference_destroy(reference);
}

static void in_linear_models(void **state)
{
    const char *const name[] = {"m"};
    nt_linear *l, *out;
    nt_linear_setup of = {.run = run, .state = &now, .inputs = name, .n_inputs = -1};
    double turn[3] = {0};
    (void)state;
    NOT_TAKEN("setup.n_inputs is -1", nt_linear_create(&out, &of, e));
    of.n_inputs = 0, of.outputs = name, of.n_outputs = -1;
    NOT_TAKEN("setup.n_outputs is -1", nt_linear_create(&out, &of, e));
    of.n_outputs = 0, of.turn = turn;
    foreach (x, wrong) {
        turn[1] = x;
        NOT_TAKEN("setup.turn[i] is", nt_linear_create(&out, &of, e));
    }
    assert_null(out);
    turn[1] = 0;
    require(nt_linear_create(&l, &of, e));
    foreach (x, wrong)
        INVALID(nt_linear_response(l, x, numbers));
    for (int i = 0; i < NONE; i++) {
        assert_string_equal(nt_linear_input(l, none[i]), "");
        assert_string_equal(nt_linear_output(l, none[i]), "");
    }
    nt_linear_destroy(l);
}

static int see(void *context, const nt_orbit *orbit, double value, nt_orbit_event event)
{
    (void)context, (void)orbit, (void)value, (void)event;
    return 0;
}

static void in_setups_of_orbits(void **state)
{
    nt_integrator_setup steps = setup;
    steps.method = nt_method_find("rkmk-dop853");
    steps.n_options = 0;
    const nt_orbit_setup good = {
        .integrator = &steps, .q = now.q, .v = now.v, .period = 1, .steps = 8};
    nt_orbit_setup of = good;
    nt_orbit *out;
    nt_orbit_advance advance = {.coordinate = 0};
    (void)state;
    foreach (period, not_positive) {
        of.period = period;
        NOT_TAKEN("the period is", nt_orbit_create(&out, &of, e));
    }
    of = good;
    foreach (tolerance, negative) {
        of.tolerance = tolerance;
        NOT_TAKEN("tolerance", nt_orbit_create(&out, &of, e));
    }
    of = good;
    foreach (start, wrong) {
        of.start = start;
        NOT_TAKEN("start", nt_orbit_create(&out, &of, e));
    }
    of = good, of.steps = 0;
    NOT_TAKEN("0 steps", nt_orbit_create(&out, &of, e));
    of.steps = -1;
    NOT_TAKEN("-1 steps", nt_orbit_create(&out, &of, e));
    of = good, of.segments = -1;
    NOT_TAKEN("-1 segments", nt_orbit_create(&out, &of, e));
    of = good, of.iterations = -1;
    NOT_TAKEN("iterations -1", nt_orbit_create(&out, &of, e));
    of = good, of.n_advances = -1;
    NOT_TAKEN("advances -1", nt_orbit_create(&out, &of, e));
    of.advances = &advance, of.n_advances = 1;
    foreach (value, wrong) {
        advance.value = value;
        NOT_TAKEN("advance 0 is no finite number", nt_orbit_create(&out, &of, e));
    }
    advance.value = 0;
    const int coordinates[] = {-7, 77, INT_MIN, INT_MAX};
    for (int i = 0; i < 4; i++) {
        advance.coordinate = coordinates[i];
        NOT_TAKEN("advance 0 is of coordinate", nt_orbit_create(&out, &of, e));
    }
    assert_null(out);
}

static void in_orbits(void **state)
{
    static const char swing[] = "nutate: 1\n"
                                "parameters: {m: 1}\n"
                                "bodies: {mass: {point: true, mass: m, position: [1, 0, 0]}}\n"
                                "forces: {pull: {type: spring, between: [ground, mass],\n"
                                "                stiffness: 40, length: 0}}\n"
                                "gravity: [0, 0, 0]\n"
                                "simulation: {duration: 1, step: 1e-2, method: rkmk-dop853}\n";
    nt_model *own;
    nt_run *its;
    nt_integrator_setup steps = {0};
    nt_orbit *orbit;
    char words[ROOM] = "x";
    double q[3] = {1, 0, 0}, v[3] = {0};
    (void)state;
    require(nt_model_read_text(&own, swing, strlen(swing), "swing", NULL, NULL, 0, e));
    require(nt_run_create(&its, own, e));
    require(nt_run_setup(its, &steps, e));
    steps.track_work = 0;
    nt_orbit_setup of = {.integrator = &steps,
                         .q = q,
                         .v = v,
                         .period = 0.99345882657961,
                         .steps = 40,
                         .tolerance = 1e-6};
    require(nt_orbit_create(&orbit, &of, e));
    foreach (x, not_positive) {
        NOT_TAKEN("a return within", nt_orbit_guess_period(orbit, x, 0.1, e));
        NOT_TAKEN("a return within", nt_orbit_guess_period(orbit, 1, x, e));
    }
    require(nt_orbit_find(orbit, e));
    for (int i = 0; i < NONE; i++) {
        NOT_TAKEN("no parameter", nt_orbit_tangent(orbit, none[i], numbers, NULL, NULL, e));
        NOT_TAKEN("no parameter", nt_orbit_follow(orbit, none[i], 2, 1, 5, see, NULL, e));
    }
    foreach (to, wrong)
        NOT_TAKEN("a path from", nt_orbit_follow(orbit, 0, to, 1, 5, see, NULL, e));
    foreach (step, not_positive)
        NOT_TAKEN("a path from", nt_orbit_follow(orbit, 0, 2, step, 5, see, NULL, e));
    NOT_TAKEN("a path from", nt_orbit_follow(orbit, 0, 2, 1, -1, see, NULL, e));
    nt_orbit_words(orbit, words, -1);
    assert_string_equal(words, "x");
    nt_orbit_destroy(orbit);
    nt_run_destroy(its);
    nt_model_destroy(own);
}

/* ---- sweeps --------------------------------------------------------------------------------- */

static void in_sweeps(void **state)
{
    nt_sweep *sweep;
    const nt_sweep_setup good = {.folder = "numbers.sweep"};
    nt_sweep_setup of = good;
    char value[ROOM] = "x";
    (void)state;
    assert_int_equal(system("rm -rf numbers.sweep"), 0); /* of a run before, with other code */
    put_file("numbers.yaml", text);
    put_file("numbers.plan.yaml", "sweep: 1\nmodel: numbers.yaml\nvary: {m: [15, 16]}\n");
    require(nt_sweep_read(&sweep, "numbers.plan.yaml", e));
    for (int i = 0; i < NONE; i++) {
        assert_null(nt_sweep_axis(sweep, none[i]));
        assert_int_equal(nt_sweep_value(sweep, none[i], 0, value, ROOM), 0);
        assert_int_equal(nt_sweep_value(sweep, 0, none[i], value, ROOM), 0);
        assert_string_equal(value, "");
        of.first = none[i];
        NOT_TAKEN("rows", nt_sweep_run(sweep, &of, NULL, e));
        of = good, of.count = none[i];
        NOT_TAKEN("rows", nt_sweep_run(sweep, &of, NULL, e));
        of = good;
    }
    strcpy(value, "x");
    assert_int_equal(nt_sweep_value(sweep, 0, 0, value, -1), 2);
    assert_string_equal(value, "x");
    of.first = LONG_MAX;
    NOT_TAKEN("rows", nt_sweep_run(sweep, &of, NULL, e));
    of = good, of.count = LONG_MAX;
    NOT_TAKEN("rows", nt_sweep_run(sweep, &of, NULL, e));
    of = good, of.threads = -1;
    NOT_TAKEN("setup.threads is -1", nt_sweep_run(sweep, &of, NULL, e));
    of = good;
    foreach (seconds, negative) {
        of.seconds = seconds;
        NOT_TAKEN("setup.seconds is", nt_sweep_run(sweep, &of, NULL, e));
    }
    nt_sweep_destroy(sweep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_words),
        cmocka_unit_test(in_writers),
        cmocka_unit_test(in_readers),
        cmocka_unit_test(in_spectra),
        cmocka_unit_test(in_records),
        cmocka_unit_test(in_static_states),
        cmocka_unit_test(in_modes),
        cmocka_unit_test(in_linear_models),
        cmocka_unit_test(in_setups_of_orbits),
        cmocka_unit_test(in_orbits),
        cmocka_unit_test(in_sweeps),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
