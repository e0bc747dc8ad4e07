#define _GNU_SOURCE /* MAP_ANONYMOUS, memmem */
#include "failures/command.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define TOP "{}/examples/heavy_top/heavy_top.yaml"
#define BAR "{}/examples/four_bar/four_bar.yaml"
#define DESIGN "{}/examples/top_design/top_design.yaml"
#define TRUSS "{}/examples/two_bar_truss/two_bar_truss.yaml"
#define TWIST "{}/examples/twisted_cantilever/twisted_cantilever.yaml"
#define ROTOR "{}/examples/jeffcott_rotor/jeffcott_rotor.yaml"
#define BICYCLE "{}/examples/bicycle/bicycle.yaml"
#define PIVOT "{}/examples/driven_pivot/driven_pivot.yaml"
#define GIVEN "{}/tests/failures/given"
#define CHAIN "{}/examples/chain_64/chain_64.yaml"
#define SHORT "--duration", "0.02", "--step", "0.005"

/* A page of a run holds its computing time: its name and its end are compared. */
#define TIMED_PAGE "timed.html"

const invocation invocations[] = {
    {"check", {"check", TOP, "--quiet"}},
    {"check, redundant", {"check", BAR, "--quiet"}},
    {"run to CSV", {"run", TOP, SHORT, "-o", "out.csv", "--save", "out.state"}},
    {"run to NetCDF", {"run", TOP, SHORT, "-o", "out.nc"}},
    {"run to a pipe", {"run", BAR, SHORT, "-o", "-", "--quiet"}},
    {"run with KLU", {"run", BAR, SHORT, "--solver", "klu", "-o", "out.csv"}},
    {"run densely", {"run", BAR, SHORT, "--solver", "dense", "-o", "out.csv"}},
    {"run by soi2",
     {"run", BAR, SHORT, "--method", "generalized-alpha-soi2", "--set", "simulation.tolerance=1e-4",
      "-o", "out.csv"}},
    {"run by rkmk",
     {"run", BAR, SHORT, "--method", "rkmk-dop853", "--set", "simulation.tolerance=1e-6", "-o",
      "out.csv"}},
    {"run by bdf", {"run", BAR, SHORT, "--method", "bdf", "-o", "out.csv"}},
    {"run by threads", {"run", CHAIN, SHORT, "--threads", "3", "-o", "out.csv"}},
    {"run of a top by bdf", {"run", TOP, SHORT, "--method", "bdf", "-o", "out.csv"}},
    {"run with contacts",
     {"run", "{}/examples/bouncing_balls/bouncing_balls.yaml", "--duration", "0.02", "-o",
      "out.csv"}},
    {"run that rolls",
     {"run", "{}/examples/rolling_disk/rolling_disk.yaml", "--duration", "0.02", "-o", "out.csv"}},
    {"run through a singular position",
     {"run", "{}/examples/bricard/bricard.yaml", "--duration", "2", "--set", "output.every=1", "-o",
      "out.csv"}},
    {"run of loads",
     {"run", "{}/examples/robot_arm/robot_arm.yaml", "--duration", "0.02", "-o", "out.csv"}},
    {"sens", {"sens", TOP, SHORT, "--param", "m", "--param", "arm", "-o", "out.csv"}},
    {"sens of objectives",
     {"sens", DESIGN, SHORT, "--param", "m", "--objectives", "out.txt", "-o", "out.nc"}},
    {"sens, redundant", {"sens", BAR, SHORT, "--param", "rod", "-o", "out.csv"}},
    {"sens --check", {"sens", TOP, SHORT, "--param", "m", "--check", "--quiet"}},
    {"sens by rkmk",
     {"sens", BAR, SHORT, "--param", "rod", "--method", "rkmk-dopri5", "-o", "out.csv"}},
    {"sens through a singular position",
     {"sens", "{}/examples/bricard/bricard.yaml", "--duration", "0.02", "--param", "m", "-o",
      "out.csv"}},
    {"run by splitting",
     {"run", "{}/examples/particles/particles.yaml", "--duration", "0.02", "--method",
      "semi-explicit", "-o", "out.csv"}},
    {"static", {"static", TOP, "--set", "static.hold=[free]", "-o", "out.csv"}},
    {"static, damped and redundant",
     {"static", BAR, "--set", "static.stable=true", "-o", "out.nc"}},
    {"static along a path",
     {"static", TRUSS, "--along", "P=0..40", "--path-step", "0.5", "-o", "out.csv"}},
    {"static by arc length", {"static", TRUSS, "--arc-length", "--path-step", "0.3", "-o", "-"}},
    {"sens of a static state", {"sens", BAR, "--of", "static", "--param", "m", "-o", "out.csv"}},
    {"run from rest, unknowns solved for",
     {"run", TRUSS, SHORT, "--set", "initial.static=true", "--set",
      "solve={unknowns: {P: 30}, conditions: [top.position.z - 0.4]}", "-o", "out.csv"}},
    {"sens of it",
     {"sens", TRUSS, SHORT, "--set", "initial.static=true", "--set",
      "solve={unknowns: {P: 30}, conditions: [top.position.z - 0.4]}", "--param", "k", "-o",
      "out.csv"}},
    {"modes", {"modes", TWIST, "--set", "beams.bar.order=2", "-o", "out.csv", "--quiet"}},
    {"modes of a steady motion",
     {"modes", BICYCLE, "--about", "steady", "-o", "out.nc", "--quiet"}},
    {"a Campbell diagram",
     {"modes", ROTOR, "--about", "steady", "--over", "w=0..600:4", "-o", "out.csv", "-o", "out.svg",
      "--quiet"}},
    {"modes and their derivatives",
     {"modes", ROTOR, "--about", "steady", "--param", "w", "-o", "out.csv", "--quiet"}},
    {"sens of modes",
     {"sens", ROTOR, "--of", "modes", "--about", "steady", "--param", "w", "--check", "--quiet"}},
    {"linearise", {"linearise", PIVOT, "--input", "g", "-o", "out.nc", "-o", "out.mtx"}},
    {"linearise a run, to Bode",
     {"linearise", PIVOT, "--at", "0.05", "--input", "drive.motion", "--bode", "0.1..10:5", "-o",
      "out.csv", "-o", "out.svg", "--quiet"}},
    {"orbit", {"orbit", PIVOT, "--period", "pi", "--steps", "8", "-o", "out.csv"}},
    {"orbit in segments along a path",
     {"orbit", PIVOT, "--period", "pi", "--steps", "8", "--segments", "2", "--along", "g=2..2.2:2",
      "-o", "out.csv"}},
    {"a free orbit",
     {"orbit", "{}/examples/limit_cycle/limit_cycle.yaml", "--free", "--steps", "20", "-o",
      "out.nc"}},
    {"sens of an orbit",
     {"sens", PIVOT, "--of", "orbit", "--period", "pi", "--steps", "8", "--param", "g", "--check",
      "--quiet"}},
    {"methods", {"methods"}},
    {"one method", {"methods", "bdf"}},
    {"schema", {"schema"}},
    {"papers", {"papers"}},
    {"run with beams and a tolerance", {"run", TWIST, SHORT, "-o", "out.csv"}},
    {"run with events, samples and delays",
     {"run", "{}/tests/cli/sampled.yaml", "--duration", "0.05", "-o", "out.csv"}},
    {"run with a bearing",
     {"run", "{}/examples/ball_bearing/ball_bearing.yaml", "--duration", "2e-6", "-o", "out.csv"}},
    {"run with a mooring line",
     {"run", "{}/examples/mooring_line/mooring_line.yaml", SHORT, "-o", "out.csv"}},
    {"new", {"new", "top"}},
    {"convert CSV", {"convert", "<>/result.csv", "-o", "out.nc"}},
    {"convert NetCDF", {"convert", "<>/result.nc", "-o", "out.csv"}},
    {"spectrum", {"spectrum", "<>/result.csv", "--record", "bob.position.x", "-o", "out.csv"}},
    {"glTF", {"report", "<>/result.nc", "-o", "out.glb"}},
    {"VTK", {"report", "<>/result.nc", "-o", "out.pvd"}},
    {"page", {"report", "<>/result.nc", "<>/result.csv", "-o", "out.html"}},
    {"run to a page", {"run", TOP, SHORT, "-o", TIMED_PAGE}},
    {"plot to SVG", {"plot", "<>/result.nc", "bob.position.x", "-o", "out.svg"}},
    {"plot to PNG", {"plot", "<>/result.csv", "bob.position.x", "-x", "time", "-o", "out.png"}},
    {"plot to PDF", {"plot", "<>/result.nc", "bob.position.x", "-o", "out.pdf"}},
    {"import windIO", {"import", "windio", GIVEN "/windio.yaml", "-o", "out.yaml"}},
    {"import windIO, a rotor",
     {"import", "windio", GIVEN "/windio.yaml", "--part", "rotor", "-o", "-"}},
    {"import BeamDyn", {"import", "beamdyn", GIVEN "/beamdyn.inp", "-o", "out.yaml"}},
    {"sweep", {"sweep", GIVEN "/plan.yaml", "-o", "rows", "--threads", "1", "--quiet"}},
    {"sweep, collected", {"sweep", "--collect", "<>/rows", "-o", "out.nc", "--quiet"}},
    {"sweep, its statistics", {"sweep", "--statistics", "<>/rows", "-o", "out.csv", "--quiet"}},
};
const int n_invocations = sizeof invocations / sizeof invocations[0];

