/* The step of splitting methods; see splitting.h.
 *
 * The unknown of the Newton iteration is e = T(beta x) Dx (newton.h), so that
 *
 *   dq_m = beta e,  dv_m = beta gamma' T^-1 e,  dvdot = beta' T^-1 e,
 *   beta' = 1/(sigma h^2),  gamma' = 1/(sigma h),
 *
 * and dq1 = Y e with Y = T(x) T(beta x)^-1. With s = sigma h^2 the first stage is
 *
 *   [ s (beta' M T^-1 + beta gamma' C_B T^-1 + beta K)   R_lambda   R_mu ] [     e     ]
 *   [ Phi_q(q1) Y                                            0       0   ] [ s Dlambda ] = ...
 *   [ beta gamma' kappa_v T^-1 + beta kappa_q                0       0   ] [ s Dmu     ]
 *
 * with all rows but those of Phi taken at the middle of the step. The rows of Phi get their
 * derivative from the level of velocities, where it is multiplied by Y. In the second stage
 * positions stay as they are, and the unknown is a. */
#include "method/splitting/splitting.h"

#include "base/target.h"
#include "base/vector3.h"
#include "method/splitting/splitting_own.h"
#include "method/variation.h"

#include <string.h>

/* Constraint rows that Newton's iteration leaves at more than this part of their tolerance get one
 * more correction with the factors at hand, which takes them to rounding. */
static const double POLISHED = 1e-4;

/* ---- work ------------------------------------------------------------------------------------ */

typedef struct work {
    nt_newton newton;
    double *explicit; /* [nv] -A                         */
    double *a_p;      /* [nv] what A was taken with      */
    double *lambda_p; /* [nc] likewise                   */
    double *q_m;      /* [nq]                            */
    double *v_m;      /* [nv]                            */
    double *beta_x;   /* [nv] and scratch                */
    double *Y;        /* [r][9] T(x) T(beta x)^-1        */
    double *rows;     /* [n] rows at the middle; scratch */
} work;

static size_t splitting_memory_size(const nt_problem *p, const nt_splitting *c)
{
    size_t followed = 2 * (size_t)nt_splitting_follows(p);
    size_t always = 12 + 3 * (size_t)p->nv + (size_t)p->nq + (size_t)p->nc + followed;
    return always + (c->bounds ? 5 + 2 * (size_t)p->nv : 0);
}

void nt_splitting_layout(const nt_problem *p, const nt_splitting *c, nt_layout *sizes)
{
    size_t nv = (size_t)p->nv, nq = (size_t)p->nq, n = (size_t)p->n, nc = (size_t)p->nc;
    size_t r = (size_t)p->space.n_rotations;
    sizes->memory = splitting_memory_size(p, c);
    /* of first order nothing that is kept reaches the next step, but for its size */
    sizes->variation = c->second ? nv + 2 * (size_t)nt_splitting_follows(p) : 1;
    sizes->scratch = nt_newton_size(p) + 4 * nv + nc + nq + 9 * r + n;
    sizes->linear = 9 * nv + nc + 2 * nq + 45 * r;
    sizes->linear_each = 4 * nv + 2 * nc + 3 * n;
}

static work splitting_bind(const nt_stepper *s, const nt_splitting *c, double h)
{
    const nt_problem *p = s->problem;
    const nt_family first = {.h = h,
                             .scale = c->sigma * h * h,
                             .position = 1,
                             .beta_prime = 1 / (c->sigma * h * h),
                             .gamma_prime = 1 / (c->sigma * h)};
    work w;
    w.explicit = nt_newton_bind(&w.newton, s, &first);
    w.a_p = w.explicit + p->nv;
    w.lambda_p = w.a_p + p->nv;
    w.q_m = w.lambda_p + p->nc;
    w.v_m = w.q_m + p->nq;
    w.beta_x = w.v_m + p->nv;
    w.Y = w.beta_x + p->nv;
    w.rows = w.Y + 9 * p->space.n_rotations;
    return w;
}

/* ---- explicit forces --------------------------------------------------------------------------
 */

