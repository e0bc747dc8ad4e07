/* Static states of a model's run: where it begins (initial: {static: true}), and the parameters
 * that are solved for (solve).
 *
 * With unknowns u and conditions c(u) = 0 at the static state x(u), Newton's iteration takes
 *
 *   J du = -c,   J = c_u + c_x x_u,   x_u from the equations of the state,
 *
 * halved until the conditions improve. In another parameter p the unknowns then have the
 * derivatives du/dp = -J^-1 (c_p + c_x x_p). */
#include "analysis/static/run_static.h"

#include "analysis/static/static.h"
#include "base/error.h"
#include "model/evaluate.h"
#include "model/parameters/objective.h"
#include "model/parameters/parameter.h"

#include <nutate/analysis.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

nt_status nt_run_static_setup(nt_run *run, nt_static_setup *setup, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "run setup", run, setup);
    NT_NEED_VERSION(error, "setup", setup->version);
    const nt_simulation *simulation = &run->model->simulation;
    *setup = (nt_static_setup){.version = NT_INTERFACE,
                               .system = nt_run_system(run),
                               .held = simulation->held,
                               .n_held = simulation->n_held,
                               .hold_free = simulation->hold_free ? 2 : 0,
                               .damped = simulation->stable,
                               .placement_rates = nt_run_placement_tangent,
                               .placed = run};
    return NT_OK;
}

/* ---- one search ----------------------------------------------------------------------------- */

typedef struct search {
    nt_run *run;
    nt_static *state;
    int n;             /* unknowns */
    double *p;         /* [n_parameters] */
    double *c, *trial; /* [n] */
    double *J, *du;    /* [n][n], [n]; J by rows: conditions */
    double *size;      /* [n] of the unknowns */
    double *scale;     /* [n] what they change in the conditions */
    double *reactions, *reaction_rates, *numbers;
    nt_error *error;
} search;

static nt_status no_memory(nt_error *error)
{
    return nt_fail(error, NT_NO_MEMORY, "out of memory for a static state");
}

static nt_status open_search(search *s, nt_run *run, nt_error *error)
{
    const nt_system *system = &run->system;
    size_t n = (size_t)run->model->n_unknowns, rows = (size_t)system->nh + (size_t)system->nn;
    *s = (search){.run = run, .n = run->model->n_unknowns, .error = error};
    size_t room = (size_t)system->n_parameters + n * n + 5 * n + 2 * rows + nt_state_room(system);
    s->p = calloc(room + 1, sizeof *s->p);
    if (!s->p)
        return no_memory(error);
    s->c = s->p + system->n_parameters;
    s->trial = s->c + n;
    s->du = s->trial + n;
    s->size = s->du + n;
    s->scale = s->size + n;
    s->J = s->scale + n;
    s->reactions = s->J + n * n;
    s->reaction_rates = s->reactions + rows;
    s->numbers = s->reaction_rates + rows;
    nt_static_setup setup = {0};
    nt_status status = nt_run_static_setup(run, &setup, error);
    return status == NT_OK ? nt_static_create(&s->state, &setup, error) : status;
}

static void close_search(search *s)
{
    nt_static_destroy(s->state);
    free(s->p);
}

/* The static state nearest to the present placement. */
static nt_status find_state(search *s)
{
    const nt_run *run = s->run;
    nt_status status = nt_static_start(s->state, run->model->simulation.start, run->initial_q,
                                       run->initial_v, run->initial_memory, s->error);
    if (status == NT_OK)
        nt_static_loosen(s->state); /* where it is placed, not where it rested before */
    return status == NT_OK ? nt_static_solve(s->state, s->error) : status;
}

/* ---- unknowns ------------------------------------------------------------------------------- */

/* The state with the unknowns as they stand in p, and the conditions there. */
static nt_status find_conditions(search *s, double *c)
{
    nt_status status = nt_run_set_values(s->run, s->p, true, s->error);
    if (status == NT_OK)
        status = find_state(s);
    if (status == NT_OK)
        status = nt_static_reactions(s->state, s->run->length, s->reactions, s->error);
    nt_state state = nt_static_state(s->state);
    return status == NT_OK ? nt_run_condition_values(s->run, &state, s->reactions, c, s->error)
                           : status;
}

