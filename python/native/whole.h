/* A whole run in one call from Python: made, integrated and freed without the interpreter. */
#ifndef NUTATE_PYTHON_WHOLE_H
#define NUTATE_PYTHON_WHOLE_H

#include "integrate.h"

/* What runs of a model that are set up alike have in common. */
typedef struct py_plan {
    const nt_model *model;
    nt_integrator_setup setup;      /* as it was chosen for a run before: its system is another's */
    const nt_quantity_info *energy; /* NULL: none */
    int objectives, events;         /* how many the model has */
    int (*look)(void *context);
} py_plan;

/* A run of such a plan. Given are motion.context, the times of motion, and the memory. */
typedef struct py_whole {
    py_motion motion;
    py_rows rows, events;
    nt_state final; /* copied into numbers[nt_state_room] */
    double *numbers, *parameters, *objectives;
    int ran;           /* it began: rows, final, parameters and objectives say how far it came */
    char unknown[200]; /* words for the unknown that a failed step names; "" */
} py_whole;

/* Run with parameters set to values[n]. Errors as of what it calls, NT_INTERRUPTED. */
nt_status py_run(py_whole *whole, const py_plan *plan, const int *parameters, const double *values,
                 int n, nt_error *error);

#endif
