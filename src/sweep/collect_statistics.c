/* Statistics of a sweep's table as CSV:
 *
 *   FILE.csv               a row for each quantity (and load case): mean, deviation, quantiles,
 *                          extremes, what first order makes of it, and which of both to believe
 *   FILE.histogram.csv     numbers of rows between equally distant values
 *   FILE.correlation.csv   of each quantity with what varies and with the quantities before it
 *   FILE.indices.csv       shares of each input in the variance: to first order, and Sobol's */
#include "base/error.h"
#include "sweep/linear.h"
#include "sweep/statistics.h"
#include "sweep/sweep.h"
#include "sweep/table_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct tables {
    nt_table_of_rows *t;
    nt_linear *linear; /* [cases or 1]; NULL: no first order */
    nt_table_file file;
    int load_case, blocks;    /* -1: none; load cases, or 1 */
    long first, each, n;      /* rows of the case; rows of it that count */
    double **quantity;        /* [n_columns][n] of rows that count */
    double **input;           /* [n_axes][n]; NULL where it is no number */
    double *sorted, *rank[2]; /* [each] */
    long *order;              /* [each] */
    nt_axis_value *values;    /* [n_axes] */
} tables;

/* ---- rows that count ------------------------------------------------------------------------ */

/* Whether a row counts: of those for Sobol indices, the two independent samples alone do. */
static bool counts(const tables *s, long sample)
{
    const nt_sweep *sweep = s->t->sweep;
    if (s->t->status[s->first + sample] != NT_OK)
        return false;
    return !sweep->indices || sample % (sweep->n_axes + 2) < 2;
}

static double number_of(const tables *s, long sample, int column)
{
    size_t all = nt_sweep_numbers(s->t->sweep);
    return s->t->numbers[(size_t)(s->first + sample) * all + (size_t)column];
}

