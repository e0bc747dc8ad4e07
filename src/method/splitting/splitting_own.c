/* Blocks that explicit forces alone act on, and the rest; see splitting_own.h. */
#include "method/splitting/splitting_own.h"

#include "base/vector3.h"
#include "linalg/solver.h"

#include <stdlib.h>
#include <string.h>

/* ---- which blocks are alone ------------------------------------------------------------------ */

bool nt_splitting_is_spherical(const double *J)
{
    for (int i = 0; i < 9; i++)
        if (J[i] != (i % 4 == 0 ? J[0] : 0))
            return false;
    return true;
}

static bool splitting_block_may_be_alone(const nt_problem *p, const nt_splitting *c, int b)
{
    const nt_system *system = p->system;
    const nt_block *block = &p->space.blocks[b];
    if (c->explicit_parts == 0 || !system->explicit_blocks || !system->explicit_blocks[b] ||
        !(system->capabilities & NT_HAS_MOMENTA) || block->kind == NT_FIRST)
        return false;
    bool spherical = block->rotation < 0 || nt_splitting_is_spherical(system->momenta->inertia +
                                                                      9 * (size_t)block->rotation);
    return spherical || (p->frame == NT_BODY && (c->explicit_parts & NT_GYROSCOPIC));
}

/* A node that holds a block of the rest too belongs to the rest. */
static void splitting_keep_nodes_whole(const nt_problem *p, unsigned char *alone)
{
    const nt_pattern *pattern = p->pattern;
    for (bool changed = true; changed;) {
        changed = false;
        for (int node = 0; node < pattern->n_primary; node++) {
            int first = pattern->node_start[node], end = pattern->node_start[node + 1];
            int count[2] = {0};
            for (int b = 0; b < p->space.n_blocks; b++) {
                const nt_block *block = &p->space.blocks[b];
                bool in = block->v < end && block->v + block->nv > first;
                count[alone[b]] += in;
            }
            for (int b = 0; b < p->space.n_blocks && count[0] > 0 && count[1] > 0; b++) {
                const nt_block *block = &p->space.blocks[b];
                if (block->v < end && block->v + block->nv > first && alone[b]) {
                    alone[b] = 0;
                    changed = true;
                }
            }
        }
    }
}

/* ---- the rest as a system -------------------------------------------------------------------- */

/* part[] of the rest from an array of the whole. */
static void splitting_gather(const nt_splitting_span *span, int n, const double *whole,
                             double *part)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < span[i].count; k++)
            part[span[i].part + k] = whole[span[i].whole + k];
}

void nt_splitting_scatter(const nt_splitting_span *span, int n, const double *part, double *whole)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < span[i].count; k++)
            whole[span[i].whole + k] = part[span[i].part + k];
}

/* What an evaluation adds to: the rest's blocks, and those of the blocks that are alone. */
static void splitting_clear_matrix(nt_splitting_own *own)
{
    for (int i = 0; i < own->n_values; i++)
        memset(own->matrix.values + own->values[i].whole, 0,
               (size_t)own->values[i].count * sizeof(double));
    for (int i = 0; i < own->n_masses; i++)
        memset(own->matrix.values + own->masses[i].whole, 0,
               (size_t)own->masses[i].count * sizeof(double));
}

/* The whole is evaluated, with the blocks that are alone at rest in their places, and the rest's
 * share of it handed over. */
static nt_status splitting_evaluate(void *self, const nt_point *at, const nt_terms *terms)
{
    nt_splitting_own *own = self;
    nt_point point = *at;
    nt_terms whole = *terms;
    nt_combination combination;
    whole.left_out = own->left_out;
    nt_splitting_scatter(own->q, own->n_q, at->q, own->whole_q);
    nt_splitting_scatter(own->v, own->n_v, at->v, own->whole_v);
    if (at->vdot)
        nt_splitting_scatter(own->v, own->n_v, at->vdot, own->whole_vdot);
    point.q = own->whole_q, point.v = own->whole_v, point.vdot = own->whole_vdot;
    if (terms->residual) {
        memset(own->whole_residual, 0, (size_t)own->whole->nv * sizeof(double));
        whole.residual = own->whole_residual;
    }
    if (terms->matrix) {
        combination = *terms->combination;
        if (combination.map)
            nt_splitting_scatter(own->map, own->n_map, combination.map, own->whole_map);
        combination.map = combination.map ? own->whole_map : NULL;
        splitting_clear_matrix(own);
        whole.matrix = &own->matrix;
        whole.combination = &combination;
    }
    nt_status status = nt_problem_evaluate(own->whole, &point, &whole);
    for (int i = 0; terms->residual && i < own->n_v; i++)
        for (int k = 0; k < own->v[i].count; k++)
            terms->residual[own->v[i].part + k] += own->whole_residual[own->v[i].whole + k];
    for (int i = 0; terms->matrix && i < own->n_values; i++)
        for (int k = 0; k < own->values[i].count; k++)
            terms->matrix->values[own->values[i].part + k] +=
                own->matrix.values[own->values[i].whole + k];
    return status;
}

