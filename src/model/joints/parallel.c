/* Parallel joint: an axis of B keeps the direction of one of A; B turns about it and moves freely.
 *
 *   C = (e1 . f3, e2 . f3);  free: the angle of f1 from e1 about e3, and the place
 *
 * With `motion` it prescribes the rotation of a body that its bearings hold. */
#include "model/elements.h"
#include "model/joints/joint.h"

static const nt_row_spec specs[] = {
    {NT_ROW_PERPENDICULAR, 0, 2},
    {NT_ROW_PERPENDICULAR, 1, 2},
};

static nt_status parallel_prepare(nt_run *run, const nt_element *element, bool validate,
                                  nt_error *error)
{
    return nt_joint_prepare(run, element, specs, (int)(sizeof specs / sizeof specs[0]), validate,
                            error);
}

const nt_element_type nt_joint_parallel = {
    .name = "parallel",
    .summary = "an axis of B keeps the direction of one of A: B turns about it and moves freely",
    .keys = nt_joint_moving_keys,
    .rotates = true,
    .prepare = parallel_prepare,
    .n_memory = 3,
    .accept = nt_joint_accept,
    .drawing = NT_DRAW_AXES,
    NT_JOINT_SLOTS,
};
