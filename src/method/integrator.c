/* The integrator: owns memory, time, retries and the record of what happened. Methods own the
 * mathematics of one step. */
#include "method/integrator.h"
#include "base/error.h"
#include "base/target.h"
#include "method/branch.h"
#include "method/dense_output.h"
#include "method/newton.h"
#include "method/work.h"
#include "system/check.h"
#include "system/turning.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Halvings of the step asked for that can be counted: 2^40 parts. The minimum step ends them
 * before. */
enum { DEEPEST = 40 };

/* Steps taken at a halved size before it is doubled again. Changing the step disturbs the
 * multipliers of an index-3 method for about this many steps, so it is done seldom. */
enum { PATIENCE = 16 };

/* ---- memory --------------------------------------------------------------------------------- */

static size_t phase_size(const nt_problem *p, const nt_layout *layout)
{
    return NT_PHASE_HEAD + (size_t)p->nq + 2 * (size_t)p->nv + (size_t)p->nc +
           (size_t)p->system->n_memory + layout->memory;
}

static void phase_bind(nt_phase *phase, double *all, const nt_problem *p)
{
    phase->all = all;
    phase->q = all + NT_PHASE_HEAD;
    phase->v = phase->q + p->nq;
    phase->vdot = phase->v + p->nv;
    phase->lambda = phase->vdot + p->nv;
    phase->mu = phase->lambda + p->nh;
    phase->memory = phase->mu + p->nn;
    phase->method = phase->memory + p->system->n_memory;
}

static nt_status check_setup(const nt_integrator_setup *setup, nt_error *error)
{
    const nt_method *method = setup->method;
    nt_status status = nt_method_suits(method, setup->system, error);
    if (status != NT_OK)
        return status;
    if (setup->track_work && !(setup->system->capabilities & NT_HAS_ENERGY))
        return nt_fail(error, NT_UNSUPPORTED,
                       "work cannot be followed: the system gives no energies (NT_HAS_ENERGY)");
    for (int i = 0; i < 4; i++) {
        if (setup->tolerance[i] != 0)
            status = nt_method_check_tolerance(method, setup->system, error);
        if (status != NT_OK)
            return status;
        if (!(setup->tolerance[i] >= 0) || !isfinite(setup->tolerance[i]))
            return nt_fail(error, NT_INVALID, "tolerance %d is %g, expected a number from 0 on", i,
                           setup->tolerance[i]);
    }
    double least = setup->minimum_step, most = setup->maximum_step;
    if (!(least >= 0) || !(most >= 0) || !isfinite(least) || !isfinite(most) ||
        (most > 0 && least > most))
        return nt_fail(error, NT_INVALID,
                       "minimum step %g s and maximum step %g s, expected a range of positive "
                       "numbers, 0 for no limit",
                       least, most);
    if (setup->frame != NT_INERTIAL && !nt_method_has_frame(method, setup->frame))
        return nt_fail(error, NT_UNSUPPORTED, "method %s has no %s frame", method->name,
                       setup->frame == NT_BODY ? "body" : "se3");
    return NT_OK;
}

/* Steps that follow an error estimate, what the method proposes, or what it does by itself. */
static bool chooses_steps(const nt_integrator_setup *setup, const nt_layout *layout)
{
    bool controlled = layout->proposes || (setup->method->needs & NT_OWN_STEPS);
    for (int i = 0; i < 4; i++)
        controlled |= setup->tolerance[i] > 0;
    return controlled;
}

/* Tangents of beams cost more than a few residuals: theirs are kept. */
static void decide_reuse(nt_options *options, const nt_system *system)
{
    if (nt_options_have(options, NT_OPTION_REUSE_TANGENT) &&
        nt_options_get(options, NT_OPTION_REUSE_TANGENT) == NT_REUSE_AUTO)
        options->value[NT_OPTION_REUSE_TANGENT] =
            system->carriers ? NT_REUSE_ALWAYS : NT_REUSE_NEVER;
}

/* A tangent stays in use from step to step. */
static bool keeps_factors(const nt_options *options)
{
    return nt_options_have(options, NT_OPTION_REUSE_TANGENT) &&
           nt_options_get(options, NT_OPTION_REUSE_TANGENT) != 0;
}

