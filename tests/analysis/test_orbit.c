/* Periodic orbits against what is known of them: periods, advances, multipliers; and refusals. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/analysis/orbits.h"

/* ---- free orbits ---------------------------------------------------------------------------- */

/* The complete elliptic integral of the first kind, by the arithmetic-geometric mean. */
static double elliptic(double k)
{
    double a = 1, b = sqrt(1 - k * k);
    for (int i = 0; i < 20; i++) {
        double mean = (a + b) / 2;
        b = sqrt(a * b), a = mean;
    }
    return acos(-1.0) / (2 * a);
}

static void a_pendulum_swings_by_the_elliptic_integral(void **unused)
{
    (void)unused;
    double period = 4 * sqrt(1.01 / 9.81) * elliptic(sin(1.25));
    for (int segments = 1; segments < 6; segments += 2) {
        subject s;
        subject_make(&s, pendulum_text, NULL);
        nt_orbit_setup setup = subject_setup(&s, 3, 200);
        setup.free = 1, setup.segments = segments;
        nt_orbit *orbit = make_orbit(&setup);
        assert_int_equal(nt_orbit_guess_period(orbit, 20, 0.01, NULL), NT_OK);
        nt_orbit_found found = found_orbit(orbit);
        ASSERT_CLOSE(found.period, period, 1e-11);
        assert_int_equal(found.dimension, 2);
        assert_int_equal(found.trivial, 2);
        assert_int_equal(found.kept, 1);
        assert_true(found.trivial_distance < 1e-11);
        ASSERT_CLOSE(found.multiplier[0], 1, 1e-11);
        assert_int_equal(found.stability, NT_ORBIT_NEUTRAL);
        double drift = 0;
        for (int i = 0; i < 7; i++) /* it stays where it was released */
            drift = fmax(drift, fabs(found.q[i] - s.q[i]));
        assert_true(drift < 1e-6);
        nt_orbit_destroy(orbit);
        subject_free(&s);
    }
}

/* Period and multiplier from an integration of the oscillator and its variation by extrapolation
 * (Gragg, Bulirsch, Stoer). */
static void a_limit_cycle_of_van_der_pol(void **unused)
{
    (void)unused;
    static const char *const methods[] = {"rkmk-dop853", "rkmk-dopri5", "theta"};
    static const double tolerances[] = {1e-11, 1e-8, 1e-3};
    for (int i = 0; i < 3; i++) {
        subject s;
        subject_make(&s, van_der_pol_text, methods[i]);
        nt_orbit_setup setup = subject_setup(&s, 6, 400);
        setup.free = 1;
        nt_orbit *orbit = make_orbit(&setup);
        nt_orbit_found found = found_orbit(orbit);
        ASSERT_CLOSE(found.period, 6.663286859323236, tolerances[i]);
        ASSERT_CLOSE(found.multiplier[2], 0.000859695063578636, tolerances[i]);
        assert_int_equal(found.trivial, 1);
        assert_int_equal(found.kept, 0);
        assert_true(fabs(found.multiplier[0] - 1) <= 2 * found.trivial_distance + 1e-12);
        assert_true(found.trivial_distance < 10 * tolerances[i]);
        assert_int_equal(found.stability, NT_ORBIT_STABLE);
        nt_orbit_destroy(orbit);
        subject_free(&s);
    }
}

/* Nutation of a top released at u0 = cos(tilt) with spin w alone: of u = cos of its inclination
 *
 *   u'^2 = (u0 - u)(b (1 - u^2) - a^2 (u0 - u)),   psi' = a (u0 - u)/(1 - u^2),
 *
 * a = I3 w/I1, b = 2 m g l/I1. With u = mean + half cos(phi) between its ends the integrals over
 * phi are of periodic functions: the trapezoidal rule is exact. */
static void nutation(double *period, double *advance)
{
    const double I1 = 0.02 + 1.5 * 0.2 * 0.2, a = 0.012 * 40 / I1, b = 2 * 1.5 * 9.81 * 0.2 / I1;
    const double u0 = cos(0.6), p = -a * a / b, r = 1 - a * a * u0 / b;
    /* the second factor is -b (u^2 + p u - r) = b (u - u1)(u2 - u) */
    const double root = sqrt(p * p / 4 + r), u1 = -p / 2 - root, u2 = -p / 2 + root;
    enum { N = 400 };
    double pi = acos(-1.0);
    *period = *advance = 0;
    for (int i = 0; i < N; i++) {
        double u = (u0 + u1) / 2 + (u0 - u1) / 2 * cos((i + 0.5) * pi / N);
        double dt = 2 * pi / N / sqrt(b * (u2 - u));
        *period += dt;
        *advance += a * (u0 - u) / (1 - u * u) * dt;
    }
}

