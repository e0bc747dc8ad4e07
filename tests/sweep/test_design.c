/* Designs: Sobol's sequence against its table's authors, Latin hypercubes, distributions, seeds;
 * and statistics of samples against numbers known from elsewhere. */
#include "sweep/statistics.h"
#include "sweep/sweep.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SAMPLES = 1000 };

static const char model[] = "nutate: 1\n"
                            "parameters: {a: 1, b: 1}\n"
                            "bodies: {ball: {point: true, mass: 1}}\n"
                            "quantities: {sum: a + b}\n"
                            "simulation: {duration: 1e-3, step: 1e-3}\n"
                            "output: {record: [sum]}\n";

static void put_file(const char *path, const char *head, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%s%s", head, text);
    assert_int_equal(fclose(file), 0);
}

static nt_sweep *read_plan(const char *text)
{
    nt_sweep *sweep;
    nt_error error = {0};
    put_file("design.model.yaml", "", model);
    put_file("design.plan.yaml", "sweep: 1\nmodel: design.model.yaml\n", text);
    if (nt_sweep_read(&sweep, "design.plan.yaml", &error) != NT_OK)
        fail_msg("%s", error.message);
    return sweep;
}

static double value_of(const nt_sweep *sweep, long row, int axis)
{
    char text[64];
    assert_true(nt_sweep_value(sweep, row, axis, text, sizeof text) > 0);
    return strtod(text, NULL);
}

static void assert_near(double got, double expected, double tolerance)
{
    if (!(fabs(got - expected) <= tolerance))
        fail_msg("got %.17g, expected %.17g within %g", got, expected, tolerance);
}

/* Points of the sequence in Gray's order, as programs of Joe & Kuo give them: point i is that of
 * i ^ i/2. The numbers are those of scipy.stats.qmc.Sobol. */
static void sobol_points(void **state)
{
    static const struct {
        int k;
        uint32_t at[4]; /* points 3, 100, 777, 1023 */
    } known[] = {{0, {0x40000000u, 0x6a000000u, 0xb1400000u, 0x400000u}},
                 {1, {0xc0000000u, 0x42000000u, 0xefc00000u, 0xc0c00000u}},
                 {2, {0xc0000000u, 0xc6000000u, 0x29c00000u, 0x9cc00000u}},
                 {4, {0x40000000u, 0xe2000000u, 0xa2c00000u, 0x2fc00000u}},
                 {9, {0x40000000u, 0xb2000000u, 0x52c00000u, 0xd9c00000u}},
                 {31, {0xc0000000u, 0x6a000000u, 0xe6400000u, 0x9d400000u}},
                 {64, {0x40000000u, 0x32000000u, 0xf0400000u, 0x19400000u}},
                 {127, {0xc0000000u, 0x76000000u, 0x1e400000u, 0xb3400000u}}};
    static const uint32_t point[] = {3, 100, 777, 1023};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        for (int j = 0; j < 4; j++)
            assert_int_equal(nt_sobol(known[i].k, point[j] ^ point[j] >> 1), known[i].at[j]);
    /* every coordinate visits each 256th part once in 256 points */
    for (int k = 0; k < NT_SOBOL_MOST; k++) {
        bool seen[256] = {false};
        for (uint32_t i = 0; i < 256; i++) {
            assert_false(seen[nt_sobol(k, i) >> 24]);
            seen[nt_sobol(k, i) >> 24] = true;
        }
    }
}

/* Each part of the range is met once, whatever the distribution: P(x) n counts through. */
static void check_strata(const char *plan, int axis, double (*part)(double))
{
    nt_sweep *sweep = read_plan(plan);
    bool seen[SAMPLES] = {false};
    assert_int_equal(nt_sweep_rows(sweep), SAMPLES);
    for (long row = 0; row < SAMPLES; row++) {
        int place = (int)(SAMPLES * part(value_of(sweep, row, axis)));
        assert_in_range(place, 0, SAMPLES - 1);
        assert_false(seen[place]);
        seen[place] = true;
    }
    nt_sweep_destroy(sweep);
}

static double normal_part(double x) { return 0.5 * erfc(-(x - 5) / 0.25 / sqrt(2)); }
static double uniform_part(double x) { return (x + 2) / 6; }

