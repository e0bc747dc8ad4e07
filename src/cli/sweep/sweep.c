/* nutate sweep: many runs of one model, as a plan says. */
#include "cli/sweep/sweep.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* More rows than anybody waits for, unless asked twice. */
static const long MOST_ROWS = 10000000;

/* ---- words ---------------------------------------------------------------------------------- */

static void time_words(double seconds, char *text, size_t size)
{
    if (seconds < 120)
        snprintf(text, size, "%.3g s", seconds);
    else if (seconds < 2 * 3600)
        snprintf(text, size, "%.3g min", seconds / 60);
    else if (seconds < 2 * 86400)
        snprintf(text, size, "%.3g h", seconds / 3600);
    else
        snprintf(text, size, "%.3g days", seconds / 86400);
}

static void size_words(double bytes, char *text, size_t size)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    int i = 0;
    for (; bytes >= 1000 && i < 5; i++)
        bytes /= 1000;
    snprintf(text, size, "%.3g %s", bytes, units[i]);
}

int nt_cli_sweep_at_once(const nt_cli_options *options)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return options->threads > 0 ? options->threads : processors > 0 ? (int)processors : 1;
}

/* Says what a number of rows costs, in words: into text[size]. */
static void sweep_cost(const nt_sweep *sweep, long rows, double row_seconds, int at_once,
                       char *text, size_t size)
{
    char time[40], bytes[40];
    time_words(row_seconds * (double)rows / at_once, time, sizeof time);
    size_words((double)nt_sweep_row_size(sweep) * (double)rows, bytes, sizeof bytes);
    snprintf(text, size, "%ld rows: %s on the disk, %s at %.3g ms a row, %d at once", rows, bytes,
             time, 1e3 * row_seconds, at_once);
}

/* ---- progress ------------------------------------------------------------------------------- */

typedef struct watcher {
    bool on;      /* standard error is a terminal */
    double shown; /* s, clock                     */
    long wanted;  /* rows of this call            */
} watcher;

static int watch(void *context, const nt_sweep_progress *progress)
{
    watcher *w = context;
    char left[40] = "";
    double now = nt_cli_clock();
    if (w->on && now - w->shown > 0.5) {
        w->shown = now;
        if (progress->fresh > 0)
            time_words(progress->seconds / (double)progress->fresh *
                           (double)(w->wanted - progress->fresh),
                       left, sizeof left);
        fprintf(stderr, "\r%ld of %ld rows, %ld failed%s%s left \x1b[K", progress->done,
                progress->rows, progress->failed, *left ? ", " : "", *left ? left : ", ...");
        fflush(stderr);
    }
    return nt_cli_stop_asked();
}

static void sweep_summary(const char *folder, const nt_sweep_progress *p)
{
    char time[40];
    time_words(p->seconds, time, sizeof time);
    fprintf(stderr, "%s: %ld of %ld rows done, %ld of them failed\n", folder, p->done, p->rows,
            p->failed);
    if (p->fresh > 0)
        fprintf(stderr, "  %ld rows in %s, %.3g ms of processor time each\n", p->fresh, time,
                1e3 * p->row_seconds / (double)p->fresh);
}

/* ---- checks --------------------------------------------------------------------------------- */

static int read_rows(const char *text, long rows, nt_sweep_setup *setup)
{
    char *end = NULL;
    errno = 0;
    long first = strtol(text, &end, 10), last = first;
    bool good = end != text && first >= 0 && errno == 0;
    if (good && *end == '-') {
        const char *from = end + 1;
        last = strtol(from, &end, 10);
        good = end != from && errno == 0;
    }
    if (!good || *end != '\0' || last < first || last >= rows) {
        nt_cli_say("--rows: expected A-B from 0 to %ld, got '%s'", rows - 1, text);
        return NT_EXIT_USAGE;
    }
    setup->first = first;
    setup->count = last - first + 1;
    return NT_EXIT_DONE;
}

/* So many rows, or more than the disk has room for, are asked back with what they cost. */
static int check_cost(nt_sweep *sweep, const nt_cli_options *options, const char *folder)
{
    char cost[200];
    nt_error error = {0};
    double seconds;
    long rows = nt_sweep_rows(sweep);
    struct statvfs disk;
    bool known = statvfs(folder, &disk) == 0 || statvfs(".", &disk) == 0;
    double room = known ? (double)disk.f_bavail * (double)disk.f_frsize : (double)INFINITY;
    double needed = (double)nt_sweep_row_size(sweep) * (double)rows;
    if (options->no_limit || (rows <= MOST_ROWS && needed < room))
        return NT_EXIT_DONE;
    if (nt_sweep_time(sweep, &seconds, &error) != NT_OK)
        return nt_cli_fail(options->name, &error);
    sweep_cost(sweep, rows, seconds, nt_cli_sweep_at_once(options), cost, sizeof cost);
    if (rows > MOST_ROWS)
        nt_cli_say("%s: %s; expected at most %ld rows, or --no-limit", options->name, cost,
                   MOST_ROWS);
    else
        nt_cli_say("%s: %s; the disk has less room: expected fewer rows, another folder, or "
                   "--no-limit",
                   options->name, cost);
    return NT_EXIT_USAGE;
}

/* ---- what it can be asked ------------------------------------------------------------------- */

