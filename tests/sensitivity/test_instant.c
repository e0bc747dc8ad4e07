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

/* off: what values and derivatives may be off by, and the work's derivatives. */
static void ball_bounces_by(const char *method, double tolerance, double off, double work_off)
{
    const double p[3] = {0.8, 1, 9.81}, step = 1e-4;
    double wanted[OBJECTIVES], beside[2][OBJECTIVES];
    const int parameters[3] = {0, 1, 2};
    mechanism m = mechanism_read(ball);
    nt_error error = {0};
    nt_integrator *it;
    nt_sensitivity *s;
    nt_objectives *o;
    nt_integrator_setup setup = {
        .system = nt_run_system(m.run), .method = nt_method_find(method), .track_work = 1};
    for (int i = 0; i < 4; i++)
        setup.tolerance[i] = tolerance;
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
        CLOSE(nt_objectives_value(o, i), wanted[i], off); /* parabolas, and lines beside an event */
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
            CLOSE(nt_objectives_derivative(o, i, k), slope[i], 2 * off);
    }
    /* it has lost 1 - e^4 of its energy */
    const double work[3] = {4 * 0.5 * 9.81 * pow(0.8, 3), -0.5 * 9.81 * (1 - pow(0.8, 4)),
                            -0.5 * (1 - pow(0.8, 4))};
    for (int k = 0; k < 3; k++)
        CLOSE(nt_sensitivity_state(s, k).work, work[k], work_off);
    /* at rest it has lost all of it, whatever e */
    assert_int_equal(nt_integrator_run(it, 5, 0.01, look, o, &error), NT_OK);
    CLOSE(nt_sensitivity_state(s, 0).work, 0, 10 * work_off);
    CLOSE(nt_sensitivity_state(s, 1).work, -0.5 * 9.81, 10 * work_off);
    nt_objectives_destroy(o);
    nt_sensitivity_destroy(s);
    nt_integrator_destroy(it);
    mechanism_close(&m);
}

static void a_ball_bounces(void **state)
{
    (void)state;
    ball_bounces_by("rkmk-dop853", 0, 1e-8, 1e-11);
    ball_bounces_by("bdf", 1e-11, 1e-8, 1e-8);
}

/* Objectives whose largest value stands at an event that follows the parameters.
 *
 * A mass of 1 kg swings on a spring k from x = 0.5 with a damper that is c while it goes back: the
 * smallest x, -exp(-pi z/sqrt(1 - z^2))/2 with z = c/(2 sqrt(k)), is where the damper changes. One
 * that a force p < 0 pushes besides is struck by 7 N s where it passes x = 0: behind that its speed
 * is 7 - sqrt(k/4 - p), and falls. The speed of one that 5 c/2 push as far as X = 0.3 (p + 4), and
 * that is braked from there on, goes on over its peak, sqrt(5 c X). */
