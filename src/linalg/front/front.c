/* The numeric phase of the core: assemble a front, factorise its pivots, pass the rest on. */
#include "linalg/front/front.h"
#include "base/target.h"

#include <stdbool.h>
#include <string.h>

static int padded(int n) { return (n + 3) & ~3; }

/* The four parts of a front while it is built. */
typedef struct parts {
    double *f11, *f21, *f12, *f22;
    int wp, rp;
} parts;

/* The column `offset` of a front at a column place, split into its pivot part and the rest. */
static inline void front_column_of(const parts *p, int place, int offset, double **pivots,
                                   double **others)
{
    if (place < 0) {
        ptrdiff_t c = ~place + offset;
        *pivots = p->f11 + c * p->wp;
        *others = p->f21 + c * p->rp;
    } else {
        ptrdiff_t c = place + offset;
        *pivots = p->f12 + c * p->wp;
        *others = p->f22 + c * p->rp;
    }
}

/* Blocks come from all over the store: those some places later are asked for in time. */
static void load_blocks(const nt_front_tree *tree, const nt_front *front, const double *store,
                        const parts *p)
{
    for (int l = front->loads; l < front->load_end; l++) {
        const nt_front_load *load = &tree->load[l];
        const double *from = store + load->source;
        __builtin_prefetch(store + load[NT_FRONT_LOADS_AHEAD].source);
        __builtin_prefetch(store + load[NT_FRONT_LOADS_AHEAD].source + 8);
        bool above = load->row_place < 0, before = load->column_place < 0;
        double *part = above ? (before ? p->f11 : p->f12) : (before ? p->f21 : p->f22);
        ptrdiff_t ld = above ? p->wp : p->rp;
        double *to = part + (before ? ~load->column_place : load->column_place) * ld +
                     (above ? ~load->row_place : load->row_place);
        for (int j = 0; j < load->columns; j++, from += padded(load->rows), to += ld) {
            if (load->rows == 3) { /* as most are */
                to[0] += from[0], to[1] += from[1], to[2] += from[2];
                continue;
            }
            for (int i = 0; i < load->rows; i++)
                to[i] += from[i];
        }
    }
}

/* ---- what children passed on ----------------------------------------------------------------
 *
 * A child's unknowns are in elimination order, and so are a front's: pivots first, then the others.
 * So the runs of a child ascend, first in the pivots (~place), then in the rest, and the gaps
 * between them are known while one goes along. */

static void zero(double *to, ptrdiff_t count)
{
    for (ptrdiff_t i = 0; i < count; i++)
        to[i] = 0;
}

/* A column of `height`: the runs of a child's column, zero elsewhere. */
static inline void copy_runs(double *to, int height, const nt_front_run *run,
                             const nt_front_run *end, const double *from)
{
    int at = 0;
    for (; run < end; run++) {
        int start = run->place < 0 ? ~run->place : run->place;
        for (; at < start; at++)
            to[at] = 0;
        const double *u = from + run->from;
        for (int i = 0; i < run->count; i++)
            to[at + i] = u[i];
        at += run->count;
    }
    zero(to + at, height - at);
}

static inline void add_runs(double *to, const nt_front_run *run, const nt_front_run *end,
                            const double *from)
{
    for (; run < end; run++) {
        double *c = to + (run->place < 0 ? ~run->place : run->place);
        const double *u = from + run->from;
        int i = 0;
        for (; i + 3 <= run->count; i += 3) /* most nodes have three unknowns */
            c[i] += u[i], c[i + 1] += u[i + 1], c[i + 2] += u[i + 2];
        for (; i < run->count; i++)
            c[i] += u[i];
    }
}

/* The runs in the pivots end here. */
static const nt_front_run *middle_of(const nt_front_run *run, const nt_front_run *end)
{
    while (run < end && run->place < 0)
        run++;
    return run;
}

