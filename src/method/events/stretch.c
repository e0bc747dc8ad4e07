/* Where the equal steps between two stops end. */
#include "base/decimal.h"
#include "base/error.h"
#include "method/integrator.h"

#include <math.h>

/* Steps whose number times h differs by less than this part of h from a length fill it. */
static const double WHOLE = 1e-9;

static bool fills(double count, double h, double length)
{
    return count >= 1 && fabs(count * h - length) <= WHOLE * h;
}

/* k h; of a step of 1/n s the double next to k/n, so that an end in decimals is met exactly. */
static double multiple(double k, double h)
{
    double n = round(1 / h);
    return fabs(n * h - 1) <= 4 * DBL_EPSILON ? k / n : nt_decimal(k * h);
}

/* Steps h from the begin of the run to a time; -1 where they are not whole but for rounding. */
static double steps_before(double origin, double t, double h)
{
    double k = round((t - origin) / h);
    double off = fabs(origin + multiple(k, h) - t);
    return off <= NT_TIME_ROUNDING * fmax(fabs(t), fabs(origin)) ? k : -1;
}

/* The end of step k of a stretch. Where steps go on from those of the run its ends are counted from
 * the begin of that: a run that stopped between has met the same ones, to the last bit. */
double nt_stretch_step_end(const nt_stretch *s, double k)
{
    if (k == s->count)
        return s->end;
    if (s->whole && s->before >= 0)
        return s->origin + multiple(s->before + k, s->h);
    return s->begin + (s->whole ? multiple(k, s->h) : (s->end - s->begin) * (k / s->count));
}

/* Whether the steps of the stretch before, which was of another run, go on to the end of this one:
 * a run in two parts then has the steps of a whole one. */
static bool goes_on(const nt_stretch *s, double t, double h, double end)
{
    bool same = s->laid_out && s->whole && fabs(s->h - h) <= 4 * DBL_EPSILON * h &&
                t == nt_stretch_step_end(s, s->done) && fills(s->done, h, t - s->begin);
    return same && fills(round((end - s->begin) / h), h, end - s->begin);
}

/* The stretch that the present state lies in. */
nt_status nt_stretch_lay_out(nt_integrator *it, double end, double h, nt_error *error)
{
    nt_stops *s = &it->stops;
    nt_stretch *stretch = &s->stretch;
    const nt_system *system = it->problem->system;
    double t = it->stepper.now.all[NT_PHASE_T];
    if (stretch->laid_out && stretch->run_end == end && stretch->h == h)
        return NT_OK;
    double stop = (double)INFINITY;
    if (s->events->stop_after)
        stop = s->events->stop_after(system->self, t, end, h, it->stepper.now.memory);
    nt_stretch before = *stretch;
    bool known = stop <= end, on = goes_on(&before, t, h, known ? stop : end);
    *stretch = (nt_stretch){.begin = on ? before.begin : t,
                            .origin = before.origin,
                            .before = on ? before.before : steps_before(before.origin, t, h),
                            .end = known ? stop : end,
                            .run_end = end,
                            .h = h,
                            .done = on ? before.done : 0,
                            .known = known,
                            .laid_out = 1,
                            .last = before.last,
                            .at_once = before.at_once,
                            .window = before.window,
                            .within = before.within,
                            .balances = before.balances};
    nt_stops_take_side(it, stretch->end, false, it->stepper.now.memory);
    double length = stretch->end - stretch->begin;
    /* a ratio that is whole but for rounding is whole */
    stretch->count = fmax(1, ceil(length / h * (1 - 1e-12)));
    stretch->whole = fills(stretch->count, h, length);
    if (stretch->count > 1e15)
        return nt_fail(error, NT_INVALID, "%.3g steps of %g s to t = %g s are too many",
                       stretch->count, h, stretch->end);
    return NT_OK;
}
