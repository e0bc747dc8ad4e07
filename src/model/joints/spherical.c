/* Spherical joint: a point of B stays with a point of A; all rotations are free.
 *
 *   C  = p_A - p_B,  p = x + R X
 *   J  = [I, -rho_A~, -I, rho_B~],  rho = R X
 * The multiplier is the force on B at the joint, ground axes. */
#include "model/elements.h"
#include "model/joints/joint.h"

static const nt_row_spec spherical_row_specs[] = {
    {NT_ROW_COINCIDE, 0, 0},
};

static nt_status spherical_prepare(nt_run *run, const nt_element *element, bool validate,
                                   nt_error *error)
{
    return nt_joint_prepare(run, element, spherical_row_specs,
                            (int)(sizeof spherical_row_specs / sizeof spherical_row_specs[0]),
                            validate, error);
}

const nt_element_type nt_joint_spherical = {
    .name = "spherical",
    .summary = "holds a point of B to a point of A",
    .picture = "    A ----(o)---- B         turns about the point in every way\n",
    .keys = nt_joint_point_keys,
    .prepare = spherical_prepare,
    .drawing = NT_DRAW_BALL,
    NT_JOINT_SLOTS,
};
