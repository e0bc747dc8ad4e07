/* nutate sens --check on random mechanisms: no right derivative is called wrong, and a wrong one
 * is. The command's own files are part of this program, so that a derivative can be made wrong. */
#include "../model/mechanism.h"
#include "sensitivity/forward.h"

#include <unistd.h>

/* The check sees derivatives that are off by this part. */
static double wrong_by;

static nt_state_tangent injected_state(nt_sensitivity *s, int i)
{
    nt_state_tangent d = nt_sensitivity_state(s, i);
    for (int k = 0; k < s->integrator->problem->nv; k++) { /* in scratch of the sensitivity */
        ((double *)(size_t)d.q)[k] *= 1 + wrong_by;
        ((double *)(size_t)d.v)[k] *= 1 + wrong_by;
    }
    return d;
}

#define nt_sensitivity_state injected_state
#include "../../src/cli/sens/sens_check.c"
#undef nt_sensitivity_state

/* ---- random mechanisms ---------------------------------------------------------------------- */

static unsigned seed;

static double random_between(double low, double high)
{
    seed = seed * 1664525u + 1013904223u;
    return low + (high - low) * (seed >> 8) / 16777216.0;
}

static int random_below(int n) { return (int)random_between(0, n * 0.999999); }

static void write_vector(FILE *to, double size)
{
    double x = random_between(-size, size), y = random_between(-size, size);
    fprintf(to, "[%.3f, %.3f, %.3f]", x, y, random_between(-size, size));
}

/* A tree of two to four bodies, every fourth one planar: what is across the plane is rounding. */
static void write_tree(FILE *to, bool planar)
{
    static const char *const types[] = {"revolute", "spherical", "universal", "cylindrical",
                                        "prismatic"};
    int n = 2 + random_below(3);
    fputs("bodies:\n", to);
    for (int i = 0; i < n; i++) {
        fprintf(to, "  b%d: {mass: %s, inertia: [%s, %.3f, %.3f], position: ", i,
                i == n - 1 ? "m" : "1.5", i == 0 ? "J" : "0.2", random_between(0.15, 0.25),
                random_between(0.15, 0.25));
        if (planar)
            fprintf(to, "[%.3f, %.3f, 0]}\n", i + random_between(0.3, 0.7), random_between(-1, 1));
        else
            write_vector(to, 1), fputs("}\n", to);
    }
    fputs("joints:\n", to);
    for (int i = 0; i < n; i++) {
        int type = planar || i == 0 ? 0 : random_below(5), before = random_below(i);
        fprintf(to, "  j%d: {type: %s, between: [", i, types[type]);
        if (i == 0)
            fputs("ground", to);
        else
            fprintf(to, "b%d", before);
        fprintf(to, ", b%d], at: ", i);
        if (planar)
            fprintf(to, "[%d, 0, 0], axis: [0, 0, 1]", i);
        else {
            write_vector(to, 1);
            if (strcmp(types[type], "universal") == 0)
                fputs(", axes: [[1, 0, 0], [0, 1, 0]]", to);
            else if (strcmp(types[type], "spherical") != 0) {
                fputs(", axis: ", to);
                write_vector(to, 1);
            }
        }
        fputs("}\n", to);
    }
    fprintf(to,
            "forces:\n  s: {type: spring, between: [ground, b%d], at: [[0, 2, 0], [1, 0.3, 0]],"
            " stiffness: k, damping: 0.3, length: 0.5}\n",
            n - 1);
}

