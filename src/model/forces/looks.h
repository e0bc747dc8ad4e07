/* What loads show of themselves, for recorded quantities. */
#ifndef NUTATE_MODEL_LOOKS_H
#define NUTATE_MODEL_LOOKS_H

#include "model/element.h"

/* A rope's way, its rate, and its pulls at the first and the last point; NaN where it has none. */
void nt_rope_look(const nt_element *element, const nt_view *view, double *length, double *rate,
                  double pulls[2]);

/* The velocity of the air against the point of an aerodynamic force, ground axes. */
v3 nt_aerodynamic_air(const nt_element *element, const nt_view *view);
/* Its angle of attack; gradient: not NULL, its derivatives are put there. */
double nt_aerodynamic_attack(const nt_element *element, const nt_view *view,
                             nt_signal_gradient *gradient);

#endif
