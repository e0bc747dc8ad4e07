/* A model and how it is integrated: the file's `simulation` section with the command line on top.
 */
#include "cli/cli.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- messages with a place ------------------------------------------------------------------ */

/* The setting that a key came from: its own, or that of a mapping it is in or of a part of it;
 * NULL: none. */
static const nt_setting *plan_setting(const nt_cli_options *options, const char *key)
{
    const nt_setting *found = NULL;
    bool section = !strchr(key, '.'); /* what it lacks was not set */
    for (int i = 0; options && !section && i < options->n_settings; i++) {
        const nt_setting *s = &options->settings[i];
        size_t length = strlen(s->key), wanted = strlen(key);
        size_t shorter = length < wanted ? length : wanted;
        const char *rest = length < wanted ? key + shorter : s->key + shorter;
        if (strncmp(s->key, key, shorter) == 0 && (*rest == '\0' || *rest == '.'))
            found = s;
    }
    return found;
}

int nt_cli_refuse(const nt_cli_plan *plan, const char *key, const char *format, ...)
{
    char message[600];
    int line, column;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    const nt_setting *set = plan_setting(plan->options_given, key);
    if (set)
        nt_cli_say("%s: --set %s=%s: %s", plan->path, set->key, set->value, message);
    else if (nt_model_key_place(plan->model, key, &line, &column))
        nt_cli_say("%s:%d:%d: %s", plan->path, line, column, message);
    else
        nt_cli_say("%s: %s", plan->path, message);
    return NT_EXIT_USAGE;
}

/* ---- the method ----------------------------------------------------------------------------- */

const nt_method *nt_cli_method(const char *where, const char *name)
{
    const nt_method *method = nt_method_find(name);
    int n = nt_method_count();
    char hint[80] = "";
    const char **names = method ? NULL : calloc((size_t)n + 1, sizeof *names);
    for (int i = 0; names && i < n; i++)
        names[i] = nt_method_name(nt_method_at(i));
    if (names)
        nt_cli_suggestion(name, names, n, hint, sizeof hint);
    free(names);
    if (!method)
        nt_cli_say("%s: there is no method '%s'%s (nutate methods lists them)", where, name, hint);
    return method;
}

static bool has_option(const nt_method *method, const char *name)
{
    int count;
    const nt_option_key *keys = nt_method_options(method, &count);
    for (int i = 0; i < count; i++)
        if (strcmp(keys[i].name, name) == 0)
            return true;
    return false;
}

/* Whether --set gave simulation.GROUP NAME, or a key within it: then it is meant for the method in
 * use. */
static bool was_set(const nt_cli_options *options, const char *group, const char *name)
{
    char key[200];
    size_t length = (size_t)snprintf(key, sizeof key, "simulation.%s%s", group, name);
    for (int i = 0; i < options->n_settings; i++) {
        const char *set = options->settings[i].key;
        if (strncmp(set, key, length) == 0 && (set[length] == '\0' || set[length] == '.'))
            return true;
    }
    return false;
}

/* Options belong to the file's method: another one, given by --method, takes those that it has. */
static int choose_options(nt_cli_plan *plan, const nt_cli_options *options, bool other)
{
    const nt_simulation *simulation = nt_model_simulation(plan->model);
    nt_error error = {0};
    plan->options = calloc((size_t)simulation->n_options + 1, sizeof *plan->options);
    if (!plan->options)
        return nt_cli_no_memory();
    for (int i = 0; i < simulation->n_options; i++) {
        const nt_option *option = &simulation->options[i];
        if (other && !has_option(plan->method, option->name) &&
            !was_set(options, "options.", option->name)) {
            if (!options->quiet)
                nt_cli_say("option %s is set aside: %s has none of this name", option->name,
                           nt_method_name(plan->method));
            continue;
        }
        if (nt_method_check_option(plan->method, option, &error) != NT_OK) {
            error.line = simulation->option_place[2 * i];
            error.column = simulation->option_place[2 * i + 1];
            if (error.line <= 0)
                return nt_cli_refuse(plan, "simulation.options", "%s", error.message);
            snprintf(error.file, sizeof error.file, "%s", plan->path);
            nt_cli_fail(plan->path, &error);
            return NT_EXIT_USAGE;
        }
        plan->options[plan->n_options++] = *option;
    }
    return NT_EXIT_DONE;
}

