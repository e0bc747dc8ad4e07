/* Formulas of differences, to both sides or to one. */
#ifndef NUTATE_BASE_DIFFERENCE_H
#define NUTATE_BASE_DIFFERENCE_H

#include <math.h>
#include <stdbool.h>

/* Central differences of sixth and fourth order from the same points, s = h, 2h, 3h:
 *
 *   D6 = (45 d1 - 9 d2 + d3)/(60 h),   D4 = (8 d1 - d2)/(12 h),   dk = f(k h) - f(-k h). */
static const double NT_SIXTH[3] = {45.0 / 60, -9.0 / 60, 1.0 / 60};
static const double NT_FOURTH[3] = {8.0 / 12, -1.0 / 12, 0};

/* Differences of sixth order to one side, from f(0), f(h), ..., f(6 h). */
enum { NT_ONE_SIDED = 7 };
static const double NT_SIDE_SIXTH[NT_ONE_SIDED] = {-147.0 / 60, 6,       -15.0 / 2, 20.0 / 3,
                                                   -15.0 / 4,   6.0 / 5, -1.0 / 6};
static const double NT_SIDE_FOURTH[NT_ONE_SIDED] = {-25.0 / 12, 4, -3, 4.0 / 3, -1.0 / 4, 0, 0};

/* The same without the place itself, from f(h), ..., f(7 h): where that may lie on the other side
 * by rounding. */
static const double NT_BESIDE_SIXTH[NT_ONE_SIDED] = {-223.0 / 20, 879.0 / 20,  -949.0 / 12, 82,
                                                     -201.0 / 4,  1019.0 / 60, -49.0 / 20};

/* The side to which differences of a step *h look, 1 or -1, where nothing may be passed within
 * room[0] below and room[1] above; 0: to both. The step shrinks to what fits there. */
static inline int nt_difference_side(const double room[2], double *h)
{
    static const double within = 0.9, one_sided_is_as_good = 4;
    double both = within * fmin(room[0], room[1]) / 3;
    double one = within * fmax(room[0], room[1]) / (NT_ONE_SIDED - 1);
    if (both >= fmin(*h, one / one_sided_is_as_good)) {
        *h = fmin(*h, both);
        return 0;
    }
    *h = fmin(*h, one);
    return room[1] > room[0] ? 1 : -1;
}

/* The side, 1 or -1, to which none of n numbers passes zero, where one does to the other side; 0:
 * none does, or some to both. They are g[1] here, g[0] below and g[2] above; what is no number
 * passes nothing. */
static inline int nt_open_side(double *const g[3], int n)
{
    bool passes[2] = {false, false};
    for (int k = 0; k < n; k++)
        for (int j = 0; j < 2; j++)
            passes[j] |= (g[1][k] > 0 && g[2 * j][k] <= 0) || (g[1][k] <= 0 && g[2 * j][k] > 0);
    return passes[0] == passes[1] ? 0 : passes[0] ? 1 : -1;
}

#endif
