/* Three solvers behind one interface: a solution that fails its check goes to one that pivots. */
#include "linalg/solver.h"
#include "base/error.h"
#include "base/target.h"
#include "linalg/block/block.h"
#include "linalg/dense.h"
#include "linalg/klu.h"
#include "linalg/pattern.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A solution is accepted when no row's residual exceeds this part of its terms: six digits more
 * than a Newton step needs, six fewer than a regular system leaves. */
static const double ACCEPTED = 1e-10;

enum {
    STAY = 100,        /* factorisations that a fallback stays in use                         */
    DENSE_LIMIT = 48,  /* unknowns up to which the fallback is dense: faster than KLU there    */
    SINGLE_LIMIT = 512 /* unknowns of a single node up to which AUTO takes dense LU            */
};

struct nt_solver {
    const nt_pattern *pattern;
    nt_solver_kind kind;   /* chosen                                           */
    nt_solver_kind in_use; /* that made the present factors                    */
    int fallback;          /* the present factors are the fallback's           */
    int rest;              /* factorisations until the chosen kind is tried again */
    int fresh;             /* KLU: choose pivots anew at the next factorisation */
    int proven;            /* a solution with the present factors has passed the check */

    nt_block_lu *block, *plain; /* plain: without promises, for matrices that break them */
    nt_block_lu *present;       /* the one in use                                         */
    nt_pool *const *pool;       /* of both                                                */
    nt_klu *klu, *safe;         /* safe: scaled rows                                      */
    double *dense;
    int *pivot;

    nt_pattern full;              /* the pattern, unpacked where it is packed; for the copy */
    nt_matrix copy;               /* of the matrix, for dense and KLU: over `full` */
    double *given, *x, *r, *size; /* [n] of the check; NULL until dense or KLU are needed */
    double *bound;                /* [n] */
    size_t widest;                /* of the primary nodes                          */
    double *inverse;              /* [widest^2 + widest] scratch of find_sizes     */
    int *inverse_pivot;           /* [widest]                                      */
    unsigned char *dropped;       /* [n] */
    int *drop_list, n_dropped;
    double *one; /* [n] of several right-hand sides side by side; NULL until reserved */

    int singular_unknown;
    nt_solver_statistics statistics;
};

/* ---- life ----------------------------------------------------------------------------------- */

static int take_dense(nt_solver *s)
{
    size_t n = (size_t)s->pattern->n;
    if (!s->dense)
        s->dense = malloc((n * n + 1) * sizeof *s->dense);
    if (!s->pivot)
        s->pivot = malloc((n + 1) * sizeof *s->pivot);
    return s->dense && s->pivot;
}

/* What dense and KLU need besides their own: the copy of the matrix, vectors of the check. */
static int take_copy(nt_solver *s)
{
    size_t n = (size_t)s->pattern->n + 1;
    if (!s->given && !(s->given = malloc(4 * n * sizeof *s->given)))
        return 0;
    s->x = s->given + n;
    s->r = s->x + n;
    s->size = s->r + n;
    if (s->full.packed && nt_pattern_unpack(&s->full, s->pattern) != NT_OK) {
        s->full = *s->pattern;
        return 0;
    }
    return s->copy.values || nt_matrix_init(&s->copy, &s->full) == NT_OK;
}

static int solver_take_vectors(nt_solver *s)
{
    const nt_pattern *p = s->pattern;
    size_t n = (size_t)p->n + 1, multipliers = n - (size_t)p->node_start[p->n_primary];
    s->bound = malloc(n * sizeof *s->bound);
    s->dropped = calloc(n, 1);
    s->drop_list = malloc(multipliers * sizeof *s->drop_list);
    s->widest = 1;
    for (int i = 0; i < p->n_primary; i++) {
        size_t size = (size_t)(p->node_start[i + 1] - p->node_start[i]);
        s->widest = size > s->widest ? size : s->widest;
    }
    s->inverse = malloc((s->widest * s->widest + s->widest) * sizeof *s->inverse);
    s->inverse_pivot = malloc(s->widest * sizeof *s->inverse_pivot);
    return s->bound && s->dropped && s->drop_list && s->inverse && s->inverse_pivot;
}

