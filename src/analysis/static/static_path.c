/* Static states along a path of loads.
 *
 * By steps of the load: the tangent dq/dl predicts, Newton's iteration corrects. A step that turns
 * something by more than a radian and a half, or does not converge, is halved; a quick one makes
 * the next twice as long.
 *
 * By arc length, where the load may fall (Riks): the tangent t = (W dq, dl) has length 1, with W =
 * 1/length on translations and the mean over the bodies; a corrector stays in the plane across it,
 *
 *   d = dR + dl dF,   K dR = -R,   K dF = -R_l,   t . d = 0.
 *
 * Where dl changes its sign the load has a limit, which is then found by false position. */
#include "analysis/static/static.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

typedef struct path {
    nt_static *s;
    const nt_static_path *wanted;
    double scale;       /* of W, so that steps do not depend on the number of bodies */
    double *rate;       /* [n + 1] dq, dmultipliers, dl: the tangent, not scaled       */
    double *before;     /* [n + 1] that of the last point                             */
    double *force_rate; /* [n] dF */
    long points;
    nt_error *error;
} path;

static nt_status set_load(nt_static *s, double load)
{
    s->load = load;
    return s->set_load(s->context, load);
}

/* ---- the tangent ---------------------------------------------------------------------------- */

/* Loads are linear in it, motions nearly: a difference far above rounding. Where a line goes slack
 * or a gap closes within it, the difference is made smaller: there the second one, which is small
 * otherwise, is no smaller part of the first than this. */
static const double LOAD_STEP = 1e-4, LEAST_LOAD_STEP = 1e-8, BENT = 0.01;

/* out[n] = R_l of s->residual = R, by R(l + h) - R(l - h); false where it bends. */
static nt_status difference_of_load(nt_static *s, double load, double h, double *out, bool *bends)
{
    double first = 0, second = 0;
    nt_status status = set_load(s, load + h);
    if (status == NT_OK)
        status = nt_static_evaluate(s, out, false);
    if (status == NT_OK)
        status = set_load(s, load - h);
    if (status == NT_OK)
        status = nt_static_evaluate(s, s->other, false);
    for (int i = 0; i < s->problem->n && status == NT_OK; i++) {
        double bent = out[i] + s->other[i] - 2 * s->residual[i];
        out[i] -= s->other[i];
        first += out[i] * out[i], second += bent * bent;
        out[i] /= 2 * h;
    }
    *bends = second > BENT * BENT * first;
    return status;
}

/* out[n] = -K^-1 R_l, with the factors of the present point, whose residual is s->residual. */
static nt_status load_response(nt_static *s, double *out)
{
    double load = s->load, size = fmax(1, fabs(load));
    bool bends = true;
    nt_status status = NT_OK;
    for (double h = LOAD_STEP; bends && h >= LEAST_LOAD_STEP && status == NT_OK; h /= 10)
        status = difference_of_load(s, load, h * size, out, &bends);
    nt_status back = set_load(s, load);
    if (status != NT_OK || back != NT_OK)
        return status != NT_OK ? status : back;
    for (int i = 0; i < s->problem->n; i++)
        out[i] = -out[i];
    return nt_static_solve_linear(s, out);
}

/* Weighted product of two directions, loads apart. */
static double product(const path *a, const double *x, const double *y)
{
    const nt_problem *p = a->s->problem;
    double sum = 0;
    for (int i = 0; i < p->nv; i++) {
        double weight = p->quantity[i] == NT_LENGTH ? 1 / p->length : 1;
        sum += weight * weight * x[i] * y[i];
    }
    return a->scale * sum;
}

/* The tangent at the present point, forward: rate[n + 1] of length 1. */
static nt_status find_tangent(path *a, bool first)
{
    nt_static *s = a->s;
    int n = s->problem->n;
    nt_status status = nt_static_evaluate(s, s->residual, true);
    if (status == NT_OK)
        status = nt_static_factor(s, 0);
    if (status == NT_OK)
        status = load_response(s, a->rate);
    if (status != NT_OK)
        return status;
    double length = sqrt(product(a, a->rate, a->rate) + 1);
    double along =
        first ? a->wanted->to - a->wanted->from : product(a, a->rate, a->before) + a->before[n];
    a->rate[n] = 1;
    for (int i = 0; i <= n; i++)
        a->rate[i] *= copysign(1 / length, along);
    return NT_OK;
}

/* ---- one point after the other -------------------------------------------------------------- */

