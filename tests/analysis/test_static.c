/* Static states of mechanisms against formulas: where they rest, how stiff they are there, and what
 * is said where they do not. */
#include "analysis/bench.h"

/* Newton's iteration ends at rounding: of lengths about 1 m this is far above it. */
static const double TOLERANCE = 1e-12;

/* ---- one body ------------------------------------------------------------------------------- */

static const char pendulum[] =
    "nutate: 1\n"
    "parameters: {tilt: 0}\n"
    "gravity: [0, 0, -10]\n"
    "bodies: {rod: {mass: 2, inertia: [0.01, 0.5, 0.5], position: [cos(%g), 0, sin(%g)],\n"
    "               orientation: {axis: [0, 1, 0], angle: -(%g)}}}\n"
    "joints: {pin: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: [0, 1, 0]}}\n"
    "simulation: {duration: 1, step: 1e-3}\n";

static void open_pendulum(bench *b, double angle, int damped)
{
    char text[800];
    snprintf(text, sizeof text, pendulum, angle, angle, angle);
    open_bench(b, text, (nt_static_setup){.damped = damped});
}

/* Hanging it shakes at g m l/(J + m l^2) = 10 2/(0.5 + 2) = 8 rad^2/s^2; upright it falls at the
 * same rate. Within a radian the nearest state is found, be it unstable. */
static void pendulum_rests(void **state)
{
    static const struct {
        double angle;
        int damped;
        double height, rate;
    } cases[] = {
        {0, 0, -1, 8},
        {0.2, 0, -1, 8},
        {-1, 0, -1, 8},
        {-1.5, 0, -1, 8},
        {1.3, 0, 1, -8},
        {1.3, 1, -1, 8},
        {1.57079632679489661923, 0, 1, -8},
        {1.57079632679489661923, 1, -1, 8},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bench b;
        nt_stability stability;
        open_pendulum(&b, cases[i].angle, cases[i].damped);
        solve(&b);
        assert_int_equal(nt_static_stability(b.state, &stability, &b.error), NT_OK);
        is_close("height", number(&b, "rod.position.z"), cases[i].height, TOLERANCE);
        is_close("rate", stability.rate, cases[i].rate, 1e-10);
        assert_int_equal(stability.stable, cases[i].rate > 0);
        assert_non_null(strstr(stability.words, "rotation of body rod about y"));
        is_close("force", number(&b, "pin.force.z"), 20, 1e-10);
        close_bench(&b);
    }
}

/* Two pendulums on their heads, each held by a spring that is as stiff as its weight is soft: none
 * can follow the other, and both are pushed back, by the third power of the angle. */
static void two_are_critical_at_once(void **state)
{
    static const char text[] =
        "nutate: 1\n"
        "gravity: [0, 0, -10]\n"
        "bodies:\n"
        "  a: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 1]}\n"
        "  b: {mass: 2000, inertia: [100, 100, 100], position: [3, 0, 1]}\n"
        "joints:\n"
        "  pa: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"
        "  pb: {type: revolute, between: [ground, b], at: [3, 0, 0], axis: [0, 1, 0]}\n"
        "forces:\n"
        "  sa: {type: torsion_spring, joint: pa, stiffness: 20}\n"
        "  sb: {type: torsion_spring, joint: pb, stiffness: 20000}\n";
    bench b;
    nt_stability found;
    (void)state;
    open_bench(&b, text, (nt_static_setup){0});
    solve(&b);
    assert_int_equal(nt_static_free_count(b.state), 0);
    assert_int_equal(nt_static_stability(b.state, &found, &b.error), NT_OK);
    assert_true(found.critical && found.stable);
    close_bench(&b);
}

/* What rests already in a stable state, and nothing loads it, is where a damped motion ends: only
 * rounding is left of its forces, which cannot be measured by loads. */
