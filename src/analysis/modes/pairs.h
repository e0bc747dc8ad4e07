/* Eigenvalues and eigenvectors of a pencil: what the finders for small and for large problems hand
 * over. Internal to the analyses. */
#ifndef NUTATE_ANALYSIS_PAIRS_H
#define NUTATE_ANALYSIS_PAIRS_H

#include "analysis/pencil/pencil.h"

#include <float.h>

/* Pairs with s = (sr, si), si >= 0, of a conjugate couple the upper one alone; x[n] with the
 * multipliers behind the displacements. */
typedef struct nt_pairs {
    int n, room, size; /* size: entries of x, the pencil's n */
    double *s;         /* [room][2]       */
    double *x;         /* [room][2][size] */
} nt_pairs;

nt_status nt_pairs_take(nt_pairs *pairs, int room, int size);
void nt_pairs_free(nt_pairs *pairs);

/* Numbers below this part of the largest singular value count as zero: displacements that meet no
 * resistance. */
#define NT_FREE_PART 1e-13

/* What rounding leaves of x^H K x where nothing resists x, relative to the sizes of its terms. */
#define NT_STIFFNESS_DOUBT (4 * DBL_EPSILON)

/* All of them, by LAPACK on independent coordinates; eigenvalues that are zero (motions that
 * nothing resists) once for each independent displacement. */
nt_status nt_pairs_dense(const nt_pencil *pencil, nt_pairs *pairs, nt_error *error);

/* The `count` nearest to zero, by ARPACK about a real shift. Those with s = 0 come out as small as
 * rounding makes them. NT_NOT_CONVERGED with words. */
nt_status nt_pairs_sparse(nt_pencil *pencil, int count, nt_pairs *pairs, nt_error *error);

/* Degrees of freedom of position and of velocity. */
void nt_pencil_freedom(const nt_pencil *pencil, int *positions, int *velocities);

#endif
