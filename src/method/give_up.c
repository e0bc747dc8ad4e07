/* When, where and why a step was given up, in words. */
#include "base/error.h"
#include "method/integrator.h"
#include "method/state.h"
#include "system/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Where a step failed: an equation that did not converge, an unknown that nothing determines, or a
 * part of the system that has no value. */
static void failure_words(nt_integrator *it, nt_status status, char *text, int size)
{
    const nt_stepper *s = &it->stepper;
    const nt_system *system = it->problem->system;
    char name[300] = "";
    int unknown = s->report.unknown;
    text[0] = '\0';
    it->failed_unknown = -1;
    if (s->report.words)
        return;
    if (status == NT_SINGULAR)
        unknown = nt_solver_singular_unknown(it->factors->solver);
    it->failed_unknown = unknown;
    bool moves = s->report.increment && unknown < it->problem->nv && status != NT_SINGULAR;
    if (unknown >= 0 && moves)
        nt_problem_coordinate_name(it->problem, unknown, name, sizeof name);
    else if (unknown >= 0)
        nt_problem_equation_name(it->problem, unknown, name, sizeof name);
    if (status == NT_NOT_CONVERGED && unknown >= 0 && moves && isinf(s->report.worst))
        snprintf(text, (size_t)size, ": a step turns further than the method can follow: %s", name);
    else if (status == NT_NOT_CONVERGED && unknown >= 0) {
        char after[40] = "";
        if (s->report.iterations > 0)
            snprintf(after, sizeof after, " after %d iterations", s->report.iterations);
        snprintf(text, (size_t)size, "%s; worst: %s, %.3g times its tolerance", after, name,
                 s->report.worst);
    } else if (status != NT_NOT_CONVERGED && unknown >= 0)
        snprintf(text, (size_t)size, ": %s", name);
    else if (it->failed[0])
        snprintf(text, (size_t)size, ": %s", it->failed);
    else if (system->failure) { /* of what the driver evaluated itself */
        system->failure(system->self, name, sizeof name);
        snprintf(text, (size_t)size, "%s%s", name[0] ? ": " : "", name);
    }
}

/* Where balances of forces are solved in each step, but several nodes move together without
 * inertia: their accelerations are made of rounding, and where a load acts along that motion no
 * step starts from them. What fails here but for want of memory has no words of its own. */
static nt_status weightless_words(nt_integrator *it, nt_status failure, char *text, int size)
{
    nt_point at = nt_phase_point(&it->stepper.now);
    char name[300];
    int unknown = -1;
    text[0] = '\0';
    if (failure != NT_NOT_CONVERGED || !it->factors->resting)
        return NT_OK;
    nt_status status = nt_factors_find_weightless(it->factors, &at, &unknown);
    if (status == NT_OK && unknown >= 0) {
        nt_problem_coordinate_name(it->problem, unknown, name, sizeof name);
        snprintf(
            text, (size_t)size,
            "; nodes move together without inertia, %s most: give their bodies or sections one "
            "about every axis",
            name);
    }
    return status == NT_NO_MEMORY ? status : NT_OK;
}

/* Rows of constraints that are further from depending on each other than this part of their length
 * are none of a position that is nearly singular. */
static const double NEARLY_SINGULAR = 0.03;

/* Near a singular position reactions are large, and so is the rounding in them, and the mechanism
 * may go on in several ways: smaller steps do not help there. What fails here but for want of
 * memory has no words of its own. */
nt_status nt_integrator_say_singular(nt_integrator *it, char *text, int size)
{
    nt_point at = nt_phase_point(&it->stepper.now);
    char name[300];
    double distance;
    int row = -1;
    text[0] = '\0';
    nt_status status =
        nt_factors_find_nearly_dependent(it->factors, &at, NEARLY_SINGULAR, &row, &distance);
    if (status == NT_OK && row >= 0) {
        nt_problem_equation_name(it->problem, row, name, sizeof name);
        snprintf(text, (size_t)size,
                 "; its position is nearly singular: %s follows from the other constraints to "
                 "within %.1g of itself",
                 name, distance);
    }
    return status == NT_NO_MEMORY ? status : NT_OK;
}

void nt_integrator_say_reach(nt_integrator *it, const nt_phase *at, char *text, int size)
{
    char words[160];
    double h = it->parts.end - it->parts.begin;
    const nt_method *method = it->method;
    text[0] = '\0';
    if (it->variable || !method->reach ||
        method->reach(&it->stepper, at, h, words, sizeof words) <= 0)
        return;
    snprintf(text, (size_t)size, "; steps of %.3g s are too long: %s", h, words);
}

void nt_integrator_add_reach(nt_integrator *it, nt_error *error)
{
    if (!error)
        return;
    size_t used = strlen(error->message), room = sizeof error->message - used;
    nt_integrator_say_reach(it, it->watch.begun ? &it->begun : &it->stepper.now,
                            error->message + used, (int)room);
}

nt_status nt_integrator_give_up(nt_integrator *it, nt_status status, double h, nt_error *error)
{
    const nt_stepper *s = &it->stepper;
    char words[340], more[400], reach[240], singular[440] = "";
    nt_error part = {0};
    if (s->report.step > 0)
        h = s->report.step;
    nt_integrator_roll_back(it);
    if (status == NT_INTERRUPTED)
        return nt_fail(error, status, "interrupted at t = %.9g s, within a step",
                       s->now.all[NT_PHASE_T]);
    failure_words(it, status, words, sizeof words);
    bool is_solved = status == NT_NOT_CONVERGED || status == NT_SINGULAR;
    if (weightless_words(it, status, more, sizeof more) != NT_OK ||
        (is_solved && nt_integrator_say_singular(it, singular, sizeof singular) != NT_OK))
        return nt_fail(error, NT_NO_MEMORY, "out of memory to find why a step failed");
    nt_problem_ill_posed(it->problem, status, &part);
    nt_integrator_say_reach(it, it->watch.begun ? &it->begun : &s->now, reach, sizeof reach);
    const nt_error *place = part.message[0] ? &part : &it->failed_at;
    nt_fail_at(error, status, place->file, place->line, place->column,
               "at t = %.9g s, step %.3g s: %s%s%s%s%s%s%s", s->now.all[NT_PHASE_T], h,
               s->report.words ? s->report.words : nt_status_text(status), words, more, singular,
               part.message[0] ? "; " : "", part.message, reach);
    if (error) {
        error->time = s->now.all[NT_PHASE_T];
        error->step = h;
        error->iteration = s->report.iterations;
        error->residual = s->report.worst;
    }
    return status;
}
