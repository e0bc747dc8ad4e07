/* Sensitivities through what happens in an instant (saltation).
 *
 * Where an indicator g passes zero at t*, and t* follows the parameters, with the variation dx of
 * the state just before at that fixed time
 *
 *   dg + g' dt* = 0,     g' = g_t + g_x x'           along the motion just before,
 *   dx+ = J (dx + x'- dt*) - x'+ dt*,
 *
 * with x' = (v, vdot) on either side, and J the derivative of the state just behind in that just
 * before, along all that varies, the time included. Where the time stood in an entry of memory, dt*
 * is the variation of that. At an event that ends the run it is the state at t* that is
 * wanted, and x'+ dt* stays. dg and g' are sixth-order central differences of the indicator; where
 * it is of accelerations or reactions, those of the forces at each state. Multipliers,
 * accelerations and the memory of the method follow from dx+ as at a start. So they do where
 * nothing happens but that their derivatives jump: what a delay gives bends where the start comes
 * back, at a time that its length moves. */
#include "base/difference.h"
#include "base/error.h"
#include "group/block.h"
#include "sensitivity/forward.h"

#include <math.h>
#include <string.h>

/* A rate of an indicator below this part of what its value changes with the motion as a whole is
 * rounding: the motion only touches the zero, and t* has no derivative. */
static const double GRAZES = 1e-9;

/* Accelerations and multipliers of the forces at a state just before. */
static nt_status balance_beside(nt_integrator *it, nt_phase *phase)
{
    nt_effort effort = {.unknown = -1};
    nt_point at = nt_phase_point(phase);
    nt_status status =
        nt_factors_accelerate(it->factors, &at, phase->vdot, phase->lambda, phase->mu, &effort);
    it->factors->kept = false;
    return status;
}

/* Whether the indicator is of accelerations or multipliers, which are those of the forces at every
 * state that it is looked at then, with the rows that hold just before. */
static nt_status find_rates(nt_sensitivity *s, const nt_jump_of_state *jump)
{
    nt_integrator *it = s->integrator;
    const nt_problem *p = it->problem;
    nt_phase moved = nt_sensitivity_phase(s, 0);
    double g[2];
    nt_status status = NT_OK;
    memcpy(moved.all, jump->from->all, it->size * sizeof(double));
    for (int k = 0; k < 2 && status == NT_OK; k++) {
        for (int i = 0; k == 1 && i < p->nv; i++)
            moved.vdot[i] += 1 + fabs(moved.vdot[i]);
        for (int i = 0; k == 1 && i < p->nc; i++)
            moved.lambda[i] += 1 + fabs(moved.lambda[i]);
        nt_point at = nt_sensitivity_point(s, &moved);
        status = it->stops.events->indicate(p->system->self, &at, it->stops.g[0], it->stops.way);
        g[k] = it->stops.g[0][jump->indicator];
    }
    s->balances = !(g[0] == g[1]);
    return status;
}

static nt_status take_rows_before(nt_integrator *it, const nt_jump_of_state *jump)
{
    nt_point at = nt_phase_point(jump->from);
    nt_instant_take_rows(it, jump->from->memory);
    return nt_factors_choose_rows(it->factors, &at);
}

/* What else has happened just now has left forces seen from the side on which the motion goes on.
 * An indicator passes its zero from the other one: it sees both. */
static void free_sides(nt_sensitivity *s, const nt_phase *phase)
{
    nt_integrator *it = s->integrator;
    const nt_system *system = it->problem->system;
    size_t n = (size_t)system->n_onsets;
    if (s->event_t != s->t || !system->onsets || !system->events->hold_sides)
        return;
    memset(it->stops.onset_side, 0, n * sizeof *it->stops.onset_side);
    system->events->hold_sides(system->self, s->t, 0, 1, it->stops.onset_side, phase->memory);
}

/* The indicator at a state that has moved by offset times a variation, parameters included
 * (direction -1: they stay). */
