/* Starting and running an integrator in a test: a failure fails the test in its own words. cmocka.h
 * comes before. */
#ifndef NUTATE_TESTS_METHOD_RUNS_H
#define NUTATE_TESTS_METHOD_RUNS_H

#include <math.h>
#include <nutate/method.h>

/* Fails the test, with the method's name and numbers, unless |a - b| <= tolerance. */
static inline void near_number(double a, double b, double tolerance, const char *method,
                               const char *what)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%s: %s is %.15g, expected %.15g within %.3g", method, what, a, b, tolerance);
}

static inline nt_integrator_setup setup_of(const nt_system *system, const nt_option *options, int n)
{
    return (nt_integrator_setup){.system = system,
                                 .method = nt_method_find("generalized-alpha"),
                                 .options = options,
                                 .n_options = n};
}

static inline nt_integrator *begin(const nt_integrator_setup *setup, const double *q,
                                   const double *v)
{
    nt_integrator *it = NULL;
    nt_error error = {0};
    if (nt_integrator_create(&it, setup, &error) != NT_OK ||
        nt_integrator_start(it, 0, q, v, NULL, &error) != NT_OK)
        fail_msg("%s", error.message);
    return it;
}

static inline void run_to(nt_integrator *it, double end, double h)
{
    nt_error error = {0};
    if (nt_integrator_run(it, end, h, NULL, NULL, &error) != NT_OK)
        fail_msg("%s", error.message);
}

#endif
