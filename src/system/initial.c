/* Consistent initial values and the choice of independent constraint rows.
 *
 * Independent rows: [W G^T; G 0] with W = diag(1, length^2) is factorised in an order that
 * eliminates every multiplier after its bodies; a row of G that depends on earlier ones shows as a
 * vanishing pivot of G W^-1 G^T. Such rows are dropped: their multiplier is zero and their equation
 * follows from the others.
 */
#include "base/error.h"
#include "system/problem.h"

#include <math.h>
#include <string.h>

/* A pivot of G W^-1 G^T below this fraction of its original size marks a dependent row: a distance
 * of 1e-5 from dependence, in units of the row itself. Rounding leaves 1e-14 in small mechanisms
 * and 1e-11 in nets of hundreds of loops, whose least independent row is at 1e-8. */
static const double DEPENDENT = 1e-10;

static nt_status weighted_constraints(nt_problem *problem, const nt_point *at)
{
    const nt_pattern *pattern = problem->pattern;
    nt_combination combination = {.row_damping = 1};
    nt_terms terms = {
        .level = NT_VELOCITY, .matrix = &problem->matrix, .combination = &combination};
    nt_matrix_zero(&problem->matrix);
    nt_status status = nt_problem_evaluate(problem, at, &terms);
    if (status != NT_OK)
        return status;
    for (int slot = 0; slot < pattern->n_slots; slot++) {
        int row = pattern->row[slot], column = pattern->column[slot];
        if (row < pattern->n_primary || column >= pattern->n_primary)
            continue;
        int transposed = nt_pattern_find(pattern, column, row);
        if (transposed < 0)
            return NT_INVALID;
        int rows = pattern->node_start[row + 1] - pattern->node_start[row];
        int width = pattern->node_start[column + 1] - pattern->node_start[column];
        const double *from = nt_matrix_block(&problem->matrix, slot);
        double *to = nt_matrix_block(&problem->matrix, transposed);
        if (nt_pattern_is_single(pattern, slot) != nt_pattern_is_single(pattern, transposed))
            return NT_INVALID;
        if (nt_pattern_is_single(pattern, slot))
            rows = width = 1;
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < width; j++)
                to[j * rows + i] = from[i * width + j];
    }
    for (int i = 0; i < problem->nv; i++) {
        double weight = nt_problem_weight(problem, i);
        problem->matrix.values[problem->diagonal[i]] = weight * weight;
    }
    return NT_OK;
}

/* Factorise without the rows dropped so far; what still depends on others is dropped too, or, where
 * `found` is given, only counted. */
static nt_status find_dependent(nt_problem *p, int *found)
{
    int count = 0;
    nt_status status = nt_solver_drop(p->solver, p->dropped, p->n_dropped);
    if (status == NT_OK)
        status = nt_solver_factor_dependent(p->solver, &p->matrix, DEPENDENT, p->mark, &count);
    if (status != NT_OK)
        return status;
    if (found) {
        *found = count;
        return NT_OK;
    }
    for (int i = p->nv; i < p->n; i++)
        if (p->mark[i])
            p->dropped[p->n_dropped++] = i;
    return nt_solver_drop(p->solver, p->dropped, p->n_dropped);
}

/* In order, so that equal choices are equal lists. */
static void sort_dropped(nt_problem *p)
{
    for (int i = 1; i < p->n_dropped; i++)
        for (int k = i; k > 0 && p->dropped[k - 1] > p->dropped[k]; k--) {
            int larger = p->dropped[k - 1];
            p->dropped[k - 1] = p->dropped[k];
            p->dropped[k] = larger;
        }
}

/* Where a row of Phi depends on one of kappa, the latter goes: Phi = 0 implies Phi' = 0, but not
 * the other way round. All rows of Phi that are independent by themselves stay, and rows of kappa
 * come back one after the other while they depend on nothing. */
static nt_status keep_positions(nt_problem *p)
{
    int first = p->nv + p->nh, found;
    p->n_dropped = 0;
    for (int i = first; i < p->n; i++)
        p->dropped[p->n_dropped++] = i;
    nt_status status = find_dependent(p, NULL);
    for (int i = first; status == NT_OK && i < p->n; i++) {
        int k = 0;
        while (p->dropped[k] != i)
            k++;
        p->dropped[k] = p->dropped[--p->n_dropped];
        status = find_dependent(p, &found);
        if (status == NT_OK && found > 0)
            p->dropped[p->n_dropped++] = i;
    }
    if (status == NT_OK)
        status = find_dependent(p, NULL); /* leaves the factors of the choice */
    sort_dropped(p);
    return status;
}

