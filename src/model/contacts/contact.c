/* Contacts between two bodies: keys, numbers that follow from them, terms of the equations.
 *
 * Energy: K delta^(n+1)/(n+1); the rest takes power. In the residual force and moment on A are the
 * opposite ones: -F and -r_A x F - M, against F and r_B x F + M on B; d(r x F) = r~ dF - F~ dr with
 * dr = dp, and dp - dx in the column of the body's own translation. */
#include "model/contacts/grip.h"

#include "base/direction.h"
#include "base/error.h"
#include "model/bodies/mass_point.h"

#include <math.h>
#include <stdio.h>

/* Hertz: two smooth bodies that touch in a point. */
static const double DEFAULT_EXPONENT = 1.5;

/* Of four_parameter, where the model gives none; that of bearings. */
static const double DEFAULT_CURVE[4] = {-0.02, 0.25, 2, 0.02};

/* m/s, where the model gives none; as in joints. */
static const double DEFAULT_SLIP = 1e-3;

/* rad/s, of rolling, where the model gives none. */
static const double DEFAULT_ROLLING_SLIP = 1e-2;

/* A mineral oil: tau_0 and Lambda where the model gives none. */
static const double DEFAULT_STRESS = 5e6, DEFAULT_LIMIT = 0.08;

static const char notes[] =
    "The force of a contact acts in the middle of the overlap. With indentation d > 0, `stiffness` "
    "k, `exponent` n, `damping` c and y = 1 + c d' the normal force is k d^n phi(y), where phi(y) "
    "= y from y = 0.001 on, phi = 0 up to y = -0.001, and between them phi = (y + 0.001)^2 / "
    "0.004, a parabola that joins both smoothly. So the force never pulls, and its damping is that "
    "of 1 + c d' unless the surfaces part faster than 0.999/c: where something tears them apart, "
    "or in a free impact that keeps less than 0.1243 of its speed. A free impact ends where d is "
    "zero again. What it keeps of its speed v, the share e, follows from p = c v alone, whatever "
    "the masses, k and n: p - ln(1 + p) is the integral of s / phi(1 - s) from 0 to e p, which is "
    "-e p - ln(1 - e p) as long as e p is at most 0.999. `restitution` solves this for p, so the "
    "wanted share is met to rounding by any e, and by that speed alone. A sphere that is pressed "
    "in "
    "by more than its diameter is wholly behind a plane or a wall around it: a run warns of it, "
    "and "
    "of bodies with a `material` it ends there.";

const nt_section nt_contact_section = {
    .name = "contacts", .word = "contact", .open = true, .notes = notes};

/* ---- keys ----------------------------------------------------------------------------------- */

#define KEY(name_, type_, field, bit_) NT_CONTACT_KEY(name_, type_, field, bit_)

const nt_key nt_contact_friction_keys[] = {
    {KEY("coefficient", NT_KEY_NUMBER, friction.coefficient, NT_CONTACT_COEFFICIENT),
     .required = true, .meaning = "of the normal force, whatever the speed"},
    {KEY("slip", NT_KEY_NUMBER, friction.slip, NT_CONTACT_SLIP), .unit = "m/s",
     .meaning = "speed below which friction turns over smoothly; default 1e-3"},
    {KEY("law", NT_KEY_CHOICE, friction.law, NT_CONTACT_FRICTION_LAW), .choices = nt_friction_laws,
     .meaning = "`set-valued`: surfaces stick until what holds them passes coefficient * normal "
                "force, and slip then with that against the sliding; default `regularised`"},
    {0},
};

const char *const nt_restitution_relations[] = {"exact", "hunt_crossley", "flores", NULL};
const nt_key nt_contact_restitution_keys[] = {
    {KEY("coefficient", NT_KEY_NUMBER, restitution.coefficient, -1), .required = true,
     .meaning = "share of its speed that a free impact keeps, above 0 and at most 1"},
    {KEY("speed", NT_KEY_NUMBER, restitution.speed, -1), .required = true, .unit = "m/s",
     .meaning = "of approach at which it does; faster impacts keep less"},
    {KEY("relation", NT_KEY_CHOICE, restitution.relation, -1), .choices = nt_restitution_relations,
     .meaning = "between coefficient and damping: exact (default), or one that is often quoted and "
                "gives another coefficient than the wanted one"},
    {0},
};

const char *const nt_hertz_formulas[] = {"exact", "hamrock_brewe", "simple", NULL};
const nt_key nt_contact_material_keys[] = {
    {KEY("E", NT_KEY_NUMBER, material.E, -1), .required = true, .unit = "Pa",
     .meaning = "Young's modulus"},
    {KEY("nu", NT_KEY_NUMBER, material.nu, -1), .required = true, .meaning = "Poisson's ratio"},
    {0},
};
const nt_key nt_contact_other_keys[] = {
    {KEY("E", NT_KEY_NUMBER, other.E, -1), .required = true, .unit = "Pa",
     .meaning = "Young's modulus"},
    {KEY("nu", NT_KEY_NUMBER, other.nu, -1), .required = true, .meaning = "Poisson's ratio"},
    {0},
};

