/* Rigid motions. A body's increment is xi = (u, psi) and its velocity (V, W), all in its own axes:
 * q1 = q0 o exp(xi), dx/dt = R V. The system is asked in the body frame ("inner"), where
 * translations are in ground axes:
 *
 *   v_i    = (R V, W),         v_i' = (R A, W'),   A = V' + W x V
 *   dq_i   = (R u, psi)
 *   dv_i   = (R (dV - V~ psi), dW)
 *   dv_i'  = (R (dV' + W~ dV - V~ dW - A~ psi), dW')
 *
 * With dV, dW = c X xi and so on (nt_combination; X, Y are 6 x 6, their lower left 3 x 3 blocks
 * zero) the columns of R_v', R_v and R_q are multiplied by
 *
 *   D_m = [ R (m Y_tt + c W~ X_tt)   R (m Y_tr + c (W~ X_tr - V~ X_rr) - k A~) ]   and   m Y_rr,
 *   D_c = [ R c X_tt                 R (c X_tr - k V~)                         ]   and   c X_rr,
 *   D_k = [ R k                      0                                         ]   and   k.
 *
 * Forces are r = (R^T f, m): rows of translations are multiplied by R^T, and as R turns with psi,
 * d(R^T f) = R^T df + (R^T f)~ psi. */
#include "system/rigid.h"

#include "base/error.h"

#include <string.h>

/* A body: where its translation and its rotation are. */
typedef struct body {
    int unknown, q;                     /* first in v and in q                     */
    int node[2], row[2], rotation;      /* of translation and rotation             */
    m3 R, tt[2][3], tr[2][3], rr[2][3]; /* D of force rows and of constraint rows  */
} body;

typedef struct nt_rigid {
    nt_problem *inner;
    int n_bodies;
    body *bodies;
    int *body_of; /* [nv] of each unknown, -1: none */
    double *v, *vdot, *residual;
    nt_matrix pass[3]; /* inner tangents in vdot, v and q           */
    nt_matrix own;     /* what is added to the caller's matrix       */
} nt_rigid;

/* ---- set-up --------------------------------------------------------------------------------- */

static nt_status place_bodies(const nt_problem *p, nt_rigid *r, nt_error *error)
{
    const nt_pattern *pattern = r->inner->pattern;
    for (int i = 0; i < p->nv; i++)
        r->body_of[i] = -1;
    for (int k = 0; k < p->space.n_blocks; k++) {
        const nt_block *block = &p->space.blocks[k];
        if (block->kind == NT_SO3) {
            char name[160];
            nt_error place = {0};
            nt_problem_coordinate_name(p, block->v, name, sizeof name);
            if (p->system->place)
                p->system->place(p->system->self, block->v, &place);
            return nt_fail_at(error, NT_UNSUPPORTED, place.file, place.line, place.column,
                              "frame se3 is for bodies that move freely or by joints; block %d of "
                              "the space is a rotation without translation (%s)",
                              k, name);
        }
        if (block->kind != NT_R3SO3)
            continue;
        body *b = &r->bodies[r->n_bodies];
        *b = (body){.unknown = block->v, .q = block->q, .rotation = block->rotation};
        for (int part = 0; part < 2; part++) {
            b->node[part] = nt_pattern_node_of(pattern, block->v + 3 * part);
            b->row[part] = block->v + 3 * part - pattern->node_start[b->node[part]];
            for (int i = 0; i < 3; i++)
                r->body_of[block->v + 3 * part + i] = r->n_bodies;
        }
        r->n_bodies++;
    }
    return NT_OK;
}

static bool is_of_body(const nt_rigid *r, const nt_pattern *pattern, int node)
{
    for (int i = pattern->node_start[node]; i < pattern->node_start[node + 1]; i++)
        if (i < r->inner->nv && r->body_of[i] >= 0)
            return true;
    return false;
}

