/* The order of elimination.
 *
 * Bodies go first, each when it has few neighbours; a multiplier goes only after all bodies that
 * it couples ("static pivoting": its own diagonal block is zero until they are gone, and is then
 * -G W^-1 G^T, regular whenever its rows are independent). A body with very many joints, a hub,
 * would couple them all; its multipliers need not wait for it, because each has another body.
 * Among the candidates the one with fewest neighbours goes first, the longest waiting among
 * equals: a chain is then eaten from both its ends, and two short dependency chains overlap in
 * the processor where one long one would stall it.
 *
 * Nodes that are coupled with more than FEW others, all of them coupled with each other, belong to
 * an element of several nodes, a beam's of order two or more. They are left to the core, whose
 * fronts take such nodes together, and equal beams side by side: factors of the 15 MW rotor take
 * 0.6 times the instructions, those of one beam alone about as many. Where all nodes have three
 * unknowns they are not: many columns are solved for side by side then, as long as there is no
 * core.
 *
 * When every candidate has more than LIGHT neighbours, what is left is the core; SuiteSparse's
 * AMD orders it (front.c). */
#include "linalg/block/block.h"

#include <stdlib.h>
#include <string.h>

enum {
    /* Neighbours that a node may couple in the light phase. Instructions of factorisation and solve
     * on the lattice with every 8th column joined, relative to 8: 1.06 at 4 and 5, 1.00 at 6, 1.12
     * at 12. Chains and trees never come near it. */
    LIGHT = 8,
    HUB = 24,       /* multipliers of a body from which on they do not wait for it */
    MOST_NEAR = 40, /* neighbours of a node that is looked at for that */
    FEW = 4,        /* bodies around a node, from more of which on it is one of an element */
    MANY = 64,      /* neighbours that are not gone through again and again */
    COUPLES = 256,  /* couples of nodes with so many that are known to be coupled */
};

/* The neighbours of a node, and for each of them where this node stands among its own. */
typedef struct set {
    int count, room, *items, *back;
} set;

typedef struct work {
    const nt_pattern *pattern;
    set *near;               /* [n_nodes] neighbours still there              */
    int *waits;              /* [n_nodes] bodies that a multiplier waits for  */
    int couples[COUPLES][2]; /* nodes that are neighbours, and stay so until one is gone */
    unsigned char *gone, *hub, *in_element;
    /* candidates by number of neighbours, first in first out; bodies and multipliers apart */
    int head[2][LIGHT + 1], tail[2][LIGHT + 1];
    int *next, *previous, *queued; /* queued: its list's degree, -1 when in none */
} work;

static int set_reserve(set *s)
{
    if (s->count < s->room)
        return 1;
    int room = s->room ? 2 * s->room : 4;
    int *items = realloc(s->items, (size_t)room * sizeof *items);
    s->items = items ? items : s->items;
    int *back = realloc(s->back, (size_t)room * sizeof *back);
    s->back = back ? back : s->back;
    if (!items || !back)
        return 0;
    s->room = room;
    return 1;
}

/* Makes two nodes each other's last neighbours. */
static int couple(set *near, int i, int j)
{
    set *a = &near[i], *b = &near[j];
    if (!set_reserve(a) || !set_reserve(b))
        return 0;
    a->items[a->count] = j, a->back[a->count] = b->count;
    b->items[b->count] = i, b->back[b->count] = a->count;
    a->count++, b->count++;
    return 1;
}

/* Takes neighbour k from a set; the last one goes where it stood. The neighbour's own is left. */
static void set_remove(set *near, set *s, int k)
{
    int last = --s->count;
    if (k == last)
        return;
    s->items[k] = s->items[last], s->back[k] = s->back[last];
    near[s->items[k]].back[s->back[k]] = k;
}

static int is_multiplier(const work *w, int node) { return node >= w->pattern->n_primary; }

static void queue_take(work *w, int node)
{
    int degree = w->queued[node], group = is_multiplier(w, node);
    if (degree < 0)
        return;
    if (w->previous[node] >= 0)
        w->next[w->previous[node]] = w->next[node];
    else
        w->head[group][degree] = w->next[node];
    if (w->next[node] >= 0)
        w->previous[w->next[node]] = w->previous[node];
    else
        w->tail[group][degree] = w->previous[node];
    w->queued[node] = -1;
}