const nt_key nt_contact_rolling_keys[] = {
    {KEY("resistance", NT_KEY_NUMBER, rolling.resistance, -1), .required = true, .unit = "m",
     .meaning = "moment over normal force"},
    {KEY("slip", NT_KEY_NUMBER, rolling.slip, NT_CONTACT_ROLLING_SLIP), .unit = "rad/s",
     .meaning = "rate of rolling below which it turns over smoothly; default 1e-2"},
    {0},
};

const char *const nt_traction_laws[] = {"coulomb", "four_parameter", "film", NULL};
const nt_key nt_contact_traction_keys[] = {
    {KEY("law", NT_KEY_CHOICE, traction.law, NT_CONTACT_LAW), .required = true,
     .choices = nt_traction_laws,
     .meaning = "one coefficient; a fitted curve; a film of oil with a limiting stress"},
    {KEY("friction", NT_KEY_NUMBER, traction.friction, NT_CONTACT_FRICTION_OF_TRACTION),
     .meaning = "coefficient, of coulomb"},
    {KEY("slip", NT_KEY_NUMBER, traction.slip, NT_CONTACT_SLIP_OF_TRACTION), .unit = "m/s",
     .meaning = "speed of creep: below it traction turns over smoothly; default 1e-3"},
    {KEY("curve", NT_KEY_NUMBERS, traction.curve, NT_CONTACT_CURVE), .low = 4, .high = 4,
     .meaning = "A, B (s/m), C (s/m), D of (A + B s) exp(-C s) + D, of four_parameter; default "
                "-0.02, 0.25, 2, 0.02, an assumption"},
    {KEY("viscosity", NT_KEY_NUMBER, traction.oil.viscosity, NT_CONTACT_VISCOSITY), .unit = "Pa s",
     .meaning = "of a film, at ambient pressure"},
    {KEY("pressure_coefficient", NT_KEY_NUMBER, traction.oil.coefficient,
         NT_CONTACT_PRESSURE_COEFFICIENT),
     .unit = "1/Pa", .meaning = "of a film: viscosity grows with exp(coefficient * pressure)"},
    {KEY("stress", NT_KEY_NUMBER, traction.oil.stress, NT_CONTACT_STRESS), .unit = "Pa",
     .meaning = "Eyring's, of a film; default 5e6"},
    {KEY("limit", NT_KEY_NUMBER, traction.oil.limit, NT_CONTACT_LIMIT),
     .meaning = "limiting stress over mean pressure, of a film; default 0.08"},
    {0},
};

/* ---- numbers that must make sense -------------------------------------------------------------
 */

static bool has(const nt_contact *c, int bit) { return c->given >> bit & 1; }

static nt_status check_law(const nt_run *run, const nt_element *element, nt_error *error)
{
    const nt_model *model = run->model;
    const nt_contact *c = nt_contact_of(run, element);
    if (!has(c, NT_CONTACT_STIFFNESS) && !has(c, NT_CONTACT_MATERIAL))
        return nt_fail_at(error, NT_BAD_MODEL, model->file, element->place.line,
                          element->place.column,
                          "%s contact '%s' lacks the key 'stiffness', expected a number",
                          element->type->name, element->name);
    if (has(c, NT_CONTACT_STIFFNESS) && has(c, NT_CONTACT_MATERIAL))
        return nt_load_refuse_key(model, element, "stiffness", error,
                                  "both stiffness and material are given, expected one of them");
    if (has(c, NT_CONTACT_STIFFNESS) && !(c->stiffness > 0))
        return nt_load_refuse_key(model, element, "stiffness", error,
                                  "stiffness is %g, expected a positive number", c->stiffness);
    if (!(c->exponent >= 1))
        return nt_load_refuse_key(model, element, "exponent", error,
                                  "exponent is %g, expected at least 1", c->exponent);
    if (!(c->damping >= 0))
        return nt_load_refuse_key(model, element, "damping", error, "damping %g is negative",
                                  c->damping);
    if (has(c, NT_CONTACT_RESTITUTION) && has(c, NT_CONTACT_DAMPING))
        return nt_load_refuse_key(model, element, "restitution", error,
                                  "both damping and restitution are given, expected one of them");
    double e = c->restitution.coefficient, speed = c->restitution.speed;
    if (has(c, NT_CONTACT_RESTITUTION) && !(e > 0 && e <= 1))
        return nt_load_refuse_key(
            model, element, "restitution.coefficient", error,
            "coefficient of restitution is %g, expected above 0 and at most 1", e);
    if (has(c, NT_CONTACT_RESTITUTION) && !(speed > 0))
        return nt_load_refuse_key(model, element, "restitution.speed", error,
                                  "speed of restitution is %g m/s, expected a positive speed",
                                  speed);
    if (!(c->friction.coefficient >= 0))
        return nt_load_refuse_key(model, element, "friction.coefficient", error,
                                  "coefficient of friction %g is negative",
                                  c->friction.coefficient);
    if (has(c, NT_CONTACT_FRICTION) && has(c, NT_CONTACT_TRACTION))
        return nt_load_refuse_key(model, element, "traction", error,
                                  "both friction and traction are given, expected one of them");
    if (has(c, NT_CONTACT_FRICTION_LAW) && c->friction.law == NT_FRICTION_SET_VALUED &&
        has(c, NT_CONTACT_SLIP))
        return nt_load_refuse_key(model, element, "friction.slip", error,
                                  "slip says nothing of friction that is set-valued");
    if (!(c->law.traction.slip > 0))
        return nt_load_refuse_key(
            model, element, has(c, NT_CONTACT_SLIP) ? "friction.slip" : "traction.slip", error,
            "slip is %g m/s, expected a positive speed", c->law.traction.slip);
    if (!(c->law.rolling >= 0))
        return nt_load_refuse_key(model, element, "rolling.resistance", error,
                                  "rolling: resistance %g m is negative", c->law.rolling);
    if (!(c->law.rolling_slip > 0))
        return nt_load_refuse_key(model, element, "rolling.slip", error,
                                  "rolling: slip is %g rad/s, expected a positive one",
                                  c->law.rolling_slip);
    return NT_OK;
}

