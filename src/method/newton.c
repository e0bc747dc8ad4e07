/* Newton's iteration of a step; see newton.h. */
#include "method/newton.h"

#include "base/target.h"
#include "base/vector3.h"
#include "linalg/lanes.h"
#include "linalg/solver.h"
#include "system/turning.h"

#include <float.h>
#include <string.h>

/* A kept tangent is given up when two successive increments shrink, in the mean, by less than this
 * factor: a new one then costs less than it saves in the steps to come. */
static const double SLOW = 0.2;

/* Increments that shrink by less than this factor are either below their tolerances and as small as
 * rounding lets them be, or the iteration does not converge. */
static const double STUCK = 0.25;

const char *const nt_reuse_words[] = {"never", "always", "auto", NULL};

/* The last correction with an exact tangent leaves far less error than the tolerances allow; with a
 * kept tangent it leaves about as much as is allowed. Therefore kept tangents are allowed these
 * shares of the tolerances: one for coordinates, whose errors are much the same in every step and
 * add up, and one for multipliers, whose errors do not. */
static const double KEPT_ERROR = 0.01, KEPT_MULTIPLIERS = 0.1;

/* Kept factors that serve no more than BRIEF further steps save nothing, for the corrections that
 * show it are wasted. At most OWN_MOST steps then make their own factors before kept ones are tried
 * again. */
enum { BRIEF = 1, OWN_MOST = 15 };

/* A tangent and its factors cost as much as so many corrections with kept ones: 3.7 for three
 * blades of six nodes, 3.4 for the rotor of a 15 MW turbine. */
enum { MAKING = 4 };

/* The residual at the end of a step is not evaluated where the rate at which kept factors contract
 * shows that it is below this share of its tolerance. */
static const double SURE = 0.1;

/* A predicted increment this many times larger than the one reached is no measure of the sizes in
 * the step. */
static const double ASTRAY = 10;

/* At the end of a step R may be at most IN_ANY_CASE times the relative tolerance, and ROUNDED for
 * the rounding of a sum with many terms, both relative to the largest part of R. */
static const double IN_ANY_CASE = 100, ROUNDED = 1e-13;

/* ---- work ----------------------------------------------------------------------------------- */

size_t nt_newton_size(const nt_problem *problem)
{
    return (size_t)problem->nv + 4 * (size_t)problem->n +
           nt_problem_map_size(problem) * (size_t)problem->space.n_rotations;
}

NT_HOT double *nt_newton_bind(nt_newton *w, const nt_stepper *s, const nt_family *c)
{
    size_t nv = (size_t)s->problem->nv, n = (size_t)s->problem->n;
    w->c = *c;
    w->rate = s->next.v;
    w->acceleration = s->next.vdot;
    w->increment = s->scratch;
    w->a = s->next.method; /* completed there by nt_newton_finish */
    w->residual = w->increment + nv;
    w->z = w->residual + n;
    w->per_increment = w->z + n;
    w->per_residual = w->per_increment + n;
    w->T_inverse = w->per_residual + n;
    w->leaves_tangent = false;
    w->place = NULL;
    return w->T_inverse + nt_problem_map_size(s->problem) * (size_t)s->problem->space.n_rotations;
}

/* ---- equations ------------------------------------------------------------------------------ */

static nt_combination combination_of(const nt_stepper *s, const nt_family *c, const double *map,
                                     const double *map_mass)
{
    bool rotates = s->problem->space.n_rotations > 0;
    return (nt_combination){.mass = c->scale * c->beta_prime,
                            .damping = c->scale * c->gamma_prime,
                            .stiffness = c->scale * c->position,
                            .multiplier = 1,
                            .row_mass = c->beta_prime,
                            .row_damping = c->gamma_prime,
                            .row_stiffness = c->position,
                            .map = rotates ? map : NULL,
                            .map_mass = rotates ? map_mass : NULL};
}

