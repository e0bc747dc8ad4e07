/* The one list of stops of a run: known ones and events. Internal to the integrator. */
#ifndef NUTATE_METHOD_STOPS_H
#define NUTATE_METHOD_STOPS_H

#include "method/method.h"

/* Places within a step at which indicators are looked at, its end among them. */
enum { NT_SAMPLES = 4 };

/* A zero is located to this part of the step. */
static const double NT_ZERO_LOCATED = 1e-12;

/* A value behind what has just happened at its zero is still that zero below this part of the
 * largest: location misses it by less. Above, the change itself has moved it. */
static const double NT_ZERO_MISSED = 1e-9;

/* The stretch of time between two stops: its steps are equal, unless they are variable. */
typedef struct nt_stretch {
    double begin, end; /* s */
    double origin;     /* s, where the run began                                               */
    double before;     /* steps h from there to the begin of the stretch; -1: not whole ones    */
    double run_end, h; /* s, what was asked for when it was laid out */
    double count;      /* of equal steps */
    double done;       /* of them, those that are made */
    int whole;         /* they end at begin + k h, but the last one, which ends at the end */
    int known;         /* a known stop is at its end */
    int laid_out;
    int ended, ended_by; /* an event has ended the run, and its number */
    double last;         /* s, when something happened last, and how often at that time */
    int at_once;
    double window; /* s, the begin of a time of length h, and how often events happened in it */
    int within;
    int balances; /* indicators are of accelerations or multipliers, of which those of states lie
                     within steps */
} nt_stretch;

typedef struct nt_stops {
    const nt_events *events; /* NULL: the system has none, and all below is unused */
    nt_stretch stretch;
    bool beginning;   /* at the start: nobody is told                                        */
    int number;       /* of the event that happened last; -1: it was none */
    int indicator;    /* whose zero that was; -1: none                    */
    double until;     /* s, the end of the run                                                */
    bool waits;       /* a motion jumps at the end of the run: what is due has not happened   */
    bool busy;        /* something is about to happen: no whole state */
    double nudge;     /* s, of the last step */
    nt_phase at;      /* a state within a step */
    nt_phase from;    /* the state just before something happened */
    nt_phase shown;   /* one with the accelerations and multipliers of its own forces  */
    nt_phase beyond;  /* the sample at which something has happened, while `seen`     */
    double *beyond_v; /* [nv] its velocities in the system's frame */
    bool seen;
    bool sided;         /* onsets pass zero where something happens in this step: */
    double *onset_side; /* [n_onsets] the sides that they come from, or 0 (sides.c) */
    int touched;  /* the indicator that passes zero in this step on dense output alone; -1: none */
    double *size; /* [n] largest indicators in the last step, per second of it */
    double *g[3]; /* [n] indicators at samples */
    double *left; /* [n] the values at the sample before, or at an earlier one ... */
    double *left_at; /* [n] ... and where, as parts of the step */
    double *samples; /* [NT_SAMPLES + 1, n] the values at the begin of a step and its samples */
    double *side;    /* [n] what the step that is made writes into memory */
    double *v, *memory, *impulse, *restitution; /* of an instant */
    double *scratch;                            /* [scratch_size] kept over looks into a step */
    size_t scratch_size;
    unsigned char *way, *fired, *off; /* [n], [n] 0: not due, [nc] */
    double *z;                        /* [n] of an impact */
    double *rates;                    /* [2 nv] of a point in the system's frame */
    /* of an impact (impact.c) */
    unsigned char *law;   /* [nc] nt_impact_law of rows that are met                              */
    unsigned char *apart; /* [nc] 1: it has been let go, as it pulled; 2: not of this phase       */
    double *toward;       /* [nc] the sign of the rate at which a row of one side is met, else 0  */
    double *met, *rates_behind, *reached; /* [nc] rates before the impact; two scratch            */
    double *driven; /* [nc] by how much rates that rows ask for have jumped last (drive_jump.c) */
    int n_one_sided;
    unsigned pattern; /* of the rows that have pushed in the last one: a number of its own */
} nt_stops;

