/* Compositions of order four and six of the explicit Newmark method on the rotation group.
 *
 *   Hairer, Lubich & Wanner, Geometric Numerical Integration (2006), sections II.4 and V.3.2
 *   order 4: Suzuki 1990, Phys. Lett. A 146, 319: five stages
 *   order 6: Kahan & Li 1997, Math. Comp. 66, 1089: nine stages
 *
 * Xi_h of lie_newmark.c is symmetric, so Xi_{g_s h} o ... o Xi_{g_1 h} with g_i = g_{s+1-i} and
 *
 *   sum g_i = 1,   sum g_i^3 = 0   (order 4),   sum g_i^5 = 0 and a fourth condition   (order 6)
 *
 * is symmetric and symplectic too. Among the sets with fewest stages (3 and 7) the substeps are
 * larger than the step itself; these two have a few stages more, substeps below 0.8 h, and error
 * constants smaller by more than the stages cost. Some substeps go backwards in time: forces must
 * not depend on velocities, or damping would feed them. Stages share the push where they meet: one
 * evaluation per stage. */
#include "method/rotations/composition.h"

/* Suzuki: g = 1/(4 - 4^(1/3)), 1 - 4 g in the middle. */
static const double order_4[] = {
    0.41449077179437573714235406286076,  0.41449077179437573714235406286076,
    -0.65796308717750294856941625144305, 0.41449077179437573714235406286076,
    0.41449077179437573714235406286076,
};

/* Kahan & Li, the set s9odr6a; Hairer, Lubich & Wanner (V.3.11). */
static const double order_6[] = {
    0.39216144400731413927925056,  0.33259913678935943859974864, -0.70624617255763935980996482,
    0.08221359629355080023149045,  0.79854399093482996339895035, 0.08221359629355080023149045,
    -0.70624617255763935980996482, 0.33259913678935943859974864, 0.39216144400731413927925056,
};

static const nt_composition xi_4 = {.part = order_4,
                                    .stages = sizeof order_4 / sizeof *order_4,
                                    .drifts = 2,
                                    .first = 0.5,
                                    .last = 0.5};

static const nt_composition xi_6 = {.part = order_6,
                                    .stages = sizeof order_6 / sizeof *order_6,
                                    .drifts = 2,
                                    .first = 0.5,
                                    .last = 0.5};

const nt_method nt_method_lie_newmark_4 = {
    .name = "lie-newmark-4",
    .summary = "composition of five steps of lie-newmark, symplectic, order 4",
    .reference = "Suzuki 1990, Fractal decomposition of exponential operators; Krysl 2005",
    .needs = NT_NEEDS_MOMENTA | NT_NEEDS_POSITION_FORCES | NT_RATES_WITHIN,
    .frames = NT_IN_FRAME(NT_BODY),
    .scheme = &xi_4,
    .layout = nt_composition_layout,
    .start = nt_momenta_start,
    .step = nt_composition_step,
    .linearise = nt_composition_linearise,
};

const nt_method nt_method_lie_newmark_6 = {
    .name = "lie-newmark-6",
    .summary = "composition of nine steps of lie-newmark, symplectic, order 6",
    .reference = "Kahan & Li 1997, Composition constants for raising the orders; Krysl 2005",
    .needs = NT_NEEDS_MOMENTA | NT_NEEDS_POSITION_FORCES | NT_RATES_WITHIN,
    .frames = NT_IN_FRAME(NT_BODY),
    .scheme = &xi_6,
    .layout = nt_composition_layout,
    .start = nt_momenta_start,
    .step = nt_composition_step,
    .linearise = nt_composition_linearise,
};
