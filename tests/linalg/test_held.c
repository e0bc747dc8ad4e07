/* The kernel for one body that is held at a point does what the program for any matrix does, to the
 * bit: solution, factors, error, and the unknown that it blames. */
#include "linalg/block/block.h"
#include "linalg/systems.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include <cmocka.h>

enum { N = 9 };

/* Translation, rotation and multiplier in any order of their slots. */
static test_system *held_system(int order)
{
    static const int blocks[2][7][2] = {{{0, 0}, {1, 1}, {2, 2}, {0, 2}, {2, 0}, {1, 2}, {2, 1}},
                                        {{2, 1}, {1, 2}, {0, 2}, {1, 1}, {2, 0}, {2, 2}, {0, 0}}};
    static const int sizes[3] = {3, 3, 3};
    test_system *s = system_new("held body");
    assert_int_equal(nt_pattern_init(&s->pattern, 3, 2, sizes), NT_OK);
    for (int i = 0; i < 7; i++) {
        int row = blocks[order][i][0], column = blocks[order][i][1];
        bool full = row == 1 || column == 1;
        assert_true(nt_pattern_add(&s->pattern, row, column, full ? NT_FULL : NT_SCALED) >= 0);
    }
    assert_int_equal(nt_matrix_init(&s->matrix, &s->pattern), NT_OK);
    return s;
}

typedef struct outcome {
    int ok, unknown;
    double x[N], error;
} outcome;

/* Factorise and solve, the matrix cleared on the way. */
static outcome run(nt_block_lu *block, const nt_matrix *matrix, const double *b)
{
    double values[64];
    size_t n = (size_t)matrix->pattern->offset[matrix->pattern->n_slots];
    outcome o = {.error = 0};
    memcpy(values, matrix->values, n * sizeof *values);
    o.ok = nt_block_factor_solve(block, values, values, b, o.x, 1e-10, 1e-15, &o.error);
    o.unknown = o.ok ? -1 : block->singular_unknown;
    for (size_t i = 0; i < n; i++)
        assert_true(values[i] == 0);
    return o;
}

/* A further right-hand side with the factors at hand. */
static void solve_again(nt_block_lu *block, const double *b, double *x)
{
    assert_true(nt_block_solve(block, b, x, 1e-10, 1e-15) <= 1e-10);
}

static void compare(const test_system *s, int expected)
{
    nt_block_lu *straight = nt_block_create(&s->pattern, 1);
    nt_block_lu *program = nt_block_create(&s->pattern, 1);
    assert_non_null(straight);
    assert_non_null(program);
    assert_non_null(straight->held);
    program->held = NULL;
    double b[N], again[2][N];
    for (int i = 0; i < N; i++)
        b[i] = uniform();
    outcome one = run(straight, &s->matrix, b), other = run(program, &s->matrix, b);
    assert_int_equal(one.ok, expected);
    assert_int_equal(other.ok, expected);
    assert_int_equal(one.unknown, other.unknown);
    if (expected) {
        assert_memory_equal(one.x, other.x, sizeof one.x);
        assert_true(one.error == other.error);
        solve_again(straight, b, again[0]);
        solve_again(program, b, again[1]);
        assert_memory_equal(again[0], again[1], sizeof again[0]);
        assert_memory_equal(again[0], one.x, sizeof again[0]);
    }
    nt_block_destroy(straight);
    nt_block_destroy(program);
}

static void test_same_bits(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++)
        for (int k = 0; k < 200; k++) {
            test_system *s = held_system(order);
            fill_saddle(s);
            compare(s, 1);
            system_free(s);
        }
}

/* No mass, no inertia, a joint that holds nothing: both fail, and say the same. */
static void test_same_failures(void **state)
{
    (void)state;
    static const int blank[3] = {0, 1, 2};
    for (int k = 0; k < 3; k++) {
        test_system *s = held_system(0);
        fill_saddle(s);
        for (int slot = 0; slot < s->pattern.n_slots; slot++) {
            bool own = s->pattern.row[slot] == blank[k] && s->pattern.column[slot] == blank[k];
            bool joint = s->pattern.row[slot] == 2 || s->pattern.column[slot] == 2;
            int entries = s->pattern.offset[slot + 1] - s->pattern.offset[slot];
            if (own || (k == 2 && joint))
                memset(nt_matrix_block(&s->matrix, slot), 0, (size_t)entries * sizeof(double));
        }
        compare(s, 0);
        system_free(s);
    }
}

/* The residual check is the same too: a matrix so near to singular that its error is seen. */
static void test_same_check(void **state)
{
    (void)state;
    int refined = 0;
    for (int k = 0; k < 200; k++) {
        test_system *s = held_system(0);
        fill_saddle(s);
        double *lr = nt_matrix_block(&s->matrix, nt_pattern_find(&s->pattern, 2, 1));
        double *lt = nt_matrix_block(&s->matrix, nt_pattern_find(&s->pattern, 2, 0));
        lt[0] = lt[4] = lt[8] = 0;
        for (int i = 0; i < 3; i++) /* the third row is nearly the first */
            lr[6 + i] = lr[i] + 1e-6 * uniform();
        nt_block_lu *straight = nt_block_create(&s->pattern, 1);
        nt_block_lu *program = nt_block_create(&s->pattern, 1);
        program->held = NULL;
        double b[N];
        for (int i = 0; i < N; i++)
            b[i] = uniform();
        outcome one = run(straight, &s->matrix, b), other = run(program, &s->matrix, b);
        assert_int_equal(one.ok, other.ok);
        assert_true(one.error == other.error);
        assert_memory_equal(one.x, other.x, sizeof one.x);
        refined += one.error > 1e-15;
        nt_block_destroy(straight);
        nt_block_destroy(program);
        system_free(s);
    }
    assert_true(refined > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_same_failures),
        cmocka_unit_test(test_same_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
