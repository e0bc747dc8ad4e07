/* The same as test_null.c for sweeps. */
#include "api/null.h"

#include <stdlib.h>

static void put_file(const char *path, const char *words)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(words, file);
    assert_int_equal(fclose(file), 0);
}

static void in_sweeps(void **state)
{
    nt_sweep *sweep, *out = (nt_sweep *)numbers;
    nt_sweep_progress progress;
    nt_sweep_setup of = {.folder = "null.sweep"};
    nt_result_file file = {"null.sweep.csv", NT_CSV};
    double seconds;
    char value[ROOM];
    (void)state;
    assert_int_equal(system("rm -rf null.sweep"), 0); /* of a run before, with other code */
    put_file("null.yaml", text);
    put_file("null.plan.yaml", "sweep: 1\nmodel: null.yaml\nvary: {m: [15, 16]}\n");
    IS_NULL("sweep", nt_sweep_read(NULL, "null.plan.yaml", e));
    IS_NULL("path", nt_sweep_read(&out, NULL, e));
    assert_null(out);
    IS_NULL("sweep", nt_sweep_open(NULL, "null.sweep", e));
    IS_NULL("folder", nt_sweep_open(&out, NULL, e));
    require(nt_sweep_read(&sweep, "null.plan.yaml", e));
    assert_int_equal(nt_sweep_rows(NULL), 0);
    assert_int_equal(nt_sweep_rows(sweep), 2);
    assert_int_equal(nt_sweep_row_size(NULL), 0);
    assert_int_equal(nt_sweep_axis_count(NULL), 0);
    assert_null(nt_sweep_axis(NULL, 0));
    assert_null(nt_sweep_axis(sweep, 1));
    assert_int_equal(nt_sweep_value(NULL, 0, 0, value, ROOM), 0);
    assert_int_equal(nt_sweep_value(sweep, 2, 0, value, ROOM), 0);
    assert_int_equal(nt_sweep_value(sweep, 1, 0, NULL, 0), 2);
    IS_NULL("sweep", nt_sweep_run(NULL, &of, &progress, e));
    IS_NULL("setup", nt_sweep_run(sweep, NULL, &progress, e));
    nt_sweep_setup other = of;
    other.folder = NULL;
    IS_NULL("setup.folder", nt_sweep_run(sweep, &other, &progress, e));
    other = of, other.version = 77;
    IS_UNKNOWN("setup.version", nt_sweep_run(sweep, &other, &progress, e));
    other = of, other.first = 2;
    INVALID(nt_sweep_run(sweep, &other, NULL, NULL));
    IS_NULL("sweep", nt_sweep_time(NULL, &seconds, e));
    IS_NULL("seconds", nt_sweep_time(sweep, NULL, e));
    IS_NULL("sweep", nt_sweep_begin(NULL, "null.sweep", 0, e));
    IS_NULL("folder", nt_sweep_begin(sweep, NULL, 0, e));
    of.resume = 1;
    require(nt_sweep_run(sweep, &of, NULL, e));
    IS_NULL("sweep", nt_sweep_look(NULL, "null.sweep", &progress, NULL, e));
    IS_NULL("folder", nt_sweep_look(sweep, NULL, &progress, NULL, e));
    IS_NULL("progress", nt_sweep_look(sweep, "null.sweep", NULL, NULL, e));
    assert_int_equal(nt_sweep_is_table(NULL), 0);
    IS_NULL("from", nt_sweep_convert(NULL, "null.sweep.csv", e));
    IS_NULL("sweep", nt_sweep_collect(NULL, "null.sweep", &file, NULL, e));
    IS_NULL("folder", nt_sweep_collect(sweep, NULL, &file, NULL, e));
    IS_NULL("file", nt_sweep_collect(sweep, "null.sweep", NULL, NULL, e));
    file.path = NULL;
    IS_NULL("file.path", nt_sweep_collect(sweep, "null.sweep", &file, NULL, e));
    file = (nt_result_file){"null.sweep.csv", (nt_record_format)77};
    IS_UNKNOWN("file.format", nt_sweep_collect(sweep, "null.sweep", &file, NULL, e));
    IS_NULL("sweep", nt_sweep_statistics(NULL, "null.sweep", "null.csv", NULL, e));
    IS_NULL("folder", nt_sweep_statistics(sweep, NULL, "null.csv", NULL, e));
    IS_NULL("path", nt_sweep_statistics(sweep, "null.sweep", NULL, NULL, e));
    nt_sweep_destroy(sweep);
    require(nt_sweep_open(&sweep, "null.sweep", e));
    INVALID(nt_sweep_run(sweep, &of, NULL, NULL)); /* without its model */
    INVALID(nt_sweep_time(sweep, &seconds, NULL));
    INVALID(nt_sweep_begin(sweep, "null.sweep", 1, NULL));
    nt_sweep_destroy(sweep);
    nt_sweep_destroy(NULL);
    nt_record_restart(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_sweeps)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
