/* Curves of a figure: columns of results over time, over another column, or as spectra. */
#include "cli/plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 256, MOST_CURVES = 64 };
static const double PI = 3.14159265358979323846;
static const double EQUAL = 1e-6; /* of the interval: rows are equally far apart */

/* ---- columns -------------------------------------------------------------------------------- */

/* Whether a column belongs to what is named: the name itself, or a component of it. */
static bool belongs(const char *column, const char *name)
{
    size_t length = strlen(name);
    return strncmp(column, name, length) == 0 &&
           (column[length] == '\0' || (column[length] == '.' && !strchr(column + length + 1, '.')));
}

int nt_cli_unknown_column(const nt_cli_figure *f, int result, const char *name)
{
    int n = nt_result_column_count(f->results[result]);
    const char **names = calloc((size_t)n + 1, sizeof *names);
    char hint[200] = "";
    if (!names)
        return nt_cli_no_memory();
    for (int i = 0; i < n; i++)
        names[i] = nt_result_column_at(f->results[result], i).name;
    nt_cli_suggestion(name, names, n, hint, sizeof hint);
    nt_cli_say("'%s' has no column '%s'%s", f->paths[result], name, hint);
    free(names);
    return NT_EXIT_USAGE;
}

int nt_cli_figure_curve(nt_cli_figure *f, int result, int column, int color, const char *words,
                        nt_cli_curve **curve)
{
    nt_result_column c = nt_result_column_at(f->results[result], column);
    if (f->n_curves == MOST_CURVES) {
        nt_cli_say("more than %d curves in one figure, expected fewer", MOST_CURVES);
        return NT_EXIT_USAGE;
    }
    /* results whose files have one name are told apart by their folders */
    const char *from = nt_cli_base_name(f->paths[result]);
    for (int i = 0; i < f->n_results; i++)
        if (i != result && strcmp(nt_cli_base_name(f->paths[i]), from) == 0)
            from = f->paths[result];
    size_t rows = (size_t)nt_result_rows(f->results[result]), room = 2 * rows + 2;
    *curve = &f->curves[f->n_curves++];
    **curve = (nt_cli_curve){.unit = c.unit, .color = color, .dash = result};
    (*curve)->x = malloc(room * sizeof(double));
    (*curve)->y = malloc(room * sizeof(double));
    (*curve)->label = malloc(strlen(c.name) + strlen(words) + strlen(from) + 4);
    if (!(*curve)->x || !(*curve)->y || !(*curve)->label)
        return nt_cli_no_memory();
    sprintf((*curve)->label, f->n_results > 1 ? "%s%s, %s" : "%s%s", c.name, words, from);
    return NT_EXIT_DONE;
}

/* ---- points --------------------------------------------------------------------------------- */

/* Appends a point. An angle that wraps, or what is no number, ends the line before it. */
static void add_point(nt_cli_curve *c, double x, double y, bool wraps)
{
    bool good = isfinite(x) && isfinite(y), begun = c->n > 0 && isfinite(c->y[c->n - 1]);
    bool jump = good && begun && wraps && fabs(y - c->y[c->n - 1]) > PI;
    if (begun && (!good || jump)) {
        c->x[c->n] = c->y[c->n] = (double)NAN;
        c->n++;
    }
    if (!good)
        return;
    c->x[c->n] = x;
    c->y[c->n++] = y;
}

