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

#include <math.h>
#include <stdio.h>
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
                ((strncmp(method, "rkmk", 4) == 0 && tolerance > 0) || strcmp(method, "bdf") == 0));
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
        double places;         /* in units of the tolerance: of x */
    } rows[] = {{"rkmk-dop853", 1e-10, 2e-8, 100},
                {"rkmk-dopri5", 1e-8, 2e-5, 100},
                {"bdf", 1e-8, 1e-4, 500},
                {"bdf", 1e-10, 3e-6, 500}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
            double x, exact, d[PARAMETERS], by[PARAMETERS];
            by_hand(&exact, by);
            fly(texts[i], rows[r].method, rows[r].tolerance, &x, d);
            if (!(fabs(x - exact) < rows[r].places * rows[r].tolerance))
                fail_msg("%zu, %s: x %.12g, by hand %.12g", i, rows[r].method, x, exact);
            for (int k = 0; k < PARAMETERS; k++)
                if (!(fabs(d[k] - by[k]) < rows[r].off * fabs(by[k])))
                    fail_msg("%zu, %s: derivative %d is %.12g, by hand %.12g", i, rows[r].method, k,
                             d[k], by[k]);
        }
}

/* ---- against runs beside ------------------------------------------------------------------- */

static const nt_integrator_setup tight = {.tolerance = {1e-12, 1e-12, 1e-12, 1e-12},
                                          .track_work = 1};

/* A run to `to` s: q and the work; with derivatives in the parameters wanted[n], at p. */
static run_of run_tight(const char *text, const double *p, const int *wanted, int n, double to)
{
    nt_integrator_setup setup = tight;
    setup.method = nt_method_find("rkmk-dop853");
    run_of r = run_of_text(text, p);
    run_of_start(&r, setup, wanted, n);
    run_to(&r, to, 1e-2);
    return r;
}

/* Derivatives of q and of the work by parameters of these sizes are those of runs beside, but for
 * `off` of the largest, or of the work over the parameter. Returns the steps. */
static long agrees_with_runs_beside(const char *text, const double *size, int n, double to,
                                    double off)
{
    enum { MOST_Q = 32, MOST_PARAMETERS = 5 };
    static const int wanted[MOST_PARAMETERS] = {0, 1, 2, 3, 4};
    static const double weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    static const int place[4] = {-2, -1, 1, 2};
    run_of r = run_tight(text, NULL, wanted, n, to);
    int nq = nt_run_system(r.run)->space.nv, first = nq < MOST_Q ? nq : MOST_Q;
    double work = nt_integrator_state(r.integrator).work;
    for (int k = 0; k < n; k++) {
        double by[MOST_Q] = {0}, by_work = 0, h = 1e-4 * size[k], largest = 0;
        for (int j = 0; j < 4; j++) {
            double p[MOST_PARAMETERS];
            memcpy(p, size, (size_t)n * sizeof *p);
            p[k] += place[j] * h;
            run_of beside = run_tight(text, p, NULL, 0, to);
            nt_state at = nt_integrator_state(beside.integrator);
            for (int i = 0; i < first; i++)
                by[i] += weight[j] / h * at.v[i];
            by_work += weight[j] / h * at.work;
            end(&beside);
        }
        nt_state_tangent d = nt_sensitivity_state(r.sensitivity, k);
        for (int i = 0; i < first; i++) /* or the speed itself over the parameter */
            largest = fmax(
                largest, fmax(fabs(by[i]), fabs(nt_integrator_state(r.integrator).v[i] / size[k])));
        for (int i = 0; i < first; i++)
            if (!(fabs(d.v[i] - by[i]) < off * largest))
                fail_msg("parameter %d: d(v[%d]) is %.12g, by runs beside %.12g", k, i, d.v[i],
                         by[i]);
        if (!(fabs(d.work - by_work) < off * fmax(fabs(by_work), fabs(work / size[k]))))
            fail_msg("parameter %d: d(work) is %.12g, by runs beside %.12g", k, d.work, by_work);
    }
    long steps = (long)nt_integrator_statistics(r.integrator)->steps;
    end(&r);
    return steps;
}

/* What damps there begins with a slope, too, and its power. */
#define CONTACT                                                                                    \
    "contacts: {c: {type: sphere_plane, between: [ground, b], radius: 0.1, "                       \
    "plane: {normal: [-1, 0, 0], point: [a + 0.1, 0, 0]}, stiffness: k, exponent: 1, "             \
    "damping: 0.3}}\n"
