/* Logarithm and exponential without branches and calls, for loops over lanes: the compiler turns
 * them into vector instructions. Polynomials and splitting of arguments are those of FDLIBM (Sun
 * Microsystems 1993, freely usable); errors are below two units of the last place. */
#ifndef NUTATE_MODEL_LANE_MATH_H
#define NUTATE_MODEL_LANE_MATH_H

#include "base/target.h"

#include <stdint.h>
#include <string.h>

NT_INLINE uint64_t lane_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
NT_INLINE double lane_double(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* x positive, finite and no subnormal. x = 2^k m with m between sqrt(1/2) and sqrt(2); with
 * f = m - 1 and s = f/(2 + f), ln m = 2 atanh(s) = f - f^2/2 + s (f^2/2 + R(s^2)). */
NT_INLINE double lane_log(double x)
{
    const uint64_t root_half = 0x3fe6a09e667f3bcdu, one = 0x3ff0000000000000u;
    const uint64_t big = 0x4330000000000000u; /* 2^52: its last bits count ones */
    uint64_t shifted = lane_bits(x) + (one - root_half);
    double k = lane_double((shifted >> 52) | big) - (0x1p52 + 1023);
    double f = lane_double((shifted & 0x000fffffffffffffu) + root_half) - 1;
    double half = 0.5 * f * f, s = f / (2 + f), z = s * s, w = z * z;
    double even = w * (3.999999999940941908e-01 +
                       w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
    double odd = z * (6.666666666666735130e-01 +
                      w * (2.857142874366239149e-01 +
                           w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
    double low = s * (half + even + odd) + k * 1.90821492927058770002e-10;
    return k * 6.93147180369123816490e-01 - ((half - low) - f);
}

/* x between -700 and 700: outside it is that of the nearer bound. x = k ln 2 + r. */
NT_INLINE double lane_exp(double x)
{
    const double round = 0x1.8p52; /* a sum with it has no fraction, and its last bits are k */
    x = x < -700 ? -700 : x > 700 ? 700 : x;
    double shifted = x * 1.44269504088896338700e+00 + round, k = shifted - round;
    double high = x - k * 6.93147180369123816490e-01, low = k * 1.90821492927058770002e-10;
    double r = high - low, t = r * r;
    double c =
        r - t * (1.66666666666666019037e-01 +
                 t * (-2.77777777770155933842e-03 +
                      t * (6.61375632143793436117e-05 +
                           t * (-1.65339022054652515390e-06 + t * 4.13813679705723846039e-08))));
    double y = 1 - ((low - (r * c) / (2 - c)) - high);
    return lane_double(lane_bits(y) + (lane_bits(shifted) << 52));
}

#endif
