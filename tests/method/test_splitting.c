/* The semi-explicit method and the theta method: Modin, Fritzson & Fuehrer 2007. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <nutate/nutate.h>

#include "runs.h"

#define CLOSE(a, b, tolerance)                                                                     \
    do {                                                                                           \
        double a_ = (a), b_ = (b);                                                                 \
        if (!(fabs(a_ - b_) <= (tolerance)))                                                       \
            fail_msg("%s is %.12g, expected %.12g within %.3g", #a, a_, b_, (double)(tolerance));  \
    } while (0)

/* ---- two degrees of freedom --------------------------------------------------------------------
 */

/* vdot = A(q, v) + B(q, v) with
 *   A = -(k q_1 + hard q_1^3 + c v_1, k' q_2 + hard q_2^3 + c' v_2) - gravity e_2,
 *   B = -stiff K q - damp K v, K = [1 -1; -1 1], or -stiff (|q|^2 - 1) q of a pendulum. */
typedef struct planar {
    nt_block block;
    nt_system system;
    double k[2], c[2], gravity, hard;
    double stiff, damp, spring;
    bool rigid;    /* |q|^2 = 1 by a multiplier */
    long count[2]; /* evaluations of A and B    */
    long tangents; /* of A                      */
    double p[2];   /* parameters: k[0], stiff or spring */
} planar;

static nt_status planar_evaluate(void *self, const nt_point *at, const nt_terms *t)
{
    planar *s = self;
    const double *q = at->q, *v = at->v;
    const nt_combination *c = t->combination;
    double A[2], B[2], radius = q[0] * q[0] + q[1] * q[1] - 1;
    for (int i = 0; i < 2; i++) {
        A[i] = -s->k[i] * q[i] - s->hard * q[i] * q[i] * q[i] - s->c[i] * v[i] -
               (i == 1 ? s->gravity : 0);
        B[i] =
            -s->stiff * (q[i] - q[1 - i]) - s->damp * (v[i] - v[1 - i]) - s->spring * radius * q[i];
    }
    s->count[0] += t->residual && (t->parts & NT_EXPLICIT);
    s->count[1] += t->residual && (t->parts & NT_IMPLICIT);
    s->tangents += t->matrix && (t->parts & NT_EXPLICIT);
    for (int i = 0; t->residual && i < 2; i++) {
        if (t->parts & NT_MASS)
            t->residual[i] += at->vdot[i];
        if (t->parts & NT_EXPLICIT)
            t->residual[i] -= A[i];
        if (t->parts & NT_IMPLICIT)
            t->residual[i] -= B[i];
        if (s->rigid && (t->parts & NT_REACTIONS))
            t->residual[i] += 2 * q[i] * at->lambda[0];
    }
    if (t->rows && s->rigid) {
        double rate = 2 * (q[0] * v[0] + q[1] * v[1]);
        t->rows[0] =
            t->level == NT_POSITION ? radius
            : t->level == NT_VELOCITY
                ? rate
                : 2 * (v[0] * v[0] + v[1] * v[1] + q[0] * at->vdot[0] + q[1] * at->vdot[1]);
    }
    if (!t->matrix)
        return NT_OK;
    double *m = nt_matrix_block(t->matrix, 0);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            double same = i == j, K = same ? 1 : -1;
            if (t->parts & NT_MASS)
                m[2 * i + j] += c->mass * same;
            if (t->parts & NT_EXPLICIT)
                m[2 * i + j] += same * (c->damping * s->c[i] +
                                        c->stiffness * (s->k[i] + 3 * s->hard * q[i] * q[i]));
            if (t->parts & NT_IMPLICIT)
                m[2 * i + j] +=
                    c->damping * s->damp * K +
                    c->stiffness * (s->stiff * K + s->spring * (radius * same + 2 * q[i] * q[j]));
            if (s->rigid && (t->parts & NT_REACTIONS))
                m[2 * i + j] += c->stiffness * 2 * at->lambda[0] * same;
        }
    for (int i = 0; s->rigid && i < 2; i++) {
        if (t->parts & NT_REACTIONS)
            nt_matrix_block(t->matrix, 1)[i] += c->multiplier * 2 * q[i];
        double *row = &nt_matrix_block(t->matrix, 2)[i];
        if (t->level == NT_POSITION)
            *row += c->row_stiffness * 2 * q[i];
        else if (t->level == NT_VELOCITY)
            *row += c->row_damping * 2 * q[i] + c->row_stiffness * 2 * v[i];
        else
            *row += c->row_mass * 2 * q[i] + c->row_damping * 4 * v[i] +
                    c->row_stiffness * 2 * at->vdot[i];
    }
    return NT_OK;
}