/* The system as the method works on it: problem, factors and options. */
static nt_status integrator_bind(nt_integrator *it, const nt_integrator_setup *setup,
                                 nt_error *error)
{
    const nt_method *method = it->method;
    nt_frame frame = nt_method_has_frame(method, setup->frame) ? setup->frame : NT_BODY;
    nt_status status = nt_problem_create(&it->problem, setup->system, frame, error);
    if (status == NT_OK)
        it->problem->stop = setup->stop;
    if (status == NT_OK)
        status = nt_factors_create(&it->factors, it->problem, setup->solver, error);
    if (status == NT_OK && (method->needs & NT_MASSLESS))
        status = nt_factors_let_rest(it->factors);
    if (status == NT_OK && method->interpolate) /* never within a step */
        status = nt_factors_create(&it->look, it->problem, setup->solver, error);
    double *values = NT_TAKE(&it->arena, method->n_options, double);
    if (status == NT_OK && !values)
        status = NT_NO_MEMORY;
    if (status == NT_OK)
        status = nt_method_parse_options(method, setup->options, setup->n_options, values,
                                         "nt_integrator_create", error);
    if (status == NT_OK)
        status = nt_options_resolve(&it->options, method, values, error);
    if (status != NT_OK)
        return status;
    decide_reuse(&it->options, setup->system);
    status = method->layout(it->problem, &it->options, &it->layout, error);
    it->keeps = keeps_factors(&it->options);
    return status == NT_OK && it->keeps ? nt_turning_take(it->factors) : status;
}

/* All that steps and looks need, so that neither allocates. */
nt_status nt_integrator_take_balanced(nt_integrator *it)
{
    const nt_problem *p = it->problem;
    size_t shown = nt_problem_changes_frame(p) ? 2 * (size_t)p->nv : 0;
    double *all = it->balanced.all;
    if (!all && !(all = NT_TAKE(&it->arena, 2 * it->size + shown, double)))
        return NT_NO_MEMORY;
    phase_bind(&it->balanced, all, p);
    phase_bind(&it->doubted, all + it->size + shown, p);
    return NT_OK;
}

static nt_status integrator_take_memory(nt_integrator *it)
{
    const nt_problem *p = it->problem;
    const nt_method *method = it->method;
    nt_arena *arena = &it->arena;
    /* work is looked for before a step stands, and the watch looks at steps behind which the next
     * one may have been tried: then the room of neither `next` nor scratch is free */
    bool beside = it->track_work || method->review || p->system->events;
    bool estimates = method->error || method->review;
    size_t nv = (size_t)p->nv, dense = nt_dense_output_work(p);
    size_t scratch = it->layout.scratch > dense ? it->layout.scratch : dense;
    nt_phase *const phases[] = {&it->stepper.now, &it->stepper.next, &it->before,
                                method->review ? &it->earlier : NULL,
                                it->track_work ? &it->within : NULL};
    it->size = phase_size(p, &it->layout);
    for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++) {
        double *all = NT_TAKE(arena, phases[i] ? it->size : 0, double);
        if (!all)
            return NT_NO_MEMORY;
        if (phases[i])
            phase_bind(phases[i], all, p);
    }
    if ((method->needs & NT_RATES_WITHIN) && nt_integrator_take_balanced(it) != NT_OK)
        return NT_NO_MEMORY;
    if (!NT_DOUBLES(arena, nt_problem_changes_frame(p) ? 2 * nv : 0, &it->looked_v) ||
        !NT_DOUBLES(arena, estimates ? 2 * nv : 0, &it->estimate) ||
        !NT_DOUBLES(arena, scratch, &it->stepper.scratch) ||
        !NT_DOUBLES(arena, NT_PHASE_HEAD + (size_t)(p->nq + p->nv + p->system->n_memory),
                    &it->begun.all))
        return NT_NO_MEMORY;
    it->dense = it->stepper.scratch; /* free between steps */
    if (beside)
        it->dense = NT_TAKE(arena, dense, double);
    it->kept = NT_TAKE(arena, p->nc, int);
    it->rows = NT_TAKE(arena, p->nc, int);
    if (!it->dense || !it->kept || !it->rows || nt_energy_watch_take(it) != NT_OK ||
        nt_meetings_take(it) != NT_OK || nt_onsets_take(it) != NT_OK)
        return NT_NO_MEMORY;
    return nt_stops_create(it, it->size, scratch);
}

