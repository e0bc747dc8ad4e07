/* Contact of a plane of A and a sphere of B.
 *
 * With a point p_0 and the normal n of the plane, the centre c and radius R of the sphere,
 *
 *   delta = R - n . (c - p_0),      dn = dtheta_A x n
 *
 * The plane has no edge and no back: a sphere behind it is pressed out to the front. */
#include "base/direction.h"
#include "model/contacts/contact.h"
#include "model/elements.h"

typedef struct nt_sphere_plane {
    nt_contact contact;
    nt_place_of_point at;
    double radius;
    struct {
        nt_place_of_point point;
        double normal[3];
    } plane;

    v3 center, point; /* from the reference points of B, of A; body axes */
    v3 normal;        /* body axes of A                                  */
} nt_sphere_plane;

enum { GIVEN_AT = NT_CONTACT_BITS, GIVEN_RADIUS, GIVEN_PLANE, GIVEN_POINT, GIVEN_NORMAL };

static const nt_key plane_keys[] = {
    {.name = "point",
     .type = NT_KEY_POINT,
     .offset = offsetof(nt_sphere_plane, plane.point),
     .bit = GIVEN_POINT,
     .unit = "m",
     .meaning = "a point of it, A's own axes from its origin, or a marker of A; default the "
                "origin"},
    {.name = "normal",
     .type = NT_KEY_NUMBERS,
     .offset = offsetof(nt_sphere_plane, plane.normal),
     .bit = GIVEN_NORMAL,
     .low = 3,
     .high = 3,
     .required = true,
     .relative = true,
     .meaning = "to the side where the sphere is, A's own axes; of any length but zero"},
    {0},
};

static const nt_key keys[] = {
    {.name = "between",
     .type = NT_KEY_BODIES,
     .offset = offsetof(nt_contact, between),
     .bit = NT_CONTACT_BETWEEN,
     .required = true,
     .meaning = "the body A of the plane, the body B of the sphere"},
    {.name = "plane",
     .type = NT_KEY_GROUP,
     .bit = GIVEN_PLANE,
     .required = true,
     .group = plane_keys,
     .meaning = "a plane fixed in A, without an edge"},
    {.name = "at",
     .type = NT_KEY_POINT,
     .offset = offsetof(nt_sphere_plane, at),
     .bit = GIVEN_AT,
     .unit = "m",
     .meaning = "the sphere's centre, B's own axes from its origin, or a marker of B; default the "
                "origin"},
    {.name = "radius",
     .type = NT_KEY_NUMBER,
     .offset = offsetof(nt_sphere_plane, radius),
     .bit = GIVEN_RADIUS,
     .required = true,
     .unit = "m",
     .meaning = "of the sphere"},
    NT_CONTACT_KEYS,
    {0},
};

static nt_status touch(const nt_element *element, const nt_view *view, nt_touch *out)
{
    const nt_sphere_plane *c = nt_element_data(view->run, element);
    const nt_motion *A = &view->motion[element->a], *B = &view->motion[element->b];
    out->normal = m3_apply(A->R, c->normal);
    out->arm = m3_apply(B->R, c->center);
    out->radius = c->radius;
    v3 from_point = v3_sub(v3_add(v3_sub(B->x, A->x), out->arm), m3_apply(A->R, c->point));
    out->indentation = c->radius - v3_dot(out->normal, from_point);
    return NT_OK;
}

static void turn(const nt_element *element, const nt_view *view, const nt_touch *t,
                 m3 out[NT_PAIR_NODES])
{
    (void)element;
    (void)view;
    out[NT_T_A] = out[NT_T_B] = out[NT_R_B] = (m3){0};
    out[NT_R_A] = m3_skew(v3_neg(t->normal));
}

static const nt_contact_shape shape = {.touch = touch, .turn = turn};

static nt_status prepare(nt_run *run, const nt_element *element, bool validate, nt_error *error)
{
    nt_sphere_plane *c = nt_element_numbers(run, element);
    unsigned given = c->contact.given;
    nt_status status = nt_contact_prepare(run, element, &shape, validate, error);
    if (status == NT_OK && run->bodies[element->a].point)
        return nt_load_refuse(run->model, element, error,
                              "%s is a point and carries no plane, expected a body that can turn",
                              run->bodies[element->a].name);
    if (status == NT_OK)
        status = nt_contact_point(run, element, &c->plane.point, given >> GIVEN_POINT & 1,
                                  element->a, validate, &c->point, error);
    if (status == NT_OK)
        status = nt_contact_point(run, element, &c->at, given >> GIVEN_AT & 1, element->b, validate,
                                  &c->center, error);
    if (status != NT_OK)
        return status;
    if (validate && !(c->radius > 0))
        return nt_load_refuse(run->model, element, error,
                              "radius is %g m, expected a positive number", c->radius);
    double normal[3];
    if (!nt_direction(c->plane.normal, 3, normal))
        return nt_load_refuse(run->model, element, error,
                              "the normal of its plane has length zero");
    c->normal = v3_load(normal);
    return NT_OK;
}

const nt_element_type nt_contact_sphere_plane = {
    NT_CONTACT_SLOTS, .name = "sphere_plane",          .summary = "a sphere of B on a plane of A",
    .keys = keys,     .size = sizeof(nt_sphere_plane), .prepare = prepare,
};
