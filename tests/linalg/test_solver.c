/* One conformance suite for all linear solvers, and what each promises beyond it. */
#include "linalg/block/block.h"
#include "linalg/dense.h"
#include "linalg/solver.h"
#include "linalg/systems.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

/* Solutions agree with the dense reference to this share of the largest component, times the
 * condition that the systems are built with (well below 1e4). */
static const double AGREEMENT = 1e-9;
/* What a solver itself accepts: the backward error that linalg.h promises. */
static const double BACKWARD = 1e-10;

/* ---- helpers --------------------------------------------------------------------------------- */

static double *vector(int n)
{
    double *v = malloc(((size_t)n + 1) * sizeof *v);
    assert_non_null(v);
    return v;
}

static double largest(const double *v, int n)
{
    double result = 0;
    for (int i = 0; i < n; i++)
        result = fmax(result, fabs(v[i]));
    return result;
}

/* x := A^-1 x, or A^-T x, by dense elimination. */
static void reference(const test_system *s, double *x, int transposed)
{
    int n = s->pattern.n, *pivot = malloc((size_t)n * sizeof *pivot);
    double *a = vector(n * n);
    assert_non_null(pivot);
    nt_matrix_dense(&s->matrix, a);
    assert_int_equal(nt_dense_factor(n, a, pivot), -1);
    if (transposed)
        nt_dense_solve_transposed(n, a, pivot, x);
    else
        nt_dense_solve(n, a, pivot, x);
    free(a);
    free(pivot);
}

static nt_solver *solver_for(const test_system *s, nt_solver_kind kind)
{
    nt_solver *solver;
    nt_error error;
    assert_int_equal(nt_solver_create(&solver, &s->pattern, kind, &error), NT_OK);
    return solver;
}

/* Compare x (n of them) with the reference solution of the same right-hand side. */
static void compare(const test_system *s, const char *solver, const double *x,
                    const double *expected)
{
    int n = s->pattern.n;
    double size = largest(expected, n);
    for (int i = 0; i < n; i++)
        if (!(fabs(x[i] - expected[i]) <= AGREEMENT * size))
            fail_msg("%s, %s: unknown %d is %.17g instead of %.17g (largest %.3g)", s->name, solver,
                     i, x[i], expected[i], size);
}

static const nt_solver_kind all_kinds[] = {NT_SOLVER_AUTO, NT_SOLVER_DENSE, NT_SOLVER_BLOCK,
                                           NT_SOLVER_KLU};
enum { KINDS = sizeof all_kinds / sizeof all_kinds[0] };

/* ---- the suite ------------------------------------------------------------------------------- */

/* One and two right-hand sides that lie among four; what is not asked for stays zero. */
static void conform_beside(const test_system *s, nt_solver *solver)
{
    int n = s->pattern.n;
    double *b = vector(4 * n), *x = vector(n), *expected = vector(2 * n);
    for (int count = 1; count <= 2; count++) {
        for (int i = 0; i < 2 * n; i++)
            expected[i] = uniform();
        for (int i = 0; i < 4 * n; i++)
            b[i] = i % 4 < count ? expected[i % 4 * n + i / 4] : 0;
        assert_int_equal(nt_solver_solve_beside(solver, b, count), NT_OK);
        for (int k = 0; k < 4; k++) {
            for (int i = 0; i < n; i++)
                x[i] = b[4 * i + k];
            if (k < count)
                reference(s, expected + k * n, 0);
            if (k < count)
                compare(s, nt_solver_name(solver), x, expected + k * n);
            else
                assert_true(largest(x, n) == 0);
        }
    }
    free(b);
    free(x);
    free(expected);
}

/* Three right-hand sides at once, one by one and then side by side with other values, and
 * transposed. */
