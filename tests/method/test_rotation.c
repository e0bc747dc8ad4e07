/* Rotation integrators on one body written by hand: Krysl's slow and fast top, the free body.
 *
 * Figures of the table: Krysl's example with h = 0.1, on which two independent programs agree; the
 * exact values by Taylor series of 34 digits. */
#include "slow_top.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "runs.h"

/* Sums of 1000 steps of rounding: 1e-13 was seen. */
static const double ROUNDING = 1e-11;

static nt_integrator *start_top(slow_top *p, const char *method, const nt_option *options, int n,
                                double spin)
{
    double q[4], W[3];
    nt_integrator_setup setup = setup_of(&p->system, options, n);
    setup.method = nt_method_find(method);
    assert_non_null(setup.method);
    slow_top_start(spin, q, W);
    return begin(&setup, q, W);
}

typedef struct outcome {
    m3 R;
    double energy, momentum; /* largest |E - E0|/E0 and |Lz - Lz0| at any step's end */
    double end;              /* s, where it ended or failed */
} outcome;

static outcome run_top(const char *method, double spin, double h, double duration)
{
    slow_top p;
    slow_top_init(&p);
    nt_integrator *it = start_top(&p, method, NULL, 0, spin);
    nt_state s = nt_integrator_state(it);
    double E = slow_top_energy(&p, s.q, s.v), L = slow_top_momentum(&p, s.q, s.v);
    outcome o = {0};
    long steps = lround(duration / h);
    for (long i = 1; i <= steps; i++) {
        run_to(it, duration * (double)i / (double)steps, h);
        s = nt_integrator_state(it);
        o.energy = fmax(o.energy, fabs(slow_top_energy(&p, s.q, s.v) - E) / E);
        o.momentum = fmax(o.momentum, fabs(slow_top_momentum(&p, s.q, s.v) - L));
    }
    assert_int_equal(nt_integrator_statistics(it)->rejected, 0);
    o.R = quat_matrix(quat_load(s.q));
    o.end = s.t;
    nt_integrator_destroy(it);
    return o;
}

/* |A - B| in Frobenius' norm */
static double apart(m3 A, m3 B)
{
    double d[9], sum = 0;
    m3_store(d, m3_sub(A, B));
    for (int i = 0; i < 9; i++)
        sum += d[i] * d[i];
    return sqrt(sum);
}

/* By an explicit Runge-Kutta method of order eight: nothing in common with what is tested. */
static m3 reference(slow_top *p, double spin, double end)
{
    double q[4], W[3];
    nt_integrator_setup setup = setup_of(&p->system, NULL, 0);
    setup.method = nt_method_find("rkmk-dop853");
    slow_top_start(spin, q, W);
    nt_integrator *it = begin(&setup, q, W);
    run_to(it, end, 5e-3);
    m3 R = quat_matrix(quat_load(nt_integrator_state(it).q));
    nt_integrator_destroy(it);
    return R;
}

/* ---- the slow top --------------------------------------------------------------------------- */

/* Errors and energies are given to their last digit: `digit` is half of it. An energy of 0 means
 * rounding. */
static const struct row {
    const char *method;
    double error, error_digit;   /* |R - R_ref| at t = 2, h = 0.1     */
    double finer, finer_digit;   /* the same at h = 0.00625           */
    double energy, energy_digit; /* to t = 100                        */
    double order;
    double axis[3]; /* R e3 at t = 2, h = 0.1            */
} table[] = {
    {"akw", .393, 5e-4, 1.67e-3, 5e-6, 0, 0, 2, {.514670248033, -.672653697298, .531649827707}},
    {"simo-wong",
     .146,
     5e-4,
     5.7e-4,
     5e-6,
     1.5e-2,
     5e-4,
     2,
     {.592300778776, -.703787147966, .392254302487}},
    {"simo-wong-explicit",
     .233,
     5e-4,
     1.1e-3,
     5e-5,
     58,
     .5,
     2,
     {.759630974294, -.515498176222, .396512815941}},
    {"lie-midpoint",
     2.3e-2,
     5e-4,
     8.8e-5,
     5e-7,
     4.4e-2,
     5e-4,
     2,
     {.662501470550, -.656664472977, .360393634029}},
    {"lie-euler-adjoint",
     .185,
     5e-4,
     1.0e-2,
     5e-4,
     9.2e-2,
     5e-4,
     1,
     {.604665617993, -.637290252037, .477745355891}},
    {"lie-euler",
     .139,
     5e-4,
     9.8e-3,
     5e-5,
     9.2e-2,
     5e-4,
     1,
     {.708403992222, -.646387159623, .283456211219}},
    {"lie-newmark",
     1.8e-2,
     5e-4,
     7.2e-5,
     5e-7,
     6.1e-3,
     5e-5,
     2,
     {.665540201833, -.645225126429, .375154336198}},
};

enum { ROWS = sizeof table / sizeof *table };

