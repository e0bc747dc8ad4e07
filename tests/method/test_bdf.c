/* `bdf`: Newton's matrices against differences, errors against references. */
#include "method/bdf/bdf.h"
#include "method/disk.h"
#include "method/integrator.h"
#include "method/top.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bdf_systems.h"
#include "tests/read_run.h"

/* ---- Newton's matrix ------------------------------------------------------------------------ */

/* y and y' of a start with other velocities, accelerations and multipliers, q' = E(q) v. */
static void scatter(nt_bdf *b, const nt_state *now)
{
    const nt_problem *p = b->problem;
    const nt_factors *f = b->stepper->factors;
    double *y = N_VGetArrayPointer(b->y), *rate = N_VGetArrayPointer(b->rate);
    memset(y, 0, (size_t)b->size * sizeof(double));
    memset(rate, 0, (size_t)b->size * sizeof(double));
    memcpy(y, now->q, (size_t)p->nq * sizeof(double));
    for (int i = 0; i < p->nv + p->nc; i++)
        y[p->nq + i] = 3 * sin(1 + 2 * i);
    for (int i = 0; i < f->n_dropped; i++)
        y[p->nq + f->dropped[i]] = 0;
    nt_space_rate(&p->space, p->frame, y, y + p->nq, rate);
    for (int i = 0; i < p->nv; i++)
        rate[p->nq + i] = 5 * cos(1 + 3 * i);
}

/* (F(y + e x, y' + e c_j x) - F(y - e x, y' - e c_j x))/(2 e), or that of y - gamma y' for CVODE.
 */
static void difference(nt_bdf *b, double c_j, const double *x, double *Jx)
{
    const double e = 1e-5; /* of the sizes of size_of */
    double *y = N_VGetArrayPointer(b->y), *rate = N_VGetArrayPointer(b->rate);
    N_Vector F = N_VClone(b->y);
    double *out = N_VGetArrayPointer(F);
    memset(Jx, 0, (size_t)b->size * sizeof(double));
    for (int side = -1; side <= 1; side += 2) {
        for (int i = 0; i < b->size; i++) {
            y[i] += side * e * x[i];
            rate[i] += side * e * c_j * x[i];
        }
        int flag = b->code == &nt_bdf_ida ? nt_bdf_residual(0.1, b->y, b->rate, F, b)
                                          : nt_bdf_rate(0.1, b->y, F, b);
        assert_int_equal(flag, 0);
        for (int i = 0; i < b->size; i++) {
            Jx[i] += side * out[i] / (2 * e);
            y[i] -= side * e * x[i];
            rate[i] -= side * e * c_j * x[i];
        }
    }
    for (int i = 0; i < b->size && b->code == &nt_bdf_cvode; i++)
        Jx[i] = x[i] - Jx[i] / c_j;
    N_VDestroy(F);
}

/* Changes of positions are smaller than those of velocities by c_j, those of forces larger. */
static double size_of(const nt_bdf *b, int i, double c_j)
{
    int nq = b->problem->nq, counted = b->counted;
    return i < nq ? 1 / c_j : i < counted ? 1 : i < counted + b->problem->nc ? c_j : 1;
}

/* Differences over e = 1e-5 are good to e^2 and, for positions that change by e/c_j, to 1e-16
 * c_j/e, 1e-7 at the largest c_j, times what the condition of the matrix makes of it. */
static const double NEWTON = 2e-6;

