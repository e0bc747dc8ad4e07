/* Engines that place the rows of a sweep: GNU parallel, on this machine and by ssh on others, and
 * Slurm. They start, count and retry jobs; a job is this command with --rows A-B, which runs what
 * is not done of these rows. The command is the same file everywhere: plan, model and folder are on
 * a file system that all machines see. */
#define _DEFAULT_SOURCE /* realpath */
#include "cli/sweep/sweep.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const double JOB = 10, TRIAL = 0.5, LOOK = 2; /* s */
enum { MOST_ARRAY = 1000 };                          /* jobs: Slurm's default of an array */

typedef struct engine {
    nt_sweep *sweep;
    const nt_cli_options *options;
    const char *folder;
    char *command, *plan, *place; /* whole paths: of this command, the plan, the folder */
    char *jobs;                   /* DIR/jobs: a line A-B for each                      */
    long n_jobs;
    double row_seconds;
    nt_sweep_progress progress;
} engine;

/* ---- jobs ----------------------------------------------------------------------------------- */

/* Runs rows here for a moment, to know what they take. They are kept. */
static int try_rows(engine *e)
{
    nt_error error = {0};
    nt_sweep_setup setup = {.folder = e->folder, .threads = 1, .resume = 1, .seconds = TRIAL};
    if (nt_sweep_begin(e->sweep, e->folder, e->options->resume, &error) != NT_OK ||
        nt_sweep_run(e->sweep, &setup, &e->progress, &error) != NT_OK)
        return nt_cli_fail(e->folder, &error);
    if (e->progress.fresh > 0)
        e->row_seconds = e->progress.row_seconds / (double)e->progress.fresh;
    return NT_EXIT_DONE;
}

/* Rows of a job: about ten seconds, but no slot without one, and of an array no more than it holds.
 */
static long rows_of_job(const engine *e, long most_jobs)
{
    double left = (double)(e->progress.rows - e->progress.done);
    double rows = e->row_seconds > 0 ? JOB / e->row_seconds : left;
    rows = fmin(rows, ceil(left / nt_cli_sweep_at_once(e->options)));
    return (long)fmax(1, fmax(rows, ceil(left / (double)most_jobs)));
}

/* Ranges that hold so many rows each that are not done. */
static int write_jobs(engine *e, long most_jobs)
{
    long rows = nt_sweep_rows(e->sweep), each = rows_of_job(e, most_jobs), first = -1, n = 0;
    nt_error error = {0};
    unsigned char *done = malloc((size_t)(rows + 7) / 8 + 1);
    FILE *to = done ? fopen(e->jobs, "w") : NULL;
    if (!to) {
        free(done);
        nt_cli_say("%s: cannot be written: %s", e->jobs, strerror(errno));
        return NT_EXIT_IO;
    }
    nt_status status = nt_sweep_look(e->sweep, e->folder, &e->progress, done, &error);
    for (long row = 0; row < rows && status == NT_OK; row++) {
        if (done[row >> 3] >> (row & 7) & 1)
            continue;
        first = n == 0 ? row : first;
        if (++n < each)
            continue;
        fprintf(to, "%ld-%ld\n", first, row);
        e->n_jobs++;
        n = 0;
    }
    if (n > 0 && status == NT_OK) {
        fprintf(to, "%ld-%ld\n", first, rows - 1);
        e->n_jobs++;
    }
    free(done);
    bool good = !ferror(to);
    good = fclose(to) == 0 && good;
    if (status != NT_OK)
        return nt_cli_fail(e->folder, &error);
    if (!good)
        nt_cli_say("%s: cannot be written: %s", e->jobs, strerror(errno));
    return good ? NT_EXIT_DONE : NT_EXIT_IO;
}

/* ---- a program ------------------------------------------------------------------------------ */

/* Whether a program can be started; it says which package has it. */
static int find_program(const char *name, const char *package)
{
    const char *path = getenv("PATH");
    for (const char *at = path ? path : ""; *at; at += strcspn(at, ":"), at += *at == ':') {
        char file[4096];
        snprintf(file, sizeof file, "%.*s/%s", (int)strcspn(at, ":"), at, name);
        if (access(file, X_OK) == 0)
            return NT_EXIT_DONE;
    }
    nt_cli_say("--engine: there is no program '%s' here: expected Debian's package %s "
               "(apt-get install %s), or --engine threads",
               name, package, package);
    return NT_EXIT_USAGE;
}

static void show(engine *e, bool on)
{
    nt_error error = {0};
    if (on && nt_sweep_look(e->sweep, e->folder, &e->progress, NULL, &error) == NT_OK)
        fprintf(stderr, "\r%ld of %ld rows, %ld failed \x1b[K", e->progress.done, e->progress.rows,
                e->progress.failed);
}

/* In a process of its own: becomes the program. It ends with this command, however that ends:
 * nobody else would know what it does in the folder. */
