/* Sobol's sequence with the directions of Joe & Kuo, "Constructing Sobol sequences with better
 * two-dimensional projections", SIAM J. Sci. Comput. 30, 2635-2654 (2008): their table
 * new-joe-kuo-6.21201, its first 127 rows.
 *
 * A row holds a primitive polynomial over the integers modulo 2,
 *
 *   x^s + a_1 x^(s-1) + ... + a_(s-1) x + 1,     as the number 1 a_1 ... a_(s-1) 1 in base 2,
 *
 * and odd m_1 ... m_s, m_k < 2^k. Further ones follow
 *
 *   m_k = 2 a_1 m_(k-1) ^ 4 a_2 m_(k-2) ^ ... ^ 2^s m_(k-s) ^ m_(k-s)
 *
 * with directions v_k = m_k / 2^k. Point i is the sum modulo 2 of the v_k for the ones of i. */
#include "sweep/sweep.h"

enum { BITS = 32, MOST_DEGREE = 18 };

static const struct {
    int polynomial;
    int m[MOST_DEGREE];
} directions[NT_SOBOL_MOST - 1] = {
#include "sweep/sobol_directions.inc"
};

static int degree_of(int polynomial)
{
    int degree = 0;
    while (polynomial >> (degree + 1))
        degree++;
    return degree;
}

uint32_t nt_sobol(int k, uint32_t i)
{
    uint32_t m[BITS], x = 0;
    if (k == 0) { /* all m are 1: the bits of i, reversed */
        for (int j = 0; j < BITS; j++)
            x |= (i >> j & 1u) << (BITS - 1 - j);
        return x;
    }
    int polynomial = directions[k - 1].polynomial, s = degree_of(polynomial);
    for (int j = 0; j < BITS && i >> j; j++) {
        if (j < s)
            m[j] = (uint32_t)directions[k - 1].m[j];
        else {
            m[j] = m[j - s] ^ m[j - s] << s;
            for (int a = 1; a < s; a++)
                if (polynomial >> (s - a) & 1)
                    m[j] ^= m[j - a] << a;
        }
        if (i >> j & 1u)
            x ^= m[j] << (BITS - 1 - j);
    }
    return x;
}
