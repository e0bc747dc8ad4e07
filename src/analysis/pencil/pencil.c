#include "analysis/pencil/pencil.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- create --------------------------------------------------------------------------------- */

static nt_status make_pattern(nt_pencil *p)
{
    const nt_pattern *from = p->problem->pattern;
    int *sizes = calloc((size_t)from->n_nodes + 1, sizeof *sizes);
    if (!sizes)
        return NT_NO_MEMORY;
    for (int i = 0; i < from->n_nodes; i++)
        sizes[i] = from->node_start[i + 1] - from->node_start[i];
    nt_status status = nt_pattern_init(&p->pattern, from->n_nodes, from->n_primary, sizes);
    free(sizes);
    for (int i = 0; i < from->n_slots && status == NT_OK; i++) {
        p->slot[i] = nt_pattern_add(&p->pattern, from->row[i], from->column[i], NT_FULL);
        status = p->slot[i] < 0 ? NT_NO_MEMORY : NT_OK;
    }
    return status;
}

nt_status nt_pencil_create(nt_pencil **out, const nt_system *system, nt_error *error)
{
    nt_pencil *p = *out = calloc(1, sizeof *p);
    if (!p)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    nt_status status = nt_problem_create(&p->problem, system, NT_INERTIAL, error);
    if (status == NT_OK && !(system->capabilities & NT_HAS_TANGENT))
        status = nt_fail(error, NT_UNSUPPORTED, "%s gives no tangent, which linear equations need",
                         system->name ? system->name : "the system");
    if (status == NT_OK)
        status = nt_factors_create(&p->rows, p->problem, NT_SOLVER_AUTO, error);
    if (status == NT_OK)
        status = nt_factors_let_rest(p->rows);
    if (status != NT_OK) {
        nt_pencil_destroy(p);
        *out = NULL;
        return status;
    }
    p->n = p->problem->n, p->nv = p->problem->nv, p->nh = p->problem->nh, p->nn = p->problem->nn;
    p->slot = NT_TAKE(&p->arena, p->problem->pattern->n_slots, int);
    p->dropped = NT_TAKE(&p->arena, p->problem->nc, int);
    p->first_order = NT_TAKE(&p->arena, p->nv, unsigned char);
    status = p->slot && p->dropped && p->first_order ? make_pattern(p) : NT_NO_MEMORY;
    nt_matrix *matrices[] = {&p->M, &p->C, &p->K, &p->shifted};
    for (int i = 0; i < 4 && status == NT_OK; i++)
        status = nt_matrix_init(matrices[i], &p->pattern);
    if (status == NT_OK)
        status = nt_solver_create(&p->solver, &p->pattern, NT_SOLVER_AUTO, error);
    if (status != NT_OK) {
        nt_pencil_destroy(p);
        *out = NULL;
        return nt_fail(error, status, "no linear equations: %s", nt_status_text(status));
    }
    for (int b = 0; b < system->space.n_blocks; b++)
        for (int i = 0; i < system->space.blocks[b].nv; i++)
            p->first_order[system->space.blocks[b].v + i] =
                system->space.blocks[b].kind == NT_FIRST;
    return NT_OK;
}

void nt_pencil_destroy(nt_pencil *p)
{
    if (!p)
        return;
    nt_solver_destroy(p->solver);
    nt_matrix_free(&p->M);
    nt_matrix_free(&p->C);
    nt_matrix_free(&p->K);
    nt_matrix_free(&p->shifted);
    nt_pattern_free(&p->pattern);
    nt_factors_destroy(p->rows);
    nt_problem_destroy(p->problem);
    nt_arena_free(&p->arena);
    free(p);
}

/* ---- fill ----------------------------------------------------------------------------------- */

static size_t entries(const nt_pencil *p) { return (size_t)p->pattern.offset[p->pattern.n_slots]; }

static int node_size(const nt_pattern *p, int node)
{
    return p->node_start[node + 1] - p->node_start[node];
}

/* The tangent that the combination asks for, into a matrix of full blocks. */
static nt_status evaluate(nt_pencil *p, const nt_point *at, nt_level level,
                          const nt_combination *combination, nt_matrix *to)
{
    nt_terms terms = {.parts = NT_ALL_PARTS,
                      .level = level,
                      .matrix = &p->rows->matrix,
                      .combination = combination};
    nt_factors_begin(p->rows);
    nt_status status = nt_problem_evaluate(p->problem, at, &terms);
    nt_matrix_zero(to);
    const nt_pattern *from = p->problem->pattern;
    for (int i = 0; i < from->n_slots && status == NT_OK; i++) {
        double nine[9];
        const double *block = nt_matrix_full_block(&p->rows->matrix, i, nine);
        int size = node_size(from, from->row[i]) * node_size(from, from->column[i]);
        double *block_to = nt_matrix_block(to, p->slot[i]);
        bool diagonal = !nt_pattern_is_single(from, i) && from->shape[i] == NT_SCALED && size == 9;
        for (int k = 0; k < size; k++)
            block_to[k] = diagonal ? (k % 4 == 0 ? block[0] : 0) : block[k];
    }
    return status;
}

