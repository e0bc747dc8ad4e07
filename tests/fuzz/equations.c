/* At the end of each step, with everything evaluated anew:
 *
 *   R(vdot, v, q, lambda, mu, t) = 0    within a part of its largest term (moments: of force times
 *                                       length besides)
 *   Phi = 0                             within 1e-6 of the model's length and the rounding of its
 *                                       positions, or 1e-6 rad
 *
 * of every method, with the accelerations and multipliers that a row shows; constraints of those
 * that take them. Rounding is told from errors by what single elements add to R. Where a row shows
 * those of the method, because the equations give none, that is asked anew. */
#include "fuzz/equations.h"

#include "method/state.h"
#include "model/element.h"
#include "model/evaluate.h"
#include "system/factors.h"
#include "system/rounding.h"

#include <float.h>
#include <math.h>
#include <nutate/nutate.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 20, SETTINGS = 16, WORDS = 600, BESIDE = 13 };

/* What a part of R may be off by, relative to the largest: what Newton's iteration allows in any
 * case, or rounding. */
static const double ALLOWED = 2e-6;

/* N, N m: parts smaller than this are taken for so large, as Newton's tolerance has a least force.
 */
static const double LEAST = 1e-3;

/* Of a row, in model lengths or rad. */
static const double OPEN = 1e-6;

/* Roundings of a position that a step of Newton's iteration cannot see; accelerations follow from
 * these by 1/h^2. */
static const double UNSEEN = 64 * DBL_EPSILON;

typedef struct plan {
    nt_model *model;
    nt_run *run;
    const nt_method *method;
    const char *named; /* by --method; NULL: by the model */
    nt_setting settings[SETTINGS];
    int n_settings;
    double step, duration;
    nt_option *options;
    int n_options;
    double *work;       /* [5 nv + nq + 2 rows] */
    unsigned char *off; /* [rows] */
    char words[WORDS];
} plan;

static void read_arguments(plan *p, int count, char *const *arguments)
{
    for (int i = 3; i + 1 < count; i++) {
        char *value = arguments[i + 1];
        if (strcmp(arguments[i], "--method") == 0)
            p->named = value;
        else if (strcmp(arguments[i], "--step") == 0)
            p->step = atof(value);
        else if (strcmp(arguments[i], "--duration") == 0)
            p->duration = atof(value);
        else if (strcmp(arguments[i], "--set") == 0 && p->n_settings < SETTINGS &&
                 strchr(value, '=')) {
            char *key = strdup(value), *equals = key ? strchr(key, '=') : NULL;
            if (equals) {
                *equals = '\0';
                p->settings[p->n_settings++] = (nt_setting){key, equals + 1};
            }
        } else
            continue;
        i++;
    }
}

/* Options of the model that the method has, as the command takes them. */
static bool choose(plan *p)
{
    const nt_simulation *simulation = nt_model_simulation(p->model);
    p->method = nt_method_find(p->named ? p->named : simulation->method);
    p->options = calloc((size_t)simulation->n_options + 1, sizeof *p->options);
    if (!p->method || !p->options)
        return false;
    for (int i = 0; i < simulation->n_options; i++)
        if (nt_method_check_option(p->method, &simulation->options[i], NULL) == NT_OK)
            p->options[p->n_options++] = simulation->options[i];
    p->step = p->step > 0 ? p->step : simulation->step;
    p->duration = p->duration > 0 ? p->duration : simulation->duration;
    return p->step > 0 && p->duration > 0;
}

static nt_quantity quantity_of(const nt_system *s, int i)
{
    for (int b = 0; b < s->space.n_blocks; b++) {
        const nt_block *block = &s->space.blocks[b];
        if (i >= block->v && i < block->v + block->nv)
            return block->rotation >= 0 && i >= block->v + block->nv - 3 ? NT_ANGLE : NT_LENGTH;
    }
    return NT_LENGTH;
}

static double largest(const double *x, const nt_system *s, int n, nt_quantity kind)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        if (quantity_of(s, i) == kind && !(fabs(x[i]) <= most))
            most = fabs(x[i]);
    return most;
}

