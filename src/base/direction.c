#include "base/direction.h"

#include <assert.h>
#include <math.h>

/* The squares of doubles beyond 1e154 overflow and of those below 1e-162 vanish. So x is first
 * multiplied by the power of two that brings its largest component to between 1/2 and 1; what then
 * vanishes of a smaller one is nothing beside it. A power of two adds no rounding. */
bool nt_direction(const double *x, int n, double *unit)
{
    double scaled[4], largest = 0, square = 0;
    int exponent;
    assert(n <= 4);
    for (int i = 0; i < n; i++) {
        if (!isfinite(x[i]))
            return false;
        largest = fmax(largest, fabs(x[i]));
    }
    if (largest == 0)
        return false;
    frexp(largest, &exponent);
    for (int i = 0; i < n; i++) {
        scaled[i] = ldexp(x[i], -exponent);
        square += scaled[i] * scaled[i];
    }
    double inverse = 1 / sqrt(square);
    for (int i = 0; i < n; i++)
        unit[i] = inverse * scaled[i];
    return true;
}
