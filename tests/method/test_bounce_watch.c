/* The watch on bodies that contacts alone hold, and on light ones that a joint holds between stops:
 * small ones beside large, heavy and fast ones are seen, and what a moving surface or machine gives
 * is no growth. */
#include "../model/mechanism.h"

#include "method/integrator.h"

/* 1 g on 1000 kg that swing on a spring, and that hold ten million times its energy. */
static const char platform[] =
    "nutate: 1\n"
    "bodies:\n"
    "  big: {mass: 1000, inertia: [100, 100, 100], position: [0, 0, 5]}\n"
    "  ball: {mass: 0.001, inertia: [1e-7, 1e-7, 1e-7], position: [0, 0, 6]}\n"
    "joints: {rail: {type: prismatic, between: [ground, big], at: [0, 0, 5], axis: [0, 0, 1]}}\n"
    "forces: {s: {type: spring, between: [ground, big], at: [[0, 0, 0], [0, 0, 5]], stiffness: "
    "1e5, length: 5.2}}\n"
    "contacts: {c: {type: sphere_plane, between: [big, ball], radius: 0.05, plane: {point: [0, 0, "
    "0.5], normal: [0, 0, 1]}, stiffness: 1e5}}\n";

/* On a flywheel, past which it is carried by friction. */
static const char wheel[] =
    "nutate: 1\n"
    "bodies:\n"
    "  big: {mass: 100, inertia: [10, 10, 20], position: [0, 0, 0], angular_velocity: [0, 0, 60]}\n"
    "  ball: {mass: 0.1, inertia: [1e-4, 1e-4, 1e-4], position: [0.1, 0, 1]}\n"
    "joints: {axle: {type: revolute, between: [ground, big], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
    "contacts: {c: {type: sphere_plane, between: [big, ball], radius: 0.05, plane: {point: [0, 0, "
    "0.5], normal: [0, 0, 1]}, stiffness: 1e7, friction: {coefficient: 0.2, slip: 0.01}}}\n";

/* A table that a joint shakes throws it higher and higher, and that is right. */
static const char shaken[] =
    "nutate: 1\n"
    "bodies:\n"
    "  big: {mass: 10, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
    "  ball: {mass: 0.01, inertia: [1e-5, 1e-5, 1e-5], position: [0, 0, 0.6]}\n"
    "joints: {rail: {type: prismatic, between: [ground, big], at: [0, 0, 0], axis: [0, 0, 1], "
    "motion: '0.05*sin(25*t)'}}\n"
    "contacts: {c: {type: sphere_plane, between: [big, ball], radius: 0.05, plane: {point: [0, 0, "
    "0.5], normal: [0, 0, 1]}, stiffness: 1e5}}\n";

/* 1 g falls on a stop of its joint, on a rotor that holds a million times its energy. */
static const char slider[] =
    "nutate: 1\n"
    "bodies:\n"
    "  big: {mass: 1000, inertia: [100, 100, 200], position: [0, 0, 0], angular_velocity: [0, 0, "
    "5]}\n"
    "  p: {mass: 1e-3, inertia: [1e-7, 1e-7, 1e-7], position: [0.3, 0, 0.9]}\n"
    "joints:\n"
    "  axle: {type: revolute, between: [ground, big], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  c: {type: prismatic, between: [big, p], at: [0.3, 0, 0.5], axis: [0, 0, 1], limits: {lower: "
    "-0.4, stiffness: 1e4}}\n";

/* A hammer of 1 g between the stops of its hinge, the other way round, with a spring besides. */
static const char hammer[] =
    "nutate: 1\n"
    "bodies:\n"
    "  big: {mass: 1000, inertia: [100, 100, 200], position: [0, 0, 0], angular_velocity: [0, 0, "
    "3]}\n"
    "  p: {mass: 1e-3, inertia: [1e-7, 1e-7, 1e-7], position: [0.5, 0, 0.5]}\n"
    "joints:\n"
    "  axle: {type: revolute, between: [ground, big], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  c: {type: revolute, between: [p, big], at: [0.3, 0, 0.5], axis: [0, 1, 0], limits: {lower: "
    "-0.7, upper: 0.7, stiffness: 400}}\n"
    "forces: {s: {type: torsion_spring, joint: c, stiffness: 2e-4}}\n";

