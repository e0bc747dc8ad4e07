/* Recorded quantities of frames: where the axes of a body point, its Euler angles, and how the two
 * frames of a joint stand to each other.
 *
 * A joint has a point and a triad (e1, e2, e3) on A, a point and a triad (f1, f2, f3) on B, which
 * coincide at the start where the joint is free to turn. With E = (e1, e2, e3) and F in ground
 * axes:
 *
 *   relative position    E^T (p_B - p_A)          relative velocity   its derivative
 *   rotation             psi = log(E^T F)         dpsi = T^-T(psi) E^T (dtheta_B - dtheta_A)
 *   angular velocity     E^T (w_B - w_A) */
#include "model/bodies/euler.h"
#include "model/joints/joint_rows.h"
#include "model/quantities/quantity_values.h"

#include <nutate/group.h>

/* ---- bodies --------------------------------------------------------------------------------- */

static v3 frame_unit(int i) { return v3_of(i == 0, i == 1, i == 2); }

/* Axis k of a body: a = R e_k, d(e_i . a) = (a x e_i) . dtheta. */
static void body_axis(const nt_sampler *s, int body, int k, double *out)
{
    v3_store(out, m3_apply(s->view->motion[body].R, frame_unit(k)));
}
static void vary_body_axis(const nt_view *view, int body, int k, int i, nt_signal_gradient *g)
{
    g->r[0] = v3_cross(m3_apply(view->motion[body].R, frame_unit(k)), frame_unit(i));
}

#define BODY_AXIS(name, k)                                                                         \
    void nt_value_##name(const nt_sampler *s, int body, double *out)                               \
    {                                                                                              \
        body_axis(s, body, k, out);                                                                \
    }                                                                                              \
    void nt_vary_##name(const nt_view *view, int body, int i, nt_signal_gradient *g)               \
    {                                                                                              \
        vary_body_axis(view, body, k, i, g);                                                       \
    }
BODY_AXIS(x_axis, 0)
BODY_AXIS(y_axis, 1)
BODY_AXIS(z_axis, 2)

/* Numbers as in nt_euler_sequences. */
#define EULER(name, sequence)                                                                      \
    void nt_value_euler_##name(const nt_sampler *s, int body, double *out)                         \
    {                                                                                              \
        nt_euler_angles(sequence, s->view->motion[body].R, out);                                   \
    }                                                                                              \
    void nt_vary_euler_##name(const nt_view *view, int body, int i, nt_signal_gradient *g)         \
    {                                                                                              \
        g->r[0] = nt_euler_gradient(sequence, view->motion[body].R, i);                            \
    }
EULER(xyz, 0)
EULER(yzx, 1)
EULER(zxy, 2)
EULER(xzy, 3)
EULER(yxz, 4)
EULER(zyx, 5)
EULER(xyx, 6)
EULER(xzx, 7)
EULER(yxy, 8)
EULER(yzy, 9)
EULER(zxz, 10)
EULER(zyz, 11)

/* ---- joints --------------------------------------------------------------------------------- */

static const nt_row_spec along_axes[3] = {
    {NT_ROW_ALONG, 0, 0}, {NT_ROW_ALONG, 1, 0}, {NT_ROW_ALONG, 2, 0}};

static joint_geometry frames_of(const nt_view *view, int element)
{
    joint_geometry g;
    joint_geometry_of(&g, &view->model->elements[element], view);
    return g;
}

void nt_value_joint_position(const nt_sampler *s, int element, double *out)
{
    joint_geometry g = frames_of(s->view, element);
    v3_store(out, g.pb.r);
}
void nt_vary_joint_position(const nt_view *view, int element, int i, nt_signal_gradient *g)
{
    joint_geometry at = frames_of(view, element);
    g->x[1] = frame_unit(i);
    g->r[1] = v3_cross(at.pb.arm, frame_unit(i));
}

