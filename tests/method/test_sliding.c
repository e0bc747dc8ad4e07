/* Sliding modes: switches whose both sides push back, against exact motions. */
#include "tests/method/event_runs.h"
#include "tests/sensitivity/run_of.h"

static void advance(nt_integrator *it, double end)
{
    nt_error error = {0};
    if (nt_integrator_run(it, end, 0.01, NULL, NULL, &error) != NT_OK)
        fail_msg("%s", error.message);
}

/* 2 kg rubbed with 4 N from 1 m/s: rest at 0.5 s after 0.25 m. A push that grows by 2 N/s breaks it
 * loose at 2 s; from there v = (t - 2)^2/2, x grows by (t - 2)^3/6. */
static const char rubbed[] =
    "nutate: 1\n"
    "gravity: [0, 0, 0]\n"
    "parameters: {rub: 4}\n"
    "bodies: {b: {mass: 2, point: true, velocity: [1, 0, 0]}}\n"
    "forces:\n"
    "  drag: {type: force, on: b, value: ['-rub*sign(b.velocity.x)', '0', '0']}\n"
    "  push: {type: force, on: b, value: ['if(t > 1, 2*t, 0)', '0', '0']}\n";

static void dry_friction_holds(void **state)
{
    static const struct {
        const char *method;
        double off, force; /* of theta in the middle of the step */
    } cases[] = {{"generalized-alpha", 1e-4, 1e-6},
                 {"generalized-alpha-linear", 1e-4, 1e-6},
                 {"generalized-alpha-residual", 1e-4, 1e-6},
                 {"generalized-alpha-soi2", 1e-4, 1e-6},
                 {"rkmk-dopri5", 1e-12, 1e-6},
                 {"rkmk-dop853", 1e-12, 1e-6},
                 {"bdf", 1e-5, 1e-6},
                 {"theta", 1e-2, 0.011}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        mechanism m = mechanism_read(rubbed);
        seen s;
        nt_integrator *it = begin_run(&m, cases[c].method, &s);
        advance(it, 0.8);
        assert_int_equal(s.n, 1);
        assert_int_equal(s.number[0], 0);
        CLOSE(s.t[0], 0.5, 1e-9);
        nt_state at = nt_integrator_state(it);
        double rest = at.q[0];
        CLOSE(rest, 0.25, cases[c].off);
        CLOSE(at.v[0], 0, 1e-16);
        CLOSE(at.mu[0], 0, 1e-14);
        advance(it, 1.5);
        at = nt_integrator_state(it);
        CLOSE(at.q[0], rest, 1e-16);
        CLOSE(4 * at.mu[0], 3, cases[c].force);
        advance(it, 3);
        at = nt_integrator_state(it);
        assert_int_equal(s.n, 2);
        assert_int_equal(s.number[1], 1);
        CLOSE(s.t[1], 2, cases[c].force);
        CLOSE(at.q[0], rest + 1. / 6, cases[c].off);
        CLOSE(at.v[0], 0.5, cases[c].off);
        nt_integrator_destroy(it);
        mechanism_close(&m);
    }
}

/* Methods that treat no such rows name themselves, and what was perhaps meant. */
static void others_say_so(void **state)
{
    static const char *const methods[] = {"semi-explicit-2", "semi-explicit", "stormer-verlet"};
    (void)state;
    for (size_t c = 0; c < sizeof methods / sizeof *methods; c++) {
        mechanism m = mechanism_read(rubbed);
        seen s;
        nt_error error = {0};
        nt_integrator *it = begin_run(&m, methods[c], &s);
        assert_int_equal(nt_integrator_run(it, 1, 0.01, NULL, NULL, &error), NT_UNSUPPORTED);
        assert_non_null(strstr(error.message, methods[c]));
        assert_non_null(strstr(error.message, "'value'"));
        assert_non_null(strstr(error.message, "`friction` with `slip`"));
        nt_integrator_destroy(it);
        mechanism_close(&m);
    }
}

/* A controller with two values that drives v + 2 x to zero: from where it is reached, at
 * 3 - 13 t - 15 t^2 = 0, x falls as exp(-2 t). */
static const char surface[] =
    "nutate: 1\n"
    "gravity: [0, 0, 0]\n"
    "parameters: {c: 2}\n"
    "bodies: {b: {mass: 2, point: true, position: [1, 0, 0], velocity: [1, 0, 0]}}\n"
    "forces:\n"
    "  pilot: {type: force, on: b, value: ['if(b.velocity.x + c*b.position.x > 0 and t >= 0, -30, "
    "30)', '0', '0']}\n";

