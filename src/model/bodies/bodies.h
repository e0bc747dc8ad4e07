/* All bodies of a model at one point. */
#ifndef NUTATE_MODEL_BODIES_H
#define NUTATE_MODEL_BODIES_H

#include "model/model.h"

/* Motion of bodies from, ..., to - 1 and a few more, and where terms ask for it their inertia and
 * gravity. Returns the first body that is not done: where to go on. motion[n_bodies], its first the
 * ground's and not touched (nt_motion_init); terms may be NULL. Bodies i with left_out[i - 1] are
 * not looked at; NULL: all are. */
int nt_bodies_evaluate(const nt_body *bodies, int n_bodies, int from, int to, const nt_point *at,
                       const nt_terms *terms, v3 gravity, const unsigned char *left_out,
                       nt_motion *motion);

/* The first body that is not done together with body i: where bodies can be divided. With left_out
 * they cannot. */
int nt_bodies_behind(const nt_body *bodies, int n_bodies, int i);

#endif
