/* The step of splitting methods; see splitting.h.
 *
 * The unknown of the Newton iteration is e = T(beta x) Dx (family.h), so that
 *
 *   dq_m = beta e,  dv_m = beta gamma' T^-1 e,  dvdot = beta' T^-1 e,  beta' = 1/(sigma h^2),
 * gamma' = 1/(sigma h),
 *
 * and dq1 = Y e with Y = T(x) T(beta x)^-1: the rows of Phi at q1 get their derivative at the level
 * of velocities, where it meets the map Y. In the second stage positions stand and the unknown is
 * a. */
#include "method/splitting.h"

#include "base/vector3.h"
#include "method/variation.h"

#include <string.h>

/* ---- memory and work ------------------------------------------------------------------------- */

/* Kept from step to step: the stiffness of A, a of the step before, and the first stage's a~ and
 * lambda~ for the derivative of the step. */
typedef struct memory {
    double *stiffness;    /* [1]  */
    double *a_before;     /* [nv] */
    double *a_first;      /* [nv] */
    double *lambda_first; /* [nc] */
} memory;

static memory memory_of(const nt_problem *p, const nt_phase *phase)
{
    memory m = {.stiffness = phase->method, .a_before = phase->method + 1};
    m.a_first = m.a_before + p->nv;
    m.lambda_first = m.a_first + p->nv;
    return m;
}

typedef struct work {
    nt_newton newton;
    double *explicit; /* [nv] -A                    */
    double *q_m;      /* [nq]                       */
    double *v_m;      /* [nv]                       */
    double *beta_x;   /* [nv] and scratch           */
    double *Y;        /* [r][9] T(x) T(beta x)^-1   */
    double *solved;   /* [n]                        */
} work;

void nt_splitting_layout(const nt_problem *p, nt_layout *sizes)
{
    size_t nv = (size_t)p->nv, nq = (size_t)p->nq, n = (size_t)p->n;
    size_t r = (size_t)p->space.n_rotations;
    sizes->memory = 1 + 2 * nv + (size_t)p->nc;
    sizes->scratch = nt_newton_size(p) + 3 * nv + nq + 9 * r + n;
    sizes->linear = 5 * nv + 2 * nq + 45 * r;
    sizes->linear_each = 3 * nv + 2 * n;
}

static work bind(const nt_stepper *s, const nt_splitting *c, double h)
{
    const nt_problem *p = s->problem;
    work w;
    w.explicit = nt_newton_bind(&w.newton, s, h);
    w.newton.c = (nt_family){.h = h,
                             .scale = c->sigma * h * h,
                             .position = 1,
                             .beta_prime = 1 / (c->sigma * h * h),
                             .gamma_prime = 1 / (c->sigma * h)};
    w.q_m = w.explicit + p->nv;
    w.v_m = w.q_m + p->nq;
    w.beta_x = w.v_m + p->nv;
    w.Y = w.beta_x + p->nv;
    w.solved = w.Y + 9 * p->space.n_rotations;
    return w;
}

nt_status nt_splitting_start(nt_stepper *s)
{
    const nt_problem *p = s->problem;
    memory m = memory_of(p, &s->next);
    *m.stiffness = 0;
    memcpy(m.a_before, s->next.vdot, (size_t)p->nv * sizeof(double));
    memcpy(m.a_first, s->next.vdot, (size_t)p->nv * sizeof(double));
    memcpy(m.lambda_first, s->next.lambda, (size_t)p->nc * sizeof(double));
    return NT_OK;
}

/* ---- A --------------------------------------------------------------------------------------- */

/* -A at (q0 o exp(reach v0), v0, t0 + later) */
static nt_status explicit_forces(nt_stepper *s, const nt_splitting *c, const work *w, double reach,
                                 double later, double *out)
{
    nt_problem *p = s->problem;
    memset(out, 0, (size_t)p->nv * sizeof *out);
    if (c->explicit_parts == 0)
        return NT_OK;
    for (int i = 0; i < p->nv; i++)
        w->beta_x[i] = reach * s->now.v[i];
    nt_space_compose(&p->space, p->frame, s->now.q, w->beta_x, w->q_m);
    nt_point at = nt_phase_point(&s->now);
    at.q = w->q_m;
    at.t += later;
    nt_terms terms = {.parts = c->explicit_parts, .residual = out};
    s->statistics->evaluations++;
    return nt_problem_evaluate(p, &at, &terms);
}

static double norm(const nt_problem *p, const double *x)
{
    double sum = 0;
    for (int i = 0; i < p->nv; i++) {
        double size = nt_problem_weight(p, i) * x[i];
        sum += size * size;
    }
    return sqrt(sum);
}

/* (15): what A as an acceleration changes along the way from q0 to where it is taken. */
static nt_status measure(nt_stepper *s, const nt_splitting *c, const work *w, double h, double *out)
{
    nt_problem *p = s->problem;
    double moved = c->alpha * h * norm(p, s->now.v), *change = w->solved;
    *out = 0;
    nt_status status = explicit_forces(s, c, w, 0, c->alpha * h, change);
    for (int i = 0; i < p->nv; i++)
        change[i] = w->explicit[i] - change[i];
    memset(change + p->nv, 0, (size_t)p->nc * sizeof *change);
    nt_point at = nt_phase_point(&s->now);
    if (status == NT_OK)
        status = nt_problem_factor_accelerations(p, &at);
    if (status == NT_OK)
        status = nt_solver_solve(p->solver, change, 1);
    s->statistics->factorisations++;
    s->statistics->solves++;
    if (status == NT_OK && moved > 0)
        *out = norm(p, change) / moved;
    return status;
}