/* A four-bar, redundant in space. */
static void write_loop(FILE *to)
{
    double high = random_between(0.8, 1.2), wide = random_between(1.5, 2.5);
    fprintf(to,
            "bodies:\n"
            "  b0: {mass: m, inertia: [J, 0.15, 0.1], position: [0, %.3f, 0]}\n"
            "  b1: {mass: 2, inertia: [0.02, 0.6, 0.6], position: [%.3f, %.3f, 0]}\n"
            "  b2: {mass: 1.5, inertia: [0.1, 0.01, 0.1], position: [%.3f, %.3f, 0]}\n"
            "joints:\n"
            "  j0: {type: revolute, between: [ground, b0], at: [0, 0, 0], axis: [0, 0, 1]}\n"
            "  j1: {type: revolute, between: [b0, b1], at: [0, %.3f, 0], axis: [0, 0, 1]}\n"
            "  j2: {type: revolute, between: [b1, b2], at: [%.3f, %.3f, 0], axis: [0, 0, 1]}\n"
            "  j3: {type: revolute, between: [b2, ground], at: [%.3f, 0, 0], axis: [0, 0, 1]}\n"
            "forces:\n"
            "  s: {type: spring, between: [ground, b1], at: [[1, 2, 0], [0.4, %.3f, 0]],\n"
            "      stiffness: k, damping: 0.3, length: 0.5}\n",
            high / 2, wide / 2, high, wide + 0.2, high / 2, high, wide, high, wide + 0.4, high);
}

static const char *const methods[] = {"generalized-alpha",
                                      "generalized-alpha",
                                      "generalized-alpha-soi2",
                                      "generalized-alpha",
                                      "rkmk-dopri5",
                                      "generalized-alpha",
                                      "bdf",
                                      "semi-explicit",
                                      "generalized-alpha-linear",
                                      "generalized-alpha"};
enum { MODELS = 40, METHODS = sizeof methods / sizeof methods[0] };

static void write_model(const char *path, int which)
{
    FILE *to = fopen(path, "w");
    assert_non_null(to);
    seed = 4711u + 7919u * (unsigned)which;
    fputs("nutate: 1\nparameters: {m: 1.2, k: 30, J: 0.2, g: 9.81}\ngravity: [0.3, -g, 0.1]\n", to);
    if (which % 5 == 4)
        write_loop(to);
    else
        write_tree(to, which % 4 == 2);
    fprintf(to, "simulation: {duration: %.2f, step: %s}\n", random_between(0.3, 0.6),
            which % 3 ? "5e-3" : "2e-3");
    fputs("output: {every: 0.1, record: [b0.position, b1.orientation, b1.velocity, b0.acceleration,"
          " b1.angular_velocity, j0.force, j0.torque, j1.force, energy]}\n",
          to);
    fclose(to);
}

/* The exit status of a check. */
static int check_model(const char *path, const char *method)
{
    static const char *parameters[] = {"m", "k", "J", "g"};
    nt_cli_options options = {.name = path,
                              .method = method,
                              .quiet = true,
                              .check = true,
                              .parameters = parameters,
                              .n_parameters = 4};
    return nt_cli_sensitivities(&options);
}

/* Verdicts of the check just made: how many were none, in the file that standard output is. */
static int without_verdict(const char *path)
{
    char line[1024];
    long agree = 0, without = 0;
    fflush(stdout);
    FILE *from = fopen(path, "r");
    assert_non_null(from);
    while (fgets(line, sizeof line, from))
        if (sscanf(line, "%ld derivatives agree", &agree) == 1) {
            const char *at = strstr(line, " without verdict");
            while (at && at > line && at[-1] >= '0' && at[-1] <= '9')
                at--;
            without = at ? strtol(at, NULL, 10) : 0;
        }
    fclose(from);
    return (int)without;
}

static void right_derivatives_are_never_wrong(void **state)
{
    (void)state;
    int undecided = 0;
    wrong_by = 0;
    for (int i = 0; i < MODELS; i++) {
        write_model("model.yaml", i);
        fflush(stdout);
        int kept = dup(1);
        assert_true(kept >= 0 && freopen("verdicts", "w", stdout) != NULL);
        int status = check_model("model.yaml", methods[i % METHODS]);
        undecided += without_verdict("verdicts");
        fflush(stdout);
        assert_true(dup2(kept, 1) >= 0);
        close(kept);
        if (status != NT_EXIT_DONE)
            fail_msg("model %d, %s: exit status %d", i, methods[i % METHODS], status);
    }
    printf("without verdict: %d of %d\n", undecided, MODELS * 4 * 28);
    assert_true(undecided <= MODELS / 4); /* one in 400 */
}

