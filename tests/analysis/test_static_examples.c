/* Static states of the examples against formulas. */
#include "analysis/bench.h"

static const double g = 9.81;

static void open_example(bench *b, const char *name, const nt_setting *settings, int n,
                         nt_static_setup setup)
{
    char path[500];
    *b = (bench){0};
    snprintf(path, sizeof path, "%s/examples/%s/%s.yaml", NUTATE_SOURCE_DIR, name, name);
    if (nt_model_read(&b->model, path, settings, n, &b->error))
        fail_msg("%s", b->error.message);
    begin_bench(b, setup);
}

/* ---- a catenary ----------------------------------------------------------------------------- */

enum { LINKS = 64 };
static const double WEIGHT = 0.02 * 9.81, LINK = 2.0 / 64, SPAN = 1.2;

/* A link at rest under its weight and the forces at its ends stands in the direction of the mean of
 * these: tan = w (N + 1 - 2 i) / 2 H for link i = 1..N, H the horizontal force. Their sum is the
 * span: increasing in H. */
static double span_of(double H)
{
    double sum = 0;
    for (int i = 1; i <= LINKS; i++) {
        double slope = WEIGHT * (LINKS + 1 - 2 * i) / (2 * H);
        sum += LINK / sqrt(1 + slope * slope);
    }
    return sum;
}

static double horizontal_force(void)
{
    double low = 1e-3, high = 1e3;
    for (int i = 0; i < 200; i++) {
        double middle = sqrt(low * high);
        *(span_of(middle) < SPAN ? &low : &high) = middle;
    }
    return low;
}

static void catenary(void **state)
{
    bench b;
    nt_stability stability;
    double H = horizontal_force(), x = 0, z = 0;
    (void)state;
    open_example(&b, "catenary", NULL, 0, (nt_static_setup){0});
    solve(&b);
    is_close("horizontal force", number(&b, "end.force.x"), H, 1e-10);
    is_close("half the weight", number(&b, "end.force.z"), LINKS * WEIGHT / 2, 1e-10);
    for (int i = 1; i <= LINKS; i++) {
        char name[40];
        double slope = -WEIGHT * (LINKS + 1 - 2 * i) / (2 * H);
        double c = LINK / sqrt(1 + slope * slope);
        snprintf(name, sizeof name, "link%d.position.x", i);
        is_close(name, number(&b, name), x + c / 2, 1e-11);
        snprintf(name, sizeof name, "link%d.position.z", i);
        is_close(name, number(&b, name), z + slope * c / 2, 1e-11);
        x += c;
        z += slope * c;
    }
    assert_int_equal(nt_static_stability(b.state, &stability, &b.error), NT_OK);
    assert_int_equal(stability.stable, 1);
    /* a curve without links: span = 2 a asinh(L/2a), sag = a (cosh(span/2a) - 1); they differ by
     * the square of a link's length */
    double a = H / (LINKS * WEIGHT / 2.0);
    is_close("curve", 2 * a * asinh(1 / a), SPAN, 1e-3);
    is_close("sag", -number(&b, "lowest.position.z"), a * (cosh(SPAN / (2 * a)) - 1), 1e-3);
    close_bench(&b);
}

/* ---- a four-bar ----------------------------------------------------------------------------- */

static const double a_ = 0.4, b_ = 1, c_ = 0.8, d_ = 1, rod = 2;

/* Potential energy over the angle of the crank, for coupler and rocker above the line between the
 * crank's end and the rocker's foot. */
static double potential(double phi)
{
    double bx = a_ * cos(phi), bz = a_ * sin(phi), ex = d_ - bx, ez = -bz;
    double e = sqrt(ex * ex + ez * ez), along = (b_ * b_ - c_ * c_ + e * e) / (2 * e);
    double across = sqrt(b_ * b_ - along * along);
    double cz = bz + (along * ez + across * ex) / e;
    return rod * g * (a_ * bz / 2 + b_ * (bz + cz) / 2 + c_ * cz / 2);
}

static double slope(double phi)
{
    const double h = 1e-3; /* sixth order */
    double s = 0;
    static const double w[3] = {45.0 / 60, -9.0 / 60, 1.0 / 60};
    for (int k = 1; k <= 3; k++)
        s += w[k - 1] * (potential(phi + k * h) - potential(phi - k * h)) / h;
    return s;
}

