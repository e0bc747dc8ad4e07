/* Unknowns that rest: neither inertia nor a constraint has them, so that nothing determines their
 * accelerations.
 *
 * Most are single unknowns, whose rows are zero. Of the three rows of a rotation a combination n
 * may vanish that is along no axis (a beam whose sections have no inertia about an axis of their
 * own): n . W = 0 for all blocks W of the rows. Then n n^T is put into the diagonal block, where a
 * single unknown has a one. */
#include "base/symmetric.h"
#include "base/vector3.h"
#include "system/factors.h"

#include <math.h>
#include <string.h>

/* Rounding of a combination of rows, relative to the largest number of the block. */
static const double ROUNDING = 1e-13;

/* Volume of the parallelepiped of three rows, each of length one, above which none of them is a
 * combination of the others. */
static const double INDEPENDENT = 1e-6;

/* Directions in which the rows of a node of three unknowns vanish. */
typedef struct nt_leaning {
    double n[3][3];   /* unit vectors, at right angles           */
    double largest;   /* number of its rows                      */
    unsigned char is; /* bits: which of them are such directions */
} nt_leaning;

nt_status nt_factors_let_rest(nt_factors *f)
{
    f->resting = NT_TAKE(&f->arena, f->problem->nv, unsigned char);
    return f->resting ? NT_OK : NT_NO_MEMORY;
}

void nt_factors_clear_resting(const nt_factors *f, double *x)
{
    const nt_pattern *pattern = f->problem->pattern;
    for (int i = 0; f->resting && i < f->problem->nv; i++)
        if (f->resting[i])
            x[i] = 0;
    for (int node = 0; f->resting && f->n_leaning > 0 && node < pattern->n_primary; node++) {
        double *y = x + pattern->node_start[node];
        for (int k = 0; k < 3; k++) {
            const double *n = f->leaning[node].n[k];
            if (!(f->leaning[node].is & 1 << k))
                continue;
            double along = n[0] * y[0] + n[1] * y[1] + n[2] * y[2];
            for (int i = 0; i < 3; i++)
                y[i] -= along * n[i];
        }
    }
}

/* ---- along axes ------------------------------------------------------------------------------ */

/* Marks the unknowns whose rows are zero all along, among those that are marked. */
static int mark_empty_rows(const nt_factors *f, unsigned char *marks)
{
    const nt_pattern *pattern = f->problem->pattern;
    for (int slot = 0; slot < pattern->n_slots; slot++) {
        int row = pattern->row[slot], column = pattern->column[slot];
        int i0 = pattern->node_start[row], j0 = pattern->node_start[column];
        int rows = pattern->node_start[row + 1] - i0,
            columns = pattern->node_start[column + 1] - j0;
        double nine[9];
        const double *w = nt_matrix_full_block(&f->matrix, slot, nine);
        for (int i = 0; row < pattern->n_primary && i < rows; i++)
            for (int j = 0; j < columns; j++)
                if (w[i * columns + j] != 0)
                    marks[i0 + i] = 0;
    }
    int count = 0;
    for (int i = 0; i < f->problem->nv; i++)
        count += marks[i];
    return count;
}

/* ---- along no axis --------------------------------------------------------------------------- */

/* The rows of a slot of a node with candidates, [3][columns], and its largest number; 0: it is none
 * of such a node. */
static double rows_of_slot(const nt_factors *f, int slot, double nine[9], const double **rows,
                           int *columns)
{
    const nt_pattern *pattern = f->problem->pattern;
    int row = pattern->row[slot], column = pattern->column[slot];
    double most = 0;
    if (row >= pattern->n_primary || !f->leaning[row].is)
        return 0;
    *columns = pattern->node_start[column + 1] - pattern->node_start[column];
    *rows = nt_matrix_full_block(&f->matrix, slot, nine);
    for (int i = 0; i < 3 * *columns; i++)
        most = fmax(most, fabs((*rows)[i]));
    return most;
}

/* Which directions of its node's do not vanish in the block of a slot. */
static unsigned char directions_in(const nt_factors *f, int slot, double least)
{
    double nine[9];
    const double *w;
    int columns;
    double most = rows_of_slot(f, slot, nine, &w, &columns);
    unsigned char in = 0;
    const nt_leaning *leaning = &f->leaning[f->problem->pattern->row[slot]];
    for (int k = 0; most > least && k < 3; k++)
        for (int j = 0; j < columns; j++) {
            const double *n = leaning->n[k];
            double sum = n[0] * w[j] + n[1] * w[columns + j] + n[2] * w[2 * columns + j];
            in |= (unsigned char)((fabs(sum) > ROUNDING * most) << k);
        }
    return in;
}

