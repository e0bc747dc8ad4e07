/* A torque on a body, a function of time, parameters and signals.
 *
 * With the value M in ground axes, or R M in body axes:
 *
 *   residual      rotation -M
 *   body axes     dM = dtheta x M
 *   signals       dM = sum M_s ds
 *   power         M . w */
#include "model/bodies/mass_point.h"
#include "model/elements.h"
#include "model/forces/load.h"

typedef struct nt_torque {
    unsigned given;
    int part;
    int on;
    const nt_expression *value[3];
    int frame; /* 0 ground, 1 body */

    nt_coupling coupling;
} nt_torque;

enum { GIVEN_ON, GIVEN_VALUE, GIVEN_FRAME };

static const char *const frames[] = {"ground", "body", NULL};

static const nt_key torque_keys[] = {
    {.name = "on",
     .type = NT_KEY_BODY,
     .offset = offsetof(nt_torque, on),
     .bit = GIVEN_ON,
     .required = true,
     .meaning = "the body that the torque acts on"},
    {.name = "value",
     .type = NT_KEY_FUNCTIONS,
     .offset = offsetof(nt_torque, value),
     .bit = GIVEN_VALUE,
     .high = 3,
     .required = true,
     .unit = "N m",
     .meaning = "three functions of t, parameters and recorded quantities"},
    {.name = "frame",
     .type = NT_KEY_CHOICE,
     .offset = offsetof(nt_torque, frame),
     .bit = GIVEN_FRAME,
     .choices = frames,
     .meaning = "axes of the value; default ground. Body: it turns with the body"},
    NT_KEY_PART(nt_torque, part, NT_BIT_PART, "explicit"),
    {0},
};

static nt_status torque_prepare(nt_run *run, const nt_element *element, bool validate,
                                nt_error *error)
{
    const nt_torque *torque = nt_element_data(run, element);
    if (validate && torque->on == 0)
        return nt_load_refuse(run->model, element, error, "it acts on the ground, expected a body");
    return nt_mass_point_refuse(run->model, element, error);
}

static nt_status torque_declare(nt_model *model, nt_element *element)
{
    nt_torque *torque = nt_element_numbers(model->origin, element);
    unsigned rows = torque->frame ? NT_ROTATION_OF_B : 0;
    nt_status status = nt_coupling_find(&torque->coupling, model, element, torque->value, 3);
    if (status == NT_OK)
        status = nt_load_declare(model, element, rows, NT_ROTATION_OF_B);
    return status == NT_OK
               ? nt_coupling_declare(&torque->coupling, model, element, NT_ROTATION_OF_B)
               : status;
}

static void add_tangent(const nt_element *element, const nt_view *view, v3 M)
{
    const nt_torque *torque = nt_element_data(view->run, element);
    double k = view->terms->combination->stiffness;
    m3 R = view->motion[element->b].R;

    if (torque->frame)
        nt_view_add(view, NT_R_B, NT_R_B, m3_scale(k, m3_skew(M)));
    for (int i = 0; i < torque->coupling.n; i++) {
        v3 slope = nt_coupling_slope(&torque->coupling, view, i);
        v3 M_s = torque->frame ? m3_apply(R, slope) : slope;
        v3 direction[NT_PAIR_NODES] = {[NT_R_B] = v3_neg(M_s)};
        nt_coupling_add(&torque->coupling, view, i, direction);
    }
}

static nt_status torque_evaluate(const nt_element *element, const nt_view *view)
{
    const nt_torque *torque = nt_element_data(view->run, element);
    double value[3];
    if (!view->energy && !(view->terms->parts & element->part))
        return NT_OK;
    nt_status status = nt_coupling_evaluate(&torque->coupling, view, torque->value, 3, value);
    if (status)
        return status;
    const nt_motion *motion = &view->motion[element->b];
    v3 M = torque->frame ? m3_apply(motion->R, v3_load(value)) : v3_load(value);

    if (view->energy) {
        view->energy->power += v3_dot(M, motion->w);
        return NT_OK;
    }
    if (view->terms->residual)
        nt_view_force(view, NT_R_B, v3_neg(M));
    if (view->terms->matrix)
        add_tangent(element, view, M);
    return NT_OK;
}

static void reaction(const nt_element *element, const nt_view *view, v3 *force, v3 *torque)
{
    const nt_torque *data = nt_element_data(view->run, element);
    double value[3];
    for (int i = 0; i < 3; i++)
        value[i] = nt_expression_value(data->value[i], view->variables);
    *torque = data->frame ? m3_apply(view->motion[element->b].R, v3_load(value)) : v3_load(value);
    *force = v3_of(0, 0, 0);
}

/* At the reference point: a torque acts nowhere in particular. */
static void draw(const nt_run *run, const nt_element *element, nt_sketch_put *put, void *to)
{
    (void)run;
    nt_sketch sketch = {.drawing = NT_DRAW_TORQUE};
    nt_sketch_add(&sketch, element->b, v3_of(0, 0, 0), v3_of(0, 0, 0));
    put(to, &sketch);
}

static void arrow(const nt_element *element, const nt_view *view, v3 *point, v3 *torque)
{
    v3 force;
    *point = view->motion[element->b].x;
    reaction(element, view, &force, torque);
}

static bool depends_on_rates(const nt_run *run, const nt_element *element)
{
    const nt_torque *data = nt_element_data(run, element);
    return nt_load_uses_rates(run->model, data->value, 3);
}

const nt_element_type nt_force_torque = {
    .version = NT_ELEMENT_VERSION,
    .section = &nt_force_section,
    .name = "torque",
    .summary = "a torque on a body",
    .keys = torque_keys,
    .size = sizeof(nt_torque),
    .part = NT_EXPLICIT,
    .proportional = true,
    .prepare = torque_prepare,
    .declare = torque_declare,
    .evaluate = torque_evaluate,
    .is_load = true,
    .depends_on_rates = depends_on_rates,
    .reaction = reaction,
    .draw = draw,
    .arrow = arrow,
};
