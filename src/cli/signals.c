/* SIGINT and SIGTERM: while there is nothing to lose, the first one ends the process at once; while
 * results are open, the first one asks the run to end in good order, and a second one, of either
 * kind, ends it at once. What is in the files then are whole rows. */
#include "cli/cli.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t in_order, stop_asked;
static bool finishing;
static pthread_t main_thread;

static void say(const char *text)
{
    ssize_t done = write(STDERR_FILENO, text, strlen(text));
    (void)done; /* there is nobody left to tell */
}

static void hear(int signal)
{
    /* the thread that writes hears it between its calls, so that none of them is cut off */
    if (!pthread_equal(pthread_self(), main_thread)) {
        pthread_kill(main_thread, signal);
        return;
    }
    if (in_order && !stop_asked) {
        stop_asked = 1;
        return;
    }
    say(stop_asked ? "nutate: interrupted twice: ended at once\n" : "nutate: interrupted\n");
    _exit(NT_EXIT_INTERRUPTED);
}

void nt_cli_signals_listen(void)
{
    main_thread = pthread_self();
    struct sigaction action = {.sa_handler = hear, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGINT);
    sigaddset(&action.sa_mask, SIGTERM);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void nt_cli_signals_in_order(bool wanted)
{
    in_order = wanted;
    finishing = finishing && !wanted;
}

void nt_cli_signals_finish(void) { finishing = true; }

int nt_cli_stop_computing(void *unused)
{
    (void)unused;
    return stop_asked && !finishing;
}

bool nt_cli_stop_asked(void) { return stop_asked != 0; }
