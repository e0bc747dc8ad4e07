/* Where forces begin and end: steps of high order end there.
 *
 * At such a place, g(q, t) = 0, a force begins with a slope. A step across it is of second order
 * only, and its derivative along a variation of first: the slope is felt from the first stage
 * behind the place on, not from the place itself. The error estimate makes such steps short or,
 * worse, makes one end just behind the place, where the force is next to nothing while its slope
 * counts for all of the last stage. So the place is come to by steps that end before it; one so
 * short that nothing in it counts passes it; and the next is as long as was wanted before.
 *
 * The place is the zero of the cubic through both ends of a step with their rates. Of a try across
 * it that is off by what the slope did to the try. The step is made again to somewhat before, and
 * from there the cubic of what was made is followed on, which is off by less each time: four
 * steps come to 1e-11 of a step. Methods of low order do as well without, for h^2 is in their
 * errors anyhow. Those that choose their steps themselves and look back to earlier ones go by their
 * own rules, but where the steps are differentiated: as many of them as they like then lead to
 * before the place, from where it is foreseen anew, and behind it they begin anew. */
#include "group/block.h"
#include "method/integrator.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The order above which a slope that jumps spoils a step. */
enum { LOW = 4 };

/* The step that passes the place goes this part of the step that was wanted to either side of it,
 * but so far that g has surely changed its sign: so much, of the length of the system or of 1 m or
 * rad, and so many units in the last place of the largest coordinate. Derivatives are off by the
 * time that lies in doubt, times a stiffness over a mass. */
static const double FINE = 1e-13, ACROSS = 3e-14, PLACES = 64;

/* Stages at the end of a step lie beside its end by some thousandths of it, and none may be beyond
 * the place: the step ends before it by this part of its length, after a try across, and where the
 * place is foreseen from what was made. What is much shorter than the step that is wanted, as
 * little as 1/SURE of it, is foreseen better, and its stages are nearer, in proportion. */
static const double SHORT_OF_TRY = 1e-2, SHORT_OF_SIGHT = 1e-3, SURE = 0.1;

/* After so many steps and tries in vain the next step passes as it may: it grazes the place. */
enum { MOST = 12 };

/* What is no farther on either side, of the length of the system or of 1 m or rad, is there by
 * rounding. */
static const double AT_ZERO = 1e-9;

/* Rates are central differences over this part of the step that is wanted. */
static const double BESIDE = 1e-4;

nt_status nt_onsets_take(nt_integrator *it)
{
    size_t n = (size_t)it->problem->system->n_onsets, nv = (size_t)it->problem->nv;
    if (!it->problem->system->onsets)
        return NT_OK;
    bool good = NT_DOUBLES(&it->arena, it->size + nv, &it->onsets.at.all) &&
                NT_DOUBLES(&it->arena, n, &it->onsets.g[0], &it->onsets.g[1], &it->onsets.g[2],
                           &it->onsets.g[3]);
    return good ? NT_OK : NT_NO_MEMORY;
}

static bool has_own_steps(const nt_integrator *it) { return it->method->needs & NT_OWN_STEPS; }

bool nt_integrator_is_of_high_order(const nt_integrator *it)
{
    return it->method->error_order > LOW;
}

int nt_integrator_ends_at_onsets(const nt_integrator *it)
{
    return it && it->problem->system->onsets &&
           (has_own_steps(it) ? it->stepper.linear != NULL
                              : it->variable && nt_integrator_is_of_high_order(it));
}

/* The least doubt, s, where g changes at this rate. */
static double least_doubt(const nt_integrator *it, double rate)
{
    double largest = 0;
    for (int i = 0; i < it->problem->nq; i++)
        largest = fmax(largest, fabs(it->stepper.now.q[i]));
    double across = fmax(ACROSS * fmax(1, it->problem->length), PLACES * DBL_EPSILON * largest);
    across /= fabs(rate);
    return fmax(FINE * it->control.next, fmin(across, SHORT_OF_SIGHT * it->control.next));
}

