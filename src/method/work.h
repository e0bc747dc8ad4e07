/* Work of the forces that have no potential. */
#ifndef NUTATE_METHOD_WORK_H
#define NUTATE_METHOD_WORK_H

#include "method/method.h"

/* Part of a step from its start, at node k of NT_WORK_NODES; the first is 0, the last 1. */
extern const double nt_work_node[NT_WORK_NODES];

/* Whether the power is taken at node k; where it is not it follows from the others, in
 * power[NT_WORK_NODES]. */
bool nt_work_looks(const nt_method *method, int k);
void nt_work_fill(const nt_method *method, double *power);

/* The integral from 0 to s <= 1 of the polynomial that has the values power[NT_WORK_NODES] at the
 * nodes. */
double nt_work_within(const double *power, double s);

#endif