/* The inner blocks, and whatever meets a body's translation meets its rotation too. */
static nt_status couple(nt_problem *p, nt_rigid *r)
{
    const nt_pattern *inner = r->inner->pattern;
    nt_pattern *pattern = &p->own_pattern;
    int *sizes = NT_TAKE(&p->arena, inner->n_nodes, int);
    if (!sizes)
        return NT_NO_MEMORY;
    for (int i = 0; i < inner->n_nodes; i++)
        sizes[i] = inner->node_start[i + 1] - inner->node_start[i];
    nt_status status = nt_pattern_init(pattern, inner->n_nodes, inner->n_primary, sizes);
    bool good = status == NT_OK;
    for (int slot = 0; good && slot < inner->n_slots; slot++) {
        int row = inner->row[slot], column = inner->column[slot];
        bool full = is_of_body(r, inner, row) || is_of_body(r, inner, column);
        nt_block_shape shape = full ? NT_FULL : (nt_block_shape)inner->shape[slot];
        good = nt_pattern_add(pattern, row, column, shape) >= 0;
    }
    for (int k = 0; good && k < r->n_bodies; k++) {
        const int *node = r->bodies[k].node;
        good = nt_pattern_add(pattern, node[0], node[1], NT_FULL) >= 0 &&
               nt_pattern_add(pattern, node[1], node[0], NT_FULL) >= 0;
        for (int slot = 0; good && slot < inner->n_slots; slot++)
            if (inner->column[slot] == node[0])
                good = nt_pattern_add(pattern, inner->row[slot], node[1], NT_FULL) >= 0 &&
                       nt_pattern_add(pattern, node[1], inner->row[slot], NT_FULL) >= 0;
    }
    p->pattern = pattern;
    return good ? NT_OK : status != NT_OK ? status : NT_NO_MEMORY;
}

nt_status nt_rigid_create(nt_problem *p, nt_error *error)
{
    nt_rigid *r = p->rigid = NT_TAKE(&p->arena, 1, nt_rigid);
    if (!r)
        return NT_NO_MEMORY;
    nt_status status = nt_problem_create(&r->inner, p->system, NT_BODY, error);
    if (status == NT_OK)
        r->inner->n_off = 0; /* which rows are off is the outer problem's to say */
    if (status != NT_OK)
        return status;
    r->bodies = NT_TAKE(&p->arena, p->space.n_rotations, body);
    r->body_of = NT_TAKE(&p->arena, p->nv, int);
    if (!r->bodies || !r->body_of || !NT_DOUBLES(&p->arena, p->nv, &r->v, &r->vdot, &r->residual))
        return NT_NO_MEMORY;
    if ((status = place_bodies(p, r, error)) == NT_OK)
        status = couple(p, r);
    for (int i = 0; i < 3 && status == NT_OK; i++)
        status = nt_problem_take_matrix(p, r->inner->pattern, &r->pass[i]);
    return status == NT_OK ? nt_problem_take_matrix(p, p->pattern, &r->own) : status;
}

void nt_rigid_destroy(nt_problem *p)
{
    if (p->rigid)
        nt_problem_destroy(p->rigid->inner);
}

/* ---- evaluation ----------------------------------------------------------------------------- */

/* The point in the body frame, and R of each body. */
static nt_point rigid_inner_point(const nt_problem *p, const nt_point *at)
{
    nt_rigid *r = p->rigid;
    nt_point inner = *at;
    inner.v = r->v, inner.vdot = r->vdot;
    nt_problem_rates(p, NT_BODY, at->q, at->v, at->vdot, r->v, r->vdot);
    for (int k = 0; k < r->n_bodies; k++)
        r->bodies[k].R = quat_matrix(quat_load(at->q + r->bodies[k].q + 3));
    return inner;
}

static m3 part_of(const double *map, int rotation, int i, int j)
{
    if (!map)
        return i == j ? m3_identity() : m3_scale(0, m3_identity());
    const double *a = map + 36 * (size_t)rotation + 6 * i + j;
    return (m3){a[0], a[1], a[2], a[6], a[7], a[8], a[12], a[13], a[14]};
}

