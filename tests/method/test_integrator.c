/* The integrator and generalized-alpha on systems written by hand: times, retries, failures,
 * options, orders, tolerances, refresh, dense output, work. */
#include "method/dense_output.h"
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

#include "runs.h"

#define CLOSE(a, b, tolerance) close_to((a), (b), (tolerance), #a, __LINE__)

static void close_to(double a, double b, double tolerance, const char *what, int line)
{
    if (!(fabs(a - b) <= tolerance)) {
        print_error("%s is %.15g, expected %.15g within %.3g\n", what, a, b, tolerance);
        _fail(__FILE__, line);
    }
}

/* ---- one mass on a line --------------------------------------------------------------------- */

/* q'' + stiffness sin(q) = load + push sin(t); a step that ends in [fail_from, fail_to] must not be
 * longer than fail_above (if that is not 0), which evaluate knows from memory, the time of the last
 * accepted step. */
typedef struct mass {
    double stiffness, load, push;
    double fail_from, fail_to, fail_above;
    bool hopeless; /* from fail_from on: q''^2 + 1 = 0, which Newton cannot solve */
    nt_block block;
    nt_system system;
} mass;

static nt_status mass_evaluate(void *self, const nt_point *at, const nt_terms *terms)
{
    const mass *s = self;
    const nt_combination *c = terms->combination;
    double h = at->t - at->memory[0];
    bool watched = s->fail_above > 0 && at->t >= s->fail_from && at->t <= s->fail_to;
    if (watched && h > s->fail_above)
        return NT_NOT_FINITE;
    double a = at->vdot[0], slope = 1;
    if (s->hopeless && at->t > s->fail_from) {
        slope = 2 * a;
        a = a * a + 1;
    }
    if (terms->residual) {
        if (terms->parts & NT_MASS)
            terms->residual[0] += a;
        if (terms->parts & NT_IMPLICIT)
            terms->residual[0] += s->stiffness * sin(at->q[0]) - s->load - s->push * sin(at->t);
    }
    if (terms->matrix)
        *nt_matrix_block(terms->matrix, 0) +=
            c->mass * slope + c->stiffness * s->stiffness * cos(at->q[0]);
    return NT_OK;
}

static nt_status mass_energy(void *self, const nt_point *at, nt_energy *energy)
{
    const mass *s = self;
    energy->kinetic = at->v[0] * at->v[0] / 2;
    energy->potential = -s->stiffness * cos(at->q[0]);
    energy->power = (s->load + s->push * sin(at->t)) * at->v[0];
    return NT_OK;
}

static void mass_accept(void *self, const nt_point *at, double *next)
{
    (void)self;
    next[0] = at->t;
}

static void mass_name(void *self, int i, char *text, int size)
{
    (void)self;
    snprintf(text, (size_t)size, "force on mass number %d", i);
}

static void mass_init(mass *s)
{
    s->block = (nt_block){.kind = NT_RN, .nv = 1};
    s->system = (nt_system){.name = "mass",
                            .capabilities = NT_HAS_TANGENT | NT_HAS_ENERGY,
                            .n_memory = 1,
                            .self = s,
                            .evaluate = mass_evaluate,
                            .energy = mass_energy,
                            .accept = mass_accept,
                            .equation_name = mass_name};
    nt_space_init(&s->system.space, &s->block, 1);
}

/* ---- times ---------------------------------------------------------------------------------- */

typedef struct record {
    double t[4096];
    int count, stop_after;
} record;

static int observe(void *context, const nt_integrator *it)
{
    record *r = context;
    r->t[r->count++] = nt_integrator_state(it).t;
    return r->stop_after && r->count == r->stop_after;
}

