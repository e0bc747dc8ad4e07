/* Derivatives along the steps of bdf: the history of a column goes the way of the state's through
 * all changes of size and order, and the formula itself is differentiated. */
#include "run_of.h"

enum { MOST = 4 };

static run_of begin(const char *text, nt_integrator_setup setup, const double *p, int n)
{
    static const int wanted[MOST] = {0, 1, 2, 3};
    run_of r = run_of_text(text, p);
    setup.method = nt_method_find("bdf");
    setup.track_work = nt_model_has_power(nt_run_model(r.run));
    run_of_start(&r, setup, wanted, n);
    return r;
}

/* ---- all orders and sizes ------------------------------------------------------------------- */

/* Linear in its initial values, which are multiples of a: so is what any sequence of sizes and
 * orders makes of them, and the derivative in a is the state over a. A mode that is over in 0.01 s
 * and one of 6 s take the steps from 1e-6 to 0.1 s and through all orders. */
static const char points[] =
    "nutate: 1\n"
    "parameters: {a: 0.5}\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  p: {mass: 1, point: true, position: [a, 0, 0], velocity: [0, 2*a, 0]}\n"
    "forces:\n"
    "  f: {type: force, on: p, value: ['-p.position.x - 0.2*p.velocity.x + p.velocity.y',\n"
    "      '-1e5*p.position.y - 600*p.velocity.y', '0']}\n"
    "simulation: {duration: 8, step: 1e-3}\n";
static const char slides[] =
    "nutate: 1\n"
    "parameters: {a: 0.5}\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  p: {mass: 1, inertia: [1, 1, 1], position: [a, 0, 0]}\n"
    "  r: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], velocity: [0, 2*a, 0]}\n"
    "joints:\n"
    "  x: {type: prismatic, between: [ground, p], axes: [[1, 0, 0], [1, 0, 0]], points: [[0, 0, "
    "0], "
    "[0, 0, 0]]}\n"
    "  y: {type: prismatic, between: [ground, r], axes: [[0, 1, 0], [0, 1, 0]], points: [[0, 0, "
    "0], "
    "[0, 0, 0]]}\n"
    "forces:\n"
    "  f: {type: force, on: p, value: ['-p.position.x - 0.2*p.velocity.x + r.velocity.y', '0', "
    "'0']}\n"
    "  g: {type: force, on: r, value: ['0', '-1e5*r.position.y - 600*r.velocity.y', '0']}\n"
    "simulation: {duration: 8, step: 1e-3}\n";

typedef struct witness {
    run_of *run;
    double worst, shortest, longest, before;
} witness;

/* At each step's end and within it. */
static int observe(void *context, const nt_integrator *it)
{
    witness *w = context;
    const nt_system *system = nt_run_system(w->run->run);
    nt_state state = nt_integrator_state(it), shown;
    nt_state_tangent d;
    double h = state.t - w->before, a = 0.5;
    w->before = state.t;
    w->shortest = fmin(w->shortest, h);
    w->longest = fmax(w->longest, h);
    for (int k = 0; k < 2; k++) {
        double t = state.t - 0.4 * k * h;
        assert_int_equal(nt_integrator_dense(w->run->integrator, t, &shown), NT_OK);
        double x = shown.q[0], v[12];
        memcpy(v, shown.v, (size_t)system->space.nv * sizeof *v);
        assert_int_equal(nt_sensitivity_dense(w->run->sensitivity, 0, t, &d), NT_OK);
        for (int i = 0; i < system->space.nv; i++)
            w->worst = fmax(w->worst, fabs(a * d.v[i] - v[i]));
        w->worst = fmax(w->worst, fabs(a * d.q[0] - x));
    }
    return 0;
}

static void follows_every_change(const char *text, double tolerance)
{
    nt_option option = {"newton_tolerance", "1e-8"};
    nt_integrator_setup setup = {.tolerance = {tolerance, tolerance, tolerance, tolerance},
                                 .options = &option,
                                 .n_options = 1};
    run_of r = begin(text, setup, NULL, 1);
    witness w = {.run = &r, .shortest = 1};
    nt_error error = {0};
    if (nt_integrator_run(r.integrator, 8, 1e-3, observe, &w, &error) != NT_OK)
        fail_msg("%s", error.message);
    if (!(w.worst <= 1e-5 * tolerance)) /* rounding and what Newton's iteration leaves */
        fail_msg("tolerance %g: off by %.3g", tolerance, w.worst);
    assert_true(w.longest > 1e5 * w.shortest);
    end(&r);
}