nt_status nt_integrator_create(nt_integrator **out, const nt_integrator_setup *setup,
                               nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "integrator", out);
    *out = NULL;
    NT_NEED(error, "setup", setup);
    NT_NEED_VERSION(error, "setup", setup->version);
    NT_NEED(error, "setup.system setup.method", setup->system, setup->method);
    NT_NEED_COUNT(error, "setup.n_options", setup->n_options);
    if (setup->n_options > 0)
        NT_NEED(error, "setup.options", setup->options);
    NT_NEED_NUMBER(error, "setup.frame", setup->frame, NT_INERTIAL, NT_SE3);
    NT_NEED_NUMBER(error, "setup.energy_check", setup->energy_check, NT_ENERGY_ENDS,
                   NT_ENERGY_UNWATCHED);
    NT_NEED_NUMBER(error, "setup.solver", setup->solver, NT_SOLVER_AUTO, NT_SOLVER_KLU);
    NT_NEED_SYSTEM(error, "setup.system", setup->system);
    nt_status status = check_setup(setup, error);
    if (status != NT_OK)
        return nt_said(error, status);
    nt_integrator *it = calloc(1, sizeof *it);
    if (!it)
        return nt_fail(error, NT_NO_MEMORY, "out of memory for an integrator");
    it->method = setup->method;
    it->track_work = setup->track_work;
    it->energy_check = setup->energy_check;
    it->minimum_step = setup->minimum_step;
    it->maximum_step = setup->maximum_step;
    it->failed_unknown = -1;
    status = integrator_bind(it, setup, error);
    it->variable = chooses_steps(setup, &it->layout);
    it->stepper = (nt_stepper){.problem = it->problem,
                               .factors = it->factors,
                               .options = &it->options,
                               .statistics = &it->statistics,
                               .minimum_step = setup->minimum_step,
                               .maximum_step = setup->maximum_step};
    memcpy(it->stepper.tolerance, setup->tolerance, sizeof setup->tolerance);
    if (status == NT_OK)
        status = integrator_take_memory(it);
    if (status == NT_OK) {
        *out = it;
        return NT_OK;
    }
    nt_integrator_destroy(it);
    if (status == NT_NO_MEMORY)
        return nt_fail(error, NT_NO_MEMORY, "out of memory for an integrator");
    return nt_said(error, status);
}

void nt_integrator_destroy(nt_integrator *it)
{
    if (!it)
        return;
    if (it->method->close)
        it->method->close(&it->stepper);
    nt_minimum_norm_destroy(it->reactions);
    nt_factors_destroy(it->look);
    nt_factors_destroy(it->pivoted);
    nt_factors_destroy(it->factors);
    nt_problem_destroy(it->problem);
    nt_arena_free(&it->arena);
    free(it);
}

NT_HOT static void count_solver(nt_integrator *it)
{
    const nt_solver_statistics *solver = nt_solver_get_statistics(it->factors->solver);
    it->statistics.fallbacks = solver->fallbacks;
    it->statistics.pivoted = solver->pivoted;
    it->statistics.linear_residual = solver->worst_residual;
}

static void remember_rows(nt_integrator *it)
{
    const nt_factors *f = it->factors;
    it->n_rows = f->n_dropped;
    if (f->n_dropped > 0)
        memcpy(it->rows, f->dropped, (size_t)f->n_dropped * sizeof *f->dropped);
}

void nt_integrator_roll_back(nt_integrator *it)
{
    nt_factors *f = it->factors;
    nt_integrator_forget_noticed(it, it->stepper.now.all[NT_PHASE_T]);
    f->kept = false;
    if (f->n_dropped != it->n_rows ||
        memcmp(f->dropped, it->rows, (size_t)it->n_rows * sizeof *it->rows) != 0)
        nt_factors_set_rows(f, it->rows, it->n_rows);
}

/* ---- start ---------------------------------------------------------------------------------- */

