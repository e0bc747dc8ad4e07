/* What a file format is: how the head of a file and its rows look. */
#ifndef NUTATE_OUTPUT_FORMAT_H
#define NUTATE_OUTPUT_FORMAT_H

#include "output/decimal.h"

#include <nutate/output.h>

#include <stdbool.h>

/* Bytes that are put one behind the other. */
typedef struct nt_bytes {
    char *at; /* [used] owned */
    size_t used, room;
    bool failed; /* memory was out */
} nt_bytes;

void nt_bytes_put(nt_bytes *bytes, const void *from, size_t size);
void nt_bytes_free(nt_bytes *bytes);

/* How the values of a row go on. */
typedef struct nt_layout {
    nt_decimal decimal;
    int n_columns, n_others;
    const nt_result_words *words; /* [n_columns]; of a column of numbers n is 0 */
} nt_layout;

typedef struct nt_format {
    /* The head of a file, everything before the first row. NT_NO_MEMORY; NT_IO where the format
     * cannot say it. */
    nt_status (*head)(const nt_result_setup *setup, const char *path, nt_bytes *out,
                      nt_error *error);
    /* Most bytes of a row. */
    size_t (*room)(const nt_result_setup *setup);
    /* The row of values[n_columns + n_others] at out[room]; returns its length. */
    size_t (*row)(const nt_layout *layout, const double *values, char *out);
    /* The place in the head of the number of rows (four bytes, the highest first); 0 where the head
     * does not hold it. */
    int count_at;
    bool needs_file; /* an ordinary one */
} nt_format;

extern const nt_format nt_format_csv, nt_format_netcdf;

#endif
