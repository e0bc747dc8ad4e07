/* Factors that turn with the bodies; see turning.h. */
#include "system/turning.h"

#include "base/target.h"
#include "linalg/lanes.h"
#include "linalg/solver.h"
#include "system/turning_chain.h"

#include <math.h>
#include <string.h>

/* Constraint rows of one node that are turned together, at most. */
enum { MOST_ROWS = 12 };

struct nt_turning {
    double *q;     /* [nq] where the factors were made                      */
    m3 *Q;         /* [n_blocks] rotations since then                       */
    int *block;    /* [n_nodes] block of the space that a node turns with, -1: it does not */
    bool *chained; /* [n_blocks] in a chain, of which a node's rotation is only a part */
    int *alone;    /* [n_alone] nodes that turn and are in none              */
    int n_alone;
    nt_chains *chains;
    int *group;      /* [n_groups + 1] where the slots of each node with rows begin */
    int *slot;       /* [group[n_groups]] blocks of rows, one node after the other */
    int *place;      /* [n_groups] where its D begins                         */
    double *inverse; /* D^-T, row by row                                      */
    double *square;  /* G0 G0^T of each node with rows, at the same places    */
    bool has_squares;
    int n_groups;
    nt_matrix now; /* constraint Jacobians at the point */
    bool alike;    /* nothing has turned yet            */
    bool found;    /* Q and D are those of this step    */
};

static int rows_of(const nt_pattern *p, int node)
{
    return p->node_start[node + 1] - p->node_start[node];
}

/* Whether the unknowns of a node of a block are turned: translations in ground axes, and rotations
 * where these are in ground axes too. */
static bool turns(const nt_problem *p, int node, int block)
{
    const nt_block *of = &p->space.blocks[block];
    bool is_rotation = of->rotation >= 0 && p->pattern->node_start[node] == of->v + of->nv - 3;
    return p->frame != NT_SE3 && of->kind != NT_FIRST && rows_of(p->pattern, node) == 3 &&
           (p->frame == NT_INERTIAL || !is_rotation);
}

/* Blocks of rows of multipliers with coordinates, sorted by node. */
static nt_status list_groups(nt_turning *t, nt_factors *f)
{
    const nt_pattern *p = f->problem->pattern;
    int n = p->n_nodes - p->n_primary, count = 0, entries = 0;
    t->n_groups = n;
    t->group = NT_TAKE(&f->arena, n + 1, int);
    t->slot = NT_TAKE(&f->arena, p->n_slots, int);
    t->place = NT_TAKE(&f->arena, n, int);
    if (!t->group || !t->slot || !t->place)
        return NT_NO_MEMORY;
    for (int s = 0; s < p->n_slots; s++)
        if (p->row[s] >= p->n_primary && p->column[s] < p->n_primary)
            t->group[p->row[s] - p->n_primary + 1]++;
    for (int g = 0; g < n; g++)
        t->group[g + 1] += t->group[g];
    for (int s = 0; s < p->n_slots; s++)
        if (p->row[s] >= p->n_primary && p->column[s] < p->n_primary)
            t->slot[t->group[p->row[s] - p->n_primary]++] = s, count++;
    for (int g = n; g > 0; g--)
        t->group[g] = t->group[g - 1];
    t->group[0] = 0;
    for (int g = 0; g < n; g++) {
        int rows = rows_of(p, p->n_primary + g);
        t->place[g] = entries;
        entries += rows * rows;
    }
    t->inverse = NT_TAKE(&f->arena, entries, double);
    t->square = NT_TAKE(&f->arena, entries, double);
    return t->inverse && t->square ? NT_OK : NT_NO_MEMORY;
}

