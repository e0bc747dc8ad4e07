/* Parallel joint: an axis of B keeps the direction of one of A; B turns about it and moves freely.
 *
 *   C = (e1 . f3, e2 . f3);  free: the angle of f1 from e1 about e3, and the place
 *
 * With `motion` it prescribes the rotation of a body that its bearings hold. */
#include "model/elements.h"
#include "model/evaluate.h"
#include "model/joints/joint.h"
#include "model/run.h"

#include <math.h>

static const nt_row_spec parallel_row_specs[] = {
    {NT_ROW_PERPENDICULAR, 0, 2},
    {NT_ROW_PERPENDICULAR, 1, 2},
};

static nt_status parallel_prepare(nt_run *run, const nt_element *element, bool validate,
                                  nt_error *error)
{
    return nt_joint_prepare(run, element, parallel_row_specs,
                            (int)(sizeof parallel_row_specs / sizeof parallel_row_specs[0]),
                            validate, error);
}

const nt_element_type nt_joint_parallel = {
    .name = "parallel",
    .summary = "an axis of B keeps the direction of one of A: B turns about it and moves freely",
    .picture = "    axis ^     axis ^  ,-> angle    B's axis keeps the direction of A's; B moves\n"
               "         A          |               freely and turns about it\n"
               "                    B\n",
    .keys = nt_joint_moving_keys,
    .rotates = true,
    .prepare = parallel_prepare,
    .n_memory = 3,
    .accept = nt_joint_accept,
    .drawing = NT_DRAW_AXES,
    NT_JOINT_SLOTS,
};

/* ---- a rotation that is known -----------------------------------------------------------------
 *
 * Where `motion` drives a body from the ground, and nothing else binds it, the rows
 *
 *   e1 . f3 = e2 . f3 = 0,   f1 = cos f e1 + sin f e2
 *
 * say where all of the triad f is, so that methods need not solve for it. */

bool nt_joint_gives_rotation(const nt_model *model, const nt_element *e)
{
    const nt_joint *joint = e->type == &nt_joint_parallel ? nt_model_data(model, e) : NULL;
    unsigned others = NT_GIVEN_FRICTION | NT_GIVEN_LIMITS | NT_GIVEN_ACTIVE;
    return joint && joint->enforce == 0 && joint->motion && !joint->locks &&
           !(joint->given & others) && e->a == 0 && e->n_rows == 3 && e->n_rates == 0;
}

nt_status nt_run_given_rotation(void *self, int block, double t, const double *at,
                                nt_given_rotation *out)
{
    nt_run *run = self;
    const nt_model *model = run ? run->model : NULL;
    if (!model || !at || !out || block < 0 || block >= model->system.space.n_blocks ||
        !run->system.given_rows || run->system.given_rows[block] < 0)
        return NT_INVALID;
    const nt_element *e = &model->elements[model->given_by[block]];
    const nt_joint *joint = nt_joint_of(run, e);
    double f[3];
    run->variables[nt_model_time_variable(model)] = t;
    nt_motion_jet(run, joint->motion, f);
    if (!isfinite(f[0]) || !isfinite(f[1]))
        return NT_NOT_FINITE;
    double s = sin(f[0]), c = cos(f[0]);
    v3 e1 = joint->e[0], e2 = joint->e[1], e3 = joint->e[2];
    v3 f1 = v3_add(v3_scale(c, e1), v3_scale(s, e2)), f2 = v3_sub(v3_scale(c, e2), v3_scale(s, e1));
    m3 R = m3_add(m3_dyad(f1, joint->f[0]), m3_dyad(f2, joint->f[1]));
    double matrix[9];
    m3_store(matrix, m3_add(R, m3_dyad(e3, joint->f[2])));
    nt_so3_from_matrix(matrix, out->q);
    v3_store(out->w, v3_scale(f[1], e3));
    m3 present = quat_matrix(quat_load(at));
    v3 g3 = m3_apply(present, joint->f[2]), g1 = m3_apply(present, joint->f[0]);
    v3 moment[3] = {v3_cross(g3, e1), v3_cross(g3, e2), v3_cross(g1, f2)};
    for (int i = 0; i < 3; i++)
        v3_store(out->moment + 3 * i, moment[i]);
    return NT_OK;
}
