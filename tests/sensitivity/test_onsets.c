/* Steps of high order end where forces of the motion begin: derivatives across are those of the
 * motion. A body flies against a spring that waits for it, and comes back:
 *
 *   x = 2 a - v (t - pi sqrt(m/k))
 *
 * with the place a at which the spring begins, the speed v and the stiffness k, once it has left.
 */
#include <nutate/method.h>
#include <nutate/sensitivity.h>

#include "run_of.h"

#include <string.h>

#define FLIES                                                                                      \
    "nutate: 1\n"                                                                                  \
    "gravity: [0, 0, 0]\n"                                                                         \
    "parameters: {a: 0.31, v: 2.7, k: 3000}\n"                                                     \
    "bodies: {b: {mass: 1.3, inertia: [1, 1, 1], position: [0, 0, 0], velocity: [v, 0, 0]}}\n"

#define RAIL(more)                                                                                 \
    "joints: {rail: {type: prismatic, between: [ground, b], at: [0, 0, 0], axis: [1, 0, 0]" more   \
    "}}\n"

#define FORCE(text) FLIES RAIL("") "forces: {s: {" text "}}\n"

#define ENDS "between: [ground, b], at: [[-1, 0, 0], [0, 0, 0]]"

static const char *const texts[] = {
    FLIES RAIL(", limits: {upper: a, stiffness: k}"),
    FLIES RAIL(", limits: {lower: -5, upper: a, stiffness: k}"),
    FORCE("type: spring, " ENDS ", limits: {upper: 1 + a, stiffness: k}"),
    FORCE("type: spring, " ENDS ", stiffness: k, length: 1 + a, only: tension"),
    FORCE("type: spring, " ENDS ", stiffness: k, length: 1, preload: -k*a, only: tension"),
    FORCE("type: joint_spring, joint: rail, stiffness: k, displacement: a, only: tension"),
    FORCE("type: rope, through: [[ground, [-1, 0, 0]], [b, [0, 0, 0]]], length: 1 + a, "
          "stiffness: k"),
    FLIES RAIL("") "contacts: {c: {type: sphere_plane, between: [ground, b], radius: 0.1, "
                   "plane: {normal: [-1, 0, 0], point: [a + 0.1, 0, 0]}, stiffness: k, "
                   "exponent: 1}}\n",
};

enum { PLACE, SPEED, STIFFNESS, PARAMETERS };
static const double A = 0.31, V = 2.7, K = 3000, M = 1.3, END = 1, PI = 3.14159265358979323846;

static void by_hand(double *x, double d[PARAMETERS])
{
    double turn = PI * sqrt(M / K);
    *x = 2 * A - V * (END - turn);
    d[PLACE] = 2;
    d[SPEED] = turn - END;
    d[STIFFNESS] = -V * turn / (2 * K);
}

static nt_statistics fly(const char *text, const char *method, double tolerance, double *x,
                         double d[PARAMETERS])
{
    static const int wanted[] = {PLACE, SPEED, STIFFNESS};
    run_of r = run_of_text(text, NULL);
    run_of_start(&r,
                 (nt_integrator_setup){.method = nt_method_find(method),
                                       .tolerance = {tolerance, tolerance, tolerance, tolerance}},
                 wanted, PARAMETERS);
    run_to(&r, END, 1e-2);
    assert_true(nt_integrator_ends_at_onsets(r.integrator) ==
                (strncmp(method, "rkmk", 4) == 0 && tolerance > 0));
    *x = nt_integrator_state(r.integrator).q[0];
    for (int k = 0; k < PARAMETERS; k++)
        d[k] = nt_sensitivity_state(r.sensitivity, k).q[0];
    nt_statistics statistics = *nt_integrator_statistics(r.integrator);
    end(&r);
    return statistics;
}

static void derivatives_are_those_of_the_motion(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        double tolerance, off; /* of the derivatives: what the tolerance leaves of smooth motions */
    } rows[] = {{"rkmk-dop853", 1e-10, 2e-8}, {"rkmk-dopri5", 1e-8, 2e-5}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
            double x, exact, d[PARAMETERS], by[PARAMETERS];
            by_hand(&exact, by);
            fly(texts[i], rows[r].method, rows[r].tolerance, &x, d);
            if (!(fabs(x - exact) < 100 * rows[r].tolerance))
                fail_msg("%zu, %s: x %.12g, by hand %.12g", i, rows[r].method, x, exact);
            for (int k = 0; k < PARAMETERS; k++)
                if (!(fabs(d[k] - by[k]) < rows[r].off * fabs(by[k])))
                    fail_msg("%zu, %s: derivative %d is %.12g, by hand %.12g", i, rows[r].method, k,
                             d[k], by[k]);
        }
}

