/* What the file says of a cable: its keys, which numbers are refused, the points that it brings. */
#include "model/cables/cable.h"

#include "base/error.h"
#include "model/bodies/body.h"
#include "model/elements.h"
#include "model/forces/load.h"

#include <math.h>
#include <stdlib.h>

#define KEY(name_, type_, field, bit_)                                                             \
    .name = name_, .type = type_, .offset = offsetof(nt_cable, field), .bit = bit_

static const nt_key seabed_keys[] = {
    {KEY("height", NT_KEY_FUNCTION, seabed.height, NT_CABLE_SEABED_HEIGHT), .required = true,
     .unit = "m",
     .meaning =
         "z of the bed, ground axes: a number, or an expression of NAME.x and NAME.y such as "
         "table(\"depth.csv\", NAME.x)"},
    {KEY("stiffness", NT_KEY_NUMBER, seabed.stiffness, NT_CABLE_SEABED_STIFFNESS), .required = true,
     .unit = "N/m^2", .meaning = "force per length of the cable and depth below the bed"},
    {KEY("damping", NT_KEY_NUMBER, seabed.damping, NT_CABLE_SEABED_DAMPING), .unit = "N s/m^2",
     .meaning = "c of the force per length a (1 + b / sqrt(a^2 + b^2)) at depth d, with a = "
                "stiffness * d, b = c * rate of d; it never pulls; default 0"},
    {KEY("friction", NT_KEY_NUMBER, seabed.friction, NT_CABLE_SEABED_FRICTION),
     .meaning = "coefficient of friction, at most 1e12; default 0"},
    {KEY("speed", NT_KEY_NUMBER, seabed.speed, NT_CABLE_SEABED_SPEED), .needs = "friction",
     .unit = "m/s", .meaning = "below which friction is viscous, 1e-12 at least; default 0.01"},
    {0},
};

const nt_key nt_cable_keys[] = {
    {KEY("between", NT_KEY_BODIES, between, NT_CABLE_BETWEEN), .required = true, .up_to = true,
     .meaning = "bodies at its two ends; both may be the ground"},
    {KEY("at", NT_KEY_POINTS, at, NT_CABLE_AT), .unit = "m",
     .meaning = "the ends: ground axes at the given placement, or markers; default the bodies' "
                "origins"},
    {KEY("length", NT_KEY_NUMBER, length, NT_CABLE_LENGTH), .required = true, .unit = "m",
     .meaning = "of the cable without tension"},
    {KEY("mass", NT_KEY_NUMBER, mass, NT_CABLE_MASS), .required = true, .unit = "kg/m",
     .meaning = "per length; gravity acts on all of it, so of a cable in water less that of the "
                "water it displaces"},
    {KEY("stiffness", NT_KEY_NUMBER, stiffness, NT_CABLE_STIFFNESS), .required = true, .unit = "N",
     .meaning = "EA: tension over strain; at most 1e24"},
    {KEY("damping", NT_KEY_NUMBER, damping, NT_CABLE_DAMPING), .unit = "s",
     .meaning = "damping over stiffness; default 0. Tension never pushes"},
    {KEY("elements", NT_KEY_NUMBER, elements, NT_CABLE_ELEMENTS),
     .meaning = "straight segments, default 20. Inner nodes are points NAME.node1, .... A slack "
                "line folds at a node: there tensions are known to the weight of half a segment "
                "(of 10 m with 11 segments to 4.5 %, with 41 to 1.2 % of all), and its lowest "
                "place to half its length"},
    {.name = "seabed",
     .type = NT_KEY_GROUP,
     .bit = -1,
     .group = seabed_keys,
     .meaning =
         "a bed that bears the nodes below it, ends on bodies included; an end on the ground is "
         "held there, at most the length of a segment below it, and bears half of its segment's "
         "weight though it lies at the bed's height"},
    {0},
};

void nt_cable_defaults(void *data)
{
    nt_cable *c = data;
    c->elements = 20;
    c->seabed.speed = 0.01;
}

/* ---- numbers ---------------------------------------------------------------------------------
 */

