/* A symmetric top about a fixed point, written by hand as a user would: SO(3), body frame.
 *
 *   J W' + W x J W = -g e3 x R^T e3 - c W,   J = diag(5, 5, 1),  g = m g l = 20
 *
 * g and the first of the principal moments are its parameters, c an optional damping. With tangent
 * and momenta; each can be left out of the capabilities. */
#ifndef NUTATE_TESTS_SLOW_TOP_H
#define NUTATE_TESTS_SLOW_TOP_H

#include "base/vector3.h"

#include <nutate/method.h>
#include <string.h>

typedef struct slow_top {
    double weight, damping; /* N m, N m s */
    double J[9], mass[3];
    long evaluations;
    nt_block block;
    nt_momenta momenta;
    nt_system system;
} slow_top;

static inline nt_status slow_top_evaluate(void *self, const nt_point *at, const nt_terms *terms)
{
    slow_top *p = self;
    p->evaluations++;
    m3 R = quat_matrix(quat_load(at->q)), J = m3_load(p->J);
    v3 W = v3_load(at->v), JW = m3_apply(J, W), e3 = {0, 0, 1}, up = m3_apply_transposed(R, e3);
    v3 r = {0, 0, 0};
    m3 K = {0};
    const nt_combination *c = terms->combination;
    double k = c ? c->stiffness : 0, d = c ? c->damping : 0, m = c ? c->mass : 0;
    if (terms->parts & NT_MASS) {
        r = v3_add(r, m3_apply(J, v3_load(at->vdot)));
        K = m3_add(K, m3_scale(m, J));
    }
    if (terms->parts & NT_GYROSCOPIC) {
        r = v3_add(r, v3_cross(W, JW));
        K = m3_add(K, m3_scale(d, m3_sub(m3_skew_multiply(W, J), m3_skew(JW))));
    }
    if (terms->parts & NT_IMPLICIT) { /* d(R^T e3) = (R^T e3)~ dTheta */
        r = v3_add(r, v3_add(v3_scale(p->weight, v3_cross(e3, up)), v3_scale(p->damping, W)));
        K = m3_add(K, m3_scale(k * p->weight, m3_skew_skew(e3, up)));
        K = m3_add(K, m3_diagonal(d * p->damping, d * p->damping, d * p->damping));
    }
    if (terms->residual)
        v3_accumulate(terms->residual, r);
    if (terms->matrix)
        m3_accumulate(nt_matrix_block(terms->matrix, 0), K);
    return NT_OK;
}

static inline nt_status slow_top_set(void *self, const double *values)
{
    slow_top *p = self;
    p->weight = values[0];
    p->J[0] = values[1];
    return NT_OK;
}

static inline void slow_top_get(void *self, double *values)
{
    const slow_top *p = self;
    values[0] = p->weight;
    values[1] = p->J[0];
}

static inline void slow_top_init(slow_top *p)
{
    static const char *const names[] = {"weight", "J11"};
    memset(p, 0, sizeof *p);
    p->weight = 20;
    p->J[0] = p->J[4] = 5;
    p->J[8] = 1;
    p->momenta = (nt_momenta){.mass = p->mass, .inertia = p->J};
    p->block = (nt_block){.kind = NT_SO3};
    p->system = (nt_system){.name = "slow top",
                            .frame = NT_BODY,
                            .capabilities = NT_HAS_TANGENT | NT_HAS_MOMENTA | NT_POSITION_FORCES |
                                            NT_AFFINE | NT_HAS_PARAMETERS,
                            .n_parameters = 2,
                            .parameter_names = names,
                            .self = p,
                            .evaluate = slow_top_evaluate,
                            .set_parameters = slow_top_set,
                            .get_parameters = slow_top_get,
                            .momenta = &p->momenta};
    nt_space_init(&p->system.space, &p->block, 1);
}

/* exp(0.05 e1), W = (0, 0, spin): 5 rad/s slow, 50 fast */
static inline void slow_top_start(double spin, double q[4], double W[3])
{
    const double psi[3] = {0.05, 0, 0};
    nt_so3_exp(psi, q);
    W[0] = W[1] = 0, W[2] = spin;
}

static inline double slow_top_energy(const slow_top *p, const double *q, const double *W)
{
    v3 w = v3_load(W);
    return v3_dot(w, m3_apply(m3_load(p->J), w)) / 2 + p->weight * quat_matrix(quat_load(q)).zz;
}

/* the vertical component of R J W */
static inline double slow_top_momentum(const slow_top *p, const double *q, const double *W)
{
    return m3_apply(quat_matrix(quat_load(q)), m3_apply(m3_load(p->J), v3_load(W))).z;
}

#endif
