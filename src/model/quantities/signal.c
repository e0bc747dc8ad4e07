/* Signals: those recorded quantities that loads may depend on, each listed once. */
#include "model/quantities/signal.h"

#include "model/events/sliding.h"
#include "model/events/switches.h"
#include "model/quantities/quantity_kind.h"
#include "model/states/delay.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_ROOM = 256 };

/* Room for one more: the array is full whenever its count is a power of two from 4 on. */
static bool make_room(nt_model *model)
{
    int n = model->n_signals;
    if (n > 0 && (n < 4 || (n & (n - 1)) != 0))
        return true;
    nt_signal *larger = NT_TAKE(&model->arena, n == 0 ? 4 : 2 * n, nt_signal);
    if (!larger)
        return false;
    if (n > 0)
        memcpy(larger, model->signals, (size_t)n * sizeof *larger);
    model->signals = larger;
    return true;
}

int nt_model_signal(nt_model *model, const char *name, int length)
{
    char text[NAME_ROOM];
    nt_object_name *object;
    nt_quantity_info found;
    if (length >= NAME_ROOM)
        return -1;
    snprintf(text, sizeof text, "%.*s", length, name);
    if (nt_quantity_find(model, text, true, &object, &found, NULL) != NT_OK || !object ||
        found.columns != 1)
        return -1;
    const nt_quantity_kind *kind = &nt_quantity_kinds[found.kind];
    bool is_load = (kind->needs & NT_IS_LOAD) != 0;
    if (!kind->differentiate && !is_load)
        return -1;
    if (kind->of == NT_OF_LOADED) {
        /* what rolls has no torque where it touches; that of a gear has no point */
        const nt_element *e = &model->elements[found.object];
        if (!nt_element_joins(e) && nt_element_count_rates(model, e) == 0)
            return -1;
    }
    bool is_whole = (kind->needs & (NT_IS_POWER | NT_IS_ENERGY)) != 0;
    if (is_whole &&
        model->elements[found.object].type->has_inertia) /* it depends on accelerations */
        return -1;
    for (int i = object->signal; i > 0; i = model->signals[i - 1].before) {
        const nt_signal *s = &model->signals[i - 1];
        bool same = nt_quantity_kinds[s->kind].values == nt_quantity_kinds[found.kind].values;
        if (same && s->object == found.object && s->component == found.first)
            return i - 1;
    }
    if (!make_room(model))
        return -2;
    model->signals[model->n_signals] = (nt_signal){.kind = found.kind,
                                                   .object = found.object,
                                                   .component = found.first,
                                                   .is_load = is_load,
                                                   .before = object->signal};
    model->n_followed += is_load;
    object->signal = ++model->n_signals;
    return model->n_signals - 1;
}

int nt_model_added_signal(nt_model *model, int kind, int object)
{
    if (!make_room(model))
        return -2;
    model->signals[model->n_signals] = (nt_signal){.kind = kind, .object = object, .state = -1};
    return model->n_signals++;
}

int nt_model_switch_signal(nt_model *model, int k)
{
    return nt_model_added_signal(model, NT_SIGNAL_SWITCH, k);
}

int nt_model_signal_name(const nt_model *model, const char *object, int i, char *text, int size)
{
    for (int k = 0; k < nt_quantity_kind_count; k++) {
        const nt_quantity_kind *kind = &nt_quantity_kinds[k];
        if (!kind->differentiate || !nt_quantity_is_of(model, object, kind))
            continue;
        if (i < kind->columns)
            return snprintf(text, (size_t)size, "%s%s%s%s%s", object, *kind->name ? "." : "",
                            kind->name, kind->components ? "." : "",
                            kind->components ? kind->components[i] : "");
        i -= kind->columns;
    }
    return 0;
}

int nt_signal_body(const nt_model *model, const nt_signal *signal)
{
    if (signal->kind < 0)
        return -1;
    switch (nt_quantity_kinds[signal->kind].of) {
    case NT_OF_BODY:
    case NT_OF_TURNING:
        return signal->object;
    case NT_OF_MARKER:
    case NT_OF_STATION:
        return model->markers[signal->object].on;
    default:
        return -1;
    }
}

