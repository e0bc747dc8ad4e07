/* Linear algebra alone: chains, and lattices of 64 x 64 bodies with loops, against what the
 * arithmetic costs at the measured rates of the kernels, and against tuned KLU.
 *
 * The bound is operations / rate, of the factorisation and of one solve with its residual check:
 * every dense front at the rates that its product F22 - F21 X and its product with a vector reach
 * at its own size, rounded up to the next of a few, on data in the cache; the nodes eliminated one
 * by one, and the check, at the rates of the 3 x 3 program on a chain of eight bodies, which stays
 * in the nearest cache. What the lattice's size costs in memory traffic, assembly of the fronts
 * and their inverses beyond the rate of a product are what is left above it.
 *
 * Bodies have a translation and a rotation node (3 + 3); neighbours are coupled by a node of three
 * multipliers, as spherical joints do: [M B^T; B 0] with +-I to the translations and full 3 x 3
 * blocks to the rotations, M as an implicit step makes it (m I; a full, non-symmetric block). Their
 * patterns are packed, as those of models are; KLU gets full blocks, and need not spread any.
 * What counts is nt_solver_factor_solve, as a Newton iteration calls it.
 *
 * A processor's clock changes while this runs. So rates and times that are divided by each other
 * are both told in factorisations of the chain of eight, timed right beside each: its pace. The
 * ratio to the bound is the median of such turns. Two lattices: rows joined to each other in every
 * eighth column (504 loops' worth of joints), and in every column (a full grid). */
#include "linalg/block/block.h"
#include "linalg/klu.h"
#include "linalg/pattern.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Processor time: other programs on the machine do not count. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static unsigned long long state = 1;
static double uniform(void) /* in ]-1, 1[ */
{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(state >> 11) / 4503599627370496.0 - 1;
}

/* ---- mechanisms ----------------------------------------------------------------------------- */

typedef struct mechanism {
    int bodies, joints;
    int (*ends)[2]; /* bodies of each joint, -1: ground */
    nt_pattern pattern;
    nt_matrix matrix;
} mechanism;

static void require(int ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "lattice: %s\n", what);
        exit(1);
    }
}

static int add(nt_pattern *pattern, int row, int column, nt_block_shape shape)
{
    int slot = nt_pattern_add(pattern, row, column, shape);
    require(slot >= 0, "out of memory");
    return slot;
}

static void build_pattern(mechanism *m, int packed)
{
    int n = 2 * m->bodies + m->joints;
    int *sizes = malloc((size_t)n * sizeof *sizes);
    require(sizes != NULL, "out of memory");
    for (int i = 0; i < n; i++)
        sizes[i] = 3;
    require(nt_pattern_init(&m->pattern, n, 2 * m->bodies, sizes) == NT_OK, "out of memory");
    free(sizes);
    if (packed)
        nt_pattern_pack(&m->pattern);
    for (int b = 0; b < m->bodies; b++) {
        add(&m->pattern, 2 * b, 2 * b, NT_SCALED);
        add(&m->pattern, 2 * b + 1, 2 * b + 1, NT_FULL);
    }
    for (int j = 0; j < m->joints; j++)
        for (int e = 0; e < 2; e++) {
            int body = m->ends[j][e], node = 2 * m->bodies + j;
            if (body < 0)
                continue;
            add(&m->pattern, node, 2 * body, NT_SCALED);
            add(&m->pattern, 2 * body, node, NT_SCALED);
            add(&m->pattern, node, 2 * body + 1, NT_FULL);
            add(&m->pattern, 2 * body + 1, node, NT_FULL);
        }
}

static void set_scaled(const mechanism *m, int row, int column, double value)
{
    *nt_matrix_block(&m->matrix, nt_pattern_find(&m->pattern, row, column)) = value;
}

static void fill_matrix(mechanism *m)
{
    require(nt_matrix_init(&m->matrix, &m->pattern) == NT_OK, "out of memory");
    for (int b = 0; b < m->bodies; b++) {
        set_scaled(m, 2 * b, 2 * b, 1 + 0.3 * uniform());
        int node = 2 * b + 1;
        double *a = nt_matrix_block(&m->matrix, nt_pattern_find(&m->pattern, node, node));
        for (int i = 0; i < 9; i++)
            a[i] = (i % 4 == 0 ? 0.1 : 0) + 0.01 * uniform();
    }
    for (int j = 0; j < m->joints; j++)
        for (int e = 0; e < 2; e++) {
            int body = m->ends[j][e], node = 2 * m->bodies + j;
            if (body < 0)
                continue;
            double sign = e ? 1 : -1, x = 0.5 + 0.1 * uniform(), y = 0.3 * uniform(),
                   z = 0.3 * uniform();
            double skew[9] = {0, -z, y, z, 0, -x, -y, x, 0};
            set_scaled(m, node, 2 * body, sign);
            set_scaled(m, 2 * body, node, sign);
            double *g =
                nt_matrix_block(&m->matrix, nt_pattern_find(&m->pattern, node, 2 * body + 1));
            double *h =
                nt_matrix_block(&m->matrix, nt_pattern_find(&m->pattern, 2 * body + 1, node));
            for (int i = 0; i < 9; i++) { /* the velocity rows carry a tangent operator */
                g[i] = -skew[i] + 0.01 * uniform();
                h[i] = -skew[i % 3 * 3 + i / 3];
            }
        }
}