nt_status nt_onsets_at(nt_integrator *it, const nt_phase *phase, double e, double *g)
{
    const nt_problem *p = it->problem;
    nt_phase moved = nt_stops_phase_like(phase, it->onsets.at.all);
    double *increment = moved.all + it->size; /* what the step has left in scratch is wanted */
    memcpy(moved.all, phase->all, it->size * sizeof(double));
    if (e != 0) {
        for (int i = 0; i < p->nv; i++) {
            increment[i] = e * phase->v[i] + e * e / 2 * phase->vdot[i];
            moved.v[i] += e * phase->vdot[i];
        }
        nt_space_clear_first(&p->space, increment);
        moved.all[NT_PHASE_T] += e;
        nt_space_compose(&p->space, p->frame, phase->q, increment, moved.q);
    }
    nt_point at = nt_stops_point(it, &moved);
    return p->system->onsets(p->system->self, &at, g);
}

/* Of onset i along a step of length h, s its part: the cubic through both ends with their rates. */
typedef struct onset_cubic {
    double g[2], rate[2]; /* per step */
} onset_cubic;

static double cubic_at(const onset_cubic *c, double s, double *slope)
{
    double r = 1 - s, g = c->g[1] - c->g[0];
    *slope = 6 * s * r * g + r * (1 - 3 * s) * c->rate[0] + s * (3 * s - 2) * c->rate[1];
    return c->g[0] * r * r * (1 + 2 * s) + c->g[1] * s * s * (1 + 2 * r) +
           s * r * (r * c->rate[0] - s * c->rate[1]);
}

/* Takes two of the four arrays for scratch. */
static nt_status find_rate(nt_integrator *it, const nt_phase *phase, int i, double *rate)
{
    double e = BESIDE * it->control.next, **g = it->onsets.g;
    nt_status status = nt_onsets_at(it, phase, -e, g[2]);
    if (status == NT_OK)
        status = nt_onsets_at(it, phase, e, g[3]);
    *rate = status == NT_OK ? (g[3][i] - g[2][i]) / (2 * e) : (double)NAN;
    return status;
}

static nt_status find_cubic(nt_integrator *it, const nt_phase *from, const nt_phase *to, int i,
                            double h, onset_cubic *c)
{
    *c = (onset_cubic){{it->onsets.g[0][i], it->onsets.g[1][i]}, {0, 0}};
    nt_status status = find_rate(it, from, i, &c->rate[0]);
    if (status == NT_OK)
        status = find_rate(it, to, i, &c->rate[1]);
    c->rate[0] *= h, c->rate[1] *= h;
    return status;
}

/* The zero between both ends, at which g has other signs. */
static double zero_within(const onset_cubic *c)
{
    double a = 0, b = 1, slope;
    while (b - a > 1e-15) {
        double s = (a + b) / 2, g = cubic_at(c, s, &slope);
        if ((g > 0) == (c->g[1] > 0))
            b = s;
        else
            a = s;
    }
    return b;
}

/* The zero behind the end, by Newton's iteration from there; not a number where it finds none. */
static double zero_ahead(const onset_cubic *c)
{
    double s = 1;
    for (int round = 0; round < 12; round++) {
        double slope, g = cubic_at(c, s, &slope);
        s -= g / slope;
    }
    return s;
}

double nt_onsets_step(const nt_integrator *it, double h, double left, double smallest)
{
    const nt_step_control *c = &it->control;
    if (!(c->ahead > 0) || !nt_integrator_ends_at_onsets(it))
        return h;
    double aim = c->ahead - c->doubt;
    if (aim <= c->doubt || aim < smallest)
        aim = c->ahead + fmax(c->doubt, smallest);
    if (aim >= h)
        return h;
    return left - aim < smallest ? left : aim;
}

