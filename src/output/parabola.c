/* See parabola.h. */
#include "output/parabola.h"

#include <string.h>

enum { POINTS = NT_PARABOLA_POINTS };
static const double MOST_UNEVEN = 4;

bool nt_parabola_is_even(const double t[POINTS])
{
    double first = t[1] - t[0], second = t[2] - t[1];
    return first <= MOST_UNEVEN * second && second <= MOST_UNEVEN * first;
}

void nt_parabola_weights(const double t[POINTS], double at, double w[POINTS])
{
    for (int i = 0; i < POINTS; i++) {
        double a = t[(i + 1) % POINTS], b = t[(i + 2) % POINTS];
        w[i] = (at - a) * (at - b) / ((t[i] - a) * (t[i] - b));
    }
}

/* Simpson's rule is exact. */
void nt_parabola_areas(const double t[POINTS], int k, double W[POINTS])
{
    double first[POINTS], middle[POINTS], last[POINTS], h = t[k + 1] - t[k];
    memset(W, 0, POINTS * sizeof *W);
    W[k] = W[k + 1] = h / 2;
    if (!nt_parabola_is_even(t))
        return;
    nt_parabola_weights(t, t[k], first);
    nt_parabola_weights(t, t[k] + h / 2, middle);
    nt_parabola_weights(t, t[k + 1], last);
    for (int i = 0; i < POINTS; i++)
        W[i] = h / 6 * (first[i] + 4 * middle[i] + last[i]);
}

/* L' is linear between the middles of the steps, where it is `before` and `after`. */
bool nt_parabola_top(const double t[POINTS], const double g[POINTS], double *at)
{
    double before = (g[1] - g[0]) / (t[1] - t[0]), after = (g[2] - g[1]) / (t[2] - t[1]);
    double middle = (t[0] + t[1]) / 2;
    if (!(before > after))
        return false;
    *at = middle + before / (before - after) * (t[2] - t[0]) / 2;
    return true;
}