static void a_top_nutates_as_it_precesses(void **unused)
{
    (void)unused;
    subject s;
    double period, advance;
    nutation(&period, &advance);
    subject_make(&s, top_text, NULL);
    const nt_orbit_advance advances[] = {{.coordinate = NT_ABOUT_Z, .found = 1},
                                         {.coordinate = 5, .found = 1}};
    nt_orbit_setup setup = subject_setup(&s, 1, 400);
    setup.free = 1, setup.advances = advances, setup.n_advances = 2;
    nt_orbit *orbit = make_orbit(&setup);
    assert_int_equal(nt_orbit_guess_period(orbit, 4, 0.001, NULL), NT_OK);
    nt_orbit_found found = found_orbit(orbit);
    ASSERT_CLOSE(found.period, period, 1e-10);
    ASSERT_CLOSE(found.advance[0], advance, 1e-9);
    assert_int_equal(found.dimension, 6);
    assert_int_equal(found.trivial, 6); /* the motion, both turns; energy and two momenta */
    assert_int_equal(found.kept, 3);
    nt_orbit_destroy(orbit);
    subject_free(&s);
}

/* Rolling without slip: the coin's wobble repeats but for where it is, where it heads and how far
 * it has rolled. Of the directions that change nothing, two shift the coin: a period turns them
 * about the vertical, with multipliers exp(+-i heading). */
static void a_coin_wobbles_as_it_rolls(void **unused)
{
    (void)unused;
    subject s;
    subject_make(&s, coin_text, NULL);
    const nt_orbit_advance advances[] = {{.coordinate = NT_ABOUT_Z, .found = 1},
                                         {.coordinate = NT_ALONG_X, .found = 1},
                                         {.coordinate = NT_ALONG_Y, .found = 1},
                                         {.coordinate = 3, .found = 1}};
    nt_orbit_setup setup = subject_setup(&s, 0.2, 200);
    setup.free = 1, setup.advances = advances, setup.n_advances = 4;
    nt_orbit *orbit = make_orbit(&setup);
    assert_int_equal(nt_orbit_guess_period(orbit, 2, 1e-3, NULL), NT_OK);
    nt_orbit_found found = found_orbit(orbit);
    assert_int_equal(found.dimension, 8);
    assert_int_equal(found.trivial, 8);
    assert_int_equal(found.kept, 3);
    int turned = 0;
    for (int i = 0; i < 5; i++) {
        double re = found.multiplier[2 * i], im = found.multiplier[2 * i + 1];
        turned += fabs(re - cos(found.advance[0])) < 1e-9 &&
                  fabs(fabs(im) - fabs(sin(found.advance[0]))) < 1e-9;
        ASSERT_CLOSE(hypot(re, im), 1, 1e-9);
    }
    assert_int_equal(turned, 2);
    double miss;
    assert_int_equal(nt_orbit_check_steps(orbit, &miss, NULL), NT_OK);
    assert_true(miss < 1e-12);
    nt_orbit_destroy(orbit);
    subject_free(&s);
}

/* ---- states of rest -------------------------------------------------------------------------- */

static void set_parameter(subject *s, const char *name, double value)
{
    const nt_system *system = nt_run_system(s->run);
    double values[8];
    system->get_parameters(system->self, values);
    values[parameter_of(s, name)] = value;
    assert_int_equal(system->set_parameters(system->self, values), NT_OK);
    nt_run_initial(s->run, s->q, s->v, s->memory);
}

/* A pendulum at rest repeats after any time T. Disturbances follow
 * 1.01 phi'' + c phi' + 9.81 phi = 0: multipliers exp((-d +- i w) T), d = c/2.02,
 * w^2 = 9.81/1.01 - d^2; none is that of a motion. The search may begin at rest or end there. */
