/* What contacts give to bodies that touch others and are held by nothing else: balls, chips, dice.
 *
 * Beside a large body the energy of a small one is lost in that of the part they make. Of a body of
 * mass m on which contacts and gravity g act alone, the impulse of a step is known from its
 * velocities v alone, J = m (v_1 - v_0) - m g h, and with one contact it is that contact's. Along
 * the normal n it gives to both bodies J_n (u_0 + u_1).n/2, u the velocity of the one past the
 * other at the contact: exact where all of the change of u is the contact's, and off by no more
 * than J_n times half of what the other surface's own speed along n changes by and, where the
 * normal turns, of what it turns from u. Between two moments without contact the sum of that is
 * zero, or less of one that damps: what is more has been made of nothing. Places and velocities of
 * methods may be a step apart in time, which makes m |g| h u_n of an energy. */
#include "model/contacts/bounce.h"

#include "model/contacts/contact.h"
#include "model/evaluate.h"
#include "model/joints/stop_bounce.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

/* An impulse below this part of m u is rounding of velocities. */
static const double PUSHES = 1e-9;

/* Surfaces that are apart by more than so many times the way of a step have not met in it. */
static const double FAR = 2;

/* ---- the bodies ----------------------------------------------------------------------------- */

static bool is_contact(const nt_element *e) { return nt_element_touches(e) && e->a != e->b; }

/* Bodies on which something else acts are no longer free; contacts with others than the ground make
 * those that are worth a look. */
static void find_free(const nt_model *model, int *of_node, int *number)
{
    enum { HELD = -1, FREE = 0, TOUCHES = 1 };
    for (int i = 0; i < model->n_elements; i++) {
        const nt_element *e = &model->elements[i];
        for (int k = 0; k < e->n_ports; k++) {
            int node = e->ports[k].node; /* those behind are of multipliers */
            int body = node >= 0 && node < model->n_primary ? of_node[node] : -1;
            if (body < 0 || !nt_element_pushes(e, k))
                continue;
            if (!is_contact(e))
                number[body] = HELD;
            else if (number[body] == FREE && e->a > 0 && e->b > 0)
                number[body] = TOUCHES;
        }
    }
}

/* The contacts of each of these bodies, one list behind the other. */
static nt_status list_contacts(nt_model *model, const int *account, int n)
{
    struct nt_bounces *b = &model->bounces;
    b->body = NT_TAKE(&model->arena, n + 1, int);
    b->first = NT_TAKE(&model->arena, n + 2, int);
    b->contact = NT_TAKE(&model->arena, 2 * (size_t)model->n_elements + 1, int);
    if (!b->body || !b->first || !b->contact)
        return NT_NO_MEMORY;
    for (int i = 1; i < model->n_bodies; i++)
        if (account[i] >= 0)
            b->body[account[i]] = i;
    for (int pass = 0; pass < 2; pass++) { /* counted two places on, then filled one on */
        for (int i = 0; i < model->n_elements; i++) {
            const nt_element *e = &model->elements[i];
            const int of[2] = {e->a, e->b};
            for (int side = 0; is_contact(e) && side < 2; side++) {
                int k = account[of[side]];
                if (k >= 0 && pass == 0)
                    b->first[k + 2]++;
                else if (k >= 0)
                    b->contact[b->first[k + 1]++] = i;
            }
        }
        for (int k = 1; pass == 0 && k <= n; k++)
            b->first[k + 1] += b->first[k];
    }
    return NT_OK;
}

nt_status nt_model_find_bounces(nt_model *model)
{
    int *of_node = NT_TAKE(&model->arena, model->n_primary + 1, int);
    int *account = NT_TAKE(&model->arena, model->n_bodies, int);
    if (!of_node || !account)
        return NT_NO_MEMORY;
    for (int i = 0; i < model->n_primary; i++)
        of_node[i] = -1;
    for (int i = 1; i < model->n_bodies; i++) {
        const nt_body *b = &model->bodies[i];
        if (b->t_node >= 0)
            of_node[b->t_node] = i;
        if (b->r_node >= 0)
            of_node[b->r_node] = i;
    }
    find_free(model, of_node, account);
    int n = 0;
    for (int i = 0; i < model->n_bodies; i++) {
        const nt_body *b = &model->bodies[i];
        bool whole = v3_norm(b->center) == 0 && b->t_node >= 0;
        account[i] = i > 0 && account[i] > 0 && whole ? n++ : -1;
    }
    model->bounces.n = n;
    nt_status status = n > 0 ? list_contacts(model, account, n) : NT_OK;
    if (status == NT_OK)
        status = nt_model_find_stops(model, of_node);
    model->system.n_bounces = n + model->bounces.n_stops;
    return status;
}

/* ---- a step --------------------------------------------------------------------------------- */

/* One contact of a body: at both ends of the step. */
typedef struct side {
    bool met;            /* it may have been near; else all that is known is:            */
    double apart;        /* m, at both ends together                                     */
    double depth;        /* m, the larger one                                            */
    v3 n[2], w[2], u[2]; /* normal; m/s, of the other surface and of the body past it     */
    double toward;       /* m/s, at the begin                                            */
} side;

/* Whether a contact's surfaces have not come near each other in a step of h s: known from how far
 * apart they are at its ends and how fast they are there, which is far less than all of them. */