/* From each placement the nearest place where the potential is level: a minimum is stable, a
 * maximum not. */
static void four_bar(void **state)
{
    int minima = 0, maxima = 0;
    (void)state;
    for (int i = 0; i < 24; i++) {
        double phi = 0.1 + i * 2 * acos(-1.0) / 24;
        char text[40];
        bench b;
        nt_stability stability;
        snprintf(text, sizeof text, "%.17g", phi);
        nt_setting setting = {"phi", text};
        open_example(&b, "four_bar_rest", &setting, 1, (nt_static_setup){0});
        solve(&b);
        double found = phi - number(&b, "foot.angle"); /* about y, downward */
        is_close("slope of the potential", slope(found), 0, 1e-9);
        is_close("potential", number(&b, "energy.potential"), potential(found), 1e-10);
        double curve = (slope(found + 1e-4) - slope(found - 1e-4)) / 2e-4;
        assert_int_equal(nt_static_stability(b.state, &stability, &b.error), NT_OK);
        assert_int_equal(stability.stable, curve > 0);
        *(curve > 0 ? &minima : &maxima) += 1;
        close_bench(&b);
        open_example(&b, "four_bar_rest", &setting, 1, (nt_static_setup){.damped = 1});
        solve(&b);
        found = phi - number(&b, "foot.angle");
        is_close("slope of the potential", slope(found), 0, 1e-9);
        assert_true(slope(found + 1e-4) > slope(found - 1e-4));
        close_bench(&b);
    }
    assert_true(minima > 0 && maxima > 0);
}

/* ---- snap-through --------------------------------------------------------------------------- */

typedef struct truss_path {
    bench *b;
    int points, limits;
    double limit[2], height[2];
} truss_path;

/* P(z) = 2 k (l/L - 1) z, L^2 = w^2 + z^2 */
static double truss_load(double z) { return 2000 * (sqrt(1.25) / sqrt(1 + z * z) - 1) * z; }

static int look(void *context, nt_static *state, double load, nt_static_event event)
{
    truss_path *p = context;
    double z = nt_static_state(state).q[2];
    is_close("load", 60 * load, truss_load(z), 1e-9 * 60);
    if (event == NT_STATIC_LIMIT && p->limits < 2) {
        p->limit[p->limits] = 60 * load;
        p->height[p->limits] = z;
    }
    p->limits += event == NT_STATIC_LIMIT;
    p->points++;
    return 0;
}

/* dP/dz = 0 where L^3 = l w^2. */
static void snap_through(void **state)
{
    bench b;
    truss_path p = {.b = &b};
    nt_static_path path = {.to = 1, .arc_length = 1, .observe = look, .context = &p};
    double L = cbrt(sqrt(1.25)), z = sqrt(L * L - 1);
    (void)state;
    open_example(&b, "two_bar_truss", NULL, 0, (nt_static_setup){.set_load = nt_loading_apply});
    if (nt_static_follow(b.state, &path, &b.error))
        fail_msg("%s", b.error.message);
    assert_int_equal(p.limits, 2);
    is_close("first limit", p.limit[0], truss_load(z), 1e-10 * truss_load(z));
    is_close("second limit", p.limit[1], -truss_load(z), 1e-10 * truss_load(z));
    is_close("height there", p.height[0], z, 1e-6);
    is_close("end", 60 * nt_static_load(b.state), 60, 0);
    assert_true(number(&b, "top.position.z") < -0.5);
    close_bench(&b);
}

/* Flat trusses under loads far beyond their limits: the plane in which a step is corrected meets
 * the path behind the snap as well, which is no next point. */
static int look_for_limits(void *context, nt_static *state, double load, nt_static_event event)
{
    truss_path *p = context;
    (void)state;
    if (event == NT_STATIC_LIMIT && p->limits < 2)
        p->limit[p->limits] = load;
    p->limits += event == NT_STATIC_LIMIT;
    p->points++;
    return 0;
}

