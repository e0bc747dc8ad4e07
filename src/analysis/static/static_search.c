/* The search for a static state.
 *
 * Newton's iteration finds the nearest one, stable or not, where there is one near by. Where it
 * turns or moves anything far, or finds nothing, a damped motion is followed instead: without
 * inertia, resisted by the drag D,
 *
 *   (K + s D) dq + B^T (lambda + dlambda) = f,   B dq = -Phi,
 *
 * which with s = 1 is a step of the implicit Euler method for D q' = f of about the time in which
 * each part settles by itself, and with s = 0 Newton's iteration. D >= |K| makes K + s D positive
 * where the multipliers are about right, so that each step goes downhill; along it the force is
 * brought to less than half of what it was. s shrinks where the step did what the derivative said.
 */
#include "analysis/static/static.h"
#include "base/number.h"

#include "base/error.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Newton's iteration --------------------------------------------------------------------- */

/* How far a state may be that is near by: rad, and lengths of the system. */
static const nt_static_bounds NEAR_BY = {.turn = 1, .travel = 1, .iterations = 12};

/* Whether Newton's iteration is bound to fail with its first step, as of a chain that is laid out
 * straight and level: nothing there carries its weight. The guess of the multipliers has left the
 * forces f = W a, with B a = 0. For the step x, K x + B^T dlambda = f and B x = 0, so that
 *
 *   a^T W a = a^T K x = (K^T a)^T x <= |K^T a|_1/W |x|_W,
 *   |x|_W^2 <= (largest x_i / size_i)^2 sum W_i size_i^2.
 *
 * a is in s->step, W in vector[1]; what is evaluated stands for the step that follows. */
static nt_status look_ahead(nt_static *s, bool *hopeless)
{
    const nt_problem *p = s->problem;
    const nt_pattern *pattern = s->pattern;
    const double *a = s->step, *W = s->vector[1];
    double *Ka = s->vector[2], force = 0, slope = 0, room = 0;
    *hopeless = false;
    nt_status status = nt_static_evaluate(s, s->residual, true);
    if (status == NT_OK)
        status = nt_static_find_drag(s);
    if (status != NT_OK)
        return status;
    s->derived = true;
    for (int i = p->nv; i < p->n; i++) { /* B a = 0 only where rows are met */
        double size = i >= p->nv + p->nh ? 0 : p->quantity[i] == NT_LENGTH ? p->length : 1;
        if (!(fabs(s->residual[i]) <= 1e-12 * size))
            return NT_OK;
    }
    memset(Ka, 0, (size_t)p->nv * sizeof *Ka);
    for (int slot = 0; slot < pattern->n_slots; slot++) {
        int row = pattern->row[slot], column = pattern->column[slot];
        int i0 = pattern->node_start[row], m = pattern->node_start[row + 1] - i0;
        int j0 = pattern->node_start[column], n = pattern->node_start[column + 1] - j0;
        const double *K = nt_matrix_block(s->derivative, slot);
        for (int i = 0; row < pattern->n_primary && column < pattern->n_primary && i < m; i++)
            for (int j = 0; j < n; j++)
                Ka[j0 + j] += K[i * n + j] * a[i0 + i];
    }
    for (int i = 0; i < p->nv; i++) {
        double size = p->quantity[i] == NT_LENGTH ? p->length : 1;
        slope += a[i] * W[i] * a[i];
        force += Ka[i] * Ka[i] / W[i];
        room += W[i] * size * size;
    }
    *hopeless = p->space.n_first == 0 && slope > 2 * NEAR_BY.turn * sqrt(force * room);
    return NT_OK;
}

/* Increments below this, in lengths of the system and rad, end the iteration: as errors square from
 * one to the next, what follows is rounding. One more is made for the multipliers' sake. */
static const double SETTLED = 1e-9;
/* The same is known of somewhat larger ones, where the next would be this small if it shrank by no
 * more than the last one did. */
static const double NEARLY_SETTLED = 1e-7, ROUNDED = 1e-13;

