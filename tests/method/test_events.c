/* Events: joints that let go, impacts and the end of a run, against exact motions. */
#include "tests/method/event_runs.h"

/* A door of 8.2 kg m^2 about its hinge, driven by 10 N m against a stop at 1.2 rad: it rebounds
 * with 0.6 of its speed w, comes back after 2 J w / 10 with the same speed, and stays when that is
 * below 0.05 rad/s. */
static const char door[] =
    "nutate: 1\n"
    "parameters: {e: 0.6}\n"
    "gravity: [0, 0, 0]\n"
    "bodies: {door: {mass: 20, inertia: [2, 5, 5], position: [0.4, 0, 0], angular_velocity: [0, 0, "
    "2]}}\n"
    "joints: {hinge: {type: revolute, between: [ground, door], at: [0, 0, 0], axis: [0, 0, 1], "
    "restitution: e, rest_speed: 0.05}}\n"
    "forces: {closer: {type: joint_torque, joint: hinge, value: 10}}\n"
    "events: {slam: {when: hinge.angle - 1.2, direction: rising, then: [{latch: hinge}]}}\n";

static void a_door_slams(void **state)
{
    static const struct {
        const char *method;
        double off;
    } cases[] = {{"rkmk-dop853", 1e-10}, {"rkmk-dopri5", 1e-7}, {"generalized-alpha-soi2", 1e-3}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        mechanism m = mechanism_read(door);
        nt_error error = {0};
        seen s;
        nt_integrator *it = begin_run(&m, cases[c].method, &s);
        assert_int_equal(nt_integrator_run(it, 8, 0.01, NULL, NULL, &error), NT_OK);
        const double J = 5 + 20 * 0.16, a = 10 / J;
        double t = (sqrt(4 + 2 * a * 1.2) - 2) / a, w = sqrt(4 + 2 * a * 1.2);
        int n = 0;
        for (; n < s.n; n++) {
            CLOSE(s.t[n], t, cases[c].off);
            CLOSE(s.energy[n][0], J * w * w / 2, cases[c].off * 10);
            w = w > 0.05 ? 0.6 * w : 0;
            CLOSE(s.energy[n][1], J * w * w / 2, cases[c].off * 10);
            t += 2 * w / a;
        }
        assert_true(n > 5 && w == 0);
        nt_state end = nt_integrator_state(it);
        CLOSE(2 * atan2(end.q[6], end.q[3]), 1.2, 1e-12);
        CLOSE(end.v[5], 0, 1e-12);
        nt_integrator_destroy(it);
        mechanism_close(&m);
    }
}

/* A ball that keeps 0.8 of its speed down to 1e-5 m/s, where it flies for 2e-6 s and rises by 5e-12
 * m: it meets the floor at sqrt(2 h/g) and then 2 v_k/g later each time, and stays there. */
static const char ball[] =
    "nutate: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies: {ball: {mass: 0.5, inertia: [2e-3, 2e-3, 2e-3], position: [0, 0, 1.1]}}\n"
    "markers: {lowest: {on: ball, at: [0, 0, -0.1]}}\n"
    "joints: {floor: {type: planar, between: [ground, ball], points: [[0, 0, 0], lowest], axes: "
    "[[0, 0, 1], [0, 0, 1]], active: false, restitution: 0.8, rest_speed: 1e-5}}\n"
    "events: {bounce: {when: lowest.position.z, direction: falling, then: [{engage: floor}]}}\n";

static void a_ball_bounces_to_rest(void **state)
{
    static const struct {
        const char *method;
        double tolerance, off;
    } cases[] = {{"rkmk-dop853", 1e-10, 1e-10},
                 {"rkmk-dop853", 0, 1e-10},
                 {"rkmk-dopri5", 1e-10, 1e-10},
                 {"generalized-alpha", 0, 1e-9},
                 {"generalized-alpha-soi2", 1e-6, 1e-3},
                 {"semi-explicit-2", 0, 1e-9},
                 {"theta", 1e-6, 1e-3},
                 {"bdf", 1e-10, 1e-6}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        mechanism m = mechanism_read(ball);
        nt_error error = {0};
        seen s;
        nt_integrator *it = begin_variable(&m, cases[c].method, cases[c].tolerance, &s);
        assert_int_equal(nt_integrator_run(it, 5, 0.01, NULL, NULL, &error), NT_OK);
        double t = sqrt(2 / 9.81), v = sqrt(2 * 9.81);
        int n = 0;
        for (; v > 1e-5; n++, v *= 0.8) {
            t += n > 0 ? 2 * v / 9.81 : 0;
            assert_true(n < s.n);
            CLOSE(s.t[n], t, cases[c].off);
        }
        assert_int_equal(s.n, n + 1); /* the last time it stays */
        nt_state end = nt_integrator_state(it);
        CLOSE(end.q[2], 0.1, 1e-14);
        CLOSE(end.v[2], 0, 1e-14);
        nt_integrator_destroy(it);
        mechanism_close(&m);
    }
}

