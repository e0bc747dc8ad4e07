/* Looking never changes a run: over all examples and all methods that can run each, the bits of the
 * states are the same with nothing looked at, with everything recorded, with dense output, with
 * reactions and drift, with a save between the steps, and with all of these; and going on from a
 * saved state, in the same integrator or in another, gives the bits of going on without. All
 * comparisons are of bytes. Called with the argument `large` it takes the examples of many unknowns
 * alone, over few steps; of the others every second one, and with `other` the rest. */
#include "api/runs.h"
#include "base/target.h"
#include "tests/each_example.h"

#include <math.h>
#include <nutate/output.h>

/* An example of more unknowns than these is large, and is looked at over fewer steps. */
enum { MANY_UNKNOWNS = 400 };

/* Under a sanitizer, which takes five times as long, fewer: without it all are made. */
#ifdef NT_ADDRESS_SANITIZER
enum { STEPS = 24, FEW_STEPS = 2 };
#else
enum { STEPS = 60, FEW_STEPS = 3 };
#endif

/* Equal steps; with a tangent that is kept; variable steps by a tolerance. */
typedef enum variant { PLAIN, REUSE, TOLERANCE, VARIANTS } variant;
static const char *const variant_words[] = {"", " with reuse_tangent", " with a tolerance"};

enum looks { RECORD = 1, DENSE = 2, REACTIONS = 4, SAVE = 8, EVERYTHING = 15 };

typedef struct example {
    const char *path;
    nt_model *model;
    nt_run *run;
    const nt_system *system;
    const nt_simulation *simulation;
    bool large;
    int steps;
    int within; /* a method that needs more steps for one of the model is looked at after so many */
} example;

/* What a run left after each step: all of a state, one after the other. */
typedef struct trace {
    int steps; /* that stand */
    nt_status status;
    size_t size; /* doubles of a state */
    double *all;
} trace;

static size_t state_size(const nt_system *s)
{
    return (size_t)(2 + s->space.nq + 2 * s->space.nv + s->nh + s->nn + s->n_memory);
}

static void append(double **to, const double *from, int n)
{
    if (n > 0)
        memcpy(*to, from, (size_t)n * sizeof **to);
    *to += n;
}

static void note(trace *t, const nt_system *s, const nt_integrator *it)
{
    nt_state state = nt_integrator_state(it);
    double *to = t->all + (size_t)t->steps++ * t->size;
    *to++ = state.t;
    *to++ = state.step;
    append(&to, state.q, s->space.nq);
    append(&to, state.v, s->space.nv);
    append(&to, state.vdot, s->space.nv);
    append(&to, state.lambda, s->nh);
    append(&to, state.mu, s->nn);
    append(&to, state.memory, s->n_memory);
}

static trace trace_create(const example *e)
{
    trace t = {.size = state_size(e->system)};
    t.all = calloc(((size_t)e->steps + 1) * t.size, sizeof *t.all);
    assert_non_null(t.all);
    return t;
}

/* The last one that a failed step left too. */
static void assert_alike(const trace *a, const trace *b, const char *words)
{
    if (a->steps != b->steps || a->status != b->status)
        fail_msg("%s: %d steps and '%s', without it %d and '%s'", words, b->steps,
                 nt_status_text(b->status), a->steps, nt_status_text(a->status));
    for (int i = 0; i < a->steps; i++)
        for (size_t k = 0; k < a->size; k++) {
            const double *x = a->all + (size_t)i * a->size + k;
            const double *y = b->all + (size_t)i * b->size + k;
            if (memcmp(x, y, sizeof *x) != 0)
                fail_msg("%s: step %d, number %zu is %.17g, without it %.17g", words, i, k, *y, *x);
        }
}

/* ---- runs ----------------------------------------------------------------------------------- */

static nt_integrator *begin_run(const example *e, const nt_method *method, variant way, bool work)
{
    static const nt_option keep = {"reuse_tangent", "true"};
    nt_integrator *it;
    nt_error error = {0};
    nt_integrator_setup setup = {.system = e->system,
                                 .method = method,
                                 .options = &keep,
                                 .n_options = way == REUSE,
                                 .frame = e->simulation->frame,
                                 .track_work = work};
    for (int i = 0; i < 4; i++)
        setup.tolerance[i] = way == TOLERANCE ? 1e-5 : 0;
    must(nt_integrator_create(&it, &setup, &error), &error);
    return it;
}

static void look_within(nt_integrator *it)
{
    nt_state state, last = nt_integrator_state(it);
    for (int k = 1; k < 4;
         k++) /* what has no value in the last step is refused, which is a look too */
        (void)nt_integrator_dense(it, last.t - last.step + k * last.step / 4, &state);
}

