/* Whether a matrix is that of one body held at a point: block_held.inc then does what its program
 * says. */
#include "linalg/block/block_compiler.h"

/* The load of a block that must be of a kind; kind is negative where it is not. */
static nt_load held_load_of(const compiler *c, int row, int column, nt_load_kind kind)
{
    int slot = nt_pattern_find(c->pattern, row, column);
    nt_load load = slot < 0 ? (nt_load){.kind = -1} : c->block->load[slot];
    return load.kind == (int)kind ? load : (nt_load){.kind = -1};
}

int nt_block_find_held(compiler *c)
{
    nt_block_lu *block = c->block;
    const nt_pattern *p = c->pattern;
    const nt_record *body = NULL, *joint = NULL;
    if (c->order.n_light != 3 || p->n_nodes != 3 || p->n_primary != 2 || p->n_slots != 7)
        return 1;
    int t = c->order.node[0], r = c->order.node[1], l = c->order.node[2];
    nt_held held = {.tt = held_load_of(c, t, t, NT_LOAD_SCALED),
                    .tl = held_load_of(c, t, l, NT_LOAD_SCALED),
                    .lt = held_load_of(c, l, t, NT_LOAD_SCALED),
                    .rr = held_load_of(c, r, r, NT_LOAD_FULL),
                    .rl = held_load_of(c, r, l, NT_LOAD_FULL),
                    .lr = held_load_of(c, l, r, NT_LOAD_FULL),
                    .ll = held_load_of(c, l, l, NT_LOAD_DIAGONAL),
                    .n_values = p->offset[p->n_slots],
                    .unknown_t = p->node_start[t],
                    .unknown_r = p->node_start[r],
                    .unknown_l = p->node_start[l]};
    if (held.tt.kind < 0 || held.tl.kind < 0 || held.lt.kind < 0 || held.rr.kind < 0 ||
        held.rl.kind < 0 || held.lr.kind < 0 || held.ll.kind < 0)
        return 1;
    for (int w = 0; w < block->n_windows; w++) {
        const nt_window *window = &block->window[w];
        if (window->rows < window->row_end)
            held.group[held.n_groups++] = w;
        for (int at = window->begin; at < window->end;) {
            const nt_record *record = (const nt_record *)(block->program + at);
            if (record->kind == NT_RECORD_BODY)
                body = record;
            else if (record->kind == NT_RECORD_FULL)
                joint = record;
            at += record->length;
        }
    }
    if (!body || !joint || body->position != block->position[r] ||
        joint->position != block->position[l] || !body->ready || joint->inverse != held.ll.work)
        return 1; /* the first window counts from zero */
    held.inverse_t = body->scaled_inverse, held.inverse_r = body->inverse;
    held.t = body->scaled_position, held.r = body->position, held.l = joint->position;
    if (!(block->held = NT_TAKE(&block->arena, 1, nt_held)))
        return 0;
    *block->held = held;
    return 1;
}