static nt_status planar_set(void *self, const double *p)
{
    planar *s = self;
    s->k[0] = s->p[0] = p[0];
    s->p[1] = p[1];
    *(s->spring != 0 ? &s->spring : &s->stiff) = p[1];
    return NT_OK;
}

static void planar_get(void *self, double *p)
{
    const planar *s = self;
    p[0] = s->k[0];
    p[1] = s->spring != 0 ? s->spring : s->stiff;
}

static void planar_init(planar *s)
{
    s->block = (nt_block){.kind = NT_RN, .nv = 2};
    s->system = (nt_system){.name = "planar",
                            .nh = s->rigid,
                            .self = s,
                            .evaluate = planar_evaluate,
                            .n_parameters = 2,
                            .set_parameters = planar_set,
                            .get_parameters = planar_get,
                            .capabilities =
                                NT_HAS_TANGENT | NT_HAS_SPLIT | NT_ALL_LEVELS | NT_HAS_PARAMETERS};
    nt_space_init(&s->system.space, &s->block, 1);
}

static planar oscillators(void) { return (planar){.k = {1, 0}, .stiff = 1e3, .damp = 1e2}; }

static planar pendulum(void) { return (planar){.gravity = 1, .spring = 1e4}; }

/* Runs to t and gives q; the state is left in the integrator. */
static nt_integrator *start(planar *s, const char *method, const nt_option *options, int n,
                            const double *q, const double *v)
{
    planar_init(s);
    nt_integrator_setup setup = setup_of(&s->system, options, n);
    setup.method = nt_method_find(method);
    return begin(&setup, q, v);
}

static const double apart[2] = {1, 1.1}, aside[2] = {1.01, 0}, rest[2] = {0, 0};

/* ---- reference values ---------------------------------------------------------------------------
 */