/* The same on a floor 1e5 m up, where rounding is 1.5e-11 m, with no speed of rest: it stays there
 * once its bounces are lost in that, and does not fall through. */
static void a_ball_far_up_stays_on_its_floor(void **state)
{
    static const char far_up[] =
        "nutate: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies: {ball: {mass: 0.5, inertia: [2e-3, 2e-3, 2e-3], position: [0, 0, 100001.1]}}\n"
        "markers: {lowest: {on: ball, at: [0, 0, -0.1]}}\n"
        "joints: {floor: {type: planar, between: [ground, ball], points: [[0, 0, 1e5], lowest], "
        "axes: [[0, 0, 1], [0, 0, 1]], active: false, restitution: 0.8, rest_speed: 0}}\n"
        "events: {bounce: {when: lowest.position.z - 1e5, direction: falling, then: [{engage: "
        "floor}]}}\n";
    static const char *const methods[] = {"rkmk-dop853", "generalized-alpha", "semi-explicit-2"};
    (void)state;
    for (size_t c = 0; c < sizeof methods / sizeof methods[0]; c++) {
        mechanism m = mechanism_read(far_up);
        nt_error error = {0};
        seen s;
        nt_integrator *it = begin_run(&m, methods[c], &s);
        assert_int_equal(nt_integrator_run(it, 6, 0.01, NULL, NULL, &error), NT_OK);
        nt_state end = nt_integrator_state(it);
        assert_true(s.n > 20);
        CLOSE(end.q[2], 100000.1, 1e-10);
        CLOSE(end.v[2], 0, 1e-12);
        nt_integrator_destroy(it);
        mechanism_close(&m);
    }
}

/* What an event would do and finds done is said, with the first time; and not of another run. */
static void an_event_that_finds_nothing_to_do_is_said(void **state)
{
    static const char twice[] =
        "nutate: 1\n"
        "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
        "joints: {j: {type: spherical, between: [ground, a], at: [0, 0, 0]}}\n"
        "events:\n"
        "  go: {when: t - 0.2, then: [{release: j}]}\n"
        "  again: {when: sin(10*t) + 0.5, then: [{release: j}]}\n";
    (void)state;
    mechanism m = mechanism_read(twice);
    nt_error error = {0};
    seen s;
    char text[300];
    nt_integrator *it = begin_run(&m, "rkmk-dop853", &s);
    assert_int_equal(nt_integrator_run(it, 0.3, 0.01, NULL, NULL, &error), NT_OK);
    assert_int_equal(nt_run_warning(m.run, 0, text, sizeof text), 0);
    assert_int_equal(nt_integrator_run(it, 1, 0.01, NULL, NULL, &error), NT_OK);
    assert_true(nt_run_warning(m.run, 0, text, sizeof text) > 0);
    assert_non_null(strstr(text, "event again at "));
    assert_non_null(strstr(text, ":6:3 finds a joint at t = 0.366519143 s"));
    assert_int_equal(nt_run_warning(m.run, 1, text, sizeof text), 0);
    assert_int_equal(nt_integrator_start(it, 0, NULL, NULL, NULL, &error), NT_OK);
    assert_int_equal(nt_run_warning(m.run, 0, text, sizeof text), 0);
    nt_integrator_destroy(it);
    mechanism_close(&m);
}

/* An event that waits for a force of a joint which another one has released waits in vain: that is
 * said with its place, unless the joint is engaged again or the event would but release it too. */
static void an_event_that_looks_at_a_released_joint_is_said(void **state)
{
    static const char model[] =
        "nutate: 1\n"
        "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
        "joints: {j: {type: spherical, between: [ground, a], at: [0, 0, 0]}}\n"
        "events:\n"
        "  go: {when: t - 0.2, then: [{release: j}%s]}\n"
        "  late: {then: [{engage: j}]}\n"
        "  high: {when: norm(j.force) - 20, then: [{stop: high}]}\n"
        "  fuse: {when: norm(j.force) - 30, then: [{release: j}]}\n";
    static const char *const again[] = {"", ", {start: late, after: 0}"};
    (void)state;
    for (int c = 0; c < 2; c++) {
        char text[1000];
        snprintf(text, sizeof text, model, again[c]);
        if (c == 0) /* nobody starts it */
            memmove(strstr(text, "  late"), strstr(text, "  high"),
                    strlen(strstr(text, "  high")) + 1);
        mechanism m = mechanism_read(text);
        nt_error error = {0};
        seen s;
        nt_integrator *it = begin_run(&m, "rkmk-dop853", &s);
        assert_int_equal(nt_integrator_run(it, 0.15, 0.01, NULL, NULL, &error), NT_OK);
        assert_int_equal(nt_run_warning(m.run, 0, text, sizeof text), 0);
        assert_int_equal(nt_integrator_run(it, 0.3, 0.01, NULL, NULL, &error), NT_OK);
        if (c == 0) {
            assert_true(nt_run_warning(m.run, 0, text, sizeof text) > 0);
            assert_non_null(strstr(text, "event high at "));
            assert_non_null(strstr(text, ":6:3 looks at the reaction of joint j"));
            assert_non_null(strstr(text, "released at t = 0.2 s"));
        }
        assert_int_equal(nt_run_warning(m.run, c == 0, text, sizeof text), 0);
        nt_integrator_destroy(it);
        mechanism_close(&m);
    }
}

