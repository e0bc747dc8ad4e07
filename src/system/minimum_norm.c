/* Multipliers of least norm, by a sparse least-squares problem.
 *
 * Let W = diag(1 or 1/length) weigh the multipliers, c = W lambda those given, and H = W^-1 G. The
 * forces are G^T lambda = H^T c. Of all c - d with the same forces, H^T d = 0, the shortest is that
 * in the range of H: c - d = H z. Both together,
 *
 *   A (d, z) = [ I    H ] [ d ]   [ c ]
 *              [ H^T  0 ] [ z ] = [ 0 ],
 *
 * are the augmented system of the least-squares problem |H z - c|, sparse as G is: each joint's
 * rows are eliminated first, and bodies remain that are coupled where a joint joins them. Motions
 * that no joint hinders leave z open: coordinates whose columns of H depend on earlier ones show as
 * vanishing pivots of H^T H. Their z is zero and their equation follows from the others, whatever
 * the choice; so d is unique although z is not. The factors come from H^T H, whose condition is the
 * square of H's; iterative refinement with the residual of the augmented system gives back what
 * that costs (Bjorck 1967, BIT 7).
 *
 * Where H and c change by dH and dc along a variation that leaves the rank as it is,
 *
 *   A (dd, dz) = (dc, 0) - dA (d, z).
 */
#include "system/minimum_norm.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A column of H whose pivot in H^T H is below this part of its square depends on the others:
 * rounding leaves 1e-14 in small mechanisms and 1e-11 in nets of hundreds of loops. Where what was
 * left out turns out to have been independent, so that a force beyond the second number would be
 * lost, only pivots below the third vanish. */
static const double DEPENDENT = 1e-10, FORCE_LOST = 1e-9, SURELY_DEPENDENT = 1e-13;

enum { REFINEMENTS = 6 };

struct nt_minimum_norm {
    int nv, nc, n;
    const nt_pattern *of_problem;
    nt_pattern pattern; /* nodes of multipliers, then those of velocities            */
    int *slot, *mirror; /* [of_problem->n_slots] H and H^T of a block of G, -1: none */
    int *identity;      /* [nodes of multipliers] slots                              */
    const unsigned char *row_quantity; /* [nc] */
    nt_matrix rows;                    /* G, where the problem's evaluation puts it      */
    nt_matrix matrix, beside;          /* A at the point, and at one beside it           */
    nt_solver *solver;
    double *weight;             /* [nc] W                                            */
    double *given;              /* [nc] c, or dc                                       */
    double *solution, *rate;    /* [n] (d, z) and (dd, dz)                             */
    double *change;             /* [n] a right-hand side                               */
    double *residual, *product; /* [n]                                                 */
    int *left_out;              /* [nv] coordinates left out                           */
    unsigned char *mark;        /* [n]                                                 */
    bool factored;              /* by DEPENDENT, at `matrix` */
    nt_arena arena;
};

/* ---- life ----------------------------------------------------------------------------------- */

static int node_size(const nt_pattern *p, int node)
{
    return p->node_start[node + 1] - p->node_start[node];
}

/* Whether all rows of a multiplier node are of one kind, so that W leaves a multiple of the
 * identity one. */
static bool is_uniform(const nt_problem *problem, int node)
{
    const nt_pattern *p = problem->pattern;
    for (int i = p->node_start[node] + 1; i < p->node_start[node + 1]; i++)
        if (problem->quantity[i] != problem->quantity[i - 1])
            return false;
    return true;
}

static nt_status build_pattern(nt_minimum_norm *m, const nt_problem *problem)
{
    const nt_pattern *from = problem->pattern;
    nt_pattern *to = &m->pattern;
    int primary = from->n_primary, joints = from->n_nodes - primary;
    int *sizes = NT_TAKE(&m->arena, from->n_nodes, int);
    if (!sizes)
        return NT_NO_MEMORY;
    for (int node = 0; node < from->n_nodes; node++)
        sizes[node < primary ? joints + node : node - primary] = node_size(from, node);
    nt_status status = nt_pattern_init(to, from->n_nodes, joints, sizes);
    if (status != NT_OK)
        return status;
    if (from->packed)
        nt_pattern_pack(to);
    for (int node = 0; node < joints; node++)
        if ((m->identity[node] = nt_pattern_add(to, node, node, NT_SCALED)) < 0)
            return NT_NO_MEMORY;
    for (int s = 0; s < from->n_slots; s++) {
        int row = from->row[s] - primary, column = from->column[s];
        m->slot[s] = m->mirror[s] = -1;
        if (row < 0 || column >= primary)
            continue;
        nt_block_shape shape =
            is_uniform(problem, from->row[s]) ? (nt_block_shape)from->shape[s] : NT_FULL;
        m->slot[s] = nt_pattern_add(to, row, joints + column, shape);
        m->mirror[s] = nt_pattern_add(to, joints + column, row, shape);
        if (m->slot[s] < 0 || m->mirror[s] < 0)
            return NT_NO_MEMORY;
    }
    nt_pattern_trim(to);
    return NT_OK;
}

