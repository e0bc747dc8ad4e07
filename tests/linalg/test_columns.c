/* Four right-hand sides side by side: the numbers of one after the other, and a check of every row
 * of every column. */
#include "linalg/block/block.h"
#include "linalg/systems.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include <cmocka.h>

enum { FOUR = 4 };

/* The row-wise backward error that linalg.h promises. */
static const double BACKWARD = 1e-10;

/* Points in a row and rotors in a row, joints between neighbours: nodes that are eliminated alone,
 * where those of a chain go by pairs. Many enough for two windows. */
static test_system *make_rows(void)
{
    enum { EACH = 6, BODIES = 2 * EACH, NODES = 2 * BODIES };
    int sizes[NODES];
    test_system *s = system_new("points and rotors");
    for (int i = 0; i < NODES; i++)
        sizes[i] = 3;
    assert_int_equal(nt_pattern_init(&s->pattern, NODES, BODIES, sizes), NT_OK);
    for (int i = 0; i < BODIES; i++) {
        nt_block_shape shape = i < EACH ? NT_SCALED : NT_FULL;
        assert_true(nt_pattern_add(&s->pattern, i, i, shape) >= 0);
        assert_int_equal(couple(&s->pattern, BODIES + i, i, shape), NT_OK);
        if (i % EACH > 0)
            assert_int_equal(couple(&s->pattern, BODIES + i, i - 1, shape), NT_OK);
    }
    assert_int_equal(nt_matrix_init(&s->matrix, &s->pattern), NT_OK);
    fill_saddle(s);
    for (int i = 0; i < BODIES; i++) /* strong enough to be far from singular */
        for (int k = 0; k < 3; k++) {
            nt_matrix_block(&s->matrix, nt_pattern_find(&s->pattern, BODIES + i, i))[4 * k] += 3;
            nt_matrix_block(&s->matrix, nt_pattern_find(&s->pattern, i, BODIES + i))[4 * k] += 3;
        }
    return s;
}

static nt_block_lu *factors_of(const test_system *s)
{
    nt_block_lu *block = nt_block_create(&s->pattern, 1);
    assert_non_null(block);
    assert_int_equal(nt_block_take_columns(block), NT_OK);
    assert_non_null(block->columns);
    assert_true(nt_block_factor(block, s->matrix.values, NULL));
    return block;
}

static double *vector(int n)
{
    double *v = calloc((size_t)n, sizeof *v);
    assert_non_null(v);
    return v;
}

/* x[4][n] to and from y[n][4] */
static void lay_beside(int n, const double *x, double *y)
{
    for (int i = 0; i < FOUR * n; i++)
        y[i % n * FOUR + i / n] = x[i];
}

static void lay_apart(int n, const double *y, double *x)
{
    for (int i = 0; i < FOUR * n; i++)
        x[i] = y[i % n * FOUR + i / n];
}

/* ---- the same numbers ------------------------------------------------------------------------ */

/* Side by side to the bit, and as one by one up to the order of sums: a few units of the last place
 * of the largest number, times a condition below 1e3. */
static const double ROUNDING = 1e-12;

static void agree(test_system *s)
{
    int n = s->pattern.n;
    nt_block_lu *block = factors_of(s);
    double *b = vector(FOUR * n), *x = vector(FOUR * n), *y = vector(FOUR * n);
    for (int count = 2; count <= FOUR; count++) {
        double error = 0, same_error = 0, largest = 0;
        for (int i = 0; i < FOUR * n; i++)
            x[i] = b[i] = uniform();
        lay_beside(n, b, y);
        assert_true(nt_block_solve_columns(block, x, count, BACKWARD, &error));
        assert_true(error > 0 && error <= BACKWARD);
        assert_true(nt_block_solve_beside(block, y, BACKWARD, &same_error));
        assert_true(count < FOUR || error == same_error);
        for (int k = 0; k < count; k++)
            assert_true(nt_block_solve(block, b + k * n, b + k * n, BACKWARD, 0) <= BACKWARD);
        for (int i = 0; i < count * n; i++)
            largest = fmax(largest, fabs(b[i]));
        for (int i = 0; i < FOUR * n; i++) /* those not asked for are left alone */
            if (!(fabs(x[i] - b[i]) <= (i < count * n ? ROUNDING * largest : 0)))
                fail_msg("%s, %d columns: number %d is %.17g instead of %.17g", s->name, count, i,
                         x[i], b[i]);
        lay_apart(n, y, b);
        assert_memory_equal(x, b, (size_t)(count * n) * sizeof *x);
    }
    nt_block_destroy(block);
    free(b);
    free(x);
    free(y);
}

