/* Cables: the catenary they hang in, tangents with ends on turning bodies and a bed that curves,
 * tension alone, momentum, what they refuse. */
#include "analysis/bench.h"

/* A line of weight w per length that does not stretch: half the span X/2 = a asinh(L/(2 a)), its
 * tension at the ends w a cosh(X/(2 a)), its sag a (cosh(X/(2 a)) - 1). */
static void test_catenary(void **state)
{
    static const char text[] =
        "nutate: 1\n"
        "gravity: [0, 0, -10]\n"
        "parameters: {n: 20}\n"
        "cables: {chain: {between: [ground, ground], at: [[0, 0, 0], [8, 0, 0]], length: 10, mass: "
        "2,\n"
        "  stiffness: 1e7, elements: n}}\n"
        "simulation: {duration: 1, step: 1e-2}\n";
    double a = 2, off[2];
    (void)state;
    for (int i = 0; i < 60; i++) { /* Newton */
        double f = a * asinh(5 / a) - 4, d = asinh(5 / a) - 5 / a / sqrt(1 + 25 / a / a);
        a -= f / d;
    }
    for (int k = 0; k < 2; k++) {
        bench b = {0};
        const nt_setting settings[] = {{"n", k ? "40" : "20"}};
        if (nt_model_read_text(&b.model, text, strlen(text), "chain", NULL, settings, 1, &b.error))
            fail_msg("%s", b.error.message);
        begin_bench(&b, (nt_static_setup){0});
        nt_state start = nt_static_state(b.state);
        nt_quantity_info tension;
        double before[2];
        assert_int_equal(nt_model_quantity(b.model, "chain.tension", &tension, &b.error), NT_OK);
        assert_int_equal(nt_run_sample(b.run, &tension, &start, NULL, before, &b.error), NT_OK);
        solve(&b);
        is_close("it hangs there from the start", number(&b, "chain.tension.start") / before[0], 1,
                 1e-8);
        off[k] = number(&b, k ? "chain.node20.position.z" : "chain.node10.position.z") +
                 a * (cosh(4 / a) - 1);
        is_close("tension", number(&b, "chain.tension.end") / (20 * a * cosh(4 / a)), 1,
                 k ? 1e-3 : 4e-3);
        close_bench(&b);
    }
    print_message("sag off by %.2e, %.2e m: order %.2f\n", off[0], off[1], log2(off[0] / off[1]));
    is_close("order", log2(off[0] / off[1]), 2, 0.1);
}

/* However stiff a line is, it begins where its weight hangs it: with 1e14 N a tension is known to
 * .2 N, of 74.66 N that more yielding lines have. */
static void test_stiff_line_hangs(void **state)
{
    static const char text[] =
        "nutate: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "parameters: {EA: 1e8}\n"
        "cables: {c: {between: [ground, ground], at: [[0, 0, 0], [10, 0, 0]], length: 12,\n"
        "  mass: 1, stiffness: EA, elements: 10}}\n"
        "simulation: {duration: 1, step: 1e-2}\n";
    static const char *const stiffness[] = {"1e8", "1e12", "1e14"};
    double tension[3];
    (void)state;
    for (int k = 0; k < 3; k++) {
        bench b = {0};
        const nt_setting settings[] = {{"EA", stiffness[k]}};
        if (nt_model_read_text(&b.model, text, strlen(text), "chain", NULL, settings, 1, &b.error))
            fail_msg("%s", b.error.message);
        begin_bench(&b, (nt_static_setup){0});
        nt_state start = nt_static_state(b.state);
        nt_quantity_info info;
        double ends[2];
        assert_int_equal(nt_model_quantity(b.model, "c.tension", &info, &b.error), NT_OK);
        assert_int_equal(nt_run_sample(b.run, &info, &start, NULL, ends, &b.error), NT_OK);
        tension[k] = ends[1];
        close_bench(&b);
    }
    is_close("1e12 N", tension[1] / tension[0], 1, 1e-4);
    is_close("1e14 N", tension[2] / tension[0], 1, 5e-3);
}

/* Both ends above a bed on which the middle lies: it begins there, not below, where springs of the
 * bed would hold 43 kJ. */
static void test_begins_on_the_bed(void **state)
{
    static const char text[] =
        "nutate: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "cables:\n"
        "  c: {between: [ground, ground], at: [[0, 0, 0], [10, 0, 0.5]], length: 11, mass: 2,\n"
        "      stiffness: 1e6, damping: 1e-3, seabed: {height: -1, stiffness: 1e4, damping: 100}}\n"
        "simulation: {duration: 1, step: 1e-3}\n";
    bench b = {0};
    nt_quantity_info potential;
    double before;
    (void)state;
    if (nt_model_read_text(&b.model, text, strlen(text), "bed", NULL, NULL, 0, &b.error))
        fail_msg("%s", b.error.message);
    begin_bench(&b, (nt_static_setup){0});
    nt_state start = nt_static_state(b.state);
    assert_int_equal(nt_model_quantity(b.model, "energy.potential", &potential, &b.error), NT_OK);
    assert_int_equal(nt_run_sample(b.run, &potential, &start, NULL, &before, &b.error), NT_OK);
    solve(&b);
    is_close("energy of the start over that at rest", before / number(&b, "energy.potential"), 1,
             5e-3);
    is_close("node 10 lies, as deep as bears it", number(&b, "c.node10.position.z"),
             -1 - 2 * 9.81 / 1e4, 1e-9);
    close_bench(&b);
}

