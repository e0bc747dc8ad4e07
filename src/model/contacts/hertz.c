/* Hertz's contact: Johnson, Contact Mechanics, 1985, chapter 4.
 *
 * With the relative radii R_x <= R_y of the two principal planes, S = 1/R_x + 1/R_y, the ratio
 * k = b/a of the semi-axes, K and E the complete elliptic integrals of the parameter 1 - k^2,
 *
 *   (E/k^2 - K)/(K - E) = R_y/R_x
 *   a^3   = 3 E Q/(pi E* k^2 S)                           =: a1^3 Q,    b = k a
 *   delta = 3 K Q^(2/3)/(2 pi E* a1),                     so Q = K_H delta^1.5
 *   p_0   = 3 Q/(2 pi a b)
 *
 * and a = a1 K_H^(1/3) sqrt(delta). The arithmetic-geometric mean gives both integrals:
 *
 *   a_0 = 1, b_0 = k, c_0^2 = 1 - k^2;   a' = (a + b)/2, b' = sqrt(a b), c' = (a - b)/2
 *   K = pi/(2 a_n),   E = K (1 - sum 2^(n-1) c_n^2)
 *
 * Fits, with r = R_y/R_x. Hamrock & Brewe, Simplified solution for stresses and deformations,
 * Journal of Lubrication Technology 105, 1983: 1/k = 1.0339 r^.636, E = 1.0003 + .5968/r,
 * K = 1.5277 + .6023 ln r. The simple one, with q = pi/2 - 1: 1/k = r^(2/pi), E = 1 + q/r,
 * K = pi/2 + q ln r. */
#include "model/contacts/hertz.h"
#include "base/number.h"

#include <math.h>

void nt_elliptic(double ratio, double *K, double *E)
{
    enum { ROUNDS = 9 }; /* the error is squared in each: six are enough for ratios above 1e-2 */
    double a = 1, b = ratio, sum = 0.5 * (1 - ratio * ratio), power = 1;
    for (int i = 0; i < ROUNDS; i++) {
        double c = 0.5 * (a - b), mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
        sum += power * c * c;
        power *= 2;
    }
    *K = NT_PI / (2 * a);
    *E = *K * (1 - sum);
}

double nt_hertz_compliance(const double young[2], const double poisson[2])
{
    return (1 - poisson[0] * poisson[0]) / young[0] + (1 - poisson[1] * poisson[1]) / young[1];
}

/* R_y/R_x of the ellipse whose semi-axes have the ratio exp(-x). */
static double radii_of(double x)
{
    double k = exp(-x), K, E;
    nt_elliptic(k, &K, &E);
    return (E / (k * k) - K) / (K - E);
}

/* The ellipse is a circle to rounding: there the equation is 0/0. To first order of 1 - k it is
 * R_y/R_x = 1 + 3 (1 - k)/2, as 1/k = r^(2/3) says. */
static const double NEARLY_CIRCLE = 1.0001;

/* Bisection in x = -ln k, which lies between ln(r)/2 and ln(r): k is between 1/r and 1/sqrt(r). */
static double ratio_of(double r)
{
    if (r < NEARLY_CIRCLE)
        return pow(r, -2.0 / 3);
    double low = 0.5 * log(r), high = log(r);
    for (int i = 0; i < 60; i++) {
        double x = 0.5 * (low + high);
        *(radii_of(x) < r ? &low : &high) = x;
    }
    return exp(-0.5 * (low + high));
}

nt_hertz nt_hertz_find(const double curvature[2], double compliance, nt_hertz_formula formula)
{
    double smaller = fmin(curvature[0], curvature[1]), larger = fmax(curvature[0], curvature[1]);
    double r = larger / smaller, k, K, E, q = NT_PI / 2 - 1;
    if (!(smaller > 0) || !(compliance > 0))
        return (nt_hertz){(double)NAN, (double)NAN, (double)NAN, (double)NAN};
    switch (formula) {
    case NT_HERTZ_HAMROCK_BREWE:
        k = pow(r, -0.636) / 1.0339;
        E = 1.0003 + 0.5968 / r;
        K = 1.5277 + 0.6023 * log(r);
        break;
    case NT_HERTZ_SIMPLE:
        k = pow(r, -2 / NT_PI);
        E = 1 + q / r;
        K = NT_PI / 2 + q * log(r);
        break;
    case NT_HERTZ_EXACT:
    default:
        k = ratio_of(r);
        nt_elliptic(k, &K, &E);
    }
    double a1 = cbrt(3 * E * compliance / (NT_PI * k * k * (smaller + larger)));
    double per_load = 3 * K * compliance / (2 * NT_PI * a1); /* delta / Q^(2/3) */
    double load = 1 / (per_load * sqrt(per_load));
    return (nt_hertz){.K = load, .semi_axis = a1 * cbrt(load), .ratio = k, .E = E};
}

double nt_hertz_pressure(const nt_hertz *hertz, double indentation)
{
    double a = hertz->semi_axis; /* both of the axes grow with sqrt(delta) */
    return 3 * hertz->K * sqrt(fmax(indentation, 0)) / (2 * NT_PI * a * a * hertz->ratio);
}
