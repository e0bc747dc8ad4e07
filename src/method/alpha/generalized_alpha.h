/* Generalized-alpha on Lie groups: what the step and its derivative share. */
#ifndef NUTATE_METHOD_GENERALIZED_ALPHA_H
#define NUTATE_METHOD_GENERALIZED_ALPHA_H

#include "method/newton.h"

/* Whether M and C are those of rigid bodies and nothing else: then their products need no tangent.
 */
static inline bool nt_generalized_alpha_is_rigid(const nt_problem *p)
{
    unsigned promised = NT_HAS_MOMENTA | NT_POSITION_FORCES;
    return p->frame != NT_SE3 && p->nn == 0 && p->system->momenta &&
           (p->system->capabilities & promised) == promised;
}

/* sizes->linear, linear_each and fours */
void nt_generalized_alpha_linear_layout(const nt_problem *problem, const nt_options *option,
                                        nt_layout *sizes);

/* The descriptor's `linearise`. */
nt_status nt_generalized_alpha_linearise(nt_stepper *stepper, double h,
                                         const nt_directions *directions, const double *before,
                                         double *after);

/* ---- the linearised step, see generalized_alpha_linearise.c --------------------------------- */

/* Matrices of the torques of four rigid bodies, rotations 4 g to 4 g + 3, number by number: loops
 * over bodies become vector instructions. */
typedef struct nt_generalized_alpha_torques {
    double of_y[9][4], of_v[9][4]; /* -(beta' M + gamma' C) and C */
} nt_generalized_alpha_torques;

/* Scratch. Directions that are treated at once: `count`; of four side by side each number of y and
 * c_v is there four times, and z is where q and the multipliers are in `after`. */
typedef struct nt_generalized_alpha_linear {
    double *x;                             /* [nv] h Dq                   */
    double *T, *T_inverse;                 /* [r][9]; rows of T^-1 are columns of T^-T. NT_SE3:
                                              [r][36] */
    nt_generalized_alpha_torques *torques; /* [(r + 3)/4]  */
    double *mass;                          /* [nv] s beta' m of a rigid system, 0 for rotations */
    double *y, *c_v;                       /* [count][nv]                 */
    double *z;                             /* [count][n]; of four side by side R_p and rows_p */
    double *one; /* [2][stride] before and after, of one from among four */
} nt_generalized_alpha_linear;

/* Of the four directions of a group, rigid bodies, from R_p and rows_p in z: the right-hand sides
 * and the known parts of da_1 into `to`; then all of it from the solutions there. */
void nt_generalized_alpha_known_beside(const nt_problem *problem, const nt_family *c,
                                       const nt_generalized_alpha_linear *l,
                                       const nt_const_variation *from, const nt_variation *to);
void nt_generalized_alpha_take_beside(const nt_problem *problem, const nt_family *c,
                                      const nt_generalized_alpha_linear *l, const nt_variation *to);

#endif
