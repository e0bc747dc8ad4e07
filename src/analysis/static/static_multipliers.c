/* Multipliers that a search for a static state begins with.
 *
 * Multipliers are unknown at the start, and K is nothing without them where bodies hang on joints
 * alone. The first are those that leave the least force on translations: then the weight of a chain
 * goes along it to where it hangs, and what is left are moments that turn its links. */
#include "analysis/static/static.h"

#include "base/chance.h"

#include <math.h>
#include <string.h>

/* How much less a translation resists than a rotation, while multipliers are guessed. */
static const double LIGHT = 1e-12;

/* The derivative without K. */
void nt_static_clear_stiffness(nt_static *s)
{
    const nt_pattern *pattern = s->pattern;
    for (int slot = 0; slot < pattern->n_slots; slot++)
        if (pattern->row[slot] < pattern->n_primary && pattern->column[slot] < pattern->n_primary)
            memset(nt_matrix_block(s->derivative, slot), 0,
                   (size_t)(pattern->offset[slot + 1] - pattern->offset[slot]) * sizeof(double));
}

/* The diagonal of S = B W^-1 B^T, W being the drag, into scale[nc]. */
static void row_sizes(const nt_static *s, double *scale)
{
    const nt_pattern *pattern = s->pattern;
    const nt_problem *p = s->problem;
    memset(scale, 0, (size_t)p->nc * sizeof *scale);
    for (int slot = 0; slot < pattern->n_slots; slot++) {
        int row = pattern->node_start[pattern->row[slot]] - p->nv;
        int m = pattern->node_start[pattern->row[slot] + 1] - p->nv - row;
        int column = pattern->node_start[pattern->column[slot]];
        int n = pattern->node_start[pattern->column[slot] + 1] - column;
        const double *g = nt_matrix_block(s->derivative, slot);
        for (int i = 0; i < m && row >= 0 && column < p->nv; i++)
            for (int j = 0; j < n; j++)
                scale[row + i] += g[i * n + j] * g[i * n + j] / s->drag[column + j];
    }
}

/* Rows are surely independent where inverse iterations with S, its diagonal scaled to 1, grow by
 * less: pivots of S, by which nt_factors_choose_rows goes, are no smaller than its eigenvalues. */
static const double SURELY = 1e8;

/* Whether they are, from the factors of [W B^T; B 0]. */
static nt_status look_at_rows(nt_static *s, bool *independent)
{
    int nv = s->problem->nv, nc = s->problem->nc;
    double *scale = s->shown, *x = s->step, before = 0;
    unsigned seed = 1;
    *independent = false;
    row_sizes(s, scale);
    for (int i = 0; i < nc; i++) {
        if (!(scale[i] > 0))
            return NT_OK; /* what nothing can move */
        double size = 1 + 0.5 * (1 + nt_chance(&seed));
        scale[i] = sqrt(scale[i]);
        x[nv + i] = seed & 128 ? size : -size;
        before += x[nv + i] * x[nv + i];
    }
    for (int pass = 0; pass < 2; pass++) {
        double after = 0;
        memset(x, 0, (size_t)nv * sizeof *x);
        for (int i = 0; i < nc; i++)
            x[nv + i] *= scale[i];
        nt_status status = nt_static_solve_kept(s, x);
        if (status != NT_OK)
            return status;
        for (int i = 0; i < nc; i++) {
            x[nv + i] *= scale[i];
            after += x[nv + i] * x[nv + i];
        }
        if (!(after < SURELY * SURELY * before))
            return NT_OK;
        before = after;
    }
    *independent = true;
    return NT_OK;
}

nt_status nt_static_guess_multipliers(nt_static *s, bool *independent)
{
    const nt_problem *p = s->problem;
    if (independent)
        *independent = p->nc == 0;
    memset(s->step, 0, (size_t)p->n * sizeof *s->step);
    if (p->nc == 0)
        return NT_OK;
    memset(s->multipliers, 0, (size_t)p->nc * sizeof *s->multipliers);
    nt_status status = nt_static_evaluate(s, s->residual, true);
    if (status == NT_OK)
        status = nt_static_find_drag(s);
    if (status != NT_OK)
        return status;
    double largest[2] = {0, 0};
    for (int i = 0; i < p->nv; i++)
        largest[p->quantity[i]] = fmax(largest[p->quantity[i]], s->mass[i]);
    nt_static_clear_stiffness(s);
    memcpy(s->vector[0], s->drag, (size_t)p->nv * sizeof(double));
    for (int i = 0; i < p->nv; i++) {
        double size = largest[p->quantity[i]] > 0 ? largest[p->quantity[i]] : 1;
        s->drag[i] = fmax(s->mass[i], 1e-3 * size) * (p->quantity[i] == NT_LENGTH ? LIGHT : 1);
    }
    memcpy(s->vector[1], s->drag, (size_t)p->nv * sizeof(double));
    status = nt_static_factor(s, 1);
    if (status == NT_OK && independent)
        status = look_at_rows(s, independent);
    memcpy(s->drag, s->vector[0], (size_t)p->nv * sizeof(double));
    if (status == NT_OK && (!independent || *independent))
        status = nt_static_correct(s, s->residual, s->step);
    if (status != NT_OK || (independent && !*independent))
        memset(s->step, 0, (size_t)p->n * sizeof *s->step);
    for (int i = 0; i < p->nc; i++)
        s->multipliers[i] = s->step[p->nv + i];
    return status == NT_SINGULAR ? NT_OK : status;
}
