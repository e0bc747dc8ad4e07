/* Objectives over a run.
 *
 * With the last three step ends (t_0, g_0), (t_1, g_1), (t_2, g_2) the expression counts as the
 * parabola L through them, L(t) = sum w_i(t) g_i. Everything is linear in the g_i with weights of
 * the times alone, so derivatives are the same sums of the dg_i:
 *
 *   integral over the step   int L dt = sum W_i g_i
 *   top of the parabola      L(t*) = sum w_i(t*) g_i, dL(t*) = sum w_i(t*) dg_i, since L' = 0 there
 *
 * The first step waits for the second one. Where neighbouring steps differ by more than a factor of
 * four the parabola is little more than an extrapolation: then the straight line. */
#include "base/arena.h"
#include "base/error.h"

#include <nutate/output.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 3 };
static const double MOST_UNEVEN = 4;

/* A number and its derivatives: one array [1 + parameters]. */
struct nt_objectives {
    nt_arena arena;
    nt_run *run;
    nt_integrator *integrator;
    nt_sensitivity *sensitivity;
    int n, n_parameters;
    size_t size; /* 1 + n_parameters                                           */
    bool reactions_needed;
    double *reactions, *reaction_rates; /* [nh + nn] where needed                   */
    double length;                      /* m, weighs moments against forces          */
    double *fresh;                      /* [n] of the model                          */

    int points;        /* step ends seen so far, at most POINTS                      */
    double t[POINTS];  /* s                                                          */
    double start;      /* s                                                          */
    double *g[POINTS]; /* [n][size] at them                                         */
    double *sum;       /* [n][size] integral of g or g^2 so far                      */
    double *largest;   /* [n][size]                                                  */
    double *shown;     /* [n][size] results                                          */
};

static nt_objective_type type_of(const nt_objectives *o, int i)
{
    return nt_model_objective(nt_run_model(o->run), i).type;
}

/* ---- memory --------------------------------------------------------------------------------- */

static bool objectives_take_memory(nt_objectives *o)
{
    const nt_system *system = nt_run_system(o->run);
    size_t all = (size_t)o->n * o->size;
    size_t rows = o->reactions_needed ? (size_t)(system->nh + system->nn) : 0;
    for (int i = 0; i < POINTS; i++)
        if (!NT_DOUBLES(&o->arena, all, &o->g[i]))
            return false;
    return NT_DOUBLES(&o->arena, all, &o->sum, &o->largest, &o->shown) &&
           NT_DOUBLES(&o->arena, o->n, &o->fresh) &&
           NT_DOUBLES(&o->arena, rows, &o->reactions, &o->reaction_rates);
}

nt_status nt_objectives_create(nt_objectives **out, nt_run *run, nt_integrator *integrator,
                               nt_sensitivity *sensitivity, nt_error *error)
{
    NT_NEED(error, "objectives", out);
    *out = NULL;
    NT_NEED(error, "run integrator", run, integrator);
    nt_objectives *o = calloc(1, sizeof *o);
    if (!o)
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    o->run = run;
    o->integrator = integrator;
    o->sensitivity = sensitivity;
    o->n = nt_model_objective_count(nt_run_model(run));
    o->n_parameters = sensitivity ? nt_sensitivity_count(sensitivity) : 0;
    o->size = 1 + (size_t)o->n_parameters;
    o->length = nt_run_length(run);
    for (int i = 0; i < o->n; i++)
        o->reactions_needed |= nt_model_objective(nt_run_model(run), i).needs_reactions != 0;
    if (!objectives_take_memory(o)) {
        nt_objectives_destroy(o);
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    }
    *out = o;
    return NT_OK;
}

void nt_objectives_destroy(nt_objectives *o)
{
    if (!o)
        return;
    nt_arena_free(&o->arena);
    free(o);
}

