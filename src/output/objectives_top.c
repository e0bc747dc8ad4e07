/* Tops of objectives between the places that they are looked at.
 *
 * A parabola through three of them has a top. Where the motion is known in between, by dense output
 * of high order, it is followed to the top of the expression itself. */
#include "method/integrator.h"
#include "output/objectives.h"

#include <math.h>
#include <string.h>

/* A parabola's top that is so close to its end, in steps, stands there: its slope is not known
 * better, and friction that turns over where a body comes to rest puts many there. */
static const double NEAR_END = 0.1;

/* The top of the newest parabola, where the motion is not known any more. */
static void take_parabola(nt_objectives *o, int j, double t)
{
    size_t at = (size_t)j * o->size;
    double *largest = o->largest + at, w[POINTS], top = 0;
    const double *g[POINTS] = {o->g[0] + at, o->g[1] + at, o->g[2] + at};
    if (!(t >= o->t[0] + NEAR_END * (o->t[1] - o->t[0]) &&
          t <= o->t[2] - NEAR_END * (o->t[2] - o->t[1])))
        return;
    nt_parabola_weights(o->t, t, w);
    for (int i = 0; i < POINTS; i++)
        top += w[i] * g[i][0];
    if (top < largest[0])
        return;
    for (size_t k = 0; k < o->size; k++)
        largest[k] = w[0] * g[0][k] + w[1] * g[1][k] + w[2] * g[2][k];
}

/* Values of objective j at n times of the last step. */
static nt_status values_at(nt_objectives *o, int j, const double *t, int n, double *g,
                           nt_error *error)
{
    nt_state state;
    nt_status status = NT_OK;
    for (int k = 0; k < n && status == NT_OK; k++) {
        status = nt_objectives_evaluate(o, t[k], &state, error);
        g[k] = nt_objectives_sign(o, j) * o->fresh[j];
    }
    return status;
}

/* Parabolas that follow a top are so many times narrower than the one before, and off by the square
 * of that less: the last one by 4e-6 of what the first is. */
static const double NARROWER = 8;
enum { NARROWED = 3, FOLLOWED_MOST = 16 };

/* Where an expression bends (abs, min, max) its top is where two branches meet, with values L_1 and
 * L_2 at a time t near by and slopes a > 0 > b:
 *
 *   L(t*) = (a L_2 - b L_1)/(a - b),   t* = t + (L_2 - L_1)/(a - b),   dL(t*) likewise of the dL_i
 *
 * Each is extrapolated from three values on its side, d apart, and t* is found MEETS times, each
 * time nearer. A parabola about such a top bends by the more, the narrower it is: one that bends by
 * BENDS times more than the one before may be about it. If it is not, a - b becomes less as well.
 */
static const double BENDS = 3;
enum { MEETS = 4, SIDE = 3 };

static nt_status follow_bend(nt_objectives *o, int j, double t, double d, double low, double high,
                             bool *found, nt_error *error)
{
    static const double to[2 * SIDE] = {1, -3, 3, 3, -3, 1};     /* L_1, L_2 */
    static const double slope[2 * SIDE] = {3, -8, 5, -5, 8, -3}; /* 2 d times a, b */
    double x[2 * SIDE], g[2 * SIDE], first = 0, a = 0, b = 0, top = 0;
    double *largest = o->largest + (size_t)j * o->size;
    nt_status status = NT_OK;
    for (int i = 0; i < MEETS; i++, d /= NARROWER) {
        double L[2] = {0, 0}, rise[2] = {0, 0};
        for (int k = 0; k < 2 * SIDE; k++)
            x[k] = t + (k < SIDE ? k - SIDE : k - SIDE + 1) * d;
        if (!(x[0] >= low && x[2 * SIDE - 1] <= high))
            return NT_OK;
        if ((status = values_at(o, j, x, 2 * SIDE, g, error)) != NT_OK)
            return status;
        for (int k = 0; k < 2 * SIDE; k++) {
            L[k / SIDE] += to[k] * g[k];
            rise[k / SIDE] += slope[k] * g[k] / (2 * d);
        }
        a = rise[0], b = rise[1];
        first = i == 0 ? a - b : first;
        double ahead = (L[1] - L[0]) / (a - b);
        if (!(a > 0 && b < 0 && fabs(ahead) <= d && a - b > first / 2))
            return NT_OK; /* it is smooth, or jumps */
        t += ahead;
        top = (a * L[1] - b * L[0]) / (a - b);
    }
    *found = true;
    if (!(top > largest[0]))
        return NT_OK;
    for (int k = 0; k < 2 * SIDE && status == NT_OK; k++) {
        double weight = (k < SIDE ? -b : a) / (a - b) * to[k];
        status = nt_objectives_look(o, x[k], o->at_top, error);
        for (size_t i = 1; i < o->size; i++)
            largest[i] = (k ? largest[i] : 0) + weight * o->at_top[(size_t)j * o->size + i];
    }
    largest[0] = top;
    return status;
}