/* A column of all rows, and the one that it is drawn over; rows before `from` are left out. */
static int read_points(nt_cli_figure *f, int result, int over, int column, double from,
                       nt_cli_curve *c)
{
    nt_result *r = f->results[result];
    size_t columns = (size_t)nt_result_column_count(r);
    long n = nt_result_rows(r), missing = 0;
    double *rows = malloc(AT_ONCE * columns * sizeof *rows);
    bool wraps = strcmp(c->unit, "rad") == 0 && !f->spectrum;
    nt_error error = {0};
    if (!rows)
        return nt_cli_no_memory();
    for (long row = 0; row < n; row += AT_ONCE) {
        long piece = n - row < AT_ONCE ? n - row : AT_ONCE;
        if (nt_result_read(r, row, piece, rows, &error) != NT_OK) {
            free(rows);
            return nt_cli_fail(f->paths[result], &error);
        }
        for (long i = 0; i < piece; i++) {
            const double *value = rows + (size_t)i * columns;
            if (from > 0 && value[0] < from)
                continue;
            missing += !isfinite(value[over]) || !isfinite(value[column]);
            add_point(c, value[over], value[column], wraps);
        }
    }
    free(rows);
    if (missing > 0 && !f->spectrum)
        nt_cli_say("warning: '%s': %ld of %ld rows of %s are no finite numbers, the line has gaps "
                   "there",
                   f->paths[result], missing, n, c->label);
    if (missing > 0 && f->spectrum) {
        nt_cli_say("'%s': %ld rows of %s are no finite numbers: expected finite ones for a "
                   "spectrum",
                   f->paths[result], missing, c->label);
        return NT_EXIT_USAGE;
    }
    return NT_EXIT_DONE;
}

/* The samples of a curve over time become amplitudes over frequency. */
static int make_spectrum(const nt_cli_figure *f, int result, nt_window window, nt_cli_curve *c)
{
    nt_error error = {0};
    if (c->n < 2) {
        nt_cli_say("'%s': %ld rows, expected two or more for a spectrum", f->paths[result], c->n);
        return NT_EXIT_USAGE;
    }
    double step = (c->x[c->n - 1] - c->x[0]) / (double)(c->n - 1);
    for (long i = 1; i < c->n; i++)
        if (!(fabs(c->x[i] - c->x[i - 1] - step) <= 1e3 * EQUAL * step)) {
            nt_cli_say("'%s': rows are not equally far apart at t = %.9g s: expected output at "
                       "equal times (output: {every: ...})",
                       f->paths[result], c->x[i]);
            return NT_EXIT_USAGE;
        }
    long n = c->n / 2 + 1;
    double *amplitude = malloc((size_t)n * sizeof *amplitude);
    if (!amplitude)
        return nt_cli_no_memory();
    if (nt_spectrum(c->y, c->n, window, amplitude, &error) != NT_OK) {
        free(amplitude);
        return nt_cli_fail(f->paths[result], &error);
    }
    double length = (double)c->n * step;
    for (long i = 1; i < n; i++) { /* the mean is no vibration */
        c->x[i - 1] = (double)i / length;
        c->y[i - 1] = amplitude[i] > 0 ? amplitude[i] : (double)NAN;
    }
    c->n = n - 1;
    free(amplitude);
    return NT_EXIT_DONE;
}

/* Leaves out points that lie where the one before was drawn: nothing that one sees changes. */
static void thin(nt_cli_curve *c, bool logarithmic)
{
    static const double near = 2e-4; /* of the range: a tenth of a dot */
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (long i = 0; i < c->n; i++) {
        if (!isfinite(c->y[i]))
            continue;
        low[0] = fmin(low[0], c->x[i]), high[0] = fmax(high[0], c->x[i]);
        low[1] = fmin(low[1], c->y[i]), high[1] = fmax(high[1], c->y[i]);
    }
    double reach[2] = {near * (high[0] - low[0]), near * (high[1] - low[1])};
    long kept = 0;
    for (long i = 0; i < c->n; i++) {
        double y = c->y[i];
        bool last = i + 1 == c->n || !isfinite(c->y[i + 1]);
        bool close = kept > 0 && isfinite(c->y[i]) && isfinite(c->y[kept - 1]) &&
                     fabs(c->x[i] - c->x[kept - 1]) < reach[0] &&
                     fabs(y - c->y[kept - 1]) < (logarithmic ? near * y : reach[1]);
        if (close && !last)
            continue;
        c->x[kept] = c->x[i];
        c->y[kept++] = y;
    }
    c->n = kept;
}