/* How the conditions change with parameter k, the state following it. */
static nt_status differentiate(search *s, int k, double *dc)
{
    nt_state_tangent t;
    nt_state state = nt_static_state(s->state);
    nt_status status = nt_run_prepare_parameters(s->run, &k, 1, s->error);
    if (status == NT_OK)
        status = nt_static_tangent(s->state, k, &t, s->error);
    if (status != NT_OK)
        return status;
    nt_state_tangent_copy(&t, s->numbers, &s->run->system, &t);
    status = nt_static_reaction_rates(s->state, k, &t, s->run->length, s->reaction_rates, s->error);
    const nt_state_rate rate = nt_state_rate_along(&t, k);
    return status == NT_OK ? nt_run_condition_rates(s->run, &state, s->reactions, &rate,
                                                    s->reaction_rates, dc, s->error)
                           : status;
}

static nt_status find_jacobian(search *s)
{
    for (int j = 0; j < s->n; j++) {
        nt_status status = differentiate(s, s->run->model->unknowns[j], s->trial);
        if (status != NT_OK)
            return status;
        for (int i = 0; i < s->n; i++)
            s->J[i * s->n + j] = s->trial[i];
    }
    return NT_OK;
}

static nt_status refuse_unknowns(const search *s, nt_status status, const char *words,
                                 const char *name)
{
    int line, column;
    nt_model_key_place(s->run->model, "solve.conditions", &line, &column);
    return nt_fail_at(s->error, status, s->run->model->file, line, column, "solve: %s%s%s%s", words,
                      *name ? " '" : "", name, *name ? "'" : "");
}

/* b[n] = J^-1 b with scaled columns and pivots; J is lost. False: it is singular. */
static bool eliminate(double *J, double *b, int n)
{
    double largest = 0;
    for (int i = 0; i < n * n; i++)
        largest = fmax(largest, fabs(J[i]));
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            pivot = fabs(J[i * n + k]) > fabs(J[pivot * n + k]) ? i : pivot;
        if (!(fabs(J[pivot * n + k]) > 1e-12 * largest))
            return false;
        for (int j = 0; j < n; j++) {
            double x = J[k * n + j];
            J[k * n + j] = J[pivot * n + j], J[pivot * n + j] = x;
        }
        double x = b[k];
        b[k] = b[pivot], b[pivot] = x;
        for (int i = k + 1; i < n; i++) {
            double factor = J[i * n + k] / J[k * n + k];
            for (int j = k; j < n; j++)
                J[i * n + j] -= factor * J[k * n + j];
            b[i] -= factor * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            b[k] -= J[k * n + j] * b[j];
        b[k] /= J[k * n + k];
    }
    return true;
}

/* du[n] from right-hand sides b[n], which are scaled on the way: rows by what the unknowns change
 * in them when they change by their own size. */
static nt_status solve_jacobian(search *s, const double *b)
{
    int n = s->n;
    const nt_model *model = s->run->model;
    for (int i = 0; i < n; i++) {
        double row = 0;
        for (int j = 0; j < n; j++)
            row = fmax(row, fabs(s->J[i * n + j] * s->size[j]));
        if (!(row > 1e-14 * fabs(b[i])) || !(row > 0))
            return refuse_unknowns(s, NT_SINGULAR, "the unknowns do not change the condition",
                                   model->conditions[i].name);
        for (int j = 0; j < n; j++)
            s->J[i * n + j] *= s->size[j] / row;
        s->du[i] = b[i] / row;
    }
    if (!eliminate(s->J, s->du, n))
        return refuse_unknowns(s, NT_SINGULAR,
                               "the unknowns change the conditions alike, expected ones that are "
                               "independent",
                               "");
    for (int j = 0; j < n; j++)
        s->du[j] *= s->size[j];
    return NT_OK;
}

static void measure_unknowns(search *s)
{
    const nt_model *model = s->run->model;
    for (int j = 0; j < s->n; j++) {
        double value = fabs(s->p[model->unknowns[j]]);
        s->size[j] = value > 0 ? value : 1;
    }
}