static double on_surface(double c, double t)
{
    double rate = -15 + c, met = (rate + sqrt(rate * rate + 30 * c * (1 + c))) / (15 * c);
    return (1 + met - 7.5 * met * met) * exp(-c * (t - met));
}

static void a_surface_is_kept(void **state)
{
    static const struct {
        const char *method;
        double off;
    } cases[] = {{"rkmk-dop853", 1e-12},
                 {"rkmk-dopri5", 1e-9},
                 {"generalized-alpha-soi2", 1e-4},
                 {"generalized-alpha", 1e-4}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        mechanism m = mechanism_read(surface);
        seen s;
        nt_integrator *it = begin_run(&m, cases[c].method, &s);
        advance(it, 2);
        nt_state at = nt_integrator_state(it);
        assert_int_equal(s.n, 1);
        CLOSE(at.q[0], on_surface(2, 2), cases[c].off);
        CLOSE(at.v[0] + 2 * at.q[0], 0, 1e-12);
        nt_integrator_destroy(it);
        mechanism_close(&m);
    }
}

/* Through the event at which sliding begins, and along it: d x/dc. */
static void derivatives_slide_too(void **state)
{
    (void)state;
    const int c = 0;
    const double step = 1e-5;
    double exact = (on_surface(2 + step, 2) - on_surface(2 - step, 2)) / (2 * step);
    run_of r = run_of_text(surface, NULL);
    run_of_start(&r, (nt_integrator_setup){.method = nt_method_find("rkmk-dop853")}, &c, 1);
    run_to(&r, 2, 0.01);
    nt_state_tangent d = nt_sensitivity_state(r.sensitivity, 0);
    CLOSE(d.q[0], exact, 1e-9);
    CLOSE(d.v[0] + 2 * d.q[0] + on_surface(2, 2), 0, 1e-10);
    end(&r);
}

/* A heater with a switch keeps 20 degrees while it can: the room cools ever faster, and from
 * 10 - 0.1 (20 - (10 - 4 t)) = 5, at t = 10, it cannot. */
static const char heated[] =
    "nutate: 1\n"
    "gravity: [0, 0, 0]\n"
    "bodies: {b: {mass: 1, point: true}}\n"
    "states: {T: {rate: '-0.1*(T - 10 + 4*t) + 5*(T < 20)', initial: 10}}\n";

static void a_state_is_held(void **state)
{
    (void)state;
    mechanism m = mechanism_read(heated);
    seen s;
    nt_integrator *it = begin_run(&m, "generalized-alpha-soi2", &s);
    advance(it, 9);
    assert_int_equal(s.n, 1);
    CLOSE(nt_integrator_state(it).v[3], 20, 1e-12);
    CLOSE(5 * nt_integrator_state(it).mu[0], 0.1 * (10 + 36), 1e-9);
    advance(it, 12);
    double t = 12 - 10, fallen = 40 - 4 * t - 40 * exp(-0.1 * t); /* y' = -0.1 y - 0.4 t */
    assert_int_equal(s.n, 2);
    CLOSE(s.t[1], 10, 1e-8);
    CLOSE(nt_integrator_state(it).v[3], 20 + fallen, 1e-5);
    nt_integrator_destroy(it);
    mechanism_close(&m);
}

/* A state saved while it slides goes on with the same bits. */
static void saved_while_sliding(void **state)
{
    (void)state;
    mechanism m = mechanism_read(rubbed), other = mechanism_read(rubbed);
    seen s, t;
    nt_integrator *it = begin_run(&m, "generalized-alpha-soi2", &s);
    nt_integrator *again = begin_run(&other, "generalized-alpha-soi2", &t);
    nt_error error = {0};
    advance(it, 1.5);
    assert_true(nt_integrator_saves_whole(it));
    size_t size = nt_integrator_saved_size(it);
    void *bytes = malloc(size), *ends[2] = {malloc(size), malloc(size)};
    nt_integrator_save(it, bytes);
    assert_int_equal(nt_integrator_restore(again, bytes, size, &error), NT_OK);
    advance(it, 3);
    advance(again, 3);
    nt_integrator_save(it, ends[0]);
    nt_integrator_save(again, ends[1]);
    assert_memory_equal(ends[0], ends[1], size);
    assert_int_equal(t.n, 1);
    free(bytes), free(ends[0]), free(ends[1]);
    nt_integrator_destroy(it);
    nt_integrator_destroy(again);
    mechanism_close(&m);
    mechanism_close(&other);
}