static nt_splitting_span *splitting_new_span(nt_splitting_span *list, int *n, int whole, int part,
                                             int count)
{
    nt_splitting_span *last = &list[*n - 1];
    if (*n > 0 && last->whole + last->count == whole && last->part + last->count == part)
        last->count += count;
    else
        list[(*n)++] = (nt_splitting_span){whole, part, count};
    return list;
}

/* Blocks of the space that are not alone, and where their numbers are. */
static nt_status splitting_rest_space(nt_splitting_own *own, const unsigned char *alone)
{
    const nt_problem *p = own->whole;
    nt_block *blocks = NT_TAKE(&own->arena, p->space.n_blocks, nt_block);
    own->q = NT_TAKE(&own->arena, p->space.n_blocks, nt_splitting_span);
    own->v = NT_TAKE(&own->arena, p->space.n_blocks, nt_splitting_span);
    own->map = NT_TAKE(&own->arena, p->space.n_blocks, nt_splitting_span);
    if (!blocks || !own->q || !own->v || !own->map)
        return NT_NO_MEMORY;
    int n = 0;
    for (int b = 0; b < p->space.n_blocks; b++)
        if (!alone[b])
            blocks[n++] = p->space.blocks[b];
    nt_space_init(&own->system.space, blocks, n);
    n = 0;
    for (int b = 0; b < p->space.n_blocks; b++) {
        const nt_block *from = &p->space.blocks[b];
        if (alone[b])
            continue;
        const nt_block *to = &blocks[n++];
        splitting_new_span(own->q, &own->n_q, from->q, to->q, from->nq);
        splitting_new_span(own->v, &own->n_v, from->v, to->v, from->nv);
        if (from->rotation >= 0)
            splitting_new_span(own->map, &own->n_map, 9 * from->rotation, 9 * to->rotation, 9);
    }
    return NT_OK;
}

static int splitting_entries_of_slot(const nt_pattern *p, int slot)
{
    const int *row = p->node_start + p->row[slot], *column = p->node_start + p->column[slot];
    return nt_pattern_is_single(p, slot) ? 1 : (row[1] - row[0]) * (column[1] - column[0]);
}

/* The block graph without the nodes that are alone. */
static nt_status splitting_rest_pattern(nt_splitting_own *own, const unsigned char *alone)
{
    const nt_problem *p = own->whole;
    const nt_pattern *from = p->pattern;
    int *node = NT_TAKE(&own->arena, from->n_nodes, int);
    int *sizes = NT_TAKE(&own->arena, from->n_nodes, int);
    int *slot = NT_TAKE(&own->arena, from->n_slots, int);
    own->values = NT_TAKE(&own->arena, from->n_slots, nt_splitting_span);
    own->masses = NT_TAKE(&own->arena, from->n_slots, nt_splitting_span);
    if (!node || !sizes || !slot || !own->values || !own->masses)
        return NT_NO_MEMORY;
    int n = 0, primary = 0, b = 0;
    for (int i = 0; i < from->n_nodes; i++) {
        while (i < from->n_primary &&
               p->space.blocks[b].v + p->space.blocks[b].nv <= from->node_start[i])
            b++;
        bool leaves = i < from->n_primary ? alone[b] : own->gives;
        node[i] = leaves ? -1 : n;
        if (!leaves)
            sizes[n++] = from->node_start[i + 1] - from->node_start[i];
        primary += i < from->n_primary && !leaves;
    }
    nt_status status = nt_pattern_init(&own->pattern, n, primary, sizes);
    if (status == NT_OK && from->packed)
        nt_pattern_pack(&own->pattern);
    for (int k = 0; k < from->n_slots && status == NT_OK; k++) {
        slot[k] = -1;
        if (node[from->row[k]] < 0 || node[from->column[k]] < 0)
            continue;
        slot[k] = nt_pattern_add(&own->pattern, node[from->row[k]], node[from->column[k]],
                                 (nt_block_shape)from->shape[k]);
        status = slot[k] < 0 ? NT_NO_MEMORY : NT_OK;
    }
    nt_pattern_trim(&own->pattern);
    for (int k = 0; k < from->n_slots && status == NT_OK; k++) {
        int at = from->offset[k], count = splitting_entries_of_slot(from, k);
        if (slot[k] >= 0)
            splitting_new_span(own->values, &own->n_values, at, own->pattern.offset[slot[k]],
                               count);
        else if (node[from->row[k]] < 0 && node[from->column[k]] < 0)
            splitting_new_span(own->masses, &own->n_masses, at, at, count);
    }
    return status;
}