static void slow_top_table(void **state)
{
    (void)state;
    static const double exact[3] = {.6684383812108, -.6473115901852, .3663029289211};
    slow_top p;
    slow_top_init(&p);
    m3 R = reference(&p, 5, 2);
    near_number(R.xz, exact[0], 1e-11, "reference", "x");
    near_number(R.yz, exact[1], 1e-11, "reference", "y");
    near_number(R.zz, exact[2], 1e-11, "reference", "z");
    for (int i = 0; i < ROWS; i++) {
        const struct row *row = &table[i];
        outcome coarse = run_top(row->method, 5, 0.1, 2),
                fine = run_top(row->method, 5, 6.25e-3, 2);
        outcome finer = run_top(row->method, 5, 3.125e-3, 2);
        outcome lasting = run_top(row->method, 5, 0.1, 100);
        near_number(coarse.R.xz, row->axis[0], 1e-11, row->method, "x of the axis");
        near_number(coarse.R.yz, row->axis[1], 1e-11, row->method, "y of the axis");
        near_number(coarse.R.zz, row->axis[2], 1e-11, row->method, "z of the axis");
        double error = apart(fine.R, R);
        near_number(apart(coarse.R, R), row->error, row->error_digit, row->method, "error");
        near_number(error, row->finer, row->finer_digit, row->method, "error, finer");
        near_number(log2(error / apart(finer.R, R)), row->order, 0.05, row->method, "order");
        near_number(lasting.energy, row->energy, fmax(row->energy_digit, ROUNDING), row->method,
                    "energy to t = 100");
        near_number(lasting.momentum, 0, ROUNDING, row->method, "momentum to t = 100");
        near_number(lasting.end, 100, 0, row->method, "end");
    }
}

static void compositions_have_their_order(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        double h, order, energy;
    } composed[] = {{"lie-newmark-4", 0.025, 4, 1.4e-5}, {"lie-newmark-6", 0.1, 6, 8.5e-8}};
    slow_top p;
    slow_top_init(&p);
    for (int spin = 5; spin <= 50; spin *= 10) {
        m3 R = reference(&p, spin, 2);
        for (int i = 0; i < 2; i++) {
            double h = composed[i].h / (spin == 5 ? 1 : 2);
            double a = apart(run_top(composed[i].method, spin, h, 2).R, R);
            double b = apart(run_top(composed[i].method, spin, h / 2, 2).R, R);
            near_number(log2(a / b), composed[i].order, 0.15, composed[i].method, "order");
        }
    }
    for (int i = 0; i < 2; i++) { /* no drift: bounded by the value of the first seconds, given to
                                     its last digit, over ten times as long */
        outcome o = run_top(composed[i].method, 5, 0.1, 200);
        near_number(o.energy, composed[i].energy, 0.02 * composed[i].energy, composed[i].method,
                    "energy to t = 200");
        near_number(o.momentum, 0, ROUNDING, composed[i].method, "momentum");
    }
}

/* 50 rad/s: 5 rad per step of 0.1 s. */
static void fast_top(void **state)
{
    (void)state;
    slow_top p;
    slow_top_init(&p);
    m3 R = reference(&p, 50, 2);
    for (int i = 0; i < ROWS; i++) {
        const char *method = table[i].method;
        /* AKW turns by Cayley's map, whose error of the turn itself, (h W)^2/12 of it, needs finer
         * steps; first-order errors show only below h = 1e-3, where those of second order, larger
         * by the spin, have gone */
        double h = table[i].order == 1 ? 2e-4 : 6.25e-4;
        double a = apart(run_top(method, 50, h, 2).R, R);
        double b = apart(run_top(method, 50, h / 2, 2).R, R);
        near_number(log2(a / b), table[i].order, 0.1, method, "order");
        outcome o = run_top(method, 50, 0.1, 10);
        near_number(o.energy, 0, 6e-4, method, "energy");
        near_number(o.momentum, 0, ROUNDING, method, "momentum");
    }
    /* in the picture of the axis the explicit Newmark method is the best of all at this step */
    near_number(run_top("lie-newmark", 50, 0.1, 2).R.xz, R.xz, 5e-3, "lie-newmark", "axis");
}

/* ---- one evaluation per step ---------------------------------------------------------------- */

static void torques_are_evaluated_once(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        long per_step;
    } counts[] = {{"lie-newmark", 1},        {"lie-euler", 1},     {"lie-euler-adjoint", 1},
                  {"simo-wong-explicit", 1}, {"lie-newmark-4", 5}, {"lie-newmark-6", 9}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        slow_top p;
        slow_top_init(&p);
        nt_integrator *it = start_top(&p, counts[i].method, NULL, 0, 5);
        p.evaluations = 0;
        run_to(it, 1, 0.01);
        assert_int_equal(p.evaluations, 100 * counts[i].per_step);
        assert_int_equal(nt_integrator_statistics(it)->evaluations, 100 * counts[i].per_step);
        nt_integrator_destroy(it);
    }
}