static void tops_move_with_events(void **state)
{
    (void)state;
    static const char text[] =
        "nutate: 1\n"
        "gravity: [0, 0, 0]\n"
        "parameters: {k: 40, c: 2, p: -3}\n"
        "bodies:\n"
        "  a: {mass: 1, point: true, position: [0.5, 0, 0]}\n"
        "  b: {mass: 1, point: true, position: [0.5, 1, 0]}\n"
        "  d: {mass: 1, point: true, position: [0, 2, 0]}\n"
        "forces:\n"
        "  damped: {type: force, on: a, value: ['-k*a.position.x - if(a.velocity.x < 0, c, 9)*"
        "a.velocity.x', 0, 0]}\n"
        "  pushed: {type: force, on: b, value: ['-k*b.position.x + p', 0, 0]}\n"
        "  until: {type: force, on: d, value: ['if(d.position.x < 0.3*(p + 4), 5*c/2, -5*c)', 0, "
        "0]}\n"
        "events:\n"
        "  struck: {when: b.position.x, direction: falling, then: [{impulse: {on: b, value: "
        "[7, 0, 0]}}]}\n"
        "objectives:\n"
        "  least: {type: minimum, of: a.position.x}\n"
        "  most: {type: maximum, of: b.velocity.x^3}\n"
        "  peak: {type: maximum, of: d.velocity.x}\n";
    static const int parameters[3] = {0, 1, 2};
    const double k = 40, c = 2, z = c / (2 * sqrt(k)), half = acos(-1.0), root = sqrt(1 - z * z);
    const double least = -0.5 * exp(-half * z / root), by_z = -half / (root * root * root) * least;
    const double before = sqrt(k / 4 + 3), v = 7 - before;
    const double wanted[3][3] = {{-by_z * z / (2 * k), by_z / (2 * sqrt(k)), 0},
                                 {-3 * v * v / (8 * before), 0, 3 * v * v / (2 * before)},
                                 {0, 0.75 / sqrt(3), 1.5 / sqrt(3)}};
    mechanism m = mechanism_read(text);
    nt_error error = {0};
    nt_integrator *it;
    nt_sensitivity *s;
    nt_objectives *o;
    nt_integrator_setup setup = {.system = nt_run_system(m.run),
                                 .method = nt_method_find("rkmk-dop853")};
    assert_int_equal(nt_integrator_create(&it, &setup, &error), NT_OK);
    assert_int_equal(nt_sensitivity_create(&s, it, parameters, 3, &error), NT_OK);
    assert_int_equal(nt_objectives_create(&o, m.run, it, s, &error), NT_OK);
    assert_int_equal(nt_integrator_start(it, 0, NULL, NULL, NULL, &error), NT_OK);
    assert_int_equal(nt_sensitivity_start(s, &error), NT_OK);
    assert_int_equal(nt_objectives_advance(o, &error), NT_OK);
    assert_int_equal(nt_integrator_run(it, 0.65, 0.02, look, o, &error), NT_OK);
    const double value[3] = {least, v * v * v, sqrt(0.3 * 10)};
    for (int i = 0; i < 3; i++)
        CLOSE(nt_objectives_value(o, i), value[i], 1e-11);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            CLOSE(nt_objectives_derivative(o, i, j), wanted[i][j], 1e-8);
    nt_objectives_destroy(o);
    nt_sensitivity_destroy(s);
    nt_integrator_destroy(it);
    mechanism_close(&m);
}

/* A mass of 1 kg that a sampled controller pushes, T s late: before the first sample arrives there
 * is what was held before it. Between samples and what arrives it moves by parabolas. */
static const char late[] =
    "nutate: 1\n"
    "gravity: [0, 0, 0]\n"
    "parameters: {T: %s, k: 20}\n"
    "bodies: {m: {mass: 1, inertia: [1, 1, 1]}}\n"
    "joints: {rail: {type: prismatic, between: [ground, m], at: [0, 0, 0], axis: [1, 0, 0]}}\n"
    "sampled: {pilot: {every: 0.05, values: {u: k*(0.3 - rail.displacement) - 3*rail.rate}, "
    "initial: {u: -2}}}\n"
    "forces: {push: {type: joint_force, joint: rail, value: 'delay(u, T)'}}\n"
    "simulation: {duration: 0.62, step: 0.01}\n";

static void move_on(double *x, double *v, double force, double time)
{
    *x += time * (*v + time / 2 * force);
    *v += time * force;
}

/* x at 0.62 s; where a sample is taken as another arrives, that arrives first (sooner) or later. */
static double late_by_hand(double T, double k, bool sooner)
{
    double u[16] = {0}, x = 0, v = 0, t = 0, force = -2, taken = 0, come = 0;
    while (t < 0.62) {
        double next = 0.05 * taken, arrives = 0.05 * come + T;
        double edge = sooner ? 1e-12 : -1e-12;
        bool arrival = arrives < next + edge;
        double stop = fmin(0.62, arrival ? arrives : next);
        move_on(&x, &v, force, stop - t);
        t = stop;
        if (t >= 0.62)
            break;
        if (arrival)
            force = u[(int)come++];
        else
            u[(int)taken++] = k * (0.3 - x) - 3 * v;
    }
    return x;
}

