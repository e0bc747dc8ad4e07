/* Static states by arc length, where the load may fall (Riks): the tangent t = (W dq, dl) has
 * length 1, with W = 1/length on translations and the mean over the bodies; a corrector stays in
 * the plane across it,
 *
 *   d = dR + dl dF,   K dR = -R,   K dF = -R_l,   t . d = 0.
 *
 * Where dl changes its sign the load has a limit, which is then found by false position. Branching
 * points, where another path crosses: static_branch.c. */
#include "analysis/static/static_path.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

/* ---- one step ------------------------------------------------------------------------------- */

/* A corrector may lead to another branch of the path, which the plane across the tangent meets too:
 * the way to the new point is then longer than ds, its part along the tangent, by a good part. At a
 * kink, as where a gap closes, it turns by any angle, and steps become short. */
static const double LONGER = 1.15;

static bool leaves_path(const nt_path *a, double load, double ds)
{
    nt_static *s = a->s;
    const nt_problem *p = s->problem;
    double dl = s->load - load;
    nt_space_difference(&p->space, p->frame, s->kept[1], s->q, s->increment);
    double square = nt_path_product(a, s->increment, s->increment) + dl * dl;
    return ds > NT_PATH_SHORT && !(square <= LONGER * LONGER * ds * ds);
}

/* One step of length ds along the tangent, which is a->before. */
static nt_status step_arc(nt_path *a, double ds, int *iterations)
{
    nt_static *s = a->s;
    int n = s->problem->n;
    double *x = s->step, *dF = a->force_rate;
    for (int i = 0; i < n; i++)
        x[i] = ds * a->before[i];
    nt_status status = nt_static_carry(s, x);
    nt_static_move(s, x, 1);
    if (status == NT_OK)
        status = nt_path_set_load(s, s->load + ds * a->before[n]);
    for (*iterations = 0; status == NT_OK && *iterations < NT_PATH_ITERATIONS; ++*iterations) {
        double angle, length;
        status = nt_static_evaluate(s, s->residual, true);
        if (status == NT_OK)
            status = nt_static_factor(s, 0);
        if (status == NT_OK)
            status = nt_static_correct(s, s->residual, x);
        if (status == NT_OK)
            status = nt_path_load_response(s, dF);
        if (status != NT_OK)
            return status;
        s->iterations++;
        double dl =
            -nt_path_product(a, a->before, x) / (nt_path_product(a, a->before, dF) + a->before[n]);
        for (int i = 0; i < n; i++)
            x[i] += dl * dF[i];
        nt_static_reach(s, x, &angle, &length);
        if (!(angle <= NT_PATH_TURN) || !(length <= s->problem->length) || !isfinite(dl))
            return NT_NOT_CONVERGED;
        status = nt_static_carry(s, x);
        nt_static_move(s, x, 1);
        if (status == NT_OK)
            status = nt_path_set_load(s, s->load + dl);
        if (status == NT_OK && fmax(angle, length / s->problem->length) + fabs(dl) < 1e-9) {
            nt_static_accept(s);
            status = nt_static_evaluate(s, s->residual, false);
            return status == NT_OK && !nt_static_meets_all_rows(s) ? NT_NOT_CONVERGED : status;
        }
    }
    return status == NT_OK ? NT_NOT_CONVERGED : status;
}

nt_status nt_path_try_arc(nt_path *a, double load, double ds, int *iterations)
{
    nt_static *s = a->s;
    nt_static_go_back(s, s->kept[1]);
    nt_status status = nt_path_set_load(s, load);
    if (status == NT_OK)
        status = step_arc(a, ds, iterations);
    if (status == NT_OK && leaves_path(a, load, ds))
        status = NT_NOT_CONVERGED;
    nt_status forgotten = nt_static_carry(s, NULL);
    status = status == NT_OK ? forgotten : status;
    if (status == NT_OK)
        status = nt_path_find_tangent(a, false);
    if (status != NT_OK) {
        nt_path_set_load(s, load);
        nt_static_go_back(s, s->kept[1]);
    }
    return status;
}

/* Between two points the tangent may turn by 45 degrees, and dl change by this part of the largest
 * that it was: how far the load rises and falls shows in no other way where displacements are
 * large, as of a flat arch that snaps through under a small part of the load that is asked for. */
static const double TURNS = 0.7, BENDS = 0.5;