/* A relay whose two points lie 1e-5 s of motion apart, with steps of 0.1 s. */
static void a_relay_that_chatters_is_refused(void **state)
{
    static const char *const methods[] = {"generalized-alpha", "rkmk-dop853", "bdf"};
    (void)state;
    for (size_t c = 0; c < sizeof methods / sizeof methods[0]; c++) {
        mechanism m =
            mechanism_read("nutate: 1\n"
                           "parameters: {k: 1}\n"
                           "bodies: {m: {mass: 1, inertia: [1, 1, 1]}}\n"
                           "states: {y: {rate: k}}\n"
                           "events:\n"
                           "  up: {when: y - 0.30001, direction: rising, then: [{set: {k: -1}}]}\n"
                           "  down: {when: y - 0.3, direction: falling, then: [{set: {k: 1}}]}\n");
        nt_error error = {0};
        nt_integrator_setup setup = {.system = nt_run_system(m.run),
                                     .method = nt_method_find(methods[c])};
        nt_integrator *it;
        assert_int_equal(nt_integrator_create(&it, &setup, &error), NT_OK);
        assert_int_equal(nt_integrator_start(it, 0, NULL, NULL, NULL, &error), NT_OK);
        assert_int_equal(nt_integrator_run(it, 1, 0.1, NULL, NULL, &error), NT_NOT_CONVERGED);
        assert_non_null(
            strstr(error.message, "has happened a thousand times within a step of 0.1"));
        assert_non_null(strstr(error.message, "event "));
        CLOSE(nt_integrator_state(it).t, 0.30001 + 999e-5, 1e-7);
        nt_integrator_destroy(it);
        mechanism_close(&m);
    }
}

/* What jumps over its zero, or onto it, where an angle passes a place has the time of that. */
static void jumps_over_zero_are_located(void **state)
{
    static const char *const whens[] = {"h.angle + 0.9", "floor(h.angle + 0.9) + 1",
                                        "floor(h.angle + 0.9) + 0.5", "sign(h.angle + 0.9)",
                                        "ceil(-h.angle - 0.9) - 1"};
    static const char *const methods[] = {
        "rkmk-dop853",     "rkmk-dopri5", "generalized-alpha", "generalized-alpha-soi2", "theta",
        "semi-explicit-2", "bdf"};
    (void)state;
    for (size_t k = 0; k < sizeof methods / sizeof methods[0]; k++) {
        double time = 0;
        for (size_t c = 0; c < sizeof whens / sizeof whens[0]; c++) {
            char text[1000];
            snprintf(text, sizeof text,
                     "nutate: 1\n"
                     "bodies: {b: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0], "
                     "angular_velocity: [0, 0.3, 0]}}\n"
                     "joints: {h: {type: revolute, between: [ground, b], at: [0, 0, 0], axis: [0, "
                     "-1, 0]}}\n"
                     "states: {y: {rate: 0}}\n"
                     "events: {e: {when: '%s', then: [{set: {y: y + 1}}]}}\n",
                     whens[c]);
            mechanism m = mechanism_read(text);
            nt_error error = {0};
            seen s;
            nt_integrator *it = begin_run(&m, methods[k], &s);
            assert_int_equal(nt_integrator_run(it, 0.5, 0.01, NULL, NULL, &error), NT_OK);
            assert_int_equal(s.n, 1);
            time = c == 0 ? s.t[0] : time;
            print_message("%-24s %-28s off by %.1e s\n", methods[k], whens[c], s.t[0] - time);
            CLOSE(s.t[0], time, 3e-14);
            nt_integrator_destroy(it);
            mechanism_close(&m);
        }
    }
}

/* A stone on an arm that turns steadily with 3 rad/s is let go where the arm points up by 0.5 rad,
 * and lands; a blow and a change of gravity's stand-in follow 0.1 s later. */
