/* CSV: names, numbers that read back as the same bits, and every failed write reported. */
#include "output/stream.h"
#include "output/writer.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const nt_column columns[] = {
    {"time", "s", "time"},
    {"top.position.x", "m", "position of body top, x, ground axes"},
    {"energy.total", "J", "energy, total"},
};
static const nt_heading heading = {.path = "rows.csv", .columns = columns, .n_columns = 3};

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
    void *writer;
    nt_error error;
    const double rows[2][3] = {{0, 0.1, -2.5e-300}, {1e-2, 1.0 / 3, 12345678}};
    assert_int_equal(nt_writer_csv.open(&writer, &heading, &error), NT_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(nt_writer_csv.row(writer, rows[i], &error), NT_OK);
    assert_int_equal(nt_writer_csv.close(writer, &error), NT_OK);
    assert_string_equal(contents("rows.csv"), "time,top.position.x,energy.total\n"
                                              "0,0.10000000000000001,-2.5e-300\n"
                                              "0.01,0.33333333333333331,12345678\n");
}

/* More than one buffer's worth, read back number by number. */
static void every_bit_comes_back(void **unused)
{
    (void)unused;
    enum { ROWS = 5000 };
    void *writer;
    nt_error error;
    uint64_t bits = 1;
    static double rows[ROWS][3];
    assert_int_equal(nt_writer_csv.open(&writer, &heading, &error), NT_OK);
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < 3; j++) {
            bits = bits * 6364136223846793005u + 1442695040888963407u;
            rows[i][j] = ldexp((double)(int64_t)bits, (int)(bits >> 59) - 80);
        }
        assert_int_equal(nt_writer_csv.row(writer, rows[i], &error), NT_OK);
    }
    assert_int_equal(nt_writer_csv.close(writer, &error), NT_OK);

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
    void *writer;
    nt_error error;
    nt_heading nowhere = heading;
    nowhere.path = "no/such/folder/rows.csv";
    assert_int_equal(nt_writer_csv.open(&writer, &nowhere, &error), NT_IO);
    assert_null(writer);
    assert_string_equal(error.file, nowhere.path);
    assert_non_null(strstr(error.message, "No such file or directory"));
}

static void a_full_disk_is_seen_at_once(void **unused)
{
    (void)unused;
    void *writer;
    nt_error error;
    nt_heading full = heading;
    full.path = "/dev/full";
    assert_int_equal(nt_writer_csv.open(&writer, &full, &error), NT_IO);
    assert_null(writer);
    assert_string_equal(error.file, "/dev/full");
    assert_non_null(strstr(error.message, "No space left on device"));
}

/* Once a write has failed, so do all later ones: no hole in the file goes unnoticed. */
static void a_failure_stays(void **unused)
{
    (void)unused;
    static nt_stream stream;
    nt_error error;
    char piece[100] = {0};
    assert_int_equal(nt_stream_open(&stream, "/dev/full", &error), NT_OK);
    nt_status status = NT_OK;
    for (int i = 0; i < 2 * NT_STREAM_ROOM / 100 && status == NT_OK; i++)
        status = nt_stream_put(&stream, piece, sizeof piece, &error);
    assert_int_equal(status, NT_IO);
    assert_int_equal(nt_stream_flush(&stream, &error), NT_IO);
    assert_int_equal(nt_stream_close(&stream, &error), NT_IO);
    assert_non_null(strstr(error.message, "No space left on device"));
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