NT_HOT nt_status nt_newton_evaluate(nt_stepper *s, const nt_newton *w, const double *map,
                                    const double *map_mass, nt_matrix *tangent)
{
    const nt_problem *p = s->problem;
    nt_point at = nt_phase_point(&s->next);
    nt_combination combination = combination_of(s, &w->c, map, map_mass);
    nt_terms terms = {.parts = NT_ALL_PARTS,
                      .level = NT_POSITION,
                      .residual = w->residual,
                      .rows = w->residual + p->nv,
                      .matrix = tangent,
                      .combination = &combination};
    memset(w->residual, 0, (size_t)p->nv * sizeof(double));
    if (tangent)
        nt_matrix_zero(tangent);
    s->statistics->evaluations++;
    return nt_problem_evaluate(p, &at, &terms);
}

nt_status nt_newton_tangent(nt_stepper *s, const nt_family *c, const nt_point *at,
                            const double *map, const double *map_mass)
{
    const nt_problem *p = s->problem;
    nt_combination combination = combination_of(s, c, map, map_mass);
    nt_terms terms = {.parts = NT_ALL_PARTS,
                      .level = NT_POSITION,
                      .matrix = &s->factors->matrix,
                      .combination = &combination};
    nt_factors_begin(s->factors);
    return nt_problem_evaluate(p, at, &terms);
}

/* Solves for z, with the right-hand side -(s R, Phi), by the tangent just made or by the factors
 * that are kept. A tangent that is made anew in every iteration is cleared as it is read. */
static nt_status solve(nt_stepper *s, const nt_newton *w, nt_matrix *tangent)
{
    const nt_problem *p = s->problem;
    nt_factors *f = s->factors;
    double *restrict z = w->z, scale = -w->c.scale;
    const double *restrict residual = w->residual;
    int nv = p->nv, n = p->n;
    for (int i = 0; i < nv; i++)
        z[i] = scale * residual[i];
    for (int i = nv; i < n; i++)
        z[i] = -residual[i];
    nt_factors_clear_dropped(f, z);
    nt_statistics *statistics = s->statistics;
    if (nt_problem_stops(p))
        return NT_INTERRUPTED;
    statistics->solves++;
    statistics->iterations++;
    if (!tangent) {
        nt_point at = nt_phase_point(&s->next);
        nt_combination combination = combination_of(s, &w->c, NULL, NULL);
        return nt_turning_solve(f, &at, &combination, z);
    }
    bool reuses = nt_options_get(s->options, NT_OPTION_REUSE_TANGENT) != 0, made = true;
    if (f->made && !reuses) {
        nt_status status = nt_factors_solve(f, z, &made);
        statistics->factorisations += made;
        return status;
    }
    statistics->factorisations++;
    if (!reuses)
        return nt_solver_correct(f->solver, tangent, z);
    nt_status status = nt_solver_factor(f->solver, tangent); /* set_tolerances reads it again */
    f->kept = status == NT_OK;
    nt_turning_made(f, s->next.q);
    return status == NT_OK ? nt_solver_solve(f->solver, z, 1) : status;
}

/* ---- correct -------------------------------------------------------------------------------- */

/* x += Dx, x' += gamma' Dx, x'' += beta' Dx; with beta = 0 x stays */
NT_HOT NT_WIDE static void add_increments(const nt_family *c, int nv, const double *restrict Dx,
                                          double *restrict x, double *restrict rate,
                                          double *restrict acceleration)
{
    double position = c->position, gamma_prime = c->gamma_prime, beta_prime = c->beta_prime;
    for (int i = 0; i < nv; i++) {
        x[i] += position * Dx[i];
        rate[i] += gamma_prime * Dx[i];
        acceleration[i] += beta_prime * Dx[i];
    }
}

typedef struct correction {
    const nt_stepper *s;
    const nt_newton *w;
    double *lambda;
} correction;

/* s Dlambda becomes Dlambda, lambda += Dlambda */
static void add_multipliers(int nc, double unscale, double *restrict Dlambda,
                            double *restrict lambda)
{
    for (int i = 0; i < nc; i++) {
        Dlambda[i] *= unscale;
        lambda[i] += Dlambda[i];
    }
}

