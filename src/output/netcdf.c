/* NetCDF, classic format with 64-bit offsets, through libnetcdf: one variable for each column over
 * the unlimited dimension time.
 *
 * The number of rows stands in the head of the file; libnetcdf brings it up to date at every
 * nc_sync. A run that is killed leaves a valid file with every row up to the last one of them. */
#include "base/error.h"
#include "output/netcdf_library.h"
#include "output/stream.h"
#include "output/writer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ROWS_PER_SYNC = 100 };

typedef struct netcdf {
    nt_netcdf_library library;
    const char *path;
    int file, n_columns;
    int *variables; /* [n_columns] */
    size_t rows;
} netcdf;

/* What libnetcdf returned: NT_OK, or NT_IO with its words. */
static nt_status check(const netcdf *n, int code, nt_error *error)
{
    if (code == NC_NOERR)
        return NT_OK;
    return nt_fail_at(error, NT_IO, n->path, 0, 0, "cannot be written: %s",
                      n->library.strerror(code));
}

/* ---- the head of the file ------------------------------------------------------------------- */

/* libnetcdf removes a file whose head it could not write. So it only gets one that can be written,
 * an ordinary one: never a device. */
static nt_status check_path(const char *path, nt_error *error)
{
    nt_stream *stream = malloc(sizeof *stream);
    struct stat is;
    if (!stream)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    nt_status status = nt_stream_open(stream, path, error);
    if (status == NT_OK) {
        status = nt_stream_put(stream, "CDF", 3, error);
        nt_status closed = nt_stream_close(stream, status == NT_OK ? error : NULL);
        status = status == NT_OK ? closed : status;
    }
    if (status == NT_OK && (stat(path, &is) != 0 || !S_ISREG(is.st_mode)))
        status = nt_fail_at(error, NT_IO, path, 0, 0, "is no ordinary file: NetCDF needs one");
    free(stream);
    return status;
}

/* With ./ in front a path is nothing else to libnetcdf: it takes a:// for an address and skips
 * blanks at the start. */
static nt_status create(netcdf *n, nt_error *error)
{
    size_t length = strlen(n->path);
    char *path = malloc(length + 3);
    if (!path)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    memcpy(path, "./", 3);
    memcpy(path + (n->path[0] == '/' ? 0 : 2), n->path, length + 1);
    int code = n->library.create(path, NC_CLOBBER | NC_64BIT_OFFSET, &n->file);
    free(path);
    return check(n, code, error);
}

static int put_text(const netcdf *n, int variable, const char *name, const char *text,
                    size_t length)
{
    return n->library.put_att_text(n->file, variable, name, length, text);
}

/* A name may not hold a slash: d(a)/d(p) becomes d(a)_d(p). */
static int define_variable(const netcdf *n, const char *name, int time, int *variable)
{
    char clean[NC_MAX_NAME + 1];
    size_t length = strlen(name);
    if (length > NC_MAX_NAME)
        return NC_EMAXNAME;
    memcpy(clean, name, length + 1);
    for (char *slash = clean; (slash = strchr(slash, '/'));)
        *slash = '_';
    return n->library.def_var(n->file, clean, NC_DOUBLE, 1, &time, variable);
}

static int define(const netcdf *n, const nt_heading *heading)
{
    int time, code = n->library.def_dim(n->file, heading->columns[0].name, NC_UNLIMITED, &time);
    for (int i = 0; i < heading->n_attributes && code == NC_NOERR; i++) {
        const nt_attribute *attribute = &heading->attributes[i];
        code = put_text(n, NC_GLOBAL, attribute->name, attribute->value, attribute->length);
    }
    for (int i = 0; i < heading->n_columns && code == NC_NOERR; i++) {
        const nt_column *column = &heading->columns[i];
        int *variable = &n->variables[i];
        code = define_variable(n, column->name, time, variable);
        if (code == NC_NOERR)
            code = put_text(n, *variable, "units", column->unit, strlen(column->unit));
        if (code == NC_NOERR)
            code = put_text(n, *variable, "long_name", column->meaning, strlen(column->meaning));
    }
    if (code == NC_NOERR) /* every value is written, none needs filling */
        code = n->library.set_fill(n->file, NC_NOFILL, NULL);
    if (code == NC_NOERR)
        code = n->library.enddef(n->file);
    return code == NC_NOERR ? n->library.sync(n->file) : code;
}

/* ---- writer --------------------------------------------------------------------------------- */

static void destroy(netcdf *n)
{
    free(n->variables);
    free(n);
}

static nt_status netcdf_open(void **writer, const nt_heading *heading, nt_error *error)
{
    *writer = NULL;
    if (strcmp(heading->path, "-") == 0)
        return nt_fail(error, NT_INVALID, "NetCDF cannot be written to standard output");
    netcdf *n = calloc(1, sizeof *n);
    if (!n)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    n->path = heading->path;
    n->n_columns = heading->n_columns;
    n->variables = calloc((size_t)n->n_columns, sizeof *n->variables);
    nt_status status = n->variables ? NT_OK : nt_fail(error, NT_NO_MEMORY, "out of memory");
    if (status == NT_OK)
        status = nt_netcdf_library_load(&n->library, NULL, error);
    if (status == NT_OK)
        status = check_path(n->path, error);
    if (status == NT_OK)
        status = create(n, error);
    if (status == NT_OK) {
        status = check(n, define(n, heading), error);
        if (status != NT_OK)
            n->library.close(n->file);
    }
    if (status != NT_OK) {
        destroy(n);
        return status;
    }
    *writer = n;
    return NT_OK;
}

static nt_status netcdf_row(void *writer, const double *values, nt_error *error)
{
    netcdf *n = writer;
    const size_t one = 1;
    int code = NC_NOERR;
    for (int i = 0; i < n->n_columns && code == NC_NOERR; i++)
        code = n->library.put_vara_double(n->file, n->variables[i], &n->rows, &one, &values[i]);
    if (code == NC_NOERR && ++n->rows % ROWS_PER_SYNC == 0)
        code = n->library.sync(n->file);
    return check(n, code, error);
}

/* A file that cannot be brought up to date, on a full disk, stays open inside libnetcdf: it offers
 * no way to give the descriptor back. */
static nt_status netcdf_close(void *writer, nt_error *error)
{
    netcdf *n = writer;
    nt_status status = check(n, n->library.close(n->file), error);
    destroy(n);
    return status;
}

const nt_writer_type nt_writer_netcdf = {
    .open = netcdf_open, .row = netcdf_row, .close = netcdf_close};
