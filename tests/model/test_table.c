/* Tables: monotone cubics through the rows of a file, and the places of mistakes in one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "tests/model/two_columns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Through n points, to the bit. */
static const nt_table *create(nt_arena *arena, int n, const double *x, const double *y)
{
    const nt_table *table = NULL;
    char text[4096];
    size_t used = 0;
    for (int i = 0; i < n && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%.17g,%.17g\n", x[i], y[i]);
    assert_true(used < sizeof text);
    assert_int_equal(table_parse(text, used, "points", arena, &table, NULL), NT_OK);
    return table;
}

static double at(const nt_table *table, double x, int derivative)
{
    double out[3];
    nt_table_evaluate(table, x, out);
    return out[derivative];
}

static void expect_near(double got, double expected, double tolerance)
{
    if (!(fabs(got - expected) <= tolerance))
        fail_msg("%.17g, expected %.17g +- %g", got, expected, tolerance);
}

/* ---- the curve ------------------------------------------------------------------------------ */

static void passes_through_its_points(void **state)
{
    static const double x[] = {-1, 0, 0.3, 2, 5}, y[] = {3, -1, 4, 4, 0.1};
    nt_arena arena = {0};
    const nt_table *t = create(&arena, 5, x, y);
    (void)state;
    for (int k = 0; k < 5; k++)
        expect_near(at(t, x[k], 0), y[k], 0);
    expect_near(at(t, -50, 0), 3, 0); /* the end value goes on */
    expect_near(at(t, 50, 0), 0.1, 0);
    expect_near(at(t, 50, 1), 0, 0);
    expect_near(at(t, -50, 2), 0, 0);
    assert_true(isnan(at(t, (double)NAN, 0)));
    nt_arena_free(&arena);
}

/* Straight lines and, inside, parabolas whose slopes need no limiting come out exactly. */
static void low_polynomials_are_exact(void **state)
{
    static const double x[] = {0, 0.5, 1.25, 2, 3};
    double line[5], parabola[5];
    nt_arena arena = {0};
    (void)state;
    for (int k = 0; k < 5; k++)
        line[k] = 2 - 3 * x[k], parabola[k] = (x[k] + 1) * (x[k] + 1);
    const nt_table *l = create(&arena, 5, x, line), *p = create(&arena, 5, x, parabola);
    const nt_table *two = create(&arena, 2, x, line);
    static const double ROUNDING = 1e-14; /* a few units of numbers up to 16 */
    for (double s = 0; s <= 3; s += 0.01) {
        expect_near(at(l, s, 0), 2 - 3 * s, ROUNDING);
        expect_near(at(l, s, 1), -3, ROUNDING);
        expect_near(at(p, s, 0), (s + 1) * (s + 1), ROUNDING);
        expect_near(at(p, s, 1), 2 * (s + 1), ROUNDING);
        expect_near(at(p, s, 2), 2, 20 * ROUNDING); /* divided by intervals of 0.5 */
        if (s <= 0.5)
            expect_near(at(two, s, 1), -3, ROUNDING);
    }
    nt_arena_free(&arena);
}

/* The data of Fritsch & Carlson's kind: flat, then a sudden rise. A plain cubic overshoots. */
static void stays_monotone(void **state)
{
    static const double x[] = {7.99, 8.09, 8.19, 8.7, 9.2, 10, 12, 15, 20};
    static const double y[] = {0,        2.76429e-5, 4.37498e-2, 0.169183, 0.469428,
                               0.943740, 0.998636,   0.999919,   0.999994};
    nt_arena arena = {0};
    const nt_table *t = create(&arena, 9, x, y);
    (void)state;
    double before = -1;
    for (int i = 0; i <= 20000; i++) {
        double s = x[0] + (x[8] - x[0]) * i / 20000, value = at(t, s, 0);
        assert_true(value >= before - 1e-16 && value >= 0 && value <= y[8]);
        assert_true(at(t, s, 1) >= -1e-14);
        before = value;
    }
    nt_arena_free(&arena);
}

/* Random tables: between two points never outside their values; slopes continuous. */
static void never_leaves_its_points(void **state)
{
    enum { N = 12 };
    double x[N], y[N];
    unsigned seed = 3;
    (void)state;
    for (int round = 0; round < 200; round++) {
        nt_arena arena = {0};
        double place = 0;
        for (int k = 0; k < N; k++) {
            seed = seed * 1664525u + 1013904223u;
            place += 0.01 + (seed >> 16) / 65536.0;
            x[k] = place;
            seed = seed * 1664525u + 1013904223u;
            y[k] = (seed >> 30) == 0 && k > 0 ? y[k - 1] : (seed >> 16) / 6553.6;
        }
        const nt_table *t = create(&arena, N, x, y);
        for (int k = 0; k < N - 1; k++) {
            double low = fmin(y[k], y[k + 1]), high = fmax(y[k], y[k + 1]);
            for (int i = 0; i <= 50; i++) {
                double value = at(t, x[k] + (x[k + 1] - x[k]) * i / 50, 0);
                assert_true(value >= low - 1e-13 && value <= high + 1e-13);
            }
            double left = at(t, nextafter(x[k + 1], 0), 1), right = at(t, x[k + 1], 1);
            expect_near(left, right, 1e-9); /* curvature (1e5 at most here) times rounding */
        }
        nt_arena_free(&arena);
    }
}

static void derivatives_are_exact(void **state)
{
    static const double x[] = {0, 1, 2.5, 3, 6}, y[] = {1, 2, 2.2, 5, 4};
    nt_arena arena = {0};
    const nt_table *t = create(&arena, 5, x, y);
    static const double H = 1e-3, ROUNDING = 1e-11; /* of a cubic, central: h^2 y''' / 6 remains */
    (void)state;
    for (double s = 0.05; s < 6; s += 0.1) {
        double third = (at(t, s + H, 2) - at(t, s - H, 2)) / (2 * H);
        expect_near((at(t, s + H, 0) - at(t, s - H, 0)) / (2 * H) - H * H * third / 6, at(t, s, 1),
                    ROUNDING);
        expect_near((at(t, s + H, 1) - at(t, s - H, 1)) / (2 * H), at(t, s, 2), ROUNDING);
    }
    nt_arena_free(&arena);
}

/* ---- other forms ----------------------------------------------------------------------------- */

static const nt_table *form_of(nt_arena *arena, const char *text, bool map, nt_table_form form)
{
    const nt_table_sheet *sheet = NULL;
    const nt_table *table = NULL;
    nt_error error;
    if (nt_table_sheet_parse(text, strlen(text), "points", map, arena, &sheet, &error) != NT_OK ||
        nt_table_make(sheet, sheet->columns - 1, &form, arena, &table, &error) != NT_OK)
        fail_msg("%s", error.message);
    return table;
}

/* Rows of f at n + 1 places from 0 to `end`. */
static const char *rows_of(double (*f)(double), double end, int n)
{
    static char text[4000];
    size_t used = 0;
    for (int k = 0; k <= n; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%.17g %.17g\n", end * k / n,
                                 k == n && fabs(f(end) - f(0)) < 1e-14 ? f(0) : f(end * k / n));
    return text;
}

static double smooth_step(double x) { return x * x * (3 - 2 * x); } /* its slopes at 0, 1 are 0 */
static double straight(double x) { return 2 - 3 * x; }

/* Clamped splines reproduce cubics that are flat at the ends, natural ones straight lines. */
static void splines_reproduce_cubics(void **state)
{
    (void)state;
    nt_arena arena = {0};
    const nt_table *cubic = form_of(&arena, rows_of(smooth_step, 1, 7), false,
                                    (nt_table_form){NT_SPLINE, NT_CLAMPED, NT_HOLD, 0});
    const nt_table *line = form_of(&arena, rows_of(straight, 2, 5), false,
                                   (nt_table_form){NT_SPLINE, NT_NATURAL, NT_EXTRAPOLATE, 0});
    for (double x = 0; x <= 1; x += 0.03) {
        expect_near(at(cubic, x, 0), smooth_step(x), 1e-15);
        expect_near(at(cubic, x, 1), 6 * x * (1 - x), 1e-14);
        expect_near(at(cubic, x, 2), 6 - 12 * x, 2e-13);
    }
    for (double x = -3; x < 5; x += 0.11) {
        expect_near(at(line, x, 0), straight(x), 1e-14);
        expect_near(at(line, x, 1), -3, 1e-14);
    }
    nt_arena_free(&arena);
}

/* The error of a periodic spline falls with h^4, its second derivative is continuous everywhere,
 * where it repeats itself too. */
static void periodic_splines_are_smooth(void **state)
{
    (void)state;
    static const double turn = 6.28318530717958647692;
    double worst[2] = {0};
    for (int round = 0; round < 2; round++) {
        nt_arena arena = {0};
        int n = 10 << round;
        const nt_table *t =
            form_of(&arena, rows_of(sin, turn, n), false,
                    (nt_table_form){NT_SPLINE, NT_ENDS_PERIODIC, NT_BEYOND_PERIODIC, 0});
        for (double x = -7; x < 14; x += 0.01)
            worst[round] = fmax(worst[round], fabs(at(t, x, 0) - sin(x)));
        for (int k = -n; k <= 2 * n; k++) {
            double x = turn * k / n, before = at(t, x - 1e-9, 2), after = at(t, x + 1e-9, 2);
            expect_near(before, after, 1e-8);
        }
        nt_arena_free(&arena);
    }
    assert_true(worst[0] / worst[1] > 14 && worst[0] / worst[1] < 20);
    assert_true(worst[0] < 1e-3);
}

static void lines_and_steps(void **state)
{
    (void)state;
    static const char text[] = "0 1\n1 3\n3 2\n";
    nt_arena arena = {0};
    const nt_table *line = form_of(&arena, text, false, (nt_table_form){NT_LINEAR, 0, NT_HOLD, 0});
    const nt_table *step =
        form_of(&arena, text, false, (nt_table_form){NT_PREVIOUS, 0, NT_BEYOND_PERIODIC, 0});
    const nt_table *none = form_of(&arena, text, false, (nt_table_form){0, 0, NT_BEYOND_ERROR, 0});
    expect_near(at(line, 0.25, 0), 1.5, 0);
    expect_near(at(line, 2, 0), 2.5, 0);
    expect_near(at(line, 2, 1), -0.5, 0);
    expect_near(at(line, 4, 0), 2, 0);
    expect_near(at(line, 4, 1), 0, 0);
    expect_near(at(step, 0.99, 0), 1, 0);
    expect_near(at(step, 1, 0), 3, 0);
    expect_near(at(step, 3.5, 0), 1, 0);
    expect_near(at(step, -0.5, 0), 3, 0);
    expect_near(at(none, 3, 0), 2, 0);
    assert_true(isnan(at(none, 3.01, 0)) && isnan(at(none, -0.01, 1)));
    nt_arena_free(&arena);
}

/* Beside a point, seen from one side of it: beyond the point the piece goes on. */
static void pieces_go_on_beyond_their_ends(void **state)
{
    (void)state;
    nt_arena arena = {0};
    const nt_table *line =
        form_of(&arena, "0 1\n1 3\n3 2\n", false, (nt_table_form){NT_LINEAR, 0, NT_HOLD, 0});
    const nt_table *saw = form_of(&arena, "0 1\n1 3\n3 1\n", false,
                                  (nt_table_form){NT_LINEAR, 0, NT_BEYOND_PERIODIC, 0});
    const nt_table *cubic = form_of(&arena, "0 1\n1 3\n3 2\n", false,
                                    (nt_table_form){NT_MONOTONE, 0, NT_EXTRAPOLATE, 0});
    static const struct {
        double x, side, value, slope;
    } beside[] = {{1, -1, 3, 2},           {1, 1, 3, -0.5},     {1.01, -1, 3.02, 2},
                  {0.99, 1, 3.005, -0.5},  {0.99, -1, 2.98, 2}, {1.01, 1, 2.995, -0.5},
                  {3.01, -1, 1.995, -0.5}, {2.99, 1, 2, 0},     {0, -1, 1, 0}};
    double out[3], plain[3];
    for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++) {
        nt_table_beside(line, beside[i].x, beside[i].side, out);
        expect_near(out[0], beside[i].value, 1e-14);
        expect_near(out[1], beside[i].slope, 1e-14);
    }
    for (int turn = -2; turn < 3; turn++) { /* the end is the begin */
        nt_table_beside(saw, 3 * turn, 1, out);
        expect_near(out[1], 2, 1e-14);
        nt_table_beside(saw, 3 * turn, -1, out);
        expect_near(out[1], -1, 1e-14);
        nt_table_beside(saw, 3 * turn + 0.01, -1, out);
        expect_near(out[0], 0.99, 1e-13);
    }
    nt_table_evaluate(cubic, 1.3, plain);
    nt_table_beside(cubic, 1.3, 1, out);
    for (int k = 0; k < 3; k++)
        expect_near(out[k], plain[k], 0);
    nt_table_evaluate(cubic, 1 - 1e-9, plain);
    nt_table_beside(cubic, 1 + 1e-9, -1, out);
    for (int k = 0; k < 3; k++)
        expect_near(out[k], plain[k], 1e-7);
    nt_arena_free(&arena);
}