/* The front as one child leaves it: every number is written once. */
NT_WIDE static void copy_child(const nt_front_tree *tree, const nt_front *child, int w, int r,
                               const parts *p)
{
    const nt_front_run *begin = tree->run + child->runs, *end = tree->run + child->run_end;
    const nt_front_run *middle = middle_of(begin, end), *column = begin;
    const double *from = tree->stack + child->final;
    int rp = padded(child->r);
    for (int half = 0; half < 2; half++) {
        double *pivots = half ? p->f12 : p->f11, *others = half ? p->f22 : p->f21;
        const nt_front_run *stop = half ? end : middle;
        ptrdiff_t at = 0, columns = half ? r : w;
        for (; column < stop; column++) {
            int start = half ? column->place : ~column->place;
            zero(pivots + at * p->wp, (start - at) * p->wp);
            zero(others + at * p->rp, (start - at) * p->rp);
            at = start + column->count;
            for (ptrdiff_t c = start; c < at; c++, from += rp) {
                copy_runs(pivots + c * p->wp, p->wp, begin, middle, from);
                copy_runs(others + c * p->rp, p->rp, middle, end, from);
            }
        }
        zero(pivots + at * p->wp, (columns - at) * p->wp);
        zero(others + at * p->rp, (columns - at) * p->rp);
    }
}

NT_WIDE static void add_child(const nt_front_tree *tree, const nt_front *child, const parts *p)
{
    const nt_front_run *begin = tree->run + child->runs, *end = tree->run + child->run_end;
    const nt_front_run *middle = middle_of(begin, end);
    const double *from = tree->stack + child->final;
    int rp = padded(child->r);
    for (const nt_front_run *column = begin; column < end; column++)
        for (int j = 0; j < column->count; j++, from += rp) {
            double *pivots, *others;
            front_column_of(p, column->place, j, &pivots, &others);
            add_runs(pivots, begin, middle, from);
            add_runs(others, middle, end, from);
        }
}

/* All of a front before its elimination. The largest child is copied, the others are added. A leaf
 * has no F22: every block of the matrix enters where one of its nodes is a pivot. */
static void front_assemble(const nt_front_tree *tree, const nt_front *front, const int *children,
                           const double *store, const parts *p)
{
    const nt_front *largest = NULL;
    for (int c = 0; c < front->child_count; c++) {
        const nt_front *child = &tree->front[children[c]];
        if (!largest || child->r > largest->r)
            largest = child;
    }
    if (largest) {
        copy_child(tree, largest, front->w, front->r, p);
    } else {
        size_t wp = (size_t)p->wp, rp = (size_t)p->rp;
        memset(p->f11, 0, (wp + rp) * (size_t)front->w * sizeof(double));
        memset(p->f12, 0, wp * (size_t)front->r * sizeof(double));
    }
    for (int c = 0; c < front->child_count; c++)
        if (&tree->front[children[c]] != largest)
            add_child(tree, &tree->front[children[c]], p);
    load_blocks(tree, front, store, p);
}

/* F22 - F21 X to where it waits for the parent; a leaf's F22 is zero and was never written. The
 * product may move down while it is made: it goes through groups of at most NT_FRONT_COLUMNS
 * columns in their order and reads each before it writes it, so what is written must not reach the
 * group after it. */
static void pass_on(nt_front_tree *tree, const nt_front_kernels *kernels, const nt_front *front,
                    const parts *p, const double *x)
{
    double *final = tree->stack + front->final;
    int w = front->w, r = front->r;
    int apart = front->final > front->build ||
                front->build - front->final >= NT_FRONT_COLUMNS * (size_t)p->rp;
    double *to = apart ? final : p->f22;
    kernels->multiply(p->rp, r, w, p->f21, p->rp, x, p->wp, to, p->rp, p->f22,
                      front->child_count ? NT_DIFFERENCE : NT_NEGATIVE);
    if (to != final)
        memmove(final, to, (size_t)p->rp * (size_t)r * sizeof(double));
}

/* F11^-1 by the hook, and its product with F12. */
static int invert_pivots(nt_front_tree *tree, const nt_front_kernels *kernels,
                         const nt_front *front, const parts *p, nt_front_hook *hook, void *context)
{
    int w = front->w, r = front->r;
    if (!hook(context, tree, front, p->f11))
        return 0;
    memcpy(tree->panel, p->f12, (size_t)p->wp * (size_t)r * sizeof *p->f12);
    kernels->multiply(p->wp, r, w, p->f11, p->wp, tree->panel, p->wp, p->f12, p->wp, p->f12,
                      NT_PRODUCT);
    return 1;
}

