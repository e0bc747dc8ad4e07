/* Generalized-alpha, stabilised index 2: holonomic constraints at position and velocity level,
 * nonholonomic ones, variable steps.
 *
 *   Jay & Negrut 2009, (14)-(16); on Lie groups with increments as Bruls & Cardona 2010
 *
 * The step and its symbols stand in soi2.h. Two solves of the same size: the first stage (~a,
 * ~lambda) does not know of the second, which starts from it.
 *
 * First stage, in the unknown e = T dD of family.h with dw = beta' T^-1 e, d~z = gamma' T^-1 e and
 * s = beta h^2:
 *
 *   [ s (beta' M1 T^-1 + gamma' C T^-1 + K)   R_lambda ] [     e     ]     [ s R ]
 *   [ g_q;  gamma' k_z T^-1 + k_q                 0    ] [ s Dlambda ] = - [  g; k ]
 *
 * where M1 is taken at its own point and does not vary. Second stage, in u = dz1 with q1 fixed,
 * dw = u/(h gamma share) and share = (1 - alpha_f)/(1 - alpha_m):
 *
 *   [ M1/share + h gamma C   R_lambda ] [        u        ]     [  h gamma R  ]
 *   [ g_q;  k_z                  0    ] [ h gamma Dlambda ] = - [ g_t + g_q z1; k ]. */
#include "base/error.h"
#include "method/alpha/soi2.h"

#include <string.h>

static const nt_option_key options[] = {
    NT_NEWTON_OPTION_KEYS,
    NT_FAMILY_OPTION_KEYS,
    {"correction", NT_BOOLEAN, 1, 0, 1, "", NULL,
     "adapt the accelerations of the last step to a new step size; without it "
     "accelerations and multipliers are of first order where steps vary"},
};

/* The residual of the second stage shrinks by less than this from one iteration to the next: the
 * tangent is made anew. */
static const double SLOW = 0.25;

/* Constraint rows that are left at more than this part of their tolerance get one more correction
 * with the factors at hand, which takes them to rounding. */
static const double POLISHED = 1e-4;

/* ---- work ----------------------------------------------------------------------------------- */

static size_t soi2_scratch(const nt_problem *p)
{
    return nt_newton_size(p) + 3 * (size_t)p->nv + (size_t)p->nq;
}

nt_soi2 nt_soi2_bind(const nt_stepper *s, double h)
{
    const nt_problem *p = s->problem;
    nt_soi2 w = {.now = nt_soi2_memory_of(p, s->now.method),
                 .next = nt_soi2_memory_of(p, s->next.method)};
    nt_family c = nt_family_of_step(s->options, h);
    w.load = nt_newton_bind(&w.n, s, &c);
    w.Mw = w.load + p->nv;
    w.spare = w.Mw + p->nv;
    w.q_M = w.spare + p->nv;
    w.alpha = w.n.c.alpha_m - w.n.c.alpha_f;
    double before = s->now.all[NT_PHASE_STEP];
    if (nt_options_get(s->options, NT_OPTION_CORRECTION) != 0 && before > 0) {
        w.correction = w.alpha * (h / before - 1);
        w.of_correction = w.alpha / before;
    }
    return w;
}

static nt_status soi2_layout(const nt_problem *problem, const nt_options *option, nt_layout *sizes,
                             nt_error *error)
{
    sizes->memory = nt_soi2_memory_size(problem);
    sizes->variation = NT_SOI2_VARYING * (size_t)problem->nv;
    sizes->scratch = soi2_scratch(problem);
    sizes->linear = nt_soi2_linear_scratch(problem);
    sizes->linear_each = nt_soi2_linear_scratch_each(problem);
    if (nt_options_get(option, NT_OPTION_BETA) == 0)
        return nt_fail(error, NT_INVALID,
                       "option beta is 0, expected a positive number: the first stage solves for "
                       "positions");
    return nt_family_check(problem, option, error);
}

/* product[nv] = M vdot at a point */
static nt_status inertia_force(const nt_problem *p, const nt_point *at, double *product)
{
    nt_terms terms = {.parts = NT_MASS, .residual = product};
    memset(product, 0, (size_t)p->nv * sizeof(double));
    return nt_problem_evaluate(p, at, &terms);
}

