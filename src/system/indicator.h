/* What an indicator may say of itself beside the ways of <nutate/system.h>. */
#ifndef NUTATE_SYSTEM_INDICATOR_H
#define NUTATE_SYSTEM_INDICATOR_H

/* With NT_INSIDE: it is certain that g moves where it passes zero. Then the branch is left where g
 * is negative by more than rounding; else by more than NT_INDICATOR_LEFT (m, rad, m/s, ...), for
 * what a Newton iteration leaves of a rate at rest is no change of side. */
enum { NT_SHARP = 8 };

/* With NT_INSIDE: g is that of an expression, which may be zero to the last bit for a while, as a
 * force is that acts on one side: whether it is outside does not change while it stands there.
 * NT_AT_EDGE: it is zero, and its zero is no place of the branch. */
enum { NT_MAY_STAND = 16, NT_AT_EDGE = 32 };

/* Whether a value is behind the zero of an indicator (sign: 1 upward, -1): of such a branch,
 * whether it is outside. */
static inline int nt_indicator_passed(unsigned char way, double g, double sign)
{
    return way & NT_MAY_STAND ? g < 0 || (way & NT_AT_EDGE) : g * sign >= 0;
}
static const double NT_INDICATOR_LEFT = 1e-9;

/* Values below this part of the largest one that an indicator has had, or of what it is made of
 * (rounding.c), are zero: rounding makes them where a joint holds what the indicator looks at. */
static const double NT_INDICATOR_ZERO = 1e-13;

#endif