/* What a constraint may miss at the start: far above the rounding of any closed linkage, far below
 * what a figure in a file would be off by. */
static const double CONSISTENT = 1e-8;

static nt_status check_start(nt_integrator *it, const nt_point *at, nt_error *error)
{
    const nt_problem *p = it->problem;
    for (nt_level level = NT_POSITION; p->nc > 0 && level <= NT_VELOCITY; level++) {
        double *rows = it->factors->work;
        nt_terms terms = {.level = level, .rows = rows};
        nt_status status = nt_problem_evaluate(p, at, &terms);
        if (status != NT_OK)
            return nt_fail(error, status, "constraints cannot be evaluated at the start: %s",
                           nt_status_text(status));
        double scale = 1; /* rows are judged relative to the largest coordinate or velocity */
        for (int i = 0; level == NT_VELOCITY && i < p->nv; i++)
            scale = fmax(scale, fabs(at->v[i]));
        for (int i = 0; level == NT_POSITION && i < p->nq; i++)
            scale = fmax(scale, fabs(at->q[i]));
        for (int i = 0; i < (level == NT_POSITION ? p->nh : p->nc); i++) {
            if (fabs(rows[i]) <= CONSISTENT * scale)
                continue;
            char name[160];
            nt_error place = {0};
            nt_problem_equation_name(p, p->nv + i, name, sizeof name);
            if (p->system->place)
                p->system->place(p->system->self, p->nv + i, &place);
            return nt_fail_at(error, NT_INCONSISTENT, place.file, place.line, place.column,
                              "initial %s contradict the constraints: %s is off by %.6g",
                              level == NT_POSITION ? "positions" : "velocities", name, rows[i]);
        }
    }
    return NT_OK;
}

nt_status nt_integrator_start(nt_integrator *it, double t, const double *q, const double *v,
                              const double *memory, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "integrator", it);
    NT_NEED_FINITE(error, "t", t);
    if (q || v || memory)
        NT_NEED(error, "q v", q, v);
    const nt_problem *p = it->problem;
    if (q) {
        NT_NEED_GOOD(nt_numbers_refuse(error, __func__, "q", q, p->nq));
        NT_NEED_GOOD(nt_numbers_refuse(error, __func__, "v", v, p->nv));
    }
    nt_phase *next = &it->stepper.next;
    nt_integrator_forget_noticed(it, -(double)INFINITY);
    it->damped.by = it->turned.by = it->turning = 0;
    memset(next->all, 0, it->size * sizeof(double));
    next->all[NT_PHASE_T] = t;
    if (!q) { /* the system's own initial values */
        if (!p->system->initial)
            return nt_fail(error, NT_INVALID, "no initial q and v given, and the system has none");
        nt_status own = p->system->initial(p->system->self, t, next->q, next->v, next->memory);
        if (own != NT_OK)
            return nt_fail(error, own, "the system has no initial values at t = %g s: %s", t,
                           nt_status_text(own));
        q = next->q, v = next->v, memory = NULL;
    } else
        memcpy(next->q, q, (size_t)p->nq * sizeof(double));
    nt_space_change_frame(&p->space, p->system->frame, p->frame, next->q, v, next->v);
    if (memory)
        memcpy(next->memory, memory, (size_t)p->system->n_memory * sizeof(double));
    nt_status status = nt_stops_begin(it, error);
    nt_point at = nt_phase_point(next);
    if (status == NT_OK)
        status = check_start(it, &at, error);
    if (status != NT_OK)
        return nt_said(error, status);
    nt_solver_forget(it->factors->solver);
    it->factors->steps_kept = it->factors->corrections = 0;
    it->factors->own_ahead = it->factors->own_last = 0;
    status = nt_factors_accelerations(it->factors, &at, next->vdot, next->lambda, next->mu, error);
    if (status == NT_OK)
        status = nt_factors_refuse_weightless(it->factors, &at, error);
    if (status != NT_OK)
        return nt_said(error, status);
    it->unbalanced.t = t;
    it->unbalanced.by = it->factors->unbalanced.by;
    it->unbalanced.force = it->factors->unbalanced.force;
    it->unbalanced.unknown = it->factors->unbalanced.unknown;
    it->statistics = (nt_statistics){.limiting_unknown = -1};
    it->stepper.now.all[NT_PHASE_T] = t;
    status = it->method->start(&it->stepper);
    if (status != NT_OK)
        nt_fail(error, status, "method %s could not start: %s", it->method->name,
                nt_status_text(status));
    if ((status = nt_problem_ends(p, status, error)) != NT_OK)
        return nt_said(error, status);
    memcpy(it->stepper.now.all, next->all, it->size * sizeof(double));
    memcpy(it->before.all, next->all, it->size * sizeof(double));
    it->level = it->calm = 0;
    it->parts = (nt_parts){0};
    it->awaits = false;
    it->control = (nt_step_control){0};
    it->watch = (nt_energy_watch){0};
    it->last_growth = (nt_last_growth){0};
    if (it->accounts.n_bounces > 0)
        memset(it->accounts.bounces, 0,
               (size_t)it->accounts.n_bounces * sizeof *it->accounts.bounces);
    it->stepper.stale = it->stepper.resumed = false;
    it->started = true;
    count_solver(it);
    return nt_said(error, nt_stops_begin_sides(it, error));
}