/* Dx = T^-1 e of blocks [from, to), their x, x', x'', and where they are then. */
NT_HOT static void correct_blocks(void *context, int from, int to)
{
    const correction *c = context;
    const nt_problem *p = c->s->problem;
    const nt_newton *w = c->w;
    for (int b = from; b < to; b++) {
        const nt_block *block = &p->space.blocks[b];
        double *turn = w->z + block->v + block->nv - 3;
        if (block->rotation >= 0 && p->frame == NT_SE3)
            nt_motion_map(w->T_inverse + 36 * block->rotation, w->z + block->v);
        else if (block->rotation >= 0)
            v3_store(turn, m3_apply(m3_load(w->T_inverse + 9 * block->rotation), v3_load(turn)));
    }
    if (from == 0) /* first: turns just stored by threes are not read by fours at once */
        add_multipliers(p->nc, 1 / w->c.scale, w->z + p->nv, c->lambda);
    int i = from > 0 ? p->space.blocks[from].v : 0;
    int end = to < p->space.n_blocks ? p->space.blocks[to].v : p->nv;
    add_increments(&w->c, end - i, w->z + i, w->increment + i, w->rate + i, w->acceleration + i);
    if (w->place)
        w->place(c->s, w, from, to);
}

/* Solve for (e, s Dlambda), make Dx = T^-1 e of e and update x, x', x'', lambda. */
NT_HOT nt_status nt_newton_correct(nt_stepper *s, const nt_newton *w, nt_matrix *tangent)
{
    nt_status status = solve(s, w, tangent);
    correction c = {s, w, s->next.lambda};
    if (status == NT_OK)
        nt_problem_for_blocks(s->problem, correct_blocks, &c, tangent != NULL);
    return status;
}

/* ---- convergence ---------------------------------------------------------------------------- */

static double larger(double a, double b) { return a > b ? a : b; }
static double smaller(double a, double b) { return a < b ? a : b; }

/* The largest found so far: inertia, and what rounding of positions contributes, each of forces and
 * of moments; and the farthest position with its increment, m. */
typedef struct force_sizes {
    double inertia[2], noise[2], reach;
} force_sizes;

/* Compares both kinds, one of them with zero: this needs no branch, and all stays in registers. */
static inline void widen(double largest[2], nt_quantity kind, double size)
{
    largest[NT_LENGTH] = larger(kind == NT_LENGTH ? size : 0, largest[NT_LENGTH]);
    largest[NT_ANGLE] = larger(kind == NT_LENGTH ? 0 : size, largest[NT_ANGLE]);
}

/* Widens these sizes by those of a block with inertia; S is the diagonal of its tangent. */
static inline void measure_block(const nt_stepper *s, const nt_newton *w, const nt_block *block,
                                 bool corrected, force_sizes *f)
{
    const nt_problem *p = s->problem;
    const double *values = s->factors->matrix.values, *q = s->next.q, *vdot = s->next.vdot;
    int plain = block->rotation < 0 ? block->nv : block->nv - 3;
    for (int j = 0; j < block->nv; j++) {
        int i = block->v + j;
        double size = 1;
        if (j < plain) {
            size = fabs(q[block->q + j]) + fabs(w->increment[i]);
            f->reach = larger(size, f->reach);
        }
        if (p->diagonal[i] < 0)
            continue;
        double S = fabs(values[p->diagonal[i]]), acceleration = fabs(vdot[i]);
        if (corrected)
            acceleration = smaller(acceleration, w->c.beta_prime * fabs(w->increment[i]));
        widen(f->inertia, p->quantity[i], S * acceleration);
        widen(f->noise, p->quantity[i], S * size);
    }
}

/* Of forces and of moments: what rounding of positions contributes, found when the farthest
 * position was at `reach`, and what residuals may be by the tolerances of the step. */
typedef struct rounding {
    double force[2], reach, allowed[2];
} rounding;

/* The farthest position with its increment, m: the rounding of positions is proportional to it. */
static double find_reach(const nt_stepper *s, const nt_newton *w)
{
    const nt_problem *p = s->problem;
    double reach = 0;
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        int plain = block->kind == NT_FIRST ? 0 : block->rotation < 0 ? block->nv : block->nv - 3;
        for (int j = 0; j < plain; j++)
            reach = larger(fabs(s->next.q[block->q + j]) + fabs(w->increment[block->v + j]), reach);
    }
    return reach;
}

/* Sizes that tolerances of forces are relative to, for each kind: the largest inertia force
 * |S_ii vdot_i|/(s beta') and multiplier; and the force that rounding of a position makes,
 * 16 eps |S_ii| |x|/s: below it no iteration can go, however small h is. (With beta = 0 the matrix
 * knows no stiffness; where the method is stable it is below 4 M/h^2.) Their sum with the absolute
 * tolerance into force[]. An acceleration that the step's increment does not bear out, beta' of it,
 * is one that only averages to the motion of something stiff: the smaller one counts. */