static bool stays_apart(const nt_contact *c, const nt_element *e, const nt_motion *const ends[2],
                        double h, double *apart)
{
    double fastest = 0;
    *apart = 0;
    for (int k = 0; k < 2; k++) {
        nt_touch_pose at = nt_contact_pose_of(c, &ends[k][e->a], &ends[k][e->b]);
        nt_touch t = {.l = 0};
        nt_touch_place(&t, c->kind.skeleton, &c->surface, &at);
        double depth = c->surface.radius + c->surface.side * (c->surface.offset - t.l);
        v3 past = v3_sub(v3_add(at.v_b, v3_cross(at.w_b, at.arm_b)),
                         v3_add(at.v_a, v3_cross(at.w_a, at.arm_a)));
        if (!(depth < 0))
            return false;
        *apart -= depth;
        fastest = fmax(fastest, v3_norm(past));
    }
    return *apart > FAR * h * fastest;
}

/* Adds a contact of a body, unless its surfaces stay apart. Of those that touch more than one is
 * counted, and one that gives a moment counts as two; the nearest is taken for the one that pushes.
 */
static void look_at(const nt_run *run, int which, int body, const nt_motion *const ends[2],
                    double h, side *nearest, nt_bounce *out)
{
    const nt_element *e = &run->model->elements[which];
    const nt_contact *c = nt_element_as_contact(run, e);
    side s = {.met = true, .depth = -(double)INFINITY};
    double apart;
    if (c && stays_apart(c, e, ends, h, &apart)) {
        if (!nearest->met && apart < nearest->apart)
            out->which = which, nearest->apart = apart;
        return;
    }
    bool is_b = e->b == body, turns = !c || c->kind.spins || c->kind.rolls || c->law.rolling != 0;
    for (int k = 0; k < 2; k++) {
        const nt_motion *A = &ends[k][e->a], *B = &ends[k][e->b];
        nt_touch_pose at = c ? nt_contact_pose_of(c, A, B) : (nt_touch_pose){.lift = 0};
        nt_touch t = c ? nt_touch_of(c->kind, &c->surface, &c->law, &at) : (nt_touch){.delta = 1};
        s.w[k] = is_b ? v3_add(A->v, v3_cross(A->w, t.r_a)) : v3_add(B->v, v3_cross(B->w, t.r_b));
        s.u[k] = is_b ? t.u : v3_neg(t.u);
        s.n[k] = t.n;
        s.depth = fmax(s.depth, t.delta);
        out->touches[k] += t.delta > 0 ? 1 + turns : 0;
        if (k == 0)
            s.toward = fmax(t.rate, 0);
    }
    if (nearest->met && !(s.depth > nearest->depth))
        return;
    out->which = which;
    *nearest = s;
}

static void find_bounce(const nt_run *run, int body, const nt_motion *const ends[2], double h,
                        const side *s, nt_bounce *out)
{
    double m = run->bodies[body].mass;
    v3 g = v3_scale(run->share[NT_SHARE_GRAVITY], v3_load(run->gravity));
    v3 v0 = ends[0][body].v, v1 = ends[1][body].v, both = v3_add(s->n[0], s->n[1]);
    double norm = v3_norm(both);
    v3 n = norm > 0 ? v3_scale(1 / norm, both) : s->n[0];
    double J = m * (v3_dot(n, v3_sub(v1, v0)) - h * v3_dot(n, g)), u0 = v3_dot(n, s->u[0]),
           u1 = v3_dot(n, s->u[1]), speed = fmax(v3_norm(s->u[0]), v3_norm(s->u[1])),
           fastest = v3_norm(v0) + v3_norm(v1);
    double of_other = fabs(v3_dot(n, v3_sub(s->w[1], s->w[0]))),
           of_normal = v3_norm(v3_sub(s->n[1], s->n[0])) * speed;
    bool pushes = fabs(J) > PUSHES * m * fastest || out->touches[1] > 0;
    out->gained = J * (u0 + u1) / 2;
    out->doubt = fabs(J) * (of_other + of_normal) / 2;
    out->apart = m * v3_norm(g) * h * fmax(fabs(u0), fabs(u1));
    out->toward = pushes ? m / 2 * s->toward * s->toward : 0;
    out->size = m * fastest * (fastest + speed);
}

/* The bodies, and where there are stops whatever these follow. */
static void see(nt_run *run, const nt_point *at, nt_view *view)
{
    nt_terms none = {.parts = NT_ALL_PARTS};
    if (run->model->bounces.n_stops > 0)
        nt_run_look(run, at, &none, view);
    else
        nt_run_see_bodies(run, at, &none, view);
}

void nt_run_bounces(void *self, const nt_point *from, const nt_point *to, nt_bounce *each)
{
    nt_run *run = self;
    if (!each || !nt_run_can_look(run, from, false) || !nt_run_can_look(run, to, false) ||
        !run->motion_before)
        return;
    const nt_model *model = run->model;
    const struct nt_bounces *all = &model->bounces;
    side nearest;
    nt_view view;
    see(run, from, &view);
    nt_joint_stops_begin(&view, each + all->n);
    memcpy(run->motion_before, run->motion, (size_t)model->n_bodies * sizeof *run->motion);
    see(run, to, &view);
    const nt_motion *const ends[2] = {run->motion_before, run->motion};
    double h = to->t - from->t;
    nt_joint_stops_end(&view, ends[0], h, each + all->n);
    for (int k = 0; k < all->n; k++) {
        int body = all->body[k];
        each[k] = (nt_bounce){.which = -1};
        nearest = (side){.met = false, .apart = (double)INFINITY};
        for (int j = all->first[k]; j < all->first[k + 1]; j++)
            look_at(run, all->contact[j], body, ends, h, &nearest, &each[k]);
        if (nearest.met)
            find_bounce(run, body, ends, h, &nearest, &each[k]);
    }
}
