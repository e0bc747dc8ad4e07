/* Nodes without mass: what only joins, balances of forces, beams without inertia; and nodes whose
 * motion is prescribed through a chain of such nodes. */
#include "analysis/bench.h"
#include "analysis/found_modes.h"

typedef struct motion {
    nt_model *model;
    nt_run *run;
    nt_integrator *it;
    nt_error error;
} motion;

static nt_status begin_with(motion *m, const char *text, const char *method,
                            const nt_option *options, int n_options)
{
    *m = (motion){0};
    if (nt_model_read_text(&m->model, text, strlen(text), "massless", NULL, NULL, 0, &m->error) ||
        nt_run_create(&m->run, m->model, &m->error))
        fail_msg("%s", m->error.message);
    nt_integrator_setup setup = {.system = nt_run_system(m->run),
                                 .method = nt_method_find(method),
                                 .options = options,
                                 .n_options = n_options};
    if (nt_integrator_create(&m->it, &setup, &m->error))
        fail_msg("%s", m->error.message);
    return nt_integrator_start(m->it, 0, NULL, NULL, NULL, &m->error);
}

static nt_status begin(motion *m, const char *text, const char *method)
{
    return begin_with(m, text, method, NULL, 0);
}

static void look(motion *m, double t, const char *name, double *out)
{
    nt_quantity_info info;
    if (nt_integrator_run(m->it, t, 1e-2, NULL, NULL, &m->error) ||
        nt_model_quantity(m->model, name, &info, &m->error))
        fail_msg("%s", m->error.message);
    nt_state now = nt_integrator_state(m->it);
    if (nt_run_sample(m->run, &info, &now, NULL, out, &m->error))
        fail_msg("%s", m->error.message);
}

static void finish(motion *m)
{
    nt_integrator_destroy(m->it);
    nt_run_destroy(m->run);
    nt_model_destroy(m->model);
}

/* A node between a hinge and a body: as if it were not there, with every method. */
static void test_a_node_that_joins(void **state)
{
    static const char joined[] =
        "nutate: 1\n"
        "bodies: {hub: {mass: 0}, a: {mass: 1, inertia: [0.1, 0.2, 0.3], position: [1, 0, 0]}}\n"
        "joints:\n"
        "  j: {type: revolute, between: [ground, hub], at: [0, 0, 0], axis: [0, 1, 0.4]}\n"
        "  k: {type: fixed, between: [hub, a], at: [0.5, 0, 0]}\n"
        "simulation: {duration: 1, step: 1e-2}\n";
    static const char whole[] =
        "nutate: 1\n"
        "bodies: {a: {mass: 1, inertia: [0.1, 0.2, 0.3], position: [1, 0, 0]}}\n"
        "joints: {j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0.4]}}\n"
        "simulation: {duration: 1, step: 1e-2}\n";
    static const char *const methods[] = {"generalized-alpha", "rkmk-dopri5"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        motion m;
        double x[2][3];
        for (int k = 0; k < 2; k++) {
            if (begin(&m, k ? whole : joined, methods[i]) != NT_OK)
                fail_msg("%s", m.error.message);
            look(&m, 1, "a.position", x[k]);
            finish(&m);
        }
        assert_true(fabs(x[0][2]) > 0.1);
        for (int k = 0; k < 3; k++)
            is_close(methods[i], x[0][k], x[1][k], 1e-8);
    }
}

