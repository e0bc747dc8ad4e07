/* Contacts between two bodies: a sphere of B against a surface of A. The equations are those of
 * touch.h; keys, numbers and callbacks that all types of contacts share are here.
 *
 * Everything that the file says of a shape is fixed in its body and given in that body's own axes
 * from its origin, as markers are. */
#ifndef NUTATE_MODEL_CONTACT_H
#define NUTATE_MODEL_CONTACT_H

#include "model/contacts/hertz.h"
#include "model/contacts/restitution.h"
#include "model/contacts/touch.h"
#include "model/forces/load.h"

/* The data of every contact. */
typedef struct nt_contact {
    unsigned given;
    int between[2], part;
    double stiffness, exponent, damping; /* k, N/m^n; n; d, s/m         */
    struct {
        double coefficient, slip; /* mu; m/s                     */
        int law, pad;             /* nt_friction_law             */
    } friction;
    struct {
        double coefficient, speed; /* e; m/s */
        int relation, pad;
    } restitution;
    struct {
        double E, nu;  /* Pa; 1 */
    } material, other; /* of A's surface (and of B's, where that has none of its own); of B's */
    struct {
        double resistance, slip; /* m; rad/s */
    } rolling;
    struct {
        int law, pad;
        double friction, slip, curve[4];
        nt_lubricant oil;
    } traction;
    int hertz, spin;

    /* the shape */
    nt_place_of_point at[2]; /* centres: of A's sphere, of B's; B's alone for other shapes */
    double radius[2];        /* of A's sphere, of B's */
    struct {
        nt_place_of_point point;
        double axis[3], radius, tube, angle;
        int inside, pad;
    } shape;

    /* what follows */
    nt_touch_kind kind;
    nt_surface surface;
    nt_touch_law law;
    double compliance;  /* 1/E*, 1/Pa; 0: no material                             */
    double deepest;     /* m: pressed further, the sphere is wholly behind the surface */
    v3 center, origin;  /* c and o from the reference points of B and A, body axes */
    v3 axis;            /* body axes of A                                          */
    int grip, together; /* its number among contacts that stick, from 1, 0: none; grip.h */
    struct {
        double s, T; /* grip.h; m, s */
    } give;
} nt_contact;

enum { /* bits of nt_contact.given */
       NT_CONTACT_BETWEEN,
       NT_CONTACT_STIFFNESS,
       NT_CONTACT_EXPONENT,
       NT_CONTACT_DAMPING,
       NT_CONTACT_FRICTION,
       NT_CONTACT_COEFFICIENT,
       NT_CONTACT_SLIP,
       NT_CONTACT_RESTITUTION,
       NT_CONTACT_MATERIAL,
       NT_CONTACT_OTHER,
       NT_CONTACT_HERTZ,
       NT_CONTACT_SPIN,
       NT_CONTACT_ROLLING,
       NT_CONTACT_ROLLING_SLIP,
       NT_CONTACT_TRACTION,
       NT_CONTACT_LAW,
       NT_CONTACT_FRICTION_OF_TRACTION,
       NT_CONTACT_SLIP_OF_TRACTION,
       NT_CONTACT_CURVE,
       NT_CONTACT_VISCOSITY,
       NT_CONTACT_PRESSURE_COEFFICIENT,
       NT_CONTACT_STRESS,
       NT_CONTACT_LIMIT,
       NT_CONTACT_AT,
       NT_CONTACT_RADIUS,
       NT_CONTACT_SHAPE,
       NT_CONTACT_POINT,
       NT_CONTACT_AXIS,
       NT_CONTACT_INSIDE,
       NT_CONTACT_ANGLE,
       NT_CONTACT_FRICTION_LAW,
};

/* Keys of every contact: of the bodies, of the law. */
extern const char *const nt_restitution_relations[], *const nt_hertz_formulas[],
                                                         *const nt_traction_laws[];
