/* nutate sens: a run with derivatives of everything it records. */
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *nt_cli_sens_name(const nt_cli_plan *plan, const nt_cli_sens *sens, int k)
{
    return nt_run_system(plan->run)->parameter_names[sens->parameters[k]];
}

/* ---- parameters ----------------------------------------------------------------------------- */

/* "m, arm": as many as there is room for. */
static const char *list_parameters(const nt_cli_plan *plan, char *text, size_t size)
{
    const nt_system *system = nt_run_system(plan->run);
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < system->n_parameters && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "",
                                 system->parameter_names[i]);
    return text;
}

static int find_parameter(const nt_cli_plan *plan, const char *name, int *number)
{
    const nt_system *system = nt_run_system(plan->run);
    char hint[80], known[400];
    for (int i = 0; i < system->n_parameters; i++)
        if (strcmp(system->parameter_names[i], name) == 0) {
            *number = i;
            return NT_EXIT_DONE;
        }
    nt_cli_suggestion(name, system->parameter_names, system->n_parameters, hint, sizeof hint);
    if (hint[0])
        nt_cli_say("--param: %s has no parameter '%s'%s", plan->path, name, hint);
    else
        nt_cli_say("--param: %s has no parameter '%s', expected one of %s", plan->path, name,
                   list_parameters(plan, known, sizeof known));
    return NT_EXIT_USAGE;
}

int nt_cli_sens_find(nt_cli_sens *sens, const nt_cli_plan *plan, const nt_cli_options *options)
{
    if (nt_run_system(plan->run)->n_parameters == 0) {
        nt_cli_say("%s has no parameters (section `parameters`): nothing to differentiate by",
                   plan->path);
        return NT_EXIT_USAGE;
    }
    if (options->n_parameters == 0) {
        char known[400];
        nt_cli_say("sens needs --param NAME; the parameters of %s are: %s", plan->path,
                   list_parameters(plan, known, sizeof known));
        return NT_EXIT_USAGE;
    }
    for (int i = 0; i < options->n_parameters; i++) {
        int status = find_parameter(plan, options->parameters[i], &sens->parameters[i]);
        if (status != NT_EXIT_DONE)
            return status;
        for (int j = 0; j < i; j++)
            if (sens->parameters[j] == sens->parameters[i]) {
                nt_cli_say("--param %s is given twice", options->parameters[i]);
                return NT_EXIT_USAGE;
            }
    }
    sens->n = options->n_parameters;
    return NT_EXIT_DONE;
}

/* Checks that initial values can follow each parameter. Where they cannot, the model's own message
 * says it best. */
static int check_initial(const nt_cli_sens *sens, const nt_cli_plan *plan)
{
    const nt_system *system = nt_run_system(plan->run);
    size_t nv = (size_t)system->space.nv;
    nt_error error = {0};
    double *d = calloc(2 * nv + (size_t)system->n_memory + 1, sizeof *d);
    if (!d)
        return nt_cli_no_memory();
    nt_status status = NT_OK;
    for (int i = 0; i < sens->n && status == NT_OK; i++)
        status =
            nt_run_initial_tangent(plan->run, sens->parameters[i], d, d + nv, d + 2 * nv, &error);
    free(d);
    return status == NT_OK ? NT_EXIT_DONE : nt_cli_fail(plan->path, &error);
}

int nt_cli_sens_begin(nt_cli_sens *sens, const nt_cli_plan *plan, const nt_cli_options *options,
                      const nt_cli_state *state)
{
    nt_error error = {0};
    int status = nt_cli_sens_find(sens, plan, options);
    if (status == NT_EXIT_DONE && !state)
        status = check_initial(sens, plan);
    if (status != NT_EXIT_DONE)
        return status;
    nt_status created = nt_sensitivity_create(&sens->sensitivity, plan->integrator,
                                              sens->parameters, sens->n, &error);
    if (created == NT_UNSUPPORTED && !options->method)
        return nt_cli_refuse(plan, "simulation.method", "%s", error.message);
    if (created != NT_OK)
        return nt_cli_fail(plan->path, &error);
    if (state)
        return nt_cli_state_restore_sens(state, plan, sens);
    if (nt_sensitivity_start(sens->sensitivity, &error) != NT_OK)
        return nt_cli_fail(plan->path, &error);
    return NT_EXIT_DONE;
}

/* ---- summary -------------------------------------------------------------------------------- */

static const char *const types[] = {"final", "integral", "maximum", "rms", "minimum"};

void nt_cli_objectives_show(const nt_cli_plan *plan, const nt_cli_sens *sens,
                            const nt_objectives *objectives)
{
    for (int i = 0; i < nt_model_objective_count(plan->model); i++) {
        nt_objective_info info = nt_model_objective(plan->model, i);
        fprintf(stderr, "  objective %s (%s)  %.9g", info.name, types[info.type],
                nt_objectives_value(objectives, i));
        for (int k = 0; sens && k < sens->n; k++)
            fprintf(stderr, ", d/d(%s) %.9g", nt_cli_sens_name(plan, sens, k),
                    nt_objectives_derivative(objectives, i, k));
        fputc('\n', stderr);
    }
}

