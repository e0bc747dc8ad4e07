/* Drives a fuzz target that has a mutator of its own, where there is no libFuzzer:
 *
 *   fuzz_command [-n EXECUTIONS] [-s SEED] [-t SECONDS] FILE-OR-FOLDER...
 *
 * First each of the files is executed as it is. Then, so many times or so long, one of them is
 * changed and executed. An input that ends the program is left in crash-SEED-NUMBER in the present
 * folder; executed as it is it shows the same again. */
#define _DEFAULT_SOURCE /* realpath */
#include "fuzz/mutate.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

enum { ROOM = 1 << 16, FILES = 4096 };

static char *inputs[FILES];
static size_t sizes[FILES];
static int n_inputs;
static char crash[4200]; /* where an input goes that ends the program */
static uint8_t input[ROOM];
static size_t input_size;

static void add_file(const char *path)
{
    static const char heading[] = "# nutate run --duration 0.01 --step 1e-3\n";
    char *text = calloc(1, ROOM);
    FILE *file = fopen(path, "rb");
    if (!file || !text || n_inputs == FILES) {
        perror(path);
        exit(1);
    }
    size_t used = sizeof heading - 1, got = fread(text + used, 1, ROOM / 2, file);
    fclose(file);
    memcpy(text, heading, used);
    if (strncmp(text + used, "# nutate ", 9) == 0)
        memmove(text, text + used, got), used = 0;
    inputs[n_inputs] = text;
    sizes[n_inputs++] = used + got;
}

/* Files of a folder and of the folders in it, in the order of their names; of others than a corpus
 * models alone. */
static void add(const char *path, bool given)
{
    struct dirent **entries;
    int n = scandir(path, &entries, NULL, alphasort);
    size_t length = strlen(path);
    if (n < 0) {
        if (given || (length > 5 && strcmp(path + length - 5, ".yaml") == 0))
            add_file(path);
        return;
    }
    for (int i = 0; i < n; i++) {
        char inside[4096];
        snprintf(inside, sizeof inside, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            add(inside, false);
        free(entries[i]);
    }
    free(entries);
}

/* By a signal: keep the input, whatever state the program is in. */
static void keep_input(int number)
{
    int file = open(crash, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file >= 0 && write(file, input, input_size) >= 0)
        close(file);
    signal(number, SIG_DFL);
    raise(number);
}

static void execute(const char *folder, long seed, long number, bool known)
{
    snprintf(crash, sizeof crash, "%s/crash-%ld-%ld", folder, seed, number);
    if (LLVMFuzzerTestOneInput(input, input_size) < 0 && known)
        fprintf(stderr, "input %ld is no invocation\n", number);
}

int main(int count, char **arguments)
{
    long seed = 1, executions = 0, seconds = 0, done = 0;
    int option;
    static char folder[4096];
    while ((option = getopt(count, arguments, "n:s:t:")) > 0)
        *(option == 'n' ? &executions : option == 't' ? &seconds : &seed) = atol(optarg);
    for (int i = optind; i < count; i++)
        add(arguments[i], true);
    if (!getcwd(folder, sizeof folder) || n_inputs == 0)
        return 1;
    const int signals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    for (int i = 0; i < 5; i++)
        signal(signals[i], keep_input);
    printf("%d files, seed %ld\n", n_inputs, seed);
    for (int i = 0; i < n_inputs; i++) {
        memcpy(input, inputs[i], input_size = sizes[i]);
        execute(folder, seed, -1 - i, true);
    }
    time_t begun = time(NULL);
    uint64_t chance = (uint64_t)seed;
    while (done < executions || time(NULL) - begun < seconds) {
        size_t which = (size_t)mutate_random(&chance, (uint64_t)n_inputs);
        memcpy(input, inputs[which], input_size = sizes[which]);
        input_size = LLVMFuzzerCustomMutator(input, input_size, ROOM / 2,
                                             (unsigned)mutate_random(&chance, 1u << 31));
        execute(folder, seed, done++, false);
        if (done % 10000 == 0)
            printf("%ld executions, %ld s\n", done, (long)(time(NULL) - begun));
    }
    printf("%ld executions of changed inputs in %ld s\n", done, (long)(time(NULL) - begun));
    return 0;
}
