/* The integrator's inside. */
#ifndef NUTATE_METHOD_INTEGRATOR_H
#define NUTATE_METHOD_INTEGRATOR_H

#include "method/events/stops.h"
#include "method/step_control.h"
#include "method/watches/energy_watch.h"
#include "system/minimum_norm.h"

/* How much of a step that was halved has been made: `done` of 2^40 parts. */
typedef struct nt_parts {
    double begin, end; /* s, of the whole step */
    long long done;    /* 0: no step is under way */
} nt_parts;

struct nt_integrator {
    nt_problem *problem;
    nt_factors *factors; /* of the steps; their rows are those of the state                 */
    nt_factors *look;    /* of dense output and reactions; NULL until one is asked for      */
    nt_factors *pivoted; /* likewise, of balances that others lose to rounding              */
    nt_arena arena;
    nt_options options;
    const nt_method *method;
    nt_stepper stepper;
    nt_phase before;   /* the state at the start of the last accepted step        */
    nt_phase within;   /* scratch, where work is followed                         */
    nt_phase balanced; /* of nt_integrator_balance, with [2 nv] v and vdot in the system's frame
                          behind it where that is another; there from the first time on */
    nt_phase doubted;  /* likewise, the same a rounding of places beside                 */
    bool no_rates;     /* the last balance found none: the method's accelerations stayed */
    struct {           /* the equal step that was most too long: to be stable (nt_report.damped,
                          swings), and for friction not to turn round (nt_report.turns) */
        double by, t, step; /* how many times too long, 0: none was; when and its size, s       */
        int which[2];
        bool swings; /* by its stiffness, not its damping */
    } damped, turned;
    struct {
        double t, by, force; /* s; m or rad, N or N m */
        int unknown;
    } unbalanced;           /* what has no inertia, at the start: see nt_factors */
    double turning;         /* steps in which sliding turned round, less those in which none did */
    nt_phase earlier;       /* the state before that, where steps may be taken back        */
    bool awaits;            /* the last step stands only when its review is known      */
    bool cut_short;         /* the last step is shorter than it might have been        */
    nt_step_error awaiting; /* its error, as it was estimated then               */
    size_t size;            /* doubles of a state                                      */
    nt_layout layout;       /* what the method asked for                               */
    double *looked_v;       /* [2 nv] v and vdot in the system's frame, where that is another */
    int *kept;              /* [nc] rows in use, while others are chosen                         */
    int *rows;              /* [n_rows] the rows at `now`, while a step is tried                 */
    int n_rows;
    bool keeps; /* the method keeps factors from step to step, and a state has room for them */
    int failed_unknown; /* that the words of the last failed step name, -1: none              */
    char failed[300];   /* words for the part without a value that ended the last try, "": none */
    nt_error failed_at; /* its place: file, line and column */
    nt_statistics statistics;
    double minimum_step, maximum_step;
    int level; /* the step in use is the one asked for / 2^level                 */
    nt_parts parts;
    int calm;      /* steps accepted since the last change of level                  */
    bool variable; /* steps follow an error estimate or the method's proposal    */
    nt_step_control control;
    double *estimate; /* [2 nv] of a step's error, of methods that estimate it */
    double *dense;    /* scratch of nt_dense_output, beside that of a step                */
    bool track_work, started;
    nt_minimum_norm *reactions; /* of redundant joints; NULL until they are asked for */
    nt_energy_check energy_check;
    nt_energy_watch watch;
    nt_energy_accounts accounts; /* of the watch */
    nt_last_growth last_growth;  /* where a run was said to end */
    struct {
        double *v;        /* [4 nv] of both ends, where the system's frame is another */
        nt_meeting worst; /* of equal steps, the deepest; which -1: none was          */
        double t, step;   /* s, of that one                                           */
        double fastest;   /* m/s, of all surfaces so far                              */
    } met;                /* what meets and parts again within a step, meeting.c      */
    struct {
        nt_phase at;  /* scratch: a state beside             */
        double *g[4]; /* [n_onsets] of both ends of a step, and scratch for rates */
    } onsets;         /* where forces begin, onsets.c       */
    nt_phase begun;   /* where the watch began */
    nt_stops stops;

