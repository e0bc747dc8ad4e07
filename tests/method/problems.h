/* Six motions that between them ask everything of a method: on the rotation group and on vector
 * spaces, without constraints, with holonomic ones and with nonholonomic ones besides.
 *
 * What is exact at `end` is by closed form or by 34-digit Taylor series; in between an explicit
 * Runge-Kutta method of order eight with small steps stands for it (problem_reference). */
#ifndef NUTATE_TESTS_METHOD_PROBLEMS_H
#define NUTATE_TESTS_METHOD_PROBLEMS_H

#include "disk.h"
#include "papers/jay-negrut/problem.h"
#include "slow_top.h"

enum { SLOW_TOP, HEAVY_TOP, DISK, PLANET, PENDULUM, JAY_NEGRUT, PROBLEMS };

typedef struct problem {
    const char *name;
    nt_system *system;
    double q[7], v[6]; /* at t = 0 */
    double end;        /* s */
    double h;          /* s, the largest step that is tried */
    double scale;      /* of the errors at which orders show: a top turns often between steps */
    double fine;       /* s, the step of the reference */
} problem;

/* ---- a planet in the plane ------------------------------------------------------------------ */

/* x'' = -x/|x|^3: a third of the attraction is explicit. With momenta: a translation alone. */
typedef struct planet {
    double mass[2];
    nt_block block;
    nt_momenta momenta;
    nt_system system;
} planet;

static inline nt_status planet_evaluate(void *self, const nt_point *at, const nt_terms *terms)
{
    (void)self;
    const nt_combination *c = terms->combination;
    double x = at->q[0], y = at->q[1], r2 = x * x + y * y, r3 = r2 * sqrt(r2);
    double share =
        (terms->parts & NT_EXPLICIT ? 1 : 0) / 3.0 + (terms->parts & NT_IMPLICIT ? 2 : 0) / 3.0;
    double mass = terms->parts & NT_MASS ? 1 : 0;
    for (int i = 0; terms->residual && i < 2; i++)
        terms->residual[i] += mass * at->vdot[i] + share * at->q[i] / r3;
    for (int i = 0; terms->matrix && i < 4; i++) {
        double same = i % 3 == 0;
        nt_matrix_block(terms->matrix, 0)[i] +=
            c->mass * mass * same +
            c->stiffness * share * (same / r3 - 3 * at->q[i / 2] * at->q[i % 2] / (r2 * r3));
    }
    return NT_OK;
}

static inline void planet_init(planet *p)
{
    p->mass[0] = p->mass[1] = 1;
    p->momenta = (nt_momenta){.mass = p->mass};
    p->block = (nt_block){.kind = NT_RN, .nv = 2};
    p->system = (nt_system){.name = "planet",
                            .capabilities = NT_HAS_TANGENT | NT_HAS_SPLIT | NT_HAS_MOMENTA |
                                            NT_POSITION_FORCES | NT_AFFINE,
                            .self = p,
                            .evaluate = planet_evaluate,
                            .momenta = &p->momenta};
    nt_space_init(&p->system.space, &p->block, 1);
}

/* ---- a pendulum in the plane ---------------------------------------------------------------- */

/* x'' + x lambda = 0, y'' + 1 + y lambda = 0, 0 = (x^2 + y^2 - 1)/2. */
typedef struct plane_pendulum {
    nt_block block;
    nt_system system;
} plane_pendulum;

static inline nt_status plane_evaluate(void *self, const nt_point *at, const nt_terms *terms)
{
    (void)self;
    const double *q = at->q, *v = at->v, *a = at->vdot;
    double mass = terms->parts & NT_MASS ? 1 : 0, force = terms->parts & NT_IMPLICIT ? 1 : 0;
    double rod = terms->parts & NT_REACTIONS ? 1 : 0;
    for (int i = 0; terms->residual && i < 2; i++)
        terms->residual[i] += mass * a[i] + force * i + rod * at->lambda[0] * q[i];
    if (terms->rows)
        terms->rows[0] = terms->level == NT_POSITION ? (q[0] * q[0] + q[1] * q[1] - 1) / 2
                         : terms->level == NT_VELOCITY
                             ? q[0] * v[0] + q[1] * v[1]
                             : q[0] * a[0] + q[1] * a[1] + v[0] * v[0] + v[1] * v[1];
    const nt_combination *c = terms->combination;
    for (int i = 0; terms->matrix && i < 2; i++) {
        nt_matrix_block(terms->matrix, 0)[3 * i] +=
            c->mass * mass + c->stiffness * rod * at->lambda[0];
        nt_matrix_block(terms->matrix, 1)[i] += c->multiplier * rod * q[i];
        nt_matrix_block(terms->matrix, 2)[i] +=
            terms->level == NT_POSITION ? c->row_stiffness * q[i]
            : terms->level == NT_VELOCITY
                ? c->row_damping * q[i] + c->row_stiffness * v[i]
                : c->row_mass * q[i] + c->row_damping * 2 * v[i] + c->row_stiffness * a[i];
    }
    return NT_OK;
}