/* The first few expressions that may jump. */
static void show_jumps(const nt_cli_plan *plan)
{
    enum { SHOWN = 3 };
    nt_error remark = {0};
    char text[sizeof remark.file + sizeof remark.message + 64];
    int n = 0;
    for (; nt_model_jump(plan->model, n, &remark); n++)
        if (n < SHOWN) {
            nt_error_text(&remark, text, (int)sizeof text);
            fprintf(stderr, "  remark: %s\n", text);
        }
    if (n > SHOWN)
        fprintf(stderr, "  and %d more remarks of this kind (nutate check lists them)\n",
                n - SHOWN);
}

void nt_cli_sens_show(const nt_cli_plan *plan, const nt_cli_sens *sens)
{
    fprintf(stderr, "  sensitivities to");
    for (int k = 0; k < sens->n; k++)
        fprintf(stderr, "%s%s", k > 0 ? ", " : " ", nt_cli_sens_name(plan, sens, k));
    fputs(plan->variable ? "; steps are held: their sizes follow no parameter\n" : "\n", stderr);
    show_jumps(plan);
    for (int k = 0; k < sens->n; k++) {
        double off = nt_sensitivity_difference_error(sens->sensitivity, k);
        if (off > 0)
            fprintf(stderr, "  %s enters by differences of the equations, error about %.1g\n",
                    nt_cli_sens_name(plan, sens, k), off);
    }
}

/* ---- the file of objectives ----------------------------------------------------------------- */

/* The file that the run has held; by its name where it has lost that since, or is no ordinary one.
 */
static FILE *open_objectives(const nt_cli_held *held, const char *path)
{
    struct stat is;
    if (!held->is_held || (fstat(held->file, &is) == 0 && is.st_nlink == 0))
        return fopen(path, "w");
    int file = ftruncate(held->file, 0) == 0 ? dup(held->file) : -1;
    FILE *to = file >= 0 ? fdopen(file, "w") : NULL;
    if (!to && file >= 0)
        close(file);
    return to;
}

static int write_objectives(const nt_cli_plan *plan, const nt_cli_sens *sens,
                            const nt_objectives *objectives, const char *path)
{
    FILE *to = open_objectives(&sens->objectives, path);
    bool good = to != NULL;
    nt_cli_part part = nt_cli_part_of(good ? path : NULL);
    if (good) {
        fputs("objective,type,value", to);
        for (int k = 0; k < sens->n; k++)
            fprintf(to, ",d/d(%s)", nt_cli_sens_name(plan, sens, k));
        fputc('\n', to);
        for (int i = 0; i < nt_model_objective_count(plan->model); i++) {
            nt_objective_info info = nt_model_objective(plan->model, i);
            fprintf(to, "%s,%s,%.17g", info.name, types[info.type],
                    nt_objectives_value(objectives, i));
            for (int k = 0; k < sens->n; k++)
                fprintf(to, ",%.17g", nt_objectives_derivative(objectives, i, k));
            fputc('\n', to);
        }
        good = !ferror(to);
        good = fclose(to) == 0 && good;
    }
    if (good)
        return NT_EXIT_DONE;
    nt_cli_say("%s: cannot be written: %s", path, strerror(errno));
    nt_cli_take_back(&part);
    return NT_EXIT_IO;
}

static int after_run(nt_cli_plan *plan, nt_cli_sens *sens, const nt_objectives *objectives,
                     const nt_cli_options *options)
{
    int status = NT_EXIT_DONE;
    if (options->objectives)
        status = write_objectives(plan, sens, objectives, options->objectives);
    setvbuf(stdout, NULL, _IOLBF, 0); /* whole lines, should the comparison be interrupted */
    if (options->check && status == NT_EXIT_DONE)
        status = nt_cli_sens_check(plan, sens, objectives, options);
    return status;
}

int nt_cli_sensitivities(const nt_cli_options *options)
{
    bool of_modes = options->of && strcmp(options->of, "modes") == 0;
    if (!of_modes && (options->about || options->modes > 0)) {
        nt_cli_say("%s is for --of modes", options->about ? "--about" : "--modes");
        return NT_EXIT_USAGE;
    }
    if (of_modes && options->n_parameters == 0) {
        nt_cli_say("sens needs --param NAME");
        return NT_EXIT_USAGE;
    }
    if (of_modes)
        return nt_cli_modes(options);
    if (options->check && (options->restart || options->resume)) {
        nt_cli_say("--check compares whole runs from the model's start: not with %s",
                   options->restart ? "--restart" : "--resume");
        return NT_EXIT_USAGE;
    }
    nt_cli_sens sens = {.keeps_ends = options->check,
                        .parameters = calloc((size_t)options->n_parameters + 1, sizeof(int))};
    int status = sens.parameters ? NT_EXIT_DONE : nt_cli_no_memory();
    bool of_static = options->of && strcmp(options->of, "static") == 0;
    bool of_orbit = options->of && strcmp(options->of, "orbit") == 0;
    if (options->of && !of_static && !of_orbit && strcmp(options->of, "run") != 0) {
        nt_cli_say("--of: expected run, static, modes or orbit, got '%s'", options->of);
        status = NT_EXIT_USAGE;
    }
    if (status == NT_EXIT_DONE && of_orbit)
        status = nt_cli_orbit_sens(options);
    else if (status == NT_EXIT_DONE && of_static)
        status = nt_cli_static_sens(options, &sens);
    else if (status == NT_EXIT_DONE)
        status = nt_cli_integrate(options, &sens, after_run);
    nt_cli_let_go(&sens.objectives, options->objectives);
    free(sens.parameters);
    free(sens.ends);
    return status;
}