    /* Called with every step now -> next before it is accepted, for sensitivities; may be NULL. */
    nt_status (*attend)(void *context, nt_integrator *integrator, double h);
    /* Called with everything that happens in an instant, once it has. */
    nt_status (*attend_jump)(void *context, nt_integrator *integrator, const nt_jump_of_state *jump,
                             nt_error *error);
    void *attendant;
    nt_event_observer observe_event; /* may be NULL */
    void *event_context;
    nt_observer observe_behind; /* may be NULL */
    void *behind_context;
};

/* Advance to exactly `end` in one step, or in 2^k equal parts where it must. */
nt_status nt_integrator_advance(nt_integrator *integrator, double end, nt_observer observer,
                                void *context, nt_error *error);

/* Advance to exactly `end` in steps that the error estimate or the method chooses; h is the first
 * one of the whole motion. */
nt_status nt_integrator_advance_variable(nt_integrator *integrator, double end, double h,
                                         nt_observer observer, void *context, nt_error *error);

/* The state at t within a step `from` -> `to`: by the method's own dense output where it has one,
 * else nt_dense_output. `out` has room for all of a state. */
nt_status nt_integrator_between(nt_integrator *integrator, const nt_phase *from, const nt_phase *to,
                                double t, nt_phase *out);

/* The accelerations and multipliers of the forces at a phase, into it. The work counts as the
 * step's, whose factors are used for it and then no longer kept. */
nt_status nt_integrator_accelerate(nt_integrator *integrator, const nt_phase *phase);
/* The memory behind the step now -> next. Where the system keeps accelerations in it and those of
 * the method are of a place within the step, it is shown those at its end. */
nt_status nt_integrator_accept_memory(nt_integrator *integrator);
/* The stepper of a look at the present state: with factors of its own and the state's rows. */
nt_status nt_integrator_looking(nt_integrator *integrator, nt_stepper *looking);

/* v[nv] and vdot[nv] of a state in the system's frame: where they stand, or in looked_v. */
void nt_integrator_rates(const nt_integrator *integrator, const nt_phase *phase, const double **v,
                         const double **vdot);

/* Memory for `balanced`; nothing where it is there. NT_NO_MEMORY. */
nt_status nt_integrator_take_balanced(nt_integrator *integrator);
/* Whether a row of output at time t (s) in the last step shows accelerations and multipliers that
 * are solved for there, instead of the method's own. */
bool nt_integrator_balances(const nt_integrator *integrator, double t);
/* Whether that solve found that the equations have none: then the method's own are shown. */
static inline bool nt_has_no_rates(nt_status status)
{
    return status == NT_SINGULAR || status == NT_NOT_CONVERGED;
}

/* Memory for what follows: NT_OK or NT_NO_MEMORY. */
nt_status nt_meetings_take(nt_integrator *integrator);
/* Both ends of a step as points in the system's frame, which share scratch of the integrator. */
void nt_integrator_points(const nt_integrator *integrator, const nt_phase *from, const nt_phase *to,
                          nt_point ends[2]);
/* Whether surfaces have met and parted again within the step from -> to, and which. */
bool nt_integrator_met(const nt_integrator *integrator, const nt_phase *from, const nt_phase *to,
                       nt_meeting *out);
/* The share of that step to make instead, so that the method sees these surfaces touch. */
double nt_integrator_step_that_sees(const nt_integrator *integrator, const nt_meeting *met);
/* Keeps the worst such meeting of equal steps. */
void nt_integrator_watch_meetings(nt_integrator *integrator, const nt_phase *from,
                                  const nt_phase *to);