const char *nt_cli_frame(nt_frame frame)
{
    static const char *const names[] = {
        [NT_INERTIAL] = "inertial", [NT_BODY] = "body", [NT_SE3] = "se3"};
    return names[frame];
}

/* The file's frame. Where it names none, the only frame that a method has will do. */
static int choose_frame(nt_cli_plan *plan, const nt_cli_options *options, bool other)
{
    const nt_simulation *simulation = nt_model_simulation(plan->model);
    nt_frame wanted = simulation->frame;
    plan->frame = wanted;
    if (nt_method_has_frame(plan->method, wanted))
        return NT_EXIT_DONE;
    bool inertial = nt_method_has_frame(plan->method, NT_INERTIAL);
    bool body = nt_method_has_frame(plan->method, NT_BODY);
    const char *has = inertial && body ? "the inertial and the body frame only"
                      : inertial       ? "the inertial frame only"
                                       : "the body frame only";
    plan->frame = inertial ? NT_INERTIAL : NT_BODY;
    if (simulation->frame_given && (!other || was_set(options, "", "frame")))
        return nt_cli_refuse(plan, "simulation.frame", "frame: %s has %s, got %s",
                             nt_method_name(plan->method), has, nt_cli_frame(wanted));
    if (simulation->frame_given && !options->quiet)
        nt_cli_say("frame %s is set aside: %s has %s", nt_cli_frame(wanted),
                   nt_method_name(plan->method), has);
    return NT_EXIT_DONE;
}

/* The file's tolerance belongs to its method; another one, given by --method, may do without. */
static int choose_tolerance(nt_cli_plan *plan, const nt_cli_options *options, bool other)
{
    const double *tolerance = nt_model_simulation(plan->model)->tolerance;
    bool given = false;
    nt_error error = {0};
    for (int i = 0; i < 4; i++)
        given |= tolerance[i] > 0;
    memcpy(plan->tolerance, tolerance, sizeof plan->tolerance);
    if (!given ||
        nt_method_check_tolerance(plan->method, nt_run_system(plan->run), &error) == NT_OK)
        return NT_EXIT_DONE;
    if (!other || was_set(options, "", "tolerance"))
        return nt_cli_refuse(plan, "simulation.tolerance", "tolerance: %s", error.message);
    memset(plan->tolerance, 0, sizeof plan->tolerance);
    if (!options->quiet)
        nt_cli_say("tolerance is set aside: %s does not control its error",
                   nt_method_name(plan->method));
    return NT_EXIT_DONE;
}

static int choose_method(nt_cli_plan *plan, const nt_cli_options *options)
{
    const nt_simulation *simulation = nt_model_simulation(plan->model);
    const char *name = options->method ? options->method : simulation->method;
    bool other = options->method && strcmp(options->method, simulation->method) != 0;
    char where[512];
    int line, column;
    bool placed = nt_model_key_place(plan->model, "simulation.method", &line, &column);
    const nt_setting *set = plan_setting(options, "simulation.method");
    if (placed)
        snprintf(where, sizeof where, "%s:%d:%d", plan->path, line, column);
    else if (set)
        snprintf(where, sizeof where, "%.300s: --set %.100s=%.100s", plan->path, set->key,
                 set->value);
    placed = placed || set;
    plan->method = nt_cli_method(options->method ? "--method" : placed ? where : plan->path, name);
    if (!plan->method)
        return NT_EXIT_USAGE;
    int status = choose_options(plan, options, other);
    if (status == NT_EXIT_DONE)
        status = choose_tolerance(plan, options, other);
    return status == NT_EXIT_DONE ? choose_frame(plan, options, other) : status;
}

/* ---- times ---------------------------------------------------------------------------------- */

static int missing(const nt_cli_plan *plan, const char *key)
{
    return nt_cli_refuse(plan, "simulation",
                         "simulation.%s is missing: give it in the model, or with --%s", key, key);
}

/* More steps than anybody can wait for: a slip of the exponent. */
static const double MOST_STEPS = 1e12;
/* More rows than anybody can look at. */
static const double MOST_ROWS = 1e9;

static int too_many(const nt_cli_plan *plan, double duration, double step)
{
    return nt_cli_refuse(plan, "simulation.step",
                         "a duration of %g s in steps of %g s is %.3g steps, expected at most %g",
                         duration, step, duration / step, MOST_STEPS);
}

