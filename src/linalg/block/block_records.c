/* The program of a block LU: its records, window by window. */
#include "linalg/block/block_compiler.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- what windows share --------------------------------------------------------------------- */

int nt_block_begin_pieces(nt_pieces *p, size_t most)
{
    *p = (nt_pieces){.ints = malloc((most + 1) * sizeof(int))};
    return p->ints != NULL;
}

int *nt_block_end_pieces(nt_pieces *p, nt_arena *arena)
{
    int *copy = NT_TAKE(arena, p->used + 1, int);
    if (copy)
        memcpy(copy, p->ints, (size_t)p->used * sizeof(int));
    free(p->ints);
    return copy;
}

int nt_block_share(nt_pieces *p, int length)
{
    const int *written = p->ints + p->used;
    for (int k = 0; k < p->count && k < NT_PIECES; k++)
        if (p->length[k] == length &&
            memcmp(p->ints + p->begin[k], written, (size_t)length * sizeof(int)) == 0)
            return p->begin[k];
    int k = p->count++ % NT_PIECES;
    p->begin[k] = p->used, p->length[k] = length;
    p->used += length;
    return p->begin[k];
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

/* The entries of one slot in the runs of one kind, places and sources written where they are given;
 * returns their number. */
static int transfer_entries(const compiler *c, int slot, nt_transfer_kind kind, int *place,
                            int *source)
{
    static const nt_transfer_kind to_keep[] = {[NT_LOAD_FULL] = NT_TRANSFER_FULL,
                                               [NT_LOAD_SCALED] = NT_TRANSFER_SCALED,
                                               [NT_LOAD_DIAGONAL] = NT_TRANSFER_SCALED,
                                               [NT_LOAD_SPREAD] = NT_TRANSFER_DIAGONAL,
                                               [NT_LOAD_GENERAL] = NT_TRANSFER_GENERAL};
    const nt_load *load = &c->block->load[slot];
    const nt_transfer_kind first = to_keep[load->kind];
    const nt_transfer_kind second = load->kind == NT_LOAD_DIAGONAL ? NT_TRANSFER_DIAGONAL : first;
    int n = 0;
    if (kind == NT_TRANSFER_GENERAL) {
        if (first == kind && source)
            source[0] = slot;
        return first == kind;
    }
    if (first == kind) {
        if (place)
            place[n] = counted(c, load->keep), source[n] = load->source;
        n++;
    }
    if (second == kind && load->work >= 0) {
        if (place)
            place[n] = counted(c, load->work), source[n] = load->source;
        n++;
    }
    return n;
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

/* The unknowns that a window needs first, of nodes with three or with any other number: where they
 * go and where they come from. Returns how many nodes they are of. */
static int vector_entries(const compiler *c, int w, int three, int *to, int *from)
{
    int n = 0;
    for (int k = c->needed_start[w]; k < c->needed_start[w + 1]; k++) {
        int node = c->needed[k];
        if ((size_of(c, node) == 3) != three)
            continue;
        if (to) {
            int *at = three ? to + n : to + 2 * n;
            at[0] = position_of(c, node);
            if (!three)
                at[1] = size_of(c, node);
            from[n] = c->pattern->node_start[node];
        }
        n++;
    }
    return n;
}

/* The LOAD record of a window, and the sources that go with it, written to to[] and from[] where
 * they are given; returns its length, and theirs. */
static int write_load_record(const compiler *c, int w, int *to, int *from, int *sources)
{
    int at = NT_LOAD_RECORD_INTS, read = 0;
    for (int kind = 0; kind < NT_TRANSFER_KINDS; kind++) {
        int head = at, n = 0;
        at += 2;
        for (int t = c->touched_start[w]; t < c->touched_start[w + 1]; t++) {
            if (c->touched[t] >= c->pattern->n_slots)
                continue;
            int more = transfer_entries(c, c->touched[t], (nt_transfer_kind)kind,
                                        to ? to + at : NULL, from ? from + read : NULL);
            at += kind == NT_TRANSFER_GENERAL ? 0 : more;
            read += more, n += more;
        }
        if (n == 0) {
            at = head;
        } else if (to) {
            to[head] = kind;
            to[head + 1] = n;
        }
    }
    for (int three = 1; three >= 0; three--) {
        int n = vector_entries(c, w, three, to ? to + at + 2 : NULL, from ? from + read : NULL);
        if (n > 0 && to) {
            to[at] = three ? NT_TRANSFER_VECTOR : NT_TRANSFER_VECTOR_GENERAL;
            to[at + 1] = n;
        }
        at += n > 0 ? 2 + (three ? n : 2 * n) : 0;
        read += n;
    }
    int clear = clear_entries(c, w, from ? from + read : NULL);
    if (to) {
        to[at] = NT_TRANSFER_CLEAR;
        to[at + 1] = clear / 2;
    }
    at += 2;
    *sources = read + clear;
    if (to) {
        *(nt_load_record *)to = (nt_load_record){.kind = NT_RECORD_LOAD,
                                                 .begin = counted(c, c->clear[2 * w]),
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
                    to[at] = counted(c, current(c, find(c, node, node))),
                    to[at + 1] = counted(c, c->inverse[k]);
                at += 2;
                number[pass]++;
                continue;
            }
            place = to ? product_place(c, k) : 0;
            for (int i = 0; i < count; i++, at += 3, number[PRODUCTS]++)
                if (to) {
                    to[at] = counted(c, c->inverse[k]);
                    to[at + 1] = counted(c, current(c, find(c, node, near[i])));
                    to[at + 2] = place + 12 * i;
                }
        }
    if (first < 0)
        return 0;
    if (to) {
        *(nt_prepare_record *)to =
            (nt_prepare_record){NT_RECORD_PREPARE, number[FULL],     at + 1,
                                number[SCALED],    number[PRODUCTS], position_of(c, first)};
        to[at] = at + 1;
    }
    return at + 1;
}

static int record_length(nt_record_kind kind, int count)
{
    return NT_RECORD_INTS + count * (kind == NT_RECORD_BODY ? NT_BODY_LINK_INTS : NT_LINK_INTS) +
           count * count + 1;
}

/* Where block (row, column) stands when it is eliminated, as the present window counts. */
static int place_of(const compiler *c, int row, int column)
{
    return counted(c, current(c, find(c, row, column)));
}

static void write_record(const compiler *c, int k, nt_record_kind kind, int *at)
{
    int count, scaled = k, node = c->order.node[k];
    const int *near = neighbours(c, k, &count);
    nt_record *record = (nt_record *)at;
    *record = (nt_record){.kind = (int)kind, .count = count, .length = record_length(kind, count)};
    if (kind == NT_RECORD_BODY) {
        record->scaled_diagonal = place_of(c, node, node);
        record->scaled_inverse = counted(c, c->inverse[k]);
        record->scaled_position = position_of(c, node);
        k++;
    }
    int scaled_node = c->order.node[scaled];
    node = c->order.node[k];
    record->ready = is_ready(c, k);
    record->product = product_place(c, k);
    record->size = size_of(c, node);
    record->diagonal = place_of(c, node, node);
    record->inverse = counted(c, c->inverse[k]);
    record->position = position_of(c, node);
    int *target;
    if (kind == NT_RECORD_BODY) {
        nt_body_link *link = (nt_body_link *)(record + 1);
        for (int i = 0; i < count; i++)
            *link++ = (nt_body_link){position_of(c, near[i]), place_of(c, node, near[i]),
                                     place_of(c, near[i], node), place_of(c, scaled_node, near[i]),
                                     place_of(c, near[i], scaled_node)};
        target = (int *)link;
    } else {
        nt_link *link = (nt_link *)(record + 1);
        for (int i = 0; i < count; i++)
            *link++ = (nt_link){position_of(c, near[i]), size_of(c, near[i]),
                                place_of(c, node, near[i]), place_of(c, near[i], node)};
        target = (int *)link;
    }
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            int single = !c->full[find(c, near[i], near[j])], place = place_of(c, near[i], near[j]);
            *target++ = kind == NT_RECORD_SCALED ? 2 * place + single : place;
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
    if (columns == 0)
        columns = 1; /* of a right-hand side */
    size_t needed = (size_t)product_place(c, k) + (size_t)columns * (size_t)size;
    if (needed > *temporary)
        *temporary = needed;
}

/* All records of a window, written to to[] where it is given, with the sources of its LOAD record;
 * returns their length. */
static int write_window(const compiler *c, int w, int *to, int *from, int *sources)
{
    int at = write_load_record(c, w, to, from, sources);
    at += write_prepare_record(c, w, to ? to + at : NULL);
    for (int k = w * NT_WINDOW; k < (w + 1) * NT_WINDOW && k < c->order.n_light; k++) {
        int count;
        nt_record_kind kind = kind_of(c, k);
        neighbours(c, k, &count);
        if (to)
            write_record(c, k, kind, to + at);
        at += record_length(kind, count);
        k += kind == NT_RECORD_BODY;
    }
    return at;
}

/* Takes what scratch the elimination of light nodes needs; 0 when memory is out. */
static int take_elimination_scratch(compiler *c)
{
    nt_block_lu *block = c->block;
    size_t temporary = 16;
    int widest = 4;
    for (int k = 0; k < c->order.n_light; k++)
        account(c, k, &temporary, &widest);
    if ((size_t)widest > temporary)
        temporary = (size_t)widest;
    block->temporary = NT_TAKE(&block->arena, temporary, double);
    block->exchange = NT_TAKE(&block->arena, widest, int);
    return block->temporary && block->exchange;
}

int nt_block_write_program(compiler *c)
{
    nt_block_lu *block = c->block;
    size_t length = 0, sources = 0;
    int here = 0;
    for (int w = 0; w < c->n_windows; w++) {
        length += (size_t)write_window(c, w, NULL, NULL, &here);
        sources += (size_t)here;
    }
    if (length > INT_MAX || sources > INT_MAX || !take_elimination_scratch(c))
        return 0;
    nt_pieces pieces;
    block->source = NT_TAKE(&block->arena, sources + 1, int);
    if (!block->source || !nt_block_begin_pieces(&pieces, length))
        return 0;
    int *from = block->source;
    for (int w = 0; w < c->n_windows; w++, from += here) {
        nt_window *window = &block->window[w];
        c->present = w;
        int ints = write_window(c, w, pieces.ints + pieces.used, from, &here);
        window->source = (int)(from - block->source);
        window->begin = nt_block_share(&pieces, ints);
        window->end = window->begin + ints;
    }
    block->program = nt_block_end_pieces(&pieces, &block->arena);
    return block->program != NULL;
}