/* A one-sided spring beside the joint, on a machine that is shaken. */
static const char bumper[] =
    "nutate: 1\n"
    "bodies:\n"
    "  big: {mass: 1000, inertia: [100, 100, 200], position: [0, 0, 0]}\n"
    "  p: {mass: 1e-3, inertia: [1e-7, 1e-7, 1e-7], position: [0.3, 0, 0.9]}\n"
    "joints:\n"
    "  rail: {type: prismatic, between: [ground, big], at: [0, 0, 0], axis: [0, 0, 1], motion: "
    "'0.004*sin(40*t)'}\n"
    "  guide: {type: prismatic, between: [big, p], at: [0.3, 0, 0.5], axis: [0, 0, 1]}\n"
    "forces: {s: {type: spring, between: [big, p], at: [[0.3, 0, 0], [0.3, 0, 0.9]], length: 0.5, "
    "stiffness: 1e4, only: compression}}\n";

/* It swings away from its stop on a machine that bounces on a spring, and never meets it. */
static const char hanging[] =
    "nutate: 1\n"
    "bodies:\n"
    "  big: {mass: 290, inertia: [58, 64, 75], position: [0, 0, 0]}\n"
    "  p: {mass: 3.7e-3, inertia: [1.6e-4, 1.8e-4, 2.1e-4], position: [0.37, 0.2, 0.35]}\n"
    "joints:\n"
    "  rail: {type: prismatic, between: [ground, big], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  c: {type: revolute, between: [big, p], at: [0.37, -0.29, 0.35], axis: [1, 0, 0], limits: "
    "{upper: 0.15, stiffness: 1080}}\n"
    "forces: {s: {type: spring, between: [ground, big], at: [[0, 0, -1], [0, 0, 0]], stiffness: "
    "42335, length: 0.99}}\n";

/* A spring lets 0.1 g go that it holds by 20 mm, beside 2 kJ: 0.13 J, 51 m/s. */
static const char shot[] =
    "nutate: 1\n"
    "bodies:\n"
    "  big: {mass: 40, inertia: [40, 44, 52], position: [0, 0, 0], angular_velocity: [0, 0, -8]}\n"
    "  p: {mass: 1e-4, inertia: [1e-6, 1e-6, 1e-6], position: [0.07, 0.3, -0.1]}\n"
    "joints:\n"
    "  axle: {type: revolute, between: [ground, big], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  c: {type: prismatic, between: [big, p], at: [0.07, 0.3, -0.1], axis: [0, 0, 1]}\n"
    "forces:\n"
    "  q: {type: spring, between: [big, p], at: [[0.07, 0.3, -1.1], [0.07, 0.3, -0.1]], "
    "stiffness: 0.004, length: 1.03}\n"
    "  s: {type: spring, between: [big, p], at: [[0.07, 0.3, -1.1], [0.07, 0.3, -0.1]], "
    "stiffness: 650, length: 1.02, only: compression}\n";

/* Its first step meets the stop. */
static const char thrown[] =
    "nutate: 1\n"
    "bodies:\n"
    "  big: {mass: 380, inertia: [73, 80, 94], position: [0, 0, 0], angular_velocity: [0, -1.6, "
    "0]}\n"
    "  p: {mass: 0.08, inertia: [0.004, 0.004, 0.005], position: [-0.2, 0.3, -0.3]}\n"
    "joints:\n"
    "  axle: {type: revolute, between: [ground, big], at: [0, 0, 0.7], axis: [0, 1, 0]}\n"
    "  c: {type: prismatic, between: [p, big], at: [-0.2, 0.3, -0.3], axis: [1, 0, 0], limits: "
    "{upper: 0.055, stiffness: 220, damping: 1.7}}\n";