/* Two springs one behind the other are one: the node between them stands where both pull alike. */
static void test_a_balance_of_forces(void **state)
{
#define SLIDES                                                                                     \
    "nutate: 1\ngravity: [0, 0, 0]\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1], position: [2, 0, " \
    "0]}\n"
    static const char two[] = SLIDES
        "  n: {mass: 0, position: [1.05, 0, 0]}\n"
        "joints:\n"
        "  ja: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: [1, 0, 0]}\n"
        "  jn: {type: prismatic, between: [ground, n], at: [0, 0, 0], axis: [1, 0, 0]}\n"
        "forces:\n"
        "  s: {type: spring, between: [ground, n], at: [[0, 0, 0], [1.05, 0, 0]], "
        "stiffness: 100, length: 0.9}\n"
        "  t: {type: spring, between: [n, a], at: [[1.05, 0, 0], [2, 0, 0]], stiffness: 300, "
        "length: 0.9}\n"
        "simulation: {duration: 1, step: 1e-2}\n";
    static const char one[] =
        SLIDES "joints:\n"
               "  ja: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: [1, 0, 0]}\n"
               "forces: {s: {type: spring, between: [ground, a], at: [[0, 0, 0], [2, 0, 0]], "
               "stiffness: 75, length: 1.8}}\n"
               "simulation: {duration: 1, step: 1e-2}\n";
    static const char point[] = SLIDES
        "  n: {point: true, mass: 0, position: [1.05, 0, 0]}\n"
        "joints: {ja: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: [1, 0, 0]}}\n"
        "forces:\n"
        "  s: {type: spring, between: [ground, n], stiffness: 100, length: 0.9}\n"
        "  t: {type: spring, between: [n, a], stiffness: 300, length: 0.9}\n"
        "simulation: {duration: 1, step: 1e-2}\n";
    static const char *const texts[] = {two, one, point};
    motion m;
    double x[3][3], n[3];
    (void)state;
    for (int k = 0; k < 3; k++) {
        if (begin(&m, texts[k], "generalized-alpha") != NT_OK)
            fail_msg("%s", m.error.message);
        look(&m, 1, "a.position", x[k]);
        if (k == 0)
            look(&m, 1, "n.position", n);
        finish(&m);
    }
    assert_true(fabs(x[0][0] - 2) > 0.1);
    is_close("body", x[0][0], x[1][0], 1e-9);
    is_close("node that is a point", x[2][0], x[1][0], 1e-9);
    is_close("node", 100 * (n[0] - 0.9), 300 * (x[0][0] - n[0] - 0.9), 1e-7);
    /* methods that need accelerations say which node has none */
    assert_int_equal(begin(&m, two, "rkmk-dopri5"), NT_SINGULAR);
    if (!strstr(m.error.message, "force on body n along x: no inertia or constraint determines it"))
        fail_msg("'%s'", m.error.message);
    finish(&m);
}

/* A beam whose sections have no rotary inertia, and one without any mass under a body. */
static void test_beams(void **state)
{
    static const char slender[] =
        "nutate: 1\n"
        "gravity: [0, 0, 0]\n"
        "beams: {b: {points: [[0, 0, 0], [1, 0, 0]], order: 4, elements: 3, inertia: %s, "
        "sections:\n"
        "  [{stiffness: [1e7, 1e7, 1e7, 1, 1, 1], mass: [1, 1, 1, 0, 0, 0]}]}}\n"
        "joints: {c: {type: fixed, between: [ground, b.root]}}\n"
        "simulation: {duration: 1, step: 1e-2}\n";
    static const char light[] =
        "nutate: 1\n"
        "gravity: [0, 0, 0]\n"
        "beams: {b: {points: [[0, 0, 0], [2, 0, 0]], order: 3, sections: [{stiffness: [1e8, 1e8, "
        "1e8, "
        "1e3, 1e3, 1e3], mass: [0, 0, 0, 0, 0, 0]}]}}\n"
        "bodies: {w: {mass: 3, inertia: [1e-6, 1e-6, 1e-6], position: [2, 0, 0], "
        "velocity: [0, 0, 0.1], angular_velocity: [0, -0.075, 0]}}\n"
        "joints: {c: {type: fixed, between: [ground, b.root]}, t: {type: fixed, between: [b.tip, "
        "w]}}\n"
        "initial: {correct: true}\n"
        "simulation: {duration: 0.3, step: 1e-2}\n";
    (void)state;
    for (int lumped = 0; lumped < 2; lumped++) {
        char text[800];
        found f;
        snprintf(text, sizeof text, slender, lumped ? "lumped" : "consistent");
        found_open(&f, text, NT_ABOUT_INITIAL, (nt_modes_setup){.count = 3});
        is_close("first", nt_modes_at(f.modes, 0).eigenvalue[1], 3.5160153, 2e-5);
        is_close("second", nt_modes_at(f.modes, 2).eigenvalue[1], 22.034492, 2e-3);
        found_close(&f);
    }
    motion m;
    double x[3], w = sqrt(3 * 1e3 / 8 / 3);
    if (begin(&m, light, "generalized-alpha") != NT_OK)
        fail_msg("%s", m.error.message);
    look(&m, 0.14, "w.position", x); /* a quarter of a swing */
    is_close("body", x[2], 0.1 / w * sin(w * 0.14), 1e-4);
    finish(&m);
}

/* The root of a beam goes and turns as functions say: three slides and three hinges between nodes
 * without mass. */