/* The largest part of R among forces and among moments. */
static bool find_sizes(const plan *p, const nt_system *s, const nt_point *at, double size[2])
{
    double *part = p->work;
    size[NT_LENGTH] = size[NT_ANGLE] = LEAST;
    for (unsigned kind = 1; kind < NT_ALL_PARTS; kind *= 2) {
        nt_terms terms = {.parts = kind, .level = NT_POSITION, .residual = part};
        memset(part, 0, (size_t)s->space.nv * sizeof *part);
        if (s->evaluate(s->self, at, &terms) != NT_OK)
            return false;
        for (int k = 0; k < 2; k++)
            size[k] = fmax(size[k], largest(part, s, s->space.nv, (nt_quantity)k));
    }
    double length = nt_run_length(p->run);
    size[NT_ANGLE] = fmax(size[NT_ANGLE], size[NT_LENGTH] * length);
    return true;
}

/* How much R changes at most at BESIDE places where q and v are changed by up to 1e-7, q by its
 * rounding besides, and accelerations by what rounding of positions makes of them: what a part may
 * be off by in a model of extreme numbers, whose forces are beyond the rounding of positions, or
 * cancel each other. */
static double find_noise(const plan *p, const nt_system *s, const nt_point *at, const double *r)
{
    static const double slight = 1e-7;
    int nv = s->space.nv;
    double *v = p->work, *dq = v + nv, *q = dq + nv, *moved = q + s->space.nq, noise = 0,
           fastest = 1, *vdot = moved + nv, h = fmin(p->step, p->duration), farthest = 1;
    for (int i = 0; i < nv; i++)
        fastest = fmax(fastest, fabs(at->v[i]));
    for (int i = 0; i < s->space.nq; i++)
        farthest = fmax(farthest, fabs(at->q[i]));
    for (int k = 0; k < BESIDE; k++) {
        nt_point beside = *at;
        nt_terms terms = {.parts = NT_ALL_PARTS, .level = NT_POSITION, .residual = moved};
        for (int i = 0; i < nv; i++) {
            double away = slight * ((i + k) * 7919 % 13 - 6) / 6; /* bodies not all alike */
            double unseen = UNSEEN * (quantity_of(s, i) == NT_LENGTH ? farthest : 1);
            unseen = away > 0 ? unseen : -unseen;
            dq[i] = away * (quantity_of(s, i) == NT_LENGTH ? nt_run_length(p->run) : 1) + unseen;
            v[i] = at->v[i] + away * fastest;
            vdot[i] = at->vdot[i] + unseen / (h * h);
        }
        nt_space_compose(&s->space, s->frame, at->q, dq, q);
        beside.q = q, beside.v = v, beside.vdot = vdot;
        memset(moved, 0, (size_t)nv * sizeof *moved);
        if (s->evaluate(s->self, &beside, &terms) != NT_OK)
            return (double)INFINITY;
        for (int i = 0; i < nv; i++)
            noise = fmax(noise, fabs(moved[i] - r[i]));
    }
    return noise;
}

/* What rounding of sums leaves in R: each element's own part, so that large ones which cancel are
 * seen. */
static double find_grid(const plan *p, const nt_point *at)
{
    const nt_model *model = nt_run_model(p->run);
    int nv = nt_run_system(p->run)->space.nv;
    double *part = p->work, *sum = part + nv, most = 0;
    nt_terms terms = {.parts = NT_ALL_PARTS, .level = NT_POSITION, .residual = part};
    nt_view view;
    memset(part, 0, (size_t)(2 * nv) * sizeof *part);
    nt_run_look(p->run, at, &terms, &view); /* inertia */
    for (int k = 0; k <= model->n_elements; k++) {
        for (int i = 0; i < nv; i++)
            sum[i] += fabs(part[i]);
        if (k == model->n_elements)
            break;
        const nt_element *e = &model->elements[k];
        memset(part, 0, (size_t)nv * sizeof *part);
        nt_local_begin(view.local, e);
        if (e->type->evaluate(e, &view) == NT_OK && nt_local_has_terms(view.local))
            nt_local_gather(view.local, view.terms);
    }
    for (int i = 0; i < nv; i++)
        most = fmax(most, sum[i]);
    return (4 + model->n_elements) * DBL_EPSILON * most * fmax(1, nt_run_length(p->run));
}

/* Row i, off by `open`, at the times beside that a double can tell from this one. */
static bool turns_within_rounding(const plan *p, const nt_point *at, int i, double open)
{
    const nt_system *s = nt_run_system(p->run);
    double *rows = p->work + 5 * s->space.nv + s->space.nq + s->nh + s->nn, most = 0;
    for (int k = -1; k <= 1; k += 2) {
        nt_point beside = *at;
        nt_terms terms = {.level = NT_POSITION, .rows = rows};
        beside.t = nextafter(at->t, k * (double)INFINITY);
        if (s->evaluate(s->self, &beside, &terms) == NT_OK)
            most = fmax(most, fabs(rows[i] - open));
    }
    return fabs(open) <= 4 * most;
}