nt_status nt_solver_create(nt_solver **solver, const nt_pattern *pattern, nt_solver_kind kind,
                           nt_error *error)
{
    NT_NEED(error, "solver", solver);
    *solver = NULL;
    NT_NEED(error, "pattern", pattern);
    NT_NEED_NUMBER(error, "kind", kind, NT_SOLVER_AUTO, NT_SOLVER_KLU);
    int ok;
    nt_solver *s = *solver = calloc(1, sizeof *s);
    if (!s)
        return nt_fail(error, NT_NO_MEMORY, "no memory for the linear solver");
    s->pattern = pattern;
    s->full = *pattern;
    s->singular_unknown = -1;
    /* Measured on one to four bodies of 3 + 3 + 3 unknowns: the block solver takes a third of the
     * time of dense LU at 9 unknowns and an eighth at 18, check included. */
    if (kind == NT_SOLVER_AUTO)
        kind =
            pattern->n_nodes == 1 && pattern->n <= SINGLE_LIMIT ? NT_SOLVER_DENSE : NT_SOLVER_BLOCK;
    s->kind = s->in_use = kind;
    ok = solver_take_vectors(s);
    if (kind == NT_SOLVER_DENSE)
        ok = ok && take_dense(s) && take_copy(s);
    else if (kind == NT_SOLVER_KLU)
        ok = ok && take_copy(s) && (s->klu = nt_klu_create(&s->full, 0));
    else
        ok = ok && (s->block = nt_block_create(pattern, 1));
    if (!ok) {
        nt_solver_destroy(s);
        *solver = NULL;
        return nt_fail(error, NT_NO_MEMORY, "no memory for a linear solver of %d unknowns",
                       pattern->n);
    }
    s->present = s->block;
    if (s->block) {
        s->statistics.flops = s->block->flops;
        s->statistics.blocks = s->block->blocks;
    } else if (kind == NT_SOLVER_DENSE) {
        double n = pattern->n;
        s->statistics.flops = 2 * n * n * n / 3;
        s->statistics.blocks = 1;
    }
    return NT_OK;
}

void nt_solver_destroy(nt_solver *solver)
{
    if (!solver)
        return;
    nt_block_destroy(solver->block);
    nt_block_destroy(solver->plain);
    nt_klu_destroy(solver->klu);
    nt_klu_destroy(solver->safe);
    nt_matrix_free(&solver->copy);
    if (solver->full.packed != solver->pattern->packed)
        nt_pattern_free_view(&solver->full);
    free(solver->dense);
    free(solver->pivot);
    free(solver->given);
    free(solver->bound);
    free(solver->dropped);
    free(solver->drop_list);
    free(solver->inverse);
    free(solver->inverse_pivot);
    free(solver->one);
    free(solver);
}

/* ---- factorisation -------------------------------------------------------------------------- */

static size_t solver_entries(const nt_solver *s)
{
    return (size_t)s->pattern->offset[s->pattern->n_slots];
}

static int copy_is_finite(const nt_solver *s)
{
    return nt_all_finite(s->copy.values, (size_t)s->full.offset[s->full.n_slots]);
}

static nt_status factor_dense(nt_solver *s)
{
    s->in_use = NT_SOLVER_DENSE;
    nt_matrix_dense(&s->copy, s->dense);
    s->singular_unknown = nt_dense_factor(s->pattern->n, s->dense, s->pivot);
    return s->singular_unknown < 0 ? NT_OK : NT_SINGULAR;
}

