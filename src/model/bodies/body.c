/* Rigid bodies, and points.
 *
 * With x the centre of mass, J_s = R J R^T, in the inertial frame:
 *
 *   m x'' - m g = 0
 *   J_s w' + w x J_s w - rho x m g = 0        rho = R c: zero about the centre of mass
 *
 * and for a body with a fixed point the second alone, about that point; for a point the first.
 * Tangents:
 *
 *   M = J_s,  C = w~ J_s - (J_s w)~,
 *   K = J_s w'~ - (J_s w')~ + w~ (J_s w~ - (J_s w)~) - (m g)~ rho~. */
#include "model/bodies/body.h"

#include "base/direction.h"
#include "base/error.h"
#include "base/symmetric.h"
#include "base/target.h"
#include "model/bodies/euler.h"
#include "model/bodies/inertia_rows.inc"

#include <math.h>
#include <nutate/group.h>
#include <stddef.h>

static const char *const frames[] = {"body", "ground", NULL};

#define AT(field) .offset = offsetof(nt_body, field)

static const nt_key orientation_keys[] = {
    NT_KEY("quaternion", NT_KEY_NUMBERS, AT(quaternion), .bit = 4, .relative = true, .low = 4,
           .high = 4, .meaning = "orientation as [w, x, y, z], of any length but zero"),
    NT_KEY("rotation_vector", NT_KEY_NUMBERS, AT(rotation_vector), .bit = 5, .low = 3, .high = 3,
           .unit = "rad", .meaning = "orientation as a rotation vector"),
    NT_KEY("axis", NT_KEY_NUMBERS, AT(axis), .bit = 6, .low = 3, .high = 3, .relative = true,
           .needs = "angle", .meaning = "orientation: axis of the rotation by `angle`"),
    NT_KEY("angle", NT_KEY_NUMBER, AT(angle), .bit = 7, .needs = "axis", .unit = "rad",
           .meaning = "orientation: angle about `axis`"),
    NT_KEY("matrix", NT_KEY_MATRIX, AT(matrix), .bit = 8, .high = 3,
           .meaning = "orientation as a rotation matrix, body to ground, row by row"),
    NT_KEY("angles", NT_KEY_NUMBERS, AT(angles), .bit = 14, .low = 3, .high = 3,
           .needs = "sequence", .unit = "rad",
           .meaning = "orientation: Euler angles, three rotations after each other about axes of "
                      "the body in the order of `sequence`"),
    NT_KEY("sequence", NT_KEY_CHOICE, AT(sequence), .bit = 15, .choices = nt_euler_sequences,
           .needs = "angles", .meaning = "orientation: axes of the body that `angles` are about"),
    {.name = NULL},
};

const nt_key nt_body_keys[] = {
    NT_KEY("mass", NT_KEY_NUMBER, AT(mass), .bit = 0, .required = true, .relative = true,
           .unit = "kg",
           .meaning = "mass, positive; zero without inertia: a node that joints or elements hold, "
                      "for methods that need no accelerations of it"),
    NT_KEY("inertia", NT_KEY_NUMBERS, AT(inertia), .bit = 1, .low = 3, .high = 6,
           .count_offset = offsetof(nt_body, inertia_count), .relative = true, .unit = "kg m^2",
           .meaning =
               "tensor about the centre of mass, body axes: [xx, yy, zz] or [xx, yy, zz, xy, xz, "
               "yz]; default zero: all mass in one place, which turns all the same (without: "
               "`point`)"),
    NT_KEY("center_of_mass", NT_KEY_NUMBERS, AT(center_of_mass), .bit = 2, .low = 3, .high = 3,
           .unit = "m", .meaning = "from the body frame's origin, body axes; default zero"),
    NT_KEY("position", NT_KEY_NUMBERS, AT(position), .bit = 3, .low = 3, .high = 3, .unit = "m",
           .meaning = "of the body frame's origin, ground axes"),
    NT_KEY("orientation", NT_KEY_GROUP, .bit = -1, .group = orientation_keys,
           .meaning = "of the body axes from the ground axes; default: the same"),
    NT_KEY("velocity", NT_KEY_NUMBERS, AT(velocity), .bit = 9, .low = 3, .high = 3, .unit = "m/s",
           .meaning = "of the body frame's origin, ground axes"),
    NT_KEY("angular_velocity", NT_KEY_NUMBERS, AT(angular_velocity), .bit = 10, .low = 3, .high = 3,
           .unit = "rad/s", .meaning = "body axes, unless angular_velocity_frame says else"),
    NT_KEY("angular_velocity_frame", NT_KEY_CHOICE, AT(angular_velocity_frame), .bit = 11,
           .choices = frames, .needs = "angular_velocity",
           .meaning = "axes in which angular_velocity is given"),
    NT_KEY("fixed_point", NT_KEY_NUMBERS, AT(fixed_point), .bit = 12, .low = 3, .high = 3,
           .unit = "m", .meaning = "the body only rotates, about this point, ground axes"),
    NT_KEY("point", NT_KEY_BOOLEAN, AT(point), .bit = 13,
           .meaning =
               "true: a point mass; it has a place and no rotation, and takes mass, position and "
               "velocity alone; default false"),
    NT_KEY("shape", NT_KEY_SHAPES, AT(shapes), .bit = -1,
           .meaning = "what it looks like, for the eye alone: see the section shape"),
    {.name = NULL},
};

