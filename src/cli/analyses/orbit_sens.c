/* nutate sens --of orbit: how multipliers, a found period and found advances change with
 * parameters. */
#include "cli/analyses/orbit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is differentiated: real and imaginary parts of the multipliers that are not trivial, the
 * period where it is found, the advances that are. */
typedef struct table {
    nt_cli_orbit_job *job;
    int n, trivial;
    bool period;
    int *parameters; /* [options->n_parameters] */
    double *value;   /* [n] */
    double *d;       /* [n_parameters][n] */
    double *beside;  /* [2][n] */
} table;

static void name_of(const table *t, int i, char *text, size_t size)
{
    nt_orbit_found found = nt_orbit_state(t->job->orbit);
    int multipliers = 2 * (found.dimension - t->trivial), k = i - multipliers;
    if (k < 0) {
        snprintf(text, size, "multiplier%d.%s", t->trivial + i / 2 + 1, i % 2 ? "im" : "re");
        return;
    }
    if (t->period && k-- == 0) {
        snprintf(text, size, "period");
        return;
    }
    for (int j = 0; j < t->job->options->n_advances; j++)
        if (t->job->advances[j].found && k-- == 0)
            snprintf(text, size, "advance(%s)", t->job->advance_names[j]);
}

/* Multipliers in the order of `like` (NULL: their own), then period and advances. */
static void take_values(const table *t, const double *like, double *out)
{
    nt_orbit_found found = nt_orbit_state(t->job->orbit);
    int n = found.dimension - t->trivial;
    const double *mu = found.multiplier + 2 * t->trivial;
    for (int i = 0; i < n; i++) {
        int best = i;
        for (int k = 0; like && k < n; k++)
            if (hypot(mu[2 * k] - like[2 * i], mu[2 * k + 1] - like[2 * i + 1]) <
                hypot(mu[2 * best] - like[2 * i], mu[2 * best + 1] - like[2 * i + 1]))
                best = k;
        out[2 * i] = mu[2 * best], out[2 * i + 1] = mu[2 * best + 1];
    }
    out += 2 * n;
    if (t->period)
        *out++ = found.period;
    for (int j = 0; j < t->job->options->n_advances; j++)
        if (t->job->advances[j].found)
            *out++ = found.advance[j];
}

static int find_parameters(table *t)
{
    const nt_cli_options *options = t->job->options;
    const nt_system *system = nt_run_system(t->job->plan.run);
    if (options->n_parameters == 0) {
        nt_cli_say("sens needs --param NAME");
        return NT_EXIT_USAGE;
    }
    for (int i = 0; i < options->n_parameters; i++) {
        int k = 0;
        char hint[80];
        while (k < system->n_parameters &&
               strcmp(system->parameter_names[k], options->parameters[i]) != 0)
            k++;
        if (k == system->n_parameters) {
            nt_cli_suggestion(options->parameters[i], system->parameter_names, system->n_parameters,
                              hint, sizeof hint);
            nt_cli_say("--param: %s has no parameter '%s'%s", t->job->plan.path,
                       options->parameters[i], hint);
            return NT_EXIT_USAGE;
        }
        t->parameters[i] = k;
    }
    return NT_EXIT_DONE;
}

/* ---- derivatives ---------------------------------------------------------------------------- */

static int differentiate(table *t)
{
    nt_orbit_found found = nt_orbit_state(t->job->orbit);
    int advances = t->job->options->n_advances;
    double *out = calloc((size_t)(2 * found.dimension + advances) + 1, sizeof *out);
    double period, *advance = out + 2 * found.dimension;
    nt_error error = {0};
    if (!out)
        return nt_cli_no_memory();
    nt_status status = NT_OK;
    for (int k = 0; k < t->job->options->n_parameters && status == NT_OK; k++) {
        double *d = t->d + (size_t)k * (size_t)t->n;
        status = nt_orbit_tangent(t->job->orbit, t->parameters[k], out, &period, advance, &error);
        for (int i = 2 * t->trivial; i < 2 * found.dimension; i++)
            *d++ = out[i];
        if (t->period)
            *d++ = period;
        for (int j = 0; j < advances; j++)
            if (t->job->advances[j].found)
                *d++ = advance[j];
    }
    free(out);
    return status == NT_OK ? NT_EXIT_DONE : nt_cli_fail(t->job->plan.path, &error);
}

/* ---- the comparison with whole orbits ------------------------------------------------------- */

/* Orbits found anew at values of the parameter beside its own, by formulas of order two and four:
 * what these differ by is how far differences can be believed. */
