/* Dense LU with partial pivoting. The loops are written once for any n; up to n = 12 the compiler
 * sees n as a constant and unrolls them, which is two to three times faster than the open form. */
#include "linalg/dense.h"
#include "linalg/pattern.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

INLINE int factor(int n, double *restrict a, int *restrict pivot)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        double largest = fabs(a[(size_t)k * (size_t)n + (size_t)k]);
        for (int i = k + 1; i < n; i++) {
            double size = fabs(a[(ptrdiff_t)i * n + k]);
            if (size > largest)
                largest = size, best = i;
        }
        if (!(largest > 0) || !(largest <= 1.7976931348623157e308))
            return k;
        pivot[k] = best;
        double *restrict top = a + (ptrdiff_t)k * n;
        if (best != k) {
            double *restrict other = a + (ptrdiff_t)best * n;
            for (int j = 0; j < n; j++) {
                double t = top[j];
                top[j] = other[j];
                other[j] = t;
            }
        }
        double inverse = 1 / top[k];
        top[k] = inverse;
        for (int i = k + 1; i < n; i++) {
            double *restrict row = a + (ptrdiff_t)i * n;
            double l = row[k] * inverse;
            row[k] = l;
            for (int j = k + 1; j < n; j++)
                row[j] -= l * top[j];
        }
    }
    return -1;
}

INLINE void solve(int n, const double *restrict a, const int *restrict pivot, double *restrict b)
{
    for (int k = 0; k < n; k++) {
        double t = b[pivot[k]];
        b[pivot[k]] = b[k];
        b[k] = t;
    }
    for (int i = 1; i < n; i++) {
        double sum = b[i];
        for (int j = 0; j < i; j++)
            sum -= a[(ptrdiff_t)i * n + j] * b[j];
        b[i] = sum;
    }
    for (int i = n - 1; i >= 0; i--) {
        double sum = b[i];
        for (int j = i + 1; j < n; j++)
            sum -= a[(ptrdiff_t)i * n + j] * b[j];
        b[i] = sum * a[(ptrdiff_t)i * n + i];
    }
}

/* Call f with the size as a constant where it is small. */
#define FOR_SIZE(n, f)                                                                             \
    switch (n) {                                                                                   \
    case 1:                                                                                        \
        f(1);                                                                                      \
    case 2:                                                                                        \
        f(2);                                                                                      \
    case 3:                                                                                        \
        f(3);                                                                                      \
    case 4:                                                                                        \
        f(4);                                                                                      \
    case 5:                                                                                        \
        f(5);                                                                                      \
    case 6:                                                                                        \
        f(6);                                                                                      \
    case 7:                                                                                        \
        f(7);                                                                                      \
    case 8:                                                                                        \
        f(8);                                                                                      \
    case 9:                                                                                        \
        f(9);                                                                                      \
    case 10:                                                                                       \
        f(10);                                                                                     \
    case 11:                                                                                       \
        f(11);                                                                                     \
    case 12:                                                                                       \
        f(12);                                                                                     \
    default:                                                                                       \
        f(n);                                                                                      \
    }

int nt_dense_factor(int n, double *a, int *pivot)
{
#define FACTOR(size) return factor(size, a, pivot)
    FOR_SIZE(n, FACTOR)
}

void nt_dense_solve(int n, const double *a, const int *pivot, double *b)
{
#define SOLVE(size)                                                                                \
    solve(size, a, pivot, b);                                                                      \
    return
    FOR_SIZE(n, SOLVE)
}

void nt_dense_solve_transposed(int n, const double *a, const int *pivot, double *b)
{
    for (int i = 0; i < n; i++) {
        double t = b[i] * a[(ptrdiff_t)i * n + i];
        b[i] = t;
        for (int j = i + 1; j < n; j++)
            b[j] -= a[(ptrdiff_t)i * n + j] * t;
    }
    for (int i = n - 1; i > 0; i--)
        for (int j = 0; j < i; j++)
            b[j] -= a[(ptrdiff_t)i * n + j] * b[i];
    for (int k = n - 1; k >= 0; k--) {
        double t = b[pivot[k]];
        b[pivot[k]] = b[k];
        b[k] = t;
    }
}

bool nt_dense_is_positive6(const double A[36])
{
    double L[36];
    memcpy(L, A, sizeof L);
    for (int j = 0; j < 6; j++) {
        for (int k = 0; k < j; k++)
            L[7 * j] -= L[6 * j + k] * L[6 * j + k];
        if (!(L[7 * j] > 0))
            return false;
        L[7 * j] = sqrt(L[7 * j]);
        for (int i = j + 1; i < 6; i++) {
            for (int k = 0; k < j; k++)
                L[6 * i + j] -= L[6 * i + k] * L[6 * j + k];
            L[6 * i + j] /= L[7 * j];
        }
    }
    return true;
}

int nt_dense_row_sizes(const nt_matrix *matrix, int slot, double *w, int *pivot, double *u,
                       double *scale)
{
    const nt_pattern *p = matrix->pattern;
    int row = p->node_start[p->row[slot]], m = p->node_start[p->row[slot] + 1] - row;
    int node = p->column[slot], n = p->node_start[node + 1] - p->node_start[node];
    int diagonal = nt_pattern_find(p, node, node);
    double nine[9], of_g[9];
    const double *g = nt_matrix_full_block(matrix, slot, of_g);
    if (diagonal < 0)
        return 0;
    memcpy(w, nt_matrix_full_block(matrix, diagonal, nine), (size_t)n * (size_t)n * sizeof *w);
    if (nt_dense_factor(n, w, pivot) >= 0)
        return 0;
    for (int i = 0; i < m; i++, g += n) {
        memcpy(u, g, (size_t)n * sizeof *u);
        nt_dense_solve(n, w, pivot, u);
        for (int j = 0; j < n; j++)
            scale[row + i] += g[j] * u[j];
    }
    return 1;
}

int nt_dense_determinant_sign(int n, const double *a, const int *pivot)
{
    int sign = 1;
    for (int k = 0; k < n; k++)
        sign *= (pivot[k] == k ? 1 : -1) * (a[(size_t)k * (size_t)n + (size_t)k] > 0 ? 1 : -1);
    return sign;
}
