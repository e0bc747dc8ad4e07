/* Gears and screws against exact motions, through many turns, and what is refused of them. */
#include "model/mechanism.h"

#include <math.h>

static const double TURN = 6.283185307179586476925286766559;

/* Two shafts that mesh, the first driven by a constant moment; the second stands on a carrier that
 * is fixed. With moments of inertia J1, J2 and phi1 = r phi2: (J1 + J2/r^2) phi1'' = M. */
static void geared_shafts_share_the_moment(void **state)
{
    (void)state;
    static const char text[] =
        "nutate: 1\n"
        "bodies:\n"
        "  first: {mass: 1, inertia: [0.2, 0.2, 0.3]}\n"
        "  second: {mass: 1, inertia: [0.2, 0.2, 0.05], position: [1, 0, 0]}\n"
        "joints:\n"
        "  mesh: {type: gear, joints: [a, b], ratio: -0.5}\n"
        "  a: {type: revolute, between: [ground, first], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  b: {type: revolute, between: [ground, second], at: [1, 0, 0], axis: [0, 0, 1]}\n"
        "forces: {drive: {type: joint_torque, joint: a, value: 1.5}}\n"
        "simulation: {duration: 10, step: 1e-2}\n";
    mechanism m = mechanism_open(text);
    double rate = 1.5 / (0.3 + 0.05 * 4);
    for (int i = 1; i <= 10; i++) {
        mechanism_run(&m, i, 1e-2);
        CLOSE(mechanism_number(&m, "a.angle"), rate * i * i / 2, 1e-9);
        CLOSE(mechanism_number(&m, "b.angle"), -rate * i * i, 1e-9);
    }
    CLOSE(mechanism_number(&m, "mesh.torque.z"), 0.3 * rate - 1.5, 1e-7);
    CLOSE(mechanism_number(&m, "b.rate") / mechanism_number(&m, "a.rate"), -2, 1e-10);
    assert_int_equal(nt_model_count(nt_run_model(m.run)).redundant, 0);
    mechanism_close(&m);
}

/* A planet between a sun and a ring that stands still, on a carrier: ratios in the turning frame.
 * The carrier turns at 1/(1 + z_ring/z_sun) of the sun's speed. */
static void a_planet_gear_has_its_ratio(void **state)
{
    (void)state;
    static const char text[] =
        "nutate: 1\n"
        "gravity: [0, 0, 0]\n"
        "bodies:\n"
        "  sun: {mass: 1, inertia: [1, 1, 0.02], angular_velocity: [0, 0, 12]}\n"
        "  carrier: {mass: 2, inertia: [1, 1, 0.3]}\n"
        "  planet: {mass: 0.5, inertia: [0.01, 0.01, 0.004], position: [0.3, 0, 0]}\n"
        "joints:\n"
        "  shaft: {type: revolute, between: [carrier, sun], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  frame: {type: revolute, between: [ground, carrier], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  pin: {type: revolute, between: [carrier, planet], at: [0.3, 0, 0], axis: [0, 0, 1]}\n"
        "  inside: {type: gear, joints: [shaft, pin], ratio: -0.5}\n"  /* 20 and 40 */
        "  outside: {type: gear, joints: [frame, pin], ratio: -0.4}\n" /* ring of 100, seen by it */
        "simulation: {duration: 3, step: 1e-3}\n";
    mechanism m = mechanism_open(text);
    double energy = mechanism_number(&m, "energy.kinetic");
    mechanism_run(&m, 3, 1e-3);
    double sun[3], carrier[3];
    mechanism_get(&m, "sun.angular_velocity", sun);
    mechanism_get(&m, "carrier.angular_velocity", carrier);
    CLOSE(sun[2], 12, 1e-5); /* second order: the planet's pin goes round a circle */
    /* pin = -2 shaft = -2.5 frame, sun = frame + shaft: frame = sun/(1 + 1.25) */
    CLOSE(carrier[2] / sun[2], 1 / 2.25, 1e-8);
    CLOSE(mechanism_number(&m, "energy.kinetic"), energy, 1e-5);
    CLOSE(mechanism_number(&m, "constraint_drift.position"), 0, 1e-10);
    mechanism_close(&m);
}