static void what_rests_unloaded_stays(void **state)
{
    static const char mount[] =
        "nutate: 1\ngravity: [0, 0, 0]\n"
        "bodies: {bob: {mass: 1, inertia: [1, 1, 1], position: [0.1, %g, -0.7],\n"
        "               orientation: {axis: [1, 2, 3], angle: 0.7}}}\n"
        "forces: {m: {type: bushing, between: [ground, bob], at: [0.3, %g, 0.1],\n"
        "             stiffness: [1e6, 2e5, 3e5, 1e4, 1e4, 1e4]}}\n";
    static const double away[] = {0.2, 77.7, -3e3};
    (void)state;
    for (int i = 0; i < 3; i++) {
        bench b;
        char text[600];
        nt_stability stability;
        snprintf(text, sizeof text, mount, away[i], away[i] - 0.2);
        open_bench(&b, text, (nt_static_setup){.damped = 1});
        solve(&b);
        assert_int_equal(nt_static_stability(b.state, &stability, &b.error), NT_OK);
        assert_int_equal(stability.stable, 1);
        is_close("place", number(&b, "bob.position.z"), -0.7, TOLERANCE * fabs(away[i]));
        close_bench(&b);
    }
}

/* A ball falls onto a floor, where K = 0 until they touch; k d = m g there, and what rolls on the
 * plane or turns is free. */
static void ball_falls_onto_floor(void **state)
{
    static const char text[] =
        "nutate: 1\n"
        "gravity: [0, 0, -10]\n"
        "bodies: {ball: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 3]}}\n"
        "contacts: {floor: {type: sphere_plane, between: [ground, ball], radius: 0.5,\n"
        "           plane: {point: [0, 0, 0], normal: [0, 0, 1]}, stiffness: 1e6, exponent: 1}}\n"
        "simulation: {duration: 1, step: 1e-3}\n";
    bench b;
    (void)state;
    open_bench(&b, text, (nt_static_setup){.hold_free = 1});
    solve(&b);
    is_close("height", number(&b, "ball.position.z"), 0.5 - 10 / 1e6, 1e-12);
    assert_int_equal(nt_static_free_count(b.state), 5);
    close_bench(&b);
    open_bench(&b, text, (nt_static_setup){0});
    assert_int_equal(nt_static_solve(b.state, &b.error), NT_SINGULAR);
    assert_non_null(strstr(b.error.message, "can move freely"));
    assert_non_null(strstr(b.error.message, "translation of body ball along x"));
    assert_int_equal(nt_static_free_count(b.state), 5);
    close_bench(&b);
}

/* A lever falls onto its stop, one with dry friction in its hinge onto a plane: where a damped
 * motion ends. */
static const char levers[] =
    "nutate: 1\n"
    "gravity: [0, 0, -10]\n"
    "bodies:\n"
    "  lever: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
    "  arm: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0.5, 2, 0]}\n"
    "joints:\n"
    "  pin: {type: revolute, between: [ground, lever], at: [0, 0, 0], axis: [0, 1, 0],\n"
    "        friction: {viscous: 1}, limits: {upper: 0.4, stiffness: 1e4}}\n"
    "  hinge: {type: revolute, between: [ground, arm], at: [0, 2, 0], axis: [0, 1, 0],\n"
    "          friction: {dry: 0.5, viscous: 1}}\n"
    "contacts:\n"
    "  floor: {type: sphere_plane, between: [ground, arm], radius: 0.1, stiffness: 1e5,\n"
    "          exponent: 1, friction: {coefficient: 0.3},\n"
    "          plane: {point: [0, 0, -0.3], normal: [0, 0, 1]}}\n"
    "simulation: {duration: 1, step: 1e-3}\n";

static void stops_and_friction(void **state)
{
    bench b;
    nt_integrator_setup setup = {0};
    nt_integrator *it;
    (void)state;
    open_bench(&b, levers, (nt_static_setup){0});
    solve(&b);
    double angle = number(&b, "pin.angle"), height = number(&b, "arm.position.z");
    is_close("moment of the stop", 1e4 * (angle - 0.4), 10 * cos(angle), 1e-9);
    /* 20 N at the lever's middle, where the floor presses upward too */
    is_close("force of the floor", 1e5 * (-0.2 - height), 20, 1e-8);
    assert_int_equal(nt_run_setup(b.run, &setup, &b.error), NT_OK);
    setup.energy_check = NT_ENERGY_UNWATCHED;
    assert_int_equal(nt_integrator_create(&it, &setup, &b.error), NT_OK);
    assert_int_equal(nt_integrator_start(it, 0, NULL, NULL, NULL, &b.error), NT_OK);
    if (nt_integrator_run(it, 40, 2e-3, NULL, NULL, &b.error))
        fail_msg("%s", b.error.message);
    const double *there = nt_static_state(b.state).q, *end = nt_integrator_state(it).q;
    for (int i = 0; i < 14; i++)
        is_close("end of the motion", end[i], there[i], 1e-6);
    nt_integrator_destroy(it);
    close_bench(&b);
}