static void steps_end_exactly(void **state)
{
    (void)state;
    static const struct {
        double start, end, h;
        int steps;
    } cases[] = {
        {0, 1, 0.3, 4},        {0, 1, 0.1, 10}, {0, 0.7, 0.1, 7},
        {0.1, 0.7, 0.2, 3},    {0, 1, 1, 1},    {0, 1, 5, 1},
        {0, 1e-3, 1e-6, 1000}, {3, 3, 0.1, 0},  {0, 10, 0.0099999999, 1001},
        {-1, 1, 0.7, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        mass s = {.stiffness = 1};
        mass_init(&s);
        nt_integrator_setup setup = setup_of(&s.system, NULL, 0);
        nt_integrator *it;
        nt_error error = {0};
        record r = {.count = 0};
        double q = 0.1, v = 0, last = cases[i].start;
        assert_int_equal(nt_integrator_create(&it, &setup, &error), NT_OK);
        assert_int_equal(nt_integrator_start(it, cases[i].start, &q, &v, NULL, &error), NT_OK);
        assert_int_equal(nt_integrator_run(it, cases[i].end, cases[i].h, observe, &r, &error),
                         NT_OK);
        assert_int_equal(r.count, cases[i].steps);
        assert_true(nt_integrator_state(it).t == cases[i].end);
        double h = (cases[i].end - cases[i].start) / fmax(1, cases[i].steps);
        for (int k = 0; k < r.count; k++) {
            CLOSE(r.t[k] - last, h, 1e-12 * fmax(h, fabs(cases[i].end)));
            assert_true(h <= cases[i].h * (1 + 1e-9));
            last = r.t[k];
        }
        nt_integrator_destroy(it);
    }
}

static void wrong_times_are_refused(void **state)
{
    (void)state;
    mass s = {.stiffness = 1};
    mass_init(&s);
    nt_integrator_setup setup = setup_of(&s.system, NULL, 0);
    double q = 0.1, v = 0;
    nt_integrator *it = begin(&setup, &q, &v);
    static const double wrong[][2] = {{1, 0},   {1, -0.1},       {-1, 0.1},     {NAN, 0.1},
                                      {1, NAN}, {INFINITY, 0.1}, {1, INFINITY}, {1, 1e-300}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        nt_error error = {0};
        assert_int_equal(nt_integrator_run(it, wrong[i][0], wrong[i][1], NULL, NULL, &error),
                         NT_INVALID);
        assert_true(error.message[0]);
        assert_true(nt_integrator_state(it).t == 0 && nt_integrator_state(it).q[0] == 0.1);
    }
    nt_integrator_destroy(it);
}

/* ---- retries -------------------------------------------------------------------------------- */

/* Steps of 0.1; from 1 to 2 only 0.03 and less succeed. By the rule: 2 rejected down to 0.025,
 * sixteen calm steps, one rejected try at 0.05, sixteen steps, one rejected, sixteen that reach
 * 2.2; then sixteen of 0.05 to 3.0, then 0.1 again. */
static void halving_and_recovery(void **state)
{
    (void)state;
    mass s = {.stiffness = 1, .fail_from = 1.01, .fail_to = 2, .fail_above = 0.03};
    mass_init(&s);
    nt_integrator_setup setup = setup_of(&s.system, NULL, 0);
    double q = 1, v = 0;
    record r = {.count = 0};
    nt_error error = {0};
    nt_integrator *it = begin(&setup, &q, &v);
    assert_int_equal(nt_integrator_run(it, 5, 0.1, observe, &r, &error), NT_OK);
    const nt_statistics *n = nt_integrator_statistics(it);
    assert_int_equal(n->rejected, 4);
    assert_int_equal(n->steps, 10 + 48 + 16 + 20);
    assert_int_equal(r.count, n->steps);
    CLOSE(n->smallest_step, 0.025, 1e-15);
    CLOSE(n->largest_step, 0.1, 1e-15);
    CLOSE(r.t[10], 1.025, 1e-14);
    CLOSE(r.t[57], 2.2, 1e-14);
    CLOSE(r.t[73], 3, 1e-14);
    assert_true(nt_integrator_state(it).t == 5);
    nt_integrator_destroy(it);
}

/* What could not be solved is left out of the state bit by bit: a run of short steps from there
 * gives the same. */
static void failure_leaves_no_trace(void **state)
{
    (void)state;
    mass s = {.stiffness = 1, .fail_from = 0.85, .fail_to = 1.05, .fail_above = 0.07}, plain = s;
    plain.fail_above = 0;
    mass_init(&s);
    mass_init(&plain);
    nt_integrator_setup setup = setup_of(&s.system, NULL, 0),
                        other = setup_of(&plain.system, NULL, 0);
    double q = 1, v = 0;
    nt_error error = {0};
    nt_integrator *a = begin(&setup, &q, &v), *b = begin(&other, &q, &v);
    run_to(a, 0.8, 0.1);
    run_to(b, 0.8, 0.1);
    assert_int_equal(nt_integrator_step(a, 0.125, &error), NT_OK); /* one rejected, two halves */
    assert_int_equal(nt_integrator_statistics(a)->rejected, 1);
    for (int i = 0; i < 2; i++)
        assert_int_equal(nt_integrator_step(b, 0.0625, &error), NT_OK);
    CLOSE(nt_integrator_state(a).t, nt_integrator_state(b).t, 1e-15);
    CLOSE(nt_integrator_state(a).q[0], nt_integrator_state(b).q[0], 1e-14);
    CLOSE(nt_integrator_state(a).v[0], nt_integrator_state(b).v[0], 1e-14);
    nt_integrator_destroy(a);
    nt_integrator_destroy(b);
}

static void giving_up(void **state)
{
    (void)state;
    mass s = {.stiffness = 1, .fail_from = 1.01, .fail_to = 9, .hopeless = true},
         reference = {.stiffness = 1};
    mass_init(&s);
    mass_init(&reference);
    nt_integrator_setup setup = setup_of(&s.system, NULL, 0),
                        other = setup_of(&reference.system, NULL, 0);
    setup.minimum_step = 0.02;
    double q = 1, v = 0;
    record r = {.count = 0}, first = {.stop_after = 10};
    nt_error error = {0};
    nt_integrator *it = begin(&setup, &q, &v), *good = begin(&other, &q, &v);
    assert_int_equal(nt_integrator_run(good, 5, 0.1, observe, &first, &error), NT_INTERRUPTED);
    nt_status status = nt_integrator_run(it, 5, 0.1, observe, &r, &error);
    assert_int_equal(status, NT_NOT_CONVERGED);
    assert_int_equal(error.status, NT_NOT_CONVERGED);
    assert_non_null(strstr(error.message, "t = 1 s"));
    assert_non_null(strstr(error.message, "step 0.025 s"));
    assert_non_null(strstr(error.message, "force on mass number 0"));
    assert_non_null(strstr(error.message, "times its tolerance"));
    CLOSE(error.time, 1, 1e-14);
    CLOSE(error.step, 0.025, 1e-15); /* half of it would be below the minimum */
    assert_true(error.residual > 1 && error.iteration > 0);
    assert_int_equal(r.count, 10);
    assert_int_equal(nt_integrator_statistics(it)->rejected, 3);
    CLOSE(nt_integrator_state(it).t, 1, 1e-15);
    assert_true(nt_integrator_state(it).q[0] == nt_integrator_state(good).q[0]);
    assert_true(nt_integrator_state(it).v[0] == nt_integrator_state(good).v[0]);
    assert_true(nt_integrator_state(it).vdot[0] == nt_integrator_state(good).vdot[0]);
    s.hopeless = false; /* the cause is gone: it goes on */
    assert_int_equal(nt_integrator_run(it, 5, 0.1, NULL, NULL, &error), NT_OK);
    nt_integrator_destroy(it);
    nt_integrator_destroy(good);
}

static void interrupted(void **state)
{
    (void)state;
    mass s = {.stiffness = 1};
    mass_init(&s);
    nt_integrator_setup setup = setup_of(&s.system, NULL, 0);
    double q = 1, v = 0;
    record r = {.stop_after = 7};
    nt_error error = {0};
    nt_integrator *it = begin(&setup, &q, &v), *whole = begin(&setup, &q, &v);
    assert_int_equal(nt_integrator_run(it, 2, 0.125, observe, &r, &error), NT_INTERRUPTED);
    assert_int_equal(r.count, 7);
    assert_true(nt_integrator_state(it).t == 0.875);
    assert_non_null(strstr(error.message, "0.875"));
    run_to(it, 2, 0.125);
    run_to(whole, 2, 0.125);
    assert_true(nt_integrator_state(it).q[0] == nt_integrator_state(whole).q[0]);
    nt_integrator_destroy(it);
    nt_integrator_destroy(whole);
}

/* ---- options -------------------------------------------------------------------------------- */

static void invalid_options_are_refused(void **state)
{
    (void)state;
    static const struct {
        nt_option option;
        const char *words;
    } wrong[] = {
        {{"rho_inf", "1.01"}, "0 to 1"},
        {{"rho_inf", "-0.1"}, "0 to 1"},
        {{"rho_inf", "x"}, "number"},
        {{"rho_inf", ""}, "number"},
        {{"rho_inf", "nan"}, "number"},
        {{"rho_inf", "0.8x"}, "number"},
        {{"newmark", "0.49"}, "0.5 to 1"},
        {{"newmark", "1.1"}, "0.5 to 1"},
        {{"hht", "0.1"}, "-0.333333 to 0"},
        {{"hht", "-0.34"}, "-0.333333 to 0"},
        {{"tolerance_length", "0"}, "1e-300 to 1"},
        {{"tolerance_length", "-1e-9"}, "1e-300 to 1"},
        {{"tolerance_angle", "2"}, "1e-300 to 1"},
        {{"tolerance_force", "inf"}, "number"},
        {{"tolerance_force", "0"}, "1e-300 to 1e+300"},
        {{"tolerance_moment", "-1"}, "1e-300 to 1e+300"},
        {{"tolerance_relative", "0.1"}, "1e-14 to 0.01"},
        {{"max_iterations", "0"}, "1 to 1000"},
        {{"max_iterations", "2.5"}, "whole"},
        {{"max_iterations", "1001"}, "1 to 1000"},
        {{"reuse_tangent", "yes"}, "true or false"},
        {{"reuse_tangent", "1"}, "true or false"},
        {{"rho_in", "1"}, "did you mean 'rho_inf'"},
        {{"", "1"}, "no option"},
    };
    const nt_method *method = nt_method_find("generalized-alpha");
    mass s = {.stiffness = 1};
    mass_init(&s);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        nt_integrator_setup setup = setup_of(&s.system, &wrong[i].option, 1);
        nt_integrator *it = NULL;
        nt_error error = {0};
        if (nt_integrator_create(&it, &setup, &error) != NT_INVALID)
            fail_msg("%s = '%s' is not refused", wrong[i].option.name, wrong[i].option.value);
        assert_null(it);
        if (!strstr(error.message, wrong[i].words) || !strstr(error.message, wrong[i].option.name))
            fail_msg("%s = %s: %s", wrong[i].option.name, wrong[i].option.value, error.message);
        assert_int_equal(nt_method_check_option(method, &wrong[i].option, &error), NT_INVALID);
    }
    static const nt_option family[] = {{"rho_inf", "0.8"}, {"newmark", "0.5"}, {"hht", "-0.1"}};
    for (int i = 0; i < 3; i++) {
        const nt_option two[2] = {family[i], family[(i + 1) % 3]};
        nt_integrator_setup setup = setup_of(&s.system, two, 2);
        nt_integrator *it = NULL;
        nt_error error = {0};
        assert_int_equal(nt_integrator_create(&it, &setup, &error), NT_INVALID);
        assert_non_null(strstr(error.message, "exclude each other"));
    }
    nt_integrator_setup setup = setup_of(&s.system, NULL, 0);
    setup.tolerance[1] = 1e-6;
    nt_integrator *it = NULL;
    nt_error error = {0};
    assert_int_equal(nt_integrator_create(&it, &setup, &error), NT_UNSUPPORTED);
    assert_non_null(strstr(error.message, "does not control its error"));
}

