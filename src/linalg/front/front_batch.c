/* Subtrees of one shape, factorised and solved side by side. */
#include "linalg/front/front.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Unknowns of a front, at most: the matrices of four larger ones do not stay in the nearest cache,
 * and one alone fills vectors well. */
enum { LARGEST = 64 };

/* Lanes that are filled, at least: with two the work of the others is lost. */
enum { FEWEST = 3 };

/* ---- finding them --------------------------------------------------------------------------- */

typedef struct candidate {
    int root, size;           /* fronts of its subtree are root - size + 1 to root */
    unsigned long long shape; /* equal for equal shapes                      */
} candidate;

static unsigned long long mix(unsigned long long shape, int number)
{
    return (shape ^ (unsigned)number) * 1099511628211u;
}

/* What makes a front's part of the shape: sizes and places, but not where its numbers are. */
static unsigned long long shape_of(const nt_front_tree *tree, int f)
{
    const nt_front *front = &tree->front[f];
    unsigned long long shape = mix(mix(14695981039346656037u, front->w), front->r);
    for (int p = front->pieces; p < front->piece_end; p++)
        shape = mix(shape, tree->piece[p].size);
    for (int l = front->loads; l < front->load_end; l++)
        shape = mix(mix(shape, tree->load[l].row_place), tree->load[l].column_place);
    return shape;
}

static int same_runs(const nt_front_tree *tree, const nt_front *a, const nt_front *b)
{
    int count = a->run_end - a->runs;
    return b->run_end - b->runs == count &&
           memcmp(tree->run + a->runs, tree->run + b->runs, (size_t)count * sizeof *tree->run) == 0;
}

static int same_front(const nt_front_tree *tree, int f, int g, int is_root)
{
    const nt_front *a = &tree->front[f], *b = &tree->front[g];
    int pieces = a->piece_end - a->pieces, loads = a->load_end - a->loads;
    if (a->w != b->w || a->r != b->r || a->child_count != b->child_count ||
        b->piece_end - b->pieces != pieces ||
        b->pivot_pieces - b->pieces != a->pivot_pieces - a->pieces ||
        b->load_end - b->loads != loads)
        return 0;
    if (!is_root && (a->parent - f != b->parent - g || !same_runs(tree, a, b)))
        return 0;
    for (int p = 0; p < pieces; p++)
        if (tree->piece[a->pieces + p].size != tree->piece[b->pieces + p].size)
            return 0;
    for (int l = 0; l < loads; l++) {
        const nt_front_load *x = &tree->load[a->loads + l], *y = &tree->load[b->loads + l];
        if (x->rows != y->rows || x->columns != y->columns || x->row_place != y->row_place ||
            x->column_place != y->column_place)
            return 0;
    }
    return 1;
}

static int same_subtree(const nt_front_tree *tree, const candidate *a, const candidate *b)
{
    for (int k = 0; k < a->size; k++)
        if (!same_front(tree, a->root - k, b->root - k, k == 0))
            return 0;
    return 1;
}

static int candidate_compare(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->size != y->size)
        return x->size < y->size ? 1 : -1; /* larger subtrees first */
    if (x->shape != y->shape)
        return x->shape < y->shape ? -1 : 1;
    return (x->root > y->root) - (x->root < y->root);
}

/* Subtrees whose fronts are all small enough; size 0: there is a larger one in it. */
static void list_candidates(const nt_front_tree *tree, candidate *list)
{
    for (int f = 0; f < tree->n_fronts; f++)
        list[f] = (candidate){f, 1, shape_of(tree, f)};
    for (int f = 0; f < tree->n_fronts; f++) {
        const nt_front *front = &tree->front[f];
        candidate *parent = front->parent < 0 ? NULL : &list[front->parent];
        if (front->w + front->r > LARGEST)
            list[f].size = 0;
        if (!parent)
            continue;
        parent->shape = mix(parent->shape, (int)(list[f].shape >> 32));
        parent->size = list[f].size == 0 || parent->size == 0 ? 0 : parent->size + list[f].size;
    }
}