double nt_static_size(const nt_static *s, const double *x)
{
    double angle, length, size;
    nt_static_reach(s, x, &angle, &length);
    size = fmax(angle, length / s->problem->length);
    for (int i = 0; s->problem->space.n_first > 0 && i < s->problem->nv; i++)
        if (s->is_first[i])
            size = fmax(size, fabs(x[i]) / fmax(fabs(s->v[i]), 1));
    return size;
}

bool nt_static_meets_all_rows(const nt_static *s)
{
    const nt_problem *p = s->problem;
    for (int i = 0; i < p->nh; i++) {
        double size = p->quantity[p->nv + i] == NT_LENGTH ? p->length : 1;
        if (!(fabs(s->residual[p->nv + i]) <= 1e-7 * size))
            return false;
    }
    return true;
}

/* Residual, derivative and drag at the present point, unless they are known. */
static nt_status derive(nt_static *s)
{
    nt_status status = s->derived ? NT_OK : nt_static_evaluate(s, s->residual, true);
    if (status == NT_OK && !s->derived)
        status = nt_static_find_drag(s);
    s->derived = false;
    return status;
}

static nt_status iterate(nt_static *s, const nt_static_bounds *bounds)
{
    double turned = 0, travelled = 0, before = 0;
    bool settled = false;
    for (int i = 0; i < bounds->iterations; i++) {
        double angle, length;
        nt_status status = settled ? nt_static_evaluate(s, s->residual, false) : derive(s);
        if (status == NT_OK && settled) { /* the last look: at the state itself */
            s->has_factors = s->mass_known;
            return nt_static_meets_all_rows(s) ? NT_OK : NT_NOT_CONVERGED;
        }
        if (status == NT_OK)
            status = nt_static_factor(s, NT_STATIC_NEARLY_NONE);
        if (status == NT_OK)
            status = nt_static_correct(s, s->residual, s->step);
        if (status != NT_OK)
            return status;
        s->iterations++;
        nt_static_reach(s, s->step, &angle, &length);
        turned += angle;
        travelled += length;
        if (!(turned <= bounds->turn && travelled <= bounds->travel))
            return NT_NOT_CONVERGED;
        if ((status = nt_static_carry(s, s->step)) != NT_OK)
            return status;
        nt_static_move(s, s->step, 1);
        nt_static_accept(s);
        double size = nt_static_size(s, s->step);
        settled = size <= SETTLED || (size <= NEARLY_SETTLED && size * size <= ROUNDED * before);
        before = size;
    }
    return NT_NOT_CONVERGED;
}

nt_status nt_static_newton(nt_static *s, const nt_static_bounds *bounds)
{
    nt_static_keep(s, s->kept[0]);
    nt_status status = iterate(s, bounds);
    nt_status forgotten = nt_static_carry(s, NULL);
    if (status != NT_OK)
        nt_static_go_back(s, s->kept[0]);
    return status == NT_OK ? forgotten : status;
}

/* ---- the damped motion ---------------------------------------------------------------------- */

/* Bounds of one step: far from where it stands the derivative knows nothing. */
static const double LARGEST_TURN = 0.7; /* rad */
/* Where rows are left out they follow from the others on this branch of the constraints alone. */
static const double LARGEST_WITH_REDUNDANT = 0.1; /* rad */
/* A step's end has less than this part of the force that it began with, along itself. */
static const double SLACK = 0.5;

/* The force along x at a share of it: x^T R(q o exp(share x), lambda + dlambda). */
static nt_status force_along(nt_static *s, const double *x, double share, double *force)
{
    const nt_problem *p = s->problem;
    nt_static_go_back(s, s->kept[1]);
    nt_static_move(s, x, share);
    for (int i = 0; i < p->nc; i++) /* all of the change: they belong to the step */
        s->multipliers[i] += (1 - share) * x[p->nv + i];
    nt_status status = nt_static_evaluate(s, s->other, false);
    *force = 0;
    for (int i = 0; status == NT_OK && i < p->nv; i++)
        *force += s->other[i] * x[i];
    return status;
}

/* Walks along x to where the force has fallen to a part: by false position between a point before
 * and one behind. *share: how far. */