nt_status nt_splitting_explicit(nt_stepper *s, const nt_splitting *c, double h, const double *q,
                                const double *v, const double *lambda, double *out,
                                const nt_splitting_own *damped)
{
    const nt_problem *p = s->problem;
    memset(out, 0, (size_t)p->nv * sizeof *out);
    if (c->explicit_parts == 0)
        return NT_OK;
    nt_combination half = {.damping = h / 2, .own_blocks = 1};
    nt_point at = nt_phase_point(&s->now);
    at.q = q, at.v = v, at.lambda = lambda, at.mu = lambda + p->nh;
    at.t += c->alpha * h;
    nt_terms terms = {.parts = c->explicit_parts, .residual = out, .damping = true};
    terms.ahead = c->bounds ? h : 0;
    terms.step = h;
    if (damped) {
        nt_splitting_clear_damping(damped);
        terms.matrix = &damped->damping;
        terms.combination = &half;
    }
    s->statistics->evaluations++;
    return nt_problem_evaluate(p, &at, &terms);
}

/* How far ahead of a_1 a_p is, in steps from a_2 to a_1. */
static double splitting_ahead(const nt_splitting_memory *m, double h)
{
    return *m->apart > 0 ? (h / 4 + *m->since) / *m->apart : 0;
}

void nt_splitting_predict_rate(const nt_problem *p, const nt_phase *now, double h, double *a_p)
{
    nt_splitting_memory m = nt_splitting_memory_of(p, now);
    double ahead = splitting_ahead(&m, h);
    for (int i = 0; i < p->nv; i++)
        a_p[i] = now->vdot[i] + ahead * (now->vdot[i] - m.a_before[i]);
}

/* The same, with what moves until the middle of the step, and the velocity there. */
NT_WIDE static void splitting_predict_middle(int nv, double h, double alpha, double ahead,
                                             const double *v, const double *a_1, const double *a_2,
                                             double *restrict a_p, double *restrict x,
                                             double *restrict v_m)
{
    for (int i = 0; i < nv; i++) {
        a_p[i] = a_1[i] + ahead * (a_1[i] - a_2[i]);
        x[i] = alpha * h * v[i] + h * h / 8 * a_p[i];
        v_m[i] = v[i] + h / 2 * a_p[i];
    }
}

/* Predicts multipliers linearly from lambda_1 and lambda_3. Where a force follows the multipliers
 * and changes them by a gain g, errors grow with equal steps like the roots of z^3 = g (3/2 z^2 -
 * 1/2): they die away for |g| < 1, as with the last multipliers taken unchanged. Predicted from
 * lambda_1 and lambda_2 they would for -1/3 < g < 1 alone. */
double nt_splitting_predict_multipliers(const nt_problem *p, const nt_splitting *c,
                                        const nt_phase *now, double h, double *lambda)
{
    nt_splitting_memory m = nt_splitting_memory_of(p, now);
    memcpy(lambda, now->lambda, (size_t)p->nc * sizeof *lambda);
    if (!c->second || nt_splitting_follows(p) == 0 || !(*m.apart > 0))
        return 0;
    const double *last = *m.further > 0 ? m.lambda_3 : m.lambda_2;
    double ahead = (h / 2 + *m.since) / (*m.apart + *m.further);
    for (int i = 0; i < p->nc; i++)
        lambda[i] += ahead * (now->lambda[i] - last[i]);
    return ahead;
}

double nt_splitting_share(const nt_problem *p, const nt_phase *now, double h)
{
    return h / (6 * (h / 2 + *nt_splitting_memory_of(p, now).since));
}

/* In steps of first order, what meeting surfaces and turning friction add to the square of the
 * frequency counts this much more: such steps are a third as long, with a third of the error. */
static const double SEES_FIRST = 8;

/* 1/s^2, of the stiffest single force: with `bounds` by what will have met a step later. */
static double splitting_square(const nt_splitting *c, const nt_stiffest *stiffest)
{
    double meets = fmax(0, stiffest->ahead - stiffest->all);
    if (!c->bounds)
        return stiffest->now;
    return stiffest->ahead + (c->second ? 0 : SEES_FIRST * meets);
}

/* Reports how the step compares with the longest that single forces allow, at the place where A was
 * taken; see splitting_bounds.c. */