nt_status nt_integrator_refresh(nt_integrator *it, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "integrator", it);
    nt_stepper *s = &it->stepper;
    nt_phase *next = &s->next;
    if (!it->started)
        return nt_fail(error, NT_INVALID, "the integrator was not started");
    /* parameters may have taken a promise back: NT_POSITION_FORCES where damping began */
    nt_status status = nt_method_suits(it->method, it->problem->system, error);
    if (status != NT_OK)
        return nt_said(error, status);
    memcpy(next->all, s->now.all, it->size * sizeof(double));
    nt_point at = nt_phase_point(next);
    remember_rows(it);
    status = nt_factors_accelerations(it->factors, &at, next->vdot, next->lambda, next->mu, error);
    if (status == NT_OK) {
        s->stale = true;
        status = it->method->start(s);
        if (status != NT_OK)
            nt_fail(error, status, "method %s could not go on: %s", it->method->name,
                    nt_status_text(status));
    }
    status = nt_problem_ends(it->problem, status, error);
    if (status != NT_OK) {
        nt_integrator_roll_back(it);
        return nt_said(error, status);
    }
    memcpy(s->now.all, next->all, it->size * sizeof(double));
    it->watch.begun = false; /* other parameters are other energies */
    count_solver(it);
    return NT_OK;
}

/* ---- one step ------------------------------------------------------------------------------- */

NT_HOT nt_status nt_integrator_move_on(nt_integrator *it, double h, double end)
{
    nt_stepper *s = &it->stepper;
    const nt_problem *p = it->problem;
    s->next.all[NT_PHASE_T] = end;
    s->next.all[NT_PHASE_STEP] = h;
    s->next.all[NT_PHASE_WORK] = s->now.all[NT_PHASE_WORK];
    memset(s->next.all + NT_PHASE_POWER, 0, NT_WORK_NODES * sizeof(double));
    nt_status status = it->track_work ? nt_integrator_work(it) : NT_OK;
    if (status == NT_OK && p->system->accept)
        status = nt_integrator_accept_memory(it);
    if (nt_problem_stops(p)) /* whatever was tried instead of what did not go on does not stand */
        status = NT_INTERRUPTED;
    if (status != NT_OK)
        return status;
    if (it->stops.events)
        memcpy(s->next.memory + it->stops.events->sides, it->stops.side,
               2 * (size_t)it->stops.events->n * sizeof(double));
    nt_phase last = s->next;
    s->next = it->before;
    if (it->method->review) { /* the step may be taken back */
        s->next = it->earlier;
        it->earlier = it->before;
    }
    it->before = s->now;
    s->now = last;
    s->stale = s->resumed = false;
    if (s->report.position_drift > it->statistics.position_drift)
        it->statistics.position_drift = s->report.position_drift;
    return NT_OK;
}

void nt_integrator_take_back(nt_integrator *it)
{
    nt_phase last = it->stepper.now;
    it->stepper.now = it->before;
    it->before = it->stepper.next;
    if (it->method->review) {
        it->before = it->earlier;
        it->earlier = it->stepper.next;
    }
    it->stepper.next = last;
}

