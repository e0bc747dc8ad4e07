/* Whether a static state is stable, and how it is left or shakes, in words. */
#include "analysis/static/static.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* x^T M x by its diagonal parts would miss what couples; M itself. */
static double inertia_along(nt_static *s, const double *x)
{
    const nt_problem *p = s->problem;
    nt_point at = nt_static_point(s);
    at.vdot = x;
    const nt_terms terms = {.parts = NT_MASS, .level = NT_POSITION, .residual = s->other};
    memset(s->other, 0, (size_t)p->n * sizeof *s->other);
    double sum = 0;
    if (nt_problem_evaluate(p, &at, &terms) != NT_OK)
        return (double)NAN;
    for (int i = 0; i < p->nv; i++)
        sum += x[i] * s->other[i];
    return sum;
}

/* "rotation of body b1 about z (1), ..." of the three entries that move most */
static void name_direction(const nt_static *s, const double *x, char *text, int size)
{
    const nt_problem *p = s->problem;
    int shown[3] = {-1, -1, -1}, used = 0;
    double largest = 0;
    if (size > 0)
        text[0] = '\0';
    for (int k = 0; k < 3 && used < size; k++) {
        double most = 0;
        for (int i = 0; i < p->nv; i++) {
            double part = fabs(x[i]) / (p->quantity[i] == NT_LENGTH ? p->length : 1);
            if (i != shown[0] && i != shown[1] && part > most * (1 + 1e-6)) {
                most = part;
                shown[k] = i;
            }
        }
        largest = k == 0 ? most : largest;
        if (shown[k] < 0 || most < 0.2 * largest)
            return;
        char name[100];
        nt_problem_coordinate_name(p, shown[k], name, sizeof name);
        used += snprintf(text + used, (size_t)(size - used), "%s%s", k > 0 ? ", " : "", name);
    }
}

/* Growth of what swings is more than rounding from this part of |s| on. */
static const double GROWS = 1e-7;

/* Where forces have no potential, as under moments about fixed axes and loads that follow what they
 * act on: what small motions do. Without memory, or masses, it stays at the curvature. */
static nt_status judge_by_modes(nt_static *s, nt_stability *out)
{
    int nv = s->problem->nv, chosen = -1;
    nt_state state = nt_static_state(s);
    nt_modes *modes = NULL;
    nt_modes_setup setup = {.system = s->problem->system, .state = &state};
    nt_status status = nt_modes_create(&modes, &setup, NULL);
    if (status != NT_OK)
        return nt_is_final(status) ? status : NT_OK;
    out->stable = 1;
    for (int i = 0; i < nt_modes_count(modes); i++) {
        nt_mode mode = nt_modes_at(modes, i);
        double size = hypot(mode.eigenvalue[0], mode.eigenvalue[1]), growth = mode.eigenvalue[0];
        if (mode.moves_freely)
            continue;
        if (chosen < 0)
            chosen = i;
        if (growth > GROWS * size && growth > mode.doubt &&
            (out->stable || growth > nt_modes_at(modes, chosen).eigenvalue[0])) {
            chosen = i;
            out->stable = 0;
        }
    }
    if (chosen >= 0) {
        nt_mode mode = nt_modes_at(modes, chosen);
        double size = hypot(mode.eigenvalue[0], mode.eigenvalue[1]);
        out->rate = out->stable ? size * size : -mode.eigenvalue[0] * mode.eigenvalue[0];
        out->softness = copysign(fabs(out->softness), out->rate);
        memcpy(s->softest, mode.shape[0], (size_t)nv * sizeof *s->softest);
        name_direction(s, s->softest, out->words, (int)sizeof out->words);
    }
    nt_modes_destroy(modes);
    return NT_OK;
}

nt_status nt_static_is_left(nt_static *s, double softness, bool *left)
{
    bool symmetric = false;
    nt_stability found = {.stable = 0, .softness = softness};
    *left = softness < -NT_STATIC_FREE && s->problem->space.n_first == 0;
    nt_status status = *left ? nt_static_is_symmetric(s, fabs(softness), &symmetric) : NT_OK;
    if (status != NT_OK || !*left || symmetric)
        return status;
    status = judge_by_modes(s, &found);
    *left = !found.stable;
    return status;
}

