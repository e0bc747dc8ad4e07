/* Contact of a plane of A and a sphere of B: touch.h with the skeleton of a plane.
 *
 * The plane has no edge and no back: a sphere behind it is pressed out to the front. */
#include "model/contacts/contact.h"
#include "model/elements.h"

static const nt_key plane_keys[] = {
    {NT_CONTACT_KEY("point", NT_KEY_POINT, shape.point, NT_CONTACT_POINT), .unit = "m",
     .meaning = "a point of it, A's own axes from its origin, or a marker of A; default the "
                "origin"},
    {NT_CONTACT_KEY("normal", NT_KEY_NUMBERS, shape.axis, NT_CONTACT_AXIS), .low = 3, .high = 3,
     .required = true, .relative = true,
     .meaning = "to the side where the sphere is, A's own axes; of any length but zero"},
    {0},
};

static const nt_key sphere_plane_keys[] = {
    NT_CONTACT_BETWEEN_KEY("the body A of the plane, the body B of the sphere"),
    {.name = "plane",
     .type = NT_KEY_GROUP,
     .bit = NT_CONTACT_SHAPE,
     .required = true,
     .group = plane_keys,
     .meaning = "a plane fixed in A, without an edge"},
    NT_CONTACT_AT_KEY,
    NT_CONTACT_RADIUS_KEY,
    NT_CONTACT_KEYS,
    {0},
};

static nt_status plane_prepare(nt_run *run, const nt_element *element, bool validate,
                               nt_error *error)
{
    return nt_contact_prepare(run, element, NT_PLANE, validate, error);
}

const nt_element_type nt_contact_sphere_plane = {
    NT_CONTACT_SLOTS,          .name = "sphere_plane",   .summary = "a sphere of B on a plane of A",
    .keys = sphere_plane_keys, .prepare = plane_prepare,
};
