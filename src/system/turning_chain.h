/* How chains of nodes carry factors from one configuration to another; see turning.h.
 *
 * A chain is a run of blocks R^3 x SO(3) that one block carries, its first: the nodes of a beam.
 * Turning all of it by one rotation keeps the axes along which a bent beam is stiff where they
 * were, so that bending on would stretch it. Here each piece between two nodes turns by its own
 * rotation Q, half-way between those of its ends, and what is kept is the relation between the
 * piece's deformation and its section forces. With x, theta the displacements (spatial) of two
 * neighbours and l = 2 c from the one to the other, a piece is deformed by
 *
 *   u = x_i - x_(i-1) - (theta_(i-1) + theta_i) x c,      phi = theta_i - theta_(i-1),
 *
 * in its own axes Q^T u, Q^T phi: T^-T takes these from the old place to the new, and the first
 * node by its rotation. T^-1 is the transpose: force F and moment M that the nodes from i on pass
 * through the middle of the piece become Q^T F, Q^T M. Both are sums along the chain. */
#ifndef NUTATE_SYSTEM_TURNING_CHAIN_H
#define NUTATE_SYSTEM_TURNING_CHAIN_H

#include "base/arena.h"
#include "base/vector3.h"
#include "system/problem.h"

typedef struct nt_chains nt_chains;

/* Lists the chains of a system with carriers; chained[n_blocks] says which blocks are in one. *out
 * stays NULL where there are none. NT_NO_MEMORY. */
nt_status nt_chains_take(nt_chains **out, nt_arena *arena, const nt_problem *problem,
                         bool *chained);

/* Q[n_blocks] R(q) R(then)^T of each block; here those of the chains are used. */
void nt_chains_find(nt_chains *chains, const nt_problem *problem, const m3 *Q, const double *then,
                    const double *q);

/* The chains' part of z := T^-1 z, or after the solve z := T^-T z. NULL: there is none. */
void nt_chains_turn(const nt_chains *chains, bool after, double *z);

#endif
