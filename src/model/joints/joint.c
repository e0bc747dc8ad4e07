/* What all joints share: keys, geometry at the given placement, and the loop over their rows. */
#include "model/joints/joint.h"

#include "base/direction.h"
#include "base/error.h"
#include "base/target.h"
#include "model/bodies/mass_point.h"
#include "model/evaluate.h"
#include "model/forces/load.h"
#include "model/joints/joint_rows.h"

#include <stddef.h>
#include <string.h>

/* ---- geometry ------------------------------------------------------------------------------- */

nt_status nt_joint_refuse(const nt_model *model, const nt_element *e, nt_error *error,
                          const char *what)
{
    return nt_fail_at(error, NT_BAD_MODEL, model->file, e->place.line, e->place.column,
                      "joint %s (%s) %s", e->name, e->type->name, what);
}

/* The coordinate axis that is least along a unit axis. */
int nt_joint_least_along(v3 axis)
{
    double x = fabs(axis.x), y = fabs(axis.y), z = fabs(axis.z);
    return x <= y && x <= z ? 0 : y <= z ? 1 : 2;
}

/* A unit vector perpendicular to a unit axis, across a coordinate axis. The one that was chosen
 * first stays (a joint's rows must depend smoothly on parameters), unless the axis has turned to
 * within 6 degrees of it. */
v3 nt_joint_perpendicular(v3 axis, int across)
{
    v3 e = v3_cross(v3_of(across == 0, across == 1, across == 2), axis);
    if (v3_norm(e) < 0.1) {
        across = nt_joint_least_along(axis);
        e = v3_cross(v3_of(across == 0, across == 1, across == 2), axis);
    }
    return v3_scale(1 / v3_norm(e), e);
}

bool nt_joint_unit_axis(const double given[3], v3 *axis)
{
    double unit[3];
    if (!nt_direction(given, 3, unit))
        return false;
    *axis = v3_load(unit);
    return true;
}

/* A point that the file gives, from the body's reference point in body axes. own: the coordinates
 * are in the body's own axes from its origin, else in ground axes at the given placement. A mass
 * point is joined where it is; where the file says another place the joint is open. */
v3 nt_joint_point(const nt_run *run, const nt_place_of_point *point, int body, bool own)
{
    const nt_body *b = &run->bodies[body];
    v3 at = v3_load(point->at);
    if (b->point)
        return v3_of(0, 0, 0);
    if (point->marker >= 0) {
        const nt_marker *marker = &run->markers[point->marker];
        const nt_body *on = &run->bodies[marker->on];
        v3 X = v3_sub(v3_load(marker->at), on->reference);
        if (marker->on == body)
            return X;
        at = v3_add(on->x0, m3_apply(quat_matrix(on->q0), X));
        own = false;
    }
    if (own)
        return v3_sub(at, b->reference);
    return m3_apply_transposed(quat_matrix(b->q0), v3_sub(at, b->x0));
}

/* A joint of a beam's node needs no place: it is where the node is. Of two nodes, where both are.
 */
static bool place_of_node(const nt_run *run, const nt_element *e, nt_place_of_point *at)
{
    const nt_body *a = &run->bodies[e->a], *b = &run->bodies[e->b];
    const nt_body *node = b->carried ? b : a;
    double apart = v3_norm(v3_sub(a->x0, b->x0));
    if (!node->carried || (a->carried && b->carried && apart > 1e-9 * v3_norm(node->x0)))
        return false;
    *at = (nt_place_of_point){.marker = -1};
    v3_store(at->at, node->x0);
    return true;
}

static nt_status find_points(const nt_run *run, const nt_element *e, nt_joint *joint, bool validate,
                             nt_error *error)
{
    const nt_model *model = run->model;
    bool own = joint->given & NT_GIVEN_POINTS;
    nt_place_of_point at = joint->at;
    bool given = joint->given & NT_GIVEN_AT || (!own && place_of_node(run, e, &at));
    if (own == given)
        return nt_joint_refuse(
            model, e, error,
            own ? "has both `at` and `points`, expected one of them"
                : "has no place, expected `at` (ground axes) or `points` (body axes)");
    for (int i = 0; own && validate && i < 2; i++) {
        bool coordinates = joint->points[i].marker < 0;
        v3 off = coordinates ? v3_load(joint->points[i].at) : v3_of(0, 0, 0);
        nt_status status =
            nt_mass_point_place(model, e, i == 0 ? e->a : e->b, off, v3_norm(off), error);
        if (status != NT_OK)
            return status;
    }
    joint->point_a = nt_joint_point(run, own ? &joint->points[0] : &at, e->a, own);
    joint->point_b = nt_joint_point(run, own ? &joint->points[1] : &at, e->b, own);
    return NT_OK;
}