/* A body that lies on the bed by the end of its cable: the bed bears the body, half a segment of
 * the cable there, and a whole one at the node beside it. The ground's own end, below the bed, is
 * held there. */
static void test_end_on_the_bed(void **state)
{
    static const char text[] =
        "nutate: 1\n"
        "gravity: [0, 0, -10]\n"
        "bodies: {clump: {mass: 3, inertia: [1, 1, 1], position: [1.9, 0, -1]}}\n"
        "cables:\n"
        "  c: {between: [ground, clump], at: [[0, 0, -1.005], [1.9, 0, -1]], length: 2, mass: 4,\n"
        "      stiffness: 1e5, elements: 5, seabed: {height: -1, stiffness: 2e4, damping: 500}}\n"
        "static: {hold: [free]}\n"
        "simulation: {duration: 1, step: 1e-3}\n";
    bench b = {0};
    (void)state;
    if (nt_model_read_text(&b.model, text, strlen(text), "end", NULL, NULL, 0, &b.error))
        fail_msg("%s", b.error.message);
    begin_bench(&b, (nt_static_setup){0});
    solve(&b);
    is_close("the end", number(&b, "clump.position.z"), -1 - (30 + 8) / (2e4 * 0.2), 1e-12);
    is_close("the node beside it", number(&b, "c.node4.position.z"), -1 - 40 / 2e4, 1e-12);
    is_close("what the cable does not bear", number(&b, "c.tension.end"), 30, 1e-9);
    close_bench(&b);
}

static double first_value(bench *b, const char *name)
{
    nt_quantity_info info;
    nt_state start = nt_static_state(b->state);
    double out[4];
    if (nt_model_quantity(b->model, name, &info, &b->error) ||
        nt_run_sample(b->run, &info, &start, NULL, out, &b->error))
        fail_msg("%s: %s", name, b->error.message);
    return out[0];
}

static void begin_cable(bench *b, const char *keys)
{
    char text[700];
    snprintf(text, sizeof text,
             "nutate: 1\n"
             "gravity: [0, 0, -9.81]\n"
             "tables: {depth: depth.csv, edge: {file: edge.csv, beyond: error}}\n"
             "parameters: {s: 0.3}\n"
             "cables:\n"
             "  c: {between: [ground, ground], mass: 2, stiffness: 1e6, damping: 1e-3,\n"
             "      elements: 24, %s}\n"
             "simulation: {duration: 1, step: 1e-3}\n",
             keys);
    FILE *depth = fopen("depth.csv", "w");
    assert_non_null(depth);
    fputs("x,z\n-5,0\n0,0\n3,-1\n5,1\n7,0.5\n15,2\n", depth);
    fclose(depth);
    FILE *edge = fopen("edge.csv", "w");
    assert_non_null(edge);
    fputs("x,z\n-20,4\n30,-6\n", edge);
    fclose(edge);
    if (nt_model_read_text(&b->model, text, strlen(text), "bed", NULL, NULL, 0, &b->error))
        fail_msg("%s", b->error.message);
    remove("depth.csv");
    remove("edge.csv");
    begin_bench(b, (nt_static_setup){0});
}

/* A line with more length than it needs lies slack on the bed, where nothing pushes it along: that
 * is a state of rest. What rises to an end bears its own weight there and nothing across. */
static void test_slack_on_the_bed(void **state)
{
    static const struct {
        const char *keys;
        int lies;   /* directions of nodes between slack segments: two of each */
        double end; /* N */
    } cases[] = {
        /* all of it lies: half a segment hangs on the end that holds it */
        {"at: [[0, 0, 0], [10, 0, 0]], length: 12, seabed: {height: 0, stiffness: 1e4}", 46,
         2 * 9.81 * 0.25},
        /* an end 5 m above the bed: the weight of 5 m */
        {"at: [[0, 0, 0], [10, 0, 5]], length: 16, seabed: {height: 0, stiffness: 1e4}", 32,
         2 * 9.81 * 5},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bench b = {0};
        begin_cable(&b, cases[i].keys);
        double middle = first_value(&b, "c.node5.position.x");
        solve(&b);
        is_close("tension", number(&b, "c.tension.end") / cases[i].end, 1, 1e-6);
        is_close("a node stays where it lies", number(&b, "c.node5.position.x"), middle, 1e-12);
        assert_int_equal(nt_static_rest_count(b.state), cases[i].lies);
        assert_int_equal(nt_static_free_count(b.state), cases[i].lies);
        nt_stability stability = {0};
        assert_int_equal(nt_static_stability(b.state, &stability, &b.error), NT_OK);
        assert_true(stability.stable && !stability.critical);
        close_bench(&b);
    }
}

