/* Numbers, vectors, quaternions and 3 x 3 matrices of four blades side by side, for
 * rotor_yardstick.c. */
#ifndef NUTATE_BENCH_ROTOR_LANES_H
#define NUTATE_BENCH_ROTOR_LANES_H

#include "base/target.h"
#include "linalg/lanes.h"

#include <string.h>

#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi" /* vectors are passed between inlined functions only */
#endif

enum { BLADES = 4 };

typedef lanes_anywhere num; /* one number of every blade */

NT_INLINE num all(double s) { return (num){s, s, s, s}; }
NT_INLINE num dot(const num a[3], const num b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
NT_INLINE void cross(const num a[3], const num b[3], num out[3])
{
    num x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
    out[0] = x, out[1] = y;
}
NT_INLINE void apply(const num M[9], const num a[3], num out[3])
{
    num x = dot(M, a), y = dot(M + 3, a);
    out[2] = dot(M + 6, a);
    out[0] = x, out[1] = y;
}
NT_INLINE void skew(const num a[3], num out[9])
{
    num o = all(0);
    const num M[9] = {o, -a[2], a[1], a[2], o, -a[0], -a[1], a[0], o};
    memcpy(out, M, sizeof M);
}
NT_INLINE void multiply(const num A[9], const num B[9], num out[9])
{
    num C[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
    memcpy(out, C, sizeof C);
}
/* a~ B and A b~ */
NT_INLINE void skew_times(const num a[3], const num B[9], num out[9])
{
    num S[9];
    skew(a, S);
    multiply(S, B, out);
}
NT_INLINE void times_skew(const num A[9], const num b[3], num out[9])
{
    num S[9];
    skew(b, S);
    multiply(A, S, out);
}
NT_INLINE void quaternion_product(const num a[4], const num b[4], num out[4])
{
    const num c[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                      a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                      a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
                      a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
    memcpy(out, c, sizeof c);
}
/* Of p/|p|, n = |p|^2. */
NT_INLINE void rotation_of(const num p[4], num n, num R[9])
{
    num s = 2 / n, w = s * p[0], one = all(1);
    num xx = s * p[1] * p[1], yy = s * p[2] * p[2], zz = s * p[3] * p[3];
    num xy = s * p[1] * p[2], xz = s * p[1] * p[3], yz = s * p[2] * p[3];
    const num M[9] = {one - (yy + zz), xy - w * p[3],   xz + w * p[2],
                      xy + w * p[3],   one - (xx + zz), yz - w * p[1],
                      xz - w * p[2],   yz + w * p[1],   one - (xx + yy)};
    memcpy(R, M, sizeof M);
}

/* L(p) b = vec(p* b), Y(y) b = vec(y b): three rows of four. */
NT_INLINE void left(const num p[4], num L[3][4])
{
    const num M[3][4] = {
        {-p[1], p[0], p[3], -p[2]}, {-p[2], -p[3], p[0], p[1]}, {-p[3], p[2], -p[1], p[0]}};
    memcpy(L, M, sizeof M);
}
NT_INLINE void right(const num y[4], num Y[3][4])
{
    const num M[3][4] = {
        {y[1], y[0], -y[3], y[2]}, {y[2], y[3], y[0], -y[1]}, {y[3], -y[2], y[1], y[0]}};
    memcpy(Y, M, sizeof M);
}

#endif