enum { FEW = 6, MANY = 12 };
static const double LARGEST_TURN = 1.5; /* rad, of one step */

/* Rotation and translation from a kept point to the present one. */
static void distance(nt_static *s, const double *from, double *angle, double *length)
{
    const nt_problem *p = s->problem;
    nt_space_difference(&p->space, p->frame, from, s->q, s->increment);
    nt_static_reach(s, s->increment, angle, length);
}

static nt_status show(path *a, nt_static_event event)
{
    nt_status status = a->s->settles ? NT_OK : nt_static_verify(a->s, a->error);
    if (status != NT_OK)
        return status;
    a->points++;
    if (a->wanted->observe && (status = nt_static_check_limits(a->s, a->error)) != NT_OK)
        return status;
    if (a->wanted->observe && a->wanted->observe(a->wanted->context, a->s, a->s->load, event))
        return nt_fail(a->error, NT_INTERRUPTED, "interrupted at the load %g", a->s->load);
    return NT_OK;
}

/* To a load from the present point: predict, correct. */
static nt_status step_load(path *a, double load)
{
    nt_static *s = a->s;
    const nt_static_bounds bounds = {
        .turn = LARGEST_TURN, .travel = 10 * s->problem->length, .iterations = MANY};
    double from = s->load, angle, length;
    s->failed[0] = '\0';
    nt_static_keep(s, s->kept[1]);
    nt_status status = set_load(s, load);
    if (status == NT_OK && a->rate[s->problem->n] != 0) {
        for (int i = 0; i < s->problem->n; i++)
            s->step[i] = a->rate[i] * (load - from) / a->rate[s->problem->n];
        status = nt_static_carry(s, s->step);
        nt_static_move(s, s->step, 1);
    }
    if (status == NT_OK)
        status = nt_static_newton(s, &bounds);
    distance(s, s->kept[1], &angle, &length);
    if (status == NT_OK && angle > LARGEST_TURN)
        status = NT_NOT_CONVERGED;
    if (status != NT_OK) {
        set_load(s, from);
        nt_static_go_back(s, s->kept[1]);
    }
    return status;
}

/* A step with friction, which sticks at the present point. */
static nt_status step_rough(path *a, double load)
{
    nt_static *s = a->s;
    double from = s->load;
    if (s->n_rough == 0 || s->settles)
        return step_load(a, load);
    nt_static_keep(s, s->reference);
    nt_status status = step_load(a, load);
    if (status == NT_OK)
        status = nt_static_follow_friction(s, NULL);
    if (status != NT_OK) {
        set_load(s, from);
        nt_static_return(s);
    }
    return status;
}

/* Where constraint rows follow from others they may contradict these under another load, as two
 * motions of one crank: names the row that is furthest from being met after a step to that load;
 * false where all are met. Its gap goes along. */
static bool find_contradiction(const path *a, double load, char *name, int room, double *gap)
{
    nt_static *s = a->s;
    const nt_problem *p = s->problem;
    double from = s->load;
    int worst = -1;
    *gap = 0;
    nt_static_keep(s, s->kept[1]);
    nt_status status = set_load(s, load);
    for (int i = 0; i < 2 && status == NT_OK;
         i++) { /* the second time: what Newton's step leaves */
        status = nt_static_evaluate(s, s->residual, i == 0);
        if (status == NT_OK && i == 0 && (status = nt_static_factor(s, 1e-15)) == NT_OK &&
            (status = nt_static_correct(s, s->residual, s->step)) == NT_OK)
            nt_static_move(s, s->step, 1);
    }
    for (int k = 0; k < s->factors->n_dropped && status == NT_OK; k++) {
        int row = s->factors->dropped[k];
        double off = fabs(s->residual[row]);
        if (row < p->nv + p->nh && off > 1e-9 * (p->quantity[row] == NT_LENGTH ? p->length : 1) &&
            off > fabs(*gap)) {
            worst = row;
            *gap = s->residual[row];
        }
    }
    if (worst >= 0)
        nt_problem_equation_name(p, worst, name, room);
    set_load(s, from);
    nt_static_go_back(s, s->kept[1]);
    return worst >= 0;
}