static void flat_trusses(void **state)
{
    static const char *const given[][2] = {
        {"0.2", "10"}, {"0.2", "11"}, {"0.1", "3"}, {"0.3", "30"}, {"0.1", "1.5"}};
    (void)state;
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        bench b;
        truss_path p = {.b = &b};
        nt_static_path path = {.to = 1, .arc_length = 1, .observe = look_for_limits, .context = &p};
        const nt_setting settings[] = {{"h", given[i][0]}, {"P", given[i][1]}};
        double h = strtod(given[i][0], NULL), P = strtod(given[i][1], NULL);
        double l = sqrt(1 + h * h), L = cbrt(l), z = sqrt(L * L - 1);
        double most = 2000 * (l / L - 1) * z / P;
        open_example(&b, "two_bar_truss", settings, 2,
                     (nt_static_setup){.set_load = nt_loading_apply});
        if (nt_static_follow(b.state, &path, &b.error))
            fail_msg("h = %g, P = %g: %s", h, P, b.error.message);
        assert_int_equal(p.limits, 2);
        is_close("first limit", p.limit[0], most, 1e-9 * most);
        is_close("second limit", p.limit[1], -most, 1e-9 * most);
        is_close("end", nt_static_load(b.state), 1, 0);
        close_bench(&b);
    }
}

/* A spring on top of the truss: at some limits the factors are singular to the last bit. */
static void limit_without_stiffness(void **state)
{
    static const char *const given[] = {"3e3", "1e5"};
    static const char text[] =
        "nutate: 1\ngravity: [0, 0, 0]\nparameters: {k: 1e4, h: 0.3, P: 250, ks: 3e3}\n"
        "bodies:\n  n: {mass: 1, point: true, position: [0, 0, h]}\n"
        "  m: {mass: 1, point: true, position: [0, 0, 1]}\njoints:\n"
        "  g: {type: inline, between: [ground, n], at: [0, 0, h], axis: [0, 0, 1]}\n"
        "  f: {type: inline, between: [ground, m], at: [0, 0, 1], axis: [0, 0, 1]}\nforces:\n"
        "  a: {type: spring, between: [ground, n], at: [[-1, 0, 0], [0, 0, h]], stiffness: k}\n"
        "  b: {type: spring, between: [ground, n], at: [[1, 0, 0], [0, 0, h]], stiffness: k}\n"
        "  c: {type: spring, between: [n, m], at: [[0, 0, h], [0, 0, 1]], stiffness: ks}\n"
        "  p: {type: force, on: m, value: [0, 0, -P]}\n";
    static const char *const P[] = {"250", "500"};
    double l = sqrt(1.09), L = cbrt(l), z = sqrt(L * L - 1), most = 2e4 * (l / L - 1) * z;
    (void)state;
    for (int i = 0; i < 4; i++) {
        bench b = {0};
        truss_path p = {.b = &b};
        nt_static_path path = {.to = 1, .arc_length = 1, .observe = look_for_limits, .context = &p};
        const nt_setting settings[] = {{"ks", given[i % 2]}, {"P", P[i / 2]}};
        double load = strtod(P[i / 2], NULL);
        if (nt_model_read_text(&b.model, text, strlen(text), "model", NULL, settings, 2, &b.error))
            fail_msg("%s", b.error.message);
        begin_bench(&b, (nt_static_setup){.set_load = nt_loading_apply});
        if (nt_static_follow(b.state, &path, &b.error))
            fail_msg("%s N, %s N/m: %s", P[i / 2], given[i % 2], b.error.message);
        assert_int_equal(p.limits, 2);
        is_close("first limit", load * p.limit[0], most, 1e-9 * most);
        is_close("second limit", load * p.limit[1], -most, 1e-9 * most);
        close_bench(&b);
    }
}

/* ---- branching points ----------------------------------------------------------------------- */

typedef struct branch_path {
    int limits, branches;
    double load[8], limit[4];
} branch_path;

static int look_for_branches(void *context, nt_static *state, double load, nt_static_event event)
{
    branch_path *p = context;
    (void)state;
    if (event == NT_STATIC_BRANCH && p->branches < 8)
        p->load[p->branches] = load;
    if (event == NT_STATIC_LIMIT && p->limits < 4)
        p->limit[p->limits] = load;
    p->branches += event == NT_STATIC_BRANCH;
    p->limits += event == NT_STATIC_LIMIT;
    return 0;
}

static const double STEEP = 3, LOAD = 6000;

