/* Work of loads: energy less work stays what it was, as well as the method keeps positions, at the
 * ends of steps and between them. */
#include "../model/mechanism.h"
#include "method/work.h"

/* A rod about a pivot, pushed by a force that turns with it. */
static const char driven[] =
    "nutate: 1\nparameters: {m: 2, F: 3}\ngravity: [0, 0, -9.81]\n"
    "bodies: {rod: {mass: m, inertia: [0.2, 0.3, 0.25], position: [0.5, 0, 0], "
    "angular_velocity: [0.4, 0.3, 1]}}\n"
    "joints: {pivot: {type: spherical, between: [ground, rod], at: [0, 0, 0]}}\n"
    "forces: {push: {type: force, on: rod, at: [0.5, 0, 0], frame: body, "
    "value: [F*sin(3*t), F*cos(2*t), 1 + F*sin(t)]}}\n";

/* The same for a rod about a fixed point, for methods without joints. */
static const char free_rod[] =
    "nutate: 1\nparameters: {m: 2, F: 3}\ngravity: [0, 0, -9.81]\n"
    "bodies: {rod: {mass: m, inertia: [0.2, 0.3, 0.25], center_of_mass: [0.5, 0, 0], "
    "angular_velocity: [0.4, 0.3, 1], fixed_point: [0, 0, 0]}}\n"
    "forces: {push: {type: force, on: rod, at: [1, 0, 0], frame: body, "
    "value: [F*sin(3*t), F*cos(2*t), 1 + F*sin(t)]}}\n";

/* A rod whose rotation is given, pulled back and pushed: the drive does the work of its moment.
 * With explicit forces alone splitting methods eliminate the rotation. */
static const char spun[] =
    "nutate: 1\nparameters: {m: 2, F: 3}\ngravity: [0, -9.81, 0]\n"
    "bodies: {rod: {mass: m, inertia: [0.2, 0.3, 0.25], angular_velocity: [0, 0, 5]}}\n"
    "joints: {turn: {type: parallel, between: [ground, rod], at: [0, 0, 0], axis: [0, 0, 1], "
    "motion: 3*t + sin(2*t)}}\n"
    "forces: {back: {type: spring, between: [ground, rod], at: [[0, 1, 0], [0, 0.4, 0.1]], "
    "stiffness: 40, damping: 3, length: 0.5, part: explicit},\n"
    "push: {type: force, on: rod, at: [0.5, 0, 0], frame: body, part: explicit, "
    "value: [F*sin(3*t), F*cos(2*t), 1 + F*sin(t)]}}\n";

/* The same with a joint more, so that it has multipliers instead. */
static const char spun_by_multipliers[] =
    "nutate: 1\nparameters: {m: 2, F: 3}\ngravity: [0, -9.81, 0]\n"
    "bodies: {rod: {mass: m, inertia: [0.2, 0.3, 0.25], angular_velocity: [0, 0, 5]},\n"
    "bob: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0.5, 0]}}\n"
    "joints: {turn: {type: parallel, between: [ground, rod], at: [0, 0, 0], axis: [0, 0, 1], "
    "motion: 3*t + sin(2*t)},\n"
    "hangs: {type: spherical, between: [rod, bob], at: [0, 0.2, 0]}}\n"
    "forces: {back: {type: spring, between: [ground, rod], at: [[0, 1, 0], [0, 0.4, 0.1]], "
    "stiffness: 40, damping: 3, length: 0.5, part: explicit},\n"
    "push: {type: force, on: rod, at: [0.5, 0, 0], frame: body, part: explicit, "
    "value: [F*sin(3*t), F*cos(2*t), 1 + F*sin(t)]}}\n";

static const double END = 2;

typedef struct balance {
    mechanism *m;
    double first, worst;
} balance;

static double less_work(const mechanism *m, const nt_state *state)
{
    nt_error error = {0};
    nt_quantity_info info;
    double total[16];
    if (nt_model_quantity(nt_run_model(m->run), "energy.total", &info, &error) != NT_OK ||
        nt_run_sample(m->run, &info, state, NULL, total, &error) != NT_OK)
        fail_msg("%s", error.message);
    return total[0] - state->work;
}

