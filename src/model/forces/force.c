/* A force on a point of a body, a function of time, parameters and signals.
 *
 * With the point at X from the reference point in body axes, rho = R X, and the value F in ground
 * axes, or R F in body axes:
 *
 *   residual      translation -F       rotation -(rho x F)
 *   body axes     dF = dtheta x F      d(rho x F) = dtheta x (rho x F)
 *   ground axes   dF = 0               d(rho x F) = (dtheta x rho) x F = F~ rho~ dtheta
 *   signals       dF = sum F_s ds, with the moment rho x F_s
 *   power         F . (v + w x rho) */
#include "model/elements.h"
#include "model/forces/load.h"

typedef struct nt_force {
    unsigned given;
    int part;
    int on;
    nt_place_of_point at;
    const nt_expression *value[3];
    int frame; /* 0 ground, 1 body */

    v3 offset; /* of the point from the reference point, body axes */
    nt_coupling coupling;
} nt_force;

enum { GIVEN_ON, GIVEN_AT, GIVEN_VALUE, GIVEN_FRAME };

static const char *const frames[] = {"ground", "body", NULL};

static const nt_key force_keys[] = {
    {.name = "on",
     .type = NT_KEY_BODY,
     .offset = offsetof(nt_force, on),
     .bit = GIVEN_ON,
     .required = true,
     .meaning = "the body that the force acts on"},
    {.name = "at",
     .type = NT_KEY_POINT,
     .offset = offsetof(nt_force, at),
     .bit = GIVEN_AT,
     .unit = "m",
     .meaning = "the body's point where it acts: ground axes at the given placement, or a marker "
                "of the body; default the body's origin"},
    {.name = "value",
     .type = NT_KEY_FUNCTIONS,
     .offset = offsetof(nt_force, value),
     .bit = GIVEN_VALUE,
     .high = 3,
     .required = true,
     .unit = "N",
     .meaning = "three functions of t, parameters and recorded quantities"},
    {.name = "frame",
     .type = NT_KEY_CHOICE,
     .offset = offsetof(nt_force, frame),
     .bit = GIVEN_FRAME,
     .choices = frames,
     .meaning = "axes of the value; default ground. Body: it turns with the body"},
    NT_KEY_PART(nt_force, part, NT_BIT_PART, "explicit"),
    {0},
};

static nt_status force_prepare(nt_run *run, const nt_element *element, bool validate,
                               nt_error *error)
{
    nt_force *force = nt_element_numbers(run, element);
    if (validate && force->on == 0)
        return nt_load_refuse(run->model, element, error, "it acts on the ground, expected a body");
    if (validate && force->frame && run->bodies[force->on].point)
        return nt_load_refuse(run->model, element, error,
                              "%s is a point and has no axes, expected frame: ground",
                              run->bodies[force->on].name);
    if (!(force->given >> GIVEN_AT & 1)) {
        force->offset = v3_neg(run->bodies[force->on].reference);
        return NT_OK;
    }
    return nt_load_point(run, element, &force->at, force->on, validate, &force->offset, error);
}

static nt_status force_declare(nt_model *model, nt_element *element)
{
    nt_force *force = nt_element_numbers(model->origin, element);
    unsigned rows = force->frame ? NT_MOTION_OF_B : NT_ROTATION_OF_B;
    nt_status status = nt_coupling_find(&force->coupling, model, element, force->value, 3);
    if (status == NT_OK)
        status = nt_load_declare(model, element, rows, NT_ROTATION_OF_B);
    return status == NT_OK ? nt_coupling_declare(&force->coupling, model, element, NT_MOTION_OF_B)
                           : status;
}

static void add_tangent(const nt_element *element, const nt_view *view, v3 F, v3 rho)
{
    const nt_force *force = nt_element_data(view->run, element);
    double k = view->terms->combination->stiffness;
    m3 R = view->motion[element->b].R;

    if (force->frame) {
        nt_view_add(view, NT_T_B, NT_R_B, m3_scale(k, m3_skew(F)));
        nt_view_add(view, NT_R_B, NT_R_B, m3_scale(k, m3_skew(v3_cross(rho, F))));
    } else {
        nt_view_add(view, NT_R_B, NT_R_B, m3_scale(-k, m3_skew_skew(F, rho)));
    }
    for (int i = 0; i < force->coupling.n; i++) {
        v3 slope = nt_coupling_slope(&force->coupling, view, i);
        v3 F_s = force->frame ? m3_apply(R, slope) : slope;
        v3 direction[NT_PAIR_NODES] = {
            [NT_T_B] = v3_neg(F_s),
            [NT_R_B] = v3_cross(F_s, rho),
        };
        nt_coupling_add(&force->coupling, view, i, direction);
    }
}

static nt_status force_evaluate(const nt_element *element, const nt_view *view)
{
    const nt_force *force = nt_element_data(view->run, element);
    double value[3];
    if (!view->energy && !(view->terms->parts & element->part))
        return NT_OK;
    nt_status status = nt_coupling_evaluate(&force->coupling, view, force->value, 3, value);
    if (status)
        return status;
    const nt_motion *motion = &view->motion[element->b];
    nt_spot spot = nt_spot_of(motion, force->offset);
    v3 F = force->frame ? m3_apply(motion->R, v3_load(value)) : v3_load(value);

    if (view->energy) {
        view->energy->power += v3_dot(F, spot.pdot);
        return NT_OK;
    }
    if (view->terms->residual) {
        nt_view_force(view, NT_T_B, v3_neg(F));
        nt_view_force(view, NT_R_B, v3_cross(F, spot.rho));
    }
    if (view->terms->matrix)
        add_tangent(element, view, F, spot.rho);
    return NT_OK;
}

static void reaction(const nt_element *element, const nt_view *view, v3 *force, v3 *torque)
{
    const nt_force *data = nt_element_data(view->run, element);
    double value[3];
    for (int i = 0; i < 3; i++)
        value[i] = nt_expression_value(data->value[i], view->variables);
    *force = data->frame ? m3_apply(view->motion[element->b].R, v3_load(value)) : v3_load(value);
    *torque = v3_of(0, 0, 0);
}

static void draw(const nt_run *run, const nt_element *element, nt_sketch_put *put, void *to)
{
    const nt_force *data = nt_element_data(run, element);
    nt_sketch sketch = {.drawing = NT_DRAW_FORCE};
    nt_sketch_add(&sketch, element->b, data->offset, v3_of(0, 0, 0));
    put(to, &sketch);
}

static void arrow(const nt_element *element, const nt_view *view, v3 *point, v3 *force)
{
    const nt_force *data = nt_element_data(view->run, element);
    v3 torque;
    *point = nt_spot_of(&view->motion[element->b], data->offset).p;
    reaction(element, view, force, &torque);
}

static bool depends_on_rates(const nt_run *run, const nt_element *element)
{
    const nt_force *data = nt_element_data(run, element);
    return nt_load_uses_rates(run->model, data->value, 3);
}

const nt_element_type nt_force_force = {
    .version = NT_ELEMENT_VERSION,
    .section = &nt_force_section,
    .name = "force",
    .summary = "a force on a point of a body",
    .keys = force_keys,
    .size = sizeof(nt_force),
    .part = NT_EXPLICIT,
    .proportional = true,
    .prepare = force_prepare,
    .declare = force_declare,
    .evaluate = force_evaluate,
    .is_load = true,
    .depends_on_rates = depends_on_rates,
    .reaction = reaction,
    .draw = draw,
    .arrow = arrow,
};
