/* Results: what is written into several files at once is read back bit for bit, a table beside the
 * rows is as durable as they are, and what is damaged, locked or not there any more is refused. */
#include <nutate/output.h>

#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* Rows of something else than time: contacts that begin, each with a place of every body. */
static const nt_result_column columns[] = {{"event", "1", "number of the event"},
                                           {"time", "s", "when it happens"},
                                           {"d(gap)/d(r)", "m", "derivative of the gap"}};
static const char *const names[] = {"a", "crank", "rod-3"};
static const nt_result_array arrays[] = {
    {"bodies.position", "m", "position", "body", "vector", 3, 3, names},
    {"bodies.orientation", "1", "orientation", "body", "quaternion", 3, 4, names}};
static const nt_result_attribute attributes[] = {{"table", "events", 6}, {"empty", "", 0}};
static const nt_result_file files[] = {{"run.csv", NT_CSV}, {"run.nc", NT_NETCDF}};
enum { COLUMNS = 3, OTHERS = 21, VALUES = COLUMNS + OTHERS };
static const char *const paths[] = {"run.events.csv", "run.events.nc"};

static nt_result_setup setup_of(void)
{
    return (nt_result_setup){.files = files,
                             .n_files = 2,
                             .table = "events",
                             .columns = columns,
                             .n_columns = COLUMNS,
                             .arrays = arrays,
                             .n_arrays = 2,
                             .attributes = attributes,
                             .n_attributes = 2};
}

static void fill(long row, double *values)
{
    for (int i = 0; i < VALUES; i++)
        values[i] = (double)(row + 1) / (3 + i) * (i % 2 ? -1e-7 : 1e5);
}

static nt_result_writer *create(const nt_result_setup *setup)
{
    nt_result_writer *writer;
    nt_error error;
    if (nt_result_create(&writer, setup, &error) != NT_OK)
        fail_msg("%s: %s", error.file, error.message);
    return writer;
}

static void write_rows(nt_result_writer *writer, long first, long end)
{
    nt_error error;
    double values[VALUES];
    for (long row = first; row < end; row++) {
        fill(row, values);
        assert_int_equal(nt_result_write(writer, values, &error), NT_OK);
    }
}

static nt_result *open_result(const char *path)
{
    nt_result *result;
    nt_error error;
    if (nt_result_open(&result, path, &error) != NT_OK)
        fail_msg("%s: %s", error.file, error.message);
    return result;
}

/* All rows of a result, at once and then from the last to the first. */
static void check_rows(nt_result *result, long rows)
{
    nt_error error;
    double expected[VALUES], one[COLUMNS], *got = calloc((size_t)rows * COLUMNS + 1, sizeof *got);
    assert_non_null(got);
    assert_int_equal(nt_result_rows(result), rows);
    assert_int_equal(nt_result_read(result, 0, rows, got, &error), NT_OK);
    for (long row = rows; row-- > 0;) {
        fill(row, expected);
        assert_memory_equal(got + row * COLUMNS, expected, sizeof one);
        if (row % 97 == 0) {
            assert_int_equal(nt_result_read(result, row, 1, one, &error), NT_OK);
            assert_memory_equal(one, expected, sizeof one);
        }
    }
    assert_int_equal(nt_result_read(result, rows, 1, one, &error), NT_INVALID);
    assert_int_equal(nt_result_read(result, -1, 1, one, &error), NT_INVALID);
    free(got);
}

static void wait_for(double seconds)
{
    const struct timespec time = {.tv_nsec = (long)(1e9 * seconds)};
    nanosleep(&time, NULL);
}

static char *contents(const char *path, size_t *size)
{
    struct stat is;
    int file = open(path, O_RDONLY);
    assert_true(file >= 0 && fstat(file, &is) == 0);
    char *bytes = malloc((size_t)is.st_size + 1);
    assert_non_null(bytes);
    assert_true(read(file, bytes, (size_t)is.st_size) == is.st_size);
    close(file);
    *size = (size_t)is.st_size;
    return bytes;
}

