/* Generalized-alpha, linear form with a local parameterisation.
 *
 *   Bruls & Eberhard 2008, section 5.2, algorithm 3, and section 5.3
 *
 *   phi   = h phi'_n + h^2 (1/2 - beta) a_n + h^2 beta a_1                                 (78)
 *   phi'  = phi'_n + h (1 - gamma) a_n + h gamma a_1
 *   (1 - alpha_m) a_1 + alpha_m a_n = (1 - alpha_f) phi''_1 + alpha_f phi''_n              (88)
 *   0 = R(vdot, v, q, lambda, mu) at t_n+1 with q = q_n o mu(phi), v = T phi', ...         (89)
 *
 * Second order. What the parameters are and how they are taken anew after each step: local_form.h.
 * Symbols: a the auxiliary acceleration, kept as the geometric quantity T a + T' phi' (94) in the
 * method's memory. In a vector space this is `generalized-alpha`. */
#include "method/alpha/local_form.h"

#include <string.h>

static const nt_option_key options[] = {NT_NEWTON_OPTION_KEYS, NT_FAMILY_OPTION_KEYS,
                                        NT_LOCAL_OPTION_KEYS};

static nt_status alpha_linear_layout(const nt_problem *problem, const nt_options *option,
                                     nt_layout *sizes, nt_error *error)
{
    sizes->memory = (size_t)problem->nv;
    sizes->scratch = nt_local_size(problem);
    nt_local_linear_layout(problem, sizes);
    return nt_family_check(problem, option, error);
}

/* a_0 = vdot_0                                                                            (88) */
static nt_status alpha_linear_start(nt_stepper *s)
{
    memcpy(s->next.method, s->next.vdot, (size_t)s->problem->nv * sizeof(double));
    return NT_OK;
}

static nt_status alpha_linear_step(nt_stepper *s, double h)
{
    nt_local l;
    nt_local_bind(&l, s, h);
    s->next.all[NT_PHASE_T] = s->now.all[NT_PHASE_T] + h;
    memcpy(l.newton.acceleration, s->now.vdot, (size_t)s->problem->nv * sizeof(double));
    nt_status status = nt_newton_predict(s, &l.newton, true);
    if (status == NT_OK)
        status = nt_newton_iterate(s, &l.newton, nt_local_equations, nt_newton_correct);
    if (status != NT_OK)
        return status;
    nt_newton_finish(s, &l.newton);
    nt_local_transport(s, &l, s->next.method, true, s->next.method); /* (94) */
    return NT_OK;
}

/* (90), (96) */
static nt_status alpha_linear_linearise(nt_stepper *s, double h, const nt_directions *directions,
                                        const double *before, double *after)
{
    if (h != 0)
        return nt_local_linearise(s, h, NT_LINEAR_FORM, directions, before, after);
    for (int i = 0; i < directions->count; i++) {
        nt_variation a = nt_variation_at(s->problem, directions, after, i);
        memcpy(a.method, a.vdot, (size_t)s->problem->nv * sizeof(double));
    }
    return NT_OK;
}

const nt_method nt_method_generalized_alpha_linear = {
    .name = "generalized-alpha-linear",
    .summary = "generalized-alpha in local parameters, linear form, index 3",
    .reference = "Bruls & Eberhard 2008, algorithm 3",
    .needs = NT_NEEDS_TANGENT | NT_HOLONOMIC | NT_NONHOLONOMIC | NT_FIRST_ORDER | NT_RATES_WITHIN,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .frames = NT_IN_BOTH_FRAMES,
    .layout = alpha_linear_layout,
    .start = alpha_linear_start,
    .step = alpha_linear_step,
    .linearise = alpha_linear_linearise,
};