static nt_status refuse_load(const path *a, double load)
{
    char name[160] = "";
    double gap, from = a->s->load, ahead = from + (a->wanted->to - from) / 2;
    if (a->s->failed[0])
        return nt_fail(a->error, NT_NOT_CONVERGED,
                       "the state under %.6g of the load is the last one that was found: %s",
                       a->s->load, a->s->failed);
    if (a->s->factors->n_dropped > 0 && find_contradiction(a, ahead, name, sizeof name, &gap))
        return nt_fail(a->error, NT_NOT_CONVERGED,
                       "no static state carries more than %.6g of the load: beyond it the joints "
                       "contradict each other, at %.6g %s is off by %.3g",
                       from, ahead, name, gap);
    return nt_fail(a->error, NT_NOT_CONVERGED,
                   "no static state carries more than %.6g of the load: the last one was found "
                   "there, none at %.6g (arc length leads past a limit of the load)",
                   from, load);
}

/* Steps below these parts of the way end it: the second while nothing is stiff, when each step is a
 * search far and wide. */
static const double SHORTEST = 1e-6, LEAST_FREE = 0.1;

/* A tangent may be missing, where the first point is not stiff: then nothing is predicted. */
static nt_status tangent_if_any(path *a, bool first)
{
    nt_status status = find_tangent(a, first);
    if (status == NT_SINGULAR || status == NT_NOT_CONVERGED) {
        a->rate[a->s->problem->n] = 0;
        return NT_OK;
    }
    return status;
}

static nt_status follow_load(path *a)
{
    nt_static *s = a->s;
    double whole = a->wanted->to - a->wanted->from;
    double step = a->wanted->step > 0 ? fmin(a->wanted->step, 1) : 1, longest = step;
    double done = 0, least = SHORTEST;
    nt_status status = NT_OK;
    while (status == NT_OK && done < 1) {
        double next = done + step > 1 - 1e-9 ? 1 : done + step;
        double load = next == 1 ? a->wanted->to : a->wanted->from + next * whole;
        long before = s->iterations;
        if ((status = tangent_if_any(a, done == 0)) != NT_OK)
            break;
        status = step_rough(a, load);
        if (status != NT_OK && !nt_is_final(status) && a->rate[s->problem->n] == 0) {
            /* nothing was stiff where the path begins: where the loads take it */
            double from = s->load;
            if ((status = set_load(s, load)) == NT_OK)
                status = nt_static_solve(s, a->error);
            if (status == NT_SINGULAR) /* what moves freely was named */
                break;
            if (status != NT_OK) {
                set_load(s, from);
                nt_static_go_back(s, s->placed);
            }
            least = LEAST_FREE;
        }
        if (status == NT_NOT_CONVERGED || status == NT_SINGULAR || status == NT_NOT_FINITE) {
            step /= 2;
            if (step < least)
                return refuse_load(a, load);
            status = NT_OK;
            continue;
        }
        if (status != NT_OK)
            break;
        done = next;
        least = SHORTEST;
        if (s->iterations - before <= FEW)
            step = fmin(2 * step, a->wanted->observe ? longest : 1);
        status = show(a, NT_STATIC_POINT);
    }
    return status;
}

/* ---- arc length ----------------------------------------------------------------------------- */

/* A corrector may lead to another branch of the path, which the plane across the tangent meets too:
 * the way to the new point is then much longer than ds, its part along the tangent. At a kink, as
 * where a gap closes, it turns by any angle, and steps become short. */
static const double LONGER = 1.5, SHORT_ARC = 1e-3;

static bool leaves_path(const path *a, double load, double ds)
{
    nt_static *s = a->s;
    const nt_problem *p = s->problem;
    double dl = s->load - load;
    nt_space_difference(&p->space, p->frame, s->kept[1], s->q, s->increment);
    double square = product(a, s->increment, s->increment) + dl * dl;
    return ds > SHORT_ARC && !(square <= LONGER * LONGER * ds * ds);
}

