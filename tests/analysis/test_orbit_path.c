/* Paths of orbits: where they fold, double their period and change their stability. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/analysis/orbits.h"

enum { MOST = 64 };

typedef struct path {
    double value[MOST], last;
    nt_orbit_event event[MOST];
    int n, points, stop_after;
} path;

static int visit(void *context, const nt_orbit *orbit, double value, nt_orbit_event event)
{
    path *p = context;
    assert_true(nt_orbit_state(orbit).miss < 1e-9);
    p->last = value;
    if (event == NT_ORBIT_POINT)
        return ++p->points == p->stop_after;
    assert_true(p->n < MOST);
    p->value[p->n] = value;
    p->event[p->n++] = event;
    return 0;
}

static path follow(nt_orbit *orbit, int parameter, double to, double step)
{
    path p = {0};
    nt_error error = {0};
    if (nt_orbit_follow(orbit, parameter, to, step, 2000, visit, &p, &error) != NT_OK)
        fail_msg("%s", error.message);
    ASSERT_CLOSE(p.last, to, 0);
    return p;
}

/* ---- Mathieu's chart ------------------------------------------------------------------------ */

/* The i-th smallest eigenvalue (from 0) of the symmetric tridiagonal matrix, by counting signs. */
static double eigenvalue(const double *diagonal, const double *beside, int n, int i)
{
    double low = -100, high = 1000;
    for (int k = 0; k < 200; k++) {
        double x = (low + high) / 2, d = 1;
        int below = 0;
        for (int j = 0; j < n; j++) {
            d = diagonal[j] - x - (j > 0 ? beside[j - 1] * beside[j - 1] / d : 0);
            below += d < 0;
        }
        *(below > i ? &high : &low) = x;
    }
    return (low + high) / 2;
}

/* Characteristic values of y'' + (a - 2 q cos 2t) y = 0: a_n (even) and b_n (odd), from the Fourier
 * series of the periodic solutions. */
static double characteristic(int n, int odd, double q)
{
    enum { TERMS = 40 };
    double diagonal[TERMS], beside[TERMS];
    int first = n % 2 ? 1 : odd ? 2 : 0;
    for (int j = 0; j < TERMS; j++) {
        diagonal[j] = (first + 2 * j) * (first + 2 * j);
        beside[j] = q;
    }
    if (n % 2)
        diagonal[0] += odd ? -q : q;
    else if (!odd)
        beside[0] *= sqrt(2);
    return eigenvalue(diagonal, beside, TERMS, (n - first) / 2);
}

/* theta'' + (g - a w^2 cos(w t)) theta = 0 about the pendulum that hangs: with w = 2 Mathieu's
 * equation of a = g and q = 2 a. */
static void tongues_of_a_pendulum_on_a_driven_pivot(void **unused)
{
    (void)unused;
    for (int strong = 0; strong < 2; strong++) {
        subject s;
        subject_make(&s, driven_pivot_text, NULL);
        double amplitude = strong ? 0.3 : 0.1, q = 2 * amplitude;
        nt_error error = {0};
        assert_int_equal(nt_model_set(s.run, "a", amplitude, &error), NT_OK);
        nt_run_initial(s.run, s.q, s.v, s.memory);
        nt_orbit_setup setup = subject_setup(&s, acos(-1.0), 100);
        nt_orbit *orbit = make_orbit(&setup);
        found_orbit(orbit);
        path up = follow(orbit, parameter_of(&s, "g"), 9.9, 0.37);
        const double upper[] = {characteristic(2, 1, q), characteristic(2, 0, q),
                                characteristic(3, 1, q), characteristic(3, 0, q)};
        assert_int_equal(up.n, 4);
        for (int i = 0; i < 4; i++) {
            ASSERT_CLOSE(up.value[i], upper[i], 1e-6);
            assert_int_equal(up.event[i], i < 2 ? NT_ORBIT_BRANCH : NT_ORBIT_DOUBLING);
        }
        nt_orbit_destroy(orbit);
        assert_int_equal(nt_model_set(s.run, "g", 2, &error), NT_OK);
        orbit = make_orbit(&setup);
        found_orbit(orbit);
        path down = follow(orbit, parameter_of(&s, "g"), -0.3, 0.37);
        const double lower[] = {characteristic(1, 0, q), characteristic(1, 1, q),
                                characteristic(0, 0, q)};
        assert_int_equal(down.n, 3);
        for (int i = 0; i < 3; i++) {
            ASSERT_CLOSE(down.value[i], lower[i], 1e-6);
            assert_int_equal(down.event[i], i < 2 ? NT_ORBIT_DOUBLING : NT_ORBIT_BRANCH);
        }
        nt_orbit_destroy(orbit);
        subject_free(&s);
    }
}

