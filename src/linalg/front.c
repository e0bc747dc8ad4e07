/* The numeric phase of the core: assemble a front, invert its pivots, pass the rest on. */
#include "linalg/front.h"
#include "base/target.h"

#include <string.h>

static int padded(int n) { return (n + 3) & ~3; }

/* The four parts of a front while it is built. */
typedef struct parts {
    double *f11, *f21, *f12, *f22;
    int wp, rp;
} parts;

/* The column `offset` of a front at a column place, split into its pivot part and the rest. */
static void front_column_of(const parts *p, int place, int offset, double **pivots, double **others)
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
        for (int j = 0; j < load->columns; j++, from += padded(load->rows)) {
            double *pivots, *others;
            front_column_of(p, load->column_place, j, &pivots, &others);
            double *to = load->row_place < 0 ? pivots + ~load->row_place : others + load->row_place;
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
    int apart = front->build - front->final >= NT_FRONT_COLUMNS * (size_t)p->rp;
    double *to = apart ? final : p->f22;
    kernels->multiply(p->rp, r, w, p->f21, p->rp, x, p->wp, to, p->rp, p->f22,
                      front->child_count ? NT_DIFFERENCE : NT_NEGATIVE);
    if (to != final)
        memmove(final, to, (size_t)p->rp * (size_t)r * sizeof(double));
}

int nt_front_factor(nt_front_tree *tree, const nt_front_kernels *kernels, const double *store,
                    nt_front_hook *hook, void *context)
{
    int children = 0;
    for (int f = 0; f < tree->n_fronts; f++) {
        const nt_front *front = &tree->front[f];
        int w = front->w, r = front->r;
        parts p = {.f11 = tree->factors + front->inverse,
                   .f21 = tree->factors + front->left,
                   .f12 = tree->panel,
                   .f22 = tree->stack + front->build,
                   .wp = padded(w),
                   .rp = padded(r)};
        double *x = tree->factors + front->right;
        front_assemble(tree, front, tree->child + children, store, &p);
        children += front->child_count;
        if (hook ? !hook(context, tree, front, p.f11)
                 : !kernels->invert(w, p.wp, p.f11, tree->exchange))
            return f;
        kernels->multiply(p.wp, r, w, p.f11, p.wp, p.f12, p.wp, x, p.wp, x, NT_PRODUCT);
        pass_on(tree, kernels, front, &p, x);
    }
    return -1;
}

/* ---- solving -------------------------------------------------------------------------------- */

static void front_gather(const nt_front_piece *begin, const nt_front_piece *end, const double *b,
                         double *to)
{
    for (const nt_front_piece *piece = begin; piece < end; piece++)
        for (int i = 0; i < piece->size; i++)
            *to++ = b[piece->position + i];
}

static void front_scatter(const nt_front_piece *begin, const nt_front_piece *end,
                          const double *from, double *b, int add)
{
    for (const nt_front_piece *piece = begin; piece < end; piece++)
        for (int i = 0; i < piece->size; i++, from++)
            b[piece->position + i] = *from + (add ? b[piece->position + i] : 0);
}

/* What every solve step of a front needs. */
typedef struct step {
    const nt_front *front;
    const nt_front_piece *first, *middle, *last;
    const double *inverse, *left, *right;
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
              .inverse = tree->factors + front->inverse,
              .left = tree->factors + front->left,
              .right = tree->factors + front->right,
              .u = tree->panel,
              .wp = padded(front->w),
              .rp = padded(front->r)};
    s.v = tree->panel + s.wp + s.rp;
    return s;
}

void nt_front_forward(const nt_front_tree *tree, const nt_front_kernels *kernels, double *b)
{
    for (int f = 0; f < tree->n_fronts; f++) {
        step s = front_step_of(tree, f);
        int w = s.front->w;
        front_gather(s.first, s.middle, b, s.u);
        kernels->apply(s.wp, w, s.inverse, s.wp, s.u, s.v, 0);
        front_scatter(s.first, s.middle, s.v, b, 0);
        memset(s.u, 0, (size_t)s.rp * sizeof(double));
        kernels->apply(s.rp, w, s.left, s.rp, s.v, s.u, 1);
        front_scatter(s.middle, s.last, s.u, b, 1);
    }
}

void nt_front_backward(const nt_front_tree *tree, const nt_front_kernels *kernels, double *b)
{
    for (int f = tree->n_fronts - 1; f >= 0; f--) {
        step s = front_step_of(tree, f);
        front_gather(s.middle, s.last, b, s.v);
        memset(s.u, 0, (size_t)s.wp * sizeof(double));
        front_gather(s.first, s.middle, b, s.u);
        kernels->apply(s.wp, s.front->r, s.right, s.wp, s.v, s.u, 1);
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

void nt_front_forward_transposed(const nt_front_tree *tree, double *b)
{
    for (int f = 0; f < tree->n_fronts; f++) {
        step s = front_step_of(tree, f);
        int w = s.front->w, r = s.front->r;
        front_gather(s.first, s.middle, b, s.u);
        memset(s.v, 0, (size_t)s.rp * sizeof(double));
        multiply_transposed(w, r, s.right, s.wp, s.u, s.v, 1);
        front_scatter(s.middle, s.last, s.v, b, 1);
        multiply_transposed(w, w, s.inverse, s.wp, s.u, s.v, 0);
        front_scatter(s.first, s.middle, s.v, b, 0);
    }
}

/* The forward step left y = P^T b; now x = y - P^T (F21^T x_later). */
void nt_front_backward_transposed(const nt_front_tree *tree, double *b)
{
    for (int f = tree->n_fronts - 1; f >= 0; f--) {
        step s = front_step_of(tree, f);
        int w = s.front->w, r = s.front->r;
        front_gather(s.middle, s.last, b, s.v);
        multiply_transposed(r, w, s.left, s.rp, s.v, s.u, 0);
        front_gather(s.first, s.middle, b, s.v);
        multiply_transposed(w, w, s.inverse, s.wp, s.u, s.v, 1);
        front_scatter(s.first, s.middle, s.v, b, 0);
    }
}