static void a_sampled_value_comes_late(void **state)
{
    static const struct {
        const char *method, *T;
        double off, derivative_off, tolerance;
    } cases[] = {{"rkmk-dop853", "0.137", 1e-13, 1e-10, 0},
                 {"rkmk-dop853", "0.15", 1e-13, 1e-10, 0}, /* arrives with a sample */
                 {"rkmk-dopri5", "0.137", 1e-13, 1e-10, 0},
                 {"theta", "0.137", 1e-13, 1e-10, 0},
                 {"generalized-alpha", "0.137", 1e-13, 1e-10, 0},
                 {"generalized-alpha-soi2", "0.137", 1e-13, 1e-10, 0},
                 {"bdf", "0.137", 1e-9, 1e-6, 1e-11}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        char text[1500];
        snprintf(text, sizeof text, late, cases[c].T);
        const double T = atof(cases[c].T), d = 1e-6;
        const int parameters[2] = {0, 1};
        mechanism m = mechanism_read(text);
        nt_error error = {0};
        nt_integrator *it;
        nt_sensitivity *s;
        nt_integrator_setup setup = {.system = nt_run_system(m.run),
                                     .method = nt_method_find(cases[c].method)};
        for (int i = 0; i < 4; i++)
            setup.tolerance[i] = cases[c].tolerance;
        assert_int_equal(nt_integrator_create(&it, &setup, &error), NT_OK);
        assert_int_equal(nt_sensitivity_create(&s, it, parameters, 2, &error), NT_OK);
        assert_int_equal(nt_integrator_start(it, 0, NULL, NULL, NULL, &error), NT_OK);
        assert_int_equal(nt_sensitivity_start(s, &error), NT_OK);
        if (nt_integrator_run(it, 0.62, 0.01, NULL, NULL, &error) != NT_OK)
            fail_msg("%s", error.message);
        double wanted[2] = {0};
        /* polynomials in T and k between coincidences, of T to smaller values where there is one */
        static const double one_sided[5] = {25. / 12, -4, 3, -4. / 3, 0.25};
        for (int i = 0; i < 5; i++)
            wanted[0] += one_sided[i] * late_by_hand(T - i * 1e2 * d, 20, true) / (1e2 * d);
        wanted[1] = (late_by_hand(T, 20 + d, true) - late_by_hand(T, 20 - d, true)) / (2 * d);
        print_message("%-24s T %s: off by %.1e, %.1e, %.1e\n", cases[c].method, cases[c].T,
                      nt_integrator_state(it).q[0] - late_by_hand(T, 20, true),
                      nt_sensitivity_state(s, 0).q[0] - wanted[0],
                      nt_sensitivity_state(s, 1).q[0] - wanted[1]);
        CLOSE(nt_integrator_state(it).q[0], late_by_hand(T, 20, true), cases[c].off);
        CLOSE(nt_sensitivity_state(s, 0).q[0], wanted[0], cases[c].derivative_off);
        CLOSE(nt_sensitivity_state(s, 1).q[0], wanted[1], fmax(1e-9, cases[c].derivative_off));
        nt_sensitivity_destroy(s);
        nt_integrator_destroy(it);
        mechanism_close(&m);
    }
}

/* y rises by 1 and by 3 from 0.1 on; z is the integral of what y was T ago. With Y = y(end - T),
 * dz/dT = -Y, whichever steps lead to the bend and away from it. */
static const char bent[] = "nutate: 1\n"
                           "parameters: {T: 0.137}\n"
                           "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
                           "states:\n"
                           "  y: {rate: 'if(y > 0.1, 3, 1)'}\n"
                           "  z: {rate: 'delay(y, T)'}\n"
                           "simulation: {duration: 0.62, step: 0.02}\n";

