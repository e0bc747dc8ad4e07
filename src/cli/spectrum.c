/* nutate spectrum: amplitudes over frequency of columns of a result. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 256 }; /* rows */

static const char *const windows[] = {"none", "hann", "flat-top"}; /* as nt_window */

/* Samples of the wanted columns, and their spectra. */
typedef struct samples {
    int n;             /* columns                            */
    long first, rows;  /* of the result                      */
    double interval;   /* s                                  */
    double *value;     /* [n][rows]                          */
    double *amplitude; /* [n][rows/2 + 1]                    */
    int *column;       /* [n] numbers in the result          */
} samples;

int nt_cli_read_window(const char *name, nt_window *window)
{
    char hint[80];
    *window = NT_WINDOW_HANN;
    for (int i = 0; name && i < 3; i++)
        if (strcmp(name, windows[i]) == 0) {
            *window = (nt_window)i;
            return NT_EXIT_DONE;
        }
    if (!name)
        return NT_EXIT_DONE;
    nt_cli_suggestion(name, windows, 3, hint, sizeof hint);
    nt_cli_say("--window: expected none, hann or flat-top, got '%s'%s", name, hint);
    return NT_EXIT_USAGE;
}

static int find_columns(nt_result *from, const nt_cli_options *options, samples *s)
{
    int columns = nt_result_column_count(from);
    const char **names = calloc((size_t)columns + 1, sizeof *names);
    int status = names ? NT_EXIT_DONE : nt_cli_no_memory();
    for (int i = 0; i < columns && names; i++)
        names[i] = nt_result_column_at(from, i).name;
    for (int k = 0; k < s->n && status == NT_EXIT_DONE; k++) {
        char hint[80];
        s->column[k] = nt_result_find(from, options->parameters[k]);
        if (s->column[k] > 0)
            continue;
        nt_cli_suggestion(options->parameters[k], names, columns, hint, sizeof hint);
        nt_cli_say("--record: '%s' has no column '%s' beside %s%s", options->name,
                   options->parameters[k], columns > 0 ? names[0] : "time", hint);
        status = NT_EXIT_USAGE;
    }
    free(names);
    return status;
}

/* Relative to the interval: what rounding of times may leave, and far below a missing row. */
static const double EQUAL = 1e-6;

static int not_equal(const nt_cli_options *options, double t, double step, double interval)
{
    nt_cli_say("%s: rows are not equally far apart: %.9g s at t = %.9g s, %.9g s at the start; "
               "expected output at equal times (output: {every: ...})",
               options->name, step, t, interval);
    return NT_EXIT_USAGE;
}

/* Times of all rows, and the samples from `from` on: a row that rounding alone puts before it
 * belongs to them. */
static int read_rows(nt_result *from, const nt_cli_options *options, samples *s)
{
    size_t columns = (size_t)nt_result_column_count(from);
    long n = nt_result_rows(from);
    double *rows = malloc(AT_ONCE * columns * sizeof *rows), t0 = 0, last = 0;
    nt_error error = {0};
    int status = rows ? NT_EXIT_DONE : nt_cli_no_memory();
    for (long row = 0; row < n && status == NT_EXIT_DONE; row += AT_ONCE) {
        long piece = n - row < AT_ONCE ? n - row : AT_ONCE;
        if (nt_result_read(from, row, piece, rows, &error) != NT_OK)
            status = nt_cli_fail(options->name, &error);
        for (long i = 0; i < piece && status == NT_EXIT_DONE; i++) {
            const double *value = rows + (size_t)i * columns;
            double t = value[0], step = t - last;
            last = t;
            double rounding = row + i > 0 ? EQUAL * step : 0;
            if (options->from > 0 && t < options->from - rounding)
                continue;
            if (s->rows == 0)
                t0 = t;
            else if (s->rows == 1)
                s->interval = step;
            if (s->rows > 0 && !(fabs(step - s->interval) <= EQUAL * s->interval && step > 0))
                status = not_equal(options, t, step, s->interval);
            for (int k = 0; k < s->n; k++)
                s->value[k * n + s->rows] = value[s->column[k]];
            s->rows++;
        }
    }
    free(rows);
    if (status == NT_EXIT_DONE && s->rows < 2) {
        nt_cli_say("%s: %ld rows%s, expected two or more", options->name, s->rows,
                   options->from > 0 ? " from there on" : "");
        status = NT_EXIT_USAGE;
    }
    s->interval = (last - t0) / (double)(s->rows - 1);
    return status;
}