static nt_status walk(nt_static *s, const double *x, double begin, double longest, double *share,
                      double *end)
{
    double low = 0, high = longest, at_low = begin, at_high = 0, try = longest;
    *share = *end = 0;
    int side = 0;
    for (int i = 0; i < 60; i++) {
        double force;
        nt_status status = force_along(s, x, try, &force);
        if (status == NT_NOT_FINITE || (status == NT_OK && !isfinite(force))) {
            longest = high = try = try / 2;
            continue;
        }
        if (status != NT_OK)
            return status;
        *share = try;
        *end = force;
        if (force <= SLACK * fabs(begin) && (try == longest || fabs(force) <= SLACK * fabs(begin)))
            return NT_OK;
        if (force > 0) {
            at_low = side > 0 ? at_low / 2 : at_low;
            high = try, at_high = force, side = 1;
        } else {
            at_high = side < 0 ? at_high / 2 : at_high;
            low = try, at_low = force, side = -1;
        }
        try = low + (high - low) * fmin(fmax(at_low / (at_low - at_high), 0.02), 0.98);
    }
    return NT_NOT_CONVERGED;
}

typedef struct damped {
    double shift; /* s */
    double least; /* of s, > 0 while an unstable state is left: K + s D is positive there, and what
                     leads away from it grows twofold in a step, however soft it is            */
    int steps;
    bool rests, has_moved;
    bool moves_freely, is_stiff; /* what is known of the state that was found */
} damped;

/* x for the shift, made larger until the step goes downhill; *slope < 0 is the force along it. */
static nt_status downhill_step(nt_static *s, damped *d, double *slope)
{
    enum { TRIES = 24 };
    for (int i = 0; i < TRIES; i++) {
        nt_status status = nt_static_factor(s, d->shift);
        if (status == NT_OK)
            status = nt_static_correct(s, s->residual, s->step);
        if (status != NT_OK && status != NT_SINGULAR)
            return status;
        s->iterations++;
        if (status == NT_OK) {
            /* with the new multipliers the force R + B^T dlambda is -(K + s D) dq */
            *slope = -nt_static_stiffness_along(s, s->step) -
                     d->shift * nt_static_dot(s, s->step, s->step);
            if (*slope < 0 || nt_static_size(s, s->step) <= SETTLED)
                return NT_OK;
        }
        d->shift = fmax(8 * d->shift, 1e-3);
    }
    return NT_NOT_CONVERGED;
}

/* The shift below which Newton's iteration is tried. */
static const double SMALL_SHIFT = 1e-3;
/* The shift that counts as none. */
static const double NO_SHIFT = 1e-9;

/* Back onto the constraints by the smallest moves, in terms of the drag. Where rows are left out
 * this comes before they are chosen anew: beside the constraints they do not seem to depend on the
 * others. */
static nt_status close_constraints(nt_static *s)
{
    const nt_problem *p = s->problem;
    nt_status status = NT_OK;
    for (int i = 0; i < 10 && status == NT_OK; i++) {
        status = nt_static_evaluate(s, s->residual, true);
        nt_static_clear_stiffness(s);
        memset(s->residual, 0, (size_t)p->nv * sizeof *s->residual);
        if (status == NT_OK)
            status = nt_static_factor(s, 1);
        if (status == NT_OK)
            status = nt_static_correct(s, s->residual, s->step);
        memset(s->step + p->nv, 0, (size_t)p->nc * sizeof *s->step);
        if (status == NT_OK)
            nt_static_move(s, s->step, 1);
        if (status == NT_OK && nt_static_size(s, s->step) < SETTLED)
            return nt_static_choose_rows(s);
    }
    return status == NT_OK ? NT_NOT_CONVERGED : status;
}

/* Roundings of places that forces in balance may be off by. */
enum { ROUNDINGS = 64 };

/* Whether the drag of the step has nothing left to carry: little of the loads, or what the
 * stiffness makes of rounded places, where there are none. */
static bool in_balance(const nt_static *s, double shift)
{
    const nt_problem *p = s->problem;
    double place[2];
    place[NT_LENGTH] = p->length, place[NT_ANGLE] = 1;
    for (int i = 0; i < p->nq; i++)
        place[NT_LENGTH] = fmax(place[NT_LENGTH], fabs(s->q[i]));
    double allowed[2] = {s->load_size[NT_LENGTH] + s->load_size[NT_ANGLE] / p->length,
                         s->load_size[NT_ANGLE] + s->load_size[NT_LENGTH] * p->length};
    for (int i = 0; i < p->nv; i++) {
        double rounding = ROUNDINGS * DBL_EPSILON * s->drag[i] * place[p->quantity[i]];
        if (shift * s->drag[i] * fabs(s->step[i]) > 1e-6 * allowed[p->quantity[i]] + rounding)
            return false;
    }
    return true;
}

