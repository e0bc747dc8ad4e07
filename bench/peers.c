/* Accuracy beside cost: other programs on the same mechanisms, each in a process of its own
 * (peer_*), so that one that fails leaves the rest standing. */
#include "measure.h"
#include "speed.h"
#include "yardstick.h"

#include <stdio.h>
#include <stdlib.h>

/* Mechanisms: the heavy top to t = 0.5, chains without turn; known positions where there are. */
typedef struct course {
    const char *name;
    int n; /* links, 0: the top */
    long steps;
    const double *reference;
} course;

static const double top_at_05[3] = {-.702468297056586, -.021165184701923, -.711400257651734};
static const double tip_at_1[3] = {-1.763415610870, -.928910798950, -9.646982648e-5};
static const course courses[] = {{"heavy top to t = 0.5", 0, 500, top_at_05},
                                 {"chain of 8 links to t = 1", 8, 1000, tip_at_1},
                                 {"chain of 64 links", 64, 50, NULL},
                                 {"chain of 256 links", 256, 10, NULL}};
enum { N_COURSES = sizeof courses / sizeof courses[0] };

static void print_row(const char *who, const course *c, double seconds, const double *tip)
{
    double steps = (double)c->steps * (c->n > 0 ? c->n : 1);
    printf("    %-48s %10.3f us", who, 1e6 * seconds / steps);
    if (c->reference) {
        const double *r = c->reference;
        v3 off = {tip[0] - r[0], tip[1] - r[1], tip[2] - r[2]};
        printf("   error %.1e m", v3_norm(off));
    }
    putchar('\n');
    fflush(stdout);
}

static void run_nutate(const course *c)
{
    motion_run run = {0};
    double tip[3], reaction[3], seconds[5];
    bool ok;
    if (c->n == 0)
        ok = motion_open_file(&run, NUTATE_BENCH_DIR "/models/heavy_top.yaml", "top.position",
                              "pivot.force");
    else {
        size_t length = 0;
        char *text = chain_text(c->n, 0, &length);
        ok = require(text != NULL, "out of memory") &&
             motion_open(&run, text, length, "tip.position", "j0.force");
        free(text);
    }
    for (int i = 0; ok && i < 5; i++) {
        ok = motion_start(&run);
        double begun = processor_seconds();
        ok = ok && motion_advance(&run, 1e-3, c->steps);
        seconds[i] = processor_seconds() - begun;
    }
    if (ok && motion_look(&run, tip, reaction))
        print_row("nutate, generalized-alpha", c, median(seconds, 5), tip);
    motion_close(&run);
}

/* `peer N STEPS` prints: seconds of processor time, x, y, z. most: links that it can take. */
static void run_peer(const char *program, const char *who, int most, const course *c)
{
    if (c->n > most)
        return;
    char command[4096];
    double seconds = 0, tip[3];
    snprintf(command, sizeof command, "%s %d %ld", program, c->n, c->steps);
    FILE *pipe = popen(command, "r");
    if (!require(pipe != NULL, "cannot start %s", program))
        return;
    bool read = fscanf(pipe, "%lf %lf %lf %lf", &seconds, &tip[0], &tip[1], &tip[2]) == 4;
    if (require(pclose(pipe) == 0 && read, "%s failed on %s", program, c->name))
        print_row(who, c, seconds, tip);
}

void compare_peers(void)
{
    puts("\nOther programs: time per step and body, h = 1 ms, and error of the position");
    for (int i = 0; i < N_COURSES; i++) {
        puts(courses[i].name);
        run_nutate(&courses[i]);
#ifdef NUTATE_PEER_MUJOCO
        /* its reader refuses deeper trees */
        run_peer(NUTATE_PEER_MUJOCO, "MuJoCo, RK4 (joint coordinates)", 64, &courses[i]);
#endif
#ifdef NUTATE_PEER_SIMBODY
        run_peer(NUTATE_PEER_SIMBODY, "Simbody, RungeKuttaMerson (joint coordinates)", 1024,
                 &courses[i]);
#endif
    }
#if !defined(NUTATE_PEER_MUJOCO) || !defined(NUTATE_PEER_SIMBODY)
    puts("    (`make peers` installs MuJoCo and Simbody to be measured against)");
    (void)run_peer;
#endif
}