static void measure_forces(const nt_stepper *s, const nt_newton *w, bool corrected, double force[2],
                           rounding *rounded)
{
    const nt_problem *p = s->problem;
    force_sizes f = {{0, 0}, {0, 0}, 0};
    double multiplier[2] = {0, 0};
    double softening = w->c.position > 0 ? w->c.scale : w->c.h * w->c.h;
    for (int b = 0; b < p->space.n_blocks; b++)
        if (p->space.blocks[b].kind != NT_FIRST)
            measure_block(s, w, &p->space.blocks[b], corrected, &f);
    for (int i = 0; i < p->nc; i++)
        widen(multiplier, p->quantity[p->nv + i], fabs(s->next.lambda[i]));
    double relative = nt_options_get(s->options, NT_OPTION_TOLERANCE_RELATIVE);
    for (int kind = 0; kind < 2; kind++) {
        rounded->force[kind] = 16 * DBL_EPSILON * f.noise[kind] / softening;
        force[kind] =
            nt_options_get(s->options, NT_OPTION_TOLERANCE_FORCE + kind) +
            relative * larger(f.inertia[kind] / (w->c.scale * w->c.beta_prime), multiplier[kind]) +
            rounded->force[kind];
        rounded->allowed[kind] = force[kind];
    }
    rounded->reach = f.reach;
}

/* Unknowns of first order may be off by `absolute`, by the relative tolerance of what they change
 * in the step, or by rounding. Increments move them by gamma' e; a residual r does by
 * gamma' s r/S_ii. */
static void set_first_order_tolerances(const nt_stepper *s, const nt_newton *w, double absolute)
{
    const nt_problem *p = s->problem;
    const nt_family *c = &w->c;
    double relative = nt_options_get(s->options, NT_OPTION_TOLERANCE_RELATIVE);
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        for (int i = block->v; block->kind == NT_FIRST && i < block->v + block->nv; i++) {
            double S = c->scale * c->beta_prime, x = s->next.v[i];
            if (p->diagonal[i] >= 0)
                S = larger(S, fabs(s->factors->matrix.values[p->diagonal[i]]));
            double allowed =
                absolute + relative * c->h * fabs(s->next.vdot[i]) + 16 * DBL_EPSILON * fabs(x);
            w->per_increment[i] = c->gamma_prime / allowed;
            w->per_residual[i] = c->gamma_prime * c->scale / (S * allowed);
        }
    }
}

/* A row of kappa that is left out follows from the rows in use and from dPhi/dt = 0, which holds
 * only to the method's order where the equations are taken. So it may be off by this much, m/s
 * (in splitting methods: relative to the largest velocity). One that is off by more does not follow
 * any longer. */
static const double FOLLOWS = 1e-5;

/* Reciprocal tolerances of the step: of increments (positions, multipliers) and of residuals (force
 * rows, constraint rows). With beta = 0 increments are accelerations, which move the next position
 * by h^2 times as much. */
static void set_tolerances(const nt_stepper *s, const nt_newton *w, bool corrected,
                           rounding *rounded)
{
    const nt_problem *p = s->problem;
    const nt_options *option = s->options;
    double force[2], relative = nt_options_get(option, NT_OPTION_TOLERANCE_RELATIVE);
    const double position[2] = {nt_options_get(option, NT_OPTION_TOLERANCE_LENGTH),
                                nt_options_get(option, NT_OPTION_TOLERANCE_ANGLE)};
    measure_forces(s, w, corrected, force, rounded);
    const double per_force[2] = {1 / force[0], 1 / force[1]};
    const double per_position[2] = {1 / position[0], 1 / position[1]};
    double reach = w->c.position > 0 ? 1 : w->c.h * w->c.h;
    double *restrict per_increment = w->per_increment, *restrict per_residual = w->per_residual;
    const double *restrict increment = w->increment;
    const unsigned char *restrict quantity = p->quantity;
    int nv = p->nv, n = p->n;
    for (int i = 0; i < nv; i++) {
        per_increment[i] = reach / (position[quantity[i]] + relative * fabs(increment[i]));
        per_residual[i] = per_force[quantity[i]];
    }
    for (int i = nv; i < n; i++) {
        per_increment[i] = per_force[quantity[i]];
        per_residual[i] = per_position[quantity[i]];
    }
    if (p->space.n_first > 0)
        set_first_order_tolerances(s, w, position[NT_LENGTH]);
    for (int k = 0; k < s->factors->n_dropped; k++)
        if (s->factors->dropped[k] >= nv + p->nh)
            per_residual[s->factors->dropped[k]] =
                fmin(per_residual[s->factors->dropped[k]], 1 / FOLLOWS);
}

