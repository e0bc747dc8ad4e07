#include "model/events/switches.h"

#include "base/decimal.h"
#include "model/events/onsets.h"
#include "model/events/passings.h"
#include "model/events/sliding.h"
#include "model/expressions/expression_code.h"
#include "model/parameters/objective.h"
#include "model/quantities/quantity_kind.h"
#include "model/quantities/signal.h"
#include "model/states/delay.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- adding --------------------------------------------------------------------------------- */

/* Whether all it depends on are parameters, the time and switches of the same kind. */
static bool of_time(const nt_model *model, const nt_expression *e, bool *has_time)
{
    int n, time = nt_model_time_variable(model);
    const int *variables = nt_expression_variables(e, &n);
    *has_time = false;
    for (int i = 0; i < n; i++) {
        if (variables[i] < time)
            continue;
        *has_time = true;
        if (variables[i] == time)
            continue;
        const nt_signal *signal = &model->signals[variables[i] - time - 1];
        if (signal->kind != NT_SIGNAL_SWITCH || model->switches[signal->object].moves)
            return false;
    }
    return true;
}

static bool switches_make_room(nt_model *model)
{
    int n = model->n_switches;
    if (n > 0 && (n < 4 || (n & (n - 1)) != 0))
        return true;
    nt_switch *larger = NT_TAKE(&model->arena, n == 0 ? 4 : 2 * n, nt_switch);
    if (!larger)
        return false;
    if (n > 0)
        memcpy(larger, model->switches, (size_t)n * sizeof *larger);
    model->switches = larger;
    return true;
}

/* At the points of a spline third derivatives jump. Where its argument is a + b t they are stops
 * all the same: rows of a file that steps can meet. */
static bool bends_enough(const nt_table *table, bool affine)
{
    return affine || !table || table->form.interpolation != NT_SPLINE;
}

int nt_model_switch(nt_model *model, int operation, const nt_expression *argument,
                    const nt_table *table, const char *key, nt_place place)
{
    bool has_time, time_alone = of_time(model, argument, &has_time);
    bool bent = nt_operation_bends(operation, table);
    bool affine =
        time_alone && nt_expression_is_affine_in_pieces(argument, nt_model_time_variable(model));
    if (time_alone && !has_time) /* of parameters: it changes with them alone */
        return -1;
    if (bent && !time_alone)
        return nt_model_bend(model, operation, argument, table);
    if (bent && !bends_enough(table, affine))
        return -1;
    if (!switches_make_room(model))
        return -2;
    nt_switch *to = &model->switches[model->n_switches];
    *to = (nt_switch){.operation = operation,
                      .argument = argument,
                      .table = table,
                      .moves = !time_alone,
                      .known = time_alone,
                      .affine = affine,
                      .bends = bent,
                      .joint = -1,
                      .slide = -1,
                      .key = nt_arena_text(&model->arena, key, strlen(key)),
                      .place = place};
    if (!to->key)
        return -2;
    int signal = bent ? -1 : nt_model_switch_signal(model, model->n_switches);
    if (signal == -2)
        return -2;
    to->signal = signal;
    bool slides = operation == NT_OP_TABLE && nt_switch_may_slide(model, to);
    if (slides && nt_model_added_signal(model, NT_SIGNAL_PIECE, model->n_switches) < 0)
        return -2;
    model->n_switches++;
    return signal < 0 ? -1 : nt_model_time_variable(model) + 1 + signal;
}

int nt_model_find_sliding(const nt_model *model, int operation, const nt_expression *argument,
                          const nt_table *table)
{
    for (int k = 0; k < model->n_switches; k++) {
        const nt_switch *s = &model->switches[k];
        if (s->operation == operation && s->table == table && s->joint < 0 && s->signal >= 0 &&
            nt_expression_is_same(s->argument, argument) && nt_switch_may_slide(model, s))
            return nt_model_time_variable(model) + 1 + s->signal;
    }
    return -1;
}

