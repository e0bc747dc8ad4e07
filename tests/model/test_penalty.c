/* Joints enforced by penalty between two free bodies, with gaps as large as the bodies: force and
 * counter-force balance exactly, their power is what the potential loses and the damping takes. */
#include "model/mechanism.h"

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
    "{type: inline, " PLACED ", axis: [1, 1, 0]}",
    "{type: distance, " SOFT ", points: [[0.1, 0.7, 0.2], [0.4, 0, -0.3]]}",
};
enum { JOINTS = sizeof joints / sizeof joints[0], STATES = 20 };

static double uniform(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)*seed / 2147483648.0 - 1;
}

/* The bodies displaced and turned by up to 0.5 m and 0.9 rad, at up to 1 m/s and 1 rad/s. */
static mechanism random_pair(const char *joint, unsigned *seed)
{
    char text[1000];
    snprintf(text, sizeof text,
             "nutate: 1\n"
             "gravity: [0, 0, 0]\n"
             "bodies:\n"
             "  a: {mass: 2, inertia: [0.3, 0.4, 0.5], center_of_mass: [0.1, -0.2, 0.05]}\n"
             "  b: {mass: 1, inertia: [0.2, 0.3, 0.4], position: [0.9, -0.3, 0.6]}\n"
             "joints: {e: %s}\n",
             joint);
    mechanism m = mechanism_read(text);
    double dq[12];
    for (int i = 0; i < 12; i++)
        dq[i] = 0.5 * uniform(seed), m.v[i] = uniform(seed);
    nt_space_compose(&nt_model_system(m.model)->space, NT_INERTIAL, m.q, dq, m.q);
    return m;
}

static nt_point point_of(const mechanism *m)
{
    static const double zero[12];
    return (nt_point){.q = m->q, .v = m->v, .vdot = zero, .lambda = zero, .mu = zero};
}

static void forces_of(const mechanism *m, double out[12])
{
    const nt_system *s = nt_model_system(m->model);
    nt_point at = point_of(m);
    nt_terms terms = {.parts = NT_EXPLICIT | NT_IMPLICIT, .residual = out};
    memset(out, 0, 12 * sizeof *out);
    assert_int_equal(s->evaluate(s->self, &at, &terms), NT_OK);
    for (int i = 0; i < 12; i++)
        out[i] = -out[i];
}

static nt_energy energy_of(const mechanism *m)
{
    const nt_system *s = nt_model_system(m->model);
    nt_point at = point_of(m);
    nt_energy energy;
    assert_int_equal(s->energy(s->self, &at, &energy), NT_OK);
    return energy;
}

/* No force and no moment about the origin on the two bodies together. */
static void forces_balance(void **state)
{
    (void)state;
    unsigned seed = 3;
    for (int i = 0; i < JOINTS * STATES; i++) {
        mechanism m = random_pair(joints[i % JOINTS], &seed);
        double f[12], sum[6] = {0}, size = 0;
        forces_of(&m, f);
        for (int b = 0; b < 2; b++) {
            const double *x = m.q + 7 * b, *F = f + 6 * b;
            for (int k = 0; k < 3; k++) {
                int l = (k + 1) % 3, n = (k + 2) % 3;
                sum[k] += F[k];
                sum[3 + k] += F[3 + k] + x[l] * F[n] - x[n] * F[l];
                size += fabs(F[k]) + fabs(F[3 + k]);
            }
        }
        assert_true(size > 1);
        for (int k = 0; k < 6; k++)
            CLOSE(sum[k], 0, ROUNDING);
        mechanism_close(&m);
    }
}

static void energy_balances(void **state)
{
    (void)state;
    unsigned seed = 9;
    for (int i = 0; i < JOINTS * STATES; i++) {
        mechanism m = random_pair(joints[i % JOINTS], &seed);
        const nt_space *space = &nt_model_system(m.model)->space;
        double f[12], step[12], q[14], potential[2], force_power = 0, h = 1e-5;
        forces_of(&m, f);
        for (int k = 0; k < 12; k++)
            force_power += f[k] * m.v[k];
        double power = energy_of(&m).power;
        assert_true(power < 0);
        memcpy(q, m.q, sizeof q);
        for (int side = 0; side < 2; side++) {
            for (int k = 0; k < 12; k++)
                step[k] = (side == 0 ? -h : h) * m.v[k];
            nt_space_compose(space, NT_INERTIAL, q, step, m.q);
            potential[side] = energy_of(&m).potential;
        }
        /* central differences: the third derivative of some 1e3 J/s^3 times h^2 / 6, and the
         * rounding of some 1e2 J over 2 h */
        CLOSE(force_power, power - (potential[1] - potential[0]) / (2 * h), 1e-6);
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
        mechanism m = random_pair(joints[i], &seed);
        nt_error error = {0};
        nt_integrator_setup setup = {.system = nt_model_system(m.model),
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
