/* Rigid bodies and points: derived values, inertia and gravity. */
#ifndef NUTATE_MODEL_BODY_H
#define NUTATE_MODEL_BODY_H

#include "base/target.h"
#include "model/model.h"

/* Whether squares and quotients of two such masses or moments of inertia, and their products with
 * lengths as large, are doubles: 1e-50 to 1e50 kg or kg m^2, or nothing. */
bool nt_inertia_is_in_range(double number);

/* R J R^T, symmetric */
NT_INLINE m3 nt_inertia_in_ground_axes(m3 R, m3 J)
{
    m3 A = m3_multiply(R, J);
    v3 x = v3_of(R.xx, R.xy, R.xz), y = v3_of(R.yx, R.yy, R.yz), z = v3_of(R.zx, R.zy, R.zz);
    v3 ax = v3_of(A.xx, A.xy, A.xz), ay = v3_of(A.yx, A.yy, A.yz), az = v3_of(A.zx, A.zy, A.zz);
    double xy = v3_dot(ax, y), xz = v3_dot(ax, z), yz = v3_dot(ay, z);
    return (m3){v3_dot(ax, x), xy, xz, xy, v3_dot(ay, y), yz, xz, yz, v3_dot(az, z)};
}

/* J_s w' + w x J_s w = R (J W' + W x J W) */
NT_INLINE v3 nt_inertia_moment(m3 R, m3 J, v3 w, v3 alpha)
{
    v3 W = m3_apply_transposed(R, w), A = m3_apply_transposed(R, alpha);
    return m3_apply(R, v3_add(m3_apply(J, A), v3_cross(W, m3_apply(J, W))));
}

/* The tangent (m J_s + c C) X + k K with C = w~ J_s - (J_s w)~ and, because
 * J_s w~ - (J_s w)~ = -C^T, K = J_s w'~ - (J_s w')~ - w~ C^T; and with it the moment, from J_s. */
typedef struct nt_inertia_terms {
    m3 block;
    v3 moment;
} nt_inertia_terms;

NT_INLINE nt_inertia_terms nt_inertia_tangent(m3 R, m3 J, v3 w, v3 alpha, m3 X, double m, double c,
                                              double k)
{
    m3 Js = nt_inertia_in_ground_axes(R, J);
    v3 Jw = m3_apply(Js, w), Ja = m3_apply(Js, alpha);
    m3 C = m3_sub(m3_skew_multiply(w, Js), m3_skew(Jw));
    m3 rates = m3_multiply(m3_add(m3_scale(m, Js), m3_scale(c, C)), X);
    m3 K = m3_sub(m3_sub(m3_multiply_skew(Js, alpha), m3_skew(Ja)),
                  m3_skew_multiply(w, m3_transpose(C)));
    return (nt_inertia_terms){m3_add(rates, m3_scale(k, K)), v3_add(Ja, v3_cross(w, Jw))};
}

/* The tangent in accelerations alone, m J_s, which accelerations are solved from. */
NT_INLINE nt_inertia_terms nt_inertia_mass(m3 R, m3 J, v3 w, v3 alpha, double m)
{
    m3 Js = nt_inertia_in_ground_axes(R, J);
    v3 Jw = m3_apply(Js, w), Ja = m3_apply(Js, alpha);
    return (nt_inertia_terms){m3_scale(m, Js), v3_add(Ja, v3_cross(w, Jw))};
}

/* Nodes of beams have no inertia of their own: their elements bring it. */
static inline bool nt_body_has_inertia(const nt_body *body)
{
    const m3 *J = &body->J;
    return body->mass != 0 || J->xx != 0 || J->yy != 0 || J->zz != 0;
}

static inline bool nt_body_asks_for_mass(const nt_combination *c)
{
    return c->damping == 0 && c->stiffness == 0 && !c->map;
}

/* Whether all of the inertia is asked for with one map and rates that do not turn: what most
 * methods ask for, and what nt_inertia_tangent gives. */
static inline bool nt_body_is_plain(const nt_terms *terms)
{
    bool all = (terms->parts & NT_INERTIA) == NT_INERTIA;
    return all &&
           (!terms->matrix || (terms->combination->turn == 0 && !terms->combination->map_mass));
}

/* m x'' - m g, as far as parts ask for it. */
static inline v3 nt_body_force(const nt_body *body, const nt_motion *motion, v3 gravity,
                               unsigned parts)
{
    v3 force = parts & NT_MASS ? motion->a : v3_of(0, 0, 0);
    if (parts & NT_EXPLICIT)
        force = v3_sub(force, gravity);
    return v3_scale(body->mass, force);
}

/* The mass of a body that moves, in the matrix. */
static inline void nt_body_add_mass(const nt_body *body, const nt_terms *terms)
{
    double m = terms->parts & NT_MASS ? body->mass * terms->combination->mass : 0;
    double *block = nt_matrix_block(terms->matrix, body->tt_slot);
    block[0] += m;
    if (!terms->matrix->pattern->packed || !body->tt_scaled)
        block[4] += m, block[8] += m;
}

/* Motion of one body. */
static inline void nt_body_motion(const nt_body *body, const nt_point *at, nt_motion *m)
{
    const double *q = at->q + body->q, *v = at->v + body->v;
    bool moves = body->t_node >= 0;
    int r = moves ? 3 : 0;
    v3 zero = v3_of(0, 0, 0);
    if (body->r_node < 0) { /* a point */
        *m = (nt_motion){.x = v3_load(q), .R = m3_identity(), .v = v3_load(v)};
        m->a = at->vdot ? v3_load(at->vdot + body->v) : zero;
        return;
    }
    m->x = moves ? v3_load(q) : body->x0;
    m->R = quat_matrix(quat_load(q + r));
    m->v = moves ? v3_load(v) : zero;
    m->w = v3_load(v + r);
    const double *vdot = at->vdot ? at->vdot + body->v : NULL;
    m->a = vdot && moves ? v3_load(vdot) : zero;
    m->alpha = vdot ? v3_load(vdot + r) : zero;
}

/* Residual and tangent of inertia and gravity (body.c has the equations). */
void nt_body_evaluate(const nt_body *body, const nt_motion *motion, v3 gravity,
                      const nt_terms *terms);

/* Adds kinetic and potential energy. */
void nt_body_energy(const nt_body *body, const nt_motion *motion, v3 gravity, nt_energy *energy);

#endif
