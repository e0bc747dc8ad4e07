/* A motor in a joint: a moment along its axis, or a force, a function of time, parameters and
 * signals.
 *
 *   joint_torque   moment s e3 on B, -s e3 on A                    power s phi'
 *   joint_force    force s e3 on B and -s e3 on A, both at p_B     power s (displacement)'
 *
 * The tangent of these at constant s is that of nt_axis_load_add; through the signals of s the
 * residual changes along the same forces. */
#include "model/elements.h"
#include "model/forces/load.h"
#include "model/joints/joint.h"

typedef struct nt_motor {
    unsigned given;
    int part;
    int joint;
    const nt_expression *value;

    nt_coupling coupling;
} nt_motor;

enum { GIVEN_JOINT, GIVEN_VALUE };

#define MOTOR_KEYS(coordinate, unit_, load)                                                        \
    {.name = "joint",                                                                              \
     .type = NT_KEY_JOINT,                                                                         \
     .offset = offsetof(nt_motor, joint),                                                          \
     .bit = GIVEN_JOINT,                                                                           \
     .required = true,                                                                             \
     .meaning = "a joint with a free " coordinate},                                                \
        {.name = "value",                                                                          \
         .type = NT_KEY_FUNCTION,                                                                  \
         .offset = offsetof(nt_motor, value),                                                      \
         .bit = GIVEN_VALUE,                                                                       \
         .required = true,                                                                         \
         .unit = unit_,                                                                            \
         .meaning = load " the axis, the opposite on A: a function of t, parameters and "          \
                         "recorded quantities"},                                                   \
        NT_KEY_PART(nt_motor, part, NT_BIT_PART, "explicit")

static const nt_key torque_keys[] = {MOTOR_KEYS("angle", "N m", "moment on B about"), {0}};
static const nt_key force_keys[] = {MOTOR_KEYS("displacement", "N", "force on B along"), {0}};
#undef MOTOR_KEYS

static bool is_force(const nt_element *element) { return element->type == &nt_force_joint_force; }

static nt_status prepare(nt_run *run, const nt_element *element, bool validate, nt_error *error)
{
    const nt_motor *motor = nt_element_data(run, element);
    return nt_load_on_joint(run, element, motor->joint, is_force(element), validate, error);
}

static nt_status declare(nt_model *model, nt_element *element)
{
    nt_motor *motor = nt_element_numbers(model->origin, element);
    unsigned nodes = is_force(element) ? NT_BOTH_MOTIONS : NT_BOTH_ROTATIONS;
    nt_status status = nt_coupling_find(&motor->coupling, model, element, &motor->value, 1);
    if (status == NT_OK)
        status = nt_load_declare(model, element, nodes, nodes);
    return status == NT_OK ? nt_coupling_declare(&motor->coupling, model, element, nodes) : status;
}

/* The residual of each node for s = 1. */
static void directions(const nt_element *joint_element, const nt_view *view, bool force,
                       v3 direction[NT_PAIR_NODES])
{
    const nt_joint *joint = nt_joint_of(view->run, joint_element);
    const nt_motion *A = &view->motion[joint_element->a], *B = &view->motion[joint_element->b];
    v3 axis = m3_apply(A->R, joint->e[2]);

    for (int i = 0; i < NT_PAIR_NODES; i++)
        direction[i] = v3_of(0, 0, 0);
    if (force) {
        nt_spot on_b = nt_spot_of(B, joint->point_b);
        direction[NT_T_A] = axis;
        direction[NT_R_A] = v3_cross(v3_sub(on_b.p, A->x), axis);
        direction[NT_T_B] = v3_neg(axis);
        direction[NT_R_B] = v3_cross(axis, on_b.rho);
    } else {
        direction[NT_R_A] = axis;
        direction[NT_R_B] = v3_neg(axis);
    }
}

static nt_status evaluate(const nt_element *element, const nt_view *view)
{
    const nt_motor *motor = nt_element_data(view->run, element);
    const nt_coupling *coupling = &motor->coupling;
    if (!view->energy && !(view->terms->parts & element->part))
        return NT_OK;
    const nt_element *joint = &view->model->elements[motor->joint];
    bool force = is_force(element);
    double s;
    nt_status status = nt_coupling_evaluate(coupling, view, &motor->value, 1, &s);
    if (status)
        return status;

    if (view->energy) {
        view->energy->power += s * nt_joint_coordinate(joint, view, force).rate;
        return NT_OK;
    }
    nt_axis_load load = {.translation = force, .s = s};
    nt_axis_load_add(joint, view, &load);
    if (view->terms->matrix && coupling->n > 0) {
        v3 along[NT_PAIR_NODES];
        directions(joint, view, force, along);
        for (int k = 0; k < coupling->n; k++) {
            v3 direction[NT_PAIR_NODES];
            for (int i = 0; i < NT_PAIR_NODES; i++)
                direction[i] = v3_scale(view->scratch[k], along[i]);
            nt_coupling_add(coupling, view, k, direction);
        }
    }
    return NT_OK;
}

static bool depends_on_rates(const nt_run *run, const nt_element *element)
{
    const nt_motor *data = nt_element_data(run, element);
    return nt_load_uses_rates(run->model, &data->value, 1);
}

const nt_element_type nt_force_joint_torque = {
    .version = NT_ELEMENT_VERSION,
    .section = &nt_force_section,
    .name = "joint_torque",
    .summary = "a moment about the axis of a joint, between its bodies",
    .keys = torque_keys,
    .size = sizeof(nt_motor),
    .part = NT_EXPLICIT,
    .prepare = prepare,
    .declare = declare,
    .evaluate = evaluate,
    .is_load = true,
    .depends_on_rates = depends_on_rates,
};

const nt_element_type nt_force_joint_force = {
    .version = NT_ELEMENT_VERSION,
    .section = &nt_force_section,
    .name = "joint_force",
    .summary = "a force along the axis of a joint, between its bodies",
    .keys = force_keys,
    .size = sizeof(nt_motor),
    .part = NT_EXPLICIT,
    .prepare = prepare,
    .declare = declare,
    .evaluate = evaluate,
    .is_load = true,
    .depends_on_rates = depends_on_rates,
};