static void a_bend_comes_late(void **state)
{
    /* parabolas are exact but where steps of second order remember more than the last one */
    static const struct {
        const char *method;
        double off;
    } cases[] = {{"rkmk-dop853", 1e-14},
                 {"rkmk-dopri5", 1e-14},
                 {"theta", 1e-14},
                 {"generalized-alpha", 2e-5},
                 {"generalized-alpha-soi2", 2e-5}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        mechanism m = mechanism_read(bent);
        nt_error error = {0};
        nt_integrator *it;
        nt_sensitivity *s;
        const int parameter = 0;
        const double z = 0.1 * 0.1 / 2 + 0.1 * 0.383 + 3 * 0.383 * 0.383 / 2;
        double value, d;
        nt_integrator_setup setup = {.system = nt_run_system(m.run),
                                     .method = nt_method_find(cases[i].method)};
        assert_int_equal(nt_integrator_create(&it, &setup, &error), NT_OK);
        assert_int_equal(nt_sensitivity_create(&s, it, &parameter, 1, &error), NT_OK);
        assert_int_equal(nt_integrator_start(it, 0, NULL, NULL, NULL, &error), NT_OK);
        assert_int_equal(nt_sensitivity_start(s, &error), NT_OK);
        if (nt_integrator_run(it, 0.62, 0.02, NULL, NULL, &error) != NT_OK)
            fail_msg("%s", error.message);
        value = nt_integrator_state(it).v[7];
        d = nt_sensitivity_state(s, 0).v[7];
        print_message("%-24s off by %.1e, %.1e\n", cases[i].method, value - z, d + 1.249);
        CLOSE(value, z, cases[i].off);
        CLOSE(d, -1.249, 1e-12);
        nt_sensitivity_destroy(s);
        nt_integrator_destroy(it);
        mechanism_close(&m);
    }
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

/* A point of 1 kg at rest, which a force of 2 N drives from t = c/2 or from the start on against a
 * friction of k/10 N: sign(v) leaves its zero as the force begins, and at no time of its own. Then
 * v = (2 - k/10) (1 - c/2) or c - k/10 at t = 1 s. */
static void what_is_at_rest_begins_to_move(void **state)
{
    static const struct {
        const char *force;
        double v, rate[2];
    } cases[] = {{"if(t > c/2, 2, 0)", 1.7 * 0.6, {-0.06, -0.85}}, {"c", 0.5, {-0.1, 1}}};
    static const char *const methods[] = {"generalized-alpha", "generalized-alpha-soi2",
                                          "rkmk-dop853"};
    const int parameters[2] = {0, 1};
    (void)state;
    for (int i = 0; i < 6; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "nutate: 1\n"
                 "parameters: {k: 3, c: 0.8}\n"
                 "gravity: [0, 0, 0]\n"
                 "bodies: {b: {mass: 1, point: true}}\n"
                 "forces: {f: {type: force, on: b, value: ['%s - k/10*sign(b.velocity.x)', 0, 0]}}",
                 cases[i % 2].force);
        mechanism m = mechanism_read(text);
        nt_error error = {0};
        nt_integrator *it;
        nt_sensitivity *s;
        nt_integrator_setup setup = {.system = nt_run_system(m.run),
                                     .method = nt_method_find(methods[i / 2])};
        assert_int_equal(nt_integrator_create(&it, &setup, &error), NT_OK);
        assert_int_equal(nt_sensitivity_create(&s, it, parameters, 2, &error), NT_OK);
        assert_int_equal(nt_integrator_start(it, 0, NULL, NULL, NULL, &error), NT_OK);
        assert_int_equal(nt_sensitivity_start(s, &error), NT_OK);
        if (nt_integrator_run(it, 1, 0.01, NULL, NULL, &error) != NT_OK)
            fail_msg("%s, %s: %s", methods[i / 2], cases[i % 2].force, error.message);
        CLOSE(nt_integrator_state(it).v[0], cases[i % 2].v, 1e-9);
        for (int k = 0; k < 2; k++)
            CLOSE(nt_sensitivity_state(s, k).v[0], cases[i % 2].rate[k], 1e-9);
        nt_sensitivity_destroy(s);
        nt_integrator_destroy(it);
        mechanism_close(&m);
    }
}

