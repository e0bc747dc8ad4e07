/* States that outlive the step: copies in memory of the caller's. */
#include "method/state.h"
#include "base/error.h"

#include <string.h>

const double *nt_copy_numbers(double **to, const double *from, int n)
{
    double *place = *to;
    if (!from)
        return NULL;
    memcpy(place, from, (size_t)n * sizeof *place);
    *to += n;
    return place;
}

/* For q and for its increments, which are more than that where unknowns of first order have none.
 */
size_t nt_state_room(const nt_system *system)
{
    if (!system)
        return 0;
    const nt_space *space = &system->space;
    int places = space->nq > space->nv ? space->nq : space->nv;
    return (size_t)places + 2 * (size_t)space->nv + (size_t)system->nh + (size_t)system->nn +
           (size_t)system->n_memory;
}

nt_status nt_state_copy(nt_state *copy, double *numbers, const nt_system *system,
                        const nt_state *state)
{
    NT_NEED(NULL, "copy numbers system state", copy, numbers, system, state);
    nt_state c = *state;
    c.q = nt_copy_numbers(&numbers, state->q, system->space.nq);
    c.v = nt_copy_numbers(&numbers, state->v, system->space.nv);
    c.vdot = nt_copy_numbers(&numbers, state->vdot, system->space.nv);
    c.lambda = nt_copy_numbers(&numbers, state->lambda, system->nh);
    c.mu = nt_copy_numbers(&numbers, state->mu, system->nn);
    c.memory = nt_copy_numbers(&numbers, state->memory, system->n_memory);
    *copy = c;
    return NT_OK;
}