static bool bends(const nt_path *a, double ds)
{
    int n = a->s->problem->n;
    double first = a->before[n], last = a->rate[n];
    double most = fmax(a->steepest, fmax(fabs(first), fabs(last)));
    return ds > NT_PATH_SHORT && (fabs(last - first) > BENDS * most ||
                                  nt_path_product(a, a->before, a->rate) + first * last < TURNS);
}

/* ---- limits --------------------------------------------------------------------------------- */

/* Between the point in kept[1], whose tangent is `before`, and one that lies ds further: dl = 0. A
 * point that lies beside the limit by a part e of ds has its load to some e^2. */
static nt_status find_limit(nt_path *a, double load, double ds, double last, double *found)
{
    nt_static *s = a->s;
    int n = s->problem->n, iterations, side = 0;
    double low = 0, high = ds, at_low = a->before[n], at_high = last;
    for (int i = 0; i < 40 && fabs(high - low) > 1e-12; i++) {
        double at = low + (high - low) * at_low / (at_low - at_high);
        nt_status status = nt_path_try_arc(a, load, at, &iterations);
        for (double aside = 1e-8; status == NT_SINGULAR && aside < 1e-4; aside *= 10) {
            at = fmax(at - aside * ds, low); /* at the limit itself nothing is stiff: just before */
            status = nt_path_try_arc(a, load, at, &iterations);
        }
        if (status != NT_OK)
            return status;
        double dl = a->rate[n];
        *found = at;
        if (fabs(dl) < 1e-9)
            return NT_OK;
        if (dl * at_low > 0) {
            at_high = side < 0 ? at_high / 2 : at_high;
            low = at, at_low = dl, side = -1;
        } else {
            at_low = side > 0 ? at_low / 2 : at_low;
            high = at, at_high = dl, side = 1;
        }
    }
    return NT_OK;
}

/* ---- the path ------------------------------------------------------------------------------- */

/* What a step goes through: a limit of the load, or a branching point. */
typedef struct event {
    nt_static_event kind;
    double at, load; /* how far it is, and the load there */
} event;

typedef struct stride {
    double load, ds; /* where it begins; how long it is */
    int iterations;
    nt_path_side side; /* where it ends */
    event events[2];   /* in the order in which they come */
    int n_events;
} stride;

static void add_event(stride *t, event e)
{
    int at = t->n_events++;
    for (; at > 0 && t->events[at - 1].at > e.at; at--)
        t->events[at] = t->events[at - 1];
    t->events[at] = e;
}

/* A step of t->ds with all that it goes through; the present point is then its end.
 * NT_NOT_CONVERGED where it is too long for that. */
static nt_status take_stride(nt_path *a, nt_path_side before, stride *t)
{
    nt_static *s = a->s;
    int n = s->problem->n, unused;
    double first = a->before[n], last, at = 0, branch_load = 0;
    t->n_events = 0;
    memcpy(a->soft, a->soft_kept, (size_t)s->problem->nv * sizeof *a->soft);
    nt_status status = nt_path_try_arc(a, t->load, t->ds, &t->iterations);
    last = a->rate[n];
    if (status == NT_OK && bends(a, t->ds))
        status = NT_NOT_CONVERGED;
    if (status == NT_OK)
        status = nt_path_find_side(a, false, &t->side);
    if (status != NT_OK)
        return status;
    bool branches = nt_path_may_branch(&before, &t->side);
    if (branches) {
        status = nt_path_find_branch(a, t->load, t->ds, before, t->side, &at, &branch_load);
        if (status == NT_OK && at >= 0)
            add_event(t, (event){NT_STATIC_BRANCH, at, branch_load});
        else if (status == NT_OK && before.sense * t->side.sense < 0 && t->ds > NT_PATH_SHORT)
            status = NT_NOT_CONVERGED; /* another part of the path, the other way along it */
    }
    if (status == NT_OK && first * last < 0) {
        status = find_limit(a, t->load, t->ds, last, &at);
        if (status == NT_OK)
            add_event(t, (event){NT_STATIC_LIMIT, at, s->load});
    }
    if (status == NT_OK && (branches || t->n_events > 0))
        status = nt_path_try_arc(a, t->load, t->ds, &unused);
    return status;
}

/* To the end of the path, which lies within the step that begins in kept[1]; false where it is too
 * near to a limit. */