/* In a step that is to end before it, however little. */
static bool is_passed(const nt_integrator *it, double g0, double g1)
{
    double rounding = it->control.ahead > 0 ? 0 : AT_ZERO * fmin(1, it->problem->length);
    return ((g0 < 0 && g1 > 0) || (g0 > 0 && g1 < 0)) && fmax(fabs(g0), fabs(g1)) > rounding;
}

nt_status nt_onsets_within(nt_integrator *it, double h, double smallest, bool *within)
{
    nt_step_control *c = &it->control;
    const nt_phase *now = &it->stepper.now, *next = &it->stepper.next;
    double first = 1, rate = 0;
    bool passes = c->ahead > 0 && h > c->ahead;
    *within = false;
    if (!nt_integrator_ends_at_onsets(it) || passes || c->cut >= MOST)
        return NT_OK;
    next->all[NT_PHASE_T] = now->all[NT_PHASE_T] + h;
    nt_status status = nt_onsets_at(it, now, 0, it->onsets.g[0]);
    if (status == NT_OK)
        status = nt_onsets_at(it, next, 0, it->onsets.g[1]);
    for (int i = 0; i < it->problem->system->n_onsets && status == NT_OK; i++) {
        onset_cubic cubic;
        if (!is_passed(it, it->onsets.g[0][i], it->onsets.g[1][i]))
            continue;
        status = find_cubic(it, now, next, i, h, &cubic);
        double part = status == NT_OK ? zero_within(&cubic) : 1;
        if (!*within || part < first)
            first = part, c->onset = i, rate = cubic.rate[1] / h;
        *within = true;
    }
    if (!*within || status != NT_OK)
        return status;
    c->ahead = fmax(first * h, smallest);
    c->doubt = fmax(least_doubt(it, rate), SHORT_OF_TRY * first * h);
    c->cut++;
    return NT_OK;
}

/* Steps of a method's own toward a place: true where there are more to come, or where the last one
 * has passed it. */
static bool goes_on(nt_integrator *it, double h)
{
    nt_step_control *c = &it->control;
    if (!has_own_steps(it) || c->ahead == 0)
        return false;
    if (h > c->ahead) {
        it->stepper.stale = true; /* what lies behind tells nothing of what comes */
        c->ahead = c->next = 0;
        c->cut = 0;
        return true;
    }
    if (c->ahead - h <= 2 * c->doubt)
        return false;
    c->ahead -= h;
    return true;
}

nt_status nt_onsets_approach(nt_integrator *it, double h)
{
    nt_step_control *c = &it->control;
    if ((c->ahead == 0 && c->cut == 0) || goes_on(it, h))
        return NT_OK;
    bool aimed = c->ahead > 0 && c->cut < MOST;
    bool passes = h > c->ahead;
    c->ahead = 0;
    c->cut = aimed ? c->cut + 1 : 0;
    if (!aimed)
        return NT_OK;
    nt_status status = nt_onsets_at(it, &it->before, 0, it->onsets.g[0]);
    if (status == NT_OK)
        status = nt_onsets_at(it, &it->stepper.now, 0, it->onsets.g[1]);
    if (status != NT_OK)
        return status;
    double g0 = it->onsets.g[0][c->onset], g1 = it->onsets.g[1][c->onset];
    if (passes && ((g0 < 0 && g1 > 0) || (g0 > 0 && g1 < 0)))
        c->cut = 0;
    onset_cubic cubic;
    status = passes ? NT_OK : find_cubic(it, &it->before, &it->stepper.now, c->onset, h, &cubic);
    double on = !passes && status == NT_OK ? (zero_ahead(&cubic) - 1) * h : 0;
    if (on > 0 && on < c->next) { /* false of what is no number */
        c->ahead = on;
        double doubt = on * fmin(SHORT_OF_SIGHT, SURE * on / c->next);
        c->doubt = fmax(least_doubt(it, cubic.rate[1] / h), doubt);
    }
    return status;
}