/* Also gives the rows at the state, behind R in the work. */
static bool check_forces(plan *p, const nt_state *state)
{
    const nt_system *s = nt_run_system(p->run);
    int nv = s->space.nv;
    double *r = p->work + 4 * nv + s->space.nq, size[2], noise = -1;
    nt_point at = nt_state_point(state);
    nt_terms terms = {.parts = NT_ALL_PARTS, .level = NT_POSITION, .residual = r, .rows = r + nv};
    memset(r, 0, (size_t)nv * sizeof *r);
    if (s->evaluate(s->self, &at, &terms) != NT_OK || !find_sizes(p, s, &at, size)) {
        snprintf(p->words, WORDS, "the end of a step, t = %g s, has no value", state->t);
        return false;
    }
    char name[160];
    for (int i = 0; i < nv; i++)
        if (!(fabs(r[i]) <= ALLOWED * size[quantity_of(s, i)])) {
            noise = noise < 0 ? fmax(find_grid(p, &at), find_noise(p, s, &at, r)) : noise;
            if (fabs(r[i]) <= noise)
                continue;
            s->equation_name(s->self, i, name, (int)sizeof name);
            snprintf(p->words, WORDS,
                     "%s: %s at t = %g s is off by %g, its largest part is %g, its noise %g",
                     nt_method_name(p->method), name, state->t, r[i], size[quantity_of(s, i)],
                     noise);
            return false;
        }
    return true;
}

/* Whether the equations give accelerations at a state where a row shows those of the method: found
 * by dense factors of this program, from no guess, the same within AGREE at places a rounding
 * beside. */
static bool has_rates(const plan *p, const nt_state *state)
{
    enum { LARGEST = 300, LOOKS = 3 };
    static const double AGREE = 0.01;
    const nt_system *s = nt_run_system(p->run);
    size_t nv = (size_t)s->space.nv, nq = (size_t)s->space.nq, nc = (size_t)(s->nh + s->nn);
    double *x = calloc(2 * (nv + nc) + nq + 1, sizeof *x), *beside = x + nv + nc;
    double *q = beside + nv + nc, most[2] = {0, 0}, apart[2] = {0, 0};
    nt_problem *problem = NULL;
    nt_factors *f = NULL;
    bool off = false, has = x && nv + nc <= LARGEST;
    if (s->events && s->events->rows_off)
        s->events->rows_off(s->self, state->memory, p->off);
    for (size_t i = 0; i < nc; i++)
        off = off || p->off[i];
    has = has && !off && nt_problem_create(&problem, s, s->frame, NULL) == NT_OK &&
          nt_factors_create(&f, problem, NT_SOLVER_DENSE, NULL) == NT_OK;
    nt_point at = nt_state_point(state);
    unsigned seed = 7;
    for (int k = 0; k < LOOKS && has; k++) {
        double *to = k == 0 ? x : beside;
        memset(to, 0, (nv + nc) * sizeof *to);
        memcpy(q, state->q, nq * sizeof *q);
        if (k > 0)
            nt_space_move_by_rounding(&s->space, &seed, q);
        at.q = q;
        has = nt_factors_accelerations(f, &at, to, to + nv, to + nv + s->nh, NULL) == NT_OK;
        for (size_t i = 0; i < nv + nc && k > 0; i++) {
            most[i >= nv] = fmax(most[i >= nv], fabs(x[i]));
            apart[i >= nv] = fmax(apart[i >= nv], fabs(x[i] - beside[i]));
        }
    }
    for (int i = 0; i < 2; i++)
        has = has && apart[i] <= AGREE * most[i];
    nt_factors_destroy(f);
    nt_problem_destroy(problem);
    free(x);
    return has;
}

