/* Signals of the whole model, and energies of elements with inertia.
 *
 * A body moves with its reference point x, ground axes, about which its inertia is J_s; c leads
 * from there to the centre of mass, and is not zero where x is a fixed point alone:
 *
 *   T = m v.v/2 + w.J_s w/2           dT = m v.dv + J_s w.dw + ((J_s w) x w).dtheta
 *   V = -m g.(x + c)                  dV = -m g.dx - m (c x g).dtheta
 *   P = m v + m w x c                 e.dP = m e.dv + m (c x e).dw + m (c x (e x w)).dtheta
 *   L = x x P + J_s w                 e.dL = (P x e).dx + m (e x x).dv + J_s e.dw
 *                                            + ((J_s w) x e - w x (J_s e)).dtheta
 *
 * (L of a body with c = 0; about a fixed point the momentum counts along e x x too.) Elements with
 * inertia have the residual M(q) v where v stands for accelerations and all is at rest, and its
 * tangent K. So with a field u of velocities of the ports, u = v/2 for T, u = e for P,
 * u = (e x x, e) for L:
 *
 *   s = u . M v       ds = M u . dv + u . K dq + (M v) . du,     for T: M v . dv + v . K dq / 2
 */
#include "model/quantities/signal_aside.h"

#include "model/bodies/body.h"
#include "model/evaluate.h"
#include "model/parameters/parameter.h"
#include "model/quantities/quantity_kind.h"

#include <math.h>
#include <string.h>

static v3 gravity_of(const nt_view *view)
{
    return v3_scale(view->run->share[NT_SHARE_GRAVITY], v3_load(view->run->gravity));
}

static v3 whole_axis(int k) { return v3_of(k == 0, k == 1, k == 2); }

typedef enum whole_of { OF_ENERGY, OF_MOMENTUM, OF_ANGULAR_MOMENTUM } whole_of;

static whole_of what_is(const nt_signal *signal)
{
    int needs = nt_quantity_kinds[signal->kind].needs;
    return needs & NT_NEEDS_ENERGY ? OF_ENERGY
           : needs & NT_IS_ANGULAR ? OF_ANGULAR_MOMENTUM
                                   : OF_MOMENTUM;
}

static bool counts_kinetic(const nt_signal *signal) { return signal->component != NT_POTENTIAL; }
static bool counts_potential(const nt_signal *signal) { return signal->component != NT_KINETIC; }

/* ---- values --------------------------------------------------------------------------------- */

double nt_whole_value(const nt_signal *signal, const nt_view *view)
{
    const nt_model *model = view->model;
    nt_energy energy = {0};
    nt_terms terms = {.parts = NT_ALL_PARTS};
    nt_view look = *view;
    if (what_is(signal) != OF_ENERGY) {
        double all[NT_QUANTITY_COLUMNS];
        nt_sampler sampler;
        sampler.view = view;
        nt_quantity_kinds[signal->kind].values(&sampler, 0, all);
        return all[signal->component];
    }
    look.terms = &terms;
    look.energy = &energy;
    for (int i = 1; i < model->n_bodies; i++)
        nt_body_energy(&view->bodies[i], &view->motion[i], gravity_of(view), &energy);
    for (int i = 0; i < model->n_elements; i++) {
        const nt_element *e = &model->elements[i];
        if (!model->stores[i])
            continue;
        nt_local_begin(look.local, e);
        if (e->type->evaluate(e, &look) != NT_OK)
            return (double)NAN;
    }
    return (counts_kinetic(signal) ? energy.kinetic : 0) +
           (counts_potential(signal) ? energy.potential : 0);
}

/* ---- bodies --------------------------------------------------------------------------------- */

/* Derivatives in the placement and the velocities of a body. */
typedef struct whole_slopes {
    v3 x, r, v, w;
} whole_slopes;

