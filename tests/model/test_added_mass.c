/* A mass by its matrix moves as the body that has it, and water that moves along has inertia that
 * differs with the direction. */
#include "tests/read_run.h"

#include <math.h>
#include <nutate/nutate.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void is_close(const char *what, double got, double expected, double tolerance)
{
    if (!(fabs(got - expected) <= tolerance))
        fail_msg("%s: got %.17g, expected %.17g to %g", what, got, expected, tolerance);
}

/* Numbers of a quantity when a model has moved for a while. */
static void after(const char *text, double t, const char *quantity, double *out)
{
    nt_run *run;
    nt_integrator *it;
    nt_error error = {0};
    nt_quantity_info info;
    if (read_run_text(&run, text, strlen(text), "mass", NULL, NULL, 0, &error) != NT_OK)
        fail_msg("%s", error.message);
    const nt_option options[] = {{"rho_inf", "1"}, {"extra_iterations", "1"}};
    nt_integrator_setup setup = {.system = nt_run_system(run),
                                 .method = nt_method_find("generalized-alpha"),
                                 .options = options,
                                 .n_options = 2};
    if (nt_integrator_create(&it, &setup, &error) ||
        nt_integrator_start(it, 0, NULL, NULL, NULL, &error) ||
        (t > 0 && nt_integrator_run(it, t, 5e-3, NULL, NULL, &error)) ||
        nt_model_quantity(nt_run_model(run), quantity, &info, &error))
        fail_msg("%s", error.message);
    nt_state now = nt_integrator_state(it);
    if (nt_run_sample(run, &info, &now, NULL, out, &error) != NT_OK)
        fail_msg("%s", error.message);
    nt_integrator_destroy(it);
    destroy_run(run);
}

#define HEAD "nutate: 1\ngravity: [1, -2, -9]\n"
#define MOVES "velocity: [1, 2, 3], angular_velocity: [3, -1, 2]"

/* 3 kg of which 2 kg stand at (0.3, -0.2, 0.5), with inertia of their own, in two ways. */
static const char apart[] =
    HEAD "bodies: {b: {mass: 1, inertia: [0.2, 0.3, 0.4], " MOVES "}}\n"
         "forces:\n"
         "  m: {type: mass, on: b, at: [0.3, -0.2, 0.5], matrix: [2, 2, 2, 0.1, 0.2, 0.15]}\n"
         "simulation: {duration: 1, step: 5e-3}\n";
static const char joined[] =
    HEAD "bodies:\n"
         "  b: {mass: 1, inertia: [0.2, 0.3, 0.4], " MOVES "}\n"
         "  c: {mass: 2, inertia: [0.1, 0.2, 0.15], position: [0.3, -0.2, 0.5]}\n"
         "joints: {j: {type: fixed, between: [b, c], at: [0.3, -0.2, 0.5]}}\n"
         "simulation: {duration: 1, step: 5e-3}\n";

static void test_a_rigid_thing(void **state)
{
    static const struct {
        const char *name;
        int n;
        double tolerance; /* h^2 error of two forms of one motion, 1e-4 s^2 */
    } same[] = {{"b.position", 3, 2e-4},
                {"b.orientation", 4, 2e-4},
                {"energy", 3, 5e-3},
                {"momentum", 3, 1e-4},
                {"angular_momentum", 3, 2e-3}};
    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        double one[8], two[8];
        after(apart, 0, same[i].name, one);
        after(joined, 0, same[i].name, two);
        for (int k = 0; k < same[i].n; k++)
            is_close(same[i].name, one[k], two[k], 1e-12 * (1 + fabs(two[k])));
        after(apart, 0.5, same[i].name, one);
        after(joined, 0.5, same[i].name, two);
        for (int k = 0; k < same[i].n; k++)
            is_close(same[i].name, one[k], two[k], same[i].tolerance);
    }
}

