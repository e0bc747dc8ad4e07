/* A state between two others. */
#ifndef NUTATE_METHOD_DENSE_OUTPUT_H
#define NUTATE_METHOD_DENSE_OUTPUT_H

#include "method/method.h"

/* Doubles of work that nt_dense_output needs. */
size_t nt_dense_output_work(const nt_problem *problem);

/* The state at time t between `from` and `to`; see dense_output.c. */
void nt_dense_output(const nt_problem *problem, const nt_phase *from, const nt_phase *to, double t,
                     double *work, nt_phase *out);

#endif
