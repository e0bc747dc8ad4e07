/* Rows that a program takes itself are those of a file; several parameters are set at once; the
 * unknown that a failure names. */
#include <nutate/nutate.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char top[] =
    "nutate: 1\n"
    "parameters: {m: 15, arm: 1}\n"
    "bodies:\n"
    "  top: {mass: m, inertia: [0.2, 0.4, 0.2], position: [0, arm, 0],\n"
    "        angular_velocity: [0, 150, -4.6]}\n"
    "joints: {pivot: {type: spherical, between: [ground, top], at: [0, 0, 0]}}\n"
    "simulation: {duration: 0.05, step: 1e-3}\n"
    "output: {every: 1e-2, record: [top.position, pivot.force, energy]}\n";

typedef struct motion {
    nt_model *model;
    nt_run *run;
    nt_integrator *integrator;
    nt_record *record;
} motion;

static void motion_begin(motion *m, const char *text)
{
    nt_integrator_setup setup = {0};
    nt_error error = {0};
    if (nt_model_read_text(&m->model, text, strlen(text), "top", NULL, NULL, 0, &error) != NT_OK ||
        nt_run_create(&m->run, m->model, &error) != NT_OK ||
        nt_run_setup(m->run, &setup, &error) != NT_OK ||
        nt_integrator_create(&m->integrator, &setup, &error) != NT_OK)
        fail_msg("%s", error.message);
}

static void motion_end(motion *m)
{
    nt_record_close(m->record, NULL);
    nt_integrator_destroy(m->integrator);
    nt_run_destroy(m->run);
    nt_model_destroy(m->model);
}

/* ---- rows ----------------------------------------------------------------------------------- */

enum { ROWS = 16, COLUMNS = 16 };

typedef struct taker {
    char names[COLUMNS][64], units[COLUMNS][16];
    double rows[ROWS][COLUMNS];
    int n_columns, n_rows, most;
} taker;

static void take_column(void *context, const nt_result_column *column)
{
    taker *t = context;
    assert_true(t->n_columns < COLUMNS);
    strncpy(t->names[t->n_columns], column->name, sizeof t->names[0] - 1);
    strncpy(t->units[t->n_columns++], column->unit, sizeof t->units[0] - 1);
}

static nt_status take_row(void *context, const double *values, int n)
{
    taker *t = context;
    assert_int_equal(n, t->n_columns);
    if (t->n_rows == t->most)
        return NT_NO_MEMORY;
    memcpy(t->rows[t->n_rows++], values, (size_t)n * sizeof *values);
    return NT_OK;
}

static int write_rows(void *context, const nt_integrator *integrator)
{
    motion *m = context;
    (void)integrator;
    return nt_record_advance(m->record, m->integrator, NULL) != NT_OK;
}

/* A whole run; returns the status of its end. */
static nt_status run_with(motion *m, taker *t, const nt_result_file *files, int n_files)
{
    nt_error error = {0};
    const nt_record_setup setup = {.run = m->run,
                                   .files = files,
                                   .n_files = n_files,
                                   .take_row = take_row,
                                   .take_column = take_column,
                                   .taker = t};
    if (nt_record_create(&m->record, &setup, &error) != NT_OK ||
        nt_integrator_start(m->integrator, 0, NULL, NULL, NULL, &error) != NT_OK)
        fail_msg("%s", error.message);
    nt_state state = nt_integrator_state(m->integrator);
    assert_int_equal(nt_record_write(m->record, m->integrator, &state, &error), NT_OK);
    return nt_integrator_run(m->integrator, 0.05, 1e-3, write_rows, m, &error);
}

static void rows_are_those_of_a_file(void **unused)
{
    (void)unused;
    const nt_result_file file = {"taken.nc", NT_NETCDF};
    motion m = {0};
    taker *with = calloc(2, sizeof *with), *without = with + 1;
    assert_non_null(with);
    with->most = without->most = ROWS;
    motion_begin(&m, top);
    assert_int_equal(run_with(&m, with, &file, 1), NT_OK);
    assert_int_equal(nt_record_rows(m.record), 6);
    assert_int_equal(nt_record_close(m.record, NULL), NT_OK);
    assert_int_equal(run_with(&m, without, NULL, 0), NT_OK);
    assert_int_equal(nt_record_rows(m.record), 6);
    assert_int_equal(with->n_columns, 11); /* time, three of each vector, four energies */
    assert_string_equal(with->names[4], "pivot.force.x");
    assert_string_equal(with->units[4], "N");
    nt_result *result;
    assert_int_equal(nt_result_open(&result, "taken.nc", NULL), NT_OK);
    assert_int_equal(nt_result_rows(result), with->n_rows);
    for (int i = 0; i < with->n_rows; i++) {
        double row[COLUMNS];
        assert_int_equal(nt_result_read(result, i, 1, row, NULL), NT_OK);
        assert_memory_equal(with->rows[i], row, 11 * sizeof *row);
        assert_memory_equal(without->rows[i], row, 11 * sizeof *row);
    }
    nt_result_close(result);
    motion_end(&m);
    free(with);
}

