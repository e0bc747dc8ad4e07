/* One adapter between frames, and between plain systems and the group's tangent operator.
 *
 * Frames. Let the system ("inner") and the method ("outer") use different frames, w_i = Q w_o with
 * Q = R (inner inertial, outer body) or Q = R^T (inner body, outer inertial). Rates transform
 * alike, w_i' = Q w_o', because w x w = 0. Moments transform by r_o = Q^T r_i. A variation e_o of
 * the outer unknown is e_i = Q e_o, and
 *
 *   dw_i = d(Q w_o) = Q dw_o + s k w_i~ e_i,   s = -1 (inner inertial), +1 (inner body),
 *
 * likewise for w_i': the `turn` of nt_combination. With X_i = Q X_o Q^T one inner evaluation gives
 * the tangent in e_i. Then columns are multiplied by Q, rows by Q^T, and the rotation acting on
 * the residual adds -s k r_o~ to the diagonal block:
 *
 *   d(Q^T r_i) = Q^T dr_i - s k r_o~ e_o.
 *
 * Maps. A plain system (no NT_APPLIES_MAP) is evaluated three times, for R_vdot, R_v and R_q
 * alone, and the combination is made here. */
#include "system/adapter.h"

#include "base/vector3.h"

#include <string.h>

typedef struct rotation_place {
    int unknown;   /* first of its three v entries        */
    int node, row; /* its node and first row in the node */
    int q;         /* first of its quaternion in q         */
} rotation_place;

struct nt_adapter {
    bool turns;             /* frames differ                                     */
    bool plain;             /* the system ignores maps                           */
    rotation_place *place;  /* [n_rotations]                                     */
    int *node_first;        /* [n_nodes + 1] rotations of each node, in `place`  */
    double *v, *vdot;       /* [nv] in the system's frame                        */
    double *residual;       /* [nv]                                              */
    double *map, *map_mass; /* [n_rotations][9] */
    nt_matrix own;          /* turns: what is added to the caller's matrix */
    m3 *Q;                  /* [n_rotations]                                     */
    nt_matrix pass[3];      /* plain: tangents in vdot, v and q                  */
};

static nt_status place_rotations(nt_problem *problem, struct nt_adapter *adapter)
{
    const nt_pattern *pattern = problem->pattern;
    int node = 0, k = 0;
    for (int b = 0; b < problem->space.n_blocks; b++) {
        const nt_block *block = &problem->space.blocks[b];
        if (block->rotation < 0)
            continue;
        int unknown = block->v + block->nv - 3;
        while (pattern->node_start[node + 1] <= unknown)
            adapter->node_first[++node] = k;
        if (unknown + 3 > pattern->node_start[node + 1])
            return NT_INVALID;
        adapter->place[k++] = (rotation_place){.unknown = unknown,
                                               .node = node,
                                               .row = unknown - pattern->node_start[node],
                                               .q = block->q + block->nq - 4};
    }
    while (node < pattern->n_nodes)
        adapter->node_first[++node] = k;
    return NT_OK;
}

nt_status nt_adapter_create(nt_problem *problem)
{
    const nt_system *system = problem->system;
    int n_rotations = problem->space.n_rotations;
    bool turns = n_rotations > 0 && problem->frame != system->frame;
    bool plain = n_rotations > 0 && !(system->capabilities & NT_APPLIES_MAP);
    if (!turns && !plain)
        return NT_OK;
    nt_arena *arena = &problem->arena;
    struct nt_adapter *a = NT_TAKE(arena, 1, struct nt_adapter);
    if (!a)
        return NT_NO_MEMORY;
    a->turns = turns;
    a->plain = plain;
    a->place = NT_TAKE(arena, n_rotations, rotation_place);
    a->node_first = NT_TAKE(arena, problem->pattern->n_nodes + 1, int);
    a->Q = NT_TAKE(arena, n_rotations, m3);
    bool good = a->place && a->node_first && a->Q &&
                NT_DOUBLES(arena, problem->nv, &a->v, &a->vdot, &a->residual) &&
                NT_DOUBLES(arena, 9 * (size_t)n_rotations, &a->map, &a->map_mass);
    for (int i = 0; plain && i < 3 && good; i++)
        good = nt_problem_take_matrix(problem, problem->pattern, &a->pass[i]) == NT_OK;
    if (!good || (turns && nt_problem_take_matrix(problem, problem->pattern, &a->own) != NT_OK))
        return NT_NO_MEMORY;
    problem->adapter = a;
    return place_rotations(problem, a);
}

/* columns j .. j + 2 of a block with the given width times Q */
static void multiply_columns(double *block, int rows, int width, int j, m3 Q)
{
    for (int i = 0; i < rows; i++) {
        double *p = block + i * width + j;
        v3_store(p, m3_apply_transposed(Q, v3_load(p)));
    }
}