static void wrong_derivatives_are_found(void **state)
{
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        write_model("model.yaml", i);
        wrong_by = 1e-2;
        assert_int_equal(check_model("model.yaml", methods[i]), NT_EXIT_FAILED);
        wrong_by = 0;
    }
}

/* Differences of a column whose derivative is 81 and whose values have noise, Gaussian enough. */
static double noise(double size)
{
    double sum = 0;
    for (int i = 0; i < 12; i++)
        sum += random_between(-0.5, 0.5);
    return size * sum;
}

static nt_check_kind judge_noisy(double derivative)
{
    double two[NT_CHECK_STEPS], four[NT_CHECK_STEPS], wiggle[NT_CHECK_STEPS];
    double difference = 81;
    nt_check_group alone = {.columns = 1, .largest = 80};
    nt_check_differences found = {.exact = &derivative, .size = 1};
    for (int i = 0; i < NT_CHECK_STEPS; i++) {
        double y[5], d = nt_check_steps[i];
        for (int k = 0; k < 5; k++)
            y[k] = difference * d * (k - 2) + noise(3e-11);
        two[i] = (y[3] - y[1]) / (2 * d);
        four[i] = (8 * (y[3] - y[1]) - (y[4] - y[0])) / (12 * d);
        wiggle[i] = (y[4] - 4 * y[3] + 6 * y[2] - 4 * y[1] + y[0]) / sqrt(70);
        found.two[i] = &two[i], found.four[i] = &four[i], found.wiggle[i] = &wiggle[i];
        found.done[i] = true;
    }
    return nt_check_judge(&alone, &found).kind;
}

/* Of ten thousand columns some have next to no noise in one of their seven differences. What noise
 * leaves open is judged by their typical one; an error of a hundredth is found in each. */
static void noise_of_one_step_may_be_small_by_chance(void **state)
{
    (void)state;
    seed = 1;
    for (int i = 0; i < 10000; i++) {
        assert_int_equal(judge_noisy(81), NT_CHECK_RIGHT);
        assert_int_equal(judge_noisy(81 * 1.01), NT_CHECK_WRONG);
    }
}

/* Equal steps follow the events of each run, derivatives do not: both differ by how far the end of
 * a step is behind an event, which half the step may leave as it is. */
static void steps_that_follow_events_call_nothing_wrong(void **state)
{
    (void)state;
    static const char *const doors[] = {"generalized-alpha", "generalized-alpha-linear",
                                        "generalized-alpha-residual", "generalized-alpha-soi2",
                                        "theta"};
    static const char *const steps[] = {"4e-3", "3e-3"};
    const char *parameters[] = {"w0"};
    for (int i = 0; i < 20; i++) {
        FILE *to = fopen("door.yaml", "w");
        assert_non_null(to);
        fprintf(to,
                "nutate: 1\nparameters: {w0: 2}\ngravity: [0, 0, 0]\n"
                "bodies: {door: {mass: 20, inertia: [2, 5, 4], position: [0.4, 0, 0], "
                "angular_velocity: [0, 0, w0]}}\n"
                "joints: {hinge: {type: revolute, between: [ground, door], at: [0, 0, 0], "
                "axis: [0, 0, 1], restitution: 0.6}}\n"
                "forces: {closer: {type: joint_torque, joint: hinge, value: 10}}\n"
                "events: {slam: {when: hinge.angle - 1.2, direction: rising, "
                "then: [{latch: hinge}]}}\n"
                "simulation: {duration: 2.5, step: %s}\n"
                "output: {every: 0.5, record: [hinge.angle, hinge.rate]}\n",
                steps[i / 5 % 2]);
        fclose(to);
        nt_cli_options options = {.name = "door.yaml",
                                  .method = doors[i % 5],
                                  .quiet = true,
                                  .check = true,
                                  .parameters = parameters,
                                  .n_parameters = 1};
        wrong_by = i < 10 ? 0 : 0.1;
        assert_int_equal(nt_cli_sensitivities(&options), i < 10 ? NT_EXIT_DONE : NT_EXIT_FAILED);
    }
    wrong_by = 0;
}

