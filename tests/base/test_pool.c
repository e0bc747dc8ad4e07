/* A pool: everything of a job is done once, whoever does it; nobody is at it any more when it is
 * said to be done; and what comes too late for one round is there for others. */
#include "base/pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { SHARES = 40, THREADS = 4, ROUNDS = 20000 };

typedef struct work {
    atomic_int next, at_it;
    int round, done[SHARES]; /* the round in which each share was done last */
    long by[THREADS];
} work;

static void take_shares(void *context, int part)
{
    work *w = context;
    int share;
    atomic_fetch_add(&w->at_it, 1);
    while ((share = atomic_fetch_add(&w->next, 1)) < SHARES) {
        assert_int_equal(w->done[share], w->round - 1);
        w->done[share] = w->round;
        w->by[part]++;
    }
    atomic_fetch_sub(&w->at_it, 1);
}

static void test_rounds(void **state)
{
    static work w;
    nt_pool *pool = nt_pool_create(THREADS);
    long all = 0;
    (void)state;
    assert_non_null(pool);
    for (w.round = 1; w.round <= ROUNDS; w.round++) {
        atomic_store(&w.next, 0);
        nt_pool_run(pool, take_shares, &w);
        assert_int_equal(atomic_load(&w.at_it), 0);
        for (int i = 0; i < SHARES; i++)
            assert_int_equal(w.done[i], w.round);
    }
    for (int i = 0; i < THREADS; i++)
        all += w.by[i];
    assert_int_equal(all, (long)SHARES * ROUNDS);
    nt_pool_destroy(pool);
    nt_pool_destroy(NULL);
}

/* Two parts that wait for each other: the second begins while the first is at it. */
static void meet(void *context, int part)
{
    atomic_int *here = context;
    (void)part;
    atomic_fetch_add(here, 1);
    while (atomic_load(here) < 2)
        ;
}

static void test_others_take_part(void **state)
{
    nt_pool *pool = nt_pool_create(2);
    (void)state;
    assert_non_null(pool);
    for (int i = 0; i < 20; i++) {
        atomic_int here = 0;
        nt_pool_run(pool, meet, &here);
        assert_int_equal(atomic_load(&here), 2);
    }
    nt_pool_destroy(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rounds),
        cmocka_unit_test(test_others_take_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
