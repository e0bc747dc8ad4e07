/* Contact of a torus of A and a sphere of B, outside of its tube or inside, in a groove: touch.h
 * with the skeleton of a circle. */
#include "model/contacts/contact.h"
#include "model/elements.h"

static const nt_key torus_keys[] = {
    {NT_CONTACT_KEY("point", NT_KEY_POINT, shape.point, NT_CONTACT_POINT), .unit = "m",
     .meaning = "its centre, A's own axes from its origin, or a marker of A; default the origin"},
    {NT_CONTACT_KEY("axis", NT_KEY_NUMBERS, shape.axis, NT_CONTACT_AXIS), .low = 3, .high = 3,
     .required = true, .relative = true,
     .meaning = "across the plane of its circle, A's own axes; of any length but zero"},
    {NT_CONTACT_KEY("radius", NT_KEY_NUMBER, shape.radius, -1), .required = true, .unit = "m",
     .meaning = "of the circle in the middle of the tube"},
    {NT_CONTACT_KEY("tube", NT_KEY_NUMBER, shape.tube, -1), .required = true, .unit = "m",
     .meaning = "radius of the tube, of the groove"},
    NT_CONTACT_INSIDE_KEY("the sphere is inside of the tube, in a groove; default false"),
    {NT_CONTACT_KEY("contact_angle", NT_KEY_NUMBER, shape.angle, NT_CONTACT_ANGLE), .unit = "rad",
     .meaning = "where on the tube a material's stiffness is taken: 0 (default) farthest from the "
                "axis, pi nearest"},
    {0},
};

static const nt_key sphere_torus_keys[] = {
    NT_CONTACT_BETWEEN_KEY("the body A of the torus, the body B of the sphere"),
    {.name = "torus",
     .type = NT_KEY_GROUP,
     .bit = NT_CONTACT_SHAPE,
     .required = true,
     .group = torus_keys,
     .meaning = "fixed in A"},
    NT_CONTACT_AT_KEY,
    NT_CONTACT_RADIUS_KEY,
    NT_CONTACT_KEYS,
    {0},
};

static nt_status torus_prepare(nt_run *run, const nt_element *element, bool validate,
                               nt_error *error)
{
    return nt_contact_prepare(run, element, NT_CIRCLE, validate, error);
}

const nt_element_type nt_contact_sphere_torus = {
    NT_CONTACT_SLOTS,
    .name = "sphere_torus",
    .summary = "a sphere of B on a torus or in a groove of A",
    .keys = sphere_torus_keys,
    .prepare = torus_prepare,
    .shows = NT_SHOWS(NT_OF_GROOVE),
};
