/* Discrete Fourier transforms of any length in double precision, and spectra of samples.
 *
 *   X_k = sum_j x_j w^(j k),   w = exp(-2 pi i/n)
 *
 * Lengths that are powers of two by halving: even and odd samples have transforms E and O of half
 * the length, X_k = E_k + w^k O_k and X_(k + n/2) = E_k - w^k O_k. Any other by Bluestein: with
 * j k = (j^2 + k^2 - (k - j)^2)/2 and c_j = exp(-pi i j^2/n)
 *
 *   X_k = c_k sum_j (x_j c_j) conj(c_(k - j)),
 *
 * a convolution, which transforms of a power of two above 2 n - 2 do. Every factor is a sine and a
 * cosine of its own angle, j^2 reduced exactly, so that errors grow like the logarithm of n. */
#include "base/error.h"
#include "base/number.h"

#include <math.h>
#include <nutate/output.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct complex_number {
    double re, im;
} complex_number;

static complex_number times(complex_number a, complex_number b)
{
    return (complex_number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* exp(-2 pi i part/n), by the octant so that the axes and diagonals are met exactly. */
static complex_number root(uint64_t part, uint64_t n)
{
    uint64_t quarter = 4 * part / n, rest = 4 * part - quarter * n; /* angle = pi/2 rest/n there */
    bool mirrored = 2 * rest > n;
    double angle = NT_PI / 2 * (double)(mirrored ? n - rest : rest) / (double)n;
    double c = mirrored ? sin(angle) : cos(angle), s = mirrored ? cos(angle) : sin(angle);
    switch (quarter) {
    case 0:
        return (complex_number){c, -s};
    case 1:
        return (complex_number){-s, -c};
    case 2:
        return (complex_number){-c, s};
    default:
        return (complex_number){s, c};
    }
}

/* ---- powers of two ----------------------------------------------------------------------------
 */

/* Samples in the order in which halving ends: that of their numbers' bits backwards. */
static void turn_bits(complex_number *x, size_t n)
{
    for (size_t i = 1, j = 0; i < n; i++) {
        size_t bit = n >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j |= bit;
        if (i < j) {
            complex_number kept = x[i];
            x[i] = x[j];
            x[j] = kept;
        }
    }
}

/* roots[n/2] of n */
static void transform_power(complex_number *x, size_t n, const complex_number *roots)
{
    turn_bits(x, n);
    for (size_t half = 1; half < n; half *= 2)
        for (size_t from = 0; from < n; from += 2 * half)
            for (size_t k = 0; k < half; k++) {
                complex_number *a = &x[from + k], *b = a + half;
                complex_number turned = times(*b, roots[k * (n / (2 * half))]);
                *b = (complex_number){a->re - turned.re, a->im - turned.im};
                *a = (complex_number){a->re + turned.re, a->im + turned.im};
            }
}

/* ---- any length ---------------------------------------------------------------------------------
 */

static void conjugate(complex_number *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i].im = -x[i].im;
}

/* chirp[n], roots[m/2], a[m], b[m], with m >= 2 n - 1 a power of two */
static void transform_any(complex_number *x, size_t n, size_t m, complex_number *chirp,
                          const complex_number *roots, complex_number *a, complex_number *b)
{
    uint64_t square = 0; /* j^2 modulo 2 n */
    for (uint64_t j = 0; j < n; j++) {
        chirp[j] = root(square, 2 * n);
        square = (square + 2 * j + 1) % (2 * n);
    }
    memset(a, 0, m * sizeof *a);
    memset(b, 0, m * sizeof *b);
    for (size_t j = 0; j < n; j++) {
        a[j] = times(x[j], chirp[j]);
        complex_number c = {chirp[j].re, -chirp[j].im};
        b[j] = c;
        b[(m - j) % m] = c;
    }
    transform_power(a, m, roots);
    transform_power(b, m, roots);
    for (size_t i = 0; i < m; i++)
        a[i] = times(a[i], b[i]);
    conjugate(a, m); /* and back again: the inverse, but for 1/m */
    transform_power(a, m, roots);
    conjugate(a, m);
    for (size_t k = 0; k < n; k++) {
        complex_number c = times(a[k], chirp[k]);
        x[k] = (complex_number){c.re / (double)m, c.im / (double)m};
    }
}

enum { LONGEST = 1 << 28 }; /* samples */

nt_status nt_fourier_transform(double *values, long n, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "values", values);
    if (n < 1 || n > LONGEST)
        return nt_fail(error, NT_INVALID, "a transform of %ld numbers, expected 1 to %d", n,
                       LONGEST);
    size_t count = (size_t)n, m = 1;
    bool power = (count & (count - 1)) == 0;
    while (m < (power ? count : 2 * count - 1))
        m *= 2;
    complex_number *x = (complex_number *)(void *)values;
    complex_number *work = calloc(m / 2 + 1 + (power ? 0 : 2 * m + count), sizeof *work);
    if (!work)
        return nt_fail(error, NT_NO_MEMORY, "out of memory for a transform of %ld numbers", n);
    for (uint64_t k = 0; k < m / 2; k++)
        work[k] = root(k, m);
    complex_number *chirp = work + m / 2 + 1;
    if (power)
        transform_power(x, count, work);
    else
        transform_any(x, count, m, chirp, work, chirp + count, chirp + count + m);
    free(work);
    return NT_OK;
}

/* ---- spectra ------------------------------------------------------------------------------------
 */

/* Cosine series of the windows, w_j = sum_k (-1)^k c_k cos(2 pi k j/n): none, Hann, and the flat
 * top of ISO 18431-2, whose amplitudes hold between lines too. */
enum { TERMS = 5 };
static const double window_terms[][TERMS] = {
    [NT_WINDOW_NONE] = {1},
    [NT_WINDOW_HANN] = {0.5, 0.5},
    [NT_WINDOW_FLAT_TOP] = {1, 1.933, 1.286, 0.388, 0.0322},
};

nt_status nt_spectrum(const double *samples, long n, nt_window window, double *amplitude,
                      nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "samples amplitude", samples, amplitude);
    NT_NEED_NUMBER(error, "window", window, NT_WINDOW_NONE, NT_WINDOW_FLAT_TOP);
    if (n < 2 || n > LONGEST)
        return nt_fail(error, NT_INVALID, "a spectrum of %ld samples, expected 2 to %d", n,
                       LONGEST);
    double *x = calloc((size_t)n, 2 * sizeof *x), mean = 0, weight = 0;
    if (!x)
        return nt_fail(error, NT_NO_MEMORY, "out of memory for a spectrum of %ld samples", n);
    for (long j = 0; j < n; j++)
        mean += samples[j] / (double)n;
    for (long j = 0; j < n; j++) {
        double w = 0;
        for (int k = 0; k < TERMS; k++)
            w += (k % 2 ? -1 : 1) * window_terms[window][k] *
                 root((uint64_t)k * (uint64_t)j % (uint64_t)n, (uint64_t)n).re;
        x[2 * j] = w * (samples[j] - mean);
        weight += w;
    }
    nt_status status = nt_fourier_transform(x, n, error);
    amplitude[0] = mean;
    for (long k = 1; k <= n / 2 && status == NT_OK; k++)
        amplitude[k] = (2 * k == n ? 1 : 2) * hypot(x[2 * k], x[2 * k + 1]) / weight;
    free(x);
    return nt_said(error, status);
}