/* ---- forwards and back ---------------------------------------------------------------------- */

static void turn_back(nt_integrator *it, double t)
{
    nt_error error = {0};
    double q[4], W[3];
    nt_state s = nt_integrator_state(it);
    memcpy(q, s.q, sizeof q);
    for (int i = 0; i < 3; i++)
        W[i] = -s.v[i];
    if (nt_integrator_start(it, t, q, W, NULL, &error) != NT_OK)
        fail_msg("%s", error.message);
}

/* A symmetric step undoes itself when velocities are reflected; a step and its adjoint undo each
 * other. */
static void symmetric_methods_are_reversible(void **state)
{
    (void)state;
    static const struct {
        const char *there, *back;
        bool returns;
    } pairs[] = {
        {"lie-newmark", "lie-newmark", true},
        {"lie-newmark-4", "lie-newmark-4", true},
        {"lie-newmark-6", "lie-newmark-6", true},
        {"lie-midpoint", "lie-midpoint", true},
        {"akw", "akw", true},
        {"simo-wong", "simo-wong", true},
        {"lie-euler", "lie-euler-adjoint", true},
        {"lie-euler-adjoint", "lie-euler", true},
        {"lie-euler", "lie-euler", false},
        {"simo-wong-explicit", "simo-wong-explicit", false},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        slow_top p;
        slow_top_init(&p);
        double q0[4], W0[3];
        slow_top_start(5, q0, W0);
        nt_integrator *there = start_top(&p, pairs[i].there, NULL, 0, 5);
        nt_integrator *back = start_top(&p, pairs[i].back, NULL, 0, 5);
        run_to(there, 2, 0.1);
        nt_state end = nt_integrator_state(there);
        double q[4], W[3];
        memcpy(q, end.q, sizeof q);
        memcpy(W, end.v, sizeof W);
        nt_error error = {0};
        if (nt_integrator_start(back, 0, q, W, NULL, &error) != NT_OK)
            fail_msg("%s", error.message);
        turn_back(back, 0);
        run_to(back, 2, 0.1);
        nt_state s = nt_integrator_state(back);
        double off = apart(quat_matrix(quat_load(s.q)), quat_matrix(quat_load(q0)));
        for (int k = 0; k < 3; k++)
            off = fmax(off, fabs(s.v[k] + W0[k]));
        /* rounding of forty steps, grown by the motion, and what Newton left; methods that are not
         * symmetric miss by their error */
        if (pairs[i].returns ? !(off < 1e-10) : !(off > 1e-3))
            fail_msg("%s and back by %s: off by %g", pairs[i].there, pairs[i].back, off);
        nt_integrator_destroy(there);
        nt_integrator_destroy(back);
    }
}

/* ---- the free body -------------------------------------------------------------------------- */

static void free_body(void **state)
{
    (void)state;
    static const double W_exact[3] = {.4719139528061542, 1.013556718268332, .6171717153956234};
    static const double q_exact[4] = {.7295978335235393, -.03011763915844035, -.3338122247561304,
                                      -.5961118416309497};
    static const double q0[4] = {1, 0, 0, 0}, W0[3] = {1, .5, .8};
    static const struct {
        const char *method;
        double h, order;
    } rows[] = {{"lie-newmark", .02, 2},  {"lie-midpoint", .02, 2}, {"lie-euler", .02, 2},
                {"simo-wong", .02, 2},    {"akw", .02, 2},          {"simo-wong-explicit", .02, 2},
                {"lie-newmark-4", .1, 4}, {"lie-newmark-6", .4, 6}};
    m3 R = quat_matrix(quat_load(q_exact));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double error[2];
        for (int fine = 0; fine < 2; fine++) {
            slow_top p;
            slow_top_init(&p);
            p.weight = 0;
            p.J[0] = 1, p.J[4] = 2, p.J[8] = 3;
            nt_integrator_setup setup = setup_of(&p.system, NULL, 0);
            setup.method = nt_method_find(rows[i].method);
            nt_integrator *it = begin(&setup, q0, W0);
            run_to(it, 10, rows[i].h / (1 << fine));
            nt_state s = nt_integrator_state(it);
            error[fine] = apart(quat_matrix(quat_load(s.q)), R);
            for (int k = 0; k < 3; k++)
                error[fine] = fmax(error[fine], fabs(s.v[k] - W_exact[k]));
            nt_integrator_destroy(it);
        }
        /* no torque, no difference between the midpoint maps: lie-euler has order two here */
        near_number(log2(error[0] / error[1]), rows[i].order, 0.15, rows[i].method, "order");
        near_number(error[1], 0, 2e-3, rows[i].method, "error");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_top_table),
        cmocka_unit_test(compositions_have_their_order),
        cmocka_unit_test(fast_top),
        cmocka_unit_test(torques_are_evaluated_once),
        cmocka_unit_test(symmetric_methods_are_reversible),
        cmocka_unit_test(free_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
