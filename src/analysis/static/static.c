/* Static states: the point, its equations, and linear solves with their derivative. */
#include "analysis/static/static.h"

#include "linalg/solver.h"
#include "method/state.h"
#include "system/check.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the point ------------------------------------------------------------------------------ */

nt_point nt_static_point(const nt_static *s)
{
    nt_state state = nt_static_state(s);
    return nt_state_point(&state);
}

static size_t point_size(const nt_static *s)
{
    const nt_problem *p = s->problem;
    return (size_t)p->nq + (size_t)p->nv + (size_t)p->nc + (size_t)p->system->n_memory;
}

/* q, v, multipliers and memory lie one behind the other. */
void nt_static_keep(const nt_static *s, double *to)
{
    memcpy(to, s->q, point_size(s) * sizeof *to);
}

void nt_static_go_back(nt_static *s, const double *from)
{
    memcpy(s->q, from, point_size(s) * sizeof *from);
    s->is_near = false;
}

void nt_static_move(nt_static *s, const double *x, double share)
{
    const nt_problem *p = s->problem;
    for (int i = 0; i < p->nv; i++)
        s->increment[i] = share * x[i];
    for (int b = 0; b < p->space.n_blocks && p->space.n_first > 0; b++)
        for (int i = 0; p->space.blocks[b].kind == NT_FIRST && i < p->space.blocks[b].nv; i++)
            s->v[p->space.blocks[b].v + i] += s->increment[p->space.blocks[b].v + i];
    nt_space_compose(&p->space, p->frame, s->q, s->increment, s->q);
    for (int i = 0; i < p->nc; i++)
        s->multipliers[i] += share * x[p->nv + i];
}

void nt_static_reach(const nt_static *s, const double *x, double *angle, double *length)
{
    const nt_problem *p = s->problem;
    double most[2] = {0, 0};
    for (int i = 0; i < p->nv; i++)
        if (!(s->is_first[i] && isfinite(x[i])) && !(fabs(x[i]) <= most[p->quantity[i]]))
            most[p->quantity[i]] = fabs(x[i]);
    *angle = most[NT_ANGLE];
    *length = most[NT_LENGTH];
}

nt_status nt_static_carry(nt_static *s, const double *x)
{
    const nt_system *system = s->problem->system;
    nt_point at = nt_static_point(s);
    return system->carry ? system->carry(system->self, &at, x) : NT_OK;
}

void nt_static_accept(nt_static *s)
{
    const nt_system *system = s->problem->system;
    nt_point at = nt_static_point(s);
    if (!system->accept)
        return;
    system->accept(system->self, &at, s->next_memory);
    memcpy(s->memory, s->next_memory, (size_t)system->n_memory * sizeof *s->memory);
}

/* ---- equations ------------------------------------------------------------------------------ */

/* Unknowns of first order are entries of v: their columns are derivatives along v. */
static nt_status first_order_columns(nt_static *s, const nt_point *at)
{
    const nt_problem *p = s->problem;
    const nt_pattern *pattern = s->pattern;
    const nt_combination along_v = {.damping = 1};
    const nt_terms terms = {.parts = NT_ALL_PARTS,
                            .level = NT_POSITION,
                            .matrix = &s->factors->matrix,
                            .combination = &along_v};
    nt_factors_begin(s->factors);
    nt_status status = nt_problem_evaluate(p, at, &terms);
    for (int slot = 0; slot < pattern->n_slots && status == NT_OK; slot++) {
        int row = pattern->row[slot], column = pattern->column[slot];
        int first = pattern->node_start[column], n = pattern->node_start[column + 1] - first;
        int m = pattern->node_start[row + 1] - pattern->node_start[row];
        double nine[9], *to = nt_matrix_block(s->derivative, slot);
        const double *from = nt_matrix_full_block(&s->factors->matrix, slot, nine);
        for (int j = 0; j < n && column < pattern->n_primary; j++)
            for (int i = 0; i < m && s->is_first[first + j]; i++)
                to[i * n + j] = from[i * n + j];
    }
    return status;
}

