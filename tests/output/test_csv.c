/* CSV: names, numbers that read back as the same bits, and every failed write reported. */
#include <nutate/output.h>

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cmocka.h>

static const nt_result_column columns[] = {
    {"time", "s", "time"},
    {"top.position.x", "m", "position of body top, x, ground axes"},
    {"energy.total", "J", "energy, total"},
};

/* Open CSV of these columns. */
static nt_status create(nt_result_writer **writer, const char *path, nt_error *error)
{
    const nt_result_file file = {path, NT_CSV};
    const nt_result_setup setup = {
        .files = &file, .n_files = 1, .columns = columns, .n_columns = 3};
    return nt_result_create(writer, &setup, error);
}

static char *contents(const char *path)
{
    static char text[4096];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t got = fread(text, 1, sizeof text - 1, file);
    text[got] = '\0';
    fclose(file);
    return text;
}

static void names_and_numbers(void **unused)
{
    (void)unused;
    nt_result_writer *writer;
    nt_error error;
    const double rows[2][3] = {{0, 0.1, -2.5e-300}, {1e-2, 1.0 / 3, 12345678}};
    assert_int_equal(create(&writer, "rows.csv", &error), NT_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(nt_result_write(writer, rows[i], &error), NT_OK);
    assert_int_equal(nt_result_finish(writer, &error), NT_OK);
    assert_string_equal(contents("rows.csv"), "time,top.position.x,energy.total\n"
                                              "0,0.10000000000000001,-2.5e-300\n"
                                              "0.01,0.33333333333333331,12345678\n");
}

/* More than one buffer's worth, read back number by number. */
static void every_bit_comes_back(void **unused)
{
    (void)unused;
    enum { ROWS = 5000 };
    nt_result_writer *writer;
    nt_error error;
    uint64_t bits = 1;
    static double rows[ROWS][3];
    assert_int_equal(create(&writer, "rows.csv", &error), NT_OK);
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < 3; j++) {
            bits = bits * 6364136223846793005u + 1442695040888963407u;
            rows[i][j] = ldexp((double)(int64_t)bits, (int)(bits >> 59) - 80);
        }
        assert_int_equal(nt_result_write(writer, rows[i], &error), NT_OK);
    }
    assert_int_equal(nt_result_finish(writer, &error), NT_OK);

    char line[200], *at;
    FILE *file = fopen("rows.csv", "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    for (int i = 0; i < ROWS; i++) {
        at = fgets(line, sizeof line, file);
        assert_non_null(at);
        for (int j = 0; j < 3; j++, at++) {
            double back = strtod(at, &at);
            assert_memory_equal(&back, &rows[i][j], sizeof back);
            assert_int_equal(*at, j < 2 ? ',' : '\n');
        }
    }
    assert_null(fgets(line, sizeof line, file));
    fclose(file);
}

static void a_file_that_cannot_be_created(void **unused)
{
    (void)unused;
    nt_result_writer *writer;
    nt_error error;
    const char *nowhere = "no/such/folder/rows.csv";
    assert_int_equal(create(&writer, nowhere, &error), NT_IO);
    assert_null(writer);
    assert_string_equal(error.file, nowhere);
    assert_non_null(strstr(error.message, "No such file or directory"));
}

static void a_full_disk_is_seen_at_once(void **unused)
{
    (void)unused;
    nt_result_writer *writer;
    nt_error error;
    assert_int_equal(create(&writer, "/dev/full", &error), NT_IO);
    assert_null(writer);
    assert_string_equal(error.file, "/dev/full");
    assert_non_null(strstr(error.message, "No space left on device"));
}

/* Once a write has failed, so do all later ones: no hole in the file goes unnoticed. The file ends
 * with its last whole row. */
static void a_failure_stays(void **unused)
{
    (void)unused;
    struct rlimit before, small;
    nt_result_writer *writer;
    nt_error error;
    struct stat is;
    const double row[3] = {1.0 / 3, 2.0 / 3, 1e-9 / 7};
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 100000;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(create(&writer, "rows.csv", &error), NT_OK);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    nt_status status = NT_OK;
    for (int i = 0; i < 10000 && status == NT_OK; i++)
        status = nt_result_write(writer, row, &error);
    assert_int_equal(status, NT_IO);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    for (int i = 0; i < 2000; i++)
        nt_result_write(writer, row, NULL);
    assert_int_equal(nt_result_finish(writer, &error), NT_IO);
    assert_non_null(strstr(error.message, "File too large"));
    assert_int_equal(stat("rows.csv", &is), 0);
    size_t head = strlen("time,top.position.x,energy.total\n");
    size_t line = strlen("0.33333333333333331,0.66666666666666663,1.4285714285714287e-10\n");
    assert_int_equal(((size_t)is.st_size - head) % line, 0);
    assert_true((size_t)is.st_size > 100000 - line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_numbers),
        cmocka_unit_test(every_bit_comes_back),
        cmocka_unit_test(a_file_that_cannot_be_created),
        cmocka_unit_test(a_full_disk_is_seen_at_once),
        cmocka_unit_test(a_failure_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
