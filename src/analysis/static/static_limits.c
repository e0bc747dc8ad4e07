/* Static states with rigid limits: which of them bear.
 *
 * A limit bears or is free, and with each choice of those that bear the static state is one of
 * equations. A choice is right where no limit that is free is passed and none that bears pulls:
 *
 *   gap >= 0,  reaction >= 0,  gap reaction = 0.
 *
 * The search begins with the limits at which the parts are placed. Of those that are passed the one
 * that is passed furthest bears next; where none is, the one that pulls most is let go. Where there
 * is no state, as nothing but its stop holds what slides down, the limit bears that a motion from
 * rest at the placement meets first. */
#include "analysis/static/static.h"

#include "base/error.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What lies nearer to a limit than this, m or rad, is placed at it; what passes it by less does
 * not. */
static const double NEAR = 1e-9;

/* What a reaction may pull, as a part of the largest one, and roundings of places that the
 * stiffness makes forces of: where a limit is met all reactions may vanish. */
static const double PULLS = 1e-9, ROUNDINGS = 64;

/* The largest place, m. */
static double largest_place(const nt_static *s)
{
    double place = s->problem->length;
    for (int i = 0; i < s->problem->nq; i++)
        place = fmax(place, fabs(s->q[i]));
    return place;
}

static double least_pull(const nt_static *s)
{
    const nt_problem *p = s->problem;
    double least = 0, place = largest_place(s);
    for (int i = 0; i < p->nv; i++)
        least = fmax(least, ROUNDINGS * DBL_EPSILON * s->drag[i] *
                                (p->quantity[i] == NT_LENGTH ? place : 1));
    for (int i = 0; i < p->nc; i++)
        least = fmax(least, PULLS * fabs(s->multipliers[i]));
    return least;
}

/* Indicators of limits at the present state, with its reactions. */
static nt_status look(nt_static *s)
{
    const nt_system *system = s->problem->system;
    nt_point at = nt_static_point(s);
    at.vdot = s->zero;
    return system->events->indicate(system->self, &at, s->indicators, s->ways);
}

bool nt_static_limit_bears(nt_static *s, int i)
{
    const nt_system *system = s->problem->system;
    return system->events->bear(system->self, i, -1, s->memory);
}

static void let_bear(nt_static *s, int i, bool on)
{
    const nt_system *system = s->problem->system;
    system->events->bear(system->self, i, on, s->memory);
    nt_problem_take_rows(s->problem, s->memory);
}

static nt_status begin_at_limits(nt_static *s)
{
    const nt_events *events = s->problem->system->events;
    nt_status status = look(s);
    for (int i = 0; i < events->n_limits && status == NT_OK; i++)
        if (s->ways[events->limits + i] && !nt_static_limit_bears(s, i) &&
            fabs(s->indicators[events->limits + i]) <= NEAR)
            let_bear(s, i, true);
    return status;
}

/* The limit that is to change, -1: none; worst first. */
static nt_status find_wrong(nt_static *s, int *wrong)
{
    const nt_events *events = s->problem->system->events;
    double passed = NEAR, pulls = least_pull(s);
    int puller = -1;
    nt_status status = look(s);
    *wrong = -1;
    for (int i = 0; i < events->n_limits && status == NT_OK; i++) {
        double g = s->indicators[events->limits + i];
        if (!s->ways[events->limits + i])
            continue;
        if (nt_static_limit_bears(s, i) && -g > pulls)
            pulls = -g, puller = i;
        else if (!nt_static_limit_bears(s, i) && -g > passed)
            passed = -g, *wrong = i;
    }
    *wrong = *wrong < 0 ? puller : *wrong;
    return status;
}

nt_status nt_static_find_wrong_limit(nt_static *s, int *wrong) { return find_wrong(s, wrong); }

nt_status nt_static_look_at_limit(nt_static *s, int i, double *g, double *zero)
{
    nt_status status = look(s);
    *g = s->indicators[s->problem->system->events->limits + i];
    *zero = nt_static_limit_bears(s, i) ? least_pull(s) / 8
                                        : ROUNDINGS / 8 * DBL_EPSILON * largest_place(s);
    return status;
}

void nt_static_turn_limit(nt_static *s, int i) { let_bear(s, i, !nt_static_limit_bears(s, i)); }

void nt_static_limit_words(nt_static *s, int i, char *words, int size)
{
    const nt_system *system = s->problem->system;
    snprintf(words, (size_t)size, "a rigid limit");
    if (system->events->indicator_word)
        system->events->indicator_word(system->self, system->events->limits + i, words, size);
}

nt_status nt_static_check_limits(nt_static *s, nt_error *error)
{
    const nt_system *system = s->problem->system;
    const nt_events *events = system->events;
    int wrong = -1;
    if (!events || events->n_limits == 0)
        return NT_OK;
    nt_status status = find_wrong(s, &wrong);
    if (status != NT_OK || wrong < 0)
        return status;
    char words[160];
    nt_static_limit_words(s, wrong, words, sizeof words);
    return nt_fail(error, NT_UNSUPPORTED,
                   "static state: %s %s here, which the path does not follow: expected a path of "
                   "loads",
                   words, nt_static_limit_bears(s, wrong) ? "lets go" : "is passed");
}

