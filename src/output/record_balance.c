/* Rows that break Newton's law.
 *
 * A row shows the accelerations and multipliers that the equations give at its own time, q and v.
 * Where these give none, in a singular position, or where what they give is made of rounding alone,
 * as of something almost without inertia, the method's own stay (nt_integrator_balance). Most obey
 * the equations all the same. Those of methods that balance forces in the mean of a step, or
 * between steps, need not: a clamp's force may then be that of another moment, or of none. What is
 * left of R is compared with its largest part, and told. */
#include "method/state.h"
#include "model/run.h"
#include "output/record.h"
#include "system/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What R may be off by, relative to its largest part: as much as interpolation between steps. */
static const double SHARE = 0.01;

nt_status nt_record_take_unbalanced(nt_record *r)
{
    r->unbalanced.residual = NT_TAKE(&r->arena, nt_run_system(r->run)->space.nv, double);
    return r->unbalanced.residual ? NT_OK : NT_NO_MEMORY;
}

/* The largest of a part among forces and among moments: how much and whose. */
typedef struct extent {
    double of[2];
    int unknown[2];
} extent;

static nt_status find_extent(nt_record *r, const nt_point *at, unsigned parts, extent *e)
{
    const nt_system *system = nt_run_system(r->run);
    const nt_space *space = &system->space;
    double *residual = r->unbalanced.residual;
    nt_terms terms = {.parts = parts, .level = NT_POSITION, .residual = residual};
    memset(residual, 0, (size_t)space->nv * sizeof *residual);
    nt_status status = system->evaluate(system->self, at, &terms);
    for (int b = 0; b < space->n_blocks && status == NT_OK; b++) {
        const nt_block *block = &space->blocks[b];
        int turning = block->rotation < 0 ? block->nv : block->nv - 3;
        for (int i = 0; i < block->nv && block->kind != NT_FIRST; i++) {
            nt_quantity kind = i < turning ? NT_LENGTH : NT_ANGLE;
            if (fabs(residual[block->v + i]) <= e->of[kind])
                continue;
            e->of[kind] = fabs(residual[block->v + i]);
            e->unknown[kind] = block->v + i;
        }
    }
    return status;
}

void nt_record_keep_unbalanced(nt_record *r, const nt_state *state)
{
    nt_point at = nt_state_point(state);
    extent left = {{0}, {0}}, largest = {{0}, {0}};
    nt_status status = find_extent(r, &at, NT_ALL_PARTS, &left);
    for (unsigned part = 1; part < NT_ALL_PARTS && status == NT_OK; part *= 2)
        status = find_extent(r, &at, part, &largest);
    if (status != NT_OK) /* whoever looks for the row's values says why */
        return;
    largest.of[NT_ANGLE] = fmax(largest.of[NT_ANGLE], largest.of[NT_LENGTH] * r->length);
    bool off = false;
    for (int kind = 0; kind < 2; kind++) {
        if (!(left.of[kind] > SHARE * largest.of[kind]))
            continue;
        bool first = r->unbalanced.rows == 0 && !off;
        off = true;
        if (!first && left.of[kind] * r->unbalanced.of <= r->unbalanced.by * largest.of[kind])
            continue;
        r->unbalanced.t = state->t;
        r->unbalanced.by = left.of[kind], r->unbalanced.of = largest.of[kind];
        r->unbalanced.unknown = left.unknown[kind];
    }
    r->unbalanced.rows += off;
}

int nt_record_tell_unbalanced(const nt_record *r, char *text, int size)
{
    const nt_system *system = nt_run_system(r->run);
    long rows = r->unbalanced.rows;
    char name[160] = "";
    system->equation_name(system->self, r->unbalanced.unknown, name, (int)sizeof name);
    int used = snprintf(text, (size_t)size,
                        "forces and accelerations of %ld row%s break Newton's law, at t = %g s by "
                        "%.2g of %.2g (%s): the equations give none there, and the method's stand; "
                        "expected inertia in all that may move",
                        rows, rows == 1 ? "" : "s", r->unbalanced.t, r->unbalanced.by,
                        r->unbalanced.of, name);
    return used < size ? used : size - 1;
}
