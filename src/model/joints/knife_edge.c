/* A blade fixed in B: its place p_B moves along the blade and not across it, relative to A.
 *
 * With the blade's lateral direction f = f3, fixed in B, and d = p_B - p_A from a point of A,
 *
 *   kappa  = f . V,            V = d' - w_A x d    (the velocity that A sees),
 *   kappa' = f' . V + f . V*,  V* = d'' - alpha_A x d - w_A x d'.
 *
 * Gradients: of kappa  V in f; w_A x f in d, f in d'; f x d in w_A
 *            of kappa' V* in f, V in f'; w_A x f' + alpha_A x f in d, f' + w_A x f in d', f in d'';
 *                      f' x d + f x d' in w_A; f x d in alpha_A.
 *
 * The multiplier mu is a force G = mu f on B at p_B. With `plane` the place also stays on a plane
 * of A, Phi = e3 . d, the row ALONG e3 of other joints. */
#include "model/elements.h"
#include "model/joints/joint_keys.h"
#include "model/joints/rolling.h"

#include <stddef.h>

static const nt_key knife_edge_keys[] = {
    NT_ROLLING_KEY_BETWEEN,
    NT_ROLLING_KEY_AXIS("across the blade, the direction in which it does not move:"),
    NT_ROLLING_KEY_AT("the blade's place,"),
    NT_ROLLING_KEY_PLANE("where given: on which the place stays, fixed in A"),
    NT_JOINT_KEY_ACTIVE,
    {.name = NULL},
};

static int rates(const nt_model *model, const nt_element *e)
{
    (void)model, (void)e;
    return 1;
}

static bool has_plane(const nt_model *model, const nt_element *e)
{
    const nt_joint *joint = nt_model_data(model, e);
    return joint->given & NT_GIVEN_PLANE;
}

static nt_quantity knife_edge_row_quantity(const nt_model *model, const nt_element *e, int row)
{
    return row < nt_joint_rows(model, e) ? nt_joint_row_quantity(model, e, row) : NT_LENGTH;
}

static const char *knife_edge_row_name(const nt_model *model, const nt_element *e, int row)
{
    if (row >= nt_joint_rows(model, e))
        return "slip across its edge";
    return row == 0 && has_plane(model, e) ? "contact with the plane"
                                           : nt_joint_row_name(model, e, row);
}

/* rad. Nearer than this to the normal the blade holds what the plane holds already. */
static const double FLAT = 1e-6;

static nt_status knife_edge_prepare(nt_run *run, const nt_element *element, bool validate,
                                    nt_error *error)
{
    nt_status status = nt_rolling_prepare(run, element, true, validate, error);
    if (status != NT_OK || !validate || !has_plane(run->model, element))
        return status;
    const nt_joint *joint = nt_joint_of(run, element);
    v3 n = m3_apply(quat_matrix(run->bodies[element->a].q0), joint->e[2]);
    v3 f = m3_apply(quat_matrix(run->bodies[element->b].q0), joint->f[2]);
    if (v3_norm(v3_cross(f, n)) < FLAT)
        return nt_joint_refuse(run->model, element, error,
                               "has its axis along the plane's normal, expected one across the "
                               "blade");
    return NT_OK;
}

static void edge_row(joint_row *row, const joint_geometry *g, nt_level level)
{
    const body_vector *f = &g->f[2];
    v3 w = g->a->w, alpha = g->a->alpha, o = v3_of(0, 0, 0);
    v3 V = v3_sub(g->d1, v3_cross(w, g->d)), wf = v3_cross(w, f->r), fd = v3_cross(f->r, g->d);
    v3 f0 = V, f1 = o, d0 = wf, d1 = f->r, d2 = o;
    *row = (joint_row){0};
    row->force_b = f->r;
    row->force_a = v3_neg(f->r);
    row->moment_b = v3_cross(g->pb.arm, f->r);
    row->moment_a = v3_cross(f->r, v3_add(g->d, g->pa.arm));
    if (level == NT_ACCELERATION) {
        v3 V1 = v3_sub(g->d2, v3_add(v3_cross(alpha, g->d), v3_cross(w, g->d1)));
        row->value = v3_dot(f->r1, V) + v3_dot(f->r, V1);
        f0 = V1, f1 = V;
        d0 = v3_add(v3_cross(w, f->r1), v3_cross(alpha, f->r));
        d1 = v3_add(f->r1, wf);
        d2 = f->r;
        row->a.w = v3_add(v3_cross(f->r1, g->d), v3_cross(f->r, g->d1));
        row->a.alpha = fd;
    } else {
        row->value = v3_dot(f->r, V);
        row->a.w = fd;
    }
    add_gradient(&row->b, g->b, f, false, f0, f1, o);
    add_gradient(&row->b, g->b, &g->pb, true, d0, d1, d2);
    add_gradient(&row->a, g->a, &g->pa, true, v3_neg(d0), v3_neg(d1), v3_neg(d2));
}