static void put(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_true(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

/* ---- what is written is read ---------------------------------------------------------------- */

static void both_formats_hold_the_rows(void **unused)
{
    (void)unused;
    nt_error error;
    nt_result_setup setup = setup_of();
    nt_result_writer *writer = create(&setup);
    write_rows(writer, 0, 3000);
    assert_int_equal(nt_result_written(writer), 3000);
    assert_int_equal(nt_result_finish(writer, &error), NT_OK);
    for (int i = 0; i < 2; i++) {
        nt_result *result = open_result(paths[i]);
        check_rows(result, 3000);
        assert_int_equal(nt_result_column_count(result), COLUMNS);
        for (int j = 0; j < COLUMNS; j++) {
            nt_result_column column = nt_result_column_at(result, j);
            assert_string_equal(column.name, columns[j].name);
            assert_string_equal(column.unit, i ? columns[j].unit : "");
            assert_string_equal(column.meaning, i ? columns[j].meaning : "");
            assert_int_equal(nt_result_find(result, columns[j].name), j);
        }
        assert_int_equal(nt_result_find(result, "gap"), -1);
        assert_null(nt_result_column_at(result, COLUMNS).name);
        assert_int_equal(nt_result_array_count(result), i ? 2 : 0);
        assert_int_equal(nt_result_attribute_count(result), i ? 2 : 0);
        nt_result_close(result);
    }
}

static void arrays_and_attributes(void **unused)
{
    (void)unused;
    nt_error error;
    double got[2][12], expected[VALUES];
    nt_result *result = open_result(paths[1]);
    for (int i = 0, begin = COLUMNS; i < 2; begin += 3 * arrays[i++].components) {
        nt_result_array array = nt_result_array_at(result, i);
        assert_string_equal(array.name, arrays[i].name);
        assert_string_equal(array.unit, arrays[i].unit);
        assert_string_equal(array.meaning, arrays[i].meaning);
        assert_string_equal(array.item, "body");
        assert_string_equal(array.component, arrays[i].component);
        assert_int_equal(array.items, 3);
        assert_int_equal(array.components, arrays[i].components);
        for (int j = 0; j < 3; j++)
            assert_string_equal(array.item_names[j], names[j]);
        assert_int_equal(nt_result_read_array(result, i, 1234, 2, got[0], &error), NT_OK);
        const double *at = got[0];
        for (long row = 1234; row < 1236; row++, at += 3 * array.components) {
            fill(row, expected);
            assert_memory_equal(at, expected + begin,
                                3 * (size_t)array.components * sizeof(double));
        }
    }
    assert_int_equal(nt_result_read_array(result, 2, 0, 1, got[0], &error), NT_INVALID);
    for (int i = 0; i < 2; i++) {
        nt_result_attribute attribute = nt_result_attribute_at(result, i);
        assert_string_equal(attribute.name, attributes[i].name);
        assert_string_equal(attribute.value, attributes[i].value);
        assert_int_equal(attribute.length, attributes[i].length);
    }
    nt_result_close(result);
}

/* ---- words ---------------------------------------------------------------------------------- */

static const char *const what[] = {"land", "let_go", "Slam: 2"};
static const nt_result_column happened[] = {{"time", "s", "when"}, {"event", "1", "which"}};

static void check_happened(const char *path, const int *numbers, int n_words)
{
    static const double times[] = {0.5, 1, 2};
    static const int order[] = {2, 0, 2};
    double row[2];
    nt_result *result = open_result(path);
    assert_null(nt_result_text(result, 0, 0));
    assert_null(nt_result_text(result, 2, 0));
    assert_non_null(nt_result_text(result, 1, n_words - 1));
    assert_null(nt_result_text(result, 1, n_words));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(nt_result_read(result, i, 1, row, NULL), NT_OK);
        assert_true(row[0] == times[i] && row[1] == numbers[i]);
        assert_string_equal(nt_result_text(result, 1, numbers[i]), what[order[i]]);
    }
    nt_result_close(result);
}

/* Numbers that stand for words: words in CSV, flags in NetCDF, and nothing else. */
static void numbers_stand_for_words(void **unused)
{
    (void)unused;
    nt_error error;
    nt_result_words words = {1, what, 3};
    nt_result_setup setup = {.files = files,
                             .n_files = 2,
                             .columns = happened,
                             .n_columns = 2,
                             .words = &words,
                             .n_words = 1};
    nt_result_writer *writer = create(&setup);
    const double rows[3][2] = {{0.5, 2}, {1, 0}, {2, 2}};
    for (int i = 0; i < 3; i++)
        assert_int_equal(nt_result_write(writer, rows[i], &error), NT_OK);
    for (int i = 0; i < 3; i++) {
        static const double none[] = {3, -1, 0.5};
        const double row[] = {3, none[i]};
        assert_int_equal(nt_result_write(writer, row, &error), NT_INVALID);
        assert_non_null(strstr(error.message, "expected the number of a word from 0 to 2"));
    }
    assert_int_equal(nt_result_finish(writer, &error), NT_OK);
    check_happened("run.nc", (const int[]){2, 0, 2}, 3);
    check_happened("run.csv", (const int[]){0, 1, 0}, 2);
    size_t size;
    char *text = contents("run.csv", &size);
    static const char expected[] = "time,event\n0.5,Slam: 2\n1,land\n2,Slam: 2\n";
    assert_int_equal(size, sizeof expected - 1);
    assert_memory_equal(text, expected, size);
    free(text);
    static const char *const bad[] = {"two\nlines", "a,b", "1st", ""};
    for (int i = 0; i < 4; i++) {
        words = (nt_result_words){1, &bad[i], 1};
        assert_int_equal(nt_result_create(&writer, &setup, &error), NT_INVALID);
        assert_non_null(strstr(error.message, "is no word"));
    }
    words = (nt_result_words){2, what, 3};
    assert_int_equal(nt_result_create(&writer, &setup, &error), NT_INVALID);
    put("other.csv", "time,event\n1,a\n2,3\n", 20);
    nt_result *result;
    assert_int_equal(nt_result_open(&result, "other.csv", &error), NT_IO);
    assert_non_null(strstr(error.message, "expected a word in column 'event'"));
    assert_int_equal(error.line, 3);
}

static void names_beside(void **unused)
{
    (void)unused;
    static const char *const cases[][2] = {{"run.nc", "run.events.nc"},
                                           {"a.b/run.csv", "a.b/run.events.csv"},
                                           {"a.b/run", "a.b/run.events"}};
    for (int i = 0; i < 3; i++) {
        char *beside = nt_result_beside(cases[i][0], "events");
        assert_string_equal(beside, cases[i][1]);
        free(beside);
    }
}

/* ---- what is not finished ------------------------------------------------------------------- */

/* A process writes rows, saves, writes more and is killed at some moment: another one goes on from
 * what was saved, and both files are those of an undisturbed run. */
static void a_killed_table_goes_on(void **unused)
{
    (void)unused;
    enum { SAVED = 5000, ALL = 20000 };
    nt_error error;
    nt_result_setup setup = setup_of();
    nt_result_writer *writer = create(&setup);
    write_rows(writer, 0, ALL);
    assert_int_equal(nt_result_finish(writer, &error), NT_OK);
    size_t size[2];
    char *whole[2] = {contents(paths[0], &size[0]), contents(paths[1], &size[1])};
    size_t room = 0;
    for (int moment = 0; moment < 8; moment++) {
        char saved[512];
        int pipes[2];
        assert_int_equal(pipe(pipes), 0);
        pid_t child = fork();
        if (child == 0) {
            writer = create(&setup);
            write_rows(writer, 0, SAVED);
            room = nt_result_saved_size(writer);
            if (room > sizeof saved || nt_result_save(writer, saved, 1, &error) != NT_OK ||
                write(pipes[1], saved, room) != (ssize_t)room)
                _exit(1);
            for (long row = SAVED;; row++)
                write_rows(writer, row, row + 1);
        }
        close(pipes[1]);
        ssize_t got = read(pipes[0], saved, sizeof saved);
        close(pipes[0]);
        assert_true(got > 0);
        wait_for(moment * 0.7e-3);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);

        for (int i = 0; i < 2; i++) { /* what is there are whole rows */
            nt_result *result = open_result(paths[i]);
            assert_true(nt_result_rows(result) >= SAVED);
            check_rows(result, nt_result_rows(result));
            nt_result_close(result);
        }
        nt_result_setup again = setup;
        again.saved = saved;
        again.saved_size = (size_t)got;
        writer = create(&again);
        assert_int_equal(nt_result_written(writer), SAVED);
        write_rows(writer, SAVED, ALL);
        assert_int_equal(nt_result_finish(writer, &error), NT_OK);
        for (int i = 0; i < 2; i++) {
            size_t length;
            char *bytes = contents(paths[i], &length);
            assert_int_equal(length, size[i]);
            assert_memory_equal(bytes, whole[i], length);
            free(bytes);
        }
    }
    free(whole[0]), free(whole[1]);
}

