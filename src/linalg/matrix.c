/* Block-sparse matrices: values behind a pattern. */
#include "base/error.h"
#include "base/target.h"
#include "linalg/pattern.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Entries of all blocks together. */
static size_t matrix_entries(const nt_pattern *pattern)
{
    return (size_t)pattern->offset[pattern->n_slots];
}

nt_status nt_matrix_init(nt_matrix *matrix, const nt_pattern *pattern)
{
    matrix->pattern = pattern;
    matrix->broken = matrix->cleared = 0;
    matrix->values = calloc(matrix_entries(pattern) + 1, sizeof *matrix->values);
    return matrix->values ? NT_OK : NT_NO_MEMORY;
}

void nt_matrix_free(nt_matrix *matrix)
{
    free(matrix->values);
    matrix->values = NULL;
}

nt_status nt_matrix_create(nt_matrix **matrix, const nt_pattern *pattern)
{
    NT_NEED(NULL, "matrix", matrix);
    *matrix = NULL;
    NT_NEED(NULL, "pattern", pattern);
    nt_matrix *m = malloc(sizeof *m);
    nt_status status = m ? nt_matrix_init(m, pattern) : NT_NO_MEMORY;
    if (status == NT_OK)
        *matrix = m;
    else
        free(m);
    return status;
}

void nt_matrix_destroy(nt_matrix *matrix)
{
    if (matrix)
        nt_matrix_free(matrix);
    free(matrix);
}

double *nt_matrix_block(const nt_matrix *matrix, int slot)
{
    bool there = matrix && slot >= 0 && slot < matrix->pattern->n_slots;
    return there ? matrix->values + matrix->pattern->offset[slot] : NULL;
}

NT_HOT void nt_matrix_zero(nt_matrix *matrix)
{
    if (!matrix)
        return;
    if (!matrix->cleared)
        memset(matrix->values, 0, matrix_entries(matrix->pattern) * sizeof *matrix->values);
    matrix->broken = matrix->cleared = 0;
}

void nt_matrix_apply(const nt_matrix *matrix, const double *restrict x, double *restrict y)
{
    if (!matrix || !x || !y)
        return;
    const nt_pattern *p = matrix->pattern;
    memset(y, 0, (size_t)p->n * sizeof *y);
    for (int slot = 0; slot < p->n_slots; slot++) {
        int row = p->node_start[p->row[slot]], column = p->node_start[p->column[slot]];
        int m = p->node_start[p->row[slot] + 1] - row;
        int n = p->node_start[p->column[slot] + 1] - column;
        const double *restrict a = matrix->values + p->offset[slot];
        const double *restrict u = x + column;
        double *restrict w = y + row;
        if (m == 3 && n == 3) {
            if (p->shape[slot] == NT_SCALED) {
                w[0] += a[0] * u[0], w[1] += a[0] * u[1], w[2] += a[0] * u[2];
            } else {
                double u0 = u[0], u1 = u[1], u2 = u[2];
                w[0] += a[0] * u0 + a[1] * u1 + a[2] * u2;
                w[1] += a[3] * u0 + a[4] * u1 + a[5] * u2;
                w[2] += a[6] * u0 + a[7] * u1 + a[8] * u2;
            }
        } else {
            for (int i = 0; i < m; i++, a += n) {
                double sum = 0;
                for (int j = 0; j < n; j++)
                    sum += a[j] * u[j];
                w[i] += sum;
            }
        }
    }
}

static bool is_zero(const double *a, int n)
{
    int i = 0;
    while (i < n && a[i] == 0)
        i++;
    return i == n;
}

/* Block by block, each for all vectors: most blocks of one term of a tangent are zero. x begins
 * with the first of the columns that are wanted. */
