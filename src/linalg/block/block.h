/* Block LU with a program computed once.
 *
 * Elimination of node k turns, for every pair of its later neighbours i, j,
 *
 *      A_ij := A_ij - A_ik (A_kk^-1 A_kj),
 *
 * and keeps A_kk^-1, A_ik and A_kj as they stand. A solve is then
 *
 *      forward    y = A_kk^-1 b_k,   b_i := b_i - A_ik y          in elimination order,
 *      backward   x_k = A_kk^-1 (b_k - sum_j A_kj x_j)            in reverse order,
 *
 * so that blocks which no earlier elimination touched are those of the matrix itself: one copy
 * serves the factors and the residual check. Nodes with few neighbours ("light") are eliminated
 * one by one by a short program; what remains (the "core", empty for chains and trees) goes
 * through dense fronts (front.h).
 *
 * Storage. Blocks lie column by column, each column padded to a multiple of four with zeros, so
 * that every column is one or a few aligned vectors of four (lanes.h). Vectors are stored node
 * by node with the same padding. */
#ifndef NUTATE_LINALG_BLOCK_H
#define NUTATE_LINALG_BLOCK_H

#include "base/arena.h"
#include "base/pool.h"
#include "linalg/front/front.h"
#include "linalg/pattern.h"

static inline int nt_padded(int n) { return (n + 3) & ~3; }

/* Light nodes are worked through in windows: all that one window touches is loaded from the matrix,
 * and is still in the nearest cache when its nodes are eliminated. 24 nodes are 8 bodies of a
 * chain, 14 KB. The core's nodes have windows as well, for threads to share. */
enum { NT_WINDOW = 24 };

/* Units of rounding, beside a row's entries and the largest unknowns, that a residual may be of
 * which the row's own terms all but vanish. Elimination leaves some more of rows that hold much,
 * twenty where a rotor's hub holds all blades: corrections, which are looked at again, may. */
enum { NT_ROUNDED = 4, NT_ROUNDED_CORRECTION = 32 };

/* ---- the order ------------------------------------------------------------------------------ */

/* The elimination order and what the elimination of each light node couples. */
typedef struct nt_order {
    int n_light;
    int *node;      /* [n_nodes] light nodes in elimination order, then core nodes, any order     */
    int *position;  /* [n_nodes] its inverse                                                      */
    int *start;     /* [n_light + 1] where the neighbours of the k-th light node begin            */
    int *neighbour; /* nodes that the k-th light node couples when it goes                       */
    int *core_start; /* [n_core + 1] the graph of the core, without the diagonal                 */
    int *core_neighbour;
} nt_order;

/* Fails with NT_NO_MEMORY. Everything is allocated from the arena. */
nt_status nt_order_find(nt_order *order, const nt_pattern *pattern, nt_arena *arena);

/* ---- the program ---------------------------------------------------------------------------- */

/* Kinds of records. Layouts in ints; offsets are places in `store`, positions places in padded
 * vectors, both counted from those of the record's window. T is a node whose diagonal block and
 * couplings are multiples of the identity. */
typedef enum nt_record_kind {
    NT_RECORD_SCALED,  /* 3, all couplings scaled; neighbours of 3                   */
    NT_RECORD_FULL,    /* 3, neighbours of 3                                         */
    NT_RECORD_BODY,    /* a SCALED and a FULL node with the same neighbours, together */
    NT_RECORD_GENERAL, /* any sizes                                                  */
    NT_RECORD_LOAD,    /* zero a part of store, copy blocks of the matrix            */
    NT_RECORD_PREPARE, /* inverses and products that wait for nothing                */
} nt_record_kind;

/* Head of a record: kind and length have the same place in all of them. Then one nt_link per
 * neighbour (BODY: nt_body_link), count^2 targets (places of A_ij, row by row; SCALED: twice the
 * place, and one more where A_ij is a single number), and the length once more. */
typedef struct nt_record {
    int kind, count; /* neighbours */
    int length;      /* ints in this record                                    */
    int size;        /* of the node; BODY: of the FULL node, as what follows   */
    int ready;       /* a PREPARE record has made inverses and products already */
    int product;     /* place of A_kk^-1 A_kj in `temporary`                    */
    int diagonal;    /* where A_kk stands when its turn comes                   */
    int inverse;     /* where its inverse goes                                */
    int position;    /* of its unknowns in a padded vector                    */
    int scaled_diagonal, scaled_inverse, scaled_position; /* BODY: of the SCALED node */
} nt_record;

typedef struct nt_link {
    int position, size;
    int right; /* A_kj */
    int left;  /* A_jk */
} nt_link;

typedef struct nt_body_link {
    int position;
    int right, left;
    int scaled_right, scaled_left;
} nt_body_link;