/* A pendulum over 2 s against Runge-Kutta with 20000 steps. */
static double pendulum_angle(double q, double v, double end)
{
    int n = 20000;
    double h = end / n;
    for (int i = 0; i < n; i++) {
        double k1 = -9.81 * sin(q), k2 = -9.81 * sin(q + h / 2 * v);
        double k3 = -9.81 * sin(q + h / 2 * v + h * h / 4 * k1);
        double k4 = -9.81 * sin(q + h * v + h * h / 2 * k2);
        q += h * v + h * h / 6 * (k1 + k2 + k3);
        v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    return q;
}

static void orders_of_the_families(void **state)
{
    (void)state;
    static const struct {
        nt_option option;
        double order;
    } family[] = {
        {{"rho_inf", "1"}, 2},   {{"rho_inf", "0.8"}, 2}, {{"rho_inf", "0"}, 2},
        {{"newmark", "0.5"}, 2}, {{"newmark", "0.6"}, 1}, {{"hht", "0"}, 2},
        {{"hht", "-0.1"}, 2},    {{"hht", "-0.3"}, 2},
    };
    double exact = pendulum_angle(1.5, 0, 2);
    for (size_t i = 0; i < sizeof family / sizeof family[0]; i++) {
        double off[2];
        for (int k = 0; k < 2; k++) {
            mass s = {.stiffness = 9.81};
            mass_init(&s);
            nt_integrator_setup setup = setup_of(&s.system, &family[i].option, 1);
            double q = 1.5, v = 0;
            nt_integrator *it = begin(&setup, &q, &v);
            run_to(it, 2, k == 0 ? 2e-3 : 1e-3);
            off[k] = fabs(nt_integrator_state(it).q[0] - exact);
            nt_integrator_destroy(it);
        }
        CLOSE(log2(off[0] / off[1]), family[i].order, 0.05);
    }
}

/* hht 0, newmark 0.5 are one rule; rho_inf 0.8 is the default. */
static void families_meet(void **state)
{
    (void)state;
    static const nt_option family[] = {{"newmark", "0.5"}, {"hht", "0"}, {"rho_inf", "0.8"}};
    double q[4];
    for (int i = 0; i < 4; i++) {
        mass s = {.stiffness = 9.81};
        mass_init(&s);
        nt_integrator_setup setup = setup_of(&s.system, &family[i % 3], i < 3);
        double x = 1.5, v = 0;
        nt_integrator *it = begin(&setup, &x, &v);
        run_to(it, 1, 1e-2);
        q[i] = nt_integrator_state(it).q[0];
        nt_integrator_destroy(it);
    }
    CLOSE(q[0], q[1], 1e-14);
    assert_true(q[2] == q[3]);
}

/* ---- the heavy top -------------------------------------------------------------------------- */

typedef struct top_result {
    double q[7], lambda[3];
    nt_statistics statistics;
    double drift;
} top_result;

static top_result run_top(const nt_option *options, int n, nt_frame frame, double h)
{
    top p = heavy_top();
    nt_block block;
    nt_system system = top_system(&p, &block);
    nt_integrator_setup setup = setup_of(&system, options, n);
    setup.frame = frame;
    nt_integrator *it = begin(&setup, top_q0, top_v0);
    run_to(it, 0.1, h);
    top_result r = {.statistics = *nt_integrator_statistics(it)};
    double velocity;
    memcpy(r.q, nt_integrator_state(it).q, sizeof r.q);
    memcpy(r.lambda, nt_integrator_state(it).lambda, sizeof r.lambda);
    assert_int_equal(nt_integrator_drift(it, &r.drift, &velocity), NT_OK);
    nt_integrator_destroy(it);
    return r;
}

static void kept_tangent_gives_the_same(void **state)
{
    (void)state;
    nt_option reuse = {"reuse_tangent", "true"};
    for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++) {
        top_result a = run_top(NULL, 0, frame, 1e-4), b = run_top(&reuse, 1, frame, 1e-4);
        for (int i = 0; i < 7; i++)
            CLOSE(a.q[i], b.q[i], 1e-7); /* tolerance 1e-10 and 1e-8 of an increment, 1000 steps */
        for (int i = 0; i < 3; i++)
            CLOSE(a.lambda[i], b.lambda[i], 1e-2); /* of 500 N; index 3 divides by h^2 */
        assert_true(a.statistics.factorisations >= 1000);
        assert_true(b.statistics.factorisations < a.statistics.factorisations / 3);
        assert_int_equal(b.statistics.rejected, 0);
    }
}

