/* Symplectic Euler and its adjoint on vector spaces.
 *
 *   Hairer, Lubich & Wanner, Geometric Numerical Integration (2006), section I.1.2
 *   Krysl, Explicit Newmark algorithm for rotational dynamics (2005), section 2
 *
 *   Phi_h    v1 = v + h a(q, v, t),   q1 = q + h v1
 *   Phi*_h   q1 = q + h v,            v1 = v + h a(q1, v1, t1)        M a = f
 *
 * First order; symplectic for forces of position and time. */
#include "method/rotations/composition.h"

/* Phi_h and Phi*_h */
static const nt_composition euler[2] = {
    {.part = nt_whole_step, .stages = 1, .drifts = 1, .first = 1, .on_vector_space = true},
    {.part = nt_whole_step, .stages = 1, .drifts = 1, .last = 1, .on_vector_space = true}};

static const nt_option_key options[] = {
    NT_PUSH_OPTION_KEYS,
    {"adjoint", NT_BOOLEAN, 0, 0, 1, "", NULL,
     "positions first, then velocities by the forces at the end of the step"},
};

const nt_method nt_method_symplectic_euler = {
    .name = "symplectic-euler",
    .summary = "symplectic Euler or its adjoint on vector spaces, order 1",
    .reference = "Hairer, Lubich & Wanner 2006, I.1.2; Krysl 2005, section 2",
    .needs = NT_NEEDS_TANGENT | NT_VECTOR_SPACE | NT_RATES_WITHIN | NT_STAGGERED,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .frames = NT_IN_BOTH_FRAMES,
    .scheme = euler,
    .layout = nt_composition_layout,
    .start = nt_start_without_memory,
    .step = nt_composition_step,
    .linearise = nt_composition_linearise,
};