static const char throw[] =
    "nutate: 1\n"
    "parameters: {push: 0}\n"
    "gravity: [0, 0, -10]\n"
    "bodies:\n"
    "  arm: {mass: 5, inertia: [1, 1, 1]}\n"
    "  stone: {mass: 2, point: true, position: [1, 0, 0]}\n"
    "joints:\n"
    "  pivot: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, -1, 0], motion: "
    "3*t}\n"
    "  hand: {type: spherical, between: [arm, stone], at: [1, 0, 0]}\n"
    "forces: {wind: {type: force, on: stone, value: [push, 0, 0]}}\n"
    "events:\n"
    "  let_go: {when: pivot.angle - 0.5, then: [{release: hand}, {start: gust, after: 0.1}]}\n"
    "  gust: {then: [{set: {push: '4*stone.position.x'}}, {impulse: {on: stone, value: [0, 2*t, "
    "0]}}]}\n"
    "  landed: {when: stone.position.z, direction: falling, then: [{stop: on the ground}]}\n";

static void a_stone_is_thrown(void **state)
{
    (void)state;
    mechanism m = mechanism_read(throw);
    nt_error error = {0};
    seen s;
    nt_integrator *it = begin_run(&m, "rkmk-dop853", &s);
    assert_int_equal(nt_integrator_run(it, 8, 0.01, NULL, NULL, &error), NT_OK);
    const double t0 = 0.5 / 3, vx = -3 * sin(0.5), vz = 3 * cos(0.5), z0 = sin(0.5);
    const double fall = (vz + sqrt(vz * vz + 20 * z0)) / 10, t1 = t0 + 0.1;
    const double x1 = cos(0.5) + 0.1 * vx, left = t0 + fall - t1;
    assert_int_equal(s.n, 3);
    CLOSE(s.t[0], t0, 1e-13);
    CLOSE(s.t[1], t1, 1e-13);
    CLOSE(s.t[2], t0 + fall, 1e-12);
    assert_int_equal(nt_integrator_ended_by(it), 2);
    assert_string_equal(nt_model_event_end(nt_run_model(m.run), 2), "on the ground");
    assert_string_equal(nt_model_event_name(nt_run_model(m.run), 1), "gust");
    double at[3];
    look_at(&m, it, "stone.position", at);
    CLOSE(at[0], x1 + vx * left + x1 * left * left, 1e-11); /* push/m = 2 x1 */
    CLOSE(at[1], t1 * left, 1e-11);
    CLOSE(at[2], 0, 1e-12);
    nt_integrator_destroy(it);
    mechanism_close(&m);
}

/* A pendulum of 1 m that swings into a hook below its pivot: the hook begins apart from it and
 * places nothing; where both meet the pendulum loses what it has. The angle from below obeys
 * 1.01 w^2/2 = 9.81 (cos a - 0.8), with sin a = 0.6 at rest. */
static const char hook[] =
    "nutate: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  wall: {mass: 5, inertia: [1, 1, 1], position: [0, 0, -1]}\n"
    "  bob: {mass: 1, inertia: [0.01, 0.01, 0.01]%s}\n"
    "joints:\n"
    "  rest: {type: fixed, between: [ground, wall], at: [0, 0, -1]}\n"
    "  hook: {type: spherical, between: [wall, bob], points: [[0, 0, 0], [0, 0, 0]], active: "
    "false}\n"
    "  pivot: {type: revolute, between: [ground, bob], points: [[0, 0, 0], [-0.6, 0, 0.8]], axes: "
    "[[0, 1, 0], [0, 1, 0]]}\n"
    "events: {caught: {when: bob.position.x - %s, direction: falling, then: [{engage: hook}]}}\n";

static void a_hook_that_waits_places_nothing(void **state)
{
    static const char *const places[] = {"", ", position: [0.6, 0, -0.8]",
                                         ", orientation: {axis: [0, 1, 0], angle: 0}"};
    (void)state;
    for (size_t c = 0; c < sizeof places / sizeof places[0]; c++) {
        char text[1500];
        snprintf(text, sizeof text, hook, places[c], "0");
        mechanism m = mechanism_read(text);
        nt_model_counts counts = nt_model_count(nt_run_model(m.run));
        assert_int_equal(counts.inactive, 1);
        assert_int_equal(counts.holonomic, 11);
        assert_int_equal(counts.redundant, 0);
        nt_error error = {0};
        seen s;
        double at[3], force[3];
        nt_integrator *it = begin_run(&m, "rkmk-dop853", &s);
        look_at(&m, it, "bob.position", at);
        look_at(&m, it, "hook.force", force);
        for (int i = 0; i < 3; i++) {
            CLOSE(at[i], (i == 0 ? 0.6 : i == 2 ? -0.8 : 0), 1e-15);
            CLOSE(force[i], 0, 0);
        }
        assert_int_equal(nt_integrator_run(it, 1, 0.01, NULL, NULL, &error), NT_OK);
        assert_int_equal(s.n, 1);
        CLOSE(s.energy[0][0] - s.energy[0][1], 9.81 * 0.2, 1e-11);
        look_at(&m, it, "bob.position", at);
        CLOSE(at[0], 0, 1e-14);
        CLOSE(at[2], -1, 1e-14);
        nt_integrator_destroy(it);
        mechanism_close(&m);
    }
}

