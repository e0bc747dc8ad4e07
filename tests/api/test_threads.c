/* One model, many runs at the same time: each gives, bit for bit, what it gives alone.
 *
 * Every example runs in eight threads at once, each with other values of its parameters: thread i
 * of the i-th one and of the third behind it, where it has so many. What they race for shows as
 * other bits, and under the thread sanitizer as a report.
 */
#include <nutate/nutate.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pthread.h>

#include <cmocka.h>

#include "tests/each_example.h"

enum { THREADS = 8, STEPS = 12 };

/* What one thread does and finds. */
typedef struct job {
    const nt_model *model;
    int number;  /* of the run: other values of its parameters */
    int threads; /* that evaluate its elements, 0: one         */
    nt_status status;
    nt_error error;
    size_t size, room;
    double *state; /* [size] q, v, vdot, lambda, mu at the end, then samples of all records */
} job;

static void keep(job *j, const double *from, int count)
{
    if (j->size + (size_t)count > j->room) {
        j->room = 2 * j->room + (size_t)count;
        j->state = realloc(j->state, j->room * sizeof *j->state);
        if (!j->state)
            abort();
    }
    memcpy(j->state + j->size, from, (size_t)count * sizeof *from);
    j->size += (size_t)count;
}

static nt_status sample(job *j, nt_run *run, const nt_state *state)
{
    const nt_simulation *simulation = nt_model_simulation(j->model);
    nt_status status = NT_OK;
    for (int i = 0; i < simulation->n_record && status == NT_OK; i++) {
        nt_quantity_info quantity;
        double out[16];
        status = nt_model_quantity(j->model, simulation->record[i], &quantity, &j->error);
        if (status == NT_OK)
            status = nt_run_sample(run, &quantity, state, NULL, out, &j->error);
        if (status == NT_OK)
            keep(j, out, quantity.columns);
    }
    return status;
}

static nt_status advance(job *j, nt_run *run, nt_integrator *integrator)
{
    const nt_system *system = nt_run_system(run);
    const nt_simulation *simulation = nt_model_simulation(j->model);
    double step = simulation->step > 0 ? simulation->step : 1e-3;
    double end = simulation->start + STEPS * step;
    nt_status status =
        nt_integrator_start(integrator, simulation->start, NULL, NULL, NULL, &j->error);
    if (status == NT_OK)
        status = nt_integrator_run(integrator, end, step, NULL, NULL, &j->error);
    if (status != NT_OK)
        return status;
    nt_state state = nt_integrator_state(integrator);
    keep(j, state.q, system->space.nq);
    keep(j, state.v, system->space.nv);
    keep(j, state.vdot, system->space.nv);
    keep(j, state.lambda, system->nh);
    keep(j, state.mu, system->nn);
    return sample(j, run, &state);
}

/* Some examples refuse other values: all alike. */
static void vary(job *j, nt_run *run)
{
    const nt_system *system = nt_run_system(run);
    int n = system->n_parameters;
    double *p = calloc((size_t)n + 1, sizeof *p);
    if (n > 0 && p) {
        system->get_parameters(system->self, p);
        for (int i = j->number % n, last = (i + 3) % n;; i = last) {
            double value = p[i] * (1 + 1e-3 * (j->number + 1)) + (p[i] == 0 ? 1e-6 : 0);
            nt_status set = nt_model_set(run, system->parameter_names[i], value, NULL);
            keep(j, &(double){set}, 1);
            if (i == last)
                break;
        }
    }
    free(p);
}

static nt_status work(job *j)
{
    nt_run *run = NULL;
    nt_integrator *integrator = NULL;
    nt_integrator_setup setup = {0};
    nt_status status = nt_run_create(&run, j->model, &j->error);
    if (status == NT_OK)
        vary(j, run);
    if (status == NT_OK && j->threads > 0)
        status = nt_run_set_threads(run, j->threads, &j->error);
    if (status == NT_OK)
        status = nt_run_setup(run, &setup, &j->error);
    if (status == NT_OK)
        status = nt_integrator_create(&integrator, &setup, &j->error);
    if (status == NT_OK)
        status = advance(j, run, integrator);
    nt_integrator_destroy(integrator);
    nt_run_destroy(run);
    return status;
}

