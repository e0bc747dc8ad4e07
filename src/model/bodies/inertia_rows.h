/* The tangent of one body's inertia with matrices by rows, a row in a vector of four: for a body
 * that is not one of four beside each other. The same operations in the same order as
 * nt_inertia_tangent, so the same numbers, bit for bit. */
#ifndef NUTATE_MODEL_INERTIA_ROWS_H
#define NUTATE_MODEL_INERTIA_ROWS_H

#include "base/target.h"
#include "base/vector3.h"
#include "linalg/lanes.h"

/* A vector of space is (x, y, z, .), a matrix of space three rows of that; what stands in the
 * fourth place is of no meaning but where it is said to be zero. */
typedef struct matrix_rows {
    lanes x, y, z;
} matrix_rows;

NT_INLINE lanes row_broadcast(double a) { return (lanes){a, a, a, a}; }
NT_INLINE lanes row_load(v3 a) { return (lanes){a.x, a.y, a.z, 0}; }
/* (x, y, z, 0) */
NT_INLINE lanes row_end(lanes a) { return (lanes)((lanes_mask)a & (lanes_mask){-1, -1, -1, 0}); }

/* From m[3][3] */
NT_INLINE matrix_rows rows_load(const double *m)
{
    lanes z = *(const lanes_anywhere *)(m + 5);
    return (matrix_rows){*(const lanes_anywhere *)m, *(const lanes_anywhere *)(m + 3),
                         __builtin_shufflevector(z, z, 1, 2, 3, 3)};
}

/* m[3][3] += a */
NT_INLINE void rows_accumulate(double *m, matrix_rows a)
{
    lanes z = row_end(a.z);
    *(lanes_anywhere *)m += row_end(a.x);
    *(lanes_anywhere *)(m + 3) += row_end(a.y);
    *(lanes_anywhere *)(m + 5) += __builtin_shufflevector(z, z, 3, 0, 1, 2);
}

NT_INLINE lanes row_first(lanes a) { return __builtin_shufflevector(a, a, 0, 0, 0, 0); }
NT_INLINE lanes row_second(lanes a) { return __builtin_shufflevector(a, a, 1, 1, 1, 1); }
NT_INLINE lanes row_third(lanes a) { return __builtin_shufflevector(a, a, 2, 2, 2, 2); }

/* (y, z, x) and (z, x, y) */
NT_INLINE lanes row_next(lanes a) { return __builtin_shufflevector(a, a, 1, 2, 0, 3); }
NT_INLINE lanes row_previous(lanes a) { return __builtin_shufflevector(a, a, 2, 0, 1, 3); }

NT_INLINE lanes row_cross(lanes a, lanes b)
{
    return row_next(a) * row_previous(b) - row_previous(a) * row_next(b);
}

/* a^T m: the rows of m, each times its component */
NT_INLINE lanes row_multiply(lanes a, matrix_rows m)
{
    return row_first(a) * m.x + row_second(a) * m.y + row_third(a) * m.z;
}

NT_INLINE matrix_rows rows_multiply(matrix_rows a, matrix_rows b)
{
    return (matrix_rows){row_multiply(a.x, b), row_multiply(a.y, b), row_multiply(a.z, b)};
}

NT_INLINE matrix_rows rows_add(matrix_rows a, matrix_rows b)
{
    return (matrix_rows){a.x + b.x, a.y + b.y, a.z + b.z};
}

NT_INLINE matrix_rows rows_sub(matrix_rows a, matrix_rows b)
{
    return (matrix_rows){a.x - b.x, a.y - b.y, a.z - b.z};
}

NT_INLINE matrix_rows rows_scale(double s, matrix_rows a)
{
    lanes S = row_broadcast(s);
    return (matrix_rows){S * a.x, S * a.y, S * a.z};
}

NT_INLINE matrix_rows rows_transpose(matrix_rows a)
{
    lanes even = __builtin_shufflevector(a.x, a.y, 0, 4, 2, 6);
    lanes odd = __builtin_shufflevector(a.x, a.y, 1, 5, 3, 7);
    lanes second = row_second(a.z);
    return (matrix_rows){__builtin_shufflevector(even, a.z, 0, 1, 4, 5),
                         __builtin_shufflevector(odd, second, 0, 1, 4, 5),
                         __builtin_shufflevector(even, a.z, 2, 3, 6, 7)};
}

/* What stands above the diagonal, below it too. */
NT_INLINE matrix_rows rows_mirror(matrix_rows a)
{
    lanes even = __builtin_shufflevector(a.x, a.y, 0, 4, 2, 6);
    return (matrix_rows){a.x, __builtin_shufflevector(a.y, a.x, 5, 1, 2, 3),
                         __builtin_shufflevector(even, a.z, 2, 3, 6, 7)};
}

/* a~ */
NT_INLINE matrix_rows rows_skew(lanes a)
{
    a = row_end(a);
    lanes minus = -a;
    return (matrix_rows){__builtin_shufflevector(a, minus, 3, 6, 1, 3),
                         __builtin_shufflevector(a, minus, 2, 3, 4, 3),
                         __builtin_shufflevector(a, minus, 5, 0, 3, 3)};
}

/* a~ m */
NT_INLINE matrix_rows rows_skew_multiply(lanes a, matrix_rows m)
{
    lanes x = row_first(a), y = row_second(a), z = row_third(a);
    return (matrix_rows){y * m.z - z * m.y, z * m.x - x * m.z, x * m.y - y * m.x};
}

/* m a~ */
NT_INLINE matrix_rows rows_multiply_skew(matrix_rows m, lanes a)
{
    return (matrix_rows){row_cross(m.x, a), row_cross(m.y, a), row_cross(m.z, a)};
}

/* Adds the block of nt_inertia_tangent to block[3][3] and its moment to force[3] behind another
 * three; X[3][3], or NULL for the identity. */
NT_INLINE void inertia_add_tangent(const m3 *R, const m3 *J, v3 w3, v3 alpha3, const double *X,
                                   double m, double c, double k, double *block, double *force)
{
    matrix_rows turned = rows_load(&R->xx);
    lanes w = row_load(w3), alpha = row_load(alpha3);
    matrix_rows RJ = rows_multiply(turned, rows_load(&J->xx));
    matrix_rows Js = rows_mirror(rows_multiply(RJ, rows_transpose(turned)));
    lanes Jw = row_multiply(w, Js), Ja = row_multiply(alpha, Js);
    matrix_rows C = rows_sub(rows_skew_multiply(w, Js), rows_skew(Jw));
    matrix_rows rates = rows_add(rows_scale(m, Js), rows_scale(c, C));
    if (X)
        rates = rows_multiply(rates, rows_load(X));
    matrix_rows K = rows_sub(rows_sub(rows_multiply_skew(Js, alpha), rows_skew(Ja)),
                             rows_skew_multiply(w, rows_transpose(C)));
    rows_accumulate(block, rows_add(rates, rows_scale(k, K)));
    if (!force)
        return;
    lanes moment = row_end(Ja + row_cross(w, Jw));
    *(lanes_anywhere *)(force + 2) += __builtin_shufflevector(moment, moment, 3, 0, 1, 2);
}

#endif