static const double STEP = 1e-4, ALLOWED = 1e-6;

static int compare_one(table *t, int k, int *agree, int *wrong)
{
    const nt_system *system = nt_run_system(t->job->plan.run);
    size_t n = (size_t)t->n;
    double *four = t->beside, *two = four + n, *at = two + n, *p = t->job->values, value;
    int parameter = t->parameters[k];
    nt_error error = {0};
    nt_status status = NT_OK;
    system->get_parameters(system->self, p);
    value = p[parameter];
    double step = STEP * (value != 0 ? fabs(value) : 1);
    memset(four, 0, 2 * n * sizeof *four);
    for (int place = -2; place <= 2 && status == NT_OK; place++) {
        static const double of_four[] = {1.0 / 12, -8.0 / 12, 0, 8.0 / 12, -1.0 / 12};
        static const double of_two[] = {0, -0.5, 0, 0.5, 0};
        system->get_parameters(system->self, p);
        p[parameter] = value + place * step;
        status = system->set_parameters(system->self, p);
        if (status == NT_OK)
            status = nt_orbit_begin_again(t->job->orbit, &error);
        if (status == NT_OK)
            status = nt_orbit_find(t->job->orbit, &error);
        if (status != NT_OK)
            break;
        take_values(t, t->value, at);
        for (size_t i = 0; i < n; i++) {
            four[i] += of_four[place + 2] * at[i] / step;
            two[i] += of_two[place + 2] * at[i] / step;
        }
    }
    system->get_parameters(system->self, p);
    p[parameter] = value;
    nt_status back = system->set_parameters(system->self, p);
    status = status == NT_OK ? back : status;
    if (status == NT_OK)
        status = nt_orbit_begin_again(t->job->orbit, &error);
    if (status == NT_OK)
        status = nt_orbit_find(t->job->orbit, &error);
    if (status != NT_OK && error.status == NT_OK) { /* setting a parameter says nothing itself */
        error.status = status;
        snprintf(error.message, sizeof error.message, "%s = %.9g: %s",
                 t->job->options->parameters[k], p[parameter], nt_status_text(status));
    }
    if (status != NT_OK)
        return nt_cli_fail(t->job->plan.path, &error);
    for (size_t i = 0; i < n; i++) {
        char name[200];
        double exact = t->d[(size_t)k * n + i], off = exact - four[i];
        double allowed = ALLOWED * (fabs(exact) + fabs(t->value[i]) / (fabs(value) + step)) +
                         fabs(four[i] - two[i]);
        bool right = isnan(exact) || fabs(off) <= allowed;
        name_of(t, (int)i, name, sizeof name);
        printf("d(%s)/d(%s)  %.9g  by orbits %.9g  %s\n", name, t->job->options->parameters[k],
               exact, four[i],
               isnan(exact) ? "repeated: not differentiated"
               : right      ? "good"
                            : "WRONG");
        *agree += right && !isnan(exact);
        *wrong += !right;
    }
    return NT_EXIT_DONE;
}

static int compare(table *t)
{
    int agree = 0, wrong = 0, status = NT_EXIT_DONE;
    for (int k = 0; k < t->job->options->n_parameters && status == NT_EXIT_DONE; k++)
        status = compare_one(t, k, &agree, &wrong);
    if (status == NT_EXIT_DONE) {
        printf("%d derivatives agree with differences of whole orbits", agree);
        if (wrong > 0)
            printf(", %d do not", wrong);
        printf("\n");
        status = nt_cli_finish_output();
    }
    if (status == NT_EXIT_DONE && wrong > 0) {
        nt_cli_say("derivatives disagree with differences of whole orbits");
        status = NT_EXIT_FAILED;
    }
    return status;
}

/* ---- the result ----------------------------------------------------------------------------- */