/* ---- the figure ----------------------------------------------------------------------------- */

/* The column that everything is drawn over. */
static int find_over(nt_cli_figure *f, const nt_cli_options *options, int result, int *over)
{
    nt_result *r = f->results[result];
    *over = options->against ? nt_result_find(r, options->against) : 0;
    if (*over < 0)
        return nt_cli_unknown_column(f, result, options->against);
    nt_result_column c = nt_result_column_at(r, *over);
    f->against_time = *over == 0;
    if (f->spectrum)
        snprintf(f->x_label, sizeof f->x_label, "frequency, Hz");
    else if (result == 0 || (f->x_unit && f->x_unit[0] == '\0')) {
        bool time = *over == 0 && strcmp(c.name, "time") == 0;
        const char *unit = time ? "s" : c.unit;
        snprintf(f->x_label, sizeof f->x_label, "%.200s%s%.40s", time ? "t" : c.name,
                 *unit ? ", " : "", unit);
        f->x_unit = c.unit;
    }
    return NT_EXIT_DONE;
}

static int fill_result(nt_cli_figure *f, const nt_cli_options *options, int result,
                       nt_window window)
{
    nt_result *r = f->results[result];
    int over, color = 0, status = find_over(f, options, result, &over);
    for (int k = 0; k < f->n_names && status == NT_EXIT_DONE; k++) {
        bool found = false;
        int exact = nt_result_find(r, f->names[k]);
        for (int i = 0; i < nt_result_column_count(r) && status == NT_EXIT_DONE; i++) {
            nt_cli_curve *curve;
            if (exact >= 0 ? i != exact : !belongs(nt_result_column_at(r, i).name, f->names[k]))
                continue;
            found = true;
            if (nt_cli_is_sweep(r)) {
                status = nt_cli_figure_sweep(f, options, result, i, &color);
                continue;
            }
            status = nt_cli_figure_curve(f, result, i, color++, "", &curve);
            if (status == NT_EXIT_DONE)
                status = read_points(f, result, over, i, options->from, curve);
            if (status == NT_EXIT_DONE && f->spectrum)
                status = make_spectrum(f, result, window, curve);
            if (status == NT_EXIT_DONE && curve->n == 0) {
                nt_cli_say("'%s': no row of %s can be drawn", f->paths[result], curve->label);
                status = NT_EXIT_USAGE;
            }
            if (status == NT_EXIT_DONE)
                thin(curve, f->spectrum);
        }
        if (!found && status == NT_EXIT_DONE)
            status = nt_cli_unknown_column(f, result, f->names[k]);
    }
    return status;
}

/* A CSV knows no units: they are those of the same column in another result. */
static void share_units(nt_cli_figure *f)
{
    for (int i = 0; i < f->n_curves; i++)
        for (int k = 0; k < f->n_curves && f->curves[i].unit[0] == '\0'; k++)
            if (f->curves[k].color == f->curves[i].color)
                f->curves[i].unit = f->curves[k].unit;
}

int nt_cli_figure_fill(nt_cli_figure *f, const nt_cli_options *options)
{
    nt_window window;
    int status = nt_cli_read_window(options->window, &window);
    f->spectrum = options->spectrum;
    f->curves = calloc(MOST_CURVES, sizeof *f->curves);
    if (!f->curves)
        return nt_cli_no_memory();
    for (int i = 0; i < f->n_results && status == NT_EXIT_DONE; i++)
        status = fill_result(f, options, i, window);
    share_units(f);
    return status;
}

void nt_cli_figure_free(nt_cli_figure *f)
{
    for (int i = 0; f->curves && i < f->n_curves; i++) {
        free(f->curves[i].label);
        free(f->curves[i].x);
        free(f->curves[i].y);
    }
    free(f->curves);
    f->curves = NULL;
}