nt_status nt_problem_choose_rows(nt_problem *problem, const nt_point *at)
{
    problem->n_dropped = 0;
    if (problem->nc == 0)
        return NT_OK;
    nt_solver_drop(problem->solver, NULL, 0);
    problem->factored_for = NULL;
    nt_status status = weighted_constraints(problem, at);
    if (status == NT_OK)
        status = find_dependent(problem, NULL);
    bool positions = false;
    for (int i = 0; status == NT_OK && i < problem->n_dropped; i++)
        positions |= problem->dropped[i] < problem->nv + problem->nh;
    return positions && problem->nn > 0 ? keep_positions(problem) : status;
}

/* A row that is left out follows from those in use, g_d = sum c_j g_j, and misses c_j times what
 * they miss. Where a c_j is larger than this, rows d and j change places: then g_j follows from the
 * others and g_d with coefficients that are smaller by that much. */
static const double LARGEST_SHARE = 10;

/* c_j in b[n], at the places of the multipliers, from [W G^T; G 0] (x, c) = (g_d, 0): where g_d
 * does depend on the rows in use x vanishes. */
static nt_status shares_of(nt_problem *p, int d, double *b)
{
    const nt_pattern *pattern = p->pattern;
    memset(b, 0, (size_t)p->n * sizeof *b);
    for (int slot = 0; slot < pattern->n_slots; slot++) {
        const int *rows = pattern->node_start + pattern->row[slot];
        const int *columns = pattern->node_start + pattern->column[slot];
        int width = columns[1] - columns[0];
        double nine[9];
        if (d >= rows[0] && d < rows[1] && columns[0] < p->nv)
            memcpy(b + columns[0],
                   nt_matrix_full_block(&p->matrix, slot, nine) +
                       (size_t)(d - rows[0]) * (size_t)width,
                   (size_t)width * sizeof *b);
    }
    return nt_solver_solve(p->solver, b, 1);
}

nt_status nt_problem_exchange_rows(nt_problem *p, const nt_point *at, bool *changed)
{
    *changed = false;
    p->factored_for = NULL;
    nt_status status = weighted_constraints(p, at);
    if (status == NT_OK)
        status = nt_solver_factor(p->solver, &p->matrix);
    for (int i = 0; i < p->n_dropped && status == NT_OK; i++) {
        int d = p->dropped[i], most = d, kappa = p->nv + p->nh;
        double *c = p->work;
        if ((status = shares_of(p, d, c)) != NT_OK)
            return status;
        c[d] = LARGEST_SHARE;
        for (int j = d < kappa ? p->nv : kappa; j < (d < kappa ? kappa : p->n); j++)
            if (fabs(c[j]) > fabs(c[most]))
                most = j;
        if (most == d)
            continue;
        p->dropped[i] = most;
        *changed = true;
        if ((status = nt_solver_drop(p->solver, p->dropped, p->n_dropped)) == NT_OK)
            status = nt_solver_factor(p->solver, &p->matrix);
    }
    sort_dropped(p);
    return status;
}

/* Whether a 3 x 3 block is definite for sure: a product of moments above 1e-12 of their mean's
 * cube. */
static bool is_definite(m3 a)
{
    double mean = (a.xx + a.yy + a.zz) / 3;
    v3 x = v3_of(a.xx, a.xy, a.xz), y = v3_of(a.yx, a.yy, a.yz), z = v3_of(a.zx, a.zy, a.zz);
    return v3_dot(x, v3_cross(y, z)) > 1e-12 * mean * mean * mean && mean > 0;
}

/* The mass matrix in place of the weights. Inertia that vanishes (a point, a thin rod about its
 * axis) gets 1e-9 of the largest of its kind: enough to be definite, too little to be seen. */
static nt_status mass_weights(nt_problem *problem, const nt_point *at)
{
    const nt_pattern *pattern = problem->pattern;
    double *values = problem->matrix.values, largest[2] = {0, 0};
    nt_combination combination = {.mass = 1};
    nt_terms terms = {.parts = NT_MASS,
                      .level = NT_VELOCITY,
                      .matrix = &problem->matrix,
                      .combination = &combination};
    for (int i = 0; i < problem->nv; i++)
        values[problem->diagonal[i]] = 0;
    nt_status status = nt_problem_evaluate(problem, at, &terms);
    for (int i = 0; i < problem->nv; i++)
        largest[problem->quantity[i]] =
            fmax(largest[problem->quantity[i]], values[problem->diagonal[i]]);
    for (int node = 0; node < pattern->n_primary; node++) {
        int first = pattern->node_start[node], last = pattern->node_start[node + 1];
        int slot = nt_pattern_find(pattern, node, node);
        double nine[9];
        const double *block = nt_matrix_full_block(&problem->matrix, slot, nine);
        if (last - first == 3 && is_definite(m3_load(block)))
            continue;
        last = nt_pattern_is_single(pattern, slot) ? first + 1 : last;
        for (int i = first; i < last; i++) {
            double size = largest[problem->quantity[i]];
            values[problem->diagonal[i]] += 1e-9 * (size > 0 ? size : 1);
        }
    }
    return status;
}