static void latin_hypercubes(void **state)
{
    static const char plan[] = "vary: {a: {mean: 5, deviation: 0.25}, b: {low: -2, high: 4}}\n"
                               "design: latin_hypercube\nsamples: 1000\n";
    (void)state;
    check_strata(plan, 0, normal_part);
    check_strata(plan, 1, uniform_part);
    /* the orders of two inputs have nothing to do with each other */
    nt_sweep *sweep = read_plan(plan);
    double x[SAMPLES], y[SAMPLES];
    for (long row = 0; row < SAMPLES; row++)
        x[row] = value_of(sweep, row, 0), y[row] = value_of(sweep, row, 1);
    assert_near(nt_correlation(x, y, SAMPLES), 0, 0.1);
    nt_sweep_destroy(sweep);
}

static void random_numbers(void **state)
{
    static const char plan[] = "vary: {a: {mean: 0, deviation: 1}, b: [1, 2, 4]}\n"
                               "design: random\nsamples: 20000\nseed: 3\n";
    static const char other[] = "vary: {a: {mean: 0, deviation: 1}, b: [1, 2, 4]}\n"
                                "design: random\nsamples: 20000\nseed: 4\n";
    (void)state;
    nt_sweep *sweep = read_plan(plan), *again = read_plan(plan), *seeded = read_plan(other);
    double sum[5] = {0};
    int same = 0, twos = 0, n = 20000;
    for (long row = 0; row < n; row++) {
        double x = value_of(sweep, row, 0), b = value_of(sweep, row, 1);
        assert_true(x == value_of(again, row, 0));
        same += x == value_of(seeded, row, 0);
        twos += b == 2;
        assert_true(b == 1 || b == 2 || b == 4);
        for (int k = 1; k <= 4; k++)
            sum[k] += pow(x, k) / n;
    }
    assert_int_equal(same, 0);
    assert_near((double)twos / n, 1. / 3, 0.015); /* four and a half deviations */
    assert_near(sum[1], 0, 0.03);
    assert_near(sum[2], 1, 0.045);
    assert_near(sum[3], 0, 0.12);
    assert_near(sum[4], 3, 0.3);
    nt_sweep_destroy(sweep);
    nt_sweep_destroy(again);
    nt_sweep_destroy(seeded);
}

/* A grid counts through with the last name fastest; load cases come first. */
static void grids(void **state)
{
    char text[32];
    (void)state;
    nt_sweep *sweep = read_plan("vary: {a: 1..2:3, b: [5, 6]}\ncases: {x: {}, y: {}}\n");
    assert_int_equal(nt_sweep_rows(sweep), 12);
    assert_int_equal(nt_sweep_axis_count(sweep), 3);
    assert_string_equal(nt_sweep_axis(sweep, 0), "case");
    nt_sweep_value(sweep, 9, 0, text, sizeof text);
    assert_string_equal(text, "y");
    assert_true(value_of(sweep, 9, 1) == 1.5 && value_of(sweep, 9, 2) == 6);
    assert_true(value_of(sweep, 11, 1) == 2 && value_of(sweep, 10, 2) == 5);
    nt_sweep_destroy(sweep);
}

/* Student's intervals from tables, ranks with ties, quantiles of few values. */
static void statistics(void **state)
{
    static const double few[] = {1, 2, 4, 7, 11};
    static const double x[] = {3, 1, 2, 2, 9}, y[] = {10, 0, 4, 4, 11};
    long order[5];
    double rank[5];
    (void)state;
    nt_sample_statistics s = nt_statistics_of(few, 5);
    assert_near(s.mean.value, 5, 1e-15);
    assert_near(s.deviation.value, sqrt(16.5), 1e-14);
    assert_near(s.mean.high, 5 + 2.7764451051977987 * sqrt(16.5 / 5), 1e-6);
    assert_near(s.quantile[3].value, 4, 0);
    assert_near(s.quantile[2].value, 2, 0);
    assert_near(s.coverage, pow(0.05, 0.2), 1e-15);
    assert_true(isnan(s.quantile[0].low));
    assert_true(isnan(nt_statistics_of(few, 0).mean.value));
    assert_true(isnan(nt_statistics_of(few, 1).deviation.value));
    s = nt_statistics_of(few, 2);
    assert_near(s.mean.high, 1.5 + 12.706204736432095 * 0.5, 1e-5);
    nt_ranks(x, 5, order, rank);
    const double wanted[] = {4, 1, 2.5, 2.5, 5};
    for (int i = 0; i < 5; i++)
        assert_true(rank[i] == wanted[i]);
    assert_near(nt_correlation(x, x, 5), 1, 1e-15);
    assert_near(nt_correlation(x, y, 5), 0.785003234878, 1e-12);
    assert_int_equal(nt_histogram_bins(few, 1), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sobol_points),   cmocka_unit_test(latin_hypercubes),
        cmocka_unit_test(random_numbers), cmocka_unit_test(grids),
        cmocka_unit_test(statistics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
