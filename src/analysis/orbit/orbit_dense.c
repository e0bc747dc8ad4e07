/* Dense matrices of independent coordinates, through LAPACK. */
#include "analysis/orbit/orbit.h"

#include <math.h>
#include <stdlib.h>

/* Fortran's own routines; the last arguments are the lengths of texts. */
void dgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, double *a,
             const int *lda, double *s, double *u, const int *ldu, double *vt, const int *ldvt,
             double *work, const int *lwork, int *info, size_t of_jobu, size_t of_jobvt);
void dgeev_(const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda,
            double *wr, double *wi, double *vl, const int *ldvl, double *vr, const int *ldvr,
            double *work, const int *lwork, int *info, size_t of_jobvl, size_t of_jobvr);

nt_status nt_dense_svd(int rows, int columns, double *A, double *s, double *U, double *Vt)
{
    int info = 0, ask = -1, lda = rows > 0 ? rows : 1, ldv = columns > 0 ? columns : 1;
    double size = 1;
    if (columns == 0) { /* LAPACK returns without a word, and without U */
        for (int i = 0; i < rows * rows; i++)
            U[i] = i % (rows + 1) == 0;
        return NT_OK;
    }
    dgesvd_("A", "A", &rows, &columns, A, &lda, s, U, &lda, Vt, &ldv, &size, &ask, &info, 1, 1);
    int room = (int)size;
    double *work = malloc((size_t)room * sizeof *work);
    if (!work)
        return NT_NO_MEMORY;
    dgesvd_("A", "A", &rows, &columns, A, &lda, s, U, &lda, Vt, &ldv, work, &room, &info, 1, 1);
    free(work);
    return info == 0 ? NT_OK : info < 0 ? NT_NOT_FINITE : NT_NOT_CONVERGED;
}

nt_status nt_dense_eigen(int n, double *A, double *value, double *left, double *right)
{
    int info = 0, ask = -1, lda = n > 0 ? n : 1;
    double size = 1, *parts = malloc(2 * (size_t)lda * sizeof *parts), *imaginary = parts + lda;
    const char *l = left ? "V" : "N", *r = right ? "V" : "N";
    if (!parts)
        return NT_NO_MEMORY;
    dgeev_(l, r, &n, A, &lda, parts, imaginary, left, &lda, right, &lda, &size, &ask, &info, 1, 1);
    int room = (int)size;
    double *work = malloc((size_t)room * sizeof *work);
    if (work)
        dgeev_(l, r, &n, A, &lda, parts, imaginary, left, &lda, right, &lda, work, &room, &info, 1,
               1);
    for (int i = 0; work && i < n; i++)
        value[2 * i] = parts[i], value[2 * i + 1] = imaginary[i];
    nt_status status = !work       ? NT_NO_MEMORY
                       : info == 0 ? NT_OK
                       : info < 0  ? NT_NOT_FINITE
                                   : NT_NOT_CONVERGED;
    free(work);
    free(parts);
    return status;
}
