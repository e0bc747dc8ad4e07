/* Constraint rows switched on and off during a run: a pendulum that is let go flies a parabola. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "linalg/solver.h"
#include "method/integrator.h"

#include "first_order.h"
#include "problems.h"
#include "runs.h"

#include <nutate/sensitivity.h>

/* Methods that take constraints, and whether constant acceleration is exact in them. */
static const struct flight {
    const char *method;
    double error; /* of the parabola */
} flights[] = {
    {"generalized-alpha", 1e-12},
    {"generalized-alpha-linear", 1e-12},
    {"generalized-alpha-residual", 1e-12},
    {"generalized-alpha-soi2", 1e-12},
    {"rkmk-dopri5", 1e-12},
    {"rkmk-dop853", 1e-12},
    {"semi-explicit", 1e-12},
    {"theta", 1e-12},
    {"bdf", 1e-5},
};
enum { FLIGHTS = sizeof flights / sizeof *flights };

static const int rod[1] = {0};
static const double RELEASE = 1, FLOWN = 0.5;

static nt_integrator *swing(const char *method)
{
    const problem *p = &open_problems()[PENDULUM];
    nt_integrator_setup setup = {.system = p->system, .method = nt_method_find(method)};
    nt_integrator *it = begin(&setup, p->q, p->v);
    run_to(it, RELEASE, 0.01);
    return it;
}

static void let_go(nt_integrator *it)
{
    nt_error error = {0};
    if (nt_integrator_switch_rows(it, rod, 1, 0, &error) != NT_OK)
        fail_msg("%s", error.message);
    assert_false(nt_integrator_row_is_on(it, 0));
}

static void released_it_flies_a_parabola(void **unused)
{
    (void)unused;
    for (int i = 0; i < FLIGHTS; i++) {
        const char *method = flights[i].method;
        nt_integrator *it = swing(method);
        assert_true(nt_integrator_row_is_on(it, 0));
        let_go(it);
        nt_state at = nt_integrator_state(it);
        near_number(at.lambda[0], 0, 0, method, "force of the rod");
        near_number(at.vdot[0], 0, 1e-14, method, "acceleration along x");
        near_number(at.vdot[1], -1, 1e-14, method, "acceleration along y");
        assert_int_equal(nt_integrator_redundant(it, NULL, 0), 0);
        double q[2] = {at.q[0], at.q[1]}, v[2] = {at.v[0], at.v[1]}, t = FLOWN, reaction[1];
        run_to(it, RELEASE + FLOWN, 0.01);
        at = nt_integrator_state(it);
        double bound = flights[i].error;
        near_number(at.q[0], q[0] + v[0] * t, bound, method, "x");
        near_number(at.q[1], q[1] + v[1] * t - t * t / 2, bound, method, "y");
        near_number(at.v[1], v[1] - t, bound, method, "y'");
        near_number(at.lambda[0], 0, 0, method, "force of the rod");
        assert_int_equal(nt_integrator_reactions(it, &at, 1, reaction, NULL), NT_OK);
        near_number(reaction[0], 0, 0, method, "reaction of the rod");
        nt_integrator_destroy(it);
    }
}

/* Where the rod does not fit it is refused, and the flight goes on with the same bits. */
static void a_row_that_is_not_met_is_refused(void **unused)
{
    (void)unused;
    for (int i = 0; i < FLIGHTS; i++) {
        nt_integrator *it = swing(flights[i].method), *other = swing(flights[i].method);
        let_go(it);
        let_go(other);
        run_to(it, RELEASE + 0.2, 0.01);
        run_to(other, RELEASE + 0.2, 0.01);
        nt_error error = {0};
        assert_int_equal(nt_integrator_switch_rows(it, rod, 1, 1, &error), NT_INCONSISTENT);
        assert_non_null(strstr(error.message, "cannot be switched on: its position is off by"));
        assert_false(nt_integrator_row_is_on(it, 0));
        run_to(it, RELEASE + 0.4, 0.01);
        run_to(other, RELEASE + 0.4, 0.01);
        assert_memory_equal(nt_integrator_state(it).q, nt_integrator_state(other).q,
                            2 * sizeof(double));
        nt_integrator_destroy(it);
        nt_integrator_destroy(other);
    }
}