static void a_state_of_rest_has_no_trivial_multiplier(void **unused)
{
    (void)unused;
    static const double damping[] = {0, 0.3, 0.3}, amplitude[] = {0, 0, 0.05};
    for (int i = 0; i < 3; i++) {
        subject s;
        subject_make(&s, pendulum_text, NULL);
        set_parameter(&s, "damping", damping[i]);
        set_parameter(&s, "amplitude", amplitude[i]);
        const double T = 1.3, d = damping[i] / 2.02, w = sqrt(9.81 / 1.01 - d * d);
        nt_orbit_setup setup = subject_setup(&s, T, 200);
        setup.autonomous = 1;
        nt_orbit *orbit = make_orbit(&setup);
        nt_orbit_found found = found_orbit(orbit);
        assert_int_equal(found.dimension, 2);
        assert_int_equal(found.trivial, 0);
        assert_int_equal(found.rests, 1);
        for (int k = 0; k < 2; k++) {
            ASSERT_CLOSE(found.multiplier[2 * k], exp(-d * T) * cos(w * T), 1e-11);
            ASSERT_CLOSE(fabs(found.multiplier[2 * k + 1]), exp(-d * T) * fabs(sin(w * T)), 1e-11);
        }
        assert_int_equal(found.stability, i == 0 ? NT_ORBIT_NEUTRAL : NT_ORBIT_STABLE);
        double by_g[4], size = T / (2.02 * w); /* d mu/dg = +-i mu T dw/dg */
        assert_int_equal(nt_orbit_tangent(orbit, parameter_of(&s, "g"), by_g, NULL, NULL, NULL),
                         NT_OK);
        ASSERT_CLOSE(hypot(by_g[0], by_g[1]), size * exp(-d * T), 1e-8);
        nt_orbit_destroy(orbit);
        if (i == 0) { /* without a guess or with one, it has no period of its own */
            nt_error error = {0};
            setup.free = 1;
            orbit = make_orbit(&setup);
            assert_int_equal(nt_orbit_guess_period(orbit, 20, 0.01, &error), NT_NOT_CONVERGED);
            assert_non_null(strstr(error.message, "at rest"));
            assert_int_equal(nt_orbit_find(orbit, &error), NT_NOT_CONVERGED);
            assert_non_null(strstr(error.message, "a state of rest"));
            nt_orbit_destroy(orbit);
        }
        subject_free(&s);
    }
}

/* However slowly it swings, a pendulum that moves has its motion's own multiplier, and that of its
 * energy; one with a clock that nothing moves has none. */
static void a_small_swing_is_no_rest(void **unused)
{
    (void)unused;
    subject s;
    subject_make(&s, pendulum_text, NULL);
    set_parameter(&s, "amplitude", 1e-4);
    nt_orbit_setup setup = subject_setup(&s, 2 * acos(-1.0) * sqrt(1.01 / 9.81), 200);
    setup.free = 1;
    nt_orbit *orbit = make_orbit(&setup);
    nt_orbit_found found = found_orbit(orbit);
    assert_int_equal(found.trivial, 2);
    assert_int_equal(found.rests, 0);
    nt_orbit_destroy(orbit);
    setup.free = 0;
    setup.period = 1.3;
    set_parameter(&s, "amplitude", 0);
    orbit = make_orbit(&setup);
    found = found_orbit(orbit);
    assert_int_equal(found.trivial, 0);
    assert_int_equal(found.rests, 0);
    nt_orbit_destroy(orbit);
    subject_free(&s);
}

/* ---- given periods -------------------------------------------------------------------------- */

/* Eigenvalues of a driven motion without damping come in pairs. */
static void multipliers_pair_without_damping(void **unused)
{
    (void)unused;
    subject s;
    subject_make(&s, spring_pendulum_text, NULL);
    nt_orbit_setup setup = subject_setup(&s, 2 * acos(-1.0) / 3, 200);
    nt_orbit *orbit = make_orbit(&setup);
    nt_orbit_found found = found_orbit(orbit);
    assert_int_equal(found.dimension, 4);
    assert_int_equal(found.trivial, 0);
    assert_true(found.pairing < 1e-11);
    nt_orbit_destroy(orbit);
    subject_free(&s);
}

/* One motion found in one segment and in six; the product of its multipliers is what damping leaves
 * of volumes (Liouville). */
