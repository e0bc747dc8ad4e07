/* Contact of a sphere of A and a sphere of B.
 *
 * With the centres c_A, c_B, radii R_A, R_B, d = c_B - c_A and l = |d|,
 *
 *   delta = R_A + R_B - l,   n = d / l,   dn = (I - n n^T) (dc_B - dc_A) / l
 *   dc    = dx - (R X)~ dtheta     of either body
 *
 * Spheres with one centre have no normal: NT_NOT_FINITE. */
#include "model/contacts/contact.h"
#include "model/elements.h"

typedef struct nt_sphere_sphere {
    nt_contact contact;
    nt_place_of_point at[2];
    double radii[2];

    v3 center_a, center_b; /* from the reference points, body axes */
} nt_sphere_sphere;

enum { GIVEN_AT = NT_CONTACT_BITS, GIVEN_RADII };

static const nt_key keys[] = {
    {.name = "between",
     .type = NT_KEY_BODIES,
     .offset = offsetof(nt_contact, between),
     .bit = NT_CONTACT_BETWEEN,
     .required = true,
     .meaning = "bodies A and B"},
    {.name = "at",
     .type = NT_KEY_POINTS,
     .offset = offsetof(nt_sphere_sphere, at),
     .bit = GIVEN_AT,
     .unit = "m",
     .meaning = "the centres, of A's sphere and of B's, each in its body's own axes from its "
                "origin, or markers; default the origins"},
    {.name = "radii",
     .type = NT_KEY_NUMBERS,
     .offset = offsetof(nt_sphere_sphere, radii),
     .bit = GIVEN_RADII,
     .low = 2,
     .high = 2,
     .required = true,
     .unit = "m",
     .meaning = "of A's sphere and of B's"},
    NT_CONTACT_KEYS,
    {0},
};

static v3 between_centers(const nt_element *element, const nt_view *view, v3 *arm_a, v3 *arm_b)
{
    const nt_sphere_sphere *c = nt_element_data(view->run, element);
    const nt_motion *A = &view->motion[element->a], *B = &view->motion[element->b];
    *arm_a = m3_apply(A->R, c->center_a);
    *arm_b = m3_apply(B->R, c->center_b);
    return v3_sub(v3_add(v3_sub(B->x, A->x), *arm_b), *arm_a);
}

static nt_status touch(const nt_element *element, const nt_view *view, nt_touch *out)
{
    const nt_sphere_sphere *c = nt_element_data(view->run, element);
    v3 arm_a, d = between_centers(element, view, &arm_a, &out->arm);
    double l = v3_norm(d);
    if (!isfinite(1 / l))
        return NT_NOT_FINITE;
    out->normal = v3_scale(1 / l, d);
    out->radius = c->radii[1];
    out->indentation = c->radii[0] + c->radii[1] - l;
    return NT_OK;
}

static void turn(const nt_element *element, const nt_view *view, const nt_touch *t,
                 m3 out[NT_PAIR_NODES])
{
    v3 arm_a, arm_b, d = between_centers(element, view, &arm_a, &arm_b);
    m3 P = m3_sub(m3_identity(), m3_dyad(t->normal, t->normal));
    P = m3_scale(1 / v3_norm(d), P);
    out[NT_T_B] = P;
    out[NT_R_B] = m3_multiply_skew(P, v3_neg(arm_b));
    out[NT_T_A] = m3_scale(-1, P);
    out[NT_R_A] = m3_multiply_skew(P, arm_a);
}

static const nt_contact_shape shape = {.touch = touch, .turn = turn};

static nt_status prepare(nt_run *run, const nt_element *element, bool validate, nt_error *error)
{
    nt_sphere_sphere *c = nt_element_numbers(run, element);
    bool given = c->contact.given >> GIVEN_AT & 1;
    nt_status status = nt_contact_prepare(run, element, &shape, validate, error);
    if (status == NT_OK)
        status = nt_contact_point(run, element, &c->at[0], given, element->a, validate,
                                  &c->center_a, error);
    if (status == NT_OK)
        status = nt_contact_point(run, element, &c->at[1], given, element->b, validate,
                                  &c->center_b, error);
    for (int i = 0; status == NT_OK && validate && i < 2; i++)
        if (!(c->radii[i] > 0))
            status = nt_load_refuse(run->model, element, error,
                                    "radius is %g m, expected a positive number", c->radii[i]);
    return status;
}

const nt_element_type nt_contact_sphere_sphere = {
    NT_CONTACT_SLOTS,
    .name = "sphere_sphere",
    .summary = "a sphere of A against a sphere of B",
    .keys = keys,
    .size = sizeof(nt_sphere_sphere),
    .prepare = prepare,
};
