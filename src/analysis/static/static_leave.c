/* Beside an unstable state that is left so slowly that rounding hides it.
 *
 * A slender column bends by little more than 1e-14 of what it is stretched with. A damped motion
 * does not leave it where it is straight under a load that is too much for it: the steps which it
 * could go bending are lost in what stretching makes of their rounding. Newton's iteration, whose
 * stresses follow the increments, bends it all the same, if it begins far enough beside: of a
 * pitchfork x (x^2 - a^2) = 0 it goes to 0 from all that is less than a/sqrt(5), to a from what is
 * more than a/sqrt(3). */
#include "analysis/static/static.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

/* rad, or lengths of the system, along the direction in which the state is left; and how far the
 * iteration may go from there. */
static const double GOES = 3, BESIDE[] = {0.05, 0.1, 0.2, 0.4, 0.8, 1.2, 1.6, 2.4};

static bool is_left_state(const nt_static *s)
{
    const nt_problem *p = s->problem;
    double off = 0;
    for (int i = 0; i < p->nq; i++)
        off = fmax(off, fabs(s->q[i] - s->left[i]));
    return off <= 1e-6 * fmin(1, p->length);
}

/* Newton's iteration from beside. *found: it went to a state that is not left in its turn, as far
 * as rounding shows. */
static nt_status try_beside(nt_static *s, double by, const double *direction, bool *found)
{
    const nt_problem *p = s->problem;
    double angle, length, softness;
    bool left = true;
    *found = false;
    memset(s->step, 0, (size_t)p->n * sizeof *s->step);
    memcpy(s->step, direction, (size_t)p->nv * sizeof *s->step);
    nt_static_reach(s, s->step, &angle, &length);
    double size = fmax(angle, length / p->length);
    if (!(size > 0))
        return NT_NOT_CONVERGED;
    for (int i = 0; i < p->nv; i++)
        s->step[i] *= by / size;
    nt_status status = nt_static_carry(s, s->step);
    nt_static_move(s, s->step, 1);
    const nt_static_bounds bounds = {.turn = GOES, .travel = GOES * p->length, .iterations = 20};
    if (status == NT_OK)
        status = nt_static_newton(s, &bounds);
    if (status != NT_OK || is_left_state(s))
        return status;
    if (s->factors->n_dropped > 0)
        status = nt_static_choose_rows(s);
    if (status == NT_OK)
        status = nt_static_evaluate(s, s->residual, true);
    if (status == NT_OK)
        status = nt_static_find_softest(s, false, &softness);
    if (status == NT_OK)
        status = nt_static_is_left(s, softness, &left);
    *found = status == NT_OK && !left;
    return status;
}

nt_status nt_static_leave(nt_static *s)
{
    double *direction = s->leaving, *last = s->leaving + s->problem->nv;
    memcpy(direction, s->softest, (size_t)s->problem->nv * sizeof *direction);
    memcpy(last, s->step, (size_t)s->problem->n * sizeof *last);
    for (size_t i = 0; i < sizeof BESIDE / sizeof BESIDE[0]; i++) {
        bool found;
        nt_static_go_back(s, s->left);
        nt_status status = s->factors->n_dropped > 0 ? nt_static_choose_rows(s) : NT_OK;
        if (status == NT_OK)
            status = try_beside(s, BESIDE[i], direction, &found);
        nt_status forgotten = nt_static_carry(s, NULL);
        if (nt_is_final(status))
            return status;
        if (status == NT_OK && found)
            return forgotten;
    }
    nt_static_go_back(s, s->left);
    memcpy(s->softest, direction, (size_t)s->problem->nv * sizeof *direction);
    memcpy(s->step, last, (size_t)s->problem->n * sizeof *last);
    return NT_NOT_CONVERGED;
}

/* States that are stable as far as the derivative tells, and yet pushed away from beside, are left
 * so often. */
enum { MOST = 3 };

nt_status nt_static_leave_pushed(nt_static *s, nt_error *error)
{
    for (int i = 0;; i++) {
        bool away = false;
        nt_status status = nt_static_is_pushed_away(s, &away);
        if (status != NT_OK)
            return nt_fail(error, status, "static state: %s", nt_status_text(status));
        if (!away)
            return NT_OK;
        nt_static_keep(s, s->left);
        status = i < MOST ? nt_static_leave(s) : NT_NOT_CONVERGED;
        if (nt_is_final(status))
            return nt_fail(error, status, "static state: %s", nt_status_text(status));
        if (status != NT_OK) {
            char name[100];
            nt_problem_coordinate_name(s->problem, nt_static_leading_entry(s, s->softest), name,
                                       sizeof name);
            return nt_fail(error, NT_NOT_CONVERGED,
                           "no stable state found: the one that was is pushed away from beside, by "
                           "%s, with so little that rounding of stiffer parts hides where it goes",
                           name);
        }
        if ((status = nt_static_hold_free(s, error)) != NT_OK)
            return status;
    }
}
