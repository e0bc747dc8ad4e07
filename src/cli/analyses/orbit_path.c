/* nutate orbit --along NAME=A..B:N: a row for each orbit of a path, events among them. */
#include "cli/analyses/orbit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the option ----------------------------------------------------------------------------- */

typedef struct range {
    char name[200];
    double from, to;
    int n, parameter;
} range;

static int refuse_range(const char *text)
{
    nt_cli_say("--along: expected NAME=A..B:N, a parameter, two different numbers and how many "
               "points from 2 on, got '%s'",
               text);
    return NT_EXIT_USAGE;
}

static int read_range(const nt_cli_orbit_job *job, range *r)
{
    const char *text = job->options->along, *equals = strchr(text, '=');
    const nt_system *system = nt_run_system(job->plan.run);
    char *end, number[400], *dots, hint[80];
    if (!equals || equals == text || (size_t)(equals - text) >= sizeof r->name ||
        strlen(equals) >= sizeof number)
        return refuse_range(text);
    snprintf(r->name, sizeof r->name, "%.*s", (int)(equals - text), text);
    snprintf(number, sizeof number, "%s", equals + 1);
    dots = strstr(number, "..");
    if (!dots)
        return refuse_range(text);
    *dots = '\0'; /* 1..2 is no number 1. */
    r->from = strtod(number, &end);
    bool good = end != number && *end == '\0' && isfinite(r->from);
    char *second = dots + 2;
    r->to = strtod(second, &end);
    good = good && end != second && *end == ':' && isfinite(r->to) && r->to != r->from;
    char *count = end + (*end == ':');
    r->n = (int)strtol(count, &end, 10);
    if (!good || end == count || *end != '\0' || r->n < 2 || r->n > 1000000)
        return refuse_range(text);
    for (r->parameter = 0; r->parameter < system->n_parameters; r->parameter++)
        if (strcmp(system->parameter_names[r->parameter], r->name) == 0)
            return NT_EXIT_DONE;
    nt_cli_suggestion(r->name, system->parameter_names, system->n_parameters, hint, sizeof hint);
    nt_cli_say("--along: %s has no parameter '%s'%s", job->plan.path, r->name, hint);
    return NT_EXIT_USAGE;
}

int nt_cli_orbit_path_begin(nt_cli_orbit_job *job)
{
    range r;
    nt_error error = {0};
    if (!job->options->along)
        return NT_EXIT_DONE;
    int status = read_range(job, &r);
    if (status != NT_EXIT_DONE)
        return status;
    return nt_model_set(job->plan.run, r.name, r.from, &error) == NT_OK
               ? NT_EXIT_DONE
               : nt_cli_fail(job->plan.path, &error);
}

/* ---- rows ----------------------------------------------------------------------------------- */

enum { TEXT = 256 };

typedef struct column {
    char name[2 * TEXT], unit[TEXT], meaning[2 * TEXT];
} column;

typedef struct path {
    nt_cli_orbit_job *job;
    range range;
    nt_quantity_info *quantities;
    int n_quantities, n_recorded; /* numbers recorded of a state */
    column *columns;
    int n_columns, fixed; /* columns before the recorded ones */
    double *row, *now, *reactions;
    nt_result_writer *writer;
    int status, counts[NT_ORBIT_TORUS + 1];
    long rows;
    nt_error error;
} path;

static void add_column(path *p, const char *name, const char *unit, const char *meaning)
{
    column *c = &p->columns[p->n_columns++];
    snprintf(c->name, sizeof c->name, "%s", name);
    snprintf(c->unit, sizeof c->unit, "%s", unit);
    snprintf(c->meaning, sizeof c->meaning, "%s", meaning);
}

static int find_quantities(path *p)
{
    const nt_model *model = p->job->plan.model;
    const nt_simulation *simulation = nt_model_simulation(model);
    p->quantities = calloc((size_t)simulation->n_record + 1, sizeof *p->quantities);
    if (!p->quantities)
        return nt_cli_no_memory();
    for (int i = 0; i < simulation->n_record; i++) {
        nt_quantity_info *found = &p->quantities[p->n_quantities];
        nt_error error = {0};
        if (nt_model_quantity(model, simulation->record[i], found, &error) != NT_OK)
            return nt_cli_fail(p->job->plan.path, &error);
        if (found->needs_drift)
            continue;
        p->n_quantities++;
        p->n_recorded += found->columns;
    }
    return NT_EXIT_DONE;
}

