/* SIGINT and SIGTERM: while there is nothing to lose, the first one ends the process at once; while
 * results are open, the first one asks the run to end in good order, and a second one, of either
 * kind, ends it at once. What is in the files then are whole rows.
 *
 * One of the same kind right behind the first is the same demand, not a second: timeout(1) sends
 * its signal to the command and again to the command's group, and schedulers of clusters to each
 * process and to its step. */
#include "cli/cli.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t in_order, stop_asked; /* stop_asked: the signal */
static struct timespec asked_at;                   /* of the handler, which nothing interrupts */
static bool finishing;
static pthread_t main_thread;

static void say(const char *text)
{
    ssize_t done = write(STDERR_FILENO, text, strlen(text));
    (void)done; /* there is nobody left to tell */
}

/* s, between the same demand by several ways; whoever asks a second time takes longer. */
static const double SAME = 0.1;

static bool is_the_same(int signal)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double since =
        (double)(now.tv_sec - asked_at.tv_sec) + 1e-9 * (double)(now.tv_nsec - asked_at.tv_nsec);
    return signal == stop_asked && since < SAME;
}

static void hear(int signal)
{
    /* the thread that writes hears it between its calls, so that none of them is cut off */
    if (!pthread_equal(pthread_self(), main_thread)) {
        pthread_kill(main_thread, signal);
        return;
    }
    if (in_order && !stop_asked) {
        clock_gettime(CLOCK_MONOTONIC, &asked_at);
        stop_asked = signal;
        return;
    }
    if (in_order && is_the_same(signal))
        return;
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