static double norm(const double *c, const double *scale, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += c[i] * c[i] / (scale[i] * scale[i]);
    return sqrt(sum);
}

/* The model refuses the values to which the conditions lead, or has no state there; s->p stands at
 * those before, s->du leads on. */
static nt_status refuse_values(const search *s, nt_status status, double share)
{
    const nt_model *model = s->run->model;
    nt_error why = *s->error;
    char values[300] = "";
    int used = 0;
    for (int j = 0; j < s->n && used < (int)sizeof values - 100; j++)
        used += snprintf(values + used, sizeof values - (size_t)used, "%s%.60s = %.6g",
                         j > 0 ? ", " : "", model->parameters[model->unknowns[j]].name,
                         s->p[model->unknowns[j]] + share * s->du[j]);
    return nt_fail_at(s->error, status, why.file, why.line, why.column,
                      "solve: the conditions lead to %s, and there: %s", values, why.message);
}

/* Smaller changes of all unknowns, relative to their sizes, end the iteration. */
static const double SETTLED = 1e-10;

static nt_status find_unknowns(search *s)
{
    enum { MOST = 40, HALVINGS = 10 };
    const nt_model *model = s->run->model;
    double *scale = s->scale;
    nt_run_get_parameters(s->run, s->p);
    nt_status status = find_conditions(s, s->c);
    for (int i = 0; status == NT_OK && i < MOST; i++) {
        double largest = 0, share = 1, before;
        measure_unknowns(s);
        if ((status = find_jacobian(s)) != NT_OK)
            break;
        for (int k = 0; k < s->n; k++) {
            scale[k] = 0;
            for (int j = 0; j < s->n; j++)
                scale[k] = fmax(scale[k], fabs(s->J[k * s->n + j] * s->size[j]));
            scale[k] = scale[k] > 0 ? scale[k] : 1;
        }
        for (int k = 0; k < s->n; k++)
            s->trial[k] = -s->c[k];
        if ((status = solve_jacobian(s, s->trial)) != NT_OK)
            break;
        for (int j = 0; j < s->n; j++)
            largest = fmax(largest, fabs(s->du[j]) / s->size[j]);
        before = norm(s->c, scale, s->n);
        if (largest <= 1e-15)
            return NT_OK;
        for (int halving = 0;; halving++) {
            for (int j = 0; j < s->n; j++)
                s->p[model->unknowns[j]] += share * s->du[j];
            status = find_conditions(s, s->trial);
            bool better = status == NT_OK &&
                          (norm(s->trial, scale, s->n) < before || largest * share <= 10 * SETTLED);
            if (better || nt_is_final(status) || (halving == HALVINGS && status == NT_OK))
                break;
            for (int j = 0; j < s->n; j++)
                s->p[model->unknowns[j]] -= share * s->du[j];
            if (halving == HALVINGS)
                return refuse_values(s, status, share);
            share /= 2;
        }
        memcpy(s->c, s->trial, (size_t)s->n * sizeof *s->c);
        if (status == NT_OK && share == 1 && largest <= SETTLED)
            return NT_OK;
    }
    if (status != NT_OK)
        return status;
    int worst = 0;
    for (int k = 1; k < s->n; k++)
        worst = fabs(s->c[k]) > fabs(s->c[worst]) ? k : worst;
    return refuse_unknowns(s, NT_NOT_CONVERGED,
                           "no values of the unknowns were found that meet the condition",
                           model->conditions[worst].name);
}

/* ---- what a run asks for -------------------------------------------------------------------- */

static void keep_state(search *s)
{
    nt_run *run = s->run;
    const nt_system *system = &run->system;
    nt_state state = nt_static_state(s->state);
    memcpy(run->initial_q, state.q, (size_t)system->space.nq * sizeof(double));
    memcpy(run->initial_v, state.v, (size_t)system->space.nv * sizeof(double));
    memcpy(run->initial_memory, state.memory, (size_t)system->n_memory * sizeof(double));
    nt_static_stand(s->state, run->initial_memory);
}

