/* The watch on energy: what ends a run, what is warned of, what is left alone, and in which words.
 */
#include "../model/mechanism.h"

#include "method/integrator.h"

static const char ball[] =
    "nutate: 1\ngravity: [0, 0, -9.8]\n"
    "bodies: {ball: {mass: 1, position: [0, 0, 5], point: true}}\n"
    "contacts: {floor: {type: sphere_plane, between: [ground, ball], plane: {normal: [0, 0, 1]}, "
    "radius: 0.1, stiffness: 1e8}}\n";

static const char top[] =
    "nutate: 1\ngravity: [0, 0, -9.81]\n"
    "bodies: {top: {mass: 15, inertia: [0.234375, 0.46875, 0.234375], position: [0, 1, 0], "
    "angular_velocity: [0, 150, -4.61538]}}\n"
    "joints: {pivot: {type: spherical, between: [ground, top], at: [0, 0, 0]}}\n";

/* An arm between stops so stiff that a step may show half a million J in one, of 10 that there are.
 */
static const char stops[] =
    "nutate: 1\ngravity: [0, 0, -9.81]\n"
    "bodies: {arm: {mass: 2, inertia: [0.01, 0.2, 0.2], position: [0.5, 0, 0]}}\n"
    "joints: {p: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, -1, 0], "
    "limits: {lower: -1, upper: 1, stiffness: 1e7}}}\n";

/* The top beside a wheel that a joint drives: its power is that of a reaction. */
static const char beside[] =
    "nutate: 1\ngravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  top: {mass: 15, inertia: [0.234375, 0.46875, 0.234375], position: [0, 1, 0], "
    "angular_velocity: [0, 150, -4.61538]}\n"
    "  wheel: {mass: 1e-3, inertia: [1e-6, 1e-6, 1e-6], position: [5, 0, 0]}\n"
    "joints:\n"
    "  pivot: {type: spherical, between: [ground, top], at: [0, 0, 0]}\n"
    "  axle: {type: revolute, between: [ground, wheel], at: [5, 0, 0], axis: [1, 0, 0], "
    "motion: 2*t}\n";

/* The ball beside a flywheel that holds 200 times its energy, and one of 10 g beside a car that
 * holds two million times its own: nothing connects them. */
#define BALL(mass, height) "ball: {mass: " mass ", position: [0, 0, " height "], point: true}"
#define FLOOR                                                                                      \
    "contacts: {floor: {type: sphere_plane, between: [ground, ball], plane: {normal: [0, 0, 1]}, " \
    "radius: 0.1, stiffness: 1e8}}\n"
static const char hidden[] =
    "nutate: 1\ngravity: [0, 0, -9.8]\n"
    "bodies: {" BALL("1", "5") ", wheel: {mass: 100, inertia: [10, 10, 20], position: [9, 0, 0], "
                               "angular_velocity: [0, 0, 100]}}\n"
                               "joints: {axle: {type: revolute, between: [ground, wheel], at: [9, "
                               "0, 0], axis: [0, 0, 1]}}\n" FLOOR;
static const char outshone[] =
    "nutate: 1\ngravity: [0, 0, -9.8]\n"
    "bodies: {car: {mass: 1000, point: true, position: [0, 9, 0], velocity: [20, 0, 0]}, " BALL(
        "0.01", "1") "}\n"
                     "joints: {road: {type: planar, between: [ground, car], at: [0, 9, 0], axis: "
                     "[0, 0, 1]}}\n" FLOOR;
/* What the car is pushed with follows the ball, which gets nothing of it. */
static const char followed[] =
    "nutate: 1\ngravity: [0, 0, -9.8]\n"
    "bodies: {car: {mass: 1000, point: true, position: [0, 9, 0], velocity: [20, 0, 0]}, " BALL(
        "0.01",
        "1") "}\n"
             "joints: {road: {type: planar, between: [ground, car], at: [0, 9, 0], axis: [0, 0, "
             "1]}}\n"
             "forces: {push: {type: force, on: car, value: ['ball.position.z', 0, 0]}}\n" FLOOR;

/* A flywheel that is driven: power from 0 to 200 W and back. */
static const char driven[] =
    "nutate: 1\ngravity: [0, 0, 0]\n"
    "bodies: {wheel: {mass: 1, inertia: [1, 1, 2], position: [0, 0, 0]}}\n"
    "joints: {axle: {type: revolute, between: [ground, wheel], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
    "forces: {motor: {type: torque, on: wheel, value: [0, 0, '20*sin(3*t)']}}\n";

/* An arm that is held level until a joint turns it: nothing moves but roundings. */
static const char held[] =
    "nutate: 1\n"
    "bodies: {arm: {mass: 3, inertia: [0.1, 0.1, 0.01], position: [0.4, 0, 0]}}\n"
    "joints: {drive: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, -1, 0], "
    "motion: 'step(t, 0.2, 0, 1.2, 1.5)'}}\n";