static nt_status factor_klu(nt_solver *s, nt_klu *klu, int fresh)
{
    s->in_use = NT_SOLVER_KLU;
    nt_status status = nt_klu_factor(klu, s->copy.values, fresh);
    s->singular_unknown = status == NT_SINGULAR ? nt_klu_singular_unknown(klu) : -1;
    return status;
}

/* Factorise s->copy with pivoting. */
static nt_status factor_fallback(nt_solver *s)
{
    s->fallback = 1;
    if (s->pattern->n <= DENSE_LIMIT)
        return take_dense(s) ? factor_dense(s) : NT_NO_MEMORY;
    if (!s->safe && !(s->safe = nt_klu_create(&s->full, 1)))
        return NT_NO_MEMORY;
    return factor_klu(s, s->safe, 1);
}

/* The chosen solver has failed on the matrix in s->copy. */
static nt_status fall_back(nt_solver *s)
{
    if (!copy_is_finite(s))
        return NT_NOT_FINITE;
    s->statistics.fallbacks++;
    s->rest = STAY;
    return factor_fallback(s);
}

/* nt_matrix_drop on the copy, which is not packed */
static void drop_in_copy(nt_solver *s)
{
    (void)nt_matrix_drop(&s->copy, s->drop_list, s->n_dropped);
}

static nt_status copy_matrix(nt_solver *s, const nt_matrix *matrix)
{
    if (!take_copy(s))
        return NT_NO_MEMORY;
    const nt_pattern *p = s->pattern;
    if (p->packed)
        for (int slot = 0; slot < p->n_slots; slot++) {
            double nine[9], *to = nt_matrix_block(&s->copy, slot);
            size_t bytes = (size_t)(s->full.offset[slot + 1] - s->full.offset[slot]) * sizeof *to;
            memcpy(to, nt_matrix_full_block(matrix, slot, nine), bytes);
        }
    else
        memcpy(s->copy.values, matrix->values, solver_entries(s) * sizeof *matrix->values);
    drop_in_copy(s);
    return NT_OK;
}

/* Blocks with the promises of the pattern, or without; NULL: no memory. */
static nt_block_lu *make_block(const nt_solver *s, int promises)
{
    nt_block_lu *block = nt_block_create(s->pattern, promises);
    if (!block)
        return NULL;
    block->pool = s->pool;
    nt_block_drop(block, s->drop_list, s->n_dropped);
    return block;
}

void nt_solver_use_pool(nt_solver *solver, nt_pool *const *pool)
{
    solver->pool = pool;
    if (solver->block)
        solver->block->pool = pool;
}

/* Factorises by blocks. Where b[n] is given it is solved for as well, and *error is that of
 * nt_block_solve. */
static nt_status factor_block(nt_solver *s, const nt_matrix *matrix, double *clear, double *b,
                              double *error)
{
    s->in_use = NT_SOLVER_BLOCK;
    s->present = s->block;
    if (matrix->broken) {
        if (!s->plain && !(s->plain = make_block(s, 0)))
            return NT_NO_MEMORY;
        s->present = s->plain;
    }
    if (b ? nt_block_factor_solve(s->present, matrix->values, clear, b, b, ACCEPTED,
                                  s->statistics.worst_residual, error)
          : nt_block_factor(s->present, matrix->values, clear))
        return NT_OK;
    if (!take_copy(s))
        return NT_NO_MEMORY;
    nt_block_unload(s->present, &s->copy);
    drop_in_copy(s);
    return fall_back(s);
}

/* clear: NULL, or the matrix's values, to be left zero (but where memory is out). b: NULL, or a
 * right-hand side that the block solver may solve for at once, see factor_block. */
