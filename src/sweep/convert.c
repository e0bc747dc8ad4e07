/* The table of a sweep that was collected, written anew in CSV: as a sweep of a list, whose values
 * are those of the table. */
#include "base/error.h"
#include "sweep/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct conversion {
    nt_result *from;
    nt_sweep *sweep;
    nt_table_of_rows *rows;
    double *values; /* [rows][columns of the table] */
    double *series; /* [rows][series_rows] of one of them */
} conversion;

static nt_status convert_no_memory(nt_error *error)
{
    return nt_fail(error, NT_NO_MEMORY, "out of memory");
}

/* Columns between `row` and `status` are what varies. */
static nt_status make_axes(conversion *c, int status_column, nt_error *error)
{
    nt_sweep *s = c->sweep;
    int columns = nt_result_column_count(c->from);
    s->axes = NT_TAKE(&s->arena, status_column, nt_axis);
    for (int k = 0; s->axes && k < status_column - 1; k++) {
        nt_axis *axis = &s->axes[s->n_axes++];
        axis->name = nt_result_column_at(c->from, k + 1).name;
        axis->n = (int)s->rows;
        axis->number = NT_TAKE(&s->arena, s->rows + 1, double);
        axis->text = NT_TAKE(&s->arena, s->rows + 1, const char *);
        if (!axis->number || !axis->text)
            return convert_no_memory(error);
        for (long row = 0; row < s->rows; row++) {
            axis->number[row] = c->values[row * columns + k + 1];
            axis->text[row] = nt_result_text(c->from, k + 1, axis->number[row]);
        }
        axis->numbers = s->rows == 0 || !axis->text[0];
    }
    return s->axes ? NT_OK : convert_no_memory(error);
}

static nt_status make_columns(conversion *c, int status_column, nt_error *error)
{
    nt_sweep *s = c->sweep;
    s->n_columns = nt_result_column_count(c->from) - status_column - 1;
    s->series_columns = nt_result_array_count(c->from);
    s->columns = NT_TAKE(&s->arena, s->n_columns + 1, nt_result_column);
    s->series = NT_TAKE(&s->arena, s->series_columns + 1, nt_result_column);
    if (!s->columns || !s->series)
        return convert_no_memory(error);
    for (int i = 0; i < s->n_columns; i++)
        s->columns[i] = nt_result_column_at(c->from, status_column + 1 + i);
    for (int i = 0; i < s->series_columns; i++) {
        nt_result_array array = nt_result_array_at(c->from, i);
        s->series[i] = (nt_result_column){array.name, array.unit, array.meaning};
        s->series_rows = array.items;
    }
    return NT_OK;
}

static nt_status take_rows(conversion *c, int status_column, nt_error *error)
{
    const nt_sweep *s = c->sweep;
    size_t n = nt_sweep_numbers(s), columns = (size_t)nt_result_column_count(c->from);
    nt_table_of_rows *t = c->rows;
    t->status = malloc((size_t)s->rows * sizeof(int) + 1);
    t->numbers = malloc((size_t)s->rows * n * sizeof(double) + 1);
    t->message = calloc((size_t)s->rows + 1, sizeof *t->message);
    c->series = malloc((size_t)s->rows * (size_t)s->series_rows * sizeof(double) + 1);
    if (!t->status || !t->numbers || !t->message || !c->series)
        return convert_no_memory(error);
    for (size_t row = 0; row < (size_t)s->rows; row++) {
        const double *from = c->values + row * columns + status_column;
        t->status[row] = (int)from[0];
        memcpy(t->numbers + row * n, from + 1, (size_t)s->n_columns * sizeof(double));
        t->message[row] = strdup(nt_result_failure(c->from, (long)row));
        if (!t->message[row])
            return convert_no_memory(error);
    }
    nt_status status = NT_OK;
    for (int i = 0; i < s->series_columns && status == NT_OK; i++) {
        status = nt_result_read_array(c->from, i, 0, s->rows, c->series, error);
        for (long k = 0; k < s->rows * s->series_rows; k++) {
            size_t row = (size_t)(k / s->series_rows), at = (size_t)(k % s->series_rows);
            t->numbers[row * n + (size_t)s->n_columns + at * (size_t)s->series_columns +
                       (size_t)i] = c->series[k];
        }
    }
    return status;
}

static nt_status convert_table(conversion *c, const char *path, nt_error *error)
{
    nt_sweep *s = c->sweep;
    int status_column = nt_result_find(c->from, "status");
    s->lock = -1;
    s->design = NT_DESIGN_LIST;
    s->rows = nt_result_rows(c->from);
    c->values =
        malloc((size_t)s->rows * (size_t)nt_result_column_count(c->from) * sizeof(double) + 1);
    if (!c->values)
        return convert_no_memory(error);
    nt_status status = nt_result_read(c->from, 0, s->rows, c->values, error);
    if (status == NT_OK)
        status = make_axes(c, status_column, error);
    if (status == NT_OK)
        status = make_columns(c, status_column, error);
    if (status == NT_OK)
        status = take_rows(c, status_column, error);
    return status == NT_OK ? nt_collect_csv(c->rows, path, error) : status;
}

int nt_sweep_is_table(const nt_result *from)
{
    return nt_result_find(from, "row") == 0 && nt_result_find(from, "status") > 0;
}

nt_status nt_sweep_convert(nt_result *from, const char *path, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "from path", from, path);
    if (!nt_sweep_is_table(from) || nt_result_format(from) != NT_NETCDF)
        return nt_fail(error, NT_INVALID, "expected the table of a sweep in NetCDF");
    nt_error unwanted = {0};
    nt_table_of_rows rows = {0};
    conversion c = {.from = from, .sweep = calloc(1, sizeof *c.sweep), .rows = &rows};
    if (!c.sweep)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    rows.sweep = c.sweep;
    nt_status status = convert_table(&c, path, error ? error : &unwanted);
    nt_rows_free(&rows);
    free(c.values);
    free(c.series);
    nt_sweep_destroy(c.sweep);
    return nt_said(error, status);
}
