/* Paths of static states along which rigid limits are met and let go, against formulas. */
#include "analysis/bench.h"

/* Two carts in a row, a spring to the ground and one between them, both with stops; F pulls the
 * outer one. */
static const char carts[] =
    "nutate: 1\n"
    "parameters: {k: 100, F: 50}\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
    "  b: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
    "joints:\n"
    "  ga: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: [1, 0, 0],\n"
    "    limits: {lower: -0.04, upper: 0.2}}\n"
    "  gb: {type: prismatic, between: [ground, b], at: [1, 0, 0], axis: [1, 0, 0],\n"
    "    limits: {lower: -0.1, upper: 0.3}}\n"
    "forces:\n"
    "  s1: {type: spring, between: [ground, a], at: [[-1, 0, 0], [0, 0, 0]], stiffness: k, length: "
    "1}\n"
    "  s2: {type: spring, between: [a, b], at: [[0, 0, 0], [1, 0, 0]], stiffness: k, length: 1}\n"
    "  p: {type: force, on: b, value: [F, 0, 0]}\n"
    "simulation: {duration: 1, step: 1e-3}\n";

/* A flat truss of two springs whose top slides down to a stop at `low`. */
static const char truss[] =
    "nutate: 1\n"
    "parameters: {k: 1e4, h: 0.3, P: 500, low: -0.2}\n"
    "gravity: [0, 0, 0]\n"
    "bodies: {n: {mass: 1, inertia: [1, 1, 1], position: [0, 0, h]}}\n"
    "joints:\n"
    "  g: {type: prismatic, between: [ground, n], at: [0, 0, h], axis: [0, 0, 1],\n"
    "    limits: {lower: low-h, upper: 0.05}}\n"
    "forces:\n"
    "  left: {type: spring, between: [ground, n], at: [[-1, 0, 0], [0, 0, h]], stiffness: k}\n"
    "  right: {type: spring, between: [ground, n], at: [[1, 0, 0], [0, 0, h]], stiffness: k}\n"
    "  p: {type: force, on: n, value: [0, 0, -P]}\n"
    "simulation: {duration: 1, step: 1e-3}\n";

typedef struct path {
    bench b;
    double from, to; /* of the load's parameter */
    double limit[8], last;
    int points, limits, branches;
    void (*check)(struct path *p, double force);
} path;

static int look(void *context, nt_static *state, double load, nt_static_event event)
{
    path *p = context;
    (void)state;
    if (event == NT_STATIC_LIMIT && p->limits < 8)
        p->limit[p->limits] = p->from + load * (p->to - p->from);
    p->limits += event == NT_STATIC_LIMIT;
    p->branches += event == NT_STATIC_BRANCH;
    p->points++;
    p->last = load;
    p->check(p, p->from + load * (p->to - p->from));
    return 0;
}

static void follow(path *p, const char *model, const char *name, const nt_setting *setting,
                   bool arc_length, double step)
{
    nt_load_range along = {name, p->from, p->to};
    nt_static_path wanted = {
        .to = 1, .step = step, .arc_length = arc_length, .observe = look, .context = p};
    if (nt_model_read_text(&p->b.model, model, strlen(model), "stages", NULL, setting,
                           setting != NULL, &p->b.error))
        fail_msg("%s", p->b.error.message);
    begin_bench(&p->b, (nt_static_setup){.set_load = nt_loading_apply, .context = &along});
    if (nt_static_follow(p->b.state, &wanted, &p->b.error))
        fail_msg("after %d points at %g: %s", p->points, p->last, p->b.error.message);
    is_close("end", p->last, 1, 0);
    close_bench(&p->b);
}

static double between(double low, double x, double high) { return fmin(fmax(x, low), high); }

/* Without stops a = F/k, b = 2 F/k; with b at its stop a = b/2; with a at its stop b = a + F/k. */
static void check_carts(path *p, double F)
{
    double k = 100, a = between(-0.04, F / k, 0.15), b = a + F / k;
    if (2 * F / k > 0.3)
        b = 0.3;
    else if (b < -0.1)
        b = -0.1;
    is_close("a", number(&p->b, "a.position.x"), a, 1e-9);
    is_close("b", number(&p->b, "b.position.x"), 1 + b, 1e-9);
}

static void test_carts(void **state)
{
    static const double ranges[][2] = {{0, 50}, {50, -50}, {-50, 50}, {0, -30}};
    static const double steps[] = {0, 0.05, 0.3};
    (void)state;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 5; k++) {
            path p = {.from = ranges[i][0], .to = ranges[i][1], .check = check_carts};
            follow(&p, carts, "F", NULL, k > 2, k > 2 ? 0.03 * (k - 2) : steps[k]);
            assert_int_equal(p.limits, 0);
            assert_int_equal(p.branches, 0);
        }
}

static double truss_load(double z) { return 2e4 * (sqrt(1.09) / sqrt(1 + z * z) - 1) * z; }

static void check_truss(path *p, double P)
{
    double z = number(&p->b, "n.position.z");
    assert_true(z <= 0.35 + 1e-9);
    if (z < 0.35 - 1e-9 && !(fabs(z + 0.2) < 1e-9) && !(fabs(z - 0.1) < 1e-9))
        is_close("load", P, truss_load(z), 1e-6);
}

/* Snaps onto the stop behind; or comes to a stop while the load still falls, which rises again from
 * there; the same way back; and up against the other stop. */
static void test_truss(void **state)
{
    const nt_setting near_by = {"low", "0.1"};
    double L = cbrt(sqrt(1.09)), most = truss_load(sqrt(L * L - 1)), stop = truss_load(0.1);
    (void)state;
    path down = {.from = 0, .to = 500, .check = check_truss};
    follow(&down, truss, "P", NULL, true, 0);
    assert_int_equal(down.limits, 2);
    is_close("limit", down.limit[0], most, 1e-8 * most);
    is_close("other limit", down.limit[1], -most, 1e-8 * most);
    path onto = {.from = 0, .to = 500, .check = check_truss};
    follow(&onto, truss, "P", &near_by, true, 0);
    assert_int_equal(onto.limits, 2);
    is_close("limit", onto.limit[0], most, 1e-8 * most);
    is_close("at the stop", onto.limit[1], stop, 1e-8 * most);
    path back = {.from = 500, .to = 0, .check = check_truss};
    follow(&back, truss, "P", &near_by, true, 0);
    assert_int_equal(back.limits, 2);
    is_close("at the stop", back.limit[0], stop, 1e-8 * most);
    is_close("limit", back.limit[1], most, 1e-8 * most);
    for (int arc = 0; arc < 2; arc++) {
        path up = {.from = 0, .to = -500, .check = check_truss};
        follow(&up, truss, "P", NULL, arc, 0);
        assert_int_equal(up.limits, 0);
        assert_int_equal(up.branches, 0);
    }
    assert_int_equal(down.branches + onto.branches + back.branches, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_carts), cmocka_unit_test(test_truss)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
