/* SuiteSparse KLU behind our block matrices: the solver that pivots when ours cannot. */
#ifndef NUTATE_LINALG_KLU_H
#define NUTATE_LINALG_KLU_H

#include "linalg/pattern.h"

typedef struct nt_klu nt_klu;

/* Analyse the pattern. scaled = 1 divides each row by its largest entry and chooses pivots anew in
 * every factorisation, which is safer, and slower. NULL when memory is out. */
nt_klu *nt_klu_create(const nt_pattern *pattern, int scaled);
void nt_klu_destroy(nt_klu *klu);

/* Factorise values[] (laid out as in nt_matrix) with the pivots of the factorisation before, or
 * with new ones (the first time, when fresh, or when an old one is zero: this allocates).
 * NT_SINGULAR; NT_NO_MEMORY. */
nt_status nt_klu_factor(nt_klu *klu, const double *values, int fresh);
/* What decides the bits of later factorisations: the matrix that the present pivots were chosen
 * with. Of scaled = 0. Restoring chooses them with it again. */
size_t nt_klu_saved_size(const nt_klu *klu);
void nt_klu_save(const nt_klu *klu, char *bytes);
nt_status nt_klu_restore(nt_klu *klu, const char *bytes);

void nt_klu_solve(nt_klu *klu, double *b, int transposed);

/* The sign of the determinant, 1 or -1; 0 without factors. */
int nt_klu_determinant_sign(const nt_klu *klu);

/* The unknown whose column had no pivot, -1 when not known. */
int nt_klu_singular_unknown(const nt_klu *klu);
double nt_klu_flops(nt_klu *klu);

#endif
