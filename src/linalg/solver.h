/* What a solver remembers from one factorisation to the next, for states that are saved. */
#ifndef NUTATE_LINALG_SOLVER_H
#define NUTATE_LINALG_SOLVER_H

#include "base/pool.h"

#include <nutate/linalg.h>

/* Large systems are factorised and solved by the threads of a pool as well, where there is one: the
 * results are the same bits. `pool` is looked at each time, and may be NULL. Before the solver is
 * used. */
void nt_solver_use_pool(nt_solver *solver, nt_pool *const *pool);

/* nt_solver_factor_solve for a correction of an iteration, whose next residual shows what it has
 * left: rows count as solved that elimination has rounded as it does beside the largest unknowns,
 * where that function would refine them. */
nt_status nt_solver_correct(nt_solver *solver, nt_matrix *matrix, double *b);

/* Solve for one right-hand side, b[n] in place, without looking at the residual where the last one
 * that was looked at has passed with the factors at hand, and needed no refinement: for iterations
 * that see by their own contraction what the factors are worth. Otherwise as nt_solver_solve does.
 */
nt_status nt_solver_solve_kept(nt_solver *solver, double *b);

/* The sign of the determinant of the matrix that was factorised last, unknowns that are left out
 * apart: 1 or -1; 0 where it is not known, as from factors by blocks. */
int nt_solver_determinant_sign(const nt_solver *solver);

/* All that decides the bits of later factorisations besides their matrices and the rows left out:
 * how long a fallback stays in use, KLU's pivots; and the statistics. Of solvers of one kind on one
 * pattern. Restoring factorises the matrix whose factors were in use (NULL: they are void), which
 * the statistics do not count; it allocates where KLU chooses pivots or a fallback is in use. */
size_t nt_solver_saved_size(const nt_solver *solver);
void nt_solver_save(const nt_solver *solver, char *bytes);
nt_status nt_solver_restore(nt_solver *solver, const char *bytes, const nt_matrix *factored);

#endif