static whole_slopes slopes_of_body(const nt_signal *signal, const nt_view *view, int i)
{
    const nt_body *b = &view->bodies[i];
    const nt_motion *m = &view->motion[i];
    double mass = b->mass;
    m3 J = nt_inertia_in_ground_axes(m->R, b->J);
    v3 c = m3_apply(m->R, b->center), spin = m3_apply(J, m->w);
    v3 e = whole_axis(signal->component), g = gravity_of(view);
    v3 P = v3_scale(mass, v3_add(m->v, v3_cross(m->w, c)));
    whole_slopes d = {0};
    whole_of of = what_is(signal);
    if (of == OF_ENERGY && counts_kinetic(signal)) {
        d.v = v3_scale(mass, m->v);
        d.w = spin;
        d.r = v3_cross(spin, m->w);
    }
    if (of == OF_ENERGY && counts_potential(signal)) {
        d.x = v3_scale(-mass, g);
        d.r = v3_axpy(-mass, v3_cross(c, g), d.r);
    }
    if (of == OF_ENERGY)
        return d;
    v3 u = of == OF_MOMENTUM ? e : v3_cross(e, m->x); /* along which momentum counts */
    d.v = v3_scale(mass, u);
    d.w = v3_scale(mass, v3_cross(c, u));
    d.r = v3_scale(mass, v3_cross(c, v3_cross(u, m->w)));
    if (of == OF_ANGULAR_MOMENTUM) {
        v3 Je = m3_apply(J, e);
        d.x = v3_cross(P, e);
        d.w = v3_add(d.w, Je);
        d.r = v3_add(d.r, v3_sub(v3_cross(spin, e), v3_cross(m->w, Je)));
    }
    return d;
}

static void add_body(const nt_view *view, int i, const whole_slopes *d, double *gradient)
{
    const nt_body *b = &view->bodies[i];
    const nt_combination *c = view->terms->combination;
    int turn = b->t_node >= 0 ? 3 : 0;
    if (b->t_node >= 0)
        v3_accumulate(gradient + b->v, v3_axpy(c->stiffness, d->x, v3_scale(c->damping, d->v)));
    if (b->r_node >= 0) {
        m3 rate = nt_rate_map(view, i, c->damping, c->stiffness);
        v3 turned = v3_axpy(c->stiffness, d->r, m3_apply_transposed(rate, d->w));
        v3_accumulate(gradient + b->v + turn, turned);
    }
}

/* ---- elements with inertia ------------------------------------------------------------------ */

/* Evaluates M(q) u of the element in aside->local, and with `varies` its tangent in q; u[nv] by
 * entries of v, of which those of the ports are read. */
static bool weigh(const nt_element *e, const nt_view *view, struct nt_aside *aside, const double *u,
                  bool varies)
{
    static const nt_combination in_place = {.stiffness = 1};
    double unused;
    nt_terms terms = {.parts = NT_MASS,
                      .residual = &unused,
                      .matrix = varies ? view->terms->matrix : NULL,
                      .combination = &in_place};
    nt_point point = *view->at;
    nt_view rest = *view;
    for (int i = 0; i < view->model->n_bodies; i++)
        aside->motion[i] = (nt_motion){.x = view->motion[i].x, .R = view->motion[i].R};
    for (int i = 0; i < e->n_ports; i++) {
        const nt_port *port = &e->ports[i];
        int body = port->node < 0 ? -1 : nt_model_body_of_node(view->model, port->node);
        if (body < 0 || !nt_element_pushes(e, i))
            continue;
        bool turns = view->bodies[body].r_node == port->node;
        *(turns ? &aside->motion[body].alpha : &aside->motion[body].a) = v3_load(u + port->first);
    }
    point.v = aside->v; /* zero */
    point.vdot = u;
    rest.at = &point;
    rest.terms = &terms;
    rest.energy = NULL;
    rest.motion = aside->motion;
    rest.lambda = aside->no_force;
    rest.local = &aside->local;
    rest.scratch = aside->scratch;
    rest.pair[0] = NT_T_A, rest.pair[1] = NT_T_B;
    nt_local_begin(&aside->local, e);
    aside->local.apart = true;
    return e->type->evaluate(e, &rest) == NT_OK;
}