/* ---- what only limits hold ------------------------------------------------------------------- */

/* How far a look goes along a motion, in lengths of the system and rad. */
static const double LOOK = 1e-6;

/* x[n]: along the accelerations from rest at the present point, LOOK long; none where nothing
 * moves. */
static nt_status find_way(nt_static *s, double *x)
{
    const nt_problem *p = s->problem;
    double angle, length;
    nt_point at = nt_static_point(s);
    memset(x, 0, (size_t)p->n * sizeof *x);
    nt_status status =
        nt_factors_accelerations(s->factors, &at, x, x + p->nv, x + p->nv + p->nh, NULL);
    memset(x + p->nv, 0, (size_t)p->nc * sizeof *x);
    for (int i = 0; i < p->nv; i++)
        x[i] = s->is_first[i] ? 0 : x[i];
    nt_static_reach(s, x, &angle, &length);
    double size = fmax(angle, length / p->length);
    for (int i = 0; i < p->nv; i++)
        x[i] *= size > 0 ? LOOK / size : 0;
    return status;
}

/* The limit that a motion from rest at the present point meets first; -1: none. */
static nt_status find_first_met(nt_static *s, int *first)
{
    const nt_events *events = s->problem->system->events;
    int n = events->n_limits;
    double soonest = INFINITY, *gap = malloc((size_t)n * sizeof *gap);
    nt_status status = gap ? look(s) : NT_NO_MEMORY;
    *first = -1;
    if (status == NT_OK) {
        memcpy(gap, s->indicators + events->limits, (size_t)n * sizeof *gap);
        status = find_way(s, s->shown);
    }
    if (status == NT_OK) {
        nt_static_move(s, s->shown, 1);
        status = look(s);
    }
    for (int i = 0; i < n && status == NT_OK; i++) {
        double nearer = gap[i] - s->indicators[events->limits + i];
        if (s->ways[events->limits + i] && !nt_static_limit_bears(s, i) && nearer > 0 &&
            gap[i] / nearer < soonest) {
            soonest = gap[i] / nearer;
            *first = i;
        }
    }
    free(gap);
    return status;
}

/* A search has found no state: the placement with one limit more that bears, where loads drive
 * something towards it that nothing else holds. *found: whether there is one. */
static nt_status hold_by_limit(nt_static *s, const double *start, bool *found)
{
    const nt_events *events = s->problem->system->events;
    int first = -1;
    bool *kept = malloc((size_t)events->n_limits * sizeof *kept);
    *found = false;
    if (!kept)
        return NT_NO_MEMORY;
    for (int i = 0; i < events->n_limits; i++)
        kept[i] = nt_static_limit_bears(s, i);
    for (int pass = 0; pass < 2; pass++) { /* the look moves the point */
        nt_static_go_back(s, start);
        nt_problem_take_rows(s->problem, s->memory);
        for (int i = 0; i < events->n_limits; i++)
            if (nt_static_limit_bears(s, i) != kept[i])
                let_bear(s, i, kept[i]);
        if (pass == 0 && find_first_met(s, &first) != NT_OK)
            first = -1;
    }
    free(kept);
    *found = first >= 0;
    if (first >= 0)
        let_bear(s, first, true);
    nt_static_keep(s, s->placed);
    return NT_OK;
}

nt_status nt_static_solve_limited(nt_static *s, nt_status (*solve)(nt_static *s, nt_error *error),
                                  nt_error *error)
{
    const nt_events *events = s->problem->system->events;
    if (!events || events->n_limits == 0)
        return solve(s, error);
    const double *start = s->n_rough > 0 ? s->before_friction : s->placed;
    nt_status status = begin_at_limits(s), why = NT_OK;
    nt_error first = {0};
    int wrong = -1, more = 0; /* limits that bear as nothing else holds what moves */
    for (int round = 0; round <= 4 * events->n_limits && status == NT_OK; round++) {
        if ((status = solve(s, error)) == NT_OK)
            status = find_wrong(s, &wrong);
        if (status == NT_OK && wrong < 0)
            return status;
        bool found = false;
        if ((status == NT_SINGULAR || status == NT_NOT_CONVERGED) && more < events->n_limits) {
            if (more++ == 0 && error)
                first = *error, why = status;
            nt_status looked = hold_by_limit(s, start, &found);
            status = looked == NT_OK && found ? NT_OK : looked == NT_OK ? status : looked;
            if (found)
                nt_error_clear(error);
        } else if (status == NT_OK)
            let_bear(s, wrong, !nt_static_limit_bears(s, wrong));
        if (status != NT_OK)
            break;
    }
    s->solved = false;
    if (why != NT_OK && !nt_is_final(status) && error) {
        *error = first; /* what was missing before any limit was asked to hold it */
        return why;
    }
    return status != NT_OK ? status
                           : nt_fail(error, NT_NOT_CONVERGED,
                                     "no static state found: no choice of the rigid limits that "
                                     "bear holds");
}