/* Four strands, side by side. */
NT_HOT NT_WIDE static double worst_ratio(const double *restrict x, const double *restrict weight,
                                         int n)
{
    static const double none = -0.0;
    const lanes_mask sign = (lanes_mask)(lanes){none, none, none, none};
    lanes most = {0}, sum = {0};
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        lanes ratio = (lanes)((lanes_mask) * (const lanes_anywhere *)(x + i) & ~sign) *
                      *(const lanes_anywhere *)(weight + i);
        lanes_mask above = (lanes_mask)(ratio > most);
        most = (lanes)(((lanes_mask)ratio & above) | ((lanes_mask)most & ~above));
        sum += ratio;
    }
    for (; i < n; i++) {
        double ratio = fabs(x[i]) * weight[i];
        most[0] = larger(ratio, most[0]);
        sum[0] += ratio;
    }
    double total = sum[0] + sum[1] + sum[2] + sum[3];
    return isfinite(total) ? larger(larger(most[0], most[1]), larger(most[2], most[3])) : total;
}

double nt_newton_worst_ratio(const double *x, const double *weight, int n)
{
    return worst_ratio(x, weight, n);
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

static double position_drift(const nt_problem *p, const nt_newton *w)
{
    double drift = 0;
    for (int i = p->nv; i < p->nv + p->nh; i++)
        drift = larger(fabs(w->residual[i]), drift);
    return drift;
}

/* ---- what the end of a step must fulfil in any case ------------------------------------------ */

/* Adds to size[] the largest number among forces and among moments. */
static void find_largest(const nt_problem *p, const double *part, double size[2])
{
    for (int i = 0; i < p->nv; i++)
        size[p->quantity[i]] = larger(fabs(part[i]), size[p->quantity[i]]);
}

/* Compares the forces that a step leaves unbalanced with the largest that it may leave in any case.
 * *worst is their largest ratio: above 1 the step has not converged.
 *
 * The forces left are `rate` times the residual at hand, whose worst ratio to its tolerance is
 * `ratio`. The tolerances of the step follow the stiffness, and where that is far above the inertia
 * they may allow more than the forces of the motion are. Here the forces left are compared with the
 * parts of R and the multipliers themselves. A moment may be as large as the forces at the system's
 * length. The rounding of positions counts by how far they reach now, for the prediction may have
 * been far off. Nothing is evaluated where `ratio` shows that all of R is below the absolute
 * tolerances, and the parts of R only where the multipliers do not show that R is small. */
NT_HOT static nt_status judge_forces(nt_stepper *s, const nt_newton *w, const rounding *rounded,
                                     double rate, double ratio, double *worst)
{
    const nt_problem *p = s->problem;
    const double relative = nt_options_get(s->options, NT_OPTION_TOLERANCE_RELATIVE);
    *worst = 0;
    if (rate * ratio * rounded->allowed[0] <
            nt_options_get(s->options, NT_OPTION_TOLERANCE_FORCE) &&
        rate * ratio * rounded->allowed[1] < nt_options_get(s->options, NT_OPTION_TOLERANCE_MOMENT))
        return NT_OK;
    double left[2] = {0, 0}, size[2] = {0, 0}, reach = ASTRAY * find_reach(s, w);
    double known = reach < rounded->reach ? reach / rounded->reach : 1;
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        for (int i = block->v; block->kind != NT_FIRST && i < block->v + block->nv; i++)
            left[p->quantity[i]] = larger(rate * fabs(w->residual[i]), left[p->quantity[i]]);
    }
    for (int i = 0; i < p->nc; i++) {
        nt_quantity kind = p->quantity[p->nv + i];
        size[kind] = larger(fabs(s->next.lambda[i]), size[kind]);
    }
    for (unsigned part = 0; part <= NT_GYROSCOPIC; part = part > 0 ? 2 * part : NT_MASS) {
        if (part > 0) { /* into the room of the next correction */
            nt_point at = nt_phase_point(&s->next);
            const nt_terms terms = {.parts = part, .level = NT_POSITION, .residual = w->z};
            memset(w->z, 0, (size_t)p->nv * sizeof(double));
            s->statistics->evaluations += part == NT_MASS; /* all parts together are one */
            nt_status status = nt_problem_evaluate(p, &at, &terms);
            if (status != NT_OK)
                return status;
            find_largest(p, w->z, size);
        }
        size[NT_ANGLE] = larger(size[NT_ANGLE], size[NT_LENGTH] * p->length);
        *worst = 0;
        for (int kind = 0; kind < 2; kind++) {
            double allowed = nt_options_get(s->options, NT_OPTION_TOLERANCE_FORCE + kind) +
                             (IN_ANY_CASE * relative + ROUNDED) * size[kind] +
                             known * rounded->force[kind];
            *worst = larger(left[kind] / allowed, *worst);
        }
        if (*worst <= 1)
            break;
    }
    return NT_OK;
}

