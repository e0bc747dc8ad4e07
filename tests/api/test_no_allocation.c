/* No allocation in a step, shown by counting: the executable's own calls of malloc, calloc, realloc
 * and free go through the counters below (linked with --wrap; the library is static, so its calls
 * are among them).
 *
 * Left out, and why: the fallback solver KLU, which allocates at its first use and when it chooses
 * new pivots, as nt_solver_factor says. Every run here asserts that no solve fell back. */
#include "api/runs.h"
#include "tests/read_run.h"

#include <nutate/output.h>
#include <nutate/sensitivity.h>

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *memory);
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *memory);

static long calls;

void *__wrap_malloc(size_t size)
{
    calls++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    calls++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    calls++;
    return __real_realloc(old, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    calls++;
    return __real_aligned_alloc(alignment, size);
}

void __wrap_free(void *memory)
{
    calls++;
    __real_free(memory);
}

/* Stepping, looking, dense output, drift, saving and restoring: all without allocation. */
static void check_run(run *r, int steps, double h, bool rejects)
{
    char *bytes = malloc(nt_integrator_saved_size(r->integrator));
    assert_non_null(bytes);
    long created = calls;
    assert_true(created > 0); /* the counters do count: reading and creating allocate */
    nt_error error = {0};
    nt_status status = NT_OK;
    double position, velocity;
    for (int i = 0; status == NT_OK && i < steps; i++) {
        status = nt_integrator_step(r->integrator, h, &error);
        nt_state now = nt_integrator_state(r->integrator), between;
        if (status == NT_OK)
            status = nt_integrator_dense(r->integrator, now.t - now.step / 3, &between);
        if (status == NT_OK)
            status = nt_integrator_drift(r->integrator, &position, &velocity);
        if (i == steps / 2)
            nt_integrator_save(r->integrator, bytes);
    }
    if (status == NT_OK)
        status = nt_integrator_restore(r->integrator, bytes,
                                       nt_integrator_saved_size(r->integrator), &error);
    if (status == NT_OK)
        status = nt_integrator_step(r->integrator, h, &error);
    long stepped = calls;
    must(status, &error);
    assert_int_equal(nt_integrator_statistics(r->integrator)->fallbacks, 0);
    assert_int_equal(stepped - created, 0);
    assert_int_equal(nt_integrator_statistics(r->integrator)->rejected > 0, rejects);
    free(bytes);
    end(r);
}

static void top_by_hand(void **state)
{
    (void)state;
    for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++) {
        run r;
        begin_top(&r, NULL, 0, frame);
        check_run(&r, 200, 1e-3, false);
    }
}

static void top_with_a_kept_tangent(void **state)
{
    (void)state;
    static const nt_option reuse[] = {{"reuse_tangent", "true"}};
    run r;
    begin_top(&r, reuse, COUNT(reuse), NT_INERTIAL);
    check_run(&r, 200, 1e-3, false);
}

/* A blade that turns with its root: factors that are kept turn with it, of both kinds of inertia
 * and with damping. */
static void beam_with_kept_factors(void **state)
{
    (void)state;
    static const char *const inertia[] = {"lumped", "consistent"};
    static const nt_option reuse[] = {{"reuse_tangent", "always"}, {"rho_inf", "0.9"}};
    for (int k = 0; k < COUNT(inertia); k++) {
        char text[600];
        snprintf(
            text, sizeof text,
            "nutate: 1\ngravity: [0, 0, -9.81]\nbeams:\n  blade:\n"
            "    points: [[1, 0, 0], [9, 0, 0]]\n    order: 2\n    elements: 4\n"
            "    inertia: %s\n    damping: 0.001\n    velocity: [0, 1, 0]\n"
            "    angular_velocity: [0, 0, 1]\n    sections:\n"
            "      - {shape: circle, radius: 0.05, material: {E: 70e9, nu: 0.3, density: 2700}}\n"
            "joints:\n  hub: {type: revolute, between: [ground, blade.root], at: [0, 0, 0],\n"
            "        axis: [0, 0, 1], motion: t}\n",
            inertia[k]);
        run r;
        begin_model(&r, text, reuse, COUNT(reuse), NT_INERTIAL);
        check_run(&r, 100, 1e-2, false);
    }
}

