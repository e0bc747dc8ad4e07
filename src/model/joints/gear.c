/* Gear: the angle of one joint follows that of another.
 *
 *   C = phi_1 - ratio phi_2
 *
 * with the free angles of two joints, counted from the placement and through any number of turns.
 * The multiplier lambda acts as a moment -lambda along the first joint's axis and ratio lambda
 * along the second's, each between the bodies of its joint. A rack is no gear: the joints need
 * angles. */
#include "model/elements.h"
#include "model/forces/load.h"
#include "model/joints/joint_keys.h"
#include "model/joints/joint_rows.h"

typedef struct nt_gear {
    nt_joint joint; /* first: `given`, `active`, and where memory says whether it holds */
    int joints[2];
    double ratio;

    int port[2][2]; /* of the translations of A and B of each joint */
} nt_gear;

static const nt_key gear_keys[] = {
    NT_KEY("joints", NT_KEY_JOINTS, .offset = offsetof(nt_gear, joints), .bit = 0, .required = true,
           .meaning = "two joints [J1, J2] with a free angle"),
    NT_KEY("ratio", NT_KEY_NUMBER, .offset = offsetof(nt_gear, ratio), .bit = 1, .required = true,
           .meaning =
               "angle of J1 over angle of J2, negative for wheels that turn against each other"),
    NT_JOINT_KEY_ACTIVE,
    {.name = NULL},
};

/* No coordinate is free that a latch could lock. */
static const nt_row_spec no_freedom = {NT_ROW_COINCIDE, 0, 0};

static const nt_joint *gear_joint(const nt_run *run, const nt_element *element)
{
    return &((const nt_gear *)nt_element_data(run, element))->joint;
}

static int gear_rows(const nt_model *model, const nt_element *element)
{
    (void)model, (void)element;
    return 1;
}

static nt_quantity gear_row_quantity(const nt_model *model, const nt_element *element, int row)
{
    (void)model, (void)element, (void)row;
    return NT_ANGLE;
}

static const char *gear_row_name(const nt_model *model, const nt_element *element, int row)
{
    (void)model, (void)element, (void)row;
    return "ratio of its angles";
}

static nt_status gear_prepare(nt_run *run, const nt_element *element, bool validate,
                              nt_error *error)
{
    const nt_gear *gear = nt_element_data(run, element);
    nt_status status = NT_OK;
    for (int i = 0; i < 2 && status == NT_OK; i++)
        status = nt_load_on_joint(run, element, gear->joints[i], false, validate, error);
    if (status == NT_OK && validate && gear->ratio == 0)
        return nt_load_refuse(run->model, element, error, "ratio is 0, expected another number");
    return status;
}

static nt_status gear_declare(nt_model *model, nt_element *element)
{
    nt_gear *gear = nt_element_numbers(model->origin, element);
    nt_status status = NT_OK;
    gear->joint.specs = &no_freedom;
    gear->joint.n_specs = 1;
    for (int i = 0; i < 2; i++) {
        const nt_element *joint = &model->elements[gear->joints[i]];
        gear->port[i][0] = nt_element_port_of_body(model, element, joint->a);
        gear->port[i][1] = nt_element_port_of_body(model, element, joint->b);
        if (gear->port[i][0] < 0 || gear->port[i][1] < 0)
            return NT_NO_MEMORY;
    }
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 4; k++) {
            int port = gear->port[i][k / 2] + k % 2;
            if (status == NT_OK)
                status = nt_element_couple(model, element, NT_ROWS, port, NT_FULL);
            if (status == NT_OK)
                status = nt_element_couple(model, element, port, NT_ROWS, NT_FULL);
            for (int l = 0; l < 4 && status == NT_OK; l++)
                status =
                    nt_element_couple(model, element, port, gear->port[i][l / 2] + l % 2, NT_FULL);
        }
    return status;
}

/* The view in which the bodies of a joint stand for A and B. */
static nt_view view_of(const nt_view *view, const nt_gear *gear, int i)
{
    nt_view seen = *view;
    seen.pair[0] = gear->port[i][0], seen.pair[1] = gear->port[i][1];
    return seen;
}

static nt_status gear_evaluate(const nt_element *element, const nt_view *view)
{
    const nt_gear *gear = nt_element_data(view->run, element);
    const nt_terms *terms = view->terms;
    if (view->energy) /* what one joint loses the other one gains */
        return NT_OK;
    double lambda = view->lambda ? view->lambda[element->first_row] : 0, value = 0;
    for (int i = 0; i < 2; i++) {
        const nt_element *joint = &view->model->elements[gear->joints[i]];
        double factor = i == 0 ? 1 : -gear->ratio;
        nt_view seen = view_of(view, gear, i);
        joint_row row;
        nt_joint_coordinate_row(joint, &seen, false, terms->level, &row);
        row = joint_row_scaled(factor, &row);
        value += row.value;
        if (terms->matrix)
            nt_joint_add_row_blocks(joint, &seen, &row, 0);
        if ((terms->residual || terms->matrix) && (terms->parts & NT_REACTIONS)) {
            nt_axis_load load = {.s = -factor * lambda};
            nt_axis_load_add(joint, &seen, &load);
        }
    }
    if (terms->rows) /* the placement, whatever it is assembled to, is where angles begin */
        terms->rows[element->first_row] =
            terms->level == NT_POSITION && !view->at->memory ? 0 : value;
    return NT_OK;
}

/* Force and torque on the second body of the first joint. */
static void gear_reaction(const nt_element *element, const nt_view *view, v3 *force, v3 *torque)
{
    const nt_gear *gear = nt_element_data(view->run, element);
    const nt_element *first = &view->model->elements[gear->joints[0]];
    const nt_joint *joint = nt_element_as_joint(view->run, first);
    v3 axis = m3_apply(view->motion[first->a].R, joint->e[2]);
    *force = v3_of(0, 0, 0);
    *torque = v3_scale(-view->lambda[element->first_row], axis);
}

static v3 site(const nt_run *run, const nt_element *element)
{
    const nt_gear *gear = nt_element_data(run, element);
    return nt_joint_site(run, &run->model->elements[gear->joints[0]]);
}

static bool does_work(const nt_model *model, const nt_element *element)
{
    (void)model, (void)element;
    return false;
}

const nt_element_type nt_joint_gear = {
    .version = NT_ELEMENT_VERSION,
    .section = &nt_joint_section,
    .name = "gear",
    .summary = "the angle of one joint follows that of another",
    .picture =
        "      ,-> angle 1           angle 1 = ratio * angle 2, about the axes of two joints\n"
        "     (+)(+)  angle 2\n",
    .keys = gear_keys,
    .size = sizeof(nt_gear),
    .part = NT_IMPLICIT,
    .rows = gear_rows,
    .prepare = gear_prepare,
    .declare = gear_declare,
    .evaluate = gear_evaluate,
    .row_quantity = gear_row_quantity,
    .row_name = gear_row_name,
    .reaction = gear_reaction,
    .site = site,
    .does_work = does_work,
    .as_rolling = gear_joint,
};