/* From rest: a fall, and a spring; the first step is all that has moved. */
static const char falls[] = "nutate: 1\ngravity: [0, 0, -9.8]\n"
                            "bodies: {ball: {mass: 1, position: [0, 0, 5], point: true}}\n";
static const char pulled[] =
    "nutate: 1\ngravity: [0, 0, 0]\n"
    "bodies: {p: {mass: 1, inertia: [1, 1, 1], position: [1.1, 0, 0]}}\n"
    "forces: {s: {type: spring, between: [ground, p], at: [[0, 0, 0], [1.1, 0, 0]], "
    "stiffness: 100, length: 1}}\n";

/* A hinge that is driven: right at every step's end, whatever power does within. */
#define HINGE(motion)                                                                              \
    "nutate: 1\ngravity: [0, 0, -9.81]\n"                                                          \
    "bodies: {a: {mass: 2, inertia: [0.1, 0.2, 0.3], position: [1, 0, 0]}}\n"                      \
    "joints: {j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0], motion: "  \
    "'" motion "'}}\n"
static const char wound[] = HINGE("5*t^2"), shaken[] = HINGE("10*t+5*sin(40*t)");

/* A heavy top without joints, for methods of the rotation group. */
static const char spinner[] = "nutate: 1\ngravity: [0, 0, -9.81]\n"
                              "bodies: {top: {mass: 2, inertia: [0.1, 0.15, 0.05], position: [0, "
                              "0, 1], fixed_point: [0, 0, 0], "
                              "angular_velocity: [3, 2, 20]}}\n";

typedef struct result {
    nt_error error;
    double t, growth, allowed;
    long looks, steps;
    char warning[300];
} result;

static result run_to(const char *text, const char *method, nt_energy_check check, double end,
                     double h, double tolerance)
{
    mechanism m = mechanism_read(text);
    result r = {0};
    nt_integrator_setup setup = {
        .system = nt_run_system(m.run), .method = nt_method_find(method), .energy_check = check};
    for (int i = 0; i < 4; i++)
        setup.tolerance[i] = tolerance;
    if (!nt_method_has_frame(setup.method, setup.frame))
        setup.frame = NT_BODY;
    if (nt_integrator_create(&m.integrator, &setup, &r.error) != NT_OK ||
        nt_integrator_start(m.integrator, 0, m.q, m.v, m.memory, &r.error) != NT_OK)
        fail_msg("%s", r.error.message);
    r.error = (nt_error){0};
    if (nt_integrator_run(m.integrator, end, h, NULL, NULL, &r.error) == NT_OK)
        nt_integrator_check_energy(m.integrator, &r.error);
    nt_integrator_energy_warning(m.integrator, r.warning, sizeof r.warning);
    r.t = nt_integrator_state(m.integrator).t;
    r.growth = m.integrator->watch.growth;
    r.allowed = m.integrator->watch.allowed;
    r.steps = nt_integrator_statistics(m.integrator)->steps;
    mechanism_close(&m);
    return r;
}

static result run(const char *text, const char *method, nt_energy_check check, double end, double h)
{
    return run_to(text, method, check, end, h, 0);
}

static void says(const char *text, const char *words)
{
    if (!strstr(text, words))
        fail_msg("'%s' is missing in '%s'", words, text);
}

/* ---- what ends a run --------------------------------------------------------------------------
 */

static void test_growth_ends_a_run(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *method;
        double end, h, before; /* s: where it has to end before */
    } runs[] = {
        {ball, "generalized-alpha", 10, 0.01, 1.2},   {ball, "rkmk-dop853", 10, 0.01, 1.1},
        {ball, "generalized-alpha", 10, 1e-3, 10},    {ball, "theta", 10, 0.1, 10},
        {ball, "semi-explicit", 10, 0.1, 10},         {top, "generalized-alpha", 2, 0.5, 1},
        {beside, "generalized-alpha", 2, 0.5, 1},     {stops, "semi-explicit", 5, 0.2, 1},
        {stops, "semi-explicit-2", 5, 0.4, 3},        {stops, "semi-explicit", 3.54, 0.3089, 3},
        {hidden, "generalized-alpha", 10, 0.01, 1.2}, {hidden, "rkmk-dop853", 10, 0.01, 1.1},
        {outshone, "generalized-alpha", 3, 1e-3, 3},  {outshone, "semi-explicit", 3, 1e-3, 3},
        {followed, "generalized-alpha", 3, 1e-3, 3},
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        result r = run(runs[i].text, runs[i].method, NT_ENERGY_ENDS, runs[i].end, runs[i].h);
        if (r.error.status != NT_ENERGY || !(r.t < runs[i].before))
            fail_msg("%s, step %g: at t = %g %s", runs[i].method, runs[i].h, r.t,
                     nt_status_text(r.error.status));
        says(r.error.message, "without a cause");
        bool spins = runs[i].text == top || runs[i].text == beside;
        says(r.error.message, spins ? "body top gained" : " gained most");
        if (runs[i].text == hidden || runs[i].text == outshone || runs[i].text == followed)
            says(r.error.message, "contact floor");
        says(r.error.message, "would do");
        assert_true(r.error.time == r.t && r.error.step > 0 && r.error.residual > 1);
        assert_string_equal(r.warning, ""); /* it was said */
        r = run(runs[i].text, runs[i].method, NT_ENERGY_WARNS, runs[i].end, runs[i].h);
        assert_int_equal(r.error.status, NT_OK);
        assert_true(r.t == runs[i].end);
        says(r.warning, "the energy has grown by ");
        r = run(runs[i].text, runs[i].method, NT_ENERGY_UNWATCHED, runs[i].end, runs[i].h);
        assert_int_equal(r.error.status, NT_OK);
        assert_string_equal(r.warning, "");
    }
}