static void tolerances_do_what_they_say(void **state)
{
    (void)state;
    const nt_option tight[] = {{"tolerance_length", "1e-12"},
                               {"tolerance_angle", "1e-12"},
                               {"tolerance_relative", "1e-14"}};
    const nt_option loose[] = {{"tolerance_length", "1e-4"},
                               {"tolerance_angle", "1e-4"},
                               {"tolerance_force", "1e4"},
                               {"tolerance_moment", "1e4"}};
    const nt_option loose_positions[] = {{"tolerance_length", "1e-4"}, {"tolerance_angle", "1e-4"}};
    top_result a = run_top(tight, 3, NT_INERTIAL, 1e-3);
    top_result b = run_top(loose, 4, NT_INERTIAL, 1e-3);
    top_result c = run_top(loose_positions, 2, NT_INERTIAL, 1e-3);
    assert_true(b.statistics.iterations < a.statistics.iterations);
    assert_true(fabs(a.q[0] - b.q[0]) > 1e-9);
    assert_true(a.drift < 1e-12);
    assert_true(b.drift > 100 * a.drift && b.drift <= 1e-4);
    /* where forces must still balance, loose positions alone change nothing that counts */
    assert_true(fabs(a.q[0] - c.q[0]) < 1e-3 * fabs(a.q[0] - b.q[0]));
    assert_true(c.statistics.iterations <= a.statistics.iterations);
}

