/* The test problem of Jay & Negrut 2009, section 8, written as a system: a mass matrix that is
 * neither constant nor symmetric, one holonomic and one nonholonomic constraint whose multipliers
 * enter nonlinearly and together with velocities. Solution y = (e^t, e^-2t), lambda = e^-t,
 * psi = e^t.
 *
 *   M = [[y1, y2 - e^-2t], [sin(y1 - e^t), y1 y2]]
 *   f1 = e^-t (y1 z2 + 2 y2 z1) + e^2t y1 lambda - y1 z2 psi - 2
 *   f2 = e^-t (y2 z2/2 - 2 y1 z1 y2 z2 + y2 lambda^2) - y1 z1 psi + e^3t
 *   g = y1^2 y2 - 1,   k = y1 z1 z2 + 2 */
#ifndef NUTATE_PAPERS_JAY_NEGRUT_PROBLEM_H
#define NUTATE_PAPERS_JAY_NEGRUT_PROBLEM_H

#include <math.h>
#include <stdbool.h>

#include <nutate/method.h>

typedef struct jay_negrut {
    nt_block block;
    nt_system system;
} jay_negrut;

static inline void jay_negrut_rows(const nt_point *at, const nt_terms *terms)
{
    double y1 = at->q[0], y2 = at->q[1], z1 = at->v[0], z2 = at->v[1];
    double a1 = at->vdot[0], a2 = at->vdot[1];
    if (terms->rows) {
        double *row = terms->rows;
        row[0] = terms->level == NT_POSITION ? y1 * y1 * y2 - 1
                 : terms->level == NT_VELOCITY
                     ? 2 * y1 * y2 * z1 + y1 * y1 * z2
                     : 2 * y1 * y2 * a1 + y1 * y1 * a2 + 2 * y2 * z1 * z1 + 4 * y1 * z1 * z2;
        row[1] = terms->level != NT_ACCELERATION ? y1 * z1 * z2 + 2
                                                 : z1 * z1 * z2 + y1 * (a1 * z2 + z1 * a2);
    }
    if (!terms->matrix)
        return;
    const nt_combination *c = terms->combination;
    double m = c->row_mass, d = c->row_damping, k = c->row_stiffness;
    double *g = nt_matrix_block(terms->matrix, 2), *kappa = g + 2;
    double first = terms->level == NT_POSITION ? k : terms->level == NT_VELOCITY ? d : m;
    g[0] += first * 2 * y1 * y2;
    g[1] += first * y1 * y1;
    if (terms->level == NT_VELOCITY) {
        g[0] += k * (2 * y2 * z1 + 2 * y1 * z2);
        g[1] += k * 2 * y1 * z1;
    }
    if (terms->level != NT_ACCELERATION) {
        kappa[0] += d * y1 * z2 + k * z1 * z2;
        kappa[1] += d * y1 * z1;
        return;
    }
    g[0] += d * (4 * y2 * z1 + 4 * y1 * z2) + k * (2 * y2 * a1 + 2 * y1 * a2 + 4 * z1 * z2);
    g[1] += d * 4 * y1 * z1 + k * (2 * y1 * a1 + 2 * z1 * z1);
    kappa[0] += m * y1 * z2 + d * (2 * z1 * z2 + y1 * a2) + k * (a1 * z2 + z1 * a2);
    kappa[1] += m * y1 * z1 + d * (z1 * z1 + y1 * a1);
}

static inline nt_status jay_negrut_evaluate(void *self, const nt_point *at, const nt_terms *terms)
{
    (void)self;
    double t = at->t, y1 = at->q[0], y2 = at->q[1], z1 = at->v[0], z2 = at->v[1];
    double a1 = at->vdot[0], a2 = at->vdot[1], l = at->lambda[0], psi = at->mu[0], e = exp(-t);
    const double M[4] = {y1, y2 - exp(-2 * t), sin(y1 - exp(t)), y1 * y2};
    bool mass = terms->parts & NT_MASS, force = terms->parts & NT_IMPLICIT;
    bool reaction = terms->parts & NT_REACTIONS;
    double *r = terms->residual;
    if (r && mass) {
        r[0] += M[0] * a1 + M[1] * a2;
        r[1] += M[2] * a1 + M[3] * a2;
    }
    if (r && force) {
        r[0] -= e * (y1 * z2 + 2 * y2 * z1) - 2;
        r[1] -= e * (y2 * z2 / 2 - 2 * y1 * z1 * y2 * z2) + exp(3 * t);
    }
    if (r && reaction) {
        r[0] -= exp(2 * t) * y1 * l - y1 * z2 * psi;
        r[1] -= e * y2 * l * l - y1 * z1 * psi;
    }
    jay_negrut_rows(at, terms);
    if (!terms->matrix)
        return NT_OK;
    const nt_combination *c = terms->combination;
    double *vv = nt_matrix_block(terms->matrix, 0), *vl = nt_matrix_block(terms->matrix, 1);
    double d = c->damping, k = c->stiffness;
    if (mass) {
        for (int i = 0; i < 4; i++)
            vv[i] += c->mass * M[i];
        vv[0] += k * a1;
        vv[1] += k * a2;
        vv[2] += k * (cos(y1 - exp(t)) * a1 + y2 * a2);
        vv[3] += k * y1 * a2;
    }
    if (force) {
        vv[0] -= e * (d * 2 * y2 + k * z2);
        vv[1] -= e * (d * y1 + k * 2 * z1);
        vv[2] -= e * (-d * 2 * y1 * y2 * z2 - k * 2 * z1 * y2 * z2);
        vv[3] -= e * (d * (y2 / 2 - 2 * y1 * z1 * y2) + k * (z2 / 2 - 2 * y1 * z1 * z2));
    }
    if (reaction) {
        vv[0] -= k * (exp(2 * t) * l - z2 * psi);
        vv[1] += d * y1 * psi;
        vv[2] += d * y1 * psi + k * z1 * psi;
        vv[3] -= k * e * l * l;
        vl[0] -= c->multiplier * exp(2 * t) * y1;
        vl[1] += c->multiplier * y1 * z2;
        vl[2] -= c->multiplier * 2 * e * y2 * l;
        vl[3] += c->multiplier * y1 * z1;
    }
    return NT_OK;
}

static inline void jay_negrut_init(jay_negrut *s)
{
    s->block = (nt_block){.kind = NT_RN, .nv = 2};
    s->system = (nt_system){.name = "Jay & Negrut's test problem",
                            .nh = 1,
                            .nn = 1,
                            .capabilities = NT_HAS_TANGENT | NT_ALL_LEVELS,
                            .self = s,
                            .evaluate = jay_negrut_evaluate};
    nt_space_init(&s->system.space, &s->block, 1);
}

static const double jay_negrut_y0[2] = {1, 1}, jay_negrut_z0[2] = {1, -2};

#endif