/* Blocks of a node whose numbers are smaller are rounding beside the others: they do not count. */
static double least_of_node(const nt_factors *f, int slot)
{
    return ROUNDING * f->leaning[f->problem->pattern->row[slot]].largest;
}

/* Whether the three rows of a node may depend on each other: not where its own block shows that
 * they do not. */
static bool is_suspect(const nt_factors *f, int node)
{
    const nt_pattern *pattern = f->problem->pattern;
    int slot = nt_pattern_find(pattern, node, node);
    if (pattern->node_start[node + 1] - pattern->node_start[node] != 3 || slot < 0)
        return false;
    double nine[9];
    const double *w = nt_matrix_full_block(&f->matrix, slot, nine);
    v3 x = v3_load(w), y = v3_load(w + 3), z = v3_load(w + 6);
    double volume = fabs(v3_dot(x, v3_cross(y, z)));
    return !(volume > INDEPENDENT * v3_norm(x) * v3_norm(y) * v3_norm(z));
}

/* Marks the nodes to look at; most systems have none, and need no memory for it. False: there are
 * none, or no memory for them. */
static bool mark_suspects(nt_factors *f)
{
    int n = f->problem->pattern->n_primary, first = 0;
    while (first < n && !is_suspect(f, first))
        first++;
    if (first == n)
        return false;
    if (!f->leaning)
        f->leaning = NT_TAKE(&f->arena, n, nt_leaning);
    f->lacks_memory = !f->leaning;
    if (!f->leaning)
        return false;
    memset(f->leaning, 0, (size_t)n * sizeof *f->leaning);
    for (int node = first; node < n; node++)
        f->leaning[node].is = is_suspect(f, node) ? 7 : 0;
    return true;
}

/* Candidates: where the sum of W W^T over the blocks, each in units of its own, has no extent. */
static void find_candidates(nt_factors *f)
{
    const nt_pattern *pattern = f->problem->pattern;
    double nine[9];
    const double *w;
    int columns;
    for (int slot = 0; slot < pattern->n_slots; slot++) {
        double most = rows_of_slot(f, slot, nine, &w, &columns);
        if (most > 0)
            f->leaning[pattern->row[slot]].largest =
                fmax(f->leaning[pattern->row[slot]].largest, most);
    }
    for (int slot = 0; slot < pattern->n_slots; slot++) {
        double most = rows_of_slot(f, slot, nine, &w, &columns);
        if (most <= 0 || most <= least_of_node(f, slot))
            continue;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                for (int k = 0; k < columns; k++)
                    f->leaning[pattern->row[slot]].n[i][j] +=
                        w[i * columns + k] / most * (w[j * columns + k] / most);
    }
    for (int node = 0; node < pattern->n_primary; node++) {
        double squares[3][3];
        memcpy(squares, f->leaning[node].n, sizeof squares);
        nt_symmetric_eigen(squares, f->leaning[node].n);
        if (f->leaning[node].largest <= 0)
            f->leaning[node].is = 0;
    }
}

/* Directions along which the rows of the matrix at hand vanish, but no single row does. The number
 * of nodes that have some. */
static int find_leaning(nt_factors *f)
{
    const nt_pattern *pattern = f->problem->pattern;
    f->n_leaning = 0;
    if (!mark_suspects(f))
        return 0;
    find_candidates(f);
    for (int slot = 0; slot < pattern->n_slots; slot++)
        if (pattern->row[slot] < pattern->n_primary)
            f->leaning[pattern->row[slot]].is &=
                (unsigned char)~directions_in(f, slot, least_of_node(f, slot));
    for (int node = 0; node < pattern->n_primary; node++) {
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 3; i++) /* a row of its own, which is zero */
                if (fabs(f->leaning[node].n[k][i]) >= 1)
                    f->leaning[node].is &= (unsigned char)~(1 << k);
        f->n_leaning += f->leaning[node].is != 0;
    }
    return f->n_leaning;
}

int nt_factors_find_undetermined(nt_factors *f)
{
    const nt_pattern *pattern = f->problem->pattern;
    if (find_leaning(f) == 0)
        return -1;
    for (int node = 0; node < pattern->n_primary; node++)
        for (int k = 0; k < 3; k++) {
            const double *n = f->leaning[node].n[k];
            if (!(f->leaning[node].is & 1 << k))
                continue;
            int most = fabs(n[1]) > fabs(n[0]) ? 1 : 0;
            return pattern->node_start[node] + (fabs(n[2]) > fabs(n[most]) ? 2 : most);
        }
    return -1;
}

