/* One-step methods with forces in two parts: A, taken once and explicitly, and B, implicit at a
 * point between the ends of the step. The semi-explicit method and the theta method are members.
 *
 *   Modin, Fritzson & Fuehrer 2007, (5), (6)
 *
 * Symbols: q, v; a the acceleration over the step; m the middle point, beta of the way:
 *
 *   q1 = q0 o exp(x),  x = h v0 + sigma h^2 a,    v1 = v0 + h a,
 *   q_m = q0 o exp(beta x),  v_m = v0 + beta h a,
 *   M(q_m) a = A(q0 o exp(alpha h v0), v0, t0 + alpha h) + B(q_m, v_m, t0 + beta h) +
 * reactions(q_m).
 *
 * On R^n q_m = (1 - beta) q0 + beta q1 is the paper's. Holonomic constraints go beyond the paper:
 * reactions take the place of stiff penalties, A stays explicit, and the constraints hold exactly,
 * in two stages as in the stabilised index-2 method. The first finds (a~, lambda~) with Phi(q1) = 0
 * and gives q1 and q_m; the second (a, lambda) with dPhi/dt(q1, v1) = 0 and gives v1: positions and
 * velocities are on the constraints to rounding after every step. Without constraints the second
 * equation is the first, and is not solved again. */
#ifndef NUTATE_METHOD_SPLITTING_H
#define NUTATE_METHOD_SPLITTING_H

#include "method/family.h"

typedef struct nt_splitting {
    double alpha, beta, sigma;
    unsigned explicit_parts, implicit_parts; /* A's and B's share of R              */
    bool measures;                           /* sigma_A, the stiffness of A, for step sizes */
} nt_splitting;

/* Sizes of a step's memory and scratch, and of its derivative's. */
void nt_splitting_layout(const nt_problem *problem, nt_layout *sizes);

nt_status nt_splitting_start(nt_stepper *s);
nt_status nt_splitting_step(nt_stepper *s, const nt_splitting *c, double h);

/* Local error of the step, for methods of first order: the change of the acceleration since the
 * step before, as h^2/2 da/dt and h^3/4 da/dt. */
nt_status nt_splitting_error(nt_stepper *s, double h, double *estimate);

/* |A(q + alpha h v) - A(q)|/(alpha h |v|) of the last step, 1/s^2 (15); A as an acceleration. */
double nt_splitting_stiffness(const nt_stepper *s);

nt_status nt_splitting_linearise(nt_stepper *s, const nt_splitting *c, double h,
                                 const nt_directions *directions, const double *before,
                                 double *after);

#endif