nt_status nt_static_evaluate(nt_static *s, double *residual, bool derivative)
{
    const nt_problem *p = s->problem;
    const nt_combination combination = {
        .stiffness = 1, .multiplier = 1, .row_stiffness = 1, .row_damping = 1};
    nt_point at = nt_static_point(s);
    nt_terms terms = {.parts = NT_ALL_PARTS,
                      .level = NT_POSITION,
                      .residual = residual,
                      .rows = residual + p->nv,
                      .matrix = derivative ? &s->factors->matrix : NULL,
                      .combination = &combination};
    if (derivative)
        nt_factors_begin(s->factors);
    memset(residual, 0, (size_t)p->n * sizeof *residual);
    s->evaluations++;
    nt_status status = nt_problem_evaluate(p, &at, &terms);
    if (status == NT_NOT_FINITE && p->system->failure)
        p->system->failure(p->system->self, s->failed, sizeof s->failed);
    for (int i = 0; status == NT_OK && i < p->n; i++)
        if (!isfinite(residual[i]))
            status = NT_NOT_FINITE;
    if (status != NT_OK || !derivative)
        return status;
    for (int slot = 0; slot < s->pattern->n_slots; slot++) {
        double nine[9];
        size_t size = (size_t)(s->pattern->offset[slot + 1] - s->pattern->offset[slot]);
        memcpy(nt_matrix_block(s->derivative, slot),
               nt_matrix_full_block(&s->factors->matrix, slot, nine), size * sizeof(double));
    }
    return p->space.n_first > 0 ? first_order_columns(s, &at) : NT_OK;
}

/* ---- the drag ------------------------------------------------------------------------------- */

/* The diagonal of M. */
static nt_status find_mass(nt_static *s)
{
    const nt_problem *p = s->problem;
    const nt_combination combination = {.mass = 1};
    const nt_terms terms = {.parts = NT_MASS,
                            .level = NT_POSITION,
                            .matrix = &s->factors->matrix,
                            .combination = &combination};
    nt_point at = nt_static_point(s);
    nt_factors_begin(s->factors);
    nt_status status = nt_problem_evaluate(p, &at, &terms);
    for (int i = 0; i < p->nv; i++)
        s->mass[i] = p->diagonal[i] < 0 ? 0 : fabs(s->factors->matrix.values[p->diagonal[i]]);
    return status;
}

/* Inertia weighs as much as the loads, where they move everything by the system's length: its rate
 * is rate^2 = max |f_i| / (M_ii size_i). */
static double rate_of_loads(nt_static *s, const double *load)
{
    const nt_problem *p = s->problem;
    double rate = 0;
    s->load_size[0] = s->load_size[1] = 0;
    for (int i = 0; i < p->nv; i++) {
        double size = p->quantity[i] == NT_ANGLE ? 1 : p->length;
        s->load_size[p->quantity[i]] = fmax(s->load_size[p->quantity[i]], fabs(load[i]));
        if (s->mass[i] > 0 && !s->is_first[i])
            rate = fmax(rate, fabs(load[i]) / (s->mass[i] * size));
    }
    return rate;
}

nt_status nt_static_find_loads(nt_static *s, double *load)
{
    nt_point at = nt_static_point(s);
    const nt_terms terms = {
        .parts = NT_ALL_PARTS & ~NT_REACTIONS, .level = NT_POSITION, .residual = load};
    memset(load, 0, (size_t)s->problem->nv * sizeof *load);
    s->evaluations++;
    return nt_problem_evaluate(s->problem, &at, &terms);
}

/* Raises largest[] to the largest load of each part of the forces by itself, N and N m: their sum
 * is nothing where weights and springs balance already. */
nt_status nt_static_measure_loads(nt_static *s, double largest[2])
{
    static const unsigned parts[] = {NT_EXPLICIT, NT_IMPLICIT};
    const nt_problem *p = s->problem;
    nt_point at = nt_static_point(s);
    nt_status status = NT_OK;
    for (int k = 0; k < 2 && status == NT_OK; k++) {
        const nt_terms terms = {.parts = parts[k], .level = NT_POSITION, .residual = s->other};
        memset(s->other, 0, (size_t)p->n * sizeof *s->other);
        status = nt_problem_evaluate(p, &at, &terms);
        for (int i = 0; i < p->nv && status == NT_OK; i++)
            if (!s->is_first[i])
                largest[p->quantity[i]] = fmax(largest[p->quantity[i]], fabs(s->other[i]));
    }
    return status;
}

/* Inertia counts for less than stiffness: where there is any, it shall lead. */
static const double SHARE_OF_INERTIA = 0.1;
/* What has neither stiffness nor inertia gets this part of the largest drag of its kind. */
static const double LEAST_DRAG = 1e-9;

