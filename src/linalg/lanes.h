/* Vectors of four doubles, in the language extension that gcc and clang share. Without AVX the
 * compiler makes two SSE2 halves of each: the same numbers, bit for bit. */
#ifndef NUTATE_LINALG_LANES_H
#define NUTATE_LINALG_LANES_H

typedef double lanes __attribute__((vector_size(32), may_alias));
typedef double lanes_anywhere __attribute__((vector_size(32), may_alias, aligned(8)));
typedef long long lanes_mask __attribute__((vector_size(32), may_alias));

/* Entry k of row i becomes entry i of row k. */
static inline __attribute__((always_inline)) void lanes_transpose(lanes a[4])
{
    lanes ab = __builtin_shufflevector(a[0], a[1], 0, 4, 2, 6);
    lanes ba = __builtin_shufflevector(a[0], a[1], 1, 5, 3, 7);
    lanes cd = __builtin_shufflevector(a[2], a[3], 0, 4, 2, 6);
    lanes dc = __builtin_shufflevector(a[2], a[3], 1, 5, 3, 7);
    a[0] = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    a[1] = __builtin_shufflevector(ba, dc, 0, 1, 4, 5);
    a[2] = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    a[3] = __builtin_shufflevector(ba, dc, 2, 3, 6, 7);
}

/* Four vectors from[4], lane by lane: to[i][k] = factor from[k][i] for i < n. */
static inline __attribute__((always_inline)) void lanes_beside(int n, const double *const from[4],
                                                               double factor, double *to)
{
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        lanes a = *(const lanes_anywhere *)(from[0] + i),
              b = *(const lanes_anywhere *)(from[1] + i);
        lanes c = *(const lanes_anywhere *)(from[2] + i),
              d = *(const lanes_anywhere *)(from[3] + i);
        lanes ab = __builtin_shufflevector(a, b, 0, 4, 2, 6);
        lanes cd = __builtin_shufflevector(c, d, 0, 4, 2, 6);
        lanes ba = __builtin_shufflevector(a, b, 1, 5, 3, 7);
        lanes dc = __builtin_shufflevector(c, d, 1, 5, 3, 7);
        lanes_anywhere *out = (lanes_anywhere *)(to + 4 * i);
        out[0] = factor * __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
        out[1] = factor * __builtin_shufflevector(ba, dc, 0, 1, 4, 5);
        out[2] = factor * __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
        out[3] = factor * __builtin_shufflevector(ba, dc, 2, 3, 6, 7);
    }
    for (; i < n; i++)
        for (int k = 0; k < 4; k++)
            to[4 * i + k] = factor * from[k][i];
}

#endif
