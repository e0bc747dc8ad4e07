/* Recorded quantities: one row of a table for each, its values computed by the function in the row.
 *
 * A body's state holds its reference point x (centre of mass or fixed point); with r from there to
 * another point of the body, ground axes,
 *
 *   position      x + r
 *   velocity      v + w x r
 *   acceleration  a + alpha x r + w x (w x r)
 */
#include "model/quantities/quantity_kind.h"

#include "model/beams/beam.h"
#include "model/bearings/bearing.h"
#include "model/cables/cable.h"
#include "model/contacts/contact.h"
#include "model/contacts/touch_values.h"
#include "model/elements.h"
#include "model/events/switches.h"
#include "model/joints/joint.h"
#include "model/quantities/quantity_values.h"
#include "model/states/delay.h"

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
static v3 to_origin(const nt_view *view, int body)
{
    return v3_neg(m3_apply(view->motion[body].R, view->bodies[body].reference));
}
static v3 to_marker(const nt_view *view, int marker)
{
    const nt_marker *m = &view->run->markers[marker];
    v3 reference = view->bodies[m->on].reference;
    return m3_apply(view->motion[m->on].R, v3_sub(v3_load(m->at), reference));
}

static void body_position(const nt_sampler *s, int body, double *out)
{
    v3_store(out, position(&s->view->motion[body], to_origin(s->view, body)));
}
static void body_velocity(const nt_sampler *s, int body, double *out)
{
    v3_store(out, velocity(&s->view->motion[body], to_origin(s->view, body)));
}
static void body_acceleration(const nt_sampler *s, int body, double *out)
{
    v3_store(out, acceleration(&s->view->motion[body], to_origin(s->view, body)));
}
static void body_orientation(const nt_sampler *s, int body, double *out)
{
    const nt_body *b = &s->view->bodies[body];
    double R[9];
    if (b->r_node >= 0) {
        memcpy(out, s->view->at->q + b->q + (b->t_node >= 0 ? 3 : 0), 4 * sizeof *out);
    } else {
        m3_store(R, s->view->motion[body].R);
        nt_so3_from_matrix(R, out);
    }
}
static void body_angular_velocity(const nt_sampler *s, int body, double *out)
{
    v3_store(out, m3_apply_transposed(s->view->motion[body].R, s->view->motion[body].w));
}
/* R^T alpha is also the derivative of R^T w, because w x w = 0. */
static void body_angular_acceleration(const nt_sampler *s, int body, double *out)
{
    v3_store(out, m3_apply_transposed(s->view->motion[body].R, s->view->motion[body].alpha));
}

static void marker_position(const nt_sampler *s, int marker, double *out)
{
    v3_store(out, position(&s->view->motion[s->view->run->markers[marker].on],
                           to_marker(s->view, marker)));
}
static void marker_velocity(const nt_sampler *s, int marker, double *out)
{
    v3_store(out, velocity(&s->view->motion[s->view->run->markers[marker].on],
                           to_marker(s->view, marker)));
}
static void marker_acceleration(const nt_sampler *s, int marker, double *out)
{
    v3_store(out, acceleration(&s->view->motion[s->view->run->markers[marker].on],
                               to_marker(s->view, marker)));
}

/* The orientation of the node at a station. */
static void station_orientation(const nt_sampler *s, int marker, double *out)
{
    body_orientation(s, s->view->run->markers[marker].on, out);
}
static void station_angular_velocity(const nt_sampler *s, int marker, double *out)
{
    body_angular_velocity(s, s->view->run->markers[marker].on, out);
}
static void station_angular_acceleration(const nt_sampler *s, int marker, double *out)
{
    body_angular_acceleration(s, s->view->run->markers[marker].on, out);
}

/* Derivatives, with e a ground axis, E = R e the same axis of the body, (w0, u) the quaternion:
 *
 *   position            e . (x + rho)        x: e     r: rho x e
 *   velocity            e . (v + w x rho)    v: e     w: rho x e     r: rho x (e x w)
 *   angular velocity    E . w                w: E     r: E x w
 *   orientation         w0                   r: -u / 2
 *                       e . u                r: (w0 e + u x e) / 2 */
static v3 axis(int component) { return v3_of(component == 0, component == 1, component == 2); }

