/* Vectors of three doubles for systems written by hand. */
#ifndef NUTATE_PAPERS_VECTOR_H
#define NUTATE_PAPERS_VECTOR_H

#include <math.h>

static inline void cross(const double *a, const double *b, double *out)
{
    double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
    out[0] = x;
    out[1] = y;
}
static inline double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static inline double norm(const double *a) { return sqrt(dot(a, a)); }
/* y += s x */
static inline void add(double *y, double s, const double *x)
{
    for (int i = 0; i < 3; i++)
        y[i] += s * x[i];
}
static inline void subtract(const double *a, const double *b, double *out)
{
    for (int i = 0; i < 3; i++)
        out[i] = a[i] - b[i];
}

#endif
