/* Functions of time that rise and fall within one step: pulses that a run may step over.
 *
 * What jumps or bends at known times ends a step there. A smooth function says nothing of itself
 * but its values, so it is looked at SAMPLES times in each step of `simulation`, with everything
 * that moves at zero; where it jumps, in each of the steps that end there. Steps that a method
 * chooses are bounded by what it shows over the whole run. */
#include "model/narrow.h"
#include "model/events/switches.h"
#include "model/forces/load.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 64 };

/* It is looked at so often at most. */
static const double MOST = 2e6;

/* It is narrow where it leaves the line between the ends of a step by this part of its range. */
static const double LEAVES = 0.5;

typedef struct watched {
    const nt_model *model;
    double *variables;
    double begin, step, count;
    int wanted;
    double t;               /* s, where the one that was found is furthest off */
    double *whole, longest; /* [WHOLE + 1] values over the run; s, for steps: nt_run_longest_step */
} watched;

static bool has_time(const nt_model *model, const nt_expression *e)
{
    int n = 0;
    const int *variables = e ? nt_expression_variables(e, &n) : NULL;
    for (int i = 0; i < n; i++)
        if (variables[i] == nt_model_time_variable(model))
            return true;
    return false;
}

static double value_at(watched *w, const nt_expression *e, double t)
{
    w->variables[nt_model_time_variable(w->model)] = t;
    return nt_expression_value(e, w->variables);
}

/* The value at t, with what operations that jump give there; *jumps: that differs from what they
 * gave at the time before. */
static double value_between(watched *w, const nt_expression *e, double t, bool *jumps)
{
    const nt_model *model = w->model;
    double *time = w->variables + nt_model_time_variable(model);
    *time = t;
    *jumps = false;
    for (int k = 0; k < model->n_switches; k++) {
        const nt_switch *s = &model->switches[k];
        if (s->bends || s->signal < 0)
            continue;
        double held = nt_switch_value(model->origin, k, w->variables);
        *jumps = *jumps || held != time[1 + s->signal];
        time[1 + s->signal] = held;
    }
    return nt_expression_value(e, w->variables);
}

/* What a step shows between two jumps: by how much values leave the line between its ends, at most,
 * and where. */
static void look_between(const double *value, int first, int last, double *worst, int *where)
{
    for (int i = first + 1; i < last; i++) {
        double part = (double)(i - first) / (last - first);
        double off = fabs(value[i] - value[first] - part * (value[last] - value[first]));
        if (off > *worst)
            *worst = off, *where = i;
    }
}

/* Whether a function is narrow, with where: *t. */
static bool is_narrow(watched *w, const nt_expression *e, double *t)
{
    double least = (double)INFINITY, most = -(double)INFINITY, worst = 0, value[SAMPLES + 1];
    bool jumps;
    value[0] = value_between(w, e, w->begin, &jumps);
    for (double k = 0; k < w->count; k++) {
        int first = 0, where = -1;
        for (int i = 0; i <= SAMPLES; i++) {
            double part = (double)i / SAMPLES;
            jumps = false;
            if (i > 0)
                value[i] = value_between(w, e, w->begin + (k + part) * w->step, &jumps);
            if (!isfinite(value[i]))
                return false;
            least = fmin(least, value[i]), most = fmax(most, value[i]);
            if (jumps || i == SAMPLES)
                look_between(value, first, jumps ? i - 1 : i, &worst, &where);
            if (jumps)
                first = i;
        }
        if (where >= 0)
            *t = w->begin + (k + (double)where / SAMPLES) * w->step;
        value[0] = value[SAMPLES];
    }
    return most > least && worst > LEAVES * (most - least);
}

/* ---- bounding steps ------------------------------------------------------------------------- */

/* A run is looked at in so many equal parts. */
enum { WHOLE = 1 << 17 };

/* A pulse is away from where it begins and ends, by REST of its range, for less than RARE of the
 * run. */
static const double REST = 0.01, RARE = 0.1;

static bool is_pulse(const double *v)
{
    double least = v[0], most = v[0];
    int away = 0;
    for (int i = 0; i <= WHOLE; i++)
        least = fmin(least, v[i]), most = fmax(most, v[i]);
    double rest = REST * (most - least);
    for (int i = 0; i <= WHOLE; i++)
        away += fabs(v[i] - v[0]) > rest;
    return away > 0 && away < RARE * WHOLE && isfinite(most - least);
}