nt_status nt_minimum_norm_create(nt_minimum_norm **out, const nt_problem *problem)
{
    nt_minimum_norm *m = *out = calloc(1, sizeof *m);
    if (!m)
        return NT_NO_MEMORY;
    const nt_pattern *p = problem->pattern;
    nt_arena *arena = &m->arena;
    m->nv = problem->nv, m->nc = problem->nc, m->n = problem->n;
    m->of_problem = p;
    m->row_quantity = problem->quantity + problem->nv;
    m->slot = NT_TAKE(arena, p->n_slots, int);
    m->mirror = NT_TAKE(arena, p->n_slots, int);
    m->identity = NT_TAKE(arena, p->n_nodes - p->n_primary, int);
    m->left_out = NT_TAKE(arena, m->nv, int);
    m->mark = NT_TAKE(arena, m->n, unsigned char);
    nt_status status = NT_NO_MEMORY;
    if (m->slot && m->mirror && m->identity && m->left_out && m->mark &&
        NT_DOUBLES(arena, m->nc, &m->weight, &m->given) &&
        NT_DOUBLES(arena, m->n, &m->solution, &m->change, &m->rate, &m->residual, &m->product))
        status = build_pattern(m, problem);
    if (status == NT_OK)
        status = nt_matrix_init(&m->rows, p);
    if (status == NT_OK)
        status = nt_matrix_init(&m->matrix, &m->pattern);
    if (status == NT_OK)
        status = nt_matrix_init(&m->beside, &m->pattern);
    if (status == NT_OK)
        status = nt_solver_create(&m->solver, &m->pattern, NT_SOLVER_BLOCK, NULL);
    if (status != NT_OK) {
        nt_minimum_norm_destroy(m);
        *out = NULL;
    }
    return status;
}

void nt_minimum_norm_destroy(nt_minimum_norm *m)
{
    if (!m)
        return;
    nt_solver_destroy(m->solver);
    nt_matrix_free(&m->rows);
    nt_matrix_free(&m->matrix);
    nt_matrix_free(&m->beside);
    nt_pattern_free(&m->pattern);
    nt_arena_free(&m->arena);
    free(m);
}

/* ---- the matrix ----------------------------------------------------------------------------- */

/* Rows first to first + n that are on. */
static int rows_on(const nt_problem *problem, int first, int n)
{
    int on = 0;
    for (int i = first; i < first + n; i++)
        on += !nt_problem_is_off(problem, i);
    return on;
}

/* A block of H, and of H^T, from one of G[rows][width]; rows that are off have no force. Of three
 * rows that share a number either all are off or none: else NT_UNSUPPORTED. */
static nt_status minimum_norm_put_block(nt_minimum_norm *m, const nt_problem *problem,
                                        const nt_matrix *to, int s)
{
    const nt_pattern *from = m->of_problem;
    int first = from->node_start[from->row[s]] - m->nv;
    int rows = node_size(from, from->row[s]), width = node_size(from, from->column[s]);
    double *h = nt_matrix_block(to, m->slot[s]), *t = nt_matrix_block(to, m->mirror[s]);
    if (nt_pattern_is_single(to->pattern, m->slot[s])) {
        int on = rows_on(problem, first, rows);
        *h = *t = on > 0 ? *nt_matrix_block(&m->rows, s) / m->weight[first] : 0;
        return on == 0 || on == rows ? NT_OK : NT_UNSUPPORTED;
    }
    double nine[9];
    const double *g = nt_matrix_full_block(&m->rows, s, nine);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < width && rows_on(problem, first + i, 1); j++)
            h[i * width + j] = t[j * rows + i] = g[i * width + j] / m->weight[first + i];
    return NT_OK;
}

/* A at a point. */
static nt_status minimum_norm_fill(nt_minimum_norm *m, const nt_problem *problem,
                                   const nt_point *at, nt_matrix *to)
{
    nt_combination combination = {.row_damping = 1};
    nt_terms terms = {.level = NT_VELOCITY, .matrix = &m->rows, .combination = &combination};
    nt_matrix_zero(&m->rows);
    nt_status status = nt_problem_evaluate(problem, at, &terms);
    if (status != NT_OK)
        return status;
    nt_matrix_zero(to);
    for (int node = 0; node < m->pattern.n_primary; node++) {
        double *one = nt_matrix_block(to, m->identity[node]);
        int size =
            nt_pattern_is_single(&m->pattern, m->identity[node]) ? 1 : node_size(&m->pattern, node);
        for (int i = 0; i < size; i++)
            one[i * size + i] = 1;
    }
    for (int s = 0; status == NT_OK && s < m->of_problem->n_slots; s++)
        if (m->slot[s] >= 0)
            status = minimum_norm_put_block(m, problem, to, s);
    return status;
}

/* ---- the least-squares problem -------------------------------------------------------------- */

