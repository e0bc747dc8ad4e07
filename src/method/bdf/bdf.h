/* Backward differentiation formulas by SUNDIALS: what the equations, the linear algebra and the
 * descriptor share.
 *
 *   Hindmarsh, Brown, Grant, Lee, Serban, Shumaker & Woodward 2005, SUNDIALS, ACM TOMS 31
 *   Gear, Leimkuhler & Gupta 1985, J. Comp. Appl. Math. 12-13 (stabilised index 2)
 *
 * Unknowns are q[nq], with quaternions, and v[nv]; with constraints also the multipliers
 * (lambda, mu)[nc] and eta[nh]. E(q) v is the rate that belongs to v (nt_space_rate).
 *
 * Without constraints CVODE integrates
 *
 *   q' = E(q) v,   v' = a(t, q, v)   from   M a = f.
 *
 * The rate is linear in q: it keeps |q| of each quaternion but for the error of the formulas, and
 * the rotation q/|q|, which is all that the system sees, does not depend on |q|. Tolerances of
 * quaternions are relative to |q|; where it has changed by a factor of two the integration begins
 * anew from unit length. (CVODE's projection back to unit length after each step was tried: it
 * multiplied the error of a slow top by ten to thirty.)
 *
 * With constraints IDA solves F(t, y, y') = 0. Let w be the rate that belongs to q':
 * x' for translations, 2 vec(q* q')/|q| for rotations (body; of q' q* in the inertial frame), so
 * that it does not change with the length of q. Then
 *
 *   F1:  M (w - v) + r(eta)               [nv]   r: forces of holonomic multipliers
 *        |q|^2 - 1                        of each quaternion
 *   F2:  R(v', v, q, lambda, mu, t)       [nv]
 *   F3:  Phi(t, q)                        [nh]
 *   F4:  dPhi/dt, kappa                   [nc]
 *
 * F1 and F3 are q' = v with the positions held on Phi = 0 by the multipliers eta, which vanish in
 * the solution; weighted by M the correction is that of least kinetic energy, it needs no more
 * than accelerations do, and the same evaluation gives both. A multiplier force must be one-to-one
 * near eta = 0 at mu = 0. The length of a quaternion is an algebraic equation in place of a rate:
 * of index one, since the three of F1 and |q| = 1 determine q' and q. Rows that depend on others
 * are left out, for lambda = 0 and eta = 0.
 *
 * Local errors are measured in q and v alone. Newton's iteration has converged when also what is
 * left of the multipliers could change velocities (lambda) and positions (eta) within a step h by
 * no more than their tolerance: h dlambda/m, m the largest inertia of the multiplier's kind. */
#ifndef NUTATE_METHOD_BDF_H
#define NUTATE_METHOD_BDF_H

#include "method/method.h"

#include <sundials/sundials_context.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include <sundials/sundials_nonlinearsolver.h>
#include <sundials/sundials_nvector.h>

/* ---- Newton's matrix ------------------------------------------------------------------------ */

/* Each node of the system's block graph holds its unknowns twice: (q, eta) first, then (v, lambda).
 * See bdf_newton.c. */
typedef struct nt_bdf_newton {
    nt_pattern pattern;
    nt_matrix matrix;
    nt_solver *solver;
    int *first, *second; /* [n] where unknown i of (v, lambda, mu) is in a doubled vector    */
    int *slot;           /* [n_slots] of the system's blocks                                 */
    int *left_out;       /* [2 nc] scratch                                                   */
    double *map;         /* [n_rotations][9] X                                               */
    double *z, *product; /* [2 n]                                                            */
    double *length;      /* [n_rotations] s of bdf_cvode.c                                   */
    double *stretch;     /* [n_rotations] 1/s, q . q' of bdf_newton.c; zero where not exact  */
    bool exact;          /* for linearised steps                                             */
    double *at_q, *at_v; /* [nq], [nv] where the matrix was filled                           */
    double gamma;        /* s, 1/c_j                                                         */
} nt_bdf_newton;

