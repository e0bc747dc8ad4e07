/* Contacts between two bodies: what shapes share. A shape gives indentation, normal and place; the
 * law of the force, its moments, tangent, energy and keys are here.
 *
 * Everything that the file says of a shape is fixed in its body and given in that body's own axes
 * from its origin, as markers are. */
#ifndef NUTATE_MODEL_CONTACT_H
#define NUTATE_MODEL_CONTACT_H

#include "model/forces/load.h"

/* Where two surfaces touch, or come closest; ground axes. B's surface is a sphere there. */
typedef struct nt_touch {
    double indentation; /* m, delta; negative: the distance between the surfaces */
    v3 normal;          /* n, a unit vector from A to B                          */
    v3 arm;             /* from B's reference point to the centre c of its sphere */
    double radius;      /* m, of B's sphere                                      */
} nt_touch;

typedef struct nt_contact_shape {
    /* NT_NOT_FINITE where there is no normal. */
    nt_status (*touch)(const nt_element *element, const nt_view *view, nt_touch *touch);
    /* dn = turn[0] dx_A + turn[1] dtheta_A + turn[2] dx_B + turn[3] dtheta_B */
    void (*turn)(const nt_element *element, const nt_view *view, const nt_touch *touch,
                 m3 turn[NT_PAIR_NODES]);
} nt_contact_shape;

/* The data of every contact begins with this. */
typedef struct nt_contact {
    unsigned given;
    int between[2], part;
    double stiffness, exponent, damping; /* k, N/m^n; n; d, s/m         */
    struct {
        double coefficient, slip; /* mu; m/s                     */
    } friction;

    const nt_contact_shape *shape;
} nt_contact;

enum { /* bits of nt_contact.given; shapes count on from NT_CONTACT_BITS */
       NT_CONTACT_BETWEEN,
       NT_CONTACT_STIFFNESS,
       NT_CONTACT_EXPONENT,
       NT_CONTACT_DAMPING,
       NT_CONTACT_FRICTION,
       NT_CONTACT_COEFFICIENT,
       NT_CONTACT_SLIP,
       NT_CONTACT_BITS
};

/* Keys of every contact. */
extern const nt_key nt_contact_friction_keys[];
#define NT_CONTACT_KEYS                                                                            \
    {.name = "stiffness",                                                                          \
     .type = NT_KEY_NUMBER,                                                                        \
     .offset = offsetof(nt_contact, stiffness),                                                    \
     .bit = NT_CONTACT_STIFFNESS,                                                                  \
     .required = true,                                                                             \
     .unit = "N/m^n",                                                                              \
     .meaning = "k of the normal force k indentation^n (1 + damping * rate of indentation)"},      \
        {.name = "exponent",                                                                       \
         .type = NT_KEY_NUMBER,                                                                    \
         .offset = offsetof(nt_contact, exponent),                                                 \
         .bit = NT_CONTACT_EXPONENT,                                                               \
         .meaning = "n, at least 1; default 1.5 (Hertz)"},                                         \
        {.name = "damping",                                                                        \
         .type = NT_KEY_NUMBER,                                                                    \
         .offset = offsetof(nt_contact, damping),                                                  \
         .bit = NT_CONTACT_DAMPING,                                                                \
         .unit = "s/m",                                                                            \
         .meaning = "of the normal force, which never pulls: where 1 + damping * rate is below "   \
                    "0.1 it goes to zero along a parabola; default 0"},                            \
        {.name = "friction",                                                                       \
         .type = NT_KEY_GROUP,                                                                     \
         .bit = NT_CONTACT_FRICTION,                                                               \
         .group = nt_contact_friction_keys,                                                        \
         .meaning =                                                                                \
             "against sliding, coefficient * normal force * speed / sqrt(speed^2 + slip^2); "      \
             "default none"},                                                                      \
        NT_KEY_PART(nt_contact, part, NT_BIT_PART, "explicit")

static inline const nt_contact *nt_contact_of(const nt_run *run, const nt_element *element)
{
    return nt_element_data(run, element);
}

/* Bodies and law from the keys. The shape's own `prepare` calls this first. */
nt_status nt_contact_prepare(nt_run *run, const nt_element *element, const nt_contact_shape *shape,
                             bool validate, nt_error *error);

/* A point of a body, from its reference point in body axes; the body's origin unless given. */
nt_status nt_contact_point(const nt_run *run, const nt_element *element,
                           const nt_place_of_point *place, bool given, int body, bool validate,
                           v3 *offset, nt_error *error);

/* delta, m. NaN where the surfaces have no normal. */
double nt_contact_indentation(const nt_element *element, const nt_view *view);

/* Shared callbacks of the contact types. */
nt_status nt_contact_declare(nt_model *model, nt_element *element);
nt_status nt_contact_evaluate(const nt_element *element, const nt_view *view);
bool nt_contact_depends_on_rates(const nt_run *run, const nt_element *element);
void nt_contact_reaction(const nt_element *element, const nt_view *view, v3 *force, v3 *torque);

/* What the descriptors of all contact types have in common. */
#define NT_CONTACT_SLOTS                                                                           \
    .version = NT_ELEMENT_VERSION, .section = &nt_contact_section, .part = NT_EXPLICIT,            \
    .touches = true, .declare = nt_contact_declare, .evaluate = nt_contact_evaluate,               \
    .depends_on_rates = nt_contact_depends_on_rates, .reaction = nt_contact_reaction

#endif