/* 2 kg on a slope of 0.25 rad: 2 g sin(0.25) = 4.854 N pulls, which 5 N of a joint or 0.3 of the
 * weight hold for ever. With 0.26 rad the joint lets go at once, and x = a t^2/2. */
static const char on_rail[] =
    "nutate: 1\n"
    "parameters: {slope: 0.25}\n"
    "gravity: ['9.81*sin(slope)', 0, '-9.81*cos(slope)']\n"
    "bodies: {block: {mass: 2, inertia: [1, 1, 1]}}\n"
    "joints: {rail: {type: prismatic, between: [ground, block], at: [0, 0, 0], axis: [1, 0, 0], "
    "friction: {dry: 5, law: set-valued}}}\n";

static void a_joint_sticks(void **state)
{
    static const char *const methods[] = {"generalized-alpha", "generalized-alpha-soi2",
                                          "rkmk-dop853", "bdf"};
    (void)state;
    for (size_t c = 0; c < sizeof methods / sizeof *methods; c++) {
        for (int slips = 0; slips < 2; slips++) {
            const double slope = slips ? 0.26 : 0.25, a = 9.81 * sin(slope) - 2.5;
            mechanism m = mechanism_read(on_rail);
            const nt_system *system = nt_run_system(m.run);
            seen s;
            assert_int_equal(system->set_parameters(system->self, &slope), NT_OK);
            nt_integrator *it = begin_run(&m, methods[c], &s);
            advance(it, 4);
            nt_state at = nt_integrator_state(it);
            assert_int_equal(s.n, 0);
            CLOSE(at.q[0], slips ? 8 * a : 0, slips ? 1e-7 : 0);
            CLOSE(at.v[0], slips ? 4 * a : 0, slips ? 1e-7 : 0);
            nt_integrator_destroy(it);
            mechanism_close(&m);
        }
    }
}

/* A point that slides down and across such a slope on its contact comes to rest, and stays. */
static const char on_plane[] =
    "nutate: 1\n"
    "gravity: ['9.81*sin(0.25)', 0, '-9.81*cos(0.25)']\n"
    "bodies: {block: {mass: 2, point: true, position: [0, 0, 0.1], velocity: [1, 0.3, 0]}}\n"
    "contacts: {slope: {type: sphere_plane, between: [ground, block], radius: 0.1, plane: "
    "{normal: [0, 0, 1]}, stiffness: 1e5, exponent: 1, damping: 1, friction: {coefficient: 0.3, "
    "law: set-valued}}}\n"
    "simulation: {duration: 10, step: 0.01}\n";

static void a_contact_sticks(void **state)
{
    static const char *const methods[] = {"generalized-alpha", "generalized-alpha-soi2", "bdf"};
    double stop[3] = {0};
    (void)state;
    for (size_t c = 0; c < sizeof methods / sizeof *methods; c++) {
        mechanism m = mechanism_read(on_plane);
        seen s;
        nt_error error = {0};
        nt_integrator *it = begin_run(&m, methods[c], &s);
        assert_int_equal(nt_integrator_run(it, 3, 0.002, NULL, NULL, &error), NT_OK);
        double x[2] = {nt_integrator_state(it).q[0], nt_integrator_state(it).q[1]};
        assert_int_equal(s.n, 1);
        stop[c] = s.t[0];
        assert_int_equal(nt_integrator_run(it, 6, 0.002, NULL, NULL, &error), NT_OK);
        nt_state at = nt_integrator_state(it);
        assert_int_equal(s.n, 1);
        CLOSE(at.q[0], x[0], 1e-16);
        CLOSE(at.q[1], x[1], 1e-16);
        CLOSE(hypot(at.mu[0], at.mu[1]), 2 * 9.81 * sin(0.25), 1e-10);
        CLOSE(stop[c], stop[0], 1e-4);
        nt_integrator_destroy(it);
        mechanism_close(&m);
    }
}

/* A ball that rolls down the plane without slip: a = 5/7 g sin(slope); on one that is too steep it
 * slips. */