static nt_status splitting_rest_arrays(nt_splitting_own *own, const nt_splitting *c)
{
    const nt_problem *p = own->whole, *rest = own->problem;
    nt_layout sizes = {0};
    nt_splitting_layout(rest, c, &sizes);
    size_t nq = (size_t)rest->nq, nv = (size_t)rest->nv;
    double *state = NT_TAKE(&own->arena, 2 * (nq + 2 * nv) + nv, double);
    own->whole_q = NT_TAKE(&own->arena, p->nq, double);
    own->whole_v = NT_TAKE(&own->arena, p->nv, double);
    own->whole_vdot = NT_TAKE(&own->arena, p->nv, double);
    own->whole_residual = NT_TAKE(&own->arena, p->nv, double);
    own->whole_map = NT_TAKE(&own->arena, 9 * (size_t)p->space.n_rotations, double);
    own->scratch = NT_TAKE(&own->arena, sizes.scratch, double);
    if (!state || !own->whole_q || !own->whole_v || !own->whole_vdot || !own->whole_residual ||
        !own->whole_map || !own->scratch)
        return NT_NO_MEMORY;
    nt_phase *phase[2] = {&own->now, &own->next};
    for (int k = 0; k < 2; k++, state += nq + 2 * nv)
        *phase[k] = (nt_phase){.q = state, .v = state + nq, .vdot = state + nq + nv};
    own->force = state;
    return nt_matrix_init(&own->matrix, p->pattern);
}

static nt_status splitting_rest_quantities(nt_splitting_own *own)
{
    const nt_problem *p = own->whole;
    int nv = own->system.space.nv;
    nt_quantity *of_v = NT_TAKE(&own->arena, nv, nt_quantity);
    nt_quantity *of_rows = NT_TAKE(&own->arena, p->nc, nt_quantity);
    if (!of_v || !of_rows)
        return NT_NO_MEMORY;
    for (int i = 0; i < own->n_v; i++)
        for (int k = 0; k < own->v[i].count; k++)
            of_v[own->v[i].part + k] = (nt_quantity)p->quantity[own->v[i].whole + k];
    for (int i = 0; i < p->nc; i++)
        of_rows[i] = (nt_quantity)p->quantity[p->nv + i];
    own->system.v_quantity = of_v;
    own->system.row_quantity = of_rows;
    return NT_OK;
}

static nt_status splitting_create_rest(nt_splitting_own *own, const unsigned char *alone,
                                       const nt_stepper *s, const nt_splitting *c)
{
    const nt_problem *p = own->whole;
    own->system = (nt_system){.name = p->system->name,
                              .frame = p->frame,
                              .nh = own->gives ? 0 : p->nh,
                              .nn = p->nn,
                              .pattern = &own->pattern,
                              .capabilities = NT_HAS_TANGENT | NT_APPLIES_MAP | NT_ALL_LEVELS |
                                              (p->system->capabilities & NT_AFFINE),
                              .n_memory = p->system->n_memory,
                              .length = p->system->length,
                              .self = own,
                              .evaluate = splitting_evaluate}; /* which asks whether to stop */
    nt_status status = splitting_rest_space(own, alone);
    if (status == NT_OK)
        status = splitting_rest_pattern(own, alone);
    if (status == NT_OK)
        status = splitting_rest_quantities(own);
    if (status == NT_OK)
        status = nt_problem_create(&own->problem, &own->system, p->frame, NULL);
    if (status == NT_OK)
        status = splitting_rest_arrays(own, c);
    if (status == NT_OK)
        status = nt_factors_create(&own->factors, own->problem, s->factors->kind, NULL);
    return status == NT_OK ? nt_factors_keep_made(own->factors) : status;
}

