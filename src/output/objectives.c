/* Objectives over a run.
 *
 * With the last three step ends (t_0, g_0), (t_1, g_1), (t_2, g_2) the expression counts as the
 * parabola L through them, L(t) = sum w_i(t) g_i. Everything is linear in the g_i with weights of
 * the times alone, so derivatives are the same sums of the dg_i:
 *
 *   integral over the step   int L dt = sum W_i g_i
 *   top of the parabola      L(t*) = sum w_i(t*) g_i, dL(t*) = sum w_i(t*) dg_i, since L' = 0 there
 *
 * The first step waits for the second one. A step of high order is long for a parabola: it is
 * looked at in parts, by dense output, and its area is that of the polynomial through all of their
 * ends. Where something happens at t* that jumps, a piece ends and the next begins with the values
 * behind it. The times in a piece are held, and t* follows the parameters:
 *
 *   d int g dt += (g- - g+) dt*,   d g(t*) = dg + g' dt* for a maximum there
 *
 * the latter too where g alone goes on and its slope jumps: no parabola reaches over such a time.
 * g' is found by differences of fourth order within the step that ends or begins there; of the
 * parabola where that step is so short that they would be rounding.
 *
 * Where neighbouring steps differ by more than a factor of four the parabola is little more than an
 * extrapolation: then the straight line. */
#include "base/arena.h"
#include "base/error.h"
#include "method/integrator.h"

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
    bool reactions_needed, accelerations_needed;
    double *reactions, *reaction_rates; /* [nh + nn] where needed                   */
    double length;                      /* m, weighs moments against forces          */
    double *fresh;                      /* [n] of the model                          */

    int points;        /* step ends seen so far in this piece, at most POINTS        */
    double t[POINTS];  /* s                                                          */
    double start;      /* s                                                          */
    double begin;      /* s, of the present piece                                    */
    double smooth;     /* s, when accelerations jumped last, or the start             */
    long events;       /* that had happened when it began                            */
    double *behind;    /* [n][size] scratch: behind what has happened                */
    double *moved;     /* [size] derivatives of `begin`, from 1 on                   */
    double *pending;   /* [n] the piece's first value, which was the largest, while g' there
                          is not known; else not a number                            */
    double *slope;     /* [n] g' at the last step end, where a value is the largest; else, and
                          where it is not known, not a number                        */
    double *g[POINTS]; /* [n][size] at them                                         */
    double *sum;       /* [n][size] integral of g or g^2 so far                      */
    double *largest;   /* [n][size]                                                  */
    double *shown;     /* [n][size] results                                          */
};

static nt_objective_type type_of(const nt_objectives *o, int i)
{
    return nt_model_objective(nt_run_model(o->run), i).type;
}

/* The smallest value of g is minus the largest one of -g, which all arrays but `shown` hold. */
static double sign_of(const nt_objectives *o, int i)
{
    return type_of(o, i) == NT_OBJECTIVE_MINIMUM ? -1 : 1;
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
    return NT_DOUBLES(&o->arena, all, &o->sum, &o->largest, &o->shown, &o->behind) &&
           NT_DOUBLES(&o->arena, o->n, &o->fresh, &o->pending, &o->slope) &&
           NT_DOUBLES(&o->arena, o->size, &o->moved) &&
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
    for (int i = 0; i < o->n; i++) {
        nt_objective_info info = nt_model_objective(nt_run_model(run), i);
        o->reactions_needed |= info.needs_reactions != 0;
        o->accelerations_needed |= info.needs_accelerations != 0;
    }
    if (!objectives_take_memory(o)) {
        nt_objectives_destroy(o);
        return nt_fail(error, NT_NO_MEMORY, "out of memory");
    }
    nt_objectives_restart(o);
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
    o->events = 0;
    for (int j = 0; j < o->n; j++)
        o->pending[j] = o->slope[j] = (double)NAN;
    memset(o->sum, 0, (size_t)o->n * o->size * sizeof *o->sum);
}

