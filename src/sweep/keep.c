/* What is kept of a run's rows as they come, with derivatives where the record carries them: then
 * they stand behind each number but the time. */
#include "sweep/sweep.h"

#include <math.h>
#include <string.h>

void nt_keeper_begin(nt_keeper *keeper, double *numbers)
{
    const nt_sweep *s = keeper->sweep;
    keeper->rows = 0;
    keeper->series = numbers + s->n_columns;
    keeper->last_kept = false;
    memset(keeper->value, 0, (size_t)s->n_kept * sizeof(double));
    memset(keeper->time, 0, (size_t)s->n_kept * sizeof(double));
    if (keeper->slope)
        memset(keeper->slope, 0, (size_t)(s->n_kept * keeper->n_slopes) * sizeof(double));
    for (size_t i = 0; i < nt_sweep_numbers(s); i++)
        numbers[i] = (double)NAN;
}

static void keep_in_series(nt_keeper *keeper, long place, const double *values)
{
    const nt_sweep *s = keeper->sweep;
    if (place >= s->series_rows)
        return;
    double *out = keeper->series + place * s->series_columns;
    *out++ = values[0];
    for (int i = 0; i < s->n_kept; i++)
        if (s->kept[i].kind == NT_KEEP_SERIES)
            *out++ = values[s->kept[i].column];
}

/* What a row adds to number i: x with its derivatives dx at a time t. */
static void keep_number(nt_keeper *keeper, int i, double t, const double *x)
{
    double *value = &keeper->value[i];
    double *slope = keeper->slope ? keeper->slope + i * keeper->n_slopes : NULL;
    nt_keep_kind kind = keeper->sweep->kept[i].kind;
    bool first = keeper->rows == 0, sums = kind == NT_KEEP_MEAN || kind == NT_KEEP_RMS;
    bool takes = kind == NT_KEEP_FINAL || (kind == NT_KEEP_MINIMUM && (first || *x < *value)) ||
                 (kind == NT_KEEP_MAXIMUM && (first || *x > *value));
    double factor = kind == NT_KEEP_RMS ? *x : 1;
    if (sums)
        *value += factor * *x;
    if (takes)
        *value = *x, keeper->time[i] = t;
    for (int k = 0; slope && (sums || takes) && k < keeper->n_slopes; k++)
        slope[k] = (sums ? slope[k] : 0) + factor * x[1 + k];
}

nt_status nt_keeper_row(void *context, const double *values, int n)
{
    nt_keeper *keeper = context;
    const nt_sweep *s = keeper->sweep;
    (void)n;
    for (int i = 0; i < s->n_kept; i++) {
        int column = s->kept[i].column;
        if (s->kept[i].kind != NT_KEEP_SERIES)
            keep_number(keeper, i, values[0], values + 1 + (column - 1) * (1 + keeper->n_slopes));
    }
    if (s->series_columns > 0 && keeper->n_slopes == 0) {
        keeper->last_kept = keeper->rows % s->thin == 0;
        if (keeper->last_kept)
            keep_in_series(keeper, keeper->rows / s->thin, values);
        memcpy(keeper->last, values, (size_t)s->record_columns * sizeof *values);
    }
    keeper->rows++;
    return NT_OK;
}

/* Derivatives of number i; those of an extreme with its time held, as it is to first order. */
static double *put_slopes(const nt_keeper *keeper, int i, double scale, double *slopes)
{
    for (int k = 0; slopes && k < keeper->n_slopes; k++)
        *slopes++ = scale != 0 ? scale * keeper->slope[i * keeper->n_slopes + k] : 0;
    return slopes;
}

void nt_keeper_end(nt_keeper *keeper, double *numbers, double *slopes)
{
    const nt_sweep *s = keeper->sweep;
    double rows = (double)keeper->rows;
    for (int i = 0; i < s->n_kept; i++) {
        double x = keeper->value[i], scale = 1;
        nt_keep_kind kind = s->kept[i].kind;
        if (kind == NT_KEEP_SERIES) /* stands behind all others */
            continue;
        if (kind == NT_KEEP_MEAN)
            x /= rows, scale = 1 / rows;
        if (kind == NT_KEEP_RMS)
            x = sqrt(x / rows), scale = x > 0 ? 1 / (rows * x) : 0;
        *numbers++ = x;
        slopes = put_slopes(keeper, i, scale, slopes);
        if (kind != NT_KEEP_MINIMUM && kind != NT_KEEP_MAXIMUM)
            continue;
        *numbers++ = keeper->time[i];
        slopes = put_slopes(keeper, i, 0, slopes);
    }
    if (s->series_columns > 0 && !keeper->last_kept && keeper->rows > 0 && keeper->n_slopes == 0)
        keep_in_series(keeper, (keeper->rows - 1) / s->thin + 1, keeper->last);
}