/* ---- damping of a block -----------------------------------------------------------------------
 */

static int splitting_node_of(const nt_pattern *pattern, int entry)
{
    int node = 0;
    while (pattern->node_start[node + 1] <= entry)
        node++;
    return node;
}

/* Where entry (i, j) of the problem's matrix is among its values; -1: it is always zero. */
static int splitting_place_in_matrix(const nt_pattern *pattern, int i, int j)
{
    int row = splitting_node_of(pattern, i), column = splitting_node_of(pattern, j);
    int slot = nt_pattern_find(pattern, row, column);
    if (slot < 0)
        return -1;
    int r = i - pattern->node_start[row], c = j - pattern->node_start[column];
    if (nt_pattern_is_single(pattern, slot))
        return r == c ? pattern->offset[slot] : -1;
    int width = pattern->node_start[column + 1] - pattern->node_start[column];
    return pattern->offset[slot] + r * width + c;
}

static bool splitting_act_on_each_other(const nt_problem *p, const nt_block *a, const nt_block *b)
{
    int first[2] = {splitting_node_of(p->pattern, a->v), splitting_node_of(p->pattern, b->v)};
    int last[2] = {splitting_node_of(p->pattern, a->v + a->nv - 1),
                   splitting_node_of(p->pattern, b->v + b->nv - 1)};
    for (int i = first[0]; i <= last[0]; i++)
        for (int j = first[1]; j <= last[1]; j++)
            if (nt_pattern_find(p->pattern, i, j) >= 0 || nt_pattern_find(p->pattern, j, i) >= 0)
                return true;
    return false;
}

/* Each block takes the first colour that none of its neighbours has. */
static void splitting_choose_colours(nt_splitting_own *own)
{
    const nt_problem *p = own->whole;
    const nt_block *blocks = p->space.blocks;
    for (int k = 0; k < own->n_alone; k++) {
        bool taken = true;
        for (own->colour[k] = -1; taken;) {
            own->colour[k]++;
            taken = false;
            for (int j = 0; j < k && !taken; j++)
                taken =
                    own->colour[j] == own->colour[k] &&
                    splitting_act_on_each_other(p, &blocks[own->alone[j]], &blocks[own->alone[k]]);
        }
        own->n_colours = own->colour[k] < own->n_colours ? own->n_colours : own->colour[k] + 1;
    }
}

static bool splitting_is_in_parts(const int *entry)
{
    enum { N = NT_SPLITTING_DAMPED };
    bool is = true;
    for (int i = 0; i < N * N; i++) {
        int first = entry[N * (i / N / 3 * 3) + i % N / 3 * 3];
        is = is && first >= 0 && entry[i] == first + 3 * (i / N % 3) + i % N % 3;
    }
    return is;
}

/* Body k of those that are alone becomes lane l. */
static void splitting_choose_lane(const nt_splitting_own *own, int k, nt_splitting_group *g, int l)
{
    enum { N = NT_SPLITTING_DAMPED };
    const nt_momenta *momenta = own->whole->system->momenta;
    const nt_block *block = &own->whole->space.blocks[own->alone[k]];
    const int *entry = own->entries + N * N * k;
    for (int i = 0; i < 4; i++)
        g->D[i][l] = own->damping.values + entry[3 * N * (i / 2) + 3 * (i % 2)];
    g->J[l] = momenta->inertia + 9 * block->rotation;
    g->mass[l] = momenta->mass + block->v;
    g->v[l] = block->v;
}

static nt_status splitting_find_groups(nt_splitting_own *own)
{
    own->groups = NT_TAKE(&own->arena, own->n_alone, nt_splitting_group);
    if (!own->groups)
        return NT_NO_MEMORY;
    for (int k = 0; k < own->n_alone; k++) {
        if (!own->in_parts[k])
            continue;
        nt_splitting_group *g = &own->groups[own->n_groups++];
        g->first = k;
        while (g->n < NT_SPLITTING_LANES && k + g->n < own->n_alone && own->in_parts[k + g->n])
            g->n++;
        for (int l = 0; l < NT_SPLITTING_LANES; l++)
            splitting_choose_lane(own, k + (l < g->n ? l : g->n - 1), g, l);
        k += g->n - 1;
    }
    return NT_OK;
}

