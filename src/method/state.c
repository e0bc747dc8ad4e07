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

size_t nt_state_room(const nt_system *system)
{
    return system ? (size_t)system->space.nq + 2 * (size_t)system->space.nv + (size_t)system->nh +
                        (size_t)system->nn + (size_t)system->n_memory
                  : 0;
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
