/* Contact of a sphere of A and a sphere of B, or of a spherical pocket of A: touch.h with the
 * skeleton of a point. Spheres with one centre have no normal: NT_NOT_FINITE; a sphere in the
 * middle of a pocket touches nothing. */
#include "model/contacts/contact.h"
#include "model/elements.h"

static const nt_key sphere_sphere_keys[] = {
    NT_CONTACT_BETWEEN_KEY("bodies A and B"),
    {NT_CONTACT_KEY("at", NT_KEY_POINTS, at, NT_CONTACT_AT), .unit = "m",
     .meaning = "the centres, of A's sphere and of B's, each in its body's own axes from its "
                "origin, or markers; default the origins"},
    {NT_CONTACT_KEY("radii", NT_KEY_NUMBERS, radius, NT_CONTACT_RADIUS), .low = 2, .high = 2,
     .required = true, .unit = "m", .meaning = "of A's sphere and of B's"},
    NT_CONTACT_INSIDE_KEY("B's sphere is inside of A's, a pocket; default false"),
    NT_CONTACT_KEYS,
    {0},
};

static nt_status sphere_prepare(nt_run *run, const nt_element *element, bool validate,
                                nt_error *error)
{
    return nt_contact_prepare(run, element, NT_POINT, validate, error);
}

const nt_element_type nt_contact_sphere_sphere = {
    NT_CONTACT_SLOTS,
    .name = "sphere_sphere",
    .summary = "a sphere of A against a sphere of B",
    .keys = sphere_sphere_keys,
    .prepare = sphere_prepare,
};
