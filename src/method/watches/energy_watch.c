/* The watch on energy.
 *
 * Kinetic and potential energy E = T + V change by the work of loads alone. A run in which E grows
 * otherwise is wrong, however smooth it looks; one in which it falls may be damped, by the method
 * or by what it does not resolve, and is left alone. With the work W that loads have given,
 *
 *   growth   g = (E - W) - min (E - W)  over the run so far,
 *
 * where what loads take counts as nothing: W is the sum of max(dW, 0) of the loads that can give,
 * so that no error of the work of dampers, however stiff, is taken for growth. Against it stand the
 * energy that has been exchanged, X = max(range of T, range of V), and the largest kinetic energy
 * T_max; of either no more than there was to be exchanged, E at the start and W less the smallest
 * V, so that what has grown does not allow for its own growth.
 *
 *   A part g/X of the exchanged energy makes velocities wrong by g/(2 X): a swing is off by that
 *   part of its way. A part g/T of the kinetic energy, exchanged or not (a top's spin), makes rates
 *   wrong by g/(2 T): each turn is off by pi g/T rad.
 *
 * The run is given up when, after one swing, it may be off by an eighth of the way, or in each turn
 * by a fortieth: g > X/4 + T_max/20. It is warned of at a fiftieth of that: half a percent of what
 * moved. Of runs that end right the worst of 10000 reached .46 of it, runs that diverge lie above
 * (theory.md has the measurements).
 *
 * A method may show places and velocities that are up to a step apart in time, as the symplectic
 * ones of first order do. E is then off by as much as T or V changes in a step, D: from rest under
 * constant forces T = n^2 K after n steps, K what they give in the first, V has fallen by
 * n (n - 1) K, and g = n K where the n-th step exchanges D = (2 n - 1) K. So D is taken from g
 * before it is judged, and the least E - W so far is that of E - W + D, with the larger D of the
 * two steps beside each look, for the other time may be on either side: what a step or two of a
 * hard contact hide and give back has not grown, though a row on each side of its deepest point
 * leaves a step between them that exchanges nothing. A growth that lasts is
 * judged after the next step that exchanges less; where
 * what is exchanged grows a million times from one look to the next, and again to the one after,
 * D is not taken from it, for no such step would come. Nor is it at the end of a run, whose last
 * row has that growth; of methods whose places and velocities are apart one more step is tried
 * then.
 *
 * Parts of the system that exchange no energy with others (nt_system.energies) are judged each by
 * itself, so that a small one's growth is seen beside a large one; the worst of them counts.
 *
 * Looks are at states where steps end, of energies alone; no equations of motion are evaluated. A
 * look costs less than an evaluation and is made after two dozen of these, 3 % at most, so that a
 * method of many stages is looked at in each step and an explicit one in every 24th. Where loads
 * may give energy their power is wanted at the end of each step, for the integral by the
 * trapezoidal rule: alone, where that costs less (nt_system.powers), until the next look is due or
 * power changes as it has not before. This rule knows nothing of what power does within a long
 * step: where g comes near what is warned of, the work of this step and of all later ones is taken
 * by the powers along the dense output instead (work.c), whether work is recorded or not, so that
 * no verdict depends on what is. */
#include "method/watches/energy_watch.h"

#include "base/error.h"
#include "base/target.h"
#include "method/integrator.h"
#include "method/work.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Evaluations of the equations from one look to the next. */
enum { BETWEEN = 24 };

/* Allowed parts of the exchanged and of the largest kinetic energy; the part that is warned of. */
static const double EXCHANGED = 0.25, KINETIC = 0.05, WARNING = 0.02;

/* The part of what is warned of from which on work is followed closely. */
static const double NEAR = 0.25;

/* Rounding of an energy, relative to its parts, that is never growth: a sum over many bodies. */
static const double ROUNDING = 1e-12;

/* ---- looks ---------------------------------------------------------------------------------- */

/* What has been exchanged, from look to look, grows by more than no motion does. */
static const double EXPLODES = 1e6;