/* Force and power of a stop that damps begin with a slope, too: the work against differences of
 * runs, and the energy, which is the start's and the work. */
static void work_begins_there_too(void **state)
{
    (void)state;
    static const char text[] =
        FLIES RAIL(", limits: {upper: a, stiffness: k, damping: 25}, friction: {viscous: 2}");
    static const int wanted[] = {PLACE, SPEED, STIFFNESS};
    static const double size[PARAMETERS] = {0.31, 2.7, 3000};
    nt_integrator_setup setup = {.method = nt_method_find("rkmk-dop853"),
                                 .tolerance = {1e-12, 1e-12, 1e-12, 1e-12},
                                 .track_work = 1};
    run_of r = run_of_text(text, NULL);
    run_of_start(&r, setup, wanted, PARAMETERS);
    run_to(&r, END, 1e-2);
    for (int k = 0; k < PARAMETERS; k++) {
        double p[PARAMETERS], work[2], h = 1e-4 * size[k];
        for (int side = 0; side < 2; side++) {
            memcpy(p, size, sizeof p);
            p[k] += side ? h : -h;
            run_of beside = run_of_text(text, p);
            run_of_start(&beside, setup, NULL, 0);
            run_to(&beside, END, 1e-2);
            work[side] = nt_integrator_state(beside.integrator).work;
            end(&beside);
        }
        double difference = (work[1] - work[0]) / (2 * h);
        double d = nt_sensitivity_state(r.sensitivity, k).work;
        if (!(fabs(d - difference) < 1e-7 * fabs(work[0] / size[k])))
            fail_msg("parameter %d: %.12g, by differences %.12g", k, d, difference);
    }
    end(&r);
}

/* Runs without derivatives take the same steps, and few. */
static void runs_without_derivatives_take_the_same_steps(void **state)
{
    (void)state;
    const int none = 0;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        double with, d[PARAMETERS];
        nt_statistics of = fly(texts[i], "rkmk-dop853", 1e-10, &with, d);
        run_of r = run_of_text(texts[i], NULL);
        run_of_start(&r,
                     (nt_integrator_setup){.method = nt_method_find("rkmk-dop853"),
                                           .tolerance = {1e-10, 1e-10, 1e-10, 1e-10}},
                     &none, 0);
        run_to(&r, END, 1e-2);
        nt_statistics alone = *nt_integrator_statistics(r.integrator);
        assert_true(nt_integrator_state(r.integrator).q[0] == with);
        assert_true(alone.steps == of.steps && alone.rejected == of.rejected);
        if (alone.steps + alone.rejected > 50) /* across: 70 steps, 35 of them rejected */
            fail_msg("%zu: %ld steps, %ld rejected", i, (long)alone.steps, (long)alone.rejected);
        end(&r);
    }
}

/* A body that only touches the place, or stays there by rounding, is not held up. */
static void what_grazes_passes(void **state)
{
    (void)state;
    static const char *const grazes[] = {
        /* thrown up against gravity, it turns at 1e-9 m beyond the stop */
        "nutate: 1\n"
        "gravity: [-10, 0, 0]\n"
        "parameters: {a: 0.2, v: 2, k: 3000}\n"
        "bodies: {b: {mass: 1.3, inertia: [1, 1, 1], position: [0, 0, 0], velocity: [v, 0, "
        "0]}}\n" RAIL(", limits: {upper: \"a - 1e-9\", stiffness: k}"),
        /* a rope along a rigid rod */
        "nutate: 1\n"
        "gravity: [0, 0, -10]\n"
        "parameters: {a: 0.2, v: 2, k: 3000}\n"
        "bodies: {b: {mass: 1.3, inertia: [1, 1, 1], position: [1, 0, 0], velocity: [0, v, 0]}}\n"
        "joints: {rod: {type: distance, between: [ground, b], points: [[0, 0, 0], [0, 0, 0]]}}\n"
        "forces: {r: {type: rope, through: [[ground, [0, 0, 0]], [b, [1, 0, 0]]], "
        "stiffness: 3000}}\n",
    };
    for (size_t i = 0; i < sizeof grazes / sizeof grazes[0]; i++) {
        double x, d[PARAMETERS];
        nt_statistics of = fly(grazes[i], "rkmk-dop853", 1e-10, &x, d);
        if (of.steps + of.rejected > 300)
            fail_msg("%zu: %ld steps, %ld rejected", i, (long)of.steps, (long)of.rejected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_begins_there_too),
        cmocka_unit_test(runs_without_derivatives_take_the_same_steps),
        cmocka_unit_test(what_grazes_passes),
        cmocka_unit_test(derivatives_are_those_of_the_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
