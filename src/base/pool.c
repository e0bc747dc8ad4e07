#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* Jobs follow each other within some hundred microseconds while a step is computed, and to be woken
 * takes as long: who waits looks for a millisecond or two before it sleeps, and gives way to others
 * now and then, should there be fewer processors. A look and its pause take some 20 ns. */
enum { LOOKS = 64 * 1024, LOOKS_BEFORE_YIELD = 1024 };

typedef struct worker {
    nt_pool *pool;
    int number;
    pthread_t thread;
} worker;

/* What `state` says: threads that are at the job, whether others may still begin, and the number of
 * the round, which begins again after 2^20 of them: who sleeps through just so many misses one. */
enum { INSIDE = 0x7ff, OPEN = 0x800, ROUND = 0x1000 };

struct nt_pool {
    int threads, started;
    nt_pool_job *job;
    void *context;
    atomic_uint state;
    atomic_bool ends;
    unsigned round;     /* of shares                             */
    atomic_uint *taken; /* [shares] the last round it was taken in, */
    atomic_uint *told;  /* [shares] and was told about in           */
    int shares;
    const int *begin, *owner; /* [n_divided] */
    int n_divided;
    pthread_mutex_t mutex; /* for those who sleep until a round begins */
    pthread_cond_t begins;
    worker workers[];
};

static void pause_after(int looks)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
    if (looks % LOOKS_BEFORE_YIELD == LOOKS_BEFORE_YIELD - 1)
        sched_yield();
}

static bool is_new(unsigned state, unsigned last) { return state & OPEN && state / ROUND != last; }

/* Begins at a round other than the last one, where one is open. */
static bool enter(nt_pool *pool, unsigned *last)
{
    unsigned state = atomic_load_explicit(&pool->state, memory_order_relaxed);
    while (is_new(state, *last))
        if (atomic_compare_exchange_weak_explicit(&pool->state, &state, state + 1,
                                                  memory_order_acquire, memory_order_relaxed)) {
            *last = state / ROUND;
            return true;
        }
    return false;
}

/* False when there will be no more rounds. */
static bool await_round(nt_pool *pool, unsigned *last)
{
    for (int looks = 0; !atomic_load_explicit(&pool->ends, memory_order_relaxed); looks++) {
        if (enter(pool, last))
            return true;
        pause_after(looks);
        if (looks < LOOKS)
            continue;
        pthread_mutex_lock(&pool->mutex);
        while (!is_new(atomic_load(&pool->state), *last) && !atomic_load(&pool->ends))
            pthread_cond_wait(&pool->begins, &pool->mutex);
        pthread_mutex_unlock(&pool->mutex);
        looks = 0;
    }
    return false;
}

static void *serve(void *argument)
{
    const worker *own = argument;
    nt_pool *pool = own->pool;
    unsigned last = 0;
    while (await_round(pool, &last)) {
        pool->job(pool->context, own->number);
        atomic_fetch_sub_explicit(&pool->state, 1, memory_order_release);
    }
    return NULL;
}

/* Nobody is at the job. */
static void begin_round(nt_pool *pool)
{
    unsigned state = atomic_load_explicit(&pool->state, memory_order_relaxed);
    pthread_mutex_lock(&pool->mutex); /* nobody is between looking and sleeping */
    atomic_store_explicit(&pool->state, (state / ROUND + 1) * ROUND | OPEN, memory_order_release);
    pthread_cond_broadcast(&pool->begins);
    pthread_mutex_unlock(&pool->mutex);
}

nt_pool *nt_pool_create(int threads, int shares)
{
    nt_pool *pool = calloc(1, sizeof *pool + (size_t)threads * sizeof *pool->workers);
    if (!pool)
        return NULL;
    pool->threads = threads;
    pool->shares = shares > threads ? shares : threads;
    pool->taken = calloc(2 * (size_t)pool->shares, sizeof *pool->taken);
    if (!pool->taken) {
        free(pool);
        return NULL;
    }
    pool->told = pool->taken + pool->shares;
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->begins, NULL);
    for (int i = 1; i < threads; i++) {
        worker *w = &pool->workers[i];
        *w = (worker){.pool = pool, .number = i};
        if (pthread_create(&w->thread, NULL, serve, w) != 0) {
            nt_pool_destroy(pool);
            return NULL;
        }
        pool->started = i;
    }
    return pool;
}

void nt_pool_destroy(nt_pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->mutex);
    atomic_store(&pool->ends, true);
    pthread_cond_broadcast(&pool->begins);
    pthread_mutex_unlock(&pool->mutex);
    for (int i = 1; i <= pool->started; i++)
        pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->begins);
    pthread_mutex_destroy(&pool->mutex);
    free(pool->taken);
    free(pool);
}

int nt_pool_shares(const nt_pool *pool, int parts)
{
    return parts < pool->threads ? parts : pool->threads;
}

int nt_pool_take(nt_pool *pool, int n, int thread, int *looked)
{
    int own = (int)((long)n * thread / pool->threads);
    while (*looked < n) {
        int share = (own + (*looked)++) % n;
        atomic_uint *taken = &pool->taken[share]; /* who only looks disturbs nobody */
        if (atomic_load_explicit(taken, memory_order_relaxed) != pool->round &&
            atomic_exchange_explicit(taken, pool->round, memory_order_relaxed) != pool->round)
            return share;
    }
    return -1;
}

void nt_pool_tell(nt_pool *pool, int share)
{
    atomic_store_explicit(&pool->told[share], pool->round, memory_order_release);
}

bool nt_pool_is_told(const nt_pool *pool, int share)
{
    return atomic_load_explicit(&pool->told[share], memory_order_acquire) == pool->round;
}

void nt_pool_run(nt_pool *pool, nt_pool_job *job, void *context)
{
    pool->job = job;
    pool->context = context;
    if (++pool->round == 0) /* after 2^32 of them, which none was taken in */
        for (int i = 0; i < 2 * pool->shares; i++)
            atomic_store_explicit(&pool->taken[i], 0, memory_order_relaxed);
    begin_round(pool);
    job(context, 0);
    atomic_fetch_and_explicit(&pool->state, ~(unsigned)OPEN, memory_order_relaxed);
    for (int looks = 0; atomic_load_explicit(&pool->state, memory_order_acquire) & INSIDE; looks++)
        pause_after(looks);
}

/* ---- things that belong to threads ----------------------------------------------------------- */

typedef struct divided {
    nt_pool *pool;
    nt_pool_part *job;
    void *context;
    int end;
} divided;

void nt_pool_divide(nt_pool *pool, const int *begin, const int *owner, int n)
{
    pool->begin = begin;
    pool->owner = owner;
    pool->n_divided = n;
}

static void do_divided(void *context, int thread)
{
    const divided *d = context;
    const nt_pool *pool = d->pool;
    int share, looked = 0;
    while ((share = nt_pool_take(d->pool, pool->threads, thread, &looked)) >= 0)
        for (int i = 0; i < pool->n_divided; i++)
            if (pool->owner[i] == share)
                d->job(d->context, pool->begin[i],
                       i + 1 < pool->n_divided ? pool->begin[i + 1] : d->end);
}

void nt_pool_run_divided(nt_pool *pool, nt_pool_part *job, void *context, int end)
{
    divided d = {pool, job, context, end};
    if (pool->n_divided > 0)
        nt_pool_run(pool, do_divided, &d);
    else
        job(context, 0, end);
}
