/* Factors that turn with the bodies. Where the blocks i of a system turn by Q_i from one
 * configuration to another and each group of constraint rows m by D_m, its matrix is
 *
 *   S(t) = T S(t0) T^T,   T = diag(Q_i, D_m),
 *
 * exactly when all turn alike and nearly while a system deforms little. So old factors solve
 * S(t) x = b: turn b back, solve, turn x. What is not so shows as slow contraction. Q_i is the
 * rotation of the block that carries i (nt_system.carriers), but along a chain of blocks T follows
 * its bending too (turning_chain.h); D_m follows from the constraint Jacobians, in the sense of
 * least squares: G_m(t) Q = D_m G_m(t0). Internal to the system layer and above. */
#ifndef NUTATE_SYSTEM_TURNING_H
#define NUTATE_SYSTEM_TURNING_H

#include "system/factors.h"

/* For factors that are kept; needs f->problem->system->carriers, else nothing is done and none is
 * made. NT_NO_MEMORY. */
nt_status nt_turning_take(nt_factors *f);

void nt_turning_free(nt_factors *f); /* what is not in the factors' arena */

/* The factors were made at the configuration q[nq], or (NULL) are void. */
void nt_turning_made(nt_factors *f, const double *q);

/* A step begins: rotations are found anew before the next solve. */
void nt_turning_begin(nt_factors *f);

/* z[n] := S^-1 z with the factors at hand, turned to the point. combination: that of S. The matrix
 * of f holds the numbers that the factors were made from. */
nt_status nt_turning_solve(nt_factors *f, const nt_point *at, const nt_combination *combination,
                           double *z);

/* Configuration of the factors, for states that are saved: [nq], NULL without turning. */
double *nt_turning_configuration(nt_factors *f);

#endif
