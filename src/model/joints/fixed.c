/* Fixed joint: B does not move relative to A.
 *
 *   C = (p_A - p_B, e1 . f2, e2 . f3, e3 . f1) */
#include "model/elements.h"
#include "model/joints/joint.h"

static const nt_row_spec fixed_row_specs[] = {
    {NT_ROW_COINCIDE, 0, 0},
    {NT_ROW_PERPENDICULAR, 0, 1},
    {NT_ROW_PERPENDICULAR, 1, 2},
    {NT_ROW_PERPENDICULAR, 2, 0},
};

static nt_status fixed_prepare(nt_run *run, const nt_element *element, bool validate,
                               nt_error *error)
{
    return nt_joint_prepare(run, element, fixed_row_specs,
                            (int)(sizeof fixed_row_specs / sizeof fixed_row_specs[0]), validate,
                            error);
}

const nt_element_type nt_joint_fixed = {
    .name = "fixed",
    .summary = "holds B to A",
    .picture = "    A ====[]==== B          nothing is free\n",
    .keys = nt_joint_point_keys,
    .prepare = fixed_prepare,
    .drawing = NT_DRAW_WELD,
    NT_JOINT_SLOTS,
};
