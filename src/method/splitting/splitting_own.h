/* What a splitting method keeps beside the state: the division of the system into blocks that
 * explicit forces alone act on, each solved for by itself, and the rest, whose equations are a
 * problem of their own for Newton's iteration.
 *
 * A block is alone where the system says so (nt_system.explicit_blocks) and its mass matrix does
 * not change: R^n and translations, rotations in the body frame, and rotations whose inertia is
 * the same about every axis. Its equation is then
 *
 *   (M + h/2 D) a = A + h/2 D a_p,      D = -dA/dv of the block alone, zero in the first-order
 *                                       methods
 *
 * and neither the middle point of the step nor an iteration enters. Other bodies that explicit
 * forces alone act on, or besides the rows that give their rotation, are found one by one too, by
 * the equations of the rest (splitting_apart.c). Internal. */
#ifndef NUTATE_METHOD_SPLITTING_OWN_H
#define NUTATE_METHOD_SPLITTING_OWN_H

#include "method/splitting/splitting.h"

/* Entries of a block whose damping is taken into account; larger ones go without. */
enum { NT_SPLITTING_DAMPED = 6 };

/* Stable h times the rate of damping, of first and of second order. */
static const double NT_SPLITTING_DAMPED_FIRST = 2, NT_SPLITTING_DAMPED_SECOND = 4.0 / 7;

/* h times the rate of one contact's friction on a block that is alone, below which
 * `semi-explicit-2` leaves no friction swinging. With h/2 D, D the tangent of a saturating law eps
 * f(w/eps) of rate R,
 *
 *   a = a_p - (R eps f(w_p/eps) + a_p)/(1 + h/2 R f'(w_p/eps)),    w_p = w + h/2 a_p,
 *
 * any small w decays; but from h R = 2.2 on there is a cycle, w = +-h R eps/2 in turn, in which a_p
 * leads to where f' is small. A ball between two races has 10/7 of the rate of either. */
static const double NT_SPLITTING_TURNS = 1.5;

/* Stable h times the frequency of an oscillation, of second order. */
static const double NT_SPLITTING_SWINGS_SECOND = 1.2;

/* Up to four rigid bodies in a row that are alone, the last of them repeated: where the numbers of
 * each stand, h/2 D in four blocks of 3 x 3, and their velocities. */
enum { NT_SPLITTING_LANES = 4 };
typedef struct nt_splitting_group {
    const double *D[4][NT_SPLITTING_LANES], *J[NT_SPLITTING_LANES], *mass[NT_SPLITTING_LANES];
    int v[NT_SPLITTING_LANES], first, n;
} nt_splitting_group;

/* Part of a copy between an array of the problem and one of the rest. */
typedef struct nt_splitting_span {
    int whole, part, count;
} nt_splitting_span;

typedef struct nt_splitting_own {
    const nt_problem *whole;
    nt_arena arena;
    int n_alone, n_apart;
    int *alone; /* [n_alone] blocks of the space                                             */
    int *apart; /* [n_apart] others that explicit forces act on, see splitting_apart.c       */
    bool gives; /* the rows of those whose rotation is given are all rows that there are       */
    unsigned char *left_out; /* [space.n_blocks] which of both the rest's forces do not look at */
    int *colour; /* [n_alone] different where two of them act on each other                   */
    int n_colours;
    int *entries;   /* [n_alone][36] where D of a block is in a matrix' values, -1: it has none  */
    bool *in_parts; /* [n_alone] rigid bodies whose 36 entries are four blocks of 3 x 3         */
    nt_splitting_group *groups; /* of these, in their order                                     */
    int n_groups;
    nt_matrix damping; /* of the problem's pattern, where the method wants D; else no values   */
    nt_matrix tangent; /* likewise, where it wants eigenvalues                                 */

    /* The rest. Arrays of the whole hold the blocks that are alone too, as they are at `now`. */
    nt_problem *problem; /* NULL: all is alone, or nothing */
    nt_factors *factors;
    nt_system system;
    nt_pattern pattern;
    nt_splitting_span *q, *v, *map, *values; /* values: of matrices                     */
    nt_splitting_span *masses;               /* the same of blocks that are alone       */
    int n_q, n_v, n_map, n_values, n_masses;
    double *whole_q, *whole_v, *whole_vdot, *whole_residual, *whole_map;
    nt_matrix matrix; /* of the problem's pattern */
    nt_phase now, next;
    double *scratch, *force;
} nt_splitting_own;

/* The division that a problem has; NULL, and NT_OK, where nothing is alone. */
nt_status nt_splitting_own_create(nt_splitting_own **own, const nt_stepper *s,
                                  const nt_splitting *c);
void nt_splitting_own_destroy(nt_splitting_own *own);

/* a[nv] of the blocks that are alone. explicit[nv] is -A; with D, `damping` holds h/2 D and a_p[nv]
 * is the acceleration that A was taken with, else a_p is NULL. NT_SINGULAR. */
nt_status nt_splitting_solve_alone(const nt_splitting_own *own, const double *explicit,
                                   const double *a_p, double *a);

/* Whether an inertia, [3][3], is the same about every axis, so that it does not turn with the body.
 */
bool nt_splitting_is_spherical(const double *J);
/* own->damping becomes zero wherever it is looked at. */
void nt_splitting_clear_damping(const nt_splitting_own *own);
/* Entries of block k that are damped, where it has this colour; else 0. */
int nt_splitting_damped(const nt_splitting_own *own, int k, int colour);
/* h/2 D of block k, which is in own->damping, into a matrix; factor times its product with x[nv]
 * into y[nv]. */
void nt_splitting_add_damping(const nt_splitting_own *own, int k, const nt_matrix *matrix);
void nt_splitting_apply_damping(const nt_splitting_own *own, int k, double factor, const double *x,
                                double *y);

/* Whether a block may be one of own->apart; a step of these: a, a~, v1, and into x[nv] how they
 * move. NT_SINGULAR, NT_NOT_CONVERGED, NT_NOT_FINITE. */
bool nt_splitting_may_be_apart(const nt_problem *problem, const nt_splitting *c, int block);
nt_status nt_splitting_step_apart(nt_stepper *s, const nt_splitting *c, double h,
                                  const nt_splitting_own *own, const double *explicit, double *x);

/* The rest of a step as a step of its own, with the rows in use and the factors that are kept;
 * `force` becomes its share of explicit[nv]. Multipliers and the system's memory are the whole's.
 */
nt_status nt_splitting_rest_begin(nt_splitting_own *own, const nt_stepper *s,
                                  const double *explicit, nt_stepper *rest);
/* Puts the end of the rest's step into `next` of the whole, with its report. made: it factorised.
 */
void nt_splitting_rest_end(const nt_splitting_own *own, nt_stepper *s, const nt_stepper *rest,
                           bool made);

/* An array of the whole from part[] of the rest. */
void nt_splitting_scatter(const nt_splitting_span *span, int n, const double *part, double *whole);

#endif
