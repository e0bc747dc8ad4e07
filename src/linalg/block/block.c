/* Factorise, solve, check: the block LU as its users see it. */
#include "linalg/block/block.h"
#include "base/target.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

nt_block_lu *nt_block_create(const nt_pattern *pattern, int promises)
{
    const nt_block_kernels *kernels[NT_BLOCK_KERNELS];
    nt_block_lu *block = calloc(1, sizeof *block);
    if (!block)
        return NULL;
    nt_block_kernels_here(kernels);
    block->pattern = pattern;
    block->kernels = kernels[0];
    block->singular_unknown = -1;
    block->rounded = NT_ROUNDED * DBL_EPSILON;
    if (nt_block_compile(block, promises) != NT_OK) {
        nt_block_destroy(block);
        return NULL;
    }
    return block;
}

nt_status nt_block_take_columns(nt_block_lu *block)
{
    if (!block->all_three || block->core.n_fronts > 0 || block->columns)
        return NT_OK;
    size_t places = (size_t)block->n_padded / 4;
    nt_block_columns *c = NT_TAKE(&block->arena, 1, nt_block_columns);
    if (!c || !(c->x = NT_TAKE(&block->arena, 12 * places, double)) ||
        !(c->row = NT_TAKE(&block->arena, places, int)) ||
        !(c->window = NT_TAKE(&block->arena, places, int)) ||
        !(c->early = NT_TAKE(&block->arena, places, unsigned char)) ||
        !(c->suspect = NT_TAKE(&block->arena, places, int)))
        return NT_NO_MEMORY;
    for (int w = 0; w < block->n_windows; w++) {
        const nt_window *window = &block->window[w];
        for (int at = window->begin; at < window->end;) {
            const nt_record *record = (const nt_record *)(block->program + at);
            at += record->length;
            if (record->kind >= NT_RECORD_LOAD || !record->ready)
                continue;
            c->early[(window->position + record->position) / 4] = 1;
            if (record->kind == NT_RECORD_BODY)
                c->early[(window->position + record->scaled_position) / 4] = 1;
        }
        for (int at = window->rows; at < window->row_end;) {
            const nt_row *row = (const nt_row *)(block->rows + at);
            int place = window->position / 4 + row->place;
            c->row[place] = at, c->window[place] = w;
            at += row->length;
        }
    }
    block->columns = c;
    return NT_OK;
}

void nt_block_destroy(nt_block_lu *block)
{
    if (!block)
        return;
    nt_arena_free(&block->arena);
    free(block);
}

static int block_size_of(const nt_block_lu *block, int node)
{
    return block->pattern->node_start[node + 1] - block->pattern->node_start[node];
}

void nt_block_unload(const nt_block_lu *block, nt_matrix *matrix)
{
    const nt_pattern *p = block->pattern;
    for (int b = 0; b < p->n_slots; b++) {
        const nt_load *load = &block->load[b];
        const double *from = block->store + load->keep;
        double *to = nt_matrix_block(matrix, b);
        int rows = load->rows, columns = load->columns;
        int single = load->kind == NT_LOAD_SCALED || load->kind == NT_LOAD_DIAGONAL;
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < columns; j++)
                to[i * columns + j] =
                    single ? (i == j ? from[0] : 0) : from[j * nt_padded(rows) + i];
    }
}

/* ---- careful factorisation ------------------------------------------------------------------ */

/* One step of a Gauss-Jordan inversion without exchanges: unknown p swept, over those not out. */
static void block_sweep(int size, double *m, int ld, const unsigned char *out, int p)
{
    double r = 1 / m[p * ld + p];
    for (int j = 0; j < size; j++) {
        if (j == p || out[j] == 1)
            continue;
        double t = m[j * ld + p] * r;
        for (int i = 0; i < size; i++)
            if (i != p)
                m[j * ld + i] -= m[p * ld + i] * t;
        m[j * ld + p] = t;
    }
    for (int i = 0; i < size; i++)
        m[p * ld + i] *= -r;
    m[p * ld + p] = r;
}

/* Inverse of a[size] over the unknowns that are not out, zero rows and columns for the others;
 * symmetric pivoting. With scale, unknowns whose pivots stay below tolerance * scale are put out.
 * Returns the number put out, -1 on a zero or non-finite pivot. */
