/* Rules of integration on [-1, 1] and Lagrange polynomials. */
#ifndef NUTATE_MODEL_QUADRATURE_H
#define NUTATE_MODEL_QUADRATURE_H

enum { NT_MOST_POINTS = 128, NT_MOST_MODES = 20 };

/* Gauss' rule: n points, exact to degree 2n - 1. n from 1 to NT_MOST_POINTS. */
void nt_gauss(int n, double *x, double *w);

/* The Gauss-Lobatto rule, both ends included: n points, exact to degree 2n - 3. n from 2 on. */
void nt_gauss_lobatto(int n, double *x, double *w);

/* n equal parts less one, both ends included; its error is of second order in their length. n from
 * 2 on. */
void nt_trapezoidal(int n, double *x, double *w);

/* How wrong a rule's flexibility of an element of order p is, relative to the exact one: of two
 * bending moments, one that is uniform and one that falls linearly to nothing, the larger error.
 * x[n], w[n]: the rule. Infinite where it leaves some strain without resistance. p from 1 to
 * NT_MOST_MODES. */
double nt_flexibility_error(int p, int n, const double *x, const double *w);

/* The least n with which the trapezoidal rule's flexibility is right to `error`, at most
 * NT_MOST_POINTS. */
int nt_trapezoidal_points(int p, double error);

/* Legendre's polynomials P_0 .. P_(n-1) at x. */
void nt_legendre(int n, double x, double *P);

/* The n Lagrange polynomials on nodes x[n] at xi: values and derivatives. */
void nt_lagrange(int n, const double *x, double xi, double *value, double *slope);

#endif
