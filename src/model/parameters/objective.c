/* Objectives: expressions of recorded quantities, their values and derivatives at one state.
 *
 * With the columns c(x, p) that the expressions use, g = f(p, t, c): dg = f_p dp + f_c dc, the
 * first by the derivatives of the expression, dc as for any record. */
#include "model/parameters/objective.h"

#include "model/parameters/parameter.h"
#include "model/quantities/sampler_tangent.h"
#include "system/check.h"

#include <math.h>
#include <string.h>

int nt_model_column(nt_model *model, const nt_quantity_info *quantity)
{
    int n = model->n_columns;
    for (int i = 0; i < n; i++) {
        const nt_quantity_info *known = &model->columns[i];
        if (known->kind == quantity->kind && known->object == quantity->object &&
            known->first == quantity->first)
            return i;
    }
    if ((n & (n - 1)) == 0) { /* full: 1, 2, 4, ... */
        nt_quantity_info *more = NT_TAKE(&model->arena, n ? 2 * n : 1, nt_quantity_info);
        if (!more)
            return -1;
        if (n > 0)
            memcpy(more, model->columns, (size_t)n * sizeof *more);
        model->columns = more;
    }
    model->columns[n] = *quantity;
    model->n_columns++;
    if (!model->names_quantities) /* these come behind those of objectives and conditions */
        model->n_objective_columns = model->n_columns;
    return n;
}

int nt_model_objective_count(const nt_model *model) { return model ? model->n_objectives : 0; }

nt_objective_info nt_model_objective(const nt_model *model, int i)
{
    if (!model || i < 0 || i >= model->n_objectives)
        return (nt_objective_info){.name = NULL};
    const nt_objective *o = &model->objectives[i];
    nt_objective_info info = {.name = o->name, .type = (nt_objective_type)o->type};
    for (int k = 0; k < model->n_objective_columns; k++) {
        if (!nt_expression_uses(o->of, model->n_parameters + 1 + k))
            continue;
        info.needs_reactions |= model->columns[k].needs_reactions;
        info.needs_accelerations |= model->columns[k].needs_accelerations;
    }
    return info;
}

/* ---- at a state ----------------------------------------------------------------------------- */

/* What the calls below need: taken by the first of them, kept with the run. */
typedef struct nt_objective_work {
    nt_sampler sampler;
    nt_tangent_sampler tangents;
    double *variables, *rates, *zeros; /* [n_parameters + 1 + n_objective_columns] */
} nt_objective_work;

static nt_objective_work *find_work(nt_run *run, nt_error *error)
{
    if (run->objective_work)
        return run->objective_work;
    nt_arena *arena = &run->arena;
    int columns = run->model->n_objective_columns, n = run->model->n_parameters + 1 + columns;
    nt_objective_work *w = NT_TAKE(arena, 1, nt_objective_work);
    bool good = w && (w->variables = NT_TAKE(arena, n, double)) &&
                (w->rates = NT_TAKE(arena, n, double)) && (w->zeros = NT_TAKE(arena, n, double));
    if (!good) {
        nt_fail(error, NT_NO_MEMORY, "out of memory");
        return NULL;
    }
    if (nt_sampler_init(&w->sampler, run, arena, error) != NT_OK ||
        nt_tangent_sampler_init(&w->tangents, run, columns, arena, error) != NT_OK)
        return NULL;
    return run->objective_work = w;
}

/* Values of all variables of the expressions. */
static nt_status find_variables(nt_run *run, nt_objective_work *w, const nt_state *state,
                                const double *reactions, nt_error *error)
{
    bool energy = false, drift = false;
    double *columns = w->variables + run->model->n_parameters + 1;
    for (int i = 0; i < run->model->n_objective_columns; i++) {
        energy = energy || run->model->columns[i].needs_energy;
        drift = drift || run->model->columns[i].needs_drift;
    }
    nt_status status = nt_sampler_look(&w->sampler, state, reactions, energy, drift, error);
    for (int i = 0; status == NT_OK && i < run->model->n_objective_columns; i++)
        nt_sampler_values(&w->sampler, &run->model->columns[i], columns + i);
    for (int i = 0; i < run->model->n_parameters; i++)
        w->variables[i] = run->parameters[i].value;
    w->variables[run->model->n_parameters] = state->t;
    return status;
}

static nt_status check(const nt_run *run, const nt_objective *o, double value, double t,
                       nt_error *error)
{
    if (isfinite(value))
        return NT_OK;
    return nt_fail_at(error, NT_NOT_FINITE, run->model->file, o->place.line, o->place.column,
                      "%s %s has no finite value at t = %g s",
                      o >= run->model->conditions &&
                              o < run->model->conditions + run->model->n_conditions
                          ? "condition"
                          : "objective",
                      o->name, t);
}