static void test_prescribed_motion(void **state)
{
    static const char text[] =
        "nutate: 1\n"
        "bodies: {x: {mass: 0}, y: {mass: 0}, z: {mass: 0}, yaw: {mass: 0}, pitch: {mass: 0}}\n"
        "beams: {b: {points: [[0, 0, 0], [1, 0, 0]], order: 3, sections: [{stiffness: [1e4, 1e4, "
        "1e4, "
        "20, 20, 20], mass: [1, 1, 1, 1e-3, 1e-3, 1e-3]}]}}\n"
        "joints:\n"
        "  gx: {type: prismatic, between: [ground, x], at: [0, 0, 0], axis: [1, 0, 0], motion: "
        "0.3*sin(2*t) - 0.6*t}\n"
        "  xy: {type: prismatic, between: [x, y], at: [0, 0, 0], axis: [0, 1, 0], motion: t^2}\n"
        "  yz: {type: prismatic, between: [y, z], at: [0, 0, 0], axis: [0, 0, 1], motion: "
        "0.2*(1 - cos(3*t))}\n"
        "  turn: {type: revolute, between: [z, yaw], at: [0, 0, 0], axis: [0, 0, 1], motion: "
        "2*t^2}\n"
        "  tilt: {type: revolute, between: [yaw, pitch], at: [0, 0, 0], axis: [0, 1, 0], motion: "
        "0.5*t^2}\n"
        "  roll: {type: revolute, between: [pitch, b.root], axis: [1, 0, 0], motion: -t^3}\n"
        "simulation: {duration: 1, step: 1e-2}\n";
    motion m;
    double x[3], angles[3], tip[3], t = 0.8;
    (void)state;
    if (begin(&m, text, "generalized-alpha") != NT_OK)
        fail_msg("%s", m.error.message);
    look(&m, t, "b.root.position", x);
    look(&m, t, "b.root.euler_zyx", angles);
    look(&m, t, "b.tip.position", tip);
    finish(&m);
    is_close("x", x[0], 0.3 * sin(2 * t) - 0.6 * t, 1e-12);
    is_close("y", x[1], t * t, 1e-12);
    is_close("z", x[2], 0.2 * (1 - cos(3 * t)), 1e-12);
    is_close("yaw", angles[0], 2 * t * t, 1e-12);
    is_close("pitch", angles[1], 0.5 * t * t, 1e-12);
    is_close("roll", angles[2], -t * t * t, 1e-12);
    double reach = sqrt(pow(tip[0] - x[0], 2) + pow(tip[1] - x[1], 2) + pow(tip[2] - x[2], 2));
    is_close("beam", reach, 1, 0.1);
}

/* Sections without inertia about axes of their own, on a line along no axis of the ground: the same
 * as along x, turned. Methods that need accelerations name the node. */
static void test_beams_without_rotary_inertia_askew(void **state)
{
    static const char *const rotary[] = {"1e-4, 0, 0", "0, 1e-4, 0", "0, 2e-5, 1e-4", "0, 0, 0"};
    static const char *const inertias[] = {"lumped", "consistent"};
    /* columns: where x, y, z go */
    static const double R[3][3] = {
        {2. / 3, -2. / 3, 1. / 3}, {2. / 3, 1. / 3, -2. / 3}, {1. / 3, 2. / 3, 2. / 3}};
    (void)state;
    for (int k = 0; k < 8; k++) {
        double tip[2][3];
        for (int turned = 0; turned < 2; turned++) {
            char text[1000];
            double x[3], y[3], g[3];
            motion m;
            for (int i = 0; i < 3; i++) {
                x[i] = turned ? R[i][0] : i == 0;
                y[i] = turned ? R[i][1] : i == 1;
                g[i] = -9.81 * (turned ? R[i][2] : i == 2) + 3 * y[i];
            }
            snprintf(text, sizeof text,
                     "nutate: 1\ngravity: [%.17g, %.17g, %.17g]\nbeams:\n  rod:\n"
                     "    points: [[0, 0, 0], [%.17g, %.17g, %.17g]]\n"
                     "    normal: [%.17g, %.17g, %.17g]\n"
                     "    order: 2\n    elements: 4\n    inertia: %s\n    sections:\n"
                     "      - {stiffness: [1e6, 4e5, 4e5, 100, 300, 200],"
                     " mass: [0.8, 0.8, 0.8, %s]}\n"
                     "joints: {root: {type: fixed, between: [ground, rod.root]}}\n"
                     "simulation: {duration: 0.1, step: 1e-3}\n",
                     g[0], g[1], g[2], x[0], x[1], x[2], y[0], y[1], y[2], inertias[k % 2],
                     rotary[k / 2]);
            assert_int_equal(begin(&m, text, "rkmk-dopri5"), NT_SINGULAR);
            assert_non_null(strstr(m.error.message, "body rod.node2 about"));
            assert_non_null(strstr(m.error.message, "no inertia or constraint determines it"));
            finish(&m);
            assert_int_equal(begin(&m, text, "generalized-alpha"), NT_OK);
            look(&m, 0.1, "rod.tip.position", tip[turned]);
            finish(&m);
        }
        for (int i = 0; i < 3; i++) {
            double back = R[0][i] * tip[1][0] + R[1][i] * tip[1][1] + R[2][i] * tip[1][2];
            is_close("tip", back, tip[0][i], 1e-8);
        }
    }
}

