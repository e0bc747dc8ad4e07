/* The motions: nutate on a model file beside the same mechanism written by hand. */
#include "measure.h"
#include "speed.h"
#include "yardstick.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- nutate --------------------------------------------------------------------------------- */

static bool finish_opening(motion_run *run, const char *tip, const char *reaction, nt_error *error)
{
    const nt_simulation *simulation = nt_model_simulation(run->model);
    if (!require(nt_run_create(&run->started, run->model, error) == NT_OK, "%s", error->message))
        return false;
    nt_integrator_setup setup = {.system = nt_run_system(run->started),
                                 .method = nt_method_find(simulation->method),
                                 .options = simulation->options,
                                 .n_options = simulation->n_options,
                                 .frame = simulation->frame};
    const nt_system *system = setup.system;
    run->q = calloc((size_t)system->space.nq, sizeof(double));
    run->v = calloc((size_t)system->space.nv, sizeof(double));
    run->memory = calloc((size_t)system->n_memory + 1, sizeof(double));
    if (!require(run->q && run->v && run->memory, "out of memory"))
        return false;
    nt_run_initial(run->started, run->q, run->v, run->memory);
    bool ok = nt_integrator_create(&run->integrator, &setup, error) == NT_OK &&
              nt_model_quantity(run->model, tip, &run->tip, error) == NT_OK &&
              nt_model_quantity(run->model, reaction, &run->reaction, error) == NT_OK;
    return require(ok, "%s", error->message);
}

bool motion_open(motion_run *run, const char *text, size_t length, const char *tip,
                 const char *reaction)
{
    nt_error error;
    *run = (motion_run){0};
    nt_status status =
        nt_model_read_text(&run->model, text, length, "chain", NULL, NULL, 0, &error);
    return require(status == NT_OK, "%s:%d: %s", error.file, error.line, error.message) &&
           finish_opening(run, tip, reaction, &error);
}

bool motion_open_file(motion_run *run, const char *path, const char *tip, const char *reaction)
{
    nt_error error;
    *run = (motion_run){0};
    nt_status status = nt_model_read(&run->model, path, NULL, 0, &error);
    return require(status == NT_OK, "%s:%d: %s", error.file, error.line, error.message) &&
           finish_opening(run, tip, reaction, &error);
}

void motion_close(motion_run *run)
{
    nt_integrator_destroy(run->integrator);
    nt_run_destroy(run->started);
    nt_model_destroy(run->model);
    free(run->q);
    free(run->v);
    free(run->memory);
}

bool motion_start(motion_run *run)
{
    nt_error error;
    nt_status status = nt_integrator_start(run->integrator, 0, run->q, run->v, run->memory, &error);
    return require(status == NT_OK, "%s", error.message);
}

bool motion_advance(motion_run *run, double h, long steps)
{
    nt_error error;
    double end = nt_integrator_state(run->integrator).t + (double)steps * h;
    nt_status status = nt_integrator_run(run->integrator, end, h, NULL, NULL, &error);
    return require(status == NT_OK, "%s", error.message);
}

bool motion_look(motion_run *run, double tip[3], double reaction[3])
{
    nt_error error;
    nt_state state = nt_integrator_state(run->integrator);
    bool ok = nt_run_sample(run->started, &run->tip, &state, NULL, tip, &error) == NT_OK &&
              nt_run_sample(run->started, &run->reaction, &state, NULL, reaction, &error) == NT_OK;
    return require(ok, "%s", error.message);
}

/* ---- contestants ---------------------------------------------------------------------------- */

/* A mechanism both ways. */
typedef struct pair {
    motion_run run;
    chain_yardstick *chain; /* NULL: the top */
    double h, turn;
    long steps;
} pair;

static bool prepare_nutate(void *context) { return motion_start(&((pair *)context)->run); }

static bool run_nutate(void *context)
{
    pair *p = context;
    return motion_advance(&p->run, p->h, p->steps);
}

static bool prepare_yardstick(void *context)
{
    pair *p = context;
    if (p->chain)
        chain_yardstick_start(p->chain, p->turn);
    else
        top_yardstick_start();
    return true;
}

static bool run_yardstick(void *context)
{
    pair *p = context;
    return p->chain ? chain_yardstick_run(p->chain, p->h, p->steps)
                    : top_yardstick_run(p->h, p->steps);
}

