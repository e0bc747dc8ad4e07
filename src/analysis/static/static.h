/* Static states from inside: what the files of the search share.
 *
 * Unknowns are the configuration and the multipliers; those of first order, which have no
 * configuration, are entries of v. With v = vdot = 0 elsewhere the equations are
 *
 *   0 = R(q, lambda, mu)    0 = Phi(q)    and dq may not slip: kappa_v dq = 0
 *
 * and their derivative along (dq, dlambda, dmu), with K = R_q,
 *
 *   [ K        B^T ]
 *   [ Phi_q     0  ]        (B^T: R_lambda and R_mu)
 *   [ kappa_v   0  ]
 *
 * K has no definite blocks on its diagonal where bodies hang on joints alone, so that the linear
 * solvers here pivot. */
#ifndef NUTATE_ANALYSIS_STATIC_H
#define NUTATE_ANALYSIS_STATIC_H

#include "system/factors.h"
#include "system/minimum_norm.h"

#include <nutate/analysis.h>

/* A direction that is held: an entry of a translation or, of a rotation, an axis of its body. */
typedef struct nt_hold {
    int entry;      /* of v                                              */
    int node;       /* of the pattern                                    */
    int first;      /* of the entries that the direction lies in: 1 or 3 */
    int width;      /*                                                   */
    int quaternion; /* where that of the body stands in q; -1: none      */
} nt_hold;

/* What a search makes of a part with dry friction. */
typedef struct nt_static_rough {
    nt_dry_state holds; /* in the next search                                        */
    bool released;      /* by this search: it stuck when it began                    */
    int returns;        /* how often it has slipped back                             */
    double towards[3];  /* the unit vector that it slips along                       */
    double way[3];      /* how it has slipped in a step                              */
} nt_static_rough;

/* What a state that has directions without stiffness, and yet is not free along them, does when it
 * has moved along one of them. */
typedef enum nt_beside { NT_NOT_PUSHED, NT_PUSHED_BACK, NT_PUSHED_AWAY } nt_beside;

struct nt_static {
    nt_arena arena;
    nt_problem *problem;
    nt_factors *factors; /* what is evaluated goes into its matrix; and the choice of rows */
    nt_pattern *pattern; /* of what is solved with: unpacked, and full where something is held */
    nt_matrix *derivative, *matrix; /* as evaluated; with shift and what is held */
    int *diagonal;                  /* [n_primary] slots of the nodes' own blocks, -1: none */
    nt_solver *solver;
    nt_minimum_norm *reactions; /* NULL until redundant rows ask for it */
    nt_solver_kind kind;
    nt_hold *holds;      /* [n_holds], room for nv */
    int n_holds, n_free; /* the last n_free of them because they move freely */
    int n_resting;       /* of these, what may lie where it is: `lies`       */
    unsigned char *lies; /* [nv] as nt_system.rests says                     */
    bool holds_free;     /* which is allowed */
    bool holds_round;    /* and for what turns round and round */
    int n_asked;         /* the first of the holds, as the setup has them */
    bool damped;         /* no unstable state, however near */

    nt_status (*set_load)(void *context, double load);
    void *context;
    nt_status (*placement_rates)(void *placed, int k, double *dq);
    void *placed_by;
    double load;
    bool follows; /* a path of its own: a search puts no loads on then */

    int n_rough;                         /* parts with dry friction that is set-valued */
    nt_dry_friction *dry;                /* [n_rough] at the present point  */
    nt_static_rough *rough;              /* [n_rough]                       */
    double *reference, *before_friction; /* points            */
    double *indicators;                  /* [n] of all events                       */
    unsigned char *ways;                 /* [n]                                     */
    bool settles;                        /* the search is one of those that settle friction */

    int n_lost;  /* constraint rows that depend on others, unlike at the placement */
    int *chosen; /* [nc] a choice of rows */

    /* the present point */
    double t;
    double *q, *v, *multipliers, *memory; /* [nq] [nv] [nc] [n_memory] in one piece      */
    bool started, solved;
    bool has_factors; /* Newton's last ones are in the solver, and its drag is known */
    bool is_near;     /* factors in the solver are of this point, or one that motion came from */
    bool derived;     /* residual, derivative and drag are those of the present point already */
    long iterations, factorisations, evaluations;
    char failed[300]; /* words for what had no value in the last try, "" where all had */

    bool mass_known;
    double *mass;        /* [nv] diagonal of M                                       */
    double rate;         /* 1/s^2, of inertia's part in the drag                     */
    double load_size[2]; /* N and N m, the largest at the start               */
    double *drag;        /* [nv] D, see nt_static_find_drag                          */

