/* Elements, and parts of large ones, evaluated by several threads: each thread takes its own ones,
 * whose numbers its processor still has at hand, then those that nobody has taken; one that comes
 * too late for any is not waited for. They add to terms of their own; when all are done these are
 * gathered in the elements' order, as when one thread evaluates them: the sums are the same to the
 * bit, whoever did what. Blocks of the matrix that one part alone adds to go there at once. */
#include "model/side_by_side.h"

#include "base/error.h"
#include "base/pool.h"
#include "model/bodies/bodies.h"

#include <stdlib.h>
#include <string.h>

/* An element, or a part of it. */
typedef struct task {
    int element, part, parts, ports;
    int from, to; /* the entries of the element that this part adds to */
    nt_local local;
    nt_status status;
} task;

/* Blocks that are put aside of an element that lists its blocks: all parts share them. */
typedef struct apart {
    int *place, *listed, n_listed; /* places [n_couples] of blocks in `couples`; these in order */
    double *couples;               /* [n_listed][9]                                            */
} apart;

struct nt_side_by_side {
    nt_pool *pool;
    int threads;
    bool shares_forces; /* also where no tangents are asked for */
    nt_arena arena;
    task *tasks; /* [n_tasks] in the order of elements and parts */
    int n_tasks;
    apart *apart;        /* [n_elements]                          */
    double *scratch;     /* [threads][model->scratch]             */
    const nt_view *view; /* of the point at hand                  */
    v3 gravity;
    int *owner;       /* [n_bodies] the thread that evaluates a body where it may */
    int *run, n_runs; /* [n_bodies + 1] first of successive bodies of one thread, behind the last */
    int *first_block, *block_owner, n_divided; /* [n_blocks] the same of blocks of the space */
    task **order;                              /* [n_tasks] largest first               */
    int *share, n_shares; /* [n_shares + 1] first places in `order` of what is taken at once */
};

enum { MOST_THREADS = 256 };

/* The work of elements is counted in ports, of some 50 ns each, of 300 where tangents of beams are
 * asked for. Threads are worth waiting for where so many are evaluated beside the longest share:
 * some microseconds, which waking them takes. Forces alone are worth it where they are many: what
 * other threads have left in their caches takes as long to be fetched as some of them to be found.
 * To take a share costs a tenth of a microsecond. */
enum { WORTH_PORTS = 64, WORTH_FORCES = 400, SHARE_PORTS = 20 };

static int parts_of(const nt_element *e) { return e->n_parts > 1 ? e->n_parts : 1; }

static int larger_first(const void *a, const void *b)
{
    const task *x = *(task *const *)a, *y = *(task *const *)b;
    if (x->ports != y->ports)
        return x->ports < y->ports ? 1 : -1;
    int along = x->part * y->parts - y->part * x->parts;
    if (along != 0)
        return along < 0 ? -1 : 1;
    return (x > y) - (x < y);
}

/* Large ones first, so that none is left to one thread at the end; small ones several at a time. */
static bool share_out(nt_side_by_side *s)
{
    s->order = NT_TAKE(&s->arena, s->n_tasks, task *);
    s->share = NT_TAKE(&s->arena, s->n_tasks + 1, int);
    if (!s->order || !s->share)
        return false;
    for (int i = 0; i < s->n_tasks; i++)
        s->order[i] = &s->tasks[i];
    qsort(s->order, (size_t)s->n_tasks, sizeof(task *), larger_first);
    for (int i = 0, ports = 0; i < s->n_tasks; i++) {
        ports += s->order[i]->ports;
        if (ports >= SHARE_PORTS || i + 1 == s->n_tasks)
            s->share[++s->n_shares] = i + 1, ports = 0;
    }
    return true;
}

/* Blocks belong to the threads of their bodies. */
static bool divide_blocks(nt_side_by_side *s, const nt_model *model)
{
    const nt_space *space = &model->system.space;
    s->first_block = NT_TAKE(&s->arena, space->n_blocks + 1, int);
    s->block_owner = NT_TAKE(&s->arena, space->n_blocks + 1, int);
    if (!s->first_block || !s->block_owner)
        return false;
    for (int k = 0, i = 1, owner = 0; k < space->n_blocks; k++) {
        while (i + 1 < model->n_bodies && model->bodies[i].v < space->blocks[k].v)
            i++;
        if (i < model->n_bodies && model->bodies[i].v == space->blocks[k].v)
            owner = s->owner[i];
        if (s->n_divided == 0 || s->block_owner[s->n_divided - 1] != owner) {
            s->first_block[s->n_divided] = k;
            s->block_owner[s->n_divided++] = owner;
        }
    }
    return true;
}

