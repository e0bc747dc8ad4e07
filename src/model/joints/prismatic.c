/* Prismatic joint: B slides along an axis fixed in A without turning.
 *
 *   C = (e1 . d, e2 . d, e1 . f2, e2 . f3, e3 . f1),  d = p_B - p_A;  free: the displacement e3 . d
 */
#include "model/elements.h"
#include "model/joints/joint.h"

static const nt_row_spec prismatic_row_specs[] = {
    {NT_ROW_ALONG, 0, 0},         {NT_ROW_ALONG, 1, 0},         {NT_ROW_PERPENDICULAR, 0, 1},
    {NT_ROW_PERPENDICULAR, 1, 2}, {NT_ROW_PERPENDICULAR, 2, 0},
};

static nt_status prismatic_prepare(nt_run *run, const nt_element *element, bool validate,
                                   nt_error *error)
{
    return nt_joint_prepare(run, element, prismatic_row_specs,
                            (int)(sizeof prismatic_row_specs / sizeof prismatic_row_specs[0]),
                            validate, error);
}

const nt_element_type nt_joint_prismatic = {
    .name = "prismatic",
    .summary = "a slider: B moves along an axis of A",
    .picture = "    A ==[====]==> axis      displacement: of B's point from A's along the axis\n"
               "          B                 B does not turn against A\n",
    .keys = nt_joint_moving_keys,
    .slides = true,
    .prepare = prismatic_prepare,
    .drawing = NT_DRAW_RAIL,
    NT_JOINT_SLOTS,
};
