#include "system/problem.h"

#include "base/error.h"
#include "base/target.h"
#include "system/adapter.h"
#include "system/rigid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One node for v, one for the multipliers, all four blocks. */
static nt_status plain_pattern(nt_problem *problem)
{
    int sizes[2] = {problem->nv, problem->nc};
    nt_pattern *pattern = &problem->own_pattern;
    int n_nodes = problem->nc > 0 ? 2 : 1;
    nt_status status = nt_pattern_init(pattern, n_nodes, n_nodes, sizes);
    if (status != NT_OK)
        return status;
    pattern->n_primary = 1; /* said only now: the slots come in the promised order */
    int rows[4] = {0, 0, 1, 1}, columns[4] = {0, 1, 0, 1};
    for (int i = 0; i < (problem->nc > 0 ? 4 : 1); i++)
        if (nt_pattern_add(pattern, rows[i], columns[i], NT_FULL) != i)
            return NT_NO_MEMORY;
    problem->pattern = pattern;
    return NT_OK;
}

static void fill_quantities(nt_problem *problem)
{
    const nt_system *system = problem->system;
    for (int b = 0; b < problem->space.n_blocks; b++) {
        const nt_block *block = &problem->space.blocks[b];
        for (int i = 0; i < block->nv; i++)
            problem->quantity[block->v + i] =
                block->rotation >= 0 && i >= block->nv - 3 ? NT_ANGLE : NT_LENGTH;
    }
    for (int i = 0; system->v_quantity && i < problem->nv; i++)
        problem->quantity[i] = system->v_quantity[i];
    for (int i = 0; system->row_quantity && i < problem->nc; i++)
        problem->quantity[problem->nv + i] = system->row_quantity[i];
}

static void fill_diagonal(nt_problem *problem)
{
    const nt_pattern *pattern = problem->pattern;
    for (int node = 0; node < pattern->n_primary; node++) {
        int slot = nt_pattern_find(pattern, node, node), start = pattern->node_start[node];
        int size = pattern->node_start[node + 1] - start;
        for (int i = 0; i < size; i++)
            problem->diagonal[start + i] = slot < 0 ? -1
                                           : nt_pattern_is_single(pattern, slot)
                                               ? pattern->offset[slot]
                                               : pattern->offset[slot] + i * size + i;
    }
}

nt_status nt_problem_take_matrix(nt_problem *problem, const nt_pattern *pattern, nt_matrix *matrix)
{
    *matrix = (nt_matrix){.pattern = pattern};
    size_t entries = (size_t)pattern->offset[pattern->n_slots];
    return NT_DOUBLES(&problem->arena, entries, &matrix->values) ? NT_OK : NT_NO_MEMORY;
}

void nt_problem_take_rows(nt_problem *p, const double *memory)
{
    if (!p->is_off)
        return;
    p->system->events->rows_off(p->system->self, memory, p->is_off);
    p->n_off = 0;
    for (int row = 0; row < p->nc; row++)
        if (p->is_off[row])
            p->off[p->n_off++] = row;
}

/* Rows that events switch on later. */
static nt_status rows_off_at_first(nt_problem *p)
{
    const nt_events *events = p->system->events;
    if (!events || !events->rows_off || p->nc == 0)
        return NT_OK;
    p->is_off = NT_TAKE(&p->arena, p->nc, unsigned char);
    if (!p->is_off || nt_problem_prepare_off(p) != NT_OK)
        return NT_NO_MEMORY;
    nt_problem_take_rows(p, NULL);
    return NT_OK;
}

nt_status nt_problem_create(nt_problem **out, const nt_system *system, nt_frame frame,
                            nt_error *error)
{
    *out = NULL;
    nt_problem *p = calloc(1, sizeof *p);
    if (!p)
        return nt_fail(error, NT_NO_MEMORY, "out of memory for a problem");
    p->system = system;
    p->frame = frame;
    p->space = system->space;
    p->nq = system->space.nq, p->nv = system->space.nv;
    p->nh = system->nh, p->nn = system->nn, p->nc = p->nh + p->nn, p->n = p->nv + p->nc;
    p->pattern = system->pattern;
    p->length = system->length > 0 ? system->length : 1;
    p->quantity = NT_TAKE(&p->arena, p->n, unsigned char);
    p->diagonal = NT_TAKE(&p->arena, p->nv, int);
    nt_status status = NT_NO_MEMORY;
    if (!p->quantity || !p->diagonal)
        goto done;
    if (frame == NT_SE3)
        status = nt_rigid_create(p, error);
    else
        status = p->pattern ? NT_OK : plain_pattern(p);
    if (status != NT_OK)
        goto done;
    fill_quantities(p);
    fill_diagonal(p);
    if (frame != NT_SE3)
        status = nt_adapter_create(p);
    if (status == NT_OK)
        status = rows_off_at_first(p);
done:
    if (status != NT_OK) {
        nt_problem_destroy(p);
        return status == NT_UNSUPPORTED ? status
                                        : nt_fail(error, status, "could not set up the problem: %s",
                                                  nt_status_text(status));
    }
    *out = p;
    return NT_OK;
}

void nt_problem_destroy(nt_problem *problem)
{
    if (!problem)
        return;
    nt_rigid_destroy(problem);
    nt_pattern_free(&problem->own_pattern);
    nt_arena_free(&problem->arena);
    free(problem);
}