/* Held directions carry what would move them: a lever under a moment about its axis. */
static void held_directions_stay(void **state)
{
    static const char text[] =
        "nutate: 1\n"
        "gravity: [0, 0, 0]\n"
        "bodies: {lever: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}}\n"
        "joints: {pin: {type: spherical, between: [ground, lever], at: [0, 0, 0]}}\n"
        "forces:\n"
        "  turn: {type: torque, on: lever, value: [3, 0, 0]}\n"
        "  keep: {type: bushing, between: [ground, lever], at: [0, 0, 0],\n"
        "         stiffness: [[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0],\n"
        "         [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 10, 0], [0, 0, 0, 0, 0, 10]]}\n"
        "simulation: {duration: 1, step: 1e-3}\n";
    bench b;
    (void)state;
    open_bench(&b, text, (nt_static_setup){0});
    assert_int_equal(nt_static_solve(b.state, &b.error), NT_NOT_CONVERGED);
    assert_non_null(strstr(b.error.message, "rotation of body lever about x"));
    close_bench(&b);
    static const int held[1] = {3};
    open_bench(&b, text, (nt_static_setup){.held = held, .n_held = 1});
    solve(&b);
    is_close("w", number(&b, "lever.orientation.w"), 1, TOLERANCE);
    close_bench(&b);
}

/* ---- chains --------------------------------------------------------------------------------- */

static char *chain_text(int n, const char *joint)
{
    size_t room = 400 * (size_t)n + 400, used = 0;
    char *text = malloc(room);
#define SAY(...) used += (size_t)snprintf(text + used, room - used, __VA_ARGS__)
    SAY("nutate: 1\ngravity: [0, -10, 0]\nbodies:\n");
    for (int i = 0; i < n; i++)
        SAY("  b%d: {mass: 0.5, inertia: [1e-4, 1e-2, 1e-2], position: [%g, 0, 0]}\n", i, i + 0.5);
    SAY("joints:\n");
    for (int i = 0; i < n; i++) {
        char before[20] = "ground";
        if (i > 0)
            snprintf(before, sizeof before, "b%d", i - 1);
        SAY("  j%d: {type: %s, between: [%s, b%d], at: [%d, 0, 0]}\n", i, joint, before, i, i);
    }
    SAY("simulation: {duration: 1, step: 1e-3}\n");
#undef SAY
    return text;
}

#define ROLLER "revolute, axis: [0, 0, 1]"

/* From the straight horizontal placement, where nothing is stiff before the joints bear loads. */
static void chain_hangs(void **state)
{
    static const struct {
        int links;
        const char *joint;
    } cases[] = {{2, "spherical"}, {8, "spherical"}, {32, "spherical"},
                 {3, ROLLER},      {64, ROLLER},     {256, ROLLER}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bench b;
        nt_stability stability;
        int n = cases[i].links;
        char *text = chain_text(n, cases[i].joint), name[40];
        open_bench(&b, text, (nt_static_setup){.hold_free = 1});
        solve(&b);
        snprintf(name, sizeof name, "b%d.position.y", n - 1);
        is_close("depth", number(&b, name), 0.5 - n, 1e-12 * n);
        is_close("force", number(&b, "j0.force.y"), 5 * n, 1e-9 * n);
        /* of links that turn about their own lines all are free */
        assert_int_equal(nt_static_free_count(b.state), cases[i].joint == cases[0].joint ? n : 0);
        assert_int_equal(nt_static_stability(b.state, &stability, &b.error), NT_OK);
        assert_int_equal(stability.stable, 1);
        /* a heavy string of length n swings at j0/2 sqrt(g/n), j0 the first zero of Bessel's J0 */
        if (n >= 64)
            is_close("frequency", sqrt(stability.rate * n / 10), 2.404825557695773 / 2, 0.01);
        close_bench(&b);
        free(text);
    }
}