/* A body of an element in parts belongs to the thread that has its part; others are divided. */
static bool divide_bodies(nt_side_by_side *s, const nt_model *model)
{
    s->owner = NT_TAKE(&s->arena, model->n_bodies, int);
    s->run = NT_TAKE(&s->arena, model->n_bodies + 1, int);
    int *of_node = malloc(((size_t)model->pattern.n_nodes + 1) * sizeof *of_node);
    if (!s->owner || !s->run || !of_node) {
        free(of_node);
        return false;
    }
    for (int i = 0; i < model->pattern.n_nodes; i++)
        of_node[i] = -1;
    for (int i = 0; i < model->n_elements; i++) {
        const nt_element *e = &model->elements[i];
        for (int p = 0; e->n_parts > 1 && p < e->n_ports; p++)
            if (e->ports[p].node >= 0)
                of_node[e->ports[p].node] = (int)((long)p * s->threads / e->n_ports);
    }
    for (int i = 0; i < model->n_bodies; i++) {
        int node = model->bodies[i].t_node;
        s->owner[i] = node >= 0 && of_node[node] >= 0
                          ? of_node[node]
                          : (int)((long)i * s->threads / model->n_bodies);
    }
    free(of_node);
    return divide_blocks(s, model);
}

/* ---- blocks that more than one adds to ------------------------------------------------------- */

enum { NOBODY = -1, SEVERAL = -2 };

static void mark(int *adds, int block, int by)
{
    if (block >= 0)
        adds[block] = adds[block] == NOBODY || adds[block] == by ? by : SEVERAL;
}

/* Who adds to each block of the matrix: the number of a task, nobody, several. */
static void find_adding(const nt_model *model, int *adds)
{
    for (int i = 0; i < model->pattern.n_slots; i++)
        adds[i] = NOBODY;
    for (int i = 0, first = 0; i < model->n_elements; first += parts_of(&model->elements[i++])) {
        const nt_element *e = &model->elements[i];
        for (int k = 0; e->slot && k < e->n_ports * e->n_ports; k++)
            mark(adds, e->slot[k], first);
        for (int k = 0; e->couple && k < e->n_couples; k++)
            mark(adds, e->couple[k], first + (e->n_parts > 1 ? e->couple_part[k] : 0));
    }
}

static bool list_apart(nt_side_by_side *s, const nt_element *e, const int *adds, apart *of)
{
    of->place = NT_TAKE(&s->arena, e->n_couples, int);
    of->listed = NT_TAKE(&s->arena, e->n_couples, int);
    if (!of->place || !of->listed)
        return false;
    for (int k = 0; k < e->n_couples; k++) {
        bool shared = adds[e->couple[k]] == SEVERAL;
        of->place[k] = shared ? of->n_listed : -1;
        if (shared)
            of->listed[of->n_listed++] = k;
    }
    of->couples = NT_TAKE(&s->arena, 9 * (size_t)of->n_listed + 1, double);
    return of->couples != NULL;
}

static nt_status take_apart(nt_side_by_side *s, const nt_model *model)
{
    int *adds = malloc(((size_t)model->pattern.n_slots + 1) * sizeof *adds);
    bool ok = adds && (s->apart = NT_TAKE(&s->arena, model->n_elements, apart));
    if (ok)
        find_adding(model, adds);
    for (int i = 0; ok && i < model->n_elements; i++)
        if (model->elements[i].couple)
            ok = list_apart(s, &model->elements[i], adds, &s->apart[i]);
    free(adds);
    return ok ? NT_OK : NT_NO_MEMORY;
}

static void add_apart(const nt_element *e, const apart *of, const nt_matrix *matrix)
{
    for (int i = 0; i < of->n_listed; i++) {
        double *to = nt_matrix_block(matrix, e->couple[of->listed[i]]);
        for (int k = 0; k < 9; k++)
            to[k] += of->couples[9 * i + k];
    }
}

/* ---- making them ----------------------------------------------------------------------------- */

