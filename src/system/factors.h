/* A matrix of a problem's pattern with the solver that factorises it, and what is solved with them:
 * accelerations, the way back to the constraints, the choice of independent rows, smallest changes.
 *
 * Each has one owner. A step has its own, dense output and reactions another, sensitivities a
 * third: whoever looks at a state, or differentiates a step, leaves the step's matrix, factors and
 * rows as they are. Any number of them may work on one problem, one after the other: its
 * evaluations share scratch. Internal to the system layer and above. */
#ifndef NUTATE_SYSTEM_FACTORS_H
#define NUTATE_SYSTEM_FACTORS_H

#include "system/problem.h"

typedef struct nt_turning nt_turning;

typedef struct nt_factors {
    const nt_problem *problem;
    nt_solver_kind kind; /* asked for */
    nt_matrix matrix;
    nt_solver *solver; /* NULL before nt_factors_take_solver */
    /* The owner keeps the factors for later, and the matrix holds the numbers they were made from.
     * False as soon as the matrix is filled with something else. */
    bool kept;
    /* How long kept factors do: steps that began with those at hand, and corrections since they
     * were made; and steps that are still to begin with their own, and began so last time, since
     * those before did not do for long. They decide what later steps do, so a saved state holds
     * them. */
    int steps_kept, corrections, own_ahead, own_last;
    /* The factors behind a kept matrix are those of its parts, elsewhere; as a whole it may have
     * none. */
    bool in_parts;

    /* The numbers that the factors at hand were made from, where the owner wants factors made anew
     * only when a number has changed; NULL: it does not. Not finite: there are none. */
    double *made;

    /* Constraint rows that are left out because they depend on those in use. Which they are belongs
     * to the state that is integrated: a look takes them over and never chooses for it. */
    int *dropped; /* [n_dropped] their unknowns, nv and above, ascending */
    int n_dropped;

    /* [nv] Where the owner lets them rest: unknowns with neither inertia nor constraint, whose
     * accelerations nothing determines, as they were found last. Their accelerations are zero.
     * NULL: the matrix of a system with such unknowns is singular. */
    unsigned char *resting;
    struct nt_leaning *leaning; /* [n_primary] of nodes: such directions along no axis; NULL: there
                                   were never any to look for */
    int n_leaning;              /* nodes with some                                      */
    bool lacks_memory;          /* for leaning                                          */
    /* Of those that rest, where accelerations were found last: the one that is furthest from its
     * balance, by about how many m or rad, and the force on it, N or N m. */
    struct {
        double by, force;
        int unknown;
    } unbalanced;

    unsigned char *mark; /* [n] scratch of the choice                    */
    int *fixed;          /* [n] scratch of nt_factors_project            */
    nt_turning
        *turning; /* of factors that are kept while bodies turn; NULL: they stay (turning.h) */
    double *work; /* [max(n, 2 nv)] scratch; free for the owner between calls */
    nt_arena arena;
} nt_factors;

/* Everything is allocated here. The problem must outlive them. NT_NO_MEMORY. */
nt_status nt_factors_create(nt_factors **factors, const nt_problem *problem, nt_solver_kind solver,
                            nt_error *error);
/* Creates factors without a solver, where none may be needed; takes the solver later, once. */
nt_status nt_factors_create_matrix(nt_factors **factors, const nt_problem *problem,
                                   nt_solver_kind solver, nt_error *error);
nt_status nt_factors_take_solver(nt_factors *factors, nt_error *error);
void nt_factors_destroy(nt_factors *factors);

/* Every filling of the matrix begins here: it becomes zero, and factors that were kept are so no
 * longer. */
static inline void nt_factors_begin(nt_factors *factors)
{
    factors->kept = factors->in_parts = false;
    nt_matrix_zero(&factors->matrix);
}

/* From now on nt_factors_solve keeps factors while the matrix does not change. NT_NO_MEMORY. */
nt_status nt_factors_keep_made(nt_factors *factors);
/* Factorises the matrix; NT_INTERRUPTED where somebody wants to stop before that. */
static inline nt_status nt_factors_factor(nt_factors *factors)
{
    return nt_problem_stops(factors->problem) ? NT_INTERRUPTED
                                              : nt_solver_factor(factors->solver, &factors->matrix);
}
/* b[n] from the matrix, which is cleared; *made: it was factorised for that. What the solver
 * remembers of earlier matrices is forgotten, so that the same numbers give the same bits. */
nt_status nt_factors_solve(nt_factors *factors, double *b, bool *made);

/* From now on unknowns with neither inertia nor constraint rest. NT_NO_MEMORY. */
nt_status nt_factors_let_rest(nt_factors *factors);
/* Finds them in the matrix of accelerations at hand, terms->matrix, and puts ones there: a balance
 * of forces, which a step finds, is theirs, and each is solved to zero. What nothing at all has
 * stays singular. */
nt_status nt_factors_rest(nt_factors *factors, const nt_point *at, const nt_terms *terms);
/* Where none may rest: the unknown next to a direction along no axis that neither inertia nor a
 * constraint has, in the matrix of accelerations at hand; -1 where there is none. */
int nt_factors_find_undetermined(nt_factors *factors);
/* The unknown that moves most in a motion without inertia that constraints allow, at a point where
 * accelerations have been found; -1 where there is none but of those that rest. What fails does so
 * as the evaluation; NT_NO_MEMORY. The matrix is filled anew. */
nt_status nt_factors_find_weightless(nt_factors *factors, const nt_point *at, int *unknown);
/* Zero in x[n] for those that rest. */
void nt_factors_clear_resting(const nt_factors *factors, double *x);