/* Section 6.1; digits as computed by two independent programs. */
static void oscillators_give_the_reference_values(void **unused)
{
    (void)unused;
    static const struct {
        const char *method, *name, *value;
        double q1[2], q10[2];
    } cases[] = {
        {"semi-explicit", "beta", "0.8", {.80176899, .79823101}, {.63164661, .63129727}},
        {"theta", "theta", "0.5", {(double)NAN, (double)NAN}, {.91743091, .91542788}},
        {"theta", "theta", "0.8", {(double)NAN, (double)NAN}, {.27906174, .27920328}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        planar s = oscillators();
        nt_option option = {cases[k].name, cases[k].value};
        nt_integrator *it = start(&s, cases[k].method, &option, 1, apart, rest);
        run_to(it, 1, 1);
        for (int i = 0; i < 2 && isfinite(cases[k].q1[i]); i++)
            CLOSE(nt_integrator_state(it).q[i], cases[k].q1[i], 6e-9);
        run_to(it, 10, 1);
        for (int i = 0; i < 2; i++)
            CLOSE(nt_integrator_state(it).q[i], cases[k].q10[i], 6e-9);
        nt_integrator_destroy(it);
    }
}

/* Section 6.2. */
static void pendulum_gives_the_reference_values(void **unused)
{
    (void)unused;
    static const struct {
        const char *method, *name, *value;
        double q10[2], drift;
    } cases[] = {
        {"semi-explicit", "beta", "0.6", {-.8162246405, -.5779043005}, 1.73e-4},
        {"theta", "theta", "0.5", {-.8192173566, -.5896980377}, 1.02e-2},
        {"theta", "theta", "0.6", {-.8214198643, -.5704892422}, 1.71e-4},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        planar s = pendulum();
        const nt_option option[] = {{cases[k].name, cases[k].value},
                                    {"tolerance_relative", "1e-13"},
                                    {"tolerance_length", "1e-13"}};
        nt_integrator *it = start(&s, cases[k].method, option, 3, aside, rest);
        run_to(it, 1, 0.01);
        if (k == 0) {
            CLOSE(nt_integrator_state(it).q[0], .8796520331, 6e-11);
            CLOSE(nt_integrator_state(it).q[1], -.4757671820, 6e-11);
        }
        double drift = 0;
        for (int step = 101; step <= 1000; step++) {
            run_to(it, 0.01 * step, 0.01);
            const double *q = nt_integrator_state(it).q;
            if (step >= 500)
                drift = fmax(drift, fabs(hypot(q[0], q[1]) - 1));
        }
        for (int i = 0; i < 2; i++)
            CLOSE(nt_integrator_state(it).q[i], cases[k].q10[i], 2e-9);
        CLOSE(drift / cases[k].drift, 1, 5e-3); /* three digits are given */
        nt_integrator_destroy(it);
    }
}

/* ---- A once per step ----------------------------------------------------------------------------
 */

/* Also where its stiffness chooses the steps: a second place in the first step alone. Its tangent
 * never. */
static void explicit_forces_are_evaluated_once_per_step(void **unused)
{
    (void)unused;
    static const char *const ways[] = {"equal", "stability", "sundman"};
    for (int k = 0; k < 3; k++)
        for (int rigid = 0; rigid < 2; rigid++) {
            const nt_option options[] = {{"steps", ways[k]}, {"epsilon", "0.3"}};
            static const double level[2] = {1, 0};
            planar s = pendulum();
            if (rigid)
                s = (planar){.gravity = 1, .rigid = true};
            s.k[0] = s.k[1] = 50;
            nt_integrator *it = start(&s, "semi-explicit", options, 2, rigid ? level : aside, rest);
            s.count[0] = s.count[1] = s.tangents = 0;
            run_to(it, 1, 0.01);
            const nt_statistics *done = nt_integrator_statistics(it);
            assert_int_equal(s.count[0], done->steps + done->rejected + (k > 0));
            assert_int_equal(s.tangents, 0);
            assert_true(s.count[1] > 2 * done->steps); /* Newton */
            nt_integrator_destroy(it);
        }
}

/* ---- stability ----------------------------------------------------------------------------------
 */

/* Largest |q| after 2000 steps of size 1 on q'' = -k q - c q' (A alone). */
static double growth(double alpha, double k, double c)
{
    char text[32];
    snprintf(text, sizeof text, "%.17g", alpha);
    nt_option option = {"alpha", text};
    planar s = {.k = {k, 0}, .c = {c, 0}};
    static const double q0[2] = {1, 0};
    nt_integrator *it = start(&s, "semi-explicit", &option, 1, q0, rest);
    double largest = 0;
    for (int i = 0; i < 2000 && largest < 1e6; i++) {
        run_to(it, i + 1, 1);
        largest = fmax(largest, fabs(nt_integrator_state(it).q[0]));
    }
    nt_integrator_destroy(it);
    return largest;
}

/* Theorem 3: stable where c <= 2 - alpha k and c >= (1/2 - alpha) k with h = 1. On both sides of
 * both edges, 2 % away, for several alpha. */
static void region_of_explicit_forces_is_that_of_theorem_3(void **unused)
{
    (void)unused;
    static const double alphas[] = {0.1, 0.3, 0.5, 0.75, 1}, ks[] = {0.2, 0.6, 1, 1.5};
    for (int a = 0; a < 5; a++)
        for (int j = 0; j < 4; j++) {
            double alpha = alphas[a], k = ks[j], upper = 2 - alpha * k, lower = (0.5 - alpha) * k;
            if (upper <= 0 || lower >= upper)
                continue;
            assert_true(growth(alpha, k, upper - 0.02) < 1e3);
            assert_true(growth(alpha, k, upper + 0.02) > 1e3);
            if (lower > 0.02) {
                assert_true(growth(alpha, k, lower + 0.02) < 1e3);
                assert_true(growth(alpha, k, lower - 0.02) > 1e3);
            }
        }
    /* c = 0, alpha = 1/2: h^2 k = 4 */
    assert_true(growth(0.5, 3.98, 0) < 1e3);
    assert_true(growth(0.5, 4.02, 0) > 1e3);
}

/* Theorem 6: whatever B is, with beta >= 1/2 it adds no limit. */
static void stiff_forces_add_no_limit(void **unused)
{
    (void)unused;
    static const double stiffness[] = {1, 1e2, 1e4, 1e8}, damping[] = {0, 1, 1e3};
    static const char *const betas[] = {"0.5", "0.6", "1"};
    for (int b = 0; b < 3; b++)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 3; j++) {
                nt_option option = {"beta", betas[b]};
                planar s = {
                    .k = {0.5, 0.5}, .c = {0.1, 0.1}, .stiff = stiffness[i], .damp = damping[j]};
                nt_integrator *it = start(&s, "semi-explicit", &option, 1, apart, rest);
                run_to(it, 2000, 1);
                const double *q = nt_integrator_state(it).q;
                assert_true(hypot(q[0], q[1]) < 10);
                nt_integrator_destroy(it);
            }
}