/* Sensitivities are shown the step as it was made: from `now` to `next`. */
NT_HOT nt_status nt_integrator_count_step(nt_integrator *it)
{
    nt_stepper *s = &it->stepper;
    nt_statistics *statistics = &it->statistics;
    double h = s->now.all[NT_PHASE_STEP];
    if (it->attend) {
        nt_phase free = s->next;
        s->next = s->now;
        s->now = it->before;
        nt_status status = it->attend(it->attendant, it, h);
        s->now = s->next;
        s->next = free;
        if (status != NT_OK) {
            nt_integrator_take_back(it);
            return status;
        }
    }
    nt_integrator_watch_step(it, h);
    if (!it->variable)
        nt_integrator_watch_meetings(it, &it->before, &s->now);
    statistics->steps++;
    if (h > statistics->largest_step)
        statistics->largest_step = h;
    if (statistics->steps == 1 || (h < statistics->smallest_step && !it->cut_short))
        statistics->smallest_step = h;
    return NT_OK;
}

NT_HOT nt_status nt_integrator_accept(nt_integrator *it, double h, double end)
{
    nt_status status = nt_integrator_move_on(it, h, end);
    return status == NT_OK ? nt_integrator_count_step(it) : status;
}

/* Choose independent rows at a state. *changed is false when they are the ones in use, or cannot be
 * chosen: then those in use stay. NT_OK, or what is final. */
static nt_status rows_change(nt_integrator *it, const nt_phase *phase, bool *changed)
{
    nt_factors *f = it->factors;
    int before = f->n_dropped;
    size_t bytes = (size_t)before * sizeof *f->dropped;
    memcpy(it->kept, f->dropped, bytes);
    nt_point at = nt_phase_point(phase);
    nt_status status = nt_factors_choose_rows(f, &at);
    *changed =
        status == NT_OK && (f->n_dropped != before || memcmp(it->kept, f->dropped, bytes) != 0);
    if (*changed) {
        it->statistics.rank_changes++;
        return NT_OK;
    }
    nt_factors_set_rows(f, it->kept, before);
    return nt_is_final(status) ? status : NT_OK;
}

/* Rows of velocities that are left out may miss this part of the largest velocity (1 m/s or rad/s
 * at least), ninety roundings, or be this much worse than those in use. */
static const double LEFT_OUT = 2e-14, WORSE = 10;

static bool left_out_rows_miss(const nt_integrator *it, const nt_phase *phase)
{
    const nt_problem *p = it->problem;
    const nt_factors *f = it->factors;
    nt_point at = nt_phase_point(phase);
    double *rows = f->work, left_out = 0, in_use = 0, scale = 1;
    nt_terms terms = {.level = NT_VELOCITY, .rows = rows};
    if (f->n_dropped == 0 || nt_problem_evaluate(p, &at, &terms) != NT_OK)
        return false;
    for (int i = 0; i < f->n_dropped; i++) {
        double *row = &rows[f->dropped[i] - p->nv];
        left_out = fmax(left_out, fabs(*row));
        *row = 0;
    }
    for (int i = 0; i < p->nc; i++)
        in_use = fmax(in_use, fabs(rows[i]));
    for (int i = 0; i < p->nv; i++)
        scale = fmax(scale, fabs(phase->v[i]));
    return left_out > LEFT_OUT * scale && left_out > WORSE * in_use;
}

/* One call of the method. What had no value in it is noted at once: whatever is evaluated
 * afterwards, to choose rows, makes the system forget it. */
NT_HOT static nt_status call_method(nt_integrator *it, double h)
{
    const nt_system *system = it->problem->system;
    nt_status status = it->method->step(&it->stepper, h);
    it->failed[0] = '\0';
    nt_error_clear(&it->failed_at);
    if (status == NT_NOT_FINITE && system->failure)
        system->failure(system->self, it->failed, sizeof it->failed);
    if (it->failed[0] && system->place)
        system->place(system->self, -1, &it->failed_at);
    return status;
}