/* The part that gained is one with a potential, too: a bar that swings onto a stiff stop. */
static void test_the_element_that_gained_is_named(void **unused)
{
    (void)unused;
    mechanism m = mechanism_read(ball);
    const nt_system *system = nt_run_system(m.run);
    double q[3] = {0, 0, 5}, deep[3] = {0, 0, 0}, v[3] = {0}, fast[3] = {0, 0, 30};
    nt_point from = {.q = q, .v = v}, to = {.q = deep, .v = v};
    char text[80];
    system->energy_gained(system->self, &from, &to, -1, text, sizeof text);
    assert_string_equal(text, "contact floor");
    to.q = q;
    to.v = fast;
    system->energy_gained(system->self, &from, &to, -1, text, sizeof text);
    assert_string_equal(text, "body ball");
    system->energy_gained(system->self, &from, &to, -1, text, 5);
    assert_string_equal(text, "body");
    mechanism_close(&m);
}

/* Of a body that is in flight again when its bounce is judged, what has thrown it is named; not
 * what is too weak for that, and nothing where nothing has. */
static void test_what_threw_the_body_is_named(void **unused)
{
    (void)unused;
    static const char falls_on_springs[] =
        "nutate: 1\ngravity: [0, 0, -9.8]\n"
        "bodies: {ball: {mass: 1, position: [0, 0, 5], point: true}}\n"
        "forces: {soft: {type: spring, between: [ground, ball], at: [[0, 0, 9], [0, 0, 5]], "
        "stiffness: 0.1, length: 4}}\n"
        "contacts: {floor: {type: sphere_plane, between: [ground, ball], "
        "plane: {normal: [0, 0, 1]}, radius: 0.1, stiffness: 1e8}}\n";
    static const char swings_to_a_stop[] =
        "nutate: 1\ngravity: [0, 0, -9.8]\nbodies:\n"
        "  door: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0]}\n"
        "  bob: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [2, 0, 0]}\njoints:\n"
        "  hinge: {type: revolute, between: [ground, door], at: [0, 0, 0], axis: [0, 1, 0], "
        "limits: {upper: 0.5, stiffness: 1e7}}\n"
        "  knee: {type: revolute, between: [door, bob], at: [1.5, 0, 0], axis: [0, 1, 0]}\n";
    static const char falls_into_a_rope[] =
        "nutate: 1\ngravity: [0, 0, -9.8]\n"
        "bodies: {ball: {mass: 1, position: [0, 0, 1], point: true}}\n"
        "forces: {rope: {type: spring, between: [ground, ball], at: [[0, 0, 2], [0, 0, 1]], "
        "stiffness: 1e8, length: 1.5, only: tension}}\n";
    static const struct {
        const char *text, *words;
    } cases[] = {{falls_on_springs, "contact floor"},
                 {swings_to_a_stop, "joint hinge"},
                 {falls_into_a_rope, "force rope"}};
    static const char *const methods[] = {"generalized-alpha", "rkmk-dop853", "semi-explicit",
                                          "theta"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
            result r = run(cases[i].text, methods[k], NT_ENERGY_ENDS, 10, 0.01);
            assert_int_equal(r.error.status, NT_ENERGY);
            says(r.error.message, cases[i].words);
        }
    result r = run(top, "generalized-alpha", NT_ENERGY_ENDS, 2, 0.5);
    says(r.error.message, "body top gained");
}

/* Steps are too long for a spring, a bushing, or a beam: it is named with its body, not the softer
 * one beside it; a beam whose own nodes gain is named itself. */
