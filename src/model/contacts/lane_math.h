/* Logarithm and exponential without branches and calls, for loops over lanes: the compiler turns
 * them into vector instructions. The polynomials are those of least greatest error on their ranges;
 * errors are below five units of the last place. */
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
 * s = (m - 1)/(m + 1) and z = s^2 <= 0.0295, ln m = 2 atanh(s) = s (2 + z P(z)). */
typedef struct lane_parted {
    double k, f; /* m - 1 */
} lane_parted;

NT_INLINE lane_parted lane_part(double x)
{
    const uint64_t root_half = 0x3fe6a09e667f3bcdu, one = 0x3ff0000000000000u;
    const uint64_t big = 0x4330000000000000u; /* 2^52: its last bits count ones */
    uint64_t shifted = lane_bits(x) + (one - root_half);
    return (lane_parted){.k = lane_double((shifted >> 52) | big) - (0x1p52 + 1023),
                         .f = lane_double((shifted & 0x000fffffffffffffu) + root_half) - 1};
}

NT_INLINE double lane_log_of(double k, double s)
{
    double z = s * s, w = z * z;
    double even =
        6.66666666666666963e-01 +
        w * (2.85714286260032702e-01 + w * (1.81828894556749471e-01 + w * 1.46165854248886229e-01));
    double odd =
        3.99999999998994438e-01 + w * (2.22222111302598779e-01 + w * 1.53317106182107726e-01);
    return k * 6.93147180559945309417e-01 + s * (2 + z * (even + z * odd));
}

NT_INLINE double lane_log(double x)
{
    lane_parted p = lane_part(x);
    return lane_log_of(p.k, p.f / (2 + p.f));
}

/* Of two numbers with one division, whose share each of them gets by products. */
NT_INLINE void lane_log_both(double x, double y, double *log_x, double *log_y)
{
    lane_parted p = lane_part(x), q = lane_part(y);
    double d = 1 / ((2 + p.f) * (2 + q.f));
    *log_x = lane_log_of(p.k, p.f * (2 + q.f) * d);
    *log_y = lane_log_of(q.k, q.f * (2 + p.f) * d);
}

/* x between -700 and 700. x = k ln 2 + r, |r| <= ln(2)/2, exp(r) = 1 + r + r^2 P(r). */
NT_INLINE double lane_exp_within(double x)
{
    const double round = 0x1.8p52; /* a sum with it has no fraction, and its last bits are k */
    double shifted = x * 1.44269504088896338700e+00 + round, k = shifted - round;
    double r = x - k * 6.93147180369123816490e-01 - k * 1.90821492927058770002e-10;
    double r2 = r * r, r4 = r2 * r2;
    double first = (5.00000000000000111e-01 + r * 1.66666666666666685e-01) +
                   r2 * (4.16666666666241289e-02 + r * 8.33333333333006153e-03);
    double second = (1.38888889172137167e-03 + r * 1.98412698630536177e-04) +
                    r2 * (2.48015212959543761e-05 + r * 2.75572684599970641e-06);
    double third = 2.76200884454097462e-07 + r * 2.51003854955103203e-08;
    double y = 1 + (r + r2 * (first + r4 * (second + r4 * third)));
    return lane_double(lane_bits(y) + (lane_bits(shifted) << 52));
}

/* Any x: outside of -700 to 700 it is that of the nearer bound. */
NT_INLINE double lane_exp(double x) { return lane_exp_within(x < -700 ? -700 : x > 700 ? 700 : x); }

#endif