static void conform(test_system *s, nt_solver_kind kind)
{
    enum { COUNT = 3 };
    int n = s->pattern.n;
    nt_solver *solver = solver_for(s, kind);
    double *b = vector(COUNT * n), *expected = vector(COUNT * n);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(round == 1 ? nt_solver_reserve(solver) : NT_OK, NT_OK);
        assert_int_equal(nt_solver_factor(solver, &s->matrix), NT_OK);
        for (int transposed = 0; transposed < 2; transposed++) {
            for (int i = 0; i < COUNT * n; i++)
                b[i] = expected[i] = uniform();
            for (int k = 0; k < COUNT; k++)
                reference(s, expected + k * n, transposed);
            assert_int_equal(transposed ? nt_solver_solve_transposed(solver, b, COUNT)
                                        : nt_solver_solve(solver, b, COUNT),
                             NT_OK);
            for (int k = 0; k < COUNT; k++)
                compare(s, nt_solver_name(solver), b + k * n, expected + k * n);
        }
        if (round == 1)
            conform_beside(s, solver);
        for (int k = 0; k < s->pattern.offset[s->pattern.n_slots]; k++)
            s->matrix.values[k] *= 2;
    }
    const nt_solver_statistics *statistics = nt_solver_get_statistics(solver);
    assert_int_equal(statistics->factorisations, 2);
    assert_int_equal(statistics->solves, 4 * COUNT + 3);
    assert_int_equal(statistics->fallbacks, 0);
    assert_true(statistics->worst_residual <= BACKWARD);
    assert_true(statistics->flops > 0 || n == 1);
    nt_solver_destroy(solver);
    free(b);
    free(expected);
}

static void test_conformance(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        test_system *systems[] = {
            make_chain("one body", 1, 3),
            make_chain("chain", 20, 3),
            make_chain("chain of revolutes", 20, 5),
            make_chain("chain of welds", 2, 6),
            make_chain("chain of distances", 9, 1),
            make_lattice("lattice", 6, 3),
            make_lattice("lattice of universals", 5, 2),
            make_star("star", 30),
            make_random("random", 30, 20),
            make_random("random without multipliers", 40, 0),
            make_single("one unknown", 1),
            make_single("single node", 9),
            make_single("large single node", 60),
        };
        for (size_t i = 0; i < sizeof systems / sizeof systems[0]; i++) {
            conform(systems[i], all_kinds[k]);
            system_free(systems[i]);
        }
    }
}

/* Units that differ by eight powers of ten cost no digits in the residual, row by row. */
static void test_badly_scaled(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        test_system *s = make_lattice("badly scaled lattice", 6, 3);
        change_units(s, 1e-3, 1e5);
        int n = s->pattern.n;
        nt_solver *solver = solver_for(s, all_kinds[k]);
        double *x = vector(n), *b = vector(n), *y = vector(n), *size = vector(n);
        for (int i = 0; i < n; i++)
            x[i] = b[i] = uniform();
        assert_int_equal(nt_solver_factor(solver, &s->matrix), NT_OK);
        assert_int_equal(nt_solver_solve(solver, x, 1), NT_OK);
        nt_matrix_apply(&s->matrix, x, y);
        for (int v = 0; v < s->pattern.offset[s->pattern.n_slots]; v++)
            s->matrix.values[v] = fabs(s->matrix.values[v]);
        for (int i = 0; i < n; i++) {
            y[i] = fabs(y[i] - b[i]);
            x[i] = fabs(x[i]);
        }
        nt_matrix_apply(&s->matrix, x, size);
        for (int i = 0; i < n; i++)
            assert_true(y[i] <= BACKWARD * (size[i] + fabs(b[i])));
        nt_solver_destroy(solver);
        system_free(s);
        free(x);
        free(b);
        free(y);
        free(size);
    }
}

/* A rod has no inertia about its axis: that pivot block is singular by itself, the whole matrix is
 * not. The block solver must hand over, say so, and come back after a hundred factorisations. */
static void test_fallback(void **state)
{
    (void)state;
    for (int bodies = 3; bodies <= 14; bodies += 11) { /* dense fallback, KLU fallback */
        test_system *s = make_chain("rods", bodies, 5);
        int n = s->pattern.n, slot = nt_pattern_find(&s->pattern, 3, 3);
        double *rod = nt_matrix_block(&s->matrix, slot), saved[9];
        nt_solver *solver = solver_for(s, NT_SOLVER_AUTO);
        double *x = vector(n), *expected = vector(n);
        memcpy(saved, rod, sizeof saved);
        for (int i = 0; i < 3; i++)
            rod[i] = rod[3 * i] = 0;
        for (int round = 0; round < 102; round++) {
            if (round == 1)
                memcpy(rod, saved, sizeof saved);
            assert_int_equal(nt_solver_factor(solver, &s->matrix), NT_OK);
            for (int i = 0; i < n; i++)
                x[i] = expected[i] = uniform();
            reference(s, expected, 0);
            assert_int_equal(nt_solver_solve(solver, x, 1), NT_OK);
            compare(s, nt_solver_name(solver), x, expected);
            assert_string_equal(nt_solver_name(solver), round == 101  ? "block"
                                                        : bodies == 3 ? "dense"
                                                                      : "klu");
            assert_int_equal(nt_solver_get_statistics(solver)->fallbacks, 1);
            assert_int_equal(nt_solver_get_statistics(solver)->pivoted,
                             round < 101 ? round + 1 : 101);
        }
        nt_solver_destroy(solver);
        system_free(s);
        free(x);
        free(expected);
    }
}

