/* NetCDF: what is written is read back by the NetCDF library itself, also while the writer is still
 * at work, as after a run that was killed. */
#include "output/digest.h"

#include <nutate/output.h>

#include <netcdf.h>
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
    {"top-1.position.x", "m", "position of body top-1, x, ground axes"},
    {"step_size", "s", "size of the last step"},
};
static const char model[] = "nutate: 1\ntitle: Kreisel \xc3\xbc\n";
static const nt_result_attribute attributes[] = {
    {"title", "Kreisel", 7},
    {"model", model, sizeof model - 1},
    {"empty", "", 0},
};

static nt_status create(nt_result_writer **writer, const char *path, nt_error *error)
{
    const nt_result_file file = {path, NT_NETCDF};
    const nt_result_setup setup = {.files = &file,
                                   .n_files = 1,
                                   .columns = columns,
                                   .n_columns = 3,
                                   .attributes = attributes,
                                   .n_attributes = 3};
    return nt_result_create(writer, &setup, error);
}

static double value(int row, int column) { return (row + 1) / 3.0 + 1000.0 * column; }

static nt_result_writer *start(int rows)
{
    nt_result_writer *writer;
    nt_error error;
    assert_int_equal(create(&writer, "rows.nc", &error), NT_OK);
    for (int i = 0; i < rows; i++) {
        double row[3] = {value(i, 0), value(i, 1), value(i, 2)};
        assert_int_equal(nt_result_write(writer, row, &error), NT_OK);
    }
    return writer;
}

static int open_file(void)
{
    int file;
    assert_int_equal(nc_open("rows.nc", NC_NOWRITE, &file), NC_NOERR);
    return file;
}

static void check_rows(int file, size_t expected)
{
    int time;
    size_t rows;
    assert_int_equal(nc_inq_unlimdim(file, &time), NC_NOERR);
    assert_int_equal(nc_inq_dimlen(file, time, &rows), NC_NOERR);
    assert_int_equal(rows, expected);
    for (int j = 0; j < 3; j++) {
        int variable;
        assert_int_equal(nc_inq_varid(file, columns[j].name, &variable), NC_NOERR);
        for (size_t i = 0; i < rows; i++) {
            double got, wanted = value((int)i, j);
            assert_int_equal(nc_get_var1_double(file, variable, &i, &got), NC_NOERR);
            assert_memory_equal(&got, &wanted, sizeof got);
        }
    }
}

static void check_text(int file, int variable, const char *name, const char *expected)
{
    char text[200] = "";
    size_t length;
    nc_type type;
    assert_int_equal(nc_inq_att(file, variable, name, &type, &length), NC_NOERR);
    assert_int_equal(type, NC_CHAR);
    assert_int_equal(length, strlen(expected));
    assert_true(length < sizeof text);
    assert_int_equal(nc_get_att_text(file, variable, name, text), NC_NOERR);
    assert_string_equal(text, expected);
}

static void rows_names_and_texts(void **unused)
{
    (void)unused;
    nt_error error;
    assert_int_equal(nt_result_finish(start(250), &error), NT_OK);
    int file = open_file(), format, dimensions, variables, globals;
    assert_int_equal(nc_inq_format(file, &format), NC_NOERR);
    assert_int_equal(format, NC_FORMAT_64BIT_OFFSET);
    assert_int_equal(nc_inq(file, &dimensions, &variables, &globals, NULL), NC_NOERR);
    assert_int_equal(dimensions, 1);
    assert_int_equal(variables, 3);
    assert_int_equal(globals, 3);
    check_text(file, NC_GLOBAL, "title", "Kreisel");
    check_text(file, NC_GLOBAL, "model", model);
    check_text(file, NC_GLOBAL, "empty", "");
    for (int j = 0; j < 3; j++) {
        int variable;
        assert_int_equal(nc_inq_varid(file, columns[j].name, &variable), NC_NOERR);
        check_text(file, variable, "units", columns[j].unit);
        check_text(file, variable, "long_name", columns[j].meaning);
    }
    check_rows(file, 250);
    nc_close(file);
}