/* No block enters a front twice. */
static int is_full(const nt_front_tree *tree, const nt_front *front)
{
    long filled = 0, n = front->w + front->r;
    for (int l = front->loads; l < front->load_end; l++)
        filled += (long)tree->load[l].rows * tree->load[l].columns;
    return filled == n * n - (long)front->r * front->r;
}

/* Pivots before the first that a child adds to. */
static int count_early(const nt_front_tree *tree, const nt_front *front)
{
    int early = front->w;
    for (int c = 0; c < front->child_count; c++) {
        const nt_front *child = &tree->front[tree->child[front->children + c]];
        int place = child->runs < child->run_end ? tree->run[child->runs].place : 0;
        if (place < 0 && ~place < early)
            early = ~place;
    }
    return early;
}

static void batch_take(nt_front_tree *tree, const candidate *const *root, int count, size_t *room)
{
    nt_front_batch *batch = &tree->batch[tree->n_batches];
    *batch = (nt_front_batch){.lanes = count, .n_fronts = root[0]->size};
    for (int l = 0; l < NT_FRONT_LANES; l++)
        batch->first[l] = root[l < count ? l : 0]->root - batch->n_fronts + 1;
    for (int k = 0; k < batch->n_fronts; k++) {
        size_t n =
            (size_t)(tree->front[batch->first[0] + k].w + tree->front[batch->first[0] + k].r);
        for (int l = 0; l < count; l++) {
            tree->front[batch->first[l] + k].batch = tree->n_batches;
            tree->front[batch->first[l] + k].beside = *room;
        }
        *room += n * n;
    }
    tree->n_batches++;
}

/* Batches among subtrees of one size and shape. Those within larger ones that have a batch already
 * are not compared, nor where too few are left: long branches that are alike would be compared at
 * each of their fronts. */
static void take_batches(nt_front_tree *tree, candidate *list, int n, size_t *room)
{
    int left = 0;
    for (int i = 0; i < n; i++)
        if (tree->front[list[i].root].batch < 0)
            list[left++] = list[i];
    for (int i = 0; left - i >= FEWEST;) {
        const candidate *root[NT_FRONT_LANES];
        int count = 0;
        while (i + count < left && count < NT_FRONT_LANES &&
               (count == 0 || same_subtree(tree, &list[i], &list[i + count]))) {
            root[count] = &list[i + count];
            count++;
        }
        if (count >= FEWEST)
            batch_take(tree, root, count, room);
        i += count;
    }
}

nt_status nt_front_find_batches(nt_front_tree *tree, nt_arena *arena)
{
    int n = tree->n_fronts;
    size_t room = 0;
    candidate *list = malloc(((size_t)n + 1) * sizeof *list);
    tree->batch = NT_TAKE(arena, n / FEWEST + 1, nt_front_batch);
    nt_status status = NT_NO_MEMORY;
    if (!list || !tree->batch)
        goto done;
    for (int f = 0; f < n; f++) {
        tree->front[f].batch = -1;
        tree->front[f].is_full = is_full(tree, &tree->front[f]);
        tree->front[f].early = count_early(tree, &tree->front[f]);
    }
    list_candidates(tree, list);
    qsort(list, (size_t)n, sizeof *list, candidate_compare);
    for (int begin = 0, end; begin < n && list[begin].size > 0; begin = end) {
        for (end = begin + 1;
             end < n && list[end].size == list[begin].size && list[end].shape == list[begin].shape;)
            end++;
        take_batches(tree, list + begin, end - begin, &room);
    }
    tree->beside = NT_TAKE(arena, room, lanes);
    tree->column = NT_TAKE(arena, LARGEST + 4, lanes);
    status = tree->beside && tree->column ? NT_OK : NT_NO_MEMORY;
done:
    free(list);
    return status;
}

/* ---- factors -------------------------------------------------------------------------------- */

