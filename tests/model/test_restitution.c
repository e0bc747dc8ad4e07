/* What a free impact keeps of its speed, by runs through it: the wanted share, by whatever share,
 * mass, stiffness and exponent; and its derivative, which is the speed. */
#include "tests/model/mechanism.h"

static const double SPEED = 0.7, MASS = 0.3;

/* Of shares: what the integration leaves, most where the force turns over between two steps. */
static const double INTEGRATED = 1e-9;

typedef struct impact {
    double kept, by_coefficient; /* share of the speed; derivative of that share */
} impact;

/* A ball that is about to touch a plane, or to be touched by a ball of its own mass, flies on until
 * it has long left. damping: as the model file gives it. */
static impact fly(const char *shape, const char *damping, double e, double exponent, double moving)
{
    char text[1200];
    const double stiffness = 3e6;
    snprintf(text, sizeof text,
             "nutate: 1\n"
             "gravity: [0, 0, 0]\n"
             "parameters: {e: %.17g, v: %.17g}\n"
             "bodies:\n"
             "  ball: {mass: %.17g, inertia: [1, 1, 1], position: [0, 0, 0.1], velocity: [0, 0, "
             "-v]}\n"
             "  other: {mass: %.17g, inertia: [1, 1, 1], position: [0, 0, -0.1]}\n"
             "contacts: {c: {%s, stiffness: %g, exponent: %g, %s}}\n",
             e, SPEED, MASS, MASS, shape, stiffness, exponent, damping);
    mechanism m = mechanism_read(text);
    nt_error error = {0};
    nt_sensitivity *sensitivity;
    nt_integrator_setup setup = {.system = nt_run_system(m.run),
                                 .method = nt_method_find("rkmk-dop853"),
                                 .tolerance = {1e-13, 1e-13, 1e-13, 1e-13}};
    static const int parameters[] = {0};
    assert_int_equal(nt_integrator_create(&m.integrator, &setup, &error), NT_OK);
    assert_int_equal(nt_sensitivity_create(&sensitivity, m.integrator, parameters, 1, &error),
                     NT_OK);
    assert_int_equal(nt_integrator_start(m.integrator, 0, m.q, m.v, m.memory, &error), NT_OK);
    assert_int_equal(nt_sensitivity_start(sensitivity, &error), NT_OK);
    double n = exponent + 1, half = 0.5 * n * moving * SPEED * SPEED / stiffness;
    mechanism_run(&m, 4 * pow(half, 1 / n) / (e * SPEED), 1e-6);
    nt_state now = nt_integrator_state(m.integrator);
    nt_state_tangent t = nt_sensitivity_state(sensitivity, 0);
    /* without a second body that is hit, `other` stays where it is */
    impact out = {.kept = (now.v[2] - now.v[8]) / SPEED,
                  .by_coefficient = (t.v[2] - t.v[8]) / SPEED};
    assert_true(mechanism_number(&m, "c.indentation") <= 0);
    nt_sensitivity_destroy(sensitivity);
    mechanism_close(&m);
    return out;
}

static const char plane[] = "type: sphere_plane, between: [ground, ball], plane: {normal: "
                            "[0, 0, 1]}, radius: 0.1";
static const char balls[] = "type: sphere_sphere, between: [other, ball], radii: [0.1, 0.1]";
static const char wanted[] = "restitution: {coefficient: e, speed: v}";

static void the_wanted_share_is_kept(void **state)
{
    (void)state;
    static const double shares[] = {0.01, 0.02, 0.05, 0.1, 0.12, 0.124, 0.1245, 0.13,
                                    0.2,  0.3,  0.36, 0.5, 0.7,  0.9,   0.97,   0.99};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        impact got = fly(plane, wanted, shares[i], 1.5, MASS);
        CLOSE(got.kept, shares[i], INTEGRATED);
        CLOSE(got.by_coefficient, 1, 1e-5);
    }
}

/* Neither the masses nor the force's exponent matter. */
static void whatever_the_masses_and_the_exponent(void **state)
{
    (void)state;
    static const double shares[] = {0.03, 0.4, 0.95};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        CLOSE(fly(balls, wanted, shares[i], 1.5, 0.5 * MASS).kept, shares[i], INTEGRATED);
        CLOSE(fly(plane, wanted, shares[i], 2.5, MASS).kept, shares[i], INTEGRATED);
    }
}

/* A damping that is given as a number keeps what the force K delta^n (1 + d delta') does, as
 * another program found it; and a relation that is often quoted what it is known to. */
static void shares_of_given_dampings(void **state)
{
    (void)state;
    static const double p[] = {0.2, 1, 5}, share[] = {0.882189986, 0.593624260, 0.196980245};
    for (int i = 0; i < 3; i++) {
        char damping[60];
        snprintf(damping, sizeof damping, "damping: %.17g/v", p[i]);
        CLOSE(fly(plane, damping, 0.1, 1.5, MASS).kept, share[i], INTEGRATED);
    }
    static const double flores[] = {0.1, 0.3, 0.5, 0.9}, kept[] = {0.069, 0.256, 0.470, 0.894};
    for (int i = 0; i < 4; i++)
        CLOSE(fly(plane, "restitution: {coefficient: e, speed: v, relation: flores}", flores[i],
                  1.5, MASS)
                  .kept,
              kept[i], 6e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_wanted_share_is_kept),
        cmocka_unit_test(whatever_the_masses_and_the_exponent),
        cmocka_unit_test(shares_of_given_dampings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