static int block_invert_careful(int size, const double *a, double *inverse, const double *scale,
                                double tolerance, unsigned char *out)
{
    enum { DONE = 2 }; /* marks swept unknowns in out[] for the time being */
    int ld = nt_padded(size), found = 0;
    if (a != inverse)
        memcpy(inverse, a, (size_t)(ld * size) * sizeof *a);
    for (;;) {
        int p = -1;
        double largest = -1;
        for (int i = 0; i < size; i++) {
            if (out[i])
                continue;
            double pivot = fabs(inverse[i * ld + i]);
            if (scale)
                pivot = scale[i] > 0 ? pivot / scale[i] : 0;
            if (!(pivot <= largest))
                largest = pivot, p = i;
        }
        if (p < 0)
            break;
        if (scale && largest <= tolerance) {
            for (int i = 0; i < size; i++)
                if (!out[i])
                    out[i] = 1, found++;
            break;
        }
        if (!(largest > 0) || !(largest <= DBL_MAX))
            return -1;
        block_sweep(size, inverse, ld, out, p);
        out[p] = DONE;
    }
    for (int i = 0; i < size; i++) {
        if (out[i] == DONE) {
            out[i] = 0;
            continue;
        }
        for (int j = 0; j < size; j++)
            inverse[i * ld + j] = inverse[j * ld + i] = 0;
    }
    return found;
}

/* Count and remember what the inverse of unknowns first, first + 1, ... has put out. */
static int invert_node(nt_block_lu *block, int first, int size, const double *a, double *inverse)
{
    int found = block_invert_careful(size, a, inverse, block->scale ? block->scale + first : NULL,
                                     block->tolerance, block->left_out + first);
    if (found > 0)
        block->n_left_out += found;
    return found >= 0;
}

/* Bodies that share a front with multipliers have no scale: their pivots count by their own size,
 * so that they are not taken for rows that depend on others. */
static int invert_front(void *context, const nt_front_tree *tree, const nt_front *front, double *a)
{
    nt_block_lu *block = context;
    int at = 0, ld = nt_padded(front->w);
    int first = block->pattern->node_start[block->pattern->n_primary];
    for (int k = front->pieces; k < front->pivot_pieces; k++)
        for (int i = 0; i < tree->piece[k].size; i++, at++) {
            block->pivot_out[at] = block->left_out[tree->piece[k].unknown + i];
            int unknown = tree->piece[k].unknown + i;
            if (block->scale)
                block->pivot_scale[at] =
                    unknown < first ? fabs(a[at * ld + at]) : block->scale[unknown];
        }
    int found = block_invert_careful(front->w, a, a, block->scale ? block->pivot_scale : NULL,
                                     block->tolerance, block->pivot_out);
    at = 0;
    for (int k = front->pieces; k < front->pivot_pieces; k++)
        for (int i = 0; i < tree->piece[k].size; i++, at++)
            block->left_out[tree->piece[k].unknown + i] = block->pivot_out[at];
    if (found > 0)
        block->n_left_out += found;
    return found >= 0;
}

/* ---- factorisation -------------------------------------------------------------------------- */

void nt_block_drop(nt_block_lu *block, const int *unknowns, int count)
{
    memset(block->dropped, 0, (size_t)block->pattern->n);
    for (int i = 0; i < count; i++)
        block->dropped[unknowns[i]] = 1;
    block->n_dropped = count;
    block->n_left_out = -1; /* left_out[] is out of date */
}

/* Factorise, and go forward with b into x where it is given. */
static int block_factor(nt_block_lu *block, const double *values, double *clear, int careful,
                        const double *b, double *x)
{
    int failed;
    if (careful)
        failed = block->kernels->factor_careful(block, values, clear, invert_node);
    else if (block->held)
        failed = block->kernels->factor_held(block, values, clear, b, x);
    else
        failed = nt_block_eliminate(block, values, clear, b, x);
    if (failed < 0 && block->core.n_fronts > 0) {
        if (!careful)
            nt_front_factor_batches(&block->core, &block->kernels->front,
                                    !block->held && nt_block_pool(block), block->store,
                                    b ? x : NULL, block->vector[1], (size_t)block->n_padded);
        int front = nt_front_factor(&block->core, &block->kernels->front, block->store,
                                    careful ? invert_front : NULL, block);
        if (front >= 0) {
            const nt_front *f = &block->core.front[front];
            block->singular_unknown = block->core.piece[f->pieces].unknown;
            return 0;
        }
    }
    if (failed >= 0)
        block->singular_unknown = failed;
    if (failed < 0 && careful && b) {
        block->kernels->spread(block, b, x);
        block->kernels->forward(block, x);
    }
    return failed < 0;
}

