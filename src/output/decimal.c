#include "output/decimal.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

enum { DIGITS = 17 };
static const uint64_t ten_to_16 = 10000000000000000, ten_to_17 = 100000000000000000;

/* ---- powers of ten -------------------------------------------------------------------------- */

/* Upwards m -> 10 m, downwards m -> m / 10, brought back to 128 bits each time. Up to 10^55 the
 * mantissa, 5^p, fits and is exact. Every other step loses less than two units of its last bit,
 * downwards: after 341 steps a mantissa is too small by less than 2^11 units, and so, by less than
 * 2^12 units of the upper 128 bits, is a product with it. */
enum { LAST_EXACT = 55 };
static const wide slack = 1 << 12;

static void decimal_put(nt_decimal *decimal, int p, wide mantissa, int exponent)
{
    decimal->power[p - NT_DECIMAL_FIRST].high = (uint64_t)(mantissa >> 64);
    decimal->power[p - NT_DECIMAL_FIRST].low = (uint64_t)mantissa;
    decimal->power[p - NT_DECIMAL_FIRST].exponent = exponent;
}

void nt_decimal_init(nt_decimal *decimal)
{
    const wide one = (wide)1 << 127;
    wide m = one;
    int exponent = -127;
    decimal_put(decimal, 0, m, exponent);
    for (int p = 1; p <= NT_DECIMAL_LAST; p++) { /* 10 m = 8 (m + m / 4) */
        wide sum = m + (m >> 2);
        bool carry = sum < m;
        m = carry ? (sum >> 1) | one : sum;
        exponent += carry ? 4 : 3;
        decimal_put(decimal, p, m, exponent);
    }
    m = one, exponent = -127;
    for (int p = -1; p >= NT_DECIMAL_FIRST; p--) { /* m / 10, with 3 or 4 bits more */
        wide quotient = m / 10, rest = m % 10;
        int bits = quotient >> 124 ? 3 : 4;
        m = (quotient << bits) + (rest << bits) / 10;
        exponent -= bits;
        decimal_put(decimal, p, m, exponent);
    }
}

/* ---- digits --------------------------------------------------------------------------------- */

/* x = f 2^(k - 64) with the highest bit of f set; x is finite and positive. */
static uint64_t significand(double x, int *k)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 52);
    uint64_t f = bits << 11;
    if (exponent > 0) {
        *k = exponent - 1022;
        return f | (uint64_t)1 << 63;
    }
    for (*k = -1021; f >> 63 == 0; --*k)
        f <<= 1;
    return f;
}

/* The decimal exponent e and the integer N of 17 digits nearest to x 10^(16 - e), ties to even. The
 * first guess of e is floor((k - 1) log10 2), with log10 2 = 78913 / 2^18 good to every k here.
 * x is finite and positive. False when the product is too close to a tie to be decided. */
static bool shortened(const nt_decimal *decimal, double x, uint64_t *n, int *e)
{
    int k;
    uint64_t f = significand(x, &k);
    *e = (int)(((k - 1) * 78913LL + (1LL << 40)) >> 18) - (1 << 22); /* the exponent, or one less */
    for (;; ++*e) {
        int p = DIGITS - 1 - *e, index = p - NT_DECIMAL_FIRST;
        wide low = (wide)f * decimal->power[index].low;
        wide top = (wide)f * decimal->power[index].high + (low >> 64);
        int shift = -(k + decimal->power[index].exponent); /* x 10^p = top 2^-shift + ... */
        *n = (uint64_t)(top >> shift);
        if (*n >= ten_to_17)
            continue;
        wide half = (wide)1 << (shift - 1), part = top & (2 * half - 1);
        bool up = part > half;
        if (p >= 0 && p <= LAST_EXACT)
            up = up || (part == half && ((uint64_t)low != 0 || (*n & 1)));
        else if (part + slack > half && part <= half)
            return false;
        *n += up;
        if (*n == ten_to_17)
            *n = ten_to_16, ++*e;
        return true;
    }
}

/* Finds the digits by way of the C library, whatever its decimal point looks like. */
static void by_library(double x, uint64_t *n, int *e)
{
    char text[64];
    snprintf(text, sizeof text, "%.*e", DIGITS - 1, x);
    *n = 0;
    *e = 0;
    const char *at = text;
    for (; *at && *at != 'e'; at++)
        if (*at >= '0' && *at <= '9')
            *n = 10 * *n + (uint64_t)(*at - '0');
    sscanf(at, "e%d", e);
}

/* ---- layout --------------------------------------------------------------------------------- */

static const char pairs[201] =
    "00010203040506070809101112131415161718192021222324252627282930313233"
    "34353637383940414243444546474849505152535455565758596061626364656667"
    "6869707172737475767778798081828384858687888990919293949596979899";

/* digits[17] of N; returns how many are left without the zeros at the end. */
static int decimal_spread(uint64_t n, char *digits)
{
    uint32_t upper = (uint32_t)(n / 100000000), lower = (uint32_t)(n % 100000000);
    for (int i = DIGITS - 2; i >= 9; i -= 2, lower /= 100)
        memcpy(digits + i, pairs + 2 * (lower % 100), 2);
    for (int i = 7; i >= 1; i -= 2, upper /= 100)
        memcpy(digits + i, pairs + 2 * (upper % 100), 2);
    digits[0] = (char)('0' + upper);
    int count = DIGITS;
    while (count > 1 && digits[count - 1] == '0')
        count--;
    return count;
}

static char *write_exponent(char *out, int e)
{
    *out++ = 'e';
    *out++ = e < 0 ? '-' : '+';
    e = e < 0 ? -e : e;
    if (e >= 100) {
        *out++ = (char)('0' + e / 100);
        e %= 100;
    }
    memcpy(out, pairs + 2 * e, 2);
    return out + 2;
}

static char *decimal_lay_out(char *out, const char *digits, int count, int e)
{
    if (e < -4 || e >= DIGITS) {
        *out++ = digits[0];
        if (count > 1) {
            *out++ = '.';
            memcpy(out, digits + 1, (size_t)count - 1);
            out += count - 1;
        }
        return write_exponent(out, e);
    }
    if (e < 0) {
        memcpy(out, "0.000", 5);
        out += 1 - e;
        memcpy(out, digits, (size_t)count);
        return out + count;
    }
    int whole = e + 1;
    if (count <= whole) { /* digits[] holds the zeros that were left out */
        memcpy(out, digits, (size_t)whole);
        return out + whole;
    }
    memcpy(out, digits, (size_t)whole);
    out[whole] = '.';
    memcpy(out + whole + 1, digits + whole, (size_t)(count - whole));
    return out + count + 1;
}

int nt_decimal_write(const nt_decimal *decimal, double x, char *out)
{
    char *at = out, digits[DIGITS];
    uint64_t n;
    int e;
    if (isnan(x))
        return memcpy(out, "nan", 3), 3;
    if (signbit(x)) {
        *at++ = '-';
        x = -x;
    }
    if (isinf(x))
        return memcpy(at, "inf", 3), (int)(at - out) + 3;
    if (x == 0)
        return *at = '0', (int)(at - out) + 1;
    if (!shortened(decimal, x, &n, &e))
        by_library(x, &n, &e);
    int count = decimal_spread(n, digits);
    return (int)(decimal_lay_out(at, digits, count, e) - out);
}
