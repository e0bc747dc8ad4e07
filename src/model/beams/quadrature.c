/* Rules of integration and Lagrange polynomials; see quadrature.h. */
#include "model/beams/quadrature.h"

#include "linalg/dense.h"

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

void nt_trapezoidal(int n, double *x, double *w)
{
    for (int i = 0; i < n; i++) {
        x[i] = -1 + 2.0 * i / (n - 1);
        w[i] = (i == 0 || i == n - 1 ? 1.0 : 2.0) / (n - 1);
    }
}

/* The curvature is a polynomial of degree p - 1, kappa = Sum c_k P_k. Under a moment m it follows
 * from A c = b with A_kl = Sum_q w P_k P_l and b_k = the integral of P_k m, which the nodes carry
 * exactly, and the flexibility is b . c; the exact one is that of A = diag(2/(2k + 1)). */
double nt_flexibility_error(int p, int n, const double *x, const double *w)
{
    double A[NT_MOST_MODES * NT_MOST_MODES] = {0}, P[NT_MOST_MODES], slope, worst = 0;
    int pivot[NT_MOST_MODES];
    for (int q = 0; q < n; q++) {
        for (int k = 0; k < p; k++)
            legendre(k, x[q], &P[k], &slope);
        for (int k = 0; k < p; k++)
            for (int l = 0; l < p; l++)
                A[k * p + l] += w[q] * P[k] * P[l];
    }
    if (nt_dense_factor(p, A, pivot) >= 0)
        return (double)INFINITY;
    for (int falls = 0; falls < 2; falls++) {
        double b[2] = {2, falls && p > 1 ? 2.0 / 3 : 0}, c[NT_MOST_MODES] = {b[0], b[1]};
        double exact = 2 + (falls && p > 1 ? 2.0 / 3 : 0);
        nt_dense_solve(p, A, pivot, c);
        double error = (b[0] * c[0] + b[1] * (p > 1 ? c[1] : 0)) / exact - 1;
        worst = fabs(error) > fabs(worst) ? error : worst;
    }
    return worst;
}

int nt_trapezoidal_points(int p, double error)
{
    double x[NT_MOST_POINTS], w[NT_MOST_POINTS];
    for (int n = p > 2 ? p : 2; n < NT_MOST_POINTS; n++) {
        nt_trapezoidal(n, x, w);
        if (fabs(nt_flexibility_error(p, n, x, w)) < error)
            return n;
    }
    return NT_MOST_POINTS;
}

void nt_legendre(int n, double x, double *P)
{
    for (int l = 0; l < n; l++)
        P[l] = l == 0 ? 1 : l == 1 ? x : ((2 * l - 1) * x * P[l - 1] - (l - 1) * P[l - 2]) / l;
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
