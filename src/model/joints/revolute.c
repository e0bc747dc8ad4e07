/* Revolute joint: B turns about an axis fixed in A.
 *
 *   C = (p_A - p_B, e1 . f3, e2 . f3);  free: the angle of f1 from e1 about e3 */
#include "model/elements.h"
#include "model/joints/joint.h"

static const nt_row_spec revolute_row_specs[] = {
    {NT_ROW_COINCIDE, 0, 0},
    {NT_ROW_PERPENDICULAR, 0, 2},
    {NT_ROW_PERPENDICULAR, 1, 2},
};

static nt_status revolute_prepare(nt_run *run, const nt_element *element, bool validate,
                                  nt_error *error)
{
    return nt_joint_prepare(run, element, revolute_row_specs,
                            (int)(sizeof revolute_row_specs / sizeof revolute_row_specs[0]),
                            validate, error);
}

const nt_element_type nt_joint_revolute = {
    .name = "revolute",
    .summary = "a hinge: B turns about an axis of A",
    .picture = "          ^ axis\n"
               "          |  ,-> angle      right-handed about the axis, of B against A\n"
               "    A ---(|)---- B\n",
    .keys = nt_joint_moving_keys,
    .rotates = true,
    .prepare = revolute_prepare,
    .n_memory = 3,
    .accept = nt_joint_accept,
    .drawing = NT_DRAW_PIN,
    NT_JOINT_SLOTS,
};
