/* Copies of states, and points where they stand. */
#ifndef NUTATE_METHOD_STATE_H
#define NUTATE_METHOD_STATE_H

#include <nutate/method.h>

#include <stdbool.h>

/* Copies from[n] to *to, which then points behind them. Returns where they stand; NULL stays NULL.
 */
const double *nt_copy_numbers(double **to, const double *from, int n);

/* The point of a state, whose arrays it shows. */
static inline nt_point nt_state_point(const nt_state *state)
{
    return (nt_point){.t = state->t,
                      .q = state->q,
                      .v = state->v,
                      .vdot = state->vdot,
                      .lambda = state->lambda,
                      .mu = state->mu,
                      .memory = state->memory};
}

/* Whether the last nt_integrator_balance found none, and left what the method has. */
bool nt_integrator_lacks_rates(const nt_integrator *integrator);

/* Adds to a message about where a run has come to that its equal steps are too long for the method,
 * where they are. The run goes on with a new step or ends: no state inside the last one is to be
 * had behind this. */
void nt_integrator_add_reach(nt_integrator *integrator, nt_error *error);

#endif
