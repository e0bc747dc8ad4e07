/* One-sided forces that begin and end again within a step: see overstepped.c. */
#ifndef NUTATE_MODEL_OVERSTEPPED_H
#define NUTATE_MODEL_OVERSTEPPED_H

#include "model/element.h"

/* Whether an element has such a force. */
bool nt_can_be_overstepped(const nt_run *run, const nt_element *element);

/* Looks at the bodies at an end of the step, 0 or 1, and at how far such elements are from where
 * their forces act. */
void nt_overstepped_see(nt_run *run, const nt_point *at, const nt_terms *terms, int end,
                        nt_view *view);

/* Whether the force of an element acted between two such looks alone, deeper than `beyond`, m or
 * rad, where run->motion_before was seen first and the view afterwards, h seconds later. */
bool nt_is_overstepped(nt_run *run, const nt_element *element, const nt_view *view, double h,
                       double beyond, bool by_middle, nt_meeting *out);

#endif
