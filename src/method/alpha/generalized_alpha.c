/* Generalized-alpha on Lie groups, index 3.
 *
 *   Bruls, Cardona & Arnold 2012, algorithm 1 (as documented for Kynema); Arnold & Bruls 2007
 *   Bruls & Eberhard 2008, algorithm 4
 *
 * Symbols: q, v, vdot, lambda, mu as everywhere; a the auxiliary acceleration (method memory);
 * Dq the mean velocity of the step, q1 = q o exp(h Dq). In the words of newton.h:
 *
 *   x = h Dq,   x' = v,   x'' = vdot,   X = Y = T^-1,
 *
 * T the tangent operator at h Dq in the frame of the increments. The unknown of the Newton
 * iteration is the increment e of the configuration itself, e = T Dx, so that
 *
 *   dq = e,  dv = gamma' T^-1 e,  dvdot = beta' T^-1 e:
 *
 * T^-1 meets only inertia and damping, and the constraint Jacobian needs no T. */
#include "method/alpha/generalized_alpha.h"
#include "base/target.h"

#include <string.h>

static const nt_option_key options[] = {NT_NEWTON_OPTION_KEYS, NT_FAMILY_OPTION_KEYS};

static nt_status layout(const nt_problem *problem, const nt_options *option, nt_layout *sizes,
                        nt_error *error)
{
    sizes->memory = (size_t)problem->nv;
    sizes->scratch = nt_newton_size(problem) + 1; /* T^-1, its end, is read by columns of four */
    nt_generalized_alpha_linear_layout(problem, option, sizes);
    return nt_family_check(problem, option, error);
}

/* a_0 = vdot_0: an O(h) choice that leaves the order of positions at 2 (Kynema's). */
static nt_status start(nt_stepper *s)
{
    memcpy(s->next.method, s->next.vdot, (size_t)s->problem->nv * sizeof(double));
    return NT_OK;
}

/* With vdot = vdot_n and lambda = lambda_n as the guess:
 *
 *   a    = (alpha_f vdot_n - alpha_m a_n + (1 - alpha_f) vdot)/(1 - alpha_m)
 *   v    = v_n + h (1 - gamma) a_n + h gamma a
 *   h Dq = h v_n + h^2 (1/2 - beta) a_n + h^2 beta a */
NT_HOT static nt_status predict(nt_stepper *s, const nt_newton *w)
{
    memcpy(w->acceleration, s->now.vdot, (size_t)s->problem->nv * sizeof(double));
    return nt_newton_predict(s, w, true);
}

/* q = q_n o exp(h Dq) of blocks [from, to) */
NT_HOT static void place(const nt_stepper *s, const nt_newton *w, int from, int to)
{
    nt_space space = nt_space_part(&s->problem->space, from, to);
    nt_space_compose(&space, s->problem->frame, s->now.q, w->increment, s->next.q);
}

typedef struct placement {
    const nt_stepper *s;
    const nt_newton *w;
    bool predicted; /* q is still to be found */
    bool maps;      /* T^-1 is wanted         */
} placement;

NT_HOT static void place_blocks(void *context, int from, int to)
{
    const placement *at = context;
    const nt_problem *p = at->s->problem;
    if (at->predicted)
        place(at->s, at->w, from, to);
    if (!at->maps)
        return;
    nt_space space = nt_space_part(&p->space, from, to);
    nt_space_tangent(&space, p->frame, at->w->increment, NULL, at->w->T_inverse);
}

/* At q = q_n o exp(h Dq):  R(vdot, v, q, lambda, mu) = 0,  Phi(q) = 0,  kappa(v, q) = 0, and the
 * tangent where it is wanted:
 *
 *   [ s (beta' M T^-1 + gamma' C T^-1 + K)   R_lambda   R_mu ]
 *   [ Phi_q                                     0        0   ]
 *   [ gamma' kappa_v T^-1 + kappa_q             0        0   ]
 *
 * With kept factors T^-1 stays that of the prediction: corrections change it far less than it
 * differs from that of the factors' own step. */
NT_HOT static nt_status equilibrium(nt_stepper *s, const nt_newton *w, nt_matrix *tangent)
{
    bool first = s->report.iterations == 0;
    placement at = {s, w, first, tangent || (first && nt_newton_needs_maps(s, tangent))};
    if (at.predicted || at.maps)
        nt_problem_for_blocks(s->problem, place_blocks, &at, tangent != NULL);
    return nt_newton_evaluate(s, w, w->T_inverse, NULL, tangent);
}

/* e and Dlambda from the tangent and -(s R, Phi, kappa), then
 *
 *   h Dq += T^-1 e,   v += gamma' T^-1 e,   vdot += beta' T^-1 e,   lambda += Dlambda */
NT_HOT static nt_status correct(nt_stepper *s, const nt_newton *w, nt_matrix *tangent)
{
    return nt_newton_correct(s, w, tangent);
}

/* a += (1 - alpha_f)/(1 - alpha_m) vdot, whose share in the prediction is not kept */
static void update(const nt_stepper *s, const nt_newton *w) { nt_newton_finish(s, w); }

NT_HOT static nt_status step(nt_stepper *s, double h)
{
    nt_newton w;
    nt_family *c = &s->family;
    if (c->h == 0)
        *c = nt_family_of_step(s->options, h);
    else if (c->h != h) /* equal steps differ in their last bits */
        nt_family_set_step(c, h);
    nt_newton_bind(&w, s, c);
    w.leaves_tangent = s->linear && c->position > 0 && nt_generalized_alpha_is_rigid(s->problem);
    s->next.all[NT_PHASE_T] = s->now.all[NT_PHASE_T] + h;
    w.place = c->position > 0 ? place : NULL;
    nt_status status = predict(s, &w);
    if (status == NT_OK)
        status = nt_newton_iterate(s, &w, equilibrium, correct);
    if (status == NT_OK)
        update(s, &w);
    return status;
}

const nt_method nt_method_generalized_alpha = {
    .name = "generalized-alpha",
    .summary = "Lie-group generalized-alpha, index 3",
    .reference = "Bruls, Cardona & Arnold 2012, algorithm 1",
    .needs = NT_NEEDS_TANGENT | NT_HOLONOMIC | NT_NONHOLONOMIC | NT_FIRST_ORDER | NT_MASSLESS,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .frames = NT_IN_BOTH_FRAMES | NT_IN_FRAME(NT_SE3),
    .layout = layout,
    .start = start,
    .step = step,
    .linearise = nt_generalized_alpha_linearise,
};