/* Row or column of a front's whole matrix at a place. */
static int index_of(const nt_front *front, int place)
{
    return place < 0 ? ~place : front->w + place;
}

static void add_child_beside(const nt_front_tree *tree, const nt_front *child,
                             const nt_front *front)
{
    int m = child->w + child->r, n = front->w + front->r;
    const lanes *from = tree->beside + child->beside + (ptrdiff_t)child->w * m + child->w;
    lanes *to = tree->beside + front->beside;
    const nt_front_run *begin = tree->run + child->runs, *end = tree->run + child->run_end;
    for (const nt_front_run *column = begin; column < end; column++)
        for (int j = 0; j < column->count; j++)
            for (const nt_front_run *row = begin; row < end; row++) {
                const lanes *u = from + (ptrdiff_t)(column->from + j) * m + row->from;
                lanes *c = to + (ptrdiff_t)(index_of(front, column->place) + j) * n +
                           index_of(front, row->place);
                for (int i = 0; i < row->count; i++)
                    c[i] += u[i];
            }
}

/* F22 of the roots to where their parents expect it. */
static void pass_lanes_on(nt_front_tree *tree, const nt_front_batch *batch)
{
    const nt_front *root = &tree->front[batch->first[0] + batch->n_fronts - 1];
    int w = root->w, r = root->r, n = w + r, rp = (r + 3) & ~3;
    for (int l = 0; l < batch->lanes; l++) {
        double *to = tree->stack + tree->front[batch->first[l] + batch->n_fronts - 1].final;
        for (int j = 0; j < r; j++, to += rp)
            for (int i = 0; i < r; i++)
                to[i] = tree->beside[root->beside + (size_t)((w + j) * n + w + i)][l];
    }
}

/* All of a front before its elimination: blocks of the matrix, and zeros where it has none. */
static void load_beside(const nt_front_kernels *kernels, const nt_front *front,
                        const nt_front_load *const load[NT_FRONT_LANES], const double *store,
                        lanes *a)
{
    int w = front->w, n = w + front->r;
    for (int j = front->is_full ? w : 0; j < n; j++) {
        int rows = front->is_full ? front->r : n;
        memset(a + (ptrdiff_t)j * n + n - rows, 0, (size_t)rows * sizeof *a);
    }
    kernels->load_lanes(w, n, load, front->load_end - front->loads, store, a, !front->is_full);
}

/* The k-th front of a batch, and its early pivots: what no child adds to waits for none. */
static void factor_early(nt_front_tree *tree, const nt_front_kernels *kernels,
                         const nt_front_batch *batch, int k, const double *store)
{
    nt_front *front = &tree->front[batch->first[0] + k];
    lanes *a = tree->beside + front->beside;
    const nt_front_load *load[NT_FRONT_LANES];
    for (int l = 0; l < NT_FRONT_LANES; l++)
        load[l] = tree->load + tree->front[batch->first[l] + k].loads;
    load_beside(kernels, front, load, store, a);
    front->in_order = kernels->factor_lanes(0, front->early, front->w + front->r, a);
}

/* The rest of it, when its children are done. */
static int factor_late(nt_front_tree *tree, const nt_front_kernels *kernels,
                       const nt_front_batch *batch, int k)
{
    const nt_front *front = &tree->front[batch->first[0] + k];
    for (int c = 0; c < front->child_count; c++)
        add_child_beside(tree, &tree->front[tree->child[front->children + c]], front);
    return front->in_order && kernels->factor_lanes(front->early, front->w, front->w + front->r,
                                                    tree->beside + front->beside);
}

/* The pieces of the fronts at one place of a batch: [pivots) [others). */
typedef struct pieces {
    const nt_front_piece *pivot[NT_FRONT_LANES], *other[NT_FRONT_LANES];
    int pivots, others;
} pieces;