/* The field u of a momentum at a port. */
static void field_at(const nt_signal *signal, const nt_view *view, const nt_port *port, double *u)
{
    int body = nt_model_body_of_node(view->model, port->node);
    v3 e = whole_axis(signal->component), zero = v3_of(0, 0, 0);
    bool angular = what_is(signal) == OF_ANGULAR_MOMENTUM;
    if (body < 0)
        return;
    bool turns = view->bodies[body].r_node == port->node;
    v3_store(u + port->first, turns     ? (angular ? e : zero)
                              : angular ? v3_cross(e, view->motion[body].x)
                                        : e);
}

/* gradient[by entries of the ports] of an element with inertia. */
static void add_inertia(const nt_signal *signal, bool kinetic, const nt_element *e,
                        const nt_view *view, struct nt_aside *aside, double *gradient)
{
    const nt_local *local = &aside->local;
    const double *v = view->at->v;
    double *u = aside->field, k = view->terms->combination->stiffness;
    for (int i = 0; !kinetic && i < e->n_ports; i++)
        if (nt_element_pushes(e, i) && e->ports[i].node >= 0)
            field_at(signal, view, &e->ports[i], u);
    if (!weigh(e, view, aside, v, true))
        return;
    nt_aside_add_rows(local, kinetic ? v : u, kinetic ? k / 2 : k, gradient);
    for (int i = 0; !kinetic && what_is(signal) == OF_ANGULAR_MOMENTUM && i < e->n_ports; i++) {
        const nt_port *port = &e->ports[i];
        int body = port->node < 0 ? -1 : nt_model_body_of_node(view->model, port->node);
        if (body > 0 && nt_element_pushes(e, i) && view->bodies[body].t_node == port->node)
            v3_accumulate(gradient + port->start,
                          v3_scale(k, v3_cross(v3_load(local->residual + port->start),
                                               whole_axis(signal->component))));
    }
    if (!kinetic && !weigh(e, view, aside, u, false))
        return;
    for (int i = 0; local->has_pushed && i < e->n_ports; i++)
        if (nt_element_pushes(e, i) && e->ports[i].node >= 0)
            nt_aside_add_rate(view, &e->ports[i], local->residual + e->ports[i].start, gradient);
}

void nt_aside_follow_energies(const nt_signal *signal, const nt_element *e, const nt_view *view,
                              struct nt_aside *aside)
{
    if (e->type->has_inertia && counts_kinetic(signal))
        add_inertia(signal, true, e, view, aside, aside->gradient);
    if (counts_potential(signal))
        nt_aside_follow_energy(e, view, aside);
}

/* ---- the model ------------------------------------------------------------------------------ */

void nt_aside_follow_whole(const nt_signal *signal, const nt_view *view, struct nt_aside *aside)
{
    const nt_model *model = view->model;
    double *whole = aside->whole, *gradient = aside->gradient;
    memset(whole, 0, (size_t)model->system.space.nv * sizeof *whole);
    for (int i = 1; i < model->n_bodies; i++) {
        whole_slopes d = slopes_of_body(signal, view, i);
        add_body(view, i, &d, whole);
    }
    for (int i = 0; i < model->n_elements; i++) {
        const nt_element *e = &model->elements[i];
        bool energy = what_is(signal) == OF_ENERGY;
        if (energy ? !model->stores[i] : !e->type->has_inertia)
            continue;
        memset(gradient, 0, (size_t)e->size * sizeof *gradient);
        if (energy)
            nt_aside_follow_energies(signal, e, view, aside);
        else
            add_inertia(signal, false, e, view, aside, gradient);
        for (int p = 0; p < e->n_ports; p++)
            for (int k = 0; nt_element_pushes(e, p) && k < e->ports[p].size; k++)
                whole[e->ports[p].first + k] += gradient[e->ports[p].start + k];
    }
    memset(aside->v, 0, (size_t)model->system.space.nv * sizeof *aside->v);
}

/* Elements whose functions follow a force do work alone: their energy does not count. */
nt_status nt_whole_find_stores(nt_model *model, const double *followed)
{
    model->stores = NT_TAKE(&model->arena, model->n_elements, bool);
    for (int i = 0; model->stores && i < model->n_elements; i++) {
        const nt_element *e = &model->elements[i];
        model->stores[i] = !e->type->is_load && !nt_element_uses(model->origin, e, followed);
    }
    return model->stores ? NT_OK : NT_NO_MEMORY;
}
