/* A few threads that take from one job side by side, again and again. */
#ifndef NUTATE_BASE_POOL_H
#define NUTATE_BASE_POOL_H

typedef struct nt_pool nt_pool;

/* What one thread does of a job: all that nobody else has taken; `part` is the thread's number,
 * from 0 to threads - 1. */
typedef void nt_pool_job(void *context, int part);

/* threads - 1 threads that wait; the caller of nt_pool_run is one more. NULL: no memory, or no
 * threads to be had. */
nt_pool *nt_pool_create(int threads);
void nt_pool_destroy(nt_pool *pool); /* NULL is nothing */

/* Part 0 is done by the caller, others by those threads that begin before it ends: they are waited
 * for, and nobody else, so that a thread that has no processor holds nobody up. One caller at a
 * time. What it wrote before is seen by the parts, and what they wrote by it. Never allocates. */
void nt_pool_run(nt_pool *pool, nt_pool_job *job, void *context);

#endif
