/* Periodic orbits: what the files orbit*.c share.
 *
 * Unknowns. At the begin of segment k stands a state (q_k, v_k) that meets the constraints. Near it
 * states are given by independent coordinates z = (z_p, z_v), through
 *
 *   dq = W^-1 N_p z_p,   dv = V^-1 (C z_p + N_v z_v),
 *
 * and the way back to the constraints. N_p, N_v are orthonormal bases of the null spaces of the
 * constraint matrices G W^-1 (rows of Phi) and A V^-1 (rows of dPhi/dt and kappa, in v), and C z_p
 * is the smallest change of velocity that meets the latter after the change of position; it is
 * perpendicular to N_v, so that of any change (dq, dv) of a consistent state
 *
 *   z_p = N_p^T W dq,   z_v = N_v^T V dv.
 *
 * W measures angles by the length of the system, V is W times the period over 2 pi: all z are m.
 *
 * Residual of segment k: z of what leads from the begin of the next segment to the end of this one,
 * of the last one from g x_0, x_0 moved by the advances; turned back by g, into the bases at x_0.
 */
#ifndef NUTATE_ANALYSIS_ORBIT_H
#define NUTATE_ANALYSIS_ORBIT_H

#include "sensitivity/forward.h"

#include <nutate/analysis.h>

/* A state at the begin of a segment, the bases there, and what a shooting found. */
typedef struct nt_orbit_node {
    double *q, *v, *memory; /* [nq], [nv], [n_memory]                             */
    double *np, *nv;        /* [mp][nv], [mv][nv]: N_p, N_v by columns            */
    double *dq, *dv;        /* [m][nv] the change along each coordinate           */
    bool has_bases;
    double *vdot;                       /* [nv]                                               */
    double *end_q, *end_v, *end_memory; /* where the segment ends                             */
    double *map;                        /* [m][m] rows: z at the end by z at the begin        */
    double *by_period;                  /* [m] the end by the period, per s                   */
    double *miss;                       /* [m] m                                              */
    double *miss_q, *miss_v;            /* [nv] the same as increments and rates              */
} nt_orbit_node;

struct nt_orbit {
    nt_orbit_setup wanted;     /* its arrays are those below */
    nt_orbit_advance *advance; /* [n_advances] */
    const nt_system *system;
    nt_problem *problem; /* in the system's frame */
    nt_factors *factors;
    nt_integrator *integrator, *linear; /* for values; with the sensitivity attached           */
    nt_sensitivity *sensitivity;        /* along all coordinates, and time for a free period   */
    nt_arena arena;
    int n, m, mp, mv;      /* segments; coordinates, of them of positions and of velocities       */
    int steps;             /* of a segment                                                        */
    int n_found;           /* advances that are found                                             */
    double T;              /* s */
    double periods;        /* > 0: the begin is after so many of them, see nt_orbit_keep_phase */
    double *amount;        /* [n_advances] */
    nt_orbit_node *node;   /* [n] */
    double *weight;        /* [nv] of W                                                       */
    double *rate_weight;   /* [nv] of V, s                                                    */
    unsigned char *first;  /* [nv] of first order: no position                                */
    double *flow;          /* [m] z of the motion itself at the begin                         */
    double *generator;     /* [n_advances][m] z of the advances at the begin                  */
    double *generator_end; /* [n_advances][m] z of the end per unit of advance, turned back  */
    /* scratch */
    double *state; /* [state_size] q, v, memory and bases of all nodes, one after the other */
    size_t state_size;
    double *try_state, *kept_state, *differentiated,
        *path_state; /* [state_size + 1 + n_advances], three of the last */
    double *work, *zeros, *dense, *directions, *place, *again, *column;
    double *J, *b, *u, *along, *solve, *by_parameter, *parameters;
    /* found */
    bool follows;                       /* the begin is the initial state, and one of a family */
    double *given;                      /* [nq + nv + n_memory] the initial state */
    bool is_found, kept_fixed, on_path; /* `kept` is that of the path's begin; no polish     */
    bool has_differentiated;            /* nt_orbit_tangent's, which does not follow */
    bool rests;                         /* what was found is a state of rest                */
    int trivial, kept, iterations;
    double miss, trivial_distance, pairing;
    double *monodromy;  /* [m][m] rows                                                       */
    double *multiplier; /* [m][2]                                                            */
    double *floquet;    /* scratch of orbit_floquet.c                                        */
};

/* ---- orbit_dense.c: dense matrices, column by column, through LAPACK ---- */

/* A = U diag(s) V^T of A[columns][rows], which is destroyed; s[the smaller of both], U[rows][rows],
 * V^T[columns][columns]. */
nt_status nt_dense_svd(int rows, int columns, double *A, double *s, double *U, double *Vt);
/* Eigenvalues value[n][2] of A[n][n], which is destroyed; eigenvectors of both sides [n][n] as
 * LAPACK packs those of pairs, NULL: not wanted. */
nt_status nt_dense_eigen(int n, double *A, double *value, double *left, double *right);

/* ---- orbit_coordinates.c ---- */

/* Bring a state onto the constraints. */
nt_status nt_orbit_settle(nt_orbit *orbit, double t, double *q, double *v, const double *memory);
/* The sizes of the bases at a state, which become those of the orbit. */
nt_status nt_orbit_count(nt_orbit *orbit, double t, const double *q, const double *v,
                         const double *memory);
