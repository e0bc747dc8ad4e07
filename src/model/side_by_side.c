/* Elements evaluated by several threads. Each adds to terms of its own; when all are done these are
 * gathered in the elements' order, as when one thread evaluates them: the sums are the same to the
 * bit. */
#include "model/side_by_side.h"

#include "base/error.h"
#include "base/pool.h"

#include <string.h>

struct nt_side_by_side {
    nt_pool *pool;
    int threads;
    nt_arena arena;
    nt_local *locals;    /* [n_elements] */
    nt_status *status;   /* [n_elements] */
    double *scratch;     /* [threads][model->scratch] */
    const nt_view *view; /* of the point at hand */
};

enum { MOST_THREADS = 256 };

/* The work of elements is counted in ports, of some 50 ns each. Threads are worth waiting for where
 * so many are evaluated beside the largest share: some microseconds, which waking them takes. */
enum { WORTH_PORTS = 64 };

static nt_status pair_take(nt_side_by_side *s, const nt_model *model)
{
    s->locals = NT_TAKE(&s->arena, model->n_elements, nt_local);
    s->status = NT_TAKE(&s->arena, model->n_elements, nt_status);
    s->scratch = NT_TAKE(&s->arena, model->scratch * (size_t)s->threads, double);
    if (!s->locals || !s->status || !s->scratch)
        return NT_NO_MEMORY;
    for (int i = 0; i < model->n_elements; i++) {
        const nt_element *e = &model->elements[i];
        bool lists = e->couple != NULL;
        if (nt_local_take(&s->locals[i], &s->arena, e->size, lists ? 0 : e->size,
                          lists ? 0 : e->n_ports) != NT_OK)
            return NT_NO_MEMORY;
        if (lists)
            s->locals[i].couples = NT_TAKE(&s->arena, 9 * (size_t)e->n_couples, double);
        if (lists && !s->locals[i].couples)
            return NT_NO_MEMORY;
        s->locals[i].apart = true;
        s->locals[i].aside = i < model->n_joints ? NULL : nt_aside_take(model, &s->arena);
        if (i >= model->n_joints && model->n_followed > 0 && !s->locals[i].aside)
            return NT_NO_MEMORY;
    }
    return NT_OK;
}

void nt_side_by_side_free(nt_side_by_side *s)
{
    if (!s)
        return;
    nt_pool_destroy(s->pool);
    nt_arena arena = s->arena;
    nt_arena_free(&arena); /* it holds `s` itself */
}

static int first_of_part(const nt_model *model, int part, int threads)
{
    return (int)((long long)model->n_elements * part / threads);
}

/* Whether threads save anything: of a single bearing they do not. */
static bool are_worth_it(const nt_model *model, int threads)
{
    long total = 0, largest = 0;
    for (int part = 0; part < threads; part++) {
        long share = 0;
        for (int i = first_of_part(model, part, threads);
             i < first_of_part(model, part + 1, threads); i++)
            share += model->elements[i].n_ports;
        total += share;
        largest = share > largest ? share : largest;
    }
    return total - largest >= WORTH_PORTS;
}

nt_status nt_run_set_threads(nt_run *run, int threads, nt_error *error)
{
    NT_NEED(error, "run", run);
    if (threads < 1 || threads > MOST_THREADS)
        return nt_fail(error, NT_INVALID, "%d threads, expected 1 to %d", threads, MOST_THREADS);
    nt_side_by_side_free(run->side_by_side);
    run->side_by_side = NULL;
    if (!are_worth_it(run->model, threads))
        return NT_OK;
    nt_arena arena = {0};
    nt_side_by_side *s = NT_TAKE(&arena, 1, nt_side_by_side);
    if (!s)
        return nt_fail(error, NT_NO_MEMORY, "out of memory for %d threads", threads);
    *s = (nt_side_by_side){.threads = threads, .arena = arena};
    if (pair_take(s, run->model) != NT_OK || !(s->pool = nt_pool_create(threads))) {
        nt_side_by_side_free(s);
        return nt_fail(error, NT_NO_MEMORY, "%d threads cannot be had", threads);
    }
    run->side_by_side = s;
    return NT_OK;
}

/* A share of the elements that follow each other. */
static void evaluate_part(void *context, int part)
{
    nt_side_by_side *s = context;
    nt_view view = *s->view;
    int from = first_of_part(view.model, part, s->threads);
    int to = first_of_part(view.model, part + 1, s->threads);
    view.scratch = s->scratch + (size_t)part * view.model->scratch;
    for (int i = from; i < to; i++) {
        const nt_element *e = &view.model->elements[i];
        view.local = &s->locals[i];
        nt_local_begin(view.local, e);
        s->status[i] = e->type->evaluate(e, &view);
    }
}

nt_status nt_side_by_side_evaluate(nt_side_by_side *s, const nt_view *view,
                                   const nt_element **failed)
{
    const nt_model *model = view->model;
    s->view = view;
    nt_pool_run(s->pool, evaluate_part, s);
    for (int i = 0; i < model->n_elements; i++) {
        if (s->status[i] != NT_OK) {
            *failed = &model->elements[i];
            return s->status[i];
        }
        if (model->elements[i].type->is_load)
            nt_local_scale(&s->locals[i], view->run->share[NT_SHARE_LOADS]);
        nt_local_gather(&s->locals[i], view->terms);
    }
    return NT_OK;
}
