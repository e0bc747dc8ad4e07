/* Slender beams that snap through, by arc length: whatever the load hangs on, few iterations find
 * each point, and points where nothing is stiff are shown as well. */
#include "analysis/bench.h"

/* Lee's frame (Lee, Manuel & Rossow 1968), two hinged legs of 120, the load on a fifth of the upper
 * one; its numbers as of Simo & Vu-Quoc 1986. */
static const char frame[] =
    "nutate: 1\n"
    "parameters: {L: 120, P: 3, E: 720, A: 6, I: 2}\n"
    "gravity: [0, 0, 0]\n"
    "beams:\n"
    "  column:\n"
    "    points: [[0, 0, 0], [0, 0, L]]\n"
    "    order: 3\n"
    "    elements: 5\n"
    "    normal: [0, 1, 0]\n"
    "    sections: [{stiffness: [E*A, E*A, E*A, 100*E*I, E*I, 100*E*I], mass: [1, 1, 1, 1, 1, "
    "1]}]\n"
    "  beam:\n"
    "    points: [[0, 0, L], [L, 0, L]]\n"
    "    order: 3\n"
    "    elements: 5\n"
    "    normal: [0, 1, 0]\n"
    "    sections: [{stiffness: [E*A, E*A, E*A, 100*E*I, E*I, 100*E*I], mass: [1, 1, 1, 1, 1, "
    "1]}]\n"
    "markers: {loaded: {on: beam, station: 0.2}}\n"
    "joints:\n"
    "  foot: {type: revolute, between: [ground, column.root], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  corner: {type: fixed, between: [column.tip, beam.root], at: [0, 0, L]}\n"
    "  hinge: {type: revolute, between: [ground, beam.tip], at: [L, 0, L], axis: [0, 1, 0]}\n"
    "forces: {load: {type: force, on: loaded, value: [0, 0, -P]}}\n"
    "simulation: {duration: 1, step: 1e-2}\n";

typedef struct path {
    double limit[8], last;
    int points, limits, branches;
} path;

static int look(void *context, nt_static *state, double load, nt_static_event event)
{
    path *p = context;
    (void)state;
    if (event == NT_STATIC_LIMIT && p->limits < 8)
        p->limit[p->limits] = load;
    p->points += event == NT_STATIC_POINT;
    p->limits += event == NT_STATIC_LIMIT;
    p->branches += event == NT_STATIC_BRANCH;
    p->last = load;
    return 0;
}

/* Each iteration sets the load, for itself and for derivatives along it. */
static long n_set;

static nt_status set_load(void *context, double load)
{
    n_set++;
    return nt_loading_apply(context, load);
}

/* How often the load was set. */
static long follow(const char *model, nt_load_range *along, const nt_setting *settings, int n,
                   path *p)
{
    bench b = {0};
    nt_static_path wanted = {.to = 1, .arc_length = 1, .observe = look, .context = p};
    *p = (path){0};
    n_set = 0;
    if (nt_model_read_text(&b.model, model, strlen(model), "snap", NULL, settings, n, &b.error))
        fail_msg("%s", b.error.message);
    begin_bench(&b, (nt_static_setup){.set_load = set_load, .context = along});
    if (nt_static_follow(b.state, &wanted, &b.error))
        fail_msg("after %d points at %g: %s", p->points, p->last, b.error.message);
    close_bench(&b);
    return n_set;
}

/* The load is a parameter, or a part of all loads: it is the same path, with as many iterations. */
static void test_frame(void **state)
{
    (void)state;
    nt_load_range along = {"P", 0, 3};
    path loads, parameter;
    long first = follow(frame, NULL, NULL, 0, &loads);
    long second = follow(frame, &along, NULL, 0, &parameter);
    assert_int_equal(loads.limits, 2);
    assert_int_equal(parameter.limits, 2);
    is_close("first limit", 3 * loads.limit[0], 1.855, 1e-3); /* Simo & Vu-Quoc, read from a plot */
    for (int i = 0; i < 2; i++)
        is_close("limit along the parameter", parameter.limit[i], loads.limit[i], 1e-8);
    is_close("end", parameter.last, 1, 0);
    assert_int_equal(parameter.points, loads.points);
    assert_true(labs(second - first) <= first / 50); /* rounding alone */
}

/* A sine arch on two hinges, under loads far beyond its limits: where it begins to sway the path
 * has points at which nothing is stiff. */
static const char arch[] =
    "nutate: 1\n"
    "parameters: {b: 100, c: 3, P: 1e5, EI: 1e6, EA: 1e8}\n"
    "gravity: [0, 0, 0]\n"
    "beams:\n"
    "  arch:\n"
    "    line: spline\n"
    "    points: [[0, 0, 0], [b/8, 0, c*sin(pi/8)], [b/4, 0, c*sin(pi/4)], [3*b/8, 0, "
    "c*sin(3*pi/8)],\n"
    "      [b/2, 0, c], [5*b/8, 0, c*sin(3*pi/8)], [3*b/4, 0, c*sin(pi/4)], [7*b/8, 0, "
    "c*sin(pi/8)],\n"
    "      [b, 0, 0]]\n"
    "    order: 2\n"
    "    elements: 8\n"
    "    normal: [0, 1, 0]\n"
    "    sections: [{stiffness: [EA, EA, EA, 100*EI, EI, 100*EI], mass: [1, 1, 1, 1, 1, 1]}]\n"
    "markers: {crown: {on: arch, station: 0.5}}\n"
    "joints:\n"
    "  left: {type: revolute, between: [ground, arch.root], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  right: {type: revolute, between: [ground, arch.tip], at: [b, 0, 0], axis: [0, 1, 0]}\n"
    "forces: {load: {type: force, on: crown, value: [0, 0, -P]}}\n"
    "simulation: {duration: 1, step: 1e-2}\n";

static void test_arches(void **state)
{
    static const char *const rises[] = {"3", "10"}, *const loads[] = {"1e4", "1e5"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        double limit = 0;
        for (int k = 0; k < 2; k++) {
            const nt_setting settings[] = {{"c", rises[i]}, {"P", loads[k]}};
            double P = strtod(loads[k], NULL);
            path p;
            follow(arch, NULL, settings, 2, &p);
            is_close("end", p.last, 1, 0);
            assert_true(p.limits >= 2 && p.branches >= 2);
            if (k > 0)
                is_close("limit", P * p.limit[0], limit, 1e-8 * limit);
            limit = P * p.limit[0];
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_frame), cmocka_unit_test(test_arches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