/* The drag of a body's translation, and of its rotation, is alike in all directions: where moments
 * are not in balance K is not symmetric, and a row that is zero says nothing about stiffness. */
static void spread_over_axes(nt_static *s)
{
    const nt_space *space = &s->problem->space;
    for (int b = 0; b < space->n_blocks; b++) {
        const nt_block *block = &space->blocks[b];
        for (int i = block->v; block->rotation >= 0 && i < block->v + block->nv; i += 3) {
            double most = fmax(s->drag[i], fmax(s->drag[i + 1], s->drag[i + 2]));
            s->drag[i] = s->drag[i + 1] = s->drag[i + 2] = most;
        }
    }
}

nt_status nt_static_find_drag(nt_static *s)
{
    const nt_problem *p = s->problem;
    const nt_pattern *pattern = s->pattern;
    double largest[2] = {0, 0};
    nt_status status = s->mass_known ? NT_OK : find_mass(s);
    if (status == NT_OK && !s->mass_known) {
        s->mass_known = true;
        status = nt_static_find_loads(s, s->drag);
        s->rate = SHARE_OF_INERTIA * rate_of_loads(s, s->drag);
        if (status == NT_OK)
            status = nt_static_measure_loads(s, s->load_size);
    }
    memset(s->drag, 0, (size_t)p->nv * sizeof *s->drag);
    for (int slot = 0; slot < pattern->n_slots; slot++) {
        int row = pattern->row[slot], column = pattern->column[slot];
        if (row >= pattern->n_primary || column >= pattern->n_primary)
            continue;
        int first = pattern->node_start[row], m = pattern->node_start[row + 1] - first;
        int n = pattern->node_start[column + 1] - pattern->node_start[column];
        const double *block = nt_matrix_block(s->derivative, slot);
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++)
                s->drag[first + i] += fabs(block[i * n + j]);
    }
    spread_over_axes(s);
    for (int i = 0; i < p->nv; i++) {
        s->drag[i] += s->rate * s->mass[i];
        largest[p->quantity[i]] = fmax(largest[p->quantity[i]], s->drag[i]);
    }
    double length2 = p->length * p->length;
    const double least[2] = {fmax(largest[NT_LENGTH], largest[NT_ANGLE] / length2),
                             fmax(largest[NT_ANGLE], largest[NT_LENGTH] * length2)};
    for (int i = 0; i < p->nv; i++)
        s->drag[i] =
            fmax(s->drag[i], least[p->quantity[i]] > 0 ? LEAST_DRAG * least[p->quantity[i]] : 1);
    return status;
}

double nt_static_dot(const nt_static *s, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < s->problem->nv; i++)
        sum += x[i] * s->drag[i] * y[i];
    return sum;
}

double nt_static_stiffness_along(nt_static *s, const double *x)
{
    const nt_problem *p = s->problem;
    double sum = 0, *y = s->other;
    memset(y, 0, (size_t)p->n * sizeof *y);
    nt_matrix_apply_primary(s->derivative, x, (size_t)p->n, y, (size_t)p->n, 1);
    for (int i = 0; i < p->nv; i++)
        sum += x[i] * y[i];
    return sum;
}

/* ---- held directions ------------------------------------------------------------------------ */

void nt_static_hold_direction(const nt_static *s, const nt_hold *h, double d[3])
{
    d[0] = d[1] = d[2] = 0;
    d[h->entry - h->first] = 1;
    if (h->quaternion >= 0 && s->problem->frame == NT_INERTIAL)
        v3_store(d, m3_apply(quat_matrix(quat_load(s->q + h->quaternion)), v3_load(d)));
}

/* x -= d (d . x) */
void nt_static_without_held(const nt_static *s, double *x)
{
    for (int k = 0; k < s->n_holds; k++) {
        const nt_hold *h = &s->holds[k];
        double d[3], along = 0;
        nt_static_hold_direction(s, h, d);
        for (int i = 0; i < h->width; i++)
            along += d[i] * x[h->first + i];
        for (int i = 0; i < h->width; i++)
            x[h->first + i] -= along * d[i];
    }
}

void nt_static_along_held(const nt_static *s, const double *x, double *out)
{
    memcpy(out, x, (size_t)s->problem->nv * sizeof *out);
    nt_static_without_held(s, out);
    for (int i = 0; i < s->problem->nv; i++)
        out[i] = x[i] - out[i];
}