static void segments_agree(void **unused)
{
    (void)unused;
    subject s;
    subject_make(&s, driven_pendulum_text, NULL);
    double determinant = exp(-0.5 * 3 * acos(-1.0));
    for (int i = 0; i < 2; i++) {
        nt_orbit_setup setup = subject_setup(&s, 3 * acos(-1.0), 240);
        setup.segments = i ? 6 : 1;
        nt_orbit *orbit = make_orbit(&setup);
        const double *mu = found_orbit(orbit).multiplier;
        ASSERT_CLOSE(mu[0] * mu[2] - mu[1] * mu[3], determinant, 1e-11);
        double miss;
        assert_int_equal(nt_orbit_check_steps(orbit, &miss, NULL), NT_OK);
        assert_true(miss < 1e-10);
        nt_orbit_destroy(orbit);
    }
    subject_free(&s);
}

/* ---- derivatives ---------------------------------------------------------------------------- */

static void multipliers_are_differentiated(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *parameter;
        double period;
        int free;
    } cases[] = {{van_der_pol_text, "mu", 6.6, 1},
                 {driven_pendulum_text, "drive", 3 * 3.14159265358979324, 0},
                 {driven_pendulum_text, "c", 3 * 3.14159265358979324, 0},
                 {driven_pivot_text, "a", 3.14159265358979324, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        subject s;
        subject_make(&s, cases[i].text, NULL);
        nt_orbit_setup setup = subject_setup(&s, cases[i].period, 200);
        setup.free = cases[i].free;
        nt_orbit *orbit = make_orbit(&setup);
        nt_orbit_found found = found_orbit(orbit);
        int k = parameter_of(&s, cases[i].parameter), n = found.dimension;
        const nt_system *system = nt_run_system(s.run);
        double d[8], period, p[8], difference[8] = {0}, by_period = 0;
        nt_error error = {0};
        if (nt_orbit_tangent(orbit, k, d, &period, NULL, &error) != NT_OK)
            fail_msg("%s", error.message);
        system->get_parameters(system->self, p);
        double step = 1e-4 * fabs(p[k]), value = p[k];
        for (int place = -2; place <= 2; place++) { /* whole orbits, by the formula of order four */
            static const double weight[] = {1.0 / 12, -8.0 / 12, 0, 8.0 / 12, -1.0 / 12};
            p[k] = value + place * step;
            system->set_parameters(system->self, p);
            found = found_orbit(orbit);
            by_period += weight[place + 2] * found.period / step;
            for (int j = 0; j < 2 * n; j++)
                difference[j] += weight[place + 2] * found.multiplier[j] / step;
        }
        ASSERT_CLOSE(period, by_period, 1e-6 * (1 + fabs(by_period)));
        for (int j = 2 * found.trivial; j < 2 * n; j++)
            ASSERT_CLOSE(d[j], difference[j], 2e-6 * (1 + fabs(difference[j])));
        for (int j = 0; j < 2 * found.trivial; j++)
            assert_true(isnan(d[j]));
        nt_orbit_destroy(orbit);
        subject_free(&s);
    }
}

/* ---- refusals ------------------------------------------------------------------------------- */

static void refuses(const nt_orbit_setup *setup, nt_status expected, const char *words)
{
    nt_orbit *orbit;
    nt_error error = {0};
    nt_status status = nt_orbit_create(&orbit, setup, &error);
    if (status == NT_OK) {
        status = nt_orbit_find(orbit, &error);
        nt_orbit_destroy(orbit);
    }
    if (status != expected || !strstr(error.message, words))
        fail_msg("expected status %d and '%s', got %d and '%s'", expected, words, status,
                 error.message);
}

static void what_is_wrong_is_said(void **unused)
{
    (void)unused;
    subject s;
    subject_make(&s, pendulum_text, NULL);
    nt_orbit_setup setup = subject_setup(&s, 3, 200);
    setup.period = -1;
    refuses(&setup, NT_INVALID, "the period is -1 s, expected a positive number");
    setup.period = 3, setup.steps = 0;
    refuses(&setup, NT_INVALID, "0 steps");
    setup.steps = 10, setup.segments = 11;
    refuses(&setup, NT_INVALID, "11 segments");
    setup.segments = 0;
    nt_orbit_advance advance = {.coordinate = 17};
    setup.advances = &advance, setup.n_advances = 1;
    refuses(&setup, NT_INVALID, "coordinate 17, expected one of the 6");
    setup.n_advances = 0;
    s.steps.method = nt_method_find("bdf");
    refuses(&setup, NT_UNSUPPORTED, "method bdf chooses its steps by itself");
    s.steps.method = nt_method_find("rkmk-dop853");
    s.steps.tolerance[0] = 1e-6;
    refuses(&setup, NT_UNSUPPORTED, "equal steps");
    subject_free(&s);
}