/* ---- the folder ----------------------------------------------------------------------------- */

static void empty(const char *folder)
{
    DIR *open = opendir(folder);
    char path[4096];
    for (struct dirent *entry; open && (entry = readdir(open));) {
        bool within = strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (within && unlink(path) != 0 && errno == EISDIR) {
            empty(path);
            rmdir(path);
        }
    }
    if (open)
        closedir(open);
    else
        mkdir(folder, 0777);
}

static unsigned long long add(unsigned long long sum, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ at[i]) * 1099511628211u;
    return sum;
}

/* The time at which a figure was made is nothing of it. */
static void clear_date(char *bytes, size_t size)
{
    static const char key[] = "/CreationDate (D:";
    char *at = memmem(bytes, size, key, sizeof key - 1);
    for (at = at ? at + sizeof key - 1 : NULL; at && at < bytes + size && *at != ')'; at++)
        *at = '0';
}

/* The sum of a file; sums of files are added up, so that their order is of no account. */
static unsigned long long sum_of_file(const char *folder, const char *name)
{
    char path[4096], bytes[65536];
    unsigned long long sum = add(14695981039346656037u, name, strlen(name) + 1);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (file && strcmp(name, TIMED_PAGE) == 0)
        fseek(file, -(long)strlen("</html>\n"), SEEK_END);
    for (size_t got; file && (got = fread(bytes, 1, sizeof bytes, file)) > 0;) {
        clear_date(bytes, got);
        sum = add(sum, bytes, got);
    }
    if (file)
        fclose(file);
    return sum;
}

