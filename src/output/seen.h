/* The last row of a run and its state, for an event that ends the run and changes them. */
#ifndef NUTATE_OUTPUT_SEEN_H
#define NUTATE_OUTPUT_SEEN_H

#include "base/arena.h"

#include <nutate/method.h>

typedef struct nt_seen {
    const nt_system *system;
    double t;      /* s; not a number: there is none               */
    double *state; /* [nq + nv + n_memory], where there are events */
    double *row;   /* [n] */
    int n;
} nt_seen;

nt_status nt_seen_init(nt_seen *seen, const nt_system *system, int n, nt_arena *arena);
void nt_seen_forget(nt_seen *seen);
void nt_seen_keep(nt_seen *seen, const nt_state *state, const double *row);
/* Whether the event that has ended the run has made another state of it, at the same time. */
bool nt_seen_differs(const nt_seen *seen, const nt_integrator *integrator, const nt_state *state);
/* Whether a row has the same numbers. */
bool nt_seen_shows(const nt_seen *seen, const double *row);

#endif
