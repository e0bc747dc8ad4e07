#include "model/contacts/grip.h"

#include "group/rotation.h"
#include "model/evaluate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Where w . d vanishes the contact sticks, if it can, when what is left of w is below so much, m/s,
 * or this part of the speed at the end of the last step. */
static const double REST = 1e-6, STILL = 0.05;

/* b of grip.h: this part of the last speed, and at least so much, m/s. */
static const double BEND = 0.2, LEAST = 1e-9;

/* What NT_GRIP_STICKS holds. */
enum { SLIPS, STICKS, STOPS, YIELDS };

/* rho of grip.h, (2 - 2 nu)/(2 - nu) between nu = 0.3 and 0.4. */
static const double ACROSS = 0.8;

/* m/s^2: a body is pressed on its contacts by its mass times this. */
static const double PRESSED = 9.81;

/* A contact that is elastic sticks again with x so much short of s: it stays for a while. */
static const double SHORT_OF = 1e-6;

/* b of one that is elastic is this part of s/T. */
static const double TURN = 0.1;

/* m/s: points that met are renewed where the sphere rolls faster, so that at rest x stays. */
static const double ROLLS = 1e-9;

/* ---- which ---------------------------------------------------------------------------------- */

static const nt_contact *grip_of_element(const nt_model *model, const nt_element *e)
{
    const nt_contact *c = nt_element_as_contact(model->origin, e);
    return c && nt_contact_grips(c) ? c : NULL;
}

static bool is_elastic(const nt_contact *c) { return c->together > 1; }

/* How many contacts that stick join the two bodies of one: where it is not alone it is elastic. */
static void find_elastic(nt_model *model)
{
    for (int i = 0; i < model->n_elements; i++) {
        const nt_element *e = &model->elements[i];
        for (int k = 0; k < model->n_elements && grip_of_element(model, e); k++) {
            const nt_element *other = &model->elements[k];
            bool same =
                (other->a == e->a && other->b == e->b) || (other->a == e->b && other->b == e->a);
            if (same && grip_of_element(model, other))
                ((nt_contact *)nt_element_numbers(model->origin, e))->together++;
        }
        const nt_contact *c = grip_of_element(model, e);
        model->grips_give = model->grips_give || (c && is_elastic(c));
    }
}

/* m/s, which an elastic contact that sticks takes up. */
static double slow(const nt_contact *c) { return c->give.T > 0 ? c->give.s / c->give.T : 0; }

void nt_grip_prepare(const nt_run *run, const nt_element *element, nt_contact *c)
{
    double a = run->bodies[element->a].mass, b = run->bodies[element->b].mass;
    double mass = !(b > 0) || (a > 0 && a < b) ? a : b, n = c->law.exponent;
    double indentation = pow(mass * PRESSED / (c->together * c->law.stiffness), 1 / n);
    c->give.s = c->friction.coefficient * indentation / ACROSS;
    c->give.T = sqrt(indentation / (ACROSS * PRESSED));
}

nt_status nt_model_add_grips(nt_model *model)
{
    for (int i = 0; i < model->n_elements; i++) {
        if (!nt_element_touches(&model->elements[i]))
            continue;
        nt_contact *c = nt_element_numbers(model->origin, &model->elements[i]);
        if (c->given >> NT_CONTACT_FRICTION_LAW & 1 && c->friction.law == NT_FRICTION_SET_VALUED)
            c->grip = ++model->n_grips;
    }
    model->grips = NT_TAKE(&model->arena, model->n_grips, nt_grip_words);
    for (int i = 0; model->grips && i < model->n_elements; i++) {
        char text[2][200];
        const nt_element *e = &model->elements[i];
        const nt_contact *c = nt_element_as_contact(model->origin, e);
        if (!c || !nt_contact_grips(c))
            continue;
        nt_grip_words *grip = &model->grips[c->grip - 1];
        snprintf(text[0], sizeof text[0], "contact %.150s sticks", e->name);
        snprintf(text[1], sizeof text[1], "contact %.150s slips", e->name);
        grip->element = i;
        for (int k = 0; k < 2; k++)
            if (!(grip->words[k] = nt_arena_text(&model->arena, text[k], strlen(text[k]))))
                return NT_NO_MEMORY;
    }
    find_elastic(model);
    return model->grips ? NT_OK : NT_NO_MEMORY;
}

const nt_element *nt_grip_element(const nt_model *model, int grip)
{
    return &model->elements[model->grips[grip].element];
}

