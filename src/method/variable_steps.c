/* Steps of changing size, by the error estimate and by what the method proposes. Output times never
 * dictate a step: they are served by dense output. */
#include "base/error.h"
#include "method/integrator.h"

#include <float.h>
#include <math.h>

/* A step must advance the time: this many units in its last place. */
static const double UNITS = 16;

static double smallest_step(const nt_integrator *it, double h)
{
    double t = it->stepper.now.all[NT_PHASE_T];
    double asked = it->minimum_step > 0 ? it->minimum_step : 1e-9 * h;
    return fmax(asked, UNITS * DBL_EPSILON * fabs(t));
}

/* The step to try: the wanted one, or what leaves no sliver before the end. */
static double trim(double wanted, double left)
{
    if (wanted >= left * (1 - 1e-10))
        return left;
    return wanted > left / 2 ? left / 2 : wanted;
}

/* The error of the step just made; without an estimate it is 0. */
static nt_status examine(nt_integrator *it, double h, nt_step_error *error)
{
    *error = (nt_step_error){.unknown = -1};
    bool asked = false;
    for (int i = 0; i < 4; i++)
        asked |= it->stepper.tolerance[i] > 0;
    if (!asked || !it->method->error)
        return NT_OK;
    nt_status status = it->method->error(&it->stepper, h, it->estimate);
    if (status == NT_OK)
        *error = nt_step_error_of(&it->stepper, it->estimate);
    return status;
}

static void count(nt_integrator *it, const nt_step_error *error)
{
    it->statistics.limiting_unknown = error->unknown;
    if (error->unknown >= 0)
        it->statistics.limited[error->kind]++;
}

/* After an accepted step of size h: what the filter wants, at most what the method proposes. */
static double next_step(nt_integrator *it, double h, double before, const nt_step_error *error)
{
    double next = h;
    if (it->method->error_order > 0 && error->unknown >= 0)
        next =
            nt_step_after_accepted(&it->control, h, before, error->size, it->method->error_order);
    else if (it->method->error_order > 0)
        next = 2 * h; /* no error at all */
    double proposed = it->method->propose ? it->method->propose(&it->stepper, h) : 0;
    if (proposed > 0)
        next = error->unknown >= 0 ? fmin(next, proposed) : proposed;
    return it->maximum_step > 0 ? fmin(next, it->maximum_step) : next;
}

static nt_status too_small(nt_integrator *it, const nt_step_error *error, double h,
                           nt_error *message)
{
    static const char *const kinds[] = {"position", "rotation", "velocity", "angular velocity"};
    char name[160];
    nt_problem_coordinate_name(it->problem, error->unknown, name, sizeof name);
    double t = it->stepper.now.all[NT_PHASE_T];
    nt_fail(message, NT_NOT_CONVERGED,
            "at t = %.9g s, step %.3g s: the error of the %s is %.3g times its tolerance at the "
            "smallest step allowed (%s)",
            t, h, kinds[error->kind], error->size, name);
    if (message) {
        message->time = t;
        message->step = h;
        message->residual = error->size;
    }
    return NT_NOT_CONVERGED;
}

/* ---- steps that the method chooses itself ---------------------------------------------------- */

/* It has reached `end` where only the rounding of now + (end - now) separates it. */
static double reached(const nt_phase *next, double end)
{
    double t = next->all[NT_PHASE_T];
    return t >= end - UNITS * DBL_EPSILON * fabs(end) ? end : t;
}

static nt_status advance_by_own(nt_integrator *it, double end, double h, nt_observer observer,
                                void *context, nt_error *error)
{
    nt_stepper *s = &it->stepper;
    s->asked_step = h;
    for (double t = s->now.all[NT_PHASE_T]; t < end; t = s->now.all[NT_PHASE_T]) {
        nt_status status = nt_integrator_attempt(it, end - t);
        double to = status == NT_OK ? reached(&s->next, end) : t;
        if (status == NT_OK)
            status = to > t ? nt_integrator_accept(it, to - t, to) : NT_NOT_CONVERGED;
        if (status != NT_OK) {
            nt_integrator_roll_back(it);
            return nt_integrator_give_up(it, status, to > t ? to - t : end - t, error);
        }
        if (observer && observer(context, it) != 0)
            return nt_fail(error, NT_INTERRUPTED, "interrupted at t = %.9g s",
                           s->now.all[NT_PHASE_T]);
    }
    return NT_OK;
}

/* ---- steps by the estimate and by proposals -------------------------------------------------- */

nt_status nt_integrator_advance_variable(nt_integrator *it, double end, double h,
                                         nt_observer observer, void *context, nt_error *error)
{
    nt_stepper *s = &it->stepper;
    if (!it->started)
        return nt_fail(error, NT_INVALID, "the integrator was not started");
    if (it->method->needs & NT_OWN_STEPS)
        return advance_by_own(it, end, h, observer, context, error);
    if (it->control.next == 0)
        it->control.next = it->maximum_step > 0 ? fmin(h, it->maximum_step) : h;
    double smallest = smallest_step(it, h);
    for (double t = s->now.all[NT_PHASE_T]; t < end; t = s->now.all[NT_PHASE_T]) {
        double wanted = it->control.next, step = trim(wanted, end - t);
        nt_step_error worst = {.unknown = -1};
        nt_status status = nt_integrator_attempt(it, step);
        if (status == NT_OK)
            status = examine(it, step, &worst);
        if (status != NT_OK || worst.size > 1) {
            it->statistics.rejected++;
            nt_integrator_roll_back(it);
            double smaller =
                status != NT_OK ? step / 4
                                : nt_step_after_rejected(step, worst.size, it->method->error_order);
            if (step <= smallest || status == NT_NO_MEMORY)
                return status != NT_OK ? nt_integrator_give_up(it, status, step, error)
                                       : too_small(it, &worst, step, error);
            it->control.next = fmax(smaller, smallest);
            it->control.error = 0;
            continue;
        }
        double before = s->now.all[NT_PHASE_STEP];
        double next = next_step(it, step, before, &worst);
        bool trimmed = step < wanted * (1 - 1e-9);
        if ((status = nt_integrator_accept(it, step, step >= end - t ? end : t + step)) != NT_OK)
            return nt_integrator_give_up(it, status, step, error);
        count(it, &worst);
        /* a trimmed step says nothing against the one that was wanted */
        it->control.next = trimmed ? fmax(next, fmin(wanted, 2 * next)) : fmax(next, smallest);
        it->control.error = worst.size;
        if (observer && observer(context, it) != 0)
            return nt_fail(error, NT_INTERRUPTED, "interrupted at t = %.9g s",
                           s->now.all[NT_PHASE_T]);
    }
    return NT_OK;
}