static mechanism *new_mechanism(int bodies)
{
    mechanism *m = calloc(1, sizeof *m);
    require(m != NULL, "out of memory");
    m->bodies = bodies;
    return m;
}

/* The same with full blocks. */
static mechanism *unpacked(const mechanism *m)
{
    mechanism *full = new_mechanism(m->bodies);
    size_t bytes = (size_t)m->joints * sizeof *m->ends;
    full->joints = m->joints;
    full->ends = malloc(bytes);
    require(full->ends != NULL, "out of memory");
    memcpy(full->ends, m->ends, bytes);
    build_pattern(full, 0);
    require(nt_matrix_init(&full->matrix, &full->pattern) == NT_OK, "out of memory");
    for (int slot = 0; slot < m->pattern.n_slots; slot++) {
        double nine[9];
        memcpy(nt_matrix_block(&full->matrix, slot), nt_matrix_full_block(&m->matrix, slot, nine),
               sizeof nine);
    }
    return full;
}

static mechanism *make_chain(int bodies)
{
    mechanism *m = new_mechanism(bodies);
    m->joints = bodies;
    m->ends = malloc((size_t)bodies * sizeof *m->ends);
    require(m->ends != NULL, "out of memory");
    for (int j = 0; j < bodies; j++)
        m->ends[j][0] = j - 1, m->ends[j][1] = j;
    build_pattern(m, 1);
    fill_matrix(m);
    return m;
}

/* side x side bodies, joints along all rows, and between rows in every `every`-th column; one
 * corner on the ground. */
static mechanism *make_lattice(int side, int every)
{
    mechanism *m = new_mechanism(side * side);
    m->ends = malloc((size_t)(2 * side * side + 1) * sizeof *m->ends);
    require(m->ends != NULL, "out of memory");
    m->ends[m->joints][0] = -1, m->ends[m->joints++][1] = 0;
    for (int r = 0; r < side; r++)
        for (int c = 0; c < side; c++) {
            int body = r * side + c;
            if (c + 1 < side)
                m->ends[m->joints][0] = body, m->ends[m->joints++][1] = body + 1;
            if (r + 1 < side && c % every == 0)
                m->ends[m->joints][0] = body, m->ends[m->joints++][1] = body + side;
        }
    build_pattern(m, 1);
    fill_matrix(m);
    return m;
}

static void free_mechanism(mechanism *m)
{
    nt_matrix_free(&m->matrix);
    nt_pattern_free(&m->pattern);
    free(m->ends);
    free(m);
}

/* ---- measuring ------------------------------------------------------------------------------ */

/* A chain of eight, and the time of one factorisation of it now. */
static mechanism *pacer;
static nt_block_lu *pacer_block;

static double pace(void)
{
    enum { TIMES = 20 };
    double best = 1e9;
    for (int k = 0; k < 5; k++) {
        double t = now();
        for (int i = 0; i < TIMES; i++)
            nt_block_factor(pacer_block, pacer->matrix.values, NULL);
        best = fmin(best, (now() - t) / TIMES);
    }
    return best;
}

enum { MOST_TURNS = 1000, RATE_TURNS = 41 };

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[count / 2];
}

typedef struct timing {
    double factor, solve, total; /* s, the best; total: both at once */
    double paced;                /* total in factorisations of the chain of eight, the median */
    double residual;             /* row-wise backward error */
    double create, flops;
    long fallbacks;
} timing;

