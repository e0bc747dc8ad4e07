/* One-step methods with forces in two parts: A, taken once and explicitly, and B, implicit at a
 * point between the ends of the step. The semi-explicit method and the theta method are members.
 *
 *   Modin, Fritzson & Fuehrer 2007, (5), (6)
 *
 * Symbols: q, v; a the acceleration over the step; m the middle point, beta of the way:
 *
 *   q1 = q0 o exp(x),  x = h v0 + sigma h^2 a,    v1 = v0 + h a,
 *   q_m = q0 o exp(beta x),  v_m = v0 + beta h a,
 *   M(q_m) a = A(q0 o exp(alpha h v0), v0, t0 + alpha h) + B(q_m, v_m, t0 + beta h)
 *              + reactions(q_m).
 *
 * On R^n q_m = (1 - beta) q0 + beta q1 is the paper's. Constraints go beyond the paper: reactions
 * take the place of stiff penalties, A stays explicit, and the constraints hold exactly, in two
 * stages as in the stabilised index-2 method:
 *
 *   first   (a~, lambda~, mu~)  with  0 = Phi(q1, t1),          0 = kappa(v~_m, q_m, t_m)
 *           gives q1 and q_m,
 *   second  (a, lambda, mu)     with  0 = dPhi/dt(v1, q1, t1),  0 = kappa(v1, q1, t1)
 *           gives v1,
 *
 * v~_m = v0 + beta h a~. Positions and velocities are on the constraints to rounding after every
 * step. The first stage takes kappa where it takes the forces: a~ is then off by O(h) and q1 by
 * O(h^3), as it is by Phi(q1) = 0. Without constraints the second equation is the first, and is not
 * solved again. */
#ifndef NUTATE_METHOD_SPLITTING_H
#define NUTATE_METHOD_SPLITTING_H

#include "method/newton.h"

typedef struct nt_splitting {
    double alpha, beta, sigma;
    unsigned explicit_parts, implicit_parts; /* A's and B's share of R              */
    bool measures;                           /* sigma_A, the stiffness of A, for step sizes */
    bool bounds;                             /* the largest eigenvalues of A, likewise     */
    bool second;                             /* of second order, see semi_explicit.c       */
    bool eliminates; /* given rotations, where nothing else is constrained        */
} nt_splitting;

struct nt_splitting_own; /* splitting_own.h */

/* Sizes of a step's memory and scratch, and of its derivative's. */
void nt_splitting_layout(const nt_problem *problem, const nt_splitting *c, nt_layout *sizes);

/* nt_method.explain_growth: a load that follows a reaction by too much. */
const char *nt_splitting_explain_growth(const nt_stepper *stepper);

nt_status nt_splitting_start(nt_stepper *s, const nt_splitting *c);
nt_status nt_splitting_step(nt_stepper *s, const nt_splitting *c, double h);

/* Local error of the step now -> next, by the change of the acceleration since the step before and,
 * of second order, by its last two changes, zero where only one is known. See splitting_error.c. */
nt_status nt_splitting_error(nt_stepper *s, const nt_splitting *c, double h, double *estimate);

/* The same of the step that led to `now`, from the change since then. Forces that begin between its
 * middle and its end (a contact that it ran into) are in no acceleration before this one. */
nt_status nt_splitting_review(nt_stepper *s, const nt_splitting *c, double h, double *estimate);

/* 1/s^2, of the last step; see splitting_stiffness.c. */
double nt_splitting_stiffness(const nt_stepper *s);

nt_status nt_splitting_linearise(nt_stepper *s, const nt_splitting *c, double h,
                                 const nt_directions *directions, const double *before,
                                 double *after);

/* ---- inside --------------------------------------------------------------------------------- */

/* In a state's method memory: the acceleration before vdot and the times between, for the method of
 * second order; of the first stage, for the derivative of the step; and, with `measures`, the
 * stiffness of A and what the next one is found from. */
