/* Steps of changing size, by the error estimate and by what the method proposes. Output times never
 * dictate a step: they are served by dense output. */
#include "base/error.h"
#include "base/target.h"
#include "method/integrator.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A step must advance the time: this many units in its last place. */
static const double UNITS = 16;

static double smallest_step(const nt_integrator *it, double h)
{
    double t = it->stepper.now.all[NT_PHASE_T];
    double asked = it->minimum_step > 0 ? it->minimum_step : 1e-9 * h;
    return fmax(asked, UNITS * DBL_EPSILON * fabs(t));
}

/* A step across the place where a force begins may be as short as time tells, where no minimum is
 * asked for. */
static double finest_step(const nt_integrator *it)
{
    double t = it->stepper.now.all[NT_PHASE_T];
    return fmax(it->minimum_step, UNITS * DBL_EPSILON * fabs(t));
}

/* The step to try: the wanted one, or what leaves no sliver before the end. */
static double trim(double wanted, double left)
{
    if (wanted >= left * (1 - 1e-10))
        return left;
    return wanted > left / 2 ? left / 2 : wanted;
}

static bool has_tolerance(const nt_integrator *it)
{
    bool has = false;
    for (int i = 0; i < 4; i++)
        has |= it->stepper.tolerance[i] > 0;
    return has;
}

/* The error of the step just made; without an estimate it is 0. */
static nt_status examine(nt_integrator *it, double h, nt_step_error *error)
{
    *error = (nt_step_error){.unknown = -1};
    if (!has_tolerance(it) || !it->method->error)
        return NT_OK;
    nt_status status = it->method->error(&it->stepper, h, it->estimate);
    if (status == NT_OK)
        *error = nt_step_error_of(&it->stepper, it->estimate);
    return status;
}

static void variable_steps_count(nt_integrator *it, const nt_step_error *error)
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
    char name[160], singular[440];
    nt_problem_coordinate_name(it->problem, error->unknown, name, sizeof name);
    double t = it->stepper.now.all[NT_PHASE_T];
    if (nt_integrator_say_singular(it, singular, sizeof singular) != NT_OK)
        return nt_fail(message, NT_NO_MEMORY, "out of memory to find why a step failed");
    nt_fail(message, NT_NOT_CONVERGED,
            "at t = %.9g s, step %.3g s: the error of the %s is %.3g times its tolerance at the "
            "smallest step allowed (%s)%s",
            t, h, kinds[error->kind], error->size, name, singular);
    if (message) {
        message->time = t;
        message->step = h;
        message->residual = error->size;
    }
    return NT_NOT_CONVERGED;
}

NT_HOT nt_status nt_integrator_show(nt_integrator *it, nt_observer observer, void *context,
                                    nt_error *error)
{
    nt_integrator_notice(it);
    nt_status status = nt_energy_watch_step(it, error);
    if (status == NT_OK && observer && observer(context, it) != 0)
        status = nt_fail(error, NT_INTERRUPTED, "interrupted at t = %.9g s",
                         it->stepper.now.all[NT_PHASE_T]);
    return status;
}

/* ---- steps that the method chooses itself ---------------------------------------------------- */

/* It has reached `end` where only the rounding of now + (end - now) separates it. */
static double reached(const nt_phase *next, double end)
{
    double t = next->all[NT_PHASE_T];
    return t >= end - UNITS * DBL_EPSILON * fabs(end) ? end : t;
}

/* What a step over where a force begins goes beyond it at least: within a hundred units in the last
 * place of t SUNDIALS takes an end for reached. */
static double finest_own_step(const nt_integrator *it)
{
    const double units = 300;
    double t = fabs(it->stepper.now.all[NT_PHASE_T]);
    return fmax(it->minimum_step, units * DBL_EPSILON * (t + it->control.next));
}

/* Sizes are relative to the step that went across. */
static nt_status own_onsets_within(nt_integrator *it, double h, double finest, bool *within)
{
    nt_step_control *c = &it->control;
    if (c->ahead == 0)
        c->next = h;
    nt_status status = nt_onsets_within(it, h, finest, within);
    if (c->ahead == 0)
        c->next = 0;
    return status;
}

