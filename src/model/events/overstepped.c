/* One-sided forces that begin and end again on the way from one point of the motion to another.
 *
 * The ends of a step may show that a one-sided spring or a rope does nothing, which has acted
 * within: a body that flies freely is advanced in any step without an error, past a spring that
 * would have sent it back. What such elements say of themselves is g, below zero where they do
 * nothing (nt_element_type.onsets), at any place of their bodies. It changes no faster than their
 * bodies move: where h u, u the sum of their speeds and of their rates times the model's length,
 * twice, is less than what g is below zero at both ends together they did nothing. That is all that
 * most are asked; nor is anything missed of what acts at both ends. Of the others g is looked at
 * along the way, with the bodies on polynomials through both ends (path.h), as the depth of
 * surfaces is (contacts/meeting.c).
 *
 * Beyond the stop of a joint a body stays until it is turned round; what a step may pass is the end
 * of a swing, where it turns by itself. Such a step begins with a rate toward the stop and ends
 * with one away from it, both apart: of these the coordinate is taken for such a polynomial. */
#include "model/events/overstepped.h"

#include "model/bodies/path.h"
#include "model/evaluate.h"
#include "model/joints/joint.h"
#include "model/model.h"

#include <math.h>

/* Places on the way that are looked at, and rounds in which the deepest of them is refined. */
enum { PLACES = 16, ROUNDS = 10 };

/* What is deeper than so many times what forces that are looked at show has not been seen. */
static const double UNSEEN = 2;

/* Where implicit forces of a method that looks in the middle may be taken. */
static const double BEHIND = 0.6;

/* Points at which forces act are no farther from their bodies than so many lengths of the model. */
static const double ARM = 2;

/* Not cables, which are followed by nodes of their own. */
bool nt_can_be_overstepped(const nt_run *run, const nt_element *e)
{
    return !nt_element_touches(e) && !nt_element_owns_bodies(e) &&
           nt_element_count_onsets(run, e) > 0;
}

void nt_overstepped_see(nt_run *run, const nt_point *at, const nt_terms *terms, int end,
                        nt_view *view)
{
    if (!run->overstepped) {
        nt_run_see_bodies(run, at, terms, view);
        return;
    }
    nt_run_look(run, at, terms, view);
    for (int i = 0; i < run->model->n_elements; i++) {
        const nt_element *e = &run->model->elements[i];
        if (nt_can_be_overstepped(run, e))
            e->type->onsets(run, e, view, run->onsets_at_end[end] + e->first_onset);
    }
}

/* The bodies of an element, and the bound of how far they go in the time of the way. */
static double reach_of(const nt_run *run, const nt_element *e, double h)
{
    double sum = 0;
    for (int k = 0; k < e->n_ports; k++) {
        int node = e->ports[k].node, body = nt_model_body_of_node(run->model, node);
        double fastest = 0, turns = fmax(1, ARM * run->length);
        if (body < 0)
            continue;
        for (int end = 0; end < 2; end++) {
            const nt_motion *m = end == 0 ? &run->motion_before[body] : &run->motion[body];
            bool rotates = run->model->bodies[body].r_node == node;
            fastest = fmax(fastest, rotates ? turns * v3_norm(m->w) : v3_norm(m->v));
        }
        sum += h * fastest;
    }
    return sum;
}

static nt_path straight_on(nt_path path)
{
    path.v[0] = path.v[1] = v3_sub(path.x[1], path.x[0]);
    path.turning[0] = path.turning[1] = path.turn;
    path.a[0] = path.a[1] = path.changes[0] = path.changes[1] = v3_of(0, 0, 0);
    return path;
}

