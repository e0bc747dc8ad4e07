/* The rows of the residual check of a block LU, and what it leaves to the fronts. */
#include "linalg/block/block_compiler.h"

/* ---- residual rows -------------------------------------------------------------------------- */

/* 0: one number, 1: a full 3 x 3 block, 2: general */
static int row_class(const compiler *c, int b)
{
    switch (c->block->load[b].kind) {
    case NT_LOAD_SCALED:
    case NT_LOAD_DIAGONAL:
        return 0;
    case NT_LOAD_FULL:
    case NT_LOAD_SPREAD:
        return 1;
    default:
        return 2;
    }
}

/* The first window that backward substitution must have done before row node i can be checked. Rows
 * of the core alone are checked with the last of their nodes, so that those of the first windows
 * need nothing of the others. */
static int window_of_row(const compiler *c, int i)
{
    int light = c->order.n_light, first = light, last = light;
    for (int s = c->block->row_start[i]; s < c->block->row_start[i + 1]; s++) {
        int k = c->order.position[c->pattern->column[c->block->row_slot[s]]];
        first = k < first ? k : first;
        last = k > last ? k : last;
    }
    return window_of(c, first < light ? first : last);
}

static void reach_behind(const compiler *c, int node, int *reach)
{
    int end = c->block->position[node] + nt_padded(size_of(c, node));
    *reach = end > *reach ? end : *reach;
}

/* The first position behind all that rows of the light windows and the light nodes themselves need
 * in backward substitution. */
static int reach_of_light(const compiler *c)
{
    const nt_block_lu *block = c->block;
    int reach = 0, count;
    for (int i = 0; i < c->pattern->n_nodes; i++) {
        if (window_of_row(c, i) >= c->n_light_windows)
            continue;
        for (int s = block->row_start[i]; s < block->row_start[i + 1]; s++)
            reach_behind(c, c->pattern->column[block->row_slot[s]], &reach);
    }
    for (int k = 0; k < c->order.n_light; k++) {
        const int *node = neighbours(c, k, &count);
        for (int i = 0; i < count; i++)
            reach_behind(c, node[i], &reach);
    }
    return reach;
}

static int *block_rows_write_row(const compiler *c, int node, int *at)
{
    const nt_block_lu *block = c->block;
    nt_row *row = (nt_row *)at;
    *row = (nt_row){.place = position_of(c, node) / 4, .size = size_of(c, node)};
    at = (int *)(row + 1);
    for (int class = 0; class < 3; class ++)
        for (int s = block->row_start[node]; s < block->row_start[node + 1]; s++) {
            int b = block->row_slot[s];
            if (row_class(c, b) != class)
                continue;
            *at++ = counted(c, c->keep[b]);
            *at++ = position_of(c, c->pattern->column[b]);
            if (class == 2)
                *at++ = size_of(c, c->pattern->column[b]);
            row->scaled += class == 0, row->full += class == 1, row->general += class == 2;
        }
    row->length = (int)(at - (const int *)row);
    return at;
}

/* Slots of every row node. */
static int sort_slots(compiler *c)
{
    const nt_pattern *p = c->pattern;
    nt_block_lu *block = c->block;
    block->row_start = NT_TAKE(&block->arena, p->n_nodes + 2, int);
    block->row_slot = NT_TAKE(&block->arena, p->n_slots + 1, int);
    if (!block->row_start || !block->row_slot)
        return 0;
    for (int b = 0; b < p->n_slots; b++)
        block->row_start[p->row[b] + 2]++;
    for (int i = 0; i < p->n_nodes; i++)
        block->row_start[i + 2] += block->row_start[i + 1];
    for (int b = 0; b < p->n_slots; b++)
        block->row_slot[block->row_start[p->row[b] + 1]++] = b;
    return 1;
}

/* The rows of every window. */
int nt_block_write_rows(compiler *c)
{
    const nt_pattern *p = c->pattern;
    nt_block_lu *block = c->block;
    size_t length = (size_t)NT_ROW_INTS * (size_t)p->n_nodes + 3 * (size_t)p->n_slots + 1;
    nt_pieces pieces;
    int *first = NT_TAKE(&c->scratch, c->n_windows + 2, int);
    int *sorted = NT_TAKE(&c->scratch, p->n_nodes + 1, int);
    block->suspect = NT_TAKE(&block->arena, c->n_windows + 1, int);
    block->doubtful = NT_TAKE(&block->arena, c->n_windows + 1, unsigned char);
    if (!first || !sorted || !block->suspect || !block->doubtful || !sort_slots(c) ||
        !nt_block_begin_pieces(&pieces, length))
        return 0;
    block->light_reach = reach_of_light(c);
    for (int i = 0; i < p->n_nodes; i++)
        first[window_of_row(c, i) + 2]++;
    for (int w = 0; w < c->n_windows; w++)
        first[w + 2] += first[w + 1];
    for (int k = 0; k < p->n_nodes; k++)
        sorted[first[window_of_row(c, c->order.node[k]) + 1]++] = c->order.node[k];
    for (int w = 0; w < c->n_windows; w++) {
        int *begin = pieces.ints + pieces.used, *at = begin;
        c->present = w;
        for (int k = first[w + 1]; k-- > first[w];) /* the last comes first, as x does */
            at = block_rows_write_row(c, sorted[k], at);
        block->window[w].rows = nt_block_share(&pieces, (int)(at - begin));
        block->window[w].row_end = block->window[w].rows + (int)(at - begin);
    }
    block->rows = nt_block_end_pieces(&pieces, &block->arena);
    return block->rows != NULL;
}

/* ---- the core ------------------------------------------------------------------------------- */

nt_status nt_block_hand_over_core(compiler *c)
{
    const nt_pattern *p = c->pattern, *filled = &c->filled;
    nt_block_lu *block = c->block;
    int light = c->order.n_light, n = p->n_nodes - light, blocks = 0;
    if (n == 0)
        return NT_OK;
    int edges = c->order.core_start[n];
    int *neighbour = NT_TAKE(&c->scratch, edges + 1, int);
    unsigned char *multiplier = NT_TAKE(&c->scratch, n + 1, unsigned char);
    nt_front_piece *node = NT_TAKE(&c->scratch, n + 1, nt_front_piece);
    nt_core_block *list = NT_TAKE(&c->scratch, filled->n_slots + 1, nt_core_block);
    if (!neighbour || !multiplier || !node || !list)
        return NT_NO_MEMORY;
    for (int e = 0; e < edges; e++)
        neighbour[e] = c->order.position[c->order.core_neighbour[e]] - light;
    for (int i = 0; i < n; i++) {
        int name = c->order.node[light + i];
        multiplier[i] = name >= p->n_primary;
        node[i] = (nt_front_piece){block->position[name], size_of(c, name), p->node_start[name]};
    }
    for (int b = 0; b < filled->n_slots; b++) {
        int i = c->order.position[filled->row[b]] - light;
        int j = c->order.position[filled->column[b]] - light;
        if (i >= 0 && j >= 0)
            list[blocks++] = (nt_core_block){i, j, current(c, b)};
    }
    nt_core_graph graph = {.n = n,
                           .n_blocks = blocks,
                           .start = c->order.core_start,
                           .neighbour = neighbour,
                           .multiplier = multiplier,
                           .node = node,
                           .block = list};
    nt_status status = nt_front_analyse(&block->core, &graph, &block->arena);
    block->flops += block->core.flops;
    block->blocks += block->core.blocks;
    return status;
}