static nt_status check_traction(const nt_run *run, const nt_element *element, nt_error *error)
{
    const nt_contact *c = nt_contact_of(run, element);
    if (!has(c, NT_CONTACT_TRACTION))
        return NT_OK;
    int law = c->traction.law;
    const char *lacks = NULL;
    if (law == NT_TRACTION_COULOMB && !has(c, NT_CONTACT_FRICTION_OF_TRACTION))
        lacks = "needs `friction`";
    if (law == NT_TRACTION_FILM &&
        !(has(c, NT_CONTACT_VISCOSITY) && has(c, NT_CONTACT_PRESSURE_COEFFICIENT)))
        lacks = "needs `viscosity` and `pressure_coefficient`";
    unsigned film = 1u << NT_CONTACT_VISCOSITY | 1u << NT_CONTACT_PRESSURE_COEFFICIENT |
                    1u << NT_CONTACT_STRESS | 1u << NT_CONTACT_LIMIT;
    bool foreign = (law != NT_TRACTION_COULOMB && has(c, NT_CONTACT_FRICTION_OF_TRACTION)) ||
                   (law != NT_TRACTION_FOUR_PARAMETER && has(c, NT_CONTACT_CURVE)) ||
                   (law != NT_TRACTION_FILM && (c->given & film));
    if (lacks || foreign)
        return nt_load_refuse_key(run->model, element, "traction.law", error, "traction: %s %s",
                                  nt_traction_laws[law],
                                  foreign ? "has keys of another law" : lacks);
    const nt_lubricant *oil = &c->law.traction.oil;
    if (c->traction.friction < 0)
        return nt_load_refuse_key(run->model, element, "traction.friction", error,
                                  "coefficient of friction %g is negative", c->traction.friction);
    if (law == NT_TRACTION_FILM && !has(c, NT_CONTACT_MATERIAL))
        return nt_load_refuse_key(run->model, element, "traction.law", error,
                                  "traction: a film needs a material");
    const struct {
        const char *key;
        double value;
    } positive[] = {{"traction.viscosity", oil->viscosity},
                    {"traction.pressure_coefficient", oil->coefficient},
                    {"traction.stress", oil->stress},
                    {"traction.limit", oil->limit}};
    for (int i = 0; law == NT_TRACTION_FILM && i < 4; i++)
        if (!(positive[i].value > 0))
            return nt_load_refuse_key(run->model, element, positive[i].key, error,
                                      "%s is %g, expected a positive number", positive[i].key,
                                      positive[i].value);
    return NT_OK;
}

