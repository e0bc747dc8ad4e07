#include "base/number.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/* ---- the extent of a number ----------------------------------------------------------------- */

static int digits(const char *text, int length, int at)
{
    while (at < length && is_digit(text[at]))
        at++;
    return at;
}

/* An 'e' that no digit follows is not part of the number: the caller sees it as what comes next. */
static int extent(const char *text, int length)
{
    int whole = digits(text, length, 0), end = whole;
    if (end < length && text[end] == '.')
        end = digits(text, length, end + 1);
    if (whole == 0 && end < 2)
        return 0;
    if (end < length && (text[end] == 'e' || text[end] == 'E')) {
        int sign = end + 1 < length && (text[end + 1] == '+' || text[end + 1] == '-');
        int stop = digits(text, length, end + 1 + sign);
        if (stop > end + 1 + sign)
            end = stop;
    }
    return end;
}

/* ---- its value ------------------------------------------------------------------------------ */

/* strtod rounds correctly but reads the decimal point of the thread's locale: it runs in "C". */
static double number_convert(const char *terminated)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = plain ? uselocale(plain) : (locale_t)0;
    double value = strtod(terminated, NULL);
    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
    return value;
}

int nt_number_scan(const char *text, int length, double *value)
{
    char few[64];
    int used = extent(text, length);
    if (used == 0)
        return 0;
    char *copy = used < (int)sizeof few ? few : malloc((size_t)used + 1);
    if (!copy)
        return 0;
    memcpy(copy, text, (size_t)used);
    copy[used] = 0;
    *value = number_convert(copy);
    if (copy != few)
        free(copy);
    return used;
}

bool nt_number_parse(const char *text, int length, double *value)
{
    int at = 0;
    double size;
    while (length > 0 && is_blank(text[length - 1]))
        length--;
    while (at < length && is_blank(text[at]))
        at++;
    bool negative = at < length && text[at] == '-';
    if (negative || (at < length && text[at] == '+'))
        at++;
    int used = nt_number_scan(text + at, length - at, &size);
    if (used == 0 || at + used != length || isinf(size))
        return false;
    *value = negative ? -size : size;
    return true;
}
