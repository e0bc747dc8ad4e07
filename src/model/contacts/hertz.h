/* Two smooth elastic surfaces that touch at a point (Hertz): the load over the indentation, the
 * ellipse of contact, its pressure. */
#ifndef NUTATE_MODEL_HERTZ_H
#define NUTATE_MODEL_HERTZ_H

/* How the two elliptic integrals are found. */
typedef enum nt_hertz_formula {
    NT_HERTZ_EXACT,
    NT_HERTZ_HAMROCK_BREWE, /* fit of Hamrock & Brewe 1983 */
    NT_HERTZ_SIMPLE,        /* fit by logarithms, Hamrock & Dowson 1981 */
} nt_hertz_formula;

/* With Q = K delta^1.5 the semi-axes are a = semi_axis sqrt(delta) >= b = ratio a, m. */
typedef struct nt_hertz {
    double K;         /* N/m^1.5                                                   */
    double semi_axis; /* m^.5, of the major axis                                   */
    double ratio;     /* b / a, at most 1                                          */
    double E;         /* elliptic integral of the second kind, parameter 1 - ratio^2 */
} nt_hertz;

/* Complete elliptic integrals of the first and second kind, parameter m = 1 - ratio^2 in [0, 1[. */
void nt_elliptic(double ratio, double *K, double *E);

/* 1 / E*, 1/Pa, of two materials: Young's moduli in Pa, Poisson's ratios. */
double nt_hertz_compliance(const double young[2], const double poisson[2]);

/* Relative curvatures in the two principal planes, 1/m, both positive; compliance 1/E*, 1/Pa. All
 * are NaN where a curvature is not positive. */
nt_hertz nt_hertz_find(const double curvature[2], double compliance, nt_hertz_formula formula);

/* Largest pressure at an indentation, Pa. */
double nt_hertz_pressure(const nt_hertz *hertz, double indentation);

#endif