#define LOAD(value) "forces: {f: {type: joint_force, joint: rail, value: \"" value "\"}}\n"

static const char *const damped[] = {
    FLIES RAIL(", limits: {upper: a, stiffness: k, damping: 25}, friction: {viscous: 2}"),
    FLIES RAIL("") CONTACT,
    FLIES RAIL("") LOAD("-k*max(0, rail.displacement - a)*(1 + rail.rate)"),
    FLIES RAIL("")
        LOAD("-k*(abs(rail.displacement - a) + rail.displacement - a)/2*(1 + 0.3*rail.rate)"),
    FLIES RAIL("") "quantities: {g: \"max(0, rail.displacement - a)\"}\n" LOAD(
        "-k*g*(1 + 0.3*rail.rate)"),
};

static void work_begins_there_too(void **state)
{
    (void)state;
    static const double size[PARAMETERS] = {0.31, 2.7, 3000};
    for (size_t i = 0; i < sizeof damped / sizeof damped[0]; i++)
        agrees_with_runs_beside(damped[i], size, PARAMETERS, END, 1e-8);
}

/* 10 km away the place is met to rounding of 2e-12 m. */
static void places_far_away_are_met(void **state)
{
    (void)state;
    static const char text[] =
        "nutate: 1\n"
        "gravity: [0, 0, 0]\n"
        "parameters: {a: 0.31, v: 2.7, k: 3000}\n"
        "bodies: {b: {mass: 1.3, inertia: [1, 1, 1], position: [1e4, 0, 0], velocity: [v, 0, 0]}}\n"
        "forces: {s: {type: spring, between: [ground, b], at: [[9999, 0, 0], [1e4, 0, 0]], "
        "stiffness: k, length: 1 + a, only: tension}}\n";
    double x, exact, d[PARAMETERS], by[PARAMETERS];
    by_hand(&exact, by);
    fly(text, "rkmk-dop853", 1e-10, &x, d);
    for (int k = 0; k < PARAMETERS; k++)
        if (!(fabs(d[k] - by[k]) < 1e-5 * fabs(by[k])))
            fail_msg("derivative %d is %.12g, by hand %.12g", k, d[k], by[k]);
}

/* Segments go slack and taut, nodes meet the bed and leave it. */
static void cables_go_slack(void **state)
{
    (void)state;
    static const char *const texts_of_cables[] = {
        "", ", seabed: {height: h, stiffness: 2000, friction: 0.3}",
        ", seabed: {height: h, stiffness: 2000, damping: 60, friction: 0.3}"};
    static const double size[] = {1.05, 2000, 1.2, 2e-3, -0.14};
    for (int i = 0; i < 3; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "nutate: 1\n"
                 "parameters: {L: 1.05, EA: 2000, v: 1.2, mu: 2e-3, h: -0.14}\n"
                 "bodies: {b: {mass: 2.3, point: true, position: [1, 0, 0], velocity: [0, 0, v]}}\n"
                 "cables: {c: {between: [ground, b], at: [[0, 0, 0], [1, 0, 0]], length: L, "
                 "mass: 0.3, stiffness: EA, damping: mu, elements: 3%s}}\n",
                 texts_of_cables[i]);
        agrees_with_runs_beside(text, size, i == 0 ? 4 : 5, 0.1, 1e-5);
    }
}

/* A long table with one bend, and one that repeats itself. */
static void tables_bend(void **state)
{
    (void)state;
    static const double size[] = {2.7, 300};
    FILE *file = fopen("bent.csv", "w");
    assert_non_null(file);
    for (int i = 0; i <= 400; i++)
        fprintf(file, "%.2f, %.2f\n", i / 100.0, i < 131 ? 0 : (i - 131) / 100.0);
    fclose(file);
    file = fopen("saw.csv", "w");
    assert_non_null(file);
    fprintf(file, "0, 0\n0.1, 0.03\n0.25, -0.03\n0.3, 0\n");
    fclose(file);
    static const char *const forms[] = {"bent.csv, interpolation: linear, beyond: extrapolate",
                                        "saw.csv, interpolation: linear, beyond: periodic"};
    static const int most[] = {60, 300}; /* across: 70 and 800, most of them made again */
    for (int i = 0; i < 2; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "nutate: 1\n"
                 "gravity: [0, 0, 0]\n"
                 "parameters: {v: 2.7, k: 300}\n"
                 "bodies: {b: {mass: 1.3, inertia: [1, 1, 1], position: [0, 0, 0], "
                 "velocity: [v, 0, 0]}}\n" RAIL("") "tables: {T: {file: %s}}\n" LOAD(
                     "-k*table(T, rail.displacement + 1)*(1 + 0.03*rail.rate)"),
                 forms[i]);
        assert_true(agrees_with_runs_beside(text, size, 2, 1.3, 1e-6) < most[i]);
    }
}

