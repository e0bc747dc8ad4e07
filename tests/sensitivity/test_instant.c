/* Derivatives of objectives and of the work through what happens, against motions by hand. */
#include "tests/model/mechanism.h"

#include <nutate/method.h>
#include <nutate/output.h>
#include <nutate/sensitivity.h>

/* A ball falls by h and rebounds with e of its speed, until t = 1.3 s: behind the second bounce. */
static const char ball[] =
    "nutate: 1\n"
    "parameters: {e: 0.8, h: 1, g: 9.81}\n"
    "gravity: [0, 0, -g]\n"
    "bodies: {ball: {mass: 0.5, inertia: [2e-3, 2e-3, 2e-3], position: [0, 0, h]}}\n"
    "joints: {floor: {type: planar, between: [ground, ball], points: [[0, 0, 0], [0, 0, 0]], "
    "axes: [[0, 0, 1], [0, 0, 1]], active: false, restitution: e, rest_speed: 0.05}}\n"
    "quantities: {z: ball.position.z, v: ball.velocity.z}\n"
    "events: {bounce: {when: z, direction: falling, then: [{engage: floor}]}}\n"
    "objectives:\n"
    "  height: {type: integral, of: z}\n"
    "  way: {type: integral, of: v}\n"
    "  speed: {type: rms, of: v}\n"
    "  up: {type: maximum, of: v}\n"
    "  down: {type: maximum, of: -v}\n"
    "  last: {type: final, of: z}\n"
    "  least: {type: minimum, of: v}\n";

enum { HEIGHT, WAY, SPEED, UP, DOWN, LAST, LEAST, OBJECTIVES };
static const double END = 1.3;

static void ball_by_hand(const double p[3], double out[OBJECTIVES])
{
    double e = p[0], z = p[1], g = p[2], v = 0, t = 0, square = 0;
    memset(out, 0, OBJECTIVES * sizeof *out);
    while (t < END) {
        double d = fmin((v + sqrt(v * v + 2 * g * z)) / g, END - t);
        out[HEIGHT] += z * d + v * d * d / 2 - g * d * d * d / 6;
        out[WAY] += v * d - g * d * d / 2;
        square += v * v * d - v * g * d * d + g * g * d * d * d / 3;
        t += d, z += v * d - g * d * d / 2, v -= g * d;
        if (t < END) {
            out[DOWN] = fmax(out[DOWN], -v);
            z = 0, v *= -e;
            out[UP] = fmax(out[UP], v);
        }
    }
    out[SPEED] = sqrt(square / END);
    out[LAST] = z;
    out[LEAST] = -out[DOWN];
}

static int look(void *context, const nt_integrator *integrator)
{
    nt_error error = {0};
    (void)integrator;
    return nt_objectives_advance(context, &error) != NT_OK;
}