/* Put a node where it belongs now; its place in the line is kept when nothing changed. */
static void queue_update(work *w, int node)
{
    int degree = w->near[node].count, group = is_multiplier(w, node);
    if (degree > LIGHT || w->waits[node] > 0 || w->in_element[node])
        degree = -1;
    if (degree == w->queued[node])
        return;
    queue_take(w, node);
    if (degree < 0)
        return;
    w->queued[node] = degree;
    w->next[node] = -1;
    w->previous[node] = w->tail[group][degree];
    if (w->tail[group][degree] >= 0)
        w->next[w->tail[group][degree]] = node;
    else
        w->head[group][degree] = node;
    w->tail[group][degree] = node;
}

static int queue_first(const work *w)
{
    for (int group = 0; group < 2; group++)
        for (int degree = 0; degree <= LIGHT; degree++)
            if (w->head[group][degree] >= 0)
                return w->head[group][degree];
    return -1;
}

static int are_coupled(const nt_pattern *p, int i, int j)
{
    return nt_pattern_find(p, i, j) >= 0 || nt_pattern_find(p, j, i) >= 0;
}

/* Whether the bodies that a body is coupled with are more than FEW, and coupled with each other. */
static int is_in_element(const work *w, int node)
{
    const set *near = &w->near[node];
    int bodies = 0;
    if (near->count > MOST_NEAR)
        return 0;
    for (int a = 0; a < near->count; a++) {
        bodies += !is_multiplier(w, near->items[a]);
        for (int b = 0; b < a && !is_multiplier(w, near->items[a]); b++)
            if (!is_multiplier(w, near->items[b]) &&
                !are_coupled(w->pattern, near->items[a], near->items[b]))
                return 0;
    }
    return bodies > FEW;
}

static int has_others_than_three(const nt_pattern *p)
{
    for (int i = 0; i < p->n_nodes; i++)
        if (p->node_start[i + 1] - p->node_start[i] != 3)
            return 1;
    return 0;
}

static int build_graph(work *w)
{
    const nt_pattern *p = w->pattern;
    for (int slot = 0; slot < p->n_slots; slot++) {
        int i = p->row[slot], j = p->column[slot];
        if (i == j || (i > j && nt_pattern_find(p, j, i) >= 0))
            continue;
        if (!couple(w->near, i, j))
            return 0;
    }
    for (int i = 0; i < p->n_primary; i++) {
        int multipliers = 0;
        for (int k = 0; k < w->near[i].count; k++)
            multipliers += is_multiplier(w, w->near[i].items[k]);
        w->hub[i] = multipliers > HUB;
    }
    int others = has_others_than_three(p);
    for (int i = 0; others && i < p->n_primary; i++)
        w->in_element[i] = (unsigned char)is_in_element(w, i);
    for (int i = p->n_primary; i < p->n_nodes; i++) {
        int bodies = 0, hubs = 0;
        for (int k = 0; k < w->near[i].count; k++) {
            int body = w->near[i].items[k];
            if (!is_multiplier(w, body))
                bodies++, hubs += w->hub[body];
        }
        w->waits[i] = bodies > hubs ? bodies - hubs : bodies;
        if (bodies == hubs)
            w->waits[i] = bodies;
    }
    return 1;
}

/* Whether the multiplier i waits for the body j. */
static int waits_for(const work *w, int i, int j)
{
    if (!w->hub[j])
        return 1;
    for (int k = 0; k < w->near[i].count; k++) {
        int body = w->near[i].items[k];
        if (!is_multiplier(w, body) && !w->hub[body])
            return 0;
    }
    return w->waits[i] > 0;
}

/* Whether two nodes are neighbours, by the shorter one of their lists. Where both are long, what
 * was found stays true until one of them is gone: a row of couples is remembered. */
static int are_near(work *w, int i, int j)
{
    const set *s = w->near[i].count < w->near[j].count ? &w->near[i] : &w->near[j];
    int other = s == &w->near[i] ? j : i, both_many = s->count > MANY;
    int low = i < j ? i : j, high = i < j ? j : i;
    int *known = w->couples[((unsigned)low * 31 + (unsigned)high) % COUPLES];
    if (both_many && known[0] == low && known[1] == high)
        return 1;
    if (both_many) /* neighbours from here on in any case */
        known[0] = low, known[1] = high;
    for (int k = 0; k < s->count; k++)
        if (s->items[k] == other)
            return 1;
    return 0;
}

