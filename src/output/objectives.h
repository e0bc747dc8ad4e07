/* What objectives over a run keep between two looks; see objectives.c. */
#ifndef NUTATE_OUTPUT_OBJECTIVES_H
#define NUTATE_OUTPUT_OBJECTIVES_H

#include "base/arena.h"
#include "output/parabola.h"

#include <nutate/output.h>

#include <stdbool.h>
#include <stddef.h>

enum { POINTS = NT_PARABOLA_POINTS };

/* A number and its derivatives: one array [1 + parameters]. */
struct nt_objectives {
    nt_arena arena;
    nt_run *run;
    nt_integrator *integrator;
    nt_sensitivity *sensitivity;
    int n, n_parameters;
    size_t size; /* 1 + n_parameters                                           */
    bool reactions_needed, accelerations_needed;
    double *reactions, *reaction_rates; /* [nh + nn] where needed                   */
    double length;                      /* m, weighs moments against forces          */
    double *fresh;                      /* [n] of the model                          */

    int points;        /* step ends seen so far in this piece, at most POINTS        */
    double t[POINTS];  /* s                                                          */
    double start;      /* s                                                          */
    double begin;      /* s, of the present piece                                    */
    double smooth;     /* s, when accelerations jumped last, or the start             */
    double parted;     /* s, the end of the last step that was looked at in parts     */
    long events;       /* that had happened when it began                            */
    double *behind;    /* [n][size] scratch: behind what has happened                */
    double *at_top;    /* [n][size] scratch: where a top is followed to              */
    double *moved;     /* [size] derivatives of `begin`, from 1 on                   */
    double *pending;   /* [n] the piece's first value, which was the largest, while g' there
                          is not known; else not a number                            */
    double *slope;     /* [n] g' at the last step end, where a value is the largest; else, and
                          where it is not known, not a number                        */
    double *g[POINTS]; /* [n][size] at them                                         */
    double *sum;       /* [n][size] integral of g or g^2 so far                      */
    double *largest;   /* [n][size]                                                  */
    double *shown;     /* [n][size] results                                          */
};

static inline nt_objective_type nt_objectives_type(const nt_objectives *o, int i)
{
    return nt_model_objective(nt_run_model(o->run), i).type;
}

static inline bool nt_objectives_is_extreme(const nt_objectives *o, int j)
{
    nt_objective_type type = nt_objectives_type(o, j);
    return type == NT_OBJECTIVE_MAXIMUM || type == NT_OBJECTIVE_MINIMUM;
}

/* The smallest value of g is minus the largest one of -g, which all arrays but `shown` hold. */
static inline double nt_objectives_sign(const nt_objectives *o, int i)
{
    return nt_objectives_type(o, i) == NT_OBJECTIVE_MINIMUM ? -1 : 1;
}

/* The expressions at the time t of the last step, in `fresh`, and the state there. */
nt_status nt_objectives_evaluate(nt_objectives *o, double t, nt_state *at, nt_error *error);

/* All expressions and their derivatives at the time t of the last step, into g[n][size]. */
nt_status nt_objectives_look(nt_objectives *o, double t, double *g, nt_error *error);

/* The top of the newest parabola of objective j, where it stands about the middle point, or in the
 * first or the last step of what is smooth. */
nt_status nt_objectives_look_at_parabola(nt_objectives *o, int j, bool first, bool end,
                                         nt_error *error);

#endif