/* A rod of almost no inertia about its axis: its pivot block is regular, but its inverse of 1e14
 * drowns the other terms of the Schur complement. The factorisation cannot know, the residual of
 * the first solve does. The matrix as a whole is as regular as with no inertia at all. */
static void test_fallback_by_residual(void **state)
{
    (void)state;
    for (int bodies = 3; bodies <= 14; bodies += 11) { /* dense fallback, KLU fallback */
        test_system *s = make_chain("thin rods", bodies, 5);
        int n = s->pattern.n;
        double *x = vector(n), *expected = vector(n);
        double *rod = nt_matrix_block(&s->matrix, nt_pattern_find(&s->pattern, 3, 3));
        for (int i = 0; i < 3; i++)
            rod[i] = rod[3 * i] = 0;
        rod[0] = 1e-14;
        for (int transposed = 0; transposed < 2; transposed++) {
            nt_solver *solver = solver_for(s, NT_SOLVER_BLOCK);
            const nt_solver_statistics *statistics = nt_solver_get_statistics(solver);
            assert_int_equal(nt_solver_factor(solver, &s->matrix), NT_OK);
            assert_string_equal(nt_solver_name(solver), "block");
            assert_int_equal(statistics->fallbacks, 0);
            for (int i = 0; i < n; i++)
                x[i] = expected[i] = uniform();
            reference(s, expected, transposed);
            assert_int_equal(transposed ? nt_solver_solve_transposed(solver, x, 1)
                                        : nt_solver_solve(solver, x, 1),
                             NT_OK);
            assert_int_equal(statistics->fallbacks, 1);
            assert_int_equal(statistics->pivoted, 1);
            assert_string_equal(nt_solver_name(solver), bodies == 3 ? "dense" : "klu");
            assert_true(statistics->worst_residual <= BACKWARD);
            compare(s, nt_solver_name(solver), x, expected);
            nt_solver_destroy(solver);
        }
        system_free(s);
        free(x);
        free(expected);
    }
}

/* Of a single node: where i is eliminated first next to nothing is left of the pivot of j. */
static void vanish_second(test_system *s, int i, int j)
{
    int n = s->pattern.n;
    double *a = s->matrix.values;
    a[j * n + j] = a[j * n + i] * a[i * n + j] / a[i * n + i] + 1e-14;
}

/* Without a look at the residual, once one was looked at: the same bits. Before that it looks, also
 * where the pivots of the factorisation before do not suit the matrix any more. */
static void test_kept(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++)
        for (int size = 9; size <= 60; size += 51) {
            test_system *s = make_single("single node", size);
            double *x = vector(size), *y = vector(size), *expected = vector(size);
            nt_solver *solver = solver_for(s, all_kinds[k]);
            for (int round = 0; round < 2; round++) {
                for (int i = 0; i < size; i++)
                    x[i] = y[i] = expected[i] = uniform();
                reference(s, expected, 0);
                assert_int_equal(nt_solver_factor(solver, &s->matrix), NT_OK);
                assert_int_equal(nt_solver_solve_kept(solver, x), NT_OK);
                compare(s, nt_solver_name(solver), x, expected);
                assert_int_equal(nt_solver_solve(solver, y, 1), NT_OK);
                memcpy(x, y, (size_t)size * sizeof *x);
                memcpy(expected, y, (size_t)size * sizeof *x);
                assert_int_equal(nt_solver_solve_kept(solver, x), NT_OK);
                assert_int_equal(nt_solver_solve(solver, y, 1), NT_OK);
                assert_memory_equal(x, y, (size_t)size * sizeof *x);
                reference(s, expected, 0);
                compare(s, nt_solver_name(solver), x, expected);
                vanish_second(s, 0, 1);
                vanish_second(s, size - 1, size - 2);
            }
            nt_solver_destroy(solver);
            system_free(s);
            free(x);
            free(y);
            free(expected);
        }
}

