/* Singular positions: chains of N four-bars whose uprights all pass the horizontal together, where
 * each loop might go on folded. */
#include "../model/mechanism.h"

#include "method/branch.h"

/* N loops: N + 1 uprights and N beams, 1 kg and 1 m each; the first upright's velocity is given. To
 * be freed. */
static char *chain_of_four_bars(int n)
{
    size_t size = 1000 + 700 * (size_t)(n + 1);
    char *text = calloc(size, 1), *at = text;
    assert_non_null(text);
    at += sprintf(at, "nutate: 1\ngravity: [0, -9.81, 0]\nbodies:\n");
    for (int k = 0; k <= n; k++)
        at += sprintf(at, "  u%d: {mass: 1, inertia: [1/12, 0, 1/12], position: [%d, 0.5, 0]%s}\n",
                      k, k, k == 0 ? ", angular_velocity: [0, 0, -1]" : "");
    for (int k = 0; k < n; k++)
        at += sprintf(at, "  b%d: {mass: 1, inertia: [0, 1/12, 1/12], position: [%d.5, 1, 0]}\n", k,
                      k);
    at += sprintf(at, "joints:\n");
    for (int k = 0; k <= n; k++)
        at += sprintf(at,
                      "  p%d: {type: revolute, between: [ground, u%d], at: [%d, 0, 0], "
                      "axis: [0, 0, 1]}\n",
                      k, k, k);
    for (int k = 0; k < n; k++)
        at += sprintf(at,
                      "  l%d: {type: revolute, between: [u%d, b%d], at: [%d, 1, 0], "
                      "axis: [0, 0, 1]}\n"
                      "  r%d: {type: revolute, between: [b%d, u%d], at: [%d, 1, 0], "
                      "axis: [0, 0, 1]}\n",
                      k, k, k, k, k, k, k + 1, k + 1);
    assert_true((size_t)(at - text) < size);
    return text;
}

/* All uprights turn alike: phi'' = c sin(phi) with phi(0) = 0, phi'(0) = 1. Runge and Kutta's
 * method of fourth order in 1e5 steps, to 1e-12. */
static void angle_of(int n, double end, double *sine, double *cosine)
{
    double c = 9.81 * ((n + 1) / 2.0 + n) / ((n + 1) / 3.0 + n), x = 0, v = 1, h = end / 1e5;
    for (int i = 0; i < 100000; i++) {
        double p = v, a = c * sin(x);
        double q = v + h / 2 * a, b = c * sin(x + h / 2 * p);
        double r = v + h / 2 * b, d = c * sin(x + h / 2 * q);
        double s = v + h * d, e = c * sin(x + h * r);
        x += h / 6 * (p + 2 * q + 2 * r + s);
        v += h / 6 * (a + 2 * b + 2 * d + e);
    }
    *sine = sin(x), *cosine = cos(x);
}

/* How far the first upright's end is from where it should be after `end`, in calls to each `every`,
 * which are ends of steps; negative where the run ends in words. */
static double run(int n, const char *method, double tolerance, double every, double end)
{
    char *text = chain_of_four_bars(n);
    mechanism m = mechanism_read(text);
    nt_error error = {0};
    free(text);
    nt_integrator_setup setup = {.system = nt_run_system(m.run),
                                 .method = nt_method_find(method),
                                 .tolerance = {tolerance, tolerance, tolerance, tolerance}};
    if (nt_integrator_create(&m.integrator, &setup, &error) != NT_OK ||
        nt_integrator_start(m.integrator, 0, m.q, m.v, m.memory, &error) != NT_OK)
        fail_msg("%s", error.message);
    nt_status status = NT_OK;
    for (double t = every; status == NT_OK && t <= end * (1 + 1e-12); t += every)
        status = nt_integrator_run(m.integrator, t, 1e-3, NULL, NULL, &error);
    double sine, cosine, x[16], miss = -1;
    angle_of(n, end, &sine, &cosine);
    mechanism_get(&m, "u0.position", x);
    if (status == NT_OK)
        miss = hypot(2 * x[0] - sine, 2 * x[1] - cosine);
    else {
        assert_int_equal(error.status, NT_NOT_CONVERGED);
        if (!strstr(error.message, "its position is nearly singular: joint "))
            fail_msg("%s", error.message);
    }
    mechanism_close(&m);
    return miss;
}

/* Five passages in four seconds. Errors of order 8 and 5 at these tolerances are below 1e-4 m; the
 * wrong branch is off by a metre. */
static void test_chains_pass_their_singular_positions(void **unused)
{
    (void)unused;
    static const struct {
        int n;
        const char *method;
        double tolerance, allowed;
    } runs[] = {
        {2, "rkmk-dop853", 1e-8, 1e-6},
        {2, "rkmk-dop853", 1e-10, 1e-7},
        {2, "rkmk-dopri5", 1e-8, 1e-6},
        {7, "rkmk-dop853", 1e-8, 1e-6},
        {12, "rkmk-dop853", 1e-6, 1e-4},
        {12, "rkmk-dopri5", 1e-8, 1e-6},
        {12, "theta", 1e-4, 1e-3},
        {12, "bdf", 1e-6, 1e-2},
        {12, "generalized-alpha-soi2", 1e-6, 1e-2},
        {40, "rkmk-dop853", 1e-8, 1e-6},
    };
    static const double every[] = {0.0625, 0.25, 1, 4};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        for (size_t k = runs[i].n < 40 ? 0 : 1; k < sizeof every / sizeof *every; k++) {
            double miss = run(runs[i].n, runs[i].method, runs[i].tolerance, every[k], 4);
            if (!(miss >= 0 && miss <= runs[i].allowed))
                fail_msg("%d four-bars, %s, tolerance %g, every %g s: off by %.3g m", runs[i].n,
                         runs[i].method, runs[i].tolerance, every[k], miss);
        }
}

