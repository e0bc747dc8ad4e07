/* Static states with dry friction that is set-valued: the state that a damped motion reaches.
 *
 * Every part that touches, or nearly so, sticks where it is placed, as its constraint rows say, and
 * the others follow their forces. Where a part then has to hold more than it can, it slips: its
 * whole limit acts against the way that it is pushed. The search begins again at the state in which
 * all of them stuck, and the state that it finds is where such a motion comes to rest: a part that
 * slips stands there with its limit. Two things may have come otherwise. A part slips back, because
 * others slip as well: then it sticks. A contact slips along another line than it was pushed: then
 * its friction turns to the line. Both begin again, until nothing changes.
 *
 * What touches nothing where it is placed is without friction at first, and sticks where it comes
 * to touch; where no state is found so, it sticks from the start, as if it touched. */
#include "analysis/static/static.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What a part may have to hold beyond its limit, relative to it: rounding of the multipliers. */
static const double BEYOND = 1e-8;

/* How far a part has slipped, as a part of the system's length or 1 rad, before its direction is
 * looked at; and by how much the direction of its friction may be off, rad. */
static const double SLIPPED = 1e-10, TURNED = 1e-8;

/* What is placed with a gap of this part of the system's length counts as touching. */
static const double NEAR = 1e-3;

/* Searches after each other; and how often one part may be found to slip back: as its friction
 * then stands at the limit either way, each of these states is one of rest. */
enum { SEARCHES = 60, MOST_RETURNS = 3 };

static double length3(const double *x) { return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]); }