/* One step of length ds along the tangent, which is a->before. */
static nt_status step_arc(path *a, double ds, int *iterations)
{
    nt_static *s = a->s;
    int n = s->problem->n;
    double *x = s->step, *dF = a->force_rate;
    for (int i = 0; i < n; i++)
        x[i] = ds * a->before[i];
    nt_status status = nt_static_carry(s, x);
    nt_static_move(s, x, 1);
    if (status == NT_OK)
        status = set_load(s, s->load + ds * a->before[n]);
    for (*iterations = 0; status == NT_OK && *iterations < MANY; ++*iterations) {
        double angle, length;
        status = nt_static_evaluate(s, s->residual, true);
        if (status == NT_OK)
            status = nt_static_factor(s, 0);
        if (status == NT_OK)
            status = nt_static_correct(s, s->residual, x);
        if (status == NT_OK)
            status = load_response(s, dF);
        if (status != NT_OK)
            return status;
        s->iterations++;
        double dl = -product(a, a->before, x) / (product(a, a->before, dF) + a->before[n]);
        for (int i = 0; i < n; i++)
            x[i] += dl * dF[i];
        nt_static_reach(s, x, &angle, &length);
        if (!(angle <= LARGEST_TURN) || !(length <= s->problem->length) || !isfinite(dl))
            return NT_NOT_CONVERGED;
        status = nt_static_carry(s, x);
        nt_static_move(s, x, 1);
        if (status == NT_OK)
            status = set_load(s, s->load + dl);
        if (status == NT_OK && fmax(angle, length / s->problem->length) + fabs(dl) < 1e-9) {
            nt_static_accept(s);
            status = nt_static_evaluate(s, s->residual, false);
            return status == NT_OK && !nt_static_meets_all_rows(s) ? NT_NOT_CONVERGED : status;
        }
    }
    return status == NT_OK ? NT_NOT_CONVERGED : status;
}

/* From the point in kept[1] with its load and tangent, a step of ds; where it fails it is taken
 * back. */
static nt_status try_arc(path *a, double load, double ds, int *iterations)
{
    nt_static *s = a->s;
    nt_static_go_back(s, s->kept[1]);
    nt_status status = set_load(s, load);
    if (status == NT_OK)
        status = step_arc(a, ds, iterations);
    if (status == NT_OK && leaves_path(a, load, ds))
        status = NT_NOT_CONVERGED;
    nt_status forgotten = nt_static_carry(s, NULL);
    status = status == NT_OK ? forgotten : status;
    if (status == NT_OK)
        status = find_tangent(a, false);
    if (status != NT_OK) {
        set_load(s, load);
        nt_static_go_back(s, s->kept[1]);
    }
    return status;
}

/* Between the point in kept[1], whose tangent is `before`, and one that lies ds further: dl = 0. A
 * point that lies beside the limit by a part e of ds has its load to some e^2. */
