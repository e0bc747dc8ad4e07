/* Newton's iteration of a step: what the forms of generalized-alpha and the splitting methods
 * share. A method supplies its coefficients, in the words of the family (alpha/family.h), and the
 * equations of its step.
 *
 *   scaling: Bottasso, Dopico & Trainelli 2008; norm: Arnold & Hante 2017
 *
 * The unknown is the increment e = T Dx of the configuration in the frame of increments, and the
 * multipliers. Force rows are multiplied by s = beta h^2 and multipliers divided by it, which makes
 * the matrix independent of h to leading order:
 *
 *   [ s (beta' M Y + gamma' C X + K)   R_lambda ] [     e     ]     [ s R ]
 *   [ Phi_q                               0     ] [ s Dlambda ] = - [ Phi ]
 *
 * X and Y map e to its share in v and vdot; they are the form's. With beta = 0 the same formulas
 * hold with s = 1, and K gets the factor `position` = 0. */
#ifndef NUTATE_METHOD_NEWTON_H
#define NUTATE_METHOD_NEWTON_H

#include "method/alpha/family.h"
#include "method/method.h"

#include <math.h>

/* What reuse_tangent says. An integrator decides what `auto` is: methods see one of the others. */
enum { NT_REUSE_NEVER, NT_REUSE_ALWAYS, NT_REUSE_AUTO };
extern const char *const nt_reuse_words[];

/* Rows of a method's table of options. */
/* clang-format off */
#define NT_NEWTON_OPTION_KEYS                                                                      \
    {"tolerance_length", NT_REAL, 1e-10, 1e-300, 1, "m", NULL,      \
        "absolute tolerance of positions and of constraints on lengths"},                          \
    {"tolerance_angle", NT_REAL, 1e-10, 1e-300, 1, "rad", NULL,      \
        "absolute tolerance of rotations and of constraints on angles"},                           \
    {"tolerance_force", NT_REAL, 1e-8, 1e-300, 1e300, "N", NULL,     \
        "absolute tolerance of forces: residuals and multipliers"},                                \
    {"tolerance_moment", NT_REAL, 1e-8, 1e-300, 1e300, "N m", NULL, \
        "absolute tolerance of moments: residuals and multipliers"},                               \
    {"tolerance_relative", NT_REAL, 1e-8, 1e-14, 1e-2, "", NULL,  \
        "relative to the increment of the step, to the largest force and to the largest moment"},  \
    {"max_iterations", NT_INTEGER, 12, 1, 1000, "", NULL,             \
        "Newton iterations before a step is rejected"},                                            \
    {"reuse_tangent", NT_CHOICE, NT_REUSE_AUTO, 0, 2, "", nt_reuse_words,                          \
        "keep the factorised tangent, turned with the bodies, while the iteration contracts fast " \
        "enough; auto: in models with beams"},                                                     \
    {"extra_iterations", NT_INTEGER, 0, 0, 10, "", NULL,                                           \
        "Newton iterations after convergence: down to rounding, for runs that are compared"}
/* clang-format on */

/* The tangent (see above) at a point into the stepper's matrix, for linearised steps. */
nt_status nt_newton_tangent(nt_stepper *s, const nt_family *c, const nt_point *at,
                            const double *map, const double *map_mass);

/* Arrays of a step in the method's scratch; n = nv + nc unknowns, r = space.n_rotations. */
typedef struct nt_newton {
    nt_family c;
    double *increment;     /* [nv] x */
    double *rate;          /* [nv] x'                                        */
    double *acceleration;  /* [nv] x''                                       */
    double *a;             /* [nv] a_1 without its share of x'', in `next`   */
    double *residual;      /* [n] R and constraint rows                      */
    double *z;             /* [n] scaled right-hand side, then (Dx, Dlambda) */
    double *per_increment; /* [n] reciprocal tolerances                      */
    double *per_residual;  /* [n] the same of R and rows                     */
    double *T_inverse; /* [r][9] Dx = T^-1 e; [r][36] of rigid motions                            */
    bool leaves_tangent; /* a converged step leaves its tangent to sensitivities: has_tangent */
    /* Computes q of `next` from x, of blocks [from, to), in methods whose equations hold at that
     * very point: each correction ends with it. With kept factors a step may then end without
     * evaluating the equations once more. NULL: they are evaluated at the end of every step. */
    void (*place)(const nt_stepper *s, const struct nt_newton *w, int from, int to);
} nt_newton;

/* Doubles of scratch for the arrays, and the arrays with rate and acceleration those of `next`, for
 * a step with these coefficients; returns where the scratch after them begins. */
size_t nt_newton_size(const nt_problem *problem);
double *nt_newton_bind(nt_newton *newton, const nt_stepper *s, const nt_family *c);

/* a, x, x' from v_n, vdot_n, a_n (the first nv of the method's memory) and the guess that x''
 * holds; multipliers and discrete memory of `next` start from those of `now`. With the recursion
 * a = (alpha_f vdot_n - alpha_m a_n)/(1 - alpha_m), without it a = 0. NT_NOT_CONVERGED when a body
 * turns by more than 6 rad. */
nt_status nt_newton_predict(nt_stepper *s, const nt_newton *w, bool recursion);

/* Refuses a step that turns a body by more than 6 rad: NT_NOT_CONVERGED, and which. */
nt_status nt_newton_check_turn(nt_stepper *s, const nt_newton *w);

/* The equations at x, x', x'' and the multipliers of `next`: fills q, v, vdot of `next`, T_inverse
 * when wanted, the residual and the tangent into a matrix, where one is given. */
typedef nt_status nt_newton_equations(nt_stepper *s, const nt_newton *w, nt_matrix *tangent);

/* Every set of equations ends with this call. It evaluates R and the rows at the point `next`, and
 * the tangent with X = map and Y = map_mass. */
nt_status nt_newton_evaluate(nt_stepper *s, const nt_newton *w, const double *map,
                             const double *map_mass, nt_matrix *tangent);

/* Whether this call of the equations has to fill T_inverse. */
static inline bool nt_newton_needs_maps(const nt_stepper *s, const nt_matrix *tangent)
{
    return tangent || nt_options_get(s->options, NT_OPTION_REUSE_TANGENT) != 0;
}

/* One correction: (e, s Dlambda) from the tangent, which is cleared, or NULL: from the factors at
 * hand; then x, x', x'' and the multipliers of `next`. What was solved for is left in z. */
typedef nt_status nt_newton_correction(nt_stepper *s, const nt_newton *w, nt_matrix *tangent);

/* Equations and corrections in turn, until increments and residual are below their tolerances. */
nt_status nt_newton_iterate(nt_stepper *s, const nt_newton *w, nt_newton_equations *equations,
                            nt_newton_correction *correct);

/* The correction itself: Dx = T^-1 e,  x += Dx,  x' += gamma' Dx,  x'' += beta' Dx,
 * lambda += Dlambda. */
nt_newton_correction nt_newton_correct;

/* max |x_i| weight_i, not finite when an x is not */
double nt_newton_worst_ratio(const double *x, const double *weight, int n);
/* Reports the unknown with the worst ratio; returns status. */
nt_status nt_newton_fail(nt_stepper *s, nt_status status, const double *x, const double *weight,
                         double worst);

/* a_1 into the first nv of the method's memory of `next`. */
void nt_newton_finish(const nt_stepper *s, const nt_newton *w);

#endif
