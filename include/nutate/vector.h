/* Vectors and matrices of space, by value.
 *
 * Threads. Plain values: a copy belongs to whoever made it, in any thread. */
#ifndef NUTATE_VECTOR_H
#define NUTATE_VECTOR_H

typedef struct nt_v3 {
    double x, y, z;
} nt_v3;

/* Row by row. */
typedef struct nt_m3 {
    double xx, xy, xz, yx, yy, yz, zx, zy, zz;
} nt_m3;

#endif