/* ---- turning axes -----------------------------------------------------------------------------
 */

/* Three entries of v that turn together: a translation or a rotation. D1, D2, D3 as in the head. */
typedef struct triple {
    int start;
    m3 D1, D2, D3;
} triple;

static triple translation(int start, v3 Omega)
{
    m3 turn = m3_skew(Omega);
    return (triple){start, turn, m3_multiply(turn, turn), m3_scale(2, turn)};
}

static triple rotation(int start, v3 Omega, const nt_point *at)
{
    v3 w = v3_load(at->v + start), alpha = at->vdot ? v3_load(at->vdot + start) : v3_of(0, 0, 0);
    m3 turn = m3_skew(Omega), slip = m3_skew(v3_sub(Omega, w));
    m3 D2 = m3_sub(m3_multiply(turn, slip), m3_skew(v3_sub(alpha, v3_cross(Omega, w))));
    return (triple){start, slip, D2, m3_add(turn, slip)};
}

/* Of every block of the space, in the order of v: at most two triples each. Entries of R^n count as
 * a translation where there are three. */
static int list_triples(const nt_space *space, const nt_point *at, v3 Omega, triple *out)
{
    int n = 0;
    for (int b = 0; b < space->n_blocks; b++) {
        const nt_block *block = &space->blocks[b];
        bool translates = block->kind == NT_R3SO3 || (block->kind == NT_RN && block->nv == 3);
        if (translates)
            out[n++] = translation(block->v, Omega);
        if (block->rotation >= 0)
            out[n++] = rotation(block->v + block->nv - 3, Omega, at);
    }
    return n;
}

static bool vanishes(m3 a)
{
    const m3 zero = {0};
    return memcmp(&a, &zero, sizeof a) == 0;
}

/* to += from D in three columns of blocks of the given width. */
static void add_product(double *to, const double *from, int rows, int width, m3 D)
{
    for (int i = 0; i < rows; i++)
        v3_accumulate(to + i * width, m3_apply_transposed(D, v3_load(from + i * width)));
}

/* C += M D3, K += C D1 + M D2 with C as it was. */
static void turn_columns(nt_pencil *p, const triple *triples, int n)
{
    const nt_pattern *pattern = &p->pattern;
    for (int slot = 0; slot < pattern->n_slots; slot++) {
        int node = pattern->column[slot], first = pattern->node_start[node];
        int width = node_size(pattern, node), rows = node_size(pattern, pattern->row[slot]);
        int low = 0, high = n;
        if (node >= pattern->n_primary)
            continue;
        while (low < high) { /* the first triple of the node */
            int middle = (low + high) / 2;
            if (triples[middle].start < first)
                low = middle + 1;
            else
                high = middle;
        }
        for (; low < n && triples[low].start + 3 <= first + width; low++) {
            const triple *t = &triples[low];
            int offset = t->start - first;
            const double *M = nt_matrix_block(&p->M, slot) + offset;
            double *C = nt_matrix_block(&p->C, slot) + offset;
            double *K = nt_matrix_block(&p->K, slot) + offset;
            if (!vanishes(t->D1))
                add_product(K, C, rows, width, t->D1);
            if (!vanishes(t->D2))
                add_product(K, M, rows, width, t->D2);
            if (!vanishes(t->D3))
                add_product(C, M, rows, width, t->D3);
        }
    }
}

/* The columns of entries of first order move up by one derivative. */
static void raise_first_order(nt_pencil *p)
{
    const nt_pattern *pattern = &p->pattern;
    if (p->problem->space.n_first == 0)
        return;
    for (int slot = 0; slot < pattern->n_slots; slot++) {
        int node = pattern->column[slot], first = pattern->node_start[node];
        int width = node_size(pattern, node), rows = node_size(pattern, pattern->row[slot]);
        for (int j = 0; node < pattern->n_primary && j < width; j++) {
            double *M = nt_matrix_block(&p->M, slot) + j, *C = nt_matrix_block(&p->C, slot) + j;
            double *K = nt_matrix_block(&p->K, slot) + j;
            for (int i = 0; p->first_order[first + j] && i < rows; i++) {
                K[i * width] = C[i * width];
                C[i * width] = M[i * width];
                M[i * width] = 0;
            }
        }
    }
}

