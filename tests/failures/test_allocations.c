/* The n-th allocation fails, for every n, in every command: it then leaves the same files as
 * without, or ends with a status that the documents name and says that memory is out.
 *
 *   failures_test_allocations [--all] [FOLDER]
 *
 * Without --all invocations that are not slow, and of those with more than a few hundred
 * allocations as many, evenly spread. The allocator's functions are defined here, so that what the
 * C library, libyaml, netCDF, KLU and SUNDIALS ask for fails as well; under sanitizers, which have
 * their own, it is what nutate itself asks for (linked with --wrap). */
#include "failures/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef NUTATE_WRAPPED
#define OURS(name) __wrap_##name
#define THEIRS(name) __real_##name
#else
#define OURS(name) name
#define THEIRS(name) __libc_##name
#endif

#pragma GCC visibility push(default) /* other libraries find what is exported alone */

void *THEIRS(malloc)(size_t size);
void *THEIRS(calloc)(size_t count, size_t size);
void *THEIRS(realloc)(void *old, size_t size);
void *OURS(malloc)(size_t size);
void *OURS(calloc)(size_t count, size_t size);
void *OURS(realloc)(void *old, size_t size);
void *OURS(aligned_alloc)(size_t alignment, size_t size);

static bool counts;
static long fails;      /* number of the allocation that fails, from 1; 0: none */
static long *allocated; /* so many, shared with the process of the command */

static bool refuse(void)
{
    if (!counts || ++*allocated != fails)
        return false;
    errno = ENOMEM;
    return true;
}

void *OURS(malloc)(size_t size) { return refuse() ? NULL : THEIRS(malloc)(size); }
void *OURS(calloc)(size_t count, size_t size)
{
    return refuse() ? NULL : THEIRS(calloc)(count, size);
}
void *OURS(realloc)(void *old, size_t size) { return refuse() ? NULL : THEIRS(realloc)(old, size); }

#ifdef NUTATE_WRAPPED
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return refuse() ? NULL : __real_aligned_alloc(alignment, size);
}
#else
void *__libc_memalign(size_t alignment, size_t size);
void *aligned_alloc(size_t alignment, size_t size)
{
    return refuse() ? NULL : __libc_memalign(alignment, size);
}
#endif
#pragma GCC visibility pop

static void begin(long n)
{
    fails = n;
    *allocated = 0;
    counts = true;
}

/* Each place is found without --all, too: other libraries are hurt at few, and where one way to an
 * answer is left for another, both end well. */
static const char *const each_of[] = {"run of a top by bdf", "modes"};

int main(int count, char **arguments)
{
    static const int allowed[] = {3, 4, 0};
    bool all = count > 1 && strcmp(arguments[1], "--all") == 0;
    const char *folder = count > 1 + all ? arguments[1 + all] : "allocations";
    const long most = all ? 1000000000 : 300;
    long wrong = 0, runs = 0;
    allocated = command_shared();
    command_give(folder, begin);
    for (int i = 0; i < n_invocations; i++) {
        const invocation *what = &invocations[i];
        if (!command_can_run(what))
            continue;
        outcome whole = command_run(what, folder, begin, 0);
        bool each = false;
        for (int k = 0; k < (int)(sizeof each_of / sizeof *each_of); k++)
            each |= strcmp(what->name, each_of[k]) == 0;
        long n = *allocated, step = each ? 1 : n / most + 1, same = 0, bad = 0;
        if (whole.status != 0) {
            printf("%s: status %d without a failure\n    %s\n", what->name, whole.status,
                   whole.said);
            wrong++;
            continue;
        }
        for (long k = 1; k <= n; k += step, runs++) {
            outcome got = command_run(what, folder, begin, k);
            same += got.status == 0;
            bad += !command_judge(what, k, &whole, &got, allowed, "memory");
        }
        printf("%s: %ld allocations, one in %ld failed; %ld runs ended as without, %ld wrong\n",
               what->name, n, step, same, bad);
        wrong += bad;
    }
    printf("%ld failures of memory, %ld ended wrong\n", runs, wrong);
    return wrong > 0;
}
