/* Factorise and solve allocate nothing. Linked with --wrap for the allocators, so that every call
 * from the library is counted. */
#include "linalg/systems.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

static long allocations;
static long fail_at = -1; /* this allocation and all later ones give NULL */

static int refuse(void)
{
    allocations++;
    return fail_at >= 0 && allocations > fail_at;
}

void *__wrap_malloc(size_t size) { return refuse() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size)
{
    return refuse() ? NULL : __real_calloc(count, size);
}
void *__wrap_realloc(void *old, size_t size) { return refuse() ? NULL : __real_realloc(old, size); }
void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return refuse() ? NULL : __real_aligned_alloc(alignment, size);
}

static void test_no_allocation(void **state)
{
    (void)state;
    const nt_solver_kind kinds[] = {NT_SOLVER_AUTO, NT_SOLVER_DENSE, NT_SOLVER_BLOCK,
                                    NT_SOLVER_KLU};
    for (int k = 0; k < 4; k++) {
        test_system *s = make_lattice("lattice", 7, 3);
        double *b = calloc((size_t)s->pattern.n, sizeof *b);
        nt_solver *solver;
        assert_non_null(b);
        assert_int_equal(nt_solver_create(&solver, &s->pattern, kinds[k], NULL), NT_OK);
        assert_int_equal(nt_solver_factor(solver, &s->matrix), NT_OK);
        assert_int_equal(nt_solver_solve_transposed(solver, b, 1), NT_OK); /* may allocate once */
        long before = allocations;
        for (int round = 0; round < 10; round++) {
            assert_int_equal(nt_solver_factor(solver, &s->matrix), NT_OK);
            for (int i = 0; i < s->pattern.n; i++)
                b[i] = uniform();
            assert_int_equal(nt_solver_solve(solver, b, 1), NT_OK);
            assert_int_equal(nt_solver_solve_transposed(solver, b, 1), NT_OK);
        }
        assert_int_equal(allocations, before);
        nt_solver_destroy(solver);
        system_free(s);
        free(b);
    }
}

/* Whatever allocation fails while a solver is made, the answer is NT_NO_MEMORY and nothing leaks
 * (the sanitizer build looks). */
static void test_out_of_memory(void **state)
{
    (void)state;
    const nt_solver_kind kinds[] = {NT_SOLVER_DENSE, NT_SOLVER_BLOCK, NT_SOLVER_KLU};
    for (int k = 0; k < 3; k++) {
        test_system *s = make_lattice("lattice", 7, 3);
        nt_solver *solver;
        nt_error error;
        nt_status status = NT_NO_MEMORY;
        for (long room = 0; status == NT_NO_MEMORY; room += room < 40 ? 1 : 17) {
            allocations = 0;
            fail_at = room;
            status = nt_solver_create(&solver, &s->pattern, kinds[k], &error);
            fail_at = -1;
            if (status != NT_OK) {
                assert_int_equal(status, NT_NO_MEMORY);
                assert_null(solver);
            }
        }
        assert_int_equal(status, NT_OK);
        nt_solver_destroy(solver);
        system_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_allocation),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
