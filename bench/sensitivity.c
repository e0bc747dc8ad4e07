/* What sensitivities cost: a run that carries them against the same run without, in turns.
 *
 *   sensitivity          the table
 *   sensitivity --check  only that everything runs
 *
 * Targets: 40 % of the plain run once, and for each parameter 15 % (heavy top) or 10 % (chain of 64
 * links). Last the same derivatives by central differences of whole runs, two for each parameter:
 * a tenth of their time is the target, for which 1.4 + 0.1 n leave room from 14 parameters on. */
#include "measure.h"

#include <nutate/nutate.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16, LINKS = 64, TEXT = 1 << 16 };

typedef struct case_of {
    const char *name;
    char *text;
    int steps; /* timed */
    double h;
} case_of;

typedef struct runner {
    const case_of *problem;
    int n; /* parameters carried; 0: a plain run */
    bool differences;
    bool whole; /* the start is timed too */
    nt_model *model;
    nt_run *run;
    nt_integrator *integrator;
    nt_sensitivity *sensitivity;
} runner;

/* ---- models --------------------------------------------------------------------------------- */

static const char top_text[] =
    "nutate: 1\n"
    "parameters: {m: 15, arm: 1, J: 0.46875, w: 150, g: 9.81, A: 0.234375, v: -4.61538, e: 0,\n"
    "             B: 0.234375, u: 0, z: 0, gx: 0, gy: 0, px: 0, py: 0, pz: 0}\n"
    "gravity: [gx, gy, -g]\n"
    "bodies:\n"
    "  top:\n"
    "    mass: m\n"
    "    inertia: [A, J, B]\n"
    "    position: [e, arm, z]\n"
    "    angular_velocity: [u, w, v]\n"
    "joints:\n"
    "  pivot: {type: spherical, between: [ground, top], at: [px, py, pz]}\n";

/* Links on balls; the first five parameters enter every link, the others one link's mass each. */
static char *chain_text(void)
{
    char *text = malloc(TEXT);
    if (!text)
        return NULL;
    int at = snprintf(text, TEXT,
                      "nutate: 1\n"
                      "parameters:\n"
                      "  L: 0.25\n  m: 0.078125\n  along: 8.138020833e-6\n"
                      "  across: 4.109700521e-4\n  spin: 5\n");
    for (int i = 5; i < MOST; i++)
        at += snprintf(text + at, (size_t)(TEXT - at), "  m%d: m\n", i);
    at += snprintf(text + at, (size_t)(TEXT - at), "gravity: [0, -9.81, 0]\nbodies:\n");
    for (int i = 0; i < LINKS; i++) {
        char mass[16] = "m";
        if (i % 4 == 0 && i / 4 >= 5)
            snprintf(mass, sizeof mass, "m%d", i / 4);
        at += snprintf(text + at, (size_t)(TEXT - at),
                       "  b%d: {mass: %s, inertia: [along, across, across], position: [%g*L, 0, "
                       "0], angular_velocity: [spin, 0.01, 0]}\n",
                       i, mass, i + 0.5);
    }
    at += snprintf(text + at, (size_t)(TEXT - at), "joints:\n");
    for (int i = 0; i < LINKS; i++) {
        char before[16] = "ground";
        if (i > 0)
            snprintf(before, sizeof before, "b%d", i - 1);
        at += snprintf(text + at, (size_t)(TEXT - at),
                       "  j%d: {type: spherical, between: [%s, b%d], at: [%d*L, 0, 0]}\n", i,
                       before, i, i);
    }
    return text;
}

/* ---- runs ----------------------------------------------------------------------------------- */

static bool open_runner(runner *r)
{
    static const int all[MOST] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    nt_error error = {0};
    const char *text = r->problem->text;
    nt_status status =
        nt_model_read_text(&r->model, text, strlen(text), r->problem->name, NULL, NULL, 0, &error);
    if (status == NT_OK)
        status = nt_run_create(&r->run, r->model, &error);
    if (status == NT_OK) {
        nt_integrator_setup setup = {.system = nt_run_system(r->run),
                                     .method = nt_method_find("generalized-alpha")};
        status = nt_integrator_create(&r->integrator, &setup, &error);
    }
    if (status == NT_OK && r->n > 0 && !r->differences)
        status = nt_sensitivity_create(&r->sensitivity, r->integrator, all, r->n, &error);
    return require(status == NT_OK, "%s: %s", r->problem->name, error.message);
}

static void close_runner(runner *r)
{
    nt_sensitivity_destroy(r->sensitivity);
    nt_integrator_destroy(r->integrator);
    nt_run_destroy(r->run);
    nt_model_destroy(r->model);
}