/* e3 and f3. With `at` axes are in ground axes, with `points` in the bodies' own. Where B is a mass
 * point there is one axis, of A. */
static nt_status find_axes(const nt_run *run, const nt_element *e, nt_joint *joint, bool two,
                           bool needed, bool validate, nt_error *error)
{
    const nt_model *model = run->model;
    m3 Ra = quat_matrix(run->bodies[e->a].q0), Rb = quat_matrix(run->bodies[e->b].q0);
    bool own = joint->given & NT_GIVEN_POINTS;
    bool one = joint->given & NT_GIVEN_JOINT_AXIS, both = joint->given & NT_GIVEN_AXES;
    bool onto_point = model->bodies[e->b].point;
    v3 a = v3_of(0, 0, 1), b = a;
    if (one && both)
        return nt_joint_refuse(model, e, error, "has both `axis` and `axes`, expected one of them");
    if (both && onto_point)
        return nt_joint_refuse(model, e, error,
                               "has two axes, but B is a point: expected one `axis`, of A");
    if (two && !both)
        return nt_joint_refuse(model, e, error, "needs two `axes`: of A, then of B");
    if (needed && !one && !both)
        return nt_joint_refuse(model, e, error, "needs an `axis`");
    if (own && one && !onto_point)
        return nt_joint_refuse(
            model, e, error,
            "has `points` in body axes and one `axis`: expected `axes`, one in each "
            "body's own axes");
    if ((one && !nt_joint_unit_axis(joint->axis, &a)) ||
        (both &&
         (!nt_joint_unit_axis(joint->axes[0], &a) || !nt_joint_unit_axis(joint->axes[1], &b))))
        return nt_joint_refuse(model, e, error, "has an axis of length zero");
    if (!both)
        b = a;
    if (!own) {
        a = m3_apply_transposed(Ra, a);
        b = m3_apply_transposed(Rb, b);
    } else if (!both)
        b = m3_apply_transposed(Rb, m3_apply(Ra, a));
    joint->e[2] = a;
    joint->f[2] = b;
    if (validate)
        joint->across = nt_joint_least_along(a);
    joint->e[0] = nt_joint_perpendicular(a, joint->across);
    joint->e[1] = v3_cross(a, joint->e[0]);
    return NT_OK;
}

/* f1 beside e1 at the present placement: the angle's zero. */
void nt_joint_align(nt_run *run, const nt_element *element)
{
    nt_joint *joint = nt_element_numbers(run, element);
    m3 Ra = quat_matrix(run->bodies[element->a].q0);
    m3 Rb = quat_matrix(run->bodies[element->b].q0);
    v3 f1 = m3_apply_transposed(Rb, m3_apply(Ra, joint->e[0]));
    f1 = v3_axpy(-v3_dot(f1, joint->f[2]), joint->f[2], f1);
    double length = v3_norm(f1);
    joint->f[0] = length > 1e-3
                      ? v3_scale(1 / length, f1)
                      : nt_joint_perpendicular(joint->f[2], nt_joint_least_along(joint->f[2]));
    joint->f[1] = v3_cross(joint->f[2], joint->f[0]);
}

static nt_status check_enforcement(const nt_model *model, const nt_element *e,
                                   const nt_joint *joint, nt_error *error)
{
    if (joint->enforce == 1 && !(joint->stiffness > 0))
        return nt_joint_refuse(model, e, error,
                               "is enforced by penalty: expected a positive `stiffness`");
    if (joint->enforce == 0 && (joint->given & (NT_GIVEN_STIFFNESS | NT_GIVEN_DAMPING)))
        return nt_joint_refuse(
            model, e, error,
            "has a stiffness or damping but no `enforce: penalty`; without it the joint is "
            "exact (a spring or damper of what it leaves free is a torsion_spring or joint_spring "
            "among the forces)");
    if (joint->damping < 0)
        return nt_joint_refuse(model, e, error, "has negative damping");
    if (!(joint->restitution >= 0 && joint->restitution <= 1))
        return nt_joint_refuse(model, e, error, "has a restitution that is not from 0 to 1");
    if (joint->enforce == 1 && (joint->given & NT_GIVEN_ACTIVE))
        return nt_joint_refuse(model, e, error,
                               "has `active` and `enforce: penalty`: joints are engaged and "
                               "released where they are exact");
    if (joint->enforce == 0 && (joint->given & NT_GIVEN_PART))
        return nt_joint_refuse(
            model, e, error,
            "has a `part` but no `enforce: penalty`: the forces of multipliers are neither "
            "explicit nor implicit");
    return NT_OK;
}