/* What an inversion has put out, one that failed on its way too, is not that of the next matrix. */
static void block_begin(nt_block_lu *block)
{
    if (block->n_dropped > 0 || block->n_left_out != 0)
        memcpy(block->left_out, block->dropped, (size_t)block->pattern->n);
    block->n_left_out = block->n_dropped;
    block->scale = NULL;
}

int nt_block_factor(nt_block_lu *block, const double *values, double *clear)
{
    block_begin(block);
    return block_factor(block, values, clear, block->n_dropped > 0, NULL, NULL);
}

int nt_block_factor_dependent(nt_block_lu *block, const double *values, const double *scale,
                              double tolerance)
{
    memcpy(block->left_out, block->dropped, (size_t)block->pattern->n);
    block->n_left_out = block->n_dropped;
    block->scale = scale;
    block->tolerance = tolerance;
    int ok = block_factor(block, values, NULL, 1, NULL, NULL);
    block->scale = NULL;
    return ok;
}

/* ---- the check ------------------------------------------------------------------------------ */

/* Largest |x| of the bodies and of the multipliers. */
static void find_largest(nt_block_lu *block, const double *x)
{
    const nt_pattern *p = block->pattern;
    block->largest[0] = block->largest[1] = 0;
    for (int node = 0; node < p->n_nodes; node++) {
        double *largest = &block->largest[node >= p->n_primary];
        for (int i = 0; i < block_size_of(block, node); i++)
            *largest = fmax(*largest, fabs(x[block->position[node] + i]));
    }
}

/* The node that begins with an unknown. */
static int node_from(const nt_pattern *p, int first)
{
    int low = 0, high = p->n_nodes;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        *(p->node_start[middle] <= first ? &low : &high) = middle;
    }
    return low;
}

/* sum |a_ij| over row i of a node, of the bodies' columns and of the multipliers'. */
static void row_sums(const nt_block_lu *block, int node, int i, double sum[2])
{
    const nt_pattern *p = block->pattern;
    sum[0] = sum[1] = 0;
    for (const int *slot = block->row_slot + block->row_start[node],
                   *end = block->row_slot + block->row_start[node + 1];
         slot < end; slot++) {
        const nt_load *load = &block->load[*slot];
        const double *a = block->store + load->keep;
        int single = load->kind == NT_LOAD_SCALED || load->kind == NT_LOAD_DIAGONAL;
        double terms = single ? fabs(a[0]) : 0;
        for (int j = 0; j < load->columns && !single; j++)
            terms += fabs(a[nt_padded(load->rows) * j + i]);
        sum[p->column[*slot] >= p->n_primary] += terms;
    }
}

/* rounded sum |a_ij| |x|_max over row i, |x|_max being that of bodies or of multipliers. */
static double row_rounding(const nt_block_lu *block, int node, int i)
{
    double sum[2];
    row_sums(block, node, i, sum);
    return block->rounded * (sum[0] * block->largest[0] + sum[1] * block->largest[1]);
}

int nt_block_look_columns(const nt_block_lu *block, int first, const double r[3][4],
                          const double size[3][4], double tolerance, const double largest[2][4],
                          double *limit)
{
    int node = node_from(block->pattern, first);
    for (int i = 0; i < 3; i++) {
        double sum[2];
        if (block->left_out[first + i])
            continue;
        row_sums(block, node, i, sum);
        for (int k = 0; k < 4; k++) {
            if (fabs(r[i][k]) <= *limit * size[i][k])
                continue;
            double error = fabs(r[i][k]) / size[i][k];
            if (!(error <= DBL_MAX))
                return 0;
            if (error > tolerance) {
                if (!(fabs(r[i][k]) <=
                      block->rounded * (sum[0] * largest[0][k] + sum[1] * largest[1][k])))
                    return 0;
                continue;
            }
            *limit = fmax(*limit, error);
        }
    }
    return 1;
}

/* A residual that is large beside its own row may still be rounding of the whole: where a row's
 * terms all vanish (a plane mechanism in space), what remains are units of the last place. Such
 * rows, |r_i| <= rounded sum |a_ij| |x|_max, count as exact; bodies and multipliers have
 * different units and each their own |x|_max. */
