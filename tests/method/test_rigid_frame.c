/* The frame of rigid motions (se3) of generalized-alpha: exact tangents, screw motions without
 * error at any step, second order on a heavy top and on a closed loop. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "system/problem.h"

#include <math.h>
#include <nutate/model.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(nt_status status, const nt_error *error)
{
    if (status != NT_OK)
        fail_msg("%s: %s", nt_status_text(status), error->message);
}

typedef struct mechanism {
    nt_model *model;
    nt_run *run;
    const nt_system *system;
} mechanism;

static mechanism read_mechanism(const char *path, const char *text)
{
    mechanism m;
    nt_error error = {0};
    must(path ? nt_model_read(&m.model, path, NULL, 0, &error)
              : nt_model_read_text(&m.model, text, strlen(text), "test", NULL, NULL, 0, &error),
         &error);
    must(nt_run_create(&m.run, m.model, &error), &error);
    m.system = nt_run_system(m.run);
    return m;
}

static void free_mechanism(mechanism *m)
{
    nt_run_destroy(m->run);
    nt_model_destroy(m->model);
}

/* q[nq] at the end of equal steps of size h, however the energy fares. */
static void run_to(const mechanism *m, nt_frame frame, double end, double h, double *q)
{
    nt_integrator *it;
    nt_error error = {0};
    nt_integrator_setup setup = {.system = m->system,
                                 .method = nt_method_find("generalized-alpha"),
                                 .frame = frame,
                                 .energy_check = NT_ENERGY_UNWATCHED};
    must(nt_integrator_create(&it, &setup, &error), &error);
    must(nt_integrator_start(it, 0, NULL, NULL, NULL, &error), &error);
    must(nt_integrator_run(it, end, h, NULL, NULL, &error), &error);
    memcpy(q, nt_integrator_state(it).q, (size_t)m->system->space.nq * sizeof *q);
    nt_integrator_destroy(it);
}

static double distance(const double *a, const double *b, int n)
{
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(a[i] - b[i]));
    return largest;
}

/* ---- tangents ------------------------------------------------------------------------------- */

static const char linkage[] =
    "nutate: 1\n"
    "bodies:\n"
    "  crank: {mass: 2, inertia: [0.01, 0.2, 0.2], position: [0.5, 0, 0],\n"
    "          angular_velocity: [0, 0, 4]}\n"
    "  arm: {mass: 1, inertia: [0.06, 0.1, 0.15], position: [1.25, 0, 0],\n"
    "        center_of_mass: [0.1, 0.02, 0]}\n"
    "  stone: {mass: 1, point: true, position: [2, 1, 0]}\n"
    "joints:\n"
    "  pivot: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  elbow: {type: universal, between: [crank, arm], at: [1, 0, 0],\n"
    "          axes: [[0, 0, 1], [0, 1, 0]]}\n"
    "forces:\n"
    "  spring: {type: spring, between: [arm, stone], at: [[1.5, 0, 0], [2, 1, 0]],\n"
    "           stiffness: 30, damping: 2, length: 0.5}\n"
    "  drag: {type: force, on: arm, at: [1.5, 0, 0],\n"
    "         value: ['-0.2*arm.velocity.x', '-0.2*arm.velocity.y', 0]}\n"
    "  turn: {type: torque, on: arm, value: [0, 0.3, 0.1], frame: body}\n";

/* At random states; central differences of 1e-6 leave 1e-7 of numbers up to a hundred. */
static void tangents_are_exact(void **state)
{
    (void)state;
    mechanism m = read_mechanism(NULL, linkage);
    nt_problem *problem;
    nt_error error = {0};
    must(nt_problem_create(&problem, m.system, NT_SE3, &error), &error);
    double q[30], x[80], memory[8] = {0};
    assert_true(problem->nq <= 30 && 3 * problem->nv + problem->nc <= 80);
    for (int trial = 0; trial < 5; trial++) {
        double moved[30], *v = x + problem->nv, *vdot = v + problem->nv,
                          *lambda = vdot + problem->nv;
        nt_run_initial(m.run, q, v, memory);
        for (int i = 0; i < 3 * problem->nv + problem->nc; i++)
            x[i] = sin(1 + 3 * i + 7 * trial);
        nt_space_compose(&problem->space, NT_SE3, q, x, moved);
        nt_point at = {.t = 0.3,
                       .q = moved,
                       .v = v,
                       .vdot = vdot,
                       .lambda = lambda,
                       .mu = lambda + problem->nh,
                       .memory = memory};
        double off;
        must(nt_problem_check_tangent(problem, &at, 1e-6, &off, &error), &error);
        if (!(off < 1e-7))
            fail_msg("trial %d: tangents are off by %.3g", trial, off);
    }
    nt_problem_destroy(problem);
    free_mechanism(&m);
}