nt_status nt_energy_watch_take(nt_integrator *it)
{
    nt_energy_accounts *a = &it->accounts;
    const nt_system *system = it->problem->system;
    a->n = system->energies && system->n_energies > 1 ? system->n_energies : 1;
    a->each = NT_TAKE(&it->arena, a->n, nt_energy_account);
    a->before = NT_TAKE(&it->arena, a->n, nt_energy_account);
    a->here = NT_TAKE(&it->arena, a->n, nt_energy);
    a->there = NT_TAKE(&it->arena, a->n, nt_energy);
    a->powers = NT_TAKE(&it->arena, (size_t)a->n * NT_WORK_NODES, double);
    a->founded = NT_TAKE(&it->arena, a->n, double);
    a->n_bounces = system->bounces ? system->n_bounces : 0;
    a->bounces = NT_TAKE(&it->arena, a->n_bounces, nt_bounce_account);
    a->bounced = NT_TAKE(&it->arena, a->n_bounces, nt_bounce);
    bool bounces = a->n_bounces == 0 || (a->bounces && a->bounced);
    bool taken = a->each && a->before && a->here && a->there && a->powers && a->founded;
    return taken && bounces ? NT_OK : NT_NO_MEMORY;
}

nt_status nt_integrator_energies(const nt_integrator *it, const nt_point *at, nt_energy *energies)
{
    const nt_system *system = it->problem->system;
    energies[0] = (nt_energy){0};
    return it->accounts.n > 1 ? system->energies(system->self, at, energies)
                              : system->energy(system->self, at, energies);
}

static bool look_at_energies(nt_integrator *it, const nt_phase *phase, nt_energy *energies)
{
    nt_point at = nt_phase_point(phase);
    nt_integrator_rates(it, phase, &at.v, &at.vdot);
    bool finite = nt_integrator_energies(it, &at, energies) == NT_OK;
    for (int i = 0; finite && i < it->accounts.n; i++)
        finite = isfinite(energies[i].kinetic + energies[i].potential + energies[i].power);
    return finite;
}

/* Time, q, v and the system's memory alone, one after the other. */
void nt_energy_watch_keep(nt_integrator *it, const nt_phase *phase)
{
    const nt_problem *p = it->problem;
    nt_phase *begun = &it->begun;
    begun->q = begun->all + NT_PHASE_HEAD;
    begun->v = begun->q + p->nq;
    begun->memory = begun->v + p->nv;
    begun->all[NT_PHASE_T] = phase->all[NT_PHASE_T];
    memcpy(begun->q, phase->q, (size_t)p->nq * sizeof(double));
    memcpy(begun->v, phase->v, (size_t)p->nv * sizeof(double));
    memcpy(begun->memory, phase->memory, (size_t)p->system->n_memory * sizeof(double));
}

/* Places are known to this part of the system's length. */
static const double PLACES = 1e-14;

/* What rounding of places makes of the energies, which are `here` at a state: of the potential one
 * by moving all places by their rounding, of the kinetic one by moving them so in one step. */
static void find_noise(nt_integrator *it, const nt_phase *from)
{
    const nt_problem *p = it->problem;
    nt_energy_accounts *a = &it->accounts;
    double *dq = it->factors->work, *v = dq + p->nv,
           *q = it->stepper.next.q; /* free between steps */
    double h = it->stepper.now.all[NT_PHASE_STEP];
    for (int i = 0; i < p->nv; i++) {
        dq[i] = PLACES * (p->quantity[i] == NT_ANGLE ? 1 : p->length);
        v[i] = h > 0 ? dq[i] / h : 0;
    }
    nt_point moved = nt_phase_point(from);
    nt_space_compose(&p->space, NT_INERTIAL, from->q, dq, q);
    moved.q = q, moved.v = v, moved.vdot = NULL;
    bool known = nt_integrator_energies(it, &moved, a->there) == NT_OK;
    for (int i = 0; i < a->n; i++) {
        double noise = fabs(a->there[i].potential - a->here[i].potential) + a->there[i].kinetic;
        a->each[i].noise = known && isfinite(noise) ? noise : 0;
    }
}