/* On a beam's node as well: the same as a body fixed there. */
static void test_on_a_beam(void **state)
{
#define BEAM                                                                                       \
    HEAD "beams: {b: {points: [[0,0,0], [2,0,0]], order: 4, sections: [{stiffness: [1e3, 1e3, "    \
         "1e3, 20, 30, 40], mass: [1, 1, 1, 0.1, 0.1, 0.1]}]}}\n"
    static const char matrix[] =
        BEAM "joints: {c: {type: fixed, between: [ground, b.root]}}\n"
             "forces: {m: {type: mass, on: b.tip, matrix: [2, 2, 2, 0.1, 0.2, 0.15]}}\n"
             "simulation: {duration: 1, step: 5e-3}\n";
    static const char body[] =
        BEAM "bodies: {c: {mass: 2, inertia: [0.1, 0.2, 0.15], position: [2, 0, 0]}}\n"
             "joints: {c1: {type: fixed, between: [ground, b.root]},\n"
             "  c2: {type: fixed, between: [b.tip, c]}}\n"
             "simulation: {duration: 1, step: 5e-3}\n";
    double one[4], two[4];
    (void)state;
    after(matrix, 0.5, "b.tip.position", one);
    after(body, 0.5, "b.tip.position", two);
    assert_true(fabs(one[2]) > 0.2);
    for (int k = 0; k < 3; k++)
        is_close("tip", one[k], two[k], 1e-7);
}

/* On points, which cannot turn: as mass of their own, and on a cable's inner node as a body there
 * that the halves of the cable hang on. */
static void test_on_a_point(void **state)
{
    static const char own[] =
        HEAD "bodies: {p: {mass: 3, point: true, velocity: [1, 2, 3]}}\n"
             "forces: {s: {type: spring, between: [ground, p], at: [[1, 0, 0], [0, 0, 0]],\n"
             "  stiffness: 50, length: 0.5}}\n"
             "simulation: {duration: 1, step: 5e-3}\n";
    static const char by_matrix[] =
        HEAD "bodies: {p: {mass: 1, point: true, velocity: [1, 2, 3]}}\n"
             "forces: {m: {type: mass, on: p, matrix: [2, 2, 2, 0, 0, 0]},\n"
             "  s: {type: spring, between: [ground, p], at: [[1, 0, 0], [0, 0, 0]],\n"
             "  stiffness: 50, length: 0.5}}\n"
             "simulation: {duration: 1, step: 5e-3}\n";
    static const char clump[] =
        HEAD "cables: {c: {between: [ground, ground], at: [[0, 0, 0], [4, 0, 0]], length: 5,\n"
             "  mass: 0.5, stiffness: 1e4, elements: 4}}\n"
             "forces: {m: {type: mass, on: c.node2, matrix: [2, 2, 2, 0, 0, 0]}}\n"
             "simulation: {duration: 1, step: 5e-3}\n";
    static const char pushed[] = /* as heavy, and with less inertia: elsewhere after a while */
        HEAD "cables: {c: {between: [ground, ground], at: [[0, 0, 0], [4, 0, 0]], length: 5,\n"
             "  mass: 0.5, stiffness: 1e4, elements: 4}}\n"
             "forces: {m: {type: force, on: c.node2, value: [2, -4, -18]}}\n"
             "simulation: {duration: 1, step: 5e-3}\n";
    double one[8], two[8];
    (void)state;
    static const char *const same[] = {"p.position", "energy", "momentum", "angular_momentum"};
    for (int i = 0; i < 4; i++) {
        after(own, 0.5, same[i], one);
        after(by_matrix, 0.5, same[i], two);
        for (int k = 0; k < 3; k++)
            is_close(same[i], two[k], one[k], 1e-9 * (1 + fabs(one[k])));
    }
    after(clump, 0, "c.node2.acceleration", one);
    after(pushed, 0, "c.node2.acceleration", two);
    /* node 2 has 0.625 kg of the cable, which hangs at rest */
    is_close("falls", one[2], -18 / 2.625, 1e-9);
    is_close("is pushed", two[2], -18 / 0.625, 1e-9);
}

