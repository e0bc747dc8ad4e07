#include "system/factors.h"

#include "base/error.h"
#include "linalg/solver.h"
#include "system/turning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

nt_status nt_factors_create_matrix(nt_factors **out, const nt_problem *problem,
                                   nt_solver_kind solver, nt_error *error)
{
    nt_factors *f = *out = calloc(1, sizeof *f);
    if (!f)
        return nt_fail(error, NT_NO_MEMORY, "out of memory for a matrix and its factors");
    f->problem = problem;
    f->kind = solver;
    f->dropped = NT_TAKE(&f->arena, problem->nc, int);
    f->fixed = NT_TAKE(&f->arena, problem->n, int);
    f->mark = NT_TAKE(&f->arena, problem->n, unsigned char);
    int work = problem->n > 2 * problem->nv ? problem->n : 2 * problem->nv;
    f->work = NT_TAKE(&f->arena, work, double);
    nt_status status = NT_NO_MEMORY;
    if (f->dropped && f->fixed && f->mark && f->work)
        status = nt_matrix_init(&f->matrix, problem->pattern);
    if (status == NT_OK)
        return NT_OK;
    nt_factors_destroy(f);
    *out = NULL;
    return nt_fail(error, status, "could not set up a matrix and its factors: %s",
                   nt_status_text(status));
}

nt_status nt_factors_take_solver(nt_factors *f, nt_error *error)
{
    if (f->solver)
        return NT_OK;
    nt_status status = nt_solver_create(&f->solver, f->problem->pattern, f->kind, error);
    if (status == NT_OK)
        nt_solver_use_pool(f->solver, f->problem->system->pool);
    return status;
}

nt_status nt_factors_create(nt_factors **out, const nt_problem *problem, nt_solver_kind solver,
                            nt_error *error)
{
    nt_status status = nt_factors_create_matrix(out, problem, solver, error);
    if (status == NT_OK)
        status = nt_factors_take_solver(*out, error);
    if (status == NT_OK)
        return NT_OK;
    nt_factors_destroy(*out);
    *out = NULL;
    return nt_fail(error, status, "could not set up a matrix and its factors: %s",
                   nt_status_text(status));
}

void nt_factors_destroy(nt_factors *f)
{
    if (!f)
        return;
    nt_turning_free(f);
    nt_solver_destroy(f->solver);
    nt_matrix_free(&f->matrix);
    nt_arena_free(&f->arena);
    free(f);
}

nt_status nt_factors_keep_made(nt_factors *f)
{
    f->made = NT_TAKE(&f->arena, f->problem->pattern->offset[f->problem->pattern->n_slots], double);
    if (!f->made)
        return NT_NO_MEMORY;
    f->made[0] = (double)NAN;
    return NT_OK;
}

nt_status nt_factors_solve(nt_factors *f, double *b, bool *made)
{
    const nt_pattern *pattern = f->problem->pattern;
    size_t bytes = (size_t)pattern->offset[pattern->n_slots] * sizeof(double);
    nt_status status = NT_OK;
    *made = isnan(f->made[0]) || memcmp(f->made, f->matrix.values, bytes) != 0;
    if (*made) {
        nt_solver_forget(f->solver);
        memcpy(f->made, f->matrix.values, bytes);
        status = nt_factors_factor(f);
        f->made[0] = status == NT_OK ? f->made[0] : (double)NAN;
    }
    return status == NT_OK ? nt_solver_solve(f->solver, b, 1) : status;
}

nt_status nt_factors_set_rows(nt_factors *f, const int *dropped, int n_dropped)
{
    if (dropped != f->dropped)
        memcpy(f->dropped, dropped, (size_t)n_dropped * sizeof *dropped);
    f->n_dropped = n_dropped;
    f->kept = false;
    if (f->made)
        f->made[0] = (double)NAN;
    return nt_solver_drop(f->solver, f->dropped, n_dropped);
}

nt_status nt_factors_take_rows(nt_factors *f, const nt_factors *from)
{
    size_t bytes = (size_t)from->n_dropped * sizeof *from->dropped;
    bool same = f->n_dropped == from->n_dropped && memcmp(f->dropped, from->dropped, bytes) == 0;
    return same ? NT_OK : nt_factors_set_rows(f, from->dropped, from->n_dropped);
}
