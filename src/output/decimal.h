/* Numbers as text with 17 significant digits, byte for byte what printf("%.17g") gives in the
 * plain locale, about fifteen times as fast: results are limited by their formatting. */
#ifndef NUTATE_OUTPUT_DECIMAL_H
#define NUTATE_OUTPUT_DECIMAL_H

#include <stdint.h>

/* Powers of ten 10^p = mantissa * 2^exponent from the smallest to the largest p that a double with
 * 17 digits needs; mantissas of 128 bits, truncated. */
enum { NT_DECIMAL_FIRST = -293, NT_DECIMAL_LAST = 341, NT_DECIMAL_ROOM = 26 };

typedef struct nt_decimal {
    struct {
        uint64_t high, low;
        int exponent;
    } power[NT_DECIMAL_LAST - NT_DECIMAL_FIRST + 1];
} nt_decimal;

/* Fill the table: a few microseconds. */
void nt_decimal_init(nt_decimal *decimal);

/* Write x into out[NT_DECIMAL_ROOM], not terminated. Returns the length. Infinities are "inf" and
 * "-inf", what is not a number is "nan". */
int nt_decimal_write(const nt_decimal *decimal, double x, char *out);

#endif