static nt_status take_local(nt_side_by_side *s, const nt_model *model, task *t)
{
    const nt_element *e = &model->elements[t->element];
    nt_local *local = &t->local;
    bool lists = e->couple != NULL;
    if (nt_local_take(local, &s->arena, e->size, lists ? 0 : e->size, lists ? 0 : e->n_ports) !=
        NT_OK)
        return NT_NO_MEMORY;
    local->apart = true;
    local->part = t->part;
    local->n_parts = e->n_parts;
    local->couples = s->apart[t->element].couples;
    local->place = s->apart[t->element].place;
    local->aside = t->element < model->n_joints ? NULL : nt_aside_take(model, &s->arena);
    bool follows = t->element >= model->n_joints && model->n_followed > 0;
    return follows && !local->aside ? NT_NO_MEMORY : NT_OK;
}

/* Those of the ports that its blocks are between. */
static void find_entries(const nt_element *e, task *t)
{
    t->from = t->parts > 1 ? e->size : 0;
    t->to = t->parts > 1 ? 0 : e->size;
    for (int k = 0; t->parts > 1 && k < 2 * e->n_couples; k++) {
        const nt_port *port = &e->ports[e->couple_ports[k]];
        if (e->couple_part[k / 2] != t->part)
            continue;
        t->from = port->start < t->from ? port->start : t->from;
        t->to = port->start + port->size > t->to ? port->start + port->size : t->to;
    }
}

static nt_status take_tasks(nt_side_by_side *s, const nt_model *model)
{
    for (int i = 0; i < model->n_elements; i++)
        s->n_tasks += parts_of(&model->elements[i]);
    s->tasks = NT_TAKE(&s->arena, s->n_tasks, task);
    s->scratch = NT_TAKE(&s->arena, model->scratch * (size_t)s->threads, double);
    if (!s->tasks || !s->scratch || take_apart(s, model) != NT_OK)
        return NT_NO_MEMORY;
    task *t = s->tasks;
    for (int i = 0; i < model->n_elements; i++) {
        const nt_element *e = &model->elements[i];
        for (int part = 0; part < parts_of(e); part++, t++) {
            t->element = i, t->part = part, t->parts = parts_of(e);
            t->ports = e->n_ports / parts_of(e);
            find_entries(e, t);
            if (take_local(s, model, t) != NT_OK)
                return NT_NO_MEMORY;
        }
    }
    return share_out(s) && divide_bodies(s, model) ? NT_OK : NT_NO_MEMORY;
}

void nt_side_by_side_free(nt_side_by_side *s)
{
    if (!s)
        return;
    nt_pool_destroy(s->pool);
    nt_arena arena = s->arena;
    nt_arena_free(&arena); /* it holds `s` itself */
}

/* Ports that others evaluate beside the longest share: of a single bearing none. Without tangents
 * one thread finds all forces of an element. */
static long count_saved(const nt_model *model, int threads, bool tangents)
{
    long total = 0, largest = 0;
    for (int i = 0; i < model->n_elements; i++) {
        const nt_element *e = &model->elements[i];
        long ports = !tangents && e->work > 0 ? e->work : e->n_ports;
        long part = tangents ? ports / parts_of(e) : ports;
        total += ports;
        largest = part > largest ? part : largest;
    }
    long share = (total + threads - 1) / threads;
    return total - (share > largest ? share : largest);
}

nt_status nt_run_set_threads(nt_run *run, int threads, nt_error *error)
{
    NT_NEED(error, "run", run);
    if (threads < 1 || threads > MOST_THREADS)
        return nt_fail(error, NT_INVALID, "%d threads, expected 1 to %d", threads, MOST_THREADS);
    nt_side_by_side_free(run->side_by_side);
    run->side_by_side = NULL;
    run->pool = NULL;
    if (count_saved(run->model, threads, true) < WORTH_PORTS)
        return NT_OK;
    nt_arena arena = {0};
    nt_side_by_side *s = NT_TAKE(&arena, 1, nt_side_by_side);
    if (!s)
        return nt_fail(error, NT_NO_MEMORY, "out of memory for %d threads", threads);
    *s = (nt_side_by_side){
        .threads = threads,
        .arena = arena,
        .shares_forces = count_saved(run->model, threads, false) >= WORTH_FORCES,
    };
    if (take_tasks(s, run->model) != NT_OK || !(s->pool = nt_pool_create(threads, s->n_shares))) {
        nt_side_by_side_free(s);
        return nt_fail(error, NT_NO_MEMORY,
                       "%d threads cannot be had: out of memory, or at their limit", threads);
    }
    run->side_by_side = s;
    run->pool = s->pool;
    nt_pool_divide(s->pool, s->first_block, s->block_owner, s->n_divided);
    return NT_OK;
}

