/* What a file format supplies: rows of numbers under named columns. */
#ifndef NUTATE_OUTPUT_WRITER_H
#define NUTATE_OUTPUT_WRITER_H

#include <nutate/status.h>
#include <stddef.h>

typedef struct nt_column {
    const char *name, *unit, *meaning;
} nt_column;

/* A text attribute of the whole file; value[length] need not be terminated. */
typedef struct nt_attribute {
    const char *name, *value;
    size_t length;
} nt_attribute;

/* Everything that is known before the first row. Belongs to the caller, outlives the writer. */
typedef struct nt_heading {
    const char *path;
    const nt_column *columns; /* [n_columns], time first */
    int n_columns;
    const nt_attribute *attributes;
    int n_attributes;
} nt_heading;

typedef struct nt_writer_type {
    /* On failure *writer is NULL and nothing is left open. */
    nt_status (*open)(void **writer, const nt_heading *heading, nt_error *error);
    nt_status (*row)(void *writer, const double *values, nt_error *error); /* values[n_columns] */
    /* Everything written and closed; the writer is freed whatever happens. */
    nt_status (*close)(void *writer, nt_error *error);
} nt_writer_type;

extern const nt_writer_type nt_writer_csv, nt_writer_netcdf;

#endif
