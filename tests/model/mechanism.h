/* A model from text, integrated and looked at by the names that a result file would have. */
#ifndef NUTATE_TESTS_MECHANISM_H
#define NUTATE_TESTS_MECHANISM_H

#include "tests/read_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <nutate/nutate.h>

/* Fails the test, with numbers, unless |a - b| <= tolerance. */
#define CLOSE(a, b, tolerance) close_to((a), (b), (tolerance), #a, __FILE__, __LINE__)

static inline void close_to(double a, double b, double tolerance, const char *what,
                            const char *file, int line)
{
    if (!(fabs(a - b) <= tolerance)) {
        print_error("%s is %.15g, expected %.15g within %.3g, off by %.3g\n", what, a, b, tolerance,
                    a - b);
        _fail(file, line);
    }
}

typedef struct mechanism {
    nt_run *run;
    nt_integrator *integrator;
    double *q, *v, *memory; /* initial values */
} mechanism;

static inline mechanism mechanism_read(const char *text)
{
    mechanism m = {0};
    nt_error error = {0};
    if (read_run_text(&m.run, text, strlen(text), "test", NULL, NULL, 0, &error) != NT_OK)
        fail_msg("%s", error.message);
    const nt_system *s = nt_run_system(m.run);
    m.q = calloc((size_t)(s->space.nq + s->space.nv + s->n_memory), sizeof(double));
    assert_non_null(m.q);
    m.v = m.q + s->space.nq;
    m.memory = m.v + s->space.nv;
    nt_run_initial(m.run, m.q, m.v, m.memory);
    return m;
}

static inline void mechanism_start(mechanism *m, const nt_option *options, int n, nt_frame frame)
{
    nt_error error = {0};
    nt_integrator_setup setup = {.system = nt_run_system(m->run),
                                 .method = nt_method_find("generalized-alpha"),
                                 .options = options,
                                 .n_options = n,
                                 .frame = frame,
                                 .track_work = nt_model_has_power(nt_run_model(m->run))};
    if (nt_integrator_create(&m->integrator, &setup, &error) != NT_OK ||
        nt_integrator_start(m->integrator, nt_model_simulation(nt_run_model(m->run))->start, m->q,
                            m->v, m->memory, &error) != NT_OK)
        fail_msg("%s", error.message);
}

/* Read and start with the method's defaults, inertial frame. */
static inline mechanism mechanism_open(const char *text)
{
    mechanism m = mechanism_read(text);
    mechanism_start(&m, NULL, 0, NT_INERTIAL);
    return m;
}

static inline void mechanism_close(mechanism *m)
{
    nt_integrator_destroy(m->integrator);
    destroy_run(m->run);
    free(m->q);
    *m = (mechanism){0};
}

static inline void mechanism_run(mechanism *m, double end, double h)
{
    nt_error error = {0};
    if (nt_integrator_run(m->integrator, end, h, NULL, NULL, &error) != NT_OK)
        fail_msg("%s", error.message);
}

/* A recorded quantity at the present state: out[16]. */
static inline void mechanism_get(const mechanism *m, const char *name, double *out)
{
    nt_error error = {0};
    nt_quantity_info info;
    const nt_system *s = nt_run_system(m->run);
    nt_state state = nt_integrator_state(m->integrator);
    double *reactions = calloc((size_t)(s->nh + s->nn) + 1, sizeof(double));
    assert_non_null(reactions);
    nt_status status =
        nt_integrator_reactions(m->integrator, &state, nt_run_length(m->run), reactions, &error);
    if (status == NT_OK)
        status = nt_model_quantity(nt_run_model(m->run), name, &info, &error);
    if (status == NT_OK)
        status = nt_run_sample(m->run, &info, &state, reactions, out, &error);
    free(reactions);
    if (status != NT_OK)
        fail_msg("%s: %s", name, error.message);
}

/* One number: the first column of a quantity. */
static inline double mechanism_number(const mechanism *m, const char *name)
{
    double out[16];
    mechanism_get(m, name, out);
    return out[0];
}

/* Reading `text` is refused with a message that holds each of words[] (NULL-terminated). */
static inline void mechanism_refused(const char *text, const char *const *words)
{
    nt_run *run = NULL;
    nt_error error = {0};
    nt_status status = read_run_text(&run, text, strlen(text), "test", NULL, NULL, 0, &error);
    destroy_run(run);
    assert_int_equal(status, NT_BAD_MODEL);
    for (int i = 0; words[i]; i++)
        if (!strstr(error.message, words[i]))
            fail_msg("message lacks '%s': %s", words[i], error.message);
}

#endif
