/* Rolling without slip on a plane of A.
 *
 * B touches the plane at P = p_B - r u. With d = p_B - p_A and the plane's normal n = e3 the
 * holonomic row says that P is on the plane,
 *
 *   Phi = n . (P - p_A) = n . d - r n . u.
 *
 * The material points of B and A at P have the relative velocity
 *
 *   V = v_B + w_B x (P - x_B) - v_A - w_A x (P - x_A) = d' - w_A x d - r omega x u,
 *   omega = w_B - w_A,
 *
 * and its component along a direction e of A is, because e' = w_A x e,
 *
 *   e . V = (e . d)' - r omega . (u x e).                                                    (1)
 *
 * For e = n this is Phi', since the lowest point of B moves along the plane; for e1 and e2 it is
 * kappa: the body does not slip. So all three rows at the velocity level are (1), and what comes to
 * the row ALONG e of other joints is y = -r omega . (u x e). The multipliers are the components of
 * one force G = lambda n + mu_1 e1 + mu_2 e2 that acts at P; it has no moment about P.
 *
 * Seen from A, where e does not turn, y depends on the relative rotation phi, on omega and on its
 * derivative omega* = omega' - w_A x omega. With u* = D omega
 *
 *   y' = -r (omega* . (u x e) + z . u*),    z = e x omega,
 *
 * and by dn u = D dphi the gradients are
 *
 *   y  in omega: -r u x e,                     in phi: -r D^T z,
 *   y' in omega*: -r u x e,  in omega: -r (u* x e + D^T z),
 *   y' in phi: -r (D^T (e x omega*) + grad (z . D omega)),
 *
 * the last at constant z and omega. For a triad a, u, k that leans with B (rolling_disk.c):
 *
 *   z . D omega = -(omega . k) (z . a) + tau (omega . u) (z . k),
 *   grad (x . a) = a x x,  grad (x . u) = D^T x,  grad (x . k) = u (x . (a - tau u)),
 *   grad tau = (1 + tau^2) k. */
#include "model/joints/rolling.h"

#include "base/error.h"
#include "model/bodies/mass_point.h"
#include "model/elements.h"

#include <stddef.h>
#include <stdio.h>

#define AT(field) .offset = offsetof(nt_rolling, field)

const nt_key nt_rolling_plane_keys[] = {
    NT_KEY("point", NT_KEY_POINT, AT(plane.point), .bit = 21, .unit = "m",
           .meaning =
               "of the plane: A's own axes from its origin, or a marker of A; default the origin"),
    NT_KEY("normal", NT_KEY_NUMBERS, AT(plane.normal), .bit = 22, .low = 3, .high = 3,
           .relative = true,
           .meaning =
               "to the side where B is, A's own axes, of any length but zero; default [0, 0, 1]"),
    {.name = NULL},
};

/* ---- geometry ------------------------------------------------------------------------------- */

/* The contact's row as that of a joint: what its latch has to lock is the rest. */
static const nt_row_spec on_plane = {NT_ROW_ALONG, 2, 0};

/* A point of a body: its marker must be its own. */
static nt_status find_point(const nt_run *run, const nt_element *e, const nt_place_of_point *point,
                            int body, v3 *at, nt_error *error)
{
    const nt_model *model = run->model;
    if (point->marker >= 0 && model->markers[point->marker].on != body) {
        char words[160];
        snprintf(words, sizeof words, "needs a point of %.40s, but marker %.40s is on %.40s",
                 model->bodies[body].name, model->markers[point->marker].name,
                 model->bodies[model->markers[point->marker].on].name);
        return nt_joint_refuse(model, e, error, words);
    }
    *at = nt_joint_point(run, point, body, true);
    return NT_OK;
}

