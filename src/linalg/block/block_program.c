/* From pattern and order to storage, loads, program, rows and core of a block LU. */
#include "linalg/block/block_compiler.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- which blocks there are, and what they are ---------------------------------------------- */

static int fill_in(compiler *c, int promises)
{
    const nt_pattern *p = c->pattern;
    int *sizes = NT_TAKE(&c->scratch, p->n_nodes + 1, int);
    if (!sizes)
        return 0;
    for (int i = 0; i < p->n_nodes; i++)
        sizes[i] = size_of(c, i);
    /* all nodes primary until the slots are copied: they must keep their numbers */
    if (nt_pattern_init(&c->filled, p->n_nodes, p->n_nodes, sizes) != NT_OK)
        return 0;
    c->filled.n_primary = p->n_primary;
    for (int slot = 0; slot < p->n_slots; slot++)
        if (nt_pattern_add(&c->filled, p->row[slot], p->column[slot],
                           promises ? (nt_block_shape)p->shape[slot] : NT_FULL) != slot)
            return 0;
    for (int slot = 0; slot < p->n_slots; slot++)
        if (nt_pattern_add(&c->filled, p->column[slot], p->row[slot], NT_SCALED) < 0)
            return 0;
    for (int i = 0; i < p->n_nodes; i++)
        if (nt_pattern_add(&c->filled, i, i, NT_SCALED) < 0)
            return 0;
    for (int k = 0; k < c->order.n_light; k++) {
        int count;
        const int *near = neighbours(c, k, &count);
        for (int i = 0; i < count; i++)
            for (int j = 0; j < count; j++)
                if (nt_pattern_add(&c->filled, near[i], near[j], NT_SCALED) < 0)
                    return 0;
    }
    return 1;
}

/* Whether light node k and all its couplings are multiples of the identity. Bodies only: a
 * multiplier must be able to lose single unknowns. */
static int is_scaled(const compiler *c, int k)
{
    int node = c->order.node[k], count;
    const int *near = neighbours(c, k, &count);
    const unsigned char *shape = c->filled.shape;
    if (node >= c->pattern->n_primary || size_of(c, node) != 3 ||
        shape[find(c, node, node)] != NT_SCALED)
        return 0;
    for (int i = 0; i < count; i++)
        if (size_of(c, near[i]) != 3 || shape[find(c, node, near[i])] != NT_SCALED ||
            shape[find(c, near[i], node)] != NT_SCALED)
            return 0;
    return 1;
}

/* In elimination order: which blocks change, which stay multiples of the identity. */
static void find_shapes(compiler *c)
{
    for (int k = 0; k < c->order.n_light; k++) {
        int node = c->order.node[k], count;
        const int *near = neighbours(c, k, &count);
        c->scaled[k] = (unsigned char)is_scaled(c, k);
        if (!c->scaled[k])
            c->full[find(c, node, node)] = 1;
        for (int i = 0; i < count; i++) {
            if (!c->scaled[k])
                c->full[find(c, node, near[i])] = c->full[find(c, near[i], node)] = 1;
            for (int j = 0; j < count; j++) {
                int target = find(c, near[i], near[j]);
                c->changed[target] = 1;
                if (!c->scaled[k])
                    c->filled.shape[target] = NT_FULL;
            }
        }
    }
    for (int b = 0; b < c->filled.n_slots; b++) {
        int k = c->order.position[c->filled.row[b]], l = c->order.position[c->filled.column[b]];
        if (c->filled.shape[b] == NT_FULL || (k >= c->order.n_light && l >= c->order.n_light) ||
            size_of(c, c->filled.row[b]) != 3 || size_of(c, c->filled.column[b]) != 3)
            c->full[b] = 1;
    }
}

/* ---- places in store ------------------------------------------------------------------------ */

static int take_store(compiler *c, int count)
{
    int at = c->cursor;
    if (count > INT_MAX / 2 - c->cursor) {
        c->overflow = 1;
        return 0;
    }
    c->cursor += count;
    return at;
}

static int place_single(compiler *c)
{
    if (c->single == c->single_end) {
        c->single = take_store(c, 4);
        c->single_end = c->single + 4;
    }
    return c->single++;
}

static int place_block(compiler *c, int b, int full)
{
    if (!full)
        return place_single(c);
    return take_store(c, nt_padded(size_of(c, c->filled.row[b])) * size_of(c, c->filled.column[b]));
}

static void program_touch(int *window, int b, int w)
{
    if (w < window[b])
        window[b] = w;
}