NT_HOT static nt_status solver_factor(nt_solver *solver, const nt_matrix *matrix, double *clear,
                                      double *b, double *error)
{
    solver->statistics.factorisations++;
    solver->singular_unknown = -1;
    solver->proven = 0;
    if (solver->rest > 0)
        solver->rest--;
    else
        solver->fallback = 0;
    if (solver->kind == NT_SOLVER_BLOCK && !solver->fallback)
        return factor_block(solver, matrix, clear, b, error);
    nt_status status = copy_matrix(solver, matrix);
    if (status != NT_OK)
        return status;
    if (clear)
        memset(clear, 0, solver_entries(solver) * sizeof *clear);
    if (solver->fallback)
        status = factor_fallback(solver);
    else if (solver->kind == NT_SOLVER_DENSE)
        status = factor_dense(solver);
    else {
        status = factor_klu(solver, solver->klu, solver->fresh);
        solver->fresh = 0;
        if (status == NT_SINGULAR)
            return fall_back(solver);
    }
    if (status == NT_SINGULAR && !copy_is_finite(solver))
        status = NT_NOT_FINITE;
    if (solver->kind == NT_SOLVER_KLU && status == NT_OK && solver->statistics.flops <= 0)
        solver->statistics.flops = nt_klu_flops(solver->klu);
    return status;
}

nt_status nt_solver_factor(nt_solver *solver, const nt_matrix *matrix)
{
    NT_NEED(NULL, "solver matrix", solver, matrix);
    return solver_factor(solver, matrix, NULL, NULL, NULL);
}

static nt_status factor_clear(nt_solver *solver, nt_matrix *matrix, double *b, double *error)
{
    nt_status status = solver_factor(solver, matrix, matrix->values, b, error);
    if (status == NT_NO_MEMORY)
        nt_matrix_zero(matrix);
    matrix->broken = 0;
    matrix->cleared = 1;
    return status;
}

nt_status nt_solver_factor_clear(nt_solver *solver, nt_matrix *matrix)
{
    NT_NEED(NULL, "solver matrix", solver, matrix);
    return factor_clear(solver, matrix, NULL, NULL);
}

/* ---- solving with dense or KLU -------------------------------------------------------------- */

static int row_is_met(const nt_solver *s, int i) { return fabs(s->r[i]) <= ACCEPTED * s->size[i]; }

/* bound[i]: row i of |A| times the largest velocity and the largest multiplier, of rows that are
 * not met. */
static void find_bounds(nt_solver *s, const double *x, int transposed)
{
    const nt_pattern *p = &s->full;
    int first = p->node_start[p->n_primary];
    double largest[2] = {0, 0};
    for (int i = 0; i < p->n; i++) {
        s->bound[i] = 0;
        largest[i >= first] = fmax(largest[i >= first], fabs(x[i]));
    }
    /* where forces cancel, velocities are rounding of |force|/|diagonal| and not of themselves; a
     * force on what has no diagonal, as one along the stroke of a crank at its dead centre, moves
     * by what it leaves elsewhere */
    double force = 0, stiffest = 0;
    for (int node = 0; node < p->n_primary; node++) {
        int slot = nt_pattern_find(p, node, node), row = p->node_start[node];
        int m = p->node_start[node + 1] - row;
        for (int i = 0; slot >= 0 && i < m; i++) {
            double diagonal = fabs(s->copy.values[p->offset[slot] + i * m + i]);
            stiffest = fmax(stiffest, diagonal);
            force = fmax(force, s->size[row + i]);
            if (diagonal > 0)
                largest[0] = fmax(largest[0], s->size[row + i] / diagonal);
        }
    }
    if (stiffest > 0)
        largest[0] = fmax(largest[0], force / stiffest);
    for (int slot = 0; slot < p->n_slots; slot++) {
        int row = p->node_start[p->row[slot]], column = p->node_start[p->column[slot]];
        int m = p->node_start[p->row[slot] + 1] - row;
        int n = p->node_start[p->column[slot] + 1] - column;
        double most = largest[(transposed ? row : column) >= first];
        const double *a = s->copy.values + p->offset[slot];
        int met = 1, from = transposed ? column : row;
        for (int i = 0; i < (transposed ? n : m); i++)
            met &= row_is_met(s, from + i);
        for (int i = 0; i < m && !met; i++)
            for (int j = 0; j < n; j++, a++)
                s->bound[transposed ? column + j : row + i] += fabs(*a) * most;
    }
}

