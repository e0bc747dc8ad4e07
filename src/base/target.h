/* NT_WIDE: compile a function for AVX-512, for AVX2 and for any machine, and choose when the
 * program is loaded. Vector instructions do the same operations in the same order: the numbers do
 * not change (nothing here is contracted or reassociated). Vectors are of four numbers in any case:
 * AVX-512 has twice as many registers for them, which makes a rotor's step 3 % shorter. For static
 * functions: of others the helper that chooses would be exported. */
#ifndef NUTATE_BASE_TARGET_H
#define NUTATE_BASE_TARGET_H

/* Sanitizers: gcc defines macros, clang has features. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NT_ADDRESS_SANITIZER 1
#endif
#if __has_feature(thread_sanitizer)
#define NT_THREAD_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define NT_ADDRESS_SANITIZER 1
#endif
#if defined(__SANITIZE_THREAD__)
#define NT_THREAD_SANITIZER 1
#endif

/* The choice between clones runs before a sanitizer is set up: with one there are none. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(NT_ADDRESS_SANITIZER) && !defined(NT_THREAD_SANITIZER)
#if __GNUC__ >= 12
#define NT_WIDE __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define NT_WIDE __attribute__((target_clones("avx2", "default")))
#endif
#else
#define NT_WIDE
#endif

/* NT_HOT: what every step goes through stands together in the program, wherever its files come in
 * the library: spread over it, the same instructions take a twentieth longer. */
#if defined(__GNUC__)
#define NT_HOT __attribute__((hot))
#else
#define NT_HOT
#endif

/* Arithmetic with numbers below 2.3e-308 is a hundred times slower than with others, and they are
 * rounding noise of what decays: between these two they count as zero. Returns what is to be given
 * back. */
#if defined(__SSE2__)
#include <xmmintrin.h>
static inline unsigned nt_subnormals_off(void)
{
    unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040u); /* results and operands */
    return before;
}
static inline void nt_subnormals_back(unsigned before) { _mm_setcsr(before); }
#else
static inline unsigned nt_subnormals_off(void) { return 0; }
static inline void nt_subnormals_back(unsigned before) { (void)before; }
#endif

/* Inlined whatever its size: into a loop over lanes, which is vectorised only then. */
#if defined(__GNUC__)
#define NT_INLINE static inline __attribute__((always_inline))
#else
#define NT_INLINE static inline
#endif

#endif