nt_status nt_rolling_prepare(nt_run *run, const nt_element *element, bool axis, bool validate,
                             nt_error *error)
{
    static const double up[3] = {0, 0, 1};
    nt_rolling *rolling = nt_element_numbers(run, element);
    nt_joint *joint = &rolling->joint;
    unsigned given = joint->given;
    nt_status status = nt_mass_point_refuse(run->model, element, error);
    if (status == NT_OK)
        status =
            find_point(run, element, &rolling->plane.point, element->a, &joint->point_a, error);
    if (status == NT_OK)
        status = find_point(run, element, &joint->at, element->b, &joint->point_b, error);
    if (status != NT_OK)
        return status;
    if (!nt_joint_unit_axis(given & NT_GIVEN_PLANE_NORMAL ? rolling->plane.normal : up,
                            &joint->e[2]))
        return nt_joint_refuse(run->model, element, error,
                               "has a plane with a normal of length zero");
    if (validate)
        joint->across = nt_joint_least_along(joint->e[2]);
    joint->e[0] = nt_joint_perpendicular(joint->e[2], joint->across);
    joint->e[1] = v3_cross(joint->e[2], joint->e[0]);
    if (validate && (given & NT_GIVEN_RADIUS) && !(rolling->radius > 0)) {
        char words[80];
        snprintf(words, sizeof words, "has the radius %g m, expected a positive number",
                 rolling->radius);
        return nt_joint_refuse(run->model, element, error, words);
    }
    joint->f[2] = v3_of(0, 0, 1);
    if (axis && !nt_joint_unit_axis(joint->axis, &joint->f[2]))
        return nt_joint_refuse(run->model, element, error, "has an axis of length zero");
    if (validate)
        rolling->across = nt_joint_least_along(joint->f[2]);
    joint->f[0] = nt_joint_perpendicular(joint->f[2], rolling->across);
    joint->f[1] = v3_cross(joint->f[2], joint->f[0]);
    joint->specs = &on_plane;
    joint->n_specs = (given & (NT_GIVEN_RADIUS | NT_GIVEN_PLANE)) != 0;
    joint->turns = true;
    return NT_OK;
}

const nt_joint *nt_rolling_joint(const nt_run *run, const nt_element *element)
{
    return &nt_rolling_of(run, element)->joint;
}

v3 nt_rolling_lowest_point(const nt_run *run, const nt_element *e)
{
    const nt_rolling *rolling = nt_rolling_of(run, e);
    const nt_body *a = &run->bodies[e->a], *b = &run->bodies[e->b];
    v3 center = v3_add(b->x0, m3_apply(quat_matrix(b->q0), rolling->joint.point_b));
    v3 normal = m3_apply(quat_matrix(a->q0), rolling->joint.e[2]);
    return v3_axpy(-rolling->radius, normal, center);
}

/* Without slip the reaction does no work. */
bool nt_rolling_does_work(const nt_model *model, const nt_element *element)
{
    (void)model, (void)element;
    return false;
}

/* ---- words, numbers, layout ----------------------------------------------------------------- */

int nt_rolling_rows(const nt_model *model, const nt_element *element)
{
    return nt_joint_rows(model, element);
}
int nt_rolling_rates(const nt_model *model, const nt_element *element)
{
    (void)model, (void)element;
    return 2;
}

nt_quantity nt_rolling_row_quantity(const nt_model *model, const nt_element *element, int row)
{
    bool rolls = row >= nt_rolling_rows(model, element);
    return rolls ? NT_LENGTH : nt_joint_row_quantity(model, element, row);
}

const char *nt_rolling_row_name(const nt_model *model, const nt_element *element, int row)
{
    static const char *const names[] = {"contact with the plane",
                                        "slip along the plane's 1st direction",
                                        "slip along the plane's 2nd direction"};
    int rows = nt_rolling_rows(model, element);
    if (row > 0 && row < rows)
        return nt_joint_row_name(model, element, row);
    return names[row == 0 ? 0 : 1 + row - rows];
}