nt_status nt_joint_prepare(nt_run *run, const nt_element *element, const nt_row_spec *specs, int n,
                           bool validate, nt_error *error)
{
    nt_joint *joint = nt_element_numbers(run, element);
    const nt_model *model = run->model;
    joint->rotates = nt_element_rotates(model, element);
    joint->slides = element->type->slides;
    joint->turns = !model->bodies[element->a].point && !model->bodies[element->b].point;
    nt_status status = nt_mass_point_rows(run, element, specs, &n, error);
    if (status != NT_OK)
        return status;
    bool needs_axis = false, universal = false, distance = false;
    for (int i = 0; i < n; i++) {
        needs_axis |= specs[i].kind == NT_ROW_ALONG || specs[i].kind == NT_ROW_PERPENDICULAR;
        universal |= specs[i].kind == NT_ROW_PERPENDICULAR && specs[i].i == 2 && specs[i].j == 2;
        distance |= specs[i].kind == NT_ROW_DISTANCE;
    }
    bool rigid =
        n == 4 && specs[0].kind == NT_ROW_COINCIDE && specs[3].kind == NT_ROW_PERPENDICULAR;
    joint->specs = specs;
    joint->n_specs = n;
    joint->spans = distance && !model->bodies[element->a].point;
    joint->only_point =
        n == 1 && specs[0].kind == NT_ROW_COINCIDE && !joint->motion && !joint->locks;
    status = find_points(run, element, joint, validate, error);
    if (status == NT_OK)
        status = find_axes(run, element, joint, universal, needs_axis && !rigid, validate, error);
    if (status == NT_OK && validate)
        status = check_enforcement(model, element, joint, error);
    if (status == NT_OK && validate)
        status = nt_joint_load_check(run, element, error);
    if (status != NT_OK)
        return status;
    nt_joint_align(run, element);
    if (distance) {
        v3 d = v3_sub(nt_load_ground_point(run, element->b, joint->point_b),
                      nt_load_ground_point(run, element->a, joint->point_a));
        if (!(joint->given & NT_GIVEN_LENGTH))
            joint->length = v3_norm(d);
        if (validate && !(joint->length > 0))
            return nt_load_refuse(model, element, error,
                                  "length is %g m, expected a positive one (a spherical joint has "
                                  "none)",
                                  joint->length);
    }
    return NT_OK;
}

v3 nt_joint_site(const nt_run *run, const nt_element *element)
{
    return nt_load_ground_point(run, element->a, nt_joint_of(run, element)->point_a);
}

bool nt_joint_is_smooth(const nt_run *run, const nt_element *element)
{
    return !(nt_joint_of(run, element)->given & (NT_GIVEN_FRICTION | NT_GIVEN_LIMITS));
}

bool nt_joint_does_work(const nt_model *model, const nt_element *element)
{
    const nt_joint *joint = nt_model_data(model, element);
    return joint->given & (NT_GIVEN_MOTION | NT_GIVEN_FRICTION | NT_GIVEN_LIMITS |
                           NT_GIVEN_ENFORCE | NT_GIVEN_DAMPING);
}

/* ---- blocks --------------------------------------------------------------------------------- */

static const int point_blocks[NT_POINT_BLOCKS][2] = {
    [NT_POINT_L_TA] = {NT_ROWS, NT_T_A}, [NT_POINT_TA_L] = {NT_T_A, NT_ROWS},
    [NT_POINT_L_TB] = {NT_ROWS, NT_T_B}, [NT_POINT_TB_L] = {NT_T_B, NT_ROWS},
    [NT_POINT_L_RA] = {NT_ROWS, NT_R_A}, [NT_POINT_RA_L] = {NT_R_A, NT_ROWS},
    [NT_POINT_L_RB] = {NT_ROWS, NT_R_B}, [NT_POINT_RB_L] = {NT_R_B, NT_ROWS},
    [NT_POINT_RA_RA] = {NT_R_A, NT_R_A}, [NT_POINT_RB_RB] = {NT_R_B, NT_R_B},
};

nt_status nt_joint_declare(nt_model *model, nt_element *e)
{
    nt_joint *joint = nt_element_numbers(model->origin, e);
    bool points = false, directions = false; /* what the tangents of the forces couple */
    nt_row_spec specs[8];
    int n = nt_joint_specs(joint, specs);
    for (int i = 0; i < n; i++) {
        directions |= nt_row_turns(specs[i].kind);
        points |= specs[i].kind != NT_ROW_COINCIDE && !nt_row_turns(specs[i].kind);
    }
    bool all = joint->enforce == 1 || (joint->given & (NT_GIVEN_FRICTION | NT_GIVEN_LIMITS));
    nt_status status = NT_OK;
    if (joint->side) /* its ports come first */
        status = nt_coupling_find(&joint->sides, model, e, &joint->side, 1);
    for (int i = 0; i <= NT_ROWS; i++)
        for (int j = 0; j <= NT_ROWS && status == NT_OK; j++) {
            bool multiplier = i == NT_ROWS || j == NT_ROWS, rotations = i % 2 == 1 && j % 2 == 1;
            bool wanted = multiplier || all || points || (rotations && (directions || i == j));
            if (!wanted || (i == NT_ROWS && j == NT_ROWS)) /* nothing is added to that one */
                continue;
            /* a point held in space couples to translations by +-I */
            bool scaled = multiplier && i % 2 == 0 && j % 2 == 0 && e->n_rows == 3 &&
                          joint->specs[0].kind == NT_ROW_COINCIDE;
            status = nt_element_couple(model, e, i, j, scaled ? NT_SCALED : NT_FULL);
        }
    if (joint->side && status == NT_OK)
        status = nt_coupling_declare(&joint->sides, model, e, NT_BOTH_MOTIONS);
    return status;
}

