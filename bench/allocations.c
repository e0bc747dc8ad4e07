/* Calls of malloc and its like, counted: linked with --wrap, so that every object of this program
 * and of the static library comes here. */
#include "speed.h"

#include <stdlib.h>

static long count;
long allocations(void) { return count; }

#define WRAP(name, parameters, arguments)                                                          \
    void *__real_##name parameters;                                                                \
    void *__wrap_##name parameters;                                                                \
    void *__wrap_##name parameters                                                                 \
    {                                                                                              \
        count++;                                                                                   \
        return __real_##name arguments;                                                            \
    }

WRAP(malloc, (size_t size), (size))
WRAP(calloc, (size_t n, size_t size), (n, size))
WRAP(realloc, (void *old, size_t size), (old, size))
WRAP(aligned_alloc, (size_t alignment, size_t size), (alignment, size))