static void histories_follow_every_change(void **state)
{
    (void)state;
    follows_every_change(points, 1e-5);
    follows_every_change(points, 1e-8);
    follows_every_change(slides, 1e-5);
    follows_every_change(slides, 1e-8);
}

/* ---- nonlinear equations -------------------------------------------------------------------- */

static const char top[] = "nutate: 1\n"
                          "parameters: {m: 15, J: 0.46875, arm: 1, w: 15}\n"
                          "gravity: [0, 0, -9.81]\n"
                          "bodies:\n"
                          "  top:\n"
                          "    mass: m\n"
                          "    inertia: [0.234375, J, 0.234375]\n"
                          "    %s\n"
                          "    angular_velocity: [0, w, -4.61538]\n"
                          "%s"
                          "simulation: {duration: 0.1, step: 1e-3}\n";
static const char *const held[2][2] = {
    {"position: [0, arm, 0]",
     "joints:\n  pivot: {type: spherical, between: [ground, top], at: [0, 0, 0]}\n"},
    {"fixed_point: [0, 0, 0]\n    center_of_mass: [0, arm, 0]", ""}};
static const double values[MOST] = {15, 0.46875, 1, 15};

/* q, v and the reaction at the end; n[3]: how many. */
static void collect(const run_of *r, double *out, int n[3])
{
    const nt_system *system = nt_run_system(r->run);
    nt_state state = nt_integrator_state(r->integrator);
    n[0] = system->space.nq, n[1] = system->space.nv, n[2] = system->nh;
    memcpy(out, state.q, (size_t)n[0] * sizeof *out);
    memcpy(out + n[0], state.v, (size_t)n[1] * sizeof *out);
    memcpy(out + n[0] + n[1], state.lambda, (size_t)n[2] * sizeof *out);
}

/* Steps of one size, whatever the parameters, so that a difference of runs is one of the formulas,
 * and Newton's iteration to rounding. The formulas themselves are off by 1e-4. */
static void equals_differences(const char *text, nt_frame frame, const char *order)
{
    static const double weight[3] = {.75, -.15, 1.0 / 60};
    const double h = 1e-3, t = 0.1, allowed = 1e-6;
    nt_option options[] = {{"max_order", order}, {"newton_tolerance", "1e-9"}};
    nt_integrator_setup setup = {.options = options,
                                 .n_options = 2,
                                 .frame = frame,
                                 .tolerance = {1e-3, 1e-3, 1e-3, 1e-3},
                                 .minimum_step = h,
                                 .maximum_step = h};
    run_of r = begin(text, setup, NULL, MOST);
    run_to(&r, t, h);
    for (int k = 0; k < MOST; k++) {
        double derivative[16] = {0}, moved[16], p[MOST], step = 2e-4 * values[k];
        int n[3];
        for (int j = 1; j <= 3; j++)
            for (int sign = -1; sign <= 1; sign += 2) {
                memcpy(p, values, sizeof p);
                p[k] += sign * j * step;
                run_of other = begin(text, setup, p, 0);
                run_to(&other, t, h);
                collect(&other, moved, n);
                end(&other);
                for (int i = 0; i < n[0] + n[1] + n[2]; i++)
                    derivative[i] += sign * weight[j - 1] / step * moved[i];
            }
        nt_state_tangent d = nt_sensitivity_state(r.sensitivity, k);
        const double *const found[2] = {d.v, d.lambda}, *difference = derivative + n[0];
        for (int part = 0; part < 2; difference += n[1 + part++]) {
            double size = 0, off = 0;
            for (int i = 0; i < n[1 + part]; i++) {
                size = fmax(size, fabs(difference[i]));
                off = fmax(off, fabs(difference[i] - found[part][i]));
            }
            if (!(off <= allowed * size))
                fail_msg("order %s, frame %d, parameter %d, part %d: off by %.3g of %.3g", order,
                         (int)frame, k, part, off, size);
        }
    }
    end(&r);
}

static void formulas_are_differentiated(void **state)
{
    (void)state;
    static const char *const orders[] = {"2", "5", "1"};
    for (int kind = 0; kind < 2; kind++) {
        char text[1000];
        snprintf(text, sizeof text, top, held[kind][0], held[kind][1]);
        for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++)
            for (int i = 0; i < 3; i++)
                equals_differences(text, frame, orders[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(histories_follow_every_change),
        cmocka_unit_test(formulas_are_differentiated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
