/* The free coordinates of joints, and loads along them.
 *
 * The angle of f1 from e1 about e3 is phi = atan2(s, c) with s = e2 . f1, c = e1 . f1; with
 * D = s^2 + c^2 (1 where the axes coincide)
 *
 *   dphi = (c ds - s dc)/D,   phi' = (c s' - s c')/D,
 *   d(phi') = (dc s' + c ds' - ds c' - s dc')/D - 2 phi' (c dc + s ds)/D.
 *
 * and, as a row of a constraint at the level of accelerations, with N = c s'' - s c'' and
 * E = c c' + s s',
 *
 *   phi'' = (N - 2 phi' E)/D,
 *   d(phi'') = (dN - 2 E d(phi') - 2 phi' dE - phi'' dD)/D.
 *
 * The displacement is e3 . d. */
#include "group/rotation.h"
#include "model/evaluate.h"
#include "model/joints/joint_rows.h"

#include <math.h>
#include <stddef.h>

static const double TURN = 6.283185307179586476925286766559;

static const nt_row_spec sine_spec = {NT_ROW_PERPENDICULAR, 1, 0};
static const nt_row_spec cosine_spec = {NT_ROW_PERPENDICULAR, 0, 0};
static const nt_row_spec slide_spec = {NT_ROW_ALONG, 2, 0};

/* target += k row: values, gradients and forces alike. */
static void coordinate_add_multiple(joint_row *target, double k, const joint_row *row)
{
    double *to = (double *)(void *)target;
    const double *from = (const double *)(const void *)row;
    for (size_t i = 0; i < sizeof *row / sizeof *to; i++) /* a row holds numbers alone */
        to[i] += k * from[i];
}

joint_row joint_row_scaled(double k, const joint_row *row)
{
    joint_row out = {0};
    coordinate_add_multiple(&out, k, row);
    return out;
}

static void coordinate_row(joint_row *out, const joint_geometry *g, nt_level level)
{
    joint_row s[3], c[3], phi[3] = {{0}};
    for (int i = 0; i <= (int)level; i++) {
        joint_row_of(&s[i], g, &sine_spec, 0, (nt_level)i, 0, NULL);
        joint_row_of(&c[i], g, &cosine_spec, 0, (nt_level)i, 0, NULL);
    }
    double S = s[0].value, C = c[0].value, D = S * S + C * C;
    coordinate_add_multiple(&phi[0], C / D, &s[0]);
    coordinate_add_multiple(&phi[0], -S / D, &c[0]);
    phi[0].value = atan2(S, C);
    if (level >= NT_VELOCITY) {
        double S1 = s[1].value, C1 = c[1].value, rate = (C * S1 - S * C1) / D;
        coordinate_add_multiple(&phi[1], C / D, &s[1]);
        coordinate_add_multiple(&phi[1], -S / D, &c[1]);
        coordinate_add_multiple(&phi[1], (S1 - 2 * rate * C) / D, &c[0]);
        coordinate_add_multiple(&phi[1], (-C1 - 2 * rate * S) / D, &s[0]);
        phi[1].value = rate;
    }
    if (level == NT_ACCELERATION) {
        double S1 = s[1].value, C1 = c[1].value, S2 = s[2].value, C2 = c[2].value;
        double rate = phi[1].value, E = C * C1 + S * S1;
        double second = (C * S2 - S * C2 - 2 * rate * E) / D;
        coordinate_add_multiple(&phi[2], C / D, &s[2]);
        coordinate_add_multiple(&phi[2], -S / D, &c[2]);
        coordinate_add_multiple(&phi[2], -2 * rate * C / D, &c[1]);
        coordinate_add_multiple(&phi[2], -2 * rate * S / D, &s[1]);
        coordinate_add_multiple(&phi[2], (S2 - 2 * rate * C1 - 2 * second * C) / D, &c[0]);
        coordinate_add_multiple(&phi[2], (-C2 - 2 * rate * S1 - 2 * second * S) / D, &s[0]);
        coordinate_add_multiple(&phi[2], -2 * E / D, &phi[1]);
        phi[2].value = second;
    }
    *out = phi[level];
    /* forces are those of a moment about the axis of A: see nt_axis_load_add */
    out->moment_b = g->e[2].r;
    out->moment_a = v3_neg(g->e[2].r);
    out->force_a = out->force_b = v3_of(0, 0, 0);
}

/* The value nearest to where the angle must be by now. Of a driven joint that is its motion, which
 * may jump; of a free one the last one, carried on by the mean of the
 * rates then and now. Any number of turns in a step are counted as long as the rate changes by less
 * than half a turn per step. Memory holds angle, rate and time. */
