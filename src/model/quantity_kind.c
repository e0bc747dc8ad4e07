/* Recorded quantities: one row of a table for each, its values computed by the function in the row.
 *
 * A body's state holds its reference point x (centre of mass or fixed point); with r from there to
 * another point of the body, ground axes,
 *
 *   position      x + r
 *   velocity      v + w x r
 *   acceleration  a + alpha x r + w x (w x r)
 */
#include "model/quantity_kind.h"

#include "model/contacts/contact.h"
#include "model/joints/joint.h"

#include <string.h>

/* ---- points and rotations of bodies --------------------------------------------------------- */

static v3 position(const nt_motion *m, v3 r) { return v3_add(m->x, r); }
static v3 velocity(const nt_motion *m, v3 r) { return v3_add(m->v, v3_cross(m->w, r)); }
static v3 acceleration(const nt_motion *m, v3 r)
{
    v3 turning = v3_add(v3_cross(m->alpha, r), v3_cross(m->w, v3_cross(m->w, r)));
    return v3_add(m->a, turning);
}

/* From the reference point to the body's origin, to a marker. */
static v3 to_origin(const nt_sampler *s, int body)
{
    return v3_neg(m3_apply(s->view.motion[body].R, s->run->bodies[body].reference));
}
static v3 to_marker(const nt_sampler *s, int marker)
{
    const nt_marker *m = &s->run->markers[marker];
    v3 reference = s->run->bodies[m->on].reference;
    return m3_apply(s->view.motion[m->on].R, v3_sub(v3_load(m->at), reference));
}

static void body_position(const nt_sampler *s, int body, double *out)
{
    v3_store(out, position(&s->view.motion[body], to_origin(s, body)));
}
static void body_velocity(const nt_sampler *s, int body, double *out)
{
    v3_store(out, velocity(&s->view.motion[body], to_origin(s, body)));
}
static void body_acceleration(const nt_sampler *s, int body, double *out)
{
    v3_store(out, acceleration(&s->view.motion[body], to_origin(s, body)));
}
static void body_orientation(const nt_sampler *s, int body, double *out)
{
    const nt_body *b = &s->run->bodies[body];
    double R[9];
    if (b->r_node >= 0) {
        memcpy(out, s->at.q + b->q + (b->t_node >= 0 ? 3 : 0), 4 * sizeof *out);
    } else {
        m3_store(R, s->view.motion[body].R);
        nt_so3_from_matrix(R, out);
    }
}
static void body_angular_velocity(const nt_sampler *s, int body, double *out)
{
    v3_store(out, m3_apply_transposed(s->view.motion[body].R, s->view.motion[body].w));
}
/* R^T alpha is also the derivative of R^T w, because w x w = 0. */
static void body_angular_acceleration(const nt_sampler *s, int body, double *out)
{
    v3_store(out, m3_apply_transposed(s->view.motion[body].R, s->view.motion[body].alpha));
}

static void marker_position(const nt_sampler *s, int marker, double *out)
{
    v3_store(out, position(&s->view.motion[s->run->markers[marker].on], to_marker(s, marker)));
}
static void marker_velocity(const nt_sampler *s, int marker, double *out)
{
    v3_store(out, velocity(&s->view.motion[s->run->markers[marker].on], to_marker(s, marker)));
}
static void marker_acceleration(const nt_sampler *s, int marker, double *out)
{
    v3_store(out, acceleration(&s->view.motion[s->run->markers[marker].on], to_marker(s, marker)));
}

/* ---- joints --------------------------------------------------------------------------------- */

static void element_force(const nt_sampler *s, int element, double *out)
{
    const nt_element *e = &s->run->model->elements[element];
    v3 force, torque;
    e->type->reaction(e, &s->view, &force, &torque);
    v3_store(out, force);
}
static void element_torque(const nt_sampler *s, int element, double *out)
{
    const nt_element *e = &s->run->model->elements[element];
    v3 force, torque;
    e->type->reaction(e, &s->view, &force, &torque);
    v3_store(out, torque);
}
static void joint_angle(const nt_sampler *s, int element, double *out)
{
    *out = nt_joint_angle(&s->run->model->elements[element], &s->view);
}
static void joint_angle_rate(const nt_sampler *s, int element, double *out)
{
    *out = nt_joint_angle_rate(&s->run->model->elements[element], &s->view);
}
static void joint_displacement(const nt_sampler *s, int element, double *out)
{
    *out = nt_joint_displacement(&s->run->model->elements[element], &s->view);
}
static void joint_displacement_rate(const nt_sampler *s, int element, double *out)
{
    *out = nt_joint_displacement_rate(&s->run->model->elements[element], &s->view);
}

/* ---- contacts ------------------------------------------------------------------------------- */

static void contact_indentation(const nt_sampler *s, int element, double *out)
{
    *out = nt_contact_indentation(&s->run->model->elements[element], &s->view);
}

/* ---- the whole model ------------------------------------------------------------------------ */

static void whole_energy(const nt_sampler *s, int object, double *out)
{
    (void)object;
    out[0] = s->energy.kinetic;
    out[1] = s->energy.potential;
    out[2] = s->energy.kinetic + s->energy.potential;
    out[3] = s->state.work;
}

/* Velocity of the centre of mass, and the angular momentum about it, R J_c R^T w, where the tensor
 * about the reference point is J = J_c + m (|c|^2 I - c c^T). */