void nt_joint_locate(nt_model *model, const nt_element *e)
{
    nt_joint *joint = nt_element_numbers(model->origin, e);
    for (int k = 0; k < NT_POINT_BLOCKS; k++) {
        int slot = e->slot[point_blocks[k][0] * e->n_ports + point_blocks[k][1]];
        joint->place[k] = slot < 0 ? -1 : model->pattern.offset[slot];
    }
}

/* ---- evaluation ----------------------------------------------------------------------------- */

/* f, f', f'' of the prescribed motion, of an angle in the first row and of displacements along the
 * axes of A in the next ones, or where they are latched or limited, and the rotation vector of a
 * latch and its d in the last ones; false where one that the level needs has no value. */
static bool motion_of(const nt_joint *joint, const nt_view *view, nt_level level,
                      double f[NT_JOINT_MOTIONS][3])
{
    bool finite = true;
    memset(f, 0, NT_JOINT_MOTIONS * sizeof *f);
    for (int k = 0; k < NT_JOINT_LOCKS && joint->locks && view->at->memory; k++) {
        double *to = k < NT_LOCK_ROTATION ? &f[k][0] : &f[NT_LOCK_ROTATION][k - NT_LOCK_ROTATION];
        if (!isnan(view->at->memory[joint->lock_memory + k]))
            *to = view->at->memory[joint->lock_memory + k];
        if (k >= NT_LOCK_ALONG && k < NT_LOCK_ROTATION)
            f[NT_LOCK_DISTANCE][k - NT_LOCK_ALONG] = *to;
    }
    double holds = joint->locks && view->at->memory ? view->at->memory[joint->hold_memory] : 0;
    if (holds == NT_JOINT_AT_LOWER || holds == NT_JOINT_AT_UPPER)
        f[joint->slides ? 3 : 0][0] =
            holds == NT_JOINT_AT_UPPER ? joint->limits.upper : joint->limits.lower;
    if (joint->motion)
        nt_motion_jet(view->run, joint->motion, f[joint->rotates ? 0 : 3]);
    for (int i = 0; i <= (int)level; i++)
        for (int k = 0; k < NT_JOINT_MOTIONS; k++)
            finite = finite && isfinite(f[k][i]);
    return finite;
}

/* The prescribed motion, f and its derivatives, of the coordinate that a row is about. */
static const double *motion_in(const nt_row_spec *spec, double f[NT_JOINT_MOTIONS][3])
{
    if (spec->kind >= NT_ROW_LOCK)
        return f[NT_LOCK_ROTATION];
    if (spec->kind == NT_ROW_ACROSS)
        return f[NT_LOCK_DISTANCE];
    return f[spec->kind == NT_ROW_SLIDE ? NT_LOCK_ALONG + spec->i : NT_LOCK_ANGLE];
}

static void add_forces(const nt_view *view, const joint_row *row, double s)
{
    nt_view_force(view, NT_T_A, v3_scale(s, row->force_a));
    nt_view_force(view, NT_R_A, v3_scale(s, row->moment_a));
    nt_view_force(view, NT_T_B, v3_scale(s, row->force_b));
    nt_view_force(view, NT_R_B, v3_scale(s, row->moment_b));
}

/* Coefficients of a row in one body's unknowns, (m, c, k) applied. at_rest: the row is of
 * positions, its gradients in velocities and accelerations are zero. */
static void combine(const nt_view *view, int body, const body_gradient *g, bool at_rest, double m,
                    double c, double k, v3 *translation, v3 *rotation)
{
    *rotation = v3_scale(k, g->theta);
    if (at_rest) {
        *translation = v3_scale(k, g->x);
        return;
    }
    *translation = v3_add(v3_scale(k, g->x), v3_add(v3_scale(c, g->v), v3_scale(m, g->a)));
    if (c != 0 || k != 0)
        *rotation = v3_add(*rotation, m3_apply_transposed(nt_rate_map(view, body, c, k), g->w));
    if (m != 0 || k != 0)
        *rotation =
            v3_add(*rotation, m3_apply_transposed(nt_acceleration_map(view, body, m, k), g->alpha));
}

