/* The methods of splitting.h: expensive soft forces A once per step, stiff cheap ones B implicitly.
 *
 *   semi-explicit     Modin, Fritzson & Fuehrer 2007, (5), (6); step sizes by stability (15)
 *   semi-explicit-2   the same with A at a predicted middle of the step
 *   theta             section 4, the one-leg method that they compare theirs with
 *
 * *semi-explicit*: sigma = 1/2, x = h v + h^2/2 (A + B). Stable for B = 0 where h c <= 2 - alpha
 * h^2 k and h c >= (1/2 - alpha) h^2 k (theorem 3); with beta >= 1/2 B adds no limit (theorem 6).
 * Of first order, and of second for alpha = beta = 1/2 where A does not depend on velocities: so
 * gyroscopic forces, which the paper counts among A, may be taken with B.
 *
 * *semi-explicit-2*: A at the middle of the step, where a_p, extrapolated from the accelerations
 * a_1 and a_2 of the last two steps (h_1 and h_2 long) to a quarter of this one, leads,
 *
 *   a_p = a_1 + (h/4 + h_1/2)/((h_1 + h_2)/2) (a_1 - a_2),
 *   q_p = q0 o exp(h v0/2 + h^2 a_p/8),   v_p = v0 + h a_p/2,   A at (q_p, v_p, t0 + h/2),
 *
 * is of second order with one evaluation per step, whatever A depends on, for steps of any sizes.
 * Where that is reactions, they are those of a_1 and of the acceleration before a_2, straight on to
 * the middle of this step (of first order: those of the last step).
 * At the start, and after an event or a refresh, a_1 is the acceleration there, at a distance of
 * zero. Blocks that A alone acts on get two terms more (splitting_own.h),
 *
 *   (M + h/2 D)(a - a_p) = A - M a_p,     x = h v0 + h^2/2 (a - (a - a_1) h/(6 (h/2 + h_1/2))),
 *
 * D = -dA/dv of the block alone, from the same evaluation: friction then sets no limit but that it
 * must not swing (NT_SPLITTING_TURNS), and where it acts between bodies of like mass, which
 * elements may leave out of D (pockets of bearings); any D keeps the order; and what the change of
 * a within the step does to positions. Stable to h w = 1.2, where w^2 is the largest eigenvalue of
 * M^-1 K_A; a mode without any damping grows by at most 1.0012 a step (h w = 0.6), a damping ratio
 * of 0.002 stops that.
 *
 * *theta*: z1 = z0 + h F((1 - theta) z0 + theta z1), z = (q, v): no A, beta = theta, and x = h v_m
 * = h v0 + theta h^2 a, so sigma = theta. Of second order for theta = 1/2, the midpoint rule, and
 * of first above it.
 *
 * Undamped stiff B is hardly damped: its amplification tends to (beta - 1)/beta as h^2 k grows, -1
 * for beta = 1/2. The default of `semi-explicit` is above; the second order of the others needs
 * 1/2.
 */
#include "base/error.h"
#include "method/splitting/splitting.h"

enum { EQUAL, STABILITY, SUNDMAN, EIGENVALUE };

static const char *const sides[] = {"explicit", "implicit", NULL};
static const char *const ways[] = {"equal", "stability", "sundman", "eigenvalue", NULL};
static const char *const ways_of_given[] = {"eliminate", "multipliers", NULL};
static const char *const few_ways[] = {"equal", "eigenvalue", NULL};

#define GYROSCOPIC_KEY                                                                             \
    {                                                                                              \
        "gyroscopic", NT_CHOICE, 0, 0, 1, "", sides,                                               \
            "which forces the gyroscopic ones of bodies are counted among"                         \
    }

#define GIVEN_KEY                                                                                  \
    {                                                                                              \
        "given_rotations", NT_CHOICE, 0, 0, 1, "", ways_of_given,                                  \
            "of bodies that a joint with `motion` turns, where the model has no other "            \
            "constraints: put in, their joint's multipliers after that; or found with these"       \
    }

