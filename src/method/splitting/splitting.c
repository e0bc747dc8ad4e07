/* The step of splitting methods; see splitting.h.
 *
 * The unknown of the Newton iteration is e = T(beta x) Dx (newton.h), so that
 *
 *   dq_m = beta e,  dv_m = beta gamma' T^-1 e,  dvdot = beta' T^-1 e,  beta' = 1/(sigma h^2),
 * gamma' = 1/(sigma h),
 *
 * and dq1 = Y e with Y = T(x) T(beta x)^-1. With s = sigma h^2 the first stage is
 *
 *   [ s (beta' M T^-1 + beta gamma' C_B T^-1 + beta K)   R_lambda   R_mu ] [     e     ]
 *   [ Phi_q(q1) Y                                            0       0   ] [ s Dlambda ] = ...
 *   [ beta gamma' kappa_v T^-1 + beta kappa_q                0       0   ] [ s Dmu     ]
 *
 * all but the rows of Phi at the middle. These get their derivative at the level of velocities,
 * where it meets the map Y. In the second stage positions stand and the unknown is a. */
#include "method/splitting/splitting.h"

#include "base/vector3.h"
#include "method/variation.h"

#include <string.h>

/* Constraint rows that Newton's iteration leaves at more than this part of their tolerance get one
 * more correction with the factors at hand, which takes them to rounding. */
static const double POLISHED = 1e-4;

/* ---- work ------------------------------------------------------------------------------------ */

typedef struct work {
    nt_newton newton;
    double *explicit; /* [nv] -A                         */
    double *q_m;      /* [nq]                            */
    double *v_m;      /* [nv]                            */
    double *beta_x;   /* [nv] and scratch                */
    double *Y;        /* [r][9] T(x) T(beta x)^-1        */
    double *rows;     /* [n] rows at the middle; scratch */
} work;

static size_t memory_size(const nt_problem *p)
{
    return 3 + 2 * (size_t)p->nv + (size_t)p->nq + (size_t)p->nc;
}

void nt_splitting_layout(const nt_problem *p, nt_layout *sizes)
{
    size_t nv = (size_t)p->nv, nq = (size_t)p->nq, n = (size_t)p->n, nc = (size_t)p->nc;
    size_t r = (size_t)p->space.n_rotations;
    sizes->memory = memory_size(p);
    sizes->variation = 1; /* nothing that is kept reaches the next step, but for its size */
    sizes->scratch = nt_newton_size(p) + 3 * nv + nq + 9 * r + n;
    sizes->linear = 5 * nv + 2 * nq + 45 * r;
    sizes->linear_each = 2 * nv + nc + 2 * n;
}

static work bind(const nt_stepper *s, const nt_splitting *c, double h)
{
    const nt_problem *p = s->problem;
    const nt_family first = {.h = h,
                             .scale = c->sigma * h * h,
                             .position = 1,
                             .beta_prime = 1 / (c->sigma * h * h),
                             .gamma_prime = 1 / (c->sigma * h)};
    work w;
    w.explicit = nt_newton_bind(&w.newton, s, &first);
    w.q_m = w.explicit + p->nv;
    w.v_m = w.q_m + p->nq;
    w.beta_x = w.v_m + p->nv;
    w.Y = w.beta_x + p->nv;
    w.rows = w.Y + 9 * p->space.n_rotations;
    return w;
}

nt_status nt_splitting_start(nt_stepper *s)
{
    const nt_problem *p = s->problem;
    nt_splitting_memory m = nt_splitting_memory_of(p, &s->next);
    memset(s->next.method, 0, memory_size(p) * sizeof(double));
    memcpy(m.a_first, s->next.vdot, (size_t)p->nv * sizeof(double));
    memcpy(m.lambda_first, s->next.lambda, (size_t)p->nc * sizeof(double));
    return NT_OK;
}

