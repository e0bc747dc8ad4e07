/* Random systems with the structure of mechanisms, for the tests of the linear solvers. */
#ifndef NUTATE_TESTS_LINALG_SYSTEMS_H
#define NUTATE_TESTS_LINALG_SYSTEMS_H

#include "linalg/pattern.h"
#include <stdlib.h>
#include <string.h>

static unsigned long long random_state = 12345;

/* Uniform in ]-1, 1[. */
static inline double uniform(void)
{
    random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(random_state >> 11) / 4503599627370496.0 - 1;
}

typedef struct test_system {
    const char *name;
    nt_pattern pattern;
    nt_matrix matrix;
} test_system;

static inline void system_free(test_system *s)
{
    nt_matrix_free(&s->matrix);
    nt_pattern_free(&s->pattern);
    free(s);
}

static inline test_system *system_new(const char *name)
{
    test_system *s = calloc(1, sizeof *s);
    if (!s)
        abort();
    s->name = name;
    return s;
}

static inline void random_block(const nt_matrix *m, int slot, double diagonal, double size)
{
    const nt_pattern *p = m->pattern;
    int row = p->row[slot], column = p->column[slot];
    int rows = p->node_start[row + 1] - p->node_start[row];
    int columns = p->node_start[column + 1] - p->node_start[column];
    double *a = nt_matrix_block(m, slot), scaled = uniform();
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++, a++) {
            if (p->shape[slot] == NT_SCALED)
                *a = i == j ? diagonal + size * scaled : 0;
            else
                *a = (i == j ? diagonal : 0) + size * uniform();
        }
}

/* [M B^T; B 0] with a strong diagonal in M and the pattern as it stands: diagonal blocks of bodies
 * near the identity, couplings of order one, zero multiplier blocks. */
static inline void fill_saddle(test_system *s)
{
    const nt_pattern *p = &s->pattern;
    for (int slot = 0; slot < p->n_slots; slot++) {
        int row = p->row[slot], column = p->column[slot];
        if (row >= p->n_primary && column >= p->n_primary)
            continue;
        if (row == column)
            random_block(&s->matrix, slot, 3, 0.5);
        else if (row < p->n_primary && column < p->n_primary)
            random_block(&s->matrix, slot, 0, 0.2);
        else
            random_block(&s->matrix, slot, 0, 1);
    }
}

static inline nt_status couple(nt_pattern *p, int i, int j, nt_block_shape shape)
{
    if (nt_pattern_add(p, i, j, shape) < 0 || nt_pattern_add(p, j, i, shape) < 0)
        return NT_NO_MEMORY;
    return NT_OK;
}

/* Bodies of a translation and a rotation node; joints of `size` multipliers, the last one of
 * `last`, between the given ends (-1: ground). Translations couple as multiples of the identity
 * where there are 3. */
static inline test_system *make_joined(const char *name, int bodies, int joints,
                                       const int (*ends)[2], int size, int last)
{
    test_system *s = system_new(name);
    int n = 2 * bodies + joints, *sizes = malloc((size_t)(n + 1) * sizeof *sizes);
    for (int i = 0; sizes && i < n; i++)
        sizes[i] = i < 2 * bodies ? 3 : i < n - 1 ? size : last;
    if (!sizes || nt_pattern_init(&s->pattern, n, 2 * bodies, sizes) != NT_OK)
        abort();
    free(sizes);
    for (int b = 0; b < bodies; b++) {
        nt_pattern_add(&s->pattern, 2 * b, 2 * b, NT_SCALED);
        nt_pattern_add(&s->pattern, 2 * b + 1, 2 * b + 1, NT_FULL);
    }
    for (int j = 0; j < joints; j++)
        for (int e = 0; e < 2; e++)
            if (ends[j][e] >= 0) {
                couple(&s->pattern, 2 * bodies + j, 2 * ends[j][e],
                       (j < joints - 1 ? size : last) == 3 ? NT_SCALED : NT_FULL);
                couple(&s->pattern, 2 * bodies + j, 2 * ends[j][e] + 1, NT_FULL);
            }
    if (nt_matrix_init(&s->matrix, &s->pattern) != NT_OK)
        abort();
    fill_saddle(s);
    return s;
}