/* Whether a variable of a load and one of a record are the same number. */
static bool is_shown_by(const void *context, int of_load, int of_record)
{
    const nt_model *model = context;
    int time = nt_model_time_variable(model);
    if (of_load <= time || of_record <= time)
        return of_load == of_record;
    const nt_signal *signal = &model->signals[of_load - time - 1];
    const nt_quantity_info *column = &model->columns[of_record - time - 1];
    const nt_quantity_kind *kind = &nt_quantity_kinds[column->kind];
    if (signal->object != column->object)
        return false;
    switch (signal->kind) {
    case NT_SIGNAL_SWITCH:
        return kind->of == NT_OF_SWITCH && column->first == 0;
    case NT_SIGNAL_PIECE:
        return kind->of == NT_OF_SWITCH && column->first == 1;
    case NT_SIGNAL_DELAY:
        return kind->of == NT_OF_DELAY;
    default:
        return kind->values == nt_quantity_kinds[signal->kind].values &&
               column->first == signal->component;
    }
}

static int shown(nt_model *model, int k, int first)
{
    nt_quantity_info quantity = {
        .object = k, .columns = 1, .first = first, .needs_reactions = true};
    while (nt_quantity_kinds[quantity.kind].of != NT_OF_SWITCH)
        quantity.kind++;
    return nt_model_column(model, &quantity);
}

int nt_model_find_shown(nt_model *model, int operation, const nt_expression *argument,
                        const nt_table *table)
{
    for (int k = 0; k < model->n_switches; k++) {
        const nt_switch *s = &model->switches[k];
        if (s->operation == operation && s->table == table && s->joint < 0 && s->slide >= 0 &&
            nt_expression_is_like(s->argument, argument, is_shown_by, model))
            return shown(model, k, 0);
    }
    return -1;
}

int nt_model_piece_shown(nt_model *model, int column)
{
    const nt_quantity_info *of = &model->columns[column];
    bool is_table = nt_quantity_kinds[of->kind].of == NT_OF_SWITCH && of->first == 0 &&
                    model->switches[of->object].table;
    return is_table ? shown(model, of->object, 1) : -1;
}

/* ---- values --------------------------------------------------------------------------------- */

/* The begin of the piece of a table of steps that x lies in. */
static double table_piece(const nt_table *table, double x)
{
    double shift = 0, first = table->x[0], last = table->x[table->n - 1];
    if (table->form.beyond == NT_BEYOND_PERIODIC && isfinite(x)) {
        shift = floor((x - first) / (last - first)) * (last - first);
        x -= shift;
    }
    if (!(x >= first))
        return first - 1;
    int low = 0, high = table->n;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (x < table->x[middle])
            high = middle;
        else
            low = middle;
    }
    return table->x[low] + shift;
}

/* The last point below x. */
static double table_last(const nt_table *table, double x)
{
    double piece = table_piece(table, x), first = table->x[0];
    bool repeats = table->form.beyond == NT_BEYOND_PERIODIC;
    if (!repeats && piece < first)
        return -(double)INFINITY;
    if (piece < x)
        return piece;
    double before = nextafter(piece, -(double)INFINITY);
    double last = table_piece(table, before);
    return !repeats && last < first ? -(double)INFINITY : last;
}

static double held_value(const nt_switch *s, double x)
{
    return s->operation == NT_OP_TABLE ? table_piece(s->table, x)
                                       : nt_operation_value(s->operation, x, 0, 0, NULL);
}

double nt_switch_value(const nt_run *run, int k, const double *variables)
{
    const nt_switch *s = &run->model->switches[k];
    return held_value(s, nt_expression_value(s->argument, variables));
}

double nt_switch_argument_now(const nt_run *run, int k)
{
    return nt_expression_value(run->model->switches[k].argument, run->variables);
}

double nt_switch_inside(const nt_run *run, int k, double held, const double *variables)
{
    const nt_switch *s = &run->model->switches[k];
    double x = nt_expression_value(s->argument, variables);
    if (s->bends) /* it is not looked at, but for how the time of a bend varies */
        return x;
    switch (s->operation) {
    case NT_OP_LESS:
    case NT_OP_LESS_EQUAL:
        return held != 0 ? -x : x;
    case NT_OP_HEAVISIDE:
        return held != 0 ? x : -x;
    case NT_OP_SIGN:
        return held != 0 ? held * x : -fabs(x);
    case NT_OP_EQUAL:
        return held != 0 ? -fabs(x) : fabs(x);
    case NT_OP_DIFFER:
        return held != 0 ? fabs(x) : -fabs(x);
    case NT_OP_FLOOR:
        return fmin(x - held, held + 1 - x);
    case NT_OP_CEIL:
        return fmin(held - x, x - (held - 1));
    case NT_OP_ROUND:
        return fmin(x - (held - 0.5), held + 0.5 - x);
    case NT_OP_TABLE: {
        double next = nt_table_next(s->table, held);
        bool below = s->table->form.beyond != NT_BEYOND_PERIODIC && held < s->table->x[0];
        return below ? s->table->x[0] - x : fmin(x - held, next - x);
    }
    default:
        return 1;
    }
}