static nt_status indicator_beside(nt_sensitivity *s, const nt_jump_of_state *jump, int direction,
                                  const nt_variation *d, double offset, double *g)
{
    nt_integrator *it = s->integrator;
    const nt_problem *p = it->problem;
    nt_phase varied = nt_sensitivity_phase(s, 0);
    nt_status status = NT_OK;
    memcpy(varied.all, jump->from->all, it->size * sizeof(double));
    nt_sensitivity_move(p, jump->from, d, offset, s->values, &varied);
    free_sides(s, &varied);
    if (direction < 0)
        varied.all[NT_PHASE_T] += offset;
    else if (s->route[direction].parameter >= 0)
        status = nt_sensitivity_move_parameter(s, direction, offset);
    if (status == NT_OK && s->balances)
        status = balance_beside(it, &varied);
    if (status != NT_OK)
        return status;
    nt_point at = nt_sensitivity_point(s, &varied);
    status = it->stops.events->indicate(p->system->self, &at, it->stops.g[0], it->stops.way);
    *g = it->stops.g[0][jump->indicator];
    return status;
}

/* Steps are made shorter so often, by this factor, until two of them give each number alike. */
enum { FINER = 3 };
static const double FINE = 0.0625, ALIKE = 1e-9;

/* It is on both sides, as |x| is where a branch is of one point. */
enum { EVEN = 2 };

/* The indicator's derivative along a variation, by differences over steps of `step`. *side: 1 or -1
 * where the indicator is zero on the other side, as that of a force that only pushes is. Then they
 * are to this one, and begin at a distance: the place is where its zero ends but for rounding and
 * what a step is off. EVEN: alike on both sides; else 0. */
static nt_status difference_indicator(nt_sensitivity *s, const nt_jump_of_state *jump,
                                      int direction, const nt_variation *d, double step,
                                      double *rate, int *side)
{
    nt_status status = NT_OK;
    bool moves[2] = {false, false};
    double first[2] = {0, 0};
    *rate = 0;
    for (int j = 0; j < 2 * NT_STENCIL && status == NT_OK; j++) {
        int distance = j / 2 + 1, sign = j % 2 ? -1 : 1;
        double g = 0;
        status = indicator_beside(s, jump, direction, d, sign * distance * step, &g);
        *rate += sign * nt_stencil[distance - 1] * g / step;
        moves[sign > 0] |= g != 0;
        first[sign > 0] = j < 2 ? g : first[sign > 0];
    }
    bool even = first[0] * first[1] > 0 && fabs(first[1] - first[0]) < 0.5 * fabs(first[1]);
    *side = moves[0] != moves[1] ? (moves[1] ? 1 : -1) : even ? EVEN : 0;
    if (moves[0] == moves[1])
        return status;
    *rate = 0;
    for (int j = 0; j < NT_ONE_SIDED && status == NT_OK; j++) {
        double g = 0;
        status = indicator_beside(s, jump, direction, d, *side * (j + 1) * step, &g);
        *rate += *side * NT_BESIDE_SIXTH[j] * g / step;
    }
    return status;
}

/* Derivatives to one side that shorter steps do not give alike to this part have no limit but zero:
 * the indicator leaves its zero as a power above 1, and its time cannot be told. */
static const double HAS_SLOPE = 1e-4;

/* Its derivative along a variation. What is looked at may bend within less than the state does: the
 * step is the one that agrees best with one before. held: zero where both sides are alike. */
static nt_status rate_by_steps(nt_sensitivity *s, const nt_jump_of_state *jump, int direction,
                               const nt_variation *d, bool held, double *rate)
{
    const nt_problem *p = s->integrator->problem;
    double step = nt_sensitivity_reach(p, nt_phase_point(jump->from), nt_variation_to_read(d));
    bool parameter = direction >= 0 && s->route[direction].parameter >= 0;
    int side = 0;
    if (parameter)
        step = fmin(step, 1e-2 * nt_parameter_scale(s, s->route[direction].parameter));
    nt_status status = s->balances ? take_rows_before(s->integrator, jump) : NT_OK;
    if (status == NT_OK)
        status = difference_indicator(s, jump, direction, d, step, rate, &side);
    double before = *rate, off = (double)INFINITY;
    if (held && side == EVEN) {
        *rate = 0;
        return status;
    }
    side = side == EVEN ? 0 : side;
    bool alike = false, sided = side != 0;
    for (int level = 0; level < FINER && !alike && status == NT_OK; level++) {
        double now;
        step *= FINE;
        status = difference_indicator(s, jump, direction, d, step, &now, &side);
        side = side == EVEN ? 0 : side;
        if (sided && side == 0) /* too near to see where the zero ends */
            break;
        sided = side != 0;
        double apart = fabs(now - before);
        alike = apart <= ALIKE * fabs(now);
        if (apart < off)
            *rate = alike ? before : now, off = apart;
        before = now;
    }
    if (sided && off > HAS_SLOPE * fabs(*rate))
        *rate = 0;
    return status;
}