static nt_status splitting_find_damping(nt_splitting_own *own)
{
    const nt_problem *p = own->whole;
    enum { N = NT_SPLITTING_DAMPED };
    own->entries = NT_TAKE(&own->arena, own->n_alone * N * N, int);
    own->colour = NT_TAKE(&own->arena, own->n_alone, int);
    own->in_parts = NT_TAKE(&own->arena, own->n_alone, bool);
    if (!own->entries || !own->colour || !own->in_parts)
        return NT_NO_MEMORY;
    splitting_choose_colours(own);
    for (int k = 0; k < own->n_alone; k++) {
        const nt_block *block = &p->space.blocks[own->alone[k]];
        for (int i = 0; i < N * N; i++) {
            bool in = block->nv <= N && i / N < block->nv && i % N < block->nv;
            own->entries[N * N * k + i] =
                in ? splitting_place_in_matrix(p->pattern, block->v + i / N, block->v + i % N) : -1;
        }
        own->in_parts[k] = block->rotation >= 0 && block->nv == N &&
                           splitting_is_in_parts(own->entries + N * N * k);
    }
    nt_status status = nt_matrix_init(&own->damping, p->pattern);
    return status == NT_OK ? splitting_find_groups(own) : status;
}

/* ---- making one -------------------------------------------------------------------------------
 */

/* Whether the constraints are the rows that give rotations, and nothing else. */
static bool splitting_all_rows_give(const nt_stepper *s)
{
    const nt_problem *p = s->problem;
    const int *given = p->system->given_rows;
    int n = 0;
    for (int b = 0; given && b < p->space.n_blocks; b++)
        n += given[b] >= 0 ? 3 : 0;
    return n > 0 && n == p->nc && p->n_off == 0 && s->factors->n_dropped == 0;
}

/* gone[n_blocks]: blocks that are solved for by themselves. */
static nt_status splitting_divide(nt_splitting_own *own, const nt_stepper *s, const nt_splitting *c,
                                  unsigned char *gone)
{
    const nt_problem *p = own->whole;
    const int *given = p->system->given_rows;
    own->gives = c->eliminates && splitting_all_rows_give(s);
    for (int b = 0; b < p->space.n_blocks; b++) {
        bool needs_rows = given && given[b] >= 0;
        gone[b] = splitting_block_may_be_alone(p, c, b) ||
                  ((own->gives || !needs_rows) && nt_splitting_may_be_apart(p, c, b));
    }
    splitting_keep_nodes_whole(p, gone);
    own->alone = NT_TAKE(&own->arena, p->space.n_blocks, int);
    own->apart = NT_TAKE(&own->arena, p->space.n_blocks, int);
    own->left_out = NT_TAKE(&own->arena, p->space.n_blocks, unsigned char);
    if (!own->alone || !own->apart || !own->left_out)
        return NT_NO_MEMORY;
    for (int b = 0; b < p->space.n_blocks; b++) {
        own->left_out[b] = gone[b] && p->system->explicit_blocks && p->system->explicit_blocks[b];
        if (gone[b] && splitting_block_may_be_alone(p, c, b))
            own->alone[own->n_alone++] = b;
        else if (gone[b])
            own->apart[own->n_apart++] = b;
        own->gives = own->gives && (gone[b] || !given || given[b] < 0);
    }
    return NT_OK;
}

nt_status nt_splitting_own_create(nt_splitting_own **out, const nt_stepper *s,
                                  const nt_splitting *c)
{
    const nt_problem *p = s->problem;
    *out = NULL;
    nt_splitting_own *own = calloc(1, sizeof *own);
    if (!own)
        return NT_NO_MEMORY;
    own->whole = p;
    unsigned char *gone = NT_TAKE(&own->arena, p->space.n_blocks, unsigned char);
    nt_status status = gone ? splitting_divide(own, s, c, gone) : NT_NO_MEMORY;
    int n_gone = own->n_alone + own->n_apart;
    if (status == NT_OK && own->n_alone > 0 && c->second)
        status = splitting_find_damping(own);
    if (status == NT_OK && c->bounds)
        status = nt_matrix_init(&own->tangent, p->pattern);
    if (status == NT_OK && n_gone > 0 && n_gone < p->space.n_blocks)
        status = splitting_create_rest(own, gone, s, c);
    if (status == NT_OK)
        *out = own;
    else
        nt_splitting_own_destroy(own);
    return status;
}

