/* What the forms of generalized-alpha share: the family's coefficients and options, the predictor,
 * the Newton iteration and its test of convergence. A form supplies the equations of its step.
 *
 *   Chung & Hulbert 1993; Arnold & Bruls 2007; Bruls & Eberhard 2008, section 5
 *   scaling: Bottasso, Dopico & Trainelli 2008; norm: Arnold & Hante 2017
 *
 * Every form has an increment x of the configuration over the step (h Dq, or local parameters), its
 * rate x' and acceleration x'', and
 *
 *   x   = h x'_n + h^2 (1/2 - beta) a_n + h^2 beta a_1
 *   x'  = x'_n + h (1 - gamma) a_n + h gamma a_1
 *   a_1 = a + (1 - alpha_f)/(1 - alpha_m) x''
 *
 * with a known, so that Newton's increments are Dx' = gamma' Dx, Dx'' = beta' Dx with
 *
 *   beta' = (1 - alpha_m)/(h^2 beta (1 - alpha_f)),   gamma' = gamma/(h beta).
 *
 * The unknown is the increment e = T Dx of the configuration in the frame of increments, and the
 * multipliers. Force rows are multiplied by s = beta h^2 and multipliers divided by it, which makes
 * the matrix independent of h to leading order:
 *
 *   [ s (beta' M Y + gamma' C X + K)   R_lambda ] [     e     ]     [ s R ]
 *   [ Phi_q                               0     ] [ s Dlambda ] = - [ Phi ]
 *
 * X and Y map e to its share in v and vdot; they are the form's.
 *
 * With beta = 0 (gamma = 1/2 is Stormer's method) x follows from what is known, and x'' is the
 * unknown: in the same formulas s = 1, gamma' = gamma h, beta' = (1 - alpha_m)/(1 - alpha_f), and
 * K and Dx get the factor `position` = 0 instead of 1. */
#ifndef NUTATE_METHOD_FAMILY_H
#define NUTATE_METHOD_FAMILY_H

#include "method/method.h"

#include <math.h>

/* ---- options -------------------------------------------------------------------------------- */

/* The first options of every method with this Newton iteration, in this order; the family's after
 * them. */
enum {
    NT_FAMILY_TOLERANCE_LENGTH,
    NT_FAMILY_TOLERANCE_ANGLE,
    NT_FAMILY_TOLERANCE_FORCE,
    NT_FAMILY_TOLERANCE_MOMENT,
    NT_FAMILY_TOLERANCE_RELATIVE,
    NT_FAMILY_MAX_ITERATIONS,
    NT_FAMILY_REUSE_TANGENT,
    NT_FAMILY_EXTRA_ITERATIONS,
    NT_NEWTON_OPTIONS,
    NT_FAMILY_RHO_INF = NT_NEWTON_OPTIONS,
    NT_FAMILY_NEWMARK,
    NT_FAMILY_BETA,
    NT_FAMILY_HHT,
    NT_FAMILY_OPTIONS
};

/* The rows of the table for them. */
/* clang-format off */
#define NT_NEWTON_OPTION_KEYS                                                                      \
    [NT_FAMILY_TOLERANCE_LENGTH] = {"tolerance_length", NT_REAL, 1e-10, 1e-300, 1, "m", NULL,      \
        "absolute tolerance of positions and of constraints on lengths"},                          \
    [NT_FAMILY_TOLERANCE_ANGLE] = {"tolerance_angle", NT_REAL, 1e-10, 1e-300, 1, "rad", NULL,      \
        "absolute tolerance of rotations and of constraints on angles"},                           \
    [NT_FAMILY_TOLERANCE_FORCE] = {"tolerance_force", NT_REAL, 1e-8, 1e-300, 1e300, "N", NULL,     \
        "absolute tolerance of forces: residuals and multipliers"},                                \
    [NT_FAMILY_TOLERANCE_MOMENT] = {"tolerance_moment", NT_REAL, 1e-8, 1e-300, 1e300, "N m", NULL, \
        "absolute tolerance of moments: residuals and multipliers"},                               \
    [NT_FAMILY_TOLERANCE_RELATIVE] = {"tolerance_relative", NT_REAL, 1e-8, 1e-14, 1e-2, "", NULL,  \
        "relative to the increment of the step, to the largest force and to the largest moment"},  \
    [NT_FAMILY_MAX_ITERATIONS] = {"max_iterations", NT_INTEGER, 12, 1, 1000, "", NULL,             \
        "Newton iterations before a step is rejected"},                                            \
    [NT_FAMILY_REUSE_TANGENT] = {"reuse_tangent", NT_BOOLEAN, 0, 0, 1, "", NULL,                   \
        "keep the factorised tangent while the iteration contracts fast enough"},                  \
    [NT_FAMILY_EXTRA_ITERATIONS] = {"extra_iterations", NT_INTEGER, 0, 0, 10, "", NULL,            \
        "Newton iterations after convergence: down to rounding, for runs that are compared"}