/* a_alpha = a_0, an O(h) choice whose trace in accelerations and multipliers is multiplied by
 * -alpha_m/(1 - alpha_m) in each step (Jay & Negrut's theorem 1): a half for rho_inf = 0.8, nothing
 * for hht; with rho_inf = 1 alone it stays, and those are of first order. M a_alpha = M(t0, q0)
 * a_0, which is f there. */
static nt_status soi2_start(nt_stepper *s)
{
    const nt_problem *p = s->problem;
    nt_soi2_memory m = nt_soi2_memory_of(p, s->next.method);
    size_t bytes = (size_t)p->nv * sizeof(double);
    nt_point at = nt_phase_point(&s->next);
    nt_status status = inertia_force(p, &at, m.Ma);
    memcpy(m.Ma_used, m.Ma, bytes);
    memcpy(m.f, m.Ma, bytes);
    memcpy(m.a, s->next.vdot, bytes);
    memcpy(m.a_used, m.a, bytes);
    *m.span = 0;
    return status;
}

/* ---- predict -------------------------------------------------------------------------------- */

/* (15), (16): the last step left a at t0 + alpha h_before, this one wants it at t0 + alpha h. */
static void adapt(const nt_problem *p, const nt_soi2 *w)
{
    const nt_soi2_memory *now = &w->now, *next = &w->next;
    for (int i = 0; i < p->nv; i++) {
        next->a_used[i] = now->a[i] + w->correction * (now->a[i] - now->a_used[i]);
        next->Ma_used[i] = now->Ma[i] + w->correction * (now->Ma[i] - now->Ma_used[i]);
    }
}

/* Velocity and increment of the step from w. */
static void soi2_integrate(const nt_stepper *s, const nt_soi2 *w, bool increment)
{
    const nt_family *c = &w->n.c;
    const double *z0 = s->now.v, *a_alpha = w->next.a_used;
    double h = c->h, v_old = h * (1 - c->gamma), v_new = h * c->gamma * c->share;
    double x_old = h * h * (0.5 - c->beta), x_new = h * h * c->beta * c->share;
    for (int i = 0; i < s->problem->nv; i++) {
        double wi = w->n.acceleration[i];
        w->n.rate[i] = z0[i] + (v_old * a_alpha[i] + v_new * wi);
        if (increment)
            w->n.increment[i] = h * z0[i] + (x_old * a_alpha[i] + x_new * wi);
    }
}

/* The first guess goes on with the slope of the last step's accelerations; multipliers stay. */
static nt_status soi2_predict(nt_stepper *s, const nt_soi2 *w)
{
    const nt_problem *p = s->problem;
    const nt_family *c = &w->n.c;
    double before = s->now.all[NT_PHASE_STEP], onward = before > 0 ? c->h / before : 0;
    double of_inertia = c->alpha_m / (1 - c->alpha_f), of_force = c->alpha_f / (1 - c->alpha_f);
    double ahead = (1 + w->alpha) * c->h, *x_M = w->n.increment;
    adapt(p, w);
    for (int i = 0; i < p->nv; i++) {
        double a = w->next.a_used[i] + onward * (w->now.a[i] - w->now.a_used[i]);
        w->n.acceleration[i] = a / c->share;
        w->load[i] = of_inertia * w->next.Ma_used[i] - of_force * w->now.f[i];
        x_M[i] = ahead * s->now.v[i];
    }
    nt_space_compose(&p->space, p->frame, s->now.q, x_M, w->q_M);
    memcpy(s->next.lambda, s->now.lambda, (size_t)p->nc * sizeof(double));
    memcpy(s->next.memory, s->now.memory, (size_t)p->system->n_memory * sizeof(double));
    soi2_integrate(s, w, true);
    return nt_newton_check_turn(s, &w->n);
}

/* ---- equations ------------------------------------------------------------------------------ */

/* M1 w + load - f and the rows at the point `next`; the tangent where it is wanted: `c` without its
 * mass for the forces, its mass alone for M1. */
