/* Steps along loads that lead elsewhere.
 *
 * Beyond a limit of the load the nearest state may be on the other side of a snap, and beyond a
 * load at which an imperfect column bends on its mirrored path. A step that has come to another
 * path shows in one of three ways, and is made again in halves:
 *
 *   something has gone further than the tangents at both ends make of it on average, or all of it
 *   less far, by a factor. Where stiffness goes one way within a step it goes further by no more
 *   than 2; where a gap closes in it, or where it comes near to a limit, less far;
 *   something has gone against the tangents at both ends;
 *   the determinant of the derivative has changed its sign. Where the halves become short, and none
 *   of them shows the other two, the path goes on straight through a branching point. */
#include "analysis/static/static_path.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

static const double LONGER_BY = 2, SHORTER_BY = 4;

/* What jumps by less, rad or lengths of the system, is not looked at: one part, or all of it where
 * it has gone less far. The part of the path that has a branching point to itself. */
static const double SMALL_JUMP = 1e-5, SHORT_JUMP = 1e-3, BRANCHES = 1e-4;

/* Norms and products of what one part does: its way, and rates at both ends. */
typedef struct going {
    double way, first, last, with_first, with_last;
} going;

/* Of rotations or translations of the entries of one block. */
static going look_at_block(const nt_path *a, const nt_block *block, nt_quantity quantity)
{
    const nt_problem *p = a->s->problem;
    const double *way = a->s->increment;
    going g = {0};
    double unit = quantity == NT_LENGTH ? p->length : 1;
    for (int i = block->v; i < block->v + block->nv; i++) {
        if (p->quantity[i] != quantity || a->s->is_first[i])
            continue;
        double first = a->before[i] / a->before[p->n], last = a->rate[i] / a->rate[p->n];
        g.way += way[i] * way[i], g.first += first * first, g.last += last * last;
        g.with_first += way[i] * first, g.with_last += way[i] * last;
    }
    g.way = sqrt(g.way) / unit, g.first = sqrt(g.first) / unit, g.last = sqrt(g.last) / unit;
    return g;
}

/* Whether some part has gone further than by its rates, or against them, over the load dl. */
static bool some_part_jumps(const nt_path *a, double dl)
{
    const nt_space *space = &a->s->problem->space;
    for (int b = 0; b < space->n_blocks; b++)
        for (int k = 0; k < 2; k++) {
            going g = look_at_block(a, &space->blocks[b], k ? NT_ANGLE : NT_LENGTH);
            bool further = g.way > LONGER_BY / 2 * (g.first + g.last) * fabs(dl) + SMALL_JUMP;
            bool against = g.way > SMALL_JUMP && g.with_first * dl < 0 && g.with_last * dl < 0;
            if (further || against)
                return true;
        }
    return false;
}

/* How far a tangent leads per load. */
static double reach_of(const nt_path *a, const double *rate)
{
    return sqrt(nt_path_product(a, rate, rate)) / fabs(rate[a->s->problem->n]);
}

/* After a step from the point in s->stage under the load `from`, with the tangents `before` there,
 * whose determinant had the sign `sign`, and `rate` here. */
static bool has_jumped(nt_path *a, double from, int sign)
{
    nt_static *s = a->s;
    double dl = s->load - from;
    nt_space_difference(&s->problem->space, s->problem->frame, s->stage, s->q, s->increment);
    double way = sqrt(nt_path_product(a, s->increment, s->increment));
    double expected = (reach_of(a, a->before) + reach_of(a, a->rate)) / 2 * fabs(dl);
    if (some_part_jumps(a, dl) || (expected > SHORT_JUMP && expected > SHORTER_BY * way))
        return true;
    double share = fabs(dl / (a->wanted->to - a->wanted->from));
    return s->n_rough == 0 && a->sign * sign < 0 && share > BRANCHES;
}

/* Back to the point in s->stage, from where a step is to be made anew. */
static nt_status take_back(nt_path *a, double from)
{
    nt_static *s = a->s;
    nt_static_go_back(s, s->stage);
    nt_problem_take_rows(s->problem, s->memory);
    nt_status status = nt_path_set_load(s, from);
    if (status == NT_OK && (s->n_rough > 0 || nt_path_has_limits(a)))
        status = nt_static_choose_rows(s);
    return status == NT_OK ? NT_NOT_CONVERGED : status;
}

nt_status nt_path_look_for_jump(nt_path *a, double from)
{
    nt_static *s = a->s;
    size_t size = ((size_t)s->problem->n + 1) * sizeof *a->rate;
    int sign = a->sign;
    if (!a->wanted->observe || a->rate[s->problem->n] == 0)
        return NT_OK;
    memcpy(a->before, a->rate, size);
    nt_status status = nt_path_find_tangent(a, true);
    bool jumped = status == NT_OK && has_jumped(a, from, sign);
    memcpy(a->rate, a->before, size);
    if (!jumped) /* at a limit itself nothing is stiff */
        return nt_is_final(status) ? status : NT_OK;
    return take_back(a, from);
}

nt_status nt_path_look_for_stability(nt_path *a, double from)
{
    nt_static *s = a->s;
    double softness = 0;
    if (!a->wanted->observe || !s->damped || s->problem->space.n_first > 0)
        return NT_OK; /* what feeds back may look unstable wherever it rests */
    nt_status status = nt_static_evaluate(s, s->residual, true);
    if (status == NT_OK)
        status = nt_static_find_softest(s, false, &softness);
    if (status != NT_OK || softness > -NT_STATIC_FREE)
        return nt_is_final(status) ? status : NT_OK;
    a->is_left = true;
    return take_back(a, from);
}
