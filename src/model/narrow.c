/* Functions of time that rise and fall within one step: pulses that a run may step over.
 *
 * What jumps or bends at known times ends a step there. A smooth function says nothing of itself
 * but its values, so it is looked at SAMPLES times in each step of `simulation`, with everything
 * that moves at zero. */
#include "model/narrow.h"
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
    double t; /* s, where the one that was found is furthest off */
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

/* Whether a function is narrow, with where: *t. */
static bool is_narrow(watched *w, const nt_expression *e, double *t)
{
    double least = (double)INFINITY, most = -(double)INFINITY, worst = 0;
    double first = value_at(w, e, w->begin);
    for (double k = 0; k < w->count; k++) {
        double last = value_at(w, e, w->begin + (k + 1) * w->step);
        least = fmin(least, last), most = fmax(most, last);
        for (int i = 1; i < SAMPLES; i++) {
            double part = (double)i / SAMPLES, at = w->begin + (k + part) * w->step;
            double value = value_at(w, e, at), off = fabs(value - first - part * (last - first));
            if (!isfinite(value))
                return false;
            least = fmin(least, value), most = fmax(most, value);
            if (off > worst)
                worst = off, *t = at;
        }
        first = last;
    }
    return most > least && worst > LEAVES * (most - least);
}

/* One of the functions of a key is the one that is looked for. */
static bool finds(watched *w, const nt_expression *e)
{
    double t = 0;
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

int nt_model_narrow(const nt_model *model, int i, const nt_element **element, const char **key,
                    double *t)
{
    const nt_simulation *s = nt_model_simulation(model);
    watched w = {.model = model, .wanted = i, .begin = s->start, .step = s->step};
    if (!(s->step > 0) || !(s->duration > 0) || s->duration / s->step * SAMPLES > MOST)
        return 0;
    w.count = ceil(s->duration / s->step * (1 - 1e-12));
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