/* At three places within the step and at its end. */
static int watch(void *context, const nt_integrator *unused)
{
    (void)unused;
    balance *b = context;
    nt_integrator *it = b->m->integrator;
    nt_state end = nt_integrator_state(it), state;
    static const double places[] = {0.3, 0.55, 0.9, 1};
    double t = end.t, h = end.step;
    for (int i = 0; i < 4; i++) {
        double at = i < 3 ? t - h * (1 - places[i]) : t;
        assert_int_equal(nt_integrator_dense(it, at, &state), NT_OK);
        b->worst = fmax(b->worst, fabs(less_work(b->m, &state) - b->first));
    }
    return 0;
}

/* J that the balance misses at most; kinetic energy is about 5 J. */
static double miss(const char *text, const char *method, double h, double tolerance)
{
    mechanism m = mechanism_read(text);
    nt_error error = {0};
    nt_integrator_setup setup = {.system = nt_run_system(m.run),
                                 .method = nt_method_find(method),
                                 .tolerance = {tolerance, tolerance, tolerance, tolerance},
                                 .track_work = true};
    if (nt_integrator_create(&m.integrator, &setup, &error) != NT_OK ||
        nt_integrator_start(m.integrator, 0, m.q, m.v, m.memory, &error) != NT_OK)
        fail_msg("%s", error.message);
    nt_state start = nt_integrator_state(m.integrator);
    balance b = {.m = &m, .first = less_work(&m, &start)};
    if (nt_integrator_run(m.integrator, END, h, watch, &b, &error) != NT_OK)
        fail_msg("%s", error.message);
    mechanism_close(&m);
    return b.worst;
}

/* The rule itself: exact to the fourth power of s within a step, to the seventh over it. */
static void powers_of_time(void **state)
{
    (void)state;
    for (int n = 0; n <= 7; n++) {
        double power[NT_WORK_NODES];
        for (int k = 0; k < NT_WORK_NODES; k++)
            power[k] = pow(nt_work_node[k], n);
        CLOSE(nt_work_within(power, 1), 1.0 / (n + 1), 1e-15);
        for (double s = 0; s < 1 && n <= 4; s += 0.125)
            CLOSE(nt_work_within(power, s), pow(s, n + 1) / (n + 1), 1e-15);
    }
}

/* Large steps of high order: the balance is as good as the tolerance, ten times that at the places
 * where the error per step adds up. (By the trapezoidal rule and straight lines between steps it
 * missed 0.4, 0.1 and 0.02 J at any of them.) */
static void follows_the_tolerance(void **state)
{
    (void)state;
    static const double tolerances[] = {1e-4, 1e-6, 1e-8};
    for (int i = 0; i < 3; i++) {
        double off = miss(driven, "rkmk-dop853", 1e-3, tolerances[i]);
        if (!(off < 20 * tolerances[i]))
            fail_msg("tolerance %g: the balance misses %.3g J", tolerances[i], off);
    }
}

/* Orders of the balance are those of the method, up to what lies between its steps: orders 5 and 8
 * have dense output of their own, order 4 the cubic of fourth order. */
static void converges_with_the_method(void **state)
{
    (void)state;
    static const struct {
        const char *text, *method;
        double h, order;
    } cases[] = {{driven, "generalized-alpha", 0.02, 2},
                 {driven, "generalized-alpha-soi2", 0.02, 2},
                 {driven, "theta", 0.02, 2},
                 {spun, "generalized-alpha", 0.02, 2},
                 {spun, "theta", 0.02, 2},
                 {spun, "semi-explicit-2", 0.02, 2},
                 {spun_by_multipliers, "semi-explicit-2", 0.02, 2},
                 {free_rod, "lie-midpoint", 0.02, 2},
                 {driven, "rkmk-dopri5", 0.05, 5},
                 {driven, "rkmk-dop853", 0.2, 8}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double coarse = miss(cases[i].text, cases[i].method, cases[i].h, 0);
        double fine = miss(cases[i].text, cases[i].method, cases[i].h / 2, 0);
        double order = log2(coarse / fine), above = cases[i].order > 4 ? 1.6 : 0.25;
        if (!(order > cases[i].order - 0.25 - (cases[i].order > 4) * 0.5) ||
            !(order < cases[i].order + above))
            fail_msg("%s: order %.2f of the balance, %.3g and %.3g J", cases[i].method, order,
                     coarse, fine);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(powers_of_time),
        cmocka_unit_test(follows_the_tolerance),
        cmocka_unit_test(converges_with_the_method),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
