/* First-order propagation: what the exact derivatives at the middle of the inputs make of their
 * deviations. */
#ifndef NUTATE_SWEEP_LINEAR_H
#define NUTATE_SWEEP_LINEAR_H

#include "sweep/sweep.h"

typedef struct nt_linear {
    double *value;     /* [n_columns] at the means of the inputs      */
    double *slope;     /* [n_columns][n_axes] per unit of the input   */
    double *deviation; /* [n_columns] sqrt(sum of (slope deviation)^2) */
} nt_linear;

/* The standard deviation of an axis; of a list or a grid, that of its values. */
double nt_axis_deviation(const nt_axis *axis);

/* (*linear)[cases or 1] in the arena; NULL where there is no first order: a sweep without its
 * model, inputs that are not all distributions of parameters. The status of the run where it cannot
 * be differentiated. */
nt_status nt_linear_find(const nt_sweep *s, nt_arena *arena, nt_linear **linear, nt_error *error);

#endif