/* Columns of one quantity are judged together, but what is right is not called wrong beside one
 * that is. */
static void each_column_has_its_own_verdict(void **state)
{
    (void)state;
    nt_check_verdict v = {.kind = NT_CHECK_WRONG, .size = 2, .doubt = 1e-9, .off = 0.1};
    assert_int_equal(nt_check_of_row(&v, 2, 1.9), NT_CHECK_WRONG);
    assert_int_equal(nt_check_of_row(&v, 0, 0), NT_CHECK_RIGHT);
    assert_int_equal(nt_check_of_row(&v, 1.25, 1.25001), NT_CHECK_RIGHT);
    assert_int_equal(nt_check_of_row(&v, 1.25, 1.2501), NT_CHECK_WRONG);
    v.kind = NT_CHECK_MOVED;
    assert_int_equal(nt_check_of_row(&v, 0, 0), NT_CHECK_RIGHT);
    v.kind = NT_CHECK_UNDECIDED;
    assert_int_equal(nt_check_of_row(&v, 0, 0), NT_CHECK_UNDECIDED);
}

/* A disk that is latched rolls again, in motions beside too, whose bodies lie a little apart. */
static void what_is_engaged_again_has_derivatives(void **state)
{
    (void)state;
    FILE *to = fopen("disk.yaml", "w");
    assert_non_null(to);
    fputs("nutate: 1\nparameters: {r: 0.3, J: 0.035}\nbodies:\n"
          "  a: {mass: 5, inertia: [2, 2.5, 3], position: [0.1, 0.2, -0.3]}\n"
          "  d: {mass: 1.3, inertia: [0.02, 0.02, J], position: [0.3, 0.1, -0.05 + "
          "r*sin(75*deg)], orientation: {axis: [1, 0, 0], angle: 75*deg}, angular_velocity: [0.6, "
          "0.4, 2.1]}\n"
          "joints:\n"
          "  s: {type: spherical, between: [ground, a], at: [0, 0, -0.4]}\n"
          "  j: {type: rolling_disk, between: [a, d], radius: r, axis: [0, 0, 1], plane: {point: "
          "[0, 0, 0.25]}}\n"
          "events:\n"
          "  lock: {when: d.position.y - 0.2, then: [{latch: j}]}\n"
          "  go: {when: t - 0.6, then: [{release: j}, {engage: j}]}\n"
          "simulation: {duration: 0.7, step: 0.01, method: rkmk-dop853}\n"
          "output: {record: [d.position, d.velocity]}\n",
          to);
    fclose(to);
    const char *parameters[] = {"r", "J"};
    nt_cli_options options = {.name = "disk.yaml",
                              .quiet = true,
                              .check = true,
                              .parameters = parameters,
                              .n_parameters = 2};
    wrong_by = 0;
    assert_int_equal(nt_cli_sensitivities(&options), NT_EXIT_DONE);
    wrong_by = 1e-3;
    assert_int_equal(nt_cli_sensitivities(&options), NT_EXIT_FAILED);
    wrong_by = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_of_one_step_may_be_small_by_chance),
        cmocka_unit_test(each_column_has_its_own_verdict),
        cmocka_unit_test(what_is_engaged_again_has_derivatives),
        cmocka_unit_test(right_derivatives_are_never_wrong),
        cmocka_unit_test(wrong_derivatives_are_found),
        cmocka_unit_test(steps_that_follow_events_call_nothing_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