/* Repeated factorisations and solves, for about a third of a second, at least nine. */
static timing measure(const mechanism *m, nt_solver_kind kind)
{
    timing best = {.factor = 1e9, .solve = 1e9, .total = 1e9};
    size_t n = (size_t)m->pattern.n;
    double *b = malloc(n * sizeof *b), *x = malloc(n * sizeof *x);
    nt_matrix matrix;
    nt_solver *solver;
    require(b && x && nt_matrix_init(&matrix, &m->pattern) == NT_OK, "out of memory");
    size_t bytes = (size_t)m->pattern.offset[m->pattern.n_slots] * sizeof *matrix.values;
    double start = now();
    require(nt_solver_create(&solver, &m->pattern, kind, NULL) == NT_OK, "no solver");
    best.create = now() - start;
    for (size_t i = 0; i < n; i++)
        b[i] = uniform();
    double turn[MOST_TURNS];
    int turns = 0;
    for (double begin = now(), t; turns < MOST_TURNS && ((t = now()) < begin + 0.3 || turns < 9);) {
        require(nt_solver_factor(solver, &m->matrix) == NT_OK, "singular");
        double middle = now();
        memcpy(x, b, n * sizeof *x);
        double copied = now();
        require(nt_solver_solve(solver, x, 1) == NT_OK, "not solved");
        double end = now();
        best.factor = fmin(best.factor, middle - t);
        best.solve = fmin(best.solve, end - copied);
        memcpy(x, b, n * sizeof *x);
        memcpy(matrix.values, m->matrix.values, bytes); /* which factor_solve clears */
        copied = now();
        require(nt_solver_factor_solve(solver, &matrix, x) == NT_OK, "not solved");
        double total = now() - copied;
        best.total = fmin(best.total, total);
        turn[turns++] = total / pace();
    }
    best.paced = median(turn, turns);
    const nt_solver_statistics *s = nt_solver_get_statistics(solver);
    best.residual = s->worst_residual;
    best.fallbacks = s->fallbacks;
    best.flops = s->flops;
    nt_solver_destroy(solver);
    nt_matrix_free(&matrix);
    free(b);
    free(x);
    return best;
}

/* Time of c -= A b with A [m x k], b [k x n] in the cache, in paces. */
static double product_time(int m, int n, int k)
{
    const nt_block_kernels *kernels[NT_BLOCK_KERNELS];
    nt_block_kernels_here(kernels);
    size_t mp = (size_t)nt_padded(m), kp = (size_t)nt_padded(k);
    double *a = aligned_alloc(64, (mp * (size_t)k + 8) / 8 * 64);
    double *b = aligned_alloc(64, (kp * (size_t)n + 8) / 8 * 64);
    double *c = aligned_alloc(64, (mp * (size_t)n + 8) / 8 * 64);
    require(a && b && c, "out of memory");
    for (size_t i = 0; i < mp * (size_t)k; i++)
        a[i] = uniform();
    for (size_t i = 0; i < kp * (size_t)n; i++)
        b[i] = uniform();
    memset(c, 0, mp * (size_t)n * sizeof *c);
    int repeat = 1 + (int)(2e5 / ((double)m * n * k));
    double ratio[RATE_TURNS];
    for (int turn = 0; turn < RATE_TURNS; turn++) {
        double t = now();
        for (int i = 0; i < repeat; i++)
            if (n == 1)
                kernels[0]->front.apply((int)mp, k, a, (int)mp, b, c, 1);
            else
                kernels[0]->front.multiply((int)mp, n, k, a, (int)mp, b, (int)kp, c, (int)mp, c,
                                           NT_DIFFERENCE);
        ratio[turn] = (now() - t) / repeat / pace();
    }
    free(a);
    free(b);
    free(c);
    return median(ratio, RATE_TURNS);
}

/* Operations per pace of the kernels at the sizes of fronts. */
enum { W_SIZES = 5, R_SIZES = 6 };
static const int w_size[W_SIZES] = {3, 6, 12, 24, 48}, r_size[R_SIZES] = {6, 12, 24, 48, 96, 192};
static struct {
    double matrix[W_SIZES][R_SIZES], vector[W_SIZES][R_SIZES]; /* of fronts */
    double factor, solve;                                      /* of the 3 x 3 program */
} rate;

static int next_size(const int *sizes, int count, int size)
{
    int i = 0;
    while (i + 1 < count && sizes[i] < size)
        i++;
    return i;
}

/* Of one solve through the light nodes and of the residual check of all rows. */
static double solve_flops(const nt_block_lu *block)
{
    double flops = 0;
    for (int w = 0; w < block->n_windows; w++) {
        const nt_window *window = &block->window[w];
        const int *at = block->program + window->begin, *end = block->program + window->end;
        for (; at < end; at += ((const nt_record *)at)->length) {
            const nt_record *record = (const nt_record *)at;
            double blocks = 1 + 2.0 * record->count;
            if (record->kind == NT_RECORD_SCALED || record->kind == NT_RECORD_BODY)
                flops += 6 * blocks;
            if (record->kind == NT_RECORD_FULL || record->kind == NT_RECORD_BODY)
                flops += 18 * blocks;
        }
        at = block->rows + window->rows, end = block->rows + window->row_end;
        for (; at < end; at += ((const nt_row *)at)->length)
            flops += 6.0 * ((const nt_row *)at)->scaled + 18.0 * ((const nt_row *)at)->full;
    }
    return flops;
}

