/* A mechanism looked at where q and v stand, without an integrator; and pairs of free bodies at
 * random places, whose element must balance force with counter-force and power with energy. */
#ifndef NUTATE_TESTS_MODEL_FREE_PAIR_H
#define NUTATE_TESTS_MODEL_FREE_PAIR_H

#include "model/mechanism.h"
#include "model/random_point.h"

enum { MOST = 30 }; /* entries of v, multipliers */

static inline nt_point point_of(const mechanism *m)
{
    static const double zero[MOST];
    const nt_system *s = nt_run_system(m->run);
    assert_true(s->space.nv <= MOST && s->nh <= MOST && s->nn <= MOST);
    return (nt_point){
        .q = m->q, .v = m->v, .vdot = zero, .lambda = zero, .mu = zero, .memory = m->memory};
}

/* Forces in the residual: its negative, without inertia. */
static inline void forces_of(const mechanism *m, double out[MOST])
{
    const nt_system *s = nt_run_system(m->run);
    nt_point at = point_of(m);
    nt_terms terms = {.parts = NT_EXPLICIT | NT_IMPLICIT, .residual = out};
    memset(out, 0, MOST * sizeof *out);
    assert_int_equal(s->evaluate(s->self, &at, &terms), NT_OK);
    for (int i = 0; i < s->space.nv; i++)
        out[i] = -out[i];
}

static inline nt_energy energy_of(const mechanism *m)
{
    const nt_system *s = nt_run_system(m->run);
    nt_point at = point_of(m);
    nt_energy energy;
    assert_int_equal(s->energy(s->self, &at, &energy), NT_OK);
    return energy;
}

/* Free bodies a and b with one element, an entry of a section of the model; displaced and turned by
 * up to 0.5 m and 0.9 rad, at up to 1 m/s and 1 rad/s. */
static inline mechanism random_pair(const char *section, const char *entry, unsigned *seed)
{
    char text[2000];
    snprintf(text, sizeof text,
             "nutate: 1\n"
             "gravity: [0, 0, 0]\n"
             "bodies:\n"
             "  a: {mass: 2, inertia: [0.3, 0.4, 0.5], center_of_mass: [0.1, -0.2, 0.05]}\n"
             "  b: {mass: 1, inertia: [0.2, 0.3, 0.4], position: [0.9, -0.3, 0.6]}\n"
             "%s: {e: %s}\n",
             section, entry);
    mechanism m = mechanism_read(text);
    double dq[12];
    for (int i = 0; i < 12; i++)
        dq[i] = 0.5 * random_number(seed), m.v[i] = random_number(seed);
    nt_space_compose(&nt_run_system(m.run)->space, NT_INERTIAL, m.q, dq, m.q);
    return m;
}

/* No force and no moment about the origin on the two bodies together; tolerance in N, N m. */
static inline void pair_balances_forces(const mechanism *m, double tolerance)
{
    double f[MOST], sum[6] = {0}, size = 0;
    forces_of(m, f);
    for (int b = 0; b < 2; b++) {
        const double *x = m->q + 7 * b, *F = f + 6 * b;
        for (int k = 0; k < 3; k++) {
            int l = (k + 1) % 3, n = (k + 2) % 3;
            sum[k] += F[k];
            sum[3 + k] += F[3 + k] + x[l] * F[n] - x[n] * F[l];
            size += fabs(F[k]) + fabs(F[3 + k]);
        }
    }
    assert_true(size > 1); /* there is something to balance */
    for (int k = 0; k < 6; k++)
        CLOSE(sum[k], 0, tolerance);
}

/* The power of the forces is what the potential loses and what `power` takes; the latter never
 * gives. Central differences: the third derivative of some 1e3 J/s^3 times h^2 / 6, and the
 * rounding of some 1e3 J over 2 h. */
static inline void pair_balances_power(mechanism *m)
{
    const nt_space *space = &nt_run_system(m->run)->space;
    const double h = 1e-5; /* s */
    double f[MOST], step[12], q[14], potential[2], force_power = 0;
    forces_of(m, f);
    for (int k = 0; k < 12; k++)
        force_power += f[k] * m->v[k];
    double power = energy_of(m).power;
    assert_true(power < 0);
    memcpy(q, m->q, sizeof q);
    for (int side = 0; side < 2; side++) {
        for (int k = 0; k < 12; k++)
            step[k] = (side == 0 ? -h : h) * m->v[k];
        nt_space_compose(space, NT_INERTIAL, q, step, m->q);
        potential[side] = energy_of(m).potential;
    }
    CLOSE(force_power, power - (potential[1] - potential[0]) / (2 * h), 1e-6);
}

#endif
