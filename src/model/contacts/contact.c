/* The force of a contact.
 *
 * Two surfaces press into each other by delta > 0 along the normal n, from A to B. The force F on B
 * and -F on A act at the point p in the middle of the overlap, on the line through B's centre c:
 *
 *   p     = c - h n,   h = R - delta/2,   r = p - x of either body
 *   u     = v_B + w_B x r_B - v_A - w_A x r_A          how B's matter moves past A's at p
 *   delta' = -n . u                                    whatever the point on the normal
 *   w     = u + delta' n                               sliding, across the normal
 *   N     = k delta^n phi(1 + d delta')
 *   F     = N n - mu N w / sqrt(|w|^2 + slip^2)
 *
 * phi(y) = y is the damping of Hunt and Crossley (Coefficient of restitution interpreted as damping
 * in vibroimpact, Journal of Applied Mechanics 42, 1975, 440-445): the force is continuous at the
 * onset of contact and at its end. Surfaces that are torn apart faster than 1/d would stick to each
 * other; so phi turns over to zero within |y| < b, by a parabola:
 *
 *   phi = (y + b)^2 / (4 b),   phi' = (y + b) / (2 b),   phi = 0 below
 *
 * A body that rebounds by the contact alone never comes there: its y tends to 0 from above. Dry
 * friction turns over smoothly within the slip speed, as in joints: what should stick creeps.
 *
 * Energy: k delta^(n+1) / (n+1); the rest takes power, (k delta^n - N) delta' + F . w <= 0.
 *
 * Tangent. With X = (x_A, theta_A, x_B, theta_B), columns i, J = (-I, r_A~, I, -r_B~) and dn from
 * the shape:
 *
 *   ddelta  = -n . J dX = g . dX,      g = (n, r_A x n, -n, n x r_B)
 *   dp      = dc + n ddelta / 2 - h dn
 *   du      = (w_B - w_A)~ dp - w_B~ dx_B + w_A~ dx_A  + J dV
 *   ddelta' = -(u . dn + n . du)
 *   dw      = du + n ddelta' + delta' dn
 *   dN      = N_delta ddelta + N_rate ddelta'
 *   dF      = (n - mu w / s) dN + N dn - (mu N / s) (I - w w^T / s^2) dw,  s = sqrt(|w|^2 + slip^2)
 *   d(r x F) = r x dF - F x dr
 *
 * In dtheta alone: variations of rates are at fixed velocities, see nt_pair_add. */
#include "model/contacts/contact.h"

#include "model/mass_point.h"

#include <math.h>

/* Hertz: two smooth bodies that touch in a point. */
static const double DEFAULT_EXPONENT = 1.5;

/* m/s, where the model gives none; as in joints. */
static const double DEFAULT_SLIP = 1e-3;

/* b above: how much of the damping's range the turn to no adhesion takes. Hunt and Crossley's force
 * is exact for a separation slower than (1 - b) / d. */
static const double TURN = 0.1;

/* ---- keys ----------------------------------------------------------------------------------- */

const nt_key nt_contact_friction_keys[] = {
    {.name = "coefficient",
     .type = NT_KEY_NUMBER,
     .offset = offsetof(nt_contact, friction.coefficient),
     .bit = NT_CONTACT_COEFFICIENT,
     .required = true,
     .meaning = "of the normal force, whatever the speed"},
    {.name = "slip",
     .type = NT_KEY_NUMBER,
     .offset = offsetof(nt_contact, friction.slip),
     .bit = NT_CONTACT_SLIP,
     .unit = "m/s",
     .meaning = "speed below which friction turns over smoothly; default 1e-3"},
    {0},
};

static nt_status check(const nt_run *run, const nt_element *element, nt_error *error)
{
    const nt_model *model = run->model;
    const nt_contact *c = nt_contact_of(run, element);
    if (!(c->stiffness > 0))
        return nt_load_refuse(model, element, error, "stiffness is %g, expected a positive number",
                              c->stiffness);
    if (!(c->exponent >= 1))
        return nt_load_refuse(model, element, error, "exponent is %g, expected at least 1",
                              c->exponent);
    if (!(c->damping >= 0))
        return nt_load_refuse(model, element, error, "damping %g is negative", c->damping);
    if (!(c->friction.coefficient >= 0))
        return nt_load_refuse(model, element, error, "coefficient of friction %g is negative",
                              c->friction.coefficient);
    if (!(c->friction.slip > 0))
        return nt_load_refuse(model, element, error, "slip is %g m/s, expected a positive speed",
                              c->friction.slip);
    return NT_OK;
}

nt_status nt_contact_prepare(nt_run *run, const nt_element *element, const nt_contact_shape *shape,
                             bool validate, nt_error *error)
{
    nt_contact *contact = nt_element_numbers(run, element);
    contact->shape = shape;
    if (!(contact->given >> NT_CONTACT_EXPONENT & 1))
        contact->exponent = DEFAULT_EXPONENT;
    if (!(contact->given >> NT_CONTACT_SLIP & 1))
        contact->friction.slip = DEFAULT_SLIP;
    return validate ? check(run, element, error) : NT_OK;
}

