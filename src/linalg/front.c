/* The numeric phase of the core: assemble a front, invert its pivots, pass the rest on. */
#include "linalg/front.h"

#include <string.h>

static int padded(int n) { return (n + 3) & ~3; }

/* The four parts of a front while it is built. */
typedef struct parts {
    double *f11, *f21, *f12, *f22;
    int wp, rp;
} parts;

/* The column `offset` of a front at a column place, split into its pivot part and the rest. */
static void column_of(const parts *p, int place, int offset, double **pivots, double **others)
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

static void load_blocks(const nt_front_tree *tree, const nt_front *front, const double *store,
                        const parts *p)
{
    for (int l = front->loads; l < front->load_end; l++) {
        const nt_front_load *load = &tree->load[l];
        const double *from = store + load->source;
        for (int j = 0; j < load->columns; j++, from += padded(load->rows)) {
            double *pivots, *others;
            column_of(p, load->column_place, j, &pivots, &others);
            double *to = load->row_place < 0 ? pivots + ~load->row_place : others + load->row_place;
            for (int i = 0; i < load->rows; i++)
                to[i] += from[i];
        }
    }
}

/* Add what a child passed on. */
static void add_child(const nt_front_tree *tree, const nt_front *child, const parts *p)
{
    const nt_front_run *begin = tree->run + child->runs, *end = tree->run + child->run_end;
    const double *from = tree->stack + child->final;
    int rp = padded(child->r);
    for (const nt_front_run *column = begin; column < end; column++)
        for (int j = 0; j < column->count; j++, from += rp) {
            double *pivots, *others;
            column_of(p, column->place, j, &pivots, &others);
            for (const nt_front_run *run = begin; run < end; run++) {
                double *to = run->place < 0 ? pivots + ~run->place : others + run->place;
                const double *u = from + run->from;
                for (int i = 0; i < run->count; i++)
                    to[i] += u[i];
            }
        }
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
        size_t wp = (size_t)p.wp, rp = (size_t)p.rp;
        memset(p.f11, 0, (wp + rp) * (size_t)w * sizeof(double));
        memset(p.f12, 0, wp * (size_t)r * sizeof(double));
        memset(p.f22, 0, rp * (size_t)r * sizeof(double));
        load_blocks(tree, front, store, &p);
        for (int c = 0; c < front->child_count; c++)
            add_child(tree, &tree->front[tree->child[children++]], &p);
        if (hook ? !hook(context, tree, front, p.f11)
                 : !kernels->invert(w, p.wp, p.f11, tree->exchange))
            return f;
        kernels->multiply(p.wp, r, w, p.f11, p.wp, p.f12, p.wp, x, p.wp, 0);
        kernels->multiply(p.rp, r, w, p.f21, p.rp, x, p.wp, p.f22, p.rp, 1);
        if (front->final != front->build)
            memmove(tree->stack + front->final, p.f22, rp * (size_t)r * sizeof(double));
    }
    return -1;
}

/* ---- solving -------------------------------------------------------------------------------- */

static void gather(const nt_front_piece *begin, const nt_front_piece *end, const double *b,
                   double *to)
{
    for (const nt_front_piece *piece = begin; piece < end; piece++)
        for (int i = 0; i < piece->size; i++)
            *to++ = b[piece->position + i];
}

static void scatter(const nt_front_piece *begin, const nt_front_piece *end, const double *from,
                    double *b, int add)
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

static step step_of(const nt_front_tree *tree, int f)
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
        step s = step_of(tree, f);
        int w = s.front->w;
        gather(s.first, s.middle, b, s.u);
        kernels->multiply(s.wp, 1, w, s.inverse, s.wp, s.u, s.wp, s.v, s.wp, 0);
        scatter(s.first, s.middle, s.v, b, 0);
        memset(s.u, 0, (size_t)s.rp * sizeof(double));
        kernels->multiply(s.rp, 1, w, s.left, s.rp, s.v, s.wp, s.u, s.rp, 1);
        scatter(s.middle, s.last, s.u, b, 1);
    }
}

void nt_front_backward(const nt_front_tree *tree, const nt_front_kernels *kernels, double *b)
{
    for (int f = tree->n_fronts - 1; f >= 0; f--) {
        step s = step_of(tree, f);
        gather(s.middle, s.last, b, s.v);
        memset(s.u, 0, (size_t)s.wp * sizeof(double));
        gather(s.first, s.middle, b, s.u);
        kernels->multiply(s.wp, 1, s.front->r, s.right, s.wp, s.v, s.rp, s.u, s.wp, 1);
        scatter(s.first, s.middle, s.u, b, 0);
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
        step s = step_of(tree, f);
        int w = s.front->w, r = s.front->r;
        gather(s.first, s.middle, b, s.u);
        memset(s.v, 0, (size_t)s.rp * sizeof(double));
        multiply_transposed(w, r, s.right, s.wp, s.u, s.v, 1);
        scatter(s.middle, s.last, s.v, b, 1);
        multiply_transposed(w, w, s.inverse, s.wp, s.u, s.v, 0);
        scatter(s.first, s.middle, s.v, b, 0);
    }
}

/* The forward step left y = P^T b; now x = y - P^T (F21^T x_later). */
void nt_front_backward_transposed(const nt_front_tree *tree, double *b)
{
    for (int f = tree->n_fronts - 1; f >= 0; f--) {
        step s = step_of(tree, f);
        int w = s.front->w, r = s.front->r;
        gather(s.middle, s.last, b, s.v);
        multiply_transposed(r, w, s.left, s.rp, s.v, s.u, 0);
        gather(s.first, s.middle, b, s.v);
        multiply_transposed(w, w, s.inverse, s.wp, s.u, s.v, 1);
        scatter(s.first, s.middle, s.v, b, 0);
    }
}