int nt_front_factor(nt_front_tree *tree, const nt_front_kernels *kernels, const double *store,
                    nt_front_hook *hook, void *context)
{
    tree->inverted = hook != NULL;
    for (int i = 0; hook && i < tree->n_batches; i++)
        tree->batch[i].taken = 0;
    for (int f = 0; f < tree->n_fronts; f++) {
        if (nt_front_is_taken(tree, f))
            continue;
        const nt_front *front = &tree->front[f];
        int w = front->w, r = front->r;
        parts p = {.f11 = tree->factors + front->pivots,
                   .f21 = tree->factors + front->left,
                   .f12 = tree->factors + front->right,
                   .f22 = tree->stack + front->build,
                   .wp = padded(w),
                   .rp = padded(r)};
        front_assemble(tree, front, tree->child + front->children, store, &p);
        int *exchange = tree->exchange + front->exchange;
        if (hook ? !invert_pivots(tree, kernels, front, &p, hook, context)
                 : !kernels->factor(w, r, p.f11, p.f21, p.f12, exchange))
            return f;
        pass_on(tree, kernels, front, &p, p.f12);
    }
    return -1;
}

/* ---- solving -------------------------------------------------------------------------------- */

static void front_gather(const nt_front_piece *begin, const nt_front_piece *end, const double *b,
                         double *to)
{
    for (const nt_front_piece *piece = begin; piece < end; to += piece->size, piece++) {
        const double *from = b + piece->position;
        if (piece->size == 3) /* as most are */
            to[0] = from[0], to[1] = from[1], to[2] = from[2];
        else
            for (int i = 0; i < piece->size; i++)
                to[i] = from[i];
    }
}

static void front_scatter(const nt_front_piece *begin, const nt_front_piece *end,
                          const double *from, double *b, int add)
{
    for (const nt_front_piece *piece = begin; piece < end; from += piece->size, piece++) {
        double *to = b + piece->position;
        if (piece->size == 3 && add)
            to[0] += from[0], to[1] += from[1], to[2] += from[2];
        else if (piece->size == 3)
            to[0] = from[0], to[1] = from[1], to[2] = from[2];
        else
            for (int i = 0; i < piece->size; i++)
                to[i] = add ? to[i] + from[i] : from[i];
    }
}

/* What every solve step of a front needs. */
typedef struct step {
    const nt_front *front;
    const nt_front_piece *first, *middle, *last;
    const double *pivots, *left, *right;
    const int *exchange;
    double *u, *v; /* scratch, w and r long */
    int wp, rp;
} step;

static step front_step_of(const nt_front_tree *tree, int f)
{
    const nt_front *front = &tree->front[f];
    step s = {.front = front,
              .first = tree->piece + front->pieces,
              .middle = tree->piece + front->pivot_pieces,
              .last = tree->piece + front->piece_end,
              .pivots = tree->factors + front->pivots,
              .left = tree->factors + front->left,
              .right = tree->factors + front->right,
              .exchange = tree->exchange + front->exchange,
              .u = tree->panel,
              .wp = padded(front->w),
              .rp = padded(front->r)};
    s.v = tree->panel + s.wp + s.rp;
    return s;
}

static void exchange(const step *s, double *x)
{
    for (int k = 0; k < s->front->w; k++) {
        double t = x[k];
        x[k] = x[s->exchange[k]], x[s->exchange[k]] = t;
    }
}

/* P^T x */
static void exchange_back(const step *s, double *x)
{
    for (int k = s->front->w - 1; k >= 0; k--) {
        double t = x[k];
        x[k] = x[s->exchange[k]], x[s->exchange[k]] = t;
    }
}

/* y = L^-1 P b, and the later part of b less F21 U^-1 y. */
void nt_front_forward(const nt_front_tree *tree, const nt_front_kernels *kernels, double *b)
{
    for (int f = 0; f < tree->n_fronts; f++) {
        if (nt_front_is_taken(tree, f))
            continue;
        step s = front_step_of(tree, f);
        int w = s.front->w;
        double *y = tree->inverted ? s.v : s.u;
        memset(s.u, 0, (size_t)s.wp * sizeof(double));
        front_gather(s.first, s.middle, b, s.u);
        if (tree->inverted) {
            kernels->apply(s.wp, w, s.pivots, s.wp, s.u, s.v, 0);
        } else {
            exchange(&s, s.u);
            kernels->lower(w, s.pivots, s.u);
        }
        front_scatter(s.first, s.middle, y, b, 0);
        if (s.front->r == 0)
            continue;
        double *rest = tree->inverted ? s.u : s.v;
        memset(rest, 0, (size_t)s.rp * sizeof(double));
        kernels->apply(s.rp, w, s.left, s.rp, y, rest, 1);
        front_scatter(s.middle, s.last, rest, b, 1);
    }
}