/* r = given - A x (or A^T x) and the row-wise backward error; rows whose residual is rounding of
 * the whole count as exact, see nt_block_look: bounds are needed only where there may be some. */
static double solver_check(nt_solver *s, const double *x, int transposed)
{
    int n = s->pattern->n, accepted = 1;
    double error = 0;
    for (int i = 0; i < n; i++) {
        s->r[i] = s->given[i];
        s->size[i] = fabs(s->given[i]);
    }
    if (transposed)
        nt_matrix_subtract_transposed(&s->copy, x, s->r, s->size);
    else
        nt_matrix_subtract(&s->copy, x, s->r, s->size);
    for (int i = 0; i < n; i++) {
        if (!(fabs(s->r[i]) <= DBL_MAX))
            return (double)NAN;
        accepted &= row_is_met(s, i);
    }
    if (!accepted)
        find_bounds(s, x, transposed);
    for (int i = 0; i < n; i++) {
        double r = fabs(s->r[i]);
        if (r > error * s->size[i] &&
            (row_is_met(s, i) || r > NT_ROUNDED * DBL_EPSILON * s->bound[i]))
            error = r / s->size[i];
    }
    return error;
}

static void substitute(nt_solver *s, double *b, int transposed)
{
    if (s->in_use == NT_SOLVER_KLU)
        nt_klu_solve(s->fallback ? s->safe : s->klu, b, transposed);
    else if (transposed)
        nt_dense_solve_transposed(s->pattern->n, s->dense, s->pivot, b);
    else
        nt_dense_solve(s->pattern->n, s->dense, s->pivot, b);
}

/* Solve for s->given into s->x; returns the backward error after at most one refinement. */
static double solve_pivoted(nt_solver *s, int transposed)
{
    size_t bytes = (size_t)s->pattern->n * sizeof *s->x;
    memcpy(s->x, s->given, bytes);
    substitute(s, s->x, transposed);
    double error = solver_check(s, s->x, transposed);
    if (error <= ACCEPTED) {
        s->proven = 1;
        return error;
    }
    s->proven = 0;
    substitute(s, s->r, transposed);
    for (int i = 0; i < s->pattern->n; i++)
        s->x[i] += s->r[i];
    return solver_check(s, s->x, transposed);
}

static nt_status solve_checked(nt_solver *s, double *b, int transposed)
{
    size_t n = (size_t)s->pattern->n;
    if (nt_vanishes(b, n)) {
        memset(b, 0, n * sizeof *b);
        return NT_OK;
    }
    if (!take_copy(s))
        return NT_NO_MEMORY;
    memcpy(s->given, b, n * sizeof *b);
    for (int i = 0; i < s->n_dropped; i++)
        s->given[s->drop_list[i]] = 0;
    double error = (double)NAN;
    if (s->in_use != NT_SOLVER_BLOCK)
        error = solve_pivoted(s, transposed);
    if (!(error <= ACCEPTED) && s->in_use == NT_SOLVER_KLU && !s->fallback &&
        nt_all_finite(s->given, n)) { /* pivots of an earlier matrix may not suit this one */
        nt_status status = factor_klu(s, s->klu, 1);
        if (status == NT_NO_MEMORY)
            return status;
        if (status == NT_OK)
            error = solve_pivoted(s, transposed);
    }
    if (!(error <= ACCEPTED)) {
        s->proven = 0;
        if (!nt_all_finite(s->given, n))
            return NT_NOT_FINITE;
        if (s->in_use == NT_SOLVER_BLOCK)
            nt_block_unload(s->present, &s->copy);
        drop_in_copy(s);
        int dense = s->in_use == NT_SOLVER_DENSE;
        nt_status status = dense ? NT_SINGULAR : fall_back(s);
        if (status != NT_OK)
            return status;
        error = solve_pivoted(s, transposed);
        if (!(error <= ACCEPTED))
            return NT_SINGULAR;
    }
    memcpy(b, s->x, n * sizeof *b);
    s->statistics.pivoted += s->fallback;
    s->statistics.worst_residual = fmax(s->statistics.worst_residual, error);
    return NT_OK;
}

