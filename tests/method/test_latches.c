/* Joints that latch: what is locked, what an impact keeps and costs, and the motion behind. */
#include "tests/method/event_runs.h"

#include "base/vector3.h"
#include "system/problem.h"

static const char satellite[] =
    "nutate: 1\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  hub: {mass: 100, inertia: [40, 50, 60], angular_velocity: [0.02, 0.01, 0.5]}\n"
    "  left: {mass: 8, inertia: [1, 3, 3.5], position: [1.5, 0, 0]}\n"
    "  right: {mass: 8, inertia: [1, 3, 3.5], position: [-1.5, 0, 0]}\n"
    "joints:\n"
    "  l: {type: revolute, between: [hub, left], at: [0.7, 0, 0], axis: [0, 0, 1]}\n"
    "  r: {type: revolute, between: [hub, right], at: [-0.7, 0, 0], axis: [0, 0, 1]}\n"
    "forces:\n"
    "  ls: {type: joint_torque, joint: l, value: '-3*(l.angle - 1.6)'}\n"
    "  rs: {type: joint_torque, joint: r, value: '-3*(r.angle + 1.6)'}\n"
    "events:\n"
    "  left_locks: {when: l.angle - 1.5, then: [{latch: l}]}\n"
    "  right_locks: {when: r.angle + 1.5, then: [{latch: r}]}\n";

/* Nothing acts from outside: momenta stay to rounding over both impacts, and what they cost is in
 * the account. */
static void panels_latch(void **state)
{
    (void)state;
    mechanism m = mechanism_read(satellite);
    nt_error error = {0};
    seen s;
    double before[3], after[3], momentum[3], energy[2][4];
    nt_integrator *it = begin_run(&m, "rkmk-dop853", &s);
    look_at(&m, it, "angular_momentum", before);
    look_at(&m, it, "energy", energy[0]);
    assert_int_equal(nt_integrator_run(it, 8, 0.01, NULL, NULL, &error), NT_OK);
    look_at(&m, it, "angular_momentum", after);
    look_at(&m, it, "momentum", momentum);
    look_at(&m, it, "energy", energy[1]);
    assert_int_equal(s.n, 2);
    for (int i = 0; i < 3; i++) {
        CLOSE(after[i], before[i], 1e-13);
        CLOSE(momentum[i], 0, 1e-12);
    }
    for (int i = 0; i < 2; i++)
        assert_true(s.energy[i][0] > s.energy[i][1] + 1);
    CLOSE(energy[1][2] - energy[1][3], energy[0][2] - energy[0][3], 1e-11);
    double left, right;
    look_at(&m, it, "l.angle", &left);
    look_at(&m, it, "r.angle", &right);
    CLOSE(left, 1.5, 1e-12);
    CLOSE(right, -1.5, 1e-12);
    nt_integrator_destroy(it);
    mechanism_close(&m);
}

/* Two panels alike, which come to their latches at the same time to a rounding: the one that is
 * looked at second goes on across its zero, and latches too. Turned by half a turn the satellite is
 * itself, so both end open by the same angle and its spin follows from its angular momentum. */
