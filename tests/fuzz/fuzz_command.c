/* Random invocations of the whole command, in process: check, run, sens and sens --check of models
 * that are examples with numbers, words and lines changed (mutate.c).
 *
 * An input is a text: its first line is `# nutate COMMAND OPTIONS`, all of it is the model. What is
 * asked of every execution:
 *
 * - the exit status is one that the documents name, 130 only where it was asked to stop;
 * - a status that is not 0 comes with one line of words, and where the model is wrong or cannot be
 *   computed these name its file, with line and column where they speak of something in it;
 * - every number of the result is finite, rows are whole and in the order of time, and after status
 *   0 the last stands at the end;
 * - asked after 20 ms to stop, as by a signal, it stops, and it ends within some seconds in any
 * case;
 * - and where a model runs, the equations hold: see equations.c. */
#define _GNU_SOURCE /* memfd_create */
#include "failures/command.h"
#include "fuzz/equations.h"
#include "fuzz/mutate.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

enum {
    ROOM = 1 << 16,
    SAID_ROOM = 1 << 16,
    PRINTED_ROOM = 1 << 22,
    TOKENS = 40,
    TICK = 20000 /* us */,
    LONGEST = 500,
    SECONDS = 10 /* of the processor */
};

/* The folder is made in the present one: two programs at once need two of these. */
#define FOLDER "invocation"
#define MODEL FOLDER "/model.yaml"
#define RESULT FOLDER "/result.csv"
#define NETCDF FOLDER "/result.nc"

/* ---- the place ------------------------------------------------------------------------------ */

static int streams[3],
    captured[3];        /* of descriptors 1 and 2: where they lead, and what takes them */
static char line[ROOM]; /* the first line of the input, for reports */
static char message[SAID_ROOM];

static long ended[5]; /* by status: 0, 2, 3, 4, 130 */

static void tell_ends(void)
{
    dprintf(streams[1],
            "ended with status 0: %ld, 2: %ld, 3: %ld, 4: %ld, 130 where it was asked to: %ld\n",
            ended[0], ended[1], ended[2], ended[3], ended[4]);
}

static void count_end(int status) { ended[status == 0 ? 0 : status == 130 ? 4 : status - 1]++; }

#pragma weak __sanitizer_set_report_fd
void __sanitizer_set_report_fd(void *to);

static void set_up(void)
{
    if (streams[1])
        return;
    for (int i = 1; i <= 2; i++) {
        streams[i] = dup(i);
        captured[i] = memfd_create("stream", 0);
    }
    if ((mkdir(FOLDER, 0777) != 0 && errno != EEXIST) || captured[1] < 0 || captured[2] < 0) {
        perror("fuzz_command");
        exit(1);
    }
    atexit(tell_ends);
    if (__sanitizer_set_report_fd)
        __sanitizer_set_report_fd((void *)(size_t)streams[2]);
}

static void redirect(const int to[3])
{
    fflush(NULL);
    dup2(to[1], 1);
    dup2(to[2], 2);
}

/* What is wrong goes to the true standard error, with the input beside. */
static void complain(const char *what)
{
    redirect(streams);
    fprintf(stderr, "%s\n  %s\n  said: %s\n", what, line, message);
    abort();
}

static void take(int stream, char *text, size_t room)
{
    off_t size = lseek(captured[stream], 0, SEEK_END);
    ssize_t got = pread(captured[stream], text, size < (off_t)room ? (size_t)size : room - 1, 0);
    text[got > 0 ? got : 0] = '\0';
    if (ftruncate(captured[stream], 0) != 0 || lseek(captured[stream], 0, SEEK_SET) != 0)
        complain("the captured stream cannot be emptied");
}

/* ---- the clock ------------------------------------------------------------------------------ */

static volatile sig_atomic_t ticks, asked, raised;
static clock_t begun;

/* What listens to signals in the command is left out of this program where it is a file of its own
 * (src/cli/signals.c): the clock asks the command to stop, and nothing ends the program. */