bool nt_side_by_side_pays(const nt_side_by_side *s, const nt_view *view)
{
    return s && !view->energy && (view->terms->matrix || s->shares_forces);
}

/* ---- evaluating ------------------------------------------------------------------------------ */

static void begin_round(nt_side_by_side *s, const nt_view *view, nt_pool_job *job)
{
    s->view = view;
    nt_pool_run(s->pool, job, s);
}

static void evaluate_tasks(void *context, int thread)
{
    nt_side_by_side *s = context;
    nt_view view = *s->view;
    int share, looked = 0;
    view.scratch = s->scratch + (size_t)thread * view.model->scratch;
    while ((share = nt_pool_take(s->pool, s->n_shares, thread, &looked)) >= 0)
        for (int k = s->share[share]; k < s->share[share + 1]; k++) {
            task *t = s->order[k];
            const nt_element *e = &view.model->elements[t->element];
            view.local = &t->local;
            nt_local_begin_terms(view.local, e, false);
            t->status = e->type->evaluate(e, &view);
        }
}

static void evaluate_bodies(void *context, int thread)
{
    nt_side_by_side *s = context;
    const nt_view *view = s->view;
    int share, looked = 0;
    while ((share = nt_pool_take(s->pool, s->threads, thread, &looked)) >= 0)
        for (int k = 0; k < s->n_runs; k++)
            if (s->owner[s->run[k]] == share)
                nt_bodies_evaluate(view->run->bodies, view->model->n_bodies, s->run[k],
                                   s->run[k + 1], view->at, view->terms, s->gravity, NULL,
                                   view->run->motion);
}

void nt_side_by_side_bodies(nt_side_by_side *s, const nt_view *view, v3 gravity, int from)
{
    const nt_body *bodies = view->run->bodies;
    int n = view->model->n_bodies, i = from;
    for (s->n_runs = 0; i < n; i = nt_bodies_behind(bodies, n, i))
        if (s->n_runs == 0 || s->owner[i] != s->owner[s->run[s->n_runs - 1]])
            s->run[s->n_runs++] = i;
    s->run[s->n_runs] = n;
    s->gravity = gravity;
    begin_round(s, view, evaluate_bodies);
}

/* What the parts of an element have added, to what its first one has. */
static void gather_parts(task *first, int parts)
{
    for (int part = 1; part < parts; part++) {
        const nt_local *local = &first[part].local;
        if (!local->has_pushed)
            continue;
        if (!first->local.has_pushed)
            memset(first->local.residual, 0, (size_t)local->element->size * sizeof(double));
        first->local.has_pushed = true;
        for (int i = first[part].from; i < first[part].to; i++)
            first->local.residual[i] += local->residual[i];
    }
}

nt_status nt_side_by_side_evaluate(nt_side_by_side *s, const nt_view *view,
                                   const nt_element **failed)
{
    const nt_model *model = view->model;
    for (int i = 0; view->terms->matrix && i < model->n_elements; i++)
        if (model->elements[i].couple)
            memset(s->apart[i].couples, 0, 9 * (size_t)s->apart[i].n_listed * sizeof(double));
    begin_round(s, view, evaluate_tasks);
    task *t = s->tasks;
    for (int i = 0; i < model->n_elements; t += parts_of(&model->elements[i++])) {
        const nt_element *e = &model->elements[i];
        int parts = parts_of(e);
        for (int part = 0; part < parts; part++)
            if (t[part].status != NT_OK) {
                *failed = e;
                return t[part].status;
            }
        gather_parts(t, parts);
        if (e->type->is_load)
            nt_local_scale(&t->local, view->run->share[NT_SHARE_LOADS]);
        nt_local_gather(&t->local, view->terms);
        if (e->couple && view->terms->matrix)
            add_apart(e, &s->apart[i], view->terms->matrix);
    }
    return NT_OK;
}
