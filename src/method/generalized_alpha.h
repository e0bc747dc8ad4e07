/* Generalized-alpha on Lie groups: what the step and its derivative share. */
#ifndef NUTATE_METHOD_GENERALIZED_ALPHA_H
#define NUTATE_METHOD_GENERALIZED_ALPHA_H

#include "method/family.h"

/* Whether M and C are those of rigid bodies and nothing else: then their products need no tangent.
 */
static inline bool nt_generalized_alpha_is_rigid(const nt_problem *p)
{
    unsigned promised = NT_HAS_MOMENTA | NT_POSITION_FORCES;
    return p->nn == 0 && p->system->momenta && (p->system->capabilities & promised) == promised;
}

/* sizes->linear and linear_each */
void nt_generalized_alpha_linear_layout(const nt_problem *problem, nt_layout *sizes);

/* The descriptor's `linearise`. */
nt_status nt_generalized_alpha_linearise(nt_stepper *stepper, double h,
                                         const nt_directions *directions, const double *before,
                                         double *after);

#endif
