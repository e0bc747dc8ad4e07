/* nutate orbit: a periodic motion, its multipliers, and its motion over one period. */
#include "cli/analyses/orbit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The parameter that --period is read as, where it is an expression. */
static const char period_name[] = "period_of_the_orbit";

/* ---- options -------------------------------------------------------------------------------- */

static int read_period(nt_cli_orbit_job *job)
{
    const nt_cli_options *options = job->options;
    char *end;
    job->period_parameter = -1;
    if (!options->period && !options->free_period) {
        nt_cli_say("orbit needs the period, --period T, or --free to find it");
        return NT_EXIT_USAGE;
    }
    if (!options->period)
        return NT_EXIT_DONE;
    job->period = strtod(options->period, &end);
    bool number = end != options->period && *end == '\0';
    if (number && !(job->period > 0 && isfinite(job->period))) {
        nt_cli_say("--period: expected a positive number of seconds, got '%s'", options->period);
        return NT_EXIT_USAGE;
    }
    if (number)
        return NT_EXIT_DONE;
    if (options->free_period) {
        nt_cli_say("--period: with --free expected a number of seconds to begin with, got '%s'",
                   options->period);
        return NT_EXIT_USAGE;
    }
    job->settings = calloc((size_t)options->n_settings + 1, sizeof *job->settings);
    if (!job->settings)
        return nt_cli_no_memory();
    memcpy(job->settings, options->settings, (size_t)options->n_settings * sizeof *job->settings);
    static char key[64];
    snprintf(key, sizeof key, "parameters.%s", period_name);
    job->settings[options->n_settings] = (nt_setting){key, options->period};
    job->own.settings = job->settings;
    job->own.n_settings++;
    return NT_EXIT_DONE;
}

static int parameter_of(const nt_cli_orbit_job *job, const char *name)
{
    const nt_system *system = nt_run_system(job->plan.run);
    for (int i = 0; i < system->n_parameters; i++)
        if (strcmp(system->parameter_names[i], name) == 0)
            return i;
    return -1;
}

static double period_now(void *context)
{
    nt_cli_orbit_job *job = context;
    const nt_system *system = nt_run_system(job->plan.run);
    system->get_parameters(system->self, job->values);
    return job->values[job->period_parameter];
}

static void cut_out(char *text, const char *part)
{
    char *at = strstr(text, part);
    if (at)
        memmove(at, at + strlen(part), strlen(at + strlen(part)) + 1);
}

/* What is wrong with an expression of --period, in place of the parameter that it is read as. */
static void name_option(nt_error *error)
{
    char setting[80], told[70], known[70];
    snprintf(setting, sizeof setting, "--set parameters.%s", period_name);
    snprintf(told, sizeof told, "%s: ", period_name);
    snprintf(known, sizeof known, ", %s", period_name);
    if (strcmp(error->file, setting) != 0)
        return;
    snprintf(error->file, sizeof error->file, "--period");
    cut_out(error->message, told);
    cut_out(error->message, known);
}

/* Explicit Runge-Kutta of order 8 leaves least error for what steps cost, and no damping of its own
 * that would be taken for the model's: it is the default wherever it can advance the model. An
 * expression of the period is read here for the first time. */
static int choose_method(nt_cli_orbit_job *job)
{
    nt_error error = {0};
    nt_model *model = NULL;
    nt_run *run = NULL;
    const char *best = "rkmk-dop853";
    if (job->options->method && !job->settings)
        return NT_EXIT_DONE;
    if (nt_model_read(&model, job->own.name, job->own.settings, job->own.n_settings, &error) ==
            NT_OK &&
        !job->options->method && nt_run_create(&run, model, &error) == NT_OK &&
        nt_method_check_system(nt_method_find(best), nt_run_system(run), NULL) == NT_OK &&
        strcmp(nt_model_simulation(model)->method, best) != 0) {
        job->own.method = best;
        job->own.quiet = true; /* what is set aside is the other method's own */
    }
    name_option(&error);
    int status = error.status == NT_OK ? NT_EXIT_DONE : nt_cli_fail(job->own.name, &error);
    nt_run_destroy(run);
    nt_model_destroy(model);
    return status;
}

