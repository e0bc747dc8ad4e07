/* Loads in models from text: what the keys of the file say reaches the elements, tangents are those
 * of the whole system in both frames, and energy is kept account of along the motion. */
#include "base/error.h"
#include "model/model.h"
#include "system/problem.h"
#include "tests/read_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *const everything =
    "nutate: 1\n"
    "parameters: {k: 40, motor: 3}\n"
    "bodies:\n"
    "  base:\n"
    "    {mass: 3, inertia: [1, 1.2, 1.4], center_of_mass: [0.1, 0, 0.2], position: [0, 0.3, 1],\n"
    "     orientation: {rotation_vector: [0.4, -0.3, 0.9]}}\n"
    "  arm:\n"
    "    {mass: 1, inertia: [0.4, 0.5, 0.3, 0.01, 0, 0.02], position: [1, 0.5, 1],\n"
    "     orientation: {axis: [1, 2, 0], angle: 0.6}}\n"
    "  slide: {mass: 0.5, inertia: [0.1, 0.1, 0.1], position: [1.5, 1, 0]}\n"
    "  top: {mass: 1, inertia: [0.2, 0.3, 0.4], position: [0, 0, -2], fixed_point: [0, 0, -3]}\n"
    "markers:\n"
    "  tip: {on: arm, at: [0.3, 0.2, -0.1]}\n"
    "  hook: {on: ground, at: [0, 0, 3]}\n"
    "joints:\n"
    "  elbow:\n"
    "    {type: revolute, between: [base, arm], at: [0.6, 0.4, 1], axis: [1, 2, -2],\n"
    "     friction: {dry: 0.5, viscous: 0.2, slip: 0.7},\n"
    "     limits: {upper: -7, stiffness: 30, damping: 4}}\n"
    "  rail:\n"
    "    {type: prismatic, between: [arm, slide], at: tip, axis: [0, 1, 1],\n"
    "     friction: {viscous: 0.3}, limits: {lower: 9, stiffness: 20}}\n"
    "forces:\n"
    "  wind:\n"
    "    {type: force, on: base, at: [0, 0, 2],\n"
    "     value: ['-base.velocity.x * hypot(base.velocity.x, base.velocity.y)', sin(3 * t), k]}\n"
    "  thrust:\n"
    "    {type: force, on: arm, at: tip, frame: body,\n"
    "     value: [1, tip.position.z, -top.angular_velocity.x]}\n"
    "  trim:\n"
    "    {type: torque, on: top, frame: body, value: [0.3, -top.orientation.y, elbow.rate]}\n"
    "  line: {type: spring, between: [ground, arm], at: [hook, tip], stiffness: k, damping: 2}\n"
    "  tie: {type: spring, between: [top, slide], at: [[0, 1, -2], [1, 1, 0]], stiffness: 5,\n"
    "        length: 0.5}\n"
    "  coil: {type: torsion_spring, joint: elbow, stiffness: 6, damping: 0.5, angle: 0.2}\n"
    "  mount:\n"
    "    {type: bushing, between: [ground, base], at: [0, 0, 0.5],\n"
    "     stiffness: [k, k, 2 * k, 10, 10, 20],\n"
    "     damping: [[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0.1, 0], [0, 0, 2, 0, 0, 0],\n"
    "               [0, 0, 0, 1, 0, 0], [0, 0.1, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]]}\n"
    "  servo: {type: joint_torque, joint: elbow, value: motor * (sin(t) - elbow.angle)}\n"
    "  ram: {type: joint_force, joint: rail, value: -2 * rail.displacement - rail.rate}\n";

static nt_run *read(const char *text)
{
    nt_run *run = NULL;
    nt_error error = {0};
    nt_status status = read_run_text(&run, text, strlen(text), "model.yaml", NULL, NULL, 0, &error);
    if (status)
        print_error("%s:%d:%d: %s\n", error.file, error.line, error.column, error.message);
    assert_int_equal(status, NT_OK);
    return run;
}

static uint64_t seed = 1;

static double uniform(double low, double high)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(seed >> 11) * 0x1p-53;
}

static void fill(double *x, int n, double size)
{
    for (int i = 0; i < n; i++)
        x[i] = uniform(-size, size);
}

enum { LARGEST = 64 };

/* Relative difference of central differences with a relative step of 1e-5: 1e-10 of the third
 * derivative, which friction (slip 0.7) and the limits make large, and rounding. */
static const double TANGENT_TOLERANCE = 1e-6;