/* Factorise and clear: the solution and, where there is one, the fallback are the same, nothing is
 * left in the matrix, and the next filling after nt_matrix_zero finds it empty. */
static void clear_and_solve(test_system *s, nt_solver_kind kind, long fallbacks)
{
    int n = s->pattern.n, entries = s->pattern.offset[s->pattern.n_slots];
    nt_solver *solver = solver_for(s, kind);
    double *saved = vector(entries), *x = vector(n), *expected = vector(n);
    memcpy(saved, s->matrix.values, (size_t)entries * sizeof *saved);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < n; i++)
            x[i] = expected[i] = uniform();
        reference(s, expected, 0);
        assert_int_equal(nt_solver_factor_clear(solver, &s->matrix), NT_OK);
        for (int i = 0; i < entries; i++)
            assert_true(s->matrix.values[i] == 0);
        assert_int_equal(nt_solver_solve(solver, x, 1), NT_OK);
        nt_matrix_zero(&s->matrix);
        for (int i = 0; i < entries; i++)
            s->matrix.values[i] += saved[i];
        compare(s, nt_solver_name(solver), x, expected);
        assert_int_equal(nt_solver_get_statistics(solver)->fallbacks, fallbacks);
    }
    nt_matrix_zero(&s->matrix); /* not cleared by the solver any more */
    for (int i = 0; i < entries; i++)
        assert_true(s->matrix.values[i] == 0);
    nt_solver_destroy(solver);
    free(saved);
    free(x);
    free(expected);
}

static void test_clear(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        test_system *systems[] = {make_chain("chain", 40, 3), make_lattice("lattice", 6, 3),
                                  make_chain("chain of revolutes", 20, 5),
                                  make_random("random", 30, 20), make_single("single node", 9)};
        for (size_t i = 0; i < sizeof systems / sizeof systems[0]; i++) {
            clear_and_solve(systems[i], all_kinds[k], 0);
            system_free(systems[i]);
        }
    }
    for (int bodies = 3; bodies <= 30; bodies += 9) { /* a pivot fails, and later windows wait */
        test_system *s = make_chain("rods", bodies, 5);
        double *rod = nt_matrix_block(&s->matrix, nt_pattern_find(&s->pattern, 3, 3));
        for (int i = 0; i < 3; i++)
            rod[i] = rod[3 * i] = 0;
        clear_and_solve(s, NT_SOLVER_BLOCK, 1);
        system_free(s);
    }
}

/* Factorise, clear and solve at once: the bits of one after the other, fallback included; dropped
 * unknowns are left out. */
static void solve_at_once(test_system *s, nt_solver_kind kind, int drop, long fallbacks)
{
    int n = s->pattern.n, entries = s->pattern.offset[s->pattern.n_slots];
    nt_solver *apart = solver_for(s, kind), *at_once = solver_for(s, kind);
    double *x = vector(n), *y = vector(n);
    if (drop) {
        assert_int_equal(nt_solver_drop(apart, &(int){n - 1}, 1), NT_OK);
        assert_int_equal(nt_solver_drop(at_once, &(int){n - 1}, 1), NT_OK);
    }
    for (int i = 0; i < n; i++)
        x[i] = y[i] = uniform();
    assert_int_equal(nt_solver_factor(apart, &s->matrix), NT_OK);
    assert_int_equal(nt_solver_solve(apart, x, 1), NT_OK);
    assert_int_equal(nt_solver_factor_solve(at_once, &s->matrix, y), NT_OK);
    assert_memory_equal(x, y, (size_t)n * sizeof *x);
    for (int i = 0; i < entries; i++)
        assert_true(s->matrix.values[i] == 0);
    assert_int_equal(nt_solver_solve(apart, x, 1), NT_OK); /* the factors stay */
    assert_int_equal(nt_solver_solve(at_once, y, 1), NT_OK);
    assert_memory_equal(x, y, (size_t)n * sizeof *x);
    const nt_solver_statistics *statistics = nt_solver_get_statistics(at_once);
    assert_int_equal(statistics->fallbacks, fallbacks);
    assert_int_equal(statistics->factorisations, 1);
    assert_int_equal(statistics->solves, 2);
    nt_solver_destroy(apart);
    nt_solver_destroy(at_once);
    system_free(s);
    free(x);
    free(y);
}

