/* The potential energy of laws of the load's own coordinate x alone.
 *
 * Where stiffness, free length, preload or value are functions of x, of parameters and of nothing
 * else, what T does besides damping is the loss of
 *
 *   V(x) = integral of e(s) ds from x_r to x
 *
 * with e the force that is meant at the coordinate s: the law of axial.h without damping, of one
 * side where `only` says so. x_r is the free length where that is a number and the law has a value
 * on the way from it to the given placement, else x at the given placement.
 *
 * The integral is taken between one point of the law's tables and the next by the rule of Kronrod
 * with 15 points, which is exact for polynomials up to order 22 (a table's cubics times x among
 * them), and by halves where it differs from the rule of Gauss with the 7 points in it. */
#include "model/forces/axial.h"

#include "model/events/onsets.h"
#include "model/events/switches.h"
#include "model/quantities/quantity_kind.h"
#include "model/quantities/quantity_values.h"

#include <float.h>

/* ---- what a law depends on ------------------------------------------------------------------ */

/* The signal behind a variable; NULL for a parameter and for t. */
static const nt_signal *energy_signal(const nt_model *model, int variable)
{
    int signal = variable - nt_model_time_variable(model) - 1;
    return signal >= 0 ? &model->signals[signal] : NULL;
}

static bool energy_is_held(const nt_signal *signal)
{
    return signal->kind == NT_SIGNAL_SWITCH || signal->kind == NT_SIGNAL_PIECE;
}

/* Whether it is the coordinate, by the name of the load or by that of its joint. */
static bool energy_is_own(const nt_model *model, const nt_element *e, const nt_axial *axial,
                          const nt_signal *signal)
{
    if (signal->kind < 0 || nt_quantity_kinds[signal->kind].is_rate)
        return false;
    const nt_quantity_kind *kind = &nt_quantity_kinds[signal->kind];
    if (kind->values == nt_value_along)
        return &model->elements[signal->object] == e;
    nt_quantity_owner of_joint =
        e->type->along == NT_ALONG_DISPLACEMENT ? NT_OF_SLIDING : NT_OF_ROTATING;
    return !nt_axial_has(axial, NT_AXIAL_BETWEEN) && kind->of == of_joint &&
           signal->object == axial->joint;
}

/* Whether an expression depends on the coordinate and parameters alone. Operations that jump do
 * where their arguments do. */
static bool energy_of_own(const nt_model *model, const nt_element *e, const nt_axial *axial,
                          const nt_expression *f)
{
    int n;
    const int *variables = nt_expression_variables(f, &n);
    for (int i = 0; i < n; i++) {
        const nt_signal *signal = energy_signal(model, variables[i]);
        if (variables[i] == nt_model_time_variable(model))
            return false;
        if (!signal)
            continue;
        bool good = energy_is_held(signal)
                        ? energy_of_own(model, e, axial, model->switches[signal->object].argument)
                        : energy_is_own(model, e, axial, signal);
        if (!good)
            return false;
    }
    return true;
}

/* Puts the coordinate s among the variables that an expression reads. */
static void energy_put(const nt_run *run, const nt_expression *f, double s, double *variables)
{
    const nt_model *model = run->model;
    int n;
    const int *read = nt_expression_variables(f, &n);
    for (int i = 0; i < n; i++) {
        const nt_signal *signal = energy_signal(model, read[i]);
        if (!signal)
            continue;
        if (energy_is_held(signal)) {
            energy_put(run, model->switches[signal->object].argument, s, variables);
            variables[read[i]] = nt_switch_value(run, signal->object, variables);
        } else {
            variables[read[i]] = s;
        }
    }
}

/* ---- the integral --------------------------------------------------------------------------- */

typedef struct energy_path {
    const nt_run *run;
    const nt_axial *axial;
    double *variables; /* parameters in their places; signals are put there */
    double size;       /* of the integral of |e|, J                         */
    double sign;       /* of `value`                                        */
    int intervals;     /* that are left                                     */
} energy_path;

/* e(s) */
static double energy_force(const energy_path *path, double s)
{
    const nt_axial *axial = path->axial;
    double law[NT_AXIAL_LAWS];
    for (int i = 0; i < NT_AXIAL_LAWS; i++) {
        const nt_expression *f = i == NT_AXIAL_DAMPING ? NULL : axial->law[i].function;
        law[i] = axial->law[i].value;
        if (!f)
            continue;
        energy_put(path->run, f, s, path->variables);
        law[i] = nt_expression_value(f, path->variables);
    }
    if (nt_axial_has(axial, NT_AXIAL_FIRST_LAW + NT_AXIAL_VALUE))
        return path->sign * law[NT_AXIAL_VALUE];
    if (!nt_axial_has(axial, NT_AXIAL_FIRST_LAW + NT_AXIAL_FREE))
        law[NT_AXIAL_FREE] = axial->distance;
    double e = law[NT_AXIAL_STIFFNESS] * (s - law[NT_AXIAL_FREE]) + law[NT_AXIAL_PRELOAD];
    if (!nt_axial_has(axial, NT_AXIAL_ONLY))
        return e;
    return axial->only == 0 ? fmax(e, 0) : fmin(e, 0);
}

/* Kronrod's nodes and weights on [-1, 1]; of Gauss those of every second node. */
static const double node[8] = {
    0.991455371120812639, 0.949107912342758525, 0.864864423359769073, 0.741531185599394440,
    0.586087235467691130, 0.405845151377397167, 0.207784955007898468, 0};