static void look_at_reactions(const example *e, nt_integrator *it)
{
    nt_error error = {0};
    double drift[2], *out = calloc((size_t)(e->system->nh + e->system->nn) + 1, sizeof *out);
    assert_non_null(out);
    nt_state state = nt_integrator_state(it);
    must(nt_integrator_reactions(it, &state, 3 * nt_run_length(e->run), out, &error), &error);
    must(nt_integrator_drift(it, &drift[0], &drift[1]), &error);
    free(out);
}

static void look_by_saving(const nt_integrator *it)
{
    void *bytes = malloc(nt_integrator_saved_size(it));
    assert_non_null(bytes);
    nt_integrator_save(it, bytes);
    free(bytes);
}

/* How many more steps may be taken. */
static int took_enough(void *left, const nt_integrator *it)
{
    (void)it;
    return --*(int *)left == 0;
}

static nt_status go_step(const example *e, nt_integrator *it, int i)
{
    nt_error error = {0};
    double h = e->simulation->step, begin = e->simulation->start;
    int left = e->within;
    nt_status status = nt_integrator_run(it, begin + (i + 1) * h, h, took_enough, &left, &error);
    return status == NT_INTERRUPTED ? NT_OK : status;
}

/* Steps from `first` on. */
static void go(const example *e, nt_integrator *it, int looks, nt_record *record, int first,
               trace *t)
{
    nt_error error = {0};
    for (int i = first; i < e->steps && t->status == NT_OK; i++) {
        t->status = go_step(e, it, i);
        if (t->status == NT_OK)
            note(t, e->system, it);
        if (t->status == NT_OK && record) {
            nt_state state = nt_integrator_state(it);
            nt_status written = nt_record_write(record, it, &state, &error);
            /* work without a value, of a motion that diverges, is refused, which is a look too */
            if (written != NT_NOT_FINITE || !isnan(state.work))
                must(written, &error);
        }
        if (t->status == NT_OK && looks & DENSE)
            look_within(it);
        if (t->status == NT_OK && looks & REACTIONS)
            look_at_reactions(e, it);
        if (looks & SAVE)
            look_by_saving(it);
    }
}

/* A whole run, looked at. */
static trace run_with(const example *e, const nt_method *method, variant way, int looks)
{
    nt_error error = {0};
    nt_record *record = NULL;
    nt_integrator *it = begin_run(e, method, way, looks & RECORD && nt_model_has_power(e->model));
    trace t = trace_create(e);
    t.status = nt_integrator_start(it, e->simulation->start, NULL, NULL, NULL, &error);
    if (t.status == NT_OK)
        note(&t, e->system, it);
    if (looks & RECORD)
        must(nt_record_open(&record, e->run, "look.csv", NT_CSV, "", &error), &error);
    go(e, it, looks, record, 0, &t);
    if (record)
        must(nt_record_close(record, &error), &error);
    nt_integrator_destroy(it);
    return t;
}

/* Saved half way: on, back and on again, and on in another integrator. */
static void go_on_from_a_state(const example *e, const nt_method *method, variant way,
                               const trace *plain, const char *words)
{
    nt_error error = {0};
    nt_integrator *it = begin_run(e, method, way, false);
    nt_integrator *other = begin_run(e, method, way, false);
    trace t = trace_create(e);
    size_t size = nt_integrator_saved_size(it);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    t.status = nt_integrator_start(it, e->simulation->start, NULL, NULL, NULL, &error);
    note(&t, e->system, it);
    int half = e->steps / 2;
    for (int i = 0; i < half && t.status == NT_OK; i++) {
        t.status = go_step(e, it, i);
        if (t.status == NT_OK)
            note(&t, e->system, it);
    }
    if (t.status == NT_OK) {
        const trace here = t;
        nt_integrator_save(it, bytes);
        go(e, it, 0, NULL, half, &t);
        assert_alike(plain, &t, words);
        nt_integrator *two[] = {it, other};
        for (int k = 0; k < 2; k++) {
            must(nt_integrator_restore(two[k], bytes, size, &error), &error);
            t = here;
            go(e, two[k], 0, NULL, half, &t);
            if (strcmp(nt_method_name(method), "bdf") != 0) /* begins anew: test_bdf_runs.c */
                assert_alike(plain, &t, words);
        }
    }
    free(bytes);
    free(t.all);
    nt_integrator_destroy(it);
    nt_integrator_destroy(other);
}

/* ---- all examples --------------------------------------------------------------------------- */

static bool can(const nt_method *method, const nt_system *system, variant way)
{
    int count;
    if (way == PLAIN)
        return nt_method_check_system(method, system, NULL) == NT_OK;
    if (way == TOLERANCE)
        return nt_method_check_tolerance(method, system, NULL) == NT_OK;
    const nt_option_key *keys = nt_method_options(method, &count);
    for (int i = 0; i < count; i++)
        if (strcmp(keys[i].name, "reuse_tangent") == 0)
            return true;
    return false;
}