/* ---- the step ------------------------------------------------------------------------------- */

nt_status nt_newton_fail(nt_stepper *s, nt_status status, const double *x, const double *weight,
                         double worst)
{
    s->report.worst = worst;
    s->report.unknown = worst_unknown(x, weight, s->problem->n);
    return status;
}

static nt_status fail_moving(nt_stepper *s, const nt_newton *w, nt_status status, double worst)
{
    s->report.increment = true;
    return nt_newton_fail(s, status, w->z, w->per_increment, worst);
}

/* Whether the first correction has taken back nearly all that was predicted of a position. */
static bool is_astray(const nt_problem *p, const nt_newton *w, double relative)
{
    for (int i = 0; i < p->nv; i++) {
        double taken = fabs(w->z[i]);
        if (taken * w->per_increment[i] * relative > 0.5 && taken > ASTRAY * fabs(w->increment[i]))
            return true;
    }
    return false;
}

/* Ends a step whose residual is known to be small enough: `rate` times the one at hand, whose worst
 * ratio is `ratio`. At the new point only the constraint rows are evaluated; *met says whether they
 * are within their tolerances, too. */
static nt_status end_by_rows(nt_stepper *s, const nt_newton *w, const rounding *rounded,
                             double rate, double ratio, bool *met)
{
    const nt_problem *p = s->problem;
    double beyond;
    nt_status status = judge_forces(s, w, rounded, rate, ratio, &beyond);
    *met = beyond <= 1;
    if (status != NT_OK || !*met || p->nc == 0)
        return status;
    nt_point at = nt_phase_point(&s->next);
    const nt_terms terms = {.level = NT_POSITION, .rows = w->residual + p->nv};
    status = nt_problem_evaluate(p, &at, &terms);
    *met = status == NT_OK &&
           worst_ratio(w->residual + p->nv, w->per_residual + p->nv, p->n - p->nv) <= 1;
    s->report.position_drift = position_drift(p, w);
    return status;
}

/* Ratios of an increment to the one before it: what is expected of the next one, estimated
 * cautiously, and the mean so far. */
typedef struct shrinking {
    double next, mean;
} shrinking;

/* `size` is that of the n-th increment since sizes are compared, `last` and `before` are those of
 * the two before it. With an exact tangent the next increment shrinks at least by the last ratio.
 * With kept factors the ratios go up and down, because one increment takes back what another has
 * overshot, and the first ratio is that of the prediction's error: therefore two ratios are used.
 */
static shrinking shrinking_of(bool exact, int n, double size, double last, double before)
{
    double ratio = n > 0 ? size / last : 1;
    if (exact || n == 0 || ratio >= 1)
        return (shrinking){ratio, ratio};
    if (n == 1)
        return (shrinking){sqrt(ratio), ratio};
    return (shrinking){larger(ratio, last / before), sqrt(size / before)};
}

/* The last correction, whose worst ratio is `size`, relative to what kept factors may leave. */
static double beyond_kept(const nt_problem *p, const nt_newton *w, double size)
{
    double of_v = p->nc > 0 ? worst_ratio(w->z, w->per_increment, p->nv) : size;
    return larger(of_v / KEPT_ERROR, size / KEPT_MULTIPLIERS);
}

