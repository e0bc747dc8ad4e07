/* Curves of the table of a sweep: a quantity over what varies, a curve for each combination of all
 * else that varies; or points, where no two rows share one. */
#include "cli/plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 256, MOST_OF_GROUPS = 8 }; /* rows; groups that are told apart by colour */

bool nt_cli_is_sweep(const nt_result *r)
{
    return nt_result_column_count(r) > 1 && nt_result_find(r, "status") > 0 &&
           strcmp(nt_result_column_at(r, 0).name, "row") == 0;
}

/* The rows that are done, and how they are ordered. */
typedef struct sweep_rows {
    int n_axes, over; /* columns 1 .. n_axes vary; what curves are drawn over, a column */
    long n, missing;  /* rows that are done; that are not */
    double *axes;     /* [n][n_axes] */
    double *x;        /* [n] */
    double *y;        /* [n] */
    long *order;      /* [n] by all that varies but `over`, then by x */
} sweep_rows;

static _Thread_local const sweep_rows *sorted; /* qsort hands nothing on */

/* All that varies but what is drawn over: which of two rows comes first, 0: the same. */
static int compare_groups(const sweep_rows *s, long a, long b)
{
    for (int k = 0; k < s->n_axes; k++) {
        double x = s->axes[a * s->n_axes + k], y = s->axes[b * s->n_axes + k];
        if (k + 1 != s->over && x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

static int compare_rows(const void *a, const void *b)
{
    long i = *(const long *)a, j = *(const long *)b;
    int group = compare_groups(sorted, i, j);
    double x = sorted->x[i], y = sorted->x[j];
    return group ? group : x != y ? (x < y ? -1 : 1) : (i > j) - (i < j);
}

static void compare_by_x(sweep_rows *s)
{
    int n = s->n_axes;
    s->n_axes = 0; /* one group */
    sorted = s;
    qsort(s->order, (size_t)s->n, sizeof *s->order, compare_rows);
    s->n_axes = n;
}

static int read_rows(nt_cli_figure *f, int result, int column, sweep_rows *s)
{
    nt_result *r = f->results[result];
    size_t columns = (size_t)nt_result_column_count(r);
    long n = nt_result_rows(r);
    int status = nt_result_find(r, "status"), axes = s->n_axes;
    double *rows = malloc(AT_ONCE * columns * sizeof *rows);
    nt_error error = {0};
    s->axes = malloc(((size_t)n * (size_t)axes + 1) * sizeof *s->axes);
    s->x = malloc(((size_t)n + 1) * sizeof *s->x);
    s->y = malloc(((size_t)n + 1) * sizeof *s->y);
    s->order = malloc(((size_t)n + 1) * sizeof *s->order);
    int done = rows && s->axes && s->x && s->y && s->order ? NT_EXIT_DONE : nt_cli_no_memory();
    for (long row = 0; row < n && done == NT_EXIT_DONE; row += AT_ONCE) {
        long piece = n - row < AT_ONCE ? n - row : AT_ONCE;
        if (nt_result_read(r, row, piece, rows, &error) != NT_OK)
            done = nt_cli_fail(f->paths[result], &error);
        for (long i = 0; i < piece && done == NT_EXIT_DONE; i++) {
            const double *value = rows + (size_t)i * columns;
            if (value[status] != 0 || !isfinite(value[s->over]) || !isfinite(value[column])) {
                s->missing++;
                continue;
            }
            memcpy(s->axes + s->n * axes, value + 1, (size_t)axes * sizeof *value);
            s->x[s->n] = value[s->over];
            s->y[s->n] = value[column];
            s->order[s->n] = s->n;
            s->n++;
        }
    }
    free(rows);
    return done;
}

static void rows_free(sweep_rows *s)
{
    free(s->axes);
    free(s->x);
    free(s->y);
    free(s->order);
}

/* "arm = 0.8, method = bdf" of a row, without what is drawn over and what is the same in all. */
static void name_group(const nt_result *r, const sweep_rows *s, long row, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; k < s->n_axes && used < size; k++) {
        double value = s->axes[row * s->n_axes + k];
        bool same = true;
        for (long i = 0; i < s->n && same; i++)
            same = s->axes[i * s->n_axes + k] == value;
        if (k + 1 == s->over || same)
            continue;
        const char *word = nt_result_text(r, k + 1, value);
        const char *name = nt_result_column_at(r, k + 1).name;
        used += (size_t)(word ? snprintf(text + used, size - used, ", %s = %s", name, word)
                              : snprintf(text + used, size - used, ", %s = %.6g", name, value));
    }
}

/* Points of the ordered rows from `first` on until the group ends, behind a gap where there are
 * some already; returns how many. */
static long add_group(const sweep_rows *s, long first, nt_cli_curve *c)
{
    long i = first;
    if (c->n > 0) {
        c->x[c->n] = c->y[c->n] = (double)NAN;
        c->n++;
    }
    for (; i < s->n && compare_groups(s, s->order[first], s->order[i]) == 0; i++) {
        c->x[c->n] = s->x[s->order[i]];
        c->y[c->n++] = s->y[s->order[i]];
    }
    return i - first;
}

static int put_curves(nt_cli_figure *f, int result, int column, int *color, sweep_rows *s)
{
    long groups = 0;
    char words[300];
    sorted = s;
    qsort(s->order, (size_t)s->n, sizeof *s->order, compare_rows);
    for (long i = 0; i < s->n; i++)
        groups += i == 0 || compare_groups(s, s->order[i - 1], s->order[i]) != 0;
    bool points = groups == s->n && s->n > 1, apart = !points && groups <= MOST_OF_GROUPS;
    nt_cli_curve *curve = NULL;
    if (points)
        compare_by_x(s);
    int status = NT_EXIT_DONE;
    for (long i = 0; i < s->n && status == NT_EXIT_DONE;) {
        if (!curve || apart) {
            name_group(f->results[result], s, s->order[i], words, sizeof words);
            status = nt_cli_figure_curve(f, result, column, (*color)++, apart ? words : "", &curve);
            if (status != NT_EXIT_DONE)
                return status;
            curve->points = points;
        }
        if (points) {
            for (; i < s->n; i++, curve->n++) {
                curve->x[i] = s->x[s->order[i]];
                curve->y[i] = s->y[s->order[i]];
            }
        } else
            i += add_group(s, i, curve);
    }
    return status;
}

/* The column that is asked for, or the first number that varies. */
static int choose_over(nt_cli_figure *f, const nt_cli_options *options, int result, sweep_rows *s)
{
    nt_result *r = f->results[result];
    s->n_axes = nt_result_find(r, "status") - 1;
    for (int k = 1; k <= s->n_axes && !options->against && s->over == 0; k++)
        if (!nt_result_text(r, k, 0))
            s->over = k;
    if (options->against)
        s->over = nt_result_find(r, options->against);
    if (s->over < 0)
        return nt_cli_unknown_column(f, result, options->against);
    if (nt_result_text(r, s->over, 0)) {
        nt_cli_say("-x: '%s' of '%s' holds texts, expected numbers",
                   nt_result_column_at(r, s->over).name, f->paths[result]);
        return NT_EXIT_USAGE;
    }
    nt_result_column c = nt_result_column_at(r, s->over);
    bool plain = !*c.unit || strcmp(c.unit, "1") == 0;
    snprintf(f->x_label, sizeof f->x_label, "%.200s%s%.40s", c.name, plain ? "" : ", ",
             plain ? "" : c.unit);
    f->x_unit = c.unit;
    return NT_EXIT_DONE;
}

int nt_cli_figure_sweep(nt_cli_figure *f, const nt_cli_options *options, int result, int column,
                        int *color)
{
    sweep_rows s = {0};
    nt_result *r = f->results[result];
    const char *name = nt_result_column_at(r, column).name;
    if (f->spectrum) {
        nt_cli_say("--spectrum: '%s' is the table of a sweep, expected rows of time",
                   f->paths[result]);
        return NT_EXIT_USAGE;
    }
    if (nt_result_text(r, column, 0)) {
        nt_cli_say("'%s' of '%s' holds texts, expected numbers", name, f->paths[result]);
        return NT_EXIT_USAGE;
    }
    int status = choose_over(f, options, result, &s);
    if (status == NT_EXIT_DONE)
        status = read_rows(f, result, column, &s);
    if (status == NT_EXIT_DONE && s.n == 0) {
        nt_cli_say("'%s': no row of %s can be drawn", f->paths[result], name);
        status = NT_EXIT_USAGE;
    }
    if (status == NT_EXIT_DONE && s.missing > 0 && !options->quiet)
        nt_cli_say("warning: '%s': %ld of %ld rows failed, were not run or have no %s",
                   f->paths[result], s.missing, s.missing + s.n, name);
    if (status == NT_EXIT_DONE)
        status = put_curves(f, result, column, color, &s);
    rows_free(&s);
    return status;
}