/* Inertia moved by c: J + m (|c|^2 I - c c^T) */
static m3 steiner(m3 J, double m, v3 c) { return m3_sub(J, m3_scale(m, m3_skew_skew(c, c))); }

/* Positive semidefinite, and no principal moment larger than the sum of the others: both to 1e-9 of
 * the largest, because tops and disks sit exactly on the bound. */
static nt_status check_inertia(const nt_body *body, const char *file, m3 J, nt_error *error)
{
    double a[3][3] = {{J.xx, J.xy, J.xz}, {J.xy, J.yy, J.yz}, {J.xz, J.yz, J.zz}}, axes[3][3];
    nt_symmetric_eigen(a, axes);
    const double m[3] = {a[0][0], a[1][1], a[2][2]};
    double largest = fmax(m[0], fmax(m[1], m[2])), slack = 1e-9 * fmax(largest, 0);
    for (int i = 0; i < 3; i++)
        if (m[i] < -slack)
            return nt_fail_at(
                error, NT_BAD_MODEL, file, body->place.line, body->place.column,
                "body %s has a principal moment of inertia of %g kg m^2, expected none "
                "below zero",
                body->name, m[i]);
    for (int i = 0; i < 3; i++) {
        double others = m[(i + 1) % 3] + m[(i + 2) % 3];
        if (m[i] > others + slack)
            return nt_fail_at(error, NT_BAD_MODEL, file, body->place.line, body->place.column,
                              "body %s has impossible inertia: principal moment %g kg m^2 exceeds "
                              "the sum %g of the other two",
                              body->name, m[i], others);
    }
    return NT_OK;
}

static bool rotation_matrix(const double *R)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double d = v3_dot(v3_load(R + 3 * i), v3_load(R + 3 * j)) - (i == j);
            if (!(fabs(d) <= 1e-9))
                return false;
        }
    v3 x = v3_load(R), y = v3_load(R + 3), z = v3_load(R + 6);
    return v3_dot(v3_cross(x, y), z) > 0;
}

static nt_status orientation(const nt_body *body, const char *file, bool validate, quat *out,
                             nt_error *error)
{
    unsigned forms = body->given & NT_GIVEN_ORIENTATION;
    const char *wrong = NULL;
    double q[4] = {1, 0, 0, 0};
    if (validate && (forms & (forms - 1)) != 0)
        wrong = "has more than one orientation, expected one of quaternion, rotation_vector, axis "
                "with angle, matrix";
    else if (forms & NT_GIVEN_QUATERNION) {
        if (!nt_direction(body->quaternion, 4, q))
            wrong = "has a quaternion of length zero";
    } else if (forms & NT_GIVEN_ROTATION_VECTOR)
        nt_so3_exp(body->rotation_vector, q);
    else if (forms & NT_GIVEN_AXIS) {
        double psi[3];
        if (!nt_direction(body->axis, 3, psi))
            wrong = "has an orientation axis of length zero";
        else {
            v3_store(psi, v3_scale(body->angle, v3_load(psi)));
            nt_so3_exp(psi, q);
        }
    } else if (forms & NT_GIVEN_ANGLES) {
        double R[9];
        m3_store(R, nt_euler_matrix(body->sequence, body->angles));
        nt_so3_from_matrix(R, q);
    } else if (forms & NT_GIVEN_MATRIX) {
        if (validate && !rotation_matrix(body->matrix))
            wrong = "has an orientation matrix that is no rotation: expected orthonormal rows, "
                    "right-handed, to 1e-9";
        else
            nt_so3_from_matrix(body->matrix, q);
    }
    if (!wrong && !isfinite(q[0])) /* the square of the angle is no double */
        wrong = "has an orientation of more than 1e154 rad";
    if (wrong)
        return nt_fail_at(error, NT_BAD_MODEL, file, body->place.line, body->place.column,
                          "body %s %s", body->name, wrong);
    *out = quat_unit(quat_load(q));
    return NT_OK;
}