static void become_program(char *const *arguments, const char *log, pid_t parent)
{
    FILE *said = freopen(log, "w", stdout);
    if (!freopen("/dev/null", "r", stdin) || !said || dup2(fileno(said), STDERR_FILENO) < 0)
        _exit(127);
    setpgid(0, 0);
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != parent)
        _exit(127);
    execvp(arguments[0], arguments);
    _exit(127);
}

/* Runs a program to its end; what it prints goes to `log`. Its exit status, -1: it could not be
 * started. An interruption is handed on to it. */
static int run_program(engine *e, char *const *arguments, const char *log)
{
    bool on = !e->options->quiet && isatty(STDERR_FILENO);
    double looked = nt_cli_clock();
    pid_t parent = getpid(), child = fork();
    if (child == 0)
        become_program(arguments, log, parent);
    int result = -1;
    bool told = nt_cli_stop_asked(); /* what is begun after that is to come to its end */
    while (child > 0) {
        const struct timespec moment = {.tv_nsec = 50000000};
        pid_t ended = waitpid(child, &result, WNOHANG);
        if (ended == child)
            break;
        if (nt_cli_stop_asked() && !told) {
            told = true;
            kill(-child, SIGTERM);
        }
        if (nt_cli_clock() - looked > LOOK) {
            show(e, on);
            looked = nt_cli_clock();
        }
        nanosleep(&moment, NULL);
    }
    if (on)
        fprintf(stderr, "\r\x1b[K");
    return child > 0 && WIFEXITED(result) ? WEXITSTATUS(result) : -1;
}

/* ---- GNU parallel --------------------------------------------------------------------------- */

/* `word` between quotes of a shell. */
static void put_quoted(FILE *to, const char *word)
{
    fputc('\'', to);
    for (; *word; word++) {
        if (*word == '\'')
            fputs("'\\'", to);
        fputc(*word, to);
    }
    fputc('\'', to);
}

/* The plugins of this command, by their whole paths. */
static void put_plugins(FILE *to)
{
    const char *file;
    for (int i = 0; (file = nt_plugin_file(i)) != NULL; i++) {
        fputs(" --plugin ", to);
        put_quoted(to, file);
    }
}

/* This command for the rows `rows`, a word of the shell; to be freed. */
static char *job_command(const engine *e, const char *rows)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return NULL;
    put_quoted(to, e->command);
    fputs(" sweep ", to);
    put_quoted(to, e->plan);
    fputs(" -o ", to);
    put_quoted(to, e->place);
    put_plugins(to);
    fprintf(to, " --rows %s --threads 1 --quiet%s", rows,
            e->options->portable ? " --portable" : "");
    if (fclose(to) == 0)
        return text;
    free(text);
    return NULL;
}

static int run_parallel(engine *e)
{
    char slots[32], log[4096], joblog[4096];
    const nt_cli_options *options = e->options;
    char *job = job_command(e, "{}");
    char **arguments = calloc((size_t)options->n_sshlogins * 2 + 24, sizeof *arguments);
    int n = 0, status = job && arguments ? NT_EXIT_DONE : nt_cli_no_memory();
    snprintf(slots, sizeof slots, "%d", nt_cli_sweep_at_once(options));
    snprintf(log, sizeof log, "%s/parallel.log", e->place);
    snprintf(joblog, sizeof joblog, "%s/joblog", e->place);
    if (status == NT_EXIT_DONE) {
        static char *const words[] = {"parallel",
                                      "--will-cite",
                                      "--retries",
                                      "4",
                                      "--halt",
                                      "never",
                                      "--ssh",
                                      "ssh -o BatchMode=yes -o ConnectTimeout=15 "
                                      "-o ServerAliveInterval=15"};
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            arguments[n++] = words[i];
        arguments[n++] = "--joblog";
        arguments[n++] = joblog;
        if (options->n_sshlogins == 0 || options->threads > 0) {
            arguments[n++] = "-j"; /* else as many as each machine has processors */
            arguments[n++] = slots;
        }
        for (int i = 0; i < options->n_sshlogins; i++) {
            arguments[n++] = "--sshlogin";
            arguments[n++] = options->sshlogins[i];
        }
        arguments[n++] = job;
        arguments[n++] = "::::";
        arguments[n++] = e->jobs;
        if (run_program(e, arguments, log) < 0 && !nt_cli_stop_asked()) {
            nt_cli_say("parallel ended before its time, see %s", log);
            status = NT_EXIT_FAILED;
        }
    }
    free(arguments);
    free(job);
    return status;
}

/* ---- Slurm ---------------------------------------------------------------------------------- */

/* A job of the array: its rows are run up to four times, as by GNU parallel, unless somebody stops
 * them; a node that is lost is Slurm's to replace. */