/* Where an unstable state is left the fastest, from a direction without stiffness, in `softest`:
 * the squared rate is a few times that along it at the most. */
static const double BEYOND = 4;

static nt_status find_direction(nt_static *s, const nt_stability *out)
{
    double *x = s->step, inertia = inertia_along(s, s->softest);
    if (out->critical || !(inertia > 0))
        return NT_OK;
    if (out->softness > 0)
        return nt_static_find_slowest(s, 0);
    memcpy(x, s->softest, (size_t)s->problem->nv * sizeof *x);
    memset(x + s->problem->nv, 0, (size_t)s->problem->nc * sizeof *x);
    double rate = nt_static_stiffness_along(s, x) / inertia;
    return rate < 0 && isfinite(rate) ? nt_static_find_slowest(s, -BEYOND * rate) : NT_OK;
}

/* Whether `beside` is that of the present point. */
static bool is_judged(const nt_static *s)
{
    return memcmp(s->judged, s->q, (size_t)s->problem->nq * sizeof *s->q) == 0;
}

/* The sign of a stiffness that is next to rounding says nothing: what was found beside does. */
static int is_stable(const nt_static *s, const nt_stability *out)
{
    if (out->critical && is_judged(s) && s->beside != NT_NOT_PUSHED)
        return s->beside == NT_PUSHED_BACK;
    return out->softness > 0;
}

static nt_status judge(nt_static *s, nt_stability *out)
{
    bool symmetric;
    nt_status status = nt_static_evaluate(s, s->residual, true);
    if (status == NT_OK)
        status = nt_static_find_softest(s, false, &out->softness);
    if (status != NT_OK || !isfinite(out->softness)) /* nothing can move */
        return status;
    out->critical = fabs(out->softness) <= NT_STATIC_FREE;
    status = nt_static_is_symmetric(s, fabs(out->softness), &symmetric);
    if (status != NT_OK || (status = find_direction(s, out)) != NT_OK)
        return status;
    memcpy(s->step, s->softest, (size_t)s->problem->nv * sizeof *s->step);
    memset(s->step + s->problem->nv, 0, (size_t)s->problem->nc * sizeof *s->step);
    double stiffness = nt_static_stiffness_along(s, s->step);
    out->stable = is_stable(s, out);
    out->rate = stiffness / inertia_along(s, s->softest);
    out->direction = s->softest;
    name_direction(s, s->softest, out->words, (int)sizeof out->words);
    return symmetric ? NT_OK : judge_by_modes(s, out);
}

nt_status nt_static_is_pushed_away(nt_static *s, bool *away)
{
    nt_stability found = {.stable = 1};
    *away = false;
    if (s->beside != NT_PUSHED_AWAY || !is_judged(s) || s->problem->space.n_first > 0)
        return NT_OK;
    nt_status status = judge(s, &found);
    *away = status == NT_OK && !found.stable;
    return status;
}

/* What has slipped to rest sticks under a small disturbance, as it stands still: it is judged so,
 * and the point is then what it was. Contacts stick as if they had just come to touch: a friction
 * that is near its limit, and goes with a normal force that shakes, would seem to feed the motion,
 * where slip takes the energy away. */
static nt_status judge_standing(nt_static *s, nt_stability *out)
{
    nt_static_keep(s, s->before_friction);
    nt_static_stick_anew(s);
    nt_status status = nt_static_choose_rows(s);
    if (status == NT_OK)
        status = judge(s, out);
    nt_static_go_back(s, s->before_friction);
    nt_problem_take_rows(s->problem, s->memory);
    nt_status back = nt_static_choose_rows(s);
    return status == NT_OK ? back : status;
}

nt_status nt_static_stability(nt_static *s, nt_stability *out, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "state stability", s, out);
    *out = (nt_stability){.softness = (double)INFINITY, .rate = (double)INFINITY, .stable = 1};
    if (!s->solved)
        return nt_fail(error, NT_INVALID, "there is no static state to look at");
    nt_status status = s->n_lost > 0 ? nt_static_choose_rows(s) : NT_OK;
    if (status == NT_OK)
        status = nt_static_slips(s) ? judge_standing(s, out) : judge(s, out);
    if (status != NT_OK)
        nt_fail(error, status, "stability: %s", nt_status_text(status));
    return nt_said(error, nt_problem_ends(s->problem, status, error));
}