extern const nt_key nt_contact_friction_keys[], nt_contact_restitution_keys[],
    nt_contact_material_keys[], nt_contact_other_keys[], nt_contact_rolling_keys[],
    nt_contact_traction_keys[];
#define NT_CONTACT_KEY(name_, type_, field, bit_)                                                  \
    .name = name_, .type = type_, .offset = offsetof(nt_contact, field), .bit = bit_
#define NT_CONTACT_BETWEEN_KEY(words)                                                              \
    {                                                                                              \
        NT_CONTACT_KEY("between", NT_KEY_BODIES, between, NT_CONTACT_BETWEEN), .required = true,   \
                                                                               .meaning = words    \
    }
#define NT_CONTACT_AT_KEY                                                                          \
    {                                                                                              \
        NT_CONTACT_KEY("at", NT_KEY_POINT, at[1], NT_CONTACT_AT),                                  \
            .unit = "m",                                                                           \
            .meaning =                                                                             \
                "the sphere's centre, B's own axes from its origin, or a marker of B; default "    \
                "the origin"                                                                       \
    }
#define NT_CONTACT_RADIUS_KEY                                                                      \
    {                                                                                              \
        NT_CONTACT_KEY("radius", NT_KEY_NUMBER, radius[1], NT_CONTACT_RADIUS),                     \
            .required = true, .unit = "m", .meaning = "of the sphere"                              \
    }
#define NT_CONTACT_INSIDE_KEY(words)                                                               \
    {                                                                                              \
        NT_CONTACT_KEY("inside", NT_KEY_BOOLEAN, shape.inside, NT_CONTACT_INSIDE),                 \
            .meaning = words                                                                       \
    }
#define NT_CONTACT_KEYS                                                                            \
    {NT_CONTACT_KEY("stiffness", NT_KEY_NUMBER, stiffness, NT_CONTACT_STIFFNESS), .unit = "N/m^n", \
     .meaning = "k of the normal force k indentation^n (1 + damping * rate of indentation); "      \
                "this or `material`"},                                                             \
        {NT_CONTACT_KEY("exponent", NT_KEY_NUMBER, exponent, NT_CONTACT_EXPONENT),                 \
         .needs = "stiffness", .meaning = "n, at least 1; default 1.5 (Hertz)"},                   \
        {.name = "material",                                                                       \
         .type = NT_KEY_GROUP,                                                                     \
         .bit = NT_CONTACT_MATERIAL,                                                               \
         .group = nt_contact_material_keys,                                                        \
         .meaning = "of both surfaces, or of A's: the stiffness is that of Hertz"},                \
        {.name = "sphere_material",                                                                \
         .type = NT_KEY_GROUP,                                                                     \
         .bit = NT_CONTACT_OTHER,                                                                  \
         .group = nt_contact_other_keys,                                                           \
         .needs = "material",                                                                      \
         .meaning = "of B's sphere, where it is another one"},                                     \
        {NT_CONTACT_KEY("hertz", NT_KEY_CHOICE, hertz, NT_CONTACT_HERTZ),                          \
         .choices = nt_hertz_formulas, .needs = "material",                                        \
         .meaning = "how the elliptic integrals are found: exactly (default), or by a fit, whose " \
                    "stiffness is off by up to 9 %"},                                              \
        {NT_CONTACT_KEY("damping", NT_KEY_NUMBER, damping, NT_CONTACT_DAMPING), .unit = "s/m",     \
         .meaning = "of the normal force, which never pulls: where 1 + damping * rate is below "   \
                    "0.001 it goes to zero along a parabola; default 0"},                          \
        {.name = "restitution",                                                                    \
         .type = NT_KEY_GROUP,                                                                     \
         .bit = NT_CONTACT_RESTITUTION,                                                            \
         .group = nt_contact_restitution_keys,                                                     \
         .meaning =                                                                                \
             "the damping from the share of its speed that a free impact keeps; not beside "       \
             "`damping`"},                                                                         \
        {.name = "friction",                                                                       \
         .type = NT_KEY_GROUP,                                                                     \
         .bit = NT_CONTACT_FRICTION,                                                               \
         .group = nt_contact_friction_keys,                                                        \
         .meaning =                                                                                \
             "against sliding, coefficient * normal force * speed / sqrt(speed^2 + slip^2); "      \
             "default none"},                                                                      \
        {.name = "traction",                                                                       \
         .type = NT_KEY_GROUP,                                                                     \
         .bit = NT_CONTACT_TRACTION,                                                               \
         .group = nt_contact_traction_keys,                                                        \
         .meaning = "a law for the force against sliding; not beside `friction`"},                 \
        {NT_CONTACT_KEY("spin", NT_KEY_BOOLEAN, spin, NT_CONTACT_SPIN), .needs = "material",       \
         .meaning = "whether turning about the normal meets the moment of full slip over the "     \
                    "patch; default true with friction and a material"},                           \
        {.name = "rolling",                                                                        \
         .type = NT_KEY_GROUP,                                                                     \
         .bit = NT_CONTACT_ROLLING,                                                                \
         .group = nt_contact_rolling_keys,                                                         \
         .meaning = "a moment against rolling, resistance * normal force; default none"},          \
        NT_KEY_PART(nt_contact, part, NT_BIT_PART, "explicit")