/* How far each entry has gone, rotations about the axes of their bodies. */
static void add_way(nt_static *s, double share)
{
    const nt_problem *p = s->problem;
    nt_space_change_frame(&p->space, p->frame, NT_BODY, s->q, s->step, s->increment);
    for (int i = 0; i < p->nv; i++)
        s->gone[i] += share * s->increment[i];
}

/* *near: Newton's iteration may be tried; d->rests: nothing moves any more. */
static nt_status step_damped(nt_static *s, damped *d, bool *near)
{
    const nt_problem *p = s->problem;
    double slope = 0, angle, length, share = 0, end = 0;
    *near = false;
    d->shift = fmax(d->shift, d->least);
    nt_status status = derive(s);
    nt_static_keep(s, s->kept[1]);
    if (status == NT_OK)
        status = downhill_step(s, d, &slope);
    if (status != NT_OK)
        return status;
    nt_static_reach(s, s->step, &angle, &length);
    double size = nt_static_size(s, s->step);
    if (size <= SETTLED && !in_balance(s, d->shift)) {
        /* stuck at a place where the stiffness is out of all bounds, if it has come there; else
         * stiff beside the loads, and held back by drag alone */
        if (d->has_moved || p->space.n_first > 0 || d->shift <= fmax(d->least, NO_SHIFT))
            return NT_NOT_CONVERGED;
        nt_static_move(s, s->step, 1);
        d->shift /= 16;
        *near = d->shift < SMALL_SHIFT;
        return NT_OK;
    }
    if (size <= SETTLED || !(slope < 0)) {
        nt_static_go_back(s, s->kept[1]);
        nt_static_move(s, s->step, 1);
        *near = d->rests = true;
        return NT_OK;
    }
    double turn = s->factors->n_dropped > 0 ? LARGEST_WITH_REDUNDANT : LARGEST_TURN;
    double longest =
        fmin(1, fmin(turn / fmax(angle, 1e-300), turn * p->length / fmax(length, 1e-300)));
    status = walk(s, s->step, slope, longest, &share, &end);
    if (status == NT_NOT_CONVERGED) {
        nt_static_go_back(s, s->kept[1]);
        d->shift = fmax(8 * d->shift, 1e-3);
        return NT_OK;
    }
    if (status != NT_OK)
        return status;
    double drag = d->shift * nt_static_dot(s, s->step, s->step);
    d->has_moved = true;
    add_way(s, share);
    if (s->factors->n_dropped > 0 && (status = close_constraints(s)) != NT_OK)
        return status;
    nt_static_accept(s);
    /* what the derivative says of the force at the end: slope + share (dq K dq) */
    double said = slope + share * (-slope - drag), off = fabs(end - said) / -slope;
    if (share < 0.5 * longest || off > 0.75)
        d->shift = fmax(d->shift * 2, 1e-3);
    else if (longest == 1)
        d->shift /= off < 0.25 ? 16 : 2;
    *near = d->shift < SMALL_SHIFT && size * share < 0.3;
    return NT_OK;
}

enum { MOST_STEPS = 2000 };

nt_status nt_static_newton_near_by(nt_static *s)
{
    nt_static_bounds near_by = NEAR_BY;
    near_by.travel *= s->problem->length;
    return nt_static_newton(s, &near_by);
}

/* Whether Newton's iteration has gone back to the state that is to be left. */
static bool is_back(const nt_static *s)
{
    const nt_problem *p = s->problem;
    double off = 0;
    for (int i = 0; i < p->nq; i++)
        off = fmax(off, fabs(s->q[i] - s->left[i]));
    return off <= 1e-6 * fmin(1, p->length);
}

