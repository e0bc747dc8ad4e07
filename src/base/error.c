#include "base/error.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

const char *nt_status_text(nt_status status)
{
    switch (status) { /* two statuses with one number do not compile */
#define TEXT(code, number, text)                                                                   \
    case code:                                                                                     \
        return text;
        NT_STATUS_LIST(TEXT)
#undef TEXT
    }
    return "unknown status";
}

/* What is quoted in a message can neither break its line nor command a terminal. */
nt_status nt_fail_with(nt_error *error, nt_status status, const char *file, int line, int column,
                       const char *format, va_list arguments)
{
    if (!error)
        return status;
    memset(error, 0, sizeof *error);
    error->status = status;
    error->line = line;
    error->column = column;
    snprintf(error->file, sizeof error->file, "%s", file);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    nt_text_to_line(error->message);
    return status;
}

nt_status nt_fail(nt_error *error, nt_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    nt_fail_with(error, status, "", 0, 0, format, arguments);
    va_end(arguments);
    return status;
}

nt_status nt_fail_at(nt_error *error, nt_status status, const char *file, int line, int column,
                     const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    nt_fail_with(error, status, file, line, column, format, arguments);
    va_end(arguments);
    return status;
}

nt_status nt_refuse_null(nt_error *error, const char *function, const char *names, int i)
{
    while (i-- > 0 && strchr(names, ' '))
        names = strchr(names, ' ') + 1;
    return nt_fail(error, NT_INVALID, "%s: %.*s is NULL", function, (int)strcspn(names, " "),
                   names);
}

nt_status nt_refuse_number(nt_error *error, const char *function, const char *name, int number)
{
    return nt_fail(error, NT_INVALID, "%s: %s is %d, which this library (%s) does not know",
                   function, name, number, NT_VERSION);
}

nt_status nt_refuse_count(nt_error *error, const char *function, const char *name, long count)
{
    return nt_fail(error, NT_INVALID, "%s: %s is %ld, expected 0 or more", function, name, count);
}

nt_status nt_refuse_real(nt_error *error, const char *function, const char *name, double number,
                         const char *expected)
{
    return nt_fail(error, NT_INVALID, "%s: %s is %g, expected %s", function, name, number,
                   expected);
}

nt_status nt_refuse_version(nt_error *error, const char *function, const char *name, int version)
{
    return nt_fail(error, NT_INVALID,
                   "%s: %s is %d, expected NT_INTERFACE, %d in this library (%s), or 0: compile "
                   "the program again with the library's headers",
                   function, name, version, NT_INTERFACE, NT_VERSION);
}

void nt_error_clear(nt_error *error)
{
    if (!error)
        return;
    error->status = NT_OK;
    error->file[0] = error->message[0] = '\0'; /* not all bytes: this is called in every step */
    error->line = error->column = error->iteration = 0;
    error->time = error->step = error->residual = 0;
}

nt_status nt_said(nt_error *error, nt_status status)
{
    if (status == NT_OK || !error || error->status == status)
        return status;
    return nt_fail(error, status, "%s", nt_status_text(status));
}

int nt_error_text(const nt_error *error, char *text, int size)
{
    size_t room = text && size > 0 ? (size_t)size : 0;
    if (!error)
        return snprintf(text, room, "%s", "");
    if (!error->file[0])
        return snprintf(text, room, "%s", error->message);
    if (error->line <= 0)
        return snprintf(text, room, "%s: %s", error->file, error->message);
    return snprintf(text, room, "%s:%d:%d: %s", error->file, error->line, error->column,
                    error->message);
}

const char *nt_version(void) { return NT_VERSION; }
