/* Accuracy beside cost: other programs on the same mechanisms, each in a process of its own
 * (peer_*), so that one that fails leaves the rest standing. */
#include "measure.h"
#include "speed.h"
#include "yardstick.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- contestants ---------------------------------------------------------------------------- */

/* A program with its result on one course: processor time of each turn, position at the end. */
enum { TURNS = 3 };
typedef struct peer {
    const char *name, *program; /* program NULL: nutate itself */
    int most;                   /* links that it can take      */
    bool ok;
    double seconds[TURNS], tip[3];
} peer;

static bool run_nutate(peer *p, const course *c, int turn)
{
    motion_run run = {0};
    double reaction[3];
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
    ok = ok && motion_start(&run);
    double begun = processor_seconds();
    ok = ok && motion_advance(&run, 1e-3, c->steps);
    p->seconds[turn] = processor_seconds() - begun;
    ok = ok && motion_look(&run, p->tip, reaction);
    motion_close(&run);
    return ok;
}

/* `peer N STEPS` prints: seconds of processor time, x, y, z. */
static bool run_program(peer *p, const course *c, int turn)
{
    char command[4096];
    snprintf(command, sizeof command, "%s %d %ld", p->program, c->n, c->steps);
    FILE *pipe = popen(command, "r");
    if (!require(pipe != NULL, "cannot start %s", p->program))
        return false;
    bool read =
        fscanf(pipe, "%lf %lf %lf %lf", &p->seconds[turn], &p->tip[0], &p->tip[1], &p->tip[2]) == 4;
    return require(pclose(pipe) == 0 && read, "%s failed on %s", p->program, c->name);
}

/* ---- the table ------------------------------------------------------------------------------ */

static void print_row(peer *p, const course *c, double nutate)
{
    double steps = (double)c->steps * (c->n > 0 ? c->n : 1), seconds = median(p->seconds, TURNS);
    printf("    %-45s %10.3f us %9.2f", p->name, 1e6 * seconds / steps, seconds / nutate);
    if (c->reference) {
        const double *r = c->reference;
        v3 off = {p->tip[0] - r[0], p->tip[1] - r[1], p->tip[2] - r[2]};
        printf("   %.1e m", v3_norm(off));
    }
    putchar('\n');
    fflush(stdout);
}

static void hold(const course *c, peer *peers, int n)
{
    for (int i = 0; i < n; i++)
        peers[i].ok = c->n <= peers[i].most;
    for (int turn = 0; turn < TURNS; turn++)
        for (int i = 0; i < n; i++)
            peers[i].ok = peers[i].ok && (peers[i].program ? run_program(&peers[i], c, turn)
                                                           : run_nutate(&peers[i], c, turn));
    puts(c->name);
    for (int i = 0; i < n; i++)
        if (peers[i].ok && peers[0].ok) {
            double nutate[TURNS];
            memcpy(nutate, peers[0].seconds, sizeof nutate);
            print_row(&peers[i], c, median(nutate, TURNS));
        }
}

void compare_peers(void)
{
    peer peers[] = {
        {.name = "nutate, generalized-alpha", .most = 1024},
#ifdef NUTATE_PEER_MUJOCO
        /* 64 links: its reader refuses deeper trees */
        {.name = "MuJoCo, RK4", .program = NUTATE_PEER_MUJOCO, .most = 64},
#endif
#ifdef NUTATE_PEER_SIMBODY
        {.name = "Simbody, RungeKuttaMerson", .program = NUTATE_PEER_SIMBODY, .most = 1024},
#endif
    };
    int n = (int)(sizeof peers / sizeof peers[0]);
    if (n == 1) {
        puts("\nNo other programs here: `make peers` installs MuJoCo and Simbody");
        return;
    }
    printf("\n%-49s %13s %9s   %s\n", "Other programs, in joint coordinates, h = 1 ms",
           "step and body", "ratio", "error");
    for (int i = 0; i < N_COURSES; i++)
        hold(&courses[i], peers, n);
}
