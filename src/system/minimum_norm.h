/* Reactions of redundant joints: of all multipliers that make the same forces those of least norm,
 * a force counting 1 and a moment 1/length. An object with a matrix and factors of its own: what
 * it does leaves a problem's rows, matrix and factors as they are. Used outside of steps, by one
 * thread at a time. */
#ifndef NUTATE_SYSTEM_MINIMUM_NORM_H
#define NUTATE_SYSTEM_MINIMUM_NORM_H

#include "system/problem.h"

typedef struct nt_minimum_norm nt_minimum_norm;

/* Makes one for problems with this block graph and these kinds of rows, some of which are
 * constraints. It allocates all memory but what a solver takes that has to pivot: NT_NO_MEMORY. */
nt_status nt_minimum_norm_create(nt_minimum_norm **norm, const nt_problem *problem);
void nt_minimum_norm_destroy(nt_minimum_norm *norm);

/* The multipliers of least norm with the same forces at a point: multipliers[nc] in and out, N and
 * N m; length in m. What comes out depends on the arguments alone, to the bit; where the
 * constraint matrix is that of the call before its factors serve again. On failure multipliers
 * stay as they were. */
nt_status nt_minimum_norm_find(nt_minimum_norm *norm, const nt_problem *problem, const nt_point *at,
                               double length, double *multipliers);

/* How they change with a parameter, after nt_minimum_norm_find at the point itself: the derivative
 * of the constraint matrix comes from its values at points beside it. `begin`; then `add` for each
 * of these points, with the weights of a difference formula; `rates` turns d multipliers[nc] before
 * into that after. */
void nt_minimum_norm_begin(nt_minimum_norm *norm);
nt_status nt_minimum_norm_add(nt_minimum_norm *norm, const nt_problem *problem,
                              const nt_point *beside, double weight);
nt_status nt_minimum_norm_rates(nt_minimum_norm *norm, double *rates);

#endif
