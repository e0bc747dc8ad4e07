/* Derivatives of recorded quantities along a direction of state and parameter.
 *
 * The state moves along q o exp(s dq), v + s dv, ... and the model's derived numbers along theirs;
 * the records at six such places give differences of sixth order, judged by those of fourth. */
#include "model/quantities/sampler_tangent.h"

#include "model/evaluate.h"
#include "model/parameters/parameter.h"
#include "system/check.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* First step: rotations by up to 0.01 rad at s = h, lengths by 1 % of the model's, velocities by
 * 10 % of the largest (records are at most quadratic in them, friction apart), the model's numbers
 * by 1 % of their size. Truncation is then below 1e-13, and rounding 1e-14 of the value. Where
 * fourth order differs by more than 1e-8 the step is divided by eight, up to seven times: to 5e-9,
 * within the indentation of a contact soon after its onset. */
static const double ROTATION = 0.01, LENGTH = 0.01, VELOCITY = 0.1, NUMBER = 0.01;
static const double NEXT_STEP = 0.125, GOOD = 1e-8, NOISE = 1e-6, MISSED = 100;
enum { LEVELS = 8 };

nt_status nt_tangent_sampler_init(nt_tangent_sampler *t, nt_run *run, int columns, nt_arena *arena,
                                  nt_error *error)
{
    const nt_system *s = &run->system;
    size_t nv = (size_t)s->space.nv, rows = (size_t)(s->nh + s->nn);
    memset(t, 0, sizeof *t);
    nt_status status = nt_sampler_init(&t->sampler, run, arena, error);
    if (status != NT_OK)
        return status;
    t->columns = columns;
    bool all = NT_DOUBLES(arena, s->space.nq, &t->q) &&
               NT_DOUBLES(arena, nv, &t->step, &t->v, &t->vdot) &&
               NT_DOUBLES(arena, rows, &t->multipliers, &t->reactions) &&
               NT_DOUBLES(arena, s->n_memory, &t->memory) &&
               NT_DOUBLES(arena, columns, &t->here, &t->plus, &t->minus, &t->sixth, &t->fourth,
                          &t->rounding, &t->doubt, &t->gap, &t->noise);
    return all ? NT_OK : nt_fail(error, NT_NO_MEMORY, "out of memory");
}

/* ---- along the direction -------------------------------------------------------------------- */

static void sampler_advance(double *out, const double *from, const double *rate, double s, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = from[i] + (rate ? s * rate[i] : 0);
}

/* Parameter k moved by s. Where events set others the numbers are found anew: those that the memory
 * holds may move too. */
static void put_parameter(nt_run *run, const double *memory, int k, double s)
{
    if (run->model->parameters_change)
        nt_run_take_set_beside(run, memory, k, s);
    else
        nt_parameter_rates_put(run, &run->rates[k], s);
}

static nt_status records_at(nt_tangent_sampler *t, const nt_sample_direction *d, double s,
                            double *out, nt_error *error)
{
    nt_run *run = t->sampler.run;
    const nt_system *system = &run->system;
    const nt_state *at = d->state;
    const nt_state_rate *rate = d->rate;
    int nv = system->space.nv, nh = system->nh, nn = system->nn;
    memset(t->step, 0, (size_t)nv * sizeof(double));
    for (int i = 0; rate->dq && i < nv; i++)
        t->step[i] = s * rate->dq[i];
    nt_space_compose(&system->space, NT_INERTIAL, at->q, t->step, t->q);
    sampler_advance(t->v, at->v, rate->dv, s, nv);
    sampler_advance(t->vdot, at->vdot, rate->dvdot, s, nv);
    sampler_advance(t->multipliers, at->lambda, rate->dlambda, s, nh);
    sampler_advance(t->multipliers + nh, at->mu, rate->dmu, s, nn);
    if (at->memory)
        sampler_advance(t->memory, at->memory, rate->dmemory, s, system->n_memory);
    if (d->reactions)
        sampler_advance(t->reactions, d->reactions, d->reaction_rates, s, nh + nn);
    nt_state moved = *at;
    moved.q = t->q;
    moved.v = t->v;
    moved.vdot = t->vdot;
    moved.lambda = t->multipliers;
    moved.mu = t->multipliers + nh;
    moved.memory = at->memory ? t->memory : NULL;
    moved.work = at->work + s * rate->work;
    bool energy = false;
    for (int i = 0; i < d->n; i++)
        energy = energy || d->quantities[i].needs_energy;
    if (rate->parameter >= 0)
        put_parameter(run, moved.memory, rate->parameter, s);
    nt_status status = nt_sampler_look(&t->sampler, &moved, d->reactions ? t->reactions : NULL,
                                       energy, false, error);
    for (int i = 0, column = 0; status == NT_OK && i < d->n; column += d->quantities[i++].columns)
        nt_sampler_values(&t->sampler, &d->quantities[i], out + column);
    return status;
}

