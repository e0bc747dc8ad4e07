/* Tables: functions through given points, of one variable or (maps) of two.
 *
 * A sheet is what a file holds; a table is one of its columns with a form of interpolation:
 *
 *   monotone   cubics (Fritsch & Carlson 1980): continuous with the first derivative, and nowhere
 *              above or below the two points around it; the second derivative jumps at the points
 *   spline     cubics whose second derivative is continuous too
 *   linear     straight lines; the first derivative jumps at the points
 *   previous   the value of the last point at or before x; it jumps at the points
 *
 * Outside of the range the function holds its end value with zero derivatives (so the slope may
 * jump at the two ends; at an end itself the derivatives are those inside), goes on straight with
 * the slope of its end, repeats itself, or has no value. */
#ifndef NUTATE_MODEL_TABLE_H
#define NUTATE_MODEL_TABLE_H

#include "base/arena.h"

#include <nutate/status.h>
#include <stdbool.h>

enum { NT_TABLE_COLUMNS = 256 }; /* at most */

/* What a file holds: rows of numbers. Of a map the first row has the abscissae of the columns. */
typedef struct nt_table_sheet {
    int n, columns;
    const double *value;      /* [columns][n]; column 0 strictly increasing      */
    const char *const *names; /* [columns] of the head; NULL: none               */
    const double *across;     /* a map: [columns - 1] strictly increasing; else NULL */
    const char *file;         /* path that it was read from; NULL: from no file  */
} nt_table_sheet;

typedef enum nt_interpolation { NT_MONOTONE, NT_SPLINE, NT_LINEAR, NT_PREVIOUS } nt_interpolation;
typedef enum nt_table_ends { NT_NATURAL, NT_CLAMPED, NT_ENDS_PERIODIC } nt_table_ends;
typedef enum nt_table_beyond {
    NT_HOLD,
    NT_EXTRAPOLATE,
    NT_BEYOND_PERIODIC,
    NT_BEYOND_ERROR
} nt_table_beyond;

/* Numbers of enums, as the file's choices give them. Zero: monotone, hold. across: of a map in its
 * second variable, 0 as in the first, else 1 + nt_table_beyond. */
typedef struct nt_table_form {
    int interpolation, ends, beyond, across;
} nt_table_form;

typedef struct nt_table {
    int n;               /* points, at least 2           */
    const double *x;     /* [n] strictly increasing      */
    const double *y;     /* [n]                          */
    const double *slope; /* [n] dy/dx at the points      */
    const char *file;    /* path that it was read from, in the arena; NULL: from no file */
    nt_table_form form;
    const nt_table_sheet *sheet; /* that it is a column of */

    /* a map, f(x, u): y is then [n][m] and slope df/dx; m is 0 otherwise */
    int m;
    const double *u;               /* [m] strictly increasing */
    const double *slope_u, *twist; /* [n][m] df/du, d2f/dx du */
    /* [2] of a map by `previous` its points in x, and those in u, as tables by `previous` of
     * themselves, of no sheet; else NULL */
    const struct nt_table *axis;
} nt_table;

/* A sheet from text: columns separated by commas or semicolons, or by blanks where a line has
 * neither; empty lines and what follows a # are skipped; one line of column names may come first,
 * and must where there are more than two columns. Of a map the first line has the abscissae of its
 * columns instead, behind a word or a number.
 * name    the file's name, for messages
 * Errors: NT_BAD_MODEL with name, line and column. */
nt_status nt_table_sheet_parse(const char *text, size_t length, const char *name, bool map,
                               nt_arena *arena, const nt_table_sheet **sheet, nt_error *error);

/* A sheet from a file of at most 64 MB.
 * beside  a path relative to the folder of this file (the model), unless `path` is absolute;
 *         NULL, or a name without a folder: relative to the working folder
 *
 * Errors: as above; NT_IO with the file's name and no line when it cannot be read. */
nt_status nt_table_sheet_read(const char *path, const char *beside, bool map, nt_arena *arena,
                              const nt_table_sheet **sheet, nt_error *error);

/* The table of a column (from 1), or of a map. NT_BAD_MODEL where it cannot repeat itself: its
 * first and last values (of a map rows, columns) differ. */
nt_status nt_table_make(const nt_table_sheet *sheet, int column, const nt_table_form *form,
                        nt_arena *arena, const nt_table **table, nt_error *error);

/* The number of a column by its name, -1 where there is none. name[length] need not end. */
int nt_table_column(const nt_table_sheet *sheet, const char *name, int length);

/* Value, first and second derivative at x. NaN gives NaN. */
void nt_table_evaluate(const nt_table *table, double x, double out[3]);

/* The same on a side (1 above, -1 below) of the point that is nearest to x: beyond that point it
 * goes on with the derivatives that it has there. */
void nt_table_beside(const nt_table *table, double x, double side, double out[3]);

/* The value and the derivatives of a map: f, f_x, f_u, f_xx, f_xu, f_uu. */
void nt_map_evaluate(const nt_table *map, double x, double u, double out[6]);

/* Whether its second derivative is continuous within the range. */
static inline bool nt_table_is_c2(const nt_table *table)
{
    return table->form.interpolation == NT_SPLINE;
}

/* The first point of a table above x, infinite behind the last. */
double nt_table_next(const nt_table *table, double x);

/* The slopes of a table by `previous`, as another one: those of the lines from each point to the
 * next. */
const nt_table *nt_table_steps(const nt_table *table, nt_arena *arena);

#endif
