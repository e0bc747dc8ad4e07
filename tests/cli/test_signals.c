/* SIGINT and SIGTERM in a command whose results are open: the first one asks it to end, a second
 * one ends it, and the same demand by several ways, as timeout(1) sends it, is one. */
#define _DEFAULT_SOURCE /* fork */
#include "cli/cli.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { GOES_ON = 7 };

/* What a process ends with that hears `first`, and after so many seconds `second`; GOES_ON where it
 * is asked to end and still runs. */
static int hears(int first, double wait, int second)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct timespec pause = {.tv_sec = 0, .tv_nsec = (long)(wait * 1e9)};
        nt_cli_signals_listen();
        nt_cli_signals_in_order(true);
        raise(first);
        nanosleep(&pause, NULL);
        raise(second);
        _exit(nt_cli_stop_asked() ? GOES_ON : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void test_a_second_signal_ends_it(void **unused)
{
    (void)unused;
    assert_int_equal(hears(SIGTERM, 0.2, SIGTERM), NT_EXIT_INTERRUPTED);
    assert_int_equal(hears(SIGINT, 0.2, SIGINT), NT_EXIT_INTERRUPTED);
    assert_int_equal(hears(SIGTERM, 0, SIGINT), NT_EXIT_INTERRUPTED);
    assert_int_equal(hears(SIGINT, 0, SIGTERM), NT_EXIT_INTERRUPTED);
}

static void test_the_same_demand_is_one(void **unused)
{
    (void)unused;
    assert_int_equal(hears(SIGTERM, 0, SIGTERM), GOES_ON);
    assert_int_equal(hears(SIGINT, 0, SIGINT), GOES_ON);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_second_signal_ends_it),
        cmocka_unit_test(test_the_same_demand_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