/* After the rows in use changed: a step that goes on smoothly. */
static nt_status call_with_new_rows(nt_integrator *it, double h)
{
    nt_status status = call_method(it, h);
    if (status != NT_OK || !nt_branch_jumps(it))
        return status;
    it->stepper.report = (nt_report){
        .unknown = -1, .words = "velocities jump where the independent equations change"};
    return NT_NOT_CONVERGED;
}

/* The step just made, again with other rows left out, where those that are do not follow from the
 * others as well as rounding allows. */
static nt_status mend_left_out(nt_integrator *it, double h)
{
    nt_factors *f = it->factors;
    int count = f->n_dropped;
    bool changed = false;
    memcpy(it->kept, f->dropped, (size_t)count * sizeof *f->dropped);
    nt_point at = nt_phase_point(&it->stepper.next);
    nt_status status = nt_factors_exchange_rows(f, &at, &changed);
    if (status == NT_OK && !changed)
        return NT_OK;
    if (status == NT_OK && (status = call_with_new_rows(it, h)) == NT_OK) {
        it->statistics.rank_changes++;
        return NT_OK;
    }
    nt_status back = nt_factors_set_rows(f, it->kept, count);
    if (back != NT_OK || nt_is_final(status))
        return back != NT_OK ? back : status;
    return call_method(it, h);
}

/* One try, and others with other rows. A solve that fails may mean that the rows in use are
 * dependent (a singular position) where the step begins or where it ends: choose anew and try
 * again. Lack of memory says nothing of the equations, nor does the wish to stop: nothing is tried
 * again for them, here or in smaller steps. */
NT_HOT static nt_status attempt(nt_integrator *it, double h)
{
    nt_stepper *s = &it->stepper;
    nt_status status = call_method(it, h);
    if (it->problem->nc == 0)
        return status;
    if (status == NT_OK)
        return left_out_rows_miss(it, &s->next) ? mend_left_out(it, h) : NT_OK;
    const nt_phase *const places[] = {&s->next, &s->now};
    for (int i = 0; i < 2 && status != NT_OK && !nt_is_final(status); i++) {
        bool changed;
        nt_status chosen = rows_change(it, places[i], &changed);
        if (chosen != NT_OK)
            return chosen;
        status = changed ? call_with_new_rows(it, h) : status;
    }
    return status;
}

NT_HOT nt_status nt_integrator_attempt(nt_integrator *it, double h)
{
    long before = it->statistics.evaluations;
    remember_rows(it);
    nt_status status = attempt(it, h);
    if (nt_problem_stops(it->problem))
        status = NT_INTERRUPTED;
    it->watch.spent += it->statistics.evaluations - before;
    count_solver(it);
    return status;
}

/* A step of h is 2^level parts; `done` counts them in units of the finest part, so that time is
 * exact at every level and the last part ends at the end. One that was stopped between its parts
 * goes on with them: the state says how many were made. */
static bool goes_on(const nt_integrator *it, double end)
{
    const nt_parts *p = &it->parts;
    double made = ldexp((double)p->done, -DEEPEST);
    return p->done > 0 && p->end == end &&
           it->stepper.now.all[NT_PHASE_T] == p->begin + made * (p->end - p->begin);
}