/* At rest the last state is the answer: one correction that changes nothing, for a multiplier of
 * 147 N. Begun from zero it would take two. */
static void multipliers_are_kept(void **state)
{
    (void)state;
    top p = heavy_top();
    nt_block block;
    nt_system system = top_system(&p, &block);
    nt_integrator_setup setup = setup_of(&system, NULL, 0);
    p.X = v3_of(0, 0, -1);
    const double q[7] = {0, 0, -1, 1, 0, 0, 0}, v[6] = {0};
    nt_integrator *it = begin(&setup, q, v);
    run_to(it, 1, 1e-2);
    assert_int_equal(nt_integrator_statistics(it)->iterations, 100);
    CLOSE(nt_integrator_state(it).lambda[2], 15 * 9.81, 1e-9);
    nt_integrator_destroy(it);
}

/* ---- refresh -------------------------------------------------------------------------------- */

/* A load that jumps: after refresh accelerations balance it and the run is that of a new integrator
 * begun there; work and statistics go on. */
static void refresh(void **state)
{
    (void)state;
    mass s = {.stiffness = 9.81};
    mass_init(&s);
    nt_integrator_setup setup = setup_of(&s.system, NULL, 0);
    double q = 1, v = 0;
    nt_error error = {0};
    nt_integrator *it = begin(&setup, &q, &v), *anew;
    run_to(it, 0.5, 1e-2);
    s.load = 3;
    assert_int_equal(nt_integrator_refresh(it, &error), NT_OK);
    nt_state now = nt_integrator_state(it);
    CLOSE(now.vdot[0], 3 - 9.81 * sin(now.q[0]), 1e-14);
    assert_true(now.t == 0.5);
    assert_int_equal(nt_integrator_statistics(it)->steps, 50);
    q = now.q[0];
    v = now.v[0];
    assert_int_equal(nt_integrator_create(&anew, &setup, &error), NT_OK);
    assert_int_equal(nt_integrator_start(anew, 0.5, &q, &v, &(double){0.5}, &error), NT_OK);
    run_to(it, 1, 1e-2);
    run_to(anew, 1, 1e-2);
    assert_true(nt_integrator_state(it).q[0] == nt_integrator_state(anew).q[0]);
    assert_true(nt_integrator_state(it).v[0] == nt_integrator_state(anew).v[0]);
    nt_integrator_destroy(it);
    nt_integrator_destroy(anew);
    nt_integrator *unstarted;
    assert_int_equal(nt_integrator_create(&unstarted, &setup, &error), NT_OK);
    assert_int_equal(nt_integrator_refresh(unstarted, &error), NT_INVALID);
    assert_int_equal(nt_integrator_step(unstarted, 0.1, &error), NT_INVALID);
    nt_integrator_destroy(unstarted);
}