/* A point between two springs begins off its place: the run says by how much, and nothing where it
 * begins there, about (0.1 mm of 0.5 m), or where it has a mass. */
static void test_out_of_balance(void **state)
{
    static const char text[] =
        "nutate: 1\n"
        "gravity: [0, 0, 0]\n"
        "bodies: {n: {point: true, mass: %s, position: [%s, 0, 0]}, w: {point: true, mass: 1, "
        "position: [0.5, 0, 0]}}\n"
        "forces:\n"
        "  a: {type: spring, between: [ground, n], at: [[-0.5, 0, 0], [%s, 0, 0]], stiffness: "
        "300, length: 0.3}\n"
        "  b: {type: spring, between: [n, w], stiffness: 700, length: 0.3}\n"
        "simulation: {duration: 1, step: 1e-2}\n";
    static const struct {
        const char *mass, *x;
        const char *words;
    } cases[] = {
        {"0", "0", "force on body n along x: no inertia bears it, and 80 N are out of balance"},
        {"0", "0.0799", ""},
        {"0.1", "0", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char model[1000], words[500];
        motion m;
        snprintf(model, sizeof model, text, cases[i].mass, cases[i].x, cases[i].x);
        if (begin(&m, model, "generalized-alpha"))
            fail_msg("%s", m.error.message);
        nt_integrator_step_warning(m.it, words, sizeof words);
        print_message("%s\n", words);
        assert_true(cases[i].words[0] ? strstr(words, cases[i].words) != NULL : !words[0]);
        finish(&m);
    }
}

#define TWISTED_BAR                                                                                \
    "nutate: 1\n"                                                                                  \
    "gravity: [0, 0, 0]\n"                                                                         \
    "beams:\n"                                                                                     \
    "  bar:\n"                                                                                     \
    "    points: [[0, 0, 0], [10, 0, 0]]\n"                                                        \
    "    twist: [[0, 0], [1, pi/2]]\n"                                                             \
    "    order: 8\n"                                                                               \
    "    sections: [{stiffness: [1e10, 1e10, 1e10, 1e8, 1e8, 1e8],\n"

/* Sections that have no inertia about an axis which turns along the element: what has none is no
 * node's alone, and rounding gives it some 1e-16 of the others. A bar a thousand times as thin has
 * inertia, and every method takes it; units change nothing. */
static void test_motions_of_several_nodes(void **state)
{
    static const char text[] =
        TWISTED_BAR "                mass: [%g, %g, %g, %g, %g, %g]}]\n"
                    "joints: {clamp: {type: fixed, between: [ground, bar.root], at: [0, 0, 0]}}\n"
                    "forces: {tip: {type: force, on: bar.tip, value: [0, 0, -1e6]}}\n"
                    "simulation: {duration: 1e-3, step: 1e-5}\n";
    static const char *const methods[] = {"theta",         "generalized-alpha-linear",
                                          "rkmk-dopri5",   "generalized-alpha-residual",
                                          "semi-explicit", "generalized-alpha-soi2"};
    static const struct {
        double mass, inertia;
        bool is_taken;
    } cases[] = {{1000, 0, false}, {1000, 1e-4, true}, {1e-30, 0, false}, {1e-30, 1e-37, true}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char model[1000];
        double mass = cases[k].mass, of_axis = mass * 0.02;
        motion m;
        snprintf(model, sizeof model, text, mass, mass, mass, of_axis, cases[k].inertia, of_axis);
        for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
            nt_status status = begin(&m, model, methods[i]);
            if (status != (cases[k].is_taken ? NT_OK : NT_SINGULAR))
                fail_msg("case %zu, %s: %s", k, methods[i], m.error.message);
            if (!cases[k].is_taken && (!strstr(m.error.message, "moment on body bar.") ||
                                       !strstr(m.error.message, "no inertia or constraint")))
                fail_msg("case %zu, %s: %s", k, methods[i], m.error.message);
            finish(&m);
        }
        if (begin(&m, model, "generalized-alpha") != NT_OK)
            fail_msg("case %zu: %s", k, m.error.message);
        finish(&m);
    }
}

/* Balances of forces are solved in each step, but a moment along such a motion leaves no first step
 * to begin with: the words say why. They do not where what fails to converge has inertia. */
