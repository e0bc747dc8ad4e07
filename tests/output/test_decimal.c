/* Numbers as text: the same bytes as printf("%.17g"), for every size and every rounding. */
#include "output/decimal.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static nt_decimal decimal;

static void check(double x)
{
    char text[NT_DECIMAL_ROOM + 1], expected[64];
    int length = nt_decimal_write(&decimal, x, text);
    assert_in_range(length, 1, NT_DECIMAL_ROOM);
    text[length] = '\0';
    snprintf(expected, sizeof expected, "%.17g", x);
    assert_string_equal(text, expected);
}

static void check_both_signs_and_neighbours(double x)
{
    check(x);
    check(-x);
    check(nextafter(x, 0));
    check(nextafter(x, (double)INFINITY));
}

static uint64_t next(uint64_t *state) /* xorshift64 */
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Any bits, numbers as they come from a motion, short decimals, integers. */
static void random_numbers(void **unused)
{
    (void)unused;
    uint64_t state = 88172645463325252u;
    for (int i = 0; i < 100000; i++) {
        uint64_t bits = next(&state);
        double x;
        memcpy(&x, &bits, sizeof x);
        if (isfinite(x))
            check(x);
        check(ldexp((double)(next(&state) >> 11), -(int)(next(&state) % 60) - 20));
        check((double)(int64_t)(next(&state) % 100000) / 1000);
        check((double)(next(&state) >> (next(&state) % 64)));
    }
}

/* Every power of two and of ten: ties, carries to the next decade, the ends of the range. */
static void powers(void **unused)
{
    (void)unused;
    for (int k = -1074; k < 1024; k++) {
        check_both_signs_and_neighbours(ldexp(1, k));
        check(ldexp(3, k - 1));
    }
    for (int e = -323; e <= 308; e++) {
        char text[16];
        for (int m = 1; m < 10; m++) {
            snprintf(text, sizeof text, "%de%d", m, e);
            double x = strtod(text, NULL);
            if (isfinite(x))
                check_both_signs_and_neighbours(x);
        }
    }
}

static void ends(void **unused)
{
    (void)unused;
    char text[NT_DECIMAL_ROOM];
    check(0.0);
    check(-0.0);
    check((double)INFINITY);
    check(-(double)INFINITY);
    check(1.7976931348623157e308);
    check(-1.7976931348623157e308);
    assert_int_equal(nt_decimal_write(&decimal, (double)NAN, text), 3);
    assert_memory_equal(text, "nan", 3);
    assert_int_equal(nt_decimal_write(&decimal, -(double)NAN, text), 3);
    assert_memory_equal(text, "nan", 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_numbers),
        cmocka_unit_test(powers),
        cmocka_unit_test(ends),
    };
    nt_decimal_init(&decimal);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