/* ---- what is kept between steps ------------------------------------------------------------- */

typedef struct nt_bdf nt_bdf;

/* CVODE or IDA. */
typedef struct nt_bdf_code {
    nt_status (*create)(nt_bdf *b);
    nt_status (*begin)(nt_bdf *b, double t); /* at y and rate */
    /* One step, not beyond `end`, into y, its size between bounds in s (longest 0: any; what leads
     * to the end may be shorter). SUNDIALS' flag, negative for failures. */
    int (*go)(nt_bdf *b, double end, double smallest, double longest, double *reached);
    const char *(*words)(int flag); /* for a failure, one of nt_bdf_words */
    /* y at a time within the last step by the polynomial of the step, or its first derivative;
     * not 0: there is none */
    int (*look)(const nt_bdf *b, double t, int derivative, N_Vector y);
    void (*count)(const nt_bdf *b, long *iterations, long *failures); /* since `begin` */
    /* Newton's linear system: x[size] from right[size] */
    nt_status (*solve)(nt_bdf *b, const double *right, double *x);
    double (*pace)(const nt_bdf *b);  /* s, its present step; 0 before the first */
    double (*tried)(const nt_bdf *b); /* s, a step that failed, as it began; 0: not known */
    void (*destroy)(nt_bdf *b);
    /* For linearised steps, see bdf_linearise.c. Size in s and order of the last step, and the
     * order that the next is to have. */
    void (*told)(const nt_bdf *b, double *h, int *order, int *next_order);
    /* Newton's matrix at (t, y, rate) for the leading coefficient c_j = 1/gamma */
    nt_status (*fill)(nt_bdf *b, double t, double c_j);
    /* The right-hand side right[size] of a column's linear system where the formula gives
     * dy' = c_j dy - delta, with what direction i itself changes; after `fill`. */
    nt_status (*vary)(nt_bdf *b, const nt_directions *directions, int i, double t,
                      const double *delta, double *right);
} nt_bdf_code;

extern const nt_bdf_code nt_bdf_cvode, nt_bdf_ida;

enum {
    NT_BDF_ERROR,
    NT_BDF_CONVERGENCE,
    NT_BDF_LINEAR,
    NT_BDF_EVALUATION,
    NT_BDF_ACCURACY,
    NT_BDF_OTHER,
    NT_BDF_WORDS
};
extern const char *const nt_bdf_words[NT_BDF_WORDS];

/* The polynomials of the columns dy/dp, as SUNDIALS keeps those of y; see bdf_columns.c. A
 * direction has NT_BDF_HISTORY arrays [size]. */
enum { NT_BDF_ORDERS = 5, NT_BDF_HISTORY = NT_BDF_ORDERS + 2 };
typedef struct nt_bdf_columns {
    bool anew;   /* the last step began at its start: there is no history yet       */
    int order;   /* of the polynomials                                             */
    int planned; /* order of the next step, as the last one left it                */
    double h, t; /* s, size and end of the last step                             */
    double tau[NT_BDF_ORDERS + 2]; /* s, CVODE: sizes of the steps before, from 1 on */
    double l[NT_BDF_ORDERS + 1];   /* CVODE: of the last step                           */
    double psi[NT_BDF_HISTORY], gamma[NT_BDF_HISTORY]; /* s, 1/s, IDA: of the last step */
    double *all; /* [count] of `each` doubles                        */
    size_t each, size;
    int count;
} nt_bdf_columns;

struct nt_bdf {
    nt_stepper *stepper;
    const nt_problem *problem;
    const nt_bdf_code *code;
    int size;        /* of y                                                              */
    int counted;     /* entries of y that errors are measured in: nq + nv                 */
    double given[4]; /* tolerances by kind                                                */
    double *allowed; /* [size] of q, v: tolerance, before 1 + |value|; of multipliers: times m */