enum {
    NT_RECORD_INTS = sizeof(nt_record) / sizeof(int),
    NT_LINK_INTS = sizeof(nt_link) / sizeof(int),
    NT_BODY_LINK_INTS = sizeof(nt_body_link) / sizeof(int),
};

/* How a block of the caller's matrix enters `store`. */
typedef enum nt_load_kind {
    NT_LOAD_FULL,     /* 3 x 3                                              */
    NT_LOAD_SCALED,   /* one number                                         */
    NT_LOAD_DIAGONAL, /* one number to keep, a full 3 x 3 block to work with */
    NT_LOAD_SPREAD,   /* one number, a full 3 x 3 block in store             */
    NT_LOAD_GENERAL,  /* any size                                           */
} nt_load_kind;

typedef struct nt_load {
    int kind, rows, columns;
    int source; /* in matrix->values                                            */
    int keep;   /* the copy for the residual, and for the factors where clean   */
    int work;   /* a second copy that elimination changes; -1 where clean       */
} nt_load;

/* LOAD, the first record of a window: clear store[begin, begin + count), then runs (kind, count),
 * each followed by count places; where in the matrix they are loaded from stands in
 * nt_block_lu.source, and so do the slots of GENERAL runs, which list no places. Then the parts of
 * the right-hand side that this window is the first to need, by positions, GENERAL ones by
 * (position, size), from the unknowns in nt_block_lu.source. The last run are so many pairs (begin,
 * end) in nt_block_lu.source: the matrix values that the record has read, to be cleared where that
 * is asked for. */
typedef struct nt_load_record {
    int kind, begin, length, count;
} nt_load_record;
enum { NT_LOAD_RECORD_INTS = sizeof(nt_load_record) / sizeof(int) };

typedef enum nt_transfer_kind {
    NT_TRANSFER_FULL,
    NT_TRANSFER_SCALED,
    NT_TRANSFER_DIAGONAL,
    NT_TRANSFER_GENERAL,
    NT_TRANSFER_KINDS,
    NT_TRANSFER_VECTOR = NT_TRANSFER_KINDS,
    NT_TRANSFER_VECTOR_GENERAL,
    NT_TRANSFER_CLEAR,
} nt_transfer_kind;

/* PREPARE: what waits for nothing in its window, side by side where each alone would wait for its
 * division. Pairs (diagonal, inverse) of `full` 3 x 3 blocks and of `scaled` single numbers, then
 * triples (inverse, A_kj, place of their product in `temporary`). */
typedef struct nt_prepare_record {
    int kind, full, length, scaled, products;
    int position; /* of the first node, for a message */
} nt_prepare_record;
enum { NT_PREPARE_RECORD_INTS = sizeof(nt_prepare_record) / sizeof(int) };

/* Residual of one row node: `scaled`, `full`, `general` blocks follow as (offset, position) pairs,
 * general ones as (offset, position, columns). */
typedef struct nt_row {
    int length; /* ints in this record */
    int place;  /* a quarter of the node's position */
    int size;
    int scaled, full, general;
} nt_row;
enum { NT_ROW_INTS = sizeof(nt_row) / sizeof(int) };

/* A window's records and rows. They count places and positions from the window's own, so that
 * windows which do the same share them: those of a long chain are read from the nearest cache. */
typedef struct nt_window {
    int begin, end;      /* records, in nt_block_lu.program */
    int rows, row_end;   /* in nt_block_lu.rows: those whose unknowns are known after this window,
                            backward; checked then, while they are in the nearest cache */
    int store, position; /* from where they count */
    int source;          /* in nt_block_lu.source, what its LOAD record reads there */
} nt_window;

/* Padded vectors that a block LU works with: solution, residual. */
enum { NT_BLOCK_VECTORS = 2 };

/* The places of one body that is held at a point (block_held.inc): loads of its seven blocks,
 * inverses in store, positions in padded vectors, first unknowns in the caller's, and the windows
 * with rows to suspect. */
typedef struct nt_held {
    nt_load tt, tl, lt, rr, rl, lr, ll;
    int n_values;
    int inverse_t, inverse_r;
    int t, r, l, unknown_t, unknown_r, unknown_l;
    int group[2], n_groups;
} nt_held;

/* Four right-hand sides at once (block_columns.inc). */
typedef struct nt_block_columns {
    double *x; /* [n][4] solutions side by side, nodes by position */
    /* [n_padded / 4] by position: the row of a node, its window, and whether backward substitution
     * checks it by itself */
    int *row, *window;
    unsigned char *early;
    int *suspect, n_suspects; /* [n_nodes] position / 4 of those that need a second look */
    double tolerance;
} nt_block_columns;