/* ---- the check ------------------------------------------------------------------------------- */

/* Which numbers in `store` the matrix is kept in; the others are the factors' own. */
static unsigned char *kept(const nt_block_lu *block, int length)
{
    unsigned char *is = calloc((size_t)length, 1);
    assert_non_null(is);
    for (int slot = 0; slot < block->pattern->n_slots; slot++) {
        const nt_load *load = &block->load[slot];
        bool single = load->kind == NT_LOAD_SCALED || load->kind == NT_LOAD_DIAGONAL;
        memset(is + load->keep, 1, single ? 1 : 12);
    }
    return is;
}

/* The end of what records and blocks name in `store`. */
static int store_length(const nt_block_lu *block)
{
    int length = 0;
    for (int slot = 0; slot < block->pattern->n_slots; slot++) {
        int keep = block->load[slot].keep + 12, work = block->load[slot].work + 12;
        length = keep > length ? keep : length;
        length = work > length ? work : length;
    }
    for (int w = 0; w < block->n_windows; w++)
        for (int at = block->window[w].begin; at < block->window[w].end;) {
            const nt_record *record = (const nt_record *)(block->program + at);
            int end = block->window[w].store + record->inverse + 12;
            at += record->length;
            if (record->kind < NT_RECORD_LOAD && end > length)
                length = end;
        }
    return length;
}

/* Any number of the factors that is wrong, where one column alone is not zero, is seen in that
 * column: the factors no longer solve, and nothing is touched. */
static void see(test_system *s)
{
    int n = s->pattern.n, seen = 0;
    nt_block_lu *block = factors_of(s);
    int length = store_length(block);
    unsigned char *is_kept = kept(block, length);
    double *b = vector(FOUR * n), *x = vector(FOUR * n), *y = vector(FOUR * n);
    for (int column = 0; column < FOUR; column++) {
        double error = 0;
        memset(b, 0, (size_t)(FOUR * n) * sizeof *b);
        for (int i = 0; i < n; i++)
            b[column * n + i] = uniform();
        memcpy(x, b, (size_t)(FOUR * n) * sizeof *b);
        lay_beside(n, b, y);
        assert_true(nt_block_solve_columns(block, x, FOUR, BACKWARD, &error));
        memcpy(x, b, (size_t)(FOUR * n) * sizeof *b);
        for (int i = 0; i < length; i++) {
            double right = block->store[i];
            if (is_kept[i] || right == 0)
                continue;
            block->store[i] = right * (1 + 1e-4); /* far above the tolerance in its row */
            if (nt_block_solve_columns(block, x, FOUR, BACKWARD, &error) ||
                nt_block_solve_beside(block, y, BACKWARD, &error))
                fail_msg("%s, column %d: number %d of the factors may be wrong", s->name, column,
                         i);
            assert_memory_equal(x, b, (size_t)(FOUR * n) * sizeof *b);
            block->store[i] = right;
            seen++;
        }
        lay_apart(n, y, x);
        assert_memory_equal(x, b, (size_t)(FOUR * n) * sizeof *b);
    }
    assert_true(seen >= FOUR * n); /* an inverse for each node at least */
    nt_block_destroy(block);
    free(is_kept);
    free(b);
    free(x);
    free(y);
}

static void each(void (*test)(test_system *s))
{
    static const int none[1][2] = {{0, 0}};
    test_system *systems[] = {
        make_chain("chain", 9, 3),
        make_star("star", 5),
        make_mechanism("free bodies: a row alone", 9, 0, none, 3),
        make_rows(),
    };
    for (size_t i = 0; i < sizeof systems / sizeof systems[0]; i++) {
        test(systems[i]);
        system_free(systems[i]);
    }
}

/* What is said of the other rows: a hundred times their own rounding. */
static const double SEEN = 1e-13;