static inline const nt_contact *nt_contact_of(const nt_run *run, const nt_element *element)
{
    return nt_element_data(run, element);
}

/* A contact of a run at a point of its motion; ground axes. */
nt_touch_pose nt_contact_pose(const nt_element *element, const nt_view *view);
nt_touch_pose nt_contact_pose_of(const nt_contact *c, const nt_motion *A, const nt_motion *B);
nt_touch nt_contact_touch(const nt_element *element, const nt_view *view);

/* Whether an element is one of these types: programs may add others. */

/* Shared callbacks of the contact types; those of friction that is set-valued (grip.h). */
void nt_grip_prepare(const nt_run *run, const nt_element *element, nt_contact *c);
int nt_grip_rates(const nt_model *model, const nt_element *element);
nt_quantity nt_grip_row_quantity(const nt_model *model, const nt_element *element, int row);
const char *nt_grip_row_name(const nt_model *model, const nt_element *element, int row);
nt_status nt_contact_declare(nt_model *model, nt_element *element);
nt_status nt_contact_evaluate(const nt_element *element, const nt_view *view);
void nt_contact_failure(const nt_element *element, const nt_view *view, char *text, int size);
void nt_contact_warning(const nt_run *run, const nt_element *element, char *text, int size);
bool nt_contact_vary(const nt_element *element, const nt_view *view, const void *rates);
bool nt_contact_depends_on_rates(const nt_run *run, const nt_element *element);
void nt_contact_reaction(const nt_element *element, const nt_view *view, v3 *force, v3 *torque);

void nt_contact_draw(const nt_run *run, const nt_element *element, nt_sketch_put *put, void *to);
int nt_contact_onsets(const nt_run *run, const nt_element *element, const nt_view *view,
                      double *beyond);
void nt_contact_arrow(const nt_element *element, const nt_view *view, v3 *point, v3 *force);

/* Bodies and law from the keys, of a surface off that skeleton. */
nt_status nt_contact_prepare(nt_run *run, const nt_element *element, nt_skeleton skeleton,
                             bool validate, nt_error *error);

/* What of the tangent of a touch is wanted: all of both bodies; or their own blocks alone, which
 * methods ask of bodies that nothing else binds. */
unsigned nt_touch_wanted(const nt_view *view, int body_a, int body_b);

