/* Derivatives of bearings in what their geometry is made of: small differences of large lengths. */
#include "tests/model/mechanism.h"

#include <nutate/method.h>
#include <nutate/sensitivity.h>

static const char preloaded[] =
    "nutate: 1\n"
    "gravity: [0, 0, 0]\n"
    "bodies: {shaft: {mass: 0.8, inertia: [2e-3, 2e-3, 1e-4]}}\n"
    "bearings:\n"
    "  b: {balls: 9, ball_diameter: 9.525e-3, pitch_diameter: 46e-3, outer: ground, inner: shaft,\n"
    "      at: [0, 0, -0.05], axis: [0, 0, 1], clearance: play}\n";

/* The value of a quantity after a run of `steps` steps of size h, and its derivative in the first
 * parameter. */
static void value_and_derivative(const char *text, int steps, double h, const char *name, double *f,
                                 double *derivative)
{
    static const int first = 0;
    mechanism m = mechanism_read(text);
    nt_error error = {0};
    nt_sensitivity *sensitivity;
    nt_quantity_info quantity;
    nt_integrator_setup setup = {.system = nt_run_system(m.run),
                                 .method = nt_method_find("semi-explicit-2")};
    assert_int_equal(nt_integrator_create(&m.integrator, &setup, &error), NT_OK);
    assert_int_equal(nt_sensitivity_create(&sensitivity, m.integrator, &first, 1, &error), NT_OK);
    assert_int_equal(nt_integrator_start(m.integrator, 0, m.q, m.v, m.memory, &error), NT_OK);
    assert_int_equal(nt_sensitivity_start(sensitivity, &error), NT_OK);
    if (steps > 0)
        mechanism_run(&m, steps * h, h);
    nt_state now = nt_integrator_state(m.integrator);
    nt_state_tangent t = nt_sensitivity_state(sensitivity, 0);
    nt_state_rate rate = {
        .dq = t.q, .dv = t.v, .dvdot = t.vdot, .dlambda = t.lambda, .parameter = 0};
    assert_int_equal(nt_model_quantity(nt_run_model(m.run), name, &quantity, &error), NT_OK);
    assert_int_equal(nt_run_sample(m.run, &quantity, &now, NULL, f, &error), NT_OK);
    assert_int_equal(
        nt_run_sample_tangent(m.run, &quantity, 1, &now, NULL, &rate, NULL, derivative, &error),
        NT_OK);
    nt_sensitivity_destroy(sensitivity);
    mechanism_close(&m);
}

/* Balls of a preloaded bearing at rest press both rings with K (-play)^1.5, so that the derivative
 * is 1.5 N/play, however small the preload is beside the lengths that differences are taken over:
 * beyond no preload balls have play, and no difference that reaches there is right. */
static void derivatives_of_a_preload(void **state)
{
    (void)state;
    static const char *const names[] = {"b.ball1.inner.force", "b.ball5.outer.force"};
    for (double play = -2e-5; play < -1e-7; play /= 3)
        for (int i = 0; i < 2; i++) {
            char text[1000];
            double N, derivative;
            snprintf(text, sizeof text, "%sparameters: {play: %.17g}\n", preloaded, play);
            value_and_derivative(text, 0, 1, names[i], &N, &derivative);
            CLOSE(derivative, 1.5 * N / play, 1e-6 * fabs(1.5 * N / play));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_of_a_preload),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
