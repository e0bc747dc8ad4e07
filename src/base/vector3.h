/* Vectors, matrices and unit quaternions of space, by value.
 *
 * Small structs with named components: the compiler keeps them in registers, and an expression
 * reads like the formula. Components: m3 is row by row; quaternions are (w, x, y, z). */
#ifndef NUTATE_BASE_VECTOR3_H
#define NUTATE_BASE_VECTOR3_H

#include <math.h>
#include <nutate/vector.h>

typedef nt_v3 v3;
typedef nt_m3 m3;

typedef struct quat {
    double w, x, y, z;
} quat;

static inline v3 v3_of(double x, double y, double z) { return (v3){x, y, z}; }
static inline v3 v3_load(const double *p) { return (v3){p[0], p[1], p[2]}; }
static inline void v3_store(double *p, v3 a) { p[0] = a.x, p[1] = a.y, p[2] = a.z; }
static inline void v3_accumulate(double *p, v3 a) { p[0] += a.x, p[1] += a.y, p[2] += a.z; }
static inline v3 v3_add(v3 a, v3 b) { return (v3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline v3 v3_sub(v3 a, v3 b) { return (v3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline v3 v3_neg(v3 a) { return (v3){-a.x, -a.y, -a.z}; }
static inline v3 v3_scale(double s, v3 a) { return (v3){s * a.x, s * a.y, s * a.z}; }
static inline v3 v3_axpy(double s, v3 a, v3 b)
{
    return (v3){s * a.x + b.x, s * a.y + b.y, s * a.z + b.z};
}
static inline double v3_dot(v3 a, v3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline v3 v3_cross(v3 a, v3 b)
{
    return (v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double v3_norm(v3 a) { return sqrt(v3_dot(a, a)); }
static inline double v3_component(v3 a, int i) { return i == 0 ? a.x : i == 1 ? a.y : a.z; }

static inline m3 m3_load(const double *p)
{
    return (m3){p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8]};
}
static inline void m3_store(double *p, m3 a)
{
    p[0] = a.xx, p[1] = a.xy, p[2] = a.xz;
    p[3] = a.yx, p[4] = a.yy, p[5] = a.yz;
    p[6] = a.zx, p[7] = a.zy, p[8] = a.zz;
}
static inline void m3_accumulate(double *p, m3 a)
{
    p[0] += a.xx, p[1] += a.xy, p[2] += a.xz;
    p[3] += a.yx, p[4] += a.yy, p[5] += a.yz;
    p[6] += a.zx, p[7] += a.zy, p[8] += a.zz;
}
static inline m3 m3_diagonal(double x, double y, double z)
{
    return (m3){.xx = x, .yy = y, .zz = z};
}
static inline m3 m3_identity(void) { return m3_diagonal(1, 1, 1); }
static inline m3 m3_add(m3 a, m3 b)
{
    return (m3){a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yx + b.yx, a.yy + b.yy,
                a.yz + b.yz, a.zx + b.zx, a.zy + b.zy, a.zz + b.zz};
}
static inline m3 m3_sub(m3 a, m3 b)
{
    return (m3){a.xx - b.xx, a.xy - b.xy, a.xz - b.xz, a.yx - b.yx, a.yy - b.yy,
                a.yz - b.yz, a.zx - b.zx, a.zy - b.zy, a.zz - b.zz};
}
static inline m3 m3_scale(double s, m3 a)
{
    return (m3){s * a.xx, s * a.xy, s * a.xz, s * a.yx, s * a.yy,
                s * a.yz, s * a.zx, s * a.zy, s * a.zz};
}
static inline m3 m3_transpose(m3 a)
{
    return (m3){a.xx, a.yx, a.zx, a.xy, a.yy, a.zy, a.xz, a.yz, a.zz};
}
static inline v3 m3_apply(m3 a, v3 b)
{
    return (v3){a.xx * b.x + a.xy * b.y + a.xz * b.z, a.yx * b.x + a.yy * b.y + a.yz * b.z,
                a.zx * b.x + a.zy * b.y + a.zz * b.z};
}
/* a^T b */
static inline v3 m3_apply_transposed(m3 a, v3 b)
{
    return (v3){a.xx * b.x + a.yx * b.y + a.zx * b.z, a.xy * b.x + a.yy * b.y + a.zy * b.z,
                a.xz * b.x + a.yz * b.y + a.zz * b.z};
}
static inline m3 m3_multiply(m3 a, m3 b)
{
    return (m3){a.xx * b.xx + a.xy * b.yx + a.xz * b.zx, a.xx * b.xy + a.xy * b.yy + a.xz * b.zy,
                a.xx * b.xz + a.xy * b.yz + a.xz * b.zz, a.yx * b.xx + a.yy * b.yx + a.yz * b.zx,
                a.yx * b.xy + a.yy * b.yy + a.yz * b.zy, a.yx * b.xz + a.yy * b.yz + a.yz * b.zz,
                a.zx * b.xx + a.zy * b.yx + a.zz * b.zx, a.zx * b.xy + a.zy * b.yy + a.zz * b.zy,
                a.zx * b.xz + a.zy * b.yz + a.zz * b.zz};
}
/* a^-1 b by Cramer's rule on the columns, b . (y x z)/(x . (y x z)): for matrices that are far from
 * singular, as inertia is; not finite for one that is singular. */
static inline v3 m3_solve(m3 a, v3 b)
{
    v3 x = {a.xx, a.yx, a.zx}, y = {a.xy, a.yy, a.zy}, z = {a.xz, a.yz, a.zz};
    v3 yz = v3_cross(y, z), zx = v3_cross(z, x), xy = v3_cross(x, y);
    double s = 1 / v3_dot(x, yz);
    return (v3){s * v3_dot(yz, b), s * v3_dot(zx, b), s * v3_dot(xy, b)};
}
/* The skew matrix a~, a~ b = a x b. */
static inline m3 m3_skew(v3 a) { return (m3){0, -a.z, a.y, a.z, 0, -a.x, -a.y, a.x, 0}; }
/* p += a~ in a block of rows of three: six entries. */
static inline void m3_accumulate_skew(double *p, v3 a)
{
    p[1] -= a.z, p[2] += a.y, p[3] += a.z, p[5] -= a.x, p[6] -= a.y, p[7] += a.x;
}
/* The dyad a b^T. */
static inline m3 m3_dyad(v3 a, v3 b)
{
    return (m3){a.x * b.x, a.x * b.y, a.x * b.z, a.y * b.x, a.y * b.y,
                a.y * b.z, a.z * b.x, a.z * b.y, a.z * b.z};
}
/* a~ b~ = b a^T - (a . b) I */
static inline m3 m3_skew_skew(v3 a, v3 b)
{
    double d = v3_dot(a, b);
    return (m3){b.x * a.x - d, b.x * a.y, b.x * a.z, b.y * a.x,    b.y * a.y - d,
                b.y * a.z,     b.z * a.x, b.z * a.y, b.z * a.z - d};
}
/* a~ m, column by column */
static inline m3 m3_skew_multiply(v3 a, m3 m)
{
    return (m3){a.y * m.zx - a.z * m.yx, a.y * m.zy - a.z * m.yy, a.y * m.zz - a.z * m.yz,
                a.z * m.xx - a.x * m.zx, a.z * m.xy - a.x * m.zy, a.z * m.xz - a.x * m.zz,
                a.x * m.yx - a.y * m.xx, a.x * m.yy - a.y * m.xy, a.x * m.yz - a.y * m.xz};
}
/* m a~, row by row */
static inline m3 m3_multiply_skew(m3 m, v3 a)
{
    return (m3){m.xy * a.z - m.xz * a.y, m.xz * a.x - m.xx * a.z, m.xx * a.y - m.xy * a.x,
                m.yy * a.z - m.yz * a.y, m.yz * a.x - m.yx * a.z, m.yx * a.y - m.yy * a.x,
                m.zy * a.z - m.zz * a.y, m.zz * a.x - m.zx * a.z, m.zx * a.y - m.zy * a.x};
}

static inline quat quat_load(const double *p) { return (quat){p[0], p[1], p[2], p[3]}; }
static inline void quat_store(double *p, quat a) { p[0] = a.w, p[1] = a.x, p[2] = a.y, p[3] = a.z; }
static inline quat quat_multiply(quat a, quat b)
{
    return (quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                  a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                  a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                  a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
static inline quat quat_conjugate(quat a) { return (quat){a.w, -a.x, -a.y, -a.z}; }
/* Back to unit length when it has drifted by rounding. */
static inline quat quat_unit(quat a)
{
    double s = 1 / sqrt(a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z);
    return (quat){s * a.w, s * a.x, s * a.y, s * a.z};
}
static inline m3 quat_matrix(quat a)
{
    double x2 = a.x + a.x, y2 = a.y + a.y, z2 = a.z + a.z;
    double xx = a.x * x2, yy = a.y * y2, zz = a.z * z2, xy = a.x * y2, xz = a.x * z2, yz = a.y * z2,
           wx = a.w * x2, wy = a.w * y2, wz = a.w * z2;
    return (m3){1 - (yy + zz), xy - wz, xz + wy, xy + wz,      1 - (xx + zz),
                yz - wx,       xz - wy, yz + wx, 1 - (xx + yy)};
}

#endif