static void test_a_load_along_such_a_motion(void **state)
{
    static const char text[] =
        TWISTED_BAR "                mass: [1000, 1000, 1000, 20, %g, 20]}]\n"
                    "joints: {clamp: {type: fixed, between: [ground, bar.root], at: [0, 0, 0]}}\n"
                    "forces: {tip: {type: torque, on: bar.tip, value: [0, %g, -%g]}}\n"
                    "simulation: {duration: 1e-3, step: 1e-5}\n";
    static const nt_option hasty = {.name = "max_iterations", .value = "1"};
    static const struct {
        double inertia, torque;
        bool is_hasty, together;
    } cases[] = {{0, 1e5, false, true}, {1, 1e9, true, false}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char model[1000];
        motion m;
        snprintf(model, sizeof model, text, cases[k].inertia, cases[k].torque,
                 10 * cases[k].torque);
        if (begin_with(&m, model, "generalized-alpha", &hasty, cases[k].is_hasty) != NT_OK)
            fail_msg("case %zu: %s", k, m.error.message);
        assert_int_equal(nt_integrator_run(m.it, 1e-3, 1e-5, NULL, NULL, &m.error),
                         NT_NOT_CONVERGED);
        bool said = strstr(m.error.message, "nodes move together without inertia, ") &&
                    strstr(m.error.message, " of body bar.");
        if (said != cases[k].together)
            fail_msg("case %zu: %s", k, m.error.message);
        finish(&m);
    }
}

/* What has no mass, or next to none, and carries a heavy hub off its axis: its rows weigh 1e9 times
 * what the hub's do, and velocities follow from what the others are given all the same. */
static void test_velocities_of_a_hub(void **state)
{
    static const char text[] =
        "nutate: 1\ngravity: [0, 0, 0]\nbodies:\n"
        "  carrier: {mass: %s, position: [0, 0, 1]}\n"
        "  hub: {mass: %s, inertia: [1, 1, 1], position: [3, 0, 1]%s}\n"
        "beams: {b: {points: [[0, 0, 0], [0, 0, 1]], order: 3, sections: [{stiffness: [1e6, 1e6,\n"
        "      1e6, 1e4, 1e4, 1e4], mass: [1, 1, 1, 1e-2, 1e-2, 1e-2]}]}}\n"
        "joints:\n"
        "  shaft: {type: %s, between: [carrier, hub], at: [0, 0, 1]}\n"
        "  foot: {type: fixed, between: [ground, b.root], at: [0, 0, 0]}\n"
        "  m: {type: fixed, between: [%s, carrier], at: [0, 0, %d]}\n"
        "initial: {correct: %s}\nsimulation: {duration: 1, step: 1e-3}\n";
    static const char *const masses[] = {"0", "1e-9, inertia: [1e-9, 1e-9, 1e-9]"};
    static const char *const hubs[] = {"2", "2e5"};
    static const struct {
        const char *given, *shaft, *correct;
    } cases[] = {
        {"", "revolute, axis: [0, 0, 1], motion: 3*t", "false"},
        {"", "revolute, axis: [0, 0, 1], motion: 3*t", "true"},
        {", angular_velocity: [0, 0, 3]", "revolute, axis: [0, 0, 1]", "false"},
        {", velocity: [0, 9, 0]", "revolute, axis: [0, 0, 1]", "true"},
    };
    (void)state;
    for (int i = 0; i < 32; i++) {
        char model[1500];
        motion m;
        double v[3], w[3];
        int k = i >> 3, on_beam = i >> 2 & 1;
        snprintf(model, sizeof model, text, masses[i & 1], hubs[i >> 1 & 1], cases[k].given,
                 cases[k].shaft, on_beam ? "b.tip" : "ground", on_beam, cases[k].correct);
        if (begin(&m, model, "generalized-alpha") != NT_OK)
            fail_msg("case %d: %s", i, m.error.message);
        look(&m, 0, "hub.velocity", v);
        look(&m, 0, "hub.angular_velocity", w);
        is_close("velocity", v[1], 9, 1e-8); /* least energy: 1e-9 of the hub's mass is added */
        is_close("rate", w[2], 3, 1e-8);
        finish(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_node_that_joins),
        cmocka_unit_test(test_a_balance_of_forces),
        cmocka_unit_test(test_beams),
        cmocka_unit_test(test_prescribed_motion),
        cmocka_unit_test(test_beams_without_rotary_inertia_askew),
        cmocka_unit_test(test_out_of_balance),
        cmocka_unit_test(test_motions_of_several_nodes),
        cmocka_unit_test(test_a_load_along_such_a_motion),
        cmocka_unit_test(test_velocities_of_a_hub),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