static inline test_system *make_mechanism(const char *name, int bodies, int joints,
                                          const int (*ends)[2], int size)
{
    return make_joined(name, bodies, joints, ends, size, size);
}

/* A chain from the ground whose last joint has a number of multipliers of its own. */
static inline test_system *make_arm(const char *name, int bodies, int size, int last)
{
    int(*ends)[2] = malloc((size_t)bodies * sizeof *ends);
    if (!ends)
        abort();
    for (int j = 0; j < bodies; j++)
        ends[j][0] = j - 1, ends[j][1] = j;
    test_system *s = make_joined(name, bodies, bodies, (const int(*)[2])ends, size, last);
    free(ends);
    return s;
}

static inline test_system *make_chain(const char *name, int bodies, int size)
{
    return make_arm(name, bodies, size, size);
}

/* side x side bodies, joints along rows and columns, one corner on the ground. */
static inline test_system *make_lattice(const char *name, int side, int size)
{
    int(*ends)[2] = malloc((size_t)(2 * side * side + 1) * sizeof *ends), joints = 0;
    if (!ends)
        abort();
    ends[joints][0] = -1, ends[joints++][1] = 0;
    for (int r = 0; r < side; r++)
        for (int c = 0; c < side; c++) {
            if (c + 1 < side)
                ends[joints][0] = r * side + c, ends[joints++][1] = r * side + c + 1;
            if (r + 1 < side)
                ends[joints][0] = r * side + c, ends[joints++][1] = (r + 1) * side + c;
        }
    test_system *s = make_mechanism(name, side * side, joints, (const int(*)[2])ends, size);
    free(ends);
    return s;
}

/* One body that carries `arms` others, each by one joint. */
static inline test_system *make_star(const char *name, int arms)
{
    int(*ends)[2] = malloc((size_t)arms * sizeof *ends);
    if (!ends)
        abort();
    for (int j = 0; j < arms; j++)
        ends[j][0] = 0, ends[j][1] = j + 1;
    test_system *s = make_mechanism(name, arms + 1, arms, (const int(*)[2])ends, 3);
    free(ends);
    return s;
}

/* Nodes of random sizes 1 to 7, bodies coupled at random, multipliers on up to three bodies. */
static inline test_system *make_random(const char *name, int bodies, int multipliers)
{
    test_system *s = system_new(name);
    int n = bodies + multipliers, *sizes = malloc((size_t)(n + 1) * sizeof *sizes);
    for (int i = 0; sizes && i < n; i++)
        sizes[i] = i < bodies ? 2 + (int)(3 * (uniform() + 1)) : 1 + (int)(uniform() + 1);
    if (!sizes || nt_pattern_init(&s->pattern, n, bodies, sizes) != NT_OK)
        abort();
    free(sizes);
    for (int i = 0; i < bodies; i++) {
        nt_pattern_add(&s->pattern, i, i, i % 3 ? NT_FULL : NT_SCALED);
        if (i % 2) /* structurally one-sided: solvers must mirror it */
            nt_pattern_add(&s->pattern, i, (int)((uniform() + 1) / 2 * bodies), NT_FULL);
    }
    for (int i = bodies; i < n; i++) {
        couple(&s->pattern, i, (i - bodies) % bodies, NT_FULL);
        couple(&s->pattern, i, (int)((uniform() + 1) / 2 * bodies), NT_FULL);
    }
    if (nt_matrix_init(&s->matrix, &s->pattern) != NT_OK)
        abort();
    fill_saddle(s);
    return s;
}

