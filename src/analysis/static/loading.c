/* What a path of static states changes of a run: loads, gravity, prescribed motions, parameters. */
#include "base/error.h"
#include "model/evaluate.h"
#include "model/model.h"
#include "model/parameters/parameter.h"

#include <nutate/analysis.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One of them: value = from + load (to - from) of a share or of a parameter. */
typedef struct part {
    int share, parameter; /* -1: none */
    double from, to;
} part;

struct nt_loading {
    nt_run *run;
    part *parts; /* [n] */
    int n;
    double *values; /* [n_parameters] */
    bool sets_parameters;
};

static const char *const share_names[NT_SHARES] = {
    [NT_SHARE_LOADS] = "loads", [NT_SHARE_GRAVITY] = "gravity", [NT_SHARE_MOTIONS] = "motions"};

static nt_status find_part(nt_loading *l, const nt_load_range *range, part *out, nt_error *error)
{
    const nt_model *model = l->run->model;
    *out = (part){-1, -1, range->from, range->to};
    for (int i = 0; i < model->n_parameters; i++)
        if (strcmp(model->parameters[i].name, range->name) == 0)
            out->parameter = i;
    for (int i = 0; out->parameter < 0 && i < NT_SHARES; i++)
        if (strcmp(share_names[i], range->name) == 0)
            out->share = i;
    if (out->share < 0 && out->parameter < 0)
        return nt_fail(error, NT_INVALID,
                       "there is no parameter '%s' to go along, and it is none of loads, gravity "
                       "and motions",
                       range->name);
    if (isnan(range->from))
        out->from = 0;
    if (isnan(range->to))
        out->to = out->share >= 0 ? 1 : l->run->parameters[out->parameter].value;
    if (isinf(out->from) || isinf(out->to))
        return nt_fail(error, NT_INVALID,
                       "the path along '%s' from %g to %g, expected two finite numbers",
                       range->name, out->from, out->to);
    if (out->from == out->to)
        return nt_fail(error, NT_INVALID, "the path along '%s' has no length: from %g to %g",
                       range->name, out->from, out->to);
    l->sets_parameters |= out->parameter >= 0;
    return NT_OK;
}

/* Of one that is given twice the second would count alone. */
static nt_status check_once(const nt_loading *l, int i, const char *name, nt_error *error)
{
    for (int k = 0; k < i; k++)
        if (l->parts[k].share == l->parts[i].share &&
            l->parts[k].parameter == l->parts[i].parameter)
            return nt_fail(error, NT_INVALID,
                           "the path goes along '%s' twice, expected each name once", name);
    return NT_OK;
}

nt_status nt_loading_create(nt_loading **out, nt_run *run, const nt_load_range *ranges, int n,
                            nt_error *error)
{
    nt_error_clear(error);
    static const nt_load_range all[NT_SHARES] = {
        {"loads", 0, 1}, {"gravity", 0, 1}, {"motions", 0, 1}};
    NT_NEED(error, "loading", out);
    *out = NULL;
    NT_NEED(error, "run", run);
    NT_NEED_COUNT(error, "n", n);
    if (n > 0)
        NT_NEED(error, "ranges", ranges);
    if (n == 0) {
        ranges = all;
        n = NT_SHARES;
    }
    nt_loading *l = calloc(1, sizeof *l);
    if (l) {
        l->run = run;
        l->n = n;
        l->parts = calloc((size_t)n, sizeof *l->parts);
        l->values = calloc((size_t)run->model->n_parameters + 1, sizeof *l->values);
    }
    nt_status status = l && l->parts && l->values
                           ? NT_OK
                           : nt_fail(error, NT_NO_MEMORY, "out of memory for a loading");
    for (int i = 0; status == NT_OK && i < n; i++) {
        status = ranges[i].name ? find_part(l, &ranges[i], &l->parts[i], error)
                                : nt_refuse_null(error, __func__, "ranges.name", 0);
        if (status == NT_OK)
            status = check_once(l, i, ranges[i].name, error);
    }
    if (status != NT_OK) {
        nt_loading_destroy(l);
        return nt_said(error, status);
    }
    *out = l;
    return NT_OK;
}

void nt_loading_destroy(nt_loading *l)
{
    if (!l)
        return;
    free(l->parts);
    free(l->values);
    free(l);
}

nt_status nt_loading_apply(void *loading, double load)
{
    nt_loading *l = loading;
    NT_NEED(NULL, "loading", l);
    NT_NEED_FINITE(NULL, "load", load);
    nt_run_get_parameters(l->run, l->values);
    for (int i = 0; i < l->n; i++) {
        const part *p = &l->parts[i];
        double value = load == 1 ? p->to : p->from + load * (p->to - p->from);
        if (p->share >= 0)
            l->run->share[p->share] = value;
        else
            l->values[p->parameter] = value;
    }
    if (!l->sets_parameters)
        return NT_OK;
    bool before = l->run->settling;
    l->run->settling = true; /* the path itself looks for states */
    nt_status status = nt_run_set_parameters(l->run, l->values);
    l->run->settling = before;
    return status;
}