static bool end_within(nt_path *a, double load)
{
    nt_static *s = a->s;
    nt_static_go_back(s, s->kept[1]);
    memcpy(a->rate, a->before, ((size_t)s->problem->n + 1) * sizeof *a->rate);
    return nt_path_set_load(s, load) == NT_OK && nt_path_step_load(a, a->wanted->to) == NT_OK;
}

static bool is_past_end(const nt_path *a, double load)
{
    return (load - a->wanted->to) * (a->wanted->to - a->wanted->from) >= 0;
}

/* To an event of a step, which was found there; where rounding, as nothing is stiff, lets the
 * iteration settle at times only, to the nearest point beside it that is to be had. */
static nt_status try_event(nt_path *a, const stride *t, double at)
{
    int unused;
    nt_status status = nt_path_try_arc(a, t->load, at, &unused);
    for (double aside = 1e-9; status != NT_OK && !nt_is_final(status) && aside < 1e-3;
         aside *= 10) {
        status = nt_path_try_arc(a, t->load, fmin(at + aside * t->ds, t->ds), &unused);
        if (status != NT_OK && !nt_is_final(status))
            status = nt_path_try_arc(a, t->load, fmax(at - aside * t->ds, 0), &unused);
    }
    return status;
}

/* Shows the events of a step and its end, or the end of the path where that comes first. */
static nt_status show_stride(nt_path *a, const stride *t, bool *ends)
{
    nt_static *s = a->s;
    nt_status status = NT_OK;
    int unused;
    double reached = s->load;
    *ends = false;
    for (int i = 0; i <= t->n_events && status == NT_OK; i++) {
        bool last = i == t->n_events;
        if (is_past_end(a, last ? reached : t->events[i].load) && (*ends = end_within(a, t->load)))
            return nt_path_show(a, NT_STATIC_POINT);
        if (!last)
            status = try_event(a, t, t->events[i].at);
        else if (i > 0 || s->load != reached)
            status = nt_path_try_arc(a, t->load, t->ds, &unused);
        if (status == NT_OK)
            status = last ? nt_path_show(a, NT_STATIC_POINT)
                          : nt_path_show_at(a, t->events[i].kind, t->events[i].load);
    }
    return status;
}

static nt_status begin_arc(nt_path *a, nt_path_side *side)
{
    nt_status status = nt_path_find_tangent(a, true);
    if (status == NT_OK)
        status = nt_path_find_side(a, true, side);
    return status;
}

nt_status nt_path_follow_arc(nt_path *a)
{
    nt_static *s = a->s;
    size_t n = (size_t)s->problem->n, nv = (size_t)s->problem->nv;
    double ds = a->wanted->step > 0 ? a->wanted->step : 0.05, longest = 2 * ds;
    long most = a->wanted->most_points > 0 ? a->wanted->most_points : 2000;
    nt_path_side side = {0};
    bool ends = false;
    nt_status status = begin_arc(a, &side);
    while (status == NT_OK && a->points < most) {
        stride t = {.load = s->load, .ds = ds};
        memcpy(a->before, a->rate, (n + 1) * sizeof *a->before);
        memcpy(a->soft_kept, a->soft, nv * sizeof *a->soft);
        nt_static_keep(s, s->kept[1]);
        a->steepest = fmax(a->steepest, fabs(a->before[n]));
        while ((status = take_stride(a, side, &t)) != NT_OK && !nt_is_final(status) &&
               t.ds > NT_PATH_SHORTEST)
            t.ds /= 2;
        if (status != NT_OK) {
            nt_static_go_back(s, s->kept[1]);
            nt_path_set_load(s, t.load);
            return nt_is_final(status) ? status
                                       : nt_path_refuse_load(a, t.load + t.ds * a->before[n]);
        }
        char name[160];
        if (nt_static_names_overload(s, name, sizeof name))
            return nt_fail(a->error, NT_NOT_CONVERGED,
                           "at %.6g of the load %s slips, which the arc length does not follow: "
                           "expected a path of loads",
                           s->load, name);
        side = t.side;
        status = show_stride(a, &t, &ends);
        if (ends)
            return status;
        ds = t.iterations <= 4 ? fmin(1.3 * t.ds, longest) : t.ds;
    }
    return status != NT_OK ? status
                           : nt_fail(a->error, NT_NOT_CONVERGED,
                                     "the path has %ld points and stands at the load %g: its end, "
                                     "%g, was not reached",
                                     a->points, s->load, a->wanted->to);
}
