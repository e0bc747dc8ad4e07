/* nutate plot: figures of results for print, drawn by gnuplot in the style of the papers' figures.
 * Curves of one unit share a panel; panels stand below each other over the same axis. */
#include "cli/plot/plot.h"

#include "papers/papers.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, NOT_FOUND = 127, WIDTH = 720, PANEL = 230, LONE = 380, MOST_UNITS = 64 };

/* ---- the script ----------------------------------------------------------------------------- */

/* Text between single quotes of gnuplot. */
static void put_quoted(FILE *to, const char *text)
{
    fputc('\'', to);
    for (; *text; text++) {
        if (*text == '\'')
            fputc('\'', to);
        fputc((unsigned char)*text < 0x20 ? ' ' : *text, to);
    }
    fputc('\'', to);
}

static void put_points(FILE *to, const nt_cli_curve *c, int number)
{
    fprintf(to, "$d%d << EOD\n", number);
    for (long i = 0; i < c->n; i++)
        if (c->y[i] == c->y[i])
            fprintf(to, "%.9g %.9g\n", c->x[i], c->y[i]);
        else
            fputc('\n', to); /* a gap */
    fputs("EOD\n", to);
}

/* The units of all curves, each once, in order. */
static int find_units(const nt_cli_figure *f, const char *units[MOST_UNITS])
{
    int n = 0;
    for (int i = 0; i < f->n_curves; i++) {
        int k = 0;
        while (k < n && strcmp(units[k], f->curves[i].unit) != 0)
            k++;
        if (k == n && n < MOST_UNITS)
            units[n++] = f->curves[i].unit;
    }
    return n;
}

static int count_of(const nt_cli_figure *f, const char *unit)
{
    int n = 0;
    for (int i = 0; i < f->n_curves; i++)
        n += strcmp(f->curves[i].unit, unit) == 0;
    return n;
}

/* A panel of one curve is labelled by its name, one of several by the unit. */
static void put_panel(FILE *to, const nt_cli_figure *f, const char *unit, bool last)
{
    bool lone = count_of(f, unit) == 1, first = true;
    char label[400];
    for (int i = 0; i < f->n_curves; i++)
        if (lone && strcmp(f->curves[i].unit, unit) == 0)
            snprintf(label, sizeof label, "%s%s%s%s", f->spectrum ? "amplitude of " : "",
                     f->curves[i].label, *unit ? ", " : "", unit);
    if (!lone)
        snprintf(label, sizeof label, "%s%s", f->spectrum ? "amplitude, " : "",
                 *unit ? unit : "value");
    fputs("set ylabel ", to);
    put_quoted(to, label);
    fputs("\nset xlabel ", to);
    put_quoted(to, last ? f->x_label : "");
    fprintf(to, "\n%s key\nplot ", lone ? "unset" : "set");
    for (int i = 0; i < f->n_curves; i++) {
        const nt_cli_curve *c = &f->curves[i];
        if (strcmp(c->unit, unit) != 0)
            continue;
        fprintf(to, "%s$d%d using 1:2 with ", first ? "" : ", \\\n", i);
        if (c->points)
            fprintf(to, "points ls %d pt 7 ps 0.3 title ", c->color % 6 + 1);
        else
            fprintf(to, "lines ls %d dt %d title ", c->color % 6 + 1, c->dash % 5 + 1);
        put_quoted(to, c->label);
        first = false;
    }
    fputc('\n', to);
}