static void a_method_without_a_linearised_step_is_refused_by_name(void **unused)
{
    (void)unused;
    subject s;
    subject_make(&s, pendulum_text, NULL);
    for (int i = 0; i < nt_method_count(); i++) {
        const nt_method *method = nt_method_at(i);
        char words[200];
        if (nt_method_is_linearised(method))
            continue;
        s.steps.method = method;
        nt_orbit_setup setup = subject_setup(&s, 3, 200);
        snprintf(words, sizeof words, "method %s has no linearised step", nt_method_name(method));
        refuses(&setup, NT_UNSUPPORTED, words);
    }
    subject_free(&s);
}

/* A pendulum that loses energy returns to no place but its rest. */
static void what_does_not_close_names_coordinates(void **unused)
{
    (void)unused;
    subject s;
    nt_error error = {0};
    subject_make(&s, pendulum_text, NULL);
    assert_int_equal(nt_model_set(s.run, "damping", 0.3, &error), NT_OK);
    nt_orbit_setup setup = subject_setup(&s, 3.3, 200);
    setup.free = 1, setup.iterations = 2;
    refuses(&setup, NT_NOT_CONVERGED, "the end misses the begin in ");
    refuses(&setup, NT_NOT_CONVERGED, "of body bob ");
    subject_free(&s);
}

/* It closes once, but the load has another period. */
static void a_period_that_is_none_of_the_load(void **unused)
{
    (void)unused;
    subject s;
    subject_make(&s, driven_pendulum_text, NULL);
    nt_orbit_setup setup = subject_setup(&s, 7, 200);
    refuses(&setup, NT_INCONSISTENT, "the next period is another");
    subject_free(&s);
}

/* The whole moves along x in each period, though a spring holds it to one place. */
static void an_advance_that_is_no_symmetry(void **unused)
{
    (void)unused;
    subject s;
    subject_make(&s, van_der_pol_text, NULL);
    nt_orbit_advance advance = {.coordinate = NT_ALONG_X, .value = 0.1};
    nt_orbit_setup setup = subject_setup(&s, 5, 200);
    nt_error error = {0};
    setup.advances = &advance, setup.n_advances = 1;
    nt_orbit *orbit = make_orbit(&setup);
    nt_status status = nt_orbit_find(orbit, &error);
    assert_true(status == NT_INCONSISTENT || status == NT_NOT_CONVERGED);
    assert_int_equal(nt_orbit_state(orbit).dimension, 0); /* nothing was found */
    nt_orbit_destroy(orbit);
    subject_free(&s);
}

static int asked_four_times(void *context, int iteration, double miss)
{
    (void)miss;
    assert_int_equal(iteration, 0);
    return ++*(int *)context == 4;
}

static void a_search_ends_within_a_shooting(void **unused)
{
    (void)unused;
    subject s;
    int asked = 0;
    nt_error error = {0};
    subject_make(&s, van_der_pol_text, NULL);
    nt_orbit_setup setup = subject_setup(&s, 6, 400);
    setup.free = 1, setup.watch = asked_four_times, setup.context = &asked;
    nt_orbit *orbit = make_orbit(&setup);
    assert_int_equal(nt_orbit_find(orbit, &error), NT_INTERRUPTED);
    assert_string_equal(error.message, "the search for an orbit was interrupted");
    assert_int_equal(asked, 4);
    nt_orbit_destroy(orbit);
    subject_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_swings_by_the_elliptic_integral),
        cmocka_unit_test(a_limit_cycle_of_van_der_pol),
        cmocka_unit_test(a_top_nutates_as_it_precesses),
        cmocka_unit_test(a_coin_wobbles_as_it_rolls),
        cmocka_unit_test(a_state_of_rest_has_no_trivial_multiplier),
        cmocka_unit_test(a_small_swing_is_no_rest),
        cmocka_unit_test(multipliers_pair_without_damping),
        cmocka_unit_test(segments_agree),
        cmocka_unit_test(multipliers_are_differentiated),
        cmocka_unit_test(what_is_wrong_is_said),
        cmocka_unit_test(a_method_without_a_linearised_step_is_refused_by_name),
        cmocka_unit_test(what_does_not_close_names_coordinates),
        cmocka_unit_test(a_period_that_is_none_of_the_load),
        cmocka_unit_test(an_advance_that_is_no_symmetry),
        cmocka_unit_test(a_search_ends_within_a_shooting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
