/* Distance joint: two points keep their distance, like a rod with a ball at each end.
 *
 *   C = |p_B - p_A| - L */
#include "model/elements.h"
#include "model/joints/joint.h"

static const nt_row_spec distance_row_specs[] = {
    {NT_ROW_DISTANCE, 0, 0},
};

static nt_status distance_prepare(nt_run *run, const nt_element *element, bool validate,
                                  nt_error *error)
{
    return nt_joint_prepare(run, element, distance_row_specs,
                            (int)(sizeof distance_row_specs / sizeof distance_row_specs[0]),
                            validate, error);
}

const nt_element_type nt_joint_distance = {
    .name = "distance",
    .summary = "a massless rod between a point of A and a point of B",
    .picture = "    A o----------o B        the length between two points stays\n"
               "       length\n",
    .keys = nt_joint_distance_keys,
    .prepare = distance_prepare,
    .drawing = NT_DRAW_ROD,
    NT_JOINT_SLOTS,
};