static bool check_rows(plan *p, const nt_state *state)
{
    const nt_system *s = nt_run_system(p->run);
    const double *rows = p->work + 5 * s->space.nv + s->space.nq;
    nt_point at = nt_state_point(state);
    double farthest = 0; /* from the origin of the ground */
    char name[160];
    for (int i = 0; i < s->space.nq; i++)
        farthest = fmax(farthest, fabs(state->q[i]));
    if (s->events && s->events->rows_off)
        s->events->rows_off(s->self, state->memory, p->off);
    for (int i = 0; i < s->nh; i++)
        if (!p->off[i] &&
            !(fabs(rows[i]) <= (s->row_quantity && s->row_quantity[i] != NT_LENGTH
                                    ? OPEN
                                    : OPEN * nt_run_length(p->run) + UNSEEN * farthest)) &&
            !turns_within_rounding(p, &at, i, rows[i])) {
            s->equation_name(s->self, s->space.nv + i, name, (int)sizeof name);
            snprintf(p->words, WORDS, "%s: %s at t = %g s is open by %g", nt_method_name(p->method),
                     name, state->t, rows[i]);
            return false;
        }
    return true;
}

/* Where the equations give no accelerations, those of the method need not obey them. */
static bool check_state(plan *p, const nt_state *state, bool has_no_rates)
{
    if (has_no_rates && has_rates(p, state)) {
        snprintf(p->words, WORDS, "%s: the row at t = %g s does not show the accelerations there",
                 nt_method_name(p->method), state->t);
        return false;
    }
    bool holds = check_forces(p, state);
    if (!holds && has_no_rates)
        p->words[0] = '\0';
    return (holds || has_no_rates) && check_rows(p, state);
}

/* What the command ends by a signal has no other end here. */
static int took_enough(void *context, const nt_integrator *integrator)
{
    enum { ENOUGH = 2000 };
    int *steps = context;
    (void)integrator;
    return ++*steps > ENOUGH;
}

static void integrate(plan *p)
{
    const nt_system *s = nt_run_system(p->run);
    const nt_simulation *simulation = nt_model_simulation(p->model);
    nt_integrator_setup setup = {
        .system = s, .method = p->method, .options = p->options, .n_options = p->n_options};
    nt_integrator *it;
    setup.frame = nt_method_has_frame(p->method, simulation->frame) ? simulation->frame
                  : simulation->frame == NT_BODY                    ? NT_INERTIAL
                                                                    : NT_BODY;
    setup.minimum_step = simulation->minimum_step;
    if (nt_method_check_tolerance(p->method, s, NULL) == NT_OK)
        memcpy(setup.tolerance, simulation->tolerance, sizeof setup.tolerance);
    if (nt_integrator_create(&it, &setup, NULL) != NT_OK)
        return;
    double t = simulation->start, end = t + p->duration, h = fmin(p->step, p->duration);
    int steps = 0;
    bool good = nt_integrator_start(it, t, NULL, NULL, NULL, NULL) == NT_OK;
    for (int i = 0; good && i < STEPS && t < end; i++) {
        good = nt_integrator_run(it, fmin(end, t + h), h, took_enough, &steps, NULL) == NT_OK;
        nt_state state = nt_integrator_state(it);
        t = state.t;
        if (good && nt_integrator_balance(it, &state, &state, NULL) == NT_OK &&
            !check_state(p, &state, nt_integrator_lacks_rates(it)))
            break;
        nt_state shown; /* inside the step; the same arrays where there are no accelerations */
        if (good && nt_integrator_dense(it, t - 0.3 * state.step, &state) == NT_OK &&
            nt_integrator_balance(it, &state, &shown, NULL) == NT_OK && shown.vdot != state.vdot &&
            !check_forces(p, &shown))
            break;
    }
    nt_integrator_destroy(it);
}

const char *equations_hold(const char *model, int count, char *const *arguments)
{
    static plan p;
    memset(&p, 0, sizeof p);
    read_arguments(&p, count, arguments);
    if (nt_model_read(&p.model, model, p.settings, p.n_settings, NULL) == NT_OK &&
        nt_run_create(&p.run, p.model, NULL) == NT_OK && choose(&p)) {
        const nt_system *s = nt_run_system(p.run);
        p.work = calloc(5 * (size_t)s->space.nv + (size_t)(s->space.nq + 2 * (s->nh + s->nn)) + 1,
                        sizeof *p.work);
        p.off = calloc((size_t)(s->nh + s->nn) + 1, 1);
        if (p.work && p.off)
            integrate(&p);
    }
    nt_run_destroy(p.run);
    nt_model_destroy(p.model);
    for (int i = 0; i < p.n_settings; i++)
        free((void *)(size_t)p.settings[i].key);
    free(p.options);
    free(p.work);
    free(p.off);
    return p.words[0] ? p.words : NULL;
}