void nt_objectives_restart(nt_objectives *o)
{
    if (!o)
        return;
    o->points = 0;
    memset(o->sum, 0, (size_t)o->n * o->size * sizeof *o->sum);
}

/* ---- save and restore ------------------------------------------------------------------------
 */

typedef struct saved {
    int n, n_parameters, points;
    double t[POINTS], start;
} saved;

/* The arrays that go on, each of n * size doubles. */
enum { KEPT = POINTS + 3 };
static void kept_of(const nt_objectives *o, double *kept[KEPT])
{
    for (int i = 0; i < POINTS; i++)
        kept[i] = o->g[i];
    kept[POINTS] = o->sum;
    kept[POINTS + 1] = o->largest;
    kept[POINTS + 2] = o->shown;
}

static size_t kept_bytes(const nt_objectives *o) { return (size_t)o->n * o->size * sizeof(double); }

size_t nt_objectives_saved_size(const nt_objectives *o)
{
    return o ? sizeof(saved) + KEPT * kept_bytes(o) : 0;
}

void nt_objectives_save(const nt_objectives *o, void *bytes)
{
    double *kept[KEPT];
    saved head;
    if (!o || !bytes)
        return;
    memset(&head, 0, sizeof head); /* padding too: equal states are equal bytes */
    head.n = o->n, head.n_parameters = o->n_parameters, head.points = o->points;
    head.start = o->start;
    memcpy(head.t, o->t, sizeof head.t);
    memcpy(bytes, &head, sizeof head);
    kept_of(o, kept);
    for (size_t i = 0; i < KEPT; i++)
        memcpy((char *)bytes + sizeof head + i * kept_bytes(o), kept[i], kept_bytes(o));
}

nt_status nt_objectives_restore(nt_objectives *o, const void *bytes, size_t size, nt_error *error)
{
    double *kept[KEPT];
    saved head = {0};
    nt_error_clear(error);
    NT_NEED(error, "objectives bytes", o, bytes);
    if (size == nt_objectives_saved_size(o))
        memcpy(&head, bytes, sizeof head);
    if (size != nt_objectives_saved_size(o) || head.n != o->n ||
        head.n_parameters != o->n_parameters || head.points < 0 || head.points > POINTS)
        return nt_fail(error, NT_INVALID, "the saved objectives are of another model");
    o->points = head.points;
    o->start = head.start;
    memcpy(o->t, head.t, sizeof head.t);
    kept_of(o, kept);
    for (size_t i = 0; i < KEPT; i++)
        memcpy(kept[i], (const char *)bytes + sizeof head + i * kept_bytes(o), kept_bytes(o));
    return NT_OK;
}

/* ---- at a step's end ------------------------------------------------------------------------ */

static nt_status objectives_look_along(nt_objectives *o, const nt_state *state, int k, double *g,
                                       nt_error *error)
{
    nt_state_tangent d = nt_sensitivity_state(o->sensitivity, k);
    nt_status status = NT_OK;
    if (o->reactions_needed)
        status = nt_sensitivity_reactions(o->sensitivity, k, state, &d, o->length,
                                          o->reaction_rates, error);
    const nt_state_rate rate = {.dq = d.q,
                                .dv = d.v,
                                .dvdot = d.vdot,
                                .dlambda = d.lambda,
                                .dmu = d.mu,
                                .dmemory = d.memory,
                                .work = d.work,
                                .parameter = nt_sensitivity_parameter(o->sensitivity, k)};
    if (status == NT_OK)
        status = nt_run_objective_tangent(o->run, state, o->reactions_needed ? o->reactions : NULL,
                                          &rate, o->reactions_needed ? o->reaction_rates : NULL,
                                          o->fresh, error);
    for (int i = 0; i < o->n && status == NT_OK; i++)
        g[(size_t)i * o->size + 1 + (size_t)k] = o->fresh[i];
    return status;
}

