/* nutate sens --of static: a static state with derivatives of all that it records. */
#include "cli/analyses/static.h"
#include "cli/sens/sens_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Derivatives of the state in parameters[n], and of the reactions. */
typedef struct derivatives {
    const int *parameters;
    int n;
    nt_state_rate *rates;
    double *numbers;        /* what they point to */
    double *reaction_rates; /* [n][nh + nn]       */
} derivatives;

static int take_derivatives(derivatives *d, const nt_cli_static *a)
{
    const nt_system *system = nt_run_system(a->plan.run);
    size_t rows = (size_t)system->nh + (size_t)system->nn, n = (size_t)d->n;
    d->rates = calloc(n + 1, sizeof *d->rates);
    d->numbers = calloc(n * nt_state_room(system) + 1, sizeof *d->numbers);
    d->reaction_rates = calloc(n * rows + 1, sizeof *d->reaction_rates);
    return d->rates && d->numbers && d->reaction_rates ? NT_EXIT_DONE : nt_cli_no_memory();
}

static nt_status differentiate(derivatives *d, nt_cli_static *a, nt_error *error)
{
    const nt_system *system = nt_run_system(a->plan.run);
    int rows = system->nh + system->nn;
    nt_status status = NT_OK;
    for (int i = 0; i < d->n && status == NT_OK; i++) {
        nt_state_tangent t;
        status = nt_static_tangent(a->state, d->parameters[i], &t, error);
        if (status != NT_OK)
            break;
        nt_state_tangent_copy(&t, d->numbers + (size_t)i * nt_state_room(system), system, &t);
        d->rates[i] = nt_state_rate_along(&t, d->parameters[i]);
        status =
            nt_static_reaction_rates(a->state, d->parameters[i], &t, nt_run_length(a->plan.run),
                                     d->reaction_rates + (size_t)i * (size_t)rows, error);
    }
    return status;
}

/* ---- differences of whole searches ------------------------------------------------------------
 */

typedef struct check {
    nt_cli_static *a;
    nt_quantity_info *quantities; /* [n_quantities] */
    nt_check_group *groups;
    int n_quantities, n;
    double *q, *memory; /* the state itself: searches begin there, moved as the placement moves */
    double *v;
    double *placed, *there, *from; /* [nq] the placement, that of another value, a beginning */
    double *placed_v, *there_v, *from_v; /* [nv] the same of states */
    double *increment, *unused;          /* [nv], [n_memory] scratch */
    double *numbers;                     /* [n_parameters] scratch */
} check;

static int find_columns(check *c)
{
    const nt_simulation *simulation = nt_model_simulation(c->a->plan.model);
    const nt_system *system = nt_run_system(c->a->plan.run);
    nt_error error = {0};
    size_t room = (size_t)simulation->n_record;
    c->quantities = calloc(room + 1, sizeof *c->quantities);
    c->groups = calloc(room + 1, sizeof *c->groups);
    c->numbers = calloc((size_t)system->n_parameters + 1, sizeof *c->numbers);
    if (!c->quantities || !c->groups || !c->numbers)
        return nt_cli_no_memory();
    for (int i = 0; i < simulation->n_record; i++) {
        nt_quantity_info *quantity = &c->quantities[c->n_quantities];
        if (nt_model_quantity(c->a->plan.model, simulation->record[i], quantity, &error) != NT_OK)
            return nt_cli_fail(c->a->plan.path, &error);
        if (quantity->needs_drift) /* counts as constant */
            continue;
        c->groups[c->n_quantities++] =
            (nt_check_group){.first = c->n, .columns = quantity->columns, .quantity = *quantity};
        c->n += quantity->columns;
    }
    size_t nq = (size_t)system->space.nq, nv = (size_t)system->space.nv;
    nt_state state = nt_static_state(c->a->state);
    c->q = calloc(4 * nq + 5 * nv + 2 * (size_t)system->n_memory + 1, sizeof *c->q);
    if (!c->q)
        return nt_cli_no_memory();
    c->v = c->q + nq;
    c->memory = c->v + nv;
    c->placed = c->memory + system->n_memory;
    c->there = c->placed + nq, c->from = c->there + nq;
    c->placed_v = c->from + nq, c->there_v = c->placed_v + nv, c->from_v = c->there_v + nv;
    c->increment = c->from_v + nv, c->unused = c->increment + nv;
    nt_run_initial(c->a->plan.run, c->placed, c->placed_v, c->unused);
    memcpy(c->q, state.q, nq * sizeof *c->q);
    memcpy(c->v, state.v, nv * sizeof *c->q);
    if (system->n_memory > 0)
        memcpy(c->memory, state.memory, (size_t)system->n_memory * sizeof *c->q);
    return NT_EXIT_DONE;
}

