/* Methods on models of several bodies: orders beside an accurate run, momenta and energy. */
#ifndef NUTATE_TESTS_METHOD_SEVERAL_BODIES_H
#define NUTATE_TESTS_METHOD_SEVERAL_BODIES_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <nutate/model.h>

#include "base/vector3.h"
#include "runs.h"
#include "tests/read_run.h"

static inline nt_run *read_model(const char *text)
{
    nt_run *run = NULL;
    nt_error error = {0};
    if (read_run_text(&run, text, strlen(text), "test", NULL, NULL, 0, &error) != NT_OK)
        fail_msg("%s", error.message);
    return run;
}

/* A method at its defaults but for an option; option: NULL, or name NULL, for none. */
static inline nt_integrator *start_from(const nt_system *system, const char *method,
                                        const nt_option *option, const double *q, const double *v)
{
    nt_integrator_setup setup = setup_of(system, option, option && option->name ? 1 : 0);
    setup.method = nt_method_find(method);
    setup.energy_check = NT_ENERGY_WARNS; /* steps are coarse: momentum is asked for, not energy */
    assert_non_null(setup.method);
    return begin(&setup, q, v);
}

/* At the system's own initial values. */
static inline nt_integrator *start(const nt_system *system, const char *method,
                                   const nt_option *option)
{
    return start_from(system, method, option, NULL, NULL);
}

/* ---- orders --------------------------------------------------------------------------------- */

enum { ROOM = 64 }; /* entries of q */

/* q at t = 1. */
static inline void end_of(const nt_system *system, const char *method, const nt_option *option,
                          double h, double q[ROOM])
{
    nt_integrator *it = start(system, method, option);
    run_to(it, 1, h);
    assert_true(system->space.nq <= ROOM);
    if (strcmp(method, "bdf") != 0) /* which chooses its steps */
        assert_int_equal(nt_integrator_statistics(it)->rejected, 0);
    memcpy(q, nt_integrator_state(it).q, (size_t)system->space.nq * sizeof *q);
    nt_integrator_destroy(it);
}

/* The same by a method of order eight, with an error below 1e-11. */
static inline void exact_end_of(const nt_system *system, double q[ROOM])
{
    end_of(system, "rkmk-dop853", NULL, 5e-3, q);
}

/* Largest difference of two configurations: positions and rotations as increments. */
static inline double differ(const nt_system *s, const double *q, const double *other)
{
    double d[ROOM], largest = 0;
    nt_space_difference(&s->space, NT_INERTIAL, q, other, d);
    for (int i = 0; i < s->space.nv; i++)
        largest = fmax(largest, fabs(d[i]));
    return largest;
}

/* A method's order, where it shows between steps h and h/2. */
typedef struct order_row {
    const char *method;
    nt_option option; /* name NULL: none */
    double h, order;
    bool undamped_only;
} order_row;

static inline void check_orders(const nt_system *system, bool damped, const order_row *rows,
                                size_t n)
{
    double exact[ROOM], coarse[ROOM], fine[ROOM];
    exact_end_of(system, exact);
    for (size_t i = 0; i < n; i++) {
        const order_row *row = &rows[i];
        if (damped && row->undamped_only)
            continue;
        end_of(system, row->method, &row->option, row->h, coarse);
        end_of(system, row->method, &row->option, row->h / 2, fine);
        near_number(log2(differ(system, exact, coarse) / differ(system, exact, fine)), row->order,
                    0.2, row->method, damped ? "order with dampers" : "order");
    }
}

/* ---- what is kept --------------------------------------------------------------------------- */

/* Linear and angular momentum about the ground's origin, of points and bodies; v in ground axes. */
static inline void momenta(const nt_system *system, const nt_state *s, double out[6])
{
    v3 p = {0, 0, 0}, L = {0, 0, 0};
    for (int b = 0; b < system->space.n_blocks; b++) {
        const nt_block *block = &system->space.blocks[b];
        v3 mv = v3_scale(system->momenta->mass[block->v], v3_load(s->v + block->v));
        p = v3_add(p, mv);
        L = v3_add(L, v3_cross(v3_load(s->q + block->q), mv));
        if (block->rotation < 0)
            continue;
        m3 R = quat_matrix(quat_load(s->q + block->q + 3));
        m3 J = m3_load(system->momenta->inertia + 9 * block->rotation);
        v3 W = m3_apply_transposed(R, v3_load(s->v + block->v + 3));
        L = v3_add(L, m3_apply(R, m3_apply(J, W)));
    }
    v3_store(out, p);
    v3_store(out + 3, L);
}

/* Forces between bodies, dampers too, are evaluated at one place and act as pairs: momenta stay to
 * the rounding of 2500 steps; implicit kicks are solved to 1e-10 or, dampers being linear, to
 * rounding. */
static const double MOMENTUM = 1e-11;

static inline void check_momenta(const nt_system *system, const nt_integrator *it,
                                 const double before[6], const char *method)
{
    double after[6];
    nt_state s = nt_integrator_state(it);
    momenta(system, &s, after);
    for (int k = 0; k < 6; k++)
        near_number(after[k], before[k], MOMENTUM, method, "momentum");
}

/* The same over 5 s. */
static inline void keeps_momenta(const nt_system *system, const char *method)
{
    nt_integrator *it = start(system, method, NULL);
    nt_state s = nt_integrator_state(it);
    double before[6];
    momenta(system, &s, before);
    run_to(it, 5, 0.02);
    check_momenta(system, it, before, method);
    nt_integrator_destroy(it);
}

static inline double energy_of(const nt_system *system, const nt_integrator *it)
{
    nt_energy energy = {0};
    nt_state s = nt_integrator_state(it);
    nt_point at = {.t = s.t, .q = s.q, .v = s.v, .vdot = s.vdot, .memory = s.memory};
    assert_int_equal(system->energy(system->self, &at, &energy), NT_OK);
    return energy.kinetic + energy.potential;
}

/* Largest difference of the energy from E at the ends of steps h from t = from h on to t = to h. */
static inline double energy_error(const nt_system *system, nt_integrator *it, double E, double h,
                                  int from, int to)
{
    double most = 0;
    for (int k = from + 1; k <= to; k++) {
        run_to(it, h * k, h);
        most = fmax(most, fabs(energy_of(system, it) - E));
    }
    return most;
}

/* Symplectic: the error of the energy in three times as long after is that of the beginning. */
static inline void check_drift(double E, double early, double late, double seconds,
                               const char *method)
{
    if (!(late < 1.5 * early))
        fail_msg("%s: energy is off by %g of %g within %g s, by %g after", method, early, E,
                 seconds, late);
}

#endif