typedef struct nt_block_lu {
    const nt_pattern *pattern;
    nt_arena arena;
    const struct nt_block_kernels *kernels;
    int broken_promises; /* NT_SCALED is not relied upon */

    int *position;             /* [n_nodes] of each node in a padded vector */
    int *unknown;              /* [n_padded / 4] first of a node at these four */
    unsigned char *multiplier; /* [n_padded / 4] whether such four are a multiplier's */
    int n_padded;
    int all_three;                    /* every node has three unknowns */
    double *vector[NT_BLOCK_VECTORS]; /* [n_padded], zero between the nodes */
    double *transposed; /* [3][n_padded] residual, sizes and bounds of its rows; NULL until the
                           transposed system is solved */
    struct nt_block_columns *columns; /* NULL where they are not used */

    double *store;
    nt_load *load; /* [pattern->n_slots] */

    /* [n_windows] Windows of light nodes, then bare ones, of the core's nodes: these have no
     * records but their LOAD, and rows that wait for no light node. */
    nt_window *window;
    int n_windows, n_light_windows;
    int light_reach;           /* the first position behind all that light windows need backward */
    int *program, *rows;       /* records and nt_row records of windows */
    int *source;               /* see nt_load_record */
    nt_held *held;             /* NULL where the matrix is none */
    unsigned char *doubtful;   /* [n_windows] a row exceeds the limit   */
    int *suspect, n_suspects;  /* windows that are doubtful             */
    nt_pool *const *pool;      /* see nt_solver_use_pool */
    int *row_start, *row_slot; /* slots of every row node: [n_nodes + 1], [n_slots] */
    nt_front_tree core;
    double *temporary; /* A_kk^-1 A_kj for all neighbours j of one node */
    int *exchange;     /* pivot rows of one inverse                     */

    /* Unknowns left out [n]: by choice, and in the present factors. */
    unsigned char *dropped, *left_out;
    int n_dropped, n_left_out;
    /* The careful factorisation: original sizes of Schur pivots [n], NULL where dependence is not
     * asked for; rows found; scratch for one pivot block. */
    const double *scale;
    double tolerance, *pivot_scale;
    unsigned char *pivot_out;

    double accepted;   /* backward error that needs no look at whether it is rounding */
    double rounded;    /* NT_ROUNDED epsilon, or what the caller has put there        */
    double largest[2]; /* |x| of bodies and of multipliers, of those that are known */
    double flops;
    long blocks;
    int singular_unknown; /* of the last failure */
} nt_block_lu;

/* Fill a zeroed nt_block_lu: storage, loads, program, rows and core. promises = 0 treats all blocks
 * as full. */
nt_status nt_block_compile(nt_block_lu *block, int promises);

/* NULL when memory is out. */
nt_block_lu *nt_block_create(const nt_pattern *pattern, int promises);
void nt_block_destroy(nt_block_lu *block);

/* Factorise; nt_block_drop's unknowns stay out. 1 when all pivots were non-zero and finite, else
 * singular_unknown names the first of a node whose pivot was not. clear: NULL, or the values
 * themselves, to be left zero; the block keeps the matrix in both cases and outcomes. */
int nt_block_factor(nt_block_lu *block, const double *values, double *clear);

/* The same and nt_block_solve of b at once, *error being what that returns. */
int nt_block_factor_solve(nt_block_lu *block, const double *values, double *clear, const double *b,
                          double *x, double tolerance, double least, double *error);

/* The same with the multiplier rows that depend on earlier ones left out, see
 * nt_solver_factor_dependent; scale[n] are the sizes that their pivots are compared with. */
int nt_block_factor_dependent(nt_block_lu *block, const double *values, const double *scale,
                              double tolerance);

/* Solve with the factors; b[n] in, x[n] out (may be the same). Returns the row-wise backward
 * error, rounded up to a power of two, or `least`, what is larger; the solution is refined once
 * where the error exceeds tolerance, and x is left alone where it still does. NaN where something
 * is not finite. */
double nt_block_solve(nt_block_lu *block, const double *b, double *x, double tolerance,
                      double least);
/* Solves without any check of the solution. */
void nt_block_solve_unchecked(nt_block_lu *block, const double *b, double *x);
/* The transposed system; needs nt_block_take_transposed. */
double nt_block_solve_transposed(nt_block_lu *block, const double *b, double *x, double tolerance,
                                 double least);

/* Memory for it; nothing where it is there. */
nt_status nt_block_take_transposed(nt_block_lu *block);

/* Memory for nt_block_solve_columns; nothing where it does not apply. */
nt_status nt_block_take_columns(nt_block_lu *block);

/* Solve for up to four vectors b[count][n] at once, in place; *error is replaced by the largest
 * row-wise error if that is larger. 0, and b as it was, where an error exceeds the tolerance, where
 * blocks are not all 3 x 3, or without memory for it: then one after the other. */
