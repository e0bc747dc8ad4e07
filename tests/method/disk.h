/* A disk that rolls on the plane z = 0 without slipping or leaving it, written by hand in the
 * inertial frame: R^3 x SO(3), one holonomic and two nonholonomic constraints.
 *
 * Axis a = R e3, n = e_z, p = n . a, s = sqrt(1 - p^2); the lowest point of the rim is c = -r u
 * from the centre, u = (n - p a)/s, and g = n . x - r s. The velocity of the disk's point there is
 *
 *   V = v + w x c,   g' = n . V,   k = (V_x, V_y),   F = (mu_1, mu_2, lambda) acts there:
 *   m x'' - m gravity - F = 0,   J w' + w x J w - c x F = 0,   J = R diag(A, A, C) R^T.
 *
 * Of a small turn dtheta: du = U dtheta, U = ((a n^T + p)/s - p/s^2 u n^T) a~. */
#ifndef NUTATE_TESTS_DISK_H
#define NUTATE_TESTS_DISK_H

#include "method/top.h"

typedef struct disk {
    double m, r, A, C, gravity;
    nt_block block;
    nt_system system;
} disk;

typedef struct disk_place {
    v3 a, u, c, u_rate;
    m3 J, U;
} disk_place;

static inline disk_place disk_look(const disk *d, const nt_point *at)
{
    disk_place k;
    m3 R = quat_matrix(quat_load(at->q + 3));
    v3 n = {0, 0, 1};
    k.a = v3_of(R.xz, R.yz, R.zz);
    double p = k.a.z, s = sqrt(1 - p * p);
    k.u = v3_scale(1 / s, v3_sub(n, v3_scale(p, k.a)));
    k.c = v3_scale(-d->r, k.u);
    m3 bend = m3_add(m3_scale(1 / s, m3_add(m3_dyad(k.a, n), m3_diagonal(p, p, p))),
                     m3_scale(-p / (s * s), m3_dyad(k.u, n)));
    k.U = m3_multiply(bend, m3_skew(k.a));
    k.u_rate = m3_apply(k.U, v3_load(at->v + 3));
    k.J = m3_multiply(R, m3_multiply(m3_diagonal(d->A, d->A, d->C), m3_transpose(R)));
    return k;
}

static inline void disk_rows(const disk *d, const disk_place *k, const nt_point *at,
                             const nt_terms *terms)
{
    v3 w = v3_load(at->v + 3), V = v3_add(v3_load(at->v), v3_cross(w, k->c));
    if (terms->level == NT_ACCELERATION) {
        v3 c_rate = v3_scale(-d->r, k->u_rate);
        V = v3_add(v3_load(at->vdot),
                   v3_add(v3_cross(v3_load(at->vdot + 3), k->c), v3_cross(w, c_rate)));
    }
    terms->rows[0] = terms->level == NT_POSITION ? at->q[2] + k->c.z : V.z;
    terms->rows[1] = V.x;
    terms->rows[2] = V.y;
}

/* Derivatives of the rows; at acceleration level that in vdot alone, which is all that equations
 * affine in it need. */
static inline void disk_row_tangent(const disk *d, const disk_place *k, const nt_point *at,
                                    const nt_terms *terms)
{
    const nt_combination *c = terms->combination;
    bool third = terms->level == NT_ACCELERATION;
    double own = third ? c->row_mass : c->row_damping, turn = third ? 0 : c->row_stiffness;
    double part[3 * 6] = {0};
    top_put(part, 6, 0, 0, own, m3_identity());
    top_put(part, 6, 0, 3, -own, m3_skew(k->c));
    top_put(part, 6, 0, 3, -turn * d->r, m3_multiply(m3_skew(v3_load(at->v + 3)), k->U));
    double *row = nt_matrix_block(terms->matrix, 2);
    for (int j = 0; j < 6; j++) {
        row[j] += terms->level == NT_POSITION ? 0 : part[12 + j];
        row[6 + j] += part[j];
        row[12 + j] += part[6 + j];
    }
    if (terms->level == NT_POSITION) { /* n . (dx + dtheta x c) */
        row[2] += c->row_stiffness;
        row[3] += c->row_stiffness * k->c.y;
        row[4] -= c->row_stiffness * k->c.x;
    }
}

