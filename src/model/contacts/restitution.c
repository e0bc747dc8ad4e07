/* Restitution of a free impact with the force K delta^n (1 + d delta').
 *
 * m delta'' = -K delta^n (1 + d delta') integrates, along delta, to delta' - ln(1 + d delta')/d =
 * const up to the same function of delta before and after. So with the speed v at the onset and e v
 * at the end, p = d v, whatever n, K and m:
 *
 *   p - ln(1 + p) = -e p - ln(1 - e p)
 *
 * The relations that are often quoted take the work of the damping along the motion without any:
 * Hunt & Crossley 1975, p = 3 (1 - e)/2; Flores, Machado, Silva & Martins, On the continuous
 * contact force models for soft materials in multibody dynamics, Multibody System Dynamics 25,
 * 2011, p = 8 (1 - e)/(5 e). */
#include "model/contacts/restitution.h"

#include <math.h>

/* Positive where e is larger than that of p. */
static double excess(double p, double e) { return p - log1p(p) + e * p + log1p(-e * p); }

double nt_restitution_damping(double e, nt_restitution_relation relation)
{
    if (relation == NT_RESTITUTION_HUNT_CROSSLEY)
        return 1.5 * (1 - e);
    if (relation == NT_RESTITUTION_FLORES)
        return 1.6 * (1 - e) / e;
    if (e >= 1)
        return 0;
    double low = 1e-3 * (1 - e), high = 1 / e; /* p = 0 is a root, but not the one wanted */
    for (int i = 0; i < 200; i++) {
        double p = 0.5 * (low + high);
        *(excess(p, e) > 0 ? &low : &high) = p;
    }
    return 0.5 * (low + high);
}