static nt_status find(nt_run *run, nt_error *error)
{
    search s;
    nt_error own = {0};
    const nt_stop_request *stop = run->system.stop;
    run->system.stop = NULL; /* setting parameters asks nobody */
    run->settling = true;
    nt_status status = open_search(&s, run, error ? error : &own);
    if (status == NT_OK && s.n > 0)
        status = find_unknowns(&s);
    else if (status == NT_OK)
        status = find_state(&s);
    if (status == NT_OK && run->model->simulation.static_initial)
        keep_state(&s);
    run->settling = false;
    run->system.stop = stop;
    nt_parameter_rates_forget(run);
    close_search(&s);
    return status;
}

static nt_status initial_tangent(nt_run *run, int k, double *dq, double *dv, double *dmemory,
                                 nt_error *error)
{
    search s;
    nt_error own = {0};
    nt_state_tangent t;
    const nt_system *system = &run->system;
    nt_status status = open_search(&s, run, error ? error : &own);
    if (status == NT_OK)
        status = find_state(&s);
    if (status == NT_OK)
        status = nt_static_tangent(s.state, k, &t, s.error);
    if (status == NT_OK) {
        memcpy(dq, t.q, (size_t)system->space.nv * sizeof *dq);
        memcpy(dv, t.v, (size_t)system->space.nv * sizeof *dv);
        if (dmemory)
            memset(dmemory, 0, (size_t)system->n_memory * sizeof *dmemory);
    }
    close_search(&s);
    return status;
}

static nt_status unknown_rates(nt_run *run, nt_error *error)
{
    search s;
    nt_error own = {0};
    const nt_model *model = run->model;
    int n = model->n_unknowns;
    if (!run->unknown_rates)
        run->unknown_rates = NT_TAKE(&run->arena, (size_t)n * (size_t)model->n_parameters, double);
    if (!run->unknown_rates)
        return no_memory(error);
    run->settling = true;
    nt_parameter_rates_forget(run);
    nt_status status = open_search(&s, run, error ? error : &own);
    if (status == NT_OK) {
        nt_run_get_parameters(run, s.p);
        status = find_conditions(&s, s.c);
    }
    for (int k = 0; k < model->n_parameters && status == NT_OK; k++) {
        double *rates = run->unknown_rates + (size_t)k * (size_t)n;
        bool is_unknown = false;
        for (int j = 0; j < n; j++)
            is_unknown |= model->unknowns[j] == k;
        memset(rates, 0, (size_t)n * sizeof *rates);
        if (is_unknown)
            continue;
        measure_unknowns(&s);
        status = find_jacobian(&s);
        if (status == NT_OK)
            status = differentiate(&s, k, s.c);
        for (int i = 0; i < n; i++)
            s.c[i] = -s.c[i];
        if (status == NT_OK)
            status = solve_jacobian(&s, s.c);
        if (status == NT_OK)
            memcpy(rates, s.du, (size_t)n * sizeof *rates);
    }
    nt_parameter_rates_forget(run);
    run->settling = false;
    run->unknown_rates_known = status == NT_OK;
    close_search(&s);
    return status;
}

static const nt_settling settling = {
    .find = find, .initial_tangent = initial_tangent, .unknown_rates = unknown_rates};

nt_status nt_model_settle(nt_model *model, nt_error *error)
{
    nt_run *run;
    nt_status status = nt_run_create(&run, model, error);
    if (status != NT_OK)
        return status;
    status = settling.find(run, error);
    if (status == NT_OK) {
        for (int i = 0; i < model->n_parameters; i++) {
            double value = run->parameters[i].value;
            model->parameters[i].value = value;
            model->parameter_scale[i] = value != 0 ? fabs(value) : 1;
        }
        /* what the unknowns enter: runs begin with these numbers */
        if (run->numbers != model->origin->numbers)
            memcpy(model->origin->numbers, run->numbers, model->numbers);
        memcpy(model->origin->variables, run->variables,
               (size_t)model->n_parameters * sizeof *run->variables);
        nt_run_copy_state(model->origin, run);
        model->settling = &settling;
    }
    nt_run_destroy(run);
    return status;
}