void nt_block_look(nt_block_lu *block, int first, int v, const double *r, const double *sizes,
                   double *limit)
{
    int node = node_from(block->pattern, first), n = block_size_of(block, node);
    if (isnan(*limit))
        return;
    for (int i = 0; i < 4 && v + i < n; i++) {
        if (fabs(r[i]) <= *limit * sizes[i] || block->left_out[first + v + i])
            continue;
        double error = fabs(r[i]) / sizes[i];
        if (!(error <= DBL_MAX)) {
            *limit = (double)NAN;
            return;
        }
        if (error > block->accepted && fabs(r[i]) <= row_rounding(block, node, v + i))
            continue;
        *limit = fmax(*limit, error);
    }
}

/* ---- solving -------------------------------------------------------------------------------- */

/* Forward through light nodes and batches of fronts. */
static void go_forward(nt_block_lu *block, double *x)
{
    block->kernels->forward(block, x);
    nt_front_forward_batches(&block->core, &block->kernels->front, x);
}

/* What follows that; whether A x = given holds within the limit then, where given is not NULL. */
static int go_back(nt_block_lu *block, double *x, const double *given, double limit)
{
    block->largest[0] = block->largest[1] = 0;
    if (block->core.n_fronts > 0) {
        nt_front_forward(&block->core, &block->kernels->front, x);
        nt_front_backward(&block->core, &block->kernels->front, x);
        nt_front_divide_batches(&block->core, nt_block_split(block));
        nt_front_backward_batches(&block->core, &block->kernels->front, false, x);
    }
    if (block->held)
        return block->kernels->backward_held(block, x, given, limit);
    nt_block_substitute(block, x, given, limit);
    if (!given)
        return 1;
    block->n_suspects = 0;
    for (int w = block->n_windows; w-- > 0;)
        if (block->doubtful[w])
            block->suspect[block->n_suspects++] = w;
    return block->n_suspects == 0;
}

static double error_of(nt_block_lu *block, const double *b, double *r, double least)
{
    double error = least;
    block->kernels->residual(block, b, block->vector[0], r, &error);
    return error;
}

/* The power of two above an error, so that few later errors are larger and need a second look. */
static double rounded_up(double error, double tolerance)
{
    int exponent;
    if (!(error > 0) || !(error <= tolerance))
        return error;
    double fraction = frexp(error, &exponent);
    return fmin(ldexp(1, fraction > 0.5 ? exponent : exponent - 1), tolerance);
}

/* Back substitution, from the result of the forward one in vector 0 to x. */
NT_HOT static double block_finish(nt_block_lu *block, const double *b, double *x, double tolerance,
                                  double least)
{
    double *solution = block->vector[0], *r = block->vector[1];
    double error = least;
    block->accepted = tolerance;
    if (!go_back(block, solution, b, least)) {
        int most = 2 * block->n_suspects > block->n_windows; /* a refinement is likely */
        error = error_of(block, b, most ? r : NULL, least);
        if (!(error <= tolerance)) {
            if (!most)
                error_of(block, b, r, tolerance);
            go_forward(block, r);
            go_back(block, r, NULL, 0);
            for (int i = 0; i < block->n_padded; i++)
                solution[i] += r[i];
            error = error_of(block, b, r, least);
        }
        error = error > least ? rounded_up(error, tolerance) : error;
    }
    if (error <= tolerance)
        block->kernels->collect(block, solution, x);
    return error;
}

double nt_block_solve(nt_block_lu *block, const double *b, double *x, double tolerance,
                      double least)
{
    block->kernels->spread(block, b, block->vector[0]);
    go_forward(block, block->vector[0]);
    return block_finish(block, b, x, tolerance, least);
}

void nt_block_solve_unchecked(nt_block_lu *block, const double *b, double *x)
{
    block->kernels->spread(block, b, block->vector[0]);
    go_forward(block, block->vector[0]);
    (void)go_back(block, block->vector[0], NULL, 0);
    block->kernels->collect(block, block->vector[0], x);
}

static int solve_four(nt_block_lu *block, double *const b[4], double tolerance, double *error)
{
    double largest = *error;
    if (!block->columns || !block->kernels->solve_columns(block, b, tolerance, &largest))
        return 0;
    if (largest > *error)
        *error = rounded_up(largest, tolerance);
    return 1;
}