enum { BUMPER_Z = 9 }; /* the height of p among its coordinates, behind those of big */

typedef struct end {
    nt_status status;
    char words[768], warning[400];
} end;

static nt_integrator *begin(mechanism *m, const char *method, double tolerance)
{
    nt_error error = {0};
    nt_integrator_setup setup = {.system = nt_run_system(m->run),
                                 .method = nt_method_find(method),
                                 .tolerance = {tolerance, tolerance, tolerance, tolerance}};
    if (!nt_method_has_frame(setup.method, setup.frame))
        setup.frame = NT_BODY;
    if (nt_integrator_create(&m->integrator, &setup, &error) != NT_OK ||
        nt_integrator_start(m->integrator, 0, m->q, m->v, m->memory, &error) != NT_OK)
        fail_msg("%s: %s", method, error.message);
    return m->integrator;
}

static end run(const char *text, const char *method, double tolerance, double step)
{
    mechanism m = mechanism_read(text);
    nt_integrator *it = begin(&m, method, tolerance);
    nt_error error = {0};
    end e = {.status = nt_integrator_run(it, 2, step, NULL, NULL, &error)};
    if (e.status == NT_OK)
        e.status = nt_integrator_check_energy(it, &error);
    snprintf(e.words, sizeof e.words, "%s", error.message);
    nt_integrator_energy_warning(it, e.warning, sizeof e.warning);
    mechanism_close(&m);
    return e;
}

static void small_bodies_are_seen_beside_large_ones(void **state)
{
    static const struct {
        const char *text, *method;
        double step;
        bool ends;
    } cases[] = {
        {platform, "semi-explicit", 1e-3, true},
        {platform, "semi-explicit-2", 1e-3, true},
        {platform, "generalized-alpha", 1e-3, true},
        {platform, "theta", 5e-4, false},
        {wheel, "semi-explicit-2", 1e-3, true},
        {wheel, "semi-explicit", 1e-3, true},
        {wheel, "theta", 1e-3, true},
        {wheel, "generalized-alpha", 1e-3, false},
        {wheel, "rkmk-dopri5", 1e-3, false},
        {slider, "semi-explicit-2", 1e-3, true},
        {slider, "generalized-alpha", 1e-3, true},
        {slider, "theta", 5e-4, true},
        {hammer, "semi-explicit-2", 2e-3, true},
        {hammer, "theta", 2e-3, true},
        {hammer, "generalized-alpha", 2e-3, true},
        {bumper, "semi-explicit-2", 1e-3, true},
        {bumper, "generalized-alpha", 1e-3, true},
        {shot, "generalized-alpha", 1e-3, true},
        {shot, "generalized-alpha-soi2", 1e-3, true},
        {shot, "rkmk-dopri5", 1e-3, true},
        {thrown, "theta", 0.06, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        end e = run(cases[i].text, cases[i].method, 0, cases[i].step);
        if (e.status != (cases[i].ends ? NT_ENERGY : NT_OK))
            fail_msg("%s of %zu: %s", cases[i].method, i, e.words);
        assert_true(!cases[i].ends || strstr(e.words, " gained most"));
        assert_true(!cases[i].ends || strstr(e.words, "contact c") || strstr(e.words, "joint c") ||
                    strstr(e.words, "joint guide"));
        assert_int_equal(e.warning[0] != '\0', !cases[i].ends);
    }
}

static void what_converges_is_left_alone(void **state)
{
    static const struct {
        const char *method;
        double tolerance, step;
    } how[] = {{"rkmk-dop853", 1e-6, 1e-3},
               {"rkmk-dopri5", 1e-6, 1e-3},
               {"generalized-alpha-soi2", 1e-6, 1e-3},
               {"semi-explicit-2", 1e-6, 1e-3},
               {"bdf", 1e-7, 1e-3},
               {"generalized-alpha", 0, 2e-5}};
    static const char *const texts[] = {platform, wheel,  shaken, slider,
                                        hammer,   bumper, shot,   thrown};
    (void)state;
    for (size_t i = 0; i < sizeof how / sizeof how[0]; i++)
        for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
            end e = run(texts[k], how[i].method, how[i].tolerance, how[i].step);
            if (e.status != NT_OK || e.warning[0])
                fail_msg("%s of %zu: %s%s", how[i].method, k, e.words, e.warning);
        }
}