/* Row r of a block of three columns. */
static void add_row(const nt_view *view, int row_port, int column_port, int r, v3 row)
{
    double *block = nt_view_block(view, row_port, column_port);
    if (block)
        v3_accumulate(block + 3 * r, row);
}

/* Column r of a block of three rows. */
static void add_column(const nt_view *view, int row_port, int column_port, int r, int width,
                       v3 column)
{
    double *block = nt_view_block(view, row_port, column_port);
    if (block)
        block[r] += column.x, block[width + r] += column.y, block[2 * width + r] += column.z;
}

void nt_joint_add_row_blocks(const nt_element *between, const nt_view *view, const joint_row *row,
                             int r)
{
    const nt_element *e = view->local->element;
    const nt_combination *c = view->terms->combination;
    v3 along[4];
    bool at_rest = view->terms->level == NT_POSITION && r < e->n_rows;
    combine(view, between->a, &row->a, at_rest, c->row_mass, c->row_damping, c->row_stiffness,
            &along[NT_T_A], &along[NT_R_A]);
    combine(view, between->b, &row->b, at_rest, c->row_mass, c->row_damping, c->row_stiffness,
            &along[NT_T_B], &along[NT_R_B]);
    const v3 force[4] = {row->force_a, row->moment_a, row->force_b, row->moment_b};
    bool rate = r >= e->n_rows;
    int node = rate ? NT_RATES : NT_ROWS, width = rate ? e->n_rates : e->n_rows;
    r -= rate ? e->n_rows : 0;
    for (int i = 0; i < 4; i++) {
        int port = nt_view_port(view, i);
        add_row(view, node, port, r, along[i]);
        if (view->terms->parts & NT_REACTIONS)
            add_column(view, port, node, r, width, v3_scale(c->multiplier, force[i]));
    }
}

void nt_joint_add_row(const nt_element *e, const nt_view *view, const joint_row *row, int r)
{
    const nt_terms *terms = view->terms;
    int i = nt_element_row(e, r);
    if (terms->rows)
        terms->rows[i] = row->value;
    if (terms->residual && (terms->parts & NT_REACTIONS))
        add_forces(view, row, view->lambda[i]);
    if (terms->matrix)
        nt_joint_add_row_blocks(e, view, row, r);
}

/* lambda = k Phi + c Phi' instead of a multiplier: the dyads of its gradient */
static void add_penalty_blocks(const nt_element *e, const nt_view *view, const joint_row *position,
                               const joint_row *velocity, double stiffness, double damping)
{
    const nt_combination *c = view->terms->combination;
    body_gradient sum[2];
    const body_gradient *p[2] = {&position->a, &position->b}, *v[2] = {&velocity->a, &velocity->b};
    v3 along[4];
    for (int i = 0; i < 2; i++) {
        sum[i] = (body_gradient){
            .x = v3_axpy(stiffness, p[i]->x, v3_scale(damping, v[i]->x)),
            .theta = v3_axpy(stiffness, p[i]->theta, v3_scale(damping, v[i]->theta)),
            .v = v3_scale(damping, v[i]->v),
            .w = v3_scale(damping, v[i]->w)};
        combine(view, i == 0 ? e->a : e->b, &sum[i], false, c->mass, c->damping, c->stiffness,
                &along[2 * i], &along[2 * i + 1]);
    }
    const v3 force[4] = {position->force_a, position->moment_a, position->force_b,
                         position->moment_b};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            nt_view_add(view, i, j, m3_dyad(force[i], along[j]));
}

static nt_status add_penalty(const nt_element *e, const nt_view *view)
{
    const nt_joint *joint = nt_joint_of(view->run, e);
    joint_geometry g;
    joint_geometry_of(&g, e, view);
    double f[NT_JOINT_MOTIONS][3];
    if (!motion_of(joint, view, NT_VELOCITY, f))
        return NT_NOT_FINITE;
    nt_row_spec specs[8];
    int n = nt_joint_specs(joint, specs);
    const nt_combination *c = view->energy ? NULL : view->terms->combination;
    bool tangent = c && view->terms->matrix && (c->damping != 0 || c->stiffness != 0);
    g.gradients = tangent;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < nt_joint_components(&specs[i]); k++) {
            joint_row position, velocity;
            if (!joint_row_of(&position, &g, &specs[i], k, NT_POSITION, joint->length,
                              motion_in(&specs[i], f)) ||
                !joint_row_of(&velocity, &g, &specs[i], k, NT_VELOCITY, joint->length,
                              motion_in(&specs[i], f)))
                return NT_NOT_FINITE;
            double elastic = joint->stiffness * position.value;
            double lambda = elastic + joint->damping * velocity.value;
            if (view->energy) {
                view->energy->potential += elastic * position.value / 2;
                view->energy->power +=
                    elastic * velocity.value - lambda * (velocity.value - position.explicit_rate);
                continue;
            }
            if (view->terms->residual)
                add_forces(view, &position, lambda);
            if (!tangent)
                continue;
            add_penalty_blocks(e, view, &position, &velocity, joint->stiffness, joint->damping);
            joint_row_tangent(view, &g, &specs[i], k, motion_in(&specs[i], f),
                              lambda * c->stiffness);
        }
    return NT_OK;
}