int nt_block_solve_columns(nt_block_lu *block, double *b, int count, double tolerance,
                           double *error)
{
    size_t n = (size_t)block->pattern->n;
    double *const four[4] = {b, count > 1 ? b + n : b, count > 2 ? b + 2 * n : b,
                             count > 3 ? b + 3 * n : b};
    return solve_four(block, four, tolerance, error);
}

int nt_block_solve_beside(nt_block_lu *block, double *b, double tolerance, double *error)
{
    double *const four[4] = {b};
    return solve_four(block, four, tolerance, error);
}

NT_HOT int nt_block_factor_solve(nt_block_lu *block, const double *values, double *clear,
                                 const double *b, double *x, double tolerance, double least,
                                 double *error)
{
    block_begin(block);
    if (!block_factor(block, values, clear, block->n_dropped > 0, b, block->vector[0]))
        return 0;
    *error = block_finish(block, b, x, tolerance, least);
    return 1;
}

/* ---- the transposed system ------------------------------------------------------------------ */

nt_status nt_block_take_transposed(nt_block_lu *block)
{
    if (!block->transposed)
        block->transposed = NT_TAKE(&block->arena, 3 * (size_t)block->n_padded + 4, double);
    return block->transposed ? NT_OK : NT_NO_MEMORY;
}

/* y[n] -= a^T x[m] */
static void subtract_transposed(int m, int n, const double *a, const double *x, double *y)
{
    for (int j = 0; j < n; j++, a += nt_padded(m))
        for (int i = 0; i < m; i++)
            y[j] -= a[i] * x[i];
}

/* x := a^T x through y */
static void apply_transposed(int n, const double *a, double *x, double *y)
{
    memset(y, 0, (size_t)n * sizeof *y);
    subtract_transposed(n, n, a, x, y);
    for (int i = 0; i < n; i++)
        x[i] = -y[i];
}

static void subtract_scaled(double s, const double *x, double *y)
{
    for (int i = 0; i < 3; i++)
        y[i] -= s * x[i];
}

static void scale3(double s, double *x)
{
    for (int i = 0; i < 3; i++)
        x[i] *= s;
}

/* One node of A^T = L' D' U': with y = D^-T b_k the later b_j lose A_kj^T y. */
static void forward_transposed(const nt_block_lu *block, const double *store,
                               const nt_record *record, double *b)
{
    double y[3], *mine = b + record->position;
    if (record->kind == NT_RECORD_BODY) {
        const nt_body_link *link = (const nt_body_link *)(record + 1);
        double z[3], scratch[3], *other = b + record->scaled_position;
        memcpy(y, mine, sizeof y);
        memcpy(z, other, sizeof z);
        apply_transposed(3, store + record->inverse, y, scratch);
        scale3(store[record->scaled_inverse], z);
        for (int j = 0; j < record->count; j++, link++) {
            subtract_transposed(3, 3, store + link->right, y, b + link->position);
            subtract_scaled(store[link->scaled_right], z, b + link->position);
        }
        return;
    }
    const nt_link *link = (const nt_link *)(record + 1);
    if (record->kind == NT_RECORD_SCALED) {
        memcpy(y, mine, sizeof y);
        scale3(store[record->inverse], y);
        for (int j = 0; j < record->count; j++, link++)
            subtract_scaled(store[link->right], y, b + link->position);
        return;
    }
    int n = record->size;
    double *u = block->transposed + block->n_padded, *scratch = block->temporary;
    memcpy(u, mine, (size_t)n * sizeof *u);
    apply_transposed(n, store + record->inverse, u, scratch);
    for (int j = 0; j < record->count; j++, link++)
        subtract_transposed(n, link->size, store + link->right, u, b + link->position);
}