/* The same; direction -1: along the motion itself. Forces act beside as they do here, for what is
 * looked at may follow one that begins nearer than differences reach; where it stands still then,
 * the place may be that of the begin itself, and they act as they are. */
static nt_status indicator_rate(nt_sensitivity *s, const nt_jump_of_state *jump, int direction,
                                const nt_variation *d, double *rate)
{
    const nt_system *system = s->integrator->problem->system;
    nt_status status = NT_OK;
    *rate = 0;
    if (system->hold_onsets) {
        nt_point at = nt_sensitivity_point(s, jump->from);
        system->hold_onsets(system->self, &at);
        status = rate_by_steps(s, jump, direction, d, true, rate);
        system->hold_onsets(system->self, NULL);
    }
    if (status != NT_OK || *rate == 0 || !isfinite(*rate))
        status = rate_by_steps(s, jump, direction, d, false, rate);
    nt_status back = NT_OK;
    if (direction >= 0 && s->route[direction].parameter >= 0)
        back = system->set_parameters(system->self, s->p);
    return status != NT_OK ? status : back;
}

/* The motion as a variation per second, in rates[stride]. */
static nt_variation motion_of(nt_sensitivity *s, const nt_phase *phase, double *rates)
{
    const nt_problem *p = s->integrator->problem;
    size_t nv = (size_t)p->nv;
    memset(rates, 0, s->directions.stride * sizeof *rates);
    memcpy(rates, phase->v, nv * sizeof *rates);
    nt_space_clear_first(&p->space, rates);
    memcpy(rates + nv, phase->vdot, nv * sizeof *rates);
    return nt_variation_at(p, &s->directions, rates, 0);
}

static nt_status power_of(nt_sensitivity *s, const nt_phase *phase, double *power)
{
    const nt_system *system = s->integrator->problem->system;
    nt_energy energy = {0};
    nt_point at = nt_sensitivity_point(s, phase);
    nt_status status =
        s->integrator->track_work ? system->energy(system->self, &at, &energy) : NT_OK;
    *power = energy.power;
    return status;
}

/* What an indicator may be off its zero where its time is, as a part of its largest value in the
 * step: location leaves much less. */
static const double OFF_ZERO = 1e-6;

/* An indicator that passes zero by a jump of its own says nothing of its time. passes: its rate,
 * the only size of one that depends on time alone: steps begin and end at its zeros. */
static nt_status check_at_zero(nt_sensitivity *s, const nt_jump_of_state *jump, double passes,
                               nt_error *error)
{
    nt_integrator *it = s->integrator;
    const nt_system *system = it->problem->system;
    nt_point at = nt_sensitivity_point(s, jump->from);
    double h = fmax(it->stops.stretch.h, jump->from->all[NT_PHASE_STEP]);
    nt_status status = it->stops.events->indicate(system->self, &at, it->stops.g[0], it->stops.way);
    double off = it->stops.g[0][jump->indicator];
    double scale = it->stops.way[jump->indicator] == 0 ? fabs(passes) : 0;
    if (status != NT_OK || !(fabs(off) > OFF_ZERO * fmax(scale, jump->scale) * h))
        return status;
    char words[160] = "an event";
    if (it->stops.events->indicator_word)
        it->stops.events->indicator_word(system->self, jump->indicator, words, sizeof words);
    return nt_fail(error, NT_UNSUPPORTED,
                   "at t = %.9g s %s passes its zero by a jump, from %.6g: how its time varies is "
                   "not known, and what follows has no derivative",
                   jump->from->all[NT_PHASE_T], words, off);
}

/* Rates or accelerations of prescribed motions jump at several bends that are at one time here. */
static nt_status bends_part(const nt_sensitivity *s, nt_error *error)
{
    return nt_fail(error, NT_UNSUPPORTED,
                   "at t = %.9g s several functions of time bend at once, whose times parameters "
                   "may part, and what prescribed motions ask for jumps: what follows has no "
                   "derivative",
                   s->t);
}