bool nt_signal_is_held(const nt_signal *signal)
{
    return signal->kind == NT_SIGNAL_SWITCH || signal->kind == NT_SIGNAL_PIECE ||
           (signal->kind >= 0 && nt_quantity_kinds[signal->kind].of == NT_OF_HELD);
}

int nt_signal_marker(const nt_signal *signal)
{
    return signal->kind >= 0 && nt_quantity_kinds[signal->kind].of == NT_OF_MARKER ? signal->object
                                                                                   : -1;
}

void nt_signal_bind(const nt_model *model, nt_signal *signal)
{
    int body = nt_signal_body(model, signal), other = -1;
    if (signal->kind < 0) {
        signal->bodies[0] = signal->bodies[1] = signal->state = -1;
        return;
    }
    signal->state = nt_quantity_kinds[signal->kind].of == NT_OF_STATE ? signal->object : -1;
    if (body < 0) { /* of an element */
        body = model->elements[signal->object].a;
        other = model->elements[signal->object].b;
    }
    signal->bodies[0] = body > 0 ? body : -1;
    signal->bodies[1] = other > 0 ? other : -1;
}

double nt_signal_value(const nt_signal *signal, const nt_view *view)
{
    double all[NT_QUANTITY_COLUMNS];
    if (signal->kind == NT_SIGNAL_SWITCH) {
        const double *held = view->at->memory;
        if (nt_slide_is_on(view->model, signal->object, held))
            return nt_slide_value(view, signal->object);
        double value = held ? held[view->model->switch_memory + signal->object] : (double)NAN;
        return isnan(value) ? nt_switch_value(view->run, signal->object, view->variables) : value;
    }
    if (signal->kind == NT_SIGNAL_PIECE) {
        const double *held = view->at->memory;
        double value = held ? held[view->model->switch_memory + signal->object] : (double)NAN;
        return isnan(value) ? nt_switch_value(view->run, signal->object, view->variables) : value;
    }
    if (signal->kind == NT_SIGNAL_DELAY) {
        nt_delay_look(view, signal->object, all);
        return all[0];
    }
    nt_sampler sampler; /* its view is all that such a quantity looks at */
    if (signal->is_load && !view->lambda && nt_signal_is_reaction(view->model, signal))
        return 0; /* rows alone are looked at: no force has a value */
    sampler.view = view;
    nt_quantity_kinds[signal->kind].values(&sampler, signal->object, all);
    return all[signal->component];
}

void nt_signal_differentiate(const nt_signal *signal, const nt_view *view,
                             nt_signal_gradient *gradient)
{
    *gradient = (nt_signal_gradient){0};
    if (signal->kind < 0) /* of the past */
        return;
    nt_quantity_kinds[signal->kind].differentiate(view, signal->object, signal->component,
                                                  gradient);
}

/* The derivatives of a value along the motion of the bodies that it depends on. */
static double rate_along(const nt_signal *signal, const nt_view *view)
{
    nt_signal_gradient g;
    double rate = 0;
    if (signal->is_load)
        return (double)NAN;
    nt_signal_differentiate(signal, view, &g);
    for (int side = 0; side < 2; side++) {
        if (signal->bodies[side] < 0)
            continue;
        const nt_motion *m = &view->motion[signal->bodies[side]];
        bool fast = v3_norm(g.v[side]) > 0 || v3_norm(g.w[side]) > 0;
        rate += v3_dot(g.x[side], m->v) + v3_dot(g.r[side], m->w);
        if (fast)
            rate += view->at->vdot ? v3_dot(g.v[side], m->a) + v3_dot(g.w[side], m->alpha)
                                   : (double)NAN;
    }
    return rate;
}

double nt_signal_rate(const nt_signal *signal, const nt_view *view)
{
    double value[2] = {0, 0};
    if (nt_signal_is_held(signal))
        return 0;
    if (signal->kind == NT_SIGNAL_DELAY)
        nt_delay_look(view, signal->object, value);
    if (signal->state >= 0)
        return view->at->vdot ? view->at->vdot[view->model->elements[signal->state].own_v]
                              : (double)NAN;
    return signal->kind == NT_SIGNAL_DELAY ? value[1] : rate_along(signal, view);
}
