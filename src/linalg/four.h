/* Vectors, quaternions and matrices of four points or four nodes side by side: entry k of each
 * component belongs to the k-th of them. The formulas are those of one. */
#ifndef NUTATE_LINALG_FOUR_H
#define NUTATE_LINALG_FOUR_H

#include "base/target.h"
#include "base/vector3.h"
#include "linalg/lanes.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi" /* vectors are passed between inlined functions only */
#endif

typedef struct four_v3 {
    lanes x, y, z;
} four_v3;
typedef struct four_quat {
    lanes w, x, y, z;
} four_quat;
typedef struct four_m3 {
    lanes xx, xy, xz, yx, yy, yz, zx, zy, zz;
} four_m3;

NT_INLINE lanes four_all(double s) { return (lanes){s, s, s, s}; }
NT_INLINE four_v3 four_same(v3 a) { return (four_v3){four_all(a.x), four_all(a.y), four_all(a.z)}; }
/* Four vectors side by side, from four loads of which the last entry is not used. */
NT_INLINE four_v3 four_of(lanes a[4])
{
    lanes_transpose(a);
    return (four_v3){a[0], a[1], a[2]};
}
NT_INLINE four_quat four_quat_of(lanes a[4])
{
    lanes_transpose(a);
    return (four_quat){a[0], a[1], a[2], a[3]};
}
/* Four vectors with zero behind, four quaternions. */
NT_INLINE void four_split(four_v3 a, lanes to[4])
{
    to[0] = a.x, to[1] = a.y, to[2] = a.z, to[3] = (lanes){0};
    lanes_transpose(to);
}
NT_INLINE void four_split_quat(four_quat a, lanes to[4])
{
    to[0] = a.w, to[1] = a.x, to[2] = a.y, to[3] = a.z;
    lanes_transpose(to);
}

/* ---- vectors --------------------------------------------------------------------------------- */

NT_INLINE four_v3 four_add(four_v3 a, four_v3 b)
{
    return (four_v3){a.x + b.x, a.y + b.y, a.z + b.z};
}
NT_INLINE four_v3 four_sub(four_v3 a, four_v3 b)
{
    return (four_v3){a.x - b.x, a.y - b.y, a.z - b.z};
}
NT_INLINE four_v3 four_scale(lanes s, four_v3 a) { return (four_v3){s * a.x, s * a.y, s * a.z}; }
NT_INLINE lanes four_dot(four_v3 a, four_v3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
NT_INLINE four_v3 four_cross(four_v3 a, four_v3 b)
{
    return (four_v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* ---- quaternions ----------------------------------------------------------------------------- */

NT_INLINE lanes four_quat_dot(four_quat a, four_quat b)
{
    return (a.w * b.w + a.x * b.x) + (a.y * b.y + a.z * b.z);
}
NT_INLINE four_quat four_conjugate(four_quat a) { return (four_quat){a.w, -a.x, -a.y, -a.z}; }
NT_INLINE four_quat four_quat_scale(lanes s, four_quat a)
{
    return (four_quat){s * a.w, s * a.x, s * a.y, s * a.z};
}
NT_INLINE four_quat four_quat_sub(four_quat a, four_quat b)
{
    return (four_quat){a.w - b.w, a.x - b.x, a.y - b.y, a.z - b.z};
}
/* vec(a b) */
NT_INLINE four_v3 four_vector(four_quat a, four_quat b)
{
    return (four_v3){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                     a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                     a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
/* a (0, b) */
NT_INLINE four_quat four_by_pure(four_quat a, four_v3 b)
{
    return (four_quat){-(a.x * b.x + a.y * b.y + a.z * b.z), a.w * b.x + a.y * b.z - a.z * b.y,
                       a.w * b.y - a.x * b.z + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x};
}

/* ---- matrices -------------------------------------------------------------------------------- */

NT_INLINE four_v3 four_apply(const four_m3 *a, four_v3 b)
{
    return (four_v3){a->xx * b.x + a->xy * b.y + a->xz * b.z,
                     a->yx * b.x + a->yy * b.y + a->yz * b.z,
                     a->zx * b.x + a->zy * b.y + a->zz * b.z};
}
NT_INLINE four_v3 four_apply_transposed(const four_m3 *a, four_v3 b)
{
    return (four_v3){a->xx * b.x + a->yx * b.y + a->zx * b.z,
                     a->xy * b.x + a->yy * b.y + a->zy * b.z,
                     a->xz * b.x + a->yz * b.y + a->zz * b.z};
}
NT_INLINE four_m3 four_multiply(const four_m3 *a, const four_m3 *b)
{
    four_v3 x = four_apply(a, (four_v3){b->xx, b->yx, b->zx});
    four_v3 y = four_apply(a, (four_v3){b->xy, b->yy, b->zy});
    four_v3 z = four_apply(a, (four_v3){b->xz, b->yz, b->zz});
    return (four_m3){x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
}
/* a b^T */
NT_INLINE four_m3 four_multiply_transposed(const four_m3 *a, const four_m3 *b)
{
    four_v3 x = four_apply(a, (four_v3){b->xx, b->xy, b->xz});
    four_v3 y = four_apply(a, (four_v3){b->yx, b->yy, b->yz});
    four_v3 z = four_apply(a, (four_v3){b->zx, b->zy, b->zz});
    return (four_m3){x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
}
NT_INLINE four_m3 four_matrix_add(four_m3 a, four_m3 b)
{
    return (four_m3){a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yx + b.yx, a.yy + b.yy,
                     a.yz + b.yz, a.zx + b.zx, a.zy + b.zy, a.zz + b.zz};
}
NT_INLINE four_m3 four_matrix_scale(lanes s, four_m3 a)
{
    return (four_m3){s * a.xx, s * a.xy, s * a.xz, s * a.yx, s * a.yy,
                     s * a.yz, s * a.zx, s * a.zy, s * a.zz};
}
NT_INLINE four_m3 four_matrix_sub(four_m3 a, four_m3 b)
{
    return four_matrix_add(a, four_matrix_scale(four_all(-1), b));
}
NT_INLINE four_m3 four_skew(four_v3 a)
{
    lanes o = {0};
    return (four_m3){o, -a.z, a.y, a.z, o, -a.x, -a.y, a.x, o};
}
/* a~ m */
NT_INLINE four_m3 four_skew_multiply(four_v3 a, const four_m3 *m)
{
    four_v3 x = four_cross(a, (four_v3){m->xx, m->yx, m->zx});
    four_v3 y = four_cross(a, (four_v3){m->xy, m->yy, m->zy});
    four_v3 z = four_cross(a, (four_v3){m->xz, m->yz, m->zz});
    return (four_m3){x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
}

#endif
