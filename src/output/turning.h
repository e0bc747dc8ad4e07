/* Derivatives of an orientation, as records show them. */
#ifndef NUTATE_OUTPUT_TURNING_H
#define NUTATE_OUTPUT_TURNING_H

#include "base/vector3.h"

/* (0, theta) = 2 q' q*: the rotation that goes with a quaternion's derivative, ground axes. */
static inline void nt_record_turning(const double *q, const double *rate, double *theta)
{
    quat p = quat_multiply(quat_load(rate), quat_conjugate(quat_load(q)));
    v3_store(theta, v3_of(2 * p.x, 2 * p.y, 2 * p.z));
}

#endif
