#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* Jobs follow each other within microseconds while a step is computed: who waits looks so many
 * times before it sleeps, and gives way to others now and then, should there be fewer processors.
 */
enum { LOOKS = 4000, LOOKS_BEFORE_YIELD = 64 };

typedef struct worker {
    nt_pool *pool;
    int part;
    pthread_t thread;
} worker;

struct nt_pool {
    int threads, started;
    nt_pool_job *job;
    void *context;
    atomic_uint round;  /* of the job that is to be done */
    atomic_int pending; /* parts that are not done yet    */
    atomic_bool ends;
    pthread_mutex_t mutex; /* for those who sleep until the round changes */
    pthread_cond_t begins;
    worker workers[];
};

static void pause_after(int looks)
{
    if (looks % LOOKS_BEFORE_YIELD == LOOKS_BEFORE_YIELD - 1)
        sched_yield();
}

/* Returns when a round after `last` has begun. */
static void await_round(nt_pool *pool, unsigned last)
{
    for (int looks = 0; looks < LOOKS; looks++) {
        if (atomic_load_explicit(&pool->round, memory_order_acquire) != last)
            return;
        pause_after(looks);
    }
    pthread_mutex_lock(&pool->mutex);
    while (atomic_load_explicit(&pool->round, memory_order_acquire) == last)
        pthread_cond_wait(&pool->begins, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
}

static void *serve(void *argument)
{
    const worker *own = argument;
    nt_pool *pool = own->pool;
    for (unsigned round = 0;; round++) {
        await_round(pool, round);
        if (atomic_load(&pool->ends))
            return NULL;
        pool->job(pool->context, own->part);
        atomic_fetch_sub_explicit(&pool->pending, 1, memory_order_release);
    }
}

static void begin_round(nt_pool *pool)
{
    pthread_mutex_lock(&pool->mutex); /* nobody is between looking and sleeping */
    atomic_fetch_add_explicit(&pool->round, 1, memory_order_release);
    pthread_cond_broadcast(&pool->begins);
    pthread_mutex_unlock(&pool->mutex);
}

nt_pool *nt_pool_create(int threads)
{
    nt_pool *pool = calloc(1, sizeof *pool + (size_t)threads * sizeof *pool->workers);
    if (!pool)
        return NULL;
    pool->threads = threads;
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->begins, NULL);
    for (int i = 1; i < threads; i++) {
        worker *w = &pool->workers[i];
        *w = (worker){.pool = pool, .part = i};
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
    atomic_store(&pool->ends, true);
    begin_round(pool);
    for (int i = 1; i <= pool->started; i++)
        pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->begins);
    pthread_mutex_destroy(&pool->mutex);
    free(pool);
}

void nt_pool_run(nt_pool *pool, nt_pool_job *job, void *context)
{
    pool->job = job;
    pool->context = context;
    atomic_store_explicit(&pool->pending, pool->threads - 1, memory_order_relaxed);
    begin_round(pool);
    job(context, 0);
    for (int looks = 0; atomic_load_explicit(&pool->pending, memory_order_acquire) > 0; looks++)
        pause_after(looks);
}