/* A becomes P A P + D d d^T, P = I - d d^T. */
static void hold_in_matrix(const nt_static *s, const nt_hold *h)
{
    const nt_pattern *pattern = s->pattern;
    double d[3];
    nt_static_hold_direction(s, h, d);
    int at = h->first - pattern->node_start[h->node];
    for (int slot = 0; slot < pattern->n_slots; slot++) {
        int row = pattern->row[slot], column = pattern->column[slot];
        int m = pattern->node_start[row + 1] - pattern->node_start[row];
        int n = pattern->node_start[column + 1] - pattern->node_start[column];
        double *a = nt_matrix_block(s->matrix, slot);
        for (int j = 0; row == h->node && j < n; j++) {
            double along = 0;
            for (int i = 0; i < h->width; i++)
                along += d[i] * a[(at + i) * n + j];
            for (int i = 0; i < h->width; i++)
                a[(at + i) * n + j] -= along * d[i];
        }
        for (int i = 0; column == h->node && i < m; i++) {
            double along = 0;
            for (int j = 0; j < h->width; j++)
                along += d[j] * a[i * n + at + j];
            for (int j = 0; j < h->width; j++)
                a[i * n + at + j] -= along * d[j];
        }
        for (int i = 0; row == h->node && column == h->node && i < h->width; i++)
            for (int j = 0; j < h->width; j++)
                a[(at + i) * n + at + j] += s->drag[h->entry] * d[i] * d[j];
    }
}

/* ---- linear solves -------------------------------------------------------------------------- */

static void add_shift(const nt_static *s, double shift)
{
    const nt_pattern *pattern = s->pattern;
    for (int node = 0; node < pattern->n_primary; node++) {
        int first = pattern->node_start[node], n = pattern->node_start[node + 1] - first;
        int slot = s->diagonal[node];
        if (slot < 0)
            continue;
        double *block = nt_matrix_block(s->matrix, slot);
        double drag = 0; /* alike for all of a block that is a multiple of the identity */
        for (int i = 0; i < n; i++)
            drag = fmax(drag, s->drag[first + i]);
        for (int i = 0; i < n; i++)
            block[i * n + i] +=
                shift * (pattern->shape[slot] == NT_SCALED ? drag : s->drag[first + i]);
    }
}

nt_status nt_static_factor(nt_static *s, double shift)
{
    size_t entries = (size_t)s->pattern->offset[s->pattern->n_slots];
    memcpy(s->matrix->values, s->derivative->values, entries * sizeof(double));
    if (shift > 0)
        add_shift(s, shift);
    for (int k = 0; k < s->n_holds; k++)
        hold_in_matrix(s, &s->holds[k]);
    s->factorisations++;
    s->has_factors = false;
    nt_status status =
        nt_problem_stops(s->problem) ? NT_INTERRUPTED : nt_solver_factor(s->solver, s->matrix);
    s->is_near = status == NT_OK;
    return status;
}

static nt_status solve_linear(nt_static *s, double *b, bool kept)
{
    nt_static_without_held(s, b);
    nt_factors_clear_dropped(s->factors, b);
    nt_status status = kept ? nt_solver_solve_kept(s->solver, b) : nt_solver_solve(s->solver, b, 1);
    for (int i = 0; status == NT_OK && i < s->problem->n; i++)
        if (!isfinite(b[i]))
            status = NT_SINGULAR;
    nt_static_without_held(s, b);
    return status;
}

nt_status nt_static_solve_linear(nt_static *s, double *b) { return solve_linear(s, b, false); }

nt_status nt_static_solve_kept(nt_static *s, double *b) { return solve_linear(s, b, true); }

nt_status nt_static_correct(nt_static *s, const double *residual, double *x)
{
    for (int i = 0; i < s->problem->n; i++)
        x[i] = -residual[i];
    return nt_static_solve_linear(s, x);
}

nt_status nt_static_choose_rows(nt_static *s)
{
    nt_point at = nt_static_point(s);
    nt_status status = nt_factors_take_solver(s->factors, NULL);
    if (status == NT_OK)
        status = nt_factors_choose_rows(s->factors, &at);
    if (status == NT_OK)
        status = nt_solver_drop(s->solver, s->factors->dropped, s->factors->n_dropped);
    return status;
}

nt_status nt_static_keep_rows(nt_static *s)
{
    s->factors->n_dropped = 0;
    return nt_solver_drop(s->solver, NULL, 0);
}