static void *begin(void *argument)
{
    job *j = argument;
    j->status = work(j);
    return NULL;
}

/* A new job in place of an old one. */
static void job_begin(job *j, const nt_model *model, int number, int threads)
{
    free(j->state);
    *j = (job){.model = model, .number = number, .threads = threads};
}

static void compare(void *jobs, const char *path)
{
    job *alone = jobs, *together = alone + THREADS;
    nt_model *model;
    nt_error error = {0};
    pthread_t thread[THREADS];
    if (nt_model_read(&model, path, NULL, 0, &error) != NT_OK)
        fail_msg("%s: %s", path, error.message);
    for (int i = 0; i < THREADS; i++) {
        job_begin(&alone[i], model, i, 0);
        job_begin(&together[i], model, i, 0);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, begin, &together[i]), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    for (int i = 0; i < THREADS; i++) {
        begin(&alone[i]);
        if (alone[i].status != NT_OK)
            fail_msg("%s, run %d: %s", path, i, alone[i].error.message);
        if (together[i].status != NT_OK)
            fail_msg("%s, thread %d: %s", path, i, together[i].error.message);
        assert_int_equal(alone[i].size, together[i].size);
        if (memcmp(alone[i].state, together[i].state, alone[i].size * sizeof(double)) != 0)
            fail_msg("%s: thread %d gives other bits than alone", path, i);
    }
    nt_model_destroy(model);
}

static void compare_threads(void *jobs, const char *path)
{
    job *alone = jobs, *together = alone + THREADS;
    nt_model *model;
    nt_error error = {0};
    if (nt_model_read(&model, path, NULL, 0, &error) != NT_OK)
        fail_msg("%s: %s", path, error.message);
    job_begin(alone, model, 0, 0);
    begin(alone);
    for (int threads = 2; threads <= 5; threads += threads == 3 ? 2 : 1) {
        job_begin(together, model, 0, threads);
        begin(together);
        if (together->status != NT_OK)
            fail_msg("%s, %d threads: %s", path, threads, together->error.message);
        assert_int_equal(alone->size, together->size);
        if (memcmp(alone->state, together->state, alone->size * sizeof(double)) != 0)
            fail_msg("%s: %d threads give other bits than one", path, threads);
    }
    nt_model_destroy(model);
}

static void for_all_examples(void (*compare_runs)(void *jobs, const char *path))
{
    job *jobs = calloc(2 * THREADS, sizeof *jobs);
    assert_non_null(jobs);
    assert_true(for_each_example(compare_runs, jobs) > 70);
    for (int i = 0; i < 2 * THREADS; i++)
        free(jobs[i].state);
    free(jobs);
}

static void runs_at_once_give_the_bits_of_runs_alone(void **state)
{
    (void)state;
    for_all_examples(compare);
}

static void threads_of_a_run_give_the_bits_of_one(void **state)
{
    (void)state;
    for_all_examples(compare_threads);
}

static void a_number_of_threads_that_is_none_is_refused(void **state)
{
    (void)state;
    static const char text[] = "nutate: 1\nbodies: {one: {mass: 1}}\n";
    nt_model *model;
    nt_run *run;
    nt_error error = {0};
    assert_int_equal(nt_model_read_text(&model, text, strlen(text), "text", NULL, NULL, 0, &error),
                     NT_OK);
    assert_int_equal(nt_run_create(&run, model, &error), NT_OK);
    assert_int_equal(nt_run_set_threads(run, 0, &error), NT_INVALID);
    assert_int_equal(nt_run_set_threads(run, 257, &error), NT_INVALID);
    assert_non_null(strstr(error.message, "expected 1 to 256"));
    nt_run_destroy(run);
    nt_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_at_once_give_the_bits_of_runs_alone),
        cmocka_unit_test(threads_of_a_run_give_the_bits_of_one),
        cmocka_unit_test(a_number_of_threads_that_is_none_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
