/* The kind of a machine: what bits depend on. Our own code gives the same on all of them (no
 * contraction, one order of operations); sines and exponentials are libm's, which chooses its code
 * by the processor. */
#include "sweep/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif

static const char *processor(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    const char *tuned = getenv("GLIBC_TUNABLES");
    if (tuned && strstr(tuned, NT_SWEEP_PORTABLE))
        return "x86-64, portable";
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        return "x86-64-v4";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return "x86-64-v3";
    return __builtin_cpu_supports("sse4.2") ? "x86-64-v2" : "x86-64";
#else
    return "another processor";
#endif
}

void nt_sweep_kind(char *text, int size)
{
    const char *libm = "libm of another kind";
    char glibc[64];
#if defined(__GLIBC__)
    snprintf(glibc, sizeof glibc, "glibc %s", gnu_get_libc_version());
    libm = glibc;
#else
    (void)glibc;
#endif
    snprintf(text, (size_t)size, "%s; %s; nutate %s, %s%s", processor(), libm, nt_version(),
#if defined(__clang__)
             "clang " __clang_version__,
#elif defined(__GNUC__)
             "gcc " __VERSION__,
#else
             "another compiler",
#endif
#if defined(__OPTIMIZE__)
             ", optimised"
#else
             ""
#endif
    );
    for (char *c = text; *c; c++)
        if (*c == '\n' || *c == '\t')
            *c = ' ';
}
