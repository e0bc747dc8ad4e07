/* Cylindrical joint: B slides along an axis fixed in A and turns about it.
 *
 *   C = (e1 . d, e2 . d, e1 . f3, e2 . f3);  free: angle and displacement
 *
 * Friction and limits act on the displacement. */
#include "model/elements.h"
#include "model/joints/joint.h"

static const nt_row_spec cylindrical_row_specs[] = {
    {NT_ROW_ALONG, 0, 0},
    {NT_ROW_ALONG, 1, 0},
    {NT_ROW_PERPENDICULAR, 0, 2},
    {NT_ROW_PERPENDICULAR, 1, 2},
};

static nt_status cylindrical_prepare(nt_run *run, const nt_element *element, bool validate,
                                     nt_error *error)
{
    return nt_joint_prepare(run, element, cylindrical_row_specs,
                            (int)(sizeof cylindrical_row_specs / sizeof cylindrical_row_specs[0]),
                            validate, error);
}

const nt_element_type nt_joint_cylindrical = {
    .name = "cylindrical",
    .summary = "B slides along an axis of A and turns about it",
    .picture =
        "          ,-> angle\n"
        "    A ==(====)==> axis      displacement along the axis, angle right-handed about it\n"
        "          B\n",
    .keys = nt_joint_free_keys,
    .rotates = true,
    .slides = true,
    .prepare = cylindrical_prepare,
    .n_memory = 3,
    .accept = nt_joint_accept,
    .drawing = NT_DRAW_SLEEVE,
    NT_JOINT_SLOTS,
};