static void test_what_holds_the_body_is_named(void **unused)
{
    (void)unused;
    static const char spring[] =
        "nutate: 1\ngravity: [0, 0, 0]\nbodies: {ball: {mass: 1, position: [0, 0, 0], point: true, "
        "velocity: [1, 0.5, 0]}}\nforces:\n"
        "  stiff: {type: spring, between: [ground, ball], at: [[-1, 0, 0], [0, 0, 0]], "
        "stiffness: 1e4, length: 1}\n"
        "  soft: {type: spring, between: [ground, ball], at: [[0, 1, 0], [0, 0, 0]], "
        "stiffness: 1e2, length: 1}\n";
    static const char bushing[] =
        "nutate: 1\ngravity: [0, 0, 0]\nbodies: {bar: {mass: 1, inertia: [0.1, 0.1, 0.1], "
        "position: [0, 0, 0], angular_velocity: [0, 0, 1]}}\nforces:\n"
        "  soft: {type: spring, between: [ground, bar], at: [[-1, 1, 0], [0, 1, 0]], "
        "stiffness: 1e2, length: 1}\n"
        "  bush: {type: bushing, between: [ground, bar], at: [0, 0, 0], "
        "stiffness: [1e2, 1e2, 1e2, 1e3, 1e3, 1e3]}\n";
    static const char beam[] =
        "nutate: 1\ngravity: [0, 0, -9.8]\nbodies: {hub: {mass: 50, inertia: [5, 5, 5], "
        "position: [1, 0, 0]}}\nbeams:\n"
        "  bar: {points: [[0, 0, 0], [1, 0, 0]], order: 1, elements: 1, sections: [{at: 0, "
        "stiffness: [1e6, 1e6, 1e6, 1e4, 1e4, 1e4], mass: [1, 1, 1, 0.01, 0.01, 0.01]}]}\n"
        "joints:\n  root: {type: fixed, between: [ground, bar.root]}\n"
        "  tip: {type: fixed, between: [bar.tip, hub]}\n";
    static const struct {
        const char *text, *words;
        double step;
    } cases[] = {{spring, "body ball (held most stiffly by force stiff)", 0.05},
                 {bushing, "body bar (held most stiffly by force bush)", 0.05},
                 {beam, "beam bar", 0.5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        result r = run(cases[i].text, "rkmk-dopri5", NT_ENERGY_ENDS, 10, cases[i].step);
        assert_int_equal(r.error.status, NT_ENERGY);
        says(r.error.message, cases[i].words);
    }
}

/* ---- what does not -----------------------------------------------------------------------------
 */

static void test_what_converges_goes_on(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *method;
        double end, h;
        bool warned;
    } runs[] = {
        {ball, "generalized-alpha", 2.5, 2e-4, true},
        {ball, "generalized-alpha", 10, 1e-4, false}, /* 0.05 of 49 J, 5 mm */
        {ball, "generalized-alpha", 2.5, 1e-5, false},
        {top, "generalized-alpha", 2, 1e-3, false},
        {top, "rkmk-dop853", 2, 1e-2, false},
        {driven, "generalized-alpha", 5, 1e-2, false}, /* 90 J go in and out */
        {driven, "rkmk-dopri5", 5, 5e-2, false},
        {held, "generalized-alpha-soi2", 0.5, 1e-3, false},
        {held, "generalized-alpha", 0.5, 1e-3, false},
        {spinner, "lie-newmark", 20, 1e-2, false},
        {spinner, "akw", 20, 1e-2, false},
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        result r = run(runs[i].text, runs[i].method, NT_ENERGY_ENDS, runs[i].end, runs[i].h);
        if (r.error.status != NT_OK)
            fail_msg("%s, step %g: %s", runs[i].method, runs[i].h, r.error.message);
        if ((r.warning[0] != '\0') != runs[i].warned)
            fail_msg("%s, step %g: warning '%s', growth %g of %g", runs[i].method, runs[i].h,
                     r.warning, r.growth, r.allowed);
    }
}

/* A Hertzian contact of 16 ms in steps of 10 ms hides 2.5 of 3.8 J for two rows and gives 2.8 back:
 * the bounce is 0.3 J too high, no more. */
static void test_what_a_contact_hides_and_gives_back_is_no_growth(void **unused)
{
    (void)unused;
    static const char lands[] =
        "nutate: 1\ngravity: [0, 0, -9.81]\n"
        "bodies: {b: {mass: 1.733683, inertia: [0.021559, 0.011133, 0.014228], "
        "position: [0, 0, 0.206828], angular_velocity: [-3.553348, 3.166051, -2.633822]}}\n"
        "contacts: {floor: {type: sphere_plane, between: [ground, b], plane: {point: [0, 0, "
        "-0.218], normal: [0, 0, 1]}, radius: 0.1, stiffness: 580369.738}}\n";
    for (int i = 0; i < 3; i++) {
        result r = run(lands, "generalized-alpha", NT_ENERGY_ENDS, 0.5, 0.01005 + i * 5e-5);
        assert_int_equal(r.error.status, NT_OK);
        says(r.warning, "the energy has grown by ");
        assert_in_range(r.growth * 1000, 100, 500);
    }
}

/* By methods whose velocities are a step ahead, at steps that follow the motion. */
/* A bounce of 1.5 ms in steps of 2.7 ms has a row on each side of its deepest point, with .6 J less
 * and the same velocity but for its sign: the step between them exchanges nothing. */