static int dry_run(nt_sweep *sweep, const nt_cli_options *options)
{
    nt_error error = {0};
    double seconds;
    char cost[200], value[80];
    long rows = nt_sweep_rows(sweep);
    if (nt_sweep_time(sweep, &seconds, &error) != NT_OK)
        return nt_cli_fail(options->name, &error);
    sweep_cost(sweep, rows, seconds, nt_cli_sweep_at_once(options), cost, sizeof cost);
    printf("%s\n", cost);
    for (int i = 0; i < 2; i++) {
        printf("row %ld:", i == 0 ? 0 : rows - 1);
        for (int k = 0; k < nt_sweep_axis_count(sweep); k++) {
            nt_sweep_value(sweep, i == 0 ? 0 : rows - 1, k, value, sizeof value);
            printf(" %s=%s", nt_sweep_axis(sweep, k), value);
        }
        printf("\n");
    }
    return nt_cli_finish_output();
}

static int show_status(const char *folder)
{
    nt_sweep *sweep;
    nt_error error = {0};
    nt_sweep_progress p;
    nt_status status = nt_sweep_open(&sweep, folder, &error);
    if (status == NT_OK)
        status = nt_sweep_look(sweep, folder, &p, NULL, &error);
    nt_sweep_destroy(sweep);
    if (status != NT_OK)
        return nt_cli_fail(folder, &error);
    printf("rows %ld\ndone %ld\nfailed %ld\nleft %ld\n", p.rows, p.done, p.failed, p.rows - p.done);
    return nt_cli_finish_output();
}

/* Rows by threads of this process. */
static int run_threads(nt_sweep *sweep, const nt_cli_options *options)
{
    const char *folder = options->output;
    watcher w = {.on = !options->quiet && isatty(STDERR_FILENO), .wanted = nt_sweep_rows(sweep)};
    nt_sweep_setup setup = {.folder = folder,
                            .threads = options->threads,
                            .resume = options->resume,
                            .worker = options->rows != NULL,
                            .watch = watch,
                            .context = &w};
    nt_sweep_progress progress = {0};
    nt_error error = {0};
    int status = NT_EXIT_DONE;
    if (options->rows)
        status = read_rows(options->rows, nt_sweep_rows(sweep), &setup);
    if (status != NT_EXIT_DONE)
        return status;
    if (setup.count > 0)
        w.wanted = setup.count;
    nt_cli_signals_in_order(true);
    nt_status done = nt_sweep_run(sweep, &setup, &progress, &error);
    nt_cli_signals_in_order(false);
    if (w.on)
        fprintf(stderr, "\r\x1b[K");
    if (done != NT_OK)
        status = nt_cli_fail(folder, &error);
    if (done == NT_OK || progress.fresh > 0)
        if (!options->quiet)
            sweep_summary(folder, &progress);
    return status;
}

/* ---- the command ---------------------------------------------------------------------------- */

static int sweep_usage(const char *words)
{
    nt_cli_say("sweep: %s (nutate sweep --help)", words);
    return NT_EXIT_USAGE;
}

/* Starts the command again with the C library told to take its plainest code. */
static int start_portable(const nt_cli_options *options)
{
    const char *tuned = getenv("GLIBC_TUNABLES");
    if (!options->portable || (tuned && strcmp(tuned, NT_SWEEP_PORTABLE) == 0))
        return NT_EXIT_DONE;
    if (setenv("GLIBC_TUNABLES", NT_SWEEP_PORTABLE, 1) == 0)
        execv("/proc/self/exe", options->command);
    nt_cli_say("--portable: the command cannot be started again: %s", strerror(errno));
    return NT_EXIT_FAILED;
}

static int check_engine(const nt_cli_options *options)
{
    static const char *const engines[] = {"threads", "parallel", "slurm"};
    const char *engine = options->engine ? options->engine : "threads";
    char hint[80];
    int i = 0;
    while (i < 3 && strcmp(engine, engines[i]) != 0)
        i++;
    if (i == 3) {
        nt_cli_suggestion(engine, engines, 3, hint, sizeof hint);
        nt_cli_say("--engine: expected threads, parallel or slurm, got '%s'%s", engine, hint);
        return NT_EXIT_USAGE;
    }
    if (i != 1 && options->n_sshlogins > 0)
        return sweep_usage("--sshlogin is for --engine parallel");
    if (i != 0 && options->rows)
        return sweep_usage("--rows are run by this command itself, without --engine");
    return NT_EXIT_DONE;
}

int nt_cli_sweep(const nt_cli_options *options)
{
    nt_sweep *sweep = NULL;
    nt_error error = {0};
    if (options->collect && options->statistics)
        return sweep_usage("expected --collect or --statistics");
    if (options->collect)
        return nt_cli_sweep_collect(options);
    if (options->statistics)
        return nt_cli_sweep_statistics(options);
    if (options->n_outputs > 1)
        return sweep_usage("expected one folder: -o DIR");
    if (options->show_status)
        return options->output ? show_status(options->output)
                               : sweep_usage("--status of which folder? expected -o DIR");
    if (!options->name)
        return sweep_usage("expected a PLAN, or --collect DIR");
    if (!options->output && !options->dry_run)
        return sweep_usage("where do the rows go? expected -o DIR");
    int status = check_engine(options);
    if (status == NT_EXIT_DONE)
        status = start_portable(options);
    if (status != NT_EXIT_DONE)
        return status;
    if (nt_sweep_read(&sweep, options->name, &error) != NT_OK)
        return nt_cli_fail(options->name, &error);
    if (options->dry_run)
        status = dry_run(sweep, options);
    else {
        status = check_cost(sweep, options, options->output);
        if (status == NT_EXIT_DONE)
            status = options->engine && strcmp(options->engine, "threads") != 0
                         ? nt_cli_sweep_engine(sweep, options)
                         : run_threads(sweep, options);
    }
    nt_sweep_destroy(sweep);
    return status;
}
