/* Rules of integration and Lagrange polynomials; see quadrature.h. */
#include "model/beams/quadrature.h"

#include <math.h>
#include <stdbool.h>

/* Legendre's polynomial of degree n at x by its recurrence, and its derivative. */
static void legendre(int n, double x, double *value, double *slope)
{
    double before = 1, p = x;
    for (int k = 2; k <= n; k++) {
        double next = ((2 * k - 1) * x * p - (k - 1) * before) / k;
        before = p;
        p = next;
    }
    *value = n == 0 ? 1 : p;
    *slope = n == 0 ? 0 : n * (before - x * p) / (1 - x * x);
}

/* Newton from the asymptotic places of the zeros of P_n. */
void nt_gauss(int n, double *x, double *w)
{
    for (int i = 0; i < n; i++) {
        double z = -cos(acos(-1.0) * (i + 0.75) / (n + 0.5)), p, slope;
        for (int k = 0; k < 10; k++) {
            legendre(n, z, &p, &slope);
            z -= p / slope;
        }
        legendre(n, z, &p, &slope);
        x[i] = 2 * i + 1 == n ? 0 : z;
        w[i] = 2 / ((1 - z * z) * slope * slope);
    }
}

/* Inner points are zeros of P'_(n-1): (1 - x^2) P'' = 2 x P' - n (n - 1) P. */
void nt_gauss_lobatto(int n, double *x, double *w)
{
    int m = n - 1;
    for (int i = 0; i < n; i++) {
        double z = -cos(acos(-1.0) * i / m), p = 1, slope;
        bool inner = i > 0 && i < m;
        for (int k = 0; inner && k < 12; k++) {
            legendre(m, z, &p, &slope);
            z -= slope * (1 - z * z) / (2 * z * slope - m * (m + 1) * p);
        }
        if (inner)
            legendre(m, z, &p, &slope);
        x[i] = !inner ? (i == 0 ? -1 : 1) : 2 * i == m ? 0 : z;
        w[i] = 2 / (m * (m + 1) * p * p);
    }
}

void nt_lagrange(int n, const double *x, double xi, double *value, double *slope)
{
    for (int i = 0; i < n; i++) {
        value[i] = 1;
        slope[i] = 0;
        for (int j = 0; j < n; j++)
            if (j != i) {
                double d = 1 / (x[i] - x[j]);
                slope[i] = (slope[i] * (xi - x[j]) + value[i]) * d;
                value[i] *= (xi - x[j]) * d;
            }
    }
}