static nt_status grazes(const nt_sensitivity *s, const nt_jump_of_state *jump, nt_error *error)
{
    const nt_system *system = s->integrator->problem->system;
    char words[160] = "an event";
    if (s->integrator->stops.events->indicator_word)
        s->integrator->stops.events->indicator_word(system->self, jump->indicator, words,
                                                    sizeof words);
    return nt_fail(
        error, NT_UNSUPPORTED,
        "at t = %.9g s %s only touches its zero, or leaves it without a slope: its time has no "
        "derivative, and what follows has none",
        jump->from->all[NT_PHASE_T], words);
}

/* A branch of one point alone, as sign(x) has at zero, in which the motion was from the start on or
 * since something else has happened just now: it is left at that time, and its own indicator, which
 * is largest there, tells none. */
static bool leaves_a_point(const nt_sensitivity *s, const nt_jump_of_state *jump)
{
    const nt_stops *stops = &s->integrator->stops;
    return (stops->way[jump->indicator] & NT_INSIDE) &&
           (s->t == stops->stretch.origin || s->t == s->event_t);
}

/* How the time of what happens varies in direction i. */
static nt_status time_rate(nt_sensitivity *s, const nt_jump_of_state *jump, int i,
                           const nt_variation *d, double passes, double *rate, nt_error *error)
{
    double change = 0;
    nt_status status = indicator_rate(s, jump, i, d, &change);
    if (status != NT_OK)
        return nt_fail(error, status, "the time of an event at t = %.9g s: %s",
                       jump->from->all[NT_PHASE_T], nt_status_text(status));
    *rate = -change / passes;
    return NT_OK;
}

/* Adds weight times the energy that the impact gives to the derivative of the work. */
static nt_status add_loss(nt_sensitivity *s, const nt_phase *from, const nt_phase *behind,
                          double weight, double *loss)
{
    const nt_system *system = s->integrator->problem->system;
    const nt_phase *const phases[] = {from, behind};
    nt_status status = NT_OK;
    for (int k = 0; k < 2 && status == NT_OK && s->integrator->track_work; k++) {
        nt_energy energy;
        nt_point at = nt_sensitivity_point(s, phases[k]);
        status = system->energy(system->self, &at, &energy);
        *loss += (k ? weight : -weight) * (energy.kinetic + energy.potential);
    }
    return status;
}

/* What a switch does is the same a little later, though its impact is with motions as they are
 * then; what an event does may depend on the time, and so does whether a switch of known times is
 * due. */
static bool moves_time(const nt_integrator *it, const nt_jump_of_state *jump)
{
    bool known = jump->asked < 0 && jump->indicator >= 0;
    return known || jump->kept_at >= 0 || jump->drives ||
           (jump->asked >= 0 && !(it->stops.way[jump->asked] & NT_INSIDE));
}

/* What an instant makes of a variation: of q, v, which follow each other, and memory, and of the
 * energy that it gives. */
typedef struct behind_rates {
    double *q, *v, *memory, loss;
} behind_rates;

/* What happens at a state beside, which has come as far as it is so much later. *other: it is
 * something else. */
static nt_status happens_beside(nt_sensitivity *s, const nt_jump_of_state *jump,
                                const nt_phase *varied, double later, nt_phase *behind, bool *other,
                                nt_error *error)
{
    nt_integrator *it = s->integrator;
    nt_instant instant = {.happened = 1, .number = jump->number, .timed_by = jump->timed_by};
    nt_status status = NT_OK;
    if (jump->alone) {
        memcpy(behind->all, varied->all, it->size * sizeof(double));
        it->stops.pattern = 0;
    } else
        status = nt_instant_behind(it, jump->asked, varied, later, behind, &instant, error);
    if (status == NT_INCONSISTENT) { /* a joint that is not closed there cannot be engaged */
        *other = true;
        nt_error_clear(error);
        return NT_OK;
    }
    *other = !instant.happened || instant.number != jump->number ||
             (jump->asked < 0 && instant.timed_by != jump->timed_by);
    if (status == NT_OK && !*other && jump->drives)
        status = nt_drive_jump_beside(it, varied, behind, other, error);
    *other = *other || it->stops.pattern != jump->pattern;
    return status;
}

