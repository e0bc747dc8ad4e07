/* The least processor time to a given error: explicit Runge-Kutta-Munthe-Kaas methods with
 * tolerances on the ordinary path through a model, other programs with equal steps, both made
 * finer until the position at the end is as good as asked for. */
#include "measure.h"
#include "speed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Mechanisms after a second. The top: orders 5 and 8 in both frames at 1e-13 agree to 1e-12; the
 * chain: two independent formulations at 1e-12. */
typedef struct course {
    const char *name;
    int n;           /* links, 0: the heavy top */
    double error;    /* m */
    double exact[3]; /* m */
} course;

static const course courses[] = {
    {"heavy top to t = 1, error 1e-8 m",
     0,
     1e-8,
     {.17334396409838, .64008859207057, -.74849079113358}},
    {"chain of 8 links to t = 1, error 1e-6 m",
     8,
     1e-6,
     {-1.763415610870, -.928910798950, -9.646982648e-5}},
};

/* One contestant: a run at level 0, 1, 2 ..., each finer than the one before. */
enum { TURNS = 5, LEVELS = 14 };
typedef struct contender {
    const char *name, *method, *program; /* one of the two */
} contender;

typedef struct result {
    double seconds, tip[3];
    long evaluations;
} result;

/* ---- nutate --------------------------------------------------------------------------------- */

static bool open_course(motion_run *run, const course *c)
{
    if (c->n == 0)
        return motion_open_file(run, NUTATE_BENCH_DIR "/models/heavy_top.yaml", "top.position",
                                "pivot.force");
    size_t length = 0;
    char *text = chain_text(c->n, 0, &length);
    bool ok = require(text != NULL, "out of memory") &&
              motion_open(run, text, length, "tip.position", "j0.force");
    free(text);
    return ok;
}

/* Tolerances of 1e-3, 3e-4, 1e-4 ... */
static bool run_nutate(const char *method, const course *c, int level, result *r)
{
    motion_run run = {0};
    nt_error error = {0};
    double tolerance = pow(10, -3 - 0.5 * level), reaction[3];
    bool ok = open_course(&run, c);
    nt_integrator_setup setup = {.method = nt_method_find(method),
                                 .tolerance = {tolerance, tolerance, tolerance, tolerance}};
    if (ok) {
        nt_integrator_destroy(run.integrator);
        run.integrator = NULL;
        setup.system = nt_run_system(run.started);
        ok = require(nt_integrator_create(&run.integrator, &setup, &error) == NT_OK, "%s",
                     error.message) &&
             motion_start(&run);
    }
    double begun = processor_seconds();
    ok = ok && require(nt_integrator_run(run.integrator, 1, 1e-3, NULL, NULL, &error) == NT_OK,
                       "%s", error.message);
    r->seconds = processor_seconds() - begun;
    ok = ok && motion_look(&run, r->tip, reaction);
    r->evaluations = ok ? nt_integrator_statistics(run.integrator)->evaluations : 0;
    motion_close(&run);
    return ok;
}

/* ---- other programs ------------------------------------------------------------------------- */

/* Steps of 2 ms, 1 ms, 0.5 ms ... */
static bool run_program(const char *program, const course *c, int level, result *r)
{
    char command[4096];
    long steps = 500L << level;
    snprintf(command, sizeof command, "%s %d %ld %.17g", program, c->n, steps, 1 / (double)steps);
    FILE *pipe = popen(command, "r");
    if (!require(pipe != NULL, "cannot start %s", program))
        return false;
    bool read =
        fscanf(pipe, "%lf %lf %lf %lf", &r->seconds, &r->tip[0], &r->tip[1], &r->tip[2]) == 4;
    r->evaluations = 0;
    return require(pclose(pipe) == 0 && read, "%s failed on %s", program, c->name);
}

/* ---- the table ------------------------------------------------------------------------------ */

static bool run(const contender *p, const course *c, int level, result *r)
{
    return p->method ? run_nutate(p->method, c, level, r) : run_program(p->program, c, level, r);
}

static double error_of(const course *c, const result *r)
{
    double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += (r->tip[i] - c->exact[i]) * (r->tip[i] - c->exact[i]);
    return sqrt(sum);
}

static void hold(const course *c, const contender *p)
{
    result r = {0};
    int level = 0;
    bool ok = run(p, c, level, &r);
    while (ok && !(error_of(c, &r) <= c->error) && ++level < LEVELS)
        ok = run(p, c, level, &r);
    if (!ok || level == LEVELS) {
        printf("    %-30s did not reach it\n", p->name);
        return;
    }
    double seconds[TURNS], error = error_of(c, &r);
    for (int turn = 0; turn < TURNS && ok; turn++) {
        ok = run(p, c, level, &r);
        seconds[turn] = r.seconds;
    }
    if (!ok)
        return;
    printf("    %-30s %10.3f ms   error %.1e m", p->name, 1e3 * median(seconds, TURNS), error);
    if (r.evaluations > 0)
        printf("   %ld evaluations", r.evaluations);
    putchar('\n');
    fflush(stdout);
}

void compare_at_accuracy(void)
{
    static const contender contenders[] = {
        {"nutate, rkmk-dop853", "rkmk-dop853", NULL},
        {"nutate, rkmk-dopri5", "rkmk-dopri5", NULL},
#ifdef NUTATE_PEER_MUJOCO
        {"MuJoCo, RK4", NULL, NUTATE_PEER_MUJOCO},
#endif
#ifdef NUTATE_PEER_SIMBODY
        {"Simbody, RungeKuttaMerson", NULL, NUTATE_PEER_SIMBODY},
#endif
    };
    printf("\nThe least processor time to a given error\n");
    for (size_t i = 0; i < sizeof courses / sizeof courses[0]; i++) {
        puts(courses[i].name);
        for (size_t k = 0; k < sizeof contenders / sizeof contenders[0]; k++)
            hold(&courses[i], &contenders[k]);
    }
}
