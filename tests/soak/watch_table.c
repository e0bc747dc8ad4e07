/* watch_table [FOLDER...]: what the watch on energy says of whole runs of the command, as the rows
 * of the table in docs/theory.md: g/A, and for the ball and the heavy top how far off they end.
 *
 * Each model file in the folders (those of the examples, and folders in them) runs as it stands,
 * then the ball and the top at the steps of the table. Ends with 1 where an example is warned of,
 * given up or fails, or one of the cases that must be given up is not. Runs in the present folder,
 * to result.csv. */
#define _DEFAULT_SOURCE /* scandir */
#include "failures/command.h"
#include "method/integrator.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double WARNED = 0.02, NEVER = -1;

/* The watch of the run that ended last, taken where the command lets its integrator go. */
static double share;
void __real_nt_integrator_destroy(nt_integrator *it);
void __wrap_nt_integrator_destroy(nt_integrator *it);
void __wrap_nt_integrator_destroy(nt_integrator *it)
{
    if (it && it->watch.begun)
        share = it->watch.allowed > 0 ? it->watch.growth / it->watch.allowed : 0;
    __real_nt_integrator_destroy(it);
}

static int wrong;

/* g/A of a run; NEVER where it was not watched. `ends`: it must not fail. */
static double run(int count, char **arguments, bool ends)
{
    share = NEVER;
    fflush(NULL);
    wrong += nutate_main(count, arguments) != 0 && ends;
    fflush(NULL);
    return share;
}

static void run_example(char *path)
{
    char *arguments[] = {"nutate", "run", path, "-o", "result.csv", "--quiet", NULL};
    const char *name = strrchr(path, '/') + 1;
    double g = run(6, arguments, true);
    bool passed = g <= WARNED;
    wrong += !passed;
    if (g >= 0)
        printf("| `%.*s` | %.2g%s |\n", (int)strcspn(name, "."), name, g,
               passed ? "" : ", WARNED OF");
}

static void run_folder(const char *folder)
{
    struct dirent **entries;
    int n = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char path[4096];
        const char *name = entries[i]->d_name, *end = strrchr(name, '.');
        snprintf(path, sizeof path, "%s/%s", folder, name);
        if (!end && strcmp(name, "tyre_plugin") != 0) /* that one is no model without its plugin */
            run_folder(path);
        else if (end && strcmp(end, ".yaml") == 0 && strncmp(name, "plan", 4) != 0)
            run_example(path);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
}

/* ---- cases ---------------------------------------------------------------------------------- */

static const char ball[] =
    "nutate: 1\ngravity: [0, 0, -9.8]\n"
    "bodies: {b: {mass: 1, position: [0, 0, 5], point: true}}\n"
    "contacts: {floor: {type: sphere_plane, between: [ground, b], plane: {normal: [0, 0, 1]}, "
    "radius: 0.1, stiffness: 1e8}}\n"
    "simulation: {duration: 10, step: 1e-3}\noutput: {every: 10, record: [b.position]}\n";
static const char top[] =
    "nutate: 1\ngravity: [0, 0, -9.81]\n"
    "bodies: {b: {mass: 15, inertia: [0.234375, 0.46875, 0.234375], position: [0, 1, 0], "
    "angular_velocity: [0, 150, -4.61538]}}\n"
    "joints: {pivot: {type: spherical, between: [ground, b], at: [0, 0, 0]}}\n"
    "simulation: {duration: 2, step: 1e-3}\noutput: {every: 2, record: [b.position]}\n";

/* Runs it and gives the place in the last row, m. */
static double run_case(const char *text, const char *method, const char *step,
                       const char *tolerance, double *end, double place[3])
{
    char set[80], *arguments[] = {"nutate",     "run",
                                  "case.yaml",  "-o",
                                  "result.csv", "--quiet",
                                  "--method",   (char *)(size_t)method,
                                  "--step",     (char *)(size_t)step,
                                  "--set",      set,
                                  NULL};
    FILE *file = fopen("case.yaml", "w");
    char row[400] = "";
    snprintf(set, sizeof set, "simulation.tolerance=%s", tolerance);
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        exit(1);
    double g = run(strcmp(tolerance, "0") == 0 ? 10 : 12, arguments, false);
    for (file = fopen("result.csv", "r"); file && fgets(row, sizeof row, file);)
        continue;
    if (!file || sscanf(row, "%lf,%lf,%lf,%lf", end, place, place + 1, place + 2) != 4)
        exit(1);
    fclose(file);
    return g;
}

static void tell_cases(void)
{
    static const struct {
        const char *name, *text, *method, *step;
        bool given_up;
    } cases[] = {
        {"ball", ball, "generalized-alpha", "1e-5", false},
        {"ball", ball, "generalized-alpha", "1e-4", false},
        {"ball", ball, "generalized-alpha", "1e-3", true},
        {"ball", ball, "generalized-alpha", "0.01", true},
        {"ball", ball, "rkmk-dop853", "0.01", true},
        {"ball", ball, "theta", "0.1", true},
        {"ball", ball, "semi-explicit", "0.1", true},
        {"heavy top", top, "generalized-alpha", "5e-3", false},
        {"heavy top", top, "generalized-alpha", "0.01", false},
        {"heavy top", top, "generalized-alpha", "0.02", false},
        {"heavy top", top, "generalized-alpha", "0.2", false},
        {"heavy top", top, "generalized-alpha", "0.5", true},
    };
    double end, until, exact[2][3], place[3];
    run_case(ball, "rkmk-dop853", "1e-4", "1e-11", &until, exact[0]);
    run_case(top, "rkmk-dop853", "1e-4", "1e-11", &until, exact[1]);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double *right = exact[cases[i].text == top];
        double g = run_case(cases[i].text, cases[i].method, cases[i].step, "0", &end, place);
        wrong += (g > 1) != cases[i].given_up;
        printf("| the %s, `%s`, step %s | %.2g | ", cases[i].name, cases[i].method, cases[i].step,
               g);
        if (g > 1)
            printf("given up at %.3g s |\n", end);
        else
            printf("off by %.1g m |\n",
                   sqrt(pow(place[0] - right[0], 2) + pow(place[1] - right[1], 2) +
                        pow(place[2] - right[2], 2)));
    }
}

int main(int count, char **arguments)
{
    for (int i = 1; i < count; i++)
        run_folder(arguments[i]);
    tell_cases();
    printf("%d not as they should be\n", wrong);
    return wrong > 0;
}
