/* Multipliers that a search for a static state begins with, and those of a dead centre.
 *
 * Multipliers are unknown at the start, and K is nothing without them where bodies hang on joints
 * alone. The first are those that leave the least force on translations: then the weight of a chain
 * goes along it to where it hangs, and what is left are moments that turn its links. */
#include "analysis/static/static.h"

#include "base/chance.h"
#include "base/error.h"

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

/* W and the forces are divided by a power of two near the least of W, and so are multipliers then:
 * no digit changes, but beside B^T, W is never so small that pivots mind it. */
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
    double largest[2] = {0, 0}, least = (double)INFINITY;
    for (int i = 0; i < p->nv; i++)
        largest[p->quantity[i]] = fmax(largest[p->quantity[i]], s->mass[i]);
    nt_static_clear_stiffness(s);
    memcpy(s->vector[0], s->drag, (size_t)p->nv * sizeof(double));
    for (int i = 0; i < p->nv; i++) {
        double size = largest[p->quantity[i]] > 0 ? largest[p->quantity[i]] : 1;
        s->drag[i] = fmax(s->mass[i], 1e-3 * size) * (p->quantity[i] == NT_LENGTH ? LIGHT : 1);
        least = fmin(least, s->drag[i]);
    }
    memcpy(s->vector[1], s->drag, (size_t)p->nv * sizeof(double));
    least = exp2(floor(log2(least)));
    for (int i = 0; i < p->nv; i++)
        s->drag[i] /= least;
    status = nt_static_factor(s, 1);
    if (status == NT_OK && independent)
        status = look_at_rows(s, independent);
    memcpy(s->drag, s->vector[0], (size_t)p->nv * sizeof(double));
    if (status == NT_OK && (!independent || *independent)) {
        for (int i = 0; i < p->n; i++)
            s->step[i] = -s->residual[i] / (i < p->nv ? least : 1);
        status = nt_static_solve_linear(s, s->step);
    }
    if (status != NT_OK || (independent && !*independent))
        memset(s->step, 0, (size_t)p->n * sizeof *s->step);
    for (int i = 0; i < p->nc; i++)
        s->multipliers[i] = least * s->step[p->nv + i];
    return status == NT_SINGULAR ? NT_OK : status;
}

/* ---- rows where a state was found -------------------------------------------------------------
 */

/* A row at the distance d from the others, of a length of 1, asks for motions of 1/d to meet what
 * it lacks: rows are independent where these are shorter, of those that count as dependent d is
 * less than 1e-5. */
static const double FAR = 1e4;

/* Whether rows in use are independent, by the last factors, where they are of a point near by: K,
 * or K + s D, says only which of the motions are found that meet rows chosen by chance. */
static nt_status look_from_factors(nt_static *s, bool *independent)
{
    int nv = s->problem->nv, nc = s->problem->nc;
    double *scale = s->shown, *x = s->step, wanted = 0;
    unsigned seed = 1;
    *independent = false;
    if (!s->is_near)
        return NT_OK;
    row_sizes(s, scale);
    memset(x, 0, (size_t)s->problem->n * sizeof *x);
    for (int i = 0; i < nc; i++) {
        double size = 1 + 0.5 * (1 + nt_chance(&seed));
        x[nv + i] = (seed & 128 ? size : -size) * sqrt(scale[i]);
    }
    nt_factors_clear_dropped(s->factors, x);
    for (int i = 0; i < nc; i++)
        wanted += scale[i] > 0 ? x[nv + i] * x[nv + i] / scale[i] : 0;
    nt_status status = nt_static_solve_kept(s, x);
    *independent = status == NT_OK && nt_static_dot(s, x, x) < FAR * FAR * wanted;
    return nt_is_final(status) ? status : NT_OK;
}

/* How many rows depend on others; the choice is then the present one. */
static nt_status count_dependent(nt_static *s, int *n)
{
    nt_status status = nt_static_choose_rows(s);
    *n = s->factors->n_dropped;
    return status;
}

/* The same where the search began, with the joints that hold now. */
static nt_status count_placed(nt_static *s, int *n)
{
    size_t size = (size_t)s->problem->nq * sizeof *s->q;
    nt_static_keep(s, s->aside);
    memcpy(s->q, s->placed, size);
    nt_status status = count_dependent(s, n);
    nt_static_go_back(s, s->aside);
    return status;
}

nt_status nt_static_find_lost_rows(nt_static *s, bool leaves, nt_error *error)
{
    int before = s->factors->n_dropped, now = 0, placed = s->problem->n_off;
    bool independent = true;
    memcpy(s->chosen, s->factors->dropped, (size_t)before * sizeof *s->chosen);
    s->n_lost = 0;
    nt_status status = s->problem->nc > 0 ? look_from_factors(s, &independent) : NT_OK;
    if (status == NT_OK && independent && before <= s->problem->n_off)
        return NT_OK; /* else rows may be out of use already that depend on others */
    status = status == NT_OK ? count_dependent(s, &now) : status;
    if (status == NT_OK && now > s->problem->n_off)
        status = count_placed(s, &placed);
    if (status == NT_OK && now > placed) {
        s->n_lost = now - placed;
        status = nt_static_choose_rows(s);
        if (status == NT_OK)
            status = nt_static_reactions(s, s->problem->length, s->shown, error);
        if (status != NT_OK)
            return status;
        memcpy(s->multipliers, s->shown, (size_t)s->problem->nc * sizeof *s->multipliers);
        s->derived = s->has_factors = false;
    }
    if (status == NT_OK && !(s->n_lost > 0 && leaves)) {
        s->factors->n_dropped = before;
        memcpy(s->factors->dropped, s->chosen, (size_t)before * sizeof *s->chosen);
        status = nt_solver_drop(s->solver, s->factors->dropped, before);
    }
    return status == NT_OK ? NT_OK
                           : nt_fail(error, status, "static state: %s", nt_status_text(status));
}