static void turn_matrix(const nt_problem *problem, const nt_matrix *matrix)
{
    const struct nt_adapter *a = problem->adapter;
    const nt_pattern *pattern = problem->pattern;
    for (int slot = 0; slot < pattern->n_slots; slot++) {
        int row = pattern->row[slot], column = pattern->column[slot];
        int rows = pattern->node_start[row + 1] - pattern->node_start[row];
        int width = pattern->node_start[column + 1] - pattern->node_start[column];
        double *block = nt_matrix_block(matrix, slot);
        for (int k = a->node_first[column]; k < a->node_first[column + 1]; k++)
            multiply_columns(block, rows, width, a->place[k].row, a->Q[k]);
        for (int k = a->node_first[row]; k < a->node_first[row + 1]; k++)
            nt_turn_rows(block + a->place[k].row * width, width, a->Q[k]);
    }
}

/* the rotation of the residual itself: -s k r_o~ on the diagonal */
static void turn_residual_tangent(const nt_problem *problem, const nt_combination *combination,
                                  double s, const double *residual)
{
    const struct nt_adapter *a = problem->adapter;
    double factor = -s * combination->stiffness;
    for (int k = 0; factor != 0 && k < problem->space.n_rotations; k++) {
        int node = a->place[k].node, row = a->place[k].row;
        int width = problem->pattern->node_start[node + 1] - problem->pattern->node_start[node];
        double *block = nt_matrix_block(&a->own, nt_pattern_find(problem->pattern, node, node));
        m3 add = m3_scale(factor, m3_skew(v3_load(residual + a->place[k].unknown)));
        v3_accumulate(block + (row + 0) * width + row, v3_of(add.xx, add.xy, add.xz));
        v3_accumulate(block + (row + 1) * width + row, v3_of(add.yx, add.yy, add.yz));
        v3_accumulate(block + (row + 2) * width + row, v3_of(add.zx, add.zy, add.zz));
    }
}

/* matrix += M (m X + k s w'~) + C (c X + k s w~) + k K for the columns of each slot */
static void combine_slot(const nt_problem *problem, const nt_point *at, const nt_terms *terms,
                         int slot)
{
    const struct nt_adapter *a = problem->adapter;
    const nt_pattern *pattern = problem->pattern;
    const nt_combination *c = terms->combination;
    int row = pattern->row[slot], column = pattern->column[slot];
    int rows = pattern->node_start[row + 1] - pattern->node_start[row];
    int width = pattern->node_start[column + 1] - pattern->node_start[column];
    bool force = row < pattern->n_primary;
    double weight[3] = {force ? c->mass : c->row_mass, force ? c->damping : c->row_damping,
                        force ? c->stiffness : c->row_stiffness};
    double *block = nt_matrix_block(terms->matrix, slot);
    double *part[3];
    for (int p = 0; p < 3; p++)
        part[p] = nt_matrix_block(&a->pass[p], slot);
    if (nt_pattern_is_single(pattern, slot)) /* of a translation, whatever it is coupled to */
        rows = width = 1;
    if (column >= pattern->n_primary) { /* multiplier columns came with the first pass */
        for (int i = 0; i < rows * width; i++)
            block[i] += part[0][i];
        return;
    }
    for (int k = a->node_first[column]; k < a->node_first[column + 1]; k++) {
        m3 X = c->map ? m3_load(c->map + 9 * k) : m3_identity();
        double s = c->turn * weight[2];
        m3 Y = c->map_mass ? m3_load(c->map_mass + 9 * k) : X;
        m3 mass = m3_scale(weight[0], Y), damping = m3_scale(weight[1], X);
        if (s != 0) {
            mass = m3_add(mass, m3_scale(s, m3_skew(v3_load(at->vdot + a->place[k].unknown))));
            damping = m3_add(damping, m3_scale(s, m3_skew(v3_load(at->v + a->place[k].unknown))));
        }
        multiply_columns(part[0], rows, width, a->place[k].row, mass);
        multiply_columns(part[1], rows, width, a->place[k].row, damping);
        multiply_columns(part[2], rows, width, a->place[k].row,
                         m3_diagonal(weight[2], weight[2], weight[2]));
    }
    for (int j = 0; j < width; j++) {
        bool rotation = false;
        for (int k = a->node_first[column]; k < a->node_first[column + 1]; k++)
            rotation |= j >= a->place[k].row && j < a->place[k].row + 3;
        for (int i = 0; i < rows; i++)
            for (int p = 0; p < 3; p++)
                block[i * width + j] += (rotation ? 1 : weight[p]) * part[p][i * width + j];
    }
}

static nt_status evaluate_plain(const nt_problem *problem, const nt_point *at,
                                const nt_terms *terms)
{
    struct nt_adapter *a = problem->adapter;
    size_t entries = (size_t)problem->pattern->offset[problem->pattern->n_slots];
    for (int p = 0; p < 3; p++) {
        nt_combination one = nt_derivative_alone(p, terms->combination);
        nt_terms pass = *terms;
        pass.matrix = &a->pass[p];
        pass.combination = &one;
        if (p > 0)
            pass.residual = pass.rows = NULL;
        memset(a->pass[p].values, 0, entries * sizeof(double));
        nt_status status = problem->system->evaluate(problem->system->self, at, &pass);
        if (status != NT_OK)
            return status;
    }
    for (int slot = 0; slot < problem->pattern->n_slots; slot++)
        combine_slot(problem, at, terms, slot);
    return NT_OK;
}