static pieces pieces_of(const nt_front_tree *tree, const nt_front_batch *batch, int k)
{
    const nt_front *front = &tree->front[batch->first[0] + k];
    pieces p = {.pivots = front->pivot_pieces - front->pieces,
                .others = front->piece_end - front->pivot_pieces};
    for (int l = 0; l < NT_FRONT_LANES; l++) {
        p.pivot[l] = tree->piece + tree->front[batch->first[l] + k].pieces;
        p.other[l] = p.pivot[l] + p.pivots;
    }
    return p;
}

/* y = L^-1 P b of the k-th front, and its others less F21 U^-1 y. */
static void forward_front(const nt_front_tree *tree, const nt_front_kernels *kernels,
                          const nt_front_batch *batch, int k, lanes *y, double *b)
{
    const nt_front *front = &tree->front[batch->first[0] + k];
    pieces p = pieces_of(tree, batch, k);
    kernels->gather_lanes(p.pivot, p.pivots, b, y);
    memset(y + front->w, 0, (size_t)front->r * sizeof *y);
    kernels->forward_lanes(front->w, front->w + front->r, tree->beside + front->beside, y);
    kernels->scatter_lanes(p.pivot, p.pivots, batch->lanes, y, b, 0);
    kernels->scatter_lanes(p.other, p.others, batch->lanes, y + front->w, b, 1);
}

/* Fronts [from, to) of a batch, children before parents, whose early pivots are done: 0 where one
 * needs exchanges. b: what is gone forward with, or NULL. */
static int factor_fronts(nt_front_tree *tree, const nt_front_kernels *kernels,
                         const nt_front_batch *batch, int from, int to, double *b)
{
    for (int k = from; k < to; k++) {
        if (!factor_late(tree, kernels, batch, k))
            return 0;
        if (b)
            forward_front(tree, kernels, batch, k, tree->column, b);
    }
    return 1;
}

/* Whether all pivots of the k-th fronts of a batch are at the split or behind it. */
static bool is_behind(const nt_front_tree *tree, const nt_front_batch *batch, int k, int split)
{
    for (int l = 0; l < batch->lanes; l++) {
        const nt_front *front = &tree->front[batch->first[l] + k];
        for (int p = front->pieces; p < front->pivot_pieces; p++)
            if (tree->piece[p].position < split)
                return false;
    }
    return true;
}

void nt_front_divide_batches(nt_front_tree *tree, int split)
{
    if (tree->split == split)
        return;
    tree->split = split;
    for (int i = 0; i < tree->n_batches; i++) {
        nt_front_batch *batch = &tree->batch[i];
        int n = batch->n_fronts, behind = 0;
        while (behind < n && is_behind(tree, batch, behind, split))
            behind++;
        batch->behind = 4 * behind >= n && 3 * behind <= 2 * n ? behind : 0;
    }
}

static bool has_blocks(const nt_front_tree *tree, const nt_front_batch *batch, int k, int begin,
                       int end)
{
    for (int lane = 0; lane < batch->lanes; lane++) {
        const nt_front *front = &tree->front[batch->first[lane] + k];
        for (int l = front->loads; l < front->load_end; l++)
            if (tree->load[l].source >= begin && tree->load[l].source < end)
                return true;
    }
    return false;
}

/* Whose a front is that has blocks of the shares from `share` to `needs`: of two it is the lower
 * one's, but the first fronts of a batch are the last share's. */
static void give_front(nt_front *front, bool is_first)
{
    int low = front->share, high = front->needs;
    if (high > low + 1)
        front->share = -1;
    else if (is_first)
        front->share = high, front->needs = low;
}

void nt_front_share_out(nt_front_tree *tree, int share, int shares, int begin, int end)
{
    tree->shares = shares;
    for (int i = 0; i < tree->n_batches; i++) {
        nt_front_batch *batch = &tree->batch[i];
        nt_front *front = &tree->front[batch->first[0]];
        for (int k = 0; k < batch->n_fronts; k++) {
            if (share == 0)
                front[k].share = front[k].needs = -1;
            if (has_blocks(tree, batch, k, begin, end)) {
                front[k].needs = share;
                front[k].share = front[k].share < 0 ? share : front[k].share;
            }
            if (share == shares - 1)
                give_front(&front[k], k < batch->behind);
        }
        batch->ahead = 0;
        while (batch->ahead < batch->behind && front[batch->ahead].share == shares - 1 &&
               front[batch->ahead].needs == shares - 1)
            batch->ahead++;
    }
}