#define NT_FAMILY_OPTION_KEYS                                                                      \
    NT_NEWTON_OPTION_KEYS,                                                                         \
    [NT_FAMILY_RHO_INF] = {"rho_inf", NT_REAL, (double)NAN, 0, 1, "", NULL,                        \
        "spectral radius at infinite frequency, 1: no damping (Chung & Hulbert); 0.8 where "       \
        "no family is named"},                                                                     \
    [NT_FAMILY_NEWMARK] = {"newmark", NT_REAL, (double)NAN, 0.5, 1, "", NULL,                      \
        "Newmark's gamma with beta = (gamma + 1/2)^2/4; 0.5 is the trapezoidal rule"},             \
    [NT_FAMILY_BETA] = {"beta", NT_REAL, (double)NAN, 0, 1, "", NULL,                              \
        "another beta for newmark; 0: positions explicit (with newmark 0.5 Stormer's method), "    \
        "for systems without holonomic constraints"},                                              \
    [NT_FAMILY_HHT] = {"hht", NT_REAL, (double)NAN, -1.0 / 3, 0, "", NULL,                         \
        "alpha of Hilber, Hughes & Taylor; 0 is the trapezoidal rule"}
/* clang-format on */

/* Options that exclude each other or that the system cannot follow: NT_INVALID or NT_UNSUPPORTED
 * and a message. */
nt_status nt_family_check(const nt_problem *problem, const double *option, nt_error *error);

/* ---- coefficients --------------------------------------------------------------------------- */

typedef struct nt_family {
    double alpha_m, alpha_f, beta, gamma;
    double share; /* (1 - alpha_f)/(1 - alpha_m) */
    /* of a step h, see above */
    double h, scale, position, gamma_prime, beta_prime;
} nt_family;

nt_family nt_family_of_step(const double *option, double h);

/* The tangent (see above) at a point into the problem's matrix; the same, and factorised: for
 * linearised steps. */
nt_status nt_family_tangent(nt_stepper *s, const nt_family *c, const nt_point *at,
                            const double *map, const double *map_mass);
nt_status nt_family_factor(nt_stepper *s, const nt_family *c, const nt_point *at, const double *map,
                           const double *map_mass);

/* ---- the step's Newton iteration ------------------------------------------------------------ */

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
    double *T_inverse;     /* [r][9] Dx = T^-1 e                             */
    bool keeps_tangent;    /* end with the tangent in the problem's matrix: see has_tangent */
} nt_newton;

/* Doubles of scratch for the arrays, and the arrays with rate and acceleration those of
 * `next`; returns where the scratch after them begins. */
size_t nt_newton_size(const nt_problem *problem);
double *nt_newton_bind(nt_newton *newton, const nt_stepper *s, double h);

/* a, x, x' from v_n, vdot_n, a_n (the first nv of the method's memory) and the guess that x''
 * holds; multipliers and discrete memory of `next` start from those of `now`. With the recursion
 * a = (alpha_f vdot_n - alpha_m a_n)/(1 - alpha_m), without it a = 0. NT_NOT_CONVERGED when a body
 * turns by more than 6 rad. */
nt_status nt_newton_predict(nt_stepper *s, const nt_newton *w, bool recursion);

/* Its last part. */
nt_status nt_newton_check_turn(nt_stepper *s, const nt_newton *w);

/* The equations at x, x', x'' and the multipliers of `next`: fills q, v, vdot of `next`, T_inverse
 * when wanted, the residual and, with `tangent`, the problem's matrix. */
typedef nt_status nt_newton_equations(nt_stepper *s, const nt_newton *w, bool tangent);

/* Its last part: R and rows at the point `next`, and the tangent with X = map, Y = map_mass. */
nt_status nt_newton_evaluate(nt_stepper *s, const nt_newton *w, const double *map,
                             const double *map_mass, bool tangent);

/* Is T_inverse wanted in this call of the equations? */
static inline bool nt_newton_needs_maps(const nt_stepper *s, bool tangent)
{
    return tangent || s->options[NT_FAMILY_REUSE_TANGENT] != 0;
}

/* Iterate to convergence. */
nt_status nt_newton_iterate(nt_stepper *s, const nt_newton *w, nt_newton_equations *equations);

/* Parts of it. Solve for (e, s Dlambda) with the factors at hand and update x, x', x'', lambda. */
nt_status nt_newton_correct(nt_stepper *s, const nt_newton *w);
/* max |x_i| weight_i, not finite when an x is not */
double nt_newton_worst_ratio(const double *x, const double *weight, int n);
/* Reports the unknown with the worst ratio; returns status. */
nt_status nt_newton_fail(nt_stepper *s, nt_status status, const double *x, const double *weight,
                         double worst);

/* a_1 into the first nv of the method's memory of `next`. */
void nt_newton_finish(const nt_stepper *s, const nt_newton *w);

#endif