/* Sort the blocks by the window that touches them first. */
static int find_touched(compiler *c)
{
    int blocks = c->filled.n_slots;
    int *window = NT_TAKE(&c->scratch, blocks + 1, int);
    c->touched = NT_TAKE(&c->scratch, blocks + 1, int);
    c->touched_start = NT_TAKE(&c->scratch, c->n_windows + 2, int);
    c->clear = NT_TAKE(&c->scratch, 2 * c->n_windows + 2, int);
    if (!window || !c->touched || !c->touched_start || !c->clear)
        return 0;
    for (int b = 0; b < blocks; b++)
        window[b] = window_of(c, c->order.position[c->filled.row[b]]);
    for (int k = 0; k < c->order.n_light; k++) {
        int node = c->order.node[k], count, w = k / NT_WINDOW;
        const int *near = neighbours(c, k, &count);
        program_touch(window, find(c, node, node), w);
        for (int i = 0; i < count; i++) {
            program_touch(window, find(c, node, near[i]), w);
            program_touch(window, find(c, near[i], node), w);
            for (int j = 0; j < count; j++)
                program_touch(window, find(c, near[i], near[j]), w);
        }
    }
    for (int b = 0; b < blocks; b++)
        c->touched_start[window[b] + 2]++;
    for (int w = 0; w < c->n_windows; w++)
        c->touched_start[w + 2] += c->touched_start[w + 1];
    for (int b = 0; b < blocks; b++)
        c->touched[c->touched_start[window[b] + 1]++] = b;
    return 1;
}

/* Sort the nodes by the window that needs their unknowns first, going forward. */
static int find_needed(compiler *c)
{
    int nodes = c->pattern->n_nodes;
    int *window = NT_TAKE(&c->scratch, nodes + 1, int);
    c->needed = NT_TAKE(&c->scratch, nodes + 1, int);
    c->needed_start = NT_TAKE(&c->scratch, c->n_windows + 2, int);
    if (!window || !c->needed || !c->needed_start)
        return 0;
    for (int i = 0; i < nodes; i++)
        window[i] = window_of(c, c->order.position[i]);
    for (int k = 0; k < c->order.n_light; k++) {
        int count;
        const int *near = neighbours(c, k, &count);
        program_touch(window, c->order.node[k], k / NT_WINDOW);
        for (int i = 0; i < count; i++)
            program_touch(window, near[i], k / NT_WINDOW);
    }
    for (int i = 0; i < nodes; i++)
        c->needed_start[window[i] + 2]++;
    for (int w = 0; w < c->n_windows; w++)
        c->needed_start[w + 2] += c->needed_start[w + 1];
    for (int i = 0; i < nodes; i++)
        c->needed[c->needed_start[window[i] + 1]++] = i;
    return 1;
}

/* A block that the matrix has and that is kept as one number. */
static int kept_single(const compiler *c, int b)
{
    int single = c->pattern->shape[b] == NT_SCALED && !c->block->broken_promises &&
                 size_of(c, c->pattern->row[b]) == 3;
    /* a changed block is kept for the residual alone, as narrow as the matrix allows */
    return c->changed[b] ? single : !c->full[b];
}

/* Window by window: what is kept of the matrix, what elimination works on, inverses. */
static void place_all(compiler *c)
{
    for (int b = 0; b < c->filled.n_slots; b++)
        c->keep[b] = c->work[b] = -1;
    for (int w = 0; w < c->n_windows; w++) {
        const int *begin = c->touched + c->touched_start[w];
        const int *end = c->touched + c->touched_start[w + 1];
        c->block->window[w].store = c->cursor;
        for (const int *b = begin; b < end; b++)
            if (*b < c->pattern->n_slots)
                c->keep[*b] = place_block(c, *b, !kept_single(c, *b));
        c->single = c->single_end = 0;
        c->clear[2 * w] = c->cursor;
        for (const int *b = begin; b < end; b++)
            if (c->changed[*b] || *b >= c->pattern->n_slots)
                c->work[*b] = place_block(c, *b, c->full[*b]);
        c->clear[2 * w + 1] = c->cursor;
        c->single = c->single_end = 0;
        for (int k = w * NT_WINDOW; k < (w + 1) * NT_WINDOW && k < c->order.n_light; k++) {
            int diagonal = find(c, c->order.node[k], c->order.node[k]);
            c->inverse[k] = c->work[diagonal] >= 0 ? c->work[diagonal]
                                                   : place_block(c, diagonal, !c->scaled[k]);
        }
        c->single = c->single_end = 0;
    }
}

static int write_loads(compiler *c)
{
    nt_block_lu *block = c->block;
    const nt_pattern *p = c->pattern;
    block->load = NT_TAKE(&block->arena, p->n_slots + 1, nt_load);
    if (!block->load)
        return 0;
    for (int b = 0; b < p->n_slots; b++) {
        int rows = size_of(c, p->row[b]), columns = size_of(c, p->column[b]);
        int kind = rows == 3 && columns == 3 ? NT_LOAD_FULL : NT_LOAD_GENERAL;
        if (kept_single(c, b))
            kind = c->changed[b] && c->full[b] ? NT_LOAD_DIAGONAL : NT_LOAD_SCALED;
        else if (nt_pattern_is_single(p, b))
            kind = NT_LOAD_SPREAD;
        block->load[b] = (nt_load){kind, rows, columns, p->offset[b], c->keep[b], c->work[b]};
    }
    return 1;
}

