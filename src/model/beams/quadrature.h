/* Rules of integration on [-1, 1] and Lagrange polynomials. */
#ifndef NUTATE_MODEL_QUADRATURE_H
#define NUTATE_MODEL_QUADRATURE_H

enum { NT_MOST_POINTS = 128 };

/* Gauss' rule: n points, exact to degree 2n - 1. n from 1 to NT_MOST_POINTS. */
void nt_gauss(int n, double *x, double *w);

/* The Gauss-Lobatto rule, both ends included: n points, exact to degree 2n - 3. n from 2 on. */
void nt_gauss_lobatto(int n, double *x, double *w);

/* The n Lagrange polynomials on nodes x[n] at xi: values and derivatives. */
void nt_lagrange(int n, const double *x, double xi, double *value, double *slope);

#endif