/* Orbits take equal steps: the model's tolerance is not used. */
static int renew_integrator(nt_cli_orbit_job *job)
{
    nt_cli_plan *plan = &job->plan;
    nt_error error = {0};
    nt_integrator_destroy(plan->integrator);
    plan->integrator = NULL;
    memset(plan->setup.tolerance, 0, sizeof plan->setup.tolerance);
    plan->setup.minimum_step = plan->setup.maximum_step = 0;
    plan->setup.energy_check = NT_ENERGY_UNWATCHED;
    return nt_integrator_create(&plan->integrator, &plan->setup, &error) == NT_OK
               ? NT_EXIT_DONE
               : nt_cli_fail(plan->path, &error);
}

/* ---- advances ------------------------------------------------------------------------------- */

/* "cart.position.x" is entry i of v whose words are "translation of body cart along x". */
static int find_entry(const nt_cli_orbit_job *job, const char *name, int length, bool turns,
                      char axis)
{
    const nt_system *system = nt_run_system(job->plan.run);
    char words[300], wanted[300];
    snprintf(wanted, sizeof wanted, "%s of body %.*s %s %c", turns ? "rotation" : "translation",
             length, name, turns ? "about" : "along", axis);
    for (int i = 0; i < system->space.nv; i++) {
        system->coordinate_name(system->self, i, words, sizeof words);
        if (strcmp(words, wanted) == 0)
            return i;
    }
    return -1;
}

static int unknown_advance(const nt_cli_orbit_job *job, const char *name)
{
    nt_cli_say("--advance: %s has no coordinate '%s', expected position.x (y, z) or rotation.x (y, "
               "z) of the whole model, or of a body as in wheel.rotation.y",
               job->plan.path, name);
    return NT_EXIT_USAGE;
}

static int read_advance(nt_cli_orbit_job *job, int k)
{
    const char *text = job->options->advances[k], *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    char *name = job->advance_names[k] = strndup(text, length), *end;
    nt_orbit_advance *advance = &job->advances[k];
    if (!name)
        return nt_cli_no_memory();
    advance->found = !equals;
    if (equals) {
        advance->value = strtod(equals + 1, &end);
        if (end == equals + 1 || *end != '\0' || !isfinite(advance->value)) {
            nt_cli_say("--advance %s: expected a number of m or rad, got '%s'", name, equals + 1);
            return NT_EXIT_USAGE;
        }
    }
    static const char *const endings[] = {"position.x", "position.y", "position.z",
                                          "rotation.x", "rotation.y", "rotation.z"};
    for (int i = 0; i < 6; i++) {
        size_t ending = strlen(endings[i]);
        if (strcmp(name, endings[i]) == 0) {
            advance->coordinate = NT_ALONG_X - i;
            return NT_EXIT_DONE;
        }
        if (length <= ending + 1 || strcmp(name + length - ending, endings[i]) != 0 ||
            name[length - ending - 1] != '.')
            continue;
        advance->coordinate =
            find_entry(job, name, (int)(length - ending - 1), i >= 3, "xyz"[i % 3]);
        return advance->coordinate < 0 ? unknown_advance(job, name) : NT_EXIT_DONE;
    }
    return unknown_advance(job, name);
}

static int read_advances(nt_cli_orbit_job *job)
{
    size_t n = (size_t)job->options->n_advances + 1;
    job->advances = calloc(n, sizeof *job->advances);
    job->advance_names = calloc(n, sizeof *job->advance_names);
    int status = job->advances && job->advance_names ? NT_EXIT_DONE : nt_cli_no_memory();
    for (int i = 0; i < job->options->n_advances && status == NT_EXIT_DONE; i++)
        status = read_advance(job, i);
    return status;
}

/* ---- progress ------------------------------------------------------------------------------- */

