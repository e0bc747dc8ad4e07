/* The inner loops for every instruction set that is worth one. No fused multiply-add, so that all
 * of them give the same bits. */
#include "base/target.h"
#include "linalg/block/block.h"
#include "linalg/lanes.h"

#include <float.h>
#include <string.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi" /* vectors are passed between inlined functions only */
#endif

enum {
    LONG_RUN = 128,   /* doubles to clear from which on a call of memset is worth it */
    ROWS_AT_ONCE = 32 /* checked before one of them is looked at again               */
};

#define TARGET
#define NAME(x) x##_portable
#include "linalg/block/block_kernels.inc"
#undef TARGET
#undef NAME

#if defined(__x86_64__)
#define TARGET __attribute__((target("avx2")))
#define NAME(x) x##_avx2
#include "linalg/block/block_kernels.inc"
#undef TARGET
#undef NAME

#define TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#define NAME(x) x##_avx512
#include "linalg/block/block_kernels.inc"
#endif

int nt_block_kernels_here(const nt_block_kernels *best_first[NT_BLOCK_KERNELS])
{
    int count = 0;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        best_first[count++] = &nt_block_kernels_avx512;
    if (__builtin_cpu_supports("avx2"))
        best_first[count++] = &nt_block_kernels_avx2;
#endif
    best_first[count++] = &nt_block_kernels_portable;
    return count;
}