typedef struct nt_splitting_memory {
    double *a_before;      /* [nv] a_2                                                      */
    double *lambda_2;      /* [nc] where A follows multipliers: those of a_2, and those of  */
    double *lambda_3;      /* [nc] the acceleration before that                             */
    double *since;         /* s, from the time of vdot, a_1, to that of the state           */
    double *apart;         /* s, from the time of a_2 to that of a_1; 0: there is no a_2    */
    double *further;       /* s, from the time of lambda_3 to that of a_2; 0: there is none */
    double *missed;        /* how far the multipliers that A was taken with were off, largest */
    double *grew;          /* for how many steps on end this has grown                      */
    double *too_long;      /* how many times too long for damping steps were, see splitting.c   */
    double *damped_by;     /* [2] by what, as nt_report                                         */
    double *swung;         /* steps in which accelerations swung to and fro, less others       */
    double *a_first;       /* [nv] a~                                                       */
    double *lambda_first;  /* [nc] (lambda~, mu~)                                           */
    double *stiffness;     /* 1/s^2, 0: none was felt                                       */
    double *taken;         /* 1: the step that led here took A, and the following are there */
    double *force;         /* [nv] -A                                                       */
    double *place;         /* [nq] where                                                    */
    double *speed;         /* |v|, m/s, there                                               */
    double *looked;        /* with `bounds`: steps since the eigenvalues were looked at, 0: never */
    double *square;        /* largest w^2, 1/s^2                                            */
    double *rate;          /* largest rate of damping, 1/s                                  */
    double *single;        /* 1/s^2, of the stiffest single force, the least since then       */
    double *single_rate;   /* 1/s, likewise of damping                                       */
    double *fast, *damped; /* [nv] their vectors                                           */
} nt_splitting_memory;

/* The multipliers that A follows: all, or none where R is affine in them. */
static inline int nt_splitting_follows(const nt_problem *p)
{
    return p->system->capabilities & NT_AFFINE ? 0 : p->nc;
}

static inline nt_splitting_memory nt_splitting_memory_of(const nt_problem *p, const nt_phase *phase)
{
    nt_splitting_memory m = {.a_before = phase->method};
    m.lambda_2 = m.a_before + p->nv;
    m.lambda_3 = m.lambda_2 + nt_splitting_follows(p);
    m.since = m.lambda_3 + nt_splitting_follows(p);
    m.apart = m.since + 1;
    m.further = m.apart + 1;
    m.missed = m.further + 1;
    m.grew = m.missed + 1;
    m.too_long = m.grew + 1;
    m.damped_by = m.too_long + 1;
    m.swung = m.damped_by + 2;
    m.a_first = m.swung + 1;
    m.lambda_first = m.a_first + p->nv;
    m.stiffness = m.lambda_first + p->nc;
    m.taken = m.stiffness + 1;
    m.force = m.taken + 1;
    m.place = m.force + p->nv;
    m.speed = m.place + p->nq;
    m.looked = m.speed + 1;
    m.square = m.looked + 1;
    m.rate = m.square + 1;
    m.single = m.rate + 1;
    m.single_rate = m.single + 1;
    m.fast = m.single_rate + 1;
    m.damped = m.fast + p->nv;
    return m;
}

/* -A at (q, v, lambda[nc], t0 + alpha h) into out[nv]; and h/2 D into `damped`, where it is given.
 */
nt_status nt_splitting_explicit(nt_stepper *s, const nt_splitting *c, double h, const double *q,
                                const double *v, const double *lambda, double *out,
                                const struct nt_splitting_own *damped);

/* With `bounds`: the largest eigenvalues, in the memory of `next`, at a point where A was taken
 * for a step h; y[n] scratch. And the largest step, s, that is stable by them
 * and by what the last step, of size h, came across. See splitting_bounds.c. */
nt_status nt_splitting_bounds(nt_stepper *s, const nt_splitting *c, double h, const nt_point *at,
                              double *y);
/* h w of the fastest oscillation for which steps are stable without damping. */
double nt_splitting_stable_swing(const nt_splitting *c);
double nt_splitting_stable_step(const nt_stepper *s, const nt_splitting *c, double h);

/* The acceleration that `second` takes A with: a_p[nv], from the last two. */
void nt_splitting_predict_rate(const nt_problem *problem, const nt_phase *now, double h,
                               double *a_p);
/* The multipliers that A is taken with: lambda[nc]; and the share of lambda_1 - lambda_2, or, where
 * it is known, of lambda_1 - lambda_3, by which they differ from lambda_1. */
double nt_splitting_predict_multipliers(const nt_problem *problem, const nt_splitting *c,
                                        const nt_phase *now, double h, double *lambda);
/* The share of a - a_1 that its increments x lose, in h^2/2, of blocks that are alone. */
double nt_splitting_share(const nt_problem *problem, const nt_phase *now, double h);

/* What `close` frees. */
void nt_splitting_close(nt_stepper *s);

/* The stiffness of A into the memory of `next`: force[nv] is -A of this step, taken at q; work[n],
 * x[nv] scratch. */
nt_status nt_splitting_measure(nt_stepper *s, const nt_splitting *c, double h, const double *force,
                               const double *q, double *work, double *x);

/* The first stage's rows of Phi, taken at the end with dq1 = Y e, into the stage's matrix, which
 * has all else: what the middle has put in their place is removed. Y NULL: the identity. */
nt_status nt_splitting_holonomic_rows(const nt_problem *problem, const nt_point *end,
                                      const double *Y, nt_matrix *matrix);

#endif