static void a_row_that_is_not_taken_ends_the_run(void **unused)
{
    (void)unused;
    motion m = {0};
    taker *t = calloc(1, sizeof *t);
    assert_non_null(t);
    t->most = 3;
    motion_begin(&m, top);
    assert_int_equal(run_with(&m, t, NULL, 0), NT_INTERRUPTED);
    assert_int_equal(nt_record_rows(m.record), 3);
    nt_error error = {0};
    assert_int_equal(nt_record_advance(m.record, m.integrator, &error), NT_NO_MEMORY);
    assert_string_equal(error.message, "a row was not taken: out of memory");
    motion_end(&m);
    free(t);
}

static void a_record_goes_somewhere(void **unused)
{
    (void)unused;
    motion m = {0};
    nt_error error = {0};
    motion_begin(&m, top);
    nt_record_setup setup = {.run = m.run};
    const nt_result_file file = {"taken.nc", NT_NETCDF};
    setup.files = &file;
    assert_int_equal(nt_record_create(&m.record, &setup, &error), NT_INVALID);
    setup.files = NULL;
    setup.take_row = take_row;
    setup.saved = &setup;
    setup.saved_size = sizeof setup;
    assert_int_equal(nt_record_create(&m.record, &setup, &error), NT_INVALID);
    assert_null(m.record);
    motion_end(&m);
}

/* ---- parameters ----------------------------------------------------------------------------- */

static void several_parameters_at_once(void **unused)
{
    (void)unused;
    /* each alone leaves a gap between the given positions and the joint */
    static const char text[] =
        "nutate: 1\n"
        "parameters: {a: 1, b: 1}\n"
        "bodies: {arm: {mass: 1, inertia: [1, 1, 1], position: [a, 0, 0]}}\n"
        "joints:\n"
        "  pin: {type: spherical, between: [ground, arm], points: [[b, 0, 0], [0, 0, 0]]}\n"
        "simulation: {duration: 1, step: 1e-2}\n";
    motion m = {0};
    motion_begin(&m, text);
    const int both[] = {0, 1}, none = 2;
    const double values[] = {2, 2}, bad[] = {3, (double)NAN};
    double now[2];
    const nt_system *system = nt_run_system(m.run);
    assert_int_not_equal(nt_model_set(m.run, "a", 2, NULL), NT_OK);
    assert_int_equal(nt_model_set_several(m.run, both, values, 2, NULL), NT_OK);
    assert_int_equal(nt_model_set_several(m.run, both, bad, 2, NULL), NT_INVALID);
    assert_int_equal(nt_model_set_several(m.run, &none, bad, 1, NULL), NT_INVALID);
    system->get_parameters(system->self, now);
    assert_memory_equal(now, values, sizeof now);
    motion_end(&m);
}

/* ---- failures ------------------------------------------------------------------------------- */

static void a_failure_names_its_unknown(void **unused)
{
    (void)unused;
    static const char text[] =
        "nutate: 1\n"
        "bodies:\n"
        "  ball: {mass: 1, inertia: [1, 1, 1]}\n"
        "  weight: {mass: 1, inertia: [1, 1, 1]}\n"
        "forces: {pull: {type: force, on: weight, at: [0, 0, 0], value: [0, 0, "
        "1e6*cos(1e9*weight.position.z) - 1e6*weight.velocity.z^2]}}\n"
        "simulation: {duration: 1, step: 1e-1, minimum_step: 1e-1}\n";
    motion m = {0};
    nt_error error = {0};
    char name[160];
    motion_begin(&m, text);
    const nt_system *system = nt_run_system(m.run);
    assert_int_equal(nt_integrator_failed_unknown(m.integrator), -1);
    assert_int_equal(nt_integrator_start(m.integrator, 0, NULL, NULL, NULL, &error), NT_OK);
    assert_int_not_equal(nt_integrator_run(m.integrator, 1, 0.1, NULL, NULL, &error), NT_OK);
    int unknown = nt_integrator_failed_unknown(m.integrator);
    assert_int_equal(unknown, 8); /* the weight's translation along z */
    system->coordinate_name(system->self, unknown, name, sizeof name);
    assert_non_null(strstr(error.message, name));
    motion_end(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_those_of_a_file),
        cmocka_unit_test(a_row_that_is_not_taken_ends_the_run),
        cmocka_unit_test(a_record_goes_somewhere),
        cmocka_unit_test(several_parameters_at_once),
        cmocka_unit_test(a_failure_names_its_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
