/* Points among the bodies (nt_body.point): what elements may do with them.
 *
 * A point has a place and no rotation. A force at its place is all that can act on it; a moment, or
 * a force off its place, would be lost, and with it the balance of what the element puts on the
 * other body. So places of a point are its own place, and an element that needs a rotation is
 * refused, always in the words of nt_load_refuse. */
#ifndef NUTATE_MODEL_MASS_POINT_H
#define NUTATE_MODEL_MASS_POINT_H

#include "model/joints/joint.h"

/* NT_BAD_MODEL where one of the element's bodies is a point: for elements that turn them. */
nt_status nt_mass_point_refuse(const nt_model *model, const nt_element *element, nt_error *error);

/* NT_BAD_MODEL where body is a point and a place that the file gives is not its own, but off by a
 * vector; size: that of the coordinates it was found from, m. */
nt_status nt_mass_point_place(const nt_model *model, const nt_element *element, int body, v3 off,
                              double size, nt_error *error);

/* What is left of a joint's rows, specs[*n]: with a point those that are about places, which come
 * first. NT_BAD_MODEL where that would be another joint, or where the axis belongs to a point. */
nt_status nt_mass_point_rows(const nt_run *run, const nt_element *element, const nt_row_spec *specs,
                             int *n, nt_error *error);

#endif