static void a_joint_that_is_open_says_by_how_much(void **state)
{
    static const char bars[] =
        "nutate: 1\n"
        "bodies:\n"
        "  a: {mass: 1, inertia: [1, 1, 1]}\n"
        "  b: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0], orientation: {axis: [1, 0, 0], "
        "angle: 0.1}, velocity: [-1, 0, 0]}\n"
        "joints: {j: {type: revolute, between: [a, b], points: [[0, 0, 0], [0, 0, 0]], axes: [[0, "
        "0, 1], [0, 0, 1]], active: false}}\n"
        "events: {e: {when: b.position.x - a.position.x, then: [{engage: j}]}}\n";
    static const char longer[] =
        "nutate: 1\n"
        "bodies: {bob: {mass: 1, inertia: [0.01, 0.01, 0.01]}}\n"
        "joints:\n"
        "  pivot: {type: revolute, between: [ground, bob], points: [[0, 0, 0], [-0.6, 0, "
        "0.8000005]], axes: [[0, 1, 0], [0, 1, 0]]}\n"
        "  hook: {type: spherical, between: [ground, bob], points: [[0, 0, -1], [0, 0, 0]], "
        "active: false}\n"
        "events: {caught: {when: bob.position.x, then: [{engage: hook}]}}\n";
    char text[1500];
    (void)state;
    snprintf(text, sizeof text, hook, "", "0.01");
    const struct {
        const char *text, *words;
    } cases[] = {{text, "which is not closed: position along x is off by -0.01 m"},
                 {bars, "axis is off by 0.1 rad"},
                 {longer, "joints do not let it close"}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        mechanism m = mechanism_read(cases[c].text);
        nt_error error = {0};
        seen s;
        nt_integrator *it = begin_run(&m, "rkmk-dop853", &s);
        assert_int_equal(nt_integrator_run(it, 2, 0.01, NULL, NULL, &error), NT_INCONSISTENT);
        if (!strstr(error.message, cases[c].words))
            fail_msg("'%s' without '%s'", error.message, cases[c].words);
        nt_integrator_destroy(it);
        mechanism_close(&m);
    }
}

/* What an event sets is looked at as a file's numbers are. Differences of a caller may be outside
 * by themselves, here a disk's moments of inertia: then nothing is held against the event. */
static void what_no_model_has_is_not_set(void **state)
{
    static const char parts[] =
        "nutate: 1\n"
        "parameters: {m: 1, I: 2, k: 10, EI: 50, L: 1, n: 4, twist: 0}\n"
        "bodies: {disk: {mass: m, inertia: [1, 1, I], position: [3, 0, 0]}}\n"
        "beams: {b: {points: [[0, 0, 0], [1, 0, 0]], order: 4, twist: [[0, 0], [1, twist]],\n"
        "  sections: [{stiffness: [1e4, 1e4, 1e4, 30, EI, EI], mass: [1, 1, 1, .02, .01, .01]}]}}\n"
        "cables: {c: {between: [ground, disk], at: [[2, 0, 0], [3, 0, 0]], length: L, mass: 0.1,\n"
        "  stiffness: 100, elements: n}}\n"
        "joints: {hold: {type: fixed, between: [ground, b.root]}}\n"
        "forces: {s: {type: spring, between: [ground, disk], at: [[3, 0, 2], [3, 0, 0]],\n"
        "  stiffness: k, length: 1}}\n"
        "events: {e: {when: t - 0.01, then: [{set: {%s}}]}}\n";
    static const struct {
        const char *set, *words; /* NULL: it may be set */
        double I;
    } cases[] = {
        {"m: -1", "body disk has mass -1 kg, expected a positive number", 2},
        {"I: -1", "principal moment of inertia of -1 kg m^2, expected none below zero", 2},
        {"EI: -50", "beam b: section at 0: stiffness is not positive definite", 2},
        {"twist: 1e9", "is too coarse for the twist", 2},
        {"L: -1", "cable c: length is -1, expected a positive number", 2},
        {"n: 5", "elements is 5 where the model was read with 4", 2},
        {"k: -10", NULL, 2},
        {"L: 0.9", NULL, 2},
        {"EI: 70", NULL, 2},
        {"k: 20", NULL, 2.001},
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        char text[1500];
        snprintf(text, sizeof text, parts, cases[c].set);
        mechanism m = mechanism_read(text);
        const nt_system *system = nt_run_system(m.run);
        double p[7];
        system->get_parameters(system->self, p);
        p[1] = cases[c].I;
        assert_int_equal(system->set_parameters(system->self, p), NT_OK);
        nt_error error = {0};
        seen s;
        nt_integrator *it = begin_run(&m, "generalized-alpha", &s);
        nt_status status = nt_integrator_run(it, 0.02, 0.001, NULL, NULL, &error);
        if (!cases[c].words && status != NT_OK)
            fail_msg("%s: '%s'", cases[c].set, error.message);
        if (cases[c].words && status != NT_INCONSISTENT)
            fail_msg("%s: status %d, '%s'", cases[c].set, status, error.message);
        if (cases[c].words &&
            (!strstr(error.message, "event e sets values at t = 0.01 s that no model has: ") ||
             !strstr(error.message, cases[c].words)))
            fail_msg("'%s' without '%s'", error.message, cases[c].words);
        nt_integrator_destroy(it);
        mechanism_close(&m);
    }
}