/* ---- making one ----------------------------------------------------------------------------- */

static int node_of(const nt_pattern *pattern, int unknown)
{
    int node = 0;
    while (pattern->node_start[node + 1] <= unknown)
        node++;
    return node;
}

nt_hold nt_static_hold(const nt_static *s, int entry)
{
    const nt_problem *p = s->problem;
    nt_hold h = {entry, node_of(p->pattern, entry), entry, 1, -1};
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *block = &p->space.blocks[b];
        int turn = block->v + block->nv - 3;
        if (block->rotation < 0 || entry < turn || entry >= turn + 3)
            continue;
        h.first = turn;
        h.width = 3;
        h.quaternion = block->q + block->nq - 4;
    }
    return h;
}

/* The problem's pattern, unpacked; all blocks of a node with something held are full. */
static nt_status make_pattern(nt_static *s)
{
    const nt_pattern *from = s->problem->pattern;
    int *sizes = NT_TAKE(&s->arena, from->n_nodes, int);
    bool *held = NT_TAKE(&s->arena, from->n_nodes, bool);
    if (!sizes || !held)
        return NT_NO_MEMORY;
    for (int i = 0; i < from->n_nodes; i++)
        sizes[i] = from->node_start[i + 1] - from->node_start[i];
    for (int k = 0; k < s->n_holds; k++)
        held[s->holds[k].node] = true;
    /* a pattern of primary nodes gets no diagonal blocks of its own: slots come in the same order
     */
    nt_status status = nt_pattern_create(&s->pattern, from->n_nodes, from->n_nodes, sizes);
    for (int slot = 0; status == NT_OK && slot < from->n_slots; slot++) {
        bool full = held[from->row[slot]] || held[from->column[slot]];
        if (nt_pattern_add(s->pattern, from->row[slot], from->column[slot],
                           full ? NT_FULL : (nt_block_shape)from->shape[slot]) != slot)
            status = NT_NO_MEMORY;
    }
    if (status != NT_OK)
        return status;
    s->pattern->n_primary = from->n_primary;
    for (int node = 0; node < from->n_primary; node++)
        s->diagonal[node] = nt_pattern_find(s->pattern, node, node);
    return NT_OK;
}

bool nt_static_pattern_serves(const nt_static *s)
{
    int node = s->holds[s->n_holds - 1].node;
    for (int slot = 0; slot < s->pattern->n_slots; slot++)
        if ((s->pattern->row[slot] == node || s->pattern->column[slot] == node) &&
            s->pattern->shape[slot] != NT_FULL)
            return false;
    return true;
}

/* Unknowns up to which the matrix is solved with as a dense one. */
enum { DENSE_LIMIT = 40 };

nt_status nt_static_take_solver(nt_static *s, nt_error *error)
{
    nt_solver_destroy(s->solver);
    nt_matrix_destroy(s->matrix);
    nt_matrix_destroy(s->derivative);
    nt_pattern_destroy(s->pattern);
    s->solver = NULL;
    s->derived = s->is_near = false;
    s->matrix = s->derivative = NULL;
    s->pattern = NULL;
    nt_solver_kind kind = s->kind != NT_SOLVER_AUTO      ? s->kind
                          : s->problem->n <= DENSE_LIMIT ? NT_SOLVER_DENSE
                                                         : NT_SOLVER_KLU;
    nt_status status = make_pattern(s);
    if (status == NT_OK)
        status = nt_matrix_create(&s->matrix, s->pattern);
    if (status == NT_OK)
        status = nt_matrix_create(&s->derivative, s->pattern);
    if (status == NT_OK)
        status = nt_solver_create(&s->solver, s->pattern, kind, error);
    if (status == NT_OK)
        status = nt_solver_drop(s->solver, s->factors->dropped, s->factors->n_dropped);
    return status == NT_OK ? NT_OK
                           : nt_fail(error, status, "no memory for the matrix of a static state");
}

