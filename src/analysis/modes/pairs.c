#include "analysis/modes/pairs.h"

#include <stdlib.h>

nt_status nt_pairs_take(nt_pairs *pairs, int room, int size)
{
    *pairs = (nt_pairs){.room = room, .size = size};
    pairs->s = calloc(2 * (size_t)room + 1, sizeof *pairs->s);
    pairs->x = calloc(2 * (size_t)room * (size_t)size + 1, sizeof *pairs->x);
    return pairs->s && pairs->x ? NT_OK : NT_NO_MEMORY;
}

void nt_pairs_free(nt_pairs *pairs)
{
    free(pairs->s);
    free(pairs->x);
    *pairs = (nt_pairs){0};
}

void nt_pencil_freedom(const nt_pencil *p, int *positions, int *velocities)
{
    int holonomic = p->nh, nonholonomic = p->nn;
    for (int i = 0; i < p->n_dropped; i++)
        *(p->dropped[i] < p->nv + p->nh ? &holonomic : &nonholonomic) -= 1;
    *positions = p->nv - holonomic;
    *velocities = *positions - nonholonomic;
}
