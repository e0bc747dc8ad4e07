/* Static states along a path of loads.
 *
 * By steps of the load: the tangent dq/dl predicts, Newton's iteration corrects. A step that turns
 * something by more than a radian and a half, or does not converge, is halved; a quick one makes
 * the next twice as long. Steps that have jumped to another path:
 * static_jump.c. By arc length, where the load may fall: static_arc.c. */
#include "analysis/static/static_path.h"

#include "base/error.h"
#include "linalg/solver.h"

#include <math.h>
#include <string.h>

nt_status nt_path_set_load(nt_static *s, double load)
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
    nt_status status = nt_path_set_load(s, load + h);
    if (status == NT_OK)
        status = nt_static_evaluate(s, out, false);
    if (status == NT_OK)
        status = nt_path_set_load(s, load - h);
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

nt_status nt_path_load_response(nt_static *s, double *out)
{
    double load = s->load, size = fmax(1, fabs(load));
    bool bends = true;
    nt_status status = NT_OK;
    for (double h = LOAD_STEP; bends && h >= LEAST_LOAD_STEP && status == NT_OK; h /= 10)
        status = difference_of_load(s, load, h * size, out, &bends);
    nt_status back = nt_path_set_load(s, load);
    if (status != NT_OK || back != NT_OK)
        return status != NT_OK ? status : back;
    for (int i = 0; i < s->problem->n; i++)
        out[i] = -out[i];
    return nt_static_solve_linear(s, out);
}

double nt_path_product(const nt_path *a, const double *x, const double *y)
{
    const nt_problem *p = a->s->problem;
    double sum = 0;
    for (int i = 0; i < p->nv; i++) {
        double weight = p->quantity[i] == NT_LENGTH ? 1 / p->length : 1;
        sum += weight * weight * x[i] * y[i];
    }
    return a->scale * sum;
}

nt_status nt_path_find_tangent(nt_path *a, bool first)
{
    nt_static *s = a->s;
    int n = s->problem->n;
    nt_status status = nt_static_evaluate(s, s->residual, true);
    if (status == NT_OK)
        status = nt_static_factor(s, 0);
    if (status == NT_OK)
        status = nt_path_load_response(s, a->rate);
    if (status != NT_OK)
        return status;
    a->sign = nt_solver_determinant_sign(s->solver);
    double length = sqrt(nt_path_product(a, a->rate, a->rate) + 1);
    double along = first ? a->wanted->to - a->wanted->from
                         : nt_path_product(a, a->rate, a->before) + a->before[n];
    a->rate[n] = 1;
    for (int i = 0; i <= n; i++)
        a->rate[i] *= copysign(1 / length, along);
    return NT_OK;
}

/* ---- one point after the other -------------------------------------------------------------- */

enum { FEW = 6 };

/* Rotation and translation from a kept point to the present one. */
static void distance(nt_static *s, const double *from, double *angle, double *length)
{
    const nt_problem *p = s->problem;
    nt_space_difference(&p->space, p->frame, from, s->q, s->increment);
    nt_static_reach(s, s->increment, angle, length);
}

nt_status nt_path_show_at(nt_path *a, nt_static_event event, double load)
{
    nt_status status = a->s->settles ? NT_OK : nt_static_verify(a->s, a->error);
    if (status != NT_OK)
        return status;
    a->points++;
    if (a->wanted->observe && (status = nt_static_find_lost_rows(a->s, false, a->error)) != NT_OK)
        return status;
    if (a->wanted->observe && (status = nt_static_check_limits(a->s, a->error)) != NT_OK)
        return status;
    if (a->wanted->observe && a->wanted->observe(a->wanted->context, a->s, load, event))
        return nt_fail(a->error, NT_INTERRUPTED, "interrupted at the load %g", a->s->load);
    return NT_OK;
}

nt_status nt_path_show(nt_path *a, nt_static_event event)
{
    return nt_path_show_at(a, event, a->s->load);
}