/* ---- folds and doublings -------------------------------------------------------------------- */

static double period_of_w(void *context)
{
    const subject *s = context;
    const nt_system *system = nt_run_system(s->run);
    double p[8];
    system->get_parameters(system->self, p);
    return 2 * acos(-1.0) / p[parameter_of(s, "w")];
}

/* Where the resonance curve of a spring that stiffens turns back. The first fold is from Newton's
 * method on closing and det(M - 1) = 0 of the equation of motion itself, integrated by
 * extrapolation. */
static void a_resonance_folds_twice(void **unused)
{
    (void)unused;
    subject s;
    subject_make(&s, duffing_text, NULL);
    nt_orbit_setup setup = subject_setup(&s, 1, 60);
    setup.period = period_of_w(&s), setup.period_of = period_of_w, setup.context = &s;
    nt_orbit *orbit = make_orbit(&setup);
    found_orbit(orbit);
    path p = follow(orbit, parameter_of(&s, "w"), 2.4, 0.2);
    assert_int_equal(p.n, 2);
    assert_int_equal(p.event[0], NT_ORBIT_FOLD);
    assert_int_equal(p.event[1], NT_ORBIT_FOLD);
    ASSERT_CLOSE(p.value[0], 1.779719524298794, 1e-8);
    nt_orbit_destroy(orbit);
    subject_free(&s);
}

/* The same orbit, begun at once and after forty periods: its derivatives and its path do not know
 * how late it is, though the time of the begin changes with the period. */
static void an_orbit_may_begin_late(void **unused)
{
    (void)unused;
    subject s;
    nt_error error = {0};
    subject_make(&s, duffing_text, NULL);
    nt_integrator *it;
    double period = period_of_w(&s), by_w[2][4];
    int points[2], w = parameter_of(&s, "w");
    assert_int_equal(nt_integrator_create(&it, &s.steps, &error), NT_OK);
    for (int late = 0; late < 2; late++) {
        nt_model_set(s.run, "w", 0.6, &error);
        assert_int_equal(nt_integrator_start(it, 0, s.q, s.v, s.memory, &error), NT_OK);
        if (late)
            assert_int_equal(nt_integrator_run(it, 40 * period, period / 60, NULL, NULL, &error),
                             NT_OK);
        nt_state at = nt_integrator_state(it);
        nt_orbit_setup setup = subject_setup(&s, period, 60);
        setup.period_of = period_of_w, setup.context = &s;
        setup.start = at.t, setup.q = at.q, setup.v = at.v, setup.memory = at.memory;
        nt_orbit *orbit = make_orbit(&setup);
        found_orbit(orbit);
        assert_int_equal(nt_orbit_tangent(orbit, w, by_w[late], NULL, NULL, &error), NT_OK);
        path p = follow(orbit, w, 1.2, 0.1);
        assert_int_equal(p.n, 0);
        points[late] = p.points;
        ASSERT_CLOSE(nt_orbit_state(orbit).start, late ? 40 * 2 * acos(-1.0) / 1.2 : 0, 1e-9);
        nt_orbit_destroy(orbit);
    }
    for (int i = 0; i < 4; i++)
        ASSERT_CLOSE(by_w[1][i], by_w[0][i], 1e-7);
    assert_true(points[1] <= points[0] + 1);
    nt_integrator_destroy(it);
    subject_free(&s);
}

/* The unsymmetric swing of the driven pendulum, reached by waiting; its doubling as above, from
 * 1 + tr M + det M = 0. */
static void a_driven_pendulum_doubles_its_period(void **unused)
{
    (void)unused;
    subject s;
    nt_error error = {0};
    subject_make(&s, driven_pendulum_text, NULL);
    nt_integrator *it;
    double period = 3 * acos(-1.0);
    assert_int_equal(nt_integrator_create(&it, &s.steps, &error), NT_OK);
    assert_int_equal(nt_integrator_start(it, 0, s.q, s.v, s.memory, &error), NT_OK);
    assert_int_equal(nt_integrator_run(it, 60 * period, period / 100, NULL, NULL, &error), NT_OK);
    nt_state at = nt_integrator_state(it);
    nt_orbit_setup setup = subject_setup(&s, period, 100);
    setup.start = at.t, setup.q = at.q, setup.v = at.v, setup.memory = at.memory;
    nt_orbit *orbit = make_orbit(&setup);
    nt_orbit_found found = found_orbit(orbit);
    ASSERT_CLOSE(found.multiplier[0] + found.multiplier[2], -0.44238302424145837, 1e-8);
    path p = follow(orbit, parameter_of(&s, "drive"), 1.075, 0.01);
    assert_int_equal(p.n, 1);
    assert_int_equal(p.event[0], NT_ORBIT_DOUBLING);
    ASSERT_CLOSE(p.value[0], 1.06637286245523, 1e-8);
    assert_int_equal(nt_orbit_state(orbit).stability, NT_ORBIT_UNSTABLE);
    nt_orbit_destroy(orbit);
    nt_integrator_destroy(it);
    subject_free(&s);
}