static const nt_option_key options[] = {
    NT_NEWTON_OPTION_KEYS,
    {"alpha", NT_REAL, 0.5, 0, 1, "", NULL, "where in the step the explicit forces are taken"},
    {"beta", NT_REAL, 0.6, 0.5, 1, "", NULL,
     "where in the step the implicit forces are taken; 0.5: undamped"},
    GYROSCOPIC_KEY,
    {"steps", NT_CHOICE, 0, 0, 3, "", ways,
     "equal, or by error where a tolerance is given; by the stability of the explicit forces along "
     "the motion, the paper's (15), not for rotating machines; of sizes epsilon/sqrt(stiffness), a "
     "time transformation; or by the largest eigenvalues of their stiffness and damping"},
    {"stability_limit", NT_REAL, (double)NAN, 1e-6, 1e6, "", NULL,
     "largest h^2 stiffness with steps: stability; 2/alpha where none is given"},
    {"epsilon", NT_REAL, 1, 1e-12, 1e6, "", NULL,
     "step times the square root of the stiffness with steps: sundman"},
    GIVEN_KEY,
};

static const nt_option_key options_of_second_order[] = {
    NT_NEWTON_OPTION_KEYS,
    {"beta", NT_REAL, 0.5, 0.5, 1, "", NULL,
     "where in the step the implicit forces are taken; above 0.5 stiff ones are damped, and the "
     "order is one"},
    GYROSCOPIC_KEY,
    {"steps", NT_CHOICE, 0, 0, 1, "", few_ways,
     "equal, or by error where a tolerance is given; or by the largest eigenvalues of the explicit "
     "forces' stiffness and damping"},
    GIVEN_KEY,
};

static const nt_option_key options_of_theta[] = {
    NT_NEWTON_OPTION_KEYS,
    {"theta", NT_REAL, 0.5, 0.5, 1, "", NULL,
     "where in the step forces and velocities are taken; 0.5: the midpoint rule, 1: "
     "implicit Euler"},
};

/* Of the limit, so that a stiffness that grows within the step does no harm. */
static const double SAFETY = 0.9;

static double semi_explicit_way_of(const nt_options *option)
{
    if (nt_options_have(option, NT_OPTION_THETA))
        return EQUAL;
    double way = nt_options_get(option, NT_OPTION_STEPS);
    return !nt_options_have(option, NT_OPTION_ALPHA) && way == 1 ? EIGENVALUE : way;
}

/* Each method has an option that the others have not: theta, alpha, or neither. */
static nt_splitting splitting_of(const nt_options *option)
{
    if (nt_options_have(option, NT_OPTION_THETA))
        return (nt_splitting){.beta = nt_options_get(option, NT_OPTION_THETA),
                              .sigma = nt_options_get(option, NT_OPTION_THETA),
                              .implicit_parts = NT_EXPLICIT | NT_IMPLICIT | NT_GYROSCOPIC};
    bool second = !nt_options_have(option, NT_OPTION_ALPHA);
    bool with_B = nt_options_get(option, NT_OPTION_GYROSCOPIC) == 1;
    double way = semi_explicit_way_of(option);
    return (nt_splitting){
        .alpha = second ? 0.5 : nt_options_get(option, NT_OPTION_ALPHA),
        .beta = nt_options_get(option, NT_OPTION_BETA),
        .sigma = 0.5,
        .explicit_parts = with_B ? NT_EXPLICIT : NT_EXPLICIT | NT_GYROSCOPIC,
        .implicit_parts = with_B ? NT_IMPLICIT | NT_GYROSCOPIC : NT_IMPLICIT,
        .measures = way == STABILITY || way == SUNDMAN,
        .bounds = way == EIGENVALUE,
        .second = second,
        .eliminates = nt_options_get(option, NT_OPTION_GIVEN_ROTATIONS) == 0,
    };
}

static nt_status semi_explicit_layout(const nt_problem *problem, const nt_options *option,
                                      nt_layout *sizes, nt_error *error)
{
    nt_splitting c = splitting_of(option);
    nt_splitting_layout(problem, &c, sizes);
    sizes->proposes = c.measures || c.bounds;
    if (c.measures && nt_options_get(option, NT_OPTION_ALPHA) == 0)
        return nt_fail(
            error, NT_INVALID,
            "steps by stiffness compare forces at two places of the first step, and alpha = 0 "
            "leaves one: "
            "expected alpha > 0");
    return NT_OK;
}