/* At the points of cubics the second or third derivative of a load jumps. */
static void tables_of_cubics_bend_less(void **state)
{
    (void)state;
    static const double size[] = {1.3, 40};
    static const char *const forms[] = {"monotone", "spline", "spline, beyond: extrapolate"};
    FILE *file = fopen("curve.csv", "w");
    assert_non_null(file);
    fputs("-1, 0\n-0.75, 0.3\n-0.5, 0.9\n-0.25, 1\n0, 0.2\n0.25, -0.4\n0.5, -0.1\n"
          "0.75, 0.3\n1, 0\n",
          file);
    fclose(file);
    for (int i = 0; i < 3; i++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "nutate: 1\n"
            "gravity: [0, 0, 0]\n"
            "parameters: {v: 1.3, k: 40}\n"
            "bodies: {b: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], velocity: "
            "[v, 0, 0]}}\n"
            "tables: {T: {file: curve.csv, interpolation: %s}}\n" RAIL("") LOAD(
                "(6*table(T, 6*rail.displacement) - k*rail.displacement)*(1 + 0.03*rail.rate)"),
            forms[i]);
        agrees_with_runs_beside(text, size, 2, 1.3, 1e-7);
    }
}

/* What a sampler holds does not bend between samples. */
static void sampled_laws_do_not_bend(void **state)
{
    (void)state;
    static const char text[] =
        FLIES RAIL("") "sampled: {s: {every: 1e-2, values: {u: \"-k*max(0, rail.displacement - "
                       "a)\"}}}\n" LOAD("u");
    run_of r = run_of_text(text, NULL);
    assert_int_equal(nt_run_system(r.run)->n_onsets, 0);
    end(&r);
}

