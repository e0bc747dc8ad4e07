/* Generalized-alpha on Lie groups, index 3.
 *
 *   Bruls, Cardona & Arnold 2012, algorithm 1 (as documented for Kynema); Arnold & Bruls 2007
 *   Bruls & Eberhard 2008, algorithm 4; scaling: Bottasso, Dopico & Trainelli 2008
 *   weighted norm: Arnold & Hante 2017
 *
 * Symbols: q, v, vdot, lambda, mu as everywhere; a the auxiliary acceleration (method memory);
 * Dq the mean velocity of the step, q1 = q o exp(h Dq); beta' = (1 - alpha_m)/(h^2 beta (1 -
 * alpha_f)), gamma' = gamma/(h beta).
 *
 * The unknown of the Newton iteration is the increment e of the configuration itself, e = T Dx with
 * T the tangent operator at h Dq in the frame of the increments. So
 *
 *   dq = e,  dv = gamma' T^-1 e,  dvdot = beta' T^-1 e,
 *
 * T^-1 meets only inertia and damping, and the constraint Jacobian needs no T. Force rows are
 * multiplied by s = beta h^2 and multipliers divided by it, which makes the matrix independent of
 * h to leading order:
 *
 *   [ s (beta' M T^-1 + gamma' C T^-1 + K)   R_lambda ] [    e    ]      [ s R ]
 *   [ Phi_q                                     0     ] [ s Dlambda ] = - [ Phi ]. */
#include "base/error.h"
#include "base/target.h"
#include "base/vector3.h"
#include "method/method.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum option {
    RHO_INF,
    NEWMARK,
    HHT,
    TOLERANCE_LENGTH,
    TOLERANCE_ANGLE,
    TOLERANCE_FORCE,
    TOLERANCE_MOMENT,
    TOLERANCE_RELATIVE,
    MAX_ITERATIONS,
    REUSE_TANGENT,
    N_OPTIONS
};

static const nt_option_key options[N_OPTIONS] = {
    [RHO_INF] =
        {"rho_inf", NT_REAL, (double)NAN, 0, 1, "", NULL,
         "spectral radius at infinite frequency, 1: no damping (Chung & Hulbert); 0.8 where "
         "no family is named"},
    [NEWMARK] = {"newmark", NT_REAL, (double)NAN, 0.5, 1, "", NULL,
                 "Newmark's gamma with beta = (gamma + 1/2)^2/4; 0.5 is the trapezoidal rule"},
    [HHT] = {"hht", NT_REAL, (double)NAN, -1.0 / 3, 0, "", NULL,
             "alpha of Hilber, Hughes & Taylor; 0 is the trapezoidal rule"},
    [TOLERANCE_LENGTH] = {"tolerance_length", NT_REAL, 1e-10, 1e-300, 1, "m", NULL,
                          "absolute tolerance of positions and of constraints on lengths"},
    [TOLERANCE_ANGLE] = {"tolerance_angle", NT_REAL, 1e-10, 1e-300, 1, "rad", NULL,
                         "absolute tolerance of rotations and of constraints on angles"},
    [TOLERANCE_FORCE] = {"tolerance_force", NT_REAL, 1e-8, 1e-300, 1e300, "N", NULL,
                         "absolute tolerance of forces: residuals and multipliers"},
    [TOLERANCE_MOMENT] = {"tolerance_moment", NT_REAL, 1e-8, 1e-300, 1e300, "N m", NULL,
                          "absolute tolerance of moments: residuals and multipliers"},
    [TOLERANCE_RELATIVE] =
        {"tolerance_relative", NT_REAL, 1e-8, 1e-14, 1e-2, "", NULL,
         "relative to the increment of the step, to the largest force and to the "
         "largest moment"},
    [MAX_ITERATIONS] = {"max_iterations", NT_INTEGER, 12, 1, 1000, "", NULL,
                        "Newton iterations before a step is rejected"},
    [REUSE_TANGENT] = {"reuse_tangent", NT_BOOLEAN, 0, 0, 1, "", NULL,
                       "keep the factorised tangent while the iteration contracts fast enough"},
};

/* A kept tangent is given up when increments shrink by less than this from one to the next. */
static const double SLOW = 0.25;

/* ---- coefficients --------------------------------------------------------------------------- */

typedef struct coefficients {
    double alpha_m, alpha_f, beta, gamma;
    double beta_prime, gamma_prime, scale; /* of a step h; scale = beta h^2 */
} coefficients;

