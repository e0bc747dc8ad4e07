/* A pendulum's mass p in the plane, a free rotor R, and two unknowns x of first order between them:
 *
 *   x0' = -k x0 - x0^3 + p0 v1 + W2 + sin(t),   x1' = -x1 + x0 p1 + c0,         c = R^T e_z
 *   p'' = (x0, -1 + x1) - x1^2 v/5 - p (lambda, or 4 where nothing is constrained)
 *   J W' + W x J W = x1 e_z x c - W/10,         0 = (p . p - 1)/2
 *
 * with v = (x, p', W) and the one parameter k, which is x1 at the start too. Frame: body. */
#ifndef NUTATE_TESTS_METHOD_FIRST_ORDER_H
#define NUTATE_TESTS_METHOD_FIRST_ORDER_H

#include "base/vector3.h"

#include <math.h>
#include <nutate/system.h>
#include <string.h>

enum { FIRST_NV = 7 };

typedef struct first_order {
    double k;
    bool explicit_rates; /* -g is in NT_EXPLICIT */
    bool round;          /* J = 1: no gyroscopic forces, else diag(1, 1.5, 2) */
    nt_block blocks[3];
    nt_system system;
} first_order;

static inline void first_order_forces(const first_order *s, const nt_point *at, double g[2],
                                      double f[5])
{
    const double *x = at->v, *v = x + 2, *W = x + 4, *p = at->q;
    m3 R = quat_matrix(quat_load(p + 2));
    v3 c = v3_of(R.zx, R.zy, R.zz);
    g[0] = -s->k * x[0] - x[0] * x[0] * x[0] + p[0] * v[1] + W[2] + sin(at->t);
    g[1] = -x[1] + x[0] * p[1] + c.x;
    double spring = s->system.nh > 0 ? 0 : 4;
    f[0] = x[0] - x[1] * x[1] * v[0] / 5 - spring * p[0];
    f[1] = -1 + x[1] - x[1] * x[1] * v[1] / 5 - spring * p[1];
    v3 torque = v3_scale(x[1], v3_cross(v3_of(0, 0, 1), c));
    v3_store(f + 2, v3_axpy(-0.1, v3_load(W), torque));
}

/* to[7][7] -= factor d(g, f)/d(v) and along increments of q. */
static inline void first_order_tangent(const first_order *s, const nt_point *at, double of_g,
                                       double of_f, double damping, double stiffness, double *to)
{
    const double *x = at->v, *v = x + 2, *p = at->q;
    double spring = s->system.nh > 0 ? 0 : 4;
    m3 R = quat_matrix(quat_load(p + 2)), e = m3_skew(v3_of(0, 0, 1));
    v3 c = v3_of(R.zx, R.zy, R.zz), ec = v3_cross(v3_of(0, 0, 1), c);
    m3 dc = m3_skew(c), turn = m3_scale(x[1], m3_multiply(e, dc)); /* dc = c x dTheta */
#define AT(i, j) to[FIRST_NV * (i) + (j)]
    AT(0, 0) += of_g * damping * (s->k + 3 * x[0] * x[0]);
    AT(0, 3) -= of_g * damping * p[0];
    AT(0, 6) -= of_g * damping;
    AT(0, 2) -= of_g * stiffness * v[1];
    AT(1, 1) += of_g * damping;
    AT(1, 0) -= of_g * damping * p[1];
    AT(1, 3) -= of_g * stiffness * x[0];
    AT(1, 4) -= of_g * stiffness * dc.xx;
    AT(1, 5) -= of_g * stiffness * dc.xy;
    AT(1, 6) -= of_g * stiffness * dc.xz;
    AT(2, 0) -= of_f * damping;
    AT(3, 1) -= of_f * damping;
    for (int i = 0; i < 2; i++) {
        AT(2 + i, 1) += of_f * damping * 2 * x[1] * v[i] / 5;
        AT(2 + i, 2 + i) += of_f * (damping * x[1] * x[1] / 5 + stiffness * spring);
    }
    double turns[9];
    m3_store(turns, turn);
    for (int i = 0; i < 3; i++) {
        AT(4 + i, 1) -= of_f * damping * v3_component(ec, i);
        AT(4 + i, 4 + i) += of_f * damping * 0.1;
        for (int j = 0; j < 3; j++)
            AT(4 + i, 4 + j) -= of_f * stiffness * turns[3 * i + j];
    }
#undef AT
}