static int watch(void *context, int iteration, double miss)
{
    nt_cli_orbit_job *job = context;
    double now = job->options->quiet ? 0 : nt_cli_clock();
    if (now - job->looked > 0.1 && isatty(STDERR_FILENO)) {
        job->shown = now;
        fprintf(stderr, "\riteration %d, the end misses the begin by %.3g\033[K", iteration, miss);
        fflush(stderr);
    }
    if (now - job->looked > 0.1)
        job->looked = now;
    return nt_cli_stop_asked();
}

void nt_cli_orbit_clear_progress(const nt_cli_orbit_job *job)
{
    if (job->shown > 0)
        fputs("\r\033[K", stderr);
}

/* ---- the orbit ------------------------------------------------------------------------------ */

enum { STEPS = 200, STEPS_OF_OTHERS = 1000 };

static int choose_steps(const nt_cli_orbit_job *job, double period)
{
    double step = nt_model_simulation(job->plan.model)->step;
    bool high_order = strcmp(nt_method_name(job->plan.method), "rkmk-dop853") == 0;
    if (job->options->steps > 0)
        return job->options->steps;
    if (high_order)
        return STEPS;
    return step > 0 && period > 0 && !job->options->free_period
               ? (int)fmin(1e8, ceil(period / step * (1 - 1e-12)))
               : STEPS_OF_OTHERS;
}

/* Where a run from the initial state is after --after. */
static int run_before(nt_cli_orbit_job *job, double period)
{
    nt_cli_plan *plan = &job->plan;
    nt_error error = {0};
    double after = job->options->after, h = period > 0 ? period / job->steps : plan->step;
    int status = nt_cli_plan_start(plan);
    if (status != NT_EXIT_DONE || !(after > 0))
        return status;
    if (!(h > 0))
        h = after / 1000;
    for (double t = 0; t < after && !nt_cli_stop_asked(); t += h)
        if (nt_integrator_run(plan->integrator, plan->start + fmin(t + h, after), h, NULL, NULL,
                              &error) != NT_OK)
            return nt_cli_fail(plan->path, &error);
    return nt_cli_stop_asked() ? NT_EXIT_INTERRUPTED : NT_EXIT_DONE;
}

static int refuse_clock(const nt_cli_orbit_job *job)
{
    nt_error where = {0};
    char text[sizeof where.file + sizeof where.message + 64];
    nt_model_clock(job->plan.model, &where);
    nt_error_text(&where, text, (int)sizeof text);
    nt_cli_say("%s: the model has a clock, and its motions no period but that of the clock: "
               "expected --period T without --free",
               text);
    return NT_EXIT_USAGE;
}

/* Seconds that a first return is waited for, in which steps. */
static int guess_period(nt_cli_orbit_job *job)
{
    nt_error error = {0};
    const nt_simulation *simulation = nt_model_simulation(job->plan.model);
    double longest = simulation->duration, h = simulation->step;
    if (!(longest > 0)) {
        nt_cli_say("--free: the model has no duration within which a return could be looked for: "
                   "expected --period T besides, a first guess");
        return NT_EXIT_USAGE;
    }
    h = h > 0 && h > 1e-5 * longest ? fmin(h, longest / 200) : longest / 2000;
    if (nt_orbit_guess_period(job->orbit, longest, h, &error) == NT_OK)
        return NT_EXIT_DONE;
    return nt_cli_fail(job->plan.path, &error);
}

