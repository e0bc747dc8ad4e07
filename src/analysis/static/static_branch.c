/* Branching points of a path of static states, where another path crosses: a symmetric arch begins
 * to sway there, a straight column to bend.
 *
 * The path is regular where the matrix with the tangent t as one row more,
 *
 *   A = [ K   R_l ]     det A = det K (t_l + t . dF),   K dF = -R_l,
 *       [ t W t_l ]
 *
 * is so, limits of the load included. As t = (dF, 1) t_l the bracket has the sign of t_l, so that
 * sign(det K) sign(t_l), the sense of the path, changes at branching points alone (Keller 1977;
 * Allgower & Georg 2003, 8.1), and where a step has led to another part of the path, which then is
 * followed backwards. Where two directions lose their stiffness at once, as those of a round
 * column, the sense stays: so the smallest eigenvalue of A relative to the drag is followed too,
 * across the path, by inverse iteration: its sign says the same of each direction. The path
 * is one on both sides of a branching point, and is not where a step has led elsewhere. */
#include "analysis/static/static_path.h"

#include "base/chance.h"
#include "base/error.h"
#include "linalg/solver.h"

#include <math.h>
#include <string.h>

/* What is left of a direction across the path, as a part of all of it, where nothing can move but
 * along the path: rounding. */
static const double NOTHING = 1e-12;

/* x = A^-1 (D v, 0) across the path: y = K^-1 D v, less its part along the tangent. */
static nt_status across(nt_path *a, const double *v, double *x)
{
    nt_static *s = a->s;
    int nv = s->problem->nv;
    memset(x, 0, (size_t)s->problem->n * sizeof *x);
    for (int i = 0; i < nv; i++)
        x[i] = s->is_first[i] ? 0 : s->drag[i] * v[i];
    nt_status status = nt_static_solve_kept(s, x);
    double moves = nt_path_product(a, a->rate, a->rate);
    double along = moves > 0 ? nt_path_product(a, a->rate, x) / moves : 0;
    double size = nt_static_dot(s, x, x);
    for (int i = 0; i < nv; i++)
        x[i] = s->is_first[i] ? 0 : x[i] - along * a->rate[i];
    if (nt_static_dot(s, x, x) <= NOTHING * NOTHING * size)
        memset(x, 0, (size_t)nv * sizeof *x);
    return status;
}

/* v := share of v and a vector, of about its size, that hardly misses a direction: one that goes
 * soft may be square to the one that was softest so far. */
static void stir(const nt_static *s, double share, double *v)
{
    unsigned seed = 7;
    int nv = s->problem->nv;
    for (int i = 0; i < nv; i++) {
        double chance = nt_chance(&seed) / sqrt(nv * s->drag[i]);
        v[i] = s->is_first[i] ? 0 : share * v[i] + chance;
    }
}

nt_status nt_path_find_side(nt_path *a, bool anew, nt_path_side *side)
{
    enum { FIRST = 8, NEXT = 3 };
    const double KEEPS = 4;
    nt_static *s = a->s;
    double *v = a->soft, *x = s->step, size;
    int nv = s->problem->nv, n = s->problem->n;
    *side = (nt_path_side){0};
    if (a->rate[n] != 0)
        side->sense = nt_solver_determinant_sign(s->solver) * (a->rate[n] > 0 ? 1 : -1);
    stir(s, anew ? 0 : KEEPS, v);
    for (int i = 0; i < (anew ? FIRST : NEXT); i++) {
        nt_status status = across(a, v, x);
        if (status != NT_OK)
            return status;
        side->softness = nt_static_dot(s, v, v) / nt_static_dot(s, v, x);
        size = sqrt(nt_static_dot(s, x, x));
        if (!(size > 0) || !isfinite(size) || !isfinite(side->softness)) { /* nothing can move */
            side->softness = 0;
            return NT_OK;
        }
        for (int k = 0; k < nv; k++)
            v[k] = x[k] / size;
    }
    return NT_OK;
}

bool nt_path_may_branch(const nt_path_side *before, const nt_path_side *after)
{
    return before->sense * after->sense < 0 || before->softness * after->softness < 0;
}

/* A point between the two, `at` from where the step begins. */
typedef struct place {
    double at, load, slope; /* slope: dl along the path */
    nt_path_side side;
} place;

