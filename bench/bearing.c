/* Seconds for a simulated second of the bearing of papers/modin/b1.yaml, by the splitting methods
 * and by BDF at about the same error, and its contact forces by themselves.
 *
 *   bearing MODEL          the table
 *   bearing MODEL --check  only that everything runs, with the same bits for any number of threads
 *
 * Targets, s: 1.3 for semi-explicit-2 at an error of 1e-3 of the loads, 4 for the paper's method at
 * h = 1e-6 s; BDF five times the first at errors of 1e-2 to 1e-3: these settings of it are the
 * fastest of 48 at their errors. Errors are those of papers/modin/b1.h, over the first 2 ms, where
 * the balls catch the cage: the first column is the time of these 2 ms, to be compared at these
 * errors. The second is that of the 9 ms after 1 ms, in which less happens and BDF's steps grow. */
#include "measure.h"

#include <nutate/nutate.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct way {
    const char *name, *method;
    nt_option option;
    double step, tolerance;
    double target; /* s per simulated second; 0: none */
} way;

static const way ways[] = {
    {"semi-explicit-2, h = 3.33 us, error 7e-4", "semi-explicit-2", {0}, 1e-5 / 3, 0, 1.3},
    {"the same, steps by eigenvalues", "semi-explicit-2", {"steps", "eigenvalue"}, 1e-6, 0, 0},
    {"semi-explicit, h = 1 us, error 2e-3", "semi-explicit", {0}, 1e-6, 0, 4},
    {"bdf, tolerance 6e-4, error 8e-3", "bdf", {"indentation", "3e-6"}, 1e-6, 6.31e-4, 0},
    {"bdf, tolerance 1e-4, error 8e-4", "bdf", {"indentation", "3e-6"}, 1e-6, 1e-4, 0},
};
enum { WAYS = sizeof ways / sizeof *ways, STATE = 400 };

typedef struct bearing {
    nt_model *model;
    nt_run *run;
    nt_integrator *integrator;
} bearing;

static void bearing_close(bearing *b)
{
    nt_integrator_destroy(b->integrator);
    nt_run_destroy(b->run);
    nt_model_destroy(b->model);
    *b = (bearing){0};
}

static bool bearing_open(bearing *b, const char *path, const way *w, int threads)
{
    nt_error error = {0};
    *b = (bearing){0};
    double t = w->tolerance;
    nt_integrator_setup setup = {.method = nt_method_find(w->method),
                                 .options = &w->option,
                                 .n_options = w->option.name != NULL,
                                 .tolerance = {t, t, t, t},
                                 .energy_check = NT_ENERGY_UNWATCHED};
    bool ok = nt_model_read(&b->model, path, NULL, 0, &error) == NT_OK &&
              nt_run_create(&b->run, b->model, &error) == NT_OK &&
              nt_run_set_threads(b->run, threads, &error) == NT_OK;
    if (ok) {
        setup.system = nt_run_system(b->run);
        ok = nt_integrator_create(&b->integrator, &setup, &error) == NT_OK &&
             nt_integrator_start(b->integrator, 0, NULL, NULL, NULL, &error) == NT_OK;
    }
    return require(ok, "%s: %s", w->name, error.message);
}

static bool bearing_run(bearing *b, const way *w, double end)
{
    nt_error error = {0};
    return require(nt_integrator_run(b->integrator, end, w->step, NULL, NULL, &error) == NT_OK,
                   "%s: %s", w->name, error.message);
}

/* Seconds per simulated second of the first 2 ms: the median of several runs. */
static double time_beginning(const char *path, const way *w)
{
    enum { TURNS = 5 };
    static const double end = 2e-3;
    double seconds[TURNS] = {0};
    for (int i = 0; i < TURNS; i++) {
        bearing b;
        bool ok = bearing_open(&b, path, w, 1);
        double begun = processor_seconds();
        if (ok && bearing_run(&b, w, end))
            seconds[i] = (processor_seconds() - begun) / end;
        bearing_close(&b);
    }
    return median(seconds, TURNS);
}