nt_status nt_splitting_explicit(nt_stepper *s, const nt_splitting *c, double h, const double *q,
                                double *out)
{
    const nt_problem *p = s->problem;
    memset(out, 0, (size_t)p->nv * sizeof *out);
    if (c->explicit_parts == 0)
        return NT_OK;
    nt_point at = nt_phase_point(&s->now);
    at.q = q;
    at.t += c->alpha * h;
    nt_terms terms = {.parts = c->explicit_parts, .residual = out};
    s->statistics->evaluations++;
    return nt_problem_evaluate(p, &at, &terms);
}

/* A of the step, at q0 o exp(alpha h v0), and its stiffness where it is wanted. */
static nt_status take_explicit(nt_stepper *s, const nt_splitting *c, const work *w, double h)
{
    const nt_problem *p = s->problem;
    for (int i = 0; i < p->nv; i++)
        w->beta_x[i] = c->alpha * h * s->now.v[i];
    nt_space_compose(&p->space, p->frame, s->now.q, w->beta_x, w->q_m);
    nt_status status = nt_splitting_explicit(s, c, h, w->q_m, w->explicit);
    if (status == NT_OK && c->measures)
        status = nt_splitting_measure(s, c, h, w->explicit, w->q_m, w->rows, w->beta_x);
    return status;
}

/* ---- equations ------------------------------------------------------------------------------- */

/* What the equations need besides the Newton iteration's own arrays. */
typedef struct stage {
    nt_newton newton; /* first: the iteration hands it out */
    bool first;
    double per_speed; /* rows of velocities count relative to the largest velocity, 1 m/s or 1 rad/s
                         at least: rounding is relative to it */
    const nt_splitting *c;
    const work *w;
} stage;

/* M a - B - reactions at the middle, -A, and the tangent with dq_m = stiffness/scale e. In the
 * first stage the rows there too, of which those of kappa are wanted. */
static nt_status middle(nt_stepper *s, const stage *g, double damping, double stiffness,
                        const double *map, nt_matrix *tangent)
{
    const nt_problem *p = s->problem;
    const nt_newton *n = &g->newton;
    nt_point at = nt_phase_point(&s->next);
    at.t = s->now.all[NT_PHASE_T] + g->c->beta * n->c.h;
    at.q = g->w->q_m;
    at.v = g->w->v_m;
    bool rows = g->first && p->nn > 0;
    nt_combination combination = {.mass = n->c.scale * n->c.beta_prime,
                                  .damping = damping,
                                  .stiffness = stiffness,
                                  .multiplier = 1,
                                  .row_damping = rows ? g->per_speed * damping / n->c.scale : 0,
                                  .row_stiffness = rows ? g->per_speed * stiffness / n->c.scale : 0,
                                  .map = p->space.n_rotations ? map : NULL};
    nt_terms terms = {.parts = NT_MASS | NT_REACTIONS | g->c->implicit_parts,
                      .level = rows ? NT_POSITION : NT_VELOCITY,
                      .residual = n->residual,
                      .rows = rows ? g->w->rows : NULL,
                      .matrix = tangent,
                      .combination = &combination};
    memcpy(n->residual, g->w->explicit, (size_t)p->nv * sizeof(double));
    if (tangent)
        nt_matrix_zero(tangent);
    s->statistics->evaluations++;
    return nt_problem_evaluate(p, &at, &terms);
}

/* Rows of the problem's matrix that are multipliers' become zero: those of lambda. */
static void clear_holonomic_rows(const nt_problem *p, nt_matrix *matrix)
{
    const nt_pattern *pattern = p->pattern;
    for (int slot = 0; slot < pattern->n_slots; slot++) {
        const int *node = pattern->node_start + pattern->row[slot];
        const int *across = pattern->node_start + pattern->column[slot];
        size_t columns = (size_t)(across[1] - across[0]);
        double *block = nt_matrix_block(matrix, slot);
        if (nt_pattern_is_single(pattern, slot)) { /* three rows of one joint */
            *block = node[0] >= p->nv && node[0] < p->nv + p->nh ? 0 : *block;
            continue;
        }
        for (int i = node[0]; i < node[1]; i++)
            if (i >= p->nv && i < p->nv + p->nh)
                memset(block + (size_t)(i - node[0]) * columns, 0, columns * sizeof *block);
    }
}

