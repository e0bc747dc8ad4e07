/* Signals that are the power or the potential energy of all that an element does.
 *
 * The residual holds the opposite of its forces, R, so with the velocities v of its ports
 *
 *   P = -R . v       dP = -v . dR - R . dv
 *
 * where dv = c e of a translation and dv = W e of a rotation, W = nt_rate_map. A contact counts
 * what is not elastic alone: to P comes the elastic power, whose derivatives its kind knows.
 *
 * The potential energy V is what the forces lose but for the power p that the element declares,
 *
 *   dV/dt = R . v + p
 *
 * at whatever velocities, without reactions. So with v one unit along coordinate j and all else at
 * rest dV/dq_j = R_j + p - p_0, p_0 that of what changes in time at rest: no differences. Springs
 * and stops of a joint push along its axis, which is the gradient of its angle or displacement
 * where the joint's equations hold: there alone their slopes are exact. */
#include "model/quantities/signal_aside.h"

#include "model/bodies/body.h"
#include "model/quantities/quantity_kind.h"

#include <string.h>

/* The body of a port that is a rotation; -1: a translation, coordinates of the element's own. */
static int turning_body(const nt_view *view, const nt_port *port)
{
    int body = nt_model_body_of_node(view->model, port->node);
    return body >= 0 && view->bodies[body].r_node == port->node ? body : -1;
}

/* gradient += W^T x, or c x */
void nt_aside_add_rate(const nt_view *view, const nt_port *port, const double *x, double *gradient)
{
    const nt_combination *c = view->terms->combination;
    int body = turning_body(view, port);
    if (body >= 0) {
        m3 rate = nt_rate_map(view, body, c->damping, c->stiffness);
        v3_accumulate(gradient + port->start, m3_apply_transposed(rate, v3_load(x)));
        return;
    }
    for (int k = 0; k < port->size; k++)
        gradient[port->start + k] += c->damping * x[k];
}

/* What the kind adds, in both bodies of the element. */
static void add_of_kind(const nt_signal *signal, const nt_element *e, const nt_view *view,
                        double *gradient)
{
    double k = view->terms->combination->stiffness;
    nt_signal_gradient g;
    nt_signal_differentiate(signal, view, &g);
    for (int side = 0; side < 2; side++) {
        const nt_port *t = &e->ports[side ? NT_T_B : NT_T_A];
        const nt_port *r = &e->ports[side ? NT_R_B : NT_R_A];
        double v[3], w[3];
        v3_store(v, g.v[side]), v3_store(w, g.w[side]);
        if (t->node >= 0) {
            v3_accumulate(gradient + t->start, v3_scale(k, g.x[side]));
            nt_aside_add_rate(view, t, v, gradient);
        }
        if (r->node >= 0) {
            v3_accumulate(gradient + r->start, v3_scale(k, g.r[side]));
            nt_aside_add_rate(view, r, w, gradient);
        }
    }
}

static void add_block(const nt_port *from, const nt_port *to, const double *block, const double *u,
                      double factor, double *gradient)
{
    for (int i = 0; i < from->size; i++)
        for (int k = 0; k < to->size; k++)
            gradient[to->start + k] += factor * u[from->first + i] * block[i * to->size + k];
}

void nt_aside_add_rows(const nt_local *local, const double *u, double factor, double *gradient)
{
    const nt_element *e = local->element;
    for (int t = 0; t < local->n_touched; t++) {
        int row = local->touched[t] / e->n_ports, column = local->touched[t] % e->n_ports;
        const nt_port *from = &e->ports[row], *to = &e->ports[column];
        const double *block = local->blocks + e->size * from->start + from->size * to->start;
        if (nt_element_pushes(e, row))
            add_block(from, to, block, u, factor, gradient);
    }
    for (int k = 0; e->couple && k < e->n_couples; k++) {
        const int *ports = e->couple_ports + 2 * k;
        if (nt_element_pushes(e, ports[0]))
            add_block(&e->ports[ports[0]], &e->ports[ports[1]], local->couples + 9 * (ptrdiff_t)k,
                      u, factor, gradient);
    }
}

