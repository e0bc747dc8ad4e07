/* The core of a block matrix: a tree of dense fronts (multifrontal elimination).
 *
 * Nodes with the same later neighbours are eliminated together: the front's w pivots couple r
 * other unknowns,
 *
 *      [ F11 F12 ]  w        keeps  P F11 = L U,  F21 U^-1,  L^-1 P F12,
 *      [ F21 F22 ]  r        passes F22 - F21 F11^-1 F12 to its parent, which adds it to its own.
 *
 * P exchanges rows of the pivots. Where dependent rows are looked for, the front keeps F11^-1, with
 * zeros for those left out, F21 and F11^-1 F12 instead: nt_front_tree.inverted.
 *
 * All matrices lie column by column, w and r padded to multiples of four by zero rows.
 *
 * Subtrees of one shape (the blades of a rotor) are factorised and solved side by side in the lanes
 * of a vector, without exchanges of rows; where one of them needs exchanges, all of them are done
 * one by one. Their pivots that no child adds to go before those that wait for children, so that
 * threads may do them of many fronts at once. What is done depends on the matrix alone, not on
 * threads. (front_batch.c) */
#ifndef NUTATE_LINALG_FRONT_H
#define NUTATE_LINALG_FRONT_H

#include "base/arena.h"
#include "base/pool.h"
#include "linalg/lanes.h"
#include "linalg/pattern.h"
#include <stdbool.h>
#include <stddef.h>

/* A piece of a node list: `size` unknowns at `position` of a padded vector. */
typedef struct nt_front_piece {
    int position, size;
    int unknown; /* the first of them */
} nt_front_piece;

/* A block of the matrix that enters a front. A place is the row (or column) in F22, or ~place
 * in the pivots. */
typedef struct nt_front_load {
    int source, rows, columns; /* in nt_block_lu.store */
    int row_place, column_place;
} nt_front_load;

/* A run of a child's unknowns that stay together in the parent's front. */
typedef struct nt_front_run {
    int from, count, place;
} nt_front_run;

typedef struct nt_front {
    int w, r;
    int pieces, pivot_pieces, piece_end; /* in tree->piece: pivots first                 */
    int loads, load_end;                 /* never in F22: one of their nodes is a pivot          */
    int runs, run_end;                   /* where this front's F22 goes in its parent, tree->run  */
    int parent, child_count;    /* children are the last child_count updates on the stack */
    int children;               /* the first of them in tree->child                       */
    int batch;                  /* in tree->batch, -1: none                               */
    int early;                  /* first pivots, which no child adds to                   */
    int is_full;                /* blocks of the matrix fill all of it but F22            */
    int in_order;               /* early pivots of its batch needed no exchanges          */
    int share, needs;           /* of its batch's here, see nt_front_share_out            */
    unsigned job;               /* in which early pivots were done, see nt_front_tree.job */
    size_t beside;              /* its matrix in tree->beside, with those of its batch    */
    size_t pivots, left, right; /* of F11, F21, F12 in tree->factors                     */
    int exchange;               /* rows exchanged with its pivots, in tree->exchange     */
    size_t build, final;        /* F22 on the stack, while built and while waiting        */
} nt_front;

enum { NT_FRONT_LANES = 4 };

/* Subtrees of one shape. Their roots pass F22 on to places behind the stack. */
typedef struct nt_front_batch {
    int lanes;                 /* subtrees                                             */
    int n_fronts;              /* of each                                              */
    int first[NT_FRONT_LANES]; /* fronts; lanes that are not used repeat the first one */
    int taken;  /* the present factors are in tree->beside                              */
    int behind; /* so many of the first fronts are behind the split; 0: no fair part of them */
    int ahead;  /* so many of them have blocks of the last share alone */
    int begun;  /* so many fronts are done already; -1: one needs exchanges */
} nt_front_batch;

enum { NT_FRONT_LOADS_AHEAD = 16 };

typedef struct nt_front_tree {
    int n_fronts;
    nt_front *front; /* [n_fronts] children before parents, in stack order */
    int *child;      /* children of all fronts, one after the other         */
    nt_front_piece *piece;
    nt_front_load *load; /* and NT_FRONT_LOADS_AHEAD empty ones at the end */
    nt_front_run *run;
    double *factors, *stack;
    double *panel; /* for the vectors of a solve, and a front's F12 before it is multiplied */
    int *exchange; /* [sum of w] */
    int inverted;  /* fronts hold inverses */
    int n_batches;
    nt_front_batch *batch;
    int split;     /* position, see nt_front_divide_batches */
    int shares;    /* see nt_front_share_out                */
    unsigned job;  /* of threads, the number of the last one: nt_front_begin_batches */
    lanes *beside; /* F of the fronts of batches, column by column, four by four */
    lanes *column; /* of the largest of them                                     */
    double flops;
    long blocks;
    int widest; /* pivots of the widest front */
} nt_front_tree;

/* A block of the core: nodes by their index in the core, place in nt_block_lu.store. */
typedef struct nt_core_block {
    int row, column, source;
} nt_core_block;

typedef struct nt_core_graph {
    int n, n_blocks;
    const int *start, *neighbour; /* neighbour[]: indices in the core */
    const unsigned char *multiplier;
    const nt_front_piece *node;
    const nt_core_block *block;
} nt_core_graph;

nt_status nt_front_analyse(nt_front_tree *tree, const nt_core_graph *graph, nt_arena *arena);