static void take_case(tables *s, int block)
{
    const nt_sweep *sweep = s->t->sweep;
    int load_case;
    s->first = block * s->each;
    s->load_case = sweep->n_cases > 0 ? block : -1;
    s->n = 0;
    for (long i = 0; i < s->each; i++) {
        if (!counts(s, i))
            continue;
        nt_design_values(sweep, s->first + i, &load_case, s->values);
        for (int k = 0; k < sweep->n_axes; k++)
            if (s->input[k])
                s->input[k][s->n] = s->values[k].number;
        for (int j = 0; j < sweep->n_columns; j++)
            s->quantity[j][s->n] = number_of(s, i, j);
        s->n++;
    }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void sort_quantity(tables *s, int j)
{
    memcpy(s->sorted, s->quantity[j], (size_t)s->n * sizeof *s->sorted);
    if (s->n > 0)
        qsort(s->sorted, (size_t)s->n, sizeof *s->sorted, compare);
}

/* ---- pieces of rows -------------------------------------------------------------------------- */

static void begin_names(tables *s, const char *words)
{
    nt_table_text(&s->file, s->t->sweep->n_cases > 0 ? "case," : "");
    nt_table_text(&s->file, words);
}

static void begin_row(tables *s, int column)
{
    if (s->load_case >= 0) {
        nt_table_words(&s->file, s->t->sweep->cases[s->load_case].name);
        nt_table_text(&s->file, ",");
    }
    nt_table_words(&s->file, s->t->sweep->columns[column].name);
}

static void put(tables *s, double x)
{
    nt_table_text(&s->file, ",");
    nt_table_number(&s->file, x);
}

static void put_estimate(tables *s, nt_estimate e)
{
    put(s, e.value);
    put(s, e.low);
    put(s, e.high);
}

/* ---- which of both to believe ---------------------------------------------------------------- */

/* First order has no noise of samples, but no curvature either: where the samples cannot tell
 * both apart, it is the better one. */
static void believe(const nt_sample_statistics *m, double value, double deviation, char *text,
                    size_t size)
{
    if (isnan(value) || isnan(deviation)) {
        snprintf(text, size, "samples: there is no first order");
        return;
    }
    bool centre = value >= m->mean.low && value <= m->mean.high;
    bool spread = deviation >= m->deviation.low && deviation <= m->deviation.high;
    if (centre && spread)
        snprintf(text, size,
                 "first order: the samples do not differ from it by more than their "
                 "noise");
    else
        snprintf(text, size,
                 "samples: first order is off by %.2g deviations and has %.2g of the "
                 "deviation",
                 fabs(m->mean.value - value) / m->deviation.value, deviation / m->deviation.value);
}

/* ---- the tables ------------------------------------------------------------------------------ */

static void put_statistics_head(tables *s)
{
    begin_names(s, "quantity,unit,rows,failed,mean,mean.low,mean.high,deviation,deviation.low,"
                   "deviation.high,skewness,minimum,maximum,coverage");
    for (int i = 0; i < NT_QUANTILES; i++) {
        char text[100];
        double part = nt_quantile_parts[i];
        snprintf(text, sizeof text, ",q%g,q%g.low,q%g.high", part, part, part);
        nt_table_text(&s->file, text);
    }
    nt_table_text(&s->file, ",first_order.mean,first_order.deviation,believe\n");
}

static void put_statistics(tables *s, int j)
{
    const nt_sweep *sweep = s->t->sweep;
    const nt_linear *l = s->linear ? &s->linear[s->load_case < 0 ? 0 : s->load_case] : NULL;
    double value = l ? l->value[j] : (double)NAN, deviation = l ? l->deviation[j] : (double)NAN;
    long failed = 0;
    char words[200];
    for (long i = 0; i < s->each; i++)
        failed += s->t->status[s->first + i] > 0;
    sort_quantity(s, j);
    nt_sample_statistics m = nt_statistics_of(s->sorted, s->n);
    begin_row(s, j);
    nt_table_text(&s->file, ",");
    nt_table_words(&s->file, sweep->columns[j].unit);
    put(s, (double)s->n);
    put(s, (double)failed);
    put_estimate(s, m.mean);
    put_estimate(s, m.deviation);
    put(s, m.skewness);
    put(s, m.minimum);
    put(s, m.maximum);
    put(s, m.coverage);
    for (int i = 0; i < NT_QUANTILES; i++)
        put_estimate(s, m.quantile[i]);
    put(s, value);
    put(s, deviation);
    believe(&m, value, deviation, words, sizeof words);
    nt_table_text(&s->file, ",");
    nt_table_words(&s->file, words);
    nt_table_text(&s->file, "\n");
}

static void put_histogram_head(tables *s) { begin_names(s, "quantity,low,high,rows\n"); }

static void put_histogram(tables *s, int j)
{
    if (s->n == 0)
        return;
    sort_quantity(s, j);
    int bins = nt_histogram_bins(s->sorted, s->n);
    double low = s->sorted[0], width = (s->sorted[s->n - 1] - low) / bins;
    long at = 0;
    for (int i = 0; i < bins; i++) {
        double end = i + 1 < bins ? low + (i + 1) * width : s->sorted[s->n - 1];
        long begin = at;
        while (at < s->n && (s->sorted[at] < end || i + 1 == bins))
            at++;
        begin_row(s, j);
        put(s, low + i * width);
        put(s, end);
        put(s, (double)(at - begin));
        nt_table_text(&s->file, "\n");
    }
}

static void put_correlation_head(tables *s) { begin_names(s, "quantity,with,pearson,spearman\n"); }

static void put_one_correlation(tables *s, int j, const char *with, const double *other)
{
    begin_row(s, j);
    nt_table_text(&s->file, ",");
    nt_table_words(&s->file, with);
    nt_ranks(other, s->n, s->order, s->rank[1]);
    put(s, nt_correlation(s->quantity[j], other, s->n));
    put(s, nt_correlation(s->rank[0], s->rank[1], s->n));
    nt_table_text(&s->file, "\n");
}

static void put_correlation(tables *s, int j)
{
    const nt_sweep *sweep = s->t->sweep;
    if (s->n == 0)
        return;
    nt_ranks(s->quantity[j], s->n, s->order, s->rank[0]);
    for (int k = 0; k < sweep->n_axes; k++)
        if (s->input[k])
            put_one_correlation(s, j, sweep->axes[k].name, s->input[k]);
    for (int i = 0; i < j; i++)
        put_one_correlation(s, j, sweep->columns[i].name, s->quantity[i]);
}

static void put_indices_head(tables *s)
{
    begin_names(s, "quantity,input,derivative,first_order.share,first,first.low,first.high,total,"
                   "total.low,total.high\n");
}

/* Sobol's indices of input k from the samples whose three rows are all done. */
static nt_sobol_indices find_indices(tables *s, int j, int k, const nt_sample_statistics *m)
{
    const nt_sweep *sweep = s->t->sweep;
    int d = sweep->n_axes;
    long n = 0;
    double *a = s->sorted, *b = s->rank[0], *ab = s->rank[1];
    for (long i = 0; sweep->indices && i + d + 1 < s->each; i += d + 2) {
        const int *status = s->t->status + s->first + i;
        if (status[0] != NT_OK || status[1] != NT_OK || status[2 + k] != NT_OK)
            continue;
        a[n] = number_of(s, i, j) - m->mean.value;
        b[n] = number_of(s, i + 1, j) - m->mean.value;
        ab[n++] = number_of(s, i + 2 + k, j) - m->mean.value;
    }
    return nt_sobol_indices_of(a, b, ab, n, m->deviation.value * m->deviation.value);
}

static void put_indices(tables *s, int j)
{
    const nt_sweep *sweep = s->t->sweep;
    const nt_linear *l = s->linear ? &s->linear[s->load_case < 0 ? 0 : s->load_case] : NULL;
    sort_quantity(s, j);
    nt_sample_statistics m = nt_statistics_of(s->sorted, s->n);
    for (int k = 0; k < sweep->n_axes; k++) {
        double slope = l ? l->slope[(size_t)j * (size_t)sweep->n_axes + (size_t)k] : (double)NAN;
        double part = l ? slope * nt_axis_deviation(&sweep->axes[k]) / l->deviation[j] : slope;
        nt_sobol_indices x = find_indices(s, j, k, &m);
        begin_row(s, j);
        nt_table_text(&s->file, ",");
        nt_table_words(&s->file, sweep->axes[k].name);
        put(s, slope);
        put(s, part * part);
        put_estimate(s, x.first);
        put_estimate(s, x.total);
        nt_table_text(&s->file, "\n");
    }
}

/* ---- all of it ------------------------------------------------------------------------------ */

typedef struct table_kind {
    const char *beside; /* NULL: the file itself */
    void (*head)(tables *s);
    void (*rows)(tables *s, int column);
} table_kind;

static const table_kind kinds[] = {{NULL, put_statistics_head, put_statistics},
                                   {"histogram", put_histogram_head, put_histogram},
                                   {"correlation", put_correlation_head, put_correlation},
                                   {"indices", put_indices_head, put_indices}};

static nt_status write_table(tables *s, const char *path, const table_kind *kind, nt_error *error)
{
    char *other = kind->beside ? nt_result_beside(path, kind->beside) : NULL;
    if (kind->beside && !other)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    nt_table_begin(&s->file, other ? other : path, error);
    kind->head(s);
    for (int block = 0; block < s->blocks && s->file.status == NT_OK; block++) {
        take_case(s, block);
        for (int j = 0; j < s->t->sweep->n_columns && s->file.status == NT_OK; j++)
            kind->rows(s, j);
    }
    nt_status status = nt_table_end(&s->file);
    free(other);
    return status;
}

static bool tables_take(tables *s)
{
    const nt_sweep *sweep = s->t->sweep;
    nt_arena *arena = &s->t->arena;
    s->quantity = NT_TAKE(arena, sweep->n_columns, double *);
    s->input = NT_TAKE(arena, sweep->n_axes, double *);
    s->values = NT_TAKE(arena, sweep->n_axes, nt_axis_value);
    s->order = NT_TAKE(arena, s->each, long);
    if (!s->quantity || !s->input || !s->values || !s->order ||
        !NT_DOUBLES(arena, s->each, &s->sorted, &s->rank[0], &s->rank[1]))
        return false;
    for (int j = 0; j < sweep->n_columns; j++)
        if (!NT_DOUBLES(arena, s->each, &s->quantity[j]))
            return false;
    for (int k = 0; k < sweep->n_axes; k++)
        if (sweep->axes[k].numbers && !NT_DOUBLES(arena, s->each, &s->input[k]))
            return false;
    return true;
}

nt_status nt_sweep_statistics(const nt_sweep *sweep, const char *folder, const char *path,
                              nt_sweep_collection *collection, nt_error *error)
{
    nt_error_clear(error);
    nt_error unwanted = {0};
    nt_table_of_rows t;
    long damaged = 0;
    NT_NEED(error, "sweep folder path", sweep, folder, path);
    error = error ? error : &unwanted;
    tables *s = calloc(1, sizeof *s);
    nt_status status = nt_rows_read(&t, sweep, folder, &damaged, error);
    if (status == NT_OK && !s)
        status = nt_fail(error, NT_NO_MEMORY, "out of memory");
    if (status == NT_OK) {
        s->t = &t;
        s->blocks = sweep->n_cases > 0 ? sweep->n_cases : 1;
        s->each = sweep->rows / s->blocks;
        if (!tables_take(s))
            status = nt_fail(error, NT_NO_MEMORY, "out of memory");
    }
    if (status == NT_OK)
        status = nt_linear_find(sweep, &t.arena, &s->linear, error);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && status == NT_OK; i++)
        status = write_table(s, path, &kinds[i], error);
    if (status == NT_OK && collection)
        nt_rows_tell(&t, damaged, collection);
    nt_rows_free(&t);
    free(s);
    return nt_said(error, status);
}