/* Remove a node and couple its neighbours with each other. */
static int eliminate(work *w, int node)
{
    set *mine = &w->near[node];
    queue_take(w, node);
    w->gone[node] = 1;
    for (int a = 0; a < mine->count; a++) {
        int i = mine->items[a];
        if (!is_multiplier(w, node) && is_multiplier(w, i) && w->waits[i] > 0 &&
            (nt_pattern_find(w->pattern, i, node) >= 0 ||
             nt_pattern_find(w->pattern, node, i) >= 0) &&
            waits_for(w, i, node))
            w->waits[i]--;
        set_remove(w->near, &w->near[i], mine->back[a]);
    }
    for (int a = 0; a < mine->count; a++)
        for (int b = a + 1; b < mine->count; b++)
            if (!are_near(w, mine->items[a], mine->items[b]) &&
                !couple(w->near, mine->items[a], mine->items[b]))
                return 0;
    for (int a = 0; a < mine->count; a++)
        queue_update(w, mine->items[a]);
    return 1;
}

/* Leaves of the tree wait for nothing: at the front of their window their inverses can be computed
 * side by side, where one after the other each would wait for its division. */
static void leaves_first(int *nodes, int count, const unsigned char *leaf)
{
    int others[NT_WINDOW], n_others = 0, n_leaves = 0;
    for (int k = 0; k < count; k++)
        if (leaf[nodes[k]])
            nodes[n_leaves++] = nodes[k];
        else
            others[n_others++] = nodes[k];
    for (int k = 0; k < n_others; k++)
        nodes[n_leaves + k] = others[k];
}

/* From the order of elimination to the order of execution: a node's elimination waits only for
 * the nodes that couple into it, so each multiplier is preceded directly by those of its bodies
 * that are not done yet, and the data of a joint are touched together. Nodes whose elimination
 * couples node k first are its children in the elimination tree. */
static int schedule(const work *w, const int *sequence, int n_light, int *result)
{
    int n = w->pattern->n_nodes, done = 0, top = 0, ok = 0;
    int *rank = malloc(((size_t)n + 1) * sizeof *rank);
    int *child = malloc(((size_t)n + 1) * sizeof *child);
    int *sibling = malloc(((size_t)n + 1) * sizeof *sibling);
    int *stack = malloc(((size_t)n + 1) * sizeof *stack);
    unsigned char *leaf = malloc((size_t)n + 1);
    if (!rank || !child || !sibling || !stack || !leaf)
        goto done;
    for (int i = 0; i < n; i++)
        rank[i] = n, child[i] = -1;
    for (int k = 0; k < n_light; k++)
        rank[sequence[k]] = k;
    for (int k = n_light - 1; k >= 0; k--) { /* backward: children come out in order */
        const set *s = &w->near[sequence[k]];
        int parent = -1;
        for (int a = 0; a < s->count; a++)
            if (rank[s->items[a]] < n && (parent < 0 || rank[s->items[a]] < rank[parent]))
                parent = s->items[a];
        if (parent >= 0) {
            sibling[sequence[k]] = child[parent];
            child[parent] = sequence[k];
        }
    }
    for (int i = 0; i < n; i++)
        leaf[i] = child[i] < 0;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < n_light; k++) {
            int root = sequence[k];
            if (rank[root] < 0 || (pass == 0 && !is_multiplier(w, root)))
                continue;
            stack[top++] = root;
            while (top > 0) {
                int node = stack[top - 1], c = child[node];
                if (c >= 0) {
                    child[node] = sibling[c];
                    if (rank[c] >= 0)
                        stack[top++] = c;
                } else {
                    result[done++] = node;
                    rank[node] = -1;
                    top--;
                }
            }
        }
    ok = done == n_light;
    for (int begin = 0; begin < n_light; begin += NT_WINDOW)
        leaves_first(result + begin, begin + NT_WINDOW < n_light ? NT_WINDOW : n_light - begin,
                     leaf);
