/* K p = -s^2 M p of small problems, where K and M are symmetric; see pairs_dense.c. */
#include "analysis/modes/pairs_plain.h"
#include "analysis/lapack.h"
#include "analysis/modes/pairs.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* What rounding leaves of symmetry, relative to the largest entry. */
static const double ASYMMETRY = 1e-9;

bool nt_columns_are_symmetric(const nt_columns *a)
{
    double size = 0, off = 0;
    for (int j = 0; j < a->columns; j++)
        for (int i = 0; i < a->rows; i++) {
            size = fmax(size, fabs(*nt_entry(a, i, j)));
            off = fmax(off, fabs(*nt_entry(a, i, j) - *nt_entry(a, j, i)));
        }
    return off <= ASYMMETRY * size;
}

static nt_columns symmetrised(nt_arena *arena, const nt_columns *a)
{
    nt_columns out = nt_columns_take(arena, a->rows, a->columns);
    for (int j = 0; out.a && j < a->columns; j++)
        for (int i = 0; i < a->rows; i++)
            *nt_entry(&out, i, j) = (*nt_entry(a, i, j) + *nt_entry(a, j, i)) / 2;
    return out;
}

/* besides: a size that rounding may have instead. */
bool nt_plain_is_free(const nt_columns *K, const double *x, double besides)
{
    double sum = 0, size = 0;
    for (int j = 0; j < K->columns; j++)
        for (int i = 0; i < K->rows; i++) {
            double term = x[i] * *nt_entry(K, i, j) * x[j];
            sum += term;
            size += fabs(term);
        }
    return fabs(sum) <= NT_STIFFNESS_DOUBT * fmax(size, besides);
}

/* Where stiffnesses are far apart, as of slender beams, rounding of the largest eigenvalues w hides
 * the smallest ones: these are found from M x = x (K + sigma M)/(w + sigma), in which they are the
 * largest, with sigma as small as K + sigma M can be made positive definite with. Those below the
 * geometric mean are put in place of w[n] ascending and of their vectors. */
static nt_status find_smallest(const nt_reduced *r, const nt_columns *K, const nt_columns *M,
                               double *w, nt_columns *vectors)
{
    int n = r->f, type = 1, info = 1, room = 64 * n + 64;
    double most = fmax(fabs(w[0]), fabs(w[n - 1])), sigma = DBL_EPSILON * most;
    nt_columns A = nt_columns_take(r->arena, n, n), B = nt_columns_take(r->arena, n, n);
    double *theta = NT_TAKE(r->arena, n, double), *work = NT_TAKE(r->arena, room, double);
    if (!A.a || !B.a || !theta || !work)
        return NT_NO_MEMORY;
    for (; info != 0 && sigma < most; sigma *= 10) {
        for (int i = 0; i < n * n; i++) {
            A.a[i] = M->a[i];
            B.a[i] = K->a[i] + sigma * M->a[i];
        }
        dsygv_(&type, "V", "U", &n, A.a, &n, B.a, &n, theta, work, &room, &info, 1, 1);
        if (info == 0)
            break;
    }
    if (info != 0 || !(theta[n - 1] > 0)) /* the small theta may be below 0 by rounding */
        return NT_OK;
    double least = 1 / theta[n - 1], middle = sqrt(least * most);
    for (int i = 0; i < n && w[i] + sigma < middle; i++) {
        int j = n - 1 - i; /* theta ascends */
        w[i] = 1 / theta[j] - sigma;
        memcpy(nt_entry(vectors, 0, i), nt_entry(&A, 0, j), (size_t)n * sizeof *A.a);
    }
    return NT_OK;
}