/* The last state before the step is where the watch begins. */
static bool begin(nt_integrator *it)
{
    nt_energy_watch *w = &it->watch;
    nt_energy_accounts *a = &it->accounts;
    const nt_phase *from = &it->before;
    if (!look_at_energies(it, from, a->here))
        return false;
    *w = (nt_energy_watch){.begun = true,
                           .t = from->all[NT_PHASE_T],
                           .growth = w->growth,
                           .allowed = w->allowed,
                           .worst = w->worst,
                           .steps = it->statistics.steps - 1};
    for (int i = 0; i < a->n; i++) {
        const nt_energy *e = &a->here[i];
        a->each[i] = (nt_energy_account){.power = e->power - e->taken,
                                         .founded = 1,
                                         .first = e->kinetic + e->potential,
                                         .own = e->kinetic + e->potential,
                                         .least = e->kinetic + e->potential,
                                         .kinetic = e->kinetic,
                                         .potential = e->potential,
                                         .kinetic_range = {e->kinetic, e->kinetic},
                                         .potential_range = {e->potential, e->potential}};
    }
    find_noise(it, from);
    nt_energy_watch_keep(it, from);
    return true;
}

static void widen(double range[2], double x)
{
    range[0] = fmin(range[0], x);
    range[1] = fmax(range[1], x);
}

static double exchanged_so_far(const nt_energy_account *w)
{
    return fmax(w->kinetic_range[1] - w->kinetic_range[0],
                w->potential_range[1] - w->potential_range[0]);
}

/* The size of an energy, which rounding is relative to. */
static double size_of(const nt_energy_account *w)
{
    return w->kinetic_range[1] + fmax(fabs(w->potential_range[0]), fabs(w->potential_range[1])) +
           w->given;
}

/* Growth so far beyond `excused`, and where it is given up. */
static void grown_beyond(const nt_energy_account *w, const nt_energy *e, double excused,
                         double *growth, double *allowed)
{
    double own = e->kinetic + e->potential - w->given;
    double exchanged = exchanged_so_far(w);
    double there = w->first + w->given - w->potential_range[0];
    *growth = own - w->least - excused;
    *allowed = EXCHANGED * fmin(exchanged, there) + KINETIC * fmin(w->kinetic_range[1], there) +
               w->doubt + (ROUNDING * size_of(w) + 100 * w->noise) / WARNING;
}

/* What the present energy may be off by, for places and velocities are of times a step apart. */
static double excused(const nt_energy_account *w) { return w->explosions < 2 ? w->in_step : 0; }

static void grown(const nt_energy_account *w, const nt_energy *e, double *growth, double *allowed)
{
    grown_beyond(w, e, excused(w), growth, allowed);
}

/* The worst of an account, and of all so far, by what its part has grown of what it may. */
static void judge(nt_integrator *it, int i)
{
    nt_energy_watch *watch = &it->watch;
    nt_energy_account *w = &it->accounts.each[i];
    const nt_energy *e = &it->accounts.here[i];
    double growth, allowed;
    grown(w, e, &growth, &allowed);
    growth = fmax(growth, 0);
    w->own = e->kinetic + e->potential - w->given;
    w->off = excused(w);
    if (watch->growth == 0 ? growth > 0 || i == 0
                           : growth * watch->allowed > watch->growth * allowed) {
        watch->growth = growth;
        watch->allowed = allowed;
        watch->worst = i;
    }
}

static bool is_too_much(const nt_integrator *it)
{
    bool ends = it->energy_check == NT_ENERGY_ENDS && !(it->method->needs & NT_GAINS_ENERGY);
    return ends && it->watch.growth > it->watch.allowed;
}

/* ---- words ---------------------------------------------------------------------------------- */

/* What would do better: a method that controls its error and can advance the system, smaller steps,
 * or a smaller tolerance. How much smaller is known only of a run that is warned of: there growth
 * shrinks at least in proportion to the steps. One that is given up has not begun to
 * converge, and its growth says nothing of the steps that do; nor does that of the last row, where
 * the last step exchanged as much (`last`, or NULL). */
