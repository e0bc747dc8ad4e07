/* Elements evaluated by several threads: each thread takes the next ones that nobody has taken, and
 * one that comes too late for any is not waited for.
 * Elements add to terms of their own; when all are done these are gathered in the elements' order,
 * as when one thread evaluates them: the sums are the same to the bit, whoever did what. */
#include "model/side_by_side.h"

#include "base/error.h"
#include "base/pool.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct sized {
    int ports, element;
};

struct nt_side_by_side {
    nt_pool *pool;
    int threads;
    nt_arena arena;
    nt_local *locals;     /* [n_elements] */
    nt_status *status;    /* [n_elements] */
    double *scratch;      /* [threads][model->scratch] */
    const nt_view *view;  /* of the point at hand */
    struct sized *order;  /* [n_elements] largest first */
    int *share, n_shares; /* [n_shares + 1] first places in `order` of what is taken at once */
    atomic_int next;      /* share that nobody has taken yet */
};

enum { MOST_THREADS = 256 };

/* The work of elements is counted in ports, of some 50 ns each. Threads are worth waiting for where
 * so many are evaluated beside the longest share: some microseconds, which waking them takes. */
enum { WORTH_PORTS = 64 };

static int larger_first(const void *a, const void *b)
{
    const struct sized *x = a, *y = b;
    if (x->ports != y->ports)
        return x->ports < y->ports ? 1 : -1;
    return (x->element > y->element) - (x->element < y->element);
}

/* Large elements first, so that none is left to one thread at the end; small ones several at a
 * time. */
static bool share_out(nt_side_by_side *s, const nt_model *model)
{
    s->order = NT_TAKE(&s->arena, model->n_elements, struct sized);
    s->share = NT_TAKE(&s->arena, model->n_elements + 1, int);
    if (!s->order || !s->share)
        return false;
    for (int i = 0; i < model->n_elements; i++)
        s->order[i] = (struct sized){model->elements[i].n_ports, i};
    qsort(s->order, (size_t)model->n_elements, sizeof *s->order, larger_first);
    for (int i = 0, ports = 0; i < model->n_elements; i++) {
        ports += s->order[i].ports;
        if (ports >= WORTH_PORTS || i + 1 == model->n_elements)
            s->share[++s->n_shares] = i + 1, ports = 0;
    }
    return true;
}

static nt_status pair_take(nt_side_by_side *s, const nt_model *model)
{
    s->locals = NT_TAKE(&s->arena, model->n_elements, nt_local);
    s->status = NT_TAKE(&s->arena, model->n_elements, nt_status);
    s->scratch = NT_TAKE(&s->arena, model->scratch * (size_t)s->threads, double);
    if (!s->locals || !s->status || !s->scratch || !share_out(s, model))
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

/* Whether threads save anything: of a single bearing they do not. */
static bool are_worth_it(const nt_model *model, int threads)
{
    long total = 0, largest = 0;
    for (int i = 0; i < model->n_elements; i++) {
        long ports = model->elements[i].n_ports;
        total += ports;
        largest = ports > largest ? ports : largest;
    }
    long share = (total + threads - 1) / threads;
    return total - (share > largest ? share : largest) >= WORTH_PORTS;
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

static void evaluate_part(void *context, int part)
{
    nt_side_by_side *s = context;
    nt_view view = *s->view;
    int share;
    view.scratch = s->scratch + (size_t)part * view.model->scratch;
    while ((share = atomic_fetch_add_explicit(&s->next, 1, memory_order_relaxed)) < s->n_shares)
        for (int k = s->share[share]; k < s->share[share + 1]; k++) {
            int i = s->order[k].element;
            const nt_element *e = &view.model->elements[i];
            view.local = &s->locals[i];
            nt_local_begin_terms(view.local, e, view.terms->matrix != NULL);
            s->status[i] = e->type->evaluate(e, &view);
        }
}

nt_status nt_side_by_side_evaluate(nt_side_by_side *s, const nt_view *view,
                                   const nt_element **failed)
{
    const nt_model *model = view->model;
    s->view = view;
    atomic_store_explicit(&s->next, 0, memory_order_relaxed);
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