nt_status nt_solver_reserve(nt_solver *s)
{
    NT_NEED(NULL, "solver", s);
    if (!s->one && !(s->one = malloc(((size_t)s->pattern->n + 1) * sizeof *s->one)))
        return NT_NO_MEMORY;
    return s->block ? nt_block_take_columns(s->block) : NT_OK;
}

/* The block solver's error for the solution in b, or for b left as it was: accept or solve anew. */
static nt_status solver_judge(nt_solver *s, double *b, double error, int transposed)
{
    if (!(error <= ACCEPTED))
        return solve_checked(s, b, transposed);
    s->statistics.worst_residual = error;
    s->proven = 1;
    return NT_OK;
}

static nt_status solve_together(nt_solver *s, double *b, int count, int transposed)
{
    for (int k = 0; k < count; k++, b += s->pattern->n) {
        int together = count - k < 4 ? count - k : 4;
        if (together > 1 && s->in_use == NT_SOLVER_BLOCK && !transposed &&
            nt_block_solve_columns(s->present, b, together, ACCEPTED,
                                   &s->statistics.worst_residual)) {
            s->statistics.solves += together;
            k += together - 1;
            b += (size_t)(together - 1) * (size_t)s->pattern->n;
            continue;
        }
        double error = (double)NAN, worst = s->statistics.worst_residual;
        s->statistics.solves++;
        if (s->in_use == NT_SOLVER_BLOCK && transposed) {
            if (nt_block_take_transposed(s->present) != NT_OK)
                return NT_NO_MEMORY;
            error = nt_block_solve_transposed(s->present, b, b, ACCEPTED, worst);
        } else if (s->in_use == NT_SOLVER_BLOCK)
            error = nt_block_solve(s->present, b, b, ACCEPTED, worst);
        nt_status status = solver_judge(s, b, error, transposed);
        if (status != NT_OK)
            return status;
    }
    return NT_OK;
}

NT_HOT nt_status nt_solver_factor_solve(nt_solver *solver, nt_matrix *matrix, double *b)
{
    NT_NEED(NULL, "solver matrix b", solver, matrix, b);
    double error = (double)NAN;
    nt_status status = factor_clear(solver, matrix, b, &error);
    if (status != NT_OK)
        return status;
    if (solver->in_use != NT_SOLVER_BLOCK)
        return solve_together(solver, b, 1, 0);
    solver->statistics.solves++;
    return solver_judge(solver, b, error, 0);
}

static void set_rounded(nt_solver *s, int units)
{
    if (s->block)
        s->block->rounded = units * DBL_EPSILON;
    if (s->plain)
        s->plain->rounded = units * DBL_EPSILON;
}

nt_status nt_solver_correct(nt_solver *solver, nt_matrix *matrix, double *b)
{
    NT_NEED(NULL, "solver", solver);
    set_rounded(solver, NT_ROUNDED_CORRECTION);
    nt_status status = nt_solver_factor_solve(solver, matrix, b);
    set_rounded(solver, NT_ROUNDED);
    return status;
}

nt_status nt_solver_solve(nt_solver *solver, double *b, int count)
{
    NT_NEED(NULL, "solver b", solver, b);
    NT_NEED_COUNT(NULL, "count", count);
    return solve_together(solver, b, count, 0);
}