static nt_status advance_by_own(nt_integrator *it, double end, double h, nt_observer observer,
                                void *context, nt_error *error)
{
    nt_stepper *s = &it->stepper;
    s->asked_step = h;
    double until = end; /* of this step */
    for (double t = s->now.all[NT_PHASE_T]; t < end; t = s->now.all[NT_PHASE_T]) {
        double finest = finest_own_step(it);
        bool begins = false;
        until = fmin(until, t + nt_onsets_step(it, end - t, end - t, finest));
        nt_status status = nt_integrator_attempt(it, until - t);
        double to = status == NT_OK ? reached(&s->next, until) : t, h_made = to - t;
        bool found = false;
        nt_meeting met;
        if (status == NT_OK && to > t)
            status = own_onsets_within(it, h_made, finest, &begins);
        if (begins && status == NT_OK) {
            it->statistics.rejected++;
            nt_integrator_roll_back(it);
            until = end;
            continue;
        }
        if (status == NT_OK && to > t && nt_integrator_met(it, &s->now, &s->next, &met) &&
            met.part * h_made > smallest_step(it, h)) {
            it->statistics.rejected++;
            nt_integrator_roll_back(it);
            until = t + met.part * h_made;
            continue;
        }
        until = end;
        if (status == NT_OK && to > t)
            status = nt_stops_find(it, &h_made, &to, &found);
        it->stops.busy = found;
        if (status == NT_OK && found && h_made == 0)
            return nt_stops_happen(it, error);
        if (status == NT_OK)
            status = to > t ? nt_integrator_accept(it, h_made, to) : NT_NOT_CONVERGED;
        if (status == NT_OK)
            status = nt_onsets_approach(it, h_made);
        if (status != NT_OK) {
            nt_integrator_roll_back(it);
            return nt_integrator_give_up(it, status, to > t ? to - t : end - t, error);
        }
        if ((status = nt_integrator_show(it, observer, context, error)) != NT_OK)
            return status;
        if (found)
            return nt_stops_happen(it, error);
    }
    return NT_OK;
}

/* ---- steps by the estimate and by proposals --------------------------------------------------
 *
 * A step whose method does not look at its end (nt_method.review) is not shown before the next one
 * has been tried: the change of the accelerations from it to the next bears on its error as much as
 * the change to it. It is made again, smaller, where that error is above the tolerance. So no force
 * that begins in a step's second half is run into, and no evaluation is spent on it: the next step
 * makes them anyway. Only the last step before `end` needs accelerations at its end. */

/* A step may stand though the next one is rejected. What has changed then may lie far ahead, but
 * not with a next step of this part of its size. */
static const double NEAR = 0.25;

typedef struct walk {
    double smallest; /* step, s */
    nt_observer observer;
    void *context;
    nt_error *error;
} walk;

/* The end of the run: the accelerations that the forces there give, in `next`. */
static nt_status look_at_end(nt_integrator *it)
{
    nt_stepper *s = &it->stepper;
    memcpy(s->next.all, s->now.all, it->size * sizeof(double));
    return nt_integrator_accelerate(it, &s->next);
}

/* The last step stands: it is counted and shown. `next` stays as it is. */
static nt_status let_stand(nt_integrator *it, const walk *w)
{
    nt_stepper *s = &it->stepper;
    it->awaits = false;
    nt_status status = nt_integrator_count_step(it);
    if (status != NT_OK)
        return nt_integrator_give_up(it, status, s->next.all[NT_PHASE_STEP], w->error);
    variable_steps_count(it, &it->awaiting);
    nt_phase tried = s->next; /* an observer may use the room of `next` */
    if (it->method->review)
        s->next = it->earlier;
    status = nt_integrator_show(it, w->observer, w->context, w->error);
    s->next = tried;
    return status;
}

/* A step of size h that is made again. */
static nt_status reject(nt_integrator *it, nt_status status, double h, const nt_step_error *worst,
                        const walk *w)
{
    if (status == NT_INTERRUPTED)
        return nt_integrator_give_up(it, status, h, w->error);
    it->statistics.rejected++;
    nt_integrator_roll_back(it);
    double smaller =
        status != NT_OK ? h / 4 : nt_step_after_rejected(h, worst->size, it->method->error_order);
    if (h <= w->smallest || nt_is_final(status))
        return status != NT_OK ? nt_integrator_give_up(it, status, h, w->error)
                               : too_small(it, worst, h, w->error);
    it->control.next = fmax(smaller, w->smallest);
    it->control.error = 0;
    return NT_OK;
}

/* The verdict on the last step, after a try of the next one over h that ended with `tried` (h = 0:
 * at the end of the run). False where it was taken back, or where `status` ends the run. */
static bool review(nt_integrator *it, nt_status tried, double h, const walk *w, nt_status *status)
{
    nt_stepper *s = &it->stepper;
    nt_step_error worst = {.unknown = -1};
    double size = s->now.all[NT_PHASE_STEP];
    if (tried == NT_OK)
        tried = it->method->review(s, h, it->estimate);
    if (tried == NT_OK)
        worst = nt_step_error_of(s, it->estimate);
    if (tried == NT_OK && worst.size <= 1) {
        *status = let_stand(it, w);
        return *status == NT_OK;
    }
    it->awaits = false;
    it->statistics.rejected += h > 0; /* the try falls with it */
    nt_integrator_take_back(it);
    *status = reject(it, tried, size, &worst, w);
    return false;
}