/* What belongs to a rotation is refused. */
static nt_status check_point(const nt_body *body, const char *file, nt_error *error)
{
    static const struct {
        unsigned given;
        const char *words;
    } of_rotation[] = {
        {NT_GIVEN_INERTIA, "inertia"},
        {NT_GIVEN_CENTER, "a center_of_mass"},
        {NT_GIVEN_ORIENTATION | NT_GIVEN_ANGLE, "an orientation"},
        {NT_GIVEN_ANGULAR_VELOCITY | NT_GIVEN_VELOCITY_FRAME, "an angular_velocity"},
        {NT_GIVEN_FIXED_POINT, "a fixed_point"},
    };
    for (size_t i = 0; i < sizeof of_rotation / sizeof of_rotation[0]; i++)
        if (body->given & of_rotation[i].given)
            return nt_fail_at(error, NT_BAD_MODEL, file, body->place.line, body->place.column,
                              "body %s is a point and has %s, expected mass, position and velocity "
                              "alone: a point has no rotation",
                              body->name, of_rotation[i].words);
    return NT_OK;
}

bool nt_inertia_is_in_range(double number)
{
    return number == 0 || (fabs(number) >= 1e-50 && fabs(number) <= 1e50);
}

static nt_status check_range(const nt_body *body, const char *file, nt_error *error)
{
    double most = 0;
    for (int i = 0; i < 6; i++)
        most = fmax(most, fabs(body->inertia[i]));
    if (!nt_inertia_is_in_range(body->mass))
        return nt_fail_at(error, NT_BAD_MODEL, file, body->place.line, body->place.column,
                          "body %s has mass %g kg, expected 1e-50 to 1e50 kg", body->name,
                          body->mass);
    if (!nt_inertia_is_in_range(most))
        return nt_fail_at(error, NT_BAD_MODEL, file, body->place.line, body->place.column,
                          "body %s has moments of inertia of up to %g kg m^2, expected 1e-50 to "
                          "1e50 kg m^2",
                          body->name, most);
    return NT_OK;
}

/* A node that only joins what has mass. */
static bool is_massless(const nt_body *body)
{
    bool inert = false;
    for (int i = 0; i < 6; i++)
        inert = inert || body->inertia[i] != 0;
    return body->mass == 0 && !inert && !(body->given & NT_GIVEN_FIXED_POINT);
}