nt_status nt_turning_take(nt_factors *f)
{
    const nt_problem *p = f->problem;
    if (!p->system->carriers)
        return NT_OK;
    for (int node = p->pattern->n_primary; node < p->pattern->n_nodes; node++)
        if (rows_of(p->pattern, node) > MOST_ROWS)
            return NT_OK;
    nt_turning *t = NT_TAKE(&f->arena, 1, nt_turning);
    if (!t)
        return NT_NO_MEMORY;
    t->q = NT_TAKE(&f->arena, p->nq, double);
    t->Q = NT_TAKE(&f->arena, p->space.n_blocks, m3);
    t->chained = NT_TAKE(&f->arena, p->space.n_blocks, bool);
    if (!t->q || !t->Q || !t->chained || list_groups(t, f) != NT_OK ||
        nt_chains_take(&t->chains, &f->arena, p, t->chained) != NT_OK)
        return NT_NO_MEMORY;
    t->block = NT_TAKE(&f->arena, p->pattern->n_nodes, int);
    t->alone = NT_TAKE(&f->arena, p->pattern->n_nodes, int);
    int *owner = NT_TAKE(&f->arena, p->nv, int); /* the block of each entry of v */
    if (!t->block || !t->alone || !owner || nt_matrix_init(&t->now, p->pattern) != NT_OK)
        return NT_NO_MEMORY;
    for (int i = 0; i < p->nv; i++)
        owner[i] = -1;
    for (int b = 0; b < p->space.n_blocks; b++)
        for (int i = 0; i < p->space.blocks[b].nv; i++)
            owner[p->space.blocks[b].v + i] = b;
    for (int node = 0; node < p->pattern->n_nodes; node++) {
        int b = node < p->pattern->n_primary ? owner[p->pattern->node_start[node]] : -1;
        t->block[node] = b >= 0 && turns(p, node, b) ? b : -1;
        if (t->block[node] >= 0 && !t->chained[b])
            t->alone[t->n_alone++] = node;
    }
    t->alike = t->found = true;
    f->turning = t;
    return NT_OK;
}

void nt_turning_free(nt_factors *f)
{
    if (f->turning)
        nt_matrix_free(&f->turning->now);
}

void nt_turning_made(nt_factors *f, const double *q)
{
    if (!f->turning)
        return;
    if (q != f->turning->q)
        memcpy(f->turning->q, q, (size_t)f->problem->nq * sizeof *q);
    f->turning->alike = f->turning->found = true;
    f->turning->has_squares = false;
}

void nt_turning_begin(nt_factors *f)
{
    if (f->turning)
        f->turning->alike = f->turning->found = false;
}

double *nt_turning_configuration(nt_factors *f) { return f->turning ? f->turning->q : NULL; }

/* ---- rotations ------------------------------------------------------------------------------- */

/* R(q) R(q0)^T of the block that carries each; those of a chain have their own. */
static void find_rotations(const nt_problem *p, nt_turning *t, const double *q)
{
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *of = &p->space.blocks[t->chained[b] ? b : p->system->carriers[b]];
        if (b > 0 && !t->chained[b] && p->system->carriers[b] == p->system->carriers[b - 1]) {
            t->Q[b] = t->Q[b - 1];
            continue;
        }
        t->Q[b] = m3_identity();
        if (of->rotation < 0)
            continue;
        quat now = quat_load(q + of->q + of->nq - 4), then = quat_load(t->q + of->q + of->nq - 4);
        then.x = -then.x, then.y = -then.y, then.z = -then.z;
        t->Q[b] = quat_matrix(quat_unit(quat_multiply(now, then)));
    }
    nt_chains_find(t->chains, p, t->Q, t->q, q);
}

/* A block of rows, [rows][columns], times Q of its node. */
static int load_rows(const nt_problem *p, const nt_turning *t, const nt_matrix *matrix, int slot,
                     bool turned, double *out)
{
    const nt_pattern *pattern = p->pattern;
    int node = pattern->column[slot], columns = rows_of(pattern, node);
    int rows = rows_of(pattern, pattern->row[slot]);
    const double *from = nt_matrix_block(matrix, slot);
    for (int i = 0; i < rows * columns; i++)
        out[i] =
            nt_pattern_is_single(pattern, slot) ? (i % (columns + 1) == 0 ? *from : 0) : from[i];
    if (turned && t->block[node] >= 0)
        for (int i = 0; i < rows; i++)
            v3_store(out + 3 * i, m3_apply_transposed(t->Q[t->block[node]], v3_load(out + 3 * i)));
    return columns;
}

