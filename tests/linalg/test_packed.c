/* Packed patterns: one number for a multiple of the identity. The same matrix with and without
 * must be the same to every solver, to the bit. */
#include "linalg/pattern.h"
#include "linalg/systems.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static int size_of(const nt_pattern *p, int node)
{
    return p->node_start[node + 1] - p->node_start[node];
}

/* The same blocks and values, packed. The first block that is full and 3 x 3 begins as a multiple
 * of the identity and changes its mind last. */
static test_system *packed(const test_system *s)
{
    const nt_pattern *p = &s->pattern;
    test_system *twin = system_new(s->name);
    int *sizes = malloc((size_t)p->n_nodes * sizeof *sizes), late = -1;
    assert_non_null(sizes);
    for (int i = 0; i < p->n_nodes; i++)
        sizes[i] = size_of(p, i);
    assert_int_equal(nt_pattern_init(&twin->pattern, p->n_nodes, p->n_primary, sizes), NT_OK);
    nt_pattern_pack(&twin->pattern);
    for (int slot = 0; slot < p->n_slots; slot++) {
        int three = sizes[p->row[slot]] == 3 && sizes[p->column[slot]] == 3;
        if (late < 0 && three && p->shape[slot] == NT_FULL)
            late = slot;
        nt_block_shape shape = slot == late ? NT_SCALED : (nt_block_shape)p->shape[slot];
        assert_int_equal(nt_pattern_add(&twin->pattern, p->row[slot], p->column[slot], shape),
                         slot);
    }
    if (late >= 0) {
        int end = twin->pattern.offset[p->n_slots];
        assert_true(nt_pattern_is_single(&twin->pattern, late));
        assert_int_equal(nt_pattern_add(&twin->pattern, p->row[late], p->column[late], NT_FULL),
                         late);
        assert_int_equal(twin->pattern.offset[late], end);
        assert_int_equal(twin->pattern.offset[p->n_slots], end + 9);
    }
    free(sizes);
    assert_int_equal(nt_matrix_init(&twin->matrix, &twin->pattern), NT_OK);
    for (int slot = 0; slot < p->n_slots; slot++) {
        size_t entries = (size_t)size_of(p, p->row[slot]) * (size_t)size_of(p, p->column[slot]);
        memcpy(nt_matrix_block(&twin->matrix, slot), nt_matrix_block(&s->matrix, slot),
               (nt_pattern_is_single(&twin->pattern, slot) ? 1 : entries) * sizeof(double));
    }
    return twin;
}

/* A chain whose first two translations a full block couples: the multiples of the identity beside
 * them are worked with as full blocks. */
static test_system *make_coupled_chain(void)
{
    test_system *s = make_chain("coupled chain", 4, 3);
    nt_matrix_free(&s->matrix);
    assert_int_equal(couple(&s->pattern, 0, 2, NT_FULL), NT_OK);
    assert_int_equal(nt_matrix_init(&s->matrix, &s->pattern), NT_OK);
    fill_saddle(s);
    return s;
}

enum { SYSTEMS = 6 };

static void make_systems(test_system *systems[SYSTEMS])
{
    systems[0] = make_chain("body held at a point", 1, 3);
    systems[1] = make_chain("chain", 30, 3);
    systems[2] = make_chain("hinges", 6, 5);
    systems[3] = make_lattice("lattice", 7, 3);
    systems[4] = make_random("random", 20, 15);
    systems[5] = make_coupled_chain();
}

/* Whole nodes can be left out as from a matrix that is not packed; a part of a single number
 * cannot, and then nothing is done. */
static void check_drop(test_system *s, test_system *twin)
{
    const nt_pattern *p = &twin->pattern;
    const int *start = p->node_start, nodes[] = {0, 1, p->n_primary};
    size_t n = (size_t)p->n, bytes = n * n * sizeof(double);
    double *a = malloc(bytes), *b = malloc(bytes);
    int dropped[30], count = 0, slot = 0;
    assert_true(a && b);
    for (int d = 0; d < 3; d++)
        for (int i = start[nodes[d]]; i < start[nodes[d] + 1]; i++)
            dropped[count++] = i;
    while (slot < p->n_slots && !nt_pattern_is_single(p, slot))
        slot++;
    if (slot < p->n_slots) {
        int part = start[p->row[slot]] + 1;
        nt_matrix_dense(&twin->matrix, a);
        assert_int_equal(nt_matrix_drop(&twin->matrix, &part, 1), NT_INVALID);
        nt_matrix_dense(&twin->matrix, b);
        assert_memory_equal(a, b, bytes);
    }
    assert_int_equal(nt_matrix_drop(&s->matrix, dropped, count), NT_OK);
    assert_int_equal(nt_matrix_drop(&twin->matrix, dropped, count), NT_OK);
    assert_false(s->matrix.broken || twin->matrix.broken);
    nt_matrix_dense(&s->matrix, a);
    nt_matrix_dense(&twin->matrix, b);
    assert_memory_equal(a, b, bytes);
    free(a);
    free(b);
}