static void measure_rates(void)
{
    pacer = make_chain(8);
    pacer_block = nt_block_create(&pacer->pattern, 1);
    require(pacer_block != NULL, "out of memory");
    for (int i = 0; i < W_SIZES; i++)
        for (int j = 0; j < R_SIZES; j++) {
            int w = w_size[i], r = r_size[j];
            rate.matrix[i][j] = 2.0 * r * r * w / product_time(r, r, w);
            rate.vector[i][j] = 2.0 * r * w / product_time(r, 1, w);
        }
    double solve[RATE_TURNS], b[72], x[72];
    for (int i = 0; i < 72; i++)
        b[i] = uniform();
    for (int turn = 0; turn < RATE_TURNS; turn++) {
        double t = now();
        for (int k = 0; k < 100; k++)
            nt_block_solve(pacer_block, b, x, 1e-10, 1e-10);
        solve[turn] = (now() - t) / 100 / pace();
    }
    rate.factor = pacer_block->flops;
    rate.solve = solve_flops(pacer_block) / median(solve, RATE_TURNS);
}

/* What factorisation and one solve cost at the rates, in paces. */
static void bound_of(const mechanism *m, double bound[2], size_t *bytes)
{
    nt_block_lu *block = nt_block_create(&m->pattern, 1);
    require(block != NULL, "out of memory");
    bound[0] = (block->flops - block->core.flops) / rate.factor;
    bound[1] = solve_flops(block) / rate.solve;
    for (int f = 0; f < block->core.n_fronts; f++) {
        double w = block->core.front[f].w, r = block->core.front[f].r;
        int i = next_size(w_size, W_SIZES, (int)w), j = next_size(r_size, R_SIZES, (int)r);
        bound[0] += 2 * w * (w * w + w * r + r * r) / rate.matrix[i][j];
        bound[1] += 2 * w * (w + 2 * r) / rate.vector[i][j];
    }
    *bytes = block->arena.bytes;
    nt_block_destroy(block);
}

static void report_chain(int bodies)
{
    mechanism *m = make_chain(bodies), *full = unpacked(m);
    timing block = measure(m, NT_SOLVER_BLOCK), klu = measure(full, NT_SOLVER_KLU);
    double scale = 1e6 / bodies;
    printf("chain %5d   factor %6.3f  solve + check %6.3f  at once %6.3f us/body   residual %.0e   "
           "KLU %6.3f us/body, residual %.0e\n",
           bodies, block.factor * scale, block.solve * scale, block.total * scale, block.residual,
           klu.total * scale, klu.residual);
    free_mechanism(full);
    free_mechanism(m);
}

static void report_lattice(int every)
{
    mechanism *m = make_lattice(64, every), *full = unpacked(m);
    timing block = measure(m, NT_SOLVER_BLOCK), klu = measure(full, NT_SOLVER_KLU);
    size_t bytes;
    double part[2];
    bound_of(m, part, &bytes);
    double bound = part[0] + part[1], ms = 1e3 * pace();
    printf("lattice 64 x 64, rows joined in every %s column: %d bodies, %d joints\n",
           every == 1 ? "1st" : "8th", m->bodies, m->joints);
    printf("  factorisation %.1f Mflop (KLU counts %.1f), at the kernels' rates %.2f ms, solve + "
           "check "
           "%.2f ms; %.1f KB per body\n",
           block.flops / 1e6, klu.flops / 1e6, part[0] * ms, part[1] * ms,
           (double)bytes / 1024 / m->bodies);
    printf("  block  factor %8.2f ms  solve + check %6.2f ms  at once %8.2f ms = %.2f x bound, "
           "residual %.0e, fallbacks %ld, analysis %.0f ms\n",
           block.factor * 1e3, block.solve * 1e3, block.total * 1e3, block.paced / bound,
           block.residual, block.fallbacks, block.create * 1e3);
    printf(
        "  KLU    factor %8.2f ms  solve + check %6.2f ms  at once %8.2f ms, block / KLU = %.2f, "
        "residual %.0e\n",
        klu.factor * 1e3, klu.solve * 1e3, klu.total * 1e3, block.paced / klu.paced, klu.residual);
    free_mechanism(full);
    free_mechanism(m);
}

int main(void)
{
    measure_rates();
    double giga = 1e-9 / pace();
    printf("kernels alone, Gflop/s: 3 x 3 program %.1f, its solve %.1f; fronts of 3, 12, 48 pivots "
           "and 24 others %.1f, %.1f, %.1f, and 96 others %.1f, %.1f, %.1f\n",
           rate.factor * giga, rate.solve * giga, rate.matrix[0][2] * giga,
           rate.matrix[2][2] * giga, rate.matrix[4][2] * giga, rate.matrix[0][4] * giga,
           rate.matrix[2][4] * giga, rate.matrix[4][4] * giga);
    report_chain(64);
    report_chain(256);
    report_chain(1024);
    report_lattice(8);
    report_lattice(1);
    nt_block_destroy(pacer_block);
    free_mechanism(pacer);
    return 0;
}