static void vary_position(int component, v3 rho, nt_signal_gradient *g)
{
    v3 e = axis(component);
    g->x[0] = e;
    g->r[0] = v3_cross(rho, e);
}
static void vary_velocity(const nt_motion *m, int component, v3 rho, nt_signal_gradient *g)
{
    v3 e = axis(component);
    g->v[0] = e;
    g->w[0] = v3_cross(rho, e);
    g->r[0] = v3_cross(rho, v3_cross(e, m->w));
}
static void vary_body_position(const nt_view *view, int body, int i, nt_signal_gradient *g)
{
    vary_position(i, to_origin(view, body), g);
}
static void vary_body_velocity(const nt_view *view, int body, int i, nt_signal_gradient *g)
{
    vary_velocity(&view->motion[body], i, to_origin(view, body), g);
}
static void vary_marker_position(const nt_view *view, int marker, int i, nt_signal_gradient *g)
{
    vary_position(i, to_marker(view, marker), g);
}
static void vary_marker_velocity(const nt_view *view, int marker, int i, nt_signal_gradient *g)
{
    vary_velocity(&view->motion[view->run->markers[marker].on], i, to_marker(view, marker), g);
}
static void vary_body_angular_velocity(const nt_view *view, int body, int i, nt_signal_gradient *g)
{
    v3 E = m3_apply(view->motion[body].R, axis(i));
    g->w[0] = E;
    g->r[0] = v3_cross(E, view->motion[body].w);
}
static void vary_body_orientation(const nt_view *view, int body, int i, nt_signal_gradient *g)
{
    const nt_body *b = &view->bodies[body];
    quat q = b->r_node < 0 ? (quat){1, 0, 0, 0}
                           : quat_load(view->at->q + b->q + (b->t_node >= 0 ? 3 : 0));
    v3 u = v3_of(q.x, q.y, q.z), e = axis(i - 1);
    g->r[0] = i == 0 ? v3_scale(-0.5, u) : v3_scale(0.5, v3_axpy(q.w, e, v3_cross(u, e)));
}

static void vary_station_orientation(const nt_view *view, int marker, int i, nt_signal_gradient *g)
{
    vary_body_orientation(view, view->run->markers[marker].on, i, g);
}
static void vary_station_angular_velocity(const nt_view *view, int marker, int i,
                                          nt_signal_gradient *g)
{
    vary_body_angular_velocity(view, view->run->markers[marker].on, i, g);
}

/* ---- joints --------------------------------------------------------------------------------- */

static nt_coordinate coordinate(const nt_view *view, int element, bool translation)
{
    return nt_joint_coordinate(&view->model->elements[element], view, translation);
}
static void vary_coordinate(const nt_view *view, int element, bool translation,
                            nt_signal_gradient *g)
{
    nt_coordinate c = coordinate(view, element, translation);
    g->x[0] = c.xa, g->r[0] = c.ra;
    g->x[1] = c.xb, g->r[1] = c.rb;
}
/* The rates are linear in the velocities, with the gradient of the coordinate. */
static void vary_coordinate_rate(const nt_view *view, int element, bool translation,
                                 nt_signal_gradient *g)
{
    nt_coordinate c = coordinate(view, element, translation);
    g->x[0] = c.rate_xa, g->r[0] = c.rate_ra;
    g->x[1] = c.rate_xb, g->r[1] = c.rate_rb;
    g->v[0] = c.xa, g->w[0] = c.ra;
    g->v[1] = c.xb, g->w[1] = c.rb;
}
static void vary_angle(const nt_view *view, int element, int i, nt_signal_gradient *g)
{
    (void)i;
    vary_coordinate(view, element, false, g);
}
static void vary_angle_rate(const nt_view *view, int element, int i, nt_signal_gradient *g)
{
    (void)i;
    vary_coordinate_rate(view, element, false, g);
}
static void vary_displacement(const nt_view *view, int element, int i, nt_signal_gradient *g)
{
    (void)i;
    vary_coordinate(view, element, true, g);
}
static void vary_displacement_rate(const nt_view *view, int element, int i, nt_signal_gradient *g)
{
    (void)i;
    vary_coordinate_rate(view, element, true, g);
}

static void element_force(const nt_sampler *s, int element, double *out)
{
    const nt_element *e = &s->view->model->elements[element];
    v3 force, torque;
    e->type->reaction(e, s->view, &force, &torque);
    v3_store(out, force);
}
static void element_torque(const nt_sampler *s, int element, double *out)
{
    const nt_element *e = &s->view->model->elements[element];
    v3 force, torque;
    e->type->reaction(e, s->view, &force, &torque);
    v3_store(out, torque);
}
static void joint_angle(const nt_sampler *s, int element, double *out)
{
    *out = coordinate(s->view, element, false).value;
}
static void joint_angle_rate(const nt_sampler *s, int element, double *out)
{
    *out = coordinate(s->view, element, false).rate;
}
static void joint_displacement(const nt_sampler *s, int element, double *out)
{
    *out = coordinate(s->view, element, true).value;
}
static void joint_displacement_rate(const nt_sampler *s, int element, double *out)
{
    *out = coordinate(s->view, element, true).rate;
}

/* A station is put in while the load is summed up along the beam. */
static void station_of_load(const nt_sampler *s, int element, double *out)
{
    (void)s, (void)element;
    *out = 0;
}
static void vary_station_of_load(const nt_view *view, int element, int i, nt_signal_gradient *g)
{
    (void)view, (void)element, (void)i, (void)g;
}

static void cable_tension(const nt_sampler *s, int element, double *out)
{
    double length;
    nt_cable_look(&s->view->model->elements[element], s->view, out, &length);
}
static void cable_length(const nt_sampler *s, int element, double *out)
{
    double ends[2];
    nt_cable_look(&s->view->model->elements[element], s->view, ends, out);
}

/* ---- contacts ------------------------------------------------------------------------------- */