static coefficients family(const double *value)
{
    coefficients c = {0};
    if (!isnan(value[NEWMARK])) {
        c.gamma = value[NEWMARK];
        c.beta = (c.gamma + 0.5) * (c.gamma + 0.5) / 4;
    } else if (!isnan(value[HHT])) {
        double alpha = value[HHT];
        c.alpha_f = -alpha;
        c.beta = (1 - alpha) * (1 - alpha) / 4;
        c.gamma = 0.5 - alpha;
    } else {
        double rho = !isnan(value[RHO_INF]) ? value[RHO_INF] : 0.8;
        c.alpha_m = (2 * rho - 1) / (rho + 1);
        c.alpha_f = rho / (rho + 1);
        c.gamma = 0.5 + c.alpha_f - c.alpha_m;
        c.beta = (c.gamma + 0.5) * (c.gamma + 0.5) / 4;
    }
    return c;
}

static coefficients for_step(const double *value, double h)
{
    coefficients c = family(value);
    c.scale = c.beta * h * h;
    c.beta_prime = (1 - c.alpha_m) / (c.scale * (1 - c.alpha_f));
    c.gamma_prime = c.gamma / (h * c.beta);
    return c;
}

/* ---- work ----------------------------------------------------------------------------------- */

/* n = nv + nc unknowns; rotations r = space.n_rotations */
typedef struct work {
    double *increment;                    /* [nv] h Dq, Dq the mean velocity of the step */
    double *residual;                     /* [n] R and constraint rows                         */
    double *z;                            /* [n] scaled right-hand side, then (e, s Dlambda)   */
    double *T_inverse;                    /* [r][9]                                            */
    double *a;                            /* [nv] a1 without its share of vdot                 */
    double *per_increment, *per_residual; /* [n] reciprocal tolerances         */
} work;

static work work_of(const nt_stepper *s)
{
    size_t nv = (size_t)s->problem->nv, n = (size_t)s->problem->n;
    work w = {.increment = s->scratch};
    w.a = w.increment + nv;
    w.residual = w.a + nv;
    w.z = w.residual + n;
    w.per_increment = w.z + n;
    w.per_residual = w.per_increment + n;
    w.T_inverse = w.per_residual + n;
    return w;
}

static nt_status layout(const nt_problem *problem, const double *option, nt_layout *sizes,
                        nt_error *error)
{
    int families = !isnan(option[RHO_INF]) + !isnan(option[NEWMARK]) + !isnan(option[HHT]);
    if (families > 1)
        return nt_fail(error, NT_INVALID,
                       "options rho_inf, newmark and hht exclude each other, %d of them are given",
                       families);
    sizes->memory = (size_t)problem->nv;
    sizes->scratch =
        3 * (size_t)problem->nv + 4 * (size_t)problem->n + 9 * (size_t)problem->space.n_rotations;
    return NT_OK;
}

/* a_0 = vdot_0: an O(h) choice that leaves the order of positions at 2 (Kynema's). */
static nt_status start(nt_stepper *s)
{
    memcpy(s->next.method, s->next.vdot, (size_t)s->problem->nv * sizeof(double));
    return NT_OK;
}

/* ---- predict -------------------------------------------------------------------------------- */

/* The last accelerations and multipliers are the first guess:
 * a1 = (alpha_f vdot_n - alpha_m a_n)/(1 - alpha_m) + (1 - alpha_f)/(1 - alpha_m) vdot_1. */
static void predict(const nt_stepper *s, const work *w, const coefficients *c, double h)
{
    const nt_phase *now = &s->now, *next = &s->next;
    const double *a_n = now->method;
    int nv = s->problem->nv;
    memcpy(next->vdot, now->vdot, (size_t)nv * sizeof(double));
    memcpy(next->lambda, now->lambda, (size_t)s->problem->nc * sizeof(double));
    memcpy(next->memory, now->memory, (size_t)s->problem->system->n_memory * sizeof(double));
    double part = 1 / (1 - c->alpha_m);
    double of_vdot = part * c->alpha_f, of_a = part * c->alpha_m, share = part * (1 - c->alpha_f);
    double v_old = h * (1 - c->gamma), v_new = h * c->gamma;
    double x_old = h * h * (0.5 - c->beta), x_new = h * h * c->beta;
    for (int i = 0; i < nv; i++) {
        w->a[i] = of_vdot * now->vdot[i] - of_a * a_n[i];
        double a1 = w->a[i] + share * next->vdot[i];
        next->v[i] = now->v[i] + (v_old * a_n[i] + v_new * a1);
        w->increment[i] = h * now->v[i] + (x_old * a_n[i] + x_new * a1);
    }
}