nt_status nt_body_prepare(nt_body *body, const char *file, bool validate, nt_error *error)
{
    const double *i = body->inertia;
    m3 J = {i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2]};
    nt_status status = NT_OK;
    if (validate && !(body->mass > 0) && !body->carried && !is_massless(body))
        return nt_fail_at(error, NT_BAD_MODEL, file, body->place.line, body->place.column,
                          "body %s has mass %g kg, expected a positive number%s", body->name,
                          body->mass,
                          body->mass == 0 ? ", or zero without inertia and fixed_point: a "
                                            "node that elements or joints hold"
                                          : "");
    if (validate && !body->carried && (status = check_range(body, file, error)) != NT_OK)
        return status;
    if (validate && body->point && (status = check_point(body, file, error)) != NT_OK)
        return status;
    if (validate && (body->given & NT_GIVEN_FIXED_POINT) && (body->given & NT_GIVEN_VELOCITY))
        return nt_fail_at(error, NT_BAD_MODEL, file, body->place.line, body->place.column,
                          "body %s has a fixed point and a velocity, expected angular_velocity "
                          "alone: it only turns",
                          body->name);
    if (validate && (body->given & NT_GIVEN_INERTIA) && body->inertia_count != 3 &&
        body->inertia_count != 6)
        return nt_fail_at(error, NT_BAD_MODEL, file, body->place.line, body->place.column,
                          "body %s has %d numbers of inertia, expected 3 or 6", body->name,
                          body->inertia_count);
    if (validate && (status = check_inertia(body, file, J, error)) != NT_OK)
        return status;
    if ((status = orientation(body, file, validate, &body->q0, error)) != NT_OK)
        return status;
    m3 R = quat_matrix(body->q0);
    v3 com = v3_load(body->center_of_mass), origin = v3_load(body->position);
    body->reference = com;
    if (body->given & NT_GIVEN_FIXED_POINT)
        body->reference = m3_apply_transposed(R, v3_sub(v3_load(body->fixed_point), origin));
    body->center = v3_sub(com, body->reference);
    body->J = steiner(J, body->mass, body->center);
    body->x0 = v3_add(origin, m3_apply(R, body->reference));
    v3 w = v3_load(body->angular_velocity);
    body->w0 = body->angular_velocity_frame == 1 ? w : m3_apply(R, w);
    body->v0 = v3_add(v3_load(body->velocity), v3_cross(body->w0, m3_apply(R, body->reference)));
    if (body->given & NT_GIVEN_FIXED_POINT)
        body->v0 = v3_of(0, 0, 0);
    return NT_OK;
}

/* ---- equations ------------------------------------------------------------------------------ */

void nt_body_energy(const nt_body *body, const nt_motion *motion, v3 gravity, nt_energy *energy)
{
    if (!nt_body_has_inertia(body))
        return;
    v3 W = m3_apply_transposed(motion->R, motion->w);
    v3 center = v3_add(motion->x, m3_apply(motion->R, body->center));
    double kinetic = v3_dot(W, m3_apply(body->J, W));
    if (body->t_node >= 0)
        kinetic += body->mass * v3_dot(motion->v, motion->v);
    energy->kinetic += kinetic / 2;
    energy->potential -= body->mass * v3_dot(gravity, center);
}

/* The same term by term, for part of the inertia, two maps or rates that turn with the unknown:
 *
 *   NT_MASS        J_s w'       tangent J_s (m Y + k s w'~) + k (J_s w'~ - (J_s w')~)
 *   NT_GYROSCOPIC  w x J_s w    tangent C (c X + k s w~) - k w~ C^T */
static nt_inertia_terms inertia_in_parts(const nt_body *body, const nt_motion *motion,
                                         const nt_terms *terms)
{
    m3 Js = nt_inertia_in_ground_axes(motion->R, body->J);
    v3 w = motion->w, alpha = motion->alpha, Jw = m3_apply(Js, w), Ja = m3_apply(Js, alpha);
    nt_inertia_terms t = {0};
    const nt_combination *c = terms->matrix ? terms->combination : NULL;
    double k = c ? c->stiffness : 0, turn = c ? k * c->turn : 0;
    m3 X = c && c->map ? m3_load(c->map + 9 * body->rotation) : m3_identity();
    if (terms->parts & NT_MASS) {
        t.moment = Ja;
        if (c) {
            m3 Y = c->map_mass ? m3_load(c->map_mass + 9 * body->rotation) : X;
            m3 JA = m3_multiply_skew(Js, alpha);
            t.block = m3_add(m3_scale(c->mass, m3_multiply(Js, Y)), m3_scale(turn + k, JA));
            t.block = m3_sub(t.block, m3_scale(k, m3_skew(Ja)));
        }
    }
    if (terms->parts & NT_GYROSCOPIC) {
        t.moment = v3_add(t.moment, v3_cross(w, Jw));
        if (c) {
            m3 C = m3_sub(m3_skew_multiply(w, Js), m3_skew(Jw));
            m3 rates = m3_add(m3_scale(c->damping, m3_multiply(C, X)),
                              m3_scale(turn, m3_multiply_skew(C, w)));
            m3 K = m3_scale(-k, m3_skew_multiply(w, m3_transpose(C)));
            t.block = m3_add(t.block, m3_add(rates, K));
        }
    }
    return t;
}

