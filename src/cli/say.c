#include "cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

void nt_cli_say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("nutate: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

static int exit_status(nt_status status)
{
    switch (status) {
    case NT_OK:
        return NT_EXIT_DONE;
    case NT_INTERRUPTED:
        return NT_EXIT_INTERRUPTED;
    case NT_INVALID:
    case NT_BAD_MODEL:
    case NT_INCONSISTENT:
    case NT_UNSUPPORTED:
        return NT_EXIT_USAGE;
    case NT_IO:
        return NT_EXIT_IO;
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
