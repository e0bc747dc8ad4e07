/* What the force elements share. */
#include "model/forces/load.h"

#include "base/error.h"
#include "model/joints/joint.h"
#include "model/mass_point.h"
#include "model/quantity_kind.h"
#include "model/switches.h"

#include <stdarg.h>
#include <stdio.h>

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

static nt_status add_signal(nt_coupled_signal *coupled_signal, nt_model *model, nt_element *element)
{
    const nt_signal *signal = &model->signals[coupled_signal->signal];
    for (int side = 0; side < 2; side++) {
        bool there = signal->bodies[side] >= 0;
        int port = there ? nt_element_port_of_body(model, element, signal->bodies[side]) : -1;
        if (there && port < 0)
            return NT_NO_MEMORY;
        coupled_signal->port[side] = port;
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

nt_status nt_coupling_declare(const nt_coupling *coupling, nt_model *model, nt_element *element,
                              unsigned rows)
{
    nt_status status = NT_OK;
    for (int k = 0; k < coupling->n; k++)
        for (int i = 0; i < 4 * NT_PAIR_NODES && status == NT_OK; i++) {
            int row = i / 4, port = coupling->signals[k].port[i / 2 % 2], rotation = i % 2;
            if ((rows >> row & 1) && port >= 0)
                status = nt_element_couple(model, element, row, port + rotation, NT_FULL);
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
void nt_coupling_add(const nt_coupling *coupling, const nt_view *view, int k,
                     const v3 direction[NT_PAIR_NODES])
{
    const nt_coupled_signal *here = &coupling->signals[k];
    const nt_signal *signal = &view->model->signals[here->signal];
    double damping = view->terms->combination->damping;
    double stiffness = view->terms->combination->stiffness;
    nt_signal_gradient gradient;

    nt_signal_differentiate(signal, view, &gradient);
    for (int side = 0; side < 2; side++) {
        if (signal->bodies[side] < 0)
            continue;
        m3 rate = nt_rate_map(view, signal->bodies[side], damping, stiffness);
        v3 along[2] = {
            v3_add(v3_scale(stiffness, gradient.x[side]), v3_scale(damping, gradient.v[side])),
            v3_add(v3_scale(stiffness, gradient.r[side]),
                   m3_apply_transposed(rate, gradient.w[side])),
        };
        for (int row = 0; row < NT_PAIR_NODES; row++)
            for (int rotation = 0; rotation < 2; rotation++)
                nt_view_add(view, row, here->port[side] + rotation,
                            m3_dyad(direction[row], along[rotation]));
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
                    : nt_quantity_kinds[s->kind].is_rate)
                return true;
        }
    return false;
}
