/* Memory that is sized once and given back as a whole.
 *
 * An arena hands out zeroed pieces and frees them together; those of 64 bytes or more begin at a
 * multiple of 64, smaller ones at a multiple of 16. Everything that a
 * problem or an integrator needs is taken before the first step; a step allocates nothing. The
 * address sanitizer sees each piece alone: to read or write beyond its end, or after its arena was
 * freed, is caught. */
#ifndef NUTATE_BASE_ARENA_H
#define NUTATE_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

typedef struct nt_arena {
    struct nt_arena_chunk *chunks; /* newest first */
    size_t bytes;                  /* handed out so far, for reports */
    size_t next_chunk;             /* bytes of the next one; 0 for the first */
} nt_arena;

/* count * size zeroed bytes, or NULL when memory is out or the product overflows.
 * count = 0 gives a valid pointer. */
void *nt_arena_take(nt_arena *arena, size_t count, size_t size);

/* Arrays of `count` zeroed doubles, one after the other, into arrays[] up to its NULL; false when
 * memory is out. */
bool nt_arena_doubles(nt_arena *arena, size_t count, double **const *arrays);

/* Copy of a string of the given length, terminated. NULL when memory is out. */
char *nt_arena_text(nt_arena *arena, const char *text, size_t length);

/* Free everything. The arena can be used again. */
void nt_arena_free(nt_arena *arena);

/* Typed shorthand: T *p = NT_TAKE(arena, n, T). */
#define NT_TAKE(arena, count, type) ((type *)nt_arena_take((arena), (size_t)(count), sizeof(type)))

/* Several of the same length: NT_DOUBLES(arena, n, &a, &b). */
#define NT_DOUBLES(arena, count, ...)                                                              \
    nt_arena_doubles((arena), (size_t)(count), (double **const[]){__VA_ARGS__, NULL})

#endif
