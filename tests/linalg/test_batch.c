/* Subtrees of one shape side by side: the same solutions as one by one, and one by one where a
 * front needs its rows exchanged. */
#include "linalg/block/block.h"
#include "linalg/systems.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

/* Beams whose nodes, a translation and a rotation each, are all coupled with each other in an
 * element of `within` nodes, which shares its last with the next element; the first is held by a
 * multiplier of six rows, by the ground or by a hub. */
static test_system *make_beams(int beams, int nodes, int within, int has_hub)
{
    test_system *s = system_new("beams");
    int bodies = 2 * nodes * beams + 2 * has_hub, sizes[400];
    for (int i = 0; i < bodies + beams; i++)
        sizes[i] = i < bodies ? 3 : 6;
    assert_int_equal(nt_pattern_init(&s->pattern, bodies + beams, bodies, sizes), NT_OK);
    for (int k = 0; k < beams; k++) {
        int first = 2 * nodes * k;
        for (int e = 0; e < 2 * (nodes - 1); e += 2 * (within - 1))
            for (int i = e; i < e + 2 * within; i++)
                for (int j = e; j < e + 2 * within; j++)
                    assert_true(nt_pattern_add(&s->pattern, first + i, first + j, NT_FULL) >= 0);
        for (int i = 0; i < 2; i++)
            assert_int_equal(couple(&s->pattern, bodies + k, first + i, NT_FULL), NT_OK);
        for (int i = 0; has_hub && i < 2; i++)
            assert_int_equal(couple(&s->pattern, bodies + k, bodies - 2 + i, NT_FULL), NT_OK);
    }
    for (int i = 0; has_hub && i < 2; i++)
        assert_true(nt_pattern_add(&s->pattern, bodies - 2 + i, bodies - 2 + i, NT_FULL) >= 0);
    assert_int_equal(nt_matrix_init(&s->matrix, &s->pattern), NT_OK);
    fill_saddle(s);
    return s;
}

static void multiply(const nt_matrix *m, const double *x, double *b, int transposed)
{
    const nt_pattern *p = m->pattern;
    memset(b, 0, (size_t)p->n * sizeof *b);
    for (int slot = 0; slot < p->n_slots; slot++) {
        int row = p->node_start[p->row[slot]], column = p->node_start[p->column[slot]];
        int rows = p->node_start[p->row[slot] + 1] - row;
        int columns = p->node_start[p->column[slot] + 1] - column;
        const double *a = nt_matrix_block(m, slot);
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < columns; j++, a++)
                if (transposed)
                    b[column + j] += *a * x[row + i];
                else
                    b[row + i] += *a * x[column + j];
    }
}

static void assert_solves(nt_block_lu *block, const nt_matrix *matrix, const double *x)
{
    int n = matrix->pattern->n;
    double b[1200], found[1200];
    for (int transposed = 0; transposed < 2; transposed++) {
        multiply(matrix, x, b, transposed);
        double error = transposed ? nt_block_solve_transposed(block, b, found, 1e-10, 1e-16)
                                  : nt_block_solve(block, b, found, 1e-10, 1e-16);
        assert_true(error <= 1e-13);
        for (int i = 0; i < n; i++)
            if (!(fabs(found[i] - x[i]) <= 1e-9)) {
                printf("%s unknown %d: %.17g, not %.17g\n", transposed ? "transposed" : "plain", i,
                       found[i], x[i]);
                fail();
            }
    }
}

static void check(int beams, int nodes, int within, int has_hub, int batches)
{
    test_system *s = make_beams(beams, nodes, within, has_hub);
    nt_block_lu *block = nt_block_create(&s->pattern, 1);
    double x[1200];
    assert_non_null(block);
    assert_int_equal(nt_block_take_transposed(block), NT_OK);
    assert_int_equal(block->core.n_batches, batches);
    for (int i = 0; i < s->pattern.n; i++)
        x[i] = uniform();
    assert_true(nt_block_factor(block, s->matrix.values, NULL));
    for (int i = 0; i < batches; i++)
        assert_true(block->core.batch[i].taken);
    assert_solves(block, &s->matrix, x);
    /* the last beam's diagonal vanishes: rows of its front must be exchanged */
    int slot;
    for (int node = 2 * nodes * (beams - 1); node < 2 * nodes * beams; node++) {
        slot = nt_pattern_find(&s->pattern, node, node);
        for (int i = 0; i < 3; i++)
            nt_matrix_block(&s->matrix, slot)[4 * i] = 0;
    }
    assert_true(nt_block_factor(block, s->matrix.values, NULL));
    int taken = 0;
    for (int i = 0; i < batches; i++)
        taken += block->core.batch[i].taken;
    assert_true(batches == 0 || taken == batches - 1);
    assert_solves(block, &s->matrix, x);
    /* and what has been found singular is said to be so */
    slot = nt_pattern_find(&s->pattern, 2, 2);
    for (int j = 0; j < 2 * nodes; j++) {
        slot = nt_pattern_find(&s->pattern, 2, j);
        if (slot >= 0)
            memset(nt_matrix_block(&s->matrix, slot), 0, 9 * sizeof(double));
    }
    assert_false(nt_block_factor(block, s->matrix.values, NULL));
    nt_block_destroy(block);
    system_free(s);
}

