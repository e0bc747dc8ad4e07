/* Static states with dry friction that sticks: where a damped motion comes to rest, against
 * formulas and against runs. */
#include "analysis/bench.h"

static const char block[] =
    "nutate: 1\n"
    "parameters: {start: %g}\n"
    "gravity: [0, 0, 0]\n"
    "bodies: {block: {mass: 1, inertia: [1, 1, 1], position: [start, 0, 0]}}\n"
    "joints: {rail: {type: prismatic, between: [ground, block], at: [0, 0, 0], axis: [1, 0, 0],\n"
    "                friction: {dry: 5, law: set-valued}}}\n"
    "forces: {spring: {type: force, on: block, value: [-10*block.position.x, 0, 0]}}\n"
    "simulation: {duration: 1, step: 1e-3}\n";

static nt_static_friction friction_at(bench *b, int i)
{
    nt_static_friction out;
    if (nt_static_friction_at(b->state, i, &out, &b->error) != NT_OK)
        fail_msg("%s", b->error.message);
    return out;
}

/* A spring of 10 N/m against 5 N of friction: within half a metre it holds, from beyond the block
 * comes as far as there. */
static void block_rests_where_friction_holds(void **state)
{
    static const struct {
        double start, end, force;
        nt_dry_state holds;
    } cases[] = {{0.3, 0.3, 3, NT_DRY_STICKS},
                 {-0.45, -0.45, 4.5, NT_DRY_STICKS},
                 {2, 0.5, 5, NT_DRY_SLIPS},
                 {-3, -0.5, 5, NT_DRY_SLIPS}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bench b;
        char text[800];
        snprintf(text, sizeof text, block, cases[i].start);
        open_bench(&b, text, (nt_static_setup){0});
        assert_int_equal(nt_static_friction_count(b.state), 1);
        solve(&b);
        nt_static_friction f = friction_at(&b, 0);
        is_close("place", number(&b, "block.position.x"), cases[i].end, 1e-14);
        is_close("force", f.force, cases[i].force, 1e-13);
        assert_int_equal(f.holds, cases[i].holds);
        assert_string_equal(f.name, "joint rail");
        close_bench(&b);
    }
}

/* There and back: the block stays until the pull passes 5 N, follows to (30 - 5)/10, and comes back
 * only when the pull falls below 25 - 5. */
static int see_block(void *context, nt_static *s, double load, nt_static_event event)
{
    nt_static_friction f;
    double *most = context, pull = load <= 0.5 ? 60 * load : 60 * (1 - load), x = 0;
    (void)event;
    x = nt_static_state(s).q[0];
    double expected = load <= 0.5 ? fmax(0, (pull - 5) / 10) : fmin(2.5, (pull + 5) / 10);
    *most = fmax(*most, fabs(x - expected));
    return nt_static_friction_at(s, 0, &f, NULL) != NT_OK || f.force > 5 * (1 + 1e-7);
}

static const char pulled[] =
    "nutate: 1\n"
    "parameters: {p: 0}\n"
    "gravity: [0, 0, 0]\n"
    "bodies: {block: {mass: 1, inertia: [1, 1, 1]}}\n"
    "joints: {rail: {type: prismatic, between: [ground, block], at: [0, 0, 0], axis: [1, 0, 0],\n"
    "                friction: {dry: 5, law: set-valued}}}\n"
    "forces: {s: {type: force, on: block,\n"
    "             value: [\"60*min(p, 1 - p) - 10*block.position.x\", 0, 0]}}\n"
    "simulation: {duration: 1, step: 1e-3}\n";

static void block_lags_along_a_path(void **state)
{
    bench b;
    double most = 0;
    nt_load_range range = {"p", 0, 1};
    (void)state;
    open_bench(&b, pulled, (nt_static_setup){.set_load = nt_loading_apply, .context = &range});
    const nt_static_path path = {
        .from = 0, .to = 1, .step = 0.05, .observe = see_block, .context = &most};
    if (nt_static_follow(b.state, &path, &b.error) != NT_OK)
        fail_msg("%s", b.error.message);
    is_close("lag", most, 0, 1e-7);
    close_bench(&b);
}