/* Every name is that of one dimension and of one variable alone, whatever columns are called: rows
 * over a parameter `load` beside an array of loads, a spring `run` with its energy. */
static void columns_have_the_first_choice_of_names(void **unused)
{
    (void)unused;
    static const nt_result_column own[] = {
        {"load", "1", "part"}, {"run.energy", "J", "of a spring"}, {"vector", "m", ""}};
    static const char *const names[] = {"push"}, *const whole[] = {"whole"};
    static const nt_result_array arrays[] = {
        {"loads.force", "N", "forces", "load", "vector", 1, 3, names},
        {"run.energy", "J", "of everything", "run", "energies", 1, 2, whole}};
    const nt_result_file to = {"rows.nc", NT_NETCDF};
    const nt_result_setup setup = {.files = &to,
                                   .n_files = 1,
                                   .columns = own,
                                   .n_columns = 3,
                                   .arrays = arrays,
                                   .n_arrays = 2};
    static const double row[] = {0.5, 7, 8, 1, 2, 3, 4, 5};
    nt_result_writer *writer;
    nt_error error;
    assert_int_equal(nt_result_create(&writer, &setup, &error), NT_OK);
    assert_int_equal(nt_result_write(writer, row, &error), NT_OK);
    assert_int_equal(nt_result_finish(writer, &error), NT_OK);
    int file = open_file(), dimensions, variables, found;
    assert_int_equal(nc_inq(file, &dimensions, &variables, NULL, NULL), NC_NOERR);
    assert_int_equal(dimensions, 6);
    assert_int_equal(variables, 7);
    for (int i = 0; i < dimensions + variables; i++) {
        char name[NC_MAX_NAME + 1];
        bool dimension = i < dimensions;
        int own_number = dimension ? i : i - dimensions;
        if (dimension)
            assert_int_equal(nc_inq_dimname(file, i, name), NC_NOERR);
        else
            assert_int_equal(nc_inq_varname(file, own_number, name), NC_NOERR);
        assert_int_equal(dimension ? nc_inq_dimid(file, name, &found)
                                   : nc_inq_varid(file, name, &found),
                         NC_NOERR);
        assert_int_equal(found, own_number);
    }
    double energies[2], energy;
    assert_int_equal(nc_inq_varid(file, "run.energy_", &found), NC_NOERR);
    assert_int_equal(nc_get_var_double(file, found, energies), NC_NOERR);
    assert_true(energies[0] == 4 && energies[1] == 5);
    assert_int_equal(nc_inq_varid(file, "run.energy", &found), NC_NOERR);
    assert_int_equal(nc_get_var_double(file, found, &energy), NC_NOERR);
    assert_true(energy == 7);
    assert_int_equal(nc_close(file), NC_NOERR);
}

static void no_rows(void **unused)
{
    (void)unused;
    nt_error error;
    assert_int_equal(nt_result_finish(start(0), &error), NT_OK);
    int file = open_file();
    check_rows(file, 0);
    nc_close(file);
}

/* Never closed: every hundredth row makes all before it readable. */
static void a_killed_run_keeps_its_rows(void **unused)
{
    (void)unused;
    nt_error error;
    nt_result_writer *writer = start(399);
    int file = open_file();
    check_rows(file, 300);
    nc_close(file);
    assert_int_equal(nt_result_finish(writer, &error), NT_OK);
}