static int too_many_rows(const nt_cli_plan *plan, const char *key, double duration, double every)
{
    return nt_cli_refuse(plan, key,
                         "a duration of %g s in rows every %g s is %.3g rows, expected at most "
                         "%g, or --no-limit",
                         duration, every, duration / every, MOST_ROWS);
}

double nt_cli_plan_rows(const nt_cli_plan *plan)
{
    double every = nt_model_simulation(plan->model)->every, duration = plan->end - plan->start;
    return every > 0 ? duration / every + 2 : plan->variable ? 0 : duration / plan->step + 1;
}

/* A step is this many roundings of the time at least, or its ends would fall on uneven places and
 * the last ones together. At a start of 0 there are no more than MOST_STEPS anyway. */
static const double ROUNDINGS = 1000;

static int too_late(const nt_cli_plan *plan, double time, double step)
{
    return nt_cli_refuse(
        plan, "simulation.start",
        "start: a step of %g s is lost in the rounding of times near %g s, expected an "
        "earlier start",
        step, time);
}

/* Equal steps, duration / ceil(duration / step); a ratio that is whole but for rounding is whole.
 */
static int choose_times(nt_cli_plan *plan, const nt_cli_options *options, bool needed)
{
    const nt_simulation *simulation = nt_model_simulation(plan->model);
    double duration = options->duration > 0 ? options->duration : simulation->duration;
    double step = options->step > 0 ? options->step : simulation->step;
    if (needed && !(duration > 0))
        return missing(plan, "duration");
    bool controlled = false;
    for (int i = 0; i < 4; i++)
        controlled |= plan->tolerance[i] > 0;
    if (controlled && !(step > 0)) /* any first step will do, the error soon says what is right */
        step = 1e-4 * duration;
    if (needed && !(step > 0))
        return missing(plan, "step");
    if (duration > 0 && step > 0 && duration / step > MOST_STEPS)
        return too_many(plan, duration, step);
    plan->start = simulation->start;
    plan->end = plan->start + duration;
    plan->step = step;
    double time = fmax(fabs(plan->start), fabs(plan->end)), least = fmin(step, duration);
    if (duration > 0 && step > 0 && least < ROUNDINGS * DBL_EPSILON * time)
        return too_late(plan, time, least);
    if (duration > 0 && step > 0 && !controlled)
        plan->step = duration / fmax(1, ceil(duration / step * (1 - 1e-12)));
    if (plan->step > 0 && simulation->minimum_step > plan->step * (1 + 1e-12))
        return nt_cli_refuse(plan, "simulation.minimum_step",
                             "minimum_step: expected at most the step, %g s, got %g s", plan->step,
                             simulation->minimum_step);
    return NT_EXIT_DONE;
}

/* ---- the integrator ------------------------------------------------------------------------- */

static int plan_check_rows(const nt_cli_plan *plan, const nt_cli_options *options)
{
    double duration = plan->end - plan->start, every = nt_model_simulation(plan->model)->every;
    if (options->no_limit || !(duration > 0) || !(every > 0 || plan->step > 0) ||
        nt_cli_plan_rows(plan) <= MOST_ROWS + 2)
        return NT_EXIT_DONE;
    return every > 0 ? too_many_rows(plan, "output.every", duration, every)
                     : too_many_rows(plan, "simulation.step", duration, plan->step);
}

/* A bound that could bound nothing is a mistake; one of the file's method may be without use for
 * another. */
static int check_maximum_step(const nt_cli_plan *plan, const nt_cli_options *options)
{
    const nt_simulation *simulation = nt_model_simulation(plan->model);
    if (simulation->maximum_step <= 0 || plan->variable)
        return NT_EXIT_DONE;
    if (!options->method || strcmp(options->method, simulation->method) == 0 ||
        was_set(options, "", "maximum_step"))
        return nt_cli_refuse(
            plan, "simulation.maximum_step",
            "maximum_step bounds variable steps, and %s takes equal ones here: expected "
            "a smaller step, or a method and a tolerance for variable steps",
            nt_method_name(plan->method));
    if (!options->quiet)
        nt_cli_say("maximum_step is set aside: %s takes equal steps here",
                   nt_method_name(plan->method));
    return NT_EXIT_DONE;
}

/* Nothing else is heard while a matrix is factorised, which at some 1e9 operations a second takes
 * minutes from here on: a dense one of 5313 unknowns, 226 MB. */
static const double MOST_OPERATIONS = 1e11;

