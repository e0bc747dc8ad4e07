/* Which rows a joint has, and what they are called. */
#include "model/joints/joint_rows.h"

int nt_joint_components(const nt_row_spec *spec) { return spec->kind == NT_ROW_COINCIDE ? 3 : 1; }

static nt_row_spec motion_spec(const nt_joint *joint)
{
    return (nt_row_spec){joint->rotates ? NT_ROW_ANGLE : NT_ROW_SLIDE, joint->rotates ? 0 : 2, 0};
}

/* Whether the displacement along axis k of A, 0-based, is free. */
static bool is_free_along(const nt_joint *joint, int k)
{
    bool free = true;
    for (int i = 0; i < joint->n_specs; i++) {
        const nt_row_spec *spec = &joint->specs[i];
        free = free && spec->kind != NT_ROW_COINCIDE && spec->kind != NT_ROW_DISTANCE &&
               !(spec->kind == NT_ROW_ALONG && spec->i == k);
    }
    return free;
}

/* The rows of a latch on rotations without an axis: all of them, or the two of a cross. */
static int rotation_specs(const nt_joint *joint, nt_row_spec *out)
{
    int across = 0;
    nt_row_spec cross = {0};
    for (int i = 0; i < joint->n_specs; i++) {
        if (joint->specs[i].kind == NT_ROW_PERPENDICULAR)
            across++, cross = joint->specs[i];
    }
    if (across > 1)
        return 0;
    if (across == 1) {
        out[0] = (nt_row_spec){NT_ROW_LOCK_A, cross.i, cross.j};
        out[1] = (nt_row_spec){NT_ROW_LOCK_B, cross.i, cross.j};
        return 2;
    }
    for (int i = 0; i < 3; i++)
        out[i] = (nt_row_spec){NT_ROW_LOCK, i, (i + 1) % 3};
    return 3;
}

/* The rows of a latch: rotations and displacements that are free; of a thread the one goes with the
 * other. Limits are of the last of them. */
static int lock_specs(const nt_joint *joint, nt_row_spec out[NT_JOINT_LOCKS])
{
    int n = 0;
    if (!joint->locks)
        return 0;
    if (joint->threaded) {
        out[n++] = nt_joint_is_limited(joint) ? (nt_row_spec){NT_ROW_SLIDE, 2, 0}
                                              : (nt_row_spec){NT_ROW_ANGLE, 0, 0};
        return n;
    }
    if (joint->rotates)
        out[n++] = (nt_row_spec){NT_ROW_ANGLE, 0, 0};
    else if (joint->turns)
        n += rotation_specs(joint, out);
    for (int k = 0; k < 3; k++)
        if (is_free_along(joint, k))
            out[n++] = (nt_row_spec){NT_ROW_SLIDE, k, 0};
    for (int k = 0; k < 2 && joint->spans; k++)
        out[n++] = (nt_row_spec){NT_ROW_ACROSS, k, 0};
    return n;
}

int nt_joint_lock_count(const nt_joint *joint)
{
    nt_row_spec rows[NT_JOINT_LOCKS];
    return lock_specs(joint, rows);
}

/* Specs with the row of the motion, or those of a latch, which come last.
 *
 * Enforced by penalty, COINCIDE becomes ALONG 1, 2 and 3. The gap d is the same, k |d|^2/2 too, but
 * its rate is the one that an observer on A sees, d' - omega_A x d: a function of the relative
 * motion alone, as all other rows are. So the forces do no work in a common rigid motion, which
 * means that force and counter-force, one line of action, balance exactly; the forces of
 * c (p_A - p_B)' at p_A and at p_B are a couple d x c d'. */
int nt_joint_specs(const nt_joint *joint, nt_row_spec out[8])
{
    int n = 0;
    for (int i = 0; i < joint->n_specs; i++) {
        bool split = joint->enforce == 1 && joint->specs[i].kind == NT_ROW_COINCIDE;
        for (int k = 0; split && k < 3; k++)
            out[n++] = (nt_row_spec){NT_ROW_ALONG, k, 0};
        if (!split)
            out[n++] = joint->specs[i];
    }
    if (joint->motion)
        out[n++] = motion_spec(joint);
    return n + lock_specs(joint, out + n);
}

/* Rows whether enforced by multipliers or by penalty. */
static int joint_count_rows(const nt_joint *joint)
{
    int n = (joint->motion ? 1 : 0) + nt_joint_lock_count(joint);
    for (int i = 0; i < joint->n_specs; i++)
        n += nt_joint_components(&joint->specs[i]);
    return n;
}

bool nt_joint_row_locks(const nt_joint *joint, int r)
{
    int n = joint_count_rows(joint);
    return r < n && r >= n - nt_joint_lock_count(joint);
}

bool nt_joint_row_limits(const nt_joint *joint, int r)
{
    return nt_joint_is_limited(joint) && nt_joint_lock_count(joint) > 0 &&
           r == joint_count_rows(joint) - 1;
}

int nt_joint_rows(const nt_model *model, const nt_element *element)
{
    const nt_joint *joint = nt_model_data(model, element);
    return joint->enforce == 1 ? 0 : joint_count_rows(joint);
}

static nt_row_spec spec_of(const nt_joint *joint, int row, int *component)
{
    nt_row_spec specs[8];
    int n = nt_joint_specs(joint, specs);
    for (int i = 0; i < n; i++) {
        *component = row;
        if (row < nt_joint_components(&specs[i]))
            return specs[i];
        row -= nt_joint_components(&specs[i]);
    }
    return specs[n - 1];
}

nt_quantity nt_joint_row_quantity(const nt_model *model, const nt_element *element, int row)
{
    int component = 0;
    nt_row_kind kind = spec_of(nt_model_data(model, element), row, &component).kind;
    return nt_row_turns(kind) ? NT_ANGLE : NT_LENGTH;
}

const char *nt_joint_row_name(const nt_model *model, const nt_element *element, int row)
{
    static const char *const position[] = {"position along x", "position along y",
                                           "position along z"};
    static const char *const rotation[] = {"rotation about its 1st transverse axis",
                                           "rotation about its 2nd transverse axis",
                                           "rotation about its axis"};
    static const char *const along[] = {"position along its 1st transverse axis",
                                        "position along its 2nd transverse axis",
                                        "position along its axis"};
    int component = 0;
    nt_row_spec spec = spec_of(nt_model_data(model, element), row, &component);
    switch (spec.kind) {
    case NT_ROW_COINCIDE:
        return position[component];
    case NT_ROW_ALONG:
        return along[spec.i];
    case NT_ROW_PERPENDICULAR: /* e_i . f_j = 0 stops the rotation about e_i x f_j */
        return spec.i == spec.j ? "angle between its axes" : rotation[3 - spec.i - spec.j];
    case NT_ROW_DISTANCE:
        return "distance";
    case NT_ROW_ACROSS:
        return spec.i == 0 ? "position in the 1st direction across its length"
                           : "position in the 2nd direction across its length";
    case NT_ROW_LOCK:
        return rotation[spec.i];
    case NT_ROW_LOCK_A:
    case NT_ROW_LOCK_B:
        return spec.kind == NT_ROW_LOCK_A ? "rotation about the axis of its first body"
                                          : "rotation about the axis of its second body";
    default:
        return "prescribed motion";
    }
}
