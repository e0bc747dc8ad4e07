/* Looks at an integrator: its state, what lies within the last step, drift and reactions. None
 * changes what the next step computes: looks that need factors have their own. */
#include "base/target.h"
#include "method/dense_output.h"
#include "method/integrator.h"
#include "method/state.h"
#include "method/work.h"
#include "system/check.h"
#include "system/rounding.h"

#include <math.h>
#include <string.h>

void nt_integrator_rates(const nt_integrator *it, const nt_phase *phase, const double **v,
                         const double **vdot)
{
    const nt_problem *p = it->problem;
    *v = phase->v;
    *vdot = phase->vdot;
    if (!nt_problem_changes_frame(p))
        return;
    double *rates[2] = {it->looked_v, it->looked_v + p->nv};
    nt_problem_rates(p, p->system->frame, phase->q, phase->v, phase->vdot, rates[0], rates[1]);
    *v = rates[0];
    *vdot = rates[1];
}

/* v and vdot in the system's frame */
static nt_state look_at_phase(const nt_integrator *it, const nt_phase *phase)
{
    nt_state state = {.t = phase->all[NT_PHASE_T],
                      .q = phase->q,
                      .lambda = phase->lambda,
                      .mu = phase->mu,
                      .memory = phase->memory,
                      .work = phase->all[NT_PHASE_WORK],
                      .step = phase->all[NT_PHASE_STEP]};
    nt_integrator_rates(it, phase, &state.v, &state.vdot);
    return state;
}

nt_state nt_integrator_state(const nt_integrator *it)
{
    return it ? look_at_phase(it, &it->stepper.now) : (nt_state){.t = (double)NAN};
}

nt_status nt_integrator_looking(nt_integrator *it, nt_stepper *looking)
{
    nt_status status = NT_OK;
    if (!it->look)
        status = nt_factors_create(&it->look, it->problem, it->factors->kind, NULL);
    if (status != NT_OK)
        return status;
    nt_solver_forget(it->look->solver); /* what is seen depends on the state alone */
    *looking = it->stepper;
    looking->factors = it->look;
    return nt_factors_take_rows(it->look, it->factors);
}

nt_status nt_integrator_between(nt_integrator *it, const nt_phase *from, const nt_phase *to,
                                double t, nt_phase *out)
{
    if (!it->method->interpolate) {
        nt_dense_output(it->problem, from, to, t, it->dense, out);
        return NT_OK;
    }
    double t0 = from->all[NT_PHASE_T], h = to->all[NT_PHASE_T] - t0;
    out->all[NT_PHASE_T] = t;
    out->all[NT_PHASE_STEP] = to->all[NT_PHASE_STEP];
    out->all[NT_PHASE_WORK] =
        from->all[NT_PHASE_WORK] + h * nt_work_within(to->all + NT_PHASE_POWER, (t - t0) / h);
    memcpy(out->memory, from->memory, (size_t)it->problem->system->n_memory * sizeof(double));
    nt_stepper looking;
    nt_status status = nt_integrator_looking(it, &looking);
    return status == NT_OK ? it->method->interpolate(&looking, from, to, t, out) : status;
}

nt_status nt_integrator_dense(nt_integrator *it, double t, nt_state *state)
{
    NT_NEED(NULL, "integrator state", it, state);
    const nt_phase *from = &it->before, *to = &it->stepper.now;
    if (!(t >= from->all[NT_PHASE_T] && t <= to->all[NT_PHASE_T]))
        return NT_INVALID;
    if (t == to->all[NT_PHASE_T])
        *state = nt_integrator_state(it);
    else {
        nt_phase *between = &it->stepper.next; /* free between steps */
        nt_status status = nt_integrator_between(it, from, to, t, between);
        if (status != NT_OK)
            return status;
        *state = look_at_phase(it, between);
    }
    return NT_OK;
}

bool nt_integrator_balances(const nt_integrator *it, double t)
{
    return (it->method->needs & NT_RATES_WITHIN) || t < it->stepper.now.all[NT_PHASE_T];
}

/* Says that there is no balance at t, with the force that has no value there and its place. */
static void say_no_balance(const nt_problem *p, double t, nt_status status, nt_error *error)
{
    const nt_system *system = p->system;
    nt_error place = {0};
    char name[300] = "";
    if (status == NT_NOT_FINITE && system->failure)
        system->failure(system->self, name, sizeof name);
    if (name[0] && system->place)
        system->place(system->self, -1, &place);
    nt_fail_at(error, status, place.file, place.line, place.column,
               "accelerations at t = %.9g s: %s%s%s", t, nt_status_text(status),
               name[0] ? ": " : "", name);
}