done:
    free(leaf);
    free(rank);
    free(child);
    free(sibling);
    free(stack);
    return ok;
}

/* The core's nodes behind the light ones, by their distance from the one with most neighbours: what
 * is alike in several branches is near each other. w->queued, which nobody is in any more, marks
 * those that are listed. */
static void list_core(work *w, nt_order *order)
{
    int n = w->pattern->n_nodes, end = order->n_light;
    for (int done = end; done < n; done++) {
        int first = -1;
        for (int i = 0; done == end && i < n; i++)
            if (!w->gone[i] && w->queued[i] != n &&
                (first < 0 || w->near[i].count > w->near[first].count))
                first = i;
        if (first >= 0)
            order->node[end++] = first, w->queued[first] = n;
        const set *near = &w->near[order->node[done]];
        for (int e = 0; e < near->count; e++)
            if (w->queued[near->items[e]] != n)
                order->node[end++] = near->items[e], w->queued[near->items[e]] = n;
    }
}

/* Copy what the work found into arrays of the arena. */
static int deliver(work *w, nt_order *order, nt_arena *arena)
{
    int n = w->pattern->n_nodes;
    size_t total = 0;
    for (int i = 0; i < n; i++)
        total += (size_t)w->near[i].count;
    list_core(w, order);
    for (int k = 0; k < n; k++)
        order->position[order->node[k]] = k;
    order->start = NT_TAKE(arena, order->n_light + 1, int);
    order->core_start = NT_TAKE(arena, n - order->n_light + 1, int);
    order->neighbour = NT_TAKE(arena, total + 1, int);
    if (!order->start || !order->core_start || !order->neighbour)
        return 0;
    int *next = order->neighbour;
    for (int k = 0; k < n; k++) {
        const set *s = &w->near[order->node[k]];
        if (k == order->n_light)
            order->core_neighbour = next;
        if (s->count > 0)
            memcpy(next, s->items, (size_t)s->count * sizeof *next);
        next += s->count;
        if (k < order->n_light)
            order->start[k + 1] = order->start[k] + s->count;
        else
            order->core_start[k + 1 - order->n_light] =
                order->core_start[k - order->n_light] + s->count;
    }
    return 1;
}

nt_status nt_order_find(nt_order *order, const nt_pattern *pattern, nt_arena *arena)
{
    nt_status status = NT_NO_MEMORY;
    size_t n = (size_t)pattern->n_nodes, room = n + 1;
    work w = {.pattern = pattern};
    memset(w.head, -1, sizeof w.head);
    memset(w.tail, -1, sizeof w.tail);
    w.near = calloc(room, sizeof *w.near);
    w.waits = calloc(room, sizeof *w.waits);
    w.gone = calloc(room, 1);
    w.hub = calloc(room, 1);
    w.in_element = calloc(room, 1);
    w.next = malloc(room * sizeof *w.next);
    w.previous = malloc(room * sizeof *w.previous);
    w.queued = malloc(room * sizeof *w.queued);
    int *sequence = malloc(room * sizeof *sequence);
    order->node = NT_TAKE(arena, room, int);
    order->position = NT_TAKE(arena, room, int);
    if (!w.near || !w.waits || !w.gone || !w.hub || !w.in_element || !w.next || !w.previous ||
        !w.queued || !sequence || !order->node || !order->position)
        goto done;
    if (!build_graph(&w))
        goto done;
    for (int i = 0; i < pattern->n_nodes; i++) {
        w.queued[i] = -1;
        queue_update(&w, i);
    }
    order->n_light = 0;
    for (int node; (node = queue_first(&w)) >= 0;) {
        sequence[order->n_light++] = node;
        if (!eliminate(&w, node))
            goto done;
    }
    if (!schedule(&w, sequence, order->n_light, order->node) || !deliver(&w, order, arena))
        goto done;
    status = NT_OK;
done:
    for (size_t i = 0; w.near && i < n; i++)
        free(w.near[i].items), free(w.near[i].back);
    free(w.near);
    free(w.waits);
    free(w.gone);
    free(w.hub);
    free(w.in_element);
    free(w.next);
    free(w.previous);
    free(w.queued);
    free(sequence);
    return status;
}