/* The same where a damped motion is asked for: it begins at rest, and weights count as loads though
 * the bed bears them. */
static void test_slack_is_stable(void **state)
{
    bench b = {0};
    static const char text[] =
        "nutate: 1\n"
        "cables:\n"
        "  c: {between: [ground, ground], at: [[0, 0, 0], [10, 0, 5]], length: 16, mass: 2,\n"
        "      stiffness: 1e6, elements: 24, seabed: {height: 0, stiffness: 1e4}}\n"
        "simulation: {duration: 1, step: 1e-3}\n";
    (void)state;
    if (nt_model_read_text(&b.model, text, strlen(text), "bed", NULL, NULL, 0, &b.error))
        fail_msg("%s", b.error.message);
    begin_bench(&b, (nt_static_setup){.damped = 1});
    solve(&b);
    is_close("tension", number(&b, "c.tension.end") / (2 * 9.80665 * 5), 1, 1e-6);
    assert_int_equal(nt_static_rest_count(b.state), 32);
    close_bench(&b);
}

/* A body on a slack line without gravity is nowhere at rest: it is named, the line's nodes not. */
static void test_slack_tether_is_free(void **state)
{
    static const char text[] =
        "nutate: 1\n"
        "gravity: [0, 0, 0]\n"
        "bodies: {ball: {mass: 3, inertia: [1, 1, 1], position: [1, 0, 0]}}\n"
        "cables: {line: {between: [ground, ball], length: 2, mass: 0.01, stiffness: 1e4,\n"
        "  elements: 4}}\n"
        "simulation: {duration: 1, step: 1e-3}\n";
    bench b = {0};
    (void)state;
    if (nt_model_read_text(&b.model, text, strlen(text), "tether", NULL, NULL, 0, &b.error))
        fail_msg("%s", b.error.message);
    begin_bench(&b, (nt_static_setup){0});
    assert_int_equal(nt_static_solve(b.state, &b.error), NT_SINGULAR);
    assert_non_null(strstr(b.error.message, "translation of body ball"));
    assert_null(strstr(b.error.message, "line"));
    assert_int_equal(nt_static_free_count(b.state) - nt_static_rest_count(b.state), 6);
    close_bench(&b);
}

/* Over a bed that is not flat a line starts at rest too, on it or above it. */
static void test_begins_at_rest_on_any_bed(void **state)
{
    static const char *const keys[] = {
        "at: [[0, 0, 0], [10, 0, 8]], length: 14, seabed: {height: s*c.x, stiffness: 1e4}",
        "at: [[0, 0, 2], [10, 3, 4]], length: 14, seabed: {height: -0.2*c.x + 0.4*c.y,\n"
        "          stiffness: 1e6}",
        "at: [[0, 0, 1], [10, -2, 7]], length: 15, seabed: {height: 0.05*c.x^2, stiffness: 1e4}",
        "at: [[0, 0, 1], [10, 0, 6]], length: 15,\n"
        "          seabed: {height: \"table(depth, c.x)\", stiffness: 1e5}",
        /* so slack that a first try leads far beyond the table */
        "at: [[0, 0, 0.05], [10, 0, -1.95]], length: 14,\n"
        "          seabed: {height: \"table(edge, c.x)\", stiffness: 1e4}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        static const char *const names[] = {"c.tension.start", "c.tension.end", "energy.potential"};
        bench b = {0};
        double before[3];
        begin_cable(&b, keys[i]);
        for (int k = 0; k < 3; k++)
            before[k] = first_value(&b, names[k]);
        solve(&b);
        for (int k = 0; k < 3; k++)
            is_close(names[k], before[k] / number(&b, names[k]), 1, 1e-7);
        close_bench(&b);
    }
}

/* Ends above each other, or nearly so, with a line that is longer than the way: it hangs down from
 * both, and at the bottom a segment is slack or bears next to nothing. It begins at rest. */
static void test_hangs_down_between_near_ends(void **state)
{
    static const double across[] = {0, 1e-6, 1e-3, 0.1, 0.7, 1.1}, up[] = {0, 3, -9.5};
    static const char *const elements[] = {"2", "3", "7", "60"}, *const stiff[] = {"1e3", "1e9"};
    (void)state;
    for (int i = 0; i < 6 * 3 * 4 * 2; i++) {
        bench b = {0};
        double X = across[i % 6], Z = up[i / 6 % 3], EA = atof(stiff[i / 72]);
        char text[500];
        snprintf(
            text, sizeof text,
            "nutate: 1\n"
            "gravity: [0, 0, -9.81]\n"
            "cables: {c: {between: [ground, ground], at: [[0, 0, 0], [%g, 0, %g]], length: 10,\n"
            "  mass: 0.5, stiffness: %s, elements: %s}}\n"
            "simulation: {duration: 1, step: 1e-3}\n",
            X, Z, stiff[i / 72], elements[i / 18 % 4]);
        if (nt_model_read_text(&b.model, text, strlen(text), "near", NULL, NULL, 0, &b.error))
            fail_msg("across %g, up %g, %s: %s", X, Z, text, b.error.message);
        begin_bench(&b, (nt_static_setup){0});
        double before[2] = {first_value(&b, "c.tension.start"), first_value(&b, "c.tension.end")};
        solve(&b);
        double ends[2] = {number(&b, "c.tension.start"), number(&b, "c.tension.end")};
        is_close("start", before[0], ends[0], 1e-6 * (10 * 9.81 + 1e-9 * EA));
        is_close("end", before[1], ends[1], 1e-6 * (10 * 9.81 + 1e-9 * EA));
        if (X == 0) /* each end bears what hangs on it, and both all of it */
            is_close("weight", ends[0] + ends[1], 5 * 9.81, 1e-6 + 1e-14 * EA);
        close_bench(&b);
    }
}