static const char ball[] =
    "nutate: 1\n"
    "parameters: {slope: 0.25}\n"
    "gravity: ['9.81*sin(slope)', 0, '-9.81*cos(slope)']\n"
    "bodies: {ball: {mass: 2, inertia: [0.008, 0.008, 0.008], position: [0, 0, '0.1 - "
    "2*9.81*cos(slope)/1e5']}}\n"
    "contacts: {floor: {type: sphere_plane, between: [ground, ball], radius: 0.1, plane: "
    "{normal: [0, 0, 1]}, stiffness: 1e5, exponent: 1, damping: 1, friction: {coefficient: 0.3, "
    "law: set-valued}}}\n";

static void a_ball_rolls(void **state)
{
    static const double slopes[] = {0.25, 1.2};
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double slope = slopes[k], s = sin(slope);
        double a = k == 0 ? 5. / 7 * 9.81 * s : 9.81 * (s - 0.3 * cos(slope));
        mechanism m = mechanism_read(ball);
        const nt_system *system = nt_run_system(m.run);
        seen e;
        nt_error error = {0};
        assert_int_equal(system->set_parameters(system->self, &slope), NT_OK);
        nt_integrator *it = begin_run(&m, "generalized-alpha-soi2", &e);
        assert_int_equal(nt_integrator_run(it, 2, 0.002, NULL, NULL, &error), NT_OK);
        nt_state at = nt_integrator_state(it);
        CLOSE(at.q[0], 2 * a, 2e-3 * a);
        nt_integrator_destroy(it);
        mechanism_close(&m);
    }
}

/* A table that slides and turns on a slope and comes to rest on four feet: they stick within a
 * microsecond of each other, share what holds the table, and stay. Without turning it stops after
 * v^2/(2 a), a = g (mu cos - sin), but for what the feet give. On a steep slope none sticks for
 * long. */
static const char table[] =
    "nutate: 1\n"
    "parameters: {slope: 0.2, turn: 0.5, across: 0.2}\n"
    "gravity: ['9.81*sin(slope)', 0, '-9.81*cos(slope)']\n"
    "bodies: {table: {mass: 10, inertia: [1, 1.5, 2], position: [0, 0, 0.4], "
    "velocity: [0.5, across, 0], angular_velocity: [0, 0, turn]}}\n"
    "contacts:\n"
    "  f1: {type: sphere_plane, between: [ground, table], plane: {normal: [0, 0, 1]}, at: [0.5, "
    "0.3, "
    "-0.38], radius: 0.02, stiffness: 1e5, exponent: 1, damping: 1, friction: {coefficient: 0.3, "
    "law: set-valued}}\n"
    "  f2: {type: sphere_plane, between: [ground, table], plane: {normal: [0, 0, 1]}, at: [-0.5, "
    "0.3, "
    "-0.38], radius: 0.02, stiffness: 1e5, exponent: 1, damping: 1, friction: {coefficient: 0.3, "
    "law: set-valued}}\n"
    "  f3: {type: sphere_plane, between: [ground, table], plane: {normal: [0, 0, 1]}, at: [0.5, "
    "-0.3, "
    "-0.38], radius: 0.02, stiffness: 1e5, exponent: 1, damping: 1, friction: {coefficient: 0.3, "
    "law: set-valued}}\n"
    "  f4: {type: sphere_plane, between: [ground, table], plane: {normal: [0, 0, 1]}, at: [-0.5, "
    "-0.3, -0.38], radius: 0.02, stiffness: 1e5, exponent: 1, damping: 1, friction: {coefficient: "
    "0.3, law: set-valued}}\n";

/* The table's place at 0.8 s, where the last foot sticks before it, and how many have. */
static int run_table(const char *method, const double *parameters, double step, double *x,
                     double *last, double *moved)
{
    mechanism m = mechanism_read(table);
    const nt_system *system = nt_run_system(m.run);
    seen s;
    nt_error error = {0};
    assert_int_equal(system->set_parameters(system->self, parameters), NT_OK);
    nt_integrator *it = begin_run(&m, method, &s);
    assert_int_equal(nt_integrator_run(it, 0.8, step, NULL, NULL, &error), NT_OK);
    memcpy(x, nt_integrator_state(it).q, 2 * sizeof *x);
    *last = s.n > 0 ? s.t[s.n - 1] : 0;
    if (moved) {
        assert_int_equal(nt_integrator_run(it, 8, step, NULL, NULL, &error), NT_OK);
        nt_state at = nt_integrator_state(it);
        double before[2] = {at.q[0], at.q[1]};
        assert_int_equal(nt_integrator_run(it, 10, step, NULL, NULL, &error), NT_OK);
        at = nt_integrator_state(it);
        *moved = hypot(at.q[0] - before[0], at.q[1] - before[1]);
    }
    nt_integrator_destroy(it);
    mechanism_close(&m);
    return s.n;
}