static nt_status look(nt_path *a, double load, double at, place *out)
{
    int unused;
    nt_static *s = a->s;
    memcpy(a->soft, a->soft_kept, (size_t)s->problem->nv * sizeof *a->soft);
    nt_status status = nt_path_try_arc(a, load, at, &unused);
    *out = (place){.at = at, .load = s->load, .slope = a->rate[s->problem->n]};
    return status == NT_OK ? nt_path_find_side(a, false, &out->side) : status;
}

/* At the point itself nothing is stiff across the path: then a point beside it. */
static nt_status look_near(nt_path *a, double load, double at, const place *low, const place *high,
                           place *out)
{
    nt_status status = look(a, load, at, out);
    double width = high->at - low->at;
    for (double aside = 1e-7; aside < 0.3 && status != NT_OK && !nt_is_final(status); aside *= 10) {
        status = look(a, load, fmin(at + aside * width, high->at), out);
        if (status != NT_OK && !nt_is_final(status))
            status = look(a, load, fmax(at - aside * width, low->at), out);
    }
    return status;
}

/* The part of the step within which a point is found; that of the eigenvalue at which it is zero;
 * and the part of the step that lies between the two sides of a point where the path is one. */
static const double FOUND = 1e-11, NO_ZERO = 1e-4, APART = 0.01;

/* The place between `low` and `high` where the sense changes, or else the eigenvalue's sign: by
 * false position of the eigenvalue, and every third time in the middle. */
static nt_status close_in(nt_path *a, double load, bool by_sense, place *low, place *high)
{
    nt_status status = NT_OK;
    place next;
    double ds = high->at;
    for (int i = 0; i < 120 && high->at - low->at > FOUND * ds && status == NT_OK; i++) {
        double g[2] = {low->side.softness, high->side.softness};
        double share = g[0] * g[1] < 0 && i % 3 < 2 ? g[0] / (g[0] - g[1]) : 0.5;
        status = look_near(a, load, low->at + share * (high->at - low->at), low, high, &next);
        if (status != NT_OK || !(next.at > low->at && next.at < high->at))
            break;
        bool is_low = by_sense ? next.side.sense == low->side.sense
                               : next.side.softness * low->side.softness > 0;
        *(is_low ? low : high) = next;
    }
    return nt_is_final(status) ? status : NT_OK;
}

/* Whether the points of both sides are next to each other; the present one is then that of `to`. */
static nt_status is_one(nt_path *a, double load, double from, double to, double ds, bool *one)
{
    nt_static *s = a->s;
    int unused;
    double angle, length;
    nt_status status = nt_path_try_arc(a, load, from, &unused);
    nt_static_keep(s, s->aside);
    if (status == NT_OK)
        status = nt_path_try_arc(a, load, to, &unused);
    nt_space_difference(&s->problem->space, s->problem->frame, s->aside, s->q, s->increment);
    nt_static_reach(s, s->increment, &angle, &length);
    *one = status == NT_OK && fmax(angle, length / s->problem->length) <= APART * ds;
    return nt_is_final(status) ? status : NT_OK;
}

nt_status nt_path_find_branch(nt_path *a, double load, double ds, nt_path_side before,
                              nt_path_side after, double *at, double *branch_load)
{
    nt_static *s = a->s;
    place low = {0, load, a->before[s->problem->n], before};
    place high = {ds, s->load, a->rate[s->problem->n], after};
    bool by_sense = before.sense * after.sense < 0, one = false;
    double size = fmax(fabs(before.softness), fabs(after.softness));
    size_t bytes = (size_t)s->problem->nv * sizeof(double);
    *at = -1;
    memcpy(s->softest, a->soft, bytes);
    nt_status status = close_in(a, load, by_sense, &low, &high);
    memcpy(a->soft, s->softest, bytes);
    double g[2] = {fabs(low.side.softness), fabs(high.side.softness)};
    const place *best = g[0] < g[1] ? &low : &high;
    double beside = g[0] + g[1] > 0 ? g[0] / (g[0] + g[1]) : 0.5;
    if (status == NT_OK && (by_sense || g[best == &high] <= NO_ZERO * size))
        status = is_one(a, load, low.at, high.at, ds, &one);
    if (!one)
        return status;
    if (!by_sense && low.side.sense * high.side.sense < 0 && ds > NT_PATH_SHORT)
        return NT_NOT_CONVERGED; /* there is another one in this step, which changes the sense back
                                  */
    *at = best->at;
    *branch_load = best->load + best->slope * (low.at + beside * (high.at - low.at) - best->at);
    return status;
}
