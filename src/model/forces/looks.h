/* What loads show of themselves, for recorded quantities. */
#ifndef NUTATE_MODEL_LOOKS_H
#define NUTATE_MODEL_LOOKS_H

#include "model/element.h"

/* A rope's way, its rate, and its pulls at the first and the last point; NaN where it has none. */
void nt_rope_look(const nt_element *element, const nt_view *view, double *length, double *rate,
                  double pulls[2]);

/* Adds the derivatives of its "length", "rate" or "tension" (at the start or the end), with the
 * factors of the view's combination, in the entries of its ports. */
void nt_rope_follow(const nt_element *element, const nt_view *view, const char *which,
                    int component, double *gradient);

/* The speed of the air against the point of an aerodynamic force, and its angle of attack; where
 * `gradient` is not NULL the derivatives are added there. */
double nt_aerodynamic_airspeed(const nt_element *element, const nt_view *view,
                               nt_signal_gradient *gradient);
double nt_aerodynamic_attack(const nt_element *element, const nt_view *view,
                             nt_signal_gradient *gradient);

#endif