/* Accelerations and multipliers that are so many times those of the method are asked for what
 * rounding of their matrix makes of them, and beyond more, those of the method or 1 m/s^2, N and so
 * on, for what rounding of places does; they are none if that is half of them. Rounding of healthy
 * matrices makes some 1e-15 of a solution, of matrices that are singular but for their rounding all
 * of it and more, whatever the model: hence the first question is asked early. The second is about
 * forces as well, and those of stiff springs may be known to few digits. */
static const double DOUBTED = 100, FAR_BEYOND = 1e8, DIFFER = 0.5;

/* A part of the unknowns below this of the largest, or of 1, may be the rounding of others, as
 * accelerations of what rests under its weight are: it is not asked. */
static const double NEGLIGIBLE = 1e-6;

/* Signs of chance may miss what rounding makes, one set in two where one number decides. */
enum { DRAWS = 3 };

static double largest_of(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

static double largest_difference(const double *x, const double *y, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i] - y[i]));
    return most;
}

/* Accelerations, lambda or mu: the largest as the method gives them and as the equations do. */
typedef struct part {
    int first, n; /* among the unknowns */
    double given, shown;
} part;

enum { PARTS = 3 };

static void find_parts(const nt_problem *p, const nt_state *given, const nt_phase *shown,
                       part out[PARTS])
{
    out[0] = (part){0, p->nv, largest_of(given->vdot, p->nv), largest_of(shown->vdot, p->nv)};
    out[1] =
        (part){p->nv, p->nh, largest_of(given->lambda, p->nh), largest_of(shown->lambda, p->nh)};
    out[2] =
        (part){p->nv + p->nh, p->nn, largest_of(given->mu, p->nn), largest_of(shown->mu, p->nn)};
}

/* Whether the matrix is singular but for its rounding, as far as parts are doubted. */
static nt_status look_at_matrix(nt_factors *f, const nt_phase *shown, const part x[PARTS],
                                bool *made_of_it)
{
    double *dx = f->work, most = 1;
    bool doubted[PARTS], any = false;
    for (int k = 0; k < PARTS; k++)
        most = fmax(most, x[k].shown);
    for (int k = 0; k < PARTS; k++) {
        doubted[k] = x[k].shown > DOUBTED * x[k].given && x[k].shown > NEGLIGIBLE * most;
        any = any || doubted[k];
    }
    nt_point at = nt_phase_point(shown);
    nt_status status = NT_OK;
    unsigned seed = 1;
    for (int draw = 0; draw < DRAWS && any && status == NT_OK && !*made_of_it; draw++) {
        status = nt_factors_find_rounding(f, &at, &seed, dx);
        for (int k = 0; k < PARTS && status == NT_OK; k++)
            *made_of_it |=
                doubted[k] && !(largest_of(dx + x[k].first, x[k].n) <= DIFFER * x[k].shown);
    }
    *made_of_it |= nt_has_no_rates(status);
    return nt_has_no_rates(status) ? NT_OK : status;
}

/* Whether the equations have given nothing but rounding: what has no inertia about its axis has it
 * by the rounding of its place, or of its matrix, and is thrown by that. */
static nt_status look_at_rounding(nt_integrator *it, nt_factors *f, const nt_state *given,
                                  const nt_phase *shown, bool *made_of_it)
{
    const nt_problem *p = it->problem;
    part x[PARTS];
    bool far = false;
    *made_of_it = false;
    find_parts(p, given, shown, x);
    for (int k = 0; k < PARTS; k++)
        far = far || x[k].shown > FAR_BEYOND * fmax(1, x[k].given);
    nt_status status = look_at_matrix(f, shown, x, made_of_it);
    if (status != NT_OK || *made_of_it || !far)
        return status;
    nt_phase beside = it->doubted;
    memcpy(beside.all, shown->all, it->size * sizeof(double));
    unsigned seed = 1;
    nt_space_move_by_rounding(&p->space, &seed, beside.q);
    nt_effort effort = {.unknown = -1};
    nt_point at = nt_phase_point(&beside);
    status = nt_factors_accelerate(f, &at, beside.vdot, beside.lambda, beside.mu, &effort);
    *made_of_it = nt_has_no_rates(status) ||
                  largest_difference(beside.vdot, shown->vdot, p->nv) >
                      DIFFER * largest_of(shown->vdot, p->nv) ||
                  largest_difference(beside.lambda, shown->lambda, p->nh) >
                      DIFFER * largest_of(shown->lambda, p->nh);
    return nt_has_no_rates(status) ? NT_OK : status;
}

/* Solves once more where rounding has made what is shown: the matrix may be regular as a whole,
 * though the block of a body which others hold has lost its inertia to rounding, beside the mass
 * that is far from the body's reference point. Rows that pivot, and no guess, lose nothing then. */