/* ---- all of it ----------------------------------------------------------------------------- */

static int program_take_vectors(nt_block_lu *block)
{
    int at = 0;
    for (int k = 0; k < block->pattern->n_nodes; k++)
        at += nt_padded(block->pattern->node_start[k + 1] - block->pattern->node_start[k]);
    block->n_padded = at;
    for (int v = 0; v < NT_BLOCK_VECTORS; v++)
        if (!(block->vector[v] = NT_TAKE(&block->arena, at + 4, double)))
            return 0;
    size_t n = (size_t)block->pattern->n;
    block->left_out = NT_TAKE(&block->arena, n + 1, unsigned char);
    block->dropped = NT_TAKE(&block->arena, n + 1, unsigned char);
    block->position = NT_TAKE(&block->arena, block->pattern->n_nodes + 1, int);
    block->unknown = NT_TAKE(&block->arena, at / 4 + 1, int);
    block->multiplier = NT_TAKE(&block->arena, at / 4 + 1, unsigned char);
    return block->left_out && block->dropped && block->position && block->unknown &&
           block->multiplier;
}

/* Takes the scratch for the widest pivot block, of a node or of a front. */
static int take_pivot_scratch(nt_block_lu *block)
{
    int widest = block->core.widest;
    for (int k = 0; k < block->pattern->n_nodes; k++) {
        int size = block->pattern->node_start[k + 1] - block->pattern->node_start[k];
        if (size > widest)
            widest = size;
    }
    block->pivot_scale = NT_TAKE(&block->arena, widest + 1, double);
    block->pivot_out = NT_TAKE(&block->arena, widest + 1, unsigned char);
    return block->pivot_scale && block->pivot_out;
}

nt_status nt_block_compile(nt_block_lu *block, int promises)
{
    nt_status status = NT_NO_MEMORY;
    compiler c = {.block = block, .pattern = block->pattern};
    block->broken_promises = !promises;
    if (nt_order_find(&c.order, c.pattern, &c.scratch) != NT_OK || !program_take_vectors(block) ||
        !fill_in(&c, promises))
        goto done;
    int at = 0;
    for (int k = 0; k < c.pattern->n_nodes; k++) {
        int node = c.order.node[k], padded = nt_padded(size_of(&c, node));
        block->position[node] = at;
        memset(block->multiplier + at / 4, node >= c.pattern->n_primary, (size_t)padded / 4);
        for (int i = 0; i < padded; i += 4)
            block->unknown[(at + i) / 4] = c.pattern->node_start[node];
        at += padded;
    }
    block->all_three = 1;
    for (int k = 0; k < c.pattern->n_nodes; k++)
        block->all_three &= size_of(&c, k) == 3;
    c.changed = NT_TAKE(&c.scratch, c.filled.n_slots + 1, unsigned char);
    c.full = NT_TAKE(&c.scratch, c.filled.n_slots + 1, unsigned char);
    c.keep = NT_TAKE(&c.scratch, c.filled.n_slots + 1, int);
    c.work = NT_TAKE(&c.scratch, c.filled.n_slots + 1, int);
    c.scaled = NT_TAKE(&c.scratch, c.order.n_light + 1, unsigned char);
    c.inverse = NT_TAKE(&c.scratch, c.order.n_light + 1, int);
    if (!c.changed || !c.full || !c.keep || !c.work || !c.scaled || !c.inverse)
        goto done;
    find_shapes(&c);
    int core = c.pattern->n_nodes - c.order.n_light;
    c.n_light_windows = (c.order.n_light + NT_WINDOW - 1) / NT_WINDOW;
    c.n_windows = c.n_light_windows + (core > 0 ? (core + NT_WINDOW - 1) / NT_WINDOW : 1);
    block->n_windows = c.n_windows;
    block->n_light_windows = c.n_light_windows;
    block->window = NT_TAKE(&block->arena, c.n_windows, nt_window);
    if (!block->window || !find_touched(&c) || !find_needed(&c))
        goto done;
    for (int w = 0; w < c.n_windows && window_begin(&c, w) < c.pattern->n_nodes; w++)
        block->window[w].position = block->position[c.order.node[window_begin(&c, w)]];
    place_all(&c);
    block->store = c.overflow ? NULL : NT_TAKE(&block->arena, c.cursor + 4, double);
    if (!block->store || !write_loads(&c) || !nt_block_write_program(&c) ||
        !nt_block_write_rows(&c) || !nt_block_find_held(&c))
        goto done;
    status = nt_block_hand_over_core(&c);
    if (status == NT_OK && !take_pivot_scratch(block))
        status = NT_NO_MEMORY;
done:
    nt_pattern_free(&c.filled);
    nt_arena_free(&c.scratch);
    return status;
}