/* Steps that are cut short are not those that the error asks for. */
static void cut_steps_are_not_the_smallest(void **state)
{
    (void)state;
    double x, d[PARAMETERS];
    nt_statistics of = fly(texts[0], "rkmk-dop853", 1e-10, &x, d);
    assert_true(of.smallest_step > 1e-5);
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

/* Far from the origin places are rounded by more than differences that suit the origin move them.
 * A damped spring, and a sphere that lands and is stopped by friction, do the work that they do
 * there. */
static void work_far_away_has_derivatives(void **state)
{
    static const int wanted[2] = {0, 1};
    static const double far[] = {0, 1e4, 1e6};
    static const double off[2][3] = {{0, 1e-6, 1e-5}, {0, 1e-4, 3e-3}};
    (void)state;
    for (int law = 0; law < 2; law++) {
        double d[2][2] = {{0}};
        for (int i = 0; i < 3; i++) {
            char text[1000], acts[400];
            double x = far[i];
            if (law == 0)
                snprintf(acts, sizeof acts,
                         "forces: {s: {type: spring, between: [ground, b], at: [[%.1f, 0, %.1f], "
                         "[%.1f, 0, %.1f]], stiffness: 400, damping: c, length: 1, only: "
                         "compression}}\n",
                         x, x - 1, x, x + 0.5);
            else
                snprintf(acts, sizeof acts,
                         "contacts: {s: {type: sphere_plane, between: [ground, b], radius: 0.2, "
                         "plane: {point: [%.1f, 0, %.1f], normal: [0, 0, 1]}, stiffness: 2000, "
                         "damping: c, friction: "
                         "{coefficient: 0.3, slip: 0.01}}}\n",
                         x, x);
            snprintf(text, sizeof text,
                     "nutate: 1\n"
                     "gravity: [0, 0, -9.81]\n"
                     "parameters: {v: 2, c: 3}\n"
                     "bodies: {b: {mass: 1.5, inertia: [0.1, 0.1, 0.1], position: [%.1f, 0, %.1f], "
                     "velocity: [%.1f, 0, -v]}}\n"
                     "%s",
                     x, x + 0.5, 0.7 * law, acts);
            run_of r = run_of_text(text, NULL);
            run_of_start(
                &r, (nt_integrator_setup){.method = nt_method_find("rkmk-dop853"), .track_work = 1},
                wanted, 2);
            run_to(&r, 0.6, 2e-3);
            for (int k = 0; k < 2; k++) {
                d[i > 0][k] = nt_sensitivity_state(r.sensitivity, k).work;
                if (i > 0)
                    CLOSE(d[1][k], d[0][k], off[law][i]);
            }
            end(&r);
        }
    }
}

/* A bump stop as it is written: what bends where it begins and what jumps there change in one
 * instant, so that derivatives are those of one choice of both. Steps of bdf end where a load bends
 * and choose others then, so that its tolerance is to be far below. */
static void bends_beside_jumps_change_with_them(void **state)
{
    static const char *const laws[] = {
        "if(b.position.x > a, -k*(b.position.x - a) - c*b.velocity.x, 0)",
        "-k*max(0, b.position.x - a) - c*b.velocity.x*(b.position.x > a)",
        "-k*max(b.position.x - a, 0) - c*b.velocity.x*(a - b.position.x < 0)",
        "k*min(0, a - b.position.x) - c*b.velocity.x*heaviside(b.position.x - a)",
        "k*(a - clamp(b.position.x, a, 2)) - (a <= b.position.x)*c*b.velocity.x",
        "-k*max(0, abs(b.position.x) - a)*sign(b.position.x) - c*b.velocity.x*(abs(b.position.x) "
        "> a)",
        "-k*(b.position.x - clamp(b.position.x, -0.31, 0.31)) - c*b.velocity.x*(b.position.x > "
        "0.31)",
    };
    static const char *const methods[] = {"rkmk-dop853", "generalized-alpha", "bdf"};
    static const int wanted[3] = {0, 1, 2};
    (void)state;
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
        double one[3][2], tol = strcmp(methods[m], "bdf") == 0 ? 1e-12 : 0;
        for (size_t i = 0; i < sizeof laws / sizeof laws[0]; i++) {
            char text[1000];
            snprintf(text, sizeof text,
                     "nutate: 1\n"
                     "gravity: [0, 0, 0]\n"
                     "parameters: {a: 0.31, v: 2.7, k: 3000, c: 9}\n"
                     "bodies: {b: {mass: 1.3, inertia: [1, 1, 1], position: [0, 0, 0], velocity: "
                     "[v, 0, 0]}}\n"
                     "forces: {s: {type: force, on: b, value: ['%s', 0, 0]}}\n",
                     laws[i]);
            run_of r = run_of_text(text, NULL);
            run_of_start(&r,
                         (nt_integrator_setup){.method = nt_method_find(methods[m]),
                                               .tolerance = {tol, tol, tol, tol}},
                         wanted, 3);
            run_to(&r, 0.3, 2e-3);
            for (int k = strstr(laws[i], "-0.31") ? 1 : 0; k < 3; k++) { /* without a */
                nt_state_tangent d = nt_sensitivity_state(r.sensitivity, k);
                double size = i == 0 ? 1 : fmax(fabs(one[k][0]), fabs(one[k][1]));
                if (i == 0)
                    one[k][0] = d.q[0], one[k][1] = d.v[0];
                CLOSE(d.q[0], one[k][0], 1e-9 * size);
                CLOSE(d.v[0], one[k][1], 1e-9 * size);
            }
            end(&r);
        }
    }
}

/* What a load reads of a spring, or of a contact, begins with that: a spring and a tenth of it
 * again are one spring, for the place where they begin too, which is a parameter. */
