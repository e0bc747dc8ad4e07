/* Where forces of a model begin and end with a slope: nt_system.onsets.
 *
 * Those of elements, and of expressions of loads what bends with the motion: abs, min and max where
 * their argument or difference passes zero; tables at the points at which their slope jumps. A
 * table of many points is a curve, at which nobody wants to stop: of all its jumps together those
 * points have a part that counts. */
#include "model/events/onsets.h"
#include "base/number.h"

#include "model/elements.h"
#include "model/evaluate.h"
#include "model/expressions/expression_code.h"
#include "model/quantities/signal.h"

#include <math.h>
#include <string.h>

/* A point counts whose slope jumps by this part of all jumps of the table: there are 64 of them at
 * most. Of a table of so many points all count at which the jump is none by rounding. */
enum { MANY_POINTS = 64 };
static const double COUNTS = 1.0 / MANY_POINTS, ROUNDING = 1e-9;

/* ---- points of tables ----------------------------------------------------------------------- */

static bool repeats(const nt_table *t) { return t->form.beyond == NT_BEYOND_PERIODIC; }

/* The slope beside point i: side -1 before it, 1 behind it. Where a table has no value it ends the
 * run, and nothing jumps. */
static double slope_beside(const nt_table *t, int i, int side)
{
    int last = t->n - 1, other = i + side;
    if (repeats(t) && (other < 0 || other > last))
        i = last - i, other = i + side;
    if (other < 0 || other > last)
        return t->form.beyond == NT_HOLD ? 0 : slope_beside(t, i, -side);
    bool lines = t->form.interpolation == NT_LINEAR;
    return lines ? (t->y[other] - t->y[i]) / (t->x[other] - t->x[i]) : t->slope[i];
}

static double jump_at(const nt_table *t, int i)
{
    return fabs(slope_beside(t, i, 1) - slope_beside(t, i, -1));
}

/* Whether higher derivatives jump at all of its points. */
static bool is_of_cubics(const nt_table *t)
{
    return t->form.interpolation == NT_MONOTONE || t->form.interpolation == NT_SPLINE;
}

/* The points at which a table bends; of one that repeats itself the last one is the first. Of
 * cubics the second or third derivative does: few points count with it. */
static int bend_points(const nt_table *t, double *at)
{
    int n = 0;
    double all = 0;
    for (int i = 0; i < t->n - repeats(t) && is_of_cubics(t) && t->n <= MANY_POINTS; i++)
        at[n++] = t->x[i];
    if (n > 0)
        return n;
    for (int i = 0; i < t->n; i++)
        all += jump_at(t, i);
    for (int i = 0; i < t->n - repeats(t); i++) {
        if (jump_at(t, i) > (t->n <= MANY_POINTS ? ROUNDING : COUNTS) * all)
            at[n++] = t->x[i];
    }
    return n;
}

/* ---- places --------------------------------------------------------------------------------- */

static void bend_values(const nt_bend *b, const double *variables, double *beyond)
{
    double x = b->n > 0 ? nt_expression_value(b->argument, variables) : 0;
    for (int i = 0; i < b->n; i++) {
        beyond[i] = b->at ? x - b->at[i] : x;
        if (b->period > 0) /* zero there and once in each period before and after */
            beyond[i] = b->period / NT_PI * sin(NT_PI * beyond[i] / b->period);
    }
}

/* NULL: there is no memory. */
static nt_bend *add_bend(nt_model *model, int operation, const nt_expression *argument,
                         const nt_table *table)
{
    int n = model->n_bends;
    if ((n & (n - 1)) == 0) { /* the room is full, a power of two */
        nt_bend *larger = NT_TAKE(&model->arena, n == 0 ? 1 : 2 * n, nt_bend);
        if (!larger)
            return NULL;
        if (n > 0)
            memcpy(larger, model->bends, (size_t)n * sizeof *larger);
        model->bends = larger;
    }
    nt_bend *to = &model->bends[n];
    *to = (nt_bend){.argument = argument, .n = operation != NT_OP_RISE, .variable = -1};
    if (table) { /* step() has a slope of zero at its ends */
        double *at = NT_TAKE(&model->arena, table->n, double);
        if (!at)
            return NULL;
        to->n = table->m == 0 ? bend_points(table, at) : 0;
        to->at = at;
        to->period = repeats(table) ? table->x[table->n - 1] - table->x[0] : 0;
    }
    model->n_bends++;
    return to;
}