/* Radii and materials, before what follows from them is looked at. */
static nt_status check_shape(const nt_run *run, const nt_element *element, nt_error *error)
{
    const nt_model *model = run->model;
    const nt_contact *c = nt_contact_of(run, element);
    const nt_surface *s = &c->surface;
    nt_skeleton skeleton = c->kind.skeleton;
    const char *surface = skeleton == NT_LINE ? "cylinder.radius" : "torus.tube";
    const char *own = skeleton == NT_POINT ? "radii" : "radius";
    if (!(s->radius > 0) || (skeleton != NT_PLANE && !(s->offset > 0)))
        return nt_load_refuse_key(
            model, element, s->radius > 0 && skeleton != NT_POINT ? surface : own, error,
            "radius is %g m, expected a positive number", s->radius > 0 ? s->offset : s->radius);
    if (s->side < 0 && !(s->offset > s->radius))
        return nt_load_refuse_key(model, element, own, error,
                                  "a sphere of radius %g m does not fit inside of radius %g m",
                                  s->radius, s->offset);
    if (skeleton == NT_CIRCLE && !(s->circle > s->offset))
        return nt_load_refuse_key(
            model, element, "torus.radius", error,
            "the torus' circle has the radius %g m, expected more than its tube's %g m", s->circle,
            s->offset);
    const struct {
        const char *key;
        double value;
        bool given, modulus;
    } materials[] = {
        {"material.E", c->material.E, has(c, NT_CONTACT_MATERIAL), true},
        {"material.nu", c->material.nu, has(c, NT_CONTACT_MATERIAL), false},
        {"sphere_material.E", c->other.E, has(c, NT_CONTACT_OTHER), true},
        {"sphere_material.nu", c->other.nu, has(c, NT_CONTACT_OTHER), false},
    };
    for (int i = 0; i < 4; i++) {
        bool sane = materials[i].modulus ? materials[i].value > 0 : fabs(materials[i].value) <= 0.5;
        if (materials[i].given && !sane)
            return nt_load_refuse_key(model, element, materials[i].key, error,
                                      "%s is %g, expected %s", materials[i].key, materials[i].value,
                                      materials[i].modulus ? "a positive number"
                                                           : "a number between -0.5 and 0.5");
    }
    if (has(c, NT_CONTACT_MATERIAL) && !(c->law.stiffness > 0))
        return nt_load_refuse(model, element, error,
                              "its surfaces touch along a line, which Hertz's contact of a point "
                              "does not have; expected a stiffness");
    return NT_OK;
}

/* ---- what follows from the keys ----------------------------------------------------------------
 */

static void fill_surface(nt_contact *c, nt_skeleton skeleton)
{
    bool inside = c->shape.inside, sphere = skeleton == NT_POINT, torus = skeleton == NT_CIRCLE;
    c->kind.skeleton = skeleton;
    c->surface = (nt_surface){.side = inside ? -1 : 1,
                              .offset = skeleton == NT_PLANE ? 0
                                        : sphere             ? c->radius[0]
                                        : torus              ? c->shape.tube
                                                             : c->shape.radius,
                              .circle = torus ? c->shape.radius : 0,
                              .radius = c->radius[1]};
}

/* Relative curvatures, around the axis first. At the angle alpha from the outside of a torus, where
 * the sphere's centre is r = C + (R + sigma rho) cos(alpha) from the axis: 1/rho + sigma
 * cos(alpha)/ (r - sigma rho cos(alpha)). */
static void curvatures(const nt_contact *c, double out[2])
{
    const nt_surface *s = &c->surface;
    double own = 1 / s->radius, round = s->offset > 0 ? s->side / s->offset : 0;
    out[0] = out[1] = own;
    if (c->kind.skeleton == NT_POINT)
        out[0] = out[1] = own + round;
    if (c->kind.skeleton == NT_LINE)
        out[0] = own + round;
    if (c->kind.skeleton == NT_CIRCLE) {
        double cosine = cos(c->shape.angle);
        double r = s->circle + (s->offset + s->side * s->radius) * cosine;
        out[0] = own + s->side * cosine / (r - s->side * s->radius * cosine);
        out[1] = own + round;
    }
}

static void fill_hertz(nt_contact *c)
{
    double curvature[2], young[2] = {c->material.E, c->material.E};
    double poisson[2] = {c->material.nu, c->material.nu};
    if (has(c, NT_CONTACT_OTHER))
        young[1] = c->other.E, poisson[1] = c->other.nu;
    c->compliance = nt_hertz_compliance(young, poisson);
    curvatures(c, curvature);
    nt_hertz hertz = nt_hertz_find(curvature, c->compliance, (nt_hertz_formula)c->hertz);
    bool spins = has(c, NT_CONTACT_SPIN) ? c->spin : true;
    c->law.stiffness = hertz.K;
    c->law.semi_axis = hertz.semi_axis;
    c->law.ratio = hertz.ratio;
    c->law.spin_arm = spins ? 0.375 * hertz.semi_axis * hertz.E : 0;
    if (c->kind.law == NT_TRACTION_FILM)
        nt_traction_film(&c->law.traction, 1 / curvature[0], 1 / curvature[1], c->compliance,
                         hertz.K, hertz.semi_axis, hertz.ratio);
}