static void panels_latch_at_once(void **state)
{
    static const char alike[] =
        "nutate: 1\n"
        "gravity: [0, 0, 0]\n"
        "bodies:\n"
        "  bus: {mass: 200, inertia: [60, 60, 50], angular_velocity: [0, 0, 0.5]}\n"
        "  r: {mass: 10, inertia: [0.01, 3, 3], position: [0.5, 1, 0], angular_velocity: [0, 0, "
        "0.5], orientation: {axis: [0, 0, 1], angle: 90*deg}}\n"
        "  l: {mass: 10, inertia: [0.01, 3, 3], position: [-0.5, -1, 0], angular_velocity: [0, 0, "
        "0.5], orientation: {axis: [0, 0, 1], angle: -90*deg}}\n"
        "joints:\n"
        "  hr: {type: revolute, between: [bus, r], at: [0.5, 0, 0], axis: [0, 0, 1]}\n"
        "  hl: {type: revolute, between: [bus, l], at: [-0.5, 0, 0], axis: [0, 0, -1]}\n"
        "forces:\n"
        "  sr: {type: torsion_spring, joint: hr, stiffness: 3, damping: 0.8, angle: -100*deg}\n"
        "  sl: {type: torsion_spring, joint: hl, stiffness: 3, damping: 0.8, angle: 100*deg}\n"
        "events:\n"
        "  lr: {when: hr.angle + 90*deg, direction: falling, then: [{latch: hr}]}\n"
        "  ll: {when: hl.angle - 90*deg, direction: rising, then: [{latch: hl}]}\n";
    static const char *const methods[] = {"generalized-alpha", "generalized-alpha-soi2",
                                          "rkmk-dopri5", "rkmk-dop853"};
    static const double PI = 3.14159265358979323846;
    (void)state;
    for (size_t c = 0; c < sizeof methods / sizeof methods[0]; c++) {
        mechanism m = mechanism_read(alike);
        nt_error error = {0};
        seen s;
        double w[3], left, right;
        nt_integrator *it = begin_run(&m, methods[c], &s);
        assert_int_equal(nt_integrator_run(it, 4, 1e-2, NULL, NULL, &error), NT_OK);
        assert_int_equal(s.n, 2);
        assert_true(s.t[0] == s.t[1]);
        look_at(&m, it, "hl.angle", &left);
        look_at(&m, it, "hr.angle", &right);
        look_at(&m, it, "bus.angular_velocity", w);
        CLOSE(left, PI / 2, 1e-9);
        CLOSE(right, -PI / 2, 1e-9);
        /* (50 + 2 (3 + 10 (0.25 + 1))) 0.5 = (50 + 2 (3 + 10 * 1.5^2)) w */
        CLOSE(w[2], 0.5 * 81 / 101, 1e-5);
        nt_integrator_destroy(it);
        mechanism_close(&m);
    }
}

/* A latch locks all that a joint leaves free: of a cylinder the displacement too, of a nut the
 * angle and so the displacement. And the equations of a latch are not met where the joint is let go
 * and holds again. */
static void a_latch_locks_all_that_is_free(void **state)
{
    static const struct {
        const char *joint, *velocity;
    } cases[] = {{"cylindrical", "0.7"},
                 {"screw, pitch: 0.5", "0.079577471545947667884"},
                 {"revolute", "0"}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        char text[1500];
        snprintf(text, sizeof text,
                 "nutate: 1\n"
                 "gravity: [0, 0, 0]\n"
                 "bodies: {a: {mass: 2, inertia: [1, 1, 1], velocity: [%s, 0, 0], "
                 "angular_velocity: [1, 0, 0]}}\n"
                 "joints: {j: {type: %s, between: [ground, a], at: [0, 0, 0], axis: [1, 0, 0]}}\n"
                 "events:\n"
                 "  blink: {when: t - 0.2, then: [{release: j}, {engage: j}]}\n"
                 "  lock: {when: t - 0.3, then: [{latch: j}]}\n"
                 "  go: {when: t - 0.6, then: [{release: j}]}\n",
                 cases[c].velocity, cases[c].joint);
        mechanism m = mechanism_read(text);
        nt_error error = {0};
        seen s;
        double v[3], w[3], x[3], speed = atof(cases[c].velocity);
        nt_integrator *it = begin_run(&m, "rkmk-dop853", &s);
        assert_int_equal(nt_integrator_run(it, 0.25, 0.01, NULL, NULL, &error), NT_OK);
        look_at(&m, it, "a.velocity", v);
        look_at(&m, it, "a.angular_velocity", w);
        CLOSE(v[0], speed, 1e-13);
        CLOSE(w[0], 1, 1e-13);
        assert_int_equal(nt_integrator_run(it, 1, 0.01, NULL, NULL, &error), NT_OK);
        look_at(&m, it, "a.position", x);
        look_at(&m, it, "a.velocity", v);
        look_at(&m, it, "a.angular_velocity", w);
        CLOSE(x[0], 0.3 * speed, 1e-13);
        CLOSE(v[0], 0, 1e-13);
        CLOSE(w[0], 0, 1e-13);
        assert_int_equal(s.n, 3);
        CLOSE(s.energy[0][1], s.energy[0][0], 1e-13);
        CLOSE(s.energy[1][0] - s.energy[1][1], 0.5 + speed * speed, 1e-13);
        nt_integrator_destroy(it);
        mechanism_close(&m);
    }
}