static int write_script(const engine *e, const char *path)
{
    char *job = job_command(e, "\"$rows\"");
    FILE *to = job ? fopen(path, "w") : NULL;
    bool good = to != NULL;
    if (to) {
        fprintf(to,
                "#!/bin/sh\n"
                "#SBATCH --job-name=nutate-sweep\n"
                "#SBATCH --array=1-%ld\n"
                "#SBATCH --ntasks=1 --cpus-per-task=1\n"
                "#SBATCH --requeue\n"
                "#SBATCH --output=%s/slurm-%%a.log\n"
                "rows=$(sed -n \"${SLURM_ARRAY_TASK_ID}p\" ",
                e->n_jobs, e->place);
        put_quoted(to, e->jobs);
        fprintf(to,
                ")\n"
                "for try in 1 2 3 4; do\n"
                "    %s\n"
                "    status=$?\n"
                "    case $status in 0 | %d) break ;; esac\n"
                "done\n"
                "exit $status\n",
                job, NT_EXIT_INTERRUPTED);
        good = !ferror(to);
        good = fclose(to) == 0 && good;
    }
    free(job);
    if (!good)
        nt_cli_say("%s: cannot be written: %s", path, strerror(errno));
    return good ? NT_EXIT_DONE : NT_EXIT_IO;
}

/* Takes the array back that sbatch submitted, as its log says: "Submitted batch job N". */
static void cancel_array(engine *e, const char *log)
{
    char number[32] = "", other[4096];
    FILE *from = fopen(log, "r");
    bool known = from && fscanf(from, "Submitted batch job %31[0-9]", number) == 1;
    if (from)
        fclose(from);
    snprintf(other, sizeof other, "%s/scancel.log", e->place);
    char *const arguments[] = {"scancel", number, NULL};
    if (known && run_program(e, arguments, other) != 0)
        nt_cli_say("scancel %s failed, see %s: its jobs may go on", number, other);
}

static int run_slurm(engine *e)
{
    char script[4096], log[4096];
    snprintf(script, sizeof script, "%s/slurm.sh", e->place);
    snprintf(log, sizeof log, "%s/sbatch.log", e->place);
    int status = write_script(e, script);
    if (status != NT_EXIT_DONE)
        return status;
    char *const arguments[] = {"sbatch", "--wait", script, NULL};
    int result = run_program(e, arguments, log);
    if (nt_cli_stop_asked())
        cancel_array(e, log);
    else if (result != 0)
        nt_cli_say("sbatch ended with status %d, see %s", result, log);
    return NT_EXIT_DONE; /* what is left is counted */
}

/* ---- both ----------------------------------------------------------------------------------- */

static int engine_prepare(engine *e, bool slurm)
{
    e->command = realpath("/proc/self/exe", NULL);
    e->plan = realpath(e->options->name, NULL);
    int status =
        slurm ? find_program("sbatch", "slurm-client") : find_program("parallel", "parallel");
    if (status == NT_EXIT_DONE && (!e->command || !e->plan)) {
        nt_cli_say("%s: has no path: %s", e->options->name, strerror(errno));
        status = NT_EXIT_IO;
    }
    if (status == NT_EXIT_DONE)
        status = try_rows(e);
    if (status != NT_EXIT_DONE)
        return status;
    e->place = realpath(e->folder, NULL);
    e->jobs = e->place ? nt_cli_join(e->place, "/jobs") : NULL;
    if (!e->jobs)
        return nt_cli_no_memory();
    return write_jobs(e, slurm ? MOST_ARRAY : 1000000);
}

/* How it ended; rows that are left were not run, whatever the engine said. */
static int engine_finish(engine *e)
{
    nt_error error = {0};
    if (nt_sweep_look(e->sweep, e->folder, &e->progress, NULL, &error) != NT_OK)
        return nt_cli_fail(e->folder, &error);
    long left = e->progress.rows - e->progress.done;
    if (!e->options->quiet)
        fprintf(stderr, "%s: %ld of %ld rows done, %ld of them failed\n", e->folder,
                e->progress.done, e->progress.rows, e->progress.failed);
    if (nt_cli_stop_asked()) {
        nt_cli_say("%s: interrupted, %ld rows are left", e->folder, left);
        return NT_EXIT_INTERRUPTED;
    }
    if (left == 0)
        return NT_EXIT_DONE;
    nt_cli_say("%s: %ld rows were not run by the jobs: their words are in the .log files there; "
               "--resume goes on",
               e->folder, left);
    return NT_EXIT_FAILED;
}

int nt_cli_sweep_engine(nt_sweep *sweep, const nt_cli_options *options)
{
    bool slurm = strcmp(options->engine, "slurm") == 0;
    engine e = {.sweep = sweep, .options = options, .folder = options->output};
    nt_cli_signals_in_order(true);
    int status = engine_prepare(&e, slurm);
    if (status == NT_EXIT_DONE && e.n_jobs > 0)
        status = slurm ? run_slurm(&e) : run_parallel(&e);
    if (status == NT_EXIT_DONE)
        status = engine_finish(&e);
    nt_cli_signals_in_order(false);
    free(e.command);
    free(e.plan);
    free(e.place);
    free(e.jobs);
    return status;
}