/* What happened: the state just before, where that behind is the present one. */
typedef struct nt_jump_of_state {
    const nt_phase *from;
    int asked;     /* the indicator that had passed zero, or -1                                 */
    int indicator; /* whose zero is the time of it; -1: the time is given                        */
    int timed_by;  /* the switch of known times that it is, or -1                                */
    int ends;      /* the run does                                                               */
    int bends;     /* nothing has happened but that derivatives of accelerations jump            */
    int kept_at;   /* the entry of memory that held the time; -1: none              */
    int carried;   /* its time is that of what has happened just before, which made it due       */
    int touches;   /* its zero is one of dense output alone: shorter steps do not come to it    */
    int drives;    /* rates of prescribed motions jump, with what else happens                   */
    int alone;     /* they do so alone: of the indicator, which is of time, its rate counts, not
                      its value                                                                  */
    double scale;  /* of the indicator's rate: what counts as none                               */
    unsigned pattern; /* of the impact: nt_stops                                                 */
    int number;       /* of nt_events.word                                                       */
    const double *settled; /* not NULL: nothing has happened but that the present memory becomes
                              this (nt_events.settle)                                            */
} nt_jump_of_state;

struct nt_integrator;

/* What prescribed motions that jump at a stop do to the state behind it: see drive_jump.c. *jumps:
 * velocities do. A motion that jumps itself is NT_INCONSISTENT, with words. */
nt_status nt_drive_jump(struct nt_integrator *integrator, const nt_phase *from, nt_phase *behind,
                        bool *jumps, nt_error *error);
/* Likewise at a state beside the one that it was asked for last; *other: rates of motions do not
 * jump there as they do here. */
nt_status nt_drive_jump_beside(struct nt_integrator *integrator, const nt_phase *from,
                               nt_phase *behind, bool *other, nt_error *error);

/* What the memory keeps of what has happened just now. begins: the method has begun anew with it;
 * else the rates that it has within a step are not those that the memory keeps. */
nt_status nt_instant_settle(struct nt_integrator *integrator, bool begins, nt_error *error);

/* An instant of which nothing is known yet but what has passed zero (-1: nothing has) and the
 * memory that it is to change. No row is met in it: the stops' restitution and law are cleared. */
nt_instant nt_instant_begin(struct nt_integrator *integrator, const nt_point *at, int which,
                            double *memory);
/* What happens at a state `from` where indicator `which` has passed zero (-1: what is due), and the
 * state behind it, without its accelerations; nothing where instant->happened stays 0. Rows are
 * those behind it then. later: s, at a state beside: the time of its impact is by so much another
 * than that of `from`, and prescribed motions are as far on by then. */
nt_status nt_instant_behind(struct nt_integrator *integrator, int which, const nt_phase *from,
                            double later, nt_phase *behind, nt_instant *instant, nt_error *error);
/* The impact of what nt_stops holds of the instant, whose rows are those behind it, on the
 * velocities of a state; `off` says which of them hold then. It leaves p->off as it happens.
 * strikes: s->impulse acts. NT_SINGULAR, NT_NOT_CONVERGED with words. */
nt_status nt_impact(struct nt_integrator *integrator, nt_phase *phase, bool strikes,
                    nt_error *error);
/* Behind it: lets stops be off from which the bodies part, in memory. */
nt_status nt_impact_part(struct nt_integrator *integrator, const nt_phase *phase, double *memory);
/* Moves the bodies, by what is least in kinetic energy, until every row that takes part is met.
 * NT_INCONSISTENT with words where the others do not let one close. */
nt_status nt_impact_close_gaps(struct nt_integrator *integrator, nt_phase *phase, nt_error *error);
/* The rows that are off with this memory. */
void nt_instant_take_rows(struct nt_integrator *integrator, const double *memory);

/* The room of a state, laid out like another. */
nt_phase nt_stops_phase_like(const nt_phase *like, double *all);
/* A state as a point in the system's frame, for its functions. */
nt_point nt_stops_point(struct nt_integrator *integrator, const nt_phase *phase);
/* Finds nt_stretch.balances, at the present state. */
nt_status nt_stops_find_balances(struct nt_integrator *integrator);
/* The indicators at a state, in g[n], and which of their passages count, in nt_stops.way. */
nt_status nt_stops_indicators(struct nt_integrator *integrator, const nt_phase *phase, double *g);
/* The same at the part of the step now -> next of length h. */
nt_status nt_stops_within(struct nt_integrator *integrator, double part, double h, double *g);
/* The same a time e after the present state, or before it (e < 0). */
nt_status nt_stops_soon(struct nt_integrator *integrator, double e, double *g);
/* Whether what was to happen has found nothing to do: the present state is the one just before,
 * with what the memory says besides sides. */
