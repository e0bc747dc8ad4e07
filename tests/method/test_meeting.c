/* Surfaces that meet and part again within a step: steps that are chosen find them, equal ones say
 * what they passed, and where nothing is near nothing is asked for more. */
#include "../model/mechanism.h"

#include "method/integrator.h"

/* Two balls of 1 cm, one of which meets the other at 10 m/s, a hundredth of a millisecond long. */
static const char balls[] =
    "nutate: 1\ngravity: [0, 0, 0]\n"
    "bodies:\n"
    "  a: {mass: 1, point: true, position: [%g, 0, 0], velocity: [10, 0, 0]}\n"
    "  b: {mass: 1, point: true, position: [0, %g, 0]}\n"
    "contacts: {c: {type: sphere_sphere, between: [a, b], radii: [0.01, 0.01], stiffness: 1e8}}\n";

/* A bat, turned by a joint, whose end passes a ball at rest. */
static const char bat[] =
    "nutate: 1\ngravity: [0, 0, 0]\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0], angular_velocity: [0, 0, 10]}\n"
    "  b: {mass: 1, point: true, position: [0, %g, 0]}\n"
    "joints: {j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
    "contacts: {c: {type: sphere_sphere, between: [a, b], at: [[1, 0, 0], [0, 0, 0]], radii: "
    "[0.01, 0.01], stiffness: 1e8}}\n";

/* A spring of 5 cm that pushes alone, and sends back what comes to it in three milliseconds. */
static const char bump[] =
    "nutate: 1\ngravity: [0, 0, 0]\n"
    "bodies: {a: {mass: 1, point: true, position: [%g, %g, 0], velocity: [10, 0, 0]}}\n"
    "forces: {s: {type: spring, between: [ground, a], at: [[0, 0, 0], [%g, %g, 0]], only: "
    "compression, length: 0.05, stiffness: 1e6}}\n";

/* A slider that a spring turns round a millimetre beyond the stop of its joint. */
static const char swing[] =
    "nutate: 1\ngravity: [0, 0, 0]\n"
    "bodies: {a: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0], velocity: [%g, 0, 0]}}\n"
    "joints: {j: {type: prismatic, between: [%s], at: [0, 0, 0], axis: [1, 0, 0], limits: {%s, "
    "stiffness: 9e4}}}\n"
    "forces: {s: {type: spring, between: [ground, a], at: [[-10, 0, 0], [0, 0, 0]], length: 10, "
    "stiffness: 9}}\n";

typedef struct end {
    double x, v[9], energy;
    long steps, evaluations;
    char warning[300];
} end;

static end run(const char *text, const char *method, double tolerance)
{
    mechanism m = mechanism_read(text);
    const nt_system *system = nt_run_system(m.run);
    end e = {0};
    nt_error error = {0};
    nt_integrator_setup setup = {.system = system,
                                 .method = nt_method_find(method),
                                 .energy_check = NT_ENERGY_WARNS,
                                 .tolerance = {tolerance, tolerance, tolerance, tolerance}};
    if (!nt_method_has_frame(setup.method, setup.frame))
        setup.frame = NT_BODY;
    if (nt_integrator_create(&m.integrator, &setup, &error) != NT_OK ||
        nt_integrator_start(m.integrator, 0, m.q, m.v, m.memory, &error) != NT_OK ||
        nt_integrator_run(m.integrator, 1, 0.1, NULL, NULL, &error) != NT_OK)
        fail_msg("%s: %s", method, error.message);
    nt_state s = nt_integrator_state(m.integrator);
    nt_point at = {.t = s.t, .q = s.q, .v = s.v, .memory = s.memory};
    nt_energy energy = {0};
    assert_int_equal(system->energy(system->self, &at, &energy), NT_OK);
    e.energy = energy.kinetic + energy.potential;
    e.x = s.q[0];
    memcpy(e.v, s.v, (size_t)system->space.nv * sizeof(double));
    e.steps = nt_integrator_statistics(m.integrator)->steps;
    e.evaluations = nt_integrator_statistics(m.integrator)->evaluations;
    nt_integrator_step_warning(m.integrator, e.warning, sizeof e.warning);
    mechanism_close(&m);
    return e;
}

static const char *const methods[] = {"theta",       "semi-explicit", "semi-explicit-2",
                                      "rkmk-dopri5", "rkmk-dop853",   "generalized-alpha-soi2",
                                      "bdf"};

