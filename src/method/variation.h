/* What the linearised steps of all methods have in common. */
#ifndef NUTATE_METHOD_VARIATION_H
#define NUTATE_METHOD_VARIATION_H

#include "method/method.h"

/* Variation i of all[], wherever its numbers are, from or into an array of its own [stride]. */
void nt_variation_read(const nt_problem *problem, const nt_directions *directions,
                       const double *all, int i, double *to);
void nt_variation_write(const nt_problem *problem, const nt_directions *directions, double *all,
                        int i, const double *from);

/* The increment at q1 = q0 o exp(x) (body) or exp(x) o q0 (inertial) that follows from one dq0 at
 * q0 with x held: rotations by exp(x)^-1 or exp(x); out[nv] may be dq0. */
void nt_variation_carry(const nt_problem *problem, const double *x, const double *dq0, double *out);

/* out = A y for rotation entries (those of rigid motions in NT_SE3), y elsewhere; A as of
 * nt_problem_map_size; out[nv] may be y. */
void nt_variation_map(const nt_problem *problem, const double *A, const double *y, double *out);

/* One term of a directional derivative: combination (c_M, c_C, c_K) of the tangents of `parts` of R
 * and of the rows at `level`, at one point, times x[nv] of each direction, added to y[n]. */
typedef struct nt_push {
    const nt_point *at;
    unsigned parts;
    nt_level level;
    double mass, damping, stiffness;
    double step; /* s, of nt_terms */
    int count;
    const double *x; /* [count] of x_stride doubles, nv of them used */
    double *y;       /* [count] of y_stride doubles, n of them used   */
    size_t x_stride, y_stride;
} nt_push;

/* Fills the matrix of `factors` with the tangents: factorise afterwards. */
nt_status nt_variation_push(nt_factors *factors, const nt_push *push);

/* The same along the multipliers: x[count] of nh + nn doubles, and only what `parts` have of them.
 */
nt_status nt_variation_push_multipliers(nt_factors *factors, const nt_push *push);

#endif