static void relative_rows(const nt_sampler *s, int element, nt_level level, double *out)
{
    joint_geometry g = frames_of(s->view, element);
    joint_row row;
    for (int i = 0; i < 3; i++) {
        joint_row_of(&row, &g, &along_axes[i], 0, level, 0, NULL);
        out[i] = row.value;
    }
}
void nt_value_joint_relative_position(const nt_sampler *s, int element, double *out)
{
    relative_rows(s, element, NT_POSITION, out);
}
void nt_value_joint_relative_velocity(const nt_sampler *s, int element, double *out)
{
    relative_rows(s, element, NT_VELOCITY, out);
}
static void vary_row(const nt_view *view, int element, int i, nt_level level, nt_signal_gradient *g)
{
    joint_geometry at = frames_of(view, element);
    joint_row row;
    joint_row_of(&row, &at, &along_axes[i], 0, level, 0, NULL);
    g->x[0] = row.a.x, g->r[0] = row.a.theta, g->v[0] = row.a.v, g->w[0] = row.a.w;
    g->x[1] = row.b.x, g->r[1] = row.b.theta, g->v[1] = row.b.v, g->w[1] = row.b.w;
}
void nt_vary_joint_relative_position(const nt_view *view, int element, int i, nt_signal_gradient *g)
{
    vary_row(view, element, i, NT_POSITION, g);
}
void nt_vary_joint_relative_velocity(const nt_view *view, int element, int i, nt_signal_gradient *g)
{
    vary_row(view, element, i, NT_VELOCITY, g);
}

static m3 triad(const body_vector t[3])
{
    return (m3){t[0].r.x, t[1].r.x, t[2].r.x, t[0].r.y, t[1].r.y,
                t[2].r.y, t[0].r.z, t[1].r.z, t[2].r.z};
}

void nt_value_joint_rotation(const nt_sampler *s, int element, double *out)
{
    joint_geometry g = frames_of(s->view, element);
    double R[9], q[4];
    m3_store(R, m3_multiply(m3_transpose(triad(g.e)), triad(g.f)));
    nt_so3_from_matrix(R, q);
    nt_so3_log(q, out);
}
void nt_vary_joint_rotation(const nt_view *view, int element, int i, nt_signal_gradient *g)
{
    joint_geometry at = frames_of(view, element);
    nt_sampler sampler;
    double psi[3], inverse[9];
    sampler.view = view;
    nt_value_joint_rotation(&sampler, element, psi);
    nt_so3_tangent_inverse(psi, inverse); /* row i of T^-T: column i of T^-1 */
    g->r[1] = m3_apply(triad(at.e), v3_of(inverse[i], inverse[3 + i], inverse[6 + i]));
    g->r[0] = v3_neg(g->r[1]);
}

void nt_value_joint_angular_velocity(const nt_sampler *s, int element, double *out)
{
    joint_geometry g = frames_of(s->view, element);
    v3_store(out, m3_apply_transposed(triad(g.e), v3_sub(g.b->w, g.a->w)));
}
/* d(e . w) = e . dw + (e x w) . dtheta_A: e turns with A. */
void nt_vary_joint_angular_velocity(const nt_view *view, int element, int i, nt_signal_gradient *g)
{
    joint_geometry at = frames_of(view, element);
    v3 e = at.e[i].r;
    g->w[0] = v3_neg(e);
    g->w[1] = e;
    g->r[0] = v3_cross(e, v3_sub(at.b->w, at.a->w));
}

/* What rolls or glides: of a disk f3 . (w_B - w_A), where f3 turns with B; of a blade t . V, where
 * V is the velocity that A sees and t is along e3 x f3. */
void nt_value_wheel_rate(const nt_sampler *s, int element, double *out)
{
    joint_geometry g = frames_of(s->view, element);
    *out = v3_dot(g.f[2].r, v3_sub(g.b->w, g.a->w));
}
void nt_vary_wheel_rate(const nt_view *view, int element, int i, nt_signal_gradient *g)
{
    joint_geometry at = frames_of(view, element);
    v3 f = at.f[2].r;
    (void)i;
    g->w[0] = v3_neg(f);
    g->w[1] = f;
    g->r[1] = v3_cross(f, v3_sub(at.b->w, at.a->w));
}
void nt_value_blade_rate(const nt_sampler *s, int element, double *out)
{
    joint_geometry g = frames_of(s->view, element);
    v3 along = v3_cross(g.e[2].r, g.f[2].r), V = v3_sub(g.d1, v3_cross(g.a->w, g.d));
    *out = v3_dot(along, V) / v3_norm(along);
}