/* Of every form: derivatives by differences, inside and outside; the product of two cubics that are
 * flat at the ends is reproduced by the spline. */
static void maps_have_exact_derivatives(void **state)
{
    (void)state;
    char text[2000];
    size_t used = (size_t)snprintf(text, sizeof text, "x 0 0.2 0.55 1\n");
    for (int i = 0; i <= 4; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%.17g", i / 4.0);
        static const double u[] = {0, 0.2, 0.55, 1};
        for (int k = 0; k < 4; k++)
            used += (size_t)snprintf(text + used, sizeof text - used, " %.17g",
                                     smooth_step(i / 4.0) * smooth_step(u[k]));
        used += (size_t)snprintf(text + used, sizeof text - used, "\n");
    }
    for (int form = 0; form < 4 * 2; form++) {
        nt_arena arena = {0};
        const nt_table *map =
            form_of(&arena, text, true,
                    (nt_table_form){form / 2, NT_CLAMPED, form % 2 ? NT_EXTRAPOLATE : NT_HOLD, 0});
        const double h = 1e-5;
        for (int i = 0; i < 200; i++) {
            double x = -0.21 + 0.007131 * i, u = -0.19 + 0.0917 * (i % 16), f[6], px[6], mx[6],
                   pu[6], mu[6];
            nt_map_evaluate(map, x, u, f);
            nt_map_evaluate(map, x + h, u, px), nt_map_evaluate(map, x - h, u, mx);
            nt_map_evaluate(map, x, u + h, pu), nt_map_evaluate(map, x, u - h, mu);
            expect_near((px[0] - mx[0]) / (2 * h), f[1], 2e-9);
            expect_near((pu[0] - mu[0]) / (2 * h), f[2], 2e-9);
            expect_near((px[1] - mx[1]) / (2 * h), f[3], 2e-8);
            expect_near((pu[1] - mu[1]) / (2 * h), f[4], 2e-8);
            expect_near((pu[2] - mu[2]) / (2 * h), f[5], 2e-8);
            bool inside = x >= 0 && x <= 1 && u >= 0 && u <= 1;
            if (form / 2 == NT_SPLINE && inside)
                expect_near(f[0], smooth_step(x) * smooth_step(u), 1e-15);
        }
        nt_arena_free(&arena);
    }
}