/* ---- a beam --------------------------------------------------------------------------------- */

/* A cantilever that bends far under a force at its tip, which keeps its direction: tip positions of
 * the elastica (Mattiasson 1981), to their digits. */
static void cantilever_bends(void **state)
{
    static const char text[] =
        "nutate: 1\n"
        "parameters: {F: 0, E: 1e9}\n"
        "gravity: [0, 0, 0]\n"
        "bodies: {}\n"
        "beams:\n"
        "  rod:\n"
        "    points: [[0, 0, 0], [1, 0, 0]]\n"
        "    order: 6\n"
        "    elements: 2\n"
        "    sections: [{at: 0,\n"
        "      stiffness: [[E, 0, 0, 0, 0, 0], [0, E, 0, 0, 0, 0], [0, 0, E, 0, 0, 0],\n"
        "                  [0, 0, 0, 100, 0, 0], [0, 0, 0, 0, 100, 0], [0, 0, 0, 0, 0, 100]],\n"
        "      mass: [[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0],\n"
        "             [0, 0, 0, 1e-3, 0, 0], [0, 0, 0, 0, 1e-3, 0], [0, 0, 0, 0, 0, 1e-3]]}]\n"
        "joints: {root: {type: fixed, between: [ground, rod.root], at: [0, 0, 0]}}\n"
        "forces: {push: {type: force, on: rod.tip, value: [0, 0, F]}}\n"
        "simulation: {duration: 1, step: 1e-3}\n";
    static const struct {
        double load, across, along; /* F L^2/EI, deflections over L */
    } cases[] = {{1, 0.30172, 0.05643}, {5, 0.71379, 0.38763}, {10, 0.81061, 0.55500}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bench b;
        nt_static_path path = {.to = 1};
        nt_load_range range = {"F", 0, 100 * cases[i].load};
        open_bench(&b, text, (nt_static_setup){.set_load = nt_loading_apply, .context = &range});
        if (nt_static_follow(b.state, &path, &b.error))
            fail_msg("%s", b.error.message);
        const double *tip = nt_static_state(b.state).q + b.system->space.nq - 7;
        is_close("across", tip[2], cases[i].across, 1e-5);
        is_close("along", 1 - tip[0], cases[i].along, 1e-5);
        close_bench(&b);
    }
}

/* ---- by hand -------------------------------------------------------------------------------- */

/* V = -cos(2 q) - f q: sin(2 q) = f/2 */
static nt_status evaluate(void *self, const nt_point *at, const nt_terms *terms)
{
    const double *f = self;
    if (terms->residual && (terms->parts & NT_IMPLICIT))
        terms->residual[0] += 2 * sin(2 * at->q[0]) - *f;
    if (terms->residual && (terms->parts & NT_MASS))
        terms->residual[0] += 3 * at->vdot[0];
    if (terms->matrix)
        *nt_matrix_block(terms->matrix, 0) +=
            (terms->parts & NT_IMPLICIT ? terms->combination->stiffness * 4 * cos(2 * at->q[0])
                                        : 0) +
            (terms->parts & NT_MASS ? terms->combination->mass * 3 : 0);
    return NT_OK;
}

static void system_by_hand(void **state)
{
    double f = 1, q = 0.3;
    nt_block block = {.kind = NT_RN, .nv = 1};
    nt_system system = {.self = &f, .evaluate = evaluate, .capabilities = NT_HAS_TANGENT};
    nt_static_setup setup = {.system = &system};
    nt_static *st;
    nt_error error = {0};
    nt_stability stability;
    (void)state;
    nt_space_init(&system.space, &block, 1);
    assert_int_equal(nt_static_create(&st, &setup, &error), NT_OK);
    assert_int_equal(nt_static_start(st, 0, &q, NULL, NULL, &error), NT_OK);
    assert_int_equal(nt_static_solve(st, &error), NT_OK);
    is_close("q", nt_static_state(st).q[0], asin(0.5) / 2, 1e-14);
    assert_int_equal(nt_static_stability(st, &stability, &error), NT_OK);
    is_close("rate", stability.rate, 4 * cos(asin(0.5)) / 3, 1e-13);
    f = 5; /* more than it carries */
    assert_int_equal(nt_static_solve(st, &error), NT_NOT_CONVERGED);
    nt_static_destroy(st);
    system.capabilities = 0;
    assert_int_equal(nt_static_create(&st, &setup, &error), NT_UNSUPPORTED);
}

