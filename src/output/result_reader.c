/* A result that is read: what is common to its formats. */
#include "output/result_reader.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

nt_status nt_result_get(const nt_result *r, uint64_t at, void *bytes, size_t size, size_t *got,
                        nt_error *error)
{
    char *to = bytes;
    *got = 0;
    while (*got < size) {
        ssize_t done = pread(r->file, to + *got, size - *got, (off_t)(at + *got));
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return nt_fail_at(error, NT_IO, r->path, 0, 0, "cannot be read: %s", strerror(errno));
        if (done == 0)
            break;
        *got += (size_t)done;
    }
    return NT_OK;
}

nt_status nt_result_open(nt_result **result, const char *path, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "result", result);
    char start[4];
    size_t got = 0;
    *result = NULL;
    NT_NEED(error, "path", path);
    nt_result *r = calloc(1, sizeof *r);
    if (!r)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    r->file = open(path, O_RDONLY | O_CLOEXEC);
    r->path = nt_arena_text(&r->arena, path, strlen(path));
    nt_status status = NT_OK;
    if (r->file < 0)
        status = nt_fail_at(error, NT_IO, path, 0, 0, "cannot be opened: %s", strerror(errno));
    else if (!r->path)
        status = nt_fail(error, NT_NO_MEMORY, "out of memory");
    else
        status = nt_result_get(r, 0, start, sizeof start, &got, error);
    if (status == NT_OK) {
        bool netcdf = got == 4 && memcmp(start, "CDF", 3) == 0;
        status = netcdf ? nt_result_open_netcdf(r, error) : nt_result_open_csv(r, error);
    }
    if (status != NT_OK) {
        nt_result_close(r);
        return nt_said(error, status);
    }
    *result = r;
    return NT_OK;
}

void nt_result_close(nt_result *r)
{
    if (!r)
        return;
    if (r->file >= 0)
        close(r->file);
    nt_arena_free(&r->arena);
    nt_result_free_texts(r);
    free(r->marks);
    free(r->buffer);
    free(r);
}

/* ---- what it holds -------------------------------------------------------------------------- */

nt_record_format nt_result_format(const nt_result *r) { return r ? r->format : NT_CSV; }

long nt_result_rows(const nt_result *r) { return r ? r->rows : 0; }
int nt_result_column_count(const nt_result *r) { return r ? r->n_columns : 0; }
int nt_result_array_count(const nt_result *r) { return r ? r->n_arrays : 0; }
int nt_result_attribute_count(const nt_result *r) { return r ? r->n_attributes : 0; }

nt_result_column nt_result_column_at(const nt_result *r, int i)
{
    return r && i >= 0 && i < r->n_columns ? r->columns[i] : (nt_result_column){0};
}

nt_result_array nt_result_array_at(const nt_result *r, int i)
{
    return r && i >= 0 && i < r->n_arrays ? r->arrays[i] : (nt_result_array){0};
}

nt_result_attribute nt_result_attribute_at(const nt_result *r, int i)
{
    return r && i >= 0 && i < r->n_attributes ? r->attributes[i] : (nt_result_attribute){0};
}

int nt_result_find(const nt_result *r, const char *name)
{
    for (int i = 0; r && name && i < r->n_columns; i++)
        if (strcmp(r->columns[i].name, name) == 0)
            return i;
    return -1;
}

const char *nt_result_failure(const nt_result *r, long row)
{
    long low = 0, high = r ? r->n_failures : 0;
    while (low < high) {
        long middle = low + (high - low) / 2;
        if (r->failures[middle].row < (double)row)
            low = middle + 1;
        else
            high = middle;
    }
    return r && low < r->n_failures && r->failures[low].row == (double)row ? r->failures[low].words
                                                                           : "";
}

/* ---- rows ----------------------------------------------------------------------------------- */

static nt_status result_check_rows(const nt_result *r, long first, long n, nt_error *error)
{
    if (first >= 0 && n >= 0 && first <= r->rows && n <= r->rows - first)
        return NT_OK;
    return nt_fail_at(error, NT_INVALID, r->path, 0, 0, "has %ld rows, not %ld from row %ld on",
                      r->rows, n, first);
}

nt_status nt_result_read(nt_result *r, long first, long n, double *values, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "result values", r, values);
    nt_status status = result_check_rows(r, first, n, error);
    if (status != NT_OK)
        return nt_said(error, status);
    if (r->table)
        status = nt_result_read_table(r, first, n, values, error);
    else if (r->format == NT_NETCDF)
        status = nt_result_read_netcdf(r, -1, first, n, values, error);
    else
        status = nt_result_read_csv(r, first, n, values, error);
    return nt_said(error, status);
}

nt_status nt_result_read_array(nt_result *r, int i, long first, long n, double *values,
                               nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "result values", r, values);
    if (i < 0 || i >= r->n_arrays)
        return nt_fail_at(error, NT_INVALID, r->path, 0, 0, "has %d arrays, none of number %d",
                          r->n_arrays, i);
    nt_status status = result_check_rows(r, first, n, error);
    if (status == NT_OK)
        status = r->table ? nt_result_read_series(r, i, first, n, values, error)
                          : nt_result_read_netcdf(r, i, first, n, values, error);
    return nt_said(error, status);
}
