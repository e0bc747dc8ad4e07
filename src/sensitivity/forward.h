/* Forward sensitivities: what the files of this layer share. */
#ifndef NUTATE_SENSITIVITY_FORWARD_H
#define NUTATE_SENSITIVITY_FORWARD_H

#include "sensitivity/step_length.h"

#include <nutate/sensitivity.h>

/* Pseudo-loads d(R, rows)/dp of a parameter: by the system, or by differences. */
typedef struct nt_load_route {
    int parameter;     /* its number in the system, or one of those below               */
    bool differenced;  /* the system gives none                                         */
    double step;       /* of the differences, in units of the parameter                 */
    double difference; /* largest estimated relative error of them so far               */
} nt_load_route;

/* Directions that are no parameters: one of initial values alone; and the unit of time, the last of
 * all, along which everything behaves as in step_length.h, with one origin for all steps. */
enum { NT_ALONG_INITIAL = -1, NT_ALONG_TIME = -2 };

struct nt_sensitivity {
    nt_integrator *integrator;
    nt_factors *factors; /* of linearised steps and of the start                    */
    nt_arena arena;
    int n;                /* directions                                       */
    nt_load_route *route; /* [n]                                              */
    nt_directions directions;
    size_t all;          /* doubles of all variations                        */
    double *now, *next;  /* [all] variations at the integrator's now         */
    double *before;      /* [all] at the start of the last step              */
    double *kept;        /* [all] while others begin anew; NULL: of a system without events */
    double *between;     /* [n][stride] inside the last step; NULL for methods without vary_dense */
    double between_t;    /* s; NaN for none                                  */
    double linearised_t; /* s, end of the step whose linearisation is in the scratch; or NaN */
    double t;            /* s, of `now`; NaN before the start                */
    double *event_time;  /* [n] derivatives of event_t                       */
    double *jump_time;   /* [n] those of the time of what happened last       */
    double event_t;      /* s, when something happened last; or NaN          */
    bool balances;       /* the indicator that is differenced is of accelerations or reactions */
    double *work;        /* [n] J per unit, at `now`                         */
    double *work_before; /* [n] at `before`                                  */
    double *power;       /* [n][NT_WORK_NODES] W per unit, over the last step */
    double *inner;       /* [n][stride] at a node within a step, see work.c           */
    double *apart;       /* [NT_APART][stride] variations taken from among four           */
    double *p, *varied;  /* [n_parameters] their values, and some changed    */
    double *values;      /* [3][n_unknowns] of differences; an increment     */
    double *point;       /* [nq + 2 nv + nc + n_memory] a varied state       */
    double *shown;       /* [3 nv] v, vdot, q in the system's frame          */
    double *probe;       /* [2][nq + nv + 2 n_memory] varied initial values  */
    double *refined;     /* [6 nv + 3 n_memory + 2] an instant, with another step */
    double *dense;       /* phases of a varied dense output                  */
    double *dense_shown; /* [3 nv + nc]                                      */
    double *balanced;    /* [9 nv + 2 nc] of nt_sensitivity_balance          */
    nt_length_direction length; /* of the direction NT_ALONG_TIME, per unit of E           */
    nt_minimum_norm *reactions; /* of redundant joints; NULL until they are asked for */
};

/* Sixth-order central differences at +-1, +-2, +-3 steps: f' = sum w_j (f(+j) - f(-j)) / step. */
enum { NT_STENCIL = 3 };
extern const double nt_stencil[NT_STENCIL];

/* nt_sensitivity_create, with NT_ALONG_INITIAL and NT_ALONG_TIME among the parameters; where all
 * are of these the system need not have any. To be begun by nt_sensitivity_start_from. */
nt_status nt_sensitivity_create_along(nt_sensitivity **sensitivity, nt_integrator *integrator,
                                      const int *parameters, int n, nt_error *error);