/* Steps that fail, are halved and recover. */
static void top_with_rejected_steps(void **state)
{
    (void)state;
    static const nt_option few[] = {{"max_iterations", "3"}};
    run r;
    begin_top(&r, few, COUNT(few), NT_INERTIAL);
    check_run(&r, 10, 0.02, true);
}

/* A closed loop with three redundant equations and a body hanging on it: the block solver. */
static void loop_with_redundant_rows(void **state)
{
    (void)state;
    for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++) {
        run r;
        begin_model(&r, loop_text, NULL, 0, frame);
        assert_int_equal(nt_integrator_redundant(r.integrator, NULL, 0), 3);
        check_run(&r, 300, 1e-3, false);
    }
}

/* Loads that are expressions of time and of the model's own quantities. */
static void model_with_expressions(void **state)
{
    (void)state;
    for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++) {
        run r;
        begin_model(&r, crank_text, NULL, 0, frame);
        check_run(&r, 300, 1e-3, false);
    }
}

/* Explicit methods: stages, the way back to the constraints, error control, memory that changes. */
static void explicit_steps(void **state)
{
    static const char *const methods[] = {"rkmk-dopri5", "rkmk-dop853"};
    for (int m = 0; m < COUNT(methods); m++) {
        run_method = methods[m];
        run_tolerance = 1e-6;
        top_by_hand(state);
        loop_with_redundant_rows(state);
        model_with_expressions(state);
    }
    run_method = "generalized-alpha";
    run_tolerance = 0;
}

/* Two stages, and error control. */
static void stabilised_index_2(void **state)
{
    run_method = "generalized-alpha-soi2";
    top_by_hand(state);
    top_with_a_kept_tangent(state);
    for (int controlled = 0; controlled < 2; controlled++) {
        run_tolerance = controlled ? 1e-3 : 0;
        loop_with_redundant_rows(state);
        model_with_expressions(state);
    }
    run_method = "generalized-alpha";
    run_tolerance = 0;
}

/* Two bodies tied together in space: the methods that kick and drift, with and without a damper. */
static void rotation_methods(void **state)
{
    (void)state;
    static const char text[] =
        "nutate: 1\n"
        "bodies:\n"
        "  a: {mass: 2, inertia: [0.4, 0.5, 0.3], angular_velocity: [0.3, 1, -0.5]}\n"
        "  b: {mass: 1, inertia: [0.2, 0.1, 0.15], position: [1, 0, 0], velocity: [0, 0.5, 0]}\n"
        "forces:\n"
        "  tie: {type: spring, between: [a, b], at: [[0, 0.5, 0], [1.2, 1, 0]], stiffness: 20%s}\n"
        "simulation: {duration: 1, step: 1e-3}\n";
    static const char *const methods[] = {"lie-newmark",  "lie-euler",     "lie-euler-adjoint",
                                          "lie-midpoint", "simo-wong",     "simo-wong-explicit",
                                          "akw",          "lie-newmark-4", "lie-newmark-6"};
    for (int damped = 0; damped < 2; damped++)
        for (int i = 0; i < COUNT(methods) - 2 * damped; i++) {
            run r = {0};
            nt_error error = {0};
            char model[1000];
            snprintf(model, sizeof model, text, damped ? ", damping: 1" : "");
            must(read_run_text(&r.run, model, strlen(model), "test", NULL, NULL, 0, &error),
                 &error);
            nt_integrator_setup setup = {.system = nt_run_system(r.run),
                                         .method = nt_method_find(methods[i])};
            must(nt_integrator_create(&r.integrator, &setup, &error), &error);
            must(nt_integrator_start(r.integrator, 0, NULL, NULL, NULL, &error), &error);
            check_run(&r, 100, 1e-2, false);
        }
}

