/* The table of a sweep in CSV: a row for each row of the plan. Failures, and rows of series, stand
 * in files beside. */
#include "base/error.h"
#include "sweep/sweep.h"
#include "sweep/table_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct csv {
    const nt_table_of_rows *t;
    nt_table_file file;
    nt_axis_value *values; /* [n_axes] of the present row */
} csv;

static void put_head_of_row(csv *c)
{
    const nt_sweep *s = c->t->sweep;
    nt_table_text(&c->file, "row");
    for (int i = 0; i < nt_sweep_axis_count(s); i++) {
        nt_table_text(&c->file, ",");
        nt_table_words(&c->file, nt_sweep_axis(s, i));
    }
}

static void put_begin_of_row(csv *c, long row)
{
    const nt_sweep *s = c->t->sweep;
    int load_case;
    nt_design_values(s, row, &load_case, c->values);
    nt_table_whole(&c->file, row);
    if (load_case >= 0) {
        nt_table_text(&c->file, ",");
        nt_table_words(&c->file, s->cases[load_case].name);
    }
    for (int k = 0; k < s->n_axes; k++) {
        char buffer[32];
        nt_table_text(&c->file, ",");
        if (s->axes[k].numbers)
            nt_table_number(&c->file, c->values[k].number);
        else
            nt_table_words(&c->file, nt_design_text(&s->axes[k], &c->values[k], buffer));
    }
}

static void put_table(csv *c)
{
    const nt_sweep *s = c->t->sweep;
    size_t n = nt_sweep_numbers(s);
    put_head_of_row(c);
    nt_table_text(&c->file, ",status");
    for (int i = 0; i < s->n_columns; i++) {
        nt_table_text(&c->file, ",");
        nt_table_words(&c->file, s->columns[i].name);
    }
    nt_table_text(&c->file, "\n");
    for (long row = 0; row < s->rows && c->file.status == NT_OK; row++) {
        const double *numbers = c->t->numbers + (size_t)row * n;
        put_begin_of_row(c, row);
        nt_table_text(&c->file, ",");
        nt_table_whole(&c->file, c->t->status[row]);
        for (int i = 0; i < s->n_columns; i++) {
            nt_table_text(&c->file, ",");
            nt_table_number(&c->file, numbers[i]);
        }
        nt_table_text(&c->file, "\n");
    }
}

static void put_failures(csv *c)
{
    const nt_sweep *s = c->t->sweep;
    put_head_of_row(c);
    nt_table_text(&c->file, ",status,what,message\n");
    for (long row = 0; row < s->rows && c->file.status == NT_OK; row++) {
        if (c->t->status[row] <= 0)
            continue;
        put_begin_of_row(c, row);
        nt_table_text(&c->file, ",");
        nt_table_whole(&c->file, c->t->status[row]);
        nt_table_text(&c->file, ",");
        nt_table_words(&c->file, nt_status_text((nt_status)c->t->status[row]));
        nt_table_text(&c->file, ",");
        nt_table_words(&c->file, c->t->message[row] ? c->t->message[row] : "");
        nt_table_text(&c->file, "\n");
    }
}

static void put_series(csv *c)
{
    const nt_sweep *s = c->t->sweep;
    size_t n = nt_sweep_numbers(s);
    nt_table_text(&c->file, "row");
    for (int i = 0; i < s->series_columns; i++) {
        nt_table_text(&c->file, ",");
        nt_table_words(&c->file, s->series[i].name);
    }
    nt_table_text(&c->file, "\n");
    for (long row = 0; row < s->rows && c->file.status == NT_OK; row++) {
        const double *at = c->t->numbers + (size_t)row * n + s->n_columns;
        for (long k = 0; k < s->series_rows && !isnan(at[0]); k++, at += s->series_columns) {
            nt_table_whole(&c->file, row);
            for (int i = 0; i < s->series_columns; i++) {
                nt_table_text(&c->file, ",");
                nt_table_number(&c->file, at[i]);
            }
            nt_table_text(&c->file, "\n");
        }
    }
}

/* beside: NULL, or the name of a table in a file beside; to standard output goes the table alone.
 */
static nt_status write_one(csv *c, const char *path, const char *beside, void (*put)(csv *),
                           nt_error *error)
{
    char *other = beside ? nt_result_beside(path, beside) : NULL;
    if (beside && !other)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    nt_table_begin(&c->file, other ? other : path, error);
    if (c->file.status == NT_OK)
        put(c);
    nt_status status = nt_table_end(&c->file);
    free(other);
    return status;
}

nt_status nt_collect_csv(const nt_table_of_rows *t, const char *path, nt_error *error)
{
    csv *c = calloc(1, sizeof *c);
    bool alone = strcmp(path, "-") == 0;
    if (c)
        c->values = calloc((size_t)t->sweep->n_axes + 1, sizeof *c->values);
    if (!c || !c->values) {
        free(c);
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    }
    c->t = t;
    nt_status status = write_one(c, path, NULL, put_table, error);
    if (status == NT_OK && !alone)
        status = write_one(c, path, "failures", put_failures, error);
    if (status == NT_OK && !alone && t->sweep->series_columns > 0)
        status = write_one(c, path, "series", put_series, error);
    free(c->values);
    free(c);
    return status;
}