/* Whether steps of n parts tell nothing of what a pulse does between their ends. */
static bool is_passed(const double *v, int n)
{
    double least = v[0], most = v[0], worst = 0;
    for (int i = 0; i <= WHOLE; i++) {
        int first = i < WHOLE ? i / n * n : WHOLE - n;
        double part = (double)(i - first) / n;
        worst = fmax(worst, fabs(v[i] - v[first] - part * (v[first + n] - v[first])));
        least = fmin(least, v[i]), most = fmax(most, v[i]);
    }
    return worst > LEAVES * (most - least);
}

/* Bounds steps by one function. */
static bool bounds(watched *w, const nt_expression *e)
{
    if (!has_time(w->model, e))
        return false;
    for (int i = 0; i <= WHOLE; i++)
        w->whole[i] = value_at(w, e, w->begin + w->count * i / WHOLE);
    for (int n = 2; n < WHOLE && is_pulse(w->whole); n *= 2)
        if (is_passed(w->whole, n)) {
            w->longest = fmin(w->longest, w->count * (n / 2) / WHOLE);
            break;
        }
    return false;
}

/* One of the functions of a key is the one that is looked for. */
static bool finds(watched *w, const nt_expression *e)
{
    double t = 0;
    if (w->whole)
        return bounds(w, e);
    if (!has_time(w->model, e) || !is_narrow(w, e, &t))
        return false;
    if (w->wanted-- > 0)
        return false;
    w->t = t;
    return true;
}

static const nt_key *find_key(watched *w, const nt_key *key, const char *data)
{
    for (; key && key->name; key++) {
        int n = key->type == NT_KEY_FUNCTION ? 1 : key->type == NT_KEY_FUNCTIONS ? key->high : 0;
        if (key->type == NT_KEY_LAW &&
            finds(w, ((const nt_law *)(const void *)(data + key->offset))->function))
            return key;
        if (key->type == NT_KEY_GROUP && find_key(w, key->group, data))
            return key;
        for (int i = 0; i < n; i++) {
            const nt_expression *e;
            memcpy(&e, data + key->offset + (size_t)i * sizeof e, sizeof e);
            if (finds(w, e))
                return key;
        }
    }
    return NULL;
}

nt_status nt_run_longest_step(const nt_run *run, double start, double end, double *longest)
{
    const nt_model *model = run->model;
    watched w = {.model = model, .begin = start, .count = end - start, .longest = (double)INFINITY};
    *longest = (double)INFINITY;
    if (!(w.count > 0) || !isfinite(w.count))
        return NT_OK;
    w.variables = calloc((size_t)nt_model_variable_count(model), sizeof *w.variables);
    w.whole = calloc(WHOLE + 1, sizeof *w.whole);
    for (int k = 0; w.variables && k < model->n_parameters; k++)
        w.variables[k] = run->parameters[k].value;
    nt_status status = w.variables && w.whole ? NT_OK : NT_NO_MEMORY;
    for (int k = 0; k < model->n_elements && status == NT_OK; k++)
        find_key(&w, model->elements[k].type->keys, nt_model_data(model, &model->elements[k]));
    free(w.variables);
    free(w.whole);
    *longest = w.longest;
    return status;
}

int nt_model_narrow(const nt_model *model, double start, double end, double step, int i,
                    const nt_element **element, const char **key, double *t)
{
    watched w = {.model = model, .wanted = i, .begin = start, .step = step};
    double count = (end - start) / step;
    if (!(step > 0) || !(count > 0) || !(count * SAMPLES <= MOST))
        return 0;
    w.count = ceil(count * (1 - 1e-12));
    w.variables = calloc((size_t)nt_model_variable_count(model), sizeof *w.variables);
    for (int k = 0; w.variables && k < model->n_parameters; k++)
        w.variables[k] = model->origin->parameters[k].value;
    const nt_key *found = NULL;
    for (int k = 0; w.variables && !found && k < model->n_elements; k++) {
        *element = &model->elements[k];
        found = find_key(&w, (*element)->type->keys, nt_model_data(model, *element));
    }
    free(w.variables);
    *key = found ? found->name : NULL;
    *t = w.t;
    return found != NULL;
}
