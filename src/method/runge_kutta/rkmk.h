/* Explicit Runge-Kutta-Munthe-Kaas methods: what they share. A method supplies its coefficients.
 *
 *   Munthe-Kaas 1998, Runge-Kutta methods on Lie groups, BIT 38
 *   Hairer, Norsett & Wanner 1993, Solving ODEs I, section II.4-II.6 (error, dense output)
 *   Hairer & Wanner 1996, Solving ODEs II, section VII.2 (projection)
 *
 * The motion is q' = v, v' = a(t, q, v) with the accelerations of the constrained system. From q_n
 * on it is followed in the local coordinate x of the step, q = q_n o exp(x) in the frame of
 * increments, where it is an ordinary differential equation in R^2nv, exactly:
 *
 *   y = (x, v),   y' = (T(x)^-1 v, a(t, q_n o exp(x), v)),   y_n = (0, v_n).
 *
 * Every Runge-Kutta method keeps its order, error estimate and dense output there.
 *
 *   K_i   = y'(t_n + c_i h, y_n + h sum_j<i a_ij K_j)           i = 0 ... stages - 1
 *   y_1~  = y_n + h sum_i b_i K_i                               then back to the constraints: y_1
 *   K_end = y'(t_n + h, y_1)                                    the first stage of the next step
 *
 * The way back moves y by the size of the local error and so changes no order. It is the same
 * for the error estimate (from the K_i) and for dense output, which is
 *
 *   u(s) = y_n + s (D + (1-s) (h K_0 - D + s (2 D - h K_0 - h K_end + (1-s) (R_0 + s (R_1 + (1-s)
 *          (R_2 + s R_3)))))),   D = y_1 - y_n,   R_k = h sum_j d_kj K_j,   0 <= s <= 1:
 *
 * D enters as s^2 (3 - 2 s), so that the way back is spread smoothly over the step, and q, v and
 * their rates are continuous from step to step. */
#ifndef NUTATE_METHOD_RKMK_H
#define NUTATE_METHOD_RKMK_H

#include "method/method.h"

/* Coefficients of a method. K has `kept` rows: the stages, the end, then what dense output alone
 * needs. */
typedef struct nt_rkmk_table {
    int stages, kept, errors, dense_rows;
    const double *c;     /* [kept] */
    const double *a;     /* [kept][kept], row `stages` is b                             */
    const double *error; /* [errors][kept] b minus embedded weights: one estimate, or two that
                            are combined */
    const double *dense; /* [dense_rows][kept] d                                         */
} nt_rkmk_table;

enum { NT_RKMK_MOST = 16 }; /* rows of K */

/* The slots of a method whose `scheme` is an nt_rkmk_table. */
nt_status nt_rkmk_layout(const nt_problem *problem, const nt_options *options, nt_layout *sizes,
                         nt_error *error);
nt_status nt_rkmk_start(nt_stepper *stepper);
nt_status nt_rkmk_step(nt_stepper *stepper, double h);
nt_status nt_rkmk_error(nt_stepper *stepper, double h, double *estimate);
double nt_rkmk_propose(nt_stepper *stepper, double h);
nt_status nt_rkmk_interpolate(nt_stepper *stepper, const nt_phase *from, const nt_phase *to,
                              double t, nt_phase *out);
nt_status nt_rkmk_linearise(nt_stepper *stepper, double h, const nt_directions *directions,
                            const double *before, double *after);
nt_status nt_rkmk_vary_dense(nt_stepper *stepper, const nt_phase *from, const nt_phase *to,
                             double t, const nt_directions *directions, const double *before,
                             const double *after, double *between);
int nt_rkmk_reach(nt_stepper *stepper, const nt_phase *at, double h, char *text, int size);

/* What the descriptors of these methods have in common. */
#define NT_RKMK_SLOTS                                                                              \
    .needs =                                                                                       \
        NT_NEEDS_TANGENT | NT_HOLONOMIC | NT_NONHOLONOMIC | NT_CONTROLS_ERROR | NT_FIRST_ORDER,    \
    .frames = NT_IN_BOTH_FRAMES, .layout = nt_rkmk_layout, .start = nt_rkmk_start,                 \
    .step = nt_rkmk_step, .error = nt_rkmk_error, .propose = nt_rkmk_propose,                      \
    .interpolate = nt_rkmk_interpolate, .linearise = nt_rkmk_linearise,                            \
    .vary_dense = nt_rkmk_vary_dense, .reach = nt_rkmk_reach

/* ---- inside --------------------------------------------------------------------------------- */

/* Method memory: how many rows of K are there, then D[2 nv] and K[kept][2 nv]. */
enum { NT_RKMK_ROWS, NT_RKMK_HEAD };

static inline double *nt_rkmk_D(const nt_phase *phase) { return phase->method + NT_RKMK_HEAD; }

static inline double *nt_rkmk_K(const nt_problem *problem, const nt_phase *phase, int row)
{
    return nt_rkmk_D(phase) + 2 * (size_t)problem->nv * (size_t)(row + 1);
}

/* Adds the scratch of `linearise`. */
void nt_rkmk_linear_layout(const nt_rkmk_table *table, const nt_problem *problem, nt_layout *sizes);

/* z[n] = h sum_j weight_j K_j, K[count][n] */
void nt_rkmk_combine(const double *K, int n, const double *weight, int count, double h, double *z);

/* b_j(s) of the K_j, and of D (returned), from the nested form in the head of this file. */
double nt_rkmk_weights(const nt_rkmk_table *table, double s, double *weight);

#endif