static nt_status follow_damped(nt_static *s, damped *d)
{
    memset(s->gone, 0, (size_t)s->problem->nv * sizeof *s->gone);
    for (d->steps = 0; d->steps < MOST_STEPS; d->steps++) {
        bool near;
        nt_status status = step_damped(s, d, &near);
        if (status != NT_OK)
            return status;
        if (!near)
            continue;
        nt_static_keep(s, s->aside);
        nt_solver_forget(s->solver); /* pivots that suit K + s D rarely suit K */
        status = nt_static_newton_near_by(s);
        if (status == NT_OK && d->least > 0 && is_back(s)) {
            nt_static_go_back(s, s->aside);
            d->rests = false;
            continue;
        }
        if (status == NT_OK)
            return NT_OK;
        if (d->rests && s->problem->space.n_first > 0)
            return NT_NOT_CONVERGED; /* what feeds back may stay where its rates are not zero */
        if (d->rests && !nt_is_final(status))
            return NT_OK; /* what is at rest and yet no state of Newton's can move freely */
        if (status != NT_NOT_CONVERGED && status != NT_SINGULAR && status != NT_NOT_FINITE)
            return status;
    }
    return NT_NOT_CONVERGED;
}

/* ---- from where it stands ------------------------------------------------------------------- */

/* rad: what a damped motion has turned further, it turns round and round. */
static const double ROUND = 4 * NT_PI;

/* What has turned round, the furthest of them; else `last`. */
static int find_running(const nt_static *s, int last, bool *round)
{
    int best = -1;
    double most = ROUND;
    for (int i = 0; i < s->problem->nv; i++)
        if (s->problem->quantity[i] == NT_ANGLE && !s->is_first[i] &&
            fabs(s->gone[i]) > most * (1 + 1e-6)) {
            most = fabs(s->gone[i]);
            best = i;
        }
    *round = best >= 0;
    return *round ? best : last;
}

/* A search that has not ended: what it is that still moves, and how the forces stand. */
static nt_status refuse_search(nt_static *s, nt_status status, const damped *d, nt_error *error)
{
    const nt_problem *p = s->problem;
    char name[300] = "", force[160] = "";
    if (status == NT_NO_MEMORY)
        return nt_fail(error, status, "out of memory for a static state");
    if (status == NT_NOT_FINITE && p->system->failure) {
        nt_error place = {0};
        p->system->failure(p->system->self, name, sizeof name);
        if (name[0] && p->system->place)
            p->system->place(p->system->self, -1, &place);
        return nt_fail_at(error, status, place.file, place.line, place.column,
                          "static state: %s%s%s", nt_status_text(status), name[0] ? ": " : "",
                          name);
    }
    int most = nt_static_leading_entry(s, s->step);
    nt_problem_coordinate_name(p, most, name, sizeof name);
    nt_problem_equation_name(p, most, force, sizeof force);
    nt_error part = {0};
    bool round;
    find_running(s, most, &round);
    nt_problem_ill_posed(p, NT_NOT_CONVERGED, &part);
    return nt_fail_at(error, NT_NOT_CONVERGED, part.file, part.line, part.column,
                      "no static state found: after %d steps of a damped motion it still moves, "
                      "most of all by %s; %s: %.3g are out of balance%s%s%s%s%s%s",
                      d->steps, name, force, d->shift * s->drag[most] * fabs(s->step[most]),
                      s->is_first[most] ? "; a state rests where its rate is zero" : "",
                      round && !s->holds_round
                          ? "; it turns round and round, static: {hold: [free]} holds it"
                          : "",
                      s->failed[0] ? "; what is further on has no value: " : "", s->failed,
                      part.message[0] ? "; " : "", part.message);
}

/* Away from a state that is no minimum, along its softest direction: by 0.1 rad, or a twentieth of
 * the length. */
static void nudge(nt_static *s)
{
    double angle, length;
    memset(s->step, 0, (size_t)s->problem->n * sizeof *s->step);
    memcpy(s->step, s->softest, (size_t)s->problem->nv * sizeof *s->step);
    nt_static_reach(s, s->step, &angle, &length);
    double size = fmax(angle / 0.1, length / (0.05 * s->problem->length));
    nt_static_move(s, s->step, size > 0 ? 1 / size : 0);
}

