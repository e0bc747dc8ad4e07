/* Times as people write them. Times that are computed, k h or t + T, differ from those by rounding;
 * one that is a decimal but for that becomes it, so that a run that ends there, goes on from there,
 * or passes it, meets the same number. */
#ifndef NUTATE_BASE_DECIMAL_H
#define NUTATE_BASE_DECIMAL_H

#include <float.h>
#include <math.h>

/* Times in decimals have so many parts of a second at most. */
#define NT_DECIMALS 1e9

/* What rounding makes of a time, relative to it. */
#define NT_TIME_ROUNDING (8 * DBL_EPSILON)

/* The decimal next to a time (s) where they differ by rounding alone, else the time. */
static inline double nt_decimal(double t)
{
    double decimal = round(t * NT_DECIMALS) / NT_DECIMALS;
    return fabs(decimal - t) <= NT_TIME_ROUNDING * fabs(t) ? decimal : t;
}

#endif