/* A rotation, by rows. */
static void turn(double Q[9])
{
    double w = uniform(), x = uniform(), y = uniform(), z = uniform();
    double r = 1 / sqrt(w * w + x * x + y * y + z * z);
    w *= r, x *= r, y *= r, z *= r;
    const double rows[9] = {
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
        2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(Q, rows, sizeof rows);
}

/* out = a b, all 3 x 3 by rows; with `other` a b^T */
static void multiply(const double *a, const double *b, bool other, double *out)
{
    double sum[9] = {0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                sum[3 * i + j] += a[3 * i + k] * b[other ? 3 * j + k : 3 * k + j];
    memcpy(out, sum, sizeof sum);
}

/* A chain that moves in a plane, the rotation of each body in turned axes Q[bodies][9]: nothing
 * couples the plane with what is across it, but for the rounding of products with Q. */
static test_system *make_plane_chain(int bodies, double (*Q)[9])
{
    test_system *s = make_chain("plane chain", bodies, 3);
    const nt_pattern *p = &s->pattern;
    for (int b = 0; b < bodies; b++)
        turn(Q[b]);
    for (int slot = 0; slot < p->n_slots; slot++) {
        double *a = nt_matrix_block(&s->matrix, slot);
        int row = p->row[slot], column = p->column[slot];
        for (int i = 0; i < 9; i++)
            if ((i % 3 == 2) != (i / 3 == 2))
                a[i] = 0;
        if (row < p->n_primary && row % 2 == 1)
            multiply(Q[row / 2], a, false, a);
        if (column < p->n_primary && column % 2 == 1)
            multiply(a, Q[column / 2], true, a);
    }
    return s;
}

/* Across the plane loads are nothing, and solutions rounding: rows that no solver can satisfy to
 * ten digits of themselves. They count as exact, and in the first place: nothing is left for a
 * second look. */
static void test_rows_that_vanish(void **state)
{
    (void)state;
    enum { BODIES = 20 };
    double Q[BODIES][9];
    test_system *s = make_plane_chain(BODIES, Q);
    int n = s->pattern.n;
    nt_block_lu *block = factors_of(s);
    double *b = vector(FOUR * n), *x = vector(FOUR * n), error = 0, largest = 0;
    for (int round = 0; round < 3; round++) { /* the first learns how large errors are */
        for (int i = 0; i < FOUR * n; i++) {
            int node = i % n / 3;
            double plane[9] = {uniform(), 0, 0, uniform(), 0, 0, 0};
            if (node < 2 * BODIES && node % 2 == 1)
                multiply(Q[node / 2], plane, false, plane);
            for (int k = 0; i % 3 == 0 && k < 3; k++)
                x[i + k] = b[i + k] = plane[3 * k];
        }
        assert_true(nt_block_solve_columns(block, x, FOUR, BACKWARD, &error));
        assert_true(round < 2 || block->columns->n_suspects == 0);
        for (int k = 0; k < FOUR; k++)
            assert_true(nt_block_solve(block, b + k * n, b + k * n, BACKWARD, 0) <= SEEN);
        for (int i = 0; i < FOUR * n; i++)
            largest = fmax(largest, fabs(b[i]));
        for (int i = 0; i < FOUR * n; i++)
            assert_true(fabs(x[i] - b[i]) <= ROUNDING * largest);
    }
    assert_true(error <= SEEN);
    nt_block_destroy(block);
    system_free(s);
    free(b);
    free(x);
}

static void test_agree(void **state)
{
    (void)state;
    each(agree);
}

static void test_see(void **state)
{
    (void)state;
    each(see);
}

/* A number that is not finite in one column. */
static void test_not_finite(void **state)
{
    (void)state;
    test_system *s = make_chain("chain", 9, 3);
    int n = s->pattern.n;
    nt_block_lu *block = factors_of(s);
    double *b = vector(FOUR * n), error = 0;
    for (int i = 0; i < FOUR * n; i++) {
        for (int j = 0; j < FOUR * n; j++)
            b[j] = 1;
        b[i] = i % 2 ? (double)NAN : (double)INFINITY;
        assert_false(nt_block_solve_columns(block, b, FOUR, BACKWARD, &error));
    }
    nt_block_destroy(block);
    system_free(s);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agree),
        cmocka_unit_test(test_see),
        cmocka_unit_test(test_rows_that_vanish),
        cmocka_unit_test(test_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