static void four_feet_stick(void **state)
{
    static const char *const methods[] = {"generalized-alpha", "generalized-alpha-soi2", "theta"};
    static const double turns[] = {0.2, 0.5, 0.2}, slides[] = {0.2, 0, 0}, steep[] = {0.4, 0, 0};
    double exact[2], x[2], last, at, moved, v = 0.5;
    (void)state;
    assert_int_equal(run_table("rkmk-dop853", turns, 2e-4, exact, &at, NULL), 4);
    for (size_t c = 0; c < sizeof methods / sizeof *methods; c++) {
        assert_int_equal(run_table(methods[c], turns, 1e-3, x, &last, &moved), 4);
        CLOSE(x[0], exact[0], 1e-5);
        CLOSE(x[1], exact[1], 1e-5);
        CLOSE(last, at, 5e-4);
        CLOSE(moved, 0, 1e-14);
    }
    double a = 9.81 * (0.3 * cos(0.2) - sin(0.2));
    assert_int_equal(run_table("generalized-alpha", slides, 1e-3, x, &last, NULL), 4);
    CLOSE(last, v / a, 2e-3 * v / a);
    CLOSE(x[0], v * v / (2 * a), 3e-3 * v * v / (2 * a));
    run_table("generalized-alpha", steep, 1e-3, x, &last, NULL);
    a = 9.81 * (sin(0.4) - 0.3 * cos(0.4));
    CLOSE(x[0], 0.8 * v + 0.32 * a, 2e-3);
}

/* What is written twice is one: a heater that keeps 20 degrees is on for 0.6 of the time from
 * 2 ln(15/10) s on, wherever that is asked for. */
static const char heater[] = "nutate: 1\n"
                             "bodies: {m: {mass: 1, point: true}}\n"
                             "quantities: {on: T < 20}\n"
                             "states: {T: {rate: '(5 + 25*on - T)/2', initial: 15}, used: {rate: "
                             "on}}\n";

static void what_is_written_twice_slides_once(void **state)
{
    static const struct {
        const char *method;
        double off;
    } cases[] = {
        {"generalized-alpha", 1e-5}, {"theta", 1e-5}, {"rkmk-dop853", 1e-12}, {"bdf", 1e-5}};
    const double on = 2 * log(1.5), used = on + 0.6 * (3 - on);
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        mechanism m = mechanism_read(heater);
        seen s;
        nt_integrator *it = begin_run(&m, cases[c].method, &s);
        advance(it, 3);
        nt_state at = nt_integrator_state(it);
        CLOSE(s.t[0], on, cases[c].off);
        CLOSE(at.v[3], 20, 1e-12);
        CLOSE(at.v[4], used, cases[c].off);
        nt_integrator_destroy(it);
        mechanism_close(&m);
    }
}

static void slip_says_nothing_there(void **state)
{
    static const char *const words[] = {"slip says nothing of friction that is set-valued", NULL};
    char text[1200];
    (void)state;
    snprintf(text, sizeof text, "%s", on_rail);
    strcpy(strstr(text, "dry: 5, law"), "dry: 5, slip: 1, law: set-valued}}}\n");
    mechanism_refused(text, words);
}

/* A room whose heater is on below 20 degrees: from there on it is on for 5/6 of the time. */
static const char room[] =
    "nutate: 1\n"
    "parameters: {P: 3, k: 0.5, goal: 20}\n"
    "quantities: {'on': T < goal, heat: P*(T < goal), 'off': not (T < goal), either: 'if(T < goal, "
    "2, 5)'}\n"
    "states: {T: {rate: P*on - k*(T - 15), initial: 18}, used: {rate: heat}}\n"
    "objectives: {last: {of: 'on', type: final}, burnt: {of: P*(T < goal), type: integral}, "
    "all: {of: used, type: final}}\n"
    "bodies: {b: {mass: 1, point: true}}\n";