int nt_grip_rates(const nt_model *model, const nt_element *element)
{
    const nt_contact *c = nt_model_data(model, element);
    return nt_contact_grips(c) && !is_elastic(c) ? 2 : 0;
}

nt_quantity nt_grip_row_quantity(const nt_model *model, const nt_element *element, int row)
{
    (void)model, (void)element, (void)row;
    return NT_LENGTH;
}

const char *nt_grip_row_name(const nt_model *model, const nt_element *element, int row)
{
    (void)model, (void)element;
    return row == 0 ? "slip along the surface" : "slip across that";
}

static const double *grip_entries(const nt_model *model, const nt_contact *c, const double *memory)
{
    const double *entry =
        memory ? memory + model->grip_memory + (c->grip - 1) * NT_GRIP_MEMORY : NULL;
    return entry && !isnan(entry[NT_GRIP_STICKS]) ? entry
                                                  : NULL; /* before a start nothing is known */
}

bool nt_grip_is_on(const nt_model *model, int grip, const double *memory)
{
    return memory && memory[model->grip_memory + grip * NT_GRIP_MEMORY + NT_GRIP_STICKS] == 1;
}

/* ---- one contact at a point ----------------------------------------------------------------- */

typedef struct grip {
    nt_touch_pose at;
    nt_touch touch;
    bool sticks, elastic, yields;
    double bend; /* b */
    v3 d, t[2];  /* t1, t2 */
    v3 F;        /* on B   */
    struct {
        v3 offset, a, b;    /* R_A X, R_A a, R_B b       */
        v3 u, x, y;         /* m; y = x + g T w */
        double T, s, damps; /* g = 1 - |x|^2/s^2; where x is beyond s: T = 0, s = |x| */
    } give;                 /* of one that is elastic and sticks */
} grip;

static v3 unit(v3 x) { return v3_scale(1 / v3_norm(x), x); }

/* z of grip.h */
static v3 slipping(const grip *g)
{
    double x = v3_dot(g->touch.w, g->d), b = g->bend;
    double h = fabs(x) < b ? (x * x + b * b) / (2 * b) : fabs(x);
    return v3_axpy(h - x, g->d, g->touch.w);
}

/* x, and the force of a contact that is elastic and sticks. */
static void give_at(grip *g, const nt_contact *c, const nt_motion *A, const nt_motion *B,
                    const double *entry)
{
    const nt_touch *t = &g->touch;
    g->give.offset = m3_apply(A->R, v3_load(entry + NT_GRIP_X));
    g->give.a = m3_apply(A->R, v3_load(entry + NT_GRIP_A));
    g->give.b = m3_apply(B->R, v3_load(entry + NT_GRIP_B));
    v3 apart = v3_sub(v3_add(B->x, g->give.b), v3_add(A->x, g->give.a));
    g->give.u = v3_add(g->give.offset, apart);
    g->give.x = v3_axpy(-v3_dot(t->n, g->give.u), t->n, g->give.u);
    double s = g->give.s = c->give.s;
    g->give.T = c->give.T;
    if (!(t->delta > 0 && s > 0))
        return;
    double far = v3_norm(g->give.x);
    if (g->yields && far > s)
        g->give.s = s = far, g->give.T = 0;
    g->yields = g->yields && far >= s;
    g->give.damps = 1 - v3_dot(g->give.x, g->give.x) / (s * s);
    g->give.y = v3_axpy(g->give.T * g->give.damps, t->w, g->give.x);
    g->F = v3_scale(-c->friction.coefficient * t->N / s, g->give.y);
}

/* multipliers: its two, NULL where they are not wanted */
static grip grip_at(const nt_contact *c, const nt_motion *A, const nt_motion *B,
                    const double *entry, const double *multipliers)
{
    grip g = {.at = nt_contact_pose_of(c, A, B),
              .sticks =
                  entry && (entry[NT_GRIP_STICKS] == STICKS || entry[NT_GRIP_STICKS] == YIELDS),
              .elastic = is_elastic(c),
              .yields = entry && entry[NT_GRIP_STICKS] == YIELDS};
    g.touch = nt_touch_of(c->kind, &c->surface, &c->law, &g.at);
    v3 n = g.touch.n;
    if (!entry) /* without a clock nothing slips */
        return g;
    g.d = v3_load(entry + NT_GRIP_D);
    g.bend = fmax(g.elastic ? TURN * slow(c) : BEND * entry[NT_GRIP_SPEED], LEAST);
    g.t[0] = unit(v3_axpy(-v3_dot(g.d, n), n, g.d));
    g.t[1] = v3_cross(n, g.t[0]);
    if (g.sticks && g.elastic)
        give_at(&g, c, A, B, entry);
    else if (g.sticks && multipliers)
        g.F = v3_axpy(multipliers[0], g.t[0], v3_scale(multipliers[1], g.t[1]));
    else if (!g.sticks && g.touch.delta > 0)
        g.F = v3_scale(-c->friction.coefficient * g.touch.N, unit(slipping(&g)));
    return g;
}

