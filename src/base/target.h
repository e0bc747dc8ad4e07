/* NT_WIDE: compile a function twice, for AVX2 and for any machine, and choose when the program is
 * loaded. Vector instructions do the same operations in the same order: the numbers do not change
 * (nothing here is contracted or reassociated). For static functions: of others the helper that
 * chooses would be exported. */
#ifndef NUTATE_BASE_TARGET_H
#define NUTATE_BASE_TARGET_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__)
#define NT_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define NT_WIDE
#endif

/* Inlined whatever its size: into a loop over lanes, which is vectorised only then. */
#if defined(__GNUC__)
#define NT_INLINE static inline __attribute__((always_inline))
#else
#define NT_INLINE static inline
#endif

#endif