nt_status nt_pencil_rates(const nt_pencil *p, const nt_point *at, const double turn[3],
                          const double *y, const double *rate, const double *second, double *dv,
                          double *dvdot)
{
    const nt_space *space = &p->problem->space;
    triple *triples = calloc(2 * (size_t)space->n_blocks + 1, sizeof *triples);
    if (!triples)
        return NT_NO_MEMORY;
    int n = list_triples(space, at, v3_load(turn), triples);
    for (int i = 0; i < p->nv; i++) {
        dv[i] = p->first_order[i] ? y[i] : rate[i];
        dvdot[i] = p->first_order[i] ? rate[i] : second[i];
    }
    for (int i = 0; i < n; i++) {
        const triple *t = &triples[i];
        v3 at_y = v3_load(y + t->start), at_rate = v3_load(rate + t->start);
        v3_accumulate(dv + t->start, m3_apply(t->D1, at_y));
        v3_accumulate(dvdot + t->start, v3_add(m3_apply(t->D2, at_y), m3_apply(t->D3, at_rate)));
    }
    free(triples);
    return NT_OK;
}

/* ---- sizes ---------------------------------------------------------------------------------- */

/* The largest entry among those of motion, each measured by the weights of its row and column. */
static double largest(const nt_pencil *p, const nt_matrix *matrix)
{
    const nt_pattern *pattern = &p->pattern;
    double most = 0;
    for (int slot = 0; slot < pattern->n_slots; slot++) {
        int row = pattern->node_start[pattern->row[slot]],
            rows = node_size(pattern, pattern->row[slot]);
        int column = pattern->node_start[pattern->column[slot]];
        int columns = node_size(pattern, pattern->column[slot]);
        const double *block = nt_matrix_block(matrix, slot);
        for (int i = 0; row < p->nv && column < p->nv && i < rows * columns; i++) {
            double weight = nt_problem_weight(p->problem, row + i / columns) *
                            nt_problem_weight(p->problem, column + i % columns);
            most = fmax(most, fabs(block[i]) / weight);
        }
    }
    return most;
}

nt_status nt_pencil_fill(nt_pencil *p, const nt_point *at, const double turn[3], nt_error *error)
{
    static const nt_combination mass = {.mass = 1}, damping = {.damping = 1, .row_damping = 1},
                                stiffness = {.stiffness = 1, .row_stiffness = 1, .multiplier = 1};
    triple *triples = calloc(2 * (size_t)p->problem->space.n_blocks + 1, sizeof *triples);
    nt_status status = triples ? NT_OK : NT_NO_MEMORY;
    nt_problem_take_rows(p->problem, at->memory);
    if (status == NT_OK)
        status = nt_factors_choose_rows(p->rows, at);
    p->n_dropped = p->rows->n_dropped;
    memcpy(p->dropped, p->rows->dropped, (size_t)p->n_dropped * sizeof *p->dropped);
    if (status == NT_OK)
        status = evaluate(p, at, NT_POSITION, &mass, &p->M);
    if (status == NT_OK)
        status = evaluate(p, at, NT_POSITION, &damping, &p->C);
    if (status == NT_OK)
        status = evaluate(p, at, NT_POSITION, &stiffness, &p->K);
    if (status == NT_OK) {
        turn_columns(p, triples, list_triples(&p->problem->space, at, v3_load(turn), triples));
        raise_first_order(p);
        double m = largest(p, &p->M), c = largest(p, &p->C), k = largest(p, &p->K);
        p->size = k > 0 && m > 0   ? sqrt(k / m)
                  : c > 0 && m > 0 ? c / m
                  : k > 0 && c > 0 ? k / c
                                   : 1;
        p->is_plain = p->nn == 0 && !(c > 1e-15 * sqrt(k * m)); /* rounding of terms that cancel */
        status = nt_solver_drop(p->solver, p->dropped, p->n_dropped);
    }
    free(triples);
    if (status == NT_NO_MEMORY)
        return nt_fail(error, status, "out of memory");
    char name[300] = "";
    const nt_system *system = p->problem->system;
    if (status == NT_NOT_FINITE && system->failure)
        system->failure(system->self, name, sizeof name);
    return status == NT_OK ? NT_OK
                           : nt_fail(error, status, "the equations have no tangent here: %s%s%s",
                                     nt_status_text(status), name[0] ? ": " : "", name);
}

