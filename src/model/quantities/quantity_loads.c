/* Recorded quantities of loads: what they act along, and the power and energy of all that acts.
 *
 * The power of an element is that of what it does to all of its bodies. Its terms in the residual
 * R = M vdot - f are the opposite of its forces and moments, so it is -R . v over its ports. */
#include "model/forces/axial.h"
#include "model/forces/looks.h"
#include "model/quantities/quantity_values.h"

/* ---- coordinates ---------------------------------------------------------------------------- */

static nt_coordinate coordinate_along(const nt_view *view, int element)
{
    nt_coordinate x = {.value = (double)NAN, .rate = (double)NAN};
    nt_status status = nt_axial_coordinate(&view->model->elements[element], view, &x);
    if (status != NT_OK)
        x.value = x.rate = (double)NAN;
    return x;
}

void nt_value_along(const nt_sampler *s, int element, double *out)
{
    *out = coordinate_along(s->view, element).value;
}
void nt_value_along_rate(const nt_sampler *s, int element, double *out)
{
    *out = coordinate_along(s->view, element).rate;
}
void nt_vary_along(const nt_view *view, int element, int i, nt_signal_gradient *g)
{
    nt_coordinate x = coordinate_along(view, element);
    (void)i;
    g->x[0] = x.xa, g->r[0] = x.ra;
    g->x[1] = x.xb, g->r[1] = x.rb;
}
/* The rate is linear in the velocities, with the gradient of the coordinate. */
void nt_vary_along_rate(const nt_view *view, int element, int i, nt_signal_gradient *g)
{
    nt_coordinate x = coordinate_along(view, element);
    (void)i;
    g->x[0] = x.rate_xa, g->r[0] = x.rate_ra, g->v[0] = x.xa, g->w[0] = x.ra;
    g->x[1] = x.rate_xb, g->r[1] = x.rate_rb, g->v[1] = x.xb, g->w[1] = x.rb;
}

/* The pull between two points; on B along, or about, the axis of a joint. */
void nt_value_along_load(const nt_sampler *s, int element, double *out)
{
    const nt_element *e = &s->view->model->elements[element];
    double T = nt_axial_tension(e, s->view);
    *out = e->type->along == NT_ALONG_LINE ? T : -T;
}

/* ---- ropes and air -------------------------------------------------------------------------- */

void nt_value_rope_length(const nt_sampler *s, int element, double *out)
{
    double rate, pulls[2];
    nt_rope_look(&s->view->model->elements[element], s->view, out, &rate, pulls);
}
void nt_value_rope_rate(const nt_sampler *s, int element, double *out)
{
    double length, pulls[2];
    nt_rope_look(&s->view->model->elements[element], s->view, &length, out, pulls);
}
void nt_value_rope_tension(const nt_sampler *s, int element, double *out)
{
    double length, rate;
    nt_rope_look(&s->view->model->elements[element], s->view, &length, &rate, out);
}

void nt_value_airspeed(const nt_sampler *s, int element, double *out)
{
    *out = nt_aerodynamic_airspeed(&s->view->model->elements[element], s->view, NULL);
}
void nt_vary_airspeed(const nt_view *view, int element, int i, nt_signal_gradient *g)
{
    (void)i;
    nt_aerodynamic_airspeed(&view->model->elements[element], view, g);
}
void nt_value_attack(const nt_sampler *s, int element, double *out)
{
    *out = nt_aerodynamic_attack(&s->view->model->elements[element], s->view, NULL);
}
void nt_vary_attack(const nt_view *view, int element, int i, nt_signal_gradient *g)
{
    (void)i;
    nt_aerodynamic_attack(&view->model->elements[element], view, g);
}

/* ---- power and energy ----------------------------------------------------------------------- */

void nt_value_power(const nt_sampler *s, int element, double *out)
{
    const nt_element *e = &s->view->model->elements[element];
    nt_local *local = s->view->local;
    double unused;
    nt_terms terms = {.parts = NT_ALL_PARTS, .residual = &unused};
    nt_view view = *s->view;
    bool apart = local->apart;
    view.terms = &terms;
    view.energy = NULL;
    nt_local_begin(local, e);
    local->apart = true; /* so that nothing is added but to `local` */
    nt_status status = e->type->evaluate(e, &view);
    local->apart = apart;
    *out = status == NT_OK ? 0 : (double)NAN;
    for (int i = 0; local->has_pushed && i < e->n_ports; i++)
        for (int k = 0; nt_element_pushes(e, i) && k < e->ports[i].size; k++)
            *out -= local->residual[e->ports[i].start + k] * view.at->v[e->ports[i].first + k];
}

/* False where the element has no value. */
static bool energy_of(const nt_sampler *s, int element, nt_energy *energy)
{
    const nt_element *e = &s->view->model->elements[element];
    nt_terms terms = {.parts = NT_ALL_PARTS};
    nt_view view = *s->view;
    *energy = (nt_energy){0};
    view.terms = &terms;
    view.energy = energy;
    nt_local_begin(view.local, e);
    return e->type->evaluate(e, &view) == NT_OK;
}

void nt_value_energy(const nt_sampler *s, int element, double *out)
{
    nt_energy energy;
    *out = energy_of(s, element, &energy) ? energy.potential : (double)NAN;
}

void nt_value_energies(const nt_sampler *s, int element, double *out)
{
    nt_energy energy;
    bool has = energy_of(s, element, &energy);
    out[0] = has ? energy.kinetic : (double)NAN;
    out[1] = has ? energy.potential : (double)NAN;
    out[2] = out[0] + out[1];
}