/* A damped motion stays at no state that is unstable. What feeds back, as controllers do, may look
 * so wherever it comes to rest: what is found last counts then, unless a stable state was asked
 * for. */
static nt_status search_damped(nt_static *s, damped *d)
{
    enum { NUDGES = 4 };
    nt_status status = NT_NOT_CONVERGED;
    bool held = s->n_free > 0;
    d->least = 0;
    for (int i = 0; i < NUDGES; i++) {
        double softness = 0;
        bool left = false;
        if (!held && (status = nt_static_let_go(s, NULL)) != NT_OK)
            return status;
        d->shift = 1;
        d->rests = d->has_moved = false;
        status = follow_damped(s, d);
        if (status == NT_NOT_CONVERGED && i > 0 && s->damped)
            return nt_static_leave(s);
        if (status == NT_OK)
            status =
                held ? nt_static_evaluate(s, s->residual, true) : nt_static_hold_resting(s, NULL);
        if (status == NT_OK && s->has_factors)
            status = nt_static_find_free(s, &d->moves_freely);
        d->is_stiff = status == NT_OK && s->has_factors && !d->moves_freely;
        /* where a stable state is asked for the sign counts, however slender a part is */
        if (status == NT_OK)
            status = nt_static_find_softest(s, !s->damped, &softness);
        if (status == NT_OK)
            status = nt_static_is_left(s, softness, &left);
        if (status != NT_OK || !left)
            return status;
        if (i + 1 == NUDGES)
            return s->damped ? NT_NOT_CONVERGED : NT_OK;
        nt_static_keep(s, s->left);
        d->least = s->damped ? 2 * fabs(softness) : 0;
        nudge(s);
    }
    return status;
}

static nt_status search(nt_static *s, damped *d)
{
    bool independent = false;
    nt_status status = nt_static_keep_rows(s);
    if (status == NT_OK && s->problem->n_off == 0)
        status = nt_static_guess_multipliers(s, &independent);
    if (status == NT_OK && !independent) {
        status = nt_static_choose_rows(s);
        if (status == NT_OK)
            status = nt_static_guess_multipliers(s, NULL);
    }
    if (status != NT_OK)
        return status;
    bool hopeless = s->damped;
    status = hopeless ? NT_OK : look_ahead(s, &hopeless);
    if (status == NT_OK)
        status = hopeless ? NT_NOT_CONVERGED : nt_static_newton_near_by(s);
    if (status == NT_NOT_CONVERGED || status == NT_SINGULAR || status == NT_NOT_FINITE)
        status = search_damped(s, d);
    s->derived = false;
    return status;
}

/* Whether what is free where a motion has gone is free where it began as well: forces that fade far
 * away hold nothing there, and yet something. */
static nt_status is_free_at_start(nt_static *s, bool *answer)
{
    nt_static_keep(s, s->aside);
    nt_static_go_back(s, s->placed);
    nt_status status = nt_static_guess_multipliers(s, NULL);
    if (status == NT_OK)
        status = nt_static_evaluate(s, s->residual, true);
    s->has_factors = false;
    if (status == NT_OK)
        status = nt_static_find_free(s, answer);
    nt_static_go_back(s, s->aside);
    return status;
}

/* Goes back to the start, where forces are not out of all proportion: reactions of a motion that a
 * load drives without an end look like stiffness. */
static nt_status hold_free_at_start(nt_static *s, nt_error *error)
{
    nt_static_go_back(s, s->placed);
    nt_status status = nt_static_guess_multipliers(s, NULL);
    if (status == NT_OK)
        status = nt_static_evaluate(s, s->residual, true);
    s->has_factors = false;
    return status == NT_OK ? nt_static_hold_free(s, error) : status;
}

/* Whether the loads of a path change anything where the search began. */
static nt_status are_there_loads(nt_static *s, bool *answer)
{
    const nt_problem *p = s->problem;
    size_t size = (size_t)p->n * sizeof *s->residual;
    double load = s->load;
    *answer = true;
    nt_static_keep(s, s->aside);
    nt_static_go_back(s, s->placed);
    nt_status status = nt_static_evaluate(s, s->residual, false);
    if (status == NT_OK)
        memcpy(s->other, s->residual, size);
    if (status == NT_OK && (status = s->set_load(s->context, 0)) == NT_OK)
        status = nt_static_evaluate(s, s->residual, false);
    if (status == NT_OK)
        *answer = memcmp(s->other, s->residual, size) != 0;
    nt_status back = s->set_load(s->context, load);
    nt_static_go_back(s, s->aside);
    return nt_is_final(status) ? status : back;
}