static void fill_columns(const nt_problem *p, const nt_point *at, const nt_combination *c)
{
    const double *map_mass = c->map_mass ? c->map_mass : c->map;
    for (int n = 0; n < p->rigid->n_bodies; n++) {
        body *b = &p->rigid->bodies[n];
        v3 V = v3_load(at->v + b->unknown), W = v3_load(at->v + b->unknown + 3);
        v3 A = v3_add(v3_load(at->vdot + b->unknown), v3_cross(W, V));
        m3 X_tt = part_of(c->map, b->rotation, 0, 0), X_tr = part_of(c->map, b->rotation, 0, 3);
        m3 X_rr = part_of(c->map, b->rotation, 3, 3);
        m3 Y_tt = part_of(map_mass, b->rotation, 0, 0), Y_tr = part_of(map_mass, b->rotation, 0, 3);
        m3 Y_rr = part_of(map_mass, b->rotation, 3, 3), W_ = m3_skew(W), V_ = m3_skew(V);
        for (int rows = 0; rows < 2; rows++) {
            double m = rows ? c->row_mass : c->mass, d = rows ? c->row_damping : c->damping;
            double k = rows ? c->row_stiffness : c->stiffness;
            m3 turning = m3_sub(m3_multiply(W_, X_tr), m3_multiply(V_, X_rr));
            m3 mass_tr = m3_add(m3_scale(m, Y_tr), m3_scale(d, turning));
            b->tt[rows][0] =
                m3_multiply(b->R, m3_add(m3_scale(m, Y_tt), m3_scale(d, m3_multiply(W_, X_tt))));
            b->tr[rows][0] = m3_multiply(b->R, m3_sub(mass_tr, m3_scale(k, m3_skew(A))));
            b->rr[rows][0] = m3_scale(m, Y_rr);
            b->tt[rows][1] = m3_scale(d, m3_multiply(b->R, X_tt));
            b->tr[rows][1] = m3_multiply(b->R, m3_sub(m3_scale(d, X_tr), m3_scale(k, V_)));
            b->rr[rows][1] = m3_scale(d, X_rr);
            b->tt[rows][2] = m3_scale(k, b->R);
            b->tr[rows][2] = m3_scale(0, b->R);
            b->rr[rows][2] = m3_scale(k, m3_identity());
        }
    }
}

/* to[rows][3] of width `across` += from[rows][3] of width `width` times D */
static void add_columns(const double *from, int width, int rows, m3 D, double *to, int across)
{
    for (int i = 0; i < rows; i++, from += width, to += across)
        v3_accumulate(to, m3_apply_transposed(D, v3_load(from)));
}

static double *own_block(const nt_rigid *r, int row, int column, int *across)
{
    const nt_pattern *p = r->own.pattern;
    *across = p->node_start[column + 1] - p->node_start[column];
    return nt_matrix_block(&r->own, nt_pattern_find(p, row, column));
}

/* One inner block of one pass, into the blocks of the same row. */
static void carry_block(const nt_problem *p, const nt_combination *c, int pass, int slot)
{
    const nt_rigid *r = p->rigid;
    const nt_pattern *inner = r->inner->pattern;
    int row = inner->row[slot], column = inner->column[slot], across;
    int rows = inner->node_start[row + 1] - inner->node_start[row];
    int first = inner->node_start[column], width = inner->node_start[column + 1] - first;
    bool force = row < inner->n_primary, multiplier = column >= inner->n_primary;
    const double weight[3] = {force ? c->mass : c->row_mass, force ? c->damping : c->row_damping,
                              force ? c->stiffness : c->row_stiffness};
    double nine[9], *to = own_block(r, row, column, &across);
    const double *from = nt_matrix_full_block(&r->pass[pass], slot, nine);
    double factor = multiplier ? pass == 0 : weight[pass];
    for (int j = 0; j < width; j++) {
        int n = multiplier ? -1 : r->body_of[first + j];
        if (n < 0) {
            int single =
                nt_pattern_is_single(r->own.pattern, nt_pattern_find(r->own.pattern, row, column));
            for (int i = 0; i < (single ? j == 0 : rows); i++)
                to[i * across + j] += factor * from[i * width + j];
            continue;
        }
        const body *b = &r->bodies[n];
        bool turns = first + j >= b->unknown + 3;
        m3 D = turns ? b->rr[!force][pass] : b->tt[!force][pass];
        add_columns(from + j, width, rows, D, to + j, across);
        if (!turns) {
            int wide;
            double *beside = own_block(r, row, b->node[1], &wide) + b->row[1];
            add_columns(from + j, width, rows, b->tr[!force][pass], beside, wide);
        }
        j += 2;
    }
}