static double touch_number(const nt_sampler *s, int element, nt_touch_value which)
{
    const nt_element *e = &s->view->model->elements[element];
    const nt_contact *c = nt_contact_of(s->view->run, e);
    nt_touch t = nt_contact_touch(e, s->view);
    return nt_touch_number(which, &t, &c->law, c->kind.law,
                           m3_apply(s->view->motion[e->a].R, c->axis));
}
#define NT_TOUCH_QUANTITY(name, which)                                                             \
    static void contact_##name(const nt_sampler *s, int element, double *out)                      \
    {                                                                                              \
        *out = touch_number(s, element, which);                                                    \
    }
NT_TOUCH_QUANTITY(indentation, NT_TOUCH_INDENTATION)
NT_TOUCH_QUANTITY(rate, NT_TOUCH_RATE)
NT_TOUCH_QUANTITY(normal_force, NT_TOUCH_NORMAL_FORCE)
NT_TOUCH_QUANTITY(friction_force, NT_TOUCH_FRICTION)
NT_TOUCH_QUANTITY(sliding_speed, NT_TOUCH_SLIDING)
NT_TOUCH_QUANTITY(spin_speed, NT_TOUCH_SPIN)
NT_TOUCH_QUANTITY(angle, NT_TOUCH_ANGLE)
NT_TOUCH_QUANTITY(pressure, NT_TOUCH_PRESSURE)
NT_TOUCH_QUANTITY(film_thickness, NT_TOUCH_FILM)
NT_TOUCH_QUANTITY(power, NT_TOUCH_POWER)

/* With arms from the bodies' reference points to the sphere's centre c, V how c moves past A's
 * matter there (touch.h):
 *
 *   ddelta  = -n . dy,            dy = dx_B + dtheta_B x arm_b - dx_A - dtheta_A x arm_a
 *   ddelta' = -n . dV - dn . V,   dn = sigma H dy + dtheta_A x n
 *   dV      = dv_B + dw_B x arm_b - dv_A - dw_A x arm_a
 *             + w_B x (dtheta_B x arm_b) - w_A x (dx_B + dtheta_B x arm_b - dx_A)
 *
 * and n . (w x d) = (n x w) . d, n . (dtheta x arm) = dtheta . (arm x n). */
typedef enum touch_of { OF_INDENTATION, OF_RATE, OF_NORMAL_FORCE, OF_ELASTIC_POWER } touch_of;

static void vary_touch(const nt_view *view, int element, touch_of of, nt_signal_gradient *g)
{
    const nt_element *e = &view->model->elements[element];
    const nt_contact *c = nt_contact_of(view->run, e);
    nt_touch_pose at = nt_contact_pose(e, view);
    nt_touch t = nt_contact_touch(e, view);
    double by_place = of == OF_INDENTATION ? 1 : of == OF_RATE ? 0 : t.N_delta;
    double by_rate = of == OF_INDENTATION ? 0 : of == OF_RATE ? 1 : t.N_rate;
    if (of == OF_ELASTIC_POWER) { /* K delta^k delta' */
        by_place = t.delta > 0 ? c->law.exponent * t.elastic / t.delta * t.rate : 0;
        by_rate = t.delta > 0 ? t.elastic : 0;
    }
    v3 V = v3_sub(v3_add(at.v_b, v3_cross(at.w_b, at.arm_b)),
                  v3_add(at.v_a, v3_cross(at.w_a, at.arm_a)));
    v3 bent = v3_scale(c->surface.side, nt_touch_bend(&t, c->kind.skeleton, at.axis, V));
    v3 by_a = v3_cross(t.n, at.w_a), by_b = v3_cross(t.n, at.w_b);
    /* along dy, and along w_B x (dtheta_B x arm_b) */
    v3 y = v3_axpy(-by_rate, v3_sub(bent, by_a), v3_scale(-by_place, t.n));
    v3 y_a = v3_axpy(-by_rate, bent, v3_scale(-by_place, t.n)); /* of dtheta_A */
    g->x[0] = v3_neg(y);
    g->x[1] = y;
    g->r[0] = v3_axpy(-by_rate, v3_cross(t.n, V), v3_neg(v3_cross(at.arm_a, y_a)));
    g->r[1] = v3_cross(at.arm_b, v3_axpy(-by_rate, by_b, y));
    g->v[0] = v3_scale(by_rate, t.n);
    g->w[0] = v3_scale(by_rate, v3_cross(at.arm_a, t.n));
    g->v[1] = v3_scale(-by_rate, t.n);
    g->w[1] = v3_scale(-by_rate, v3_cross(at.arm_b, t.n));
}
static void vary_indentation(const nt_view *view, int element, int i, nt_signal_gradient *g)
{
    (void)i;
    vary_touch(view, element, OF_INDENTATION, g);
}
static void vary_rate_of_indentation(const nt_view *view, int element, int i, nt_signal_gradient *g)
{
    (void)i;
    vary_touch(view, element, OF_RATE, g);
}
static void vary_normal_force(const nt_view *view, int element, int i, nt_signal_gradient *g)
{
    (void)i;
    vary_touch(view, element, OF_NORMAL_FORCE, g);
}
/* All that is not elastic is counted: the elastic power is added to that of the force. */
static void vary_contact_power(const nt_view *view, int element, int i, nt_signal_gradient *g)
{
    (void)i;
    vary_touch(view, element, OF_ELASTIC_POWER, g);
}

