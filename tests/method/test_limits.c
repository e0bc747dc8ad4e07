/* Rigid limits of joints: bounces to rest, impacts of mechanisms, and where a limit lets go,
 * against solutions by hand. */
#include "tests/model/mechanism.h"

#include <nutate/method.h>
#include <nutate/model.h>

#include <stdio.h>

enum { MOST = 64 };

typedef struct seen {
    int n;
    nt_occurrence at[MOST];
} seen;

static void see(void *context, const nt_occurrence *o)
{
    seen *s = context;
    if (s->n < MOST)
        s->at[s->n++] = *o;
}

/* A run of a model text to its end; the integrator, to be destroyed by the caller. */
static void run_to(double end, const char *text, const char *method, double h, mechanism *m,
                   seen *s, nt_integrator **it)
{
    *m = mechanism_read(text);
    nt_integrator_setup setup = {
        .system = nt_run_system(m->run), .method = nt_method_find(method), .track_work = 1};
    nt_error error = {0};
    *s = (seen){0};
    assert_int_equal(nt_integrator_create(it, &setup, &error), NT_OK);
    assert_int_equal(nt_integrator_start(*it, 0, NULL, NULL, NULL, &error), NT_OK);
    nt_integrator_observe_events(*it, see, s);
    nt_status status = nt_integrator_run(*it, end, h, NULL, NULL, &error);
    if (status != NT_OK)
        fail_msg("%s: %s", method, error.message);
}

static void close_run(mechanism *m, nt_integrator *it)
{
    nt_integrator_destroy(it);
    mechanism_close(m);
}

static const char *word(const mechanism *m, const nt_occurrence *o)
{
    return nt_model_event_name(nt_run_model(m->run), o->number);
}

static const char *const methods[] = {"generalized-alpha",
                                      "generalized-alpha-linear",
                                      "generalized-alpha-residual",
                                      "generalized-alpha-soi2",
                                      "theta",
                                      "semi-explicit",
                                      "semi-explicit-2",
                                      "rkmk-dopri5",
                                      "rkmk-dop853",
                                      "bdf"};
enum { METHODS = sizeof methods / sizeof methods[0] };

/* ---- a weight on a rail falls on its limit -------------------------------------------------- */

/* From 1 m above it, with 10 m/s^2: it hits with sqrt(20) e^k m/s, and rests where that is below
 * 0.01 m/s, at k = 12. */
static const char fall[] =
    "nutate: 1\n"
    "gravity: [0, 0, -10]\n"
    "bodies: {b: {mass: 2, inertia: [1, 1, 1], position: [0, 0, 0]}}\n"
    "joints: {rail: {type: prismatic, between: [ground, b], at: [0, 0, 0], axis: [0, 0, 1], "
    "limits: {lower: -1, upper: 3, restitution: 0.6, rest_speed: 0.01}}}\n"
    "simulation: {duration: 3, step: 0.01}\n";

static void a_weight_bounces_to_rest(void **state)
{
    enum { LAST = 12 };
    const double speed = sqrt(20), e = 0.6;
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        mechanism m;
        nt_integrator *it;
        seen s;
        run_to(3, fall, methods[k], 0.01, &m, &s, &it);
        /* bdf follows its tolerance, the others know parabolas */
        double tolerance = strcmp(methods[k], "bdf") == 0 ? 1e-4 : 1e-10;
        double t = speed / 10, v = speed;
        assert_int_equal(s.n, LAST + 1);
        for (int i = 0; i <= LAST; i++) {
            double left = i < LAST ? e * e : 0;
            CLOSE(s.at[i].t, t, tolerance);
            CLOSE(s.at[i].energy[0] - s.at[i].energy[1], (1 - left) * v * v, 10 * tolerance);
            assert_string_equal(word(&m, &s.at[i]), i < LAST ? "joint rail hits its lower limit"
                                                             : "joint rail rests on its lower "
                                                               "limit");
            v *= e, t += 2 * v / 10;
        }
        nt_state end = nt_integrator_state(it);
        CLOSE(end.q[2], -1, 1e-15);
        CLOSE(end.v[2], 0, 1e-15);
        CLOSE(end.work, -20, 1e-3 * tolerance + 1e-12 + (tolerance > 1e-5 ? 1e-2 : 0));
        close_run(&m, it);
    }
}