/* Of what happens at states beside, by differences over steps of `step` times the variation.
 * *other: something else happens there, and nothing is known. */
static nt_status difference_behind(nt_sensitivity *s, const nt_jump_of_state *jump, int i,
                                   double dt, const nt_variation *d, double step, behind_rates *out,
                                   bool *other, nt_error *error)
{
    nt_integrator *it = s->integrator;
    const nt_problem *p = it->problem;
    const nt_phase *behind = &it->stepper.now;
    nt_phase varied = nt_sensitivity_phase(s, 0), beside = nt_sensitivity_phase(s, 1);
    size_t nv = (size_t)p->nv, n_memory = (size_t)p->system->n_memory;
    nt_status status = NT_OK;
    memset(out->q, 0, 2 * nv * sizeof *out->q);
    memset(out->memory, 0, n_memory * sizeof *out->memory);
    out->loss = 0;
    *other = false;
    for (int j = 0; j < 2 * NT_STENCIL && status == NT_OK && !*other; j++) {
        int distance = j / 2 + 1, sign = j % 2 ? -1 : 1;
        double weight = sign * nt_stencil[distance - 1] / step;
        memcpy(varied.all, jump->from->all, it->size * sizeof(double));
        nt_sensitivity_move(p, jump->from, d, sign * distance * step, s->values, &varied);
        double later = sign * distance * step * dt;
        if (moves_time(it, jump))
            varied.all[NT_PHASE_T] += later, later = 0;
        if (s->route[i].parameter >= 0)
            status = nt_sensitivity_move_parameter(s, i, sign * distance * step);
        if (status == NT_OK)
            status = happens_beside(s, jump, &varied, later, &beside, other, error);
        if (status != NT_OK)
            return status;
        nt_space_difference(&p->space, p->frame, behind->q, beside.q, s->values);
        for (size_t k = 0; k < nv; k++) {
            out->q[k] += weight * s->values[k];
            out->v[k] += weight * beside.v[k];
        }
        for (size_t k = 0; k < n_memory; k++)
            out->memory[k] += weight * beside.memory[k];
        status = add_loss(s, &varied, &beside, weight, &out->loss);
    }
    return status;
}

static bool take_better(double *best, double *before, double *off, const double *now, size_t n)
{
    bool differ = false;
    for (size_t k = 0; k < n; k++) {
        double apart = fabs(now[k] - before[k]), enough = ALIKE * (1 + fabs(now[k]));
        if (apart < off[k] && off[k] > enough)
            best[k] = apart <= enough ? before[k] : now[k], off[k] = apart;
        differ = differ || apart > enough;
        before[k] = now[k];
    }
    return differ;
}

/* What happens may bend within much less than the state does (how a contact slips where it stops,
 * an impulse by max(0, x)), so each number is taken with the step that agrees best with the one
 * before. */
static nt_status refine_behind(nt_sensitivity *s, const nt_jump_of_state *jump, int i, double dt,
                               const nt_variation *d, double step, behind_rates *best,
                               nt_error *error)
{
    const nt_problem *p = s->integrator->problem;
    size_t n_moves = 2 * (size_t)p->nv, n_memory = (size_t)p->system->n_memory;
    size_t n = n_moves + n_memory + 1;
    bool differ = true, other = false;
    double *before = s->refined, *off = before + n, *q = off + n;
    behind_rates out = {.q = q, .v = q + p->nv, .memory = q + n_moves};
    nt_status status = NT_OK;
    memcpy(before, best->q, n_moves * sizeof *before);
    memcpy(before + n_moves, best->memory, n_memory * sizeof *before);
    before[n - 1] = best->loss;
    for (size_t k = 0; k < n; k++)
        off[k] = (double)INFINITY;
    for (int level = 0; level < FINER && differ && status == NT_OK; level++) {
        step *= FINE;
        status = difference_behind(s, jump, i, dt, d, step, &out, &other, error);
        if (status != NT_OK || other)
            break;
        differ = take_better(best->q, before, off, out.q, n_moves);
        differ |= take_better(best->memory, before + n_moves, off + n_moves, out.memory, n_memory);
        differ |= take_better(&best->loss, before + n - 1, off + n - 1, &out.loss, 1);
    }
    return status;
}