/* As many variables as a chain of three thousand bodies has. */
static void many_columns(void **unused)
{
    (void)unused;
    enum { N = 20000 };
    nt_result_writer *writer;
    nt_error error;
    nt_result_column *many = calloc(N, sizeof *many);
    char(*names)[16] = calloc(N, sizeof *names);
    double *row = calloc(N, sizeof *row), got;
    assert_true(many && names && row);
    for (int i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "c%d", i);
        many[i] = (nt_result_column){names[i], "m", "a column"};
        row[i] = i;
    }
    const nt_result_file place = {"rows.nc", NT_NETCDF};
    const nt_result_setup wide = {.files = &place, .n_files = 1, .columns = many, .n_columns = N};
    assert_int_equal(nt_result_create(&writer, &wide, &error), NT_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(nt_result_write(writer, row, &error), NT_OK);
    assert_int_equal(nt_result_finish(writer, &error), NT_OK);
    int file = open_file(), variable;
    size_t last = 2;
    assert_int_equal(nc_inq_varid(file, "c19999", &variable), NC_NOERR);
    assert_int_equal(nc_get_var1_double(file, variable, &last, &got), NC_NOERR);
    assert_true(got == N - 1);
    nc_close(file);
    free(many), free(names), free(row);
}

static void failures(void **unused)
{
    (void)unused;
    nt_result_writer *writer;
    nt_error error;
    assert_int_equal(create(&writer, "/dev/full", &error), NT_IO);
    assert_null(writer);
    assert_string_equal(error.file, "/dev/full");
    assert_non_null(strstr(error.message, "No space left on device"));
    assert_int_equal(create(&writer, "no/such/folder/rows.nc", &error), NT_IO);
    assert_int_equal(create(&writer, "-", &error), NT_INVALID);
    assert_int_equal(create(&writer, "/dev/null", &error), NT_IO);
    assert_non_null(strstr(error.message, "no ordinary file"));
    struct stat is;
    assert_true(stat("/dev/null", &is) == 0 && stat("/dev/full", &is) == 0);
}

/* Names that libnetcdf would read as an address, or shorten. */
static void odd_paths(void **unused)
{
    (void)unused;
    static const char *const paths[] = {" blank.nc", "a#mode=zarr.nc", "a b:c.nc"};
    for (int i = 0; i < 3; i++) {
        nt_result_writer *writer;
        nt_error error;
        struct stat is;
        assert_int_equal(create(&writer, paths[i], &error), NT_OK);
        assert_int_equal(nt_result_finish(writer, &error), NT_OK);
        assert_true(stat(paths[i], &is) == 0 && is.st_size > 100);
        remove(paths[i]);
    }
}

/* Files may not grow beyond 64 KB: as on a disk that fills up in the middle of a run. What was
 * synchronised before can be read. */
static void a_disk_that_fills_up(void **unused)
{
    (void)unused;
    struct rlimit before, small;
    nt_error error;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 1 << 16;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    nt_result_writer *writer = start(100);
    nt_status status = NT_OK;
    double row[3];
    for (int i = 100; i < 10000 && status == NT_OK; i++) {
        for (int j = 0; j < 3; j++)
            row[j] = value(i, j);
        status = nt_result_write(writer, row, &error);
    }
    assert_int_equal(status, NT_IO);
    assert_non_null(strstr(error.message, "File too large"));
    assert_string_equal(error.file, "rows.nc");
    assert_int_equal(nt_result_finish(writer, &error), NT_IO);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    int file = open_file();
    check_rows(file, 2700); /* (64 KB - head) / 24 bytes, in hundreds */
    nc_close(file);
}

/* FIPS 180-4's examples. */
static void digests(void **unused)
{
    (void)unused;
    char text[NT_DIGEST_ROOM];
    nt_digest("abc", 3, text);
    assert_string_equal(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    nt_digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, text);
    assert_string_equal(text, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    nt_digest("", 0, text);
    assert_string_equal(text, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_names_and_texts),
        cmocka_unit_test(columns_have_the_first_choice_of_names),
        cmocka_unit_test(no_rows),
        cmocka_unit_test(a_killed_run_keeps_its_rows),
        cmocka_unit_test(many_columns),
        cmocka_unit_test(failures),
        cmocka_unit_test(odd_paths),
        cmocka_unit_test(a_disk_that_fills_up),
        cmocka_unit_test(digests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