/* Steps that carry the derivatives in every parameter, looking at them, and following objectives
 * from the second look on. */
static void steps_with_sensitivities(void **state)
{
    (void)state;
    static const char text[] =
        "nutate: 1\n"
        "parameters: {m: 2, arm: 0.5, J: 0.3, spin: 20, k: 30}\n"
        "bodies:\n"
        "  a: {mass: m, inertia: [0.2, J, 0.2], position: [0, arm, 0], "
        "angular_velocity: [0, spin, 1]}\n"
        "  b: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 2*arm, 0.5]}\n"
        "joints:\n"
        "  pivot: {type: spherical, between: [ground, a], at: [0, 0, 0]}\n"
        "forces:\n"
        "  tie: {type: spring, between: [a, b], at: [[0, 1, 0], [0, 1, 0.5]], stiffness: k}\n"
        "objectives:\n"
        "  load: {type: maximum, of: m*sqrt(pivot.force.x^2 + pivot.force.y^2)}\n"
        "  swing: {type: integral, of: a.position.x^2 + energy.total}\n"
        "simulation: {duration: 1, step: 1e-3}\n";
    static const char *const methods[] = {"generalized-alpha",
                                          "generalized-alpha-linear",
                                          "generalized-alpha-residual",
                                          "generalized-alpha-soi2",
                                          "semi-explicit",
                                          "semi-explicit-2",
                                          "theta",
                                          "rkmk-dopri5",
                                          "rkmk-dop853"};
    static const int all[] = {0, 1, 2, 3, 4};
    for (int i = 0; i < COUNT(methods); i++) {
        run r = {0};
        nt_error error = {0};
        nt_sensitivity *sensitivity;
        nt_objectives *objectives;
        must(read_run_text(&r.run, text, strlen(text), "test", NULL, NULL, 0, &error), &error);
        nt_integrator_setup setup = {.system = nt_run_system(r.run),
                                     .method = nt_method_find(methods[i])};
        must(nt_integrator_create(&r.integrator, &setup, &error), &error);
        must(nt_sensitivity_create(&sensitivity, r.integrator, all, COUNT(all), &error), &error);
        must(nt_integrator_start(r.integrator, 0, NULL, NULL, NULL, &error), &error);
        must(nt_sensitivity_start(sensitivity, &error), &error);
        must(nt_objectives_create(&objectives, r.run, r.integrator, sensitivity, &error), &error);
        must(nt_objectives_advance(objectives, &error), &error);
        long begun = calls;
        nt_status status = nt_integrator_run(r.integrator, 0.1, 1e-3, NULL, NULL, &error);
        nt_status followed = nt_objectives_advance(objectives, &error);
        nt_state_tangent tangent = nt_sensitivity_state(sensitivity, 0);
        nt_status dense = nt_sensitivity_dense(sensitivity, 1, 0.0995, &tangent);
        long ended = calls;
        must(status, &error);
        assert_int_equal(dense, NT_OK);
        assert_int_equal(followed, NT_OK);
        assert_int_equal(ended - begun, 0);
        nt_objectives_destroy(objectives);
        nt_sensitivity_destroy(sensitivity);
        end(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(top_by_hand),
        cmocka_unit_test(top_with_a_kept_tangent),
        cmocka_unit_test(beam_with_kept_factors),
        cmocka_unit_test(top_with_rejected_steps),
        cmocka_unit_test(loop_with_redundant_rows),
        cmocka_unit_test(model_with_expressions),
        cmocka_unit_test(explicit_steps),
        cmocka_unit_test(rotation_methods),
        cmocka_unit_test(steps_with_sensitivities),
        cmocka_unit_test(stabilised_index_2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