/* Errors of an exact tangent square: after two increments of tangents of their own the next one is
 * the last one times the square of their ratio. Where that leaves far less than the tolerances, the
 * step may end; but the residual has to show it. What is left of it, of the one before, is what the
 * next increment would be of the last one, or less than that where rounding is left. */
static bool may_have_squared(int exact, double ratio, double size)
{
    return exact > 1 && ratio < 0.5 && ratio * ratio * size <= KEPT_ERROR;
}

static bool has_squared(double size, double residual, double residual_before)
{
    return residual * size <= residual_before;
}

/* Which factors the corrections of a step are made with. */
typedef struct reuse {
    bool fresh; /* the next correction makes its own                        */
    bool old;   /* those at hand are of a step before                       */
    bool lasts; /* those that this step has made have not been given up yet */
    int corrections;
} reuse;

static reuse reuse_begin(const nt_stepper *s, const nt_newton *w)
{
    nt_factors *f = s->factors;
    bool wanted = nt_options_get(s->options, NT_OPTION_REUSE_TANGENT) != 0;
    /* equal steps differ in their last bits where times are rounded */
    bool same = fabs(s->now.all[NT_PHASE_STEP] - w->c.h) <= 1e-9 * w->c.h;
    bool old = wanted && f->kept && same && !s->stale;
    if (old && f->own_ahead > 0) {
        old = false;
        f->own_ahead--;
    }
    f->steps_kept = old ? f->steps_kept + 1 : 0;
    nt_turning_begin(f);
    return (reuse){.fresh = !old, .old = old, .lasts = wanted};
}

/* At the end of a step: factors are worth their making as long as a step with them takes fewer
 * corrections than the mean of all steps since, their making counted; from then on the mean would
 * grow. The next step makes its own. */
static void reuse_end(const reuse *r, nt_factors *f)
{
    f->corrections = r->old ? f->corrections + r->corrections : r->corrections;
    int steps = f->steps_kept + 1;
    if (r->old && (long)r->corrections * steps > MAKING + f->corrections)
        f->own_ahead = 1;
}

/* Decides about factors after a correction that has not ended the step. Those that were made for it
 * serve the next corrections too. Where factors are given up soon after they were made, in one step
 * after another, the corrections with them were wasted: then more and more steps begin with factors
 * of their own, until factors last again. */
static void reuse_go_on(reuse *r, nt_factors *f, bool slow, bool settled)
{
    if (slow && r->old) {
        bool brief = f->steps_kept <= BRIEF;
        f->own_last = !brief ? 0 : f->own_last < OWN_MOST ? 2 * f->own_last + 1 : OWN_MOST;
        f->own_ahead = f->own_last;
        f->steps_kept = 0;
    }
    r->lasts = r->lasts && (!slow || r->old || r->fresh);
    r->old = r->old && !slow;
    r->fresh = slow || (r->fresh && (settled || !r->lasts));
}

