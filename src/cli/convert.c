/* nutate convert: a result in the other format. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 256 }; /* rows */

/* Rows in pieces: each row's columns, then its arrays. */
static nt_status copy_rows(nt_result *from, nt_result_writer *to, nt_error *error)
{
    size_t columns = (size_t)nt_result_column_count(from);
    double *values = malloc(AT_ONCE * columns * sizeof *values);
    nt_status status = NT_OK;
    if (!values)
        *error = (nt_error){.status = status = NT_NO_MEMORY, .message = "out of memory"};
    long n = nt_result_rows(from);
    for (long row = 0; row < n && status == NT_OK; row += AT_ONCE) {
        long piece = n - row < AT_ONCE ? n - row : AT_ONCE;
        status = nt_result_read(from, row, piece, values, error);
        for (long i = 0; i < piece && status == NT_OK; i++)
            status = nt_result_write(to, values + (size_t)i * columns, error);
    }
    free(values);
    return status;
}

/* The words of a column, in list[n], and their number, 0 of a column of numbers. */
static int take_words(const nt_result *from, int column, const char ***list)
{
    int n = 0;
    while (nt_result_text(from, column, n))
        n++;
    *list = calloc((size_t)n + 1, sizeof **list);
    for (int i = 0; *list && i < n; i++)
        (*list)[i] = nt_result_text(from, column, i);
    return *list ? n : -1;
}

static nt_status convert_result(nt_result *from, const char *path, nt_error *error)
{
    int columns = nt_result_column_count(from), attributes = nt_result_attribute_count(from);
    nt_result_column *column = calloc((size_t)columns + 1, sizeof *column);
    nt_result_attribute *attribute = calloc((size_t)attributes + 1, sizeof *attribute);
    nt_result_words *words = calloc((size_t)columns + 1, sizeof *words);
    const char ***lists = calloc((size_t)columns + 1, sizeof *lists);
    nt_result_writer *to = NULL;
    nt_status status = NT_OK;
    int n_words = 0;
    bool good = column && attribute && words && lists;
    for (int i = 0; i < columns && good; i++) {
        int n = take_words(from, i, &lists[i]);
        good = n >= 0;
        if (n > 0)
            words[n_words++] = (nt_result_words){i, lists[i], n};
    }
    if (!good) {
        *error = (nt_error){.status = status = NT_NO_MEMORY, .message = "out of memory"};
        goto done;
    }
    for (int i = 0; i < columns; i++)
        column[i] = nt_result_column_at(from, i);
    for (int i = 0; i < attributes; i++)
        attribute[i] = nt_result_attribute_at(from, i);
    const nt_result_file file = {path, nt_cli_format_of(path)};
    const nt_result_setup setup = {.files = &file,
                                   .n_files = 1,
                                   .columns = column,
                                   .n_columns = columns,
                                   .attributes = attribute,
                                   .n_attributes = attributes,
                                   .words = words,
                                   .n_words = n_words};
    status = nt_result_create(&to, &setup, error);
    nt_cli_part part = nt_cli_part_of(to ? path : NULL);
    if (status == NT_OK)
        status = copy_rows(from, to, error);
    nt_status closed = nt_result_finish(to, status == NT_OK ? error : NULL);
    status = status == NT_OK ? closed : status;
    if (status != NT_OK)
        nt_cli_take_back(&part);
done:
    free(column);
    free(attribute);
    for (int i = 0; lists && i < columns; i++)
        free(lists[i]);
    free(lists);
    free(words);
    return status;
}

int nt_cli_convert(const nt_cli_options *options)
{
    nt_result *from;
    nt_error error = {0};
    if (!options->output) {
        nt_cli_say("convert needs -o FILE (nutate convert --help)");
        return NT_EXIT_USAGE;
    }
    int status = nt_cli_check_result_name(options->output);
    if (status != NT_EXIT_DONE)
        return status;
    if (nt_result_open(&from, options->name, &error) != NT_OK)
        return nt_cli_fail(options->name, &error);
    bool netcdf = nt_result_format(from) == NT_NETCDF;
    if (nt_cli_would_overwrite(options->output, options->name)) {
        nt_cli_say("-o: '%s' is the result that is read", options->output);
        status = NT_EXIT_USAGE;
    } else if (nt_result_format(from) == nt_cli_format_of(options->output)) {
        nt_cli_say("-o: '%s' and '%s' are both %s, expected FILE.%s", options->name,
                   options->output, netcdf ? "NetCDF" : "CSV", netcdf ? "csv" : "nc");
        status = NT_EXIT_USAGE;
    } else if (nt_sweep_is_table(from) && !netcdf) {
        nt_cli_say("'%s' is the table of a sweep without units and dimensions: expected NetCDF, as "
                   "nutate sweep --collect DIR -o FILE.nc writes it",
                   options->name);
        status = NT_EXIT_USAGE;
    } else {
        nt_status done = nt_sweep_is_table(from) ? nt_sweep_convert(from, options->output, &error)
                                                 : convert_result(from, options->output, &error);
        if (done != NT_OK)
            status = nt_cli_fail(options->output, &error);
    }
    nt_result_close(from);
    return status;
}