/* cos(x) cos(2 u) over one period each way, on uneven points: what repeats itself has the same
 * values a period on, derivatives by differences over the seam, and a spline is smooth there. */
static void maps_repeat_themselves(void **state)
{
    (void)state;
    enum { N = 25, M = 21 };
    const double turn = 2 * acos(-1.0);
    static char text[20 * (N + 1) * (M + 1)];
    size_t used = (size_t)snprintf(text, sizeof text, "x");
    for (int k = 0; k < M; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, " %.17g", turn / 2 * k / (M - 1));
    for (int i = 0; i < N; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "\n%.17g", turn * i / (N - 1));
        for (int k = 0; k < M; k++)
            used += (size_t)snprintf(
                text + used, sizeof text - used, " %.6f",
                cos(turn * (i % (N - 1)) / (N - 1)) * cos(turn * (k % (M - 1)) / (M - 1)) + 0.0);
    }
    for (int form = 0; form < 4; form++) {
        nt_arena arena = {0};
        const nt_table *both =
            form_of(&arena, text, true, (nt_table_form){form, NT_NATURAL, NT_BEYOND_PERIODIC, 0});
        const nt_table *first = form_of(
            &arena, text, true, (nt_table_form){form, NT_NATURAL, NT_BEYOND_PERIODIC, 1 + NT_HOLD});
        const nt_table *second =
            form_of(&arena, text, true,
                    (nt_table_form){form, NT_NATURAL, NT_BEYOND_ERROR, 1 + NT_BEYOND_PERIODIC});
        const double h = 1e-5;
        for (int i = 0; i < 200; i++) {
            double x = 0.0713 + 0.031 * i, u = 0.0617 + 0.0147 * i, f[6], g[6], px[6];
            nt_map_evaluate(both, x, u, f);
            nt_map_evaluate(both, x + 3 * turn, u - turn, g);
            for (int k = 0; k < 6; k++)
                expect_near(g[k], f[k], 2e-12 * (1 + fabs(f[k])) * (form == NT_PREVIOUS ? 0 : 100));
            nt_map_evaluate(first, x, u, px);
            nt_map_evaluate(first, x - turn, u, g);
            expect_near(g[0], px[0], 1e-12);
            nt_map_evaluate(first, x, turn / 2 + u, g);
            nt_map_evaluate(first, x, turn / 2, px);
            expect_near(g[0], px[0], 1e-12);
            nt_map_evaluate(second, x, u, px);
            nt_map_evaluate(second, x, u + turn / 2, g);
            expect_near(g[0], px[0], 1e-12);
            nt_map_evaluate(second, x + turn, u, g);
            assert_true(isnan(g[0]));
            nt_map_evaluate(both, (double)INFINITY, u, g);
            assert_true(isnan(g[0]));
            nt_map_evaluate(both, x, -(double)INFINITY, g);
            assert_true(isnan(g[0]));
            if (form == NT_SPLINE) { /* to the error of the spline of 24 and 20 points */
                nt_map_evaluate(both, x + turn, u, f);
                expect_near(f[0], cos(x) * cos(2 * u), 5e-4);
            }
        }
        double x = form == NT_SPLINE ? turn : turn + 0.01, f[6], px[6], mx[6], pu[6], mu[6];
        nt_map_evaluate(both, x, 0.3, f);
        nt_map_evaluate(both, x + h, 0.3, px), nt_map_evaluate(both, x - h, 0.3, mx);
        expect_near((px[0] - mx[0]) / (2 * h), f[1], 2e-8);
        expect_near((px[1] - mx[1]) / (2 * h), f[3], 2e-4);
        nt_map_evaluate(both, 0.3, x, f);
        nt_map_evaluate(both, 0.3, x + h, pu), nt_map_evaluate(both, 0.3, x - h, mu);
        expect_near((pu[0] - mu[0]) / (2 * h), f[2], 2e-8);
        expect_near((pu[2] - mu[2]) / (2 * h), f[5], 2e-4);
        nt_arena_free(&arena);
    }
}

