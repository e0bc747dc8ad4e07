/* What is known while the program of a block LU is written. Internal to block_program.c,
 * block_records.c, block_rows.c and block_held.c. */
#ifndef NUTATE_LINALG_BLOCK_COMPILER_H
#define NUTATE_LINALG_BLOCK_COMPILER_H

#include "linalg/block/block.h"

/* Everything known about the blocks of the factors while the program is written. Blocks are the
 * slots of `filled`: first those of the matrix with the same numbers, then mirrored and fill. */
typedef struct compiler {
    nt_block_lu *block;
    const nt_pattern *pattern;
    nt_order order;
    nt_arena scratch;
    nt_pattern filled;
    unsigned char *changed;         /* by an elimination before its own                    */
    unsigned char *full;            /* stored as a block, not as one number                */
    int *keep, *work;               /* places in store, -1 where there is none             */
    unsigned char *scaled;          /* [n_light] nodes eliminated as one number            */
    int *inverse;                   /* [n_light] places                                    */
    int n_windows, n_light_windows; /* the others are the core's, one at least           */
    int *touched, *touched_start;   /* blocks by the window that touches them first  */
    int *needed, *needed_start;     /* nodes by the window that needs their unknowns first */
    int *clear;                     /* [n_windows + 1] two ends of what to zero            */
    int present;                    /* the window that is written: places count from its own */
    int cursor;                     /* of store                                            */
    int single, single_end;         /* a started group of four single numbers in store     */
    int overflow;
} compiler;

static inline int size_of(const compiler *c, int node)
{
    return c->pattern->node_start[node + 1] - c->pattern->node_start[node];
}

/* The window of node k of the order. */
static inline int window_of(const compiler *c, int k)
{
    int light = c->order.n_light;
    return k < light ? k / NT_WINDOW : c->n_light_windows + (k - light) / NT_WINDOW;
}

/* The first node of a window, in the order. */
static inline int window_begin(const compiler *c, int w)
{
    int light = c->order.n_light, k = w * NT_WINDOW;
    if (w < c->n_light_windows)
        return k < light ? k : light;
    k = light + (w - c->n_light_windows) * NT_WINDOW;
    return k < c->pattern->n_nodes ? k : c->pattern->n_nodes;
}

/* Nodes that the elimination of light node k couples. */
static inline const int *neighbours(const compiler *c, int k, int *count)
{
    *count = c->order.start[k + 1] - c->order.start[k];
    return c->order.neighbour + c->order.start[k];
}

static inline int find(const compiler *c, int row, int column)
{
    return nt_pattern_find(&c->filled, row, column);
}

/* The place that a block is in when it is eliminated. */
static inline int current(const compiler *c, int b)
{
    return c->work[b] >= 0 ? c->work[b] : c->keep[b];
}

/* Places in store and positions of nodes as the records of the present window count them. */
static inline int counted(const compiler *c, int place)
{
    return place - c->block->window[c->present].store;
}
static inline int position_of(const compiler *c, int node)
{
    return c->block->position[node] - c->block->window[c->present].position;
}

/* Pieces of ints one after the other; the last few that are different are compared with. */
enum { NT_PIECES = 8 };
typedef struct nt_pieces {
    int *ints, used;
    int begin[NT_PIECES], length[NT_PIECES], count;
} nt_pieces;

/* Room for so many ints, of which those that are never used are never touched: pieces that are
 * shared take less. 0 when memory is out. */
int nt_block_begin_pieces(nt_pieces *pieces, size_t most);
/* Where the piece stands that was just written, from `used` on: there, or where one of the last few
 * is the same. An empty one stands anywhere. */
int nt_block_share(nt_pieces *pieces, int length);
/* A copy of what is used, from the arena, or NULL; the room is given back. */
int *nt_block_end_pieces(nt_pieces *pieces, nt_arena *arena);

/* block->program and the scratch of its elimination; needs the loads. 0 when memory is out. */
int nt_block_write_program(compiler *c);

/* Rows of the residual check, by windows; needs the program. 0 when memory is out. */
int nt_block_write_rows(compiler *c);

/* block->held where the program is that of one body held at a point; needs the rows. 0 when memory
 * is out. */
int nt_block_find_held(compiler *c);

/* What light nodes leave over, to the fronts. */
nt_status nt_block_hand_over_core(compiler *c);

#endif