/* The rows of a latch on rotations about no axis of the joint's own, beside where they are met. */
static void latched_rotations_have_their_tangent(void **state)
{
    static const char *const joints[] = {"spherical, at: [0.5, 0.1, 0]",
                                         "universal, at: [0.5, 0, 0], axes: [[0, 1, 0], [0, 0, 1]]",
                                         "inline, at: [0.5, 0.1, 0], axis: [0.3, 0.2, 1]",
                                         "distance, points: [[0.2, 0.1, 0], [0, 0.1, 0.3]]",
                                         "rolling_disk, radius: 0.4, axis: [0.2, 1, 0.1], at: "
                                         "[0.1, 0, 0], plane: {point: [0, 0, -0.2]}",
                                         "rolling_sphere, radius: 0.4, at: [0.1, 0, 0], plane: "
                                         "{normal: [0.2, 0.1, 1]}",
                                         "knife_edge, at: [0.1, 0.3, 0], axis: [0.2, 1, 0.1]",
                                         "knife_edge, at: [0.1, 0.3, 0], axis: [0.2, 1, 0.1], "
                                         "plane: {normal: [0, 0, 1]}"};
    enum { ROOM = 64 };
    (void)state;
    for (size_t c = 0; c < sizeof joints / sizeof joints[0]; c++) {
        char text[1500];
        snprintf(text, sizeof text,
                 "nutate: 1\n"
                 "initial: {correct: true}\n"
                 "bodies:\n"
                 "  a: {mass: 3, inertia: [1, 2, 2.5], angular_velocity: [1, 0.5, 0.3]}\n"
                 "  b: {mass: 1, inertia: [5, 2, 4], position: [0.9, 0.1, 0.2], angular_velocity: "
                 "[-1, 0, 2]}\n"
                 "joints: {j: {type: %s, between: [a, b]}}\n"
                 "events: {lock: {when: t - 0.3, then: [{latch: j}]}}\n",
                 joints[c]);
        mechanism m = mechanism_read(text);
        nt_error error = {0};
        seen s;
        double q[ROOM], v[ROOM], other[ROOM], difference;
        nt_integrator *it = begin_run(&m, "rkmk-dop853", &s);
        assert_int_equal(nt_integrator_run(it, 0.4, 0.02, NULL, NULL, &error), NT_OK);
        assert_int_equal(s.n, 1);
        const nt_system *system = nt_run_system(m.run);
        nt_state now = nt_integrator_state(it);
        memcpy(q, now.q, (size_t)system->space.nq * sizeof *q);
        memcpy(v, now.v, (size_t)system->space.nv * sizeof *v);
        for (int i = 0; i < ROOM; i++)
            other[i] = 0.3 * (i % 7) - 0.7;
        for (int body = 0; body < 2; body++) { /* turned a little, each in its own way */
            double *turn = q + 7 * body + 3, length = 0;
            for (int i = 0; i < 4; i++)
                turn[i] += 0.05 * (1 + body) * (i - 1.3);
            for (int i = 0; i < 4; i++)
                length += turn[i] * turn[i];
            for (int i = 0; i < 4; i++)
                turn[i] /= sqrt(length);
        }
        const nt_point at = {.t = now.t,
                             .q = q,
                             .v = v,
                             .vdot = other,
                             .lambda = other,
                             .mu = other,
                             .memory = now.memory};
        nt_problem *problem; /* with all rows, those of the latch too */
        assert_int_equal(nt_problem_create(&problem, system, system->frame, &error), NT_OK);
        problem->n_off = 0;
        if (nt_problem_check_tangent(problem, &at, 1e-6, &difference, &error) != NT_OK)
            fail_msg("%s", error.message);
        nt_problem_destroy(problem);
        print_message("%s: tangent off by %.1e\n", joints[c], difference);
        assert_true(difference < 1e-7);
        nt_integrator_destroy(it);
        mechanism_close(&m);
    }
}

/* A rod between two bodies that turn in space is latched: from then on they are one body, with the
 * momentum, the angular momentum and, by that, the energy of it. */
