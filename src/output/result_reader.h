/* A result that is read; each format fills its part. */
#ifndef NUTATE_OUTPUT_RESULT_READER_H
#define NUTATE_OUTPUT_RESULT_READER_H

#include "base/arena.h"

#include <nutate/output.h>

#include <stdint.h>

struct nt_result {
    nt_arena arena;
    const char *path;
    int file; /* descriptor */
    long rows;
    nt_result_column *columns;
    nt_result_words *words; /* [n_columns]; of a column of numbers n is 0 */
    int n_columns;
    nt_result_array *arrays;
    int n_arrays;
    nt_result_attribute *attributes;
    int n_attributes;

    /* NetCDF: where the numbers of a row stand in its record; 0 for CSV */
    uint64_t record_size, records;  /* bytes; where they begin               */
    uint64_t *column_at, *array_at; /* [n_columns], [n_arrays] in the record */

    /* CSV: where every MARK-th row begins, and the row that would be read next */
    uint64_t *marks; /* owned */
    long next;
    uint64_t next_at;

    char *buffer; /* [buffer_room] owned */
    size_t buffer_room;
    uint64_t window; /* CSV: the buffer holds window_size bytes of the file from there on */
    size_t window_size;
};

/* As many bytes from `at` on as there are: *got of size. NT_IO. */
nt_status nt_result_get(const nt_result *result, uint64_t at, void *bytes, size_t size, size_t *got,
                        nt_error *error);

/* Read what stands before the rows, and count them. NT_IO, NT_NO_MEMORY. */
nt_status nt_result_open_csv(nt_result *result, nt_error *error);
nt_status nt_result_open_netcdf(nt_result *result, nt_error *error);

/* Rows that are there; of NetCDF those of an array, or of the columns for array -1. */
nt_status nt_result_read_csv(nt_result *result, long first, long n, double *values,
                             nt_error *error);
nt_status nt_result_read_netcdf(nt_result *result, int array, long first, long n, double *values,
                                nt_error *error);

#endif