static nt_status soi2_equations(nt_stepper *s, const nt_soi2 *w, nt_level level,
                                const nt_combination *c, nt_matrix *tangent)
{
    const nt_problem *p = s->problem;
    double *R = w->n.residual;
    nt_point at = nt_phase_point(&s->next), mass_at = at;
    mass_at.t = nt_soi2_mass_time(s, w);
    mass_at.q = w->q_M;
    nt_combination mass = {0}, force = {0};
    if (tangent) {
        mass = (nt_combination){.mass = c->mass, .map = c->map};
        force = *c;
        force.mass = force.row_mass = 0;
        nt_matrix_zero(tangent);
    }
    nt_terms terms = {.parts = NT_MASS, .residual = R, .matrix = tangent, .combination = &mass};
    memset(R, 0, (size_t)p->nv * sizeof(double));
    nt_status status = nt_problem_evaluate(p, &mass_at, &terms);
    if (status != NT_OK)
        return status;
    memcpy(w->Mw, R, (size_t)p->nv * sizeof(double));
    for (int i = 0; i < p->nv; i++)
        R[i] += w->load[i];
    terms.parts = NT_SOI2_FORCES;
    terms.level = level;
    terms.rows = R + p->nv;
    terms.combination = &force;
    s->statistics->evaluations++;
    return nt_problem_evaluate(p, &at, &terms);
}

/* The first stage at q1 = q0 o exp(D). */
static nt_status soi2_first_equations(nt_stepper *s, const nt_newton *n, nt_matrix *tangent)
{
    const nt_problem *p = s->problem;
    nt_soi2 w = nt_soi2_bind(s, n->c.h);
    nt_space_compose(&p->space, p->frame, s->now.q, n->increment, s->next.q);
    if (nt_newton_needs_maps(s, tangent))
        nt_space_tangent(&p->space, p->frame, n->increment, NULL, n->T_inverse);
    nt_combination combination =
        nt_soi2_first_combination(&n->c, p->space.n_rotations ? n->T_inverse : NULL);
    return soi2_equations(s, &w, NT_POSITION, &combination, tangent);
}

/* The second at (q1, z1). */
static nt_status soi2_second_equations(nt_stepper *s, const nt_soi2 *w, nt_matrix *tangent)
{
    const nt_family *c = &w->n.c;
    nt_combination combination = {
        .mass = 1 / c->share, .damping = c->h * c->gamma, .multiplier = 1, .row_damping = 1};
    return soi2_equations(s, w, NT_VELOCITY, &combination, tangent);
}

/* ---- stages --------------------------------------------------------------------------------- */

static bool rows_are_rough(const nt_problem *p, const nt_soi2 *w)
{
    return nt_newton_worst_ratio(w->n.residual + p->nv, w->n.per_residual + p->nv, p->nc) >
           POLISHED;
}

static nt_status soi2_first_stage(nt_stepper *s, const nt_soi2 *w)
{
    const nt_problem *p = s->problem;
    nt_status status = nt_newton_iterate(s, &w->n, soi2_first_equations, nt_newton_correct);
    if (status == NT_OK && rows_are_rough(p, w)) {
        status = nt_newton_correct(s, &w->n, NULL);
        nt_space_compose(&p->space, p->frame, s->now.q, w->n.increment, s->next.q);
    }
    s->factors->kept = false; /* the second stage has a matrix of its own */
    memcpy(w->next.w_first, w->n.acceleration, (size_t)p->nv * sizeof(double));
    memcpy(w->next.lambda_first, s->next.lambda, (size_t)p->nc * sizeof(double));
    return status;
}

/* Solve for (u, h gamma Dlambda), with the tangent just made or the factors at hand, and update z1,
 * w, lambda. */
static nt_status correct_velocity(nt_stepper *s, const nt_soi2 *w, bool tangent)
{
    const nt_problem *p = s->problem;
    const nt_family *c = &w->n.c;
    double *z = w->n.z, scale = c->h * c->gamma;
    const double *R = w->n.residual;
    for (int i = 0; i < p->n; i++)
        z[i] = i < p->nv ? -scale * R[i] : -R[i];
    for (int i = 0; i < s->factors->n_dropped; i++)
        z[s->factors->dropped[i]] = 0;
    s->statistics->solves++;
    s->statistics->iterations++;
    s->statistics->factorisations += tangent;
    nt_status status = tangent ? nt_solver_factor_solve(s->factors->solver, &s->factors->matrix, z)
                               : nt_solver_solve(s->factors->solver, z, 1);
    if (status != NT_OK)
        return status;
    for (int i = 0; i < p->nv; i++) {
        w->n.rate[i] += z[i];
        w->n.acceleration[i] += z[i] / (scale * c->share);
    }
    for (int i = 0; i < p->nc; i++)
        s->next.lambda[i] += z[p->nv + i] / scale;
    return NT_OK;
}