static void test_storage(void **state)
{
    (void)state;
    test_system *systems[SYSTEMS];
    make_systems(systems);
    for (int k = 0; k < SYSTEMS; k++) {
        test_system *s = systems[k], *twin = packed(s);
        size_t n = (size_t)s->pattern.n, bytes = n * n * sizeof(double);
        double *a = malloc(bytes), *b = malloc(bytes), *x = malloc(n * sizeof *x);
        assert_true(a && b && x);
        nt_matrix_dense(&s->matrix, a);
        nt_matrix_dense(&twin->matrix, b);
        assert_memory_equal(a, b, bytes);
        for (size_t i = 0; i < n; i++)
            x[i] = uniform();
        nt_matrix_apply(&s->matrix, x, a);
        nt_matrix_apply(&twin->matrix, x, b);
        assert_memory_equal(a, b, n * sizeof *a);
        memset(a, 0, n * sizeof *a);
        memset(b, 0, n * sizeof *b);
        nt_matrix_apply_primary(&s->matrix, x, n, a, n, 1);
        nt_matrix_apply_primary(&twin->matrix, x, n, b, n, 1);
        assert_memory_equal(a, b, n * sizeof *a);
        check_drop(s, twin);

        nt_pattern view;
        assert_int_equal(nt_pattern_unpack(&view, &twin->pattern), NT_OK);
        assert_int_equal(view.n_slots, s->pattern.n_slots);
        for (int slot = 0; slot <= view.n_slots; slot++)
            assert_int_equal(view.offset[slot], s->pattern.offset[slot]);
        nt_pattern_free_view(&view);
        free(a);
        free(b);
        free(x);
        system_free(twin);
        system_free(s);
    }
}

/* All multipliers in, and then two of one node out. */
static void compare_solvers(const test_system *s, const test_system *twin, nt_solver_kind kind)
{
    size_t n = (size_t)s->pattern.n;
    double *x[2] = {malloc(2 * n * sizeof(double)), malloc(2 * n * sizeof(double))};
    nt_solver *solver[2];
    const test_system *of[2] = {s, twin};
    int first = s->pattern.node_start[s->pattern.n_primary], out[] = {first + 1, first + 2};
    assert_true(x[0] && x[1]);
    for (int t = 0; t < 2; t++)
        assert_int_equal(nt_solver_create(&solver[t], &of[t]->pattern, kind, NULL), NT_OK);
    for (int dropped = 0; dropped < 3; dropped += 2)
        for (int transposed = 0; transposed < 2; transposed++) {
            for (size_t i = 0; i < 2 * n; i++)
                x[0][i] = x[1][i] = uniform();
            for (int t = 0; t < 2; t++) {
                assert_int_equal(nt_solver_drop(solver[t], out, dropped), NT_OK);
                assert_int_equal(nt_solver_factor(solver[t], &of[t]->matrix), NT_OK);
                assert_int_equal(transposed ? nt_solver_solve_transposed(solver[t], x[t], 2)
                                            : nt_solver_solve(solver[t], x[t], 2),
                                 NT_OK);
                assert_int_equal(nt_solver_get_statistics(solver[t])->fallbacks, 0);
            }
            assert_memory_equal(x[0], x[1], 2 * n * sizeof(double));
        }
    for (int t = 0; t < 2; t++) {
        nt_solver_destroy(solver[t]);
        free(x[t]);
    }
}

static void test_solvers(void **state)
{
    (void)state;
    const nt_solver_kind kinds[] = {NT_SOLVER_DENSE, NT_SOLVER_BLOCK, NT_SOLVER_KLU};
    test_system *systems[SYSTEMS];
    make_systems(systems);
    for (int k = 0; k < SYSTEMS; k++) {
        test_system *twin = packed(systems[k]);
        for (int kind = 0; kind < 3; kind++)
            compare_solvers(systems[k], twin, kinds[kind]);
        system_free(twin);
        system_free(systems[k]);
    }
}

/* Where the block solver fails, the fallback gets the matrix from its store: a chain whose first
 * rotation has a zero pivot that an exchange of rows would avoid. */
static void test_fallback(void **state)
{
    (void)state;
    for (int bodies = 3; bodies <= 30; bodies += 27) { /* dense, and KLU */
        test_system *s = make_chain("fallback", bodies, 3);
        int slot = nt_pattern_find(&s->pattern, 1, 1);
        double *block = nt_matrix_block(&s->matrix, slot);
        memset(block, 0, 9 * sizeof *block);
        test_system *twin = packed(s);
        size_t n = (size_t)s->pattern.n;
        double *x[2] = {malloc(n * sizeof(double)), malloc(n * sizeof(double))};
        const test_system *of[2] = {s, twin};
        assert_true(x[0] && x[1]);
        for (size_t i = 0; i < n; i++)
            x[0][i] = x[1][i] = uniform();
        for (int t = 0; t < 2; t++) {
            nt_solver *solver;
            assert_int_equal(nt_solver_create(&solver, &of[t]->pattern, NT_SOLVER_AUTO, NULL),
                             NT_OK);
            assert_int_equal(nt_solver_factor(solver, &of[t]->matrix), NT_OK);
            assert_int_equal(nt_solver_get_statistics(solver)->fallbacks, 1);
            assert_int_equal(nt_solver_solve(solver, x[t], 1), NT_OK);
            nt_solver_destroy(solver);
        }
        assert_memory_equal(x[0], x[1], n * sizeof(double));
        for (int t = 0; t < 2; t++)
            free(x[t]);
        system_free(twin);
        system_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_storage),
        cmocka_unit_test(test_solvers),
        cmocka_unit_test(test_fallback),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