static nt_status semi_explicit_start(nt_stepper *s)
{
    nt_splitting c = splitting_of(s->options);
    return nt_splitting_start(s, &c);
}

static nt_status semi_explicit_step(nt_stepper *s, double h)
{
    nt_splitting c = splitting_of(s->options);
    return nt_splitting_step(s, &c, h);
}

static nt_status semi_explicit_error_of(nt_stepper *s, double h, double *estimate)
{
    nt_splitting c = splitting_of(s->options);
    return nt_splitting_error(s, &c, h, estimate);
}

static nt_status semi_explicit_review(nt_stepper *s, double h, double *estimate)
{
    nt_splitting c = splitting_of(s->options);
    return nt_splitting_review(s, &c, h, estimate);
}

/* A stiffness of zero proposes twice the step. */
static double semi_explicit_propose(nt_stepper *s, double h)
{
    const nt_options *option = s->options;
    nt_splitting c = splitting_of(option);
    if (c.bounds)
        return fmin(nt_splitting_stable_step(s, &c, h), 2 * h);
    if (!c.measures)
        return 0;
    double stiffness = nt_splitting_stiffness(s);
    if (nt_options_get(option, NT_OPTION_STEPS) == SUNDMAN)
        return stiffness > 0 ? nt_options_get(option, NT_OPTION_EPSILON) / sqrt(stiffness) : 2 * h;
    double limit = !isnan(nt_options_get(option, NT_OPTION_STABILITY_LIMIT))
                       ? nt_options_get(option, NT_OPTION_STABILITY_LIMIT)
                       : 2 / nt_options_get(option, NT_OPTION_ALPHA);
    double stable = stiffness > 0 ? sqrt(SAFETY * limit / stiffness) : 2 * h;
    return fmin(stable, 2 * h);
}

static nt_status semi_explicit_linearise(nt_stepper *s, double h, const nt_directions *directions,
                                         const double *before, double *after)
{
    nt_splitting c = splitting_of(s->options);
    return nt_splitting_linearise(s, &c, h, directions, before, after);
}

#define COMMON(more)                                                                               \
    .needs = NT_NEEDS_TANGENT | NT_HOLONOMIC | NT_NONHOLONOMIC | NT_CONTROLS_ERROR |               \
             NT_FIRST_ORDER | NT_RATES_WITHIN | NT_MULTIPLIERS_WITHIN | (more),                    \
    .frames = NT_IN_BOTH_FRAMES, .layout = semi_explicit_layout, .start = semi_explicit_start,     \
    .step = semi_explicit_step, .close = nt_splitting_close, .error = semi_explicit_error_of,      \
    .review = semi_explicit_review, .linearise = semi_explicit_linearise,                          \
    .explain_growth = nt_splitting_explain_growth

const nt_method nt_method_semi_explicit = {
    .name = "semi-explicit",
    .summary = "expensive forces once per step, stiff ones implicitly",
    .reference = "Modin, Fritzson & Fuehrer 2007, (5), (6)",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .error_order = 2,
    .propose = semi_explicit_propose,
    COMMON(NT_NO_SLIDING),
};

const nt_method nt_method_semi_explicit_2 = {
    .name = "semi-explicit-2",
    .summary = "the same, of second order: expensive forces once per step at a predicted middle",
    .reference = "Modin, Fritzson & Fuehrer 2007, (5), (6), with extrapolated accelerations",
    .options = options_of_second_order,
    .n_options = sizeof options_of_second_order / sizeof *options_of_second_order,
    .error_order = 3,
    .propose = semi_explicit_propose,
    COMMON(NT_NO_SLIDING),
};

const nt_method nt_method_theta = {
    .name = "theta",
    .summary = "one-leg theta method: midpoint rule to implicit Euler",
    .reference = "Modin, Fritzson & Fuehrer 2007, section 4",
    .options = options_of_theta,
    .n_options = sizeof options_of_theta / sizeof *options_of_theta,
    .error_order = 2,
    COMMON(0),
};