static void advice(const nt_integrator *it, const nt_last_growth *last, char *text, size_t size)
{
    static const char *const names[] = {"lie-newmark", "rkmk-dop853", "generalized-alpha-soi2"};
    const nt_system *system = it->problem->system;
    const char *other = NULL,
               *why = it->method->explain_growth ? it->method->explain_growth(&it->stepper) : NULL;
    bool tolerant = false;
    for (int i = 0; i < 4; i++)
        tolerant |= it->stepper.tolerance[i] > 0;
    for (int i = it->method->needs & NT_GAINS_ENERGY ? 0 : 1; !other && i < 3; i++)
        if (nt_method_check_system(nt_method_find(names[i]), system, NULL) == NT_OK)
            other = names[i];
    if (why)
        snprintf(text, size, "%s", why);
    else if (it->method->needs & NT_GAINS_ENERGY)
        snprintf(text, size, "%s is unstable in long runs; %s is not", it->method->name,
                 other ? other : "lie-newmark");
    else if (it->variable)
        snprintf(text, size, "%s",
                 tolerant ? "a smaller tolerance than the present one would do"
                          : "a tolerance would do, or a smaller maximum_step");
    else {
        const nt_energy_watch *w = &it->watch;
        double h = it->stepper.now.all[NT_PHASE_STEP] * WARNING * w->allowed / w->growth / 2;
        int n = last || w->growth > w->allowed
                    ? snprintf(text, size, "much smaller steps would do")
                    : snprintf(text, size, "a step of %.1g s would do", h);
        snprintf(text + n, size - (size_t)n, "%s%s%s", other ? ", or " : "", other ? other : "",
                 other ? " with a tolerance" : "");
    }
}

/* Who has more than at the start, by most. */
static void winner(const nt_integrator *it, char *text, int size)
{
    const nt_system *system = it->problem->system;
    nt_point from = nt_phase_point(&it->begun), to = nt_phase_point(&it->stepper.now);
    text[0] = '\0';
    if (it->watch.worst >= it->accounts.n) {
        nt_bounce_watch_name(it, it->watch.worst - it->accounts.n, text, size);
        return;
    }
    if (!system->energy_gained)
        return;
    const nt_problem *p = it->problem;
    double *v[2] = {it->factors->work, it->factors->work + p->nv};
    nt_space_change_frame(&p->space, p->frame, system->frame, from.q, from.v, v[0]);
    nt_space_change_frame(&p->space, p->frame, system->frame, to.q, to.v, v[1]);
    from.v = v[0], to.v = v[1];
    from.vdot = to.vdot = NULL;
    system->energy_gained(system->self, &from, &to, it->accounts.n > 1 ? it->watch.worst : -1, text,
                          size);
}

static nt_status give_up(nt_integrator *it, nt_error *error)
{
    const nt_energy_watch *w = &it->watch;
    char name[400], better[160], reach[240];
    winner(it, name, sizeof name);
    advice(it, NULL, better, sizeof better);
    nt_integrator_say_reach(it, &it->begun, reach, sizeof reach);
    nt_fail(error, NT_ENERGY,
            "at t = %.9g s: the energy has grown by %.3g J without a cause, where %.3g J would be "
            "too much already%s%s%s%s; %s",
            w->t, w->growth, w->allowed, name[0] ? ": " : "", name, name[0] ? " gained most" : "",
            reach, better);
    if (error) {
        error->time = w->t;
        error->step = it->stepper.now.all[NT_PHASE_STEP];
        error->residual = w->growth / w->allowed;
    }
    return NT_ENERGY;
}

int nt_integrator_energy_warning(const nt_integrator *it, char *text, int size)
{
    char better[160];
    if (text && size > 0)
        text[0] = '\0';
    if (!it)
        return 0;
    const nt_energy_watch *w = &it->watch;
    const nt_last_growth *last = &it->last_growth;
    bool grew = w->growth > WARNING * w->allowed, grown = last->growth > WARNING * last->allowed;
    if (!w->begun || !(grew || grown) || is_too_much(it))
        return 0; /* where it was too much the run has ended with words */
    advice(it, grew ? NULL : last, better, sizeof better);
    return snprintf(text, text ? (size_t)size : 0,
                    "the energy has grown by %.3g J without a cause; %s",
                    grew ? w->growth : last->growth, better);
}

/* ---- the watch ------------------------------------------------------------------------------- */

static bool is_due(const nt_integrator *it)
{
    const nt_energy_watch *w = &it->watch;
    bool each = !(it->problem->system->capabilities & NT_GIVES_NO_ENERGY);
    return !w->begun || each || w->spent >= BETWEEN;
}