/* The step just made, of size h, becomes the present state. */
static nt_status variable_steps_take(nt_integrator *it, double h, double end, double wanted,
                                     const nt_step_error *worst, const walk *w)
{
    double next = next_step(it, h, it->stepper.now.all[NT_PHASE_STEP], worst);
    bool trimmed = h < wanted * (1 - 1e-9);
    nt_status status = nt_integrator_move_on(it, h, end);
    if (status != NT_OK)
        return nt_integrator_give_up(it, status, h, w->error);
    it->awaits = true;
    it->awaiting = *worst;
    bool aimed = trimmed && it->control.ahead > 0;
    it->cut_short = trimmed;
    if ((status = nt_onsets_approach(it, h)) != NT_OK)
        return nt_integrator_give_up(it, status, h, w->error);
    it->control.error = worst->size;
    if (aimed) { /* a step to where a force begins says as little */
        it->control.error = 0;
        return NT_OK;
    }
    /* a trimmed step says nothing against the one that was wanted */
    it->control.next = trimmed ? fmax(next, fmin(wanted, 2 * next)) : fmax(next, w->smallest);
    return NT_OK;
}

/* A step over h, good by its error, in which surfaces have met and parted again: it is made again
 * so that the method sees them. Where that is shorter than the smallest step it stands. */
static bool misses(nt_integrator *it, double h, const walk *w)
{
    double part;
    nt_meeting met;
    nt_phase *next = &it->stepper.next;
    next->all[NT_PHASE_T] = it->stepper.now.all[NT_PHASE_T] + h;
    if (!nt_integrator_met(it, &it->stepper.now, next, &met) ||
        (part = nt_integrator_step_that_sees(it, &met)) * h <= w->smallest)
        return false;
    it->statistics.rejected++;
    nt_integrator_roll_back(it);
    it->control.next = part * h;
    it->control.error = 0;
    return true;
}

/* One try of a step from the present state; what follows from it for the last step, and for itself.
 */
static nt_status try_step(nt_integrator *it, double end, const walk *w)
{
    const nt_phase *now = &it->stepper.now;
    double t = now->all[NT_PHASE_T], wanted = it->control.next;
    double finest = finest_step(it);
    double h = nt_onsets_step(it, trim(wanted, end - t), end - t, finest);
    nt_step_error worst = {.unknown = -1};
    nt_status tried = nt_integrator_attempt(it, h), status = NT_OK;
    if (tried == NT_OK)
        tried = examine(it, h, &worst);
    bool fails = tried != NT_OK || worst.size > 1;
    bool tells = tried != NT_OK ? h <= w->smallest : !fails || h <= NEAR * now->all[NT_PHASE_STEP];
    if (it->awaits && tells && !review(it, tried, h, w, &status))
        return status;
    bool begins = false;
    if (tried == NT_OK && (status = nt_onsets_within(it, h, finest, &begins)) != NT_OK)
        return nt_integrator_give_up(it, status, h, w->error);
    if (begins) {
        it->statistics.rejected++;
        nt_integrator_roll_back(it);
        return NT_OK;
    }
    if (fails)
        return reject(it, tried, h, &worst, w);
    if (misses(it, h, w))
        return NT_OK;
    double to = h >= end - t ? end : t + h;
    bool found = false;
    if ((status = nt_stops_find(it, &h, &to, &found)) != NT_OK)
        return nt_integrator_give_up(it, status, h, w->error);
    it->stops.busy = found;
    if (found && h == 0) {
        if (it->awaits && !review(it, look_at_end(it), 0, w, &status))
            return status;
        return nt_stops_happen(it, w->error);
    }
    status = variable_steps_take(it, h, to, wanted, &worst, w);
    bool later = it->method->review && has_tolerance(it);
    if (status == NT_OK && later && found && !review(it, look_at_end(it), 0, w, &status))
        return status;
    if (status == NT_OK && !later)
        status = let_stand(it, w);
    return status == NT_OK && found ? nt_stops_happen(it, w->error) : status;
}

nt_status nt_integrator_advance_variable(nt_integrator *it, double end, double h,
                                         nt_observer observer, void *context, nt_error *error)
{
    if (!it->started)
        return nt_fail(error, NT_INVALID, "the integrator was not started");
    if (it->method->needs & NT_OWN_STEPS)
        return advance_by_own(it, end, h, observer, context, error);
    if (it->control.next == 0)
        it->control.next = it->maximum_step > 0 ? fmin(h, it->maximum_step) : h;
    walk w = {smallest_step(it, h), observer, context, error};
    nt_status status = NT_OK;
    while (status == NT_OK && (it->awaits || it->stepper.now.all[NT_PHASE_T] < end)) {
        if (it->stepper.now.all[NT_PHASE_T] < end)
            status = try_step(it, end, &w);
        else
            review(it, look_at_end(it), 0, &w, &status);
        if (it->stops.events && !it->stops.stretch.laid_out)
            break; /* an event has ended the stretch */
    }
    if (it->awaits && status == NT_INTERRUPTED) /* within a step behind one that is not shown */
        nt_integrator_take_back(it);
    it->awaits = false; /* an interrupted run goes on from what it has shown */
    return status;
}