/* Bounces that are flatter than what tells whether a body at rest has left: 3.6e-12 m at last, of
 * 1.7e-5 m/s. */
static void it_bounces_as_long_as_it_may(void **state)
{
    static const char *const by[] = {"rkmk-dop853", "generalized-alpha", "bdf"};
    enum { LAST = 19 };
    char text[600];
    (void)state;
    snprintf(text, sizeof text, "%s", fall);
    char *to = strstr(text, "0.6, rest_speed: 0.01");
    assert_non_null(to);
    memcpy(to, "0.5, rest_speed: 1e-5", strlen("0.5, rest_speed: 1e-5"));
    for (size_t c = 0; c < sizeof by / sizeof *by; c++) {
        mechanism m;
        nt_integrator *it;
        seen s;
        run_to(3, text, by[c], 0.01, &m, &s, &it);
        assert_int_equal(s.n, LAST + 1);
        assert_string_equal(word(&m, &s.at[LAST]), "joint rail rests on its lower limit");
        CLOSE(s.at[LAST].t, sqrt(20) / 10 * 3, 1e-4);
        CLOSE(nt_integrator_state(it).q[2], -1, 1e-15);
        close_run(&m, it);
    }
}

/* One carriage lies at its limit and is drawn away from there, another one comes to its own, in the
 * instant in which the run begins. */
static void who_hits_at_the_start_is_told(void **state)
{
    static const char text[] =
        "nutate: 1\n"
        "gravity: [0, 0, 0]\n"
        "bodies:\n"
        "  a: {mass: 1, inertia: [1, 1, 1]}\n"
        "  b: {mass: 1, inertia: [1, 1, 1], position: [0, 1, 0], velocity: [-5, 0, 0]}\n"
        "joints:\n"
        "  left: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: [1, 0, 0], limits: "
        "{lower: 0}}\n"
        "  right: {type: prismatic, between: [ground, b], at: [0, 1, 0], axis: [1, 0, 0], limits: "
        "{lower: 0, restitution: 0.5}}\n"
        "forces: {pull: {type: joint_force, joint: left, value: 2}}\n"
        "simulation: {duration: 1, step: 0.1}\n";
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        mechanism m;
        nt_integrator *it;
        seen s;
        run_to(1, text, methods[k], 0.1, &m, &s, &it);
        assert_int_equal(s.n, 1);
        assert_string_equal(word(&m, &s.at[0]), "joint right hits its lower limit");
        CLOSE(s.at[0].t, 0, 1e-15);
        CLOSE(s.at[0].energy[0], 12.5, 1e-12);
        CLOSE(s.at[0].energy[1], 3.125, 1e-12);
        close_run(&m, it);
    }
}

/* ---- a limit pushes and never pulls --------------------------------------------------------- */

/* 2 kg that (8 t - 5) N push: it lies at its limit until t = 0.625 s and has then moved by
 * 8/12 (t - 0.625)^3 m. */
static const char pushed[] =
    "nutate: 1\n"
    "gravity: [0, 0, 0]\n"
    "bodies: {b: {mass: 2, inertia: [1, 1, 1], position: [0, 0, 0]}}\n"
    "joints: {rail: {type: prismatic, between: [ground, b], at: [0, 0, 0], axis: [1, 0, 0], "
    "limits: {lower: 0}}}\n"
    "forces: {f: {type: force, on: b, value: [8*t - 5, 0, 0]}}\n"
    "simulation: {duration: 1, step: 0.01}\n";