static inline void disk_tangent(const disk *d, const disk_place *k, const nt_point *at,
                                const nt_terms *terms, v3 F)
{
    const nt_combination *c = terms->combination;
    double *vv = nt_matrix_block(terms->matrix, 0), *vl = nt_matrix_block(terms->matrix, 1);
    v3 w = v3_load(at->v + 3), rate = v3_load(at->vdot + 3), L = m3_apply(k->J, w);
    m3 turned = m3_sub(m3_multiply(k->J, m3_skew(w)), m3_skew(L)); /* -dL = turned dtheta, at w */
    if (terms->parts & NT_MASS) {
        top_put(vv, 6, 0, 0, c->mass * d->m, m3_identity());
        top_put(vv, 6, 3, 3, c->mass, k->J);
        top_put(vv, 6, 3, 3, c->stiffness,
                m3_sub(m3_multiply(k->J, m3_skew(rate)), m3_skew(m3_apply(k->J, rate))));
    }
    if (terms->parts & NT_GYROSCOPIC) {
        top_put(vv, 6, 3, 3, c->damping, m3_sub(m3_skew_multiply(w, k->J), m3_skew(L)));
        top_put(vv, 6, 3, 3, c->stiffness, m3_skew_multiply(w, turned));
    }
    if (terms->parts & NT_REACTIONS) {
        top_put(vv, 6, 3, 3, -c->stiffness * d->r, m3_skew_multiply(F, k->U));
        m3 arm = m3_skew(k->c);
        const double column[6][3] = {{1, 0, 0},
                                     {0, 1, 0},
                                     {0, 0, 1},
                                     {arm.xx, arm.xy, arm.xz},
                                     {arm.yx, arm.yy, arm.yz},
                                     {arm.zx, arm.zy, arm.zz}};
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 3; j++)
                vl[3 * i + (j + 1) % 3] -= c->multiplier * column[i][j];
    }
    disk_row_tangent(d, k, at, terms);
}

static inline nt_status disk_evaluate(void *self, const nt_point *at, const nt_terms *terms)
{
    const disk *d = self;
    disk_place k = disk_look(d, at);
    v3 w = v3_load(at->v + 3), F = {at->mu[0], at->mu[1], at->lambda[0]};
    double *r = terms->residual;
    if (r && (terms->parts & NT_MASS)) {
        v3_accumulate(r, v3_scale(d->m, v3_load(at->vdot)));
        v3_accumulate(r + 3, m3_apply(k.J, v3_load(at->vdot + 3)));
    }
    if (r && (terms->parts & NT_GYROSCOPIC))
        v3_accumulate(r + 3, v3_cross(w, m3_apply(k.J, w)));
    if (r && (terms->parts & NT_IMPLICIT))
        r[2] += d->m * d->gravity;
    if (r && (terms->parts & NT_REACTIONS)) {
        v3_accumulate(r, v3_neg(F));
        v3_accumulate(r + 3, v3_neg(v3_cross(k.c, F)));
    }
    if (terms->rows)
        disk_rows(d, &k, at, terms);
    if (terms->matrix)
        disk_tangent(d, &k, at, terms, F);
    return NT_OK;
}

/* The unit of angular velocities in q0, v0 is the inertial frame's. */
static inline void disk_init(disk *d)
{
    d->block = (nt_block){.kind = NT_R3SO3};
    d->system = (nt_system){.name = "disk",
                            .frame = NT_INERTIAL,
                            .nh = 1,
                            .nn = 2,
                            .capabilities = NT_HAS_TANGENT | NT_ALL_LEVELS | NT_AFFINE,
                            .self = d,
                            .evaluate = disk_evaluate};
    nt_space_init(&d->system.space, &d->block, 1);
}

/* v of rolling for an angular velocity W in body axes: v0[6] of q0[7] */
static inline void disk_roll(const disk *d, const double *q0, v3 W, double *v0)
{
    nt_point at = {.q = q0, .v = v0};
    m3 R = quat_matrix(quat_load(q0 + 3));
    v3 w = m3_apply(R, W);
    v3_store(v0 + 3, w);
    v3_store(v0, v3_neg(v3_cross(w, disk_look(d, &at).c)));
}

#endif