/* Holds one direction more for being free, and begins anew. NT_SINGULAR: it is held already. */
static nt_status search_holding(nt_static *s, int entry, damped *d, nt_error *error)
{
    for (int i = 0; i < s->n_holds; i++)
        if (s->holds[i].entry == entry)
            return NT_SINGULAR;
    s->holds[s->n_holds++] = nt_static_hold(s, entry);
    s->n_free++;
    s->has_factors = false;
    nt_static_go_back(s, s->placed);
    nt_status status = nt_static_take_solver(s, error);
    return status == NT_OK ? search(s, d) : status;
}

/* Lets go of the last n that were held for being free. */
static nt_status let_last_go(nt_static *s, int n, nt_error *error)
{
    s->n_holds -= n;
    s->n_free -= n;
    s->has_factors = false;
    return n > 0 ? nt_static_take_solver(s, error) : NT_OK;
}

/* What a motion without an end moves most, `last` in its last step, is held, and the search begins
 * anew, until there is a state of rest. What turns round and round has none, and what is free there
 * and bears a load was free all the time: where forces are out of balance the derivative does not
 * show it, as they turn with what they act on. Fails with what was held before, at the placement.
 */
static nt_status hold_what_runs(nt_static *s, damped *d, int last, nt_error *error)
{
    enum { MOST = 8 };
    int held = s->n_free, n = 0;
    bool all_round = true;
    nt_status status = NT_NOT_CONVERGED;
    while (status == NT_NOT_CONVERGED && n < MOST) {
        bool round;
        status = search_holding(s, find_running(s, last, &round), d, error);
        last = nt_static_leading_entry(s, s->step);
        all_round &= round;
        n = s->n_free - held;
    }
    if (nt_is_final(status) || (status == NT_OK && all_round && s->holds_round))
        return status;
    if (status == NT_OK)
        status = let_last_go(s, n, error);
    if (status == NT_OK)
        status = nt_static_evaluate(s, s->residual, true);
    if (status == NT_OK)
        status = nt_static_hold_free(s, error);
    if (nt_is_final(status) || (status == NT_OK && s->n_free >= held + n))
        return status;
    nt_static_go_back(s, s->placed);
    if (status == NT_OK && s->n_free > held)
        status = search(s, d); /* with those alone that are free */
    else
        status = NT_NOT_CONVERGED;
    if (status == NT_OK || nt_is_final(status))
        return status;
    nt_static_go_back(s, s->placed);
    nt_status back = let_last_go(s, s->n_free - held, error);
    return back == NT_OK ? NT_NOT_CONVERGED : back;
}

/* With what is free held already: a state of rest, or why there is none. */
static nt_status search_held(nt_static *s, damped *d, nt_error *error)
{
    nt_error why = {0};
    nt_static_go_back(s, s->placed);
    nt_status status = search(s, d);
    if (status == NT_OK)
        return NT_OK;
    refuse_search(s, status, d, &why);
    if (status == NT_NOT_CONVERGED)
        status = hold_what_runs(s, d, nt_static_leading_entry(s, s->step), error);
    if (status == NT_NOT_CONVERGED)
        return nt_static_refuse_held(s, &why, error);
    return status == NT_OK ? status : refuse_search(s, status, d, error);
}

/* With what is free held, what turns round then is free as well: for the message alone, so that
 * what fails is not said. */
static void hold_for_names(nt_static *s, damped *d)
{
    bool holds_round = s->holds_round;
    nt_error unsaid = {0};
    s->holds_round = true;
    search_held(s, d, &unsaid);
    s->holds_round = holds_round;
}

/* A search found nothing. Where something is free that a load moves, it is held or named: without
 * an end the motion has gone far. Else loads are put on step by step. */