/* ---- equilibrium ---------------------------------------------------------------------------- */

/* Residual and rows at q1 = q o exp(h Dq), and the tangent when it is wanted. */
static nt_status equilibrium(nt_stepper *s, const work *w, const coefficients *c, bool tangent)
{
    nt_problem *p = s->problem;
    nt_space_compose(&p->space, p->frame, s->now.q, w->increment, s->next.q);
    if (tangent || s->options[REUSE_TANGENT] != 0)
        nt_space_tangent(&p->space, p->frame, w->increment, NULL, w->T_inverse);
    nt_point at = nt_phase_point(&s->next);
    nt_combination combination = {.mass = c->scale * c->beta_prime,
                                  .damping = c->scale * c->gamma_prime,
                                  .stiffness = c->scale,
                                  .multiplier = 1,
                                  .row_mass = c->beta_prime,
                                  .row_damping = c->gamma_prime,
                                  .row_stiffness = 1,
                                  .map = p->space.n_rotations ? w->T_inverse : NULL};
    nt_terms terms = {.parts = NT_ALL_PARTS,
                      .level = NT_POSITION,
                      .residual = w->residual,
                      .rows = w->residual + p->nv,
                      .matrix = tangent ? &p->matrix : NULL,
                      .combination = &combination};
    memset(w->residual, 0, (size_t)p->nv * sizeof(double));
    if (tangent)
        nt_matrix_zero(&p->matrix);
    s->statistics->evaluations++;
    return nt_problem_evaluate(p, &at, &terms);
}

/* A tangent that is made anew in every iteration is cleared as it is read. */
static nt_status factorise(nt_stepper *s)
{
    nt_problem *p = s->problem;
    bool keep = s->options[REUSE_TANGENT] != 0; /* set_tolerances reads it again */
    s->statistics->factorisations++;
    nt_status status = keep ? nt_solver_factor(p->solver, &p->matrix)
                            : nt_solver_factor_clear(p->solver, &p->matrix);
    p->factored_for = status == NT_OK ? s : NULL;
    return status;
}

/* ---- correct -------------------------------------------------------------------------------- */

/* h Dq += Dx, v += gamma' Dx, vdot += beta' Dx */
NT_WIDE static void add_correction(const double *restrict Dx, int nv, const coefficients *c,
                                   double *restrict increment, double *restrict v,
                                   double *restrict vdot)
{
    double gamma_prime = c->gamma_prime, beta_prime = c->beta_prime;
    for (int i = 0; i < nv; i++) {
        increment[i] += Dx[i];
        v[i] += gamma_prime * Dx[i];
        vdot[i] += beta_prime * Dx[i];
    }
}

/* Solve for (e, s Dlambda) and update h Dq, v, vdot, lambda. */
static nt_status correct(nt_stepper *s, const work *w, const coefficients *c)
{
    nt_problem *p = s->problem;
    int nv = p->nv;
    double *z = w->z, scale = -c->scale;
    const double *residual = w->residual;
    for (int i = 0; i < nv; i++)
        z[i] = scale * residual[i];
    for (int i = nv; i < p->n; i++)
        z[i] = -residual[i];
    for (int i = 0; i < p->n_dropped; i++)
        w->z[p->dropped[i]] = 0;
    s->statistics->solves++;
    s->statistics->iterations++;
    nt_status status = nt_solver_solve(p->solver, w->z, 1);
    if (status != NT_OK)
        return status;
    for (int b = 0; b < p->space.n_blocks; b++) { /* Dx = T^-1 e */
        const nt_block *block = &p->space.blocks[b];
        double *e = w->z + block->v + block->nv - 3;
        if (block->rotation >= 0)
            v3_store(e, m3_apply(m3_load(w->T_inverse + 9 * block->rotation), v3_load(e)));
    }
    add_correction(w->z, nv, c, w->increment, s->next.v, s->next.vdot);
    double unscale = 1 / c->scale, *Dlambda = w->z + nv, *lambda = s->next.lambda;
    for (int i = 0; i < p->nc; i++) {
        Dlambda[i] *= unscale;
        lambda[i] += Dlambda[i];
    }
    return NT_OK;
}

/* ---- convergence ---------------------------------------------------------------------------- */

static double larger(double a, double b) { return a > b ? a : b; }

