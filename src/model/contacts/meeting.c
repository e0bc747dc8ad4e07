/* Surfaces that meet and part again on the way from one point of the motion to another.
 *
 * The ends of a step may show two surfaces apart that have met within it. What moves there is the
 * sphere's centre in axes of the surface, y(s), 0 <= s <= 1. Its path is no longer than h u, u the
 * faster of both rates or the mean one; surfaces that are g0 and g1 apart have not met where h u <
 * g0 + g1, and that is all that most pairs are asked. Of the others both bodies are followed by
 * polynomials, in place and in turn, through both ends with their rates and, where the method knows
 * these there, their accelerations (path.h). */
#include "model/contacts/meeting.h"

#include "model/bodies/path.h"
#include "model/contacts/contact.h"
#include "model/evaluate.h"
#include "model/events/overstepped.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

/* Places on the way that are looked at, and rounds in which the deepest of them is refined; of a
 * parabola these find the place to a thousandth of the way. */
enum { PLACES = 16, ROUNDS = 10 };

/* Surfaces that are deeper than so many times what they are where forces are looked at have passed
 * a contact that is not seen there. */
static const double UNSEEN = 2;

typedef struct way {
    nt_path of[2]; /* A and B */
    v3 y[2];       /* from the skeleton's origin to the sphere's centre, axes of A, at both ends */
    v3 onward;     /* m, how far y goes in the time of the way as it does at its end */
    double length; /* m, of its way, if it moved as fast as it does at the faster end */
    const nt_contact *c;
} way;

static v3 place_at(const way *w, double s)
{
    m3 A, B;
    v3 o = nt_path_point(&w->of[0], w->c->origin, s, &A),
       c = nt_path_point(&w->of[1], w->c->center, s, &B);
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
                  const nt_motion *to, double h, bool known, double beyond, bool by_middle,
                  nt_meeting *out)
{
    way ends, *w = &ends;
    w->c = c;
    put_ends(w, from, to, e, h);
    double d[2] = {depth_at(w, w->y[0]), depth_at(w, w->y[1])};
    out->speed = w->length / h;
    if (w->length < -(d[0] + d[1]))
        return false;
    w->of[0] = nt_path_of(&from[e->a], &to[e->a], h, known);
    w->of[1] = nt_path_of(&from[e->b], &to[e->b], h, known);
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
    nt_overstepped_see(run, from, &terms, 0, &view);
    memcpy(run->motion_before, run->motion, (size_t)model->n_bodies * sizeof *run->motion);
    nt_overstepped_see(run, to, &terms, 1, &view);
    nt_meeting worst = *out;
    for (int i = 0; i < model->n_elements; i++) {
        const nt_element *e = &model->elements[i];
        const nt_contact *c = nt_element_as_contact(run, e);
        nt_meeting m = {.which = i};
        bool met =
            c ? meets(e, c, run->motion_before, run->motion, h, to->vdot, beyond, by_middle, &m)
              : nt_is_overstepped(run, e, &view, h, beyond, by_middle, &m);
        worst.fastest = fmax(worst.fastest, m.speed);
        if (!met || (worst.which >= 0 && m.part >= worst.part))
            continue;
        m.fastest = worst.fastest;
        worst = m;
    }
    *out = worst;
    return worst.which >= 0;
}