/* At the level of velocities the rows of kappa come along, kappa_v Y; at that of positions they
 * come alone, and take it back. */
nt_status nt_splitting_holonomic_rows(const nt_problem *p, const nt_point *end, const double *Y,
                                      nt_matrix *matrix)
{
    nt_combination velocity = {.row_damping = 1, .map = Y}, back = {.row_damping = -1, .map = Y};
    nt_terms terms = {.level = NT_VELOCITY, .matrix = matrix, .combination = &velocity};
    if (p->nh == 0)
        return NT_OK;
    if (p->nn > 0)
        clear_holonomic_rows(p, matrix);
    nt_status status = nt_problem_evaluate(p, end, &terms);
    terms.level = NT_POSITION;
    terms.combination = &back;
    return status == NT_OK && p->nn > 0 ? nt_problem_evaluate(p, end, &terms) : status;
}

static nt_status first_equations(nt_stepper *s, const nt_newton *n, nt_matrix *tangent)
{
    const stage *g = (const stage *)n;
    const nt_problem *p = s->problem;
    const work *w = g->w;
    double beta = g->c->beta, *rows = n->residual + p->nv;
    nt_point end = nt_phase_point(&s->next);
    for (int i = 0; i < p->nv; i++) {
        w->beta_x[i] = beta * n->increment[i];
        w->v_m[i] = s->now.v[i] + beta * n->c.h * n->acceleration[i];
    }
    nt_space_compose(&p->space, p->frame, s->now.q, w->beta_x, w->q_m);
    nt_space_compose(&p->space, p->frame, s->now.q, n->increment, s->next.q);
    if (nt_newton_needs_maps(s, tangent)) {
        nt_space_tangent(&p->space, p->frame, w->beta_x, NULL, n->T_inverse);
        nt_space_tangent(&p->space, p->frame, n->increment, w->Y, NULL);
        for (int k = 0; k < p->space.n_rotations; k++)
            m3_store(w->Y + 9 * k,
                     m3_multiply(m3_load(w->Y + 9 * k), m3_load(n->T_inverse + 9 * k)));
    }
    nt_status status = middle(s, g, n->c.scale * beta * n->c.gamma_prime, n->c.scale * beta,
                              n->T_inverse, tangent);
    nt_terms holonomic = {.level = NT_POSITION, .rows = rows};
    if (status == NT_OK && p->nh > 0)
        status = nt_problem_evaluate(p, &end, &holonomic);
    for (int i = p->nh; i < p->nc; i++)
        rows[i] = g->per_speed * w->rows[i];
    return status == NT_OK && tangent
               ? nt_splitting_holonomic_rows(p, &end, p->space.n_rotations ? w->Y : NULL, tangent)
               : status;
}

static nt_status second_equations(nt_stepper *s, const nt_newton *n, nt_matrix *tangent)
{
    const stage *g = (const stage *)n;
    const nt_problem *p = s->problem;
    double h = n->c.h;
    for (int i = 0; i < p->nv; i++)
        g->w->v_m[i] = s->now.v[i] + g->c->beta * h * n->acceleration[i];
    nt_status status = middle(s, g, g->c->beta * h, 0, NULL, tangent);
    nt_point end = nt_phase_point(&s->next);
    nt_combination combination = {.row_damping = g->per_speed * h};
    nt_terms terms = {.level = NT_VELOCITY,
                      .rows = n->residual + p->nv,
                      .matrix = tangent,
                      .combination = &combination};
    if (status == NT_OK)
        status = nt_problem_evaluate(p, &end, &terms);
    for (int i = 0; i < p->nc; i++)
        terms.rows[i] *= g->per_speed;
    return status;
}

