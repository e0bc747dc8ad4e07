/* A run of a model with derivatives in some of its parameters. */
#ifndef NUTATE_TESTS_SENSITIVITY_RUN_OF_H
#define NUTATE_TESTS_SENSITIVITY_RUN_OF_H

#include "../model/mechanism.h"

typedef struct run_of {
    nt_run *run;
    nt_integrator *integrator;
    nt_sensitivity *sensitivity; /* NULL without parameters to follow */
} run_of;

/* The model with all parameters as in p, or as the text has them (NULL). */
static inline run_of run_of_text(const char *text, const double *p)
{
    run_of r = {0};
    nt_error error = {0};
    if (read_run_text(&r.run, text, strlen(text), "model", NULL, NULL, 0, &error) != NT_OK)
        fail_msg("%s", error.message);
    const nt_system *system = nt_run_system(r.run);
    if (p)
        assert_int_equal(system->set_parameters(system->self, p), NT_OK);
    return r;
}

/* An integrator of the model and the derivatives wanted[n], at the start. */
static inline void run_of_start(run_of *r, nt_integrator_setup setup, const int *wanted, int n)
{
    nt_error error = {0};
    setup.system = nt_run_system(r->run);
    if (nt_integrator_create(&r->integrator, &setup, &error) != NT_OK ||
        (n > 0 &&
         nt_sensitivity_create(&r->sensitivity, r->integrator, wanted, n, &error) != NT_OK) ||
        nt_integrator_start(r->integrator, 0, NULL, NULL, NULL, &error) != NT_OK ||
        (n > 0 && nt_sensitivity_start(r->sensitivity, &error) != NT_OK))
        fail_msg("%s", error.message);
}

static inline void run_to(run_of *r, double t, double h)
{
    nt_error error = {0};
    if (nt_integrator_run(r->integrator, t, h, NULL, NULL, &error) != NT_OK)
        fail_msg("%s", error.message);
}

static inline void end(run_of *r)
{
    nt_sensitivity_destroy(r->sensitivity);
    nt_integrator_destroy(r->integrator);
    destroy_run(r->run);
}

#endif
