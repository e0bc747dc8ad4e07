/* The shape of a block of a configuration space. */
#ifndef NUTATE_GROUP_BLOCK_H
#define NUTATE_GROUP_BLOCK_H

#include <nutate/group.h>

/* Every block is a vector part followed by at most one rotation: n numbers, none, or three. The
 * rotation then starts at q + n of the configuration and v + n of the velocity. Unknowns of first
 * order have velocities alone: n is 0. */
static inline int nt_block_places(const nt_block *b) { return b->rotation < 0 ? b->nq : b->nq - 4; }

/* The entries of dq[nv] that belong to unknowns of first order become zero. */
static inline void nt_space_clear_first(const nt_space *space, double *dq)
{
    for (int b = 0; space->n_first > 0 && b < space->n_blocks; b++)
        for (int i = 0; space->blocks[b].kind == NT_FIRST && i < space->blocks[b].nv; i++)
            dq[space->blocks[b].v + i] = 0;
}

#endif
