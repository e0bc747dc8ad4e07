/* What a model's `simulation` says of an integrator, as the set-up of one. */
#include "base/error.h"
#include "model/narrow.h"
#include "model/states/delay.h"

#include <math.h>
#include <string.h>

/* Work is followed where there can be any and it is recorded or may be in an objective. */
static bool wants_work(const nt_model *model)
{
    const nt_simulation *simulation = &model->simulation;
    bool recorded = model->n_objectives > 0;
    for (int i = 0; i < simulation->n_record; i++)
        recorded |= strcmp(simulation->record[i], "energy") == 0 ||
                    strcmp(simulation->record[i], "energy.work") == 0;
    return recorded && nt_model_has_power(model);
}

static bool chooses_steps(const nt_integrator_setup *setup)
{
    bool given = false;
    for (int i = 0; i < 4; i++)
        given = given || setup->tolerance[i] > 0;
    return nt_method_controls_error(setup->method) &&
           (given || nt_method_keeps_history(setup->method));
}

static void bound_step(nt_integrator_setup *setup, double longest)
{
    if (isfinite(longest) && (setup->maximum_step == 0 || longest < setup->maximum_step))
        setup->maximum_step = longest;
}

nt_status nt_run_bound_steps(const nt_run *run, double start, double end,
                             nt_integrator_setup *setup, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "run setup", run, setup);
    NT_NEED_VERSION(error, "setup", setup->version);
    NT_NEED(error, "setup.method", setup->method);
    NT_NEED_FINITE(error, "start", start);
    NT_NEED_FINITE(error, "end", end);
    NT_NEED_NOT_NEGATIVE(error, "end - start", end - start);
    double longest;
    if (!chooses_steps(setup))
        return NT_OK;
    if (nt_run_longest_step(run, start, end, &longest) != NT_OK)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    bound_step(setup, longest);
    return NT_OK;
}

nt_status nt_run_setup(nt_run *run, nt_integrator_setup *setup, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "run setup", run, setup);
    NT_NEED_VERSION(error, "setup", setup->version);
    const nt_model *model = run->model;
    const nt_simulation *simulation = &model->simulation;
    const nt_method *method = nt_method_find(simulation->method);
    *setup = (nt_integrator_setup){.version = NT_INTERFACE, .system = nt_run_system(run)};
    if (!method) {
        int line, column;
        nt_model_key_place(model, "simulation.method", &line, &column);
        return nt_fail_at(error, NT_BAD_MODEL, model->file, line, column,
                          "method: there is no method '%s'", simulation->method);
    }
    setup->method = method;
    setup->options = simulation->options;
    setup->n_options = simulation->n_options;
    setup->frame = simulation->frame;
    memcpy(setup->tolerance, simulation->tolerance, sizeof setup->tolerance);
    setup->minimum_step = simulation->minimum_step;
    setup->maximum_step = simulation->maximum_step;
    double longest = fmax(nt_run_delay_step(run), simulation->minimum_step);
    bound_step(setup, longest);
    setup->track_work = wants_work(model);
    setup->energy_check = simulation->energy_check ? NT_ENERGY_ENDS : NT_ENERGY_UNWATCHED;
    return nt_run_bound_steps(run, simulation->start, simulation->start + simulation->duration,
                              setup, error);
}
