#include "whole.h"

#include "process.h"

static nt_status make_integrator(py_motion *m, const py_plan *plan, nt_error *error)
{
    nt_integrator_setup setup = {0};
    nt_run_setup(m->run, &setup,
                 NULL); /* of a method that is chosen here, whatever the file says */
    setup.method = plan->setup.method;
    setup.options = plan->setup.options;
    setup.n_options = plan->setup.n_options;
    for (int i = 0; i < 4; i++)
        setup.tolerance[i] = plan->setup.tolerance[i];
    setup.frame = plan->setup.frame;
    setup.solver = plan->setup.solver;
    setup.energy_check = plan->setup.energy_check;
    return nt_integrator_create(&m->integrator, &setup, error);
}

static nt_status begin(py_whole *w, const py_plan *plan, const int *parameters,
                       const double *values, int n, nt_error *error)
{
    py_motion *m = &w->motion;
    nt_status status = nt_run_create(&m->run, plan->model, error);
    if (status == NT_OK)
        nt_run_stop_when(m->run, py_stop_asked, NULL);
    if (status == NT_OK && n > 0)
        status = nt_model_set_several(m->run, parameters, values, n, error);
    if (status == NT_OK)
        status = make_integrator(m, plan, error);
    const nt_record_setup record = {.run = m->run, .take_row = py_rows_take, .taker = &w->rows};
    if (status == NT_OK)
        status = nt_record_create(&m->record, &record, error);
    if (status == NT_OK && plan->objectives > 0)
        status = nt_objectives_create(&m->objectives, m->run, m->integrator, NULL, error);
    if (status == NT_OK)
        status = nt_integrator_start(m->integrator, m->start, NULL, NULL, NULL, error);
    return status;
}

static void name_unknown(py_whole *w)
{
    const nt_system *s = nt_run_system(w->motion.run);
    int number = nt_integrator_failed_unknown(w->motion.integrator);
    if (number >= 0 && number < s->space.nv && s->coordinate_name)
        s->coordinate_name(s->self, number, w->unknown, sizeof w->unknown);
    else if (number >= s->space.nv && s->equation_name)
        s->equation_name(s->self, number, w->unknown, sizeof w->unknown);
}

static void tell(py_whole *w, const py_plan *plan)
{
    const nt_system *s = nt_run_system(w->motion.run);
    nt_state state = nt_integrator_state(w->motion.integrator);
    nt_state_copy(&w->final, w->numbers, s, &state);
    if (s->n_parameters > 0)
        s->get_parameters(s->self, w->parameters);
    for (int i = 0; i < plan->objectives; i++)
        w->objectives[i] = nt_objectives_value(w->motion.objectives, i);
    w->ran = 1;
}

nt_status py_run(py_whole *w, const py_plan *plan, const int *parameters, const double *values,
                 int n, nt_error *error)
{
    py_motion *m = &w->motion;
    nt_status status = begin(w, plan, parameters, values, n, error);
    if (status == NT_OK) {
        m->look = plan->look;
        m->energy = plan->energy;
        m->events = plan->events > 0 ? &w->events : NULL;
        status = py_integrate(m, error);
        nt_status closed = nt_record_close(m->record, status == NT_OK ? error : NULL);
        m->record = NULL;
        status = status == NT_OK ? closed : status;
        tell(w, plan);
    }
    if (status != NT_OK && m->integrator)
        name_unknown(w);
    nt_record_close(m->record, NULL);
    nt_objectives_destroy(m->objectives);
    nt_integrator_destroy(m->integrator);
    nt_run_destroy(m->run);
    m->run = NULL, m->integrator = NULL, m->record = NULL, m->objectives = NULL;
    return status;
}
