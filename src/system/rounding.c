/* What rounding of a matrix makes of the solution that came from it.
 *
 * Each number of a matrix A is known to about its own rounding, and so is a solution of A x = b to
 *
 *   |dx| <= |A^-1| eps |A| |x|
 *
 * (Skeel 1979; Higham, Accuracy and Stability of Numerical Algorithms, section 7.2). A matrix that
 * is singular but for its rounding has dx of the size of x, whatever the residual of x: its factors
 * exist by chance. Solving for eps |A| |x| with signs of chance finds a dx of about that size: it
 * costs the products and a solve, no factors. */
#include "system/rounding.h"

#include "linalg/solver.h"
#include "system/factors.h"

#include <string.h>

/* The unknowns of the equations at a point: accelerations, then multipliers. */
static double unknown_at(const nt_problem *p, const nt_point *at, int i)
{
    return i < p->nv           ? at->vdot[i]
           : i < p->nv + p->nh ? at->lambda[i - p->nv]
                               : at->mu[i - p->nv - p->nh];
}

/* size[n] = |A| |x|, in units of x */
static void find_sizes_of_terms(const nt_factors *f, const nt_point *at, double unit, double *size)
{
    const nt_pattern *pattern = f->problem->pattern;
    memset(size, 0, (size_t)pattern->n * sizeof *size);
    for (int slot = 0; slot < pattern->n_slots; slot++) {
        int row = pattern->row[slot], column = pattern->column[slot];
        int i0 = pattern->node_start[row], j0 = pattern->node_start[column];
        int rows = pattern->node_start[row + 1] - i0,
            columns = pattern->node_start[column + 1] - j0;
        double nine[9];
        const double *a = nt_matrix_full_block(&f->matrix, slot, nine);
        for (int j = 0; j < columns; j++) {
            double x = fabs(unknown_at(f->problem, at, j0 + j)) / unit;
            for (int i = 0; i < rows; i++)
                size[i0 + i] += fabs(a[i * columns + j]) * x;
        }
    }
}

nt_status nt_factors_find_rounding(nt_factors *f, const nt_point *at, unsigned *seed, double *dx)
{
    const nt_problem *p = f->problem;
    double unit = 0; /* the largest unknown: their products may be beyond what doubles hold */
    for (int i = 0; i < p->n; i++)
        unit = fmax(unit, fabs(unknown_at(p, at, i)));
    memset(dx, 0, (size_t)p->n * sizeof *dx);
    bool without_matrix = p->nc == 0 && !(p->system->capabilities & NT_HAS_TANGENT);
    if (without_matrix || !(unit > 0))
        return NT_OK;
    nt_status status = nt_factors_matrix_of_accelerations(f, at);
    if (status != NT_OK)
        return status;
    find_sizes_of_terms(f, at, unit, dx);
    for (int i = 0; i < p->n; i++)
        dx[i] = copysign(DBL_EPSILON * dx[i], nt_chance(seed));
    nt_factors_clear_dropped(f, dx);
    status = nt_solver_solve(f->solver, dx, 1);
    for (int i = 0; i < p->n; i++)
        dx[i] *= unit;
    return status;
}
