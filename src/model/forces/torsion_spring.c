/* A torsion spring with a damper about the axis of a joint.
 *
 *   M = -(k (phi - phi0) + c phi')     moment along the axis on B, -M on A
 *   energy k (phi - phi0)^2 / 2, power of the damper -c phi'^2
 *
 * The angle phi of the joint is followed through any number of turns. */
#include "model/elements.h"
#include "model/forces/load.h"
#include "model/joints/joint.h"

typedef struct nt_torsion_spring {
    unsigned given;
    int part;
    int joint;
    double stiffness, damping, angle;
} nt_torsion_spring;

enum { GIVEN_JOINT, GIVEN_STIFFNESS, GIVEN_DAMPING, GIVEN_ANGLE };

static const nt_key keys[] = {
    {.name = "joint",
     .type = NT_KEY_JOINT,
     .offset = offsetof(nt_torsion_spring, joint),
     .bit = GIVEN_JOINT,
     .required = true,
     .meaning = "a joint with a free angle"},
    {.name = "stiffness",
     .type = NT_KEY_NUMBER,
     .offset = offsetof(nt_torsion_spring, stiffness),
     .bit = GIVEN_STIFFNESS,
     .unit = "N m/rad",
     .meaning = "moment per angle; default 0"},
    {.name = "damping",
     .type = NT_KEY_NUMBER,
     .offset = offsetof(nt_torsion_spring, damping),
     .bit = GIVEN_DAMPING,
     .unit = "N m s/rad",
     .meaning = "moment per rate of the angle; default 0"},
    {.name = "angle",
     .type = NT_KEY_NUMBER,
     .offset = offsetof(nt_torsion_spring, angle),
     .bit = GIVEN_ANGLE,
     .unit = "rad",
     .meaning = "free angle; default 0, the angle at the given placement"},
    NT_KEY_PART(nt_torsion_spring, part, NT_BIT_PART, "implicit"),
    {0},
};

static nt_status prepare(nt_run *run, const nt_element *element, bool validate, nt_error *error)
{
    const nt_torsion_spring *spring = nt_element_data(run, element);
    if (validate && spring->damping < 0)
        return nt_load_refuse(run->model, element, error, "damping %g is negative",
                              spring->damping);
    if (validate && !(spring->given & (1u << GIVEN_STIFFNESS | 1u << GIVEN_DAMPING)))
        return nt_load_refuse(run->model, element, error,
                              "it has neither stiffness nor damping, expected one or both");
    return nt_load_on_joint(run, element, spring->joint, false, validate, error);
}

static nt_status declare(nt_model *model, nt_element *element)
{
    return nt_load_declare(model, element, NT_BOTH_ROTATIONS, NT_BOTH_ROTATIONS);
}

/* The load's gradient: ds/dq = -(k dphi/dq + c dphi'/dq), ds/dv = -c dphi/dq. */
static nt_axis_load load_of(double k, double c, double s, const nt_coordinate *phi)
{
    return (nt_axis_load){
        .s = s,
        .s_ra = v3_sub(v3_scale(-k, phi->ra), v3_scale(c, phi->rate_ra)),
        .s_rb = v3_sub(v3_scale(-k, phi->rb), v3_scale(c, phi->rate_rb)),
        .s_wa = v3_scale(-c, phi->ra),
        .s_wb = v3_scale(-c, phi->rb),
    };
}

static nt_status evaluate(const nt_element *element, const nt_view *view)
{
    const nt_torsion_spring *spring = nt_element_data(view->run, element);
    if (!view->energy && !(view->terms->parts & element->part))
        return NT_OK;
    const nt_element *joint = &view->model->elements[spring->joint];
    nt_coordinate phi = nt_joint_coordinate(joint, view, false);
    double k = spring->stiffness, c = spring->damping, wound = phi.value - spring->angle;

    if (view->energy) {
        view->energy->potential += 0.5 * k * wound * wound;
        view->energy->power -= c * phi.rate * phi.rate;
        return NT_OK;
    }
    nt_axis_load load = load_of(k, c, -(k * wound + c * phi.rate), &phi);
    nt_axis_load_add(joint, view, &load);
    return NT_OK;
}

static bool depends_on_rates(const nt_run *run, const nt_element *element)
{
    const nt_torsion_spring *data = nt_element_data(run, element);
    return data->damping != 0;
}

const nt_element_type nt_force_torsion_spring = {
    .version = NT_ELEMENT_VERSION,
    .section = &nt_force_section,
    .name = "torsion_spring",
    .summary = "a spring with a damper about the axis of a joint",
    .keys = keys,
    .size = sizeof(nt_torsion_spring),
    .part = NT_IMPLICIT,
    .prepare = prepare,
    .declare = declare,
    .evaluate = evaluate,
    .depends_on_rates = depends_on_rates,
};
