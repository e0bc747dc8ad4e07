/* A row: a run of the model with the row's values, as `nutate run --set` would make it, to the bit.
 *
 * A worker keeps its run and its integrator from row to row as long as only parameters change. All
 * parameters are set at once, the others to their values in the file, so that a row does not depend
 * on the rows before it. Other keys need the model to be read again. */
#include "base/error.h"
#include "base/memstream.h"
#include "model/evaluate.h"
#include "model/model.h"
#include "sweep/sweep.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct nt_worker {
    const nt_sweep *sweep;
    const atomic_int *stop;
    nt_model *own; /* read for the present row; NULL: that of the sweep is used */
    nt_run *run;
    nt_integrator *integrator;
    nt_record *record;           /* NULL: no records are kept */
    nt_sensitivity *sensitivity; /* NULL but for derivatives */
    nt_objectives *objectives;
    const nt_method *method; /* of the row; NULL: the model's */
    int load_case;           /* of the row, -1: none */
    double start, end, step; /* s */
    bool variable, ready;    /* ready: all of this belongs to the text below */
    char *text;              /* the settings that are no parameters */
    double *base, *values;   /* [n_parameters] of the file; of the row */
    nt_axis_value *axis;     /* [n_axes] */
    nt_keeper keeper;
    nt_status step_status; /* of what is done at each step's end */
    nt_error step_error;
};

static nt_status worker_no_memory(nt_error *error)
{
    return nt_fail(error, NT_NO_MEMORY, "out of memory");
}

/* ---- memory --------------------------------------------------------------------------------- */

static void put_down(nt_worker *w)
{
    nt_objectives_destroy(w->objectives);
    nt_record_close(w->record, NULL);
    nt_sensitivity_destroy(w->sensitivity);
    nt_integrator_destroy(w->integrator);
    nt_run_destroy(w->run);
    nt_model_destroy(w->own);
    free(w->text);
    free(w->base);
    w->objectives = NULL;
    w->record = NULL;
    w->sensitivity = NULL;
    w->integrator = NULL;
    w->run = NULL;
    w->own = NULL;
    w->text = NULL;
    w->base = w->values = NULL;
    w->ready = false;
}

nt_status nt_worker_create(nt_worker **worker, const nt_sweep *s, const atomic_int *stop,
                           nt_error *error)
{
    nt_worker *w = *worker = calloc(1, sizeof *w);
    if (!w)
        return worker_no_memory(error);
    w->sweep = s;
    w->stop = stop;
    w->keeper.sweep = s;
    w->axis = calloc((size_t)s->n_axes + 1, sizeof *w->axis);
    w->keeper.value = calloc((size_t)s->n_kept + 1, sizeof(double));
    w->keeper.time = calloc((size_t)s->n_kept + 1, sizeof(double));
    w->keeper.last = calloc((size_t)s->record_columns + 1, sizeof(double));
    if (w->axis && w->keeper.value && w->keeper.time && w->keeper.last)
        return NT_OK;
    nt_worker_destroy(w);
    *worker = NULL;
    return worker_no_memory(error);
}

void nt_worker_destroy(nt_worker *w)
{
    if (!w)
        return;
    put_down(w);
    free(w->axis);
    free(w->keeper.value);
    free(w->keeper.time);
    free(w->keeper.last);
    free(w->keeper.slope);
    free(w);
}

/* ---- the method of a row -------------------------------------------------------------------- */

/* Whether the plan itself gives an option: then it is meant for the method of the row. */
static bool is_given(const nt_worker *w, const char *option, int load_case)
{
    static const char prefix[] = "simulation.options.";
    const nt_sweep *s = w->sweep;
    const nt_load_case *c = load_case >= 0 ? &s->cases[load_case] : NULL;
    int length = (int)sizeof prefix - 1;
    for (int k = 0; k < s->n_axes; k++)
        if (strncmp(s->axes[k].key, prefix, sizeof prefix - 1) == 0 &&
            strcmp(s->axes[k].key + length, option) == 0)
            return true;
    for (int i = 0; c && i < c->n; i++)
        if (strncmp(c->settings[i].key, prefix, sizeof prefix - 1) == 0 &&
            strcmp(c->settings[i].key + length, option) == 0)
            return true;
    return false;
}