/* A door is driven against a latch at 1.2 rad and rebounds with e of its speed. Its centre of mass
 * is off the hinge, so that accelerations of the body jump along with the length of a step. */
static const char door[] =
    "nutate: 1\n"
    "parameters: {e: 0.6, w0: 2}\n"
    "gravity: [0, 0, 0]\n"
    "bodies: {door: {mass: 20, inertia: [2, 5, 4], position: [0.4, 0, 0], "
    "angular_velocity: [0, 0, w0]}}\n"
    "joints: {hinge: {type: revolute, between: [ground, door], at: [0, 0, 0], axis: [0, 0, 1], "
    "restitution: e}}\n"
    "forces: {closer: {type: joint_torque, joint: hinge, value: 10}}\n"
    "events: {slam: {when: hinge.angle - 1.2, direction: rising, then: [{latch: hinge}]}}\n"
    "objectives: {angle: {type: final, of: hinge.angle}, rate: {type: final, of: hinge.rate}}\n";

/* Its angle and rate at t = T and their derivatives in e and w0. */
static void door_by_hand(double T, double out[2], double d[2][2])
{
    const double e = 0.6, w0 = 2, a = 10 / 7.2;
    double w = sqrt(w0 * w0 + 2.4 * a), slam = (w - w0) / a, rest = T - slam;
    double dw = w0 / w, dslam = (dw - 1) / a;
    out[0] = 1.2 - e * w * rest + a * rest * rest / 2;
    out[1] = -e * w + a * rest;
    d[0][0] = -w * rest, d[0][1] = -w;
    d[1][0] = -e * dw * rest + (e * w - a * rest) * dslam;
    d[1][1] = -e * dw - a * dslam;
}

/* Equal steps that an event cuts short leave accelerations of their own behind, by the order of the
 * step: derivatives have the order of the method nevertheless. */
static void cut_steps_keep_the_order(void **state)
{
    (void)state;
    static const char *const methods[] = {"generalized-alpha", "generalized-alpha-linear",
                                          "generalized-alpha-soi2", "semi-explicit-2", "theta"};
    const double T = 1.2, step = 4e-3;
    const int parameters[2] = {0, 1};
    double wanted[2], d[2][2];
    door_by_hand(T, wanted, d);
    for (size_t k = 0; k < sizeof methods / sizeof methods[0]; k++) {
        mechanism m = mechanism_read(door);
        nt_error error = {0};
        nt_integrator *it;
        nt_sensitivity *s;
        nt_objectives *o;
        nt_integrator_setup setup = {.system = nt_run_system(m.run),
                                     .method = nt_method_find(methods[k])};
        assert_int_equal(nt_integrator_create(&it, &setup, &error), NT_OK);
        assert_int_equal(nt_sensitivity_create(&s, it, parameters, 2, &error), NT_OK);
        assert_int_equal(nt_objectives_create(&o, m.run, it, s, &error), NT_OK);
        assert_int_equal(nt_integrator_start(it, 0, NULL, NULL, NULL, &error), NT_OK);
        assert_int_equal(nt_sensitivity_start(s, &error), NT_OK);
        nt_objectives_restart(o);
        assert_int_equal(nt_objectives_advance(o, &error), NT_OK);
        assert_int_equal(nt_integrator_run(it, T, step, look, o, &error), NT_OK);
        assert_int_equal(nt_integrator_statistics(it)->events, 1);
        for (int i = 0; i < 2; i++) {
            CLOSE(nt_objectives_value(o, i), wanted[i], 5e-5);
            for (int j = 0; j < 2; j++)
                CLOSE(nt_objectives_derivative(o, i, j), d[j][i], 1e-4);
        }
        nt_objectives_destroy(o);
        nt_sensitivity_destroy(s);
        nt_integrator_destroy(it);
        mechanism_close(&m);
    }
}