/* Rows of velocities may be off by the tolerance of positions per second, or by that part of the
 * largest velocity, which rounding cannot exceed. */
static void set_velocity_tolerances(const nt_stepper *s, const nt_soi2 *w)
{
    const nt_problem *p = s->problem;
    double largest = 0;
    for (int i = 0; i < p->nv; i++)
        largest = fmax(largest, fabs(s->now.v[i]));
    for (int i = p->nv; i < p->n; i++)
        w->n.per_residual[i] /= 1 + largest;
}

/* Newton with the tangent of the first iteration, which is exact where f is affine in velocities
 * and multipliers, until it contracts too slowly. The residual decides. */
static nt_status soi2_second_stage(nt_stepper *s, const nt_soi2 *w)
{
    const nt_problem *p = s->problem;
    bool fresh = true;
    double last = (double)INFINITY;
    int most = (int)nt_options_get(s->options, NT_OPTION_MAX_ITERATIONS),
        before = s->report.iterations;
    set_velocity_tolerances(s, w);
    soi2_integrate(s, w, false);
    for (int i = 0;; i++) {
        s->report.iterations = before + i;
        nt_status status = soi2_second_equations(s, w, fresh ? &s->factors->matrix : NULL);
        if (status != NT_OK)
            return status;
        double size = nt_newton_worst_ratio(w->n.residual, w->n.per_residual, p->n);
        if (!isfinite(size))
            return nt_newton_fail(s, NT_NOT_FINITE, w->n.residual, w->n.per_residual, size);
        if (i > 0 && size <= 1)
            return rows_are_rough(p, w) ? correct_velocity(s, w, false) : NT_OK;
        if (i == most)
            return nt_newton_fail(s, NT_NOT_CONVERGED, w->n.residual, w->n.per_residual, size);
        if (!fresh && size > SLOW * last) {
            if ((status = soi2_second_equations(s, w, &s->factors->matrix)) != NT_OK)
                return status;
            fresh = true;
        }
        if ((status = correct_velocity(s, w, fresh)) != NT_OK)
            return status;
        fresh = false;
        last = size;
    }
}

/* ---- the step ------------------------------------------------------------------------------- */

/* What the next step needs; f1 as it stands in the equations. vdot at t1 lies beyond t1 + alpha h:
 * a - alpha (a - a_alpha). */
static void soi2_keep(nt_stepper *s, const nt_soi2 *w)
{
    const nt_soi2_memory *next = &w->next;
    double share = w->n.c.share;
    for (int i = 0; i < s->problem->nv; i++) {
        next->a[i] = share * w->n.acceleration[i];
        next->Ma[i] = share * w->Mw[i];
        next->f[i] = w->Mw[i] + w->load[i] - w->n.residual[i];
        s->next.vdot[i] = next->a[i] - w->alpha * (next->a[i] - next->a_used[i]);
    }
    *next->span = 0; /* until `error` has its say */
}

static nt_status soi2_step(nt_stepper *s, double h)
{
    s->next.all[NT_PHASE_T] = s->now.all[NT_PHASE_T] + h;
    nt_soi2 w = nt_soi2_bind(s, h);
    nt_status status = soi2_predict(s, &w);
    if (status == NT_OK)
        status = soi2_first_stage(s, &w);
    if (status == NT_OK && !nt_soi2_one_stage(s->problem))
        status = soi2_second_stage(s, &w);
    if (status == NT_OK)
        soi2_keep(s, &w);
    return status;
}

const nt_method nt_method_generalized_alpha_soi2 = {
    .name = "generalized-alpha-soi2",
    .summary = "Lie-group generalized-alpha, stabilised index 2, variable steps",
    .reference = "Jay & Negrut 2009",
    .needs = NT_NEEDS_TANGENT | NT_HOLONOMIC | NT_NONHOLONOMIC | NT_CONTROLS_ERROR |
             NT_FIRST_ORDER | NT_RATES_WITHIN,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .frames = NT_IN_BOTH_FRAMES,
    .error_order = 3,
    .layout = soi2_layout,
    .start = soi2_start,
    .step = soi2_step,
    .error = nt_soi2_error,
    .linearise = nt_soi2_linearise,
};
