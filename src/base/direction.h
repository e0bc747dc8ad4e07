/* Directions: vectors of which only the direction counts. */
#ifndef NUTATE_BASE_DIRECTION_H
#define NUTATE_BASE_DIRECTION_H

#include <stdbool.h>

/* unit[n] = x[n]/|x|, to rounding at whatever length; unit may be x. False, unit untouched, where
 * there is none: for x = 0 and for an x that is not finite. n at most 4. */
bool nt_direction(const double *x, int n, double *unit);

#endif