static nt_status set_force(void *context, double load)
{
    *(double *)context = 5 * load;
    return NT_OK;
}

/* No state carries more than f = 2: the path says how far it came, and is left there. */
static void load_that_nothing_carries(void **state)
{
    double f = 0, q = 0;
    nt_block block = {.kind = NT_RN, .nv = 1};
    nt_system system = {.self = &f, .evaluate = evaluate, .capabilities = NT_HAS_TANGENT};
    nt_static_setup setup = {.system = &system, .set_load = set_force, .context = &f};
    nt_static_path path = {.to = 1};
    nt_static *st;
    nt_error error = {0};
    (void)state;
    nt_space_init(&system.space, &block, 1);
    assert_int_equal(nt_static_create(&st, &setup, &error), NT_OK);
    assert_int_equal(nt_static_start(st, 0, &q, NULL, NULL, &error), NT_OK);
    assert_int_equal(nt_static_follow(st, &path, &error), NT_NOT_CONVERGED);
    assert_non_null(strstr(error.message, "no static state carries more than 0.4 of the load"));
    is_close("load", nt_static_load(st), 0.4, 1e-5);
    is_close("q", sin(2 * nt_static_state(st).q[0]), 2.5 * nt_static_load(st), 1e-12);
    assert_int_equal(nt_static_start(st, 0, &q, NULL, NULL, &error), NT_OK);
    is_close("what begins anew has the whole load", nt_static_load(st), 1, 0);
    is_close("and the system has it", f, 5, 0);
    nt_static_destroy(st);
}

/* A rotation that is prescribed goes beyond pi along its path, and the angle counts the turns. */
static void prescribed_turns(void **state)
{
    static const char text[] =
        "nutate: 1\n"
        "parameters: {turn: 0}\n"
        "gravity: [0, 0, -10]\n"
        "bodies:\n"
        "  wheel: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
        "  bob: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [1, 0, -1]}\n"
        "joints:\n"
        "  axle: {type: revolute, between: [ground, wheel], at: [0, 0, 0], axis: [0, 1, 0],\n"
        "         motion: turn}\n"
        "  pin: {type: revolute, between: [wheel, bob], at: [1, 0, 0], axis: [0, 1, 0]}\n"
        "simulation: {duration: 1, step: 1e-3}\n";
    bench b;
    nt_static_path path = {.to = 1};
    nt_load_range range = {"turn", 0, 9};
    (void)state;
    open_bench(&b, text, (nt_static_setup){.set_load = nt_loading_apply, .context = &range});
    if (nt_static_follow(b.state, &path, &b.error))
        fail_msg("%s", b.error.message);
    is_close("angle", number(&b, "axle.angle"), 9, 1e-10);
    is_close("pin", number(&b, "bob.position.x"), cos(9), 1e-10);
    is_close("bob", number(&b, "bob.position.z"), -sin(9) - 1, 1e-10);
    is_close("force", number(&b, "pin.force.z"), 20, 1e-9);
    close_bench(&b);
}

/* ---- slender beams ----------------------------------------------------------------------------
 */

/* A column with EA = 1e8 EI under a load along it, dead or following its head. */
static void open_column(bench *b, const char *frame, double load)
{
    char text[1000];
    snprintf(
        text, sizeof text,
        "nutate: 1\n"
        "gravity: [0, 0, 0]\n"
        "beams:\n"
        "  column:\n"
        "    points: [[0, 0, 0], [1, 0, 0]]\n"
        "    order: 8\n"
        "    sections:\n"
        "      - {stiffness: [1e8, 1e8, 1e8, 1e8, 1, 1e4], mass: [1, 1, 1, 2e-8, 1e-8, 1e-8]}\n"
        "joints: {clamp: {type: fixed, between: [ground, column.root], at: [0, 0, 0]}}\n"
        "forces:\n"
        "  load: {type: force, on: column.tip, frame: %s, value: [%.17g, 0, 0]}\n"
        "  side: {type: force, on: column.tip, value: [0, 0, 1e-4]}\n"
        "simulation: {duration: 1, step: 1e-3}\n",
        frame, -load);
    open_bench(b, text, (nt_static_setup){0});
    solve(b);
}

