/* The heavy top, written by hand as a user would: R^3 x SO(3), body frame, no map.
 *
 *   m x'' - m g - lambda = 0,   J W' + W x J W + X x R^T lambda = 0,   0 = R X - x
 *
 * THEORY of the tangents: Bruls & Eberhard 2008, section 6. The same system in the inertial frame
 * is the library's affair. */
#ifndef NUTATE_TESTS_TOP_H
#define NUTATE_TESTS_TOP_H

#include "base/vector3.h"

#include <nutate/method.h>
#include <stdbool.h>

typedef struct top {
    double m;
    m3 J;
    v3 X, gravity;
    long evaluations;
} top;

static inline void top_put(double *block, int width, int i, int j, double s, m3 a)
{
    const double rows[9] = {a.xx, a.xy, a.xz, a.yx, a.yy, a.yz, a.zx, a.zy, a.zz};
    for (int k = 0; k < 9; k++)
        block[(i + k / 3) * width + j + k % 3] += s * rows[k];
}

static inline void top_rows(const top *p, const nt_point *at, nt_level level, m3 R, double *rows)
{
    v3 W = v3_load(at->v + 3), A = v3_load(at->vdot + 3);
    v3 turn = v3_cross(W, p->X);
    v3 phi = v3_sub(m3_apply(R, p->X), v3_load(at->q));
    if (level == NT_VELOCITY)
        phi = v3_sub(m3_apply(R, turn), v3_load(at->v));
    if (level == NT_ACCELERATION)
        phi = v3_sub(m3_apply(R, v3_add(v3_cross(A, p->X), v3_cross(W, turn))), v3_load(at->vdot));
    v3_store(rows, phi);
}

static inline nt_status top_evaluate(void *self, const nt_point *at, const nt_terms *terms)
{
    top *p = self;
    p->evaluations++;
    m3 R = quat_matrix(quat_load(at->q + 3)), X = m3_skew(p->X);
    v3 W = v3_load(at->v + 3), A = v3_load(at->vdot + 3), lambda = v3_load(at->lambda);
    v3 JW = m3_apply(p->J, W), local = m3_apply_transposed(R, lambda);
    bool inertia = terms->parts & NT_MASS, reactions = terms->parts & NT_REACTIONS;
    if (terms->residual) {
        if (inertia) {
            v3_accumulate(terms->residual, v3_scale(p->m, v3_load(at->vdot)));
            v3_accumulate(terms->residual + 3, m3_apply(p->J, A));
        }
        if (terms->parts & NT_GYROSCOPIC)
            v3_accumulate(terms->residual + 3, v3_cross(W, JW));
        if (terms->parts & NT_IMPLICIT)
            v3_accumulate(terms->residual, v3_scale(-p->m, p->gravity));
        if (reactions) {
            v3_accumulate(terms->residual, v3_neg(lambda));
            v3_accumulate(terms->residual + 3, v3_cross(p->X, local));
        }
    }
    if (terms->rows)
        top_rows(p, at, terms->level, R, terms->rows);
    if (!terms->matrix)
        return NT_OK;
    const nt_combination *c = terms->combination;
    double *vv = nt_matrix_block(terms->matrix, 0), *vl = nt_matrix_block(terms->matrix, 1);
    double *lv = nt_matrix_block(terms->matrix, 2);
    if (inertia) {
        top_put(vv, 6, 0, 0, c->mass * p->m, m3_identity());
        top_put(vv, 6, 3, 3, c->mass, p->J);
    }
    if (terms->parts & NT_GYROSCOPIC)
        top_put(vv, 6, 3, 3, c->damping, m3_sub(m3_skew_multiply(W, p->J), m3_skew(JW)));
    if (reactions) {
        top_put(vv, 6, 3, 3, c->stiffness, m3_skew_skew(p->X, local));
        top_put(vl, 3, 0, 0, -c->multiplier, m3_identity());
        top_put(vl, 3, 3, 0, c->multiplier, m3_multiply(X, m3_transpose(R)));
    }
    /* rows: -R X~ dTheta at position level; the others by the same rule with W and A */
    m3 RX = m3_multiply(R, X), W1 = m3_skew(W);
    double k = c->row_stiffness, d = c->row_damping, m = c->row_mass;
    double first = terms->level == NT_POSITION ? k : terms->level == NT_VELOCITY ? d : m;
    top_put(lv, 6, 0, 0, -first, m3_identity());
    if (terms->level == NT_POSITION)
        top_put(lv, 6, 0, 3, -k, RX);
    if (terms->level == NT_VELOCITY) {
        top_put(lv, 6, 0, 3, -d, RX);
        top_put(lv, 6, 0, 3, -k, m3_multiply(R, m3_skew(v3_cross(W, p->X))));
    }
    if (terms->level == NT_ACCELERATION) {
        v3 turn = v3_cross(W, p->X);
        top_put(lv, 6, 0, 3, -m, RX);
        top_put(lv, 6, 0, 3, -d, m3_multiply(R, m3_add(m3_skew(turn), m3_multiply(W1, X))));
        top_put(lv, 6, 0, 3, -k,
                m3_multiply(R, m3_skew(v3_add(v3_cross(A, p->X), v3_cross(W, turn)))));
    }
    return NT_OK;
}

static inline nt_system top_system(top *p, nt_block *block)
{
    nt_system s = {.name = "heavy top", .frame = NT_BODY, .nh = 3};
    *block = (nt_block){.kind = NT_R3SO3};
    nt_space_init(&s.space, block, 1);
    s.capabilities = NT_HAS_TANGENT | NT_ALL_LEVELS | NT_AFFINE | NT_POSITION_FORCES;
    s.self = p;
    s.evaluate = top_evaluate;
    return s;
}

/* Bruls & Eberhard 2008, section 6 */
static inline top heavy_top(void)
{
    return (top){.m = 15,
                 .J = m3_diagonal(0.234375, 0.46875, 0.234375),
                 .X = {0, 1, 0},
                 .gravity = {0, 0, -9.81}};
}
static const double top_q0[7] = {0, 1, 0, 1, 0, 0, 0};
static const double top_v0[6] = {4.61538, 0, 0, 0, 150, -4.61538};

#endif