/* The bases at a node, those that stand there already brought onto its constraints. NT_SINGULAR
 * where their sizes differ from those of the orbit. */
nt_status nt_orbit_bases(nt_orbit *orbit, double t, nt_orbit_node *node);
/* z[m] of a change of state at a node. */
void nt_orbit_coordinates(const nt_orbit *orbit, const nt_orbit_node *node, const double *dq,
                          const double *dv, double *z);
/* Move a node by z. */
nt_status nt_orbit_move(nt_orbit *orbit, double t, nt_orbit_node *node, const double *z);

/* z[m] of what leads from the begin of the orbit to the system's initial state. */
nt_status nt_orbit_to_initial(nt_orbit *orbit, double *z);

/* ---- orbit_advance.c ---- */

/* Change g x of a state by all advances. */
void nt_orbit_advance_state(const nt_orbit *orbit, double *q, double *v);
/* A change of state at g x as one at x: [nv] each, in place. */
void nt_orbit_turn_back(const nt_orbit *orbit, double *dq, double *dv);
/* The change of (q, v) per unit of advance i. */
void nt_orbit_generator(const nt_orbit *orbit, int i, const double *q, const double *v, double *dq,
                        double *dv);
/* Whether advance i is along an axis, and no turn. */
bool nt_orbit_is_along(const nt_orbit *orbit, int i);
nt_status nt_orbit_check_advances(const nt_orbit *orbit, nt_error *error);

/* ---- orbit_shoot.c ---- */

/* Integrate all segments, with derivatives or without: ends, misses, maps. */
nt_status nt_orbit_shoot(nt_orbit *orbit, bool derivatives, nt_error *error);
double nt_orbit_start(const nt_orbit *orbit);
double nt_orbit_time(const nt_orbit *orbit, int segment);
/* While a parameter changes the period the begin stays at its place in the period: the first one
 * after a run of a hundred periods would go through a hundredth of all phases else as the period
 * changes by a ten-thousandth, and with it the state there. */
void nt_orbit_keep_phase(nt_orbit *orbit);
/* How far the motion at the begin would go in a period, in units of the system's length. */
double nt_orbit_reach(const nt_orbit *orbit);
/* A motion that reaches less than this in a period is at rest, or steady but for its advances. */
#define NT_ORBIT_STEADY 1e-6
/* flow and generators, from the state and vdot of the first node. */
void nt_orbit_directions_at_begin(nt_orbit *orbit);
/* generator_end at the present amounts. */
void nt_orbit_directions_at_end(nt_orbit *orbit);
/* z of what leads from g x_0 = (q, v) to the end of a node. */
void nt_orbit_compare(const nt_orbit *orbit, nt_orbit_node *node, const double *q, const double *v,
                      double *z);
/* The largest miss of all segments. */
double nt_orbit_largest_miss(const nt_orbit *orbit);

/* The largest miss of a second period that begins where the first one ends. */
nt_status nt_orbit_shoot_again(nt_orbit *orbit, double *miss, nt_error *error);

/* ---- orbit_newton.c ---- */

/* Unknowns u: z of all segments, T where it is free, found advances, and on a path the parameter.
 */
int nt_orbit_unknowns(const nt_orbit *orbit, bool path);
/* Move by factor u; parameter: -1, or the one of the path. */
nt_status nt_orbit_step_along(nt_orbit *orbit, const double *u, double factor, int parameter);
nt_status nt_orbit_set_parameter(nt_orbit *orbit, int parameter, double value);
double nt_orbit_parameter(const nt_orbit *orbit, int parameter);
/* All that a step changes, but the parameter. */
void nt_orbit_save(const nt_orbit *orbit, double *state);
void nt_orbit_restore(nt_orbit *orbit, const double *state);

/* Newton's last equation on a path: sum direction_i scale_i du_i = 0. */
typedef struct nt_orbit_plane {
    int parameter;           /* its number in the system              */
    double size;             /* its natural size                      */
    const double *direction; /* [unknowns]                            */
    const double *scale;     /* [unknowns]                            */
} nt_orbit_plane;
nt_status nt_orbit_newton(nt_orbit *orbit, const nt_orbit_plane *plane, int iterations,
                          nt_error *error);

/* Derivatives of all misses in the parameter, states held but for the constraints, by differences
 * of shootings of this order (2 or 6): out[n m]. Ends and misses are void afterwards. */
nt_status nt_orbit_by_parameter(nt_orbit *orbit, int parameter, double size, int order, double *out,
                                nt_error *error);
/* The direction of the path at an orbit: what is perpendicular to it is given by plane;
 * u[unknowns]. by_parameter is that of the orbit. begin[m]: NULL, or how the begin moves as far as
 * the orbit leaves that open. */
nt_status nt_orbit_direction(nt_orbit *orbit, const nt_orbit_plane *plane, const double *begin,
                             double *u);
/* The derivative in the parameter of what leads from the begin, held but for the constraints, to
 * the system's initial state: out[m]. */
nt_status nt_orbit_initial_by_parameter(nt_orbit *orbit, int parameter, double size, double *out);

/* ---- orbit_floquet.c ---- */

/* Multipliers from the maps of the last shooting. */
nt_status nt_orbit_multipliers(nt_orbit *orbit);

#endif
