/* The command, counting what it asks for: at its end a line "bytes TOTAL PEAK" goes to standard
 * error. Run under valgrind's cachegrind it counts instructions as well. */
#include "failures/command.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

static size_t total, alive, peak;

static void *count(void *memory)
{
    size_t size = malloc_usable_size(memory);
    total += size;
    alive += size;
    peak = alive > peak ? alive : peak;
    return memory;
}

void *malloc(size_t size) { return count(__libc_malloc(size)); }
void *calloc(size_t number, size_t size) { return count(__libc_calloc(number, size)); }
void *aligned_alloc(size_t alignment, size_t size)
{
    return count(__libc_memalign(alignment, size));
}
void *realloc(void *old, size_t size)
{
    alive -= malloc_usable_size(old);
    return count(__libc_realloc(old, size));
}
void free(void *memory)
{
    alive -= malloc_usable_size(memory);
    __libc_free(memory);
}

int main(int argc, char **arguments)
{
    int status = nutate_main(argc, arguments);
    fprintf(stderr, "bytes %zu %zu\n", total, peak);
    return status;
}
