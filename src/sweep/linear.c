#include "sweep/linear.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

double nt_axis_deviation(const nt_axis *axis)
{
    double mean = 0, sum = 0;
    if (axis->kind == NT_AXIS_NORMAL)
        return axis->spread;
    if (axis->kind == NT_AXIS_UNIFORM)
        return axis->spread / sqrt(3);
    for (int i = 0; i < axis->n; i++)
        mean += axis->number[i] / axis->n;
    for (int i = 0; i < axis->n; i++)
        sum += (axis->number[i] - mean) * (axis->number[i] - mean) / axis->n;
    return sqrt(sum);
}

static bool has_first_order(const nt_sweep *s)
{
    bool good = s->model && s->n_axes > 0;
    for (int k = 0; k < s->n_axes; k++)
        good = good && s->axes[k].kind != NT_AXIS_LIST && s->axes[k].parameter >= 0;
    return good;
}

/* deviation_j^2 = sum_k (slope_jk deviation_k)^2: inputs are independent. */
static void find_deviations(const nt_sweep *s, nt_linear *l)
{
    for (int j = 0; j < s->n_columns; j++) {
        double sum = 0;
        for (int k = 0; k < s->n_axes; k++) {
            double part = l->slope[j * s->n_axes + k] * nt_axis_deviation(&s->axes[k]);
            sum += part * part;
        }
        l->deviation[j] = sqrt(sum);
    }
}

nt_status nt_linear_find(const nt_sweep *s, nt_arena *arena, nt_linear **linear, nt_error *error)
{
    int blocks = s->n_cases > 0 ? s->n_cases : 1;
    nt_worker *worker;
    atomic_int stop;
    *linear = NULL;
    if (!has_first_order(s))
        return NT_OK;
    atomic_init(&stop, 0);
    nt_linear *all = NT_TAKE(arena, blocks, nt_linear);
    if (!all)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    nt_status status = nt_worker_create(&worker, s, &stop, error);
    for (int i = 0; i < blocks && status == NT_OK; i++) {
        nt_linear *l = &all[i];
        if (!NT_DOUBLES(arena, nt_sweep_numbers(s), &l->value) ||
            !NT_DOUBLES(arena, s->n_columns * s->n_axes, &l->slope) ||
            !NT_DOUBLES(arena, s->n_columns, &l->deviation))
            status = nt_fail(error, NT_NO_MEMORY, "out of memory");
        if (status == NT_OK)
            status = nt_worker_derive(worker, s->n_cases > 0 ? i : -1, l->value, l->slope, error);
        if (status == NT_OK)
            find_deviations(s, l);
    }
    nt_worker_destroy(worker);
    if (status == NT_OK)
        *linear = all;
    return status;
}
