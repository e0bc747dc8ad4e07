/* Consistent initial values and the choice of independent constraint rows.
 *
 * Independent rows are found by factorising [W G^T; G 0] with W = diag(1, length^2), in an order
 * that eliminates every multiplier after its bodies. A row of G that depends on earlier ones leaves
 * a pivot of G W^-1 G^T that vanishes. Such rows are dropped: their multiplier is set to zero, and
 * their equation follows from the others.
 */
#include "base/error.h"
#include "system/factors.h"

#include <math.h>
#include <string.h>

/* A row counts as dependent when its pivot of G W^-1 G^T is less than this part of what it was
 * before the elimination. A pivot is the square of the distance to the other rows, so this is a
 * distance of 1e-5 of the row's own length. Rounding leaves pivots of 1e-14 in small mechanisms and
 * of 1e-11 in nets of hundreds of loops, where the least pivot of an independent row is 1e-8. */
static const double DEPENDENT = 1e-10;

/* Fills the matrix with [W G^T; G 0], G being the derivative of the velocity rows at the point. */
static nt_status weighted_constraints(nt_factors *f, const nt_point *at, double length)
{
    const nt_problem *problem = f->problem;
    const nt_pattern *pattern = problem->pattern;
    nt_combination combination = {.row_damping = 1};
    nt_terms terms = {.level = NT_VELOCITY, .matrix = &f->matrix, .combination = &combination};
    nt_factors_begin(f);
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
        const double *from = nt_matrix_block(&f->matrix, slot);
        double *to = nt_matrix_block(&f->matrix, transposed);
        if (nt_pattern_is_single(pattern, slot) != nt_pattern_is_single(pattern, transposed))
            return NT_INVALID;
        if (nt_pattern_is_single(pattern, slot))
            rows = width = 1;
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < width; j++)
                to[j * rows + i] = from[i * width + j];
    }
    for (int i = 0; i < problem->nv; i++) {
        double weight = nt_problem_weight_by(problem, i, length);
        f->matrix.values[problem->diagonal[i]] = weight * weight;
    }
    return NT_OK;
}

/* Factorises without the rows dropped so far, and marks and counts those that still depend on
 * others. */
static nt_status mark_dependent(nt_factors *f, double tolerance, int *count)
{
    nt_status status = nt_solver_drop(f->solver, f->dropped, f->n_dropped);
    return status == NT_OK
               ? nt_solver_factor_dependent(f->solver, &f->matrix, tolerance, f->mark, count)
               : status;
}

/* The rows that are marked are dropped as well; where `found` is given they are only counted. */
static nt_status find_dependent(nt_factors *f, int *found)
{
    const nt_problem *p = f->problem;
    int count = 0;
    nt_status status = mark_dependent(f, DEPENDENT, &count);
    if (status != NT_OK)
        return status;
    if (found) {
        *found = count;
        return NT_OK;
    }
    for (int i = p->nv; i < p->n; i++)
        if (f->mark[i])
            f->dropped[f->n_dropped++] = i;
    return nt_solver_drop(f->solver, f->dropped, f->n_dropped);
}

/* Sorts the dropped rows, so that the same choice is always the same list. */
static void sort_dropped(nt_factors *f)
{
    for (int i = 1; i < f->n_dropped; i++)
        for (int k = i; k > 0 && f->dropped[k - 1] > f->dropped[k]; k--) {
            int larger = f->dropped[k - 1];
            f->dropped[k - 1] = f->dropped[k];
            f->dropped[k] = larger;
        }
}

/* Drops the rows that are switched off, and no others. */
static void drop_off(nt_factors *f)
{
    f->n_dropped = f->problem->n_off;
    for (int i = 0; i < f->n_dropped; i++)
        f->dropped[i] = f->problem->nv + f->problem->off[i];
}

/* Where a holonomic row and a nonholonomic one say the same, the nonholonomic one is dropped: Phi =
 * 0 implies Phi' = 0, but not the other way round. First all nonholonomic rows are dropped and the
 * independent ones of Phi are chosen among themselves; then each nonholonomic row is taken back if
 * it does not depend on those in use. */