static yardstick_state yardstick_of(const pair *p)
{
    return p->chain ? chain_yardstick_state(p->chain) : top_yardstick_state();
}

static bool open_top(pair *p)
{
    *p = (pair){.h = 1e-3};
    return motion_open_file(&p->run, NUTATE_BENCH_DIR "/models/heavy_top.yaml", "top.position",
                            "pivot.force");
}

static bool open_chain(pair *p, int n, double turn)
{
    size_t length = 0;
    char *text = chain_text(n, turn, &length);
    *p = (pair){.h = 1e-3, .turn = turn, .chain = chain_yardstick_create(n)};
    bool ok = require(text && p->chain, "out of memory") &&
              motion_open(&p->run, text, length, "tip.position", "j0.force");
    free(text);
    return ok;
}

static void close_pair(pair *p)
{
    motion_close(&p->run);
    chain_yardstick_destroy(p->chain);
}

/* ---- the same numbers ----------------------------------------------------------------------- */

static double distance(const double *a, const double *b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

/* Both after the same steps: positions within 1e-9 of their size, reactions within 1e-6 of
 * theirs (multipliers of index 3 carry the positions' rounding over h^2), iterations within 2 %. */
static void agree(pair *p, const char *name)
{
    double tip[3], reaction[3], zero[3] = {0};
    yardstick_state y = yardstick_of(p);
    if (!motion_look(&p->run, tip, reaction))
        return;
    const nt_statistics *s = nt_integrator_statistics(p->run.integrator);
    double apart = distance(tip, y.tip) / fmax(1, distance(y.tip, zero));
    double forces = distance(reaction, y.lambda) / fmax(1, distance(y.lambda, zero));
    double mine = (double)s->iterations / (double)s->steps;
    double theirs = (double)y.iterations / (double)y.steps;
    printf("%-36s positions differ by %.1e, reactions by %.1e (relative); iterations per step "
           "%.3f, %.3f\n",
           name, apart, forces, mine, theirs);
    require(apart <= 1e-9, "%s: nutate and its yardstick end in different positions", name);
    require(forces <= 1e-6, "%s: nutate and its yardstick end with different reactions", name);
    require(fabs(mine - theirs) <= 0.02 * theirs, "%s: iterations differ by more than 2 %%", name);
    require(s->rejected == 0, "%s: %ld steps were rejected", name, s->rejected);
}

static bool both(pair *p, double h, long steps)
{
    p->h = h, p->steps = steps;
    return prepare_nutate(p) && run_nutate(p) && prepare_yardstick(p) &&
           require(run_yardstick(p), "the yardstick did not converge");
}

/* Known solutions: the top at t = 0.1, where this method's error at 2 ms is 3.882e-4 m; and the
 * tip of eight links at t = 1, extrapolated from steps of 1 and 0.5 ms. */
static void against_references(void)
{
    static const double top_at_01[3] = {.421296658925402, .894571974345593, -.149164700561900};
    static const double tip_at_1[3] = {-1.763415610870, -.928910798950, -9.646982648e-5};
    double tip[3], reaction[3], coarse[3];
    pair p;
    if (open_top(&p) && both(&p, 2e-3, 50) && motion_look(&p.run, tip, reaction)) {
        double mine = distance(tip, top_at_01);
        double theirs = distance(top_yardstick_state().tip, top_at_01);
        printf("%-36s error at t = 0.1, h = 2e-3: %.3e m, yardstick %.3e m\n", "heavy top", mine,
               theirs);
        require(fabs(mine - 3.882e-4) < 1e-7 && fabs(theirs - 3.882e-4) < 1e-7,
                "heavy top: expected an error of 3.882e-4");
    }
    close_pair(&p);
    if (open_chain(&p, 8, 0) && both(&p, 1e-3, 1000) && motion_look(&p.run, coarse, reaction) &&
        both(&p, 5e-4, 2000) && motion_look(&p.run, tip, reaction)) {
        double extrapolated[3];
        for (int i = 0; i < 3; i++)
            extrapolated[i] = tip[i] + (tip[i] - coarse[i]) / 3;
        double error = distance(extrapolated, tip_at_1);
        printf("%-36s error at t = 1, h = 1e-3: %.3e m; extrapolated %.1e m\n",
               "chain of 8, no turn", distance(coarse, tip_at_1), error);
        require(error < 5e-8, "chain of 8: extrapolated error %g m, expected below 5e-8", error);
    }
    close_pair(&p);
}

/* ---- the table ------------------------------------------------------------------------------ */

static const struct {
    int n; /* links; 0: the top */
    long steps;
    double target;
} mechanisms[] = {{0, 5000, 1.3}, {8, 1000, 1.4}, {64, 250, 1.4}, {256, 100, 1.4}, {1024, 40, 1.4}};
enum { N_MECHANISMS = sizeof mechanisms / sizeof mechanisms[0], TURNS = 15 };

static bool open_mechanism(pair *p, int i, char *name, size_t size)
{
    int n = mechanisms[i].n;
    snprintf(name, size, n ? "chain of %d links" : "heavy top", n);
    return n ? open_chain(p, n, CHAIN_TURN) : open_top(p);
}

static double per_step_and_body(int i)
{
    int bodies = mechanisms[i].n > 0 ? mechanisms[i].n : 1;
    return 1e6 / ((double)bodies * (double)mechanisms[i].steps);
}

static void time_motions(void)
{
    print_heading("time per step and body, h = 1 ms", "nutate", "by hand");
    for (int i = 0; i < N_MECHANISMS; i++) {
        pair p;
        char name[64];
        if (open_mechanism(&p, i, name, sizeof name)) {
            p.steps = mechanisms[i].steps;
            contestant a = {name, prepare_nutate, run_nutate, &p};
            contestant b = {"its yardstick", prepare_yardstick, run_yardstick, &p};
            contest c = compare(&a, &b, TURNS, processor_seconds);
            print_contest(name, &c, per_step_and_body(i), "us", mechanisms[i].target);
        }
        close_pair(&p);
    }
}

/* Cost per body of the longest chain against that of 64 links, and the same of the yardsticks:
 * what the cache no longer holds is in both. */
static void time_growth(void)
{
    enum { LONG = N_MECHANISMS - 1, SHORT = 2 };
    pair p, q;
    char name[64], other[64];
    bool ok = open_mechanism(&p, LONG, name, sizeof name);
    ok = open_mechanism(&q, SHORT, other, sizeof other) && ok;
    if (ok) {
        p.steps = mechanisms[LONG].steps, q.steps = mechanisms[SHORT].steps;
        contestant a[] = {{name, prepare_nutate, run_nutate, &p},
                          {name, prepare_yardstick, run_yardstick, &p}};
        contestant b[] = {{other, prepare_nutate, run_nutate, &q},
                          {other, prepare_yardstick, run_yardstick, &q}};
        double scale = per_step_and_body(LONG) / per_step_and_body(SHORT);
        print_heading("cost per body: linear is 1", "1024 links", "64 links");
        for (int k = 0; k < 2; k++) {
            contest c = compare(&a[k], &b[k], TURNS, processor_seconds);
            c.seconds[0] *= scale, c.ratio *= scale, c.spread *= scale;
            print_contest(k ? "by hand" : "nutate", &c, per_step_and_body(SHORT), "us", 0);
        }
    }
    close_pair(&p);
    close_pair(&q);
}

void compare_motions(bool brief)
{
    puts("\nThe same numbers");
    against_references();
    for (int i = 0; i < (brief ? 3 : N_MECHANISMS); i++) {
        pair p;
        char name[64];
        if (open_mechanism(&p, i, name, sizeof name) && both(&p, 1e-3, brief ? 100 : 200))
            agree(&p, name);
        close_pair(&p);
    }
    if (brief)
        return;
    time_motions();
    time_growth();
}

/* ---- allocation ----------------------------------------------------------------------------- */

void count_allocations(void)
{
    puts("\nAllocations");
    for (int i = 0; i < 3; i++) {
        pair p;
        char name[64];
        if (open_mechanism(&p, i, name, sizeof name) && motion_start(&p.run)) {
            long before = allocations();
            bool ok = motion_advance(&p.run, 1e-3, 100);
            long count = allocations() - before;
            printf("%-36s %ld in 100 steps (set-up: %ld so far)\n", name, count, before);
            require(ok && count == 0, "%s: %ld allocations in 100 steps", name, count);
        }
        close_pair(&p);
    }
}
