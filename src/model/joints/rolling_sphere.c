/* A sphere that rolls on a plane of A without slip and without leaving it. Its lowest point is
 * p_B - r n whatever its orientation: u = n. It may spin about the normal. The rows are in
 * rolling.c. */
#include "model/elements.h"
#include "model/joints/joint_keys.h"
#include "model/joints/rolling.h"

#include <stddef.h>

static const nt_key rolling_sphere_keys[] = {
    NT_ROLLING_KEY_BETWEEN,
    NT_ROLLING_KEY_RADIUS,
    NT_ROLLING_KEY_AT("centre of the sphere,"),
    NT_ROLLING_KEY_PLANE("on which it rolls, fixed in A; default z = 0 of A"),
    NT_JOINT_KEY_ACTIVE,
    {.name = NULL},
};

static nt_status rolling_sphere_prepare(nt_run *run, const nt_element *element, bool validate,
                                        nt_error *error)
{
    return nt_rolling_prepare(run, element, false, validate, error);
}

static nt_status rolling_sphere_evaluate(const nt_element *element, const nt_view *view)
{
    if (view->energy)
        return NT_OK;
    joint_geometry g;
    joint_geometry_of(&g, element, view);
    nt_contact_arm arm = {.u = g.e[2].r};
    return nt_rolling_evaluate(element, view, &g, &arm);
}

static void rolling_sphere_reaction(const nt_element *element, const nt_view *view, v3 *force,
                                    v3 *torque)
{
    joint_geometry g;
    joint_geometry_of(&g, element, view);
    nt_contact_arm arm = {.u = g.e[2].r};
    nt_rolling_react(element, view, &g, &arm, force, torque);
}

const nt_element_type nt_joint_rolling_sphere = {
    .version = NT_ELEMENT_VERSION,
    .section = &nt_joint_section,
    .name = "rolling_sphere",
    .summary = "a sphere B rolls on a plane of A without slip and stays on it",
    .picture = "         ^ normal\n"
               "        ( )  B              rolls on the plane of A without sliding, and spins\n"
               "    _____o______  A         about the normal freely\n",
    .keys = rolling_sphere_keys,
    .size = sizeof(nt_rolling),
    .rows = nt_rolling_rows,
    .rates = nt_rolling_rates,
    .prepare = rolling_sphere_prepare,
    .declare = nt_rolling_declare,
    .evaluate = rolling_sphere_evaluate,
    .row_quantity = nt_rolling_row_quantity,
    .row_name = nt_rolling_row_name,
    .leaves_place = true,
    .site = nt_rolling_lowest_point,
    .does_work = nt_rolling_does_work,
    .drawing = NT_DRAW_SPHERE,
    .draw = nt_rolling_draw,
    .reaction = rolling_sphere_reaction,
    .as_rolling = nt_rolling_joint,
    .shows = NT_SHOWS(NT_OF_ROLLING),
};