static nt_status sample(check *c, double *out)
{
    nt_cli_static *a = c->a;
    nt_state state = nt_static_state(a->state);
    nt_status status =
        nt_static_reactions(a->state, nt_run_length(a->plan.run), a->reactions, NULL);
    for (int i = 0; i < c->n_quantities && status == NT_OK; i++)
        status = nt_run_sample(a->plan.run, &c->quantities[i], &state, a->reactions,
                               out + c->groups[i].first, NULL);
    return status;
}

/* The static state at another value of a parameter, and what is recorded of it. */
static nt_status state_at(check *c, const char *name, double value, double *out)
{
    nt_cli_static *a = c->a;
    const nt_system *system = nt_run_system(a->plan.run);
    const nt_space *space = &system->space;
    nt_status status = nt_model_set(a->plan.run, name, value, NULL);
    if (status != NT_OK)
        return status;
    nt_run_initial(a->plan.run, c->there, c->there_v, c->unused);
    memcpy(c->from_v, c->v, (size_t)space->nv * sizeof *c->v);
    for (int b = 0; b < space->n_blocks; b++)
        for (int i = space->blocks[b].v;
             space->blocks[b].kind == NT_FIRST && i < space->blocks[b].v + space->blocks[b].nv; i++)
            c->from_v[i] += c->there_v[i] - c->placed_v[i];
    nt_space_difference(space, system->frame, c->placed, c->there, c->increment);
    nt_space_compose(space, system->frame, c->q, c->increment, c->from);
    status = nt_static_start(a->state, nt_model_simulation(a->plan.model)->start, c->from,
                             c->from_v, c->memory, NULL);
    if (status == NT_OK)
        status = nt_static_solve(a->state, NULL);
    return status == NT_OK ? sample(c, out) : status;
}

/* Derivatives of all columns in one parameter, at the state that was found last. */
static nt_status derivatives_at(check *c, const derivatives *d, double *out, nt_error *error)
{
    nt_state state = nt_static_state(c->a->state);
    return nt_run_sample_tangent(c->a->plan.run, c->quantities, c->n_quantities, &state,
                                 c->a->reactions, d->rates, d->reaction_rates, out, error);
}

/* What rounding leaves open in derivatives, by those at values next to the parameter's own: where
 * nothing is loaded, positions and forces that do not change are as large as nothing. Into
 * rounding[n], which is zero where no state is found there; scratch[n]. */
static int find_rounding(check *c, int k, double size, const double *exact, double *rounding,
                         double *scratch)
{
    static const double NEXT = 1e-9; /* of the parameter: all else changes as little */
    const nt_system *system = nt_run_system(c->a->plan.run);
    derivatives d = {.parameters = &k, .n = 1};
    nt_error error = {0};
    int status = take_derivatives(&d, c->a);
    memset(rounding, 0, (size_t)c->n * sizeof *rounding);
    system->get_parameters(system->self, c->numbers);
    double value = c->numbers[k];
    for (int i = -1; i < 2 && status == NT_EXIT_DONE; i += 2) {
        bool found =
            state_at(c, system->parameter_names[k], value + i * NEXT * size, scratch) == NT_OK &&
            differentiate(&d, c->a, &error) == NT_OK &&
            derivatives_at(c, &d, scratch, &error) == NT_OK;
        for (int j = 0; j < c->n && found; j++)
            rounding[j] = fmax(rounding[j], fabs(scratch[j] - exact[j]));
    }
    free(d.rates);
    free(d.numbers);
    free(d.reaction_rates);
    return status;
}

