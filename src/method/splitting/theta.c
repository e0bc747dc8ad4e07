/* The theta method, one-leg: every force implicitly at one point of the step.
 *
 *   z1 = z0 + h F((1 - theta) z0 + theta z1),   z = (q, v)
 *
 * compared by Modin, Fritzson & Fuehrer 2007 with their splitting. In the words of splitting.h
 * there is no A, beta = theta, and x = h v_m = h v0 + theta h^2 a, so sigma = theta. Of second
 * order for theta = 1/2, the midpoint rule, and of first above it. */
#include "method/splitting/splitting.h"

static const nt_option_key options[] = {
    NT_NEWTON_OPTION_KEYS,
    {"theta", NT_REAL, 0.5, 0.5, 1, "", NULL,
     "where in the step forces and velocities are taken; 0.5: the midpoint rule, 1: "
     "implicit Euler"},
};

static nt_splitting splitting_of(const nt_options *option)
{
    return (nt_splitting){.beta = nt_options_get(option, NT_OPTION_THETA),
                          .sigma = nt_options_get(option, NT_OPTION_THETA),
                          .implicit_parts = NT_EXPLICIT | NT_IMPLICIT | NT_GYROSCOPIC};
}

static nt_status layout(const nt_problem *problem, const nt_options *option, nt_layout *sizes,
                        nt_error *error)
{
    (void)option, (void)error;
    nt_splitting_layout(problem, sizes);
    return NT_OK;
}

static nt_status step(nt_stepper *s, double h)
{
    nt_splitting c = splitting_of(s->options);
    return nt_splitting_step(s, &c, h);
}

static nt_status linearise(nt_stepper *s, double h, const nt_directions *directions,
                           const double *before, double *after)
{
    nt_splitting c = splitting_of(s->options);
    return nt_splitting_linearise(s, &c, h, directions, before, after);
}

const nt_method nt_method_theta = {
    .name = "theta",
    .summary = "one-leg theta method: midpoint rule to implicit Euler",
    .reference = "Modin, Fritzson & Fuehrer 2007, section 4",
    .needs = NT_NEEDS_TANGENT | NT_HOLONOMIC | NT_NONHOLONOMIC | NT_CONTROLS_ERROR | NT_FIRST_ORDER,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .frames = NT_IN_BOTH_FRAMES,
    .error_order = 2,
    .layout = layout,
    .start = nt_splitting_start,
    .step = step,
    .error = nt_splitting_error,
    .review = nt_splitting_review,
    .linearise = linearise,
};