/* What cannot repeat itself, and columns of one name. */
static void tables_that_are_refused(void **state)
{
    (void)state;
    static const char map[] = "x 0 1 2\n0 1 2 1\n1 3 4 3\n2 1 2 1.5\n";
    static const char twice[] = "t, q, r, q\n0, 1, 2, 3\n1, 2, 3, 4\n";
    nt_arena arena = {0};
    const nt_table_sheet *sheet = NULL;
    const nt_table *table = NULL;
    nt_error error;
    assert_int_equal(nt_table_sheet_parse(map, strlen(map), "m", true, &arena, &sheet, &error),
                     NT_OK);
    static const struct {
        nt_table_form form;
        const char *words;
    } refused[] = {
        {{NT_MONOTONE, 0, NT_BEYOND_PERIODIC, 0}, "repeats itself in x, but at y = 2 its first"},
        {{NT_LINEAR, 0, NT_HOLD, 1 + NT_BEYOND_PERIODIC}, "in y, but at x = 2 its first value 1 "},
        {{NT_SPLINE, NT_ENDS_PERIODIC, NT_HOLD, 0}, "has 3 by 3 points, expected four"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        assert_int_equal(nt_table_make(sheet, 1, &refused[i].form, &arena, &table, &error),
                         NT_BAD_MODEL);
        assert_non_null(strstr(error.message, refused[i].words));
    }
    assert_int_equal(nt_table_sheet_parse(twice, strlen(twice), "t", false, &arena, &sheet, &error),
                     NT_BAD_MODEL);
    assert_int_equal(error.line, 1);
    assert_int_equal(error.column, 10);
    assert_non_null(strstr(error.message, "two columns are named 'q', the 2. and the 4."));
    nt_arena_free(&arena);
}

static void columns_have_names(void **state)
{
    (void)state;
    static const char text[] = "time (s), \"q 1\", q2\n0, 1, 5\n1, 2, 7\n";
    const nt_table_sheet *sheet = NULL;
    nt_arena arena = {0};
    nt_error error;
    assert_int_equal(nt_table_sheet_parse(text, strlen(text), "t", false, &arena, &sheet, &error),
                     NT_OK);
    assert_int_equal(sheet->columns, 3);
    assert_int_equal(nt_table_column(sheet, "q 1", 3), 1);
    assert_int_equal(nt_table_column(sheet, "q2", 2), 2);
    assert_int_equal(nt_table_column(sheet, "q3", 2), -1);
    expect_near(sheet->value[5], 7, 0);
    nt_arena_free(&arena);
}

/* ---- files ------------------------------------------------------------------------------------
 */

static void forms_of_a_file(void **state)
{
    static const char *const texts[] = {
        "0,1\n1,2\n3,0\n",
        "time,force\n0,1\n1,2\n3,0",
        "# a comment\n\n \"time (s)\",\"force\"\n0, 1 # here\n 1 ,2\r\n\r\n3,0\r\n",
        "0 1\n1\t2\n3   0\n",
        "Time (s), Force (N)\n0, 1\n1, 2\n3, 0\n",
        "t;f\n0;1\n1;2\n3;0",
        "\xEF\xBB\xBFt,f\n+0,1e0\n1,20e-1\n3,-0\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        nt_arena arena = {0};
        const nt_table *t = NULL;
        nt_error error;
        if (table_parse(texts[i], strlen(texts[i]), "t.csv", &arena, &t, &error) != NT_OK)
            fail_msg("%zu: %s", i, error.message);
        assert_int_equal(t->n, 3);
        expect_near(at(t, 1, 0), 2, 0);
        expect_near(at(t, 3, 0), 0, 0);
        nt_arena_free(&arena);
    }
}

static void mistakes_have_their_place(void **state)
{
    static const struct {
        const char *text;
        int line, column;
        const char *says;
    } rows[] = {
        {"", 1, 1, "after 0 rows"},
        {"# nothing\n", 2, 1, "after 0 rows"},
        {"t,f\n0,1\n", 3, 1, "after 1 row of"},
        {"0,1\n1,two\n", 2, 3, "'two' is not a number"},
        {"0,1\n1,2.0 kg\n", 2, 3, "'2.0 kg' is not a number"},
        {"0 1\n1 2 kg\n", 2, 5, "a third column"},
        {"0,1\n1.0s, 2\n", 2, 1, "'1.0s' is not a number"},
        {"0,1\n1,nan\n", 2, 3, "'nan' is not a number"},
        {"0,1\n1,inf\n", 2, 3, "'inf' is not a number"},
        {"0,1\n1,1e999\n", 2, 3, "'1e999' is not a number"},
        {"0,1\n1,\n", 2, 3, "an empty column"},
        {"0,1\n,1\n", 2, 1, "an empty column"},
        {"0,1\n  1\n", 2, 4, "one column"},
        {"0,1\n\n# x\n0,2\n", 4, 1, "does not exceed"},
        {"0,1\n -1,2\n", 2, 2, "must increase"},
        {"t,f\nt,f\n0,1\n", 2, 1, "'t' is not a number"},
        {"t,5\n0,1\n", 1, 1, "'t' is not a number"},
        {"0,1,2\n", 1, 5, "a third column"},
        {"0,5\n1,2,5\n", 2, 5, "a third column"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        nt_arena arena = {0};
        const nt_table *t;
        nt_error error = {0};
        size_t length = strlen(rows[i].text);
        char *exact = malloc(length + 1);
        assert_non_null(exact);
        memcpy(exact, rows[i].text, length);
        assert_int_equal(table_parse(exact, length, "t.csv", &arena, &t, &error), NT_BAD_MODEL);
        free(exact);
        if (error.line != rows[i].line || error.column != rows[i].column ||
            !strstr(error.message, rows[i].says))
            fail_msg("%zu: %d:%d: %s", i, error.line, error.column, error.message);
        assert_string_equal(error.file, "t.csv");
        nt_arena_free(&arena);
    }
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void paths_are_beside_the_model(void **state)
{
    nt_arena arena = {0};
    const nt_table *t;
    nt_error error;
    (void)state;
    mkdir("folder", 0777);
    write_file("folder/t.csv", "0,1\n1,2\n");
    write_file("folder/bad.csv", "0,1\n1,x\n");
    assert_int_equal(table_read("t.csv", "folder/model.yaml", &arena, &t, &error), NT_OK);
    expect_near(at(t, 1, 0), 2, 0);
    assert_int_equal(table_read("folder/t.csv", NULL, &arena, &t, &error), NT_OK);
    assert_int_equal(table_read("folder/t.csv", "model.yaml", &arena, &t, &error), NT_OK);
    assert_int_equal(table_read("t.csv", "model.yaml", &arena, &t, &error), NT_IO);
    assert_string_equal(error.file, "t.csv");
    assert_non_null(strstr(error.message, "cannot be opened"));
    assert_int_equal(table_read("../folder", "folder/m.yaml", &arena, &t, &error), NT_IO);
    assert_non_null(strstr(error.message, "folder"));
    assert_int_equal(table_read("bad.csv", "folder/m", &arena, &t, &error), NT_BAD_MODEL);
    assert_string_equal(error.file, "folder/bad.csv");
    assert_int_equal(error.line, 2);
    nt_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_through_its_points),
        cmocka_unit_test(low_polynomials_are_exact),
        cmocka_unit_test(stays_monotone),
        cmocka_unit_test(never_leaves_its_points),
        cmocka_unit_test(derivatives_are_exact),
        cmocka_unit_test(splines_reproduce_cubics),
        cmocka_unit_test(periodic_splines_are_smooth),
        cmocka_unit_test(lines_and_steps),
        cmocka_unit_test(pieces_go_on_beyond_their_ends),
        cmocka_unit_test(maps_have_exact_derivatives),
        cmocka_unit_test(maps_repeat_themselves),
        cmocka_unit_test(tables_that_are_refused),
        cmocka_unit_test(columns_have_names),
        cmocka_unit_test(forms_of_a_file),
        cmocka_unit_test(mistakes_have_their_place),
        cmocka_unit_test(paths_are_beside_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
