/* Joints enforced by penalty between two free bodies, with gaps as large as the bodies: force and
 * counter-force balance exactly, their power is what the potential loses and the damping takes. */
#include "free_pair.h"

#define ROUNDING 1e-12 /* of sums of some hundred N, N m or W */

#define SOFT "between: [a, b], enforce: penalty, stiffness: 60, damping: 7"
#define PLACED SOFT ", at: [0.3, -0.2, 0.5]"

static const char *const joints[] = {
    "{type: fixed, " PLACED "}",
    "{type: spherical, " PLACED "}",
    "{type: revolute, " PLACED ", axis: [1, 2, -1]}",
    "{type: prismatic, " PLACED ", axis: [1, 2, -1]}",
    "{type: cylindrical, " PLACED ", axis: [0, 0, 1]}",
    "{type: universal, " PLACED ", axes: [[1, 0, 0], [0, 1, 0]]}",
    "{type: planar, " PLACED ", axis: [1, 1, 0]}",
    "{type: parallel, " PLACED ", axis: [1, 1, 0]}",
    "{type: inline, " PLACED ", axis: [1, 1, 0]}",
    "{type: distance, " SOFT ", points: [[0.1, 0.7, 0.2], [0.4, 0, -0.3]]}",
};
enum { JOINTS = sizeof joints / sizeof joints[0], STATES = 20 };

static void forces_balance(void **state)
{
    (void)state;
    unsigned seed = 3;
    for (int i = 0; i < JOINTS * STATES; i++) {
        mechanism m = random_pair("joints", joints[i % JOINTS], &seed);
        pair_balances_forces(&m, ROUNDING);
        mechanism_close(&m);
    }
}

static void energy_balances(void **state)
{
    (void)state;
    unsigned seed = 9;
    for (int i = 0; i < JOINTS * STATES; i++) {
        mechanism m = random_pair("joints", joints[i % JOINTS], &seed);
        pair_balances_power(&m);
        mechanism_close(&m);
    }
}

/* A method whose kicks and turns keep momenta shows what the forces do to them. */
static void momenta_are_kept(void **state)
{
    (void)state;
    static const char *const names[] = {"momentum", "angular_momentum"};
    unsigned seed = 5;
    for (int i = 0; i < JOINTS; i++) {
        mechanism m = random_pair("joints", joints[i], &seed);
        nt_error error = {0};
        nt_integrator_setup setup = {.system = nt_run_system(m.run),
                                     .method = nt_method_find("lie-newmark"),
                                     .frame = NT_BODY};
        if (nt_integrator_create(&m.integrator, &setup, &error) != NT_OK ||
            nt_integrator_start(m.integrator, 0, m.q, m.v, m.memory, &error) != NT_OK)
            fail_msg("%s", error.message);
        double before[2][16], after[16];
        for (int k = 0; k < 2; k++)
            mechanism_get(&m, names[k], before[k]);
        mechanism_run(&m, 2, 2e-3);
        for (int k = 0; k < 2; k++) {
            mechanism_get(&m, names[k], after);
            for (int j = 0; j < 3; j++)
                CLOSE(after[j], before[k][j], ROUNDING); /* 1000 steps, 1e-15 each */
        }
        mechanism_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_balance),
        cmocka_unit_test(energy_balances),
        cmocka_unit_test(momenta_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