/* Where something else happens beside, steps are made shorter so often, by this factor. */
enum { SHORTER = 4 };
static const double SHORTENED = 0.1;

/* The variation d of the state just before, at the time that varies by dt, becomes that of the
 * state just behind: q, v and memory. */
static nt_status state_behind(nt_sensitivity *s, const nt_jump_of_state *jump, int i, double dt,
                              const nt_variation *d, nt_error *error)
{
    const nt_problem *p = s->integrator->problem;
    size_t nv = (size_t)p->nv, n_memory = (size_t)p->system->n_memory;
    behind_rates out = {.q = s->dense_shown, .v = s->dense_shown + nv, .memory = s->probe};
    bool parameter = s->route[i].parameter >= 0, other = true;
    double step = nt_sensitivity_reach(p, nt_phase_point(jump->from), nt_variation_to_read(d));
    if (parameter)
        step = fmin(step, 1e-2 * nt_parameter_scale(s, s->route[i].parameter));
    if (jump->kept_at >= 0 && dt != 0) /* times beside lie within a part of a step */
        step = fmin(step, 0.1 * jump->from->all[NT_PHASE_STEP] / fabs(dt));
    else if (dt != 0)
        step = fmin(step, 0.1 * s->integrator->stops.stretch.h / fabs(dt));
    for (size_t k = 0; k < n_memory; k++)
        if (d->memory[k] != 0)
            step = fmin(step, 1e-2 * (1 + fabs(jump->from->memory[k])) / fabs(d->memory[k]));
    nt_status status = NT_OK, back = NT_OK;
    for (int k = 0; k <= SHORTER && other && status == NT_OK; k++, step *= SHORTENED)
        status = difference_behind(s, jump, i, dt, d, step, &out, &other, error);
    if (status == NT_OK && !other)
        status = refine_behind(s, jump, i, dt, d, step / SHORTENED, &out, error);
    if (status == NT_OK && other)
        status = nt_fail(error, NT_UNSUPPORTED,
                         "at t = %.9g s something else happens where a parameter is varied by as "
                         "little as rounding allows (a joint is just about to push or to hold, or "
                         "two things fall on one time): what follows has no derivative",
                         s->t);
    s->work[i] += out.loss;
    if (parameter)
        back = p->system->set_parameters(p->system->self, s->p);
    memcpy(d->q, out.q, nv * sizeof *out.q);
    memcpy(d->v, out.v, nv * sizeof *out.v);
    memcpy(d->memory, out.memory, n_memory * sizeof *out.memory);
    return status != NT_OK ? status : back;
}

/* The variation of what memory keeps of an instant, by differences, in s->probe[n_memory]. */
static nt_status difference_settled(nt_sensitivity *s, const nt_jump_of_state *jump, int i,
                                    const nt_variation *d)
{
    nt_integrator *it = s->integrator;
    const nt_problem *p = it->problem;
    const nt_phase *now = &it->stepper.now;
    nt_phase varied = nt_sensitivity_phase(s, 0);
    int n = p->system->n_memory;
    double dt = s->jump_time[i], *rate = s->probe;
    double step = nt_sensitivity_reach(p, nt_phase_point(now), nt_variation_to_read(d));
    bool parameter = s->route[i].parameter >= 0;
    if (parameter)
        step = fmin(step, 1e-2 * nt_parameter_scale(s, s->route[i].parameter));
    if (dt != 0)
        step = fmin(step, 1e-2 / fabs(dt));
    nt_status status = NT_OK;
    memset(rate, 0, (size_t)n * sizeof *rate);
    for (int j = 0; j < 2 * NT_STENCIL && status == NT_OK; j++) {
        int distance = j / 2 + 1, sign = j % 2 ? -1 : 1;
        double weight = sign * nt_stencil[distance - 1] / step, offset = sign * distance * step;
        memcpy(varied.all, now->all, it->size * sizeof(double));
        nt_sensitivity_move(p, now, d, offset, s->values, &varied);
        if (parameter)
            status = nt_sensitivity_move_parameter(s, i, offset);
        nt_point at = nt_sensitivity_point(s, &varied);
        it->stops.events->settle(p->system->self, &at, at.t + offset * dt, jump->settled,
                                 varied.memory);
        for (int k = 0; k < n; k++)
            rate[k] += weight * varied.memory[k];
    }
    for (int k = 0; k < n; k++) /* of what is not known yet */
        rate[k] = isnan(rate[k]) ? 0 : rate[k];
    nt_status back =
        parameter ? p->system->set_parameters(p->system->self, s->p) : (nt_status)NT_OK;
    return status != NT_OK ? status : back;
}

