/* Equal steps that were too long for a force that the method takes explicitly: methods that know it
 * say so of each step (nt_report.damped), and the worst one is told at the end. */
#include "method/integrator.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void nt_integrator_watch_step(nt_integrator *it, double h)
{
    const nt_stepper *s = &it->stepper;
    if (it->variable || !(s->report.damped > 1 && s->report.damped > it->damped.by))
        return;
    it->damped.by = s->report.damped;
    it->damped.t = s->now.all[NT_PHASE_T];
    it->damped.step = h;
    memcpy(it->damped.which, s->report.damped_by, sizeof it->damped.which);
}

int nt_integrator_step_warning(const nt_integrator *it, char *text, int size)
{
    char name[160] = "";
    if (text && size > 0)
        text[0] = '\0';
    if (!it || !(it->damped.by > 0))
        return 0;
    const nt_system *system = it->problem->system;
    if (system->damping_name)
        system->damping_name(system->self, it->damped.which, name, sizeof name);
    return snprintf(text, text ? (size_t)size : 0,
                    "steps of %.3g s are too long for friction and damping: at t = %.6g s those of "
                    "%s alone bear steps up to %.3g s; expected these, or steps: eigenvalue",
                    it->damped.step, it->damped.t, name[0] ? name : "one force",
                    it->damped.step / it->damped.by);
}