/* A rod on a rough pin: m g l cos a = 20 cos a against 3. Near the upper point it stays, from
 * beyond it falls to the other side, past a nearer state that a motion leaves. */
static void rod_falls_to_where_it_is_held(void **state)
{
    static const char rod[] =
        "nutate: 1\n"
        "gravity: [0, 0, -10]\n"
        "bodies: {rod: {mass: 2, inertia: [0.01, 0.5, 0.5], position: [cos(%g), 0, sin(%g)],\n"
        "               orientation: {axis: [0, 1, 0], angle: -(%g)}}}\n"
        "joints: {pin: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: [0, 1, 0],\n"
        "               friction: {dry: 3, law: set-valued}}}\n"
        "simulation: {duration: 1, step: 1e-3}\n";
    static const double angles[][2] = {{1.5, 1.5},
                                       {1.2, -1.4202280540182106},
                                       {0, -1.4202280540182106},
                                       {-1.5, -1.5},
                                       {-3, -1.7213645995715827}};
    (void)state;
    for (size_t i = 0; i < sizeof angles / sizeof angles[0]; i++) {
        bench b;
        char text[900];
        double a = angles[i][0];
        snprintf(text, sizeof text, rod, a, a, a);
        open_bench(&b, text, (nt_static_setup){0});
        solve(&b);
        is_close("x", number(&b, "rod.position.x"), cos(angles[i][1]), 1e-12);
        is_close("z", number(&b, "rod.position.z"), sin(angles[i][1]), 1e-12);
        close_bench(&b);
    }
}

static const char table[] =
    "nutate: 1\n"
    "parameters: {slope: %g, mu: 0.5, gap: %g, k: %g}\n"
    "gravity: [9.81*sin(slope), 0, -9.81*cos(slope)]\n"
    "bodies: {table: {mass: 10, inertia: [1, 1, 1], position: [0, 0, 0.5 + gap]}}\n"
    "forces: {s: {type: force, on: table, value: [-k*table.position.x, 0, 0]}}\n"
    "contacts:\n"
#define FOOT(name, x, y)                                                                           \
    "  " name ": {type: sphere_plane, between: [ground, table], at: [" x ", " y ", -0.4],\n"       \
    "      radius: 0.1, plane: {point: [0, 0, 0], normal: [0, 0, 1]}, stiffness: 1e6, exponent: "  \
    "1,\n"                                                                                         \
    "      friction: {coefficient: mu, law: set-valued}}\n"
    FOOT("a", "0.4", "0.3") FOOT("b", "-0.4", "0.3") FOOT("c", "0.4", "-0.3")
        FOOT("d", "-0.4", "-0.3") "simulation: {duration: 1, step: 1e-3}\n";

/* rad: feet that are 0.8 m apart sink in by 3e-5 m and less, so that the table tilts. */
static const double TILT = 3e-5;

/* A table on a slope: tan(slope)/mu of what friction can hold; also where it is let down on it.
 * With a spring it slides to (m g (sin - mu cos))/k, and without one for ever. */
static void table_stands_on_slope(void **state)
{
    static const struct {
        double slope, gap, k;
    } cases[] = {{0.3, 0, 0}, {0.3, 1e-2, 0}, {0.3, -1e-5, 0}, {0, 0.1, 0}, {0.6, 0, 50}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bench b;
        char text[1500];
        double slope = cases[i].slope, share = fmin(1, tan(slope) / 0.5);
        snprintf(text, sizeof text, table, slope, cases[i].gap, cases[i].k);
        open_bench(&b, text, (nt_static_setup){0});
        solve(&b);
        assert_int_equal(nt_static_friction_count(b.state), 4);
        for (int foot = 0; foot < 4; foot++) {
            nt_static_friction f = friction_at(&b, foot);
            is_close("share", f.force / f.limit, share, TILT);
            assert_int_equal(f.holds, share < 1 ? NT_DRY_STICKS : NT_DRY_SLIPS);
        }
        if (cases[i].k > 0)
            is_close("slid", number(&b, "table.position.x"),
                     98.1 * (sin(slope) - 0.5 * cos(slope)) / cases[i].k, 1e-9);
        close_bench(&b);
    }
    bench b;
    char text[1500];
    snprintf(text, sizeof text, table, 0.6, 0.0, 0.0);
    open_bench(&b, text, (nt_static_setup){0});
    assert_int_not_equal(nt_static_solve(b.state, &b.error), NT_OK);
    if (!strstr(b.error.message, "friction does not hold it: contact a, contact b, contact c slip"))
        fail_msg("%s", b.error.message);
    close_bench(&b);
}