/* The early pivots of what belongs to a share and needs no other, or of what needs one. */
static void begin_fronts(nt_front_tree *tree, const nt_front_kernels *kernels, const nt_pool *pool,
                         int share, bool alone, const double *store)
{
    for (int i = 0; i < tree->n_batches; i++)
        for (int k = 0; k < tree->batch[i].n_fronts; k++) {
            nt_front *front = &tree->front[tree->batch[i].first[0] + k];
            if (front->share != share || (front->needs == share) != alone ||
                !nt_pool_is_told(pool, front->needs))
                continue;
            factor_early(tree, kernels, &tree->batch[i], k, store);
            front->job = tree->job;
        }
}

/* The first fronts of the only batch. */
static void begin_chain(nt_front_tree *tree, const nt_front_kernels *kernels, double *b,
                        double *copy, size_t size)
{
    for (int i = 0; i < tree->n_batches; i++)
        tree->batch[i].begun = 0;
    nt_front_batch *batch = &tree->batch[0];
    if (tree->n_batches != 1 || batch->ahead == 0)
        return;
    if (b)
        memcpy(copy + tree->split, b + tree->split, (size - (size_t)tree->split) * sizeof *b);
    bool done = factor_fronts(tree, kernels, batch, 0, batch->ahead, b);
    batch->begun = done ? batch->ahead : -1;
}

void nt_front_begin_batches(nt_front_tree *tree, const nt_front_kernels *kernels,
                            const nt_pool *pool, int share, const double *store, double *b,
                            double *copy, size_t size)
{
    begin_fronts(tree, kernels, pool, share, true, store);
    if (share == tree->shares - 1)
        begin_chain(tree, kernels, b, copy, size);
    begin_fronts(tree, kernels, pool, share, false, store);
}

/* Those fronts whose early pivots no thread has done, and what is left of all. */
static int end_batch(nt_front_tree *tree, const nt_front_kernels *kernels,
                     const nt_front_batch *batch, const double *store, double *b)
{
    for (int k = batch->begun; k < batch->n_fronts; k++) {
        if (tree->front[batch->first[0] + k].job != tree->job)
            factor_early(tree, kernels, batch, k, store);
        if (!factor_fronts(tree, kernels, batch, k, k + 1, b))
            return 0;
    }
    return 1;
}

static int factor_batch(nt_front_tree *tree, const nt_front_kernels *kernels,
                        const nt_front_batch *batch, const double *store, double *b)
{
    for (int k = 0; k < batch->n_fronts; k++) {
        factor_early(tree, kernels, batch, k, store);
        if (!factor_fronts(tree, kernels, batch, k, k + 1, b))
            return 0;
    }
    return 1;
}

void nt_front_factor_batches(nt_front_tree *tree, const nt_front_kernels *kernels, bool begun,
                             const double *store, double *b, double *copy, size_t size)
{
    for (int i = 0; i < tree->n_batches; i++) {
        nt_front_batch *batch = &tree->batch[i];
        bool kept = begun && batch->begun != 0; /* b from the split on */
        if (b)
            memcpy(copy, b, (kept ? (size_t)tree->split : size) * sizeof *b);
        batch->taken = begun ? batch->begun >= 0 && end_batch(tree, kernels, batch, store, b)
                             : factor_batch(tree, kernels, batch, store, b);
        if (batch->taken)
            pass_lanes_on(tree, batch);
        else if (b) /* it is gone forward with front by front */
            memcpy(b, copy, size * sizeof *b);
    }
}

/* ---- solving -------------------------------------------------------------------------------- */