static void look_at(const example *e, const nt_method *method, variant way)
{
    static const int looks[] = {RECORD, DENSE, REACTIONS, SAVE, EVERYTHING};
    static const char *const names[] = {"records", "dense output", "reactions and drift", "saving",
                                        "everything"};
    trace plain = run_with(e, method, way, 0);
    char words[400];
    for (int k = 0; k < COUNT(looks); k++) {
#ifdef NT_ADDRESS_SANITIZER
        if (e->large && looks[k] != EVERYTHING)
            continue;
#endif
        trace seen = run_with(e, method, way, looks[k]);
        snprintf(words, sizeof words, "%s by %s%s, %s", e->path, nt_method_name(method),
                 variant_words[way], names[k]);
        assert_alike(&plain, &seen, words);
        free(seen.all);
    }
    snprintf(words, sizeof words, "%s by %s%s, saved and restored", e->path, nt_method_name(method),
             variant_words[way]);
    go_on_from_a_state(e, method, way, &plain, words);
    free(plain.all);
}

/* The file's records and all of the whole. */
static void read_with_records(example *e)
{
    nt_error error = {0};
    must(nt_model_read(&e->model, e->path, NULL, 0, &error), &error);
    char list[4000] = "[energy, momentum, angular_momentum, constraint_drift, step_size";
    e->simulation = nt_model_simulation(e->model);
    static const char *const whole[] = {"energy", "momentum", "angular_momentum",
                                        "constraint_drift", "step_size"};
    for (int i = 0; i < e->simulation->n_record; i++) {
        bool there = false;
        for (int k = 0; k < COUNT(whole); k++)
            there |= strncmp(whole[k], e->simulation->record[i], strlen(whole[k])) == 0;
        size_t used = strlen(list);
        if (!there)
            snprintf(list + used, sizeof list - used, ", %s", e->simulation->record[i]);
    }
    snprintf(list + strlen(list), sizeof list - strlen(list), "]");
    nt_model_destroy(e->model);
    const nt_setting record = {"output.record", list};
    must(nt_model_read(&e->model, e->path, &record, 1, &error), &error);
    must(nt_run_create(&e->run, e->model, &error), &error);
    e->system = nt_run_system(e->run);
    e->simulation = nt_model_simulation(e->model);
}

/* Which examples are looked at, and how many runs of them were; of those of few unknowns, every
 * second one, from the first or the second on. */
typedef struct looked {
    bool large;
    int half;
    int small; /* of few unknowns, come across */
    int count;
} looked;

static void look_at_example(void *to, const char *path)
{
    looked *all = to;
    example e = {.path = path};
    int count = 0;
    read_with_records(&e);
    e.large = e.system->space.nv + e.system->nh + e.system->nn > MANY_UNKNOWNS;
    e.steps = e.large ? FEW_STEPS : STEPS;
    e.within = e.large ? 2 : 8;
    bool wanted = e.large ? all->large : !all->large && all->small++ % 2 == all->half;
    for (int i = 0; i < nt_method_count() && wanted; i++) {
        const nt_method *method = nt_method_at(i);
        for (variant way = PLAIN; way < VARIANTS; way++)
            if (can(method, e.system, PLAIN) && can(method, e.system, way)) {
                look_at(&e, method, way);
                count++;
            }
    }
    if (wanted && count == 0)
        fail_msg("%s: no method can run it", path);
    all->count += count;
    nt_run_destroy(e.run);
    nt_model_destroy(e.model);
}

static void looking_changes_nothing(int half)
{
    looked small = {.half = half};
    assert_true(for_each_example(look_at_example, &small) > 70);
    assert_true(small.count > 150);
}

static void looking_changes_nothing_of_one_half(void **unused)
{
    (void)unused;
    looking_changes_nothing(0);
}

static void looking_changes_nothing_of_the_other(void **unused)
{
    (void)unused;
    looking_changes_nothing(1);
}

static void looking_changes_nothing_of_many_unknowns(void **unused)
{
    (void)unused;
    looked large = {.large = true};
    for_each_example(look_at_example, &large);
    assert_true(large.count > 100);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest one[] = {cmocka_unit_test(looking_changes_nothing_of_one_half)};
    const struct CMUnitTest other[] = {cmocka_unit_test(looking_changes_nothing_of_the_other)};
    const struct CMUnitTest large[] = {cmocka_unit_test(looking_changes_nothing_of_many_unknowns)};
    if (argc > 1 && strcmp(argv[1], "large") == 0)
        return cmocka_run_group_tests(large, NULL, NULL);
    if (argc > 1 && strcmp(argv[1], "other") == 0)
        return cmocka_run_group_tests(other, NULL, NULL);
    return cmocka_run_group_tests(one, NULL, NULL);
}
