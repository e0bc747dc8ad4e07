/* Generalized-alpha on the heavy top written by hand: reference values, orders, both frames. */
#include "top.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* x, reaction at t = 0.1 from a Taylor series of 34 digits */
static const double x_exact[3] = {.421296658925402, .894571974345593, -.149164700561900};
static const double lambda_exact[3] = {-361.056004787116, -295.393173011226, -212.267171855119};

typedef struct outcome {
    double x[3], lambda[3], q[4];
    long iterations, steps;
} outcome;

static outcome run(nt_frame frame, double h, double end, const char *rho)
{
    top p = heavy_top();
    nt_block block;
    nt_system system = top_system(&p, &block);
    nt_option option = {"rho_inf", rho};
    nt_integrator_setup setup = {.system = &system,
                                 .method = nt_method_find("generalized-alpha"),
                                 .options = &option,
                                 .n_options = 1,
                                 .frame = frame};
    nt_integrator *it;
    nt_error error;
    if (nt_integrator_create(&it, &setup, &error) != NT_OK)
        fail_msg("%s", error.message);
    if (nt_integrator_start(it, 0, top_q0, top_v0, NULL, &error) != NT_OK)
        fail_msg("%s", error.message);
    if (nt_integrator_run(it, end, h, NULL, NULL, &error) != NT_OK)
        fail_msg("%s", error.message);
    nt_state s = nt_integrator_state(it);
    outcome o = {.iterations = nt_integrator_statistics(it)->iterations,
                 .steps = nt_integrator_statistics(it)->steps};
    memcpy(o.x, s.q, sizeof o.x);
    memcpy(o.q, s.q + 3, sizeof o.q);
    memcpy(o.lambda, s.lambda, sizeof o.lambda);
    assert_true(s.t == end);
    nt_integrator_destroy(it);
    return o;
}

static double distance(const double *a, const double *b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

static void body_frame_values(void **state)
{
    (void)state;
    const double x[3] = {.4204849720944, .8946728449161, -.1508406073065};
    outcome o = run(NT_BODY, 2e-3, 0.1, "0.8");
    for (int i = 0; i < 3; i++)
        assert_true(fabs(o.x[i] - x[i]) < 1e-10);
    assert_true(fabs(distance(o.x, x_exact) - 1.865e-3) < 1e-6);
}

static void inertial_frame_errors(void **state)
{
    (void)state;
    assert_true(fabs(distance(run(NT_INERTIAL, 2e-3, 0.1, "0.8").x, x_exact) - 3.882e-4) < 1e-7);
    assert_true(fabs(distance(run(NT_INERTIAL, 2.5e-4, 0.1, "0.8").x, x_exact) - 6.06e-6) < 1e-8);
}

static void second_order(void **state)
{
    (void)state;
    for (nt_frame frame = NT_INERTIAL; frame <= NT_BODY; frame++) {
        outcome a = run(frame, 5e-4, 0.1, "0.8"), b = run(frame, 2.5e-4, 0.1, "0.8");
        double x = log2(distance(a.x, x_exact) / distance(b.x, x_exact));
        double lambda = log2(distance(a.lambda, lambda_exact) / distance(b.lambda, lambda_exact));
        assert_true(fabs(x - 2) < 0.05);
        assert_true(fabs(lambda - 2) < 0.1);
    }
}

/* Kynema's documented heavy-top test, 400 steps, rho 0.9 */
static void kynema_values(void **state)
{
    (void)state;
    const double u[3] = {-.42217802273894345, -.09458263530050703, -.04455460488952848};
    const double q[4] = {-.17919607435565366, .21677896640311572, -.9594776960853596,
                         -.017268392381761217};
    outcome o = run(NT_INERTIAL, 2e-3, 0.8, "0.9");
    double sign = o.q[0] * q[0] < 0 ? -1 : 1;
    for (int i = 0; i < 3; i++)
        assert_true(fabs(o.x[i] - (i == 1) - u[i]) < 1e-9);
    for (int i = 0; i < 4; i++)
        assert_true(fabs(sign * o.q[i] - q[i]) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(body_frame_values),
        cmocka_unit_test(inertial_frame_errors),
        cmocka_unit_test(second_order),
        cmocka_unit_test(kynema_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