nt_status nt_solver_solve_kept(nt_solver *s, double *b)
{
    if (!s->proven)
        return solve_together(s, b, 1, 0);
    s->statistics.solves++;
    for (int i = 0; i < s->n_dropped && s->in_use != NT_SOLVER_BLOCK; i++)
        b[s->drop_list[i]] = 0;
    if (s->in_use == NT_SOLVER_BLOCK)
        nt_block_solve_unchecked(s->present, b, b);
    else
        substitute(s, b, 0);
    return NT_OK;
}

nt_status nt_solver_solve_beside(nt_solver *s, double *b, int count)
{
    NT_NEED(NULL, "solver b", s, b);
    NT_NEED_COUNT(NULL, "count", count);
    if (count > 4) /* side by side */
        return NT_INVALID;
    nt_status status = NT_OK;
    if (s->in_use == NT_SOLVER_BLOCK &&
        nt_block_solve_beside(s->present, b, ACCEPTED, &s->statistics.worst_residual)) {
        s->statistics.solves += count;
        return NT_OK;
    }
    for (int k = 0; k < count && status == NT_OK; k++) {
        for (int i = 0; i < s->pattern->n; i++)
            s->one[i] = b[4 * i + k];
        status = solve_together(s, s->one, 1, 0);
        for (int i = 0; i < s->pattern->n; i++)
            b[4 * i + k] = s->one[i];
    }
    return status;
}

nt_status nt_solver_solve_transposed(nt_solver *solver, double *b, int count)
{
    NT_NEED(NULL, "solver b", solver, b);
    NT_NEED_COUNT(NULL, "count", count);
    return solve_together(solver, b, count, 1);
}

/* ---- leaving unknowns out ------------------------------------------------------------------- */

nt_status nt_solver_drop(nt_solver *solver, const int *unknowns, int count)
{
    NT_NEED(NULL, "solver", solver);
    NT_NEED_COUNT(NULL, "count", count);
    if (count > 0)
        NT_NEED(NULL, "unknowns", unknowns);
    const nt_pattern *p = solver->pattern;
    int first = p->node_start[p->n_primary];
    for (int i = 0; i < count; i++)
        if (unknowns[i] < first || unknowns[i] >= p->n)
            return NT_INVALID;
    memset(solver->dropped, 0, (size_t)p->n);
    solver->n_dropped = 0;
    for (int i = 0; i < count; i++)
        solver->dropped[unknowns[i]] = 1;
    for (int i = first; count > 0 && i < p->n; i++) /* nt_matrix_drop wants them in order */
        if (solver->dropped[i])
            solver->drop_list[solver->n_dropped++] = i;
    if (solver->block)
        nt_block_drop(solver->block, solver->drop_list, solver->n_dropped);
    if (solver->plain)
        nt_block_drop(solver->plain, solver->drop_list, solver->n_dropped);
    return NT_OK;
}

void nt_solver_forget(nt_solver *solver)
{
    if (!solver)
        return;
    solver->rest = solver->fallback = 0;
    solver->fresh = 1;
}

/* ---- saving --------------------------------------------------------------------------------- */

typedef struct memory {
    int rest, fallback, fresh, proven;
    nt_solver_statistics statistics;
} memory;

size_t nt_solver_saved_size(const nt_solver *s)
{
    return sizeof(memory) + (s->klu ? nt_klu_saved_size(s->klu) : 0);
}

void nt_solver_save(const nt_solver *s, char *bytes)
{
    memory m;
    memset(&m, 0, sizeof m); /* padding too: equal states are equal bytes */
    m.rest = s->rest, m.fallback = s->fallback, m.fresh = s->fresh;
    m.proven = s->proven;
    m.statistics = s->statistics;
    memset(bytes, 0, nt_solver_saved_size(s));
    memcpy(bytes, &m, sizeof m);
    if (s->klu)
        nt_klu_save(s->klu, bytes + sizeof m);
}

