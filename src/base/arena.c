#include "base/arena.h"
#include "base/target.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Pieces of a cache line or more begin on one; smaller ones on 16 bytes. Each chunk is twice as
 * large as the one before, up to a size that the allocator asks the system for and gives back to it
 * when it is freed: chunks that stayed in its heap would leave holes between what lives longer. */
enum { ALIGNMENT = 64, SMALL = 16, CHUNK = 1 << 14, LARGEST_CHUNK = 1 << 18 };

/* Under the address sanitizer nothing of a chunk may be touched but what was taken, byte for byte;
 * between two pieces there are at least two numbers that may not. */
#ifdef NT_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
enum { APART = SMALL };
#else
#define ASAN_POISON_MEMORY_REGION(memory, bytes) ((void)0)
#define ASAN_UNPOISON_MEMORY_REGION(memory, bytes) ((void)0)
enum { APART = 0 };
#endif

struct nt_arena_chunk {
    alignas(ALIGNMENT) struct nt_arena_chunk *next;
    size_t used, room; /* bytes behind this header */
};

static struct nt_arena_chunk *chunk_create(size_t room)
{
    size_t bytes = sizeof(struct nt_arena_chunk) + room;
    struct nt_arena_chunk *chunk = aligned_alloc(ALIGNMENT, bytes);
    if (!chunk)
        return NULL;
    *chunk = (struct nt_arena_chunk){.room = room};
    ASAN_POISON_MEMORY_REGION(chunk + 1, room);
    return chunk;
}

void *nt_arena_take(nt_arena *arena, size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX / 4) / size)
        return NULL;
    size_t alignment = count * size < ALIGNMENT ? SMALL : ALIGNMENT;
    size_t bytes = (count * size + alignment - 1) / alignment * alignment, end = bytes + APART;
    struct nt_arena_chunk *chunk = arena->chunks;
    size_t start = chunk ? (chunk->used + alignment - 1) / alignment * alignment : 0;
    if (!chunk || start > chunk->room || chunk->room - start < end) {
        size_t whole = (end + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        size_t room = arena->next_chunk ? arena->next_chunk : CHUNK;
        bool alone = end > room / 4;
        struct nt_arena_chunk *fresh = chunk_create(alone ? whole : room);
        if (!fresh)
            return NULL;
        if (!alone && room < LARGEST_CHUNK)
            arena->next_chunk = 2 * room;
        if (chunk && alone) { /* keep filling the old chunk */
            fresh->next = chunk->next;
            chunk->next = fresh;
        } else {
            fresh->next = chunk;
            arena->chunks = fresh;
        }
        chunk = fresh;
        start = 0;
    }
    char *piece = (char *)(chunk + 1) + start;
    chunk->used = start + end;
    arena->bytes += bytes;
    ASAN_UNPOISON_MEMORY_REGION(piece, count * size);
    return memset(piece, 0, count * size); /* now: what is never taken is never touched */
}

bool nt_arena_doubles(nt_arena *arena, size_t count, double **const *arrays)
{
    bool good = true;
    for (; *arrays && good; arrays++)
        good = (**arrays = NT_TAKE(arena, count, double)) != NULL;
    return good;
}

char *nt_arena_text(nt_arena *arena, const char *text, size_t length)
{
    char *copy = nt_arena_take(arena, length + 1, 1);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

void nt_arena_free(nt_arena *arena)
{
    for (struct nt_arena_chunk *chunk = arena->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        ASAN_UNPOISON_MEMORY_REGION(chunk + 1, chunk->room);
        free(chunk);
    }
    *arena = (nt_arena){0};
}