NT_HOT nt_status nt_integrator_advance(nt_integrator *it, double end, nt_observer observer,
                                       void *context, nt_error *error)
{
    nt_stepper *s = &it->stepper;
    if (!it->started)
        return nt_fail(error, NT_INVALID, "the integrator was not started");
    if (!goes_on(it, end))
        it->parts = (nt_parts){s->now.all[NT_PHASE_T], end, 0};
    double begin = it->parts.begin, h = end - begin;
    if (!(h > 0) || !isfinite(h))
        return nt_fail(error, NT_INVALID, "step from t = %g s to %g s, expected a later time",
                       begin, end);
    double smallest = it->minimum_step > 0 ? it->minimum_step : 1e-4 * h;
    long long whole = 1LL << DEEPEST, done = it->parts.done;
    while (done < whole) {
        long long part = whole >> it->level;
        double part_h = it->level == 0 ? h : ldexp(h, -it->level);
        nt_status status = nt_integrator_attempt(it, part_h);
        if (status == NT_INTERRUPTED)
            return nt_integrator_give_up(it, status, part_h, error);
        if (status != NT_OK) {
            it->statistics.rejected++;
            it->calm = 0;
            nt_integrator_roll_back(it);
            if (nt_is_final(status) || it->level == DEEPEST || part_h / 2 < smallest)
                return nt_integrator_give_up(it, status, part_h, error);
            it->level++;
            continue;
        }
        done += part;
        double reached = done == whole ? end : begin + ldexp((double)done, -DEEPEST) * h;
        bool found = false;
        if ((status = nt_stops_find(it, &part_h, &reached, &found)) != NT_OK)
            return nt_integrator_give_up(it, status, part_h, error);
        it->stops.busy = found;
        if (found && part_h == 0)
            return nt_stops_happen(it, error);
        if ((status = nt_integrator_accept(it, part_h, reached)) != NT_OK)
            return nt_integrator_give_up(it, status, part_h, error);
        it->parts.done = found || done == whole ? 0 : done;
        if (it->stops.events && done == whole && !found)
            it->stops.stretch.done++;
        if (it->level > 0 && ++it->calm >= PATIENCE && done % (2 * part) == 0) {
            it->level--;
            it->calm = 0;
        }
        if ((status = nt_integrator_show(it, observer, context, error)) != NT_OK)
            return status;
        if (found)
            return nt_stops_happen(it, error);
    }
    return NT_OK;
}

static nt_status equal_steps(nt_integrator *it, double end, double h, nt_observer observer,
                             void *context, nt_error *error)
{
    double begin = it->stepper.now.all[NT_PHASE_T];
    /* a ratio that is whole but for rounding is whole */
    double count = ceil((end - begin) / h * (1 - 1e-12));
    if (count > 1e15)
        return nt_fail(error, NT_INVALID, "%.3g steps of %g s to t = %g s are too many", count, h,
                       end);
    for (double k = 1; k <= count; k++) {
        double target = k == count ? end : begin + (end - begin) * (k / count);
        nt_status status = nt_integrator_advance(it, target, observer, context, error);
        if (status != NT_OK)
            return status;
    }
    return NT_OK;
}

static nt_status advance(nt_integrator *it, double end, double h, nt_observer observer,
                         void *context, nt_error *error)
{
    if (it->minimum_step > h * (1 + 1e-12))
        return nt_fail(error, NT_INVALID, "step size is %g s, smaller than the minimum step %g s",
                       h, it->minimum_step);
    unsigned before = nt_subnormals_off();
    nt_status status = it->stops.events ? nt_stops_advance(it, end, h, observer, context, error)
                       : it->variable
                           ? nt_integrator_advance_variable(it, end, h, observer, context, error)
                           : equal_steps(it, end, h, observer, context, error);
    nt_subnormals_back(before);
    return status;
}

nt_status nt_integrator_step(nt_integrator *it, double h, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "integrator", it);
    if (!(h > 0) || !isfinite(h))
        return nt_fail(error, NT_INVALID, "step size is %g s, expected a positive number", h);
    return nt_said(error, advance(it, it->stepper.now.all[NT_PHASE_T] + h, h, NULL, NULL, error));
}

nt_status nt_integrator_run(nt_integrator *it, double end, double h, nt_observer observer,
                            void *context, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "integrator", it);
    double begin = it->stepper.now.all[NT_PHASE_T];
    if (!(h > 0) || !isfinite(h))
        return nt_fail(error, NT_INVALID, "step size is %g s, expected a positive number", h);
    if (!(end >= begin) || !isfinite(end))
        return nt_fail(error, NT_INVALID, "end time is %g s, expected one from %g s on", end,
                       begin);
    return nt_said(error, advance(it, end, h, observer, context, error));
}

void nt_integrator_observe_events(nt_integrator *it, nt_event_observer observer, void *context)
{
    if (!it)
        return;
    it->observe_event = observer;
    it->event_context = context;
}

void nt_integrator_observe_behind(nt_integrator *it, nt_observer observer, void *context)
{
    if (!it)
        return;
    it->observe_behind = observer;
    it->behind_context = context;
}

const nt_statistics *nt_integrator_statistics(const nt_integrator *it)
{
    return it ? &it->statistics : NULL;
}