/* Saving twice without a row between, before the first row too. */
static void places_of_no_rows(void **unused)
{
    (void)unused;
    nt_error error;
    nt_result_setup setup = setup_of();
    char saved[3][512];
    nt_result_writer *writer = create(&setup);
    setup.saved_size = nt_result_saved_size(writer);
    assert_int_equal(nt_result_save(writer, saved[0], 1, &error), NT_OK);
    write_rows(writer, 0, 10);
    assert_int_equal(nt_result_save(writer, saved[1], 1, &error), NT_OK);
    assert_int_equal(nt_result_save(writer, saved[2], 1, &error), NT_OK);
    assert_memory_equal(saved[1], saved[2], setup.saved_size);
    assert_int_equal(nt_result_finish(writer, &error), NT_OK);
    for (int i = 1; i >= 0; i--) {
        setup.saved = saved[i];
        writer = create(&setup);
        assert_int_equal(nt_result_save(writer, saved[2], 1, &error), NT_OK);
        assert_memory_equal(saved[i], saved[2], setup.saved_size);
        assert_int_equal(nt_result_finish(writer, &error), NT_OK);
        for (int j = 0; j < 2; j++) {
            nt_result *result = open_result(paths[j]);
            check_rows(result, i ? 10 : 0);
            nt_result_close(result);
        }
    }
}