bool nt_stops_found_nothing(const struct nt_integrator *integrator);
/* Behind what has happened where indicator i had come to its zero from a side (-1, 1):
 * NT_NOT_CONVERGED with words where it has been turned back to that side so gently that it is at
 * its zero again before anybody sees it. */
nt_status nt_stops_check_return(struct nt_integrator *integrator, int i, double from,
                                nt_error *error);
/* Likewise where indicator i, for which the same has happened at `last` (s), has come to its zero
 * by the tolerance of a method alone. */
nt_status nt_stops_check_again(struct nt_integrator *integrator, int i, double from, double last,
                               nt_error *error);
/* Things that happen within one step, of the length that was asked for, at most; and the words
 * where there are more, of an indicator, or (-1) of what is due. */
enum { NT_STOPS_MOST = 1000 };
nt_status nt_stops_never_settles(struct nt_integrator *integrator, int indicator, nt_error *error);
/* Where an indicator that comes back between two of the first n samples is beyond its zero, as a
 * part of the step; 0: nowhere. n is 0 where nothing was looked at. */
nt_status nt_stops_find_dip(struct nt_integrator *integrator, double h, int n, double *part);

/* The step of length h that was just made, again (shorter_steps.c): to where indicator i vanishes,
 * near a part of it where dense output says so, with this slope there per part; infinite where it
 * jumps. *length: of the step that it makes, s. nt_stops.touched: no shorter step comes to it. */
nt_status nt_stops_step_to(struct nt_integrator *integrator, int i, double h, double part,
                           double slope, double *length);
/* Forces that begin or bend where something happens (sides.c): which do at a part of the step of
 * length h that was just made, where it happens; that the same step over a length sees them from
 * where it comes; and that steps from the present state see those that are at their zero there
 * from where they go. */
nt_status nt_stops_find_sides(struct nt_integrator *integrator, double part, double h);
void nt_stops_hold_before(struct nt_integrator *integrator, double length);
nt_status nt_stops_hold_behind(struct nt_integrator *integrator);
/* The whole step again, which ends where something happens. */
nt_status nt_stops_step_to_end(struct nt_integrator *integrator, double h);
/* Or its dense output is the state at its end: a shorter step is not to be had. */
nt_status nt_stops_step_by_dense_output(struct nt_integrator *integrator, double part, double h);
/* Words, for a step that is given up, for an indicator that has no value within it. */
void nt_stops_say_without_value(struct nt_integrator *integrator, int indicator);
/* largest[n], the largest sizes of indicators, is raised to what the present ones, g[n], are made
 * of: their rounding is a part of that. before: the state before an instant, or NULL. */
nt_status nt_stops_measure(struct nt_integrator *integrator, const nt_phase *before,
                           const double *g, double *largest);

/* Takes the memory; does nothing for a system in which nothing happens. */
nt_status nt_stops_create(struct nt_integrator *integrator, size_t phase_size, size_t scratch_size);
/* The rows that are off and the memory of a start, in `next`; then, when the start stands, the
 * sides of indicators. */
nt_status nt_stops_begin(struct nt_integrator *integrator, nt_error *error);
nt_status nt_stops_begin_sides(struct nt_integrator *integrator, nt_error *error);

/* Functions of time that bend at a stop, as they are before it or behind, in memory. */
void nt_stops_take_side(struct nt_integrator *integrator, double t, bool behind, double *memory);

/* The stretch that the present state lies in (stretch.c), and the end of its step k. */
nt_status nt_stretch_lay_out(struct nt_integrator *integrator, double end, double h,
                             nt_error *error);
double nt_stretch_step_end(const nt_stretch *stretch, double k);

/* Advance to `end`, from stop to stop. */
nt_status nt_stops_advance(struct nt_integrator *integrator, double end, double h,
                           nt_observer observer, void *context, nt_error *error);

/* After a try of a step now -> next over *h that holds, until *to: whether something happens in it.
 * Then `next` is the state just before, at *to, and *h the length of the step to it; 0: it happens
 * at the present state. */
nt_status nt_stops_find(struct nt_integrator *integrator, double *h, double *to, bool *found);
/* What is due at the present state happens, all of it. */
nt_status nt_stops_happen(struct nt_integrator *integrator, nt_error *error);

/* Whether a state saved now would go on with the same bits. */
bool nt_stops_whole(const struct nt_integrator *integrator);

#endif