/* Another method than the file's takes those of the file's options that it has. */
static nt_status take_options(const nt_worker *w, const nt_model *model, nt_option *options,
                              nt_integrator_setup *setup, nt_error *error)
{
    const nt_simulation *simulation = nt_model_simulation(model);
    int n_keys;
    const nt_option_key *keys = nt_method_options(w->method, &n_keys);
    setup->method = w->method;
    setup->options = options;
    setup->n_options = 0;
    for (int i = 0; i < simulation->n_options; i++) {
        int k = 0;
        while (k < n_keys && strcmp(keys[k].name, simulation->options[i].name) != 0)
            k++;
        if (k == n_keys && !is_given(w, simulation->options[i].name, w->load_case))
            continue;
        nt_status status = nt_method_check_option(w->method, &simulation->options[i], error);
        if (status != NT_OK)
            return status;
        options[setup->n_options++] = simulation->options[i];
    }
    if (!nt_method_has_frame(w->method, setup->frame))
        setup->frame = nt_method_has_frame(w->method, NT_INERTIAL) ? NT_INERTIAL : NT_BODY;
    if (nt_method_check_tolerance(w->method, nt_run_system(w->run), NULL) != NT_OK) {
        memset(setup->tolerance, 0, sizeof setup->tolerance);
        setup->maximum_step = 0;
    }
    return NT_OK;
}

/* Equal steps, duration / ceil(duration / step), or variable ones that begin with the model's. */
static nt_status take_times(nt_worker *w, const nt_model *model, const nt_integrator_setup *setup,
                            nt_error *error)
{
    const nt_simulation *simulation = nt_model_simulation(model);
    double duration = simulation->duration, step = simulation->step;
    bool controlled = false;
    for (int i = 0; i < 4; i++)
        controlled |= setup->tolerance[i] > 0;
    if (controlled && !(step > 0))
        step = 1e-4 * duration;
    if (!(duration > 0) || !(step > 0))
        return nt_fail(error, NT_BAD_MODEL, "simulation.%s is missing",
                       duration > 0 ? "step" : "duration");
    w->start = simulation->start;
    w->end = w->start + duration;
    w->step = controlled ? step : duration / fmax(1, ceil(duration / step * (1 - 1e-12)));
    double time = fmax(fabs(w->start), fabs(w->end));
    if (fmin(step, duration) < 1000 * DBL_EPSILON * time || duration / step > 1e12)
        return nt_fail(error, NT_BAD_MODEL, "a step of %g s is too small for a run to %g s", step,
                       w->end);
    return NT_OK;
}

/* ---- set-up --------------------------------------------------------------------------------- */

static nt_status make_integrator(nt_worker *w, nt_error *error)
{
    const nt_model *model = nt_run_model(w->run);
    nt_integrator_setup setup = {0};
    nt_option *options = calloc((size_t)nt_model_simulation(model)->n_options + 1, sizeof *options);
    if (!options)
        return worker_no_memory(error);
    nt_status status = nt_run_setup(w->run, &setup, error);
    if (w->method && (status == NT_OK || status == NT_BAD_MODEL))
        status = take_options(w, model, options, &setup, error);
    if (status == NT_OK)
        status = take_times(w, model, &setup, error);
    if (status == NT_OK)
        status = nt_integrator_create(&w->integrator, &setup, error);
    free(options);
    w->variable = status == NT_OK && nt_integrator_is_variable(w->integrator);
    return status;
}

/* In all inputs, in their order. */
static nt_status make_sensitivity(nt_worker *w, nt_error *error)
{
    const nt_sweep *s = w->sweep;
    int *parameters = calloc((size_t)s->n_axes + 1, sizeof *parameters);
    if (!parameters)
        return worker_no_memory(error);
    for (int k = 0; k < s->n_axes; k++)
        parameters[k] = s->axes[k].parameter;
    nt_status status =
        nt_sensitivity_create(&w->sensitivity, w->integrator, parameters, s->n_axes, error);
    free(parameters);
    return status;
}

static void count_column(void *keeper, const nt_result_column *column)
{
    (void)column;
    ((nt_keeper *)keeper)->columns++;
}

static nt_status make_outputs(nt_worker *w, nt_error *error)
{
    const nt_sweep *s = w->sweep;
    const nt_record_setup setup = {.run = w->run,
                                   .sensitivity = w->sensitivity,
                                   .take_row = nt_keeper_row,
                                   .take_column = count_column,
                                   .taker = &w->keeper};
    nt_status status = NT_OK;
    w->keeper.columns = 0;
    if (s->n_kept > 0)
        status = nt_record_create(&w->record, &setup, error);
    int expected = 1 + (s->record_columns - 1) * (1 + w->keeper.n_slopes);
    if (status == NT_OK && w->record && w->keeper.columns != expected)
        status = nt_fail(error, NT_BAD_MODEL,
                         "the records have %d numbers here, expected %d as in the file",
                         w->keeper.columns, expected);
    if (status == NT_OK && s->n_objectives > 0)
        status = nt_objectives_create(&w->objectives, w->run, w->integrator, w->sensitivity, error);
    return status;
}