/* Wherever steps fall, what hits the other one in full gives it all of its speed. Some starts lie
 * so that a step ends where the balls are deepest in each other, where some methods never look. */
static void test_chosen_steps_find_what_meets(void **unused)
{
    (void)unused;
    static const double starts[] = {-3, -3.03, -3.33, -2.718, -4.04};
    char text[1000];
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        for (size_t k = 0; k < sizeof starts / sizeof *starts; k++) {
            snprintf(text, sizeof text, balls, starts[k], 0.0);
            end e = run(text, methods[i], 1e-5);
            if (!(fabs(e.v[0]) < 0.02 && fabs(e.v[3] - 10) < 0.02 && fabs(e.energy - 50) < 0.2))
                fail_msg("%s from %g: %g and %g m/s, %g J", methods[i], starts[k], e.v[0], e.v[3],
                         e.energy);
            assert_string_equal(e.warning, "");
        }
}

/* The bat of 0.1 kg m^2 at the radius 1 m hits 1 kg: w' = w (J - m)/(J + m), v = 2 J w/(J + m). */
static void test_what_turns_meets_too(void **unused)
{
    (void)unused;
    char text[1000];
    snprintf(text, sizeof text, bat, 1.0);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        end e = run(text, methods[i], 1e-5);
        double speed = hypot(e.v[6], e.v[7]);
        if (!(fabs(e.v[5] + 10 * 0.9 / 1.1) < 0.05 && fabs(speed - 2 / 1.1) < 0.05))
            fail_msg("%s: %g rad/s, %g m/s", methods[i], e.v[5], speed);
    }
}

static void test_chosen_steps_find_springs_on_one_side(void **unused)
{
    (void)unused;
    static const double starts[] = {-3, -3.03, -3.33, -2.718, -4.04};
    char text[1000];
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        for (size_t k = 0; k < sizeof starts / sizeof *starts; k++) {
            snprintf(text, sizeof text, bump, starts[k], 0.0, starts[k], 0.0);
            end e = run(text, methods[i], 1e-5);
            if (!(fabs(e.v[0] + 10) < 0.02 && fabs(e.energy - 50) < 0.2))
                fail_msg("%s from %g: %g m/s, %g J", methods[i], starts[k], e.v[0], e.energy);
            assert_string_equal(e.warning, "");
        }
}

/* Past each other at a metre no step is made again, and no forces are looked at for it. */
static void test_what_is_far_costs_nothing(void **unused)
{
    (void)unused;
    char near[1000], far[1000];
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        snprintf(near, sizeof near, balls, -3.03, 0.03);
        snprintf(far, sizeof far, balls, -3.03, 1.0);
        end a = run(near, methods[i], 1e-5), b = run(far, methods[i], 1e-5);
        assert_int_equal(a.evaluations, b.evaluations);
        assert_true(a.v[0] == 10 && b.v[0] == 10 && b.steps < 20);
        snprintf(near, sizeof near, bump, -3.03, 0.06, -3.03, 0.06);
        snprintf(far, sizeof far, bump, -3.03, 9.0, -3.03, 9.0);
        a = run(near, methods[i], 1e-5), b = run(far, methods[i], 1e-5);
        assert_int_equal(a.evaluations, b.evaluations);
        assert_true(a.v[0] == 10 && b.v[0] == 10 && b.steps < 20);
    }
}

static void test_equal_steps_say_what_they_passed(void **unused)
{
    (void)unused;
    char hit[1000], past[1000], sent[1000];
    snprintf(hit, sizeof hit, balls, -3.03, 0.0);
    snprintf(past, sizeof past, balls, -3.03, 0.03);
    snprintf(sent, sizeof sent, bump, -3.03, 0.0, -3.03, 0.0);
    static const char *const equal[] = {"generalized-alpha", "theta", "semi-explicit",
                                        "rkmk-dopri5"};
    for (size_t i = 0; i < sizeof equal / sizeof *equal; i++) {
        end e = run(hit, equal[i], 0);
        if (!strstr(e.warning, "contact c met and parted again within a step of 0.1 s"))
            fail_msg("%s: '%s'", equal[i], e.warning);
        e = run(past, equal[i], 0);
        assert_string_equal(e.warning, "");
        e = run(sent, equal[i], 0);
        if (!strstr(e.warning, "force s met and parted again within a step of 0.1 s"))
            fail_msg("%s: '%s'", equal[i], e.warning);
    }
}