/* The tangents of the forces couple everything but two translations. */
nt_status nt_rolling_declare(nt_model *model, nt_element *e)
{
    nt_status status = NT_OK;
    for (int i = 0; i < NT_PORTS; i++)
        for (int j = 0; j < NT_PORTS && status == NT_OK; j++) {
            bool moves = i < NT_ROWS && j < NT_ROWS;
            bool translations = moves && i % 2 == 0 && j % 2 == 0;
            bool multipliers = i >= NT_ROWS && j >= NT_ROWS && i != j;
            if (!translations && !multipliers)
                status = nt_element_couple(model, e, i, j, NT_FULL);
        }
    return status;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* D x and D^T x */
static v3 turned(const nt_contact_arm *arm, v3 x)
{
    if (!arm->leans)
        return v3_of(0, 0, 0);
    return v3_axpy(-v3_dot(arm->k, x), arm->a, v3_scale(arm->tau * v3_dot(arm->u, x), arm->k));
}
static v3 turned_back(const nt_contact_arm *arm, v3 x)
{
    if (!arm->leans)
        return v3_of(0, 0, 0);
    return v3_axpy(-v3_dot(arm->a, x), arm->k, v3_scale(arm->tau * v3_dot(arm->k, x), arm->u));
}

/* grad (z . D omega) */
static v3 gradient_of_turning(const nt_contact_arm *arm, v3 z, v3 omega)
{
    if (!arm->leans)
        return v3_of(0, 0, 0);
    v3 a = arm->a, u = arm->u, k = arm->k, level = v3_axpy(-arm->tau, u, a);
    double tau = arm->tau, za = v3_dot(z, a), zk = v3_dot(z, k);
    double wk = v3_dot(omega, k), wu = v3_dot(omega, u);
    v3 sum = v3_scale(-za * v3_dot(omega, level), u);
    sum = v3_axpy(-wk, v3_cross(a, z), sum);
    sum = v3_axpy((1 + tau * tau) * wu * zk, k, sum);
    sum = v3_axpy(tau * zk, turned_back(arm, omega), sum);
    return v3_axpy(tau * wu * v3_dot(z, level), u, sum);
}

/* Gradients in phi, omega and omega* as gradients in the bodies' own variations:
 *
 *   dphi    = dtheta_B - dtheta_A
 *   domega  = dw_B - dw_A - dtheta_A x omega
 *   domega* = dalpha_B - dalpha_A - dw_A x omega - w_A x (dw_B - dw_A) - dtheta_A x omega*
 *
 * each as seen from A. */
static void add_relative(joint_row *row, const joint_geometry *g, v3 phi, v3 omega, v3 omega1,
                         v3 rate, v3 rate1)
{
    v3 carried = v3_add(v3_cross(rate, omega), v3_cross(rate1, omega1));
    row->b.theta = v3_add(row->b.theta, phi);
    row->a.theta = v3_sub(row->a.theta, v3_add(phi, carried));
    row->b.w = v3_add(row->b.w, v3_add(omega, v3_cross(g->a->w, omega1)));
    row->a.w = v3_sub(row->a.w, v3_add(omega, v3_cross(g->b->w, omega1)));
    row->b.alpha = v3_add(row->b.alpha, omega1);
    row->a.alpha = v3_sub(row->a.alpha, omega1);
}

/* The row along e_i of the plane: i = 2 is Phi at the position level, the others have none. */
static void contact_row(joint_row *row, const joint_geometry *g, const nt_contact_arm *arm,
                        double r, int i, nt_level level)
{
    const nt_row_spec along = {NT_ROW_ALONG, i, 0};
    v3 e = g->e[i].r, o = v3_of(0, 0, 0), ue = v3_cross(arm->u, e);
    v3 rate = v3_sub(g->b->w, g->a->w);
    v3 rate1 = v3_sub(v3_sub(g->b->alpha, g->a->alpha), v3_cross(g->a->w, rate));
    joint_row_of(row, g, &along, 0, level, 0, NULL);
    row->moment_b = v3_axpy(-r, ue, row->moment_b);
    row->moment_a = v3_axpy(r, ue, row->moment_a);
    if (level == NT_POSITION) { /* grad (n . u) = D^T n = u x n */
        row->value -= r * v3_dot(e, arm->u);
        add_relative(row, g, v3_scale(-r, turned_back(arm, e)), o, o, rate, rate1);
        return;
    }
    v3 z = v3_cross(e, rate), phi = turned_back(arm, z);
    if (level == NT_VELOCITY) {
        row->value -= r * v3_dot(rate, ue);
        add_relative(row, g, v3_scale(-r, phi), v3_scale(-r, ue), o, rate, rate1);
        return;
    }
    v3 u1 = turned(arm, rate), omega = v3_add(v3_cross(u1, e), phi);
    row->value -= r * (v3_dot(rate1, ue) + v3_dot(z, u1));
    phi = v3_add(turned_back(arm, v3_cross(e, rate1)), gradient_of_turning(arm, z, rate));
    add_relative(row, g, v3_scale(-r, phi), v3_scale(-r, omega), v3_scale(-r, ue), rate, rate1);
}

/* ---- forces --------------------------------------------------------------------------------- */

/* Of the three components of the contact's force e_i, and its row: the first is along the normal,
 * the rows of a latch lie between it and the others. */
static int direction_of(int k) { return k == 0 ? 2 : k - 1; }
static int contact_row_of(const nt_element *e, int k) { return k == 0 ? 0 : e->n_rows + k - 1; }
static double multiplier_of(const nt_element *e, const nt_view *view, int k)
{
    return view->lambda[nt_element_row(e, contact_row_of(e, k))];
}

static v3 contact_force(const nt_element *e, const nt_view *view, const joint_geometry *g)
{
    v3 G = v3_of(0, 0, 0);
    for (int k = 0; k < 3; k++)
        G = v3_axpy(multiplier_of(e, view, k), g->e[direction_of(k)].r, G);
    return G;
}

/* k times the derivative of the forces: G at p_B on both bodies, as in other joints, and the moment
 * -r u x G on B and its opposite on A, where
 *
 *   d(u x G) = dtheta_A x (u x G) + (D dphi) x G. */
static void rolling_add_force_tangent(const nt_element *e, const nt_view *view,
                                      const joint_geometry *g, const nt_contact_arm *arm, double r,
                                      double k)
{
    v3 G = contact_force(e, view, g);
    for (int i = 0; i < 3; i++) {
        const nt_row_spec along = {NT_ROW_ALONG, direction_of(i), 0};
        joint_row_tangent(view, g, &along, 0, NULL, k * multiplier_of(e, view, i));
    }
    m3 GD = {0}, carried = m3_skew(v3_cross(arm->u, G));
    if (arm->leans)
        GD = m3_add(m3_dyad(v3_cross(arm->a, G), arm->k),
                    m3_dyad(v3_scale(arm->tau, v3_cross(G, arm->k)), arm->u));
    nt_view_add(view, NT_R_B, NT_R_B, m3_scale(k * r, GD));
    nt_view_add(view, NT_R_A, NT_R_B, m3_scale(-k * r, GD));
    nt_view_add(view, NT_R_B, NT_R_A, m3_scale(k * r, m3_sub(carried, GD)));
    nt_view_add(view, NT_R_A, NT_R_A, m3_scale(-k * r, m3_sub(carried, GD)));
}

nt_status nt_rolling_evaluate(const nt_element *e, const nt_view *view, const joint_geometry *g,
                              const nt_contact_arm *arm)
{
    const nt_terms *terms = view->terms;
    double r = nt_rolling_of(view->run, e)->radius;
    for (int i = 0; i < 3; i++) {
        joint_row row;
        nt_level level = i > 0 && terms->level == NT_POSITION ? NT_VELOCITY : terms->level;
        contact_row(&row, g, arm, r, direction_of(i), level);
        nt_joint_add_row(e, view, &row, contact_row_of(e, i));
    }
    nt_joint_add_latch(e, view, g);
    if (terms->matrix && (terms->parts & NT_REACTIONS) && terms->combination->stiffness != 0)
        rolling_add_force_tangent(e, view, g, arm, r, terms->combination->stiffness);
    return NT_OK;
}

/* The residual holds +G on B, so G is minus the force. */
void nt_rolling_react(const nt_element *e, const nt_view *view, const joint_geometry *g,
                      const nt_contact_arm *arm, v3 *force, v3 *torque)
{
    v3 foot = v3_scale(-nt_rolling_of(view->run, e)->radius, arm->u);
    *force = v3_neg(contact_force(e, view, g));
    *torque = v3_of(0, 0, 0);
    nt_joint_add_latch_reaction(e, view, g, foot, force, torque);
}
