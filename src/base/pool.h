/* A few threads that do the parts of a job side by side, again and again. */
#ifndef NUTATE_BASE_POOL_H
#define NUTATE_BASE_POOL_H

typedef struct nt_pool nt_pool;

/* One part of a job; `part` runs from 0 to threads - 1. */
typedef void nt_pool_job(void *context, int part);

/* threads - 1 threads that wait; the caller of nt_pool_run is one more. NULL: no memory, or no
 * threads to be had. */
nt_pool *nt_pool_create(int threads);
void nt_pool_destroy(nt_pool *pool); /* NULL is nothing */

/* All parts, part 0 by the caller; returns when all are done. One caller at a time. What it wrote
 * before is seen by the parts, and what they wrote by it. Never allocates. */
void nt_pool_run(nt_pool *pool, nt_pool_job *job, void *context);

#endif