static nt_status balance_by_pivots(nt_integrator *it, const nt_state *given, nt_phase *shown,
                                   bool *made_of_it)
{
    const nt_problem *p = it->problem;
    nt_status status = NT_OK;
    if (!it->pivoted)
        status = nt_factors_create(&it->pivoted, p, NT_SOLVER_KLU, NULL);
    if (status == NT_OK) {
        nt_solver_forget(it->pivoted->solver);
        status = nt_factors_take_rows(it->pivoted, it->factors);
    }
    memset(shown->vdot, 0, (size_t)p->nv * sizeof(double));
    memset(shown->lambda, 0, (size_t)p->nh * sizeof(double));
    memset(shown->mu, 0, (size_t)p->nn * sizeof(double));
    nt_effort effort = {.unknown = -1};
    nt_point at = nt_phase_point(shown);
    if (status == NT_OK)
        status =
            nt_factors_accelerate(it->pivoted, &at, shown->vdot, shown->lambda, shown->mu, &effort);
    return status == NT_OK ? look_at_rounding(it, it->pivoted, given, shown, made_of_it) : status;
}

nt_status nt_integrator_balance(nt_integrator *it, const nt_state *state, nt_state *balanced,
                                nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "integrator state balanced", it, state, balanced);
    const nt_problem *p = it->problem;
    const nt_state given = *state;
    *balanced = given;
    it->no_rates = false;
    if (!nt_integrator_balances(it, given.t))
        return NT_OK;
    if (nt_integrator_take_balanced(it) != NT_OK)
        return nt_fail(error, NT_NO_MEMORY, "out of memory for accelerations at t = %g s", given.t);
    NT_NEED(error, "state.q state.v state.vdot", given.q, given.v, given.vdot);
    nt_phase shown = it->balanced; /* what is given may stand there */
    size_t n_memory = (size_t)p->system->n_memory;
    nt_space_change_frame(&p->space, p->system->frame, p->frame, given.q, given.v, shown.v);
    memmove(shown.q, given.q, (size_t)p->nq * sizeof(double));
    if (n_memory > 0)
        memmove(shown.memory, given.memory, n_memory * sizeof(double));
    nt_space_change_frame(&p->space, p->system->frame, p->frame, given.q, given.vdot, shown.vdot);
    if (p->nh > 0)
        memmove(shown.lambda, given.lambda, (size_t)p->nh * sizeof(double));
    if (p->nn > 0)
        memmove(shown.mu, given.mu, (size_t)p->nn * sizeof(double));
    shown.all[NT_PHASE_T] = given.t;
    nt_stepper looking;
    nt_effort effort = {.unknown = -1};
    nt_point at = nt_phase_point(&shown);
    nt_status status = nt_integrator_looking(it, &looking);
    if (status == NT_OK)
        status = nt_factors_accelerate(it->look, &at, shown.vdot, shown.lambda, shown.mu, &effort);
    bool rounding = false;
    if (status == NT_OK)
        status = look_at_rounding(it, it->look, &given, &shown, &rounding);
    if (status == NT_OK && rounding)
        status = balance_by_pivots(it, &given, &shown, &rounding);
    if (nt_problem_stops(p))
        status = NT_INTERRUPTED;
    it->no_rates = nt_has_no_rates(status) || (rounding && status == NT_OK);
    if (it->no_rates)
        return NT_OK;
    if (status != NT_OK) {
        nt_error words = {0};
        say_no_balance(p, given.t, status, &words);
        return nt_fail_at(error, status, words.file, words.line, words.column, "%s", words.message);
    }
    *balanced = look_at_phase(it, &shown);
    if (nt_problem_changes_frame(p)) { /* other looks leave this state as it is */
        double *rates = shown.all + it->size;
        memcpy(rates, balanced->v, 2 * (size_t)p->nv * sizeof(double));
        balanced->v = rates, balanced->vdot = rates + p->nv;
    }
    balanced->work = given.work, balanced->step = given.step;
    return NT_OK;
}

bool nt_integrator_lacks_rates(const nt_integrator *it) { return it->no_rates; }

nt_status nt_integrator_accelerate(nt_integrator *it, const nt_phase *phase)
{
    nt_effort effort = {.unknown = -1};
    nt_point at = nt_phase_point(phase);
    nt_status status =
        nt_factors_accelerate(it->factors, &at, phase->vdot, phase->lambda, phase->mu, &effort);
    it->factors->kept = false;
    it->statistics.evaluations += effort.evaluations;
    it->statistics.factorisations += effort.factorisations;
    it->statistics.solves += effort.solves;
    return status;
}

