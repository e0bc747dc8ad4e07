/* A double pendulum on R^2, written by hand: unit masses and lengths, angles a, b from the
 * vertical, a mass matrix that varies, and dampers c at both hinges.
 *
 *   2 a'' + cos(a - b) b'' + sin(a - b) b'^2 + 2 g sin a + c a' - c (b' - a') = 0
 *   cos(a - b) a'' + b'' - sin(a - b) a'^2 + g sin b + c (b' - a') = 0
 *
 * Its parameters are g and c. */
#ifndef NUTATE_TESTS_DOUBLE_PENDULUM_H
#define NUTATE_TESTS_DOUBLE_PENDULUM_H

#include <math.h>

#include <nutate/system.h>

typedef struct double_pendulum {
    double g, c; /* m/s^2, N m s */
    nt_block block;
    nt_system system;
} double_pendulum;

static inline nt_status double_pendulum_evaluate(void *self, const nt_point *at,
                                                 const nt_terms *terms)
{
    const double_pendulum *p = self;
    const double *q = at->q, *v = at->v, *a = at->vdot;
    double cosine = cos(q[0] - q[1]), sine = sin(q[0] - q[1]), r[2] = {0, 0}, K[4] = {0, 0, 0, 0};
    const nt_combination none = {0}, *of = terms->combination ? terms->combination : &none;
    double m = of->mass, d = of->damping, k = of->stiffness;
    if (terms->parts & NT_MASS) {
        r[0] += 2 * a[0] + cosine * a[1], r[1] += cosine * a[0] + a[1];
        K[0] += 2 * m - k * sine * a[1], K[1] += m * cosine + k * sine * a[1];
        K[2] += m * cosine - k * sine * a[0], K[3] += m + k * sine * a[0];
    }
    if (terms->parts & NT_GYROSCOPIC) {
        double x = cosine * v[1] * v[1], y = -cosine * v[0] * v[0];
        r[0] += sine * v[1] * v[1], r[1] -= sine * v[0] * v[0];
        K[0] += k * x, K[1] += -k * x + d * 2 * sine * v[1];
        K[2] += k * y - d * 2 * sine * v[0], K[3] -= k * y;
    }
    if (terms->parts & NT_IMPLICIT) {
        r[0] += 2 * p->g * sin(q[0]) + p->c * (2 * v[0] - v[1]);
        r[1] += p->g * sin(q[1]) + p->c * (v[1] - v[0]);
        K[0] += k * 2 * p->g * cos(q[0]) + 2 * d * p->c, K[1] -= d * p->c;
        K[2] -= d * p->c, K[3] += k * p->g * cos(q[1]) + d * p->c;
    }
    for (int i = 0; i < 2 && terms->residual; i++)
        terms->residual[i] += r[i];
    for (int i = 0; i < 4 && terms->matrix; i++)
        nt_matrix_block(terms->matrix, 0)[i] += K[i];
    return NT_OK;
}

static inline nt_status double_pendulum_set(void *self, const double *values)
{
    double_pendulum *p = self;
    p->g = values[0], p->c = values[1];
    return NT_OK;
}

static inline void double_pendulum_get(void *self, double *values)
{
    const double_pendulum *p = self;
    values[0] = p->g, values[1] = p->c;
}

static inline void double_pendulum_init(double_pendulum *p)
{
    static const char *const names[] = {"g", "c"};
    *p = (double_pendulum){.g = 9.81, .block = {.kind = NT_RN, .nv = 2}};
    p->system = (nt_system){.name = "double pendulum",
                            .capabilities = NT_HAS_TANGENT | NT_AFFINE | NT_HAS_PARAMETERS,
                            .n_parameters = 2,
                            .parameter_names = names,
                            .self = p,
                            .evaluate = double_pendulum_evaluate,
                            .set_parameters = double_pendulum_set,
                            .get_parameters = double_pendulum_get};
    nt_space_init(&p->system.space, &p->block, 1);
}

#endif
