/* The parabola L through three points (t_i, g_i), L(t) = sum w_i(t) g_i. */
#ifndef NUTATE_OUTPUT_PARABOLA_H
#define NUTATE_OUTPUT_PARABOLA_H

#include <stdbool.h>

enum { NT_PARABOLA_POINTS = 3 };

/* Whether neighbouring steps differ by no more than a factor of four: else the parabola is little
 * more than an extrapolation. */
bool nt_parabola_is_even(const double t[NT_PARABOLA_POINTS]);

/* w_i(at) */
void nt_parabola_weights(const double t[NT_PARABOLA_POINTS], double at,
                         double w[NT_PARABOLA_POINTS]);

/* W_i, int L dt = sum W_i g_i over the step from t[k] to t[k + 1]; of the straight line where steps
 * are uneven. */
void nt_parabola_areas(const double t[NT_PARABOLA_POINTS], int k, double W[NT_PARABOLA_POINTS]);

/* The time *at of the top; false where the parabola has none. */
bool nt_parabola_top(const double t[NT_PARABOLA_POINTS], const double g[NT_PARABOLA_POINTS],
                     double *at);

#endif