static grip grip_of(const nt_element *e, const nt_view *view)
{
    const nt_contact *c = nt_contact_of(view->run, e);
    bool known = view->lambda && !is_elastic(c);
    return grip_at(c, &view->motion[e->a], &view->motion[e->b],
                   grip_entries(view->model, c, view->at->memory),
                   known ? view->lambda + e->first_rate : NULL);
}

v3 nt_grip_force(const nt_element *element, const nt_view *view)
{
    return grip_of(element, view).F;
}

/* t . w', where w = 0 */
static void sliding_rates(const nt_contact *c, const grip *g, const nt_motion *A,
                          const nt_motion *B, double rows[2])
{
    v3 w = nt_touch_sliding_rate(&c->surface, c->kind.skeleton, &g->at, &g->touch, A, B);
    for (int i = 0; i < 2; i++)
        rows[i] = v3_dot(g->t[i], w);
}

/* ---- derivatives ---------------------------------------------------------------------------- */

/* Of w, n, p, delta and delta' in the variations of the four nodes: q[] of places, v[] of
 * velocities; as touch.c has them. */
typedef struct grip_tangent {
    m3 w_q[NT_PAIR_NODES], w_v[NT_PAIR_NODES], n[NT_PAIR_NODES], p[NT_PAIR_NODES];
    m3 J[NT_PAIR_NODES];
    v3 delta[NT_PAIR_NODES], rate_q[NT_PAIR_NODES], rate_v[NT_PAIR_NODES];
} grip_tangent;