nt_status nt_path_step_load(nt_path *a, double load)
{
    nt_static *s = a->s;
    const nt_static_bounds bounds = {
        .turn = NT_PATH_TURN, .travel = 10 * s->problem->length, .iterations = NT_PATH_ITERATIONS};
    double from = s->load, angle, length;
    s->failed[0] = '\0';
    nt_static_keep(s, s->kept[1]);
    nt_status status = nt_path_set_load(s, load);
    if (status == NT_OK && a->rate[s->problem->n] != 0) {
        for (int i = 0; i < s->problem->n; i++)
            s->step[i] = a->rate[i] * (load - from) / a->rate[s->problem->n];
        status = nt_static_carry(s, s->step);
        nt_static_move(s, s->step, 1);
    }
    if (status == NT_OK)
        status = nt_static_newton(s, &bounds);
    distance(s, s->kept[1], &angle, &length);
    if (status == NT_OK && angle > NT_PATH_TURN)
        status = NT_NOT_CONVERGED;
    if (status != NT_OK) {
        nt_path_set_load(s, from);
        nt_static_go_back(s, s->kept[1]);
    }
    return status;
}

/* A step with friction, which sticks at the present point. */
nt_status nt_path_step_rough(nt_path *a, double load)
{
    nt_static *s = a->s;
    double from = s->load;
    if (s->n_rough == 0 || s->settles)
        return nt_path_step_load(a, load);
    nt_static_keep(s, s->reference);
    nt_status status = nt_path_step_load(a, load);
    if (status == NT_OK)
        status = nt_static_follow_friction(s, NULL);
    if (status != NT_OK) {
        nt_path_set_load(s, from);
        nt_static_return(s);
    }
    return status;
}

/* Where constraint rows follow from others they may contradict these under another load, as two
 * motions of one crank: names the row that is furthest from being met after a step to that load;
 * false where all are met. Its gap goes along. */
static bool find_contradiction(const nt_path *a, double load, char *name, int room, double *gap)
{
    nt_static *s = a->s;
    const nt_problem *p = s->problem;
    double from = s->load;
    int worst = -1;
    *gap = 0;
    nt_static_keep(s, s->kept[1]);
    nt_status status = nt_path_set_load(s, load);
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
    nt_path_set_load(s, from);
    nt_static_go_back(s, s->kept[1]);
    return worst >= 0;
}