/* A piece of the line is taut over a ridge, with slack on both sides of it: nothing holds it across
 * the line, and there it may lie. */
static void test_piece_over_a_ridge(void **state)
{
    static const char text[] =
        "nutate: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "cables:\n"
        "  c: {between: [ground, ground], at: [[0, 0, 0], [40, 0, 0]], length: 50, mass: 20,\n"
        "      stiffness: 1e6, elements: 30,\n"
        "      seabed: {height: \"table(\\\"ridge.csv\\\", c.x)\", stiffness: 1e5}}\n"
        "simulation: {duration: 1, step: 1e-3}\n";
    bench b = {0};
    FILE *ridge = fopen("ridge.csv", "w");
    (void)state;
    assert_non_null(ridge);
    fputs("x,z\n0,-2\n10,-2\n15,-6\n20,-3\n25,-6\n30,-1\n40,-8\n", ridge);
    fclose(ridge);
    if (nt_model_read_text(&b.model, text, strlen(text), "ridge", NULL, NULL, 0, &b.error))
        fail_msg("%s", b.error.message);
    remove("ridge.csv");
    begin_bench(&b, (nt_static_setup){0});
    solve(&b);
    /* across the line: a node between slack segments, and a piece of the line */
    assert_int_equal(nt_static_free_count(b.state), 2);
    assert_int_equal(nt_static_rest_count(b.state), 2);
    nt_stability stability = {0};
    assert_int_equal(nt_static_stability(b.state, &stability, &b.error), NT_OK);
    assert_true(stability.stable);
    close_bench(&b);
}

static int count_point(void *context, nt_static *state, double load, nt_static_event event)
{
    (void)state, (void)load, (void)event;
    ++*(int *)context;
    return 0;
}

/* A mooring line is paid out until it lies slack, and a weight is let down until its line comes
 * taut: slackness ends no path and makes no step small. */
static void test_path_through_slackness(void **state)
{
    static const char *const text[] = {
        "nutate: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "parameters: {L: 850}\n"
        "cables:\n"
        "  c: {between: [ground, ground], at: [[0, 0, -200], [800, 0, -14]], length: L, mass: "
        "110,\n"
        "      stiffness: 7.5e8, elements: 40, seabed: {height: -200, stiffness: 1e5}}\n"
        "simulation: {duration: 1, step: 1e-3}\n",
        "nutate: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "parameters: {P: 500}\n"
        "bodies: {w: {mass: 1, inertia: [1, 1, 1], position: [0, 0, -9]}}\n"
        "joints: {p: {type: prismatic, between: [ground, w], at: [0, 0, -9], axis: [0, 0, 1]}}\n"
        "forces:\n"
        "  spring: {type: joint_spring, joint: p, stiffness: 100}\n"
        "  pull: {type: force, on: w, at: [0, 0, -9], value: [0, 0, -P]}\n"
        "cables: {c: {between: [ground, w], length: 10, mass: 0.5, stiffness: 1e4, elements: 10}}\n"
        "simulation: {duration: 1, step: 1e-3}\n"};
    static nt_load_range range[] = {{"L", 850, 1050}, {"P", -100, 500}};
    /* at the end of each: what the line bears there */
    const double tension[] = {1050 * 110.0 / 40 / 2 * 9.81, 419.375};
    (void)state;
    for (int i = 0; i < 2; i++) {
        bench b = {0};
        int points = 0;
        nt_static_path path = {.to = 1, .observe = count_point, .context = &points};
        open_bench(&b, text[i],
                   (nt_static_setup){.set_load = nt_loading_apply, .context = &range[i]});
        if (nt_static_follow(b.state, &path, &b.error) != NT_OK)
            fail_msg("%s: after %d points: %s", range[i].name, points, b.error.message);
        print_message("%s: %d points\n", range[i].name, points);
        assert_true(points < 40);
        is_close("tension", number(&b, "c.tension.start") / tension[i], 1, 1e-3);
        close_bench(&b);
    }
}

/* A line that hardly stretches bears in proportion to its weight. The path begins without any,
 * where segments are neither taut nor slack and nothing but rounding is left of their forces. */