static inline nt_status first_order_evaluate(void *self, const nt_point *at, const nt_terms *terms)
{
    const first_order *s = self;
    const double J[3] = {1, s->round ? 1 : 1.5, s->round ? 1 : 2}, *v = at->v, *a = at->vdot,
                 *p = at->q;
    unsigned parts = terms->parts, rates = s->explicit_rates ? NT_EXPLICIT : NT_IMPLICIT;
    double mass = parts & NT_MASS ? 1 : 0, force = parts & NT_IMPLICIT ? 1 : 0;
    double rate = parts & rates ? 1 : 0, gyroscopic = parts & NT_GYROSCOPIC ? 1 : 0;
    double rod = (parts & NT_REACTIONS) && s->system.nh > 0 ? 1 : 0;
    double g[2], f[5];
    v3 W = v3_load(v + 4), JW = v3_of(J[0] * W.x, J[1] * W.y, J[2] * W.z);
    first_order_forces(s, at, g, f);
    for (int i = 0; terms->residual && i < FIRST_NV; i++)
        terms->residual[i] += (mass != 0 ? mass * (i < 4 ? 1 : J[i - 4]) * a[i] : 0) -
                              (i < 2 ? rate * g[i] : force * f[i - 2]);
    for (int i = 0; terms->residual && rod > 0 && i < 2; i++)
        terms->residual[2 + i] += at->lambda[0] * p[i];
    if (terms->residual)
        v3_accumulate(terms->residual + 4, v3_scale(gyroscopic, v3_cross(W, JW)));
    if (terms->rows && s->system.nh > 0)
        terms->rows[0] = terms->level == NT_POSITION ? (p[0] * p[0] + p[1] * p[1] - 1) / 2
                         : terms->level == NT_VELOCITY
                             ? p[0] * v[2] + p[1] * v[3]
                             : p[0] * a[2] + p[1] * a[3] + v[2] * v[2] + v[3] * v[3];
    if (!terms->matrix)
        return NT_OK;
    const nt_combination *c = terms->combination;
    double *to = nt_matrix_block(terms->matrix, 0), C[9];
    first_order_tangent(s, at, rate, force, c->damping, c->stiffness, to);
    m3 JM = m3_diagonal(J[0], J[1], J[2]);
    m3_store(C, m3_sub(m3_skew_multiply(W, JM), m3_skew(JW)));
    for (int i = 0; i < FIRST_NV; i++)
        to[(FIRST_NV + 1) * i] += c->mass * mass * (i < 4 ? 1 : J[i - 4]);
    for (int i = 0; i < 9; i++)
        to[FIRST_NV * (4 + i / 3) + 4 + i % 3] += gyroscopic * c->damping * C[i];
    for (int i = 0; rod > 0 && i < 2; i++)
        to[(FIRST_NV + 1) * (2 + i)] += c->stiffness * at->lambda[0];
    for (int i = 0; s->system.nh > 0 && i < 2; i++) {
        nt_matrix_block(terms->matrix, 1)[2 + i] += c->multiplier * rod * p[i];
        nt_matrix_block(terms->matrix, 2)[2 + i] +=
            terms->level == NT_POSITION ? c->row_stiffness * p[i]
            : terms->level == NT_VELOCITY
                ? c->row_damping * p[i] + c->row_stiffness * v[2 + i]
                : c->row_mass * p[i] + c->row_damping * 2 * v[2 + i] + c->row_stiffness * a[2 + i];
    }
    return NT_OK;
}

static inline nt_status first_order_set(void *self, const double *p)
{
    ((first_order *)self)->k = p[0];
    return NT_OK;
}

static inline void first_order_get(void *self, double *p) { p[0] = ((first_order *)self)->k; }

static inline nt_status first_order_initial(void *self, double t, double *q, double *v,
                                            double *memory)
{
    (void)t, (void)memory;
    const first_order *s = self;
    const double q0[6] = {1, 0, 1, 0, 0, 0}, v0[FIRST_NV] = {0.5, s->k, 0, 0.7, 0.3, -0.8, 1.2};
    memcpy(q, q0, sizeof q0);
    memcpy(v, v0, sizeof v0);
    return NT_OK;
}

static inline void first_order_init(first_order *s, bool constrained)
{
    *s = (first_order){
        .k = 0.4,
        .blocks = {{.kind = NT_FIRST, .nv = 2}, {.kind = NT_RN, .nv = 2}, {.kind = NT_SO3}}};
    s->system = (nt_system){.name = "rates beside a mechanism",
                            .frame = NT_BODY,
                            .nh = constrained,
                            .capabilities = NT_HAS_TANGENT | NT_HAS_PARAMETERS | NT_ALL_LEVELS |
                                            NT_AFFINE | NT_HAS_SPLIT,
                            .n_parameters = 1,
                            .self = s,
                            .evaluate = first_order_evaluate,
                            .set_parameters = first_order_set,
                            .get_parameters = first_order_get,
                            .initial = first_order_initial};
    nt_space_init(&s->system.space, s->blocks, 3);
}

#endif
