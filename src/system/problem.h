/* A system as a method works on it: in a chosen frame, with a block graph, a solver and the choice
 * of independent constraint rows. Internal to the system layer and above. */
#ifndef NUTATE_SYSTEM_PROBLEM_H
#define NUTATE_SYSTEM_PROBLEM_H

#include "base/arena.h"
#include "base/vector3.h"

#include <nutate/system.h>
#include <stdbool.h>

typedef struct nt_problem {
    const nt_system *system;
    nt_frame frame; /* of v, increments and moment rows here */
    nt_space space;
    int nq, nv, nh, nn, nc, n; /* nc = nh + nn, n = nv + nc */
    const nt_pattern *pattern;
    nt_quantity *quantity; /* [n] of the unknowns (v, lambda, mu) and so of the equations */
    int *diagonal;         /* [nv] where the diagonal entry of each v unknown is in matrix.values */

    nt_matrix matrix; /* shared by everything that factorises; see `factored_for` */
    nt_solver *solver;
    const void *factored_for; /* who made the factors that the solver holds; NULL for nobody */

    int *dropped; /* [n_dropped] unknowns (>= nv) of rows that depend on the others */
    int n_dropped;
    unsigned char *mark; /* [n] */
    int *fixed;          /* [n] scratch of nt_problem_project */
    bool holonomic_only; /* nt_problem_project leaves the rows of kappa out */
    double length;       /* m, weighs moments against forces */

    /* the adapter's work; see adapter.c */
    struct nt_adapter *adapter;
    double *work; /* [n] */
    nt_arena arena;
    nt_pattern own_pattern;
} nt_problem;

/* Bind a system. Everything is allocated here. */
nt_status nt_problem_create(nt_problem **problem, const nt_system *system, nt_frame frame,
                            nt_solver_kind solver, nt_error *error);
void nt_problem_destroy(nt_problem *problem);

/* system->evaluate in the problem's frame: v, vdot, moment rows, map and increments are all in it.
 * Where the frames differ the residual is always computed (its rotation enters the tangent). */
nt_status nt_problem_evaluate(nt_problem *problem, const nt_point *at, const nt_terms *terms);

/* system->parameter_tangent in the problem's frame; NT_UNSUPPORTED where there is none. */
nt_status nt_problem_parameter_tangent(nt_problem *problem, const nt_point *at, int k,
                                       const nt_terms *terms);

/* Words for entry i of v; those of its equation where the system has no others. */
void nt_problem_coordinate_name(const nt_problem *problem, int i, char *text, int size);
/* Words for equation i: of motion, then of constraints. */
void nt_problem_equation_name(const nt_problem *problem, int i, char *text, int size);

/* Choose independent constraint rows at a point: fills dropped. */
nt_status nt_problem_choose_rows(nt_problem *problem, const nt_point *at);

/* Exchange rows that are left out against others in use, of the same kind of constraint, where
 * their dependence has become weak: they follow from the others by large coefficients alone, with
 * which rounding is multiplied. On failure the choice is void. */
nt_status nt_problem_exchange_rows(nt_problem *problem, const nt_point *at, bool *changed);

/* Accelerations and multipliers at (t, q, v): R = 0 and the second derivatives of the constraints,
 * by the system's tangent, or by its momenta where it has these alone and no constraints;
 * vdot[nv], lambda[nh], mu[nn] hold a guess on entry. Chooses the rows first. */
nt_status nt_problem_accelerations(nt_problem *problem, const nt_point *at, double *vdot,
                                   double *lambda, double *mu, nt_error *error);

/* The matrix of these equations at a point, factorised; the rows chosen stay. */
nt_status nt_problem_factor_accelerations(nt_problem *problem, const nt_point *at);

/* What solving cost, added up; and where it failed. */
typedef struct nt_effort {
    long evaluations, factorisations, solves, iterations;
    int unknown;  /* whose residual was worst, -1: not known */
    double worst; /* and its size, in units of what is allowed */
    double drift; /* largest |Phi| that nt_problem_settle left */
} nt_effort;

/* The same with the rows in use and no allocation, for every stage of an explicit method; vdot,
 * lambda, mu are a guess on entry. The solver keeps the factors of [M R_lambda; G 0]. */
nt_status nt_problem_accelerate(nt_problem *problem, const nt_point *at, double *vdot,
                                double *lambda, double *mu, nt_effort *effort);

/* The same at a point near by, from what nt_problem_accelerate gave, with its factors: iterations
 * that gain the distance, until rounding; anew where they gain too little. */
nt_status nt_problem_reaccelerate(nt_problem *problem, const nt_point *at, double *vdot,
                                  double *lambda, double *mu, nt_effort *effort);

/* Bring the end of a step onto the constraints: x[nv] with q = q0 o exp(x) onto Phi = 0, then v
 * onto dPhi/dt = 0 and kappa = 0, to rounding; q = at->q and v = at->v are changed. Right after
 * nt_problem_accelerate near by, whose factors it uses. NT_NOT_CONVERGED: also where a row that was
 * left out is not met. */
nt_status nt_problem_settle(nt_problem *problem, const nt_point *at, const double *q0, double *x,
                            double *q, double *v, nt_effort *effort);

/* The velocity of a point off a body's reference point is held: dv = dw x arm, arm from the point
 * to the reference. translation, rotation: their first entries in v. */
typedef struct nt_tie {
    int translation, rotation;
    v3 arm;
} nt_tie;

/* A smallest change. Zero is a sensible value for every field but rhs. */
typedef struct nt_projection {
    bool kinetic; /* in kinetic energy, else in |translation|^2 + length^2 |rotation|^2 */
    const unsigned char *fixed; /* [nv] set: stays zero; NULL: none */
    const nt_tie *ties;         /* [n_ties] these stay zero but for what the tie says; the change is
                                   kinetic then, and it is the energy of v + dv that is least      */
    int n_ties;
    const double *light;  /* [nv] every entry is measured times this, alike for all entries of an
                             NT_SCALED block; NULL: 1                                            */
    const double *offset; /* [nv] it is offset + dv that is smallest; NULL: zero. Without ties */
    const double *rhs; /* [nc]                                                                  */
} nt_projection;

/* The smallest dv[nv] with G dv = rhs, G the velocity-level constraint matrix at a point. Rows that
 * depend on others are left out, so a contradiction shows only when the rows are evaluated again.
 */
nt_status nt_problem_project(nt_problem *problem, const nt_point *at,
                             const nt_projection *projection, double *dv);

/* Relative difference between tangent and central differences; see nt_system_check_tangent. */
nt_status nt_problem_check_tangent(nt_problem *problem, const nt_point *at, double step,
                                   double *difference, nt_error *error);

/* Weight of an unknown in norms that mix lengths and angles: 1 or length. */
static inline double nt_problem_weight(const nt_problem *problem, int unknown)
{
    return problem->quantity[unknown] == NT_ANGLE ? problem->length : 1;
}

#endif