/* R^T from the left for the translation's rows of each block. */
static void turn_rows(const nt_rigid *r)
{
    const nt_pattern *p = r->own.pattern;
    for (int slot = 0; slot < p->n_slots; slot++) {
        int start = p->node_start[p->row[slot]], end = p->node_start[p->row[slot] + 1];
        int width = p->node_start[p->column[slot] + 1] - p->node_start[p->column[slot]];
        double *block = nt_matrix_block(&r->own, slot);
        for (int i = start; i < end && i < r->inner->nv; i++) {
            const body *b = r->body_of[i] >= 0 ? &r->bodies[r->body_of[i]] : NULL;
            if (b && i == b->unknown)
                nt_turn_rows(block + (i - start) * width, width, b->R);
        }
    }
}

/* (R^T f)~ k of the translation's rows in the rotation's columns; residual is R^T f. */
static void turn_force(const nt_problem *p, double stiffness)
{
    const nt_rigid *r = p->rigid;
    for (int n = 0; n < r->n_bodies; n++) {
        const body *b = &r->bodies[n];
        int across;
        double *to = own_block(r, b->node[0], b->node[1], &across) + b->row[0] * across + b->row[1];
        double add[9];
        m3_store(add, m3_scale(stiffness, m3_skew(v3_load(r->residual + b->unknown))));
        for (int i = 0; i < 3; i++)
            v3_accumulate(to + i * across, v3_load(add + 3 * i));
    }
}

static void add_residual(const nt_problem *p, double *residual)
{
    nt_rigid *r = p->rigid;
    for (int n = 0; n < r->n_bodies; n++) {
        double *f = r->residual + r->bodies[n].unknown;
        v3_store(f, m3_apply_transposed(r->bodies[n].R, v3_load(f)));
    }
    for (int i = 0; residual && i < p->nv; i++)
        residual[i] += r->residual[i];
}

/* One pass of the inner problem: its tangent in vdot, v or q. */
static nt_status evaluate_pass(const nt_problem *p, const nt_point *inner, const nt_terms *terms,
                               int pass)
{
    nt_rigid *r = p->rigid;
    nt_combination one = nt_derivative_alone(pass, terms->combination);
    nt_terms part = *terms;
    part.matrix = &r->pass[pass];
    part.combination = &one;
    part.residual = pass == 0 ? r->residual : NULL;
    part.rows = pass == 0 ? terms->rows : NULL;
    memset(r->pass[pass].values, 0,
           (size_t)r->inner->pattern->offset[r->inner->pattern->n_slots] * sizeof(double));
    return nt_problem_evaluate(r->inner, inner, &part);
}

nt_status nt_rigid_evaluate(const nt_problem *p, const nt_point *at, const nt_terms *terms)
{
    nt_rigid *r = p->rigid;
    nt_point inner = rigid_inner_point(p, at);
    nt_status status = NT_OK;
    memset(r->residual, 0, (size_t)p->nv * sizeof(double));
    if (!terms->matrix) {
        nt_terms part = *terms;
        part.residual = terms->residual ? r->residual : NULL;
        if ((status = nt_problem_evaluate(r->inner, &inner, &part)) == NT_OK)
            add_residual(p, terms->residual);
        return status;
    }
    size_t entries = (size_t)p->pattern->offset[p->pattern->n_slots];
    memset(r->own.values, 0, entries * sizeof(double));
    fill_columns(p, at, terms->combination);
    for (int pass = 0; pass < 3 && status == NT_OK; pass++) {
        status = evaluate_pass(p, &inner, terms, pass);
        for (int slot = 0; status == NT_OK && slot < r->inner->pattern->n_slots; slot++)
            carry_block(p, terms->combination, pass, slot);
    }
    if (status != NT_OK)
        return status;
    turn_rows(r);
    add_residual(p, terms->residual);
    turn_force(p, terms->combination->stiffness);
    for (size_t i = 0; i < entries; i++)
        terms->matrix->values[i] += r->own.values[i];
    return NT_OK;
}

nt_status nt_rigid_parameter_tangent(const nt_problem *p, const nt_point *at, int k,
                                     const nt_terms *terms)
{
    nt_rigid *r = p->rigid;
    nt_point inner = rigid_inner_point(p, at);
    nt_terms part = *terms;
    memset(r->residual, 0, (size_t)p->nv * sizeof(double));
    part.residual = terms->residual ? r->residual : NULL;
    nt_status status = nt_problem_parameter_tangent(r->inner, &inner, k, &part);
    if (status == NT_OK)
        add_residual(p, terms->residual);
    return status;
}