nt_status nt_integrator_accept_memory(nt_integrator *it)
{
    nt_stepper *s = &it->stepper;
    const nt_system *system = it->problem->system;
    nt_phase shown = s->next;
    if ((it->method->needs & NT_RATES_WITHIN) && (system->capabilities & NT_KEEPS_RATES)) {
        shown = it->balanced;
        memcpy(shown.all, s->next.all, it->size * sizeof(double));
        memcpy(shown.memory, s->now.memory, (size_t)system->n_memory * sizeof(double));
        nt_status status = nt_integrator_accelerate(it, &shown);
        if (status != NT_OK)
            return status;
    }
    nt_point at = nt_phase_point(&shown);
    at.memory = s->now.memory;
    nt_integrator_rates(it, &shown, &at.v, &at.vdot);
    system->accept(system->self, &at, s->next.memory);
    return NT_OK;
}

NT_HOT void nt_integrator_notice(nt_integrator *it)
{
    const nt_system *system = it->problem->system;
    const nt_phase *now = &it->stepper.now;
    double t, begun = it->before.all[NT_PHASE_T], end = now->all[NT_PHASE_T];
    while (system->noticed && !isnan(t = system->noticed(system->self, end))) {
        nt_state s;
        nt_energy energy;
        if (nt_integrator_dense(it, t >= begun && t <= end ? t : end, &s) != NT_OK)
            continue;
        nt_point at = nt_state_point(&s);
        if (system->capabilities & NT_HAS_ENERGY)
            system->energy(system->self, &at, &energy);
    }
}

void nt_integrator_forget_noticed(const nt_integrator *it, double t)
{
    const nt_system *system = it->problem->system;
    while (system->noticed && !isnan(system->noticed(system->self, t)))
        continue;
}

nt_status nt_integrator_drift(nt_integrator *it, double *position, double *velocity)
{
    NT_NEED(NULL, "integrator position velocity", it, position, velocity);
    const nt_problem *p = it->problem;
    nt_point at = nt_phase_point(&it->stepper.now);
    double *drift[2] = {position, velocity}, *rows = it->factors->work;
    for (nt_level level = NT_POSITION; level <= NT_VELOCITY; level++) {
        *drift[level] = 0;
        nt_terms terms = {.level = level, .rows = rows};
        nt_status status = p->nc > 0 ? nt_problem_evaluate(p, &at, &terms) : NT_OK;
        if (status != NT_OK)
            return status;
        for (int i = 0; i < (level == NT_POSITION ? p->nh : p->nc); i++)
            *drift[level] = fmax(*drift[level], fabs(rows[i]));
    }
    return NT_OK;
}

nt_status nt_integrator_reactions(nt_integrator *it, const nt_state *state, double length,
                                  double *out, nt_error *error)
{
    NT_NEED(error, "integrator state out", it, state, out);
    NT_NEED_STATE(error, "state", it->problem->system, state);
    NT_NEED_LENGTH(error, "length", length);
    const nt_problem *p = it->problem;
    memcpy(out, state->lambda, (size_t)p->nh * sizeof(double));
    memcpy(out + p->nh, state->mu, (size_t)p->nn * sizeof(double));
    if (it->factors->n_dropped == p->n_off)
        return NT_OK;
    double *v = it->stepper.scratch;
    nt_space_change_frame(&p->space, p->system->frame, p->frame, state->q, state->v, v);
    nt_point at = {.t = state->t,
                   .q = state->q,
                   .v = v,
                   .vdot = v,
                   .lambda = state->lambda,
                   .mu = state->mu,
                   .memory = state->memory};
    nt_status status = it->reactions ? NT_OK : nt_minimum_norm_create(&it->reactions, p);
    if (status == NT_OK)
        status = nt_minimum_norm_find(it->reactions, p, &at, length, out);
    return status == NT_OK ? NT_OK
                           : nt_fail(error, status, "reactions at t = %g s: %s", state->t,
                                     nt_status_text(status));
}

int nt_integrator_began_anew(const nt_integrator *it)
{
    return it && it->stops.events && it->stops.stretch.last == it->before.all[NT_PHASE_T] &&
           it->stepper.now.all[NT_PHASE_T] > it->before.all[NT_PHASE_T];
}

int nt_integrator_ended_by(const nt_integrator *it)
{
    return it && it->stops.stretch.ended ? it->stops.stretch.ended_by : -1;
}

int nt_integrator_is_variable(const nt_integrator *it) { return it && it->variable; }

const nt_system *nt_integrator_system(const nt_integrator *it)
{
    return it ? it->problem->system : NULL;
}

int nt_integrator_failed_unknown(const nt_integrator *it) { return it ? it->failed_unknown : -1; }

int nt_integrator_redundant(const nt_integrator *it, int *index, int room)
{
    if (!it)
        return 0;
    const nt_factors *f = it->factors;
    int count = 0;
    for (int i = 0; i < f->n_dropped; i++) {
        int row = f->dropped[i] - it->problem->nv;
        if (nt_problem_is_off(it->problem, row))
            continue;
        if (index && count < room)
            index[count] = row;
        count++;
    }
    return count;
}