void nt_cli_signals_listen(void);
void nt_cli_signals_in_order(bool wanted);
bool nt_cli_stop_asked(void);
void nt_cli_signals_finish(void);
int nt_cli_stop_computing(void *unused);
static bool finishing;
void nt_cli_signals_listen(void) { finishing = false; } /* an earlier command may have been */
void nt_cli_signals_in_order(bool wanted) { finishing = finishing && !wanted; }
void nt_cli_signals_finish(void) { finishing = true; }
int nt_cli_stop_computing(void *unused)
{
    (void)unused;
    return asked && !finishing;
}
bool nt_cli_stop_asked(void) { return asked != 0; }

static void tick(int signal)
{
    struct sigaction now;
    (void)signal;
    asked = 1;
    if (!raised && sigaction(SIGTERM, NULL, &now) == 0 && now.sa_handler != SIG_DFL &&
        now.sa_handler != SIG_IGN) {
        raised = 1;
        raise(SIGTERM);
    }
    bool worked = clock() - begun > (clock_t)SECONDS * CLOCKS_PER_SEC; /* others may work too */
    if (++ticks > LONGEST && (worked || ticks > 60 * LONGEST)) {
        static const char words[] = "it does not end\n";
        if (write(streams[2], words, sizeof words - 1) >= 0 &&
            write(streams[2], line, strlen(line)) >= 0)
            abort();
    }
}

static void set_clock(long microseconds)
{
    struct itimerval every = {{0, microseconds}, {0, microseconds}};
    struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    signal(SIGTERM, SIG_DFL);
    ticks = 0;
    begun = clock();
    setitimer(ITIMER_REAL, &every, NULL);
}

/* ---- the invocation ------------------------------------------------------------------------- */

typedef struct call {
    char words[ROOM];
    char *argument[TOKENS + 4];
    int count;
    bool check, run, differences; /* `check`; `run` or `sens`; sens --check */
    const char *output;
} call;

static bool read_call(call *c, const uint8_t *data, size_t size)
{
    static const char begin[] = "# nutate ";
    static char own[5][32] = {"nutate", MODEL, "-o", RESULT, NETCDF};
    const char *end = memchr(data, '\n', size);
    size_t length = end ? (size_t)(end - (const char *)data) : size;
    if (size >= ROOM || length <= sizeof begin || memcmp(data, begin, sizeof begin - 1) != 0)
        return false;
    memcpy(line, data, length);
    line[length] = '\0';
    memcpy(c->words, line + sizeof begin - 1, length + 2 - sizeof begin);
    c->count = 0;
    c->argument[c->count++] = own[0];
    for (char *word = strtok(c->words, " \t"); word && c->count < TOKENS;
         word = strtok(NULL, " \t")) {
        c->argument[c->count++] = word;
        if (c->count == 2)
            c->argument[c->count++] = own[1];
        c->differences |= strcmp(word, "--check") == 0;
        if (c->count > 3 && strcmp(c->argument[c->count - 2], "-o") == 0) {
            if (strcmp(word, "result.nc") == 0)
                c->argument[c->count - 1] = own[4];
            c->output = c->argument[c->count - 1];
        }
    }
    if (c->count < 2)
        return false;
    c->check = strcmp(c->argument[1], "check") == 0;
    c->run = strcmp(c->argument[1], "run") == 0 || strcmp(c->argument[1], "sens") == 0;
    if (!c->check && !c->run)
        return false; /* the others read no model */
    if (c->output && strcmp(c->output, "-") != 0 && c->output != own[4])
        return false; /* nothing is written elsewhere */
    for (int i = 3; i < c->count; i++)
        if ((c->argument[i] != c->output && strchr(c->argument[i], '/')) ||
            strstr(c->argument[i], "--save") || strstr(c->argument[i], "--restart") ||
            strstr(c->argument[i], "--objectives"))
            return false;
    if (c->run && !c->output && !c->differences) {
        c->argument[c->count++] = own[2];
        c->argument[c->count++] = own[3];
        c->output = own[3];
    }
    c->argument[c->count] = NULL;
    return true;
}

static void write_model(const uint8_t *data, size_t size)
{
    int file = open(MODEL, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0 || write(file, data, size) != (ssize_t)size || close(file) != 0)
        complain("the model cannot be written");
}

/* ---- words ---------------------------------------------------------------------------------- */