/* A free body of which everything is asked, or the tangent alone: the ordinary cases, nothing
 * decided in between. */
NT_HOT NT_WIDE static void evaluate_plain(const nt_body *body, const nt_motion *motion, v3 gravity,
                                          const nt_terms *terms)
{
    double *r = terms->residual ? terms->residual + body->v : NULL;
    v3 w = motion->w, alpha = motion->alpha;
    if (!terms->matrix) {
        v3_accumulate(r, nt_body_force(body, motion, gravity, terms->parts));
        v3_accumulate(r + 3, nt_inertia_moment(motion->R, body->J, w, alpha));
        return;
    }
    const nt_combination *c = terms->combination;
    double *block = nt_matrix_block(terms->matrix, body->rr_slot);
    if (r)
        v3_accumulate(r, nt_body_force(body, motion, gravity, terms->parts));
    nt_body_add_mass(body, terms);
    if (!nt_body_asks_for_mass(c)) {
        const double *X = c->map ? c->map + 9 * body->rotation : NULL;
        inertia_add_tangent(&motion->R, &body->J, w, alpha, X, c->mass, c->damping, c->stiffness,
                            block, r);
        return;
    }
    nt_inertia_terms t = nt_inertia_mass(motion->R, body->J, w, alpha, c->mass);
    m3_accumulate(block, t.block);
    if (r)
        v3_accumulate(r + 3, t.moment);
}

/* Whether inertia is the same about every axis, as of a ball: then no term is gyroscopic. */
static bool is_spherical(m3 J)
{
    return J.xx == J.yy && J.yy == J.zz && J.xy == 0 && J.xz == 0 && J.yz == 0 && J.yx == 0 &&
           J.zx == 0 && J.zy == 0;
}

static void rigid_body_evaluate(const nt_body *body, const nt_motion *motion, v3 gravity,
                                const nt_terms *terms)
{
    double m = body->mass;
    bool weighs = terms->parts & NT_EXPLICIT, fixed = body->t_node < 0;
    bool has_inertia =
        (terms->parts & NT_MASS) || ((terms->parts & NT_INERTIA) && !is_spherical(body->J));
    nt_inertia_terms t = {0};
    if (!has_inertia && !fixed) { /* gravity alone, whose moment and tangent are zero */
        if (terms->residual)
            v3_accumulate(terms->residual + body->v,
                          nt_body_force(body, motion, gravity, terms->parts));
        return;
    }
    if (has_inertia)
        t = inertia_in_parts(body, motion, terms);
    if (weighs && fixed) {
        v3 weight = v3_scale(m, gravity), rho = m3_apply(motion->R, body->center);
        t.moment = v3_sub(t.moment, v3_cross(rho, weight));
        if (terms->matrix)
            t.block =
                m3_sub(t.block, m3_scale(terms->combination->stiffness, m3_skew_skew(weight, rho)));
    }
    if (terms->residual) {
        double *r = terms->residual + body->v;
        if (!fixed)
            v3_accumulate(r, nt_body_force(body, motion, gravity, terms->parts));
        v3_accumulate(r + (fixed ? 0 : 3), t.moment);
    }
    if (!terms->matrix)
        return;
    if (!fixed)
        nt_body_add_mass(body, terms);
    m3_accumulate(nt_matrix_block(terms->matrix, body->rr_slot), t.block);
}

static void evaluate_point(const nt_body *body, const nt_motion *motion, v3 gravity,
                           const nt_terms *terms)
{
    if (terms->residual)
        v3_accumulate(terms->residual + body->v,
                      nt_body_force(body, motion, gravity, terms->parts));
    if (terms->matrix)
        nt_body_add_mass(body, terms);
}

NT_HOT void nt_body_evaluate(const nt_body *body, const nt_motion *motion, v3 gravity,
                             const nt_terms *terms)
{
    if (body->r_node < 0)
        evaluate_point(body, motion, gravity, terms);
    else if (body->t_node >= 0 && (terms->residual || terms->matrix) && nt_body_is_plain(terms))
        evaluate_plain(body, motion, gravity, terms);
    else
        rigid_body_evaluate(body, motion, gravity, terms);
}