static void test_at_once(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        solve_at_once(make_chain("chain", 40, 3), all_kinds[k], 0, 0);
        solve_at_once(make_chain("chain of revolutes", 20, 5), all_kinds[k], 0, 0);
        for (int bodies = 2; bodies <= 12; bodies += 2) /* what one window has, and more */
            solve_at_once(make_arm("arm", bodies, 5, 3), all_kinds[k], 0, 0);
        solve_at_once(make_lattice("lattice", 9, 3), all_kinds[k], 0, 0);
        solve_at_once(make_random("random", 30, 20), all_kinds[k], 0, 0);
        solve_at_once(make_single("single node", 9), all_kinds[k], 0, 0);
        solve_at_once(make_chain("dropped", 30, 3), all_kinds[k], 1, 0);
    }
    for (int bodies = 3; bodies <= 30; bodies += 9) { /* a pivot fails */
        test_system *s = make_chain("rods", bodies, 5);
        double *rod = nt_matrix_block(&s->matrix, nt_pattern_find(&s->pattern, 3, 3));
        for (int i = 0; i < 3; i++)
            rod[i] = rod[3 * i] = 0;
        solve_at_once(s, NT_SOLVER_BLOCK, 0, 1);
    }
}

/* Whether every row of A x = b holds to 1e-10 of its terms, or to so many units of rounding beside
 * its entries and the largest unknowns. */
static int rows_hold(const test_system *s, const nt_matrix *matrix, const double *b,
                     const double *x, double units)
{
    const nt_pattern *p = &s->pattern;
    int first = p->node_start[p->n_primary], ok = 1;
    double *r = vector(p->n), *terms = vector(p->n), *bound = vector(p->n), largest[2] = {0, 0};
    for (int i = 0; i < p->n; i++) {
        largest[i >= first] = fmax(largest[i >= first], fabs(x[i]));
        r[i] = b[i], terms[i] = fabs(b[i]), bound[i] = 0;
    }
    for (int slot = 0; slot < p->n_slots; slot++) {
        double nine[9];
        const double *a = nt_matrix_full_block(matrix, slot, nine);
        int row = p->node_start[p->row[slot]], end = p->node_start[p->row[slot] + 1];
        for (int i = row; i < end; i++)
            for (int j = p->node_start[p->column[slot]]; j < p->node_start[p->column[slot] + 1];
                 j++, a++) {
                r[i] -= *a * x[j];
                terms[i] += fabs(*a * x[j]);
                bound[i] += fabs(*a) * largest[j >= first];
            }
    }
    for (int i = 0; i < p->n; i++)
        ok &= fabs(r[i]) <= 1e-10 * terms[i] || fabs(r[i]) <= units * DBL_EPSILON * bound[i];
    free(r);
    free(terms);
    free(bound);
    return ok;
}

/* Corrections whose rows of joints hold next to nothing: some need no refinement then; later solves
 * by the same factors do, as ever. */
