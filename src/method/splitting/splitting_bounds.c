/* Steps that are stable by the largest eigenvalues of what A does to the motion:
 *
 *   w^2 of M^-1 K,   K = -dA/dq,       rate of M^-1 C,   C = -dA/dv
 *
 * the squared frequency of the fastest oscillation, such as a ball between two races, and the
 * fastest damping. Both change slowly, as indentations and loads do: they are looked at in every
 * fiftieth step, by two steps of the power iteration on from the vector that was found last. K and
 * C are the forces' own tangents where A was taken, so that no force is evaluated for them. The
 * accelerations keep to the constraints.
 *
 * `semi-explicit` is stable while alpha h^2 w^2 + h rate <= 2 (theorem 3 of Modin, Fritzson &
 * Fuehrer); `semi-explicit-2` while h w <= 1.2 and, with the damping that it does not take with
 * each of the blocks that are alone, what they do to each other and to the rest, h rate <= 4/7.
 *
 * A contact that begins between two looks, such as a ball that runs into its pocket, is in none of
 * them. So forces that know their own damping say with every evaluation how fast the fastest one
 * damps by itself (nt_system.fastest_damping): a step that is too long for that is made again,
 * shorter, where steps follow these bounds; with equal steps the run says so in words. */
#include "linalg/solver.h"
#include "method/splitting/splitting_own.h"

#include <math.h>
#include <string.h>

enum { EVERY = 50, ROUNDS = 2, FIRST_ROUNDS = 40 };

/* The part of the bound that is used, so that what grows until the next look does no harm. */
static const double SAFETY = 0.9;

/* Between two looks there is another where the stiffest single force, or the one that damps
 * fastest, has grown by this factor and reaches this (h w)^2 or h times its rate: what several of
 * them do together is more, and what of bodies that are held is more or less. */
static const double STIFFER = 1.5, MATTERS = 0.05;

/* Any vector that is at right angles to none that matters. */
static void splitting_begin_mode(const nt_problem *p, double *x)
{
    for (int i = 0; i < p->nv; i++)
        x[i] = (1 + 0.1 * (7 * i % 13)) / nt_problem_weight(p, i);
}

static double splitting_length_of(const nt_problem *p, const double *x)
{
    double sum = 0;
    for (int i = 0; i < p->nv; i++)
        sum += x[i] * x[i] * nt_problem_weight(p, i) * nt_problem_weight(p, i);
    return sqrt(sum);
}

/* The damping that the step takes with the blocks that are alone, each by itself, sets no bound: it
 * leaves y = C x. What they do to each other and to the rest remains, and what elements keep out of
 * h/2 D. */
static void splitting_leave_own(const nt_splitting_own *own, double h, const double *x, double *y)
{
    for (int k = 0; k < own->n_alone; k++)
        if (own->whole->space.blocks[own->alone[k]].nv <= NT_SPLITTING_DAMPED)
            nt_splitting_apply_damping(own, k, -2 / h, x, y);
}

/* Rounds of the power iteration with the matrix in own->tangent; y[n] scratch. without_own: the
 * step whose own->damping is left out, 0: nothing is. Without their own damping blocks that are
 * coupled have pairs of eigenvalues, one the negative of the other, between which lengths swing
 * from round to round: the mean of the last two counts. */
static nt_status splitting_iterate(nt_stepper *s, const nt_splitting_own *own, double without_own,
                                   int rounds, double *x, double *y, double *eigenvalue)
{
    const nt_problem *p = s->problem;
    nt_status status = NT_OK;
    double last = 0;
    *eigenvalue = 0;
    for (int i = 0; i < rounds && status == NT_OK; i++) {
        memset(y, 0, (size_t)p->n * sizeof *y);
        nt_matrix_apply_primary(&own->tangent, x, (size_t)p->nv, y, (size_t)p->n, 1);
        if (without_own > 0)
            splitting_leave_own(own, without_own, x, y);
        memset(y + p->nv, 0, (size_t)p->nc * sizeof *y);
        s->statistics->solves++;
        status = nt_solver_solve(s->factors->solver, y, 1);
        double before = splitting_length_of(p, x), after = splitting_length_of(p, y);
        if (status != NT_OK || !(before > 0) || !(after > 0)) {
            splitting_begin_mode(p, x); /* nothing acts now */
            return status;
        }
        *eigenvalue = without_own > 0 && last > 0 ? sqrt(last * after / before) : after / before;
        last = after / before;
        for (int j = 0; j < p->nv; j++)
            x[j] = y[j] / after;
    }
    return status;
}

