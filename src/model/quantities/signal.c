/* Signals: those recorded quantities that loads may depend on, each listed once. */
#include "model/quantities/signal.h"

#include "model/beams/beam.h"
#include "model/events/onsets.h"
#include "model/events/sliding.h"
#include "model/events/switches.h"
#include "model/quantities/quantity_kind.h"
#include "model/quantities/signal_aside.h"
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

/* One number of a recorded quantity. */
static bool find_number(const nt_model *model, const char *name, int length,
                        nt_object_name **object, nt_quantity_info *found)
{
    char text[NAME_ROOM];
    if (length >= NAME_ROOM)
        return false;
    snprintf(text, sizeof text, "%.*s", length, name);
    return nt_quantity_find(model, text, true, object, found, NULL) == NT_OK && found->columns == 1;
}

/* Why no load can depend on it; NULL: one can. */
static const char *why_none(const nt_model *model, const nt_quantity_info *found)
{
    const nt_quantity_kind *kind = &nt_quantity_kinds[found->kind];
    static const char of_loads[] =
        "follows from the loads, so none can depend on it: expected an expression of t, "
        "parameters, positions and velocities";
    if (kind->of == NT_OF_WHOLE && (kind->needs & NT_NEEDS_ENERGY) && found->first == NT_WORK)
        return "is summed up along the run, so no load can depend on it: expected a state of the "
               "file whose rate is the power of the loads that count";
    if (kind->needs & NT_NEEDS_DRIFT)
        return "is an error of the solution, so no load can depend on it: expected an expression "
               "of t, parameters, positions and velocities";
    if (kind->needs & NT_IS_STEP)
        return "is the method's choice, so no load can depend on it: expected an expression of t, "
               "parameters, positions and velocities";
    bool of_inertia = (kind->needs & NT_IS_POWER) && kind->of != NT_OF_WHOLE &&
                      model->elements[found->object].type->has_inertia;
    bool accelerates = (kind->needs & NT_NEEDS_ACCELERATIONS) && !(kind->needs & NT_IS_LOAD);
    return accelerates || of_inertia ? of_loads : NULL;
}

const char *nt_signal_refusal(const nt_model *model, const char *name, int length)
{
    nt_object_name *object;
    nt_quantity_info found;
    return find_number(model, name, length, &object, &found) ? why_none(model, &found) : NULL;
}

int nt_model_signal(nt_model *model, const char *name, int length)
{
    nt_object_name *object;
    nt_quantity_info found;
    if (!find_number(model, name, length, &object, &found) || why_none(model, &found))
        return -1;
    const nt_quantity_kind *kind = &nt_quantity_kinds[found.kind];
    bool is_load = (kind->needs & NT_IS_LOAD) || !kind->differentiate;
    int *last = object ? &object->signal : &model->whole_signal;
    for (int i = *last; i > 0; i = model->signals[i - 1].before) {
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
                                                   .before = *last};
    model->n_followed += is_load;
    *last = ++model->n_signals;
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
    for (int k = 0; k < 2 * nt_quantity_kind_count; k++) { /* motions come before forces */
        const nt_quantity_kind *kind = &nt_quantity_kinds[k % nt_quantity_kind_count];
        bool moves = k < nt_quantity_kind_count, forces = (kind->needs & NT_IS_LOAD) != 0;
        if ((moves ? !kind->differentiate : !forces || kind->differentiate) ||
            !nt_quantity_is_of(model, object, kind))
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
    if (signal->kind < 0 || signal->is_load)
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
           signal->kind == NT_SIGNAL_SIDE ||
           (signal->kind >= 0 && nt_quantity_kinds[signal->kind].of == NT_OF_HELD);
}

int nt_signal_marker(const nt_signal *signal)
{
    return signal->kind >= 0 && nt_quantity_kinds[signal->kind].of == NT_OF_MARKER ? signal->object
                                                                                   : -1;
}

/* The element that it belongs to, or depends on; -1 for none. */
static int signal_element(const nt_model *model, const nt_signal *signal)
{
    int element = -1, end;
    switch (nt_quantity_kinds[signal->kind].of) {
    case NT_OF_BODY:
    case NT_OF_TURNING:
    case NT_OF_WHOLE:
        return -1;
    case NT_OF_MARKER:
    case NT_OF_STATION:
    case NT_OF_FIGURE:
    case NT_OF_MATERIAL:
        return nt_marker_is_station(&model->markers[signal->object])
                   ? model->markers[signal->object].beam
                   : -1;
    case NT_OF_END:
        return nt_beam_end_of_body(model, signal->object, &element, &end) ? element : -1;
    case NT_OF_BALL:
    case NT_OF_CAGE:
        return signal->object % model->n_elements;
    default:
        return signal->object;
    }
}

bool nt_signal_is_spread(const nt_signal *signal)
{
    return signal->kind >= 0 && signal->is_load &&
           !(nt_quantity_kinds[signal->kind].needs & NT_IS_LOAD);
}

const nt_port *nt_signal_ports(const nt_model *model, const nt_signal *signal, int *n)
{
    const nt_element *e = signal->element < 0 ? NULL : &model->elements[signal->element];
    *n = e ? e->n_ports : model->n_whole;
    return e ? e->ports : model->whole;
}

bool nt_signal_port_reacts(const nt_model *model, const nt_signal *signal, int i)
{
    return signal->element >= 0 && !nt_element_pushes(&model->elements[signal->element], i);
}

void nt_signal_bind(const nt_model *model, nt_signal *signal)
{
    int body = nt_signal_body(model, signal), other = -1;
    if (signal->kind < 0) {
        signal->bodies[0] = signal->bodies[1] = signal->state = -1;
        return;
    }
    signal->state = nt_quantity_kinds[signal->kind].of == NT_OF_STATE ? signal->object : -1;
    signal->element = signal_element(model, signal);
    if (body < 0 && signal->element >= 0) {
        body = model->elements[signal->element].a;
        other = model->elements[signal->element].b;
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
    if (signal->kind == NT_SIGNAL_SIDE)
        return nt_bend_side(view->run, signal->object);
    nt_sampler sampler; /* its view is all that such a quantity looks at */
    if (signal->element < 0 && signal->is_load)
        return nt_whole_value(signal, view);
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
