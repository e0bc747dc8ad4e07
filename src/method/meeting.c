/* Surfaces that meet and part again within one step. The forces at neither end of the step show it,
 * nor does an error estimate made of them. Where the size of steps may be chosen, the step is made
 * again, so short that the method sees the force: at the end of the step, or, for methods that
 * review their steps, in its middle. Of equal steps the worst is reported when the run is over. */
#include "method/integrator.h"

#include <math.h>
#include <string.h>

/* Overlaps below this part of the system's length do not count, for rounding makes them; nor do
 * those below the tolerance of positions. */
static const double DEEP = 1e-9;

/* Of equal steps, a meeting slower than this part of the fastest so far is not reported: bodies
 * that bounce to rest meet ever more often, at ever lower speeds. */
static const double SLOW = 0.02;

nt_status nt_meetings_take(nt_integrator *it)
{
    const nt_problem *p = it->problem;
    bool turned = (p->system->met || p->system->bounces) && nt_problem_changes_frame(p);
    it->met.worst.which = -1;
    return NT_DOUBLES(&it->arena, turned ? 4 * (size_t)p->nv : 0, &it->met.v) ? NT_OK
                                                                              : NT_NO_MEMORY;
}

void nt_integrator_points(const nt_integrator *it, const nt_phase *from, const nt_phase *to,
                          nt_point ends[2])
{
    const nt_problem *p = it->problem;
    ends[0] = nt_phase_point(from), ends[1] = nt_phase_point(to);
    for (int k = 0; k < 2; k++) {
        double *v = it->met.v + 2 * k * p->nv, *vdot = v + p->nv;
        if (it->method->needs & NT_RATES_WITHIN)
            ends[k].vdot = NULL; /* of the ends these are not */
        if (!nt_problem_changes_frame(p))
            continue;
        nt_problem_rates(p, p->system->frame, ends[k].q, ends[k].v, ends[k].vdot, v, vdot);
        ends[k].v = v;
        ends[k].vdot = ends[k].vdot ? vdot : NULL;
    }
}

bool nt_integrator_met(const nt_integrator *it, const nt_phase *from, const nt_phase *to,
                       nt_meeting *out)
{
    const nt_problem *p = it->problem;
    const nt_system *system = p->system;
    if (!system->met)
        return false;
    nt_point ends[2];
    nt_integrator_points(it, from, to, ends);
    double beyond = fmax(it->stepper.tolerance[NT_LENGTH], DEEP * p->length);
    return system->met(system->self, &ends[0], &ends[1], beyond, it->variable && it->method->review,
                       out);
}

/* Where surfaces meet in the second half of a reviewed step, the step is shortened to this part of
 * the way to them: the next one, of the same length, then has its middle where they touch. */
static const double AHEAD = 0.6;

double nt_integrator_step_that_sees(const nt_integrator *it, const nt_meeting *met)
{
    if (!it->method->review)
        return met->part;
    return met->part < 0.49 ? 2 * met->part : AHEAD * met->part;
}

void nt_integrator_watch_meetings(nt_integrator *it, const nt_phase *from, const nt_phase *to)
{
    nt_meeting m;
    bool met = nt_integrator_met(it, from, to, &m);
    if (!it->problem->system->met)
        return;
    it->met.fastest = fmax(it->met.fastest, m.fastest);
    if (!met || m.speed < SLOW * it->met.fastest || m.depth <= it->met.worst.depth)
        return;
    it->met.worst = m;
    it->met.t = from->all[NT_PHASE_T];
    it->met.step = to->all[NT_PHASE_T] - it->met.t;
}