    bool *is_first;           /* [nv] unknown of first order             */
    double *zero, *increment; /* [nv]                                    */
    double *residual, *step;  /* [n]                                     */
    double *other;            /* [n]                                     */
    double *kept[2];          /* points                                  */
    double *placed;           /* the point of nt_static_start            */
    double *left, *aside;     /* an unstable state that is left; a point */
    double *leaving;          /* [nv + n] in which direction; a step     */
    double *stage;            /* the point where a step of a path begins */
    double *last;             /* the last state of a path that was found */
    double *begin;            /* the point where a step of a motion begins */
    double *next_memory;      /* [n_memory]                              */
    double *tangent, *before; /* [n + 1] of a path                       */
    double *softest;          /* [nv] a direction                        */
    double *judged;           /* [nq] where `beside` was found           */
    nt_beside beside;         /* away, where any direction is so         */
    double *gone;             /* [nv] in a damped motion, in body axes   */
    double *soft[2];          /* [nv] directions across a path           */
    double *vector[3];        /* [nv]                                    */
    double *shown, *rates;    /* [n] [nv] a tangent                      */
    double *no_memory;        /* [n_memory] zeros                        */
    double *parameters;       /* [n_parameters]                          */
};

/* ---- static.c: equations and linear solves ------------------------------------------------------
 */

nt_point nt_static_point(const nt_static *s);

/* Keep the present point, and go back to it. */
void nt_static_keep(const nt_static *s, double *to);
void nt_static_go_back(nt_static *s, const double *from);

/* Move by a share of x[n]: q, unknowns of first order, multipliers. */
void nt_static_move(nt_static *s, const double *x, double share);
/* The largest rotation and the largest translation in x. */
void nt_static_reach(const nt_static *s, const double *x, double *angle, double *length);

/* Stresses that elements carry on their own follow an increment from the present point; x NULL:
 * they are forgotten. */
nt_status nt_static_carry(nt_static *s, const double *x);

/* Discrete memory follows the present point. */
void nt_static_accept(nt_static *s);

/* residual[n] and, where wanted, `derivative`. NT_NOT_FINITE where there is none. */
nt_status nt_static_evaluate(nt_static *s, double *residual, bool derivative);

/* Loads alone, without reactions: load[nv]. */
nt_status nt_static_find_loads(nt_static *s, double *load);
nt_status nt_static_measure_loads(nt_static *s, double largest[2]);

/* D, a diagonal with |K| <= D: row sums of |K|, and inertia at a rate at which the loads move
 * everything by about its own size. From `derivative`. */
nt_status nt_static_find_drag(nt_static *s);
/* x^T D y */
double nt_static_dot(const nt_static *s, const double *x, const double *y);
/* x^T K x for x[n] without multipliers */
double nt_static_stiffness_along(nt_static *s, const double *x);

/* Factorise `derivative` with `shift` times the drag on its diagonal. */
nt_status nt_static_factor(nt_static *s, double shift);
/* A held direction among its entries. */
void nt_static_hold_direction(const nt_static *s, const nt_hold *h, double d[3]);
/* out[nv] := the part of x[nv] along held directions. */
void nt_static_along_held(const nt_static *s, const double *x, double *out);
/* x[nv or n] without what is along held directions, in place. */
void nt_static_without_held(const nt_static *s, double *x);
/* b[n] in place; held directions and rows that are left out are zero. NT_SINGULAR where what comes
 * out is no number. */
nt_status nt_static_solve_linear(nt_static *s, double *b);
/* The same without a look at the residual, where the factors have proven themselves: for
 * directions, whose size alone is asked for. */
nt_status nt_static_solve_kept(nt_static *s, double *b);
/* x[n] = -(...)^-1 residual */
nt_status nt_static_correct(nt_static *s, const double *residual, double *x);

/* Independent constraint rows at the present point; and all of them. */
nt_status nt_static_choose_rows(nt_static *s);
nt_status nt_static_keep_rows(nt_static *s);
/* Hold one direction more; the solver is then to be made anew. */
nt_hold nt_static_hold(const nt_static *s, int entry);
nt_status nt_static_take_solver(nt_static *s, nt_error *error);
/* Whether the present one can hold the direction that came last. */
bool nt_static_pattern_serves(const nt_static *s);

/* ---- static_multipliers.c -----------------------------------------------------------------------
 */

/* The derivative without K. */
void nt_static_clear_stiffness(nt_static *s);
/* independent: NULL, or what is asked of the rows first; where they may depend on one another there
 * is no guess yet. Leaves the forces that remain in s->step, as accelerations, and W in vector[1].
 */