/* Of a stiffer line or bed forces are made by the rounding of places and speeds; of a slower
 * friction by that of speeds. A node bears on the bed with the length of a segment. */
static nt_status refuse_stiff(const nt_run *run, const nt_element *e, const nt_cable *c,
                              nt_error *error)
{
    static const double STIFFEST = 1e24, SLOWEST = 1e-12;
    static const double MOST_STRAIN = 1e12, MOST_FRICTION = 1e12;
    double l0 = c->length / c->n;
    double weight = c->mass * c->length * v3_norm(v3_load(run->gravity));
    if (!(weight <= MOST_STRAIN * c->stiffness))
        return nt_load_refuse_key(run->model, e, "stiffness", error,
                                  "stiffness is %g N, so little that its length is lost beside how "
                                  "far its weight of %.3g N stretches it; expected %.3g N at least",
                                  c->stiffness, weight, weight / MOST_STRAIN);
    const struct {
        const char *key, *unit;
        double value, most;
    } largest[] = {
        {"stiffness", "N", c->stiffness, STIFFEST},
        {"damping", "s", c->damping, STIFFEST / c->stiffness},
        {"seabed.stiffness", "N/m^2", c->seabed.height ? c->seabed.stiffness : 0,
         STIFFEST / (l0 * l0)},
        {"seabed.damping", "N s/m^2", c->seabed.damping, STIFFEST / (l0 * l0)},
    };
    for (size_t i = 0; i < sizeof largest / sizeof *largest; i++)
        if (!(largest[i].value <= largest[i].most))
            return nt_load_refuse_key(run->model, e, largest[i].key, error,
                                      "%s is %g %s, so large that rounding of places or speeds is "
                                      "force; expected at most %.3g %s",
                                      largest[i].key, largest[i].value, largest[i].unit,
                                      largest[i].most, largest[i].unit);
    if (c->seabed.height && !(c->seabed.friction <= MOST_FRICTION))
        return nt_load_refuse_key(run->model, e, "seabed.friction", error,
                                  "seabed.friction is %g, expected at most %g: what presses on the "
                                  "bed is lost in rounding beside it",
                                  c->seabed.friction, MOST_FRICTION);
    if (c->seabed.height && c->seabed.friction > 0 && !(c->seabed.speed >= SLOWEST))
        return nt_load_refuse_key(run->model, e, "seabed.speed", error,
                                  "seabed.speed is %g m/s, expected %g m/s at least: speeds are "
                                  "known to less",
                                  c->seabed.speed, SLOWEST);
    return NT_OK;
}

/* Where nodes hang follows from where the ends are. */
static nt_status refuse_own_node(const nt_run *run, const nt_element *e, const nt_cable *c,
                                 nt_error *error)
{
    for (int i = 0; i < 2; i++) {
        int node = c->between[i] - c->first_body + 1;
        if (node >= 1 && node < c->n)
            return nt_load_refuse_key(run->model, e, "between", error,
                                      "the %s end is at %s.node%d, a node of the cable itself, "
                                      "which hangs between its ends; expected another body",
                                      i == 0 ? "first" : "second", e->name, node);
    }
    return NT_OK;
}

