/* Signals that depend on all bodies of an element, or on its multipliers, by more than a formula
 * for two bodies: what ropes, beams, cables, contacts and bearings show of themselves.
 *
 * Of a rope the derivatives are known. Others have differences along each coordinate and velocity
 * of the element's ports, of sixth order and judged by those of fourth: as records have them where
 * results are differentiated (sampler_tangent.c). Expressions in the element's own keys are of
 * time and parameters alone, or the type is asked for its tangent instead (signal_load.c). */
#include "model/quantities/signal_aside.h"

#include "group/rotation.h"
#include "model/bodies/body.h"
#include "model/forces/looks.h"
#include "model/parameters/parameter.h"
#include "model/quantities/quantity_kind.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* First step: rotations by 0.01 rad, lengths by 1 % of the model's, velocities by 10 % of the
 * largest at hand: truncation is then below 1e-12. Where fourth order differs by more than 1e-8 the
 * step is divided by eight, up to seven times: to within the indentation of a contact. */
static const double ROTATION = 0.01, LENGTH = 0.01, VELOCITY = 0.1, NEXT_STEP = 0.125, GOOD = 1e-8;
enum { LEVELS = 8 };

/* Which number of the point is moved. */
typedef struct spread_number {
    const nt_port *port;
    int k, body; /* entry of the port; its body, -1 for none */
    bool turns, is_rate;
} spread_number;

/* The point that is moved: copies in `aside` stand behind `view`. */
typedef struct spread {
    const nt_signal *signal;
    const nt_view *from;
    struct nt_aside *aside;
    nt_point at;
    nt_view view;
    nt_terms none;
} spread;

static void spread_begin(spread *s)
{
    const nt_model *model = s->from->model;
    struct nt_aside *aside = s->aside;
    const nt_system *system = &model->system;
    size_t rows = (size_t)(system->nh + system->nn);
    memcpy(aside->q, s->from->at->q, (size_t)system->space.nq * sizeof(double));
    memcpy(aside->v, s->from->at->v, (size_t)system->space.nv * sizeof(double));
    memcpy(aside->motion, s->from->motion, (size_t)model->n_bodies * sizeof *aside->motion);
    if (s->from->lambda)
        memcpy(aside->lambda, s->from->lambda, rows * sizeof(double));
    s->at = *s->from->at;
    s->at.q = aside->q, s->at.v = aside->v;
    s->view = *s->from;
    s->view.at = &s->at;
    s->view.motion = aside->motion;
    s->view.lambda = s->from->lambda ? aside->lambda : NULL;
    s->view.local = &aside->local;
    s->view.scratch = aside->scratch;
    s->view.terms = &s->none;
    s->view.energy = NULL;
}

static void spread_end(spread *s)
{
    memset(s->aside->v, 0, (size_t)s->from->model->system.space.nv * sizeof(double));
}

static v3 along_axis(int k, double h)
{
    return v3_of(k == 0 ? h : 0, k == 1 ? h : 0, k == 2 ? h : 0);
}

/* Puts the number h away from where it is. */
static void spread_move(spread *s, const spread_number *x, double h)
{
    const nt_view *from = s->from;
    struct nt_aside *aside = s->aside;
    int v = x->port->first + x->k;
    const nt_body *body = x->body > 0 ? &from->bodies[x->body] : NULL;
    nt_motion *moved = body ? &aside->motion[x->body] : NULL;
    const nt_motion *m = body ? &from->motion[x->body] : NULL;
    v3 step = along_axis(x->k, h);
    if (x->is_rate) {
        aside->v[v] = from->at->v[v] + h;
        if (body)
            *(x->turns ? &moved->w : &moved->v) = v3_add(x->turns ? m->w : m->v, step);
    } else if (!body) {
        const nt_element *e = &from->model->elements[s->signal->element];
        int q = e->own_q < 0 ? -1 : e->own_q + v - e->own_v;
        if (q >= 0)
            aside->q[q] = from->at->q[q] + h;
    } else if (x->turns) {
        int q = body->q + (body->t_node >= 0 ? 3 : 0);
        quat turn = so3_exp(step), now = quat_load(from->at->q + q);
        quat_store(aside->q + q, h == 0 ? now : quat_multiply(turn, now));
        moved->R = h == 0 ? m->R : m3_multiply(quat_matrix(turn), m->R);
    } else {
        aside->q[body->q + x->k] = from->at->q[body->q + x->k] + h;
        moved->x = v3_add(m->x, step);
    }
}