/* A ball falls onto the rigid limit of a slot in a cage that a motion moves up and down. */
static const char cage[] =
    "nutate: 1\n"
    "parameters: {a: 0.1, w: 7, e: 0.6}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  cage: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], velocity: [0, 0, a*w]}\n"
    "  ball: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0.5], velocity: [0, 0, 0.3]}\n"
    "joints:\n"
    "  lift: {type: prismatic, between: [ground, cage], at: [0, 0, 0], axis: [0, 0, 1], "
    "motion: a*sin(w*t)}\n"
    "  slot: {type: prismatic, between: [cage, ball], at: [0, 0, 0], axis: [0, 0, 1], "
    "limits: {lower: -0.5, restitution: e}}\n"
    "quantities: {z: ball.position.z, v: ball.velocity.z}\n"
    "objectives: {height: {type: final, of: z}, speed: {type: final, of: v}}\n";

/* Height and speed of the ball at 0.5 s, behind its first bounce. */
static void cage_by_hand(const double p[3], double out[2])
{
    double t = 0.35;
    for (int i = 0; i < 30; i++) {
        double gap = 0.5 + 0.3 * t - 9.81 * t * t / 2 - p[0] * sin(p[1] * t);
        t -= gap / (0.3 - 9.81 * t - p[0] * p[1] * cos(p[1] * t));
    }
    double z = 0.5 + 0.3 * t - 9.81 * t * t / 2, floor = p[0] * p[1] * cos(p[1] * t);
    double v = floor - p[2] * (0.3 - 9.81 * t - floor), rest = 0.5 - t;
    out[0] = z + v * rest - 9.81 * rest * rest / 2;
    out[1] = v - 9.81 * rest;
}

/* What is met moves on while the time of the impact varies. */
static void stops_that_are_driven_move(void **state)
{
    (void)state;
    const double p[3] = {0.1, 7, 0.6}, step = 1e-5;
    const int parameters[3] = {0, 1, 2};
    static const char *const methods[] = {"rkmk-dop853", "generalized-alpha",
                                          "generalized-alpha-soi2", "theta"};
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
        double wanted[2], beside[2][2], off = m == 0 ? 1e-7 : 2e-3;
        mechanism cages = mechanism_read(cage);
        nt_error error = {0};
        nt_integrator *it;
        nt_sensitivity *s;
        nt_objectives *o;
        nt_integrator_setup setup = {.system = nt_run_system(cages.run),
                                     .method = nt_method_find(methods[m])};
        assert_int_equal(nt_integrator_create(&it, &setup, &error), NT_OK);
        assert_int_equal(nt_sensitivity_create(&s, it, parameters, 3, &error), NT_OK);
        assert_int_equal(nt_objectives_create(&o, cages.run, it, s, &error), NT_OK);
        assert_int_equal(nt_integrator_start(it, 0, NULL, NULL, NULL, &error), NT_OK);
        assert_int_equal(nt_sensitivity_start(s, &error), NT_OK);
        nt_objectives_restart(o);
        assert_int_equal(nt_objectives_advance(o, &error), NT_OK);
        assert_int_equal(nt_integrator_run(it, 0.5, 2e-3, look, o, &error), NT_OK);
        assert_int_equal(nt_integrator_statistics(it)->events, 1);
        cage_by_hand(p, wanted);
        for (int j = 0; j < 2; j++)
            CLOSE(nt_objectives_value(o, j), wanted[j], off);
        for (int k = 0; k < 3; k++) {
            for (int i = 0; i < 2; i++) {
                double moved[3] = {p[0], p[1], p[2]};
                moved[k] += i == 0 ? step : -step;
                cage_by_hand(moved, beside[i]);
            }
            for (int j = 0; j < 2; j++)
                CLOSE(nt_objectives_derivative(o, j, k), (beside[0][j] - beside[1][j]) / (2 * step),
                      off);
        }
        nt_objectives_destroy(o);
        nt_sensitivity_destroy(s);
        nt_integrator_destroy(it);
        mechanism_close(&cages);
    }
}

