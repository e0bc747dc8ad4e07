/* Accelerations near a point where they are known: by its factors, to rounding, and anew where it
 * is too far away. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "method/disk.h"
#include "papers/jay-negrut/problem.h"
#include "system/factors.h"

enum { NV = 6, NC = 3 };

typedef struct solved {
    double vdot[NV], multipliers[NC];
} solved;

static nt_status solve(nt_factors *f, bool again, const nt_point *at, solved *s, nt_effort *effort)
{
    *effort = (nt_effort){.unknown = -1};
    return (again ? nt_factors_reaccelerate : nt_factors_accelerate)(
        f, at, s->vdot, s->multipliers, s->multipliers + f->problem->nh, effort);
}

/* Moved by `distance` from where the factors are made: the difference from accelerations by factors
 * of their own, relative to the largest; how many factorisations it took. */
static double difference(const nt_system *system, const double *q, const double *v, double distance,
                         long *factorisations)
{
    nt_problem *p;
    nt_factors *f;
    nt_error error = {0};
    nt_effort effort;
    double moved_q[7], moved_v[NV], dq[NV], largest = 0, worst = 0;
    solved near = {.vdot = {0}}, exact = {.vdot = {0}};
    assert_int_equal(nt_problem_create(&p, system, NT_INERTIAL, &error), NT_OK);
    assert_int_equal(nt_factors_create(&f, p, NT_SOLVER_AUTO, &error), NT_OK);
    nt_point at = {.q = q, .v = v};
    assert_int_equal(solve(f, false, &at, &near, &effort), NT_OK);
    for (int i = 0; i < p->nv; i++) {
        dq[i] = distance * cos(3.0 * i);
        moved_v[i] = v[i] + distance * sin(2.0 * i + 1);
    }
    nt_space_compose(&p->space, p->frame, q, dq, moved_q);
    nt_point there = {.q = moved_q, .v = moved_v};
    assert_int_equal(solve(f, true, &there, &near, &effort), NT_OK);
    *factorisations = effort.factorisations;
    assert_int_equal(solve(f, false, &there, &exact, &effort), NT_OK);
    for (int i = 0; i < p->nv; i++) {
        largest = fmax(largest, fabs(exact.vdot[i]));
        worst = fmax(worst, fabs(near.vdot[i] - exact.vdot[i]));
    }
    for (int i = 0; i < p->nc; i++) {
        largest = fmax(largest, fabs(exact.multipliers[i]));
        worst = fmax(worst, fabs(near.multipliers[i] - exact.multipliers[i]));
    }
    nt_factors_destroy(f);
    nt_problem_destroy(p);
    return worst / largest;
}

/* A disk that rolls, where they follow from one solve, and equations with nonlinear multipliers. */
static void near_by_and_far_away(void **state)
{
    (void)state;
    static const double rounding = 1e-13, distances[] = {0, 1e-12, 1e-9, 1e-6, 1e-3, 0.3};
    disk d = {.m = 15, .r = 1, .A = 3.75, .C = 7.5, .gravity = 9.81};
    const double q[7] = {0, 0, 1, 0, 0, sqrt(0.5), sqrt(0.5)};
    double v[NV];
    jay_negrut both;
    disk_init(&d);
    disk_roll(&d, q, v3_of(0, 15, 5), v);
    jay_negrut_init(&both);
    for (size_t i = 0; i < sizeof distances / sizeof distances[0]; i++)
        for (int kind = 0; kind < 2; kind++) {
            long factorisations;
            double off = kind ? difference(&both.system, jay_negrut_y0, jay_negrut_z0, distances[i],
                                           &factorisations)
                              : difference(&d.system, q, v, distances[i], &factorisations);
            bool expected = distances[i] > 0.1;
            if (!(off < rounding) || (factorisations > 0) != expected)
                fail_msg("%s, %g away: off by %.3g, %ld factorisations",
                         kind ? "nonlinear" : "disk", distances[i], off, factorisations);
        }
}

/* A first guess of the stages of an explicit method may be absurd, as where a stiff load begins
 * between two of them: the accelerations and forces are those that a guess of zero finds, by the
 * factors at hand and anew. */
static void after_an_absurd_guess(void **state)
{
    (void)state;
    static const double rounding = 1e-13, guesses[] = {1e3, 1e6, 1e9, 1e12, 1e15, 1e100};
    disk d = {.m = 15, .r = 1, .A = 3.75, .C = 7.5, .gravity = 9.81};
    const double q[7] = {0, 0, 1, 0, 0, sqrt(0.5), sqrt(0.5)};
    double v[NV];
    nt_problem *p;
    nt_factors *f;
    nt_error error = {0};
    nt_effort effort;
    solved exact = {.vdot = {0}};
    disk_init(&d);
    disk_roll(&d, q, v3_of(0, 15, 5), v);
    nt_point at = {.q = q, .v = v};
    assert_int_equal(nt_problem_create(&p, &d.system, NT_INERTIAL, &error), NT_OK);
    assert_int_equal(nt_factors_create(&f, p, NT_SOLVER_AUTO, &error), NT_OK);
    assert_int_equal(solve(f, false, &at, &exact, &effort), NT_OK);
    for (size_t k = 0; k < sizeof guesses / sizeof guesses[0]; k++)
        for (int again = 0; again < 2; again++) {
            solved s;
            double largest = 0, worst = 0;
            for (int i = 0; i < NV; i++)
                s.vdot[i] = guesses[k] * cos(3.0 * i);
            for (int i = 0; i < NC; i++)
                s.multipliers[i] = guesses[k] * sin(2.0 * i + 1);
            assert_int_equal(solve(f, again, &at, &s, &effort), NT_OK);
            for (int i = 0; i < NV; i++) {
                largest = fmax(largest, fabs(exact.vdot[i]));
                worst = fmax(worst, fabs(s.vdot[i] - exact.vdot[i]));
            }
            for (int i = 0; i < NC; i++) {
                largest = fmax(largest, fabs(exact.multipliers[i]));
                worst = fmax(worst, fabs(s.multipliers[i] - exact.multipliers[i]));
            }
            if (!(worst <= rounding * largest))
                fail_msg("guess of %g%s: off by %.3g", guesses[k], again ? ", again" : "",
                         worst / largest);
        }
    nt_factors_destroy(f);
    nt_problem_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(near_by_and_far_away),
        cmocka_unit_test(after_an_absurd_guess),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
