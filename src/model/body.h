/* Rigid bodies: derived values, inertia and gravity. */
#ifndef NUTATE_MODEL_BODY_H
#define NUTATE_MODEL_BODY_H

#include "model/model.h"

/* Residual and tangent of inertia and gravity (body.c has the equations). */
void nt_body_evaluate(const nt_body *body, const nt_motion *motion, v3 gravity,
                      const nt_terms *terms);

/* Adds kinetic and potential energy. */
void nt_body_energy(const nt_body *body, const nt_motion *motion, v3 gravity, nt_energy *energy);

#endif