/* Two masses on springs, one of which stiffens, near a resonance of one to one. */
static const char pair_text[] =
    "nutate: 1\n"
    "parameters: {k: 20}\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  a: {mass: 1.4, point: true, position: [1.2, 0, 0]}\n"
    "  b: {mass: 2, point: true, position: [1, 0, 0.3]}\n"
    "joints:\n"
    "  g: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: [1, 0, 0]}\n"
    "  h: {type: prismatic, between: [ground, b], at: [1, 0, 0], axis: [0, 0, 1]}\n"
    "forces:\n"
    "  f: {type: force, on: a, value: [\"-k*a.position.x - 5*a.position.x^3"
    " - 3*(a.position.x - b.position.z)\", 0, 0]}\n"
    "  e: {type: force, on: b, value: [0, 0, \"-30*b.position.z"
    " + 3*(a.position.x - b.position.z)\"]}\n"
    "simulation: {duration: 10, step: 0.01, method: rkmk-dop853}\n";

/* Without damping there is a family of orbits at each stiffness: the path goes across it, though
 * the direction along it is singular but for rounding. */
static void a_path_goes_across_families(void **unused)
{
    (void)unused;
    subject s;
    nt_error error = {0};
    subject_make(&s, pair_text, NULL);
    nt_orbit_setup setup = subject_setup(&s, 1, 200);
    setup.free = 1, setup.autonomous = 1, setup.from_initial = 1;
    nt_orbit *orbit = make_orbit(&setup);
    assert_int_equal(nt_orbit_guess_period(orbit, 10, 0.01, &error), NT_OK);
    nt_orbit_found found = found_orbit(orbit);
    assert_int_equal(found.kept, 1);
    assert_false(found.follows_initial);
    path p = follow(orbit, parameter_of(&s, "k"), 40, 5);
    assert_int_equal(p.n, 0);
    assert_true(p.points < 12);
    nt_orbit_destroy(orbit);
    subject_free(&s);
}

/* ---- uses ----------------------------------------------------------------------------------- */

static void a_path_can_be_interrupted_and_refused(void **unused)
{
    (void)unused;
    subject s;
    nt_error error = {0};
    subject_make(&s, van_der_pol_text, NULL);
    nt_orbit_setup setup = subject_setup(&s, 6.6, 100);
    setup.free = 1;
    nt_orbit *orbit = make_orbit(&setup);
    path p = {.stop_after = 3};
    assert_int_equal(nt_orbit_follow(orbit, 0, 2, 0.1, 100, visit, &p, &error), NT_INVALID);
    assert_non_null(strstr(error.message, "no orbit was found"));
    found_orbit(orbit);
    assert_int_equal(nt_orbit_follow(orbit, 1, 2, 0.1, 100, visit, &p, &error), NT_INVALID);
    assert_int_equal(nt_orbit_follow(orbit, 0, 1, 0.1, 100, visit, &p, &error), NT_INVALID);
    assert_int_equal(nt_orbit_follow(orbit, 0, 2, 0, 100, visit, &p, &error), NT_INVALID);
    assert_int_equal(nt_orbit_follow(orbit, 0, 2, 0.1, 100, visit, &p, &error), NT_INTERRUPTED);
    assert_int_equal(p.points, 3);
    p = (path){0};
    assert_int_equal(nt_orbit_follow(orbit, 0, 4, 0.1, 3, visit, &p, &error), NT_NOT_CONVERGED);
    assert_non_null(strstr(error.message, "3 points"));
    assert_int_equal(p.points, 3);
    nt_orbit_destroy(orbit);
    subject_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tongues_of_a_pendulum_on_a_driven_pivot),
        cmocka_unit_test(a_resonance_folds_twice),
        cmocka_unit_test(an_orbit_may_begin_late),
        cmocka_unit_test(a_driven_pendulum_doubles_its_period),
        cmocka_unit_test(a_path_goes_across_families),
        cmocka_unit_test(a_path_can_be_interrupted_and_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