/* A row of [A, B]; the columns of both are padded to whole vectors. */
enum { ROW_LANES = MOST_ROWS / 4 };
typedef struct row_pair {
    lanes a[ROW_LANES], b[ROW_LANES];
} row_pair;

static double entry_of(const lanes *row, int i) { return ((const double *)row)[i]; }

/* row -= l other, in A and B or in B alone */
static inline void subtract_row(int m, double l, const row_pair *other, bool both, row_pair *row)
{
    for (int v = 0; v < m; v++) {
        if (both)
            row->a[v] -= l * other->a[v];
        row->b[v] -= l * other->b[v];
    }
}

/* n rows [A, B], both square: B := A^-1 B by elimination with pivots of columns; false where A has
 * no inverse. */
NT_WIDE static bool solve_rows(int n, row_pair *row)
{
    int m = (n + 3) / 4;
    double inverse[MOST_ROWS];
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(entry_of(row[i].a, k)) > fabs(entry_of(row[best].a, k)))
                best = i;
        double pivot = entry_of(row[best].a, k);
        if (!(fabs(pivot) > 0))
            return false;
        if (best != k) {
            row_pair x = row[k];
            row[k] = row[best], row[best] = x;
        }
        inverse[k] = 1 / pivot;
        for (int i = k + 1; i < n; i++)
            subtract_row(m, entry_of(row[i].a, k) * inverse[k], &row[k], true, &row[i]);
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int i = k + 1; i < n; i++)
            subtract_row(m, entry_of(row[k].a, i), &row[i], false, &row[k]);
        for (int v = 0; v < m; v++)
            row[k].b[v] *= inverse[k];
    }
    return true;
}

static bool has_dropped(const nt_factors *f, int node)
{
    const int *start = f->problem->pattern->node_start + node;
    for (int i = 0; i < f->n_dropped; i++)
        if (f->dropped[i] >= start[0] && f->dropped[i] < start[1])
            return true;
    return false;
}

/* sum_j += (a_i . b_j) for all i of the rows a, b [n][columns]: (a b^T)^T. Entries behind the n-th
 * are of no use. */
NT_WIDE static void add_products(int n, int columns, const double *a, const double *b,
                                 row_pair *sum)
{
    int m = (n + 3) / 4;
    double column[3][MOST_ROWS] = {{0}};
    for (int i = 0; i < n; i++)
        for (int c = 0; c < columns; c++)
            column[c][i] = a[i * columns + c];
    for (int j = 0; j < n; j++, b += columns)
        for (int c = 0; c < columns; c++)
            for (int v = 0; v < m; v++)
                sum[j].a[v] += b[c] * *(const lanes_anywhere *)(column[c] + 4 * v);
}

/* G0 G0^T, as long as the factors are the same. */
static void find_squares(const nt_factors *f, nt_turning *t)
{
    const nt_problem *p = f->problem;
    double then[3 * MOST_ROWS];
    for (int g = 0; g < t->n_groups; g++) {
        int n = rows_of(p->pattern, p->pattern->n_primary + g);
        row_pair square[MOST_ROWS] = {{{{0}}, {{0}}}};
        for (int k = t->group[g]; k < t->group[g + 1]; k++)
            if (rows_of(p->pattern, p->pattern->column[t->slot[k]]) <= 3) {
                int columns = load_rows(p, t, &f->matrix, t->slot[k], false, then);
                add_products(n, columns, then, then, square);
            }
        for (int i = 0; i < n * n; i++)
            t->square[t->place[g] + i] = entry_of(square[i / n].a, i % n);
    }
    t->has_squares = true;
}

/* D^-1 = (G0 G0^T) (G Q G0^T)^-1, the sums over the blocks of the rows, as its transpose:
 * (G Q G0^T)^T D^-T = G0 G0^T. */
