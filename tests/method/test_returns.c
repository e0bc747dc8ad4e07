/* Events that turn back what they look at until nobody sees it: the run ends in words, and nothing
 * passes as if there were no event. */
#include "tests/model/mechanism.h"

#include <nutate/method.h>
#include <nutate/model.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const methods[] = {"generalized-alpha",
                                      "generalized-alpha-soi2",
                                      "theta",
                                      "semi-explicit-2",
                                      "rkmk-dopri5",
                                      "rkmk-dop853",
                                      "bdf"};
enum { METHODS = sizeof methods / sizeof methods[0] };

static nt_status run_text(const char *text, const char *method, double end, double h, nt_state *at,
                          nt_error *error)
{
    mechanism m = mechanism_read(text);
    nt_integrator *it;
    nt_integrator_setup setup = {.system = nt_run_system(m.run), .method = nt_method_find(method)};
    if (strcmp(method, "bdf") == 0)
        for (int i = 0; i < 4; i++)
            setup.tolerance[i] = 1e-6;
    assert_int_equal(nt_integrator_create(&it, &setup, error), NT_OK);
    assert_int_equal(nt_integrator_start(it, 0, NULL, NULL, NULL, error), NT_OK);
    nt_status status = nt_integrator_run(it, end, h, NULL, NULL, error);
    static double q[3], v[3];
    *at = nt_integrator_state(it);
    memcpy(q, at->q, sizeof q);
    memcpy(v, at->v, sizeof v);
    at->q = q, at->v = v;
    nt_integrator_destroy(it);
    mechanism_close(&m);
    return status;
}

/* A ball that is thrown up by an impulse, with the part e of its speed, comes to rest at
 * sqrt(2/g) (1 + e)/(1 - e) s: there is no motion behind. */
static void a_ball_does_not_fall_through_its_floor(void **state)
{
    static const double es[] = {0.8, 0.3, 0.01, 1e-4};
    (void)state;
    for (int k = 0; k < METHODS; k++)
        for (size_t i = 0; i < sizeof es / sizeof es[0]; i++) {
            char text[600];
            nt_state at;
            nt_error error = {0};
            snprintf(text, sizeof text,
                     "nutate: 1\n"
                     "gravity: [0, 0, -10]\n"
                     "bodies: {b: {mass: 2, point: true, position: [0, 0, 1]}}\n"
                     "events:\n"
                     "  hit: {when: b.position.z, direction: falling, then: [{impulse: {on: b, "
                     "value: ['0', '0', '-2*(1 + %g)*b.velocity.z']}}]}\n",
                     es[i]);
            assert_int_equal(run_text(text, methods[k], 6, 0.01, &at, &error), NT_NOT_CONVERGED);
            assert_non_null(strstr(error.message, "event hit at "));
            assert_non_null(strstr(error.message, "does not settle"));
            assert_non_null(strstr(error.message, "rest_speed"));
            double rest = sqrt(0.2) * (1 + es[i]) / (1 - es[i]);
            CLOSE(at.t, rest, strcmp(methods[k], "bdf") == 0 ? 0.02 : 1e-3);
            CLOSE(at.q[2], 0, 1e-9);
        }
}

/* One that is thrown up by as much as it fell goes on, as does one that is stopped and falls
 * through, and one that passes a mark while a blow makes it slower. */
static void what_settles_goes_on(void **state)
{
    static const struct {
        const char *event;
        double z, v; /* at 2 s */
    } cases[] = {
        {"when: b.position.z, direction: falling, then: [{impulse: {on: b, value: ['0', '0', "
         "'-4*b.velocity.z']}}]",
         NAN, NAN},
        {"when: b.position.z, direction: falling, then: [{impulse: {on: b, value: ['0', '0', "
         "'-2*b.velocity.z']}}]",
         -12.0557280900008, -15.5278640450004},
        {"when: b.position.z - 1e-7, then: [{impulse: {on: b, value: ['0', '0', '1.999999*(0 - "
         "b.velocity.z)']}}]",
         -12.0557349, -15.5278684},
    };
    (void)state;
    for (int k = 0; k < METHODS; k++)
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            char text[600];
            nt_state at;
            nt_error error = {0};
            bool bdf = strcmp(methods[k], "bdf") == 0;
            snprintf(text, sizeof text,
                     "nutate: 1\n"
                     "gravity: [0, 0, -10]\n"
                     "bodies: {b: {mass: 2, point: true, position: [0, 0, 1]}}\n"
                     "events: {hit: {%s}}\n",
                     cases[i].event);
            if (run_text(text, methods[k], 2, 0.01, &at, &error) != NT_OK)
                fail_msg("%s, case %d: %s", methods[k], (int)i, error.message);
            if (isnan(cases[i].z)) { /* energy stays */
                CLOSE(10 * at.q[2] + at.v[2] * at.v[2] / 2, 10, bdf ? 2e-2 : 1e-6);
                continue;
            }
            CLOSE(at.q[2], cases[i].z, bdf ? 1e-2 : 1e-4);
            CLOSE(at.v[2], cases[i].v, bdf ? 1e-2 : 1e-4);
        }
}