/* ---- orders -------------------------------------------------------------------------------------
 */

static const double exact_pendulum_unit[2] = {.870694701095,
                                              -.471122237772}; /* section 6.2, t = 1 */

static double slope(planar s, const char *method, const nt_option *options, int n, double h,
                    const double *q, const double *exact, double t)
{
    double off[2];
    for (int level = 0; level < 2; level++) {
        nt_integrator *it = start(&s, method, options, n, q, rest);
        run_to(it, t, level == 0 ? h : h / 2);
        nt_state state = nt_integrator_state(it);
        off[level] = hypot(state.q[0] - exact[0], state.q[1] - exact[1]);
        nt_integrator_destroy(it);
    }
    return log2(off[0] / off[1]);
}

/* Of second order for alpha = beta = 1/2 and A free of velocity; else of first. */
static void orders(void **unused)
{
    (void)unused;
    static const nt_option half[] = {{"alpha", "0.5"}, {"beta", "0.5"}}, more[] = {{"beta", "0.8"}};
    static const nt_option euler[] = {{"theta", "1"}};
    /* the springs of 6.2 at steps that resolve them */
    CLOSE(slope(pendulum(), "semi-explicit", half, 2, 5e-5, aside, exact_pendulum_unit, 1), 2, 0.1);
    CLOSE(slope(pendulum(), "theta", NULL, 0, 5e-5, aside, exact_pendulum_unit, 1), 2, 0.1);
    CLOSE(slope(pendulum(), "semi-explicit", more, 1, 5e-6, aside, exact_pendulum_unit, 1), 1,
          0.15);
    CLOSE(slope(pendulum(), "theta", euler, 1, 5e-6, aside, exact_pendulum_unit, 1), 1, 0.15);
    /* velocity in A: first order, also with alpha = beta = 1/2; exact damped oscillator */
    planar damped = {.k = {1, 0}, .c = {0.5, 0}};
    double w = sqrt(1 - 0.0625);
    const double exact[2] = {exp(-0.25) * (cos(w) + 0.25 / w * sin(w)), 0};
    static const double q0[2] = {1, 0};
    CLOSE(slope(damped, "semi-explicit", half, 2, 1e-3, q0, exact, 1), 1, 0.05);
}

/* ---- multipliers --------------------------------------------------------------------------------
 */

/* The pendulum without its spring: A explicit, the length by a multiplier. Positions and velocities
 * on the constraint to rounding; second order for alpha = beta = 1/2. Exact by quadrature: the
 * energy integral of a pendulum of unit length released level, g = 1: theta'' = cos(theta)
 * downwards. */