/* What bends with a 1e10th of what stretches is no free motion. */
static void slender_column_bends(void **state)
{
    bench b;
    nt_stability s;
    (void)state;
    open_column(&b, "ground", 0);
    is_close("deflection", number(&b, "column.tip.position.z"), 1e-4 / 3, 1e-6);
    assert_int_equal(nt_static_stability(b.state, &s, &b.error), NT_OK);
    assert_true(s.stable);
    is_close("rate", sqrt(s.rate), 3.51602, 1e-5);
    close_bench(&b);
    /* P just above pi^2/4 */
    open_column(&b, "ground", 2.5);
    assert_int_equal(nt_static_stability(b.state, &s, &b.error), NT_OK);
    assert_false(s.stable);
    close_bench(&b);
}

/* A pendulum stands on its head, held by a spring that is as stiff as its weight is soft; in a gap
 * it is held by stops, and by nothing between them. */
static void critical_is_not_free(void **state)
{
    static const char text[] =
        "nutate: 1\n"
        "gravity: [0, 0, -%d]\n"
        "bodies: {rod: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 1]}}\n"
        "joints: {pin: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: [0, 1, 0]}}\n"
        "forces: {s: {type: torsion_spring, joint: pin, stiffness: %d%s}}\n"
        "simulation: {duration: 1, step: 1e-3}\n";
    static const char gap[] = ", limits: {lower: -0.05, upper: 0.05, stiffness: 1e4}";
    static const struct {
        int gravity, stiffness;
        const char *more;
        bool is_free;
    } cases[] = {{10, 20, "", false}, {0, 0, "", true}, {0, 0, gap, true}, {10, 20, gap, false}};
    (void)state;
    for (int i = 0; i < 4; i++) {
        char model[800];
        bench b;
        nt_stability s;
        snprintf(model, sizeof model, text, cases[i].gravity, cases[i].stiffness, cases[i].more);
        open_bench(&b, model, (nt_static_setup){0});
        nt_status status = nt_static_solve(b.state, &b.error);
        assert_int_equal(status, cases[i].is_free ? NT_SINGULAR : NT_OK);
        if (cases[i].is_free) {
            assert_non_null(strstr(b.error.message, "the system can move freely"));
        } else {
            assert_int_equal(nt_static_free_count(b.state), 0);
            assert_int_equal(nt_static_stability(b.state, &s, &b.error), NT_OK);
            assert_true(s.critical);
            assert_non_null(strstr(s.words, "rotation of body rod about y"));
        }
        close_bench(&b);
    }
}

/* What depends on the motion is a law of the mechanism and always there; what is given is a load.
 */
static void laws_are_no_loads(void **state)
{
    static const char text[] =
        "nutate: 1\n"
        "gravity: [0, 0, 0]\n"
        "bodies: {cart: {mass: 2, inertia: [1, 1, 1], position: [1, 0, 0]}}\n"
        "joints: {rail: {type: prismatic, between: [ground, cart], at: [1, 0, 0], axis: [1, 0, "
        "0]}}\n"
        "forces:\n"
        "  strut: {type: line_force, between: [ground, cart], at: [[0, 0, 0], [1, 0, 0]],\n"
        "          value: 100*(strut.length - 1)}\n"
        "  winch: {type: line_force, between: [ground, cart], at: [[9, 0, 0], [1, 0, 0]], value: "
        "20}\n"
        "  drive: {type: joint_force, joint: rail, value: 10}\n"
        "  brake: {type: joint_force, joint: rail, value: -50*rail.displacement}\n"
        "simulation: {duration: 1, step: 1e-3}\n";
    static const double share[] = {0.5, 1};
    (void)state;
    for (int i = 0; i < 2; i++) {
        bench b;
        nt_load_range range = {"loads", 0, 1};
        open_bench(&b, text, (nt_static_setup){.set_load = nt_loading_apply, .context = &range});
        assert_int_equal(nt_loading_apply(b.loading, share[i]), NT_OK);
        solve(&b);
        is_close("place", number(&b, "cart.position.x"), 1 + share[i] * 30 / 150, TOLERANCE);
        close_bench(&b);
    }
}