static void a_latched_rod_makes_one_body(void **state)
{
    static const char text[] =
        "nutate: 1\n"
        "gravity: [0, 0, 0]\n"
        "initial: {correct: true}\n"
        "bodies:\n"
        "  a: {mass: 3, inertia: [1, 2, 2.5], angular_velocity: [1, 0.5, 0.3]}\n"
        "  b: {mass: 1, inertia: [5, 2, 4], position: [0.9, 0.1, 0.2], velocity: [0, 1, 0.5], "
        "angular_velocity: [-1, 0, 2]}\n"
        "joints: {rod: {type: distance, between: [a, b], points: [[0.2, 0.1, 0], [0, 0.1, 0.3]]}}\n"
        "events: {lock: {when: t - 0.3, then: [{latch: rod}]}}\n";
    static const char *const methods[] = {"rkmk-dop853", "generalized-alpha-soi2", "theta"};
    (void)state;
    for (size_t c = 0; c < sizeof methods / sizeof methods[0]; c++) {
        mechanism m = mechanism_read(text);
        nt_error error = {0};
        seen s;
        double before[3], after[3], p[2][3], wa[3], wb[3], off = c == 0 ? 1e-11 : 1e-4;
        nt_integrator *it = begin_run(&m, methods[c], &s);
        assert_int_equal(nt_integrator_run(it, 0.3, 1e-3, NULL, NULL, &error), NT_OK);
        look_at(&m, it, "momentum", p[0]);
        look_at(&m, it, "angular_momentum", before);
        if (nt_integrator_run(it, 1, 1e-3, NULL, NULL, &error) != NT_OK)
            fail_msg("%s", error.message);
        assert_int_equal(s.n, 1);
        assert_true(s.energy[0][1] < s.energy[0][0] - 1e-3);
        look_at(&m, it, "momentum", p[1]);
        look_at(&m, it, "angular_momentum", after);
        for (int i = 0; i < 3; i++) {
            CLOSE(p[1][i], p[0][i], 1e-12);
            CLOSE(after[i], before[i], off);
        }
        nt_state end = nt_integrator_state(it); /* the bodies' axes turn alike */
        double d[3], apart = 0;
        for (int i = 0; i < 3; i++)
            d[i] = end.q[7 + i] - end.q[i], apart += d[i] * d[i];
        look_at(&m, it, "a.angular_velocity", wa);
        look_at(&m, it, "b.angular_velocity", wb);
        double size[2] = {0};
        for (int i = 0; i < 3; i++)
            size[0] += wa[i] * wa[i], size[1] += wb[i] * wb[i];
        CLOSE(size[0], size[1], off);
        assert_true(apart > 0.1);
        nt_integrator_destroy(it);
        mechanism_close(&m);
    }
}

/* The force and torque that B has from a joint at p: those that its motion takes. */
static void check_reaction(mechanism *m, nt_integrator *it, v3 inertia, double mass, v3 arm,
                           double off)
{
    double a[3], w[3], alpha[3], F[3], T[3];
    look_at(m, it, "b.acceleration", a);
    look_at(m, it, "b.angular_velocity", w);
    look_at(m, it, "b.angular_acceleration", alpha);
    look_at(m, it, "j.force", F);
    look_at(m, it, "j.torque", T);
    m3 R = quat_matrix(quat_load(nt_integrator_state(it).q + 10));
    v3 spin = v3_of(inertia.x * w[0], inertia.y * w[1], inertia.z * w[2]);
    v3 gained = v3_of(inertia.x * alpha[0], inertia.y * alpha[1], inertia.z * alpha[2]);
    v3 moment = m3_apply(R, v3_add(gained, v3_cross(v3_load(w), spin)));
    v3 told = v3_add(v3_load(T), v3_cross(arm, v3_load(F)));
    for (int i = 0; i < 3; i++) {
        CLOSE(F[i], mass * a[i], off);
        CLOSE(v3_component(told, i), v3_component(moment, i), off);
    }
}

/* What rolls or glides on a body that is free itself is latched: both are one body then, with the
 * momentum and the angular momentum of before. The force acts where they touch, with a torque as
 * long as the latch holds. Let go and engaged at once, it rolls again, at no cost. */