void nt_front_forward_batches(const nt_front_tree *tree, const nt_front_kernels *kernels, double *b)
{
    for (int i = 0; i < tree->n_batches; i++) {
        const nt_front_batch *batch = &tree->batch[i];
        for (int k = 0; batch->taken && k < batch->n_fronts; k++)
            forward_front(tree, kernels, batch, k, tree->column, b);
    }
}

void nt_front_backward_batches(const nt_front_tree *tree, const nt_front_kernels *kernels,
                               bool behind, double *b)
{
    lanes *y = tree->column;
    for (int i = tree->n_batches - 1; i >= 0; i--) {
        const nt_front_batch *batch = &tree->batch[i];
        int begin = behind ? 0 : batch->behind, end = behind ? batch->behind : batch->n_fronts;
        for (int k = end - 1; batch->taken && k >= begin; k--) {
            const nt_front *front = &tree->front[batch->first[0] + k];
            pieces p = pieces_of(tree, batch, k);
            kernels->gather_lanes(p.pivot, p.pivots, b, y);
            kernels->gather_lanes(p.other, p.others, b, y + front->w);
            kernels->backward_lanes(front->w, front->w + front->r, tree->beside + front->beside, y);
            kernels->scatter_lanes(p.pivot, p.pivots, batch->lanes, y, b, 0);
        }
    }
}

/* ---- transposed: lane by lane --------------------------------------------------------------- */

/* The unknowns of a front one after the other, and back to their places; `others` are added. */
static void transposed_gather(const nt_front_tree *tree, const nt_front *front, const double *b,
                              double *x)
{
    for (int p = front->pieces; p < front->piece_end; x += tree->piece[p].size, p++)
        memcpy(x, b + tree->piece[p].position, (size_t)tree->piece[p].size * sizeof *x);
}

static void transposed_scatter(const nt_front_tree *tree, const nt_front *front, const double *x,
                               double *b)
{
    for (int p = front->pieces; p < front->piece_end; x += tree->piece[p].size, p++)
        memcpy(b + tree->piece[p].position, x, (size_t)tree->piece[p].size * sizeof *x);
}

/* Which lane of its batch a front is in. */
static int lane_of(const nt_front_tree *tree, int f)
{
    const nt_front_batch *batch = &tree->batch[tree->front[f].batch];
    int lane = 0;
    while (f < batch->first[lane] || f >= batch->first[lane] + batch->n_fronts)
        lane++;
    return lane;
}

/* y = U^-T b, and b_later - F12^T y */
void nt_front_forward_transposed_batches(const nt_front_tree *tree, double *b)
{
    double x[LARGEST];
    for (int f = 0; f < tree->n_fronts; f++) {
        if (!nt_front_is_taken(tree, f))
            continue;
        const nt_front *front = &tree->front[f];
        int w = front->w, n = w + front->r, lane = lane_of(tree, f);
        const lanes *column = tree->beside + front->beside;
        transposed_gather(tree, front, b, x);
        for (int j = 0; j < n; j++, column += n) {
            for (int i = 0; i < (j < w ? j : w); i++)
                x[j] -= column[i][lane] * x[i];
            x[j] *= j < w ? column[j][lane] : 1;
        }
        transposed_scatter(tree, front, x, b);
    }
}

/* L^-T (y - F21^T x_later) */
void nt_front_backward_transposed_batches(const nt_front_tree *tree, double *b)
{
    double x[LARGEST];
    for (int f = tree->n_fronts - 1; f >= 0; f--) {
        if (!nt_front_is_taken(tree, f))
            continue;
        const nt_front *front = &tree->front[f];
        int w = front->w, n = w + front->r, lane = lane_of(tree, f);
        transposed_gather(tree, front, b, x);
        for (int j = w - 1; j >= 0; j--) {
            const lanes *column = tree->beside + front->beside + (ptrdiff_t)j * n;
            for (int i = j + 1; i < n; i++)
                x[j] -= column[i][lane] * x[i];
        }
        transposed_scatter(tree, front, x, b);
    }
}