static void contact_semi_axes(const nt_sampler *s, int element, double *out)
{
    out[0] = touch_number(s, element, NT_TOUCH_MAJOR);
    out[1] = touch_number(s, element, NT_TOUCH_MINOR);
}

/* ---- states --------------------------------------------------------------------------------- */

static void state_value(const nt_sampler *s, int element, double *out)
{
    *out = s->view->at->v[s->view->model->elements[element].own_v];
}
/* No body moves it: see nt_signal.state. */
static void vary_state(const nt_view *view, int element, int i, nt_signal_gradient *g)
{
    (void)view, (void)element, (void)i, (void)g;
}

static void held_value(const nt_sampler *s, int element, double *out)
{
    *out = nt_sampled_value(&s->view->model->elements[element], s->view);
}

static void delayed_value(const nt_sampler *s, int delay, double *out)
{
    double value[2];
    nt_delay_look(s->view, delay, value);
    *out = value[0];
}

/* What loads see of an operation that jumps; of a table the place below, too. */
static void switch_value(const nt_sampler *s, int k, double *out)
{
    const nt_model *model = s->view->model;
    const double *signals = s->view->variables + nt_model_time_variable(model) + 1;
    int signal = model->switches[k].signal;
    bool has_piece =
        signal + 1 < model->n_signals && model->signals[signal + 1].kind == NT_SIGNAL_PIECE;
    out[0] = signals[signal];
    out[1] = has_piece ? signals[signal + 1] : out[0];
}

/* ---- named quantities ----------------------------------------------------------------------- */

static void named_value(const nt_sampler *s, int i, double *out)
{
    nt_run *run = s->run;
    const nt_model *model = run->model;
    const nt_expression *of = model->named[i].of;
    int n, time = nt_model_time_variable(model);
    const int *list = nt_expression_variables(of, &n);
    for (int k = 0; k < n; k++) {
        double *variable = &run->named_variables[list[k]];
        if (list[k] < time)
            *variable = run->variables[list[k]];
        else if (list[k] == time)
            *variable = s->state.t;
        else
            nt_sampler_values(s, &model->columns[list[k] - time - 1], variable);
    }
    *out = nt_expression_value(of, run->named_variables);
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
    const nt_motion *m = &s->view->motion[body];
    return velocity(m, m3_apply(m->R, s->view->bodies[body].center));
}
static v3 own_momentum(const nt_sampler *s, int body)
{
    const nt_body *b = &s->view->bodies[body];
    m3 R = s->view->motion[body].R;
    v3 w = m3_apply_transposed(R, s->view->motion[body].w), c = b->center;
    v3 shift = v3_cross(c, v3_cross(w, c)); /* (|c|^2 I - c c^T) w */
    return m3_apply(R, v3_axpy(-b->mass, shift, m3_apply(b->J, w)));
}

/* Momentum (kg m/s), or angular momentum about the origin, of elements with inertia. */
static v3 momentum_of_elements(const nt_sampler *s, bool angular)
{
    v3 p = v3_of(0, 0, 0), L = p;
    const nt_model *model = s->view->model;
    for (int i = 0; model->has_inertia && i < model->n_elements; i++)
        if (model->elements[i].type->has_inertia)
            model->elements[i].type->momentum(&model->elements[i], s->view, &p, &L);
    return angular ? L : p;
}