static void test_correction(void **state)
{
    int differ = 0;
    (void)state;
    for (int round = 0; round < 100; round++) {
        test_system *s = make_chain("chain of revolutes", 40, 5);
        int n = s->pattern.n, entries = s->pattern.offset[s->pattern.n_slots];
        nt_solver *solver = solver_for(s, NT_SOLVER_BLOCK), *other = solver_for(s, NT_SOLVER_BLOCK);
        double *b = vector(n), *x = vector(n), *y = vector(n);
        nt_matrix kept;
        assert_int_equal(nt_matrix_init(&kept, &s->pattern), NT_OK);
        memcpy(kept.values, s->matrix.values, (size_t)entries * sizeof *kept.values);
        for (int i = 0; i < n; i++)
            b[i] = uniform() * (i < s->pattern.node_start[s->pattern.n_primary] ? 1 : 1e-15);
        memcpy(x, b, (size_t)n * sizeof *x);
        memcpy(y, b, (size_t)n * sizeof *y);
        assert_int_equal(nt_solver_correct(solver, &s->matrix, x), NT_OK);
        memcpy(s->matrix.values, kept.values, (size_t)entries * sizeof *kept.values);
        assert_int_equal(nt_solver_factor_solve(other, &s->matrix, y), NT_OK);
        assert_true(rows_hold(s, &kept, b, x, 40)); /* 32, and what is rounded here */
        assert_true(rows_hold(s, &kept, b, y, 5));
        differ += memcmp(x, y, (size_t)n * sizeof *x) != 0;
        memcpy(x, b, (size_t)n * sizeof *x);
        memcpy(y, b, (size_t)n * sizeof *y);
        assert_int_equal(nt_solver_solve(solver, x, 1), NT_OK);
        assert_int_equal(nt_solver_solve(other, y, 1), NT_OK);
        assert_memory_equal(x, y, (size_t)n * sizeof *x);
        nt_matrix_free(&kept);
        nt_solver_destroy(solver);
        nt_solver_destroy(other);
        system_free(s);
        free(b);
        free(x);
        free(y);
    }
    assert_true(differ > 0);
}

static void test_singular(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        test_system *s = make_chain("an empty row", 8, 3);
        const nt_pattern *p = &s->pattern;
        /* body 4's rotation about its second axis: neither inertia nor joint */
        int node = 9, unknown = p->node_start[node] + 1;
        for (int slot = 0; slot < p->n_slots; slot++)
            for (int i = 0; i < 9; i++)
                if ((p->row[slot] == node && i / 3 == 1) || (p->column[slot] == node && i % 3 == 1))
                    nt_matrix_block(&s->matrix, slot)[i] = 0;
        nt_solver *solver = solver_for(s, all_kinds[k]);
        assert_int_equal(nt_solver_factor(solver, &s->matrix), NT_SINGULAR);
        assert_int_equal(nt_solver_singular_unknown(solver), unknown);
        nt_solver_destroy(solver);
        system_free(s);
    }
}

static void test_not_finite(void **state)
{
    (void)state;
    const double bad[] = {(double)NAN, (double)INFINITY};
    for (int k = 0; k < KINDS; k++)
        for (int b = 0; b < 2; b++) {
            test_system *s = make_lattice("not finite", 5, 3);
            int n = s->pattern.n;
            double *x = vector(n);
            nt_solver *solver = solver_for(s, all_kinds[k]);
            for (int i = 0; i < n; i++)
                x[i] = 1;
            x[n / 2] = bad[b];
            assert_int_equal(nt_solver_factor(solver, &s->matrix), NT_OK);
            assert_int_equal(nt_solver_solve(solver, x, 1), NT_NOT_FINITE);
            assert_true(x[0] == 1);
            nt_matrix_block(&s->matrix, nt_pattern_find(&s->pattern, 11, 11))[2] = bad[b];
            nt_status status = nt_solver_factor(solver, &s->matrix);
            if (status == NT_OK) {
                x[n / 2] = 1;
                status = nt_solver_solve(solver, x, 1);
            }
            assert_int_equal(status, NT_NOT_FINITE);
            nt_solver_destroy(solver);
            system_free(s);
            free(x);
        }
}

/* Two parts that nothing joins: what is not finite in one must not be lost among the good rows of
 * the other. */
static void test_not_finite_in_a_part(void **state)
{
    (void)state;
    enum { BODIES = 40 };
    int ends[BODIES][2];
    for (int j = 0; j < BODIES; j++)
        ends[j][0] = j % (BODIES / 2) ? j - 1 : -1, ends[j][1] = j;
    for (int k = 0; k < KINDS; k++) {
        test_system *s = make_mechanism("two chains", BODIES, BODIES, (const int(*)[2])ends, 3);
        int n = s->pattern.n;
        double *x = vector(n);
        nt_solver *solver = solver_for(s, all_kinds[k]);
        assert_int_equal(nt_solver_factor(solver, &s->matrix), NT_OK);
        for (int at = 0; at < n; at += n / 12) {
            for (int i = 0; i < n; i++)
                x[i] = 1;
            x[at] = (double)NAN;
            assert_int_equal(nt_solver_solve(solver, x, 1), NT_NOT_FINITE);
        }
        nt_solver_destroy(solver);
        system_free(s);
        free(x);
    }
}