int nt_model_bend(nt_model *model, int operation, const nt_expression *argument,
                  const nt_table *table)
{
    nt_bend *bend = add_bend(model, operation, argument, table);
    if (!bend)
        return -2;
    int signal =
        bend->n > 0 ? nt_model_added_signal(model, NT_SIGNAL_SIDE, model->n_bends - 1) : -1;
    if (signal == -2)
        return -2;
    bend->variable = signal < 0 ? -1 : nt_model_time_variable(model) + 1 + signal;
    return bend->variable;
}

void nt_bends_free(const nt_model *model, double *variables)
{
    for (int k = 0; k < model->n_bends; k++)
        if (model->bends[k].variable >= 0)
            variables[model->bends[k].variable] = 0;
}

double nt_bend_side(const nt_run *run, int k)
{
    const nt_bend *bend = &run->model->bends[k];
    double side = 0;
    for (int i = 0; run->sides && i < bend->n && side == 0; i++)
        side = run->sides[bend->first + i];
    if (side == 0 && run->holds_bends && run->beyond && bend->n == 1 && !bend->at) {
        double held = run->beyond[bend->first];
        side = (held > 0) - (held < 0);
    }
    return side;
}

static bool has_parameters(const nt_model *model, const nt_expression *argument)
{
    int n;
    const int *variables = nt_expression_variables(argument, &n);
    for (int i = 0; i < n; i++)
        if (variables[i] < model->n_parameters)
            return true;
    return false;
}

/* Functions of time bend at known stops. Where events set parameters, derivatives along what is set
 * have to know of them too. They are seen from a side by the time that they are looked at
 * (nt_events.clock). */
static bool add_bends_of_time(nt_model *model)
{
    for (int k = 0; k < model->n_switches && model->parameters_change; k++) {
        const nt_switch *s = &model->switches[k];
        if (s->known && s->bends && has_parameters(model, s->argument) &&
            !add_bend(model, s->operation, s->argument, s->table))
            return false;
    }
    return true;
}

nt_status nt_model_count_onsets(nt_model *model)
{
    int n = 0;
    if (!add_bends_of_time(model))
        return NT_NO_MEMORY;
    for (int i = 0; i < model->n_elements; i++) {
        model->elements[i].first_onset = n;
        n += nt_element_count_onsets(model->origin, &model->elements[i]);
    }
    for (int i = 0; i < model->n_bends; i++) {
        model->bends[i].first = n;
        n += model->bends[i].n;
    }
    model->system.n_onsets = n;
    return NT_OK;
}

/* ---- sides at stops ------------------------------------------------------------------------- */

/* s, of a side of no stop; finite, so that differences of memories have a value. */
static const double NO_STOP = 1e300;

void nt_onsets_forget_sides(const nt_model *model, double *memory)
{
    int n = nt_onset_memory(&model->system);
    double *entry = memory + model->onset_memory;
    memset(entry, 0, (size_t)n * sizeof *entry);
    entry[0] = entry[n / 2] = NO_STOP;
}

void nt_run_hold_sides(void *self, double t, double by, int behind, const double *side,
                       double *memory)
{
    const nt_run *run = self;
    if (!run || !side || !memory || run->model->onset_memory < 0)
        return;
    const nt_model *model = run->model;
    int n = model->system.n_onsets;
    double *entry = memory + model->onset_memory + (behind ? 0 : NT_ONSET_TIMES + n);
    if (behind) /* the stop before which the motion was is this one */
        nt_onsets_forget_sides(model, memory);
    entry[0] = t, entry[1] = by;
    memcpy(entry + NT_ONSET_TIMES, side, (size_t)n * sizeof *side);
}

nt_status nt_run_onsets(void *self, const nt_point *at, double *beyond)
{
    nt_run *run = self;
    if (!beyond || !nt_run_can_look(run, at, false))
        return NT_INVALID;
    nt_view view;
    nt_terms none = {0};
    int n = 0;
    nt_run_look(run, at, &none, &view);
    for (int i = 0; i < run->model->n_elements; i++) {
        const nt_element *e = &run->model->elements[i];
        if (nt_element_count_onsets(run, e) > 0)
            n += e->type->onsets(run, e, &view, beyond + n);
    }
    for (int i = 0; i < run->model->n_bends; n += run->model->bends[i++].n)
        bend_values(&run->model->bends[i], run->variables, beyond + n);
    return NT_OK;
}

void nt_run_hold_onsets(void *self, const nt_point *at)
{
    nt_run *run = self;
    if (!run)
        return;
    run->beyond = NULL;
    run->holds_bends = false;
    if (!at || nt_run_onsets(run, at, run->onsets) != NT_OK)
        return;
    run->beyond = run->onsets;
    run->holds_bends = true;
}