static nt_status search_again(nt_static *s, damped *d, nt_error *error)
{
    nt_error why = {0};
    bool is_free = false, loaded = false;
    int most = nt_static_leading_entry(s, s->step);
    refuse_search(s, NT_NOT_CONVERGED, d, &why);
    nt_status status = is_free_at_start(s, &is_free);
    if (status == NT_OK && is_free)
        status = nt_static_hold_free(s, error);
    if (status == NT_OK && is_free && s->n_free == 0)
        status = hold_free_at_start(s, error);
    if (nt_is_final(status))
        return status;
    if (status == NT_OK && nt_static_wanders(s)) {
        hold_for_names(s, d);
        return nt_static_refuse_free(s, NT_NOT_CONVERGED, error);
    }
    if (status == NT_OK && s->n_free == s->n_resting)
        status = nt_static_let_go(s, error);
    if (status == NT_OK && s->n_free > 0)
        return search_held(s, d, error);
    status = hold_what_runs(s, d, most, error);
    if (nt_is_final(status))
        return status;
    if (status == NT_OK)
        return nt_static_wanders(s) ? nt_static_refuse_free(s, NT_NOT_CONVERGED, error) : NT_OK;
    nt_error_clear(error);
    if (s->set_load && (status = are_there_loads(s, &loaded)) != NT_OK)
        return nt_fail(error, status, "loads: %s", nt_status_text(status));
    if (!loaded || s->follows || s->damped)
        return nt_fail_at(error, NT_NOT_CONVERGED, why.file, why.line, why.column, "%s",
                          why.message);
    return nt_static_put_on_loads(s, error);
}

nt_status nt_static_solve_once(nt_static *s, nt_error *error)
{
    damped d = {0};
    s->solved = false;
    s->failed[0] = '\0';
    nt_status status = nt_static_let_go(s, error);
    if (status == NT_OK && (status = search(s, &d)) != NT_OK) {
        status = status == NT_NOT_CONVERGED ? search_again(s, &d, error)
                                            : refuse_search(s, status, &d, error);
        d.is_stiff = false;
    }
    if (status == NT_OK && !d.is_stiff)
        status = nt_static_hold_free(s, error);
    if (status == NT_OK && s->damped && !d.is_stiff && !nt_static_wanders(s))
        status = nt_static_leave_pushed(s, error);
    if (status != NT_OK)
        return nt_said(error, status);
    if (nt_static_wanders(s))
        return nt_said(error, nt_static_refuse_free(s, NT_SINGULAR, error));
    if (s->n_free > 0 && (status = nt_static_newton_near_by(s)) != NT_OK)
        return nt_said(error, refuse_search(s, status, &d, error));
    s->solved = true;
    return NT_OK;
}

/* With the limits that bear now. */
static nt_status solve_verified(nt_static *s, nt_error *error)
{
    nt_status status =
        s->n_rough > 0 ? nt_static_solve_rough(s, error) : nt_static_solve_once(s, error);
    if (status == NT_OK && (status = nt_static_verify(s, error)) != NT_OK)
        s->solved = false;
    return status;
}

/* What the system finds out for its warnings when its energy is looked at. */
static void look_at_energy(const nt_static *s)
{
    const nt_system *system = s->problem->system;
    nt_point at = nt_static_point(s);
    nt_energy energy = {0};
    if (system->energy)
        (void)system->energy(system->self, &at, &energy);
}

nt_status nt_static_solve(nt_static *s, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "state", s);
    if (!s->started)
        return nt_fail(error, NT_INVALID, "nt_static_start was not called");
    if (s->settles) /* part of a search that looks at the end */
        return nt_said(error, nt_problem_ends(s->problem, nt_static_solve_once(s, error), error));
    nt_status status = nt_static_solve_limited(s, solve_verified, error);
    if (status == NT_OK)
        status = nt_static_find_lost_rows(s, true, error);
    status = nt_problem_ends(s->problem, status, error);
    s->solved = s->solved && status == NT_OK;
    if (status == NT_OK)
        look_at_energy(s);
    return nt_said(error, status);
}

int nt_static_rest_count(const nt_static *s) { return s ? s->n_resting : 0; }

int nt_static_free_count(const nt_static *s) { return s ? s->n_free : 0; }
