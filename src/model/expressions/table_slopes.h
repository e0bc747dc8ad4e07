/* What tables of one and of two variables share. */
#ifndef NUTATE_MODEL_TABLE_SLOPES_H
#define NUTATE_MODEL_TABLE_SLOPES_H

#include "model/expressions/table.h"

/* Slopes at the points (x[n], y[n]) for cubics of the form; nothing for others. work[5 n] */
void nt_table_slopes(const double *x, const double *y, int n, const nt_table_form *form,
                     double *slope, double *work);

/* k with x[k] <= at < x[k + 1], the nearest one outside of the range. */
int nt_table_interval(const double *x, int n, double at);

/* The place within [first, last] that a table which repeats itself has for an x outside of it. */
double nt_table_place(double first, double last, double x);

/* Whether it repeats itself, NT_BAD_MODEL where it cannot: values of its ends differ. */
nt_status nt_map_check(const nt_table_sheet *sheet, const nt_table_form *form, nt_error *error);

/* Fill in what a map needs besides n, x, form and sheet. NT_NO_MEMORY. */
nt_status nt_map_make(nt_table *map, nt_arena *arena, nt_error *error);

#endif