int nt_block_solve_columns(nt_block_lu *block, double *b, int count, double tolerance,
                           double *error);

/* Solves for four vectors side by side, b[n][4]. */
int nt_block_solve_beside(nt_block_lu *block, double *b, double tolerance, double *error);

/* Leave multipliers out from the next factorisation on. */
void nt_block_drop(nt_block_lu *block, const int *unknowns, int count);

/* ---- by threads (block_threads.c) ----------------------------------------------------------- */

/* The threads of a pool where so many windows of the core are worth sharing, else NULL. */
nt_pool *nt_block_pool(const nt_block_lu *block);

/* The first position of the last share that the pool's threads make of the core's windows, where
 * nothing of the light windows needs any from there on, else n_padded. */
int nt_block_split(const nt_block_lu *block);

/* nt_block_kernels.factor and factor_forward (b is given), and backward, of all windows. Whoever
 * does which of them, the results are the same bits. */
int nt_block_eliminate(nt_block_lu *block, const double *values, double *clear, const double *b,
                       double *x);
/* With the fronts that nt_front_backward_batches has left for the last share. */
void nt_block_substitute(nt_block_lu *block, double *x, const double *given, double limit);

/* The matrix as it was given to factor, into one with the same blocks that is not packed. */
void nt_block_unload(const nt_block_lu *block, nt_matrix *matrix);

/* ---- numeric kernels, compiled once per instruction set ------------------------------------- */

/* Inverts the pivot block a[size] of a multiplier node, from unknown `first` on, in place of the
 * plain inverse; 0: failed. */
typedef int nt_invert_hook(nt_block_lu *block, int first, int size, const double *a,
                           double *inverse);

typedef struct nt_block_kernels {
    /* Load the windows [from, to) and eliminate their light nodes: -1, or the first unknown of a
     * node whose pivot (or that of one near it) failed. */
    int (*factor)(nt_block_lu *block, int from, int to, const double *values, double *clear);
    /* The same, and the forward substitution of b[n] into x[n_padded] along with it. */
    int (*factor_forward)(nt_block_lu *block, int from, int to, const double *values, double *clear,
                          const double *b, double *x);
    int (*factor_careful)(nt_block_lu *block, const double *values, double *clear,
                          nt_invert_hook *hook);
    void (*spread)(const nt_block_lu *block, const double *b, double *padded);
    void (*collect)(const nt_block_lu *block, const double *padded, double *x);
    void (*forward)(const nt_block_lu *block, double *b);
    /* block->largest of the positions [from, to) */
    void (*find_largest)(nt_block_lu *block, int from, int to, const double *x);
    /* Back substitution of the windows [from, to), later ones being done. Where given is not NULL
     * block->doubtful says of each whether a row of A x = given[n] exceeds the limit, see residual.
     */
    void (*backward)(nt_block_lu *block, int from, int to, double *b, const double *given,
                     double limit);
    /* factor_forward (b may be NULL) and backward where block->held is there; this one lists
     * block->suspect, and returns whether there is none */
    int (*factor_held)(nt_block_lu *block, const double *values, double *clear, const double *b,
                       double *x);
    int (*backward_held)(nt_block_lu *block, double *x, const double *given, double limit);
    /* The row-wise backward error max |b - A x| / (sum |A_ij x_j| + |b|), the sum over the
     * blocks of the row (no larger than |A| |x|), replaces *limit if it is larger; NaN when
     * something is not finite. r = b - A x where r is given; else only suspect windows are seen. */
    void (*residual)(nt_block_lu *block, const double *b, const double *x, double *r,
                     double *limit);
    /* nt_block_solve_columns and _beside: for four vectors, of which some may be the same, or,
     * where b[1] is NULL, for b[0][n][4]. */
    int (*solve_columns)(nt_block_lu *block, double *const b[4], double tolerance, double *error);
    nt_front_kernels front;
} nt_block_kernels;

/* Those that this processor can run, best first: how many. All of them give the same bits. */
enum { NT_BLOCK_KERNELS = 3 };
int nt_block_kernels_here(const nt_block_kernels *best_first[NT_BLOCK_KERNELS]);

/* The same as nt_block_look for the three rows of a node, from unknown `first` on, and four
 * right-hand sides: whether each is within the tolerance, or vanishes. r, size, largest: of each
 * right-hand side; *limit becomes the largest error. */
int nt_block_look_columns(const nt_block_lu *block, int first, const double r[3][4],
                          const double size[3][4], double tolerance, const double largest[2][4],
                          double *limit);

/* The slow branch of the residual: up to four rows that exceed *limit, from row v of a node that
 * begins with unknown `first`. */
void nt_block_look(nt_block_lu *block, int first, int v, const double *r, const double *sizes,
                   double *limit);

#endif
