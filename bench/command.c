/* The command from outside: how long it takes to start, how much memory it takes. */
#include "measure.h"
#include "speed.h"

#include <malloc.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef struct launch {
    char *argument[10];
} launch;

static bool nothing(void *context)
{
    (void)context;
    return true;
}

static bool execute(void *context)
{
    launch *l = context;
    pid_t child;
    int status = 0;
    if (posix_spawnp(&child, l->argument[0], NULL, NULL, l->argument, environ) != 0)
        return require(false, "cannot start %s", l->argument[0]);
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return require(false, "%s failed", l->argument[0]);
    return true;
}

static void measure_start(const char *folder)
{
    char command[] = NUTATE_COMMAND, run[] = "run", duration[] = "--duration", step[] = "1e-3",
         model[] = NUTATE_BENCH_DIR "/models/heavy_top.yaml", out[] = "-o", quiet[] = "--quiet",
         path[4096], nothing_done[] = "true";
    snprintf(path, sizeof path, "%s/start.csv", folder);
    launch nutate = {{command, run, model, duration, step, out, path, quiet, NULL}};
    launch empty = {{nothing_done, NULL}};
    contestant a = {"nutate run", nothing, execute, &nutate};
    contestant b = {"true", nothing, execute, &empty};
    print_heading("starting (target: below 20 ms)", "nutate run", "true");
    contest c = compare(&a, &b, 20, wall_seconds);
    print_contest("heavy top, one step, by the wall", &c, 1e3, "ms", 0);
    if (c.ok && c.seconds[0] >= 20e-3)
        puts("    missed: not below 20 ms");
    unlink(path);
}

/* ---- memory --------------------------------------------------------------------------------- */

static size_t allocated(void)
{
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

static double kept_by_chain(int n)
{
    size_t length = 0, before = allocated();
    motion_run run = {0};
    char *text = chain_text(n, CHAIN_TURN, &length);
    bool ok = require(text != NULL, "out of memory") &&
              motion_open(&run, text, length, "tip.position", "j0.force");
    free(text);
    ok = ok && motion_start(&run) && motion_advance(&run, 1e-3, 2);
    size_t after = allocated();
    motion_close(&run);
    return ok ? (double)(after - before) : 0;
}

/* Peak resident set of the command on a chain, bytes; that of the largest child so far. */
static double peak_of_chain(const char *folder, int n)
{
    char command[] = NUTATE_COMMAND, run[] = "run", out[] = "-o", quiet[] = "--quiet",
         duration[] = "--duration", step[] = "2e-3", model[4096], path[4096];
    snprintf(model, sizeof model, "%s/chain.yaml", folder);
    snprintf(path, sizeof path, "%s/chain.csv", folder);
    size_t length = 0;
    char *text = chain_text(n, CHAIN_TURN, &length);
    FILE *file = fopen(model, "w");
    bool ok =
        require(text && file && fwrite(text, 1, length, file) == length, "cannot write %s", model);
    if (file)
        ok = require(fclose(file) == 0, "cannot write %s", model) && ok;
    free(text);
    launch nutate = {{command, run, model, duration, step, out, path, quiet, NULL}};
    ok = ok && execute(&nutate);
    unlink(model);
    unlink(path);
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return ok ? (double)usage.ru_maxrss * 1024 : 0;
}

/* What a further body takes, from the bytes `low` of `few` and `high` of `many`. */
static void print_memory(const char *what, int few, double low, int many, double high)
{
    double each = (high - low) / (many - few);
    printf("%-36s %.2f kB per body (%d links: %.2f MB)\n", what, each / 1e3, many, high / 1e6);
    if (!(low > 0) || !(each < 8e3))
        puts("    missed: not below 8 kB");
}

void measure_command(const char *folder)
{
    enum { FEW = 1024, MANY = 4096 }; /* links */
    double low = peak_of_chain(folder, FEW), high = peak_of_chain(folder, MANY);
    measure_start(folder);
    double small = kept_by_chain(FEW), large = kept_by_chain(MANY);
    puts("\nMemory (target: below 8 kB per body)");
    print_memory("model and integrator, kept", FEW, small, MANY, large);
    print_memory("nutate run, peak resident set", FEW, low, MANY, high);
}
