/* Numbers of no meaning, the same in every run: where a search begins, or what stands for rounding.
 */
#ifndef NUTATE_BASE_CHANCE_H
#define NUTATE_BASE_CHANCE_H

/* The next number from -1 to 1 after any seed, by the linear congruential sequence modulo 2^32 of
 * Press et al., Numerical Recipes in C (1992), 7.1. Its lowest bits repeat soon and are left out.
 */
static inline double nt_chance(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

#endif