/* Two bodies on a rope that is taut: by index 3 its length passes the zero of the event again and
 * again, by rounding, and there the event finds nothing to do. */
static void an_event_that_finds_nothing_to_do_does_not_end_the_run(void **state)
{
    static const char text[] =
        "nutate: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "parameters: {m: 1.3}\n"
        "bodies: {a: {mass: m, inertia: [.1, .2, .3], position: [0, 0, 1]}, b: {mass: 2, inertia: "
        "[.1, .1, .1], position: [0.3, 0, 0]}}\n"
        "markers: {p: {on: b, at: [0.1, 0, 0]}}\n"
        "joints: {r: {type: distance, between: [a, b], points: [[0, 0, 0], p], length: 1.2, "
        "active: false, restitution: 0.5}, h: {type: prismatic, between: [ground, b], at: [0.3, 0, "
        "0], axis: [1, 0, 0]}}\n"
        "forces: {pull: {type: force, on: a, value: [-2, 0, 22]}}\n"
        "events: {go: {when: 'sqrt((a.position.x - p.position.x)^2 + (a.position.y - "
        "p.position.y)^2 + (a.position.z - p.position.z)^2) - 1.2', direction: rising, then: "
        "[{engage: r}]}}\n";
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        nt_state at;
        nt_error error = {0};
        if (run_text(text, methods[k], 1, 5e-3, &at, &error) != NT_OK)
            fail_msg("%s: %s", methods[k], error.message);
    }
}

/* What an event sets back by however little is behind its zero again as soon as it has moved by
 * that: the thousandth within a step ends the run. */
static void what_an_event_sets_back_happens_again(void **state)
{
    static const double parts[] = {9e-4, 1e-5, 9e-7, 1e-8, 1e-9};
    (void)state;
    for (int k = 0; k < METHODS; k++)
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
            char text[600], set[100];
            nt_state at;
            nt_error error = {0};
            bool moves_mark = i % 2 == 0;
            snprintf(set, sizeof set, moves_mark ? "mark: (n + %g)/2" : "n: -%g",
                     parts[i] * 1e-2 * 1.5);
            snprintf(text, sizeof text,
                     "nutate: 1\n"
                     "gravity: [0, 0, 0]\n"
                     "parameters: {mark: 0.25}\n"
                     "bodies: {b: {mass: 1, point: true, velocity: [1, 0, 0]}}\n"
                     "states: {n: {rate: 1.5, initial: -0.5}}\n"
                     "events:\n"
                     "  up: {when: %s, direction: rising, then: [{set: {%s}}]}\n",
                     moves_mark ? "n - 2*mark" : "n", set);
            if (run_text(text, methods[k], 1, 1e-2, &at, &error) != NT_NOT_CONVERGED)
                fail_msg("%s, %g of a step: ends", methods[k], parts[i]);
            assert_non_null(strstr(error.message, "event up at "));
            if (!strstr(error.message, "a thousand times within a step of 0.01 s"))
                fail_msg("%s, %g of a step: %s", methods[k], parts[i], error.message);
            CLOSE(at.t, moves_mark ? 2. / 3 : 1. / 3, 1e-2);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_does_not_fall_through_its_floor),
        cmocka_unit_test(what_settles_goes_on),
        cmocka_unit_test(an_event_that_finds_nothing_to_do_does_not_end_the_run),
        cmocka_unit_test(what_an_event_sets_back_happens_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
