/* What a sweep costs beside plain loops, and what vector lanes would give.
 *
 *   sweep          the table
 *   sweep --check  only that everything runs, and that both give the same numbers
 *
 * Ten thousand runs of the heavy top, 0.1 s each, on two threads: by nt_sweep_run, with its folder
 * on the disk, and by two loops over parameters that keep the same numbers in memory. Target: the
 * time of the loops over 0.95, and 10 us for each row; processor time, of all threads. */
#define _DEFAULT_SOURCE /* mkdtemp */
#include "measure.h"

#include <nutate/nutate.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 2, ROWS = 10000, FEW = 200, NUMBERS = 4, TURNS = 3 };

static const char model_text[] =
    "nutate: 1\n"
    "parameters: {m: 15, arm: 1}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies: {top: {mass: m, inertia: [0.234375, 0.46875, 0.234375], position: [0, arm, 0],\n"
    "               angular_velocity: [0, 150, -4.61538]}}\n"
    "joints: {pivot: {type: spherical, between: [ground, top], at: [0, 0, 0]}}\n"
    "simulation: {duration: 0.1, step: 1e-3, options: {rho_inf: 0.8}}\n"
    "output: {every: 1e-2, record: [top.position, pivot.force.z]}\n";

typedef struct bench {
    char folder[64], plan[96], place[96];
    int rows, turn;
    nt_sweep *sweep;
    nt_model *model;
    double (*loop)[NUMBERS]; /* [ROWS] final positions, largest force */
} bench;

/* ---- two plain loops ------------------------------------------------------------------------ */

typedef struct loop {
    bench *b;
    int first;
    double *out;
    int n;
    bool good;
} loop;

static nt_status keep(void *taker, const double *values, int n)
{
    loop *l = taker;
    (void)n;
    memcpy(l->out, values + 1, 3 * sizeof *values);
    if (l->n++ == 0 || values[4] > l->out[3])
        l->out[3] = values[4];
    return NT_OK;
}

typedef struct observed {
    nt_record *record;
    nt_integrator *integrator;
} observed;

static int advance(void *context, const nt_integrator *integrator)
{
    observed *o = context;
    (void)integrator;
    return nt_record_advance(o->record, o->integrator, NULL) != NT_OK;
}

static bool loop_row(loop *l, nt_run *run, observed *o, int row)
{
    double m = 10 + (20. - 10.) * ((double)row / (l->b->rows - 1));
    l->n = 0;
    l->out = l->b->loop[row];
    nt_record_restart(o->record);
    if (nt_model_set(run, "m", row == l->b->rows - 1 ? 20 : m, NULL) != NT_OK ||
        nt_integrator_start(o->integrator, 0, NULL, NULL, NULL, NULL) != NT_OK)
        return false;
    nt_state state = nt_integrator_state(o->integrator);
    if (nt_record_write(o->record, o->integrator, &state, NULL) != NT_OK ||
        nt_integrator_run(o->integrator, 0.1, 1e-3, advance, o, NULL) != NT_OK)
        return false;
    state = nt_integrator_state(o->integrator);
    return nt_record_write(o->record, o->integrator, &state, NULL) == NT_OK;
}

static void *run_loop(void *context)
{
    loop *l = context;
    nt_run *run = NULL;
    nt_integrator_setup setup = {0};
    observed o = {0};
    nt_record_setup record = {.take_row = keep, .taker = l};
    l->good = nt_run_create(&run, l->b->model, NULL) == NT_OK &&
              nt_run_setup(run, &setup, NULL) == NT_OK &&
              nt_integrator_create(&o.integrator, &setup, NULL) == NT_OK;
    record.run = run;
    l->good = l->good && nt_record_create(&o.record, &record, NULL) == NT_OK;
    for (int row = l->first; l->good && row < l->b->rows; row += THREADS)
        l->good = loop_row(l, run, &o, row);
    nt_record_close(o.record, NULL);
    nt_integrator_destroy(o.integrator);
    nt_run_destroy(run);
    return NULL;
}

static bool run_loops(void *context)
{
    bench *b = context;
    pthread_t thread[THREADS];
    loop loops[THREADS];
    bool good = true;
    for (int i = 0; i < THREADS; i++) {
        loops[i] = (loop){.b = b, .first = i};
        good = good && pthread_create(&thread[i], NULL, run_loop, &loops[i]) == 0;
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        good = good && loops[i].good;
    }
    return require(good, "a plain loop failed");
}

