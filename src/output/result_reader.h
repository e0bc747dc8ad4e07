/* A result that is read; each format fills its part. */
#ifndef NUTATE_OUTPUT_RESULT_READER_H
#define NUTATE_OUTPUT_RESULT_READER_H

#include "base/arena.h"

#include <nutate/output.h>

#include <stdbool.h>
#include <stdint.h>

/* What went wrong in a row of a sweep. */
typedef struct nt_result_failed {
    double row;
    const char *words;
} nt_result_failed;

struct nt_result {
    nt_arena arena;
    const char *path;
    int file; /* descriptor */
    nt_record_format format;
    long rows;
    nt_result_column *columns;
    int n_columns;
    nt_result_array *arrays;
    int n_arrays;
    nt_result_attribute *attributes;
    int n_attributes;

    struct nt_result_texts **texts; /* [n_text_columns] owned, NULL: no column holds texts */
    int n_text_columns;

    /* NetCDF, the table of a sweep: where columns come from; NULL: it holds records */
    struct nt_table_source *table;
    nt_result_failed *failures; /* [n_failures] by rising number of the row */
    long n_failures;

    /* NetCDF: where the numbers of a row stand in its record; 0 for CSV and tables, whose arrays
     * stand at array_at in the file */
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

/* Read the rows of a table, and those of its series. */
nt_status nt_result_read_table(nt_result *result, long first, long n, double *values,
                               nt_error *error);
nt_status nt_result_read_series(nt_result *result, int array, long first, long n, double *values,
                                nt_error *error);

/* ---- result_texts.c: columns of texts -----------------------------------------------------------
 */

/* A column holds texts from now on. false: no memory. */
bool nt_result_hold_texts(nt_result *result, int column);
/* The number of a text, known by key[size], by which another of the same kind is recognised; -1: no
 * memory. */
int nt_result_intern(nt_result *result, int column, const char *key, size_t size, const char *text,
                     size_t length);
int nt_result_find_text(const nt_result *result, int column, const char *key,
                        size_t size); /* -1: none */
void nt_result_free_texts(nt_result *result);

#endif