/* A pendulum that hangs at rest where it is looked for: what rounding makes of its place is no
 * passage, near the origin or far from it, and neither is what the hook holds at zero later. */
static void rounding_is_no_passage(void **state)
{
    static const char *const methods[] = {"generalized-alpha", "generalized-alpha-soi2", "theta",
                                          "rkmk-dop853",       "semi-explicit-2",        "bdf"};
    static const struct {
        double away, speed;
        int n;
    } cases[] = {{0, 0, 0}, {1000, 0, 0}, {0, 1, 1}, {1000, 1, 1}};
    (void)state;
    for (size_t k = 0; k < sizeof methods / sizeof methods[0]; k++)
        for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
            char text[1500];
            double away = cases[c].away;
            snprintf(text, sizeof text,
                     "nutate: 1\n"
                     "bodies:\n"
                     "  bob: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [%g, 0, -1], "
                     "orientation: {axis: [0, 1, 0], angle: 0.64350110879328437}, "
                     "angular_velocity: [0, %g, 0]}\n"
                     "  wall: {mass: 5, inertia: [1, 1, 1], position: [%g, 0, -1]}\n"
                     "joints:\n"
                     "  pivot: {type: revolute, between: [ground, bob], at: [%g, 0, 0], axis: "
                     "[0, 1, 0]}\n"
                     "  rest: {type: fixed, between: [ground, wall], at: [%g, 0, -1]}\n"
                     "  hook: {type: inline, between: [wall, bob], points: [[0, 0, 0], [0, 0, "
                     "0]], axes: [[0, 1, 0], [0, 1, 0]], active: false}\n"
                     "events: {caught: {when: bob.position.x - wall.position.x, then: [{engage: "
                     "hook}]}}\n",
                     away, cases[c].speed, away, away, away);
            mechanism m = mechanism_read(text);
            nt_error error = {0};
            seen s;
            nt_integrator *it = begin_variable(&m, methods[k], k == 5 ? 1e-6 : 0, &s);
            if (nt_integrator_run(it, 4, 0.01, NULL, NULL, &error) != NT_OK)
                fail_msg("%s", error.message);
            assert_int_equal(s.n, cases[c].n);
            nt_integrator_destroy(it);
            mechanism_close(&m);
        }
}

/* A block of 2 kg, pulled by 3 N, that the friction of its rail holds or brakes with 5 N: let go at
 * 0.3 s and engaged again at 0.7 s, when it has 0.6 m/s and brakes with 1 m/s^2 until 1.3 s. A
 * spring beyond 0.1 m is of the rail too, and of no effect while it is let go. */
static void a_joint_that_is_let_go_has_no_friction(void **state)
{
    static const struct {
        const char *method, *law, *limits;
        double off;
    } cases[] = {
        {"rkmk-dop853", "law: set-valued", "", 1e-13},
        {"generalized-alpha", "law: set-valued", "", 1e-13},
        {"bdf", "law: set-valued", "", 1e-6},
        {"rkmk-dop853", "law: set-valued", ", limits: {upper: 0.1, stiffness: 1e3}", 1e-13},
        {"generalized-alpha", "slip: 1e-3", "", 2e-3}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        char text[1500];
        snprintf(text, sizeof text,
                 "nutate: 1\n"
                 "gravity: [0, 0, 0]\n"
                 "bodies: {a: {mass: 2, inertia: [1, 1, 1]}}\n"
                 "joints: {rail: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: [1, "
                 "0, 0], friction: {dry: 5, %s}%s}}\n"
                 "forces: {pull: {type: force, on: a, value: [3, 0, 0]}}\n"
                 "events:\n"
                 "  go: {when: t - 0.3, then: [{release: rail}]}\n"
                 "  again: {when: t - 0.7, then: [{engage: rail}]}\n",
                 cases[c].law, cases[c].limits);
        mechanism m = mechanism_read(text);
        nt_error error = {0};
        seen s;
        double x, v;
        nt_integrator *it = begin_run(&m, cases[c].method, &s);
        if (nt_integrator_run(it, 0.7, 0.01, NULL, NULL, &error) != NT_OK)
            fail_msg("%s", error.message);
        look_at(&m, it, "a.position.x", &x);
        look_at(&m, it, "a.velocity.x", &v);
        CLOSE(x, 0.12, cases[c].off);
        CLOSE(v, 0.6, cases[c].off);
        if (!*cases[c].limits) {
            assert_int_equal(nt_integrator_run(it, 2, 0.01, NULL, NULL, &error), NT_OK);
            look_at(&m, it, "a.position.x", &x);
            look_at(&m, it, "a.velocity.x", &v);
            CLOSE(x, 0.12 + 0.18, cases[c].off);
            CLOSE(v, 0, cases[c].off);
        }
        nt_integrator_destroy(it);
        mechanism_close(&m);
    }
}

