/* The command `nutate` run in a process of its own, in an empty folder, with something that fails
 * in it; and what it left compared with what it leaves when nothing fails. */
#ifndef NUTATE_TESTS_FAILURES_COMMAND_H
#define NUTATE_TESTS_FAILURES_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

/* The main function of src/cli/main.c under another name. */
int nutate_main(int count, char **arguments);

enum { ARGUMENTS = 24, SAID = 4096, FILES = 16 };

typedef struct invocation {
    const char *name;
    const char *argument[ARGUMENTS]; /* of the command, ended by NULL; {} is the source tree */
} invocation;

extern const invocation invocations[];
extern const int n_invocations;

/* What a run came to. */
typedef struct outcome {
    int status; /* exit status; -1: ended by a signal, or it took too long */
    int signal; /* 0: none */
    unsigned long long
        sum;         /* of names and bytes of all files it left, standard output among them */
    char said[SAID]; /* on standard error, the last of it */
    unsigned long long left[FILES]; /* [n_left] of each file or folder in it, without standard
                                       output */
    int n_left;
} outcome;

/* Runs it in FOLDER, which is emptied first. `begin` is called in the new process, right before the
 * command. */
outcome command_run(const invocation *what, const char *folder, void (*begin)(long n), long n);

/* A long that processes share. */
long *command_shared(void);

/* Whether the program that an invocation needs beside nutate is installed; says so where not. */
bool command_can_run(const invocation *what);

/* Makes the results that some of the invocations read, beside the folder. */
void command_give(const char *folder, void (*begin)(long n));

/* Whether a run in which something failed ended as it must: with the same files as `whole`, or with
 * a status of `allowed` (ended by 0) and a line on standard error that holds `word`, and, where the
 * command makes a file of what is there already, without a part of that file left. Prints what is
 * wrong with it. */
bool command_judge(const invocation *what, long n, const outcome *whole, const outcome *got,
                   const int *allowed, const char *word);

#endif
