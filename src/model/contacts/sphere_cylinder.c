/* Contact of a cylinder of A, a shaft or a bore, and a sphere of B: touch.h with the skeleton of a
 * line. The cylinder has no ends. */
#include "model/contacts/contact.h"
#include "model/elements.h"

static const nt_key cylinder_keys[] = {
    {NT_CONTACT_KEY("point", NT_KEY_POINT, shape.point, NT_CONTACT_POINT), .unit = "m",
     .meaning = "a point of its axis, A's own axes from its origin, or a marker of A; default the "
                "origin"},
    {NT_CONTACT_KEY("axis", NT_KEY_NUMBERS, shape.axis, NT_CONTACT_AXIS), .low = 3, .high = 3,
     .required = true, .relative = true,
     .meaning = "its direction, A's own axes; of any length but zero"},
    {NT_CONTACT_KEY("radius", NT_KEY_NUMBER, shape.radius, -1), .required = true, .unit = "m",
     .meaning = "of the cylinder"},
    NT_CONTACT_INSIDE_KEY("the sphere is inside, in a bore; default false: outside, on a shaft"),
    {0},
};

static const nt_key sphere_cylinder_keys[] = {
    NT_CONTACT_BETWEEN_KEY("the body A of the cylinder, the body B of the sphere"),
    {.name = "cylinder",
     .type = NT_KEY_GROUP,
     .bit = NT_CONTACT_SHAPE,
     .required = true,
     .group = cylinder_keys,
     .meaning = "fixed in A, without ends"},
    NT_CONTACT_AT_KEY,
    NT_CONTACT_RADIUS_KEY,
    NT_CONTACT_KEYS,
    {0},
};

static nt_status cylinder_prepare(nt_run *run, const nt_element *element, bool validate,
                                  nt_error *error)
{
    return nt_contact_prepare(run, element, NT_LINE, validate, error);
}

const nt_element_type nt_contact_sphere_cylinder = {
    NT_CONTACT_SLOTS,
    .name = "sphere_cylinder",
    .summary = "a sphere of B on a shaft or in a bore of A",
    .keys = sphere_cylinder_keys,
    .prepare = cylinder_prepare,
};