/* ---- the sweep ------------------------------------------------------------------------------ */

/* Each turn has a folder of its own; what it costs to make one is not counted. */
static bool prepare(void *context)
{
    bench *b = context;
    snprintf(b->place, sizeof b->place, "%s/rows%d", b->folder, b->turn++);
    return true;
}

static bool run_sweep(void *context)
{
    bench *b = context;
    nt_error error = {0};
    const nt_sweep_setup setup = {.folder = b->place, .threads = THREADS};
    return require(nt_sweep_run(b->sweep, &setup, NULL, &error) == NT_OK, "%s", error.message);
}

/* ---- both ----------------------------------------------------------------------------------- */

static bool write_text(const char *folder, const char *name, const char *text, char *path,
                       size_t size)
{
    snprintf(path, size, "%s/%s", folder, name);
    FILE *to = fopen(path, "w");
    bool good = to && fputs(text, to) >= 0;
    return to && fclose(to) == 0 && good;
}

static bool begin(bench *b)
{
    char plan[300], path[96];
    nt_error error = {0};
    snprintf(b->folder, sizeof b->folder, "sweep-bench-XXXXXX");
    snprintf(plan, sizeof plan,
             "sweep: 1\nmodel: model.yaml\nvary: {m: 10..20:%d}\n"
             "keep: {final: [top.position], maximum: [pivot.force.z]}\n",
             b->rows);
    b->loop = calloc((size_t)b->rows, sizeof *b->loop);
    bool good = b->loop && mkdtemp(b->folder) &&
                write_text(b->folder, "model.yaml", model_text, path, sizeof path) &&
                write_text(b->folder, "plan.yaml", plan, b->plan, sizeof b->plan) &&
                nt_model_read(&b->model, path, NULL, 0, &error) == NT_OK &&
                nt_sweep_read(&b->sweep, b->plan, &error) == NT_OK;
    return require(good, "cannot begin: %s", error.message);
}

/* The table of the last sweep against the loops' numbers. */
static bool agree(const bench *b)
{
    char path[200];
    nt_error error = {0};
    nt_result *result = NULL;
    double largest = 0;
    snprintf(path, sizeof path, "%s/table.csv", b->folder);
    const nt_result_file file = {path, NT_CSV};
    if (nt_sweep_collect(b->sweep, b->place, &file, NULL, &error) != NT_OK ||
        nt_result_open(&result, path, &error) != NT_OK)
        return require(false, "%s", error.message);
    int column = nt_result_find(result, "top.position.x.final");
    int n = nt_result_column_count(result);
    double *row = calloc((size_t)n, sizeof *row);
    for (int i = 0; row && i < b->rows; i++) {
        nt_result_read(result, i, 1, row, &error);
        for (int j = 0; j < 4; j++) {
            double d = row[column + j] - b->loop[i][j];
            largest = d > largest ? d : -d > largest ? -d : largest;
        }
    }
    nt_result_close(result);
    free(row);
    return require(column > 0 && largest < 1e-6, "sweep and loops differ by %g", largest);
}

static void end(bench *b)
{
    char command[200];
    nt_sweep_destroy(b->sweep);
    nt_model_destroy(b->model);
    free(b->loop);
    snprintf(command, sizeof command, "rm -rf '%s'", b->folder);
    if (b->folder[0] && system(command) != 0)
        fprintf(stderr, "%s stays\n", b->folder);
}

int main(int count, char **arguments)
{
    bool check = count > 1 && strcmp(arguments[1], "--check") == 0;
    bench b = {.rows = check ? FEW : ROWS};
    const contestant sweep = {"sweep", prepare, run_sweep, &b};
    const contestant loops = {"loops", prepare, run_loops, &b};
    if (begin(&b) && check) {
        if (prepare(&b) && run_sweep(&b) && run_loops(&b))
            agree(&b);
    } else if (failures() == 0) {
        contest c = compare(&sweep, &loops, TURNS, processor_seconds);
        double plain = c.seconds[1] / ROWS;
        print_heading("Sweeps", "10000 rows", "two loops");
        print_contest("heavy top, ms", &c, 1e3, "ms", 1 / 0.95 + 10e-6 / plain);
        printf("  per row: %.1f us, plain %.1f us\n", 1e6 * c.seconds[0] / ROWS, 1e6 * plain);
    }
    end(&b);
    return failures() > 0;
}