/* Variation i of now, next or before as arrays of its own: in place; or, where they lie four side
 * by side, a copy in one of these places, until that is taken again. */
enum { NT_APART_STATE, NT_APART_FIRST, NT_APART_LAST, NT_APART_LOAD, NT_APART };
nt_variation nt_sensitivity_variation(const nt_sensitivity *s, double *all, int i, int place);
/* Takes over an array of its own that has changed. */
void nt_sensitivity_write(nt_sensitivity *s, double *all, int i, const double *from);

/* A variation (dq, dv, dvdot) at a point of frame `from` in the frame `to`; of the point q, v and
 * vdot count. out may not be d. */
void nt_sensitivity_change_frame(const nt_problem *p, nt_frame from, nt_frame to,
                                 const nt_point *at, const double *const d[3],
                                 double *const out[3]);

/* A state that has moved by `offset` times a variation, in the problem's frame, into `out`;
 * increment[nv] is scratch. */
void nt_sensitivity_move(const nt_problem *p, const nt_phase *from, const nt_variation *d,
                         double offset, double *increment, const nt_phase *out);
/* The step of differences along a variation: it moves no value by more than 1e-2 of (1 + |value|).
 */
double nt_sensitivity_reach(const nt_problem *p, nt_point at, nt_const_variation d);
/* A state as the system sees it; until the next call. */
nt_point nt_sensitivity_point(nt_sensitivity *s, const nt_phase *phase);
/* Scratch states: three, and, where work is followed, one at a node within a step. */
enum { NT_SENSITIVITY_NODE = 3 };
nt_phase nt_sensitivity_phase(const nt_sensitivity *s, int which);

/* d(q, v, vdot, multipliers) of cubic Hermite interpolation at t between `from` and `to` into
 * sum[3 nv + nc]: dense output of states that have moved by +-1, +-2, +-3 steps of their
 * variations; `middle` is that at rest. */
void nt_sensitivity_difference_dense(nt_sensitivity *s, const nt_phase *from,
                                     const nt_variation *first, const nt_phase *to,
                                     const nt_variation *last, double t, const nt_phase *middle,
                                     double *sum);

/* Adds the step now -> next, of size h, to the derivatives of the work. */
nt_status nt_sensitivity_vary_work(nt_sensitivity *s, double h);

/* The integrator's stepper with the factors of the sensitivities and the state's rows. */
nt_status nt_sensitivity_stepper(const nt_sensitivity *s, nt_stepper *stepper);

/* The hook of the integrator: every step before it is accepted. */
nt_status nt_sensitivity_attend(void *context, nt_integrator *integrator, double h);

/* The hook of the integrator: what happened between two states at the same time. */
nt_status nt_sensitivity_jump(void *context, nt_integrator *integrator,
                              const nt_jump_of_state *jump, nt_error *error);
/* Accelerations, multipliers and the method's memory, varied, from dq and dv of the present state,
 * where the method begins anew. */
nt_status nt_sensitivity_begin_again(nt_sensitivity *sensitivity, nt_error *error);

/* nt_directions.load: parameters and memory. context is the nt_sensitivity. */
nt_status nt_pseudo_load(void *context, int i, const nt_point *at, const nt_terms *terms);

/* Natural size of system parameter k. */
double nt_parameter_scale(const nt_sensitivity *s, int k);

/* Sets the system's parameters with that of direction i moved by `offset`. The caller sets them
 * back, with set_parameters(self, s->p). */
nt_status nt_sensitivity_move_parameter(nt_sensitivity *s, int i, double offset);

/* Choose the routes and the steps of differences at the present state. */
nt_status nt_pseudo_load_prepare(nt_sensitivity *s, const nt_point *at, nt_error *error);

/* Derivatives of the system's own initial values, in the system's frame: dq[nv], dv[nv], dmemory.
 */
nt_status nt_initial_tangent(nt_sensitivity *s, int i, double t, double *dq, double *dv,
                             double *dmemory);

#endif