static void tangents_of_a_whole_model_in_both_frames(void **state)
{
    (void)state;
    nt_run *run = read(everything);
    const nt_system *system = nt_run_system(run);
    int nq = system->space.nq, nv = system->space.nv, nc = system->nh + system->nn;
    assert_true(nq <= LARGEST && nv <= LARGEST && nc <= LARGEST);
    assert_true(system->n_memory <= LARGEST);
    for (int frame = 0; frame < 2; frame++) {
        nt_problem *problem;
        nt_error error = {0};
        assert_int_equal(nt_problem_create(&problem, system, frame ? NT_BODY : NT_INERTIAL, &error),
                         NT_OK);
        for (int round = 0; round < 4; round++) {
            double q[LARGEST], v[LARGEST], vdot[LARGEST], lambda[LARGEST], dq[LARGEST];
            double memory[LARGEST], difference;
            nt_run_initial(run, q, v, memory);
            fill(dq, nv, 0.3);
            fill(v, nv, 2);
            fill(vdot, nv, 2);
            fill(lambda, nc, 5);
            nt_space_compose(&system->space, NT_INERTIAL, q, dq, q);
            nt_point at = {0.3 * round, q, v, vdot, lambda, lambda + system->nh, memory};
            nt_status status = nt_problem_check_tangent(problem, &at, 1e-5, &difference, &error);
            assert_int_equal(status, NT_OK);
            if (!(difference < TANGENT_TOLERANCE))
                print_error("frame %d, round %d: off by %g\n", frame, round, difference);
            assert_true(difference < TANGENT_TOLERANCE);
        }
        nt_problem_destroy(problem);
    }
    destroy_run(run);
}

/* New parameter values reach springs, bushings and functions. */
static void parameters_reach_loads(void **state)
{
    (void)state;
    static const char text[] =
        "nutate: 1\n"
        "parameters: {k: 10, c: 0.1, push: 2}\n"
        "bodies: {block: {mass: 1, inertia: [1, 1, 1], center_of_mass: [c, 0, 0]}}\n"
        "forces:\n"
        "  s: {type: spring, between: [ground, block], at: [[0, 0, 0], [3, 0, 0]], stiffness: k,\n"
        "      length: 1}\n"
        "  f: {type: force, on: block, value: [push * block.position.x, push, 0]}\n";
    nt_run *run = read(text);
    const nt_system *system = nt_run_system(run);
    double q[7], v[6], vdot[6] = {0}, r[6] = {0};
    nt_run_initial(run, q, v, NULL);
    nt_point at = {0, q, v, vdot, NULL, NULL, NULL};
    nt_terms terms = {.parts = NT_EXPLICIT | NT_IMPLICIT, .residual = r};
    assert_int_equal(system->evaluate(system->self, &at, &terms), NT_OK);
    assert_true(fabs(r[0] - 20) < 1e-12); /* the origin is at x = 0: no push along x */
    assert_true(fabs(r[1] + 2) < 1e-12);
    assert_true(fabs(r[5] - 0.2) < 1e-12); /* -(-0.1 2), the origin from the centre of mass */

    /* the centre of mass 0.5 from the origin, the same state: the origin is at x = -0.4 */
    const double p[3] = {7, 0.5, 3};
    assert_int_equal(system->set_parameters(system->self, p), NT_OK);
    memset(r, 0, sizeof r);
    assert_int_equal(system->evaluate(system->self, &at, &terms), NT_OK);
    assert_true(fabs(r[0] - (7 * (2 - 0.4) + 3 * 0.4)) < 1e-12);
    assert_true(fabs(r[1] + 3) < 1e-12);
    assert_true(fabs(r[5] - 1.5) < 1e-12);
    destroy_run(run);
}

static void refuse(const char *forces, int line, int column, const char *words)
{
    static const char head[] = "nutate: 1\n"
                               "bodies: {a: {mass: 1}, b: {mass: 1, position: [1, 0, 0]}}\n"
                               "markers: {m: {on: b, at: [0, 0, 0]}}\n"
                               "joints: {j: {type: prismatic, between: [a, b], at: m, "
                               "axis: [1, 0, 0]}}\n"
                               "forces:\n";
    char text[1000];
    nt_run *run = NULL;
    nt_error error = {0};
    int length = snprintf(text, sizeof text, "%s%s", head, forces);
    nt_status status =
        read_run_text(&run, text, (size_t)length, "model.yaml", NULL, NULL, 0, &error);
    if (!strstr(error.message, words) || error.line != line || error.column != column)
        print_error("%s%d:%d: %s\n", forces, error.line, error.column, error.message);
    assert_int_equal(status, NT_BAD_MODEL);
    assert_null(run);
    assert_non_null(strstr(error.message, words));
    assert_int_equal(error.line, line);
    assert_int_equal(error.column, column);
}

static void wrong_loads_are_refused_at_their_place(void **state)
{
    (void)state;
    refuse("  f: {type: force, on: a, at: m, value: [0, 0, 1]}\n", 6, 3,
           "marker m is on b, expected one on a");
    refuse("  f: {type: force, on: ground, value: [0, 0, 1]}\n", 6, 3, "acts on the ground");
    refuse("  s: {type: torsion_spring, joint: j, stiffness: 1}\n", 6, 3,
           "joint j is prismatic, expected one with a free angle");
    refuse("  s: {type: spring, between: [a, b], at: [[0, 0, 0], [0, 0, 0]], stiffness: 1}\n", 6, 3,
           "at the same place");
    refuse("  f: {type: force, on: a, value: [0, 0, j.angle]}\n", 6, 41, "j.angle");
    refuse("  f: {type: joint_force, joint: j, value: 1 + b.positon.x}\n", 6, 47, "b.position.x");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tangents_of_a_whole_model_in_both_frames),
        cmocka_unit_test(parameters_reach_loads),
        cmocka_unit_test(wrong_loads_are_refused_at_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
