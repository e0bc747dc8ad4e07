#include "integrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* s between two questions whether to go on. The clock costs as much as a twentieth of a small
 * model's step: it is read at every sixteenth step while sixteen of them take no time. */
static const double LOOK_EVERY = 0.05, NO_TIME = 0.01;
enum { QUICK_STEPS = 15 };

/* ---- rows ----------------------------------------------------------------------------------- */

nt_status py_rows_take(void *taker, const double *values, int n)
{
    py_rows *rows = taker;
    if (rows->n == rows->room) {
        long room = rows->room > 0 ? 2 * rows->room : 256;
        double *more = realloc(rows->values, (size_t)room * (size_t)n * sizeof *more);
        if (!more)
            return NT_NO_MEMORY;
        rows->values = more;
        rows->room = room;
    }
    memcpy(rows->values + (size_t)rows->n++ * (size_t)n, values, (size_t)n * sizeof *values);
    rows->columns = n;
    return NT_OK;
}

void py_rows_free(double *values) { free(values); }

/* ---- the run -------------------------------------------------------------------------------- */

static double integrate_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int observe(void *context, const nt_integrator *integrator)
{
    py_motion *m = context;
    (void)integrator;
    if (m->objectives && nt_objectives_advance(m->objectives, &m->error) != NT_OK)
        return 1;
    if (m->record && nt_record_advance(m->record, m->integrator, &m->error) != NT_OK)
        return 1;
    if (m->quick > 0) {
        m->quick--;
        return 0;
    }
    double now = integrate_clock();
    m->quick = now - m->read_at < NO_TIME ? QUICK_STEPS : 0;
    m->read_at = now;
    if (now - m->looked_at < LOOK_EVERY)
        return 0;
    m->looked_at = now;
    return m->look(m->context);
}

/* Steps of their own size; or steps that end at start + k step. */
static nt_status advance(py_motion *m, nt_error *error)
{
    double t = nt_integrator_state(m->integrator).t;
    if (nt_integrator_is_variable(m->integrator))
        return t < m->end ? nt_integrator_run(m->integrator, m->end, m->step, observe, m, error)
                          : NT_OK;
    double k = floor((t - m->start) / m->step * (1 + 1e-12)) + 1;
    double last = round((m->end - m->start) / m->step);
    if (m->start + k * m->step <= t)
        k++;
    nt_status status = NT_OK;
    for (double target; t < m->end && status == NT_OK; k++, t = target) {
        target = k < last ? m->start + k * m->step : m->end;
        status = nt_integrator_run(m->integrator, target, target - t, observe, m, error);
    }
    return status;
}

/* The row of the present state. */
static nt_status row(py_motion *m)
{
    nt_state state = nt_integrator_state(m->integrator);
    return m->record ? nt_record_write(m->record, m->integrator, &state, &m->error) : NT_OK;
}

static int look_at_energy(const py_motion *m, double out[4])
{
    nt_state state = nt_integrator_state(m->integrator);
    nt_run *run = m->run;
    return m->energy && nt_run_sample(run, m->energy, &state, NULL, out, NULL) == NT_OK &&
           isfinite(out[2]);
}

static void take_event(void *context, const nt_occurrence *o)
{
    py_motion *m = context;
    const double row[] = {o->t, o->number, o->energy[0], o->energy[1], o->energy[0] - o->energy[1]};
    if (py_rows_take(m->events, row, 5) != NT_OK)
        m->error = (nt_error){.status = NT_NO_MEMORY, .message = "out of memory"};
}

static double wall_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void account(py_motion *m, double begun)
{
    m->seconds = wall_clock() - begun;
    m->has_energy = look_at_energy(m, m->energies[1]) && m->has_energy;
    m->took = *nt_integrator_statistics(m->integrator);
    m->ended = nt_integrator_ended_by(m->integrator);
    nt_integrator_drift(m->integrator, &m->drift[0], &m->drift[1]);
    if (nt_integrator_energy_warning(m->integrator, m->warning, sizeof m->warning) == 0)
        nt_integrator_step_warning(m->integrator, m->warning, sizeof m->warning);
}

nt_status py_integrate(py_motion *m, nt_error *error)
{
    nt_error *own = &m->error;
    own->status = NT_OK;
    m->looked_at = m->read_at = integrate_clock();
    m->quick = 0;
    m->has_energy = look_at_energy(m, m->energies[0]);
    if (m->events)
        nt_integrator_observe_events(m->integrator, take_event, m);
    double begun = wall_clock();
    nt_status status = row(m);
    if (status == NT_OK && m->objectives)
        status = nt_objectives_advance(m->objectives, own);
    if (status == NT_OK)
        status = advance(m, error);
    if (own->status == NT_OK && status == NT_OK)
        status = nt_integrator_check_energy(m->integrator, error);
    nt_error first = *own;
    if (first.status == NT_OK && row(m) != NT_OK)
        first = *own;
    account(m, begun);
    if (first.status != NT_OK) {
        *error = first;
        status = first.status;
    }
    return status;
}

nt_status py_advance(py_motion *m, nt_error *error)
{
    m->error.status = NT_OK;
    m->looked_at = m->read_at = integrate_clock();
    m->quick = 0;
    return nt_integrator_run(m->integrator, m->end, m->step, observe, m, error);
}