static void fill_law(nt_contact *c)
{
    nt_touch_law *law = &c->law;
    nt_traction *traction = &law->traction;
    const double *curve = has(c, NT_CONTACT_CURVE) ? c->traction.curve : DEFAULT_CURVE;
    bool friction = has(c, NT_CONTACT_FRICTION);
    *law = (nt_touch_law){.stiffness = c->stiffness,
                          .exponent = c->exponent,
                          .damping = c->damping,
                          .rolling = c->rolling.resistance,
                          .rolling_slip = has(c, NT_CONTACT_ROLLING_SLIP) ? c->rolling.slip
                                                                          : DEFAULT_ROLLING_SLIP};
    if (has(c, NT_CONTACT_RESTITUTION))
        law->damping = nt_restitution_damping(c->restitution.coefficient,
                                              (nt_restitution_relation)c->restitution.relation) /
                       c->restitution.speed;
    *traction = (nt_traction){.friction = friction ? c->friction.coefficient : c->traction.friction,
                              .slip = has(c, NT_CONTACT_SLIP)               ? c->friction.slip
                                      : has(c, NT_CONTACT_SLIP_OF_TRACTION) ? c->traction.slip
                                                                            : DEFAULT_SLIP,
                              .A = curve[0],
                              .B = curve[1],
                              .C = curve[2],
                              .D = curve[3],
                              .oil = c->traction.oil};
    if (has(c, NT_CONTACT_FRICTION_LAW) && c->friction.law == NT_FRICTION_SET_VALUED)
        traction->friction = 0; /* it is that of grip.h */
    if (!has(c, NT_CONTACT_STRESS))
        traction->oil.stress = DEFAULT_STRESS;
    if (!has(c, NT_CONTACT_LIMIT))
        traction->oil.limit = DEFAULT_LIMIT;
    c->kind.law = (nt_traction_law)c->traction.law;
    if (has(c, NT_CONTACT_MATERIAL))
        fill_hertz(c);
    c->kind.is_hertz = c->exponent == 1.5;
    c->kind.spins = law->spin_arm > 0;
    c->kind.rolls = law->rolling != 0;
}

/* How deep a sphere can be pressed in and still be in contact. Behind a plane, or a wall around it,
 * one that is pressed in as far as it is wide is wholly within the other body, where no middle of
 * an overlap is left for the force to act at. In a round body, and beside a groove, it comes to
 * where there is no normal. Of materials Hertz's law is wrong long before, as the patch is no small
 * part of the surfaces; a stiffness that is given knows of no radius, and goes on with a warning.
 */
static double deepest(const nt_contact *c)
{
    bool is_wall = c->kind.skeleton != NT_CIRCLE && (c->surface.side < 0 || c->surface.offset == 0);
    return is_wall ? 2 * c->surface.radius : (double)INFINITY;
}

/* A point of a body, from its reference point in body axes; the body's origin unless given. */
static nt_status find_point(const nt_run *run, const nt_element *element,
                            const nt_place_of_point *place, bool given, int body, bool validate,
                            v3 *offset, nt_error *error)
{
    if (given && place->marker >= 0)
        return nt_load_point(run, element, place, body, validate, offset, error);
    v3 from_origin = given ? v3_load(place->at) : v3_of(0, 0, 0);
    *offset =
        run->bodies[body].point ? v3_of(0, 0, 0) : v3_sub(from_origin, run->bodies[body].reference);
    double size = v3_norm(from_origin);
    return validate ? nt_mass_point_place(run->model, element, body, from_origin, size, error)
                    : NT_OK;
}

static nt_status find_places(nt_run *run, const nt_element *element, bool validate, nt_error *error)
{
    nt_contact *c = nt_element_numbers(run, element);
    bool sphere = c->kind.skeleton == NT_POINT, at = has(c, NT_CONTACT_AT);
    const nt_place_of_point *origin = sphere ? &c->at[0] : &c->shape.point;
    double axis[3] = {0, 0, 1};
    nt_status status = find_point(run, element, origin, sphere ? at : has(c, NT_CONTACT_POINT),
                                  element->a, validate, &c->origin, error);
    if (status == NT_OK)
        status = find_point(run, element, &c->at[1], at, element->b, validate, &c->center, error);
    if (status == NT_OK && !sphere && !nt_direction(c->shape.axis, 3, axis))
        return nt_load_refuse_key(run->model, element,
                                  c->kind.skeleton == NT_PLANE  ? "plane.normal"
                                  : c->kind.skeleton == NT_LINE ? "cylinder.axis"
                                                                : "torus.axis",
                                  error, "the %s has length zero",
                                  c->kind.skeleton == NT_PLANE ? "normal of its plane" : "axis");
    c->axis = v3_load(axis);
    return status;
}

nt_status nt_contact_prepare(nt_run *run, const nt_element *element, nt_skeleton skeleton,
                             bool validate, nt_error *error)
{
    nt_contact *c = nt_element_numbers(run, element);
    if (!has(c, NT_CONTACT_EXPONENT))
        c->exponent = DEFAULT_EXPONENT;
    fill_surface(c, skeleton);
    fill_law(c);
    c->deepest = deepest(c);
    if (nt_contact_grips(c))
        nt_grip_prepare(run, element, c);
    nt_status status = validate ? check_law(run, element, error) : NT_OK;
    if (status == NT_OK && validate)
        status = check_traction(run, element, error);
    if (status == NT_OK && run->bodies[element->a].point && skeleton != NT_POINT)
        return nt_load_refuse(run->model, element, error,
                              "%s is a point and carries no %s, expected a body that can turn",
                              run->bodies[element->a].name,
                              skeleton == NT_PLANE ? "plane" : "axis");
    if (status == NT_OK)
        status = find_places(run, element, validate, error);
    return status == NT_OK && validate ? check_shape(run, element, error) : status;
}