static void what_follows_begins_with_it(void **state)
{
#define PULLS(k)                                                                                   \
    "forces: {s: {type: spring, between: [ground, b], at: [[-1, 0, 0], [0, 0, 0]], length: 1 + "   \
    "a, stiffness: " k ", only: tension}"
#define TOUCHES(k)                                                                                 \
    "contacts: {c: {type: sphere_plane, between: [ground, b], plane: {point: [a + 0.2, 0, 0], "    \
    "normal: [-1, 0, 0]}, radius: 0.2, stiffness: " k ", exponent: 1}}\n"
#define FOLLOWS(what) "d: {type: force, on: b, value: ['-0.1*" what "', 0, 0]}}\n"
    static const char *const models[2][2] = {
        {PULLS("3300") "}\n", PULLS("3000") ", " FOLLOWS("s.tension")},
        {TOUCHES("3300"), TOUCHES("3000") "forces: {" FOLLOWS("c.normal_force")}};
#undef PULLS
#undef TOUCHES
#undef FOLLOWS
    static const char *const methods[] = {"rkmk-dop853", "generalized-alpha"};
    static const int wanted[2] = {0, 1};
    (void)state;
    for (int c = 0; c < 4; c++) {
        double one[2] = {0}, tol = c / 2 == 0 ? 1e-11 : 0;
        for (int i = 0; i < 2; i++) {
            char text[700];
            snprintf(text, sizeof text,
                     "nutate: 1\n"
                     "gravity: [0, 0, 0]\n"
                     "parameters: {a: 0.31, v: 2.7}\n"
                     "bodies: {b: {mass: 1.3, inertia: [1, 1, 1], position: [0, 0, 0], velocity: "
                     "[v, 0, 0]}}\n"
                     "%s",
                     models[c % 2][i]);
            run_of r = run_of_text(text, NULL);
            run_of_start(&r,
                         (nt_integrator_setup){.method = nt_method_find(methods[c / 2]),
                                               .tolerance = {tol, tol, tol, tol}},
                         wanted, 2);
            run_to(&r, 0.3, 2e-3);
            for (int k = 0; k < 2; k++) {
                double d = nt_sensitivity_state(r.sensitivity, k).q[0];
                if (i == 0)
                    one[k] = d;
                CLOSE(d, one[k], 1e-8);
            }
            if (tol > 0) /* it comes back from 2 a */
                CLOSE(one[0], 2, 1e-8);
            end(&r);
        }
    }
}

#define GOES                                                                                       \
    "nutate: 1\n"                                                                                  \
    "gravity: [0, 0, 0]\n"                                                                         \
    "parameters: {v: 2.7, c: 9}\n"                                                                 \
    "bodies: {b: {mass: 1.3, inertia: [1, 1, 1], position: [0, 0, 0], velocity: [v, 0, 0]}}\n"
#define ALONG(value) "{type: force, on: b, value: ['" value "', 0, 0]}"
#define DAMPS ALONG("-c*b.velocity.x*(b.position.x > 0.31)")

/* A bend and a jump at one place, in expressions and elements that know nothing of each other. */
static void bends_beside_jumps_of_others_change_with_them(void **state)
{
    static const char *const models[] = {
        GOES "forces: {s: " ALONG("if(b.position.x > 0.31, -3000*(b.position.x - 0.31) - "
                                  "c*b.velocity.x, 0)") "}\n",
        GOES "forces: {s: " ALONG("-3000*max(0, b.position.x - 0.31)") ", d: " DAMPS "}\n",
        GOES "forces: {s: " ALONG("1500*(0.31 - b.position.x - abs(2*b.position.x - "
                                  "0.62)/2)") ", d: " DAMPS "}\n",
        GOES "tables: {F: {file: onset_table.csv, interpolation: linear}}\n"
             "forces: {s: " ALONG("table(F, b.position.x)") ", d: " DAMPS "}\n",
        GOES "forces: {s: {type: spring, between: [ground, b], at: [[-1, 0, 0], [0, 0, 0]], "
             "length: 1.31, stiffness: 3000, only: tension}, d: " DAMPS "}\n",
        GOES "contacts: {s: {type: sphere_plane, between: [ground, b], plane: {point: [0.51, 0, "
             "0], normal: [-1, 0, 0]}, radius: 0.2, stiffness: 3000, exponent: 1}}\n"
             "forces: {d: " DAMPS "}\n",
        GOES "quantities: {depth: 'max(0, b.position.x - 0.31)'}\n"
             "forces: {s: " ALONG("-3000*depth") ", d: " ALONG("-c*b.velocity.x*(depth > 0)") "}\n",
        GOES "states: {on: {rate: 0, initial: 0}}\n"
             "forces: {s: " ALONG("-3000*max(0, b.position.x - 0.31)") ", d: " ALONG(
                 "-c*b.velocity.x*on") "}\n"
                                       "events: {in: {when: 3*b.position.x - 0.93, direction: "
                                       "rising, then: [{set: {on: 1}}]},"
                                       " out: {when: b.position.x - 0.31, direction: falling, "
                                       "then: [{set: {on: 0}}]}}\n",
    };
    static const char *const methods[] = {
        "rkmk-dop853",     "rkmk-dopri5", "generalized-alpha", "generalized-alpha-soi2", "theta",
        "semi-explicit-2", "bdf"};
    static const int wanted[2] = {0, 1};
    (void)state;
    FILE *table = fopen("onset_table.csv", "w");
    assert_non_null(table);
    fputs("x, F\n-1, 0\n0.31, 0\n2.31, -6000\n", table);
    fclose(table);
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
        bool own = strcmp(methods[m], "bdf") == 0;
        double one[2][2], tol = own ? 1e-12 : 0;
        for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
            if (strcmp(methods[m], "semi-explicit-2") == 0 &&
                (strstr(models[i], "spring") || strstr(models[i], "states")))
                continue; /* implicit parts and states move otherwise there */
            run_of r = run_of_text(models[i], NULL);
            run_of_start(&r,
                         (nt_integrator_setup){.method = nt_method_find(methods[m]),
                                               .tolerance = {tol, tol, tol, tol}},
                         wanted, 2);
            run_to(&r, 0.3, 2e-3);
            for (int k = 0; k < 2; k++) {
                nt_state_tangent d = nt_sensitivity_state(r.sensitivity, k);
                double size = i == 0 ? 1 : fmax(fabs(one[k][0]), fabs(one[k][1]));
                if (i == 0)
                    one[k][0] = d.q[0], one[k][1] = d.v[0];
                CLOSE(d.q[0], one[k][0], (own ? 1e-8 : 1e-9) * size);
                CLOSE(d.v[0], one[k][1], (own ? 1e-8 : 1e-9) * size);
            }
            end(&r);
        }
    }
    remove("onset_table.csv");
}

