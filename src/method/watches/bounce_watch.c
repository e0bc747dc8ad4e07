/* The watch on bodies that contacts alone hold, and on light ones between the stops of a joint,
 * each by itself.
 *
 * A ball of grams on a machine of tons gains many times what it had before the watch on the energy
 * of both sees anything. What its contacts give it is known apart (nt_system.bounces): the sum over
 * the steps from one moment without contact to the next, of contacts that last no more than LONGEST
 * steps. Longer ones are resolved, and where several contacts push at once it is not known which
 * one has given what; both are left to the energy of the whole.
 *
 * Against the growth of that sum stands what a bounce exchanges, the kinetic energy of the way
 * towards the surface, as it does of a part (energy_watch.c).
 *
 * Between stops of a joint other forces act as well. They are taken to be in a contact what they
 * were in the step before it, and to give or take no more than that along the way. A step that is
 * apart from the stops at both ends has met one within if it turned the rate round by far more.
 * Where the run begins with a contact, what the stop holds is taken for what it has taken, and what
 * else acts is known from the first step behind it. */
#include "method/integrator.h"

#include <math.h>
#include <stdio.h>

enum { LONGEST = 10 };

/* As of parts: allowed shares, what is warned of, and rounding. */
static const double EXCHANGED = 0.25, WARNING = 0.02, ROUNDING = 1e-12;

/* The growth of an account whose contact is over, against what is allowed; the worst counts. */
static void judge(nt_integrator *it, int k)
{
    nt_energy_watch *w = &it->watch;
    nt_bounce_account *b = &it->accounts.bounces[k];
    double apart = it->method->needs & NT_STAGGERED ? b->apart : 0, growth = b->gained - b->least,
           allowed = EXCHANGED * b->toward + b->doubt + (apart + ROUNDING * b->size) / WARNING;
    b->least = fmin(b->least, b->gained);
    if (!(growth > 0) || (w->growth > 0 && !(growth * w->allowed > w->growth * allowed)))
        return;
    w->growth = growth;
    w->allowed = allowed;
    w->worst = it->accounts.n + k;
}

/* A step apart from stops met none if it needed no more than so many times the force before it, or
 * no more than what is known to act: over long steps that is not known well. */
static const double STRUCK = 4;

/* Whether a step took place apart from the stops of a joint; the most that acted since they were
 * left is kept. */
static bool is_apart(nt_bounce_account *b, const nt_bounce *step, double from)
{
    if (step->way == 0 || step->touches[0] > 0 || step->touches[1] > 0)
        return false;
    bool more = step->force > STRUCK * b->force && step->force * step->way > step->doubt,
         struck = b->moved && b->t == from && step->toward > 0 && step->gained > 0 && more;
    if (!struck) {
        bool goes_on = b->moved && b->steps == 0 && b->t == from;
        b->force = goes_on ? fmax(b->force, step->force) : step->force;
        b->moved = true;
    }
    return !struck;
}

/* The contact is over; `work` of the other forces in its step, at most. */
static void end_contact(nt_integrator *it, int k, const nt_bounce *step, double work)
{
    nt_bounce_account *b = &it->accounts.bounces[k];
    b->gained += b->now;
    b->doubt += b->now_doubt;
    b->apart = fmax(b->apart, step->apart + work);
    b->size = fmax(b->size, step->size);
    judge(it, k);
}

static void follow(nt_integrator *it, int k, double from, double to)
{
    nt_bounce_account *b = &it->accounts.bounces[k];
    const nt_bounce *step = &it->accounts.bounced[k];
    bool inside = step->touches[0] > 0;
    double held = inside && step->way > 0 ? step->force : 0; /* J */
    bool starts = !it->watch.begun && step->way > 0 && (!inside || held > 0);
    if (is_apart(b, step, from)) {
        bool follows = b->from_start > 0 && b->t == from;
        b->now_doubt += b->force * b->from_start;
        if (follows && !b->spoilt && b->steps <= LONGEST)
            end_contact(it, k, step, b->force * b->from_start);
        b->steps = 0, b->t = to, b->from_start = 0;
        return;
    }
    bool goes_on = inside && !starts;
    b->from_start = starts                         ? step->way
                    : goes_on && b->from_start > 0 ? b->from_start + step->way
                                                   : 0;
    b->spoilt = (goes_on && (b->spoilt || b->steps == 0 || b->t != from)) || step->touches[0] > 1 ||
                step->touches[1] > 1 || (step->way > 0 && !b->moved && !(b->from_start > 0));
    b->steps = goes_on ? b->steps + 1 : 1;
    b->now = (goes_on ? b->now : starts ? -held : 0) + step->gained;
    b->now_doubt = (goes_on ? b->now_doubt : 0) + step->doubt + b->force * step->way;
    b->t = to;
    if (starts)
        b->toward = fmax(b->toward, held + step->toward);
    if (step->touches[1] == 0 && !b->spoilt && b->steps <= LONGEST && !(b->from_start > 0))
        end_contact(it, k, step, b->force * step->way);
}

void nt_bounce_watch_step(nt_integrator *it)
{
    const nt_problem *p = it->problem;
    const nt_phase *from = &it->before, *to = &it->stepper.now;
    double begin = from->all[NT_PHASE_T], end = to->all[NT_PHASE_T];
    if (it->accounts.n_bounces == 0 || !(end > begin))
        return;
    nt_point ends[2];
    nt_integrator_points(it, from, to, ends);
    p->system->bounces(p->system->self, &ends[0], &ends[1], it->accounts.bounced);
    for (int k = 0; k < it->accounts.n_bounces; k++) {
        nt_bounce_account *b = &it->accounts.bounces[k];
        const nt_bounce *step = &it->accounts.bounced[k];
        if (!it->watch.begun) /* other parameters are other energies */
            b->steps = 0;
        if (step->touches[0] == 0)
            b->toward = fmax(b->toward, step->toward);
        follow(it, k, begin, end);
    }
}

void nt_bounce_watch_name(const nt_integrator *it, int account, char *text, int size)
{
    const nt_system *system = it->problem->system;
    if (system->met_name)
        system->met_name(system->self, it->accounts.bounced[account].which, text, size);
}