    SUNContext context;
    void *memory; /* of CVODE or IDA                                                   */
    N_Vector y, rate;
    N_Vector between; /* y within the last step                                             */
    N_Vector spare;   /* what SUNDIALS gets where there is no memory for a vector            */
    N_Vector vectors; /* all that there are, each knows the next                             */
    bool no_memory;   /* SUNDIALS got `spare`                                                */
    SUNMatrix matrix;
    SUNLinearSolver linear;
    SUNNonlinearSolver iteration; /* IDA's, with the option newton_tolerance; else NULL       */
    double increment;             /* the last one of it, in units of the tolerance           */
    bool fresh;                   /* Newton's matrix was made in this step                   */
    nt_bdf_newton newton, other;  /* that of SUNDIALS' steps, and that of linearised ones;
                                     exchanged while one is linearised */
    nt_bdf_columns columns;
    /* For the derivative of a step in its length, where that has been asked for: the polynomials of
     * y itself, which SUNDIALS does not show before a step; whether they are known; and of the last
     * step c_j and delta[size] of nt_bdf_columns_longer. power[size] is how often an entry of y
     * changes with the unit of time. */
    nt_bdf_columns past;
    bool remembers;
    double past_c_j, *longer, *power;

    /* scratch of the equations */
    double *q;        /* [nq] with unit quaternions           */
    double *vdot;     /* [nv]                                 */
    double *none;     /* [n] zeros                            */
    double *residual; /* [n]                                  */
    double *kept;     /* [n_memory] the system's discrete memory */

    double *kept_stiffness, *kept_damping; /* of the problem's matrix: K and C of CVODE's last
                                              filling with new ones; NULL with IDA            */
    bool current;     /* SUNDIALS' last step ended at `end`                              */
    bool stands;      /* and it can go on from there                                     */
    double *end;      /* [nq + nv] what the last step gave: if `now` differs, start anew */
    double end_t;     /* s                                                               */
    long since;       /* steps since it began                                            */
    long failures;    /* counted already                                                 */
    long iterations;  /* likewise                                                        */
    nt_status status; /* why an evaluation failed                                        */
    nt_arena arena;
};

static inline double *nt_bdf_v(const nt_bdf *b, double *y) { return y + b->problem->nq; }
static inline double *nt_bdf_lambda(const nt_bdf *b, double *y)
{
    return y + b->problem->nq + b->problem->nv;
}
static inline double *nt_bdf_eta(const nt_bdf *b, double *y)
{
    return nt_bdf_lambda(b, y) + b->problem->nc;
}

/* b->q = q with unit quaternions. */
void nt_bdf_normalise(nt_bdf *b, const double *q);
/* Takes SUNDIALS' messages: the library prints nothing. */
void nt_bdf_silent(int code, const char *module, const char *function, char *message, void *own);
/* What failed, for SUNDIALS: 0, or 1 to try again with a smaller step, or -1. */
int nt_bdf_outcome(nt_bdf *b, nt_status status);
/* Reciprocal of what is allowed of each entry, for the mean square over q and v. */
int nt_bdf_weights(N_Vector y, N_Vector weights, void *own);

/* bdf_state.c. Accelerations and multipliers that belong to a point; they hold a guess. */
nt_status nt_bdf_accelerate(nt_bdf *b, const nt_point *at, nt_phase *phase);
/* q, v, vdot, lambda and mu of a phase from y, on the constraints; its time and memory are there,
 * its vdot is a guess. Where this fails q and v are those of y. */
nt_status nt_bdf_state(nt_bdf *b, N_Vector y, nt_phase *phase);
/* Whether the last step of SUNDIALS ended at a phase. */
bool nt_bdf_ended_at(const nt_bdf *b, const nt_phase *phase);
/* The method's `interpolate`. */
nt_status nt_bdf_interpolate(nt_stepper *s, const nt_phase *from, const nt_phase *to, double t,
                             nt_phase *out);