/* U^-1 (y - L^-1 P F12 x_later) */
void nt_front_backward(const nt_front_tree *tree, const nt_front_kernels *kernels, double *b)
{
    for (int f = tree->n_fronts - 1; f >= 0; f--) {
        if (nt_front_is_taken(tree, f))
            continue;
        step s = front_step_of(tree, f);
        front_gather(s.middle, s.last, b, s.v);
        memset(s.u, 0, (size_t)s.wp * sizeof(double));
        front_gather(s.first, s.middle, b, s.u);
        if (s.front->r > 0)
            kernels->apply(s.wp, s.front->r, s.right, s.wp, s.v, s.u, 1);
        if (!tree->inverted)
            kernels->upper(s.front->w, s.pivots, s.u);
        front_scatter(s.first, s.middle, s.u, b, 0);
    }
}

/* y := A^T x, or y - A^T x */
static void multiply_transposed(int m, int n, const double *a, int lda, const double *x, double *y,
                                int subtract)
{
    for (int j = 0; j < n; j++, a += lda) {
        double sum = 0;
        for (int i = 0; i < m; i++)
            sum += a[i] * x[i];
        y[j] = subtract ? y[j] - sum : sum;
    }
}

/* x := U^-T x, and L^-T x */
static void upper_transposed(const step *s, double *x)
{
    const double *column = s->pivots;
    for (int j = 0; j < s->front->w; j++, column += s->wp) {
        for (int i = 0; i < j; i++)
            x[j] -= column[i] * x[i];
        x[j] *= column[j];
    }
}
static void lower_transposed(const step *s, double *x)
{
    for (int j = s->front->w - 1; j >= 0; j--) {
        const double *column = s->pivots + (ptrdiff_t)j * s->wp;
        for (int i = j + 1; i < s->front->w; i++)
            x[j] -= column[i] * x[i];
    }
}

/* Of factors: y = U^-T b, of inverses: b stays until the end; b_later - F12^T y. */
void nt_front_forward_transposed(const nt_front_tree *tree, double *b)
{
    nt_front_forward_transposed_batches(tree, b);
    for (int f = 0; f < tree->n_fronts; f++) {
        if (nt_front_is_taken(tree, f))
            continue;
        step s = front_step_of(tree, f);
        int w = s.front->w, r = s.front->r;
        front_gather(s.first, s.middle, b, s.u);
        if (!tree->inverted)
            upper_transposed(&s, s.u);
        memset(s.v, 0, (size_t)s.rp * sizeof(double));
        multiply_transposed(w, r, s.right, s.wp, s.u, s.v, 1);
        front_scatter(s.middle, s.last, s.v, b, 1);
        if (tree->inverted) {
            multiply_transposed(w, w, s.pivots, s.wp, s.u, s.v, 0);
            front_scatter(s.first, s.middle, s.v, b, 0);
        } else {
            front_scatter(s.first, s.middle, s.u, b, 0);
        }
    }
}

/* Of factors P^T L^-T (y - F21^T x_later), of inverses y - F11^-T (F21^T x_later). */
void nt_front_backward_transposed(const nt_front_tree *tree, double *b)
{
    for (int f = tree->n_fronts - 1; f >= 0; f--) {
        if (nt_front_is_taken(tree, f))
            continue;
        step s = front_step_of(tree, f);
        int w = s.front->w, r = s.front->r;
        front_gather(s.middle, s.last, b, s.v);
        multiply_transposed(r, w, s.left, s.rp, s.v, s.u, 0);
        front_gather(s.first, s.middle, b, s.v);
        if (tree->inverted) {
            multiply_transposed(w, w, s.pivots, s.wp, s.u, s.v, 1);
        } else {
            for (int i = 0; i < w; i++)
                s.v[i] -= s.u[i];
            lower_transposed(&s, s.v);
            exchange_back(&s, s.v);
        }
        front_scatter(s.first, s.middle, s.v, b, 0);
    }
    nt_front_backward_transposed_batches(tree, b);
}