nt_status nt_plain_find(const nt_reduced *r, nt_plain *all)
{
    if (all->is_sought)
        return NT_OK;
    int n = r->f, type = 1, info = 0, room = 64 * n + 64;
    nt_columns K = symmetrised(r->arena, &r->K), M = symmetrised(r->arena, &r->M);
    double *w = NT_TAKE(r->arena, n + 1, double), *work = NT_TAKE(r->arena, room, double);
    *all = (nt_plain){.is_sought = true, .w = w, .vectors = K};
    if (!K.a || !M.a || !w || !work)
        return NT_NO_MEMORY;
    if (n > 0)
        dsygv_(&type, "V", "U", &n, K.a, &n, M.a, &n, w, work, &room, &info, 1, 1);
    if (info > n)
        return NT_OK;
    if (info != 0)
        return NT_NOT_CONVERGED;
    all->is_found = true;
    double most = n > 0 ? fmax(fabs(w[0]), fabs(w[n - 1])) : 0;
    nt_status status = NT_OK;
    nt_columns stiffness = symmetrised(r->arena, &r->K), mass = symmetrised(r->arena, &r->M);
    if (!stiffness.a || !mass.a)
        return NT_NO_MEMORY;
    if (n > 0 && fabs(w[0]) < most / NT_FAR_APART)
        status = find_smallest(r, &stiffness, &mass, w, &K);
    for (int i = 0; i < n; i++)
        if (fabs(w[i]) < most / NT_FAR_APART && nt_plain_is_free(&stiffness, nt_entry(&K, 0, i), 0))
            w[i] = 0;
    return status;
}

/* ---- loads that follow -------------------------------------------------------------------------
 *
 * What is too little to be seen beside the largest entries may be all that bends a slender beam: a
 * load that follows its tip against the stiffness of its shear. So the antisymmetric part of K is
 * looked at in the modes p of the symmetric one: p_i^T (K - K^T) p_j is to be small beside the
 * larger of w_i and w_j, or be what rounding makes of so large terms. */
static const double FOLLOWS = 1e-10, ROUNDINGS = 8;

/* y = (K - K^T) x, and by_rounding = |K| |x|. */
static void antisymmetric(const nt_columns *K, const double *x, double *y, double *by_rounding)
{
    memset(y, 0, (size_t)K->rows * sizeof *y);
    memset(by_rounding, 0, (size_t)K->rows * sizeof *y);
    for (int j = 0; j < K->columns; j++)
        for (int i = 0; i < K->rows; i++) {
            y[i] += (*nt_entry(K, i, j) - *nt_entry(K, j, i)) * x[j];
            by_rounding[i] += fabs(*nt_entry(K, i, j) * x[j]);
        }
}

nt_status nt_plain_is_symmetric(const nt_reduced *r, nt_plain *all, bool *symmetric)
{
    bool exact = true;
    int n = r->f;
    for (int j = 0; exact && j < n; j++)
        for (int i = 0; i < j; i++)
            exact = exact && *nt_entry(&r->K, i, j) == *nt_entry(&r->K, j, i);
    if (exact)
        return NT_OK;
    nt_status status = nt_plain_find(r, all);
    double *y = NT_TAKE(r->arena, 2 * n + 1, double), *size = NT_TAKE(r->arena, n + 1, double);
    if (status != NT_OK || !all->is_found)
        return status;
    if (!y || !size)
        return NT_NO_MEMORY;
    double *rounding = y + n;
    for (int j = 0; j < n; j++) {
        const double *p = nt_entry(&all->vectors, 0, j);
        size[j] = 0;
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n; k++)
                size[j] += p[i] * *nt_entry(&r->M, i, k) * p[k];
    }
    for (int j = 0; j < n && *symmetric; j++) {
        antisymmetric(&r->K, nt_entry(&all->vectors, 0, j), y, rounding);
        for (int i = 0; i < n; i++) {
            const double *p = nt_entry(&all->vectors, 0, i);
            double sum = 0, doubt = 0;
            for (int k = 0; k < n; k++)
                sum += p[k] * y[k], doubt += fabs(p[k]) * rounding[k];
            double stiff = fmax(fabs(all->w[i]), fabs(all->w[j])) * sqrt(size[i] * size[j]);
            if (!(fabs(sum) <= fmax(FOLLOWS * stiff, ROUNDINGS * DBL_EPSILON * doubt)))
                *symmetric = false;
        }
    }
    return NT_OK;
}
