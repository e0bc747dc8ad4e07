/* Independent coordinates of a pencil.
 *
 * y = Z p with Phi_q Z = 0, forces by the null space Zl of R_lambda^T. Nonholonomic rows
 * N1 p' + N0 p = 0 leave p' = Y s - P p with N1 Y = 0, P = N1^+ N0. In x = (p, s)
 *
 *   p'    = -P p + Y s
 *   Mr s' = -Yl^T ((K - D P) p + D Y s),   D = C - M P,   Mr = Yl^T M Y,
 *
 * where M, C, K stand for Zl^T M Z and so on. Displacements and rows of motion are weighed: y_i is
 * times 1 or the length, rows of R are divided by the same. Internal to the analyses. */
#ifndef NUTATE_ANALYSIS_REDUCE_H
#define NUTATE_ANALYSIS_REDUCE_H

#include "analysis/pencil/pencil.h"

/* ---- matrices, column by column ---------------------------------------------------------------
 */

typedef struct nt_columns {
    int rows, columns;
    double *a; /* [columns][rows]; NULL: memory was out */
} nt_columns;

static inline double *nt_entry(const nt_columns *m, int i, int j)
{
    return m->a + (size_t)j * (size_t)m->rows + i;
}

nt_columns nt_columns_take(nt_arena *arena, int rows, int columns); /* of zeros */
nt_columns nt_columns_identity(nt_arena *arena, int n);
nt_columns nt_columns_transposed(nt_arena *arena, const nt_columns *a);
/* A B, or where `transposed` A^T B. */
nt_columns nt_columns_product(nt_arena *arena, bool transposed, const nt_columns *a,
                              const nt_columns *b);

/* An orthogonal basis whose first `rank` vectors span the columns of A: A Pi = Q R. */
typedef struct nt_basis {
    nt_columns Q, R;
    int *order; /* [columns] Pi, from 1 */
    int rank;   /* where R's diagonal falls below tolerance times its first */
} nt_basis;

nt_status nt_basis_find(nt_arena *arena, const nt_columns *a, double tolerance, nt_basis *out);
/* The vectors beyond the rank, perpendicular to all columns; those before. Parts of Q. */
nt_columns nt_basis_complement(const nt_basis *basis);
nt_columns nt_basis_range(const nt_basis *basis);
/* Solves for the least x with A^T x = rhs: x = Q z, z[rank]. */
void nt_basis_solve_rows(const nt_basis *basis, const double *rhs, double *z);

/* ---- independent coordinates --------------------------------------------------------------------
 */

typedef struct nt_reduced {
    const nt_pencil *pencil;
    nt_arena *arena;
    double *weight;     /* [nv] 1 or length: y_i = (Z p)_i / weight_i */
    nt_columns full[3]; /* n x n: K, C, M with their borders, weighed */
    nt_columns Z, Zl, Y, Yl, P;
    nt_columns K, C, M;               /* in independent coordinates */
    nt_basis rows, rates;             /* of Phi_q^T; of N1^T */
    nt_columns rate_rows, place_rows; /* [nv] columns: kappa_v, kappa_q, weighed */
    nt_basis forces;                  /* of all multipliers' columns */
    int *active;                      /* [n_active] multipliers in use, from 0 at the first */
    int n_active, n_holonomic;
    int f, d; /* independent positions and velocities */
} nt_reduced;

/* Everything lies in the arena. NT_SINGULAR where forces and constraints do not fit. */
nt_status nt_reduce(nt_reduced *reduced, const nt_pencil *pencil, nt_arena *arena);

/* Mr and the blocks of -(Kp p + Cs s). */
nt_status nt_reduced_blocks(const nt_reduced *reduced, nt_columns *Mr, nt_columns *Kp,
                            nt_columns *Cs);

/* The multipliers that balance what is left of the rows of motion, by least squares: left[nv],
 * out[nh + nn] where in use. z[multipliers] is scratch. */
void nt_reduced_forces(const nt_reduced *reduced, const double *left, double *out, double *z);

#endif
