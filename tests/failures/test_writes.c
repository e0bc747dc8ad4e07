/* Nothing can be written from the n-th byte of a file on, for every n, and the n-th call that
 * writes fails while all others succeed, for every n, in every command: it then leaves the same
 * files as without, or ends with the status for input and output and says why.
 *
 *   failures_test_writes [--all] [FOLDER]
 *
 * Without --all some tens of each. The limit is the process's own (RLIMIT_FSIZE), so that it holds
 * for whatever writes: the library, the C library's streams, netCDF. write, fsync and close are
 * defined here for those that call them by these names, the library and netCDF. */
#define _DEFAULT_SOURCE /* syscall */
#include "failures/command.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool counts;
static long fails;   /* number of the call that fails, from 1; 0: none */
static long *called; /* so many, shared with the process of the command */

static bool refuse(int file)
{
    struct stat is;
    if (!counts || file == STDERR_FILENO || fstat(file, &is) != 0 || !S_ISREG(is.st_mode) ||
        ++*called != fails)
        return false;
    errno = ENOSPC;
    return true;
}

ssize_t write(int file, const void *bytes, size_t size)
{
    return refuse(file) ? -1 : syscall(SYS_write, file, bytes, size);
}

int fsync(int file) { return refuse(file) ? -1 : (int)syscall(SYS_fsync, file); }

int close(int file)
{
    bool refused = refuse(file);
    int result = (int)syscall(SYS_close, file);
    errno = refused ? ENOSPC : errno;
    return refused ? -1 : result;
}

static void fail_at_call(long n)
{
    fails = n;
    *called = 0;
    counts = true;
}

/* No file may grow beyond n - 1 bytes; 0: no limit. */
static void fail_at_byte(long n)
{
    struct rlimit limit = {(rlim_t)(n - 1), (rlim_t)(n - 1)};
    signal(SIGXFSZ, SIG_IGN);
    if (n > 0 && setrlimit(RLIMIT_FSIZE, &limit) != 0)
        _exit(99);
}

/* The number of the first byte that the largest file of a run has not. */
static long behind_largest(const invocation *what, const char *folder, const outcome *whole)
{
    long n = 64, least = 0;
    while (n < 1L << 30 && command_run(what, folder, fail_at_byte, n).sum != whole->sum)
        least = n, n *= 2;
    while (n - least > 1) {
        long middle = least + (n - least) / 2;
        bool same = command_run(what, folder, fail_at_byte, middle).sum == whole->sum;
        *(same ? &n : &least) = middle;
    }
    return n;
}

/* Each of the first and of the last ones, and some between: what is all but whole is easily taken
 * for it. */
static long next_of(long k, long n, long step)
{
    enum { ENDS = 4 };
    if (k < ENDS || k >= n - ENDS)
        return k + 1;
    return k + step < n - ENDS ? k + step : n - ENDS;
}

static long fail(const invocation *what, const char *folder, const outcome *whole,
                 void (*begin)(long), long n, long most, const char *word)
{
    static const int allowed[] = {4, 0};
    long step = n / most + 1, wrong = 0, same = 0, runs = 0;
    for (long k = 1; k <= n; k = next_of(k, n, step), runs++) {
        outcome got = command_run(what, folder, begin, k);
        same += got.status == 0;
        wrong += !command_judge(what, k, whole, &got, allowed, word);
    }
    printf("%s: %ld runs over %ld %s; %ld ended as without, %ld wrong\n", what->name, runs, n,
           begin == fail_at_byte ? "bytes" : "calls that write", same, wrong);
    return wrong;
}

int main(int count, char **arguments)
{
    bool all = count > 1 && strcmp(arguments[1], "--all") == 0;
    const char *folder = count > 1 + all ? arguments[1 + all] : "writes";
    long wrong = 0, most = all ? 2000 : 30;
    called = command_shared();
    command_give(folder, fail_at_call);
    for (int i = 0; i < n_invocations; i++) {
        const invocation *what = &invocations[i];
        if (!command_can_run(what))
            continue;
        outcome whole = command_run(what, folder, fail_at_call, 0);
        if (whole.status != 0) {
            printf("%s: status %d without a failure\n    %s\n", what->name, whole.status,
                   whole.said);
            wrong++;
            continue;
        }
        wrong += fail(what, folder, &whole, fail_at_call, *called, most, "No space left");
        long bytes = behind_largest(what, folder, &whole);
        wrong += fail(what, folder, &whole, fail_at_byte, bytes, most, "File too large");
    }
    printf("%ld runs ended wrong\n", wrong);
    return wrong > 0;
}