/* ---- equations ------------------------------------------------------------------------------- */

/* What the equations need besides the Newton iteration's own arrays. */
typedef struct stage {
    nt_newton newton; /* first: the iteration hands it out */
    const nt_splitting *c;
    const work *w;
} stage;

/* M a - B - reactions at the middle, -A, and the tangent with dq_m = k e. */
static nt_status middle(nt_stepper *s, const stage *g, double damping, double stiffness,
                        const double *map, bool tangent)
{
    nt_problem *p = s->problem;
    const nt_newton *n = &g->newton;
    nt_point at = nt_phase_point(&s->next);
    at.t = s->now.all[NT_PHASE_T] + g->c->beta * n->c.h;
    at.q = g->w->q_m;
    at.v = g->w->v_m;
    nt_combination combination = {.mass = n->c.scale * n->c.beta_prime,
                                  .damping = damping,
                                  .stiffness = stiffness,
                                  .multiplier = 1,
                                  .map = p->space.n_rotations ? map : NULL};
    nt_terms terms = {.parts = NT_MASS | NT_REACTIONS | g->c->implicit_parts,
                      .level = NT_VELOCITY,
                      .residual = n->residual,
                      .matrix = tangent ? &p->matrix : NULL,
                      .combination = &combination};
    memcpy(n->residual, g->w->explicit, (size_t)p->nv * sizeof(double));
    if (tangent)
        nt_matrix_zero(&p->matrix);
    s->statistics->evaluations++;
    return nt_problem_evaluate(p, &at, &terms);
}

/* Rows at the end of the step at a level; their derivative along dv = factor X e. */
static nt_status rows_at_end(nt_stepper *s, const stage *g, nt_level level, double factor,
                             const double *map, bool tangent)
{
    nt_problem *p = s->problem;
    nt_point at = nt_phase_point(&s->next);
    nt_combination combination = {.row_damping = factor, .map = p->space.n_rotations ? map : NULL};
    nt_terms rows = {.level = level, .rows = g->newton.residual + p->nv};
    nt_terms matrix = {.level = NT_VELOCITY, .matrix = &p->matrix, .combination = &combination};
    nt_status status = p->nc > 0 ? nt_problem_evaluate(p, &at, &rows) : NT_OK;
    return status == NT_OK && tangent && p->nc > 0 ? nt_problem_evaluate(p, &at, &matrix) : status;
}

static nt_status first_equations(nt_stepper *s, const nt_newton *n, bool tangent)
{
    const stage *g = (const stage *)n;
    const nt_problem *p = s->problem;
    const work *w = g->w;
    double beta = g->c->beta;
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
    return status == NT_OK ? rows_at_end(s, g, NT_POSITION, 1, w->Y, tangent) : status;
}

static nt_status second_equations(nt_stepper *s, const nt_newton *n, bool tangent)
{
    const stage *g = (const stage *)n;
    double h = n->c.h;
    for (int i = 0; i < s->problem->nv; i++)
        g->w->v_m[i] = s->now.v[i] + g->c->beta * h * n->acceleration[i];
    nt_status status = middle(s, g, g->c->beta * h, 0, NULL, tangent);
    return status == NT_OK ? rows_at_end(s, g, NT_VELOCITY, h, NULL, tangent) : status;
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

nt_status nt_splitting_step(nt_stepper *s, const nt_splitting *c, double h)
{
    nt_problem *p = s->problem;
    work w = bind(s, c, h);
    memory m = memory_of(p, &s->next);
    s->next.all[NT_PHASE_T] = s->now.all[NT_PHASE_T] + h;
    *m.stiffness = 0;
    nt_status status = explicit_forces(s, c, &w, c->alpha * h, c->alpha * h, w.explicit);
    if (status == NT_OK && c->measures)
        status = measure(s, c, &w, h, m.stiffness);
    stage g = {.newton = w.newton, .c = c, .w = &w};
    predict(s, c, &g.newton);
    if (status == NT_OK)
        status = nt_newton_check_turn(s, &g.newton);
    if (status == NT_OK)
        status = nt_newton_iterate(s, &g.newton, first_equations);
    if (status != NT_OK)
        return status;
    memcpy(m.a_before, s->now.vdot, (size_t)p->nv * sizeof(double));
    memcpy(m.a_first, s->next.vdot, (size_t)p->nv * sizeof(double));
    memcpy(m.lambda_first, s->next.lambda, (size_t)p->nc * sizeof(double));
    if (p->nc == 0)
        return NT_OK;
    int iterations = s->report.iterations;
    double drift = s->report.position_drift;
    g.newton.c = (nt_family){.h = h, .scale = 1, .beta_prime = 1, .gamma_prime = h};
    identities(p, g.newton.T_inverse);
    p->factored_for = NULL; /* another matrix */
    status = nt_newton_iterate(s, &g.newton, second_equations);
    p->factored_for = NULL;
    s->report.iterations += iterations;
    s->report.position_drift = drift;
    return status;
}

double nt_splitting_stiffness(const nt_stepper *s)
{
    return *memory_of(s->problem, &s->next).stiffness;
}

nt_status nt_splitting_error(nt_stepper *s, double h, double *estimate)
{
    int nv = s->problem->nv;
    double before = s->now.all[NT_PHASE_STEP];
    /* accelerations belong to the middles of the steps; at the start to its time */
    double between = before > 0 ? (before + h) / 2 : h / 2;
    for (int i = 0; i < nv; i++) {
        double rate = (s->next.vdot[i] - s->now.vdot[i]) / between;
        estimate[i] = h * h * h / 4 * rate;
        estimate[nv + i] = h * h / 2 * rate;
    }
    return NT_OK;
}
