/* Events that come back sooner than anybody sees.
 *
 * What happens where an indicator g passes zero may turn it back to the side from which it came: a
 * ball that an impulse throws up from the floor. With the rate g' behind it and g'' against it, it
 * is at its zero again after 2 g'/|g''|, and has been g'^2/(2 |g''|) away from it until then. Where
 * that is less than rounding shows of g, its side is told by what follows later, which is beyond
 * the zero: it would go on as if nothing were to happen there. Bounces by a part of the speed come
 * to this point after some dozens, in a time that is finite; where they end, no further motion can
 * be given.
 *
 * So the rate itself is asked: by differences over a time in which g moves by more than rounding,
 * so short that half of it says the same.
 *
 * A method that chooses its steps by itself has its events on its own interpolant, which may be at
 * the zero again by what its tolerance allows, while g' leads away from it: an event that happens
 * twice in this way is told likewise. */
#include "base/error.h"
#include "method/integrator.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Times over which the rate is found, as parts of the step: the longest, and how much shorter each
 * next one is. */
static const double LONGEST = 1, SHORTER = 1. / 8;
enum { TIMES = 4 };

/* Changes of an indicator below this part of its largest value may be rounding (stops.c: ZERO),
 * with some room for the difference of two. */
static const double ROUNDING = 4e-13;

/* By which part two differences over a time and half of it may differ. */
static const double ALIKE = 0.1;

/* By how much indicator i changes from e before the present state to e after it, as that moves. */
static nt_status change_about(nt_integrator *it, int i, double e, double *change)
{
    double *g = it->stops.g[2];
    nt_status status = nt_stops_soon(it, e, g);
    double ahead = g[i];
    if (status == NT_OK)
        status = nt_stops_soon(it, -e, g);
    *change = ahead - g[i];
    return status;
}

/* The rate of indicator i at the present state; 0 where it cannot be told. */
static nt_status rate_of(nt_integrator *it, int i, double largest, double *rate)
{
    double e = LONGEST * it->stops.stretch.h;
    *rate = 0;
    for (int k = 0; k < TIMES; k++, e *= SHORTER) {
        double whole, half;
        nt_status status = change_about(it, i, e, &whole);
        if (status == NT_OK)
            status = change_about(it, i, e / 2, &half);
        if (status != NT_OK)
            return status;
        if (fabs(half) > ROUNDING * largest && fabs(whole - 2 * half) <= ALIKE * fabs(whole)) {
            *rate = half / e;
            break;
        }
    }
    return NT_OK;
}

static nt_status say_it_returns(nt_integrator *it, int i, double rate, const char *what,
                                nt_error *error)
{
    const nt_events *events = it->stops.events;
    char words[512] = "what has happened";
    if (events->indicator_word)
        events->indicator_word(it->problem->system->self, i, words, sizeof words);
    return nt_fail(error, NT_NOT_CONVERGED,
                   "at t = %.12g s %s does not settle: it turns back what it looks at, at a rate "
                   "of %.3g, and would happen again sooner than %s lets see. Where bodies are to "
                   "come to rest, expected `limits`, or `engage` of a joint, with `restitution` "
                   "and `rest_speed`",
                   it->stepper.now.all[NT_PHASE_T], words, fabs(rate), what);
}

bool nt_stops_found_nothing(const nt_integrator *it)
{
    const nt_phase *now = &it->stepper.now, *from = &it->stops.from;
    size_t moves = (size_t)(it->problem->nq + it->problem->nv);
    size_t kept = (size_t)it->stops.events->sides;
    return memcmp(now->q, from->q, moves * sizeof *now->q) == 0 &&
           memcmp(now->memory, from->memory, kept * sizeof *now->memory) == 0;
}

nt_status nt_stops_check_return(nt_integrator *it, int i, double from, nt_error *error)
{
    const nt_stops *s = &it->stops;
    const double *side = it->stepper.now.memory + s->events->sides;
    double largest = side[s->events->n + i], rate;
    bool told = from == 0 || side[i] == from;
    if (told || s->way[i] == 0 || (s->way[i] & NT_INSIDE))
        return NT_OK;
    nt_status status = nt_stops_indicators(it, &it->stepper.now, it->stops.g[2]);
    if (status == NT_OK && fabs(s->g[2][i]) > NT_ZERO_MISSED * largest) /* it is beyond, for good */
        return NT_OK;
    if (status == NT_OK)
        status = rate_of(it, i, largest, &rate);
    if (status != NT_OK) /* that has no value beside the present state: nothing is known of it */
        return nt_is_final(status) ? status : NT_OK;
    return rate * from > 0 ? say_it_returns(it, i, rate, "rounding", error) : NT_OK;
}

nt_status nt_stops_check_again(nt_integrator *it, int i, double from, double last, nt_error *error)
{
    const nt_stops *s = &it->stops;
    const double *side = it->stepper.now.memory + s->events->sides;
    bool soon = it->stepper.now.all[NT_PHASE_T] - last <= s->stretch.h;
    double rate;
    if (!(it->method->needs & NT_OWN_STEPS) || !soon || (s->way[i] & NT_INSIDE))
        return NT_OK;
    nt_status status = rate_of(it, i, side[s->events->n + i], &rate);
    if (status != NT_OK)
        return nt_is_final(status) ? status : NT_OK;
    return rate * from > 0 ? say_it_returns(it, i, rate, "the tolerance", error) : NT_OK;
}

nt_status nt_stops_never_settles(nt_integrator *it, int indicator, nt_error *error)
{
    const nt_events *events = it->stops.events;
    const nt_system *system = it->problem->system;
    int number = it->stops.number;
    char words[512] = "what is due", when[64] = "at once";
    double t = it->stepper.now.all[NT_PHASE_T];
    if (it->stops.stretch.at_once < NT_STOPS_MOST)
        snprintf(when, sizeof when, "within a step of %g s", it->stops.stretch.h);
    if (indicator >= 0 && events->indicator_word)
        events->indicator_word(system->self, indicator, words, sizeof words);
    else if (number >= 0 && events->word) {
        int used = snprintf(words, sizeof words, "event ");
        events->word(system->self, number, words + used, (int)sizeof words - used);
    }
    if (number >= 0)
        return nt_fail(error, NT_NOT_CONVERGED,
                       "at t = %.12g s %s has happened a thousand times %s, with what it starts, "
                       "and does not settle",
                       t, words, when);
    return nt_fail(error, NT_NOT_CONVERGED,
                   "at t = %.12g s %s has switched a thousand times %s and does not settle: both "
                   "sides push back. Where friction is meant, expected `friction` with `slip`",
                   t, words, when);
}