NT_HOT static nt_status iterate(nt_stepper *s, const nt_newton *w, nt_newton_equations *equations,
                                nt_newton_correction *correct, reuse *use)
{
    const nt_problem *p = s->problem;
    nt_factors *f = s->factors;
    s->has_tangent = false;
    bool astray = false;  /* sizes were taken from a prediction that was of no use */
    bool settled = false; /* increments say converged: only the residual is still to be asked */
    bool hoped = false;   /* because errors square, which the residual has to show              */
    double last = 0, before = 0, size = 0, residual = 0;
    rounding rounded = {{0, 0}, 0, {0, 0}};
    int first = 0; /* iteration whose sizes are compared with */
    int exact = 0; /* increments in a row from tangents of their own */
    double relative = nt_options_get(s->options, NT_OPTION_TOLERANCE_RELATIVE);
    int extra = (int)nt_options_get(s->options, NT_OPTION_EXTRA_ITERATIONS);
    int most = (int)nt_options_get(s->options, NT_OPTION_MAX_ITERATIONS) + extra;
    for (int i = 0;; i++) {
        s->report = (nt_report){.iterations = i, .unknown = -1, .worst = size};
        const bool fresh = use->fresh;
        bool leaves = settled && fresh && w->leaves_tangent;
        nt_matrix *own = fresh ? &f->matrix : NULL;
        f->kept = f->kept && (settled || !fresh); /* what is filled is not kept */
        nt_status status = equations(s, w, leaves ? &s->linear->matrix : settled ? NULL : own);
        if (status == NT_OK && (i == 0 || astray)) {
            set_tolerances(s, w, astray, &rounded);
            first = i;
        }
        if (status != NT_OK)
            return status;
        double residual_before = residual;
        if ((!own && w->place) || exact > 0 || settled)
            residual = worst_ratio(w->residual, w->per_residual, p->n);
        if (settled) {
            bool shrunk = !hoped || has_squared(size, residual, residual_before);
            settled = shrunk;
            size = residual;
            s->report.position_drift = position_drift(p, w);
            double beyond = 0;
            bool small = size <= 1 && shrunk;
            if (small && (status = judge_forces(s, w, &rounded, 1, size, &beyond)) != NT_OK)
                return status;
            size = small && beyond > 1 ? beyond : size;
            if (small && size <= 1 && extra-- <= 0) {
                s->has_tangent = leaves;
                return NT_OK;
            }
            f->kept = f->kept && !fresh;
            if (fresh && (status = equations(s, w, own)) != NT_OK)
                return status;
        }
        if (i == most)
            return settled ? nt_newton_fail(s, NT_NOT_CONVERGED, w->residual, w->per_residual, size)
                           : fail_moving(s, w, NT_NOT_CONVERGED, size);
        if ((status = correct(s, w, own)) != NT_OK)
            return status;
        use->corrections++;
        size = worst_ratio(w->z, w->per_increment, p->n);
        if (!isfinite(size))
            return fail_moving(s, w, NT_NOT_FINITE, size);
        astray = i == 0 && size * relative > 0.5 && is_astray(p, w, relative);
        /* what is left after this correction: the increments' geometric series, if they shrink */
        double ratio = i > first ? size / last : 1;
        shrinking by = shrinking_of(fresh, i - first, size, last, before);
        double beyond = fresh ? size : beyond_kept(p, w, size);
        exact = fresh ? exact + 1 : 0;
        settled = beyond <= 1 || (by.next < 0.5 && by.next / (1 - by.next) * beyond <= 1) ||
                  (i > first && size <= 1 && by.mean > STUCK); /* as far as rounding lets it go */
        hoped = !settled && i > first && may_have_squared(exact, ratio, size);
        settled = settled || hoped;
        double rate = i > first + 1 ? fmax(ratio, sqrt(size / before)) : 1; /* of two at least */
        if (settled && !own && w->place && extra == 0 && residual * rate <= SURE) {
            bool met = false;
            status = end_by_rows(s, w, &rounded, rate, residual, &met);
            if (status != NT_OK || met)
                return status;
        }
        bool slow = !settled && i > first && by.mean > (fresh ? STUCK : SLOW);
        if (slow) {
            /* near a singular position rounding of positions is amplified in the multipliers: where
             * the motion stands still and only they move, the residual decides */
            if (fresh && worst_ratio(w->z, w->per_increment, p->nv) <= 1)
                settled = true;
            else if (exact > 1 && ratio > 2) /* grows with the exact tangent */
                return fail_moving(s, w, NT_NOT_CONVERGED, size);
        }
        /* kept factors may not use up the iterations: they go on where two more will do */
        bool ends = i + 1 < most - most / 4 && by.next * by.next * beyond <= 1;
        slow = slow || (!settled && i + 1 >= most / 2 && !ends);
        reuse_go_on(use, f, slow, settled);
        before = last, last = size;
    }
}

NT_HOT nt_status nt_newton_iterate(nt_stepper *s, const nt_newton *w,
                                   nt_newton_equations *equations, nt_newton_correction *correct)
{
    reuse use = reuse_begin(s, w);
    nt_status status = iterate(s, w, equations, correct, &use);
    if (status == NT_OK)
        reuse_end(&use, s->factors);
    return status;
}

NT_HOT void nt_newton_finish(const nt_stepper *s, const nt_newton *w)
{
    double share = w->c.share;
    for (int i = 0; i < s->problem->nv; i++)
        w->a[i] += share * w->acceleration[i];
}
