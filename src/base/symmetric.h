/* Symmetric matrices of three rows. */
#ifndef NUTATE_BASE_SYMMETRIC_H
#define NUTATE_BASE_SYMMETRIC_H

/* Eigenvalues and eigenvectors by Jacobi's rotations: a is symmetric and becomes diagonal, row i of
 * v is the unit vector that belongs to a[i][i]. They come in no order. */
void nt_symmetric_eigen(double a[3][3], double v[3][3]);

#endif