static void whole_momentum(const nt_sampler *s, int object, double *out)
{
    (void)object;
    v3_store(out, momentum_of_elements(s, false));
    for (int i = 1; i < s->view->model->n_bodies; i++)
        v3_accumulate(out, v3_scale(s->view->bodies[i].mass, center_velocity(s, i)));
}
static void whole_angular_momentum(const nt_sampler *s, int object, double *out)
{
    (void)object;
    v3_store(out, momentum_of_elements(s, true));
    for (int i = 1; i < s->view->model->n_bodies; i++) {
        const nt_body *b = &s->view->bodies[i];
        v3 center = position(&s->view->motion[i], m3_apply(s->view->motion[i].R, b->center));
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
static const char *const yz[] = {"y", "z"};
static const char *const wxyz[] = {"w", "x", "y", "z"};
static const char *const energies[] = {"kinetic", "potential", "total", "work"};
static const char *const axes_of_ellipse[] = {"major", "minor"};
static const char *const levels[] = {"position", "velocity"};
static const char ground[] = "ground axes", body[] = "body axes";
static const char rotation[] = "unit quaternion from body axes to ground axes";
static const char turned[] = "unit quaternion of the turn from the given placement";
static const char turned_axes[] =
    "axes that turn with the node, the ground's in the given placement";
static const char section[] = "axes of the section, x along the line";
static const char outward[] = "force in the section, by the part towards the tip";
static const char outward_moment[] = "moment in the section, by the part towards the tip";
static const char strains[] = "stretch and shear", curvatures[] = "change of twist and bending";
static const char *const angles[] = {"first", "second", "third"};
static const char *const pulls[] = {"start", "end"};
static const char of_a[] = "joint axes of the first body", of_plane[] = "axes of the plane";
static const char on_b[] = "force on the second body", on_b_torque[] = "torque on the second body";

/* clang-format off */
#define EULER(name)                                                                                \
    {NT_OF_TURNING, "euler_" #name, 3, angles, "rad", NULL, "Euler angles " #name, NULL, 0,        \
     nt_value_euler_##name, nt_vary_euler_##name, false}
const nt_quantity_kind nt_quantity_kinds[] = {
    {NT_OF_BODY, "position", 3, xyz, "m", NULL, "position", ground, 0, body_position, vary_body_position, false},
    {NT_OF_TURNING, "orientation", 4, wxyz, "1", NULL, "orientation", rotation, NT_IS_ROTATION, body_orientation, vary_body_orientation, false},
    {NT_OF_BODY, "velocity", 3, xyz, "m/s", NULL, "velocity", ground, 0, body_velocity, vary_body_velocity, true},
    {NT_OF_BODY, "acceleration", 3, xyz, "m/s2", NULL, "acceleration", ground, NT_NEEDS_ACCELERATIONS, body_acceleration, NULL, false},
    {NT_OF_TURNING, "angular_velocity", 3, xyz, "rad/s", NULL, "angular velocity", body, 0,
     body_angular_velocity, vary_body_angular_velocity, true},
    {NT_OF_TURNING, "angular_acceleration", 3, xyz, "rad/s2", NULL, "angular acceleration", body, NT_NEEDS_ACCELERATIONS,
     body_angular_acceleration, NULL, false},

    {NT_OF_TURNING, "x_axis", 3, xyz, "1", NULL, "x axis", ground, 0, nt_value_x_axis, nt_vary_x_axis, false},
    {NT_OF_TURNING, "y_axis", 3, xyz, "1", NULL, "y axis", ground, 0, nt_value_y_axis, nt_vary_y_axis, false},
    {NT_OF_TURNING, "z_axis", 3, xyz, "1", NULL, "z axis", ground, 0, nt_value_z_axis, nt_vary_z_axis, false},
    EULER(xyz), EULER(yzx), EULER(zxy), EULER(xzy), EULER(yxz), EULER(zyx),
    EULER(xyx), EULER(xzx), EULER(yxy), EULER(yzy), EULER(zxz), EULER(zyz),

    {NT_OF_MARKER, "position", 3, xyz, "m", NULL, "position", ground, 0, marker_position, vary_marker_position, false},
    {NT_OF_MARKER, "velocity", 3, xyz, "m/s", NULL, "velocity", ground, 0, marker_velocity, vary_marker_velocity, true},
    {NT_OF_MARKER, "acceleration", 3, xyz, "m/s2", NULL, "acceleration", ground, NT_NEEDS_ACCELERATIONS,
     marker_acceleration, NULL, false},

    {NT_OF_STATION, "orientation", 4, wxyz, "1", NULL, "orientation", turned, NT_IS_ROTATION, station_orientation, vary_station_orientation, false},
    {NT_OF_STATION, "angular_velocity", 3, xyz, "rad/s", NULL, "angular velocity", turned_axes, 0, station_angular_velocity,
     vary_station_angular_velocity, true},
    {NT_OF_STATION, "angular_acceleration", 3, xyz, "rad/s2", NULL, "angular acceleration", turned_axes, NT_NEEDS_ACCELERATIONS,
     station_angular_acceleration, NULL, false},
    {NT_OF_STATION, "force", 3, xyz, "N", NULL, outward, section, 0, nt_station_force, NULL, false},
    {NT_OF_STATION, "moment", 3, xyz, "N m", NULL, outward_moment, section, 0, nt_station_moment, NULL, false},
    {NT_OF_STATION, "strain", 3, xyz, "1", NULL, strains, section, 0, nt_station_strain, NULL, false},
    {NT_OF_STATION, "curvature", 3, xyz, "1/m", NULL, curvatures, section, 0, nt_station_curvature, NULL, false},
    {NT_OF_FIGURE, "axial_stress", 1, NULL, "Pa", NULL, "stress across the section at the marker's point", "positive pulls", 0,
     nt_station_axial_stress, NULL, false},
    {NT_OF_MATERIAL, "shear_stress", 2, yz, "Pa", NULL, "shear stress in the section at the marker's point", section, 0,
     nt_station_shear_stress, NULL, false},
    {NT_OF_END, "force", 3, xyz, "N", NULL, outward, section, 0, nt_end_force, NULL, false},
    {NT_OF_END, "moment", 3, xyz, "N m", NULL, outward_moment, section, 0, nt_end_moment, NULL, false},
    {NT_OF_END, "strain", 3, xyz, "1", NULL, strains, section, 0, nt_end_strain, NULL, false},
    {NT_OF_END, "curvature", 3, xyz, "1/m", NULL, curvatures, section, 0, nt_end_curvature, NULL, false},

    {NT_OF_LOADED, "force", 3, xyz, "N", NULL, on_b, ground, NT_NEEDS_REACTIONS | NT_NEEDS_ACCELERATIONS | NT_IS_FORCE, element_force, NULL, true},
    {NT_OF_LOADED, "torque", 3, xyz, "N m", NULL, on_b_torque, ground, NT_NEEDS_REACTIONS | NT_NEEDS_ACCELERATIONS | NT_IS_TORQUE, element_torque, NULL, true},
    {NT_OF_CONTACT, "force", 3, xyz, "N", NULL, on_b, ground, NT_IS_FORCE, element_force, NULL, true},
    {NT_OF_TOUCH, "indentation", 1, NULL, "m", NULL, "indentation", "negative: the distance", 0,
     contact_indentation, vary_indentation, false},
    {NT_OF_TOUCH, "rate", 1, NULL, "m/s", NULL, "rate of the indentation", "positive: closing", 0,
     contact_rate, vary_rate_of_indentation, true},
    {NT_OF_TOUCH, "normal_force", 1, NULL, "N", NULL, "normal force", NULL, 0, contact_normal_force, vary_normal_force, true},
    {NT_OF_TOUCH, "friction_force", 1, NULL, "N", NULL, "friction force", NULL, 0, contact_friction_force, NULL, false},
    {NT_OF_TOUCH, "sliding_speed", 1, NULL, "m/s", NULL, "sliding speed", NULL, 0, contact_sliding_speed, NULL, false},
    {NT_OF_TOUCH, "spin_speed", 1, NULL, "rad/s", NULL, "rate of turning about the normal", NULL, 0,
     contact_spin_speed, NULL, false},
    {NT_OF_GROOVE, "angle", 1, NULL, "rad", NULL, "contact angle", NULL, 0, contact_angle, NULL, false},
    {NT_OF_TOUCH, "semi_axes", 2, axes_of_ellipse, "m", NULL, "semi-axes of the ellipse of contact",
     "0 without a material", 0, contact_semi_axes, NULL, false},
    {NT_OF_TOUCH, "pressure", 1, NULL, "Pa", NULL, "largest pressure", "0 without a material", 0,
     contact_pressure, NULL, false},
    {NT_OF_TOUCH, "film_thickness", 1, NULL, "m", NULL, "least thickness of the film", "0 without one", 0,
     contact_film_thickness, NULL, false},
    {NT_OF_TOUCH, "power", 1, NULL, "W", NULL, "power of friction and damping", "never positive", NT_IS_POWER,
     contact_power, vary_contact_power, true},
    {NT_OF_TOUCH, "energy", 1, NULL, "J", NULL, "energy of the indentation", NULL, NT_IS_ENERGY, nt_value_energy, NULL, false},
    {NT_OF_TOUCH, "torque", 3, xyz, "N m", NULL, "torque on the second body about the point of contact", ground, 0,
     element_torque, NULL, false},
    {NT_OF_BALL, "force", 1, NULL, "N", NULL, "normal force", NULL, 0, nt_ball_force, NULL, false},
    {NT_OF_BALL, "indentation", 1, NULL, "m", NULL, "indentation", "negative: the distance", 0, nt_ball_indentation, NULL, false},
    {NT_OF_BALL, "friction_force", 1, NULL, "N", NULL, "friction force", NULL, 0, nt_ball_friction_force, NULL, false},
    {NT_OF_BALL, "sliding_speed", 1, NULL, "m/s", NULL, "sliding speed", NULL, 0, nt_ball_sliding_speed, NULL, false},
    {NT_OF_BALL, "spin_speed", 1, NULL, "rad/s", NULL, "rate of turning about the normal", NULL, 0, nt_ball_spin_speed, NULL, false},
    {NT_OF_BALL, "angle", 1, NULL, "rad", NULL, "contact angle", NULL, 0, nt_ball_angle, NULL, false},
    {NT_OF_BALL, "semi_axes", 2, axes_of_ellipse, "m", NULL, "semi-axes of the ellipse of contact", NULL, 0, nt_ball_semi_axes, NULL, false},
    {NT_OF_BALL, "pressure", 1, NULL, "Pa", NULL, "largest pressure", NULL, 0, nt_ball_pressure, NULL, false},
    {NT_OF_BALL, "film_thickness", 1, NULL, "m", NULL, "least thickness of the film", "0 without a lubricant", 0,
     nt_ball_film_thickness, NULL, false},
    {NT_OF_BALL, "power", 1, NULL, "W", NULL, "power of friction and damping", "never positive", 0, nt_ball_power, NULL, false},
    {NT_OF_BALL, "shoulder_margin", 1, NULL, "rad", NULL, "angle from the edge of the ellipse to the shoulder", "negative: cut off", 0,
     nt_ball_margin, NULL, false},
    {NT_OF_CAGE, "speed", 1, NULL, "rad/s", NULL, "speed about the outer ring's axis", NULL, 0, nt_cage_speed, NULL, false},
    {NT_OF_CAGE, "slip", 1, NULL, "1", NULL, "slip", "1 - speed/kinematic speed", 0, nt_cage_slip, NULL, false},
    {NT_OF_CAGE, "torque", 1, NULL, "N m", NULL, "torque of the pockets about the axis", NULL, 0, nt_cage_torque, NULL, false},
    {NT_OF_CAGE, "power", 1, NULL, "W", NULL, "power of the pockets' friction and damping", "never positive", 0, nt_cage_power, NULL, false},
    {NT_OF_BEARING, "load", 3, xyz, "N", NULL, "force on the inner ring", ground, 0, nt_bearing_load, NULL, false},
    {NT_OF_BEARING, "torque", 1, NULL, "N m", NULL, "torque on the inner ring about its axis", "friction", 0, nt_bearing_torque, NULL, false},
    {NT_OF_BEARING, "power", 1, NULL, "W", NULL, "power of friction and damping", "never positive", 0, nt_bearing_power, NULL, false},
    {NT_OF_BEARING, "pressure", 1, NULL, "Pa", NULL, "largest pressure on the races", NULL, 0, nt_bearing_pressure, NULL, false},
    {NT_OF_BEARING, "ball", 1, NULL, "1", NULL, "number of the ball with the largest pressure", "0: none", 0, nt_bearing_ball_most, NULL, false},
    {NT_OF_BEARING, "film_thickness", 1, NULL, "m", NULL, "least thickness of all films", "0 without a lubricant", 0,
     nt_bearing_film_thickness, NULL, false},
    {NT_OF_BEARING, "shoulder_margin", 1, NULL, "rad", NULL, "least angle from an ellipse to its shoulder", "negative: cut off", 0,
     nt_bearing_margin, NULL, false},
    {NT_OF_ROTATING, "angle", 1, NULL, "rad", NULL, "angle", NULL, 0, joint_angle, vary_angle, false},
    {NT_OF_ROTATING, "rate", 1, NULL, "rad/s", NULL, "rate of the angle", NULL, 0, joint_angle_rate, vary_angle_rate, true},
    {NT_OF_SLIDING, "displacement", 1, NULL, "m", NULL, "displacement", NULL, 0, joint_displacement, vary_displacement, false},
    {NT_OF_SLIDING_ONLY, "rate", 1, NULL, "m/s", NULL, "rate of the displacement", NULL, 0,
     joint_displacement_rate, vary_displacement_rate, true},
    {NT_OF_SLIDING, "displacement_rate", 1, NULL, "m/s", NULL, "rate of the displacement", NULL, 0,
     joint_displacement_rate, vary_displacement_rate, true},

    {NT_OF_JOINED, "position", 3, xyz, "m", NULL, "point of the second body", ground, 0,
     nt_value_joint_position, nt_vary_joint_position, false},
    {NT_OF_JOINED, "relative_position", 3, xyz, "m", NULL, "point of the second body from that of the first", of_a, 0,
     nt_value_joint_relative_position, nt_vary_joint_relative_position, false},
    {NT_OF_JOINED, "relative_velocity", 3, xyz, "m/s", NULL, "rate of the relative position", of_a, 0,
     nt_value_joint_relative_velocity, nt_vary_joint_relative_velocity, true},
    {NT_OF_TURNED, "rotation", 3, xyz, "rad", NULL, "rotation vector of the second body from the first", of_a, 0,
     nt_value_joint_rotation, nt_vary_joint_rotation, false},
    {NT_OF_TURNED, "relative_angular_velocity", 3, xyz, "rad/s", NULL, "angular velocity of the second body from the first",
     of_a, 0, nt_value_joint_angular_velocity, nt_vary_joint_angular_velocity, true},
    {NT_OF_ROLLING, "position", 3, xyz, "m", NULL, "point of the second body", ground, 0,
     nt_value_joint_position, nt_vary_joint_position, false},
    {NT_OF_ROLLING, "relative_position", 3, xyz, "m", NULL, "point of the second body from that of the plane", of_plane, 0,
     nt_value_joint_relative_position, nt_vary_joint_relative_position, false},
    {NT_OF_ROLLING, "relative_velocity", 3, xyz, "m/s", NULL, "rate of the relative position", of_plane, 0,
     nt_value_joint_relative_velocity, nt_vary_joint_relative_velocity, true},
    {NT_OF_ROLLING, "relative_angular_velocity", 3, xyz, "rad/s", NULL, "angular velocity of the second body from the first",
     of_plane, 0, nt_value_joint_angular_velocity, nt_vary_joint_angular_velocity, true},
    {NT_OF_WHEEL, "rate", 1, NULL, "rad/s", NULL, "rate of the turn about its axis", NULL, 0,
     nt_value_wheel_rate, nt_vary_wheel_rate, true},
    {NT_OF_BLADE, "rate", 1, NULL, "m/s", NULL, "speed along the blade", "normal x axis", 0, nt_value_blade_rate, NULL, true},
    {NT_OF_JOINT, "power", 1, NULL, "W", NULL, "power of all that it does", NULL, NT_NEEDS_REACTIONS | NT_NEEDS_ACCELERATIONS | NT_IS_POWER, nt_value_power, NULL, true},
    {NT_OF_JOINT, "energy", 1, NULL, "J", NULL, "potential energy", NULL, NT_IS_ENERGY, nt_value_energy, NULL, false},

    {NT_OF_ACTING, "force", 3, xyz, "N", NULL, on_b, ground, NT_NEEDS_ACCELERATIONS | NT_IS_FORCE, element_force, NULL, true},
    {NT_OF_ACTING, "torque", 3, xyz, "N m", NULL, on_b_torque, ground, NT_NEEDS_ACCELERATIONS | NT_IS_TORQUE, element_torque, NULL, true},
    {NT_OF_LINE, "length", 1, NULL, "m", NULL, "length", NULL, 0, nt_value_along, nt_vary_along, false},
    {NT_OF_LINE, "rate", 1, NULL, "m/s", NULL, "rate of the length", NULL, 0, nt_value_along_rate, nt_vary_along_rate, true},
    {NT_OF_LINE, "tension", 1, NULL, "N", NULL, "pull", NULL, NT_IS_ALONG, nt_value_along_load, NULL, true},
    {NT_OF_WAY, "length", 1, NULL, "m", NULL, "length of the way", NULL, 0, nt_value_rope_length, NULL, false},
    {NT_OF_WAY, "rate", 1, NULL, "m/s", NULL, "rate of the length", NULL, 0, nt_value_rope_rate, NULL, true},
    {NT_OF_WAY, "tension", 2, pulls, "N", NULL, "pull", NULL, 0, nt_value_rope_tension, NULL, false},
    {NT_OF_ELASTIC, "energy", 3, energies, "J", NULL, "energy of its own mass and strain", NULL, NT_IS_ENERGY, nt_value_energies, NULL, true},
    {NT_OF_CABLE, "tension", 2, pulls, "N", NULL, "force on the bodies at the ends", NULL, NT_NEEDS_ACCELERATIONS, cable_tension, NULL, false},
    {NT_OF_CABLE, "length", 1, NULL, "m", NULL, "length along the cable", NULL, 0, cable_length, NULL, false},
    {NT_OF_CABLE, "x", 1, NULL, "m", NULL, "x of a place", "for the height of its seabed alone", 0, station_of_load, vary_station_of_load, false},
    {NT_OF_CABLE, "y", 1, NULL, "m", NULL, "y of a place", "for the height of its seabed alone", 0, station_of_load, vary_station_of_load, false},
    {NT_OF_DISTRIBUTED, "station", 1, NULL, "1", NULL, "station along the beam", "of its own functions alone", 0,
     station_of_load, vary_station_of_load, false},
    {NT_OF_WING, "airspeed", 1, NULL, "m/s", NULL, "speed of the air against the point", NULL, 0,
     nt_value_airspeed, nt_vary_airspeed, true},
    {NT_OF_WING, "angle_of_attack", 1, NULL, "rad", NULL, "angle of attack", NULL, 0,
     nt_value_attack, nt_vary_attack, true},
    {NT_OF_ABOUT, "angle", 1, NULL, "rad", NULL, "angle", NULL, 0, nt_value_along, nt_vary_along, false},
    {NT_OF_ABOUT, "rate", 1, NULL, "rad/s", NULL, "rate of the angle", NULL, 0, nt_value_along_rate, nt_vary_along_rate, true},
    {NT_OF_ABOUT, "moment", 1, NULL, "N m", NULL, "moment on the second body about the axis", NULL, NT_IS_ALONG, nt_value_along_load, NULL, true},
    {NT_OF_ALONG, "displacement", 1, NULL, "m", NULL, "displacement", NULL, 0, nt_value_along, nt_vary_along, false},
    {NT_OF_ALONG, "rate", 1, NULL, "m/s", NULL, "rate of the displacement", NULL, 0, nt_value_along_rate, nt_vary_along_rate, true},
    {NT_OF_ALONG, "thrust", 1, NULL, "N", NULL, "force on the second body along the axis", NULL, NT_IS_ALONG, nt_value_along_load, NULL, true},
    {NT_OF_FORCE, "power", 1, NULL, "W", NULL, "power of all that it does", NULL, NT_NEEDS_ACCELERATIONS | NT_IS_POWER, nt_value_power, NULL, true},
    {NT_OF_FORCE, "energy", 1, NULL, "J", NULL, "potential energy", NULL, NT_IS_ENERGY, nt_value_energy, NULL, false},

    {NT_OF_STATE, "", 1, NULL, "", NULL, "value", NULL, 0, state_value, vary_state, true},
    {NT_OF_HELD, "", 1, NULL, "", NULL, "value", NULL, 0, held_value, vary_state, false},
    {NT_OF_DELAY, "delay", 1, NULL, "", NULL, "delay", NULL, 0, delayed_value, NULL, false},
    {NT_OF_SWITCH, "switch", 2, NULL, "", NULL, "operation that jumps", NULL, NT_NEEDS_REACTIONS, switch_value, NULL, false},
    {NT_OF_NAMED, "", 1, NULL, "", NULL, "quantity ", NULL, 0, named_value, NULL, false},

    {NT_OF_WHOLE, "energy", 4, energies, "J", NULL, "energy", NULL, NT_NEEDS_ENERGY, whole_energy, NULL, false},
    {NT_OF_WHOLE, "momentum", 3, xyz, "kg m/s", NULL, "momentum", ground, 0, whole_momentum, NULL, false},
    {NT_OF_WHOLE, "angular_momentum", 3, xyz, "kg m2/s", NULL,
     "angular momentum about the origin of the ground", ground, NT_IS_ANGULAR, whole_angular_momentum, NULL, false},
    {NT_OF_WHOLE, "constraint_drift", 2, levels, "m", "m/s", "largest constraint equation", NULL,
     NT_NEEDS_DRIFT, whole_drift, NULL, false},
    {NT_OF_WHOLE, "step_size", 1, NULL, "s", NULL, "size of the last step", NULL, NT_IS_STEP, whole_step, NULL, false},
};
/* clang-format on */
const int nt_quantity_kind_count = sizeof nt_quantity_kinds / sizeof nt_quantity_kinds[0];
