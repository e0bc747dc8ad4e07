/* All rows of a folder as one table. */
#include "base/error.h"
#include "sweep/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KINDS = 1000 };

/* ---- kinds of machines ---------------------------------------------------------------------- */

/* Sorted, each once. */
static nt_status take_kind(nt_table_of_rows *t, const char *kind, nt_error *error)
{
    int i = 0;
    while (i < t->n_kinds && strcmp(t->kinds[i], kind) < 0)
        i++;
    if ((i < t->n_kinds && strcmp(t->kinds[i], kind) == 0) || t->n_kinds == MOST_KINDS)
        return NT_OK;
    const char *kept = nt_arena_text(&t->arena, kind, strlen(kind));
    if (!t->kinds)
        t->kinds = NT_TAKE(&t->arena, MOST_KINDS, const char *);
    if (!kept || !t->kinds)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    memmove(t->kinds + i + 1, t->kinds + i, (size_t)(t->n_kinds - i) * sizeof *t->kinds);
    t->kinds[i] = kept;
    t->n_kinds++;
    return NT_OK;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Of a row that was run twice the first one counts, but that one which is done counts before one
 * that failed: machines of different kinds may differ in that. */
static nt_status take_row(void *context, const nt_row *row, nt_error *error)
{
    nt_table_of_rows *t = context;
    size_t n = nt_sweep_numbers(t->sweep);
    int *status = &t->status[row->row];
    if (*status == NT_OK || (*status > 0 && row->status != NT_OK))
        return NT_OK;
    *status = row->status;
    free(t->message[row->row]);
    t->message[row->row] = NULL;
    if (row->status == NT_OK) {
        memcpy(t->numbers + (size_t)row->row * n, row->numbers, n * sizeof(double));
    } else {
        size_t length = strlen(row->message) + 1;
        t->message[row->row] = malloc(length);
        if (!t->message[row->row])
            return nt_fail(error, NT_NO_MEMORY, "out of memory");
        memcpy(t->message[row->row], row->message, length);
    }
    return take_kind(t, row->kind, error);
}

nt_status nt_rows_read(nt_table_of_rows *t, const nt_sweep *s, const char *folder, long *damaged,
                       nt_error *error)
{
    size_t n = nt_sweep_numbers(s), rows = (size_t)s->rows;
    *t = (nt_table_of_rows){.sweep = s};
    if (n > 0 && rows > SIZE_MAX / sizeof(double) / n)
        return nt_fail(error, NT_NO_MEMORY, "out of memory: %ld rows are too many", s->rows);
    t->status = malloc(rows * sizeof(int) + 1);
    t->numbers = malloc(rows * n * sizeof(double) + 1);
    t->message = calloc(rows + 1, sizeof *t->message);
    if (!t->status || !t->numbers || !t->message)
        return nt_fail(error, NT_NO_MEMORY, "out of memory: %ld rows of %zu numbers", s->rows, n);
    for (size_t i = 0; i < rows; i++)
        t->status[i] = -1;
    for (size_t i = 0; i < rows * n; i++)
        t->numbers[i] = (double)NAN;
    return nt_folder_visit(s, folder, take_row, t, damaged, error);
}

void nt_rows_free(nt_table_of_rows *t)
{
    for (long i = 0; t->message && i < t->sweep->rows; i++)
        free(t->message[i]);
    free(t->message);
    free(t->status);
    free(t->numbers);
    nt_arena_free(&t->arena);
}

/* ---- what it was like ----------------------------------------------------------------------- */

void nt_rows_tell(const nt_table_of_rows *t, long damaged, nt_sweep_collection *out)
{
    int used = 0, room = (int)sizeof out->kinds;
    *out = (nt_sweep_collection){.rows = t->sweep->rows, .damaged = damaged};
    for (long i = 0; i < t->sweep->rows; i++) {
        out->done += t->status[i] >= 0;
        out->failed += t->status[i] > 0;
    }
    out->n_kinds = t->n_kinds;
    for (int i = 0; i < t->n_kinds && used < room; i++)
        used += snprintf(out->kinds + used, (size_t)(room - used), "%s%s", i > 0 ? "\n" : "",
                         t->kinds[i]);
}

nt_status nt_sweep_collect(const nt_sweep *s, const char *folder, const nt_result_file *file,
                           nt_sweep_collection *collection, nt_error *error)
{
    nt_error_clear(error);
    nt_error unwanted = {0};
    nt_table_of_rows t;
    long damaged = 0;
    NT_NEED(error, "sweep folder file", s, folder, file);
    NT_NEED(error, "file.path", file->path);
    NT_NEED_NUMBER(error, "file.format", file->format, NT_CSV, NT_NETCDF);
    error = error ? error : &unwanted;
    nt_status status = nt_rows_read(&t, s, folder, &damaged, error);
    if (status == NT_OK)
        status = file->format == NT_CSV ? nt_collect_csv(&t, file->path, error)
                                        : nt_collect_netcdf(&t, file->path, error);
    if (status == NT_OK && collection)
        nt_rows_tell(&t, damaged, collection);
    nt_rows_free(&t);
    return nt_said(error, status);
}
