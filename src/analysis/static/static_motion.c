/* Where a damped motion with dry friction comes to rest: followed step by step, where searches for
 * the state itself have found none.
 *
 * Without inertia, resisted by the drag D, a step from q_0 ends where
 *
 *   R(q, lambda) + s D (q - q_0) = 0,   Phi(q) = 0,
 *
 * the implicit Euler method for D q' = f, with friction that is set-valued on the way of the step:
 * a part sticks, or it slips with its limit against the way that it goes. Which one is found by
 * trial: all that touches sticks at first; what has to hold more than it can slips, where it is
 * pushed; what then goes back sticks, and what goes another way slips along that. Steps grow, s
 * falling by 4, as long as they are short and go downhill; where a step fails s rises.
 *
 * The motion rests where everything that touches sticks, and holds no more than it can, in a state
 * of Newton's iteration within a small part of where the motion stands. What is at its limit there
 * has slipped to it. */
#include "analysis/static/static.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

/* Steps; trials of what slips in one; iterations of each. */
enum { STEPS = 2000, TRIALS = 40, TRIALS_EXACT = 20, FEW_TRIALS = 4, ITERATIONS = 24 };

/* A step's largest size, in rad and lengths of the system; below the second the next is longer; and
 * how far Newton's iteration may go for the state of rest. */
static const double LARGEST = 0.3, SHORT = 0.12, NEAR = 0.05;

/* s: its largest and smallest values. */
static const double STIFFEST = 1e6, SOFTEST = 1e-11;

/* Increments below this end an iteration. */
static const double SETTLED = 1e-10;

/* What may be left of a force at the end of a step, relative to the loads, and for rounding to a
 * move of its drag by the system's length or 1 rad. */
static const double BALANCE = 1e-5, ROUNDING = 1e-12;

/* A motion that has gone so far, in rad and lengths of the system, does not come to rest. */
static const double FAR = 100;

/* What a part may hold beyond its limit, relative to it: in a step; where it rests; and how near to
 * its limit it counts as slipped. */
static const double BEYOND = 1e-9, AT_REST = 1e-7;

/* cos of how far friction may be off the way of a slip: at first, and after TRIALS_EXACT. */
static const double ALONG[2] = {1 - 5e-7, 0.99};

typedef struct motion {
    double shift; /* s                                     */
    double size;  /* of the last step                      */
    double gone;  /* of all                                */
    int trials;   /* of the last step                      */
    int waits;    /* steps until the next may be longer    */
    bool slipped; /* something did, in the last step       */
} motion;

static double length3(const double *x) { return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]); }

