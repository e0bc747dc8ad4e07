#include "method/variation.h"

#include "base/vector3.h"
#include "group/rotation.h"

#include <string.h>

/* ---- one among four ------------------------------------------------------------------------- */

/* The arrays of a variation in the order of nt_variation_at. */
enum { ARRAYS = 7 };
typedef struct arrays {
    const double *at[ARRAYS];
    size_t n[ARRAYS];
} arrays;

static arrays arrays_of_group(const nt_problem *p, const nt_directions *directions,
                              const double *all, int i)
{
    nt_const_variation d = nt_const_variation_group(p, directions, all, i);
    size_t nv = (size_t)p->nv, n_memory = (size_t)p->system->n_memory;
    size_t others = 3 * nv + (size_t)p->nc + n_memory;
    return (arrays){
        .at = {d.q, d.v, d.vdot, d.lambda, d.mu, d.memory, d.method},
        .n = {nv, nv, nv, (size_t)p->nh, (size_t)p->nn, n_memory, directions->stride - others}};
}

void nt_variation_read(const nt_problem *p, const nt_directions *directions, const double *all,
                       int i, double *to)
{
    size_t stride = directions->stride, lane = (size_t)(i % 4);
    if (!directions->fours) {
        memcpy(to, all + (size_t)i * stride, stride * sizeof *to);
        return;
    }
    arrays four = arrays_of_group(p, directions, all, i / 4);
    for (int k = 0; k < ARRAYS; k++)
        for (size_t j = 0; j < four.n[k]; j++)
            *to++ = four.at[k][4 * j + lane];
}

void nt_variation_write(const nt_problem *p, const nt_directions *directions, double *all, int i,
                        const double *from)
{
    size_t stride = directions->stride, lane = (size_t)(i % 4);
    if (!directions->fours) {
        if (from != all + (size_t)i * stride)
            memcpy(all + (size_t)i * stride, from, stride * sizeof *from);
        return;
    }
    arrays four = arrays_of_group(p, directions, all, i / 4);
    for (int k = 0; k < ARRAYS; k++)
        for (size_t j = 0; j < four.n[k]; j++)
            all[(size_t)(four.at[k] - all) + 4 * j + lane] = *from++;
}

/* ---- maps ----------------------------------------------------------------------------------- */

void nt_variation_carry(const nt_problem *problem, const double *x, const double *dq0, double *out)
{
    const nt_space *space = &problem->space;
    if (out != dq0)
        memcpy(out, dq0, (size_t)space->nv * sizeof *out);
    for (int b = 0; b < space->n_blocks; b++) {
        const nt_block *block = &space->blocks[b];
        int i = block->v + block->nv - 3;
        if (block->rotation < 0)
            continue;
        v3_store(out + i, so3_carry(problem->frame, v3_load(x + i), v3_load(out + i)));
    }
}

void nt_variation_map(const nt_problem *problem, const double *A, const double *y, double *out)
{
    const nt_space *space = &problem->space;
    size_t size = nt_problem_map_size(problem);
    if (out != y)
        memcpy(out, y, (size_t)space->nv * sizeof *out);
    for (int b = 0; b < space->n_blocks; b++) {
        const nt_block *block = &space->blocks[b];
        int i = block->v + block->nv - 3;
        const double *map = A + size * (size_t)block->rotation;
        if (block->rotation >= 0 && problem->frame == NT_SE3)
            nt_motion_map(map, out + block->v);
        else if (block->rotation >= 0)
            v3_store(out + i, m3_apply(m3_load(map), v3_load(out + i)));
    }
}

/* The tangent of a combination where the push is, into the matrix of the factors. */
static nt_status evaluate_push(nt_factors *f, const nt_push *push,
                               const nt_combination *combination)
{
    nt_terms terms = {.parts = push->parts,
                      .level = push->level,
                      .matrix = &f->matrix,
                      .combination = combination,
                      .step = push->step};
    nt_factors_begin(f);
    return nt_problem_evaluate(f->problem, push->at, &terms);
}

nt_status nt_variation_push(nt_factors *f, const nt_push *push)
{
    const nt_combination of_motion = {.mass = push->mass,
                                      .damping = push->damping,
                                      .stiffness = push->stiffness,
                                      .row_mass = push->mass,
                                      .row_damping = push->damping,
                                      .row_stiffness = push->stiffness};
    nt_status status = evaluate_push(f, push, &of_motion);
    if (status == NT_OK)
        nt_matrix_apply_primary(&f->matrix, push->x, push->x_stride, push->y, push->y_stride,
                                push->count);
    return status;
}

nt_status nt_variation_push_multipliers(nt_factors *f, const nt_push *push)
{
    const nt_combination of_multipliers = {.multiplier = 1};
    nt_status status = evaluate_push(f, push, &of_multipliers);
    if (status == NT_OK)
        nt_matrix_apply_secondary(&f->matrix, push->x, push->x_stride, push->y, push->y_stride,
                                  push->count);
    return status;
}
