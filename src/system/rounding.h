/* Places a rounding away, for what is asked whether it is made of rounding alone. */
#ifndef NUTATE_SYSTEM_ROUNDING_H
#define NUTATE_SYSTEM_ROUNDING_H

#include "base/chance.h"

#include <float.h>
#include <math.h>
#include <nutate/group.h>

/* Moves each number of q[nq] by half a rounding of itself to a whole one, of a quaternion by that
 * of one, to either side. */
static inline void nt_space_move_by_rounding(const nt_space *space, unsigned *seed, double *q)
{
    for (int b = 0; b < space->n_blocks; b++) {
        const nt_block *block = &space->blocks[b];
        int plain = block->rotation < 0 ? block->nq : block->nq - 4;
        for (int i = 0; i < block->nq; i++) {
            double by = nt_chance(seed), *x = &q[block->q + i];
            *x += copysign(DBL_EPSILON, by) * (1 + fabs(by)) / 2 * (i < plain ? fabs(*x) : 1);
        }
    }
}

#endif