/* What stands on contacts alone carries its weight through them, whatever has slipped before. */
static const char puck[] =
    "nutate: 1\n"
    "parameters: {x0: %g}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies: {b: {point: true, mass: 2, position: [x0, 0, 0.0999]}}\n"
    "contacts:\n"
    "  c: {type: sphere_plane, between: [ground, b], plane: {normal: [0, 0, 1]}, radius: 0.1,\n"
    "      stiffness: 1e5, exponent: 1, friction: {coefficient: 0.5, law: set-valued}}\n"
    "forces: {s: {type: spring, between: [ground, b], at: [[-5, 0, 0.0999], [x0, 0, 0.0999]],\n"
    "             stiffness: 20, length: 5}}\n"
    "simulation: {duration: 1, step: 1e-3}\n";

/* Wherever it is placed: within mu m g/k of where the spring is loose it stays, from beyond it
 * comes there, straight, as nothing pushes it aside. The spring sinks with it, by 2e-4 m. */
static void puck_comes_back_to_where_it_is_held(void **state)
{
    const double reach = 0.5 * 19.62 / 20;
    (void)state;
    for (int i = -9; i < 10; i++) {
        bench b;
        char text[900];
        double start = 0.4 * i;
        snprintf(text, sizeof text, puck, start);
        open_bench(&b, text, (nt_static_setup){0});
        solve(&b);
        is_close("place", number(&b, "b.position.x"), fmax(-reach, fmin(start, reach)), 1e-5);
        is_close("across", number(&b, "b.position.y"), 0, 1e-6);
        is_close("weight", number(&b, "c.force.z"), 19.62, 1e-3);
        close_bench(&b);
    }
}

/* A force that pulls back and nothing across: where it slips nothing else holds it. */
static void what_only_friction_holds_comes_to_rest(void **state)
{
    static const char text[] =
        "nutate: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies: {b: {point: true, mass: 2, position: [1.6, 0, 0.0999]}}\n"
        "contacts:\n"
        "  c: {type: sphere_plane, between: [ground, b], plane: {normal: [0, 0, 1]}, radius: 0.1,\n"
        "      stiffness: 1e5, exponent: 1, friction: {coefficient: 0.5, law: set-valued}}\n"
        "forces: {s: {type: force, on: b, value: [-20*b.position.x, 0, 0]}}\n"
        "simulation: {duration: 1, step: 1e-3}\n";
    bench b;
    (void)state;
    open_bench(&b, text, (nt_static_setup){0});
    solve(&b);
    is_close("place", number(&b, "b.position.x"), 0.4905, 1e-7);
    is_close("weight", number(&b, "c.force.z"), 19.62, 1e-9);
    close_bench(&b);
}

/* A ladder at 0.3 rad from upright, with a sphere at each end: both are at their limits where
 * tan 0.3 = 2 mu/(1 - mu^2), at mu = 0.151. Below it slides out, leaves the wall, and hangs at last
 * from the foot, on which it stands through the floor. */