/* Nodes 2 a and 2 a + 1, 2 b and 2 b + 1 of an element, coupled with each other. */
static inline void couple_bodies(nt_pattern *p, int a, int b)
{
    for (int i = 0; i < 4; i++)
        couple(p, 2 * a + i / 2, 2 * b + i % 2, NT_FULL);
}

static inline void couple_element(nt_pattern *p, int a, int b, int c)
{
    couple_bodies(p, a, b);
    couple_bodies(p, b, c);
    couple_bodies(p, a, c);
}

/* Two beams of elements of order 2, welded to the ground and together by rungs of one such element
 * each, so that every two rungs close a loop. */
static inline test_system *make_ladder(const char *name, int rungs)
{
    test_system *s = system_new(name);
    int along = 2 * rungs + 3, bodies = 2 * along + 3 * rungs, n = 2 * bodies + 2 * rungs + 2;
    int *sizes = malloc((size_t)n * sizeof *sizes);
    for (int i = 0; sizes && i < n; i++)
        sizes[i] = i < 2 * bodies ? 3 : 6;
    if (!sizes || nt_pattern_init(&s->pattern, n, 2 * bodies, sizes) != NT_OK)
        abort();
    free(sizes);
    for (int i = 0; i < bodies; i++) {
        nt_pattern_add(&s->pattern, 2 * i, 2 * i, NT_FULL);
        nt_pattern_add(&s->pattern, 2 * i + 1, 2 * i + 1, NT_FULL);
        couple(&s->pattern, 2 * i, 2 * i + 1, NT_FULL);
    }
    for (int i = 0; i <= rungs; i++) {
        int left = 2 * i, right = along + 2 * i, rung = 2 * along + 3 * (i - 1);
        int ends[2][2] = {{left, rung}, {right, rung + 2}};
        couple_element(&s->pattern, left, left + 1, left + 2);
        couple_element(&s->pattern, right, right + 1, right + 2);
        if (i > 0)
            couple_element(&s->pattern, rung, rung + 1, rung + 2);
        for (int k = 0; k < 8; k++) /* two welds of two ends of two nodes; the first: one end */
            if (i > 0 || k / 2 % 2 == 0)
                couple(&s->pattern, 2 * bodies + 2 * i + k / 4, 2 * ends[k / 4][k / 2 % 2] + k % 2,
                       NT_FULL);
        for (int k = 0; i > 0 && k < 2; k++) /* its forces turn with both ends */
            couple(&s->pattern, 2 * ends[k][0] + 1, 2 * ends[k][1] + 1, NT_FULL);
    }
    if (nt_matrix_init(&s->matrix, &s->pattern) != NT_OK)
        abort();
    fill_saddle(s);
    return s;
}

/* One node that holds everything. */
static inline test_system *make_single(const char *name, int n)
{
    test_system *s = system_new(name);
    if (nt_pattern_init(&s->pattern, 1, 1, &n) != NT_OK ||
        nt_pattern_add(&s->pattern, 0, 0, NT_FULL) < 0 ||
        nt_matrix_init(&s->matrix, &s->pattern) != NT_OK)
        abort();
    random_block(&s->matrix, 0, 1, 1);
    return s;
}

/* Units: translations, rotations and multipliers of make_mechanism measured in units that differ
 * by the given powers of ten; equations and unknowns alike. */
static inline void change_units(test_system *s, double rotation, double multiplier)
{
    const nt_pattern *p = &s->pattern;
    for (int slot = 0; slot < p->n_slots; slot++) {
        double factor = 1;
        int ends[2] = {p->row[slot], p->column[slot]};
        for (int e = 0; e < 2; e++)
            factor *= ends[e] >= p->n_primary ? multiplier : ends[e] % 2 ? rotation : 1;
        for (int k = p->offset[slot]; k < p->offset[slot + 1]; k++)
            s->matrix.values[k] *= factor;
    }
}

#endif