static bool find_rows(const nt_factors *f, nt_turning *t, int g)
{
    const nt_problem *p = f->problem;
    int n = rows_of(p->pattern, p->pattern->n_primary + g);
    double then[3 * MOST_ROWS], now[3 * MOST_ROWS];
    row_pair rows[MOST_ROWS];
    const double *square = t->square + t->place[g];
    if (has_dropped(f, p->pattern->n_primary + g))
        return false;
    memset(rows, 0, (size_t)n * sizeof *rows);
    for (int i = 0; i < n; i++, square += n)
        memcpy(rows[i].b, square, (size_t)n * sizeof *square);
    for (int k = t->group[g]; k < t->group[g + 1]; k++) {
        if (rows_of(p->pattern, p->pattern->column[t->slot[k]]) > 3)
            return false;
        int columns = load_rows(p, t, &f->matrix, t->slot[k], false, then);
        load_rows(p, t, &t->now, t->slot[k], true, now);
        add_products(n, columns, now, then, rows);
    }
    if (!solve_rows(n, rows))
        return false;
    for (int i = 0; i < n; i++)
        memcpy(t->inverse + t->place[g] + i * n, rows[i].b, (size_t)n * sizeof(double));
    return true;
}

/* Nothing else of the matrix is written or read. */
static void zero_rows(const nt_pattern *pattern, nt_turning *t)
{
    for (int k = 0; k < t->group[t->n_groups]; k++) {
        int slot = t->slot[k], end = pattern->offset[slot + 1];
        for (int i = pattern->offset[slot]; i < end; i++)
            t->now.values[i] = 0;
    }
}

static nt_status find_turns(nt_factors *f, const nt_point *at, const nt_combination *combination)
{
    nt_turning *t = f->turning;
    nt_combination c = *combination;
    c.mass = c.damping = c.stiffness = c.multiplier = 0;
    nt_terms terms = {.level = NT_POSITION, .matrix = &t->now, .combination = &c};
    find_rotations(f->problem, t, at->q);
    zero_rows(f->problem->pattern, t);
    nt_status status = nt_problem_evaluate(f->problem, at, &terms);
    if (status == NT_OK && !t->has_squares)
        find_squares(f, t);
    for (int g = 0; status == NT_OK && g < t->n_groups; g++) {
        int n = rows_of(f->problem->pattern, f->problem->pattern->n_primary + g);
        if (find_rows(f, t, g))
            continue;
        double *D = t->inverse + t->place[g];
        for (int i = 0; i < n * n; i++)
            D[i] = i % (n + 1) == 0;
    }
    t->found = true;
    return status;
}

/* ---- solving --------------------------------------------------------------------------------- */

/* z := T^-1 z, or after the solve z := T^-T z */
static void turn(const nt_problem *p, const nt_turning *t, bool after, double *z)
{
    const nt_pattern *pattern = p->pattern;
    for (int i = 0; i < t->n_alone; i++) {
        double *x = z + pattern->node_start[t->alone[i]];
        const m3 *Q = &t->Q[t->block[t->alone[i]]];
        v3_store(x, after ? m3_apply(*Q, v3_load(x)) : m3_apply_transposed(*Q, v3_load(x)));
    }
    nt_chains_turn(t->chains, after, z);
    for (int g = 0; g < t->n_groups; g++) {
        int node = pattern->n_primary + g, n = rows_of(pattern, node);
        double *x = z + pattern->node_start[node], y[MOST_ROWS] = {0};
        const double *D = t->inverse + t->place[g];
        for (int i = 0; i < n; i++, D += n)
            for (int j = 0; j < n; j++) {
                if (after)
                    y[i] += D[j] * x[j];
                else
                    y[j] += D[j] * x[i];
            }
        memcpy(x, y, (size_t)n * sizeof *y);
    }
}

nt_status nt_turning_solve(nt_factors *f, const nt_point *at, const nt_combination *combination,
                           double *z)
{
    nt_turning *t = f->turning;
    if (!t || t->alike)
        return nt_solver_solve_kept(f->solver, z);
    nt_status status = t->found ? NT_OK : find_turns(f, at, combination);
    if (status != NT_OK)
        return status;
    turn(f->problem, t, false, z);
    status = nt_solver_solve_kept(f->solver, z);
    turn(f->problem, t, true, z);
    return status;
}
