/* The routines of LAPACK and ARPACK that the analyses call, by the names their Fortran has.
 * Matrices are stored column by column. */
#ifndef NUTATE_ANALYSIS_LAPACK_H
#define NUTATE_ANALYSIS_LAPACK_H

#include <stddef.h>

/* QR with column pivoting, and Q from it. */
void dgeqp3_(const int *m, const int *n, double *a, const int *lda, int *jpvt, double *tau,
             double *work, const int *lwork, int *info);
void dorgqr_(const int *m, const int *n, const int *k, double *a, const int *lda, const double *tau,
             double *work, const int *lwork, int *info);

/* Singular values: jobz 'A' all vectors, 'N' none. */
void dgesdd_(const char *jobz, const int *m, const int *n, double *a, const int *lda, double *s,
             double *u, const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork,
             int *iwork, int *info, size_t jobz_length);

/* Symmetric: A x = w B x with B positive definite. */
void dsyev_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
            double *work, const int *lwork, int *info, size_t, size_t);
void dsygv_(const int *itype, const char *jobz, const char *uplo, const int *n, double *a,
            const int *lda, double *b, const int *ldb, double *w, double *work, const int *lwork,
            int *info, size_t jobz_length, size_t uplo_length);

/* General: A x = w x; and A x = (alpha/beta) B x. */
void dgeev_(const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda,
            double *wr, double *wi, double *vl, const int *ldvl, double *vr, const int *ldvr,
            double *work, const int *lwork, int *info, size_t jobvl_length, size_t jobvr_length);
void dggev_(const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda,
            double *b, const int *ldb, double *alphar, double *alphai, double *beta, double *vl,
            const int *ldvl, double *vr, const int *ldvr, double *work, const int *lwork, int *info,
            size_t jobvl_length, size_t jobvr_length);

void zgeev_(const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda,
            double *w, double *vl, const int *ldvl, double *vr, const int *ldvr, double *work,
            const int *lwork, double *rwork, int *info, size_t jobvl_length, size_t jobvr_length);

/* LU, and A x = B with it. */
void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda,
             const int *ipiv, double *b, const int *ldb, int *info, size_t trans_length);

/* A X = B by LU, real and complex (pairs of real and imaginary part). */
void dgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *ipiv, double *b,
            const int *ldb, int *info);
void zgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *ipiv, double *b,
            const int *ldb, int *info);

/* C = alpha op(A) op(B) + beta C. */
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc, size_t transa_length,
            size_t transb_length);

/* ARPACK, by reverse communication; it keeps variables of its own between calls. */
void dsaupd_(int *ido, const char *bmat, const int *n, const char *which, const int *nev,
             const double *tol, double *resid, const int *ncv, double *v, const int *ldv,
             int *iparam, int *ipntr, double *workd, double *workl, const int *lworkl, int *info,
             size_t bmat_length, size_t which_length);
void dseupd_(const int *rvec, const char *howmny, int *select, double *d, double *z, const int *ldz,
             const double *sigma, const char *bmat, const int *n, const char *which, const int *nev,
             const double *tol, double *resid, const int *ncv, double *v, const int *ldv,
             int *iparam, int *ipntr, double *workd, double *workl, const int *lworkl, int *info,
             size_t howmny_length, size_t bmat_length, size_t which_length);
void dnaupd_(int *ido, const char *bmat, const int *n, const char *which, const int *nev,
             const double *tol, double *resid, const int *ncv, double *v, const int *ldv,
             int *iparam, int *ipntr, double *workd, double *workl, const int *lworkl, int *info,
             size_t bmat_length, size_t which_length);
void dneupd_(const int *rvec, const char *howmny, int *select, double *dr, double *di, double *z,
             const int *ldz, const double *sigmar, const double *sigmai, double *workev,
             const char *bmat, const int *n, const char *which, const int *nev, const double *tol,
             double *resid, const int *ncv, double *v, const int *ldv, int *iparam, int *ipntr,
             double *workd, double *workl, const int *lworkl, int *info, size_t howmny_length,
             size_t bmat_length, size_t which_length);

#endif
