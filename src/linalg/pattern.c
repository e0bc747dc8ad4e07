/* Block patterns: which blocks may be non-zero, found by hashing, numbered as they come. */
#include "linalg/pattern.h"
#include "base/error.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 16 };

/* The place of (row, column) in an open-addressing table whose size is a power of two: the index
 * of its entry or of the free place where it belongs. */
static int hash_place(const nt_pattern *p, int row, int column)
{
    unsigned mask = (unsigned)p->hash_size - 1;
    unsigned long long key = (unsigned long long)(unsigned)row << 32 | (unsigned)column;
    unsigned at = (unsigned)((key * 0x9E3779B97F4A7C15ULL) >> 32) & mask;
    while (p->hash[at] >= 0 && (p->row[p->hash[at]] != row || p->column[p->hash[at]] != column))
        at = (at + 1) & mask;
    return (int)at;
}

/* An array with room for count elements instead of what it had; NULL when memory is out. */
static void *resized(void *old, int count, size_t size)
{
    return realloc(old, (size_t)count * size);
}

/* Values of a block. */
static long long entries_of(const nt_pattern *p, int row, int column, int shape)
{
    long long rows = p->node_start[row + 1] - p->node_start[row];
    long long columns = p->node_start[column + 1] - p->node_start[column];
    return p->packed && shape == NT_SCALED && rows == 3 ? 1 : rows * columns;
}

/* Arrays for `room` slots; those that there are stay. 0 leaves the pattern usable as it was. */
static int resize(nt_pattern *p, int room)
{
    void *piece;
    if (!(piece = resized(p->row, room, sizeof *p->row)))
        return 0;
    p->row = piece;
    if (!(piece = resized(p->column, room, sizeof *p->column)))
        return 0;
    p->column = piece;
    if (!(piece = resized(p->offset, room + 1, sizeof *p->offset)))
        return 0;
    p->offset = piece;
    if (!(piece = resized(p->shape, room, sizeof *p->shape)))
        return 0;
    p->shape = piece;
    return 1;
}

/* A table with at least that many places instead of the old one. 0 leaves the old one. */
static int rehash(nt_pattern *p, int least)
{
    int size = 2 * FIRST_ROOM;
    while (size < least)
        size *= 2;
    int *hash = malloc((size_t)size * sizeof *hash);
    if (!hash)
        return 0;
    free(p->hash);
    p->hash = hash;
    p->hash_size = size;
    for (int i = 0; i < size; i++)
        hash[i] = -1;
    for (int slot = 0; slot < p->n_slots; slot++)
        hash[hash_place(p, p->row[slot], p->column[slot])] = slot;
    return 1;
}

/* Twice the room for slots, and a table that is at most half full. A failure leaves the pattern
 * usable as it was. */
static int pattern_grow(nt_pattern *p)
{
    if (p->room > INT_MAX / 8)
        return 0;
    int room = p->room ? 2 * p->room : FIRST_ROOM;
    if (!resize(p, room) || !rehash(p, 2 * room))
        return 0;
    p->room = room;
    return 1;
}

nt_status nt_pattern_init(nt_pattern *pattern, int n_nodes, int n_primary, const int *sizes)
{
    memset(pattern, 0, sizeof *pattern);
    if (n_nodes < 0 || n_nodes > INT_MAX / 4 || n_primary < 0 || n_primary > n_nodes)
        return NT_INVALID;
    pattern->n_nodes = n_nodes;
    pattern->n_primary = n_primary;
    pattern->node_start = malloc(((size_t)n_nodes + 1) * sizeof *pattern->node_start);
    if (!pattern->node_start || !pattern_grow(pattern)) {
        nt_pattern_free(pattern);
        return NT_NO_MEMORY;
    }
    pattern->node_start[0] = 0;
    pattern->offset[0] = 0;
    for (int i = 0; i < n_nodes; i++) {
        if (sizes[i] < 1 || sizes[i] > INT_MAX - pattern->node_start[i]) {
            nt_pattern_free(pattern);
            return NT_INVALID;
        }
        pattern->node_start[i + 1] = pattern->node_start[i] + sizes[i];
    }
    pattern->n = pattern->node_start[n_nodes];
    for (int i = n_primary; i < n_nodes; i++)
        if (nt_pattern_add(pattern, i, i, NT_SCALED) < 0) {
            nt_pattern_free(pattern);
            return NT_NO_MEMORY;
        }
    return NT_OK;
}

nt_status nt_pattern_create(nt_pattern **pattern, int n_nodes, int n_primary, const int *sizes)
{
    NT_NEED(NULL, "pattern", pattern);
    *pattern = NULL;
    NT_NEED(NULL, "sizes", sizes);
    *pattern = malloc(sizeof **pattern);
    nt_status status =
        *pattern ? nt_pattern_init(*pattern, n_nodes, n_primary, sizes) : NT_NO_MEMORY;
    if (status != NT_OK) {
        free(*pattern);
        *pattern = NULL;
    }
    return status;
}