/* ---- between steps -------------------------------------------------------------------------- */

/* R = exp(a~ t) exp(b~ t): a motion with changing angular velocity, known in closed form. Body
 * axes: W = exp(-b~ t) a + b; ground axes: w = a + exp(a~ t) b. */
static void known_motion(double t, nt_frame frame, double *q, double *v)
{
    const double a[3] = {1.1, -0.7, 2}, b[3] = {0.4, 1.5, -0.6};
    double at[3], bt[3], qa[4], qb[4], back[4];
    for (int i = 0; i < 3; i++) {
        at[i] = a[i] * t;
        bt[i] = b[i] * t;
    }
    nt_so3_exp(at, qa);
    nt_so3_exp(bt, qb);
    nt_so3_multiply(qa, qb, q);
    memcpy(back, qb, sizeof back);
    if (frame == NT_BODY)
        v3_store(v,
                 v3_add(m3_apply_transposed(quat_matrix(quat_load(back)), v3_load(a)), v3_load(b)));
    else
        v3_store(v, v3_add(v3_load(a), m3_apply(quat_matrix(quat_load(qa)), v3_load(b))));
}

static void dense_output_is_of_fourth_order(void **state)
{
    (void)state;
    for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++) {
        nt_block block = {.kind = NT_SO3};
        nt_system system = {.evaluate = top_evaluate};
        nt_space_init(&system.space, &block, 1);
        nt_problem p = {.system = &system, .frame = frame, .space = system.space, .nq = 4, .nv = 3};
        double off_q[2], off_v[2];
        for (int k = 0; k < 2; k++) {
            enum { SIZE = NT_PHASE_HEAD + 4 + 3 + 3 };
            double all[3][SIZE] = {{0}}, work[64], h = k == 0 ? 0.1 : 0.05, q[4], v[3], psi[3];
            nt_phase phase[3];
            assert_true(nt_dense_output_work(&p) <= 64);
            for (int i = 0; i < 3; i++) {
                phase[i] = (nt_phase){.all = all[i], .q = all[i] + NT_PHASE_HEAD};
                phase[i].v = phase[i].q + 4;
                phase[i].vdot = phase[i].v + 3;
                phase[i].lambda = phase[i].mu = phase[i].memory = phase[i].method = all[i] + SIZE;
                all[i][NT_PHASE_T] = 0.3 + i * h;
                if (i < 2)
                    known_motion(0.3 + i * h, frame, phase[i].q, phase[i].v);
            }
            nt_dense_output(&p, &phase[0], &phase[1], 0.3 + h / 2, work, &phase[2]);
            known_motion(0.3 + h / 2, frame, q, v);
            nt_space_difference(&system.space, frame, q, phase[2].q, psi);
            off_q[k] = v3_norm(v3_load(psi));
            off_v[k] = v3_norm(v3_sub(v3_load(v), v3_load(phase[2].v)));
        }
        CLOSE(log2(off_q[0] / off_q[1]), 4, 0.15);
        assert_true(log2(off_v[0] / off_v[1]) > 2.9);
        assert_true(off_q[1] < 1e-6);
    }
}

