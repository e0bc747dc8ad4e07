/* nutate run: integrate a model and write the result; what sens does besides is in sens.c. */
#include "cli/cli.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- signals -------------------------------------------------------------------------------- */

static volatile sig_atomic_t stop_asked;

static void ask_to_stop(int signal)
{
    (void)signal;
    stop_asked = 1;
}

/* The first SIGINT or SIGTERM ends the run in good order, the second one at once. */
static void listen_to_signals(void)
{
    struct sigaction action = {.sa_handler = ask_to_stop};
    action.sa_flags = (int)SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* ---- the file of the result ----------------------------------------------------------------- */

static bool ends_with(const char *text, const char *suffix)
{
    size_t length = strlen(text), end = strlen(suffix);
    return length > end && strcmp(text + length - end, suffix) == 0;
}

/* MODEL with .csv in place of .yaml or .yml; standard output for a model from standard input. To be
 * freed. */
static char *default_output(const char *model)
{
    size_t length = strlen(model);
    if (strcmp(model, "-") == 0)
        return strdup("-");
    if (ends_with(model, ".yaml"))
        length -= 5;
    else if (ends_with(model, ".yml"))
        length -= 4;
    char *path = malloc(length + sizeof ".csv");
    if (path) {
        memcpy(path, model, length);
        memcpy(path + length, ".csv", sizeof ".csv");
    }
    return path;
}

static int check_output(const char *path)
{
    if (strcmp(path, "-") == 0 || ends_with(path, ".csv") || ends_with(path, ".nc"))
        return NT_EXIT_DONE;
    nt_cli_say("-o: expected a name that ends in .csv or .nc, or -, got '%s'", path);
    return NT_EXIT_USAGE;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The folder that holds a file, or would. */
static bool find_folder(const char *path, struct stat *is)
{
    char folder[4096];
    int length = (int)(base_name(path) - path);
    if (length >= (int)sizeof folder)
        return false;
    snprintf(folder, sizeof folder, "%.*s", length, path);
    return stat(length > 0 ? folder : ".", is) == 0;
}

/* Whether two names stand for one file, by whatever path, even if it is not there yet. */
static bool same_file(const char *a, const char *b)
{
    struct stat first, second;
    bool there = stat(a, &first) == 0;
    if (strcmp(a, b) == 0)
        return true;
    if ((stat(b, &second) == 0) != there)
        return false;
    if (!there && (strcmp(base_name(a), base_name(b)) != 0 || !find_folder(a, &first) ||
                   !find_folder(b, &second)))
        return false;
    return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/* What a file that is to be written is to the model already; NULL: nothing. */
static const char *role_of(const nt_cli_plan *plan, const char *path)
{
    const char *table;
    if (same_file(path, plan->path))
        return "the model itself";
    for (int i = 0; (table = nt_model_table_file(plan->model, i)) != NULL; i++)
        if (same_file(path, table))
            return "a table of the model";
    return NULL;
}

/* What is written after the run is known to have a place before it. */
static int check_place(const char *path)
{
    struct stat is, folder;
    bool there = stat(path, &is) == 0;
    int cause = there && S_ISDIR(is.st_mode)            ? EISDIR
                : there && access(path, W_OK) != 0      ? errno
                : !there && !find_folder(path, &folder) ? ENOENT
                                                        : 0;
    if (cause == 0)
        return NT_EXIT_DONE;
    nt_cli_say("%s: cannot be written: %s", path, strerror(cause));
    return NT_EXIT_IO;
}

/* Nothing is written over what is read, nor twice to one file. --save may renew the state of
 * --restart, which has been read by then. */
static int check_files(const nt_cli_plan *plan, const nt_cli_options *options, const char *output)
{
    enum { RESULT, STATE, OBJECTIVES, FILES };
    static const char *const words[FILES] = {"-o", "--save", "--objectives"};
    bool to_file = output && strcmp(output, "-") != 0;
    const char *const path[FILES] = {to_file ? output : NULL, options->save, options->objectives};
    for (int i = 0; i < FILES; i++) {
        if (!path[i])
            continue;
        const char *role = role_of(plan, path[i]);
        if (i != STATE && options->restart && same_file(path[i], options->restart))
            role = "the state to go on from";
        for (int j = 0; j < i; j++)
            if (path[j] && same_file(path[i], path[j]))
                role = j == RESULT ? "the result" : "the saved state";
        if (role && i == RESULT && !options->output)
            nt_cli_say("without -o the result goes to '%s', which is %s", path[i], role);
        else if (role)
            nt_cli_say("%s: '%s' is %s", words[i], path[i], role);
        if (role)
            return NT_EXIT_USAGE;
    }
    int status = options->save ? check_place(options->save) : NT_EXIT_DONE;
    return status == NT_EXIT_DONE && options->objectives ? check_place(options->objectives)
                                                         : status;
}

/* ---- provenance ----------------------------------------------------------------------------- */

/* NAME=VALUE lines for NetCDF: how this result was made, without paths of this machine. To be
 * freed; NULL when memory is out. */
static char *provenance(const nt_cli_plan *plan, const nt_cli_options *options, bool sens)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return NULL;
    const char *method = nt_method_name(plan->method);
    fprintf(to, "model_file=%s\nmethod=%s\nframe=%s\nstep=%.17g s\n", base_name(plan->path), method,
            nt_cli_frame(plan->frame), plan->step);
    for (int i = 0; i < plan->n_options; i++)
        fprintf(to, "%s%s: %s%s", i > 0 ? ", " : "method_options=", plan->options[i].name,
                plan->options[i].value, i + 1 < plan->n_options ? "" : "\n");
    fprintf(to, "history=nutate %s %s", sens ? "sens" : "run", base_name(plan->path));
    for (int i = 0; i < options->n_parameters; i++)
        fprintf(to, " --param %s", options->parameters[i]);
    if (options->method)
        fprintf(to, " --method %s", options->method);
    if (options->step > 0)
        fprintf(to, " --step %.17g", options->step);
    if (options->duration > 0)
        fprintf(to, " --duration %.17g", options->duration);
    for (int i = 0; i < options->n_settings; i++)
        fprintf(to, " --set %s=%s", options->settings[i].key, options->settings[i].value);
    if (options->restart)
        fprintf(to, " --restart %s", base_name(options->restart));
    fputc('\n', to);
    bool good = !ferror(to);
    if (fclose(to) != 0 || !good) {
        free(text);
        return NULL;
    }
    return text;
}

/* ---- the run -------------------------------------------------------------------------------- */

typedef struct run {
    nt_cli_plan plan;
    nt_cli_sens *sens; /* NULL: no derivatives                  */
    nt_record *record; /* NULL: nothing is written              */
    nt_objectives *objectives;
    nt_status record_status;
    nt_error record_error;
    nt_cli_progress progress;
    double target;     /* s, end of the present step                                */
    bool stops_at_end; /* an interruption waits for it: the state is saved there    */
} run;

/* The end of the step, so that it can be taken again. */
static nt_status keep_end(run *r)
{
    nt_cli_sens *sens = r->sens;
    if (sens->n_ends == sens->room) {
        long room = sens->room > 0 ? 2 * sens->room : 1024;
        double *more = realloc(sens->ends, (size_t)room * sizeof *more);
        if (!more) {
            r->record_error = (nt_error){.status = NT_NO_MEMORY, .message = "out of memory"};
            return NT_NO_MEMORY;
        }
        sens->ends = more;
        sens->room = room;
    }
    sens->ends[sens->n_ends++] = nt_integrator_state(r->plan.integrator).t;
    return NT_OK;
}

static int observe(void *context, const nt_integrator *integrator)
{
    run *r = context;
    if (r->record)
        r->record_status = nt_record_advance(r->record, r->plan.integrator, &r->record_error);
    if (r->record_status == NT_OK)
        r->record_status = nt_objectives_advance(r->objectives, &r->record_error);
    if (r->record_status == NT_OK && r->sens && r->sens->keeps_ends)
        r->record_status = keep_end(r);
    if (r->record_status != NT_OK)
        return 1;
    nt_cli_progress_show(&r->progress, integrator);
    return stop_asked && (!r->stops_at_end || nt_integrator_state(integrator).t >= r->target);
}

/* Variable steps; or steps that end at start + k step, wherever the run begins: a run that goes on
 * from a saved state takes the same steps, bit for bit, as one that was never interrupted. */
static nt_status integrate(run *r, nt_error *error)
{
    const nt_cli_plan *plan = &r->plan;
    nt_status status = NT_OK;
    if (plan->variable) {
        r->target = 0; /* stops at any step's end */
        return nt_integrator_run(plan->integrator, plan->end, plan->step, observe, r, error);
    }
    double t = nt_integrator_state(plan->integrator).t;
    double k = floor((t - plan->start) / plan->step * (1 + 1e-12)) + 1;
    double last = round((plan->end - plan->start) / plan->step);
    if (plan->start + k * plan->step <= t)
        k++;
    for (; t < plan->end && status == NT_OK; k++, t = r->target) {
        r->target = k < last ? plan->start + k * plan->step : plan->end;
        status = nt_integrator_run(plan->integrator, r->target, r->target - t, observe, r, error);
    }
    return status;
}

static void look_at_energy(const run *r, double energy[4], bool *known)
{
    nt_quantity_info quantity;
    nt_state state = nt_integrator_state(r->plan.integrator);
    *known = nt_model_quantity(r->plan.model, "energy", &quantity, NULL) == NT_OK &&
             quantity.columns == 4 &&
             nt_run_sample(r->plan.run, &quantity, &state, NULL, energy, NULL) == NT_OK &&
             isfinite(energy[2]);
}

static nt_status write_row(run *r)
{
    nt_state state = nt_integrator_state(r->plan.integrator);
    return r->record ? nt_record_write(r->record, r->plan.integrator, &state, &r->record_error)
                     : NT_OK;
}

/* First row, steps, last row: the last row is the last state that stands, also after a failure. */
static int advance(run *r, nt_cli_account *account)
{
    nt_error error;
    bool known;
    account->steps_before = nt_integrator_statistics(r->plan.integrator)->steps;
    look_at_energy(r, account->energy[0], &known);
    nt_status status = NT_OK;
    double begun = nt_cli_clock();
    r->record_status = write_row(r);
    if (r->record_status == NT_OK)
        r->record_status = nt_objectives_advance(r->objectives, &r->record_error);
    if (r->record_status == NT_OK)
        status = integrate(r, &error);
    if (r->record_status == NT_OK && status == NT_OK)
        status = nt_integrator_check_energy(r->plan.integrator, &error);
    if (r->record_status == NT_OK)
        r->record_status = write_row(r);
    account->seconds = nt_cli_clock() - begun;
    account->rows = r->record ? nt_record_rows(r->record) : 0;
    look_at_energy(r, account->energy[1], &account->has_energy);
    account->has_energy = account->has_energy && known;
    nt_cli_progress_clear(&r->progress);

    nt_error close_error;
    nt_status closed = nt_record_close(r->record, &close_error); /* NULL is nothing */
    r->record = NULL;
    if (r->record_status != NT_OK)
        return nt_cli_fail(r->plan.path, &r->record_error);
    if (closed != NT_OK)
        return nt_cli_fail(r->plan.path, &close_error);
    if (status == NT_OK)
        return NT_EXIT_DONE;
    nt_cli_fail(r->plan.path, &error);
    return status == NT_INTERRUPTED ? NT_EXIT_INTERRUPTED : NT_EXIT_FAILED;
}

/* At the model's initial values, or where the saved state stands. */
static int begin(run *r, const nt_cli_options *options)
{
    if (!options->restart)
        return nt_cli_plan_start(&r->plan);
    int status = nt_cli_state_restore(&r->plan, options->restart);
    double t = status == NT_EXIT_DONE ? nt_integrator_state(r->plan.integrator).t : 0;
    if (status == NT_EXIT_DONE && !(t < r->plan.end)) {
        nt_cli_say(
            "%s: the saved state stands at t = %.9g s, the run ends at %.9g s: give a longer "
            "--duration",
            options->restart, t, r->plan.end);
        status = NT_EXIT_USAGE;
    }
    return status;
}

static int open_record(run *r, const nt_cli_options *options, const char *path)
{
    nt_error error;
    nt_status status = nt_objectives_create(&r->objectives, r->plan.run, r->plan.integrator,
                                            r->sens ? r->sens->sensitivity : NULL, &error);
    if (status != NT_OK)
        return nt_cli_fail(r->plan.path, &error);
    if (!path)
        return NT_EXIT_DONE;
    char *lines = provenance(&r->plan, options, r->sens != NULL);
    if (!lines)
        return nt_cli_no_memory();
    status = nt_record_open_sensitivity(&r->record, r->plan.run,
                                        r->sens ? r->sens->sensitivity : NULL, path,
                                        ends_with(path, ".nc") ? NT_NETCDF : NT_CSV, lines, &error);
    free(lines);
    return status == NT_OK ? NT_EXIT_DONE : nt_cli_fail(r->plan.path, &error);
}

/* The result's file; NULL where there is to be none. */
static int choose_output(const nt_cli_options *options, char **output)
{
    *output = NULL;
    if (options->check && !options->output)
        return NT_EXIT_DONE;
    *output = options->output ? strdup(options->output) : default_output(options->name);
    return *output ? check_output(*output) : nt_cli_no_memory();
}

static int prepare(run *r, const nt_cli_options *options, const char *output)
{
    int status = nt_cli_plan_make(&r->plan, options, true);
    if (status == NT_EXIT_DONE)
        status = check_files(&r->plan, options, output);
    if (status == NT_EXIT_DONE)
        status = begin(r, options);
    if (status == NT_EXIT_DONE && r->sens)
        status = nt_cli_sens_begin(r->sens, &r->plan, options);
    return status == NT_EXIT_DONE ? open_record(r, options, output) : status;
}

int nt_cli_integrate(const nt_cli_options *options, nt_cli_sens *sens, nt_cli_then *then)
{
    run r = {.stops_at_end = options->save != NULL, .sens = sens};
    nt_cli_account account = {0};
    char *output;
    int status = choose_output(options, &output);
    if (status != NT_EXIT_DONE)
        goto done;
    listen_to_signals();
    status = prepare(&r, options, output);
    if (status != NT_EXIT_DONE)
        goto done;

    nt_cli_progress_begin(&r.progress, &r.plan, options->quiet);
    account.output = output;
    account.objectives = r.objectives;
    account.sens = sens;
    status = advance(&r, &account);
    if (!options->quiet && status != NT_EXIT_IO)
        nt_cli_summary(&r.plan, &account);
    if (options->save && status != NT_EXIT_USAGE) {
        int saved = nt_cli_state_save(&r.plan, sens, options->save);
        status = status == NT_EXIT_DONE ? saved : status;
    }
    if (status == NT_EXIT_DONE && then)
        status = then(&r.plan, sens, r.objectives, options);
done:
    nt_objectives_destroy(r.objectives);
    if (sens)
        nt_sensitivity_destroy(sens->sensitivity);
    nt_cli_plan_free(&r.plan);
    free(output);
    return status;
}

int nt_cli_run(const nt_cli_options *options) { return nt_cli_integrate(options, NULL, NULL); }