/* ---- known stops ---------------------------------------------------------------------------- */

double nt_switch_next_point(const nt_switch *s, double x, bool up)
{
    double zero = up ? (x < 0 ? 0 : (double)INFINITY) : (x > 0 ? 0 : -(double)INFINITY);
    switch (s->operation) {
    case NT_OP_RISE:
        if (up)
            return x < 0 ? 0 : x < 1 ? 1 : (double)INFINITY;
        return x > 1 ? 1 : x > 0 ? 0 : -(double)INFINITY;
    case NT_OP_FLOOR:
    case NT_OP_CEIL:
        return up ? floor(x) + 1 : ceil(x) - 1;
    case NT_OP_ROUND:
        return up ? floor(x - 0.5) + 1.5 : ceil(x - 0.5) - 0.5;
    case NT_OP_TABLE:
        return up ? nt_table_next(s->table, x) : table_last(s->table, x);
    default:
        return zero;
    }
}

void nt_switch_argument(const nt_run *run, int k, double t, double jet[3])
{
    const nt_switch *s = &run->model->switches[k];
    double *now = &run->variables[nt_model_time_variable(run->model)], before = *now;
    *now = t;
    nt_expression_jet(s->argument, run->variables, run->model->time_rate, run->model->zeros, jet);
    *now = before;
}

/* Times that differ by less than this part of themselves, or of the slope's own scale, are one. */
static const double SAME_TIME = 32 * DBL_EPSILON;

/* Times this close to a stop, of it or of the slope's own scale, may be the same stop. */
static const double NEAR_STOP = 1e-12;

/* s, of a side of no stop; finite, so that differences of memories have a value. */
static const double NO_STOP = 1e300;

/* From the smallest number to any time by doubling. */
enum { TRIES = DBL_MAX_EXP - DBL_MIN_EXP };

/* The time by which switch k has surely left a stop at t on a side (-1 before, 1 behind), s: 0
 * where it does not bend there. */
static double leaves_by(const nt_run *run, int k, double t, int side)
{
    const nt_switch *s = &run->model->switches[k];
    double jet[3];
    nt_switch_argument(run, k, t, jet);
    double x = jet[0], rate = jet[1];
    if (rate == 0 || !isfinite(x))
        return 0;
    double near = NEAR_STOP * fmax(fabs(t), fabs(x / rate)), off = near * fabs(rate);
    double point = nt_switch_next_point(s, x - off - DBL_MIN, true);
    double e = 4 * DBL_EPSILON * fmax(fabs(t), fabs(x / rate)) + DBL_MIN;
    bool leaves = point > x + off; /* it goes away from the point there */
    for (int tries = 0; !leaves && tries < TRIES; tries++, e *= 2) {
        nt_switch_argument(run, k, t + side * 2 * e, jet);
        leaves = side * jet[1] * (jet[0] - point) > 0 || jet[1] == 0 || !isfinite(jet[0]);
    }
    return point <= x + off ? e : 0;
}

double nt_switches_leave_by(const nt_run *run, double t, int side)
{
    double by = 0;
    for (int k = 0; k < run->model->n_switches; k++)
        if (run->model->switches[k].bends)
            by = fmax(by, leaves_by(run, k, t, side));
    return by;
}

void nt_switches_room(nt_run *run, double t, const double *memory, const double *rates,
                      double room[2])
{
    const nt_model *model = run->model;
    double *now = &run->variables[nt_model_time_variable(model)], before = *now, jet[3];
    room[0] = room[1] = (double)INFINITY;
    *now = nt_switch_clock(model, t, memory);
    for (int k = 0; k < model->n_switches; k++) {
        const nt_switch *s = &model->switches[k];
        if (!s->bends || s->moves)
            continue;
        nt_expression_jet(s->argument, run->variables, rates, model->zeros, jet);
        double x = jet[0], rate = jet[1];
        if (rate == 0 || !isfinite(x) || !isfinite(rate))
            continue;
        double above = (nt_switch_next_point(s, x, true) - x) / fabs(rate);
        double below = (x - nt_switch_next_point(s, x, false)) / fabs(rate);
        room[rate > 0] = fmin(room[rate > 0], above);
        room[rate < 0] = fmin(room[rate < 0], below);
    }
    *now = before;
}