static void put_script(FILE *to, const nt_cli_figure *f, const char *style, const char *path)
{
    const char *units[MOST_UNITS], *dot = strrchr(path, '.');
    int panels = find_units(f, units);
    char name[PATH_SIZE];
    snprintf(name, sizeof name, "%.*s", (int)(dot - path), path);
    for (int i = 0; i < f->n_curves; i++)
        put_points(to, &f->curves[i], i);
    fprintf(to, "width = %d\nheight = %d\nname = ", WIDTH, panels > 1 ? panels * PANEL + 60 : LONE);
    put_quoted(to, name);
    fputs("\nformat = ", to);
    put_quoted(to, dot + 1);
    fputs("\nload ", to);
    put_quoted(to, style);
    fputs("\nset key noenhanced outside top center horizontal reverse Left\n"
          "set xlabel noenhanced\nset ylabel noenhanced\nset format '%g'\n",
          to);
    if (f->spectrum)
        fputs("set logscale y\n", to);
    bool path_of_points = !f->against_time && panels == 1 && !f->spectrum && f->x_unit &&
                          strcmp(f->x_unit, units[0]) == 0 && strcmp(units[0], "m") == 0;
    if (path_of_points)
        fputs("set size ratio -1\n", to);
    if (panels > 1)
        fprintf(to, "set multiplot layout %d,1\nset lmargin 12\nset rmargin 3\n", panels);
    for (int i = 0; i < panels; i++)
        put_panel(to, f, units[i], i + 1 == panels);
    if (panels > 1)
        fputs("unset multiplot\n", to);
    fputs("set output\n", to);
}

/* ---- gnuplot -------------------------------------------------------------------------------- */

/* Starts gnuplot with its standard input at the end of a pipe; the writing end. */
static FILE *start_gnuplot(pid_t *child)
{
    int ends[2];
    if (pipe(ends) != 0)
        return NULL;
    *child = fork();
    if (*child == 0) {
        dup2(ends[0], STDIN_FILENO);
        close(ends[0]);
        close(ends[1]);
        execlp("gnuplot", "gnuplot", "-", (char *)NULL);
        _exit(NOT_FOUND);
    }
    close(ends[0]);
    FILE *to = *child > 0 ? fdopen(ends[1], "w") : NULL;
    if (!to)
        close(ends[1]);
    return to;
}

/* A figure's last bytes, as gnuplot writes them. */
static const char *end_of(const char *path)
{
    return nt_cli_ends_with(path, ".svg")   ? "</svg>\n\n"
           : nt_cli_ends_with(path, ".pdf") ? "%%EOF\n"
                                            : "IEND\xae\x42\x60\x82";
}

static bool is_whole(const char *path)
{
    char last[16];
    const char *end = end_of(path);
    ssize_t length = (ssize_t)strlen(end), got = -1;
    int file = open(path, O_RDONLY);
    if (file >= 0 && lseek(file, -length, SEEK_END) >= 0)
        got = read(file, last, sizeof last);
    if (file >= 0)
        close(file);
    return got == length && memcmp(last, end, (size_t)length) == 0;
}

/* Gnuplot does not look whether what it draws is written. What is in the way is asked for by a
 * write of our own; a part of a figure is of no use. */
static int check_whole(const char *path)
{
    static const char more[4096] = "";
    if (is_whole(path))
        return NT_EXIT_DONE;
    nt_cli_part part = nt_cli_part_of(path);
    int file = open(path, O_WRONLY | O_APPEND), why = 0;
    if (file >= 0 && write(file, more, sizeof more) < (ssize_t)sizeof more)
        why = write(file, more, sizeof more) < 0 ? errno : 0;
    if (file >= 0)
        close(file);
    nt_cli_say("%s: gnuplot could not write all of it%s%s", path, why ? ": " : "",
               why ? strerror(why) : "");
    nt_cli_take_back(&part);
    return NT_EXIT_IO;
}

static int draw(const nt_cli_figure *f, const char *style, const char *path)
{
    pid_t child;
    int ended = -1;
    void (*before)(int) = signal(SIGPIPE, SIG_IGN); /* one that is not there does not read */
    FILE *to = start_gnuplot(&child);
    if (!to) {
        nt_cli_say("gnuplot cannot be started: %s", strerror(errno));
        return NT_EXIT_IO;
    }
    put_script(to, f, style, path);
    fclose(to);
    while (waitpid(child, &ended, 0) < 0 && errno == EINTR)
        ;
    signal(SIGPIPE, before);
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == 0)
        return check_whole(path);
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == NOT_FOUND)
        nt_cli_say("figures are drawn by gnuplot, which is not installed (Debian's gnuplot-nox)");
    else
        nt_cli_say("%s: gnuplot failed to draw it, its own message stands above", path);
    nt_cli_part part = nt_cli_part_of(is_whole(path) ? NULL : path);
    nt_cli_take_back(&part);
    return NT_EXIT_IO;
}

