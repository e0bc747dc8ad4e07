/* Equal steps that were too long for a force that the method takes explicitly: methods that know it
 * say so of each step (nt_report.damped), and the worst one is told at the end. So is what has no
 * inertia and began far from the balance of its forces. */
#include "base/target.h"
#include "method/integrator.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What comes to rest may turn round in a step or two; what goes on so for more of them is told. */
static const double TURNING = 20;

NT_HOT void nt_integrator_watch_step(nt_integrator *it, double h)
{
    const nt_stepper *s = &it->stepper;
    const nt_report *r = &s->report;
    it->turning = fmax(it->turning + (r->turns > 1 ? 1 : -0.5), 0);
    if (!it->variable && it->turning > TURNING && r->turns > it->turned.by) {
        it->turned.by = r->turns;
        it->turned.t = s->now.all[NT_PHASE_T];
        it->turned.step = h;
        memcpy(it->turned.which, r->turns_by, sizeof it->turned.which);
    }
    bool swings = r->swings > r->damped;
    double by = swings ? r->swings : r->damped;
    if (it->variable || !(by > 1 && by > it->damped.by))
        return;
    it->damped.by = by;
    it->damped.t = s->now.all[NT_PHASE_T];
    it->damped.step = h;
    it->damped.swings = swings;
    memcpy(it->damped.which, swings ? r->swings_by : r->damped_by, sizeof it->damped.which);
}

/* m over the system's length, or rad: what has no inertia and goes so far at once is told. */
static const double JUMP = 1e-3;

static int balance_warning(const nt_integrator *it, char *text, int size)
{
    char name[160] = "";
    const nt_problem *p = it->problem;
    int unknown = it->unbalanced.unknown;
    bool turns = it->unbalanced.by > 0 && p->quantity[unknown] == NT_ANGLE;
    if (!(it->unbalanced.by > JUMP * (turns ? 1 : p->length)))
        return 0;
    nt_problem_equation_name(p, unknown, name, sizeof name);
    return snprintf(text, text ? (size_t)size : 0,
                    "%s: no inertia bears it, and %.3g %s are out of balance at t = %.6g s: the "
                    "first step goes to where they are not, about %.2g %s away; expected a start "
                    "in balance, as by initial: {static: true}",
                    name, it->unbalanced.force, turns ? "N m" : "N", it->unbalanced.t,
                    it->unbalanced.by, turns ? "rad" : "m");
}

/* Of steps in which surfaces met and parted again: the deepest. Nothing is said of a run that its
 * energy has ended, in words of its own, nor where nobody asks for watches. */
static int meeting_warning(const nt_integrator *it, char *text, int size)
{
    bool ended = it->energy_check == NT_ENERGY_ENDS && it->watch.growth > it->watch.allowed;
    if (it->met.worst.which < 0 || ended || it->energy_check == NT_ENERGY_UNWATCHED)
        return balance_warning(it, text, size);
    char name[160] = "";
    const nt_system *system = it->problem->system;
    if (system->met_name)
        system->met_name(system->self, it->met.worst.which, name, sizeof name);
    return snprintf(text, text ? (size_t)size : 0,
                    "%s met and parted again within a step of %.3g s, from t = %.6g s on, unseen "
                    "at its ends; expected a tolerance, or much smaller steps",
                    name[0] ? name : "surfaces", it->met.step, it->met.t);
}

/* Of steps that were stable, too long for friction. */
static int turning_warning(const nt_integrator *it, char *text, int size)
{
    char name[160] = "";
    const nt_system *system = it->problem->system;
    if (system->damping_name)
        system->damping_name(system->self, it->turned.which, name, sizeof name);
    return snprintf(text, text ? (size_t)size : 0,
                    "steps of %.3g s are too long for friction: at t = %.6g s that of %s bears "
                    "steps up to %.3g s, and longer ones turn the sliding round each time; "
                    "expected these, or steps: eigenvalue",
                    it->turned.step, it->turned.t, name[0] ? name : "one force",
                    it->turned.step / it->turned.by);
}

int nt_integrator_step_warning(const nt_integrator *it, char *text, int size)
{
    char name[160] = "";
    if (text && size > 0)
        text[0] = '\0';
    if (!it || !(it->damped.by > 0))
        return !it                 ? 0
               : it->turned.by > 0 ? turning_warning(it, text, size)
                                   : meeting_warning(it, text, size);
    const nt_system *system = it->problem->system;
    bool swings = it->damped.swings;
    if (system->damping_name)
        system->damping_name(system->self, it->damped.which, name, sizeof name);
    return snprintf(text, text ? (size_t)size : 0,
                    "steps of %.3g s are too long for %s: at t = %.6g s %s of "
                    "%s alone bear%s steps up to %.3g s; expected these, or steps: eigenvalue",
                    it->damped.step, swings ? "the stiffness of contacts" : "friction and damping",
                    it->damped.t, swings ? "that" : "those", name[0] ? name : "one force",
                    swings ? "s" : "", it->damped.step / it->damped.by);
}