static double dot3(const double *x, const double *y)
{
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

/* ---- one step ------------------------------------------------------------------------------- */

/* q - q_0 into s->rates. */
static void find_way(nt_static *s)
{
    const nt_problem *p = s->problem;
    const double *v = s->begin + p->nq;
    nt_space_difference(&p->space, p->frame, s->begin, s->q, s->rates);
    for (int i = 0; i < p->nv; i++)
        if (s->is_first[i])
            s->rates[i] = s->v[i] - v[i];
}

/* Of the present point: the equations of the step's end into s->residual, and how far they are from
 * being met, in terms of the drag; infinite where they have no value. */
static double miss(nt_static *s, double shift, bool derivative)
{
    const nt_problem *p = s->problem;
    double sum = 0, most = 0;
    if (nt_static_evaluate(s, s->residual, derivative) != NT_OK)
        return (double)INFINITY;
    find_way(s);
    for (int i = 0; i < p->nv; i++) {
        s->residual[i] += shift * s->drag[i] * s->rates[i];
        sum += s->residual[i] * s->residual[i] / s->drag[i];
        most = fmax(most, p->quantity[i] == NT_LENGTH ? s->drag[i] : 0);
    }
    for (int i = p->nv; i < p->nv + p->nh; i++)
        sum += most * s->residual[i] * s->residual[i];
    return sum;
}

/* Along s->step, less far where all of it would miss by more: contacts begin and end on the way. */
static nt_status move_along(nt_static *s, double shift, double before)
{
    enum { HALVINGS = 6 };
    double share = 1;
    nt_static_keep(s, s->aside);
    for (int i = 0; i < HALVINGS; i++, share /= 2) {
        nt_static_move(s, s->step, share);
        bool better = miss(s, shift, false) <= before;
        nt_static_go_back(s, s->aside);
        if (better)
            break;
    }
    for (int i = 0; i < s->problem->n; i++)
        s->step[i] *= share;
    nt_status status = nt_static_carry(s, s->step);
    if (status == NT_OK)
        nt_static_move(s, s->step, 1);
    return status;
}

/* Whether little is left of s->residual, against the loads at the start: an iteration may also stop
 * where a contact begins or ends. */
static bool in_balance(const nt_static *s)
{
    const nt_problem *p = s->problem;
    const double *load = s->load_size;
    double allowed[2] = {BALANCE * (load[NT_LENGTH] + load[NT_ANGLE] / p->length),
                         BALANCE * (load[NT_ANGLE] + load[NT_LENGTH] * p->length)};
    for (int i = 0; i < p->nv; i++) {
        double size = p->quantity[i] == NT_LENGTH ? p->length : 1;
        if (!s->is_first[i] &&
            !(fabs(s->residual[i]) <= allowed[p->quantity[i]] + ROUNDING * s->drag[i] * size))
            return false;
    }
    return true;
}

/* Newton's iteration for the end of a step, with what slips as it is. */
static nt_status go(nt_static *s, double shift)
{
    for (int i = 0; i < ITERATIONS; i++) {
        nt_status status = NT_OK;
        if (i == 0 && (status = nt_static_evaluate(s, s->residual, true)) == NT_OK)
            status = nt_static_find_drag(s);
        double off = status == NT_OK ? miss(s, shift, true) : 0;
        if (status == NT_OK && !(isfinite(off) && nt_static_size(s, s->rates) <= LARGEST))
            status = NT_NOT_CONVERGED;
        if (status == NT_OK)
            status = nt_static_factor(s, shift);
        if (status == NT_OK)
            status = nt_static_correct(s, s->residual, s->step);
        double size = nt_static_size(s, s->step);
        if (status == NT_OK && !(size <= 1))
            status = NT_NOT_CONVERGED;
        if (status == NT_OK)
            status = move_along(s, shift, size > SETTLED ? off : (double)INFINITY);
        if (status != NT_OK)
            return status;
        s->iterations++;
        nt_static_accept(s);
        if (size <= SETTLED)
            return isfinite(miss(s, shift, false)) && in_balance(s) ? NT_OK : NT_NOT_CONVERGED;
    }
    return NT_NOT_CONVERGED;
}

/* Whether the step has gone where the forces at its begin push, with its reactions. */
static nt_status is_downhill(nt_static *s, bool *answer)
{
    const nt_problem *p = s->problem;
    double work = 0, size = 0;
    find_way(s);
    nt_static_keep(s, s->aside);
    memcpy(s->q, s->begin, (size_t)(p->nq + p->nv) * sizeof *s->q);
    nt_status status = nt_static_evaluate(s, s->residual, false);
    nt_static_go_back(s, s->aside);
    for (int i = 0; i < p->nv; i++) {
        work -= s->residual[i] * s->rates[i];
        size += fabs(s->residual[i] * s->rates[i]);
    }
    *answer = work >= -1e-6 * size;
    return status;
}

/* What the parts hold where the step ends, and the ways that they have slipped. */
static nt_status look(nt_static *s)
{
    nt_status status = nt_static_look_at_slip(s, s->begin);
    for (int i = 0; i < s->n_rough; i++)
        memcpy(s->rough[i].way, s->dry[i].slip, sizeof s->rough[i].way);
    return status == NT_OK ? nt_static_look_at_friction(s) : status;
}

/* What each part does after a trial; whether anything changes. */
static bool choose(nt_static *s, int trial)
{
    bool some = false;
    double along = ALONG[trial >= TRIALS_EXACT];
    for (int i = 0; i < s->n_rough; i++) {
        nt_static_rough *rough = &s->rough[i];
        const nt_dry_friction *part = &s->dry[i];
        double force = length3(part->force), far = length3(rough->way);
        if (rough->holds == NT_DRY_STICKS && !(force <= (1 + BEYOND) * part->limit)) {
            rough->holds = part->gap < 0 ? NT_DRY_SLIPS : NT_DRY_LOOSE;
            for (int k = 0; k < 3; k++)
                rough->towards[k] = force > 0 ? -part->force[k] / force : 0;
            some = true;
        } else if (rough->holds == NT_DRY_SLIPS && !part->follows &&
                   far > 1e-14 * s->problem->length) {
            double forward = dot3(rough->way, rough->towards);
            if (forward >= along * far)
                continue;
            some = true;
            if (forward <= 0 && rough->returns++ < 3)
                rough->holds = NT_DRY_STICKS;
            else
                for (int k = 0; k < 3; k++)
                    rough->towards[k] = rough->way[k] / far;
        }
    }
    return some;
}

static void hold_all(nt_static *s)
{
    for (int i = 0; i < s->n_rough; i++)
        nt_static_hold_friction(s, i, s->rough[i].holds);
    nt_problem_take_rows(s->problem, s->memory);
}

/* Everything that touches sticks from here on. */
static nt_status stick(nt_static *s)
{
    nt_status status = nt_static_look_at_friction(s);
    for (int i = 0; i < s->n_rough && status == NT_OK; i++) {
        s->rough[i].holds = s->dry[i].gap < 0 ? NT_DRY_STICKS : NT_DRY_LOOSE;
        s->rough[i].returns = 0;
    }
    if (status == NT_OK)
        hold_all(s);
    return status == NT_OK ? nt_static_choose_rows(s) : status;
}

/* From where all that touches sticks; where it fails the point is as it was. */
static nt_status take_step(nt_static *s, motion *m)
{
    bool changes = true, downhill = true;
    nt_status status = NT_OK;
    nt_static_keep(s, s->begin);
    for (int i = 0; i < s->n_rough; i++)
        s->rough[i].returns = 0;
    for (m->trials = 0; changes && status == NT_OK; m->trials++) {
        if (m->trials == TRIALS)
            status = NT_NOT_CONVERGED;
        if (m->trials > 0) {
            nt_static_go_back(s, s->begin);
            hold_all(s);
            status = status == NT_OK ? nt_static_choose_rows(s) : status;
        }
        if (status == NT_OK)
            status = go(s, m->shift);
        nt_status forgotten = nt_static_carry(s, NULL);
        status = status == NT_OK ? forgotten : status;
        if (status == NT_OK)
            status = look(s);
        changes = status == NT_OK && choose(s, m->trials);
    }
    m->slipped = false;
    for (int i = 0; i < s->n_rough; i++)
        m->slipped = m->slipped || s->rough[i].holds == NT_DRY_SLIPS;
    if (status == NT_OK)
        status = is_downhill(s, &downhill);
    if (status == NT_OK && (!downhill || !nt_static_meets_all_rows(s)))
        status = NT_NOT_CONVERGED;
    if (status == NT_OK) {
        m->size = nt_static_size(s, s->rates);
        m->gone += m->size;
        return stick(s);
    }
    nt_static_go_back(s, s->begin);
    nt_status back = stick(s);
    return back == NT_OK ? status : back;
}

/* ---- rest ----------------------------------------------------------------------------------- */

/* Whether it can rest where it stands, or next to it; it is there then, else where it was. */
static nt_status try_to_rest(nt_static *s, bool *rests)
{
    const nt_static_bounds bounds = {
        .turn = NEAR, .travel = NEAR * s->problem->length, .iterations = ITERATIONS};
    nt_static_keep(s, s->begin);
    nt_solver_forget(s->solver);
    nt_status status = nt_static_newton(s, &bounds);
    *rests = status == NT_OK;
    if (status == NT_OK)
        status = nt_static_look_at_friction(s);
    for (int i = 0; i < s->n_rough && status == NT_OK; i++) {
        const nt_dry_friction *part = &s->dry[i];
        bool holds = part->holds == NT_DRY_STICKS;
        *rests = *rests &&
                 (holds ? length3(part->force) <= (1 + AT_REST) * part->limit : part->gap >= 0);
    }
    if (*rests)
        return status;
    nt_static_go_back(s, s->begin);
    return status == NT_NO_MEMORY ? status : NT_OK;
}

/* What is at its limit has slipped: its friction stays what it is when parameters change. Where no
 * state is found so, as nothing else holds it across, it sticks. */
static nt_status let_slip(nt_static *s)
{
    bool some = false;
    nt_status status = nt_static_look_at_friction(s);
    nt_static_keep(s, s->begin);
    for (int i = 0; i < s->n_rough && status == NT_OK; i++) {
        const nt_dry_friction *part = &s->dry[i];
        nt_static_rough *rough = &s->rough[i];
        double force = length3(part->force);
        rough->holds = part->holds;
        if (part->holds != NT_DRY_STICKS || !(force >= (1 - AT_REST) * part->limit) ||
            !(part->limit > 0))
            continue;
        some = true;
        rough->holds = NT_DRY_SLIPS;
        for (int k = 0; k < 3; k++)
            rough->towards[k] = -part->force[k] / force;
    }
    if (!some || status != NT_OK)
        return status;
    hold_all(s);
    bool free_motion = false;
    const nt_static_bounds bounds = {
        .turn = 1e-3, .travel = 1e-3 * s->problem->length, .iterations = ITERATIONS};
    status = nt_static_choose_rows(s);
    if (status == NT_OK)
        status = nt_static_newton(s, &bounds);
    if (status == NT_OK)
        status = nt_static_evaluate(s, s->residual, true);
    if (status == NT_OK)
        status = nt_static_find_free(s, &free_motion);
    if ((status == NT_OK && !free_motion) || status == NT_NO_MEMORY)
        return status;
    nt_static_go_back(s, s->begin);
    nt_problem_take_rows(s->problem, s->memory);
    return nt_static_choose_rows(s);
}

nt_status nt_static_come_to_rest(nt_static *s, nt_error *error)
{
    motion m = {.shift = 1};
    bool rests = false;
    s->solved = false;
    nt_status status = nt_static_let_go(s, error);
    if (status == NT_OK)
        status = stick(s);
    for (int i = 0; i < STEPS && status == NT_OK && !rests; i++) {
        nt_status step = take_step(s, &m);
        if (step == NT_NO_MEMORY)
            status = step;
        else if (step != NT_OK) {
            m.shift *= 4;
            m.waits = 4;
            status = m.shift > STIFFEST ? NT_NOT_CONVERGED : NT_OK;
        } else {
            if (m.size <= NEAR)
                status = try_to_rest(s, &rests);
            if (m.trials <= FEW_TRIALS && m.size < SHORT && m.waits-- <= 0)
                m.shift = fmax(m.shift / 4, SOFTEST);
            if (m.gone > FAR)
                status = NT_NOT_CONVERGED;
        }
    }
    if (status == NT_OK && !rests)
        status = NT_NOT_CONVERGED;
    if (status == NT_OK)
        status = let_slip(s);
    if (status == NT_OK)
        status = nt_static_hold_free(s, error);
    if (status != NT_OK)
        return nt_fail(error, status,
                       "no static state found: a damped motion with dry friction has not come to "
                       "rest");
    if (nt_static_wanders(s))
        return nt_static_refuse_free(s, NT_SINGULAR, error);
    s->solved = true;
    return NT_OK;
}