/* nt_matrix_drop makes identity rows and columns for every solver, promises or not;
 * nt_solver_drop solves the same unknowns to zero. */
static void test_drop(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++)
        for (int system = 0; system < 2; system++) {
            test_system *s = system ? make_lattice("dropped", 7, 3) : make_chain("dropped", 6, 3);
            int n = s->pattern.n, first = s->pattern.node_start[s->pattern.n_primary];
            int dropped[] = {first + 1, first + 6, first + 7, first + 8, n - 1};
            int in_any_order[] = {first + 8, n - 1, first + 1, first + 7, first + 6};
            enum { COUNT = sizeof dropped / sizeof dropped[0] };
            double *x = vector(n), *expected = vector(n), *given = vector(n);
            nt_solver *solver = solver_for(s, all_kinds[k]);
            for (int i = 0; i < n; i++)
                given[i] = x[i] = expected[i] = uniform();
            assert_int_equal(nt_solver_drop(solver, in_any_order, COUNT), NT_OK);
            assert_int_equal(nt_solver_factor(solver, &s->matrix), NT_OK);
            assert_int_equal(nt_solver_solve(solver, x, 1), NT_OK);
            assert_int_equal(nt_solver_get_statistics(solver)->fallbacks, 0);
            nt_matrix_drop(&s->matrix, dropped, COUNT);
            for (int d = 0; d < COUNT; d++)
                expected[dropped[d]] = 0;
            reference(s, expected, 0);
            compare(s, nt_solver_name(solver), x, expected);

            assert_int_equal(nt_solver_drop(solver, NULL, 0), NT_OK);
            assert_int_equal(nt_solver_factor(solver, &s->matrix), NT_OK);
            memcpy(x, given, (size_t)n * sizeof *x);
            memcpy(expected, given, (size_t)n * sizeof *x);
            reference(s, expected, 0);
            assert_int_equal(nt_solver_solve(solver, x, 1), NT_OK);
            compare(s, nt_solver_name(solver), x, expected);
            for (int d = 0; d < COUNT; d++)
                assert_true(fabs(x[dropped[d]] - given[dropped[d]]) <= 1e-15);
            int primary = 0;
            assert_int_equal(nt_solver_drop(solver, &primary, 1), NT_INVALID);
            nt_solver_destroy(solver);
            system_free(s);
            free(x);
            free(expected);
            free(given);
        }
}

/* Whole nodes, of bodies and of multipliers, may be left out without breaking a promise; a part of
 * a node may not. */
static void test_drop_whole_nodes(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++)
        for (int system = 0; system < 2; system++) {
            test_system *s = system ? make_lattice("whole", 7, 3) : make_chain("whole", 6, 3);
            const int *start = s->pattern.node_start;
            int n = s->pattern.n, nodes[] = {1, 4, 10, 11, s->pattern.n_nodes - 2},
                part = start[8] + 1;
            enum { COUNT = sizeof nodes / sizeof nodes[0] };
            int dropped[3 * COUNT], count = 0;
            for (int d = 0; d < COUNT; d++)
                for (int i = start[nodes[d]]; i < start[nodes[d] + 1]; i++)
                    dropped[count++] = i;
            double *x = vector(n), *expected = vector(n);
            for (int i = 0; i < n; i++)
                x[i] = expected[i] = uniform();
            nt_matrix_drop(&s->matrix, dropped, count);
            assert_false(s->matrix.broken);
            nt_solver *solver = solver_for(s, all_kinds[k]);
            assert_int_equal(nt_solver_factor(solver, &s->matrix), NT_OK);
            assert_int_equal(nt_solver_solve(solver, x, 1), NT_OK);
            assert_int_equal(nt_solver_get_statistics(solver)->fallbacks, 0);
            reference(s, expected, 0);
            compare(s, nt_solver_name(solver), x, expected);
            nt_matrix_drop(&s->matrix, &part, 1);
            assert_true(s->matrix.broken);
            nt_solver_destroy(solver);
            system_free(s);
            free(x);
            free(expected);
        }
}

/* All kernels that this machine can run (vector ones, where it has AVX2 or AVX-512) give the same
 * bits. */