/* All expressions and their derivatives at the present state, into g[n][size]. */
static nt_status objectives_look(nt_objectives *o, double *g, nt_error *error)
{
    nt_state state = nt_integrator_state(o->integrator);
    nt_status status = NT_OK;
    if (o->reactions_needed)
        status = nt_integrator_reactions(o->integrator, &state, o->length, o->reactions, error);
    if (status == NT_OK)
        status = nt_run_objective_values(o->run, &state, o->reactions_needed ? o->reactions : NULL,
                                         o->fresh, error);
    for (int i = 0; i < o->n && status == NT_OK; i++)
        g[(size_t)i * o->size] = o->fresh[i];
    for (int k = 0; k < o->n_parameters && status == NT_OK; k++)
        status = objectives_look_along(o, &state, k, g, error);
    return status;
}

/* ---- parabolas ------------------------------------------------------------------------------ */

/* w_i(t) */
static void objectives_values_at(const double x[POINTS], double t, double w[POINTS])
{
    for (int i = 0; i < POINTS; i++) {
        double a = x[(i + 1) % POINTS], b = x[(i + 2) % POINTS];
        w[i] = (t - a) * (t - b) / ((x[i] - a) * (x[i] - b));
    }
}

static bool is_even(const double x[POINTS])
{
    double first = x[1] - x[0], second = x[2] - x[1];
    return first <= MOST_UNEVEN * second && second <= MOST_UNEVEN * first;
}

/* W_i over the step from x[k] to x[k + 1]; Simpson's rule is exact */
static void areas(const double x[POINTS], int k, double W[POINTS])
{
    double first[POINTS], middle[POINTS], last[POINTS], h = x[k + 1] - x[k];
    memset(W, 0, POINTS * sizeof *W);
    W[k] = W[k + 1] = h / 2;
    if (!is_even(x))
        return;
    objectives_values_at(x, x[k], first);
    objectives_values_at(x, x[k] + h / 2, middle);
    objectives_values_at(x, x[k + 1], last);
    for (int i = 0; i < POINTS; i++)
        W[i] = h / 6 * (first[i] + 4 * middle[i] + last[i]);
}

/* sum += sum W_i g_i, or g_i^2, of objective j */
static void add_area(nt_objectives *o, int j, const double W[POINTS], int points)
{
    double *sum = o->sum + (size_t)j * o->size;
    bool square = type_of(o, j) == NT_OBJECTIVE_RMS;
    for (int i = 0; i < points; i++) {
        const double *g = o->g[i] + (size_t)j * o->size;
        sum[0] += W[i] * (square ? g[0] * g[0] : g[0]);
        for (size_t k = 1; k < o->size; k++)
            sum[k] += W[i] * (square ? 2 * g[0] * g[k] : g[k]);
    }
}

/* The largest value so far, with the newest step end and the top of the newest parabola. */
static void look_at_top(nt_objectives *o, int j)
{
    size_t at = (size_t)j * o->size, bytes = o->size * sizeof(double);
    double *largest = o->largest + at;
    const double *g[POINTS] = {o->g[0] + at, o->g[1] + at, o->g[2] + at};
    int last = o->points - 1;
    if (last == 0 || g[last][0] > largest[0])
        memcpy(largest, g[last], bytes);
    if (o->points < POINTS || !(g[1][0] >= g[0][0] && g[1][0] >= g[2][0]) || !is_even(o->t))
        return;
    double before = (g[1][0] - g[0][0]) / (o->t[1] - o->t[0]);
    double after = (g[2][0] - g[1][0]) / (o->t[2] - o->t[1]);
    if (!(before > after))
        return;
    /* L' is linear between the middles of the steps, where it is `before` and `after` */
    double middle = (o->t[0] + o->t[1]) / 2, w[POINTS], top = 0;
    objectives_values_at(o->t, middle + before / (before - after) * (o->t[2] - o->t[0]) / 2, w);
    for (int i = 0; i < POINTS; i++)
        top += w[i] * g[i][0];
    if (top < largest[0])
        return;
    for (size_t k = 0; k < o->size; k++)
        largest[k] = w[0] * g[0][k] + w[1] * g[1][k] + w[2] * g[2][k];
}