/* The power of a prescribed motion: its multiplier times the rate at which its row changes while
 * the bodies rest. Places and velocities alone have no multipliers. */
static nt_status add_power(const nt_element *e, const nt_view *view)
{
    const nt_joint *joint = nt_joint_of(view->run, e);
    double f[NT_JOINT_MOTIONS][3];
    if (!motion_of(joint, view, NT_VELOCITY, f))
        return NT_NOT_FINITE;
    nt_row_spec specs[8];
    joint_geometry g;
    joint_row row;
    nt_joint_specs(joint, specs);
    joint_positions_of(&g, e, view);
    g.gradients = false;
    int r = e->first_row, moved = joint->n_specs;
    for (int i = 0; i < moved; i++)
        r += nt_joint_components(&specs[i]);
    joint_row_of(&row, &g, &specs[moved], 0, NT_POSITION, 0, motion_in(&specs[moved], f));
    if (view->lambda)
        view->energy->power += view->lambda[r] * row.explicit_rate;
    return NT_OK;
}

static nt_status joint_add_rows(const nt_element *e, const nt_view *view)
{
    const nt_joint *joint = nt_joint_of(view->run, e);
    const nt_terms *terms = view->terms;
    nt_level level = terms->level;
    double f[NT_JOINT_MOTIONS][3];
    if (!motion_of(joint, view, level, f))
        return NT_NOT_FINITE;
    nt_row_spec specs[8];
    int n = nt_joint_specs(joint, specs), r = 0;
    bool tangent = terms->matrix && (terms->parts & NT_REACTIONS);
    if (level == NT_POSITION && !tangent && nt_joint_add_positions(e, view, specs, n, f[0][0]))
        return NT_OK;
    joint_geometry g;
    if (level == NT_POSITION)
        joint_positions_of(&g, e, view);
    else
        joint_geometry_of(&g, e, view);
    g.gradients = terms->matrix;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < nt_joint_components(&specs[i]); k++, r++) {
            const double *motion = motion_in(&specs[i], f);
            joint_row row;
            if (!joint_row_of(&row, &g, &specs[i], k, level, joint->length, motion))
                return NT_NOT_FINITE;
            nt_joint_add_row(e, view, &row, r);
            if (tangent && terms->combination->stiffness != 0)
                joint_row_tangent(view, &g, &specs[i], k, motion,
                                  view->lambda[e->first_row + r] * terms->combination->stiffness);
        }
    return NT_OK;
}

void nt_joint_add_latch(const nt_element *e, const nt_view *view, const joint_geometry *g)
{
    const nt_joint *joint = nt_joint_of(view->run, e);
    const nt_terms *terms = view->terms;
    bool turns =
        terms->matrix && (terms->parts & NT_REACTIONS) && terms->combination->stiffness != 0;
    double f[NT_JOINT_MOTIONS][3];
    nt_row_spec specs[8];
    int n = joint->locks ? nt_joint_specs(joint, specs) : 0;
    motion_of(joint, view, NT_POSITION, f);
    for (int r = joint->n_specs; r < n; r++) {
        const double *motion = motion_in(&specs[r], f);
        joint_row row;
        joint_row_of(&row, g, &specs[r], 0, terms->level, 0, motion);
        nt_joint_add_row(e, view, &row, r);
        if (turns)
            joint_row_tangent(view, g, &specs[r], 0, motion,
                              view->lambda[e->first_row + r] * terms->combination->stiffness);
    }
}

void nt_joint_add_latch_reaction(const nt_element *e, const nt_view *view, const joint_geometry *g,
                                 v3 foot, v3 *force, v3 *torque)
{
    const nt_joint *joint = nt_joint_of(view->run, e);
    v3 arm = v3_add(g->pb.arm, foot);
    double f[NT_JOINT_MOTIONS][3];
    nt_row_spec specs[8];
    int n = joint->locks ? nt_joint_specs(joint, specs) : 0;
    motion_of(joint, view, NT_POSITION, f);
    for (int r = joint->n_specs; r < n; r++) {
        double lambda = view->lambda[e->first_row + r];
        joint_row row;
        joint_row_of(&row, g, &specs[r], 0, NT_POSITION, 0, motion_in(&specs[r], f));
        *force = v3_axpy(-lambda, row.force_b, *force);
        *torque = v3_axpy(-lambda, v3_sub(row.moment_b, v3_cross(arm, row.force_b)), *torque);
    }
}