/* Two times are one for all parameters where they follow each alike, up to this part. */
static const double ALIKE = 1e-9;

bool nt_switches_pass_alike(const nt_run *run, int j, int k, double t)
{
    int time = nt_model_time_variable(run->model);
    double *now = &run->variables[time], before = *now, x[2], most = 0, apart = 0;
    nt_passing *const of[] = {&run->passings[j], &run->passings[k]};
    const int number[] = {j, k};
    *now = t;
    for (int i = 0; i < 2; i++) {
        const nt_expression *e = run->model->switches[number[i]].argument;
        int n;
        const int *used = nt_expression_variables(e, &n);
        memset(of[i]->slope, 0, (size_t)(time + 1) * sizeof(double));
        x[i] = nt_expression_partials(e, run->variables, of[i]->partial);
        for (int m = 0; m < n; m++)
            if (used[m] <= time)
                of[i]->slope[used[m]] = of[i]->partial[m];
    }
    *now = before;
    for (int m = 0; m < time; m++) {
        double first = of[0]->slope[m] / of[0]->slope[time];
        double second = of[1]->slope[m] / of[1]->slope[time];
        most = fmax(most, fmax(fabs(first), fabs(second)));
        apart = fmax(apart, fabs(first - second));
    }
    return isfinite(x[0] + x[1]) && apart <= ALIKE * most;
}

bool nt_switches_bend(const nt_run *run, double t, int *which)
{
    int first = -1;
    bool one = true;
    for (int k = 0; k < run->model->n_switches; k++) {
        if (!run->model->switches[k].bends || !(leaves_by(run, k, t, 1) > 0))
            continue;
        one = one && (first < 0 || nt_switches_pass_alike(run, first, k, t));
        first = first < 0 ? k : first;
    }
    *which = one ? first : -1;
    return first >= 0;
}

/* step() is smooth: its two ends are stops only where less than so many steps lie between them. */
static const double NARROW = 4;

double nt_switch_next(const nt_run *run, int k, double t, double behind, double end, double h)
{
    const nt_switch *s = &run->model->switches[k];
    double jet[3], later[3], same = SAME_TIME * fmax(fabs(t), fabs(end - t));
    if (!s->known)
        return (double)INFINITY;
    if (!s->affine)
        return nt_passing_next(run, k, t, end, h);
    nt_switch_argument(run, k, t, jet);
    nt_switch_argument(run, k, behind, later);
    double x = jet[0], rate = later[1];
    if (rate == 0 || !isfinite(x) || (s->operation == NT_OP_RISE && 1 > NARROW * h * fabs(rate)))
        return (double)INFINITY;
    for (int tries = 0; tries < 4; tries++) {
        x = nt_switch_next_point(s, x, rate > 0);
        double at = t + (x - jet[0]) / rate;
        if (!isfinite(x) || at > end + same)
            return (double)INFINITY;
        if (at > t + same)
            return at >= end - same ? end : nt_decimal(at);
    }
    return (double)INFINITY;
}

void nt_switches_forget_sides(const nt_model *model, double *memory)
{
    double *entry = memory + model->side_memory;
    entry[0] = entry[2] = NO_STOP;
    entry[1] = entry[3] = 0;
}

void nt_switches_take_side(nt_run *run, double t, bool behind, double *memory)
{
    double *sides = memory + run->model->side_memory, *entry = sides + (behind ? 0 : 2);
    double by = nt_switches_leave_by(run, t, behind ? 1 : -1);
    if (behind) /* the stop before which the motion was is this one */
        nt_switches_forget_sides(run->model, memory);
    entry[0] = by > 0 ? t : NO_STOP;
    entry[1] = by;
}

void nt_switch_word(const nt_model *model, int k, char *text, int size)
{
    const nt_switch *s = &model->switches[k];
    if (s->joint >= 0)
        snprintf(text, (size_t)size, "friction of joint %s", model->elements[s->joint].name);
    else
        snprintf(text, (size_t)size, "'%s' at %s:%d:%d", s->key, model->file, s->place.line,
                 s->place.column);
}