static void records_show_what_holds(void **state)
{
    static const char *const methods[] = {"rkmk-dop853", "generalized-alpha",
                                          "generalized-alpha-soi2", "theta", "bdf"};
    static const struct {
        const char *name;
        double before, sliding;
    } shown[] = {{"on", 1, 5. / 6}, {"heat", 3, 2.5}, {"off", 0, 1. / 6}, {"either", 2, 2.5}};
    (void)state;
    for (size_t c = 0; c < sizeof methods / sizeof *methods; c++) {
        mechanism m = mechanism_read(room);
        seen s;
        double out;
        nt_integrator *it = begin_run(&m, methods[c], &s);
        advance(it, 1);
        for (int i = 0; i < 4; i++) {
            look_at(&m, it, shown[i].name, &out);
            CLOSE(out, shown[i].before, 1e-15);
        }
        advance(it, 3);
        assert_int_equal(s.n, 1);
        for (int i = 0; i < 4; i++) {
            look_at(&m, it, shown[i].name, &out);
            CLOSE(out, shown[i].sliding, 1e-9);
        }
        nt_integrator_destroy(it);
        mechanism_close(&m);
    }
}

static int keep_objectives(void *objectives, const nt_integrator *it)
{
    (void)it;
    return nt_objectives_advance(objectives, NULL) != NT_OK;
}

/* u = k (goal - 15)/P; what it burns is what the state has counted. */
static void objectives_see_what_holds(void **state)
{
    (void)state;
    mechanism m = mechanism_read(room);
    seen s;
    nt_error error = {0};
    nt_integrator *it = begin_variable(&m, "rkmk-dop853", 1e-10, &s);
    nt_sensitivity *along;
    nt_objectives *objectives;
    const int parameters[] = {0, 1};
    assert_int_equal(nt_sensitivity_create(&along, it, parameters, 2, &error), NT_OK);
    assert_int_equal(nt_sensitivity_start(along, &error), NT_OK);
    assert_int_equal(nt_objectives_create(&objectives, m.run, it, along, &error), NT_OK);
    assert_int_equal(nt_objectives_advance(objectives, &error), NT_OK);
    assert_int_equal(nt_integrator_run(it, 4, 0.1, keep_objectives, objectives, &error), NT_OK);
    CLOSE(nt_objectives_value(objectives, 0), 5. / 6, 1e-12);
    CLOSE(nt_objectives_value(objectives, 1), nt_objectives_value(objectives, 2), 1e-8);
    CLOSE(nt_objectives_derivative(objectives, 0, 0), -5. / 18, 1e-12);
    CLOSE(nt_objectives_derivative(objectives, 0, 1), 5. / 3, 1e-12);
    for (int k = 0; k < 2; k++)
        CLOSE(nt_objectives_derivative(objectives, 1, k),
              nt_objectives_derivative(objectives, 2, k), 1e-7);
    nt_objectives_destroy(objectives);
    nt_sensitivity_destroy(along);
    nt_integrator_destroy(it);
    mechanism_close(&m);
}

/* Where steps are so short that a switch is seen to change a step later than at its point, both
 * changes are one all the same. */
static void short_steps_find_it(void **state)
{
    (void)state;
    mechanism m = mechanism_read(room);
    seen s;
    double out;
    nt_integrator *it = begin_variable(&m, "bdf", 1e-12, &s);
    nt_error error = {0};
    advance(it, 2.19722);
    for (int k = 1; k <= 6; k++)
        if (nt_integrator_run(it, 2.19722 + 1.5e-6 * k, 1.5e-6, NULL, NULL, &error) != NT_OK)
            fail_msg("%s", error.message);
    assert_int_equal(s.n, 1);
    CLOSE(s.t[0], 2 * log(3), 1e-8);
    look_at(&m, it, "on", &out);
    CLOSE(out, 5. / 6, 1e-9);
    nt_integrator_destroy(it);
    mechanism_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dry_friction_holds),
        cmocka_unit_test(a_surface_is_kept),
        cmocka_unit_test(others_say_so),
        cmocka_unit_test(derivatives_slide_too),
        cmocka_unit_test(a_state_is_held),
        cmocka_unit_test(saved_while_sliding),
        cmocka_unit_test(a_joint_sticks),
        cmocka_unit_test(a_contact_sticks),
        cmocka_unit_test(a_ball_rolls),
        cmocka_unit_test(four_feet_stick),
        cmocka_unit_test(what_is_written_twice_slides_once),
        cmocka_unit_test(records_show_what_holds),
        cmocka_unit_test(objectives_see_what_holds),
        cmocka_unit_test(short_steps_find_it),
        cmocka_unit_test(slip_says_nothing_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
