/* All bodies of a model at one point. */
#ifndef NUTATE_MODEL_BODIES_H
#define NUTATE_MODEL_BODIES_H

#include "model/model.h"

/* Motion of all bodies, ground first, and where terms ask for it their inertia and gravity.
 * motion[n_bodies], its first the ground's and not touched (nt_motion_init); terms may be NULL. */
void nt_bodies_evaluate(const nt_body *bodies, int n_bodies, const nt_point *at,
                        const nt_terms *terms, v3 gravity, nt_motion *motion);

#endif
