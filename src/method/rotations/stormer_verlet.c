/* Stormer and Verlet's method, the explicit Newmark method with gamma = 1/2, beta = 0.
 *
 *   Hairer, Lubich & Wanner, Geometric Numerical Integration (2006), section I.1.4
 *   Krysl, Explicit Newmark algorithm for rotational dynamics (2005), equation (5)
 *
 *   v_1/2 = v + (h/2) a,   q1 = q + h v_1/2,   v1 = v_1/2 + (h/2) a1,   M a1 = f(q1, v1, t1)
 *
 * on a vector space: the composition of symplectic Euler over h/2 and its adjoint. Second order,
 * symmetric; symplectic for forces of position and time. The acceleration that ends a step begins
 * the next. Where forces depend on velocities, or the mass matrix on positions, the last kick is
 * implicit and the method stays symmetric. */
#include "method/rotations/composition.h"

static const nt_composition verlet = {.part = nt_whole_step,
                                      .stages = 1,
                                      .drifts = 1,
                                      .first = 0.5,
                                      .last = 0.5,
                                      .on_vector_space = true};

const nt_method nt_method_stormer_verlet = {
    .name = "stormer-verlet",
    .summary = "explicit Newmark method on vector spaces, symplectic, order 2",
    .reference = "Hairer, Lubich & Wanner 2006, I.1.4; Krysl 2005, equation (5)",
    .needs = NT_NEEDS_TANGENT | NT_VECTOR_SPACE | NT_RATES_WITHIN,
    .options = nt_push_options,
    .n_options = NT_PUSH_OPTIONS,
    .frames = NT_IN_BOTH_FRAMES,
    .scheme = &verlet,
    .layout = nt_composition_layout,
    .start = nt_start_without_memory,
    .step = nt_composition_step,
    .linearise = nt_composition_linearise,
};
