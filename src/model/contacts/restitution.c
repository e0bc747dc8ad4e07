/* Restitution of a free impact with the force K delta^n phi(1 + d delta') of touch.h.
 *
 * m delta'' = -K delta^n phi(1 + d delta') gives m delta' d(delta')/phi = -K delta^n d(delta),
 * whose integral over the approach is that over the rebound, whatever n, K and m. With the speed v
 * at the onset and e v where delta is zero again, p = d v and x = e p:
 *
 *   int_0^p s/(1 + s) ds = int_0^x s/phi(1 - s) ds,       p - ln(1 + p) = G(x)
 *
 *   G(x) = -x - ln(1 - x)                                                              x <= 1 - b
 *   G(x) = G(1 - b) + 4 b [(1 + b)/t + ln t], t from 2 b to 1 + b - x         1 - b <= x < 1 + b
 *
 * since phi turns over to zero within b about zero. G has a pole at 1 + b, so every e has its p,
 * and the bodies part while phi is still positive. Up to x = 1 - b, which is e = .1243, the
 * relation is that of Hunt and Crossley's force itself.
 *
 * Both sides lack p = 0 as a root of interest, and differ by little where e is near 1. Hence, with
 * p - ln(1 + p) = p^2 (1/2 - p M(p)) and G(x) = x^2 (1/2 + x M(-x)), what is solved is
 *
 *   p (M(p) + e^3 M(-x)) = (1 - e)(1 + e)/2
 *
 * whose left side grows with p from zero on.
 *
 * The relations that are often quoted take the work of the damping along the motion without any:
 * Hunt & Crossley 1975, p = 3 (1 - e)/2; Flores, Machado, Silva & Martins, On the continuous
 * contact force models for soft materials in multibody dynamics, Multibody System Dynamics 25,
 * 2011, p = 8 (1 - e)/(5 e). */
#include "model/contacts/restitution.h"

#include "model/contacts/touch.h"

#include <math.h>

/* G beyond 1 - b, where s/phi(1 - s) = 4 b (1 + b - t)/t^2 with t = 1 + b - s. */
static double turned(double x)
{
    const double b = NT_TURN, begin = 2 * b, t = 1 + b - x;
    if (!(t > 0))
        return (double)INFINITY;
    return b - 1 - log(b) + 4 * b * ((1 + b) * (1 / t - 1 / begin) + log(t / begin));
}

/* M(x) = (1/2 - (x - ln(1 + x))/x^2)/x = 1/3 - x/4 + x^2/5 - ..., with G for the logarithm where
 * phi has turned. */
static double remainder_of(double x)
{
    enum { N_TERMS = 56 }; /* 2^-56 is less than rounding */
    double sum = 0;
    if (fabs(x) <= 0.5) {
        for (int k = N_TERMS - 1; k >= 0; k--)
            sum = 1.0 / (k + 3) - x * sum;
        return sum;
    }
    double integral = x > NT_TURN - 1 ? x - log1p(x) : turned(-x);
    return (0.5 - integral / (x * x)) / x;
}

double nt_restitution_damping(double e, nt_restitution_relation relation)
{
    if (relation == NT_RESTITUTION_HUNT_CROSSLEY)
        return 1.5 * (1 - e);
    if (relation == NT_RESTITUTION_FLORES)
        return 1.6 * (1 - e) / e;
    if (e >= 1)
        return 0;
    const double lost = 0.5 * (1 - e) * (1 + e);
    double low = 0, high = (1 + NT_TURN) / e;
    for (;;) {
        double p = low + 0.5 * (high - low);
        if (!(p > low && p < high))
            return p;
        *(p * (remainder_of(p) + e * e * e * remainder_of(-e * p)) < lost ? &low : &high) = p;
    }
}
