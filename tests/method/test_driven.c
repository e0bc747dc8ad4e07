/* A body on a driven hinge: its motion is given, and dense output follows it between steps. */
#include "../model/mechanism.h"

static const struct {
    const char *motion, *method;
    double tolerance, allowed; /* rad */
} cases[] = {
    {"sin(10*t)", "rkmk-dopri5", 1e-8, 1e-7},
    {"sin(10*t)", "rkmk-dop853", 1e-8, 1e-7},
    {"step(t, 1, 0, 1.05, 3)", "rkmk-dop853", 1e-8, 1e-6},
    {"0.2*sin(400*t)", "rkmk-dop853", 1e-8, 1e-7},
};

static double motion_at(size_t i, double t)
{
    double x = fmin(fmax((t - 1) / 0.05, 0), 1);
    return i < 2    ? sin(10 * t)
           : i == 2 ? 3 * x * x * x * (10 - 15 * x + 6 * x * x)
                    : 0.2 * sin(400 * t);
}

typedef struct watch {
    nt_integrator *integrator;
    size_t i;
    double before, worst;
} watch;

/* The largest deviation of the angle at seven places inside each step. */
static int look(void *context, const nt_integrator *integrator)
{
    watch *w = context;
    double end = nt_integrator_state(integrator).t;
    for (int k = 1; k < 8; k++) {
        nt_state state;
        double t = w->before + k * (end - w->before) / 8;
        if (nt_integrator_dense(w->integrator, t, &state) != NT_OK)
            return 1;
        double turn = 2 * atan2(state.q[5], state.q[3]); /* about y */
        double off = remainder(turn - motion_at(w->i, t), 2 * acos(-1));
        w->worst = fmax(w->worst, fabs(off));
    }
    w->before = end;
    return 0;
}

static double miss(size_t i)
{
    char text[600];
    nt_error error = {0};
    snprintf(text, sizeof text,
             "nutate: 1\ngravity: [0, 0, -9.80665]\nbodies:\n"
             "  a: {mass: 2, inertia: [0.1, 0.2, 0.3], position: [1, 0, 0]}\njoints:\n"
             "  j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0], "
             "motion: \"%s\"}\n",
             cases[i].motion);
    mechanism m = mechanism_read(text);
    double tolerance = cases[i].tolerance;
    nt_integrator_setup setup = {.system = nt_run_system(m.run),
                                 .method = nt_method_find(cases[i].method),
                                 .tolerance = {tolerance, tolerance, tolerance, tolerance}};
    if (nt_integrator_create(&m.integrator, &setup, &error) != NT_OK ||
        nt_integrator_start(m.integrator, 0, m.q, m.v, m.memory, &error) != NT_OK)
        fail_msg("%s", error.message);
    watch w = {m.integrator, i, 0, 0};
    if (nt_integrator_run(m.integrator, 1.5, 1e-3, look, &w, &error) != NT_OK)
        fail_msg("%s: %s", cases[i].motion, error.message);
    mechanism_close(&m);
    return w.worst;
}

/* The end of a step is put on the motion: its error shows between the ends alone. */
static void test_dense_output_follows_the_motion(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double off = miss(i);
        if (!(off <= cases[i].allowed))
            fail_msg("motion %s, %s: off by %.3g rad", cases[i].motion, cases[i].method, off);
    }
}

/* ---- ends of steps -------------------------------------------------------------------------- */

static int look_at_end(void *context, const nt_integrator *integrator)
{
    double *worst = context;
    nt_state state = nt_integrator_state(integrator);
    double turn = 2 * atan2(state.q[5], state.q[3]);
    double off = remainder(turn - motion_at(0, state.t), 2 * acos(-1));
    *worst = fmax(*worst, fabs(off));
    return 0;
}