static void matrix_apply_columns(const nt_matrix *matrix, bool primary, const double *x,
                                 size_t x_stride, double *y, size_t y_stride, int count)
{
    const nt_pattern *p = matrix->pattern;
    for (int slot = 0; slot < p->n_slots; slot++) {
        int row = p->node_start[p->row[slot]], column = p->node_start[p->column[slot]];
        int m = p->node_start[p->row[slot] + 1] - row;
        int n = p->node_start[p->column[slot] + 1] - column;
        const double *a = matrix->values + p->offset[slot];
        bool scaled = m == 3 && n == 3 && p->shape[slot] == NT_SCALED;
        if ((p->column[slot] < p->n_primary) != primary || is_zero(a, scaled ? 1 : m * n))
            continue;
        const double *u = x + column - (primary ? 0 : p->node_start[p->n_primary]);
        double *w = y + row;
        for (int k = 0; k < count; k++, u += x_stride, w += y_stride) {
            if (scaled) {
                w[0] += a[0] * u[0], w[1] += a[0] * u[1], w[2] += a[0] * u[2];
            } else if (m == 3 && n == 3) {
                w[0] += a[0] * u[0] + a[1] * u[1] + a[2] * u[2];
                w[1] += a[3] * u[0] + a[4] * u[1] + a[5] * u[2];
                w[2] += a[6] * u[0] + a[7] * u[1] + a[8] * u[2];
            } else {
                for (int i = 0; i < m; i++)
                    for (int j = 0; j < n; j++)
                        w[i] += a[i * n + j] * u[j];
            }
        }
    }
}

void nt_matrix_apply_primary(const nt_matrix *matrix, const double *x, size_t x_stride, double *y,
                             size_t y_stride, int count)
{
    matrix_apply_columns(matrix, true, x, x_stride, y, y_stride, count);
}

void nt_matrix_apply_secondary(const nt_matrix *matrix, const double *x, size_t x_stride, double *y,
                               size_t y_stride, int count)
{
    matrix_apply_columns(matrix, false, x, x_stride, y, y_stride, count);
}

const double *nt_matrix_full_block(const nt_matrix *matrix, int slot, double nine[9])
{
    const double *block = nt_matrix_block(matrix, slot);
    if (!nt_pattern_is_single(matrix->pattern, slot))
        return block;
    for (int i = 0; i < 9; i++)
        nine[i] = i % 4 == 0 ? block[0] : 0;
    return nine;
}

void nt_matrix_dense(const nt_matrix *matrix, double *dense)
{
    if (!matrix || !dense)
        return;
    const nt_pattern *p = matrix->pattern;
    size_t n = (size_t)p->n;
    memset(dense, 0, n * n * sizeof *dense);
    for (int slot = 0; slot < p->n_slots; slot++) {
        size_t row = (size_t)p->node_start[p->row[slot]];
        size_t column = (size_t)p->node_start[p->column[slot]];
        size_t m = (size_t)p->node_start[p->row[slot] + 1] - row;
        size_t k = (size_t)p->node_start[p->column[slot] + 1] - column;
        double nine[9];
        const double *a = nt_matrix_full_block(matrix, slot, nine);
        for (size_t i = 0; i < m; i++)
            memcpy(dense + (row + i) * n + column, a + i * k, k * sizeof *dense);
    }
}

