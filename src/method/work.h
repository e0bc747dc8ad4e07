/* Work of the forces that have no potential. */
#ifndef NUTATE_METHOD_WORK_H
#define NUTATE_METHOD_WORK_H

#include "method/method.h"

/* Part of a step from its start, at node k of NT_WORK_NODES; the first is 0, the last 1. */
extern const double nt_work_node[NT_WORK_NODES];

/* The integral from 0 to s <= 1 of the polynomial that has the values power[NT_WORK_NODES] at the
 * nodes. */
double nt_work_within(const double *power, double s);

#endif