static nt_status evaluate_inner(const nt_problem *problem, const nt_point *at,
                                const nt_terms *terms)
{
    const nt_combination *c = terms->combination;
    if (terms->matrix && problem->adapter->plain && (c->map || c->map_mass || c->turn != 0))
        return evaluate_plain(problem, at, terms);
    return problem->system->evaluate(problem->system->self, at, terms);
}

/* X_i = Q X_o Q^T into turned[n_rotations][9]; NULL stays NULL. */
static const double *turn_map(const nt_problem *problem, const double *map, double *turned)
{
    const struct nt_adapter *a = problem->adapter;
    for (int k = 0; map && k < problem->space.n_rotations; k++)
        m3_store(turned + 9 * k,
                 m3_multiply(a->Q[k], m3_multiply(m3_load(map + 9 * k), m3_transpose(a->Q[k]))));
    return map ? turned : NULL;
}

/* The point in the system's frame, and Q of each rotation. */
static nt_point adapter_inner_point(const nt_problem *problem, const nt_point *at)
{
    struct nt_adapter *a = problem->adapter;
    bool inner_inertial = problem->system->frame == NT_INERTIAL;
    nt_space_change_frame(&problem->space, problem->frame, problem->system->frame, at->q, at->v,
                          a->v);
    nt_space_change_frame(&problem->space, problem->frame, problem->system->frame, at->q, at->vdot,
                          a->vdot);
    for (int k = 0; k < problem->space.n_rotations; k++) {
        m3 R = quat_matrix(quat_load(at->q + a->place[k].q));
        a->Q[k] = inner_inertial ? R : m3_transpose(R);
    }
    nt_point inner = *at;
    inner.v = a->v;
    inner.vdot = a->vdot;
    return inner;
}

/* Q^T r_i of the adapter's own residual. */
static void turn_residual(const nt_problem *problem)
{
    const struct nt_adapter *a = problem->adapter;
    for (int k = 0; k < problem->space.n_rotations; k++) {
        double *r = a->residual + a->place[k].unknown;
        v3_store(r, m3_apply_transposed(a->Q[k], v3_load(r)));
    }
}

nt_status nt_adapter_parameter_tangent(const nt_problem *problem, const nt_point *at, int k,
                                       const nt_terms *terms)
{
    struct nt_adapter *a = problem->adapter;
    const nt_system *system = problem->system;
    if (!a->turns)
        return system->parameter_tangent(system->self, at, k, terms);
    nt_point inner = adapter_inner_point(problem, at);
    nt_terms inner_terms = *terms;
    inner_terms.residual = terms->residual ? a->residual : NULL;
    memset(a->residual, 0, (size_t)problem->nv * sizeof(double));
    nt_status status = system->parameter_tangent(system->self, &inner, k, &inner_terms);
    if (status != NT_OK || !terms->residual)
        return status;
    turn_residual(problem);
    for (int i = 0; i < problem->nv; i++)
        terms->residual[i] += a->residual[i];
    return NT_OK;
}

nt_status nt_adapter_evaluate(const nt_problem *problem, const nt_point *at, const nt_terms *terms)
{
    struct nt_adapter *a = problem->adapter;
    if (!a->turns)
        return evaluate_inner(problem, at, terms);

    size_t entries = (size_t)problem->pattern->offset[problem->pattern->n_slots];
    double s = problem->system->frame == NT_INERTIAL ? -1 : 1;
    nt_point inner = adapter_inner_point(problem, at);
    nt_terms inner_terms = *terms;
    nt_combination combination = {0};
    if (terms->residual || terms->matrix) {
        memset(a->residual, 0, (size_t)problem->nv * sizeof(double));
        inner_terms.residual = a->residual;
    }
    if (terms->matrix) {
        combination = *terms->combination;
        combination.turn = s;
        combination.map = turn_map(problem, combination.map, a->map);
        combination.map_mass = turn_map(problem, combination.map_mass, a->map_mass);
        memset(a->own.values, 0, entries * sizeof(double));
        inner_terms.matrix = &a->own;
        inner_terms.combination = &combination;
    }
    nt_status status = evaluate_inner(problem, &inner, &inner_terms);
    if (status != NT_OK)
        return status;
    if (inner_terms.residual)
        turn_residual(problem);
    if (terms->matrix) {
        turn_matrix(problem, &a->own);
        turn_residual_tangent(problem, terms->combination, s, a->residual);
        for (size_t i = 0; i < entries; i++)
            terms->matrix->values[i] += a->own.values[i];
    }
    for (int i = 0; terms->residual && i < problem->nv; i++)
        terms->residual[i] += a->residual[i];
    return NT_OK;
}