/* Where a joint that holds a point adds its terms: straight to the system's, because it adds once
 * to every place and need not gather first; to its own where elements are evaluated side by side
 * (apart). NULL: there is no such block. */
NT_INLINE double *point_block(const nt_joint *joint, const nt_view *view, bool apart, int block)
{
    int place = joint->place[block];
    if (place < 0)
        return NULL;
    return apart ? nt_view_block(view, point_blocks[block][0], point_blocks[block][1])
                 : view->terms->matrix->values + place;
}

/* a~, s I (one number) and a full block */
NT_INLINE void add_skew(double *block, v3 a)
{
    if (block)
        m3_accumulate_skew(block, a);
}
NT_INLINE void joint_add_multiple(double *block, double s)
{
    if (block)
        block[0] += s;
}
NT_INLINE void add_block(double *block, m3 a)
{
    if (block)
        m3_accumulate(block, a);
}

/* A force and a moment on body A or B. Its places are taken from the body, which has just been
 * evaluated, and not from the ports, which say the same. */
NT_INLINE void add_force(const nt_view *view, bool apart, int body, int port, v3 force, v3 moment)
{
    if (apart) {
        nt_view_force(view, port, force);
        nt_view_force(view, port + 1, moment);
        return;
    }
    const nt_body *of = &view->bodies[body];
    double *residual = view->terms->residual + of->v;
    if (of->t_node >= 0) {
        v3_accumulate(residual, force);
        residual += 3;
    }
    if (of->r_node >= 0)
        v3_accumulate(residual, moment);
}

/* Most joints of most models hold a point and nothing else: the same as add_rows, written out. With
 * F = lambda: R_A += (F, rho_A x F), R_B -= (F, rho_B x F), K: F~ rho_A~ and -F~ rho_B~. At every
 * level the rows' derivative in what is highest there is (I, -rho_A~, -I, rho_B~); is_point says
 * where no other is asked for, and the matrix is laid out as the model's pattern says. */
static bool is_point(const nt_joint *joint, const nt_view *view)
{
    const nt_terms *terms = view->terms;
    const nt_combination *c = terms->matrix ? terms->combination : NULL;
    if (!joint->only_point || (c && terms->matrix->pattern != &view->model->pattern))
        return false;
    if (terms->level == NT_POSITION || !c)
        return true;
    return !c->map && c->row_stiffness == 0 && (terms->level == NT_VELOCITY || c->row_damping == 0);
}

/* The velocity or the acceleration of a point: v + w x rho, a + alpha x rho + w x (w x rho). */
static v3 point_rate(const nt_motion *m, v3 rho, nt_level level)
{
    v3 turn = v3_cross(m->w, rho);
    if (level == NT_VELOCITY)
        return v3_add(m->v, turn);
    return v3_add(v3_add(m->a, v3_cross(m->alpha, rho)), v3_cross(m->w, turn));
}

/* The ground has no terms: what joins it is left out. */
NT_INLINE void add_point_blocks(const nt_joint *joint, const nt_view *view, bool apart,
                                bool grounded, v3 F, v3 rho_a, v3 rho_b)
{
    const nt_terms *terms = view->terms;
    const nt_combination *c = terms->combination;
    bool reactions = terms->parts & NT_REACTIONS;
    const double highest[] = {c->row_stiffness, c->row_damping, c->row_mass};
    double k = highest[terms->level], s = reactions ? c->multiplier : 0;
    bool turns = reactions && c->stiffness != 0;
    v3 Fk = v3_scale(c->stiffness, F);
    if (!grounded) {
        joint_add_multiple(point_block(joint, view, apart, NT_POINT_L_TA), k);
        joint_add_multiple(point_block(joint, view, apart, NT_POINT_TA_L), s);
        add_skew(point_block(joint, view, apart, NT_POINT_L_RA), v3_scale(-k, rho_a));
        add_skew(point_block(joint, view, apart, NT_POINT_RA_L), v3_scale(s, rho_a));
        if (turns)
            add_block(point_block(joint, view, apart, NT_POINT_RA_RA), m3_skew_skew(Fk, rho_a));
    }
    joint_add_multiple(point_block(joint, view, apart, NT_POINT_L_TB), -k);
    joint_add_multiple(point_block(joint, view, apart, NT_POINT_TB_L), -s);
    add_skew(point_block(joint, view, apart, NT_POINT_L_RB), v3_scale(k, rho_b));
    add_skew(point_block(joint, view, apart, NT_POINT_RB_L), v3_scale(-s, rho_b));
    if (turns)
        add_block(point_block(joint, view, apart, NT_POINT_RB_RB), m3_skew_skew(v3_neg(Fk), rho_b));
}