/* ---- both ------------------------------------------------------------------------------------ */

/* Those that no force has either do not rest: the matrix of stiffness and damping is at hand,
 * without gyroscopic terms, which what has no inertia cannot follow. */
static void leave_out_free(nt_factors *f)
{
    const nt_pattern *pattern = f->problem->pattern;
    unsigned char *without = f->mark;
    memset(without, 1, (size_t)f->problem->nv);
    mark_empty_rows(f, without);
    for (int i = 0; i < f->problem->nv; i++)
        f->resting[i] = f->resting[i] && !without[i];
    if (f->n_leaning == 0)
        return;
    unsigned char *in = f->mark;
    memset(in, 0, (size_t)pattern->n_primary);
    for (int slot = 0; slot < pattern->n_slots; slot++)
        if (pattern->row[slot] < pattern->n_primary)
            in[pattern->row[slot]] |= directions_in(f, slot, 0);
    for (int node = 0; node < pattern->n_primary; node++)
        f->leaning[node].is &= in[node];
}

/* How far each is from its balance, by its own stiffness, which is at hand. residual[nv]. */
static void find_unbalanced(nt_factors *f, const double *residual)
{
    const nt_pattern *pattern = f->problem->pattern;
    f->unbalanced.by = 0;
    for (int node = 0; node < pattern->n_primary; node++) {
        int i0 = pattern->node_start[node], size = pattern->node_start[node + 1] - i0;
        int slot = nt_pattern_find(pattern, node, node);
        double nine[9];
        const double *w = slot < 0 ? NULL : nt_matrix_full_block(&f->matrix, slot, nine);
        for (int i = 0; w && i < size; i++) {
            double own = fabs(w[i * (size + 1)]);
            double by = own > 0 ? fabs(residual[i0 + i]) / own : 0;
            if (!f->resting[i0 + i] || !(by > f->unbalanced.by))
                continue;
            f->unbalanced.by = by;
            f->unbalanced.force = fabs(residual[i0 + i]);
            f->unbalanced.unknown = i0 + i;
        }
    }
}

static void put_ones(nt_factors *f)
{
    const nt_pattern *pattern = f->problem->pattern;
    for (int node = 0; node < pattern->n_primary; node++) {
        int i0 = pattern->node_start[node], size = pattern->node_start[node + 1] - i0;
        int slot = nt_pattern_find(pattern, node, node);
        double *w = slot < 0 ? NULL : nt_matrix_block(&f->matrix, slot);
        bool single = w && nt_pattern_is_single(pattern, slot);
        for (int i = 0; w && i < size; i++)
            if (f->resting[i0 + i] && !(single && i > 0))
                w[single ? 0 : i * (size + 1)] = 1;
        for (int k = 0; w && !single && f->n_leaning > 0 && k < 3; k++)
            for (int i = 0; i < 9 && f->leaning[node].is & 1 << k; i++)
                w[i] += f->leaning[node].n[k][i / 3] * f->leaning[node].n[k][i % 3];
    }
}

nt_status nt_factors_rest(nt_factors *f, const nt_point *at, const nt_terms *motion)
{
    const nt_problem *p = f->problem;
    static const nt_combination rest = {.damping = 1, .stiffness = 1};
    memset(f->resting, 1, (size_t)p->nv);
    f->unbalanced.by = 0;
    int found = mark_empty_rows(f, f->resting);
    if (find_leaning(f) + found == 0)
        return f->lacks_memory ? NT_NO_MEMORY : NT_OK;
    nt_terms terms = {.parts = NT_ALL_PARTS & ~NT_INERTIA,
                      .level = NT_ACCELERATION,
                      .rows = f->work + p->nv,
                      .matrix = &f->matrix,
                      .combination = &rest};
    nt_matrix_zero(&f->matrix);
    nt_status status = nt_problem_evaluate(p, at, &terms);
    leave_out_free(f);
    if (motion->residual)
        find_unbalanced(f, motion->residual);
    terms = *motion;
    terms.residual = NULL;
    nt_matrix_zero(&f->matrix);
    if (status == NT_OK)
        status = nt_problem_evaluate(p, at, &terms);
    put_ones(f);
    return status;
}