nt_status nt_contact_point(const nt_run *run, const nt_element *element,
                           const nt_place_of_point *place, bool given, int body, bool validate,
                           v3 *offset, nt_error *error)
{
    if (given && place->marker >= 0)
        return nt_load_point(run, element, place, body, validate, offset, error);
    v3 from_origin = given ? v3_load(place->at) : v3_of(0, 0, 0);
    *offset =
        run->bodies[body].point ? v3_of(0, 0, 0) : v3_sub(from_origin, run->bodies[body].reference);
    double size = v3_norm(from_origin);
    return validate ? nt_mass_point_place(run->model, element, body, from_origin, size, error)
                    : NT_OK;
}

nt_status nt_contact_declare(nt_model *model, nt_element *element)
{
    return nt_load_declare(model, element, NT_BOTH_MOTIONS, NT_BOTH_MOTIONS);
}

/* ---- the law -------------------------------------------------------------------------------- */

typedef struct normal_law {
    double elastic;            /* N, k delta^n                  */
    double N, N_delta, N_rate; /* N; its derivatives in delta, delta' */
} normal_law;

static double turned_over(double y, double *slope)
{
    if (y >= TURN)
        return *slope = 1, y;
    if (y <= -TURN)
        return *slope = 0, 0;
    *slope = (y + TURN) / (2 * TURN);
    return (y + TURN) * (y + TURN) / (4 * TURN);
}

/* delta > 0 */
static normal_law law_of(const nt_contact *c, double delta, double rate)
{
    double n = c->exponent, slope;
    double root = n == 1.5 ? sqrt(delta) : pow(delta, n - 1); /* delta^(n-1) */
    double phi = turned_over(1 + c->damping * rate, &slope);
    double elastic = c->stiffness * delta * root;
    return (normal_law){.elastic = elastic,
                        .N = elastic * phi,
                        .N_delta = n * c->stiffness * root * phi,
                        .N_rate = elastic * slope * c->damping};
}

/* ---- the force ------------------------------------------------------------------------------ */

typedef struct state {
    nt_touch touch;
    v3 r_a, r_b;    /* p from the reference points       */
    v3 u, w;        /* relative velocity at p; sliding   */
    double rate, s; /* delta'; sqrt(|w|^2 + slip^2)      */
    normal_law law;
    v3 F;
} state;

/* Surfaces that do not touch have no force: law and F are zero. */
static nt_status find_state(const nt_element *element, const nt_view *view, state *s)
{
    const nt_contact *c = nt_contact_of(view->run, element);
    const nt_motion *A = &view->motion[element->a], *B = &view->motion[element->b];
    *s = (state){0};
    nt_status status = c->shape->touch(element, view, &s->touch);
    const nt_touch *t = &s->touch;
    if (status != NT_OK || !(t->indentation > 0))
        return status;
    s->r_b = v3_axpy(0.5 * t->indentation - t->radius, t->normal, t->arm);
    s->r_a = v3_add(v3_sub(B->x, A->x), s->r_b);
    s->u = v3_sub(v3_add(B->v, v3_cross(B->w, s->r_b)), v3_add(A->v, v3_cross(A->w, s->r_a)));
    s->rate = -v3_dot(t->normal, s->u);
    s->w = v3_axpy(s->rate, t->normal, s->u);
    s->s = sqrt(v3_dot(s->w, s->w) + c->friction.slip * c->friction.slip);
    s->law = law_of(c, t->indentation, s->rate);
    s->F = v3_axpy(-c->friction.coefficient * s->law.N / s->s, s->w, v3_scale(s->law.N, t->normal));
    return isfinite(v3_dot(s->F, s->F)) ? NT_OK : NT_NOT_FINITE;
}

static void add_energy(const nt_contact *c, const state *s, nt_energy *energy)
{
    double delta = s->touch.indentation;
    energy->potential += s->law.elastic * delta / (c->exponent + 1);
    energy->power += (s->law.elastic - s->law.N) * s->rate + v3_dot(s->F, s->w);
}

/* ---- tangent -------------------------------------------------------------------------------- */

/* Derivatives of the force and of p along the variations. */
typedef struct change {
    nt_pair_derivative F;
    m3 p[NT_PAIR_NODES];
} change;

