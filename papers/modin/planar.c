#include "papers/modin/planar.h"

const double nt_modin_apart[2] = {1, 1.1}, nt_modin_aside[2] = {1.01, 0}, nt_modin_rest[2] = {0, 0};

nt_planar nt_modin_oscillators(void)
{
    return (nt_planar){.k = 1, .stiffness = 1e3, .damping = 1e2};
}

nt_planar nt_modin_pendulum(void) { return (nt_planar){.gravity = 1, .spring = 1e4}; }

/* R = vdot - A - B, by parts */
static void add_residual(nt_planar *p, const nt_point *at, unsigned parts, double *residual)
{
    const double *q = at->q, *v = at->v;
    double stretch = q[0] * q[0] + q[1] * q[1] - 1;
    const double A[2] = {-p->k * q[0] - p->c * v[0], -p->gravity};
    for (int i = 0; i < 2; i++) {
        double B = -p->stiffness * (q[i] - q[1 - i]) - p->damping * (v[i] - v[1 - i]) -
                   p->spring * stretch * q[i];
        if (parts & NT_MASS)
            residual[i] += at->vdot[i];
        if (parts & NT_EXPLICIT)
            residual[i] -= A[i];
        if (parts & NT_IMPLICIT)
            residual[i] -= B;
    }
}

static void add_tangent(const nt_planar *p, const nt_point *at, const nt_terms *terms)
{
    const nt_combination *c = terms->combination;
    const double *q = at->q;
    double stretch = q[0] * q[0] + q[1] * q[1] - 1, *block = nt_matrix_block(terms->matrix, 0);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            double one = i == j, K = i == j ? 1 : -1;
            if (terms->parts & NT_MASS)
                block[2 * i + j] += c->mass * one;
            if ((terms->parts & NT_EXPLICIT) && i == 0 && j == 0)
                block[0] += c->damping * p->c + c->stiffness * p->k;
            if (terms->parts & NT_IMPLICIT)
                block[2 * i + j] += c->damping * p->damping * K +
                                    c->stiffness * (p->stiffness * K +
                                                    p->spring * (stretch * one + 2 * q[i] * q[j]));
        }
}

static nt_status evaluate(void *self, const nt_point *at, const nt_terms *terms)
{
    nt_planar *p = self;
    if (terms->residual)
        add_residual(p, at, terms->parts, terms->residual);
    if (terms->matrix)
        add_tangent(p, at, terms);
    p->evaluations += terms->residual && (terms->parts & NT_EXPLICIT);
    p->tangents += terms->matrix && (terms->parts & NT_EXPLICIT);
    return NT_OK;
}

void nt_planar_init(nt_planar *p)
{
    p->block = (nt_block){.kind = NT_RN, .nv = 2};
    p->system = (nt_system){.name = "planar",
                            .self = p,
                            .evaluate = evaluate,
                            .capabilities = NT_HAS_TANGENT | NT_HAS_SPLIT};
    nt_space_init(&p->system.space, &p->block, 1);
}

/* Newton's iteration to |dv| < 1e-8 m/s with h = 0.01 s and more. */
nt_trial nt_modin_trial(const nt_planar *planar, const char *method, const char *option,
                        const char *value, const double *q0)
{
    return (nt_trial){.system = &planar->system,
                      .q = q0,
                      .v = nt_modin_rest,
                      .method = method,
                      .option = {{option, value},
                                 {"tolerance_length", "1e-10"},
                                 {"tolerance_relative", "1e-14"}}};
}