static void test_a_contact_hides_between_two_rows(void **unused)
{
    (void)unused;
    static const char falls_hard[] =
        "nutate: 1\ngravity: [0, 0, -9.81]\n"
        "bodies: {b: {mass: 0.454333, position: [0, 0, 0.015421], point: true}, "
        "driven: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0]}}\n"
        "forces: {motor: {type: torque, on: driven, value: ['0.5*sin(7*t)', 0, 0]}}\n"
        "contacts: {floor: {type: sphere_plane, between: [ground, b], plane: {point: [0, 0, "
        "-0.49], "
        "normal: [0, 0, 1]}, radius: 0.1, stiffness: 2025491.722}}\n";
    result r = run(falls_hard, "generalized-alpha-soi2", NT_ENERGY_ENDS, 1, 0.00268747);
    if (r.error.status != NT_OK)
        fail_msg("%s", r.error.message);
    assert_true(r.growth < 0.5 * r.allowed);
}

static void test_rest_is_no_growth(void **unused)
{
    (void)unused;
    static const char *const methods[] = {"lie-euler", "lie-euler-adjoint", "lie-midpoint"};
    static const double steps[] = {1e-2, 1e-3, 1e-5};
    for (int i = 0; i < 18; i++) {
        double h = steps[i % 3] / (i < 9 ? 1 : 100); /* the spring turns it back */
        const char *method = methods[i / 3 % 3], *text = i < 9 ? falls : pulled;
        result r = run(text, method, NT_ENERGY_ENDS, fmin(1000 * h, 1), h);
        if (r.error.status != NT_OK || r.warning[0])
            fail_msg("%s, step %g, %s: %s%s", method, h, i < 9 ? "falls" : "pulled",
                     r.error.message, r.warning);
    }
}

static void test_driven_hinges_are_right(void **unused)
{
    (void)unused;
    static const char *const methods[] = {"rkmk-dopri5", "rkmk-dop853"};
    for (int i = 0; i < 16; i++) {
        double tolerance = pow(10, -4 - 2 * (i / 2 % 4));
        const char *text = i < 8 ? wound : shaken;
        result r = run_to(text, methods[i % 2], NT_ENERGY_ENDS, 3, 1e-3, tolerance);
        if (r.error.status != NT_OK || r.warning[0])
            fail_msg("%s, tolerance %g, %s: %s%s", methods[i % 2], tolerance,
                     i < 8 ? "wound" : "shaken", r.error.message, r.warning);
    }
}

/* A step is named only where growth shrinks with it, and that step does. */
static void test_a_step_that_is_named_does(void **unused)
{
    (void)unused;
    result r = run(ball, "generalized-alpha", NT_ENERGY_ENDS, 10, 0.1);
    assert_int_equal(r.error.status, NT_ENERGY);
    says(r.error.message, "much smaller steps would do, or ");
    assert_null(strstr(r.error.message, "a step of"));
    static const struct {
        const char *text, *method;
        double h;
    } warned[] = {{ball, "generalized-alpha", 2e-4}, {pulled, "lie-euler", 1e-2}};
    for (int i = 0; i < 2; i++) {
        r = run(warned[i].text, warned[i].method, NT_ENERGY_ENDS, 2.5, warned[i].h);
        says(r.warning, "a step of ");
        double h = atof(strstr(r.warning, "a step of ") + strlen("a step of "));
        assert_true(h > 0 && h < warned[i].h);
        r = run(warned[i].text, warned[i].method, NT_ENERGY_ENDS, 2.5, h);
        assert_int_equal(r.error.status, NT_OK);
        assert_string_equal(r.warning, "");
    }
}

/* Methods that are unstable in long runs say so, and which one is not; they go on. */
static void test_unstable_methods_warn(void **unused)
{
    (void)unused;
    result r = run(spinner, "simo-wong-explicit", NT_ENERGY_ENDS, 400, 0.04);
    assert_int_equal(r.error.status, NT_OK);
    assert_true(r.growth > r.allowed);
    says(r.warning, "simo-wong-explicit is unstable in long runs; lie-newmark is not");
}

/* ---- what it costs ------------------------------------------------------------------------------
 */

typedef struct counter {
    const nt_system *system;
    long looks, evaluations;
} counter;

static nt_status counted_energy(void *self, const nt_point *at, nt_energy *energy)
{
    counter *c = self;
    c->looks++;
    return c->system->energy(c->system->self, at, energy);
}

static nt_status counted_evaluate(void *self, const nt_point *at, const nt_terms *terms)
{
    counter *c = self;
    c->evaluations++;
    return c->system->evaluate(c->system->self, at, terms);
}