int nt_cli_check_solver(nt_run *run, const nt_cli_options *options)
{
    const nt_system *system = nt_run_system(run);
    double n = (double)system->space.nv + system->nh + system->nn, operations = 2 * n * n * n / 3;
    if (options->solver != NT_SOLVER_DENSE || options->no_limit || operations <= MOST_OPERATIONS)
        return NT_EXIT_DONE;
    nt_cli_say(
        "%s: --solver dense: a matrix of %.0f unknowns has %.3g GB and takes %.2g operations "
        "to factorise, expected at most %g, another solver, or --no-limit",
        options->name, n, 8e-9 * n * n, operations, MOST_OPERATIONS);
    return NT_EXIT_USAGE;
}

static int create_integrator(nt_cli_plan *plan, const nt_cli_options *options)
{
    nt_error error = {0};
    nt_run_setup(plan->run, &plan->setup, &error); /* the method is known: another may be wanted */
    plan->tracks_work = plan->setup.track_work;
    plan->setup.method = plan->method;
    plan->setup.options = plan->options;
    plan->setup.n_options = plan->n_options;
    plan->setup.frame = plan->frame;
    plan->setup.solver = options->solver;
    if (options->no_energy_check)
        plan->setup.energy_check = NT_ENERGY_UNWATCHED;
    memcpy(plan->setup.tolerance, plan->tolerance, sizeof plan->tolerance);
    nt_status status = nt_run_bound_steps(plan->run, plan->start, plan->end, &plan->setup, &error);
    if (status == NT_OK)
        status = nt_integrator_create(&plan->integrator, &plan->setup, &error);
    if (status == NT_INVALID || (status == NT_UNSUPPORTED && !error.file[0]))
        return nt_cli_refuse(plan, "simulation.options", "%s",
                             error.message); /* of each alone, or none */
    if (status != NT_OK)
        return nt_cli_fail(plan->path, &error);
    plan->variable = nt_integrator_is_variable(plan->integrator);
    return check_maximum_step(plan, options);
}

int nt_cli_plan_make(nt_cli_plan *plan, const nt_cli_options *options, bool needs_times)
{
    nt_error error = {0};
    *plan = (nt_cli_plan){.path = options->name, .options_given = options};
    if (nt_model_read(&plan->model, options->name, options->settings, options->n_settings,
                      &error) != NT_OK ||
        nt_run_create(&plan->run, plan->model, &error) != NT_OK ||
        nt_run_set_threads(plan->run, options->threads > 0 ? options->threads : 1, &error) != NT_OK)
        return nt_cli_fail(options->name, &error);
    nt_run_stop_when(plan->run, nt_cli_stop_computing, NULL);
    const char *corrections = nt_run_corrections(plan->run);
    if (corrections && *corrections && !options->quiet)
        nt_cli_say("%s: initial values were corrected:\n%s", plan->path, corrections);
    int status = choose_method(plan, options);
    if (status == NT_EXIT_DONE)
        status = nt_cli_check_solver(plan->run, options);
    if (status == NT_EXIT_DONE)
        status = choose_times(plan, options, needs_times);
    if (status == NT_EXIT_DONE)
        status = create_integrator(plan, options);
    return status == NT_EXIT_DONE ? plan_check_rows(plan, options) : status;
}

int nt_cli_plan_start(nt_cli_plan *plan)
{
    const nt_system *system = nt_run_system(plan->run);
    size_t nq = (size_t)system->space.nq, nv = (size_t)system->space.nv;
    double *q = calloc(nq + nv + (size_t)system->n_memory + 1, sizeof *q);
    nt_error error = {0};
    if (!q)
        return nt_cli_no_memory();
    nt_run_initial(plan->run, q, q + nq, q + nq + nv);
    nt_status status =
        nt_integrator_start(plan->integrator, plan->start, q, q + nq, q + nq + nv, &error);
    free(q);
    return status == NT_OK ? NT_EXIT_DONE : nt_cli_fail(plan->path, &error);
}

bool nt_cli_orders_are_open(const nt_cli_plan *plan)
{
    bool open = has_option(plan->method, "max_order");
    for (int i = 0; i < plan->n_options; i++)
        open &= strcmp(plan->options[i].name, "max_order") != 0;
    return open;
}

void nt_cli_plan_free(nt_cli_plan *plan)
{
    nt_integrator_destroy(plan->integrator);
    nt_run_destroy(plan->run);
    nt_model_destroy(plan->model);
    free(plan->options);
}