static nt_status keep_positions(nt_factors *f)
{
    const nt_problem *p = f->problem;
    int first = p->nv + p->nh, found;
    drop_off(f);
    for (int i = first; i < p->n; i++)
        if (!nt_problem_is_off(p, i - p->nv))
            f->dropped[f->n_dropped++] = i;
    nt_status status = find_dependent(f, NULL);
    for (int i = first; status == NT_OK && i < p->n; i++) {
        int k = 0;
        if (nt_problem_is_off(p, i - p->nv))
            continue;
        while (f->dropped[k] != i)
            k++;
        f->dropped[k] = f->dropped[--f->n_dropped];
        status = find_dependent(f, &found);
        if (status == NT_OK && found > 0)
            f->dropped[f->n_dropped++] = i;
    }
    if (status == NT_OK)
        status = find_dependent(f, NULL); /* leaves the factors of the choice */
    sort_dropped(f);
    return status;
}

static nt_status choose_rows(nt_factors *f, const nt_point *at, double length)
{
    const nt_problem *p = f->problem;
    drop_off(f);
    if (p->nc == 0)
        return NT_OK;
    nt_solver_drop(f->solver, NULL, 0);
    nt_status status = weighted_constraints(f, at, length);
    if (status == NT_OK)
        status = find_dependent(f, NULL);
    bool positions = false;
    for (int i = p->n_off; status == NT_OK && i < f->n_dropped; i++)
        positions |= f->dropped[i] < p->nv + p->nh;
    if (p->n_off > 0)
        sort_dropped(f);
    return positions && p->nn > 0 ? keep_positions(f) : status;
}

nt_status nt_factors_choose_rows(nt_factors *f, const nt_point *at)
{
    return choose_rows(f, at, f->problem->length);
}

nt_status nt_factors_find_nearly_dependent(nt_factors *f, const nt_point *at, double far, int *row,
                                           double *distance)
{
    const nt_problem *p = f->problem;
    int count = 1;
    *row = -1;
    *distance = far;
    bool some = p->nc > f->n_dropped && f->solver;
    nt_status status = some ? weighted_constraints(f, at, p->length) : NT_OK;
    for (double d = far; d > 1e-8 && some && count > 0 && status == NT_OK; d /= 2) {
        status = mark_dependent(f, d * d, &count);
        for (int i = p->nv; i < p->n && count > 0 && status == NT_OK; i++)
            if (f->mark[i])
                *row = i, *distance = d;
    }
    return status;
}

/* A dropped row is a combination of those in use, g_d = sum c_j g_j, so its equation is violated by
 * c_j times what theirs are. Where some c_j is larger than this, rows d and j change places: g_j
 * then follows from g_d and the others with coefficients smaller by the factor c_j. */
static const double LARGEST_SHARE = 10;

/* The coefficients c_j of row d, into b[n] at the places of the multipliers: the solution of
 * [W G^T; G 0] (x, c) = (g_d, 0). x is zero, since g_d depends on the rows in use. */
static nt_status shares_of(nt_factors *f, int d, double *b)
{
    const nt_problem *p = f->problem;
    const nt_pattern *pattern = p->pattern;
    memset(b, 0, (size_t)p->n * sizeof *b);
    for (int slot = 0; slot < pattern->n_slots; slot++) {
        const int *rows = pattern->node_start + pattern->row[slot];
        const int *columns = pattern->node_start + pattern->column[slot];
        int width = columns[1] - columns[0];
        double nine[9];
        if (d >= rows[0] && d < rows[1] && columns[0] < p->nv)
            memcpy(b + columns[0],
                   nt_matrix_full_block(&f->matrix, slot, nine) +
                       (size_t)(d - rows[0]) * (size_t)width,
                   (size_t)width * sizeof *b);
    }
    return nt_solver_solve(f->solver, b, 1);
}