nt_status nt_contact_declare(nt_model *model, nt_element *element)
{
    nt_status status = nt_load_declare(model, element, NT_BOTH_MOTIONS, NT_BOTH_MOTIONS);
    bool grips = nt_contact_grips(nt_model_data(model, element));
    return status == NT_OK && grips ? nt_grip_declare(model, element) : status;
}

/* ---- terms ---------------------------------------------------------------------------------- */

nt_touch_pose nt_contact_pose(const nt_element *element, const nt_view *view)
{
    return nt_contact_pose_of(nt_contact_of(view->run, element), &view->motion[element->a],
                              &view->motion[element->b]);
}

/* The force of other exponents begins without a slope; where friction is set-valued, steps end at
 * its own events. */
int nt_contact_onsets(const nt_run *run, const nt_element *e, const nt_view *view, double *beyond)
{
    const nt_contact *c = nt_contact_of(run, e), *read = nt_contact_of(run->model->origin, e);
    bool begins = read->exponent == 1 && !nt_contact_grips(read);
    if (!beyond || !begins)
        return begins;
    nt_touch t = {.l = 0};
    nt_touch_pose at = nt_contact_pose(e, view);
    nt_touch_place(&t, c->kind.skeleton, &c->surface, &at);
    *beyond = c->surface.radius + c->surface.side * (c->surface.offset - t.l);
    if (c->exponent != 1) /* a parameter has changed it */
        *beyond = (double)NAN;
    return 1;
}

nt_touch_pose nt_contact_pose_of(const nt_contact *c, const nt_motion *A, const nt_motion *B)
{
    v3 arm_b = m3_apply(B->R, c->center), arm_a = v3_add(v3_sub(B->x, A->x), arm_b);
    return (nt_touch_pose){.y = v3_sub(arm_a, m3_apply(A->R, c->origin)),
                           .axis = m3_apply(A->R, c->axis),
                           .arm_a = arm_a,
                           .arm_b = arm_b,
                           .v_a = A->v,
                           .w_a = A->w,
                           .v_b = B->v,
                           .w_b = B->w};
}

nt_touch nt_contact_touch(const nt_element *element, const nt_view *view)
{
    const nt_contact *c = nt_contact_of(view->run, element);
    nt_touch_pose at = nt_contact_pose(element, view);
    nt_touch t = nt_touch_of(c->kind, &c->surface, &c->law, &at);
    if (!nt_contact_grips(c))
        return t;
    v3 grip = nt_grip_force(element, view);
    t.F = v3_add(t.F, grip);
    t.power += v3_dot(grip, t.w);
    return t;
}

void nt_touch_push(const nt_view *view, const nt_touch *t)
{
    nt_view_force(view, nt_view_port(view, NT_T_A), t->F);
    nt_view_force(view, nt_view_port(view, NT_R_A), v3_add(v3_cross(t->r_a, t->F), t->M));
    nt_view_force(view, nt_view_port(view, NT_T_B), v3_neg(t->F));
    nt_view_force(view, nt_view_port(view, NT_R_B), v3_sub(v3_cross(t->F, t->r_b), t->M));
}

void nt_touch_push_change(const nt_view *view, const nt_touch *t, v3 F, v3 M, v3 p)
{
    v3 of_a = v3_add(v3_cross(t->r_a, F), v3_cross(p, t->F));
    v3 of_b = v3_add(v3_cross(t->r_b, F), v3_cross(p, t->F));
    nt_view_force(view, nt_view_port(view, NT_T_A), F);
    nt_view_force(view, nt_view_port(view, NT_R_A), v3_add(of_a, M));
    nt_view_force(view, nt_view_port(view, NT_T_B), v3_neg(F));
    nt_view_force(view, nt_view_port(view, NT_R_B), v3_neg(v3_add(of_b, M)));
}

unsigned nt_touch_wanted(const nt_view *view, int body_a, int body_b)
{
    const nt_combination *c = view->terms->combination;
    const unsigned char *alone = view->model->system.explicit_blocks;
    unsigned places = c->stiffness != 0 ? NT_TOUCH_PLACES : 0;
    if (!c->own_blocks || !alone)
        return places | NT_TOUCH_OF_A | NT_TOUCH_OF_B;
    return places | (body_a > 0 && alone[body_a - 1] ? NT_TOUCH_OF_A : 0) |
           (body_b > 0 && alone[body_b - 1] ? NT_TOUCH_OF_B : 0);
}

