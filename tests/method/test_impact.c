/* Impacts of several joints at once, by Newton's law and by Poisson's, against solutions by hand.
 */
#include "tests/model/mechanism.h"

#include <nutate/method.h>

#include <stdio.h>

typedef struct seen {
    int n;
    double energy[2];
} seen;

static void see(void *context, const nt_occurrence *o)
{
    seen *s = context;
    if (s->n++ == 0)
        memcpy(s->energy, o->energy, sizeof o->energy);
}

/* A run of a model text to its end; the integrator, to be destroyed by the caller. */
static nt_status run_to(double end, const char *text, mechanism *m, const char *method, seen *s,
                        nt_integrator **it, nt_error *error)
{
    *m = mechanism_read(text);
    nt_integrator_setup setup = {
        .system = nt_run_system(m->run), .method = nt_method_find(method), .track_work = 1};
    *s = (seen){0};
    *error = (nt_error){0};
    assert_int_equal(nt_integrator_create(it, &setup, error), NT_OK);
    assert_int_equal(nt_integrator_start(*it, 0, NULL, NULL, NULL, error), NT_OK);
    nt_integrator_observe_events(*it, see, s);
    return nt_integrator_run(*it, end, 0.01, NULL, NULL, error);
}

static void close_run(mechanism *m, nt_integrator *it)
{
    nt_integrator_destroy(it);
    mechanism_close(m);
}

/* ---- three equal balls on rails ------------------------------------------------------------- */

/* a, of 1 kg, hits b with 1 m/s; c touches b. Behind the first phase all have 1/3 m/s, from
 * impulses of 2/3 and 1/3 N s. */
static const char balls[] =
    "nutate: 1\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], velocity: [1, 0, 0]}\n"
    "  b: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
    "  c: {mass: 1, inertia: [1, 1, 1], position: [1.2, 0, 0]}\n"
    "joints:\n"
    "  ra: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: [1, 0, 0]}\n"
    "  rb: {type: prismatic, between: [ground, b], at: [1, 0, 0], axis: [1, 0, 0]}\n"
    "  rc: {type: prismatic, between: [ground, c], at: [1.2, 0, 0], axis: [1, 0, 0]}\n"
    "  ab: {type: distance, between: [a, b], points: [[0, 0, 0], [0, 0, 0]], length: 0.2, "
    "active: false, restitution: %g, impact_law: %s}\n"
    "  bc: {type: distance, between: [b, c], points: [[0, 0, 0], [0, 0, 0]], length: 0.2, "
    "active: false, restitution: %g, impact_law: %s}\n"
    "events: {hit: {when: b.position.x - a.position.x - 0.2, direction: falling, then: "
    "[{engage: ab}, {engage: bc}]}}\n";

static void balls_in_a_row(void **state)
{
    static const struct {
        const char *law;
        double e[2], v[3];
    } cases[] = {
        {"Newton", {0.5, 1}, {0, 0.5, 0.5}},
        {"Newton", {1, 0}, {-1. / 3, 2. / 3, 2. / 3}},
        {"Poisson", {0.5, 1}, {0, 1. / 3, 2. / 3}},
        {"Poisson", {0.2, 0.9}, {11. / 60, 11. / 60, 19. / 30}}, /* a would pass b by 1/30 m/s */
        {"Poisson", {1, 0}, {-1. / 3, 2. / 3, 2. / 3}}, /* b would pass c: both go on alike */
        {"Poisson", {0, 1}, {1. / 6, 1. / 6, 2. / 3}},  /* a and b stay together */
    };
    static const char *const methods[] = {"rkmk-dop853", "generalized-alpha-soi2",
                                          "generalized-alpha"};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
            char text[2048];
            snprintf(text, sizeof text, balls, cases[k].e[0], cases[k].law, cases[k].e[1],
                     cases[k].law);
            mechanism m;
            nt_integrator *it;
            nt_error error;
            seen s;
            assert_int_equal(run_to(1, text, &m, methods[i], &s, &it, &error), NT_OK);
            double v[3], energy = 0;
            /* equations of what waits for an event are not counted */
            assert_int_equal(nt_model_count(nt_run_model(m.run)).holonomic, 15);
            for (int b = 0; b < 3; b++) {
                v[b] = cases[k].v[b];
                energy += v[b] * v[b] / 2;
            }
            nt_state end = nt_integrator_state(it);
            for (int b = 0; b < 3; b++)
                CLOSE(end.v[6 * b], v[b], 1e-11);
            CLOSE(s.energy[0], 0.5, 1e-11);
            CLOSE(s.energy[1], energy, 1e-11);
            assert_int_equal(s.n, 1);
            close_run(&m, it);
        }
}

/* ---- a bar that two ropes catch ------------------------------------------------------------- */

