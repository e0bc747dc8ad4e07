/* From the graph of the core to its tree of fronts: order (AMD, each body before its multipliers),
 * elimination tree, structure of the factors, fronts, and the map of every child into its parent.
 */
#include "linalg/front/front.h"

#include <camd.h>
#include <stdlib.h>
#include <string.h>

enum { WIDEST = 48 }; /* pivots of one front */

/* The order of bodies with their multipliers is taken where it saves so much of the work: what it
 * does to branches that are alike, and are eliminated side by side, is not counted. */
static const double CLEARLY_LESS = 0.75;

/* Nodes may join a front although some entries are then zeros: up to this share of its panel. */
static const double ZEROS = 0.1;

static int padded(int n) { return (n + 3) & ~3; }

typedef struct analysis {
    const nt_core_graph *graph;
    int n;
    int *order, *rank;  /* [n] elimination order and its inverse                   */
    int *parent;        /* [n] by rank                                             */
    int *start, *count; /* [n] later neighbours of each rank: their place in pool  */
    int *pool;
    size_t pool_room, pool_used;
    int *mark;
    int *first, *front_of; /* [n] supernodes: first rank of each; front of each rank */
    int n_fronts;
} analysis;

static int take_ints(int **p, int n)
{
    *p = malloc(((size_t)n + 1) * sizeof **p);
    return *p != NULL;
}

/* A multiplier goes after the bodies that it couples: each is taken forward to just before the
 * first of its multipliers. (With all bodies before all multipliers AMD would have to couple
 * through bodies what multipliers keep apart.) */
static nt_status put_bodies_first(analysis *a)
{
    const nt_core_graph *g = a->graph;
    int *order, done = 0;
    if (!take_ints(&order, a->n))
        return NT_NO_MEMORY;
    for (int i = 0; i < a->n; i++)
        a->rank[i] = -1;
    for (int k = 0; k < a->n; k++) {
        int node = a->order[k];
        for (int e = g->start[node]; g->multiplier[node] && e < g->start[node + 1]; e++) {
            int body = g->neighbour[e];
            if (!g->multiplier[body] && a->rank[body] < 0) {
                a->rank[body] = done;
                order[done++] = body;
            }
        }
        if (a->rank[node] < 0) {
            a->rank[node] = done;
            order[done++] = node;
        }
    }
    free(a->order);
    a->order = order;
    return NT_OK;
}

/* AMD over the core; with `last`, nodes that it marks come after all others. */
static nt_status find_order(analysis *a, int *last)
{
    const nt_core_graph *g = a->graph;
    int code = camd_order(g->n, g->start, g->neighbour, a->order, NULL, NULL, last);
    return code < 0 ? NT_NO_MEMORY : put_bodies_first(a);
}

/* Marks multipliers and what they hold; 0 where that is nothing, or all there is. */
static int mark_held(const nt_core_graph *g, int *mark)
{
    int marked = 0;
    for (int i = 0; i < g->n; i++) {
        mark[i] = g->multiplier[i];
        for (int e = g->start[i]; e < g->start[i + 1]; e++)
            mark[i] |= g->multiplier[g->neighbour[e]];
        marked += mark[i];
    }
    return marked > 0 && marked < g->n;
}

/* Where a multiplier is counted: at the body with fewest neighbours that it couples, or at itself
 * where it couples none. Bodies are counted at themselves. `waits`: how many bodies it couples. */
static void find_hosts(const nt_core_graph *g, int *host, int *waits)
{
    for (int i = 0; i < g->n; i++) {
        host[i] = i, waits[i] = 0;
        for (int e = g->start[i]; g->multiplier[i] && e < g->start[i + 1]; e++) {
            int body = g->neighbour[e], best = host[i];
            if (g->multiplier[body])
                continue;
            waits[i]++;
            if (best == i ||
                g->start[body + 1] - g->start[body] < g->start[best + 1] - g->start[best])
                host[i] = body;
        }
    }
}

/* AMD over bodies that stand for their multipliers as well, each of which follows the last body
 * that it couples. AMD alone takes all multipliers first, since they have two neighbours, in no
 * order that bodies could follow: loops of beams that hang together in a row then fill all of what
 * is left of it. */
