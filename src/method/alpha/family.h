/* The generalized-alpha family: its options and coefficients.
 *
 *   Chung & Hulbert 1993; Arnold & Bruls 2007; Bruls & Eberhard 2008, section 5
 *
 * Every form has an increment x of the configuration over the step (h Dq, or local parameters), its
 * rate x' and acceleration x'', and
 *
 *   x   = h x'_n + h^2 (1/2 - beta) a_n + h^2 beta a_1
 *   x'  = x'_n + h (1 - gamma) a_n + h gamma a_1
 *   a_1 = a + (1 - alpha_f)/(1 - alpha_m) x''
 *
 * with a known, so that increments of the three are tied by Dx' = gamma' Dx, Dx'' = beta' Dx with
 *
 *   beta' = (1 - alpha_m)/(h^2 beta (1 - alpha_f)),   gamma' = gamma/(h beta).
 *
 * With beta = 0 (gamma = 1/2 is Stormer's method) x follows from what is known, and x'' is the
 * unknown: then gamma' = gamma h, beta' = (1 - alpha_m)/(1 - alpha_f), and Dx gets the factor
 * `position` = 0 instead of 1. */
#ifndef NUTATE_METHOD_ALPHA_FAMILY_H
#define NUTATE_METHOD_ALPHA_FAMILY_H

#include "method/options.h"
#include "system/problem.h"

/* ---- options -------------------------------------------------------------------------------- */

/* Rows of a method's table; those of Newton's iteration (newton.h) besides. */
/* clang-format off */
#define NT_FAMILY_OPTION_KEYS                                                                      \
    {"rho_inf", NT_REAL, (double)NAN, 0, 1, "", NULL,                        \
        "spectral radius at infinite frequency, 1: no damping (Chung & Hulbert); 0.8 where "       \
        "no family is named"},                                                                     \
    {"newmark", NT_REAL, (double)NAN, 0.5, 1, "", NULL,                      \
        "Newmark's gamma with beta = (gamma + 1/2)^2/4; 0.5 is the trapezoidal rule"},             \
    {"beta", NT_REAL, (double)NAN, 0, 1, "", NULL,                              \
        "another beta for newmark; 0: positions explicit (with newmark 0.5 Stormer's method), "    \
        "for systems without holonomic constraints"},                                              \
    {"hht", NT_REAL, (double)NAN, -1.0 / 3, 0, "", NULL,                         \
        "alpha of Hilber, Hughes & Taylor; 0 is the trapezoidal rule"}
/* clang-format on */

/* Options that exclude each other or that the system cannot follow: NT_INVALID or NT_UNSUPPORTED
 * and a message. */
nt_status nt_family_check(const nt_problem *problem, const nt_options *option, nt_error *error);

/* ---- coefficients --------------------------------------------------------------------------- */

typedef struct nt_family {
    double alpha_m, alpha_f, beta, gamma;
    double share; /* (1 - alpha_f)/(1 - alpha_m) */
    /* of a step h, see above */
    double h, scale, position, gamma_prime, beta_prime;
} nt_family;

nt_family nt_family_of_step(const nt_options *options, double h);
/* Changes the coefficients to those of another step, with the options as they were. */
void nt_family_set_step(nt_family *family, double h);

#endif
