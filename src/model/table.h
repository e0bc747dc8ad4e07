/* Tables: a function of one variable through given points.
 *
 * Between the points the function is a monotone cubic (Fritsch & Carlson 1980): continuous with
 * its first derivative, and nowhere above or below the two points around it. Outside the range it
 * keeps the end value, with zero derivatives; so the slope may jump at the two ends (at an end
 * itself the derivatives are those inside). The second derivative jumps at the points. */
#ifndef NUTATE_MODEL_TABLE_H
#define NUTATE_MODEL_TABLE_H

#include "base/arena.h"

#include <nutate/status.h>

typedef struct nt_table {
    int n;               /* points, at least 2           */
    const double *x;     /* [n] strictly increasing      */
    const double *y;     /* [n]                          */
    const double *slope; /* [n] dy/dx at the points      */
    const char *file;    /* path that it was read from, in the arena; NULL: from no file */
} nt_table;

/* A table from text: two columns, separated by a comma or a semicolon, or by blanks where a line
 * has neither; empty lines and what follows a # are skipped; one line of column names may come
 * first.
 * name    the file's name, for messages
 * Errors: NT_BAD_MODEL with name, line and column. */
nt_status nt_table_parse(const char *text, size_t length, const char *name, nt_arena *arena,
                         const nt_table **table, nt_error *error);

/* A table from a file of at most 64 MB.
 * beside  a path relative to the folder of this file (the model), unless `path` is absolute;
 *         NULL, or a name without a folder: relative to the working folder
 * Errors: as above; NT_IO with the file's name and no line when it cannot be read. */
nt_status nt_table_read(const char *path, const char *beside, nt_arena *arena,
                        const nt_table **table, nt_error *error);

/* Value, first and second derivative at x. NaN gives NaN. */
void nt_table_evaluate(const nt_table *table, double x, double out[3]);

#endif