static counter count(const char *text, const char *method, nt_energy_check check, double h)
{
    mechanism m = mechanism_read(text);
    nt_error error = {0};
    counter c = {.system = nt_run_system(m.run)};
    nt_system system = *c.system;
    system.self = &c;
    system.evaluate = counted_evaluate;
    system.energy = counted_energy;
    system.accept = NULL;
    system.energies = NULL;
    system.energy_gained = NULL;
    system.failure = NULL;
    system.coordinate_name = system.equation_name = NULL;
    nt_integrator_setup setup = {
        .system = &system, .method = nt_method_find(method), .energy_check = check};
    assert_int_equal(nt_integrator_create(&m.integrator, &setup, &error), NT_OK);
    assert_int_equal(nt_integrator_start(m.integrator, 0, m.q, m.v, m.memory, &error), NT_OK);
    assert_int_equal(nt_integrator_run(m.integrator, 1, h, NULL, NULL, &error), NT_OK);
    mechanism_close(&m);
    return c;
}

/* No equations are evaluated for it, and energies after every two dozen evaluations; at each of the
 * steps where a motor may give energy; never where the system has none or nobody asks. */
static void test_looks_are_few(void **unused)
{
    (void)unused;
    counter with = count(top, "generalized-alpha", NT_ENERGY_ENDS, 1e-3);
    counter without = count(top, "generalized-alpha", NT_ENERGY_UNWATCHED, 1e-3);
    assert_int_equal(with.evaluations, without.evaluations);
    assert_int_equal(without.looks, 0);
    assert_true(with.looks > 50 && with.looks <= with.evaluations / 24 + 3); /* start, end, noise */
    counter motor = count(driven, "generalized-alpha", NT_ENERGY_ENDS, 1e-3);
    /* and at the start, and beside it; in three steps from rest there is more than twice the energy
     * that there was at their begin, and that of their way is looked at */
    assert_int_equal(motor.looks, 1000 + 2 + 3);
}

/* ---- saved states
 * --------------------------------------------------------------------------------- */

/* A run that goes on from a saved state remembers where the energy was. */
static void is_saved(const char *text)
{
    double t[2];
    for (int saved = 0; saved < 2; saved++) {
        mechanism m = mechanism_open(text);
        nt_error error = {0};
        mechanism_run(&m, 0.9, 0.01);
        size_t size = nt_integrator_saved_size(m.integrator);
        void *bytes = malloc(size);
        assert_non_null(bytes);
        nt_integrator_save(m.integrator, bytes);
        if (saved) {
            nt_integrator_destroy(m.integrator);
            mechanism_start(&m, NULL, 0, NT_INERTIAL);
            assert_int_equal(nt_integrator_restore(m.integrator, bytes, size, &error), NT_OK);
        }
        assert_int_equal(nt_integrator_run(m.integrator, 10, 0.01, NULL, NULL, &error), NT_ENERGY);
        t[saved] = nt_integrator_state(m.integrator).t;
        free(bytes);
        mechanism_close(&m);
    }
    assert_true(t[0] == t[1]);
}

static void test_the_watch_is_saved(void **unused)
{
    (void)unused;
    is_saved(ball);
    is_saved(hidden);
}

/* Parts that nothing connects have an account each, which sum up to the energy of all; what touches
 * or is joined has one. */
static void test_parts_have_their_own_energy(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        int parts;
    } models[] = {{ball, 1}, {beside, 2}, {hidden, 2}, {followed, 2}};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        mechanism m = mechanism_read(models[i].text);
        const nt_system *s = nt_run_system(m.run);
        nt_energy all, parts[2] = {{0}}, sum = {0};
        assert_int_equal(s->n_energies, models[i].parts);
        double zeros[20] = {0}, v[20];
        assert_true(s->space.nv < 20 && s->nh + s->nn < 20);
        for (int k = 0; k < s->space.nv; k++)
            v[k] = 0.3 * k - 1;
        nt_point at = {.t = 0.2,
                       .q = m.q,
                       .v = v,
                       .vdot = zeros,
                       .lambda = zeros,
                       .mu = zeros + s->nh,
                       .memory = m.memory};
        assert_int_equal(s->energy(s->self, &at, &all), NT_OK);
        assert_int_equal(s->energies(s->self, &at, parts), NT_OK);
        for (int k = 0; k < s->n_energies; k++) {
            sum.kinetic += parts[k].kinetic, sum.potential += parts[k].potential;
            sum.power += parts[k].power, sum.taken += parts[k].taken;
            assert_true(parts[k].kinetic > 0);
        }
        CLOSE(sum.kinetic, all.kinetic, 1e-13 * all.kinetic);
        CLOSE(sum.potential, all.potential, 1e-13 * fabs(all.potential));
        CLOSE(sum.power, all.power, 1e-13 * fabs(all.power));
        CLOSE(sum.taken, all.taken, 1e-13 * fabs(all.taken));
        mechanism_close(&m);
    }
}

/* ---- the end of a run -------------------------------------------------------------------------
 */

/* A spring that a step of 0.1 s turns by 1000 rad, and a fall from rest, of one to three steps: no
 * step follows that shows whether a growth lasts. */