static void exact_rigid(double t, double q[2])
{
    double x = 0, v = 0;
    int n = 4000; /* classical Runge-Kutta of fourth order: 1e-15 */
    for (int i = 0; i < n; i++) {
        double h = t / n;
        double a1 = cos(x), a2 = cos(x + h / 2 * v), a3 = cos(x + h / 2 * (v + h / 2 * a1)),
               a4 = cos(x + h * (v + h / 2 * a2));
        x += h * (v + h / 6 * (a1 + a2 + a3));
        v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    q[0] = cos(x), q[1] = -sin(x);
}

static void constraints_hold_at_both_levels(void **unused)
{
    (void)unused;
    static const nt_option half[] = {{"beta", "0.5"}}, tight = {"tolerance_length", "1e-14"};
    static const double level[2] = {1, 0};
    double exact[2], position, velocity;
    exact_rigid(1, exact);
    planar s = {.gravity = 1, .rigid = true};
    CLOSE(slope(s, "semi-explicit", half, 1, 0.01, level, exact, 1), 2, 0.05);
    CLOSE(slope(s, "theta", NULL, 0, 0.01, level, exact, 1), 2, 0.05);
    for (int k = 0; k < 2; k++) {
        nt_integrator *it = start(&s, k ? "theta" : "semi-explicit", &tight, 1, level, rest);
        for (int i = 0; i < 100; i++) {
            run_to(it, 0.1 * (i + 1), 0.1);
            assert_int_equal(nt_integrator_drift(it, &position, &velocity), NT_OK);
            assert_true(position < 1e-14 && velocity < 1e-14);
        }
        nt_integrator_destroy(it);
    }
}

/* ---- steps --------------------------------------------------------------------------------------
 */

/* Steps at the limit of stability: h^2 k = 0.9 * 4, found from A alone. And a time transformation.
 */
static void steps_by_stiffness(void **unused)
{
    (void)unused;
    static const nt_option stable[] = {{"steps", "stability"}},
                           turned[] = {{"steps", "sundman"}, {"epsilon", "0.1"}};
    static const double q0[2] = {1, 0}, v0[2] = {0.3, 0};
    planar s = {.k = {100, 100}};
    for (int k = 0; k < 2; k++) {
        planar_init(&s);
        nt_integrator_setup setup = setup_of(&s.system, k ? turned : stable, k ? 2 : 1);
        setup.method = nt_method_find("semi-explicit");
        nt_integrator *it = begin(&setup, q0, v0);
        assert_true(nt_integrator_is_variable(it));
        run_to(it, 5, 1e-3);
        double h = nt_integrator_statistics(it)->largest_step;
        CLOSE(h, k ? 0.01 : sqrt(0.9 * 4 / 100), 1e-9);
        assert_true(fabs(nt_integrator_state(it).q[0]) < 2);
        nt_integrator_destroy(it);
    }
}

/* Steps by the largest eigenvalues, which K = diag(100, 25), C = diag(3, 12) have apart from each
 * other: alpha h^2 w^2 + h rate <= 2, and h w <= 1.2, h rate <= 4/7 of second order. They follow a
 * stiffness that a hardening spring changes, and nothing is evaluated for them. */
static void steps_by_eigenvalues(void **unused)
{
    (void)unused;
    static const nt_option by = {"steps", "eigenvalue"};
    static const double q0[2] = {1, 0.5}, v0[2] = {0.3, 0};
    planar s = {.k = {100, 25}, .c = {3, 12}};
    const double expected[2] = {0.9 * 4 / (12 + sqrt(144 + 400)), 0.9 * 4 / (7 * 12.0)};
    for (int k = 0; k < 2; k++) {
        nt_error error = {0};
        planar_init(&s);
        nt_integrator_setup setup = setup_of(&s.system, &by, 1);
        setup.method = nt_method_find(k ? "semi-explicit-2" : "semi-explicit");
        nt_integrator *it = begin(&setup, q0, v0);
        assert_true(nt_integrator_is_variable(it));
        s.count[0] = 0;
        run_to(it, 20, 1e-3);
        const nt_statistics *done = nt_integrator_statistics(it);
        CLOSE(done->largest_step, expected[k], 1e-5 * expected[k]);
        assert_int_equal(s.count[0], done->steps + done->rejected);
        assert_true(fabs(nt_integrator_state(it).q[0]) < 1e-6);
        size_t size = nt_integrator_saved_size(it);
        void *bytes = test_malloc(size);
        nt_integrator_save(it, bytes);
        nt_integrator *other = begin(&setup, q0, v0);
        assert_int_equal(nt_integrator_restore(other, bytes, size, &error), NT_OK);
        run_to(it, 40, 1e-3);
        run_to(other, 40, 1e-3);
        assert_memory_equal(nt_integrator_state(it).q, nt_integrator_state(other).q,
                            2 * sizeof(double));
        test_free(bytes);
        nt_integrator_destroy(it);
        nt_integrator_destroy(other);
    }
    planar hard = {.k = {1, 1}, .hard = 400}; /* w^2 = 1 + 1200 q^2, in the first step */
    planar_init(&hard);
    nt_integrator_setup setup = setup_of(&hard.system, &by, 1);
    setup.method = nt_method_find("semi-explicit");
    nt_integrator *it = begin(&setup, q0, rest);
    run_to(it, 1e-6, 1e-6);
    run_to(it, 0.1, 1e-6);
    double h = nt_integrator_statistics(it)->largest_step;
    assert_true(h < 0.9 * 2 / sqrt(300) && h > 0.01); /* 0.052 at q = 1 */
    nt_integrator_destroy(it);
}

/* A spring twice as stiff at the ends of the motion as in the middle, at a limit that follows it
 * (above 1 steps that change with the phase are in resonance with it), and one with a damper, which
 * limits steps too: h c + h^2 k/2 <= 2, h = 0.181 for these, and 0.190 where the damper is not
 * felt, with which it grows without bounds. The largest amplitude is that of the beginning, to what
 * steps at the limit make of it. */
static int farthest(void *most, const nt_integrator *it)
{
    *(double *)most = fmax(*(double *)most, fabs(nt_integrator_state(it).q[0]));
    return 0;
}

static void stiffness_is_felt_where_it_changes(void **unused)
{
    (void)unused;
    static const nt_option stable[] = {{"steps", "stability"}, {"stability_limit", "1"}};
    static const planar kinds[] = {{.k = {50, 50}, .hard = 20}, {.k = {100, 100}, .c = {2, 2}}};
    static const double q0[2] = {1, 0}, v0[2] = {0.3, 0};
    for (int k = 0; k < 2; k++) {
        planar s = kinds[k];
        nt_integrator *it = start(&s, "semi-explicit", stable, 2 - k, q0, v0);
        double most = 0;
        nt_error error = {0};
        if (nt_integrator_run(it, 40, 1e-3, farthest, &most, &error) != NT_OK)
            fail_msg("%s", error.message);
        long steps = nt_integrator_statistics(it)->steps;
        if (!(most < 1.3) || !(steps < 40 / 0.11))
            fail_msg("spring %d: %ld steps, as far as %.3g", k, steps, most);
        nt_integrator_destroy(it);
    }
}

/* Error control: a tolerance ten times smaller, an error about ten times smaller. */
static void error_follows_the_tolerance(void **unused)
{
    (void)unused;
    planar s = {.gravity = 1, .rigid = true};
    static const double level[2] = {1, 0};
    double exact[2], off[3];
    exact_rigid(2, exact);
    for (int k = 0; k < 3; k++) {
        planar_init(&s);
        nt_integrator_setup setup = setup_of(&s.system, NULL, 0);
        setup.method = nt_method_find("semi-explicit");
        for (int i = 0; i < 4; i++)
            setup.tolerance[i] = 1e-4 * pow(10, -k);
        nt_integrator *it = begin(&setup, level, rest);
        run_to(it, 2, 1e-3);
        nt_state state = nt_integrator_state(it);
        off[k] = hypot(state.q[0] - exact[0], state.q[1] - exact[1]);
        nt_integrator_destroy(it);
    }
    /* first order, local error h^2: the global error goes with the root of the tolerance */
    for (int k = 0; k < 2; k++)
        CLOSE(log10(off[k] / off[k + 1]), 0.5, 0.1);
}

/* ---- the derivative of the step -----------------------------------------------------------------
 */

static void sensitivities_are_those_of_the_scheme(void **unused)
{
    (void)unused;
    static const char *const methods[] = {"semi-explicit", "theta"};
    static const nt_option tight[] = {{"tolerance_relative", "1e-14"},
                                      {"tolerance_length", "1e-14"},
                                      {"tolerance_force", "1e-12"}};
    static const double weight[3] = {.75, -.15, 1.0 / 60};
    for (int kind = 0; kind < 3; kind++)
        for (int m = 0; m < 2; m++) {
            planar base = kind == 0   ? oscillators()
                          : kind == 1 ? pendulum()
                                      : (planar){.gravity = 1,
                                                 .stiff = 3,
                                                 .k = {0.7, 0},
                                                 .c = {0.1, 0.3},
                                                 .damp = 0.2,
                                                 .rigid = true};
            const double *q0 = kind == 0 ? apart : kind == 1 ? aside : (const double[]){1, 0};
            double h = kind == 0 ? 0.1 : 0.01, p0[2], derivative[2][4] = {{0}};
            planar s = base;
            nt_integrator *it = start(&s, methods[m], tight, 3, q0, rest);
            nt_sensitivity *sensitivity;
            nt_error error;
            static const int both[2] = {0, 1};
            assert_int_equal(nt_sensitivity_create(&sensitivity, it, both, 2, &error), NT_OK);
            if (nt_sensitivity_start_from(sensitivity, NULL, NULL, &error) != NT_OK)
                fail_msg("%s", error.message);
            run_to(it, 20 * h, h);
            planar_get(&base, p0);
            for (int k = 0; k < 2; k++) {
                double step = 1e-3 * fmax(fabs(p0[k]), 1);
                for (int j = 1; j <= 3; j++)
                    for (int sign = -1; sign <= 1; sign += 2) {
                        planar moved = base;
                        double p[2] = {p0[0], p0[1]};
                        p[k] += sign * j * step;
                        planar_set(&moved, p);
                        nt_integrator *other = start(&moved, methods[m], tight, 3, q0, rest);
                        run_to(other, 20 * h, h);
                        nt_state state = nt_integrator_state(other);
                        for (int i = 0; i < 4; i++)
                            derivative[k][i] +=
                                sign * weight[j - 1] / step * (i < 2 ? state.q[i] : state.v[i - 2]);
                        nt_integrator_destroy(other);
                    }
                nt_state_tangent d = nt_sensitivity_state(sensitivity, k);
                for (int i = 0; i < 4; i++) {
                    double size = 0;
                    for (int j = i / 2 * 2; j < i / 2 * 2 + 2; j++)
                        size = fmax(size, fabs(derivative[k][j]));
                    /* rounding of the runs, 1e-13 at a stiffness of 1e4, over the step */
                    CLOSE(i < 2 ? d.q[i] : d.v[i - 2], derivative[k][i],
                          1e-9 * size + 1e-13 / step);
                }
            }
            nt_sensitivity_destroy(sensitivity);
            nt_integrator_destroy(it);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oscillators_give_the_reference_values),
        cmocka_unit_test(pendulum_gives_the_reference_values),
        cmocka_unit_test(explicit_forces_are_evaluated_once_per_step),
        cmocka_unit_test(region_of_explicit_forces_is_that_of_theorem_3),
        cmocka_unit_test(stiff_forces_add_no_limit),
        cmocka_unit_test(orders),
        cmocka_unit_test(constraints_hold_at_both_levels),
        cmocka_unit_test(steps_by_stiffness),
        cmocka_unit_test(steps_by_eigenvalues),
        cmocka_unit_test(stiffness_is_felt_where_it_changes),
        cmocka_unit_test(error_follows_the_tolerance),
        cmocka_unit_test(sensitivities_are_those_of_the_scheme),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
