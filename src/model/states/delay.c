#include "model/states/delay.h"

#include "base/decimal.h"
#include "base/error.h"
#include "model/elements.h"
#include "model/expressions/expression_code.h"
#include "model/quantities/quantity_kind.h"
#include "model/quantities/signal.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Points per delay, at least and at most: what lies closer than SPAN parts of it is thinned out, so
 * that between points the cubic is off by (tau/SPAN)^4 x''''/384 at most. Steps that a method
 * chooses are no longer than tau/LEAST, and so behind a kink that no stop is at, where a point has
 * the slope before it for both sides, the past is off by 0.15 tau/LEAST of what the slope jumps by,
 * within one step. */
enum { LEAST = 64, MOST = 1024, SPARE = 8 };

/* Memory: the number of points, how many of them are behind a jump, the time of the last jump that
 * has come back, whether what happened last has made the newest point, then t, x, x' of each point,
 * the oldest first, and, of one that is the second at its time, when that comes back and what it
 * is. */
enum { COUNT, JUMPED, PASSED, MADE, POINTS, T = 0, X, RATE, DUE, KIND, POINT };

/* What is between two points of one time: x jumps, or x' alone does. */
enum { SMOOTH_POINT, BEND, JUMP };

/* Room for jumps: of what events do within a delay, and of samples. */
enum { EVENTS = 128, SAMPLES = 4096 };

/* s: none has come back. */
static const double NEVER = -1e300;

/* ---- adding --------------------------------------------------------------------------------- */

static bool make_room(nt_model *model)
{
    int n = model->n_delays;
    if (n > 0 && (n & (n - 1)) != 0)
        return true;
    nt_delay *larger = NT_TAKE(&model->arena, n == 0 ? 1 : 2 * n, nt_delay);
    if (!larger)
        return false;
    if (n > 0)
        memcpy(larger, model->delays, (size_t)n * sizeof *larger);
    model->delays = larger;
    return true;
}

int nt_model_find_delay(const nt_model *model, const char *text, int length)
{
    for (int k = 0; k < model->n_delays; k++)
        if (strncmp(model->delays[k].text, text, (size_t)length) == 0 &&
            model->delays[k].text[length] == '\0')
            return k;
    return -1;
}

int nt_model_delay(nt_model *model, const nt_expression *of, const nt_expression *by,
                   const char *text, int length, const char *key, nt_place place)
{
    int found = nt_model_find_delay(model, text, length);
    if (found >= 0)
        return model->delays[found].signal;
    if (!make_room(model))
        return -2;
    nt_delay *to = &model->delays[model->n_delays];
    *to = (nt_delay){.of = of,
                     .by = by,
                     .text = nt_arena_text(&model->arena, text, (size_t)length),
                     .key = nt_arena_text(&model->arena, key, strlen(key)),
                     .place = place,
                     .signal = nt_model_added_signal(model, NT_SIGNAL_DELAY, model->n_delays)};
    if (!to->text || !to->key || to->signal < 0)
        return -2;
    model->n_delays++;
    return to->signal;
}

/* ---- lengths -------------------------------------------------------------------------------- */

static double length_of(const nt_run *run, int k, const double *variables)
{
    return nt_expression_value(run->model->delays[k].by, variables);
}

/* Points at which x may jump within a delay. */
static double count_jumps(const nt_model *model, double span)
{
    double samples = 0;
    for (int i = 0; i < model->n_elements; i++) {
        const nt_element *e = &model->elements[i];
        const char *data = nt_element_data(model->origin, e);
        if (e->type->period)
            samples += span / *(const double *)(const void *)(data + e->type->period);
    }
    bool jumps = model->n_happenings + model->n_switches + model->n_grips + model->n_limits > 0;
    return (jumps ? EVENTS : 0) + fmin(ceil(samples), SAMPLES);
}

int nt_model_lay_out_delays(nt_model *model, int first)
{
    int n = first;
    for (int k = 0; k < model->n_delays; k++) {
        nt_delay *d = &model->delays[k];
        d->span = length_of(model->origin, k, model->origin->variables);
        double steps = model->simulation.step > 0 ? d->span / model->simulation.step : MOST;
        int smooth = (int)fmin(fmax(2 * steps, LEAST), MOST);
        d->close = d->span / smooth;
        d->room = smooth + SPARE + 4 * (int)count_jumps(model, d->span);
        d->memory = n;
        n += POINTS + POINT * d->room;
    }
    return n - first;
}

nt_status nt_run_check_delays(const nt_run *run, nt_error *error)
{
    for (int k = 0; k < run->model->n_delays; k++) {
        const nt_delay *d = &run->model->delays[k];
        double length = length_of(run, k, run->variables), step = run->model->simulation.step;
        if (!(length > 0) || !isfinite(length))
            return nt_fail_at(error, NT_BAD_MODEL, run->model->file, d->place.line, d->place.column,
                              "%s: a delay of %g s, expected a time above zero", d->key, length);
        if (length < step)
            return nt_fail_at(error, NT_BAD_MODEL, run->model->file, d->place.line, d->place.column,
                              "%s: a delay of %g s is shorter than the step of %g s, expected one "
                              "as long at least",
                              d->key, length, step);
    }
    return NT_OK;
}

double nt_run_delay_step(const nt_run *run)
{
    double shortest = (double)INFINITY;
    for (int k = 0; k < run->model->n_delays; k++)
        shortest = fmin(shortest, length_of(run, k, run->variables));
    return shortest / LEAST;
}

static bool depends(const nt_expression *e, const double *rates)
{
    int n;
    const int *variables = nt_expression_variables(e, &n);
    for (int i = 0; i < n; i++)
        if (rates[variables[i]] != 0)
            return true;
    return false;
}

bool nt_run_delays_use(const nt_run *run, const double *rates)
{
    for (int k = 0; k < run->model->n_delays; k++)
        if (depends(run->model->delays[k].of, rates) || depends(run->model->delays[k].by, rates))
            return true;
    return false;
}

/* x begins with a kink, which comes back after each T one derivative higher. */
enum { SMOOTH = 8 };

/* Times of one stop differ by rounding, of that size. */
static double rounding_of(double t) { return 32 * DBL_EPSILON * fabs(t); }

static const double *points_of(const nt_run *run, int k, const double *memory, int *n)
{
    const double *own = memory + run->model->delays[k].memory;
    *n = (int)own[COUNT];
    return own + POINTS;
}

double nt_run_delay_stop(const nt_run *run, double t, const double *memory)
{
    double first = (double)INFINITY, start = run->model->simulation.start;
    for (int k = 0; k < run->model->n_delays; k++) {
        double length = length_of(run, k, run->variables);
        double turn = floor((t - start) / length * (1 + 1e-12) + 1e-12) + 1;
        if (turn <= SMOOTH)
            first = fmin(first, nt_decimal(start + turn * length));
        int n;
        const double *point = points_of(run, k, memory, &n);
        for (int i = 0; i < n; i++, point += POINT)
            if (point[KIND] != SMOOTH_POINT && point[DUE] > t + rounding_of(t))
                first = fmin(first, point[DUE]);
    }
    return first;
}

/* Times that differ by less than this part of a delay are one. */
static const double AT_ONCE = 1e-9;

bool nt_run_delay_bends(const nt_run *run, double t, const double *memory)
{
    for (int k = 0; k < run->model->n_delays; k++) {
        double length = length_of(run, k, run->variables);
        if (fabs(t - run->model->simulation.start - length) <= AT_ONCE * length)
            return true;
        int n;
        const double *point = points_of(run, k, memory, &n);
        for (int i = 0; i < n; i++, point += POINT)
            if (point[KIND] == BEND && fabs(t - point[DUE]) <= AT_ONCE * length)
                return true;
    }
    return false;
}

void nt_run_delay_returns(const nt_run *run, nt_instant *instant)
{
    double t = instant->at->t;
    for (int k = 0; k < run->model->n_delays; k++) {
        int n, first = run->model->delays[k].memory;
        const double *points = points_of(run, k, instant->memory, &n);
        double *passed = &instant->memory[first + PASSED];
        for (int i = 0; i < n && instant->memory[first + JUMPED] > 0; i++) {
            const double *point = points + (ptrdiff_t)POINT * i;
            if (point[KIND] != JUMP || point[T] <= *passed)
                continue;
            if (point[DUE] > t + rounding_of(t))
                break;
            *passed = point[T];
            instant->kept_at = first + POINTS + POINT * i + DUE;
            instant->happened = 1;
            return;
        }
    }
}

/* Whether a step ended at t because the start comes back there, for the lengths that the file
 * gives: so what stays in memory does not depend on parameters. */
static bool is_kink(const nt_model *model, double t)
{
    for (int k = 0; k < model->n_delays; k++) {
        double turns = (t - model->simulation.start) / model->delays[k].span, turn = round(turns);
        if (turn >= 1 && turn <= SMOOTH && fabs(turns - turn) <= AT_ONCE)
            return true;
    }
    return false;
}

/* ---- looking -------------------------------------------------------------------------------- */

/* A cubic through two points with their slopes, and its derivative, at the part s between them. */
static void cubic(const double *a, const double *b, double s, double out[2])
{
    double h = b[T] - a[T], rest = 1 - s, rise = b[X] - a[X];
    double p = h * a[RATE] - rise, q = rise - h * b[RATE];
    out[0] = a[X] + s * rise + s * rest * (rest * p + s * q);
    out[1] = (rise + (1 - 2 * s) * (rest * p + s * q) + s * rest * (q - p)) / h;
}

/* How far beyond the newest point rounding may lead, in parts of the delay. */
static const double BEYOND = 1e-9;

/* The first and the last of the points between which x is looked for: no jump is between them that
 * is ahead, or has come back. Where a jump comes back, rounding does not tell on which side of it
 * the time is. */
static void find_stretch(const double *memory, int *low, int *high)
{
    const double *points = memory + POINTS;
    *low = 0, *high = (int)memory[COUNT] - 1;
    for (int i = 1; i <= *high && memory[JUMPED] > 0; i++) {
        const double *point = points + (ptrdiff_t)POINT * i;
        if (point[KIND] == JUMP && point[T] <= memory[PASSED])
            *low = i;
        else if (point[KIND] == JUMP)
            *high = i - 1;
    }
}

/* The first of the two points around t, `low` but at a bend, where x' has two values: that before
 * is of the step that ends as the bend comes back, that behind of the step that begins there. No
 * step leads across, but rounding leads to either side. */
static int choose_side(const double *points, int first, int low, int last, double t, double near,
                       bool behind)
{
    for (int i = low; i <= low + 2 && i <= last; i++) {
        const double *point = points + (ptrdiff_t)POINT * i;
        if (point[KIND] == BEND && fabs(point[T] - t) <= near)
            low = behind ? (i < last ? i : i - 1) : (i - 2 >= first ? i - 2 : first);
    }
    return low;
}

void nt_delay_look(const nt_view *view, int k, double out[2])
{
    const nt_delay *d = &view->model->delays[k];
    const double *memory = view->at->memory ? view->at->memory + d->memory : NULL;
    int n = memory ? (int)memory[COUNT] : 0;
    const double *points = memory ? memory + POINTS : NULL;
    double length = length_of(view->run, k, view->variables), t = view->at->t - length;
    out[0] = out[1] = 0;
    if (n == 0) { /* nothing is known yet: as if it had always been so */
        out[0] = nt_expression_value(d->of, view->variables);
        return;
    }
    int low, high;
    find_stretch(memory, &low, &high);
    int first = low, final = high;
    const double *last = points + (ptrdiff_t)POINT * (n - 1);
    if (low == 0 && (high == 0 || t <= points[T] + BEYOND * length)) {
        /* x was constant before the start, whose kink has two sides */
        bool begins = n > 1 && view->at->t <= last[T], far = t < points[T] - BEYOND * length;
        out[0] = points[X];
        out[1] = begins && !far && high > 0 ? points[RATE] : 0;
        if (far && points[T] > view->model->simulation.start) /* no longer kept */
            out[0] = out[1] = (double)NAN;
        return;
    }
    if (t > last[T] + BEYOND * length) {
        out[0] = out[1] = (double)NAN;
        return;
    }
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (t < points[POINT * middle + T])
            high = middle;
        else
            low = middle;
    }
    low = choose_side(points, first, low, final, t, BEYOND * length, view->at->t <= last[T]);
    const double *a = points + (ptrdiff_t)POINT * low, *b = a + POINT;
    cubic(a, b, (t - a[T]) / (b[T] - a[T]), out);
}

double nt_delay_rate(const nt_view *view, int k, const double *rates)
{
    double jet[3], value[2];
    nt_expression_jet(view->model->delays[k].by, view->variables, rates, view->model->zeros, jet);
    if (jet[1] == 0)
        return 0;
    nt_delay_look(view, k, value);
    return -value[1] * jet[1];
}

/* ---- after a step --------------------------------------------------------------------------- */

/* The derivative of x in time. Not a number at the start, where it depends on accelerations. */
static double rate_of(nt_run *run, const nt_view *view, const nt_expression *of)
{
    const nt_model *model = run->model;
    int time = nt_model_time_variable(model), n;
    const int *variables = nt_expression_variables(of, &n);
    double *rates = run->variables_scratch, jet[3];
    memset(rates, 0, (size_t)nt_model_variable_count(model) * sizeof *rates);
    rates[time] = 1;
    for (int i = 0; i < n; i++)
        if (variables[i] > time)
            rates[variables[i]] = nt_signal_rate(&model->signals[variables[i] - time - 1], view);
    nt_expression_jet(of, view->variables, rates, model->zeros, jet);
    return jet[1];
}

/* At the start accelerations and rates of states are not known yet. */
static bool starts_without_rate(const nt_model *model, const nt_expression *of)
{
    int time = nt_model_time_variable(model), n;
    const int *variables = nt_expression_variables(of, &n);
    for (int i = 0; i < n; i++) {
        int kind = variables[i] > time ? model->signals[variables[i] - time - 1].kind : -1;
        if (kind >= 0 && nt_quantity_kinds[kind].is_rate)
            return true;
    }
    return false;
}

/* The slope at the begin of the parabola through a point and the next one with its slope. */
static double parabola(const double *a, const double *b)
{
    return 2 * (b[X] - a[X]) / (b[T] - a[T]) - b[RATE];
}

/* Makes room for one more point. Points that are no longer asked for go first, then the one whose
 * neighbours are closest, and only where all are at jumps one that is still asked for. */
static void forget_point(const nt_delay *d, double *memory, double t)
{
    double *points = memory + POINTS, closest = (double)INFINITY;
    int n = (int)memory[COUNT], least = 0;
    for (int i = 1; i < n - 1 && points[POINT + T] > t - d->span; i++) {
        const double *point = points + (ptrdiff_t)POINT * i;
        bool smooth = point[KIND] == SMOOTH_POINT && point[POINT + KIND] == SMOOTH_POINT;
        double apart = point[POINT + T] - point[T - POINT];
        if (smooth && apart < closest)
            closest = apart, least = i;
    }
    double *point = points + (ptrdiff_t)POINT * least;
    memory[JUMPED] -= point[KIND] == JUMP;
    memmove(point, point + POINT, (size_t)(POINT * (n - 1 - least)) * sizeof *point);
    memory[COUNT] = n - 1;
}

void nt_delay_accept(nt_run *run, const nt_view *view, int k, double *next)
{
    const nt_delay *d = &run->model->delays[k];
    const double *memory = view->at->memory ? view->at->memory + d->memory : NULL;
    double *to = next + d->memory, *points = to + POINTS, t = view->at->t;
    int n = memory ? (int)memory[COUNT] : 0;
    if (memory && memory != to)
        memcpy(to, memory, (size_t)(POINTS + POINT * n) * sizeof *to);
    if (n == 0)
        to[COUNT] = to[JUMPED] = to[MADE] = 0, to[PASSED] = NEVER;
    if (n > 0 && !(t > points[POINT * (n - 1) + T]))
        return;
    /* the newest point stays only where it is far enough from the one before, or at a kink */
    const double *newest = points + (ptrdiff_t)POINT * (n - 1);
    if (n > 1 && newest[KIND] == SMOOTH_POINT && newest[T] - newest[T - POINT] < d->close &&
        !is_kink(run->model, newest[T]))
        to[COUNT] = n - 1;
    if ((int)to[COUNT] == d->room)
        forget_point(d, to, t);
    n = (int)to[COUNT];
    double *last = points + (ptrdiff_t)POINT * n;
    last[T] = t;
    last[X] = nt_expression_value(d->of, view->variables);
    last[RATE] =
        n == 0 && starts_without_rate(run->model, d->of) ? (double)NAN : rate_of(run, view, d->of);
    last[DUE] = last[KIND] = 0;
    if (n > 0 && isnan(last[RATE])) /* of a load, which has none */
        last[RATE] = (last[X] - last[X - POINT]) / (t - last[T - POINT]);
    if (n > 0 && isnan(last[RATE - POINT]))
        last[RATE - POINT] = parabola(last - POINT, last);
    to[COUNT] = n + 1;
}

/* ---- after an instant ----------------------------------------------------------------------- */

/* Parts of x and x' that jump. What has accelerations or reactions in it jumps by the error of
 * methods that have them within the step alone. */
static const double APART = 1e-9, BENT = 1e-6, RATES_APART = 1e-3;

static bool differs(double a, double b, double part)
{
    return fabs(a - b) > part * (fabs(a) + fabs(b));
}

/* Whether the start comes back at t for the lengths that are. What x has of higher order jumps
 * there, and so do slopes of its derivatives in what moves that time. */
static bool start_returns(const nt_run *run, double t)
{
    for (int k = 0; k < run->model->n_delays; k++) {
        double length = length_of(run, k, run->variables);
        double turn = round((t - run->model->simulation.start) / length);
        if (turn >= 1 && turn <= SMOOTH &&
            fabs(t - run->model->simulation.start - turn * length) <= AT_ONCE * length)
            return true;
    }
    return false;
}

static int kind_of(const nt_model *model, const nt_delay *d, const double *before,
                   const double *behind)
{
    double part = starts_without_rate(model, d->of) ? RATES_APART : APART;
    if (differs(before[X], behind[X], part))
        return JUMP;
    return differs(before[RATE], behind[RATE], fmax(part, BENT)) ? BEND : SMOOTH_POINT;
}

void nt_delay_settle(nt_run *run, const nt_view *view, int k, double time, const double *as,
                     double *memory)
{
    const nt_delay *d = &run->model->delays[k];
    double *to = memory + d->memory, *points = to + POINTS, behind[POINT];
    int n = (int)to[COUNT];
    const double *newest = points + (ptrdiff_t)POINT * (n - 1);
    if (n == 0 || newest[T] != view->at->t)
        return;
    behind[T] = view->at->t;
    behind[X] = nt_expression_value(d->of, view->variables);
    behind[RATE] = isnan(newest[RATE]) ? (double)NAN : rate_of(run, view, d->of);
    behind[DUE] = nt_decimal(time + length_of(run, k, view->variables));
    bool again = newest[KIND] != SMOOTH_POINT; /* it is the second of this time already */
    const double *before = again ? newest - POINT : newest;
    bool stays = as ? as[d->memory + MADE] == 0
                    : again && kind_of(run->model, d, newest, behind) == SMOOTH_POINT;
    to[MADE] = !stays;
    if (stays) /* it is of what happened earlier at this time */
        return;
    int kind = kind_of(run->model, d, before, behind);
    if (kind == SMOOTH_POINT && start_returns(run, view->at->t))
        kind = BEND;
    if (n == 1 && kind == BEND) /* the start bends in any case */
        kind = SMOOTH_POINT;
    if (as) { /* its last point is that of this time */
        int count = (int)as[d->memory + COUNT];
        kind = (int)as[d->memory + POINTS + POINT * (count - 1) + KIND];
    }
    behind[KIND] = kind;
    if (again) {
        to[JUMPED] -= newest[KIND] == JUMP;
        to[COUNT] = --n;
    }
    if (kind == SMOOTH_POINT)
        return;
    if (n == d->room)
        forget_point(d, to, view->at->t);
    n = (int)to[COUNT];
    if (isnan(behind[RATE])) /* at the start, before which x was constant */
        points[POINT * (n - 1) + RATE] = 0;
    memcpy(points + (ptrdiff_t)POINT * n, behind, sizeof behind);
    to[COUNT] = n + 1;
    to[JUMPED] += kind == JUMP;
}
