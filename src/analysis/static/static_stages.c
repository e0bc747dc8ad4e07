/* Rigid limits along a path of static states. Between two limits that change the same ones bear,
 * and the path is one of equations. A step at whose end a free limit is passed, or one that bears
 * pulls, is cut where the first of them does so: there its gap or reaction g is zero,
 *
 *   gap >= 0,  reaction >= 0,  gap reaction = 0,
 *
 * so that the state belongs to both choices, and the path goes on with the other one. Along loads
 * their sense is given; along an arc the next stage leaves in the sense in which g grows, which may
 * be towards less load: the load then has a limit there. */
#include "analysis/static/static_path.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A step along loads or along the arc, by how far of it. */
typedef struct step {
    nt_path *a;
    double from, length; /* load where it begins; way in the load, or of the arc */
    bool is_arc;
} step;

static nt_status go(const step *s, double share)
{
    nt_static *state = s->a->s;
    int unused;
    if (s->is_arc)
        return nt_path_try_arc(s->a, s->from, share * s->length, &unused);
    nt_static_go_back(state, state->stage);
    nt_status status = nt_path_set_load(state, s->from);
    return status == NT_OK && share > 0 ? nt_path_step_rough(s->a, s->from + share * s->length)
                                        : status;
}

/* Between `low`, where limit i stands right, and `high`, where it does not: its zero. The present
 * point is then that of *at. */
static nt_status find_zero(const step *s, int i, double low, double at_low, double *at)
{
    nt_static *state = s->a->s;
    double high = *at, at_high, g, zero;
    int side = 0;
    nt_status status = nt_static_look_at_limit(state, i, &at_high, &zero);
    if (status == NT_OK && at_low <= zero) {
        *at = low;
        return go(s, low);
    }
    for (int k = 0; k < 100 && status == NT_OK; k++) {
        *at = low + (high - low) * at_low / (at_low - at_high);
        if (!(*at > low && *at < high))
            *at = low + (high - low) / 2;
        status = go(s, *at);
        if (status == NT_OK)
            status = nt_static_look_at_limit(state, i, &g, &zero);
        if (status != NT_OK || fabs(g) <= zero || high - low < 1e-14)
            return status;
        if (g < 0) {
            at_low = side < 0 ? at_low / 2 : at_low;
            high = *at, at_high = g, side = -1;
        } else {
            at_high = side > 0 ? at_high / 2 : at_high;
            low = *at, at_low = g, side = 1;
        }
    }
    return status;
}

/* The first limit that goes wrong within the step, at whose end the present point is; -1: none. */
static nt_status find_first(const step *s, int *first, double *at)
{
    nt_static *state = s->a->s;
    int wrong, rounds = 0;
    *first = -1;
    *at = 1;
    nt_status status = nt_static_find_wrong_limit(state, &wrong);
    while (status == NT_OK && wrong >= 0 && wrong != *first && rounds++ < 100) {
        double end = *at, g = 0, zero;
        *first = wrong;
        status = go(s, 0);
        if (status == NT_OK)
            status = nt_static_look_at_limit(state, wrong, &g, &zero);
        if (status == NT_OK)
            status = go(s, end);
        if (status == NT_OK)
            status = find_zero(s, wrong, 0, g, at);
        if (status == NT_OK)
            status = nt_static_find_wrong_limit(state, &wrong);
    }
    return status;
}

/* The present point with the other choice of limit i. */
static nt_status change(nt_path *a, int i)
{
    nt_static *s = a->s;
    nt_static_turn_limit(s, i);
    nt_status status = nt_static_choose_rows(s);
    return status == NT_OK ? nt_static_newton_near_by(s) : status;
}

static nt_status refuse(nt_path *a, int i, const char *why)
{
    char words[160];
    nt_static_limit_words(a->s, i, words, sizeof words);
    return nt_fail(a->error, NT_NOT_CONVERGED,
                   "no static state carries more than %.6g of the load: %s %s there, and %s",
                   a->s->load, words, nt_static_limit_bears(a->s, i) ? "is met" : "lets go", why);
}

/* Changes that do not get on end a path. */
static bool stands_still(nt_path *a, double way)
{
    a->changes = way > 1e-12 ? 0 : a->changes + 1;
    return a->changes > 4 * a->s->problem->system->events->n_limits;
}

nt_status nt_path_meet_limits(nt_path *a, double from, bool *met)
{
    nt_static *s = a->s;
    const step t = {.a = a, .from = from, .length = s->load - from};
    int first;
    double at;
    *met = false;
    if (!nt_path_has_limits(a))
        return NT_OK;
    nt_status status = find_first(&t, &first, &at);
    if (status != NT_OK || first < 0) {
        if (status != NT_OK) {
            nt_path_set_load(s, from);
            nt_static_go_back(s, s->stage);
        }
        return status;
    }
    *met = true;
    status = change(a, first);
    if (nt_is_final(status))
        return status;
    if (status != NT_OK)
        return refuse(a, first, "nothing holds it then (arc length may lead on)");
    if (stands_still(a, fabs(at * t.length)))
        return refuse(a, first, "the state goes back and forth (arc length may lead on)");
    return NT_OK;
}

nt_status nt_path_limit_within(nt_path *a, double load, double ds, int *first, double *at)
{
    const step t = {.a = a, .from = load, .length = ds, .is_arc = true};
    *first = -1;
    *at = ds;
    if (!nt_path_has_limits(a))
        return NT_OK;
    nt_status status = find_first(&t, first, at);
    *at *= ds;
    return status;
}

/* How the limit that has changed stands a little further along `before`. */
static nt_status look_ahead(nt_path *a, int i, bool *right)
{
    nt_static *s = a->s;
    double g = 0, zero = 0, load = s->load;
    int unused;
    nt_status status = NT_NOT_CONVERGED;
    nt_static_keep(s, s->kept[1]);
    for (double ds = NT_PATH_SHORT; ds > 10 * NT_PATH_SHORTEST && status == NT_NOT_CONVERGED;
         ds /= 4)
        status = nt_path_try_arc(a, load, ds, &unused);
    if (status == NT_OK)
        status = nt_static_look_at_limit(s, i, &g, &zero);
    *right = g > 0;
    nt_static_go_back(s, s->kept[1]);
    nt_status back = nt_path_set_load(s, load);
    return status == NT_OK ? back : status;
}

nt_status nt_path_change_limit(nt_path *a, int i, double way, bool *turns)
{
    nt_static *s = a->s;
    int n = s->problem->n;
    double slope = a->rate[n];
    bool right = false;
    nt_status status = change(a, i);
    if (status == NT_OK)
        status = nt_path_find_tangent(a, false);
    for (int k = 0; k < 2 && status == NT_OK && !right; k++) {
        for (int j = 0; k > 0 && j <= n; j++)
            a->rate[j] = -a->rate[j];
        memcpy(a->before, a->rate, ((size_t)n + 1) * sizeof *a->before);
        status = look_ahead(a, i, &right);
        memcpy(a->rate, a->before, ((size_t)n + 1) * sizeof *a->before);
    }
    if (nt_is_final(status))
        return status;
    if (status != NT_OK || !right || stands_still(a, way))
        return refuse(a, i, "the path goes on in no sense");
    *turns = slope * a->rate[n] < 0;
    status = nt_static_evaluate(s, s->residual, true);
    return status == NT_OK ? nt_static_factor(s, 0) : status;
}