static double bend_of(const double t[POINTS], const double g[POINTS])
{
    return ((g[1] - g[0]) / (t[1] - t[0]) - (g[2] - g[1]) / (t[2] - t[1])) / (t[2] - t[0]);
}

/* Follows the top of objective j, about t, where a parabola bends so much, through what the last
 * step's motion gives between `low` and `high`. What is found there is a value of the objective,
 * and counts if it is the largest. */
static nt_status follow_top(nt_objectives *o, int j, double t, double bend, double low, double high,
                            nt_error *error)
{
    double d = fmin(fmin(o->t[1] - o->t[0], o->t[2] - o->t[1]) / NARROWER, (high - low) / 2);
    double *largest = o->largest + (size_t)j * o->size, *top = o->at_top + (size_t)j * o->size;
    nt_status status = NT_OK;
    for (int i = 0, narrowed = 0; narrowed < NARROWED && i < FOLLOWED_MOST; i++) {
        double at = fmin(fmax(t, low + d), high - d), g[POINTS], before = bend;
        const double x[POINTS] = {fmax(at - d, low), at, fmin(at + d, high)};
        bool found = false;
        status = values_at(o, j, x, POINTS, g, error);
        bend = bend_of(x, g);
        if (status == NT_OK && bend > BENDS * before)
            status = follow_bend(o, j, at, d, low, high, &found, error);
        if (status != NT_OK || found)
            return status;
        bool has_top = nt_parabola_top(x, g, &t);
        if (!has_top && g[0] == g[2])
            break; /* flat to rounding */
        t = has_top ? t : g[0] > g[2] ? x[0] - d : x[2] + d;
        if ((t < low && at == low + d) || (t > high && at == high - d))
            return NT_OK; /* it rises to an end */
        bool beside = t < x[0] || t > x[2];
        t = fmin(fmax(t, x[0]), x[2]);
        narrowed += !beside;
        d = beside ? d : d / NARROWER;
    }
    status = nt_objectives_look(o, t, o->at_top, error);
    if (status == NT_OK && top[0] > largest[0])
        memcpy(largest, top, o->size * sizeof *largest);
    return status;
}

/* Whether objective j, which rises from one place to the next, falls before it is there: it has a
 * top in between that no parabola shows. *t: a time next to it. */
static nt_status turns_before(nt_objectives *o, int j, double from, double to, double value,
                              double *t, bool *turns, nt_error *error)
{
    double g;
    *t = to - (to - from) / (NARROWER * NARROWER);
    nt_status status = values_at(o, j, t, 1, &g, error);
    *turns = status == NT_OK && g > value;
    return status;
}

/* The same where the motion is known since `low`: the parabola's top t, if it has one there, and
 * what may turn in the first or the last part of the step. */
static nt_status look_within(nt_objectives *o, int j, const double g[POINTS], bool has_top,
                             double t, double low, nt_error *error)
{
    const double *x = o->t, bend = bend_of(x, g);
    double largest = o->largest[(size_t)j * o->size];
    double most = fmax(fmax(g[0], g[1]), g[2]), least = fmin(fmin(g[0], g[1]), g[2]);
    bool begins = x[0] == o->integrator->before.all[NT_PHASE_T];
    bool ends = x[2] == nt_integrator_state(o->integrator).t;
    nt_status status = NT_OK;
    if (2 * most - least < largest)
        return NT_OK;
    if (!has_top && ends && x[1] >= low && g[2] > g[1])
        status = turns_before(o, j, x[1], x[2], g[2], &t, &has_top, error);
    if (!has_top && status == NT_OK && begins && g[0] > g[1])
        status = turns_before(o, j, x[1], x[0], g[0], &t, &has_top, error);
    return has_top ? follow_top(o, j, t, bend, low, x[2], error) : status;
}

nt_status nt_objectives_look_at_parabola(nt_objectives *o, int j, bool first, bool end,
                                         nt_error *error)
{
    size_t at = (size_t)j * o->size;
    const double g[POINTS] = {o->g[0][at], o->g[1][at], o->g[2][at]};
    double t = 0, begun = o->integrator->before.all[NT_PHASE_T];
    if (!nt_objectives_is_extreme(o, j) || o->points < POINTS || o->t[0] < o->smooth ||
        !nt_parabola_is_even(o->t))
        return NT_OK;
    bool follows = nt_integrator_is_of_high_order(o->integrator);
    bool has_top = (first || g[1] >= g[0]) && (end || g[1] >= g[2]) && nt_parabola_top(o->t, g, &t);
    if (has_top && (!follows || (t < begun && !(t <= o->parted))))
        take_parabola(o, j, t);
    if (!follows || !(o->t[2] > begun))
        return NT_OK;
    has_top = nt_parabola_top(o->t, g, &t) && t >= fmax(begun, o->t[0]) && t <= o->t[2];
    return look_within(o, j, g, has_top, t, fmax(begun, o->t[0]), error);
}