static double spread_value(const spread *s)
{
    double all[NT_QUANTITY_COLUMNS];
    nt_sampler sampler;
    sampler.view = &s->view;
    nt_quantity_kinds[s->signal->kind].values(&sampler, s->signal->object, all);
    return all[s->signal->component];
}

static double spread_slope(spread *s, const spread_number *x, double h)
{
    double best = 0, least = (double)INFINITY;
    for (int level = 0; level < LEVELS; level++, h *= NEXT_STEP) {
        double sixth = 0, fourth = 0, rounding = 0;
        for (int k = 1; k <= 3; k++) {
            spread_move(s, x, k * h);
            double plus = spread_value(s);
            spread_move(s, x, -k * h);
            double difference = (plus - spread_value(s)) / h;
            sixth += NT_SIXTH[k - 1] * difference;
            fourth += NT_FOURTH[k - 1] * difference;
            rounding = DBL_EPSILON * fabs(plus) / h;
        }
        double gap = fabs(sixth - fourth), size = fabs(sixth);
        double doubt = (size > 0 ? gap * sqrt(gap / size) : 0) + rounding;
        if (!isfinite(gap))
            continue;
        if (doubt < least)
            best = sixth, least = doubt;
        if (gap <= fmax(GOOD * size, 10 * rounding))
            break;
    }
    spread_move(s, x, 0);
    return best;
}

/* One port: translations and rotations of bodies, coordinates of the element's own. */
static void spread_port(spread *s, const nt_port *port, double speed)
{
    const nt_view *from = s->from;
    const nt_combination *c = from->terms->combination;
    double *gradient = s->aside->gradient + port->start, by_rate[3] = {0};
    int body = nt_model_body_of_node(from->model, port->node);
    bool turns = body >= 0 && from->bodies[body].r_node == port->node;
    double place = turns ? ROTATION : LENGTH * from->run->length;
    for (int k = 0; k < port->size; k++) {
        spread_number x = {port, k, body, turns, false};
        if (c->stiffness != 0)
            gradient[k] += c->stiffness * spread_slope(s, &x, place);
        x.is_rate = true;
        if (c->damping == 0 && (!turns || c->turn == 0))
            continue;
        double slope = spread_slope(s, &x, VELOCITY * speed);
        if (turns)
            by_rate[k] = slope;
        else
            gradient[k] += c->damping * slope;
    }
    if (turns) {
        m3 rate = nt_rate_map(from, body, c->damping, c->stiffness);
        v3_accumulate(gradient, m3_apply_transposed(rate, v3_load(by_rate)));
    }
}

/* Multipliers: what depends on them is linear in each. */
static void spread_multipliers(spread *s, const nt_element *e)
{
    double factor = s->from->terms->combination->multiplier;
    for (int i = NT_ROWS; s->from->lambda && i <= NT_RATES; i++)
        for (int k = 0; e->ports[i].node >= 0 && k < e->ports[i].size; k++) {
            double *lambda = &s->aside->lambda[nt_element_row(e, i == NT_ROWS ? k : e->n_rows + k)];
            double now = *lambda, h = fmax(1, fabs(now));
            *lambda = now + h;
            double plus = spread_value(s);
            *lambda = now - h;
            s->aside->gradient[e->ports[i].start + k] +=
                factor * (plus - spread_value(s)) / (2 * h);
            *lambda = now;
        }
}

void nt_aside_follow_spread(const nt_signal *signal, const nt_element *e, const nt_view *view,
                            struct nt_aside *aside)
{
    const nt_quantity_kind *kind = &nt_quantity_kinds[signal->kind];
    if (kind->of == NT_OF_WAY) {
        nt_rope_follow(e, view, kind->name, signal->component, aside->gradient);
        return;
    }
    spread s = {.signal = signal, .from = view, .aside = aside};
    double speed = view->run->length;
    spread_begin(&s);
    for (int i = 0; i < e->n_ports; i++)
        for (int k = 0; nt_element_pushes(e, i) && k < e->ports[i].size; k++)
            speed = fmax(speed, fabs(view->at->v[e->ports[i].first + k]));
    for (int i = 0; i < e->n_ports; i++)
        if (nt_element_pushes(e, i) && e->ports[i].node >= 0)
            spread_port(&s, &e->ports[i], speed);
    if (e->n_rows + e->n_rates > 0)
        spread_multipliers(&s, e);
    spread_end(&s);
}