static void dense_output_fits_the_steps(void **state)
{
    (void)state;
    for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++) {
        top p = heavy_top();
        nt_block block;
        nt_system system = top_system(&p, &block);
        nt_integrator_setup setup = setup_of(&system, NULL, 0);
        setup.frame = frame;
        nt_integrator *it = begin(&setup, top_q0, top_v0);
        nt_error error = {0};
        nt_state s, now;
        run_to(it, 0.01, 1e-3);
        double q0[7], v0[6], q1[7], a[7], b[7], dq[6];
        now = nt_integrator_state(it);
        memcpy(q0, now.q, sizeof q0);
        memcpy(v0, now.v, sizeof v0);
        assert_int_equal(nt_integrator_step(it, 1e-3, &error), NT_OK);
        memcpy(q1, nt_integrator_state(it).q, sizeof q1);
        double t0 = 0.01, t1 = nt_integrator_state(it).t;
        assert_int_equal(nt_integrator_dense(it, t0, &s), NT_OK);
        for (int i = 0; i < 7; i++)
            CLOSE(s.q[i], q0[i], 1e-15);
        for (int i = 0; i < 6; i++)
            CLOSE(s.v[i], v0[i], 1e-12);
        assert_int_equal(nt_integrator_dense(it, t1, &s), NT_OK);
        for (int i = 0; i < 7; i++)
            assert_true(s.q[i] == q1[i]);
        /* velocities are the rates of the positions */
        double t = 0.3 * t0 + 0.7 * t1, e = 1e-6;
        assert_int_equal(nt_integrator_dense(it, t - e, &s), NT_OK);
        memcpy(a, s.q, sizeof a);
        assert_int_equal(nt_integrator_dense(it, t + e, &s), NT_OK);
        memcpy(b, s.q, sizeof b);
        assert_int_equal(nt_integrator_dense(it, t, &s), NT_OK);
        nt_space_difference(&system.space, NT_BODY, a, b, dq);
        for (int i = 0; i < 6; i++)
            CLOSE(dq[i] / (2 * e), s.v[i], 1e-6);
        assert_true(s.t == t);
        assert_int_equal(nt_integrator_dense(it, t0 - 1e-9, &s), NT_INVALID);
        assert_int_equal(nt_integrator_dense(it, t1 + 1e-9, &s), NT_INVALID);
        assert_int_equal(nt_integrator_dense(it, NAN, &s), NT_INVALID);
        /* looking between steps changes nothing */
        nt_integrator *other = begin(&setup, top_q0, top_v0);
        run_to(other, 0.01, 1e-3);
        assert_int_equal(nt_integrator_step(other, 1e-3, &error), NT_OK);
        assert_int_equal(nt_integrator_step(other, 1e-3, &error), NT_OK);
        assert_int_equal(nt_integrator_step(it, 1e-3, &error), NT_OK);
        for (int i = 0; i < 7; i++)
            assert_true(nt_integrator_state(it).q[i] == nt_integrator_state(other).q[i]);
        nt_integrator_destroy(other);
        nt_integrator_destroy(it);
    }
}

