/* A stop: a spring that acts beyond a limit, with a damper that can neither pull nor jump. With the
 * penetration g > 0, a = k g, b = c g' and h = sqrt(a^2 + b^2):
 *
 *   f = a + a b / h = a (1 + b / h)      0 <= f <= 2 a
 *   df/da = 1 + (b / h)^3                df/db = (a / h)^3
 *
 * Where |b| is well below a this is k g + c g'. At the onset of contact f = 0 whatever the speed,
 * and at a fast return f goes to 0 without passing it. The damper's part takes energy: its power
 * -(a b / h) g' is never positive. The spring's part has the potential k g^2 / 2. */
#ifndef NUTATE_MODEL_STOP_H
#define NUTATE_MODEL_STOP_H

#include <math.h>
#include <stdbool.h>

typedef struct nt_stop {
    double f;                      /* 0 where a <= 0 */
    double by_elastic, by_viscous; /* df/da, df/db */
    double damping;                /* a b / h: the damper's part of f */
} nt_stop;

/* acts: a > 0; or, as it is beside the place where it begins, on either side of it. */
static inline nt_stop nt_stop_of(double a, double b, bool acts)
{
    double h = hypot(a, b);
    if (!acts)
        return (nt_stop){0};
    if (h == 0) /* where it begins, at rest or without damping */
        return (nt_stop){.by_elastic = 1};
    double elastic = a / h, viscous = b / h;
    return (nt_stop){.f = a * (1 + viscous),
                     .by_elastic = 1 + viscous * viscous * viscous,
                     .by_viscous = elastic * elastic * elastic,
                     .damping = a * viscous};
}

#endif
