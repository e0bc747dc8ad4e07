#include "papers/modin/ring.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

static int waves(int mode) { return 2 + mode / 2; }

void nt_ring_shape(int mode, double angle, double shape[2])
{
    int k = waves(mode);
    shape[0] = mode % 2 ? sin(k * angle) : cos(k * angle);
    shape[1] = (mode % 2 ? cos(k * angle) : -sin(k * angle)) / k;
}

double nt_ring_mass(const nt_ring *ring, int mode)
{
    int k = waves(mode);
    return PI * ring->radius * ring->line_mass * (1 + 1. / (k * k));
}

/* The change of curvature is (w'' + w)/R^2. */
double nt_ring_stiffness(const nt_ring *ring, int mode)
{
    int k = waves(mode);
    double bent = k * k - 1, R = ring->radius;
    return PI * ring->bending * bent * bent / (R * R * R);
}

double nt_ring_damping(const nt_ring *ring, int mode)
{
    return 2 * ring->damping * sqrt(nt_ring_mass(ring, mode) * nt_ring_stiffness(ring, mode));
}