static v3 center_velocity(const nt_sampler *s, int body)
{
    const nt_motion *m = &s->view.motion[body];
    return velocity(m, m3_apply(m->R, s->run->bodies[body].center));
}
static v3 own_momentum(const nt_sampler *s, int body)
{
    const nt_body *b = &s->run->bodies[body];
    m3 R = s->view.motion[body].R;
    v3 w = m3_apply_transposed(R, s->view.motion[body].w), c = b->center;
    v3 shift = v3_cross(c, v3_cross(w, c)); /* (|c|^2 I - c c^T) w */
    return m3_apply(R, v3_axpy(-b->mass, shift, m3_apply(b->J, w)));
}

static void whole_momentum(const nt_sampler *s, int object, double *out)
{
    (void)object;
    memset(out, 0, 3 * sizeof *out);
    for (int i = 1; i < s->run->model->n_bodies; i++)
        v3_accumulate(out, v3_scale(s->run->bodies[i].mass, center_velocity(s, i)));
}
static void whole_angular_momentum(const nt_sampler *s, int object, double *out)
{
    (void)object;
    memset(out, 0, 3 * sizeof *out);
    for (int i = 1; i < s->run->model->n_bodies; i++) {
        const nt_body *b = &s->run->bodies[i];
        v3 center = position(&s->view.motion[i], m3_apply(s->view.motion[i].R, b->center));
        v3 orbit = v3_cross(center, v3_scale(b->mass, center_velocity(s, i)));
        v3_accumulate(out, v3_add(orbit, own_momentum(s, i)));
    }
}
static void whole_drift(const nt_sampler *s, int object, double *out)
{
    (void)object;
    out[0] = s->drift[0];
    out[1] = s->drift[1];
}
static void whole_step(const nt_sampler *s, int object, double *out)
{
    (void)object;
    *out = s->state.step;
}

/* ---- the table ------------------------------------------------------------------------------ */

static const char *const xyz[] = {"x", "y", "z"};
static const char *const wxyz[] = {"w", "x", "y", "z"};
static const char *const energies[] = {"kinetic", "potential", "total", "work"};
static const char *const levels[] = {"position", "velocity"};
static const char ground[] = "ground axes", body[] = "body axes";
static const char rotation[] = "unit quaternion from body axes to ground axes";
static const char on_b[] = "force on the second body", on_b_torque[] = "torque on the second body";

/* clang-format off */
const nt_quantity_kind nt_quantity_kinds[] = {
    {NT_OF_BODY, "position", 3, xyz, "m", NULL, "position", ground, 0, body_position},
    {NT_OF_TURNING, "orientation", 4, wxyz, "1", NULL, "orientation", rotation, 0, body_orientation},
    {NT_OF_BODY, "velocity", 3, xyz, "m/s", NULL, "velocity", ground, 0, body_velocity},
    {NT_OF_BODY, "acceleration", 3, xyz, "m/s2", NULL, "acceleration", ground, 0, body_acceleration},
    {NT_OF_TURNING, "angular_velocity", 3, xyz, "rad/s", NULL, "angular velocity", body, 0,
     body_angular_velocity},
    {NT_OF_TURNING, "angular_acceleration", 3, xyz, "rad/s2", NULL, "angular acceleration", body, 0,
     body_angular_acceleration},

    {NT_OF_MARKER, "position", 3, xyz, "m", NULL, "position", ground, 0, marker_position},
    {NT_OF_MARKER, "velocity", 3, xyz, "m/s", NULL, "velocity", ground, 0, marker_velocity},
    {NT_OF_MARKER, "acceleration", 3, xyz, "m/s2", NULL, "acceleration", ground, 0,
     marker_acceleration},

    {NT_OF_LOADED, "force", 3, xyz, "N", NULL, on_b, ground, NT_NEEDS_REACTIONS, element_force},
    {NT_OF_LOADED, "torque", 3, xyz, "N m", NULL, on_b_torque, ground, NT_NEEDS_REACTIONS, element_torque},
    {NT_OF_CONTACT, "force", 3, xyz, "N", NULL, on_b, ground, 0, element_force},
    {NT_OF_CONTACT, "indentation", 1, NULL, "m", NULL, "indentation", "negative: the distance", 0,
     contact_indentation},
    {NT_OF_ROTATING, "angle", 1, NULL, "rad", NULL, "angle", NULL, 0, joint_angle},
    {NT_OF_ROTATING, "rate", 1, NULL, "rad/s", NULL, "rate of the angle", NULL, 0, joint_angle_rate},
    {NT_OF_SLIDING, "displacement", 1, NULL, "m", NULL, "displacement", NULL, 0, joint_displacement},
    {NT_OF_SLIDING_ONLY, "rate", 1, NULL, "m/s", NULL, "rate of the displacement", NULL, 0,
     joint_displacement_rate},
    {NT_OF_SLIDING, "displacement_rate", 1, NULL, "m/s", NULL, "rate of the displacement", NULL, 0,
     joint_displacement_rate},

    {NT_OF_WHOLE, "energy", 4, energies, "J", NULL, "energy", NULL, NT_NEEDS_ENERGY, whole_energy},
    {NT_OF_WHOLE, "momentum", 3, xyz, "kg m/s", NULL, "momentum", ground, 0, whole_momentum},
    {NT_OF_WHOLE, "angular_momentum", 3, xyz, "kg m2/s", NULL,
     "angular momentum about the origin of the ground", ground, 0, whole_angular_momentum},
    {NT_OF_WHOLE, "constraint_drift", 2, levels, "m", "m/s", "largest constraint equation", NULL,
     NT_NEEDS_DRIFT, whole_drift},
    {NT_OF_WHOLE, "step_size", 1, NULL, "s", NULL, "size of the last step", NULL, 0, whole_step},
};
/* clang-format on */
const int nt_quantity_kind_count = sizeof nt_quantity_kinds / sizeof nt_quantity_kinds[0];
