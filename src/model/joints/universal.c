/* Universal joint (Hooke's): a point is shared, the axis e3 of A stays perpendicular to f3 of B.
 *
 *   C = (p_A - p_B, e3 . f3) */
#include "model/elements.h"
#include "model/joints/joint.h"

static const nt_row_spec universal_row_specs[] = {
    {NT_ROW_COINCIDE, 0, 0},
    {NT_ROW_PERPENDICULAR, 2, 2},
};

static nt_status universal_prepare(nt_run *run, const nt_element *element, bool validate,
                                   nt_error *error)
{
    return nt_joint_prepare(run, element, universal_row_specs,
                            (int)(sizeof universal_row_specs / sizeof universal_row_specs[0]),
                            validate, error);
}

const nt_element_type nt_joint_universal = {
    .name = "universal",
    .summary = "a cross: an axis of A stays perpendicular to an axis of B",
    .picture = "          ^ axis of A\n"
               "    A ----+----> axis of B  the two axes stay perpendicular\n"
               "                  B\n",
    .keys = nt_joint_two_axes_keys,
    .prepare = universal_prepare,
    .drawing = NT_DRAW_CROSS,
    NT_JOINT_SLOTS,
};