static const char printed[] = "standard_output";

/* Folders within count by the names in them: rows of a sweep hold computing times. */
static unsigned long long names_within(const char *folder, const char *name)
{
    char path[4096];
    unsigned long long sum = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    DIR *open = opendir(path);
    for (struct dirent *entry; open && (entry = readdir(open));)
        sum += add(14695981039346656037u, entry->d_name, strlen(entry->d_name) + 1);
    if (open)
        closedir(open);
    return sum;
}

static void look_at(const char *folder, outcome *o)
{
    DIR *open = opendir(folder);
    for (struct dirent *entry; open && (entry = readdir(open));)
        if (entry->d_name[0] != '.') {
            unsigned long long sum =
                sum_of_file(folder, entry->d_name) + names_within(folder, entry->d_name);
            o->sum += sum;
            if (strcmp(entry->d_name, printed) != 0 && o->n_left < FILES)
                o->left[o->n_left++] = sum;
        }
    if (open)
        closedir(open);
}

/* Of standard error all lines count but that of computing times. */
static void listen(int from, outcome *o)
{
    size_t used = 0;
    FILE *file = fdopen(from, "r");
    for (char line[SAID]; file && fgets(line, sizeof line, file);) {
        if (strncmp(line, "  time ", 7) != 0)
            o->sum += add(0, line, strlen(line));
        used += (size_t)snprintf(o->said + used, SAID - used, "%s", line);
        used = used < SAID ? used : SAID - 1;
    }
    if (file)
        fclose(file);
}

/* ---- one run -------------------------------------------------------------------------------- */

enum { SECONDS = 60 };

static bool put(int file, int to)
{
    bool good = file >= 0 && dup2(file, to) == to;
    close(file);
    return good;
}

/* Where results stand that other commands read. */
static char given[4096];

static void be_the_command(const invocation *what, const char *folder, int pipe,
                           void (*begin)(long), long n)
{
    static char words[ARGUMENTS][sizeof given + 1024];
    char *argument[ARGUMENTS + 2] = {(char[]){"nutate"}};
    int count = 1;
    for (int i = 0; i < ARGUMENTS && what->argument[i]; i++) {
        const char *text = what->argument[i];
        bool in_tree = strncmp(text, "{}", 2) == 0, is_given = strncmp(text, "<>", 2) == 0;
        snprintf(words[i], sizeof words[i], "%s%s",
                 in_tree    ? NUTATE_SOURCE_DIR
                 : is_given ? given
                            : "",
                 text + (in_tree || is_given ? 2 : 0));
        argument[count++] = words[i];
    }
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    if (chdir(folder) != 0 || !put(pipe, STDERR_FILENO) ||
        !put(open(printed, O_WRONLY | O_CREAT | O_TRUNC, 0666), STDOUT_FILENO))
        _exit(99);
    alarm(SECONDS);
    begin(n);
    exit(nutate_main(count, argument));
}