nt_status nt_static_guess_multipliers(nt_static *s, bool *independent);
/* Looks whether more rows depend on others where a state was found than where it was placed. There,
 * at a dead centre, reactions are not determined, nor is the stiffness that they make: those of
 * least norm are taken. leaves: whether the rows that depend are left out from now on. */
nt_status nt_static_find_lost_rows(nt_static *s, bool leaves, nt_error *error);

/* ---- static_search.c --------------------------------------------------------------------------
 */

/* How far a search may go. */
typedef struct nt_static_bounds {
    double turn;   /* rad, of one iteration and of all together */
    double travel; /* m                                         */
    int iterations;
} nt_static_bounds;

/* Whether the residual has all constraint rows met, those that are left out as well: to 1e-7 of a
 * length or 1 rad. */
bool nt_static_meets_all_rows(const nt_static *s);

/* The size of x[n]: rad, and lengths of the system; of unknowns of first order, whose units nobody
 * knows, relative to them. */
double nt_static_size(const nt_static *s, const double *x);

/* Newton's iteration from the present point; where it fails the point is as it was. */
nt_status nt_static_newton(nt_static *s, const nt_static_bounds *bounds);
/* The same, for a state that is within a radian and the model's length. */
nt_status nt_static_newton_near_by(nt_static *s);

/* The state nearest to the present point, with friction as it holds there. */
nt_status nt_static_solve_once(nt_static *s, nt_error *error);

/* ---- static_verify.c ----------------------------------------------------------------------------
 */

/* Whether the present point is a static state: forces in balance, rows met, friction within what it
 * can hold. NT_NOT_CONVERGED with the numbers where it is none. */
nt_status nt_static_verify(nt_static *s, nt_error *error);
/* forces[n_holds]: N, N m, of what holds them at the present point; 0 where that is rounding. */
nt_status nt_static_find_held_forces(nt_static *s, double *forces);

/* ---- static_friction.c --------------------------------------------------------------------------
 */

int nt_static_dry_count(const nt_static *s);
/* Forgets how friction holds. */
void nt_static_loosen(nt_static *s);
/* nt_static_solve of a system with dry friction. */
nt_status nt_static_solve_rough(nt_static *s, nt_error *error);

/* All parts at the present point, into s->dry; with how they have slipped since the point `from`,
 * along the straight way. */
nt_status nt_static_look_at_friction(nt_static *s);
nt_status nt_static_look_at_slip(nt_static *s, const double *from);
/* What part i does from the present point on; slipping along s->rough[i].towards. */
void nt_static_hold_friction(nt_static *s, int i, nt_dry_state holds);

/* Whether any part slips. */
bool nt_static_slips(nt_static *s);
/* What slips sticks from now on in `memory`, that of the present state: as it stands still it holds
 * as much as it can. */
void nt_static_stand(nt_static *s, double *memory);

/* All that touches sticks, as if it had not touched before, and holds nothing there. */
void nt_static_stick_anew(nt_static *s);

/* From the point in `reference` to the next one of a path, where a search has just found it; fails
 * as the search does, with the point somewhere. */
nt_status nt_static_follow_friction(nt_static *s, nt_error *error);
/* Words for a part that holds more than it can, into text[size]; false: none does. */
bool nt_static_names_overload(nt_static *s, char *text, int size);
/* Back to `reference`. */
void nt_static_return(nt_static *s);

/* ---- static_limits.c ---------------------------------------------------------------------------
 */

/* A search that is made with the rigid limits that bear, until their choice is right. */
nt_status nt_static_solve_limited(nt_static *s, nt_status (*solve)(nt_static *s, nt_error *error),
                                  nt_error *error);
/* The limit that is to change at the present point, -1: none; worst first. */
nt_status nt_static_find_wrong_limit(nt_static *s, int *wrong);
/* The gap of limit i, or the reaction where it bears; and what of it is rounding. */
nt_status nt_static_look_at_limit(nt_static *s, int i, double *g, double *zero);
bool nt_static_limit_bears(nt_static *s, int i);
/* What bears is free from now on, what is free bears. */
void nt_static_turn_limit(nt_static *s, int i);
void nt_static_limit_words(nt_static *s, int i, char *words, int size);
/* NT_UNSUPPORTED with words where it is not right at the present point. */
nt_status nt_static_check_limits(nt_static *s, nt_error *error);

/* ---- static_motion.c ----------------------------------------------------------------------------
 */

/* Follows a damped motion with dry friction from the present point to where it comes to rest. */
nt_status nt_static_come_to_rest(nt_static *s, nt_error *error);