nt_status nt_path_refuse_load(const nt_path *a, double load)
{
    char name[160] = "";
    double gap, from = a->s->load, ahead = from + (a->wanted->to - from) / 2;
    if (a->s->failed[0])
        return nt_fail(a->error, NT_NOT_CONVERGED,
                       "the state under %.6g of the load is the last one that was found: %s",
                       a->s->load, a->s->failed);
    if (a->is_left)
        return nt_fail(a->error, NT_NOT_CONVERGED,
                       "no stable static state was found beyond %.6g of the load: the path goes on "
                       "with unstable ones, and a stable one is asked for (static.stable)",
                       from);
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

/* Steps below NT_PATH_SHORTEST of the way end it; below this one while nothing is stiff, when each
 * step is a search far and wide. */
static const double LEAST_FREE = 0.1;

/* A tangent may be missing, where the first point is not stiff, as of a body on lines that hang
 * slack, or would with the least load: then nothing is predicted. */
static nt_status tangent_if_any(nt_path *a, bool first)
{
    bool is_free = false;
    nt_status status = nt_path_find_tangent(a, first);
    if (status == NT_OK && first)
        status = nt_static_find_free(a->s, &is_free);
    if (is_free || status == NT_SINGULAR || status == NT_NOT_CONVERGED) {
        a->rate[a->s->problem->n] = 0;
        return nt_is_final(status) ? status : NT_OK;
    }
    return status;
}

static nt_status follow_load(nt_path *a)
{
    nt_static *s = a->s;
    double whole = a->wanted->to - a->wanted->from;
    double step = a->wanted->step > 0 ? fmin(a->wanted->step, 1) : 1, longest = step;
    double done = 0, least = NT_PATH_SHORTEST;
    nt_status status = NT_OK;
    nt_static_keep(s, s->last);
    while (status == NT_OK && done < 1) {
        double next = done + step > 1 - 1e-9 ? 1 : done + step;
        double load = next == 1 ? a->wanted->to : a->wanted->from + next * whole;
        long before = s->iterations;
        if ((status = tangent_if_any(a, done == 0)) != NT_OK)
            break;
        double start = s->load;
        bool met = false;
        a->is_left = false;
        nt_static_keep(s, s->stage);
        status = nt_path_step_rough(a, load);
        if (status == NT_OK)
            status = nt_path_look_for_jump(a, start);
        if (status == NT_OK && (status = nt_path_meet_limits(a, start, &met)) != NT_OK && met)
            break;
        if (status == NT_OK)
            status = nt_path_look_for_stability(a, start);
        if (status != NT_OK && !nt_is_final(status) && a->rate[s->problem->n] == 0) {
            /* nothing was stiff where the path begins: where the loads take it */
            double from = s->load;
            if ((status = nt_path_set_load(s, load)) == NT_OK)
                status = nt_static_solve(s, a->error);
            bool named =
                status == NT_SINGULAR || (status == NT_NOT_CONVERGED && nt_static_wanders(s));
            if (status != NT_OK) {
                nt_path_set_load(s, from);
                nt_static_go_back(s, named ? s->last : s->placed);
            }
            if (named) /* what moves freely */
                break;
            least = LEAST_FREE;
        }
        if (status == NT_NOT_CONVERGED || status == NT_SINGULAR || status == NT_NOT_FINITE) {
            step /= 2;
            if (step < least) {
                nt_static_go_back(s, s->last); /* not where searches began */
                return nt_path_refuse_load(a, load);
            }
            status = NT_OK;
            continue;
        }
        if (status != NT_OK)
            break;
        done = met ? (s->load - a->wanted->from) / whole : next;
        least = NT_PATH_SHORTEST;
        if (s->iterations - before <= FEW)
            step = fmin(2 * step, a->wanted->observe ? longest : 1);
        status = nt_path_show(a, NT_STATIC_POINT);
        nt_static_keep(s, s->last);
    }
    return status;
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

/* What moves freely where the path begins may get stiff from loads, and is let go. Where all that
 * is free is to be held, what bears a load there stays held, as nothing else carries it; so does
 * all of it along an arc, which needs its tangent at the very start. */
static nt_status let_go_at_start(nt_path *a)
{
    if (!a->s->holds_free)
        return nt_static_let_go(a->s, a->error);
    return a->wanted->arc_length ? NT_OK : nt_static_let_unloaded_go(a->s, a->error);
}

/* What was held along an arc as free where it begins may have got stiff, and was then held against
 * a load that something else carries: looked for again where the arc ends, and refused. */
static nt_status find_free_at_end(nt_path *a)
{
    nt_static *s = a->s;
    char names[300] = "";
    int n = s->n_free;
    if (n == s->n_resting || !a->wanted->arc_length)
        return NT_OK;
    nt_static_name_free(s, names, sizeof names);
    nt_static_keep(s, s->kept[1]);
    nt_status status = nt_static_let_go(s, a->error);
    if (status == NT_OK)
        status = nt_static_hold_free(s, a->error);
    nt_static_go_back(s, s->kept[1]);
    if (status == NT_OK && s->n_free < n)
        return nt_fail(a->error, NT_NOT_CONVERGED,
                       "the path was followed with held what moves freely where it begins: %s; "
                       "under %.6g of the load some of it does not: expected a path of loads, or "
                       "directions to hold by name",
                       names, s->load);
    return status;
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
    nt_path a = {.s = s,
                 .wanted = wanted,
                 .scale = 1.0 / (bodies > 0 ? bodies : 1),
                 .rate = s->tangent,
                 .before = s->before,
                 .force_rate = s->shown,
                 .soft = s->soft[0],
                 .soft_kept = s->soft[1],
                 .error = error};
    s->follows = true;
    status = nt_path_set_load(s, wanted->from);
    if (status == NT_OK)
        status = nt_static_solve(s, error);
    if (status == NT_SINGULAR && s->n_free > 0 && !wanted->arc_length)
        status = NT_OK; /* where it stands nothing moves it: loads will say where it goes */
    if (status == NT_OK)
        status = let_go_at_start(&a);
    if (status == NT_OK) {
        nt_error_clear(error);
        status = nt_path_show(&a, NT_STATIC_POINT);
    }
    if (status == NT_OK)
        status = wanted->arc_length ? nt_path_follow_arc(&a) : follow_load(&a);
    if (status == NT_OK)
        status = find_free_at_end(&a);
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
