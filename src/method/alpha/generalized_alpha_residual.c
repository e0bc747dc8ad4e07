/* Generalized-alpha, residual form with a local parameterisation.
 *
 *   Bruls & Eberhard 2008, section 5.1, algorithm 2, and section 5.3
 *
 *   phi   = h phi'_n + h^2 (1/2 - beta) a_n + h^2 beta a_1                                 (78)
 *   phi'  = phi'_n + h (1 - gamma) a_n + h gamma a_1
 *   0 = (1 - alpha_m) f_a + (1 - alpha_f) f_c + g_n                                        (79)
 *   g_1 = alpha_m f_a + alpha_f f_c                                                        (84)
 *
 * with f_a = T^T M T a_1 and f_c all other forces, M T' phi' and reactions included. First order
 * where the mass matrix varies; kept because the comparison is the point.
 *
 * M is linear in vdot and no other force depends on it, so (79) is the equation R = 0 at
 *
 *   vdot = T x'' + T' phi',   x'' = (1 - alpha_m)/(1 - alpha_f) a_1
 *
 * with one more force: R + T^-T g_n/(1 - alpha_f) = 0. In the words of newton.h the recursion's
 * known part is a = 0, and Newton's iteration is that of the linear form.
 *
 * Method memory: A = T a + T' phi' (94) and G = T^-T g (95), both transported, not computed anew.
 * The step does not know the true acceleration; the state shows the one that belongs to a by (88),
 * which in a space with constant mass matrix is the true one. */
#include "base/error.h"
#include "method/alpha/local_form.h"

#include <string.h>

static const nt_option_key options[] = {NT_NEWTON_OPTION_KEYS, NT_FAMILY_OPTION_KEYS,
                                        NT_LOCAL_OPTION_KEYS};

static nt_status alpha_residual_layout(const nt_problem *problem, const nt_options *option,
                                       nt_layout *sizes, nt_error *error)
{
    for (int b = 0; b < problem->space.n_blocks; b++) {
        const nt_block *block = &problem->space.blocks[b];
        if (block->rotation >= 0 && problem->diagonal[block->v + block->nv - 1] < 0)
            return nt_fail(error, NT_UNSUPPORTED,
                           "the residual form needs a diagonal block for each rotation, block %d "
                           "of the space has none in the system's pattern",
                           b);
    }
    sizes->memory = 2 * (size_t)problem->nv;
    sizes->scratch = nt_local_size(problem);
    nt_local_linear_layout(problem, sizes);
    return nt_family_check(problem, option, error);
}

/* f_a as a geometric force: M T a at the point `next`, out[nv]. */
static nt_status inertia(nt_stepper *s, const double *Ta, double *out)
{
    nt_point at = nt_phase_point(&s->next);
    at.vdot = Ta;
    nt_terms terms = {.parts = NT_MASS, .residual = out};
    memset(out, 0, (size_t)s->problem->nv * sizeof(double));
    s->statistics->evaluations++;
    return nt_problem_evaluate(s->problem, &at, &terms);
}

/* a_0 = vdot_0, and f_a + f_c = 0 there, so that g_0 = (alpha_m - alpha_f) f_a           (79) */
static nt_status alpha_residual_start(nt_stepper *s)
{
    int nv = s->problem->nv;
    nt_family c = nt_family_of_step(s->options, 1);
    double *a = s->next.method, *g = a + nv;
    memcpy(a, s->next.vdot, (size_t)nv * sizeof(double));
    nt_status status = inertia(s, a, g);
    for (int i = 0; i < nv; i++)
        g[i] *= c.alpha_m - c.alpha_f;
    return status;
}

/* g_1 from f_a and f_c = R - f_a (1 - alpha_m)/(1 - alpha_f), R without the force of g_n. */
static nt_status keep_forces(nt_stepper *s, const nt_local *l)
{
    const nt_newton *w = &l->newton;
    int nv = s->problem->nv;
    double *a = s->next.method, *g = a + nv, *f_a = w->z, *R = w->residual;
    nt_local_transport(s, l, a, false, g); /* T a_1 */
    nt_status status = inertia(s, g, f_a);
    nt_local_add_force(s, l, -1, R);
    for (int i = 0; i < nv; i++)
        g[i] = w->c.alpha_m * f_a[i] + w->c.alpha_f * (R[i] - f_a[i] / w->c.share);
    return status;
}

static nt_status alpha_residual_step(nt_stepper *s, double h)
{
    nt_local l;
    l.force = nt_local_bind(&l, s, h);
    const nt_newton *w = &l.newton;
    const nt_family *c = &w->c;
    int nv = s->problem->nv;
    const double *a_n = s->now.method, *g_n = a_n + nv, *a_1 = s->next.method;
    for (int i = 0; i < nv; i++) {
        l.force[i] = g_n[i] / (1 - c->alpha_f);
        w->acceleration[i] = a_n[i] / c->share;
    }
    s->next.all[NT_PHASE_T] = s->now.all[NT_PHASE_T] + h;
    nt_status status = nt_newton_predict(s, w, false);
    if (status == NT_OK)
        status = nt_newton_iterate(s, w, nt_local_equations, nt_newton_correct);
    if (status != NT_OK)
        return status;
    nt_newton_finish(s, w);
    if ((status = keep_forces(s, &l)) != NT_OK)
        return status;
    for (int i = 0; i < nv; i++) /* (88) for phi'' */
        w->acceleration[i] =
            ((1 - c->alpha_m) * a_1[i] + c->alpha_m * a_n[i] - c->alpha_f * s->now.vdot[i]) /
            (1 - c->alpha_f);
    nt_local_transport(s, &l, w->acceleration, true, s->next.vdot);  /* (93) */
    nt_local_transport(s, &l, s->next.method, true, s->next.method); /* (94) */
    return NT_OK;
}

/* (87), (96); at the start dg_0 = (alpha_m - alpha_f) df_a */
static nt_status alpha_residual_linearise(nt_stepper *s, double h, const nt_directions *directions,
                                          const double *before, double *after)
{
    if (h != 0)
        return nt_local_linearise(s, h, NT_RESIDUAL_FORM, directions, before, after);
    size_t nv = (size_t)s->problem->nv, n = (size_t)s->problem->n;
    nt_family c = nt_family_of_step(s->options, 1);
    nt_point at = nt_phase_point(&s->next);
    double *df_a = directions->scratch;
    nt_variation first = nt_variation_at(s->problem, directions, after, 0);
    nt_status status =
        nt_local_inertia_variation(s, &at, directions, after, first.vdot, directions->stride, df_a);
    for (size_t i = 0; status == NT_OK && i < (size_t)directions->count; i++) {
        nt_variation a = nt_variation_at(s->problem, directions, after, (int)i);
        memcpy(a.method, a.vdot, nv * sizeof(double));
        for (size_t j = 0; j < nv; j++)
            a.method[nv + j] = (c.alpha_m - c.alpha_f) * df_a[i * n + j];
    }
    return status;
}

const nt_method nt_method_generalized_alpha_residual = {
    .name = "generalized-alpha-residual",
    .summary = "generalized-alpha in local parameters, residual form, index 3",
    .reference = "Bruls & Eberhard 2008, algorithm 2",
    .needs = NT_NEEDS_TANGENT | NT_HOLONOMIC | NT_NONHOLONOMIC | NT_FIRST_ORDER | NT_GAINS_ENERGY |
             NT_RATES_WITHIN,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .frames = NT_IN_BOTH_FRAMES,
    .layout = alpha_residual_layout,
    .start = alpha_residual_start,
    .step = alpha_residual_step,
    .linearise = alpha_residual_linearise,
};