/* The same of stretches of 1 ms, after the cage has met the balls. */
static void time_way(const char *path, const way *w)
{
    enum { TURNS = 9 };
    static const double stretch = 1e-3;
    double seconds[TURNS];
    bearing b;
    bool ok = bearing_open(&b, path, w, 1) && bearing_run(&b, w, stretch);
    for (int i = 0; i < TURNS && ok; i++) {
        double begun = processor_seconds();
        ok = bearing_run(&b, w, (i + 2) * stretch);
        seconds[i] = (processor_seconds() - begun) / stretch;
    }
    if (ok) {
        long steps = nt_integrator_statistics(b.integrator)->steps;
        double took = median(seconds, TURNS),
               per_step = took * stretch * (TURNS + 1) / (double)steps;
        printf("  %-44s %8.2f s %8.2f s  %6.1f us per step", w->name, time_beginning(path, w), took,
               1e6 * per_step);
        printf(w->target > 0 ? "  target %.1f s\n" : "\n", w->target);
    }
    bearing_close(&b);
}

/* All contacts of the bearing, residual alone. */
static void time_contacts(const char *path)
{
    enum { TURNS = 9, TIMES = 20000, CONTACTS = 27 };
    double seconds[TURNS], residual[STATE] = {0};
    bearing b;
    bool ok = bearing_open(&b, path, &ways[0], 1) && bearing_run(&b, &ways[0], 1e-4);
    nt_state s = nt_integrator_state(b.integrator);
    nt_point at = {.t = s.t,
                   .q = s.q,
                   .v = s.v,
                   .vdot = s.vdot,
                   .lambda = s.lambda,
                   .mu = s.mu,
                   .memory = s.memory};
    nt_terms terms = {.parts = NT_EXPLICIT, .residual = residual};
    const nt_system *system = ok ? nt_run_system(b.run) : NULL;
    for (int i = 0; i < TURNS && ok; i++) {
        double begun = processor_seconds();
        for (int k = 0; k < TIMES && ok; k++)
            ok = system->evaluate(system->self, &at, &terms) == NT_OK;
        seconds[i] = (processor_seconds() - begun) / TIMES;
    }
    if (require(ok, "the contacts have no value"))
        printf("  %-44s %8.2f us, %.0f million contacts per second\n", "all its contact forces",
               1e6 * median(seconds, TURNS), CONTACTS / median(seconds, TURNS) / 1e6);
    bearing_close(&b);
}

static void compare_threads(const char *path)
{
    for (int k = 0; k < WAYS; k++) {
        double found[2][STATE] = {{0}};
        for (int i = 0; i < 2; i++) {
            bearing b;
            if (bearing_open(&b, path, &ways[k], 1 + 2 * i) && bearing_run(&b, &ways[k], 5e-5)) {
                const nt_system *s = nt_run_system(b.run);
                nt_state state = nt_integrator_state(b.integrator);
                memcpy(found[i], state.q, (size_t)s->space.nq * sizeof(double));
                memcpy(found[i] + s->space.nq, state.v, (size_t)s->space.nv * sizeof(double));
            }
            bearing_close(&b);
        }
        require(memcmp(found[0], found[1], sizeof found[0]) == 0 && found[0][0] != 0,
                "%s: three threads do not give the bits of one", ways[k].name);
    }
}

int main(int count, char **arguments)
{
    bool brief = count == 3 && strcmp(arguments[2], "--check") == 0;
    if (count != 2 && !brief) {
        fputs("usage: bearing MODEL [--check]\n", stderr);
        return 2;
    }
    compare_threads(arguments[1]);
    if (!brief) {
        printf("A second of a ball bearing at 10^4 rpm, by its first 2 ms, and later\n");
        for (int k = 0; k < WAYS; k++)
            time_way(arguments[1], &ways[k]);
        time_contacts(arguments[1]);
    }
    return failures() > 0;
}