/* ---- the command ---------------------------------------------------------------------------- */

static bool is_result(const char *text)
{
    return nt_cli_ends_with(text, ".nc") || nt_cli_ends_with(text, ".csv");
}

static int check_figure(const nt_cli_options *options, const nt_cli_figure *f)
{
    const char *path = options->output;
    if (f->n_results == 0) {
        nt_cli_say("plot needs a RESULT, FILE.nc or FILE.csv, before the names of what is drawn");
        return NT_EXIT_USAGE;
    }
    if (f->n_names == 0 || !path) {
        nt_cli_say("plot needs %s (nutate plot --help)",
                   path ? "the name of what is drawn, such as top.position.z" : "-o FILE");
        return NT_EXIT_USAGE;
    }
    if (!nt_cli_ends_with(path, ".svg") && !nt_cli_ends_with(path, ".pdf") &&
        !nt_cli_ends_with(path, ".png")) {
        nt_cli_say("-o: expected a name that ends in .svg, .pdf or .png, got '%s'", path);
        return NT_EXIT_USAGE;
    }
    if (options->spectrum && options->against) {
        nt_cli_say("--spectrum is drawn over frequency: expected no -x");
        return NT_EXIT_USAGE;
    }
    if (options->window && !options->spectrum) {
        nt_cli_say("--window belongs to --spectrum");
        return NT_EXIT_USAGE;
    }
    return nt_cli_check_place(path);
}

static int open_results(nt_cli_figure *f, bool quiet)
{
    nt_error error = {0};
    for (int i = 0; i < f->n_results; i++) {
        if (nt_result_open(&f->results[i], f->paths[i], &error) != NT_OK)
            return nt_cli_fail(f->paths[i], &error);
        if (nt_result_rows(f->results[i]) == 0) {
            nt_cli_say("'%s' has no rows", f->paths[i]);
            return NT_EXIT_USAGE;
        }
        if (!quiet && !nt_cli_same_bodies(f->results[0], f->results[i]))
            nt_cli_say("warning: '%s' and '%s' are of different mechanisms: their bodies differ",
                       f->paths[0], f->paths[i]);
    }
    return NT_EXIT_DONE;
}

int nt_cli_plot(const nt_cli_options *options)
{
    size_t n = (size_t)options->n_names;
    char folder[PATH_SIZE], style[PATH_SIZE + 32];
    nt_error error = {0};
    nt_cli_figure f = {.results = calloc(n + 1, sizeof *f.results),
                       .paths = calloc(n + 1, sizeof *f.paths),
                       .names = calloc(n + 1, sizeof *f.names)};
    int status = f.results && f.paths && f.names ? NT_EXIT_DONE : nt_cli_no_memory();
    for (size_t i = 0; i < n && status == NT_EXIT_DONE; i++) {
        if (is_result(options->names[i]))
            f.paths[f.n_results++] = options->names[i];
        else
            f.names[f.n_names++] = options->names[i];
    }
    if (status == NT_EXIT_DONE)
        status = check_figure(options, &f);
    if (status == NT_EXIT_DONE && nt_papers_folder(folder, sizeof folder, &error) != NT_OK)
        status = nt_cli_fail(NULL, &error);
    if (status == NT_EXIT_DONE)
        status = open_results(&f, options->quiet);
    if (status == NT_EXIT_DONE)
        status = nt_cli_figure_fill(&f, options);
    snprintf(style, sizeof style, "%s/common/style.gp", folder);
    if (status == NT_EXIT_DONE)
        status = draw(&f, style, options->output);
    nt_cli_figure_free(&f);
    for (int i = 0; f.results && i < f.n_results; i++)
        nt_result_close(f.results[i]);
    free(f.results);
    free(f.paths);
    free(f.names);
    return status;
}
