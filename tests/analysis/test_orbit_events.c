/* Periodic orbits of motions in which something happens: the jump of the state is in their maps. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/analysis/orbits.h"

/* x'' + 0.2 x' + 4 x = cos(3 t), and a stop at x = 0.12 that gives back 0.7 of the speed. */
static const char impacts_text[] =
    "nutate: 1\n"
    "parameters: {e: 0.7}\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  m: {mass: 1, inertia: [1, 1, 1], position: [-0.07, 0, 0], velocity: [1.1, 0, 0]}\n"
    "joints:\n"
    "  rail: {type: prismatic, between: [ground, m], at: [0, 0, 0], axis: [1, 0, 0]}\n"
    "  stop: {type: distance, between: [ground, m], points: [[-1, 0, 0], [0, 0, 0]], length: "
    "1.12,\n"
    "         active: false, restitution: e}\n"
    "forces:\n"
    "  law: {type: force, body: m, at: [0, 0, 0],\n"
    "        value: [\"cos(3*t) - 4*m.position.x - 0.2*m.velocity.x\", 0, 0]}\n"
    "events: {hit: {when: m.position.x - 0.12, direction: rising, then: [{engage: stop}]}}\n"
    "simulation: {duration: 20, step: 0.01, method: rkmk-dop853}\n";

/* One impact in a period 2 pi/3. State and multipliers are those of the map from period to period,
 * of the exact flow between impacts and the exact time of them, by Newton's iteration and fourth
 * order differences; the multipliers' product is e^2 exp(-0.2 T). */
static void an_oscillator_hits_a_stop(void **unused)
{
    static const struct {
        const char *method;
        int steps;
        double off;
    } cases[] = {{"rkmk-dop853", 200, 1e-9},
                 {"rkmk-dopri5", 200, 1e-8},
                 {"generalized-alpha-soi2", 400, 1e-4}};
    const double T = 2 * acos(-1.0) / 3;
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        subject s;
        subject_make(&s, impacts_text, cases[i].method);
        nt_orbit_setup setup = subject_setup(&s, T, cases[i].steps);
        nt_orbit *orbit = make_orbit(&setup);
        nt_orbit_found found = found_orbit(orbit);
        assert_int_equal(found.dimension, 2);
        assert_int_equal(found.trivial, 0);
        ASSERT_CLOSE(found.q[0], -0.06622687223696609, cases[i].off);
        ASSERT_CLOSE(found.v[0], 1.0702569724858868, cases[i].off);
        ASSERT_CLOSE(found.multiplier[0], 0.18461864597860606, cases[i].off);
        ASSERT_CLOSE(fabs(found.multiplier[1]), 0.5368705638308502, cases[i].off);
        const double *x = found.multiplier;
        ASSERT_CLOSE(x[0] * x[0] + x[1] * x[1], 0.49 * exp(-0.2 * T), cases[i].off);
        nt_orbit_destroy(orbit);
        subject_free(&s);
    }
}

/* A balance of period 1 s that loses a tenth of its speed from passage to passage, and is struck
 * with 1 rad/s at each: its period stays 1 s, and disturbances fade by 0.9 twice in it. */
static const char escapement_text[] =
    "nutate: 1\n"
    "parameters: {d: -log(0.9)/0.5, k: (pi/0.5)^2 + d^2}\n"
    "gravity: [0, 0, 0]\n"
    "bodies: {balance: {mass: 1, inertia: [1, 1, 1], orientation: {axis: [0, 0, 1], angle: 0.3},\n"
    "         angular_velocity: [0, 0, 9]}}\n"
    "joints: {staff: {type: revolute, between: [ground, balance], at: [0, 0, 0], axis: [0, 0, "
    "1]}}\n"
    "forces: {spring: {type: joint_torque, joint: staff, value: -k*staff.angle - 2*d*staff.rate}}\n"
    "markers: {pallet: {on: balance, at: [1, 0, 0]}}\n"
    "events:\n"
    "  tick: {when: staff.angle, direction: rising,\n"
    "         then: [{impulse: {on: balance, at: pallet, value: [0, 1, 0]}}]}\n"
    "  tock: {when: staff.angle, direction: falling,\n"
    "         then: [{impulse: {on: balance, at: pallet, value: [0, -1, 0]}}]}\n"
    "simulation: {duration: 20, step: 0.01, method: rkmk-dop853}\n";