/* One row: each value followed by its derivatives. */
static int write_row(const table *t)
{
    int each = 1 + t->job->options->n_parameters, columns = t->n * each;
    char(*names)[300] = calloc((size_t)columns, sizeof *names);
    nt_result_column *column = calloc((size_t)columns, sizeof *column);
    double *row = calloc((size_t)columns, sizeof *row);
    nt_error error = {0};
    nt_result_writer *writer = NULL;
    if (!names || !column || !row) {
        free(names), free(column), free(row);
        return nt_cli_no_memory();
    }
    for (int i = 0; i < t->n; i++)
        for (int k = 0; k < each; k++) {
            char name[200];
            int at = i * each + k;
            name_of(t, i, name, sizeof name);
            if (k == 0)
                snprintf(names[at], sizeof names[at], "%s", name);
            else
                snprintf(names[at], sizeof names[at], "d(%s)/d(%s)", name,
                         t->job->options->parameters[k - 1]);
            column[at] = (nt_result_column){names[at], "", k == 0 ? "of the orbit" : "derivative"};
            row[at] = k == 0 ? t->value[i] : t->d[(size_t)(k - 1) * (size_t)t->n + (size_t)i];
        }
    const nt_cli_plan *plan = &t->job->plan;
    nt_result_attribute attributes[NT_CLI_PROVENANCE];
    const nt_result_setup setup = {
        .files = t->job->places.files,
        .n_files = t->job->places.n,
        .columns = column,
        .n_columns = columns,
        .attributes = attributes,
        .n_attributes = nt_cli_provenance(plan->model, plan->path, "nutate orbit", attributes)};
    nt_status status = nt_result_create(&writer, &setup, &error);
    if (status == NT_OK)
        status = nt_result_write(writer, row, &error);
    nt_error closing = {0};
    nt_status closed = nt_result_finish(writer, &closing);
    free(names), free(column), free(row);
    if (status != NT_OK)
        return nt_cli_fail(t->job->plan.path, &error);
    return closed == NT_OK ? NT_EXIT_DONE : nt_cli_fail(t->job->plan.path, &closing);
}

static void say_derivatives(const table *t)
{
    for (int i = 0; i < t->n; i++) {
        char name[200];
        name_of(t, i, name, sizeof name);
        fprintf(stderr, "  %s  %.9g", name, t->value[i]);
        for (int k = 0; k < t->job->options->n_parameters; k++)
            fprintf(stderr, ", d/d(%s) %.9g", t->job->options->parameters[k],
                    t->d[(size_t)k * (size_t)t->n + (size_t)i]);
        fputc('\n', stderr);
    }
}

static int derivatives_of(table *t)
{
    nt_orbit_found found = nt_orbit_state(t->job->orbit);
    const nt_cli_options *options = t->job->options;
    t->trivial = found.trivial;
    t->period = options->free_period;
    t->n = 2 * (found.dimension - found.trivial) + t->period;
    for (int j = 0; j < options->n_advances; j++)
        t->n += t->job->advances[j].found != 0;
    if (t->n == 0) {
        nt_cli_say("%s: all multipliers of the orbit are trivial, and its period is given: nothing "
                   "to differentiate",
                   t->job->plan.path);
        return NT_EXIT_USAGE;
    }
    size_t n = (size_t)t->n;
    t->value = calloc(n, sizeof *t->value);
    t->d = calloc(n * (size_t)options->n_parameters, sizeof *t->d);
    t->beside = calloc(3 * n, sizeof *t->beside);
    if (!t->value || !t->d || !t->beside)
        return nt_cli_no_memory();
    take_values(t, NULL, t->value);
    int status = differentiate(t);
    if (status == NT_EXIT_DONE && t->job->places.n > 0)
        status = write_row(t);
    if (status == NT_EXIT_DONE && !options->quiet) {
        nt_cli_orbit_say_period(t->job);
        if (found.kept > 0)
            fputs(found.follows_initial
                      ? "  one of a family of orbits: its begin follows the initial state\n"
                      : "  one of a family of orbits: its begin, which is not the initial state, "
                        "goes the least way\n",
                  stderr);
        say_derivatives(t);
    }
    return status == NT_EXIT_DONE && options->check ? compare(t) : status;
}

int nt_cli_orbit_sens(const nt_cli_options *options)
{
    nt_cli_orbit_job job;
    nt_error error = {0};
    table t = {.job = &job,
               .parameters = calloc((size_t)options->n_parameters + 1, sizeof *t.parameters)};
    int status = t.parameters ? nt_cli_orbit_prepare(&job, options) : nt_cli_no_memory();
    if (!t.parameters)
        return status;
    if (status == NT_EXIT_DONE)
        status = find_parameters(&t);
    if (status == NT_EXIT_DONE) {
        nt_status found = nt_orbit_find(job.orbit, &error);
        nt_cli_orbit_clear_progress(&job);
        if (found != NT_OK) {
            nt_cli_fail(job.plan.path, &error);
            status = found == NT_INTERRUPTED ? NT_EXIT_INTERRUPTED : NT_EXIT_FAILED;
        }
    }
    if (status == NT_EXIT_DONE)
        status = derivatives_of(&t);
    nt_cli_orbit_free(&job);
    free(t.parameters);
    free(t.value);
    free(t.d);
    free(t.beside);
    return status;
}