static void a_limit_lets_go(void **state)
{
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        mechanism m;
        nt_integrator *it;
        seen s;
        run_to(1, pushed, methods[k], 1. / 128, &m, &s, &it);
        nt_state end = nt_integrator_state(it);
        assert_int_equal(s.n, 1);
        assert_string_equal(word(&m, &s.at[0]), "joint rail leaves its lower limit");
        CLOSE(s.at[0].t, 0.625, 1e-9);
        CLOSE(end.q[0], 8. / 12 * pow(0.375, 3), strstr(methods[k], "rkmk") ? 1e-10 : 1e-4);
        close_run(&m, it);
    }
}

/* ---- a double pendulum that hits its limit -------------------------------------------------- */

/* Two bars of 1.3 and 0.7 kg in line, turning as one with w = 2 rad/s when the first reaches its
 * limit; free of weight. With M in the angles of the joints,
 *
 *   M11 = I1 + m1 d1^2 + I2 + m2 (1 + d2)^2,  M12 = I2 + m2 (1 + d2) d2,  M22 = I2 + m2 d2^2,
 *
 * the first leaves with -e w. The second, if it is free, with (1 + e) w M12/M22; where a limit of
 * its own keeps it from going on it has no rate, and where it keeps it from going back it is free.
 */
static const char pendulum[] =
    "nutate: 1\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  a: {mass: 1.3, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0], angular_velocity: "
    "[0, 2, 0]}\n"
    "  b: {mass: 0.7, inertia: [0.05, 0.05, 0.05], position: [1.3, 0, 0], angular_velocity: "
    "[0, 2, 0]}\n"
    "joints:\n"
    "  shoulder: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0], "
    "limits: {upper: 0, restitution: %g, impact_law: %s}}\n"
    "  elbow: {type: revolute, between: [a, b], at: [1, 0, 0], axis: [0, 1, 0]%s}\n"
    "simulation: {duration: 1, step: 0.01}\n";

static void a_double_pendulum_hits(void **state)
{
    static const struct {
        const char *limits;
        bool held;
    } cases[] = {{"", false}, {", limits: {upper: 0}", true}, {", limits: {lower: 0}", false}};
    static const char *const laws[] = {"Newton", "Poisson"};
    static const char *const by[] = {"rkmk-dop853", "generalized-alpha", "generalized-alpha-soi2",
                                     "bdf"};
    const double w = 2, e = 0.5, d = 0.3;
    const double M11 = 0.1 + 1.3 * 0.25 + 0.05 + 0.7 * (1 + d) * (1 + d);
    const double M12 = 0.05 + 0.7 * (1 + d) * d, M22 = 0.05 + 0.7 * d * d;
    (void)state;
    for (int k = 0; k < 3; k++)
        for (int law = 0; law < 2; law++)
            for (int i = 0; i < 4; i++) {
                char text[2048];
                mechanism m;
                nt_integrator *it;
                seen s;
                snprintf(text, sizeof text, pendulum, e, laws[law], cases[k].limits);
                run_to(1e-6, text, by[i], 1e-6, &m, &s, &it);
                double first = -e * w, second = cases[k].held ? 0 : (1 + e) * w * M12 / M22;
                nt_state end = nt_integrator_state(it);
                assert_true(s.n >= 1); /* the elbow may leave a limit on which nothing presses it */
                assert_string_equal(word(&m, &s.at[0]), "joint shoulder hits its upper limit");
                CLOSE(end.v[4], first, 1e-4);
                CLOSE(end.v[10], first + second, 1e-4);
                CLOSE(s.at[0].energy[0], M11 * w * w / 2, 1e-12);
                CLOSE(s.at[0].energy[1],
                      M11 * first * first / 2 + M12 * first * second + M22 * second * second / 2,
                      1e-12);
                close_run(&m, it);
            }
}

/* ---- three carriages ------------------------------------------------------------------------ */

/* The first of three equal carriages in a row comes with 1 m/s; joints between neighbours have
 * limits, the second of which is met at no speed: the balls of test_impact.c. */