static int node_of(const nt_pattern *pattern, int unknown)
{
    int node = 0;
    while (pattern->node_start[node + 1] <= unknown)
        node++;
    return node;
}

/* to[3][width] += P^T from[3][width], P = -arm~; rows of a node */
static void add_tied_rows(v3 arm, const double *from, double *to, int width)
{
    for (int j = 0; j < width; j++) {
        v3 x = v3_cross(arm, v3_of(from[j], from[width + j], from[2 * width + j]));
        to[j] += x.x, to[width + j] += x.y, to[2 * width + j] += x.z;
    }
}

/* With dv = P dw the columns of dw gain those of dv times P, and its rows P^T times those of dv.
 * The translation itself is left out. */
static nt_status tie(nt_problem *problem, const nt_tie *tie, double *b)
{
    const nt_pattern *pattern = problem->pattern;
    int t = node_of(pattern, tie->translation), r = node_of(pattern, tie->rotation);
    if (tie->translation != pattern->node_start[t] || tie->rotation != pattern->node_start[r])
        return NT_INVALID;
    for (int slot = 0; slot < pattern->n_slots; slot++) {
        int row = pattern->row[slot], column = pattern->column[slot];
        if (row < pattern->n_primary || column != t)
            continue;
        int own = nt_pattern_find(pattern, row, r), force = nt_pattern_find(pattern, r, row);
        if (own < 0 || force < 0 || nt_pattern_is_single(pattern, own) ||
            nt_pattern_is_single(pattern, force))
            return NT_INVALID;
        int rows = pattern->node_start[row + 1] - pattern->node_start[row];
        double nine[9];
        const double *from = nt_matrix_full_block(&problem->matrix, slot, nine);
        for (int i = 0; i < rows; i++) /* (g P)^T = P^T g^T */
            v3_accumulate(nt_matrix_block(&problem->matrix, own) + 3 * i,
                          v3_cross(tie->arm, v3_load(from + 3 * i)));
        from = nt_matrix_full_block(&problem->matrix, nt_pattern_find(pattern, t, row), nine);
        add_tied_rows(tie->arm, from, nt_matrix_block(&problem->matrix, force), rows);
    }
    double nine[9];
    m3 M = m3_load(nt_matrix_full_block(&problem->matrix, nt_pattern_find(pattern, t, t), nine));
    m3 P = m3_skew(v3_neg(tie->arm));
    m3_accumulate(nt_matrix_block(&problem->matrix, nt_pattern_find(pattern, r, r)),
                  m3_multiply(m3_transpose(P), m3_multiply(M, P)));
    add_tied_rows(tie->arm, b + tie->translation, b + tie->rotation, 1);
    return NT_OK;
}

/* b = -M v */
static nt_status momentum(nt_problem *problem, const nt_point *at, double *b)
{
    nt_point moving = *at;
    moving.vdot = at->v;
    nt_terms terms = {.parts = NT_MASS, .level = NT_VELOCITY, .residual = b};
    nt_status status = nt_problem_evaluate(problem, &moving, &terms);
    for (int i = 0; i < problem->nv; i++)
        b[i] = -b[i];
    return status;
}

/* W becomes S W S, S = diag(light); b -= S W S offset. */
static void lighten(nt_problem *problem, const double *light, const double *offset, double *b)
{
    const nt_pattern *pattern = problem->pattern;
    for (int slot = 0; slot < pattern->n_slots; slot++) {
        int row = pattern->row[slot], column = pattern->column[slot];
        if (row >= pattern->n_primary || column >= pattern->n_primary)
            continue;
        int i0 = pattern->node_start[row], i1 = pattern->node_start[row + 1];
        int j0 = pattern->node_start[column], j1 = pattern->node_start[column + 1];
        double *w = nt_matrix_block(&problem->matrix, slot);
        if (nt_pattern_is_single(pattern, slot)) {
            *w *= light ? light[i0] * light[j0] : 1;
            for (int k = 0; offset && k < 3; k++)
                b[i0 + k] -= *w * offset[j0 + k];
            continue;
        }
        for (int i = i0; i < i1; i++)
            for (int j = j0; j < j1; j++, w++) {
                *w *= light ? light[i] * light[j] : 1;
                b[i] -= offset ? *w * offset[j] : 0;
            }
    }
}

