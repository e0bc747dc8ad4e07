/* Directions of vectors of any length: the same for a vector and for its multiples. */
#include "base/direction.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Two roundings in a component: of the length's inverse and of the product. */
static const double ROUNDING = 2 * DBL_EPSILON;

/* From the least subnormal number to the largest, (2, -3, 6)/7: one exact length. */
static void lengths(void **state)
{
    (void)state;
    static const double scales[] = {1e-320, 1e-308, 1e-200, 1e-162, 1e-100, 1,
                                    1e100,  1e154,  1e200,  1e300,  2.9e307};
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        double s = scales[i], unit[3];
        /* a subnormal 1e-320 stands for 2024 units of the last place */
        double tolerance = s < DBL_MIN ? 1e-3 : ROUNDING;
        const double x[3] = {2 * s, -3 * s, 6 * s};
        assert_true(nt_direction(x, 3, unit));
        assert_true(fabs(unit[0] - 2.0 / 7) <= tolerance);
        assert_true(fabs(unit[1] + 3.0 / 7) <= tolerance);
        assert_true(fabs(unit[2] - 6.0 / 7) <= tolerance);
    }
}

/* Along an axis there is no rounding at all; in place; four components. */
static void axes(void **state)
{
    (void)state;
    static const double scales[] = {DBL_TRUE_MIN, 1e-200, 0.3, 1, 1e200, DBL_MAX};
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++)
        for (int k = 0; k < 4; k++)
            for (int sign = -1; sign <= 1; sign += 2) {
                double x[4] = {0, 0, 0, 0};
                x[k] = sign * scales[i];
                assert_true(nt_direction(x, 4, x));
                for (int j = 0; j < 4; j++)
                    assert_true(x[j] == (j == k ? sign : 0));
            }
}

/* One component that is nothing beside another. */
static void uneven(void **state)
{
    (void)state;
    const double x[3] = {1e-200, 0, -1e200};
    double unit[3];
    assert_true(nt_direction(x, 3, unit));
    assert_true(unit[0] == 0 && unit[1] == 0 && unit[2] == -1);
}

static void without_direction(void **state)
{
    (void)state;
    const double none[][3] = {{0, 0, 0},
                              {-0.0, 0, -0.0},
                              {1, (double)NAN, 0},
                              {0, 0, (double)INFINITY},
                              {-(double)INFINITY, 1, 1}};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        double unit[3] = {5, 6, 7};
        assert_false(nt_direction(none[i], 3, unit));
        assert_true(unit[0] == 5 && unit[1] == 6 && unit[2] == 7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths),
        cmocka_unit_test(axes),
        cmocka_unit_test(uneven),
        cmocka_unit_test(without_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