/* bdf_newton.c. Everything is allocated by `create`; `create_other` allocates that of linearised
 * steps, where there is none yet. */
nt_status nt_bdf_newton_create(nt_bdf *b);
nt_status nt_bdf_newton_create_other(nt_bdf *b);
void nt_bdf_newton_exchange(nt_bdf *b);
void nt_bdf_newton_destroy(nt_bdf *b);
/* Take over which rows are left out. */
nt_status nt_bdf_newton_choose_rows(nt_bdf *b);
/* The matrix at a point for step gamma, `excess` = w - v and eta. */
nt_status nt_bdf_newton_fill(nt_bdf *b, const nt_point *at, const double *excess, const double *eta,
                             double gamma);

/* The same for another gamma with K and C of the last filling, at whose point it is called. */
nt_status nt_bdf_newton_refill(nt_bdf *b, const nt_point *at, double gamma);

/* x's positions from e in the solved z; each quaternion gets its change of length s[n_rotations],
 * dq = q (s, gamma e/2) or (s, gamma e/2) q. */
void nt_bdf_newton_positions(const nt_bdf *b, const double *s, double *x);

/* out[nv] = M x for velocity-like x[nv] in the second entries of z; the others are zero. */
void nt_bdf_mass_times(nt_bdf *b, double *out);

/* bdf_columns.c. `advance` makes of the polynomials those that the step SUNDIALS has just made
 * predicts at its end t: returns c_j, and of column i predicted dy[size] and delta[size] follow by
 * `predicted`, delta = c_j dy - dy'. `correct` takes in the corrected dy[size]. `look` gives dy at
 * a time within the step. */
double nt_bdf_columns_advance(const nt_bdf *b, nt_bdf_columns *c, double t);
void nt_bdf_columns_predicted(const nt_bdf *b, const nt_bdf_columns *c, int i, double c_j,
                              double *delta);
void nt_bdf_columns_correct(const nt_bdf *b, nt_bdf_columns *c, int i, const double *dy);
void nt_bdf_columns_look(const nt_bdf *b, const nt_bdf_columns *c, int i, double t, double *dy);
/* Where the history of column i begins: with dy[size], and dy'[size] there. */
void nt_bdf_columns_begin(nt_bdf_columns *c, int i, const double *dy, const double *rate);
/* delta[size] of the direction that is the length of the step alone (step_length.h), per s, where
 * column 0 is y: what it predicts is E^power P(t0 + E (tau - t0)), P the polynomial of before. */
void nt_bdf_columns_longer(const nt_bdf *b, const nt_bdf_columns *c, double c_j,
                           const double *power, double *delta);

/* bdf_linearise.c. Parts of the descriptor. */
void nt_bdf_linear_layout(const nt_problem *problem, nt_layout *sizes);
nt_status nt_bdf_linearise(nt_stepper *s, double h, const nt_directions *directions,
                           const double *before, double *after);
nt_status nt_bdf_vary_dense(nt_stepper *s, const nt_phase *from, const nt_phase *to, double t,
                            const nt_directions *directions, const double *before,
                            const double *after, double *between);

/* ---- the equations, for tests ---------------------------------------------------------------- */

int nt_bdf_rate(double t, N_Vector y, N_Vector rate, void *own); /* CVODE's y'      */
int nt_bdf_linear_system(double t, N_Vector y, N_Vector rate, SUNMatrix matrix, int old_would_do,
                         int *current, double gamma, void *own, N_Vector scratch1,
                         N_Vector scratch2, N_Vector scratch3);
int nt_bdf_residual(double t, N_Vector y, N_Vector rate, N_Vector F, void *own); /* IDA's F */
int nt_bdf_jacobian(double t, double c_j, N_Vector y, N_Vector rate, N_Vector F, SUNMatrix matrix,
                    void *own, N_Vector scratch1, N_Vector scratch2, N_Vector scratch3);

#endif