static void test_path_of_weight(void **state)
{
    static const char *const text[] = {
        "nutate: 1\n"
        "gravity: [0, 0, -10]\n"
        "cables:\n"
        "  c: {between: [ground, ground], at: [[0, 0, 0], [8, 0, 0]], length: 10, mass: 2,\n"
        "      stiffness: 1e6, elements: 10}\n"
        "simulation: {duration: 1, step: 1e-2}\n",
        "nutate: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "cables:\n"
        "  c: {between: [ground, ground], at: [[0, 0, -200], [800, 0, -14]], length: 850, mass: "
        "110,\n"
        "      stiffness: 7.5e9, elements: 40, seabed: {height: -200, stiffness: 1e5}}\n"
        "simulation: {duration: 1, step: 1e-3}\n"};
    static nt_load_range range[] = {{"gravity", 0, 1}, {"gravity", 0, 0.5}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        double tension[2];
        for (int k = 0; k < 2; k++) {
            bench b = {0};
            int points = 0;
            nt_static_path path = {.to = 1, .observe = count_point, .context = &points};
            open_bench(&b, text[i],
                       (nt_static_setup){.set_load = nt_loading_apply, .context = &range[k]});
            if (nt_static_follow(b.state, &path, &b.error) != NT_OK)
                fail_msg("%d: after %d points: %s", i, points, b.error.message);
            tension[k] = number(&b, "c.tension.end");
            close_bench(&b);
        }
        print_message("tension %g N, with half of the weight %g N\n", tension[0], tension[1]);
        is_close("half of it", tension[1] / tension[0], 0.5, 1e-3);
    }
}

/* What the height depends on moves the start, although no number of the cable does. */
static void test_bed_parameter_moves_the_start(void **state)
{
    const char *keys =
        "at: [[0, 0, 0], [10, 0, 8]], length: 14, seabed: {height: s*c.x, stiffness: 1e4}";
    bench b = {0};
    double dq[200], dv[200], q[3][200], *values = q[0];
    (void)state;
    begin_cable(&b, keys);
    const nt_system *s = nt_run_system(b.run);
    assert_int_equal(s->initial_tangent(s->self, 0, 0, dq, dv, NULL), NT_OK);
    for (int i = 0; i < 3; i++) {
        double p = 0.3 + 1e-4 * (i - 1);
        assert_int_equal(s->set_parameters(s->self, &p), NT_OK);
        assert_int_equal(s->initial(s->self, 0, q[i], dv, NULL), NT_OK);
    }
    double most = 0;
    for (int i = 0; i < s->space.nv; i++) {
        most = fmax(most, fabs(dq[i]));
        is_close("derivative of a node", dq[i], (q[2][i] - values[i]) / 2e-4, 1e-4);
    }
    assert_true(most > 1);
    close_bench(&b);
}

/* ---- tangents ----------------------------------------------------------------------------------
 */

static const char moving[] =
    "nutate: 1\n"
    "parameters: {L: 3, m: 2, k: 0.02, h: 0.1, mu: 0.4}\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: [1, 2, 2.5], position: [0, 0, 1]}\n"
    "  b: {mass: 2, inertia: [2, 1, 1.5], position: [3, 0.5, 1.3], center_of_mass: [0.1, 0.2, 0]}\n"
    "cables:\n"
    "  line: {between: [a, b], at: [[0.2, 0.1, 0.9], [2.7, 0.4, 1.2]], length: L, mass: m,\n"
    "         stiffness: 500, damping: k, elements: 6, seabed: {height: \"1.3 + h*line.x^2 - \n"
    "         0.3*line.y*line.x\", stiffness: 300, damping: 20, friction: mu, speed: 0.5}}\n"
    "simulation: {duration: 1, step: 1e-2}\n";