static double sampler_largest(const double *x, int n)
{
    double size = 0;
    for (int i = 0; x && i < n; i++)
        size = fmax(size, fabs(x[i]));
    return size;
}

static double limit(double step, double allowed, double rate)
{
    return rate > 0 ? fmin(step, allowed / rate) : step;
}

/* Infinite where nothing moves but what records are linear in; 0 where nothing moves. */
static double first_step(const nt_run *run, const nt_sample_direction *d)
{
    const nt_state_rate *rate = d->rate;
    const nt_system *system = &run->system;
    int nv = system->space.nv;
    double step = (double)INFINITY;
    for (int i = 1; rate->dq && i < run->model->n_bodies; i++) {
        const nt_body *body = &run->bodies[i];
        int turn = body->t_node >= 0 ? 3 : 0;
        step = limit(step, LENGTH * run->length, sampler_largest(rate->dq + body->v, turn));
        step = limit(step, ROTATION,
                     sampler_largest(rate->dq + body->v + turn, body->r_node < 0 ? 0 : 3));
    }
    for (int i = 0; rate->dq && run->model->has_own && i < run->model->n_elements; i++) {
        const nt_element *e = &run->model->elements[i];
        if (e->n_own > 0)
            step =
                limit(step, LENGTH * run->length, sampler_largest(rate->dq + e->own_v, e->n_own));
    }
    double speed = fmax(sampler_largest(d->state->v, nv), run->length);
    step = limit(step, VELOCITY * speed, sampler_largest(rate->dv, nv));
    if (rate->parameter >= 0) {
        const nt_parameter_rates *p = &run->rates[rate->parameter];
        double s = nt_words_step(p, (nt_words){0, p->n_words}, fmin(1, run->length), p->scale);
        step = fmin(step, NUMBER * fmax(s, p->scale));
    }
    return step;
}

/* Differences at step h; their rounding is that of the values farthest away. */
static nt_status sampler_difference(nt_tangent_sampler *t, const nt_sample_direction *d, double h,
                                    nt_error *error)
{
    nt_status status = NT_OK;
    size_t bytes = (size_t)t->columns * sizeof(double);
    memset(t->sixth, 0, bytes);
    memset(t->fourth, 0, bytes);
    for (int k = 0; k < 3 && status == NT_OK; k++) {
        status = records_at(t, d, (k + 1) * h, t->plus, error);
        if (status == NT_OK)
            status = records_at(t, d, -(k + 1) * h, t->minus, error);
        for (int i = 0; i < t->columns; i++) {
            double difference = (t->plus[i] - t->minus[i]) / h;
            t->sixth[i] += NT_SIXTH[k] * difference;
            t->fourth[i] += NT_FOURTH[k] * difference;
            t->rounding[i] = DBL_EPSILON * fabs(t->plus[i]) / h;
        }
    }
    return status;
}

/* The value with the least doubt so far. Truncation falls 4000 times from one step to the next: a
 * gap that does not even halve is rounding, of whatever the values are small differences of (the
 * force of a stiff penalty joint), and grows as 1/h from there on. So does the gap where a step
 * goes from one side of a steep curve to the other (traction within its slip): it is no rounding
 * where it comes from more than a millionth of the value. Nor is it where the value has changed by
 * many times the gap: the gap before was small by chance, and what it stood for is in doubt by that
 * change.
 *
 * No difference at all is in doubt where the value has changed on both sides alike: a contact that
 * both sides of a large step have left has no force there. */
