/* Inline joint: a point of B stays on a line of A; all rotations are free.
 *
 *   C = (e1 . d, e2 . d) */
#include "model/elements.h"
#include "model/joint.h"

static const nt_row_spec specs[] = {
    {NT_ROW_ALONG, 0, 0},
    {NT_ROW_ALONG, 1, 0},
};

static nt_status prepare(nt_model *model, nt_element *element, bool validate, nt_error *error)
{
    return nt_joint_prepare(model, element, specs, (int)(sizeof specs / sizeof specs[0]), validate,
                            error);
}

const nt_element_type nt_joint_inline = {
    .section = "joints",
    .name = "inline",
    .summary = "a point of B stays on a line of A",
    .keys = nt_joint_axis_keys,
    .size = sizeof(nt_joint),
    .rows = nt_joint_rows,
    .prepare = prepare,
    .declare = nt_joint_declare,
    .evaluate = nt_joint_evaluate,
    .depends_on_rates = nt_joint_depends_on_rates,
    .row_quantity = nt_joint_row_quantity,
    .row_name = nt_joint_row_name,
    .reaction = nt_joint_reaction,
};