static double next(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

static void test_tangent_and_parameters(void **state)
{
    nt_model *model;
    nt_run *run;
    nt_error error = {0};
    unsigned seed = 4;
    double q[100], v[100], vdot[100], turn[100], difference;
    (void)state;
    if (nt_model_read_text(&model, moving, strlen(moving), "cable", NULL, NULL, 0, &error) ||
        nt_run_create(&run, model, &error))
        fail_msg("%s", error.message);
    const nt_system *s = nt_run_system(run);
    nt_run_initial(run, q, v, NULL);
    for (int i = 0; i < s->space.nv; i++)
        v[i] = 0.3 * next(&seed), vdot[i] = next(&seed), turn[i] = 0.1 * next(&seed);
    nt_space_compose(&s->space, NT_INERTIAL, q, turn, q);
    nt_point at = {.q = q, .v = v, .vdot = vdot, .lambda = v, .mu = v};
    assert_int_equal(nt_system_check_tangent(s, &at, 1e-6, &difference, &error), NT_OK);
    print_message("tangent to %.1e\n", difference);
    assert_true(difference < 1e-8);
    static const double given[] = {3, 2, 0.02, 0.1, 0.4};
    for (int k = 0; k < 5; k++) {
        double p[5], h = 1e-4 * given[k], largest = 0, off = 0, exact[100] = {0}, R[4][100];
        nt_terms terms = {.parts = NT_ALL_PARTS, .residual = exact};
        memcpy(p, given, sizeof p);
        assert_int_equal(s->set_parameters(s->self, p), NT_OK);
        assert_int_equal(s->parameter_tangent(s->self, &at, k, &terms), NT_OK);
        for (int i = 0; i < 4; i++) {
            p[k] = given[k] + h * (double[]){1, -1, 2, -2}[i];
            terms.residual = R[i];
            memset(R[i], 0, sizeof R[i]);
            assert_int_equal(s->set_parameters(s->self, p), NT_OK);
            assert_int_equal(s->evaluate(s->self, &at, &terms), NT_OK);
        }
        for (int i = 0; i < s->space.nv; i++) {
            double d = (8 * (R[0][i] - R[1][i]) - R[2][i] + R[3][i]) / (12 * h);
            largest = fmax(largest, fabs(d)), off = fmax(off, fabs(d - exact[i]));
        }
        print_message("parameter %d: %.1e of %.3g\n", k, off, largest);
        assert_true(largest > 0.1 && off < 1e-7 * largest);
    }
    nt_run_destroy(run);
    nt_model_destroy(model);
}

/* ---- motion ------------------------------------------------------------------------------------
 */

typedef struct moved {
    nt_model *model;
    nt_run *run;
    nt_integrator *it;
    nt_error error;
} moved;

static void start(moved *m, const char *text)
{
    if (nt_model_read_text(&m->model, text, strlen(text), "cable", NULL, NULL, 0, &m->error) ||
        nt_run_create(&m->run, m->model, &m->error))
        fail_msg("%s", m->error.message);
    nt_integrator_setup setup = {.system = nt_run_system(m->run),
                                 .method = nt_method_find("generalized-alpha")};
    if (nt_integrator_create(&m->it, &setup, &m->error) ||
        nt_integrator_start(m->it, 0, NULL, NULL, NULL, &m->error))
        fail_msg("%s", m->error.message);
}

static double sample(moved *m, const char *name)
{
    nt_quantity_info info;
    nt_state now = nt_integrator_state(m->it);
    double out[4];
    if (nt_model_quantity(m->model, name, &info, &m->error) ||
        nt_run_sample(m->run, &info, &now, NULL, out, &m->error))
        fail_msg("%s", m->error.message);
    return out[0];
}

static void finish(moved *m)
{
    nt_integrator_destroy(m->it);
    nt_run_destroy(m->run);
    nt_model_destroy(m->model);
}

/* A body on a slack tether flies free, is caught, and comes back; energy never grows. */
static void test_tether(void **state)
{
    static const char text[] =
        "nutate: 1\n"
        "gravity: [0, 0, 0]\n"
        "bodies: {ball: {mass: 3, inertia: [1, 1, 1], position: [1, 0, 0], velocity: [2, 0, 0]}}\n"
        "cables: {line: {between: [ground, ball], length: 2, mass: 0.01, stiffness: 1e4,\n"
        "  damping: 1e-3, elements: 4}}\n"
        "simulation: {duration: 1, step: 1e-3}\n";
    moved m = {0};
    (void)state;
    start(&m, text);
    double energy = sample(&m, "energy.kinetic"), most = 0;
    assert_true(sample(&m, "line.tension.end") == 0);
    if (nt_integrator_run(m.it, 0.4, 5e-4, NULL, NULL, &m.error))
        fail_msg("%s", m.error.message);
    is_close("free flight", sample(&m, "ball.velocity.x"), 2, 1e-2);
    for (int i = 1; i <= 120; i++) {
        if (nt_integrator_run(m.it, 0.4 + i * 2.5e-3, 2.5e-4, NULL, NULL, &m.error))
            fail_msg("%s", m.error.message);
        most = fmax(most, sample(&m, "line.tension.end"));
    }
    print_message("caught by %.0f N, then %.3f m/s\n", most, sample(&m, "ball.velocity.x"));
    assert_true(most > 100);
    assert_true(sample(&m, "ball.velocity.x") < -1);
    nt_quantity_info info;
    nt_state now = nt_integrator_state(m.it);
    double e[4];
    assert_int_equal(nt_model_quantity(m.model, "energy", &info, &m.error), NT_OK);
    assert_int_equal(nt_run_sample(m.run, &info, &now, NULL, e, &m.error), NT_OK);
    assert_true(e[2] < energy);
    finish(&m);
}

/* A line is drawn up a bed that falls by 3 in 4 and bears it with 4/5 of its weight, rough and
 * with a speed at which friction is all that it can be. */
static void test_friction_on_a_slope(void **state)
{
    static const char text[] =
        "nutate: 1\n"
        "gravity: [0, 0, -10]\n"
        "bodies:\n"
        "  a: {mass: 1, inertia: [1, 1, 1]}\n"
        "  b: {mass: 1, inertia: [1, 1, 1], position: [8, 0, 6]}\n"
        "joints:\n"
        "  pa: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: [0.8, 0, 0.6],\n"
        "       motion: 0.4*t}\n"
        "  pb: {type: prismatic, between: [ground, b], at: [8, 0, 6], axis: [0.8, 0, 0.6],\n"
        "       motion: 0.4*t}\n"
        "cables:\n"
        "  c: {between: [a, b], length: 10, mass: 2, stiffness: 2e4, damping: 0.05, elements: 10,\n"
        "      seabed: {height: 0.75*c.x, stiffness: 1e4, damping: 300, friction: 0.5, speed: "
        "1e-5}}\n"
        "simulation: {duration: 1, step: 1e-2}\n";
    moved m = {0};
    (void)state;
    start(&m, text);
    if (nt_integrator_run(m.it, 6, 1e-2, NULL, NULL, &m.error))
        fail_msg("%s", m.error.message);
    double pull = 0, weight = 22 * 10;
    const char *const names[] = {"pa.force.x", "pa.force.z", "pb.force.x", "pb.force.z"};
    for (int i = 0; i < 4; i++)
        pull += (i % 2 ? 0.6 : 0.8) * sample(&m, names[i]);
    is_close("friction of nine nodes over what presses", (pull - 0.6 * weight) / (0.8 * 18 * 10),
             0.5, 1e-3);
    finish(&m);
}

/* Two bodies and their cable in free fall: momentum grows with the weight of all, nothing else. */
static void test_momentum(void **state)
{
    static const char text[] =
        "nutate: 1\n"
        "gravity: [0, 0, -5]\n"
        "bodies:\n"
        "  a: {mass: 1, inertia: [1, 2, 2.5], angular_velocity: [1, 2, 3]}\n"
        "  b: {mass: 2, inertia: [2, 1, 1.5], position: [3, 0, 0], velocity: [1, 0.5, 0]}\n"
        "cables: {line: {between: [a, b], at: [[0.3, 0, 0], [2.8, 0.1, 0]], length: 2.6, mass: "
        "0.5,\n"
        "  stiffness: 400, elements: 5}}\n"
        "simulation: {duration: 1, step: 1e-3}\n";
    moved m = {0};
    nt_quantity_info info;
    double before[3], after[3], mass = 3 + 0.5 * 2.6;
    (void)state;
    start(&m, text);
    nt_state now = nt_integrator_state(m.it);
    assert_int_equal(nt_model_quantity(m.model, "momentum", &info, &m.error), NT_OK);
    assert_int_equal(nt_run_sample(m.run, &info, &now, NULL, before, &m.error), NT_OK);
    if (nt_integrator_run(m.it, 0.5, 1e-3, NULL, NULL, &m.error))
        fail_msg("%s", m.error.message);
    now = nt_integrator_state(m.it);
    assert_int_equal(nt_run_sample(m.run, &info, &now, NULL, after, &m.error), NT_OK);
    is_close("x", after[0], before[0], 2e-3);
    is_close("y", after[1], before[1], 2e-3);
    is_close("z", after[2] - before[2], -5 * mass * 0.5, 2e-3);
    finish(&m);
}

/* An end on a body that begins deeper below the bed than a segment is long is told with its body
 * and how deep it is; less is a place on a soft bed. */
static void test_deep_ends(void **state)
{
    static const struct {
        double z;
        const char *words;
    } cases[] = {{-40, "its second end, on body float, is 40 m below its bed at t = 0 s"},
                 {-0.5, NULL}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        moved m = {0};
        char text[700], words[400] = "";
        snprintf(text, sizeof text,
                 "nutate: 1\ngravity: [0, 0, -9.81]\n"
                 "bodies: {float: {mass: 3, inertia: [1, 1, 1], position: [5, 0, %g]}}\n"
                 "cables: {line: {between: [ground, float], at: [[0, 0, 0], [5, 0, %g]], length: "
                 "45, mass: 0.5,\n  stiffness: 400, elements: 45, seabed: {height: 0, stiffness: "
                 "10}}}\nsimulation: {duration: 1, step: 1e-3}\n",
                 cases[i].z, cases[i].z);
        start(&m, text);
        nt_state now = nt_integrator_state(m.it);
        nt_point at = {.t = now.t, .q = now.q, .v = now.v, .memory = now.memory};
        nt_energy energy = {0};
        const nt_system *system = nt_run_system(m.run);
        assert_int_equal(system->energy(system->self, &at, &energy), NT_OK);
        nt_run_warning(m.run, 0, words, sizeof words);
        if (cases[i].words ? !strstr(words, cases[i].words) : words[0] != 0)
            fail_msg("%g: '%s'", cases[i].z, words);
        finish(&m);
    }
}

static void test_refusals(void **state)
{
    static const struct {
        const char *keys, *words;
        int line;
    } cases[] = {
        {"length: -1, mass: 1, stiffness: 1", "length is -1, expected a positive number", 6},
        {"length: 1, mass: 0, stiffness: 1", "mass is 0, expected a positive number", 6},
        {"length: 1, stiffness: 1", "lacks the key 'mass'", 5},
        {"length: 1, mass: 1, stiffness: 1, elements: 2.5", "a whole number from 1 to 2000", 6},
        {"length: 1, mass: 1, stiffness: 1, damping: -1",
         "damping is -1, expected zero or a positive number", 6},
        {"length: 1, mass: 1, stiffness: 1, seabed: {height: 0, stiffness: 0}",
         "seabed.stiffness is 0, expected a positive number", 6},
        {"length: 1, mass: 1, stiffness: 1, seabed: {height: 0, stiffness: 1, friction: -2}",
         "seabed.friction is -2, expected zero or a positive number", 6},
        {"length: 1, mass: 1, stiffness: 1, seabed: {height: 0, stiffness: 1, friction: 1, "
         "speed: 0}",
         "seabed.speed is 0, expected a positive number", 6},
        {"length: 1, mass: 1, stiffness: 1, seabed: {height: b.position.x, stiffness: 1}",
         "may depend on c.x, c.y and parameters alone", 6},
        {"length: 1, mass: 1, stiffness: 1, seabed: {height: -1 + 0.1*t, stiffness: 1}",
         "may depend on c.x, c.y and parameters alone", 6},
        {"at: [[0, 0, -2], [1, 0, 0]], length: 4, mass: 1, stiffness: 1e5, elements: 4, seabed: "
         "{height: 3*c.x - 0.9, stiffness: 1}",
         "the bed is at z = -0.9 m where the ground holds the first end at z = -2 m, which is 1.1 "
         "m below; expected at most 1 m, a segment",
         6},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "nutate: 1\nsimulation: {duration: 1, step: 1}\nbodies: {b: {mass: 1, inertia: "
                 "[1,1,1], position: [1,0,0]}}\ncables:\n  c: {between: [ground, b],\n      %s}\n",
                 cases[i].keys);
        text_is_refused(text, cases[i].line, cases[i].words);
    }
}