/* The settings of a row that are no parameters, a line for each: what a set-up belongs to. */
static nt_status write_settings(nt_worker *w, int load_case, char **text, nt_error *error)
{
    const nt_sweep *s = w->sweep;
    size_t size;
    char buffer[32];
    *text = NULL;
    FILE *to = open_memstream(text, &size);
    if (!to)
        return worker_no_memory(error);
    fprintf(to, "%d\n", load_case);
    for (int k = 0; k < s->n_axes; k++)
        if (s->axes[k].parameter < 0)
            fprintf(to, "%s\n", nt_design_text(&s->axes[k], &w->axis[k], buffer));
    return nt_memstream_end(to, text) ? NT_OK : worker_no_memory(error);
}

/* Reads the model where a key is not that of the file. */
static nt_status read_model(nt_worker *w, int load_case, nt_error *error)
{
    const nt_sweep *s = w->sweep;
    const nt_load_case *c = load_case >= 0 ? &s->cases[load_case] : NULL;
    int n = 0, most = s->n_settings + (c ? c->n : 0) + s->n_axes;
    size_t length;
    nt_setting *settings = calloc((size_t)most + 1, sizeof *settings);
    char(*buffers)[32] = calloc((size_t)s->n_axes + 1, sizeof *buffers);
    nt_status status = settings && buffers ? NT_OK : worker_no_memory(error);
    w->method = NULL;
    for (int i = 0; i < s->n_settings && status == NT_OK; i++)
        settings[n++] = s->settings[i];
    for (int i = 0; c && i < c->n && status == NT_OK; i++)
        settings[n++] = c->settings[i];
    for (int k = 0; k < s->n_axes && status == NT_OK; k++) {
        const nt_axis *axis = &s->axes[k];
        if (axis->parameter >= 0)
            continue;
        const char *value = nt_design_text(axis, &w->axis[k], buffers[k]);
        if (axis->method)
            w->method = nt_method_find(value);
        else
            settings[n++] = (nt_setting){axis->key, value};
    }
    bool other = n > s->n_settings;
    if (status == NT_OK && other) {
        const char *text = nt_model_text(s->model, &length), *slash = strrchr(s->model_path, '/');
        char *folder = nt_folder_path(s->model_path, NULL);
        if (slash && folder)
            folder[slash - s->model_path] = '\0';
        status = folder ? nt_model_read_text(&w->own, text, length, s->model_path,
                                             slash ? folder : NULL, settings, n, error)
                        : worker_no_memory(error);
        free(folder);
    }
    free(settings);
    free(buffers);
    return status;
}

static int row_is_given_up(void *context)
{
    const nt_worker *w = context;
    return atomic_load_explicit(w->stop, memory_order_relaxed);
}

/* A set-up for the settings of a row that are no parameters. */
static nt_status set_up(nt_worker *w, int load_case, nt_error *error)
{
    const nt_sweep *s = w->sweep;
    char *text;
    nt_status status = write_settings(w, load_case, &text, error);
    if (status != NT_OK)
        return status;
    if (w->ready && strcmp(text, w->text) == 0) {
        free(text);
        return NT_OK;
    }
    put_down(w);
    w->text = text;
    w->load_case = load_case;
    status = read_model(w, load_case, error);
    if (status == NT_OK)
        status = nt_run_create(&w->run, w->own ? w->own : s->model, error);
    if (status == NT_OK)
        nt_run_stop_when(w->run, row_is_given_up, w);
    int n = status == NT_OK ? nt_run_model(w->run)->n_parameters : 0;
    w->base = calloc(2 * (size_t)n + 1, sizeof(double));
    w->values = w->base ? w->base + n : NULL;
    if (status == NT_OK && !w->base)
        status = worker_no_memory(error);
    if (status == NT_OK)
        nt_run_get_parameters(w->run, w->base);
    if (status == NT_OK)
        status = make_integrator(w, error);
    if (status == NT_OK && w->keeper.slope)
        status = make_sensitivity(w, error);
    if (status == NT_OK)
        status = make_outputs(w, error);
    w->ready = status == NT_OK;
    return status;
}

static nt_status set_parameters(nt_worker *w, nt_error *error)
{
    const nt_sweep *s = w->sweep;
    const nt_model *model = nt_run_model(w->run);
    bool any = false;
    memcpy(w->values, w->base, (size_t)model->n_parameters * sizeof(double));
    for (int k = 0; k < s->n_axes; k++) {
        int i = s->axes[k].parameter;
        if (i < 0)
            continue;
        any = true;
        w->values[i] = w->axis[k].number;
        if (!isfinite(w->values[i]))
            return nt_fail(error, NT_INVALID, "parameter %s = %g, expected a finite number",
                           s->axes[k].name, w->values[i]);
    }
    return any ? nt_run_set_values(w->run, w->values, true, error) : NT_OK;
}

