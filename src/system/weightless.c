/* Whether the constraints allow a motion that has no inertia, whoever moves in it.
 *
 * What nothing determines need not be one node's (resting.c): sections without inertia about an
 * axis of their own, which turns along a twisted element, leave as many motions of its nodes
 * without kinetic energy as it has more nodes than half its points of integration. Then
 *
 *   [ M  G^T ] [ x ]   [ 0 ]
 *   [ G   0  ] [ y ] = [ 0 ]     has x != 0 with M x = 0,
 *
 * and the factors of that matrix are made of its rounding: accelerations from them are 1e16 times
 * what acts, or, where nothing happens to act, look as if they were good. Inverse iteration finds
 * x. It is measured in the units that make the diagonal of M one, so that neither the units of the
 * model nor bodies that are heavy beside light ones matter:
 *
 *   b_i = m_ii x_i,   and the next x solves the equations with (b, 0) on the right.
 *
 * Rounding of M makes a motion without inertia grow by some 1e16 in each round; one that has an
 * inertia of its own, be it 1e-9 of that of its parts, grows by 1e9, and M x is no rounding. */
#include "base/chance.h"
#include "linalg/solver.h"
#include "system/factors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* M x is none where it is below this part of the sum of its terms. */
static const double ROUNDING = 1e-13;

/* What x grows by at least in a round. */
static const double GROWS = 1e10;

enum { ROUNDS = 2 };

/* y = M x and the amounts of all its terms, [nv] each. */
static void apply_inertia(const nt_factors *f, const double *x, double *y, double *amounts)
{
    const nt_pattern *pattern = f->problem->pattern;
    memset(y, 0, (size_t)f->problem->nv * sizeof *y);
    memset(amounts, 0, (size_t)f->problem->nv * sizeof *amounts);
    for (int slot = 0; slot < pattern->n_slots; slot++) {
        int row = pattern->row[slot], column = pattern->column[slot];
        if (row >= pattern->n_primary || column >= pattern->n_primary)
            continue;
        int i0 = pattern->node_start[row], j0 = pattern->node_start[column];
        int rows = pattern->node_start[row + 1] - i0,
            columns = pattern->node_start[column + 1] - j0;
        double nine[9];
        const double *m = nt_matrix_full_block(&f->matrix, slot, nine);
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < columns; j++) {
                double term = m[i * columns + j] * x[j0 + j];
                y[i0 + i] += term;
                amounts[i0 + i] += fabs(term);
            }
    }
}

/* m[nv]: the amounts on the diagonal of M. */
static void find_diagonal(const nt_factors *f, double *m)
{
    const nt_pattern *pattern = f->problem->pattern;
    memset(m, 0, (size_t)f->problem->nv * sizeof *m);
    for (int node = 0; node < pattern->n_primary; node++) {
        int i0 = pattern->node_start[node], size = pattern->node_start[node + 1] - i0;
        int slot = nt_pattern_find(pattern, node, node);
        double nine[9];
        const double *own = slot < 0 ? NULL : nt_matrix_full_block(&f->matrix, slot, nine);
        for (int i = 0; own && i < size; i++)
            m[i0 + i] = fabs(own[i * (size + 1)]);
    }
}

/* The matrix above, which stays beside its factors. Explicit forces have no part in it: they do not
 * depend on accelerations. */
static nt_status factorise(nt_factors *f, const nt_point *at)
{
    static const nt_combination accelerations = {.mass = 1, .multiplier = 1, .row_mass = 1};
    nt_terms terms = {.parts = NT_ALL_PARTS & ~(unsigned)NT_EXPLICIT,
                      .level = NT_ACCELERATION,
                      .matrix = &f->matrix,
                      .combination = &accelerations};
    nt_factors_begin(f);
    nt_status status = nt_problem_evaluate(f->problem, at, &terms);
    if (status == NT_OK && f->resting)
        status = nt_factors_rest(f, at, &terms);
    return status == NT_OK ? nt_factors_factor(f) : status;
}

/* One round: x[n] becomes the motion, of size one, that b = m x gives. What it grew by. */
static nt_status solve_round(nt_factors *f, const double *m, double *x, double *growth)
{
    const nt_problem *p = f->problem;
    double size = 0;
    for (int i = 0; i < p->nv; i++)
        x[i] *= m[i];
    memset(x + p->nv, 0, (size_t)p->nc * sizeof *x);
    nt_status status = nt_solver_solve(f->solver, x, 1);
    for (int i = 0; i < p->nv; i++)
        size = fmax(size, sqrt(m[i]) * fabs(x[i]));
    *growth = size;
    for (int i = 0; i < p->nv && size > 0; i++)
        x[i] /= size;
    return status;
}

/* The unknown with the largest part in x where M x is rounding, or -1. */
static int judge_motion(const nt_factors *f, const double *m, const double *x, double *y,
                        double *amounts)
{
    double left = 0, terms = 0, most = 0;
    int unknown = -1;
    apply_inertia(f, x, y, amounts);
    for (int i = 0; i < f->problem->nv; i++) {
        left += fabs(x[i] * y[i]);
        terms += fabs(x[i]) * amounts[i];
        if (sqrt(m[i]) * fabs(x[i]) > most) {
            most = sqrt(m[i]) * fabs(x[i]);
            unknown = i;
        }
    }
    return left <= ROUNDING * terms ? unknown : -1;
}

nt_status nt_factors_find_weightless(nt_factors *f, const nt_point *at, int *unknown)
{
    const nt_problem *p = f->problem;
    size_t nv = (size_t)p->nv;
    bool apart = (p->system->capabilities & NT_HAS_MOMENTA) && p->nc == 0;
    *unknown = -1;
    if (apart || !(p->system->capabilities & NT_HAS_TANGENT))
        return NT_OK;
    double *m = calloc(3 * nv + (size_t)p->n, sizeof *m);
    char *solver = malloc(nt_solver_saved_size(f->solver));
    if (!m || !solver) {
        free(m);
        free(solver);
        return NT_NO_MEMORY;
    }
    nt_solver_save(f->solver, solver);
    nt_status status = factorise(f, at);
    double *y = m + nv, *amounts = y + nv, *x = amounts + nv, growth = GROWS;
    unsigned seed = 1;
    find_diagonal(f, m);
    for (int i = 0; i < p->nv; i++)
        x[i] = m[i] > 0 ? nt_chance(&seed) / sqrt(m[i]) : 0;
    for (int round = 0; round < ROUNDS && status == NT_OK && growth >= GROWS; round++)
        status = solve_round(f, m, x, &growth);
    if (status == NT_OK && growth >= GROWS)
        *unknown = judge_motion(f, m, x, y, amounts);
    /* steps go on with factors of these equations, and as if they had been made but once */
    nt_status kept = nt_solver_restore(f->solver, solver, status == NT_OK ? &f->matrix : NULL);
    status = status == NT_OK ? kept : status;
    free(m);
    free(solver);
    return status == NT_SINGULAR ? NT_OK : status; /* whoever solves with it says so */
}