static void test_the_last_step_is_judged(void **unused)
{
    (void)unused;
    static const char spring[] =
        "nutate: 1\ngravity: [0, 0, 0]\n"
        "bodies: {b: {mass: 1, inertia: [1, 1, 1], position: [1.1, 0, 0]}}\n"
        "forces: {s: {type: spring, between: [ground, b], at: [[0, 0, 0], [1.1, 0, 0]], "
        "stiffness: 1e8, length: 1}}\n";
    static const char fall[] = "nutate: 1\ngravity: [0, 0, -9.81]\n"
                               "bodies: {b: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}}\n";
    int ended = 0;
    for (int i = 0; i < nt_method_count(); i++) {
        const nt_method *method = nt_method_at(i);
        mechanism m = mechanism_read(spring);
        bool suits = nt_method_check_system(method, nt_run_system(m.run), NULL) == NT_OK;
        mechanism_close(&m);
        for (int n = 1; n <= 3 && suits; n++) {
            const char *name = nt_method_name(method);
            result r = run(spring, name, NT_ENERGY_ENDS, 0.1 * n, 0.1);
            if (method->needs & NT_GAINS_ENERGY)
                says(r.warning, "the energy has grown by ");
            else if (r.error.status != NT_ENERGY && strcmp(name, "bdf") != 0 &&
                     r.growth > 0.05 * r.allowed)
                fail_msg("%s, %d steps: %s, grown by %g", name, n, nt_status_text(r.error.status),
                         r.growth);
            ended += r.error.status == NT_ENERGY;
            r = run(fall, name, NT_ENERGY_ENDS, 0.1 * n, 0.1);
            if (r.error.status != NT_OK || r.warning[0])
                fail_msg("%s, %d steps of a fall: %s%s", name, n, r.error.message, r.warning);
        }
    }
    assert_true(ended >= 3 * 10);
}

/* Ten million times too fast, and by the power of a load at these speeds its work would be in doubt
 * by more than the growth. */
#define TRUSS(mass)                                                                                \
    "nutate: 1\ngravity: [0, 0, 0]\n"                                                              \
    "bodies: {top: {mass: " mass ", inertia: [1, 1, 1], position: [0, 0, 0.5]}}\n"                 \
    "joints: {guide: {type: prismatic, between: [ground, top], at: [0, 0, 0.5], axis: [0, 0, "     \
    "1]}}\n"                                                                                       \
    "forces:\n"                                                                                    \
    "  left: {type: spring, between: [ground, top], at: [[-1, 0, 0], [0, 0, 0.5]], stiffness: "    \
    "1000, length: 2.2}\n"                                                                         \
    "  right: {type: spring, between: [ground, top], at: [[1, 0, 0], [0, 0, 0.5]], stiffness: "    \
    "1000, length: 2.2}\n"                                                                         \
    "  load: {type: force, on: top, value: [0, 0, -60]}\n"

static void test_speeds_that_grew_excuse_nothing(void **unused)
{
    (void)unused;
    for (int n = 1; n <= 2; n++) {
        result r = run(TRUSS("1e-9"), "generalized-alpha", NT_ENERGY_ENDS, 5e-3, 5e-3 / n);
        assert_int_equal(r.error.status, NT_ENERGY);
    }
}

/* 80 J more in the last row, where 320 would end the run; the last step exchanged more than both,
 * and what it exchanges is no excuse there. */
static void test_growth_of_the_last_row_is_warned_of(void **unused)
{
    (void)unused;
    result r = run(TRUSS("1e-6"), "generalized-alpha", NT_ENERGY_ENDS, 5e-3, 5e-3);
    assert_int_equal(r.error.status, NT_OK);
    says(r.warning, "the energy has grown by 79.8 J without a cause; much smaller steps would do");
    r = run(TRUSS("1e-6"), "rkmk-dop853", NT_ENERGY_ENDS, 5e-3, 1e-6);
    assert_int_equal(r.error.status, NT_OK);
    assert_string_equal(r.warning, "");
}

/* ---- steps too long for an explicit method ------------------------------------------------------
 */

/* A mass of 1 kg that swings at 1e4 rad/s, or that a dashpot stops at 1e5/s; and a beam with
 * damping (s) over stiffness. */
#define SWINGS                                                                                     \
    "nutate: 1\ngravity: [0, 0, -9.81]\nsimulation: {duration: 1, step: 1}\n"                      \
    "bodies: {m: {mass: 1, inertia: [1, 1, 1], position: [0, 0, -1]}}\n"
static const char swings[] =
    SWINGS "forces: {f: {type: force, on: m, value: [-1e8*m.position.x, 0, "
           "-1e8*(m.position.z + 1)]}}\n";
static const char decays[] =
    SWINGS "forces: {f: {type: force, on: m, value: [-1e5*m.velocity.x, 0, "
           "-1e5*m.velocity.z]}}\n";
