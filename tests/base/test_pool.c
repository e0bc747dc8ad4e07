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
    nt_pool *pool;
    atomic_int at_it;
    int round, done[SHARES]; /* the round in which each share was done last */
    long by[THREADS];
} work;

static void take_shares(void *context, int thread)
{
    work *w = context;
    int share, looked = 0;
    atomic_fetch_add(&w->at_it, 1);
    while ((share = nt_pool_take(w->pool, SHARES, thread, &looked)) >= 0) {
        assert_int_equal(w->done[share], w->round - 1);
        w->done[share] = w->round;
        w->by[thread]++;
    }
    atomic_fetch_sub(&w->at_it, 1);
}

static void test_rounds(void **state)
{
    static work w;
    nt_pool *pool = w.pool = nt_pool_create(THREADS, SHARES);
    long all = 0;
    (void)state;
    assert_non_null(pool);
    for (w.round = 1; w.round <= ROUNDS; w.round++) {
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
static void meet(void *context, int thread)
{
    atomic_int *here = context;
    (void)thread;
    atomic_fetch_add(here, 1);
    while (atomic_load(here) < 2)
        ;
}

static void test_others_take_part(void **state)
{
    nt_pool *pool = nt_pool_create(2, 1);
    (void)state;
    assert_non_null(pool);
    for (int i = 0; i < 20; i++) {
        atomic_int here = 0;
        nt_pool_run(pool, meet, &here);
        assert_int_equal(atomic_load(&here), 2);
    }
    nt_pool_destroy(pool);
}

/* Things are done once each, in the parts that they were divided into, or all at once. */
typedef struct things {
    atomic_int done[SHARES], parts;
} things;

static void do_things(void *context, int from, int to)
{
    things *t = context;
    atomic_fetch_add(&t->parts, 1);
    for (int i = from; i < to; i++)
        atomic_fetch_add(&t->done[i], 1);
}

static void test_divided(void **state)
{
    static const int begin[] = {0, 5, 9, 10, 33}, owner[] = {1, 0, 3, 0, 2};
    nt_pool *pool = nt_pool_create(THREADS, 1);
    (void)state;
    assert_non_null(pool);
    for (int divided = 0; divided < 2; divided++) {
        if (divided)
            nt_pool_divide(pool, begin, owner, 5);
        for (int i = 0; i < 1000; i++) {
            things t = {0};
            nt_pool_run_divided(pool, do_things, &t, SHARES);
            assert_int_equal(t.parts, divided ? 5 : 1);
            for (int k = 0; k < SHARES; k++)
                assert_int_equal(t.done[k], 1);
        }
    }
    assert_int_equal(nt_pool_shares(pool, 3), 3);
    assert_int_equal(nt_pool_shares(pool, 300), THREADS);
    nt_pool_destroy(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rounds),
        cmocka_unit_test(test_others_take_part),
        cmocka_unit_test(test_divided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