/* The linear system solves for x where J x is the right-hand side. */
static void check_newton(const nt_system *system, nt_frame frame, const double *q, const double *v,
                         double c_j)
{
    nt_integrator *it = start_bdf(system, frame, 1e-6, q, v);
    nt_error error = {0};
    assert_int_equal(nt_integrator_step(it, 1e-3, &error), NT_OK);
    nt_state now = nt_integrator_state(it);
    nt_bdf *b = it->stepper.own;
    const nt_problem *p = b->problem;
    const nt_factors *f = b->stepper->factors;
    scatter(b, &now);
    N_Vector vx = N_VClone(b->y), right = N_VClone(b->y), solved = N_VClone(b->y);
    double *x = N_VGetArrayPointer(vx);
    for (int i = 0; i < b->size; i++)
        x[i] = size_of(b, i, c_j) * cos(2 + 5 * i);
    for (int i = 0; i < f->n_dropped; i++) {
        x[p->nq + f->dropped[i]] = 0;
        if (f->dropped[i] < p->nv + p->nh)
            x[p->nq + p->nc + f->dropped[i]] = 0;
    }
    int flag, current;
    if (b->code == &nt_bdf_ida)
        flag = nt_bdf_jacobian(0.1, c_j, b->y, b->rate, NULL, b->matrix, b, NULL, NULL, NULL);
    else {
        assert_int_equal(nt_bdf_rate(0.1, b->y, b->rate, b), 0);
        flag = nt_bdf_linear_system(0.1, b->y, b->rate, b->matrix, 0, &current, 1 / c_j, b, NULL,
                                    NULL, NULL);
    }
    assert_int_equal(flag, 0);
    difference(b, c_j, x, N_VGetArrayPointer(right));
    for (int i = 0; i < f->n_dropped; i++) { /* rows that are left out, lambda = 0 and eta = 0 */
        double *row = N_VGetArrayPointer(right) + p->nq + f->dropped[i];
        assert_true(fabs(row[0]) < 1e-12);
        if (f->dropped[i] < p->nv + p->nh)
            assert_true(fabs(row[p->nc]) < 1e-12);
    }
    assert_int_equal(SUNLinSolSetup(b->linear, b->matrix), 0);
    assert_int_equal(SUNLinSolSolve(b->linear, b->matrix, solved, right, 0), 0);
    double off = 0;
    for (int i = 0; i < b->size; i++)
        off = fmax(off, fabs(N_VGetArrayPointer(solved)[i] - x[i]) / size_of(b, i, c_j));
    assert_true(off < NEWTON);
    N_VDestroy(vx);
    N_VDestroy(right);
    N_VDestroy(solved);
    nt_integrator_destroy(it);
}

static void newton_matrix(void **state)
{
    (void)state;
    for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++)
        for (double c_j = 3; c_j < 1e4; c_j *= 50) {
            top p = heavy_top();
            nt_block block;
            nt_system system = top_system(&p, &block);
            check_newton(&system, frame, top_q0, top_v0, c_j);
            disk d = {.m = 15, .r = 1, .A = 3.75, .C = 7.5, .gravity = 9.81};
            disk_init(&d);
            double q[7] = {0, 0, 1 / sqrt(2), cos(0.5), 0.6 * sin(0.5), 0.8 * sin(0.5), 0}, v[6];
            nt_point at = {.q = q, .v = v};
            v3_store(v + 3, v3_of(0, 0, 0));
            q[2] = -disk_look(&d, &at).c.z;
            disk_roll(&d, q, v3_of(0, 15, 5), v);
            check_newton(&d.system, frame, q, v, c_j);
            static const char *const texts[] = {loop_text, springs_text, slow_top_text};
            for (int i = 0; i < 3; i++) {
                nt_run *run = model_of(texts[i]);
                check_newton(nt_run_system(run), frame, NULL, NULL, c_j);
                destroy_run(run);
            }
        }
}

/* ---- errors --------------------------------------------------------------------------------- */

/* A reference at time `end`, looked at in steps of h: out[n] from a state. */
typedef struct reference {
    const char *name;
    double end, h;
    void (*look)(const nt_state *s, int nq, double *out);
    double value[3];
    int n;
    double digits; /* that the reference is good to                                      */
    double growth; /* largest error/tolerance that is allowed                             */
} reference;

static void position(const nt_state *s, int nq, double *out)
{
    (void)nq;
    memcpy(out, s->q, 3 * sizeof *out);
}

static void axis(const nt_state *s, int nq, double *out)
{
    (void)nq;
    m3 R = quat_matrix(quat_load(s->q));
    v3_store(out, v3_of(R.xz, R.yz, R.zz));
}

/* The end of the last link of a chain, half its length from its centre. */
static void tip(const nt_state *s, int nq, double *out)
{
    m3 R = quat_matrix(quat_load(s->q + nq - 4));
    v3_store(out, v3_add(v3_load(s->q + nq - 7), m3_apply(R, v3_of(0.125, 0, 0))));
}

static void flat(const nt_state *s, int nq, double *out)
{
    (void)nq;
    memcpy(out, s->q, 2 * sizeof *out);
}

/* Errors stay below `growth` times the tolerance and fall with it. */
static void converges(const reference *r, const nt_system *system, nt_frame frame, const double *q,
                      const double *v)
{
    double off[3];
    for (int i = 0; i < 3; i++) {
        double tolerance = pow(10, -5 - 2 * i), out[3];
        nt_integrator *it = start_bdf(system, frame, tolerance, q, v);
        run_to(it, r->end, r->h);
        nt_state s = nt_integrator_state(it);
        r->look(&s, system->space.nq, out);
        off[i] = off_by(out, r->value, r->n);
        double drift[2];
        assert_int_equal(nt_integrator_drift(it, &drift[0], &drift[1]), NT_OK);
        assert_true(drift[0] < 1e-13 && drift[1] < 1e-11);
        nt_integrator_destroy(it);
        assert_true(off[i] < r->growth * tolerance + r->digits);
    }
    assert_true(off[2] < 1e-2 * off[0] + r->digits);
}