/* Leave out dropped[n_dropped], ascending. NT_INVALID where one is no multiplier. */
nt_status nt_factors_set_rows(nt_factors *factors, const int *dropped, int n_dropped);
/* The rows of another: does nothing where they are the same. */
nt_status nt_factors_take_rows(nt_factors *factors, const nt_factors *from);

/* z[n] = 0 for the rows that are left out. */
static inline void nt_factors_clear_dropped(const nt_factors *factors, double *z)
{
    for (int i = 0; i < factors->n_dropped; i++)
        z[factors->dropped[i]] = 0;
}

/* Choose independent constraint rows at a point: fills dropped. */
nt_status nt_factors_choose_rows(nt_factors *factors, const nt_point *at);

/* The row in use that is nearest to depending on the others at a point, and a bound on its distance
 * to them in parts of its own length; -1 where each is further away than `far`. The choice of rows
 * stays; the matrix is filled anew. */
nt_status nt_factors_find_nearly_dependent(nt_factors *factors, const nt_point *at, double far,
                                           int *row, double *distance);

/* Exchange rows that are left out against others in use, of the same kind of constraint, where
 * their dependence has become weak: they follow from the others by large coefficients alone, with
 * which rounding is multiplied. On failure the choice is void. */
nt_status nt_factors_exchange_rows(nt_factors *factors, const nt_point *at, bool *changed);

/* Accelerations and multipliers at (t, q, v): R = 0 and the second derivatives of the constraints,
 * by the system's tangent, or by its momenta where it has these alone and no constraints;
 * vdot[nv], lambda[nh], mu[nn] hold a guess on entry. Chooses the rows first. */
nt_status nt_factors_accelerations(nt_factors *factors, const nt_point *at, double *vdot,
                                   double *lambda, double *mu, nt_error *error);

/* NT_SINGULAR with the unknown's name where constraints allow a motion without inertia and none may
 * rest; NT_NO_MEMORY, or as evaluations fail. */
nt_status nt_factors_refuse_weightless(nt_factors *factors, const nt_point *at, nt_error *error);

/* The matrix of these equations at a point, beside whatever factors there are. */
nt_status nt_factors_matrix_of_accelerations(nt_factors *factors, const nt_point *at);
/* The same factorised; the rows chosen stay. */
nt_status nt_factors_of_accelerations(nt_factors *factors, const nt_point *at);

/* What solving cost, added up; and where it failed. */
typedef struct nt_effort {
    long evaluations, factorisations, solves, iterations;
    int unknown;   /* whose residual was worst, -1: not known */
    double worst;  /* and its size, in units of what is allowed */
    double drift;  /* largest |Phi| that nt_factors_settle left */
    bool is_start; /* in: directions that nothing determines are looked for */
} nt_effort;

/* Accelerations with the rows in use and no allocation, for every stage of an explicit method;
 * vdot, lambda, mu are a guess on entry. The solver keeps the factors of [M R_lambda; G 0]. */
nt_status nt_factors_accelerate(nt_factors *factors, const nt_point *at, double *vdot,
                                double *lambda, double *mu, nt_effort *effort);

/* dx[n]: by about how much a rounding of each number of their matrix moves accelerations and
 * multipliers, at->vdot, lambda and mu, which nt_factors_accelerate has found at this point with
 * the factors at hand. The matrix is filled anew. NT_SINGULAR, or as the evaluation fails. */
nt_status nt_factors_find_rounding(nt_factors *factors, const nt_point *at, unsigned *seed,
                                   double *dx);

/* The same at a point near by, from what nt_factors_accelerate gave, with its factors: iterations
 * that gain the distance, until rounding; anew where they gain too little. */
nt_status nt_factors_reaccelerate(nt_factors *factors, const nt_point *at, double *vdot,
                                  double *lambda, double *mu, nt_effort *effort);

/* Bring the end of a step onto the constraints: x[nv] with q = q0 o exp(x) onto Phi = 0, then v
 * onto dPhi/dt = 0 and kappa = 0, to rounding; q = at->q and v = at->v are changed. Right after
 * nt_factors_accelerate near by, whose factors it uses. NT_NOT_CONVERGED: also where a row that was
 * left out is not met. */
nt_status nt_factors_settle(nt_factors *factors, const nt_point *at, const double *q0, double *x,
                            double *q, double *v, nt_effort *effort);

/* The velocity of a point off a body's reference point is held: dv = dw x arm, arm from the point
 * to the reference. translation, rotation: their first entries in v. */
typedef struct nt_tie {
    int translation, rotation;
    v3 arm;
} nt_tie;

/* A smallest change. Zero is a sensible value for every field but rhs. */
typedef struct nt_projection {
    bool kinetic;        /* in kinetic energy, else in |translation|^2 + length^2 |rotation|^2 */
    bool holonomic_only; /* the rows of kappa are left out                      */
    const unsigned char *fixed; /* [nv] set: stays zero; NULL: none */
    const nt_tie *ties;         /* [n_ties] these stay zero but for what the tie says; the change is
                                   kinetic then, and it is the energy of v + dv that is least      */
    int n_ties;
    const double *light;  /* [nv] every entry is measured times this, alike for all entries of an
                             NT_SCALED block; NULL: 1                                            */
    const double *offset; /* [nv] it is offset + dv that is smallest; NULL: zero. Without ties */
    const double *rhs;    /* [nc]                                                               */
} nt_projection;

/* The smallest dv[nv] with G dv = rhs, G the velocity-level constraint matrix at a point. Rows that
 * depend on others are left out, so a contradiction shows only when the rows are evaluated again.
 */
nt_status nt_factors_project(nt_factors *factors, const nt_point *at,
                             const nt_projection *projection, double *dv);

#endif