static void measure_groups(check *c, const double *values)
{
    for (int i = 0; i < c->n_quantities; i++) {
        nt_check_group *g = &c->groups[i];
        for (int k = g->first; k < g->first + g->columns; k++)
            g->largest = fmax(g->largest, fabs(values[k]));
        g->floor = 1e-9 * g->largest + 1e-12;
    }
}

/* The noise of one value, from those at -2, -1, 1, 2 steps and at none, as in sens_verdict.c. All
 * searches begin at the state between them: their rounding may be the same on both sides, and
 * opposite. The fourth difference does not see that, the third one does. Where all of them find the
 * same, the state itself, which the command found from the placement, may be off by its own
 * rounding, which says nothing of theirs. */
static double noise_of_searches(double *const at[4], const double *values, int i)
{
    if (at[0][i] == at[1][i] && at[1][i] == at[2][i] && at[2][i] == at[3][i])
        return 0;
    double fourth = (at[3][i] - 4 * at[2][i] + 6 * values[i] - 4 * at[1][i] + at[0][i]) / sqrt(70);
    double third = (at[3][i] - 2 * at[2][i] + 2 * at[1][i] - at[0][i]) / sqrt(10);
    return fmax(fabs(fourth), fabs(third));
}

/* Rounding of a derivative is taken to be so many times what it differs by from the others. */
static const double ROUNDINGS = 10;

/* Rows of the list for one parameter. */
static int check_parameter(check *c, int k, const double *exact, const double *values,
                           nt_check_row *rows)
{
    const nt_system *system = nt_run_system(c->a->plan.run);
    const char *name = system->parameter_names[k];
    nt_check_differences d = {.exact = exact, .size = system->parameter_scale[k]};
    double *room = calloc((3 * NT_CHECK_STEPS + 5) * (size_t)c->n + 1, sizeof *room);
    if (!room)
        return nt_cli_no_memory();
    system->get_parameters(system->self, c->numbers);
    double value = c->numbers[k], *at[4] = {room, room + c->n, room + 2 * c->n, room + 3 * c->n};
    double *rounding = room + (3 * NT_CHECK_STEPS + 4) * (size_t)c->n;
    int status = find_rounding(c, k, d.size, exact, rounding, at[0]);
    if (status != NT_EXIT_DONE) {
        free(room);
        return status;
    }
    for (int s = 0; s < NT_CHECK_STEPS; s++) {
        double h = nt_check_steps[s] * d.size;
        d.two[s] = room + (4 + 3 * s) * c->n;
        d.four[s] = d.two[s] + c->n;
        d.wiggle[s] = d.four[s] + c->n;
        d.done[s] = true;
        for (int j = 0; j < 4 && d.done[s]; j++)
            d.done[s] = state_at(c, name, value + (j < 2 ? j - 2 : j - 1) * h, at[j]) == NT_OK;
        for (int i = 0; i < c->n && d.done[s]; i++) {
            d.two[s][i] = (at[2][i] - at[1][i]) / (2 * h);
            d.four[s][i] = (8 * (at[2][i] - at[1][i]) - (at[3][i] - at[0][i])) / (12 * h);
            d.wiggle[s][i] = noise_of_searches(at, values, i);
        }
    }
    nt_model_set(c->a->plan.run, name, value, NULL);
    for (int i = 0, row = 0; i < c->n_quantities; i++) {
        nt_check_group judged = c->groups[i];
        const nt_check_group *g = &judged;
        for (int j = g->first; j < g->first + g->columns; j++)
            judged.floor = fmax(judged.floor, ROUNDINGS * rounding[j] * d.size);
        nt_check_verdict v = nt_check_judge(g, &d);
        for (int j = 0; j < g->columns; j++, row++) {
            char column[256], unit[64], meaning[256];
            int at_column = g->first + j;
            nt_model_quantity_column(c->a->plan.model, &g->quantity, j, column, unit, meaning, 64);
            double difference = v.step >= 0 ? d.four[v.step][at_column] : (double)NAN;
            double off = fabs(exact[at_column] - difference);
            double digits = off > 0 && v.size > 0 ? -log10(off / v.size) : 16;
            rows[row] = (nt_check_row){.kind = v.kind,
                                       .derivative = exact[at_column],
                                       .difference = difference,
                                       .digits = fmax(0, fmin(16, digits)),
                                       .doubt = v.size > 0 ? v.doubt / v.size : 0};
            snprintf(rows[row].label, sizeof rows[row].label, "d(%s)/d(%s)", column, name);
        }
    }
    free(room);
    return NT_EXIT_DONE;
}