/* A nut that falls along a thread with k = pitch/(2 pi): (m k^2 + J) phi'' = -m g k. */
static void a_nut_falls_on_its_thread(void **state)
{
    (void)state;
    static const char text[] =
        "nutate: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies: {nut: {mass: 2, inertia: [0.01, 0.01, 0.02], position: [0, 0, 1]}}\n"
        "joints: {thread: {type: screw, between: [ground, nut], points: [[0, 0, 0.4], [0, 0, 0]],\n"
        "                  axes: [[0, 0, 1], [0, 0, 1]], pitch: 0.3}}\n"
        "simulation: {duration: 10, step: 1e-2}\n";
    mechanism m = mechanism_open(text);
    double k = 0.3 / TURN, turning = -2 * 9.81 * k / (2 * k * k + 0.02);
    for (int i = 1; i <= 10; i++) {
        mechanism_run(&m, i, 1e-2);
        CLOSE(mechanism_number(&m, "thread.angle"), turning * i * i / 2, 1e-8);
        CLOSE(mechanism_number(&m, "thread.displacement"), 0.6 + k * turning * i * i / 2, 1e-9);
    }
    CLOSE(mechanism_number(&m, "thread.force.z"), 2 * (9.81 + k * turning), 1e-6);
    CLOSE(mechanism_number(&m, "thread.torque.z"), 0.02 * turning, 1e-7);
    mechanism_close(&m);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *joints, *words;
    } rows[] = {
        {"e: {type: gear, joints: [a, a], ratio: 2}", "'a' is named twice"},
        {"e: {type: gear, joints: [a, b], ratio: 0}", "ratio is 0"},
        {"e: {type: gear, joints: [a, ball], ratio: 2}", "expected one with a free angle"},
        {"e: {type: gear, joints: [a], ratio: 2}", "a list of two joints"},
        {"e: {type: gear, joints: [a, none], ratio: 2}", "'none'"},
        {"e: {type: gear, joints: [a, b]}", "ratio"},
        {"e: {type: screw, between: [one, two], at: [1, 0, 0], axis: [1, 0, 0], pitch: 0}",
         "pitch is 0"},
        {"e: {type: screw, between: [one, two], at: [1, 0, 0], axis: [1, 0, 0]}", "pitch"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[1200];
        nt_model *model;
        nt_error error = {0};
        snprintf(text, sizeof text,
                 "nutate: 1\nbodies: {one: {mass: 1, inertia: [1, 1, 1]}, two: {mass: 1, inertia: "
                 "[1, 1, 1], position: [1, 0, 0]}}\njoints:\n"
                 "  a: {type: revolute, between: [ground, one], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                 "  b: {type: revolute, between: [ground, two], at: [1, 0, 0], axis: [0, 0, 1]}\n"
                 "  ball: {type: spherical, between: [one, two], at: [0.5, 0, 0]}\n  %s\n",
                 rows[i].joints);
        assert_int_equal(nt_model_read_text(&model, text, strlen(text), "t", NULL, NULL, 0, &error),
                         NT_BAD_MODEL);
        if (!strstr(error.message, rows[i].words) || error.line != 7)
            fail_msg("%d: %s", error.line, error.message);
    }
}

/* A gear that waits, is engaged where its angles fit, let go and found off: by how much is said. */
static void a_gear_is_engaged(void **state)
{
    (void)state;
    static const char text[] =
        "nutate: 1\n"
        "gravity: [0, 0, 0]\n"
        "bodies:\n"
        "  first: {mass: 1, inertia: [1, 1, 0.1], angular_velocity: [0, 0, 3]}\n"
        "  second: {mass: 1, inertia: [1, 1, 0.2], position: [1, 0, 0], angular_velocity: [0, 0, "
        "-1.5]}\n"
        "joints:\n"
        "  a: {type: revolute, between: [ground, first], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  b: {type: revolute, between: [ground, second], at: [1, 0, 0], axis: [0, 0, 1]}\n"
        "  mesh: {type: gear, joints: [a, b], ratio: -2, active: false}\n"
        "forces: {drive: {type: joint_torque, joint: a, value: 'if(t > 0.1, 1, 0)'}}\n"
        "events:\n"
        "  on: {when: t - 0.1, then: [{engage: mesh}]}\n"
        "  off: {when: t - 0.5, then: [{release: mesh}]}\n"
        "  again: {when: t - 0.7, then: [{engage: mesh}]}\n"
        "simulation: {duration: 1, step: 1e-2}\n";
    mechanism m = mechanism_open(text);
    double rate = 1 / (0.1 + 0.2 / 4);
    assert_int_equal(nt_model_count(nt_run_model(m.run)).inactive, 1);
    mechanism_run(&m, 0.5, 1e-2);
    CLOSE(mechanism_number(&m, "a.angle"), 3 * 0.5 + rate * 0.4 * 0.4 / 2, 1e-9);
    CLOSE(mechanism_number(&m, "b.angle"), -(3 * 0.5 + rate * 0.4 * 0.4 / 2) / 2, 1e-9);
    nt_error error = {0};
    assert_int_equal(nt_integrator_run(m.integrator, 1, 1e-2, NULL, NULL, &error), NT_INCONSISTENT);
    assert_non_null(strstr(error.message, "ratio of its angles is off by 0.2 rad"));
    mechanism_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(geared_shafts_share_the_moment),
        cmocka_unit_test(a_planet_gear_has_its_ratio),
        cmocka_unit_test(a_nut_falls_on_its_thread),
        cmocka_unit_test(a_gear_is_engaged),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