/* ---- the run -------------------------------------------------------------------------------- */

static int observe(void *context, const nt_integrator *integrator)
{
    nt_worker *w = context;
    (void)integrator;
    if (w->objectives)
        w->step_status = nt_objectives_advance(w->objectives, &w->step_error);
    if (w->step_status == NT_OK && w->record)
        w->step_status = nt_record_advance(w->record, w->integrator, &w->step_error);
    return w->step_status != NT_OK || row_is_given_up(w);
}

/* Steps end where those of `nutate run` do. */
static nt_status take_steps(nt_worker *w, nt_error *error)
{
    nt_status status = NT_OK;
    if (w->variable)
        return nt_integrator_run(w->integrator, w->end, w->step, observe, w, error);
    double last = round((w->end - w->start) / w->step), t = w->start;
    for (double k = 1; t < w->end && status == NT_OK; k++) {
        double target = k < last ? w->start + k * w->step : w->end;
        status = nt_integrator_run(w->integrator, target, target - t, observe, w, error);
        t = target;
    }
    return status;
}

static nt_status write_state(nt_worker *w, nt_error *error)
{
    nt_state state = nt_integrator_state(w->integrator);
    return w->record ? nt_record_write(w->record, w->integrator, &state, error) : NT_OK;
}

static nt_status advance(nt_worker *w, nt_error *error)
{
    nt_status status = nt_integrator_start(w->integrator, w->start, NULL, NULL, NULL, error);
    w->step_status = NT_OK;
    if (status == NT_OK && w->sensitivity)
        status = nt_sensitivity_start(w->sensitivity, error);
    nt_record_restart(w->record);
    nt_objectives_restart(w->objectives);
    if (status == NT_OK)
        status = write_state(w, error);
    if (status == NT_OK && w->objectives)
        status = nt_objectives_advance(w->objectives, error);
    if (status == NT_OK)
        status = take_steps(w, error);
    if (w->step_status != NT_OK) {
        *error = w->step_error;
        return w->step_status;
    }
    if (status == NT_OK)
        status = nt_integrator_check_energy(w->integrator, error);
    return status == NT_OK ? write_state(w, error) : status;
}

/* The row of the values that stand in w->axis. slopes: NULL, or [n_columns][n_axes]. */
static nt_status run_values(nt_worker *w, int load_case, double *numbers, double *slopes,
                            nt_error *error)
{
    const nt_sweep *s = w->sweep;
    nt_keeper_begin(&w->keeper, numbers);
    nt_status status = set_up(w, load_case, error);
    if (status == NT_OK)
        status = set_parameters(w, error);
    if (status == NT_OK)
        status = advance(w, error);
    if (status == NT_OK) {
        const nt_statistics *took = nt_integrator_statistics(w->integrator);
        nt_keeper_end(&w->keeper, numbers, slopes);
        for (int i = 0; i < s->n_objectives; i++) {
            int at = s->n_columns - s->n_objectives + i;
            numbers[at] = nt_objectives_value(w->objectives, s->objective[i]);
            for (int k = 0; slopes && k < s->n_axes; k++)
                slopes[at * s->n_axes + k] =
                    nt_objectives_derivative(w->objectives, s->objective[i], k);
        }
        /* what had to pivot has other factors than one that is new */
        if (took->fallbacks == 0 && took->rank_changes == 0)
            return NT_OK;
    }
    w->ready = false;
    return nt_said(error, status);
}

nt_status nt_worker_run(nt_worker *w, long row, double *numbers, nt_error *error)
{
    int load_case;
    nt_error_clear(error);
    nt_design_values(w->sweep, row, &load_case, w->axis);
    return run_values(w, load_case, numbers, NULL, error);
}

nt_status nt_worker_derive(nt_worker *w, int load_case, double *numbers, double *slopes,
                           nt_error *error)
{
    const nt_sweep *s = w->sweep;
    nt_error_clear(error);
    put_down(w);
    w->keeper.n_slopes = s->n_axes;
    if (!w->keeper.slope)
        w->keeper.slope = calloc((size_t)(s->n_kept * s->n_axes) + 1, sizeof(double));
    if (!w->keeper.slope)
        return worker_no_memory(error);
    for (int k = 0; k < s->n_axes; k++)
        w->axis[k] = (nt_axis_value){-1, s->axes[k].mean};
    return run_values(w, load_case, numbers, slopes, error);
}