static nt_status find_limit(path *a, double load, double ds, double first, double last)
{
    nt_static *s = a->s;
    int n = s->problem->n, iterations, side = 0;
    double low = 0, high = ds, at_low = first, at_high = last;
    for (int i = 0; i < 40 && fabs(high - low) > 1e-12; i++) {
        double at = low + (high - low) * at_low / (at_low - at_high);
        nt_status status = try_arc(a, load, at, &iterations);
        for (double aside = 1e-8; status == NT_SINGULAR && aside < 1e-4; aside *= 10) {
            at = fmax(at - aside * ds, low); /* at the limit itself nothing is stiff: just before */
            status = try_arc(a, load, at, &iterations);
        }
        if (status != NT_OK)
            return status;
        double dl = a->rate[n];
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

/* To the end of the path, which a limit of the load lies beyond, from the point in kept[1]; false,
 * and back at that point, where it is too near to the limit. */
static bool end_before(path *a, double load, double to)
{
    nt_static *s = a->s;
    nt_static_go_back(s, s->kept[1]);
    memcpy(a->rate, a->before, ((size_t)s->problem->n + 1) * sizeof *a->rate);
    return set_load(s, load) == NT_OK && step_load(a, to) == NT_OK;
}

static nt_status follow_arc(path *a)
{
    nt_static *s = a->s;
    int n = s->problem->n, iterations;
    double ds = a->wanted->step > 0 ? a->wanted->step : 0.05, longest = 2 * ds;
    double to = a->wanted->to, from = a->wanted->from;
    long most = a->wanted->most_points > 0 ? a->wanted->most_points : 2000;
    nt_status status = find_tangent(a, true);
    while (status == NT_OK && a->points < most) {
        double load = s->load, first = a->rate[n], last;
        memcpy(a->before, a->rate, ((size_t)n + 1) * sizeof *a->before);
        nt_static_keep(s, s->kept[1]);
        while ((status = try_arc(a, load, ds, &iterations)) != NT_OK && !nt_is_final(status) &&
               ds > SHORTEST)
            ds /= 2;
        if (status != NT_OK)
            return nt_is_final(status) ? status : refuse_load(a, load + ds * first);
        char name[160];
        if (nt_static_names_overload(s, name, sizeof name))
            return nt_fail(a->error, NT_NOT_CONVERGED,
                           "at %.6g of the load %s slips, which the arc length does not follow: "
                           "expected a path of loads",
                           s->load, name);
        last = a->rate[n];
        double reached = s->load, taken = ds;
        if (first * last < 0) { /* the limit, then the point behind it once more */
            status = find_limit(a, load, ds, first, last);
            if (status == NT_OK && (s->load - to) * (to - from) >= 0) {
                if (end_before(a, load, to))
                    return show(a, NT_STATIC_POINT);
                status = find_limit(a, load, ds, first, last);
            }
            if (status == NT_OK)
                status = show(a, NT_STATIC_LIMIT);
            if (status == NT_OK)
                status = try_arc(a, load, taken, &iterations);
        }
        if (status != NT_OK)
            return status;
        if ((reached - to) * (to - from) >= 0) { /* past the end: to the end itself */
            nt_static_go_back(s, s->kept[1]);
            memcpy(a->rate, a->before, ((size_t)n + 1) * sizeof *a->rate);
            if ((status = set_load(s, load)) == NT_OK && (status = step_load(a, to)) == NT_OK)
                return show(a, NT_STATIC_POINT);
            if ((status = try_arc(a, load, ds, &iterations)) != NT_OK)
                return status;
        }
        status = show(a, NT_STATIC_POINT);
        ds = iterations <= 4 ? fmin(1.3 * ds, longest) : ds;
    }
    return status != NT_OK ? status
                           : nt_fail(a->error, NT_NOT_CONVERGED,
                                     "the path has %ld points and stands at the load %g: its end, "
                                     "%g, was not reached",
                                     a->points, s->load, to);
}

/* ---- the whole ------------------------------------------------------------------------------ */

static nt_status check_path(const nt_static *s, const nt_static_path *wanted, nt_error *error)
{
    if (!s->set_load)
        return nt_fail(error, NT_INVALID, "a path needs loads to go along (setup.set_load)");
    if (!s->started)
        return nt_fail(error, NT_INVALID, "nt_static_start was not called");
    if (!isfinite(wanted->from) || !isfinite(wanted->to) || wanted->from == wanted->to)
        return nt_fail(error, NT_INVALID, "a path from load %g to %g, expected two numbers",
                       wanted->from, wanted->to);
    return NT_OK;
}

nt_status nt_static_follow(nt_static *s, const nt_static_path *wanted, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "state path", s, wanted);
    NT_NEED_VERSION(error, "path", wanted->version);
    NT_NEED_NOT_NEGATIVE(error, "path.step", wanted->step);
    NT_NEED_COUNT(error, "path.most_points", wanted->most_points);
    nt_status status = check_path(s, wanted, error);
    if (status != NT_OK)
        return nt_said(error, status);
    int bodies = s->problem->space.n_blocks;
    path a = {.s = s,
              .wanted = wanted,
              .scale = 1.0 / (bodies > 0 ? bodies : 1),
              .rate = s->tangent,
              .before = s->before,
              .force_rate = s->shown,
              .error = error};
    s->follows = true;
    status = set_load(s, wanted->from);
    if (status == NT_OK)
        status = nt_static_solve(s, error);
    if (status == NT_SINGULAR && s->n_free > 0 && !wanted->arc_length)
        status = NT_OK; /* where it stands nothing moves it: loads will say where it goes */
    if (status == NT_OK)
        status = nt_static_let_go(s, error);
    if (status == NT_OK) {
        nt_error_clear(error);
        status = show(&a, NT_STATIC_POINT);
    }
    if (status == NT_OK)
        status = wanted->arc_length ? follow_arc(&a) : follow_load(&a);
    if (status == NT_OK && s->problem->system->rests && s->n_free == 0)
        status = nt_static_hold_resting(s, error);
    status = nt_problem_ends(s->problem, status, error);
    s->solved = status == NT_OK;
    s->follows = false;
    return nt_said(error, status);
}

nt_status nt_static_put_on_loads(nt_static *s, nt_error *error)
{
    const nt_static_path whole = {.from = 0, .to = s->load};
    if (whole.to == 0)
        return nt_fail(error, NT_NOT_CONVERGED, "no static state found without loads");
    nt_static_go_back(s, s->placed);
    return nt_static_follow(s, &whole, error);
}

double nt_static_load(const nt_static *s) { return s ? s->load : (double)NAN; }