#define BAR(damping)                                                                               \
    "nutate: 1\ngravity: [0, 0, -9.81]\nsimulation: {duration: 1, step: 1}\nbeams:\n"              \
    "  bar: {points: [[0, 0, 0], [1, 0, 0]], order: 3, " damping                                   \
    "sections: [{material: {E: 2e11, "                                                             \
    "nu: 0.3, density: 7800}, shape: circle, radius: 0.01}]}\n"                                    \
    "joints: {clamp: {type: fixed, between: [ground, bar.root], at: [0, 0, 0]}}\n"

/* What bears which steps is told with the step, and steps a little shorter do, longer ones do not.
 */
static void test_too_long_steps_are_told(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *method, *words;
        double most, h; /* most: steps, by hand, s; 0: not known */
    } cases[] = {
        {swings, "rkmk-dop853", "what swings fastest, at 1.6e+03 Hz, bears", 5.98e-4, 2e-3},
        {swings, "rkmk-dopri5", "what swings fastest, at 1.6e+03 Hz, bears", 1e-4, 1e-3},
        {decays, "rkmk-dop853", "what decays fastest, at a rate of 1e+05/s, bears", 6.39e-5, 1e-3},
        {decays, "rkmk-dopri5", "what decays fastest, at a rate of 1e+05/s, bears", 3.31e-5, 1e-3},
        {BAR(""), "rkmk-dop853", "what swings fastest, at", 0, 1e-3},
        {BAR("damping: 1e-3, "), "rkmk-dop853", "what decays fastest, at a rate of", 0, 1e-3},
        {BAR("damping: 1e-5, "), "rkmk-dopri5", "what decays fastest, at a rate of", 0, 1e-4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static const char before[] = "bears steps up to about ";
        const char *text = cases[i].text, *method = cases[i].method;
        result r = run(text, method, NT_ENERGY_ENDS, 2000 * cases[i].h, cases[i].h);
        says(r.error.message, "are too long: ");
        says(r.error.message, cases[i].words);
        double most = atof(strstr(r.error.message, before) + sizeof before - 1);
        if (cases[i].most > 0 && !(fabs(most - cases[i].most) <= 0.02 * cases[i].most))
            fail_msg("%s: %s", method, r.error.message);
        r = run(text, method, NT_ENERGY_ENDS, 300 * most, 0.9 * most);
        if (r.error.status != NT_OK)
            fail_msg("%s, %g s: %s", method, 0.9 * most, r.error.message);
        r = run(text, method, NT_ENERGY_ENDS, 3000 * most, 4 * most);
        if (!strstr(r.error.message, "are too long: "))
            fail_msg("%zu, %s, %g s: '%s'", i, method, 4 * most, r.error.message);
    }
}

/* Where the work of a step is no number the run ends as it does where nobody asks for work. */
static void test_work_changes_no_end(void **unused)
{
    (void)unused;
    nt_status end[2];
    for (int track = 0; track < 2; track++) {
        mechanism m = mechanism_read(BAR("damping: 1e-3, "));
        nt_error error = {0};
        nt_integrator_setup setup = {.system = nt_run_system(m.run),
                                     .method = nt_method_find("rkmk-dop853"),
                                     .track_work = track != 0};
        if (nt_integrator_create(&m.integrator, &setup, &error) != NT_OK ||
            nt_integrator_start(m.integrator, 0, m.q, m.v, m.memory, &error) != NT_OK)
            fail_msg("%s", error.message);
        end[track] = nt_integrator_run(m.integrator, 1, 1e-3, NULL, NULL, &error);
        assert_int_not_equal(end[track], NT_OK);
        says(error.message, "; steps of 0.001 s are too long: what decays fastest, at a rate of ");
        mechanism_close(&m);
    }
    assert_int_equal(end[0], end[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_growth_ends_a_run),
        cmocka_unit_test(test_the_element_that_gained_is_named),
        cmocka_unit_test(test_what_threw_the_body_is_named),
        cmocka_unit_test(test_what_holds_the_body_is_named),
        cmocka_unit_test(test_what_converges_goes_on),
        cmocka_unit_test(test_what_a_contact_hides_and_gives_back_is_no_growth),
        cmocka_unit_test(test_a_contact_hides_between_two_rows),
        cmocka_unit_test(test_rest_is_no_growth),
        cmocka_unit_test(test_driven_hinges_are_right),
        cmocka_unit_test(test_a_step_that_is_named_does),
        cmocka_unit_test(test_unstable_methods_warn),
        cmocka_unit_test(test_looks_are_few),
        cmocka_unit_test(test_the_watch_is_saved),
        cmocka_unit_test(test_parts_have_their_own_energy),
        cmocka_unit_test(test_the_last_step_is_judged),
        cmocka_unit_test(test_speeds_that_grew_excuse_nothing),
        cmocka_unit_test(test_growth_of_the_last_row_is_warned_of),
        cmocka_unit_test(test_too_long_steps_are_told),
        cmocka_unit_test(test_work_changes_no_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