static nt_status vary_settled(nt_sensitivity *s, const nt_jump_of_state *jump, nt_error *error)
{
    size_t n = (size_t)s->integrator->problem->system->n_memory;
    for (int i = 0; i < s->n; i++) {
        nt_variation d = nt_sensitivity_variation(s, s->now, i, NT_APART_FIRST);
        nt_status status = difference_settled(s, jump, i, &d);
        if (status != NT_OK)
            return nt_fail(error, status, "what is kept of an event at t = %.9g s: %s", s->t,
                           nt_status_text(status));
        memcpy(d.memory, s->probe, n * sizeof *d.memory);
        nt_sensitivity_write(s, s->now, i, d.q);
    }
    memcpy(s->before, s->now, s->all * sizeof *s->now);
    return NT_OK;
}

/* The state just before with the accelerations and multipliers of its forces, in `from`. Those that
 * methods carry are off by the order of the step where a step is shorter than the ones before it:
 * with them the motion just before, and all that follows from the event's time, would be as wrong.
 */
static nt_status balance_before(nt_sensitivity *s, const nt_jump_of_state *jump, nt_phase *from)
{
    nt_integrator *it = s->integrator;
    *from = nt_sensitivity_phase(s, 2);
    memcpy(from->all, jump->from->all, it->size * sizeof(double));
    nt_status status = take_rows_before(it, jump);
    return status == NT_OK ? balance_beside(it, from) : status;
}

/* The times at which functions of time bend follow the parameters by jump_time[n]; passes: what the
 * argument changes by in time. *moves: one of them does. */
static nt_status find_bend_rates(nt_sensitivity *s, const nt_jump_of_state *jump, bool *moves,
                                 nt_error *error)
{
    double passes = 0;
    nt_variation motion = motion_of(s, jump->from, s->next);
    s->balances = false;
    nt_status status = indicator_rate(s, jump, -1, &motion, &passes);
    *moves = false;
    for (int i = 0; i < s->n && status == NT_OK; i++) {
        nt_variation d = nt_sensitivity_variation(s, s->now, i, NT_APART_FIRST);
        status = time_rate(s, jump, i, &d, passes, &s->jump_time[i], error);
        *moves = *moves || s->jump_time[i] != 0;
    }
    return status;
}

/* Nothing happens but that a function of time bends. Accelerations have other derivatives behind a
 * bend that has moved than before it: equal steps that go on from those before would take both for
 * one, and be off by the order of the step. */
static nt_status vary_bend(nt_sensitivity *s, const nt_jump_of_state *jump, nt_error *error)
{
    bool moves;
    nt_status status = find_bend_rates(s, jump, &moves, error);
    if (status != NT_OK || !moves)
        return status;
    memcpy(s->kept, s->now, s->all * sizeof *s->now);
    status = nt_sensitivity_begin_again(s, error);
    for (int i = 0; i < s->n; i++)
        if (s->jump_time[i] == 0) { /* nothing has moved along it */
            nt_variation d = nt_sensitivity_variation(s, s->kept, i, NT_APART_FIRST);
            nt_sensitivity_write(s, s->now, i, d.q);
        }
    memcpy(s->before, s->now, s->all * sizeof *s->now);
    return status;
}

double nt_sensitivity_event_time(const nt_sensitivity *s, int i)
{
    return s && i >= 0 && i < s->n && isfinite(s->event_t) ? s->event_time[i] : 0;
}