static void differentiate(const nt_element *element, const nt_view *view, const state *s, change *d)
{
    const nt_contact *c = nt_contact_of(view->run, element);
    v3 n = s->touch.normal, wA = view->motion[element->a].w, wB = view->motion[element->b].w;
    double N = s->law.N, mu = c->friction.coefficient, friction = mu * N / s->s;
    double h = s->touch.radius - 0.5 * s->touch.indentation;
    m3 I = m3_identity(), turning = m3_skew(v3_sub(wB, wA)), dn[NT_PAIR_NODES];
    m3 J[NT_PAIR_NODES] = {m3_scale(-1, I), m3_skew(s->r_a), I, m3_skew(v3_neg(s->r_b))};
    v3 g[NT_PAIR_NODES] = {n, v3_cross(s->r_a, n), v3_neg(n), v3_cross(n, s->r_b)};
    m3 dc[NT_PAIR_NODES] = {[NT_T_B] = I, [NT_R_B] = m3_skew(v3_neg(s->touch.arm))};
    m3 own[NT_PAIR_NODES] = {[NT_T_A] = m3_skew(wA), [NT_T_B] = m3_skew(v3_neg(wB))};
    m3 across = m3_scale(friction, m3_sub(I, m3_scale(1 / (s->s * s->s), m3_dyad(s->w, s->w))));
    v3 along = v3_axpy(-mu / s->s, s->w, n); /* F / N */

    c->shape->turn(element, view, &s->touch, dn);
    for (int i = 0; i < NT_PAIR_NODES; i++) {
        d->p[i] = m3_sub(m3_add(dc[i], m3_dyad(v3_scale(0.5, n), g[i])), m3_scale(h, dn[i]));
        m3 du = m3_add(m3_multiply(turning, d->p[i]), own[i]);
        v3 rate = v3_neg(v3_add(m3_apply_transposed(dn[i], s->u), m3_apply_transposed(du, n)));
        v3 dN = v3_axpy(s->law.N_delta, g[i], v3_scale(s->law.N_rate, rate));
        m3 dw = m3_add(m3_add(du, m3_dyad(n, rate)), m3_scale(s->rate, dn[i]));
        d->F.q[i] = m3_add(m3_dyad(along, dN), m3_scale(N, dn[i]));
        d->F.q[i] = m3_sub(d->F.q[i], m3_multiply(across, dw));

        m3 dw_v = m3_add(J[i], m3_dyad(n, g[i]));
        d->F.v[i] = m3_dyad(along, v3_scale(s->law.N_rate, g[i]));
        d->F.v[i] = m3_sub(d->F.v[i], m3_multiply(across, dw_v));
    }
}

/* The rows of one body: the force sign F at r from its reference point, the residual its opposite.
 * node: that of its translation. */
static void add_rows(const nt_element *element, const nt_view *view, int node, double sign, v3 r,
                     v3 F, const change *d)
{
    nt_pair_derivative row, moment;
    for (int i = 0; i < NT_PAIR_NODES; i++) {
        m3 dr = i == node ? m3_sub(d->p[i], m3_identity()) : d->p[i];
        row.q[i] = m3_scale(-sign, d->F.q[i]);
        row.v[i] = m3_scale(-sign, d->F.v[i]);
        moment.q[i] =
            m3_add(m3_skew_multiply(r, row.q[i]), m3_scale(sign, m3_skew_multiply(F, dr)));
        moment.v[i] = m3_skew_multiply(r, row.v[i]);
    }
    nt_pair_add(element, view, node, &row);
    nt_pair_add(element, view, node + 1, &moment);
}

/* ---- callbacks ------------------------------------------------------------------------------ */

nt_status nt_contact_evaluate(const nt_element *element, const nt_view *view)
{
    if (!view->energy && !(view->terms->parts & element->part))
        return NT_OK;
    state s;
    nt_status status = find_state(element, view, &s);
    if (status != NT_OK || !(s.touch.indentation > 0))
        return status;
    if (view->energy) {
        add_energy(nt_contact_of(view->run, element), &s, view->energy);
        return NT_OK;
    }
    if (view->terms->residual) {
        nt_view_force(view, NT_T_A, s.F);
        nt_view_force(view, NT_R_A, v3_cross(s.r_a, s.F));
        nt_view_force(view, NT_T_B, v3_neg(s.F));
        nt_view_force(view, NT_R_B, v3_cross(s.F, s.r_b));
    }
    if (view->terms->matrix) {
        change d;
        differentiate(element, view, &s, &d);
        add_rows(element, view, NT_T_A, -1, s.r_a, s.F, &d);
        add_rows(element, view, NT_T_B, 1, s.r_b, s.F, &d);
    }
    return NT_OK;
}

bool nt_contact_depends_on_rates(const nt_run *run, const nt_element *element)
{
    const nt_contact *contact = nt_contact_of(run, element);
    return contact->damping != 0 || contact->friction.coefficient != 0;
}

void nt_contact_reaction(const nt_element *element, const nt_view *view, v3 *force, v3 *torque)
{
    state s;
    bool known = find_state(element, view, &s) == NT_OK;
    *force = known ? s.F : v3_of((double)NAN, (double)NAN, (double)NAN);
    *torque = v3_of(0, 0, 0); /* about p */
}

double nt_contact_indentation(const nt_element *element, const nt_view *view)
{
    nt_touch touch;
    nt_status status = nt_contact_of(view->run, element)->shape->touch(element, view, &touch);
    return status == NT_OK ? touch.indentation : (double)NAN;
}
