/* NetCDF, classic format with 64-bit offsets ("CDF-2"). Written here, not by libnetcdf: loading
 * that library with all it depends on takes longer than reading a model and integrating it, and a
 * row of a record is nothing but big-endian doubles one after the other.
 *
 * Layout (NetCDF Users' Guide, appendix "File Format Specifications"; numbers big-endian, texts and
 * values filled up with zeros to 4 bytes):
 *
 *   file       'C' 'D' 'F' 2, number of records, dimensions, attributes, variables; then records
 *   list       tag, count, members              tag and count are 0 for an empty list
 *   text       length, bytes
 *   dimension  text, length                     0: the record dimension
 *   attribute  text, type, count, values
 *   variable   text, number of dimensions, their indices, attributes, type, bytes in each record,
 *              offset of the first value (8 bytes)
 *
 * The one dimension is time; every variable has one double in each record. A record count that is
 * smaller than what is in the file hides the rest: so it is raised after the rows are written, and
 * a run that is killed leaves a valid file with every row that was counted. */
#include "base/error.h"
#include "output/stream.h"
#include "output/writer.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DIMENSIONS = 10, VARIABLES = 11, ATTRIBUTES = 12 }; /* tags of lists */
enum { TEXT = 2, DOUBLE = 6 };                             /* types         */
enum { COUNT_AT = 4, ROWS_PER_SYNC = 100 };

typedef struct netcdf {
    int n_columns;
    uint32_t rows;
    nt_stream stream;
} netcdf;

/* ---- header --------------------------------------------------------------------------------- */

/* Written twice: first without a stream, to learn its length; offsets depend on it. */
typedef struct header {
    nt_stream *stream;
    uint64_t length;
    nt_status status;
    nt_error *error;
} header;

static void put(header *h, const void *bytes, size_t size)
{
    h->length += size;
    if (h->stream && h->status == NT_OK)
        h->status = nt_stream_put(h->stream, bytes, size, h->error);
}

static void put_number(header *h, uint64_t number, int size)
{
    unsigned char bytes[8];
    for (int i = 0; i < size; i++)
        bytes[i] = (unsigned char)(number >> (8 * (size - 1 - i)));
    put(h, bytes, (size_t)size);
}

static void put_int(header *h, size_t number) { put_number(h, number, 4); }

static void put_text(header *h, const char *text, size_t length)
{
    put_int(h, length);
    put(h, text, length);
    put(h, "\0\0\0", (4 - length % 4) % 4);
}

static void put_name(header *h, const char *name) { put_text(h, name, strlen(name)); }

static void put_list(header *h, int tag, int count)
{
    put_int(h, count > 0 ? (size_t)tag : 0);
    put_int(h, (size_t)count);
}

static void put_attribute(header *h, const char *name, const char *value, size_t length)
{
    put_name(h, name);
    put_int(h, TEXT);
    put_text(h, value, length);
}

static void put_header(header *h, const nt_heading *heading, uint64_t first_record)
{
    put(h, "CDF\2", 4);
    put_int(h, 0);

    put_list(h, DIMENSIONS, 1);
    put_name(h, heading->columns[0].name);
    put_int(h, 0);

    put_list(h, ATTRIBUTES, heading->n_attributes);
    for (int i = 0; i < heading->n_attributes; i++) {
        const nt_attribute *attribute = &heading->attributes[i];
        put_attribute(h, attribute->name, attribute->value, attribute->length);
    }

    put_list(h, VARIABLES, heading->n_columns);
    for (int i = 0; i < heading->n_columns; i++) {
        const nt_column *column = &heading->columns[i];
        put_name(h, column->name);
        put_int(h, 1);
        put_int(h, 0);
        put_list(h, ATTRIBUTES, 2);
        put_attribute(h, "units", column->unit, strlen(column->unit));
        put_attribute(h, "long_name", column->meaning, strlen(column->meaning));
        put_int(h, DOUBLE);
        put_int(h, sizeof(double));
        put_number(h, first_record + (uint64_t)i * sizeof(double), 8);
    }
}

static nt_status write_header(netcdf *file, const nt_heading *heading, nt_error *error)
{
    header measure = {.status = NT_OK}, h = {.stream = &file->stream, .error = error};
    put_header(&measure, heading, 0);
    put_header(&h, heading, measure.length);
    return h.status == NT_OK ? nt_stream_flush(&file->stream, error) : h.status;
}

/* ---- writer --------------------------------------------------------------------------------- */

static nt_status netcdf_open(void **writer, const nt_heading *heading, nt_error *error)
{
    *writer = NULL;
    for (int i = 0; i < heading->n_attributes; i++)
        if (heading->attributes[i].length > INT32_MAX - 4)
            return nt_fail(error, NT_INVALID, "a text attribute of more than 2 GB");
    if (strcmp(heading->path, "-") == 0)
        return nt_fail(error, NT_INVALID, "NetCDF cannot be written to standard output");
    netcdf *file = malloc(sizeof *file);
    if (!file)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    file->n_columns = heading->n_columns;
    file->rows = 0;
    nt_status status = nt_stream_open(&file->stream, heading->path, error);
    if (status == NT_OK) {
        status = write_header(file, heading, error);
        if (status != NT_OK)
            nt_stream_close(&file->stream, NULL);
    }
    if (status != NT_OK) {
        free(file);
        return status;
    }
    *writer = file;
    return NT_OK;
}

/* Rows first, then their number. */
static nt_status synchronise(netcdf *file, nt_error *error)
{
    unsigned char count[4];
    for (int i = 0; i < 4; i++)
        count[i] = (unsigned char)(file->rows >> (8 * (3 - i)));
    nt_status status = nt_stream_flush(&file->stream, error);
    if (status == NT_OK)
        status = nt_stream_patch(&file->stream, COUNT_AT, count, sizeof count, error);
    return status;
}

static nt_status netcdf_row(void *writer, const double *values, nt_error *error)
{
    netcdf *file = writer;
    if (file->rows == INT32_MAX)
        return nt_fail_at(error, NT_IO, file->stream.path, 0, 0,
                          "no more than 2147483647 rows fit into a NetCDF file");
    for (int i = 0; i < file->n_columns; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        nt_status status = nt_stream_reserve(&file->stream, sizeof bits, error);
        if (status != NT_OK)
            return status;
        unsigned char *at = (unsigned char *)file->stream.buffer + file->stream.used;
        for (int byte = 0; byte < 8; byte++)
            at[byte] = (unsigned char)(bits >> (56 - 8 * byte));
        file->stream.used += sizeof bits;
    }
    file->rows++;
    return file->rows % ROWS_PER_SYNC == 0 ? synchronise(file, error) : NT_OK;
}

static nt_status netcdf_close(void *writer, nt_error *error)
{
    netcdf *file = writer;
    nt_status status = synchronise(file, error);
    nt_status closed = nt_stream_close(&file->stream, status == NT_OK ? error : NULL);
    free(file);
    return status == NT_OK ? closed : status;
}

const nt_writer_type nt_writer_netcdf = {
    .open = netcdf_open, .row = netcdf_row, .close = netcdf_close};