/* A load that follows has no potential: flutter at 20.0509. */
static void stability_by_modes(void **state)
{
    static const double load[] = {19, 20.04, 20.06, 21};
    (void)state;
    for (int i = 0; i < 4; i++) {
        bench b;
        nt_stability s;
        open_column(&b, "body", load[i]);
        assert_int_equal(nt_static_stability(b.state, &s, &b.error), NT_OK);
        assert_int_equal(s.stable, load[i] < 20.0509);
        close_bench(&b);
    }
}

static int count_points(void *context, nt_static *state, double load, nt_static_event event)
{
    (void)state, (void)load, (void)event;
    ++*(int *)context;
    return 0;
}

/* A bar of a quarter arc bent out of its plane, by steps as long as they go: 4 points with
 * independent stresses, 11 without them. */
static void large_bending_takes_few_steps(void **state)
{
    static const char text[] =
        "nutate: 1\n"
        "gravity: [0, 0, 0]\n"
        "beams:\n"
        "  bar:\n"
        "    points: [[0, 0, 0], [38, 92, 0], [100, 100, 0]]\n"
        "    line: spline\n"
        "    order: 8\n"
        "    elements: 1\n"
        "    sections: [{stiffness: [1e7, 5e6, 5e6, 8e5, 8e5, 8e5], mass: [1, 1, 1, 1, 1, 1]}]\n"
        "joints: {clamp: {type: fixed, between: [ground, bar.root], at: [0, 0, 0]}}\n"
        "forces: {load: {type: force, on: bar.tip, value: [0, 0, 600]}}\n"
        "simulation: {duration: 1, step: 1e-3}\n";
    bench b;
    int points = 0;
    nt_static_path path = {.to = 1, .observe = count_points, .context = &points};
    nt_load_range range = {"loads", 0, 1};
    (void)state;
    open_bench(&b, text, (nt_static_setup){.set_load = nt_loading_apply, .context = &range});
    if (nt_static_follow(b.state, &path, &b.error))
        fail_msg("%s", b.error.message);
    assert_true(points <= 6);
    close_bench(&b);
}

/* Loads are put on by themselves where a search finds nothing, and what was borne is known. */
static void loads_fall_short(void **state)
{
    static const char text[] =
        "nutate: 1\n"
        "parameters: {F: 12}\n"
        "gravity: [0, 0, -10]\n"
        "bodies: {bob: {mass: 1, inertia: [1, 1, 1], position: [0, 0, -1]}}\n"
        "joints: {pin: {type: revolute, between: [ground, bob], at: [0, 0, 0], axis: [0, 1, 0]}}\n"
        "forces: {turn: {type: torque, on: bob, value: [0, F, 0]}}\n"
        "simulation: {duration: 1, step: 1e-3}\n";
    bench b;
    nt_load_range range = {"loads", 0, 1};
    (void)state;
    open_bench(&b, text, (nt_static_setup){.set_load = nt_loading_apply, .context = &range});
    assert_int_equal(nt_static_solve(b.state, &b.error), NT_NOT_CONVERGED);
    is_close("borne", nt_static_load(b.state), 10.0 / 12, 1e-5);
    is_close("angle", number(&b, "pin.angle"), acos(-1) / 2, 1e-2);
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_rests),
        cmocka_unit_test(two_are_critical_at_once),
        cmocka_unit_test(what_rests_unloaded_stays),
        cmocka_unit_test(ball_falls_onto_floor),
        cmocka_unit_test(stops_and_friction),
        cmocka_unit_test(held_directions_stay),
        cmocka_unit_test(chain_hangs),
        cmocka_unit_test(cantilever_bends),
        cmocka_unit_test(system_by_hand),
        cmocka_unit_test(load_that_nothing_carries),
        cmocka_unit_test(prescribed_turns),
        cmocka_unit_test(slender_column_bends),
        cmocka_unit_test(critical_is_not_free),
        cmocka_unit_test(laws_are_no_loads),
        cmocka_unit_test(stability_by_modes),
        cmocka_unit_test(loads_fall_short),
        cmocka_unit_test(large_bending_takes_few_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
