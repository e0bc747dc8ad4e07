/* The integrator's inside. */
#ifndef NUTATE_METHOD_INTEGRATOR_H
#define NUTATE_METHOD_INTEGRATOR_H

#include "method/method.h"

struct nt_integrator {
    nt_problem *problem;
    const nt_method *method;
    nt_stepper stepper;
    nt_phase before;  /* the state at the start of the last accepted step        */
    size_t size;      /* doubles of a state                                      */
    double *looked_v; /* [2 nv] v and vdot in the system's frame                */
    int *kept;        /* [nc] rows in use, while others are chosen                         */
    nt_statistics statistics;
    double minimum_step;
    int level; /* the step in use is the one asked for / 2^level                 */
    int calm;  /* steps accepted since the last change of level                  */
    bool track_work, started;
};

/* Advance to exactly `end` in one step, or in 2^k equal parts where it must. */
nt_status nt_integrator_advance(nt_integrator *integrator, double end, nt_observer observer,
                                void *context, nt_error *error);

#endif