/* So many times the energy that there was is no reason to look at the way; so many times the mean
 * rate is reached from rest under a load that grows with the square of time. */
static const double BEYOND = 2, FROM_REST = 3;

/* Power is of rates, and rates that are wrong are no reason to doubt the work that loads have done:
 * by a step that throws a light body far too fast its own growth would be excused. The part of the
 * present rates that there was energy for, or that the way of the step since the last look shows,
 * by the kinetic energy of its mean rates. */
static void find_founded(nt_integrator *it)
{
    const nt_problem *p = it->problem;
    nt_energy_accounts *a = &it->accounts;
    const nt_phase *from = &it->before, *now = &it->stepper.now;
    double h = now->all[NT_PHASE_T] - from->all[NT_PHASE_T], *v = it->factors->work;
    bool beyond = false;
    for (int i = 0; i < a->n; i++) {
        const nt_energy_account *w = &a->each[i];
        double there = w->first + w->given + w->doubt - w->potential_range[0];
        bool too_fast = a->here[i].kinetic > BEYOND * fmax(there, 0);
        a->founded[i] = too_fast ? BEYOND * fmax(there, 0) : (double)INFINITY; /* J */
        beyond |= too_fast;
    }
    bool one_step = from->all[NT_PHASE_T] == it->watch.t && h > 0;
    nt_point mean = nt_phase_point(from);
    if (beyond && one_step &&
        nt_space_difference(&p->space, p->system->frame, from->q, now->q, v) == NT_OK) {
        for (int i = 0; i < p->nv; i++)
            v[i] *= FROM_REST / h;
        mean.v = v, mean.vdot = NULL;
        one_step = nt_integrator_energies(it, &mean, a->there) == NT_OK;
    } else
        one_step = false;
    for (int i = 0; i < a->n; i++) {
        double known = a->founded[i] + (one_step ? a->there[i].kinetic : (double)INFINITY);
        a->founded[i] = known < a->here[i].kinetic ? sqrt(known / a->here[i].kinetic) : 1;
    }
}

/* The work of loads since the last look and how far off it may be: half of the change of positive
 * power bounds the error of the trapezoidal rule where power is monotonic. */
static void add_by_ends(nt_energy_account *w, double h, double power, double founded)
{
    w->given += fmax(h / 2 * (w->power + power), 0);
    w->doubt += founded * h / 2 * fabs(fmax(power, 0) - fmax(w->power, 0));
}

/* The same of all accounts by the powers along the last step; the doubt is what it differs by from
 * Simpson's rule, or, where that is all there is, a quarter of what that differs by from the
 * trapezoidal rule: four times the error of power that is smooth. False where the step is not all
 * since the last look, or a power has no value. */
static bool add_by_nodes(nt_integrator *it, double h)
{
    const nt_energy_accounts *a = &it->accounts;
    const nt_phase *from = &it->before, *now = &it->stepper.now;
    nt_phase *within = &it->stepper.next; /* free between steps */
    if (from->all[NT_PHASE_T] != it->watch.t || !(h > 0) ||
        nt_integrator_given_powers(it, from, now, within) != NT_OK)
        return false;
    for (int i = 0; i < a->n; i++)
        if (!isfinite(nt_work_within(a->powers + (size_t)i * NT_WORK_NODES, 1)))
            return false;
    for (int i = 0; i < a->n; i++) {
        const double *powers = a->powers + (size_t)i * NT_WORK_NODES;
        double work = h * nt_work_within(powers, 1), first = powers[0],
               middle = powers[NT_WORK_NODES / 2], last = powers[NT_WORK_NODES - 1];
        double simpson = h / 6 * (first + 4 * middle + last), ends = h / 2 * (first + last);
        a->each[i].given += fmax(work, 0);
        a->each[i].doubt += a->founded[i] * (it->method->interpolate ? fabs(work - simpson)
                                                                     : fabs(simpson - ends) / 4);
    }
    return true;
}

/* Whether the growth of an account is near what is warned of. */
static bool comes_near(const nt_energy_account *w, const nt_energy *e)
{
    double growth, allowed;
    grown(w, e, &growth, &allowed);
    return growth + w->in_step > NEAR * WARNING * allowed;
}