/* Let go and held again at once the force is as it was, and the pendulum swings on. */
static void held_again_it_swings_on(void **unused)
{
    (void)unused;
    for (int i = 0; i < FLIGHTS; i++) {
        const char *method = flights[i].method;
        const problem *p = &open_problems()[PENDULUM];
        const double v[2] = {0, -0.7};
        nt_integrator_setup setup = {.system = p->system, .method = nt_method_find(method)};
        nt_integrator *it = begin(&setup, p->q, v), *plain = begin(&setup, p->q, v);
        nt_error error = {0};
        double force = nt_integrator_state(plain).lambda[0];
        let_go(it);
        if (nt_integrator_switch_rows(it, rod, 1, 1, &error) != NT_OK)
            fail_msg("%s: %s", method, error.message);
        near_number(force, 0.49, 1e-12, method, "force");
        near_number(nt_integrator_state(it).lambda[0], force, 1e-14, method, "force");
        run_to(it, FLOWN, 0.01);
        run_to(plain, FLOWN, 0.01);
        for (int k = 0; k < 2; k++)
            near_number(nt_integrator_state(it).q[k], nt_integrator_state(plain).q[k], 1e-9, method,
                        "position");
        near_number(hypot(nt_integrator_state(it).q[0], nt_integrator_state(it).q[1]), 1, 1e-8,
                    method, "length of the rod");
        nt_integrator_destroy(it);
        nt_integrator_destroy(plain);
    }
}

/* In flight, with the rod off from before the start on, to where it fits: there it is taken up. */
static void a_row_is_taken_up_where_it_fits(void **unused)
{
    (void)unused;
    for (int i = 0; i < FLIGHTS; i++) {
        const problem *p = &open_problems()[PENDULUM];
        const double q[2] = {0, -1}, v[2] = {0.5, 0};
        nt_integrator_setup setup = {.system = p->system,
                                     .method = nt_method_find(flights[i].method)};
        nt_integrator *it;
        nt_error error = {0};
        assert_int_equal(nt_integrator_create(&it, &setup, &error), NT_OK);
        let_go(it);
        const double off[2] = {0.3, 0.4};
        assert_int_equal(nt_integrator_start(it, 0, off, v, NULL, &error), NT_OK);
        assert_false(nt_integrator_row_is_on(it, 0));
        near_number(nt_integrator_state(it).vdot[1], -1, 1e-14, flights[i].method, "fall");
        assert_int_equal(nt_integrator_start(it, 0, q, v, NULL, &error), NT_OK);
        assert_int_equal(nt_integrator_switch_rows(it, rod, 1, 1, &error), NT_OK);
        near_number(nt_integrator_state(it).lambda[0], 1.25, 1e-13, flights[i].method, "force");
        nt_integrator_destroy(it);
    }
}

/* Which rows are off is part of a saved state. */
static void saved_states_know_what_is_off(void **unused)
{
    (void)unused;
    for (int i = 0; i < FLIGHTS; i++) {
        nt_integrator *it = swing(flights[i].method), *other = swing(flights[i].method);
        nt_error error = {0};
        let_go(it);
        size_t size = nt_integrator_saved_size(it);
        void *bytes = malloc(size);
        assert_non_null(bytes);
        nt_integrator_save(it, bytes);
        assert_int_equal(nt_integrator_restore(other, bytes, size, &error), NT_OK);
        assert_false(nt_integrator_row_is_on(other, 0));
        run_to(it, RELEASE + FLOWN, 0.01);
        run_to(other, RELEASE + FLOWN, 0.01);
        assert_memory_equal(nt_integrator_state(it).q, nt_integrator_state(other).q,
                            2 * sizeof(double));
        nt_integrator_destroy(it);
        nt_integrator_destroy(other);
        free(bytes);
    }
}

