/* What looks at a run, stops it or goes on with it changes no bit of it: random mechanisms by every
 * method that takes them, in equal and in controlled steps,
 *
 *   - alone;
 *   - with rows of everything between its steps, reactions among them;
 *   - saved in the middle, which goes on in another run and integrator of the same model.
 *
 *   random_test_resumed [NUMBER [FIRST-SEED]] */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <nutate/nutate.h>
#include <stdlib.h>
#include <string.h>

#include "random/mechanism.h"

enum { WORDS = 240, NAMES = 40 };

/* A run with its model; `at` saves at that step, 0: never; it counts the looks. */
typedef struct motion {
    nt_model *model;
    nt_run *run;
    nt_integrator *integrator;
    nt_record *record;
    void *saved;
    long at, steps;
    double end, h;
    nt_error error;
} motion;

static nt_status take_row(void *taker, const double *values, int n)
{
    (void)taker, (void)values, (void)n;
    return NT_OK;
}

static int each_step(void *context, const nt_integrator *it)
{
    motion *m = context;
    if (++m->steps == m->at && nt_integrator_saves_whole(it)) {
        m->saved = malloc(nt_integrator_saved_size(it));
        if (m->saved)
            nt_integrator_save(it, m->saved);
    }
    return m->record && nt_record_advance(m->record, m->integrator, &m->error) != NT_OK;
}

/* False where the model, or the method, does not take the other. */
static bool open_motion(motion *m, const char *text, bool recorded)
{
    nt_integrator_setup setup = {0};
    const nt_setting often = {"output.every", "0.0037"};
    if (nt_model_read_text(&m->model, text, strlen(text), "random", NULL, &often, 1, &m->error) !=
            NT_OK ||
        nt_run_create(&m->run, m->model, &m->error) != NT_OK ||
        nt_run_setup(m->run, &setup, &m->error) != NT_OK ||
        nt_method_check_system(setup.method, setup.system, &m->error) != NT_OK ||
        nt_integrator_create(&m->integrator, &setup, &m->error) != NT_OK ||
        nt_integrator_start(m->integrator, 0, NULL, NULL, NULL, &m->error) != NT_OK)
        return false;
    m->end = nt_model_simulation(m->model)->duration;
    m->h = nt_model_simulation(m->model)->step;
    const nt_record_setup to = {.run = m->run, .take_row = take_row};
    if (!recorded)
        return true;
    nt_state state = nt_integrator_state(m->integrator);
    return nt_record_create(&m->record, &to, &m->error) == NT_OK &&
           nt_record_write(m->record, m->integrator, &state, &m->error) == NT_OK;
}

/* As the command does: equal steps end at multiples of h wherever the run begins. */
static bool go(motion *m)
{
    nt_integrator *it = m->integrator;
    if (nt_integrator_is_variable(it))
        return nt_integrator_run(it, m->end, m->h, each_step, m, &m->error) == NT_OK;
    nt_status status = NT_OK;
    for (long n = lround(m->end / m->h); status == NT_OK && m->steps < n;) {
        double t = nt_integrator_state(it).t, to = (double)(m->steps + 1) * m->h;
        status = nt_integrator_run(it, to, to - t, each_step, m, &m->error);
    }
    return status == NT_OK;
}

static void close_motion(motion *m)
{
    if (m->record)
        nt_record_close(m->record, NULL);
    nt_integrator_destroy(m->integrator);
    nt_run_destroy(m->run);
    nt_model_destroy(m->model);
    free(m->saved);
}

static bool same(const char *words, const motion *a, const motion *b)
{
    const nt_system *s = nt_run_system(a->run);
    nt_state x = nt_integrator_state(a->integrator), y = nt_integrator_state(b->integrator);
    bool are = x.t == y.t && a->steps == b->steps;
    are = are && memcmp(x.q, y.q, (size_t)s->space.nq * sizeof *x.q) == 0;
    are = are && memcmp(x.v, y.v, (size_t)s->space.nv * sizeof *x.v) == 0;
    are = are && memcmp(x.vdot, y.vdot, (size_t)s->space.nv * sizeof *x.v) == 0;
    are = are && (s->nh == 0 || memcmp(x.lambda, y.lambda, (size_t)s->nh * sizeof *x.v) == 0);
    are = are && (s->nn == 0 || memcmp(x.mu, y.mu, (size_t)s->nn * sizeof *x.v) == 0);
    if (!are)
        printf("%s: other bits, %ld and %ld steps to t = %.17g and %.17g s\n", words, a->steps,
               b->steps, x.t, y.t);
    return are;
}

/* 1: the same bits; 0: not taken, or the run fails; -1: others. */
static int check(const char *text, const char *words)
{
    motion alone = {0}, watched = {0}, resumed = {0};
    int verdict = open_motion(&alone, text, false) && go(&alone) ? 1 : 0;
    watched.at = alone.steps / 2;
    if (verdict == 1 && (!open_motion(&watched, text, true) || !go(&watched))) {
        printf("%s: with rows it fails: %s\n", words, watched.error.message);
        verdict = -1;
    }
    if (verdict == 1 && !same(words, &alone, &watched))
        verdict = -1;
    if (verdict == 1 && watched.saved) {
        size_t size = nt_integrator_saved_size(watched.integrator);
        bool good = open_motion(&resumed, text, false);
        resumed.steps = watched.at;
        good = good && nt_integrator_restore(resumed.integrator, watched.saved, size,
                                             &resumed.error) == NT_OK;
        if (!good || !go(&resumed) || !same(words, &alone, &resumed)) {
            printf("%s: resumed at step %ld: %s\n", words, watched.at, resumed.error.message);
            verdict = -1;
        }
    }
    close_motion(&alone);
    close_motion(&watched);
    close_motion(&resumed);
    return verdict;
}

int main(int count, char **arguments)
{
    static mechanism m;
    long number = count > 1 ? atol(arguments[1]) : 12, first = count > 2 ? atol(arguments[2]) : 1;
    long right[NAMES] = {0}, wrong = 0;
    for (long seed = first; seed < first + number; seed++) {
        mechanism_make(&m, (uint64_t)seed);
        m.duration = fmin(m.duration, 0.05);
        for (int i = 0; i < nt_method_count(); i++) {
            const nt_method *method = nt_method_at(i);
            char simulation[WORDS - 40], words[WORDS], *text = NULL;
            size_t size;
            bool controls = nt_method_controls_error(method) && seed % 2;
            snprintf(simulation, sizeof simulation, "method: %s, step: 1e-3%s",
                     nt_method_name(method), controls ? ", tolerance: 1e-6" : "");
            snprintf(words, WORDS, "seed %ld, %s", seed, simulation);
            FILE *to = open_memstream(&text, &size);
            if (!to)
                return 1;
            mechanism_write(&m, simulation, to);
            fclose(to);
            int verdict = check(text, words);
            right[i] += verdict > 0;
            wrong += verdict < 0;
            free(text);
        }
    }
    for (int i = 0; i < nt_method_count(); i++)
        if (right[i])
            printf("%s: %ld\n", nt_method_name(nt_method_at(i)), right[i]);
    printf("seeds %ld to %ld: %ld wrong\n", first, first + number - 1, wrong);
    return wrong > 0 || right[0] == 0;
}