void nt_touch_add_row(const nt_view *view, const int bodies[2], int node,
                      const nt_pair_derivative *d)
{
    const nt_combination *combination = view->terms->combination;
    double c = combination->damping, k = combination->stiffness;
    const nt_element *e = view->local->element;
    bool places = combination->stiffness != 0;
    int row = nt_view_port(view, node);
    for (int i = 0; i < NT_PAIR_NODES; i++) {
        int column = nt_view_port(view, i);
        bool others = i / 2 != node / 2 && combination->own_blocks;
        if (e->slot[row * e->n_ports + column] < 0 || others)
            continue;
        m3 rate = i % 2 == 0 ? m3_scale(c, d->v[i])
                             : m3_multiply(d->v[i], nt_rate_map(view, bodies[i / 2], c, k));
        nt_view_add(view, row, column, places ? m3_add(m3_scale(k, d->q[i]), rate) : rate);
    }
}

/* The rows of one body: the force sign F at r from its reference point, the residual its opposite.
 * node: that of its translation. */
static void add_rows(const nt_view *view, const int bodies[2], int node, double sign, v3 r, v3 F,
                     const nt_touch_tangent *d)
{
    nt_pair_derivative row, moment;
    const nt_combination *combination = view->terms->combination;
    bool places = combination->stiffness != 0;
    for (int i = 0; i < NT_PAIR_NODES; i++) {
        if (i / 2 != node / 2 && combination->own_blocks)
            continue;
        row.v[i] = m3_scale(-sign, d->F_v[i]);
        moment.v[i] = m3_sub(m3_skew_multiply(r, row.v[i]), m3_scale(sign, d->M_v[i]));
        if (!places)
            continue;
        m3 dr = i == node ? m3_sub(d->p[i], m3_identity()) : d->p[i];
        row.q[i] = m3_scale(-sign, d->F_q[i]);
        moment.q[i] =
            m3_add(m3_skew_multiply(r, row.q[i]), m3_scale(sign, m3_skew_multiply(F, dr)));
        moment.q[i] = m3_sub(moment.q[i], m3_scale(sign, d->M_q[i]));
    }
    nt_touch_add_row(view, bodies, node, &row);
    nt_touch_add_row(view, bodies, node + 1, &moment);
}

void nt_touch_add(const nt_view *view, int body_a, int body_b, const nt_touch *t,
                  const nt_touch_tangent *d)
{
    int bodies[2] = {body_a, body_b};
    unsigned wanted = nt_touch_wanted(view, body_a, body_b);
    if (wanted & NT_TOUCH_OF_A)
        add_rows(view, bodies, NT_T_A, -1, t->r_a, t->F, d);
    if (wanted & NT_TOUCH_OF_B)
        add_rows(view, bodies, NT_T_B, 1, t->r_b, t->F, d);
}

/* A sphere behind its surface, by that part of how deep it can be: remembered until the step stands
 * (nt_system.noticed), and noted by the look at energies that follows. */
static void note_depth(const nt_element *element, const nt_view *view, double by)
{
    static const double MORE = 1e-6; /* worth another look */
    nt_run_note *all = view->energy ? view->run->noting : view->run->notes;
    if (!all)
        return;
    nt_run_note *note = &all[element - view->model->elements];
    double t = view->at->t;
    if (!view->energy) {
        if (by > note->seen && by > note->known + (note->known > 0 ? MORE : 0))
            note->seen = by, note->when = t;
        return;
    }
    if (t < note->since)
        *note = (nt_run_note){0};
    note->known = fmax(note->known, by);
    if (!(by > note->by))
        return;
    note->since = note->by > 0 ? note->since : t;
    note->by = by;
    note->at = t;
}

/* What is apart by rounding is as little inside, by a part of that and at least so much, m. */
static const double LEAST_PART = 1e-6, LEAST_DEPTH = 1e-30;

/* At a stop at which the force begins surfaces touch by rounding alone, or just do not: it is seen
 * from the side on which the step lies (events/onsets.h). */
static nt_touch touch_on_side(const nt_element *e, const nt_view *view, const nt_contact *c,
                              nt_touch_pose *at)
{
    nt_touch t = nt_touch_of(c->kind, &c->surface, &c->law, at);
    const double *sides = view->run->sides;
    double side = sides && nt_contact_onsets(view->run, e, NULL, NULL) ? sides[e->first_onset] : 0;
    if (side == 0 || (t.delta > 0) == (side > 0))
        return t;
    at->lift += t.delta - (side > 0 ? LEAST_PART * fabs(t.delta) + LEAST_DEPTH : 0);
    return nt_touch_of(c->kind, &c->surface, &c->law, at);
}