static void what_rolls_is_latched(void **state)
{
    static const char *const joints[] = {
        "rolling_disk, radius: 0.4, axis: [0, 1, 0]", "rolling_sphere, radius: 0.4",
        "knife_edge, axis: [0, 1, 0]", "knife_edge, axis: [0, 1, 0], plane: {point: [0, 0, 0.4]}"};
    static const char *const methods[] = {"rkmk-dop853", "generalized-alpha", "bdf"};
    enum { JOINTS = sizeof joints / sizeof joints[0] };
    (void)state;
    for (int c = 0; c < 3 * JOINTS; c++) {
        bool fine = c < JOINTS;
        double off = fine ? 1e-11 : 2e-4;
        char text[1500];
        snprintf(text, sizeof text,
                 "nutate: 1\n"
                 "gravity: [0, 0, 0]\n"
                 "initial: {correct: true}\n"
                 "bodies:\n"
                 "  a: {mass: 3, inertia: [1, 2, 2.5], angular_velocity: [0.4, 0.5, 0.3]}\n"
                 "  b: {mass: 1, inertia: [5, 2, 4], position: [0.6, 0.1, 0.4], angular_velocity: "
                 "[-0.5, 1, 2]}\n"
                 "joints: {j: {type: %s, between: [a, b]}}\n"
                 "events:\n"
                 "  lock: {when: t - 0.3, then: [{latch: j}]}\n"
                 "  go: {when: t - 0.6, then: [{release: j}, {engage: j}]}\n",
                 joints[c % JOINTS]);
        mechanism m = mechanism_read(text);
        nt_error error = {0};
        seen s;
        double before[3], after[3], p[2][3], w[3], v[3], apart[2];
        nt_integrator *it = begin_run(&m, methods[c / JOINTS], &s);
        assert_int_equal(nt_integrator_run(it, 0.25, 1e-3, NULL, NULL, &error), NT_OK);
        look_at(&m, it, "momentum", p[0]);
        look_at(&m, it, "angular_momentum", before);
        if (nt_integrator_run(it, 0.5, 1e-3, NULL, NULL, &error) != NT_OK)
            fail_msg("%s, %s: %s", methods[c / JOINTS], joints[c % JOINTS], error.message);
        assert_int_equal(s.n, 1);
        assert_true(s.energy[0][1] < s.energy[0][0] - 1e-3);
        look_at(&m, it, "j.relative_velocity", v);
        look_at(&m, it, "j.relative_angular_velocity", w);
        for (int i = 0; i < 3; i++) {
            CLOSE(v[i], 0, fine ? 1e-11 : 1e-5);
            CLOSE(w[i], 0, fine ? 1e-11 : 1e-5);
        }
        m3 table = quat_matrix(quat_load(nt_integrator_state(it).q + 3)),
           R = quat_matrix(quat_load(nt_integrator_state(it).q + 10));
        v3 n = v3_of(table.xz, table.yz, table.zz), axis = v3_of(R.xy, R.yy, R.zy);
        v3 up = v3_axpy(-v3_dot(n, axis), axis, n), none = v3_of(0, 0, 0);
        v3 foot = c % JOINTS == 0   ? v3_scale(-0.4 / v3_norm(up), up)
                  : c % JOINTS == 1 ? v3_scale(-0.4, n)
                                    : none;
        check_reaction(&m, it, v3_of(5, 2, 4), 1, foot, fine ? 1e-11 : 1e-6);
        assert_int_equal(nt_integrator_run(it, 0.8, 1e-3, NULL, NULL, &error), NT_OK);
        assert_int_equal(s.n, 2);
        CLOSE(s.energy[1][1], s.energy[1][0], 1e-12);
        look_at(&m, it, "j.relative_angular_velocity", w);
        assert_true(fabs(w[0]) + fabs(w[1]) + fabs(w[2]) > 1e-3);
        look_at(&m, it, "constraint_drift", apart); /* rows that do not hold do not count */
        CLOSE(apart[0], 0, 1e-11);
        CLOSE(apart[1], 0, fine ? 1e-11 : 1e-3);
        look_at(&m, it, "j.torque", v);
        look_at(&m, it, "momentum", p[1]);
        look_at(&m, it, "angular_momentum", after);
        for (int i = 0; i < 3; i++) {
            CLOSE(v[i], 0, 1e-14);
            CLOSE(p[1][i], p[0][i], 1e-12);
            CLOSE(after[i], before[i], off);
        }
        nt_integrator_destroy(it);
        mechanism_close(&m);
    }
}

/* A sphere falls to a plane on which it does not slip from then on: with the angular momentum about
 * the place where it lands, v = (5 v0 + 2 r w0)/7. */
