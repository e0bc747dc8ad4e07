#include "cli/cli.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Words do not wait for memory: only what is longer than any line asks for some, and is cut short
 * where there is none. */
void nt_cli_say(const char *format, ...)
{
    char room[4096];
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(room, sizeof room, format, arguments);
    bool cut = length >= (int)sizeof room;
    char *longer = cut ? malloc((size_t)length + 1) : NULL;
    if (longer)
        vsnprintf(longer, (size_t)length + 1, format, again);
    va_end(again);
    va_end(arguments);
    for (char *c = longer ? longer : room; *c; c++) /* names may hold what commands a terminal */
        if (((unsigned char)*c < ' ' && *c != '\n') || *c == 0x7f)
            *c = '?';
    fprintf(stderr, "nutate: %s%s\n", longer ? longer : room, cut && !longer ? " ..." : "");
    free(longer);
}

void nt_cli_say_lost_rows(int rows, const char *of)
{
    if (rows > 0)
        fprintf(stderr,
                "  at a dead centre: %d equation%s of joints depend%s on others here, unlike where "
                "the model is placed; ways of moving part here, and forces of joints, with what "
                "they make of %s, are not determined: those of least norm are taken\n",
                rows, rows == 1 ? "" : "s", rows == 1 ? "s" : "", of);
}

static int exit_status(nt_status status)
{
    switch (status) {
    case NT_INTERRUPTED:
        return NT_EXIT_INTERRUPTED;
    case NT_INVALID:
    case NT_BAD_MODEL:
    case NT_INCONSISTENT:
    case NT_UNSUPPORTED:
        return NT_EXIT_USAGE;
    case NT_IO:
        return NT_EXIT_IO;
    case NT_OK: /* see nt_cli_fail */
    case NT_NO_MEMORY:
    case NT_ENERGY:
    case NT_NOT_CONVERGED:
    case NT_SINGULAR:
    case NT_NOT_FINITE:
        break;
    }
    return NT_EXIT_FAILED;
}

int nt_cli_fail(const char *where, const nt_error *error)
{
    char text[sizeof error->file + sizeof error->message + 64];
    assert(error->status != NT_OK); /* who fails without words is mistaken */
    nt_error_text(error, text, (int)sizeof text);
    if (where && !error->file[0])
        nt_cli_say("%s: %s", where, text);
    else
        nt_cli_say("%s", text);
    return exit_status(error->status);
}

int nt_cli_no_memory(void)
{
    nt_cli_say("out of memory");
    return NT_EXIT_FAILED;
}

int nt_cli_finish_output(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return NT_EXIT_DONE;
    nt_cli_say("standard output cannot be written: %s", strerror(errno));
    return NT_EXIT_IO;
}

void nt_cli_suggestion(const char *word, const char *const *words, int n, char *text, size_t size)
{
    const char *best = nt_suggest(word, (int)strlen(word), words, n);
    text[0] = '\0';
    if (best)
        snprintf(text, size, "; did you mean '%s'?", best);
}