nt_status nt_contact_evaluate(const nt_element *element, const nt_view *view)
{
    const nt_contact *c = nt_contact_of(view->run, element);
    nt_status status = nt_contact_grips(c) ? nt_grip_evaluate(element, view) : NT_OK;
    if (status != NT_OK || (!view->energy && !(view->terms->parts & element->part)))
        return status;
    nt_touch_pose at = nt_contact_pose(element, view);
    nt_touch t = touch_on_side(element, view, c, &at);
    if (!(t.delta <= 0) && !(isfinite(v3_dot(t.F, t.F) + v3_dot(t.M, t.M)) && v3_dot(t.m, t.m) > 0))
        return NT_NOT_FINITE;
    if (t.delta > c->deepest && c->compliance > 0)
        return NT_NOT_FINITE;
    if (t.delta > c->deepest)
        note_depth(element, view, t.delta / c->deepest - 1);
    bool damps = view->terms && view->terms->damping && view->run->dampings && !view->energy;
    nt_run_damping *damping = damps ? &view->run->dampings[element - view->model->elements] : NULL;
    if (damping)
        *damping = (nt_run_damping){.part = {-1, -1}};
    if (damping)
        nt_touch_stiffest(view, element->a, element->b, c, &at, &t, &damping->stiffest);
    if (!(t.delta > 0))
        return NT_OK;
    if (damping)
        damping->rate[0] =
            nt_touch_damping_rate(view, element->a, element->b, &t, &damping->rate[1]);
    if (view->energy) {
        view->energy->potential += t.elastic * t.delta / (c->law.exponent + 1);
        view->energy->power += t.power;
        return NT_OK;
    }
    if (view->terms->residual)
        nt_touch_push(view, &t);
    if (view->terms->matrix) {
        nt_touch_tangent d;
        nt_touch_differentiate(c->kind, &c->surface, &c->law, &at, &t, v3_of(0, 0, 0),
                               nt_touch_wanted(view, element->a, element->b), &d);
        nt_touch_add(view, element->a, element->b, &t, &d);
    }
    return NT_OK;
}

void nt_contact_warning(const nt_run *run, const nt_element *element, char *text, int size)
{
    const nt_run_note *note = &run->notes[element - run->model->elements];
    const nt_contact *c = nt_contact_of(run, element);
    snprintf(text, (size_t)size,
             "the sphere is pressed %.4g m in at t = %.6g s: of a radius of %.4g m, it is wholly "
             "behind the surface; this began at t = %.6g s",
             (1 + note->by) * c->deepest, note->at, c->surface.radius, note->since);
}

/* The only places at which there is no value: those of no distance from the skeleton, and those
 * wholly behind the surface of bodies that have a material. */
void nt_contact_failure(const nt_element *element, const nt_view *view, char *text, int size)
{
    static const char *const where[] = {
        [NT_POINT] = "the centres of the two spheres are one point",
        [NT_LINE] = "the sphere's centre is on the cylinder's axis",
        [NT_CIRCLE] = "the sphere's centre is on the torus' axis or on the circle within its tube",
    };
    const nt_contact *c = nt_contact_of(view->run, element);
    nt_touch_pose at = nt_contact_pose(element, view);
    nt_touch t = nt_touch_of(c->kind, &c->surface, &c->law, &at);
    bool has_normal = v3_dot(t.m, t.m) > 0;
    text[0] = '\0';
    if (!has_normal && c->kind.skeleton != NT_PLANE)
        snprintf(text, (size_t)size, "%s, where the surface has no normal",
                 where[c->kind.skeleton]);
    else if (t.delta > c->deepest && c->compliance > 0)
        snprintf(text, (size_t)size,
                 "the sphere is pressed %.4g m in, with %.3g N: of a radius of %.4g m, it is "
                 "wholly behind the surface",
                 t.delta, t.N, c->surface.radius);
}

/* Surfaces apart have no force, and none where they just touch. */
bool nt_contact_vary(const nt_element *element, const nt_view *view, const void *rates)
{
    const nt_contact *c = nt_contact_of(view->run, element), *d = rates;
    const nt_motion *A = &view->motion[element->a], *B = &view->motion[element->b];
    if (nt_contact_grips(c))
        return false;
    if (!(view->terms->parts & element->part))
        return true;
    nt_touch_pose at = nt_contact_pose(element, view);
    nt_touch t = touch_on_side(element, view, c, &at);
    if (!(t.delta > 0))
        return t.delta < 0;
    nt_touch_rates of = {.surface = d->surface,
                         .law = d->law,
                         .origin = m3_apply(A->R, d->origin),
                         .axis = m3_apply(A->R, d->axis),
                         .center = m3_apply(B->R, d->center)};
    v3 F, M, p;
    nt_touch_vary_numbers(c->kind, &c->surface, &c->law, &at, &t, v3_of(0, 0, 0), &of, &F, &M, &p);
    nt_touch_push_change(view, &t, F, M, p);
    return true;
}

bool nt_contact_depends_on_rates(const nt_run *run, const nt_element *element)
{
    const nt_contact *c = nt_contact_of(run, element);
    return c->law.damping != 0 || c->law.traction.friction != 0 || c->law.rolling != 0 ||
           nt_contact_grips(c) || c->kind.law != NT_TRACTION_COULOMB;
}

void nt_contact_reaction(const nt_element *element, const nt_view *view, v3 *force, v3 *torque)
{
    nt_touch t = nt_contact_touch(element, view);
    bool known = !(t.delta > 0) || v3_dot(t.m, t.m) > 0;
    *force = known ? t.F : v3_of((double)NAN, (double)NAN, (double)NAN);
    *torque = t.M; /* about p */
}