/* A force u - t that ends where it is zero, of a number u = 2 a that a sampler holds or an event
 * has set to its value: v = u^2/2 and x = u^2/2 - u^3/6 at 1 s. */
static void what_is_held_bends_forces(void **state)
{
    static const char *const forces[] = {"max(0, u - b.position.y - t)",
                                         "clamp(u - t - rail.displacement*0, 0, 3)",
                                         "(abs(u - t - 0*rail.rate) + u - t)/2"};
    static const char *const held[] = {
        "sampled: {s: {every: 0.7, values: {u: 2*a}}}\n",
        "states: {z: {rate: 0}}\n"
        "events: {e: {when: t - 0.1, then: [{set: {u: 2*a}}]}}\n",
    };
    static const char *const methods[] = {"rkmk-dop853", "rkmk-dopri5"};
    (void)state;
    for (size_t k = 0; k < 12; k++) {
        char text[1200];
        bool event = k & 1;
        const char *force = forces[k / 2 % 3], *method = methods[k / 6];
        snprintf(text, sizeof text,
                 "nutate: 1\n"
                 "gravity: [0, 0, 0]\n"
                 "parameters: {a: 0.2%s}\n"
                 "bodies: {b: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}}\n" RAIL(
                     "") "forces: {f: {type: joint_force, joint: rail, value: '%s'}}\n%s",
                 event ? ", u: 0.4" : "", force, held[event]);
        run_of r = run_of_text(text, NULL);
        const double tolerance = 1e-11;
        run_of_start(
            &r,
            (nt_integrator_setup){.method = nt_method_find(method),
                                  .tolerance = {tolerance, tolerance, tolerance, tolerance}},
            &(int){0}, 1);
        run_to(&r, 1, 1e-2);
        double u = 0.4, since = event ? 0.1 : 0;
        double dv = 2 * (u - since), dx = 2 * (u - since - (u * u - since * since) / 2);
        double got_v = nt_sensitivity_state(r.sensitivity, 0).v[0];
        double got_x = nt_sensitivity_state(r.sensitivity, 0).q[0];
        if (!(fabs(got_v - dv) <= 1e-9) || !(fabs(got_x - dx) <= 1e-9))
            fail_msg("%s, %s, %s: %.12g for %.12g, %.12g for %.12g", method, force,
                     event ? "event" : "sampler", got_v, dv, got_x, dx);
        end(&r);
    }
}

/* An impulse and a number that an event sets bend where a speed is little less than it is: one by
 * half a percent, whose differences are made over more. */
