/* A thin disk that rolls on a plane of A without slip and without leaving it.
 *
 * With the disk's unit axis a = f3, sigma = n . a and s = sqrt(1 - sigma^2), the lowest point is
 * p_B - r u in the direction
 *
 *   u = (n - sigma a)/s,    n . u = s,
 *
 * perpendicular to the axis. With k = a x u = a x n / s, along the plane, the triad (a, u, k) leans
 * and turns with the disk but does not spin with it: from n = s u + sigma a at constant n and
 * da = dphi x a follow, with tau = sigma/s,
 *
 *   du = -a (k . dphi) + tau k (u . dphi),  dk = (a - tau u) (u . dphi),
 *   dtau = (1 + tau^2) k . dphi.
 *
 * The rows are in rolling.c. A disk that lies flat has no lowest point. */
#include "model/elements.h"
#include "model/joints/joint_keys.h"
#include "model/joints/rolling.h"

#include <stddef.h>

static const nt_key rolling_disk_keys[] = {
    NT_ROLLING_KEY_BETWEEN,
    NT_ROLLING_KEY_RADIUS,
    NT_ROLLING_KEY_AXIS("of the disk,"),
    NT_ROLLING_KEY_AT("centre of the disk,"),
    NT_ROLLING_KEY_PLANE("on which it rolls, fixed in A; default z = 0 of A"),
    NT_JOINT_KEY_ACTIVE,
    {.name = NULL},
};

/* rad. Flatter than this the lowest point is lost in rounding. */
static const double FLAT = 1e-6;

static nt_status rolling_disk_prepare(nt_run *run, const nt_element *element, bool validate,
                                      nt_error *error)
{
    nt_status status = nt_rolling_prepare(run, element, true, validate, error);
    if (status != NT_OK || !validate)
        return status;
    const nt_joint *joint = nt_joint_of(run, element);
    v3 n = m3_apply(quat_matrix(run->bodies[element->a].q0), joint->e[2]);
    v3 a = m3_apply(quat_matrix(run->bodies[element->b].q0), joint->f[2]);
    if (v3_norm(v3_cross(a, n)) < FLAT)
        return nt_joint_refuse(run->model, element, error,
                               "has its axis along the plane's normal: the disk lies flat and has "
                               "no lowest point");
    return NT_OK;
}

/* False where the disk lies flat. */
static bool find_arm(const joint_geometry *g, nt_contact_arm *arm)
{
    *arm = (nt_contact_arm){.a = g->f[2].r, .leans = true};
    v3 n = g->e[2].r, across = v3_cross(arm->a, n);
    double s = v3_norm(across);
    if (!(s > 0))
        return false;
    arm->k = v3_scale(1 / s, across);
    arm->u = v3_cross(arm->k, arm->a);
    arm->tau = v3_dot(n, arm->a) / s;
    return true;
}

static nt_status rolling_disk_evaluate(const nt_element *element, const nt_view *view)
{
    joint_geometry g;
    nt_contact_arm arm;
    if (view->energy)
        return NT_OK;
    joint_geometry_of(&g, element, view);
    return find_arm(&g, &arm) ? nt_rolling_evaluate(element, view, &g, &arm) : NT_NOT_FINITE;
}

static void rolling_disk_reaction(const nt_element *element, const nt_view *view, v3 *force,
                                  v3 *torque)
{
    joint_geometry g;
    nt_contact_arm arm;
    joint_geometry_of(&g, element, view);
    find_arm(&g, &arm);
    nt_rolling_react(element, view, &g, &arm, force, torque);
}

const nt_element_type nt_joint_rolling_disk = {
    .version = NT_ELEMENT_VERSION,
    .section = &nt_joint_section,
    .name = "rolling_disk",
    .summary = "a thin disk B rolls on a plane of A without slip; its edge stays on the plane",
    .picture = "          ^ normal\n"
               "         (|)--> axis        of the disk; it rolls on the plane without sliding\n"
               "    ______o______\n",
    .keys = rolling_disk_keys,
    .size = sizeof(nt_rolling),
    .rows = nt_rolling_rows,
    .rates = nt_rolling_rates,
    .prepare = rolling_disk_prepare,
    .declare = nt_rolling_declare,
    .evaluate = rolling_disk_evaluate,
    .row_quantity = nt_rolling_row_quantity,
    .row_name = nt_rolling_row_name,
    .leaves_place = true,
    .site = nt_rolling_lowest_point,
    .does_work = nt_rolling_does_work,
    .drawing = NT_DRAW_DISK,
    .draw = nt_rolling_draw,
    .reaction = rolling_disk_reaction,
    .as_rolling = nt_rolling_joint,
    .shows = NT_SHOWS(NT_OF_ROLLING) | NT_SHOWS(NT_OF_WHEEL),
};