static int find_order_of_hosts(analysis *a)
{
    const nt_core_graph *g = a->graph;
    int n = g->n, edges = g->start[n], used = 0, done = 0, ok = 0;
    int *host, *waits, *start, *neighbour, *order;
    ok = take_ints(&host, n) & take_ints(&waits, n) & take_ints(&start, n + 1) &
         take_ints(&neighbour, edges) & take_ints(&order, n);
    if (!ok)
        goto done;
    find_hosts(g, host, waits);
    memset(start, 0, ((size_t)n + 1) * sizeof *start);
    for (int i = 0; i < n; i++)
        start[host[i]] += g->start[i + 1] - g->start[i];
    for (int i = 0; i < n; i++) /* ends, which become begins as the lists are filled */
        start[i] = used += start[i];
    start[n] = used;
    for (int i = 0; i < n; i++)
        for (int e = g->start[i]; e < g->start[i + 1]; e++)
            neighbour[--start[host[i]]] = host[g->neighbour[e]];
    ok = camd_order(n, start, neighbour, order, NULL, NULL, NULL) >= 0;
    for (int k = 0; ok && k < n; k++) {
        int node = order[k];
        if (host[node] != node)
            continue;
        a->rank[node] = done;
        a->order[done++] = node;
        for (int e = g->start[node]; !g->multiplier[node] && e < g->start[node + 1]; e++) {
            int multiplier = g->neighbour[e];
            if (g->multiplier[multiplier] && --waits[multiplier] == 0) {
                a->rank[multiplier] = done;
                a->order[done++] = multiplier;
            }
        }
    }
done:
    free(host), free(waits), free(start), free(neighbour), free(order);
    return ok && done == n;
}

/* The elimination tree: parent[k] is the first later node that k couples. */
static int find_tree(analysis *a)
{
    const nt_core_graph *g = a->graph;
    int *ancestor;
    if (!take_ints(&ancestor, a->n))
        return 0;
    for (int k = 0; k < a->n; k++) {
        a->parent[k] = ancestor[k] = -1;
        int node = a->order[k];
        for (int e = g->start[node]; e < g->start[node + 1]; e++)
            for (int i = a->rank[g->neighbour[e]], next; i >= 0 && i < k; i = next) {
                next = ancestor[i];
                ancestor[i] = k;
                if (next < 0)
                    a->parent[i] = k;
            }
    }
    free(ancestor);
    return 1;
}

/* Renumber so that every subtree is a run of ranks. */
static int find_postorder(analysis *a)
{
    int n = a->n, done = 0, top = 0, ok = 0;
    int *child, *sibling, *stack, *order, *renamed;
    ok = take_ints(&child, n) & take_ints(&sibling, n) & take_ints(&stack, n) &
         take_ints(&order, n) & take_ints(&renamed, n);
    if (!ok)
        goto done;
    for (int k = 0; k < n; k++)
        child[k] = -1;
    for (int k = n - 1; k >= 0; k--)
        if (a->parent[k] >= 0) {
            sibling[k] = child[a->parent[k]];
            child[a->parent[k]] = k;
        }
    for (int root = 0; root < n; root++) {
        if (a->parent[root] >= 0)
            continue;
        for (stack[top++] = root; top > 0;) {
            int k = stack[top - 1];
            if (child[k] >= 0) {
                stack[top++] = child[k];
                child[k] = sibling[child[k]];
            } else {
                renamed[k] = done;
                order[done++] = a->order[k];
                top--;
            }
        }
    }
    for (int k = 0; k < n; k++)
        stack[renamed[k]] = a->parent[k] < 0 ? -1 : renamed[a->parent[k]];
    memcpy(a->parent, stack, (size_t)n * sizeof *stack);
    memcpy(a->order, order, (size_t)n * sizeof *order);
    for (int k = 0; k < n; k++)
        a->rank[order[k]] = k;
done:
    free(child);
    free(sibling);
    free(stack);
    free(order);
    free(renamed);
    return ok;
}

static int front_tree_compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static int pool_reserve(analysis *a, size_t more)
{
    if (a->pool_used + more <= a->pool_room)
        return 1;
    size_t room = 2 * a->pool_room + more + 1024;
    int *pool = realloc(a->pool, room * sizeof *pool);
    if (!pool)
        return 0;
    a->pool = pool;
    a->pool_room = room;
    return 1;
}