static nt_status splitting_watch(nt_stepper *s, const nt_splitting *c, double h)
{
    const nt_system *system = s->problem->system;
    nt_report *report = &s->report;
    memset(report->damped_by, -1, sizeof report->damped_by);
    memset(report->swings_by, -1, sizeof report->swings_by);
    if (c->explicit_parts == 0)
        return NT_OK;
    if (system->fastest_damping)
        report->damped = h * system->fastest_damping(system->self, c->second, report->damped_by) /
                         (c->second ? NT_SPLITTING_DAMPED_SECOND : NT_SPLITTING_DAMPED_FIRST);
    if (system->stiffest) {
        nt_stiffest stiffest;
        system->stiffest(system->self, &stiffest);
        report->swings = h * sqrt(splitting_square(c, &stiffest)) / nt_splitting_stable_swing(c);
        memcpy(report->swings_by, stiffest.which, sizeof stiffest.which);
        report->turns = c->second ? h * stiffest.turns / NT_SPLITTING_TURNS : 0;
        memcpy(report->turns_by, stiffest.turns_by, sizeof stiffest.turns_by);
    }
    if (!c->bounds || (report->damped <= 1 && report->swings <= 1 && report->turns <= 1))
        return NT_OK;
    report->words = report->damped > 1
                        ? "a contact damps faster than steps of this size are stable for"
                    : report->swings > 1 ? "surfaces meet faster than steps of this size can follow"
                                         : "friction turns round in steps of this size";
    return NT_NOT_CONVERGED;
}

/* Evaluates A for the step: in first order at q0 o exp(alpha h v0), with its stiffness where that
 * is wanted; in second order at the predicted middle of the step, with the damping of the blocks
 * that are alone. */