static void check_saved(const char *text, double h)
{
    mechanism m = mechanism_read(text), other = mechanism_read(text);
    nt_integrator *it = begin(&m, "theta", 0), *again = begin(&other, "theta", 0);
    nt_error error = {0};
    while (nt_integrator_state(it).t < 1 || it->accounts.bounced[0].touches[1] == 0)
        assert_int_equal(
            nt_integrator_run(it, nt_integrator_state(it).t + h, h, NULL, NULL, &error), NT_OK);
    size_t size = nt_integrator_saved_size(it);
    void *bytes = malloc(size), *ends[2] = {malloc(size), malloc(size)};
    nt_integrator_save(it, bytes);
    double t = nt_integrator_state(it).t;
    assert_int_equal(nt_integrator_restore(again, bytes, size, &error), NT_OK);
    assert_int_equal(nt_integrator_run(it, t + 1, h, NULL, NULL, &error), NT_OK);
    assert_int_equal(nt_integrator_run(again, t + 1, h, NULL, NULL, &error), NT_OK);
    nt_integrator_save(it, ends[0]);
    nt_integrator_save(again, ends[1]);
    assert_true(it->accounts.bounces[0].gained != 0);
    assert_memory_equal(ends[0], ends[1], size);
    free(bytes), free(ends[0]), free(ends[1]);
    mechanism_close(&m);
    mechanism_close(&other);
}

/* In few long steps the impulse of gravity is known by the trapezoidal rule alone: what that is off
 * by was taken for a strike. */
static void long_steps_strike_nothing(void **state)
{
    static const double tolerances[] = {1e-8, 1e-9, 1e-10};
    (void)state;
    for (size_t i = 0; i < sizeof tolerances / sizeof tolerances[0]; i++) {
        end e = run(hanging, "rkmk-dop853", tolerances[i], 1e-3);
        if (e.status != NT_OK || e.warning[0])
            fail_msg("tolerance %g: %s%s", tolerances[i], e.words, e.warning);
    }
}

/* A step that begins where a stiff stop does is as long as was wanted before: its first stages meet
 * the stop and are thrown so far that all others are apart from it. By none of these tolerances
 * does it fall through; the place at the end is that of a tolerance of 1e-10. */
static void stops_that_first_stages_alone_meet_are_seen(void **state)
{
    static const double tolerances[] = {1e-5, 3e-6, 2e-6, 1e-6, 5e-7, 1e-7, 1e-8};
    (void)state;
    for (size_t i = 0; i < sizeof tolerances / sizeof tolerances[0]; i++) {
        mechanism m = mechanism_read(bumper);
        nt_integrator *it = begin(&m, "rkmk-dop853", tolerances[i]);
        nt_error error = {0};
        assert_int_equal(nt_integrator_run(it, 2, 1e-3, NULL, NULL, &error), NT_OK);
        const double *q = nt_integrator_state(it).q;
        if (!(fabs(q[BUMPER_Z] - q[2] - 0.5139367) < 1e-5))
            fail_msg("tolerance %g: %.9g m", tolerances[i], q[BUMPER_Z] - q[2]);
        mechanism_close(&m);
    }
}

/* In the midst of a contact too. */
static void accounts_are_saved(void **state)
{
    (void)state;
    check_saved(platform, 1e-3);
    check_saved(bumper, 2e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_bodies_are_seen_beside_large_ones),
        cmocka_unit_test(what_converges_is_left_alone),
        cmocka_unit_test(long_steps_strike_nothing),
        cmocka_unit_test(stops_that_first_stages_alone_meet_are_seen),
        cmocka_unit_test(accounts_are_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
