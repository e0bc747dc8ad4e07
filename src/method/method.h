/* What a method's descriptor holds and what its step sees. Internal. */
#ifndef NUTATE_METHOD_METHOD_H
#define NUTATE_METHOD_METHOD_H

#include "system/problem.h"

#include <nutate/method.h>

enum { /* nt_method.needs */
       NT_NEEDS_TANGENT = 1,
       NT_HOLONOMIC = 2,    /* can treat holonomic constraints    */
       NT_NONHOLONOMIC = 4, /* can treat nonholonomic constraints */
       NT_CONTROLS_ERROR = 8,
};

/* A state: one array of doubles, so that saving is a copy. */
typedef struct nt_phase {
    double *all; /* [size] t, work, step, then the arrays below                    */
    double *q, *v, *vdot, *lambda, *mu;
    double *memory; /* the system's discrete memory [n_memory]                       */
    double *method; /* the method's own memory [layout.memory]                       */
} nt_phase;

enum { NT_PHASE_T, NT_PHASE_WORK, NT_PHASE_STEP, NT_PHASE_HEAD };

/* Doubles that a method asks for. */
typedef struct nt_layout {
    size_t memory;  /* kept from step to step, part of the saved state */
    size_t scratch; /* lost between steps                              */
} nt_layout;

/* What the last step says of itself. */
typedef struct nt_report {
    int iterations;
    double worst;          /* largest ratio of increment or residual to its tolerance at the end */
    int unknown;           /* whose it is, -1 for none                                           */
    double position_drift; /* largest |Phi| at the accepted point                        */
} nt_report;

/* One step's world. `step` reads now, writes next and nothing else of the state. */
typedef struct nt_stepper {
    nt_problem *problem;
    const double *options; /* values by the index of the method's option table */
    nt_phase now, next;
    double *scratch;
    nt_statistics *statistics;
    nt_report report;
    bool
        stale; /* parameters or loads changed since `now`: what the method kept of forces is void */
    void *own; /* what `close` frees                                                              */
} nt_stepper;

struct nt_method {
    const char *name, *summary, *reference;
    unsigned needs;
    const nt_option_key *options;
    int n_options;
    bool body_frame; /* besides the inertial one */
    /* Check options that depend on each other; sizes of memory and scratch. */
    nt_status (*layout)(const nt_problem *problem, const double *options, nt_layout *layout,
                        nt_error *error);
    /* Method memory from consistent q, v, vdot, lambda, mu in `next`. */
    nt_status (*start)(nt_stepper *stepper);
    /* now -> next over h. NT_NOT_CONVERGED, NT_SINGULAR, NT_NOT_FINITE: `next` is void, the report
     * says what was worst. Never allocates. */
    nt_status (*step)(nt_stepper *stepper, double h);
    /* Give back what the method owns besides memory and scratch (`own` of the stepper); NULL:
     * nothing. */
    void (*close)(nt_stepper *stepper);
    /* Error of the last step in units of its tolerance, one number per entry of (q's increment, v):
     * estimate[2 nv]. For methods with NT_CONTROLS_ERROR. */
    nt_status (*error)(nt_stepper *stepper, double h, double *estimate);
    /* Dense output of the method's own order from what it keeps in memory; NULL: dense_output.c. */
    nt_status (*interpolate)(const nt_stepper *stepper, double theta, nt_phase *out);
    /* The step's linear map at the converged state, for count directions of (dq[nv], dv, dvdot,
     * dlambda, dmu, dmemory, dmethod) and parameter pseudo-loads; and its transpose. */
    nt_status (*linearise)(nt_stepper *stepper, double h, int count, const double *before,
                           double *after);
    nt_status (*transpose)(nt_stepper *stepper, double h, int count, const double *after,
                           double *before);
};

static inline nt_point nt_phase_point(const nt_phase *phase)
{
    return (nt_point){.t = phase->all[NT_PHASE_T],
                      .q = phase->q,
                      .v = phase->v,
                      .vdot = phase->vdot,
                      .lambda = phase->lambda,
                      .mu = phase->mu,
                      .memory = phase->memory};
}

extern const nt_method nt_method_generalized_alpha;

/* Values of all options: defaults, then what is given. values[method->n_options]. */
nt_status nt_method_parse_options(const nt_method *method, const nt_option *options, int n,
                                  double *values, nt_error *error);

#endif
