/* Steps that are made again to end where an indicator passes its zero.
 *
 * Dense output and a shorter step differ by their errors: the length is corrected until the
 * indicator vanishes at the end of the step itself. Where none makes it vanish, the motion only
 * touches that zero, and dense output is the state. */
#include "method/integrator.h"
#include "system/indicator.h"

#include <math.h>
#include <string.h>

/* Steps that are made again at most; and by which part of the last correction the next one is
 * smaller while the slope of dense output is good enough. */
enum { AGAIN = 12 };
static const double GAINS = 0.1;

/* The step again over a length; *g: indicator i at its end. */
static nt_status step_again(nt_integrator *it, int i, double length, double *g)
{
    nt_integrator_roll_back(it);
    nt_stops_hold_before(it, length);
    nt_status status = nt_integrator_attempt(it, length);
    if (status == NT_OK)
        status = nt_stops_indicators(it, &it->stepper.next, it->stops.g[2]);
    *g = it->stops.g[2][i];
    return status;
}

nt_status nt_stops_step_to_end(nt_integrator *it, double h)
{
    double t = it->stepper.now.all[NT_PHASE_T];
    nt_integrator_roll_back(it);
    nt_stops_hold_before(it, h);
    nt_status status = nt_integrator_attempt(it, h);
    it->stepper.next.all[NT_PHASE_T] = t + h;
    it->stepper.next.all[NT_PHASE_STEP] = h;
    return status;
}

/* The first try on a length that a jump may be off by, as a part of the step, and how the next ones
 * grow until it is between two of them. */
static const double BESIDE = 1e-10, GROWS = 8;

/* The step again to just behind where indicator i jumps over its zero (sign: upward), which may be
 * elsewhere than on dense output: by halving. */
static nt_status step_to_jump(nt_integrator *it, int i, double h, double sign, double *length)
{
    double before = 0, behind = -1, g, by = BESIDE * h, tried = *length;
    nt_status status;
    while ((status = step_again(it, i, tried, &g)) == NT_OK) {
        bool passed = nt_indicator_passed(it->stops.way[i], g, sign);
        *(passed ? &behind : &before) = tried;
        if (passed && behind - before <= NT_ZERO_LOCATED * h)
            break;
        if (behind < 0 && tried >= h) /* not within it */
            break;
        if (behind >= 0 && before > 0)
            tried = behind - before <= NT_ZERO_LOCATED * h ? behind : (before + behind) / 2;
        else
            tried = fmin(passed ? fmax(tried - by, tried / 2) : tried + by, h), by *= GROWS;
    }
    *length = tried;
    return status;
}

/* The step again, as long as it takes for indicator i to vanish at its end: with the slope of dense
 * output, and by the secant where that is another one than shorter steps have. *there: it does. */
static nt_status vanish(nt_integrator *it, int i, double h, double slope, double *length,
                        bool *there)
{
    double rate = slope / h, last = 0, before = 0, g;
    *there = true;
    if (isinf(slope))
        return step_to_jump(it, i, h, slope > 0 ? 1 : -1, length);
    for (int round = 0; round < AGAIN; round++) {
        nt_status status = step_again(it, i, *length, &g);
        if (status != NT_OK)
            return status;
        double change = slope != 0 ? -g / rate : 0;
        if (round > 0 && fabs(change) > GAINS * fabs(last)) {
            double secant = (g - before) / last;
            rate = secant * slope > 0 ? secant : rate;
            change = -g / rate;
        }
        change = fmin(change, h - *length);
        bool converged = !(fabs(change) > NT_ZERO_LOCATED * h);
        if (converged || fabs(change) > 0.5 * *length || round == AGAIN - 1) {
            *there =
                converged || fabs(g) <= NT_ZERO_MISSED * it->stops.side[it->stops.events->n + i];
            return NT_OK;
        }
        last = change, before = g;
        *length += change;
    }
    return NT_OK;
}

/* A shorter step is not to be had: of a method that chooses its steps, or one so short that it does
 * not converge. Dense output is the state then. */
nt_status nt_stops_step_by_dense_output(nt_integrator *it, double part, double h)
{
    nt_stepper *s = &it->stepper;
    nt_phase at = nt_stops_phase_like(&s->now, it->stops.at.all);
    double t = s->now.all[NT_PHASE_T] + part * h;
    nt_status status = nt_integrator_between(it, &s->now, &s->next, t, &at);
    if (status == NT_OK)
        memcpy(s->next.q, at.q, (size_t)(at.memory - at.q) * sizeof(double));
    return status;
}

/* The step as it was made first, and dense output there. */
static nt_status step_back_to(nt_integrator *it, double part, double h)
{
    nt_integrator_roll_back(it);
    double t = it->stepper.now.all[NT_PHASE_T];
    nt_status status = nt_integrator_attempt(it, h);
    it->stepper.next.all[NT_PHASE_T] = t + h;
    it->stepper.next.all[NT_PHASE_STEP] = h;
    return status == NT_OK ? nt_stops_step_by_dense_output(it, part, h) : status;
}

nt_status nt_stops_step_to(nt_integrator *it, int i, double h, double part, double slope,
                           double *length)
{
    bool there = true;
    *length = part * h;
    nt_status status = vanish(it, i, h, slope, length, &there);
    if (status != NT_OK || there)
        return status;
    it->stops.touched = i;
    *length = part * h;
    return step_back_to(it, part, h);
}
