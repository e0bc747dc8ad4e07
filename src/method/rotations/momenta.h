/* Kick and drift: what the integrators of body momenta are composed of.
 *
 *   Krysl, Explicit Newmark algorithm for rotational dynamics (2005), sections 2 and 3
 *
 * Every body has p = m v (ground axes) and Pi = J W (body axes), E(x) = exp(x~). The equations
 *
 *   p' = f,   x' = v;        Pi' = T - W x Pi,   R' = R W~
 *
 * are taken apart into forces that act while nothing moves, and motion that no force changes:
 *
 *   kick over h    p += h f,  Pi += h T
 *   drift over h   x += h v;  Psi from J Psi/h = E(-Psi/2) Pi,  R := R E(Psi),  Pi := E(-Psi) Pi
 *
 * The drift is the midpoint rule on the group without torque. It keeps R Pi, the momentum in ground
 * axes, to rounding, and it is its own adjoint. Forces are kept as what they would accelerate
 * without gyroscopic terms, the *push* a = (f/m, J^-1 T) [nv]: a kick is then v += h a, whatever v
 * stands for. Everything is in the body frame. */
#ifndef NUTATE_METHOD_MOMENTA_H
#define NUTATE_METHOD_MOMENTA_H

#include "method/method.h"

/* Options of the implicit push, nt_push_end: the table of a method that has no others. */
enum { NT_PUSH_OPTIONS = 4 };
extern const nt_option_key nt_push_options[NT_PUSH_OPTIONS];
/* These options as entries of another table. */
/* clang-format off */
#define NT_PUSH_OPTION_KEYS                                                                        \
    {"tolerance_velocity", NT_REAL, 1e-10, 1e-300, 1, "m/s", NULL,                                 \
        "absolute tolerance of velocities, where forces depend on them"},                          \
    {"tolerance_angular_velocity", NT_REAL, 1e-10, 1e-300, 1, "rad/s", NULL,                       \
        "absolute tolerance of angular velocities, where forces depend on them"},                  \
    {"tolerance_relative", NT_REAL, 1e-10, 1e-14, 1e-2, "", NULL,                                  \
        "relative to the largest velocity and to the largest angular velocity"},                   \
    {"max_iterations", NT_INTEGER, 25, 1, 1000, "", NULL,                                          \
        "iterations for forces that depend on velocities before a step is rejected"}
/* clang-format on */

/* Doubles of scratch that the functions below use, from the beginning of it. */
size_t nt_momenta_scratch(const nt_problem *problem);

/* The push at (t, q) from forces at v: one evaluation, nothing solved. For systems with momenta.
 * v may be any velocity where the forces do not depend on it. */
nt_status nt_push_at(nt_stepper *stepper, double t, const double *q, const double *v, double *a);

/* The push at (t, q) that ends a kick of length h: forces at v + h a. One evaluation where the
 * system promises NT_POSITION_FORCES. Else a solves M a = f(q, v + h a, t): by Newton's method with
 * the system's tangent where it has one, M + h C, and by repetition where it has none. a holds a
 * guess on entry. options: the method's values of nt_push_options. Works for systems without
 * momenta too, whose mass matrix and all of whose forces are then in a. */
nt_status nt_push_end(nt_stepper *stepper, const nt_options *options, double h, double t,
                      const double *q, const double *v, double *a);

/* v1 = v + h a; v1 may be v. */
void nt_kick(const nt_problem *problem, double h, const double *v, const double *a, double *v1);

/* Free motion over h: (q, v) -> (q1, v1), which may be the same arrays. psi[nv] receives the
 * increment, q1 = q o exp(psi); NULL where it is not wanted. h may be negative. NT_NOT_CONVERGED
 * when a body would turn by more than a whole turn or Newton's iteration fails; NT_NOT_FINITE. */
nt_status nt_drift(nt_stepper *stepper, double h, const double *q, const double *v, double *q1,
                   double *v1, double *psi);

/* vdot = a - J^-1 (W x J W): the acceleration that belongs to a push. */
void nt_momenta_acceleration(const nt_problem *problem, const double *v, const double *a,
                             double *vdot);

/* The slot `start` of methods that keep the push in memory: from q, v and vdot in `next`, without
 * an evaluation: a = vdot + J^-1 (W x J W). And of methods that keep nothing. */
nt_status nt_momenta_start(nt_stepper *stepper);
nt_status nt_start_without_memory(nt_stepper *stepper);

/* Constant body inertia of rotation k; the first v entry of a block's rotation. */
static inline m3 nt_inertia_of(const nt_problem *problem, int k)
{
    return m3_load(problem->system->momenta->inertia + 9 * (size_t)k);
}
static inline int nt_rotation_entry(const nt_block *block) { return block->v + block->nv - 3; }
static inline int nt_vector_entries(const nt_block *block)
{
    return block->rotation < 0 ? block->nv : block->nv - 3;
}

/* The largest ratio of the increments scale increment[nv] to their tolerances, which are absolute
 * (the option `absolute` of lengths and the next one of angles) and relative to size[2] of their
 * kinds. The report names its unknown. */
double nt_worst_increment(nt_stepper *stepper, const nt_options *options, int absolute,
                          const double size[2], double scale, const double *increment);

/* What every step of these methods begins with: the end time, discrete memory as it is. */
void nt_momenta_begin(nt_stepper *stepper, double h);

/* ---- the linearised step --------------------------------------------------------------------- */

/* dJ[count][n_rotations][9]: what the
 * directions change in the body inertia, from loads at a point; work[2 nv]. */
nt_status nt_momenta_vary_inertia(nt_stepper *stepper, const nt_directions *directions,
                                  const nt_point *at, double *work, double *dJ);
static inline m3 nt_varied_inertia(const nt_problem *problem, const double *dJ, int direction,
                                   int rotation)
{
    size_t n = (size_t)problem->space.n_rotations;
    return m3_load(dJ + 9 * ((size_t)direction * n + (size_t)rotation));
}

/* Variations of a push M a = f(q, v + h a, t): z[count][n] from dq and dv, at a point whose v is
 * v + h a and whose vdot is a. dq, dv: of the first direction, the others a stride apart. */
nt_status nt_push_vary(nt_stepper *stepper, const nt_point *at, double h,
                       const nt_directions *directions, const double *dq, const double *dv,
                       double *z);

/* J (vdot - a) = -W x J W differentiated at a phase whose push is a:
 *
 *   out = from + sign J^-1 (dW x J W + W x (J dW + dJ W) + dJ (vdot - a)),
 *
 * dvdot from da with sign = -1, da from dvdot with 1. out may be from. */
void nt_momenta_vary_acceleration(const nt_problem *problem, const double *dJ, int direction,
                                  double sign, const nt_phase *at, const double *a,
                                  const double *dv, const double *from, double *out);

#endif