/* To rounding of angles, whatever lengths there are: rounding of 1e12 m is 1e-4 m, but no angle. */
static void test_steps_end_on_the_motion_beside_a_planet(void **state)
{
    (void)state;
    static const char *const methods[] = {"rkmk-dopri5", "rkmk-dop853"};
    static const char *const planets[] = {
        "", "  planet: {mass: 1, inertia: [1, 1, 1], position: [1e12, 0, 0]}\n"};
    for (int i = 0; i < 4; i++) {
        char text[600];
        nt_error error = {0};
        double worst = 0;
        snprintf(text, sizeof text,
                 "nutate: 1\nbodies:\n"
                 "  a: {mass: 2, inertia: [0.1, 0.2, 0.3], position: [1, 0, 0]}\n%sjoints:\n"
                 "  j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0], "
                 "motion: \"%s\"}\n",
                 planets[i % 2], cases[0].motion);
        mechanism m = mechanism_read(text);
        nt_integrator_setup setup = {.system = nt_run_system(m.run),
                                     .method = nt_method_find(methods[i / 2])};
        if (nt_integrator_create(&m.integrator, &setup, &error) != NT_OK ||
            nt_integrator_start(m.integrator, 0, m.q, m.v, m.memory, &error) != NT_OK ||
            nt_integrator_run(m.integrator, 1.5, 0.02, look_at_end, &worst, &error) != NT_OK)
            fail_msg("%s: %s", methods[i / 2], error.message);
        if (!(worst <= 1e-14))
            fail_msg("%s, %s a planet: off by %.3g rad", methods[i / 2], i % 2 ? "with" : "without",
                     worst);
        mechanism_close(&m);
    }
}

/* ---- motions beyond what times tell apart -------------------------------------------------- */

/* A slide along (-1.6, 0, 1) through (0, 0, 0.3): how far the body is beside its axis. */
static int look_beside_axis(void *context, const nt_integrator *integrator)
{
    double *worst = context;
    const double *q = nt_integrator_state(integrator).q;
    *worst = fmax(*worst, fmax(fabs(q[0] + 1.6 * (q[2] - 0.3)), fabs(q[1])));
    return 0;
}

/* A motion that changes by all within a rounding of time asks for 1e60 m/s^2, and rounding of such
 * forces moves bodies. A method may give up, but no step ends with the body off its axis. */
static void test_no_step_ends_off_the_axis(void **state)
{
    (void)state;
    static const char text[] =
        "nutate: 1\nbodies:\n"
        "  a: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0.3]}\njoints:\n"
        "  j: {type: prismatic, between: [ground, a], at: [0, 0, 0.3], axis: [-1.6, 0, 1], "
        "motion: 0.3*cos(1e30*t) - 0.3}\n";
    static const double steps[] = {1e-2, 1e-3, 1e-4};
    int tried = 0;
    for (int i = 0; i < 3 * nt_method_count(); i++) {
        mechanism m = mechanism_read(text);
        const nt_method *method = nt_method_at(i / 3);
        nt_integrator_setup setup = {.system = nt_run_system(m.run), .method = method};
        double h = steps[i % 3], worst = 0;
        nt_error error = {0};
        if (nt_method_check_system(method, setup.system, NULL) == NT_OK) {
            if (nt_integrator_create(&m.integrator, &setup, &error) != NT_OK ||
                nt_integrator_start(m.integrator, 0, m.q, m.v, m.memory, &error) != NT_OK)
                fail_msg("%s", error.message);
            nt_integrator_run(m.integrator, 5 * h, h, look_beside_axis, &worst, &error);
            if (!(worst <= 1e-9))
                fail_msg("%s, step %g s: %.3g m off the axis", nt_method_name(method), h, worst);
            tried++;
        }
        mechanism_close(&m);
    }
    assert_int_equal(tried, 3 * 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense_output_follows_the_motion),
        cmocka_unit_test(test_steps_end_on_the_motion_beside_a_planet),
        cmocka_unit_test(test_no_step_ends_off_the_axis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