/* Sizes that tolerances of forces are relative to, for each kind: the largest inertia force
 * |S_ii vdot_i|/(s beta') and multiplier; and the force that rounding of a position makes,
 * 16 eps |S_ii| |x|/s: below it no iteration can go, however small h is. Their sum with the
 * absolute tolerance into force[]. */
static void measure_forces(const nt_stepper *s, const work *w, const coefficients *c,
                           double force[2])
{
    const nt_problem *p = s->problem;
    double largest[2] = {0, 0}, noise[2] = {0, 0}, multiplier[2] = {0, 0};
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        int plain = block->rotation < 0 ? block->nv : block->nv - 3;
        for (int j = 0; j < block->nv; j++) {
            int i = block->v + j;
            if (p->diagonal[i] < 0)
                continue;
            double size = j < plain ? fabs(s->next.q[block->q + j]) + fabs(w->increment[i]) : 1;
            double S = fabs(p->matrix.values[p->diagonal[i]]);
            nt_quantity kind = p->quantity[i];
            largest[kind] = larger(S * fabs(s->next.vdot[i]), largest[kind]);
            noise[kind] = larger(S * size, noise[kind]);
        }
    }
    for (int i = 0; i < p->nc; i++) {
        nt_quantity kind = p->quantity[p->nv + i];
        multiplier[kind] = larger(fabs(s->next.lambda[i]), multiplier[kind]);
    }
    for (int kind = 0; kind < 2; kind++)
        force[kind] = s->options[TOLERANCE_FORCE + kind] +
                      s->options[TOLERANCE_RELATIVE] *
                          larger(largest[kind] / (c->scale * c->beta_prime), multiplier[kind]) +
                      16 * DBL_EPSILON * noise[kind] / c->scale;
}

/* Reciprocal tolerances of the step: of increments (positions, multipliers) and of residuals (force
 * rows, constraint rows). */
static void set_tolerances(const nt_stepper *s, const work *w, const coefficients *c)
{
    const nt_problem *p = s->problem;
    const double *option = s->options;
    double force[2], relative = option[TOLERANCE_RELATIVE];
    const double position[2] = {option[TOLERANCE_LENGTH], option[TOLERANCE_ANGLE]};
    measure_forces(s, w, c, force);
    const double per_force[2] = {1 / force[0], 1 / force[1]};
    const double per_position[2] = {1 / position[0], 1 / position[1]};
    for (int i = 0; i < p->nv; i++) {
        w->per_increment[i] = 1 / (position[p->quantity[i]] + relative * fabs(w->increment[i]));
        w->per_residual[i] = per_force[p->quantity[i]];
    }
    for (int i = p->nv; i < p->n; i++) {
        w->per_increment[i] = per_force[p->quantity[i]];
        w->per_residual[i] = per_position[p->quantity[i]];
    }
}

/* max |x_i| weight_i, in four strands that become vector instructions; not finite when an x is not.
 */
NT_WIDE static double worst_ratio(const double *restrict x, const double *restrict weight, int n)
{
    enum { STRANDS = 4 };
    double most[STRANDS] = {0}, sum[STRANDS] = {0};
    int i = 0;
    for (; i + STRANDS <= n; i += STRANDS)
        for (int l = 0; l < STRANDS; l++) {
            double ratio = fabs(x[i + l]) * weight[i + l];
            most[l] = ratio > most[l] ? ratio : most[l];
            sum[l] += ratio;
        }
    for (; i < n; i++) {
        double ratio = fabs(x[i]) * weight[i];
        most[0] = larger(ratio, most[0]);
        sum[0] += ratio;
    }
    double total = sum[0] + sum[1] + sum[2] + sum[3];
    return isfinite(total) ? larger(larger(most[0], most[1]), larger(most[2], most[3])) : total;
}

/* The tangent operator is singular at a rotation of 2 pi: a step that turns a body by more than 6
 * rad is too large for this method. The unknown that does, or -1. */
static int too_large_a_turn(const nt_problem *p, const work *w)
{
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        const double *psi = w->increment + block->v + block->nv - 3;
        if (block->rotation >= 0 && !(psi[0] * psi[0] + psi[1] * psi[1] + psi[2] * psi[2] < 36))
            return block->v + block->nv - 3;
    }
    return -1;
}

/* For the report of a step that fails: whose ratio is worst. */
static int worst_unknown(const double *x, const double *weight, int n)
{
    int which = -1;
    double worst = 0;
    for (int i = 0; i < n; i++)
        if (!(fabs(x[i]) * weight[i] <= worst)) {
            worst = fabs(x[i]) * weight[i];
            which = i;
            if (isnan(worst))
                break;
        }
    return which;
}