void nt_pattern_destroy(nt_pattern *pattern)
{
    if (pattern)
        nt_pattern_free(pattern);
    free(pattern);
}

/* Whether a pattern has a node of this number. */
static int has_node(const nt_pattern *p, int node) { return node >= 0 && node < p->n_nodes; }

int nt_pattern_is_single(const nt_pattern *p, int slot)
{
    return p && slot >= 0 && slot < p->n_slots && p->packed && p->shape[slot] == NT_SCALED &&
           p->node_start[p->row[slot] + 1] - p->node_start[p->row[slot]] == 3;
}

int nt_pattern_find(const nt_pattern *pattern, int row, int column)
{
    if (!pattern || !has_node(pattern, row) || !has_node(pattern, column))
        return -1;
    return pattern->hash[hash_place(pattern, row, column)];
}

void nt_pattern_pack(nt_pattern *pattern)
{
    if (!pattern)
        return;
    pattern->packed = 1;
    for (int slot = 0; slot < pattern->n_slots; slot++)
        pattern->offset[slot + 1] =
            pattern->offset[slot] + (int)entries_of(pattern, pattern->row[slot],
                                                    pattern->column[slot], pattern->shape[slot]);
}

nt_status nt_pattern_unpack(nt_pattern *view, const nt_pattern *pattern)
{
    *view = *pattern;
    view->packed = 0;
    view->offset = malloc(((size_t)pattern->n_slots + 1) * sizeof *view->offset);
    if (!view->offset)
        return NT_NO_MEMORY;
    long long end = 0;
    for (int slot = 0; slot <= pattern->n_slots; slot++) {
        if (end > INT_MAX) {
            nt_pattern_free_view(view);
            return NT_NO_MEMORY;
        }
        view->offset[slot] = (int)end;
        if (slot < pattern->n_slots)
            end += entries_of(view, view->row[slot], view->column[slot], NT_FULL);
    }
    return NT_OK;
}

void nt_pattern_free_view(nt_pattern *view)
{
    free(view->offset);
    view->offset = NULL;
}

/* A block that is there becomes full; -1 where there is no number for its new place. */
static int fill_up(nt_pattern *p, int slot)
{
    long long before = entries_of(p, p->row[slot], p->column[slot], p->shape[slot]);
    long long after = entries_of(p, p->row[slot], p->column[slot], NT_FULL);
    int *end = &p->offset[p->n_slots];
    if (before != after && after > INT_MAX - *end)
        return -1;
    p->shape[slot] = NT_FULL;
    if (before != after) {
        p->offset[slot] = *end;
        *end += (int)after;
    }
    return slot;
}

int nt_pattern_add(nt_pattern *pattern, int row, int column, nt_block_shape shape)
{
    if (!pattern || !has_node(pattern, row) || !has_node(pattern, column) ||
        (shape != NT_FULL && shape != NT_SCALED))
        return -1;
    const int *start = pattern->node_start;
    if (start[row + 1] - start[row] != start[column + 1] - start[column])
        shape = NT_FULL;
    int slot = nt_pattern_find(pattern, row, column);
    if (slot >= 0)
        return shape == NT_FULL ? fill_up(pattern, slot) : slot;
    if (pattern->n_slots == pattern->room && !pattern_grow(pattern))
        return -1;
    slot = pattern->n_slots;
    long long entries = entries_of(pattern, row, column, (int)shape);
    if (entries > INT_MAX - pattern->offset[slot])
        return -1;
    pattern->row[slot] = row;
    pattern->column[slot] = column;
    pattern->shape[slot] = (unsigned char)shape;
    pattern->offset[slot + 1] = pattern->offset[slot] + (int)entries;
    pattern->n_slots++;
    pattern->hash[hash_place(pattern, row, column)] = slot;
    return slot;
}

void nt_pattern_trim(nt_pattern *pattern)
{
    int room = pattern->n_slots > 0 ? pattern->n_slots : 1;
    /* at most three quarters full: a search that finds looks at two or three places, one in vain
     * at nine (Knuth 1973, The Art of Computer Programming 3, section 6.4) */
    if (!rehash(pattern, room + room / 3))
        return;
    pattern->room = room;
    resize(pattern, room); /* what it cannot do leaves an array larger than it need be */
}

void nt_pattern_free(nt_pattern *pattern)
{
    free(pattern->node_start);
    free(pattern->row);
    free(pattern->column);
    free(pattern->offset);
    free(pattern->shape);
    free(pattern->hash);
    memset(pattern, 0, sizeof *pattern);
}
