#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Pieces of a cache line or more begin on one; smaller ones on 16 bytes. */
enum { ALIGNMENT = 64, SMALL = 16, CHUNK = 1 << 14 };

struct nt_arena_chunk {
    alignas(ALIGNMENT) struct nt_arena_chunk *next;
    size_t used, room; /* bytes behind this header */
};

static struct nt_arena_chunk *chunk_create(size_t room)
{
    size_t bytes = sizeof(struct nt_arena_chunk) + room;
    struct nt_arena_chunk *chunk = aligned_alloc(ALIGNMENT, bytes);
    if (chunk) {
        memset(chunk, 0, bytes);
        chunk->room = room;
    }
    return chunk;
}

void *nt_arena_take(nt_arena *arena, size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX / 4) / size)
        return NULL;
    size_t alignment = count * size < ALIGNMENT ? SMALL : ALIGNMENT;
    size_t bytes = (count * size + alignment - 1) / alignment * alignment;
    struct nt_arena_chunk *chunk = arena->chunks;
    size_t start = chunk ? (chunk->used + alignment - 1) / alignment * alignment : 0;
    if (!chunk || start > chunk->room || chunk->room - start < bytes) {
        size_t whole = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        struct nt_arena_chunk *fresh = chunk_create(bytes > CHUNK / 4 ? whole : CHUNK);
        if (!fresh)
            return NULL;
        if (chunk && bytes > CHUNK / 4) { /* a large piece of its own: keep filling the old chunk */
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
    chunk->used = start + bytes;
    arena->bytes += bytes;
    return piece;
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
        free(chunk);
    }
    arena->chunks = NULL;
    arena->bytes = 0;
}
