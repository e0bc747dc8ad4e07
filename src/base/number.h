/* Pi, and numbers from text, whatever the locale.
 *
 * A number is digits with an optional point and an optional exponent: 12, 0.5, .5, 3., 1e-3.
 * There is no sign, no hexadecimal form, no "inf" and no "nan": a model has no use for them. */
#ifndef NUTATE_BASE_NUMBER_H
#define NUTATE_BASE_NUMBER_H

#include <stdbool.h>

#define NT_PI 3.14159265358979323846

/* Read the number at the start of text[length]; the text need not be terminated.
 * Returns how many characters belong to it, 0 where no number starts.
 * value   the number, correctly rounded; infinite when it is too large for a double        out */
int nt_number_scan(const char *text, int length, double *value);

/* Read a whole text as one number with an optional sign; blanks around it are skipped.
 * Returns false, value untouched, when anything else is there or the number is too large. */
bool nt_number_parse(const char *text, int length, double *value);

#endif
