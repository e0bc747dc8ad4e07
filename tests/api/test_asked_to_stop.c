/* What computes for long asks whether to stop (nt_stop_request): here somebody wants it to from the
 * n-th question on, for many n. The call then ends with NT_INTERRUPTED, without one evaluation more
 * and after few questions; the state that stands is one of those of the run that was never asked,
 * bit for bit; and where nobody wants to stop no bit changes. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <nutate/nutate.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char folder[] = NUTATE_SOURCE_DIR "/examples/";

static void must(nt_status status, const nt_error *error)
{
    if (status != NT_OK)
        fail_msg("%s: %s", nt_status_text(status), error->message);
}

/* The number of the question that is the first to be answered by yes; 0: none is. */
static long asked, yes_from, asked_more;

static int answer(void *context)
{
    (void)context;
    asked++;
    if (yes_from == 0 || asked < yes_from)
        return 0;
    asked_more++;
    return 1;
}

static void ask_from(long n) { yes_from = n, asked = asked_more = 0; }

/* ---- the system, whose evaluations are counted ---------------------------------------------- */

static nt_status (*evaluate_itself)(void *self, const nt_point *at, const nt_terms *terms);
static long evaluations, late; /* all; those after a yes */

static nt_status evaluate_counted(void *self, const nt_point *at, const nt_terms *terms)
{
    evaluations++;
    late += asked_more > 0;
    return evaluate_itself(self, at, terms);
}

/* ---- integrators ---------------------------------------------------------------------------- */

enum { STATES = 4000, QUESTIONS = 40 };

/* How many questions may follow the first yes: whoever has several ways to go on asks on each. */
enum { MORE = 100 };

typedef struct trace {
    double t[STATES];
    double *q[STATES];
    int n;
    size_t nq;
} trace;

static int note(void *context, const nt_integrator *integrator)
{
    trace *to = context;
    nt_state state = nt_integrator_state(integrator);
    assert_true(to->n < STATES);
    to->t[to->n] = state.t;
    to->q[to->n] = malloc(to->nq * sizeof(double));
    assert_non_null(to->q[to->n]);
    memcpy(to->q[to->n++], state.q, to->nq * sizeof(double));
    return 0;
}

static void forget(trace *of)
{
    for (int i = 0; i < of->n; i++)
        free(of->q[i]);
    of->n = 0;
}

typedef struct subject {
    nt_model *model;
    nt_run *run;
    nt_system system;
    nt_integrator_setup setup;
    double start, end, h;
} subject;

static nt_status begin_run(const subject *s, bool asks, nt_integrator **integrator, nt_error *error)
{
    nt_integrator_setup setup = s->setup;
    setup.stop.requested = asks ? answer : NULL;
    must(nt_integrator_create(integrator, &setup, error), error);
    return nt_integrator_start(*integrator, s->start, NULL, NULL, NULL, error);
}

/* Answered by yes from question n on: it ends so, and the state is one of the whole run's. */
static void stop_at(const subject *s, long n, const trace *whole)
{
    nt_error error = {0};
    nt_integrator *integrator;
    ask_from(n);
    late = 0;
    nt_status status = begin_run(s, true, &integrator, &error);
    bool started = status == NT_OK;
    if (started)
        status = nt_integrator_run(integrator, s->end, s->h, NULL, NULL, &error);
    if (status != NT_INTERRUPTED)
        fail_msg("%s, question %ld: %s: %s", nt_method_name(s->setup.method), n,
                 nt_status_text(status), error.message);
    assert_int_equal(error.status, NT_INTERRUPTED);
    assert_int_equal(late, 0);
    if (asked_more > MORE)
        fail_msg("%s, question %ld: %ld more", nt_method_name(s->setup.method), n, asked_more);
    if (!started) {
        nt_integrator_destroy(integrator);
        return;
    }
    nt_state state = nt_integrator_state(integrator);
    bool known = false;
    for (int i = 0; i < whole->n; i++)
        known = known || (state.t == whole->t[i] &&
                          memcmp(state.q, whole->q[i], whole->nq * sizeof(double)) == 0);
    if (!known)
        fail_msg("%s, question %ld: a state at t = %.17g that the run does not have",
                 nt_method_name(s->setup.method), n, state.t);
    ask_from(0);
    must(nt_integrator_run(integrator, s->end, s->h, NULL, NULL, &error), &error);
    assert_true(nt_integrator_state(integrator).t >= s->end ||
                nt_integrator_ended_by(integrator) >= 0);
    nt_integrator_destroy(integrator);
}