/* Forces per k, and the stiffness against moves to the side per 2 k: of two springs from x = +-1,
 * and of two more from y = +-1. */
static double steep_load(double z, int pairs)
{
    return 2 * pairs * (sqrt(1 + STEEP * STEEP) / sqrt(1 + z * z) - 1) * z;
}

static double sideways(double z, int pairs)
{
    double L2 = 1 + z * z, off = 1 - sqrt(1 + STEEP * STEEP) / sqrt(L2);
    return 1 / L2 + off * z * z / L2 + (pairs - 1) * off;
}

/* A steep truss can go to the side before it snaps. It stands in a plane, or on four springs, which
 * lose their stiffness in two directions at once: the path that goes on straight is followed, with
 * what it passes, however long the steps are. */
static void branches_of_trusses(void **state)
{
    static const char text[] =
        "nutate: 1\ngravity: [0, 0, 0]\nparameters: {k: 1e3, h: 3, P: 6000}\n"
        "bodies:\n  n: {mass: 1, point: true, position: [0, 0, h]}\nforces:\n"
        "  a: {type: spring, between: [ground, n], at: [[-1, 0, 0], [0, 0, h]], stiffness: k}\n"
        "  b: {type: spring, between: [ground, n], at: [[1, 0, 0], [0, 0, h]], stiffness: k}\n"
        "  p: {type: force, on: n, value: [0, 0, -P]}\n";
    static const char *const rest[] = {
        "joints:\n  plane: {type: planar, between: [ground, n], at: [0, 0, 0], axis: [0, 1, 0]}\n",
        "  c: {type: spring, between: [ground, n], at: [[0, -1, 0], [0, 0, h]], stiffness: k}\n"
        "  d: {type: spring, between: [ground, n], at: [[0, 1, 0], [0, 0, h]], stiffness: k}\n"};
    static const double steps[] = {0.05, 0.4};
    (void)state;
    for (int i = 0; i < 4; i++) {
        int pairs = 1 + i / 2, found = 0;
        char whole[2000];
        bench b = {0};
        branch_path p = {0};
        nt_static_path path = {.to = 1,
                               .arc_length = 1,
                               .step = steps[i % 2],
                               .observe = look_for_branches,
                               .context = &p};
        double l = sqrt(1 + STEEP * STEEP), z = sqrt(cbrt(l) * cbrt(l) - 1);
        double most = 1e3 * steep_load(z, pairs) / LOAD;
        snprintf(whole, sizeof whole, "%s%s", text, rest[pairs - 1]);
        if (nt_model_read_text(&b.model, whole, strlen(whole), "model", NULL, NULL, 0, &b.error))
            fail_msg("%s", b.error.message);
        begin_bench(&b, (nt_static_setup){.set_load = nt_loading_apply});
        if (nt_static_follow(b.state, &path, &b.error))
            fail_msg("%d pairs: %s", pairs, b.error.message);
        assert_int_equal(p.limits, 2);
        is_close("first limit", p.limit[0], most, 1e-9 * most);
        is_close("second limit", p.limit[1], -most, 1e-9 * most);
        const double h = 1e-3;
        for (double at = STEEP; at > -STEEP; at -= h) {
            double low = at - h, high = at;
            if (sideways(low, pairs) * sideways(high, pairs) > 0)
                continue;
            for (int k = 0; k < 60; k++) {
                double mid = (low + high) / 2;
                *(sideways(mid, pairs) * sideways(high, pairs) > 0 ? &high : &low) = mid;
            }
            double load = 1e3 * steep_load(low, pairs) / LOAD;
            assert_true(found < 8 && found < p.branches);
            is_close("branching point", p.load[found++], load, 1e-9);
        }
        assert_int_equal(p.branches, found);
        assert_true(found >= 2);
        close_bench(&b);
    }
}

/* A shallow arch under loads far above what it snaps under: its limits are those of small steps,
 * and the path is never taken back the way it came. */
