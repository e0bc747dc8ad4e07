/* Dormand & Prince 5(4) on Lie groups.
 *
 *   Dormand & Prince 1980, A family of embedded Runge-Kutta formulae, J. Comp. Appl. Math. 6
 *   Hairer, Norsett & Wanner 1993, Solving ODEs I: table 5.2; dense output of order 4: section II.6
 *
 * Six evaluations a step; the end is the first stage of the next. rkmk.h has the equations. */
#include "method/runge_kutta/rkmk.h"

enum { STAGES = 6, KEPT = 7 };

static const double c[KEPT] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};

/* a[i][j]: the weight of K_j in the point of stage i; row STAGES: in the end of the step (b) */
static const double a[KEPT][KEPT] = {
    [1] = {1.0 / 5},
    [2] = {3.0 / 40, 9.0 / 40},
    [3] = {44.0 / 45, -56.0 / 15, 32.0 / 9},
    [4] = {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    [5] = {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    [STAGES] = {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
};

/* b minus the weights of the embedded method of order 4 */
static const double error_weights[1][KEPT] = {
    {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40},
};

/* of the continuous extension */
static const double dense[1][KEPT] = {
    {-12715105075.0 / 11282082432, 0, 87487479700.0 / 32700410799, -10690763975.0 / 1880347072,
     701980252875.0 / 199316789632, -1453857185.0 / 822651844, 69997945.0 / 29380423},
};

static const nt_rkmk_table table = {.stages = STAGES,
                                    .kept = KEPT,
                                    .errors = 1,
                                    .dense_rows = 1,
                                    .c = c,
                                    .a = a[0],
                                    .error = error_weights[0],
                                    .dense = dense[0]};

const nt_method nt_method_rkmk_dopri5 = {
    .name = "rkmk-dopri5",
    .summary = "explicit Runge-Kutta-Munthe-Kaas, Dormand-Prince 5(4), error control",
    .reference = "Munthe-Kaas 1998; Dormand & Prince 1980; Hairer, Norsett & Wanner 1993, table "
                 "5.2",
    .error_order = 5,
    .scheme = &table,
    NT_RKMK_SLOTS,
};