static void add_work(nt_integrator *it, double h)
{
    nt_energy_watch *w = &it->watch;
    nt_energy_accounts *a = &it->accounts;
    size_t size = (size_t)a->n * sizeof *a->each;
    bool gives = !(it->problem->system->capabilities & NT_GIVES_NO_ENERGY);
    find_founded(it);
    if (!w->closely) {
        bool near = false;
        memcpy(a->before, a->each, size);
        for (int i = 0; i < a->n; i++) {
            add_by_ends(&a->each[i], h, a->here[i].power - a->here[i].taken, a->founded[i]);
            near |= comes_near(&a->each[i], &a->here[i]);
        }
        if (!gives || !near)
            return;
        memcpy(a->each, a->before, size);
        w->closely = true;
    }
    if (!add_by_nodes(it, h))
        for (int i = 0; i < a->n; i++)
            add_by_ends(&a->each[i], h, a->here[i].power - a->here[i].taken, a->founded[i]);
}

/* Widens what an account has seen; how much of it was exchanged in a step, of `steps` steps. With
 * that the steps on both sides of the last look are known, and what it adds to the least. */
static void see(nt_energy_account *w, const nt_energy *e, long steps)
{
    double exchanged = exchanged_so_far(w);
    widen(w->kinetic_range, e->kinetic);
    widen(w->potential_range, e->potential);
    bool explodes = exchanged > 0 && exchanged_so_far(w) > EXPLODES * exchanged;
    w->explosions = explodes ? w->explosions + 1 : 0;
    if (steps > 0)
        w->in_step =
            fmax(fabs(e->kinetic - w->kinetic), fabs(e->potential - w->potential)) / (double)steps;
    w->least = fmin(w->least, w->own + fmax(w->off, excused(w)));
}

/* Energies without a value are for those who ask for them to refuse, but where steps are too long.
 */
static nt_status lose(nt_integrator *it, nt_error *error)
{
    char better[160], reach[240];
    double t = it->stepper.now.all[NT_PHASE_T];
    if (it->energy_check != NT_ENERGY_ENDS || (!it->watch.begun && !begin(it)))
        return NT_OK;
    nt_integrator_say_reach(it, &it->begun, reach, sizeof reach);
    if (!reach[0])
        return NT_OK;
    advice(it, &it->last_growth, better, sizeof better);
    nt_fail(error, NT_ENERGY, "at t = %.9g s: energies are not finite%s; %s", t, reach, better);
    if (error)
        error->time = t, error->step = it->stepper.now.all[NT_PHASE_STEP];
    return NT_ENERGY;
}

static nt_status watch(nt_integrator *it, nt_error *error)
{
    nt_energy_watch *w = &it->watch;
    nt_energy_accounts *a = &it->accounts;
    const nt_phase *now = &it->stepper.now;
    if (!w->begun && !begin(it))
        return NT_OK;
    if (!look_at_energies(it, now, a->here))
        return lose(it, error);
    double t = now->all[NT_PHASE_T];
    long steps = it->statistics.steps - w->steps;
    for (int i = 0; i < a->n; i++)
        see(&a->each[i], &a->here[i], steps);
    add_work(it, t - w->t);
    w->t = t;
    w->steps += steps;
    w->spent = 0;
    for (int i = 0; i < a->n; i++) {
        const nt_energy *e = &a->here[i];
        double power = e->power - e->taken, jump = fabs(power - a->each[i].power);
        a->each[i].jump = fmax(jump, a->each[i].jump);
        a->each[i].founded = a->founded[i];
        a->each[i].power = power;
        a->each[i].kinetic = e->kinetic, a->each[i].potential = e->potential;
        judge(it, i);
    }
    return is_too_much(it) ? give_up(it, error) : NT_OK;
}

/* Between looks the work of loads is added up by powers alone, where these cost less, as long as
 * they change by no more than looks have shown them to. False where this step needs a look. */