/* ---- results -------------------------------------------------------------------------------- */

static void objectives_integrate(nt_objectives *o)
{
    double W[POINTS];
    if (o->points < POINTS)
        return;
    for (int j = 0; j < o->n; j++) {
        if (o->start == o->t[0]) { /* the step that waited */
            areas(o->t, 0, W);
            add_area(o, j, W, POINTS);
        }
        areas(o->t, 1, W);
        add_area(o, j, W, POINTS);
    }
}

/* The root mean square, from the integral of g^2. Before the first step the run has no length, and
 * |g| is shown. */
static void show_mean(const nt_objectives *o, const double *g, double *out)
{
    double length = o->t[o->points - 1] - o->start;
    double mean = length > 0 ? sqrt(fmax(out[0], 0) / length) : fabs(g[0]);
    for (size_t k = 1; k < o->size; k++) {
        double half = length > 0 ? out[k] / (2 * length) : g[0] * g[k];
        out[k] = mean > 0 ? half / mean : 0;
    }
    out[0] = mean;
}

static void objectives_show(nt_objectives *o)
{
    for (int j = 0; j < o->n; j++) {
        size_t at = (size_t)j * o->size, bytes = o->size * sizeof(double);
        double *out = o->shown + at;
        nt_objective_type type = type_of(o, j);
        memcpy(out, o->g[o->points - 1] + at, bytes);
        if (type == NT_OBJECTIVE_MAXIMUM)
            memcpy(out, o->largest + at, bytes);
        if (type != NT_OBJECTIVE_INTEGRAL && type != NT_OBJECTIVE_RMS)
            continue;
        memcpy(out, o->sum + at, bytes);
        if (o->points == 2) { /* one step only: the straight line, not kept */
            double h = o->t[1] - o->t[0], *sum = o->sum + at;
            const double W[POINTS] = {h / 2, h / 2};
            add_area(o, j, W, 2);
            memcpy(out, sum, bytes);
            memset(sum, 0, bytes);
        }
        if (type == NT_OBJECTIVE_RMS)
            show_mean(o, o->g[o->points - 1] + at, out);
    }
}

nt_status nt_objectives_advance(nt_objectives *o, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "objectives", o);
    if (o->n == 0)
        return NT_OK;
    double t = nt_integrator_state(o->integrator).t;
    if (o->points > 0 && t == o->t[o->points - 1]) { /* an event has changed what is there */
        nt_status again = objectives_look(o, o->g[o->points - 1], error);
        if (again == NT_OK)
            objectives_show(o);
        return nt_said(error, again);
    }
    if (o->points == POINTS) {
        double *oldest = o->g[0];
        for (int i = 0; i + 1 < POINTS; i++) {
            o->t[i] = o->t[i + 1];
            o->g[i] = o->g[i + 1];
        }
        o->g[POINTS - 1] = oldest;
        o->points--;
    }
    nt_status status = objectives_look(o, o->g[o->points], error);
    if (status != NT_OK)
        return nt_said(error, status);
    if (o->points == 0)
        o->start = t;
    o->t[o->points++] = t;
    for (int j = 0; j < o->n; j++)
        look_at_top(o, j);
    objectives_integrate(o);
    objectives_show(o);
    return NT_OK;
}

double nt_objectives_value(const nt_objectives *o, int i)
{
    return o && i >= 0 && i < o->n ? o->shown[(size_t)i * o->size] : (double)NAN;
}

double nt_objectives_derivative(const nt_objectives *o, int i, int k)
{
    bool there = o && i >= 0 && i < o->n && k >= 0 && k < o->n_parameters;
    return there ? o->shown[(size_t)i * o->size + 1 + (size_t)k] : (double)NAN;
}