static double largest(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* ---- the step -------------------------------------------------------------------------------- */

/* a, lambda of the step before are the first guess. */
static void predict(const nt_stepper *s, const nt_splitting *c, const nt_newton *n)
{
    const nt_problem *p = s->problem;
    double h = n->c.h;
    memcpy(n->acceleration, s->now.vdot, (size_t)p->nv * sizeof(double));
    memcpy(s->next.lambda, s->now.lambda, (size_t)p->nc * sizeof(double));
    memcpy(s->next.memory, s->now.memory, (size_t)p->system->n_memory * sizeof(double));
    for (int i = 0; i < p->nv; i++) {
        n->rate[i] = s->now.v[i] + h * n->acceleration[i];
        n->increment[i] = h * s->now.v[i] + c->sigma * h * h * n->acceleration[i];
    }
}

static void identities(const nt_problem *p, double *map)
{
    for (int k = 0; k < p->space.n_rotations; k++)
        m3_store(map + 9 * k, m3_identity());
}

/* Newton's iteration, and the rows to rounding: what the equations make of the increments is made
 * once more. */
static nt_status solve(nt_stepper *s, const stage *g, nt_newton_equations *equations)
{
    const nt_problem *p = s->problem;
    const nt_newton *n = &g->newton;
    nt_status status = nt_newton_iterate(s, n, equations, nt_newton_correct);
    if (status != NT_OK ||
        nt_newton_worst_ratio(n->residual + p->nv, n->per_residual + p->nv, p->nc) <= POLISHED)
        return status;
    nt_report report = s->report;
    status = nt_newton_correct(s, n, NULL);
    if (status == NT_OK)
        status = equations(s, n, NULL);
    report.position_drift = 0;
    for (int i = p->nv; i < p->nv + p->nh; i++)
        report.position_drift = fmax(report.position_drift, fabs(n->residual[i]));
    s->report = report;
    return status;
}

nt_status nt_splitting_step(nt_stepper *s, const nt_splitting *c, double h)
{
    const nt_problem *p = s->problem;
    work w = bind(s, c, h);
    nt_splitting_memory m = nt_splitting_memory_of(p, &s->next);
    s->next.all[NT_PHASE_T] = s->now.all[NT_PHASE_T] + h;
    nt_status status = take_explicit(s, c, &w, h);
    stage g = {.newton = w.newton, .first = true, .c = c, .w = &w};
    g.per_speed = 1 / (1 + largest(s->now.v, p->nv));
    predict(s, c, &g.newton);
    if (status == NT_OK)
        status = nt_newton_check_turn(s, &g.newton);
    if (status == NT_OK)
        status = solve(s, &g, first_equations);
    if (status != NT_OK)
        return status;
    memcpy(m.a_first, s->next.vdot, (size_t)p->nv * sizeof(double));
    memcpy(m.lambda_first, s->next.lambda, (size_t)p->nc * sizeof(double));
    if (p->nc == 0)
        return NT_OK;
    int iterations = s->report.iterations;
    double drift = s->report.position_drift;
    g.newton.c = (nt_family){.h = h, .scale = 1, .beta_prime = 1, .gamma_prime = h};
    g.first = false;
    identities(p, g.newton.T_inverse);
    s->factors->kept = false; /* another matrix */
    status = solve(s, &g, second_equations);
    s->factors->kept = false;
    s->report.iterations += iterations;
    s->report.position_drift = drift;
    return status;
}

/* Of a step of size h beside one of size `other`, with accelerations that belong to their middles,
 * at the start (other = 0) to its time. */
static void estimate_by_rate(const nt_stepper *s, double h, double other, double *estimate)
{
    int nv = s->problem->nv;
    double between = (other + h) / 2;
    for (int i = 0; i < nv; i++) {
        double rate = (s->next.vdot[i] - s->now.vdot[i]) / between;
        estimate[i] = h * h * h / 4 * rate;
        estimate[nv + i] = h * h / 2 * rate;
    }
}

nt_status nt_splitting_error(nt_stepper *s, double h, double *estimate)
{
    estimate_by_rate(s, h, s->now.all[NT_PHASE_STEP], estimate);
    return NT_OK;
}

nt_status nt_splitting_review(nt_stepper *s, double h, double *estimate)
{
    estimate_by_rate(s, s->now.all[NT_PHASE_STEP], h, estimate);
    return NT_OK;
}