nt_status nt_sensitivity_jump(void *context, nt_integrator *it, const nt_jump_of_state *happened,
                              nt_error *error)
{
    nt_sensitivity *s = context;
    nt_jump_of_state of_forces = *happened, *jump = &of_forces;
    nt_phase from;
    const nt_problem *p = it->problem;
    const nt_phase *behind = &it->stepper.now;
    size_t nv = (size_t)p->nv;
    double passes = 0, power[2] = {0};
    if (s->t != jump->from->all[NT_PHASE_T])
        return nt_fail(error, NT_INCONSISTENT, "sensitivities have not begun");
    if (jump->settled)
        return vary_settled(s, jump, error);
    if (jump->bends && jump->indicator < 0)
        memset(s->jump_time, 0, (size_t)s->n * sizeof *s->jump_time);
    if (jump->bends)
        return jump->indicator < 0 ? nt_sensitivity_begin_again(s, error)
                                   : vary_bend(s, jump, error);
    if (jump->alone && jump->indicator < 0)
        return bends_part(s, error);
    nt_factors *factors = it->factors; /* impacts beside choose rows anew */
    int n_dropped = factors->n_dropped;
    memcpy(it->kept, factors->dropped, (size_t)n_dropped * sizeof *it->kept);
    nt_status status = balance_before(s, happened, &from);
    jump->from = &from;
    nt_variation motion = motion_of(s, jump->from, s->next);
    if (status == NT_OK && jump->indicator >= 0)
        status = find_rates(s, jump);
    if (jump->indicator >= 0 && status == NT_OK)
        status = indicator_rate(s, jump, -1, &motion, &passes);
    if (status == NT_OK)
        status = power_of(s, jump->from, &power[0]);
    if (status == NT_OK)
        status = power_of(s, behind, &power[1]);
    if (status != NT_OK)
        return nt_fail(error, status, "sensitivities of an event at t = %.9g s: %s", s->t,
                       nt_status_text(status));
    if (jump->indicator >= 0 && !s->balances && !jump->alone)
        status = check_at_zero(s, jump, passes, error);
    if (status != NT_OK)
        return status;
    if (jump->touches)
        return grazes(s, jump, error);
    if (jump->indicator >= 0 && !(fabs(passes) > (jump->alone ? 0 : GRAZES * jump->scale))) {
        if (!leaves_a_point(s, jump))
            return grazes(s, jump, error);
        jump->indicator = -1, jump->carried = 1;
    }
    bool maps = false; /* more than accelerations jumps */
    for (size_t k = 0; k < nv; k++)
        maps = maps || jump->from->v[k] != behind->v[k];
    for (int k = 0; k < p->nq; k++)
        maps = maps || jump->from->q[k] != behind->q[k];
    maps = maps || !(p->system->capabilities & NT_DISCRETE_MEMORY);
    bool first = s->event_t != s->t;
    s->event_t = s->t;
    for (int i = 0; i < s->n; i++) {
        nt_variation d = nt_sensitivity_variation(s, s->now, i, NT_APART_FIRST);
        double dt = 0;
        if (jump->indicator >= 0)
            status = time_rate(s, jump, i, &d, passes, &dt, error);
        else if (jump->kept_at >= 0)
            dt = d.memory[jump->kept_at];
        else if (jump->carried && !first)
            dt = s->jump_time[i];
        for (size_t k = 0; k < nv; k++) {
            d.q[k] += jump->from->v[k] * dt;
            d.v[k] += jump->from->vdot[k] * dt;
        }
        nt_space_clear_first(&p->space, d.q);
        if (first)
            s->event_time[i] = dt;
        s->jump_time[i] = dt;
        if (status == NT_OK && maps)
            status = state_behind(s, jump, i, dt, &d, error);
        if (status != NT_OK)
            return status;
        for (size_t k = 0; k < nv; k++) {
            d.q[k] -= jump->ends ? 0 : behind->v[k] * dt;
            d.v[k] -= jump->ends ? 0 : behind->vdot[k] * dt;
        }
        nt_space_clear_first(&p->space, d.q);
        s->work[i] += (power[0] - (jump->ends ? 0 : power[1])) * dt;
        nt_sensitivity_write(s, s->now, i, d.q);
    }
    nt_instant_take_rows(it, behind->memory);
    status = nt_factors_set_rows(factors, it->kept, n_dropped);
    factors->kept = false;
    if (status != NT_OK)
        return nt_fail(error, status, "rows behind an event: %s", nt_status_text(status));
    return nt_sensitivity_begin_again(s, error);
}