/* Onset i of an element at part s of the way, or of the straight one between its ends. */
static double beyond_at(nt_run *run, const nt_element *e, const nt_view *view, double h, int i,
                        bool straight, double s)
{
    nt_view within = *view;
    within.motion = run->motion_within;
    for (int k = -2; k < e->n_ports; k++) {
        int node = k < 0 ? -1 : e->ports[k].node, body = k == -2 ? e->a : k == -1 ? e->b : -1;
        if (k >= 0)
            body = nt_model_body_of_node(run->model, node);
        if (body < 0)
            continue;
        nt_motion *m = &run->motion_within[body];
        nt_path path = nt_path_of(&run->motion_before[body], &run->motion[body], h, view->at->vdot);
        path = straight ? straight_on(path) : path;
        *m = run->motion[body];
        m->x = nt_path_point(&path, v3_of(0, 0, 0), s, &m->R);
    }
    e->type->onsets(run, e, &within, run->onsets_within);
    return run->onsets_within[i];
}

/* Of methods that look in the middle of a step that one shows it, which they take for that of the
 * way, or of both ends, or for somewhat behind it (semi-explicit's implicit forces); and the end is
 * shown where the next step, up to twice as long, has its middle no less than 1/UNSEEN as deep. */
static double shown_by_middle(nt_run *run, const nt_element *e, const nt_view *view, double h,
                              int i, const double g[2])
{
    double middle = fmin(beyond_at(run, e, view, h, i, false, 0.5),
                         fmin(beyond_at(run, e, view, h, i, true, 0.5),
                              beyond_at(run, e, view, h, i, true, BEHIND)));
    double next =
        fmin(beyond_at(run, e, view, h, i, false, 1.5), beyond_at(run, e, view, h, i, false, 2));
    double seen = fmax(g[0], middle);
    return UNSEEN * next >= g[1] ? fmax(seen, g[1]) : seen;
}

typedef double value_within(const void *context, double s);

/* The largest value at places within the step, before `end` of them, and near the best of these. */
static double search(value_within *value, const void *context, int end, double *part)
{
    double best = -(double)INFINITY, beside = 1.0 / PLACES;
    *part = 0.5;
    for (int k = 1; k < end; k++) {
        double g = value(context, (double)k / PLACES);
        if (g > best)
            best = g, *part = (double)k / PLACES;
    }
    for (int round = 0; round < ROUNDS; round++) {
        beside /= 2;
        double middle = *part;
        for (int side = -1; side <= 1; side += 2) {
            double s = fmin(middle + side * beside, 1), g = value(context, s);
            if (g > best)
                best = g, *part = s;
        }
    }
    return best;
}

typedef struct one_onset {
    nt_run *run;
    const nt_element *e;
    const nt_view *view;
    double h;
    int i;
} one_onset;

static double onset_within(const void *context, double s)
{
    const one_onset *o = context;
    return beyond_at(o->run, o->e, o->view, o->h, o->i, false, s);
}

static double deepest(nt_run *run, const nt_element *e, const nt_view *view, double h, int i,
                      bool with_end, double *part)
{
    const one_onset onset = {run, e, view, h, i};
    return search(onset_within, &onset, PLACES + with_end, part);
}

/* The second derivative of a joint's coordinate, times h^2, by how its rate changes in a thousandth
 * of the way. */
static double second_of(nt_run *run, const nt_element *e, const nt_view *view, bool translation,
                        double h)
{
    const int bodies[2] = {e->a, e->b};
    double rate[2], by = 1e-3 * h;
    nt_view moved = *view;
    moved.motion = run->motion_within;
    for (int side = 0; side < 2; side++) {
        double t = side == 0 ? -by : by;
        for (int k = 0; k < 2; k++) {
            const nt_motion *at = &view->motion[bodies[k]];
            nt_motion *m = &run->motion_within[bodies[k]];
            *m = *at;
            m->x = v3_axpy(t, v3_axpy(t / 2, at->a, at->v), at->x);
            m->R = m3_multiply(quat_matrix(so3_exp(v3_scale(t, v3_axpy(t / 2, at->alpha, at->w)))),
                               at->R);
            m->v = v3_axpy(t, at->a, at->v), m->w = v3_axpy(t, at->alpha, at->w);
        }
        rate[side] = nt_joint_coordinate(e, &moved, translation).rate;
    }
    return h * h * (rate[1] - rate[0]) / (2 * by);
}