nt_status nt_factors_exchange_rows(nt_factors *f, const nt_point *at, bool *changed)
{
    const nt_problem *p = f->problem;
    *changed = false;
    nt_status status = weighted_constraints(f, at, f->problem->length);
    if (status == NT_OK)
        status = nt_factors_factor(f);
    for (int i = 0; i < f->n_dropped && status == NT_OK; i++) {
        int d = f->dropped[i], most = d, kappa = p->nv + p->nh;
        double *c = f->work;
        if (nt_problem_is_off(p, d - p->nv))
            continue;
        if ((status = shares_of(f, d, c)) != NT_OK)
            return status;
        c[d] = LARGEST_SHARE;
        for (int j = d < kappa ? p->nv : kappa; j < (d < kappa ? kappa : p->n); j++)
            if (fabs(c[j]) > fabs(c[most]))
                most = j;
        if (most == d)
            continue;
        f->dropped[i] = most;
        *changed = true;
        if ((status = nt_solver_drop(f->solver, f->dropped, f->n_dropped)) == NT_OK)
            status = nt_factors_factor(f);
    }
    sort_dropped(f);
    return status;
}

/* Whether a 3 x 3 block is surely positive definite: its determinant is more than 1e-12 of the cube
 * of its mean diagonal entry. */
static bool is_definite(m3 a)
{
    double mean = (a.xx + a.yy + a.zz) / 3;
    v3 x = v3_of(a.xx, a.xy, a.xz), y = v3_of(a.yx, a.yy, a.yz), z = v3_of(a.zx, a.zy, a.zz);
    return v3_dot(x, v3_cross(y, z)) > 1e-12 * mean * mean * mean && mean > 0;
}

/* Puts the mass matrix in place of the weights W. Where inertia vanishes (a point, a thin rod about
 * its axis) 1e-9 of the largest of the same unit is added: enough to make the matrix definite, too
 * little to change the result. */
static nt_status mass_weights(nt_factors *f, const nt_point *at)
{
    const nt_problem *problem = f->problem;
    const nt_pattern *pattern = problem->pattern;
    double *values = f->matrix.values, largest[2] = {0, 0};
    nt_combination combination = {.mass = 1};
    nt_terms terms = {
        .parts = NT_MASS, .level = NT_VELOCITY, .matrix = &f->matrix, .combination = &combination};
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
        const double *block = nt_matrix_full_block(&f->matrix, slot, nine);
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

/* Adds P^T from[3][width] to to[3][width], P = -arm~; both are the rows of a node. */
static void add_tied_rows(v3 arm, const double *from, double *to, int width)
{
    for (int j = 0; j < width; j++) {
        v3 x = v3_cross(arm, v3_of(from[j], from[width + j], from[2 * width + j]));
        to[j] += x.x, to[width + j] += x.y, to[2 * width + j] += x.z;
    }
}

/* Ties the translation of a body to its rotation, dv = P dw with P = -arm~. The unknown dv is
 * replaced: P^T times its rows is added to the rows of dw, and its columns times P to the columns
 * of dw. dv itself takes no part in the solution: it is among the fixed unknowns. */
static nt_status tie(nt_factors *f, const nt_tie *tie, double *b)
{
    const nt_problem *problem = f->problem;
    const nt_pattern *pattern = problem->pattern;
    int t = nt_pattern_node_of(pattern, tie->translation),
        r = nt_pattern_node_of(pattern, tie->rotation);
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
        const double *from = nt_matrix_full_block(&f->matrix, slot, nine);
        for (int i = 0; i < rows; i++) /* (g P)^T = P^T g^T */
            v3_accumulate(nt_matrix_block(&f->matrix, own) + 3 * i,
                          v3_cross(tie->arm, v3_load(from + 3 * i)));
        from = nt_matrix_full_block(&f->matrix, nt_pattern_find(pattern, t, row), nine);
        add_tied_rows(tie->arm, from, nt_matrix_block(&f->matrix, force), rows);
    }
    double nine[9];
    m3 M = m3_load(nt_matrix_full_block(&f->matrix, nt_pattern_find(pattern, t, t), nine));
    m3 P = m3_skew(v3_neg(tie->arm));
    m3_accumulate(nt_matrix_block(&f->matrix, nt_pattern_find(pattern, r, r)),
                  m3_multiply(m3_transpose(P), m3_multiply(M, P)));
    add_tied_rows(tie->arm, b + tie->translation, b + tie->rotation, 1);
    return NT_OK;
}