static void test_same_bits(void **state)
{
    (void)state;
    for (int system = 0; system < 3; system++) {
        test_system *s = system == 0   ? make_chain("chain", 30, 3)
                         : system == 1 ? make_lattice("lattice", 9, 3)
                                       : make_random("random", 30, 20);
        int n = s->pattern.n;
        double *b = vector(n), *x = vector(n), *y = vector(n);
        for (int i = 0; i < n; i++)
            b[i] = uniform();
        nt_block_lu *block = nt_block_create(&s->pattern, 1);
        assert_non_null(block);
        assert_int_equal(nt_block_factor(block, s->matrix.values, NULL), 1);
        assert_true(nt_block_solve(block, b, x, BACKWARD, 0) <= BACKWARD);
        const nt_block_kernels *kernels[NT_BLOCK_KERNELS];
        for (int k = nt_block_kernels_here(kernels); k-- > 0;) {
            block->kernels = kernels[k];
            assert_int_equal(nt_block_factor(block, s->matrix.values, NULL), 1);
            assert_true(nt_block_solve(block, b, y, BACKWARD, 0) <= BACKWARD);
            assert_memory_equal(x, y, (size_t)n * sizeof *x);
            double error = 1;
            memset(y, 0, (size_t)n * sizeof *y);
            assert_int_equal(
                nt_block_factor_solve(block, s->matrix.values, NULL, b, y, BACKWARD, 0, &error), 1);
            assert_true(error <= BACKWARD);
            assert_memory_equal(x, y, (size_t)n * sizeof *x);
        }
        nt_block_destroy(block);
        system_free(s);
        free(b);
        free(x);
        free(y);
    }
}

/* The windows inside a long chain do the same at other places: they share what they do. */
static void test_windows_share(void **state)
{
    (void)state;
    int ints[2], rows[2];
    for (int k = 0; k < 2; k++) {
        test_system *s = make_chain("long chain", k == 0 ? 104 : 400, 3);
        nt_block_lu *block = nt_block_create(&s->pattern, 1);
        assert_non_null(block);
        assert_true(block->n_windows > (k == 0 ? 12 : 50));
        ints[k] = rows[k] = 0;
        for (int w = 0; w < block->n_windows; w++) {
            const nt_window *window = &block->window[w];
            ints[k] = window->end > ints[k] ? window->end : ints[k];
            rows[k] = window->row_end > rows[k] ? window->row_end : rows[k];
        }
        nt_block_destroy(block);
        system_free(s);
    }
    assert_true(ints[1] <= ints[0]);
    assert_true(rows[1] <= rows[0]);
}

/* Loops in a row cost as much each, however many there are, and are solved without pivoting. */
static void test_loops_in_a_row(void **state)
{
    (void)state;
    double flops[2];
    for (int k = 0; k < 2; k++) {
        test_system *s = make_ladder("ladder", 60 << k);
        nt_solver *solver = solver_for(s, NT_SOLVER_BLOCK);
        double *b = vector(s->pattern.n);
        for (int i = 0; i < s->pattern.n; i++)
            b[i] = uniform();
        assert_int_equal(nt_solver_factor(solver, &s->matrix), NT_OK);
        assert_int_equal(nt_solver_solve(solver, b, 1), NT_OK);
        const nt_solver_statistics *statistics = nt_solver_get_statistics(solver);
        assert_int_equal(statistics->fallbacks, 0);
        assert_true(statistics->worst_residual <= BACKWARD);
        flops[k] = statistics->flops;
        nt_solver_destroy(solver);
        system_free(s);
        free(b);
    }
    if (!(flops[1] < 2.2 * flops[0]))
        fail_msg("%g multiplications and additions for 120 loops, %g for 60", flops[1], flops[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows_share),
        cmocka_unit_test(test_conformance),
        cmocka_unit_test(test_badly_scaled),
        cmocka_unit_test(test_fallback),
        cmocka_unit_test(test_fallback_by_residual),
        cmocka_unit_test(test_kept),
        cmocka_unit_test(test_singular),
        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_clear),
        cmocka_unit_test(test_not_finite_in_a_part),
        cmocka_unit_test(test_at_once),
        cmocka_unit_test(test_correction),
        cmocka_unit_test(test_drop),
        cmocka_unit_test(test_drop_whole_nodes),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_loops_in_a_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