/* Factorised and solved for b at once, x[n]. */
static void factor_solve(nt_block_lu *block, const test_system *s, const double *b, double *x)
{
    double error;
    nt_matrix copy;
    size_t bytes = (size_t)s->pattern.offset[s->pattern.n_slots] * sizeof(double);
    assert_int_equal(nt_matrix_init(&copy, &s->pattern), NT_OK);
    memcpy(copy.values, s->matrix.values, bytes);
    assert_true(nt_block_factor_solve(block, copy.values, copy.values, b, x, 1e-10, 1e-16, &error));
    assert_true(error <= 1e-13);
    for (size_t i = 0; i < bytes / sizeof(double); i++)
        assert_true(copy.values[i] == 0);
    nt_matrix_free(&copy);
}

/* Threads give the bits of one, also where a batch needs exchanges when its right-hand side is on
 * the way: among the first fronts, which are done within the job, or behind them. */
static void test_threads(void **state)
{
    test_system *s = make_beams(3, 41, 3, 1);
    nt_block_lu *block = nt_block_create(&s->pattern, 1);
    nt_pool *pool = NULL;
    double b[1200], alone[1200], together[1200];
    int n = s->pattern.n;
    (void)state;
    assert_non_null(block);
    assert_int_equal(block->core.n_batches, 1);
    block->pool = &pool;
    for (int i = 0; i < n; i++)
        b[i] = uniform();
    const nt_front_batch *batch = &block->core.batch[0];
    const int first[3] = {0, 2, 2 * 36}, end[3] = {0, 2 * 5, 2 * 41};
    for (int exchanges = 0; exchanges < 3; exchanges++) {
        for (int node = first[exchanges]; node < end[exchanges]; node++)
            for (int i = 0; i < 3; i++)
                nt_matrix_block(&s->matrix, nt_pattern_find(&s->pattern, node, node))[4 * i] = 0;
        factor_solve(block, s, b, alone);
        assert_int_equal(batch->taken, exchanges == 0);
        for (int threads = 2; threads <= 5; threads++) {
            pool = nt_pool_create(threads, 1);
            assert_non_null(pool);
            assert_ptr_equal(nt_block_pool(block), pool);
            for (int i = 0; i < 50; i++) {
                factor_solve(block, s, b, together);
                assert_true(nt_block_split(block) < block->n_padded);
                assert_true(threads > 2 || (batch->behind > 0 && batch->ahead > 0));
                assert_true(threads > 2 || batch->begun == (exchanges == 2 ? -1 : batch->ahead));
                assert_memory_equal(alone, together, (size_t)n * sizeof *alone);
            }
            nt_pool_destroy(pool);
            pool = NULL;
        }
    }
    nt_block_destroy(block);
    system_free(s);
}

static void test_three(void **state)
{
    (void)state;
    check(3, 6, 6, 0, 1);
}
static void test_hub(void **state)
{
    (void)state;
    check(3, 6, 6, 1, 1);
}
static void test_seven(void **state)
{
    (void)state;
    check(7, 6, 6, 1, 2);
}
/* Elements of three nodes, though each node alone has few neighbours. */
static void test_short_elements(void **state)
{
    (void)state;
    check(3, 9, 3, 1, 1);
}
/* Two lanes of four would not be worth it. */
static void test_two(void **state)
{
    (void)state;
    check(2, 6, 6, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_three),
        cmocka_unit_test(test_hub),
        cmocka_unit_test(test_seven),
        cmocka_unit_test(test_short_elements),
        cmocka_unit_test(test_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