static void ladder_stands_or_slides_out(void **state)
{
    static const char ladder[] =
        "nutate: 1\n"
        "parameters: {a: 0.3, mu: %g}\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies: {l: {mass: 10, inertia: [3.3, 3.3, 0.1], position: [sin(a), 0, cos(a)],\n"
        "             orientation: {axis: [0, 1, 0], angle: a}}}\n"
        "joints: {p: {type: planar, between: [ground, l], at: [sin(a), 0, cos(a)],\n"
        "             axis: [0, 1, 0]}}\n"
        "contacts:\n"
        "  floor: {type: sphere_plane, between: [ground, l], at: [0, 0, -1], radius: 0.05,\n"
        "      plane: {point: [0, 0, -0.05], normal: [0, 0, 1]}, stiffness: 1e6, exponent: 1,\n"
        "      friction: {coefficient: mu, law: set-valued}}\n"
        "  wall: {type: sphere_plane, between: [ground, l], at: [0, 0, 1], radius: 0.05,\n"
        "      plane: {point: [2*sin(a)+0.05, 0, 0], normal: [-1, 0, 0]}, stiffness: 1e6,\n"
        "      exponent: 1, friction: {coefficient: mu, law: set-valued}}\n"
        "simulation: {duration: 1, step: 1e-3}\n";
    static const double mus[] = {0.02, 0.05, 0.1, 0.14, 0.16, 0.5};
    (void)state;
    for (size_t i = 0; i < sizeof mus / sizeof mus[0]; i++) {
        bench b;
        char text[1500];
        snprintf(text, sizeof text, ladder, mus[i]);
        open_bench(&b, text, (nt_static_setup){0});
        solve(&b);
        double height = number(&b, "l.position.z");
        if (mus[i] > 0.151)
            is_close("height", height, cos(0.3), 1e-3);
        else
            is_close("height", height, -1 - 98.1 / 1e6, 1e-8);
        is_close("weight", number(&b, "floor.force.z") + number(&b, "wall.force.z"), 98.1, 1e-5);
        is_close("push", number(&b, "floor.force.x") + number(&b, "wall.force.x"), 0, 1e-5);
        close_bench(&b);
    }
}

/* Two contacts between the same bodies: they slip together, though one carries thrice the other. */
static void block_on_two_contacts_comes_back(void **state)
{
    static const char text[] =
        "nutate: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies: {b: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0.0999]}}\n"
        "joints: {g: {type: planar, between: [ground, b], at: [1, 0, 0.0999], axis: [0, 1, 0]}}\n"
        "contacts:\n"
#define FOOT2(name, x)                                                                             \
    "  " name ": {type: sphere_plane, between: [ground, b], plane: {normal: [0, 0, 1]},\n"         \
    "      at: [" x ", 0, 0], radius: 0.1, stiffness: 1e5, exponent: 1,\n"                         \
    "      friction: {coefficient: 0.5, law: set-valued}}\n"
        FOOT2("c1", "0.1") FOOT2("c2", "-0.1") "forces: {s: {type: spring, between: [ground, b], "
                                               "at: [[-5, 0, 0.1], [1, 0, 0.0999]],\n"
                                               "             stiffness: 20, length: 5}}\n"
                                               "simulation: {duration: 1, step: 1e-3}\n";
    bench b;
    nt_stability stability;
    (void)state;
    open_bench(&b, text, (nt_static_setup){0});
    solve(&b);
    is_close("place", number(&b, "b.position.x"), 0.4905, 1e-5);
    is_close("friction", number(&b, "c1.force.x") + number(&b, "c2.force.x"), 9.81, 1e-4);
    if (nt_static_stability(b.state, &stability, &b.error) != NT_OK)
        fail_msg("%s", b.error.message);
    assert_true(stability.stable);
    close_bench(&b);
}

/* It has slipped to rest along the spring, which holds it across: nothing leaves this state. */
static void what_has_slipped_is_judged_at_rest(void **state)
{
    bench b;
    nt_stability stability;
    char text[900];
    (void)state;
    snprintf(text, sizeof text, puck, 1.0);
    open_bench(&b, text, (nt_static_setup){0});
    solve(&b);
    is_close("place", number(&b, "b.position.x"), 0.5 * 19.62 / 20, 1e-5);
    if (nt_static_stability(b.state, &stability, &b.error) != NT_OK)
        fail_msg("%s", b.error.message);
    assert_true(stability.stable);
    assert_int_equal(friction_at(&b, 0).holds, NT_DRY_SLIPS);
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_rests_where_friction_holds),
        cmocka_unit_test(block_lags_along_a_path),
        cmocka_unit_test(rod_falls_to_where_it_is_held),
        cmocka_unit_test(table_stands_on_slope),
        cmocka_unit_test(puck_comes_back_to_where_it_is_held),
        cmocka_unit_test(what_only_friction_holds_comes_to_rest),
        cmocka_unit_test(ladder_stands_or_slides_out),
        cmocka_unit_test(block_on_two_contacts_comes_back),
        cmocka_unit_test(what_has_slipped_is_judged_at_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