static void a_clock_goes(void **unused)
{
    subject s;
    (void)unused;
    subject_make(&s, escapement_text, "rkmk-dop853");
    nt_orbit_setup setup = subject_setup(&s, 1.02, 200);
    setup.free = 1;
    nt_orbit *orbit = make_orbit(&setup);
    nt_orbit_found found = found_orbit(orbit);
    ASSERT_CLOSE(found.period, 1, 1e-11);
    assert_int_equal(found.dimension, 2);
    assert_int_equal(found.trivial, 1);
    assert_true(found.trivial_distance < 1e-9);
    ASSERT_CLOSE(found.multiplier[2], 0.81, 1e-9);
    assert_int_equal(found.stability, NT_ORBIT_STABLE);
    nt_orbit_destroy(orbit);
    subject_free(&s);
}

/* A relay that follows the position with a lag, y' = 2 (x - y): x'' = -sign(y) - 0.4 x'. */
static const char relay_text[] =
    "nutate: 1\n"
    "gravity: [0, 0, 0]\n"
    "bodies: {m: {mass: 1, inertia: [1, 1, 1], position: [0.9, 0, 0], velocity: [-0.9, 0, 0]}}\n"
    "joints: {rail: {type: prismatic, between: [ground, m], at: [0, 0, 0], axis: [1, 0, 0]}}\n"
    "states: {y: {rate: 2*(m.position.x - y), initial: 1.2}}\n"
    "forces: {motor: {type: force, body: m, at: [0, 0, 0],\n"
    "         value: [-sign(y) - 0.4*m.velocity.x, 0, 0]}}\n"
    "simulation: {duration: 60, step: 1e-2, method: rkmk-dop853}\n";

/* Half a period P of x'' = -1 - 0.4 x' ends at the opposite of where it began, where y is zero:
 * v(t) = -2.5 + (v0 + 2.5) exp(-0.4 t) = -v0 at P gives v0 = 2.5 tanh(0.2 P), and with
 * y = x - w/2 - ..., of the particular motion, y(0) = y(P) = 0 an equation for P. */
static double relay_misses(double P)
{
    double v0 = 2.5 * tanh(0.2 * P), a = (v0 + 2.5) / 0.4;
    double x0 = (2.5 * P - a * (1 - exp(-0.4 * P))) / 2; /* x(P) = -x0 */
    /* x = x0 - 2.5 t + a (1 - exp(-0.4 t)); y = x0 + a + 1.25 - 2.5 t - a exp(-0.4 t) 2/1.6 + C
     * exp(-2 t), y(0) = 0 */
    double C = -(x0 + a + 1.25 - a * 1.25);
    return x0 + a + 1.25 - 2.5 * P - a * exp(-0.4 * P) * 1.25 + C * exp(-2 * P);
}

static void a_relay_oscillates(void **unused)
{
    double low = 2, high = 5;
    (void)unused;
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        bool same = (relay_misses(middle) > 0) == (relay_misses(low) > 0);
        low = same ? middle : low, high = same ? high : middle;
    }
    subject s;
    subject_make(&s, relay_text, "rkmk-dop853");
    nt_orbit_setup setup = subject_setup(&s, 7, 400);
    setup.free = 1;
    nt_orbit *orbit = make_orbit(&setup);
    nt_orbit_found found = found_orbit(orbit);
    ASSERT_CLOSE(found.period, 2 * low, 1e-10);
    assert_int_equal(found.trivial, 1);
    assert_true(found.trivial_distance < 1e-9);
    assert_int_equal(found.stability, NT_ORBIT_STABLE);
    nt_orbit_destroy(orbit);
    subject_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_oscillator_hits_a_stop),
        cmocka_unit_test(a_clock_goes),
        cmocka_unit_test(a_relay_oscillates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