/* ---- static_free.c ------------------------------------------------------------------------------
 */

/* The entry of v that a direction has most of: an axis of the body for rotations. */
int nt_static_leading_entry(const nt_static *s, const double *x);

/* Holds what moves freely, one direction after the other: the last n_free of what is held. A
 * direction that has no stiffness where it stands, and yet is pushed once it has moved, is none. */
nt_status nt_static_hold_free(nt_static *s, nt_error *error);
/* Holds what creeps at the present point where what is free may be held: it counts as asked for. */
nt_status nt_static_hold_creeping(nt_static *s, nt_error *error);
/* Holds what may lie where it is and has no stiffness there, among what is free; `derivative` is
 * that of the present point. */
nt_status nt_static_hold_resting(nt_static *s, nt_error *error);
/* Whether what is free is to be refused: it neither lies where it may, nor is to be held. */
bool nt_static_wanders(const nt_static *s);
/* Lets go of what was held for being free. */
nt_status nt_static_let_go(nt_static *s, nt_error *error);
/* The same, but for what bears a load. */
nt_status nt_static_let_unloaded_go(nt_static *s, nt_error *error);
/* "rotation of body top about z, ...", of what is held for being free and does not lie, as many as
 * there is room for. */
void nt_static_name_free(const nt_static *s, char *text, int size);
/* Fails with a status: what moves freely is named. */
nt_status nt_static_refuse_free(nt_static *s, nt_status status, nt_error *error);
/* What was held for being free has no state of rest where it stands: why, and what is to be held.
 */
nt_status nt_static_refuse_held(const nt_static *s, const nt_error *why, nt_error *error);

/* ---- static_stability.c -------------------------------------------------------------------------
 */

/* Below this, relative to the drag, a direction has no stiffness at all: slender beams bend with
 * 1e-9 of what they stretch with, and rounding leaves 1e-15. */
#define NT_STATIC_FREE 1e-14
/* A shift that no iteration notices, but without which a matrix may have no factors where nothing
 * is stiff: what comes out is then too large to be taken. */
#define NT_STATIC_NEARLY_NONE 1e-15

/* The smallest eigenvalue of K relative to the drag, on what constraints and holds let move; its
 * direction in `softest`. `derivative` is that of the present point. roughly: so that a clearly
 * negative one shows, with an eighth of the work. */
nt_status nt_static_find_softest(nt_static *s, bool roughly, double *value);

/* The direction of least stiffness per inertia (the diagonal of M), in which a stable state shakes
 * slowest and an unstable one is left fastest; where it is unstable `shift` is beyond its squared
 * rate, else 0. Into `softest`, after nt_static_find_softest. */
nt_status nt_static_find_slowest(nt_static *s, double shift);

/* Whether a direction has no stiffness, which is then in `softest`: some inverse iterations, far
 * less work. */
nt_status nt_static_find_free(nt_static *s, bool *free_motion);

/* Whether K is symmetric on what may move: forces then have a potential, whose curvature says what
 * is stable. `derivative` is that of the present point; the size of the softness that was found of
 * it tells what is small, along `softest`. */
nt_status nt_static_is_symmetric(nt_static *s, double softness, bool *symmetric);

/* ---- static_judge.c -----------------------------------------------------------------------------
 */

/* Whether a damped motion leaves the state whose softest direction was found: along it where its
 * curvature is negative, or, where forces have no potential, along a mode that grows, which is then
 * in `softest`. What feeds back may look unstable wherever it rests: it is not left. */
nt_status nt_static_is_left(nt_static *s, double softness, bool *left);
/* Whether the present point, where nt_static_hold_free found nothing to be free, is left all the
 * same: pushed away beside it. The direction is then in `softest`. */
nt_status nt_static_is_pushed_away(nt_static *s, bool *away);

/* ---- static_leave.c -----------------------------------------------------------------------------
 */

/* From the unstable state in `left`, which is left along `softest`, to a stable one beside it.
 * NT_NOT_CONVERGED: back at it, with `step` as it was. */
nt_status nt_static_leave(nt_static *s);
/* The same from the present point, after nt_static_hold_free, where it is pushed away. */
nt_status nt_static_leave_pushed(nt_static *s, nt_error *error);

/* ---- static_path.c ------------------------------------------------------------------------------
 */

/* The state that the placement of nt_static_start goes to while its loads are put on, from none to
 * the present ones. NT_NOT_CONVERGED where none carries them all: the point, and the load, are then
 * the last ones that were found. */
nt_status nt_static_put_on_loads(nt_static *s, nt_error *error);

#endif
