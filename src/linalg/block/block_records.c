/* The program of a block LU: its records, window by window. */
#include "linalg/block/block_compiler.h"

#include <limits.h>
#include <string.h>

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

int nt_block_write_program(compiler *c)
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