/* From the factors of nt_solver_factor_dependent. The solver is told of the rows that it marked:
 * should it solve anew with pivoting, they are no part of that matrix either. */
static nt_status solve_without_marked(nt_problem *problem, double *b)
{
    int count = 0;
    for (int i = problem->nv; i < problem->n; i++)
        if (problem->mark[i]) {
            problem->fixed[count++] = i;
            b[i] = 0;
        }
    nt_status status = nt_solver_drop(problem->solver, problem->fixed, count);
    if (status == NT_OK)
        status = nt_solver_solve(problem->solver, b, 1);
    nt_solver_drop(problem->solver, NULL, 0);
    return status;
}

nt_status nt_problem_project(nt_problem *problem, const nt_point *at, const nt_projection *wanted,
                             double *dv)
{
    int n_ties = wanted->n_ties;
    problem->factored_for = NULL;
    nt_solver_drop(problem->solver, NULL, 0);
    nt_status status = weighted_constraints(problem, at);
    if (status == NT_OK && (wanted->kinetic || n_ties > 0))
        status = mass_weights(problem, at);
    double *b = problem->work;
    memset(b, 0, (size_t)problem->nv * sizeof *b);
    memcpy(b + problem->nv, wanted->rhs, (size_t)problem->nc * sizeof *b);
    if (status == NT_OK && n_ties > 0)
        status = momentum(problem, at, b);
    for (int i = 0; status == NT_OK && i < n_ties; i++)
        status = tie(problem, &wanted->ties[i], b);
    if (status != NT_OK)
        return status;
    if (wanted->light || wanted->offset)
        lighten(problem, wanted->light, wanted->offset, b);
    int count = 0;
    for (int i = 0; i < problem->nv; i++)
        if (wanted->fixed && wanted->fixed[i]) {
            problem->fixed[count++] = i;
            b[i] = 0;
        }
    for (int i = problem->nv + problem->nh; problem->holonomic_only && i < problem->n; i++) {
        problem->fixed[count++] = i;
        b[i] = 0;
    }
    if ((status = nt_matrix_drop(&problem->matrix, problem->fixed, count)) != NT_OK)
        return status;
    status = nt_solver_factor_dependent(problem->solver, &problem->matrix, DEPENDENT, problem->mark,
                                        &count);
    if (status != NT_OK)
        return status;
    if ((status = solve_without_marked(problem, b)) != NT_OK)
        return status;
    memcpy(dv, b, (size_t)problem->nv * sizeof *b);
    for (int i = 0; i < n_ties; i++)
        v3_store(dv + wanted->ties[i].translation,
                 v3_cross(v3_load(dv + wanted->ties[i].rotation), wanted->ties[i].arm));
    return NT_OK;
}

/* Why there are no accelerations, at the place of the part of the system that is to blame: that of
 * an unknown which nothing determines, or the one that has no value. */
static nt_status refuse_accelerations(const nt_problem *problem, double t, nt_status status,
                                      int unknown, nt_error *error)
{
    const nt_system *system = problem->system;
    bool undetermined = status == NT_SINGULAR && unknown >= 0;
    nt_error place = {0};
    char name[160] = "";
    if (undetermined)
        nt_problem_equation_name(problem, unknown, name, sizeof name);
    else if (status == NT_NOT_FINITE && system->failure)
        system->failure(system->self, name, sizeof name);
    if (name[0] && system->place)
        system->place(system->self, undetermined ? unknown : -1, &place);
    const char *before = undetermined ? " (" : name[0] ? ": " : "";
    const char *after = undetermined ? ": no inertia or constraint determines it)" : "";
    return nt_fail_at(error, status, place.file, place.line, place.column,
                      "initial accelerations at t = %g s: %s%s%s%s", t, nt_status_text(status),
                      before, name, after);
}

nt_status nt_problem_accelerations(nt_problem *problem, const nt_point *at, double *vdot,
                                   double *lambda, double *mu, nt_error *error)
{
    nt_status status = nt_problem_choose_rows(problem, at);
    if (status != NT_OK)
        return refuse_accelerations(problem, at->t, status, -1, error);
    nt_effort effort = {0};
    status = nt_problem_accelerate(problem, at, vdot, lambda, mu, &effort);
    if (status == NT_OK)
        return NT_OK;
    int unknown =
        effort.unknown >= 0 ? effort.unknown : nt_solver_singular_unknown(problem->solver);
    return refuse_accelerations(problem, at->t, status, unknown, error);
}
