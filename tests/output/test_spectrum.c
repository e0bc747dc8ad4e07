/* Fourier transforms against the sum itself in extended precision and against known ones; spectra
 * of samples. With an argument: reads samples and writes their transform, for comparison. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <nutate/nutate.h>

static const long double PI = 3.141592653589793238462643383279502884L;

static double *numbers(long n)
{
    double *x = malloc(2 * (size_t)n * sizeof *x);
    assert_non_null(x);
    uint32_t state = 12345;
    for (long i = 0; i < 2 * n; i++) {
        state = state * 1664525u + 1013904223u;
        x[i] = (double)(state >> 8) / (1 << 23) - 1;
    }
    return x;
}

/* Largest |X_k - exact| relative to the root of the sum of squares. */
static double off_from_sum(const double *x, const double *X, long n)
{
    long double most = 0, square = 0, *c = malloc(2 * (size_t)n * sizeof *c), *s = c + n;
    assert_non_null(c);
    for (long j = 0; j < n; j++)
        c[j] = cosl(2 * PI * j / n), s[j] = sinl(-2 * PI * j / n);
    for (long j = 0; j < 2 * n; j++)
        square += (long double)x[j] * x[j];
    for (long k = 0; k < n; k++) {
        long double re = 0, im = 0;
        for (long j = 0; j < n; j++) {
            long i = j * k % n;
            re += x[2 * j] * c[i] - x[2 * j + 1] * s[i];
            im += x[2 * j] * s[i] + x[2 * j + 1] * c[i];
        }
        most = fmaxl(most, hypotl(re - X[2 * k], im - X[2 * k + 1]));
    }
    free(c);
    return (double)(most / sqrtl(square));
}

/* Rounding, which grows with the logarithm of the length: 1e-15 for the powers of two, 3e-15 for
 * the others, was seen. */
static void any_length_is_the_sum(void **unused)
{
    (void)unused;
    static const long lengths[] = {1,  2,  3,  4,  5,   6,   7,   8,   9,    12,   15,   16,
                                   17, 31, 32, 60, 100, 127, 128, 243, 1000, 1021, 1024, 2187};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        long n = lengths[i];
        double *x = numbers(n), *X = numbers(n);
        nt_error error;
        assert_int_equal(nt_fourier_transform(X, n, &error), NT_OK);
        double off = off_from_sum(x, X, n);
        if (!(off < 8e-15))
            fail_msg("length %ld: off by %.3g", n, off);
        free(x);
        free(X);
    }
}

/* A pulse has all frequencies alike, a constant one alone; of a^j, a < 1, (1 - a^n)/(1 - a w^k). */
static void known_transforms(void **unused)
{
    (void)unused;
    static const long lengths[] = {64, 360, 9973, 65536, 100003};
    for (int i = 0; i < 5; i++) {
        long n = lengths[i];
        double *x = calloc(2 * (size_t)n, sizeof *x), a = 0.9, power = 1;
        assert_non_null(x);
        x[0] = 1;
        assert_int_equal(nt_fourier_transform(x, n, NULL), NT_OK);
        for (long k = 0; k < n; k++)
            assert_true(fabs(x[2 * k] - 1) < 1e-13 && fabs(x[2 * k + 1]) < 1e-13);
        for (long j = 0; j < n; j++, power *= a)
            x[2 * j] = power, x[2 * j + 1] = 0;
        assert_int_equal(nt_fourier_transform(x, n, NULL), NT_OK);
        for (long k = 0; k < n; k++) {
            double angle = (double)(2 * PI * k / n);
            double re = 1 - a * cos(angle), im = a * sin(angle), square = re * re + im * im;
            assert_true(fabs(x[2 * k] - (1 - power) * re / square) < 2e-12);
            assert_true(fabs(x[2 * k + 1] + (1 - power) * im / square) < 2e-12);
        }
        free(x);
    }
}

/* Amplitudes of two sines and the mean, on lines; with the flat top also between lines. */
static void spectra(void **unused)
{
    (void)unused;
    enum { N = 1500 };
    static double x[N], amplitude[N / 2 + 1];
    nt_error error;
    for (int window = NT_WINDOW_NONE; window <= NT_WINDOW_FLAT_TOP; window++) {
        for (int j = 0; j < N; j++)
            x[j] = 7 + 3 * sin((double)(2 * PI * 40 * j / N) + 0.3) +
                   0.01 * cos((double)(2 * PI * 200 * j / N)) + 0.5 * (j % 2 ? -1 : 1);
        assert_int_equal(nt_spectrum(x, N, (nt_window)window, amplitude, &error), NT_OK);
        assert_true(fabs(amplitude[0] - 7) < 1e-12 && fabs(amplitude[40] - 3) < 1e-12);
        assert_true(fabs(amplitude[200] - 0.01) < 1e-12 && fabs(amplitude[N / 2] - 0.5) < 1e-12);
        assert_true(amplitude[100] < 1e-12);
    }
    for (double line = 60; line <= 61; line += 0.125) {
        double most = 0;
        for (int j = 0; j < N; j++)
            x[j] = sin((double)(2 * PI * line * j / N));
        assert_int_equal(nt_spectrum(x, N, NT_WINDOW_FLAT_TOP, amplitude, &error), NT_OK);
        for (int k = 1; k <= N / 2; k++)
            most = fmax(most, amplitude[k]);
        assert_true(fabs(most - 1) < 1.2e-3);
    }
}

static void refusals(void **unused)
{
    (void)unused;
    double x[4] = {0};
    nt_error error;
    assert_int_equal(nt_fourier_transform(x, 0, &error), NT_INVALID);
    assert_int_equal(nt_fourier_transform(x, -1, &error), NT_INVALID);
    assert_int_equal(nt_fourier_transform(x, 1L << 40, &error), NT_INVALID);
    assert_int_equal(nt_fourier_transform(NULL, 2, &error), NT_INVALID);
    assert_int_equal(nt_spectrum(x, 1, NT_WINDOW_HANN, x, &error), NT_INVALID);
    assert_int_equal(nt_spectrum(x, 2, (nt_window)7, x, &error), NT_INVALID);
}

/* n, then n pairs from standard input; the transform to standard output. */
static int filter(void)
{
    long n;
    if (scanf("%ld", &n) != 1 || n < 1)
        return 1;
    double *x = calloc(2 * (size_t)n, sizeof *x);
    bool ok = x != NULL;
    for (long i = 0; ok && i < 2 * n; i++)
        ok = scanf("%lf", &x[i]) == 1;
    ok = ok && nt_fourier_transform(x, n, NULL) == NT_OK;
    for (long i = 0; ok && i < n; i++)
        printf("%.17g %.17g\n", x[2 * i], x[2 * i + 1]);
    free(x);
    return !ok;
}

int main(int count, char **arguments)
{
    (void)arguments;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_length_is_the_sum),
        cmocka_unit_test(known_transforms),
        cmocka_unit_test(spectra),
        cmocka_unit_test(refusals),
    };
    return count > 1 ? filter() : cmocka_run_group_tests(tests, NULL, NULL);
}