/* ---- save and restore ------------------------------------------------------------------------
 */

typedef struct saved {
    int n, n_parameters, points;
    double t[POINTS], start, begin, smooth;
    long events;
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
    return o ? sizeof(saved) + KEPT * kept_bytes(o) + (2 * (size_t)o->n + o->size) * sizeof(double)
             : 0;
}

void nt_objectives_save(const nt_objectives *o, void *bytes)
{
    double *kept[KEPT];
    saved head;
    if (!o || !bytes)
        return;
    memset(&head, 0, sizeof head); /* padding too: equal states are equal bytes */
    head.n = o->n, head.n_parameters = o->n_parameters, head.points = o->points;
    head.start = o->start, head.begin = o->begin, head.smooth = o->smooth;
    head.events = o->events;
    memcpy(head.t, o->t, sizeof head.t);
    memcpy(bytes, &head, sizeof head);
    kept_of(o, kept);
    for (size_t i = 0; i < KEPT; i++)
        memcpy((char *)bytes + sizeof head + i * kept_bytes(o), kept[i], kept_bytes(o));
    char *rest = (char *)bytes + sizeof head + KEPT * kept_bytes(o);
    size_t each = (size_t)o->n * sizeof(double);
    memcpy(rest, o->pending, each);
    memcpy(rest + each, o->slope, each);
    memcpy(rest + 2 * each, o->moved, o->size * sizeof(double));
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
    o->start = head.start, o->begin = head.begin, o->smooth = head.smooth;
    o->events = head.events;
    memcpy(o->t, head.t, sizeof head.t);
    kept_of(o, kept);
    for (size_t i = 0; i < KEPT; i++)
        memcpy(kept[i], (const char *)bytes + sizeof head + i * kept_bytes(o), kept_bytes(o));
    const char *rest = (const char *)bytes + sizeof head + KEPT * kept_bytes(o);
    size_t each = (size_t)o->n * sizeof(double);
    memcpy(o->pending, rest, each);
    memcpy(o->slope, rest + each, each);
    memcpy(o->moved, rest + 2 * each, o->size * sizeof(double));
    return NT_OK;
}

/* ---- at a step's end ------------------------------------------------------------------------ */

static nt_status objectives_look_along(nt_objectives *o, const nt_state *state, int k, double *g,
                                       nt_error *error)
{
    nt_state_tangent d;
    nt_status status = nt_sensitivity_dense(o->sensitivity, k, state->t, &d);
    if (status != NT_OK)
        return nt_fail(error, status, "derivatives of objectives at t = %g s: %s", state->t,
                       nt_status_text(status));
    if (o->accelerations_needed)
        status = nt_sensitivity_balance(o->sensitivity, k, state, &d, error);
    if (status == NT_OK && o->reactions_needed)
        status = nt_sensitivity_reactions(o->sensitivity, k, state, &d, o->length,
                                          o->reaction_rates, error);
    const nt_state_rate rate = nt_state_rate_along(&d, nt_sensitivity_parameter(o->sensitivity, k));
    if (status == NT_OK)
        status = nt_run_objective_tangent(o->run, state, o->reactions_needed ? o->reactions : NULL,
                                          &rate, o->reactions_needed ? o->reaction_rates : NULL,
                                          o->fresh, error);
    for (int i = 0; i < o->n && status == NT_OK; i++)
        g[(size_t)i * o->size + 1 + (size_t)k] = sign_of(o, i) * o->fresh[i];
    return status;
}