/* Later neighbours of every rank: those in the graph, and those of its children. */
static int find_structure(analysis *a)
{
    const nt_core_graph *g = a->graph;
    int n = a->n, *child, *sibling;
    if (!(take_ints(&child, n) & take_ints(&sibling, n))) {
        free(child);
        free(sibling);
        return 0;
    }
    int ok = 0;
    for (int k = 0; k < n; k++)
        child[k] = a->mark[k] = -1;
    for (int k = 0; k < n; k++) {
        int node = a->order[k];
        size_t most = (size_t)(g->start[node + 1] - g->start[node]);
        for (int c = child[k]; c >= 0; c = sibling[c])
            most += (size_t)a->count[c];
        if (!pool_reserve(a, most) || a->pool_used > 1u << 30)
            goto done;
        int *mine = a->pool + a->pool_used, count = 0;
        a->mark[k] = k;
        for (int e = g->start[node]; e < g->start[node + 1]; e++) {
            int i = a->rank[g->neighbour[e]];
            if (i > k && a->mark[i] != k)
                a->mark[i] = k, mine[count++] = i;
        }
        for (int c = child[k]; c >= 0; c = sibling[c])
            for (int e = 0; e < a->count[c]; e++) {
                int i = a->pool[a->start[c] + e];
                if (i > k && a->mark[i] != k)
                    a->mark[i] = k, mine[count++] = i;
            }
        qsort(mine, (size_t)count, sizeof *mine, front_tree_compare);
        a->start[k] = (int)a->pool_used;
        a->count[k] = count;
        a->pool_used += (size_t)count;
        if (a->parent[k] >= 0) {
            sibling[k] = child[a->parent[k]];
            child[a->parent[k]] = k;
        }
    }
    ok = 1;
done:
    free(child);
    free(sibling);
    return ok;
}

static int front_tree_size_of(const analysis *a, int rank)
{
    return a->graph->node[a->order[rank]].size;
}

static int structure_size(const analysis *a, int rank)
{
    int size = 0;
    for (int e = 0; e < a->count[rank]; e++)
        size += front_tree_size_of(a, a->pool[a->start[rank] + e]);
    return size;
}

/* Runs of ranks, each the parent of the one before, with nearly the same later neighbours. */
static void find_fronts(analysis *a)
{
    double zeros = 0, entries = 0;
    int width = 0, below = 0; /* of the front so far; later neighbours of its last rank */
    a->n_fronts = 0;
    for (int k = 0; k < a->n; k++) {
        int size = front_tree_size_of(a, k), later = structure_size(a, k);
        int grown = size + later - below; /* rows that the earlier columns get as zeros */
        int joins = k > 0 && a->parent[k - 1] == k && width + size <= WIDEST;
        if (joins) {
            double more = zeros + (double)width * grown;
            double all = entries + (double)width * grown + (double)size * (size + later);
            joins = more <= ZEROS * all;
            if (joins)
                zeros = more, entries = all, width += size;
        }
        if (!joins) {
            a->first[a->n_fronts++] = k;
            zeros = 0, width = size, entries = (double)size * (size + later);
        }
        below = later;
        a->front_of[k] = a->n_fronts - 1;
    }
    a->first[a->n_fronts] = a->n;
}

/* ---- the tree as the numeric phase wants it ------------------------------------------------- */

static int last_rank(const analysis *a, int front) { return a->first[front + 1] - 1; }

/* Pieces, sizes, parents. */
static int lay_out_fronts(analysis *a, nt_front_tree *tree, nt_arena *arena)
{
    size_t pieces = 0;
    for (int f = 0; f < a->n_fronts; f++)
        pieces += (size_t)(a->first[f + 1] - a->first[f] + a->count[last_rank(a, f)]);
    tree->n_fronts = a->n_fronts;
    tree->front = NT_TAKE(arena, a->n_fronts + 1, nt_front);
    tree->piece = NT_TAKE(arena, pieces + 1, nt_front_piece);
    if (!tree->front || !tree->piece)
        return 0;
    int at = 0;
    for (int f = 0; f < a->n_fronts; f++) {
        nt_front *front = &tree->front[f];
        int last = last_rank(a, f);
        front->pieces = at;
        for (int k = a->first[f]; k <= last; k++) {
            tree->piece[at++] = a->graph->node[a->order[k]];
            front->w += front_tree_size_of(a, k);
        }
        front->pivot_pieces = at;
        for (int e = 0; e < a->count[last]; e++)
            tree->piece[at++] = a->graph->node[a->order[a->pool[a->start[last] + e]]];
        front->r = structure_size(a, last);
        front->piece_end = at;
        front->parent = a->parent[last] < 0 ? -1 : a->front_of[a->parent[last]];
    }
    return 1;
}

/* place[rank] for all nodes of a front: in F22, or ~ in the pivots. */
static void find_places(const analysis *a, int front, int *place)
{
    int at = 0, last = last_rank(a, front);
    for (int k = a->first[front]; k <= last; k++) {
        place[k] = ~at;
        at += front_tree_size_of(a, k);
    }
    at = 0;
    for (int e = 0; e < a->count[last]; e++) {
        int k = a->pool[a->start[last] + e];
        place[k] = at;
        at += front_tree_size_of(a, k);
    }
}

