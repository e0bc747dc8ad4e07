/* The step of explicit Newmark on the rotation group as a part of others. */
#ifndef NUTATE_METHOD_LIE_NEWMARK_H
#define NUTATE_METHOD_LIE_NEWMARK_H

#include "method/rotations/momenta.h"

/* (q, v, a) at t -> the same at t + h, in place; a is the push. h may be negative where forces do
 * not depend on velocities. options: values of nt_push_options. */
nt_status nt_lie_newmark_substep(nt_stepper *stepper, const nt_options *options, double h, double t,
                                 double *q, double *v, double *a);

#endif
