/* A few threads that take from one job side by side, again and again. A job has shares; each is
 * done once, by the thread that has it in every job of so many, or by one that has nothing left to
 * do. */
#ifndef NUTATE_BASE_POOL_H
#define NUTATE_BASE_POOL_H

#include <stdbool.h>

typedef struct nt_pool nt_pool;

/* What one thread does of a job: all shares of it that nobody else has taken; `thread` is its
 * number, from 0 to threads - 1. */
typedef void nt_pool_job(void *context, int thread);

/* threads - 1 threads that wait; the caller of nt_pool_run is one more. Jobs have at most so many
 * shares, or as many as threads. NULL: no memory, or no threads to be had. */
nt_pool *nt_pool_create(int threads, int shares);
void nt_pool_destroy(nt_pool *pool); /* NULL is nothing */
/* Shares of so many equal parts: one for each thread, for who helps out another one finds nothing
 * of its share at hand. */
int nt_pool_shares(const nt_pool *pool, int parts);

/* The caller is thread 0; others do their part of the job if they begin before it ends: they are
 * waited for, and nobody else, so that a thread that has no processor holds nobody up. One caller
 * at a time. What it wrote before is seen by all, and what they wrote by it. Never allocates. */
void nt_pool_run(nt_pool *pool, nt_pool_job *job, void *context);

/* Within a job of n shares: the next one that nobody has taken, this thread's own ones first; -1:
 * all are taken. *looked is 0 at first. */
int nt_pool_take(nt_pool *pool, int n, int thread, int *looked);
/* Within a job: who does a share tells the others that it has come so far; what was written before
 * is there for whoever finds it told. Nobody is to wait for it: a share may not have begun. */
void nt_pool_tell(nt_pool *pool, int share);
bool nt_pool_is_told(const nt_pool *pool, int share);

/* Things in a row, each of which belongs to a thread: so several jobs over them are divided alike.
 * begin[n] are the first of successive ones of one thread, owner[n] these threads. Both are kept,
 * not copied. */
void nt_pool_divide(nt_pool *pool, const int *begin, const int *owner, int n);
/* Does job(context, from, to) for parts of the things [0, end); for all at once where they were
 * never divided. */
typedef void nt_pool_part(void *context, int from, int to);
void nt_pool_run_divided(nt_pool *pool, nt_pool_part *job, void *context, int end);

#endif