static void name_columns(path *p)
{
    nt_orbit_found found = nt_orbit_state(p->job->orbit);
    char name[TEXT], unit[TEXT], meaning[TEXT], text[2 * TEXT];
    add_column(p, p->range.name, "", "parameter that the orbits follow");
    add_column(p, "event", "1", "0 none, 1 fold, 2 period doubling, 3 branching, 4 torus");
    add_column(p, "period", "s", "of the orbit");
    for (int i = 0; i < p->job->options->n_advances; i++) {
        snprintf(name, sizeof name, "advance(%s)", p->job->advance_names[i]);
        add_column(p, name, strstr(name, "rotation") ? "rad" : "m", "what a period adds");
    }
    add_column(p, "stable", "1", "1 stable, 0 neutral, -1 unstable");
    add_column(p, "miss", "m", "how far the end is from the begin");
    for (int i = 0; i < 2 * found.dimension; i++) {
        snprintf(name, sizeof name, "multiplier%d.%s", i / 2 + 1, i % 2 ? "im" : "re");
        snprintf(meaning, sizeof meaning, "%s part of a%s Floquet multiplier",
                 i % 2 ? "imaginary" : "real", i / 2 < found.trivial ? " trivial" : "");
        add_column(p, name, "1", meaning);
    }
    p->fixed = p->n_columns;
    static const char *const words[] = {"at the begin", "least over a period",
                                        "largest over a period"};
    for (int form = 0; form < 3; form++)
        for (int i = 0; i < p->n_quantities; i++)
            for (int k = 0; k < p->quantities[i].columns; k++) {
                nt_model_quantity_column(p->job->plan.model, &p->quantities[i], k, name, unit,
                                         meaning, TEXT);
                if (form == 0)
                    snprintf(text, sizeof text, "%s", name);
                else
                    snprintf(text, sizeof text, "%s(%s)", form == 1 ? "min" : "max", name);
                char about[2 * TEXT];
                snprintf(about, sizeof about, "%s, %s", meaning, words[form]);
                add_column(p, text, unit, about);
            }
}

static int open_result(path *p)
{
    nt_orbit_found found = nt_orbit_state(p->job->orbit);
    const nt_system *system = nt_run_system(p->job->plan.run);
    nt_error error = {0};
    int status = find_quantities(p);
    if (status != NT_EXIT_DONE)
        return status;
    size_t n = 5 + (size_t)p->job->options->n_advances + 2 * (size_t)found.dimension +
               3 * (size_t)p->n_recorded;
    p->columns = calloc(n, sizeof *p->columns);
    p->row = calloc(n + (size_t)p->n_recorded, sizeof *p->row);
    p->reactions = calloc((size_t)(system->nh + system->nn) + 1, sizeof *p->reactions);
    nt_result_column *columns = calloc(n, sizeof *columns);
    if (!p->columns || !p->row || !p->reactions || !columns) {
        free(columns);
        return nt_cli_no_memory();
    }
    p->now = p->row + n;
    name_columns(p);
    for (size_t i = 0; i < n; i++)
        columns[i] =
            (nt_result_column){p->columns[i].name, p->columns[i].unit, p->columns[i].meaning};
    const nt_cli_plan *plan = &p->job->plan;
    nt_result_attribute attributes[NT_CLI_PROVENANCE];
    const nt_result_setup setup = {
        .files = p->job->places.files,
        .n_files = p->job->places.n,
        .columns = columns,
        .n_columns = (int)n,
        .attributes = attributes,
        .n_attributes = nt_cli_provenance(plan->model, plan->path, "nutate orbit", attributes)};
    nt_status created = nt_result_create(&p->writer, &setup, &error);
    free(columns);
    return created == NT_OK ? NT_EXIT_DONE : nt_cli_fail(p->job->plan.path, &error);
}

/* Recorded numbers of the present state of the integrator, into p->now. */
static nt_status sample(path *p)
{
    nt_cli_plan *plan = &p->job->plan;
    nt_state state = nt_integrator_state(plan->integrator);
    bool wanted = false, balanced = false;
    for (int i = 0; i < p->n_quantities; i++) {
        wanted |= p->quantities[i].needs_reactions != 0;
        balanced |= p->quantities[i].needs_accelerations != 0;
    }
    nt_status status = NT_OK;
    if (balanced)
        status = nt_integrator_balance(plan->integrator, &state, &state, &p->error);
    if (status == NT_OK && wanted)
        status = nt_integrator_reactions(plan->integrator, &state, nt_run_length(plan->run),
                                         p->reactions, &p->error);
    double *out = p->now;
    for (int i = 0; i < p->n_quantities && status == NT_OK; i++) {
        status = nt_run_sample(plan->run, &p->quantities[i], &state, wanted ? p->reactions : NULL,
                               out, &p->error);
        out += p->quantities[i].columns;
    }
    return status;
}

static int take_extremes(void *context, const nt_integrator *unused)
{
    path *p = context;
    double *least = p->row + p->fixed + p->n_recorded, *largest = least + p->n_recorded;
    (void)unused;
    if (sample(p) != NT_OK)
        return 1;
    for (int i = 0; i < p->n_recorded; i++) {
        least[i] = fmin(least[i], p->now[i]);
        largest[i] = fmax(largest[i], p->now[i]);
    }
    return 0;
}