/* Values of list[n] at a state. */
static nt_status find_values(nt_run *run, const nt_objective *list, int n, const nt_state *state,
                             const double *reactions, double *out, nt_error *error)
{
    nt_objective_work *w = find_work(run, error);
    nt_status status = w ? find_variables(run, w, state, reactions, error) : NT_NO_MEMORY;
    for (int i = 0; status == NT_OK && i < n; i++) {
        out[i] = nt_expression_value(list[i].of, w->variables);
        status = check(run, &list[i], out[i], state->t, error);
    }
    return status;
}

/* Parameters that events have set change as the memory does, and those that depend on them follow.
 */
static void rates_of_set(const nt_run *run, int k, const double *dset, double *rates)
{
    int n = run->model->n_parameters;
    for (int i = 0; i < n; i++) {
        const nt_parameter *p = &run->model->parameters[i];
        double jet[3];
        if (run->set_now[i] != 0)
            rates[i] = dset[n + i];
        else if (i != k && p->expression && !run->parameters[i].taken) {
            nt_expression_jet(p->expression, run->variables, rates, run->model->zeros, jet);
            rates[i] = jet[1];
        }
    }
}

/* Their derivatives along a direction. */
static nt_status find_rates(nt_run *run, const nt_objective *list, int n,
                            const nt_sample_direction *direction, double *out, nt_error *error)
{
    const nt_state *state = direction->state;
    nt_objective_work *w = find_work(run, error);
    nt_status status =
        w ? find_variables(run, w, state, direction->reactions, error) : NT_NO_MEMORY;
    if (status != NT_OK)
        return status;
    nt_sample_direction of_columns = *direction;
    of_columns.quantities = run->model->columns;
    of_columns.n = run->model->n_objective_columns;
    double *rates = w->rates, jet[3];
    int n_parameters = run->model->n_parameters, parameter = direction->rate->parameter;
    memset(rates, 0, (size_t)(n_parameters + 1) * sizeof *rates);
    status = nt_tangent_sampler_take(&w->tangents, &of_columns, rates + n_parameters + 1, error);
    if (status == NT_OK && parameter >= 0)
        status = nt_parameter_rates_find(run, parameter, error);
    if (status == NT_OK && parameter >= 0)
        memcpy(rates, run->rates[parameter].variables, (size_t)n_parameters * sizeof *rates);
    if (status == NT_OK && run->model->parameters_change && direction->rate->dmemory)
        rates_of_set(run, parameter, direction->rate->dmemory + run->model->set_memory, rates);
    for (int i = 0; status == NT_OK && i < n; i++) {
        nt_expression_jet(list[i].of, w->variables, rates, w->zeros, jet);
        out[i] = jet[1];
        status = check(run, &list[i], out[i], state->t, error);
    }
    return status;
}

nt_status nt_run_condition_values(nt_run *run, const nt_state *state, const double *reactions,
                                  double *out, nt_error *error)
{
    return find_values(run, run->model->conditions, run->model->n_conditions, state, reactions, out,
                       error);
}

nt_status nt_run_condition_rates(nt_run *run, const nt_state *state, const double *reactions,
                                 const nt_state_rate *rate, const double *reaction_rates,
                                 double *out, nt_error *error)
{
    const nt_sample_direction direction = {
        .state = state, .reactions = reactions, .reaction_rates = reaction_rates, .rate = rate};
    return find_rates(run, run->model->conditions, run->model->n_conditions, &direction, out,
                      error);
}

nt_status nt_run_objective_values(nt_run *run, const nt_state *state, const double *reactions,
                                  double *out, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "run state out", run, state, out);
    NT_NEED_STATE(error, "state", &run->system, state);
    return nt_said(error, find_values(run, run->model->objectives, run->model->n_objectives, state,
                                      reactions, out, error));
}

nt_status nt_run_objective_tangent(nt_run *run, const nt_state *state, const double *reactions,
                                   const nt_state_rate *rate, const double *reaction_rates,
                                   double *out, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "run state rate out", run, state, rate, out);
    NT_NEED_VERSION(error, "rate", rate->version);
    NT_NEED_STATE(error, "state", &run->system, state);
    const nt_sample_direction direction = {
        .state = state, .reactions = reactions, .reaction_rates = reaction_rates, .rate = rate};
    return nt_said(error, find_rates(run, run->model->objectives, run->model->n_objectives,
                                     &direction, out, error));
}
