/* K p = w M p of small problems with symmetric K and M, in independent coordinates (reduce.h). */
#ifndef NUTATE_ANALYSIS_PAIRS_PLAIN_H
#define NUTATE_ANALYSIS_PAIRS_PLAIN_H

#include "analysis/pencil/reduce.h"

/* w[f] ascending, 0 where nothing resists, and p by columns; all 0 until they are looked for. */
typedef struct nt_plain {
    bool is_sought, is_found; /* found: M is positive definite */
    double *w;
    nt_columns vectors;
} nt_plain;

/* Eigenvalues so many times below the largest are lost in its rounding. */
static const double NT_FAR_APART = 1e4;

/* Of the symmetric parts of K and M, once: what has been sought stays as it is. Where it is not
 * found the general way must be taken. NT_NO_MEMORY, NT_NOT_CONVERGED. */
nt_status nt_plain_find(const nt_reduced *r, nt_plain *all);

/* Whether a matrix is symmetric beside its largest entry. */
bool nt_columns_are_symmetric(const nt_columns *a);

/* Of K that is so: makes `symmetric` false where what is left changes modes, which are sought
 * unless nothing is left. */
nt_status nt_plain_is_symmetric(const nt_reduced *r, nt_plain *all, bool *symmetric);

/* Whether nothing resists x: x^T K x is rounding of its terms, or of `besides`. */
bool nt_plain_is_free(const nt_columns *K, const double *x, double besides);

#endif