/* Finds the batches; needs fronts, runs, loads. Fails with NT_NO_MEMORY. */
nt_status nt_front_find_batches(nt_front_tree *tree, nt_arena *arena);

/* ---- numeric kernels, one set per instruction set ------------------------------------------- */

typedef enum nt_product_kind { NT_PRODUCT, NT_NEGATIVE, NT_DIFFERENCE } nt_product_kind;
enum { NT_FRONT_COLUMNS = 4 };

typedef struct nt_front_kernels {
    /* Factors of a front, see above, in place. 0 on a zero or non-finite pivot. */
    int (*factor)(int w, int r, double *f11, double *f21, double *f12, int *exchange);
    /* x[w] := L^-1 x, U^-1 x; padded, zero behind */
    void (*lower)(int w, const double *f11, double *x);
    void (*upper)(int w, const double *f11, double *x);
    /* c[n columns] := A b, -A b, from - A b; m a multiple of four. from has the columns of c and
     * may be c. Columns are made in groups of up to NT_FRONT_COLUMNS, in their order; each group is
     * read before it is written. */
    void (*multiply)(int m, int n, int k, const double *a, int lda, const double *b, int ldb,
                     double *c, int ldc, const double *from, nt_product_kind kind);
    /* y := A x, or y - A x (subtract = 1) for one vector, column by column: factors that come from
     * memory are read in their order. m a multiple of four. */
    void (*apply)(int m, int n, const double *a, int lda, const double *x, double *y, int subtract);
    /* Pivots [from, to) of four fronts side by side, n = w + r, a[n][n], that of those before
     * them being done: 0 where one of them needs exchanges */
    int (*factor_lanes)(int from, int to, int n, lanes *a);
    void (*forward_lanes)(int w, int n, const lanes *a, lanes *y);
    void (*backward_lanes)(int w, int n, const lanes *a, lanes *y);
    /* Blocks of the matrix to where the fronts have them, in place of what is there or added to it
     */
    void (*load_lanes)(int w, int n, const nt_front_load *const load[NT_FRONT_LANES], int count,
                       const double *store, lanes *a, int add);
    void (*gather_lanes)(const nt_front_piece *const piece[NT_FRONT_LANES], int count,
                         const double *b, lanes *y);
    void (*scatter_lanes)(const nt_front_piece *const piece[NT_FRONT_LANES], int count, int n_lanes,
                          const lanes *y, double *b, int add);
} nt_front_kernels;

/* For threads of which the last has all positions from the split on at hand: finds the first fronts
 * of batches whose pivots all are there. */
void nt_front_divide_batches(nt_front_tree *tree, int split);

/* Share `share` of so many loads [begin, end) of the store: which fronts of batches have blocks of
 * the matrix there. Called for one share after the other, after the division. A front belongs to
 * the share that has all its blocks; one with blocks of two belongs to one of them and needs the
 * other, and one of more belongs to none, -1. */
void nt_front_share_out(nt_front_tree *tree, int share, int shares, int begin, int end);

/* Within a job of the pool, whose number tree->job has become: by the thread that has just loaded a
 * share, and told so. Does the early pivots of its fronts, where what they need is loaded; and for
 * the last share the first fronts altogether, where only one batch is there. These go forward with
 * b[size] if it is not NULL, all of which from the split on is kept in copy[size] before. */
void nt_front_begin_batches(nt_front_tree *tree, const nt_front_kernels *kernels,
                            const nt_pool *pool, int share, const double *store, double *b,
                            double *copy, size_t size);

/* Batches, and what solving has to do with those that are taken: forward before all other fronts,
 * backward after them. Where b[size] is not NULL it is gone forward with by the batches that are
 * taken while they are factorised; copy[size] is scratch. begun: a job has begun all shares. */
void nt_front_factor_batches(nt_front_tree *tree, const nt_front_kernels *kernels, bool begun,
                             const double *store, double *b, double *copy, size_t size);
void nt_front_forward_batches(const nt_front_tree *tree, const nt_front_kernels *kernels,
                              double *b);
/* Backward by all fronts but those behind the split, or by these. */
void nt_front_backward_batches(const nt_front_tree *tree, const nt_front_kernels *kernels,
                               bool behind, double *b);
void nt_front_forward_transposed_batches(const nt_front_tree *tree, double *b);
void nt_front_backward_transposed_batches(const nt_front_tree *tree, double *b);

static inline int nt_front_is_taken(const nt_front_tree *tree, int f)
{
    return tree->front[f].batch >= 0 && tree->batch[tree->front[f].batch].taken;
}

/* One front after the other, but those of batches that are taken; forward and backward likewise.
 * store: the blocks of the matrix. Returns -1, or the front whose pivot block failed. hook, when
 * given, inverts the pivot block and fronts hold inverses: no batch is taken then. */
typedef int nt_front_hook(void *context, const nt_front_tree *tree, const nt_front *front,
                          double *a);
int nt_front_factor(nt_front_tree *tree, const nt_front_kernels *kernels, const double *store,
                    nt_front_hook *hook, void *context);
void nt_front_forward(const nt_front_tree *tree, const nt_front_kernels *kernels, double *b);
void nt_front_backward(const nt_front_tree *tree, const nt_front_kernels *kernels, double *b);
void nt_front_forward_transposed(const nt_front_tree *tree, double *b);
void nt_front_backward_transposed(const nt_front_tree *tree, double *b);

#endif
