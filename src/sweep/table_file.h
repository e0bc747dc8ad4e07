/* A file that is written from its beginning to its end: bytes, or the fields of CSV. */
#ifndef NUTATE_SWEEP_TABLE_FILE_H
#define NUTATE_SWEEP_TABLE_FILE_H

#include "output/decimal.h"
#include "output/stream.h"

typedef struct nt_table_file {
    nt_stream stream;
    nt_status status; /* the first failure; nothing is written after it */
    nt_error *error;  /* its words                                      */
    const char *path; /* not owned                                      */
    bool begun;       /* what was in the file is gone                   */
    nt_decimal decimal;
} nt_table_file;

/* The file is written over; path must outlive it. nt_table_end in any case: a file that could not
 * be written whole is taken back. */
void nt_table_begin(nt_table_file *file, const char *path, nt_error *error);
nt_status nt_table_end(nt_table_file *file);

void nt_table_put(nt_table_file *file, const void *bytes, size_t size);
void nt_table_text(nt_table_file *file, const char *text);

/* Fields: a number with 17 digits, a whole number, words, which are quoted where they need it. */
void nt_table_number(nt_table_file *file, double x);
void nt_table_whole(nt_table_file *file, long n);
void nt_table_words(nt_table_file *file, const char *text);

#endif