/* A slender thing under water that moves askew is turned across its way (Munk): the moment is
 * (A2 - A1) v1 v2, and no weight comes with the water. */
static void test_water(void **state)
{
    static const char text[] =
        "nutate: 1\n"
        "bodies: {b: {mass: 1, inertia: [0.2, 0.3, 0.4], velocity: [2, 1, 0]}}\n"
        "gravity: [0, 0, 0]\n"
        "forces: {m: {type: mass, on: b, matrix: [0.5, 3, 3, 0, 0.2, 0.2]}}\n"
        "simulation: {duration: 1, step: 5e-3}\n";
    static const char weightless[] =
        "nutate: 1\n"
        "bodies: {b: {mass: 1, inertia: [0.2, 0.3, 0.4]}}\n"
        "gravity: [0, 0, -9]\n"
        "forces: {m: {type: mass, on: b, matrix: [0.5, 3, 2, 0, 0.2, 0.2]}}\n"
        "simulation: {duration: 1, step: 5e-3}\n";
    double alpha[3], fall[3], before[8], then[8]; /* of energy: all its columns */
    (void)state;
    after(text, 0, "b.angular_acceleration", alpha);
    is_close("turn", alpha[2], -(3 - 0.5) * 2 * 1 / (0.4 + 0.2), 1e-13);
    after(text, 0, "energy", before);
    after(text, 1, "energy", then);
    is_close("energy", then[2], before[2], 2e-5 * before[2]);
    after(text, 1, "angular_momentum", then);
    is_close("angular momentum", then[2], 0, 1e-3); /* at the start: (4.5 - 2) x.. = 0 at x = 0 */
    after(weightless, 0, "b.acceleration", fall);
    is_close("fall", fall[2], -9.0 / (1 + 2), 1e-14);
}

static void test_refusals(void **state)
{
    static const struct {
        const char *mass, *words;
    } cases[] = {
        {"on: ground, matrix: [1, 1, 1, 1, 1, 1]", "it is on the ground"},
        {"on: p, matrix: [1, 1, 1, 1, 1, 1]", "p is a point, expected a body that can turn"},
        {"on: p, at: [0.1, 0, 0], matrix: [1, 1, 1, 0, 0, 0]",
         "which is a point, expected its own"},
        {"on: t, matrix: [1, 1, 1, 1, 1, 1]", "has a fixed point"},
        {"on: b, matrix: [1, 1, 1, 1, 1, -1]", "matrix is not positive semidefinite"},
        {"on: b, matrix: [[1,1,0,0,0,0], [0,1,0,0,0,0], [0,0,1,0,0,0], [0,0,0,1,0,0], "
         "[0,0,0,0,1,0], [0,0,0,0,0,1]]",
         "matrix is not symmetric"},
        {"on: b, gravity: true, matrix: [1, 2, 1, 1, 1, 1]", "not that of a rigid thing"},
        {"on: b", "lacks the key 'matrix'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1000];
        nt_run *run = NULL;
        nt_error error = {0};
        snprintf(
            text, sizeof text,
            "nutate: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}, p: {mass: 1, point: true},\n"
            "  t: {mass: 1, inertia: [1, 1, 1], fixed_point: [0, 0, 0]}}\n"
            "forces: {m: {type: mass, %s}}\nsimulation: {duration: 1, step: 1}\n",
            cases[i].mass);
        assert_int_equal(read_run_text(&run, text, strlen(text), "bad", NULL, NULL, 0, &error),
                         NT_BAD_MODEL);
        assert_int_equal(error.line, 4);
        if (!strstr(error.message, cases[i].words))
            fail_msg("'%s' lacks '%s'", error.message, cases[i].words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_rigid_thing), cmocka_unit_test(test_on_a_beam),
        cmocka_unit_test(test_on_a_point),    cmocka_unit_test(test_water),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