/* A mass of 1 kg on a rail that a sampled controller pushes, and c besides from T on: a switch of
 * time beside a memory that varies. */
static const char switched[] =
    "nutate: 1\n"
    "gravity: [0, 0, 0]\n"
    "parameters: {T: %s, k: 20, c: 3}\n"
    "bodies: {m: {mass: 1, inertia: [1, 1, 1]}}\n"
    "joints: {rail: {type: prismatic, between: [ground, m], at: [0, 0, 0], axis: [1, 0, 0]}}\n"
    "sampled: {pilot: {every: 0.05, values: {u: k*(0.3 - rail.displacement)}}}\n"
    "forces: {push: {type: joint_force, joint: rail, value: 'u + if(t > T, c, 0)'}}\n"
    "simulation: {duration: 0.62, step: 0.01}\n";

static double switched_by_hand(const double p[3])
{
    double x = 0, v = 0, t = 0, u = 0;
    for (int taken = 0; t < 0.62;) {
        double next = 0.05 * taken;
        double stop = fmin(0.62, t < p[0] ? fmin(next, p[0]) : next);
        move_on(&x, &v, u + (t < p[0] ? 0 : p[2]), stop - t);
        t = stop;
        if (t == next)
            u = p[1] * (0.3 - x), taken++;
    }
    return x;
}

/* Where the switch falls on a sample, its time has another one before it on either side. */
static void a_switch_of_time_moves_beside_samples(void **state)
{
    static const char *const methods[] = {"rkmk-dop853", "theta", "generalized-alpha"};
    const int parameters[3] = {0, 1, 2};
    (void)state;
    for (int c = 0; c < 6; c++) {
        char text[1500];
        bool at_sample = c >= 3;
        snprintf(text, sizeof text, switched, at_sample ? "0.15" : "0.137");
        mechanism m = mechanism_read(text);
        nt_error error = {0};
        nt_integrator *it;
        nt_sensitivity *s;
        nt_integrator_setup setup = {.system = nt_run_system(m.run),
                                     .method = nt_method_find(methods[c % 3])};
        assert_int_equal(nt_integrator_create(&it, &setup, &error), NT_OK);
        assert_int_equal(nt_sensitivity_create(&s, it, parameters, 3, &error), NT_OK);
        assert_int_equal(nt_integrator_start(it, 0, NULL, NULL, NULL, &error), NT_OK);
        assert_int_equal(nt_sensitivity_start(s, &error), NT_OK);
        nt_status status = nt_integrator_run(it, 0.62, 0.01, NULL, NULL, &error);
        assert_int_equal(status, at_sample ? NT_UNSUPPORTED : NT_OK);
        for (int k = 0; k < 3 && !at_sample; k++) {
            const double d = 1e-5;
            double p[2][3] = {{0.137, 20, 3}, {0.137, 20, 3}};
            p[0][k] += d, p[1][k] -= d;
            double wanted = (switched_by_hand(p[0]) - switched_by_hand(p[1])) / (2 * d);
            CLOSE(nt_sensitivity_state(s, k).q[0], wanted, 1e-9); /* cubics, d^2 of them */
        }
        nt_sensitivity_destroy(s);
        nt_integrator_destroy(it);
        mechanism_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_sampled_value_comes_late),
                                       cmocka_unit_test(a_switch_of_time_moves_beside_samples),
                                       cmocka_unit_test(a_bend_comes_late),
                                       cmocka_unit_test(a_ball_bounces),
                                       cmocka_unit_test(tops_move_with_events),
                                       cmocka_unit_test(what_is_set_follows_the_time_of_its_event),
                                       cmocka_unit_test(what_is_at_rest_begins_to_move),
                                       cmocka_unit_test(cut_steps_keep_the_order),
                                       cmocka_unit_test(stops_that_are_driven_move)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