static bool has_place(const char *words)
{
    const char *at = strstr(words, MODEL ":");
    return at && at[sizeof MODEL] >= '1' && at[sizeof MODEL] <= '9';
}

/* The last line that the command said in its own name. */
static const char *last_words(const char *said)
{
    const char *last = NULL;
    for (const char *at = said; (at = strstr(at, "nutate: ")); at++)
        if (at == said || at[-1] == '\n')
            last = at;
    return last;
}

static void check_words(const call *c, int status)
{
    const char *words = last_words(message);
    if (status != 0 && status != 2 && status != 3 && status != 4 && status != 130)
        complain("an exit status that no document names");
    if (status == 130 && !asked)
        complain("interrupted by nobody");
    if (status == 0 || (status == 3 && c->differences))
        return; /* --check tells wrong derivatives in its table */
    if (!words || strlen(words) < 20)
        complain("it failed without words");
    if (strstr(words, "out of memory"))
        complain("memory is out");
    for (const char *at = words; *at && *at != '\n'; at++)
        if ((unsigned char)*at < ' ')
            complain("words that are not one line");
    bool of_model = strstr(words, MODEL) != NULL;
    if (!of_model && strncmp(words, "nutate: -", 9) != 0)
        complain("words that name no file");
    if (status == 2 && of_model && c->check && !has_place(words))
        complain("words about the model without a place");
}

/* ---- the result ----------------------------------------------------------------------------- */

/* Rows of numbers below one of names: all finite, equally many, in the order of time. */
static void check_rows(const char *text, int status)
{
    const char *end = strchr(text, '\n');
    size_t columns = 1, rows = 0;
    double before = -(double)INFINITY;
    if (!*text)
        return;
    if (!end || strncmp(text, "time", 4) != 0)
        complain("a result without a first row");
    for (const char *at = text; at < end; at++)
        columns += *at == ',';
    for (const char *at = end + 1; *at; rows++) {
        double t = 0;
        for (size_t i = 0; i < columns; i++) {
            char *after;
            double value = strtod(at, &after);
            if (after == at || !isfinite(value) || *after != (i + 1 < columns ? ',' : '\n'))
                complain("a row that is not whole, or not of finite numbers");
            t = i == 0 ? value : t;
            at = after + 1;
        }
        if (!(t > before))
            complain("rows out of order");
        before = t;
    }
    bool at_once = rows == 1 && strstr(message, "  ended at t = "); /* by an event */
    if (status == 0 && rows < 2 && !at_once)
        complain("a result without its last row");
}

static void check_result(const call *c, int status, const char *printed)
{
    static char text[1 << 22];
    if (!c->run || !c->output || strcmp(c->output, NETCDF) == 0)
        return;
    if (strcmp(c->output, "-") == 0) {
        if (strlen(printed) < PRINTED_ROOM - 1)
            check_rows(printed, status);
        return;
    }
    int file = open(c->output, O_RDONLY);
    ssize_t size = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    if (size < 0 && status == 0)
        complain("no result");
    if (size < 0 || size == sizeof text - 1)
        return;
    text[size] = '\0';
    check_rows(text, status);
}

/* ---- one execution -------------------------------------------------------------------------- */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char printed[PRINTED_ROOM];
    static call c;
    memset(&c, 0, sizeof c);
    if (!read_call(&c, data, size))
        return -1;
    set_up();
    write_model(data, size);
    unlink(RESULT);
    unlink(NETCDF);
    asked = raised = 0;
    redirect(captured);
    set_clock(TICK);
    int status = nutate_main(c.count, c.argument);
    set_clock(0);
    fflush(NULL);
    take(1, printed, sizeof printed);
    take(2, message, sizeof message);
    check_words(&c, status);
    count_end(status);
    check_result(&c, status, printed);
    if (status == 0 && c.run && !c.differences) {
        raised = 1; /* nothing listens to signals here */
        set_clock(TICK);
        const char *wrong = equations_hold(MODEL, c.count, c.argument);
        set_clock(0);
        if (wrong) {
            snprintf(message, sizeof message, "%s", wrong);
            complain("the equations do not hold");
        }
    }
    redirect(streams);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    return mutate_invocation((char *)data, size, most, seed);
}