/* A polynomial along the step, its values as first coordinates. */
typedef struct polynomial {
    v3 y[2], slope[2], bent[2];
} polynomial;

static double polynomial_within(const void *context, double s)
{
    const polynomial *p = context;
    return nt_path_along(p->y, p->slope, p->bent, s).x;
}

/* The largest value in 0 < s < 1 of what begins at g[0] with the slope rate[0] > 0 and ends at g[1]
 * with rate[1] < 0. */
static double highest(const double g[2], const double rate[2], const double second[2], double *part)
{
    polynomial p;
    for (int end = 0; end < 2; end++) {
        p.y[end] = v3_of(g[end], 0, 0), p.slope[end] = v3_of(rate[end], 0, 0);
        p.bent[end] = v3_of(second ? second[end] : 0, 0, 0);
    }
    nt_path_bend(p.y, p.slope, second != NULL, p.bent);
    return search(polynomial_within, &p, PLACES, part);
}

/* Methods that look in the middle take it for the mean of both ends, which shows nothing. */
static bool is_stop_overstepped(nt_run *run, const nt_element *e, const nt_view *view, double h,
                                double beyond, nt_meeting *out)
{
    const nt_joint *joint = nt_element_as_joint(run, e);
    const double *ends[2] = {run->onsets_at_end[0] + e->first_onset,
                             run->onsets_at_end[1] + e->first_onset};
    double unit = joint->slides ? 1 : run->length, rate[2];
    int n = nt_element_count_onsets(run, e);
    nt_view before = *view;
    before.motion = run->motion_before;
    rate[0] = h * nt_joint_coordinate(e, &before, joint->slides).rate;
    rate[1] = h * nt_joint_coordinate(e, view, joint->slides).rate;
    out->speed = unit * fmax(fabs(rate[0]), fabs(rate[1])) / h;
    for (int i = 0; i < n && rate[0] * rate[1] < 0; i++) {
        double g[2] = {ends[0][i], ends[1][i]}, part;
        double side = i == 0 && (joint->given & NT_GIVEN_LOWER) ? -1 : 1;
        double toward[2] = {side * rate[0], side * rate[1]};
        if (!(g[0] < 0 && g[1] < 0 && toward[0] > 0))
            continue;
        double second[2], depth;
        bool known = view->at->vdot;
        if (known) {
            second[0] = side * second_of(run, e, &before, joint->slides, h);
            second[1] = side * second_of(run, e, view, joint->slides, h);
        }
        depth = unit * highest(g, toward, known ? second : NULL, &part);
        if (!(depth > beyond))
            continue;
        out->depth = depth, out->part = part;
        return true;
    }
    return false;
}

bool nt_is_overstepped(nt_run *run, const nt_element *e, const nt_view *view, double h,
                       double beyond, bool by_middle, nt_meeting *out)
{
    if (run->overstepped && nt_can_be_overstepped(run, e) && nt_element_as_joint(run, e))
        return is_stop_overstepped(run, e, view, h, beyond, out);
    int n = run->overstepped && nt_can_be_overstepped(run, e) ? nt_element_count_onsets(run, e) : 0;
    double reach = n > 0 ? reach_of(run, e, h) : 0;
    bool found = false;
    out->depth = 0;
    for (int i = 0; i < n; i++) {
        double g[2], part = 0.5;
        for (int end = 0; end < 2; end++) {
            g[end] = run->onsets_at_end[end][e->first_onset + i];
            if (isnan(g[end])) /* as where a spring has no length */
                g[end] = 0;
        }
        if (!((g[0] < 0 || g[1] < 0) && reach >= -(g[0] + g[1])))
            continue;
        double seen = by_middle ? shown_by_middle(run, e, view, h, i, g) : fmax(g[0], g[1]),
               depth = deepest(run, e, view, h, i, by_middle, &part);
        if (!(depth > fmax(beyond, UNSEEN * seen)) || (found && part >= out->part))
            continue;
        out->depth = depth, out->part = part, out->speed = reach / h;
        found = true;
    }
    return found;
}
