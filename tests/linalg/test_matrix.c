/* Patterns and matrices; dense LU. */
#include "linalg/dense.h"
#include "linalg/systems.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

/* Sums of at most fifty terms of order one, in different orders. */
static const double ROUNDING = 50 * DBL_EPSILON;

/* Trimmed, a pattern holds the same slots and not one more, and takes further ones as before. */
static void check_trim(nt_pattern *p)
{
    int slots = p->n_slots, offset = p->offset[slots], row = 0, column = 0;
    nt_pattern_trim(p);
    assert_int_equal(p->room, slots);
    assert_true(p->hash_size > slots && p->hash_size < 3 * slots);
    assert_int_equal(p->n_slots, slots);
    for (int slot = 0; slot < slots; slot++)
        assert_int_equal(nt_pattern_find(p, p->row[slot], p->column[slot]), slot);
    while (nt_pattern_find(p, row, column) >= 0)
        row += ++column / p->n_nodes, column %= p->n_nodes;
    assert_true(row < p->n_nodes);
    assert_int_equal(nt_pattern_add(p, row, column, NT_FULL), slots);
    assert_int_equal(p->offset[slots], offset);
    assert_int_equal(nt_pattern_find(p, row, column), slots);
    assert_int_equal(nt_pattern_find(p, p->row[slots - 1], p->column[slots - 1]), slots - 1);
}

static void test_pattern(void **state)
{
    (void)state;
    enum { N = 300 };
    int sizes[N], slots = 0, offset = 0;
    nt_pattern p;
    for (int i = 0; i < N; i++)
        sizes[i] = 1 + i % 6;
    assert_int_equal(nt_pattern_init(&p, N, 200, sizes), NT_OK);
    assert_int_equal(p.n_slots, 100);
    for (int i = 200; i < N; i++)
        assert_int_equal(nt_pattern_find(&p, i, i), i - 200);
    slots = p.n_slots;
    offset = p.offset[slots];
    for (int k = 0; k < 20000; k++) {
        int row = k * 7919 % N, column = k * 104729 % N, known = nt_pattern_find(&p, row, column);
        int slot = nt_pattern_add(&p, row, column, NT_SCALED);
        if (known >= 0) {
            assert_int_equal(slot, known);
        } else {
            assert_int_equal(slot, slots);
            assert_int_equal(p.offset[slot], offset);
            offset += sizes[row] * sizes[column];
            slots++;
        }
        assert_int_equal(p.shape[slot], sizes[row] == sizes[column] ? NT_SCALED : NT_FULL);
        assert_int_equal(p.row[slot], row);
        assert_int_equal(p.column[slot], column);
    }
    assert_int_equal(p.n_slots, slots);
    assert_int_equal(p.offset[slots], offset);
    int slot = nt_pattern_add(&p, 201, 201, NT_FULL);
    assert_int_equal(p.shape[slot], NT_FULL);
    nt_pattern_add(&p, 201, 201, NT_SCALED);
    assert_int_equal(p.shape[slot], NT_FULL);
    check_trim(&p);
    nt_pattern_free(&p);
    sizes[3] = 0;
    assert_int_equal(nt_pattern_init(&p, N, 200, sizes), NT_INVALID);
    assert_int_equal(nt_pattern_init(&p, 2, 3, sizes), NT_INVALID);
}

static void test_apply(void **state)
{
    (void)state;
    test_system *systems[] = {make_lattice("lattice", 4, 3), make_random("random", 20, 15),
                              make_chain("chain", 9, 5), make_single("single", 11)};
    for (int k = 0; k < 4; k++) {
        test_system *s = systems[k];
        int n = s->pattern.n;
        double *dense = malloc((size_t)n * (size_t)n * sizeof *dense);
        double *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)n * sizeof *y);
        assert_true(dense && x && y);
        for (int i = 0; i < n; i++)
            x[i] = uniform();
        nt_matrix_dense(&s->matrix, dense);
        nt_matrix_apply(&s->matrix, x, y);
        for (int i = 0; i < n; i++) {
            double sum = 0, size = 0;
            for (int j = 0; j < n; j++) {
                sum += dense[i * n + j] * x[j];
                size += fabs(dense[i * n + j] * x[j]);
            }
            assert_true(fabs(sum - y[i]) <= ROUNDING * size);
        }
        nt_matrix_zero(&s->matrix);
        nt_matrix_apply(&s->matrix, x, y);
        for (int i = 0; i < n; i++)
            assert_true(y[i] == 0);
        free(dense);
        free(x);
        free(y);
        system_free(s);
    }
}

/* Every fixed size and two open ones, with zeros on the diagonal so that rows must be exchanged. */
static void test_dense(void **state)
{
    (void)state;
    for (int n = 1; n <= 14; n++) {
        double a[14 * 14], lu[14 * 14], b[14], x[14], y[14];
        int pivot[14];
        for (int i = 0; i < n * n; i++)
            a[i] = uniform();
        for (int i = 0; i < n && n > 1; i++)
            a[i * n + i] = 0;
        for (int i = 0; i < n; i++)
            b[i] = uniform();
        memcpy(lu, a, sizeof a);
        assert_int_equal(nt_dense_factor(n, lu, pivot), -1);
        memcpy(x, b, sizeof b);
        memcpy(y, b, sizeof b);
        nt_dense_solve(n, lu, pivot, x);
        nt_dense_solve_transposed(n, lu, pivot, y);
        for (int i = 0; i < n; i++) {
            double r = b[i], t = b[i], size = fabs(b[i]), other = fabs(b[i]);
            for (int j = 0; j < n; j++) {
                r -= a[i * n + j] * x[j], size += fabs(a[i * n + j] * x[j]);
                t -= a[j * n + i] * y[j], other += fabs(a[j * n + i] * y[j]);
            }
            /* growth of partial pivoting at this size: less than 10 */
            assert_true(fabs(r) <= 10 * ROUNDING * size);
            assert_true(fabs(t) <= 10 * ROUNDING * other);
        }
        for (int i = 0; i < n; i++)
            a[i * n + n / 2] = 0;
        assert_int_equal(nt_dense_factor(n, a, pivot), n / 2);
        a[0] = (double)NAN;
        assert_true(nt_dense_factor(n, a, pivot) >= 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pattern),
        cmocka_unit_test(test_apply),
        cmocka_unit_test(test_dense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
