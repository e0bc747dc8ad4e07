/* Where forces of a model begin and end with a slope: nt_system.onsets.
 *
 * Those of elements, and of expressions of loads what bends with the motion: abs, min and max where
 * their argument or difference passes zero; tables at the points at which their slope jumps. A
 * table of many points is a curve, at which nobody wants to stop. */
#include "model/events/onsets.h"

#include "model/elements.h"
#include "model/evaluate.h"
#include "model/expressions/expression_code.h"

#include <string.h>

enum { MANY_POINTS = 64 };

/* Of tables the first, the last or all of their points. */
static int bend_count(const nt_bend *b)
{
    if (b->operation != NT_OP_TABLE)
        return b->operation == NT_OP_RISE ? 0 : 1; /* step() has a slope of zero at its ends */
    if (b->table->m > 0 || b->table->form.beyond == NT_BEYOND_PERIODIC)
        return 0;
    if (b->table->form.interpolation == NT_LINEAR)
        return b->table->n <= MANY_POINTS ? b->table->n : 0;
    return b->table->form.beyond == NT_HOLD ? 2 : 0;
}

static int bend_values(const nt_bend *b, const double *variables, double *beyond)
{
    int n = bend_count(b);
    double x = n > 0 ? nt_expression_value(b->argument, variables) : 0;
    for (int i = 0; i < n && !b->table; i++)
        beyond[i] = x;
    for (int i = 0; i < n && b->table; i++)
        beyond[i] = x - b->table->x[n < b->table->n ? i * (b->table->n - 1) : i];
    return n;
}

bool nt_model_bend(nt_model *model, int operation, const nt_expression *argument,
                   const nt_table *table)
{
    int n = model->n_bends;
    if ((n & (n - 1)) == 0) { /* the room is full, a power of two */
        nt_bend *larger = NT_TAKE(&model->arena, n == 0 ? 1 : 2 * n, nt_bend);
        if (!larger)
            return false;
        if (n > 0)
            memcpy(larger, model->bends, (size_t)n * sizeof *larger);
        model->bends = larger;
    }
    model->bends[model->n_bends++] = (nt_bend){operation, argument, table};
    return true;
}

void nt_model_count_onsets(nt_model *model)
{
    int n = 0;
    for (int i = 0; i < model->n_elements; i++) {
        model->elements[i].first_onset = n;
        n += nt_element_count_onsets(model->origin, &model->elements[i]);
    }
    for (int i = 0; i < model->n_bends; i++)
        n += bend_count(&model->bends[i]);
    model->system.n_onsets = n;
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
    for (int i = 0; i < run->model->n_bends; i++)
        n += bend_values(&run->model->bends[i], run->variables, beyond + n);
    return NT_OK;
}

void nt_run_hold_onsets(void *self, const nt_point *at)
{
    nt_run *run = self;
    if (!run)
        return;
    run->beyond = NULL;
    if (at && nt_run_onsets(run, at, run->onsets) == NT_OK)
        run->beyond = run->onsets;
}