/* Memory for what follows: NT_OK or NT_NO_MEMORY. */
nt_status nt_onsets_take(nt_integrator *integrator);
/* Of more than fourth order; false of methods that choose order and steps themselves. */
bool nt_integrator_is_of_high_order(const nt_integrator *integrator);
/* g[n_onsets] (nt_system.onsets) at a state, or e later as it moves and accelerates. */
nt_status nt_onsets_at(nt_integrator *integrator, const nt_phase *phase, double e, double *g);
/* The size of the next step where the onset of a force lies ahead; else h, which leaves `left` s at
 * most to the end of the run. smallest: step, s. */
double nt_onsets_step(const nt_integrator *integrator, double h, double left, double smallest);
/* Whether a force begins or ends within the try now -> next over h, which is to be made again then
 * up to there; nt_onsets_step knows the size. */
nt_status nt_onsets_within(nt_integrator *integrator, double h, double smallest, bool *within);
/* A step of size h toward an onset has become the last one: how far it is from there. */
nt_status nt_onsets_approach(nt_integrator *integrator, double h);

/* Keeps what the report of the step that stands says of its size h. */
void nt_integrator_watch_step(nt_integrator *integrator, double h);

/* Looks at what the system noted in the last step, once that step stands. */
void nt_integrator_notice(nt_integrator *integrator);
/* Makes the system forget what it noted after time t, in a try that does not stand; with t =
 * -infinity all that it noted before a run. */
void nt_integrator_forget_noticed(const nt_integrator *integrator, double t);

/* Energies of the system, one for each account of the watch on energy. */
nt_status nt_integrator_energies(const nt_integrator *integrator, const nt_point *at,
                                 nt_energy *energies);
/* Power of the step from -> to at the nodes of work.c, into accounts.powers, W, of the forces that
 * can give energy; no number where the equations have no value. The state at a node is found in
 * `within`. NT_NO_MEMORY, or NT_OK. Changes nothing that later steps compute. */
nt_status nt_integrator_given_powers(nt_integrator *integrator, const nt_phase *from,
                                     const nt_phase *to, nt_phase *within);

/* Power and work of the step now -> next, whose time and size are there, into `next`; see work.c.
 */
nt_status nt_integrator_work(nt_integrator *integrator);

/* The steps of nt_integrator_advance and nt_integrator_advance_variable, one function for each
 * part. One try of a step of size h, from `now` into `next`. */
nt_status nt_integrator_attempt(nt_integrator *integrator, double h);
/* After a try that does not stand: the rows of `now` are in use again, and no factors are kept. */
void nt_integrator_roll_back(nt_integrator *integrator);
/* After one that does: `next` becomes the present state, at time `end`, and the step is counted. */
nt_status nt_integrator_accept(nt_integrator *integrator, double h, double end);
/* Two halves of accepting a step: the new state takes the place of the present one; sensitivities
 * follow it, and it is counted. */
nt_status nt_integrator_move_on(nt_integrator *integrator, double h, double end);
nt_status nt_integrator_count_step(nt_integrator *integrator);
/* The last step is taken back: the state before it is the present one again. Once only. */
void nt_integrator_take_back(nt_integrator *integrator);
/* The state that stands is looked at: by the watch on energy, and by the observer (may be NULL). */
nt_status nt_integrator_show(nt_integrator *integrator, nt_observer observer, void *context,
                             nt_error *error);
/* Says in words why a step of size h failed; returns status. */
nt_status nt_integrator_give_up(nt_integrator *integrator, nt_status status, double h,
                                nt_error *error);
/* Says that equal steps are too long for the method, at a state whose t, q, v and memory are given,
 * with "; " before it; nothing where they are not, or nobody knows. Once `next` is free. */
void nt_integrator_say_reach(nt_integrator *integrator, const nt_phase *at, char *text, int size);

/* Text after what failed: that the position at hand is nearly singular, if it is. NT_NO_MEMORY. */
nt_status nt_integrator_say_singular(nt_integrator *integrator, char *text, int size);

#endif