static void what_happens_may_bend_nearby(void **state)
{
    static const char text[] =
        "nutate: 1\n"
        "gravity: [0, 0, 0]\n"
        "parameters: {a: 1, w: 0.995}\n"
        "bodies: {b: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], velocity: [a, 0, 0]}}\n"
        "states: {z: {rate: 0}}\n"
        "events: {e: {when: b.position.x - 0.1, then: [{set: {z: 'max(0, b.velocity.x - w)'}},\n"
        "  {impulse: {on: b, value: [0, '2*max(w, b.velocity.x)', 0]}}]}}\n";
    static const char *const methods[] = {"rkmk-dop853", "generalized-alpha-soi2", "theta"};
    (void)state;
    for (int m = 0; m < 3; m++) {
        run_of r = run_of_text(text, NULL);
        run_of_start(&r, (nt_integrator_setup){.method = nt_method_find(methods[m])},
                     (const int[]){0, 1}, 2);
        run_to(&r, 0.5, 1e-2);
        for (int k = 0; k < 2; k++) {
            const double *v = nt_sensitivity_state(r.sensitivity, k).v;
            double blow = k == 0 ? 2 : 0, set = k == 0 ? 1 : -1;
            if (!(fabs(v[1] - blow) <= 1e-9) || !(fabs(v[6] - set) <= 1e-9))
                fail_msg("%s, %d: %.12g for %g, %.12g for %g", methods[m], k, v[1], blow, v[6],
                         set);
        }
        end(&r);
    }
}

/* An event sets u to 2 a at t = 0.1, where functions of time bend at u: the speed at t = 1 is the
 * integral of the force, and changes with u by what the force does between 0.1 and 1. */
static void what_is_set_bends_functions_of_time(void **state)
{
    static const struct {
        const char *force;
        double by_a;
    } laws[] = {{"max(0, u - t)", 0.6}, {"abs(t - u)", -0.6}, {"clamp(t - u, 0, 0.2)", -0.4}};
    static const char *const methods[] = {"rkmk-dop853",       "generalized-alpha-soi2",
                                          "generalized-alpha", "theta",
                                          "semi-explicit-2",   "bdf"};
    (void)state;
    for (int law = 0; law < 3; law++)
        for (int m = 0; m < 6; m++) {
            char text[800];
            snprintf(text, sizeof text,
                     "nutate: 1\n"
                     "gravity: [0, 0, 0]\n"
                     "parameters: {a: 0.2, u: 0.4}\n"
                     "bodies: {b: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}}\n"
                     "joints: {rail: {type: prismatic, between: [ground, b], at: [0, 0, 0],\n"
                     "  axis: [1, 0, 0]}}\n"
                     "events: {e: {when: t - 0.1, then: [{set: {u: 2*a}}]}}\n"
                     "forces: {f: {type: joint_force, joint: rail, value: '%s'}}\n",
                     laws[law].force);
            run_of r = run_of_text(text, NULL);
            run_of_start(&r, (nt_integrator_setup){.method = nt_method_find(methods[m])},
                         (const int[]){0}, 1);
            run_to(&r, 1, 1e-2);
            double found = nt_sensitivity_state(r.sensitivity, 0).v[0];
            if (!(fabs(found - laws[law].by_a) <= 1e-10))
                fail_msg("%s, %s: %.12g, expected %g", laws[law].force, methods[m], found,
                         laws[law].by_a);
            end(&r);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_begins_there_too),
        cmocka_unit_test(places_far_away_are_met),
        cmocka_unit_test(work_far_away_has_derivatives),
        cmocka_unit_test(bends_beside_jumps_change_with_them),
        cmocka_unit_test(bends_beside_jumps_of_others_change_with_them),
        cmocka_unit_test(what_follows_begins_with_it),
        cmocka_unit_test(what_is_held_bends_forces),
        cmocka_unit_test(what_happens_may_bend_nearby),
        cmocka_unit_test(what_is_set_bends_functions_of_time),
        cmocka_unit_test(cables_go_slack),
        cmocka_unit_test(tables_bend),
        cmocka_unit_test(tables_of_cubics_bend_less),
        cmocka_unit_test(sampled_laws_do_not_bend),
        cmocka_unit_test(cut_steps_are_not_the_smallest),
        cmocka_unit_test(runs_without_derivatives_take_the_same_steps),
        cmocka_unit_test(what_grazes_passes),
        cmocka_unit_test(derivatives_are_those_of_the_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
