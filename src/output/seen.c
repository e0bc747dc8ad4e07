#include "output/seen.h"

#include <math.h>
#include <string.h>

nt_status nt_seen_init(nt_seen *seen, const nt_system *system, int n, nt_arena *arena)
{
    int entries = system->space.nq + system->space.nv + system->n_memory;
    seen->system = system;
    seen->n = n;
    nt_seen_forget(seen);
    if (!system->events)
        return NT_OK;
    seen->state = NT_TAKE(arena, entries, double);
    seen->row = NT_TAKE(arena, n, double);
    return seen->state && seen->row ? NT_OK : NT_NO_MEMORY;
}

void nt_seen_forget(nt_seen *seen) { seen->t = (double)NAN; }

void nt_seen_keep(nt_seen *seen, const nt_state *state, const double *row)
{
    const nt_system *system = seen->system;
    size_t nq = (size_t)system->space.nq, nv = (size_t)system->space.nv;
    if (!seen->state)
        return;
    memcpy(seen->state, state->q, nq * sizeof(double));
    memcpy(seen->state + nq, state->v, nv * sizeof(double));
    memcpy(seen->state + nq + nv, state->memory, (size_t)system->n_memory * sizeof(double));
    memcpy(seen->row, row, (size_t)seen->n * sizeof(double));
    seen->t = state->t;
}

bool nt_seen_differs(const nt_seen *seen, const nt_integrator *it, const nt_state *state)
{
    const nt_system *system = seen->system;
    size_t nq = (size_t)system->space.nq, nv = (size_t)system->space.nv;
    if (!seen->state || nt_integrator_ended_by(it) < 0 || state->t != seen->t)
        return false;
    size_t kept = (size_t)system->events->sides; /* what lies behind is the integrator's */
    return memcmp(seen->state, state->q, nq * sizeof(double)) != 0 ||
           memcmp(seen->state + nq, state->v, nv * sizeof(double)) != 0 ||
           memcmp(seen->state + nq + nv, state->memory, kept * sizeof(double)) != 0;
}

bool nt_seen_shows(const nt_seen *seen, const double *row)
{
    bool same = true;
    for (int i = 0; i < seen->n; i++)
        same = same && row[i] == seen->row[i];
    return same;
}
