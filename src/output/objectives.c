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
 * ends; tops of parabolas are followed to those of the expression itself. Where something happens
 * at t* that jumps, a piece ends and the next begins with the values behind it. The times in a
 * piece are held, and t* follows the parameters:
 *
 *   d int g dt += (g- - g+) dt*,   d g(t*) = dg + g' dt* for a maximum there
 *
 * the latter too where g alone goes on and its slope jumps: no parabola reaches over such a time.
 * g' is found by differences of fourth order within the step that ends or begins there; of the
 * parabola where that step is so short that they would be rounding.
 *
 * Where neighbouring steps differ by more than a factor of four the parabola is little more than an
 * extrapolation: then the straight line. */
#include "output/objectives.h"
#include "base/error.h"
#include "method/integrator.h"

#include <nutate/output.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory --------------------------------------------------------------------------------- */

static bool objectives_take_memory(nt_objectives *o)
{
    const nt_system *system = nt_run_system(o->run);
    size_t all = (size_t)o->n * o->size;
    size_t rows = o->reactions_needed ? (size_t)(system->nh + system->nn) : 0;
    for (int i = 0; i < POINTS; i++)
        if (!NT_DOUBLES(&o->arena, all, &o->g[i]))
            return false;
    return NT_DOUBLES(&o->arena, all, &o->sum, &o->largest, &o->shown, &o->behind, &o->at_top) &&
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
        g[(size_t)i * o->size + 1 + (size_t)k] = nt_objectives_sign(o, i) * o->fresh[i];
    return status;
}

nt_status nt_objectives_evaluate(nt_objectives *o, double t, nt_state *at, nt_error *error)
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

nt_status nt_objectives_look(nt_objectives *o, double t, double *g, nt_error *error)
{
    nt_state state;
    nt_status status = nt_objectives_evaluate(o, t, &state, error);
    for (int i = 0; i < o->n && status == NT_OK; i++)
        g[(size_t)i * o->size] = nt_objectives_sign(o, i) * o->fresh[i];
    for (int k = 0; k < o->n_parameters && status == NT_OK; k++)
        status = objectives_look_along(o, &state, k, g, error);
    return status;
}

/* ---- parabolas ------------------------------------------------------------------------------ */

/* sum[size] += sum W_i g_i, or g_i^2, of objective j */
static void add_area(const nt_objectives *o, int j, const double W[POINTS], int points, double *sum)
{
    bool square = nt_objectives_type(o, j) == NT_OBJECTIVE_RMS;
    for (int i = 0; i < points; i++) {
        const double *g = o->g[i] + (size_t)j * o->size;
        sum[0] += W[i] * (square ? g[0] * g[0] : g[0]);
        for (size_t k = 1; k < o->size; k++)
            sum[k] += W[i] * (square ? 2 * g[0] * g[k] : g[k]);
    }
}

/* The largest value so far, with the newest step end and the top of the newest parabola. */
static nt_status look_at_top(nt_objectives *o, int j, nt_error *error)
{
    size_t at = (size_t)j * o->size;
    int last = o->points - 1;
    if (last == 0 || o->g[last][at] > o->largest[at])
        memcpy(o->largest + at, o->g[last] + at, o->size * sizeof(double));
    return nt_objectives_look_at_parabola(o, j, o->t[0] == o->smooth, false, error);
}

/* ---- results -------------------------------------------------------------------------------- */

static void integrate_between(nt_objectives *o, int k)
{
    double W[POINTS];
    nt_parabola_areas(o->t, k, W);
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
        sum[k] += (nt_objectives_type(o, j) == NT_OBJECTIVE_RMS ? g * g : g) * end_rate(o, k);
}

static void objectives_show(nt_objectives *o)
{
    for (int j = 0; j < o->n; j++) {
        size_t at = (size_t)j * o->size, bytes = o->size * sizeof(double);
        double *out = o->shown + at;
        nt_objective_type type = nt_objectives_type(o, j);
        memcpy(out, o->g[o->points - 1] + at, bytes);
        if (nt_objectives_is_extreme(o, j))
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
    size_t at = (size_t)j * o->size;
    return nt_objectives_is_extreme(o, j) && o->g[o->points - 1][at] == o->largest[at];
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
        status = nt_objectives_evaluate(o, from + k * h, &state, error);
        for (int j = 0; j < o->n; j++)
            o->slope[j] += weight[k] / h * nt_objectives_sign(o, j) * o->fresh[j];
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
    bool square = nt_objectives_type(o, j) == NT_OBJECTIVE_RMS;
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
    nt_status status = nt_objectives_look(o, t, o->behind, error);
    bool jumps = events != o->events;
    for (int j = 0; j < o->n; j++) {
        jumps = jumps || o->behind[(size_t)j * o->size] != o->g[last][(size_t)j * o->size];
        if (status == NT_OK)
            status = nt_objectives_look_at_parabola(o, j, o->t[0] == o->smooth, true, error);
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

/* No parabola reaches over steps that are uneven: what is smooth for one ends before such a step
 * and begins behind it. */
static nt_status look_before_uneven(nt_objectives *o, double t, nt_error *error)
{
    nt_status status = NT_OK;
    const double next[POINTS] = {o->t[1], o->t[2], t};
    bool ends = !nt_parabola_is_even(next);
    for (int j = 0; j < o->n && ends && status == NT_OK; j++)
        status = nt_objectives_look_at_parabola(o, j, o->t[0] == o->smooth, true, error);
    if (!nt_parabola_is_even(o->t))
        o->smooth = fmax(o->smooth, o->t[1]);
    return status;
}

/* The newest point, in place of the oldest. */
static nt_status add_point(nt_objectives *o, double t, nt_error *error)
{
    nt_status status = NT_OK;
    if (o->points == POINTS) {
        status = look_before_uneven(o, t, error);
        double *oldest = o->g[0];
        for (int i = 0; i + 1 < POINTS; i++) {
            o->t[i] = o->t[i + 1];
            o->g[i] = o->g[i + 1];
        }
        o->g[POINTS - 1] = oldest;
        o->points--;
    }
    if (status == NT_OK)
        status = nt_objectives_look(o, t, o->g[o->points], error);
    if (status != NT_OK)
        return status;
    if (o->points == 0)
        o->start = o->begin = o->smooth = t, o->parted = -INFINITY;
    o->t[o->points++] = t;
    for (int j = 0; j < o->n && status == NT_OK; j++)
        status = look_at_top(o, j, error);
    return status == NT_OK ? move_pending(o, error) : status;
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
        within = within || nt_objectives_type(o, j) != NT_OBJECTIVE_FINAL;
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
    o->parted = t;
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
        nt_status again = nt_objectives_look(o, t, o->g[o->points - 1], error);
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