static void a_sphere_lands_and_rolls(void **state)
{
    static const char text[] =
        "nutate: 1\n"
        "gravity: [0, 0, -10]\n"
        "bodies: {b: {mass: 2, inertia: [0.072, 0.072, 0.072], position: [0, 0, 0.8], velocity: "
        "[1.4, 0, 0], angular_velocity: [0, 7, 0.5]}}\n"
        "joints: {j: {type: rolling_sphere, between: [ground, b], radius: 0.3, active: false}}\n"
        "events:\n"
        "  land: {when: b.position.z - 0.3, direction: falling, then: [{engage: j}]}\n"
        "  hold: {when: t - 0.6, then: [{latch: j}]}\n"
        "  go: {when: t - 0.9, then: [{release: j}]}\n";
    (void)state;
    mechanism m = mechanism_read(text);
    nt_error error = {0};
    seen s;
    double v[3], w[3], x[3];
    assert_int_equal(nt_model_count(nt_run_model(m.run)).inactive, 1);
    nt_integrator *it = begin_run(&m, "rkmk-dop853", &s);
    assert_int_equal(nt_integrator_run(it, 0.5, 0.01, NULL, NULL, &error), NT_OK);
    CLOSE(s.t[0], sqrt(0.1), 1e-14);
    look_at(&m, it, "b.velocity", v);
    look_at(&m, it, "b.angular_velocity", w);
    CLOSE(v[0], (5 * 1.4 + 2 * 0.3 * 7) / 7, 1e-14);
    CLOSE(v[2], 0, 1e-14);
    CLOSE(sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), hypot(1.6 / 0.3, 0.5), 1e-13);
    assert_int_equal(nt_integrator_run(it, 1, 0.01, NULL, NULL, &error), NT_OK);
    look_at(&m, it, "b.position", x);
    look_at(&m, it, "b.velocity", v);
    CLOSE(x[0], 1.4 * sqrt(0.1) + 1.6 * (0.6 - sqrt(0.1)), 1e-13);
    CLOSE(v[2], -1, 1e-13);
    CLOSE(s.energy[1][0] - s.energy[1][1], 1.4 * 1.6 * 1.6 + 0.009, 1e-13);
    assert_int_equal(s.n, 3);
    nt_integrator_destroy(it);
    mechanism_close(&m);
}

/* A latch that waits for its event holds nothing at the start: velocities and places that are left
 * out are those of the joint without it. */
static void a_latch_to_come_holds_nothing(void **state)
{
    static const char *const latch = "events: {lock: {when: t - 0.4, then: [{latch: q}]}}\n";
    static const char *const models[] = {
        "nutate: 1\n"
        "bodies:\n"
        "  a: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0], angular_velocity: [0, 0, "
        "1.3]}\n"
        "  b: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1.2, 0, 0]}\n"
        "joints:\n"
        "  p: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  q: {type: revolute, between: [a, b], at: [1, 0, 0], axis: [0, 0, 1]}\n",
        "nutate: 1\n"
        "bodies:\n"
        "  a: {mass: 3, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
        "  b: {mass: 1, inertia: [1, 1, 1], position: [0.6, 0, -0.8]}\n"
        "joints:\n"
        "  s: {type: spherical, between: [ground, a], at: [0, 0, -0.4]}\n"
        "  q: {type: distance, between: [a, b], points: [[0, 0, 0], [0.02, 0, 0]], length: "
        "1.001}\n",
    };
    (void)state;
    for (size_t c = 0; c < sizeof models / sizeof models[0]; c++) {
        double q[2][14], v[2][12];
        for (int with = 0; with < 2; with++) {
            char text[1500];
            snprintf(text, sizeof text, "%s%s", models[c], with ? latch : "");
            mechanism m = mechanism_read(text);
            memcpy(q[with], m.q, sizeof q[0]);
            memcpy(v[with], m.v, sizeof v[0]);
            mechanism_close(&m);
        }
        for (int i = 0; i < 14; i++)
            CLOSE(q[1][i], q[0][i], 1e-14);
        for (int i = 0; i < 12; i++)
            CLOSE(v[1][i], v[0][i], 1e-14);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(panels_latch),
        cmocka_unit_test(panels_latch_at_once),
        cmocka_unit_test(a_latch_locks_all_that_is_free),
        cmocka_unit_test(latched_rotations_have_their_tangent),
        cmocka_unit_test(a_latched_rod_makes_one_body),
        cmocka_unit_test(what_rolls_is_latched),
        cmocka_unit_test(a_sphere_lands_and_rolls),
        cmocka_unit_test(a_latch_to_come_holds_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
