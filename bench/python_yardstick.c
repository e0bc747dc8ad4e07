/* The library's own loops, to measure the Python package against in one process: python.py loads
 * this as a shared library. Rows stay in memory. */
#include <nutate/nutate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct rows {
    double *values;
    long n, room;
} rows;

static nt_status take_row(void *taker, const double *values, int n)
{
    rows *r = taker;
    if (r->n == r->room) {
        r->room = r->room > 0 ? 2 * r->room : 256;
        double *more = realloc(r->values, (size_t)r->room * (size_t)n * sizeof *more);
        if (!more)
            return NT_NO_MEMORY;
        r->values = more;
    }
    memcpy(r->values + r->n++ * n, values, (size_t)n * sizeof *values);
    return NT_OK;
}

typedef struct motion {
    nt_run *run;
    nt_integrator *integrator;
    nt_record *record;
} motion;

static int observe(void *context, const nt_integrator *integrator)
{
    motion *m = context;
    (void)integrator;
    return nt_record_advance(m->record, m->integrator, NULL) != NT_OK;
}

static nt_status begin(motion *m, const nt_model *model, nt_error *error)
{
    nt_integrator_setup setup = {0};
    nt_status status = nt_run_create(&m->run, model, error);
    if (status == NT_OK)
        status = nt_run_setup(m->run, &setup, error);
    if (status == NT_OK)
        status = nt_integrator_create(&m->integrator, &setup, error);
    if (status == NT_OK)
        status = nt_integrator_start(m->integrator, 0, NULL, NULL, NULL, error);
    return status;
}

/* A run as `nutate run` makes it: steps that end at multiples of the step. */
static nt_status one_run(const nt_model *model, nt_error *error)
{
    const nt_simulation *simulation = nt_model_simulation(model);
    motion m = {0};
    rows r = {0};
    nt_status status = begin(&m, model, error);
    const nt_record_setup setup = {.run = m.run, .take_row = take_row, .taker = &r};
    if (status == NT_OK)
        status = nt_record_create(&m.record, &setup, error);
    nt_state state = nt_integrator_state(m.integrator);
    if (status == NT_OK)
        status = nt_record_write(m.record, m.integrator, &state, error);
    long steps = (long)(simulation->duration / simulation->step + 0.5);
    for (long k = 1; k <= steps && status == NT_OK; k++) {
        double end = k < steps ? (double)k * simulation->step : simulation->duration;
        double t = nt_integrator_state(m.integrator).t;
        status = nt_integrator_run(m.integrator, end, end - t, observe, &m, error);
    }
    nt_record_close(m.record, NULL);
    nt_integrator_destroy(m.integrator);
    nt_run_destroy(m.run);
    free(r.values);
    return status;
}

double yardstick_runs(const char *path, long runs);
double yardstick_steps(const char *path, long steps);

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Seconds of the processor for each of so many runs of a model file; negative where one fails. */
double yardstick_runs(const char *path, long runs)
{
    nt_model *model = NULL;
    nt_error error = {0};
    nt_status status = nt_model_read(&model, path, NULL, 0, &error);
    double begun = seconds();
    for (long i = 0; i < runs && status == NT_OK; i++)
        status = one_run(model, &error);
    double took = seconds() - begun;
    nt_model_destroy(model);
    return status == NT_OK ? took / (double)runs : -1;
}

/* The same for each of so many steps of 1 us. */
double yardstick_steps(const char *path, long steps)
{
    nt_model *model = NULL;
    nt_error error = {0};
    motion m = {0};
    nt_status status = nt_model_read(&model, path, NULL, 0, &error);
    if (status == NT_OK)
        status = begin(&m, model, &error);
    double begun = seconds();
    for (long i = 0; i < steps && status == NT_OK; i++)
        status = nt_integrator_step(m.integrator, 1e-6, &error);
    double took = seconds() - begun;
    nt_integrator_destroy(m.integrator);
    nt_run_destroy(m.run);
    nt_model_destroy(model);
    return status == NT_OK ? took / (double)steps : -1;
}