static void arch_under_far_too_much(void **state)
{
    static const char text[] =
        "nutate: 1\ngravity: [0, 0, 0]\nparameters: {H: 0.03, P: 800}\nbeams:\n  b:\n"
        "    points: [[-1, 0, 0], [-0.5, 0, 0.75*H], [0, 0, H], [0.5, 0, 0.75*H], [1, 0, 0]]\n"
        "    line: spline\n    elements: 10\n"
        "    sections: [{stiffness: [2e6, 8e5, 8e5, 20, 20, 40], mass: [1, 1, 1, 1e-3, 5e-4, "
        "5e-4]}]\n"
        "markers: {mid: {on: b, station: 0.5}}\njoints:\n"
        "  c: {type: revolute, between: [ground, b.root], at: [-1, 0, 0], axis: [0, 1, 0]}\n"
        "  d: {type: revolute, between: [ground, b.tip], at: [1, 0, 0], axis: [0, 1, 0]}\n"
        "forces: {p: {type: force, on: b.node31, at: mid, value: [0, 0, -P]}}\n";
    static const struct {
        const char *P;
        double step;
    } given[] = {{"800", 0.01}, {"80000", 0}};
    branch_path found[2] = {0};
    (void)state;
    for (int i = 0; i < 2; i++) {
        bench b = {0};
        const nt_setting setting = {"P", given[i].P};
        nt_static_path path = {.to = 1,
                               .arc_length = 1,
                               .step = given[i].step,
                               .observe = look_for_branches,
                               .context = &found[i]};
        if (nt_model_read_text(&b.model, text, strlen(text), "model", NULL, &setting, 1, &b.error))
            fail_msg("%s", b.error.message);
        begin_bench(&b, (nt_static_setup){.set_load = nt_loading_apply});
        if (nt_static_follow(b.state, &path, &b.error))
            fail_msg("P = %s: %s", given[i].P, b.error.message);
        close_bench(&b);
    }
    assert_int_equal(found[0].limits, 4);
    assert_int_equal(found[1].limits, 4);
    for (int k = 0; k < 4; k++)
        is_close("limit", 100 * found[1].limit[k], found[0].limit[k], 1e-9);
    assert_true(found[0].branches >= 2 && found[1].branches >= 2);
    is_close("branching point", 100 * found[1].load[0], found[0].load[0], 1e-9);
}

/* Without loads its lines leave the pontoon where it is, along any way: the path begins where the
 * least of the loads take it, and ends where a search under all of them does. */
static void slack_without_loads(void **state)
{
    (void)state;
    bench b, whole;
    nt_static_path path = {.to = 1, .step = 0.2};
    open_example(&whole, "moored_body", NULL, 0, (nt_static_setup){0});
    solve(&whole);
    open_example(&b, "moored_body", NULL, 0, (nt_static_setup){.set_load = nt_loading_apply});
    if (nt_static_follow(b.state, &path, &b.error))
        fail_msg("%s", b.error.message);
    const double *q = nt_static_state(b.state).q, *expected = nt_static_state(whole.state).q;
    for (int i = 0; i < b.system->space.nq; i++)
        is_close("pontoon", q[i], expected[i], 1e-9);
    close_bench(&b);
    close_bench(&whole);
}

/* Without buoyancy the float sinks through where its tether is slack, and hangs below the anchor;
 * the path lifts it from there. */
static void sinks_on_a_slack_tether(void **state)
{
    (void)state;
    bench b, whole;
    nt_load_range loads = {"loads", 0, 1};
    nt_static_path path = {.to = 1};
    open_example(&whole, "tethered_body", NULL, 0, (nt_static_setup){0});
    solve(&whole);
    open_example(&b, "tethered_body", NULL, 0,
                 (nt_static_setup){.set_load = nt_loading_apply, .context = &loads});
    if (nt_static_follow(b.state, &path, &b.error))
        fail_msg("%s", b.error.message);
    for (int i = 0; i < 3; i++)
        is_close("float", nt_static_state(b.state).q[i], nt_static_state(whole.state).q[i], 1e-8);
    close_bench(&b);
    close_bench(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(catenary),
        cmocka_unit_test(four_bar),
        cmocka_unit_test(snap_through),
        cmocka_unit_test(flat_trusses),
        cmocka_unit_test(limit_without_stiffness),
        cmocka_unit_test(branches_of_trusses),
        cmocka_unit_test(arch_under_far_too_much),
        cmocka_unit_test(slack_without_loads),
        cmocka_unit_test(sinks_on_a_slack_tether),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