static double dot3(const double *x, const double *y)
{
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

int nt_static_dry_count(const nt_static *s)
{
    const nt_events *events = s->problem->system->events;
    return events && events->dry_look ? events->n_dry : 0;
}

/* All parts at the present point; v[nv]: velocities, or NULL. */
static nt_status look(nt_static *s, const double *v)
{
    const nt_system *system = s->problem->system;
    nt_point at = nt_static_point(s);
    if (v)
        at.v = v;
    return system->events->dry_look(system->self, &at, s->dry);
}

void nt_static_hold_friction(nt_static *s, int i, nt_dry_state holds)
{
    const nt_system *system = s->problem->system;
    nt_point at = nt_static_point(s);
    system->events->dry_hold(system->self, &at, i, holds, s->rough[i].towards, s->memory);
}

nt_status nt_static_look_at_friction(nt_static *s) { return look(s, NULL); }

void nt_static_loosen(nt_static *s)
{
    for (int i = 0; i < s->n_rough; i++)
        nt_static_hold_friction(s, i, NT_DRY_LOOSE);
}

/* ---- what holds ----------------------------------------------------------------------------- */

/* Parts of which nothing is known yet stick at the present point, if their gap is below `within`;
 * how many there were, and are left. */
static nt_status stick(nt_static *s, double within, int *found, int *left)
{
    nt_status status = look(s, NULL);
    *found = *left = 0;
    for (int i = 0; i < s->n_rough && status == NT_OK; i++) {
        if (s->dry[i].holds != NT_DRY_LOOSE)
            continue;
        bool sticks = s->dry[i].gap < within;
        *found += sticks;
        *left += !sticks;
        if (sticks)
            nt_static_hold_friction(s, i, NT_DRY_STICKS);
    }
    nt_problem_take_rows(s->problem, s->memory);
    return status;
}

/* A part that holds more than it can. */
static bool is_overloaded(const nt_dry_friction *part)
{
    return part->holds == NT_DRY_STICKS &&
           (!(part->gap < 0) || length3(part->force) > (1 + BEYOND) * part->limit);
}

/* Marks what has to slip from now on; whether anything has. */
static bool let_slip(nt_static *s)
{
    bool some = false;
    for (int i = 0; i < s->n_rough; i++) {
        nt_static_rough *rough = &s->rough[i];
        double force = length3(s->dry[i].force);
        rough->holds = rough->released && s->dry[i].follows ? NT_DRY_SLIPS : s->dry[i].holds;
        if (!is_overloaded(&s->dry[i]))
            continue;
        some = true;
        rough->released = true;
        rough->holds = s->dry[i].gap < 0 ? NT_DRY_SLIPS : NT_DRY_LOOSE;
        for (int k = 0; k < 3; k++)
            rough->towards[k] = force > 0 ? -s->dry[i].force[k] / force : 0;
    }
    return some;
}

nt_status nt_static_look_at_slip(nt_static *s, const double *from)
{
    const nt_problem *p = s->problem;
    nt_space_difference(&p->space, p->frame, from, s->q, s->rates);
    for (int i = 0; i < p->nv; i++)
        s->rates[i] = s->is_first[i] ? s->v[i] : s->rates[i];
    nt_static_keep(s, s->aside);
    memcpy(s->q, from, (size_t)p->nq * sizeof *s->q);
    nt_status status = look(s, s->rates);
    nt_static_go_back(s, s->aside);
    return status;
}

/* Marks what slips back, and what slips along another line. */
static bool correct_slip(nt_static *s)
{
    bool some = false;
    for (int i = 0; i < s->n_rough; i++) {
        nt_static_rough *rough = &s->rough[i];
        const double *way = s->dry[i].slip;
        double far = length3(way), along = dot3(way, rough->towards);
        if (rough->holds != NT_DRY_SLIPS || !rough->released || s->dry[i].follows ||
            !(far > SLIPPED * s->problem->length))
            continue;
        if (along < 0 && rough->returns++ < MOST_RETURNS) {
            rough->holds = NT_DRY_STICKS;
            rough->released = false;
            some = true;
        } else if (along > 0 && along < far * (1 - TURNED * TURNED / 2)) {
            for (int k = 0; k < 3; k++)
                rough->towards[k] = way[k] / far;
            some = some || along < far * cos(TURNED);
        }
    }
    return some;
}

/* Back to the state in which all stuck, with what has been marked. */
static void begin_again(nt_static *s)
{
    nt_static_go_back(s, s->reference);
    for (int i = 0; i < s->n_rough; i++)
        if (s->rough[i].released || s->rough[i].returns > 0)
            nt_static_hold_friction(s, i, s->rough[i].holds);
    nt_problem_take_rows(s->problem, s->memory);
    nt_static_keep(s, s->placed);
}

/* Searches until all friction holds; the first one has been made, from `reference`. */
static nt_status settle(nt_static *s, nt_status (*search)(nt_static *s, nt_error *error),
                        nt_error *error)
{
    nt_status status = NT_OK;
    for (int i = 0; i < SEARCHES && status == NT_OK; i++) {
        status = look(s, NULL);
        bool changes = status == NT_OK && let_slip(s);
        if (status == NT_OK && !changes &&
            (status = nt_static_look_at_slip(s, s->reference)) == NT_OK)
            changes = correct_slip(s);
        if (status != NT_OK || !changes)
            return status;
        begin_again(s);
        status = search(s, error);
    }
    return status != NT_OK ? status
                           : nt_fail(error, NT_NOT_CONVERGED,
                                     "no static state found: after %d searches it is not settled "
                                     "which friction holds",
                                     SEARCHES);
}

/* ---- the search ----------------------------------------------------------------------------- */

/* The message of a search that failed says what slipped. */
static void name_slipping(nt_static *s, nt_error *error)
{
    const nt_system *system = s->problem->system;
    char name[160], text[sizeof error->message];
    size_t used = 0;
    int named = 0, n = 0;
    text[0] = '\0';
    for (int i = 0; i < s->n_rough; i++)
        n += s->rough[i].released && s->rough[i].holds == NT_DRY_SLIPS;
    for (int i = 0; i < s->n_rough && named < 3 && used < sizeof text - 200; i++) {
        if (!s->rough[i].released || s->rough[i].holds != NT_DRY_SLIPS)
            continue;
        system->events->dry_word(system->self, i, name, sizeof name);
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s%s", named++ ? ", " : "", name);
    }
    size_t said = error ? strlen(error->message) : 0;
    if (n > 0 && error)
        snprintf(error->message + said, sizeof error->message - said,
                 "; friction does not hold it: %s slip%s%s", text, n == 1 ? "s" : "",
                 n > named ? " with others" : "");
}

/* Whether the curvature along some direction is negative, where that says what is stable: slipping
 * contacts make the derivative unsymmetric. */
static nt_status is_left(nt_static *s, bool *answer)
{
    double softness = 0;
    bool symmetric = false;
    nt_status status = nt_static_evaluate(s, s->residual, true);
    *answer = false;
    if (status == NT_OK)
        status = nt_static_find_softest(s, true, &softness);
    if (status == NT_OK && softness < -NT_STATIC_FREE)
        status = nt_static_is_symmetric(s, fabs(softness), &symmetric);
    *answer = symmetric;
    return status;
}

/* What slips leaves the point where it stuck. It comes to the nearest state, unless that is one
 * that a damped motion leaves: then it goes where such a motion does. */
static nt_status search_slipping(nt_static *s, nt_error *error)
{
    bool damped = s->damped, left = false;
    nt_status status = nt_static_solve_once(s, error);
    if (status == NT_OK && !damped)
        status = is_left(s, &left);
    if (status == NT_OK && !left)
        return NT_OK;
    if (nt_is_final(status) || s->n_free > 0)
        return status;
    nt_static_go_back(s, s->placed);
    s->damped = true;
    nt_error other = {0};
    nt_status again = nt_static_solve_once(s, &other);
    s->damped = damped;
    if (again != NT_OK && status == NT_OK && error)
        *error = other;
    return again;
}

/* From the present point, with what sticks there. */
static nt_status find(nt_static *s, nt_error *error)
{
    memset(s->rough, 0, (size_t)s->n_rough * sizeof *s->rough);
    nt_static_keep(s, s->placed);
    nt_status status = nt_static_solve_once(s, error);
    nt_static_keep(s, s->reference);
    if (status == NT_OK)
        status = settle(s, search_slipping, error);
    if (status != NT_OK)
        name_slipping(s, error);
    return status;
}

/* Where some touch nothing yet: without these, which then stick where they have come to. */
static nt_status find_touching(nt_static *s, nt_error *error)
{
    int found, left;
    bool holds_free = s->holds_free;
    s->holds_free = true;
    nt_status status = find(s, error);
    s->holds_free = holds_free;
    if (status == NT_OK)
        status = stick(s, 0, &found, &left);
    if (status == NT_OK && found > 0)
        return find(s, error);
    if (status == NT_OK && nt_static_wanders(s))
        status = nt_static_refuse_free(s, NT_SINGULAR, error);
    return status;
}

static nt_status find_near_by(nt_static *s, nt_error *error)
{
    int found, left;
    nt_status status = stick(s, NEAR * s->problem->length, &found, &left);
    if (status != NT_OK)
        status = nt_fail(error, status, "static state: %s", nt_status_text(status));
    else if (left == 0)
        status = find(s, error);
    else {
        nt_error first = {0};
        status = find_touching(s, &first);
        if (status == NT_NOT_CONVERGED || status == NT_SINGULAR) {
            nt_error second = {0};
            nt_static_go_back(s, s->before_friction);
            nt_status again = stick(s, (double)INFINITY, &found, &left);
            again = again == NT_OK ? find(s, &second) : again;
            if (again != NT_OK && error)
                *error = first;
            status = again == NT_OK ? again : status;
        } else if (status != NT_OK && error)
            *error = first;
    }
    for (int i = 0; i < MOST_RETURNS && status == NT_OK; i++) /* what has come to touch meanwhile */
        if ((status = stick(s, 0, &found, &left)) == NT_OK && found > 0)
            status = find(s, error);
    return status;
}

/* From the placement, under the whole load. */
static nt_status begin_search(nt_static *s, double load)
{
    nt_static_go_back(s, s->before_friction);
    nt_problem_take_rows(s->problem, s->memory);
    if (s->load == load)
        return NT_OK;
    s->load = load;
    return s->set_load(s->context, load);
}

/* Whether friction pushes a part along the way that it has gone: no motion comes there. */
static bool is_pushed_on(nt_static *s)
{
    if (nt_static_look_at_slip(s, s->reference) != NT_OK)
        return false;
    for (int i = 0; i < s->n_rough; i++)
        memcpy(s->rough[i].way, s->dry[i].slip, sizeof s->rough[i].way);
    if (look(s, NULL) != NT_OK)
        return false;
    for (int i = 0; i < s->n_rough; i++) {
        const nt_dry_friction *part = &s->dry[i];
        if (part->holds == NT_DRY_SLIPS && !part->follows &&
            length3(s->rough[i].way) > 1e-6 * s->problem->length &&
            dot3(s->rough[i].way, part->force) > 0)
            return true;
    }
    return false;
}

static nt_status find_and_verify(nt_static *s, nt_status (*search)(nt_static *s, nt_error *error),
                                 nt_error *error)
{
    nt_status status = search(s, error);
    if (status == NT_OK && (status = nt_static_verify(s, error)) != NT_OK)
        s->solved = false;
    return status;
}

/* A search finds the state at once; where it finds none a damped motion is followed all the way
 * from the placement. Where that comes to no rest either, the search says what there is to say. */
nt_status nt_static_solve_rough(nt_static *s, nt_error *error)
{
    nt_error first = {0}, second = {0};
    double load = s->load;
    s->settles = true;
    nt_static_keep(s, s->before_friction);
    nt_status status = find_and_verify(s, find_near_by, &first);
    if (status == NT_OK && is_pushed_on(s))
        status = nt_fail(&first, NT_NOT_CONVERGED,
                         "no static state found: the search ended where friction pushes what has "
                         "slipped");
    if (status != NT_OK && !nt_is_final(status)) {
        nt_status again = begin_search(s, load);
        if (again == NT_OK)
            again = find_and_verify(s, nt_static_come_to_rest, &second);
        if (again == NT_OK)
            status = NT_OK;
        else if (begin_search(s, load) == NT_OK)
            find_near_by(s, &second); /* for the point, and what can be held there */
        s->solved = s->solved && again == NT_OK;
    }
    if (status != NT_OK && error)
        *error = first;
    s->settles = false;
    return status;
}

bool nt_static_slips(nt_static *s)
{
    bool some = false;
    nt_status status = s->n_rough > 0 ? look(s, NULL) : NT_OK;
    for (int i = 0; i < s->n_rough && status == NT_OK; i++)
        some = some || s->dry[i].holds == NT_DRY_SLIPS;
    return some;
}

void nt_static_stand(nt_static *s, double *memory)
{
    const nt_system *system = s->problem->system;
    nt_point at = nt_static_point(s);
    if (s->n_rough == 0 || look(s, NULL) != NT_OK)
        return;
    for (int i = 0; i < s->n_rough; i++)
        if (s->dry[i].holds != NT_DRY_LOOSE)
            system->events->dry_hold(system->self, &at, i, NT_DRY_STICKS, s->rough[i].towards,
                                     memory);
}

void nt_static_stick_anew(nt_static *s)
{
    if (look(s, NULL) != NT_OK)
        return;
    for (int i = 0; i < s->n_rough; i++) {
        nt_static_hold_friction(s, i, NT_DRY_LOOSE);
        if (s->dry[i].gap < 0)
            nt_static_hold_friction(s, i, NT_DRY_STICKS);
    }
    nt_problem_take_rows(s->problem, s->memory);
}

/* ---- along a path -----------------------------------------------------------------------------
 */

static nt_status newton(nt_static *s, nt_error *error)
{
    nt_status status = nt_static_choose_rows(s);
    if (status == NT_OK)
        status = nt_static_newton_near_by(s);
    return status == NT_OK ? NT_OK
                           : nt_fail(error, status, "static state: %s", nt_status_text(status));
}

nt_status nt_static_follow_friction(nt_static *s, nt_error *error)
{
    int found, left;
    for (int i = 0; i < s->n_rough; i++)
        s->rough[i].returns = 0;
    nt_status status = settle(s, newton, error);
    if (status == NT_OK)
        status = stick(s, 0, &found, &left);
    return status == NT_OK && found > 0 ? newton(s, error) : status;
}

bool nt_static_names_overload(nt_static *s, char *text, int size)
{
    const nt_system *system = s->problem->system;
    if (s->n_rough > 0 && look(s, NULL) == NT_OK)
        for (int i = 0; i < s->n_rough; i++)
            if (is_overloaded(&s->dry[i])) {
                system->events->dry_word(system->self, i, text, size);
                return true;
            }
    return false;
}

void nt_static_return(nt_static *s)
{
    nt_static_go_back(s, s->reference);
    nt_problem_take_rows(s->problem, s->memory);
}

/* ---- looks ---------------------------------------------------------------------------------- */

int nt_static_friction_count(const nt_static *s) { return s ? s->n_rough : 0; }

nt_status nt_static_friction_at(nt_static *s, int i, nt_static_friction *out, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "state out", s, out);
    *out = (nt_static_friction){.holds = NT_DRY_LOOSE};
    if (i < 0 || i >= s->n_rough)
        return nt_fail(error, NT_INVALID, "friction %d, expected a number from 0 to %d", i,
                       s->n_rough - 1);
    const nt_system *system = s->problem->system;
    nt_status status = look(s, NULL);
    if (status != NT_OK)
        return nt_fail(error, status, "friction: %s", nt_status_text(status));
    out->holds = s->dry[i].holds;
    out->force = length3(s->dry[i].force);
    out->limit = s->dry[i].limit;
    system->events->dry_word(system->self, i, out->name, (int)sizeof out->name);
    return NT_OK;
}
