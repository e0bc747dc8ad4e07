/* Step sizes from error estimates: a digital filter. Internal to the driver. */
#ifndef NUTATE_METHOD_STEP_CONTROL_H
#define NUTATE_METHOD_STEP_CONTROL_H

#include "method/method.h"

/* What the controller remembers; plain data, part of the saved state. */
typedef struct nt_step_control {
    double next;  /* s, the step to try; 0 before the first                        */
    double error; /* of the last accepted step, in units of its tolerance; 0: none */
    /* of a step to where a force begins (onsets.c) */
    double ahead;   /* s, from the present state to there; 0: none is looked for     */
    double doubt;   /* s, what that may be off by                                    */
    int onset, cut; /* its number; how many steps were made or cut to come there      */
} nt_step_control;

/* An estimate in units of the tolerances. */
typedef struct nt_step_error {
    double size; /* largest; at most 1 is accepted      */
    int kind;    /* 0 position ... 3 angular velocity   */
    int unknown; /* entry of v that it belongs to       */
} nt_step_error;

/* estimate[2 nv] of the step now -> next. size is not finite where an estimate is not. */
nt_step_error nt_step_error_of(const nt_stepper *stepper, const double *estimate);

/* sum[nv] += factor a x b, of rotations. */
void nt_step_error_add_cross(const nt_space *space, double factor, const double *a, const double *b,
                             double *sum);

/* The step after an accepted one, or in place of a rejected one, of size h and error ~ h^order. */
double nt_step_after_accepted(const nt_step_control *control, double h, double before, double error,
                              int order);
double nt_step_after_rejected(double h, double error, int order);

#endif