/* The expressions at the time t of the last step, in `fresh`, and the state there. */
static nt_status objectives_evaluate(nt_objectives *o, double t, nt_state *at, nt_error *error)
{
    nt_state state = nt_integrator_state(o->integrator);
    nt_status status = NT_OK;
    if (t != state.t)
        status = nt_integrator_dense(o->integrator, t, &state);
    if (status != NT_OK)
        return nt_fail(error, status, "objectives at t = %g s: %s", t, nt_status_text(status));
    if (o->accelerations_needed)
        status = nt_integrator_balance(o->integrator, &state, &state, error);
    if (status == NT_OK && o->reactions_needed)
        status = nt_integrator_reactions(o->integrator, &state, o->length, o->reactions, error);
    if (status == NT_OK)
        status = nt_run_objective_values(o->run, &state, o->reactions_needed ? o->reactions : NULL,
                                         o->fresh, error);
    *at = state;
    return status;
}

/* All expressions and their derivatives at the time t of the last step, into g[n][size]. */
static nt_status objectives_look(nt_objectives *o, double t, double *g, nt_error *error)
{
    nt_state state;
    nt_status status = objectives_evaluate(o, t, &state, error);
    for (int i = 0; i < o->n && status == NT_OK; i++)
        g[(size_t)i * o->size] = sign_of(o, i) * o->fresh[i];
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

/* sum[size] += sum W_i g_i, or g_i^2, of objective j */
static void add_area(const nt_objectives *o, int j, const double W[POINTS], int points, double *sum)
{
    bool square = type_of(o, j) == NT_OBJECTIVE_RMS;
    for (int i = 0; i < points; i++) {
        const double *g = o->g[i] + (size_t)j * o->size;
        sum[0] += W[i] * (square ? g[0] * g[0] : g[0]);
        for (size_t k = 1; k < o->size; k++)
            sum[k] += W[i] * (square ? 2 * g[0] * g[k] : g[k]);
    }
}

/* A parabola's top that is so close to its end, in steps, stands there: its slope is not known
 * better, and friction that turns over where a body comes to rest puts many there. */
static const double NEAR_END = 0.1;

/* The top of the newest parabola, where it stands about the middle point, or in the first or the
 * last step of what is smooth. */
static void look_at_parabola(nt_objectives *o, int j, bool first, bool end)
{
    size_t at = (size_t)j * o->size;
    double *largest = o->largest + at;
    const double *g[POINTS] = {o->g[0] + at, o->g[1] + at, o->g[2] + at};
    if (o->points < POINTS || o->t[0] < o->smooth || !is_even(o->t))
        return;
    if (!((first || g[1][0] >= g[0][0]) && (end || g[1][0] >= g[2][0])))
        return;
    double before = (g[1][0] - g[0][0]) / (o->t[1] - o->t[0]);
    double after = (g[2][0] - g[1][0]) / (o->t[2] - o->t[1]);
    if (!(before > after))
        return;
    /* L' is linear between the middles of the steps, where it is `before` and `after` */
    double middle = (o->t[0] + o->t[1]) / 2, w[POINTS], top = 0;
    double t = middle + before / (before - after) * (o->t[2] - o->t[0]) / 2;
    if (!(t >= o->t[0] + NEAR_END * (o->t[1] - o->t[0]) &&
          t <= o->t[2] - NEAR_END * (o->t[2] - o->t[1])))
        return;
    objectives_values_at(o->t, t, w);
    for (int i = 0; i < POINTS; i++)
        top += w[i] * g[i][0];
    if (top < largest[0])
        return;
    for (size_t k = 0; k < o->size; k++)
        largest[k] = w[0] * g[0][k] + w[1] * g[1][k] + w[2] * g[2][k];
}

/* The largest value so far, with the newest step end and the top of the newest parabola. */
static void look_at_top(nt_objectives *o, int j)
{
    size_t at = (size_t)j * o->size;
    int last = o->points - 1;
    if (last == 0 || o->g[last][at] > o->largest[at])
        memcpy(o->largest + at, o->g[last] + at, o->size * sizeof(double));
    look_at_parabola(o, j, o->t[0] == o->smooth, false);
}

/* ---- results -------------------------------------------------------------------------------- */

static void integrate_between(nt_objectives *o, int k)
{
    double W[POINTS];
    areas(o->t, k, W);
    for (int j = 0; j < o->n; j++)
        add_area(o, j, W, POINTS, o->sum + (size_t)j * o->size);
}

static void objectives_integrate(nt_objectives *o)
{
    if (o->points < POINTS)
        return;
    if (o->begin == o->t[0]) /* the step that waited */
        integrate_between(o, 0);
    integrate_between(o, 1);
}

static void integrate_newest(nt_objectives *o, double weight)
{
    double W[POINTS] = {0};
    W[o->points - 1] = weight;
    for (int j = 0; j < o->n; j++)
        add_area(o, j, W, o->points, o->sum + (size_t)j * o->size);
}

/* The derivative of the time at which an event has ended the run. */
static double end_rate(const nt_objectives *o, size_t k)
{
    return nt_integrator_ended_by(o->integrator) >= 0
               ? nt_sensitivity_event_time(o->sensitivity, (int)k - 1)
               : 0;
}

/* The root mean square, from the integral of g^2. Before the first step the run has no length, and
 * |g| is shown. */
static void show_mean(const nt_objectives *o, const double *g, double *out)
{
    double length = o->t[o->points - 1] - o->start;
    double mean = length > 0 ? sqrt(fmax(out[0], 0) / length) : fabs(g[0]);
    for (size_t k = 1; k < o->size; k++) {
        double half =
            length > 0 ? (out[k] - mean * mean * end_rate(o, k)) / (2 * length) : g[0] * g[k];
        out[k] = mean > 0 ? half / mean : 0;
    }
    out[0] = mean;
}

/* The only step of a piece. */
static void add_line(const nt_objectives *o, int j, double *sum)
{
    double h = o->t[1] - o->t[0];
    const double W[POINTS] = {h / 2, h / 2};
    add_area(o, j, W, 2, sum);
}

static void add_end(const nt_objectives *o, int j, double *sum)
{
    double g = o->g[o->points - 1][(size_t)j * o->size];
    for (size_t k = 1; k < o->size; k++)
        sum[k] += (type_of(o, j) == NT_OBJECTIVE_RMS ? g * g : g) * end_rate(o, k);
}

static void objectives_show(nt_objectives *o)
{
    for (int j = 0; j < o->n; j++) {
        size_t at = (size_t)j * o->size, bytes = o->size * sizeof(double);
        double *out = o->shown + at;
        nt_objective_type type = type_of(o, j);
        memcpy(out, o->g[o->points - 1] + at, bytes);
        if (type == NT_OBJECTIVE_MAXIMUM || type == NT_OBJECTIVE_MINIMUM)
            memcpy(out, o->largest + at, bytes);
        for (size_t k = 0; k < o->size && type == NT_OBJECTIVE_MINIMUM; k++)
            out[k] = -out[k];
        if (type != NT_OBJECTIVE_INTEGRAL && type != NT_OBJECTIVE_RMS)
            continue;
        memcpy(out, o->sum + at, bytes);
        if (o->points == 2) /* one step only: the straight line, not kept */
            add_line(o, j, out);
        add_end(o, j, out);
        if (type == NT_OBJECTIVE_RMS)
            show_mean(o, o->g[o->points - 1] + at, out);
    }
}

/* ---- what happens --------------------------------------------------------------------------- */

/* A step so short beside another that its slope is rounding, and one that is long enough for
 * differences within it. */
static const double SHORTEST = 1e-7, ENOUGH = 1e-4;

/* Whether objective j has its largest value at the last step's end. */
static bool is_largest(const nt_objectives *o, int j)
{
    nt_objective_type type = type_of(o, j);
    size_t at = (size_t)j * o->size;
    return (type == NT_OBJECTIVE_MAXIMUM || type == NT_OBJECTIVE_MINIMUM) &&
           o->g[o->points - 1][at] == o->largest[at];
}

/* Whether the motion of the last step is still known since t: not where several steps were made
 * between two looks. */
static bool is_known_since(const nt_objectives *o, double t)
{
    nt_state state;
    return nt_integrator_dense(o->integrator, t, &state) == NT_OK;
}

/* g' at one end of the last step, in slope[n], by differences of fourth order over an eighth of
 * it. */
static nt_status find_slopes(nt_objectives *o, bool at_begin, nt_error *error)
{
    static const double weight[] = {-25. / 12, 4, -3, 4. / 3, -0.25};
    int last = o->points - 1;
    double h = (at_begin ? 1 : -1) * (o->t[last] - o->t[last - 1]) / 32;
    double from = at_begin ? o->t[last - 1] : o->t[last];
    nt_state state;
    nt_status status = NT_OK;
    for (int j = 0; j < o->n; j++)
        o->slope[j] = 0;
    for (int k = 0; k < 5 && status == NT_OK; k++) {
        status = objectives_evaluate(o, from + k * h, &state, error);
        for (int j = 0; j < o->n; j++)
            o->slope[j] += weight[k] / h * sign_of(o, j) * o->fresh[j];
    }
    return status;
}

/* Slopes at the end of the last step, where something may happen: of values that are the largest.
 */
static nt_status look_at_slopes(nt_objectives *o, nt_error *error)
{
    int last = o->points - 1;
    bool some = false;
    for (int j = 0; j < o->n && o->n_parameters > 0; j++)
        some = some || is_largest(o, j);
    double before = last > 1 ? o->t[last - 1] - o->t[last - 2] : 0;
    if (some && last > 0 && o->t[last] - o->t[last - 1] > ENOUGH * before &&
        is_known_since(o, o->t[last - 1]))
        return find_slopes(o, false, error);
    for (int j = 0; j < o->n; j++)
        o->slope[j] = (double)NAN;
    return NT_OK;
}

/* g' at the end of the points that there are, where it was not found: of the parabola through
 * three. */
static double slope_at_end(const nt_objectives *o, int j)
{
    const double *t = o->t;
    size_t at = (size_t)j * o->size;
    if (!isnan(o->slope[j]))
        return o->slope[j];
    if (o->points < 2)
        return 0;
    double first = (o->g[1][at] - o->g[0][at]) / (t[1] - t[0]);
    if (o->points < POINTS)
        return first;
    double second = (o->g[2][at] - o->g[1][at]) / (t[2] - t[1]);
    double bend = (second - first) / (t[2] - t[0]), ratio = (t[2] - t[1]) / (t[1] - t[0]);
    if (ratio < SHORTEST || ratio > 1 / SHORTEST)
        return ratio < SHORTEST ? first : second;
    return second + bend * (t[2] - t[1]);
}

/* g' at the begin of the piece: of the parabola through its first value and the last two points. */
static double slope_at_begin(const nt_objectives *o, int j)
{
    size_t at = (size_t)j * o->size;
    int last = o->points - 1;
    double all = o->t[last] - o->begin, first = o->pending[j];
    if (!(all > 0))
        return 0;
    double far = (o->g[last][at] - first) / all, part = last > 0 ? o->t[last - 1] - o->begin : 0;
    if (!(part > SHORTEST * all))
        return far;
    double near = (o->g[last - 1][at] - first) / part;
    return (near * all - far * part) / (all - part);
}

/* Whether g has changed by enough since the begin of the piece, or time has passed, for its slope
 * there not to be rounding: a method may begin with very short steps. */
static bool knows_slope(const nt_objectives *o, int j)
{
    static const double CHANGED = 1e-7, PASSED = 1e-4;
    int last = o->points - 1;
    double change = o->g[last][(size_t)j * o->size] - o->pending[j];
    return fabs(change) >= CHANGED * fabs(o->pending[j]) ||
           o->t[last] - o->begin >= PASSED * (o->begin - o->start);
}

/* The largest value is at an end of the piece: it follows the time of that. */
static void move_largest(nt_objectives *o, int j, double slope)
{
    double *largest = o->largest + (size_t)j * o->size;
    for (size_t k = 1; k < o->size; k++)
        largest[k] += slope * o->moved[k];
}

/* The largest value is the piece's first; not where a larger one has come since. */
static void move_first(nt_objectives *o, int j, double slope)
{
    if (o->largest[(size_t)j * o->size] == o->pending[j])
        move_largest(o, j, slope);
    o->pending[j] = (double)NAN;
}

/* Of values that were the largest behind what has happened, once their slopes there are known. */
static nt_status move_pending(nt_objectives *o, nt_error *error)
{
    bool within = o->points == 2 && is_known_since(o, o->t[0]), found = false;
    for (int j = 0; j < o->n; j++) {
        if (isnan(o->pending[j]) || o->points < 2 || !knows_slope(o, j))
            continue;
        nt_status status = within && !found ? find_slopes(o, true, error) : NT_OK;
        if (status != NT_OK)
            return status;
        found = true;
        move_first(o, j, within ? o->slope[j] : slope_at_begin(o, j));
    }
    return NT_OK;
}

static void end_piece(nt_objectives *o, int j)
{
    size_t at = (size_t)j * o->size;
    const double *before = o->g[o->points - 1] + at, *behind = o->behind + at;
    double *sum = o->sum + at, *largest = o->largest + at;
    bool square = type_of(o, j) == NT_OBJECTIVE_RMS;
    if (o->points == 2)
        add_line(o, j, sum);
    for (size_t k = 1; k < o->size; k++)
        sum[k] += (square ? before[0] * before[0] - behind[0] * behind[0] : before[0] - behind[0]) *
                  o->moved[k];
    if (largest[0] == before[0])
        move_largest(o, j, slope_at_end(o, j));
    if (behind[0] > largest[0]) {
        memcpy(largest, behind, o->size * sizeof *largest);
        o->pending[j] = behind[0];
    }
}

/* What has happened at the last step's end, where the next one began: slopes may jump, and a piece
 * ends there, if it was an event or a value has jumped. */
static nt_status begin_piece(nt_objectives *o, nt_error *error)
{
    int last = o->points - 1;
    double t = o->t[last];
    long events = nt_integrator_statistics(o->integrator)->events;
    nt_status status = objectives_look(o, t, o->behind, error);
    bool jumps = events != o->events;
    for (int j = 0; j < o->n; j++) {
        jumps = jumps || o->behind[(size_t)j * o->size] != o->g[last][(size_t)j * o->size];
        look_at_parabola(o, j, o->t[0] == o->smooth, true);
    }
    o->smooth = t;
    for (size_t k = 1; k < o->size && !jumps; k++)
        o->moved[k] = nt_sensitivity_event_time(o->sensitivity, (int)k - 1);
    for (int j = 0; j < o->n && !jumps; j++)
        if (is_largest(o, j))
            move_largest(o, j, slope_at_end(o, j));
    if (status != NT_OK || !jumps)
        return status;
    for (int j = 0; j < o->n; j++)
        if (!isnan(o->pending[j]))
            move_first(o, j, slope_at_begin(o, j)); /* by the piece's own begin */
    for (size_t k = 1; k < o->size; k++)
        o->moved[k] = nt_sensitivity_event_time(o->sensitivity, (int)k - 1);
    for (int j = 0; j < o->n; j++)
        end_piece(o, j);
    double *first = o->g[0];
    o->g[0] = o->behind;
    o->behind = first;
    o->t[0] = o->begin = t;
    o->points = 1;
    o->events = events;
    return NT_OK;
}

/* What has happened at the end of the run counts too, and its derivative with its time. */
static void look_again(nt_objectives *o, int j)
{
    size_t at = (size_t)j * o->size;
    const double *g = o->g[o->points - 1] + at;
    if (g[0] >= o->largest[at])
        memcpy(o->largest + at, g, o->size * sizeof *g);
}

/* Whether something had happened where the last step began. Where steps were made since the last
 * look, nothing is known of that state any more. */
static bool begins_piece(const nt_objectives *o)
{
    return nt_integrator_began_anew(o->integrator) && is_known_since(o, o->t[o->points - 1]);
}

/* The newest point, in place of the oldest. */
static nt_status add_point(nt_objectives *o, double t, nt_error *error)
{
    if (o->points == POINTS) {
        double *oldest = o->g[0];
        for (int i = 0; i + 1 < POINTS; i++) {
            o->t[i] = o->t[i + 1];
            o->g[i] = o->g[i + 1];
        }
        o->g[POINTS - 1] = oldest;
        o->points--;
    }
    nt_status status = objectives_look(o, t, o->g[o->points], error);
    if (status != NT_OK)
        return status;
    if (o->points == 0)
        o->start = o->begin = o->smooth = t;
    o->t[o->points++] = t;
    for (int j = 0; j < o->n; j++)
        look_at_top(o, j);
    return move_pending(o, error);
}

/* Parts of a long step: the polynomial through their five ends is integrated exactly (Boole). */
enum { PARTS = 4 };

/* Whether the step to t is one to be looked at in parts: not one that only passes a place, nor
 * where ends of the run are all that is asked for. */
static bool is_long(const nt_objectives *o, double t)
{
    static const double LEAST = 1e-6; /* of the time since the start */
    bool within = false;
    for (int j = 0; j < o->n; j++)
        within = within || type_of(o, j) != NT_OBJECTIVE_FINAL;
    return within && o->points > 0 && nt_integrator_is_of_high_order(o->integrator) &&
           t - o->t[o->points - 1] > LEAST * (t - o->start) &&
           is_known_since(o, o->t[o->points - 1]);
}

static nt_status add_long_step(nt_objectives *o, double t, nt_error *error)
{
    static const double area[PARTS + 1] = {7. / 90, 32. / 90, 12. / 90, 32. / 90, 7. / 90};
    double from = o->t[o->points - 1], h = t - from;
    bool waited = o->points == 2;
    nt_status status = NT_OK;
    integrate_newest(o, h * area[0]);
    for (int i = 1; i <= PARTS && status == NT_OK; i++) {
        status = add_point(o, i < PARTS ? from + h * i / PARTS : t, error);
        if (status == NT_OK && waited && i == 1)
            integrate_between(o, 0);
        if (status == NT_OK)
            integrate_newest(o, h * area[i]);
    }
    return status;
}

static nt_status add_step(nt_objectives *o, double t, nt_error *error)
{
    if (is_long(o, t))
        return add_long_step(o, t, error);
    nt_status status = add_point(o, t, error);
    if (status == NT_OK)
        objectives_integrate(o);
    return status;
}

nt_status nt_objectives_advance(nt_objectives *o, nt_error *error)
{
    nt_error_clear(error);
    NT_NEED(error, "objectives", o);
    if (o->n == 0)
        return NT_OK;
    double t = nt_integrator_state(o->integrator).t;
    if (o->points > 0 && t == o->t[o->points - 1]) { /* an event has changed what is there */
        nt_status again = objectives_look(o, t, o->g[o->points - 1], error);
        for (int j = 0; j < o->n && again == NT_OK; j++)
            look_again(o, j);
        if (again == NT_OK)
            objectives_show(o);
        return nt_said(error, again);
    }
    nt_status status = NT_OK;
    if (o->points > 0 && begins_piece(o))
        status = begin_piece(o, error);
    if (status == NT_OK)
        status = add_step(o, t, error);
    if (status == NT_OK)
        status = look_at_slopes(o, error);
    if (status != NT_OK)
        return nt_said(error, status);
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
