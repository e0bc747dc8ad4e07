/* Surfaces that meet and part again on the way from one point of the motion to another.
 *
 * The ends of a step may show two surfaces apart that have met within it. What moves there is the
 * sphere's centre in axes of the surface, y(s), 0 <= s <= 1. Its path is no longer than h u, u the
 * faster of both rates or the mean one; surfaces that are g0 and g1 apart have not met where h u <
 * g0 + g1, and that is all that most pairs are asked. Of the others both bodies are followed by
 * cubics, in place and in turn, through both ends with their rates: these are off by h^4/384 of the
 * fourth derivative, far below the step's own error. */
#include "model/contacts/meeting.h"

#include "group/rotation.h"
#include "model/contacts/contact.h"
#include "model/evaluate.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

/* Places on the way that are looked at, and rounds in which the deepest of them is refined; of a
 * parabola these find the place to a thousandth of the way. */
enum { PLACES = 16, ROUNDS = 10 };

/* Surfaces that are deeper than so many times what they are where forces are looked at have passed
 * a contact that is not seen there. */
static const double UNSEEN = 2;

/* A body on its way: x by the cubic through both ends, R = R_0 exp(psi~), psi by the cubic through
 * 0 and the turn between the ends, with the rates of both. */
typedef struct path {
    v3 x[2], v[2];       /* v: of the whole way, m          */
    v3 turn, turning[2]; /* rad; of the whole way, body axes */
    m3 R;                /* R_0                             */
} path;

typedef struct way {
    path of[2];    /* A and B */
    v3 y[2];       /* from the skeleton's origin to the sphere's centre, axes of A, at both ends */
    v3 onward;     /* m, how far y goes in the time of the way as it does at its end */
    double length; /* m, of its way, if it moved as fast as it does at the faster end */
    const nt_contact *c;
} way;

/* The turn between two orientations that is nearest to what the rates make expected. */
static v3 turn_between(m3 from, m3 to, v3 expected)
{
    const double all = 2 * acos(-1.0);
    double R[9], q[4];
    m3_store(R, m3_multiply(m3_transpose(from), to));
    nt_so3_from_matrix(R, q);
    v3 psi = so3_log(quat_load(q));
    double n = v3_norm(psi), e = v3_norm(expected);
    if (n < 1e-9)
        return e > all / 2 ? v3_scale(all * round(e / all) / e, expected) : psi;
    double more = round((v3_dot(expected, psi) / n - n) / all);
    return v3_scale((n + all * more) / n, psi);
}

static path path_of(const nt_motion *from, const nt_motion *to, double h)
{
    path p = {.x = {from->x, to->x},
              .v = {v3_scale(h, from->v), v3_scale(h, to->v)},
              .turning = {v3_scale(h, m3_apply_transposed(from->R, from->w)),
                          v3_scale(h, m3_apply_transposed(to->R, to->w))},
              .R = from->R};
    p.turn = turn_between(from->R, to->R, v3_scale(0.5, v3_add(p.turning[0], p.turning[1])));
    return p;
}

static v3 cubic(v3 y0, v3 rate0, v3 y1, v3 rate1, double s)
{
    double r = 1 - s;
    v3 y = v3_axpy(r * r * (1 + 2 * s), y0, v3_scale(s * s * (1 + 2 * r), y1));
    return v3_axpy(r * r * s, rate0, v3_axpy(-r * s * s, rate1, y));
}

/* Where a point of the body is at part s of the way; *R: its orientation there. */
static v3 point_at(const path *p, v3 point, double s, m3 *R)
{
    v3 none = v3_of(0, 0, 0), psi = cubic(none, p->turning[0], p->turn, p->turning[1], s);
    *R = m3_multiply(p->R, quat_matrix(so3_exp(psi)));
    return v3_add(cubic(p->x[0], p->v[0], p->x[1], p->v[1], s), m3_apply(*R, point));
}

static v3 place_at(const way *w, double s)
{
    m3 A, B;
    v3 o = point_at(&w->of[0], w->c->origin, s, &A), c = point_at(&w->of[1], w->c->center, s, &B);
    return m3_apply_transposed(A, v3_sub(c, o));
}