NT_INLINE void joint_add_point(const nt_element *e, const nt_joint *joint, const nt_view *view,
                               bool apart, bool grounded)
{
    const nt_terms *terms = view->terms;
    const nt_motion *a = &view->motion[e->a], *b = &view->motion[e->b];
    v3 F = view->lambda ? v3_load(view->lambda + e->first_row) : v3_of(0, 0, 0);
    v3 rho_a = grounded ? joint->point_a : m3_apply(a->R, joint->point_a);
    v3 rho_b = m3_apply(b->R, joint->point_b);
    double *rows = terms->rows ? terms->rows + e->first_row : NULL;
    if (rows && terms->level == NT_POSITION) {
        v3 p_a = grounded ? rho_a : v3_add(a->x, rho_a);
        v3_store(rows, v3_sub(p_a, v3_add(b->x, rho_b)));
    } else if (rows) {
        v3 rate_a = grounded ? v3_of(0, 0, 0) : point_rate(a, rho_a, terms->level);
        v3_store(rows, v3_sub(rate_a, point_rate(b, rho_b, terms->level)));
    }
    if (terms->residual && (terms->parts & NT_REACTIONS)) {
        if (!grounded)
            add_force(view, apart, e->a, NT_T_A, F, v3_cross(rho_a, F));
        add_force(view, apart, e->b, NT_T_B, v3_neg(F), v3_cross(F, rho_b));
    }
    if (terms->matrix)
        add_point_blocks(joint, view, apart, grounded, F, rho_a, rho_b);
}

NT_HOT static void add_point_between(const nt_element *e, const nt_joint *joint,
                                     const nt_view *view)
{
    joint_add_point(e, joint, view, false, false);
}

NT_HOT static void add_point_on_ground(const nt_element *e, const nt_joint *joint,
                                       const nt_view *view)
{
    joint_add_point(e, joint, view, false, true);
}

static void add_point_apart(const nt_element *e, const nt_joint *joint, const nt_view *view)
{
    joint_add_point(e, joint, view, true, false);
}

/* Whether neither rows nor reactions are asked for. */
static bool asks_no_rows(const nt_terms *terms)
{
    const nt_combination *c = terms->matrix ? terms->combination : NULL;
    return !terms->rows && !(terms->parts & NT_REACTIONS) &&
           (!c || (c->row_mass == 0 && c->row_damping == 0 && c->row_stiffness == 0));
}

NT_HOT nt_status nt_joint_evaluate(const nt_element *e, const nt_view *view)
{
    const nt_joint *joint = nt_joint_of(view->run, e);
    nt_status status = NT_OK;
    if (joint->enforce == 0 && (view->energy ? !joint->motion : asks_no_rows(view->terms)))
        status = NT_OK; /* constraints that do not move do no work */
    else if (joint->enforce == 0 && !view->energy && is_point(joint, view))
        (view->local->apart ? add_point_apart
         : e->a == 0        ? add_point_on_ground
                            : add_point_between)(e, joint, view);
    else if (joint->enforce == 0)
        status = view->energy ? add_power(e, view) : joint_add_rows(e, view);
    else if (view->energy || (view->terms->parts & e->part))
        status = add_penalty(e, view);
    if (status == NT_OK && (joint->given & (NT_GIVEN_FRICTION | NT_GIVEN_LIMITS)))
        status = nt_joint_load_evaluate(e, view);
    return status;
}

void nt_joint_reaction(const nt_element *e, const nt_view *view, v3 *force, v3 *torque)
{
    const nt_joint *joint = nt_joint_of(view->run, e);
    *force = *torque = v3_of(0, 0, 0);
    if (joint->only_point && joint->enforce == 0) {
        *force = v3_load(view->lambda + e->first_row);
        return;
    }
    joint_geometry g;
    joint_geometry_of(&g, e, view);
    double f[NT_JOINT_MOTIONS][3];
    motion_of(joint, view, NT_VELOCITY, f);
    nt_row_spec specs[8];
    int n = nt_joint_specs(joint, specs), r = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < nt_joint_components(&specs[i]); k++, r++) {
            joint_row row, velocity;
            joint_row_of(&row, &g, &specs[i], k, NT_POSITION, joint->length,
                         motion_in(&specs[i], f));
            joint_row_of(&velocity, &g, &specs[i], k, NT_VELOCITY, joint->length,
                         motion_in(&specs[i], f));
            double lambda = joint->enforce == 0
                                ? view->lambda[e->first_row + r]
                                : joint->stiffness * row.value + joint->damping * velocity.value;
            *force = v3_axpy(-lambda, row.force_b, *force);
            v3 about_point = v3_sub(row.moment_b, v3_cross(g.pb.arm, row.force_b));
            *torque = v3_axpy(-lambda, about_point, *torque);
        }
    if (joint->given & (NT_GIVEN_FRICTION | NT_GIVEN_LIMITS))
        nt_joint_load_reaction(e, view, force, torque);
}