nt_status nt_pencil_fill_rows(nt_pencil *p, const nt_point *at, const double turn[3],
                              nt_level level)
{
    static const nt_combination along[3] = {
        {.row_mass = 1}, {.row_damping = 1}, {.row_stiffness = 1}};
    nt_matrix *to[3] = {&p->M, &p->C, &p->K};
    triple *triples = calloc(2 * (size_t)p->problem->space.n_blocks + 1, sizeof *triples);
    nt_status status = triples ? NT_OK : NT_NO_MEMORY;
    nt_problem_take_rows(p->problem, at->memory);
    for (int i = 0; i < 3 && status == NT_OK; i++)
        if (i == 0 && level != NT_ACCELERATION)
            nt_matrix_zero(to[i]);
        else
            status = evaluate(p, at, level, &along[i], to[i]);
    if (status == NT_OK)
        turn_columns(p, triples, list_triples(&p->problem->space, at, v3_load(turn), triples));
    free(triples);
    return status;
}

/* ---- solve ---------------------------------------------------------------------------------- */

nt_status nt_pencil_factor(nt_pencil *p, double s)
{
    size_t n = entries(p);
    nt_matrix_zero(&p->shifted);
    for (size_t i = 0; i < n; i++)
        p->shifted.values[i] = (s * p->M.values[i] + p->C.values[i]) * s + p->K.values[i];
    return nt_solver_factor(p->solver, &p->shifted);
}

nt_status nt_pencil_factor_still(nt_pencil *p, double s)
{
    const nt_pattern *pattern = &p->pattern;
    nt_matrix_zero(&p->shifted);
    for (int slot = 0; slot < pattern->n_slots; slot++) {
        double of_C = pattern->row[slot] >= pattern->n_primary ? s : 0;
        for (int i = pattern->offset[slot]; i < pattern->offset[slot + 1]; i++)
            p->shifted.values[i] = s * s * p->M.values[i] + of_C * p->C.values[i] + p->K.values[i];
    }
    return nt_solver_factor(p->solver, &p->shifted);
}

nt_status nt_pencil_solve(nt_pencil *p, double *b)
{
    for (int i = 0; i < p->n_dropped; i++)
        b[p->dropped[i]] = 0;
    return nt_solver_solve(p->solver, b, 1);
}

/* sizes[i] += factor sum_j |a_ij| most_j, most[n] what entries of x count as */
static void add_sizes(const nt_matrix *matrix, double factor, const double *most, double *sizes)
{
    const nt_pattern *p = matrix->pattern;
    for (int slot = 0; slot < p->n_slots; slot++) {
        int row = p->node_start[p->row[slot]], column = p->node_start[p->column[slot]];
        int rows = node_size(p, p->row[slot]), width = node_size(p, p->column[slot]);
        const double *a = nt_matrix_block(matrix, slot);
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < width; j++)
                sizes[row + i] += factor * fabs(a[i * width + j]) * most[column + j];
    }
}

double nt_pencil_residual(const nt_pencil *p, double sr, double si, const double *xr,
                          const double *xi, double *scratch)
{
    const nt_matrix *matrices[3] = {&p->K, &p->C, &p->M};
    double pr = 1, pi = 0, *ar = scratch, *ai = ar + p->n, *yr = ai + p->n, *yi = yr + p->n;
    double *sizes = yi + p->n, *most = sizes + p->n, error = 0, size = 0, largest_x = 0;
    memset(yr, 0, 3 * (size_t)p->n * sizeof *yr);
    for (int i = 0; i < p->nv; i++)
        largest_x = fmax(largest_x, hypot(xr[i], xi[i]) * nt_problem_weight(p->problem, i));
    for (int i = 0; i < p->n; i++)
        most[i] = i < p->nv ? largest_x / nt_problem_weight(p->problem, i) : hypot(xr[i], xi[i]);
    for (int k = 0; k < 3; k++) {
        nt_matrix_apply(matrices[k], xr, ar);
        nt_matrix_apply(matrices[k], xi, ai);
        add_sizes(matrices[k], hypot(pr, pi), most, sizes);
        for (int i = 0; i < p->n; i++) {
            yr[i] += pr * ar[i] - pi * ai[i];
            yi[i] += pr * ai[i] + pi * ar[i];
        }
        double next = pr * sr - pi * si;
        pi = pr * si + pi * sr;
        pr = next;
    }
    for (int i = 0; i < p->n_dropped; i++)
        yr[p->dropped[i]] = yi[p->dropped[i]] = 0;
    for (int i = 0; i < p->n; i++) {
        double weight = i < p->nv ? nt_problem_weight(p->problem, i) : 1;
        if (i == p->nv) /* rows of constraints are measured apart from those of motion */
            scratch[0] = size > 0 ? error / size : 0, error = size = 0;
        error = fmax(error, hypot(yr[i], yi[i]) / weight);
        size = fmax(size, sizes[i] / weight);
    }
    double last = size > 0 ? error / size : 0;
    return p->n > p->nv ? fmax(last, scratch[0]) : last;
}