/* b = -M v: with this right-hand side v + dv has the least kinetic energy. */
static nt_status momentum(const nt_problem *problem, const nt_point *at, double *b)
{
    nt_point moving = *at;
    moving.vdot = at->v;
    nt_terms terms = {.parts = NT_MASS, .level = NT_VELOCITY, .residual = b};
    nt_status status = nt_problem_evaluate(problem, &moving, &terms);
    for (int i = 0; i < problem->nv; i++)
        b[i] = -b[i];
    return status;
}

/* Scales the weights to S W S with S = diag(light), and subtracts S W S offset from b. */
static void lighten(nt_factors *f, const double *light, const double *offset, double *b)
{
    const nt_problem *problem = f->problem;
    const nt_pattern *pattern = problem->pattern;
    for (int slot = 0; slot < pattern->n_slots; slot++) {
        int row = pattern->row[slot], column = pattern->column[slot];
        if (row >= pattern->n_primary || column >= pattern->n_primary)
            continue;
        int i0 = pattern->node_start[row], i1 = pattern->node_start[row + 1];
        int j0 = pattern->node_start[column], j1 = pattern->node_start[column + 1];
        double *w = nt_matrix_block(&f->matrix, slot);
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

/* Solves with the factors of nt_solver_factor_dependent, which has marked the dependent rows. They
 * are dropped from the matrix as well, in case the solver has to factorise again with pivoting. */
static nt_status solve_without_marked(nt_factors *f, double *b)
{
    const nt_problem *problem = f->problem;
    int count = 0;
    for (int i = problem->nv; i < problem->n; i++)
        if (f->mark[i]) {
            f->fixed[count++] = i;
            b[i] = 0;
        }
    nt_status status = nt_solver_drop(f->solver, f->fixed, count);
    if (status == NT_OK)
        status = nt_solver_solve(f->solver, b, 1);
    nt_solver_drop(f->solver, NULL, 0);
    return status;
}

/* The equations of a projection, with the weights wanted or, neutral, those of its lengths alone.
 */
static nt_status fill_projection(nt_factors *f, const nt_point *at, const nt_projection *wanted,
                                 bool neutral, double *b)
{
    const nt_problem *problem = f->problem;
    int n_ties = wanted->n_ties;
    nt_solver_drop(f->solver, NULL, 0);
    nt_status status = weighted_constraints(f, at, f->problem->length);
    if (status == NT_OK && !neutral && (wanted->kinetic || n_ties > 0))
        status = mass_weights(f, at);
    memset(b, 0, (size_t)problem->nv * sizeof *b);
    memcpy(b + problem->nv, wanted->rhs, (size_t)problem->nc * sizeof *b);
    if (status == NT_OK && n_ties > 0)
        status = momentum(problem, at, b);
    for (int i = 0; status == NT_OK && i < n_ties; i++)
        status = tie(f, &wanted->ties[i], b);
    if (status != NT_OK)
        return status;
    if (!neutral && (wanted->light || wanted->offset))
        lighten(f, wanted->light, wanted->offset, b);
    int count = 0;
    for (int i = 0; i < problem->nv; i++)
        if (wanted->fixed && wanted->fixed[i]) {
            f->fixed[count++] = i;
            b[i] = 0;
        }
    for (int i = problem->nv; i < problem->n; i++)
        if ((wanted->holonomic_only && i >= problem->nv + problem->nh) ||
            (problem->n_off > 0 && nt_problem_is_off(problem, i - problem->nv))) {
            f->fixed[count++] = i;
            b[i] = 0;
        }
    return nt_matrix_drop(&f->matrix, f->fixed, count);
}

/* Rows that seem to depend on others where what they hold weighs far less, or far more, than what
 * the others do, as of a body without mass that carries one with it: which of them do so is asked
 * of the rows alone. Leaves factors without these. */
static nt_status ask_rows_alone(nt_factors *f, const nt_point *at, const nt_projection *wanted,
                                double *b)
{
    const nt_problem *p = f->problem;
    int count = 0;
    nt_status status = fill_projection(f, at, wanted, true, b);
    if (status == NT_OK)
        status = nt_solver_factor_dependent(f->solver, &f->matrix, DEPENDENT, f->mark, &count);
    if (status == NT_OK)
        status = fill_projection(f, at, wanted, false, b);
    count = 0;
    for (int i = p->nv; i < p->n; i++)
        if (f->mark[i])
            f->fixed[count++] = i;
    if (status == NT_OK)
        status = nt_solver_drop(f->solver, f->fixed, count);
    return status == NT_OK ? nt_solver_factor(f->solver, &f->matrix) : status;
}

nt_status nt_factors_project(nt_factors *f, const nt_point *at, const nt_projection *wanted,
                             double *dv)
{
    const nt_problem *problem = f->problem;
    int count = 0;
    double *b = f->work;
    nt_status status = fill_projection(f, at, wanted, false, b);
    if (status == NT_OK)
        status = nt_solver_factor_dependent(f->solver, &f->matrix, DEPENDENT, f->mark, &count);
    bool weighed = wanted->kinetic || wanted->n_ties > 0 || wanted->light;
    if (status == NT_OK && count > 0 && weighed)
        status = ask_rows_alone(f, at, wanted, b);
    if (status != NT_OK)
        return status;
    if ((status = solve_without_marked(f, b)) != NT_OK)
        return status;
    memcpy(dv, b, (size_t)problem->nv * sizeof *b);
    for (int i = 0; i < wanted->n_ties; i++)
        v3_store(dv + wanted->ties[i].translation,
                 v3_cross(v3_load(dv + wanted->ties[i].rotation), wanted->ties[i].arm));
    return NT_OK;
}

/* Says why there are no accelerations. The message names the unknown that nothing determines, or
 * the element whose forces have no value, and its place in the model file where that is known. */
static nt_status refuse_accelerations(const nt_problem *problem, double t, nt_status status,
                                      int unknown, nt_error *error)
{
    const nt_system *system = problem->system;
    bool undetermined = status == NT_SINGULAR && unknown >= 0;
    nt_error place = {0};
    char name[300] = "";
    if (undetermined)
        nt_problem_equation_name(problem, unknown, name, sizeof name);
    else if (status == NT_NOT_FINITE && system->failure)
        system->failure(system->self, name, sizeof name);
    if (name[0] && system->place)
        system->place(system->self, undetermined ? unknown : -1, &place);
    nt_error part = {0};
    nt_problem_ill_posed(problem, status, &part);
    const char *before = undetermined ? " (" : name[0] ? ": " : "";
    const char *after = !undetermined     ? ""
                        : part.message[0] ? ")"
                                          : ": no inertia or constraint determines it)";
    if (part.line > 0)
        place = part;
    return nt_fail_at(error, status, place.file, place.line, place.column,
                      "initial accelerations at t = %g s: %s%s%s%s%s%s", t, nt_status_text(status),
                      before, name, after, part.message[0] ? "; " : "", part.message);
}

nt_status nt_factors_accelerations(nt_factors *f, const nt_point *at, double *vdot, double *lambda,
                                   double *mu, nt_error *error)
{
    const nt_problem *problem = f->problem;
    nt_status status = nt_factors_choose_rows(f, at);
    if (status != NT_OK)
        return refuse_accelerations(problem, at->t, status, -1, error);
    nt_effort effort = {.is_start = true};
    status = nt_factors_accelerate(f, at, vdot, lambda, mu, &effort);
    if (status == NT_OK)
        return NT_OK;
    int unknown = effort.unknown >= 0 ? effort.unknown : nt_solver_singular_unknown(f->solver);
    return refuse_accelerations(problem, at->t, status, unknown, error);
}

nt_status nt_factors_refuse_weightless(nt_factors *f, const nt_point *at, nt_error *error)
{
    int unknown;
    if (f->resting)
        return NT_OK;
    nt_status status = nt_factors_find_weightless(f, at, &unknown);
    if (status == NT_OK && unknown < 0)
        return NT_OK;
    return refuse_accelerations(f->problem, at->t, status == NT_OK ? NT_SINGULAR : status, unknown,
                                error);
}
