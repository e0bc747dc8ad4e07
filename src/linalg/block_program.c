/* From pattern and order to storage, loads, program, rows and core of a block LU. */
#include "linalg/block_compiler.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const int *neighbours(const compiler *c, int k, int *count)
{
    *count = c->order.start[k + 1] - c->order.start[k];
    return c->order.neighbour + c->order.start[k];
}

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

static void touch(int *window, int b, int w)
{
    if (w < window[b])
        window[b] = w;
}

/* Sort the blocks by the window that touches them first. */
static int find_touched(compiler *c)
{
    int blocks = c->filled.n_slots, last = c->n_windows - 1;
    int *window = NT_TAKE(&c->scratch, blocks + 1, int);
    c->touched = NT_TAKE(&c->scratch, blocks + 1, int);
    c->touched_start = NT_TAKE(&c->scratch, c->n_windows + 2, int);
    c->clear = NT_TAKE(&c->scratch, 2 * c->n_windows + 2, int);
    if (!window || !c->touched || !c->touched_start || !c->clear)
        return 0;
    for (int b = 0; b < blocks; b++)
        window[b] = last;
    for (int k = 0; k < c->order.n_light; k++) {
        int node = c->order.node[k], count, w = k / NT_WINDOW;
        const int *near = neighbours(c, k, &count);
        touch(window, find(c, node, node), w);
        for (int i = 0; i < count; i++) {
            touch(window, find(c, node, near[i]), w);
            touch(window, find(c, near[i], node), w);
            for (int j = 0; j < count; j++)
                touch(window, find(c, near[i], near[j]), w);
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
    int nodes = c->pattern->n_nodes, last = c->n_windows - 1;
    int *window = NT_TAKE(&c->scratch, nodes + 1, int);
    c->needed = NT_TAKE(&c->scratch, nodes + 1, int);
    c->needed_start = NT_TAKE(&c->scratch, c->n_windows + 2, int);
    if (!window || !c->needed || !c->needed_start)
        return 0;
    for (int i = 0; i < nodes; i++)
        window[i] = last;
    for (int k = 0; k < c->order.n_light; k++) {
        int count;
        const int *near = neighbours(c, k, &count);
        touch(window, c->order.node[k], k / NT_WINDOW);
        for (int i = 0; i < count; i++)
            touch(window, near[i], k / NT_WINDOW);
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

/* ---- the program ---------------------------------------------------------------------------- */

/* Light node k and its neighbours have three unknowns each. */
static int is_full3(const compiler *c, int k)
{
    int count;
    const int *near = neighbours(c, k, &count);
    if (size_of(c, c->order.node[k]) != 3)
        return 0;
    for (int i = 0; i < count; i++)
        if (size_of(c, near[i]) != 3)
            return 0;
    return 1;
}

/* Whether the inverse of light node k can be computed before anything else in its window. */
static int is_ready(const compiler *c, int k)
{
    int node = c->order.node[k];
    return (c->scaled[k] || is_full3(c, k)) && !c->changed[find(c, node, node)] &&
           node < c->pattern->n_primary;
}

/* Whether light nodes k, k + 1 make a BODY record: scaled and full, same neighbours. */
static int is_body(const compiler *c, int k)
{
    int count, other;
    if (k + 1 >= c->order.n_light || (k + 1) % NT_WINDOW == 0 || !c->scaled[k] || c->scaled[k + 1])
        return 0;
    const int *near = neighbours(c, k, &count), *far = neighbours(c, k + 1, &other);
    int node = c->order.node[k + 1];
    if (count != other || !is_full3(c, k + 1) || is_ready(c, k) != is_ready(c, k + 1) ||
        node >= c->pattern->n_primary)
        return 0;
    for (int i = 0; i < count; i++) {
        int found = 0;
        for (int j = 0; j < count; j++)
            found |= far[j] == near[i];
        if (!found)
            return 0;
    }
    return 1;
}

static nt_record_kind kind_of(const compiler *c, int k)
{
    return c->scaled[k]     ? (is_body(c, k) ? NT_RECORD_BODY : NT_RECORD_SCALED)
           : is_full3(c, k) ? NT_RECORD_FULL
                            : NT_RECORD_GENERAL;
}

/* The entries of one slot in the runs of one kind, written to to[] where it is given; returns the
 * ints they take. */
static int transfer_entries(const nt_load *load, int slot, nt_transfer_kind kind, int *to)
{
    static const nt_transfer_kind to_keep[] = {[NT_LOAD_FULL] = NT_TRANSFER_FULL,
                                               [NT_LOAD_SCALED] = NT_TRANSFER_SCALED,
                                               [NT_LOAD_DIAGONAL] = NT_TRANSFER_SCALED,
                                               [NT_LOAD_SPREAD] = NT_TRANSFER_DIAGONAL,
                                               [NT_LOAD_GENERAL] = NT_TRANSFER_GENERAL};
    const nt_transfer_kind first = to_keep[load->kind];
    const nt_transfer_kind second = load->kind == NT_LOAD_DIAGONAL ? NT_TRANSFER_DIAGONAL : first;
    int length = 0;
    if (first == kind) {
        if (to)
            to[length] = kind == NT_TRANSFER_GENERAL ? slot : load->source;
        length++;
        if (kind == NT_TRANSFER_GENERAL)
            return length;
        if (to)
            to[length] = load->keep;
        length++;
    }
    if (second == kind && kind != NT_TRANSFER_GENERAL && load->work >= 0) {
        if (to)
            to[length] = load->source, to[length + 1] = load->work;
        length += 2;
    }
    return length;
}

/* The values that a window reads, as pairs (begin, end), neighbours joined; returns the ints they
 * take. Slots come in ascending order, so do their values. */
static int clear_entries(const compiler *c, int w, int *to)
{
    int at = 0, end = -1;
    for (int t = c->touched_start[w]; t < c->touched_start[w + 1]; t++) {
        int slot = c->touched[t];
        if (slot >= c->pattern->n_slots)
            continue;
        if (c->pattern->offset[slot] != end) {
            if (to)
                to[at] = c->pattern->offset[slot];
            at += 2;
        }
        const nt_load *load = &c->block->load[slot];
        end = c->pattern->offset[slot] +
              (nt_pattern_is_single(c->pattern, slot) ? 1 : load->rows * load->columns);
        if (to)
            to[at - 1] = end;
    }
    return at;
}

/* The unknowns that a window needs first, of nodes with three or with any other number. */
static int vector_entries(const compiler *c, int w, int three, int *to)
{
    int at = 0;
    for (int k = c->needed_start[w]; k < c->needed_start[w + 1]; k++) {
        int node = c->needed[k];
        if ((size_of(c, node) == 3) != three)
            continue;
        if (to) {
            to[at] = c->pattern->node_start[node];
            to[at + 1] = c->block->position[node];
            if (!three)
                to[at + 2] = size_of(c, node);
        }
        at += three ? 2 : 3;
    }
    return at;
}

/* The LOAD record of a window, written to to[] where it is given; returns its length. */
static int write_load_record(const compiler *c, int w, int *to)
{
    int at = NT_LOAD_RECORD_INTS;
    for (int kind = 0; kind < NT_TRANSFER_KINDS; kind++) {
        int head = at;
        at += 2;
        for (int t = c->touched_start[w]; t < c->touched_start[w + 1]; t++)
            if (c->touched[t] < c->pattern->n_slots)
                at += transfer_entries(&c->block->load[c->touched[t]], c->touched[t],
                                       (nt_transfer_kind)kind, to ? to + at : NULL);
        if (at == head + 2) {
            at = head;
        } else if (to) {
            to[head] = kind;
            to[head + 1] = (at - head - 2) / (kind == NT_TRANSFER_GENERAL ? 1 : 2);
        }
    }
    for (int three = 1; three >= 0; three--) {
        int length = vector_entries(c, w, three, to ? to + at + 2 : NULL);
        if (length > 0 && to) {
            to[at] = three ? NT_TRANSFER_VECTOR : NT_TRANSFER_VECTOR_GENERAL;
            to[at + 1] = length / (three ? 2 : 3);
        }
        at += length > 0 ? length + 2 : 0;
    }
    int clear = clear_entries(c, w, to ? to + at + 2 : NULL);
    if (to) {
        to[at] = NT_TRANSFER_CLEAR;
        to[at + 1] = clear / 2;
    }
    at += 2 + clear;
    if (to) {
        *(nt_load_record *)to = (nt_load_record){.kind = NT_RECORD_LOAD,
                                                 .begin = c->clear[2 * w],
                                                 .length = at + 1,
                                                 .count = c->clear[2 * w + 1] - c->clear[2 * w]};
        to[at] = at + 1;
    }
    return at + 1;
}

/* Where the products of light node k begin in `temporary`: one place for each prepared node of
 * the window, one for all others after them. */
static int product_place(const compiler *c, int k)
{
    int place = 0, count;
    for (int l = k - k % NT_WINDOW; l < c->order.n_light && l / NT_WINDOW == k / NT_WINDOW; l++) {
        if (l == k && is_ready(c, k))
            break;
        if (is_ready(c, l) && !c->scaled[l]) {
            neighbours(c, l, &count);
            place += 12 * count;
        }
    }
    return place;
}

/* The PREPARE record of a window; 0 where it would be empty. */
static int write_prepare_record(const compiler *c, int w, int *to)
{
    enum { FULL, SCALED, PRODUCTS, PASSES };
    int at = NT_PREPARE_RECORD_INTS, number[PASSES] = {0}, first = -1;
    for (int pass = 0; pass < PASSES; pass++)
        for (int k = w * NT_WINDOW; k < (w + 1) * NT_WINDOW && k < c->order.n_light; k++) {
            int node = c->order.node[k], count, place;
            const int *near = neighbours(c, k, &count);
            if (c->scaled[k] != (pass == SCALED) || !is_ready(c, k))
                continue;
            if (first < 0)
                first = node;
            if (pass != PRODUCTS) {
                if (to)
                    to[at] = current(c, find(c, node, node)), to[at + 1] = c->inverse[k];
                at += 2;
                number[pass]++;
                continue;
            }
            place = to ? product_place(c, k) : 0;
            for (int i = 0; i < count; i++, at += 3, number[PRODUCTS]++)
                if (to) {
                    to[at] = c->inverse[k];
                    to[at + 1] = current(c, find(c, node, near[i]));
                    to[at + 2] = place + 12 * i;
                }
        }
    if (first < 0)
        return 0;
    if (to) {
        *(nt_prepare_record *)to = (nt_prepare_record){NT_RECORD_PREPARE, number[FULL],     at + 1,
                                                       number[SCALED],    number[PRODUCTS], first};
        to[at] = at + 1;
    }
    return at + 1;
}

static int record_length(nt_record_kind kind, int count)
{
    return NT_RECORD_INTS + count * (kind == NT_RECORD_BODY ? NT_BODY_LINK_INTS : NT_LINK_INTS) +
           count * count + 1;
}

static void write_record(const compiler *c, int k, nt_record_kind kind, int *at)
{
    const int *position = c->block->position;
    int count, scaled = k, node = c->order.node[k];
    const int *near = neighbours(c, k, &count);
    nt_record *record = (nt_record *)at;
    *record = (nt_record){.kind = (int)kind, .count = count, .length = record_length(kind, count)};
    if (kind == NT_RECORD_BODY) {
        record->scaled_diagonal = current(c, find(c, node, node));
        record->scaled_inverse = c->inverse[k];
        record->scaled_position = position[node];
        k++;
    }
    int scaled_node = c->order.node[scaled];
    node = c->order.node[k];
    record->node = node;
    record->ready = is_ready(c, k);
    record->product = product_place(c, k);
    record->size = size_of(c, node);
    record->diagonal = current(c, find(c, node, node));
    record->inverse = c->inverse[k];
    record->position = position[node];
    int *target;
    if (kind == NT_RECORD_BODY) {
        nt_body_link *link = (nt_body_link *)(record + 1);
        for (int i = 0; i < count; i++)
            *link++ = (nt_body_link){position[near[i]], current(c, find(c, node, near[i])),
                                     current(c, find(c, near[i], node)),
                                     current(c, find(c, scaled_node, near[i])),
                                     current(c, find(c, near[i], scaled_node))};
        target = (int *)link;
    } else {
        nt_link *link = (nt_link *)(record + 1);
        for (int i = 0; i < count; i++)
            *link++ =
                (nt_link){position[near[i]], size_of(c, near[i]),
                          current(c, find(c, node, near[i])), current(c, find(c, near[i], node))};
        target = (int *)link;
    }
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            int b = find(c, near[i], near[j]);
            *target++ = c->full[b] ? current(c, b) : ~current(c, b);
        }
    *target = record->length;
}

/* Operations of one elimination, multiplications and additions counted one each. */
static double count_flops(const compiler *c, int k, int scaled)
{
    int count;
    const int *near = neighbours(c, k, &count);
    double n = size_of(c, c->order.node[k]), flops = scaled ? 1 : 2 * n * n * n;
    for (int i = 0; i < count; i++) {
        double m = size_of(c, near[i]);
        flops += scaled ? 1 : 2 * n * n * m;
        for (int j = 0; j < count; j++)
            flops += scaled ? 4 : 2 * n * m * size_of(c, near[j]);
    }
    return flops;
}

/* Statistics and scratch of one elimination. */
static void account(compiler *c, int k, size_t *temporary, int *widest)
{
    int count, columns = 0, size = nt_padded(size_of(c, c->order.node[k]));
    const int *near = neighbours(c, k, &count);
    for (int i = 0; i < count; i++)
        columns += size_of(c, near[i]);
    c->block->flops += count_flops(c, k, c->scaled[k]);
    c->block->blocks += 2 * count + 1;
    if (size > *widest)
        *widest = size;
    size_t needed = (size_t)product_place(c, k) + (size_t)columns * (size_t)size;
    if (needed > *temporary)
        *temporary = needed;
}

/* All records, written to to[] where it is given; returns their length. */
static size_t write_records(const compiler *c, int *to)
{
    size_t at = 0;
    for (int w = 0; w < c->n_windows; w++) {
        at += (size_t)write_load_record(c, w, to ? to + at : NULL);
        at += (size_t)write_prepare_record(c, w, to ? to + at : NULL);
        for (int k = w * NT_WINDOW; k < (w + 1) * NT_WINDOW && k < c->order.n_light; k++) {
            int count;
            nt_record_kind kind = kind_of(c, k);
            neighbours(c, k, &count);
            if (to)
                write_record(c, k, kind, to + at);
            at += (size_t)record_length(kind, count);
            k += kind == NT_RECORD_BODY;
        }
    }
    return at;
}

static int write_program(compiler *c)
{
    nt_block_lu *block = c->block;
    size_t length = write_records(c, NULL), temporary = 16;
    int widest = 4;
    for (int k = 0; k < c->order.n_light; k++)
        account(c, k, &temporary, &widest);
    if (length > INT_MAX)
        return 0;
    if ((size_t)widest > temporary)
        temporary = (size_t)widest;
    block->program_length = (int)length;
    block->program = NT_TAKE(&block->arena, length + 1, int);
    block->temporary = NT_TAKE(&block->arena, temporary, double);
    block->exchange = NT_TAKE(&block->arena, widest, int);
    if (!block->program || !block->temporary || !block->exchange)
        return 0;
    write_records(c, block->program);
    return 1;
}

/* ---- all of it ----------------------------------------------------------------------------- */

static int take_vectors(nt_block_lu *block)
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
    block->multiplier = NT_TAKE(&block->arena, at / 4 + 1, unsigned char);
    return block->left_out && block->dropped && block->position && block->multiplier;
}

/* For one pivot block, of a node or a front. */
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
    if (nt_order_find(&c.order, c.pattern, &c.scratch) != NT_OK || !take_vectors(block) ||
        !fill_in(&c, promises))
        goto done;
    int at = 0;
    for (int k = 0; k < c.pattern->n_nodes; k++) {
        int node = c.order.node[k], padded = nt_padded(size_of(&c, node));
        block->position[node] = at;
        memset(block->multiplier + at / 4, node >= c.pattern->n_primary, (size_t)padded / 4);
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
    c.n_windows = (c.order.n_light + NT_WINDOW - 1) / NT_WINDOW + 1;
    block->n_windows = c.n_windows;
    if (!find_touched(&c) || !find_needed(&c))
        goto done;
    place_all(&c);
    block->store = c.overflow ? NULL : NT_TAKE(&block->arena, c.cursor + 4, double);
    if (!block->store || !write_loads(&c) || !write_program(&c) || !nt_block_write_rows(&c) ||
        !nt_block_find_held(&c))
        goto done;
    status = nt_block_hand_over_core(&c);
    if (status == NT_OK && !take_pivot_scratch(block))
        status = NT_NO_MEMORY;
done:
    nt_pattern_free(&c.filled);
    nt_arena_free(&c.scratch);
    return status;
}