/* Where rounding in the multipliers is more than the tolerance the run ends beside the position,
 * and says of it that it is singular: a joint follows from the others all but for the angle that is
 * left to it, 1e-5 to 1e-2 rad. */
static void test_what_fails_there_says_so(void **unused)
{
    (void)unused;
    assert_true(run(2, "bdf", 1e-12, 0.25, 4) < 0);
}

/* A four-bar whose coupler slides on the third bar, that angle before the horizontal: the slider
 * follows from the hinges to a half to two of the angle, which the bound is to tell within a factor
 * two. A row that follows to less than 1e-5 is one that is left out. */
static void test_nearly_dependent_rows_are_found(void **unused)
{
    (void)unused;
    static const struct {
        double angle;
        bool nearly;
    } cases[] = {{1.57, false}, {0.5, false}, {1e-2, true}, {1e-4, true}, {1e-6, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2000];
        double x = cos(cases[i].angle), y = sin(cases[i].angle), distance;
        snprintf(text, sizeof text,
                 "nutate: 1\nbodies:\n"
                 "  a: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
                 "  b: {mass: 1, inertia: [1, 1, 1], position: [%.17g, %.17g, 0]}\n"
                 "  c: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
                 "joints:\n"
                 "  p: {type: revolute, between: [ground, a], axis: [0, 0, 1], at: [0, 0, 0]}\n"
                 "  q: {type: revolute, between: [a, b], axis: [0, 0, 1], at: [%.17g, %.17g, 0]}\n"
                 "  r: {type: inline, between: [b, c], axis: [0, 0, 1], at: [%.17g, %.17g, 0]}\n"
                 "  s: {type: revolute, between: [ground, c], axis: [0, 0, 1], at: [1, 0, 0]}\n",
                 x, y, x, y, 1 + x, y);
        mechanism m = mechanism_open(text);
        nt_factors *f = m.integrator->factors;
        nt_point at = nt_phase_point(&m.integrator->stepper.now);
        int row = -1;
        assert_int_equal(nt_factors_find_nearly_dependent(f, &at, 0.03, &row, &distance), NT_OK);
        assert_int_equal(row >= 0, cases[i].nearly);
        if (row >= 0 && !(distance > cases[i].angle / 2 && distance < 4 * cases[i].angle))
            fail_msg("%g rad: %g", cases[i].angle, distance);
        mechanism_close(&m);
    }
}

/* ---- the check itself ------------------------------------------------------------------------ */

/* A step of a falling four-bar goes on smoothly; not so when the first upright is stopped in it,
 * or when all turn back. */
static void test_jumps_are_seen(void **unused)
{
    (void)unused;
    mechanism m = mechanism_open("nutate: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
                                 "  a: {mass: 1, inertia: [1/12, 0, 1/12], position: [0, 0.5, 0], "
                                 "angular_velocity: [0, 0, -1]}\n"
                                 "  b: {mass: 1, inertia: [1/12, 0, 1/12], position: [3, 0.5, 0], "
                                 "angular_velocity: [0, 0, -1]}\n"
                                 "joints:\n"
                                 "  p: {type: revolute, between: [ground, a], axis: [0, 0, 1], "
                                 "at: [0, 0, 0]}\n"
                                 "  q: {type: revolute, between: [ground, b], axis: [0, 0, 1], "
                                 "at: [3, 0, 0]}\n");
    mechanism_run(&m, 0.7, 0.01);
    nt_integrator *it = m.integrator;
    nt_stepper *s = &it->stepper;
    int nv = it->problem->nv;
    memcpy(s->next.all, s->now.all, it->size * sizeof(double)); /* the last step once more */
    nt_phase last = s->now;
    s->now = it->before;
    assert_false(nt_branch_jumps(it));
    for (int i = 0; i < nv; i++)
        s->next.v[i] = i < 6 ? 0.5 * last.v[i] : last.v[i]; /* a eighth of the energy */
    assert_true(nt_branch_jumps(it));
    for (int i = 0; i < nv; i++)
        s->next.v[i] = -last.v[i]; /* none */
    assert_true(nt_branch_jumps(it));
    for (int i = 0; i < nv; i++)
        s->next.v[i] = 1.05 * last.v[i];
    assert_false(nt_branch_jumps(it));
    s->next.v[0] = (double)NAN;
    assert_true(nt_branch_jumps(it));
    s->now = last;
    mechanism_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chains_pass_their_singular_positions),
        cmocka_unit_test(test_what_fails_there_says_so),
        cmocka_unit_test(test_nearly_dependent_rows_are_found),
        cmocka_unit_test(test_jumps_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
