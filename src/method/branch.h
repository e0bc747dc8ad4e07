/* Steps in which the independent equations change, and whether the motion goes on through them. */
#ifndef NUTATE_METHOD_BRANCH_H
#define NUTATE_METHOD_BRANCH_H

#include "method/integrator.h"

/* Whether the velocities of the step now -> next, just made, jump: see branch.c. Writes
 * the factors' `work`. */
bool nt_branch_jumps(nt_integrator *integrator);

#endif