/* A stone that is thrown up at 5 m/s is above H = 1.2741 m between t = (5 -+ sqrt(25 - 2 g
 * H))/g, 9.5 ms apart: within a quarter of a step of 0.25 s, where nothing but the way that it
 * turns tells. */
static const char turning[] =
    "nutate: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies: {stone: {mass: 2, point: true, position: [0, 0, 0], velocity: [0, 0, 5]},\n"
    "         other: {mass: 2, point: true, position: [1, 0, 0], velocity: [0, 0, 5]}}\n"
    "states: {n: {rate: 0}, over: {rate: 0}}\n"
    "events:\n"
    "  up: {when: stone.position.z - 1.2741, direction: rising, then: [{set: {n: n + 1}}]}\n"
    "  down: {when: 1.2741 - other.position.z, direction: rising, then: [{set: {n: n + 10}}]}\n"
    "  pulse: {when: (t - 0.76)*(0.76002 - t), then: [{set: {over: over + 1}}]}\n"
    "  never: {when: stone.position.z - 1.275, then: [{set: {n: n + 100}}]}\n";

static void what_passes_and_comes_back_is_found(void **state)
{
    static const struct {
        const char *method;
        double tolerance, off;
    } cases[] = {{"generalized-alpha", 0, 1e-12},
                 {"generalized-alpha-soi2", 0, 1e-12},
                 {"theta", 0, 1e-12},
                 {"semi-explicit-2", 0, 1e-12},
                 {"rkmk-dopri5", 0, 1e-12},
                 {"rkmk-dop853", 0, 1e-12},
                 {"rkmk-dop853", 1e-10, 1e-12},
                 {"bdf", 1e-10, 1e-7}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        mechanism m = mechanism_read(turning);
        nt_error error = {0};
        seen s;
        nt_integrator *it = begin_variable(&m, cases[c].method, cases[c].tolerance, &s);
        assert_int_equal(nt_integrator_run(it, 1, 0.25, NULL, NULL, &error), NT_OK);
        double half = sqrt(25 - 2 * 9.81 * 1.2741) / 9.81, top = 5 / 9.81;
        if (s.n != 4)
            fail_msg("%s: %d events", cases[c].method, s.n);
        CLOSE(s.t[0], top - half, cases[c].off);
        CLOSE(s.t[1], top + half, cases[c].off);
        CLOSE(s.t[2], 0.76, 1e-9);
        CLOSE(s.t[3], 0.76002, 1e-9);
        nt_integrator_destroy(it);
        mechanism_close(&m);
    }
}

/* An expression without a value is said with the event and its place. */
static void an_event_without_a_value_is_named(void **state)
{
    static const char text[] =
        "nutate: 1\n"
        "bodies: {stone: {mass: 2, point: true, position: [0, 0, 0], velocity: [0, 0, 5]}}\n"
        "events:\n"
        "  high: {when: log(stone.position.z - 1), then: [{stop: high}]}\n";
    (void)state;
    mechanism m = mechanism_read(text);
    nt_error error = {0};
    seen s;
    nt_integrator *it = begin_run(&m, "generalized-alpha", &s);
    assert_int_equal(nt_integrator_run(it, 1, 0.01, NULL, NULL, &error), NT_NOT_FINITE);
    if (!strstr(error.message, "the expression of event high at"))
        fail_msg("%s", error.message);
    nt_integrator_destroy(it);
    mechanism_close(&m);
}