/* 3 kg and 1 kg m^2, with its ends 1 m from the middle. One impulse of 1 N s at an end changes the
 * speed there by 4/3 m/s and that of the other end by -2/3 m/s. Falling flat with u it takes 3 u/2
 * from each rope in the first phase, and the ropes give back e of it:
 *
 *   v1 = (2 e1 - e2) u,   v2 = (2 e2 - e1) u
 *
 * unless that is downwards: then that rope holds its end at 0, and the other end has v2 + v1/2. */
static const char bar[] =
    "nutate: 1\n"
    "gravity: [0, 0, 0]\n"
    "bodies: {bar: {mass: 3, inertia: [0.01, 1, 1], position: [0, 0, -0.5], velocity: "
    "[0, 0, -2]}}\n"
    "joints:\n"
    "  left: {type: distance, between: [ground, bar], points: [[-1, 0, 0], [-1, 0, 0]], length: 1, "
    "active: false, restitution: %g, impact_law: %s}\n"
    "  right: {type: distance, between: [ground, bar], points: [[1, 0, 0], [1, 0, 0]], length: 1, "
    "active: false, restitution: %g, impact_law: %s}\n"
    "events: {taut: {when: bar.position.z + 1, direction: falling, then: [{engage: left}, "
    "{engage: right}]}}\n";

static void a_bar_caught(void **state)
{
    static const double e[][2] = {{0.6, 0.5}, {0.2, 0.8}, {1, 0.1}, {0.7, 0.7}};
    const double u = 2;
    (void)state;
    for (size_t k = 0; k < sizeof e / sizeof e[0]; k++)
        for (int poisson = 0; poisson < 2; poisson++) {
            char text[2048];
            const char *law = poisson ? "Poisson" : "Newton";
            snprintf(text, sizeof text, bar, e[k][0], law, e[k][1], law);
            double v1 = e[k][0] * u, v2 = e[k][1] * u;
            if (poisson) {
                v1 = (2 * e[k][0] - e[k][1]) * u, v2 = (2 * e[k][1] - e[k][0]) * u;
                if (v1 < 0)
                    v2 += v1 / 2, v1 = 0;
                if (v2 < 0)
                    v1 += v2 / 2, v2 = 0;
            }
            mechanism m;
            nt_integrator *it;
            nt_error error;
            seen s;
            assert_int_equal(run_to(0.25, text, &m, "rkmk-dop853", &s, &it, &error), NT_OK);
            nt_integrator_destroy(it);
            mechanism_close(&m);
            assert_int_equal(run_to(0.26, text, &m, "rkmk-dop853", &s, &it, &error), NT_OK);
            nt_state end = nt_integrator_state(it);
            CLOSE(end.v[2], (v1 + v2) / 2, 1e-13);
            CLOSE(end.v[4], (v1 - v2) / 2, 1e-13);
            CLOSE(s.energy[1], 1.5 * (v1 + v2) * (v1 + v2) / 4 + 0.5 * (v1 - v2) * (v1 - v2) / 4,
                  1e-12);
            close_run(&m, it);
        }
}

/* Of three ropes side by side in one line the impulses are not determined. */
static void dependent_joints(void **state)
{
    static const char three[] =
        "nutate: 1\n"
        "gravity: [0, 0, 0]\n"
        "bodies: {bar: {mass: 3, inertia: [0.01, 1, 1], position: [0, 0, -0.5], velocity: "
        "[0, 0, -2]}}\n"
        "joints:\n"
        "  a: {type: distance, between: [ground, bar], points: [[-1, 0, 0], [-1, 0, 0]], length: "
        "1, active: false, restitution: 0.5, impact_law: %s}\n"
        "  b: {type: distance, between: [ground, bar], points: [[0, 0, 0], [0, 0, 0]], length: 1, "
        "active: false, restitution: %g, impact_law: %s}\n"
        "  c: {type: distance, between: [ground, bar], points: [[1, 0, 0], [1, 0, 0]], length: 1, "
        "active: false, restitution: 0.5, impact_law: %s}\n"
        "events: {taut: {when: bar.position.z + 1, direction: falling, then: [{engage: a}, "
        "{engage: b}, {engage: c}]}}\n";
    (void)state;
    for (int k = 0; k < 4; k++) {
        const char *law = k % 2 ? "Poisson" : "Newton";
        char text[2048];
        mechanism m;
        nt_integrator *it;
        nt_error error;
        seen s;
        snprintf(text, sizeof text, three, law, k < 2 ? 0.5 : 0.2, law, law);
        nt_status status = run_to(0.26, text, &m, "rkmk-dop853", &s, &it, &error);
        if (k < 2) { /* one restitution for all: what they do together is determined */
            nt_state end = nt_integrator_state(it);
            assert_int_equal(status, NT_OK);
            CLOSE(end.v[2], 1, 1e-13);
            CLOSE(end.v[4], 0, 1e-13);
        } else {
            assert_int_equal(status, NT_SINGULAR);
            assert_non_null(strstr(error.message, "depend on each other"));
        }
        close_run(&m, it);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_in_a_row),
        cmocka_unit_test(a_bar_caught),
        cmocka_unit_test(dependent_joints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