static m3 bend(const grip *g, nt_skeleton skeleton)
{
    v3 x = nt_touch_bend(&g->touch, skeleton, g->at.axis, v3_of(1, 0, 0));
    v3 y = nt_touch_bend(&g->touch, skeleton, g->at.axis, v3_of(0, 1, 0));
    v3 z = nt_touch_bend(&g->touch, skeleton, g->at.axis, v3_of(0, 0, 1));
    return (m3){x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
}

static void differentiate(const nt_contact *c, const grip *g, grip_tangent *out)
{
    const nt_touch *t = &g->touch;
    const nt_touch_pose *at = &g->at;
    m3 I = m3_identity(), none = {0}, H = bend(g, c->kind.skeleton);
    m3 sphere[] = {none, none, I, m3_skew(v3_neg(at->arm_b))};
    m3 dY[] = {m3_scale(-1, I), m3_skew(at->arm_a), I, sphere[NT_R_B]};
    m3 J[] = {m3_scale(-1, I), m3_skew(t->r_a), I, m3_skew(v3_neg(t->r_b))};
    m3 own[] = {m3_skew(at->w_a), none, m3_skew(v3_neg(at->w_b)), none};
    v3 turning = v3_sub(at->w_b, at->w_a);
    double h = c->surface.radius - 0.5 * t->delta;
    for (int i = 0; i < NT_PAIR_NODES; i++) {
        out->J[i] = J[i];
        out->rate_v[i] = v3_neg(m3_apply_transposed(J[i], t->n));
        out->w_v[i] = m3_add(J[i], m3_dyad(t->n, out->rate_v[i]));
        out->delta[i] = v3_neg(m3_apply_transposed(dY[i], t->n));
        out->n[i] = m3_scale(c->surface.side, m3_multiply(H, dY[i]));
        if (i == NT_R_A)
            out->n[i] = m3_sub(out->n[i], m3_skew(t->n));
        out->p[i] = m3_add(sphere[i], m3_dyad(v3_scale(0.5, t->n), out->delta[i]));
        out->p[i] = m3_sub(out->p[i], m3_scale(h, out->n[i]));
        m3 u = m3_add(m3_skew_multiply(turning, out->p[i]), own[i]);
        out->rate_q[i] =
            v3_neg(v3_add(m3_apply_transposed(out->n[i], t->u), m3_apply_transposed(u, t->n)));
        out->w_q[i] =
            m3_add(u, m3_add(m3_dyad(t->n, out->rate_q[i]), m3_scale(t->rate, out->n[i])));
    }
}

/* Of one that is elastic and sticks, with y = x + g T w, g = 1 - |x|^2/s^2:
 *
 *   dF = -mu/s (y dN + N (dx + T (g dw + w dg))),   dg = -2 x . dx/s^2,
 *   dx = P du - dn (n . u) - n (u . dn). */
static void give_tangent(const nt_contact *c, const grip *g, const grip_tangent *d,
                         nt_touch_tangent *out)
{
    const nt_touch *t = &g->touch;
    double T = g->give.T, s = g->give.s, part = c->friction.coefficient / s, K = part * t->N;
    v3 y = v3_scale(-part, g->give.y);
    m3 P = m3_sub(m3_identity(), m3_dyad(t->n, t->n));
    m3 du[] = {m3_scale(-1, m3_identity()), m3_skew(v3_sub(g->give.a, g->give.offset)),
               m3_identity(), m3_skew(v3_neg(g->give.b))};
    for (int i = 0; i < NT_PAIR_NODES; i++) {
        v3 N_q = v3_axpy(t->N_delta, d->delta[i], v3_scale(t->N_rate, d->rate_q[i]));
        m3 dx = m3_sub(m3_multiply(P, du[i]), m3_scale(v3_dot(t->n, g->give.u), d->n[i]));
        dx = m3_sub(dx, m3_dyad(t->n, m3_apply_transposed(d->n[i], g->give.u)));
        if (g->yields) /* x/|x| turns, and grows no more */
            dx = m3_multiply(
                m3_sub(m3_identity(), m3_dyad(v3_scale(1 / (s * s), g->give.x), g->give.x)), dx);
        v3 dg = v3_scale(-2 * T / (s * s), m3_apply_transposed(dx, g->give.x));
        m3 dy = m3_add(m3_add(dx, m3_scale(T * g->give.damps, d->w_q[i])), m3_dyad(t->w, dg));
        out->F_q[i] = m3_add(m3_scale(-K, dy), m3_dyad(y, N_q));
        out->F_v[i] = m3_add(m3_scale(-K * T * g->give.damps, d->w_v[i]),
                             m3_dyad(v3_scale(t->N_rate, y), d->rate_v[i]));
        out->p[i] = d->p[i];
        out->M_q[i] = out->M_v[i] = (m3){0};
    }
}

/* dF = -mu (e dN + N de),  de = (I - e e^T)/|z| (I + (h'(x) - 1) d d^T) dw; of a
 * contact that sticks dF = -n (F . dn). */
static void force_tangent(const nt_contact *c, const grip *g, const grip_tangent *d,
                          nt_touch_tangent *out)
{
    const nt_touch *t = &g->touch;
    double mu = c->friction.coefficient;
    v3 z = slipping(g), e = unit(z);
    double x = v3_dot(t->w, g->d), b = g->bend;
    double bent = (fabs(x) < b ? x / b : x < 0 ? -1 : 1) - 1;
    m3 of_w = m3_multiply(m3_sub(m3_identity(), m3_dyad(e, e)),
                          m3_add(m3_identity(), m3_scale(bent, m3_dyad(g->d, g->d))));
    of_w = m3_scale(-mu * t->N / v3_norm(z), of_w);
    for (int i = 0; i < NT_PAIR_NODES; i++) {
        out->p[i] = d->p[i];
        out->M_q[i] = out->M_v[i] = out->F_v[i] = (m3){0};
        if (g->sticks) {
            out->F_q[i] = m3_scale(-1, m3_dyad(t->n, m3_apply_transposed(d->n[i], g->F)));
            continue;
        }
        v3 N_q = v3_axpy(t->N_delta, d->delta[i], v3_scale(t->N_rate, d->rate_q[i]));
        out->F_q[i] = m3_add(m3_dyad(v3_scale(-mu, e), N_q), m3_multiply(of_w, d->w_q[i]));
        out->F_v[i] = m3_add(m3_dyad(v3_scale(-mu * t->N_rate, e), d->rate_v[i]),
                             m3_multiply(of_w, d->w_v[i]));
    }
}

/* A variation of the motion of one node: a place, a velocity. */
static void move_node(nt_motion *m, bool turns, bool velocity, v3 d)
{
    if (velocity && turns)
        m->w = v3_add(m->w, d);
    else if (velocity)
        m->v = v3_add(m->v, d);
    else if (turns)
        m->R = m3_multiply(quat_matrix(so3_exp(d)), m->R);
    else
        m->x = v3_add(m->x, d);
}

/* d (t . w') of one node in places or velocities, by central differences. */
static void vary_rates(const nt_element *e, const nt_view *view, int node, bool velocity, v3 out[2])
{
    const nt_contact *c = nt_contact_of(view->run, e);
    const double *entry = grip_entries(view->model, c, view->at->memory);
    double slope[3][2];
    bool turns = node % 2 == 1;
    for (int axis = 0; axis < 3; axis++) {
        double side[2][2], step = 1e-6;
        for (int k = 0; k < 2; k++) {
            nt_motion m[2] = {view->motion[e->a], view->motion[e->b]};
            move_node(&m[node / 2], turns, velocity,
                      v3_scale(k ? -step : step, v3_of(axis == 0, axis == 1, axis == 2)));
            grip g = grip_at(c, &m[0], &m[1], entry, NULL);
            sliding_rates(c, &g, &m[0], &m[1], side[k]);
        }
        for (int r = 0; r < 2; r++)
            slope[axis][r] = (side[0][r] - side[1][r]) / (2 * step);
    }
    for (int r = 0; r < 2; r++)
        out[r] = v3_of(slope[0][r], slope[1][r], slope[2][r]);
}

/* Derivatives of both rows in one node: of what they are made of at this level. */
static void row_tangent(const nt_element *e, const nt_view *view, const grip *g,
                        const grip_tangent *d, int node)
{
    const nt_combination *c = view->terms->combination;
    bool accelerations = view->terms->level == NT_ACCELERATION, turns = node % 2 == 1;
    int body = node < NT_T_B ? e->a : e->b, rotation = view->bodies[body].rotation;
    v3 q[2], v[2], a[2] = {{0}};
    for (int r = 0; r < 2; r++) {
        q[r] = m3_apply_transposed(d->w_q[node], g->t[r]);
        v[r] = m3_apply_transposed(d->w_v[node], g->t[r]);
        a[r] = m3_apply_transposed(d->J[node], g->t[r]);
    }
    if (accelerations && (c->row_damping != 0 || c->row_stiffness != 0)) {
        vary_rates(e, view, node, false, q);
        vary_rates(e, view, node, true, v);
    }
    double numbers[6];
    const nt_motion *m = &view->motion[body];
    for (int r = 0; r < 2; r++) {
        v3 row = v3_scale(c->row_stiffness, q[r]);
        m3 of_v = m3_scale(c->row_damping, m3_identity());
        m3 of_a = m3_scale(c->row_mass, m3_identity());
        if (turns) {
            const double *map_mass = c->map_mass ? c->map_mass : c->map;
            of_v =
                nt_turned_map(c->map, rotation, c->row_damping, c->row_stiffness * c->turn, m->w);
            of_a = nt_turned_map(map_mass, rotation, c->row_mass, c->row_stiffness * c->turn,
                                 m->alpha);
        }
        row = v3_add(row, m3_apply_transposed(of_v, v[r]));
        if (accelerations)
            row = v3_add(row, m3_apply_transposed(of_a, a[r]));
        v3_store(numbers + 3 * r, row);
    }
    nt_view_add_numbers(view, NT_RATES, node, numbers);
}

/* The residual holds F and r_A x F for A, the opposite for B. */
static void multiplier_columns(const nt_view *view, const grip *g)
{
    double factor = view->terms->combination->multiplier;
    for (int node = 0; node < NT_PAIR_NODES; node++) {
        double numbers[6];
        v3 arm = node < NT_T_B ? g->touch.r_a : g->touch.r_b;
        double sign = node < NT_T_B ? factor : -factor;
        for (int i = 0; i < 2; i++) {
            double column[3];
            v3_store(column, v3_scale(sign, node % 2 ? v3_cross(arm, g->t[i]) : g->t[i]));
            for (int r = 0; r < 3; r++)
                numbers[2 * r + i] = column[r];
        }
        nt_view_add_numbers(view, node, NT_RATES, numbers);
    }
}

/* ---- terms ---------------------------------------------------------------------------------- */

nt_status nt_grip_declare(nt_model *model, nt_element *element)
{
    nt_status status = NT_OK;
    bool rows = nt_grip_rates(model, element) > 0;
    for (int i = 0; i < NT_PAIR_NODES && rows && status == NT_OK; i++) {
        status = nt_element_couple(model, element, i, NT_RATES, NT_FULL);
        if (status == NT_OK)
            status = nt_element_couple(model, element, NT_RATES, i, NT_FULL);
    }
    return status;
}

static void add_rows(const nt_element *e, const nt_view *view, const grip *g)
{
    double *rows = view->terms->rows + nt_element_row(e, 0);
    rows[0] = rows[1] = 0;
    if (g->sticks && view->terms->level == NT_ACCELERATION)
        sliding_rates(nt_contact_of(view->run, e), g, &view->motion[e->a], &view->motion[e->b],
                      rows);
    else if (g->sticks)
        for (int i = 0; i < 2; i++)
            rows[i] = v3_dot(g->t[i], g->touch.w);
}

nt_status nt_grip_evaluate(const nt_element *element, const nt_view *view)
{
    const nt_contact *c = nt_contact_of(view->run, element);
    const nt_terms *terms = view->terms;
    grip g = grip_of(element, view);
    if (!isfinite(v3_dot(g.F, g.F)))
        return NT_NOT_FINITE;
    if (view->energy) {
        view->energy->power += g.sticks && !g.elastic ? 0 : v3_dot(g.F, g.touch.w);
        return NT_OK;
    }
    bool holds = g.sticks && !g.elastic;
    bool acts = terms->parts & (holds ? (unsigned)NT_REACTIONS : element->part);
    if (terms->rows && !g.elastic)
        add_rows(element, view, &g);
    g.touch.F = g.F;
    g.touch.M = v3_of(0, 0, 0);
    if (terms->residual && acts)
        nt_touch_push(view, &g.touch);
    if (!terms->matrix || !grip_entries(view->model, c, view->at->memory))
        return NT_OK;
    grip_tangent d;
    differentiate(c, &g, &d);
    if (acts && (holds || g.touch.delta > 0)) {
        nt_touch_tangent force;
        if (g.sticks && g.elastic)
            give_tangent(c, &g, &d, &force);
        else
            force_tangent(c, &g, &d, &force);
        nt_touch_add(view, element->a, element->b, &g.touch, &force);
    }
    for (int node = 0; holds && node < NT_PAIR_NODES; node++)
        row_tangent(element, view, &g, &d, node);
    if (holds && acts)
        multiplier_columns(view, &g);
    return NT_OK;
}

/* ---- what happens --------------------------------------------------------------------------- */

/* An elastic contact sticks from now on, or goes on to, with x; A and B as they are. */
static void keep_give(const nt_view *view, const nt_element *e, const grip *g, v3 x, double *entry)
{
    const nt_motion *A = &view->motion[e->a], *B = &view->motion[e->b];
    v3_store(entry + NT_GRIP_X, m3_apply_transposed(A->R, x));
    v3_store(entry + NT_GRIP_A, m3_apply_transposed(A->R, g->touch.r_a));
    v3_store(entry + NT_GRIP_B, m3_apply_transposed(B->R, g->touch.r_b));
}

/* A unit vector along the surface, any one. */
static v3 along_surface(v3 n)
{
    v3 least = fabs(n.x) <= fabs(n.y) && fabs(n.x) <= fabs(n.z) ? v3_of(1, 0, 0)
               : fabs(n.y) <= fabs(n.z)                         ? v3_of(0, 1, 0)
                                                                : v3_of(0, 0, 1);
    return unit(v3_axpy(-v3_dot(least, n), n, least));
}

void nt_grips_begin(nt_run *run, const nt_point *at, double *memory)
{
    const nt_model *model = run->model;
    nt_view view;
    nt_terms terms = {0};
    nt_point point = *at;
    if (model->n_grips == 0)
        return;
    point.memory = NULL;
    nt_run_look(run, &point, &terms, &view);
    for (int i = 0; i < model->n_grips; i++) {
        const nt_element *e = nt_grip_element(model, i);
        double *entry = memory + model->grip_memory + i * NT_GRIP_MEMORY;
        if (!isnan(entry[NT_GRIP_STICKS]))
            continue;
        grip g = grip_of(e, &view);
        double speed = v3_norm(g.touch.w);
        bool rough = nt_contact_of(run, e)->friction.coefficient > 0;
        entry[NT_GRIP_STICKS] = rough && g.touch.delta > 0 && speed < LEAST ? STICKS : SLIPS;
        entry[NT_GRIP_SPEED] = speed;
        v3_store(entry + NT_GRIP_D,
                 speed < LEAST ? along_surface(g.touch.n) : v3_scale(1 / speed, g.touch.w));
        keep_give(&view, e, &g, v3_of(0, 0, 0), entry);
    }
}

void nt_grips_accept(const nt_run *run, const nt_view *view, double *next)
{
    const nt_model *model = run->model;
    for (int i = 0; i < model->n_grips && view->at->memory; i++) {
        const nt_element *e = nt_grip_element(model, i);
        grip g = grip_of(e, view);
        double *entry = next + model->grip_memory + i * NT_GRIP_MEMORY;
        double speed = v3_norm(g.touch.w);
        v3 turning = v3_sub(g.at.w_b, g.at.w_a);
        double rolls = v3_norm(turning) * nt_contact_of(run, e)->surface.radius;
        if (g.sticks && g.elastic && rolls > ROLLS)
            keep_give(view, e, &g, g.give.x, entry);
        bool slips = g.elastic ? entry[NT_GRIP_STICKS] == SLIPS && speed > g.bend
                               : speed > REST && v3_dot(g.touch.w, g.d) > 0;
        if (g.sticks)
            v3_store(entry + NT_GRIP_D, g.t[0]);
        else if (slips)
            v3_store(entry + NT_GRIP_D, unit(g.touch.w));
        /* a step that ends where the contact turns back remembers how fast it came */
        entry[NT_GRIP_SPEED] = fmax(speed, entry[NT_GRIP_SPEED] / 2);
    }
}

/* The same of one that is elastic, in the words of grip.h. */
static double elastic_inside(const grip *g, const double *entry)
{
    double b = g->bend, w2 = v3_dot(g->touch.w, g->touch.w), s2 = g->give.s * g->give.s;
    if (g->sticks)
        return g->touch.delta > 0 && s2 > 0 ? 1 - v3_dot(g->give.x, g->give.x) / s2 : -1;
    if (!(g->touch.delta > 0))
        return 1;
    if (entry[NT_GRIP_STICKS] == SLIPS)
        return (w2 - b * b) / b;
    return fmin(v3_dot(g->touch.w, g->d), (4 * b * b - w2) / b);
}

double nt_grip_inside(const nt_run *run, const nt_view *view, int i)
{
    const nt_element *e = nt_grip_element(run->model, i);
    grip g = grip_of(e, view);
    double most = nt_contact_of(run, e)->friction.coefficient * fmax(0, g.touch.N);
    double held = v3_norm(g.F);
    const double *entry = grip_entries(run->model, nt_contact_of(run, e), view->at->memory);
    if (g.elastic)
        return elastic_inside(&g, entry);
    double all = most + held;
    if (g.sticks)
        return all > 0 ? (most - held) / all : g.touch.delta > 0 ? 0 : -1;
    return g.touch.delta > 0 ? v3_dot(g.touch.w, g.d) : 1;
}

/* Whether an elastic contact that slips is so slow that it stops; else it slips. */
static void slip_elastic(const grip *g, v3 d, double *entry)
{
    double w2 = v3_dot(g->touch.w, g->touch.w), b = g->bend;
    entry[NT_GRIP_STICKS] = w2 < 4 * b * b ? STOPS : SLIPS;
    v3_store(entry + NT_GRIP_D, d);
}

static void change_elastic(const nt_view *view, const nt_element *e, const grip *g, double *entry,
                           nt_instant *instant, int number)
{
    const nt_touch *t = &g->touch;
    double b = g->bend, speed = v3_norm(t->w), far = v3_norm(g->give.x);
    v3 along = speed > LEAST ? v3_scale(1 / speed, t->w) : along_surface(t->n);
    if (g->sticks) {
        slip_elastic(g, far > 0 ? v3_scale(1 / far, g->give.x) : along, entry);
        instant->number = number + 1;
    } else if (entry[NT_GRIP_STICKS] == SLIPS) {
        entry[NT_GRIP_STICKS] = STOPS;
        v3_store(entry + NT_GRIP_D, along);
    } else if (v3_dot(t->w, g->d) < (4 * b * b - speed * speed) / b) {
        entry[NT_GRIP_STICKS] = STICKS;
        double s = nt_contact_of(view->run, e)->give.s;
        keep_give(view, e, g, v3_scale((1 - SHORT_OF) * s, g->t[0]), entry);
        instant->number = number;
    } else {
        entry[NT_GRIP_STICKS] = SLIPS;
        v3_store(entry + NT_GRIP_D, along);
    }
}

void nt_grip_changes(const nt_run *run, const nt_view *view, int i, nt_instant *instant)
{
    const nt_model *model = run->model;
    const nt_element *e = nt_grip_element(model, i);
    double *entry = instant->memory + model->grip_memory + i * NT_GRIP_MEMORY;
    grip g = grip_of(e, view);
    double speed = v3_norm(g.touch.w), held = v3_norm(g.F);
    int number = model->n_happenings + 2 * (model->n_slides + i);
    bool still = speed <= fmax(REST, STILL * entry[NT_GRIP_SPEED]);
    instant->happened = 1;
    if (g.elastic) {
        change_elastic(view, e, &g, entry, instant, number);
        return;
    }
    entry[NT_GRIP_SPEED] = speed;
    if (g.sticks) {
        entry[NT_GRIP_STICKS] = SLIPS;
        v3_store(entry + NT_GRIP_D, held > 0 ? v3_scale(-1 / held, g.F) : g.t[0]);
        instant->number = number + 1;
        instant->smooth = 1;
    } else if (still) {
        entry[NT_GRIP_STICKS] = STICKS;
        v3_store(entry + NT_GRIP_D, g.t[0]);
        for (int r = 0; r < 2; r++)
            instant->restitution[nt_element_row(e, r)] = 0;
        instant->number = number;
    } else {
        v3_store(entry + NT_GRIP_D, v3_scale(1 / speed, g.touch.w));
        instant->smooth = 1;
    }
}

/* ---- at rest -------------------------------------------------------------------------------- */

void nt_grip_look(const nt_run *run, const nt_view *view, int i, nt_dry_friction *out)
{
    const nt_element *e = nt_grip_element(run->model, i);
    const nt_contact *c = nt_contact_of(run, e);
    grip g = grip_of(e, view);
    bool known = grip_entries(run->model, c, view->at->memory) != NULL;
    *out = (nt_dry_friction){.holds = !known                  ? NT_DRY_LOOSE
                                      : g.sticks && !g.yields ? NT_DRY_STICKS
                                                              : NT_DRY_SLIPS,
                             .follows = g.elastic,
                             .gap = c->friction.coefficient > 0 ? -g.touch.delta : (double)INFINITY,
                             .limit = c->friction.coefficient * fmax(0, g.touch.N)};
    v3_store(out->force, g.F);
    v3_store(out->slip, g.touch.w);
}

/* x along the surface, made unit; any direction of it where nothing is left. */
static v3 unit_along(v3 n, v3 x)
{
    v3 along = v3_axpy(-v3_dot(n, x), n, x);
    double size = v3_norm(along);
    return size > 0 ? v3_scale(1 / size, along) : along_surface(n);
}

void nt_grip_hold(const nt_run *run, const nt_view *view, int i, nt_dry_state holds,
                  const double towards[3], double *memory)
{
    const nt_model *model = run->model;
    const nt_element *e = nt_grip_element(model, i);
    double *entry = memory + model->grip_memory + i * NT_GRIP_MEMORY;
    grip g = grip_of(e, view);
    bool known = !isnan(entry[NT_GRIP_STICKS]), slipped = known && !g.sticks;
    if (holds == NT_DRY_LOOSE) {
        for (int k = 0; k < NT_GRIP_MEMORY; k++)
            entry[k] = (double)NAN;
        return;
    }
    v3 was = known ? v3_load(entry + NT_GRIP_D) : v3_of(0, 0, 0);
    v3 d = unit_along(g.touch.n, g.yields                ? g.give.x
                                 : holds == NT_DRY_SLIPS ? v3_load(towards)
                                                         : was);
    bool beyond = holds == NT_DRY_STICKS && g.elastic && (slipped || g.yields);
    double s = nt_contact_of(run, e)->give.s, far = beyond ? (1 - SHORT_OF) * s : 0;
    if (holds == NT_DRY_SLIPS && g.elastic && g.sticks && !g.yields &&
        v3_norm(g.give.x) > (1 - 10 * SHORT_OF) * s) { /* at its limit: now just beyond */
        beyond = true;
        far = (1 + SHORT_OF) * s;
    }
    if (!known || beyond || (slipped && !g.sticks)) /* what slipped goes on with its force */
        keep_give(view, e, &g, v3_scale(far, d), entry);
    entry[NT_GRIP_STICKS] = holds == NT_DRY_STICKS ? STICKS : g.elastic ? YIELDS : SLIPS;
    entry[NT_GRIP_SPEED] = 0;
    v3_store(entry + NT_GRIP_D, d);
}