static const char carriages[] =
    "nutate: 1\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], velocity: [1, 0, 0]}\n"
    "  b: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
    "  c: {mass: 1, inertia: [1, 1, 1], position: [2, 0, 0]}\n"
    "joints:\n"
    "  ra: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: [1, 0, 0]}\n"
    "  ab: {type: prismatic, between: [a, b], at: [1, 0, 0], axis: [1, 0, 0], "
    "limits: {lower: -0.3, restitution: %g, impact_law: %s}}\n"
    "  bc: {type: prismatic, between: [b, c], at: [2, 0, 0], axis: [1, 0, 0], "
    "limits: {lower: 0, restitution: %g, impact_law: %s}}\n"
    "simulation: {duration: 1, step: 0.01}\n";

static void carriages_in_a_row(void **state)
{
    static const struct {
        const char *law;
        double e[2], v[3];
    } cases[] = {
        {"Newton", {0.5, 1}, {0, 0.5, 0.5}},
        {"Newton", {1, 0}, {-1. / 3, 2. / 3, 2. / 3}},
        {"Poisson", {0.5, 1}, {0, 1. / 3, 2. / 3}},
        {"Poisson", {0.2, 0.9}, {11. / 60, 11. / 60, 19. / 30}},
        {"Poisson", {1, 0}, {-1. / 3, 2. / 3, 2. / 3}},
        {"Poisson", {0, 1}, {1. / 6, 1. / 6, 2. / 3}},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        for (int i = 0; i < METHODS; i++) {
            char text[2048];
            mechanism m;
            nt_integrator *it;
            seen s;
            if (strcmp(methods[i], "bdf") == 0)
                continue;
            snprintf(text, sizeof text, carriages, cases[k].e[0], cases[k].law, cases[k].e[1],
                     cases[k].law);
            run_to(0.5, text, methods[i], 0.01, &m, &s, &it);
            nt_state end = nt_integrator_state(it);
            for (int b = 0; b < 3; b++)
                CLOSE(end.v[6 * b], cases[k].v[b], 1e-10);
            CLOSE(s.at[0].t, 0.3, 1e-10);
            close_run(&m, it);
        }
}

/* ---- an impulse on what lies at its limit --------------------------------------------------- */

static const char struck[] =
    "nutate: 1\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  a: {mass: 2, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
    "  b: {mass: 3, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
    "joints:\n"
    "  ra: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: [1, 0, 0], "
    "limits: {lower: 0}}\n"
    "  rb: {type: prismatic, between: [a, b], at: [1, 0, 0], axis: [1, 0, 0], limits: {lower: 0}}\n"
    "events: {kick: {when: t - 0.1, then: [{impulse: {on: %s, value: [%g, 0, 0]}}]}}\n"
    "simulation: {duration: 1, step: 0.01}\n";

static void an_impulse_parts_or_presses(void **state)
{
    static const struct {
        const char *on;
        double p, v[2];
    } cases[] = {{"b", 6, {0, 2}}, {"a", 5, {1, 1}}, {"b", -6, {0, 0}}, {"a", -5, {0, 0}}};
    (void)state;
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < METHODS; i++) {
            char text[2048];
            mechanism m;
            nt_integrator *it;
            seen s;
            snprintf(text, sizeof text, struck, cases[k].on, cases[k].p);
            run_to(0.5, text, methods[i], 0.01, &m, &s, &it);
            nt_state end = nt_integrator_state(it);
            for (int b = 0; b < 2; b++) {
                CLOSE(end.v[6 * b], cases[k].v[b], 1e-11);
                CLOSE(end.q[7 * b], b + 0.4 * cases[k].v[b], 1e-10);
            }
            close_run(&m, it);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_weight_bounces_to_rest),
        cmocka_unit_test(a_limit_lets_go),
        cmocka_unit_test(a_double_pendulum_hits),
        cmocka_unit_test(carriages_in_a_row),
        cmocka_unit_test(an_impulse_parts_or_presses),
        cmocka_unit_test(it_bounces_as_long_as_it_may),
        cmocka_unit_test(who_hits_at_the_start_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
