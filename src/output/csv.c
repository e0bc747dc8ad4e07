/* Comma-separated values: a row of column names, then one row for each output time. Numbers have
 * 17 significant digits, so that reading them gives back the same doubles. */
#include "base/error.h"
#include "output/decimal.h"
#include "output/stream.h"
#include "output/writer.h"

#include <stdlib.h>
#include <string.h>

typedef struct csv {
    int n_columns;
    nt_decimal decimal;
    nt_stream stream;
} csv;

static nt_status write_names(csv *file, const nt_heading *heading, nt_error *error)
{
    nt_status status = NT_OK;
    for (int i = 0; i < heading->n_columns && status == NT_OK; i++) {
        const char *name = heading->columns[i].name;
        if (i > 0)
            status = nt_stream_put(&file->stream, ",", 1, error);
        if (status == NT_OK)
            status = nt_stream_put(&file->stream, name, strlen(name), error);
    }
    return status == NT_OK ? nt_stream_put(&file->stream, "\n", 1, error) : status;
}

static nt_status csv_open(void **writer, const nt_heading *heading, nt_error *error)
{
    csv *file = malloc(sizeof *file);
    *writer = NULL;
    if (!file)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    file->n_columns = heading->n_columns;
    nt_decimal_init(&file->decimal);
    nt_status status = nt_stream_open(&file->stream, heading->path, error);
    if (status != NT_OK)
        goto failed;
    status = write_names(file, heading, error);
    if (status == NT_OK)
        status = nt_stream_flush(&file->stream, error); /* a full disk is known before the run */
    if (status != NT_OK) {
        nt_stream_close(&file->stream, NULL);
        goto failed;
    }
    *writer = file;
    return NT_OK;
failed:
    free(file);
    return status;
}

static nt_status csv_row(void *writer, const double *values, nt_error *error)
{
    csv *file = writer;
    for (int i = 0; i < file->n_columns; i++) {
        nt_status status = nt_stream_reserve(&file->stream, NT_DECIMAL_ROOM + 1, error);
        if (status != NT_OK)
            return status;
        char *at = file->stream.buffer + file->stream.used;
        int length = nt_decimal_write(&file->decimal, values[i], at);
        at[length] = i + 1 < file->n_columns ? ',' : '\n';
        file->stream.used += (size_t)length + 1;
    }
    return NT_OK;
}

static nt_status csv_close(void *writer, nt_error *error)
{
    csv *file = writer;
    nt_status status = nt_stream_close(&file->stream, error);
    free(file);
    return status;
}

const nt_writer_type nt_writer_csv = {.open = csv_open, .row = csv_row, .close = csv_close};
