/* What is kept of a run's rows as they come. */
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

nt_status nt_keeper_row(void *context, const double *values, int n)
{
    nt_keeper *keeper = context;
    const nt_sweep *s = keeper->sweep;
    (void)n;
    for (int i = 0; i < s->n_kept; i++) {
        double x = values[s->kept[i].column], *value = &keeper->value[i];
        bool better = false;
        switch (s->kept[i].kind) {
        case NT_KEEP_FINAL:
            *value = x;
            break;
        case NT_KEEP_MINIMUM:
            better = keeper->rows == 0 || x < *value;
            break;
        case NT_KEEP_MAXIMUM:
            better = keeper->rows == 0 || x > *value;
            break;
        case NT_KEEP_MEAN:
            *value += x;
            break;
        case NT_KEEP_RMS:
            *value += x * x;
            break;
        default:
            break;
        }
        if (better)
            *value = x, keeper->time[i] = values[0];
    }
    if (s->series_columns > 0) {
        keeper->last_kept = keeper->rows % s->thin == 0;
        if (keeper->last_kept)
            keep_in_series(keeper, keeper->rows / s->thin, values);
        memcpy(keeper->last, values, (size_t)s->record_columns * sizeof *values);
    }
    keeper->rows++;
    return NT_OK;
}

void nt_keeper_end(nt_keeper *keeper, double *numbers)
{
    const nt_sweep *s = keeper->sweep;
    double rows = (double)keeper->rows;
    for (int i = 0; i < s->n_kept; i++) {
        double x = keeper->value[i];
        switch (s->kept[i].kind) {
        case NT_KEEP_MINIMUM:
        case NT_KEEP_MAXIMUM:
            *numbers++ = x;
            *numbers++ = keeper->time[i];
            break;
        case NT_KEEP_MEAN:
            *numbers++ = x / rows;
            break;
        case NT_KEEP_RMS:
            *numbers++ = sqrt(x / rows);
            break;
        case NT_KEEP_FINAL:
            *numbers++ = x;
            break;
        default: /* a series stands behind all others */
            break;
        }
    }
    if (s->series_columns > 0 && !keeper->last_kept && keeper->rows > 0)
        keep_in_series(keeper, (keeper->rows - 1) / s->thin + 1, keeper->last);
}
