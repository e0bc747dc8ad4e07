/* A model and its static state, for tests. */
#ifndef TESTS_ANALYSIS_BENCH_H
#define TESTS_ANALYSIS_BENCH_H

#include <nutate/nutate.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct bench {
    nt_model *model;
    nt_run *run;
    const nt_system *system;
    nt_static *state;
    nt_loading *loading; /* of all loads, or NULL */
    nt_error error;
    double *numbers;
} bench;

/* Of the model that was read; setup as the file says, and as it is given. With set_load the path is
 * along the range that its context is, or along all loads. */
static inline void begin_bench(bench *b, nt_static_setup given)
{
    nt_static_setup setup = {0};
    if (nt_run_create(&b->run, b->model, &b->error) ||
        nt_run_static_setup(b->run, &setup, &b->error))
        fail_msg("%s", b->error.message);
    b->system = setup.system;
    setup.damped |= given.damped;
    setup.hold_free |= given.hold_free;
    setup.set_load = given.set_load;
    if (given.n_held > 0) {
        setup.held = given.held;
        setup.n_held = given.n_held;
    }
    if (given.set_load &&
        nt_loading_create(&b->loading, b->run, given.context, given.context != NULL, &b->error))
        fail_msg("%s", b->error.message);
    setup.context = b->loading;
    size_t nq = (size_t)b->system->space.nq, nv = (size_t)b->system->space.nv;
    b->numbers = calloc(nq + nv + (size_t)b->system->n_memory + 1, sizeof(double));
    double *v = b->numbers + nq, *memory = v + nv;
    nt_run_initial(b->run, b->numbers, v, memory);
    if (nt_static_create(&b->state, &setup, &b->error) ||
        nt_static_start(b->state, 0, b->numbers, NULL, memory, &b->error))
        fail_msg("%s", b->error.message);
}

static inline void open_bench(bench *b, const char *text, nt_static_setup setup)
{
    *b = (bench){0};
    if (nt_model_read_text(&b->model, text, strlen(text), "static", NULL, NULL, 0, &b->error))
        fail_msg("%s", b->error.message);
    begin_bench(b, setup);
}

static inline void close_bench(bench *b)
{
    nt_static_destroy(b->state);
    nt_loading_destroy(b->loading);
    nt_run_destroy(b->run);
    nt_model_destroy(b->model);
    free(b->numbers);
}

static inline void solve(bench *b)
{
    if (nt_static_solve(b->state, &b->error) != NT_OK)
        fail_msg("%s", b->error.message);
}

/* Reading `text` is refused at `line` (0: at any) in words that hold `words`. */
static inline void text_is_refused(const char *text, int line, const char *words)
{
    nt_model *model = NULL;
    nt_error error = {0};
    nt_status status = nt_model_read_text(&model, text, strlen(text), "bad", NULL, NULL, 0, &error);
    nt_model_destroy(model);
    assert_int_equal(status, NT_BAD_MODEL);
    assert_true(line > 0 ? error.line == line : error.line > 0);
    if (!strstr(error.message, words))
        fail_msg("'%s' lacks '%s'", error.message, words);
}

/* The first number of a recorded quantity of the state. */
static inline double number(bench *b, const char *name)
{
    nt_quantity_info quantity;
    nt_state state = nt_static_state(b->state);
    double out[16];
    if (nt_model_quantity(b->model, name, &quantity, &b->error) ||
        nt_run_sample(b->run, &quantity, &state, NULL, out, &b->error))
        fail_msg("%s", b->error.message);
    return out[0];
}

static inline void is_close(const char *what, double got, double expected, double tolerance)
{
    if (!(fabs(got - expected) <= tolerance))
        fail_msg("%s: got %.17g, expected %.17g to %g", what, got, expected, tolerance);
}

#endif