/* Position of the first of list[count], ascending, that is at least x. */
static int first_from(const int *list, int count, int x)
{
    int low = 0, high = count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (list[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The part of a list of unknowns that belongs to one node: `number` entries, from `first` on. */
typedef struct share {
    int first, number;
} share;

static share share_of(const nt_pattern *p, int node, const int *unknowns, int count)
{
    int first = first_from(unknowns, count, p->node_start[node]);
    return (share){first, first_from(unknowns + first, count - first, p->node_start[node + 1])};
}

/* Whether dropping these rows and columns of a block leaves no multiple of the identity. Of a whole
 * node it leaves zeros, or the identity. */
static bool breaks(const nt_pattern *p, int slot, share rows, share columns)
{
    int m = p->node_start[p->row[slot] + 1] - p->node_start[p->row[slot]];
    return p->shape[slot] == NT_SCALED && rows.number + columns.number > 0 && rows.number < m &&
           columns.number < m;
}

nt_status nt_matrix_drop(nt_matrix *matrix, const int *unknowns, int count)
{
    const nt_pattern *p = matrix->pattern;
    for (int slot = 0; p->packed && count > 0 && slot < p->n_slots; slot++)
        if (nt_pattern_is_single(p, slot) &&
            breaks(p, slot, share_of(p, p->row[slot], unknowns, count),
                   share_of(p, p->column[slot], unknowns, count)))
            return NT_INVALID;
    for (int slot = 0; count > 0 && slot < p->n_slots; slot++) {
        int row = p->node_start[p->row[slot]], column = p->node_start[p->column[slot]];
        int m = p->node_start[p->row[slot] + 1] - row;
        int n = p->node_start[p->column[slot] + 1] - column;
        double *a = matrix->values + p->offset[slot];
        share rows = share_of(p, p->row[slot], unknowns, count);
        share columns = share_of(p, p->column[slot], unknowns, count);
        if (nt_pattern_is_single(p, slot)) {
            if (rows.number + columns.number > 0)
                a[0] = row == column;
            continue;
        }
        matrix->broken |= breaks(p, slot, rows, columns);
        for (int k = 0; k < columns.number; k++)
            for (int r = 0; r < m; r++)
                a[r * n + unknowns[columns.first + k] - column] = 0;
        for (int k = 0; k < rows.number; k++) {
            int i = unknowns[rows.first + k] - row;
            for (int c = 0; c < n; c++)
                a[i * n + c] = 0;
            if (row == column)
                a[i * n + i] = 1;
        }
    }
    return NT_OK;
}

/* ---- residuals ---------------------------------------------------------------------------------
 */

/* Two doubles: what every processor of this family has. */
typedef double pair __attribute__((vector_size(16)));
typedef double pair_anywhere __attribute__((vector_size(16), may_alias, aligned(8)));
typedef long long pair_mask __attribute__((vector_size(16)));

void nt_matrix_subtract(const nt_matrix *matrix, const double *x, double *r, double *size)
{
    const nt_pattern *p = matrix->pattern;
    for (int slot = 0; slot < p->n_slots; slot++) {
        int row = p->node_start[p->row[slot]], column = p->node_start[p->column[slot]];
        int m = p->node_start[p->row[slot] + 1] - row;
        int n = p->node_start[p->column[slot] + 1] - column;
        const double *a = matrix->values + p->offset[slot];
        for (int i = 0; i < m; i++) {
            pair left = {r[row + i], 0}, terms = {size[row + i], 0};
            int j = 0;
            for (; j + 2 <= n; j += 2, a += 2) {
                pair t = *(const pair_anywhere *)a * *(const pair_anywhere *)(x + column + j);
                left -= t;
                terms += (pair)((pair_mask)t & LLONG_MAX); /* |t| */
            }
            if (j < n) {
                double t = *a++ * x[column + j];
                left[0] -= t, terms[0] += fabs(t);
            }
            r[row + i] = left[0] + left[1];
            size[row + i] = terms[0] + terms[1];
        }
    }
}

void nt_matrix_subtract_transposed(const nt_matrix *matrix, const double *x, double *r,
                                   double *size)
{
    const nt_pattern *p = matrix->pattern;
    for (int slot = 0; slot < p->n_slots; slot++) {
        int row = p->node_start[p->row[slot]], column = p->node_start[p->column[slot]];
        int m = p->node_start[p->row[slot] + 1] - row;
        int n = p->node_start[p->column[slot] + 1] - column;
        const double *a = matrix->values + p->offset[slot];
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++, a++) {
                double t = *a * x[row + i];
                r[column + j] -= t;
                size[column + j] += fabs(t);
            }
    }
}