static bool follow_power(nt_integrator *it)
{
    nt_energy_watch *w = &it->watch;
    nt_energy_accounts *a = &it->accounts;
    const nt_system *system = it->problem->system;
    const nt_phase *now = &it->stepper.now;
    nt_point at = nt_phase_point(now);
    if (!system->powers || !w->begun || w->closely || w->spent >= BETWEEN || a->n_bounces > 0)
        return false;
    nt_integrator_rates(it, now, &at.v, &at.vdot);
    if (system->powers(system->self, &at, a->here) != NT_OK)
        return false;
    for (int i = 0; i < a->n; i++)
        if (!(fabs(a->here[i].power - a->here[i].taken - a->each[i].power) <= a->each[i].jump))
            return false;
    double t = now->all[NT_PHASE_T];
    for (int i = 0; i < a->n; i++) {
        double power = a->here[i].power - a->here[i].taken;
        add_by_ends(&a->each[i], t - w->t, power, a->each[i].founded);
        a->each[i].power = power;
    }
    w->t = t;
    return true;
}

NT_HOT nt_status nt_energy_watch_step(nt_integrator *it, nt_error *error)
{
    bool watched = it->energy_check != NT_ENERGY_UNWATCHED &&
                   (it->problem->system->capabilities & NT_HAS_ENERGY);
    if (watched)
        nt_bounce_watch_step(it);
    bool due = watched && (is_due(it) || (it->accounts.n_bounces > 0 && is_too_much(it)));
    return due && !follow_power(it) ? watch(it, error) : NT_OK;
}

/* The energies behind another step, which is not kept. */
static bool look_further(nt_integrator *it, nt_energy *energies)
{
    const nt_statistics before = it->statistics;
    long spent = it->watch.spent;
    bool known = nt_integrator_attempt(it, it->stepper.now.all[NT_PHASE_STEP]) == NT_OK &&
                 look_at_energies(it, &it->stepper.next, energies);
    nt_integrator_roll_back(it);
    it->statistics = before;
    it->watch.spent = spent;
    return known;
}

/* Whether another step, with these energies behind it, shows that energy has grown: it still has
 * beyond what that step exchanges, or what is exchanged explodes. */
static bool lasts(nt_energy_account next, const nt_energy *e)
{
    double exchanged = exchanged_so_far(&next), growth, allowed;
    widen(next.kinetic_range, e->kinetic);
    widen(next.potential_range, e->potential);
    double in_step = fmax(fabs(e->kinetic - next.kinetic), fabs(e->potential - next.potential));
    grown_beyond(&next, e, in_step, &growth, &allowed);
    return growth > allowed || exchanged_so_far(&next) > EXPLODES * exchanged;
}

/* At the end of a run no step follows that would tell whether a growth lasts. Places and velocities
 * of most methods are of one time, and what has grown so far is wrong in the last row: it is kept
 * for the warning where it is not too much. Of others one more step is tried. */
static nt_status judge_end(nt_integrator *it, nt_error *error)
{
    nt_energy_watch *w = &it->watch;
    const nt_energy_accounts *a = &it->accounts;
    nt_last_growth *last = &it->last_growth;
    bool further = false, known = true, staggered = it->method->needs & NT_STAGGERED;
    *last = (nt_last_growth){0};
    for (int i = 0; w->begun && i < a->n && known; i++) {
        const nt_energy e = {.kinetic = a->each[i].kinetic, .potential = a->each[i].potential};
        double growth, allowed;
        grown_beyond(&a->each[i], &e, 0, &growth, &allowed);
        if (!staggered && growth * last->allowed >= last->growth * allowed)
            *last = (nt_last_growth){.growth = growth, .allowed = allowed};
        if (!(growth > allowed))
            continue;
        if (staggered) {
            known = further || look_further(it, a->there);
            further = true;
            if (!known || !lasts(a->each[i], &a->there[i]))
                continue;
        }
        w->growth = growth, w->allowed = allowed, w->worst = i;
        break;
    }
    return w->begun && is_too_much(it) ? give_up(it, error) : NT_OK;
}

nt_status nt_integrator_check_energy(nt_integrator *it, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "integrator", it);
    bool watched = it->energy_check != NT_ENERGY_UNWATCHED && it->statistics.steps > 0 &&
                   (it->problem->system->capabilities & NT_HAS_ENERGY);
    nt_status status = watched ? watch(it, error) : NT_OK;
    return nt_said(error, watched && status == NT_OK ? judge_end(it, error) : status);
}