static const double kronrod[8] = {0.022935322010529225, 0.063092092629978553, 0.104790010322250184,
                                  0.140653259715525919, 0.169004726639267903, 0.190350578064785410,
                                  0.204432940075298892, 0.209482141084727828};
static const double gauss[4] = {0.129484966168869693, 0.279705391489276668, 0.381830050505118945,
                                0.417959183673469388};

/* After so many halves an interval is 1e-12 of the first, and what a jump in it is worth less. A
 * kink takes 50 intervals, a jump 80; where a law is noise no number of them would do. */
enum { ENERGY_HALVES = 40, ENERGY_INTERVALS = 10000 };
/* Where the two rules differ by d the error of Kronrod's is far below d, except beside kinks. */
static const double ENERGY_SMOOTH = 1e-12, ENERGY_ROUNDING = 4 * DBL_EPSILON;

/* The integral from a to b > a. NaN where the law has no value in between. */
static double energy_between(energy_path *path, double a, double b, int halves)
{
    double middle = 0.5 * (a + b), half = 0.5 * (b - a);
    double f = energy_force(path, middle);
    double of_15 = kronrod[7] * f, of_7 = gauss[3] * f, size = kronrod[7] * fabs(f);
    for (int i = 0; i < 7; i++) {
        double below = energy_force(path, middle - half * node[i]);
        double above = energy_force(path, middle + half * node[i]);
        of_15 += kronrod[i] * (below + above);
        size += kronrod[i] * (fabs(below) + fabs(above));
        of_7 += i % 2 == 1 ? gauss[i / 2] * (below + above) : 0;
    }
    double differ = fabs(of_15 - of_7);
    path->size = fmax(path->size, half * size);
    if (!isfinite(of_15))
        return (double)NAN;
    if (halves == 0 || path->intervals-- <= 0 || differ <= ENERGY_SMOOTH * size ||
        half * differ <= ENERGY_ROUNDING * path->size)
        return half * of_15;
    double first = energy_between(path, a, middle, halves - 1);
    return isnan(first) ? first : first + energy_between(path, middle, b, halves - 1);
}

/* The next point of a table of the law's own coordinate behind s. */
static double energy_next(const energy_path *path, double s)
{
    double next = (double)INFINITY;
    for (int i = 0; i < NT_AXIAL_LAWS; i++) {
        const nt_expression *f = i == NT_AXIAL_DAMPING ? NULL : path->axial->law[i].function;
        for (int k = 0; f; k++) {
            const nt_table *table = nt_expression_direct_table(f, k);
            if (!table)
                break;
            next = fmin(next, nt_table_next(table, s));
        }
    }
    return next;
}

static double energy_along(energy_path *path, double from, double to)
{
    double low = fmin(from, to), high = fmax(from, to), sum = 0;
    while (low < high) {
        double next = fmin(energy_next(path, low), high);
        if (!(next > low))
            return (double)NAN;
        sum += energy_between(path, low, next, ENERGY_HALVES);
        low = next;
    }
    return to < from ? -sum : sum;
}

/* ---- for the load --------------------------------------------------------------------------- */

static energy_path energy_path_of(const nt_run *run, const nt_element *e, double *variables)
{
    const nt_axial *axial = nt_element_data(run, e);
    return (energy_path){.run = run,
                         .axial = axial,
                         .variables = variables,
                         .sign = nt_axial_has(axial, NT_AXIAL_BETWEEN) ? 1 : -1,
                         .intervals = ENERGY_INTERVALS};
}

/* Where the coordinate stands at the given placement. */
static double energy_placed(const nt_axial *axial)
{
    return nt_axial_has(axial, NT_AXIAL_BETWEEN) ? axial->distance : 0;
}

void nt_axial_find_store(nt_run *run, const nt_element *e)
{
    nt_axial *axial = nt_element_numbers(run, e);
    bool any = false, own = true;
    for (int i = 0; i < NT_AXIAL_LAWS; i++) {
        const nt_expression *f = i == NT_AXIAL_DAMPING ? NULL : axial->law[i].function;
        any = any || f;
        own = own && (!f || energy_of_own(run->model, e, axial, f));
    }
    axial->stores = any && own;
    axial->from_free = nt_axial_has(axial, NT_AXIAL_FIRST_LAW + NT_AXIAL_FREE) &&
                       !axial->law[NT_AXIAL_FREE].function;
    if (!axial->stores || !axial->from_free)
        return;
    energy_path path = energy_path_of(run, e, run->variables);
    axial->from_free =
        isfinite(energy_along(&path, axial->law[NT_AXIAL_FREE].value, energy_placed(axial)));
}

nt_axial_store nt_axial_stored(const nt_element *e, const nt_view *view, double x)
{
    const nt_model *model = view->model;
    energy_path path = energy_path_of(view->run, e, view->scratch);
    for (int i = 0; i < nt_model_time_variable(model); i++)
        view->scratch[i] = view->variables[i];
    nt_bends_free(model, view->scratch);
    const nt_axial *axial = path.axial;
    double from = axial->from_free ? axial->law[NT_AXIAL_FREE].value : energy_placed(axial);
    return (nt_axial_store){energy_along(&path, from, x), energy_force(&path, x)};
}