static nt_status take_memory(nt_static *s)
{
    const nt_problem *p = s->problem;
    size_t n = (size_t)p->n, nv = (size_t)p->nv, memory = (size_t)p->system->n_memory;
    size_t point = point_size(s);
    s->holds = NT_TAKE(&s->arena, nv, nt_hold);
    s->is_first = NT_TAKE(&s->arena, nv, bool);
    s->lies = NT_TAKE(&s->arena, nv, unsigned char);
    s->diagonal = NT_TAKE(&s->arena, p->pattern->n_primary, int);
    double *room =
        NT_TAKE(&s->arena, 11 * point + (size_t)p->nq + 13 * nv + 7 * n + 4 + 2 * memory, double);
    s->n_rough = nt_static_dry_count(s);
    s->dry = NT_TAKE(&s->arena, s->n_rough, nt_dry_friction);
    s->rough = NT_TAKE(&s->arena, s->n_rough, nt_static_rough);
    int indicators = p->system->events ? p->system->events->n : 0;
    s->indicators = NT_TAKE(&s->arena, indicators, double);
    s->ways = NT_TAKE(&s->arena, indicators, unsigned char);
    s->parameters = NT_TAKE(&s->arena, p->system->n_parameters, double);
    s->chosen = NT_TAKE(&s->arena, p->nc, int);
    if (!s->chosen || !s->holds || !s->is_first || !s->lies || !s->diagonal || !s->parameters ||
        !room || !s->dry || !s->rough || !s->indicators || !s->ways)
        return NT_NO_MEMORY;
    const struct {
        double **at;
        size_t size;
    } pieces[] = {{&s->gone, nv},
                  {&s->zero, nv},
                  {&s->increment, nv},
                  {&s->drag, nv},
                  {&s->mass, nv},
                  {&s->softest, nv},
                  {&s->judged, (size_t)p->nq},
                  {&s->soft[0], nv},
                  {&s->soft[1], nv},
                  {&s->vector[0], nv},
                  {&s->vector[1], nv},
                  {&s->vector[2], nv},
                  {&s->rates, nv},
                  {&s->residual, n},
                  {&s->step, n},
                  {&s->other, n},
                  {&s->tangent, n + 1},
                  {&s->before, n + 1},
                  {&s->shown, n},
                  {&s->leaving, nv + n},
                  {&s->next_memory, memory},
                  {&s->no_memory, memory},
                  {&s->kept[0], point},
                  {&s->kept[1], point},
                  {&s->placed, point},
                  {&s->left, point},
                  {&s->aside, point},
                  {&s->begin, point},
                  {&s->reference, point},
                  {&s->before_friction, point},
                  {&s->stage, point},
                  {&s->last, point}};
    s->q = room;
    s->v = s->q + p->nq;
    s->multipliers = s->v + nv;
    s->memory = s->multipliers + p->nc;
    room += point;
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; room += pieces[i++].size)
        *pieces[i].at = room;
    for (int b = 0; b < p->space.n_blocks; b++)
        for (int i = 0; p->space.blocks[b].kind == NT_FIRST && i < p->space.blocks[b].nv; i++)
            s->is_first[p->space.blocks[b].v + i] = true;
    return NT_OK;
}

static nt_status check_setup(const nt_static_setup *setup, nt_error *error)
{
    const nt_system *system = setup->system;
    if (!(system->capabilities & NT_HAS_TANGENT))
        return nt_fail(error, NT_UNSUPPORTED,
                       "a static state needs the derivatives of the equations (NT_HAS_TANGENT)");
    for (int i = 0; i < setup->n_held; i++)
        if (setup->held[i] < 0 || setup->held[i] >= system->space.nv)
            return nt_fail(error, NT_INVALID, "held entry %d: expected 0 to %d", setup->held[i],
                           system->space.nv - 1);
    return NT_OK;
}

nt_status nt_static_create(nt_static **out, const nt_static_setup *setup, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "state", out);
    *out = NULL;
    NT_NEED(error, "setup", setup);
    NT_NEED_VERSION(error, "setup", setup->version);
    NT_NEED_NUMBER(error, "setup.solver", setup->solver, NT_SOLVER_AUTO, NT_SOLVER_KLU);
    NT_NEED_SYSTEM(error, "setup.system", setup->system);
    NT_NEED_COUNT(error, "setup.n_held", setup->n_held);
    if (setup->n_held > 0)
        NT_NEED(error, "setup.held", setup->held);
    nt_status status = check_setup(setup, error);
    if (status == NT_OK)
        status = nt_system_refuse_past(setup->system, "static states", error);
    if (status != NT_OK)
        return nt_said(error, status);
    nt_static *s = calloc(1, sizeof *s);
    if (!s)
        return nt_fail(error, NT_NO_MEMORY, "out of memory for a static state");
    s->kind = setup->solver;
    s->damped = setup->damped;
    s->holds_free = setup->hold_free > 0;
    s->holds_round = setup->hold_free > 1;
    s->set_load = setup->set_load;
    s->context = setup->context;
    s->placement_rates = setup->placement_rates;
    s->placed_by = setup->placed;
    s->load = 1;
    status = nt_problem_create(&s->problem, setup->system, setup->system->frame, error);
    if (status == NT_OK)
        status = nt_factors_create_matrix(&s->factors, s->problem, NT_SOLVER_AUTO, error);
    if (status == NT_OK)
        status = take_memory(s);
    for (int i = 0; status == NT_OK && i < setup->n_held; i++)
        s->holds[s->n_holds++] = nt_static_hold(s, setup->held[i]);
    s->n_asked = s->n_holds;
    if (status == NT_OK)
        status = nt_static_take_solver(s, error);
    if (status == NT_OK) {
        *out = s;
        return NT_OK;
    }
    nt_static_destroy(s);
    return nt_said(error, status);
}

