/* The semi-explicit method: expensive soft forces once per step, stiff cheap ones implicitly.
 *
 *   Modin, Fritzson & Fuehrer 2007, (5), (6); step sizes by stability (15)
 *
 * In the words of splitting.h sigma = 1/2: x = h v + h^2/2 (A + B). Stable for B = 0 where
 * h c <= 2 - alpha h^2 k and h c >= (1/2 - alpha) h^2 k (theorem 3); with beta >= 1/2 B adds no
 * limit (theorem 6). Of first order, and of second for alpha = beta = 1/2 where A does not depend
 * on velocities: so gyroscopic forces, which the paper counts among A, may be taken with B.
 *
 * Undamped stiff B is hardly damped: its amplification tends to (beta - 1)/beta as h^2 k grows, -1
 * for beta = 1/2. The default is above. */
#include "base/error.h"
#include "method/splitting/splitting.h"

enum { EQUAL, STABILITY, SUNDMAN };

static const char *const sides[] = {"explicit", "implicit", NULL};
static const char *const ways[] = {"equal", "stability", "sundman", NULL};

static const nt_option_key options[] = {
    NT_NEWTON_OPTION_KEYS,
    {"alpha", NT_REAL, 0.5, 0, 1, "", NULL, "where in the step the explicit forces are taken"},
    {"beta", NT_REAL, 0.6, 0.5, 1, "", NULL,
     "where in the step the implicit forces are taken; 0.5: undamped"},
    {"gyroscopic", NT_CHOICE, 0, 0, 1, "", sides,
     "which forces the gyroscopic ones of bodies are counted among"},
    {"steps", NT_CHOICE, 0, 0, 2, "", ways,
     "equal, or by error where a tolerance is given; by the stability of the explicit "
     "forces; or of sizes epsilon/sqrt(stiffness), a time transformation"},
    {"stability_limit", NT_REAL, (double)NAN, 1e-6, 1e6, "", NULL,
     "largest h^2 stiffness with steps: stability; 2/alpha where none is given"},
    {"epsilon", NT_REAL, 1, 1e-12, 1e6, "", NULL,
     "step times the square root of the stiffness with steps: sundman"},
};

/* Of the limit, so that a stiffness that grows within the step does no harm. */
static const double SAFETY = 0.9;

static nt_splitting splitting_of(const nt_options *option)
{
    nt_splitting c = {.alpha = nt_options_get(option, NT_OPTION_ALPHA),
                      .beta = nt_options_get(option, NT_OPTION_BETA),
                      .sigma = 0.5};
    bool with_B = nt_options_get(option, NT_OPTION_GYROSCOPIC) == 1;
    c.explicit_parts = with_B ? NT_EXPLICIT : NT_EXPLICIT | NT_GYROSCOPIC;
    c.implicit_parts = with_B ? NT_IMPLICIT | NT_GYROSCOPIC : NT_IMPLICIT;
    c.measures = nt_options_get(option, NT_OPTION_STEPS) != EQUAL;
    return c;
}

static nt_status layout(const nt_problem *problem, const nt_options *option, nt_layout *sizes,
                        nt_error *error)
{
    nt_splitting_layout(problem, sizes);
    sizes->proposes = nt_options_get(option, NT_OPTION_STEPS) != EQUAL;
    if (sizes->proposes && nt_options_get(option, NT_OPTION_ALPHA) == 0)
        return nt_fail(
            error, NT_INVALID,
            "steps by stiffness compare forces at two places of the first step, and alpha = 0 "
            "leaves one: "
            "expected alpha > 0");
    return NT_OK;
}

static nt_status step(nt_stepper *s, double h)
{
    nt_splitting c = splitting_of(s->options);
    return nt_splitting_step(s, &c, h);
}

/* A stiffness of zero proposes twice the step. */
static double propose(nt_stepper *s, double h)
{
    const nt_options *option = s->options;
    double stiffness = nt_splitting_stiffness(s);
    if (nt_options_get(option, NT_OPTION_STEPS) == EQUAL)
        return 0;
    if (nt_options_get(option, NT_OPTION_STEPS) == SUNDMAN)
        return stiffness > 0 ? nt_options_get(option, NT_OPTION_EPSILON) / sqrt(stiffness) : 2 * h;
    double limit = !isnan(nt_options_get(option, NT_OPTION_STABILITY_LIMIT))
                       ? nt_options_get(option, NT_OPTION_STABILITY_LIMIT)
                       : 2 / nt_options_get(option, NT_OPTION_ALPHA);
    double stable = stiffness > 0 ? sqrt(SAFETY * limit / stiffness) : 2 * h;
    return fmin(stable, 2 * h);
}

static nt_status linearise(nt_stepper *s, double h, const nt_directions *directions,
                           const double *before, double *after)
{
    nt_splitting c = splitting_of(s->options);
    return nt_splitting_linearise(s, &c, h, directions, before, after);
}

const nt_method nt_method_semi_explicit = {
    .name = "semi-explicit",
    .summary = "expensive forces once per step, stiff ones implicitly",
    .reference = "Modin, Fritzson & Fuehrer 2007, (5), (6)",
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
    .propose = propose,
    .linearise = linearise,
};