/* How fast a contact damps the motion of its two bodies against each other, 1/s: its damping in the
 * direction in which that is largest, across the sliding, along it or along the normal, over what
 * moves there. Bodies that joints or implicit forces hold count as held: for all, less than the
 * largest rate. beside: the same where both bodies' own damping is taken implicitly, and what is
 * left is what it does to the one by the other. */
double nt_touch_damping_rate(const nt_view *view, int body_a, int body_b, const nt_touch *t,
                             double *beside);

/* c of the damping c w o w that a body is given, w the sliding, beside that of friction itself, in
 * steps of h over this mobility, 1/kg, of the body: with it, it is that of the chord, the line from
 * the force to none at no sliding, where the tangent would let the friction turn round from step to
 * step. With h/2 D of the tangent of a saturating law eps f(w/eps) of rate R, the step
 *
 *   a = a_p - (R eps f(w_p/eps) + a_p)/(1 + h/2 D),    w_p = w + h/2 a_p,
 *
 * has a cycle w = +-h R eps/2 from h R = 1.5 on, in which a_p leads to where f' is small, so that
 * nothing holds it; with D of the chord w decays up to h R = 10. Where steps bear the tangent, it
 * is the better of both: so the chord comes in between two rates at no sliding, NT_CHORD_TURNS over
 * h, and where friction stops what slides within some steps, NT_CHORD_STOPS. */
static const double NT_CHORD_TURNS[2] = {1.32, 1.38}, NT_CHORD_STOPS[2] = {0.1, 0.25};
double nt_touch_chord(nt_traction_law law, const nt_traction *traction, const nt_touch *t,
                      double mobility, double h);

/* How stiff a contact is, by itself, in an evaluation that asks for that, and how fast its friction
 * turns (contact_damping.c). */
void nt_touch_stiffest(const nt_view *view, int body_a, int body_b, const nt_contact *c,
                       const nt_touch_pose *at, const nt_touch *t, nt_stiffest *out);

/* How the sliding w changes where the bodies of the surface, A, and of the sphere, B, are
 * accelerated as they are, m/s^2, ground axes, along the surface; across it where w is 0. */
v3 nt_touch_sliding_rate(const nt_surface *surface, nt_skeleton skeleton, const nt_touch_pose *at,
                         const nt_touch *t, const nt_motion *A, const nt_motion *B);

/* Adds force and moment of a touch to the ports view->pair; or its tangent, of these bodies. */
void nt_touch_push(const nt_view *view, const nt_touch *touch);
/* Adds what these become where F, M and p change by so much. */
void nt_touch_push_change(const nt_view *view, const nt_touch *touch, v3 F, v3 M, v3 p);
/* One row of nodes, by ports view->pair of the bodies: along a variation e of the unknowns (see
 * nt_combination) dq = k e, dv = c e for translations and dw = W e for rotations, W = nt_rate_map.
 */
void nt_touch_add_row(const nt_view *view, const int bodies[2], int node,
                      const nt_pair_derivative *derivative);
void nt_touch_add(const nt_view *view, int body_a, int body_b, const nt_touch *touch,
                  const nt_touch_tangent *tangent);

/* What the descriptors of all contact types have in common. */
#define NT_CONTACT_SLOTS                                                                           \
    .version = NT_ELEMENT_VERSION, .section = &nt_contact_section, .part = NT_EXPLICIT,            \
    .touches = true, .only_takes = true, .declare = nt_contact_declare,                            \
    .evaluate = nt_contact_evaluate, .depends_on_rates = nt_contact_depends_on_rates,              \
    .reaction = nt_contact_reaction, .size = sizeof(nt_contact), .draw = nt_contact_draw,          \
    .arrow = nt_contact_arrow, .rates = nt_grip_rates, .row_quantity = nt_grip_row_quantity,       \
    .row_name = nt_grip_row_name, .as_contact = nt_contact_of, .vary = nt_contact_vary,            \
    .onsets = nt_contact_onsets, .failure = nt_contact_failure, .warning = nt_contact_warning

#endif
