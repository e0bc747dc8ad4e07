/* Inline joint: a point of B stays on a line of A; all rotations are free.
 *
 *   C = (e1 . d, e2 . d) */
#include "model/elements.h"
#include "model/joints/joint.h"

static const nt_row_spec inline_row_specs[] = {
    {NT_ROW_ALONG, 0, 0},
    {NT_ROW_ALONG, 1, 0},
};

static nt_status inline_prepare(nt_run *run, const nt_element *element, bool validate,
                                nt_error *error)
{
    return nt_joint_prepare(run, element, inline_row_specs,
                            (int)(sizeof inline_row_specs / sizeof inline_row_specs[0]), validate,
                            error);
}

const nt_element_type nt_joint_inline = {
    .name = "inline",
    .summary = "a point of B stays on a line of A",
    .picture = "    A ----o------> axis     B's point stays on the line of A; B turns freely\n"
               "          B\n",
    .keys = nt_joint_axis_keys,
    .prepare = inline_prepare,
    .drawing = NT_DRAW_GUIDE,
    NT_JOINT_SLOTS,
};
