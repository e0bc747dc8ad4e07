/* When functions of time alone pass points, whatever they are made of.
 *
 * The value x(t) and its rate are looked at at multiples of a quarter of the step. Where the rate
 * has other signs at the two ends of such a cell it turns between them: the turn divides the cell
 * into two pieces, on each of which x goes one way. A piece from x_a to x_b passes the first point
 * beyond x_a if that is not beyond x_b, and bisection gives the time to the last bit. Cells are
 * multiples whatever time is asked for, so a run that goes on from a saved state meets the same
 * passings as the whole one.
 *
 * x may only touch a point where it turns, as sin(t) does 1: what is beyond it there by rounding
 * alone is no passing. */
#include "model/events/passings.h"

#include "base/decimal.h"
#include "model/events/switches.h"
#include "model/expressions/expression_code.h"

#include <string.h>

/* Cells in a step; at most so many in the time that is asked for, some tenths of a second. */
static const double CELLS = 4, MOST = 1 << 22;

/* What is beyond a point by less, of the sizes that meet there, touches it. */
static const double TOUCHES = 64 * DBL_EPSILON;

/* Times that differ by less than this part of themselves, or of the time that is asked for, are
 * one. */
static const double SAME_TIME = 32 * DBL_EPSILON;

typedef struct looked {
    double t, x, rate;
} looked;

static looked look(const nt_run *run, int k, double t)
{
    double jet[3];
    nt_switch_argument(run, k, t, jet);
    return (looked){t, jet[0], jet[1]};
}

/* Where the rate turns between a and b, at the ends of which it has other signs. */
static looked find_turn(const nt_run *run, int k, const looked *a, const looked *b)
{
    looked low = *a, high = *b;
    for (double m = low.t + (high.t - low.t) / 2; low.t < m && m < high.t;
         m = low.t + (high.t - low.t) / 2) {
        looked middle = look(run, k, m);
        if (middle.rate == 0)
            return middle;
        if ((middle.rate > 0) == (low.rate > 0))
            low = middle;
        else
            high = middle;
    }
    return (low.rate > 0) == (low.x > high.x) ? low : high;
}

static bool is_beyond(double x, double point, bool up, bool strictly)
{
    return up ? x > point || (!strictly && x == point) : x < point || (!strictly && x == point);
}

/* The first time in a piece, which goes one way, at which x passes a point; infinite: it does not.
 * Where it is at a point already that is when it leaves it. */
static double find_passing(const nt_run *run, int k, const looked *a, const looked *b, looked *at)
{
    const nt_switch *s = &run->model->switches[k];
    bool up = b->x > a->x;
    if (a->x == b->x || !isfinite(a->x) || !isfinite(b->x))
        return (double)INFINITY;
    double before = nextafter(a->x, up ? -(double)INFINITY : (double)INFINITY);
    double point = nt_switch_next_point(s, before, up);
    bool leaves = point == a->x;
    if (!leaves)
        point = nt_switch_next_point(s, a->x, up);
    if (!is_beyond(b->x, point, up, leaves))
        return (double)INFINITY;
    looked low = *a, high = *b;
    for (double m = low.t + (high.t - low.t) / 2; low.t < m && m < high.t;
         m = low.t + (high.t - low.t) / 2) {
        looked middle = look(run, k, m);
        if (is_beyond(middle.x, point, up, leaves))
            high = middle;
        else
            low = middle;
    }
    *at = high;
    return high.t;
}

/* Whether at a turn x is beyond a point by rounding alone. */
static bool touches(const nt_switch *s, const looked *a, const looked *turn)
{
    bool up = turn->x > a->x;
    double size = TOUCHES * (fabs(turn->x) + fabs(turn->x - a->x));
    double before = turn->x + (up ? -size : size);
    double point = nt_switch_next_point(s, before, up);
    return fabs(point - before) <= 2 * size;
}

/* step() is smooth: its two ends are stops only where less than so many steps lie between them. */
static const double NARROW = 4;

/* The first passing in a piece that is later than t. */
static double next_in_piece(const nt_run *run, int k, const looked *a, const looked *b, double t,
                            double step)
{
    bool rises = run->model->switches[k].operation == NT_OP_RISE;
    looked from = *a, at = *a;
    while (find_passing(run, k, &from, b, &at) <= b->t) {
        if (at.t > t && !(rises && 1 > NARROW * step * fabs(at.rate)))
            return at.t;
        if (at.t == from.t && at.x == from.x)
            break;
        from = at;
    }
    return (double)INFINITY;
}

static double next_in_cell(const nt_run *run, int k, const looked *a, const looked *b, double t,
                           double step)
{
    const nt_switch *s = &run->model->switches[k];
    if (!(a->rate * b->rate < 0))
        return next_in_piece(run, k, a, b, t, step);
    looked turn = find_turn(run, k, a, b);
    if (!isfinite(turn.x))
        return next_in_piece(run, k, a, b, t, step);
    if (touches(s, a, &turn))
        turn.x += TOUCHES * (fabs(turn.x) + fabs(turn.x - a->x)) * (turn.x > a->x ? -2 : 2);
    double at = next_in_piece(run, k, a, &turn, t, step);
    return at <= turn.t ? at : next_in_piece(run, k, &turn, b, t, step);
}

static double find_next(const nt_run *run, int k, double t, double end, double step)
{
    double same = SAME_TIME * fmax(fabs(t), fabs(end - t));
    double cell = fmax(step / CELLS, (end - t) / MOST), number = floor(t / cell);
    looked a = look(run, k, number * cell);
    if (!isfinite(a.x) || a.t > t)
        a = look(run, k, t);
    while (a.t < end) {
        double next = fmin(++number * cell, end);
        if (!(next > a.t))
            continue;
        looked b = look(run, k, next);
        double at = next_in_cell(run, k, &a, &b, t + same, step);
        if (at <= end)
            return at >= end - same ? end : nt_decimal(at);
        a = b;
    }
    return (double)INFINITY;
}

/* Whether the variables of the argument, but the time, are those of what was found last; they are
 * from now on. */
static bool same_values(const nt_run *run, int k, double *values)
{
    int n, time = nt_model_time_variable(run->model);
    const int *variables = nt_expression_variables(run->model->switches[k].argument, &n);
    bool same = true;
    for (int i = 0; i < n; i++) {
        double value = variables[i] == time ? 0 : run->variables[variables[i]];
        same = same && values[i] == value;
        values[i] = value;
    }
    return same;
}

double nt_passing_next(const nt_run *run, int k, double t, double end, double step)
{
    nt_passing *found = &run->passings[k];
    double same = SAME_TIME * fmax(fabs(t), fabs(end - t));
    bool known = same_values(run, k, found->values) && found->end == end && found->step == step &&
                 found->from <= t && t + same < found->at;
    if (!known)
        found->at = find_next(run, k, t, end, step);
    found->from = known ? found->from : t;
    found->end = end, found->step = step;
    return found->at;
}

nt_passing *nt_passings_take(const nt_model *model, nt_arena *arena)
{
    nt_passing *passings = NT_TAKE(arena, model->n_switches + 1, nt_passing);
    for (int k = 0; passings && k < model->n_switches; k++) {
        int n;
        nt_expression_variables(model->switches[k].argument, &n);
        passings[k].values = NT_TAKE(arena, n + 1, double);
        passings[k].partial = NT_TAKE(arena, n + 1, double);
        passings[k].slope = NT_TAKE(arena, model->n_parameters + 1, double);
        passings[k].from = (double)NAN;
        if (!passings[k].values || !passings[k].partial || !passings[k].slope)
            return NULL;
    }
    return passings;
}
