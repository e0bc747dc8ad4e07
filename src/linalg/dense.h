/* Dense LU with partial pivoting and a test by Cholesky, for small systems; what vectors are. */
#ifndef NUTATE_LINALG_DENSE_H
#define NUTATE_LINALG_DENSE_H

#include <nutate/linalg.h>

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* A = P L U in place.
 * a     [n][n]  row by row; on return U on and above the diagonal with *inverted* diagonal
 *               entries, the multipliers of L below it
 * pivot [n]     the row exchanged with row k in step k
 * Returns -1, or the first column without a non-zero finite pivot (a is then undefined). */
int nt_dense_factor(int n, double *a, int *pivot);

/* b[n] := A^-1 b with the factors of nt_dense_factor. */
void nt_dense_solve(int n, const double *a, const int *pivot, double *b);

/* b[n] := A^-T b. */
void nt_dense_solve_transposed(int n, const double *a, const int *pivot, double *b);

/* The sign of det A, 1 or -1, from these factors. */
int nt_dense_determinant_sign(int n, const double *a, const int *pivot);

/* Whether Cholesky's factorisation of a symmetric 6 x 6 matrix, row by row, exists. */
bool nt_dense_is_positive6(const double A[36]);

/* Add to scale[] the sizes g W^-1 g^T of the rows g of one block, W being the diagonal block of
 * its column node. w, pivot, u: scratch. Returns 0 when W is singular. */
int nt_dense_row_sizes(const nt_matrix *matrix, int slot, double *w, int *pivot, double *u,
                       double *scale);

/* ---- vectors -------------------------------------------------------------------------------- */

static inline int nt_all_finite(const double *p, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(fabs(p[i]) <= DBL_MAX))
            return 0;
    return 1;
}

/* Right-hand sides below this are what rounding has left of zeros: their products underflow, and no
 * residual would say anything of them. */
#define NT_VANISHING 1e-280

static inline int nt_vanishes(const double *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!(fabs(b[i]) <= NT_VANISHING))
            return 0;
    return 1;
}

#endif