/* The motion over a period, in the recorded columns of the row. */
static nt_status look_at_motion(path *p)
{
    nt_orbit_found found = nt_orbit_state(p->job->orbit);
    nt_integrator *it = p->job->plan.integrator;
    double *first = p->row + p->fixed;
    nt_status status =
        nt_integrator_start(it, found.start, found.q, found.v, found.memory, &p->error);
    if (status == NT_OK)
        status = sample(p);
    for (int form = 0; form < 3; form++)
        memcpy(first + form * p->n_recorded, p->now, (size_t)p->n_recorded * sizeof *first);
    if (status == NT_OK && p->n_recorded > 0)
        status = nt_integrator_run(it, found.start + found.period, found.period / found.steps,
                                   take_extremes, p, &p->error);
    return status;
}

/* ---- the path ------------------------------------------------------------------------------- */

static const char *const events[] = {"", "fold", "period doubling", "branching", "torus"};

static int visit(void *context, const nt_orbit *orbit, double value, nt_orbit_event event)
{
    path *p = context;
    nt_orbit_found found = nt_orbit_state(orbit);
    double *out = p->row;
    static const double stable[] = {1, 0, -1};
    *out++ = value;
    *out++ = event;
    *out++ = found.period;
    for (int i = 0; i < p->job->options->n_advances; i++)
        *out++ = found.advance[i];
    *out++ = stable[found.stability];
    *out++ = found.miss;
    memcpy(out, found.multiplier, 2 * (size_t)found.dimension * sizeof *out);
    nt_status status = look_at_motion(p);
    if (status == NT_OK)
        status = nt_result_write(p->writer, p->row, &p->error);
    if (status == NT_OK)
        status = nt_result_keep_up(p->writer, &p->error);
    p->rows += status == NT_OK;
    p->counts[event]++;
    if (event != NT_ORBIT_POINT && !p->job->options->quiet) {
        nt_cli_orbit_clear_progress(p->job);
        fprintf(stderr, "  %s at %s = %.9g, period %.9g s%s\n", events[event], p->range.name, value,
                found.period,
                event == NT_ORBIT_DOUBLING ? ": orbits of twice the period branch off"
                : event == NT_ORBIT_BRANCH ? ": other orbits cross"
                : event == NT_ORBIT_TORUS  ? ": a pair of multipliers leaves the unit circle"
                                           : ": the path turns back");
    }
    return status != NT_OK || nt_cli_stop_asked();
}

static void say_path(const path *p)
{
    nt_orbit_found found = nt_orbit_state(p->job->orbit);
    char words[300];
    fprintf(stderr,
            "%s from %g to %g: %ld orbits, %d folds, %d period doublings, %d branchings, "
            "%d tori\n",
            p->range.name, p->range.from, p->range.to, p->rows, p->counts[NT_ORBIT_FOLD],
            p->counts[NT_ORBIT_DOUBLING], p->counts[NT_ORBIT_BRANCH], p->counts[NT_ORBIT_TORUS]);
    if (found.dimension > 0)
        fprintf(stderr, "  at the end: period %.9g s, %s\n", found.period,
                nt_orbit_words(p->job->orbit, words, sizeof words));
    fprintf(stderr, "%ld rows in %s\n", p->rows, p->job->places.files[0].path);
}

int nt_cli_orbit_path(nt_cli_orbit_job *job)
{
    path p = {.job = job};
    nt_error error = {0}, closing = {0};
    int status = read_range(job, &p.range);
    nt_cli_signals_in_order(true);
    nt_status found = status == NT_EXIT_DONE ? nt_orbit_find(job->orbit, &error) : NT_OK;
    if (found == NT_OK && status == NT_EXIT_DONE) {
        nt_cli_orbit_clear_progress(job);
        if (!job->options->quiet)
            nt_cli_orbit_say_period(job);
        status = open_result(&p);
        if (status == NT_EXIT_DONE)
            found = nt_orbit_follow(job->orbit, p.range.parameter, p.range.to,
                                    fabs(p.range.to - p.range.from) / (p.range.n - 1),
                                    20 * p.range.n + 100, visit, &p, &error);
    }
    nt_cli_orbit_clear_progress(job);
    nt_status closed = nt_result_finish(p.writer, &closing);
    if (status == NT_EXIT_DONE && p.error.status != NT_OK)
        status = nt_cli_fail(job->plan.path, &p.error);
    else if (status == NT_EXIT_DONE && found != NT_OK) {
        nt_cli_fail(job->plan.path, &error);
        status = found == NT_INTERRUPTED ? NT_EXIT_INTERRUPTED : NT_EXIT_FAILED;
    } else if (status == NT_EXIT_DONE && closed != NT_OK)
        status = nt_cli_fail(job->plan.path, &closing);
    if (p.rows > 0 && !job->options->quiet)
        say_path(&p);
    free(p.quantities);
    free(p.columns);
    free(p.row);
    free(p.reactions);
    return status;
}