/* Ends of swings, in steps of which neither end is beyond the stop, nor needs to be for their
 * error: these were passed over by two of the methods. */
static void test_chosen_steps_find_stops_at_ends_of_swings(void **unused)
{
    (void)unused;
    const double stop = 0.999, w = 3, k = 9e4, stiff = sqrt(k + w * w);
    double rest = stop * k / (stiff * stiff), v = w * sqrt(1 - stop * stop),
           half = atan2(v / stiff, stop - rest) / stiff;
    double x = sin(acos(-1.0) - asin(stop) + w * (1 - asin(stop) / w - 2 * half));
    static const struct {
        double speed;
        const char *between, *limit;
    } ways[] = {{3, "ground, a", "upper: 0.999"},
                {-3, "ground, a", "lower: -0.999"},
                {3, "a, ground", "lower: -0.999"},
                {-3, "a, ground", "lower: -2, upper: 0.999"}};
    char text[1000];
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        for (size_t m = 0; m < sizeof ways / sizeof *ways; m++) {
            snprintf(text, sizeof text, swing, ways[m].speed, ways[m].between, ways[m].limit);
            end e = run(text, methods[i], strcmp(methods[i], "semi-explicit") == 0 ? 1e-6 : 1e-5);
            if (!(fabs(e.x - copysign(x, ways[m].speed)) < 0.01))
                fail_msg("%s of %zu: %g for %g", methods[i], m, e.x, x);
        }
}

/* The same in steps of 1.3 to 1.7 rad, of which cubics see no more than 8 mm less than there is: a
 * stop, a contact and a spring on one side. */
static void test_steps_of_high_order_find_ends_of_swings(void **unused)
{
    (void)unused;
    static const char *const stops[] = {
        "joints: {j: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: [1, 0, 0], "
        "limits: {upper: 0.999, stiffness: 4e8}}}\nforces:\n",
        "contacts: {c: {type: sphere_plane, between: [ground, a], radius: 0.1, plane: {point: "
        "[1.099, 0, 0], normal: [-1, 0, 0]}, stiffness: 4e8, exponent: 1}}\nforces:\n",
        "forces:\n  o: {type: spring, between: [ground, a], at: [[5, 0, 0], [0, 0, 0]], length: "
        "4.001, stiffness: 4e8, only: compression}\n"};
    static const double tolerances[] = {1e-4, 3e-5, 1e-5, 1e-6};
    const double w = 20, stop = asin(0.999), k = 4e8, stiff = sqrt(k + w * w);
    double rest = 0.999 * k / (stiff * stiff), v = w * cos(stop),
           within = 2 * atan2(v / stiff, 0.999 - rest) / stiff, t = 1 - stop / w, x;
    while (t > within + (acos(-1.0) + 2 * stop) / w)
        t -= within + (acos(-1.0) + 2 * stop) / w;
    x = sin(acos(-1.0) - stop + w * (t - within));
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++)
        for (size_t n = 0; n < sizeof tolerances / sizeof *tolerances; n++) {
            char text[1000];
            snprintf(text, sizeof text,
                     "nutate: 1\ngravity: [0, 0, 0]\n"
                     "bodies: {a: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0], "
                     "velocity: [20, 0, 0]}}\n%s  s: {type: spring, between: [ground, a], at: "
                     "[[-10, 0, 0], [0, 0, 0]], length: 10, stiffness: 400}\n",
                     stops[i]);
            end e = run(text, "rkmk-dop853", tolerances[n]);
            if (!(fabs(e.x - x) < 1e-3))
                fail_msg("%zu at %g: %.6f for %.6f", i, tolerances[n], e.x, x);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chosen_steps_find_what_meets),
        cmocka_unit_test(test_what_turns_meets_too),
        cmocka_unit_test(test_chosen_steps_find_springs_on_one_side),
        cmocka_unit_test(test_what_is_far_costs_nothing),
        cmocka_unit_test(test_equal_steps_say_what_they_passed),
        cmocka_unit_test(test_chosen_steps_find_stops_at_ends_of_swings),
        cmocka_unit_test(test_steps_of_high_order_find_ends_of_swings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