/* Rows are readable while they are written, a tenth of a second later at the latest. */
static void rows_do_not_wait(void **unused)
{
    (void)unused;
    nt_error error;
    nt_result_setup setup = setup_of();
    nt_result_writer *writer = create(&setup);
    write_rows(writer, 0, 7);
    wait_for(0.12);
    assert_int_equal(nt_result_keep_up(writer, &error), NT_OK);
    for (int i = 0; i < 2; i++) {
        nt_result *result = open_result(paths[i]);
        check_rows(result, 7);
        nt_result_close(result);
    }
    assert_int_equal(nt_result_finish(writer, &error), NT_OK);
}

/* ---- what is refused ------------------------------------------------------------------------ */

static void refused(const nt_result_setup *setup, nt_status status, const char *words)
{
    nt_result_writer *writer;
    nt_error error;
    char text[1200];
    assert_int_equal(nt_result_create(&writer, setup, &error), status);
    assert_null(writer);
    nt_error_text(&error, text, (int)sizeof text);
    if (!strstr(text, words))
        fail_msg("'%s' without '%s'", text, words);
}

static void two_writers(void **unused)
{
    (void)unused;
    nt_error error;
    nt_result_setup setup = setup_of();
    const nt_result_file other[] = {{"new.csv", NT_CSV}, {"run.nc", NT_NETCDF}};
    struct stat is;
    nt_result_writer *writer = create(&setup);
    write_rows(writer, 0, 200);
    refused(&setup, NT_IO, "run.events.csv: is being written by another run");
    setup.files = other;
    refused(&setup, NT_IO, "run.events.nc: is being written by another run");
    assert_int_not_equal(stat("new.events.csv", &is), 0); /* made for it, and removed again */
    assert_int_equal(nt_result_finish(writer, &error), NT_OK);
    nt_result *result = open_result(paths[0]);
    check_rows(result, 200);
    nt_result_close(result);
}

static void files_that_have_changed(void **unused)
{
    (void)unused;
    nt_error error;
    nt_result_setup setup = setup_of();
    char saved[512];
    size_t size;
    nt_result_writer *writer = create(&setup);
    write_rows(writer, 0, 200);
    assert_int_equal(nt_result_save(writer, saved, 1, &error), NT_OK);
    setup.saved_size = nt_result_saved_size(writer);
    setup.saved = saved;
    assert_int_equal(nt_result_finish(writer, &error), NT_OK);
    for (int i = 0; i < 2; i++) {
        char *bytes = contents(paths[i], &size);
        put(paths[i], bytes, size - 1);
        refused(&setup, NT_IO, "is shorter than it was");
        bytes[size - 5] ^= 1;
        put(paths[i], bytes, size);
        refused(&setup, NT_IO, "does not hold the last row that was saved");
        bytes[size - 5] ^= 1;
        bytes[20] ^= 1;
        put(paths[i], bytes, size);
        refused(&setup, NT_IO, "begins otherwise");
        bytes[20] ^= 1;
        put(paths[i], bytes, size);
        free(bytes);
    }
    setup.n_columns--;
    refused(&setup, NT_INVALID, "other columns");
    setup.n_columns++;
    setup.n_files = 1;
    refused(&setup, NT_INVALID, "another number of files");
    setup.n_files = 2;
    unlink(paths[1]);
    refused(&setup, NT_IO, "run.events.nc: cannot be written: No such file");
}