static int make_orbit(nt_cli_orbit_job *job)
{
    nt_cli_plan *plan = &job->plan;
    const nt_simulation *simulation = nt_model_simulation(plan->model);
    nt_error error = {0};
    double period = job->period_parameter >= 0 ? period_now(job) : job->period;
    if (job->period_parameter >= 0 && !(period > 0)) {
        nt_cli_say("--period: expected a positive number of seconds, got %g", period);
        return NT_EXIT_USAGE;
    }
    job->steps = choose_steps(job, period);
    int status = run_before(job, period);
    if (status != NT_EXIT_DONE)
        return status;
    nt_state at = nt_integrator_state(plan->integrator);
    const nt_space *space = &nt_run_system(plan->run)->space;
    job->guess = calloc((size_t)space->nq + (size_t)space->nv + 1, sizeof *job->guess);
    if (!job->guess)
        return nt_cli_no_memory();
    memcpy(job->guess, at.q, (size_t)space->nq * sizeof *at.q);
    nt_orbit_setup setup = {.integrator = &plan->setup,
                            .start = at.t,
                            .q = at.q,
                            .v = at.v,
                            .memory = at.memory,
                            .period = period > 0                 ? period
                                      : simulation->duration > 0 ? simulation->duration / 10
                                                                 : 1,
                            .free = job->options->free_period,
                            .autonomous = !job->has_clock,
                            .steps = job->steps,
                            .segments = job->options->segments,
                            .advances = job->advances,
                            .n_advances = job->options->n_advances,
                            .period_of = job->period_parameter >= 0 ? period_now : NULL,
                            .watch = watch,
                            .context = job,
                            .from_initial = !(job->options->after > 0)};
    if (nt_orbit_create(&job->orbit, &setup, &error) != NT_OK)
        return nt_cli_fail(plan->path, &error);
    return period > 0 ? NT_EXIT_DONE : guess_period(job);
}

int nt_cli_orbit_prepare(nt_cli_orbit_job *job, const nt_cli_options *options)
{
    nt_error unwanted = {0};
    *job = (nt_cli_orbit_job){.options = options, .own = *options};
    int status = nt_cli_places_choose_tables(&job->places, options);
    if (status == NT_EXIT_DONE)
        status = read_period(job);
    if (status == NT_EXIT_DONE)
        status = choose_method(job);
    if (status == NT_EXIT_DONE)
        status = nt_cli_plan_make(&job->plan, &job->own, false);
    if (status != NT_EXIT_DONE)
        return status;
    job->plan.path = options->name;
    job->has_clock = nt_model_clock(job->plan.model, &unwanted);
    if (options->free_period && job->has_clock)
        return refuse_clock(job);
    const nt_system *system = nt_run_system(job->plan.run);
    job->values = calloc((size_t)system->n_parameters + 1, sizeof *job->values);
    if (!job->values)
        return nt_cli_no_memory();
    if (job->settings)
        job->period_parameter = parameter_of(job, period_name);
    status = nt_cli_places_check(&job->places, &job->plan, options, "multipliers");
    if (status == NT_EXIT_DONE)
        status = nt_cli_places_probe(&job->places);
    if (status == NT_EXIT_DONE)
        status = read_advances(job);
    if (status == NT_EXIT_DONE)
        status = renew_integrator(job);
    if (status == NT_EXIT_DONE)
        status = nt_cli_orbit_path_begin(job);
    return status == NT_EXIT_DONE ? make_orbit(job) : status;
}

void nt_cli_orbit_free(nt_cli_orbit_job *job)
{
    nt_orbit_destroy(job->orbit);
    nt_cli_plan_free(&job->plan);
    nt_cli_places_free(&job->places);
    for (int i = 0; job->advance_names && i < job->options->n_advances; i++)
        free(job->advance_names[i]);
    free(job->advance_names);
    free(job->advances);
    free(job->settings);
    free(job->values);
    free(job->guess);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int one_orbit(nt_cli_orbit_job *job)
{
    nt_error error = {0};
    nt_cli_signals_in_order(true);
    nt_status found = nt_orbit_find(job->orbit, &error);
    nt_cli_orbit_clear_progress(job);
    if (found == NT_OK)
        return nt_cli_orbit_write(job);
    nt_cli_fail(job->plan.path, &error);
    return found == NT_INTERRUPTED ? NT_EXIT_INTERRUPTED : NT_EXIT_FAILED;
}

int nt_cli_orbit(const nt_cli_options *options)
{
    nt_cli_orbit_job job;
    int status = nt_cli_orbit_prepare(&job, options);
    if (status == NT_EXIT_DONE)
        status = options->along ? nt_cli_orbit_path(&job) : one_orbit(&job);
    nt_cli_orbit_free(&job);
    return status;
}