double nt_splitting_stable_swing(const nt_splitting *c)
{
    return c->second ? NT_SPLITTING_SWINGS_SECOND : sqrt(2 / fmax(c->alpha, 0.5));
}

/* The largest step that is stable by what the looks found, and by `rate` if that is more. */
static double splitting_stable_by(const nt_splitting *c, const nt_splitting_memory *m, double rate)
{
    rate = fmax(rate, *m->rate);
    double swings = sqrt(*m->square);
    if (c->second)
        return fmin(swings > 0 ? NT_SPLITTING_SWINGS_SECOND / swings : (double)INFINITY,
                    rate > 0 ? NT_SPLITTING_DAMPED_SECOND / rate : (double)INFINITY);
    double root = sqrt(rate * rate + 8 * c->alpha * *m->square);
    return rate + root > 0 ? 4 / (rate + root) : (double)INFINITY;
}

/* Whether single forces, by the evaluation made last, have become so much stiffer or damp so much
 * faster than since the last look that there is another one. */
static bool splitting_grows(const nt_problem *p, double h, nt_splitting_memory *m, bool looks)
{
    nt_stiffest now = {.all = 0};
    if (p->system->stiffest)
        p->system->stiffest(p->system->self, &now);
    bool grows = (now.all > STIFFER * *m->single && now.all * h * h > MATTERS) ||
                 (now.rate > STIFFER * *m->single_rate && now.rate * h > MATTERS);
    *m->single = grows || looks ? now.all : fmin(*m->single, now.all);
    *m->single_rate = grows || looks ? now.rate : fmin(*m->single_rate, now.rate);
    return grows;
}

nt_status nt_splitting_bounds(nt_stepper *s, const nt_splitting *c, double h, const nt_point *at,
                              double *y)
{
    const nt_problem *p = s->problem;
    nt_splitting_own *own = s->own;
    nt_splitting_memory before = nt_splitting_memory_of(p, &s->now);
    nt_splitting_memory next = nt_splitting_memory_of(p, &s->next);
    size_t bytes = (5 + 2 * (size_t)p->nv) * sizeof(double);
    memcpy(next.looked, before.looked, bytes);
    bool begins = *before.looked == 0, due = fmod(*before.looked, EVERY) == 0;
    bool first = splitting_grows(p, h, &next, due) || begins;
    *next.looked = first || due ? 1 : *before.looked + 1;
    if (!first && !due)
        return NT_OK;
    if (first)
        splitting_begin_mode(p, next.fast), splitting_begin_mode(p, next.damped);
    s->statistics->factorisations++;
    nt_status status = nt_factors_of_accelerations(s->factors, at);
    for (int k = 0; k < 2 && status == NT_OK; k++) {
        nt_combination of = {.stiffness = k == 0, .damping = k == 1};
        nt_terms terms = {.parts = c->explicit_parts, .matrix = &own->tangent, .combination = &of};
        nt_matrix_zero(&own->tangent);
        status = nt_problem_evaluate(p, at, &terms);
        if (status == NT_OK)
            status =
                splitting_iterate(s, own, k == 1 && c->second && own->n_alone > 0 ? h : 0,
                                  first ? FIRST_ROUNDS : ROUNDS, k == 0 ? next.fast : next.damped,
                                  y, k == 0 ? next.square : next.rate);
    }
    if (status != NT_OK || h <= splitting_stable_by(c, &next, 0))
        return status;
    s->report.words = "the explicit forces are stiffer than steps of this size are stable for";
    return NT_NOT_CONVERGED;
}

double nt_splitting_stable_step(const nt_stepper *s, const nt_splitting *c, double h)
{
    nt_splitting_memory m = nt_splitting_memory_of(s->problem, &s->next);
    const nt_report *r = &s->report;
    double single =
        r->damped / h * (c->second ? NT_SPLITTING_DAMPED_SECOND : NT_SPLITTING_DAMPED_FIRST);
    double stable = splitting_stable_by(c, &m, single);
    double most = fmax(r->swings, r->turns);
    return SAFETY * (most > 0 ? fmin(stable, h / most) : stable);
}