/* Factorise; coordinates whose pivot is below `dependent` are left out. */
static nt_status minimum_norm_factor(nt_minimum_norm *m, double dependent)
{
    int count = 0;
    nt_solver_forget(m->solver);
    nt_status status = nt_solver_drop(m->solver, NULL, 0);
    if (status == NT_OK)
        status = nt_solver_factor_dependent(m->solver, &m->matrix, dependent, m->mark, &count);
    if (status != NT_OK)
        return status;
    count = 0;
    for (int i = m->nc; i < m->n; i++)
        if (m->mark[i])
            m->left_out[count++] = i;
    /* should the solver resort to pivoting they are no part of that matrix either */
    return nt_solver_drop(m->solver, m->left_out, count);
}

static double minimum_norm_largest(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* Solve A x = right, x[n], right[n] overwritten: corrections from the residual until they are
 * rounding or no longer shrink. */
static nt_status solve_refined(nt_minimum_norm *m, double *right, double *x)
{
    const size_t bytes = (size_t)m->n * sizeof *x;
    double before = (double)INFINITY;
    memset(x, 0, bytes);
    memcpy(m->residual, right, bytes);
    for (int k = 0; k <= REFINEMENTS; k++) {
        for (int i = m->nc; i < m->n; i++)
            m->residual[i] = m->mark[i] ? 0 : m->residual[i];
        nt_status status = nt_solver_solve(m->solver, m->residual, 1);
        if (status != NT_OK)
            return status;
        double size = minimum_norm_largest(m->residual, m->nc);
        if (k > 0 && !(size < before / 2))
            break;
        before = size;
        for (int i = 0; i < m->n; i++)
            x[i] += m->residual[i];
        /* what is sought is the difference of right and x */
        if (k > 0 &&
            size <= 4 * DBL_EPSILON *
                        fmax(minimum_norm_largest(right, m->nc), minimum_norm_largest(x, m->nc)))
            break;
        nt_matrix_apply(&m->matrix, x, m->product);
        for (int i = 0; i < m->n; i++)
            m->residual[i] = right[i] - m->product[i];
    }
    return NT_OK;
}

/* Whether d makes no force at all, H^T d = 0, in those equations too that were left out. */
static bool keeps_forces(nt_minimum_norm *m)
{
    double *force = m->product, *size = m->residual;
    memset(size, 0, (size_t)m->n * sizeof *size);
    memcpy(size, m->solution, (size_t)m->nc * sizeof *size);
    nt_matrix_apply(&m->matrix, size, force);
    double lost = 0, most = minimum_norm_largest(m->given, m->nc);
    for (int i = m->nc; i < m->n; i++)
        lost = fmax(lost, m->mark[i] ? fabs(force[i]) : 0);
    return lost <= FORCE_LOST * most;
}

static nt_status solve_for(nt_minimum_norm *m)
{
    memset(m->change, 0, (size_t)m->n * sizeof *m->change);
    memcpy(m->change, m->given, (size_t)m->nc * sizeof *m->given);
    return solve_refined(m, m->change, m->solution);
}

nt_status nt_minimum_norm_find(nt_minimum_norm *m, const nt_problem *problem, const nt_point *at,
                               double length, double *multipliers)
{
    for (int i = 0; i < m->nc; i++) {
        m->weight[i] = m->row_quantity[i] == NT_ANGLE ? 1 / length : 1;
        m->given[i] = m->weight[i] * multipliers[i];
    }
    nt_status status = minimum_norm_fill(m, problem, at, &m->beside);
    if (status != NT_OK)
        return status;
    size_t bytes = (size_t)m->pattern.offset[m->pattern.n_slots] * sizeof(double);
    if (!m->factored || memcmp(m->matrix.values, m->beside.values, bytes) != 0) {
        memcpy(m->matrix.values, m->beside.values, bytes);
        status = minimum_norm_factor(m, DEPENDENT);
    }
    if (status == NT_OK)
        status = solve_for(m);
    m->factored = status == NT_OK && keeps_forces(m);
    if (status == NT_OK && !m->factored) {
        status = minimum_norm_factor(m, SURELY_DEPENDENT);
        if (status == NT_OK)
            status = solve_for(m);
    }
    for (int i = 0; i < m->nc && status == NT_OK; i++)
        multipliers[i] = (m->given[i] - m->solution[i]) / m->weight[i];
    return status;
}

/* ---- derivatives ---------------------------------------------------------------------------- */

void nt_minimum_norm_begin(nt_minimum_norm *m)
{
    memset(m->change, 0, (size_t)m->n * sizeof *m->change);
}

nt_status nt_minimum_norm_add(nt_minimum_norm *m, const nt_problem *problem, const nt_point *beside,
                              double weight)
{
    nt_status status = minimum_norm_fill(m, problem, beside, &m->beside);
    if (status != NT_OK)
        return status;
    nt_matrix_apply(&m->beside, m->solution, m->product);
    for (int i = 0; i < m->n; i++)
        m->change[i] -= weight * m->product[i];
    return NT_OK;
}

nt_status nt_minimum_norm_rates(nt_minimum_norm *m, double *rates)
{
    for (int i = 0; i < m->nc; i++)
        m->change[i] += m->weight[i] * rates[i];
    nt_status status = solve_refined(m, m->change, m->rate);
    for (int i = 0; i < m->nc && status == NT_OK; i++)
        rates[i] -= m->rate[i] / m->weight[i];
    return status;
}