static void a_ball_bounces(void **state)
{
    const double p[3] = {0.8, 1, 9.81}, step = 1e-4;
    double wanted[OBJECTIVES], beside[2][OBJECTIVES];
    const int parameters[3] = {0, 1, 2};
    mechanism m = mechanism_read(ball);
    nt_error error = {0};
    nt_integrator *it;
    nt_sensitivity *s;
    nt_objectives *o;
    (void)state;
    nt_integrator_setup setup = {
        .system = nt_run_system(m.run), .method = nt_method_find("rkmk-dop853"), .track_work = 1};
    assert_int_equal(nt_integrator_create(&it, &setup, &error), NT_OK);
    assert_int_equal(nt_sensitivity_create(&s, it, parameters, 3, &error), NT_OK);
    assert_int_equal(nt_objectives_create(&o, m.run, it, s, &error), NT_OK);
    assert_int_equal(nt_integrator_start(it, 0, NULL, NULL, NULL, &error), NT_OK);
    assert_int_equal(nt_sensitivity_start(s, &error), NT_OK);
    nt_objectives_restart(o);
    assert_int_equal(nt_objectives_advance(o, &error), NT_OK);
    assert_int_equal(nt_integrator_run(it, END, 0.01, look, o, &error), NT_OK);
    assert_int_equal(nt_integrator_statistics(it)->events, 2);
    ball_by_hand(p, wanted);
    for (int i = 0; i < OBJECTIVES; i++)
        CLOSE(nt_objectives_value(o, i), wanted[i],
              1e-8); /* parabolas, and lines beside an event */
    for (int k = 0; k < 3; k++) {
        double slope[OBJECTIVES] = {0};
        for (int distance = 1; distance <= 2; distance++)
            for (int i = 0; i < 2; i++) {
                double moved[3] = {p[0], p[1], p[2]};
                moved[k] += (i ? -1 : 1) * distance * step;
                ball_by_hand(moved, beside[i]);
                for (int j = 0; j < OBJECTIVES; j++)
                    slope[j] +=
                        (i ? -1 : 1) * (distance == 1 ? 8 : -1) * beside[i][j] / (12 * step);
            }
        for (int i = 0; i < OBJECTIVES; i++)
            CLOSE(nt_objectives_derivative(o, i, k), slope[i], 2e-8);
    }
    /* it has lost 1 - e^4 of its energy */
    const double work[3] = {4 * 0.5 * 9.81 * pow(0.8, 3), -0.5 * 9.81 * (1 - pow(0.8, 4)),
                            -0.5 * (1 - pow(0.8, 4))};
    for (int k = 0; k < 3; k++)
        CLOSE(nt_sensitivity_state(s, k).work, work[k], 1e-11);
    /* at rest it has lost all of it, whatever e */
    assert_int_equal(nt_integrator_run(it, 5, 0.01, look, o, &error), NT_OK);
    CLOSE(nt_sensitivity_state(s, 0).work, 0, 1e-10);
    CLOSE(nt_sensitivity_state(s, 1).work, -0.5 * 9.81, 1e-10);
    nt_objectives_destroy(o);
    nt_sensitivity_destroy(s);
    nt_integrator_destroy(it);
    mechanism_close(&m);
}

/* y = p t passes 0.3 at T = 0.3/p, where numbers take values of the time, and another event is
 * started 0.1 s later: z(1) = T (1 - T), w(1) = 2 (0.9 - T), u = T^2. */
static const char timed[] = "nutate: 1\n"
                            "parameters: {p: 1.5, k: 0, m: 0}\n"
                            "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
                            "states:\n"
                            "  y: {rate: p}\n"
                            "  z: {rate: k}\n"
                            "  w: {rate: m}\n"
                            "  u: {rate: 0}\n"
                            "events:\n"
                            "  a: {when: y - 0.3, then: [{set: {k: t}}, {set: {u: t^2}}, {start: "
                            "b2, after: 0.1}]}\n"
                            "  b2: {then: [{set: {m: 2}}]}\n";

static void what_is_set_follows_the_time_of_its_event(void **state)
{
    const int parameter = 0;
    const double T = 0.3 / 1.5, dT = -T / 1.5;
    const double wanted[4] = {1, dT * (1 - 2 * T), -2 * dT, 2 * T * dT};
    mechanism m = mechanism_read(timed);
    nt_error error = {0};
    nt_integrator *it;
    nt_sensitivity *s;
    (void)state;
    nt_integrator_setup setup = {.system = nt_run_system(m.run),
                                 .method = nt_method_find("rkmk-dop853")};
    assert_int_equal(nt_integrator_create(&it, &setup, &error), NT_OK);
    assert_int_equal(nt_sensitivity_create(&s, it, &parameter, 1, &error), NT_OK);
    assert_int_equal(nt_integrator_start(it, 0, NULL, NULL, NULL, &error), NT_OK);
    assert_int_equal(nt_sensitivity_start(s, &error), NT_OK);
    assert_int_equal(nt_integrator_run(it, 1, 0.05, NULL, NULL, &error), NT_OK);
    CLOSE(nt_integrator_state(it).v[7], T * (1 - T), 1e-13);
    for (int i = 0; i < 4; i++)
        CLOSE(nt_sensitivity_state(s, 0).v[6 + i], wanted[i], 1e-10);
    nt_sensitivity_destroy(s);
    nt_integrator_destroy(it);
    mechanism_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_ball_bounces),
                                       cmocka_unit_test(what_is_set_follows_the_time_of_its_event)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