static void bad_events_are_refused(void **state)
{
    static const char head[] =
        "nutate: 1\n"
        "parameters: {k: 1}\n"
        "bodies: {bob: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], orientation: {axis: [1, "
        "0, 0], angle: 0}}, box: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], orientation: "
        "{axis: [1, 0, 0], angle: 0}}, "
        "bead: {mass: 1, point: true, position: [0, 2, 0]}}\n"
        "joints:\n"
        "  ball: {type: spherical, between: [ground, bob], at: [0, 0, 0]}\n"
        "  weld: {type: fixed, between: [bob, box], at: [0, 0, 0]}\n"
        "  rod: {type: distance, between: [bead, bob], points: [[0, 0, 0], [1, 0, 0]]}\n"
        "  hook: {type: inline, between: [ground, bob], at: [0, 0, 1], axis: "
        "[0, 0, 1], active: false}\n"
        "events:\n";
    static const struct {
        const char *event, *words;
    } cases[] = {
        {"  a: {when: t - 1, then: [{latch: weld}]}\n", "no free coordinate"},
        {"  a: {when: t - 1, then: [{latch: rod}]}\n", "with a first body that is no point"},
        {"  a: {when: t - 1, then: [{release: hook}]}\n", "never holds"},
        {"  a: {when: t - 1, then: [{engage: ball}]}\n", "always holds"},
        {"  a: {when: t - 1, then: [{set: {kk: 2}}]}\n", "neither a parameter nor a state"},
        {"  a: {when: t - 1, then: [{set: {k: 'delay(bob.position.x, 0.1)'}}]}\n",
         "has no history here: expected the same delay in a force"},
        {"  a: {when: t - 1, then: [{start: b}]}\n", "there is no event 'b'"},
        {"  a: {when: t - 1, then: [{engage: hook}]}\n  b: {when: t - 1, then: [{release: "
         "hook}]}\n",
         "undo each other"},
        {"  a: {when: t - 1, then: [{engage: hook}]}\n  b: {when: 2 - t*2, then: [{release: "
         "hook}]}\n",
         "undo each other"},
        {"  a: {when: t - 1, direction: rising, then: [{set: {k: 1}}]}\n"
         "  b: {when: 1 - t, direction: falling, then: [{set: {k: 2}}]}\n",
         "undo each other"},
        {"  a: {when: t - 1, then: [{release: ball}, {engage: ball}]}\n",
         "undoes what event a does at 10:27 in the same instant"},
        {"  a: {when: t - 1, then: [{engage: hook}, {set: {k: 3}}, {release: hook}]}\n",
         "undoes what event a does at 10:27 in the same instant"},
        {"  a: {when: t - 1, then: [{set: {k: 3}}, {set: {k: 4}}]}\n",
         "undoes what event a does at 10:27 in the same instant"},
        {"  a: {when: t - 1, then: [{release: ball}, {latch: ball}]}\n",
         "undoes what event a does at 10:27 in the same instant"},
        {"  a: {when: t - 1, then: [{stop: x, release: ball}]}\n", "expected one of release"},
        {"  a: {when: hook.force.x - 1, then: [{stop: x}]}\n", "joint hook never holds"},
        {"  a: {then: [{stop: x}]}\n", "event a never happens"},
        {"  a: {when: 0, then: [{stop: x}]}\n", "'0' never passes zero"},
        {"  a: {when: k - 1, then: [{stop: x}]}\n", "never passes zero"},
        {"  a: {when: t > 1, then: [{stop: x}]}\n", "'t > 1' is 1 or 0"},
        {"  a: {when: not (t > 1), then: [{stop: x}]}\n", "is 1 or 0 and passes no zero"},
        {"  a: {when: ball.force.x > 1 and t < 2, then: [{stop: x}]}\n", "is 1 or 0"},
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        char text[1500];
        nt_run *run;
        nt_error error = {0};
        snprintf(text, sizeof text, "%s%s", head, cases[c].event);
        nt_status status = read_run_text(&run, text, strlen(text), "test", NULL, NULL, 0, &error);
        assert_int_equal(status, NT_BAD_MODEL);
        if (!strstr(error.message, cases[c].words))
            fail_msg("'%s' without '%s'", error.message, cases[c].words);
        assert_true(error.line >= 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_door_slams),
        cmocka_unit_test(a_ball_bounces_to_rest),
        cmocka_unit_test(a_ball_far_up_stays_on_its_floor),
        cmocka_unit_test(an_event_that_finds_nothing_to_do_is_said),
        cmocka_unit_test(an_event_that_looks_at_a_released_joint_is_said),
        cmocka_unit_test(a_relay_that_chatters_is_refused),
        cmocka_unit_test(jumps_over_zero_are_located),
        cmocka_unit_test(a_stone_is_thrown),
        cmocka_unit_test(a_hook_that_waits_places_nothing),
        cmocka_unit_test(a_joint_that_is_open_says_by_how_much),
        cmocka_unit_test(what_no_model_has_is_not_set),
        cmocka_unit_test(rounding_is_no_passage),
        cmocka_unit_test(a_joint_that_is_let_go_has_no_friction),
        cmocka_unit_test(what_passes_and_comes_back_is_found),
        cmocka_unit_test(an_event_without_a_value_is_named),
        cmocka_unit_test(bad_events_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
