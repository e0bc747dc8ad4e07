/* Screw: a cylindrical joint whose displacement follows its angle.
 *
 *   C = (the rows of the cylindrical joint, x - x_0 - pitch/(2 pi) phi)
 *
 * with the displacement x and the angle phi of B along and about A's axis, counted from the
 * placement and through any number of turns. A positive pitch is a right-hand thread. The
 * multiplier lambda of the last row acts as a force -lambda along the axis and a moment pitch/(2
 * pi) lambda about it. */
#include "model/elements.h"
#include "model/forces/load.h"
#include "model/joints/joint_keys.h"
#include "model/joints/joint_rows.h"

typedef struct nt_screw {
    nt_joint joint;
    double pitch; /* m per turn */
    double begin; /* m, displacement at the placement, where the angle is zero */
} nt_screw;

enum { GIVEN_PITCH = 28 }; /* a bit that no other joint's key has */

static const nt_key screw_keys[] = {
    NT_JOINT_FREE_KEYS,
    NT_KEY("pitch", NT_KEY_NUMBER, .offset = offsetof(nt_screw, pitch), .bit = GIVEN_PITCH,
           .required = true, .unit = "m",
           .meaning = "displacement per turn; positive for a right-hand thread"),
    {.name = NULL},
};

static const double TURN = 6.283185307179586476925286766559;

static const nt_row_spec screw_row_specs[] = {
    {NT_ROW_ALONG, 0, 0},
    {NT_ROW_ALONG, 1, 0},
    {NT_ROW_PERPENDICULAR, 0, 2},
    {NT_ROW_PERPENDICULAR, 1, 2},
};

/* The row of the thread is the last one, whether the others are enforced by multipliers or by
 * penalty. */
static int screw_rows(const nt_model *model, const nt_element *element)
{
    return nt_joint_rows(model, element) + 1;
}

static nt_quantity screw_row_quantity(const nt_model *model, const nt_element *element, int row)
{
    bool own = row == element->n_rows - 1;
    return own ? NT_LENGTH : nt_joint_row_quantity(model, element, row);
}

static const char *screw_row_name(const nt_model *model, const nt_element *element, int row)
{
    bool own = row == element->n_rows - 1;
    return own ? "displacement by its thread" : nt_joint_row_name(model, element, row);
}

static nt_status screw_prepare(nt_run *run, const nt_element *element, bool validate,
                               nt_error *error)
{
    nt_screw *screw = nt_element_numbers(run, element);
    screw->joint.threaded = true;
    if (validate && screw->pitch == 0)
        return nt_load_refuse(run->model, element, error,
                              "pitch is 0, expected another number (a revolute joint has none)");
    return nt_joint_prepare(run, element, screw_row_specs,
                            (int)(sizeof screw_row_specs / sizeof screw_row_specs[0]), validate,
                            error);
}

/* Multipliers and forces couple everything. */
static nt_status screw_declare(nt_model *model, nt_element *element)
{
    nt_joint *joint = nt_element_numbers(model->origin, element);
    nt_status status = NT_OK;
    if (joint->side) /* of friction that sticks; its ports come first */
        status = nt_coupling_find(&joint->sides, model, element, &joint->side, 1);
    for (int i = 0; i <= NT_ROWS; i++)
        for (int j = 0; j <= NT_ROWS && status == NT_OK; j++)
            if (i != NT_ROWS || j != NT_ROWS)
                status = nt_element_couple(model, element, i, j, NT_FULL);
    if (joint->side && status == NT_OK)
        status = nt_coupling_declare(&joint->sides, model, element, NT_BOTH_MOTIONS);
    return status;
}

static void add_thread(const nt_element *element, const nt_view *view)
{
    const nt_screw *screw = nt_element_data(view->run, element);
    const nt_terms *terms = view->terms;
    int own = element->n_rows - 1;
    double lambda = view->lambda ? view->lambda[element->first_row + own] : 0, value = 0;
    for (int i = 0; i < 2; i++) {
        bool translation = i == 0;
        double factor = translation ? 1 : -screw->pitch / TURN;
        joint_row row;
        nt_joint_coordinate_row(element, view, translation, terms->level, &row);
        row = joint_row_scaled(factor, &row);
        value += row.value;
        if (terms->matrix)
            nt_joint_add_row_blocks(element, view, &row, own);
        if ((terms->residual || terms->matrix) && (terms->parts & NT_REACTIONS)) {
            nt_axis_load load = {.translation = translation, .s = -factor * lambda};
            nt_axis_load_add(element, view, &load);
        }
    }
    if (terms->level == NT_POSITION) /* wherever it is assembled to is where the thread begins */
        value = view->at->memory ? value - screw->begin : 0;
    if (terms->rows)
        terms->rows[element->first_row + own] = value;
}

static nt_status screw_evaluate(const nt_element *element, const nt_view *view)
{
    nt_status status = nt_joint_evaluate(element, view);
    if (status == NT_OK && !view->energy)
        add_thread(element, view);
    return status;
}

static void align(nt_run *run, const nt_element *element)
{
    nt_screw *screw = nt_element_numbers(run, element);
    const nt_joint *joint = &screw->joint;
    v3 d = v3_sub(nt_load_ground_point(run, element->b, joint->point_b),
                  nt_load_ground_point(run, element->a, joint->point_a));
    nt_joint_align(run, element);
    screw->begin = v3_dot(d, m3_apply(quat_matrix(run->bodies[element->a].q0), joint->e[2]));
}

static void screw_reaction(const nt_element *element, const nt_view *view, v3 *force, v3 *torque)
{
    const nt_screw *screw = nt_element_data(view->run, element);
    double lambda = view->lambda[element->first_row + element->n_rows - 1];
    v3 axis = m3_apply(view->motion[element->a].R, screw->joint.e[2]);
    nt_joint_reaction(element, view, force, torque);
    *force = v3_axpy(-lambda, axis, *force);
    *torque = v3_axpy(screw->pitch / TURN * lambda, axis, *torque);
}

const nt_element_type nt_joint_screw = {
    .version = NT_ELEMENT_VERSION,
    .section = &nt_joint_section,
    .name = "screw",
    .summary = "a nut on a thread: B slides along an axis of A as it turns about it",
    .picture = "          ,-> angle         displacement = pitch * angle / (2 pi)\n"
               "    A ==/////==> axis       one turn moves B by the pitch\n"
               "          B\n",
    .keys = screw_keys,
    .size = sizeof(nt_screw),
    .part = NT_IMPLICIT,
    .rotates = true,
    .slides = true,
    .rows = screw_rows,
    .prepare = screw_prepare,
    .declare = screw_declare,
    .evaluate = screw_evaluate,
    .depends_on_rates = nt_joint_depends_on_rates,
    .n_memory = 3,
    .accept = nt_joint_accept,
    .row_quantity = screw_row_quantity,
    .row_name = screw_row_name,
    .reaction = screw_reaction,
    .as_joint = nt_joint_of,
    .site = nt_joint_site,
    .align = align,
    .is_smooth = nt_joint_is_smooth,
    .onsets = nt_joint_onsets,
    .does_work = nt_joint_does_work,
    .drawing = NT_DRAW_SCREW,
    .draw = nt_joint_draw,
};