/* Both ends; the length takes no more than they say, and is all that most pairs are asked for. */
static void put_ends(way *w, const nt_motion *from, const nt_motion *to, const nt_element *e,
                     double h)
{
    const nt_motion *ends[2] = {from, to};
    w->length = 0;
    for (int end = 0; end < 2; end++) {
        const nt_motion *A = &ends[end][e->a], *B = &ends[end][e->b];
        nt_touch_pose at = nt_contact_pose_of(w->c, A, B);
        v3 of_b = v3_add(at.v_b, v3_cross(at.w_b, at.arm_b));
        v3 past = v3_sub(of_b, v3_add(at.v_a, v3_cross(at.w_a, at.arm_a)));
        w->y[end] = m3_apply_transposed(A->R, at.y);
        w->onward = m3_apply_transposed(A->R, v3_scale(h, past));
        w->length = fmax(w->length, h * v3_norm(past));
    }
    w->length = fmax(w->length, v3_norm(v3_sub(w->y[1], w->y[0])));
}

/* How deep the sphere is in the surface; negative: how far it is away. */
static double depth_at(const way *w, v3 y)
{
    nt_touch t = {.l = 0};
    nt_touch_pose at = {.y = y, .axis = w->c->axis};
    const nt_surface *s = &w->c->surface;
    nt_touch_place(&t, w->c->kind.skeleton, s, &at);
    return s->radius + s->side * (s->offset - t.l);
}

/* How deep what forces are looked at shows: the ends, or of ways with a look in their middle that
 * one. Of these the begin is shown where the way before was asked, and the end where the next way,
 * straight on and up to twice as long, has its middle no less than 1/UNSEEN as deep. */
static double shown(const way *w, const double d[2], bool by_middle)
{
    if (!by_middle)
        return fmax(d[0], d[1]);
    double next = fmin(depth_at(w, v3_axpy(0.5, w->onward, w->y[1])),
                       depth_at(w, v3_add(w->onward, w->y[1])));
    double seen = fmax(d[0], depth_at(w, place_at(w, 0.5)));
    return UNSEEN * next >= d[1] ? fmax(seen, d[1]) : seen;
}

static double deepest(const way *w, bool with_end, double *part)
{
    double best = -(double)INFINITY, beside = 1.0 / PLACES;
    for (int k = 1; k < PLACES + with_end; k++) {
        double d = depth_at(w, place_at(w, (double)k / PLACES));
        if (d > best)
            best = d, *part = (double)k / PLACES;
    }
    for (int round = 0; round < ROUNDS; round++) {
        beside /= 2;
        for (int side = -1; side <= 1; side += 2) {
            double s = fmin(*part + side * beside, 1), d = depth_at(w, place_at(w, s));
            if (d > best)
                best = d, *part = s;
        }
    }
    return best;
}

/* Whether a pair met on its way, deeper than `beyond`: where, and how fast its path was. */
static bool meets(const nt_element *e, const nt_contact *c, const nt_motion *from,
                  const nt_motion *to, double h, double beyond, bool by_middle, nt_meeting *out)
{
    way ends, *w = &ends;
    w->c = c;
    put_ends(w, from, to, e, h);
    double d[2] = {depth_at(w, w->y[0]), depth_at(w, w->y[1])};
    out->speed = w->length / h;
    if (w->length < -(d[0] + d[1]))
        return false;
    w->of[0] = path_of(&from[e->a], &to[e->a], h);
    w->of[1] = path_of(&from[e->b], &to[e->b], h);
    double seen = shown(w, d, by_middle);
    out->depth = deepest(w, by_middle, &out->part);
    return out->depth > fmax(beyond, UNSEEN * seen);
}

bool nt_run_met(void *self, const nt_point *from, const nt_point *to, double beyond, bool by_middle,
                nt_meeting *out)
{
    nt_run *run = self;
    if (!out)
        return false;
    *out = (nt_meeting){.which = -1};
    if (!nt_run_can_look(run, from, false) || !nt_run_can_look(run, to, false) ||
        !(to->t > from->t) || !run->motion_before)
        return false;
    const nt_model *model = run->model;
    double h = to->t - from->t;
    nt_view view;
    nt_terms terms = {.parts = NT_ALL_PARTS};
    nt_run_see_bodies(run, from, &terms, &view);
    memcpy(run->motion_before, run->motion, (size_t)model->n_bodies * sizeof *run->motion);
    nt_run_see_bodies(run, to, &terms, &view);
    nt_meeting worst = *out;
    for (int i = 0; i < model->n_elements; i++) {
        const nt_element *e = &model->elements[i];
        const nt_contact *c = nt_element_as_contact(run, e);
        nt_meeting m = {.which = i};
        if (!c)
            continue;
        bool met = meets(e, c, run->motion_before, run->motion, h, beyond, by_middle, &m);
        worst.fastest = fmax(worst.fastest, m.speed);
        if (!met || (worst.which >= 0 && m.part >= worst.part))
            continue;
        m.fastest = worst.fastest;
        worst = m;
    }
    *out = worst;
    return worst.which >= 0;
}