nt_status nt_solver_restore(nt_solver *s, const char *bytes, const nt_matrix *factored)
{
    memory m;
    nt_status status = NT_OK;
    memcpy(&m, bytes, sizeof m);
    if (s->klu)
        status = nt_klu_restore(s->klu, bytes + sizeof m);
    s->fallback = m.fallback;
    s->rest = m.fallback; /* one more factorisation by the fallback, where it was in use */
    s->fresh = 0;
    if (factored && status == NT_OK)
        status = nt_solver_factor(s, factored);
    s->rest = m.rest, s->fallback = m.fallback, s->fresh = m.fresh;
    s->proven = m.proven;
    s->statistics = m.statistics;
    return status;
}

/* ---- dependent rows ------------------------------------------------------------------------- */

/* What the pivots of multiplier rows are compared with: the diagonal of G W^-1 G^T, W reduced to
 * its diagonal blocks. */
static nt_status find_sizes(nt_solver *solver, const nt_matrix *matrix)
{
    const nt_pattern *p = matrix->pattern;
    double *scale = solver->bound, *w = solver->inverse;
    memset(scale, 0, (size_t)p->n * sizeof *scale);
    for (int slot = 0; slot < p->n_slots; slot++)
        if (p->row[slot] >= p->n_primary && p->column[slot] < p->n_primary &&
            !nt_dense_row_sizes(matrix, slot, w, solver->inverse_pivot,
                                w + solver->widest * solver->widest, scale))
            return NT_SINGULAR;
    return NT_OK;
}

nt_status nt_solver_factor_dependent(nt_solver *solver, const nt_matrix *matrix, double tolerance,
                                     unsigned char *dependent, int *n_dependent)
{
    NT_NEED(NULL, "solver matrix dependent n_dependent", solver, matrix, dependent, n_dependent);
    NT_NEED_NOT_NEGATIVE(NULL, "tolerance", tolerance);
    const nt_pattern *p = solver->pattern;
    nt_block_lu **place = matrix->broken ? &solver->plain : &solver->block;
    *n_dependent = 0;
    memset(dependent, 0, (size_t)p->n);
    solver->statistics.factorisations++;
    solver->singular_unknown = -1;
    solver->proven = 0;
    if (!*place && !(*place = make_block(solver, !matrix->broken)))
        return NT_NO_MEMORY;
    if (!nt_all_finite(matrix->values, solver_entries(solver)))
        return NT_NOT_FINITE;
    nt_status status = find_sizes(solver, matrix);
    if (status != NT_OK)
        return status;
    solver->present = *place;
    solver->in_use = NT_SOLVER_BLOCK;
    solver->fallback = 0;
    if (!nt_block_factor_dependent(*place, matrix->values, solver->bound, tolerance)) {
        solver->singular_unknown = (*place)->singular_unknown;
        return NT_SINGULAR;
    }
    for (int i = 0; i < p->n; i++)
        if ((*place)->left_out[i] && !solver->dropped[i]) {
            dependent[i] = 1;
            ++*n_dependent;
        }
    return NT_OK;
}

/* ---- reports -------------------------------------------------------------------------------- */

const nt_solver_statistics *nt_solver_get_statistics(const nt_solver *solver)
{
    return solver ? &solver->statistics : NULL;
}

const char *nt_solver_name(const nt_solver *solver)
{
    static const char *const names[] = {[NT_SOLVER_DENSE] = "dense", [NT_SOLVER_KLU] = "klu"};
    return !solver ? "none" : solver->in_use == NT_SOLVER_BLOCK ? "block" : names[solver->in_use];
}

int nt_solver_determinant_sign(const nt_solver *s)
{
    if (s->in_use == NT_SOLVER_KLU)
        return nt_klu_determinant_sign(s->fallback ? s->safe : s->klu);
    bool dense = s->in_use == NT_SOLVER_DENSE && s->singular_unknown < 0;
    return dense ? nt_dense_determinant_sign(s->pattern->n, s->dense, s->pivot) : 0;
}

int nt_solver_singular_unknown(const nt_solver *solver)
{
    return solver ? solver->singular_unknown : -1;
}
