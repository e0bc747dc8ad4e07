/* Bare windows of a block LU wait for nothing, and nothing but the fronts waits for them: threads
 * take them while the light nodes are eliminated, and substituted. A thread that has loaded blocks
 * eliminates what it can of their fronts at once: its cache has them. */
#include "linalg/block/block.h"

#include <limits.h>

/* Bare windows worth a job for threads: to begin and end one costs as much as two of them. */
enum { WORTH_WINDOWS = 6 };

nt_pool *nt_block_pool(const nt_block_lu *block)
{
    int bare = block->n_windows - block->n_light_windows;
    return block->pool && bare >= WORTH_WINDOWS ? *block->pool : NULL;
}

typedef struct job {
    nt_block_lu *block;
    nt_pool *pool;
    int shares; /* of the bare windows; the first has the light ones before its own */
    const double *values, *given;
    double *clear, *x, limit;
    int failed;
} job;

static job job_of(nt_block_lu *block, nt_pool *pool)
{
    int bare = block->n_windows - block->n_light_windows;
    return (job){.block = block, .pool = pool, .shares = nt_pool_shares(pool, bare), .failed = -1};
}

/* The first window of a share; of the one behind the last, the end of all. The last share is never
 * larger than others, for its fronts are eliminated first, all of them by one thread. */
static int first_window(const nt_block_lu *block, int share, int shares)
{
    int light = block->n_light_windows;
    long bare = block->n_windows - light;
    return share > 0 ? light + (int)((bare * share + shares - 1) / shares) : 0;
}
static void windows_of(const job *j, int share, int *from, int *to)
{
    *from = first_window(j->block, share, j->shares);
    *to = first_window(j->block, share + 1, j->shares);
}

int nt_block_split(const nt_block_lu *block)
{
    nt_pool *pool = nt_block_pool(block);
    if (!pool)
        return block->n_padded;
    int bare = block->n_windows - block->n_light_windows, shares = nt_pool_shares(pool, bare);
    int split = block->window[first_window(block, shares - 1, shares)].position;
    return split < block->light_reach ? block->n_padded : split;
}

/* Fronts to the shares whose windows load all their blocks, where the shares are others than last
 * time. */
static void share_out_fronts(nt_block_lu *block, int shares)
{
    nt_front_divide_batches(&block->core, nt_block_split(block));
    bool known = block->core.shares == shares;
    for (int share = 0, begin = 0, end; share < shares && !known; share++, begin = end) {
        end = share + 1 < shares ? block->window[first_window(block, share + 1, shares)].store
                                 : INT_MAX;
        nt_front_share_out(&block->core, share, shares, begin, end);
    }
}

static void eliminate_shares(void *context, int thread)
{
    job *j = context;
    nt_block_lu *block = j->block;
    const nt_block_kernels *kernels = block->kernels;
    int share, looked = 0, from, to;
    while ((share = nt_pool_take(j->pool, j->shares, thread, &looked)) >= 0) {
        windows_of(j, share, &from, &to);
        int failed =
            j->given ? kernels->factor_forward(block, from, to, j->values, j->clear, j->given, j->x)
                     : kernels->factor(block, from, to, j->values, j->clear);
        if (share == 0)
            j->failed = failed;
        nt_pool_tell(j->pool, share);
        nt_front_begin_batches(&block->core, &kernels->front, j->pool, share, block->store,
                               j->given ? j->x : NULL, block->vector[1], (size_t)block->n_padded);
    }
}

int nt_block_eliminate(nt_block_lu *block, const double *values, double *clear, const double *b,
                       double *x)
{
    nt_pool *pool = nt_block_pool(block);
    int all = block->n_windows;
    if (!pool)
        return b ? block->kernels->factor_forward(block, 0, all, values, clear, b, x)
                 : block->kernels->factor(block, 0, all, values, clear);
    job j = job_of(block, pool);
    j.values = values, j.clear = clear, j.given = b, j.x = x;
    share_out_fronts(block, j.shares);
    block->core.job++;
    nt_pool_run(pool, eliminate_shares, &j);
    return j.failed;
}

static void substitute_shares(void *context, int thread)
{
    const job *j = context;
    const nt_block_kernels *kernels = j->block->kernels;
    int share, looked = 0, from, to;
    while ((share = nt_pool_take(j->pool, j->shares, thread, &looked)) >= 0) {
        if (share == j->shares - 1)
            nt_front_backward_batches(&j->block->core, &kernels->front, true, j->x);
        windows_of(j, share, &from, &to);
        kernels->backward(j->block, from, to, j->x, j->given, j->limit);
    }
}

/* Rows that are checked by and by may be rounding beside the largest x of the core, which is known
 * up to `end`. */
static void look_at_core(nt_block_lu *block, int end, const double *x)
{
    if (block->core.n_fronts > 0)
        block->kernels->find_largest(block, block->window[block->n_light_windows].position, end, x);
}

void nt_block_substitute(nt_block_lu *block, double *x, const double *given, double limit)
{
    nt_pool *pool = given ? nt_block_pool(block) : NULL;
    if (!pool) {
        nt_front_backward_batches(&block->core, &block->kernels->front, true, x);
        if (given)
            look_at_core(block, block->n_padded, x);
        block->kernels->backward(block, 0, block->n_windows, x, given, limit);
        return;
    }
    look_at_core(block, nt_block_split(block), x);
    job j = job_of(block, pool);
    j.x = x, j.given = given, j.limit = limit;
    nt_pool_run(pool, substitute_shares, &j);
}