static bool start(void *context)
{
    runner *r = context;
    nt_error error = {0};
    nt_status status = nt_integrator_start(r->integrator, 0, NULL, NULL, NULL, &error);
    if (status == NT_OK && r->sensitivity)
        status = nt_sensitivity_start(r->sensitivity, &error);
    return require(status == NT_OK, "%s: %s", r->problem->name, error.message);
}

static bool advance(runner *r)
{
    nt_error error = {0};
    double h = r->problem->h, t = nt_integrator_state(r->integrator).t;
    nt_status status =
        nt_integrator_run(r->integrator, t + r->problem->steps * h, h, NULL, NULL, &error);
    return require(status == NT_OK, "%s: %s", r->problem->name, error.message);
}

/* Once; or at p + d and p - d for each parameter, start included. */
static bool run(void *context)
{
    runner *r = context;
    const nt_system *system = nt_run_system(r->run);
    double p[MOST], moved[MOST];
    if (!r->differences)
        return r->whole ? start(r) && advance(r) : advance(r);
    system->get_parameters(system->self, p);
    bool good = true;
    for (int i = 0; i < 2 * r->n && good; i++) {
        double size = p[i / 2] != 0 ? p[i / 2] : 1;
        memcpy(moved, p, sizeof moved);
        moved[i / 2] += (i % 2 ? -1e-5 : 1e-5) * size;
        good = require(system->set_parameters(system->self, moved) == NT_OK, "parameters");
        good = good && start(r) && advance(r);
    }
    return system->set_parameters(system->self, p) == NT_OK && good;
}

static bool nothing(void *context)
{
    (void)context;
    return true;
}

/* Carrying n parameters against carrying `base` of them (0: a plain run). */
static void measure(const case_of *problem, int n, int base, int turns, double target)
{
    char name[80];
    runner with = {.problem = problem, .n = n}, without = {.problem = problem, .n = base};
    if (open_runner(&with) && open_runner(&without)) {
        contestant a = {"with", start, run, &with}, b = {"without", start, run, &without};
        contest c = compare(&a, &b, turns, processor_seconds);
        snprintf(name, sizeof name, "%s, %d parameter%s", problem->name, n, n > 1 ? "s" : "");
        print_contest(name, &c, 1e6 / problem->steps, "us", target);
    }
    close_runner(&with);
    close_runner(&without);
}

/* Start and steps, against central differences of whole runs. */
static void measure_differences(const case_of *problem, int n, int turns, double target)
{
    char name[80];
    runner carried = {.problem = problem, .n = n, .whole = true};
    runner differenced = {.problem = problem, .n = n, .differences = true};
    if (open_runner(&carried) && open_runner(&differenced)) {
        contestant a = {"carried", nothing, run, &carried};
        contestant b = {"differences", nothing, run, &differenced};
        contest c = compare(&a, &b, turns, processor_seconds);
        snprintf(name, sizeof name, "%s, %d parameters", problem->name, n);
        print_contest(name, &c, 1e6 / problem->steps, "us", target);
    }
    close_runner(&carried);
    close_runner(&differenced);
}

int main(int argc, char **argv)
{
    bool brief = argc == 2 && strcmp(argv[1], "--check") == 0;
    if (argc > 2 || (argc == 2 && !brief)) {
        fputs("usage: sensitivity [--check]\n", stderr);
        return 2;
    }
    char *text = chain_text();
    if (!require(text != NULL, "out of memory"))
        return 1;
    case_of top = {"heavy top", (char *)(size_t)top_text, brief ? 10 : 5000, 1e-3};
    case_of chain = {"chain of 64", text, brief ? 3 : 400, 1e-3};
    int turns = brief ? 1 : 9;
    print_heading("sensitivities, a step", "with", "without");
    measure(&top, 1, 0, turns, 1.55);
    measure(&top, 4, 0, turns, 2.0);
    measure(&top, 8, 0, turns, 2.6);
    measure(&top, 16, 0, turns, 3.8);
    measure(&chain, 1, 0, turns, 1.5);
    measure(&chain, 10, 0, turns, 2.4);
    measure(&chain, 16, 0, turns, 3.0);
    print_heading("the same by whole runs at p +- d", "sensitivities", "differences");
    measure_differences(&top, 8, brief ? 1 : 5, 0);
    measure_differences(&top, 16, brief ? 1 : 5, 0.1);
    measure_differences(&chain, 16, brief ? 1 : 3, 0.1);
    free(text);
    return failures() > 0;
}