static void files_that_vanish(void **unused)
{
    (void)unused;
    nt_error error;
    for (int i = 0; i < 2; i++) {
        nt_result_setup setup = setup_of();
        nt_result_writer *writer = create(&setup);
        write_rows(writer, 0, 3);
        unlink(paths[i]);
        wait_for(0.12);
        assert_int_equal(nt_result_keep_up(writer, &error), NT_IO);
        assert_string_equal(error.file, paths[i]);
        assert_non_null(strstr(error.message, "was removed"));
        assert_int_equal(nt_result_finish(writer, &error), NT_IO);
    }
}

static void no_result(const char *bytes, size_t size, const char *words)
{
    nt_result *result;
    nt_error error;
    put("broken", bytes, size);
    assert_int_equal(nt_result_open(&result, "broken", &error), NT_IO);
    assert_null(result);
    assert_string_equal(error.file, "broken");
    if (!strstr(error.message, words))
        fail_msg("'%s' without '%s'", error.message, words);
}

/* Cut anywhere, or with any byte of the head changed: words or numbers, never anything else. */
static void damaged_files(void **unused)
{
    (void)unused;
    nt_error error;
    nt_result *result;
    nt_result_setup setup = setup_of();
    double values[OTHERS];
    size_t size, read = 0, unread = 0;
    nt_result_writer *writer = create(&setup);
    write_rows(writer, 0, 2);
    assert_int_equal(nt_result_finish(writer, &error), NT_OK);
    char *bytes = contents(paths[1], &size);
    size_t head = size - 2 * VALUES * sizeof(double);
    for (size_t cut = 0; cut < head; cut += 3)
        if (cut < 4)
            no_result(bytes, cut, "is no result");
        else
            no_result(bytes, cut, "is damaged, or no NetCDF file");
    for (size_t i = 0; i < head; i++)
        for (int k = 0; k < 3; k++) {
            static const char changes[] = {1, (char)0x80, (char)0xff};
            bytes[i] = (char)(bytes[i] ^ changes[k]);
            put("broken", bytes, size);
            bytes[i] = (char)(bytes[i] ^ changes[k]);
            if (nt_result_open(&result, "broken", &error) != NT_OK) {
                assert_true(error.message[0] && error.status != NT_NO_MEMORY);
                unread++;
                continue;
            }
            read++;
            for (int j = 0; j < nt_result_array_count(result); j++) {
                nt_result_array a = nt_result_array_at(result, j);
                if (nt_result_rows(result) > 0 && (long)a.items * a.components <= OTHERS)
                    nt_result_read_array(result, j, 0, 1, values, &error);
            }
            nt_result_close(result);
        }
    assert_true(read > 100 && unread > 100);
    free(bytes);
    no_result("", 0, "is no result");
    no_result("a,,b\n1,2,3\n", 11, "column 2 has no name");
}

static void damaged_lines(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *words;
        int line, column;
    } cases[] = {{"a,b\n1,2\n3\n", "expected 2 numbers", 3, 0},
                 {"a,b\n1,2,3\n", "expected 2 numbers", 2, 0},
                 {"a,b\n1,2\n1,x2\n", "expected a number, got 'x2'", 3, 3},
                 {"a,b\n1,\n", "expected a number, got ''", 2, 3}};
    nt_error error;
    double values[6];
    for (int i = 0; i < 4; i++) {
        put("broken", cases[i].text, strlen(cases[i].text));
        nt_result *result = open_result("broken");
        assert_int_equal(nt_result_read(result, 0, nt_result_rows(result), values, &error), NT_IO);
        assert_int_equal(error.line, cases[i].line);
        assert_int_equal(error.column, cases[i].column);
        assert_non_null(strstr(error.message, cases[i].words));
        nt_result_close(result);
    }
    put("broken", "a,b\n1,-inf\nnan,2\n3", 18);
    nt_result *result = open_result("broken");
    assert_int_equal(nt_result_rows(result), 2);
    assert_int_equal(nt_result_read(result, 0, 2, values, &error), NT_OK);
    assert_true(values[0] == 1 && isinf(values[1]) && values[1] < 0 && isnan(values[2]));
    nt_result_close(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_formats_hold_the_rows),
        cmocka_unit_test(arrays_and_attributes),
        cmocka_unit_test(names_beside),
        cmocka_unit_test(numbers_stand_for_words),
        cmocka_unit_test(a_killed_table_goes_on),
        cmocka_unit_test(places_of_no_rows),
        cmocka_unit_test(rows_do_not_wait),
        cmocka_unit_test(two_writers),
        cmocka_unit_test(files_that_have_changed),
        cmocka_unit_test(files_that_vanish),
        cmocka_unit_test(damaged_files),
        cmocka_unit_test(damaged_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