/* ---- screws --------------------------------------------------------------------------------- */

/* A body off the axis that it turns about and slides along: (V, W) is constant in its own axes. */
static const char screw[] =
    "nutate: 1\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  nut: {mass: 2, inertia: [0.3, 0.2, 0.4], position: [0.5, 0, 0],\n"
    "        velocity: [0, 3.5, 0.8], angular_velocity: [0, 0, 7]}\n"
    "joints:\n"
    "  axle: {type: cylindrical, between: [ground, nut], at: [0, 0, 0], axis: [0, 0, 1]}\n";

/* Rounding of a hundred steps, each of a few operations on numbers up to 8, and what is left of
 * Newton's iteration, which starts at the solution. */
static void screws_have_no_error(void **state)
{
    (void)state;
    static const double steps[] = {0.01, 0.1, 0.5};
    mechanism m = read_mechanism(NULL, screw);
    for (int k = 0; k < 3; k++) {
        double q[7], end = 10, angle = 7 * end;
        run_to(&m, NT_SE3, end, steps[k], q);
        const double exact[7] = {
            0.5 * cos(angle), 0.5 * sin(angle), 0.8 * end, cos(angle / 2), 0, 0, sin(angle / 2)};
        double sign = q[3] * exact[3] + q[6] * exact[6] < 0 ? -1 : 1;
        for (int i = 0; i < 7; i++) {
            double got = i < 3 ? q[i] : sign * q[i];
            if (!(fabs(got - exact[i]) < 1e-12))
                fail_msg("step %g: entry %d is %.17g, expected %.17g", steps[k], i, got, exact[i]);
        }
    }
    double other[7];
    run_to(&m, NT_INERTIAL, 10, 0.1, other);
    assert_true(fabs(other[0] - 0.5 * cos(70.0)) > 1e-6); /* others do have one */
    free_mechanism(&m);
}

/* ---- order ---------------------------------------------------------------------------------- */

static void check_order(const char *path, double end, double h)
{
    mechanism m = read_mechanism(path, NULL);
    int nq = m.system->space.nq;
    double *q = calloc(4 * (size_t)nq, sizeof *q), errors[3];
    assert_non_null(q);
    run_to(&m, NT_INERTIAL, end, h / 64, q); /* 1/256 of the finest error below, by its own order */
    for (int k = 0; k < 3; k++) {
        run_to(&m, NT_SE3, end, ldexp(h, -k), q + (k + 1) * nq);
        errors[k] = distance(q, q + (k + 1) * nq, nq);
    }
    for (int k = 0; k < 2; k++) {
        double order = log2(errors[k] / errors[k + 1]);
        if (!(order > 1.8 && order < 2.3))
            fail_msg("%s: errors %.3g, %.3g, %.3g", path, errors[0], errors[1], errors[2]);
    }
    free(q);
    free_mechanism(&m);
}

static void order_is_two(void **state)
{
    (void)state;
    check_order(NUTATE_SOURCE_DIR "/examples/heavy_top/heavy_top.yaml", 0.2, 1e-3);
    check_order(NUTATE_SOURCE_DIR "/examples/four_bar/four_bar.yaml", 0.2, 4e-3);
}

/* ---- refusals ------------------------------------------------------------------------------- */

static void what_it_cannot_do_is_refused(void **state)
{
    (void)state;
    static const char top[] = "nutate: 1\n"
                              "parameters: {m: 1}\n"
                              "bodies:\n"
                              "  top: {mass: m, inertia: [1, 1, 1], position: [0, 0, 1],\n"
                              "        fixed_point: [0, 0, 0]}\n";
    mechanism fixed = read_mechanism(NULL, top);
    nt_integrator *it;
    nt_error error = {0};
    nt_integrator_setup setup = {
        .system = fixed.system, .method = nt_method_find("generalized-alpha"), .frame = NT_SE3};
    assert_int_equal(nt_integrator_create(&it, &setup, &error), NT_UNSUPPORTED);
    assert_non_null(strstr(error.message, "rotation without translation"));
    setup.method = nt_method_find("theta");
    assert_int_equal(nt_integrator_create(&it, &setup, &error), NT_UNSUPPORTED);
    assert_non_null(strstr(error.message, "has no se3 frame"));
    free_mechanism(&fixed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tangents_are_exact),
        cmocka_unit_test(screws_have_no_error),
        cmocka_unit_test(order_is_two),
        cmocka_unit_test(what_it_cannot_do_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
