/* Runs of a mechanism whose events are written down. */
#ifndef NUTATE_TESTS_EVENT_RUNS_H
#define NUTATE_TESTS_EVENT_RUNS_H

#include "../model/mechanism.h"

#include <nutate/method.h>

typedef struct seen {
    int n, number[96];
    double t[96], energy[96][2];
} seen;

static inline void see(void *context, const nt_occurrence *o)
{
    seen *s = context;
    assert_true(s->n < 96);
    s->number[s->n] = o->number;
    s->t[s->n] = o->t;
    memcpy(s->energy[s->n++], o->energy, sizeof o->energy);
}

static inline nt_integrator *begin_variable(mechanism *m, const char *method, double tolerance,
                                            seen *s)
{
    nt_error error = {0};
    nt_integrator *it;
    nt_integrator_setup setup = {.system = nt_run_system(m->run),
                                 .method = nt_method_find(method),
                                 .track_work = 1,
                                 .tolerance = {tolerance, tolerance, tolerance, tolerance}};
    if (nt_integrator_create(&it, &setup, &error) != NT_OK ||
        nt_integrator_start(it, 0, NULL, NULL, NULL, &error) != NT_OK)
        fail_msg("%s", error.message);
    *s = (seen){0};
    nt_integrator_observe_events(it, see, s);
    return it;
}

static inline nt_integrator *begin_run(mechanism *m, const char *method, seen *s)
{
    return begin_variable(m, method, 0, s);
}

/* A recorded quantity at the present state. */
static inline void look_at(mechanism *m, nt_integrator *it, const char *name, double *out)
{
    nt_quantity_info quantity;
    nt_state state = nt_integrator_state(it);
    assert_int_equal(nt_model_quantity(nt_run_model(m->run), name, &quantity, NULL), NT_OK);
    assert_int_equal(nt_run_sample(m->run, &quantity, &state, NULL, out, NULL), NT_OK);
}

#endif