static double position_drift(const nt_problem *p, const work *w)
{
    double drift = 0;
    for (int i = p->nv; i < p->nv + p->nh; i++)
        drift = larger(fabs(w->residual[i]), drift);
    return drift;
}

/* ---- the step ------------------------------------------------------------------------------- */

static nt_status fail(nt_stepper *s, nt_status status, const double *x, const double *weight,
                      double worst)
{
    s->report.worst = worst;
    s->report.unknown = worst_unknown(x, weight, s->problem->n);
    return status;
}

static nt_status iterate(nt_stepper *s, const work *w, const coefficients *c, double h)
{
    nt_problem *p = s->problem;
    bool reuse = s->options[REUSE_TANGENT] != 0;
    /* equal steps differ in their last bits where times are rounded */
    bool same = fabs(s->now.all[NT_PHASE_STEP] - h) <= 1e-9 * h;
    bool fresh = !reuse || p->factored_for != s || !same || s->stale;
    bool settled = false; /* increments say converged: only the residual is still to be asked */
    double last = 0, size = 0;
    int most = (int)s->options[MAX_ITERATIONS];
    for (int i = 0;; i++) {
        s->report = (nt_report){.iterations = i, .unknown = -1, .worst = size};
        bool tangent = fresh && !settled;
        nt_status status = equilibrium(s, w, c, tangent);
        if (status == NT_OK && i == 0)
            set_tolerances(s, w, c);
        if (status == NT_OK && tangent)
            status = factorise(s);
        if (status != NT_OK)
            return status;
        if (settled) {
            size = worst_ratio(w->residual, w->per_residual, p->n);
            s->report.position_drift = position_drift(p, w);
            if (size <= 1)
                return NT_OK;
            if (fresh && ((status = equilibrium(s, w, c, true)) != NT_OK ||
                          (status = factorise(s)) != NT_OK))
                return status;
        }
        if (i == most)
            return settled ? fail(s, NT_NOT_CONVERGED, w->residual, w->per_residual, size)
                           : fail(s, NT_NOT_CONVERGED, w->z, w->per_increment, size);
        if ((status = correct(s, w, c)) != NT_OK)
            return status;
        size = worst_ratio(w->z, w->per_increment, p->n);
        if (!isfinite(size))
            return fail(s, NT_NOT_FINITE, w->z, w->per_increment, size);
        /* what is left after this correction: the increments' geometric series, if they shrink */
        double ratio = i > 0 ? size / last : 1;
        settled = size <= 1 || (ratio < 0.5 && ratio / (1 - ratio) * size <= 1);
        if (!settled && i > 0 && ratio > SLOW) {
            /* near a singular position rounding of positions is amplified in the multipliers: where
             * the motion stands still and only they move, the residual decides */
            if (fresh && worst_ratio(w->z, w->per_increment, p->nv) <= 1)
                settled = true;
            else if (fresh && ratio > 2) /* grows with the exact tangent */
                return fail(s, NT_NOT_CONVERGED, w->z, w->per_increment, size);
            fresh = true;
        }
        last = size;
    }
}

static nt_status step(nt_stepper *s, double h)
{
    coefficients c = for_step(s->options, h);
    work w = work_of(s);
    s->next.all[NT_PHASE_T] = s->now.all[NT_PHASE_T] + h;
    predict(s, &w, &c, h);
    s->report = (nt_report){.unknown = too_large_a_turn(s->problem, &w), .worst = (double)INFINITY};
    if (s->report.unknown >= 0)
        return NT_NOT_CONVERGED;
    nt_status status = iterate(s, &w, &c, h);
    if (status != NT_OK)
        return status;
    double share = (1 - c.alpha_f) / (1 - c.alpha_m);
    for (int i = 0; i < s->problem->nv; i++)
        s->next.method[i] = w.a[i] + share * s->next.vdot[i];
    return NT_OK;
}

const nt_method nt_method_generalized_alpha = {
    .name = "generalized-alpha",
    .summary = "Lie-group generalized-alpha, index 3",
    .reference = "Bruls, Cardona & Arnold 2012, algorithm 1",
    .needs = NT_NEEDS_TANGENT | NT_HOLONOMIC | NT_NONHOLONOMIC,
    .options = options,
    .n_options = N_OPTIONS,
    .frames = NT_IN_BOTH_FRAMES,
    .layout = layout,
    .start = start,
    .step = step,
};