/* Runs of a child's unknowns in its parent. */
static void map_child(const analysis *a, nt_front_tree *tree, int child, const int *place, int *at)
{
    nt_front *front = &tree->front[child];
    int last = last_rank(a, child), from = 0;
    front->runs = *at;
    for (int e = 0; e < a->count[last]; e++) {
        int k = a->pool[a->start[last] + e], size = front_tree_size_of(a, k);
        nt_front_run *previous = *at > front->runs ? &tree->run[*at - 1] : NULL;
        int joins = previous && (previous->place < 0) == (place[k] < 0);
        if (joins)
            joins = place[k] < 0 ? ~place[k] == ~previous->place + previous->count
                                 : place[k] == previous->place + previous->count;
        if (joins)
            previous->count += size;
        else
            tree->run[(*at)++] = (nt_front_run){from, size, place[k]};
        from += size;
    }
    front->run_end = *at;
}

/* Children of every front, their runs, and the blocks of the matrix that enter it. */
static int map_fronts(analysis *a, nt_front_tree *tree, nt_arena *arena)
{
    const nt_core_graph *g = a->graph;
    int n = a->n_fronts, ok = 0;
    int *place, *child_start, *load_start, *load_list;
    ok = take_ints(&place, a->n) & take_ints(&child_start, n + 1) & take_ints(&load_start, n + 1) &
         take_ints(&load_list, g->n_blocks);
    tree->child = NT_TAKE(arena, n + 1, int);
    tree->run = NT_TAKE(arena, tree->front[n - 1].piece_end + 1, nt_front_run);
    tree->load = NT_TAKE(arena, g->n_blocks + NT_FRONT_LOADS_AHEAD, nt_front_load);
    ok = ok && tree->child && tree->run && tree->load;
    if (!ok)
        goto done;
    memset(child_start, 0, ((size_t)n + 2) * sizeof *child_start);
    memset(load_start, 0, ((size_t)n + 2) * sizeof *load_start);
    for (int f = 0; f < n; f++)
        if (tree->front[f].parent >= 0) {
            tree->front[tree->front[f].parent].child_count++;
            child_start[tree->front[f].parent + 1]++;
        }
    for (int f = 0; f < n; f++)
        child_start[f + 1] += child_start[f];
    for (int f = 0; f < n; f++)
        if (tree->front[f].parent >= 0)
            tree->child[child_start[tree->front[f].parent]++] = f;
    for (int pass = 0; pass < 2; pass++) {
        for (int b = 0; b < g->n_blocks; b++) {
            int i = a->rank[g->block[b].row], j = a->rank[g->block[b].column];
            int f = a->front_of[i < j ? i : j];
            if (pass == 0)
                load_start[f + 1]++;
            else
                load_list[load_start[f]++] = b;
        }
        for (int f = 0; f < n && pass == 0; f++)
            load_start[f + 1] += load_start[f];
    }
    int runs = 0, loads = 0, children = 0;
    for (int f = 0; f < n; f++) {
        nt_front *front = &tree->front[f];
        find_places(a, f, place);
        front->children = children;
        for (int c = 0; c < front->child_count; c++)
            map_child(a, tree, tree->child[children++], place, &runs);
        front->loads = loads;
        for (; loads < load_start[f]; loads++) {
            const nt_core_block *b = &g->block[load_list[loads]];
            int i = a->rank[b->row], j = a->rank[b->column];
            tree->load[loads] = (nt_front_load){b->source, front_tree_size_of(a, i),
                                                front_tree_size_of(a, j), place[i], place[j]};
        }
        front->load_end = loads;
    }
done:
    free(place);
    free(child_start);
    free(load_start);
    free(load_list);
    return ok;
}

/* A front whose F22 does not wait on the stack: the root of a batch's subtree. */
static int waits_outside(const nt_front_tree *tree, int f)
{
    int parent = tree->front[f].parent;
    return tree->front[f].batch >= 0 && (parent < 0 || tree->front[parent].batch < 0);
}

/* Memory: factors one after the other; the stack as the numeric phase will use it, then what waits
 * outside. */