outcome command_run(const invocation *what, const char *folder, void (*begin)(long), long n)
{
    outcome o = {.status = -1};
    int status = 0, ends[2];
    empty(folder);
    fflush(NULL);
    pid_t process = pipe(ends) == 0 ? fork() : -1;
    if (process == 0) {
        close(ends[0]);
        be_the_command(what, folder, ends[1], begin, n);
    }
    if (process > 0) {
        close(ends[1]);
        listen(ends[0], &o);
    }
    if (process < 0 || waitpid(process, &status, 0) != process) {
        perror("fork");
        exit(99);
    }
    if (WIFEXITED(status))
        o.status = WEXITSTATUS(status);
    else
        o.signal = WTERMSIG(status);
    look_at(folder, &o);
    return o;
}

bool command_can_run(const invocation *what)
{
    bool draws = strcmp(what->argument[0], "plot") == 0;
    bool can = !draws || system("command -v gnuplot >/dev/null 2>&1") == 0;
    if (!can)
        printf("%s: not run, gnuplot is not installed\n", what->name);
    return can;
}

/* A page for the reports, so that none needs to be built. */
static void give_page(void)
{
    char path[sizeof given + 32];
    snprintf(path, sizeof path, "%s/report.html", given);
    FILE *page = fopen(path, "w");
    bool good = page && fputs("<html><!--results--></html>\n", page) >= 0;
    if (!page || fclose(page) != 0 || !good || setenv("NUTATE_SHARE", given, 1) != 0) {
        perror(path);
        exit(99);
    }
}

void command_give(const char *folder, void (*begin)(long))
{
    static const invocation both[] = {
        {"a sweep that others read",
         {"sweep", GIVEN "/plan.yaml", "-o", "rows", "--threads", "1", "--quiet"}},
        {"results that others read",
         {"run", PIVOT, "--duration", "0.2", "--step", "0.02", "-o", "../result.csv", "-o",
          "../result.nc"}},
    };
    char within[4200];
    snprintf(given, sizeof given, "%s.given", folder);
    empty(given);
    snprintf(within, sizeof within, "%s/sweep", given);
    for (int i = 0; i < 2; i++)
        if (command_run(&both[i], i == 0 ? given : within, begin, 0).status != 0) {
            printf("%s were not made\n", both[i].name);
            exit(99);
        }
    char *whole = realpath(given, NULL);
    snprintf(given, sizeof given, "%s", whole ? whole : ".");
    free(whole);
    give_page();
}

long *command_shared(void)
{
    void *memory =
        mmap(NULL, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        perror("mmap");
        exit(99);
    }
    return memory;
}

/* ---- the judgement -------------------------------------------------------------------------- */

static bool is_among(int status, const int *allowed)
{
    while (*allowed && *allowed != status)
        allowed++;
    return *allowed == status && status != 0;
}

/* Whether what a command writes is made of what is there already: then a part of it, which could be
 * taken for the whole, is of no use to anybody. Rows that a computation has reached are. */
static bool leaves_no_part(const invocation *what)
{
    static const char *const commands[] = {"new",    "convert", "spectrum",
                                           "report", "plot",    "import"};
    bool collects = strcmp(what->argument[0], "sweep") == 0 && what->argument[1][0] == '-';
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        collects |= strcmp(what->argument[0], commands[i]) == 0;
    return collects;
}

/* Whether every file that was left is one of those that are left when nothing fails. */
static bool left_whole(const outcome *whole, const outcome *got)
{
    bool all = true;
    for (int i = 0; i < got->n_left; i++) {
        bool found = false;
        for (int k = 0; k < whole->n_left; k++)
            found |= whole->left[k] == got->left[i];
        all &= found;
    }
    return all;
}

bool command_judge(const invocation *what, long n, const outcome *whole, const outcome *got,
                   const int *allowed, const char *word)
{
    const char *why = NULL, *line = strstr(got->said, "nutate: ");
    if (got->signal)
        why = strsignal(got->signal);
    else if (got->status == whole->status)
        why = got->sum != whole->sum ? "the same status, but other files" : NULL;
    else if (!is_among(got->status, allowed))
        why = "a status that is not for this";
    else if (!line)
        why = "no message";
    else if (!strstr(line, word))
        why = "a message that speaks of something else";
    else if (leaves_no_part(what) && !left_whole(whole, got))
        why = "a part of a file stays";
    if (why)
        printf("%s, failure %ld: %s (status %d)\n    %s\n", what->name, n, why, got->status,
               got->said);
    return !why;
}