static int compare(nt_cli_static *a, const derivatives *d)
{
    check c = {.a = a};
    nt_error error = {0};
    nt_check_row *rows = NULL;
    double *values = NULL;
    const nt_system *system = nt_run_system(a->plan.run);
    size_t n_rows = (size_t)system->nh + (size_t)system->nn;
    int status = find_columns(&c), wrong = 0;
    if (status != NT_EXIT_DONE)
        goto done;
    rows = calloc((size_t)(c.n * d->n) + 1, sizeof *rows);
    values = calloc((size_t)(c.n * (d->n + 1)) + 1, sizeof *values);
    if (!rows || !values) {
        status = nt_cli_no_memory();
        goto done;
    }
    nt_status found = sample(&c, values);
    nt_state state = nt_static_state(a->state);
    measure_groups(&c, values);
    for (int k = 0; k < d->n && found == NT_OK; k++)
        found = nt_run_sample_tangent(
            a->plan.run, c.quantities, c.n_quantities, &state, a->reactions, &d->rates[k],
            d->reaction_rates + (size_t)k * n_rows, values + (size_t)((k + 1) * c.n), &error);
    if (found != NT_OK) {
        status = nt_cli_fail(a->plan.path, &error);
        goto done;
    }
    for (int k = 0; k < d->n && status == NT_EXIT_DONE; k++)
        status = check_parameter(&c, d->parameters[k], values + (size_t)((k + 1) * c.n), values,
                                 rows + (size_t)(k * c.n));
    for (int i = 0; i < c.n * d->n && status == NT_EXIT_DONE; i++)
        wrong += rows[i].kind == NT_CHECK_WRONG;
    if (status == NT_EXIT_DONE) {
        nt_check_show(rows, c.n * d->n, stdout);
        status = nt_cli_finish_output();
    }
    if (status == NT_EXIT_DONE && wrong > 0)
        status = NT_EXIT_FAILED;
done:
    free(rows);
    free(values);
    free(c.quantities);
    free(c.groups);
    free(c.q);
    free(c.numbers);
    return status;
}

/* ---- the command ---------------------------------------------------------------------------- */

int nt_cli_static_sens(const nt_cli_options *options, nt_cli_sens *sens)
{
    nt_cli_static a = {0};
    derivatives d = {0};
    nt_error error = {0};
    int status = nt_cli_static_begin(&a, options);
    if (status == NT_EXIT_DONE)
        status = nt_cli_sens_find(sens, &a.plan, options);
    if (status == NT_EXIT_DONE &&
        nt_run_prepare_parameters(a.plan.run, sens->parameters, sens->n, &error) != NT_OK)
        status = nt_cli_fail(options->name, &error);
    d.parameters = sens->parameters;
    d.n = sens->n;
    if (status == NT_EXIT_DONE)
        status = nt_cli_static_open(&a, options, d.parameters, d.n);
    if (status == NT_EXIT_DONE)
        status = take_derivatives(&d, &a);
    if (status == NT_EXIT_DONE)
        status = nt_cli_static_find(&a, options);
    if (status == NT_EXIT_DONE && (differentiate(&d, &a, &error) != NT_OK ||
                                   nt_cli_static_row(&a, d.rates, d.reaction_rates, &error)))
        status = nt_cli_fail(options->name, &error);
    if (!options->quiet && status == NT_EXIT_DONE)
        status = nt_cli_static_summary(&a, status);
    if (nt_record_close(a.record, &error) != NT_OK && status == NT_EXIT_DONE)
        status = nt_cli_fail(options->name, &error);
    a.record = NULL;
    if (options->check && status == NT_EXIT_DONE)
        status = compare(&a, &d);
    free(d.rates);
    free(d.numbers);
    free(d.reaction_rates);
    nt_cli_static_free(&a);
    return status;
}