static bool sampler_choose(nt_tangent_sampler *t, bool first, double h, double *out)
{
    bool good = true;
    for (int i = 0; i < t->columns; i++) {
        double gap = fabs(t->sixth[i] - t->fourth[i]), size = fabs(t->sixth[i]);
        double jump = first ? 0 : fabs(t->sixth[i] - out[i]);
        bool missed = jump > MISSED * (gap + t->rounding[i]);
        bool is_noise =
            !first && !missed && gap > t->gap[i] / 2 && gap * h < NOISE * fabs(t->plus[i]);
        if (missed)
            t->doubt[i] = fmax(t->doubt[i], jump);
        t->noise[i] = first ? 0 : is_noise ? fmax(t->noise[i], gap * h) : t->noise[i];
        t->gap[i] = gap;
        t->rounding[i] = fmax(t->rounding[i], t->noise[i] / h);
        double doubt = (size > 0 ? gap * sqrt(gap / size) : 0) + t->rounding[i];
        bool is_left = size == 0 && t->plus[i] != t->here[i];
        if (is_left)
            doubt = fmax(doubt, fabs(t->plus[i] - t->here[i]) / h);
        if (!isfinite(gap)) /* a place without a value: smaller steps do not reach it */
            doubt = (double)INFINITY;
        if (first || doubt < t->doubt[i]) {
            out[i] = t->sixth[i];
            t->doubt[i] = doubt;
        }
        good = good && !is_left && gap <= fmax(GOOD * size, 10 * t->rounding[i]);
    }
    return good;
}

/* Largest constraint and step size do not count as changing. */
static void clear_constants(const nt_sample_direction *d, double *out)
{
    for (int i = 0, column = 0; i < d->n; column += d->quantities[i++].columns)
        for (int k = 0; d->quantities[i].needs_drift && k < d->quantities[i].columns; k++)
            out[column + k] = 0;
}

nt_status nt_tangent_sampler_take(nt_tangent_sampler *t, const nt_sample_direction *d, double *out,
                                  nt_error *error)
{
    nt_run *run = t->sampler.run;
    nt_status status = NT_OK;
    bool good = false;
    if (d->rate->parameter < -1 || d->rate->parameter >= run->model->n_parameters)
        return nt_fail(error, NT_INVALID, "parameter %d, expected -1 (none) or a number below %d",
                       d->rate->parameter, run->model->n_parameters);
    if (run->model->parameters_change)
        nt_run_take_set(run, d->state->memory);
    if (d->rate->parameter >= 0)
        status = nt_parameter_rates_find(run, d->rate->parameter, error);
    if (status != NT_OK)
        return status;
    double h = first_step(run, d);
    h = isfinite(h) ? h : 1;
    status = records_at(t, d, 0, t->here, error);
    for (int level = 0; level < LEVELS && !good && status == NT_OK; level++, h *= NEXT_STEP) {
        status = sampler_difference(t, d, h, error);
        if (status == NT_OK)
            good = sampler_choose(t, level == 0, h, out);
    }
    if (d->rate->parameter >= 0)
        put_parameter(run, d->state->memory, d->rate->parameter, 0);
    clear_constants(d, out);
    return status;
}

nt_state_rate nt_state_rate_along(const nt_state_tangent *tangent, int parameter)
{
    const nt_state_tangent still = {.work = 0}, *d = tangent ? tangent : &still;
    return (nt_state_rate){.dq = d->q,
                           .dv = d->v,
                           .dvdot = d->vdot,
                           .dlambda = d->lambda,
                           .dmu = d->mu,
                           .dmemory = d->memory,
                           .work = d->work,
                           .parameter = parameter};
}

nt_status nt_run_sample_tangent(nt_run *run, const nt_quantity_info *quantities, int n,
                                const nt_state *state, const double *reactions,
                                const nt_state_rate *rate, const double *reaction_rates,
                                double *out, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "run state rate out", run, state, rate, out);
    NT_NEED_COUNT(error, "n", n);
    if (n > 0)
        NT_NEED(error, "quantities", quantities);
    NT_NEED_VERSION(error, "rate", rate->version);
    NT_NEED_STATE(error, "state", &run->system, state);
    NT_NEED_GOOD(nt_quantity_refuse(error, __func__, run->model, quantities, n));
    nt_tangent_sampler t;
    nt_arena arena = {0};
    int columns = 0;
    for (int i = 0; i < n; i++)
        columns += quantities[i].columns;
    nt_sample_direction d = {.quantities = quantities,
                             .n = n,
                             .state = state,
                             .reactions = reactions,
                             .reaction_rates = reaction_rates,
                             .rate = rate};
    nt_status status = nt_tangent_sampler_init(&t, run, columns, &arena, error);
    if (status == NT_OK)
        status = nt_tangent_sampler_take(&t, &d, out, error);
    nt_arena_free(&arena);
    return nt_said(error, status);
}