/* x_k = D^-T (b_k - sum_i A_ik^T x_i) */
static void backward_transposed(const nt_block_lu *block, const double *store,
                                const nt_record *record, double *b)
{
    double scratch[3], *mine = b + record->position;
    if (record->kind == NT_RECORD_BODY) {
        const nt_body_link *link = (const nt_body_link *)(record + 1);
        double *other = b + record->scaled_position;
        for (int j = 0; j < record->count; j++, link++) {
            subtract_transposed(3, 3, store + link->left, b + link->position, mine);
            subtract_scaled(store[link->scaled_left], b + link->position, other);
        }
        apply_transposed(3, store + record->inverse, mine, scratch);
        scale3(store[record->scaled_inverse], other);
        return;
    }
    const nt_link *link = (const nt_link *)(record + 1);
    if (record->kind == NT_RECORD_SCALED) {
        for (int j = 0; j < record->count; j++, link++)
            subtract_scaled(store[link->left], b + link->position, mine);
        scale3(store[record->inverse], mine);
        return;
    }
    for (int j = 0; j < record->count; j++, link++)
        subtract_transposed(link->size, record->size, store + link->left, b + link->position, mine);
    apply_transposed(record->size, store + record->inverse, mine, block->temporary);
}

static void substitute_transposed(const nt_block_lu *block, double *x)
{
    for (int w = 0; w < block->n_windows; w++) {
        const nt_window *window = &block->window[w];
        const int *end = block->program + window->end;
        for (const int *at = block->program + window->begin; at < end;
             at += ((const nt_record *)at)->length)
            if (((const nt_record *)at)->kind < NT_RECORD_LOAD)
                forward_transposed(block, block->store + window->store, (const nt_record *)at,
                                   x + window->position);
    }
    nt_front_forward_transposed(&block->core, x);
    nt_front_backward_transposed(&block->core, x);
    for (int w = block->n_windows; w-- > 0;) {
        const nt_window *window = &block->window[w];
        for (const int *at = block->program + window->end; at > block->program + window->begin;) {
            at -= at[-1];
            if (((const nt_record *)at)->kind < NT_RECORD_LOAD)
                backward_transposed(block, block->store + window->store, (const nt_record *)at,
                                    x + window->position);
        }
    }
}

/* r = b - A^T x in the first of block->transposed and its backward error, by the rules of
 * nt_block_look. */
static double error_transposed(nt_block_lu *block)
{
    const double *b = block->vector[0], *x = block->vector[1];
    double *r = block->transposed, *size = r + block->n_padded, *bound = size + block->n_padded;
    double error = 0;
    const nt_pattern *p = block->pattern;
    find_largest(block, x);
    for (int i = 0; i < block->n_padded; i++) {
        r[i] = b[i];
        size[i] = fabs(b[i]);
        bound[i] = 0;
    }
    for (int slot = 0; slot < p->n_slots; slot++) {
        const nt_load *load = &block->load[slot];
        const double *a = block->store + load->keep;
        const double *u = x + block->position[p->row[slot]];
        double most = block->largest[p->row[slot] >= p->n_primary];
        int at = block->position[p->column[slot]], ld = nt_padded(load->rows);
        int single = load->kind == NT_LOAD_SCALED || load->kind == NT_LOAD_DIAGONAL;
        for (int j = 0; j < load->columns; j++)
            for (int i = 0; i < load->rows; i++) {
                double entry = single ? (i == j ? a[0] : 0) : a[j * ld + i];
                r[at + j] -= entry * u[i];
                size[at + j] += fabs(entry * u[i]);
                bound[at + j] += fabs(entry) * most;
            }
    }
    for (int node = 0; node < p->n_nodes; node++)
        for (int i = 0; i < block_size_of(block, node); i++) {
            int at = block->position[node] + i;
            if (block->left_out[p->node_start[node] + i])
                continue;
            if (!(fabs(r[at]) <= DBL_MAX))
                return (double)NAN;
            double share = fabs(r[at]) / size[at];
            if (share > error &&
                (share <= block->accepted || fabs(r[at]) > block->rounded * bound[at]))
                error = share;
        }
    return error;
}

double nt_block_solve_transposed(nt_block_lu *block, const double *b, double *x, double tolerance,
                                 double least)
{
    double *given = block->vector[0], *solution = block->vector[1], *r = block->transposed;
    block->kernels->spread(block, b, given);
    memcpy(solution, given, (size_t)block->n_padded * sizeof *solution);
    substitute_transposed(block, solution);
    block->accepted = tolerance;
    double error = error_transposed(block);
    if (!(error <= tolerance)) {
        substitute_transposed(block, r);
        for (int i = 0; i < block->n_padded; i++)
            solution[i] += r[i];
        error = error_transposed(block);
    }
    if (error <= tolerance)
        block->kernels->collect(block, solution, x);
    return error <= least ? least : error;
}