/* k times the derivative of the forces: G and rho x G on B, both fixed in it, and on A -G and
 * -D x G with D = p_B - x_A, dD = dx_B + dtheta_B x rho - dx_A. */
static void knife_edge_add_force_tangent(const nt_view *view, const joint_geometry *g, v3 G,
                                         double k)
{
    v3 D = v3_add(g->d, g->pa.arm), rho = g->pb.arm;
    m3 across = m3_scale(k, m3_skew(G));
    nt_view_add(view, NT_T_B, NT_R_B, m3_scale(-1, across));
    nt_view_add(view, NT_T_A, NT_R_B, across);
    nt_view_add(view, NT_R_B, NT_R_B, m3_scale(-k, m3_skew(v3_cross(rho, G))));
    nt_view_add(view, NT_R_A, NT_T_B, across);
    nt_view_add(view, NT_R_A, NT_T_A, m3_scale(-1, across));
    nt_view_add(view, NT_R_A, NT_R_B,
                m3_scale(k, m3_sub(m3_skew_skew(D, G), m3_skew_skew(G, rho))));
}

static nt_status knife_edge_evaluate(const nt_element *e, const nt_view *view)
{
    if (view->energy)
        return NT_OK;
    const nt_terms *terms = view->terms;
    bool forces = terms->matrix && (terms->parts & NT_REACTIONS);
    double k = forces ? terms->combination->stiffness : 0;
    const nt_joint *joint = nt_joint_of(view->run, e);
    joint_geometry g;
    joint_row row;
    joint_geometry_of(&g, e, view);
    if (joint->n_specs > 0) {
        joint_row_of(&row, &g, joint->specs, 0, terms->level, 0, NULL);
        nt_joint_add_row(e, view, &row, 0);
        if (k != 0)
            joint_row_tangent(view, &g, joint->specs, 0, NULL, k * view->lambda[e->first_row]);
    }
    nt_joint_add_latch(e, view, &g);
    edge_row(&row, &g, terms->level);
    nt_joint_add_row(e, view, &row, e->n_rows);
    if (k != 0)
        knife_edge_add_force_tangent(view, &g, v3_scale(view->lambda[e->first_rate], g.f[2].r), k);
    return NT_OK;
}

/* Force of the edge and the plane on B at its place; the residual holds its opposite. */
static void knife_edge_reaction(const nt_element *e, const nt_view *view, v3 *force, v3 *torque)
{
    joint_geometry g;
    joint_geometry_of(&g, e, view);
    *force = v3_scale(-view->lambda[e->first_rate], g.f[2].r);
    if (nt_joint_of(view->run, e)->n_specs > 0)
        *force = v3_axpy(-view->lambda[e->first_row], g.e[2].r, *force);
    *torque = v3_of(0, 0, 0);
    nt_joint_add_latch_reaction(e, view, &g, v3_of(0, 0, 0), force, torque);
}

const nt_element_type nt_joint_knife_edge = {
    .version = NT_ELEMENT_VERSION,
    .section = &nt_joint_section,
    .name = "knife_edge",
    .summary = "a blade or skate: a point of B does not move across its edge",
    .picture = "            ^ axis            across the blade: no motion along it\n"
               "            |\n"
               "  rate <====o====             of B's place along the blade, seen from A;\n"
               "            B                 the normal points to the eye\n",
    .keys = knife_edge_keys,
    .size = sizeof(nt_rolling),
    .rows = nt_joint_rows,
    .rates = rates,
    .prepare = knife_edge_prepare,
    .declare = nt_rolling_declare,
    .evaluate = knife_edge_evaluate,
    .row_quantity = knife_edge_row_quantity,
    .row_name = knife_edge_row_name,
    .leaves_place = true,
    .site = nt_rolling_lowest_point,
    .does_work = nt_rolling_does_work,
    .reaction = knife_edge_reaction,
    .as_rolling = nt_rolling_joint,
    .shows = NT_SHOWS(NT_OF_ROLLING) | NT_SHOWS(NT_OF_BLADE),
};