/* ---- work ----------------------------------------------------------------------------------- */

/* q'' = 2 sin(t), from rest: v = 2 (1 - cos t), and all energy is work: 2 (1 - cos t)^2. */
static void work_is_the_energy(void **state)
{
    (void)state;
    double off[2];
    for (int k = 0; k < 2; k++) {
        mass s = {.push = 2};
        mass_init(&s);
        nt_integrator_setup setup = setup_of(&s.system, NULL, 0);
        setup.track_work = 1;
        double q = 0, v = 0;
        nt_integrator *it = begin(&setup, &q, &v);
        run_to(it, 2, k == 0 ? 0.02 : 0.01);
        off[k] = fabs(nt_integrator_state(it).work - 2 * pow(1 - cos(2), 2));
        nt_integrator_destroy(it);
    }
    assert_true(off[1] < 1e-3);
    CLOSE(log2(off[0] / off[1]), 2, 0.1);
    mass s = {.push = 2};
    mass_init(&s);
    s.system.capabilities = NT_HAS_TANGENT;
    nt_integrator_setup setup = setup_of(&s.system, NULL, 0);
    setup.track_work = 1;
    nt_integrator *it;
    nt_error error = {0};
    assert_int_equal(nt_integrator_create(&it, &setup, &error), NT_UNSUPPORTED);
    assert_non_null(strstr(error.message, "energies"));
}

/* q'' + q = 0, which has no value once: at the 40th tangent, when the matrix is filled already. */
static nt_status failing_oscillator(void *self, const nt_point *at, const nt_terms *terms)
{
    int *tangents = self;
    if (terms->residual)
        terms->residual[0] += at->vdot[0] + at->q[0];
    if (!terms->matrix)
        return NT_OK;
    *nt_matrix_block(terms->matrix, 0) += terms->combination->mass + terms->combination->stiffness;
    return ++*tangents == 40 ? NT_NOT_FINITE : NT_OK;
}

/* What a failed evaluation left in the matrix does not enter the next tangent. Newton's first
 * iteration solves linear equations and the second finds nothing left; a tangent twice too large
 * needs a third. */
static void half_filled_matrix_is_cleared(void **state)
{
    (void)state;
    int tangents = 0;
    nt_block block = {.kind = NT_RN, .nv = 1};
    nt_system system = {.self = &tangents,
                        .evaluate = failing_oscillator,
                        .capabilities = NT_HAS_TANGENT | NT_AFFINE};
    nt_space_init(&system.space, &block, 1);
    nt_integrator_setup setup = setup_of(&system, NULL, 0);
    double q = 1, v = 0;
    nt_integrator *it = begin(&setup, &q, &v);
    run_to(it, 10, 0.1);
    const nt_statistics *statistics = nt_integrator_statistics(it);
    assert_int_equal(statistics->rejected, 1);
    assert_true(statistics->iterations <= 2 * statistics->steps);
    nt_integrator_destroy(it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_filled_matrix_is_cleared),
        cmocka_unit_test(steps_end_exactly),
        cmocka_unit_test(wrong_times_are_refused),
        cmocka_unit_test(halving_and_recovery),
        cmocka_unit_test(failure_leaves_no_trace),
        cmocka_unit_test(giving_up),
        cmocka_unit_test(interrupted),
        cmocka_unit_test(invalid_options_are_refused),
        cmocka_unit_test(orders_of_the_families),
        cmocka_unit_test(families_meet),
        cmocka_unit_test(kept_tangent_gives_the_same),
        cmocka_unit_test(tolerances_do_what_they_say),
        cmocka_unit_test(multipliers_are_kept),
        cmocka_unit_test(refresh),
        cmocka_unit_test(dense_output_is_of_fourth_order),
        cmocka_unit_test(dense_output_fits_the_steps),
        cmocka_unit_test(work_is_the_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