/* Runs that nobody can ask and that nobody wants to stop are the same. */
static long run_whole(const subject *s, trace *whole)
{
    nt_error error = {0};
    nt_integrator *plain, *asks;
    static trace other;
    whole->nq = other.nq = (size_t)s->system.space.nq;
    ask_from(0);
    must(begin_run(s, false, &plain, &error), &error);
    note(&other, plain);
    must(nt_integrator_run(plain, s->end, s->h, note, &other, &error), &error);
    assert_int_equal(asked, 0);
    must(begin_run(s, true, &asks, &error), &error);
    note(whole, asks);
    evaluations = 0;
    must(nt_integrator_run(asks, s->end, s->h, note, whole, &error), &error);
    if (asked < evaluations)
        fail_msg("%s: %ld evaluations and %ld questions", nt_method_name(s->setup.method),
                 evaluations, asked);
    assert_int_equal(whole->n, other.n);
    for (int i = 0; i < whole->n; i++)
        assert_memory_equal(whole->q[i], other.q[i], whole->nq * sizeof(double));
    forget(&other);
    nt_integrator_destroy(plain);
    nt_integrator_destroy(asks);
    return asked;
}

/* In n places of the run, near its begin and all along. */
static void stop_everywhere(const subject *s)
{
    static trace whole;
    long questions = run_whole(s, &whole);
    for (int k = 1; k <= QUESTIONS; k++) {
        long n = k <= QUESTIONS / 2 ? k : k * questions / QUESTIONS;
        if (n <= questions)
            stop_at(s, n, &whole);
    }
    forget(&whole);
}

static void open_subject(subject *s, const char *name, const nt_setting *settings, int n)
{
    char path[400];
    nt_error error = {0};
    *s = (subject){0};
    snprintf(path, sizeof path, "%s%s", folder, name);
    must(nt_model_read(&s->model, path, settings, n, &error), &error);
    must(nt_run_create(&s->run, s->model, &error), &error);
    s->system = *nt_run_system(s->run);
    evaluate_itself = s->system.evaluate;
    s->system.evaluate = evaluate_counted;
    must(nt_run_setup(s->run, &s->setup, &error), &error);
    const nt_simulation *simulation = nt_model_simulation(s->model);
    s->setup.system = &s->system;
    s->start = simulation->start;
    s->h = simulation->step;
}

static void close_subject(subject *s)
{
    nt_run_destroy(s->run);
    nt_model_destroy(s->model);
}

/* Every method that can advance the model, by the number of its steps. */
static int by_all_methods(const char *name, int steps, double h)
{
    int count = 0;
    subject s;
    open_subject(&s, name, NULL, 0);
    if (h > 0)
        s.h = h;
    s.end = s.start + steps * s.h;
    for (int i = 0; i < nt_method_count(); i++) {
        nt_integrator_setup setup = {.system = &s.system, .method = nt_method_at(i)};
        if (nt_method_check_system(setup.method, &s.system, NULL) != NT_OK)
            continue;
        s.setup = setup;
        stop_everywhere(&s);
        count++;
        if (!nt_method_controls_error(setup.method))
            continue;
        for (int k = 0; k < 4; k++)
            s.setup.tolerance[k] = 1e-6;
        stop_everywhere(&s);
    }
    close_subject(&s);
    return count;
}

static void by_every_method(void **state)
{
    (void)state;
    assert_true(by_all_methods("free_body/free_body.yaml", 6, 0) >= nt_method_count() - 2);
}

static void with_constraints(void **state)
{
    (void)state;
    assert_true(by_all_methods("heavy_top/heavy_top.yaml", 6, 0) >= 5);
}

static void with_redundant_rows(void **state)
{
    (void)state;
    assert_true(by_all_methods("bricard/bricard.yaml", 4, 0) >= 5);
}

static void with_events(void **state)
{
    (void)state;
    subject s;
    open_subject(&s, "bouncing_ball/bouncing_ball.yaml", NULL, 0);
    s.end = nt_model_simulation(s.model)->duration;
    stop_everywhere(&s);
    close_subject(&s);
}

/* Steps that are halved again and again are where a run takes long. */
static void while_steps_are_halved(void **state)
{
    (void)state;
    static const nt_option few[] = {{"max_iterations", "3"}};
    subject s;
    open_subject(&s, "heavy_top/heavy_top.yaml", NULL, 0);
    s.setup.method = nt_method_find("generalized-alpha");
    s.setup.options = few, s.setup.n_options = 1;
    s.h = 0.02, s.end = 0.1;
    stop_everywhere(&s);
    close_subject(&s);
}