static void heavy_top_converges(void **state)
{
    (void)state;
    static const reference r = {.name = "heavy top",
                                .end = 0.1,
                                .h = 0.02,
                                .look = position,
                                .value = {.421296658925402, .894571974345593, -.149164700561900},
                                .n = 3,
                                .growth = 10};
    top p = heavy_top();
    nt_block block;
    nt_system system = top_system(&p, &block);
    for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++)
        converges(&r, &system, frame, top_q0, top_v0);
}

static void slow_top_converges(void **state)
{
    (void)state;
    static const reference r = {.name = "slow top",
                                .end = 2,
                                .h = 0.5,
                                .look = axis,
                                .value = {.6684383812108, -.6473115901852, .3663029289211},
                                .n = 3,
                                .growth = 1000};
    nt_run *run = model_of(slow_top_text);
    assert_int_equal(nt_run_system(run)->nh, 0);
    for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++)
        converges(&r, nt_run_system(run), frame, NULL, NULL);
    destroy_run(run);
}

static void chain_converges(void **state)
{
    (void)state;
    static const reference r = {.name = "chain",
                                .end = 1,
                                .h = 0.25,
                                .look = tip,
                                .value = {-1.763415610870, -.928910798950, -9.646982648e-5},
                                .n = 3,
                                .growth = 1000};
    nt_run *run = chain_of(8);
    converges(&r, nt_run_system(run), NT_INERTIAL, NULL, NULL);
    destroy_run(run);
}

static void rolling_disk_converges(void **state)
{
    (void)state;
    static const reference r = {.name = "disk",
                                .end = 1,
                                .h = 0.25,
                                .look = position,
                                .value = {2.777198908942, 3.235529398577, .692281875202},
                                .n = 3,
                                .growth = 1000};
    disk d = {.m = 15, .r = 1, .A = 3.75, .C = 7.5, .gravity = 9.81};
    disk_init(&d);
    /* orientation (0, 0, 1, 1)/sqrt 2: the axis lies along y, the disk stands */
    double q[7] = {0, 0, 1, 0, 0, sqrt(0.5), sqrt(0.5)}, v[6];
    disk_roll(&d, q, v3_of(0, 15, 5), v);
    for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++)
        converges(&r, &d.system, frame, q, v);
}

static void modin_converges(void **state)
{
    (void)state;
    static const reference near[] = {{.name = "oscillators",
                                      .end = 10,
                                      .h = 1,
                                      .look = flat,
                                      .value = {.74334547, .74374146},
                                      .n = 2,
                                      .digits = 1e-8,
                                      .growth = 1000},
                                     {.name = "pendulum",
                                      .end = 1,
                                      .h = 1,
                                      .look = flat,
                                      .value = {.870694701095, -.471122237772},
                                      .n = 2,
                                      .growth = 1000}};
    static const double q0[2][2] = {{1, 1.1}, {1.01, 0}}, v0[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        plane s;
        plane_init(&s, i == 1);
        converges(&near[i], &s.system, NT_INERTIAL, q0[i], v0);
    }
}

/* What the formulas lose of a quaternion's length does not add up: a body that turns a thousand
 * times at a loose tolerance. The length itself enters nothing, but it must not run away. */
static void lengths_of_quaternions(void **state)
{
    (void)state;
    nt_run *run = model_of("nutate: 1\ngravity: [0, 0, 0]\nbodies:\n"
                           "  a: {mass: 1, inertia: [1, 2, 2.5], angular_velocity: [3, 2, 6]}\n");
    nt_integrator *it = start_bdf(nt_run_system(run), NT_BODY, 1e-2, NULL, NULL);
    nt_bdf *b = it->stepper.own;
    double shortest = 1, t = 0;
    for (int i = 0; i < 1000; i++) {
        run_to(it, t += 1, 1);
        const double *q = N_VGetArrayPointer(b->y) + 3, *unit = nt_integrator_state(it).q + 3;
        double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        shortest = fmin(shortest, length);
        assert_true(fabs(v3_dot(v3_load(unit), v3_load(unit)) + unit[3] * unit[3] - 1) < 1e-14);
    }
    assert_true(shortest > 0.3);
    nt_integrator_destroy(it);
    destroy_run(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newton_matrix),          cmocka_unit_test(heavy_top_converges),
        cmocka_unit_test(slow_top_converges),     cmocka_unit_test(chain_converges),
        cmocka_unit_test(modin_converges),        cmocka_unit_test(rolling_disk_converges),
        cmocka_unit_test(lengths_of_quaternions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