static nt_status write_rows(nt_result *from, const char *path, const samples *s, nt_error *error)
{
    size_t n = (size_t)s->n + 1;
    nt_result_column *column = calloc(n, sizeof *column);
    double *row = calloc(n, sizeof *row);
    nt_result_writer *to = NULL;
    nt_status status = column && row ? NT_OK : NT_NO_MEMORY;
    long lines = s->rows / 2 + 1;
    if (status != NT_OK) {
        *error = (nt_error){.status = status, .message = "out of memory"};
        goto done;
    }
    column[0] = (nt_result_column){"frequency", "Hz", "frequency"};
    for (int k = 0; k < s->n; k++) {
        column[k + 1] = nt_result_column_at(from, s->column[k]);
        column[k + 1].meaning = "amplitude; at 0 the mean";
    }
    const nt_result_file file = {path, nt_cli_format_of(path)};
    const nt_result_setup setup = {
        .files = &file, .n_files = 1, .columns = column, .n_columns = (int)n};
    status = nt_result_create(&to, &setup, error);
    nt_cli_part part = nt_cli_part_of(to ? path : NULL);
    for (long i = 0; i < lines && status == NT_OK; i++) {
        row[0] = (double)i / ((double)s->rows * s->interval);
        for (int k = 0; k < s->n; k++)
            row[k + 1] = s->amplitude[k * lines + i];
        status = nt_result_write(to, row, error);
    }
    nt_status closed = nt_result_finish(to, status == NT_OK ? error : NULL);
    status = status == NT_OK ? closed : status;
    if (status != NT_OK)
        nt_cli_take_back(&part);
done:
    free(column);
    free(row);
    return status;
}

static int transform(nt_result *from, const nt_cli_options *options, nt_window window)
{
    samples s = {.n = options->n_parameters};
    size_t rows = (size_t)nt_result_rows(from), n = (size_t)s.n;
    nt_error error = {0};
    s.column = calloc(n, sizeof *s.column);
    s.value = calloc(n * (rows + 1), sizeof *s.value);
    s.amplitude = calloc(n * (rows + 1), sizeof *s.amplitude);
    int status = s.column && s.value && s.amplitude ? NT_EXIT_DONE : nt_cli_no_memory();
    if (status == NT_EXIT_DONE)
        status = find_columns(from, options, &s);
    if (status == NT_EXIT_DONE)
        status = read_rows(from, options, &s);
    for (int k = 0; k < s.n && status == NT_EXIT_DONE; k++)
        if (nt_spectrum(s.value + (size_t)k * rows, s.rows, window,
                        s.amplitude + k * (s.rows / 2 + 1), &error) != NT_OK)
            status = nt_cli_fail(options->name, &error);
    if (status == NT_EXIT_DONE && write_rows(from, options->output, &s, &error) != NT_OK)
        status = nt_cli_fail(options->output, &error);
    free(s.column);
    free(s.value);
    free(s.amplitude);
    return status;
}

int nt_cli_spectrum(const nt_cli_options *options)
{
    nt_result *from;
    nt_window window;
    nt_error error = {0};
    if (!options->output || options->n_parameters == 0) {
        nt_cli_say("spectrum needs %s (nutate spectrum --help)",
                   options->output ? "--record NAME" : "-o FILE");
        return NT_EXIT_USAGE;
    }
    int status = nt_cli_read_window(options->window, &window);
    if (status == NT_EXIT_DONE)
        status = nt_cli_check_result_name(options->output);
    if (status != NT_EXIT_DONE)
        return status;
    if (nt_result_open(&from, options->name, &error) != NT_OK)
        return nt_cli_fail(options->name, &error);
    if (nt_cli_would_overwrite(options->output, options->name)) {
        nt_cli_say("-o: '%s' is the result that is read", options->output);
        status = NT_EXIT_USAGE;
    } else
        status = nt_cli_check_place(options->output);
    if (status == NT_EXIT_DONE)
        status = transform(from, options, window);
    nt_result_close(from);
    return status;
}