void nt_splitting_own_destroy(nt_splitting_own *own)
{
    if (!own)
        return;
    nt_factors_destroy(own->factors);
    nt_problem_destroy(own->problem);
    nt_pattern_free(&own->pattern);
    nt_matrix_free(&own->matrix);
    nt_matrix_free(&own->damping);
    nt_matrix_free(&own->tangent);
    nt_arena_free(&own->arena);
    free(own);
}

/* ---- steps ------------------------------------------------------------------------------------
 */

/* Rows that are left out, counted in the rest's unknowns. */
static nt_status splitting_take_rows(nt_splitting_own *own, const nt_factors *from)
{
    nt_factors *f = own->factors;
    int shift = own->whole->nv - own->problem->nv;
    bool same = f->n_dropped == from->n_dropped;
    for (int i = 0; i < from->n_dropped && same; i++)
        same = f->dropped[i] == from->dropped[i] - shift;
    if (same)
        return NT_OK;
    for (int i = 0; i < from->n_dropped; i++)
        f->dropped[i] = from->dropped[i] - shift;
    return nt_factors_set_rows(f, f->dropped, from->n_dropped);
}

/* The state of a run holds the matrix whose factors are kept in the whole's pattern: those of the
 * rest are made from it once more where the run goes on from a saved state. */
static nt_status splitting_keep_factors(nt_splitting_own *own, const nt_stepper *s)
{
    nt_factors *f = own->factors;
    f->kept = f->kept && s->factors->kept && !s->resumed;
    if (f->kept || !s->factors->kept)
        return NT_OK;
    nt_factors_begin(f);
    splitting_gather(own->values, own->n_values, s->factors->matrix.values, f->matrix.values);
    nt_solver_forget(f->solver);
    nt_status status = nt_factors_factor(f);
    f->kept = status == NT_OK;
    return status;
}

nt_status nt_splitting_rest_begin(nt_splitting_own *own, const nt_stepper *s,
                                  const double *explicit, nt_stepper *rest)
{
    const nt_problem *p = own->whole;
    *rest = *s;
    rest->problem = own->problem;
    rest->factors = own->factors;
    rest->linear = NULL;
    rest->scratch = own->scratch;
    nt_phase *of[2] = {&rest->now, &rest->next};
    const nt_phase *mine[2] = {&own->now, &own->next};
    for (int k = 0; k < 2; k++)
        of[k]->q = mine[k]->q, of[k]->v = mine[k]->v, of[k]->vdot = mine[k]->vdot;
    memcpy(own->whole_q, s->now.q, (size_t)p->nq * sizeof(double));
    memcpy(own->whole_v, s->now.v, (size_t)p->nv * sizeof(double));
    memset(own->whole_vdot, 0, (size_t)p->nv * sizeof(double));
    splitting_gather(own->q, own->n_q, s->now.q, own->now.q);
    splitting_gather(own->v, own->n_v, s->now.v, own->now.v);
    splitting_gather(own->v, own->n_v, s->now.vdot, own->now.vdot);
    splitting_gather(own->v, own->n_v, explicit, own->force);
    nt_status status = splitting_take_rows(own, s->factors);
    return status == NT_OK ? splitting_keep_factors(own, s) : status;
}

void nt_splitting_rest_end(const nt_splitting_own *own, nt_stepper *s, const nt_stepper *rest,
                           bool made)
{
    const nt_problem *p = own->whole;
    nt_splitting_scatter(own->q, own->n_q, own->next.q, s->next.q);
    nt_splitting_scatter(own->v, own->n_v, own->next.v, s->next.v);
    nt_splitting_scatter(own->v, own->n_v, own->next.vdot, s->next.vdot);
    s->report = rest->report;
    if (s->report.unknown >= own->problem->nv)
        s->report.unknown += p->nv - own->problem->nv;
    for (int i = 0; i < own->n_v; i++)
        if (rest->report.unknown >= own->v[i].part &&
            rest->report.unknown < own->v[i].part + own->v[i].count)
            s->report.unknown = rest->report.unknown - own->v[i].part + own->v[i].whole;
    if (made && own->factors->kept) {
        nt_factors_begin(s->factors);
        nt_splitting_scatter(own->values, own->n_values, own->factors->matrix.values,
                             s->factors->matrix.values);
    }
    s->factors->kept = s->factors->in_parts = own->factors->kept;
}