void nt_aside_follow_power(const nt_signal *signal, const nt_element *e, const nt_view *view,
                           struct nt_aside *aside)
{
    const nt_local *local = &aside->local;
    if (!nt_aside_evaluate(aside, e, view, true, true)) /* its own turn says so */
        return;
    nt_aside_add_rows(local, view->at->v, -1, aside->gradient);
    for (int i = 0; local->has_pushed && i < e->n_ports; i++) {
        double push[6];
        const nt_port *port = &e->ports[i];
        if (!nt_element_pushes(e, i) || port->node < 0)
            continue;
        for (int k = 0; k < port->size; k++)
            push[k] = -local->residual[port->start + k];
        nt_aside_add_rate(view, port, push, aside->gradient);
    }
    if (nt_quantity_kinds[signal->kind].differentiate)
        add_of_kind(signal, e, view, aside->gradient);
}

/* R_j + p at the velocities at hand; entry -1: p alone. */
static double loss_along(const nt_element *e, const nt_view *view, struct nt_aside *aside,
                         int entry)
{
    nt_energy energy = {0};
    nt_view at_work = *view;
    nt_terms terms = {.parts = NT_ALL_PARTS};
    double force = 0;
    if (entry >= 0 && nt_aside_evaluate(aside, e, view, false, true) && aside->local.has_pushed)
        force = aside->local.residual[entry];
    at_work.terms = &terms;
    at_work.energy = &energy;
    at_work.local = &aside->local;
    at_work.scratch = aside->scratch;
    nt_local_begin(&aside->local, e);
    return e->type->evaluate(e, &at_work) == NT_OK ? force + energy.power : (double)NAN;
}

static void aside_add_rest(const nt_element *e, const nt_view *still, struct nt_aside *aside)
{
    if (!nt_aside_evaluate(aside, e, still, false, true) || !aside->local.has_pushed)
        return;
    for (int i = 0; i < e->n_ports; i++)
        for (int k = 0; nt_element_pushes(e, i) && k < e->ports[i].size; k++)
            aside->gradient[e->ports[i].start + k] +=
                still->terms->combination->stiffness * aside->local.residual[e->ports[i].start + k];
}

void nt_aside_follow_energy(const nt_element *e, const nt_view *view, struct nt_aside *aside)
{
    const nt_model *model = view->model;
    nt_point point = *view->at;
    nt_view still = *view;
    for (int i = 0; i < model->n_bodies; i++)
        aside->motion[i] = (nt_motion){.x = view->motion[i].x, .R = view->motion[i].R};
    point.v = aside->v;
    point.vdot = NULL;
    still.at = &point;
    still.motion = aside->motion;
    still.lambda = aside->no_force;
    if (e->type->has_inertia) { /* its own mass and strain alone: at rest R is the gradient */
        aside_add_rest(e, &still, aside);
        return;
    }
    double at_rest = loss_along(e, &still, aside, -1);
    for (int i = 0; i < e->n_ports; i++) {
        const nt_port *port = &e->ports[i];
        int body = port->node < 0 ? -1 : nt_model_body_of_node(model, port->node);
        for (int k = 0; nt_element_pushes(e, i) && port->node >= 0 && k < port->size; k++) {
            v3 unit = v3_of(k == 0, k == 1, k == 2), zero = v3_of(0, 0, 0);
            bool turns = turning_body(view, port) >= 0;
            aside->v[port->first + k] = 1;
            if (body >= 0)
                *(turns ? &aside->motion[body].w : &aside->motion[body].v) = unit;
            double slope = loss_along(e, &still, aside, port->start + k) - at_rest;
            aside->gradient[port->start + k] += view->terms->combination->stiffness * slope;
            aside->v[port->first + k] = 0;
            if (body >= 0)
                aside->motion[body].v = aside->motion[body].w = zero;
        }
    }
}