static int lay_out_memory(nt_front_tree *tree, nt_arena *arena)
{
    size_t factors = 0, top = 0, highest = 0, panel = 0, widest = 0, pivots = 0;
    for (int f = 0; f < tree->n_fronts; f++) {
        nt_front *front = &tree->front[f];
        size_t w = (size_t)front->w, r = (size_t)front->r;
        size_t wp = (size_t)padded(front->w), rp = (size_t)padded(front->r);
        front->exchange = (int)pivots;
        pivots += w;
        front->pivots = factors;
        front->left = factors + wp * w;
        front->right = front->left + rp * w;
        factors = front->right + wp * r;
        front->build = top;
        front->final = top;
        for (int c = front->child_count - 1; c >= 0; c--)
            if (!waits_outside(tree, tree->child[front->children + c]))
                front->final = tree->front[tree->child[front->children + c]].final;
        if (top + rp * r > highest)
            highest = top + rp * r;
        top = front->final + (waits_outside(tree, f) ? 0 : rp * r);
        if (wp * r > panel)
            panel = wp * r;
        if (wp + rp > widest)
            widest = wp + rp;
        if (front->w > tree->widest)
            tree->widest = front->w;
        long nodes = front->pivot_pieces - front->pieces;
        tree->blocks += nodes * (nodes + 2L * (front->piece_end - front->pivot_pieces));
        double dw = front->w, dr = front->r;
        tree->flops += 2 * dw * dw * dw / 3 + 2 * dw * dw * dr + 2 * dw * dr * dr;
    }
    for (int f = 0; f < tree->n_fronts; f++)
        if (waits_outside(tree, f)) {
            tree->front[f].final = highest;
            highest += (size_t)padded(tree->front[f].r) * (size_t)tree->front[f].r;
        }
    panel = panel > 2 * widest ? panel : 2 * widest;
    tree->factors = NT_TAKE(arena, factors + 4, double);
    tree->stack = NT_TAKE(arena, highest + 4, double);
    tree->panel = NT_TAKE(arena, panel + 8, double);
    tree->exchange = NT_TAKE(arena, pivots + 1, int);
    return tree->factors && tree->stack && tree->panel && tree->exchange;
}

static int analysis_take(analysis *a, const nt_core_graph *graph)
{
    int n = graph->n;
    *a = (analysis){.graph = graph, .n = n};
    return take_ints(&a->order, n) & take_ints(&a->rank, n) & take_ints(&a->parent, n) &
           take_ints(&a->start, n) & take_ints(&a->count, n) & take_ints(&a->mark, n) &
           take_ints(&a->first, n + 1) & take_ints(&a->front_of, n);
}

static void analysis_free(analysis *a)
{
    free(a->order);
    free(a->rank);
    free(a->parent);
    free(a->start);
    free(a->count);
    free(a->mark);
    free(a->first);
    free(a->front_of);
    free(a->pool);
    *a = (analysis){0};
}

/* What follows from an order. */
static int analyse_fronts(analysis *a)
{
    if (!find_tree(a) || !find_postorder(a) || !find_structure(a))
        return 0;
    find_fronts(a);
    return 1;
}

/* Multiplications of the factorisation. */
static double work_of(const analysis *a)
{
    double sum = 0;
    for (int k = 0; k < a->n; k++) {
        double size = front_tree_size_of(a, k), later = structure_size(a, k);
        sum += size * (size * size / 3 + size * later + later * later);
    }
    return sum;
}

/* Takes the other analysis where its work is less than this share of the one at hand. */
static void take_better(analysis *a, analysis *other, double share)
{
    if (work_of(other) < share * work_of(a)) {
        analysis worse = *a;
        *a = *other;
        *other = worse;
    }
    analysis_free(other);
}

/* The best of three orders: AMD takes a body that a joint holds early, for its multipliers have few
 * neighbours, and couples all of a beam through it; last, it couples nothing. */
static int analyse_orders(analysis *a)
{
    analysis other = {0};
    int *held = NULL, ok = find_order(a, NULL) == NT_OK && analyse_fronts(a);
    if (ok && !(ok = take_ints(&held, a->n)))
        return 0;
    if (ok && mark_held(a->graph, held)) {
        ok = analysis_take(&other, a->graph) && find_order(&other, held) == NT_OK &&
             analyse_fronts(&other);
        if (ok)
            take_better(a, &other, 1);
        ok = ok && analysis_take(&other, a->graph) && find_order_of_hosts(&other) &&
             analyse_fronts(&other);
        if (ok)
            take_better(a, &other, CLEARLY_LESS);
    }
    analysis_free(&other);
    free(held);
    return ok;
}

nt_status nt_front_analyse(nt_front_tree *tree, const nt_core_graph *graph, nt_arena *arena)
{
    nt_status status = NT_NO_MEMORY;
    analysis a;
    memset(tree, 0, sizeof *tree);
    if (graph->n == 0)
        return NT_OK;
    if (analysis_take(&a, graph) && analyse_orders(&a) && lay_out_fronts(&a, tree, arena) &&
        map_fronts(&a, tree, arena) && nt_front_find_batches(tree, arena) == NT_OK &&
        lay_out_memory(tree, arena))
        status = NT_OK;
    analysis_free(&a);
    return status;
}