static nt_status splitting_take_explicit(nt_stepper *s, const nt_splitting *c, const work *w,
                                         double h, nt_splitting_own *own)
{
    const nt_problem *p = s->problem;
    const double *v = c->second ? w->v_m : s->now.v;
    if (c->second) {
        nt_splitting_memory m = nt_splitting_memory_of(p, &s->now);
        splitting_predict_middle(p->nv, h, c->alpha, splitting_ahead(&m, h), s->now.v, s->now.vdot,
                                 m.a_before, w->a_p, w->beta_x, w->v_m);
    } else
        for (int i = 0; i < p->nv; i++)
            w->beta_x[i] = c->alpha * h * s->now.v[i];
    nt_space_compose(&p->space, p->frame, s->now.q, w->beta_x, w->q_m);
    bool damps = own && own->damping.values;
    nt_splitting_predict_multipliers(p, c, &s->now, h, w->lambda_p);
    nt_status status =
        nt_splitting_explicit(s, c, h, w->q_m, v, w->lambda_p, w->explicit, damps ? own : NULL);
    nt_point at = {.t = s->now.all[NT_PHASE_T] + c->alpha * h,
                   .q = w->q_m,
                   .v = v,
                   .vdot = s->now.vdot,
                   .lambda = w->lambda_p,
                   .mu = w->lambda_p + p->nh,
                   .memory = s->now.memory};
    if (status == NT_OK)
        status = splitting_watch(s, c, h);
    if (status == NT_OK && c->bounds)
        status = nt_splitting_bounds(s, c, h, &at, w->rows);
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

/* Evaluates M a - B - reactions - A at the middle of the step, and the tangent with dq_m =
 * stiffness/scale e. In the first stage also the rows there, for those of kappa are needed. */
static nt_status splitting_middle(nt_stepper *s, const stage *g, double damping, double stiffness,
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

/* Clears the rows of the matrix that belong to holonomic constraints. */
static void splitting_clear_holonomic_rows(const nt_problem *p, nt_matrix *matrix)
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

/* The rows of Phi are differentiated at the level of velocities. That evaluation adds kappa_v Y to
 * the rows of kappa as well; at the level of positions there are only the rows of kappa, so another
 * one there, with the opposite sign, takes kappa_v Y away again. */
nt_status nt_splitting_holonomic_rows(const nt_problem *p, const nt_point *end, const double *Y,
                                      nt_matrix *matrix)
{
    nt_combination velocity = {.row_damping = 1, .map = Y}, back = {.row_damping = -1, .map = Y};
    nt_terms terms = {.level = NT_VELOCITY, .matrix = matrix, .combination = &velocity};
    if (p->nh == 0)
        return NT_OK;
    if (p->nn > 0)
        splitting_clear_holonomic_rows(p, matrix);
    nt_status status = nt_problem_evaluate(p, end, &terms);
    terms.level = NT_POSITION;
    terms.combination = &back;
    return status == NT_OK && p->nn > 0 ? nt_problem_evaluate(p, end, &terms) : status;
}

static nt_status splitting_first_equations(nt_stepper *s, const nt_newton *n, nt_matrix *tangent)
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
    nt_status status = splitting_middle(s, g, n->c.scale * beta * n->c.gamma_prime,
                                        n->c.scale * beta, n->T_inverse, tangent);
    nt_terms holonomic = {.level = NT_POSITION, .rows = rows};
    if (status == NT_OK && p->nh > 0)
        status = nt_problem_evaluate(p, &end, &holonomic);
    for (int i = p->nh; i < p->nc; i++)
        rows[i] = g->per_speed * w->rows[i];
    return status == NT_OK && tangent
               ? nt_splitting_holonomic_rows(p, &end, p->space.n_rotations ? w->Y : NULL, tangent)
               : status;
}

static nt_status splitting_second_equations(nt_stepper *s, const nt_newton *n, nt_matrix *tangent)
{
    const stage *g = (const stage *)n;
    const nt_problem *p = s->problem;
    double h = n->c.h;
    for (int i = 0; i < p->nv; i++)
        g->w->v_m[i] = s->now.v[i] + g->c->beta * h * n->acceleration[i];
    nt_status status = splitting_middle(s, g, g->c->beta * h, 0, NULL, tangent);
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

static double splitting_largest(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* ---- the step -------------------------------------------------------------------------------- */

/* Takes a and lambda of the step before as the first guess. */
static void splitting_predict(const nt_stepper *s, const nt_splitting *c, const nt_newton *n)
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

static void splitting_identities(const nt_problem *p, double *map)
{
    for (int k = 0; k < p->space.n_rotations; k++)
        m3_store(map + 9 * k, m3_identity());
}

/* Newton's iteration, and one more correction where it leaves rows above rounding (POLISHED). The
 * equations are then evaluated again, because they compute the state from the increments, and the
 * rows are judged again: where forces are so large that their rounding moves positions, the
 * correction opens rows that were met. */
static nt_status splitting_solve(nt_stepper *s, const stage *g, nt_newton_equations *equations)
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
    double open = nt_newton_worst_ratio(n->residual + p->nv, n->per_residual + p->nv, p->nc);
    if (status != NT_OK || open <= 1)
        return status;
    double worst = nt_newton_worst_ratio(n->residual, n->per_residual, p->n);
    return nt_newton_fail(s, NT_NOT_CONVERGED, n->residual, n->per_residual, worst);
}

/* The equations of splitting.h by Newton's iteration, with -A in w->explicit. */
static nt_status splitting_implicit_step(nt_stepper *s, const nt_splitting *c, const work *w,
                                         double h, double *a_first, double *lambda_first)
{
    const nt_problem *p = s->problem;
    stage g = {.newton = w->newton, .first = true, .c = c, .w = w};
    g.per_speed = 1 / (1 + splitting_largest(s->now.v, p->nv));
    splitting_predict(s, c, &g.newton);
    nt_status status = nt_newton_check_turn(s, &g.newton);
    if (status == NT_OK)
        status = splitting_solve(s, &g, splitting_first_equations);
    if (status != NT_OK)
        return status;
    memcpy(a_first, s->next.vdot, (size_t)p->nv * sizeof(double));
    memcpy(lambda_first, s->next.lambda, (size_t)p->nc * sizeof(double));
    if (p->nc == 0)
        return NT_OK;
    int iterations = s->report.iterations;
    double drift = s->report.position_drift;
    g.newton.c = (nt_family){.h = h, .scale = 1, .beta_prime = 1, .gamma_prime = h};
    g.first = false;
    splitting_identities(p, g.newton.T_inverse);
    s->factors->kept = false; /* another matrix */
    status = splitting_solve(s, &g, splitting_second_equations);
    s->factors->kept = false;
    s->report.iterations += iterations;
    s->report.position_drift = drift;
    return status;
}

/* The velocities of blocks that are alone from number *k on and follow each other: the first, and
 * *end behind the last. *k: the next such block. */
static int splitting_run_of_blocks(const nt_splitting_own *own, int *k, int *end)
{
    const nt_block *blocks = own->whole->space.blocks;
    int first = blocks[own->alone[*k]].v;
    *end = first;
    for (; *k < own->n_alone && blocks[own->alone[*k]].v == *end; ++*k)
        *end += blocks[own->alone[*k]].nv;
    return first;
}

/* x and v1 of n velocities; reach: sigma h^2. */
NT_WIDE static void splitting_advance(int n, double h, double reach, double share, const double *a,
                                      const double *a_1, const double *v0, double *restrict x,
                                      double *restrict v1)
{
    for (int i = 0; i < n; i++) {
        double of_x = a[i] - share * (a[i] - a_1[i]);
        x[i] = h * v0[i] + reach * of_x;
        v1[i] = v0[i] + h * a[i];
    }
}

/* Advances the blocks that are alone or apart: a, v1 and q1 without an iteration. Of all other
 * blocks q1 is set to q0. */
static nt_status splitting_step_alone(nt_stepper *s, const nt_splitting *c, const work *w, double h,
                                      const nt_splitting_own *own)
{
    const nt_problem *p = s->problem;
    double *x = w->beta_x, *a = s->next.vdot, sum = 0;
    double share = c->second ? nt_splitting_share(p, &s->now, h) : 0;
    nt_status status = nt_splitting_solve_alone(own, w->explicit, c->second ? w->a_p : NULL, a);
    if (status != NT_OK)
        return status;
    memset(x, 0, (size_t)p->nv * sizeof *x);
    memcpy(nt_splitting_memory_of(p, &s->next).a_first, a, (size_t)p->nv * sizeof *a);
    status = nt_splitting_step_apart(s, c, h, own, w->explicit, x);
    if (status != NT_OK)
        return status;
    for (int k = 0, end; k < own->n_alone;) {
        int first = splitting_run_of_blocks(own, &k, &end);
        splitting_advance(end - first, h, c->sigma * h * h, share, a + first, s->now.vdot + first,
                          s->now.v + first, x + first, s->next.v + first);
        for (int i = first; i < end; i++)
            sum += x[i];
    }
    if (!isfinite(sum))
        return NT_NOT_FINITE;
    nt_newton turned = {.increment = x};
    status = nt_newton_check_turn(s, &turned);
    nt_space_compose(&p->space, p->frame, s->now.q, x, s->next.q);
    return status;
}

/* Advances all other blocks, which have a smaller problem of their own, if there are any. */
static nt_status splitting_step_rest(nt_stepper *s, const nt_splitting *c, const work *w, double h,
                                     nt_splitting_own *own)
{
    const nt_problem *p = s->problem;
    nt_splitting_memory m = nt_splitting_memory_of(p, &s->next);
    nt_stepper rest;
    memcpy(s->next.memory, s->now.memory, (size_t)p->system->n_memory * sizeof(double));
    if (!own->problem)
        return NT_OK;
    long before = s->statistics->factorisations;
    nt_status status = nt_splitting_rest_begin(own, s, w->explicit, &rest);
    if (status != NT_OK)
        return status;
    work of_rest = splitting_bind(&rest, c, h);
    memcpy(of_rest.explicit, own->force, (size_t)own->problem->nv * sizeof(double));
    status = splitting_implicit_step(&rest, c, &of_rest, h, own->force, m.lambda_first);
    nt_splitting_rest_end(own, s, &rest, s->statistics->factorisations > before);
    nt_splitting_scatter(own->v, own->n_v, own->force, m.a_first);
    return status;
}

/* ---- the step -------------------------------------------------------------------------------- */

static nt_status splitting_provide(nt_stepper *s, const nt_splitting *c)
{
    nt_splitting_own *own = s->own;
    if (own)
        return NT_OK;
    nt_status status = nt_splitting_own_create(&own, s, c);
    s->own = own;
    return status;
}

void nt_splitting_close(nt_stepper *s)
{
    nt_splitting_own_destroy(s->own);
    s->own = NULL;
}

/* With new parameters other blocks may be alone. */
nt_status nt_splitting_start(nt_stepper *s, const nt_splitting *c)
{
    const nt_problem *p = s->problem;
    nt_splitting_memory m = nt_splitting_memory_of(p, &s->next);
    memset(s->next.method, 0, splitting_memory_size(p, c) * sizeof(double));
    memcpy(m.a_first, s->next.vdot, (size_t)p->nv * sizeof(double));
    memcpy(m.lambda_first, s->next.lambda, (size_t)p->nc * sizeof(double));
    nt_splitting_close(s);
    return splitting_provide(s, c);
}

/* Where A changes a reaction by more than the change that it followed, the error of the multipliers
 * grows from step to step. A step fails when the error has grown GROWS_FOR times in a row and is
 * above MISSED of the largest multiplier: the motion alone does not make them differ like that. */
static const double GROWS_FOR = 12, MISSED = 0.3;
/* Where energy grows as well, this many times in a row are enough. */
static const double GROWS_WITH_ENERGY = 3;
static const char grows_from_step_to_step[] =
    "an explicit force answers a reaction by more than it follows of it, and grows from step to "
    "step: it needs part: implicit";

const char *nt_splitting_explain_growth(const nt_stepper *s)
{
    double grew = *nt_splitting_memory_of(s->problem, &s->now).grew;
    return nt_splitting_follows(s->problem) > 0 && grew >= GROWS_WITH_ENERGY
               ? grows_from_step_to_step
               : NULL;
}

static nt_status splitting_watch_multipliers(nt_stepper *s, const double *taken_with)
{
    const nt_problem *p = s->problem;
    nt_splitting_memory m = nt_splitting_memory_of(p, &s->next);
    nt_splitting_memory before = nt_splitting_memory_of(p, &s->now);
    double largest = 0;
    *m.missed = 0;
    for (int i = 0; i < nt_splitting_follows(p); i++) {
        largest = fmax(largest, fabs(s->next.lambda[i])); /* mu follows */
        *m.missed = fmax(*m.missed, fabs(s->next.lambda[i] - taken_with[i]));
    }
    *m.grew = *m.missed > *before.missed ? *before.grew + 1 : 0;
    if (*m.grew < GROWS_FOR || *m.missed <= MISSED * largest)
        return NT_OK;
    s->report.words = grows_from_step_to_step;
    return NT_NOT_CONVERGED;
}

/* Whether the accelerations of this step and of the two before swing to and fro: changes against
 * the one before have this cosine or less, and at least this size against the accelerations. With
 * changes d +- 2 s of a swing s the cosine is that where |s| is 0.87 |d| or more; and the size
 * where s is 0.15 of the accelerations or more. */
static const double BACK = -0.5, SEEN = 0.3;

static bool splitting_swings(const nt_stepper *s)
{
    const nt_problem *p = s->problem;
    const double *a = s->next.vdot, *a_1 = s->now.vdot;
    nt_splitting_memory now = nt_splitting_memory_of(p, &s->now);
    double forth = 0, back = 0, both = 0, size = 0;
    bool compares = *now.apart > 0; /* there are accelerations of two steps before */
    for (int i = 0; i < p->nv && compares; i++) {
        double w = nt_problem_weight(p, i), last = w * (a[i] - a_1[i]);
        double before = w * (a_1[i] - now.a_before[i]);
        forth += last * last, back += before * before, both += last * before;
        size += w * a[i] * w * a[i];
    }
    return both < BACK * sqrt(forth * back) && forth > SEEN * SEEN * size;
}

/* Equal steps of second order that damping does not bear do no harm by themselves: what grows in
 * them is small at first, and they may soon bear what damps. With z = h times a rate R of damping,
 * taken at v + h/2 a_p, a_p = a_1 + 3/4 (a_1 - a_2), a swing is multiplied in each step by g,
 *
 *   g - 1 + z (15/8 - 5/4 g^-1 + 3/8 g^-2) = 0,     g = -1 at z = 4/7,
 *   g = -1 - 14/15 e for z = 4/7 (1 + e), e small.
 *
 * So steps by a part e too short to swing let a swing of the accelerations' own size fade to what
 * counts as one, 0.15 of it, in 2.03/e steps: what has SWUNG_FOR so many steps, less half of those
 * that have not, is no nearer to the bound from below than by 0.034, about as well as rates are
 * estimated (bearing_ties.c), or above it. At FAR_TOO_LONG g is -1.48: rounding, 1e-16, is at full
 * size after 94 steps, so nothing is waited for. How much too long steps were fades by so much in
 * each while nothing swings. One step in so many is looked at. */
static const double FAR_TOO_LONG = 1.5, SWUNG_FOR = 60, FADES = 0.99999, LOOKED_AT = 4;

static void splitting_watch_swings(nt_stepper *s, double h, nt_report *watched)
{
    nt_splitting_memory m = nt_splitting_memory_of(s->problem, &s->next);
    nt_splitting_memory before = nt_splitting_memory_of(s->problem, &s->now);
    double kept = *before.swung > 0 ? 1 : FADES;
    *m.too_long = kept * *before.too_long;
    m.damped_by[0] = before.damped_by[0], m.damped_by[1] = before.damped_by[1];
    if (watched->damped > *m.too_long) {
        *m.too_long = watched->damped;
        m.damped_by[0] = watched->damped_by[0], m.damped_by[1] = watched->damped_by[1];
    }
    *m.swung = *before.swung;
    double step = floor(s->now.all[NT_PHASE_T] / h);
    if (LOOKED_AT * floor(step / LOOKED_AT) == step) {
        bool swings = *m.too_long > 1 && splitting_swings(s);
        *m.swung = fmax(*m.swung + LOOKED_AT * (swings ? 1 : -0.5), 0);
    }
    if (*m.swung > SWUNG_FOR) {
        watched->damped = *m.too_long;
        watched->damped_by[0] = (int)m.damped_by[0], watched->damped_by[1] = (int)m.damped_by[1];
    } else if (watched->damped <= FAR_TOO_LONG)
        watched->damped = fmin(watched->damped, 1);
}

nt_status nt_splitting_step(nt_stepper *s, const nt_splitting *c, double h)
{
    const nt_problem *p = s->problem;
    nt_status status = splitting_provide(s, c);
    if (status != NT_OK)
        return status;
    nt_splitting_own *own = s->own;
    work w = splitting_bind(s, c, h);
    nt_splitting_memory m = nt_splitting_memory_of(p, &s->next);
    nt_splitting_memory before = nt_splitting_memory_of(p, &s->now);
    s->next.all[NT_PHASE_T] = s->now.all[NT_PHASE_T] + h;
    s->report = (nt_report){.unknown = -1};
    status = splitting_take_explicit(s, c, &w, h, own);
    nt_report watched = s->report; /* the iterations write their own */
    if (status == NT_OK && own->n_alone + own->n_apart > 0) {
        status = splitting_step_alone(s, c, &w, h, own);
        if (status == NT_OK)
            status = splitting_step_rest(s, c, &w, h, own);
    } else if (status == NT_OK)
        status = splitting_implicit_step(s, c, &w, h, m.a_first, m.lambda_first);
    if (c->second) {
        memcpy(m.a_before, s->now.vdot, (size_t)p->nv * sizeof(double));
        memcpy(m.lambda_2, s->now.lambda, (size_t)nt_splitting_follows(p) * sizeof(double));
        memcpy(m.lambda_3, before.lambda_2, (size_t)nt_splitting_follows(p) * sizeof(double));
        *m.since = h / 2;
        *m.apart = h / 2 + *before.since;
        *m.further = *before.apart;
    }
    if (status == NT_OK && c->explicit_parts != 0 && nt_splitting_follows(p) > 0)
        status = splitting_watch_multipliers(s, w.lambda_p);
    if (status == NT_OK && c->second && !c->bounds)
        splitting_watch_swings(s, h, &watched);
    s->report.damped = watched.damped, s->report.swings = watched.swings;
    s->report.turns = watched.turns;
    memcpy(s->report.damped_by, watched.damped_by, sizeof watched.damped_by);
    memcpy(s->report.swings_by, watched.swings_by, sizeof watched.swings_by);
    memcpy(s->report.turns_by, watched.turns_by, sizeof watched.turns_by);
    return status;
}