/* A state whose row that is off does not exist is refused and changes nothing. */
static void rows_that_do_not_exist_are_refused(void **unused)
{
    (void)unused;
    nt_integrator *it = swing("generalized-alpha");
    nt_error error = {0};
    let_go(it);
    size_t size = nt_integrator_saved_size(it);
    char *state = malloc(size), *same = malloc(size);
    assert_non_null(state);
    assert_non_null(same);
    nt_integrator_save(it, state);
    const int wrong = 7;
    memcpy(state + size - nt_solver_saved_size(it->factors->solver) - sizeof wrong, &wrong,
           sizeof wrong);
    nt_integrator_save(it, same);
    assert_int_equal(nt_integrator_restore(it, state, size, &error), NT_INVALID);
    assert_non_null(strstr(error.message, "rows off that the system does not have"));
    nt_integrator_save(it, state);
    assert_memory_equal(state, same, size);
    free(state);
    free(same);
    nt_integrator_destroy(it);
}

/* Of two constraints of different kinds either may go; rows that do not exist are refused. */
static void one_of_several_rows(void **unused)
{
    (void)unused;
    const problem *p = &open_problems()[DISK];
    const int sideways[2] = {2, 1}, none[1] = {3};
    nt_integrator_setup setup = {.system = p->system, .method = nt_method_find("rkmk-dopri5")};
    nt_integrator *it = begin(&setup, p->q, p->v);
    nt_error error = {0};
    assert_int_equal(nt_integrator_switch_rows(it, none, 1, 0, &error), NT_INVALID);
    assert_non_null(strstr(error.message, "there is no constraint row 3, expected 0 to 2"));
    assert_int_equal(nt_integrator_switch_rows(it, sideways, 2, 0, &error), NT_OK);
    assert_true(nt_integrator_row_is_on(it, 0));
    assert_false(nt_integrator_row_is_on(it, 1));
    assert_false(nt_integrator_row_is_on(it, 2));
    double v[2] = {nt_integrator_state(it).v[0], nt_integrator_state(it).v[1]};
    run_to(it, 0.2, 0.01); /* on ice: nothing pushes it sideways */
    near_number(nt_integrator_state(it).v[0], v[0], 1e-12, "rolling disk", "x'");
    near_number(nt_integrator_state(it).v[1], v[1], 1e-12, "rolling disk", "y'");
    double position, velocity;
    assert_int_equal(nt_integrator_drift(it, &position, &velocity), NT_OK);
    near_number(position, 0, 1e-13, "rolling disk", "drift of the row that is on");
    nt_integrator_destroy(it);
}

/* A jump of accelerations has no place in sensitivities that are carried along. */
static void not_under_sensitivities(void **unused)
{
    (void)unused;
    first_order s;
    first_order_init(&s, true);
    const int parameter = 0;
    nt_integrator_setup setup = {
        .system = &s.system, .method = nt_method_find("generalized-alpha"), .frame = NT_BODY};
    nt_integrator *it = begin(&setup, NULL, NULL);
    nt_sensitivity *varied;
    nt_error error = {0};
    assert_int_equal(nt_sensitivity_create(&varied, it, &parameter, 1, &error), NT_OK);
    assert_int_equal(nt_integrator_switch_rows(it, rod, 1, 0, &error), NT_UNSUPPORTED);
    assert_non_null(strstr(error.message, "sensitivities are carried along"));
    assert_true(nt_integrator_row_is_on(it, 0));
    nt_sensitivity_destroy(varied);
    nt_integrator_destroy(it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(released_it_flies_a_parabola),
        cmocka_unit_test(a_row_that_is_not_met_is_refused),
        cmocka_unit_test(held_again_it_swings_on),
        cmocka_unit_test(a_row_is_taken_up_where_it_fits),
        cmocka_unit_test(saved_states_know_what_is_off),
        cmocka_unit_test(rows_that_do_not_exist_are_refused),
        cmocka_unit_test(one_of_several_rows),
        cmocka_unit_test(not_under_sensitivities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
