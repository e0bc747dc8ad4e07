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

/* Branching points of a path; a sign that goes on changing is rounding. */
enum { MANY = 4 };

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

/* Whether some part has gone further than by its rates, or against them, over the load dl; *all:
 * the means over all parts. */
static bool some_part_jumps(const nt_path *a, double dl, going *all)
{
    const nt_space *space = &a->s->problem->space;
    bool jumps = false;
    *all = (going){0};
    for (int b = 0; b < space->n_blocks; b++)
        for (int k = 0; k < 2; k++) {
            going g = look_at_block(a, &space->blocks[b], k ? NT_ANGLE : NT_LENGTH);
            bool further = g.way > LONGER_BY / 2 * (g.first + g.last) * fabs(dl) + SMALL_JUMP;
            bool against = g.way > SMALL_JUMP && g.with_first * dl < 0 && g.with_last * dl < 0;
            jumps = jumps || further || against;
            all->way += g.way * g.way;
            all->first += g.first * g.first, all->last += g.last * g.last;
        }
    all->way = sqrt(a->scale * all->way);
    all->first = sqrt(a->scale * all->first), all->last = sqrt(a->scale * all->last);
    return jumps;
}

/* After a step from the point in s->stage under the load `from`, with the tangents `before` there,
 * whose determinant had the sign `sign`, and `rate` here. */
static bool has_jumped(nt_path *a, double from, int sign)
{
    nt_static *s = a->s;
    double dl = s->load - from;
    going all;
    nt_space_difference(&s->problem->space, s->problem->frame, s->stage, s->q, s->increment);
    if (some_part_jumps(a, dl, &all))
        return true;
    double expected = (all.first + all.last) / 2 * fabs(dl);
    if (expected > SHORT_JUMP && expected > SHORTER_BY * all.way)
        return true;
    if (s->n_rough > 0 || s->problem->space.n_first > 0 || a->sign * sign >= 0)
        return false; /* the rows have changed; of what feeds back the sign says nothing */
    double share = fabs(dl / (a->wanted->to - a->wanted->from));
    if (share > BRANCHES && a->crossings < MANY)
        return true;
    a->crossings++;
    return false;
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
    bool left = false;
    if (!a->wanted->observe || !s->damped)
        return NT_OK;
    nt_status status = nt_static_evaluate(s, s->residual, true);
    if (status == NT_OK)
        status = nt_static_find_softest(s, false, &softness);
    if (status == NT_OK)
        status = nt_static_is_left(s, softness, &left);
    if (status != NT_OK || !left)
        return nt_is_final(status) ? status : NT_OK;
    a->is_left = true;
    return take_back(a, from);
}
