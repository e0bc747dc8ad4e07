/* Planar joint: a point of B stays in the plane of A through its point with normal e3, and B turns
 * about that normal only.
 *
 *   C = (e3 . d, e1 . f3, e2 . f3);  free: the angle about e3, and the place in the plane
 *
 * A point as B has no angle. */
#include "model/elements.h"
#include "model/joints/joint.h"

static const nt_row_spec planar_row_specs[] = {
    {NT_ROW_ALONG, 2, 0},
    {NT_ROW_PERPENDICULAR, 0, 2},
    {NT_ROW_PERPENDICULAR, 1, 2},
};

static nt_status planar_prepare(nt_run *run, const nt_element *element, bool validate,
                                nt_error *error)
{
    return nt_joint_prepare(run, element, planar_row_specs,
                            (int)(sizeof planar_row_specs / sizeof planar_row_specs[0]), validate,
                            error);
}

static void planar_accept(const nt_element *element, const nt_view *view, double *next)
{
    if (nt_joint_of(view->run, element)->rotates)
        nt_joint_accept(element, view, next);
    else
        next[0] = next[1] = next[2] = 0;
}

const nt_element_type nt_joint_planar = {
    .name = "planar",
    .summary = "B slides on a plane of A and turns about its normal",
    .picture =
        "          ^ axis, normal of the plane of A\n"
        "      ____|____\n"
        "     /   B->  /             B's point stays in the plane, its axis along the normal\n"
        "    /________/ A            angle right-handed about the normal\n",
    .keys = nt_joint_axis_keys,
    .rotates = true,
    .prepare = planar_prepare,
    .n_memory = 3,
    .accept = planar_accept,
    .drawing = NT_DRAW_PLATE,
    NT_JOINT_SLOTS,
};
