/* A run whose constraints are looked at after every step. */
#ifndef NUTATE_TESTS_WATCHED_H
#define NUTATE_TESTS_WATCHED_H

#include "../model/mechanism.h"

typedef struct watched {
    nt_integrator *it;
    double *worst;
} watched;

static inline int watch_drift_of(void *context, const nt_integrator *unused)
{
    (void)unused;
    watched *w = context;
    double position, velocity;
    assert_int_equal(nt_integrator_drift(w->it, &position, &velocity), NT_OK);
    w->worst[0] = fmax(w->worst[0], position);
    w->worst[1] = fmax(w->worst[1], velocity);
    return 0;
}

/* To the time `end` with steps of h, or with h as the first one; worst: the largest drift of
 * positions and of velocities on the way. */
static inline void run_watched(nt_integrator *it, double end, double h, double worst[2])
{
    nt_error error = {0};
    watched w = {it, worst};
    worst[0] = worst[1] = 0;
    if (nt_integrator_run(it, end, h, watch_drift_of, &w, &error) != NT_OK)
        fail_msg("%s", error.message);
}

#endif
