/* What the force elements share. */
#include "model/forces/load.h"

#include "base/error.h"
#include "model/bodies/mass_point.h"
#include "model/events/sliding.h"
#include "model/events/switches.h"
#include "model/joints/joint.h"
#include "model/quantities/quantity_kind.h"
#include "model/quantities/signal.h"

#include <stdarg.h>
#include <stdio.h>

const char *const nt_friction_laws[] = {"regularised", "set-valued", NULL};

nt_status nt_load_refuse(const nt_model *model, const nt_element *element, nt_error *error,
                         const char *format, ...)
{
    char words[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    return nt_fail_at(error, NT_BAD_MODEL, model->file, element->place.line, element->place.column,
                      "%s %s: %s", element->type->name, element->name, words);
}

nt_status nt_load_refuse_key(const nt_model *model, const nt_element *element, const char *key,
                             nt_error *error, const char *format, ...)
{
    char words[512], path[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    nt_place place = element->place;
    int start = snprintf(path, sizeof path, "%s.%s.", element->type->section->name, element->name);
    int used =
        snprintf(path, sizeof path, "%s.%s.%s", element->type->section->name, element->name, key);
    char *end = used > 0 && (size_t)used < sizeof path ? path + used : NULL;
    while (end && !nt_model_key_place(model, path, &place.line, &place.column)) {
        end = strrchr(path, '.');
        place = element->place;
        if (!end || end < path + start)
            break;
        *end = '\0';
    }
    return nt_fail_at(error, NT_BAD_MODEL, model->file, place.line, place.column, "%s %s: %s",
                      element->type->name, element->name, words);
}

nt_status nt_load_declare(nt_model *model, nt_element *element, unsigned rows, unsigned columns)
{
    nt_status status = NT_OK;
    for (int i = 0; i < NT_PAIR_NODES; i++)
        for (int j = 0; j < NT_PAIR_NODES && status == NT_OK; j++)
            if ((rows >> i & 1) && (columns >> j & 1))
                status = nt_element_couple(model, element, i, j, NT_FULL);
    return status;
}

nt_status nt_load_on_joint(const nt_run *run, const nt_element *element, int joint,
                           bool translation, bool validate, nt_error *error)
{
    const nt_element *on = &run->model->elements[joint];
    const nt_joint *as_joint = nt_element_as_joint(run, on);
    bool is_free = as_joint && (translation ? as_joint->slides : as_joint->rotates);
    if (validate && !is_free)
        return nt_load_refuse(run->model, element, error,
                              "joint %s is %s, expected one with a free %s", on->name,
                              on->type->name, translation ? "displacement" : "angle");
    return NT_OK;
}

/* ---- points --------------------------------------------------------------------------------- */

nt_status nt_load_point(const nt_run *run, const nt_element *element,
                        const nt_place_of_point *place, int body, bool validate, v3 *offset,
                        nt_error *error)
{
    const nt_model *model = run->model;
    const nt_body *b = &run->bodies[body];
    if (place->marker < 0) {
        v3 at = v3_load(place->at), from_reference = v3_sub(at, b->x0);
        double size = v3_norm(at) + v3_norm(b->x0);
        *offset =
            b->point ? v3_of(0, 0, 0) : m3_apply_transposed(quat_matrix(b->q0), from_reference);
        return validate ? nt_mass_point_place(model, element, body, from_reference, size, error)
                        : NT_OK;
    }
    const nt_marker *marker = &run->markers[place->marker];
    if (validate && marker->on != body)
        return nt_load_refuse(model, element, error, "marker %s is on %s, expected one on %s",
                              marker->name, model->bodies[marker->on].name, b->name);
    *offset = b->point ? v3_of(0, 0, 0) : v3_sub(v3_load(marker->at), b->reference);
    return NT_OK;
}

v3 nt_load_ground_point(const nt_run *run, int body, v3 offset)
{
    const nt_body *b = &run->bodies[body];
    return v3_add(b->x0, m3_apply(quat_matrix(b->q0), offset));
}

/* ---- tangents ------------------------------------------------------------------------------- */

void nt_pair_accumulate(nt_pair_derivative *target, m3 factor, const nt_pair_derivative *d)
{
    for (int i = 0; i < NT_PAIR_NODES; i++) {
        target->q[i] = m3_add(target->q[i], m3_multiply(factor, d->q[i]));
        target->v[i] = m3_add(target->v[i], m3_multiply(factor, d->v[i]));
    }
}

/* Along a variation e of the unknowns (see nt_combination) dq = k e, dv = c e for translations and
 * dw = W e for rotations, W = nt_rate_map. */
void nt_pair_add(const nt_element *element, const nt_view *view, int row,
                 const nt_pair_derivative *d)
{
    const nt_combination *combination = view->terms->combination;
    double c = combination->damping, k = combination->stiffness;

    for (int column = 0; column < NT_PAIR_NODES; column++) {
        if (element->slot[row * element->n_ports + column] < 0)
            continue;
        int body = column < NT_T_B ? element->a : element->b;
        m3 rate = column % 2 == 0 ? m3_scale(c, d->v[column])
                                  : m3_multiply(d->v[column], nt_rate_map(view, body, c, k));
        nt_view_add(view, row, column, m3_add(m3_scale(k, d->q[column]), rate));
    }
}

/* ---- functions of signals ------------------------------------------------------------------- */

/* The signal behind variable i of expressions; -1 for a parameter and for t. */
static int signal_of(const nt_model *model, int variable)
{
    int signal = variable - nt_model_time_variable(model) - 1;
    return signal >= 0 ? signal : -1;
}

static int coupled(const nt_coupling *coupling, int signal)
{
    for (int k = 0; k < coupling->n; k++)
        if (coupling->signals[k].signal == signal)
            return k;
    return -1;
}

/* The ports of an element whose force is followed. */
static nt_status add_followed(nt_coupled_signal *coupled_signal, nt_model *model,
                              nt_element *element)
{
    const nt_signal *signal = &model->signals[coupled_signal->signal];
    nt_status status = signal->element < 0
                           ? nt_model_list_ports(model)
                           : nt_element_declare(model, &model->elements[signal->element]);
    if (status != NT_OK)
        return status;
    int n;
    const nt_port *ports = nt_signal_ports(model, signal, &n);
    coupled_signal->port[0] = coupled_signal->port[1] = coupled_signal->state = -1;
    coupled_signal->ports = NT_TAKE(&model->arena, n, int);
    for (int i = 0; coupled_signal->ports && i < n; i++) {
        bool there = ports[i].node >= 0, looks = nt_signal_port_reacts(model, signal, i);
        int port = there ? nt_element_port_like(model, element, &ports[i], looks) : -1;
        if (there && port < 0)
            return NT_NO_MEMORY;
        coupled_signal->ports[i] = port;
    }
    return coupled_signal->ports ? NT_OK : NT_NO_MEMORY;
}

/* The port of the multiplier of a switch that may slide. */
static nt_status add_slide(nt_coupled_signal *coupled_signal, nt_model *model, nt_element *element)
{
    const nt_signal *signal = &model->signals[coupled_signal->signal];
    nt_element *slide = &model->elements[nt_signal_slide(model, signal)];
    nt_status status = nt_element_declare(model, slide);
    if (status != NT_OK)
        return status;
    int port = nt_element_port_like(model, element, &slide->ports[NT_RATES], true);
    coupled_signal->slide = port;
    return port < 0 ? NT_NO_MEMORY : NT_OK;
}

static nt_status add_signal(nt_coupled_signal *coupled_signal, nt_model *model, nt_element *element)
{
    const nt_signal *signal = &model->signals[coupled_signal->signal];
    coupled_signal->slide = -1;
    if (signal->is_load)
        return add_followed(coupled_signal, model, element);
    for (int side = 0; side < 2; side++) {
        bool there = signal->bodies[side] >= 0;
        int port = there ? nt_element_port_of_body(model, element, signal->bodies[side]) : -1;
        if (there && port < 0)
            return NT_NO_MEMORY;
        coupled_signal->port[side] = port;
    }
    coupled_signal->state = -1;
    if (nt_signal_slide(model, signal) >= 0)
        return add_slide(coupled_signal, model, element);
    if (signal->state >= 0) {
        const nt_element *owner = &model->elements[signal->state];
        coupled_signal->state = nt_element_port_of_own_of(model, element, owner);
        return coupled_signal->state < 0 ? NT_NO_MEMORY : NT_OK;
    }
    return NT_OK;
}

nt_status nt_coupling_find(nt_coupling *coupling, nt_model *model, nt_element *element,
                           const nt_expression *const *functions, int count)
{
    int longest = 0, total = 0;
    for (int i = 0; i < count; i++) {
        int n;
        nt_expression_variables(functions[i], &n);
        longest = n > longest ? n : longest;
        total += n;
    }
    nt_coupled_signal *signals = NT_TAKE(&model->arena, total, nt_coupled_signal);
    size_t scratch = (size_t)total * (size_t)count + (size_t)longest;
    if (!signals)
        return NT_NO_MEMORY;
    *coupling = (nt_coupling){.signals = signals};
    model->scratch = scratch > model->scratch ? scratch : model->scratch;
    for (int i = 0; i < count; i++) {
        int n;
        const int *variables = nt_expression_variables(functions[i], &n);
        for (int j = 0; j < n; j++) {
            int signal = signal_of(model, variables[j]);
            if (signal < 0 || coupled(coupling, signal) >= 0)
                continue;
            nt_coupled_signal *next = &signals[coupling->n++];
            next->signal = signal;
            nt_status status = add_signal(next, model, element);
            if (status != NT_OK)
                return status;
        }
    }
    return NT_OK;
}

/* Beside a block in multipliers stands that of their rows, which stays zero: system.h. */
static nt_status declare_followed(const nt_coupled_signal *here, nt_model *model,
                                  nt_element *element, int row)
{
    const nt_signal *signal = &model->signals[here->signal];
    nt_status status = NT_OK;
    int n;
    nt_signal_ports(model, signal, &n);
    for (int i = 0; i < n && status == NT_OK; i++) {
        if (here->ports[i] < 0)
            continue;
        status = nt_element_couple(model, element, row, here->ports[i], NT_FULL);
        if (status == NT_OK && nt_signal_port_reacts(model, signal, i))
            status = nt_element_couple(model, element, here->ports[i], row, NT_FULL);
    }
    return status;
}

nt_status nt_coupling_declare(const nt_coupling *coupling, nt_model *model, nt_element *element,
                              unsigned rows)
{
    nt_status status = NT_OK;
    for (int row = 0; row <= NT_PORTS; row++)
        for (int k = 0; (rows >> row & 1) && k < coupling->n; k++) {
            const nt_coupled_signal *signal = &coupling->signals[k];
            for (int i = 0; i < 4 && status == NT_OK; i++)
                if (signal->port[i / 2] >= 0)
                    status = nt_element_couple(model, element, row, signal->port[i / 2] + i % 2,
                                               NT_FULL);
            if (signal->state >= 0 && status == NT_OK)
                status = nt_element_couple(model, element, row, signal->state, NT_FULL);
            if (signal->slide >= 0 && status == NT_OK)
                status = nt_element_couple(model, element, row, signal->slide, NT_FULL);
            if (signal->slide >= 0 && status == NT_OK)
                status = nt_element_couple(model, element, signal->slide, row, NT_FULL);
            if (signal->ports && status == NT_OK)
                status = declare_followed(signal, model, element, row);
        }
    return status;
}

nt_status nt_coupling_evaluate(const nt_coupling *coupling, const nt_view *view,
                               const nt_expression *const *functions, int count, double *value)
{
    bool slopes = !view->energy && view->terms->matrix && coupling->n > 0;
    const nt_straight *straight = view->run->straight;
    for (int i = 0; i < count; i++) {
        if (straight) {
            double jet[3];
            nt_expression_jet(functions[i], straight->base, straight->rates, view->model->zeros,
                              jet);
            value[i] = straight->share * jet[0] + straight->s * jet[1];
        } else if (!slopes) {
            value[i] = nt_expression_value(functions[i], view->variables);
        } else {
            double *slope = view->scratch + i * coupling->n;
            double *partial = view->scratch + count * coupling->n;
            int n;
            const int *variables = nt_expression_variables(functions[i], &n);
            value[i] = nt_expression_partials(functions[i], view->variables, partial);
            for (int k = 0; k < coupling->n; k++)
                slope[k] = 0;
            for (int j = 0; j < n; j++) {
                int signal = signal_of(view->model, variables[j]);
                if (signal >= 0)
                    slope[coupled(coupling, signal)] = partial[j];
            }
        }
        if (!isfinite(value[i]))
            return NT_NOT_FINITE;
    }
    return NT_OK;
}

/* ds = x . dx + r . dtheta + v . d(xdot) + w . dw for each of the signal's bodies, with dx = k e,
 * dtheta = k e, d(xdot) = c e, dw = W e: the row k x + c v, k r + W^T w behind the direction. */
static void signal_along(const nt_view *view, const nt_signal *signal, v3 along[2][2])
{
    double damping = view->terms->combination->damping;
    double stiffness = view->terms->combination->stiffness;
    nt_signal_gradient gradient;
    nt_signal_differentiate(signal, view, &gradient);
    for (int side = 0; side < 2; side++) {
        if (signal->bodies[side] < 0)
            continue;
        m3 rate = nt_rate_map(view, signal->bodies[side], damping, stiffness);
        along[side][0] =
            v3_add(v3_scale(stiffness, gradient.x[side]), v3_scale(damping, gradient.v[side]));
        along[side][1] = v3_add(v3_scale(stiffness, gradient.r[side]),
                                m3_apply_transposed(rate, gradient.w[side]));
    }
}

/* Through a load, in all ports of its element: the derivatives of a row's numbers in it, outer its
 * gradient. */
static void add_followed_row(const nt_coupled_signal *here, const nt_view *view, int row,
                             const double *direction, const double *gradient)
{
    int rows = view->local->element->ports[row].size, n;
    const nt_port *ports = nt_signal_ports(view->model, &view->model->signals[here->signal], &n);
    for (int i = 0; i < n; i++) {
        double *block = here->ports[i] < 0 ? NULL : nt_view_block(view, row, here->ports[i]);
        int columns = ports[i].size;
        for (int k = 0; block && k < rows * columns; k++)
            block[k] += direction[k / columns] * gradient[ports[i].start + k % columns];
    }
}

void nt_coupling_add(const nt_coupling *coupling, const nt_view *view, int k,
                     const v3 direction[NT_PAIR_NODES])
{
    const nt_coupled_signal *here = &coupling->signals[k];
    const nt_signal *signal = &view->model->signals[here->signal];
    v3 along[2][2];
    if (signal->is_load) {
        const double *gradient = nt_signal_follow(signal, view);
        for (int row = 0; row < NT_PAIR_NODES; row++) {
            double column[3];
            v3_store(column, direction[row]);
            add_followed_row(here, view, row, column, gradient);
        }
        return;
    }
    if (here->slide >= 0) {
        double slides = nt_slide_slope(view, signal->object);
        for (int row = 0; slides != 0 && row < NT_PAIR_NODES; row++) {
            double column[3];
            v3_store(column, v3_scale(slides, direction[row]));
            nt_view_add_numbers(view, row, here->slide, column);
        }
        return;
    }
    if (here->state >= 0) {
        for (int row = 0; row < NT_PAIR_NODES; row++) {
            double column[3];
            v3_store(column, v3_scale(view->terms->combination->damping, direction[row]));
            nt_view_add_numbers(view, row, here->state, column);
        }
        return;
    }
    signal_along(view, signal, along);
    for (int side = 0; side < 2; side++)
        for (int i = 0; signal->bodies[side] >= 0 && i < 2 * NT_PAIR_NODES; i++)
            nt_view_add(view, i / 2, here->port[side] + i % 2,
                        m3_dyad(direction[i / 2], along[side][i % 2]));
}

void nt_coupling_add_row(const nt_coupling *coupling, const nt_view *view, int k, int row,
                         double slope)
{
    const nt_coupled_signal *here = &coupling->signals[k];
    const nt_signal *signal = &view->model->signals[here->signal];
    v3 along[2][2];
    if (signal->is_load) {
        add_followed_row(here, view, row, &slope, nt_signal_follow(signal, view));
        return;
    }
    if (here->slide >= 0) {
        double slides = slope * nt_slide_slope(view, signal->object);
        if (slides != 0)
            nt_view_add_numbers(view, row, here->slide, &slides);
        return;
    }
    if (here->state >= 0) {
        double of_state = slope * view->terms->combination->damping;
        nt_view_add_numbers(view, row, here->state, &of_state);
        return;
    }
    signal_along(view, signal, along);
    for (int side = 0; side < 2; side++)
        for (int i = 0; signal->bodies[side] >= 0 && i < 2; i++) {
            double numbers[3];
            v3_store(numbers, v3_scale(slope, along[side][i]));
            nt_view_add_numbers(view, row, here->port[side] + i, numbers);
        }
}

bool nt_load_uses_rates(const nt_model *model, const nt_expression *const *functions, int count)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < model->n_signals; k++) {
            const nt_signal *s = &model->signals[k];
            if (!nt_expression_uses(functions[i], nt_model_time_variable(model) + 1 + k))
                continue;
            if (s->kind == NT_SIGNAL_SWITCH
                    ? nt_load_uses_rates(model, &model->switches[s->object].argument, 1)
                    : s->kind >= 0 &&
                          (nt_quantity_kinds[s->kind].is_rate || nt_signal_is_spread(s)))
                return true;
        }
    return false;
}