/* ---- analyses ------------------------------------------------------------------------------- */

typedef nt_status (*analysis)(nt_run *run, nt_error *error);

static nt_status find_rest(nt_run *run, nt_error *error)
{
    nt_reference *reference = NULL;
    nt_status status = nt_reference_create(&reference, run, NT_ABOUT_STATIC, error);
    nt_reference_destroy(reference);
    return status;
}

static nt_status modes_of(nt_run *run, bool sparse, nt_error *error)
{
    nt_reference *reference = NULL;
    nt_modes *modes = NULL;
    nt_status status = nt_reference_create(&reference, run, NT_ABOUT_STATIC, error);
    nt_state at = nt_reference_state(reference);
    nt_modes_setup setup = {
        .system = nt_run_system(run), .state = &at, .count = sparse ? 3 : 0, .sparse = sparse};
    if (status == NT_OK)
        status = nt_modes_create(&modes, &setup, error);
    nt_modes_destroy(modes);
    nt_reference_destroy(reference);
    return status;
}

static nt_status find_modes(nt_run *run, nt_error *error) { return modes_of(run, false, error); }
static nt_status find_few_modes(nt_run *run, nt_error *error) { return modes_of(run, true, error); }

static nt_status follow_loads(nt_run *run, nt_error *error)
{
    nt_static *state = NULL;
    nt_loading *loading = NULL;
    nt_static_setup setup = {0};
    const nt_static_path path = {.from = 0, .to = 1, .arc_length = 1};
    const nt_system *system = nt_run_system(run);
    double *q =
        calloc((size_t)(system->space.nq + system->space.nv + system->n_memory) + 1, sizeof *q);
    assert_non_null(q);
    double *v = q + system->space.nq, *memory = v + system->space.nv;
    nt_run_initial(run, q, v, memory);
    nt_status status = nt_loading_create(&loading, run, NULL, 0, error);
    if (status == NT_OK)
        status = nt_run_static_setup(run, &setup, error);
    setup.set_load = nt_loading_apply, setup.context = loading;
    if (status == NT_OK)
        status = nt_static_create(&state, &setup, error);
    if (status == NT_OK)
        status = nt_static_start(state, 0, q, v, memory, error);
    if (status == NT_OK)
        status = nt_static_follow(state, &path, error);
    nt_loading_apply(loading, 1);
    nt_static_destroy(state);
    nt_loading_destroy(loading);
    free(q);
    return status;
}

static void stop_analysis(const char *name, analysis analyse)
{
    subject s;
    nt_error error = {0};
    open_subject(&s, name, NULL, 0);
    nt_run_stop_when(s.run, answer, NULL);
    ask_from(0);
    must(analyse(s.run, &error), &error);
    long questions = asked;
    assert_true(questions > 5);
    for (int k = 1; k <= QUESTIONS; k++) {
        long n = k <= QUESTIONS / 2 ? k : k * questions / QUESTIONS;
        if (n > questions)
            continue;
        ask_from(n);
        nt_status status = analyse(s.run, &error);
        if (status != NT_INTERRUPTED)
            fail_msg("%s, question %ld of %ld: %s: %s", name, n, questions, nt_status_text(status),
                     error.message);
        assert_int_equal(error.status, NT_INTERRUPTED);
        if (asked_more > MORE)
            fail_msg("%s, question %ld of %ld: %ld more", name, n, questions, asked_more);
    }
    ask_from(0);
    must(analyse(s.run, &error), &error);
    close_subject(&s);
}

static void of_static_states(void **state)
{
    (void)state;
    stop_analysis("catenary/catenary.yaml", find_rest);
    stop_analysis("two_bar_truss/two_bar_truss.yaml", follow_loads);
    stop_analysis("deep_arch/deep_arch.yaml", follow_loads);
}

static void of_modes(void **state)
{
    (void)state;
    stop_analysis("car_suspension/car_suspension.yaml", find_modes);
    stop_analysis("rotating_beam/rotating_beam.yaml", find_few_modes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_every_method),
        cmocka_unit_test(with_constraints),
        cmocka_unit_test(with_redundant_rows),
        cmocka_unit_test(with_events),
        cmocka_unit_test(while_steps_are_halved),
        cmocka_unit_test(of_static_states),
        cmocka_unit_test(of_modes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