static double continuous(const nt_element *element, const nt_view *view, double angle, double rate)
{
    const nt_joint *joint = nt_joint_of(view->run, element);
    if (joint->motion) {
        double f[3];
        nt_motion_jet(view->run, joint->motion, f);
        return f[0] + remainder(angle - f[0], TURN);
    }
    if (!view->at->memory || element->memory < 0)
        return angle;
    const double *last = view->at->memory + element->memory;
    double expected = last[0] + (view->at->t - last[2]) * (last[1] + rate) / 2;
    return expected + remainder(angle - expected, TURN);
}

static void angle_coordinate(nt_coordinate *out, const joint_geometry *g)
{
    joint_row s, c, s1, c1;
    joint_row_of(&s, g, &sine_spec, 0, NT_POSITION, 0, NULL);
    joint_row_of(&c, g, &cosine_spec, 0, NT_POSITION, 0, NULL);
    joint_row_of(&s1, g, &sine_spec, 0, NT_VELOCITY, 0, NULL);
    joint_row_of(&c1, g, &cosine_spec, 0, NT_VELOCITY, 0, NULL);
    double D = s.value * s.value + c.value * c.value;
    out->value = atan2(s.value, c.value);
    out->rate = (c.value * s1.value - s.value * c1.value) / D;
    const v3 ds[2] = {s.a.theta, s.b.theta}, dc[2] = {c.a.theta, c.b.theta};
    const v3 ds1[2] = {s1.a.theta, s1.b.theta}, dc1[2] = {c1.a.theta, c1.b.theta};
    v3 *gradient[2] = {&out->ra, &out->rb}, *rate[2] = {&out->rate_ra, &out->rate_rb};
    for (int i = 0; i < 2; i++) {
        *gradient[i] = v3_scale(1 / D, v3_sub(v3_scale(c.value, ds[i]), v3_scale(s.value, dc[i])));
        v3 sum = v3_sub(v3_scale(s1.value, dc[i]), v3_scale(c1.value, ds[i]));
        sum = v3_add(sum, v3_sub(v3_scale(c.value, ds1[i]), v3_scale(s.value, dc1[i])));
        v3 dD = v3_scale(2, v3_add(v3_scale(c.value, dc[i]), v3_scale(s.value, ds[i])));
        *rate[i] = v3_scale(1 / D, v3_axpy(-out->rate, dD, sum));
    }
}

void nt_joint_angle(const nt_element *element, const nt_view *view, double *angle, double *rate)
{
    const nt_joint *joint = nt_joint_of(view->run, element);
    const nt_motion *a = &view->motion[element->a], *b = &view->motion[element->b];
    body_vector e1 = body_direction(a, joint->e[0]), e2 = body_direction(a, joint->e[1]);
    body_vector f1 = body_direction(b, joint->f[0]);
    double s = v3_dot(e2.r, f1.r), s1 = v3_dot(e2.r1, f1.r) + v3_dot(e2.r, f1.r1);
    double c = v3_dot(e1.r, f1.r), c1 = v3_dot(e1.r1, f1.r) + v3_dot(e1.r, f1.r1);
    *rate = (c * s1 - s * c1) / (s * s + c * c);
    *angle = continuous(element, view, atan2(s, c), *rate);
}

nt_coordinate nt_joint_coordinate(const nt_element *element, const nt_view *view, bool translation)
{
    joint_geometry g;
    joint_geometry_of(&g, element, view);
    nt_coordinate out = {0};
    if (!translation) {
        angle_coordinate(&out, &g);
        out.value = continuous(element, view, out.value, out.rate);
        return out;
    }
    joint_row row, rate;
    joint_row_of(&row, &g, &slide_spec, 0, NT_POSITION, 0, NULL);
    joint_row_of(&rate, &g, &slide_spec, 0, NT_VELOCITY, 0, NULL);
    out.value = row.value;
    out.rate = rate.value;
    out.xa = row.a.x, out.ra = row.a.theta, out.xb = row.b.x, out.rb = row.b.theta;
    out.rate_xa = rate.a.x, out.rate_ra = rate.a.theta;
    out.rate_xb = rate.b.x, out.rate_rb = rate.b.theta;
    return out;
}

/* The rotation vector of the triad of B in that of A, by the largest of the four squares of its
 * quaternion, of any length: Q_kj = e_k . f_j. */
static v3 rotation_of(const joint_geometry *g)
{
    double Q[3][3], trace = 0;
    int i = 0;
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++)
            Q[k][j] = v3_dot(g->e[k].r, g->f[j].r);
    for (int k = 0; k < 3; k++) {
        trace += Q[k][k];
        i = Q[k][k] > Q[i][i] ? k : i;
    }
    if (trace > Q[i][i])
        return so3_log((quat){1 + trace, Q[2][1] - Q[1][2], Q[0][2] - Q[2][0], Q[1][0] - Q[0][1]});
    int j = (i + 1) % 3, k = (i + 2) % 3;
    double v[3];
    v[i] = 1 + 2 * Q[i][i] - trace;
    v[j] = Q[i][j] + Q[j][i];
    v[k] = Q[i][k] + Q[k][i];
    return so3_log((quat){Q[k][j] - Q[j][k], v[0], v[1], v[2]});
}