static inline void plane_init(plane_pendulum *p)
{
    p->block = (nt_block){.kind = NT_RN, .nv = 2};
    p->system =
        (nt_system){.name = "pendulum",
                    .nh = 1,
                    .capabilities = NT_HAS_TANGENT | NT_ALL_LEVELS | NT_AFFINE | NT_POSITION_FORCES,
                    .self = p,
                    .evaluate = plane_evaluate};
    nt_space_init(&p->system.space, &p->block, 1);
}

/* ---- all six -------------------------------------------------------------------------------- */

/* A quarter of the period of the pendulum that is let go at the horizontal: K(sin 45 degrees). */
static const double QUARTER = 1.854074677301371918;

/* They live as long as the program. */
static inline const problem *open_problems(void)
{
    static problem list[PROBLEMS];
    static slow_top slow;
    static top heavy;
    static nt_block heavy_block;
    static nt_system heavy_system;
    static disk rolling;
    static planet round;
    static plane_pendulum swing;
    static jay_negrut both;
    if (list[0].name)
        return list;
    slow_top_init(&slow);
    list[SLOW_TOP] = (problem){.name = "slow top",
                               .system = &slow.system,
                               .end = 1,
                               .h = 0.125,
                               .fine = 1.0 / 256,
                               .scale = 1};
    slow_top_start(5, list[SLOW_TOP].q, list[SLOW_TOP].v);
    heavy = heavy_top();
    heavy_system = top_system(&heavy, &heavy_block);
    list[HEAVY_TOP] = (problem){.name = "heavy top",
                                .system = &heavy_system,
                                .end = 0.1,
                                .h = 1e-2,
                                .fine = 2.5e-4,
                                .scale = 0.01};
    memcpy(list[HEAVY_TOP].q, top_q0, sizeof top_q0);
    memcpy(list[HEAVY_TOP].v, top_v0, sizeof top_v0);
    rolling = (disk){.m = 15, .r = 1, .A = 3.75, .C = 7.5, .gravity = 9.81};
    disk_init(&rolling);
    list[DISK] = (problem){.name = "rolling disk",
                           .system = &rolling.system,
                           .q = {0, 0, 1, 0, 0, sqrt(0.5), sqrt(0.5)},
                           .end = 1,
                           .h = 0.05,
                           .fine = 5e-3,
                           .scale = 1};
    disk_roll(&rolling, list[DISK].q, v3_of(0, 15, 5), list[DISK].v);
    planet_init(&round);
    list[PLANET] = (problem){.name = "planet",
                             .system = &round.system,
                             .q = {1, 0},
                             .v = {0, 1},
                             .end = 2,
                             .h = 0.25,
                             .fine = 0.025,
                             .scale = 1};
    plane_init(&swing);
    list[PENDULUM] = (problem){.name = "pendulum",
                               .system = &swing.system,
                               .q = {1, 0},
                               .end = 1.5 * QUARTER,
                               .h = 0.1875 * QUARTER,
                               .fine = 0.015625 * QUARTER,
                               .scale = 1};
    jay_negrut_init(&both);
    list[JAY_NEGRUT] = (problem){.name = "Jay & Negrut",
                                 .system = &both.system,
                                 .q = {1, 1},
                                 .v = {1, -2},
                                 .end = 1,
                                 .h = 0.5,
                                 .fine = 1.0 / 64,
                                 .scale = 1};
    return list;
}

#endif