void nt_static_destroy(nt_static *s)
{
    if (!s)
        return;
    nt_minimum_norm_destroy(s->reactions);
    nt_solver_destroy(s->solver);
    nt_matrix_destroy(s->matrix);
    nt_matrix_destroy(s->derivative);
    nt_pattern_destroy(s->pattern);
    nt_factors_destroy(s->factors);
    nt_problem_destroy(s->problem);
    nt_arena_free(&s->arena);
    free(s);
}

nt_status nt_static_start(nt_static *s, double t, const double *q, const double *v,
                          const double *memory, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "state q", s, q);
    NT_NEED_FINITE(error, "t", t);
    const nt_problem *p = s->problem;
    NT_NEED_GOOD(nt_numbers_refuse(error, __func__, "q", q, p->nq));
    if (v)
        NT_NEED_GOOD(nt_numbers_refuse(error, __func__, "v", v, p->nv));
    s->t = t;
    memcpy(s->q, q, (size_t)p->nq * sizeof *q);
    memset(s->v, 0, (size_t)p->nv * sizeof *s->v);
    memset(s->multipliers, 0, (size_t)p->nc * sizeof *s->multipliers);
    for (int i = 0; v && i < p->nv; i++)
        s->v[i] = s->is_first[i] ? v[i] : 0;
    memset(s->memory, 0, (size_t)p->system->n_memory * sizeof *s->memory);
    if (memory)
        memcpy(s->memory, memory, (size_t)p->system->n_memory * sizeof *s->memory);
    else
        nt_static_loosen(s);
    nt_problem_take_rows(s->problem, s->memory);
    s->problem->length = p->system->length > 0 ? p->system->length : 1;
    nt_static_keep(s, s->placed);
    s->started = true;
    s->solved = s->mass_known = false;
    s->n_lost = 0;
    nt_status status = nt_static_hold_creeping(s, error);
    if (status != NT_OK)
        return nt_said(error, status);
    if (!s->set_load || s->load == 1) /* a search that failed leaves the part that it could carry */
        return NT_OK;
    s->load = 1;
    status = s->set_load(s->context, 1);
    return status == NT_OK ? NT_OK : nt_fail(error, status, "loads: %s", nt_status_text(status));
}

/* ---- looks ---------------------------------------------------------------------------------- */

nt_state nt_static_state(const nt_static *s)
{
    if (!s)
        return (nt_state){.t = (double)NAN};
    return (nt_state){.t = s->t,
                      .q = s->q,
                      .v = s->v,
                      .vdot = s->zero,
                      .lambda = s->multipliers,
                      .mu = s->multipliers + s->problem->nh,
                      .memory = s->memory};
}

int nt_static_lost_rows(const nt_static *s) { return s ? s->n_lost : 0; }

nt_status nt_static_reactions(nt_static *s, double length, double *out, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "state out", s, out);
    NT_NEED_LENGTH(error, "length", length);
    const nt_problem *p = s->problem;
    memcpy(out, s->multipliers, (size_t)p->nc * sizeof *out);
    if (s->factors->n_dropped == 0)
        return NT_OK;
    nt_point at = nt_static_point(s);
    nt_status status = s->reactions ? NT_OK : nt_minimum_norm_create(&s->reactions, p);
    if (status == NT_OK)
        status = nt_minimum_norm_find(s->reactions, p, &at, length, out);
    return status == NT_OK
               ? NT_OK
               : nt_fail(error, status, "reactions of a static state: %s", nt_status_text(status));
}