/* Lengths, weights and stiffnesses whose ratios overflow or are lost in rounding are refused where
 * the cable stands, and masses that no body may have. */
static void test_start_without_numbers(void **state)
{
    static const char place[] = "body c.node1 begins at no finite place";
    static const struct {
        const char *numbers, *words;
    } cases[] = {
        {"length: 1e-300, mass: 2, stiffness: 1e20", place},
        {"length: 1e300, mass: 2, stiffness: 4e4",
         "stiffness is 40000 N, so little that its length is lost beside how far its weight of "
         "1.96e+301 N stretches it; expected 1.96e+289 N at least"},
        {"length: 1, mass: 1e50, stiffness: 1e-300", "expected 9.81e+38 N at least"},
        {"length: 10, mass: 1, stiffness: 1e30", "stiffness is 1e+30 N, so large that rounding"},
        {"length: 10, mass: 1, stiffness: 1e6, damping: 1e30", "expected at most 1e+18 s"},
        {"length: 10, mass: 1, stiffness: 1e6, seabed: {height: -9, stiffness: 1e30}",
         "seabed.stiffness is 1e+30 N/m^2, so large that rounding"},
        {"length: 10, mass: 1, stiffness: 1e6, seabed: {height: -9, stiffness: 1, damping: 1e30}",
         "seabed.damping is 1e+30 N s/m^2, so large that rounding"},
        {"length: 10, mass: 1, stiffness: 1e6, seabed: {height: -9, stiffness: 1, friction: 1e30}",
         "seabed.friction is 1e+30, expected at most 1e+12"},
        {"length: 10, mass: 1, stiffness: 1e6, seabed: {height: -9, stiffness: 1, friction: 1, "
         "speed: 1e-30}",
         "seabed.speed is 1e-30 m/s, expected 1e-12 m/s at least"},
        {"length: 1, mass: 1e300, stiffness: 1", "mass is 1e+300 kg/m, expected 1e-50 to 1e50"},
        {"length: 1, mass: 1e-300, stiffness: 1e-300", "mass is 1e-300 kg/m, expected 1e-50"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "nutate: 1\ngravity: [0, 0, -9.81]\ncables:\n  c: {between: [ground, ground], at: "
                 "[[0, 0, 0], [8, 0, 0]], %s, elements: 4}\n",
                 cases[i].numbers);
        text_is_refused(text, 4, cases[i].words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_catenary),
        cmocka_unit_test(test_stiff_line_hangs),
        cmocka_unit_test(test_begins_on_the_bed),
        cmocka_unit_test(test_end_on_the_bed),
        cmocka_unit_test(test_slack_on_the_bed),
        cmocka_unit_test(test_slack_is_stable),
        cmocka_unit_test(test_slack_tether_is_free),
        cmocka_unit_test(test_begins_at_rest_on_any_bed),
        cmocka_unit_test(test_hangs_down_between_near_ends),
        cmocka_unit_test(test_piece_over_a_ridge),
        cmocka_unit_test(test_path_through_slackness),
        cmocka_unit_test(test_path_of_weight),
        cmocka_unit_test(test_bed_parameter_moves_the_start),
        cmocka_unit_test(test_tangent_and_parameters),
        cmocka_unit_test(test_tether),
        cmocka_unit_test(test_friction_on_a_slope),
        cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_deep_ends),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_start_without_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