void nt_joint_find_lock(const nt_element *element, const nt_view *view, double *lock)
{
    const nt_joint *joint = nt_joint_of(view->run, element);
    joint_geometry g;
    joint_geometry_of(&g, element, view);
    if (joint->rotates)
        lock[NT_LOCK_ANGLE] = nt_joint_coordinate(element, view, false).value;
    for (int k = 0; k < 3; k++)
        lock[NT_LOCK_ALONG + k] = v3_dot(g.e[k].r, g.d);
    if (joint->turns)
        v3_store(lock + NT_LOCK_ROTATION, rotation_of(&g));
}

void nt_joint_coordinate_row(const nt_element *element, const nt_view *view, bool translation,
                             nt_level level, joint_row *row)
{
    joint_geometry g;
    joint_geometry_of(&g, element, view);
    if (translation) {
        joint_row_of(row, &g, &slide_spec, 0, level, 0, NULL);
        return;
    }
    coordinate_row(row, &g, level);
    if (level == NT_POSITION)
        row->value = nt_joint_coordinate(element, view, false).value;
}

static void coordinate_push(const nt_view *view, int port, v3 f)
{
    nt_view_force(view, nt_view_port(view, port), f);
}
static void coordinate_put(const nt_view *view, int row, int column, m3 block)
{
    nt_view_add(view, nt_view_port(view, row), nt_view_port(view, column), block);
}

/* Residual -s times the direction of the load in each node, and its tangent. */
static void direction_of(const joint_geometry *g, bool translation, v3 direction[NT_PAIR_NODES])
{
    v3 axis = g->e[2].r, none = v3_of(0, 0, 0);
    direction[NT_T_A] = translation ? v3_neg(axis) : none;
    direction[NT_T_B] = translation ? axis : none;
    direction[NT_R_A] =
        translation ? v3_neg(v3_cross(v3_add(g->d, g->pa.arm), axis)) : v3_neg(axis);
    direction[NT_R_B] = translation ? v3_cross(g->pb.arm, axis) : axis;
}

void nt_axis_load_direction(const nt_element *joint, const nt_view *view, bool translation,
                            v3 direction[NT_PAIR_NODES])
{
    joint_geometry g;
    joint_positions_of(&g, joint, view);
    direction_of(&g, translation, direction);
}

void nt_axis_load_add(const nt_element *joint, const nt_view *view, const nt_axis_load *load)
{
    const nt_terms *terms = view->terms;
    joint_geometry g;
    joint_geometry_of(&g, joint, view);
    v3 axis = g.e[2].r, direction[4];
    direction_of(&g, load->translation, direction);
    if (terms->residual) {
        coordinate_push(view, NT_T_A, v3_scale(-load->s, direction[NT_T_A]));
        coordinate_push(view, NT_R_A, v3_scale(-load->s, direction[NT_R_A]));
        coordinate_push(view, NT_T_B, v3_scale(-load->s, direction[NT_T_B]));
        coordinate_push(view, NT_R_B, v3_scale(-load->s, direction[NT_R_B]));
    }
    if (!terms->matrix)
        return;
    double k = terms->combination->stiffness, c = terms->combination->damping;
    v3 along[4] = {v3_axpy(k, load->s_xa, v3_scale(c, load->s_va)), v3_scale(k, load->s_ra),
                   v3_axpy(k, load->s_xb, v3_scale(c, load->s_vb)), v3_scale(k, load->s_rb)};
    along[NT_R_A] =
        v3_add(along[NT_R_A], m3_apply_transposed(nt_rate_map(view, joint->a, c, k), load->s_wa));
    along[NT_R_B] =
        v3_add(along[NT_R_B], m3_apply_transposed(nt_rate_map(view, joint->b, c, k), load->s_wb));
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            coordinate_put(view, i, j, m3_scale(-1, m3_dyad(direction[i], along[j])));
    if (load->translation) {
        joint_row_tangent(view, &g, &slide_spec, 0, NULL, -load->s * k);
    } else { /* d e3 = -e3~ dtheta_A */
        coordinate_put(view, NT_R_B, NT_R_A, m3_scale(k * load->s, m3_skew(axis)));
        coordinate_put(view, NT_R_A, NT_R_A, m3_scale(-k * load->s, m3_skew(axis)));
    }
}

void nt_joint_accept(const nt_element *e, const nt_view *view, double *next)
{
    nt_joint_angle(e, view, &next[0], &next[1]);
    next[2] = view->at->t;
}