static inline nt_status evaluate_all(const nt_problem *problem, const nt_point *at,
                                     const nt_terms *terms)
{
    if (problem->rigid)
        return nt_rigid_evaluate(problem, at, terms);
    if (problem->adapter)
        return nt_adapter_evaluate(problem, at, terms);
    return problem->system->evaluate(problem->system->self, at, terms);
}

NT_HOT nt_status nt_problem_evaluate(const nt_problem *problem, const nt_point *at,
                                     const nt_terms *terms)
{
    if (nt_problem_stops(problem))
        return NT_INTERRUPTED;
    if (problem->n_off == 0 || !terms->rows)
        return evaluate_all(problem, at, terms);
    nt_status status = evaluate_all(problem, at, terms);
    for (int i = 0; i < problem->n_off; i++)
        terms->rows[problem->off[i]] = 0;
    return status;
}

static nt_status ends(bool stops, nt_status status, nt_error *error)
{
    if (status == NT_INTERRUPTED || !stops)
        return nt_said(error, status);
    nt_error_clear(error);
    return nt_fail(error, NT_INTERRUPTED, "interrupted");
}

nt_status nt_problem_ends(const nt_problem *problem, nt_status status, nt_error *error)
{
    return ends(nt_problem_stops(problem), status, error);
}

nt_status nt_system_ends(const nt_system *system, nt_status status, nt_error *error)
{
    return ends(nt_system_stops(system), status, error);
}

nt_status nt_problem_parameter_tangent(const nt_problem *problem, const nt_point *at, int k,
                                       const nt_terms *terms)
{
    const nt_system *system = problem->system;
    if (!(system->capabilities & NT_HAS_PARAMETER_TANGENT) || !system->parameter_tangent)
        return NT_UNSUPPORTED;
    if (problem->rigid)
        return nt_rigid_parameter_tangent(problem, at, k, terms);
    if (problem->adapter)
        return nt_adapter_parameter_tangent(problem, at, k, terms);
    return system->parameter_tangent(system->self, at, k, terms);
}

nt_status nt_problem_prepare_off(nt_problem *p)
{
    if (!p->off)
        p->off = NT_TAKE(&p->arena, p->nc, int);
    return p->off ? NT_OK : NT_NO_MEMORY;
}

bool nt_problem_changes_frame(const nt_problem *p)
{
    return p->frame != p->system->frame && p->space.n_rotations > 0;
}

void nt_problem_rates(const nt_problem *p, nt_frame to, const double *q, const double *v,
                      const double *vdot, double *v_to, double *vdot_to)
{
    nt_space_change_frame(&p->space, p->frame, to, q, v, v_to);
    if (!vdot) {
        memset(vdot_to, 0, (size_t)p->nv * sizeof *vdot_to);
        return;
    }
    nt_space_change_frame(&p->space, p->frame, to, q, vdot, vdot_to);
    for (int k = 0; p->frame == NT_SE3 && to != NT_SE3 && k < p->space.n_blocks; k++) {
        const nt_block *block = &p->space.blocks[k];
        if (block->kind != NT_R3SO3)
            continue;
        m3 R = quat_matrix(quat_load(q + block->q + 3));
        v3 turning = v3_cross(v3_load(v + block->v + 3), v3_load(v + block->v));
        v3_accumulate(vdot_to + block->v, m3_apply(R, turning));
    }
}

void nt_problem_rates_from(const nt_problem *p, nt_frame from, const double *q, const double *v,
                           const double *vdot, double *v_to, double *vdot_to)
{
    nt_space_change_frame(&p->space, from, p->frame, q, v, v_to);
    nt_space_change_frame(&p->space, from, p->frame, q, vdot, vdot_to);
    for (int k = 0; p->frame == NT_SE3 && from != NT_SE3 && k < p->space.n_blocks; k++) {
        const nt_block *block = &p->space.blocks[k];
        if (block->kind != NT_R3SO3)
            continue;
        v3 turning = v3_cross(v3_load(v_to + block->v), v3_load(v_to + block->v + 3));
        v3_accumulate(vdot_to + block->v, turning);
    }
}

void nt_problem_for_blocks(const nt_problem *problem, nt_pool_part *job, void *context,
                           bool with_threads)
{
    nt_pool *const *pool = problem->system->pool;
    if (with_threads && pool && *pool)
        nt_pool_run_divided(*pool, job, context, problem->space.n_blocks);
    else
        job(context, 0, problem->space.n_blocks);
}

void nt_problem_coordinate_name(const nt_problem *problem, int i, char *text, int size)
{
    if (problem->system->coordinate_name)
        problem->system->coordinate_name(problem->system->self, i, text, size);
    else
        nt_problem_equation_name(problem, i, text, size);
}

void nt_problem_equation_name(const nt_problem *problem, int i, char *text, int size)
{
    if (problem->system->equation_name)
        problem->system->equation_name(problem->system->self, i, text, size);
    else if (i < problem->nv)
        snprintf(text, (size_t)size, "equation of motion %d", i);
    else
        snprintf(text, (size_t)size, "constraint %d", i - problem->nv);
}

void nt_problem_ill_posed(const nt_problem *problem, nt_status status, nt_error *part)
{
    const nt_system *system = problem->system;
    if (system->ill_posed && (status == NT_NOT_CONVERGED || status == NT_SINGULAR))
        system->ill_posed(system->self, part);
}
