/* Prescribed motions that jump in time, or whose rates do, by what they are written with: floor,
 * mod, if, comparisons, abs, min, max. (Of tables see nt_expression_roughness.)
 *
 * A motion is a function of t alone. Between SAMPLES + 1 times over the run those intervals are
 * halved over which its value, or its first or its second derivative, changes by more than ALIKE of
 * its range, always towards the half with the larger part of the change. Where it is smooth the
 * change goes to zero with the interval; where it jumps it stays until two numbers are neighbours.
 */
#include "model/assembly/motion_jumps.h"

#include "model/events/switches.h"
#include "model/expressions/expression_code.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 1000 };

/* A smooth function that changes wholly within 1e-9 of the run changes by 1e-7 of its range between
 * neighbours. */
static const double ALIKE = 1e-6;

/* Part of the run that is its start. */
static const double AT_ONCE = 1e-9;

typedef struct watched {
    const nt_model *model;
    const nt_expression *motion;
    double *variables, *rate, *zero; /* [variables]: the rate of t is 1 */
} watched;

/* Whether it holds an operation that may jump or bend. */
static bool may_bend(const nt_model *model, const nt_expression *e)
{
    int n, first = nt_model_time_variable(model) + 1;
    const int *variables = nt_expression_variables(e, &n);
    for (int i = 0; i < n; i++)
        if (variables[i] >= first && model->signals[variables[i] - first].kind == NT_SIGNAL_SWITCH)
            return true;
    for (int i = 0; i < e->n; i++) {
        int o = e->code[i].operation;
        if (o == NT_OP_ABS || (o >= NT_OP_SIGN && o < NT_OP_FLAT_END) || o == NT_OP_SQRT ||
            o == NT_OP_CBRT || (o >= NT_OP_POWER && o < NT_OP_LOGIC_END && o != NT_OP_MAP) ||
            o == NT_OP_IF || o == NT_OP_BLEND)
            return true;
    }
    return false;
}

/* Value and derivatives at a time, with all that switches held as it is then. */
static void motion_jet(watched *w, double t, double out[3])
{
    int time = nt_model_time_variable(w->model);
    w->variables[time] = t;
    for (int i = 0; i < w->model->n_signals; i++)
        if (nt_signal_is_of_time(w->model, &w->model->signals[i]))
            w->variables[time + 1 + i] =
                nt_switch_value(w->model->origin, w->model->signals[i].object, w->variables);
    nt_expression_jet(w->motion, w->variables, w->rate, w->zero, out);
}

/* Halves [a, b] until it is narrow; *from, *to: the derivatives k at its ends then. *alike grows
 * with what is met on the way, where samples have missed how large the derivative becomes. */
static double find_jump(watched *w, int k, double a, double b, double *from, double *to,
                        double *alike)
{
    double low[3], middle[3], high[3];
    motion_jet(w, a, low);
    motion_jet(w, b, high);
    for (double m = a + (b - a) / 2; a < m && m < b; m = a + (b - a) / 2) {
        motion_jet(w, m, middle);
        if (isfinite(middle[k]))
            *alike = fmax(*alike, ALIKE * fabs(middle[k]));
        if (fabs(middle[k] - low[k]) > fabs(high[k] - middle[k]))
            b = m, memcpy(high, middle, sizeof high);
        else
            a = m, memcpy(low, middle, sizeof low);
    }
    *from = low[k], *to = high[k];
    return b;
}

/* Whether derivative k jumps somewhere, and where first; or has no bound there. What it does at the
 * very start is not seen by a run. An angle that jumps by whole turns stays where it is. */
static bool jumps_somewhere(watched *w, int k, bool is_angle, const double *times,
                            const double (*jets)[3], nt_motion_jump *found)
{
    double least = (double)INFINITY, most = -(double)INFINITY, from, to;
    for (int i = 0; i <= SAMPLES; i++)
        if (isfinite(jets[i][k]))
            least = fmin(least, jets[i][k]), most = fmax(most, jets[i][k]);
    double alike = ALIKE * fmax(most - least, 1e-3 * fmax(fabs(least), fabs(most)));
    for (int i = 0; i < SAMPLES; i++) {
        if (fabs(jets[i + 1][k] - jets[i][k]) <= alike)
            continue;
        double bound = alike;
        double t = find_jump(w, k, times[i], times[i + 1], &from, &to, &bound), by = to - from;
        if (k == 0 && is_angle)
            by = remainder(by, 8 * atan(1.0));
        if (!(fabs(by) > bound) || t - times[0] < AT_ONCE * (times[SAMPLES] - times[0]))
            continue;
        *found = (nt_motion_jump){.t = t, .by = isinf(by) ? fabs(by) : by, .derivative = k};
        return true;
    }
    return false;
}

bool nt_motion_jumps(const nt_model *model, const nt_expression *motion, bool is_angle,
                     double start, double end, nt_motion_jump *found)
{
    int n = nt_model_variable_count(model);
    if (!may_bend(model, motion) || !(end > start))
        return false;
    double *memory = calloc(3 * (size_t)n + 4 * (SAMPLES + 1), sizeof *memory);
    if (!memory)
        return false;
    watched w = {model, motion, memory, memory + n, memory + 2 * n};
    double *times = memory + 3 * n, (*jets)[3] = (double(*)[3])(times + SAMPLES + 1);
    memcpy(w.variables, model->origin->variables, (size_t)n * sizeof *memory);
    w.rate[nt_model_time_variable(model)] = 1;
    for (int i = 0; i <= SAMPLES; i++) {
        times[i] = start + (end - start) * i / SAMPLES;
        motion_jet(&w, times[i], jets[i]);
    }
    bool any = false;
    for (int k = 0; k < 3 && !any; k++)
        any = jumps_somewhere(&w, k, is_angle, times, (const double(*)[3])jets, found);
    free(memory);
    return any;
}