/* Inner nodes are points without mass; where they are is found once the ends are (settle). */
nt_status nt_cable_own_bodies(nt_run *run, const nt_element *e, bool validate, nt_error *error)
{
    const nt_cable *c = nt_element_data(run, e);
    if (c->elements != c->n)
        return nt_load_refuse_key(
            run->model, e, "elements", error,
            "elements is %g where the model was read with %d: nodes do not follow "
            "parameters that are set later; set it in the file or with --set",
            c->elements, c->n);
    if (validate && refuse_own_node(run, e, c, error) != NT_OK)
        return NT_BAD_MODEL;
    const nt_seabed *s = &c->seabed;
    const struct {
        const char *key;
        double value;
        bool may_be_zero;
    } numbers[] = {
        {"length", c->length, false},
        {"mass", c->mass, false},
        {"stiffness", c->stiffness, false},
        {"damping", c->damping, true},
        {"seabed.stiffness", s->height ? s->stiffness : 1, false},
        {"seabed.damping", s->damping, true},
        {"seabed.friction", s->friction, true},
        {"seabed.speed", s->height ? s->speed : 1, false},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && validate; i++)
        if (!(numbers[i].may_be_zero ? numbers[i].value >= 0 : numbers[i].value > 0))
            return nt_load_refuse_key(run->model, e, numbers[i].key, error,
                                      "%s is %g, expected %sa positive number", numbers[i].key,
                                      numbers[i].value, numbers[i].may_be_zero ? "zero or " : "");
    if (validate && !nt_inertia_is_in_range(c->mass))
        return nt_load_refuse_key(run->model, e, "mass", error,
                                  "mass is %g kg/m, expected 1e-50 to 1e50 kg/m", c->mass);
    if (validate && refuse_stiff(run, e, c, error) != NT_OK)
        return NT_BAD_MODEL;
    for (int i = 0; i < c->n - 1; i++) {
        nt_body *body = &run->bodies[c->first_body + i];
        body->given = NT_GIVEN_MASS | NT_GIVEN_POSITION | NT_GIVEN_POINT;
        body->point = body->carried = 1;
    }
    return NT_OK;
}

/* What the ground holds below the bed, an anchor in the soil, pulls the line through the bed. It
 * may be as deep as a segment, within which a line cannot bend; if it is deeper, a height has the
 * wrong sign or counts from elsewhere. */
static nt_status refuse_buried(const nt_run *run, const nt_element *e, const nt_cable *c,
                               nt_error *error)
{
    size_t n = 2 * (size_t)nt_model_variable_count(run->model);
    double height, slope[2], deepest = c->length / c->n, *scratch = calloc(n, sizeof *scratch);
    nt_status status = scratch ? NT_OK : nt_fail(error, NT_NO_MEMORY, "out of memory");
    for (int i = 0; i < 2 && status == NT_OK; i++) {
        v3 end = v3_add(run->bodies[0].x0, c->offset[i]);
        bool is_held = c->between[i] == 0; /* the bed bears no such end: it needs no height there */
        if (!is_held || nt_cable_seabed(c, run, run->variables, scratch, end, &height, slope, NULL))
            continue;
        if (height - end.z > deepest)
            status = nt_load_refuse_key(
                run->model, e, "seabed.height", error,
                "the bed is at z = %g m where the ground holds the %s end at z = %g m, which is "
                "%.6g m below; expected at most %.6g m, a segment",
                height, i == 0 ? "first" : "second", end.z, height - end.z, deepest);
    }
    free(scratch);
    return status;
}

nt_status nt_cable_prepare(nt_run *run, const nt_element *e, bool validate, nt_error *error)
{
    nt_cable *c = nt_element_numbers(run, e);
    const nt_model *model = run->model;
    int number = (int)(e - model->elements);
    nt_status status = NT_OK;
    for (int i = 0; i < 2 && status == NT_OK; i++)
        if (c->given >> NT_CABLE_AT & 1)
            status =
                nt_load_point(run, e, &c->at[i], c->between[i], validate, &c->offset[i], error);
        else
            c->offset[i] = v3_neg(run->bodies[c->between[i]].reference);
    c->variable[0] = c->variable[1] = -1;
    int time = nt_model_time_variable(model); /* signals are behind it */
    for (int k = -1; k < model->n_signals; k++) {
        bool is_place = false; /* x or y of a place of this cable */
        if (k >= 0 && model->signals[k].kind >= 0) {
            const nt_quantity_kind *kind = &nt_quantity_kinds[model->signals[k].kind];
            is_place = kind->of == NT_OF_CABLE && kind->name[1] == '\0' &&
                       model->signals[k].object == number;
            if (is_place)
                c->variable[kind->name[0] == 'y'] = time + 1 + k;
        }
        if (!is_place && validate && c->seabed.height &&
            nt_expression_uses(c->seabed.height, time + 1 + k))
            return nt_load_refuse_key(model, e, "seabed.height", error,
                                      "the height of the seabed may depend on %s.x, %s.y and "
                                      "parameters alone",
                                      e->name, e->name);
    }
    return status == NT_OK && validate && c->seabed.height ? refuse_buried(run, e, c, error)
                                                           : status;
}
